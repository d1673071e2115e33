//! The rates that an archive would know: from earlier crawls alone.
//!
//! The site is captured `interval`, `2 interval`, …, `crawls · interval` before the start, as far back as the history
//! goes. A capture shows whether the page changed since the one before; a capture while the page does not
//! exist says nothing about its rate. Captures belong to a URL: an earlier life of the page counts, and captures of
//! two lives differ. From these, [`crate::change::rate`] makes rates: shrunk by a Gamma prior to the pages of the folder
//! or the site, which is also all that is known of a page born after the last capture.
//!
//! Nothing after the start is used, and the only fact from the start itself is which pages exist. Every crawl is
//! taken as instantaneous. Source: ours, after Denev, Mazeika, Spaniol, Weikum:
//! The SHARC framework for data quality in Web archiving, VLDB Journal 2011, section 8.2 (rates from previous crawls).
//! Cost: O(pages × crawls × log changes), and the fit of the prior.

use std::collections::HashMap;

use super::{Happened, Replay, Snapshot};
use crate::capture::names::Names;
use crate::capture::page::folder;
use crate::change::poisson::Looks;
use crate::change::rate::{Evidence, Rate, estimate};

/// What a gap counts against the one behind it.
const DISCOUNT: f64 = 0.7;

/// What a page's gaps came to so far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Seen {
    pub gaps: u32,
    pub changed: u32,
    /// The same, discounted by age.
    pub weight: f64,
    pub weight_changed: f64,
}

impl Seen {
    pub(crate) fn add(&mut self, changed: bool) {
        self.gaps += 1;
        self.changed += u32::from(changed);
        self.weight = DISCOUNT * self.weight + 1.0;
        self.weight_changed = DISCOUNT * self.weight_changed + f64::from(u8::from(changed));
    }

    /// The discounted share of changed gaps, `share` counting one gap.
    pub(crate) fn discounted(&self, share: f64) -> f64 {
        (self.weight_changed + share) / (self.weight + 1.0)
    }
}

/// The crawls before the one that is planned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crawls {
    /// Seconds from one to the next.
    pub interval: f64,
    /// How many there were, at most.
    pub count: usize,
}

impl Crawls {
    /// When they were, oldest first: all before `start`, none before `from`. Empty if the interval is not positive.
    pub fn before(&self, start: f64, from: f64) -> Vec<f64> {
        if !(self.interval > 0.0 && start >= from) {
            return Vec::new();
        }
        let fit = ((start - from) / self.interval).floor().min(self.count as f64) as usize;
        let looks = (1..=fit).rev().map(|back| start - back as f64 * self.interval);
        looks.filter(|look| *look < start && *look >= from).collect()
    }
}

/// What earlier crawls make of the rates of the pages of a snapshot.
pub fn estimated(replay: &Replay, snapshot: &Snapshot, crawls: &Crawls) -> Vec<Rate> {
    let looks = crawls.before(snapshot.replay.world.from, replay.world.from);
    let lives = replay.lives_by_url();
    let mut folders = Names::new();
    let evidence: Vec<Evidence> = snapshot
        .members
        .iter()
        .map(|page| {
            let url = replay.world.pages[*page as usize].url.as_str();
            let class = folders.intern(folder(url));
            let lives = lives.get(url).map_or(&[][..], Vec::as_slice);
            Evidence::of_looks(replay.looked(lives, &looks), class)
        })
        .collect();
    estimate(&evidence).rates
}

/// The same, each gap counting [`DISCOUNT`] times the next one: `−ln(1 − p)/g`, where p is the
/// share of changed gaps, with the share of all pages as one gap more.
pub(crate) fn discounted(replay: &Replay, snapshot: &Snapshot, crawls: &Crawls) -> Vec<f64> {
    let looks = crawls.before(snapshot.replay.world.from, replay.world.from);
    let lives = replay.lives_by_url();
    let pages: Vec<Seen> = snapshot
        .members
        .iter()
        .map(|page| {
            let url = replay.world.pages[*page as usize].url.as_str();
            let mut seen = Seen::default();
            let lives = lives.get(url).map_or(&[][..], Vec::as_slice);
            replay.gaps(lives, &looks, |_, _, changed| seen.add(changed));
            seen
        })
        .collect();
    let (gaps, changed) = pages
        .iter()
        .fold((0.0, 0.0), |sum, page| (sum.0 + f64::from(page.gaps), sum.1 + f64::from(page.changed)));
    let share = (changed + 0.5) / (gaps + 1.0);
    pages.iter().map(|page| -(-page.discounted(share)).ln_1p() / crawls.interval).collect()
}

impl Replay {
    /// The lives of every URL, in time order.
    fn lives_by_url(&self) -> HashMap<&str, Vec<u32>> {
        let mut lives: HashMap<&str, Vec<u32>> = HashMap::new();
        for (life, page) in self.world.pages.iter().enumerate() {
            lives.entry(&page.url).or_default().push(life as u32);
        }
        lives
    }

    /// What looks at the given instants, ascending, show of every URL: the look that ends a gap, and whether it was changed.
    pub(crate) fn gaps_of_pages(&self, instants: &[f64]) -> Vec<Vec<(usize, bool)>> {
        let lives = self.lives_by_url();
        let mut urls: Vec<_> = lives.iter().collect();
        urls.sort();
        let of = |(_, lives): (_, &Vec<u32>)| {
            let mut found = Vec::new();
            self.gaps(lives, instants, |_, look, changed| found.push((look, changed)));
            found
        };
        urls.into_iter().map(of).collect()
    }

    /// What captures at the given instants, ascending, show of a URL with the given lives, in time order.
    fn looked(&self, lives: &[u32], instants: &[f64]) -> Looks {
        let mut looks = Looks::default();
        self.gaps(lives, instants, |seconds, _, changed| looks.gap(seconds, changed));
        looks
    }

    /// Every gap between two looks that both found the page: its length, the look that ends it, whether the page changed.
    fn gaps(&self, lives: &[u32], instants: &[f64], mut found: impl FnMut(f64, usize, bool)) {
        let mut before: Option<(usize, f64)> = None;
        for (look, &at) in instants.iter().enumerate() {
            let standing =
                lives.iter().map(|life| *life as usize).find(|life| self.stands(*life, at) == Some(true));
            if let (Some((old, then)), Some(life)) = (before, standing) {
                match if old == life { self.between(life, then, at) } else { Happened::Changed } {
                    Happened::Unchanged => found(at - then, look, false),
                    Happened::Changed => found(at - then, look, true),
                    Happened::Absent | Happened::Unknown => {}
                }
            }
            before = standing.map(|life| (life, at));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crawls_lie_before_the_start_and_inside_the_history() {
        let crawls = Crawls { interval: 10.0, count: 3 };
        assert_eq!(crawls.before(100.0, 0.0), [70.0, 80.0, 90.0]);
        assert_eq!(crawls.before(100.0, 80.0), [80.0, 90.0]);
        assert!(crawls.before(100.0, 95.0).is_empty());
        assert!(Crawls { interval: 0.0, count: 3 }.before(100.0, 0.0).is_empty());
        assert!(Crawls { interval: f64::NAN, count: 3 }.before(100.0, 0.0).is_empty());
    }
}
