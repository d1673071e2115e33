//! One site in one window: all measures over its pages.

use std::collections::HashSet;

use crate::audit::changes::{self, Change, ChangeMeter};
use crate::audit::commands::Commands;
use crate::audit::model::{
    Blur, CaptureTimes, ChangeImportance, ChangeOut, CrawlOut, PageAudit, PageBlur, PageCounts, PriorOut,
    RateCheck, Rates, SiteActual, SiteAnswers, SiteAudit, SiteCompleteness, Stochastic, Story,
};
use crate::audit::next::crawl;
use crate::audit::next::rates::error_factor;
use crate::audit::page::{Parts, Work};
use crate::audit::soft404::Signs;
use crate::audit::targets::Complete;
use crate::audit::{basis, coherence, findings, patterns, stories, story, versions, words};
use crate::capture::table::{Row, Table};
use crate::change::evidence::Judge;
use crate::change::history::History;
use crate::change::rate::{self, Source};
use crate::quality::completeness::{VersionCompleteness, of_site};
use crate::quality::pattern::{FEW, Look, Pattern, PatternSummary, behaviour};
use crate::quality::sharpness::Sharpness;
use crate::quality::spread::Spread;
use crate::quality::sweep::Coverage;
use crate::quality::{Span, Weights};
use crate::schedule::page::Found;
use crate::time::{DAY, Interval, SECOND};

/// Into how many stretches the times of capture are counted.
const STRETCHES: usize = 96;
/// Maximum number of blocks of a change in a story.
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
    /// The rates of its pages, and how they agree with its captures.
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
    /// The offset from UTC, in minutes, of the hours in patterns.
    pub utc_offset_minutes: i32,
}

/// What became of the links and embeds of a site.
#[derive(Debug)]
pub(crate) struct Linked {
    pub complete: Complete,
    /// For each page, when a crawl that follows links finds it.
    pub found: Vec<Found>,
}

/// Audits the site; `rows` are those of all its URLs in the window.
pub(crate) fn audit<'r>(input: &SiteInput<'_>, rows: impl Iterator<Item = &'r Row> + Clone) -> SiteAudit {
    let SiteInput { table, works, window, weights, .. } = input;
    let error_pages: Vec<Option<String>> =
        works.iter().map(|work| work.error_page(table, input.signs)).collect();
    // What looks like an error page was never a page to judge.
    let judged: Vec<usize> = (0..works.len()).filter(|page| error_pages[*page].is_none()).collect();
    let weight = |page: usize| if error_pages[page].is_none() { weights.units(page) as f64 } else { 0.0 };
    let judged_weights = Weights::new(&(0..works.len()).map(weight).collect::<Vec<_>>());
    let states = judged.iter().map(|page| (*page, works[*page].versions.state));
    let sharpness = Sharpness::of(states, &judged_weights);
    let proven = judged.iter().flat_map(|page| {
        let units = judged_weights.units(*page);
        works[*page].online().into_iter().map(move |interval| (Span::closed(interval), units))
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
    let looks = looks(works, &weights_of_runs, input.utc_offset_minutes);
    let versions: Vec<Option<VersionCompleteness>> = works
        .iter()
        .zip(&weights_of_runs)
        .map(|(work, weights)| {
            let created = input.history.and_then(|known| known.created(work.url(table), work.key(table)));
            versions::of_page(work, *window, created, weights)
        })
        .collect();
    let measured = changes.into_iter().zip(stories).zip(&looks).zip(&versions).zip(&blurs);
    let mut pages: Vec<PageAudit> = works
        .iter()
        .zip(measured)
        .enumerate()
        .map(|(page, (work, ((((changes, story), looks), versions), blur)))| {
            let pattern = || {
                let summary = Pattern::of(looks.iter().copied()).summary();
                PatternSummary { utc_offset_minutes: input.utc_offset_minutes, ..summary }
            };
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
                error_page: error_pages[page].clone(),
            };
            work.audit(table, *window, first_best, parts)
        })
        .collect();
    let (complete, plain) = complete(&versions, &pages);
    let spreads = works.iter().zip(&blurs).map(|(work, blur)| work.blur_spread(*window, (*blur)?));
    let blur = blur(&pages, spreads);
    let assumed = pages.iter().all(|page| page.rate.source == Source::Assumed);
    let bases = basis::of_site(input, assumed, &blur, &complete, &pages);
    // What is not to be believed is not given.
    for page in &mut pages {
        page.blur = page.blur.filter(|blur| bases.blur.is_usable() || blur.actual.exact);
        page.completeness = page.completeness.filter(|found| bases.versions.is_usable() || found.exact);
    }
    let blur = if bases.blur.is_usable() { blur } else { without_means(blur) };
    let (complete, plain) = match bases.versions.is_usable() {
        true => (complete, plain),
        false => {
            (VersionCompleteness { share: None, ..complete }, VersionCompleteness { share: None, ..plain })
        }
    };
    let replayed_at = first_best.map_or(window.to, |span| span.interval().from);
    let findings = findings::gather(table, rows, works, &pages, replayed_at, input.signs);
    let coherence = coherence::cohere(input, &judged_weights, &judged, &sharpness, &coverage, best, &pages);
    let counts = PageCounts {
        total: sharpness.total() as u64,
        sharp: sharpness.sharp as u64,
        changed: sharpness.changed as u64,
        changed_in_markup_only: pages
            .iter()
            .filter(|page| page.markup_only && page.error_page.is_none())
            .count() as u64,
        single: sharpness.single as u64,
        unknown: sharpness.unknown as u64,
        error_pages: (works.len() - judged.len()) as u64,
    };
    let mut rates: Vec<f64> = pages.iter().map(|page| page.rate.per_day).collect();
    rates.sort_by(f64::total_cmp);
    let linked = input.linked.as_ref().ok().map(|linked| &linked.complete);
    SiteAudit {
        site: input.name.to_owned(),
        window: (*window).into(),
        crawls: input.crawls.clone(),
        observations: pages.iter().map(|page| page.observations).sum(),
        capture_times: Some(capture_times(works, *window)),
        pages: counts,
        delay_seconds: crawl::delay(table, works),
        verdict: words::verdict(&counts, &coherence, &blur, &bases),
        next: words::next(&counts, &coherence, |at| input.commands.at(at, input.name))
            .into_iter()
            .chain(
                linked.filter(|linked| !linked.missing.is_empty()).map(|_| {
                    "acuity audit --missing FILE: what is missing, for a crawler to fetch".to_owned()
                }),
            )
            .collect(),
        coherence,
        blur,
        rates: Rates {
            prior: PriorOut {
                shape: input.rates.prior.shape,
                mean_per_day: input.rates.prior.mean() * (DAY / SECOND) as f64,
            },
            median_per_day: rates.get(rates.len() / 2).copied().filter(|_| bases.rates.is_usable()),
            error_factor: error_factor(pages.iter().map(|page| page.rate))
                .filter(|_| bases.rates.is_usable()),
            assumed,
            check: check(input.rates),
        },
        findings,
        completeness: Some(SiteCompleteness {
            versions: versions::out(&complete, &plain, bases.versions.is_usable()),
            links: linked.map(|linked| linked.links),
            embeds: linked.map(|linked| linked.embeds),
            links_unknown: input.linked.as_ref().err().cloned(),
            missing_left_out: linked.map_or(0, |linked| linked.left_out),
            excluded: linked.map(|linked| linked.excluded.clone()).unwrap_or_default(),
        }),
        basis: bases,
        missing: linked.map(|linked| linked.missing.clone()),
        patterns: Some(patterns::classes(&looks, input.utc_offset_minutes)),
        reschedule: None,
        repair: None,
        answers: SiteAnswers::default(),
        page_totals: None,
        page_list: pages,
    }
}

/// The rates compared with the captures; `None` where no captures could be compared.
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

/// How many captures were made when.
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

/// The captures of every page that show whether it changed. Where the importance of no change is known, changes count alike.
fn looks(works: &[Work<'_>], weights: &[Vec<Option<f64>>], offset_minutes: i32) -> Vec<Vec<Look>> {
    let plain = weights.iter().flatten().all(Option::is_none);
    let of = |(work, weights): (&Work<'_>, &Vec<_>)| patterns::looks(work, weights, plain, offset_minutes);
    works.iter().zip(weights).map(of).collect()
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

/// Blur of which the means are not known.
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

fn blur(pages: &[PageAudit], spreads: impl Iterator<Item = Option<Spread>>) -> Blur {
    let blurs = || pages.iter().filter_map(|page| page.blur.map(|blur| (page.weight, blur)));
    let count = blurs().count() as f64;
    let weight: f64 = blurs().map(|(weight, _)| weight).sum();
    let mean = |total: f64| (count > 0.0).then(|| total / count);
    let weighted = |total: f64| (weight > 0.0).then(|| total / weight);
    let total: f64 = blurs().map(|(_, blur)| blur.stochastic).sum();
    let expected: f64 = blurs().map(|(_, blur)| blur.actual.expected).sum();
    let low: f64 = blurs().map(|(_, blur)| blur.actual.low).sum();
    let high: Option<f64> = blurs().map(|(_, blur)| blur.actual.high).sum();
    let all = spreads.flatten().fold(Spread::known(0.0), Spread::plus);
    let likely = mean(expected).map(|mean| {
        let (least, most) = all.times(1.0 / count).interval();
        (least.min(mean), most.max(mean))
    });
    Blur {
        stochastic: Stochastic {
            total: Some(total),
            mean: mean(total),
            weighted_mean: weighted(blurs().map(|(weight, blur)| weight * blur.stochastic).sum()),
        },
        actual: SiteActual {
            low,
            expected: Some(expected),
            high,
            unseen: Some(blurs().map(|(_, blur)| blur.actual.unseen).sum()),
            mean: mean(expected),
            mean_low: mean(low),
            mean_high: high.and_then(mean),
            weighted_mean: weighted(blurs().map(|(weight, blur)| weight * blur.actual.expected).sum()),
            likely_low: likely.map(|likely| likely.0),
            likely_high: likely.map(|likely| likely.1),
            exact: count > 0.0 && blurs().all(|(_, blur)| blur.actual.exact),
        },
    }
}
