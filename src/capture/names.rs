//! Names as numbers: every URL key is kept once and called by a `u32`.

use std::hash::{BuildHasher, RandomState};

/// Interned strings in the order in which they were first seen.
///
/// All text lies in one buffer; the table holds four bytes per slot. A million URL keys of 60 bytes take about 80 MB.
/// The hash is seeded per process against chosen collisions; the numbers do not depend on it.
#[derive(Debug, Clone, Default)]
pub struct Names {
    text: String,
    ends: Vec<u64>,
    /// Number + 1 at the slot of the hash, 0 where it is free.
    slots: Vec<u32>,
    state: RandomState,
}

impl Names {
    /// No names.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The name of a number that this table gave.
    pub fn get(&self, number: u32) -> &str {
        let at = number as usize;
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]) as usize;
        &self.text[start..self.ends[at] as usize]
    }

    /// The number of a name, if it is there.
    pub fn find(&self, name: &str) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let slot = self.slot(name);
        self.slots[slot].checked_sub(1)
    }

    /// The number of a name, which is added if it is not there.
    pub fn intern(&mut self, name: &str) -> u32 {
        if (self.ends.len() + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        let slot = self.slot(name);
        if let Some(number) = self.slots[slot].checked_sub(1) {
            return number;
        }
        self.text.push_str(name);
        self.ends.push(self.text.len() as u64);
        let number = self.ends.len() as u32;
        self.slots[slot] = number;
        number - 1
    }

    /// The slot where the name stands or would stand.
    fn slot(&self, name: &str) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = self.state.hash_one(name) as usize & mask;
        while let Some(number) = self.slots[slot].checked_sub(1) {
            if self.get(number) == name {
                break;
            }
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        self.slots = vec![0; (self.slots.len() * 2).max(64)];
        let mask = self.slots.len() - 1;
        for number in 0..self.ends.len() as u32 {
            let mut slot = self.state.hash_one(self.get(number)) as usize & mask;
            while self.slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = number + 1;
        }
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        self.text.capacity() + self.ends.capacity() * 8 + self.slots.capacity() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_number_and_numbers_count_from_zero() {
        let mut names = Names::new();
        assert_eq!(names.find("x"), None);
        for round in 0..2 {
            for i in 0..5000u32 {
                assert_eq!(names.intern(&format!("com,example)/{i}")), i, "round {round}");
            }
        }
        assert_eq!(names.len(), 5000);
        assert_eq!(names.get(4321), "com,example)/4321");
        assert_eq!(names.find("com,example)/77"), Some(77));
        assert_eq!(names.find("com,example)/5000"), None);
        assert_eq!(names.intern(""), 5000);
        assert_eq!(names.get(5000), "");
    }
}
