//! Coherence of one site in one window.

use crate::audit::model::{
    ByText, Coherence, CurvePoint, Inducible, Level, Measurable, Observable, Query, Range, Sharc,
};
use crate::audit::page::Work;
use crate::quality::observable::Stamped;
use crate::quality::query::{Capture, coherence};
use crate::quality::sharpness::Sharpness;
use crate::quality::sweep::{self, Coverage};
use crate::quality::{Span, Weights, inducible, measurable, observable};
use crate::time::{Instant, Interval};

/// Maximum number of points of a coverage curve.
const CURVE: usize = 512;

/// What coherence needs of the pages, gathered while they go by.
#[derive(Debug, Default)]
pub(crate) struct Gathering {
    stamps: Vec<Stamped>,
    /// Proven intervals of judged pages, with the units of the page.
    proven: Vec<(Span, u64)>,
    /// Of the pages among them whose bytes changed: the same, and what is proven where only visible text counts.
    changed: Vec<(Span, u64)>,
    by_text: Vec<(Span, u64)>,
    /// The same when validators are believed: proven and claimed intervals of a page, joined where they overlap.
    claimed: Vec<(Span, u64)>,
    /// The runs of the judged pages that show something, page by page.
    runs: Vec<Standing>,
    /// Where the runs of each page end.
    ends: Vec<usize>,
    /// The units of each.
    units: Vec<f64>,
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
            self.stamps.push(Stamped { time: first.time, last_modified: run.last_modified });
        }
        let Some(units) = units else { return };
        self.judged += 1;
        let online = work.online();
        let spans = |intervals: &[Interval]| -> Vec<(Span, u64)> {
            intervals.iter().map(|interval| (Span::closed(*interval), units)).collect()
        };
        match work.online_by_text() {
            Some(by_text) => {
                self.changed.extend(spans(&online));
                self.by_text.extend(spans(&by_text));
            }
            None => self.proven.extend(online.iter().map(|interval| (Span::closed(*interval), units))),
        }
        self.claim(work, online, units);
        if versions.looks.is_empty() {
            return;
        }
        self.runs.extend(versions.runs.iter().map(|run| Standing {
            first: versions.looks[run.looks.start].time,
            last: versions.looks[run.looks.end - 1].time,
            proven: run.proven.map(Span::closed),
            outer: Span::open(run.outer),
        }));
        self.ends.push(self.runs.len());
        self.units.push(units as f64);
    }

    fn claim(&mut self, work: &Work<'_>, online: Vec<Interval>, units: u64) {
        let claims = work.versions.runs.iter().filter_map(|run| run.claimed);
        let mut own: Vec<Span> = online.into_iter().chain(claims).map(Span::closed).collect();
        own.sort_unstable();
        let mut last: Option<Span> = None;
        for span in own {
            match &mut last {
                Some(last) if span.low <= last.high => last.high = last.high.max(span.high),
                _ => self.claimed.extend(last.replace(span).map(|span| (span, units))),
            }
        }
        self.claimed.extend(last.map(|span| (span, units)));
    }

    /// How many pages are proven to have been online when.
    pub(crate) fn coverage(&mut self) -> Coverage {
        let changed = std::mem::take(&mut self.changed);
        match self.by_text.is_empty() {
            true => Coverage::of(std::mem::take(&mut self.proven).into_iter().chain(changed)),
            false => Coverage::of(self.proven.iter().copied().chain(changed)),
        }
    }

    /// How consistent the pages are where only visible text counts, if that differs for any of them.
    fn by_text(&mut self, weights: &Weights) -> Option<ByText> {
        let by_text = std::mem::take(&mut self.by_text);
        if by_text.is_empty() {
            return None;
        }
        let coverage = Coverage::of(std::mem::take(&mut self.proven).into_iter().chain(by_text));
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
    let Gathering { stamps, claimed, judged, .. } = &gathered;
    let judged = *judged;
    let full = coverage.full(judged);
    let claimed = Coverage::of(claimed.iter().copied()).best_by_number();
    Coherence {
        inducible: Inducible {
            error: inducible::error(sharpness),
            holds: inducible::holds(sharpness, !full.spans.is_empty()),
        },
        observable: Observable {
            holds: observable::holds(stamps),
            pages: u64::from(observable::pages(stamps)),
            stamped: stamps.iter().filter(|page| page.last_modified.is_some()).count() as u64,
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
    let Gathering { runs, ends, units, .. } = gathered;
    let weights = Weights::new(&units);
    let bound = |outer: bool| {
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
        coherence((0..ends.len()).map(of_page), &weights, window)
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
