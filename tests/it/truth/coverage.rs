//! The stated 95 % intervals of rates and versions held against the truth, for each kind of crawler: sites whose pages
//! change as Poisson processes, each at a rate of its own. `ACUITY_COVERAGE_SITES` sets the number of sites of a kind.

use acuity::internals::simulate::truth::{Case, Crawler, Plan, Server};
use acuity::internals::time::Instant;

use super::{ask, number};
use crate::support;

const DAY: f64 = 86_400.0;

/// How often an interval held the truth.
#[derive(Debug, Default, Clone, Copy)]
struct Hits {
    inside: u64,
    all: u64,
}

impl Hits {
    fn add(&mut self, low: f64, truth: f64, high: f64) {
        self.all += 1;
        self.inside += u64::from(low - 1e-9 <= truth && truth <= high + 1e-9);
    }

    fn share(self) -> f64 {
        self.inside as f64 / self.all.max(1) as f64
    }
}

#[test]
fn stated_intervals_hold_the_truth_about_as_often_as_they_say() {
    let sites = number("ACUITY_COVERAGE_SITES", 12);
    let kinds = [
        (Crawler::Careful, Server::Exact),
        (Crawler::Deduplicating, Server::Bare),
        (Crawler::Conditional, Server::Exact),
        (Crawler::Arc, Server::Bare),
        (Crawler::Package, Server::Stamping),
        (Crawler::Index, Server::Bare),
        (Crawler::TwoWriters, Server::Walled),
        (Crawler::Careless, Server::Exact),
    ];
    let mut poor = Vec::new();
    for (crawler, server) in kinds {
        let (mut rates, mut versions, mut unknown) = (Hits::default(), Hits::default(), 0);
        for seed in 0..sites {
            let plan = Plan::Rates { pages: 20, rounds: 6, spacing: DAY };
            let case = Case::generate(seed, crawler, server, plan);
            let folder = tempfile::tempdir().unwrap();
            let audit = ask::audited(&ask::write(&case, folder.path()));
            let site = &audit.sites[0];
            let usable = |basis: &dyn std::fmt::Debug| {
                let text = format!("{basis:?}").to_lowercase();
                text.contains("estimated") || text.contains("known") && !text.contains("unknown")
            };
            if !usable(&site.basis.rates) {
                unknown += 1;
                continue;
            }
            let mut shares = 0.0;
            for page in &site.page_list {
                let place: usize = page.key.rsplit('p').next().and_then(|text| text.parse().ok()).unwrap();
                rates.add(page.rate.low, case.rates[place] * DAY, page.rate.high);
                let history = &case.histories[place];
                let within = |at: Instant| site.window.from < at && at <= site.window.to;
                let stood = 1 + history.changes().iter().filter(|change| within(change.0)).count();
                let own = case.seen.iter().filter(|seen| {
                    seen.page == place && seen.says != acuity::internals::simulate::truth::Says::Nothing
                });
                let captured: std::collections::HashSet<_> = own.map(|seen| seen.shown.state).collect();
                shares += captured.len() as f64 / stood.max(captured.len()) as f64;
            }
            let found = &site.completeness.as_ref().unwrap().versions;
            if let (Some(low), Some(high), true) = (found.low, found.high, usable(&site.basis.versions)) {
                versions.add(low, shares / site.page_list.len() as f64, high);
            }
        }
        let line = format!(
            "{:14} rates {:.3} of {}, versions {:.3} of {}, {unknown} sites without figures",
            crawler.name(),
            rates.share(),
            rates.all,
            versions.share(),
            versions.all
        );
        support::data::say(&line);
        if rates.all > 0 && !(0.90..=0.995).contains(&rates.share()) {
            poor.push(line);
        }
    }
    assert!(poor.is_empty(), "{poor:#?}");
}
