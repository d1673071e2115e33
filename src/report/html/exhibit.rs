//! The history of one page as an exhibit: every version with its stretch, its proof, its record, and what changed.

use std::io::{self, Write};

use super::at::{RECORDS, witness};
use super::audit::foot;
use super::document::{Document, case_lines, every_page};
use super::markup::Html;
use crate::at::custody::Custody;
use crate::at::timeline::{Timeline, Version};
use crate::report::at_json::in_groups;
use crate::report::layout::shorten;
use crate::report::timeline::{LEGEND, NOT_SHOWN, PHRASES, SAME_WORDS, STAR, captures, end, span};

/// Maximum number of parts of a change shown.
const PARTS: usize = 200;

/// Writes the page.
pub(crate) fn write(out: &mut dyn Write, line: &Timeline, custody: &Custody) -> io::Result<()> {
    let mut document =
        Document { title: format!("{} – history", line.url), kind: "at", ..Document::default() };
    let html = &mut document.body;
    html.raw("<header class=\"top\"><p class=\"brand\">Acuity <span>the history of a page</span></p><h1>");
    html.foreign(&line.url)
        .raw("</h1></header><main id=\"main\"><section><h2>At a glance</h2><p class=\"mono\">");
    html.text(&unbroken(&line.strip)).raw("</p><p>");
    html.prose(&span(line)).raw("</p><p class=\"note\">");
    html.text(LEGEND);
    if line.strip.contains('*') {
        html.raw("<br>").text(STAR);
    }
    if let Some(canon) = &line.canon {
        html.raw("</p><p>").text(canon);
    }
    html.raw("</p></section><section id=\"versions\"><h2>Versions</h2>");
    for (place, version) in line.versions.iter().enumerate() {
        self::version(html, line, place, version);
    }
    if line.failed > 0 {
        html.raw("<p>Captures that failed: ").int(line.failed as u64).raw("</p>");
    }
    if line.contradicted > 0 {
        html.raw("<p>Last-Modified dates that the captures contradict: ");
        html.int(line.contradicted as u64).raw("</p>");
    }
    html.raw("</section>");
    phrases(html, line);
    if !line.doubts.is_empty() {
        html.raw("<section id=\"doubts\"><h2>Found among the records</h2><ul class=\"notes\">");
        for sentence in &line.doubts {
            html.raw("<li>").foreign(sentence).raw("</li>");
        }
        html.raw("</ul></section>");
    }
    html.raw("<section><h2>Assumed</h2><ul class=\"notes\">");
    for sentence in &line.assumed {
        html.raw("<li>").foreign(sentence).raw("</li>");
    }
    html.raw("</ul></section><section><h2>Not shown</h2><ul class=\"notes\">");
    for sentence in NOT_SHOWN {
        html.raw("<li>").raw(sentence).raw("</li>");
    }
    html.raw("</ul></section><section id=\"custody\"><h2>This report</h2><table class=\"list\"><tbody>");
    for (name, value) in custody.lines() {
        html.raw("<tr><th scope=\"row\">").text(name).raw("</th><td>").foreign(&value).raw("</td></tr>");
    }
    html.raw("<tr><th scope=\"row\">Text</th><td class=\"mono hash\">SHA-256 of what the command prints: ");
    html.text(&in_groups(&custody.answer_sha256)).raw("</td></tr>");
    for input in &custody.inputs {
        html.raw("<tr><th scope=\"row\">Input</th><td>").foreign(&input.path);
        html.raw("<br><span class=\"mono hash\">SHA-256 ")
            .text(&input.sha256)
            .raw("</span>")
            .raw("</td></tr>");
    }
    html.raw("</tbody></table></section></main>");
    foot(html, env!("CARGO_PKG_VERSION"), "history of a page");
    let left = format!(
        "{}\n{}\nSHA-256 {}",
        case_lines(custody),
        shorten(&line.url, 90),
        in_groups(&custody.answer_sha256)
    );
    document.print = every_page(left.trim_start(), concat!("acuity ", env!("CARGO_PKG_VERSION")));
    document.write(out)
}

/// A strip whose blanks keep their width.
fn unbroken(strip: &str) -> String {
    strip.replace(' ', "\u{a0}")
}

fn version(html: &mut Html, line: &Timeline, place: usize, version: &Version) {
    html.raw("<div class=\"proof\"><h3>Version ")
        .text(&version.name)
        .raw("</h3><table class=\"list facts\"><tbody>");
    let mut row = |name: &'static str, value: &str| {
        html.raw("<tr><th scope=\"row\">").raw(name).raw("</th><td>").foreign(value).raw("</td></tr>");
    };
    row("Captured", &captures(version));
    row("Answered", &version.answered());
    match (version.proven, version.grade) {
        (Some(proven), Some(grade)) => {
            row("Proven", &format!("{} to {}, by {}", proven.from, proven.to, grade.name()));
        }
        _ => row("Proven", "at no time between captures"),
    }
    if let Some(claimed) = version.claimed {
        row("Claimed", &format!("{} to {}, by the server's Last-Modified", claimed.from, claimed.to));
    }
    let name = if version.is_page() { "Online" } else { "This answer" };
    row(name, &format!("after {}, before {}", end(version.outer.after), end(version.outer.before)));
    for phrase in &line.phrases {
        match phrase.versions.get(place) {
            Some(Ok(true)) => row("Holds", &phrase.phrase),
            Some(Ok(false)) => row("Lacks", &phrase.phrase),
            Some(Err(reason)) => row("Unknown", &format!("{}: {reason}", phrase.phrase)),
            None => {}
        }
    }
    if let Some(change) = &version.change {
        if let Some(importance) = change.importance {
            row("Importance", &format!("{importance:.3} of the change from the version before"));
        }
        if let Some(words) = &change.answer {
            row("Change", words);
        } else if let Some(why) = &change.unknown {
            row("Change", &format!("unknown: {why}"));
        } else if change.is_same_text() {
            row("Change", SAME_WORDS);
        }
        if let Some(limit) = change.limit {
            row("Note", limit);
        }
        for (name, parts) in [("Added", &change.added), ("Removed", &change.removed)] {
            if !parts.is_empty() {
                let mut words: Vec<&str> = parts.iter().take(PARTS).map(String::as_str).collect();
                if parts.len() > PARTS {
                    words.push("and more: --csv FILE has them all");
                }
                row(name, &words.join(" \u{b7} "));
            }
        }
    }
    html.raw("</tbody></table>").raw(RECORDS);
    for (what, record) in &version.records {
        witness(html, &version.name, what, record);
    }
    html.raw("</tbody></table></div></div>");
}

fn phrases(html: &mut Html, line: &Timeline) {
    if line.phrases.is_empty() {
        return;
    }
    html.raw("<section id=\"phrases\"><h2>Phrases</h2>");
    for phrase in &line.phrases {
        html.raw("<h3>")
            .foreign(&phrase.phrase)
            .raw("</h3><p class=\"mono\">")
            .text(&unbroken(&phrase.strip))
            .raw("</p><p class=\"note\">")
            .text(PHRASES)
            .raw("</p><ul class=\"notes\">");
        for stretch in &phrase.when {
            html.raw("<li>")
                .prose(&format!("proven present {} to {}", stretch.from, stretch.to))
                .raw("</li>");
        }
        if phrase.when.is_empty() {
            html.raw("<li>at no time proven present</li>");
        }
        html.raw("</ul>");
    }
    html.raw("</section>");
}
