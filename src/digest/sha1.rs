//! SHA-1, alone and two streams at a time.
//!
//! Every record of most archives declares two SHA-1 digests, of its block and of its payload, and the payload is the
//! tail of the block. The SHA instructions of x86 have long latencies and are pipelined: one stream leaves the unit idle
//! most of the time, two independent streams interleaved take little longer than one. [`Sha1::update_pair`] does
//! that; `benches/digest.rs` measures it. Where the processor has no such instructions, and for a single stream, the
//! compression function is that of the `sha1` crate.

/// The running state of one SHA-1: 96 bytes, made without allocation.
#[derive(Clone)]
pub(crate) struct Sha1 {
    state: [u32; 5],
    /// Bytes hashed so far; the last `length % 64` of them wait in `buffer`.
    length: u64,
    buffer: [u8; 64],
}

impl Default for Sha1 {
    fn default() -> Self {
        Sha1::new()
    }
}

impl Sha1 {
    /// The state before any byte (FIPS 180-4, 5.3.1).
    pub(crate) fn new() -> Self {
        let state = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
        Sha1 { state, length: 0, buffer: [0; 64] }
    }

    /// Hashes more bytes.
    pub(crate) fn update(&mut self, data: &[u8]) {
        let (blocks, tail) = self.fill(data).as_chunks::<64>();
        compress(&mut self.state, blocks);
        self.keep(tail, data.len());
    }

    /// Hashes more bytes of two streams at once, as `a.update(data_a); b.update(data_b)` would.
    pub(crate) fn update_pair(a: &mut Sha1, data_a: &[u8], b: &mut Sha1, data_b: &[u8]) {
        let (blocks_a, tail_a) = a.fill(data_a).as_chunks::<64>();
        let (blocks_b, tail_b) = b.fill(data_b).as_chunks::<64>();
        compress_pair(&mut a.state, blocks_a, &mut b.state, blocks_b);
        a.keep(tail_a, data_a.len());
        b.keep(tail_b, data_b.len());
    }

    /// The digest of all bytes.
    pub(crate) fn finish(mut self) -> [u8; 20] {
        let (padding, blocks) = self.padding();
        compress(&mut self.state, &padding[..blocks]);
        self.bytes()
    }

    /// The digests of two streams, their last blocks compressed together.
    pub(crate) fn finish_pair(mut a: Sha1, mut b: Sha1) -> ([u8; 20], [u8; 20]) {
        let ((padding_a, blocks_a), (padding_b, blocks_b)) = (a.padding(), b.padding());
        compress_pair(&mut a.state, &padding_a[..blocks_a], &mut b.state, &padding_b[..blocks_b]);
        (a.bytes(), b.bytes())
    }

    /// Completes the waiting block, if there is one, and gives back what is left of `data`.
    fn fill<'a>(&mut self, data: &'a [u8]) -> &'a [u8] {
        let waiting = (self.length % 64) as usize;
        if waiting == 0 {
            return data;
        }
        let (head, rest) = data.split_at(data.len().min(64 - waiting));
        self.buffer[waiting..waiting + head.len()].copy_from_slice(head);
        if waiting + head.len() == 64 {
            compress(&mut self.state, &[self.buffer]);
        }
        rest
    }

    /// Keeps what does not make a whole block. It is empty where [`Sha1::fill`] left the buffer incomplete.
    fn keep(&mut self, tail: &[u8], hashed: usize) {
        self.buffer[..tail.len()].copy_from_slice(tail);
        self.length += hashed as u64;
    }

    /// The last one or two blocks: the waiting bytes, 0x80, zeros, and the length in bits.
    fn padding(&self) -> ([[u8; 64]; 2], usize) {
        let waiting = (self.length % 64) as usize;
        let mut bytes = [0; 128];
        bytes[..waiting].copy_from_slice(&self.buffer[..waiting]);
        bytes[waiting] = 0x80;
        let blocks = if waiting < 56 { 1 } else { 2 };
        bytes[blocks * 64 - 8..blocks * 64].copy_from_slice(&(self.length.wrapping_mul(8)).to_be_bytes());
        let (halves, _) = bytes.as_chunks::<64>();
        ([halves[0], halves[1]], blocks)
    }

    fn bytes(&self) -> [u8; 20] {
        let mut bytes = [0; 20];
        for (out, word) in bytes.chunks_exact_mut(4).zip(self.state) {
            out.copy_from_slice(&word.to_be_bytes());
        }
        bytes
    }
}

fn compress(state: &mut [u32; 5], blocks: &[[u8; 64]]) {
    if !blocks.is_empty() {
        sha1::block_api::compress(state, blocks);
    }
}

/// Compresses two streams: together as far as both reach, the rest of the longer one alone.
fn compress_pair(a: &mut [u32; 5], blocks_a: &[[u8; 64]], b: &mut [u32; 5], blocks_b: &[[u8; 64]]) {
    let mut together = 0;
    #[cfg(target_arch = "x86_64")]
    if interleaved::is_available() {
        together = blocks_a.len().min(blocks_b.len());
        // SAFETY: the processor has the instructions, as just asked.
        unsafe { interleaved::compress(a, &blocks_a[..together], b, &blocks_b[..together]) };
    }
    compress(a, &blocks_a[together..]);
    compress(b, &blocks_b[together..]);
}

#[cfg(target_arch = "x86_64")]
mod interleaved {
    use std::arch::x86_64::{
        __m128i, _mm_add_epi32, _mm_extract_epi32, _mm_loadu_si128, _mm_set_epi8, _mm_set_epi32,
        _mm_sha1msg1_epu32, _mm_sha1msg2_epu32, _mm_sha1nexte_epu32, _mm_sha1rnds4_epu32, _mm_shuffle_epi8,
        _mm_xor_si128,
    };

    /// Whether the processor has the SHA instructions and what goes with them. The answer is cached by `std`.
    pub(super) fn is_available() -> bool {
        is_x86_feature_detected!("sha")
            && is_x86_feature_detected!("ssse3")
            && is_x86_feature_detected!("sse4.1")
    }

    /// One stream between blocks: a, b, c, d in one register, e in the top lane of another.
    #[derive(Clone, Copy)]
    struct Lane {
        abcd: __m128i,
        e: __m128i,
    }

    #[target_feature(enable = "sha,sse2,ssse3,sse4.1")]
    fn load(state: &[u32; 5]) -> Lane {
        let [a, b, c, d, e] = state.map(u32::cast_signed);
        Lane { abcd: _mm_set_epi32(a, b, c, d), e: _mm_set_epi32(e, 0, 0, 0) }
    }

    #[target_feature(enable = "sha,sse2,ssse3,sse4.1")]
    fn store(lane: Lane, state: &mut [u32; 5]) {
        *state = [
            _mm_extract_epi32::<3>(lane.abcd),
            _mm_extract_epi32::<2>(lane.abcd),
            _mm_extract_epi32::<1>(lane.abcd),
            _mm_extract_epi32::<0>(lane.abcd),
            _mm_extract_epi32::<3>(lane.e),
        ]
        .map(i32::cast_unsigned);
    }

    /// The sixteen big-endian words of a block, four to a register, the first word in the top lane.
    #[target_feature(enable = "sha,sse2,ssse3,sse4.1")]
    fn words(block: &[u8; 64]) -> [__m128i; 4] {
        let reversed = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let (quarters, _) = block.as_chunks::<16>();
        [0, 1, 2, 3].map(|quarter| {
            // SAFETY: a quarter is 16 readable bytes, and the load needs no alignment.
            let bytes = unsafe { _mm_loadu_si128(quarters[quarter].as_ptr().cast()) };
            _mm_shuffle_epi8(bytes, reversed)
        })
    }

    /// The eighty rounds of both streams, four rounds of one beside four of the other.
    #[target_feature(enable = "sha,sse2,ssse3,sse4.1")]
    pub(super) fn compress(a: &mut [u32; 5], blocks_a: &[[u8; 64]], b: &mut [u32; 5], blocks_b: &[[u8; 64]]) {
        let mut lanes = [load(a), load(b)];
        for (block_a, block_b) in blocks_a.iter().zip(blocks_b) {
            let before = lanes;
            let mut w = [words(block_a), words(block_b)];
            // Four rounds: the rotated `a` of four rounds ago is added to the next four words as their `e`.
            macro_rules! four_rounds {
                ($step:literal, $function:literal) => {
                    for lane in 0..2 {
                        let w = &mut w[lane];
                        if $step >= 4 {
                            let mixed = _mm_xor_si128(
                                _mm_sha1msg1_epu32(w[$step % 4], w[($step + 1) % 4]),
                                w[($step + 2) % 4],
                            );
                            w[$step % 4] = _mm_sha1msg2_epu32(mixed, w[($step + 3) % 4]);
                        }
                        let Lane { abcd, e } = lanes[lane];
                        let e = if $step == 0 {
                            _mm_add_epi32(e, w[0])
                        } else {
                            _mm_sha1nexte_epu32(e, w[$step % 4])
                        };
                        lanes[lane] = Lane { abcd: _mm_sha1rnds4_epu32::<$function>(abcd, e), e: abcd };
                    }
                };
            }
            macro_rules! twenty_rounds {
                ($function:literal, $($step:literal)*) => { $(four_rounds!($step, $function);)* };
            }
            twenty_rounds!(0, 0 1 2 3 4);
            twenty_rounds!(1, 5 6 7 8 9);
            twenty_rounds!(2, 10 11 12 13 14);
            twenty_rounds!(3, 15 16 17 18 19);
            for lane in 0..2 {
                lanes[lane].abcd = _mm_add_epi32(lanes[lane].abcd, before[lane].abcd);
                lanes[lane].e = _mm_sha1nexte_epu32(lanes[lane].e, before[lane].e);
            }
        }
        store(lanes[0], a);
        store(lanes[1], b);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sha1::Digest as _;

    use super::*;

    fn reference(data: &[u8]) -> [u8; 20] {
        sha1::Sha1::digest(data).into()
    }

    #[test]
    fn the_examples_of_the_standard() {
        // FIPS 180-2, appendix A.
        let mut sha1 = Sha1::new();
        sha1.update(b"abc");
        assert_eq!(sha1.finish()[..4], [0xa9, 0x99, 0x3e, 0x36]);
        let mut million = Sha1::new();
        (0..1000).for_each(|_| million.update(&[b'a'; 1000]));
        assert_eq!(million.finish()[..4], [0x34, 0xaa, 0x97, 0x3c]);
    }

    #[test]
    fn every_length_up_to_three_blocks_agrees_with_the_reference() {
        let data: Vec<u8> = (0..200u8).collect();
        for length in 0..data.len() {
            let (mut a, mut b) = (Sha1::new(), Sha1::new());
            Sha1::update_pair(&mut a, &data[..length], &mut b, &data[length..]);
            assert_eq!(
                Sha1::finish_pair(a, b),
                (reference(&data[..length]), reference(&data[length..])),
                "{length}"
            );
        }
    }

    proptest! {
        #[test]
        fn pairs_fed_in_any_pieces_agree_with_the_reference(
            data in prop::collection::vec(any::<u8>(), 0..3000),
            steps in prop::collection::vec((0usize..400, 0usize..400, any::<bool>()), 0..20),
        ) {
            let (mut a, mut b) = (Sha1::new(), Sha1::new());
            let (mut at_a, mut at_b) = (0, 0);
            for (step_a, step_b, paired) in steps.into_iter().chain([(3000, 3000, true)]) {
                let next_a = (at_a + step_a).min(data.len());
                let next_b = (at_b + step_b).min(data.len());
                if paired {
                    Sha1::update_pair(&mut a, &data[at_a..next_a], &mut b, &data[at_b..next_b]);
                } else {
                    a.update(&data[at_a..next_a]);
                    b.update(&data[at_b..next_b]);
                }
                (at_a, at_b) = (next_a, next_b);
            }
            prop_assert_eq!(a.clone().finish(), reference(&data));
            prop_assert_eq!(Sha1::finish_pair(a, b), (reference(&data), reference(&data)));
        }
    }
}
