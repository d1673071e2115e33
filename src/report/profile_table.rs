//! What was captured, on a terminal: media types by status, years, hosts, samples, seeds.

use std::io::{self, Write};

use super::layout::{Screen, Tone, UNKNOWN, shorten};
use crate::audit::model::{Profile, SeedOutcome};
use crate::format::{bytes, count, number};

const STATUSES: [&str; 5] = ["2xx", "3xx", "4xx", "5xx", "other"];
/// Months that are listed; of more, years are.
const MONTHS: usize = 24;
const HOSTS: usize = 10;
const SAMPLES: usize = 5;
const SEEDS: usize = 10;

pub(super) fn write(out: &mut dyn Write, profile: &Profile, screen: Screen) -> io::Result<()> {
    if profile.captures == 0 {
        return Ok(());
    }
    writeln!(out, "\n{}", screen.toned(Tone::Heading, "What was captured"))?;
    let mut table = screen.table();
    let used: Vec<&str> =
        STATUSES.into_iter().filter(|status| profile.types.iter().any(|row| row.status == *status)).collect();
    let mut header = vec![screen.cell("Media type", Tone::Heading)];
    header.extend(used.iter().map(|status| screen.number(status, Tone::Heading)));
    table.set_header(header);
    let mut media: Vec<&str> = Vec::new();
    for row in &profile.types {
        if !media.contains(&row.media.as_str()) {
            media.push(&row.media);
        }
    }
    for name in media {
        let mut cells = vec![screen.cell(name, Tone::Plain)];
        for status in &used {
            let row = profile.types.iter().find(|row| row.media == name && row.status == *status);
            let text = row.map_or_else(
                || UNKNOWN.to_owned(),
                |row| match row.bytes {
                    Some(stored) => format!("{} ({})", number(row.captures), bytes(stored)),
                    None => number(row.captures),
                },
            );
            cells.push(screen.number(&text, Tone::Plain));
        }
        table.add_row(cells);
    }
    writeln!(out, "{}", table.trim_fmt())?;
    let (span, rows) = match profile.months.len() {
        few if few <= MONTHS => ("Month", &profile.months),
        _ => ("Year", &profile.years),
    };
    list(out, screen, span, rows.iter().map(|row| (row.month.as_str(), row.captures, row.bytes)))?;
    let hosts = profile.hosts.iter().take(HOSTS).map(|row| (row.host.as_str(), row.captures, row.bytes));
    list(out, screen, "Host", hosts)?;
    let more = profile.hosts_left_out + profile.hosts.len().saturating_sub(HOSTS) as u64;
    if more > 0 {
        write!(
            out,
            "{}",
            screen.paragraph("  ", &format!("and {}", count(more, "other host")), Tone::Faint)
        )?;
    }
    if profile.unmeasured > 0 {
        let text = format!("The size of {} is unknown.", count(profile.unmeasured, "capture"));
        write!(out, "\n{}", screen.paragraph("", &text, Tone::Plain))?;
    }
    if let Some(seeds) = &profile.seeds {
        let text = format!(
            "Seeds: {} of {} reached, {} redirected, {} failed, {} without a capture.",
            number(seeds.reached),
            number(seeds.total),
            number(seeds.redirected),
            number(seeds.failed),
            number(seeds.not_captured)
        );
        write!(out, "\n{}", screen.paragraph("", &text, Tone::Plain))?;
        let open = seeds.list.iter().filter(|seed| seed.outcome != SeedOutcome::Reached);
        for seed in open.take(SEEDS) {
            let line = format!("{}: {}", seed.outcome.name(), seed.url);
            write!(out, "{}", screen.paragraph("  - ", &line, Tone::Plain))?;
        }
    }
    if !profile.samples.is_empty() {
        writeln!(out, "\nPages to open, chosen at random")?;
        for sample in profile.samples.iter().take(SAMPLES) {
            let room = screen.width.saturating_sub(20);
            writeln!(out, "  {}  {}", sample.time.digits14(), shorten(&sample.url, room))?;
        }
    }
    Ok(())
}

fn list<'a>(
    out: &mut dyn Write,
    screen: Screen,
    name: &str,
    rows: impl Iterator<Item = (&'a str, u64, Option<u64>)>,
) -> io::Result<()> {
    writeln!(out)?;
    let mut table = screen.table();
    table.set_header(vec![
        screen.cell(name, Tone::Heading),
        screen.number("Captures", Tone::Heading),
        screen.number("Stored", Tone::Heading),
    ]);
    for (name, captures, size) in rows {
        table.add_row(vec![
            screen.cell(&shorten(name, screen.width.saturating_sub(30)), Tone::Plain),
            screen.number(&number(captures), Tone::Plain),
            screen.number(&size.map_or_else(|| UNKNOWN.to_owned(), bytes), Tone::Plain),
        ]);
    }
    writeln!(out, "{}", table.trim_fmt())
}
