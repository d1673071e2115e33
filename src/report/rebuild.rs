//! What was rebuilt, for a terminal.

use std::io::{self, Write};

use super::layout::{Screen, Tone, UNKNOWN, shorten};
use crate::format::{count, figure};
use crate::rebuild::manifest::{Entry, Rebuild};

/// Maximum number of missing URLs listed.
const MAX_LISTED_URLS: usize = 10;

pub(crate) fn write(out: &mut dyn Write, rebuild: &Rebuild, screen: Screen) -> io::Result<()> {
    let title = format!(
        "{} recovered from {}, {} not.",
        count(rebuild.recovered, "URL"),
        count(rebuild.repositories.len() as u64, "repository").replace("repositorys", "repositories"),
        rebuild.missing
    );
    out.write_all(screen.paragraph("", &title, Tone::Heading).as_bytes())?;
    if rebuild.stand_ins > 0 {
        let text = match rebuild.stand_ins {
            1 => "Of 1 of them there is only an error page, a parked page or a wall: that copy was written."
                .to_owned(),
            many => format!(
                "Of {many} of them there are only error pages, parked pages or walls: those copies were written."
            ),
        };
        out.write_all(screen.paragraph("", &text, Tone::Plain).as_bytes())?;
    }
    let records = format!("{} in {}.", count(rebuild.records, "record"), rebuild.output);
    out.write_all(screen.paragraph("", &records, Tone::Plain).as_bytes())?;
    if rebuild.mended > 0 {
        let text = format!(
            "Not copied byte for byte: {} with a wrong length or end, written as they can be read.",
            count(rebuild.mended, "record")
        );
        out.write_all(screen.paragraph("", &text, Tone::Plain).as_bytes())?;
    }
    if let (Some(at), Some(proven)) = (rebuild.at, rebuild.proven_together) {
        let text =
            format!("{proven} of {} are proven to have been online together at {at}.", rebuild.recovered);
        out.write_all(screen.paragraph("", &text, Tone::Plain).as_bytes())?;
    }
    let mut table = screen.table();
    // What nobody asked for has no column.
    let has_added = rebuild.policies.iter().any(|policy| policy.added.is_some());
    let has_days = rebuild.policies.iter().any(|policy| policy.days.is_some());
    let names = [
        ("policy", true),
        ("recovered", true),
        ("missing", true),
        ("added", has_added),
        ("requests", true),
        ("ratio", true),
        ("own", has_added),
        ("days", has_days),
    ];
    let shown = names.iter().filter(|(_, is_shown)| *is_shown);
    table.set_header(shown.enumerate().map(|(place, (name, _))| match place {
        0 => screen.cell(name, Tone::Heading),
        _ => screen.number(name, Tone::Heading),
    }));
    for policy in &rebuild.policies {
        let known =
            |value: Option<String>| screen.number(&value.unwrap_or_else(|| UNKNOWN.to_owned()), Tone::Plain);
        let cells = [
            screen.cell(policy.policy.name(), Tone::Plain),
            known(Some(policy.recovered.to_string())),
            known(Some(policy.missing.to_string())),
            known(policy.added.map(|added| added.to_string())),
            known(Some(policy.requests.to_string())),
            known(policy.efficiency.map(figure)),
            known(policy.efficiency_without_added.map(figure)),
            known(policy.days.map(|days| days.to_string())),
        ];
        table.add_row(
            cells.into_iter().zip(names).filter(|(_, (_, is_shown))| *is_shown).map(|(cell, _)| cell),
        );
    }
    writeln!(out, "\n{table}")?;
    let mut note = "Requests are modelled, as if the repositories were remote; none was sent. Ratio: URLs recovered for each request".to_owned();
    note.push_str(if has_added { "; own: without the URLs that the original does not have." } else { "." });
    out.write_all(screen.paragraph("", &note, Tone::Faint).as_bytes())?;
    let is_missing = |entry: &&Entry| entry.taken.as_ref().is_none_or(|taken| taken.is_stand_in);
    let missing: Vec<&Entry> = rebuild.urls.iter().filter(is_missing).collect();
    if !missing.is_empty() {
        writeln!(out)?;
        out.write_all(screen.paragraph("", "Not restored", Tone::Heading).as_bytes())?;
    }
    for entry in missing.iter().take(MAX_LISTED_URLS) {
        writeln!(out, "  {}", shorten(&entry.url, screen.width.saturating_sub(4)))?;
        let might = match entry.might_have.as_slice() {
            [] => String::new(),
            names => format!("; {} might have it", names.join(", ")),
        };
        let text = format!("{}{might}", entry.why);
        out.write_all(screen.paragraph("      ", &text, Tone::Faint).as_bytes())?;
    }
    if missing.len() > MAX_LISTED_URLS {
        let more = format!("and {} more: the manifest has them", missing.len() - MAX_LISTED_URLS);
        out.write_all(screen.paragraph("  ", &more, Tone::Faint).as_bytes())?;
    }
    Ok(())
}
