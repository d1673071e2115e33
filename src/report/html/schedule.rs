//! A schedule as one page: each lane drawn, its first downloads listed, pages that change too fast apart, the strategies compared.

use std::io::{self, Write};

use super::document::Document;
use super::markup::Html;
use super::pyramid::{self, Bar};
use super::{glossary, strategies};
use crate::format::local;
use crate::format::{clock, count, duration, precise};
use crate::report::html::audit::foot;
use crate::report::layout::UNKNOWN;
use crate::report::schedule_table::{gap as lost, number};
use crate::schedule::model::{DelaySource, Kind, Schedule, SiteSchedule, is_best};

/// Maximum number of lanes shown.
const MAX_LANES: usize = 50;
/// Maximum number of downloads of a lane listed.
const MAX_LISTED_DOWNLOADS: usize = 500;

/// Writes the report.
pub(crate) fn write(out: &mut dyn Write, schedule: &Schedule) -> io::Result<()> {
    let mut document =
        Document { title: "Next crawl – Acuity".to_owned(), kind: "schedule", ..Document::default() };
    let html = &mut document.body;
    let pages: usize = schedule.sites.iter().map(|site| site.pages).sum();
    html.raw("<a class=\"skip\" href=\"#main\">To the schedule</a><header class=\"top\"><p class=\"brand\">Acuity ");
    html.raw("<span>in which order to fetch</span></p><h1>Next crawl</h1><p class=\"meta\">");
    html.text(&count(pages as u64, "page"))
        .raw(", ")
        .text(&count(schedule.sites.len() as u64, "site"))
        .raw("</p></header>");
    html.raw("<nav class=\"views\" aria-label=\"Views\"><ul>");
    for (place, site) in schedule.sites.iter().take(MAX_LANES.min(8)).enumerate() {
        html.raw("<li><a href=\"#l").int(place as u64).raw("\">").foreign(&site.name()).raw("</a></li>");
    }
    html.raw("<li><a href=\"#strategies\">Strategies</a></li><li><a href=\"#glossary\">Glossary</a></li></ul></nav><main id=\"main\">");
    for (place, site) in schedule.sites.iter().take(MAX_LANES).enumerate() {
        lane(html, site, place as u64);
    }
    if schedule.sites.len() > MAX_LANES {
        html.raw("<p class=\"note\">")
            .int((schedule.sites.len() - MAX_LANES) as u64)
            .raw(" more are in the JSON.</p>");
    }
    html.raw("<section id=\"strategies\"><h2>Strategies</h2>");
    strategies::write(html, &schedule.strategies);
    html.raw("</section>");
    glossary::write(html);
    html.raw("</main>");
    foot(html, env!("CARGO_PKG_VERSION"), &schedule.schema);
    document.write(out)
}

fn lane(html: &mut Html, site: &SiteSchedule, place: u64) {
    html.raw("<section class=\"lane\" id=\"l")
        .int(place)
        .raw("\"><h2>")
        .foreign(&site.name())
        .raw("</h2><p class=\"verdict ");
    html.raw(if site.gap.is_some_and(is_best) { "good" } else { "open" })
        .raw("\">")
        .prose(&answer(site))
        .raw("</p>");
    html.raw("<dl class=\"figures small\">");
    let pace = match site.delay_source {
        DelaySource::Given => "between two pages, as asked for",
        DelaySource::Captures => "between two pages, as the last crawl kept it",
        DelaySource::Default => "between two pages, assumed",
    };
    let hopeless = site.hopeless.map_or_else(|| UNKNOWN.to_owned(), |hopeless| hopeless.to_string());
    let rows = [
        (
            "expected coherence",
            number(site.expected_coherence),
            "weight of the pages expected to stay unchanged (sharp)",
        ),
        ("at most", number(site.upper_bound), "no schedule can expect more"),
        (
            "expected blur",
            number(site.expected_blur),
            "versions from what is online, for a random page and moment",
        ),
        ("hopeless", hopeless, "pages that change too fast to be captured consistently"),
        ("length", duration(site.length_seconds), "from the first download to the last"),
        ("pace", duration(site.delay_seconds), pace),
    ];
    for (name, value, says) in rows {
        html.raw("<div class=\"figure\"><dt>");
        glossary::word(html, name);
        html.raw("</dt><dd><b data-lane=\"")
            .raw(name)
            .raw("\">")
            .text(&value)
            .raw("</b> <span>")
            .raw(says)
            .raw("</span></dd></div>");
    }
    html.raw("</dl>");
    draw(html, site);
    hopeless_pages(html, site);
    downloads(html, site);
    html.raw("</section>");
}

fn answer(site: &SiteSchedule) -> String {
    let mut text = match site.expected_coherence {
        Some(reached) => format!(
            "{} of {} pages, by importance, are expected to stay unchanged between their two fetches in the order {}: {}.",
            precise(reached),
            precise(site.weight),
            site.strategy,
            match site.gap {
                Some(gap) if is_best(gap) => "provably the best order".to_owned(),
                Some(gap) => format!("at most {} below the best possible", lost(Some(gap))),
                None => "its distance from the best order is unknown".to_owned(),
            }
        ),
        None if site.lacks_rates() => {
            "How often these pages change is unknown, so this order cannot be rated. A second capture would show more."
                .to_owned()
        }
        None if site.caveat.is_some() => site.caveat.clone().unwrap_or_default(),
        None => format!(
            "By the strategy {}, each of {} is fetched once; a page replayed for a random moment is expected to be {} versions away from what was online.",
            site.strategy,
            count(site.pages as u64, "page"),
            site.expected_blur.map_or_else(|| "any number of".to_owned(), precise)
        ),
    };
    if let Some(caveat) = site.caveat.as_ref().filter(|_| site.expected_coherence.is_some()) {
        text += &format!(" {caveat}");
    }
    if let (Some(start), Some(reference)) = (site.start, site.reference) {
        text += &format!(
            " It starts at {} UTC, so that pages fit together at {} UTC.",
            clock(start),
            clock(reference)
        );
    }
    if site.unknown_rates > 0 && !site.lacks_rates() {
        text += &format!(
            " For {}, the change rates of other pages were used.",
            count(site.unknown_rates as u64, "page")
        );
    }
    if site.left_out > 0 {
        text += &format!(" The budget leaves {} out.", count(site.left_out as u64, "page"));
    }
    text
}

fn draw(html: &mut Html, site: &SiteSchedule) {
    let begin = site.slots.first().map_or(0.0, |slot| slot.seconds);
    let visits = || site.slots.iter().filter(|slot| slot.kind == Kind::Visit);
    html.raw("<figure><figcaption>");
    if !site.is_single_visit() {
        html.raw("Each page from its first fetch to its second: those at the top are fetched again soonest</figcaption>");
        let bars: Vec<Bar> = visits()
            .map(|slot| Bar {
                visit: slot.seconds - begin,
                revisit: slot
                    .interval_seconds
                    .filter(|seconds| *seconds > 0.0)
                    .map(|seconds| slot.seconds - begin + seconds),
                hopeful: slot.hopeful.unwrap_or(true),
            })
            .collect();
        pyramid::write(html, &bars, "The schedule: one line a page, from its first fetch to its second");
    } else {
        html.raw(
            "Each page at its fetch time; the longer the line, the more its changes matter</figcaption>",
        );
        let visits: Vec<(f64, Option<f64>)> = visits()
            .map(|slot| (slot.seconds - begin, slot.rate_per_day.map(|rate| rate * slot.weight)))
            .collect();
        pyramid::pipes(html, &visits, "The schedule: one pipe a page, along the time of the crawl");
    }
    html.raw("<p class=\"ends\"><span>start</span><span>")
        .text(&duration(site.length_seconds))
        .raw(" later</span></p></figure>");
}

fn hopeless_pages(html: &mut Html, site: &SiteSchedule) {
    let pages = site.too_fast();
    if pages.is_empty() {
        return;
    }
    html.raw("<details><summary>").text(&count(pages.len() as u64, "page"));
    html.raw(" cannot be expected to stay unchanged</summary><ul class=\"notes\">");
    for slot in pages.iter().take(MAX_LISTED_DOWNLOADS) {
        html.raw("<li>")
            .url(&slot.url, local(&slot.url, &slot.lane))
            .raw(" <span class=\"faint\">chance ")
            .text(&number(slot.survival));
        html.raw("</span></li>");
    }
    html.raw("</ul></details>");
}

fn downloads(html: &mut Html, site: &SiteSchedule) {
    html.raw("<h3>Downloads</h3><div class=\"scroll tall\" tabindex=\"0\" role=\"region\" aria-label=\"Downloads\"><table class=\"list sortable\"><thead><tr>");
    html.raw("<th scope=\"col\" class=\"number\" data-kind=\"number\">Slot</th><th scope=\"col\" class=\"number\" data-kind=\"number\">When</th>");
    html.raw("<th scope=\"col\">Kind</th><th scope=\"col\">Page</th><th scope=\"col\" class=\"number\" data-kind=\"number\">Interval</th>");
    html.raw("<th scope=\"col\" class=\"number\" data-kind=\"number\">Chance to stay unchanged</th></tr></thead><tbody>");
    for slot in site.slots.iter().take(MAX_LISTED_DOWNLOADS) {
        let when = slot.at.map_or_else(|| format!("+{}", duration(slot.seconds)), clock);
        html.raw("<tr><td class=\"number\">")
            .int(slot.slot)
            .raw("</td><td class=\"number\" data-value=\"")
            .coordinate(slot.seconds);
        html.raw("\">").text(&when).raw("</td><td>").raw(match (slot.kind, slot.hopeful) {
            (Kind::Visit, Some(false)) => "too fast",
            (kind, _) => kind.name(),
        });
        html.raw("</td><th scope=\"row\">")
            .url(&slot.url, local(&slot.url, &slot.lane))
            .raw("</th><td class=\"number\"");
        if let Some(seconds) = slot.interval_seconds {
            html.raw(" data-value=\"").coordinate(seconds).raw("\"");
        }
        html.raw(">")
            .text(&slot.interval_seconds.map_or_else(|| UNKNOWN.to_owned(), duration))
            .raw("</td><td class=\"number\">");
        html.text(&number(slot.survival)).raw("</td></tr>");
    }
    html.raw("</tbody></table></div>");
    if site.slots.len() > MAX_LISTED_DOWNLOADS {
        html.raw("<p class=\"note\">")
            .int((site.slots.len() - MAX_LISTED_DOWNLOADS) as u64)
            .raw(" more: --json or --export gives all.</p>");
    }
}
