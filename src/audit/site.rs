//! One site in one window: all measures over its pages, from page records.
//!
//! Records are read in three passes: error pages are not judged, so weights are known only after the first pass, and the best
//! instant only after the second. Sums are added up in the order of keys.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;

use crate::audit::answers::is_absent;
use crate::audit::basis::{self, Grounds};
use crate::audit::coherence::{self, cohere};
use crate::audit::commands::Commands;
use crate::audit::findings::{Gathering, PassFinder};
use crate::audit::model::{
    Basis, Blur, CaptureTimes, ChangeImportance, CrawlSummary, FigureBases, Outside, PageAudit, PageBlur,
    PageCounts, PageTotals, Passes, PriorOut, RateCheck, Rates, SiteActual, SiteAnswers, SiteAudit,
    SiteCompleteness, Stochastic, Story,
};
use crate::audit::next::crawl::Pauses;
use crate::audit::next::rates::{HARDLY_KNOWN, factor, middle};
use crate::audit::page::{Parts, Work};
use crate::audit::page_record::{Measured, PageRecord};
use crate::audit::rate_list::RateList;
use crate::audit::records::Records;
use crate::audit::soft404::Signs;
use crate::audit::stories::Choice;
use crate::audit::targets::Complete;
use crate::audit::{changes, patterns, versions, words};
use crate::change::assumption::Assumption;
use crate::change::history::History;
use crate::change::rate;
use crate::change::run::PageState;
use crate::quality::Weights;
use crate::quality::completeness::{self, VersionCompleteness};
use crate::quality::evenness::{self, Tests};
use crate::quality::pattern::{Classes, MIN_CAPTURES_PER_PERIOD, Pattern, PatternSummary, behaviour};
use crate::quality::sharpness::Sharpness;
use crate::quality::span::Span;
use crate::quality::spread::Spread;
use crate::schedule::page::Found;
use crate::time::{DAY, Interval, SECOND};

/// Into how many stretches the times of capture are counted.
const STRETCHES: usize = 96;

/// What a site is audited from.
pub(crate) struct SiteInput<'a> {
    /// The name of the site.
    pub name: &'a str,
    /// Its URLs in the window, by key, pages or not.
    pub records: &'a Records,
    pub window: Interval,
    pub crawls: Vec<CrawlSummary>,
    /// The rates of its pages, and how they agree with its captures.
    pub rates: &'a rate::Rates<RateList>,
    /// The exact history, if there is one.
    pub history: Option<&'a History>,
    /// The keys of the pages whose captures are explained one by one.
    pub explain: &'a HashSet<String>,
    /// How many other pages are explained too, worst first.
    pub stories: usize,
    /// Whether the weights are importances, and not all alike for want of any.
    pub weighted: bool,
    /// The signs of soft 404s.
    pub signs: &'a Signs,
    /// What to run next.
    pub commands: &'a Commands,
    pub weights: Weights,
    /// The importances of the pages on one scale for all sites, if they are computed so.
    pub importances: Option<&'a [f64]>,
    /// What became of links and embeds, or why that is unknown.
    pub linked: Result<Linked, String>,
    /// Whether a crawl log speaks of it.
    pub is_logged: bool,
    /// The sitemap that lists the page of a key.
    pub sitemap_of: &'a dyn Fn(&str) -> Option<String>,
    /// The offset from UTC, in minutes, of the hours in patterns.
    pub utc_offset_minutes: i32,
    /// Whether the pages are listed.
    pub lists: bool,
}

/// What became of the links and embeds of a site.
#[derive(Debug)]
pub(crate) struct Linked {
    pub complete: Complete,
    /// For each page, when a crawl that follows links finds it.
    pub found: Vec<Found>,
}

/// A page with its number in the window.
type Numbered<'a> = (usize, Work<'a>);

/// Takes records one by one, with the page where one is a page.
type Visit<'v, E> = &'v mut dyn FnMut(&PageRecord, Option<Numbered<'_>>) -> Result<(), E>;

/// Stories of pages, by key.
pub(crate) type Stories = HashMap<String, Story>;

/// What the audit of a site asks for, and what it gives on the way.
pub(crate) struct Hooks<'h, E> {
    /// Tells the stories of the pages of these keys.
    pub tell: &'h mut dyn FnMut(&HashSet<String>) -> Result<Stories, E>,
    /// Gets every page, listed or not.
    pub page: &'h mut dyn FnMut(&PageAudit) -> Result<(), E>,
}

/// A site that was audited.
pub(crate) struct Audited {
    pub entry: SiteAudit,
    /// How many stories were told.
    pub told: usize,
    /// The weightiest page that is not proven at the best instant.
    pub absent: Option<PageAudit>,
    /// What the verdicts on its pages assume.
    pub assumptions: BTreeSet<Assumption>,
}

impl SiteInput<'_> {
    /// The weight of a page; weights sum to the number of pages.
    fn weight(&self, number: usize) -> f64 {
        let weights = &self.weights;
        weights.share(weights.units(number)).unwrap_or(0.0) * weights.len() as f64
    }

    /// The importance of a page, if there is any.
    fn importance(&self, number: usize) -> Option<f64> {
        let of_all_sites = self.importances.and_then(|importances| importances.get(number).copied());
        of_all_sites.or_else(|| self.weighted.then(|| self.weight(number)))
    }

    fn of_page(&self, work: &Work<'_>) -> OfPage {
        let known = self.history.and_then(|history| history.changes(work.url(), work.key()));
        let created = self.history.and_then(|history| history.created(work.url(), work.key()));
        if work.is_unfit() && known.is_none() {
            return OfPage { blur: None, versions: None, is_exact: false };
        }
        OfPage {
            blur: work.blur(self.window, known),
            versions: versions::of_page(work, self.window, created, &importances(work)),
            is_exact: known.is_some(),
        }
    }

    /// Visits the pages with their numbers in the window.
    fn each(&self, visit: &mut dyn FnMut(usize, &Work<'_>)) -> io::Result<()> {
        self.try_each(&mut |_, page| {
            page.iter().for_each(|(number, work)| visit(*number, work));
            Ok(())
        })
    }

    /// Visits all records, those of pages with their numbers in the window and their rates.
    fn try_each<E: From<io::Error>>(&self, visit: Visit<'_, E>) -> Result<(), E> {
        let (mut next, mut rates) = (0, self.rates.rates.reader());
        self.records.try_each(&mut |kept| {
            let rate = match kept.number {
                Some(number) => rates.of(number as usize)?,
                None => None,
            };
            let page = rate.map(|rate| (next, Work::new(kept, rate)));
            next += usize::from(page.is_some());
            visit(&kept.record, page)
        })
    }
}

pub(crate) fn audit<E: From<io::Error>>(input: &SiteInput<'_>, hooks: Hooks<'_, E>) -> Result<Audited, E> {
    let SiteInput { window, weights, .. } = input;
    let mut states: Vec<(PageState, bool)> = Vec::with_capacity(input.records.pages());
    // Where the importance of no change is known, changes count alike.
    let mut plain = true;
    let mut passes = PassFinder::default();
    input.each(&mut |_, work| {
        passes.add(&work.record);
        states.push((work.versions.state, work.error_page(input.signs).is_some()));
        let mut changes = work.record.changes.iter().flatten();
        plain &= changes.all(|change| change.importance.is_none());
    })?;
    let passes = passes.finish();
    // What looks like an error page was never a page to judge.
    let is_judged = |page: usize| states.get(page).is_some_and(|(_, is_error)| !is_error);
    let weight = |page: usize| if is_judged(page) { weights.units(page) as f64 } else { 0.0 };
    let judged_weights = Weights::of(states.len(), weight);
    let of_judged = states.iter().enumerate().filter(|(page, _)| is_judged(*page));
    let sharpness = Sharpness::of(of_judged.map(|(page, (state, _))| (page, *state)), &judged_weights);
    let mut gathered = coherence::Gathering::default();
    let mut choice = Choice::new(input.explain, input.stories);
    let mut estimates = Estimates::default();
    let mut tests = Tests::default();
    input.each(&mut |page, work| {
        let looks = patterns::looks(work, &importances(work), plain, input.utc_offset_minutes);
        tests.add(page, &evenness::Parts::of(&looks));
        gathered.add(work, is_judged(page).then(|| judged_weights.units(page)));
        choice.add(work, *window, input.history);
        estimates.add(input, page, work);
    })?;
    let (estimates, of_pages) = estimates.finish(input.rates);
    let coverage = gathered.coverage();
    let best = coverage.best_by_number();
    let mut coherence = cohere(gathered, *window, &judged_weights, &sharpness, &coverage, &best);
    drop(coverage);
    let first_best = best.spans.first().copied();
    let chosen = choice.finish();
    let mut stories = if chosen.is_empty() { HashMap::new() } else { (hooks.tell)(&chosen)? };
    let replayed_at = first_best.map_or(window.to, |span| span.interval().from);
    let mut sums = Sums::new(input, replayed_at, tests, passes);
    let (mut list, mut told) = (Vec::new(), 0);
    input.try_each::<E>(&mut |record, page| {
        sums.findings.url(record)?;
        let Some((number, work)) = page else { return Ok(()) };
        let story = stories.remove(work.key());
        told += usize::from(story.is_some());
        let of_page = of_pages.get(number).copied().unwrap_or_else(|| input.of_page(&work));
        let page = sums.page(input, number, &work, of_page, first_best, story, plain, &estimates.bases);
        if is_judged(number) {
            coherence.expected_unchanged += page.chance_unchanged;
        }
        sums.add(&work, &page);
        (hooks.page)(&page)?;
        if input.lists {
            list.push(page);
        }
        Ok(())
    })?;
    let counts = PageCounts {
        total: sharpness.total() as u64,
        sharp: sharpness.sharp as u64,
        changed: sharpness.changed as u64,
        changed_in_markup_only: sums.markup_only,
        single: sharpness.single as u64,
        unknown: sharpness.unknown as u64,
        error_pages: (states.len() - sharpness.total()) as u64,
    };
    coherence.outside = first_best.map(|_| sums.outside);
    Ok(sums.finish(input, counts, coherence, estimates, list, told)?)
}

/// What rests on change rates, added up before what is said of single pages: what is not to be believed of a site is not
/// given of its pages.
#[derive(Default)]
struct Estimates {
    grounds: Grounds,
    blur: BlurSums,
    completeness: completeness::SiteCompleteness,
    plain: completeness::SiteCompleteness,
    /// The first pages: they are needed again.
    of_pages: Vec<OfPage>,
}

/// How many pages what rests on their rates is kept of.
const KEPT: usize = 20_000;

/// What [`Estimates`] come to.
struct Estimated {
    bases: FigureBases,
    assumed: bool,
    blur: Blur,
    complete: VersionCompleteness,
    plain: VersionCompleteness,
}

impl Estimates {
    fn add(&mut self, input: &SiteInput<'_>, number: usize, work: &Work<'_>) {
        let weight = input.weight(number);
        let of_page = input.of_page(work);
        self.grounds.add(work, of_page.versions.is_none_or(|_| of_page.is_exact));
        let spread = of_page.blur.and_then(|blur| work.blur_spread(input.window, blur));
        self.blur.add(of_page.blur, spread, weight);
        self.blur.unbounded |= work.differs_throughout();
        if let Some(versions) = &of_page.versions {
            self.completeness.add(versions, weight);
            self.plain.add(versions, 1.0);
        }
        if self.of_pages.len() == number && number < KEPT {
            self.of_pages.push(of_page);
        }
    }

    fn finish(self, rates: &rate::Rates<RateList>) -> (Estimated, Vec<OfPage>) {
        let assumed = self.grounds.assumed;
        let (blur, complete, plain) = (self.blur.finish(), self.completeness.finish(), self.plain.finish());
        let bases = basis::of_site(rates, self.grounds, &blur, &complete);
        // What is not to be believed is not given.
        let blur = if bases.blur.is_usable() { blur } else { without_means(blur) };
        let (complete, plain) = match bases.versions.is_usable() {
            true => (complete, plain),
            false => (
                VersionCompleteness { share: None, ..complete },
                VersionCompleteness { share: None, ..plain },
            ),
        };
        (Estimated { bases, assumed, blur, complete, plain }, self.of_pages)
    }
}

/// What rests on the change rate of one page.
#[derive(Clone, Copy)]
struct OfPage {
    blur: Option<PageBlur>,
    versions: Option<VersionCompleteness>,
    /// Whether its history is known.
    is_exact: bool,
}

/// What is added up over the pages of a site.
struct Sums<'a> {
    findings: Gathering<'a>,
    classes: Classes,
    /// Whether pages have a time of their own, and what their chances must not exceed.
    tests: Tests,
    chance_limit: f64,
    pauses: Pauses,
    times: CaptureTimes,
    /// The rate of each page a day.
    rates: Vec<f64>,
    /// How well each is known.
    factors: Vec<f64>,
    markup_only: u64,
    outside: Outside,
    observations: u64,
    assumptions: BTreeSet<Assumption>,
    absent: Option<PageAudit>,
    totals: PageTotals,
}

impl<'a> Sums<'a> {
    fn new(
        input: &SiteInput<'a>,
        replayed_at: crate::time::Instant,
        tests: Tests,
        passes: Option<Passes>,
    ) -> Self {
        let window = input.window;
        let has_length = window.to > window.from;
        Sums {
            findings: Gathering::new(input.signs, replayed_at, passes, input.records.memory()),
            classes: Classes::default(),
            chance_limit: tests.limit(),
            tests,
            pauses: Pauses::default(),
            times: CaptureTimes {
                from: window.from,
                to: window.to,
                counts: vec![0; if has_length { STRETCHES } else { 1 }],
            },
            rates: Vec::new(),
            factors: Vec::new(),
            markup_only: 0,
            outside: Outside::default(),
            observations: 0,
            assumptions: BTreeSet::new(),
            absent: None,
            totals: PageTotals::default(),
        }
    }

    /// What the model says of a page.
    #[allow(clippy::too_many_arguments, reason = "all of one page")]
    fn page(
        &mut self,
        input: &SiteInput<'_>,
        number: usize,
        work: &Work<'_>,
        of_page: OfPage,
        best: Option<Span>,
        story: Option<Story>,
        plain: bool,
        bases: &FigureBases,
    ) -> PageAudit {
        let SiteInput { window, utc_offset_minutes, .. } = *input;
        let OfPage { blur, versions, is_exact } = of_page;
        let complete = versions.filter(|_| bases.versions.is_usable() || is_exact);
        let looks = patterns::looks(work, &importances(work), plain, utc_offset_minutes);
        let chance_even = self.tests.chance(number);
        let is_uneven = chance_even.is_some_and(|chance| chance <= self.chance_limit);
        let behaviour = behaviour(&looks, is_uneven);
        if let Some(behaviour) = behaviour {
            self.classes.add(behaviour, &looks);
        }
        let pattern = || PatternSummary {
            utc_offset_minutes,
            chance_even,
            chance_limit: chance_even.map(|_| self.chance_limit),
            ..Pattern::of(looks.iter().copied()).summary()
        };
        // Most pages have too few captures for a pattern of their own, and patterns make a report long.
        let own = (looks.len() >= 2 * MIN_CAPTURES_PER_PERIOD as usize || story.is_some()).then(pattern);
        let parts = Parts {
            rate_unknown: basis::unknown_rate(work, &bases.rates),
            blur: blur.filter(|blur| bases.blur.is_usable() || blur.actual.exact),
            weight: input.weight(number),
            importance: input.importance(number),
            completeness: complete.map(|found| versions::page_out(&found, is_exact)),
            changes: listed_changes(work),
            behaviour,
            pattern: own.filter(|pattern| pattern.is_trusted() || story.is_some()),
            sitemap: (input.sitemap_of)(work.key()),
            found: input.linked.as_ref().ok().and_then(|linked| linked.found.get(number).copied()),
            story,
            error_page: work.error_page(input.signs),
        };
        work.audit(window, best, parts)
    }

    fn add(&mut self, work: &Work<'_>, page: &PageAudit) {
        self.findings.page(work, page);
        self.pauses.add(&work.record);
        self.count_times(&work.record);
        if !work.is_unfit() {
            self.rates.push(page.rate.per_day);
            self.factors.push(factor(&page.rate));
        }
        self.markup_only += u64::from(page.markup_only && page.error_page.is_none());
        if page.in_best == Some(false) && page.error_page.is_none() {
            self.outside.add(page.state, page.markup_only);
        }
        self.observations += page.observations;
        self.assumptions.extend(&page.assumptions);
        if is_absent(page, self.absent.as_ref()) {
            self.absent = Some(PageAudit { story: None, ..page.clone() });
        }
        self.totals.add(page);
    }

    /// Counts how many captures were made when.
    fn count_times(&mut self, record: &PageRecord) {
        let CaptureTimes { from, to, counts } = &mut self.times;
        let length = to.0.saturating_sub(from.0).max(0);
        for capture in &record.captures {
            let into = capture.time.0.saturating_sub(from.0).clamp(0, length) as f64 / length.max(1) as f64;
            let stretch = ((into * STRETCHES as f64) as usize).min(counts.len() - 1);
            counts[stretch] += 1;
        }
    }

    fn finish(
        self,
        input: &SiteInput<'_>,
        counts: PageCounts,
        coherence: crate::audit::model::Coherence,
        estimates: Estimated,
        list: Vec<PageAudit>,
        told: usize,
    ) -> io::Result<Audited> {
        let Estimated { bases, assumed, blur, complete, plain } = estimates;
        let linked = input.linked.as_ref().ok().map(|linked| &linked.complete);
        let missing = linked.filter(|linked| !linked.missing.is_empty());
        let error_factor =
            middle(self.factors).filter(|factor| factor.is_finite() && bases.rates.is_usable());
        let missing = missing.map(|_| "acuity audit --missing FILE: what is missing, for a crawler to fetch");
        let entry = SiteAudit {
            site: input.name.to_owned(),
            window: input.window.into(),
            crawls: input.crawls.clone(),
            observations: self.observations,
            capture_times: Some(self.times),
            pages: counts,
            delay_seconds: self.pauses.finish(),
            verdict: words::verdict(&counts, &coherence, &blur, &bases),
            next: words::next(&counts, &coherence, |at| input.commands.at(at, input.name))
                .into_iter()
                .chain(missing.map(str::to_owned))
                .collect(),
            coherence,
            blur,
            rates: Rates {
                prior: PriorOut {
                    shape: input.rates.priors.site.prior.shape,
                    mean_per_day: input.rates.priors.site.prior.mean() * (DAY / SECOND) as f64,
                },
                median_per_day: middle(self.rates).filter(|_| {
                    bases.rates.basis == Basis::Known
                        || (bases.rates.is_usable()
                            && error_factor.is_some_and(|factor| factor < HARDLY_KNOWN))
                }),
                error_factor,
                assumed,
                check: check(input.rates),
            },
            findings: self.findings.finish()?,
            completeness: Some(SiteCompleteness {
                versions: versions::out(&complete, &plain, bases.versions.is_usable()),
                links: linked.map(|linked| linked.links),
                embeds: linked.map(|linked| linked.embeds),
                links_unknown: input.linked.as_ref().err().cloned(),
                missing_left_out: linked.map_or(0, |linked| linked.left_out),
                cut_pages: linked.map_or(0, |linked| linked.cut_pages),
                unread_pages: linked.map_or(0, |linked| linked.unread_pages),
                seeds: None,
                is_logged: input.is_logged,
                excluded: linked.map(|linked| linked.excluded.clone()).unwrap_or_default(),
            }),
            basis: bases,
            missing: linked.map(|linked| linked.missing.clone()),
            patterns: Some(patterns::classes(self.classes, input.utc_offset_minutes)),
            reschedule: None,
            repair: None,
            answers: SiteAnswers::default(),
            page_totals: (!input.lists).then_some(self.totals),
            page_list: list,
        };
        Ok(Audited { entry, told, absent: self.absent, assumptions: self.assumptions })
    }
}

/// The rates compared with the captures; `None` where no captures could be compared.
fn check(rates: &rate::Rates<RateList>) -> Option<RateCheck> {
    let rate::Rates { check, refuted, .. } = rates;
    (check.pages > 0).then(|| RateCheck {
        pages: check.pages,
        changed: check.changed,
        expected: check.expected,
        agrees: check.agrees(),
        expected_by_stamps: refuted.map(|refuted| refuted.expected),
    })
}

/// The importances of the changes that made the runs of a page, as far as they are known.
fn importances(work: &Work<'_>) -> Vec<Option<f64>> {
    let mut weights = vec![None; work.versions.runs.len()];
    for change in work.record.changes.iter().flatten() {
        if let Some(weight) = weights.get_mut(change.run as usize) {
            *weight = change.importance;
        }
    }
    weights
}

/// The changes of a page as the model lists them.
fn listed_changes(work: &Work<'_>) -> Vec<ChangeImportance> {
    let measured = work.record.changes.as_ref();
    let uncompared = || Err("changes were not compared block by block".to_owned());
    let listed = changes::changes(&work.versions, |_, _| uncompared()).into_iter().map(|change| {
        let of_run = |known: &&Measured| known.run as usize == change.run;
        let known = measured.and_then(|measured| measured.iter().find(of_run));
        let reason = match known {
            Some(known) => known.reason.clone(),
            None => change.importance.err(),
        };
        let importance = known.and_then(|known| known.importance);
        ChangeImportance { from: change.from, to: change.to, importance, reason }
    });
    listed.collect()
}

/// Blur of which the means are unknown.
fn without_means(blur: Blur) -> Blur {
    Blur {
        stochastic: Stochastic { total: None, mean: None, weighted_mean: None },
        actual: SiteActual {
            expected: None,
            unseen: None,
            likely_low: None,
            likely_high: None,
            mean: None,
            mean_low: None,
            mean_high: None,
            weighted_mean: None,
            high: None,
            ..blur.actual
        },
    }
}

/// The blur of a site, added up while its pages go by.
struct BlurSums {
    count: f64,
    weight: f64,
    stochastic: f64,
    weighted_stochastic: f64,
    low: f64,
    expected: f64,
    weighted_expected: f64,
    high: Option<f64>,
    unseen: f64,
    spread: Spread,
    exact: bool,
    /// Some page changed between every two captures: nothing bounds how often it changes, and it blurs most.
    unbounded: bool,
}

impl Default for BlurSums {
    fn default() -> Self {
        BlurSums {
            count: 0.0,
            weight: 0.0,
            stochastic: 0.0,
            weighted_stochastic: 0.0,
            low: 0.0,
            expected: 0.0,
            weighted_expected: 0.0,
            high: Some(0.0),
            unseen: 0.0,
            spread: Spread::known(0.0),
            exact: true,
            unbounded: false,
        }
    }
}

impl BlurSums {
    fn add(&mut self, blur: Option<PageBlur>, spread: Option<Spread>, weight: f64) {
        self.spread = spread.map_or(self.spread, |spread| self.spread.plus(spread));
        let Some(PageBlur { stochastic, actual }) = blur else { return };
        self.count += 1.0;
        self.weight += weight;
        self.stochastic += stochastic;
        self.weighted_stochastic += weight * stochastic;
        self.low += actual.low;
        self.expected += actual.expected;
        self.weighted_expected += weight * actual.expected;
        self.high = self.high.zip(actual.high).map(|(sum, high)| sum + high);
        self.unseen += actual.unseen;
        self.exact &= actual.exact;
    }

    fn finish(self) -> Blur {
        let mean = |total: f64| (self.count > 0.0).then(|| total / self.count);
        let weighted = |total: f64| (self.weight > 0.0).then(|| total / self.weight);
        let likely = mean(self.expected).map(|mean| {
            let (least, most) = self.spread.times(1.0 / self.count).interval();
            (least.min(mean), Some(most.max(mean)).filter(|_| self.exact || !self.unbounded))
        });
        Blur {
            stochastic: Stochastic {
                total: Some(self.stochastic),
                mean: mean(self.stochastic),
                weighted_mean: weighted(self.weighted_stochastic),
            },
            actual: SiteActual {
                low: self.low,
                expected: Some(self.expected),
                high: self.high,
                unseen: Some(self.unseen),
                mean: mean(self.expected),
                mean_low: mean(self.low),
                mean_high: self.high.and_then(mean),
                weighted_mean: weighted(self.weighted_expected),
                likely_low: likely.map(|likely| likely.0),
                likely_high: likely.and_then(|likely| likely.1),
                exact: self.count > 0.0 && self.exact,
            },
        }
    }
}
