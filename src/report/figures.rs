//! The key figures of a site: name, value, and what it says. Every report shows these, from here.

use super::completeness;
use super::layout::UNKNOWN;
use crate::audit::model::{Level, Range, SiteAudit};
use crate::audit::next::rates::error_words;
use crate::audit::words::states;
use crate::format::{count, every, figure, lasting, percent, percent_range, span};

/// One key figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Figure {
    /// Its name; the glossary has it.
    pub name: &'static str,
    pub value: String,
    /// What it says, in a few words.
    pub says: String,
    /// Whether it is the one that the verdict rests on.
    pub is_verdict: bool,
}

/// The key figures of a site.
pub(crate) fn of_site(site: &SiteAudit, weights: &str) -> Vec<Figure> {
    let (pages, coherence) = (&site.pages, &site.coherence);
    let mut rows = Vec::new();
    let mut row = |name: &'static str, value: String, says: String| {
        rows.push(Figure { name, value, says, is_verdict: name == "coherence" && coherence.provable });
    };
    row("pages", pages.total.to_string(), states(pages));
    let share = |level: &Level| level.share.map_or_else(|| UNKNOWN.to_owned(), percent);
    if coherence.provable {
        let when = match &coherence.best.intervals[..] {
            [] => String::new(),
            [first, rest @ ..] => {
                let more = match rest.len() {
                    0 => String::new(),
                    1 => ", and in 1 other interval".to_owned(),
                    more => format!(", and in {more} other intervals"),
                };
                let lasting = lasting(first.from, first.to);
                format!(" {} ({lasting}){more}", span(first.from, first.to))
            }
        };
        let says =
            format!("{} proven to have been online together{when}", count(coherence.best.pages, "page"));
        row("coherence", share(&coherence.best), says);
        if weights != "uniform" {
            let heaviest = coherence.best_by_weight.intervals.first();
            let when = match heaviest.filter(|when| Some(*when) != coherence.best.intervals.first()) {
                Some(when) => format!("{}, the best moment by importance", span(when.from, when.to)),
                None => "at the same moment".to_owned(),
            };
            let says = format!("of the importance of all pages proven together {when}");
            row("weighted", share(&coherence.best_by_weight), says);
        }
        if coherence.claimed.pages > coherence.best.pages {
            let says = format!(
                "{} if ETag and Last-Modified are believed too",
                count(coherence.claimed.pages, "page")
            );
            row("claimed", share(&coherence.claimed), says);
        }
        if let Some(range) = coherence.query.by_weight {
            let says = "of a replay for a random moment fits together".to_owned();
            row("replay", between(&range), says);
        }
    } else {
        let says = if coherence.sharc.judged > 0 {
            "cannot be proven: no page is proven to have been online for any time"
        } else {
            "cannot be proven: that takes a second capture of the pages"
        };
        row("coherence", UNKNOWN.to_owned(), says.to_owned());
        let observable = &coherence.observable;
        if observable.stamped > 0 {
            let says = format!(
                "of {} with a Last-Modified were online together, if that is believed",
                count(observable.stamped, "page")
            );
            row("claimed", observable.pages.to_string(), says);
        }
        let (value, says) = match site.basis.rates.is_usable() {
            true => (
                figure(coherence.expected_unchanged),
                format!("of {} expected not to have changed in this time", count(pages.total, "page")),
            ),
            false => (UNKNOWN.to_owned(), site.basis.rates.why_unknown()),
        };
        row("unchanged", value, says);
    }
    let blur = &site.blur.actual;
    let says = match (blur.likely_low, blur.likely_high) {
        _ if !site.basis.blur.is_usable() => site.basis.blur.why_unknown(),
        _ if blur.exact => {
            "versions away from what was online, for a random page and moment, from the exact history"
                .to_owned()
        }
        (Some(low), Some(high)) => {
            let (low, high) = (figure(low), figure(high));
            let range = if low == high { String::new() } else { format!(" (95%: {low} to {high})") };
            format!(
                "versions away from what was online, expected for a random page and moment{range}{}",
                left_out(site)
            )
        }
        (Some(low), None) => format!(
            "versions away from what was online, expected for a random page and moment (95%: at least {}; some page changed between \
             every two captures){}",
            figure(low),
            left_out(site)
        ),
        _ => site.basis.blur.why_unknown(),
    };
    row("blur", site.blur_mean().map_or_else(|| UNKNOWN.to_owned(), figure), says);
    if pages.total > 0 {
        let says = match site.rates.median_per_day {
            None if site.basis.rates.is_usable() => {
                format!("how often a typical page changes is {}", error_words(site.rates.error_factor))
            }
            None => site.basis.rates.why_unknown(),
            Some(rate) => {
                format!(
                    "changes a day: a typical page changes about {}. The rates of half of the pages are {}. In tests on two sites with known \
                     history, such rates forecast a third too many changes",
                    every(rate),
                    error_words(site.rates.error_factor)
                )
            }
        };
        row("rate", site.rates.median_per_day.map_or_else(|| UNKNOWN.to_owned(), figure), says);
    }
    for (name, value, says) in completeness::figures(site, weights) {
        row(name, value, says);
    }
    rows
}

/// The pages that blur and versions leave out, since the model does not fit them.
pub(super) fn left_out(site: &SiteAudit) -> String {
    let anew = &site.findings.made_anew;
    let when = match anew.is_per_request() {
        true => "within a minute or at every capture",
        false => "at every capture",
    };
    match anew.pages {
        0 => String::new(),
        1 => format!("; left out is 1 page that differs {when}"),
        pages => format!("; left out are {pages} pages that differ {when}"),
    }
}

fn between(range: &Range) -> String {
    percent_range(range.low, range.high)
}
