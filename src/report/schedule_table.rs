//! The schedule for a terminal: at most 80 columns, nothing computed.

use std::collections::BTreeSet;
use std::fmt::Write;

use comfy_table::{CellAlignment, Table, presets};

use super::layout::{Screen, Tone, UNKNOWN, shorten};
use crate::format::{count, duration, percent};
use crate::schedule::model::{DelaySource, Kind, Row, Schedule, SiteSchedule, Slot, is_best};
use crate::schedule::subsite::GroupBy;

/// Maximum number of first downloads shown.
const MAX_SHOWN_DOWNLOADS: usize = 12;

/// Longer URLs are cut in the middle.
const URL_WIDTH: usize = 34;

/// Maximum number of sites or subsites shown with their downloads; beyond it, one line each.
const WHOLE: usize = 6;

/// Maximum number of lines of sites.
const LINES: usize = 60;

/// The tables, ending in a line break.
pub(crate) fn render(schedule: &Schedule) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    if schedule.sites.is_empty() {
        let _ = writeln!(text, "There are no pages to schedule.");
        return text;
    }
    if schedule.sites.len() <= WHOLE {
        for site in &schedule.sites {
            let _ = writeln!(text, "{}", site_text(site));
        }
    } else {
        let _ = writeln!(text, "{}", sites(&schedule.sites));
        let caveats: BTreeSet<&str> =
            schedule.sites.iter().filter_map(|site| site.caveat.as_deref()).collect();
        for caveat in caveats {
            text.push_str(&Screen::default().paragraph("", caveat, Tone::Plain));
        }
    }
    if !schedule.strategies.is_empty() {
        let _ = writeln!(text, "{}", strategies(&schedule.strategies));
        if schedule.strategies.iter().any(|row| row.hopeless.is_some()) {
            let _ = writeln!(text, "{TOO_FAST}");
        }
    }
    for note in &schedule.notes {
        text.push_str(&Screen::default().paragraph("", note, Tone::Plain));
    }
    text
}

/// What the column says; strategies that give pages up do so by rules of their own.
const TOO_FAST: &str = "too fast (hopeless): more likely than not to change between its two fetches";

/// One line a site.
fn sites(sites: &[SiteSchedule]) -> String {
    let mut table = table(&["site", "pages", "delay", "length", "coherence", "too fast"], &[1, 2, 3, 4, 5]);
    for site in sites.iter().take(LINES) {
        let name = match &site.group {
            Some(group) => format!("{} / {group}", site.site),
            None => site.site.to_string(),
        };
        table.add_row([
            shorten(&name, URL_WIDTH),
            site.pages.to_string(),
            short(site.delay_seconds),
            short(site.length_seconds),
            number(site.expected_coherence),
            site.hopeless.map_or(UNKNOWN.to_owned(), |hopeless| hopeless.to_string()),
        ]);
    }
    let more = match sites.len().checked_sub(LINES) {
        Some(more) if more > 0 => format!("… and {more} more\n"),
        _ => String::new(),
    };
    let by = |by: GroupBy| sites.iter().filter(|site| site.group_by == Some(by)).count() as u64;
    let subsites =
        [(GroupBy::Sitemap, "sitemap"), (GroupBy::Folder, "folder"), (GroupBy::Table, "group of the table")]
            .into_iter()
            .filter(|(kind, _)| by(*kind) > 0)
            .map(|(kind, name)| format!("{} by {name}", by(kind)))
            .collect::<Vec<_>>();
    let subsites =
        if subsites.is_empty() { String::new() } else { format!("subsites: {}\n", subsites.join(", ")) };
    format!("{table}\n{more}{subsites}(--json or --export gives all downloads)\n")
}

fn site_text(site: &SiteSchedule) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<20}{value}");
    };
    if !site.site.is_empty() || site.group.is_some() {
        let group = site.group.as_ref().map_or(String::new(), |group| format!(" / {group}"));
        line("site", shorten(&format!("{}{group}", site.site), 58));
    }
    if let Some(by) = site.group_by {
        let by = match by {
            GroupBy::Sitemap => "the pages that this sitemap lists",
            GroupBy::Folder => "the pages of this folder: no sitemap divides them",
            GroupBy::Table => "the pages of this group of the table",
        };
        line("subsite", by.to_owned());
    }
    line("strategy", site.strategy.clone());
    let left_out = if site.left_out > 0 {
        format!(" ({} left out by the budget)", site.left_out)
    } else {
        String::new()
    };
    line("pages", format!("{}{left_out}", site.pages));
    let source = match site.delay_source {
        DelaySource::Given => "",
        DelaySource::Captures => " (median pause between two pages in the captures)",
        DelaySource::Default => " (assumed: no pause is known; --delay sets it)",
    };
    line("delay", format!("{} s{source}", short(site.delay_seconds)));
    if site.unknown_rates > 0 {
        let never = match site.never_captured {
            0 => String::new(),
            all if all == site.unknown_rates => ", never captured".to_owned(),
            never => format!(", {never} never captured"),
        };
        let pages = count(site.unknown_rates as u64, "page");
        let what =
            if site.lacks_rates() { "nothing is expected of this order" } else { "taken from other pages" };
        line("unknown rates", format!("{pages}{never}: {what}"));
    }
    if let (Some(start), Some(reference)) = (site.start, site.reference) {
        line("start", start.to_string());
        line("reference", reference.to_string());
    }
    let spelled = match site.length_seconds {
        seconds if seconds >= 120.0 => format!(" ({})", duration(seconds)),
        _ => String::new(),
    };
    line("length", format!("{} s{spelled}", short(site.length_seconds)));
    if let Some(coherence) = site.expected_coherence {
        let of = format!("{} of {} (pages by weight)", number(Some(coherence)), number(Some(site.weight)));
        line("expected coherence", of);
        line("upper bound", format!("{} (gap {})", number(site.upper_bound), gap(site.gap)));
        line("change too fast", site.hopeless.map_or(UNKNOWN.to_owned(), |hopeless| hopeless.to_string()));
    }
    if !site.lacks_rates() && (site.caveat.is_none() || site.expected_coherence.is_some()) {
        line("expected blur", blur(site.expected_blur));
    }
    if let Some(caveat) = &site.caveat {
        text.push_str(&Screen::default().paragraph("", caveat, Tone::Plain));
    }
    let mut table = table(&["slot", "seconds", "kind", "page", "interval", "chance"], &[0, 1, 4, 5]);
    for slot in site.slots.iter().take(MAX_SHOWN_DOWNLOADS) {
        let kind = match (slot.kind, slot.hopeful) {
            (Kind::Visit, Some(false)) => "too fast",
            (kind, _) => kind.name(),
        };
        table.add_row([
            slot.slot.to_string(),
            short(slot.seconds),
            kind.to_owned(),
            shorten(local(&slot), URL_WIDTH),
            slot.interval_seconds.map_or(UNKNOWN.to_owned(), short),
            slot.survival.map_or(UNKNOWN.to_owned(), |survival| format!("{survival:.3}")),
        ]);
    }
    let _ = write!(text, "\n{table}\n");
    if let Some(more) = site.slots.len().checked_sub(MAX_SHOWN_DOWNLOADS).filter(|more| *more > 0) {
        let _ = writeln!(text, "… and {more} more downloads (--json or --export gives all)");
    }
    hopeless(&mut text, site);
    text
}

/// The pages that cannot be kept sharp, least chance first.
fn hopeless(text: &mut String, site: &SiteSchedule) {
    let pages = site.too_fast();
    if pages.is_empty() {
        return;
    }
    let _ = writeln!(text, "\nToo fast (hopeless): more likely than not to change between their two fetches");
    for slot in pages.iter().take(MAX_SHOWN_DOWNLOADS) {
        let chance = slot.survival.map_or(UNKNOWN.to_owned(), |chance| format!("{chance:.3}"));
        let _ = writeln!(text, "  chance {chance}  {}", shorten(local(slot), 58));
    }
    if let Some(more) = pages.len().checked_sub(MAX_SHOWN_DOWNLOADS).filter(|more| *more > 0) {
        let _ = writeln!(text, "  … and {more} more");
    }
}

fn strategies(rows: &[Row]) -> Table {
    let mut table = table(&["strategy", "coherence", "blur", "too fast", "length", "gap"], &[1, 2, 3, 4, 5]);
    for row in rows {
        table.add_row([
            row.name.clone(),
            number(row.expected_coherence),
            blur(row.expected_blur),
            row.hopeless.map_or(UNKNOWN.to_owned(), |hopeless| hopeless.to_string()),
            short(row.length_seconds),
            gap(row.gap),
        ]);
    }
    table
}

/// A URL without the host that the heading names.
pub(super) fn local(slot: &Slot) -> &str {
    crate::format::local(&slot.url, &slot.lane)
}

fn table(header: &[&str], right: &[usize]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_width(80).set_header(header.to_vec());
    for &column in right {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// A figure to a thousandth.
pub(crate) fn number(value: Option<f64>) -> String {
    // What rounds to nothing has no sign.
    let value = value.map(|value| if value.abs() < 5e-4 { 0.0 } else { value });
    value.map_or(UNKNOWN.to_owned(), |value| match value.abs() < 1e15 {
        true => format!("{value:.3}"),
        false => format!("{value:.3e}"),
    })
}

/// A missing blur is infinite.
fn blur(value: Option<f64>) -> String {
    value.map_or("∞".to_owned(), |value| match value {
        small if small > 0.0 && small < 5e-5 => "< 0.0001".to_owned(),
        value if value < 1e6 => format!("{value:.4}"),
        great => format!("{great:.3e}"),
    })
}

/// Whole numbers without a fraction, others to a tenth.
fn short(value: f64) -> String {
    if value.fract() == 0.0 && value < 1e12 { format!("{value}") } else { format!("{value:.1}") }
}

/// What a schedule loses against its upper bound.
pub(crate) fn gap(share: Option<f64>) -> String {
    share.map_or(UNKNOWN.to_owned(), |share| percent(if is_best(share) { 0.0 } else { share }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_sites_have_a_line_each_and_names_cannot_break_out_of_it() {
        use crate::schedule::build::{Request, build};
        use crate::schedule::page::Page;
        let lane = |number: usize| format!("\u{1b}[2J\n{}{number:03}", "本".repeat(number));
        let pages: Vec<Page> =
            (0..70).map(|number| Page { lane: lane(number).into(), ..Page::new("p", 0.1) }).collect();
        let text = render(&build(&pages, &Request { delay: 1.0, ..Request::default() }).unwrap());
        assert!(text.contains("… and 10 more") && !text.contains('\u{1b}'), "{text}");
        assert!(text.lines().all(|line| super::super::layout::width(line) <= 80), "{text}");
        let none = render(&build(&[], &Request { delay: 1.0, ..Request::default() }).unwrap());
        assert_eq!(none, "There are no pages to schedule.\n");
    }
}
