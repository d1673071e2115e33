//! Request headers that may have decided the response: those that `Vary` can name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer};
use serde_json::{Value as Json, json};

use super::bytes::{Reader, SharedNames};
use super::field::{Column, Field, Value, json_plain};

/// The headers that are kept, in lower case. `Accept-Encoding` is not: bodies are compared without their coding.
pub(crate) const HEADERS: [&str; 5] = ["accept", "accept-language", "authorization", "cookie", "user-agent"];

/// Short digests of the request headers that may have chosen the answer. Cookies and credentials are not kept as
/// text: only whether two requests had the same ones is of interest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Negotiation([Option<u64>; HEADERS.len()]);

impl Negotiation {
    /// Adds a header of the request; others than [`HEADERS`] are ignored, and of repeated ones the last counts.
    pub(crate) fn add(&mut self, name: &[u8], value: &[u8]) {
        let known = HEADERS.iter().position(|header| name.eq_ignore_ascii_case(header.as_bytes()));
        if let Some(at) = known {
            let hash = blake3::hash(value);
            self.0[at] = hash.as_bytes().first_chunk::<8>().map(|bytes| u64::from_le_bytes(*bytes));
        }
    }

    /// The headers of [`HEADERS`] in which two requests differ.
    pub fn differences(&self, other: &Negotiation) -> impl Iterator<Item = &'static str> {
        let pairs: [bool; HEADERS.len()] = std::array::from_fn(|at| self.0[at] != other.0[at]);
        HEADERS.into_iter().zip(pairs).filter(|(_, differ)| *differ).map(|(header, _)| header)
    }
}

impl fmt::Display for Negotiation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut space = "";
        for (header, hash) in HEADERS.iter().zip(self.0) {
            if let Some(hash) = hash {
                write!(formatter, "{space}{header}={hash:016x}")?;
                space = " ";
            }
        }
        Ok(())
    }
}

impl FromStr for Negotiation {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut negotiation = Negotiation::default();
        for part in text.split_ascii_whitespace() {
            let (name, hash) = part.split_once('=').ok_or("a header without a digest")?;
            let at = HEADERS.iter().position(|header| *header == name).ok_or("an unknown header")?;
            negotiation.0[at] = Some(u64::from_str_radix(hash, 16).map_err(|_| "not a digest")?);
        }
        Ok(negotiation)
    }
}

impl<'de> Deserialize<'de> for Negotiation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl Field for Negotiation {
    fn encode(&self, out: &mut Vec<u8>, _: &mut SharedNames) {
        out.push((0..HEADERS.len()).fold(0, |mask, at| mask | u8::from(self.0[at].is_some()) << at));
        self.0.iter().flatten().for_each(|hash| out.extend_from_slice(&hash.to_le_bytes()));
    }

    fn decode(reader: &mut Reader<'_>, _: &SharedNames) -> Option<Self> {
        let mask = reader.byte()?;
        let mut negotiation = Negotiation::default();
        for (at, hash) in negotiation.0.iter_mut().enumerate() {
            *hash = if mask >> at & 1 != 0 { Some(reader.word()?) } else { None };
        }
        Some(negotiation)
    }

    fn skip(reader: &mut Reader<'_>) -> Option<()> {
        let count = reader.byte()?.count_ones() as usize;
        reader.take(8 * count).map(drop)
    }

    fn json(&self, line: &mut Vec<u8>) {
        json_plain(line, self);
    }

    fn columns(name: &str, columns: &mut Vec<Column>) {
        String::columns(name, columns);
    }

    fn values<'a>(&'a self, give: &mut dyn FnMut(Value<'a>)) {
        give(Value::Text(self.to_string().into()));
    }

    fn schema() -> Json {
        json!({ "type": "string" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_differ_in_the_headers_that_differ() {
        let of = |fields: &[(&str, &str)]| {
            let mut negotiation = Negotiation::default();
            fields.iter().for_each(|(name, value)| negotiation.add(name.as_bytes(), value.as_bytes()));
            negotiation
        };
        let one = of(&[("User-Agent", "a"), ("Accept-Language", "de"), ("Host", "x")]);
        let other = of(&[("user-agent", "a"), ("accept-language", "en"), ("Cookie", "s=1")]);
        assert_eq!(one.differences(&other).collect::<Vec<_>>(), ["accept-language", "cookie"]);
        assert_eq!(one.differences(&one).count(), 0);
        assert_eq!(one.to_string().parse(), Ok(one));
        assert_eq!(other.to_string().parse(), Ok(other));
        assert!(!one.to_string().contains("de "), "{one}");
        assert_eq!("".parse(), Ok(Negotiation::default()));
        assert!("x=1".parse::<Negotiation>().is_err());
    }
}
