//! Values as compact bytes, for the fields of observations that wait in memory or in a temporary file.

use std::collections::HashMap;
use std::sync::Arc;

use crate::digest::{Algorithm, BodyDigest, Digest};
use crate::time::Instant;

/// Strings that many observations share, by number.
#[derive(Default)]
pub struct SharedNames {
    names: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
    last: u32,
}

impl SharedNames {
    /// The number of a string, which is added if it is new.
    pub(crate) fn number(&mut self, name: &Arc<str>) -> u64 {
        // Neighbours mostly share their file and writer.
        if self.names.get(self.last as usize).is_some_and(|last| Arc::ptr_eq(last, name)) {
            return u64::from(self.last);
        }
        let number = match self.numbers.get(name) {
            Some(number) => *number,
            None => {
                let number = self.names.len() as u32;
                self.names.push(name.clone());
                self.numbers.insert(name.clone(), number);
                number
            }
        };
        self.last = number;
        u64::from(number)
    }

    pub(crate) fn name(&self, number: u64) -> Option<Arc<str>> {
        self.names.get(usize::try_from(number).ok()?).cloned()
    }

    /// The string of a number; empty if no string has it.
    pub fn text(&self, number: u64) -> &str {
        usize::try_from(number).ok().and_then(|number| self.names.get(number)).map_or("", |name| name)
    }
}

/// Appends a number, seven bits a byte.
pub(crate) fn put_number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a text behind its length.
pub(crate) fn put_text(out: &mut Vec<u8>, text: &str) {
    put_number(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// Appends a digest behind the number of its algorithm.
pub(crate) fn put_digest(out: &mut Vec<u8>, digest: &Digest) {
    out.push(digest.algorithm() as u8);
    out.extend_from_slice(digest.bytes());
}

/// Reads what the functions above wrote. Every method gives `None` where the bytes end early.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'a> {
    /// What is not read yet.
    pub rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        let (mut value, mut shift) = (0, 0u32);
        loop {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte < 0x80 {
                return Some(value);
            }
        }
    }

    pub(crate) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        self.take(length)
    }

    pub(crate) fn str(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    pub(crate) fn word(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    pub(crate) fn time(&mut self) -> Option<Instant> {
        Some(Instant(self.word()? as i64))
    }

    pub(crate) fn digest(&mut self) -> Option<Digest> {
        const ALGORITHMS: [Algorithm; 5] =
            [Algorithm::Md5, Algorithm::Sha1, Algorithm::Sha256, Algorithm::Sha512, Algorithm::Blake3];
        let algorithm = *ALGORITHMS.get(usize::from(self.byte()?))?;
        Digest::new(algorithm, self.take(algorithm.length())?)
    }

    pub(crate) fn body(&mut self) -> Option<BodyDigest> {
        Some(BodyDigest(self.take(32)?.try_into().ok()?))
    }
}
