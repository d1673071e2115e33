//! The change rate of every page of a site, with its interval and where it comes from.
//!
//! Order of trust: the exact history, the page's own looks and Last-Modified, what the sitemap says, the pages of its
//! folder, the pages of its site, and where nothing at all is known a built-in assumption. Captures are never taken alone:
//! few of them would give 0 or infinity, so they are shrunk to the class of the page ([`super::gamma`]). A class is a
//! folder of the site with at least [`CLASS`] pages of which something is known; its prior is fitted near that of the
//! site.
//!
//! Stamps (Last-Modified, `lastmod`) reach back long before the first capture. That is worth much where a site changes as
//! it always did, and misleads where it does not: years of quiet outweigh a day full of changes. So rates are held
//! against the captures ([`super::predictive`]), and where the captures refute them, the rates of the site are made from its
//! captures alone. Where these do not agree with the captures either, the model does not fit the site, and [`Rates`] says so.
//!
//! A page that differs at captures within a minute, and never repeats itself, was watched for no more than that, or goes back to what
//! it was, is generated for each request, or comes from several servers. Its captures do not show how often it changes, so it has the rate of its class.
//!
//! Unchanged gaps bound a rate from above. Where no gap of a whole site is unchanged, or only gaps much shorter than those with a
//! change, nothing does: an index that leaves unchanged captures out looks just like a site that changes all the time. Captures are
//! then not used, and [`Rates`] says so.
//!
//! The same holds of a Last-Modified or a sitemap alone: a stamp that a server makes looks like a page that changes all the
//! time. A page without captures that compare keeps the rate of its stamp for orders, but that rate is only *assumed* until
//! captures of the site show pages changed as well as unchanged.
//!
//! Where a sitemap gives a `changefreq` and no two captures could be compared, that frequency is the mean of the prior, with
//! shape 1: right within a factor of ten or so.

use std::collections::BTreeMap;
use std::convert::Infallible;

use serde::{Deserialize, Serialize};

use crate::change::gamma::{Estimate, Fitted, Hyper, Prior, Quantiles, SAMPLE};
use crate::change::poisson::Looks;
use crate::change::predictive::Check;
use crate::change::run::{Link, Versions};
use crate::html::sitemap::ChangeFreq;
use crate::time::{Instant, SECOND};

/// How many pages of a folder make a class of their own.
pub(crate) const CLASS: usize = 30;

/// Captures that differ bound no rate from above; those that do not bound it only if all the time without a change is at least this
/// share of the mean time between two that differ.
const COMPARABLE: f64 = 0.1;

/// A Last-Modified this close to the capture (in microseconds) only says that the page is made on request.
const ON_REQUEST: i64 = 2 * SECOND;

/// Where a rate comes from, most trusted first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The exact history that the user gave.
    History,
    /// Captures that could be compared (and Last-Modified where accepted).
    Looks,
    /// Last-Modified alone.
    LastModified,
    Sitemap,
    /// Other pages of its folder.
    Folder,
    /// Other pages of its site.
    Site,
    /// A built-in assumption, or a Last-Modified or sitemap that no captures check: how often the page changes is unknown.
    Assumed,
}

impl Source {
    /// All sources, by the numbers that files of pages have for them.
    pub(crate) const ALL: [Source; 7] = [
        Source::History,
        Source::Looks,
        Source::LastModified,
        Source::Sitemap,
        Source::Folder,
        Source::Site,
        Source::Assumed,
    ];
}

/// A change rate per second with its 95% interval and its source.
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
pub(crate) struct Evidence {
    /// What its captures and stamps say.
    pub told: Looks,
    /// What its captures alone say.
    pub looks: Looks,
    /// Whether `told` is the exact history.
    pub exact: bool,
    /// The frequency its sitemap gives.
    pub change_freq: Option<ChangeFreq>,
    pub class: u32,
}

impl Evidence {
    /// What the versions of a page say.
    pub(crate) fn of(versions: &Versions, class: u32) -> Self {
        let mut evidence = Evidence { class, ..Evidence::default() };
        if versions.generated_per_request().is_some() {
            return evidence;
        }
        let Evidence { told, looks, .. } = &mut evidence;
        let seconds = |from: Instant, to: Instant| to.0.saturating_sub(from.0) as f64 / SECOND as f64;
        let pinned = |modified: Option<Instant>, look: Instant| {
            modified.filter(|modified| look.0.saturating_sub(modified.0) > ON_REQUEST)
        };
        if let (Some(run), Some(first)) = (versions.runs.first(), versions.looks.first())
            && let Some(modified) = pinned(run.last_modified, first.time)
        {
            told.pin(seconds(modified, first.time));
        }
        for gap in versions.gaps() {
            match gap.link {
                None => {
                    told.gap(seconds(gap.from.time, gap.to.time), false);
                    looks.gap(seconds(gap.from.time, gap.to.time), false);
                }
                Some(Link::Different(_)) => {
                    let length = seconds(gap.from.time, gap.to.time.max(gap.to.end));
                    looks.gap(length, true);
                    match pinned(gap.last_modified, gap.to.time) {
                        Some(modified) => told.pin(seconds(modified, gap.to.time)),
                        None => told.gap(length, true),
                    }
                }
                Some(Link::Unknown) => {}
            }
        }
        evidence
    }

    /// What captures say, without stamps.
    pub(crate) fn of_looks(looks: Looks, class: u32) -> Self {
        Evidence { told: looks.clone(), looks, class, ..Evidence::default() }
    }

    /// An exact history: this number of changes in this time.
    pub(crate) fn exact(changes: u32, seconds: f64, class: u32) -> Self {
        let told = Looks { pinned: changes, unchanged: seconds, ..Looks::default() };
        Evidence { told, exact: true, class, ..Evidence::default() }
    }

    /// What rates are made from.
    fn looks(&self, stamps: bool) -> &Looks {
        if stamps || self.exact { &self.told } else { &self.looks }
    }

    fn source(&self, stamps: bool) -> Source {
        match () {
            () if self.exact => Source::History,
            () if !self.looks.is_empty() => Source::Looks,
            () if self.change_freq.is_some() => Source::Sitemap,
            () if !self.looks(stamps).is_empty() => Source::LastModified,
            () => Source::Folder,
        }
    }
}

/// The rates of the pages of one site.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Rates<L = Vec<Rate>> {
    /// The rates, in the order of the pages.
    pub rates: L,
    /// What they were made with.
    pub priors: Priors,
    /// These rates held against the captures.
    pub check: Check,
    /// The rates that stamps would have given, where the captures refute them: then stamps are not used.
    pub refuted: Option<Check>,
    /// No two captures of the site show a page unchanged for a time like that between those that show pages changed: captures bound
    /// no rate.
    pub unbounded: bool,
}

impl<L> Rates<L> {
    /// Whether captures show pages changed as well as unchanged.
    pub(crate) fn are_checked(&self) -> bool {
        self.check.changed > 0 && !self.unbounded
    }
}

/// What is done with what is known of each page.
pub(crate) type Visit<'v, E> = dyn FnMut(&Evidence) -> Result<(), E> + 'v;

/// What is known of the pages of a site, which may be more than memory holds.
pub(crate) trait Pages {
    /// Where their rates go.
    type List;
    /// Why they cannot be read, or their rates not be kept.
    type Error;

    /// Visits them, always in the same order.
    fn each(&self, visit: &mut Visit<'_, Self::Error>) -> Result<(), Self::Error>;

    /// An empty list of rates.
    fn list(&self) -> Self::List;

    /// Adds the rate of the next page to a list.
    fn put(list: &mut Self::List, rate: Rate) -> Result<(), Self::Error>;
}

impl Pages for [Evidence] {
    type List = Vec<Rate>;
    type Error = Infallible;

    fn each(&self, visit: &mut Visit<'_, Infallible>) -> Result<(), Infallible> {
        self.iter().try_for_each(visit)
    }

    fn list(&self) -> Vec<Rate> {
        Vec::with_capacity(self.len())
    }

    fn put(list: &mut Vec<Rate>, rate: Rate) -> Result<(), Infallible> {
        list.push(rate);
        Ok(())
    }
}

/// Pages of which only that is used which is known besides their captures.
struct Blind<'a, P: ?Sized>(&'a P);

impl<P: Pages + ?Sized> Pages for Blind<'_, P> {
    type List = P::List;
    type Error = P::Error;

    fn each(&self, visit: &mut Visit<'_, P::Error>) -> Result<(), P::Error> {
        self.0.each(&mut |page| match page.exact {
            true => visit(page),
            false => {
                visit(&Evidence { change_freq: page.change_freq, class: page.class, ..Evidence::default() })
            }
        })
    }

    fn list(&self) -> P::List {
        self.0.list()
    }

    fn put(list: &mut P::List, rate: Rate) -> Result<(), P::Error> {
        P::put(list, rate)
    }
}

/// What the rates of one site are made with: the priors of the site and of its classes, and what they are fitted to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Priors {
    pub site: Fitted,
    pub classes: BTreeMap<u32, Fitted>,
    /// Whether stamps are used beside captures.
    pub stamps: bool,
    /// Nothing is known of any page.
    pub none: bool,
}

/// What was found of a whole site, for a part of it to be judged by.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Given {
    pub priors: Priors,
    /// As in [`Rates`].
    pub check: Check,
    pub refuted: Option<Check>,
    pub unbounded: bool,
}

/// The rates of the pages of one site: with stamps, unless the captures refute them.
pub(crate) fn estimate(pages: &[Evidence]) -> Rates {
    let Ok(rates) = estimate_all(pages);
    rates
}

/// The same of any number of pages.
pub(crate) fn estimate_all<P: Pages + ?Sized>(pages: &P) -> Result<Rates<P::List>, P::Error> {
    let (mut changes, mut changed_time, mut unchanged_time, mut stamped) = (0, 0.0, 0.0, false);
    pages.each(&mut |page| {
        if !page.exact {
            changes += page.looks.changed.len();
            changed_time += page.looks.changed.iter().sum::<f64>();
            unchanged_time += page.looks.unchanged;
            stamped |= page.told != page.looks;
        }
        Ok(())
    })?;
    let changed = changes > 0;
    // Seconds without a change say nothing of the days between captures that differ.
    if changed && unchanged_time < COMPARABLE * changed_time / changes as f64 {
        let pages = Blind(pages);
        return Ok(Rates { unbounded: true, ..Priors::fit(&pages, true)?.rates(&pages, false)? });
    }
    let rates = Priors::fit(pages, true)?.rates(pages, changed)?;
    if rates.check.agrees() || !stamped {
        return Ok(rates);
    }
    Ok(Rates { refuted: Some(rates.check), ..Priors::fit(pages, false)?.rates(pages, changed)? })
}

/// The rates of some pages of a site, by what was found of all of them.
pub(crate) fn estimate_by<P: Pages + ?Sized>(pages: &P, given: Given) -> Result<Rates<P::List>, P::Error> {
    let Given { priors, check, refuted, unbounded } = given;
    let rates = match unbounded {
        true => priors.rates(&Blind(pages), false)?,
        false => priors.rates(pages, check.changed > 0)?,
    };
    Ok(Rates { check, refuted, unbounded, ..rates })
}

/// Of many pages every n-th, so that there are no more than a fit looks at.
struct Sample {
    every: usize,
    seen: usize,
    looks: Vec<Looks>,
}

impl Sample {
    fn of(count: usize) -> Self {
        Sample { every: count.div_ceil(SAMPLE).max(1), seen: 0, looks: Vec::new() }
    }

    fn add(&mut self, looks: &Looks) {
        if self.seen.is_multiple_of(self.every) {
            self.looks.push(looks.clone());
        }
        self.seen += 1;
    }
}

impl Priors {
    fn fit<P: Pages + ?Sized>(pages: &P, stamps: bool) -> Result<Self, P::Error> {
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        pages.each(&mut |page| {
            if !page.looks(stamps).is_empty() {
                *counts.entry(page.class).or_default() += 1;
            }
            Ok(())
        })?;
        let (several, none) = (counts.len() > 1, counts.is_empty());
        let mut all = Sample::of(counts.values().sum());
        let large = counts.into_iter().filter(|(_, count)| several && *count >= CLASS);
        let mut classes: BTreeMap<u32, Sample> =
            large.map(|(class, count)| (class, Sample::of(count))).collect();
        pages.each(&mut |page| {
            let looks = page.looks(stamps);
            if !looks.is_empty() {
                all.add(looks);
                classes.get_mut(&page.class).into_iter().for_each(|class| class.add(looks));
            }
            Ok(())
        })?;
        let site = Prior::fit(&all.looks, Hyper::default());
        let near = |(class, sample): (u32, Sample)| (class, Prior::fit(&sample.looks, Hyper::near(site)));
        Ok(Priors { site, classes: classes.into_iter().map(near).collect(), stamps, none })
    }

    /// The rates; `checked` says that captures show pages changed as well as unchanged.
    fn rates<P: Pages + ?Sized>(self, pages: &P, checked: bool) -> Result<Rates<P::List>, P::Error> {
        let Priors { site, stamps, none, .. } = self;
        let (mut check, mut quantiles) = (Check::default(), Quantiles::default());
        let mut rates = pages.list();
        pages.each(&mut |page| {
            let class = self.classes.get(&page.class);
            let source = match page.source(stamps) {
                Source::Folder if none => Source::Assumed,
                Source::Folder if class.is_none() => Source::Site,
                source => source,
            };
            let prior = match (source, page.change_freq) {
                (Source::Sitemap, Some(freq)) => Fitted::given(Prior::with_mean(1.0, freq.per_second())),
                (Source::History, _) => Fitted::given(class.unwrap_or(&site).prior),
                _ => *class.unwrap_or(&site),
            };
            let looks = page.looks(stamps);
            let mut estimate = prior.posterior_with(looks, &mut quantiles);
            if page.exact
                && let Some(exact) = looks.most_likely()
            {
                estimate.mean = exact;
            }
            check.add(estimate.mean, &page.looks);
            // The rate is kept, for orders; it is not called known.
            let source = match source {
                Source::LastModified | Source::Sitemap if !checked => Source::Assumed,
                source => source,
            };
            P::put(&mut rates, Rate { estimate, source })
        })?;
        Ok(Rates { rates, priors: self, check, refuted: None, unbounded: false })
    }
}

#[cfg(test)]
#[path = "rate_tests.rs"]
mod tests;
