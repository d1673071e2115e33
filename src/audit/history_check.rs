//! Checks that the history given by the user is that of the captured pages.
//!
//! Two captures of the same bytes prove that a page did not change between them, and two that differ that it did. A page
//! whose history says otherwise is reported by name, and its history is used for nothing: what was captured is evidence, what a
//! table says is not. Times of a history may be cut to seconds, so a change within the last second before a capture is no
//! contradiction. Only bytes are compared: a text may well stay when its page is modified.

use crate::audit::params::Parameters;
use crate::capture::table::Table;
use crate::change::evidence::{Compare, Judge};
use crate::change::history::History;
use crate::change::run::{Link, Versions};
use crate::format::clock;
use crate::problem::{Level, Problem};
use crate::time::{Instant, Interval, SECOND};

/// Holds a history against the captures: takes out of it what they refute, and says so.
#[derive(Debug, Default)]
pub(crate) struct HistoryCheck {
    known: bool,
    problems: Vec<Problem>,
}

impl HistoryCheck {
    /// Checks the pages of a table.
    pub(crate) fn add(&mut self, history: &mut History, table: &Table, parameters: &Parameters) {
        let judge = Judge::new(table, parameters.compare, parameters.evidence);
        for page in table.pages() {
            let rows = table.rows_of(page);
            let (url, key) = (table.text(rows[0].url), table.text(page.key));
            let Some(changes) = history.changes(url, key) else { continue };
            self.known = true;
            if parameters.compare != Compare::Bytes {
                continue;
            }
            if let Some(fault) = contradiction(&Versions::of(&judge, rows), changes, history.span()) {
                let message = format!("{fault}: the history of {url} is not used");
                self.problems.push(Problem::new(Level::Warning, "history-contradicted", message));
                history.refuse(key);
            }
        }
    }

    /// Problems where the history and the captures disagree.
    pub(crate) fn finish(mut self) -> Vec<Problem> {
        if !self.known {
            let message = "the history has no page of the archive, so it is of no use";
            let remedy = "its column page has to hold URLs, keys or paths as they were captured";
            let problem = Problem::new(Level::Warning, "history-unmatched", message);
            self.problems.push(problem.with_remedy(remedy));
        }
        self.problems
    }
}

/// The first thing that captures refute.
fn contradiction(versions: &Versions, changes: &[Instant], span: Option<Interval>) -> Option<String> {
    let stood = versions.proven().find_map(|proven| {
        let inside = |at: &&Instant| **at > proven.from && at.plus(SECOND) <= proven.to;
        Some((proven, changes.iter().find(inside)?))
    });
    if let Some((proven, at)) = stood {
        return Some(format!(
            "a change is said to have happened at {}, but captures up to {} and from {} on are the same",
            clock(*at),
            clock(proven.from),
            clock(proven.to)
        ));
    }
    let span = span?;
    let changed = versions.gaps().find(|gap| {
        matches!(gap.link, Some(Link::Different(_)))
            && span.from <= gap.from.time
            && gap.to.end <= span.to
            && !changes.iter().any(|at| at.plus(SECOND) > gap.from.time && *at <= gap.to.end)
    })?;
    Some(format!(
        "no change is said to have happened between {} and {}, but the captures differ",
        clock(changed.from.time),
        clock(changed.to.end)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::{AuditInput, audit};
    use crate::capture::testing::look;
    use crate::change::rate::Source;

    fn table() -> Table {
        let page = |name: &str, hour: u32, body| {
            look(&format!("http://a.example/{name}"), &format!("2024-01-01T{hour:02}:00:00Z")).body(body)
        };
        let looks = [page("same", 8, 1), page("same", 12, 1), page("changed", 8, 2), page("changed", 12, 3)];
        Table::of(&looks.map(crate::capture::testing::Look::build))
    }

    fn checked(rows: &str) -> (History, Vec<Problem>) {
        let mut history = History::read(format!("page,change_time\n{rows}").as_bytes()).unwrap();
        let mut check = HistoryCheck::default();
        check.add(&mut history, &table(), &Parameters::default());
        (history, check.finish())
    }

    #[test]
    fn a_history_that_agrees_with_the_captures_is_used() {
        let (history, problems) =
            checked("same,2024-01-01T07:00:00Z\nsame,2024-01-01T13:00:00Z\nchanged,2024-01-01T09:30:00Z\n");
        assert_eq!(problems, []);
        assert!(history.changes("http://a.example/same", "k").is_some());
        // At the second of the capture itself the change may have come just behind it.
        assert_eq!(checked("same,2024-01-01T12:00:00Z\n").1, []);
    }

    #[test]
    fn a_change_across_which_the_captures_are_the_same_is_told_and_not_used() {
        let (history, problems) = checked("same,2024-01-01T09:00:00Z\nsame,2024-01-01T13:00:00Z\n");
        assert_eq!(problems.len(), 1);
        assert_eq!((problems[0].level, &*problems[0].kind), (Level::Warning, "history-contradicted"));
        assert!(problems[0].message.contains("2024-01-01 09:00:00"), "{}", problems[0].message);
        let input = AuditInput { history: Some(&history), ..AuditInput::default() };
        let audit = audit(&table(), &Parameters::default(), input);
        let page = audit.sites[0].page_list.iter().find(|page| page.url.ends_with("/same")).unwrap();
        assert_eq!(page.rate.source, Source::Looks);
        let found = page.completeness.unwrap();
        assert_eq!((found.captured, found.exact), (1.0, false));
    }

    #[test]
    fn captures_that_differ_where_the_history_knows_no_change_are_told() {
        let (_, problems) = checked("changed,2024-01-01T06:00:00Z\nchanged,2024-01-01T14:00:00Z\n");
        assert_eq!(problems.len(), 1);
        assert!(problems[0].message.contains("but the captures differ"), "{}", problems[0].message);
        // Of the time before its first and behind its last entry a history says nothing.
        assert_eq!(checked("changed,2024-01-01T06:00:00Z\n").1, []);
    }

    #[test]
    fn a_history_of_other_pages_is_told() {
        let (_, problems) = checked("http://b.example/,2024-01-01T06:00:00Z\n");
        assert_eq!(&*problems[0].kind, "history-unmatched");
    }
}
