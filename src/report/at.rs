//! The answer about a date as plain text: short for the terminal, whole for printing. Every text of an archive is escaped,
//! and no line begins with one, so that no URL can pass for a line of the report.

use std::io::{self, Write};

use crate::at::custody::Custody;
use crate::at::many_words::part_word;
use crate::at::model::{At, PageAt, Witness};
use crate::at::words::{self, stretch};
use crate::change::at::State;
use crate::report::at_json::in_groups;
use crate::report::at_parts::{embeds, page_embeds, phrases};
use crate::report::layout::{paragraph as text, quoted};

/// How many exceptions the short form shows.
const MAX_SHOWN_EXCEPTIONS: usize = 20;

/// How much is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// For the terminal: the first entries of lists, no records.
    Short,
    /// For printing: everything.
    Whole,
}

impl Length {
    /// Maximum number of entries of a list shown.
    pub(super) fn limit(self) -> usize {
        if self == Length::Whole { usize::MAX } else { MAX_SHOWN_EXCEPTIONS }
    }
}

/// What is printed beside the answer.
#[derive(Debug, Clone, Copy)]
pub struct Seal<'a> {
    /// SHA-256 of the file of the answer.
    pub sha256: &'a str,
    /// Who made the report; only in the whole one.
    pub custody: Option<&'a Custody>,
}

/// Labels are at the left, as in the exhibits of a brief.
const MARGIN: &str = "           ";

/// A label, padded to the margin.
fn label(word: &str) -> String {
    format!("{word:<width$}", width = MARGIN.len())
}

/// Sentences under one label.
fn labelled(out: &mut dyn Write, word: &str, sentences: &[String]) -> io::Result<()> {
    for (place, sentence) in sentences.iter().enumerate() {
        text(out, &label(if place == 0 { word } else { "" }), sentence)?;
    }
    Ok(())
}

/// Writes the answer.
pub fn write(out: &mut dyn Write, at: &At, seal: Seal<'_>, length: Length) -> io::Result<()> {
    text(out, &label("QUESTION"), &at.question)?;
    text(out, &label("ANSWER"), &at.answer)?;
    labelled(out, "BECAUSE", &at.because)?;
    labelled(out, "CLOCKS", &at.clocks)?;
    labelled(out, "ASSUMED", &at.assumptions)?;
    labelled(out, "NOT SHOWN", &at.limits)?;
    phrases(out, at, length)?;
    heading(out, "MORE")?;
    if at.parts.len() == 1 {
        text(out, "  ", &format!("The same answer holds {}.", stretch(at.holds)))?;
    }
    if let Some(grade) = at.grade {
        text(out, "  ", &format!("The weakest evidence it rests on: {}.", words::grade(grade)))?;
    }
    for better in &at.better {
        text(out, "  ", &words::better(*better))?;
    }
    if let Some(best) = words::at_best(at) {
        text(out, "  ", &best)?;
    }
    estimates(out, at, length)?;
    if at.parts.len() > 1 {
        heading(out, "PARTS OF THE TIME")?;
        let limit = length.limit();
        for part in at.parts.iter().take(limit) {
            text(out, "  ", &format!("{} to {}: {}", part.from, part.to, part_word(at, part)))?;
        }
        rest(out, "  ", at.parts.len().saturating_sub(limit), "part")?;
    }
    if at.counts.pages > 1 {
        counts(out, at)?;
    }
    embeds(out, at, length)?;
    pages(out, at, length)?;
    if length == Length::Whole {
        heading(out, "METHOD")?;
        for sentence in &at.method {
            text(out, "  ", sentence)?;
        }
        basis(out, at)?;
    }
    if let Some(custody) = seal.custody {
        heading(out, "CUSTODY")?;
        for (name, value) in custody.lines() {
            quoted(out, &format!("  {name:<9} "), &value)?;
        }
    }
    at.pages.check()?;
    writeln!(out)?;
    text(out, "", &format!("SHA-256 of the answer (answer.json): {}", in_groups(seal.sha256)))?;
    writeln!(out)
}

fn counts(out: &mut dyn Write, at: &At) -> io::Result<()> {
    heading(out, "PAGES")?;
    for state in State::ALL {
        if at.counts.of(state) > 0 {
            text(out, "  ", &format!("{:>7}  {:<15} {}", at.counts.of(state), state.name(), meaning(state)))?;
        }
    }
    if let Some(partly) = words::partly(at) {
        text(out, "  ", &partly)?;
    }
    if at.sites.len() > 1 {
        heading(out, "SITES")?;
        for site in &at.sites {
            let counts = &site.counts;
            let line = format!(
                "{}: {}; proven for {} of {} pages",
                site.site,
                words::site(site),
                counts.proven,
                counts.pages
            );
            quoted(out, "  site ", &line)?;
        }
    }
    Ok(())
}

/// Chances, apart from the evidence.
fn estimates(out: &mut dyn Write, at: &At, length: Length) -> io::Result<()> {
    let estimated = || at.pages.iter().filter(|page| page.probability.is_some());
    if !at.parameters.estimates {
        return Ok(());
    }
    if estimated().next().is_none() {
        let is_open = |page: &PageAt| {
            !matches!(page.state, State::Proven | State::Missing) && page.began_after.is_none()
        };
        if at.pages.iter().any(|page| is_open(&page)) {
            heading(out, "ESTIMATES")?;
            text(out, "  ", "None: nothing in this archive shows how often the pages change.")?;
        }
        return Ok(());
    }
    heading(out, "ESTIMATES (not evidence; from how often the pages changed in this archive)")?;
    for page in estimated().take(length.limit()) {
        quoted(out, "  page ", &page.url)?;
        text(out, "    ", &chance(&page))?;
    }
    rest(out, "  ", estimated().count().saturating_sub(length.limit()), "page")
}

/// What a state means, in a few words.
pub(super) fn meaning(state: State) -> &'static str {
    match state {
        State::Proven => "equal captures before and after the date",
        State::Claimed => "only claims say so, such as the server's own dates",
        State::ChangedNearby => "the captures around the date differ",
        State::Undecided => "the captures around the date cannot be compared",
        State::Unseen => "the date is before the first or after the last capture",
        State::Missing => "never captured",
    }
}

/// Whether the answer is not yes for a page.
pub(super) fn is_exception(page: &PageAt) -> bool {
    page.state != State::Proven || page.is_absent()
}

fn pages(out: &mut dyn Write, at: &At, length: Length) -> io::Result<()> {
    let exceptions = at.counts.exceptions() as usize;
    let limit = length.limit();
    if exceptions > 0 {
        heading(out, if at.counts.pages == 1 { "PAGE" } else { "PAGES FOR WHICH THE ANSWER IS NOT YES" })?;
        for page in at.pages.iter().filter(|page| is_exception(page)).take(limit) {
            self::page(out, &page, length)?;
        }
        rest(out, "  ", exceptions.saturating_sub(limit), "page")?;
    }
    if length == Length::Whole && (exceptions as u64) < at.counts.pages {
        heading(out, if at.counts.pages == 1 { "PAGE" } else { "PAGES FOR WHICH THE ANSWER IS YES" })?;
        for page in at.pages.iter().filter(|page| !is_exception(page)) {
            self::page(out, &page, length)?;
        }
    }
    Ok(())
}

fn page(out: &mut dyn Write, page: &PageAt, length: Length) -> io::Result<()> {
    quoted(out, "  page ", &page.url)?;
    let partly = if page.parts.is_empty() { "" } else { " for a part of the time" };
    text(out, "    ", &format!("{}{partly}{}", page.state.name(), state_line(page)))?;
    if length == Length::Short && page.contradictions.is_empty() {
        return Ok(());
    }
    for unused in &page.unused {
        let line = format!(
            "not used: the capture of {} ({} at {}): {}",
            unused.captured,
            unused.file,
            place(unused.offset),
            unused.reason
        );
        quoted(out, "    ", &line)?;
    }
    for one in &page.contradictions {
        let mut line = format!(
            "contradiction: the capture of {} ({} at {}): {}",
            one.captured,
            one.file,
            place(one.offset),
            one.words
        );
        if let Some(other) = &one.other_file {
            line += &format!("; the other is {other}");
            line +=
                &one.other_offset.map_or_else(String::new, |offset| format!(" at {}", place(Some(offset))));
        }
        quoted(out, "    ", &line)?;
    }
    for part in &page.parts {
        text(out, "    ", &format!("{} to {}: {}", part.from, part.to, part.state.name()))?;
    }
    if length == Length::Short {
        return Ok(());
    }
    for record in &page.witnesses {
        self::record(out, record)?;
    }
    page_embeds(out, page)
}

/// A place in a file.
fn place(offset: Option<u64>) -> String {
    offset.map_or_else(
        || "an unknown place".to_owned(),
        |offset| format!("byte {}", crate::format::number(offset)),
    )
}

/// What is known of a page beside its state: the grade, and whether its version is newer.
pub(super) fn state_line(page: &PageAt) -> String {
    let mut line = String::new();
    if let Some(status) = page.shown.iter().find_map(|part| part.status).filter(|_| page.is_absent()) {
        line += &format!(", the address answered {}", words::status_words(status));
    }
    if let Some(grade) = page.grade {
        line += &format!(", by {}", grade.name());
    }
    if let Some(began) = page.began_after {
        line +=
            &format!("; by Last-Modified, the version captured after that time was last changed at {began}");
    }
    line
}

/// An estimate in words.
pub(super) fn chance(page: &PageAt) -> String {
    let shown = match page.probability {
        // Nothing that is not proven is shown as certain.
        Some(chance) if chance > 0.99 => "over 99%".to_owned(),
        Some(chance) if chance < 0.01 => "under 1%".to_owned(),
        Some(chance) => format!("about {:.0}%", 100.0 * chance),
        None => "unknown".to_owned(),
    };
    let rate = page.rate_per_day.map_or_else(String::new, |rate| {
        format!("; the page is estimated to change {} times a day", crate::format::figure(rate))
    });
    format!("chance that the nearest captured version was there: {shown}{rate}")
}

fn record(out: &mut dyn Write, record: &Witness) -> io::Result<()> {
    let known = |value: Option<String>| value.unwrap_or_else(|| "unknown".to_owned());
    let status = known(record.status.map(words::status_words));
    let head =
        format!("Record {} ({}): captured {}, {status}", record.label, record.role.name(), record.date);
    text(out, "    ", &head)?;
    record_lines(out, record)
}

/// Where a record lies, its hashes, and what is known of how it was made.
pub(super) fn record_lines(out: &mut dyn Write, record: &Witness) -> io::Result<()> {
    let known = |value: Option<String>| value.unwrap_or_else(|| "unknown".to_owned());
    quoted(out, "      address ", &record.url)?;
    quoted(out, "      file ", &record.file)?;
    if let Some(index) = &record.index {
        quoted(out, "      not read; listed by ", index)?;
    }
    text(out, "      offset ", &known(record.offset.map(|offset| offset.to_string())))?;
    if let Some(length) = record.length {
        text(out, "      length ", &length.to_string())?;
    }
    quoted(out, "      record id ", &known(record.record_id.clone()))?;
    text(out, "      record SHA-256 ", &known(record.record_sha256.clone()))?;
    text(out, "      file SHA-256 ", &known(record.file_sha256.clone()))?;
    let checked = record.digest_words();
    text(out, "      stated digest ", &format!("{} ({checked})", known(record.declared.clone())))?;
    text(out, "      content BLAKE3 ", &known(record.body_blake3.clone()))?;
    let clocks = match (record.http_date, record.clock_difference) {
        (Some(date), Some(seconds)) => {
            let kept = record.age.map_or_else(String::new, |age| format!(", Age {age} s"));
            format!("crawler {}, server {date}, difference {seconds} s{kept}", record.date)
        }
        _ => format!("crawler {}, server not stated", record.date),
    };
    text(out, "      clocks ", &clocks)?;
    for (name, value) in [("written by", &record.writer), ("crawl", &record.crawl), ("server IP", &record.ip)]
    {
        if let Some(value) = value {
            quoted(out, &format!("      {name} "), value)?;
        }
    }
    if let Some(request) = &record.request {
        quoted(out, "      request ", &request.line)?;
        request.headers.iter().try_for_each(|header| quoted(out, "        ", header))?;
    }
    Ok(())
}

/// Inputs with their hashes, parameters, findings, version.
fn basis(out: &mut dyn Write, at: &At) -> io::Result<()> {
    heading(out, "INPUTS")?;
    for input in &at.inputs {
        quoted(out, "  file ", &input.path)?;
        text(
            out,
            "    ",
            &format!("{}, {} bytes, {} captures", input.format.word(), input.bytes, input.observations),
        )?;
        text(out, "    SHA-256 ", &input.sha256)?;
        text(out, "    BLAKE3  ", &input.blake3)?;
    }
    if !at.problems.is_empty() {
        heading(out, "FOUND WHILE READING")?;
        for problem in &at.problems {
            text(out, "  ", &format!("{:>7}  {}", problem.count, problem.kind))?;
        }
    }
    heading(out, "PARAMETERS")?;
    let parameters = &at.parameters;
    text(out, "  date ", &parameters.date)?;
    text(
        out,
        "  ",
        &format!(
            "canon {}, site by {}, evidence {}, digests {}",
            parameters.canon,
            parameters.site_by,
            parameters.evidence.name(),
            parameters.digests
        ),
    )?;
    for url in &parameters.urls {
        quoted(out, "  url ", url)?;
    }
    for phrase in &parameters.phrases {
        quoted(out, if parameters.raw { "  raw phrase " } else { "  phrase " }, phrase)?;
    }
    text(out, "  ", &format!("acuity {}, {}", at.tool_version, at.schema))
}

pub(super) fn heading(out: &mut dyn Write, heading: &str) -> io::Result<()> {
    writeln!(out, "\n{heading}")
}

pub(super) fn rest(out: &mut dyn Write, mark: &str, count: usize, noun: &str) -> io::Result<()> {
    if count == 0 {
        return Ok(());
    }
    writeln!(
        out,
        "{mark}and {count} more {noun}{}: --print FILE shows all",
        if count == 1 { "" } else { "s" }
    )
}
