//! The HTML table that compares crawl strategies.

use super::glossary;
use super::markup::Html;
use crate::format::duration;
use crate::report::layout::UNKNOWN;
use crate::report::schedule_table::{gap, number};
use crate::schedule::last_crawl;
use crate::schedule::model::Row;

/// Writes the comparison.
pub(super) fn write(html: &mut Html, rows: &[Row]) {
    if rows.is_empty() {
        return;
    }
    let most = rows.iter().filter_map(|row| row.expected_coherence).fold(0.0, f64::max);
    html.raw("<h3>Strategies compared</h3><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Strategies\"><table class=\"list sortable\">");
    html.raw("<thead><tr><th scope=\"col\">Strategy</th><th scope=\"col\" class=\"number\" data-kind=\"number\">Expected consistent (coherence)</th>");
    html.raw("<th scope=\"col\" class=\"wide\"><span class=\"away\">as a bar</span></th><th scope=\"col\" class=\"number\" data-kind=\"number\">Versions away (blur)</th>");
    html.raw("<th scope=\"col\" class=\"number\" data-kind=\"number\">Change too fast</th><th scope=\"col\" class=\"number\" data-kind=\"number\">Length</th>");
    html.raw("<th scope=\"col\" class=\"number\" data-kind=\"number\">Below the best possible</th></tr></thead><tbody>");
    for row in rows {
        let class = if row.name == last_crawl::NAME { " class=\"last\"" } else { "" };
        html.raw("<tr")
            .raw(class)
            .raw("><th scope=\"row\">")
            .text(&row.name)
            .raw("</th><td class=\"number\">");
        html.text(&number(row.expected_coherence)).raw("</td><td class=\"wide\">");
        if let Some(reached) = row.expected_coherence.filter(|_| most > 0.0) {
            html.raw("<svg width=\"100%\" height=\"8\" aria-hidden=\"true\"><rect class=\"bar\" height=\"8\" width=\"");
            html.coordinate(100.0 * reached / most).raw("%\"/></svg>");
        }
        html.raw("</td><td class=\"number\">")
            .text(&number(row.expected_blur))
            .raw("</td><td class=\"number\">");
        html.text(&row.hopeless.map_or_else(|| UNKNOWN.to_owned(), |hopeless| hopeless.to_string()));
        html.raw("</td><td class=\"number\" data-value=\"").coordinate(row.length_seconds).raw("\">");
        html.text(&duration(row.length_seconds))
            .raw("</td><td class=\"number\">")
            .text(&gap(row.gap))
            .raw("</td></tr>");
    }
    html.raw("</tbody></table></div><p class=\"note\">");
    glossary::word(html, "expected coherence");
    html.raw(", and ");
    glossary::word(html, "hopeless");
    html.raw(" pages; last-crawl is the order of the last crawl, run again.</p>");
}
