//! One page in one window: from its rows to what the model says of it.

use std::ops::Deref;

use crate::audit::model::{
    ActualBlur, CaptureContent, ChangeImportance, Content, FirstAndLast, PageAudit, PageBlur,
    PageCompleteness, PageRate, Story,
};
use crate::audit::page_record::{Answer, PageRecord};
use crate::audit::soft404::{Answered, Signs};
use crate::audit::words;
use crate::change::assumption::Assumption;
use crate::change::poisson::survival;
use crate::change::rate::{Rate, Source};
use crate::change::run::{Gap, Link, Look, PageState, Versions};
use crate::quality::blur_actual::{self, Between};
use crate::quality::blur_stochastic;
use crate::quality::pattern::{Behaviour, PatternSummary};
use crate::quality::span::Span;
use crate::quality::spread::{RateSpread, Spread};
use crate::schedule::page::Found;
use crate::time::{DAY, Instant, Interval, SECOND};

/// A page captured less often than this many times plus one may differ each time by chance.
const PAUSES: usize = 3;
/// Maximum number of spellings of a URL listed.
const SPELLINGS: usize = 20;

/// A page record with what follows from it.
pub(crate) struct Kept {
    pub record: PageRecord,
    /// The number of the page among all of its site; `None`: it is not a page.
    pub number: Option<u32>,
    /// What its captures show.
    pub versions: Versions,
}

impl Kept {
    pub(crate) fn new(record: PageRecord, number: Option<u32>) -> Self {
        Kept { versions: record.versions(), record, number }
    }
}

/// A page with its rate.
#[derive(Clone, Copy)]
pub(crate) struct Work<'a> {
    kept: &'a Kept,
    pub rate: Rate,
}

impl Deref for Work<'_> {
    type Target = Kept;

    fn deref(&self) -> &Kept {
        self.kept
    }
}

/// What is measured of a page before its audit is put together.
#[derive(Debug)]
pub(crate) struct Parts {
    /// Why its rate is not known, where it is not.
    pub rate_unknown: Option<String>,
    pub blur: Option<PageBlur>,
    /// Its share of all weight, times the number of pages.
    pub weight: f64,
    /// Its importance, unless weights are all alike for want of any.
    pub importance: Option<f64>,
    pub completeness: Option<PageCompleteness>,
    pub changes: Vec<ChangeImportance>,
    pub behaviour: Option<Behaviour>,
    pub pattern: Option<PatternSummary>,
    /// The sitemap that lists it.
    pub sitemap: Option<String>,
    /// When a crawl that follows links finds it.
    pub found: Option<Found>,
    pub story: Option<Story>,
    /// Why it looks like an error page despite status 200.
    pub error_page: Option<String>,
}

impl<'a> Work<'a> {
    /// A page with the rate that was found for it. Where its captures do not show how often it changes, that rate is kept for
    /// orders; it is not called known.
    pub(crate) fn new(kept: &'a Kept, rate: Rate) -> Self {
        let is_known = rate.source == Source::History || kept.versions.differs_always().is_none();
        let source = if is_known { rate.source } else { Source::Assumed };
        Work { kept, rate: Rate { source, ..rate } }
    }

    /// Whether the model does not fit the page: its captures do not show how often it changes, and nothing else does.
    pub(crate) fn is_unfit(&self) -> bool {
        self.rate.source != Source::History && self.versions.differs_always().is_some()
    }

    /// The first captured spelling of its URL, unless that showed another page.
    pub(crate) fn url(&self) -> &'a str {
        let record = &self.kept.record;
        let spelling = |at: usize| record.captures.get(at).map(|first| record.spelling(record.answer(first)));
        let (Some(first), looks) = (spelling(0), &self.versions.looks) else { return &record.url };
        let is_page = record.captures.first().is_some_and(|first| record.answer(first).status == Some(200));
        match looks.iter().any(|look| spelling(look.row) == Some(first)) {
            false if is_page => looks.first().and_then(|look| spelling(look.row)).unwrap_or(first),
            _ => first,
        }
    }

    /// Its canonical key.
    pub(crate) fn key(&self) -> &'a str {
        &self.kept.record.key
    }

    /// What was answered to a capture that shows the page.
    pub(crate) fn answer(&self, look: &Look) -> &'a Answer {
        let record = &self.kept.record;
        record.answer(&record.captures[look.row])
    }

    /// What the model says of the page, put together from its versions and the parts measured before.
    pub(crate) fn audit(&self, window: Interval, best: Option<Span>, parts: Parts) -> PageAudit {
        let versions = &self.versions;
        let captures = &self.record.captures;
        let per_day = DAY as f64 / SECOND as f64;
        let estimate = self.rate.estimate;
        let mut assumptions = versions.assumptions;
        if parts.rate_unknown.is_none() {
            // Expectations are given of it.
            assumptions.add(Assumption::PoissonChanges);
        }
        PageAudit {
            url: self.url().to_owned(),
            urls: self.record.urls.iter().take(SPELLINGS).cloned().collect(),
            key: self.key().to_owned(),
            state: match (versions.state, &parts.error_page) {
                (PageState::Sharp, Some(_)) => PageState::Unknown,
                (state, _) => state,
            },
            reason: words::reason(self, window, parts.error_page.as_deref(), parts.rate_unknown.is_none()),
            observations: captures.len() as u64,
            failed: versions.failed as u64,
            first_look: captures.first().map_or(self.record.since, |first| first.time),
            last_look: captures.last().map_or(self.record.since, |last| last.time),
            seen: self.seen(),
            versions: u64::from(versions.distinct),
            proven: versions.proven().map(Into::into).collect(),
            claimed: versions.runs.iter().filter_map(|run| run.claimed).map(Into::into).collect(),
            outer: versions.runs.iter().map(|run| run.outer).collect(),
            grade: versions.grade(),
            assumptions: assumptions.list(),
            markup_only: self.markup_only(),
            made_anew_seconds: versions.differs_always(),
            error_page: parts.error_page,
            rate: PageRate {
                per_day: estimate.mean * per_day,
                low: estimate.low * per_day,
                high: estimate.high * per_day,
                source: self.rate.source,
            },
            rate_unknown: parts.rate_unknown,
            blur: parts.blur,
            chance_unchanged: self.chance_unchanged(window),
            weight: parts.weight,
            in_best: best.map(|best| {
                self.online().into_iter().any(|proven| {
                    Span::closed(proven).low <= best.low && best.low <= Span::closed(proven).high
                })
            }),
            importance: parts.importance,
            completeness: parts.completeness,
            change_importance: Some(parts.changes),
            behaviour: parts.behaviour,
            sitemap: parts.sitemap,
            found: parts.found,
            pattern: parts.pattern,
            review: None,
            story: parts.story,
        }
    }

    /// The first and the last capture that show it. What cannot be compared with other crawls is left out.
    fn seen(&self) -> Option<FirstAndLast> {
        let shown = |look: &Look| {
            let answer = self.answer(look);
            let content = Content::of(answer.status, answer.body, answer.declared);
            // What repeats a capture of another archive says so, and has no body of its own.
            let repeats = answer.unresolved || answer.not_modified;
            let content = if repeats && answer.body.is_none() { None } else { Some(content?) };
            Some(CaptureContent { at: look.captured, content })
        };
        Some(FirstAndLast {
            first: shown(self.versions.looks.first()?)?,
            last: shown(self.versions.looks.last()?)?,
        })
    }

    /// The times for which a version is proven to have been online: a page that is gone, or moved, is not.
    pub(crate) fn online(&self) -> Vec<Interval> {
        self.versions.online(|look| self.answer(look).status)
    }

    /// The same where only visible text counts, of a page whose bytes changed.
    pub(crate) fn online_by_text(&self) -> Option<Vec<Interval>> {
        let stretches = self.record.text_online.as_ref()?;
        Some(stretches.iter().filter_map(|stretch| Interval::new(stretch.from, stretch.to)).collect())
    }

    /// Why all that was captured of the page looks like an error page.
    pub(crate) fn error_page(&self, signs: &Signs) -> Option<String> {
        let mut shown = self.versions.looks.iter().map(|look| self.answer(look)).peekable();
        shown.peek()?;
        let mut reason = None;
        let all = shown.all(|answer| {
            let found = signs.of(&Answered::of(&self.record, answer));
            reason = found.filter(|_| answer.status == Some(200) || answer.not_modified);
            reason.is_some()
        });
        reason.filter(|_| all)
    }

    /// Whether the bytes of the page changed, but `--compare text` would find it unchanged.
    fn markup_only(&self) -> bool {
        self.versions.state == PageState::Changed && self.record.text_unchanged == Some(true)
    }

    /// What is known of its rate, per second.
    pub(crate) fn rate_spread(&self) -> RateSpread {
        let estimate = self.rate.estimate;
        RateSpread { mean: estimate.mean, variance: estimate.variance, shared: estimate.shared }
    }

    /// What is known between each two captures, in seconds since the window began, and when the first version began.
    fn between(&self, window: Interval) -> (Vec<Between>, Option<f64>) {
        let since = |at: Instant| at.0.saturating_sub(window.from.0) as f64 / SECOND as f64;
        let known = |gap: Gap| match (gap.link, gap.last_modified) {
            (None, _) => Between::Same,
            (Some(Link::Different(_)), Some(modified)) => Between::ChangedAt(since(modified)),
            (Some(Link::Different(_)), None) => Between::Changed,
            (Some(Link::Unknown), _) => Between::Unknown,
        };
        let modified = self.versions.runs.first().and_then(|run| run.last_modified).map(since);
        (self.versions.gaps().map(known).collect(), modified)
    }

    /// When it was captured, in seconds since the window began.
    fn captured(&self, window: Interval) -> Vec<f64> {
        let since = |at: Instant| at.0.saturating_sub(window.from.0) as f64 / SECOND as f64;
        self.versions.looks.iter().map(|look| since(look.time).clamp(0.0, window.seconds())).collect()
    }

    /// Whether a page changed between every two captures, so that nothing bounds how often it changes; `None` where it was
    /// captured too seldom to tell, or is generated for each request.
    pub(crate) fn is_restless(&self) -> Option<bool> {
        let gaps = || self.versions.gaps().map(|gap| gap.link);
        (gaps().count() >= PAUSES && self.versions.generated_per_request().is_none())
            .then(|| gaps().all(|link| matches!(link, Some(Link::Different(_)))))
    }

    /// Whether the page differs at every one of several gaps that compare: its rate is bounded from below only.
    pub(crate) fn differs_throughout(&self) -> bool {
        let links = || self.versions.gaps().map(|gap| gap.link);
        let differing = links().filter(|link| matches!(link, Some(Link::Different(_)))).count();
        differing > 1 && links().all(|link| link.is_some()) && !self.is_unfit()
    }

    /// What is known of the blur of the page, for the interval of a mean over pages.
    pub(crate) fn blur_spread(&self, window: Interval, blur: PageBlur) -> Option<Spread> {
        if blur.actual.exact {
            return Some(Spread::known(blur.actual.expected));
        }
        let (between, modified) = self.between(window);
        let captures = self.captured(window);
        blur_actual::spread(&captures, &between, modified, self.rate_spread(), 0.0, window.seconds())
    }

    /// The blur of the page: exact by a history of its changes, else from what its captures show.
    pub(crate) fn blur(&self, window: Interval, changes: Option<&[Instant]>) -> Option<PageBlur> {
        let since = |at: Instant| at.0.saturating_sub(window.from.0) as f64 / SECOND as f64;
        let length = window.seconds();
        let captures = self.captured(window);
        let rate = self.rate.per_second();
        let stochastic = blur_stochastic::blur(rate, &captures, 0.0, length)?;
        let actual = match changes {
            Some(changes) => {
                let changes: Vec<f64> = changes.iter().map(|change| since(*change)).collect();
                let exact = blur_actual::exact(&captures, &changes, 0.0, length)?;
                ActualBlur { low: exact, expected: exact, high: Some(exact), unseen: 0.0, exact: true }
            }
            None => {
                let (between, modified) = self.between(window);
                let bounds = blur_actual::bounds(&captures, &between, modified, rate, 0.0, length)?;
                ActualBlur {
                    low: bounds.low,
                    expected: bounds.expected,
                    high: bounds.high,
                    unseen: bounds.unseen,
                    exact: false,
                }
            }
        };
        Some(PageBlur { stochastic, actual })
    }

    /// The chance of no change in the whole window: certain where captures agree, by the rate where nobody looked.
    fn chance_unchanged(&self, window: Interval) -> f64 {
        let versions = &self.versions;
        if versions.state == PageState::Changed {
            return 0.0;
        }
        let seconds = |from: Instant, to: Instant| to.0.saturating_sub(from.0).max(0) as f64 / SECOND as f64;
        let mut unseen = window.seconds();
        for gap in versions.gaps().filter(|gap| gap.link.is_none()) {
            unseen -= seconds(gap.from.time, gap.to.time);
        }
        if let (Some(look), Some(modified)) =
            (versions.looks.first(), versions.runs.first().and_then(|run| run.last_modified))
        {
            if modified > window.from && look.time > modified {
                return 0.0;
            }
            if modified <= window.from {
                unseen -= seconds(window.from, look.time);
            }
        }
        survival(self.rate.per_second(), unseen.max(0.0))
    }
}
