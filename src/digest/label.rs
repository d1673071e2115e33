//! Reads and writes digest labels such as `sha1:3I42H3S6NN…`, in base32 or hexadecimal.
//!
//! The same digest is spelled in many ways: `sha1:` with base32 (most writers) or hex (brozzler#213), `sha256:` with
//! hex or base64, `sha-256:`, `md5:`, `blake3:`; CDX has bare base32. All become (algorithm, bytes) before anything
//! is compared; the encoding follows from the length of the text. SHA-1 is written as base32, as is usual, the others as hex.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A digest algorithm that archives use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Algorithm {
    Md5,
    /// By far the most common.
    Sha1,
    Sha256,
    Sha512,
    Blake3,
}

impl Algorithm {
    /// The label before the colon.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Md5 => "md5",
            Algorithm::Sha1 => "sha1",
            Algorithm::Sha256 => "sha256",
            Algorithm::Sha512 => "sha512",
            Algorithm::Blake3 => "blake3",
        }
    }

    /// The length of a digest in bytes.
    pub fn length(self) -> usize {
        match self {
            Algorithm::Md5 => 16,
            Algorithm::Sha1 => 20,
            Algorithm::Sha256 | Algorithm::Blake3 => 32,
            Algorithm::Sha512 => 64,
        }
    }

    /// The algorithm with this label, in any spelling.
    pub fn from_name(name: &str) -> Option<Self> {
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        Some(match () {
            () if is("sha1") || is("sha-1") => Algorithm::Sha1,
            () if is("sha256") || is("sha-256") => Algorithm::Sha256,
            () if is("sha512") || is("sha-512") => Algorithm::Sha512,
            () if is("md5") || is("md-5") => Algorithm::Md5,
            () if is("blake3") || is("blake-3") => Algorithm::Blake3,
            () => return None,
        })
    }
}

/// A digest: algorithm and bytes, however it was spelled.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest {
    algorithm: Algorithm,
    bytes: [u8; 64],
}

impl Digest {
    /// The digest with these bytes; `None` if their number is wrong for the algorithm.
    pub fn new(algorithm: Algorithm, digest: &[u8]) -> Option<Self> {
        let mut bytes = [0; 64];
        (digest.len() == algorithm.length()).then(|| bytes[..digest.len()].copy_from_slice(digest))?;
        Some(Digest { algorithm, bytes })
    }

    /// The digest from an implementation's output; cut or padded to the algorithm's length.
    pub(super) fn of_bytes(algorithm: Algorithm, digest: &[u8]) -> Self {
        let mut bytes = [0; 64];
        let length = digest.len().min(algorithm.length());
        bytes[..length].copy_from_slice(&digest[..length]);
        Digest { algorithm, bytes }
    }

    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.algorithm.length()]
    }

    /// Parses `label:value`, and a bare value as CDX has it (SHA-1 in base32 or hex, SHA-256 or MD5 in hex).
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some((label, value)) = text.split_once(':') {
            let algorithm = Algorithm::from_name(label)?;
            return Self::decode(algorithm, value.trim().as_bytes());
        }
        let algorithm = match text.len() {
            32 if text.bytes().all(|byte| byte.is_ascii_hexdigit())
                && text.bytes().any(|b| b"0189".contains(&b)) =>
            {
                Algorithm::Md5
            }
            32 | 40 => Algorithm::Sha1,
            64 => Algorithm::Sha256,
            _ => return None,
        };
        Self::decode(algorithm, text.as_bytes())
    }

    fn decode(algorithm: Algorithm, value: &[u8]) -> Option<Self> {
        let value = value.strip_prefix(b"0x").unwrap_or(value);
        let length = algorithm.length();
        let unpadded = value.len() - value.iter().rev().take_while(|byte| **byte == b'=').count();
        let value_unpadded = &value[..unpadded];
        let mut bytes = [0; 64];
        // Hex is twice as long, base32 8/5, base64 4/3: no two coincide for any of the algorithms.
        let filled = if unpadded == length * 2 {
            decode_base::<4>(value_unpadded, &HEX, &mut bytes)
        } else if unpadded == (length * 8).div_ceil(5) {
            decode_base::<5>(value_unpadded, &BASE32, &mut bytes)
        } else if unpadded == (length * 8).div_ceil(6) {
            decode_base::<6>(value_unpadded, &BASE64, &mut bytes)
        } else {
            None
        }?;
        (filled == length).then_some(Digest { algorithm, bytes })
    }

    /// Whether this is the digest of zero bytes: on a revisit it means "no digest" (openwayback#224).
    pub fn is_of_empty(&self) -> bool {
        const SHA1: [u8; 4] = [0xda, 0x39, 0xa3, 0xee];
        const SHA256: [u8; 4] = [0xe3, 0xb0, 0xc4, 0x42];
        const MD5: [u8; 4] = [0xd4, 0x1d, 0x8c, 0xd9];
        const SHA512: [u8; 4] = [0xcf, 0x83, 0xe1, 0x35];
        const BLAKE3: [u8; 4] = [0xaf, 0x13, 0x49, 0xb9];
        let head = match self.algorithm {
            Algorithm::Sha1 => SHA1,
            Algorithm::Sha256 => SHA256,
            Algorithm::Md5 => MD5,
            Algorithm::Sha512 => SHA512,
            Algorithm::Blake3 => BLAKE3,
        };
        self.bytes[..4] == head
    }
}

/// Decodes text of `BITS` bits per letter; `None` if a letter has no value or `out` is full.
fn decode_base<const BITS: usize>(text: &[u8], values: &[u8; 256], out: &mut [u8; 64]) -> Option<usize> {
    let (mut filled, mut seen) = (0, 0);
    // Eight letters make `BITS` bytes.
    for letters in text.chunks(8) {
        let mut buffer = 0u64;
        for letter in letters {
            let value = values[usize::from(*letter)];
            seen |= value;
            buffer = buffer << BITS | u64::from(value);
        }
        let (length, left) = (letters.len() * BITS / 8, letters.len() * BITS % 8);
        let bytes = (buffer >> left).to_be_bytes();
        out.get_mut(filled..filled + length)?.copy_from_slice(&bytes[8 - length..]);
        filled += length;
    }
    (seen < 1 << BITS).then_some(filled)
}

/// Marks a letter without a value in a table: larger than any value.
const NO_VALUE: u8 = 255;

/// The value of every letter of an alphabet, ignoring case if `folded`. A table, because archives are full of digests.
const fn values(alphabet: &[u8], folded: bool) -> [u8; 256] {
    let mut values = [NO_VALUE; 256];
    let mut value = 0;
    while value < alphabet.len() {
        values[alphabet[value] as usize] = value as u8;
        if folded {
            values[alphabet[value].to_ascii_lowercase() as usize] = value as u8;
        }
        value += 1;
    }
    values
}

static HEX: [u8; 256] = values(b"0123456789ABCDEF", true);
static BASE32: [u8; 256] = values(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", true);
static BASE64: [u8; 256] = {
    let mut values = values(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", false);
    // The alphabet for URLs.
    (values[b'-' as usize], values[b'_' as usize]) = (62, 63);
    values
};

/// The text of a digest, on the stack: a row of a table has several.
struct Label {
    text: [u8; 136],
    length: usize,
}

impl Label {
    fn new(name: &str) -> Self {
        let mut label = Label { text: [0; 136], length: 0 };
        name.bytes().chain([b':']).for_each(|byte| label.push(byte));
        label
    }

    fn push(&mut self, byte: u8) {
        self.text[self.length] = byte;
        self.length += 1;
    }

    fn hex(mut self, bytes: &[u8]) -> Self {
        for byte in bytes {
            self.push(b"0123456789abcdef"[usize::from(byte >> 4)]);
            self.push(b"0123456789abcdef"[usize::from(byte & 15)]);
        }
        self
    }

    fn base32(mut self, bytes: &[u8]) -> Self {
        let (mut buffer, mut held) = (0u32, 0);
        for byte in bytes {
            buffer = (buffer << 8) | u32::from(*byte);
            held += 8;
            while held >= 5 {
                held -= 5;
                self.push(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[(buffer >> held) as usize & 31]);
            }
        }
        self
    }

    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.text[..self.length]).unwrap_or_default()
    }
}

impl Digest {
    fn label(&self) -> Label {
        let label = Label::new(self.algorithm.name());
        match self.algorithm {
            Algorithm::Sha1 => label.base32(self.bytes()),
            _ => label.hex(self.bytes()),
        }
    }
}

impl BodyDigest {
    fn label(&self) -> Label {
        Label::new("blake3").hex(&self.0)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label().as_str())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// BLAKE3 of a body, written `blake3:` and hex.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyDigest(pub [u8; 32]);

impl fmt::Display for BodyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label().as_str())
    }
}

impl fmt::Debug for BodyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not a digest in any known spelling.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a digest: {0:?}")]
pub struct NotADigest(String);

impl FromStr for Digest {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Self, NotADigest> {
        Digest::parse(text).ok_or_else(|| NotADigest(text.to_owned()))
    }
}

impl FromStr for BodyDigest {
    type Err = NotADigest;

    fn from_str(text: &str) -> Result<Self, NotADigest> {
        match Digest::parse(text) {
            Some(digest) if digest.algorithm == Algorithm::Blake3 => {
                digest.bytes().try_into().map(BodyDigest).map_err(|_| NotADigest(text.to_owned()))
            }
            _ => Err(NotADigest(text.to_owned())),
        }
    }
}

macro_rules! serde_as_text {
    ($type:ty) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.label().as_str())
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

serde_as_text!(Digest);
serde_as_text!(BodyDigest);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_one_digest_is_the_same_digest() {
        let empty = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";
        for spelling in [
            empty,
            "SHA-1:3i42h3s6nnfq2msvx7xzkyayscx5qbyj",
            "sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709",
            "sha1:2jmj7l5rSw0yVb/vlWAYkK/YBwk=",
            "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
            "DA39A3EE5E6B4B0D3255BFEF95601890AFD80709",
        ] {
            let digest = Digest::parse(spelling).unwrap_or_else(|| panic!("{spelling}"));
            assert_eq!(digest.to_string(), empty, "{spelling}");
            assert!(digest.is_of_empty());
        }
        let sha256 = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(
            Digest::parse("sha-256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=").unwrap().to_string(),
            sha256
        );
        assert_eq!(
            Digest::parse("sha256:4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ====")
                .unwrap()
                .to_string(),
            sha256
        );
        assert_eq!(
            Digest::parse("md5:d41d8cd98f00b204e9800998ecf8427e"),
            Digest::parse("d41d8cd98f00b204e9800998ecf8427e")
        );
    }

    #[test]
    fn what_is_no_digest_is_none() {
        for text in ["", "-", "sha1:", "sha1:xyz", "crc32:00000000", "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBY1"]
        {
            assert_eq!(Digest::parse(text), None, "{text}");
        }
    }
}
