//! The timeline of a site. Without script: the first pages, drawn. With script: all of them, a cursor and a zoom.

use super::axis::Axis;
use super::markup::Html;
use super::strips;
use crate::audit::model::SiteAudit;
use crate::format::local;

/// How many pages are drawn without script.
const DRAWN: usize = 60;

/// Writes the timeline of a site.
pub(super) fn write(html: &mut Html, site: &SiteAudit, number: u64) {
    html.raw("<section class=\"timeline\" id=\"s").int(number).raw("-timeline\"><h2>Timeline</h2>");
    html.raw("<p class=\"lead\">Each page from its first capture to its last. A bar is the time for which one version is proven. A hatched stretch is where ");
    html.raw("a change happened at an unknown moment. A dot is a capture.</p>");
    legend(html);
    html.raw("<div class=\"static\"><table class=\"strips\"><caption class=\"away\">Pages on the axis of time</caption><tbody>");
    let axis = Axis::new(site.window.from, site.window.to);
    let mut pages: Vec<_> = site.page_list.iter().collect();
    pages.sort_by(|a, b| (a.first_look, &a.key).cmp(&(b.first_look, &b.key)));
    for page in pages.iter().take(DRAWN) {
        html.raw("<tr><th scope=\"row\">").url(&page.url, local(&page.url, &site.site)).raw("</th><td>");
        strips::write(html, &axis, page);
        html.raw("</td></tr>");
    }
    html.raw("<tr aria-hidden=\"true\"><td></td><td>");
    axis.write(html);
    html.raw("</td></tr></tbody></table>");
    if pages.len() > DRAWN {
        html.raw("<p class=\"note\">")
            .int((pages.len() - DRAWN) as u64)
            .raw(" more pages are shown with scripts enabled.</p>");
    }
    html.raw("</div><div class=\"live\" data-live=\"timeline\" data-site=\"")
        .int(number)
        .raw("\"></div></section>");
}

/// What the bars mean, for each grade of evidence.
fn legend(html: &mut Html) {
    html.raw("<ul class=\"legend\"><li><svg width=\"26\" height=\"10\" aria-hidden=\"true\"><line class=\"interval\" x1=\"1\" x2=\"25\" y1=\"5\" y2=\"5\"/></svg>changed somewhere in between</li>");
    for (class, text) in [
        ("proven bytes", "proven by bytes"),
        ("proven digest", "by declared digests"),
        ("proven not-modified", "by the server's 304"),
        ("proven bytes changed", "a version of a page that changed"),
    ] {
        html.raw("<li><svg width=\"26\" height=\"10\" aria-hidden=\"true\"><rect class=\"").raw(class);
        html.raw("\" x=\"1\" y=\"1\" width=\"24\" height=\"8\" rx=\"1.5\"/></svg>").raw(text).raw("</li>");
    }
    html.raw("</ul>");
}
