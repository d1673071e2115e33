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

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::io;

use smallvec::SmallVec;

use crate::capture::{AtOdds, Kind, ResolvedBy};
use crate::digest::{Algorithm, BodyDigest, Digest, agree};
use crate::ingest::codec::{Glimpse, Names, drop_encoded, give, glimpse, input_of};
use crate::ingest::message::Digests;
use crate::ingest::revisit::keys::{Key, KeyMap, Seed, anything, described, in_package, second, wanted};
use crate::ingest::revisit::recheck::{Checker, Held, Outcome};
use crate::ingest::revisit::resolution::{Rank, Resolution};
use crate::ingest::spool::Spool;
use crate::time::Instant;
use crate::url::as_written;

/// The kinds of observations that ask for another one.
const ASKING: &[Kind] = &[Kind::Revisit, Kind::Index];

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
    /// The digest that was computed, also where the record declares none.
    computed: Option<Sum>,
    /// Its body does not match its own digest.
    refuted: bool,
    cut: bool,
    body_length: Option<u64>,
    status: Option<u16>,
    /// The hash of its id, URL and date.
    record: Option<u64>,
    /// Another record of this id, URL and date has another body.
    contradictory: bool,
}

impl Original {
    /// Whether a record of the same id, URL and date has other content. What is cut says less, not something else.
    fn differs(&self, record: Option<u64>, capture: &Glimpse<'_>) -> bool {
        let bodies = self.body.zip(capture.body).filter(|_| !self.cut && !capture.cut);
        let statuses = self.status.zip(capture.status);
        self.record.is_some()
            && self.record == record
            && (bodies.is_some_and(|(one, other)| one != other)
                || statuses.is_some_and(|(one, other)| one != other))
    }
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
    /// The URLs as written, each with its second, of the records at the place that a line names, as hashes.
    records: SmallVec<[u64; 1]>,
    /// The status of the response at the place that a line names.
    status: Option<u16>,
    /// The record at the place that a line names.
    held: Option<Box<Held>>,
}

/// Copies of one capture have one digest, or two where they contradict each other.
const MAX_SUMS: usize = 8;
/// Records of one compressed member that are compared with a line.
const MAX_RECORDS: usize = 64;

/// A part of the keys asked for, and what was found for them.
struct Resolver {
    originals: KeyMap<Option<Original>>,
    /// Whether a key of each rank was asked for.
    asked: [bool; 4],
    /// Keys of captures that index lines describe.
    described: KeyMap<Described>,
    sums: RandomState,
    /// Originals found by their digest of which other records of the same id, URL and date have other content.
    contradictory: HashSet<u64>,
    /// Index lines stay beside the captures that they describe.
    keeps_lines: bool,
    seed: Seed,
}

/// About how many bytes an entry of the tables takes.
const ENTRY_BYTES: usize = 288;

fn sum(hash: &RandomState, digest: Digest) -> Sum {
    Sum(digest.algorithm(), hash.hash_one(digest))
}

/// The computed digest of a capture, where it declares one: only then is its writer known to hash what we do. Others are found by
/// their digest, but that one is not a contradiction to another.
fn checked(capture: &Glimpse<'_>) -> Option<Digest> {
    capture.payload.filter(|_| capture.declared.is_some())
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
    /// Records that a line of an index takes for captures of another URL or date, with another digest.
    pub mistaken: Mistaken,
    /// Those lines, by their hashes: the place that each names, and the number of its index.
    lines: HashMap<u64, ((u32, u64), u32)>,
}

/// The places of records (number of the file, offset), each with the number of the index whose line contradicts it.
pub(crate) type Mistaken = HashMap<(u32, u64), u32>;

/// Maximum number of records tracked as contradicted by index lines.
const MAX_CONTRADICTED_RECORDS: usize = 1 << 16;

/// Settles all revisits and index lines of `spool`, within about `memory` bytes for the keys.
pub(crate) fn resolve(
    spool: &mut Spool,
    memory: usize,
    digests: Digests,
    keeps_lines: bool,
) -> io::Result<Settled> {
    let mut settled = Settled::default();
    let seed = Seed::default();
    let mut checker = (digests == Digests::Verify).then(Checker::default);
    for stage in [Stage::First, Stage::Others] {
        let (revisits, lines) = match stage {
            // Without captures, index lines have nothing to match: an index alone is not read again.
            Stage::First if spool.len() == spool.count(Kind::Index) => (0, 0),
            Stage::First => (spool.count(Kind::Revisit), spool.count(Kind::Index)),
            Stage::Others => (settled.others, 0),
        };
        let keys = revisits + 3 * lines;
        if keys == 0 {
            continue;
        }
        let parts = (keys as usize).saturating_mul(ENTRY_BYTES) / memory.max(1 << 20) + 1;
        for part in 0..parts as u64 {
            let mut resolver = Resolver::new(&seed, keeps_lines);
            resolver.originals.reserve(revisits as usize / parts);
            resolver.described.reserve(3 * lines as usize / parts);
            resolver.find(spool, stage, (part, parts as u64))?;
            resolver.find_contradictory(spool)?;
            // Every part visits all revisits, so the last part sees the final state.
            settled = Settled { lines: settled.lines, ..Settled::default() };
            spool.amend(ASKING, &mut |kind, bytes, names| {
                resolver.settle(kind, bytes, names, stage, &mut settled, &mut checker)
            })?;
        }
    }
    for (place, index) in settled.lines.values() {
        settled.mistaken.entry(*place).and_modify(|held| *held = *index.min(held)).or_insert(*index);
    }
    if !settled.lines.is_empty() && !keeps_lines {
        // What a line says of something that is not there makes no capture.
        let resolver = Resolver::new(&seed, keeps_lines);
        spool.amend(&[Kind::Index], &mut |_, bytes, _| {
            let line = glimpse(bytes).ok_or(io::ErrorKind::InvalidData)?;
            let is_mistaken = settled.lines.contains_key(&resolver.line(&line, input_of(bytes)));
            if is_mistaken {
                drop_encoded(bytes);
            }
            Ok(is_mistaken)
        })?;
    }
    Ok(settled)
}

/// A URL as written: what two records have to have in common to be of one URL.
fn written(url: &[u8]) -> String {
    as_written(&String::from_utf8_lossy(url))
}

impl Resolver {
    fn new(seed: &Seed, keeps_lines: bool) -> Self {
        Resolver {
            originals: KeyMap::new(seed.clone()),
            asked: [false; 4],
            described: KeyMap::new(seed.clone()),
            sums: RandomState::new(),
            contradictory: HashSet::new(),
            keeps_lines,
            seed: seed.clone(),
        }
    }

    /// The hash of an index line, the same in all parts.
    fn line(&self, line: &Glimpse<'_>, input: Option<u32>) -> u64 {
        self.seed.hash_one((line.url, line.time, line.file, line.offset, line.declared, input))
    }

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
                let anything = anything(asking, names).filter(|_| asking.declared.is_some());
                described(asking, names)
                    .chain(anything)
                    .for_each(|key| resolver.described.ask(&key, part, Described::default()));
            }
        })?;
        // Only index lines look for revisits too; an index line is never a capture.
        let kinds = [Kind::Response, Kind::Resource, Kind::Revisit];
        let kinds = if resolver.described.found.is_empty() { &kinds[..2] } else { &kinds };
        spool.glimpse_at(kinds, &mut |kind, capture, names| resolver.offer(kind, capture, names))
    }

    /// Finds records of the ids, URLs and dates of the originals that were found by their digest, with other content: these have
    /// another digest and did not offer themselves.
    fn find_contradictory(&mut self, spool: &Spool) -> io::Result<()> {
        if !self.asked[2] && !self.asked[3] {
            return Ok(());
        }
        let originals = self.originals.found.values().filter_map(|(_, original)| original.as_ref());
        let found: HashMap<u64, &Original> =
            originals.filter_map(|original| Some((original.record?, original))).collect();
        let mut contradictory = HashSet::new();
        if !found.is_empty() {
            spool.glimpse_at(&[Kind::Response, Kind::Resource], &mut |_, capture, _| {
                let record = self.record(capture);
                let original = record.and_then(|record| found.get(&record));
                if original.is_some_and(|original| original.differs(record, capture)) {
                    contradictory.extend(record);
                }
            })?;
        }
        self.contradictory = contradictory;
        Ok(())
    }

    /// The hash of the id, URL and date of a capture.
    fn record(&self, capture: &Glimpse<'_>) -> Option<u64> {
        // As scheme and default port do, the case of an id says nothing.
        let id = capture.record_id?.to_ascii_lowercase();
        Some(self.sums.hash_one((id, written(capture.url), capture.time?)))
    }

    /// The hash of the URL as written and the second of a capture or line.
    fn moment(&self, seen: &Glimpse<'_>) -> u64 {
        self.sums.hash_one((written(seen.url), seen.time.map(second)))
    }

    /// The record at the place of an index line that is of another URL or date and has another digest than the line says.
    fn mistaken(
        &self,
        line: &Glimpse<'_>,
        names: &Names,
        checker: &mut Option<Checker>,
    ) -> Option<(u32, u64)> {
        line.declared?;
        let known = self.described.get(&anything(line, names)?)?;
        let is_other = known.found && !known.records.contains(&self.moment(line));
        let held = known.held.as_deref().filter(|_| is_other)?;
        (!self.tells(line, known, names, checker)).then_some(held.place())
    }

    /// A capture offers itself under all its keys.
    fn offer(&mut self, kind: Kind, capture: &Glimpse<'_>, names: &Names) {
        if !self.described.found.is_empty() {
            let moment = self.moment(capture);
            let keys = described(capture, names).chain(in_package(capture, names));
            for key in keys.chain(anything(capture, names)) {
                let sums = &self.sums;
                if let Some(described) = self.described.get_mut(&key) {
                    described.found = true;
                    if matches!(key, Key::Anything(..)) && described.records.len() < MAX_RECORDS {
                        described.records.push(moment);
                    }
                    if matches!(key, Key::Place(..) | Key::Anything(..)) && described.held.is_none() {
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
        let record = self.record(capture);
        let keys = [
            capture.record_id.map(Key::Id),
            capture.time.map(|time| Key::UrlDate(capture.url, second(time))),
            digest.map(|digest| Key::Digest(digest, capture.url)),
            digest.map(|digest| Key::Digest(digest, b"")),
        ];
        for (key, _) in keys.into_iter().zip(self.asked).filter(|(_, asked)| *asked) {
            let Some(slot) = key.and_then(|key| self.originals.get_mut(&key)) else { continue };
            let contradictory =
                slot.as_ref().is_some_and(|held| held.contradictory || held.differs(record, capture));
            // A capture with its body is preferred, and with a digest that holds; then the earliest; of equal times, one by its
            // content, so that the order of records does not matter; of equal contents, the first in input order.
            let rank = |body: Option<BodyDigest>, cut: bool, refuted: bool, time: Option<Instant>| {
                (body.is_none(), cut, refuted, time.is_none(), time, body.map(|body| body.0))
            };
            let own = rank(capture.body, capture.cut, capture.refuted, capture.time);
            let is_better = |held: &Original| own < rank(held.body, held.cut, held.refuted, held.time);
            // What one copy says against the capture stays.
            let cut = slot.as_ref().is_some_and(|held| {
                (held.cut || capture.cut)
                    && held.body.is_some()
                    && held.body == capture.body
                    && held.time.map(second) == capture.time.map(second)
                    && held.url == self.sums.hash_one(written(capture.url))
            });
            if !slot.as_ref().is_none_or(is_better) {
                slot.iter_mut().for_each(|held| {
                    held.contradictory = contradictory;
                    held.cut |= cut;
                });
            } else {
                *slot = Some(Original {
                    url: self.sums.hash_one(written(capture.url)),
                    time: capture.time,
                    body: capture.body,
                    file: capture.file as u32,
                    offset: capture.offset,
                    length: capture.length,
                    declared: capture.declared.map(|digest| sum(&self.sums, digest)),
                    payload: checked(capture).map(|digest| sum(&self.sums, digest)),
                    computed: capture.payload.map(|digest| sum(&self.sums, digest)),
                    refuted: capture.refuted,
                    cut: cut || capture.cut,
                    body_length: capture.body_length,
                    status: capture.status,
                    record,
                    contradictory,
                });
            }
        }
    }

    /// Whether the digest of a revisit is one of its original; `None` where they do not compare.
    fn compare(&self, declared: Option<Digest>, original: &Original) -> Option<bool> {
        let own = sum(&self.sums, declared?);
        if original.computed == Some(own) {
            return Some(true);
        }
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
            let (mut is_told, mut is_vain) = (false, false);
            for known in described(&asking, names).filter_map(|key| self.described.get(&key)) {
                is_told = is_told || (known.found && self.tells(&asking, known, names, checker));
                // The index of a package makes no captures.
                is_vain |= !known.found && asking.is_witness;
            }
            let line = self.line(&asking, input_of(bytes));
            if is_told {
                // This part of the keys knows better than another one.
                settled.lines.remove(&line);
            } else if let Some(place) = self.mistaken(&asking, names, checker)
                && settled.lines.len() < MAX_CONTRADICTED_RECORDS
            {
                settled.lines.insert(line, (place, input_of(bytes).unwrap_or_default()));
            }
            // What a line says against its capture stays: the table of captures gives it to the capture.
            let is_against = asking.other_method || (asking.cut && !asking.is_witness);
            let is_dropped =
                ((is_told && !is_against) || is_vain) && (asking.is_witness || !self.keeps_lines);
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
                _ if original.contradictory
                    || original.record.is_some_and(|record| self.contradictory.contains(&record)) =>
                {
                    Some(AtOdds::Contradictory)
                }
                Some(false) => Some(AtOdds::Digest),
                // What is cut has another digest than the whole.
                _ if original.refuted && !original.cut => Some(AtOdds::Original),
                // Its own head says how long the body is.
                _ if original.cut
                    || asking.content_length > original.body_length.or(asking.content_length) =>
                {
                    Some(AtOdds::Cut)
                }
                _ => (asking.status.is_none() && original.status == Some(206)).then_some(AtOdds::Part),
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
            let told = Resolution::read(bytes).ok_or(io::ErrorKind::InvalidData)?;
            give(&resolution.checked_by(&told), bytes);
        }
        let resolution = Resolution::read(bytes).ok_or(io::ErrorKind::InvalidData)?;
        settled.others += if Some(resolution.rank) == first { 0 } else { others as u64 };
        settled.unchecked |= resolution.unchecked;
        settled.at_odds |= resolution.at_odds.is_some();
        Ok(false)
    }
}
