//! The answer about all pages, from batches of them.
//!
//! *Coherent* (yes): every selected page is proven at every instant of the date. *Not coherent* (no): at some instant of
//! it, a page has no capture before, and an accepted Last-Modified shows that the first version after it is newer. *Not provable*:
//! all else. All three
//! are piecewise constant in time; the pieces come from one sweep over the segments of all pages
//! ([`crate::change::at`]), sorted on disk where they are more than memory,
//! O(m log m) in the number of captures, so the stretch for which a verdict holds is exact.

use std::collections::BTreeMap;
use std::io;

use crate::at::compute::Batch;
use crate::at::date::AskedDate;
use crate::at::embed_model::EmbedCounts;
use crate::at::model::{
    AT_SCHEMA, At, AtFile, AtParameters, Better, Counts, Holds, MostProven, Part, SiteAt, SiteVerdict,
    Stretch,
};
use crate::at::page_sorter::PageSorter;
use crate::at::phrase_model::{PhraseAt, Uncaptured};
use crate::at::{labels, words};
use crate::audit::model::ProblemCount;
use crate::capture::table::LeftOut;
use crate::change::at::{Segment, State};
use crate::change::evidence::Grade;
use crate::error::{Error, Result};
use crate::ingest::sorter::Sorter;
use crate::quality::span::Span;
use crate::quality::sweep::Most;
use crate::time::{Instant, Interval};

/// Minimum memory of a sorter: less would only make more runs to merge.
const MIN_SORT_BYTES: usize = 4 << 20;

/// The verdict through all of time: from each instant on, until the next.
struct Sweep {
    pages: i64,
    proven: i64,
    late: i64,
    at: Instant,
    steps: Vec<(Instant, SiteVerdict)>,
}

impl Sweep {
    fn new(pages: u64) -> Self {
        Sweep { pages: pages as i64, proven: 0, late: 0, at: Instant(i64::MIN), steps: Vec::new() }
    }

    /// From an instant on more pages, or fewer, are proven, or late; instants come in their order.
    fn add(&mut self, from: Instant, proven: i64, late: i64) {
        if from != self.at {
            self.settle();
            self.at = from;
        }
        self.proven += proven;
        self.late += late;
    }

    fn settle(&mut self) {
        let verdict = match () {
            () if self.late > 0 => SiteVerdict::NotCoherent,
            () if self.proven == self.pages => SiteVerdict::Coherent,
            () => SiteVerdict::NotProvable,
        };
        if self.steps.last().is_none_or(|step| step.1 != verdict) {
            self.steps.push((self.at, verdict));
        }
    }

    fn finish(mut self) -> Vec<(Instant, SiteVerdict)> {
        self.settle();
        self.steps
    }
}

/// The steps as closed stretches, clipped to an interval.
fn parts(steps: &[(Instant, SiteVerdict)], over: Interval) -> Vec<Part> {
    let end = |place: usize| steps.get(place + 1).map_or(Instant(i64::MAX), |next| next.0.plus(-1));
    let clip = |(place, step): (usize, &(Instant, SiteVerdict))| {
        let inside = Interval::new(step.0.max(over.from), end(place).min(over.to))?;
        Some(Part { from: inside.from, to: inside.to, verdict: step.1 })
    };
    steps.iter().enumerate().filter_map(clip).collect()
}

/// The whole stretch of a verdict that contains an instant.
fn holds(steps: &[(Instant, SiteVerdict)], at: Instant) -> Holds {
    let behind = steps.partition_point(|step| step.0 <= at);
    Holds {
        from: behind.checked_sub(1).map(|place| steps[place].0).filter(|from| from.0 > i64::MIN),
        to: steps.get(behind).map(|next| next.0.plus(-1)),
    }
}

/// The nearest instants with a better verdict, on both sides.
fn better(steps: &[(Instant, SiteVerdict)], asked: Interval, than: SiteVerdict) -> Vec<Better> {
    let mut found = Vec::new();
    for verdict in SiteVerdict::ALL.into_iter().filter(|verdict| *verdict < than) {
        let earlier = steps.windows(2).rev().find(|pair| pair[0].1 == verdict && pair[1].0 <= asked.from);
        let later = steps.iter().find(|step| step.1 == verdict && step.0 > asked.to);
        found.extend(earlier.map(|pair| Better { verdict, at: pair[1].0.plus(-1) }));
        found.extend(later.map(|step| Better { verdict, at: step.0 }));
    }
    found
}

/// Where a page begins or ceases to be proven, or late.
fn events(segments: &[Segment]) -> impl Iterator<Item = (Instant, i8, i8)> {
    let mut before = (0, 0);
    segments.iter().filter_map(move |segment| {
        let standing = &segment.standing;
        let now = (i8::from(standing.state == State::Proven), i8::from(standing.is_refuted()));
        let last = std::mem::replace(&mut before, now);
        (now != last).then(|| (segment.from, now.0 - last.0, now.1 - last.1))
    })
}

/// A number as bytes that sort as it does.
fn sortable(number: i64) -> [u8; 8] {
    ((number as u64) ^ (1 << 63)).to_be_bytes()
}

fn number(bytes: &[u8]) -> io::Result<i64> {
    let bytes = bytes.try_into().map_err(|_| io::ErrorKind::InvalidData)?;
    Ok((u64::from_be_bytes(bytes) ^ (1 << 63)) as i64)
}

/// The two changes that an event brings.
fn changes(value: &[u8]) -> (i64, i64) {
    let change = |place: usize| value.get(place).map_or(0, |byte| i64::from(*byte as i8));
    (change(0), change(1))
}

#[derive(Default)]
struct Site {
    number: u32,
    counts: Counts,
}

/// Takes batches of pages, in any order.
pub(super) struct Total {
    pages: PageSorter,
    /// When pages begin or cease to be proven or late: of all pages, and by site.
    events: Sorter,
    of_sites: Sorter,
    /// When pages begin or cease to be proven, as positions.
    proven: Sorter,
    counts: Counts,
    sites: BTreeMap<Option<String>, Site>,
    grade: Option<Grade>,
    phrases: Vec<PhraseAt>,
    uncaptured: Option<Uncaptured>,
    embeds: Option<EmbedCounts>,
}

impl Total {
    /// Works with about `memory` bytes.
    pub(super) fn new(memory: usize) -> Self {
        let sorter = || Sorter::new((memory / 16).max(MIN_SORT_BYTES));
        Total {
            pages: PageSorter::new(memory),
            events: sorter(),
            of_sites: sorter(),
            proven: sorter(),
            counts: Counts::default(),
            sites: BTreeMap::new(),
            grade: None,
            phrases: Vec::new(),
            uncaptured: None,
            embeds: None,
        }
    }

    /// Adds some pages.
    pub(super) fn add(&mut self, batch: Batch) -> io::Result<()> {
        for answered in &batch.pages {
            let page = &answered.page;
            self.counts.add(page);
            self.grade = self.grade.max(page.grade);
            let next = self.sites.len() as u32;
            let site = self
                .sites
                .entry(page.site.clone())
                .or_insert_with(|| Site { number: next, ..Site::default() });
            site.counts.add(page);
            for (from, proven, late) in events(&answered.segments) {
                let change = [proven as u8, late as u8];
                let from = sortable(from.0);
                self.events.push(&from, &change)?;
                self.of_sites.push(&[&site.number.to_be_bytes()[..], &from].concat(), &change)?;
            }
            for span in answered.proven.iter().map(|interval| Span::closed(*interval)) {
                self.proven.push(&sortable(span.low), &[1])?;
                self.proven.push(&sortable(span.high.saturating_add(1)), &[u8::MAX])?;
            }
            self.pages.push(page)?;
        }
        self.phrases.extend(batch.phrases);
        self.uncaptured = batch.uncaptured.or(self.uncaptured.take());
        if let Some(embeds) = batch.embeds {
            self.embeds.get_or_insert_default().add_all(embeds);
        }
        Ok(())
    }

    /// The answer; with `seals` what the files of its records tell of them is in it.
    ///
    /// # Errors
    /// When there is no page, or a file cannot be read again.
    pub(super) fn finish(
        self,
        parameters: &AtParameters,
        inputs: Vec<AtFile>,
        problems: Vec<ProblemCount>,
        left_out: LeftOut,
        seals: bool,
    ) -> Result<At> {
        if self.counts.pages == 0 {
            return Err(Error::usage("no page is selected")
                .with_remedy("`acuity index` lists what was captured; --pages all takes every URL"));
        }
        let date = AskedDate::parse(&parameters.date)?;
        let span = date.span;
        let mut sweep = Sweep::new(self.counts.pages);
        self.events.finish(&mut |from, value| {
            let (proven, late) = changes(value);
            sweep.add(Instant(number(from)?), proven, late);
            Ok(())
        })?;
        let steps = sweep.finish();
        let parts = self::parts(&steps, span);
        let worst = parts.iter().max_by(|a, b| a.verdict.cmp(&b.verdict).then(b.from.cmp(&a.from)));
        let (verdict, decided_at) =
            worst.map_or((SiteVerdict::NotProvable, span.from), |part| (part.verdict, part.from));
        let mut most = Most::default();
        self.proven.finish(&mut |position, value| {
            most.add(number(position)?, changes(value).0);
            Ok(())
        })?;
        let most = most.finish();
        let closed = |span: &Span| Stretch { from: span.interval().from, to: span.interval().to };
        let most_proven = (most.pages > 0).then(|| MostProven {
            pages: u64::from(most.pages),
            when: most.spans.iter().map(closed).collect(),
        });
        let mut at = At {
            schema: AT_SCHEMA.to_owned(),
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            asked: Stretch { from: span.from, to: span.to },
            question: String::new(),
            verdict,
            answer: String::new(),
            because: Vec::new(),
            clocks: Vec::new(),
            grade: match verdict {
                SiteVerdict::Coherent => self.grade,
                SiteVerdict::NotCoherent => Some(Grade::Validator),
                SiteVerdict::NotProvable => None,
            },
            holds: holds(&steps, decided_at),
            parts,
            better: better(&steps, span, verdict),
            most_proven,
            counts: self.counts,
            sites: sites(self.sites, self.of_sites, span)?,
            pages: self.pages.finish(seals)?,
            phrases: self.phrases,
            uncaptured: self.uncaptured,
            embeds: self.embeds,
            method: Vec::new(),
            limits: Vec::new(),
            inputs,
            parameters: parameters.clone(),
            left_out,
            problems,
            assumptions: Vec::new(),
        };
        labels::quotes(&at.pages, &mut at.phrases);
        words::speak(&mut at, &date);
        at.pages.check()?;
        Ok(at)
    }
}

/// The verdict for each site.
fn sites(sites: BTreeMap<Option<String>, Site>, events: Sorter, span: Interval) -> io::Result<Vec<SiteAt>> {
    let worst = |sweep: Sweep| {
        let parts = parts(&sweep.finish(), span);
        parts.iter().map(|part| part.verdict).max().unwrap_or(SiteVerdict::NotProvable)
    };
    let mut pages = vec![0; sites.len()];
    for site in sites.values() {
        pages[site.number as usize] = site.counts.pages;
    }
    let mut verdicts: Vec<Option<SiteVerdict>> = vec![None; sites.len()];
    let mut current: Option<(usize, Sweep)> = None;
    events.finish(&mut |key, value| {
        let (site, from) = key.split_first_chunk::<4>().ok_or(io::ErrorKind::InvalidData)?;
        let site = u32::from_be_bytes(*site) as usize;
        if current.as_ref().is_none_or(|(open, _)| *open != site)
            && let Some((before, sweep)) = current.replace((site, Sweep::new(pages[site])))
        {
            verdicts[before] = Some(worst(sweep));
        }
        if let Some((_, sweep)) = &mut current {
            let (proven, late) = changes(value);
            sweep.add(Instant(number(from)?), proven, late);
        }
        Ok(())
    })?;
    if let Some((last, sweep)) = current {
        verdicts[last] = Some(worst(sweep));
    }
    let made = sites.into_iter().map(|(name, Site { number, counts })| SiteAt {
        site: name.unwrap_or_default(),
        verdict: verdicts[number as usize].unwrap_or_else(|| worst(Sweep::new(counts.pages))),
        counts,
    });
    Ok(made.collect())
}
