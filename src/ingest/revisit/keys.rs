//! The keys by which revisits and index lines find captures.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use crate::archive::source::base_name;
use crate::capture::ResolvedBy;
use crate::digest::Digest;
use crate::ingest::codec::{Glimpse, Names};
use crate::ingest::revisit::resolution::Rank;
use crate::time::{Instant, SECOND};

/// How a capture is looked up.
#[derive(Hash)]
pub(super) enum Key<'a> {
    Id(&'a [u8]),
    /// URL and second.
    UrlDate(&'a [u8], i64),
    /// Declared digest, and the URL or nothing.
    Digest(Digest, &'a [u8]),
    /// Name of the file, offset, URL.
    Place(&'a [u8], u64, &'a [u8]),
    /// URL, second, declared digest.
    Capture(&'a [u8], i64, Digest),
    /// Name of the file, offset.
    Anything(&'a [u8], u64),
}

/// The seed of the hash that finds keys.
pub(super) type Seed = foldhash::quality::RandomState;

/// What was found by keys. 64 bits of a quick hash find it, 64 of a strong one confirm it: together they will not
/// collide by chance. They have a new seed in every run, so that no archive can be made to collide, and never leave
/// a run.
pub(super) struct KeyMap<T> {
    pub(super) found: HashMap<u64, (u64, T), foldhash::fast::FixedState>,
    finds: Seed,
    confirms: RandomState,
}

impl<T> KeyMap<T> {
    /// An empty one. The seed of the hash that finds keys decides of which part they are, so all parts share it.
    pub(super) fn new(finds: Seed) -> Self {
        KeyMap { found: HashMap::default(), finds, confirms: RandomState::new() }
    }

    /// Reserves space for that number of keys.
    pub(super) fn reserve(&mut self, keys: usize) {
        self.found.reserve(keys);
    }

    /// Asks for a key, if it is of this part of the keys.
    pub(super) fn ask(&mut self, key: &Key<'_>, (part, parts): (u64, u64), nothing: T) {
        let hash = self.finds.hash_one(key);
        if hash % parts == part {
            self.found.entry(hash).or_insert_with(|| (self.confirms.hash_one(key), nothing));
        }
    }

    pub(super) fn get(&self, key: &Key<'_>) -> Option<&T> {
        let (confirmed, value) = self.found.get(&self.finds.hash_one(key))?;
        (*confirmed == self.confirms.hash_one(key)).then_some(value)
    }

    pub(super) fn get_mut(&mut self, key: &Key<'_>) -> Option<&mut T> {
        let (confirmed, value) = self.found.get_mut(&self.finds.hash_one(key))?;
        (*confirmed == self.confirms.hash_one(key)).then_some(value)
    }
}

pub(super) fn second(time: Instant) -> i64 {
    time.0.div_euclid(SECOND)
}

/// The keys a revisit asks for, in the order in which they are tried.
pub(super) fn wanted<'a>(revisit: &Glimpse<'a>) -> impl Iterator<Item = (Rank, ResolvedBy, Key<'a>)> {
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
pub(super) fn described<'a>(seen: &Glimpse<'a>, names: &'a Names) -> impl Iterator<Item = Key<'a>> {
    let name = names.text(seen.file);
    let name = if seen.is_witness { name } else { base_name(name) };
    let place = seen.offset.map(|offset| Key::Place(name.as_bytes(), offset, seen.url));
    let time = seen.time.filter(|_| !seen.is_witness).map(second);
    let capture = seen.declared.and_then(|digest| Some(Key::Capture(seen.url, time?, digest)));
    [place, capture].into_iter().flatten()
}

/// The key of all records at the place of a capture or of an index line.
pub(super) fn anything<'a>(seen: &Glimpse<'a>, names: &'a Names) -> Option<Key<'a>> {
    let name = names.text(seen.file);
    let name = if seen.is_witness { name } else { base_name(name) };
    Some(Key::Anything(name.as_bytes(), seen.offset?))
}

/// The keys under which the index of a package finds a capture.
pub(super) fn in_package<'a>(seen: &Glimpse<'a>, names: &'a Names) -> impl Iterator<Item = Key<'a>> {
    let name = names.text(seen.file);
    let offset = seen.offset.filter(|_| base_name(name) != name);
    let keys = offset.map(|offset| {
        [Key::Place(name.as_bytes(), offset, seen.url), Key::Anything(name.as_bytes(), offset)]
    });
    keys.into_iter().flatten()
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

    #[test]
    fn every_key_is_of_one_part() {
        let (seed, parts) = (Seed::default(), 7);
        for n in 0..100_u64 {
            let text = n.to_le_bytes();
            let key = Key::Id(&text);
            let asked = (0..parts).filter(|part| {
                let mut map = KeyMap::new(seed.clone());
                map.ask(&key, (*part, parts), ());
                map.get(&key).is_some()
            });
            assert_eq!(asked.count(), 1, "{n}");
        }
    }
}
