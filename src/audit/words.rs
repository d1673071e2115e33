//! Sentences about the state of pages and sites, shared by all reports. No claim is stronger than its proof: a page seen once
//! is never called incoherent.

use crate::audit::model::{BandCounts, Basis, Blur, Coherence, FigureBases, PageCounts, SiteAudit, Window};
use crate::audit::page::Work;
use crate::audit::params::Parameters;
use crate::audit::sites::Captured;
use crate::change::rate::Source;
use crate::change::run::{Link, PageState};
use crate::format::{all, clock, count, duration, every, figure, list, number, percent, span, times, was};
use crate::time::{DAY, Instant, Interval, SECOND};

/// The instant, to the second where that lies inside the interval too: for people to type.
fn typed(window: &Window) -> Instant {
    let full = Instant(window.from.0.saturating_add(SECOND - 1).div_euclid(SECOND).saturating_mul(SECOND));
    if full <= window.to { full } else { window.from }
}

/// The answer for one site.
pub(crate) fn verdict(pages: &PageCounts, coherence: &Coherence, blur: &Blur, bases: &FigureBases) -> String {
    let assumed = bases.rates.basis >= Basis::Assumed;
    let off = match (blur.actual.mean, bases.blur.basis, &bases.blur.reason) {
        (Some(_), Basis::Assumed, _) => {
            " How far a replayed page is from what was online is unknown: nothing shows how \
                                          often the pages change."
                .to_owned()
        }
        // The figure stands with the others.
        (Some(_), Basis::Known | Basis::Estimated, _) => String::new(),
        (_, _, Some(reason)) => {
            format!(" How far a replayed page is from what was online is unknown: {reason}.")
        }
        _ => String::new(),
    };
    let states = states(pages);
    match (pages.total, &coherence.full.intervals[..], &coherence.best.intervals[..]) {
        (0, ..) => "There are no pages to judge.".to_owned(),
        (1, [first, ..], _) => {
            format!(
                "The one page is proven to have been online unchanged {}.{off}",
                span(first.from, first.to)
            )
        }
        (total, [first, ..], _) => format!(
            "{} are proven to have been online together {}.{off}",
            all(total, "page"),
            span(first.from, first.to)
        ),
        (total, [], [first, ..]) => format!(
            "At best {} of {} ({}) {} proven to have been online together, {}: {states}.{off}",
            number(coherence.best.pages),
            count(total, "page"),
            percent(coherence.best.share.unwrap_or(0.0)),
            if coherence.best.pages == 1 { "is" } else { "are" },
            span(first.from, first.to),
        ),
        (1, [], []) if pages.single == 1 => format!(
            "The one page was captured once, so nothing can be proven.{}{off}",
            match assumed {
                true => String::new(),
                false => format!(
                    " The chance that it did not change in this time is {}.",
                    percent(coherence.expected_unchanged)
                ),
            },
        ),
        (total, [], []) if pages.single == total => format!(
            "{} were captured once, so it cannot be proven whether they were online together, nor that they were not.{}{off}",
            all(total, "page"),
            match assumed {
                true => String::new(),
                false => format!(
                    " By their change rates, {} of {total} are expected not to have changed in this time.",
                    figure(coherence.expected_unchanged)
                ),
            },
        ),
        (1, [], []) => format!("The one page is not proven to have been online for any time: {states}.{off}"),
        (total, [], []) => format!(
            "No page of {total} is proven to have been online for any time, so it cannot be proven that any were online together: {states}.{off}"
        ),
    }
}

/// Pages by state, in words.
pub(crate) fn states(pages: &PageCounts) -> String {
    let markup = match (pages.changed_in_markup_only, pages.changed) {
        (0, _) => String::new(),
        (some, all) if some == all => ", only in markup".to_owned(),
        (1, _) => " (1 of them only in its markup)".to_owned(),
        (some, _) => format!(" ({some} of them only in their markup)"),
    };
    let parts: Vec<String> = [
        (pages.sharp, format!("{} unchanged", was(pages.sharp))),
        (pages.changed, format!("changed between captures{markup}")),
        (pages.single, format!("{} captured once", was(pages.single))),
        (pages.unknown, "cannot be compared".to_owned()),
    ]
    .into_iter()
    .filter(|(number, _)| *number > 0)
    .map(|(number, what)| format!("{number} {what}"))
    .collect();
    list(&parts)
}

/// The answer for all sites together.
pub(crate) fn overall(entries: &[SiteAudit], sites: u64, why_none: impl FnOnce() -> String) -> String {
    match entries {
        [] => format!("There are no pages to judge. {}", why_none()),
        [only] => only.verdict.clone(),
        _ => {
            let mut counts = PageCounts::default();
            for entry in entries {
                counts.total += entry.pages.total;
                counts.sharp += entry.pages.sharp;
                counts.changed += entry.pages.changed;
                counts.changed_in_markup_only += entry.pages.changed_in_markup_only;
                counts.single += entry.pages.single;
                counts.unknown += entry.pages.unknown;
            }
            let what = if entries.len() as u64 == sites { "sites" } else { "pairs of a site and its crawls" };
            let bands =
                BandCounts::of(entries.iter().map(|entry| entry.answers.consistent.band.unwrap_or_default()));
            let are = |many: u64, how: &str| format!("{} {how}", if many == 1 { "is" } else { "are" });
            let parts: Vec<String> = [
                (bands.good, are(bands.good, "consistent")),
                (bands.mixed, are(bands.mixed, "consistent in part")),
                (bands.poor, are(bands.poor, "hardly consistent")),
                (bands.cannot_tell, "cannot be judged".to_owned()),
            ]
            .into_iter()
            .filter(|(many, _)| *many > 0)
            .map(|(many, how)| format!("{} {how}", number(many)))
            .collect();
            let error_pages: u64 = entries.iter().map(|entry| entry.pages.error_pages).sum();
            let apart = match error_pages {
                0 => String::new(),
                1 => "; 1 looks like an error page and is not judged".to_owned(),
                many => format!("; {} look like error pages and are not judged", number(many)),
            };
            format!(
                "Of {} {what}, {}. Of {}, {}{apart}.",
                number(entries.len() as u64),
                list(&parts),
                count(counts.total + error_pages, "page"),
                states(&counts),
            )
        }
    }
}

/// Why there are no pages to judge.
pub(crate) fn why_none(captured: &Captured, parameters: &Parameters) -> String {
    let Some((first, last)) = captured.span else {
        return "The inputs hold no captures.".to_owned();
    };
    let sites = &captured.sites;
    if let Some(site) = parameters.site.as_ref().filter(|site| !sites.contains(*site)) {
        let some: Vec<&str> = sites.iter().take(5).map(String::as_str).collect();
        let more = if sites.len() > some.len() { ", …" } else { "" };
        return format!("No site {site} was captured; those captured are: {}{more}.", some.join(", "));
    }
    if !captured.is_inside {
        let from = parameters.from.map_or_else(String::new, |from| format!(" from {}", clock(from)));
        let to = parameters.to.map_or_else(String::new, |to| format!(" up to {}", clock(to)));
        return format!("No capture was made{from}{to}; all were made {}.", span(first, last));
    }
    "A page is HTML that answered 200; --pages all takes every URL.".to_owned()
}

/// What to do next about one site.
pub(crate) fn next(pages: &PageCounts, coherence: &Coherence, at: impl Fn(Instant) -> String) -> Vec<String> {
    let mut next = Vec::new();
    if pages.total == 0 {
        return next;
    }
    if let Some(first) = coherence.best.intervals.first() {
        next.push(format!("{}: what is proven at the best moment", at(typed(first))));
    }
    if pages.changed > 0 || pages.unknown > 0 {
        next.push("acuity audit --explain URL: one page's whole story".to_owned());
    }
    next
}

/// Why the state of a page is what it is.
pub(crate) fn reason(
    work: &Work<'_>,
    window: Interval,
    error_page: Option<&str>,
    is_rate_known: bool,
) -> String {
    let versions = &work.versions;
    let by = match work.rate.source {
        Source::History | Source::Looks => "",
        Source::LastModified => ", by its Last-Modified",
        Source::Sitemap => ", by the sitemap",
        Source::Folder => ", by the pages of its folder",
        Source::Site => ", by the pages of its site",
        Source::Assumed => "",
    };
    let rate = match work.rate.source {
        _ if !is_rate_known => "how often it changes is unknown".to_owned(),
        _ => format!("expected to change {}{by}", every(work.rate.per_second() * (DAY / SECOND) as f64)),
    };
    let modified = versions.runs.first().and_then(|run| run.last_modified);
    let expected = match modified.filter(|modified| *modified > window.from) {
        Some(modified) if versions.looks.first().is_some_and(|look| modified <= look.time) => {
            format!("by its Last-Modified it changed at {}, before its first capture", clock(modified))
        }
        Some(modified) => {
            format!("by its Last-Modified it changed within this time, at {}", clock(modified))
        }
        None => rate,
    };
    let looks = versions.looks.len();
    match versions.state {
        PageState::Sharp if error_page.is_some() => {
            format!("looks like an error page despite status 200: {}", error_page.unwrap_or_default())
        }
        PageState::Unknown | PageState::Single if versions.contradictory => {
            "other evidence contradicts its captures: nothing about it is proven".to_owned()
        }
        PageState::Changed => {
            if let Some(seconds) = versions.differs_always() {
                if versions.generated_per_request().is_none() {
                    return format!(
                        "changed at every one of its {looks} captures; how often it changes is unknown"
                    );
                }
                if (versions.distinct as usize) < looks {
                    return format!("differs at captures only {} apart", duration(seconds));
                }
                return format!(
                    "differs at each of its {looks} captures, even at captures {} apart",
                    duration(seconds)
                );
            }
            let mut changes = versions.gaps().filter(|gap| matches!(gap.link, Some(Link::Different(_))));
            match (changes.next(), changes.count()) {
                (None, _) => "changed between captures that are not neighbours".to_owned(),
                (Some(gap), more) => {
                    let between = match times(gap.from.time, gap.to.end, window) {
                        (from, to) if from == to => format!("at {from}"),
                        (from, to) => format!("between {from} and {to}"),
                    };
                    let more = match more {
                        0 => String::new(),
                        1 => ", and once more later".to_owned(),
                        more => format!(", and {} more times later", number(more as u64)),
                    };
                    let gone = match work.answer(&gap.to).status {
                        Some(status @ (404 | 410)) => format!(", when it was gone ({status})"),
                        _ => String::new(),
                    };
                    format!("changed {between}{gone}{more}")
                }
            }
        }
        PageState::Single => format!("captured once; {expected}"),
        PageState::Sharp => {
            format!("unchanged between its {looks} captures; {expected}")
        }
        PageState::Unknown if looks == 0 => "every capture of it failed".to_owned(),
        PageState::Unknown => format!("its captures cannot be compared; {expected}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_names_its_day_once() {
        let at = |text| Instant::parse(text).unwrap();
        let (a, b, c) =
            (at("2024-01-01T10:00:00.5Z"), at("2024-01-01T10:00:01Z"), at("2024-01-02T00:00:00Z"));
        assert_eq!(span(a, b), "from 2024-01-01 10:00:00 to 10:00:01");
        assert_eq!(span(a, c), "from 2024-01-01 10:00:00 to 2024-01-02 00:00:00");
        assert_eq!(span(b, b), "at 2024-01-01 10:00:01");
        assert_eq!(typed(&Window { from: a, to: c }), b);
        assert_eq!(typed(&Window { from: a, to: a.plus(1) }), a);
    }
}
