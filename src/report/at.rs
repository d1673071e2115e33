//! The answer about a date as plain text: for the terminal, and whole, for printing. Every text of an archive is escaped,
//! and no line begins with one, so that no URL can pass for a line of the report.

use std::io::{self, Write};

use crate::audit::at_model::{At, PageAt, Role, SiteVerdict, Witness};
use crate::audit::at_words::stretch;
use crate::change::at::State;
use crate::report::escape::terminal;
use crate::report::layout::wrap;

/// How many exceptions the short form shows.
const SHOWN: usize = 20;

/// How wide the text is.
const WIDTH: usize = 80;

/// How much is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// For the terminal: the first exceptions, no witnesses.
    Short,
    /// For printing: everything.
    Whole,
}

/// Writes the answer.
pub fn write(out: &mut dyn Write, at: &At, length: Length) -> io::Result<()> {
    heading(out, "Question")?;
    let which = match (&at.parameters.site, at.parameters.urls.len()) {
        (_, 1..) => "the pages that were named".to_owned(),
        (Some(site), _) => format!("the pages of {site}"),
        (None, _) => "all captured pages".to_owned(),
    };
    let asked = if at.asked.from == at.asked.to {
        at.asked.from.to_string()
    } else {
        format!("{} (all of it: {} to {})", at.parameters.date, at.asked.from, at.asked.to)
    };
    text(out, "  ", &format!("Did {which} stand together, as captured, at {asked}?"))?;
    heading(out, "Answer")?;
    text(out, "  ", &format!("{}.", capital(at.verdict.words())))?;
    text(out, "  ", &at.answer)?;
    text(out, "  ", &format!("The same verdict holds {}.", stretch(at.holds)))?;
    if let Some(grade) = at.grade {
        text(out, "  ", &format!("The weakest evidence it rests on: {}.", grade.name()))?;
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
    if at.parts.len() > 1 {
        heading(out, "Parts of the time")?;
        let limit = if length == Length::Whole { usize::MAX } else { SHOWN };
        for part in at.parts.iter().take(limit) {
            text(out, "  ", &format!("{} to {}: {}", part.from, part.to, part.verdict.words()))?;
        }
        rest(out, at.parts.len().saturating_sub(limit), "part")?;
    }
    heading(out, "Pages")?;
    for state in State::ALL {
        if at.counts.of(state) > 0 {
            text(out, "  ", &format!("{:>7}  {:<15} {}", at.counts.of(state), state.name(), meaning(state)))?;
        }
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
            text(out, "  ", &line)?;
        }
    }
    pages(out, at, length)?;
    heading(out, "Method")?;
    for sentence in METHOD {
        text(out, "  ", sentence)?;
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

const METHOD: [&str; 2] = [
    "A page is proven for a time when one capture before it and one after it are equal, and no capture in between differs. \
     The capture is coherent at a date when every page is proven at that date.",
    "It is not coherent when, for some page, the server's own Last-Modified shows that the captured version closest to the \
     date came only after it. Everything else is not provable, which says nothing against the pages.",
];

fn meaning(state: State) -> &'static str {
    match state {
        State::Proven => "equal captures before and after the date",
        State::Claimed => "the server's dates say so; no two captures do",
        State::ChangedNearby => "the captures around the date differ",
        State::Undecided => "the captures around the date cannot be compared",
        State::Unseen => "the date lies outside of all captures",
        State::Missing => "never captured",
    }
}

fn pages(out: &mut dyn Write, at: &At, length: Length) -> io::Result<()> {
    let is_exception = |page: &&PageAt| page.state != State::Proven || page.began_after.is_some();
    let exceptions = at.pages.iter().filter(is_exception).count();
    let limit = if length == Length::Whole { usize::MAX } else { SHOWN };
    if exceptions > 0 {
        heading(out, "Exceptions")?;
        for page in at.pages.iter().filter(is_exception).take(limit) {
            self::page(out, page, length)?;
        }
        rest(out, exceptions.saturating_sub(limit), "page")?;
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
    text(out, "  page ", &page.url)?;
    let mut line = page.state.name().to_owned();
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
    text(out, "    ", &line)?;
    if length == Length::Short {
        return Ok(());
    }
    for part in &page.parts {
        text(out, "    ", &format!("{} to {}: {}", part.from, part.to, part.state.name()))?;
    }
    for witness in &page.witnesses {
        self::witness(out, witness)?;
    }
    Ok(())
}

fn witness(out: &mut dyn Write, witness: &Witness) -> io::Result<()> {
    let role = match witness.role {
        Role::Before => "before",
        Role::After => "after",
        Role::Original => "original",
    };
    let known = |value: Option<String>| value.unwrap_or_else(|| "unknown".to_owned());
    let status = known(witness.status.map(|status| status.to_string()));
    text(out, "    ", &format!("{role}: captured {} (status {status})", witness.date))?;
    text(out, "      file ", &witness.file)?;
    text(out, "      offset ", &known(witness.offset.map(|offset| offset.to_string())))?;
    text(out, "      record ", &known(witness.record_id.clone()))?;
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
        text(out, "  file ", &input.path)?;
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
        text(out, "  url ", url)?;
    }
    text(out, "  ", &format!("acuity {}, {}", at.tool_version, at.schema))
}

fn heading(out: &mut dyn Write, heading: &str) -> io::Result<()> {
    writeln!(out, "\n{heading}")
}

fn rest(out: &mut dyn Write, count: usize, noun: &str) -> io::Result<()> {
    if count == 0 {
        return Ok(());
    }
    writeln!(out, "  and {count} more {noun}{}: --print FILE shows all", if count == 1 { "" } else { "s" })
}

/// A paragraph behind a mark. What comes from archives is escaped, so it stays on lines that the report indents.
fn text(out: &mut dyn Write, mark: &str, text: &str) -> io::Result<()> {
    let escaped = terminal(text);
    let blank = " ".repeat(mark.len());
    // Columns of a table keep their blanks.
    let lines = if escaped.len() + mark.len() <= WIDTH && escaped.is_ascii() {
        vec![escaped.into_owned()]
    } else {
        wrap(&escaped, WIDTH - mark.len())
    };
    for (place, line) in lines.iter().enumerate() {
        writeln!(out, "{}{line}", if place == 0 { mark } else { &blank })?;
    }
    Ok(())
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
