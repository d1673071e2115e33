//! Skims a gzip member: its head is inflated, the rest of it stepped over.
//!
//! For an index of declared digests nothing in a long body matters. The next member is found by its magic number and
//! taken for it only if the length in the trailer before it (ISIZE) is that of the head, the block and the two blank
//! lines. What does not fit is inflated whole. The checksum of a skimmed member is not looked at.

use flate2::{Decompress, FlushDecompress};

use super::fields::head_length;
use super::gzip;
use super::http;
use super::members::header_length;
use super::record::{self, RecordHead};

/// Shorter members are inflated whole: that is as fast.
const SHORT: usize = 6 << 10;
/// How much of a member is inflated to find its heads.
const HEADS: usize = 4 << 10;

/// A member that was skimmed.
pub(crate) struct Skimmed<'a> {
    /// The head of its record.
    pub head: RecordHead<'a>,
    /// The start of the block, its HTTP head included.
    pub block: &'a [u8],
    /// The member's compressed length.
    pub length: usize,
}

/// Skims the member that starts `bytes`. `at_end`: the file ends with them. `None`: inflate it whole.
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
    let probe = probe.get_or_insert_with(|| Decompress::new(false));
    probe.reset(false);
    heads.resize(HEADS, 0);
    probe.decompress(&bytes[start..], heads, FlushDecompress::None).ok()?;
    let heads = &heads[..probe.total_out() as usize];
    if !record::is_version_line(heads) {
        return None;
    }
    let block_start = head_length(heads, 0)?;
    let head = record::parse(&heads[..block_start]);
    let block = &heads[block_start..];
    if http::is_response(block) {
        http::response_head_length(block)?;
    }
    let inflated = (block_start as u64).checked_add(head.content_length?)?.checked_add(4)?;
    let size = ((inflated & 0xffff_ffff) as u32).to_le_bytes();
    let is_end = |at: usize| bytes.get(at.checked_sub(4)?..at).map(|found| found == size);
    let mut next = first;
    while let Some(at) = next {
        if is_end(at) == Some(true) {
            return Some(Skimmed { head, block, length: at });
        }
        next = gzip::find_magic(bytes, at + 1);
    }
    (at_end && is_end(bytes.len()) == Some(true)).then_some(Skimmed { head, block, length: bytes.len() })
}
