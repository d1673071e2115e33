//! The stated 95% intervals of rates, blur and versions held against the truth, for each kind of crawler: sites whose
//! pages change as Poisson processes, each at a rate of its own. `ACUITY_COVERAGE_SITES` sets the number of sites of a kind;
//! a kind may miss 90 to 99% by what chance explains at that number.

use std::collections::HashSet;

use acuity::internals::simulate::truth::{Case, Crawler, Plan, Says, Server};
use acuity::internals::time::{Instant, SECOND};

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

    /// Whether the share is 90% at least, or off by less than three deviations of chance: such an interval has one end.
    fn holds_from_below(self) -> bool {
        self.all == 0 || self.share() >= 0.90 - 3.0 * (0.95 * 0.05 / self.all as f64).sqrt()
    }

    /// Whether the share is 90 to 99%, or off by less than three deviations of chance.
    fn holds(self) -> bool {
        let chance = 3.0 * (0.95 * 0.05 / self.all.max(1) as f64).sqrt();
        self.all == 0 || (0.90 - chance..=0.99 + chance).contains(&self.share())
    }
}

/// The exact blur of a page: every change costs its distance to the middle of the captures around it, or to the end.
fn blur(captures: &[Instant], changes: &[Instant], from: Instant, to: Instant) -> f64 {
    let seconds = |at: Instant| (at.0 - from.0) as f64 / SECOND as f64;
    let length = seconds(to);
    let captures: Vec<f64> = captures.iter().map(|at| seconds(*at)).collect();
    let cost = |change: f64| {
        let behind = captures.partition_point(|capture| *capture < change);
        match (behind.checked_sub(1).map(|before| captures[before]), captures.get(behind)) {
            (None, _) => change,
            (_, None) => length - change,
            (Some(before), Some(behind)) => (change - (before + behind) / 2.0).abs(),
        }
    };
    let inside = changes.iter().map(|at| seconds(*at)).filter(|change| (0.0..=length).contains(change));
    inside.map(cost).sum::<f64>() / length
}

#[test]
fn stated_intervals_hold_the_truth_about_as_often_as_they_say() {
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
    covered(&kinds, 1.0);
}

#[test]
fn where_rates_are_very_uneven_intervals_hold_the_truth_or_no_figure_is_given() {
    covered(&[(Crawler::Careful, Server::Exact), (Crawler::Deduplicating, Server::Bare)], 1.6);
}

/// Holds the intervals of sites of these kinds against the truth; the logarithms of rates have that deviation.
fn covered(kinds: &[(Crawler, Server)], deviation: f64) {
    let sites = number("ACUITY_COVERAGE_SITES", 12);
    let mut poor = Vec::new();
    for (crawler, server) in kinds.iter().copied() {
        let [mut rates, mut versions, mut blurs, mut lows] = [Hits::default(); 4];
        let mut unknown = 0;
        for seed in 0..sites {
            let plan = Plan::Rates { pages: 20, rounds: 6, spacing: DAY, deviation };
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
            let (mut shares, mut blurred) = (0.0, 0.0);
            for page in &site.page_list {
                let place: usize = page.key.rsplit('p').next().and_then(|text| text.parse().ok()).unwrap();
                rates.add(page.rate.low, case.rates[place] * DAY, page.rate.high);
                let changes: Vec<Instant> =
                    case.histories[place].changes().iter().map(|change| change.0).collect();
                let within = |at: &&Instant| site.window.from < **at && **at <= site.window.to;
                let stood = 1 + changes.iter().filter(within).count();
                let own = || case.seen.iter().filter(|seen| seen.page == place && seen.says != Says::Nothing);
                let captured: HashSet<_> = own().map(|seen| seen.shown.state).collect();
                shares += captured.len() as f64 / stood.max(captured.len()) as f64;
                let mut looks: Vec<Instant> = own().map(|seen| seen.from).collect();
                looks.sort();
                blurred += blur(&looks, &changes, site.window.from, site.window.to);
            }
            let pages = site.page_list.len() as f64;
            let found = &site.completeness.as_ref().unwrap().versions;
            if let (Some(low), Some(high), true) = (found.low, found.high, usable(&site.basis.versions)) {
                versions.add(low, shares / pages, high);
            }
            let found = &site.blur.actual;
            match (found.likely_low, found.likely_high, usable(&site.basis.blur)) {
                (Some(low), Some(high), true) => blurs.add(low, blurred / pages, high),
                (Some(low), None, true) => lows.add(low, blurred / pages, f64::INFINITY),
                _ => {}
            }
        }
        let line = format!(
            "{:14} rates {:.3} of {}, versions {:.3} of {}, blur {:.3} of {} and from below {:.3} of {}, {unknown} sites without figures",
            crawler.name(),
            rates.share(),
            rates.all,
            versions.share(),
            versions.all,
            blurs.share(),
            blurs.all,
            lows.share(),
            lows.all
        );
        support::data::say(&line);
        // Rates of one site share their prior: their hits come in bunches, so chance is counted in sites.
        let by_site = Hits { inside: (rates.share() * versions.all as f64) as u64, all: versions.all };
        if !by_site.holds() || !versions.holds() || !blurs.holds() || !lows.holds_from_below() {
            poor.push(line);
        }
    }
    assert!(poor.is_empty(), "{poor:#?}");
}
