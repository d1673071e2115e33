//! Buys sessions and single downloads one by one: each begins as soon as the budget has paid for all earlier ones.
//!
//! Sessions at equal intervals ([`super::session_counts`]) say how often each subsite is worth its downloads, not which comes first; in few days all
//! depends on that. Here downloads are bought in sequence: next comes whatever gains most per download at that time, given
//! what was bought before: a page in the interval of a session, `quiet` behind each look, less what the captures before would
//! have served. Then purchases of the row are replaced, change places or are moved as long as that gains. Each subsite has
//! one set of pages for all its sessions: those of the sessions that are best in the long run, its heaviest and coldest
//! pages, or all; sets are tried subsite by subsite. A **heuristic**, for plans that are small enough.

use std::cell::Cell;

use super::candidates::Terms;
use super::exact::{Horizon, quiet};
use super::session_counts::{CURRENT, Laid};
use super::sessions::{Session, Subsite, downloads};
use super::timetable::MOMENT;

/// Maximum number of pages that the search evaluates.
const MAX_VALUED_PAGES: usize = 3_000_000;

/// Sets of a subsite are tried with 1, 2, … pages up to this number, then doubling.
const EACH: usize = 8;

/// Rounds of the search at most.
const ROUNDS: usize = 6;

/// A gain above rounding.
const NOTABLE: f64 = 1e-12;

/// What is planned, and what may still be valued.
pub(super) struct Search<'a> {
    subsites: &'a [Subsite],
    alone: f64,
    gap: u32,
    terms: Terms<'a>,
    left: Cell<usize>,
}

/// What can be bought: a session of pages, from the middle outwards, or a download of one page.
struct Item<'a> {
    pages: &'a [u32],
    subsite: Option<usize>,
    delay: f64,
    cost: u64,
}

/// What was captured of a page so far.
#[derive(Debug, Clone, Copy)]
struct Seen {
    /// The last capture; without end in the past: none.
    last: f64,
    picture: Option<Picture>,
}

/// A page in a session: the middle, days to each of the two looks, and the chance that both show the same.
#[derive(Debug, Clone, Copy)]
struct Picture {
    middle: f64,
    half: f64,
    survives: f64,
}

/// The pages of the sessions of every subsite; none: it has no session.
type Choice = Vec<Vec<u32>>;

/// Purchases in order, and what they gain.
struct Row {
    bought: Vec<usize>,
    gain: f64,
}

impl<'a> Search<'a> {
    pub(super) fn new(subsites: &'a [Subsite], (alone, gap): (f64, u32), terms: Terms<'a>) -> Self {
        Search { subsites, alone, gap, terms, left: Cell::new(MAX_VALUED_PAGES) }
    }

    /// The best row that is found, with its sessions; `None` where that would take too long.
    pub(super) fn best(&self, sets: &[&[Session]]) -> Option<(Vec<Session>, Laid)> {
        let mut all: Choice = self.subsites.iter().map(|own| own.pages.clone()).collect();
        all.iter_mut().for_each(|pages| self.arrange(pages));
        let row = self.bought(&self.items(&all))?;
        let mut best = (all, row);
        for set in sets {
            let mut choice = vec![Vec::new(); self.subsites.len()];
            set.iter().for_each(|own| choice[own.subsite].clone_from(&own.pages));
            self.choose(choice, &mut best);
        }
        for _ in 0..ROUNDS {
            let before = best.1.gain;
            for number in 0..self.subsites.len() {
                for set in self.sets(number, sets) {
                    let mut choice = best.0.clone();
                    choice[number] = set;
                    self.choose(choice, &mut best);
                }
            }
            if best.1.gain <= before {
                break;
            }
        }
        let (choice, row) = best;
        let items = self.items(&choice);
        let row = self.improved(&items, row);
        Some(self.laid(&items, &row))
    }

    /// Keeps a choice that gains more. Half of the work is left for the order of the row.
    fn choose(&self, choice: Choice, best: &mut (Choice, Row)) {
        if choice == best.0 || self.left.get() < MAX_VALUED_PAGES / 2 {
            return;
        }
        if let Some(row) = self.bought(&self.items(&choice))
            && row.gain > best.1.gain * (1.0 + NOTABLE)
        {
            *best = (choice, row);
        }
    }

    /// Sets of pages of a subsite, each in the order of its slots.
    fn sets(&self, number: usize, sets: &[&[Session]]) -> Vec<Vec<u32>> {
        let pages = self.terms.pages;
        let own = &self.subsites[number].pages;
        let days = self.terms.room.days;
        let mut made = vec![Vec::new()];
        let held = sets.iter().flat_map(|set| set.iter()).filter(|session| session.subsite == number);
        made.extend(held.map(|session| session.pages.clone()));
        let of = |page: u32| pages[page as usize];
        let worth = |page: u32| of(page).weight * quiet(of(page).rate, days);
        let (mut heavy, mut cold) = (own.clone(), own.clone());
        heavy.sort_by(|&a, &b| worth(b).total_cmp(&worth(a)));
        cold.sort_by(|&a, &b| of(a).rate.total_cmp(&of(b).rate));
        let larger = std::iter::successors(Some(2 * EACH), |size| Some(2 * size));
        let sizes = (1..=EACH).chain(larger.take_while(|size| *size < own.len())).chain([own.len()]);
        for size in sizes.filter(|size| *size <= own.len()) {
            for order in [&heavy, &cold] {
                let mut set = order[..size].to_vec();
                self.arrange(&mut set);
                if !made.contains(&set) {
                    made.push(set);
                }
            }
        }
        made
    }

    /// Those that lose most by a longer interval come first, into the middle.
    fn arrange(&self, pages: &mut [u32]) {
        let loss = |page: u32| match self.terms.pages[page as usize] {
            Horizon { rate, weight, .. } if rate.is_finite() => rate * weight,
            _ => 0.0,
        };
        pages.sort_by(|&a, &b| loss(b).total_cmp(&loss(a)).then(a.cmp(&b)));
    }

    /// All that can be bought.
    fn items<'b>(&'b self, choice: &'b Choice) -> Vec<Item<'b>> {
        let own = |number: usize| &self.subsites[number];
        let sessions = choice.iter().enumerate().filter(|(_, pages)| !pages.is_empty());
        let sessions = sessions.map(|(number, pages)| Item {
            pages,
            subsite: Some(number),
            delay: own(number).delay,
            cost: downloads(pages.len(), self.gap) as u64,
        });
        let is_long = |item: &Item<'_>| item.cost as f64 * item.delay + 2.0 * MOMENT >= self.terms.room.days;
        let singles = self.subsites.iter().flat_map(|own| own.pages.chunks(1));
        let singles = singles.map(|pages| Item { pages, subsite: None, delay: 0.0, cost: 1 });
        sessions.filter(|item| !is_long(item)).chain(singles).collect()
    }

    /// When something begins that is bought after so many downloads.
    fn begin(&self, item: &Item<'_>, spent: u64) -> f64 {
        let latest = self.terms.room.days - item.cost as f64 * item.delay - 2.0 * MOMENT;
        (spent as f64 / self.terms.room.budget).min(latest).max(0.0)
    }

    /// The two looks at a page of an item, and its picture.
    fn looks(&self, item: &Item<'_>, slot: usize, begin: f64) -> (f64, f64, Option<Picture>) {
        if item.subsite.is_none() {
            return (begin, begin, None);
        }
        let between = f64::from(self.gap) / 2.0;
        let middle = begin + (item.pages.len().saturating_sub(1) as f64 + between) * item.delay;
        let half = (slot as f64 + between) * item.delay;
        let rate = self.terms.pages[item.pages[slot] as usize].rate;
        let survives = if half == 0.0 || rate == 0.0 { 1.0 } else { (-2.0 * rate * half).exp() };
        (middle - half, middle + half, Some(Picture { middle, half, survives }))
    }

    /// What an item gains at its time.
    fn gain(&self, item: &Item<'_>, begin: f64, seen: &[Seen]) -> f64 {
        self.left.set(self.left.get().saturating_sub(item.pages.len()));
        let days = self.terms.room.days;
        let of = |(slot, &page): (usize, &u32)| {
            let Horizon { rate, weight, .. } = self.terms.pages[page as usize];
            let (visit, revisit, picture) = self.looks(item, slot, begin);
            let before = seen[page as usize];
            let served = |from: f64, to: f64| quiet(rate, (to - from).max(0.0));
            let lost = match before.last.is_finite() {
                true => served(before.last, days) - served(before.last, visit),
                false => 0.0,
            };
            let current = served(visit, revisit) + served(revisit, days) - lost;
            let shown = |own: Picture, to: f64| {
                let span = (to - own.middle).max(0.0);
                own.survives * (own.half.min(span) + quiet(rate, (span - own.half).max(0.0)))
            };
            let together = picture.map_or(0.0, |new| {
                let lost = before.picture.map_or(0.0, |old| shown(old, days) - shown(old, new.middle));
                shown(new, days) - lost
            });
            weight * ((1.0 - self.alone) * together + self.alone.max(CURRENT) * current)
        };
        item.pages.iter().enumerate().map(of).sum::<f64>() / days
    }

    fn enter(&self, item: &Item<'_>, begin: f64, seen: &mut [Seen]) {
        for (slot, &page) in item.pages.iter().enumerate() {
            let (_, revisit, picture) = self.looks(item, slot, begin);
            let own = &mut seen[page as usize];
            own.last = own.last.max(revisit);
            own.picture = picture.or(own.picture);
        }
    }

    fn seen(&self) -> Vec<Seen> {
        self.terms.pages.iter().map(|page| Seen { last: -page.age, picture: None }).collect()
    }

    /// Buys what gains most per download, again and again; `None` where too much was valued before.
    fn bought(&self, items: &[Item<'_>]) -> Option<Row> {
        let allowed = self.terms.room.downloads();
        let mut seen = self.seen();
        let mut row = Row { bought: Vec::new(), gain: 0.0 };
        let mut spent = 0;
        loop {
            let mut best: Option<(f64, usize)> = None;
            for (place, item) in items.iter().enumerate().filter(|(_, item)| spent + item.cost <= allowed) {
                let gain = self.gain(item, self.begin(item, spent), &seen) / item.cost as f64;
                if gain > best.map_or(0.0, |best| best.0) {
                    best = Some((gain, place));
                }
            }
            if self.left.get() == 0 {
                return None;
            }
            let Some((gain, place)) = best else { return Some(row) };
            let item = &items[place];
            self.enter(item, self.begin(item, spent), &mut seen);
            spent += item.cost;
            row.bought.push(place);
            row.gain += gain * item.cost as f64;
        }
    }

    /// What a row gains; what can no longer be paid for is left out.
    fn value(&self, items: &[Item<'_>], row: &[usize]) -> f64 {
        let mut seen = self.seen();
        let mut total = 0.0;
        for (begin, item) in self.begins(items, row) {
            total += self.gain(item, begin, &seen);
            self.enter(item, begin, &mut seen);
        }
        total
    }

    /// The purchases of a row with their times.
    fn begins<'b>(
        &'b self,
        items: &'b [Item<'b>],
        row: &'b [usize],
    ) -> impl Iterator<Item = (f64, &'b Item<'b>)> + 'b {
        let allowed = self.terms.room.downloads();
        let mut spent = 0;
        row.iter().filter_map(move |&place| {
            let item = &items[place];
            let begin = self.begin(item, spent);
            (spent + item.cost <= allowed).then(|| {
                spent += item.cost;
                (begin, item)
            })
        })
    }

    /// The row with purchases replaced, added, moved and exchanged as long as that gains and may be valued.
    fn improved(&self, items: &[Item<'_>], mut row: Row) -> Row {
        for _ in 0..ROUNDS {
            let before = row.gain;
            for place in 0..row.bought.len() {
                for other in 0..row.bought.len() {
                    self.keep(items, &mut row, |bought| {
                        let moved = bought.remove(place);
                        bought.insert(other, moved);
                    });
                    self.keep(items, &mut row, |bought| bought.swap(place, other));
                }
                for item in 0..items.len() {
                    self.keep(items, &mut row, |bought| bought[place] = item);
                    self.keep(items, &mut row, |bought| bought.insert(place, item));
                }
            }
            if self.left.get() == 0 || row.gain <= before * (1.0 + NOTABLE) {
                break;
            }
        }
        row
    }

    /// Changes a row if that gains.
    fn keep(&self, items: &[Item<'_>], row: &mut Row, change: impl FnOnce(&mut Vec<usize>)) {
        if self.left.get() == 0 {
            return;
        }
        let mut bought = row.bought.clone();
        change(&mut bought);
        let gain = self.value(items, &bought);
        if gain > row.gain * (1.0 + NOTABLE) {
            *row = Row { bought, gain };
        }
    }

    /// The sessions of a row, and when all is fetched.
    fn laid(&self, items: &[Item<'_>], row: &Row) -> (Vec<Session>, Laid) {
        let days = self.terms.room.days;
        let mut place_of = vec![None; self.subsites.len()];
        let mut sessions: Vec<Session> = Vec::new();
        let mut laid = Laid { singles: vec![Vec::new(); self.terms.pages.len()], ..Laid::default() };
        for (begin, item) in self.begins(items, &row.bought) {
            let Some(subsite) = item.subsite else {
                laid.singles[item.pages[0] as usize].push(begin.min(days - MOMENT));
                continue;
            };
            let place = *place_of[subsite].get_or_insert_with(|| {
                sessions.push(Session { subsite, period: days, pages: item.pages.to_vec() });
                laid.sessions.push(Vec::new());
                sessions.len() - 1
            });
            laid.sessions[place].push(begin);
        }
        (sessions, laid)
    }
}
