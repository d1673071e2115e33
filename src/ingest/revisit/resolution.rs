//! What a revisit refers to, as bytes of fixed length: it is known last, and filled in where the encoded revisit is.

use crate::capture::{AtOdds, ResolvedBy};
use crate::digest::BodyDigest;

/// Length of the last bytes of every encoded revisit, its resolution: fixed, so that it can be written in place.
///
/// Rank, how it was found, what is known (a bit each: file, offset, body), what contradicts (the next three bits), whether it
/// is unchecked and whether the length is known (the next ones), number of the file, offset, body, length.
pub(crate) const RESOLUTION_LENGTH: usize = 1 + 1 + 1 + 4 + 8 + 32 + 8;

/// How good a resolution is: the lower, the better.
pub(crate) type Rank = u8;

/// No original was found in this run.
pub(crate) const UNRESOLVED: Rank = Rank::MAX;

const NO_RESOLVED_BY: u8 = u8::MAX;

/// What a revisit turned out to refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Resolution {
    /// How good the resolution is.
    pub rank: Rank,
    /// How the original was found.
    pub by: Option<ResolvedBy>,
    /// The number of the file that holds it.
    pub file: Option<u32>,
    pub offset: Option<u64>,
    /// Its length there, where it stands alone.
    pub length: Option<u64>,
    /// Its body, unless they are at odds.
    pub body: Option<BodyDigest>,
    /// Why the revisit says nothing about that body.
    pub at_odds: Option<AtOdds>,
    /// Its digest could not be compared with one of the original.
    pub unchecked: bool,
}

impl Resolution {
    /// With what a table tells of the same two records: they were compared when it was made, and may be out of reach by now.
    pub(crate) fn checked_by(self, told: &Resolution) -> Self {
        let is_same = told.rank == UNRESOLVED && told.file.is_some() && told.offset.is_some();
        if !self.unchecked || !is_same || (told.file, told.offset) != (self.file, self.offset) {
            return self;
        }
        match told.at_odds {
            Some(AtOdds::Digest) => {
                Resolution { body: None, at_odds: Some(AtOdds::Digest), unchecked: false, ..self }
            }
            None if told.body == self.body => Resolution { unchecked: false, ..self },
            _ => self,
        }
    }

    /// As it stands at the end of a revisit.
    pub(crate) fn bytes(&self) -> [u8; RESOLUTION_LENGTH] {
        let mut bytes = [0; RESOLUTION_LENGTH];
        bytes[0] = self.rank;
        bytes[1] = self.by.map_or(NO_RESOLVED_BY, |by| by as u8);
        let known = [self.file.is_some(), self.offset.is_some(), self.body.is_some()];
        let at_odds = self.at_odds.map_or(0, |at_odds| 1 + at_odds as u8)
            | u8::from(self.unchecked) << 3
            | u8::from(self.length.is_some()) << 4;
        bytes[2] = known.iter().rev().fold(at_odds, |bits, known| bits << 1 | u8::from(*known));
        bytes[3..7].copy_from_slice(&self.file.unwrap_or_default().to_le_bytes());
        bytes[7..15].copy_from_slice(&self.offset.unwrap_or_default().to_le_bytes());
        bytes[15..47].copy_from_slice(&self.body.map_or([0; 32], |body| body.0));
        bytes[47..].copy_from_slice(&self.length.unwrap_or_default().to_le_bytes());
        bytes
    }

    /// What [`Resolution::bytes`] wrote.
    pub(crate) fn read(bytes: &[u8]) -> Option<Resolution> {
        let bytes = bytes.last_chunk::<RESOLUTION_LENGTH>()?;
        let is_known = |bit: u8| bytes[2] >> bit & 1 != 0;
        let file = u32::from_le_bytes(bytes[3..7].try_into().ok()?);
        let offset = u64::from_le_bytes(bytes[7..15].try_into().ok()?);
        let body = BodyDigest(bytes[15..47].try_into().ok()?);
        let length = u64::from_le_bytes(bytes[47..].try_into().ok()?);
        Some(Resolution {
            rank: bytes[0],
            by: resolved_by(bytes[1]),
            file: is_known(0).then_some(file),
            offset: is_known(1).then_some(offset),
            length: is_known(7).then_some(length),
            unchecked: is_known(6),
            body: is_known(2).then_some(body),
            at_odds: AtOdds::ALL.iter().copied().find(|at_odds| 1 + *at_odds as u8 == bytes[2] >> 3 & 7),
        })
    }
}

fn resolved_by(byte: u8) -> Option<ResolvedBy> {
    ResolvedBy::ALL.get(usize::from(byte)).copied()
}
