//! Skims a gzip member: inflates its head and skips the rest.
//!
//! An index of declared digests needs nothing from a long body. The next member is found by its magic number and accepted
//! only if the length in the trailer before it (ISIZE) equals that of the head, the block and the two blank lines, and no other
//! record starts in between. Otherwise the member is inflated whole. The checksum of a skimmed member is not verified. However long
//! a member is, it passes once and no more of it is held than a view has.

use std::io;

use flate2::{Decompress, FlushDecompress};

use super::fields::head_length;
use super::gzip;
use super::http;
use super::members::{AHEAD, View, header_length, starts_record};
use super::record::{self, RecordHead};

/// Compressed bytes below which inflating the whole member is as fast.
const MIN_SKIMMED_BYTES: usize = 6 << 10;
/// Bytes inflated to find the heads of a member: few at first, for most heads are short.
const HEADS: [usize; 3] = [1 << 10, 2 << 10, 4 << 10];
/// Compressed bytes that show whether a record starts there.
const MIN_START_BYTES: usize = 8 << 10;
/// Length of the size at the end of a member.
const SIZE: usize = 4;

/// A member that was skimmed.
pub(super) struct Skimmed<'a> {
    pub head: RecordHead<'a>,
    /// The start of the block, including its HTTP head.
    pub block: &'a [u8],
    /// The member's compressed length.
    pub length: u64,
}

/// Skims the member at an offset. `None`: inflate it whole.
pub(super) fn skim<'a>(
    view: &mut View<'_>,
    offset: u64,
    probe: &mut Option<Decompress>,
    heads: &'a mut Vec<u8>,
) -> io::Result<Option<Skimmed<'a>>> {
    let bytes = view.at(offset, AHEAD)?;
    if gzip::find_magic(bytes, 18).unwrap_or(bytes.len()) < MIN_SKIMMED_BYTES {
        return Ok(None);
    }
    let Some(block_start) = inflate_heads(bytes, probe, heads) else { return Ok(None) };
    let head = record::parse(&heads[..block_start]);
    let inflated = |content: u64| (block_start as u64).checked_add(content)?.checked_add(4);
    let Some(inflated) = head.content_length.and_then(inflated) else { return Ok(None) };
    let end = find_end(view, offset, inflated, probe)?;
    Ok(end.map(|end| Skimmed { head, block: &heads[block_start..], length: end - offset }))
}

/// Inflates the heads of a member, and gives where the block starts.
fn inflate_heads(bytes: &[u8], probe: &mut Option<Decompress>, heads: &mut Vec<u8>) -> Option<usize> {
    let start = header_length(bytes)?;
    let inflating = probe.get_or_insert_with(|| Decompress::new(false));
    inflating.reset(false);
    heads.resize(HEADS[HEADS.len() - 1], 0);
    let mut filled = 0;
    let mut block_start = None;
    for room in HEADS {
        let input = &bytes[start + usize::try_from(inflating.total_in()).ok()?..];
        inflating.decompress(input, &mut heads[filled..room], FlushDecompress::None).ok()?;
        filled = usize::try_from(inflating.total_out()).ok()?;
        block_start = whole_heads(&heads[..filled]);
        if block_start.is_some() || filled < room {
            break;
        }
    }
    heads.truncate(filled);
    block_start
}

/// Where the member at an offset ends, if it has this length inflated; `None` where that does not show.
fn find_end(
    view: &mut View<'_>,
    offset: u64,
    inflated: u64,
    probe: &mut Option<Decompress>,
) -> io::Result<Option<u64>> {
    let length = view.length();
    let size = ((inflated & 0xffff_ffff) as u32).to_le_bytes();
    // Even what does not shrink becomes hardly longer.
    let last = offset.saturating_add(inflated).saturating_add(inflated / 8 + AHEAD as u64);
    // No member is shorter than 18 bytes.
    let mut from = offset + 18 - SIZE as u64;
    while from < last {
        let bytes = view.at(from, AHEAD)?;
        let is_end = from + bytes.len() as u64 >= length;
        // The file became shorter, or its length is unknown.
        if bytes.len() < MIN_START_BYTES + SIZE && !is_end {
            return Ok(None);
        }
        let (mut at, mut looked) = (SIZE, bytes.len().saturating_sub(gzip::MAGIC.len()));
        while let Some(found) = gzip::find_magic(bytes, at) {
            if bytes.len() - found < MIN_START_BYTES && !is_end {
                looked = found;
                break;
            }
            if bytes[found - SIZE..found] == size {
                return Ok(Some(from + found as u64));
            }
            // Another record starts here: the member ended before, and is not what its head says.
            if starts_record(&bytes[found..], probe) {
                return Ok(None);
            }
            at = found + 1;
        }
        if is_end {
            return Ok(bytes.ends_with(&size).then_some(length));
        }
        from += (looked - SIZE) as u64;
    }
    Ok(None)
}

/// Where the block starts, if the head of the record and that of its response are there to their ends.
fn whole_heads(bytes: &[u8]) -> Option<usize> {
    if !record::is_version_line(bytes) {
        return None;
    }
    let block_start = head_length(bytes, 0)?;
    // Fewer bytes do not show whether a response follows.
    let block = bytes.get(block_start..).filter(|block| block.len() >= 5)?;
    (!http::is_response(block) || http::response_head_length(block).is_some()).then_some(block_start)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::archive::blob::Blob;
    use crate::archive::members::{Depth, Members, Tools};
    use crate::archive::walk::{RecordEnd, Visitor};
    use crate::problem::Problem;

    /// Where records are, how much of their blocks passed, and what is wrong.
    #[derive(Default)]
    struct Seen {
        records: Vec<(u64, Option<u64>)>,
        passed: usize,
        problems: Vec<String>,
        offset: u64,
    }

    impl Visitor for Seen {
        fn begin(&mut self, _head: &RecordHead<'_>, offset: u64) {
            self.offset = offset;
        }
        fn block(&mut self, piece: &[u8]) {
            self.passed += piece.len();
        }
        fn end(&mut self, end: RecordEnd) {
            self.records.push((self.offset, end.length));
        }
        fn problem(&mut self, problem: Problem) {
            self.problems.push(problem.kind);
        }
    }

    fn seen(bytes: &[u8], depth: Depth) -> Seen {
        let (blob, mut tools, mut seen) = (Blob::memory(bytes.to_vec()), Tools::default(), Seen::default());
        Members::new(&blob, 0, blob.len(), &mut tools).walk(0, depth, &mut seen).unwrap();
        seen
    }

    /// A member of a record of noise, which says that it has `more` bytes than are there.
    fn member(seed: u32, length: usize, more: usize) -> Vec<u8> {
        let mut random = u64::from(seed);
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) as u8
        };
        let mut body: Vec<u8> = (0..length).map(|_| next()).collect();
        // Bytes that look like the start of a member.
        for place in [length / 7, length / 2] {
            body.get_mut(place..place + 10)
                .into_iter()
                .for_each(|part| part.copy_from_slice(b"\x1f\x8b\x08\0\0\0\0\0\0\xff"));
        }
        let head = format!(
            "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a/{seed}\r\nContent-Length: {}\r\n\r\n",
            length + more
        );
        // Stored, so that what looks like a member is in the file.
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
        [head.as_bytes(), &body, b"\r\n\r\n"].iter().for_each(|part| encoder.write_all(part).unwrap());
        encoder.finish().unwrap()
    }

    const LENGTHS: [usize; 8] = [50, 7_000, 65_500, 65_536, 600_000, 1 << 20, 5 << 20, 20_000];

    #[test]
    fn members_of_any_length_end_where_they_end_when_they_are_inflated() {
        for shift in 0..LENGTHS.len() {
            let mut lengths = LENGTHS;
            lengths.rotate_left(shift);
            let file: Vec<u8> =
                (0..).zip(lengths).flat_map(|(seed, length)| member(seed, length, 0)).collect();
            let (skimmed, whole) = (seen(&file, Depth::Heads), seen(&file, Depth::Blocks));
            assert_eq!(skimmed.records, whole.records);
            assert_eq!(skimmed.problems, whole.problems);
            // Only short members are inflated.
            assert!(skimmed.passed < 100_000, "{}", skimmed.passed);
            assert_eq!(whole.passed, LENGTHS.iter().sum::<usize>());
        }
    }

    #[test]
    fn a_member_that_is_not_what_its_head_says_is_inflated_whole() {
        for length in [20_000, 600_000, 1 << 20] {
            let file = [member(1, 9_000, 0), member(2, length, 3), member(3, 9_000, 0)].concat();
            let (skimmed, whole) = (seen(&file, Depth::Heads), seen(&file, Depth::Blocks));
            assert_eq!(skimmed.records, whole.records);
            assert_eq!(skimmed.problems, whole.problems);
            // The file ends within a member.
            let cut = &file[..file.len() - 5_000];
            assert_eq!(seen(cut, Depth::Heads).records, seen(cut, Depth::Blocks).records);
        }
    }
}
