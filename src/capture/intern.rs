//! Strings and digests held once.
//!
//! A million captures repeat a few thousand file names, media types and writers, and most digests occur twice. Each
//! distinct value lies once in one block of bytes; a row of the table holds a number of four bytes for it.

use std::hash::BuildHasher;
use std::num::NonZeroU32;

use foldhash::fast::RandomState;

/// The number of an interned value: its place in the order of first appearance, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(NonZeroU32);

impl Id {
    pub(super) fn from_index(index: usize) -> Option<Self> {
        u32::try_from(index + 1).ok().and_then(NonZeroU32::new).map(Id)
    }

    /// The place in the order of first appearance, from 0.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// Byte strings in the order of their ids, in one block of bytes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Values {
    bytes: Vec<u8>,
    ends: Vec<u64>,
}

impl Values {
    /// Number of values.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The value of an id.
    #[inline]
    pub(crate) fn bytes(&self, id: Id) -> &[u8] {
        let start = id.index().checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start as usize..self.ends[id.index()] as usize]
    }

    /// The value of an id that was interned as text.
    pub(crate) fn text(&self, id: Id) -> &str {
        std::str::from_utf8(self.bytes(id)).unwrap_or_default()
    }

    /// Bytes of memory held.
    pub(crate) fn memory(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * size_of::<u64>()
    }
}

/// A set of byte strings, each with its [`Id`]. Open addressing over one block of bytes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interner {
    values: Values,
    slots: Vec<Slot>,
    // Seeded per run, so that no archive can choose its collisions; ids do not depend on the seed.
    hasher: RandomState,
}

/// Half of a value's hash beside its id: other values are ruled out, and the table grows, without reading them.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    hash: u32,
    id: Option<Id>,
}

impl Interner {
    /// The values alone: none can be looked for or added any more.
    pub(crate) fn into_values(self) -> Values {
        self.values
    }

    /// The values by their ids.
    pub(crate) fn values(&self) -> &Values {
        &self.values
    }

    /// How many distinct values there are.
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether nothing is interned.
    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The value of an id.
    pub(crate) fn bytes(&self, id: Id) -> &[u8] {
        self.values.bytes(id)
    }

    /// The text at a place in the order of first appearance.
    pub(crate) fn at(&self, index: usize) -> Option<&str> {
        (index < self.len()).then(|| Id::from_index(index)).flatten().map(|id| self.text(id))
    }

    /// The value of an id that was interned as text.
    pub(crate) fn text(&self, id: Id) -> &str {
        self.values.text(id)
    }

    /// The id of a value, if it is there.
    pub(crate) fn find(&self, value: &[u8]) -> Option<Id> {
        self.slot(value, self.hash(value)).ok()
    }

    /// The id of a value, interned now if it is new. `None` only when four billion values are exceeded.
    pub(crate) fn intern(&mut self, value: &[u8]) -> Option<Id> {
        self.intern_hashed(value, self.hash(value))
    }

    /// The ids of many values, as if interned one after the other: what they need of a large table is fetched together,
    /// not in turn.
    pub(crate) fn intern_all<'a>(
        &mut self,
        values: impl Iterator<Item = &'a [u8]> + Clone,
        ids: &mut Vec<Option<Id>>,
    ) {
        let hashes: Vec<u32> = values.clone().map(|value| self.hash(value)).collect();
        self.warm(&hashes);
        ids.clear();
        ids.extend(values.zip(&hashes).map(|(value, hash)| self.intern_hashed(value, *hash)));
    }

    /// Looks at the slots of these hashes, and at the values there. The looks do not depend on each other, so the
    /// processor waits for many of them at once.
    fn warm(&self, hashes: &[u32]) {
        let mask = self.slots.len().wrapping_sub(1);
        let slots = || hashes.iter().filter_map(|hash| Some((*hash, self.slots.get(*hash as usize & mask)?)));
        let ids = slots().filter(|(hash, slot)| *hash == slot.hash).filter_map(|(_, slot)| slot.id);
        let seen = slots().fold(0, |seen, (_, slot)| seen ^ slot.hash);
        let first = |id: Id| self.values.bytes(id).first().copied().unwrap_or_default();
        std::hint::black_box((seen, ids.fold(0, |seen, id| seen ^ first(id))));
    }

    fn intern_hashed(&mut self, value: &[u8], hash: u32) -> Option<Id> {
        if (self.len() + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        let free = match self.slot(value, hash) {
            Ok(id) => return Some(id),
            Err(free) => free,
        };
        let id = Id::from_index(self.len())?;
        self.values.bytes.extend_from_slice(value);
        self.values.ends.push(self.values.bytes.len() as u64);
        self.slots[free] = Slot { hash, id: Some(id) };
        Some(id)
    }

    fn hash(&self, value: &[u8]) -> u32 {
        (self.hasher.hash_one(value) >> 32) as u32
    }

    /// The id of the value, or the slot where it would stand.
    fn slot(&self, value: &[u8], hash: u32) -> Result<Id, usize> {
        let mask = self.slots.len().wrapping_sub(1);
        let mut place = hash as usize & mask;
        while let Some(Slot { hash: found, id: Some(id) }) = self.slots.get(place).copied() {
            if found == hash && self.values.bytes(id) == value {
                return Ok(id);
            }
            place = (place + 1) & mask;
        }
        Err(place)
    }

    fn grow(&mut self) {
        let mask = (self.slots.len() * 2).max(16) - 1;
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); mask + 1]);
        for slot in old.into_iter().filter(|slot| slot.id.is_some()) {
            let mut place = slot.hash as usize & mask;
            while self.slots[place].id.is_some() {
                place = (place + 1) & mask;
            }
            self.slots[place] = slot;
        }
    }

    /// Bytes of memory held.
    pub(crate) fn memory(&self) -> usize {
        self.values.memory() + self.slots.capacity() * size_of::<Slot>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_an_id_and_ids_follow_first_appearance() {
        let mut interner = Interner::default();
        let ids: Vec<Id> = (0..10_000u32)
            .map(|number| interner.intern(format!("value {}", number % 4000).as_bytes()).unwrap())
            .collect();
        assert_eq!(interner.len(), 4000);
        assert_eq!(ids[17], ids[4017]);
        assert_eq!(ids[3999].index(), 3999);
        assert_eq!(interner.text(ids[8001]), "value 1");
        assert_eq!(interner.find(b"value 3999"), Some(ids[3999]));
        assert_eq!(interner.find(b"value 4000"), None);
        assert_eq!(Interner::default().find(b""), None);
        let mut all = Vec::new();
        let values: Vec<String> = (3990..4010).map(|number| format!("value {number}")).collect();
        interner.intern_all(values.iter().chain(&values).map(String::as_bytes), &mut all);
        let all: Vec<usize> = all.into_iter().map(|id| id.unwrap().index()).collect();
        assert_eq!(all, (3990..4010).chain(3990..4010).collect::<Vec<usize>>());
    }

    #[test]
    fn the_empty_value_is_a_value() {
        let mut interner = Interner::default();
        let empty = interner.intern(b"").unwrap();
        let other = interner.intern(b"a").unwrap();
        assert_eq!((interner.text(empty), interner.text(other)), ("", "a"));
    }
}
