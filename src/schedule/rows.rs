//! The downloads of a crawl, one row each, in the order of time: in memory, or sorted on disk if there are many, so that no
//! URL is kept.

use std::sync::Arc;

use super::build::{Part, later};
use super::expected::page_survival;
use super::model::{Caveat, Kind, Slot};
use super::page::Page;
use super::parts::{Divided, PageSource};
use super::slots::{Slots, put};
use crate::error::Result;
use crate::ingest::overflow::Overflow;
use crate::ingest::sorter::Sorter;
use crate::time::{Instant, SECONDS_A_DAY};

/// About the bytes of a row in memory, with its share of the URL.
const ROW: usize = size_of::<Slot>() + 48;

/// When a part is fetched.
pub(super) struct Timed<'a> {
    pub part: &'a Part,
    /// Seconds from the start of the crawl.
    pub begin: f64,
    pub start: Option<Instant>,
    /// The survival below which a page is hopeless.
    pub floor: f64,
    /// Whether anything shows how often its pages change; else only the order is given.
    pub is_known: bool,
    pub caveat: Option<&'a Caveat>,
}

impl Timed<'_> {
    /// Whether chances follow from its rates.
    pub(super) fn is_expected(&self) -> bool {
        self.is_known && !self.caveat.is_some_and(|caveat| caveat.refuses)
    }

    /// The downloads of a page, by slot. The page in the middle is fetched once.
    fn downloads(&self, page: usize) -> impl Iterator<Item = (u64, Kind)> {
        let visit = self.part.plan.visit_time(page);
        let revisit = self.part.plan.revisit_time(page).filter(|revisit| *revisit != visit);
        [Some((visit, Kind::Visit)), revisit.map(|revisit| (revisit, Kind::Revisit))].into_iter().flatten()
    }

    fn row(&self, page: usize, (number, kind): (u64, Kind), url: Arc<str>) -> Slot {
        let Part { site, plan, lane, .. } = self.part;
        let survival = page_survival(site, plan, page).filter(|_| self.is_expected());
        let seconds = self.begin + number as f64 * site.delay();
        let per_day = Some(site.rates()[page] * SECONDS_A_DAY).filter(|rate| rate.is_finite());
        Slot {
            url,
            kind,
            slot: number,
            at: self.start.map(|start| later(start, seconds)),
            seconds,
            lane: lane.clone(),
            interval_seconds: plan.interval(page).map(|interval| interval as f64 * site.delay()),
            survival,
            hopeful: survival.map(|survival| plan.hopeful(page, survival, self.floor)),
            weight: site.weights()[page],
            rate_per_day: per_day.filter(|_| self.is_known),
        }
    }
}

/// The rows of all parts. Those that take more than `limit` bytes lie in a temporary file.
pub(super) fn of(
    pages: &dyn PageSource,
    divided: &Divided,
    timed: &[Timed<'_>],
    limit: Option<usize>,
) -> Result<Vec<Slots>> {
    let all: usize = timed.iter().map(|timed| timed.part.plan.len()).sum();
    match limit {
        Some(limit) if all.saturating_mul(2 * ROW) > limit => on_disk(pages, divided, timed, limit),
        _ => held(pages, divided, timed),
    }
}

fn held(pages: &dyn PageSource, divided: &Divided, timed: &[Timed<'_>]) -> Result<Vec<Slots>> {
    let mut urls: Vec<Vec<Arc<str>>> = vec![Vec::new(); timed.len()];
    divided.each(pages, &mut |part, _, page| {
        urls[part].push(page.url.clone());
        Ok(())
    })?;
    let rows = |(timed, urls): (&Timed<'_>, Vec<Arc<str>>)| {
        // Only numbers are sorted: a row is ten times as large.
        let mut order: Vec<(u64, u32, Kind)> = Vec::with_capacity(2 * urls.len());
        for page in 0..urls.len() {
            order.extend(timed.downloads(page).map(|(number, kind)| (number, page as u32, kind)));
        }
        order.sort_unstable();
        let row =
            |(number, page, kind)| timed.row(page as usize, (number, kind), urls[page as usize].clone());
        Slots::from(order.into_iter().map(row).collect::<Vec<Slot>>())
    };
    Ok(timed.iter().zip(urls).map(rows).collect())
}

fn on_disk(
    pages: &dyn PageSource,
    divided: &Divided,
    timed: &[Timed<'_>],
    limit: usize,
) -> Result<Vec<Slots>> {
    let mut sorter = Sorter::new(limit / 2);
    let mut counts = vec![0; timed.len()];
    let (mut key, mut value) = (Vec::new(), Vec::new());
    divided.each(pages, &mut |part, number, page: &Page| {
        for (slot, kind) in timed[part].downloads(number) {
            key.clear();
            key.extend((part as u32).to_be_bytes());
            key.extend(slot.to_be_bytes());
            key.extend((number as u32).to_be_bytes());
            key.push(kind as u8);
            value.clear();
            put(&mut value, &timed[part].row(number, (slot, kind), page.url.clone()));
            sorter.push(&key, &value)?;
            counts[part] += 1;
        }
        Ok(())
    })?;
    let mut entries = Overflow::new(0);
    let mut places = vec![0; timed.len()];
    let mut next = 0;
    sorter.finish(&mut |key, row| {
        let part = key.first_chunk().map_or(0, |bytes| u32::from_be_bytes(*bytes)) as usize;
        while next <= part {
            places[next] = entries.place();
            next += 1;
        }
        entries.push(|out| out.extend_from_slice(row))
    })?;
    let entries = Arc::new(entries);
    let rows = timed.iter().zip(places).zip(counts);
    Ok(rows
        .map(|((timed, place), count)| Slots::on_disk(entries.clone(), place, count, timed.part.lane.clone()))
        .collect())
}
