//! Problems: findings about the data. They are reported with their place, and the run goes on.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::word_enum::word_enum;

word_enum! {
    /// How much a finding matters.
    pub enum Level {
        /// A writer's habit that was recognised and handled; nothing is lost.
        Note = "note",
        /// Something is doubtful or was cut by a limit; what could be read was read.
        Warning = "warning",
        /// Something could not be read.
        Error = "error",
    }
}

/// One finding, with its place, in words a curator understands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// How much it matters.
    pub level: Level,
    /// A stable short name, such as `gzip-damaged`; `docs/formats.md` lists them all.
    pub kind: String,
    /// The file, as the user named it.
    pub file: String,
    /// Byte offset of the record or member, if known.
    pub offset: Option<u64>,
    /// `WARC-Record-ID`, if known.
    pub record_id: Option<String>,
    /// What was found.
    pub message: String,
    /// What can be done about it.
    pub remedy: Option<String>,
}

impl Problem {
    /// The columns of a table of problems: the keys of its JSON, in their order.
    pub(crate) const COLUMNS: [&str; 7] =
        ["level", "kind", "file", "offset", "record_id", "message", "remedy"];

    /// A finding without a place; the reader that reports it adds one.
    pub fn new(level: Level, kind: &str, message: impl Into<String>) -> Self {
        Problem {
            level,
            kind: kind.to_owned(),
            file: String::new(),
            offset: None,
            record_id: None,
            message: message.into(),
            remedy: None,
        }
    }

    /// The order of findings by their places.
    pub(crate) fn by_place(&self, other: &Self) -> std::cmp::Ordering {
        fn place(problem: &Problem) -> (&str, Option<u64>, &str, Option<&str>, Level, &str) {
            let Problem { level, kind, file, offset, record_id, message, .. } = problem;
            (file, *offset, kind, record_id.as_deref(), *level, message)
        }
        place(self).cmp(&place(other))
    }

    /// What two reports of one problem have in common: kind and place, and where that is a whole file, the words.
    fn identity(&self) -> [u8; 16] {
        let Problem { level, kind, file, offset, record_id, message, .. } = self;
        let words = offset.is_none().then_some(message);
        let text = serde_json::to_vec(&(level, kind, file, offset, record_id, words)).unwrap_or_default();
        let mut name = [0; 16];
        name.copy_from_slice(&blake3::hash(&text).as_bytes()[..16]);
        name
    }

    /// Names the file.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.file = file.into();
        self
    }

    /// Names the byte offset.
    #[must_use]
    pub fn at(mut self, offset: u64) -> Self {
        self.offset = Some(offset);
        self
    }

    /// Names the record.
    #[must_use]
    pub fn of_record(mut self, id: Option<&str>) -> Self {
        self.record_id = id.map(str::to_owned);
        self
    }

    /// Says what can be done.
    #[must_use]
    pub fn with_remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
}

/// Problems that were reported, to know them again: several lists may report what was found once, such as the tables into which the
/// captures of one archive were divided.
#[derive(Debug, Default)]
pub(crate) struct Reported {
    /// How often each was found in one list, at most.
    times: HashMap<[u8; 16], u32>,
}

impl Reported {
    /// The most problems that are remembered; beyond that each is new.
    const MAX_KNOWN: usize = 1 << 20;

    /// Keeps of a list what no list before it has. What one list has twice was found twice.
    pub(crate) fn keep_new(&mut self, list: &mut Vec<Problem>) {
        let mut of_list: HashMap<[u8; 16], u32> = HashMap::new();
        list.retain(|problem| {
            let name = problem.identity();
            let again = of_list.entry(name).or_default();
            *again += 1;
            if self.times.get(&name).is_some_and(|known| known >= again) {
                return false;
            }
            if self.times.len() < Self::MAX_KNOWN || self.times.contains_key(&name) {
                self.times.insert(name, *again);
            }
            true
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_columns_are_the_keys_of_a_problem() {
        let problem = serde_json::to_value(Problem::new(Level::Note, "x", "y")).unwrap();
        let keys: Vec<&str> = problem.as_object().unwrap().keys().map(String::as_str).collect();
        let mut columns = Problem::COLUMNS;
        columns.sort_unstable();
        assert_eq!(keys, columns);
    }
}
