//! The change rate of every page of a site, with its interval and where it comes from.
//!
//! Order of trust: the exact history, the page's own looks and Last-Modified, what the sitemap says, the pages of its
//! folder, the pages of its site. Looks are never taken alone: few of them would give 0 or infinity, so they are
//! shrunk to the class of the page ([`super::gamma`]). A class is a folder of the site with at least [`CLASS`] pages
//! of which something is known; its prior is fitted near that of the site.
//!
//! Where a sitemap gives a `changefreq` and no two looks could be compared, that frequency is the mean of the prior, with
//! shape 1: right within a factor of ten or so.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::change::gamma::{Estimate, Hyper, Prior};
use crate::change::poisson::Looks;
use crate::change::run::{Link, Versions};
use crate::content::sitemap::ChangeFreq;
use crate::time::{Instant, SECOND};

/// How many pages of a folder make a class of their own.
pub const CLASS: usize = 30;

/// A Last-Modified this close to the look (in microseconds) only says that the page is made on request.
const ON_REQUEST: i64 = 2 * SECOND;

/// Where a rate comes from, most trusted first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The exact history that the user gave.
    History,
    /// Looks that could be compared (and Last-Modified where accepted).
    Looks,
    /// Last-Modified alone.
    LastModified,
    /// The sitemap.
    Sitemap,
    /// Other pages of its folder.
    Folder,
    /// Other pages of its site.
    Site,
}

/// A change rate per second with its 95 % interval and its source.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// Mean and interval.
    pub estimate: Estimate,
    /// Where it comes from.
    pub source: Source,
}

impl Rate {
    /// The mean, per second.
    pub fn per_second(&self) -> f64 {
        self.estimate.mean
    }
}

/// What is known of one page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Evidence {
    /// Its looks.
    pub looks: Looks,
    /// Whether `looks` is the exact history.
    pub exact: bool,
    /// The frequency its sitemap gives.
    pub change_freq: Option<ChangeFreq>,
    /// The number of its class.
    pub class: u32,
}

impl Evidence {
    /// What the versions of a page say.
    pub fn of(versions: &Versions, class: u32) -> Self {
        let mut looks = Looks::default();
        let seconds = |from: Instant, to: Instant| to.0.saturating_sub(from.0) as f64 / SECOND as f64;
        let pinned = |modified: Option<Instant>, look: Instant| {
            modified.filter(|modified| look.0.saturating_sub(modified.0) > ON_REQUEST)
        };
        if let (Some(run), Some(first)) = (versions.runs.first(), versions.looks.first())
            && let Some(modified) = pinned(run.last_modified, first.time)
        {
            looks.pin(seconds(modified, first.time));
        }
        for gap in versions.gaps() {
            match gap.link {
                None => looks.gap(seconds(gap.from.time, gap.to.time), false),
                Some(Link::Different(_)) => match pinned(gap.last_modified, gap.to.time) {
                    Some(modified) => looks.pin(seconds(modified, gap.to.time)),
                    None => looks.gap(seconds(gap.from.time, gap.to.time.max(gap.to.end)), true),
                },
                Some(Link::Unknown) => {}
            }
        }
        Evidence { looks, exact: false, change_freq: None, class }
    }

    /// The exact history: so many changes in so much time.
    pub fn exact(changes: u32, seconds: f64, class: u32) -> Self {
        let looks = Looks { pinned: changes, unchanged: seconds, ..Looks::default() };
        Evidence { looks, exact: true, change_freq: None, class }
    }

    fn compared(&self) -> bool {
        !self.looks.changed.is_empty() || self.looks.unchanged_gaps > 0
    }

    fn source(&self) -> Source {
        match () {
            () if self.exact => Source::History,
            () if self.compared() => Source::Looks,
            () if self.change_freq.is_some() => Source::Sitemap,
            () if self.looks.pinned > 0 => Source::LastModified,
            () => Source::Folder,
        }
    }
}

/// The rates of the pages of one site, in their order, and the prior of the site.
pub fn estimate(pages: &[Evidence]) -> (Vec<Rate>, Prior) {
    let site = Prior::fit(pages.iter().map(|page| &page.looks), Hyper::default());
    let mut classes: BTreeMap<u32, Vec<&Looks>> = BTreeMap::new();
    for page in pages.iter().filter(|page| !page.looks.is_empty()) {
        classes.entry(page.class).or_default().push(&page.looks);
    }
    let several = classes.len() > 1;
    let priors: BTreeMap<u32, Prior> = classes
        .into_iter()
        .filter(|(_, pages)| several && pages.len() >= CLASS)
        .map(|(class, pages)| (class, Prior::fit(pages, Hyper::near(site))))
        .collect();
    let rates = pages
        .iter()
        .map(|page| {
            let class = priors.get(&page.class);
            let source = match page.source() {
                Source::Folder if class.is_none() => Source::Site,
                source => source,
            };
            let prior = match (source, page.change_freq) {
                (Source::Sitemap, Some(freq)) => Prior::with_mean(1.0, freq.per_second()),
                _ => *class.unwrap_or(&site),
            };
            let mut estimate = prior.posterior(&page.looks);
            if page.exact
                && let Some(exact) = page.looks.most_likely()
            {
                estimate.mean = exact;
            }
            Rate { estimate, source }
        })
        .collect();
    (rates, site)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::table::Table;
    use crate::capture::testing::{Look, look};
    use crate::change::evidence::{Compare, Grade, Judge};

    const DAY: f64 = 86_400.0;

    fn evidence(looks: Vec<Look>) -> Evidence {
        let table = Table::of(&looks.into_iter().map(Look::build).collect::<Vec<_>>());
        let judge = Judge::new(&table, Compare::Bytes, Grade::NotModified);
        Evidence::of(&Versions::of(&judge, table.rows()), 0)
    }

    fn page(day: u32) -> Look {
        look("http://a.example/", &format!("2024-01-{day:02}T00:00:00Z"))
    }

    #[test]
    fn looks_become_changed_and_unchanged_gaps() {
        let looks = evidence(vec![page(1).body(1), page(3).body(1), page(4).body(2), page(5)]).looks;
        assert_eq!((looks.unchanged, looks.unchanged_gaps), (2.0 * DAY, 1));
        assert_eq!(looks.changed, [DAY + 1.0]);
    }

    #[test]
    fn an_accepted_last_modified_pins_a_change() {
        let looks = evidence(vec![
            page(3).body(1).last_modified("2024-01-01T00:00:00Z"),
            page(5).body(2).last_modified("2024-01-04T00:00:00Z"),
        ])
        .looks;
        assert_eq!((looks.pinned, looks.unchanged), (2, 3.0 * DAY));
        assert!(looks.changed.is_empty());
        let made_on_request = evidence(vec![page(3).body(1).last_modified("2024-01-03T00:00:00Z")]).looks;
        assert!(made_on_request.is_empty());
    }

    #[test]
    fn every_page_has_a_rate_that_is_neither_zero_nor_infinite_and_says_where_it_comes_from() {
        let mut pages: Vec<Evidence> = (0..100)
            .map(|place| Evidence {
                looks: Looks {
                    changed: vec![DAY; usize::from(place % 10 == 0)],
                    unchanged: 5.0 * DAY,
                    unchanged_gaps: 5,
                    pinned: 0,
                },
                class: place / 50,
                ..Evidence::default()
            })
            .collect();
        pages.push(Evidence { class: 0, ..Evidence::default() });
        pages.push(Evidence { class: 7, ..Evidence::default() });
        pages.push(Evidence { change_freq: Some(ChangeFreq::Daily), ..Evidence::default() });
        pages.push(Evidence::exact(7, 100.0, 0));
        let (rates, _) = estimate(&pages);
        for rate in &rates {
            assert!(rate.estimate.mean > 0.0 && rate.estimate.mean.is_finite());
            assert!(rate.estimate.low <= rate.estimate.mean && rate.estimate.mean <= rate.estimate.high);
        }
        assert!(rates[0].per_second() > rates[1].per_second());
        let sources: Vec<Source> = rates[99..].iter().map(|rate| rate.source).collect();
        assert_eq!(sources, [Source::Looks, Source::Folder, Source::Site, Source::Sitemap, Source::History]);
        assert!((rates[102].per_second() - 1.0 / DAY).abs() < 1e-12);
        assert!((rates[103].per_second() - 0.07).abs() < 1e-12);
    }
}
