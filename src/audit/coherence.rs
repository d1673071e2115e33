//! Coherence of one site in one window.

use std::collections::HashMap;

use crate::audit::model::{
    ByText, Coherence, CurvePoint, Inducible, Level, Measurable, Observable, Query, Range, Sharc,
};
use crate::audit::page::Work;
use crate::quality::alike::{Alike, Spans};
use crate::quality::observable::{Stamped, Stamps};
use crate::quality::query::{Capture, coherence_of};
use crate::quality::sharpness::Sharpness;
use crate::quality::sweep::{self, Coverage};
use crate::quality::weight::Rescaled;
use crate::quality::{Span, Weights, inducible, measurable, observable};
use crate::time::{Instant, Interval};

/// Maximum number of points of a coverage curve.
const CURVE: usize = 512;

/// What coherence needs of the pages, gathered while they go by.
#[derive(Debug, Default)]
pub(crate) struct Gathering {
    stamps: Stamps,
    /// Proven intervals of judged pages, with the units of the page.
    proven: Spans,
    /// Of the pages among them whose bytes changed: the same, and what is proven where only visible text counts.
    changed: Spans,
    by_text: Spans,
    /// What is proven of the pages whose bytes did not change, once all are known.
    unchanged: Vec<Alike>,
    /// The same when validators are believed: proven and claimed intervals of a page, joined where they overlap.
    claimed: Spans,
    /// The proven and the outer intervals of the judged pages that show one run.
    single_proven: Spans,
    single_outer: Spans,
    /// The runs of the judged pages that show several, page by page.
    runs: Vec<Standing>,
    /// Where the runs of each page end.
    ends: Vec<usize>,
    units: Vec<u64>,
    /// How many of the judged pages that show something have how many units.
    counts: HashMap<u64, u64>,
    judged: usize,
}

/// When a run was captured, and when it was online.
#[derive(Debug, Clone, Copy)]
struct Standing {
    first: Instant,
    last: Instant,
    proven: Option<Span>,
    outer: Option<Span>,
}

impl Gathering {
    /// Adds a page; `units` are those of a page that is judged.
    pub(crate) fn add(&mut self, work: &Work<'_>, units: Option<u64>) {
        let versions = &work.versions;
        if let (Some(run), Some(first)) = (versions.runs.first(), versions.looks.first()) {
            self.stamps.add(Stamped { time: first.time, last_modified: run.last_modified });
        }
        let Some(units) = units else { return };
        self.judged += 1;
        let online = work.online();
        let add = |spans: &mut Spans, intervals: &[Interval]| {
            intervals.iter().for_each(|interval| spans.add(Span::closed(*interval), units));
        };
        match work.online_by_text() {
            Some(by_text) => {
                add(&mut self.changed, &online);
                add(&mut self.by_text, &by_text);
            }
            None => add(&mut self.proven, &online),
        }
        self.claim(work, online, units);
        if versions.looks.is_empty() {
            return;
        }
        *self.counts.entry(units).or_default() += 1;
        if let [run] = &versions.runs[..] {
            run.proven.into_iter().for_each(|proven| self.single_proven.add(Span::closed(proven), units));
            Span::open(run.outer).into_iter().for_each(|outer| self.single_outer.add(outer, units));
            return;
        }
        self.runs.extend(versions.runs.iter().map(|run| Standing {
            first: versions.looks[run.looks.start].time,
            last: versions.looks[run.looks.end - 1].time,
            proven: run.proven.map(Span::closed),
            outer: Span::open(run.outer),
        }));
        self.ends.push(self.runs.len());
        self.units.push(units);
    }

    fn claim(&mut self, work: &Work<'_>, online: Vec<Interval>, units: u64) {
        let claims = work.versions.runs.iter().filter_map(|run| run.claimed);
        let mut own: Vec<Span> = online.into_iter().chain(claims).map(Span::closed).collect();
        own.sort_unstable();
        let mut last: Option<Span> = None;
        for span in own {
            match &mut last {
                Some(last) if span.low <= last.high => last.high = last.high.max(span.high),
                _ => last.replace(span).into_iter().for_each(|span| self.claimed.add(span, units)),
            }
        }
        last.into_iter().for_each(|span| self.claimed.add(span, units));
    }

    /// How many pages are proven to have been online when.
    pub(crate) fn coverage(&mut self) -> Coverage {
        let proven = std::mem::take(&mut self.proven).finish();
        let changed = std::mem::take(&mut self.changed).finish();
        let coverage = Coverage::of(proven.iter().copied().chain(changed));
        if !self.by_text.is_empty() {
            self.unchanged = proven;
        }
        coverage
    }

    /// How consistent the pages are where only visible text counts, if that differs for any of them.
    fn by_text(&mut self, weights: &Weights) -> Option<ByText> {
        if self.by_text.is_empty() {
            return None;
        }
        let by_text = std::mem::take(&mut self.by_text).finish();
        let coverage = Coverage::of(std::mem::take(&mut self.unchanged).into_iter().chain(by_text));
        let best = coverage.best_by_number();
        let by_weight = coverage.best_by_weight();
        Some(ByText {
            pages: u64::from(best.pages),
            share: f64::from(best.pages) / self.judged.max(1) as f64,
            weight_share: weights.share(by_weight.weight).unwrap_or(0.0),
        })
    }
}

/// The coherence of a site, but for what is expected of its pages.
pub(crate) fn cohere(
    mut gathered: Gathering,
    window: Interval,
    weights: &Weights,
    sharpness: &Sharpness,
    coverage: &Coverage,
    best: &sweep::Level,
) -> Coherence {
    let by_text = gathered.by_text(weights);
    let judged = gathered.judged;
    let full = coverage.full(judged);
    let claimed = Coverage::of(std::mem::take(&mut gathered.claimed).finish()).best_by_number();
    let stamps = &gathered.stamps;
    Coherence {
        inducible: Inducible {
            error: inducible::error(sharpness),
            holds: inducible::holds(sharpness, !full.spans.is_empty()),
        },
        observable: Observable {
            holds: observable::holds(stamps),
            pages: u64::from(observable::pages(stamps)),
            stamped: stamps.stamped.len() as u64,
        },
        measurable: Measurable { error: measurable::error(stamps).map(|(low, high)| Range { low, high }) },
        sharc: Sharc {
            pages: sharpness.sharp as u64,
            judged: sharpness.judged() as u64,
            share: (sharpness.judged() > 0).then(|| sharpness.sharp as f64 / sharpness.judged() as f64),
            weight_share: (sharpness.judged_weight > 0)
                .then(|| sharpness.sharp_weight as f64 / sharpness.judged_weight as f64),
        },
        provable: best.pages > 0,
        expected_unchanged: 0.0,
        curve: curve(coverage, weights),
        claimed: level(&claimed, weights, judged, false),
        best: level(best, weights, judged, false),
        best_by_weight: level(&coverage.best_by_weight(), weights, judged, true),
        full: level(&full, weights, judged, false),
        outside: None,
        by_text,
        query: query(gathered, window),
    }
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

fn query(gathered: Gathering, window: Interval) -> Query {
    let Gathering { single_proven, single_outer, runs, ends, units, counts, .. } = gathered;
    let scaled = Rescaled::of(&counts);
    let bound = |singles: Spans, outer: bool| {
        let mut alike = singles.finish();
        alike.iter_mut().for_each(|alike| alike.units = scaled.units(alike.units));
        let of_page = |page: usize| -> Vec<Capture> {
            let start = page.checked_sub(1).map_or(0, |before| ends[before]);
            // What lies between the first and the last capture of a run answers alike.
            let of_run = |run: &Standing| {
                let stood = if outer { run.outer } else { run.proven };
                let first = Capture { time: run.first, stood };
                let last = Capture { time: run.last, stood };
                std::iter::once(first).chain((run.last != run.first).then_some(last))
            };
            runs[start..ends[page]].iter().flat_map(of_run).collect()
        };
        let units_of = |page: usize| scaled.units(units[page]);
        coherence_of((0..ends.len()).map(of_page), units_of, &alike, scaled.all, window)
    };
    let (low, high) = (bound(single_proven, false), bound(single_outer, true));
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
