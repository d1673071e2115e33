//! What a table says of how it was made, in the notes of its own file: it goes with the table, wherever that goes.

use serde::{Deserialize, Serialize};

use crate::archive::blob::Blob;
use crate::problem::Problem;

use super::rows;

pub(crate) const NOTE: &str = "made";

/// The most problems that a table names: readers of Parquet hold all notes in memory.
const MAX_NAMED: usize = 10_000;

/// How a table was made, and what was found on the way.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Provenance {
    /// Whether digests were recomputed from the stored bytes: `verify` or `declared`.
    pub digests: String,
    /// What was found when the archive was read.
    #[serde(default)]
    pub problems: Vec<Problem>,
}

impl Provenance {
    /// With what was found, as far as it is named.
    pub(crate) fn new(digests: &str, problems: &[Problem]) -> Self {
        let (named, others) = problems.split_at(problems.len().min(MAX_NAMED));
        let mut problems = named.to_vec();
        if let Some(level) = others.iter().map(|problem| problem.level).max() {
            let message = format!(
                "{} more problems were found when the table was made; it does not name them",
                others.len()
            );
            problems.push(Problem::new(level, "problems-left-out", message).in_file(&others[0].file));
        }
        Provenance { digests: digests.to_owned(), problems }
    }

    /// What a table says; `None` where it says nothing, or is no Parquet file.
    pub(crate) fn of(blob: &Blob) -> Option<Self> {
        serde_json::from_str(&rows::note(blob, NOTE)?).ok()
    }

    /// Whether digests were recomputed.
    pub(crate) fn is_verified(&self) -> bool {
        self.digests == "verify"
    }

    pub(crate) fn note(&self) -> (&'static str, String) {
        (NOTE, serde_json::to_string(self).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Level;

    #[test]
    fn of_very_many_problems_the_rest_is_told_in_one() {
        let problem = |level| Problem::new(level, "x", "y").in_file("a.warc");
        let mut problems = vec![problem(Level::Note); MAX_NAMED + 2];
        problems[MAX_NAMED + 1].level = Level::Error;
        let made = Provenance::new("verify", &problems);
        assert_eq!(made.problems.len(), MAX_NAMED + 1);
        let last = made.problems.last().unwrap();
        assert_eq!((last.level, last.message.starts_with("2 more")), (Level::Error, true));
        assert_eq!(Provenance::new("declared", &problems[..1]).problems.len(), 1);
    }
}
