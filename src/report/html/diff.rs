//! The difference of two captures as one page: vector, diagram, every resource, and both versions of changed pages side by side.
//! Archived text is shown as text; nothing of the archive runs.

use std::io::{self, Write};

use super::audit::{MAX_REPORT_BYTES, foot};
use super::document::Document;
use super::markup::Html;
use crate::diff::align::{Mark, Pair};
use crate::diff::model::{Diff, Resource, Side};
use crate::html::blocks::Role;
use crate::quality::change_importance::{BlockChange, Target};
use crate::recovery::vector::{Class, Vector};
use crate::report::change::{role, what_was_done};
use crate::report::diff::svg::shapes;
use crate::report::diff::{details, share, words};

/// Resources listed of each class.
const MAX_LISTED_PER_CLASS: usize = 2_000;
/// Equal lines shown around changed ones.
const CONTEXT: usize = 2;
/// What is left for style, script and the end of the file.
const BEHIND: usize = 1_000_000;

/// Writes the report.
pub(crate) fn write(out: &mut dyn Write, diff: &Diff) -> io::Result<()> {
    let mut document =
        Document {
            title: "Two captures compared – Acuity".to_owned(), kind: "diff", ..Document::default()
        };
    let html = &mut document.body;
    html.raw("<a class=\"skip\" href=\"#main\">To the answer</a><header class=\"top\"><p class=\"brand\">Acuity <span>what differs</span></p><h1>Two captures compared</h1>");
    html.raw("</header><nav class=\"views\" aria-label=\"Views\"><ul><li><a href=\"#answer\">Answer</a></li><li><a href=\"#beside\">Side by side</a></li>");
    html.raw("<li><a href=\"#resources\">Resources</a></li></ul></nav><main id=\"main\"><section class=\"answer\" id=\"answer\"><p class=\"verdict open\">");
    html.prose(&diff.summary).raw("</p>");
    side(html, "First capture", &diff.original);
    side(html, "Second capture", &diff.rebuilt);
    diagram(html, diff);
    vectors(html, diff);
    html.raw("<ul class=\"notes\">");
    for assumption in &diff.assumptions {
        html.raw("<li>").text(assumption).raw("</li>");
    }
    html.raw("</ul></section><section id=\"beside\"><h2>Side by side</h2>");
    let mut shown = 0;
    for resource in diff.most_important(&[Class::Changed]) {
        if html.len() + BEHIND > MAX_REPORT_BYTES {
            html.raw("<p class=\"note\">The other changed pages are in the JSON.</p>");
            break;
        }
        shown += u64::from(beside(html, resource, shown == 0));
    }
    if shown == 0 {
        html.raw("<p>No page changed whose text could be read on both sides.</p>");
    }
    html.raw("</section><section id=\"resources\"><h2>Resources</h2>");
    for class in
        [Class::Missing, Class::Unsought, Class::Changed, Class::Unknown, Class::Added, Class::Identical]
    {
        list(html, diff, class);
    }
    html.raw("</section></main>");
    foot(html, &diff.tool_version, &diff.schema);
    document.write(out)
}

fn side(html: &mut Html, name: &'static str, side: &Side) {
    html.raw("<p><b>").raw(name).raw("</b>: ");
    for (place, input) in side.inputs.iter().enumerate() {
        html.raw(if place == 0 { "" } else { ", " }).foreign(input);
    }
    html.raw("; ").int(side.resources).raw(" resources, ").int(side.captures).raw(" captures");
    if let (Some(first), Some(last)) = (side.first, side.last) {
        html.raw(", from ").prose(&first.to_string()).raw(" to ").prose(&last.to_string());
    }
    html.raw("</p>");
}

fn diagram(html: &mut Html, diff: &Diff) {
    html.raw("<figure><figcaption>Reconstruction diagram: the core is the first capture, the crust what was added</figcaption>");
    html.raw("<svg class=\"recon\" viewBox=\"-100 -100 200 200\" role=\"img\" aria-label=\"")
        .value(&diff.summary)
        .raw("\">");
    for (class, path) in shapes(&diff.diagram) {
        html.raw("<path class=\"").raw(class.name()).raw("\" d=\"").value(&path).raw("\"/>");
    }
    html.raw("</svg><ul class=\"key\">");
    for class in Class::ALL.into_iter().filter(|class| diff.counts.of(*class) > 0) {
        html.raw("<li><svg class=\"recon\" viewBox=\"0 0 10 10\" aria-hidden=\"true\"><path class=\"");
        html.raw(class.name()).raw("\" d=\"M1 1H9V9H1Z\"/></svg> ").text(words(class)).raw(" ");
        html.int(diff.counts.of(class)).raw("</li>");
    }
    html.raw("</ul></figure>");
}

fn vectors(html: &mut Html, diff: &Diff) {
    html.raw("<table class=\"list\"><thead><tr><th scope=\"col\">Difference</th><th scope=\"col\" class=\"number\">Changed</th><th scope=\"col\" class=\"number\">Missing</th>");
    html.raw("<th scope=\"col\" class=\"number\">Never requested</th><th scope=\"col\" class=\"number\">Added</th></tr></thead><tbody>");
    let mut row = |name: &str, detail: &'static str, vector: &Vector| {
        html.raw("<tr><th scope=\"row\">").text(name).raw(detail).raw("</th>");
        for part in [vector.changed, vector.missing, vector.unsought, vector.added] {
            html.raw("<td class=\"number\">").text(&share(part)).raw("</td>");
        }
        html.raw("</tr>");
    };
    row("All", ", by number", &diff.vector);
    row("All", ", by importance", &diff.by_importance);
    for kind in diff.kinds.iter().filter(|kind| kind.counts.original() + kind.counts.added > 0) {
        row(kind.kind.words(), ", by number", &kind.vector);
        row(kind.kind.words(), ", by importance", &kind.by_importance);
    }
    html.raw("</tbody></table>");
}

/// Writes both versions of a page; returns whether there was anything to show.
fn beside(html: &mut Html, resource: &Resource, is_open: bool) -> bool {
    let Some(change) = resource.change.as_ref().filter(|one| !one.lines.is_empty() || !one.blocks.is_empty())
    else {
        return false;
    };
    let lines = &change.lines;
    html.raw(if is_open { "<details open>" } else { "<details>" });
    html.raw("<summary>").url(&resource.url, &resource.url).raw("</summary><p class=\"faint\">");
    html.text(&details(resource)).raw("</p><table class=\"beside\"><thead><tr>");
    for side in [1, 2] {
        let time = resource.witnesses.iter().find(|witness| witness.side == side).map(|witness| witness.time);
        html.raw("<th scope=\"col\">")
            .text(&time.map_or_else(String::new, |time| time.to_string()))
            .raw("</th>");
    }
    html.raw("</tr></thead><tbody>");
    let is_near = |place: usize| {
        let around = place.saturating_sub(CONTEXT)..lines.len().min(place + CONTEXT + 1);
        lines[around].iter().any(|pair| pair.mark != Mark::Same)
    };
    let mut skipped = 0u64;
    for (place, pair) in lines.iter().enumerate() {
        if is_near(place) {
            skip(html, &mut skipped);
            line(html, pair);
        } else {
            skipped += 1;
        }
    }
    skip(html, &mut skipped);
    // A title, links and images are in no line of the text.
    let is_shown = |block: &&BlockChange| {
        lines.is_empty()
            || block.role == Role::Title
            || block.terms.iter().any(|term| matches!(term.target, Target::Link | Target::Image))
    };
    for block in change.blocks.iter().filter(is_shown) {
        without_lines(html, block);
    }
    for (what, pairs) in [("image", &change.images), ("link", &change.links)] {
        for pair in pairs {
            html.raw("<tr class=\"gap\"><td colspan=\"2\">").raw(what).raw(" ").raw(done(pair.mark));
            html.raw("</td></tr>");
            line(html, pair);
        }
    }
    html.raw("</tbody></table></details>");
    true
}

/// What was done to an image or a link.
fn done(mark: Mark) -> &'static str {
    match mark {
        Mark::Same => "kept",
        Mark::Changed => "replaced",
        Mark::Deleted => "deleted",
        Mark::Inserted => "inserted",
    }
}

/// A block that changed, where no line of text shows it.
fn without_lines(html: &mut Html, block: &BlockChange) {
    let done: Vec<String> = block.terms.iter().map(what_was_done).collect();
    html.raw("<tr class=\"gap\"><td colspan=\"2\">").text(role(block.role)).raw(": ");
    html.text(&done.join(", ")).raw("</td></tr><tr>");
    for text in [&block.before, &block.after] {
        html.raw("<td class=\"mark\">").foreign(text.as_deref().unwrap_or("")).raw("</td>");
    }
    html.raw("</tr>");
}

fn skip(html: &mut Html, skipped: &mut u64) {
    let count = std::mem::take(skipped);
    if count > 0 {
        html.raw("<tr class=\"gap\"><td colspan=\"2\">")
            .int(count)
            .raw(if count == 1 { " equal line" } else { " equal lines" })
            .raw("</td></tr>");
    }
}

fn line(html: &mut Html, pair: &Pair) {
    html.raw("<tr>");
    for text in [&pair.before, &pair.after] {
        let is_marked = pair.mark != Mark::Same && text.is_some();
        html.raw(if is_marked { "<td class=\"mark\">" } else { "<td>" });
        html.foreign(text.as_deref().unwrap_or("")).raw("</td>");
    }
    html.raw("</tr>");
}

fn list(html: &mut Html, diff: &Diff, class: Class) {
    let resources = diff.most_important(&[class]);
    if resources.is_empty() {
        return;
    }
    html.raw("<h3>").text(words(class)).raw(": ").int(resources.len() as u64);
    html.raw("</h3><div class=\"scroll tall\"><table class=\"list\"><thead><tr><th scope=\"col\">URL</th><th scope=\"col\">Why</th></tr></thead><tbody>");
    let mut listed = 0;
    for resource in resources.iter().take(MAX_LISTED_PER_CLASS) {
        if html.len() + BEHIND / 2 > MAX_REPORT_BYTES {
            break;
        }
        html.raw("<tr><th scope=\"row\">").url(&resource.url, &resource.url).raw("</th><td class=\"why\">");
        html.text(&details(resource)).raw("</td></tr>");
        listed += 1;
    }
    html.raw("</tbody></table></div>");
    if resources.len() > listed {
        html.raw("<p class=\"note\">and ")
            .int((resources.len() - listed) as u64)
            .raw(" more in the JSON</p>");
    }
}
