//! The overview of a site: the answer in one sentence, the key figures, and coverage over time.

use super::answers::class;
use super::markup::Html;
use super::{coverage, glossary};
use crate::audit::model::{Audit, PageCounts, SiteAudit, Together};
use crate::format::{count, lasting, span};
use crate::report::{figures, findings};

/// Writes the overview of a site. `number` is the place of the site in the report.
pub(super) fn write(html: &mut Html, audit: &Audit, site: &SiteAudit, number: u64) {
    let several = audit.sites.len() > 1;
    html.raw("<section class=\"overview\" id=\"s")
        .int(number)
        .raw("-overview\" aria-labelledby=\"s")
        .int(number);
    html.raw("-together\"><h2 id=\"s")
        .int(number)
        .raw("-together\">When were the pages online together?</h2>");
    if several {
        let answers = [("Consistent?", &site.answers.consistent), ("Complete?", &site.answers.complete)];
        for (question, answer) in answers {
            html.raw("<p>").raw(question).raw(" <b class=\"band ").raw(class(answer.band)).raw("\">");
            html.raw(answer.band.unwrap_or_default().name()).raw("</b> ");
            html.foreign(&answer.sentence).raw("</p>");
        }
    }
    states(html, &site.pages);
    coverage::write(html, site);
    html.raw("<details class=\"all-figures\"><summary>All figures, with their technical names</summary><p class=\"verdict ").raw(tone(site)).raw("\">");
    html.prose(&site.verdict).raw("</p><dl class=\"figures\">");
    for figure in figures::of_site(site, &audit.parameters.weights) {
        html.raw("<div class=\"figure").raw(if figure.is_verdict { " main" } else { "" }).raw("\"><dt>");
        glossary::word_as(html, if figure.name == "pages" { "page" } else { figure.name }, figure.name);
        html.raw("</dt><dd><b data-figure=\"")
            .raw(figure.name)
            .raw("\">")
            .text(&figure.value)
            .raw("</b> <span>");
        html.prose(&figure.says).raw("</span></dd></div>");
    }
    html.raw("</dl></details>");
    notes(html, audit, site);
    html.raw("</section>");
}

/// Good where all is proven together, poor where only a part is, else neither.
pub(super) fn tone(site: &SiteAudit) -> &'static str {
    match site.coherence.together() {
        Together::All => "good",
        Together::Part => "poor",
        Together::Unproven => "open",
    }
}

/// The states of the pages as one bar.
fn states(html: &mut Html, pages: &PageCounts) {
    let parts = [
        ("sharp", pages.sharp, "unchanged"),
        ("changed", pages.changed, "changed"),
        ("single", pages.single, "captured once"),
        ("unknown", pages.unknown, "cannot be compared"),
    ];
    let total = pages.total.max(1) as f64;
    html.raw("<div class=\"states\"><svg width=\"100%\" height=\"14\" aria-hidden=\"true\">");
    let mut left = 0.0;
    for (class, number, _) in parts.iter().filter(|part| part.1 > 0) {
        let width = 100.0 * *number as f64 / total;
        html.raw("<rect class=\"fill ")
            .raw(class)
            .raw("\" height=\"14\" x=\"")
            .coordinate(left)
            .raw("%\" width=\"");
        html.coordinate(width).raw("%\"/>");
        left += width;
    }
    html.raw("</svg><ul class=\"legend\">");
    for (class, number, name) in parts.into_iter().filter(|part| part.1 > 0) {
        html.raw("<li><svg width=\"14\" height=\"14\" aria-hidden=\"true\"><rect class=\"fill ").raw(class);
        html.raw("\" width=\"14\" height=\"14\"/></svg><b data-state=\"")
            .raw(class)
            .raw("\">")
            .int(number)
            .raw("</b> ");
        glossary::word_as(html, class, name);
        html.raw("</li>");
    }
    html.raw("</ul></div>");
}

/// Crawls, findings, and what to run next.
fn notes(html: &mut Html, audit: &Audit, site: &SiteAudit) {
    let notes = findings::of_site(audit, site);
    html.raw("<div class=\"columns\">");
    if !notes.is_empty() {
        html.raw("<div><details><summary>Findings</summary><ul class=\"notes\">");
        for note in notes {
            html.raw("<li>").foreign(&note).raw("</li>");
        }
        html.raw("</ul></details></div>");
    }
    html.raw("<div><details><summary>Crawls</summary><ul class=\"notes\">");
    for crawl in &site.crawls {
        let lasting = lasting(crawl.from, crawl.to);
        html.raw("<li>").text(&span(crawl.from, crawl.to)).raw(" (").text(&lasting).raw("): ");
        html.text(&count(crawl.observations, "capture")).raw("<span class=\"faint\"> ");
        for (number, name) in crawl.names.iter().take(4).enumerate() {
            html.raw(if number == 0 { "" } else { ", " }).foreign(name);
        }
        html.raw(if crawl.names.len() > 4 { ", …" } else { "" }).raw("</span></li>");
    }
    html.raw("</ul></details></div></div>");
}
