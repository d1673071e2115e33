//! Continuous crawling: M downloads a period, for days.
//!
//! | strategy | which M pages |
//! |---|---|
//! | `importance`, `pattern`, `importance-pattern` | the most urgent, see [`crate::schedule::pattern`] |
//! | `frequency` | those whose fetches are most overdue, at the freshness-optimal frequency of each page |
//! | all others | the next M of the strategy's order of visits, round after round |
//!
//! The j-th download of period k happens at `k + j/M`; every strategy has the same downloads.
//!
//! Source: Ben Saad, Gançarski, *Improving the Quality of Web Archives through the Importance of Changes*, DEXA 2011, §4.1, §6 and
//! §7. The paper describes the strategies it compares with in a sentence each; "in a fixed order" is read as round after round.
//! Cost: `O(n)` a period by urgency or frequency, else O(1) a download.

use super::crawl::Crawl;
use super::run::Planning;
use super::spec::Spec;
use super::synthetic::Synthetic;
use crate::error::Result;
use crate::schedule::Site;
use crate::schedule::baseline::frequency::frequencies;
use crate::schedule::parallel::jobs;
use crate::schedule::pattern::{Kind, Urgent};

/// The crawls of strategies over `periods` periods of length 1; Δ is that of the site.
pub(crate) fn plan(
    made: &Synthetic,
    specs: &[Spec],
    periods: usize,
    planning: Planning,
    threads: usize,
) -> Result<Vec<(String, Crawl)>> {
    let blind = planning.ignore_weights.then(|| made.site.unweighted());
    let site = blind.as_ref().unwrap_or(&made.site);
    let per_period = (1.0 / site.delay()).round() as usize;
    let crawl = |job: usize| {
        let downloads = order(site, &specs[job], per_period, periods)?;
        let mut captures = vec![Vec::new(); site.len()];
        for (slot, page) in downloads.into_iter().enumerate() {
            captures[page as usize].push(slot as f64 / per_period as f64);
        }
        Ok((specs[job].label.clone(), Crawl::listed(&captures, periods as f64)))
    };
    jobs(threads, specs.len(), crawl).into_iter().collect()
}

/// All downloads in the order of time.
fn order(site: &Site, spec: &Spec, per_period: usize, periods: usize) -> Result<Vec<u32>> {
    let urgent = |kind| {
        let mut urgent = Urgent::new(site, kind);
        (0..periods).flat_map(move |k| urgent.download(k, per_period, |_| true)).collect()
    };
    Ok(match spec.name.as_str() {
        "importance" => urgent(Kind::Importance),
        "pattern" => urgent(Kind::Pattern),
        "importance-pattern" => urgent(Kind::ImportancePattern),
        "frequency" => by_frequency(site, per_period, periods),
        _ => {
            let plan = spec.strategy()?.plan(site);
            let mut round: Vec<u32> = (0..site.len() as u32).collect();
            round.sort_unstable_by_key(|page| plan.visit_time(*page as usize));
            round.into_iter().cycle().take(per_period * periods).collect()
        }
    })
}

/// Every period a page earns its frequency; the M with most in credit are fetched and pay one.
fn by_frequency(site: &Site, per_period: usize, periods: usize) -> Vec<u32> {
    let frequency = frequencies(site);
    let mut credit = vec![0.0; site.len()];
    let mut downloads = Vec::with_capacity(per_period * periods);
    for _ in 0..periods {
        credit.iter_mut().zip(&frequency).for_each(|(credit, earned)| *credit += earned);
        let mut pages: Vec<u32> = (0..site.len() as u32).collect();
        let by_credit = |a: &u32, b: &u32| credit[*b as usize].total_cmp(&credit[*a as usize]).then(a.cmp(b));
        pages.sort_unstable_by(by_credit);
        pages.truncate(per_period);
        pages.iter().for_each(|page| credit[*page as usize] -= 1.0);
        downloads.extend(pages);
    }
    downloads
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::registry::Settings;
    use crate::simulate::synthetic::daily;

    #[test]
    fn every_strategy_has_the_same_downloads_and_captures_in_order() {
        let made = daily::site(40, 0.25).unwrap();
        let specs = Spec::all(&Settings::default()).unwrap();
        for (name, crawl) in plan(&made, &specs, 30, Planning::default(), 2).unwrap() {
            assert_eq!((crawl.downloads(false), crawl.window(false)), (300, 30.0), "{name}");
            for page in 0..40 {
                let mut buffer = [0.0; 2];
                let view = crawl.view(page, false, &mut buffer);
                assert!(view.captures.is_sorted_by(|a, b| a < b), "{name}: {:?}", view.captures);
                assert!(view.captures.iter().all(|capture| *capture < 30.0));
            }
        }
    }

    #[test]
    fn frequency_fetches_pages_as_often_as_freshness_wants() {
        let made = daily::site(40, 0.25).unwrap();
        let downloads = by_frequency(&made.site, 10, 1_000);
        for (page, frequency) in frequencies(&made.site).into_iter().enumerate() {
            let fetched = downloads.iter().filter(|fetched| **fetched == page as u32).count() as f64;
            // A page cannot be fetched more than once a period.
            assert!((fetched / 1_000.0 - frequency.min(1.0)).abs() < 0.2, "{page}: {fetched} {frequency}");
        }
    }
}
