//! Names as numbers: every URL key is kept once and called by a `u32`.

use super::intern::{Id, Interner, Values};

/// Interned strings in the order in which they were first seen. A million URL keys of 60 bytes take about 85 MB.
#[derive(Debug, Clone, Default)]
pub struct Names(Interner);

impl Names {
    /// No names.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of names.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The name of a number that this table gave.
    pub fn get(&self, number: u32) -> &str {
        text(self.0.values(), number)
    }

    /// The number of a name, if it is there.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.0.find(name.as_bytes()).map(number)
    }

    /// The number of a name, which is added if it is not there. Beyond four billion all names are one, without letters.
    pub fn intern(&mut self, name: &str) -> u32 {
        self.0.intern(name.as_bytes()).map_or(u32::MAX, number)
    }

    /// The numbers of many names, as if interned one after the other, but quicker.
    pub fn intern_all<'a>(&mut self, names: impl Iterator<Item = &'a str> + Clone, numbers: &mut Vec<u32>) {
        let mut ids = Vec::new();
        self.0.intern_all(names.map(str::as_bytes), &mut ids);
        numbers.clear();
        numbers.extend(ids.into_iter().map(|id| id.map_or(u32::MAX, number)));
    }

    /// The names alone, without the table that finds them.
    pub fn into_list(self) -> NameList {
        NameList(self.0.into_values())
    }

    /// Bytes of memory held.
    pub fn memory(&self) -> usize {
        self.0.memory()
    }
}

/// Names by their numbers; they cannot be looked for any longer.
#[derive(Debug, Clone, Default)]
pub struct NameList(Values);

impl NameList {
    /// Number of names.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn get(&self, number: u32) -> &str {
        text(&self.0, number)
    }
}

fn number(id: Id) -> u32 {
    id.index() as u32
}

fn text(values: &Values, number: u32) -> &str {
    Id::from_index(number as usize).map_or("", |id| values.text(id))
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
        let list = names.into_list();
        assert_eq!((list.len(), list.get(4321), list.get(u32::MAX)), (5001, "com,example)/4321", ""));
    }
}
