//! The audit as one page: collection, sites with their views, evidence, glossary.

use std::io::{self, Write};

use super::document::Document;
use super::markup::Html;
use super::{
    answers, collection, comparison, data, evidence, glossary, missing, next_crawl, overview, pages, profile,
    promised, timeline,
};
use crate::audit::model::{Audit, SiteAudit};
use crate::format::{count, lasting, period, span};
use crate::report::first_screen::{self, worst_first};

/// Maximum size of a report in bytes.
pub(crate) const MAX_REPORT_BYTES: usize = 25_000_000;
/// Room kept for style, script and both ends of the file.
const FRAME_BYTES: usize = 400_000;
/// Maximum number of sites with all views in other collections: the worst ones.
const MAX_DETAILED_SITES: usize = 12;
/// A collection is small up to this many pages and this many sites: then every site has all views.
const MAX_SMALL_PAGES: u64 = 3_000;
const MAX_SMALL_SITES: usize = 300;
/// Maximum number of further sites whose answers are folded behind their names.
const MAX_FOLDED_SITES: usize = 2_000;
/// Maximum number of captures shown in all stories together.
const MAX_CAPTURES: usize = 6_000;

/// Writes the report: the `details` worst sites with all their views, the others in the collection.
pub(crate) fn write(out: &mut dyn Write, audit: &Audit, details: Option<usize>) -> io::Result<()> {
    let sites = worst_first(audit);
    let is_small = sites.len() <= MAX_SMALL_SITES
        && sites.iter().map(|site| site.pages.total).sum::<u64>() <= MAX_SMALL_PAGES;
    let shown =
        details.unwrap_or(if is_small { MAX_SMALL_SITES } else { MAX_DETAILED_SITES }).min(sites.len());
    let mut document = Document { title: title(audit), kind: "audit", ..Document::default() };
    let html = &mut document.body;
    head(html, audit, &sites[..shown]);
    html.raw("<main id=\"main\">");
    answers::write(html, audit);
    if let Some(found) = &audit.comparison {
        comparison::write(html, found, if let [only] = &audit.sites[..] { &only.site } else { "" });
    }
    if sites.len() > 1 {
        let places: Vec<(&SiteAudit, Option<u64>)> = sites
            .iter()
            .enumerate()
            .map(|(place, site)| (*site, (place < shown + MAX_FOLDED_SITES).then_some(place as u64)))
            .collect();
        collection::write(html, &places);
        profiled(html, audit);
    }
    let mut looks = MAX_CAPTURES;
    for (number, site) in sites.iter().take(shown).enumerate() {
        let number = number as u64;
        html.raw("<article class=\"site\" id=\"s").int(number).raw("\"");
        html.raw(" data-name=\"").value(&site.site).raw("\">");
        if sites.len() > 1 {
            html.raw("<h2 class=\"name\">").foreign(&site.site).raw("</h2><p class=\"faint\">");
            html.text(&span(site.window.from, site.window.to)).raw(" UTC</p>");
        }
        overview::write(html, audit, site, number);
        timeline::write(html, site, number);
        pages::write(html, audit, site, number, &mut looks);
        missing::write(html, site, number);
        next_crawl::write(html, site, number);
        html.raw("</article>");
    }
    if let Some(found) = &audit.promised {
        promised::write(html, found);
    }
    let rest = &sites[shown..sites.len().min(shown + MAX_FOLDED_SITES)];
    collection::rest(html, rest, shown as u64);
    if sites.len() < 2 {
        profiled(html, audit);
    }
    evidence::write(html, audit);
    glossary::write(html);
    html.raw("</main>");
    foot(html, &audit.tool_version, &audit.schema);
    let mut room = MAX_REPORT_BYTES.saturating_sub(FRAME_BYTES + html.len());
    for (number, site) in sites.iter().take(shown).enumerate() {
        let before = document.data.len();
        data::write(&mut document.data, site, number as u64, room, audit.replay.as_deref());
        room = room.saturating_sub(document.data.len() - before);
    }
    document.write(out)
}

fn profiled(html: &mut Html, audit: &Audit) {
    if let Some(found) = &audit.profile {
        profile::write(html, found, audit.replay.as_deref());
    }
}

fn title(audit: &Audit) -> String {
    match &audit.sites[..] {
        [only] => format!("{} – Acuity", only.site),
        sites => format!("{} – Acuity", count(sites.len() as u64, "site")),
    }
}

fn head(html: &mut Html, audit: &Audit, sites: &[&SiteAudit]) {
    let summary = &audit.summary;
    html.raw("<a class=\"skip\" href=\"#main\">To the report</a><header class=\"top\"><p class=\"brand\">Acuity <span>how good this archive is</span></p><h1>");
    match &audit.sites[..] {
        [only] => html.foreign(&only.site),
        sites => html.text(&format!("Collection of {}", count(sites.len() as u64, "site"))),
    };
    html.raw("</h1><p class=\"meta\">");
    let size =
        [first_screen::files(audit), count(summary.pages, "page"), count(summary.observations, "capture")];
    html.text(&size.join(", "));
    if let Some(window) = summary.window {
        let lasting = lasting(window.from, window.to);
        html.raw(", ").text(&period(window.from, window.to)).raw(" (").text(&lasting).raw(")");
    }
    html.raw("</p>");
    html.raw("</header><nav class=\"views\" aria-label=\"Views\"><ul><li><a href=\"#answers\">Answers</a></li><li><a href=\"#actions\">What to do first</a></li>");
    if audit.comparison.is_some() {
        html.raw("<li><a href=\"#since\">Since last time</a></li>");
    }
    if audit.sites.len() > 1 {
        html.raw("<li><a href=\"#collection\">Sites</a></li>");
    }
    let profiled = |html: &mut Html| {
        if audit.profile.is_some() {
            html.raw("<li><a href=\"#profile\">Captured</a></li>");
        }
    };
    // In the order of the sections.
    if audit.sites.len() > 1 {
        profiled(html);
    }
    if !sites.is_empty() {
        for (anchor, name) in [
            ("overview", "Online together"),
            ("timeline", "Timeline"),
            ("pages", "Pages"),
            ("missing", "Missing"),
            ("next", "Next crawl"),
        ] {
            html.raw("<li><a data-view=\"")
                .raw(anchor)
                .raw("\" href=\"#s0-")
                .raw(anchor)
                .raw("\">")
                .raw(name)
                .raw("</a></li>");
        }
    }
    if audit.sites.len() < 2 {
        profiled(html);
    }
    html.raw(
        "<li><a href=\"#evidence\">Evidence</a></li><li><a href=\"#glossary\">Glossary</a></li></ul></nav>",
    );
}

/// Writes what ends every report.
pub(crate) fn foot(html: &mut Html, version: &str, schema: &str) {
    html.raw("<footer><p>Made by Acuity ").text(version).raw(" (").text(schema);
    html.raw(
        "). This file loads nothing from anywhere; archived text in it is shown, never run.</p></footer>",
    );
}
