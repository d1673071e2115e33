//! The recommended crawl lane by lane: the best order, that of the last crawl, what each comes to, and other strategies for
//! comparison.

use std::collections::BTreeMap;

use crate::audit::model::PlannedPage;
use crate::schedule::build::seconds_of;
use crate::schedule::compare::{self, Mode, plans, row};
use crate::schedule::expected::{coherence, expected, page_survival};
use crate::schedule::model::Row;
use crate::schedule::optimal::{Optimal, rivals};
use crate::schedule::page::Page;
use crate::schedule::plan::Plan;
use crate::schedule::{Site, last_crawl};

/// Maximum number of pages for an exact optimum; above, within 0.1%: a report must not take long.
const EXACT: usize = 400;

/// The pages of one host, fetched at its own pace.
#[derive(Debug)]
pub(crate) struct Lane<'p> {
    name: &'p str,
    pages: Vec<&'p Page>,
    site: Site,
    plan: Plan,
    last: Option<Plan>,
}

impl Lane<'_> {
    pub(crate) fn site(&self) -> &Site {
        &self.site
    }

    /// The best order.
    pub(crate) fn best(&self) -> &Plan {
        &self.plan
    }

    /// The order of the last crawl, where it is known.
    pub(crate) fn last(&self) -> Option<&Plan> {
        self.last.as_ref()
    }
}

/// The lanes of some pages, each with its best order. `None`: rates and weights of an audit read back may be anything.
pub(crate) fn lanes<'p>(
    pages: impl Iterator<Item = &'p Page>,
    delay: impl Fn(&str) -> f64,
) -> Option<Vec<Lane<'p>>> {
    let mut groups: BTreeMap<&str, Vec<&Page>> = BTreeMap::new();
    for page in pages {
        groups.entry(&page.lane).or_default().push(page);
    }
    let lane = |(name, pages): (&'p str, Vec<&'p Page>)| {
        // The page in the middle is fetched twice too: an audit proves nothing of a page that was captured once.
        let site = Site::new(pages.iter().map(|page| page.rate).collect(), delay(name)).ok()?.two_phase(true);
        let site = site.with_weights(pages.iter().map(|page| page.weight).collect()).ok()?;
        let found = pages.iter().map(|page| page.found).collect::<Option<Vec<_>>>();
        let site = site.with_found(found.unwrap_or_default()).ok()?;
        let changed = pages.iter().map(|page| seconds_of(page.changed)).collect();
        let site = site.with_changed(changed).ok()?;
        let looks: Vec<_> = pages.iter().map(|page| page.looks).collect();
        let last = last_crawl::plan(&looks, &site);
        let plan = rivals::lead(&site, Optimal::default().within(&site, EXACT), &last);
        Some(Lane { name, pages, site, plan, last })
    };
    groups.into_iter().map(lane).collect()
}

/// What an order of pages comes to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Reached {
    pub coherence: f64,
    /// No order can do better.
    pub upper: f64,
    /// Pages that change too fast.
    pub hopeless: u64,
    /// By the order of the last crawl, where it is known.
    pub last: Option<f64>,
}

/// Judges the best order, and that of the last crawl, over all lanes.
pub(crate) fn reach(lanes: &[Lane<'_>]) -> Option<Reached> {
    let mut reached = Reached { coherence: 0.0, upper: 0.0, hopeless: 0, last: Some(0.0) };
    for lane in lanes {
        let result = expected(&lane.site, &lane.plan, Mode::default().floor());
        reached.coherence += result.coherence?;
        reached.upper += lane.plan.bound()?;
        reached.hopeless += result.hopeless.unwrap_or(0) as u64;
        let last = lane.last.as_ref().and_then(|plan| coherence(&lane.site, plan));
        reached.last = reached.last.zip(last).map(|(sum, last)| sum + last);
    }
    Some(reached)
}

/// When to fetch which page, by lane and first fetch.
pub(crate) fn planned(lanes: &[Lane<'_>]) -> Vec<PlannedPage> {
    let mut planned = Vec::new();
    for Lane { name, pages, site, plan, .. } in lanes {
        let first = planned.len();
        let seconds = |slot: u64| slot as f64 * site.delay();
        planned.extend(pages.iter().enumerate().map(|(number, page)| {
            let chance = page_survival(site, plan, number);
            PlannedPage {
                url: page.url.to_string(),
                lane: (*name).to_owned(),
                visit_seconds: seconds(plan.visit_time(number)),
                revisit_seconds: plan.revisit_time(number).map(seconds),
                chance,
                hopeful: plan.hopeful(number, chance.unwrap_or(1.0), Mode::default().floor()),
            }
        }));
        planned[first..].sort_by(|a, b| a.visit_seconds.total_cmp(&b.visit_seconds));
    }
    planned
}

/// What strategies reach against the bound `upper`: the best, all others if they are to be compared, and the order of the last
/// crawl where every lane has one. Where links are unknown, breadth first and depth first are left out: they would be the
/// order of the URLs under another name.
pub(crate) fn strategies(lanes: &[Lane<'_>], upper: f64, compared: bool) -> Vec<Row> {
    let mode = Mode::default();
    let sites: Vec<&Site> = lanes.iter().map(|lane| &lane.site).collect();
    let best: Vec<&Plan> = lanes.iter().map(|lane| &lane.plan).collect();
    let mut rows = vec![row("optimal", &sites, &best, &mode, Some(upper))];
    if compared {
        let known = sites.iter().all(|site| !site.found().is_empty());
        let by_links = |name: &str| name.starts_with("bfs") || name.starts_with("dfs");
        let others = compare::all().iter().filter(|name| **name != "optimal" && (known || !by_links(name)));
        let plans = others.filter_map(|name| Some((name, plans(name, &sites, &mode).ok()?)));
        rows.extend(
            plans.map(|(name, plans)| {
                row(name, &sites, &plans.iter().collect::<Vec<_>>(), &mode, Some(upper))
            }),
        );
    }
    if let Some(last) = lanes.iter().map(|lane| lane.last.as_ref()).collect::<Option<Vec<&Plan>>>() {
        rows.push(row(last_crawl::NAME, &sites, &last, &mode, Some(upper)));
    }
    rows
}
