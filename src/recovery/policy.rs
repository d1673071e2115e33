//! The policies of a repository crawler, and the requests they make of remote repositories.
//!
//! | policy | what it asks for | requests |
//! |---|---|---|
//! | naive | every URL that recovered pages link to, of every repository | one look-up per URL and repository, one retrieval per hit |
//! | knowledgeable | the same URLs, but only where a repository lists them | ⌈listed / page size⌉ lister queries, one retrieval per wanted URL |
//! | exhaustive | everything that repositories list | the same |
//!
//! Each starts at the seeds and follows the links of what it recovers, breadth first. Source: McCown, Nelson, sections 3.4 and
//! 3.6. The requests are modelled: nothing is sent. A repository that lists nothing is asked once, to learn that. A listed copy
//! that cannot be retrieved costs a retrieval, and the next repository is asked. Only listers tell under which spelling a URL is
//! stored: the naive policy looks up one spelling after the other, and each counts. A copy that only stands in for the page, such as an
//! error page, is retrieved and paid for; it recovers nothing, and its links lead nowhere. A page that is lost although its links are known,
//! from an index with content, is asked for in vain, and its links are followed.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// Which URLs are asked for, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Policy {
    Naive,
    Knowledgeable,
    Exhaustive,
}

impl Policy {
    pub(crate) const ALL: [Policy; 3] = [Policy::Naive, Policy::Knowledgeable, Policy::Exhaustive];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Policy::Naive => "naive",
            Policy::Knowledgeable => "knowledgeable",
            Policy::Exhaustive => "exhaustive",
        }
    }
}

/// A set of repositories: bit n is the n-th.
pub(crate) type Mask = u64;

/// What repositories hold. URLs are numbers from 0 on.
pub(crate) trait Repositories {
    fn urls(&self) -> usize;
    /// The repositories from which a URL can be retrieved.
    fn holders(&self, url: u32) -> Mask;
    /// The repositories that list a URL.
    fn listers(&self, url: u32) -> Mask;
    /// Under how many spellings the naive policy has to look a URL up: one for each that pages link to it by, and the one it is found
    /// under.
    fn spellings(&self, _url: u32) -> u64 {
        1
    }
    /// What a page links to of which no copy can be retrieved, where an index or another record knows that.
    fn links_of_lost(&mut self, _url: u32) -> Vec<u32> {
        Vec::new()
    }
    /// The copy that is taken from these repositories.
    fn take(&mut self, url: u32, of: Mask) -> Option<Retrieved>;
}

/// A copy that is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Retrieved {
    pub repository: usize,
    pub links: Vec<u32>,
    /// It has nothing of the page: an error page, a parked page or a wall.
    pub is_stand_in: bool,
}

/// How a repository is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Access {
    pub name: String,
    /// URLs that one lister query gives.
    pub page_size: u64,
    /// Requests it answers in a day.
    pub daily_requests: Option<u64>,
}

/// The requests made of one repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Requests {
    pub repository: String,
    pub lookups: u64,
    pub lister_queries: u64,
    pub retrievals: u64,
    /// Days that its daily limit makes of them; `None` without a limit.
    pub days: Option<u64>,
}

impl Requests {
    pub(crate) fn total(&self) -> u64 {
        self.lookups + self.lister_queries + self.retrievals
    }
}

/// What a policy comes to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Recovery {
    /// What was recovered, in order, and from which repository.
    pub recovered: Vec<(u32, usize)>,
    /// What was found only as an error page, a parked page or a wall, in order.
    pub stand_ins: Vec<u32>,
    /// What was asked for and found nowhere, in order.
    pub missing: Vec<u32>,
    pub requests: Vec<Requests>,
}

impl Recovery {
    /// What was asked for and not recovered.
    pub(crate) fn not_recovered(&self) -> u64 {
        (self.missing.len() + self.stand_ins.len()) as u64
    }

    pub(crate) fn total_requests(&self) -> u64 {
        self.requests.iter().map(Requests::total).sum()
    }

    /// The days that the slowest repository needs.
    pub(crate) fn days(&self) -> Option<u64> {
        self.requests.iter().filter_map(|requests| requests.days).max()
    }

    /// Resources recovered for each request; `None` without requests.
    pub(crate) fn efficiency(&self, recovered: u64) -> Option<f64> {
        let requests = self.total_requests();
        (requests > 0).then(|| recovered as f64 / requests as f64)
    }
}

/// Runs a policy from the seeds on.
pub(crate) fn recover(
    policy: Policy,
    repositories: &mut dyn Repositories,
    access: &[Access],
    seeds: &[u32],
) -> Recovery {
    let mut run = Run {
        lookups: vec![0; access.len()],
        retrievals: vec![0; access.len()],
        recovered: Vec::new(),
        stand_ins: Vec::new(),
        missing: Vec::new(),
        seen: vec![false; repositories.urls()],
        frontier: VecDeque::new(),
    };
    run.find(seeds);
    if policy == Policy::Exhaustive {
        let urls = 0..repositories.urls() as u32;
        let listed: Vec<u32> = urls.filter(|url| repositories.listers(*url) != 0).collect();
        run.find(&listed);
    }
    while let Some(url) = run.frontier.pop_front() {
        let taken = match policy {
            Policy::Naive => run.look_up(repositories, url),
            _ => run.retrieve(repositories, url),
        };
        match taken {
            Some(copy) if copy.is_stand_in => run.stand_ins.push(url),
            Some(copy) => {
                run.recovered.push((url, copy.repository));
                run.find(&copy.links);
            }
            None => {
                run.missing.push(url);
                run.find(&repositories.links_of_lost(url));
            }
        }
    }
    let mut listed = vec![0u64; access.len()];
    if policy != Policy::Naive {
        for url in 0..repositories.urls() as u32 {
            each(repositories.listers(url), |place| listed[place] += 1);
        }
    }
    let requests = access.iter().enumerate().map(|(place, access)| {
        let queries = match policy {
            Policy::Naive => 0,
            _ => listed[place].div_ceil(access.page_size.max(1)).max(1),
        };
        let mut requests = Requests {
            repository: access.name.clone(),
            lookups: run.lookups[place],
            lister_queries: queries,
            retrievals: run.retrievals[place],
            days: None,
        };
        requests.days = access.daily_requests.map(|limit| requests.total().div_ceil(limit.max(1)));
        requests
    });
    Recovery {
        requests: requests.collect(),
        recovered: run.recovered,
        stand_ins: run.stand_ins,
        missing: run.missing,
    }
}

/// Calls `take` with the number of each repository of a mask.
fn each(mask: Mask, mut take: impl FnMut(usize)) {
    let mut left = mask;
    while left != 0 {
        take(left.trailing_zeros() as usize);
        left &= left - 1;
    }
}

struct Run {
    lookups: Vec<u64>,
    retrievals: Vec<u64>,
    recovered: Vec<(u32, usize)>,
    stand_ins: Vec<u32>,
    missing: Vec<u32>,
    seen: Vec<bool>,
    frontier: VecDeque<u32>,
}

impl Run {
    fn find(&mut self, urls: &[u32]) {
        for url in urls {
            if let Some(seen) = self.seen.get_mut(*url as usize)
                && !std::mem::replace(seen, true)
            {
                self.frontier.push_back(*url);
            }
        }
    }

    /// Asks every repository, and retrieves every copy.
    fn look_up(&mut self, repositories: &mut dyn Repositories, url: u32) -> Option<Retrieved> {
        let spellings = repositories.spellings(url);
        self.lookups.iter_mut().for_each(|lookups| *lookups += spellings);
        let holders = repositories.holders(url);
        each(holders, |place| self.retrievals[place] += 1);
        repositories.take(url, holders)
    }

    /// Retrieves the best listed copy; where that fails, the next.
    fn retrieve(&mut self, repositories: &mut dyn Repositories, url: u32) -> Option<Retrieved> {
        let holders = repositories.holders(url);
        let mut listers = repositories.listers(url);
        while listers != 0 {
            let copy = repositories.take(url, listers)?;
            self.retrievals[copy.repository] += 1;
            if holders >> copy.repository & 1 == 1 {
                return Some(copy);
            }
            listers &= !(1 << copy.repository);
        }
        None
    }
}

#[cfg(test)]
#[path = "policy_tests.rs"]
mod tests;
