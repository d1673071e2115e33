//! Strings and digests held once.
//!
//! A million captures repeat a few thousand file names, media types and writers, and most digests occur twice. Each
//! distinct value lies once in one block of bytes; a row of the table holds a number of four bytes for it.

use std::hash::{BuildHasher, RandomState};
use std::num::NonZeroU32;

/// The number of an interned value: its place in the order of first appearance, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(NonZeroU32);

impl Id {
    fn from_index(index: usize) -> Option<Self> {
        u32::try_from(index + 1).ok().and_then(NonZeroU32::new).map(Id)
    }

    /// The place in the order of first appearance, from 0.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// A set of byte strings, each with its [`Id`]. Open addressing over one block of bytes.
#[derive(Debug, Clone)]
pub struct Interner {
    bytes: Vec<u8>,
    ends: Vec<u64>,
    slots: Vec<u32>,
    // Seeded per run, so that no archive can choose its collisions; ids do not depend on the seed.
    hasher: RandomState,
}

impl Default for Interner {
    fn default() -> Self {
        Interner { bytes: Vec::new(), ends: Vec::new(), slots: vec![0; 16], hasher: RandomState::new() }
    }
}

impl Interner {
    /// How many distinct values there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether nothing is interned.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The value of an id.
    pub fn bytes(&self, id: Id) -> &[u8] {
        let start = if id.index() == 0 { 0 } else { self.ends[id.index() - 1] as usize };
        &self.bytes[start..self.ends[id.index()] as usize]
    }

    /// The value of an id that was interned as text.
    pub fn text(&self, id: Id) -> &str {
        std::str::from_utf8(self.bytes(id)).unwrap_or_default()
    }

    /// The id of a value, if it is there.
    pub fn find(&self, value: &[u8]) -> Option<Id> {
        self.slot(value).ok()
    }

    /// The id of a value, interned now if it is new. `None` only when four billion values are exceeded.
    pub fn intern(&mut self, value: &[u8]) -> Option<Id> {
        let free = match self.slot(value) {
            Ok(id) => return Some(id),
            Err(free) => free,
        };
        let id = Id::from_index(self.ends.len())?;
        self.bytes.extend_from_slice(value);
        self.ends.push(self.bytes.len() as u64);
        self.slots[free] = id.0.get();
        if self.ends.len() * 4 > self.slots.len() * 3 {
            self.grow();
        }
        Some(id)
    }

    fn slot(&self, value: &[u8]) -> Result<Id, usize> {
        let mask = self.slots.len() - 1;
        let mut place = self.hasher.hash_one(value) as usize & mask;
        loop {
            match NonZeroU32::new(self.slots[place]).map(Id) {
                None => return Err(place),
                Some(id) if self.bytes(id) == value => return Ok(id),
                Some(_) => place = (place + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        let mask = size - 1;
        let mut slots = vec![0u32; size];
        for index in 0..self.ends.len() {
            let Some(id) = Id::from_index(index) else { break };
            let mut place = self.hasher.hash_one(self.bytes(id)) as usize & mask;
            while slots[place] != 0 {
                place = (place + 1) & mask;
            }
            slots[place] = id.0.get();
        }
        self.slots = slots;
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
    }

    #[test]
    fn the_empty_value_is_a_value() {
        let mut interner = Interner::default();
        let empty = interner.intern(b"").unwrap();
        let other = interner.intern(b"a").unwrap();
        assert_eq!((interner.text(empty), interner.text(other)), ("", "a"));
    }
}
