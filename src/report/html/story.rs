//! The whole story of a page: its captures, what lies between them, its versions, what changed block by block, and when.

use super::markup::Html;
use super::pages::state;
use crate::audit::model::{PageAudit, RunChange, SiteAudit, Story};
use crate::format::{clock, count, duration, figure, percent, precise};
use crate::quality::pattern::{DayKind, PatternSummary};
use crate::report::layout::UNKNOWN;
use crate::report::{change, explain};

/// Maximum number of captures of a page shown.
pub(super) const MAX_CAPTURES: usize = 60;

/// Writes the story of a page.
pub(super) fn write(
    html: &mut Html,
    site: &SiteAudit,
    page: &PageAudit,
    story: &Story,
    replay: Option<&str>,
) {
    html.raw("<p class=\"whole\">").url(&page.url, &page.url).raw("</p>");
    for other in page.urls.iter().filter(|url| **url != page.url) {
        html.raw("<p class=\"faint\">also captured as ").url(other, other).raw("</p>");
    }
    html.raw("<p>");
    state(html, page);
    html.raw(" ").foreign(&page.reason).raw(".</p>");
    if page.review.is_some() {
        html.raw("<p>");
        super::pages::review(html, page);
        html.raw("</p>");
    }
    html.raw("<ul class=\"notes\">");
    for line in explain::conclusions(site, page) {
        html.raw("<li>").text(&line).raw("</li>");
    }
    html.raw("</ul><h4>Captures</h4><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Captures\"><table class=\"list\"><thead><tr>");
    html.raw("<th scope=\"col\" class=\"number\">#</th><th scope=\"col\">Time (UTC)</th><th scope=\"col\">HTTP</th><th scope=\"col\">Version</th>");
    html.raw("<th scope=\"col\">Body</th><th scope=\"col\">Last-Modified</th><th scope=\"col\">Record</th></tr></thead><tbody>");
    for (number, look) in story.looks.iter().take(MAX_CAPTURES).enumerate() {
        html.raw("<tr><td class=\"number\">")
            .int(number as u64 + 1)
            .raw("</td><td>")
            .text(&clock(look.time))
            .replay(replay, &page.url, look.time)
            .raw("</td><td>");
        html.text(&explain::text(look.status))
            .raw("</td><td>")
            .text(&explain::letter(look.version))
            .raw("</td><td class=\"mono\">");
        html.text(&explain::body(look)).raw("</td><td>").text(&explain::modified(look)).raw("</td><td>");
        html.foreign(&explain::record(look)).raw("<br><span class=\"faint\">").foreign(&look.file);
        if let Some(offset) = look.offset {
            html.raw(" at byte ").int(offset);
        }
        html.raw("</span></td></tr>");
    }
    html.raw("</tbody></table></div>");
    if story.looks.len() > MAX_CAPTURES {
        html.raw("<p class=\"note\">")
            .int((story.looks.len() - MAX_CAPTURES) as u64)
            .raw(" more captures are in the JSON.</p>");
    }
    if !story.gaps.is_empty() {
        html.raw("<h4>Between them</h4><ul class=\"notes\">");
        for gap in story.gaps.iter().take(MAX_CAPTURES) {
            html.raw("<li>")
                .int(gap.from + 1)
                .raw(" to ")
                .int(gap.to + 1)
                .raw(", ")
                .text(&duration(gap.seconds))
                .raw(": <b>");
            html.raw(gap.verdict.name()).raw("</b>");
            if let Some(grade) = gap.grade {
                html.raw(" by ").raw(grade.name());
            }
            html.raw(": ").foreign(&gap.reason).raw("</li>");
        }
        html.raw("</ul>");
    }
    html.raw("<h4>Versions</h4><ul class=\"notes\">");
    for run in story.runs.iter().take(MAX_CAPTURES) {
        html.raw("<li>").text(&explain::version(run)).raw("</li>");
    }
    html.raw("</ul>");
    if !story.changes.is_empty() {
        html.raw("<h4>What changed</h4>");
        for change in story.changes.iter().take(MAX_CAPTURES) {
            blocks(html, change);
        }
    }
    if let Some(pattern) = page.pattern.as_ref().filter(|pattern| pattern.looks > 0) {
        strips(html, pattern);
    }
}

fn blocks(html: &mut Html, change: &RunChange) {
    html.raw("<p>From ").text(&clock(change.from)).raw(" to ").text(&clock(change.to)).raw(". ");
    let Some(found) = &change.change else {
        html.raw("Unknown: ")
            .foreign(change.reason.as_deref().unwrap_or("there is no evidence"))
            .raw(".</p>");
        return;
    };
    html.text(&change::summary(found)).raw("</p><ul class=\"blocks\">");
    for block in &found.changes {
        html.raw("<li><b>")
            .raw(change::role(block.role))
            .raw("</b> <bdi class=\"mono faint\">")
            .text(&block.path);
        html.raw("</bdi> contributes ").text(&precise(block.contribution)).raw(" (the block is ");
        html.text(&percent(block.importance)).raw(" of the page)");
        for (word, text) in [("was", &block.before), ("is", &block.after)] {
            if let Some(text) = text.as_ref().filter(|text| !text.trim().is_empty()) {
                let excerpt: String = text.chars().take(240).collect();
                html.raw("<br><span class=\"faint\">").raw(word).raw("</span> ").foreign(&excerpt);
            }
        }
        html.raw("</li>");
    }
    html.raw("</ul>");
}

/// When changes came, by hour and kind of day.
pub(super) fn strips(html: &mut Html, pattern: &PatternSummary) {
    html.raw("<h4>When it changes (UTC)</h4><table class=\"pattern\"><tbody>");
    for strip in pattern.strips.iter().filter(|strip| strip.looks > 0) {
        html.raw("<tr><th scope=\"row\">").raw(match strip.kind {
            DayKind::Workday => "Mon–Fri",
            DayKind::Saturday => "Saturday",
            DayKind::Sunday => "Sunday",
        });
        html.raw("</th><td><svg width=\"100%\" height=\"16\" role=\"img\" aria-label=\"importance of changes by hour\">");
        for (hour, (heat, mean)) in strip.heat.chars().zip(&strip.means).enumerate().take(24) {
            html.raw("<rect class=\"").raw(match heat {
                ' ' => "heat none",
                '·' => "heat h0",
                '░' => "heat h1",
                '▒' => "heat h2",
                '▓' => "heat h3",
                _ => "heat h4",
            });
            html.raw("\" height=\"16\" width=\"3.9%\" x=\"")
                .coordinate(100.0 * hour as f64 / 24.0)
                .raw("%\"><title>");
            html.int(hour as u64).raw(":00, ").text(&mean.map_or_else(|| UNKNOWN.to_owned(), figure));
            html.raw("</title></rect>");
        }
        html.raw("</svg></td><td>").text(&count(u64::from(strip.looks), "capture")).raw("</td></tr>");
    }
    html.raw("</tbody></table><p class=\"note\">").text(&pattern.caution()).raw(".</p>");
}
