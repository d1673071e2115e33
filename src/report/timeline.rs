//! The timeline of a page as text.

use std::io::{self, Write};

use crate::at::timeline::{PhraseLine, Timeline};
use crate::at::version_change::VersionChange;
use crate::report::layout::{paragraph, quoted};

pub(crate) const ASSUMED: [&str; 3] = [
    "The page did not change and change back between two equal captures.",
    "The crawler's clock was right.",
    "For what is claimed: the server's clock was right when it stated Last-Modified.",
];

pub(crate) const LEGEND: &str =
    "letter: captured version; = proven; - claimed; . changed nearby; ? undecided";

/// Maximum number of parts of a change shown.
const PARTS: usize = 20;

/// Writes the timeline.
pub(crate) fn write(out: &mut dyn Write, line: &Timeline) -> io::Result<()> {
    quoted(out, "page ", &line.url)?;
    writeln!(out, "\n  |{}|", line.strip)?;
    writeln!(out, "  {} to {}", line.over.from, line.over.to)?;
    writeln!(out, "  {LEGEND}")?;
    if line.strip.contains('*') {
        writeln!(out, "  *: captured; whether it equals another version is not known")?;
    }
    for phrase in &line.phrases {
        self::phrase(out, line, phrase)?;
    }
    for (place, version) in line.versions.iter().enumerate() {
        let captures = if version.looks == 1 { "capture" } else { "captures" };
        writeln!(
            out,
            "\n  {}  {} {captures}, {} to {}",
            version.letter, version.looks, version.first, version.last
        )?;
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
        let end = |at: Option<crate::time::Instant>| {
            at.map_or_else(|| "a time unknown".to_owned(), |at| at.to_string())
        };
        writeln!(out, "     stood    after {}", end(version.outer.after))?;
        writeln!(out, "              before {}", end(version.outer.before))?;
        if let Some(record) = &version.record {
            quoted(out, "     record   ", &record.words())?;
        }
        if let Some(change) = &version.change {
            self::change(out, change)?;
        }
        match version.next_differs {
            Some(true) => writeln!(out, "     the next version differs")?,
            Some(false) => writeln!(out, "     whether the next capture differs is not known")?,
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
    writeln!(out, "\nAssumed")?;
    ASSUMED.iter().try_for_each(|assumption| paragraph(out, "  - ", assumption))
}

/// What changed from the version before.
fn change(out: &mut dyn Write, change: &VersionChange) -> io::Result<()> {
    if let Some(why) = &change.unknown {
        return quoted(out, "     changed  ", &format!("how is not known: {why}"));
    }
    if let Some(importance) = change.importance {
        writeln!(out, "     changed  importance {importance:.3} (docs/importance.md)")?;
    }
    if change.is_same_text() {
        return writeln!(out, "              the same words; other bytes");
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

const PHRASES: &str = "# proven present; + captured with it; _ proven absent; o captured without";

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
