//! What a schedule promised and what was reached, page by page.

use super::markup::Html;
use crate::audit::model::Promised;
use crate::format::{figure, percent};
use crate::report::promised::reached;

/// How many pages the table has.
const MAX_LISTED_PAGES: usize = 500;

/// Writes the section.
pub(super) fn write(html: &mut Html, promised: &Promised) {
    html.raw("<section class=\"promised\" id=\"promised\"><h2>Promised and reached</h2><p class=\"lead\">");
    html.text(&promised.text).raw(
        "</p><div class=\"scroll tall\" tabindex=\"0\" role=\"region\" aria-label=\"Promised and reached\">",
    );
    html.raw("<table class=\"list sortable\"><thead><tr><th scope=\"col\">Page</th><th scope=\"col\" class=\"number\" data-kind=\"number\">Weight</th>");
    html.raw("<th scope=\"col\" class=\"number\" data-kind=\"number\">Promised</th><th scope=\"col\">Reached</th><th scope=\"col\">Why</th></tr></thead><tbody>");
    for page in promised.page_list.iter().take(MAX_LISTED_PAGES) {
        html.raw("<tr><th scope=\"row\">").url(&page.url, &page.url).raw("</th><td class=\"number\">");
        html.text(&figure(page.weight)).raw("</td><td class=\"number\">").text(&percent(page.chance));
        html.raw("</td><td>").text(reached(page)).raw("</td><td class=\"why\">").foreign(&page.reason);
        html.raw("</td></tr>");
    }
    html.raw("</tbody></table></div>");
    if promised.page_list.len() > MAX_LISTED_PAGES {
        html.raw("<p class=\"note\">").int((promised.page_list.len() - MAX_LISTED_PAGES) as u64);
        html.raw(" more are in the JSON.</p>");
    }
    html.raw("</section>");
}
