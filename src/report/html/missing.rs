//! What is not in the archive, worst first, with what needs it.

use super::markup::Html;
use crate::audit::model::SiteAudit;
use crate::format::{count, figure, local};

/// How many missing URLs the table has.
const MAX_LISTED_URLS: usize = 500;

/// What is said where nothing is listed as missing.
fn nothing(site: &SiteAudit) -> String {
    let found = site.completeness.as_ref();
    let beyond = found.and_then(|found| found.links).map_or(0, |links| links.beyond);
    match found.map_or(0, |found| found.cut_pages) {
        0 if beyond == 0 => "Nothing that captured pages link to or embed is missing.".to_owned(),
        0 => format!(
            "Nothing that captured pages link to or embed is missing, besides {} beyond what the crawl covered.",
            count(beyond, "linked page")
        ),
        cut => format!("Not all links are known: the captures of {} are cut short.", count(cut, "page")),
    }
}

/// Writes what is missing of a site.
pub(super) fn write(html: &mut Html, site: &SiteAudit, number: u64) {
    html.raw("<section class=\"missing\" id=\"s").int(number).raw("-missing\"><h2>Missing</h2>");
    let unknown = site.completeness.as_ref().and_then(|found| found.links_unknown.as_deref());
    let missing = site.missing.as_deref().unwrap_or_default();
    match (missing, unknown) {
        ([], Some(reason)) => {
            html.raw("<p class=\"lead\">Unknown: ").text(reason).raw(".</p></section>");
            return;
        }
        ([], None) => {
            html.raw("<p class=\"lead\">").text(&nothing(site)).raw("</p></section>");
            return;
        }
        _ => {}
    }
    let all = site.missing_count();
    html.raw("<p class=\"lead\"><b data-missing>").int(all).raw(match all {
        1 => "</b> URL that a captured page links to or embeds is not in the archive.</p>",
        _ => "</b> URLs that captured pages link to or embed are not in the archive, worst first.</p>",
    });
    html.raw("<p class=\"live tools\"><button type=\"button\" data-copy=\"")
        .int(number)
        .raw("\">Copy as a crawl list</button> ");
    html.raw("<span role=\"status\" class=\"said\"></span></p>");
    html.raw("<div class=\"scroll tall\" tabindex=\"0\" role=\"region\" aria-label=\"Missing URLs\"><table class=\"list sortable\"><thead><tr>");
    html.raw("<th scope=\"col\">URL</th><th scope=\"col\">Used as</th><th scope=\"col\">Why</th><th scope=\"col\" class=\"number\" data-kind=\"number\">Pages</th>");
    html.raw("<th scope=\"col\" class=\"number\" data-kind=\"number\">Importance</th><th scope=\"col\">Needed by</th></tr></thead><tbody>");
    for entry in missing.iter().take(MAX_LISTED_URLS) {
        html.raw("<tr><th scope=\"row\">").url(&entry.url, local(&entry.url, &site.site)).raw("</th><td>");
        html.text(&entry.kind)
            .raw("</td><td class=\"why\">")
            .foreign(&entry.reason)
            .raw("</td><td class=\"number\">");
        html.int(entry.pages).raw("</td><td class=\"number\">").text(&figure(entry.weight)).raw("</td><td>");
        if let Some(page) = &entry.needed_by {
            html.url(page, local(page, &site.site));
        }
        html.raw("</td></tr>");
    }
    html.raw("</tbody></table></div>");
    if missing.len() > MAX_LISTED_URLS {
        html.raw("<p class=\"note\">").int((missing.len() - MAX_LISTED_URLS) as u64);
        html.raw(" more are in the crawl list and in the JSON.</p>");
    }
    html.raw("</section>");
}
