//! The answer about a date as plain text: for the terminal, and whole, for printing. Every text of an archive is escaped,
//! and no line begins with one, so that no URL can pass for a line of the report.

use std::io::{self, Write};

use crate::at::model::{At, PageAt, SiteVerdict, Witness};
use crate::at::words::{self, stretch};
use crate::change::at::State;
use crate::report::at_parts::{embeds, page_embeds, phrases};
use crate::report::layout::{paragraph as text, quoted};

/// How many exceptions the short form shows.
const SHOWN: usize = 20;

/// How much is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// For the terminal: the first exceptions, no witnesses.
    Short,
    /// For printing: everything.
    Whole,
}

impl Length {
    /// How many entries of a list are shown.
    pub(super) fn limit(self) -> usize {
        if self == Length::Whole { usize::MAX } else { SHOWN }
    }
}

/// Writes the answer.
pub fn write(out: &mut dyn Write, at: &At, length: Length) -> io::Result<()> {
    heading(out, "Question")?;
    text(out, "  ", &at.question)?;
    heading(out, "Answer")?;
    text(out, "  ", &format!("{}.", capital(at.verdict.words())))?;
    text(out, "  ", &at.answer)?;
    text(out, "  ", &format!("The same verdict holds {}.", stretch(at.holds)))?;
    if let Some(grade) = at.grade {
        text(out, "  ", &format!("The weakest evidence it rests on: {}.", words::grade(grade)))?;
    }
    for better in &at.better {
        text(out, "  ", &format!("Nearest instant that is {}: {}.", better.verdict.words(), better.at))?;
    }
    if let Some(most) = at.most_proven.as_ref().filter(|_| at.verdict != SiteVerdict::Coherent) {
        let when = most.when.first().map(|when| format!("{} to {}", when.from, when.to)).unwrap_or_default();
        let more = if most.when.len() > 1 { " and at other times" } else { "" };
        text(
            out,
            "  ",
            &format!("Most pages are proven, {} of {}, from {when}{more}.", most.pages, at.counts.pages),
        )?;
    }
    phrases(out, at, length)?;
    if at.parts.len() > 1 {
        heading(out, "Parts of the time")?;
        let limit = length.limit();
        for part in at.parts.iter().take(limit) {
            text(out, "  ", &format!("{} to {}: {}", part.from, part.to, part.verdict.words()))?;
        }
        rest(out, "  ", at.parts.len().saturating_sub(limit), "part")?;
    }
    heading(out, "Pages")?;
    for state in State::ALL {
        if at.counts.of(state) > 0 {
            text(out, "  ", &format!("{:>7}  {:<15} {}", at.counts.of(state), state.name(), meaning(state)))?;
        }
    }
    if let Some(partly) = words::partly(at) {
        text(out, "  ", &partly)?;
    }
    if at.sites.len() > 1 {
        heading(out, "Sites")?;
        for site in &at.sites {
            let counts = &site.counts;
            let line = format!(
                "{}: {}, {} of {} proven",
                site.site,
                site.verdict.words(),
                counts.proven,
                counts.pages
            );
            quoted(out, "  site ", &line)?;
        }
    }
    embeds(out, at, length)?;
    pages(out, at, length)?;
    heading(out, "Method")?;
    for sentence in &at.method {
        text(out, "  ", sentence)?;
    }
    heading(out, "Limits")?;
    for limit in &at.limits {
        text(out, "  - ", limit)?;
    }
    heading(out, "Assumed")?;
    for assumption in &at.assumptions {
        text(out, "  - ", assumption)?;
    }
    if length == Length::Whole {
        basis(out, at)?;
    }
    writeln!(out)
}

/// What a state means, in a few words.
pub(super) fn meaning(state: State) -> &'static str {
    match state {
        State::Proven => "equal captures before and after the date",
        State::Claimed => "the server's dates say so; no two captures do",
        State::ChangedNearby => "the captures around the date differ",
        State::Undecided => "the captures around the date cannot be compared",
        State::Unseen => "the date lies outside of all captures",
        State::Missing => "never captured",
    }
}

/// Whether a page stands in the way of a proof.
pub(super) fn is_exception(page: &&PageAt) -> bool {
    page.state != State::Proven || page.began_after.is_some()
}

fn pages(out: &mut dyn Write, at: &At, length: Length) -> io::Result<()> {
    let exceptions = at.pages.iter().filter(is_exception).count();
    let limit = length.limit();
    if exceptions > 0 {
        heading(out, "Exceptions")?;
        for page in at.pages.iter().filter(is_exception).take(limit) {
            self::page(out, page, length)?;
        }
        rest(out, "  ", exceptions.saturating_sub(limit), "page")?;
    }
    if length == Length::Whole && (exceptions as u64) < at.counts.pages {
        heading(out, "Proven pages")?;
        for page in at.pages.iter().filter(|page| !is_exception(page)) {
            self::page(out, page, length)?;
        }
    }
    Ok(())
}

fn page(out: &mut dyn Write, page: &PageAt, length: Length) -> io::Result<()> {
    quoted(out, "  page ", &page.url)?;
    let partly = if page.parts.is_empty() { "" } else { " for a part of the time" };
    text(out, "    ", &format!("{}{partly}{}", page.state.name(), state_line(page)))?;
    if length == Length::Short {
        return Ok(());
    }
    for part in &page.parts {
        text(out, "    ", &format!("{} to {}: {}", part.from, part.to, part.state.name()))?;
    }
    for witness in &page.witnesses {
        self::witness(out, witness)?;
    }
    page_embeds(out, page)
}

/// What is known of a page beside its state: grade, chance, and whether its version came later.
pub(super) fn state_line(page: &PageAt) -> String {
    let mut line = String::new();
    if let Some(grade) = page.grade {
        line += &format!(", by {}", grade.name());
    }
    if let Some(chance) = page.probability {
        let shown = match chance {
            // Nothing that is not proven is shown as certain.
            chance if chance > 0.999 => "more than 0.999".to_owned(),
            chance if chance < 0.001 => "less than 0.001".to_owned(),
            chance => format!("{chance:.3}"),
        };
        line += &format!("; chance that the closest version stood: {shown}");
    }
    if let Some(began) = page.began_after {
        line += &format!("; the closest version began after the date, at {began}");
    }
    line
}

fn witness(out: &mut dyn Write, witness: &Witness) -> io::Result<()> {
    let known = |value: Option<String>| value.unwrap_or_else(|| "unknown".to_owned());
    let status = known(witness.status.map(|status| status.to_string()));
    text(out, "    ", &format!("{}: captured {} (status {status})", witness.role.name(), witness.date))?;
    quoted(out, "      file ", &witness.file)?;
    if let Some(index) = &witness.index {
        quoted(out, "      not read; told by ", index)?;
    }
    text(out, "      offset ", &known(witness.offset.map(|offset| offset.to_string())))?;
    quoted(out, "      record ", &known(witness.record_id.clone()))?;
    let checked = match witness.digest_ok {
        Some(true) => "recomputed, agrees",
        Some(false) => "recomputed, differs",
        None => "not recomputed",
    };
    text(out, "      digest ", &format!("{} ({checked})", known(witness.declared.clone())))?;
    text(out, "      body BLAKE3 ", &known(witness.body_blake3.clone()))?;
    text(out, "      record SHA-256 ", &known(witness.record_sha256.clone()))
}

/// Inputs with their hashes, parameters, findings, version.
fn basis(out: &mut dyn Write, at: &At) -> io::Result<()> {
    heading(out, "Inputs")?;
    for input in &at.inputs {
        quoted(out, "  file ", &input.path)?;
        text(
            out,
            "    ",
            &format!("{}, {} bytes, {} captures", input.format, input.bytes, input.observations),
        )?;
        text(out, "    SHA-256 ", &input.sha256)?;
        text(out, "    BLAKE3  ", &input.blake3)?;
    }
    if !at.problems.is_empty() {
        heading(out, "Found while reading")?;
        for problem in &at.problems {
            text(out, "  ", &format!("{:>7}  {}", problem.count, problem.kind))?;
        }
    }
    heading(out, "Parameters")?;
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

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
