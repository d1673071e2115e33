//! Hexadecimal digits, and the SHA-256 of bytes in them.

use super::{Algorithm, Digest, Hasher};

/// The hexadecimal digits of bytes.
pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        for half in [byte >> 4, byte & 15] {
            digits.push(char::from(b"0123456789abcdef"[usize::from(half)]));
        }
    }
    digits
}

impl Digest {
    /// Its hexadecimal digits, without the name of the algorithm.
    pub(crate) fn hex(&self) -> String {
        hex(self.bytes())
    }
}

/// SHA-256 of some bytes, in hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    let mut hasher = Hasher::new(Algorithm::Sha256);
    hasher.update(bytes);
    hasher.finish().hex()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sha256_is_that_of_the_standard() {
        assert_eq!(hex(&[0, 0x0f, 0xa5, 0xff]), "000fa5ff");
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(b"abc"), expected);
    }
}
