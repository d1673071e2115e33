//! The pages of a crawl by lane and subsite, within the budget: of each page only the numbers that strategies take. Its URL stays
//! where it is until downloads are written.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::build::{Request, seconds_of};
use super::page::{Basis, Found, Page};
use super::pattern::Pattern;
use super::subsite::Group;
use crate::error::Result;
use crate::time::Instant;

/// Pages that are read one after the other, as often as they are needed and always in the same order.
pub(crate) trait PageSource {
    /// Visits every page.
    fn each(&self, visit: &mut dyn FnMut(&Page) -> Result<()>) -> Result<()>;
}

impl PageSource for &[Page] {
    fn each(&self, visit: &mut dyn FnMut(&Page) -> Result<()>) -> Result<()> {
        self.iter().try_for_each(visit)
    }
}

/// The pages of one lane, or of one subsite of it.
pub(super) struct Columns {
    pub lane: Arc<str>,
    pub group: Option<Group>,
    /// Pages that the budget leaves out.
    pub left_out: usize,
    pub rates: Vec<f64>,
    pub weights: Vec<f64>,
    /// When each was last seen to change, in seconds.
    pub changed: Vec<f64>,
    /// `None` where a page has none.
    pub found: Option<Vec<Found>>,
    pub patterns: Option<Vec<Pattern>>,
    /// First and last capture in the last crawl.
    pub looks: Vec<Option<(Instant, Instant)>>,
    /// Pages whose rates are those of others, and how many of them were never captured.
    pub unknown_rates: usize,
    pub never_captured: usize,
}

impl Columns {
    fn new(lane: Arc<str>, group: Option<Group>) -> Self {
        Columns {
            lane,
            group,
            left_out: 0,
            rates: Vec::new(),
            weights: Vec::new(),
            changed: Vec::new(),
            found: Some(Vec::new()),
            patterns: Some(Vec::new()),
            looks: Vec::new(),
            unknown_rates: 0,
            never_captured: 0,
        }
    }

    fn push(&mut self, page: &Page) {
        self.rates.push(page.rate);
        self.weights.push(page.weight);
        self.changed.push(seconds_of(page.changed));
        push_all(&mut self.found, page.found);
        push_all(&mut self.patterns, page.pattern.clone());
        self.looks.push(page.looks);
        self.unknown_rates += usize::from(page.basis != Basis::Own);
        self.never_captured += usize::from(page.basis == Basis::Uncaptured);
    }

    /// The pages, which are not needed here any more.
    pub(super) fn taken(&mut self) -> Self {
        std::mem::replace(self, Columns::new(self.lane.clone(), None))
    }

    fn weight(&self) -> f64 {
        self.weights.iter().sum()
    }
}

/// A list that all pages have, or none.
fn push_all<T>(list: &mut Option<Vec<T>>, value: Option<T>) {
    match (list.as_mut(), value) {
        (Some(values), Some(value)) => values.push(value),
        _ => *list = None,
    }
}

/// A page that belongs to no part: the budget leaves it out.
const LEFT_OUT: u32 = u32::MAX;

/// All pages, divided.
pub(super) struct Divided {
    /// By lane; of a lane the heaviest subsite first.
    pub parts: Vec<Columns>,
    /// The part of every page.
    places: Vec<u32>,
    /// Lanes with a page whose own changes are known, or without any whose changes are not.
    pub known: HashSet<Arc<str>>,
}

impl Divided {
    pub(super) fn of(pages: &dyn PageSource, request: &Request) -> Result<Self> {
        let kept = kept(pages, request.budget)?;
        let mut numbers: HashMap<(Arc<str>, Option<Group>), u32> = HashMap::new();
        let mut parts: Vec<Columns> = Vec::new();
        let mut places: Vec<u32> = Vec::new();
        let (mut known, mut guessed) = (HashSet::new(), HashSet::new());
        pages.each(&mut |page| {
            if page.has_own_rate() && !known.contains(&page.lane) {
                known.insert(page.lane.clone());
            }
            if page.basis != Basis::Own && !guessed.contains(&page.lane) {
                guessed.insert(page.lane.clone());
            }
            let group = page.group.clone().filter(|_| request.subsites);
            let number = *numbers.entry((page.lane.clone(), group)).or_insert_with_key(|(lane, group)| {
                parts.push(Columns::new(lane.clone(), group.clone()));
                parts.len() as u32 - 1
            });
            let is_kept = kept.as_ref().is_none_or(|kept| kept.get(places.len()) == Some(&true));
            let part = &mut parts[number as usize];
            if is_kept {
                part.push(page)
            } else {
                part.left_out += 1
            }
            places.push(if is_kept { number } else { LEFT_OUT });
            Ok(())
        })?;
        known.extend(parts.iter().map(|part| part.lane.clone()).filter(|lane| !guessed.contains(lane)));
        let mut order: Vec<(u32, f64)> =
            parts.iter().enumerate().map(|(number, part)| (number as u32, part.weight())).collect();
        order.sort_by(|(a, x), (b, y)| {
            let (a, b) = (&parts[*a as usize], &parts[*b as usize]);
            a.lane.cmp(&b.lane).then_with(|| y.total_cmp(x)).then_with(|| a.group.cmp(&b.group))
        });
        let mut ranks = vec![0; parts.len()];
        for (rank, (number, _)) in order.into_iter().enumerate() {
            ranks[number as usize] = rank as u32;
        }
        places
            .iter_mut()
            .filter(|place| **place != LEFT_OUT)
            .for_each(|place| *place = ranks[*place as usize]);
        let mut ranked: Vec<(u32, Columns)> = ranks.into_iter().zip(parts).collect();
        ranked.sort_by_key(|(rank, _)| *rank);
        Ok(Divided { parts: ranked.into_iter().map(|(_, part)| part).collect(), places, known })
    }

    /// How many pages there are, those that are left out among them.
    pub(super) fn pages(&self) -> usize {
        self.places.len()
    }

    /// Visits every page that is kept: its part, its number in it, and the page.
    pub(super) fn each(
        &self,
        pages: &dyn PageSource,
        visit: &mut dyn FnMut(usize, usize, &Page) -> Result<()>,
    ) -> Result<()> {
        let mut numbers = vec![0; self.parts.len()];
        let mut places = self.places.iter();
        pages.each(&mut |page| {
            let Some(part) = places.next().filter(|place| **place != LEFT_OUT) else { return Ok(()) };
            let part = *part as usize;
            let number = numbers[part];
            numbers[part] += 1;
            visit(part, number, page)
        })
    }
}

/// Which pages a budget keeps: the heaviest, among equal weights the coldest; `None`: all.
fn kept(pages: &dyn PageSource, budget: Option<usize>) -> Result<Option<Vec<bool>>> {
    let Some(budget) = budget else { return Ok(None) };
    let mut all: Vec<(f64, f64)> = Vec::new();
    pages.each(&mut |page| {
        all.push((page.weight, page.rate));
        Ok(())
    })?;
    if budget >= all.len() {
        return Ok(None);
    }
    let mut order: Vec<u32> = (0..all.len() as u32).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (all[a as usize], all[b as usize]);
        b.0.total_cmp(&a.0).then(a.1.total_cmp(&b.1))
    });
    let mut kept = vec![true; all.len()];
    order[budget..].iter().for_each(|&page| kept[page as usize] = false);
    Ok(Some(kept))
}
