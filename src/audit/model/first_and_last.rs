//! The first and the last capture of a page and what they show, for comparing crawls that are audited apart.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::digest::{Algorithm, BodyDigest, Digest};
use crate::time::Instant;

/// The first and the last capture that show a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstAndLast {
    pub first: CaptureContent,
    pub last: CaptureContent,
}

/// What a capture showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaptureContent {
    pub at: Instant,
    /// Null: it says that it repeats a capture which is not in these archives.
    pub content: Option<Content>,
}

/// Enough of an answer to tell whether another one is the same: `200 blake3:0123456789abcdef`, the status and the begin of a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Content {
    status: u16,
    algorithm: Algorithm,
    head: u64,
}

fn head(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).fold(0, |head, byte| head << 8 | u64::from(*byte))
}

impl Content {
    /// Of a body whose digest was computed, or else was declared.
    pub(crate) fn of(
        status: Option<u16>,
        body: Option<BodyDigest>,
        declared: Option<Digest>,
    ) -> Option<Self> {
        let status = status.unwrap_or(0);
        match (body, declared) {
            (Some(body), _) => Some(Content { status, algorithm: Algorithm::Blake3, head: head(&body.0) }),
            (None, Some(digest)) => {
                Some(Content { status, algorithm: digest.algorithm(), head: head(digest.bytes()) })
            }
            (None, None) => None,
        }
    }

    /// The status, where it says that the page is gone.
    pub(crate) fn gone(self) -> Option<u16> {
        Some(self.status).filter(|status| matches!(status, 404 | 410))
    }

    /// Whether the two are different; `None` where their digests do not compare.
    pub(crate) fn differs(self, other: Content) -> Option<bool> {
        (self.algorithm == other.algorithm).then_some(self != other)
    }
}

impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}:{:016x}", self.status, self.algorithm.name(), self.head)
    }
}

impl From<Content> for String {
    fn from(content: Content) -> Self {
        content.to_string()
    }
}

impl FromStr for Content {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = || {
            let (status, digest) = text.split_once(' ')?;
            let (name, head) = digest.split_once(':').filter(|(_, head)| head.len() == 16)?;
            Some(Content {
                status: status.parse().ok()?,
                algorithm: Algorithm::from_name(name)?,
                head: u64::from_str_radix(head, 16).ok()?,
            })
        };
        parsed().ok_or_else(|| format!("not a content: {text:?}"))
    }
}

impl TryFrom<String> for Content {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_written_read_and_compared() {
        let of = |status, byte: u8| Content::of(Some(status), Some(BodyDigest([byte; 32])), None).unwrap();
        assert_eq!(of(200, 0xab).to_string(), "200 blake3:abababababababab");
        assert_eq!(of(200, 0xab).to_string().parse::<Content>().unwrap(), of(200, 0xab));
        assert_eq!(of(200, 1).differs(of(200, 1)), Some(false));
        assert_eq!(of(200, 1).differs(of(200, 2)), Some(true));
        assert_eq!(of(200, 1).differs(of(404, 1)), Some(true));
        let declared = Content::of(Some(200), None, Digest::new(Algorithm::Sha1, &[1; 20])).unwrap();
        assert_eq!(declared.differs(of(200, 1)), None);
        for bad in ["", "200", "200 blake3:12", "x blake3:0123456789abcdef", "200 crc:0123456789abcdef"] {
            assert!(bad.parse::<Content>().is_err(), "{bad}");
        }
    }
}
