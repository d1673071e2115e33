//! How complete a site is, on a terminal: figures, what is missing, and when pages change.

use std::io::{self, Write};

use super::layout::{Screen, Tone, UNKNOWN, shorten, width};
use crate::audit::missing_reason::LostCounts;
use crate::audit::model::{Basis, LinkCompleteness, SiteAudit};
use crate::format::{count, local, number, percent, percent_range};
use crate::quality::pattern::{DayKind, MIN_CAPTURES_PER_PERIOD, PatternSummary};

/// Maximum number of missing URLs shown.
const MAX_SHOWN_URLS: usize = 5;
/// Patterns of fewer captures are left to `--explain` and the JSON.
const MIN_PATTERN_CAPTURES: u32 = 24;

/// The rows of the table of figures: name, value, what it says.
pub(crate) fn figures(site: &SiteAudit, weights: &str) -> Vec<(&'static str, String, String)> {
    let Some(completeness) = &site.completeness else { return Vec::new() };
    let weighted = weights != "uniform";
    let mut rows = Vec::new();
    let versions = &completeness.versions;
    if let (Some(share), Some(low), Some(high)) = (versions.share, versions.low, versions.high) {
        let basis = &site.basis.versions;
        let is_exact = basis.basis == Basis::Known;
        let how = match is_exact {
            true => ", from the exact history".to_owned(),
            false => format!(", expected ({})", percent_range(low, high)),
        };
        let plain = match versions.plain_share {
            Some(plain) if weighted => format!("; {} if all pages weigh the same", percent(plain)),
            _ => String::new(),
        };
        rows.push(match basis.is_usable() {
            false => ("versions", UNKNOWN.to_owned(), basis.why_unknown()),
            true => {
                let left_out = if is_exact { String::new() } else { super::figures::left_out(site) };
                let says = format!("of the versions of a page captured{how}{plain}{left_out}");
                ("versions", percent(share), says)
            }
        });
    }
    let tallied = |tally: &LinkCompleteness, kind: &str| {
        let share = tally.share.map_or_else(|| UNKNOWN.to_owned(), percent);
        let lost = LostCounts::of(site, tally, |entry| entry.kind == kind);
        let part = |many: u64, words: &str| match many {
            0 => String::new(),
            many => format!(", {} {words}", number(many)),
        };
        let mut says = format!(
            "{} captured, {} failed{}{}{}{}, {} never requested",
            number(tally.captured),
            number(lost.failed),
            part(lost.no_content, "without a usable response"),
            match lost.error_pages {
                0 => String::new(),
                many => format!(", {}", count(many, "error page")),
            },
            part(lost.elsewhere, "stored elsewhere"),
            part(lost.gone, "already gone"),
            number(tally.untried)
        );
        if tally.excluded > 0 {
            says.push_str(&format!(", {} left out on purpose", number(tally.excluded)));
        }
        if tally.beyond > 0 {
            says.push_str(&format!(", {} beyond what the crawl covered", number(tally.beyond)));
        }
        let plain =
            tally.plain_share.map_or_else(String::new, |plain| format!(" ({} by number)", percent(plain)));
        (share, format!("{says}{plain}"))
    };
    for (name, kind, tally) in
        [("links", "link", &completeness.links), ("embeds", "embed", &completeness.embeds)]
    {
        if let Some(tally) = tally {
            let (share, says) = tallied(tally, kind);
            rows.push((name, share, says));
        }
    }
    if let Some(reason) = &completeness.links_unknown {
        rows.push(("links", UNKNOWN.to_owned(), reason.clone()));
    }
    rows
}

/// Writes the worst of what is missing.
pub(crate) fn missing(out: &mut dyn Write, site: &SiteAudit, screen: Screen) -> io::Result<()> {
    let missing = site.missing.as_deref().unwrap_or_default();
    if missing.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let mut table = screen.table();
    table.set_header(vec![
        screen.cell("Missing", Tone::Heading),
        screen.cell("As", Tone::Heading),
        screen.cell("Why", Tone::Heading),
    ]);
    let shown = || missing.iter().take(MAX_SHOWN_URLS);
    let longest = shown().map(|missing| width(local(&missing.url, &site.site))).max().unwrap_or(0);
    let room = longest.min(screen.width * 2 / 5);
    for missing in shown() {
        table.add_row(vec![
            screen.cell(&shorten(local(&missing.url, &site.site), room), Tone::Plain),
            screen.cell(&missing.kind, Tone::Plain),
            screen.cell(&missing.reason, Tone::Plain),
        ]);
    }
    writeln!(out, "{}", table.trim_fmt())?;
    let all = site.missing_count();
    if all > MAX_SHOWN_URLS as u64 {
        let text =
            format!("{} more; --missing FILE writes them all.", count(all - MAX_SHOWN_URLS as u64, "URL"));
        write!(out, "{}", screen.paragraph("", &text, Tone::Faint))?;
    }
    Ok(())
}

/// Writes when pages change, one strip for each kind of day, where there are enough captures.
pub(crate) fn patterns(out: &mut dyn Write, site: &SiteAudit, screen: Screen) -> io::Result<()> {
    let worth = |pattern: &PatternSummary| pattern.looks >= MIN_PATTERN_CAPTURES && pattern.periods_seen > 1;
    let classes = site.patterns.iter().flatten().filter(|class| class.behaviour.often > 0);
    for (number, class) in classes.filter(|class| worth(&class.pattern)).enumerate() {
        if number == 0 {
            let zone = zone(class.pattern.utc_offset_minutes);
            writeln!(out, "\n{}", screen.toned(Tone::Heading, &format!("When pages change ({zone})")))?;
        }
        let pages = count(class.pages, "page");
        let when = match class.behaviour.when {
            Some(when) => format!("{pages}, mostly {}", when.words()),
            None if class.pattern.is_uneven() => pages,
            None => format!("{pages}: no time stands out"),
        };
        write!(out, "{}", screen.paragraph("  ", &when, Tone::Plain))?;
        for line in strips(&class.pattern) {
            writeln!(out, "  {line}")?;
        }
    }
    Ok(())
}

/// The name of an offset from UTC.
fn zone(minutes: i32) -> String {
    match minutes {
        0 => "UTC".to_owned(),
        _ => format!(
            "UTC{}{}:{:02}",
            if minutes < 0 { '-' } else { '+' },
            minutes.abs() / 60,
            minutes.abs() % 60
        ),
    }
}

/// The lines of a pattern: a strip of 24 hours for each kind of day that was looked at, and where most hours have few captures, how many do.
pub(crate) fn strips(pattern: &PatternSummary) -> Vec<String> {
    let name = |kind: DayKind| match kind {
        DayKind::Workday => "Mo–Fr",
        DayKind::Saturday => "Sat  ",
        DayKind::Sunday => "Sun  ",
    };
    let seen = pattern.strips.iter().filter(|strip| strip.looks > 0);
    let mut lines: Vec<String> = seen
        .map(|strip| {
            format!(
                "{} 0h|{}|24h  {}",
                name(strip.kind),
                strip.heat,
                count(u64::from(strip.looks), "capture")
            )
        })
        .collect();
    if pattern.periods_trusted < 24 && pattern.looks > 0 {
        lines.push(format!(
            "a hint: {} of 72 hours have {MIN_CAPTURES_PER_PERIOD} or more captures",
            pattern.periods_trusted
        ));
    }
    lines
}
