//! The timeline of a page as text.

use std::io::{self, Write};

use crate::audit::at_model::AT_ASSUMPTIONS;
use crate::audit::timeline::Timeline;
use crate::report::escape::terminal;
use crate::report::layout::wrap;

const LEGEND: &str = "letter: captured version; = proven; - claimed; . changed nearby; ? undecided";

/// Writes the timeline.
pub fn write(out: &mut dyn Write, line: &Timeline) -> io::Result<()> {
    for (place, part) in wrap(&terminal(&line.url), 75).iter().enumerate() {
        writeln!(out, "{}{part}", if place == 0 { "page " } else { "     " })?;
    }
    writeln!(out, "\n  |{}|", line.strip)?;
    writeln!(out, "  {} to {}", line.over.from, line.over.to)?;
    writeln!(out, "  {LEGEND}")?;
    if line.strip.contains('*') {
        writeln!(out, "  *: captured; whether it equals another version is not known")?;
    }
    for version in &line.versions {
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
        match version.next_differs {
            Some(true) => writeln!(out, "     the next version differs")?,
            Some(false) => writeln!(out, "     whether the next capture differs is not known")?,
            None => {}
        }
    }
    if line.failed > 0 {
        writeln!(out, "\n  failed captures: {}", line.failed)?;
    }
    if line.contradicted > 0 {
        writeln!(out, "\n  Last-Modified dates that the captures contradict: {}", line.contradicted)?;
    }
    writeln!(out, "\nAssumed")?;
    for assumption in &AT_ASSUMPTIONS[..4] {
        for (place, part) in wrap(assumption, 76).iter().enumerate() {
            writeln!(out, "{}{part}", if place == 0 { "  - " } else { "    " })?;
        }
    }
    Ok(())
}
