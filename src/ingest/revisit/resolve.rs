//! Revisits to their originals, across files; and index lines to the captures they describe.
//!
//! A revisit is resolved by the record id it names, else by the URL and date it names, else by its declared digest
//! (first a capture of the same URL, then any; the earliest one each time). Only the keys that some revisit asks for
//! are kept, a fraction of the captures; where even those exceed the memory allowed, the captures are read
//! several times, each time for a part of the keys.
//!
//! A revisit is resolved to the record that it names even where the two are at odds: where it declares another digest
//! than that record declares or has, or where the body of that record is not the one of its own digest. Then it says
//! nothing about that body, does not carry it, and is reported. Where their digests do not compare, `recheck` reads the
//! body again.
//!
//! An index given together with its archives describes captures that are already there: a line whose file and
//! offset, or URL, second and digest, are those of a capture is dropped, so that `acuity index` lists each capture once.
//! Captures that come from several tables meet later, in [`crate::capture::table`], which drops copies by the same rule
//! ([`crate::digest::agree`]).

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::io;

use smallvec::SmallVec;

use crate::archive::source::base_name;
use crate::capture::{AtOdds, Kind, ResolvedBy};
use crate::digest::{Algorithm, BodyDigest, Digest, agree};
use crate::ingest::codec::{Glimpse, Names, drop_encoded, give, glimpse};
use crate::ingest::log::ProblemLog;
use crate::ingest::message::Digests;
use crate::ingest::revisit::recheck::{Checker, Held, Outcome};
use crate::ingest::revisit::resolution::{Rank, Resolution};
use crate::ingest::spool::Spool;
use crate::problem::{Level, Problem};
use crate::time::{Instant, SECOND};
use crate::url::as_written;

/// The kinds of observations that ask for another one.
const ASKING: &[Kind] = &[Kind::Revisit, Kind::Index];

/// How a capture is looked up.
#[derive(Hash)]
enum Key<'a> {
    Id(&'a [u8]),
    /// URL and second.
    UrlDate(&'a [u8], i64),
    /// Declared digest, and the URL or nothing.
    Digest(Digest, &'a [u8]),
    /// Name of the file, offset, URL.
    Place(&'a [u8], u64, &'a [u8]),
    /// URL, second, declared digest.
    Capture(&'a [u8], i64, Digest),
}

/// What was found by keys. 64 bits of a quick hash find it, 64 of a strong one confirm it: together they will not
/// collide by chance. They have a new seed in every run, so that no archive can be made to collide, and never leave
/// this module.
struct KeyMap<T> {
    found: HashMap<u64, (u64, T), foldhash::fast::FixedState>,
    finds: foldhash::quality::RandomState,
    confirms: RandomState,
}

impl<T> Default for KeyMap<T> {
    fn default() -> Self {
        KeyMap {
            found: HashMap::default(),
            finds: foldhash::quality::RandomState::default(),
            confirms: RandomState::new(),
        }
    }
}

impl<T> KeyMap<T> {
    /// Reserves space for that number of keys.
    fn reserve(&mut self, keys: usize) {
        self.found.reserve(keys);
    }

    /// Asks for a key, if it is of this part of the keys.
    fn ask(&mut self, key: &Key<'_>, (part, parts): (u64, u64), nothing: T) {
        let hash = self.finds.hash_one(key);
        if hash % parts == part {
            self.found.entry(hash).or_insert_with(|| (self.confirms.hash_one(key), nothing));
        }
    }

    fn get(&self, key: &Key<'_>) -> Option<&T> {
        let (confirmed, value) = self.found.get(&self.finds.hash_one(key))?;
        (*confirmed == self.confirms.hash_one(key)).then_some(value)
    }

    fn get_mut(&mut self, key: &Key<'_>) -> Option<&mut T> {
        let (confirmed, value) = self.found.get_mut(&self.finds.hash_one(key))?;
        (*confirmed == self.confirms.hash_one(key)).then_some(value)
    }
}

/// Where an original was found.
struct Original {
    /// The hash of its URL as written.
    url: u64,
    time: Option<Instant>,
    body: Option<BodyDigest>,
    file: u32,
    offset: Option<u64>,
    length: Option<u64>,
    declared: Option<Sum>,
    payload: Option<Sum>,
    /// Its body does not match its own digest.
    refuted: bool,
    cut: bool,
}

/// Enough of a digest to see whether another one is equal: its hash, with a new seed in every run.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Sum(Algorithm, u64);

/// Most revisits find their original under the first key they have: the others are asked for only where that failed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    First,
    Others,
}

/// The captures under a key of an index line.
#[derive(Default)]
struct Described {
    found: bool,
    /// Their digests.
    sums: SmallVec<[Sum; 2]>,
    /// The status of the response at the place that a line names.
    status: Option<u16>,
    /// The record at the place that a line names.
    held: Option<Box<Held>>,
}

/// Copies of one capture have one digest, or two where they contradict each other.
const MAX_SUMS: usize = 8;

/// A part of the keys asked for, and what was found for them.
#[derive(Default)]
struct Resolver {
    originals: KeyMap<Option<Original>>,
    /// Whether a key of each rank was asked for.
    asked: [bool; 4],
    /// Keys of captures that index lines describe.
    described: KeyMap<Described>,
    sums: RandomState,
    /// Index lines stay beside the captures that they describe.
    keeps_lines: bool,
}

/// About how many bytes an entry of the tables takes.
const ENTRY: usize = 288;

fn sum(hash: &RandomState, digest: Digest) -> Sum {
    Sum(digest.algorithm(), hash.hash_one(digest))
}

/// The computed digest of a capture, where it declares one: only then is its writer known to hash what we do. Others are found by
/// their digest, but that one is no contradiction to another.
fn checked(capture: &Glimpse<'_>) -> Option<Digest> {
    capture.payload.filter(|_| capture.declared.is_some())
}

fn second(time: Instant) -> i64 {
    time.0.div_euclid(SECOND)
}

/// The keys a revisit asks for, in the order in which they are tried.
fn wanted<'a>(revisit: &Glimpse<'a>) -> impl Iterator<Item = (Rank, ResolvedBy, Key<'a>)> {
    let date = revisit.refers_url.and_then(|url| Some(Key::UrlDate(url, second(revisit.refers_time?))));
    [
        revisit.refers_id.map(|id| (0, ResolvedBy::Id, Key::Id(id))),
        date.map(|key| (1, ResolvedBy::UrlDate, key)),
        revisit.declared.map(|digest| (2, ResolvedBy::Digest, Key::Digest(digest, revisit.url))),
        revisit.declared.map(|digest| (3, ResolvedBy::Digest, Key::Digest(digest, b""))),
    ]
    .into_iter()
    .flatten()
}

/// The keys under which an index line and the capture it describes both stand. The index of a package speaks of its own files
/// and of nothing else.
fn described<'a>(seen: &Glimpse<'a>, names: &'a Names) -> impl Iterator<Item = Key<'a>> {
    let name = names.text(seen.file);
    let name = if seen.is_witness { name } else { base_name(name) };
    let place = seen.offset.map(|offset| Key::Place(name.as_bytes(), offset, seen.url));
    let time = seen.time.filter(|_| !seen.is_witness).map(second);
    let capture = seen.declared.and_then(|digest| Some(Key::Capture(seen.url, time?, digest)));
    [place, capture].into_iter().flatten()
}

/// The key under which the index of a package finds a capture.
fn in_package<'a>(seen: &Glimpse<'a>, names: &'a Names) -> Option<Key<'a>> {
    let name = names.text(seen.file);
    (base_name(name) != name).then_some(Key::Place(name.as_bytes(), seen.offset?, seen.url))
}

/// The keys a revisit asks for in a stage.
fn wanted_in<'a>(revisit: &Glimpse<'a>, stage: Stage) -> impl Iterator<Item = (Rank, ResolvedBy, Key<'a>)> {
    let first = wanted(revisit).next().map(|(rank, ..)| rank);
    let (from, count) = match stage {
        Stage::First => (0, 1),
        Stage::Others if revisit.rank == first => (0, 0),
        Stage::Others => (1, 3),
    };
    wanted(revisit).skip(from).take(count)
}

/// The outcome of resolving the revisits.
#[derive(Debug, Default)]
pub(crate) struct Settled {
    /// Number of further keys to try for revisits that found nothing under their first key.
    others: u64,
    /// Whether some digest could not be compared with one of its original.
    pub unchecked: bool,
    /// Whether some revisit contradicts what it refers to.
    pub at_odds: bool,
}

/// Settles all revisits and index lines of `spool`, within about `memory` bytes for the keys.
pub(crate) fn resolve(
    spool: &mut Spool,
    memory: usize,
    digests: Digests,
    keeps_lines: bool,
) -> io::Result<Settled> {
    let mut settled = Settled::default();
    let mut checker = (digests == Digests::Verify).then(Checker::default);
    for stage in [Stage::First, Stage::Others] {
        let (revisits, lines) = match stage {
            // Without captures, index lines have nothing to match: an index alone is not read again.
            Stage::First if spool.len() == spool.count(Kind::Index) => (0, 0),
            Stage::First => (spool.count(Kind::Revisit), spool.count(Kind::Index)),
            Stage::Others => (settled.others, 0),
        };
        let keys = revisits + 2 * lines;
        if keys == 0 {
            continue;
        }
        let parts = (keys as usize).saturating_mul(ENTRY) / memory.max(1 << 20) + 1;
        for part in 0..parts as u64 {
            let mut resolver = Resolver { keeps_lines, ..Resolver::default() };
            resolver.originals.reserve(revisits as usize / parts);
            resolver.described.reserve(2 * lines as usize / parts);
            resolver.find(spool, stage, (part, parts as u64))?;
            // Every part visits all revisits, so the last part sees the final state.
            settled = Settled::default();
            spool.amend(ASKING, &mut |kind, bytes, names| {
                resolver.settle(kind, bytes, names, stage, &mut settled, &mut checker)
            })?;
        }
    }
    Ok(settled)
}

/// Reports revisits that are at odds with what they refer to.
pub(crate) fn report(spool: &Spool, log: &mut ProblemLog) -> io::Result<()> {
    let mut outcome = Ok(());
    spool.glimpse_at(&[Kind::Revisit], &mut |_, revisit, names| {
        if let (Some(at_odds), Ok(())) = (revisit.at_odds, &outcome) {
            outcome = log.push(problem(at_odds, revisit, names));
        }
    })?;
    outcome
}

/// The finding that a revisit is at odds with what it refers to.
fn problem(at_odds: AtOdds, revisit: &Glimpse<'_>, names: &Names) -> Problem {
    let message = match at_odds {
        AtOdds::Digest => {
            "the revisit declares another digest than the record that it refers to: it does not show what was served"
        }
        AtOdds::Original => {
            "the body of the record that the revisit refers to is not the one of that record's own digest: what was served \
             is not known"
        }
        AtOdds::Cut => "the record that the revisit refers to is cut: what was served is not known",
        AtOdds::Elsewhere => {
            "the record that this 304 names is of another URL: it does not show that this page was not modified"
        }
        AtOdds::Later => {
            "the record that this 304 names was captured later: it does not show that the page was not modified"
        }
    };
    let kind = match at_odds {
        AtOdds::Digest => "revisit-contradicts",
        AtOdds::Original => "revisit-of-wrong-body",
        AtOdds::Cut => "revisit-of-cut",
        AtOdds::Elsewhere | AtOdds::Later => "revisit-of-other-record",
    };
    let id = revisit.record_id.and_then(|id| std::str::from_utf8(id).ok());
    let problem = Problem::new(Level::Warning, kind, message).in_file(names.text(revisit.file)).of_record(id);
    match revisit.offset {
        Some(offset) => problem.at(offset),
        None => problem,
    }
}

/// A URL as written: what two records have to have in common to be of one URL.
fn written(url: &[u8]) -> String {
    as_written(&String::from_utf8_lossy(url))
}

impl Resolver {
    /// Whether an index line tells the same as the record that it was found with, or nothing that could be compared. Its digest may
    /// be of another algorithm, or of another form of the body, than those of the record: then the body is read again.
    fn tells(
        &self,
        line: &Glimpse<'_>,
        known: &Described,
        names: &Names,
        checker: &mut Option<Checker>,
    ) -> bool {
        let Some(declared) = line.declared else { return true };
        let sums: SmallVec<[Option<Sum>; 2]> = known.sums.iter().copied().map(Some).collect();
        let compared = agree(&[Some(sum(&self.sums, declared))], &sums, |sum| sum.0);
        if compared == Some(true) {
            return true;
        }
        let read = checker.as_mut().zip(known.held.as_deref());
        match read.map(|(checker, held)| checker.compare(held, declared, names)) {
            Some(Outcome::Agrees) => true,
            Some(Outcome::Contradicts) => false,
            Some(Outcome::Unreadable) | None => compared != Some(false),
        }
    }

    /// Collects the keys that are asked for, and finds their captures.
    fn find(&mut self, spool: &Spool, stage: Stage, part: (u64, u64)) -> io::Result<()> {
        let resolver = self;
        spool.glimpse_at(ASKING, &mut |kind, asking, names| {
            if kind == Kind::Revisit {
                for (rank, _, key) in wanted_in(asking, stage) {
                    resolver.asked[usize::from(rank)] = true;
                    resolver.originals.ask(&key, part, None);
                }
            } else if stage == Stage::First {
                described(asking, names)
                    .for_each(|key| resolver.described.ask(&key, part, Described::default()));
            }
        })?;
        // Only index lines look for revisits too; an index line is never a capture.
        let kinds = [Kind::Response, Kind::Resource, Kind::Revisit];
        let kinds = if resolver.described.found.is_empty() { &kinds[..2] } else { &kinds };
        spool.glimpse_at(kinds, &mut |kind, capture, names| resolver.offer(kind, capture, names))
    }

    /// A capture offers itself under all its keys.
    fn offer(&mut self, kind: Kind, capture: &Glimpse<'_>, names: &Names) {
        if !self.described.found.is_empty() {
            for key in described(capture, names).chain(in_package(capture, names)) {
                let sums = &self.sums;
                if let Some(described) = self.described.get_mut(&key) {
                    described.found = true;
                    if matches!(key, Key::Place(..)) && described.held.is_none() {
                        described.held = Held::of(capture).map(Box::new);
                        described.status = capture.status.filter(|_| kind == Kind::Response);
                    }
                    let digests = [capture.declared, checked(capture)].into_iter().flatten();
                    for digest in digests.map(|digest| sum(sums, digest)) {
                        if !described.sums.contains(&digest) && described.sums.len() < MAX_SUMS {
                            described.sums.push(digest);
                        }
                    }
                }
            }
        }
        if kind == Kind::Revisit || self.originals.found.is_empty() {
            return;
        }
        let digest = capture.declared.or(capture.payload);
        let keys = [
            capture.record_id.map(Key::Id),
            capture.time.map(|time| Key::UrlDate(capture.url, second(time))),
            digest.map(|digest| Key::Digest(digest, capture.url)),
            digest.map(|digest| Key::Digest(digest, b"")),
        ];
        for (key, _) in keys.into_iter().zip(self.asked).filter(|(_, asked)| *asked) {
            let Some(slot) = key.and_then(|key| self.originals.get_mut(&key)) else { continue };
            // A capture with its body is preferred, and with a digest that holds; then the earliest; of equal times, the first
            // in input order.
            let rank = |body: Option<BodyDigest>, cut: bool, refuted: bool, time: Option<Instant>| {
                (body.is_none(), cut, refuted, time.is_none(), time)
            };
            let own = rank(capture.body, capture.cut, capture.refuted, capture.time);
            let is_better = |held: &Original| own < rank(held.body, held.cut, held.refuted, held.time);
            if slot.as_ref().is_none_or(is_better) {
                *slot = Some(Original {
                    url: self.sums.hash_one(written(capture.url)),
                    time: capture.time,
                    body: capture.body,
                    file: capture.file as u32,
                    offset: capture.offset,
                    length: capture.length,
                    declared: capture.declared.map(|digest| sum(&self.sums, digest)),
                    payload: checked(capture).map(|digest| sum(&self.sums, digest)),
                    refuted: capture.refuted,
                    cut: capture.cut,
                });
            }
        }
    }

    /// Whether the digest of a revisit is one of its original; `None` where they do not compare.
    fn compare(&self, declared: Option<Digest>, original: &Original) -> Option<bool> {
        let own = sum(&self.sums, declared?);
        agree(&[Some(own)], &[original.declared, original.payload], |sum| sum.0)
    }

    /// Gives a revisit the best original this part knows; drops an index line whose capture is there anyway.
    fn settle(
        &self,
        kind: Kind,
        bytes: &mut [u8],
        names: &Names,
        stage: Stage,
        settled: &mut Settled,
        checker: &mut Option<Checker>,
    ) -> io::Result<bool> {
        let asking = glimpse(bytes).ok_or(io::ErrorKind::InvalidData)?;
        if kind == Kind::Index {
            // A line with another digest than the record at its place contradicts it: the table of captures reports that.
            let other_status = |key: Key<'_>| {
                let known = self.described.get(&key).and_then(|known| known.status);
                asking.status.zip(known).is_some_and(|(one, other)| one != other)
            };
            if described(&asking, names).any(other_status) {
                return Ok(false);
            }
            let is_there = described(&asking, names).any(|key| match self.described.get(&key) {
                Some(known) if known.found => self.tells(&asking, known, names, checker),
                // The index of a package makes no captures.
                Some(_) => asking.is_witness,
                None => false,
            });
            let is_dropped = is_there && (asking.is_witness || !self.keeps_lines);
            if is_dropped {
                drop_encoded(bytes);
            }
            return Ok(is_dropped);
        }
        let found = wanted_in(&asking, stage).find_map(|(rank, by, key)| {
            let original = self.originals.get(&key)?.as_ref()?;
            let Original { file, offset, length, body, .. } = *original;
            let compared = self.compare(asking.declared, original);
            let is_named = asking.not_modified && by != ResolvedBy::Digest;
            let is_later = original.time.zip(asking.time).is_some_and(|(theirs, own)| theirs > own);
            let at_odds = match compared {
                _ if is_named && original.url != self.sums.hash_one(written(asking.url)) => {
                    Some(AtOdds::Elsewhere)
                }
                _ if is_named && is_later => Some(AtOdds::Later),
                Some(false) => Some(AtOdds::Digest),
                _ if original.refuted => Some(AtOdds::Original),
                _ => original.cut.then_some(AtOdds::Cut),
            };
            let body = body.filter(|_| at_odds.is_none());
            let unchecked = asking.declared.is_some() && compared.is_none() && body.is_some();
            Some(Resolution {
                rank,
                by: Some(by),
                file: Some(file),
                offset,
                length,
                body,
                at_odds,
                unchecked,
            })
        });
        let (first, others) =
            (wanted(&asking).next().map(|(rank, ..)| rank), wanted(&asking).skip(1).count());
        if let Some(resolution) = found {
            give(&resolution, bytes);
        }
        let resolution = Resolution::read(bytes).ok_or(io::ErrorKind::InvalidData)?;
        settled.others += if Some(resolution.rank) == first { 0 } else { others as u64 };
        settled.unchecked |= resolution.unchecked;
        settled.at_odds |= resolution.at_odds.is_some();
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_differ_in_a_byte_or_in_a_border_differ() {
        let hash = foldhash::quality::RandomState::default();
        let mut seen = std::collections::HashSet::new();
        for length in 0..40 {
            let text = vec![b'a'; length];
            seen.insert(hash.hash_one(Key::Id(&text)));
            for at in 0..length {
                let mut other = text.clone();
                other[at] ^= 1;
                seen.insert(hash.hash_one(Key::Id(&other)));
            }
            seen.insert(hash.hash_one(Key::UrlDate(&text, length as i64)));
            seen.insert(hash.hash_one(Key::UrlDate(&text, -1)));
        }
        assert_eq!(seen.len(), 40 + (0..40).sum::<usize>() + 80);
    }
}
