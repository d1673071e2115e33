//! Coherence of one site in one window.

use crate::audit::model::{
    Coherence, CurvePoint, Inducible, Level, Measurable, Observable, PageAudit, Query, Range, Sharc,
};
use crate::audit::page::Work;
use crate::audit::site::SiteInput;
use crate::quality::observable::Stamped;
use crate::quality::query::{Capture, coherence};
use crate::quality::sharpness::Sharpness;
use crate::quality::sweep::{self, Coverage};
use crate::quality::{Span, Weights, inducible, measurable, observable};
use crate::time::Instant;

/// Maximum number of points of a coverage curve.
const CURVE: usize = 512;

pub(crate) fn cohere(
    input: &SiteInput<'_>,
    weights: &Weights,
    judged: &[usize],
    sharpness: &Sharpness,
    coverage: &Coverage,
    best: sweep::Level,
    pages: &[PageAudit],
) -> Coherence {
    let works = &input.works;
    let full = coverage.full(judged.len());
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
        query: query(input, weights, judged),
        sharc: Sharc {
            pages: sharpness.sharp as u64,
            judged: sharpness.judged() as u64,
            share: (sharpness.judged() > 0).then(|| sharpness.sharp as f64 / sharpness.judged() as f64),
            weight_share: (sharpness.judged_weight > 0)
                .then(|| sharpness.sharp_weight as f64 / sharpness.judged_weight as f64),
        },
        provable: best.pages > 0,
        expected_unchanged: judged.iter().map(|page| pages[*page].chance_unchanged).sum(),
        curve: curve(coverage, weights),
        claimed: level(&claimed(works, weights, judged).best_by_number(), weights, judged.len(), false),
        best: level(&best, weights, judged.len(), false),
        best_by_weight: level(&coverage.best_by_weight(), weights, judged.len(), true),
        full: level(&full, weights, judged.len(), false),
    }
}

/// The coverage when validators are believed: proven and claimed intervals of a page, joined where they overlap.
fn claimed(works: &[Work<'_>], weights: &Weights, judged: &[usize]) -> Coverage {
    let mut spans: Vec<(Span, u64)> = Vec::new();
    for (page, work) in judged.iter().map(|page| (*page, &works[*page])) {
        let claims = work.versions.runs.iter().filter_map(|run| run.claimed);
        let mut own: Vec<Span> = work.online().into_iter().chain(claims).map(Span::closed).collect();
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

fn level(level: &sweep::Level, weights: &Weights, judged: usize, by_weight: bool) -> Level {
    let pages = judged as f64;
    let weight = weights.share(level.weight).unwrap_or(0.0);
    // That nothing is proven is not to say that nothing was online.
    let share = (level.pages > 0).then(|| if by_weight { weight } else { f64::from(level.pages) / pages });
    Level {
        pages: u64::from(level.pages),
        weight: weight * pages,
        share,
        intervals: level.spans.iter().map(|span| span.interval().into()).collect(),
    }
}

fn query(input: &SiteInput<'_>, weights: &Weights, judged: &[usize]) -> Query {
    let shown = judged.iter().copied();
    let served: Vec<usize> = shown.filter(|page| !input.works[*page].versions.looks.is_empty()).collect();
    let weights = Weights::new(&served.iter().map(|page| weights.units(*page) as f64).collect::<Vec<_>>());
    let bound = |outer: bool| {
        let of_page = |page: &usize| -> Vec<Capture> {
            let versions = &input.works[*page].versions;
            let of_run = |run: &crate::change::run::Run| {
                let stood = if outer { Span::open(run.outer) } else { run.proven.map(Span::closed) };
                run.looks.clone().map(move |look| Capture { time: versions.looks[look].time, stood })
            };
            versions.runs.iter().flat_map(of_run).collect()
        };
        coherence(served.iter().map(of_page), &weights, input.window)
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
