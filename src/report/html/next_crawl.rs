//! The recommended next crawl: its schedule drawn, the strategies compared, and what it gains.

use super::markup::Html;
use super::pyramid::{self, Bar};
use super::strategies;
use crate::audit::model::{PlannedPage, Repair, Reschedule, SiteAudit};
use crate::format::local;
use crate::format::{duration, percent, precise};
use crate::report::layout::UNKNOWN;

/// Maximum number of pages of the schedule listed.
const LISTED: usize = 100;

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
    html.raw("<p class=\"lead\">").text(&recommended.text).raw("</p><dl class=\"figures small\">");
    figures(html, recommended);
    html.raw("</dl>");
    draw(html, &recommended.plan);
    hopeless(html, site, &recommended.plan);
    html.raw("<details><summary>Other orders, for comparison</summary>");
    strategies::write(html, &recommended.strategies);
    html.raw("</details>");
    order(html, site, &recommended.plan);
    if let Some(repair) = &site.repair {
        again(html, site, repair);
    }
    html.raw("<p class=\"note\">The whole schedule, with dates, for crawlers: <code>")
        .text(&recommended.command);
    html.raw("</code></p></section>");
}

/// The pages to fetch again right away.
fn again(html: &mut Html, site: &SiteAudit, repair: &Repair) {
    html.raw("<h3>Fetch again now</h3><p>")
        .foreign(&repair.text)
        .raw("</p><details><summary>The pages, in order</summary><ol class=\"notes\">");
    for fetch in &repair.fetches {
        html.raw("<li>").url(&fetch.url, local(&fetch.url, &site.site)).raw(", ");
        html.text(&percent(fetch.chance)).raw("</li>");
    }
    html.raw("</ol></details>");
}

fn figures(html: &mut Html, recommended: &Reschedule) {
    let unknown = || UNKNOWN.to_owned();
    let rows = [
        (
            "planned order",
            recommended.compared_coherence.map_or_else(unknown, precise),
            "of the pages of the last crawl expected unchanged, by importance",
        ),
        (
            "last order",
            recommended.last_crawl.map_or_else(unknown, precise),
            "expected by the order of the last crawl",
        ),
        (
            "gain",
            recommended.gain.map_or_else(unknown, precise),
            "more by the planned order, on the same pages",
        ),
        ("pace", duration(recommended.delay_seconds), "between two pages of a host"),
    ];
    for (name, value, says) in rows {
        html.raw("<div class=\"figure\"><dt>")
            .raw(name)
            .raw("</dt><dd><b data-next=\"")
            .raw(name)
            .raw("\">")
            .text(&value);
        html.raw("</b> <span>").raw(says).raw("</span></dd></div>");
    }
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
    html.raw("<figure><figcaption>Each page from its visit to its revisit: those at the top are held sharp the shortest</figcaption>");
    pyramid::write(html, &bars, "The recommended schedule: one line a page, from its visit to its revisit");
    html.raw("<p class=\"ends\"><span>start</span><span>")
        .text(&duration(end))
        .raw(" later</span></p></figure>");
}

fn hopeless(html: &mut Html, site: &SiteAudit, plan: &[PlannedPage]) {
    let mut pages: Vec<&PlannedPage> = plan.iter().filter(|page| !page.hopeful).collect();
    if pages.is_empty() {
        return;
    }
    pages.sort_by(|a, b| a.chance.unwrap_or(0.0).total_cmp(&b.chance.unwrap_or(0.0)));
    html.raw("<details><summary>")
        .int(pages.len() as u64)
        .raw(" pages cannot be expected to stay sharp</summary><ul class=\"notes\">");
    for page in pages.iter().take(LISTED) {
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
    html.raw("<th scope=\"col\" class=\"number\">Revisit</th><th scope=\"col\" class=\"number\">Chance to stay sharp</th></tr></thead><tbody>");
    for page in plan.iter().take(LISTED) {
        html.raw("<tr><th scope=\"row\">")
            .url(&page.url, local(&page.url, &site.site))
            .raw("</th><td class=\"number\">+");
        html.text(&duration(page.visit_seconds)).raw("</td><td class=\"number\">");
        html.text(&page.revisit_seconds.map_or_else(|| "once".to_owned(), |at| format!("+{}", duration(at))));
        html.raw("</td><td class=\"number\">").text(&chance(page)).raw("</td></tr>");
    }
    html.raw("</tbody></table></div>");
    if plan.len() > LISTED {
        html.raw("<p class=\"note\">").int((plan.len() - LISTED) as u64).raw(" more are in the JSON.</p>");
    }
    html.raw("</details>");
}
