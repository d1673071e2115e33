//! Digests in every spelling, computed and written without the code that is tested.

use md5::Md5;
use sha1::{Digest, Sha1};
use sha2::Sha256;

/// `sha1:` and base32, as most writers have it.
pub fn sha1(data: &[u8]) -> String {
    format!("sha1:{}", base(&Sha1::digest(data), 5, b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"))
}

/// The SHA-1 in hex.
pub fn sha1_hex(data: &[u8]) -> String {
    hex(&Sha1::digest(data))
}

/// The SHA-256 in hex.
pub fn sha256_hex(data: &[u8]) -> String {
    hex(&Sha256::digest(data))
}

/// The SHA-256 in base64 with padding.
pub fn sha256_base64(data: &[u8]) -> String {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    format!("{}=", base(&Sha256::digest(data), 6, letters))
}

/// The MD5 in hex.
pub fn md5_hex(data: &[u8]) -> String {
    hex(&Md5::digest(data))
}

/// The BLAKE3 in hex.
pub fn blake3_hex(data: &[u8]) -> String {
    blake3::hash(data).to_hex().to_string()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Digits of `bits` bits each, the last one padded with zeros.
fn base(bytes: &[u8], bits: usize, letters: &[u8]) -> String {
    let bit = |at: usize| bytes.get(at / 8).map_or(0, |byte| byte >> (7 - at % 8) & 1);
    (0..(bytes.len() * 8).div_ceil(bits))
        .map(|digit| (0..bits).fold(0, |value, at| value << 1 | usize::from(bit(digit * bits + at))))
        .map(|digit| char::from(letters[digit]))
        .collect()
}
