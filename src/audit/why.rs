//! Why a site has its two answers, in a sentence for the tables of collections.

use crate::audit::answers::{changed, outside, reached, shows_importance};
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
    if let Some(share) = by_importance(site) {
        return format!(
            "{} of {} {} online together, but only {} by importance",
            number(best),
            count(pages.total, "page"),
            was(best),
            percent(share)
        );
    }
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
            let some = format!("{} of {}", number(pages.changed), count(total, "page"));
            match heavy_changes(site) {
                Some(share) => {
                    format!("{some}, with {} of importance, {}", percent(share), changed(&outside, ""))
                }
                None => format!("{some} {}", changed(&outside, "")),
            }
        }
        1 if pages.sharp == 1 => "The page was the same each time, but no time is proven".to_owned(),
        1 => "The captures of the page cannot be compared".to_owned(),
        _ => "No page has matching captures from two times".to_owned(),
    }
}

/// The share of pages by importance, where that makes the band a worse one.
fn by_importance(site: &SiteAudit) -> Option<f64> {
    let (best, by_weight) = (&site.coherence.best, site.coherence.best_by_weight.share?);
    let is_lacking = matches!(bands::consistent(site), Band::Poor | Band::Mixed);
    let decides = best.pages > 1 && shows_importance(best.share?, by_weight);
    (site.coherence.provable && is_lacking && decides).then_some(by_weight)
}

/// The share of importance that changed, where that is what makes the site poor.
fn heavy_changes(site: &SiteAudit) -> Option<f64> {
    let totals = site.page_totals();
    let by_weight = totals.changed_weight / totals.weight;
    let by_number = site.pages.changed as f64 / site.pages.total.max(1) as f64;
    let decides = |share: f64| bands::of_share(1.0 - share) == Band::Poor;
    (totals.weight > 0.0 && decides(by_weight) && !decides(by_number)).then_some(by_weight)
}

/// What was captured of all that its pages need.
fn captured(site: &SiteAudit) -> String {
    let unknown = "links are unknown";
    let Some(found) = &site.completeness else { return unknown.to_owned() };
    let parts = Parts::of(site);
    let decides = |share: &f64| parts.worst() == Some(*share) && bands::of_share(*share) != Band::Good;
    let versions =
        parts.versions.filter(decides).map(|share| format!("about {} of versions", percent(share)));
    let seeds = parts.seeds.filter(decides).and_then(|_| reached(found.seeds));
    let seeds = seeds.map(|seeds| clause(&seeds));
    let Some((links, embeds)) = found.links.zip(found.embeds) else {
        let versions = versions.map(|versions| format!("{versions} were captured"));
        let said: Vec<String> = [versions, seeds].into_iter().flatten().chain([unknown.to_owned()]).collect();
        return said.join("; ");
    };
    let mut said = kept(&embeds, &links, versions);
    if let Some((captured, requested)) = parts.requested.filter(|_| parts.links.as_ref().is_some_and(decides))
    {
        said.push(format!(
            "of {} requested and not gone, {} {} captured",
            number(requested),
            if captured == 0 { "none".to_owned() } else { number(captured) },
            was(captured.max(1))
        ));
    }
    said.extend(seeds);
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
        true if found.cut_pages > 0 => unknown.to_owned(),
        true if links.excluded + embeds.excluded + embeds.optional > 0 => {
            "nothing else was to be captured".to_owned()
        }
        true if links.away > 0 => "its links lead to other sites".to_owned(),
        true => match site.pages.total {
            0 | 1 => "it has no links or embeds".to_owned(),
            _ => "they have no links or embeds".to_owned(),
        },
        false => said.join("; "),
    }
}

/// A sentence as part of another one.
fn clause(sentence: &str) -> String {
    let mut letters = sentence.trim_end_matches('.').chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// What was captured of embeds and links, and of versions where these decide.
fn kept(embeds: &LinkCompleteness, links: &LinkCompleteness, versions: Option<String>) -> Vec<String> {
    let parts = [(embeds, "embed"), (links, "linked page")];
    let (none, some): (Vec<_>, Vec<_>) =
        parts.into_iter().filter(|(found, _)| counted(found) > 0).partition(|(found, _)| found.captured == 0);
    let mut said: Vec<String> = none
        .into_iter()
        .map(|(found, noun)| match counted(found) {
            1 => format!("the {noun} was not captured"),
            many => format!("none of {} was captured", count(many, noun)),
        })
        .collect();
    let is_one = matches!(&some[..], [(found, _)] if found.captured == 1) && versions.is_none();
    let kept: Vec<String> = some
        .into_iter()
        .map(|(found, noun)| part_of(found.captured, counted(found), noun))
        .chain(versions)
        .collect();
    if !kept.is_empty() {
        said.push(format!("{} {} captured", list(&kept), if is_one { "was" } else { "were" }));
    }
    said
}
