//! The comparison with an earlier audit: better, worse, fixed; pages and actions one by one.

use super::answers::class;
use super::markup::Html;
use crate::audit::model::{Band, Comparison, Listed, Question};
use crate::format::{count, number, percent, period};
use crate::report::layout::UNKNOWN;

/// Writes the comparison; `site` is the name that URLs leave out.
pub(super) fn write(html: &mut Html, comparison: &Comparison, site: &str) {
    html.raw("<section id=\"since\" class=\"since\"><h2>Since ").foreign(&comparison.with).raw("</h2>");
    if let Some(window) = comparison.window {
        html.raw("<p class=\"lead\">An audit of captures from ")
            .text(&period(window.from, window.to))
            .raw(".</p>");
    }
    html.raw("<table class=\"list said\"><tbody>");
    for said in &comparison.said {
        html.raw("<tr><th scope=\"row\">")
            .text(&said.topic)
            .raw("</th><td>")
            .foreign(&said.text)
            .raw("</td></tr>");
    }
    html.raw("</tbody></table>");
    if !comparison.answers.is_empty() {
        html.raw("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Answers then and now\"><table class=\"list\"><thead><tr><th scope=\"col\">Question</th><th scope=\"col\">Then</th><th scope=\"col\">Now</th><th scope=\"col\">Result</th></tr></thead><tbody>");
        for change in &comparison.answers {
            html.raw("<tr><th scope=\"row\">").raw(match change.question {
                Question::Consistent => "Consistent?",
                Question::Complete => "Complete?",
                Question::Record => "Trustworthy record?",
            });
            html.raw("</th>");
            for (band, share) in [(change.before, change.before_share), (change.after, change.after_share)] {
                cell(html, band, share, change.measure.as_deref());
            }
            html.raw("<td>").raw(change.direction.name()).raw("</td></tr>");
        }
        html.raw("</tbody></table></div>");
    }
    if !comparison.sites.is_empty() {
        html.raw("<h3>Site by site</h3><div class=\"scroll");
        html.raw(if comparison.sites.len() > 30 { " tall" } else { "" });
        html.raw("\" tabindex=\"0\" role=\"region\" aria-label=\"Sites then and now\"><table class=\"list\" id=\"site-changes\"><thead><tr><th scope=\"col\">Site</th><th scope=\"col\">Result</th><th scope=\"col\" colspan=\"2\">Consistent, then and now</th><th scope=\"col\" colspan=\"2\">Complete, then and now</th><th scope=\"col\">What changed</th></tr></thead><tbody>");
        for change in &comparison.sites {
            html.raw("<tr><th scope=\"row\">").foreign(&change.site).raw("</th><td>");
            html.raw(change.direction.name()).raw("</td>");
            let bands = [
                change.consistent_before,
                change.consistent_after,
                change.complete_before,
                change.complete_after,
            ];
            bands.into_iter().for_each(|band| cell(html, band, None, None));
            html.raw("<td class=\"why\">").foreign(&change.text).raw("</td></tr>");
        }
        html.raw("</tbody></table></div>");
    }
    for (found, noun, what) in [
        (&comparison.fixed, "page", "changed last time and unchanged now"),
        (&comparison.broken, "page", "unchanged last time and changed now"),
        (&comparison.lost, "page", "captured last time and not here"),
        (&comparison.gained, "page", "not there last time"),
        (&comparison.no_longer_missing, "file", "no longer missing"),
        (&comparison.newly_missing, "file", "missing now and not last time"),
    ] {
        urls(html, found, noun, what, site);
    }
    if !comparison.actions.is_empty() {
        html.raw("<details open><summary>What became of the actions</summary><ul class=\"notes outcomes\">");
        for outcome in &comparison.actions {
            html.raw("<li><b>").raw(outcome.state.name()).raw("</b> ").foreign(&outcome.text);
            if let Some(left) = outcome.left.filter(|left| *left > 0 && *left != outcome.before) {
                html.raw(" <span class=\"faint\">").text(&number(outcome.before)).raw(" → ");
                html.text(&number(left)).raw("</span>");
            }
            html.raw("</li>");
        }
        html.raw("</ul></details>");
    }
    html.raw("</section>");
}

/// A band, with its share and what that is a share of.
fn cell(html: &mut Html, band: Option<Band>, share: Option<f64>, of: Option<&str>) {
    html.raw("<td class=\"band ").raw(class(band)).raw("\">").raw(band.map_or(UNKNOWN, Band::name));
    if let Some(share) = share {
        html.raw(" <span class=\"faint\">").text(&percent(share));
        if let Some(of) = of {
            html.raw(" of ").text(of);
        }
        html.raw("</span>");
    }
    html.raw("</td>");
}

fn urls(html: &mut Html, found: &Listed, noun: &'static str, what: &'static str, site: &str) {
    if found.count == 0 {
        return;
    }
    html.raw("<details><summary>")
        .text(&count(found.count, noun))
        .raw(" ")
        .raw(what)
        .raw("</summary><ul class=\"notes\">");
    for url in &found.first {
        html.raw("<li>").url(url, crate::format::local(url, site)).raw("</li>");
    }
    let more = found.count - found.first.len() as u64;
    if more > 0 {
        html.raw("<li class=\"faint\">").text(&number(more)).raw(" more are in the JSON files</li>");
    }
    html.raw("</ul></details>");
}
