//! Skims a gzip member: inflates its head and skips the rest.
//!
//! An index of declared digests needs nothing from a long body. The next member is found by its magic number and accepted
//! only if the length in the trailer before it (ISIZE) equals that of the head, the block and the two blank lines, and no other
//! record starts in between. Otherwise the member is inflated whole. The checksum of a skimmed member is not verified.

use flate2::{Decompress, FlushDecompress};

use super::fields::head_length;
use super::gzip;
use super::http;
use super::members::{header_length, starts_record};
use super::record::{self, RecordHead};

/// Compressed bytes below which inflating the whole member is as fast.
const SHORT: usize = 6 << 10;
/// Bytes inflated to find the heads of a member: few at first, for most heads are short.
const HEADS: [usize; 3] = [1 << 10, 2 << 10, 4 << 10];

/// A member that was skimmed.
pub(crate) struct Skimmed<'a> {
    pub head: RecordHead<'a>,
    /// The start of the block, including its HTTP head.
    pub block: &'a [u8],
    /// The member's compressed length.
    pub length: usize,
}

/// Skims the member at the start of `bytes`, which reach the end of the file if `at_end`. `None`: inflate it whole.
pub(crate) fn skim<'a>(
    bytes: &[u8],
    at_end: bool,
    probe: &mut Option<Decompress>,
    heads: &'a mut Vec<u8>,
) -> Option<Skimmed<'a>> {
    let first = gzip::find_magic(bytes, 18);
    if first.unwrap_or(bytes.len()) < SHORT {
        return None;
    }
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
    let (block_start, heads) = (block_start?, &heads[..filled]);
    let head = record::parse(&heads[..block_start]);
    let block = &heads[block_start..];
    let inflated = (block_start as u64).checked_add(head.content_length?)?.checked_add(4)?;
    let size = ((inflated & 0xffff_ffff) as u32).to_le_bytes();
    let is_end = |at: usize| bytes.get(at.checked_sub(4)?..at).map(|found| found == size);
    let mut next = first;
    while let Some(at) = next {
        if is_end(at) == Some(true) {
            return Some(Skimmed { head, block, length: at });
        }
        // Another record starts here: the member ended before, and is not what its head says.
        if starts_record(&bytes[at..], probe) {
            return None;
        }
        next = gzip::find_magic(bytes, at + 1);
    }
    (at_end && is_end(bytes.len()) == Some(true)).then_some(Skimmed { head, block, length: bytes.len() })
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
