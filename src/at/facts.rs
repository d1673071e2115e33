//! What the words of an answer need to know of its pages, gathered in one pass: the pages may lie on disk.

use std::collections::BTreeSet;

use crate::at::labels::named;
use crate::at::model::{AtParameters, PageAt, Role, ShownPart, Witness};
use crate::at::page_list::PageList;
use crate::capture::Kind;
use crate::change::assumption::Assumption;
use crate::change::at::State;
use crate::change::evidence::Grade;
use crate::change::run::{PageState, Versions};
use crate::url::{Canon, as_written};

/// A difference of clocks that is pointed out, in seconds.
pub(super) const CLOCK_TOLERANCE: i64 = 60;

/// All pages together.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// A page is proven, for a part of the time at least.
    pub proven: bool,
    /// The grades of those pages.
    grades: Vec<Grade>,
    /// A page is proven, or proven to have changed.
    pub decided: bool,
    /// What the verdicts on those pages assume.
    assumed: Vec<Assumption>,
    /// A page is taken for one under several spellings of its address.
    pub spellings: bool,
    /// A claim rests on an accepted Last-Modified.
    pub claimed: bool,
    /// A version began only after the date.
    pub began_after: bool,
    pub chances: bool,
    /// Pages whose records contradict each other.
    pub contradicted: u64,
    /// A page has captures that were not used, or without a date.
    pub unused: bool,
    /// Captures that failed.
    pub failed: u64,
    pub records: u64,
    /// Records known only from an index.
    pub indexed: u64,
    /// Records whose stated digest is not that of their content.
    pub misstated: u64,
    /// Records whose clocks differ, and by how many seconds at most.
    pub clocks_off: u64,
    pub worst_clock: i64,
    /// A response comes from a cache.
    pub cached: bool,
    /// The time asked about lies between the two dates of a record relied on, though both clocks were right within the tolerance.
    pub clocks_between: bool,
    /// A record only says that content was repeated.
    pub repeated: bool,
    /// What responses vary by, besides their coding.
    pub varies: BTreeSet<String>,
}

impl Facts {
    /// The facts of all pages.
    pub(super) fn of(pages: &PageList, parameters: &AtParameters) -> Self {
        let canon = parameters.canon.parse().unwrap_or(Canon::Default);
        let asked: Vec<(String, String)> =
            parameters.urls.iter().map(|url| (canon.key(url), as_written(url))).collect();
        let mut facts = Facts::default();
        pages.iter().for_each(|page| facts.add(&page, &asked));
        facts
    }

    /// The facts of the history of one page, with the records that it names.
    pub(super) fn of_history<'a>(versions: &Versions, records: impl Iterator<Item = &'a Witness>) -> Self {
        let proven = || versions.runs.iter().filter(|run| run.proven.is_some());
        let changed = versions.state == PageState::Changed;
        let mut facts = Facts {
            proven: proven().next().is_some(),
            decided: changed || proven().next().is_some(),
            assumed: versions.assumptions.list(),
            claimed: versions.runs.iter().any(|run| run.claimed.is_some() && run.last_modified.is_some()),
            spellings: versions.assumptions.has(Assumption::OneKeyOnePage),
            ..Facts::default()
        };
        for grade in proven().filter_map(|run| run.grade) {
            if !facts.uses(grade) {
                facts.grades.push(grade);
            }
        }
        records.for_each(|record| facts.add_record(record));
        facts
    }

    /// Whether a proven page rests on a grade.
    pub(super) fn uses(&self, grade: Grade) -> bool {
        self.grades.contains(&grade)
    }

    /// Whether a verdict rests on an assumption.
    pub(super) fn rests_on(&self, assumption: Assumption) -> bool {
        self.assumed.contains(&assumption)
    }

    fn add(&mut self, page: &PageAt, asked: &[(String, String)]) {
        let is_proven = page.state == State::Proven || page.proven.is_some();
        self.proven |= is_proven;
        if let Some(grade) = page.grade.filter(|grade| is_proven && !self.uses(*grade)) {
            self.grades.push(grade);
        }
        if is_proven || page.state == State::ChangedNearby {
            self.decided = true;
            for assumption in &page.assumptions {
                if !self.rests_on(*assumption) {
                    self.assumed.push(*assumption);
                }
            }
        }
        self.spellings |= has_spellings(page, asked);
        self.claimed |= page.claimed_since.is_some();
        self.began_after |= page.began_after.is_some();
        self.chances |= page.probability.is_some() || page.chances.is_some();
        self.contradicted += u64::from(!page.contradictions.is_empty());
        self.unused |= !page.unused.is_empty() || page.undated > 0;
        self.failed += page.failed;
        self.clocks_between |= page.shown.iter().any(|part| has_clocks_between(page, part));
        page.witnesses.iter().for_each(|record| self.add_record(record));
    }

    fn add_record(&mut self, record: &Witness) {
        self.records += 1;
        self.indexed += u64::from(record.index.is_some());
        self.misstated += u64::from(record.digest_ok == Some(false));
        let off = record.clock_off().map_or(0, i64::saturating_abs);
        if off > CLOCK_TOLERANCE {
            self.clocks_off += 1;
            self.worst_clock = self.worst_clock.max(off);
        }
        self.cached |= record.made_since.is_some();
        self.repeated |= record.kind == Kind::Revisit && record.status != Some(304);
        let is_other = |name: &str| !name.trim().eq_ignore_ascii_case("accept-encoding");
        if let Some(vary) = record.vary.as_ref().filter(|vary| vary.split(',').any(is_other))
            && !self.varies.contains(vary)
        {
            self.varies.insert(vary.clone());
        }
    }
}

/// Whether by the `Date` of a record that a part rests on, within the tolerance, it lies on the other side of that part or in it.
fn has_clocks_between(page: &PageAt, part: &ShownPart) -> bool {
    let date = |label: Option<&String>| {
        let is_right = |record: &&Witness| {
            record.index.is_none()
                && record.clock_off().is_some_and(|off| off.saturating_abs() <= CLOCK_TOLERANCE)
        };
        named(page, label).filter(is_right)?.http_date
    };
    let (before, after) = (date(part.before.as_ref()), date(part.after.as_ref()));
    before.is_some_and(|date| date > part.from) || after.is_some_and(|date| date < part.to)
}

/// Whether several spellings of an address are taken for one page.
fn has_spellings(page: &PageAt, asked: &[(String, String)]) -> bool {
    let records = page.witnesses.iter().filter(|record| record.role != Role::Original);
    let mut urls: Vec<String> = records.map(|record| as_written(&record.url)).collect();
    let asked = asked.iter().find(|(key, _)| *key == page.key).map(|(_, url)| url.clone());
    urls.extend(asked.filter(|_| !page.witnesses.is_empty()));
    urls.windows(2).any(|pair| pair[0] != pair[1]) || page.assumptions.contains(&Assumption::OneKeyOnePage)
}
