//! The timeline of a page as text.

use std::io::{self, Write};

use crate::at::timeline::{PhraseLine, Timeline, Version};
use crate::at::version_change::VersionChange;
use crate::report::at::record_lines;
use crate::report::layout::{paragraph, quoted};
use crate::time::Instant;

/// The time from the first capture to the last.
pub(crate) fn span(line: &Timeline) -> String {
    match line.over.from == line.last {
        true => line.last.to_string(),
        false => format!("{} to {}", line.over.from, line.last),
    }
}

pub(crate) const NOT_SHOWN: [&str; 2] = [
    "Who wrote the content; what other visitors were served; what scripts in the page did in a browser.",
    "What was there between captures that differ, before the first and after the last.",
];

pub(crate) const LEGEND: &str =
    "letter: captured version; = proven; - claimed; . changed nearby; ? undecided";

pub(crate) const STAR: &str =
    "*: captured; a version after Z, or one that cannot be compared with the others";

/// Maximum number of parts of a change shown.
const PARTS: usize = 20;

/// Writes every version, the proven stretches between them, and phrases if asked for.
pub(crate) fn write(out: &mut dyn Write, line: &Timeline, given: &[(&'static str, &str)]) -> io::Result<()> {
    for (name, value) in given {
        quoted(out, &format!("{name:<9}"), value)?;
    }
    quoted(out, "page ", &line.url)?;
    if let Some(canon) = &line.canon {
        paragraph(out, "", canon)?;
    }
    writeln!(out, "\n  |{}|", line.strip)?;
    writeln!(out, "  {}", span(line))?;
    writeln!(out, "  {LEGEND}")?;
    if line.strip.contains('*') {
        writeln!(out, "  {STAR}")?;
    }
    for phrase in &line.phrases {
        self::phrase(out, line, phrase)?;
    }
    for (place, version) in line.versions.iter().enumerate() {
        writeln!(out, "\n  {}  {}", version.name, captures(version))?;
        quoted(out, "     answered ", &version.answered())?;
        match (version.proven, version.grade) {
            (Some(proven), Some(grade)) => {
                writeln!(out, "     proven   {} to {}", proven.from, proven.to)?;
                writeln!(out, "              by {}", grade.name())?;
            }
            _ => writeln!(out, "     proven   at no time")?,
        }
        if let Some(claimed) = version.claimed {
            writeln!(out, "     claimed  {} to {}", claimed.from, claimed.to)?;
        }
        writeln!(out, "     {}   after {}", stood(version), end(version.outer.after))?;
        writeln!(out, "              before {}", end(version.outer.before))?;
        for (what, record) in &version.records {
            writeln!(out, "     record   {what}, {}", record.date)?;
            record_lines(out, record)?;
        }
        if let Some(change) = &version.change {
            self::change(out, change)?;
        }
        match version.next_differs {
            Some(true) => writeln!(out, "     the next version differs")?,
            Some(false) if is_again(line, place) => {
                writeln!(out, "     the next capture shows the same version")?
            }
            Some(false) => writeln!(out, "     whether the next capture differs is unknown")?,
            None => {}
        }
        for phrase in &line.phrases {
            match phrase.versions.get(place) {
                Some(Ok(true)) => quoted(out, "     holds    ", &phrase.phrase)?,
                Some(Ok(false)) => quoted(out, "     lacks    ", &phrase.phrase)?,
                Some(Err(reason)) => {
                    quoted(out, "     unknown  ", &format!("{}: {reason}", phrase.phrase))?;
                }
                None => {}
            }
        }
    }
    if line.failed > 0 {
        writeln!(out, "\n  failed captures: {}", line.failed)?;
    }
    if line.contradicted > 0 {
        writeln!(out, "\n  Last-Modified dates that the captures contradict: {}", line.contradicted)?;
    }
    if !line.doubts.is_empty() {
        writeln!(out, "\nFound among the records")?;
        line.doubts.iter().try_for_each(|doubt| quoted(out, "  - ", doubt))?;
    }
    writeln!(out, "\nAssumed")?;
    line.assumed.iter().try_for_each(|assumption| paragraph(out, "  - ", assumption))?;
    writeln!(out, "\nNot shown")?;
    NOT_SHOWN.iter().try_for_each(|sentence| paragraph(out, "  - ", sentence))
}

/// Whether the version behind one is known to equal it.
fn is_again(line: &Timeline, place: usize) -> bool {
    let name = |place: usize| line.versions.get(place).map(|version| version.name.as_str());
    name(place).is_some_and(|name| name != "*") && name(place) == name(place + 1)
}

/// How often a version was captured, and when.
pub(crate) fn captures(version: &Version) -> String {
    match version.looks {
        1 => format!("1 capture, {}", version.first),
        looks => format!("{looks} captures, {} to {}", version.first, version.last),
    }
}

/// What the bounds of a version describe: a page that is online, or an answer that the page is missing.
pub(crate) fn stood(version: &Version) -> &'static str {
    if version.is_page() { "online" } else { "answer" }
}

/// A bound of the time in which a version can have been online.
pub(crate) fn end(at: Option<Instant>) -> String {
    at.map_or_else(|| "a time unknown".to_owned(), |at| at.to_string())
}

/// How a version is described that shows the text of the one before.
pub(crate) const SAME_WORDS: &str = "the same words; only the markup, scripts or comments changed";

/// What changed from the version before.
fn change(out: &mut dyn Write, change: &VersionChange) -> io::Result<()> {
    if let Some(why) = &change.unknown {
        return quoted(out, "     changed  ", &format!("what changed is unknown: {why}"));
    }
    if let Some(importance) = change.importance {
        writeln!(out, "     changed  importance {importance:.3} (from 0 to 1)")?;
    }
    if let Some(words) = &change.answer {
        return quoted(out, "     changed  ", words);
    }
    if change.is_same_text() {
        return writeln!(out, "              {SAME_WORDS}");
    }
    if let Some(limit) = change.limit {
        quoted(out, "     note     ", limit)?;
    }
    for (mark, parts) in [("     added    ", &change.added), ("     removed  ", &change.removed)] {
        for part in parts.iter().take(PARTS) {
            quoted(out, mark, part)?;
        }
        if parts.len() > PARTS {
            writeln!(out, "              and {} more: --csv FILE has them all", parts.len() - PARTS)?;
        }
    }
    Ok(())
}

pub(crate) const PHRASES: &str = "# proven present; + captured with it; _ proven absent; o captured without";

fn phrase(out: &mut dyn Write, line: &Timeline, phrase: &PhraseLine) -> io::Result<()> {
    writeln!(out)?;
    quoted(out, "  phrase ", &format!("\"{}\"", phrase.phrase))?;
    writeln!(out, "  |{}|", phrase.strip)?;
    if line.phrases.first() == Some(phrase) {
        writeln!(out, "  {PHRASES}")?;
    }
    match (phrase.when.first(), phrase.when.last()) {
        (Some(first), Some(last)) => {
            writeln!(out, "  proven present first at {}\n                  last at {}", first.from, last.to)
        }
        _ => writeln!(out, "  at no time proven present"),
    }
}
