//! The recommended next crawl: its schedule drawn, the strategies compared, and what it gains.

use super::markup::Html;
use super::pyramid::{self, Bar};
use super::strategies;
use crate::audit::model::{PlannedPage, Reschedule, SiteAudit};
use crate::format::local;
use crate::format::{count, duration, percent, percents};
use crate::report::layout::UNKNOWN;

/// Maximum number of pages of the schedule listed.
const MAX_LISTED_PAGES: usize = 100;

/// Writes the next crawl of a site.
pub(super) fn write(html: &mut Html, site: &SiteAudit, number: u64) {
    html.raw("<section class=\"next\" id=\"s").int(number).raw("-next\"><h2>Next crawl</h2>");
    let Some(recommended) = &site.reschedule else {
        html.raw("<p class=\"lead\">No order is recommended here: there are too many pages for a report. Run:</p><ul class=\"notes\">");
        for next in &site.next {
            html.raw("<li><code>").text(next).raw("</code></li>");
        }
        html.raw("</ul></section>");
        return;
    };
    html.raw("<p class=\"lead\">").text(&recommended.text).raw("</p>");
    orders(html, recommended);
    draw(html, &recommended.plan);
    hopeless(html, site, recommended);
    if !recommended.strategies.is_empty() {
        html.raw("<details><summary>Other orders, for comparison, on all pages of the next crawl</summary>");
        strategies::write(html, &recommended.strategies);
        html.raw("</details>");
    }
    order(html, site, &recommended.plan);
    html.raw("<p class=\"note\">The whole schedule, with dates, for crawlers: <code>")
        .text(&recommended.command);
    html.raw("</code></p></section>");
}

/// The planned order against that of the last crawl, on the same pages; the gain is what lies between the two.
fn orders(html: &mut Html, recommended: &Reschedule) {
    let pages = recommended.compared_pages;
    let (Some(planned), Some(last)) = (recommended.compared_coherence, recommended.last_crawl) else {
        return;
    };
    if pages == 0 {
        return;
    }
    html.raw("<p>Share of the importance of the ").text(&count(pages, "page"));
    html.raw(" of the last crawl expected to stay unchanged between two passes:</p><div class=\"orders\">");
    let share = |value: f64| value / pages as f64;
    let (last_text, planned_text) = percents(share(last), share(planned));
    for (name, class, value, text) in
        [("planned order", "planned", planned, planned_text), ("last order", "last", last, last_text)]
    {
        html.raw("<span>").raw(name).raw("</span><span class=\"bar-of\"><svg width=\"100%\" height=\"15\" aria-hidden=\"true\"><rect class=\"");
        html.raw(class).raw("\" height=\"15\" width=\"").coordinate(100.0 * share(value));
        html.raw("%\"/></svg></span><span><b data-next=\"").raw(name).raw("\">");
        html.text(&text).raw("</b></span>");
    }
    html.raw("</div>");
}

fn draw(html: &mut Html, plan: &[PlannedPage]) {
    if plan.is_empty() {
        return;
    }
    let bars: Vec<Bar> = plan
        .iter()
        .map(|page| Bar { visit: page.visit_seconds, revisit: page.revisit_seconds, hopeful: page.hopeful })
        .collect();
    let end = plan.iter().map(|page| page.revisit_seconds.unwrap_or(page.visit_seconds)).fold(0.0, f64::max);
    html.raw("<figure><figcaption>Each page from its first fetch to its second: those at the top are fetched again soonest</figcaption>");
    pyramid::write(
        html,
        &bars,
        "The recommended schedule: one line a page, from its first fetch to its second",
    );
    html.raw("<p class=\"ends\"><span>start</span><span>")
        .text(&duration(end))
        .raw(" later</span></p></figure>");
}

fn hopeless(html: &mut Html, site: &SiteAudit, recommended: &Reschedule) {
    let pages = recommended.too_fast();
    if pages.is_empty() {
        return;
    }
    let change = if pages.len() == 1 { " changes" } else { " change" };
    html.raw("<details><summary>")
        .text(&count(pages.len() as u64, "page"))
        .raw(change)
        .raw(" too fast to be captured consistently</summary><ul class=\"notes\">");
    for page in pages.iter().take(MAX_LISTED_PAGES) {
        html.raw("<li>").url(&page.url, local(&page.url, &site.site)).raw(" <span class=\"faint\">chance ");
        html.text(&chance(page)).raw("</span></li>");
    }
    html.raw("</ul></details>");
}

fn chance(page: &PlannedPage) -> String {
    page.chance.map_or_else(|| UNKNOWN.to_owned(), percent)
}

fn order(html: &mut Html, site: &SiteAudit, plan: &[PlannedPage]) {
    if plan.is_empty() {
        return;
    }
    html.raw("<details><summary>The order: which page when</summary><div class=\"scroll tall\" tabindex=\"0\" role=\"region\" aria-label=\"Order\">");
    html.raw("<table class=\"list\"><thead><tr><th scope=\"col\">Page</th><th scope=\"col\" class=\"number\">Visit</th>");
    html.raw("<th scope=\"col\" class=\"number\">Revisit</th><th scope=\"col\" class=\"number\">Chance to stay unchanged</th></tr></thead><tbody>");
    for page in plan.iter().take(MAX_LISTED_PAGES) {
        html.raw("<tr><th scope=\"row\">")
            .url(&page.url, local(&page.url, &site.site))
            .raw("</th><td class=\"number\">+");
        html.text(&duration(page.visit_seconds)).raw("</td><td class=\"number\">");
        html.text(&page.revisit_seconds.map_or_else(|| "once".to_owned(), |at| format!("+{}", duration(at))));
        html.raw("</td><td class=\"number\">").text(&chance(page)).raw("</td></tr>");
    }
    html.raw("</tbody></table></div>");
    if plan.len() > MAX_LISTED_PAGES {
        html.raw("<p class=\"note\">")
            .int((plan.len() - MAX_LISTED_PAGES) as u64)
            .raw(" more are in the JSON.</p>");
    }
    html.raw("</details>");
}
