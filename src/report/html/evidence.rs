//! What a report rests on: inputs with their hashes, parameters, problems, assumptions.

use super::markup::Html;
use crate::audit::model::{Audit, ProblemCount};
use crate::ingest::plan::InputFormat;
use crate::problem::Problem;
use crate::report::layout::UNKNOWN;
use crate::report::{findings, table};

/// Maximum number of inputs listed.
const INPUTS: usize = 2_000;
/// How many problems are listed with their place.
const PROBLEMS: usize = 300;

/// Writes the evidence of an audit.
pub(super) fn write(html: &mut Html, audit: &Audit) {
    html.raw("<section id=\"evidence\" class=\"evidence\"><h2>Evidence</h2>");
    let notes = findings::of_archive(audit);
    if !notes.is_empty() {
        html.raw("<h3>About the archive</h3><ul class=\"notes\">");
        for note in notes {
            html.raw("<li>").foreign(&note).raw("</li>");
        }
        html.raw("</ul>");
    }
    inputs(html, audit);
    html.raw("<h3>Method</h3><p>").text(&table::method(audit)).raw("</p>");
    assumptions(html, &audit.assumptions);
    parameters(html, &serde_json::to_value(&audit.parameters).unwrap_or_default());
    problems(html, &audit.summary.problems, &audit.problems);
    html.raw("</section>");
}

fn inputs(html: &mut Html, audit: &Audit) {
    html.raw("<h3>Inputs</h3><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Inputs\"><table class=\"list\"><thead><tr><th scope=\"col\">File</th>");
    html.raw("<th scope=\"col\">Format</th><th scope=\"col\" class=\"number\">Bytes</th><th scope=\"col\" class=\"number\">Captures</th>");
    html.raw("<th scope=\"col\">BLAKE3</th></tr></thead><tbody>");
    let number = |number: Option<u64>| number.map_or_else(|| UNKNOWN.to_owned(), |number| number.to_string());
    for input in audit.inputs.iter().take(INPUTS) {
        html.raw("<tr><th scope=\"row\">").foreign(&input.path).raw("</th><td>");
        html.text(input.format.map_or(UNKNOWN, InputFormat::word))
            .raw("</td><td class=\"number\">")
            .text(&number(input.bytes));
        html.raw("</td><td class=\"number\">")
            .text(&number(input.observations))
            .raw("</td><td class=\"mono hash\">");
        html.text(input.blake3.as_deref().unwrap_or("not computed")).raw("</td></tr>");
    }
    html.raw("</tbody></table></div>");
    if audit.inputs.len() > INPUTS {
        html.raw("<p class=\"note\">")
            .int((audit.inputs.len() - INPUTS) as u64)
            .raw(" more are in the JSON.</p>");
    }
}

/// Writes what is assumed.
pub(super) fn assumptions(html: &mut Html, assumptions: &[String]) {
    html.raw("<h3>Assumed</h3><ul class=\"notes\">");
    for assumption in assumptions {
        html.raw("<li>").text(assumption).raw("</li>");
    }
    html.raw("</ul>");
}

/// Writes what decides the result, by the names that the JSON has.
pub(super) fn parameters(html: &mut Html, stated: &serde_json::Value) {
    html.raw("<h3>Parameters</h3><dl class=\"parameters\">");
    for (name, value) in stated.as_object().into_iter().flatten() {
        let text = match value {
            serde_json::Value::Null => UNKNOWN.to_owned(),
            serde_json::Value::String(text) => text.clone(),
            serde_json::Value::Array(list) if list.is_empty() => UNKNOWN.to_owned(),
            other => other.to_string(),
        };
        html.raw("<div><dt>").text(name).raw("</dt><dd>").foreign(&text).raw("</dd></div>");
    }
    html.raw("</dl>");
}

/// Writes what was found while reading.
pub(super) fn problems(html: &mut Html, counts: &[ProblemCount], first: &[Problem]) {
    html.raw("<h3>Problems found while reading</h3>");
    if counts.is_empty() {
        html.raw("<p>None.</p>");
        return;
    }
    html.raw("<ul class=\"notes\">");
    for problem in counts {
        html.raw("<li><span class=\"level ")
            .raw(problem.level.word())
            .raw("\">")
            .raw(problem.level.word())
            .raw("</span> ");
        html.text(&problem.kind).raw(": ").int(problem.count).raw("</li>");
    }
    html.raw("</ul>");
    if first.is_empty() {
        return;
    }
    html.raw("<details><summary>The first of them, with their places</summary><div class=\"scroll tall\" tabindex=\"0\" role=\"region\" aria-label=\"Problems\">");
    html.raw("<table class=\"list\"><thead><tr><th scope=\"col\">Level</th><th scope=\"col\">What</th><th scope=\"col\">Where</th></tr></thead><tbody>");
    for problem in first.iter().take(PROBLEMS) {
        html.raw("<tr><td>").raw(problem.level.word()).raw("</td><td><b>").text(&problem.kind).raw("</b> ");
        html.foreign(&problem.message);
        if let Some(remedy) = &problem.remedy {
            html.raw("<br><span class=\"faint\">").foreign(remedy).raw("</span>");
        }
        html.raw("</td><td>").foreign(&problem.file);
        if let Some(offset) = problem.offset {
            html.raw(" at byte ").int(offset);
        }
        html.raw("</td></tr>");
    }
    html.raw("</tbody></table></div></details>");
}
