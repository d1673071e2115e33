//! Revisits and index lines whose digest could not be compared: the record that they speak of declares none of that algorithm.
//! Its body is read again, and if its digest is not the one that they declare, the two contradict each other.
//!
//! That is rare (originals without a digest, or with an MD5), so bodies are read one by one. Where that is not possible (a file
//! that is gone, a stream), the revisit says nothing about that body: a digest that nobody
//! compared proves nothing.

use std::collections::{HashMap, HashSet};
use std::io;

use crate::capture::{AtOdds, Kind};
use crate::digest::{BodyDigest, Digest};
use crate::ingest::codec::{Glimpse, Names, glimpse};
use crate::ingest::fetch::{Fetcher, NoBody, Sought};
use crate::ingest::revisit::resolution::{RESOLUTION_LENGTH, Resolution};
use crate::ingest::spool::Spool;

/// Maximum number of outcomes kept.
const MAX_OUTCOMES: usize = 1 << 16;
/// Bytes that are searched for originals which share a compressed member with others, at most: each search begins with its first
/// record.
const MAX_SEARCHED: u64 = 8 << 30;
/// Maximum number of files held open.
const MAX_OPEN_FILES: usize = 64;

/// Checks the revisits of `spool` that could not be compared. Returns whether one contradicts its original.
pub(crate) fn recheck(spool: &mut Spool) -> io::Result<bool> {
    let mut checker = Checker::default();
    let mut at_odds = false;
    spool.amend(&[Kind::Revisit], &mut |_, bytes, names| {
        let Some(resolution) = Resolution::read(bytes).filter(|resolution| resolution.unchecked) else {
            return Ok(false);
        };
        let Some(declared) = glimpse(bytes).and_then(|seen| seen.declared) else { return Ok(false) };
        let held = Held::named(&resolution);
        let outcome = held.map_or(Outcome::Unreadable, |held| checker.compare(&held, declared, names));
        let settled = match outcome {
            Outcome::Agrees => return Ok(false),
            Outcome::Contradicts => {
                at_odds = true;
                Resolution { body: None, at_odds: Some(AtOdds::Digest), unchecked: false, ..resolution }
            }
            Outcome::Unreadable => Resolution { body: None, ..resolution },
        };
        if let Some(place) = bytes.last_chunk_mut::<RESOLUTION_LENGTH>() {
            *place = settled.bytes();
        }
        Ok(false)
    })?;
    Ok(at_odds)
}

/// What a body says about the digest that another record, or a line of an index, declares for it.
#[derive(Clone, Copy)]
pub(super) enum Outcome {
    Agrees,
    Contradicts,
    /// The body could not be read again.
    Unreadable,
}

/// The file and offset of an original, its body, and the digest that a revisit declares: records of one compressed member
/// share their offset.
type Compared = (u32, u64, BodyDigest, Digest);

/// A record whose body can be read again.
#[derive(Clone, Copy)]
pub(super) struct Held {
    file: u32,
    offset: u64,
    length: Option<u64>,
    body: BodyDigest,
}

impl Held {
    /// The record of a capture.
    pub(super) fn of(capture: &Glimpse<'_>) -> Option<Self> {
        let Glimpse { file, offset, length, body, .. } = *capture;
        Some(Held { file: u32::try_from(file).ok()?, offset: offset?, length, body: body? })
    }

    /// The number of its file, and its offset there.
    pub(super) fn place(&self) -> (u32, u64) {
        (self.file, self.offset)
    }

    fn named(resolution: &Resolution) -> Option<Self> {
        let Resolution { file, offset, length, body, .. } = *resolution;
        Some(Held { file: file?, offset: offset?, length, body: body? })
    }
}

pub(super) struct Checker {
    fetcher: Fetcher,
    opened: HashSet<u32>,
    known: HashMap<Compared, Outcome>,
    /// Bytes that may still be searched.
    budget: u64,
}

impl Default for Checker {
    fn default() -> Self {
        Checker {
            fetcher: Fetcher::default(),
            opened: HashSet::new(),
            known: HashMap::new(),
            budget: MAX_SEARCHED,
        }
    }
}

impl Checker {
    /// Reads the body of a record again, and compares its digest.
    pub(super) fn compare(&mut self, held: &Held, declared: Digest, names: &Names) -> Outcome {
        let Held { file, offset, length, body } = *held;
        let compared = (file, offset, body, declared);
        if let Some(known) = self.known.get(&compared) {
            return *known;
        }
        if self.opened.insert(file) && self.opened.len() > MAX_OPEN_FILES {
            (self.fetcher, self.opened) = (Fetcher::default(), HashSet::from([file]));
        }
        let sought =
            Sought { file: names.text(u64::from(file)), offset, length, id: None, declared: Some(declared) };
        let outcome = match self.fetcher.body_with(&sought, body, &mut self.budget) {
            Ok(Ok(_)) => Outcome::Agrees,
            Ok(Err(NoBody::Digest)) => Outcome::Contradicts,
            _ => Outcome::Unreadable,
        };
        if self.known.len() >= MAX_OUTCOMES {
            self.known.clear();
        }
        self.known.insert(compared, outcome);
        outcome
    }
}
