//! Which capture of a URL is taken.
//!
//! Content before redirects, those before captures whose bytes are not those of their own digest, those before records that are cut, those
//! before pages that look like an error page, a parked domain or a wall against robots: these have nothing of the page. Among equals the canonical format before a converted one, then by the rule: the newest (the paper's), the one
//! closest to a date, or the one proven online at the best moment. Ties: the repository named first, then the place in its files.

use std::collections::{HashMap, HashSet};

use super::compute::Places;
use crate::audit::soft404::Signs;
use crate::capture::intern::Id;
use crate::capture::page::{is_html, is_html_page, path};
use crate::capture::table::{Row, Table};
use crate::capture::{AtOdds, Kind};
use crate::change::evidence::Grade;
use crate::change::not_modified::confirmed;
use crate::change::role::Roles;
use crate::diff::lander::Landers;
use crate::diff::state::{State, state as judge};
use crate::error::{Error, Result};
use crate::time::Instant;
use crate::url::Canon;

/// By what captures of one URL are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    Newest,
    /// The closest to a date; of two equally close ones the earlier.
    Closest(Instant),
    /// Those proven to have been online together, at a given moment or the best one.
    Coherent(Option<Instant>),
}

/// What a user chose by hand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Overrides {
    by_key: HashMap<String, String>,
}

impl Overrides {
    /// Reads lines of a URL and a record id or a date, parted by white space.
    ///
    /// # Errors
    /// Where a line has another form.
    pub(crate) fn read(text: &str, canon: Canon) -> Result<Self> {
        let mut by_key = HashMap::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let Some((url, which)) = line.split_once(char::is_whitespace) else {
                return Err(Error::usage(format!("line {} names no capture", number + 1))
                    .with_remedy("write a URL, a blank, and a record id or the date of a capture"));
            };
            by_key.insert(canon.key(url), which.trim().trim_matches(['<', '>']).to_owned());
        }
        Ok(Overrides { by_key })
    }

    /// Whether a capture is the one that was chosen for its URL.
    pub(crate) fn names(&self, key: &str, record_id: Option<&str>, time: Instant) -> bool {
        self.by_key.get(key).is_some_and(|which| {
            record_id == Some(which) || time.to_string() == *which || time.digits14() == *which
        })
    }

    /// The keys of all URLs for which a capture was chosen.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &str> {
        self.by_key.keys().map(String::as_str)
    }

    /// The keys of URLs for which no capture was found, in order.
    pub(crate) fn unmet(&self, table: &Table) -> Vec<&str> {
        let is_met = |key: &str| {
            let page = table.pages().binary_search_by(|page| table.text(page.key).cmp(key));
            page.is_ok_and(|page| {
                let rows = table.rows_of(&table.pages()[page]);
                rows.iter().any(|row| self.names(key, row.record_id.map(|id| table.text(id)), row.time))
            })
        };
        let mut keys: Vec<&str> = self.by_key.keys().map(String::as_str).filter(|key| !is_met(key)).collect();
        keys.sort_unstable();
        keys
    }
}

/// A capture that could be taken.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Candidate {
    /// Its place in the table.
    pub row: usize,
    pub repository: usize,
    pub state: State,
    /// Why it is not content, or not sound, in words.
    pub why: Option<String>,
    /// Its bytes are not those of its own digest.
    pub is_damaged: bool,
    /// It is known to have nothing of the page: an error page, a parked page or a wall. What other URLs of the site show too may still be
    /// the page.
    looks_like_error: bool,
    pub is_converted: bool,
    /// Its record can be copied.
    pub is_copied: bool,
    pub is_named: bool,
    /// When a 304 that holds no content proves that its content was online.
    confirmed: Vec<Instant>,
}

impl Candidate {
    /// Whether it has something of the page.
    fn is_usable(&self) -> bool {
        matches!(self.state, State::Content | State::Redirect | State::ErrorPage | State::Cut)
    }

    /// Whether it only stands in for the page. What a user names is the page.
    pub(crate) fn is_stand_in(&self) -> bool {
        self.looks_like_error && !self.is_named
    }

    /// Whether it would be taken in place of another one that nobody named.
    pub(super) fn is_better_than(&self, other: &Candidate) -> bool {
        self.is_copied && self.is_usable() && self.rank() < other.rank()
    }

    /// What is taken first: the least. What is damaged has something of the page; what looks like an error page has nothing of it.
    fn rank(&self) -> Rank {
        let worst = if self.is_damaged { self.state.max(State::Redirect) } else { self.state };
        (self.looks_like_error, worst, self.is_damaged, self.state)
    }
}

/// Knows the captures of all URLs, and ranks them.
#[derive(Debug)]
pub(crate) struct Chooser<'t> {
    table: &'t Table,
    canon: Canon,
    signs: Signs,
    /// Bodies that several URLs of the site have: on the root such a page is a parked domain.
    repeated: HashSet<Id>,
    landers: Landers,
    pub overrides: Overrides,
    /// Archives that hold originals of revisits and are not there: only an index tells of them.
    lost: &'t HashSet<String>,
    /// Records that are not found again in damaged bytes.
    uncopied: &'t Places,
    /// Repository of each input.
    pub repository_of: &'t [usize],
    /// Whether the records of each input can be copied.
    pub is_copied: &'t [bool],
}

/// A page found at this many URLs is no longer taken for the root's own.
const REPEATED: usize = 3;

impl<'t> Chooser<'t> {
    pub(crate) fn new(
        table: &'t Table,
        canon: Canon,
        overrides: Overrides,
        (lost, uncopied): (&'t HashSet<String>, &'t Places),
        repository_of: &'t [usize],
        is_copied: &'t [bool],
    ) -> Self {
        let mut keys: HashMap<Id, HashSet<Id>> = HashMap::new();
        for row in table.rows().iter().filter(|row| is_html_page(table, row)) {
            if let Some(body) = row.body.or(row.declared) {
                keys.entry(body).or_default().insert(row.key);
            }
        }
        let repeated = keys.into_iter().filter(|(_, keys)| keys.len() >= REPEATED).map(|(body, _)| body);
        let signs = Signs::of_rows(table, table.rows().iter());
        Chooser {
            table,
            canon,
            signs,
            repeated: repeated.collect(),
            landers: Landers::new(table),
            overrides,
            lost,
            uncopied,
            repository_of,
            is_copied,
        }
    }

    /// The captures of a URL, in time order.
    pub(crate) fn candidates(&self, page: usize) -> Vec<Candidate> {
        let page = &self.table.pages()[page];
        let rows = page.rows.clone();
        let shown = self.table.rows_of(page);
        let roles = Roles::of(self.table, shown);
        let bodies: HashSet<Option<Id>> = rows.clone().map(|row| self.table.rows()[row].body).collect();
        let bare = shown.iter().filter(|row| row.kind == Kind::Response && row.status == Some(304));
        let proofs: Vec<(&Row, Instant)> = bare
            .filter_map(|row| match confirmed(self.table, &roles, shown, row, true) {
                Ok((original, Grade::NotModified)) => Some((original, row.time)),
                _ => None,
            })
            .collect();
        rows.map(|place| {
            let row = &self.table.rows()[place];
            let (mut state, mut why) = judge(self.table, row, self.canon, &self.signs);
            let url = self.table.text(row.url);
            let is_root = path(url) == "/" && !url.contains('?');
            let body = row.body.or(row.declared);
            let mut is_repeated = false;
            if state == State::Content
                && is_root
                && bodies.len() > 1
                && body.is_some_and(|body| self.repeated.contains(&body))
            {
                let reason = "other URLs of the site show the same page: it looks like a parked domain";
                (state, why) = (State::ErrorPage, Some(reason.to_owned()));
                is_repeated = true;
            }
            if state == State::Content
                && bodies.len() > 1
                && let Some(lander) = self.landers.of(self.table, row)
            {
                (state, why) = (State::ErrorPage, Some(lander.words().to_owned()));
            }
            let has_original = row.original.is_some() && row.at_odds.is_none();
            if state == State::Content
                && row.revisit
                && row.kind != Kind::Index
                && row.body.is_none()
                && !has_original
            {
                (state, why) = (State::Failed, Some(without_content(row.at_odds)));
            }
            let lost = self.table.original(row).filter(|(file, _)| self.lost.contains(*file));
            if state == State::Content
                && row.revisit
                && row.kind != Kind::Index
                && let Some((file, _)) = lost
            {
                let reason =
                    format!("a revisit; the archive of the capture that it refers to is not there: {file}");
                (state, why) = (State::Failed, Some(reason));
            }
            let is_uncopied = |place: Option<(&str, u64)>| {
                place.is_some_and(|(file, offset)| self.uncopied.contains(&(file.to_owned(), offset)))
            };
            let own = row.offset.map(|offset| (self.table.text(row.file), offset));
            if !self.uncopied.is_empty() && (is_uncopied(own) || is_uncopied(self.table.original(row))) {
                (state, why) = (
                    State::Failed,
                    Some("its file is damaged, and its record cannot be copied from it".to_owned()),
                );
            }
            // A 304 has no content of its own.
            if state == State::Content && row.kind == Kind::Response && row.status == Some(304) {
                (state, why) = (State::Failed, Some("a 304 holds no content".to_owned()));
            }
            // What repeats an error page is one. Where a 304 contradicts the capture that it names, it is unknown which
            // content it had.
            let mut originals = shown.iter().filter(|other| self.table.place_of(other) == row.original);
            if state == State::Content
                && row.original.is_some()
                && let Some(original) = originals.next()
            {
                let (of_original, reason) = judge(self.table, original, self.canon, &self.signs);
                if of_original != State::Content {
                    (state, why) = (of_original, reason.map(|reason| format!("its original has {reason}")));
                } else if row.not_modified
                    && let Err(unconfirmed) = confirmed(self.table, &roles, shown, row, true)
                {
                    let reason = format!("a 304 that confirms no capture: {}", unconfirmed.words());
                    (state, why) = (State::Failed, Some(reason));
                }
            }
            let damage = row.broken();
            if matches!(state, State::Content | State::Redirect) {
                why = damage.map(str::to_owned).or(why);
            }
            let input = row.input as usize;
            let is_copied = row.kind != Kind::Index
                && row.offset.is_some()
                && self.is_copied.get(input).copied().unwrap_or(false);
            Candidate {
                row: place,
                repository: self.repository_of.get(input).copied().unwrap_or(0),
                state,
                why,
                is_damaged: damage.is_some(),
                looks_like_error: state == State::ErrorPage && !is_repeated,
                is_converted: is_converted(url, row.mime.map(|mime| self.table.text(mime))),
                is_copied,
                is_named: self.overrides.names(
                    self.table.text(page.key),
                    row.record_id.map(|id| self.table.text(id)),
                    row.time,
                ),
                confirmed: proofs
                    .iter()
                    .filter(|(original, _)| std::ptr::eq(*original, row))
                    .map(|(_, time)| *time)
                    .collect(),
            }
        })
        .collect()
    }

    /// The best of these candidates by a rule. `proven` holds places of rows that are proven online at the moment of `Rule::Coherent`.
    pub(crate) fn best<'c>(
        &self,
        candidates: impl Iterator<Item = &'c Candidate>,
        rule: Rule,
        proven: &HashSet<usize>,
        at: Option<Instant>,
    ) -> Option<&'c Candidate> {
        let usable = |one: &&Candidate| one.is_copied && (one.is_named || one.is_usable());
        candidates.filter(usable).min_by_key(|one| self.order(one, rule, proven, at))
    }

    /// What is taken first: the least.
    fn order(&self, one: &Candidate, rule: Rule, proven: &HashSet<usize>, at: Option<Instant>) -> Order {
        let time = self.table.rows()[one.row].time;
        let distance = |date: Instant| {
            let times = one.confirmed.iter().chain([&time]);
            times.map(|time| time.0.abs_diff(date.0)).min().unwrap_or(u64::MAX)
        };
        let by_rule = match (rule, at) {
            (Rule::Newest, _) | (Rule::Coherent(_), None) => u64::MAX - time.0.abs_diff(i64::MIN),
            (Rule::Closest(date), _) | (Rule::Coherent(_), Some(date)) => distance(date),
        };
        let unproven = matches!(rule, Rule::Coherent(_)) && !proven.contains(&one.row);
        (!one.is_named, one.rank(), unproven, one.is_converted, by_rule, one.repository, one.row)
    }

    /// The captures that show the page and cannot be restored, those that would be taken first in front: lines of an index, and revisits.
    pub(crate) fn out_of_reach<'c>(
        &self,
        candidates: &'c [Candidate],
        rule: Rule,
        proven: &HashSet<usize>,
        at: Option<Instant>,
    ) -> Vec<&'c Candidate> {
        let shows = |one: &&Candidate| {
            let is_revisit = one.is_copied && self.table.rows()[one.row].revisit;
            (!one.is_copied && one.state <= State::Redirect) || (is_revisit && one.state == State::Failed)
        };
        let mut found: Vec<&Candidate> = candidates.iter().filter(shows).collect();
        found.sort_by_key(|one| self.order(one, rule, proven, at));
        found
    }
}

/// What a candidate has of the page.
type Rank = (bool, State, bool, State);
/// By what candidates are ordered.
type Order = (bool, Rank, bool, bool, u64, usize, usize);

/// Why a revisit has no content to restore.
fn without_content(at_odds: Option<AtOdds>) -> String {
    let why = at_odds.map_or("the capture that it refers to is not in any repository", AtOdds::words);
    format!("a revisit; {why}")
}

/// Whether the answer is HTML though the URL names a document or an image: search engines store such copies.
fn is_converted(url: &str, mime: Option<&str>) -> bool {
    const ENDINGS: [&str; 19] = [
        ".pdf", ".ps", ".doc", ".docx", ".xls", ".xlsx", ".ppt", ".pptx", ".rtf", ".odt", ".jpg", ".jpeg",
        ".png", ".gif", ".webp", ".svg", ".mp3", ".mp4", ".zip",
    ];
    let path = path(url).to_ascii_lowercase();
    mime.is_some_and(is_html) && ENDINGS.iter().any(|ending| path.ends_with(ending))
}

#[cfg(test)]
#[path = "choose_tests.rs"]
mod tests;
