//! The change rate of a page without a history, predicted from what its URL looks like.
//!
//! The watched pages of the site are the examples, each with its rate × the time between its first and last capture. See
//! [`crate::change::predict`] for the classifier and its source. A site with few
//! watched pages has too little to learn from: there the rate of the folder or site stays.

use std::io;

use crate::audit::model::{PageRate, SiteAudit};
use crate::audit::next::planned::Planned;
use crate::audit::next::shelf::SitePages;
use crate::change::predict::{Example, Features, Method, Predictor};
use crate::change::rate::Source;
use crate::format::figure;
use crate::time::{SECOND, SECONDS_A_DAY};

/// Minimum number of training pages.
const MIN_TRAINING_PAGES: usize = 50;
/// Maximum number of training pages; more are thinned out evenly, since they only cost time.
const MAX_TRAINING_PAGES: usize = 5_000;

/// What the watched pages of a site teach.
pub(crate) struct LearnedRates(Option<Predictor>);

impl LearnedRates {
    /// Learns from the pages of a site.
    pub(crate) fn of(pages: &impl SitePages) -> io::Result<Self> {
        let mut watched = 0;
        pages.each(&mut |page, _| watched += usize::from(is_watched(page)))?;
        if watched < MIN_TRAINING_PAGES {
            return Ok(LearnedRates(None));
        }
        let step = watched.div_ceil(MAX_TRAINING_PAGES);
        let mut examples: Vec<Example> = Vec::new();
        let mut number = 0;
        pages.each(&mut |page, _| {
            if is_watched(page) {
                if number % step == 0 {
                    examples.push(example(page));
                }
                number += 1;
            }
        })?;
        Ok(LearnedRates(Predictor::train(&examples, Method::default())))
    }

    /// Changes per day to be expected of a page with this URL; `None` where too little was learned.
    pub(crate) fn per_day(&self, url: &str) -> Option<f64> {
        let per_second = self.0.as_ref()?.predict(&Features::online(url, None))?;
        Some(per_second * SECONDS_A_DAY).filter(|rate| rate.is_finite())
    }
}

/// Whether the page's own captures show how often it changes.
fn is_watched(page: &impl Planned) -> bool {
    let (first, last) = page.looks();
    let (per_day, source) = page.rate();
    matches!(source, Source::History | Source::Looks) && per_day.is_finite() && last > first
}

fn example(page: &impl Planned) -> Example {
    let (first, last) = page.looks();
    let seconds = (last.0 - first.0) as f64 / SECOND as f64;
    let changes = page.rate().0 / SECONDS_A_DAY * seconds;
    Example { features: Features::online(page.url(), None), changes, seconds }
}

/// The factor by which the rates of half of the pages are known either way or better, by their 95% intervals; `None` where that
/// half has no bound.
pub(crate) fn error_factor(rates: impl Iterator<Item = PageRate>) -> Option<f64> {
    middle(rates.map(|rate| factor(&rate)).collect()).filter(|factor| factor.is_finite())
}

/// The factor to which one rate is known, either way.
pub(crate) fn factor(rate: &PageRate) -> f64 {
    (rate.high / rate.low).sqrt()
}

/// The middle one of some values; of an even number the upper one.
pub(crate) fn middle(mut values: Vec<f64>) -> Option<f64> {
    let middle = values.len() / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable_by(middle, f64::total_cmp).1)
}

/// How far off the rates of a plan may be: the 95% interval of a typical page, and what two real histories showed.
pub(crate) fn expected_error(sites: &[SiteAudit]) -> Option<String> {
    let typical = error_factor(sites.iter().flat_map(|site| &site.page_list).map(|page| page.rate))?;
    Some(format!(
        "Rates are estimates: those of half of the pages are {}. On two sites whose history is known, changes were over-forecast by \
         about a third (1.35 ± 0.20 and 1.37 ± 0.53 times what came).",
        error_words(Some(typical))
    ))
}

/// Beyond this factor either way, captures say next to nothing about a rate, and a figure would pretend that they do.
pub(crate) const HARDLY_KNOWN: f64 = 100.0;

/// How well the rates of half of the pages are known.
pub(crate) fn error_words(factor: Option<f64>) -> String {
    match factor {
        Some(factor) if factor < HARDLY_KNOWN => {
            format!("known to a factor of {} either way or better (95%)", figure(factor))
        }
        Some(_) => "hardly known: too few captures show whether these pages change".to_owned(),
        None => "not bounded by what the captures show".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_of_rates_is_that_of_half_of_the_pages_and_has_no_bound_where_theirs_has_none() {
        let factor = |intervals: &[(f64, f64)]| {
            let rate =
                |&(low, high): &(f64, f64)| PageRate { per_day: high, low, high, source: Source::Looks };
            error_factor(intervals.iter().map(rate))
        };
        assert_eq!(factor(&[(1.0, 4.0), (1.0, 9.0), (0.0, 1.0)]), Some(3.0));
        assert_eq!(factor(&[(1.0, 4.0), (0.0, 9.0), (0.0, 1.0)]), None);
        assert_eq!(factor(&[(0.0, 0.0)]), None);
        assert_eq!(factor(&[]), None);
    }
}
