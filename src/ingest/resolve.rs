//! Revisits to their originals, across files; and index lines to the captures they describe.
//!
//! A revisit is resolved by the record id it names, else by the URL and date it names, else by its declared digest
//! (first a capture of the same URL, then any; the earliest one each time). Only the keys that some revisit asks for
//! are kept, a fraction of the captures; where even those exceed the memory allowed, the captures are gone through
//! several times, each time for a part of the keys.
//!
//! An index given together with its archives describes captures that are already there: a line whose file and
//! offset, or URL, second and digest, are those of a capture is dropped.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::sync::Arc;

use super::codec::Glimpse;
use super::spool::Spool;
use crate::capture::{Kind, Observation, ResolvedBy};
use crate::digest::{BodyDigest, Digest};
use crate::time::{Instant, SECOND};

/// 128 bits of a hash: a key that will not collide by chance.
type Key = u128;

/// The kinds of observations that ask for another one.
const ASKING: &[Kind] = &[Kind::Revisit, Kind::Index];

/// How good an answer is: the lower, the better.
type Rank = u8;
const UNRESOLVED: Rank = Rank::MAX;

/// Where an original was found.
#[derive(Debug, Clone)]
struct Original {
    time: Option<Instant>,
    body: Option<BodyDigest>,
    file: Arc<str>,
    offset: Option<u64>,
}

/// A part of the keys asked for, and what was found for them.
struct Resolver {
    keys: Keys,
    originals: HashMap<Key, Option<Original>>,
    /// Keys of captures that index lines describe: whether the capture is there.
    described: HashMap<Key, bool>,
}

/// About how many bytes an entry of the tables takes.
const ENTRY: usize = 160;

/// Makes keys. The hash is seeded anew in every run, so that no archive can be made to collide; the keys never leave
/// this module.
#[derive(Default)]
struct Keys {
    high: RandomState,
    low: RandomState,
}

impl Keys {
    fn key(&self, kind: u8, parts: &[&[u8]]) -> Key {
        let hash = |state: &RandomState| {
            let mut hasher = state.build_hasher();
            hasher.write_u8(kind);
            for part in parts {
                hasher.write_usize(part.len());
                hasher.write(part);
            }
            hasher.finish()
        };
        u128::from(hash(&self.high)) << 64 | u128::from(hash(&self.low))
    }

    fn id(&self, id: &str) -> Key {
        self.key(0, &[id.as_bytes()])
    }

    fn url_date(&self, url: &str, time: Instant) -> Key {
        self.key(1, &[url.as_bytes(), &second(time)])
    }

    fn digest(&self, declared: Option<Digest>, url: &str) -> Option<Key> {
        Some(self.key(2, &[declared?.bytes(), url.as_bytes()]))
    }

    /// The keys a revisit asks for, in the order in which they are tried.
    fn wanted(&self, revisit: &Observation) -> impl Iterator<Item = (Rank, ResolvedBy, Key)> + use<> {
        let refers = revisit.refers_to.as_ref();
        let id = refers.and_then(|refers| refers.record_id.as_deref()).map(|id| self.id(id));
        let date = refers.and_then(|refers| Some(self.url_date(refers.url.as_deref()?, refers.time?)));
        let of_url = self.digest(revisit.declared, &revisit.url);
        let of_any = self.digest(revisit.declared, "");
        [
            id.map(|key| (0, ResolvedBy::Id, key)),
            date.map(|key| (1, ResolvedBy::UrlDate, key)),
            of_url.map(|key| (2, ResolvedBy::Digest, key)),
            of_any.map(|key| (3, ResolvedBy::Digest, key)),
        ]
        .into_iter()
        .flatten()
    }

    /// The keys under which an index line and the capture it describes both stand.
    fn described(
        &self,
        url: &str,
        file: &str,
        offset: Option<u64>,
        time: Option<Instant>,
        declared: Option<Digest>,
    ) -> impl Iterator<Item = Key> + use<> {
        let name = file.rsplit(['/', '#']).next().unwrap_or_default();
        let url = url.as_bytes();
        let place = offset.map(|offset| self.key(3, &[name.as_bytes(), &offset.to_le_bytes(), url]));
        let capture = declared.and_then(|digest| Some(self.key(4, &[url, &second(time?), digest.bytes()])));
        [place, capture].into_iter().flatten()
    }

    fn described_by(&self, line: &Observation) -> impl Iterator<Item = Key> + use<> {
        self.described(&line.url, &line.file, line.offset, line.time, line.declared)
    }
}

fn second(time: Instant) -> [u8; 8] {
    time.0.div_euclid(SECOND).to_le_bytes()
}

/// Settles all revisits and index lines of `spool`, within about `memory` bytes for the keys.
pub fn resolve(mut spool: Spool, memory: usize) -> io::Result<Spool> {
    let (revisits, lines) = (spool.count(Kind::Revisit) as usize, spool.count(Kind::Index) as usize);
    let (asking, keys) = (revisits + lines, revisits * 4 + lines * 2);
    if keys == 0 {
        return Ok(spool);
    }
    let parts = (keys.saturating_mul(ENTRY) / memory.max(1 << 20) + 1) as u128;
    let mut ranks = vec![UNRESOLVED; asking];
    for part in 0..parts {
        let resolver = Resolver::part(&mut spool, part, parts)?;
        let mut kept = Vec::with_capacity(ranks.len());
        let mut before = ranks.into_iter();
        spool = spool.transform(ASKING, &mut |observation| {
            let mut rank = before.next().unwrap_or(UNRESOLVED);
            let settled = resolver.settle(observation, &mut rank)?;
            kept.push(rank);
            Some(settled)
        })?;
        ranks = kept;
    }
    Ok(spool)
}

impl Resolver {
    fn part(spool: &mut Spool, part: u128, parts: u128) -> io::Result<Resolver> {
        let mut resolver =
            Resolver { keys: Keys::default(), originals: HashMap::new(), described: HashMap::new() };
        spool.for_each_of(ASKING, &mut |observation| match observation.kind {
            Kind::Revisit => {
                let keys = resolver.keys.wanted(observation).map(|(_, _, key)| (key, None));
                resolver.originals.extend(keys.filter(|(key, _)| key % parts == part));
            }
            Kind::Index => {
                let keys = resolver.keys.described_by(observation).map(|key| (key, false));
                resolver.described.extend(keys.filter(|(key, _)| key % parts == part));
            }
            Kind::Response | Kind::Resource => {}
        })?;
        // Index lines describe captures; they are none.
        let kinds: &[Kind] = &[Kind::Response, Kind::Resource, Kind::Revisit];
        spool.glimpse_at(kinds, &mut |kind, capture| resolver.offer(kind, capture))?;
        Ok(resolver)
    }

    /// A capture offers itself under all its keys.
    fn offer(&mut self, kind: Kind, capture: &Glimpse<'_>) {
        if !self.described.is_empty() {
            let (file, offset) = (&capture.file, capture.offset);
            for key in self.keys.described(capture.url, file, offset, capture.time, capture.declared) {
                if let Some(found) = self.described.get_mut(&key) {
                    *found = true;
                }
            }
        }
        if kind == Kind::Revisit || self.originals.is_empty() {
            return;
        }
        let keys = [
            capture.record_id.map(|id| self.keys.id(id)),
            capture.time.map(|time| self.keys.url_date(capture.url, time)),
            self.keys.digest(capture.declared, capture.url),
            self.keys.digest(capture.declared, ""),
        ];
        for key in keys.into_iter().flatten() {
            let Some(slot) = self.originals.get_mut(&key) else { continue };
            // The earliest capture is the original; of equal times, the first in input order.
            let earlier = |found: &Original| match (capture.time, found.time) {
                (Some(time), Some(held)) => time < held,
                (time, held) => time.is_some() && held.is_none(),
            };
            if slot.as_ref().is_none_or(earlier) {
                *slot = Some(Original {
                    time: capture.time,
                    body: capture.body,
                    file: capture.file.clone(),
                    offset: capture.offset,
                });
            }
        }
    }

    /// What becomes of an observation by what this part knows; `rank` is how good its answer so far is.
    /// `None`: an index line whose capture is there anyway.
    fn settle(&self, mut observation: Observation, rank: &mut Rank) -> Option<Observation> {
        match observation.kind {
            Kind::Index => {
                let there = |key| self.described.get(&key).copied().unwrap_or(false);
                let is_there = self.keys.described_by(&observation).any(there);
                (!is_there).then_some(observation)
            }
            Kind::Revisit => {
                let found = self.keys.wanted(&observation).find_map(|(rank, by, key)| {
                    self.originals.get(&key)?.as_ref().map(|original| (rank, by, original))
                });
                if let Some((better, by, original)) = found.filter(|(found, ..)| found < rank) {
                    *rank = better;
                    let refers = observation.refers_to.get_or_insert_default();
                    refers.resolved_by = Some(by);
                    refers.file = Some(original.file.clone());
                    refers.offset = original.offset;
                    observation.body = original.body;
                }
                Some(observation)
            }
            Kind::Response | Kind::Resource => Some(observation),
        }
    }
}
