//! The change rates of the pages of a site, and what a part of it needs to be judged like the whole: the rate prior.
//!
//! A rate rests on all pages of its site: they decide which prior it is drawn to, and whether stamps and captures are to be
//! believed. So what was found of all pages is written to a file, and some of the pages get the same rates by it.

use std::collections::{BTreeMap, HashMap};
use std::io;

use serde::{Deserialize, Serialize};

use crate::audit::page_record::PageRecord;
use crate::audit::rate_list::{Known, RateList};
use crate::audit::records::Records;
use crate::capture::page::folder;
use crate::change::gamma::{Fitted, Prior};
use crate::change::history::History;
use crate::change::predictive::Check;
use crate::change::rate::{Evidence, Given, Priors, Rates, estimate_all, estimate_by};
use crate::html::sitemap::Entry;
use crate::time::SECOND;

/// The name and the version of a file of rate priors.
pub(crate) const SCHEMA: &str = "acuity.rate-prior/1";

/// What tells of rates, besides captures.
#[derive(Clone, Copy)]
pub(crate) struct RateSources<'a> {
    /// What sitemaps say, by key.
    pub sitemaps: &'a HashMap<String, &'a Entry>,
    /// The exact history of changes.
    pub history: Option<&'a History>,
}

/// The numbers of the folders of a site.
type Folders = HashMap<String, u32>;

impl RateSources<'_> {
    /// The rates of all pages: by `given`, if the site is only a part of another.
    pub(crate) fn rates(&self, records: &Records, given: Option<&SitePrior>) -> io::Result<Rates<RateList>> {
        let (pages, folders) = self.of_pages(records)?;
        match given {
            Some(given) => estimate_by(&pages, given.by_number(&folders)),
            None => estimate_all(&pages),
        }
    }

    /// What parts of the site need to have the same rates.
    pub(crate) fn prior(&self, records: &Records) -> io::Result<SitePrior> {
        let (pages, folders) = self.of_pages(records)?;
        Ok(SitePrior::of(&estimate_all(&pages)?, &folders))
    }

    fn of_pages(&self, records: &Records) -> io::Result<(Known, Folders)> {
        let mut folders = Folders::new();
        let mut pages = Known::new(records.memory());
        records.try_each(&mut |kept| {
            if kept.number.is_some() {
                let name = folder(&kept.record.url);
                let class = folders.get(name).copied().unwrap_or_else(|| {
                    let class = folders.len() as u32;
                    folders.insert(name.to_owned(), class);
                    class
                });
                pages.push(self.evidence(&kept.record, class))?;
            }
            io::Result::Ok(())
        })?;
        Ok((pages, folders))
    }

    /// What is known of the rate of a page: the exact history before captures, a sitemap beside them.
    fn evidence(&self, record: &PageRecord, class: u32) -> Evidence {
        let PageRecord { key, url, since, .. } = record;
        if let Some(history) = self.history
            && let (Some(changes), Some(span)) = (history.changes(url, key), history.span())
            && span.to > span.from
        {
            return Evidence::exact(changes.len() as u32, span.seconds(), class);
        }
        let mut evidence = record.evidence(class);
        if let Some(entry) = self.sitemaps.get(key) {
            evidence.change_freq = entry.change_freq;
            if let Some(modified) = entry.last_modified.filter(|modified| modified <= since)
                && evidence.told.is_empty()
            {
                evidence.told.pin((since.0 - modified.0) as f64 / SECOND as f64);
            }
        }
        evidence
    }
}

/// The rate priors of the sites of a collection, as a file states them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RatePriors {
    pub schema: String,
    pub sites: BTreeMap<String, SitePrior>,
}

/// What was found of the rates of a site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SitePrior {
    /// The distribution that rates of its pages are taken to be drawn from.
    site: Gamma,
    /// Those of its folders with enough pages.
    folders: BTreeMap<String, Gamma>,
    /// Whether Last-Modified and lastmod are used beside captures.
    stamps: bool,
    /// Whether captures bound no rate, for none shows a page unchanged.
    unbounded: bool,
    /// Whether nothing is known of any page.
    assumed: bool,
    /// The rates of all pages held against their captures.
    check: Seen,
    /// The rates that stamps would have given, where the captures refute them.
    refuted: Option<Seen>,
}

/// A Gamma distribution of rates, with what its fit leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Gamma {
    shape: f64,
    beta_seconds: f64,
    /// The deviation of the logarithm of its mean.
    deviation: f64,
}

/// How many pages were seen to have changed, and how many were to be expected.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Seen {
    pages: u64,
    changed: u64,
    expected: f64,
}

impl Gamma {
    fn of(fitted: &Fitted) -> Self {
        let Prior { shape, rate } = fitted.prior;
        Gamma { shape, beta_seconds: rate, deviation: fitted.deviation }
    }

    fn fitted(&self) -> Fitted {
        Fitted { prior: Prior { shape: self.shape, rate: self.beta_seconds }, deviation: self.deviation }
    }

    fn is_sound(&self) -> bool {
        let is_positive = |value: f64| value.is_finite() && value > 0.0;
        is_positive(self.shape)
            && is_positive(self.beta_seconds)
            && self.deviation.is_finite()
            && self.deviation >= 0.0
    }
}

impl Seen {
    fn of(check: Check) -> Self {
        let Check { pages, changed, expected } = check;
        Seen { pages, changed, expected }
    }

    fn check(self) -> Check {
        let Seen { pages, changed, expected } = self;
        Check { pages, changed, expected }
    }

    fn is_sound(self) -> bool {
        self.expected.is_finite() && self.expected >= 0.0 && self.changed <= self.pages
    }
}

impl SitePrior {
    fn of<L>(rates: &Rates<L>, folders: &Folders) -> Self {
        let Priors { site, classes, stamps, none } = &rates.priors;
        let of_folder = |(name, class): (&String, &u32)| Some((name.clone(), Gamma::of(classes.get(class)?)));
        SitePrior {
            site: Gamma::of(site),
            folders: folders.iter().filter_map(of_folder).collect(),
            stamps: *stamps,
            unbounded: rates.unbounded,
            assumed: *none,
            check: Seen::of(rates.check),
            refuted: rates.refuted.map(Seen::of),
        }
    }

    /// The same, with folders by their numbers in a part.
    fn by_number(&self, folders: &Folders) -> Given {
        let of_folder = |(name, number): (&String, &u32)| Some((*number, self.folders.get(name)?.fitted()));
        Given {
            priors: Priors {
                site: self.site.fitted(),
                classes: folders.iter().filter_map(of_folder).collect(),
                stamps: self.stamps,
                none: self.assumed,
            },
            check: self.check.check(),
            refuted: self.refuted.map(Seen::check),
            unbounded: self.unbounded,
        }
    }

    fn is_sound(&self) -> bool {
        self.site.is_sound()
            && self.folders.values().all(Gamma::is_sound)
            && self.check.is_sound()
            && self.refuted.is_none_or(Seen::is_sound)
    }
}

impl RatePriors {
    /// Why it cannot be used.
    pub(crate) fn fault(&self) -> Option<String> {
        if self.schema != SCHEMA {
            return Some(format!("it is {:?}, not {SCHEMA:?}", self.schema));
        }
        let wrong = self.sites.iter().find(|(_, prior)| !prior.is_sound());
        wrong.map(|(site, _)| format!("the figures of {site} are not a distribution of rates"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::poisson::Looks;
    use crate::change::rate::estimate;

    const DAY: f64 = 86_400.0;

    /// Pages in three folders, of which one has too few pages for a prior of its own.
    fn pages(shift: u32) -> Vec<Evidence> {
        let page = |place: u32| {
            let mut looks = Looks::default();
            for look in 0..1 + place % 5 {
                looks.gap(
                    DAY * f64::from(1 + look),
                    (place * 7 + look * 3 + shift).is_multiple_of(2 + place % 3),
                );
            }
            let mut told = looks.clone();
            if place.is_multiple_of(4) {
                told.pin(DAY * f64::from(20 + place));
            }
            Evidence { told, looks, class: [0, 0, 1, 1, 2][place as usize % 5] % 3, ..Evidence::default() }
        };
        (0..95).map(page).collect()
    }

    #[test]
    fn some_pages_have_the_rates_of_the_whole_by_its_prior() {
        let folders: Folders = (0..3).map(|number| (format!("/f{number}/"), number)).collect();
        // The folders of a part are numbered as it meets them.
        let renumbered: Folders = (0..3).map(|number| (format!("/f{number}/"), 2 - number)).collect();
        for shift in 0..6 {
            let mut pages = pages(shift);
            if shift == 5 {
                // Captures bound no rate.
                pages
                    .iter_mut()
                    .for_each(|page| (page.looks.unchanged, page.looks.unchanged_gaps) = (0.0, 0));
            }
            let whole = estimate(&pages);
            let prior = SitePrior::of(&whole, &folders);
            let text = serde_json::to_string(&prior).unwrap();
            let prior: SitePrior = serde_json::from_str(&text).unwrap();
            assert!(prior.is_sound() && (shift == 5) == prior.unbounded);
            for from in [0, 3, 50] {
                let part: Vec<Evidence> = pages[from..from + 20]
                    .iter()
                    .map(|page| Evidence { class: 2 - page.class, ..page.clone() })
                    .collect();
                let Ok(judged) = estimate_by(&part[..], prior.by_number(&renumbered));
                assert_eq!(judged.rates[..], whole.rates[from..from + 20], "{shift} {from}");
                assert_eq!((judged.check, judged.refuted), (whole.check, whole.refuted));
                // Where captures bound no rate, all have an assumed one.
                assert_eq!(estimate(&part).rates[..] == whole.rates[from..from + 20], prior.unbounded);
            }
        }
    }

    #[test]
    fn what_is_no_distribution_is_refused() {
        let prior = SitePrior::of(&estimate(&pages(1)), &Folders::new());
        let of = |schema: &str, prior: &SitePrior| RatePriors {
            schema: schema.to_owned(),
            sites: BTreeMap::from([("a.example".to_owned(), prior.clone())]),
        };
        assert_eq!(of(SCHEMA, &prior).fault(), None);
        assert!(of("acuity.rate-prior/9", &prior).fault().unwrap().contains("/9"));
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let site = Gamma { shape: wrong, ..prior.site };
            assert!(of(SCHEMA, &SitePrior { site, ..prior.clone() }).fault().is_some());
        }
    }
}
