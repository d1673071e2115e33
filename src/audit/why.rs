//! Why a site has its two answers, in a sentence for the tables of collections.

use crate::audit::answers::{changed, outside};
use crate::audit::bands::{self, Parts};
use crate::audit::completeness_figure::counted;
use crate::audit::model::{Band, LinkCompleteness, Outside, SiteAudit};
use crate::format::{all, count, list, number, part_of, percent, was};

/// What both answers rest on.
pub(crate) fn of(site: &SiteAudit) -> String {
    format!("{}; {}.", together(site), captured(site))
}

/// What is known of the pages.
fn together(site: &SiteAudit) -> String {
    let (pages, best) = (&site.pages, site.coherence.best.pages);
    // All that changed, also where a version of it was online together with the others.
    let outside = Outside {
        changed: pages.changed,
        changed_in_markup_only: pages.changed_in_markup_only,
        ..outside(site)
    };
    let others = || match outside.changed {
        0 => String::new(),
        many => format!(", and {} {}", number(many), changed(&outside, "")),
    };
    match pages.total {
        0 if pages.error_pages > 0 => match pages.error_pages {
            1 => "The page looks like an error page".to_owned(),
            many => format!("{} look like error pages", all(many, "page")),
        },
        0 => "There are no pages to judge".to_owned(),
        1 if pages.changed == 1 => "The page changed".to_owned(),
        total if pages.single == total => format!("{} {} captured once", all(total, "page"), was(total)),
        1 if site.coherence.provable => "The page is unchanged".to_owned(),
        total if site.coherence.provable && best == total => {
            format!("{} were online together", all(total, "page"))
        }
        total if site.coherence.provable => match best {
            1 => {
                let none = if total == 2 {
                    "The two pages are not".to_owned()
                } else {
                    format!("No two of {} are", count(total, "page"))
                };
                format!("{none} known to have been online together{}", others())
            }
            some => format!("{} of {} were online together{}", number(some), count(total, "page"), others()),
        },
        total if pages.changed == total => format!("{} {}", all(total, "page"), changed(&outside, "")),
        total if pages.changed > 0 => {
            format!("{} of {} {}", number(pages.changed), count(total, "page"), changed(&outside, ""))
        }
        1 if pages.sharp == 1 => "The page was the same each time, but no time is proven".to_owned(),
        1 => "The captures of the page cannot be compared".to_owned(),
        _ => "No page has matching captures from two times".to_owned(),
    }
}

/// What was captured of all that its pages need.
fn captured(site: &SiteAudit) -> String {
    let unknown = || "links are unknown".to_owned();
    let Some(found) = &site.completeness else { return unknown() };
    let Some((links, embeds)) = found.links.zip(found.embeds) else { return unknown() };
    let parts = Parts::of(site);
    let part = |found: &LinkCompleteness, noun: &str| {
        (counted(found) > 0).then(|| part_of(found.captured, counted(found), noun))
    };
    // Versions are named where they decide.
    let decides = |share: &f64| parts.worst() == Some(*share) && bands::of_share(*share) != Band::Good;
    let versions =
        parts.versions.filter(decides).map(|share| format!("about {} of versions", percent(share)));
    let kept: Vec<String> =
        [part(&embeds, "embed"), part(&links, "linked page"), versions].into_iter().flatten().collect();
    let were = match kept.len() {
        1 => was(counted(&links) + counted(&embeds)),
        _ => "were",
    };
    let mut said = Vec::new();
    if !kept.is_empty() {
        said.push(format!("{} {were} captured", list(&kept)));
    }
    if parts.links.is_none() && counted(&links) > 0 {
        said.push("what the crawl was meant to cover is not recorded".to_owned());
    } else if links.beyond > 0 {
        let they = if links.beyond == 1 { "it was" } else { "they were" };
        said.push(format!(
            "{} {} not captured, and whether {they} meant to be is not recorded",
            count(links.beyond, "linked page"),
            was(links.beyond)
        ));
    }
    match said.is_empty() {
        true if found.cut_pages > 0 => unknown(),
        true if links.excluded + embeds.excluded + embeds.optional > 0 => {
            "nothing else was to be captured".to_owned()
        }
        true => match site.pages.total {
            0 | 1 => "it has no links or embeds".to_owned(),
            _ => "they have no links or embeds".to_owned(),
        },
        false => said.join("; "),
    }
}
