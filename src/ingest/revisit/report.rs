//! Reports revisits that are at odds with what they refer to.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::io;

use crate::capture::{AtOdds, Kind};
use crate::ingest::codec::{Glimpse, Names};
use crate::ingest::log::ProblemLog;
use crate::ingest::plan::InputFile;
use crate::ingest::spool::Spool;
use crate::problem::{Level, Problem};

/// The kinds of what is reported here. It depends on the captures that are read together, so what was found when a table was made, of
/// one archive alone, is not repeated: it is found again, or no longer true.
pub(crate) const KINDS: [&str; 5] = [
    "revisit-contradicts",
    "revisit-of-wrong-body",
    "revisit-of-cut",
    "revisit-of-contradictory",
    "revisit-of-other-record",
];

/// Reports revisits that are at odds with what they refer to. What stands beside the inputs may lack its originals, and is not judged.
pub(crate) fn report(spool: &Spool, inputs: &[InputFile], log: &mut ProblemLog) -> io::Result<()> {
    let mut outcome = Ok(());
    // Copies of a revisit are one capture, and are reported once.
    let (hash, mut known) = (RandomState::new(), HashSet::new());
    spool.glimpse_at(&[Kind::Revisit], &mut |_, revisit, names| {
        let is_beside = inputs.get(revisit.input as usize).is_some_and(|input| input.beside);
        if let (Some(at_odds), Ok(()), false) = (revisit.at_odds, &outcome, is_beside) {
            let record = revisit.record_id.map(|id| (id, revisit.url, revisit.time, revisit.declared));
            if record.is_none_or(|record| known.insert(hash.hash_one(record))) {
                outcome = log.push(problem(at_odds, revisit, names));
            }
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
             is unknown"
        }
        AtOdds::Cut => "the record that the revisit refers to is cut: what was served is unknown",
        AtOdds::Elsewhere => {
            "the record that this 304 names is of another URL: it does not show that this page was not modified"
        }
        AtOdds::Later => {
            "the record that this 304 names was captured later: it does not show that the page was not modified"
        }
        AtOdds::Contradictory => {
            "the record that the revisit refers to is there twice, with different content: what was served is unknown"
        }
        AtOdds::Part => {
            "the record that the revisit refers to holds a part of the page: what else was served is unknown"
        }
    };
    let kind = match at_odds {
        AtOdds::Digest => "revisit-contradicts",
        AtOdds::Original => "revisit-of-wrong-body",
        AtOdds::Cut | AtOdds::Part => "revisit-of-cut",
        AtOdds::Contradictory => "revisit-of-contradictory",
        AtOdds::Elsewhere | AtOdds::Later => "revisit-of-other-record",
    };
    let id = revisit.record_id.and_then(|id| std::str::from_utf8(id).ok());
    let problem = Problem::new(Level::Warning, kind, message).in_file(names.text(revisit.file)).of_record(id);
    match revisit.offset {
        Some(offset) => problem.at(offset),
        None => problem,
    }
}
