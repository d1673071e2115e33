//! The answer about a date as one page to print: question, answer in one sentence, exceptions first, with the records that
//! show them, method in plain words, inputs with hashes, parameters, version of the tool. For those who never saw a WARC, and
//! for those who know them well.

use std::io::{self, Write};

use super::audit::{MAX_REPORT_BYTES, foot};
use super::document::{Document, case_lines, every_page};
use super::markup::Html;
use super::{at_parts, evidence};
use crate::at::custody::Custody;
use crate::at::many_words::{part_word, word};
use crate::at::model::{At, PageAt, SiteVerdict, Witness};
use crate::at::words::{self, stretch};
use crate::change::at::State;
use crate::report::at::{chance, is_exception, meaning, state_line};
use crate::report::at_json::{AnswerFile, embeddable, in_groups};

/// What is left for the parts behind the pages, style and script.
const BEHIND: usize = 3_000_000;
/// Maximum number of entries of a list shown.
const MAX_LISTED_ENTRIES: usize = 500;

/// Writes the report: with the answer inside, byte for byte as in its own file.
pub(crate) fn write(
    out: &mut dyn Write,
    at: &At,
    file: &AnswerFile,
    custody: Option<&Custody>,
) -> io::Result<()> {
    let title = format!("{}: {} – Acuity", at.parameters.date, word(at));
    let mut document = Document { title, kind: "at", ..Document::default() };
    let html = &mut document.body;
    html.raw("<a class=\"skip\" href=\"#main\">To the answer</a><header class=\"top\"><p class=\"brand\">Acuity <span>what was online at a date</span></p><h1>");
    html.foreign(&at.parameters.date).raw("</h1></header>");
    views(html, at);
    html.raw("<main id=\"main\">");
    answer(html, at);
    at_parts::phrases(html, at);
    counts(html, at);
    html.raw("<section id=\"method\"><h2>Method</h2>");
    for sentence in &at.method {
        html.raw("<p>").text(sentence).raw("</p>");
    }
    html.raw("</section><div class=\"annex\"><p class=\"annex-title\">Annex: records and files</p>");
    at_parts::phrase_lists(html, at);
    at_parts::embeds(html, at);
    pages(html, at);
    basis(html, at);
    html.raw("</div>");
    seal(html, file, custody);
    html.raw("</main>");
    foot(html, &at.tool_version, &at.schema);
    document.print = on_every_page(file, custody);
    let data = &mut document.data;
    data.raw("<script type=\"application/json\" id=\"answer\">");
    data.data(&String::from_utf8_lossy(&file.bytes()?)).raw("</script>\n");
    if let Some(custody) = custody {
        let json = embeddable(custody)?;
        data.raw("<script type=\"application/json\" id=\"custody\">");
        data.data(&String::from_utf8_lossy(&json)).raw("</script>\n");
    }
    at.pages.check()?;
    document.write(out)
}

/// The hash of the answer, and who made the report.
fn seal(html: &mut Html, file: &AnswerFile, custody: Option<&Custody>) {
    html.raw(
        "<section id=\"custody\"><h2>This report</h2><p>SHA-256 of the answer: <span class=\"mono hash\">",
    );
    html.text(&in_groups(&file.sha256));
    html.raw("</span></p><p>The answer is inside this page. <code>acuity verify THIS.html INPUT…</code> takes it out, computes it again and reads every record again.</p>");
    if let Some(custody) = custody {
        html.raw("<table class=\"list\"><tbody>");
        for (name, value) in custody.lines() {
            html.raw("<tr><th scope=\"row\">").text(name).raw("</th><td>").foreign(&value).raw("</td></tr>");
        }
        html.raw("</tbody></table>");
    }
    html.raw("</section>");
}

/// What is printed on every page.
fn on_every_page(file: &AnswerFile, custody: Option<&Custody>) -> String {
    let line = custody.map(case_lines).unwrap_or_default();
    let left = format!("{line}\nSHA-256 {}", in_groups(&file.sha256));
    every_page(left.trim_start(), concat!("acuity ", env!("CARGO_PKG_VERSION")))
}

/// A list of sentences under a heading.
fn sentences(html: &mut Html, title: &'static str, sentences: &[String]) {
    if sentences.is_empty() {
        return;
    }
    html.raw("<h3>").raw(title).raw("</h3><ul class=\"notes\">");
    for sentence in sentences {
        html.raw("<li>").prose(sentence).raw("</li>");
    }
    html.raw("</ul>");
}

fn views(html: &mut Html, at: &At) {
    html.raw("<nav class=\"views\" aria-label=\"Views\"><ul><li><a href=\"#answer\">Answer</a></li>");
    if !at.phrases.is_empty() {
        html.raw("<li><a href=\"#phrases\">Phrases</a></li>");
    }
    html.raw("<li><a href=\"#counts\">Pages by state</a></li>");
    if at.counts.exceptions() > 0 {
        html.raw("<li><a href=\"#exceptions\">Not yes</a></li>");
    }
    html.raw("<li><a href=\"#method\">Method</a></li><li><a href=\"#evidence\">Evidence</a></li></ul></nav>");
}

fn answer(html: &mut Html, at: &At) {
    html.raw("<section class=\"answer\" id=\"answer\"><h2>Question</h2><p class=\"question\">")
        .foreign(&at.question)
        .raw("</p><h2>Answer</h2>");
    html.raw("<p class=\"verdict ")
        .raw(tone(at))
        .raw("\"><b class=\"word-of\" data-verdict>")
        .text(&word(at));
    html.raw("</b> <span data-answer>").prose(&at.answer).raw("</span></p>");
    sentences(html, "Because", &at.because);
    sentences(html, "Clocks", &at.clocks);
    sentences(html, "Assumed", &at.assumptions);
    sentences(html, "Not shown", &at.limits);
    html.raw("<h3>More</h3><ul class=\"notes\">");
    if at.parts.len() == 1 {
        html.raw("<li>The same answer holds ").prose(&stretch(at.holds)).raw(".</li>");
    }
    if let Some(grade) = at.grade {
        html.raw("<li>The weakest evidence it rests on: ").text(words::grade(grade)).raw(".</li>");
    }
    for better in &at.better {
        html.raw("<li>").prose(&words::better(*better)).raw("</li>");
    }
    if let Some(best) = words::at_best(at) {
        html.raw("<li>").prose(&best).raw("</li>");
    }
    html.raw("</ul>");
    if at.parts.len() > 1 {
        html.raw("<h3>Parts of the time</h3><table class=\"list\"><thead><tr><th scope=\"col\">From</th><th scope=\"col\">To</th><th scope=\"col\">Answer</th></tr></thead><tbody>");
        for part in at.parts.iter().take(MAX_LISTED_ENTRIES) {
            html.raw("<tr><td>")
                .text(&part.from.to_string())
                .raw("</td><td>")
                .text(&part.to.to_string())
                .raw("</td><td>");
            html.text(&part_word(at, part)).raw("</td></tr>");
        }
        html.raw("</tbody></table>");
        more(html, at.parts.len().saturating_sub(MAX_LISTED_ENTRIES));
    }
    html.raw("</section>");
}

fn tone(at: &At) -> &'static str {
    match at.verdict {
        SiteVerdict::Coherent if at.counts.absent == 0 => "good",
        SiteVerdict::Coherent | SiteVerdict::NotProvable => "open",
        SiteVerdict::NotCoherent => "bad",
    }
}

/// Writes how many of a list are left out.
pub(super) fn more(html: &mut Html, number: usize) {
    if number > 0 {
        html.raw("<p class=\"note\">and ")
            .int(number as u64)
            .raw(" more: --print FILE and --json=FILE have them all</p>");
    }
}

fn counts(html: &mut Html, at: &At) {
    html.raw("<section id=\"counts\"><h2>Pages by state</h2><table class=\"list\"><thead><tr><th scope=\"col\" class=\"number\">Pages</th><th scope=\"col\">State</th>");
    html.raw("<th scope=\"col\">What it means</th></tr></thead><tbody>");
    for state in State::ALL.into_iter().filter(|state| at.counts.of(*state) > 0) {
        html.raw("<tr><td class=\"number\" data-count=\"")
            .raw(state.name())
            .raw("\">")
            .int(at.counts.of(state))
            .raw("</td><td>");
        chip(html, state);
        html.raw("</td><td>").raw(meaning(state)).raw("</td></tr>");
    }
    html.raw("</tbody></table>");
    if let Some(partly) = words::partly(at) {
        html.raw("<p>").prose(&partly).raw("</p>");
    }
    if at.sites.len() > 1 {
        html.raw("<h3>Sites</h3><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Sites\"><table class=\"list sortable\"><thead><tr><th scope=\"col\">Site</th><th scope=\"col\">Answer</th>");
        html.raw("<th scope=\"col\" class=\"number\" data-kind=\"number\">Pages</th><th scope=\"col\" class=\"number\" data-kind=\"number\">Yes</th></tr></thead><tbody>");
        for site in at.sites.iter().take(MAX_LISTED_ENTRIES) {
            html.raw("<tr><th scope=\"row\">")
                .foreign(&site.site)
                .raw("</th><td>")
                .raw(words::site(site))
                .raw("</td><td class=\"number\">");
            html.int(site.counts.pages)
                .raw("</td><td class=\"number\">")
                .int(site.counts.proven)
                .raw("</td></tr>");
        }
        html.raw("</tbody></table></div>");
        more(html, at.sites.len().saturating_sub(MAX_LISTED_ENTRIES));
    }
    html.raw("</section>");
}

/// The state of a page as a mark; its colours are those of the audit.
fn chip(html: &mut Html, state: State) {
    let class = match state {
        State::Proven => "sharp",
        State::ChangedNearby => "changed",
        State::Claimed | State::Undecided => "unknown",
        State::Unseen | State::Missing => "single",
    };
    html.raw("<span class=\"state ").raw(class).raw("\">").raw(state.name()).raw("</span>");
}

fn pages(html: &mut Html, at: &At) {
    let exceptions = at.counts.exceptions() as usize;
    let proven = at.pages.len().saturating_sub(exceptions);
    for (anchor, title, pages, wanted) in [
        ("exceptions", "Pages for which the answer is not yes", exceptions, true),
        ("proven", "Pages for which the answer is yes", proven, false),
    ] {
        if pages == 0 {
            continue;
        }
        html.raw("<section id=\"").raw(anchor).raw("\"><h2>").raw(title).raw("</h2>");
        let mut shown = 0;
        for page in at.pages.iter().filter(|page| is_exception(page) == wanted) {
            if html.len() > MAX_REPORT_BYTES - BEHIND {
                break;
            }
            proof(html, &page);
            shown += 1;
        }
        more(html, pages.saturating_sub(shown));
        html.raw("</section>");
    }
}

/// One page: what is known of it, and the records that say so.
fn proof(html: &mut Html, page: &PageAt) {
    html.raw("<div class=\"proof\"><h3>").url(&page.url, &page.url).raw("</h3><p>");
    chip(html, page.state);
    html.raw(" ").prose(state_line(page).trim_start_matches([',', ';', ' '])).raw("</p>");
    if page.probability.is_some() {
        html.raw("<p class=\"note\">Estimate, not evidence: ").prose(&chance(page)).raw("</p>");
    }
    if !page.contradictions.is_empty() || !page.unused.is_empty() {
        html.raw("<ul class=\"notes\">");
        for one in &page.contradictions {
            html.raw("<li><b>Contradiction</b>: the record of ")
                .prose(&one.captured.to_string())
                .raw(", ")
                .foreign(&one.file);
            let byte =
                |offset: Option<u64>| offset.map_or_else(String::new, |offset| format!(" at byte {offset}"));
            html.text(&byte(one.offset)).raw(": ").text(&one.words);
            if let Some(other) = &one.other_file {
                html.raw("; the other is ").foreign(other).text(&byte(one.other_offset));
            }
            html.raw("</li>");
        }
        for one in &page.unused {
            html.raw("<li>Not used: the record of ")
                .prose(&one.captured.to_string())
                .raw(", ")
                .foreign(&one.file);
            html.raw(": ").text(&one.reason).raw("</li>");
        }
        html.raw("</ul>");
    }
    if !page.parts.is_empty() {
        html.raw("<ul class=\"notes\">");
        for part in page.parts.iter().take(MAX_LISTED_ENTRIES) {
            html.raw("<li>")
                .prose(&format!("{} to {}: {}", part.from, part.to, part.state.name()))
                .raw("</li>");
        }
        html.raw("</ul>");
    }
    if !page.witnesses.is_empty() {
        html.raw(RECORDS);
        for one in &page.witnesses {
            witness(html, &one.label, one.role.name(), one);
        }
        html.raw("</tbody></table></div>");
    }
    at_parts::page_embeds(html, page);
    html.raw("</div>");
}

/// The begin of a table of records.
pub(super) const RECORDS: &str = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Records\"><table \
     class=\"list witnesses\"><thead><tr><th scope=\"col\">Record</th><th scope=\"col\">Where</th><th \
     scope=\"col\">Digests</th></tr></thead><tbody>";

/// One row of that table.
pub(super) fn witness(html: &mut Html, label: &str, role: &str, witness: &Witness) {
    let known = |html: &mut Html, value: Option<&str>| {
        html.foreign(value.unwrap_or("unknown"));
    };
    html.raw("<tr><td><b>")
        .text(label)
        .raw("</b>, ")
        .text(role)
        .raw("<br>")
        .prose(&witness.date.to_string())
        .raw("<br><span class=\"faint\">status ");
    known(html, witness.status.map(|status| status.to_string()).as_deref());
    html.raw("</span>");
    let kept = witness.age.map(|age| format!(", Age {age} s"));
    if let (Some(date), Some(seconds)) = (witness.http_date, witness.clock_difference) {
        html.raw("<br><span class=\"faint\">server clock ")
            .prose(&format!("{date} ({seconds:+} s{})", kept.unwrap_or_default()))
            .raw("</span>");
    }
    html.raw("</td><td>").foreign(&witness.url).raw("<br>").foreign(&witness.file);
    if let Some(index) = &witness.index {
        html.raw(" <span class=\"faint\">not read; listed by ").foreign(index).raw("</span>");
    }
    html.raw("<br>byte ");
    known(html, witness.offset.map(|offset| offset.to_string()).as_deref());
    html.raw("<br><span class=\"mono\">");
    known(html, witness.record_id.as_deref());
    html.raw("</span>");
    for (name, value) in [("written by ", &witness.writer), ("server IP ", &witness.ip)] {
        if let Some(value) = value {
            html.raw("<br><span class=\"faint\">").raw(name).foreign(value).raw("</span>");
        }
    }
    if let Some(request) = &witness.request {
        html.raw("<br><span class=\"faint\">request ").foreign(&request.line).raw("</span>");
        for header in &request.headers {
            html.raw("<br><span class=\"faint\">").foreign(header).raw("</span>");
        }
    }
    html.raw("</td><td class=\"mono hash\">");
    known(html, witness.declared.as_deref());
    html.raw(" (").raw(witness.digest_words()).raw(")<br>content BLAKE3 ");
    known(html, witness.body_blake3.as_deref());
    html.raw("<br>record SHA-256 ");
    known(html, witness.record_sha256.as_deref());
    html.raw("</td></tr>");
}

/// Inputs with their hashes, parameters, findings.
fn basis(html: &mut Html, at: &At) {
    html.raw("<section id=\"evidence\" class=\"evidence\"><h2>Evidence</h2><h3>Inputs</h3><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Inputs\">");
    html.raw("<table class=\"list\"><thead><tr><th scope=\"col\">File</th><th scope=\"col\" class=\"number\">Bytes</th><th scope=\"col\" class=\"number\">Captures</th>");
    html.raw("<th scope=\"col\">Hashes</th></tr></thead><tbody>");
    for input in at.inputs.iter().take(2 * MAX_LISTED_ENTRIES) {
        html.raw("<tr><th scope=\"row\">")
            .foreign(&input.path)
            .raw("<br><span class=\"faint\">")
            .text(input.format.word());
        html.raw("</span></th><td class=\"number\">")
            .int(input.bytes)
            .raw("</td><td class=\"number\">")
            .int(input.observations);
        html.raw("</td><td class=\"mono hash\">SHA-256 ")
            .text(&input.sha256)
            .raw("<br>BLAKE3 ")
            .text(&input.blake3)
            .raw("</td></tr>");
    }
    html.raw("</tbody></table></div>");
    more(html, at.inputs.len().saturating_sub(2 * MAX_LISTED_ENTRIES));
    evidence::parameters(html, &serde_json::to_value(&at.parameters).unwrap_or_default());
    evidence::problems(html, &at.problems, &[]);
    html.raw("</section>");
}
