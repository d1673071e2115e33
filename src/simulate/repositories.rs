//! Synthetic sites that are lost, and repositories that hold parts of them: what the policies of a repository crawler recover,
//! at what cost.
//!
//! A site is a tree of pages with some cross links. It had other pages before, which older copies of its pages still link to. Every
//! repository stores each page with a chance, its *coverage*; of what it stores a share is *stale*: an older version with older links.
//! Its lister leaves some of that out. Both old and present pages may be stored. Limits of requests a day make days of requests.

use rand::RngExt;

use super::process::stream;
use crate::recovery::policy::{Access, Mask, Policy, Recovery, Repositories, Retrieved, recover};
use crate::recovery::vector::Counts;

/// A repository as the model has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Kind {
    pub name: &'static str,
    /// Chance that it stores a page, as a multiple of the coverage of the run.
    pub coverage: f64,
    /// Share of its copies that are of an older version.
    pub stale: f64,
    /// Share of its copies that its lister names.
    pub listed: f64,
    pub page_size: u64,
    pub daily_requests: u64,
}

/// The four repositories of the paper: its daily limits (section 3.3) and the sizes of pages that their listers gave then. How much
/// they store and how old that is are assumptions.
pub(crate) const OF_PAPER: [Kind; 4] = [
    Kind { name: "archive", coverage: 1.0, stale: 0.6, listed: 1.0, page_size: 20, daily_requests: 1000 },
    Kind { name: "engine 1", coverage: 0.9, stale: 0.1, listed: 0.95, page_size: 10, daily_requests: 1000 },
    Kind { name: "engine 2", coverage: 0.6, stale: 0.1, listed: 0.9, page_size: 50, daily_requests: 10_000 },
    Kind { name: "engine 3", coverage: 0.7, stale: 0.2, listed: 0.9, page_size: 100, daily_requests: 5000 },
];

/// A copy of a page in a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Copy {
    stale: bool,
    listed: bool,
}

/// A lost site and what repositories hold of it. URLs from `present` on are of pages that the site no longer had.
#[derive(Debug, Clone)]
pub(crate) struct LostSite {
    present: usize,
    links: Vec<Vec<u32>>,
    old_links: Vec<Vec<u32>>,
    copies: Vec<Vec<Option<Copy>>>,
}

impl LostSite {
    /// A site of `pages` pages, plus half as many that it had before. Equal seeds give the same site, whatever the coverage.
    pub(crate) fn draw(pages: usize, coverage: f64, kinds: &[Kind], seed: u64) -> Self {
        let mut random = stream(seed, 0);
        let all = pages + pages / 2;
        let (mut links, mut old_links) = (vec![Vec::new(); all], vec![Vec::new(); all]);
        for page in 1..all {
            // Parents near the root have more children, as front pages do.
            let parent = (random.random::<f64>().powi(2) * page.min(pages) as f64) as usize;
            let is_old = page >= pages;
            if !is_old {
                links[parent].push(page as u32);
            }
            // An older version lacks some present pages and has the old ones.
            if is_old || random.random::<f64>() < 0.8 {
                old_links[parent].push(page as u32);
            }
        }
        for page in 0..pages {
            let other = (random.random::<f64>() * pages as f64) as u32;
            links[page].push(other);
            old_links[page].push(other);
        }
        let mut copies = Vec::with_capacity(all);
        for page in 0..all {
            let mut random = stream(seed, 1 + page as u64);
            copies.push(
                kinds
                    .iter()
                    .map(|kind| {
                        let [stored, stale, listed] = [(); 3].map(|()| random.random::<f64>());
                        let is_stored = stored < (coverage * kind.coverage).min(1.0);
                        is_stored.then_some(Copy {
                            stale: stale < kind.stale || page >= pages,
                            listed: listed < kind.listed,
                        })
                    })
                    .collect(),
            );
        }
        LostSite { present: pages, links, old_links, copies }
    }

    fn mask(&self, url: u32, is_in: impl Fn(&Copy) -> bool) -> Mask {
        let copies = self.copies.get(url as usize).map_or(&[][..], Vec::as_slice);
        (0..)
            .zip(copies)
            .filter(|(_, copy)| copy.as_ref().is_some_and(&is_in))
            .map(|(place, _)| 1 << place)
            .sum()
    }

    /// What a recovery comes to, against the site that was lost.
    pub(crate) fn counts(&self, recovery: &Recovery) -> Counts {
        let mut counts = Counts::default();
        for (url, repository) in &recovery.recovered {
            let copy = self.copies[*url as usize][*repository];
            match copy {
                _ if *url as usize >= self.present => counts.added += 1,
                Some(Copy { stale: true, .. }) => counts.changed += 1,
                _ => counts.identical += 1,
            }
        }
        counts.missing = recovery.missing.iter().filter(|url| (**url as usize) < self.present).count() as u64;
        counts.unsought = self.present as u64 - counts.recovered() - counts.missing;
        counts
    }

    /// Runs a policy from the front page on.
    pub(crate) fn recover(&mut self, policy: Policy, kinds: &[Kind]) -> Recovery {
        let access: Vec<Access> = kinds
            .iter()
            .map(|kind| Access {
                name: kind.name.to_owned(),
                page_size: kind.page_size,
                daily_requests: Some(kind.daily_requests),
            })
            .collect();
        recover(policy, self, &access, &[0])
    }
}

impl Repositories for LostSite {
    fn urls(&self) -> usize {
        self.copies.len()
    }

    fn holders(&self, url: u32) -> Mask {
        self.mask(url, |_| true)
    }

    fn listers(&self, url: u32) -> Mask {
        self.mask(url, |copy| copy.listed)
    }

    /// The newest copy: a present version before a stale one.
    fn take(&mut self, url: u32, of: Mask) -> Option<Retrieved> {
        let copies = self.copies.get(url as usize)?;
        let asked = copies.iter().enumerate().filter(|(place, _)| of >> place & 1 == 1);
        let (place, stale) = asked
            .filter_map(|(place, copy)| copy.as_ref().map(|copy| (place, copy.stale)))
            .min_by_key(|(place, stale)| (*stale, *place))?;
        let links = if stale { &self.old_links } else { &self.links };
        Some(Retrieved { repository: place, links: links[url as usize].clone(), is_stand_in: false })
    }
}
