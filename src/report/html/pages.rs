//! The pages of a site as a table. Without script: those that hurt most. With script: all, sorted and filtered.

use super::markup::Html;
use super::{glossary, story};
use crate::audit::model::{Audit, PageAudit, SiteAudit};
use crate::format::local;
use crate::format::{figure, percent};
use crate::report::layout::UNKNOWN;

/// How many pages the table has without script.
const MAX_LISTED_PAGES: usize = 100;

/// Writes the pages of a site, and the stories that there are. `room` is how many looks the stories may still show.
pub(super) fn write(html: &mut Html, audit: &Audit, site: &SiteAudit, number: u64, room: &mut usize) {
    let replay = audit.replay.as_deref();
    html.raw("<section class=\"pages\" id=\"s")
        .int(number)
        .raw("-pages\"><h2>Pages</h2><div class=\"static\">");
    html.raw("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Pages\"><table class=\"list\"><thead><tr><th scope=\"col\">Page</th><th scope=\"col\">State</th>");
    for name in ["importance", "rate", "blur", "versions"] {
        html.raw("<th scope=\"col\" class=\"number\">");
        glossary::word(html, name);
        html.raw("</th>");
    }
    html.raw("<th scope=\"col\">Why</th></tr></thead><tbody>");
    let mut order: Vec<usize> = (0..site.page_list.len()).collect();
    let blur = |page: usize| site.page_list[page].blur.map_or(-1.0, |blur| blur.actual.expected);
    order.sort_by(|a, b| blur(*b).total_cmp(&blur(*a)).then(a.cmp(b)));
    for page in order.iter().take(MAX_LISTED_PAGES) {
        row(html, site, number, *page, replay);
    }
    html.raw("</tbody></table></div>");
    if order.len() > MAX_LISTED_PAGES {
        html.raw("<p class=\"note\">")
            .int((order.len() - MAX_LISTED_PAGES) as u64)
            .raw(" more pages are shown with scripts enabled.</p>");
    }
    html.raw("</div><div class=\"live\" data-live=\"pages\" data-site=\"").int(number).raw("\"></div>");
    html.raw("<div class=\"stories static\"><h3>Pages in full</h3>");
    for (page, entry) in site.page_list.iter().enumerate() {
        if let Some(told) = &entry.story
            && *room >= told.looks.len().min(story::MAX_CAPTURES)
        {
            *room -= told.looks.len().min(story::MAX_CAPTURES);
            html.raw("<details class=\"story\" id=\"s")
                .int(number)
                .raw("-p")
                .int(page as u64)
                .raw("\"><summary>");
            html.url(&entry.url, local(&entry.url, &site.site))
                .raw("</summary><div class=\"told\" id=\"s")
                .int(number);
            html.raw("-t").int(page as u64).raw("\">");
            story::write(html, site, entry, told, replay);
            html.raw("</div></details>");
        }
    }
    html.raw("</div></section>");
}

fn row(html: &mut Html, site: &SiteAudit, number: u64, page: usize, replay: Option<&str>) {
    let entry = &site.page_list[page];
    html.raw("<tr><th scope=\"row\">");
    if entry.story.is_some() {
        html.raw("<a href=\"#s").int(number).raw("-t").int(page as u64).raw("\">");
    }
    html.url(&entry.url, local(&entry.url, &site.site)).raw(if entry.story.is_some() { "</a>" } else { "" });
    html.replay(replay, &entry.url, entry.last_look);
    html.raw("</th><td>");
    state(html, entry);
    html.raw("</td>");
    let cells = [
        entry.importance.map(figure),
        entry.known_rate().map(figure),
        entry.known_blur().map(|blur| figure(blur.expected)),
        entry.known_completeness().and_then(|found| found.share).map(percent),
    ];
    for cell in cells {
        html.raw("<td class=\"number\">").text(cell.as_deref().unwrap_or(UNKNOWN)).raw("</td>");
    }
    html.raw("<td class=\"why\">").foreign(&entry.reason);
    review(html, entry);
    html.raw("</td></tr>");
}

/// What somebody said of a page.
pub(super) fn review(html: &mut Html, page: &PageAudit) {
    let Some(review) = &page.review else { return };
    html.raw(" <span class=\"review\"><b>");
    html.foreign(if review.rating.is_empty() { "note" } else { &review.rating }).raw("</b> ");
    html.foreign(&review.note);
    let from = [review.by.as_str(), review.date.as_str()];
    let from: Vec<&str> = from.into_iter().filter(|text| !text.is_empty()).collect();
    if !from.is_empty() || review.carried_over {
        html.raw(" <span class=\"faint\">(").foreign(&from.join(", "));
        html.raw(match (from.is_empty(), review.carried_over) {
            (_, false) => "",
            (true, true) => "carried over",
            (false, true) => ", carried over",
        });
        html.raw(")</span>");
    }
    html.raw("</span>");
}

/// The state of a page as a mark.
pub(super) fn state(html: &mut Html, page: &PageAudit) {
    // Its captures may match, but they show no page.
    let state = if page.error_page.is_some() { "error" } else { page.state.name() };
    html.raw("<span class=\"state ").raw(state).raw("\">").raw(match state {
        "error" => "error page",
        "single" => "captured once",
        "sharp" => "unchanged",
        "unknown" => "cannot be compared",
        state => state,
    });
    html.raw("</span>");
}
