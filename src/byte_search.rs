//! Searches for bytes, sixteen at a time.
//!
//! Two marks of a page are about ten bytes apart: too close for `memchr`, which first checks the processor's features on
//! every call, and too far for a loop over single bytes.

/// Bytes compared at once.
pub(crate) const LANES: usize = 16;

/// The next [`LANES`] bytes at `at`, if there are that many.
#[inline(always)]
pub(crate) fn lanes(data: &[u8], at: usize) -> Option<&[u8; LANES]> {
    data.get(at..)?.first_chunk()
}

/// One bit per byte: set where it is `one` or `other`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn marks(chunk: &[u8; LANES], one: u8, other: u8) -> u32 {
    use std::arch::x86_64::{
        _mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8,
    };
    // SAFETY: sixteen bytes are read from an array of sixteen; every x86-64 processor has these instructions.
    unsafe {
        let bytes = _mm_loadu_si128(chunk.as_ptr().cast());
        let is = |byte: u8| _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte as i8));
        _mm_movemask_epi8(_mm_or_si128(is(one), is(other))) as u32
    }
}

/// One bit per byte: set where it is `one` or `other`.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(crate) fn marks(chunk: &[u8; LANES], one: u8, other: u8) -> u32 {
    let is = |byte: u8| u32::from(byte == one) | u32::from(byte == other);
    chunk.iter().rev().fold(0, |marks, byte| marks << 1 | is(*byte))
}

/// One bit per byte: set where it is not a visible ASCII character.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) fn unprintable(chunk: &[u8; LANES]) -> u32 {
    use std::arch::x86_64::{
        _mm_cmpgt_epi8, _mm_cmplt_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8,
    };
    // SAFETY: as above. The comparison is signed, so bytes from 128 on are less than all others.
    unsafe {
        let bytes = _mm_loadu_si128(chunk.as_ptr().cast());
        let low = _mm_cmplt_epi8(bytes, _mm_set1_epi8(b'!' as i8));
        let high = _mm_cmpgt_epi8(bytes, _mm_set1_epi8(b'~' as i8));
        _mm_movemask_epi8(_mm_or_si128(low, high)) as u32
    }
}

/// One bit per byte: set where it is not a visible ASCII character.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(crate) fn unprintable(chunk: &[u8; LANES]) -> u32 {
    chunk.iter().rev().fold(0, |marks, byte| marks << 1 | u32::from(!byte.is_ascii_graphic()))
}

/// Whether `data` has any of the three bytes.
#[inline]
pub(crate) fn any(data: &[u8], bytes: [u8; 3]) -> bool {
    let is_in =
        |chunk: &[u8; LANES]| marks(chunk, bytes[0], bytes[1]) | marks(chunk, bytes[2], bytes[2]) != 0;
    let (chunks, rest) = data.as_chunks();
    match data.last_chunk() {
        // The last chunk overlaps the one before it: cheaper than a loop over the rest.
        Some(last) => chunks.iter().any(is_in) || (!rest.is_empty() && is_in(last)),
        None => rest.iter().any(|byte| bytes.contains(byte)),
    }
}

/// The position of the next of two bytes, from `at` on.
#[inline(always)]
pub(crate) fn find2(one: u8, other: u8, data: &[u8], mut at: usize) -> Option<usize> {
    // Beyond 128 bytes, memchr's wider registers pay.
    for _ in 0..8 {
        let Some(chunk) = lanes(data, at) else { break };
        let marks = marks(chunk, one, other);
        if marks != 0 {
            return Some(at + marks.trailing_zeros() as usize);
        }
        at += LANES;
    }
    Some(at + memchr::memchr2(one, other, data.get(at..)?)?)
}

/// The position of the next `byte`, from `at` on.
#[inline(always)]
pub(crate) fn find(byte: u8, data: &[u8], at: usize) -> Option<usize> {
    find2(byte, byte, data, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_byte_is_found_at_any_position() {
        for length in [0, 1, 15, 16, 17, 100, 127, 128, 129, 200, 1000] {
            let mut data = vec![b'x'; length];
            for from in [0, 3, length] {
                assert_eq!(find2(b'<', b'>', &data, from), None);
            }
            for place in 0..length {
                data[place] = b'>';
                assert_eq!(find2(b'<', b'>', &data, 0), Some(place));
                assert_eq!(find(b'>', &data, place), Some(place));
                assert_eq!(find(b'>', &data, place + 1), None);
                assert_eq!(find(b'<', &data, 0), None);
                data[place] = b'x';
            }
        }
        assert_eq!(find(b'x', b"x", 2), None);
    }
}
