//! Findings a curator acts on, gathered from the rows and pages of one site in one window.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use crate::audit::model::{
    ChangedPage, ClockSkew, Contradiction, Contradictions, Duplicates, Findings, Folder, MadeAnew, PageAudit,
    Passes, ReplaySpan, SoftPage, SoftRule, StatusCount, WorstPage,
};
use crate::audit::page::Work;
use crate::audit::page_record::{Answer, Capture, PageRecord};
use crate::audit::soft404::{Answered, Signs};
use crate::capture::Kind;
use crate::capture::crawl::second_pass;
use crate::capture::page::folder;
use crate::change::run::{Link, PageState};
use crate::ingest::sorter::Sorter;
use crate::time::{Instant, SECOND};

const EXAMPLES: usize = 20;
const FOLDERS: usize = 50;
const WORST: usize = 10;

/// Gathers findings while records and pages go by, in the order of their keys.
pub(crate) struct Gathering<'a> {
    signs: &'a Signs,
    replayed_at: Instant,
    passes: Option<Passes>,
    soft: Soft,
    skews: Skews,
    contents: Contents,
    unresolved_revisits: u64,
    cut_captures: u64,
    cut_unrepeated: u64,
    index_captures: u64,
    statuses: BTreeMap<(Option<u16>, Option<Arc<str>>), u64>,
    changed: Vec<ChangedPage>,
    changed_pages: u64,
    contradictions: Contradictions,
    made_anew: MadeAnew,
    folders: BTreeMap<String, Folder>,
    /// The blur of all folders.
    blur: f64,
    replayed: Option<(Instant, Instant)>,
    /// The worst pages so far, the worst first.
    worst: Vec<(f64, WorstPage)>,
    without_text: u64,
}

impl<'a> Gathering<'a> {
    /// Replay shows for each page the capture that is closest to `replayed_at`. About `memory` bytes of digests are held.
    pub(crate) fn new(signs: &'a Signs, replayed_at: Instant, passes: Option<Passes>, memory: usize) -> Self {
        Gathering {
            signs,
            replayed_at,
            passes,
            soft: Soft::default(),
            skews: Skews::default(),
            contents: Contents::new(memory),
            unresolved_revisits: 0,
            cut_captures: 0,
            cut_unrepeated: 0,
            index_captures: 0,
            statuses: BTreeMap::new(),
            changed: Vec::new(),
            changed_pages: 0,
            contradictions: Contradictions { pages: 0, observations: 0, examples: Vec::new() },
            made_anew: MadeAnew::default(),
            folders: BTreeMap::new(),
            blur: 0.0,
            replayed: None,
            worst: Vec::new(),
            without_text: 0,
        }
    }

    /// Adds the captures of a URL, page or not.
    pub(crate) fn url(&mut self, record: &PageRecord) -> io::Result<()> {
        let mut unrepeated = 0;
        for capture in &record.captures {
            let answer = record.answer(capture);
            match answer.cut == Some(true) {
                true => unrepeated += 1,
                false if answer.status.is_some_and(|status| status < 400) => unrepeated = 0,
                false => {}
            }
            self.skews.add(capture);
            self.contents.add(answer)?;
            self.unresolved_revisits += u64::from(answer.unresolved);
            self.cut_captures += u64::from(answer.cut == Some(true));
            self.index_captures += u64::from(answer.kind == Kind::Index);
            match self.statuses.get_mut(&(answer.status, answer.mime.clone())) {
                Some(count) => *count += 1,
                None => drop(self.statuses.insert((answer.status, answer.mime.clone()), 1)),
            }
        }
        self.cut_unrepeated += unrepeated;
        if let Some(last) = record.captures.last() {
            self.soft.add(record, record.answer(last), self.signs);
        }
        Ok(())
    }

    pub(crate) fn page(&mut self, work: &Work<'_>, page: &PageAudit) {
        if let Some(seconds) = work.versions.differs_always() {
            let made_anew = &mut self.made_anew;
            made_anew.pages += 1;
            let shortest = made_anew.shortest_seconds.map_or(seconds, |least| least.min(seconds));
            made_anew.shortest_seconds = Some(shortest);
            if made_anew.examples.len() < EXAMPLES {
                made_anew.examples.push(page.url.clone());
            }
        }
        if let Some(change) = changed_in_one_crawl(work, page, self.passes) {
            self.changed_pages += 1;
            self.changed.push(change);
            if self.changed.len() >= 8 * EXAMPLES {
                self.keep_first_changes();
            }
        }
        let contradictions = &mut self.contradictions;
        contradictions.pages += u64::from(!work.versions.contradicted.is_empty());
        contradictions.observations += work.versions.contradicted.len() as u64;
        for (capture, last_modified) in &work.versions.contradicted {
            if contradictions.examples.len() < EXAMPLES {
                let time = work.record.captures[*capture].time;
                let url = page.url.clone();
                contradictions.examples.push(Contradiction { url, time, last_modified: *last_modified });
            }
        }
        self.folder(page);
        self.replay(work);
        self.rank(page);
        self.without_text += work.versions.without_text as u64;
    }

    fn keep_first_changes(&mut self) {
        self.changed.sort_by(|a, b| (a.before, &a.url).cmp(&(b.before, &b.url)));
        self.changed.truncate(EXAMPLES);
    }

    fn folder(&mut self, page: &PageAudit) {
        let name = folder(&page.url);
        if !self.folders.contains_key(name) {
            let none = Folder {
                folder: name.to_owned(),
                pages: 0,
                sharp: 0,
                changed: 0,
                single: 0,
                unknown: 0,
                blur: 0.0,
                share: None,
            };
            self.folders.insert(name.to_owned(), none);
        }
        let Some(entry) = self.folders.get_mut(name) else { return };
        entry.pages += 1;
        match page.state {
            PageState::Sharp => entry.sharp += 1,
            PageState::Changed => entry.changed += 1,
            PageState::Single => entry.single += 1,
            PageState::Unknown => entry.unknown += 1,
        }
        let blur = page.blur.map_or(0.0, |blur| blur.actual.expected);
        entry.blur += blur;
        self.blur += blur;
    }

    fn replay(&mut self, work: &Work<'_>) {
        let at = self.replayed_at;
        let captured = work.versions.looks.iter().map(|look| look.captured);
        if let Some(time) = captured.min_by_key(|time| (time.0.abs_diff(at.0), *time)) {
            let (from, to) = self.replayed.unwrap_or((time, time));
            self.replayed = Some((from.min(time), to.max(time)));
        }
    }

    fn rank(&mut self, page: &PageAudit) {
        let Some(blur) = page.blur.map(|blur| blur.actual.expected) else { return };
        let score = blur * page.weight;
        if score.is_nan() || score <= 0.0 || page.state == PageState::Sharp {
            return;
        }
        let place = self.worst.partition_point(|(other, _)| *other >= score);
        if place < WORST {
            let url = page.url.clone();
            let entry = WorstPage { url, blur, weight: Some(page.weight), reason: page.reason.clone() };
            self.worst.insert(place, (score, entry));
            self.worst.truncate(WORST);
        }
    }

    pub(crate) fn finish(mut self) -> io::Result<Findings> {
        self.keep_first_changes();
        let at = self.replayed_at;
        Ok(Findings {
            changed_mid_crawl: self.changed,
            changed_mid_crawl_pages: self.changed_pages,
            passes: self.passes,
            clock_skew: self.skews.finish(),
            contradicted_last_modified: self.contradictions,
            made_anew: self.made_anew,
            unresolved_revisits: self.unresolved_revisits,
            cut_captures: self.cut_captures,
            cut_unrepeated: self.cut_unrepeated,
            index_captures: self.index_captures,
            duplicates: self.contents.finish()?,
            statuses: statuses(self.statuses),
            folders: folders(self.folders, self.blur),
            replay_span: self.replayed.map(|(from, to)| ReplaySpan { at, from, to }),
            worst: self.worst.into_iter().map(|(_, page)| page).collect(),
            soft404: self.soft.examples,
            soft404_urls: self.soft.urls,
            soft404_by_paper: self.soft.by_paper,
            compared_without_text: self.without_text,
        })
    }
}

/// Finds two passes over the pages of a site, as its records go by.
#[derive(Default)]
pub(crate) struct PassFinder {
    urls: usize,
    /// The first two captures, at different times, of the URLs that have two.
    twice: Vec<(Instant, Instant)>,
    /// The last capture of each of these.
    last: Vec<Instant>,
    crawl: Option<u64>,
    several: bool,
}

impl PassFinder {
    pub(crate) fn add(&mut self, record: &PageRecord) {
        let Some((first, last)) = record.captures.first().zip(record.captures.last()) else { return };
        let crawl = *self.crawl.get_or_insert(first.crawl);
        self.several |= record.captures.iter().any(|capture| capture.crawl != crawl);
        if self.several {
            (self.twice, self.last) = (Vec::new(), Vec::new());
            return;
        }
        self.urls += 1;
        let second = record.captures.iter().map(|capture| capture.time).find(|time| *time > first.time);
        if let Some(second) = second {
            self.twice.push((first.time, second));
            self.last.push(last.time);
        }
    }

    /// The passes; none where the captures are of several crawls anyway.
    pub(crate) fn finish(self) -> Option<Passes> {
        let second_from = second_pass(&self.twice, self.urls).filter(|_| !self.several)?;
        let spans = self.twice.iter().zip(&self.last);
        let in_both =
            spans.filter(|((first, _), last)| *first < second_from && **last >= second_from).count();
        Some(Passes { second_from, pages: self.urls as u64, in_both: in_both as u64 })
    }
}

fn changed_in_one_crawl(work: &Work<'_>, page: &PageAudit, passes: Option<Passes>) -> Option<ChangedPage> {
    let crawl = |row: usize| {
        let capture = &work.record.captures[row];
        (capture.crawl, passes.is_some_and(|passes| capture.time >= passes.second_from))
    };
    work.versions.gaps().find_map(|gap| match gap.link {
        Some(Link::Different(grade)) if crawl(gap.from.row) == crawl(gap.to.row) => {
            Some(ChangedPage { url: page.url.clone(), after: gap.from.time, before: gap.to.end, grade })
        }
        _ => None,
    })
}

/// How far the clock of the server is off. Where its date lies outside of the fetch; what its cut to seconds explains is not skew.
#[derive(Default)]
struct Skews {
    /// Captures with a date that is not off.
    right: usize,
    /// How far others are off, in microseconds.
    wrong: Vec<i64>,
}

impl Skews {
    fn add(&mut self, capture: &Capture) {
        // A cache hands on the date at which the server made the response.
        let (end, Some(date)) = (capture.ended(), capture.http_date) else { return };
        let age = capture.age.map_or(0, |age| i64::try_from(age).unwrap_or(i64::MAX).saturating_mul(SECOND));
        let cut = if age > 0 { SECOND } else { 0 };
        let time = capture.time.plus(age.saturating_add(cut).saturating_neg());
        match () {
            () if date.plus(SECOND) < time => self.wrong.push(date.plus(SECOND).0.saturating_sub(time.0)),
            () if date > end => self.wrong.push(date.0.saturating_sub(end.0)),
            () => self.right += 1,
        }
    }

    fn finish(mut self) -> ClockSkew {
        self.wrong.sort_unstable();
        let (dated, slow) = (self.wrong.len() + self.right, self.wrong.partition_point(|skew| *skew < 0));
        let middle = match dated / 2 {
            place if place < slow => self.wrong[place],
            place if place < slow + self.right => 0,
            place => self.wrong.get(place - self.right).copied().unwrap_or(0),
        };
        let worst = self.wrong.iter().copied().max_by_key(|skew| skew.unsigned_abs()).unwrap_or(0);
        let seconds = |skew: i64| (dated > 0).then(|| skew as f64 / SECOND as f64);
        let is_off = |skew: &&i64| skew.unsigned_abs() > 60 * SECOND as u64;
        ClockSkew {
            dated: dated as u64,
            skewed: self.wrong.iter().filter(is_off).count() as u64,
            median_seconds: seconds(middle),
            worst_seconds: seconds(worst),
        }
    }
}

/// Which contents were captured how often.
struct Contents {
    /// The starts of digests, each behind a mark of its kind: bodies and declared digests are never equal. With each, whether the capture
    /// is a revisit.
    seen: Sorter,
    captures: u64,
    revisits: u64,
}

impl Contents {
    fn new(memory: usize) -> Self {
        Contents { seen: Sorter::new(memory), captures: 0, revisits: 0 }
    }

    fn add(&mut self, answer: &Answer) -> io::Result<()> {
        self.revisits += u64::from(answer.revisit);
        let mut content = [0; 17];
        let (mark, bytes) = match (&answer.body, &answer.declared) {
            (Some(body), _) => (u8::MAX, &body.0[..]),
            (None, Some(declared)) => (declared.algorithm() as u8, declared.bytes()),
            (None, None) => return Ok(()),
        };
        self.captures += 1;
        content[0] = mark;
        content[1..].iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        self.seen.push(&content, &[u8::from(answer.revisit)])
    }

    fn finish(self) -> io::Result<Duplicates> {
        let Contents { seen, captures, revisits } = self;
        let (mut distinct, mut stored_again) = (0, 0);
        let mut last: Option<[u8; 17]> = None;
        // Equal ones come in the order in which they were added.
        seen.finish(&mut |content, revisit| {
            let is_known = last.is_some_and(|last| last[..] == *content);
            distinct += u64::from(!is_known);
            stored_again += u64::from(is_known && *revisit == [0]);
            last = content.try_into().ok();
            Ok(())
        })?;
        let ratio = (captures > 0).then(|| 1.0 - distinct as f64 / captures as f64);
        Ok(Duplicates { captures, distinct, revisits, stored_again, ratio })
    }
}

/// URLs whose last answer looks like an error page.
#[derive(Default)]
struct Soft {
    /// Examples for the report.
    examples: Vec<SoftPage>,
    urls: u64,
    /// How many the papers' rule finds.
    by_paper: u64,
}

impl Soft {
    fn add(&mut self, record: &PageRecord, answer: &Answer, signs: &Signs) {
        let answered = Answered::of(record, answer);
        let Some(reason) = signs.of(&answered) else { return };
        let rule = signs.rule(&answered);
        self.urls += 1;
        self.by_paper += u64::from(rule != SoftRule::Own);
        if self.examples.len() < EXAMPLES {
            let url = record.spelling(answer).to_owned();
            self.examples.push(SoftPage { url, reason, rule: Some(rule) });
        }
    }
}

fn statuses(counts: BTreeMap<(Option<u16>, Option<Arc<str>>), u64>) -> Vec<StatusCount> {
    let mut counts: Vec<StatusCount> = counts
        .into_iter()
        .map(|((status, mime), captures)| StatusCount {
            status,
            mime: mime.map(|mime| mime.to_string()),
            captures,
        })
        .collect();
    counts.sort_by(|a, b| (b.captures, a.status, &a.mime).cmp(&(a.captures, b.status, &b.mime)));
    counts
}

fn folders(folders: BTreeMap<String, Folder>, total: f64) -> Vec<Folder> {
    let mut folders: Vec<Folder> = folders.into_values().collect();
    folders.sort_by(|a, b| b.blur.total_cmp(&a.blur).then_with(|| a.folder.cmp(&b.folder)));
    folders.truncate(FOLDERS);
    for folder in &mut folders {
        folder.share = (total > 0.0).then(|| folder.blur / total);
    }
    folders
}
