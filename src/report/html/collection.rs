//! Many sites: a ranked table, and their coverage curves side by side.

use super::answers::class;
use super::axis::Axis;
use super::coverage::step_line;
use super::markup::Html;
use super::overview::tone;
use crate::audit::model::SiteAudit;
use crate::format::{clock, figure, percent};
use crate::report::layout::UNKNOWN;

/// How many sites the table lists.
const MAX_LISTED_SITES: usize = 5_000;
/// Maximum number of curves drawn.
const CURVES: usize = 60;

/// Writes the sites, given with the place they have in the report where they are shown in detail.
pub(super) fn write(html: &mut Html, sites: &[(&SiteAudit, Option<u64>)]) {
    html.raw("<section id=\"collection\" class=\"collection\"><h2>Sites, worst first</h2><p class=\"live tools\"><label>Filter <input type=\"search\" data-filter=\"sites\" autocomplete=\"off\" spellcheck=\"false\"></label></p>");
    html.raw("<div class=\"scroll");
    html.raw(if sites.len() > 150 { " tall" } else { "" });
    html.raw("\" tabindex=\"0\" role=\"region\" aria-label=\"Sites\"><table class=\"list sortable\" id=\"sites\"><thead><tr><th scope=\"col\">Site</th>");
    html.raw("<th scope=\"col\" class=\"number\" data-kind=\"number\">Pages</th><th scope=\"col\">Consistent?</th><th scope=\"col\">Complete?</th><th scope=\"col\">Why</th>");
    for name in [
        "Unchanged",
        "Changed",
        "Captured once",
        "Not comparable",
        "Together",
        "Versions away",
        "Versions",
        "Links",
    ] {
        html.raw("<th scope=\"col\" class=\"number\" data-kind=\"number\">").raw(name).raw("</th>");
    }
    html.raw("</tr></thead><tbody>");
    for (site, place) in sites.iter().take(MAX_LISTED_SITES) {
        row(html, site, *place);
    }
    html.raw("</tbody></table></div>");
    if sites.len() > MAX_LISTED_SITES {
        html.raw("<p class=\"note\">")
            .int((sites.len() - MAX_LISTED_SITES) as u64)
            .raw(" smaller ones are in the JSON.</p>");
    }
    // A curve of one page, or of none, shows nothing.
    let seen =
        |site: &SiteAudit| site.coherence.provable && site.pages.total > 1 && site.coherence.best.pages > 1;
    let drawn: Vec<_> = sites.iter().filter(|(site, _)| seen(site)).take(CURVES).collect();
    if drawn.is_empty() {
        html.raw("</section>");
        return;
    }
    html.raw("<h3>When were pages online together?</h3><ul class=\"multiples\">");
    for (site, place) in drawn {
        html.raw("<li>");
        name(html, site, *place);
        html.raw("<svg width=\"100%\" height=\"54\" viewBox=\"0 0 100 100\" preserveAspectRatio=\"none\" aria-hidden=\"true\">");
        step_line(html, &Axis::new(site.window.from, site.window.to), &thin(site), site.pages.total);
        html.raw("</svg><span class=\"faint\">")
            .text(&coherence(site))
            .raw(" of ")
            .int(site.pages.total)
            .raw("</span></li>");
    }
    html.raw("</ul></section>");
}

/// Small curves need few points: of every few, the highest.
fn thin(site: &SiteAudit) -> Vec<crate::audit::model::CurvePoint> {
    let curve = &site.coherence.curve;
    curve
        .chunks(curve.len().div_ceil(64).max(1))
        .filter_map(|few| few.iter().max_by_key(|point| point.pages))
        .copied()
        .collect()
}

fn coherence(site: &SiteAudit) -> String {
    site.coherence.best.share.map_or_else(|| UNKNOWN.to_owned(), percent)
}

fn name(html: &mut Html, site: &SiteAudit, place: Option<u64>) {
    if let Some(place) = place {
        html.raw("<a href=\"#s").int(place).raw("\">");
    }
    html.foreign(&site.site).raw(if place.is_some() { "</a>" } else { "" });
}

/// Writes the sites that are not shown in full: their answers, folded.
pub(super) fn rest(html: &mut Html, sites: &[&SiteAudit], first: u64) {
    if sites.is_empty() {
        return;
    }
    html.raw("<section class=\"sites-rest\"><h2>Other sites</h2>");
    for (number, site) in (first..).zip(sites) {
        html.raw("<details id=\"s").int(number).raw("\"><summary>").foreign(&site.site).raw("</summary>");
        let answers = [("Consistent?", &site.answers.consistent), ("Complete?", &site.answers.complete)];
        for (question, answer) in answers {
            html.raw("<p>").raw(question).raw(" <b class=\"band ").raw(class(answer.band)).raw("\">");
            html.raw(answer.band.unwrap_or_default().name())
                .raw("</b> ")
                .foreign(&answer.sentence)
                .raw("</p>");
        }
        html.raw("<p class=\"note\"><code>--site ").foreign(&site.site);
        html.raw("</code> shows its pages and when they were captured.</p></details>");
    }
    html.raw("</section>");
}

/// The first and the last day of its pages.
fn dates(site: &SiteAudit) -> String {
    let day = |at| clock(at).split(' ').next().unwrap_or_default().to_owned();
    let (from, to) = (day(site.window.from), day(site.window.to));
    if from == to { format!("pages of {from}") } else { format!("pages from {from} to {to}") }
}

fn row(html: &mut Html, site: &SiteAudit, place: Option<u64>) {
    let worse = site.answers.consistent.band.min(site.answers.complete.band);
    html.raw("<tr class=\"").raw(class(worse)).raw("\"><th scope=\"row\">");
    name(html, site, place);
    html.raw("<small>")
        .text(&dates(site))
        .raw("</small></th><td class=\"number pages\" data-label=\"Pages\">")
        .int(site.all_pages())
        .raw("</td>");
    let answers = [&site.answers.consistent, &site.answers.complete];
    for (answer, question) in answers.into_iter().zip(["Consistent?", "Complete?"]) {
        html.raw("<td class=\"band ")
            .raw(class(answer.band))
            .raw("\" data-label=\"")
            .raw(question)
            .raw("\">");
        html.raw("<span class=\"pips\" aria-hidden=\"true\"><i></i><i></i><i></i></span>");
        html.raw(answer.band.unwrap_or_default().name()).raw("</td>");
    }
    html.raw("<td class=\"why\">").foreign(&site.answers.why).raw("</td>");
    let pages = &site.pages;
    for number in [pages.sharp, pages.changed, pages.single, pages.unknown] {
        html.raw("<td class=\"number\">").int(number).raw("</td>");
    }
    html.raw("<td class=\"number ").raw(tone(site)).raw("\">").text(&coherence(site)).raw("</td>");
    // By number, as the reason counts them.
    let links = site.completeness.as_ref().and_then(|found| found.links?.plain_share);
    let cells = [site.blur_mean().map(figure), site.versions_share().map(percent), links.map(percent)];
    for cell in cells {
        html.raw("<td class=\"number\">").text(cell.as_deref().unwrap_or(UNKNOWN)).raw("</td>");
    }
    html.raw("</tr>");
}
