//! Hashing while reading, in whichever algorithm a record declares.

use md5::Digest as _;

use super::sha1::Sha1;
use super::{Algorithm, Digest};

/// A running digest. Created for every record, so it stays small: only BLAKE3, whose state is two kilobytes and
/// which archives rarely declare, lies on the heap.
#[derive(Clone)]
pub struct Hasher(State);

#[derive(Clone)]
enum State {
    Md5(md5::Md5),
    Sha1(Sha1),
    Sha256(sha2::Sha256),
    Sha512(sha2::Sha512),
    Blake3(Box<blake3::Hasher>),
}

impl Hasher {
    /// A digest before any byte.
    pub fn new(algorithm: Algorithm) -> Self {
        Hasher(match algorithm {
            Algorithm::Md5 => State::Md5(md5::Md5::new()),
            Algorithm::Sha1 => State::Sha1(Sha1::new()),
            Algorithm::Sha256 => State::Sha256(sha2::Sha256::new()),
            Algorithm::Sha512 => State::Sha512(sha2::Sha512::new()),
            Algorithm::Blake3 => State::Blake3(Box::default()),
        })
    }

    pub fn algorithm(&self) -> Algorithm {
        match self.0 {
            State::Md5(_) => Algorithm::Md5,
            State::Sha1(_) => Algorithm::Sha1,
            State::Sha256(_) => Algorithm::Sha256,
            State::Sha512(_) => Algorithm::Sha512,
            State::Blake3(_) => Algorithm::Blake3,
        }
    }

    /// Hashes more bytes.
    pub fn update(&mut self, data: &[u8]) {
        match &mut self.0 {
            State::Md5(state) => state.update(data),
            State::Sha1(state) => state.update(data),
            State::Sha256(state) => state.update(data),
            State::Sha512(state) => state.update(data),
            State::Blake3(state) => {
                state.update(data);
            }
        }
    }

    /// Hashes more bytes of a block and of the payload in it; two SHA-1 are computed side by side, which costs little
    /// more than one. The slices may overlap or not, and may differ in length.
    pub fn update_both(block: &mut Hasher, block_data: &[u8], payload: &mut Hasher, payload_data: &[u8]) {
        if let (State::Sha1(block), State::Sha1(payload)) = (&mut block.0, &mut payload.0) {
            Sha1::update_pair(block, block_data, payload, payload_data);
        } else {
            block.update(block_data);
            payload.update(payload_data);
        }
    }

    /// The digest of all bytes.
    pub fn finish(self) -> Digest {
        let algorithm = self.algorithm();
        match self.0 {
            State::Md5(state) => Digest::of_bytes(algorithm, &state.finalize()),
            State::Sha1(state) => Digest::of_bytes(algorithm, &state.finish()),
            State::Sha256(state) => Digest::of_bytes(algorithm, &state.finalize()),
            State::Sha512(state) => Digest::of_bytes(algorithm, &state.finalize()),
            State::Blake3(state) => Digest::of_bytes(algorithm, state.finalize().as_bytes()),
        }
    }

    /// The digests of a block and of its payload.
    pub fn finish_both(block: Hasher, payload: Hasher) -> (Digest, Digest) {
        match (block.0, payload.0) {
            (State::Sha1(block), State::Sha1(payload)) => {
                let (block, payload) = Sha1::finish_pair(block, payload);
                (Digest::of_bytes(Algorithm::Sha1, &block), Digest::of_bytes(Algorithm::Sha1, &payload))
            }
            (block, payload) => (Hasher(block).finish(), Hasher(payload).finish()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Algorithm; 5] =
        [Algorithm::Md5, Algorithm::Sha1, Algorithm::Sha256, Algorithm::Sha512, Algorithm::Blake3];

    #[test]
    fn abc_hashes_to_the_published_values() {
        // RFC 1321, FIPS 180-2 and the BLAKE3 reference implementation.
        for (algorithm, digest) in ALL.into_iter().zip([
            "md5:900150983cd24fb0d6963f7d28e17f72",
            "sha1:a9993e364706816aba3e25717850c26c9cd0d89d",
            "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "sha512:ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
            "blake3:6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85",
        ]) {
            let mut hasher = Hasher::new(algorithm);
            hasher.update(b"a");
            hasher.update(b"bc");
            assert_eq!(Some(hasher.finish()), Digest::parse(digest));
        }
    }

    #[test]
    fn a_digest_of_nothing_is_known_as_such() {
        for algorithm in ALL {
            assert!(Hasher::new(algorithm).finish().is_of_empty(), "{algorithm:?}");
        }
    }

    #[test]
    fn both_is_the_same_as_one_after_the_other_in_any_two_algorithms() {
        let block: Vec<u8> = (0..1000u32).map(|number| (number * 7) as u8).collect();
        for (one, other) in ALL.into_iter().flat_map(|one| ALL.map(|other| (one, other))) {
            let (mut block_hasher, mut payload_hasher) = (Hasher::new(one), Hasher::new(other));
            Hasher::update_both(&mut block_hasher, &block[..300], &mut payload_hasher, &block[100..300]);
            Hasher::update_both(&mut block_hasher, &block[300..], &mut payload_hasher, &block[300..]);
            let (mut block_alone, mut payload_alone) = (Hasher::new(one), Hasher::new(other));
            block_alone.update(&block);
            payload_alone.update(&block[100..]);
            assert_eq!(
                Hasher::finish_both(block_hasher, payload_hasher),
                (block_alone.finish(), payload_alone.finish())
            );
        }
    }

    #[test]
    fn a_hasher_is_small() {
        assert!(size_of::<Hasher>() <= 256, "{}", size_of::<Hasher>());
    }
}
