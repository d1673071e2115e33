//! One site in one window: all measures over its pages.

use std::collections::HashSet;

use crate::audit::changes::{self, Change, ChangeMeter};
use crate::audit::commands::Commands;
use crate::audit::model::{
    Basis, Blur, CaptureTimes, ChangeImportance, ChangeOut, Coherence, CrawlOut, CurvePoint, FigureBases,
    FigureBasis, Inducible, Level, Measurable, Observable, PageAudit, PageBlur, PageCounts, PriorOut, Query,
    Range, RateCheck, Rates, Sharc, SiteActual, SiteAudit, SiteCompleteness, Stochastic, Story,
};
use crate::audit::next::crawl;
use crate::audit::page::{Parts, Work};
use crate::audit::soft404::Signs;
use crate::audit::targets::Complete;
use crate::audit::{findings, patterns, stories, story, versions, words};
use crate::capture::table::{Row, Table};
use crate::change::evidence::Judge;
use crate::change::history::History;
use crate::change::rate::{self, Source};
use crate::quality::completeness::{VersionCompleteness, of_site};
use crate::quality::observable::Stamped;
use crate::quality::pattern::{FEW, Look, Pattern, behaviour};
use crate::quality::query::{Capture, coherence};
use crate::quality::sharpness::Sharpness;
use crate::quality::sweep::{self, Coverage};
use crate::quality::{Span, Weights, inducible, measurable, observable};
use crate::schedule::page::Found;
use crate::time::{DAY, Instant, Interval, SECOND};

/// How many points a coverage curve has at most.
const CURVE: usize = 512;
/// Into how many stretches the times of capture are counted.
const STRETCHES: usize = 96;
/// How many blocks of a change a story tells.
const BLOCKS: usize = 20;

/// What a site is audited from.
#[derive(Debug)]
pub(crate) struct SiteInput<'a> {
    pub table: &'a Table,
    /// The name of the site.
    pub name: &'a str,
    /// Its pages in the window, by key.
    pub works: Vec<Work<'a>>,
    pub window: Interval,
    pub crawls: Vec<CrawlOut>,
    /// The rates of its pages, and how they agree with its looks.
    pub rates: &'a rate::Rates,
    /// The exact history, if there is one.
    pub history: Option<&'a History>,
    /// Compares captures.
    pub judge: Judge<'a>,
    /// The keys of the pages whose captures are explained one by one.
    pub explain: &'a HashSet<String>,
    /// How many other pages are explained too, worst first.
    pub stories: usize,
    /// Compares versions block by block, if enabled.
    pub changes: Option<&'a ChangeMeter>,
    /// Whether the weights are importances, and not all alike for want of any.
    pub weighted: bool,
    /// The signs of soft 404s.
    pub signs: &'a Signs,
    /// What to run next.
    pub commands: &'a Commands,
    pub weights: Weights,
    /// What became of links and embeds, or why that is not known.
    pub linked: Result<Linked, String>,
    /// For each page the sitemap that lists it.
    pub sitemaps: Vec<Option<String>>,
}

/// What became of the links and embeds of a site.
#[derive(Debug)]
pub(crate) struct Linked {
    pub complete: Complete,
    /// For each page, when a crawl that follows links finds it.
    pub found: Vec<Found>,
}

/// Audits the site; `rows` are those of all its URLs in the window. Tells the completeness of its versions apart too, by
/// importance and plain, for the mean over sites.
pub(crate) fn audit<'r>(
    input: &SiteInput<'_>,
    rows: impl Iterator<Item = &'r Row> + Clone,
) -> (SiteAudit, (VersionCompleteness, VersionCompleteness)) {
    let SiteInput { table, works, window, weights, .. } = input;
    let sharpness = Sharpness::of(works.iter().map(|work| work.versions.state), weights);
    let proven = works.iter().enumerate().flat_map(|(page, work)| {
        let units = weights.units(page);
        work.versions.proven().map(move |interval| (Span::closed(interval), units))
    });
    let coverage = Coverage::of(proven);
    let best = coverage.best_by_number();
    let share = |page: usize| weights.share(weights.units(page)).unwrap_or(0.0) * works.len() as f64;
    let first_best = best.spans.first().copied();
    let history = |work: &Work<'_>| input.history?.changes(work.url(table), work.key(table));
    let blurs: Vec<Option<PageBlur>> = works.iter().map(|work| work.blur(*window, history(work))).collect();
    let told = stories::chosen(table, works, &blurs, input.explain, input.stories);
    let mut stories: Vec<Option<Story>> =
        works.iter().zip(told).map(|(work, told)| told.then(|| story::tell(&input.judge, work))).collect();
    let (weights_of_runs, changes) = measure(input, &mut stories);
    let looks = looks(works, &weights_of_runs);
    let versions: Vec<Option<VersionCompleteness>> = works
        .iter()
        .zip(&weights_of_runs)
        .map(|(work, weights)| versions::of_page(work, *window, history(work), weights))
        .collect();
    let measured = changes.into_iter().zip(stories).zip(&looks).zip(&versions).zip(&blurs);
    let pages: Vec<PageAudit> = works
        .iter()
        .zip(measured)
        .enumerate()
        .map(|(page, (work, ((((changes, story), looks), versions), blur)))| {
            let pattern = || Pattern::of(looks.iter().copied()).summary();
            // Most pages have too few captures for a pattern of their own, and patterns make a report long.
            let own = (looks.len() >= 2 * FEW as usize || story.is_some()).then(pattern);
            let parts = Parts {
                blur: *blur,
                weight: share(page),
                weighted: input.weighted,
                completeness: versions.map(|found| versions::page_out(&found, history(work).is_some())),
                changes,
                behaviour: behaviour(looks),
                pattern: own.filter(|pattern| pattern.is_trusted() || story.is_some()),
                sitemap: input.sitemaps[page].clone(),
                found: input.linked.as_ref().ok().and_then(|linked| linked.found.get(page).copied()),
                story,
            };
            work.audit(table, *window, first_best, parts)
        })
        .collect();
    let (complete, plain) = complete(&versions, &pages);
    let replayed_at = first_best.map_or(window.to, |span| span.interval().from);
    let findings = findings::gather(table, rows, works, &pages, replayed_at, input.signs);
    let coherence = cohere(input, weights, &sharpness, &coverage, best, &pages);
    let blur = blur(&pages);
    let counts = PageCounts {
        total: sharpness.total() as u64,
        sharp: sharpness.sharp as u64,
        changed: sharpness.changed as u64,
        single: sharpness.single as u64,
        unknown: sharpness.unknown as u64,
    };
    let assumed = pages.iter().all(|page| page.rate.source == Source::Assumed);
    let mut rates: Vec<f64> = pages.iter().map(|page| page.rate.per_day).collect();
    rates.sort_by(f64::total_cmp);
    let linked = input.linked.as_ref().ok().map(|linked| &linked.complete);
    let audit =
        SiteAudit {
            site: input.name.to_owned(),
            window: (*window).into(),
            crawls: input.crawls.clone(),
            observations: pages.iter().map(|page| page.observations).sum(),
            capture_times: Some(capture_times(works, *window)),
            pages: counts,
            delay_seconds: crawl::delay(table, works),
            verdict: words::verdict(&counts, &coherence, &blur, assumed),
            next: words::next(&counts, &coherence, |at| input.commands.at(at, input.name))
                .into_iter()
                .chain(linked.filter(|linked| !linked.missing.is_empty()).map(|_| {
                    "acuity audit --missing FILE: what is missing, for a crawler to fetch".to_owned()
                }))
                .collect(),
            coherence,
            blur,
            rates: Rates {
                prior: PriorOut {
                    shape: input.rates.prior.shape,
                    mean_per_day: input.rates.prior.mean() * (DAY / SECOND) as f64,
                },
                median_per_day: rates.get(rates.len() / 2).copied(),
                assumed,
                check: check(input.rates),
            },
            findings,
            basis: basis(assumed, &blur, &complete, &pages),
            completeness: Some(SiteCompleteness {
                versions: versions::out(&complete, &plain),
                links: linked.map(|linked| linked.links),
                embeds: linked.map(|linked| linked.embeds),
                links_unknown: input.linked.as_ref().err().cloned(),
                missing_left_out: linked.map_or(0, |linked| linked.left_out),
            }),
            missing: linked.map(|linked| linked.missing.clone()),
            patterns: Some(patterns::classes(&looks)),
            reschedule: None,
            page_list: pages,
        };
    (audit, (complete, plain))
}

/// How far rates, and what rests on them, can be believed.
fn basis(assumed: bool, blur: &Blur, versions: &VersionCompleteness, pages: &[PageAudit]) -> FigureBases {
    let of = |exact: bool, has_value: bool| match () {
        () if !has_value => FigureBasis { basis: Basis::Unknown, reason: None },
        () if exact => FigureBasis { basis: Basis::Known, reason: None },
        () if assumed => {
            let reason = "nothing is known of how this site changes".to_owned();
            FigureBasis { basis: Basis::Assumed, reason: Some(reason) }
        }
        () => FigureBasis::default(),
    };
    let counted = pages.iter().all(|page| page.completeness.is_none_or(|found| found.exact));
    let told = pages.iter().all(|page| page.rate.source == Source::History);
    FigureBases {
        rates: of(told, !pages.is_empty()),
        blur: of(blur.actual.exact, blur.actual.mean.is_some()),
        versions: of(counted, versions.share.is_some()),
    }
}

/// The rates held against the looks; `None` where no looks could be compared.
fn check(rates: &rate::Rates) -> Option<RateCheck> {
    let rate::Rates { check, refuted, .. } = rates;
    (check.pages > 0).then(|| RateCheck {
        pages: check.pages,
        changed: check.changed,
        expected: check.expected,
        agrees: check.agrees(),
        expected_by_stamps: refuted.map(|refuted| refuted.expected),
    })
}

/// How many looks were made when.
fn capture_times(works: &[Work<'_>], window: Interval) -> CaptureTimes {
    let length = window.to.0.saturating_sub(window.from.0).max(0);
    let mut counts = vec![0; if length > 0 { STRETCHES } else { 1 }];
    for row in works.iter().flat_map(|work| work.rows.iter()) {
        let into = row.time.0.saturating_sub(window.from.0).clamp(0, length) as f64 / length.max(1) as f64;
        let stretch = ((into * STRETCHES as f64) as usize).min(counts.len() - 1);
        counts[stretch] += 1;
    }
    CaptureTimes { from: window.from, to: window.to, counts }
}

/// Measures the changes of all pages: for each the importances of the changes that made its runs.
fn measure(
    input: &SiteInput<'_>,
    stories: &mut [Option<Story>],
) -> (Vec<Vec<Option<f64>>>, Vec<Vec<ChangeImportance>>) {
    let (mut all, mut listed) = (Vec::new(), Vec::new());
    for (story, work) in stories.iter_mut().zip(&input.works) {
        let mut weights = vec![None; work.versions.runs.len()];
        let found = match input.changes {
            Some(meter) => meter.changes(input.table, work),
            None => changes::changes(work, |_, _| Err("changes were not compared block by block".to_owned())),
        };
        let out = |change: Change| {
            let (from, to) = (change.from, change.to);
            let (measured, reason) = match change.importance {
                Ok(measured) => (Some(measured), None),
                Err(reason) => (None, Some(reason)),
            };
            let importance = measured.as_ref().map(|found| found.importance);
            weights[change.run] = importance;
            if let (Some(story), Some(mut measured)) = (story.as_mut(), measured) {
                measured.changes.truncate(BLOCKS);
                let out = ChangeOut { from, to, change: Some(measured), reason: None };
                story.changes.push(out);
            }
            ChangeImportance { from, to, importance, reason }
        };
        listed.push(found.into_iter().map(out).collect());
        all.push(weights);
    }
    (all, listed)
}

/// The looks of every page that tell whether it changed. Where the importance of no change is known, changes count alike.
fn looks(works: &[Work<'_>], weights: &[Vec<Option<f64>>]) -> Vec<Vec<Look>> {
    let plain = weights.iter().flatten().all(Option::is_none);
    works.iter().zip(weights).map(|(work, weights)| patterns::looks(work, weights, plain)).collect()
}

/// The completeness of versions, by importance and plain.
fn complete(
    versions: &[Option<VersionCompleteness>],
    pages: &[PageAudit],
) -> (VersionCompleteness, VersionCompleteness) {
    let weighted: Vec<(VersionCompleteness, f64)> =
        versions.iter().zip(pages).filter_map(|(found, page)| Some(((*found)?, page.weight))).collect();
    let plain: Vec<_> = weighted.iter().map(|(page, _)| (*page, 1.0)).collect();
    (of_site(&weighted), of_site(&plain))
}

fn cohere(
    input: &SiteInput<'_>,
    weights: &Weights,
    sharpness: &Sharpness,
    coverage: &Coverage,
    best: sweep::Level,
    pages: &[PageAudit],
) -> Coherence {
    let works = &input.works;
    let full = coverage.full(works.len());
    let stamps: Vec<Stamped> = works
        .iter()
        .filter_map(|work| {
            let last_modified = work.versions.runs.first()?.last_modified;
            Some(Stamped { time: work.versions.looks.first()?.time, last_modified })
        })
        .collect();
    Coherence {
        inducible: Inducible {
            error: inducible::error(sharpness),
            holds: inducible::holds(sharpness, !full.spans.is_empty()),
        },
        observable: Observable {
            holds: observable::holds(&stamps),
            pages: u64::from(observable::pages(&stamps)),
            stamped: stamps.iter().filter(|page| page.last_modified.is_some()).count() as u64,
        },
        measurable: Measurable { error: measurable::error(&stamps).map(|(low, high)| Range { low, high }) },
        query: query(input, weights),
        sharc: Sharc {
            pages: sharpness.sharp as u64,
            judged: sharpness.judged() as u64,
            share: (sharpness.judged() > 0).then(|| sharpness.sharp as f64 / sharpness.judged() as f64),
            weight_share: (sharpness.judged_weight > 0)
                .then(|| sharpness.sharp_weight as f64 / sharpness.judged_weight as f64),
        },
        provable: best.pages > 0,
        expected_unchanged: pages.iter().map(|page| page.chance_unchanged).sum(),
        curve: curve(coverage, weights),
        claimed: level(&claimed(works, weights).best_by_number(), weights, false),
        best: level(&best, weights, false),
        best_by_weight: level(&coverage.best_by_weight(), weights, true),
        full: level(&full, weights, false),
    }
}

/// The coverage when validators are believed: proven and claimed intervals of a page, joined where they overlap.
fn claimed(works: &[Work<'_>], weights: &Weights) -> Coverage {
    let mut spans: Vec<(Span, u64)> = Vec::new();
    for (page, work) in works.iter().enumerate() {
        let claims = work.versions.runs.iter().filter_map(|run| run.claimed);
        let mut own: Vec<Span> = work.versions.proven().chain(claims).map(Span::closed).collect();
        own.sort_unstable();
        let mut last: Option<Span> = None;
        for span in own {
            match &mut last {
                Some(last) if span.low <= last.high => last.high = last.high.max(span.high),
                _ => spans.extend(last.replace(span).map(|span| (span, weights.units(page)))),
            }
        }
        spans.extend(last.map(|span| (span, weights.units(page))));
    }
    Coverage::of(spans)
}

fn level(level: &sweep::Level, weights: &Weights, by_weight: bool) -> Level {
    let pages = weights.len() as f64;
    let weight = weights.share(level.weight).unwrap_or(0.0);
    // That nothing is proven is not to say that nothing stood.
    let share = (level.pages > 0).then(|| if by_weight { weight } else { f64::from(level.pages) / pages });
    Level {
        pages: u64::from(level.pages),
        weight: weight * pages,
        share,
        intervals: level.spans.iter().map(|span| span.interval().into()).collect(),
    }
}

fn query(input: &SiteInput<'_>, weights: &Weights) -> Query {
    let served: Vec<usize> =
        (0..input.works.len()).filter(|page| !input.works[*page].versions.looks.is_empty()).collect();
    let weights = Weights::new(&served.iter().map(|page| weights.units(*page) as f64).collect::<Vec<_>>());
    let captures = |outer: bool| -> Vec<Vec<Capture>> {
        let of_page = |page: &usize| {
            let versions = &input.works[*page].versions;
            let of_run = |run: &crate::change::run::Run| {
                let stood = if outer { Span::open(run.outer) } else { run.proven.map(Span::closed) };
                run.looks.clone().map(move |look| Capture { time: versions.looks[look].time, stood })
            };
            versions.runs.iter().flat_map(of_run).collect()
        };
        served.iter().map(of_page).collect()
    };
    let bound = |outer: bool| {
        let captures = captures(outer);
        coherence(captures.iter().map(Vec::as_slice), &weights, input.window)
    };
    let (low, high) = (bound(false), bound(true));
    let range = |part: fn(&crate::quality::query::QueryCoherence) -> f64| {
        Some(Range { low: part(low.as_ref()?), high: part(high.as_ref()?) })
    };
    Query { by_number: range(|result| result.by_number), by_weight: range(|result| result.by_weight) }
}

/// The coverage curve: exact if it has few steps, else the highest step of each of as many equal stretches of time.
fn curve(coverage: &Coverage, weights: &Weights) -> Vec<CurvePoint> {
    let steps = coverage.steps();
    let point = |step: &sweep::Step| CurvePoint {
        at: Instant(step.low.div_euclid(2)),
        pages: u64::from(step.pages),
        share: weights.share(step.weight).unwrap_or(0.0),
    };
    let (Some(first), Some(last)) = (steps.first(), steps.last()) else { return Vec::new() };
    if steps.len() <= CURVE {
        return steps.iter().map(point).collect();
    }
    let length = (last.low - first.low).max(1) as f64;
    let stretch = |step: &sweep::Step| ((step.low - first.low) as f64 / length * (CURVE - 2) as f64) as usize;
    let mut chosen: Vec<&sweep::Step> = Vec::with_capacity(CURVE);
    for step in steps {
        match chosen.last_mut() {
            Some(before) if stretch(before) == stretch(step) => {
                if step.pages > before.pages {
                    *before = step;
                }
            }
            _ => chosen.push(step),
        }
    }
    let end = (chosen.last().is_none_or(|step| step.low != last.low)).then_some(last);
    chosen.into_iter().chain(end).map(point).collect()
}

fn blur(pages: &[PageAudit]) -> Blur {
    let blurs = || pages.iter().filter_map(|page| page.blur.map(|blur| (page.weight, blur)));
    let count = blurs().count() as f64;
    let weight: f64 = blurs().map(|(weight, _)| weight).sum();
    let mean = |total: f64| (count > 0.0).then(|| total / count);
    let weighted = |total: f64| (weight > 0.0).then(|| total / weight);
    let total: f64 = blurs().map(|(_, blur)| blur.stochastic).sum();
    let expected: f64 = blurs().map(|(_, blur)| blur.actual.expected).sum();
    let low: f64 = blurs().map(|(_, blur)| blur.actual.low).sum();
    let high: Option<f64> = blurs().map(|(_, blur)| blur.actual.high).sum();
    Blur {
        stochastic: Stochastic {
            total,
            mean: mean(total),
            weighted_mean: weighted(blurs().map(|(weight, blur)| weight * blur.stochastic).sum()),
        },
        actual: SiteActual {
            low,
            expected,
            high,
            unseen: blurs().map(|(_, blur)| blur.actual.unseen).sum(),
            mean: mean(expected),
            mean_low: mean(low),
            mean_high: high.and_then(mean),
            weighted_mean: weighted(blurs().map(|(weight, blur)| weight * blur.actual.expected).sum()),
            exact: count > 0.0 && blurs().all(|(_, blur)| blur.actual.exact),
        },
    }
}
