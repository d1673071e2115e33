//! The schedule for a terminal: at most 80 columns, nothing computed.

use std::fmt::Write;

use comfy_table::{CellAlignment, Table, presets};

use super::escape::terminal;
use super::layout::{Screen, Tone};
use crate::schedule::model::{DelaySource, Kind, Row, Schedule, SiteSchedule, Slot};
use crate::schedule::subsite::GroupBy;

/// So many of the first downloads are shown.
const SHOWN: usize = 12;

/// Longer URLs are cut in the middle.
const URL_WIDTH: usize = 34;

/// The tables, ending in a line break.
pub fn render(schedule: &Schedule) -> String {
    let mut text = String::new();
    for site in &schedule.sites {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", site_text(site));
    }
    if !schedule.strategies.is_empty() {
        let _ = writeln!(text, "{}", strategies(&schedule.strategies));
    }
    for note in &schedule.notes {
        text.push_str(&Screen::default().paragraph("", note, Tone::Plain));
    }
    text
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
            never => format!(", {never} of them never captured"),
        };
        line("unknown rates", format!("{} pages{never}: taken from other pages", site.unknown_rates));
    }
    if let (Some(start), Some(reference)) = (site.start, site.reference) {
        line("start", start.to_string());
        line("reference", reference.to_string());
    }
    line("length", format!("{} s", short(site.length_seconds)));
    if let Some(coherence) = site.expected_coherence {
        line("expected coherence", format!("{} of {}", number(Some(coherence)), number(Some(site.weight))));
        line("upper bound", format!("{} (gap {})", number(site.upper_bound), percent(site.gap)));
        line("hopeless pages", site.hopeless.map_or("–".to_owned(), |hopeless| hopeless.to_string()));
    }
    line("expected blur", number(site.expected_blur));
    let mut table = table(&["slot", "seconds", "kind", "page", "interval", "chance"], &[0, 1, 4, 5]);
    for slot in site.slots.iter().take(SHOWN) {
        let kind = match (slot.kind, slot.hopeful) {
            (Kind::Visit, Some(false)) => "hopeless",
            (kind, _) => kind.name(),
        };
        table.add_row([
            slot.slot.to_string(),
            short(slot.seconds),
            kind.to_owned(),
            shorten(local(slot), URL_WIDTH),
            slot.interval_seconds.map_or("–".to_owned(), short),
            slot.survival.map_or("–".to_owned(), |survival| format!("{survival:.3}")),
        ]);
    }
    let _ = write!(text, "\n{table}\n");
    if let Some(more) = site.slots.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        let _ = writeln!(text, "… and {more} more downloads (--json or --export gives all)");
    }
    hopeless(&mut text, site);
    text
}

/// The pages that cannot be kept sharp, least chance first.
fn hopeless(text: &mut String, site: &SiteSchedule) {
    let given_up = |slot: &&Slot| slot.kind == Kind::Visit && slot.hopeful == Some(false);
    let mut pages: Vec<&Slot> = site.slots.iter().filter(given_up).collect();
    if pages.is_empty() {
        return;
    }
    pages.sort_by(|a, b| a.survival.unwrap_or(0.0).total_cmp(&b.survival.unwrap_or(0.0)));
    let _ = writeln!(text, "\nHopeless: these pages cannot be expected to stay sharp");
    for slot in pages.iter().take(SHOWN) {
        let chance = slot.survival.map_or("–".to_owned(), |chance| format!("{chance:.3}"));
        let _ = writeln!(text, "  chance {chance}  {}", shorten(local(slot), 58));
    }
    if let Some(more) = pages.len().checked_sub(SHOWN).filter(|more| *more > 0) {
        let _ = writeln!(text, "  … and {more} more");
    }
}

fn strategies(rows: &[Row]) -> Table {
    let mut table = table(&["strategy", "coherence", "blur", "hopeless", "length", "gap"], &[1, 2, 3, 4, 5]);
    for row in rows {
        table.add_row([
            row.name.clone(),
            number(row.expected_coherence),
            row.expected_blur.map_or("–".to_owned(), |blur| format!("{blur:.4}")),
            row.hopeless.map_or("–".to_owned(), |hopeless| hopeless.to_string()),
            short(row.length_seconds),
            percent(row.gap),
        ]);
    }
    table
}

/// A URL without the host that the heading names.
fn local(slot: &Slot) -> &str {
    let path = || slot.url.split_once("://")?.1.strip_prefix(&*slot.lane);
    path().filter(|path| path.starts_with('/')).unwrap_or(&slot.url)
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

fn number(value: Option<f64>) -> String {
    value.map_or("–".to_owned(), |value| format!("{value:.3}"))
}

/// Whole numbers without a fraction, great ones without digits that nobody reads.
fn short(value: f64) -> String {
    if value.fract() == 0.0 && value < 1e12 { format!("{value}") } else { format!("{value:.1}") }
}

fn percent(share: Option<f64>) -> String {
    match share {
        None => "–".to_owned(),
        // Less than rounding errors of a sum is nothing.
        Some(share) if share > 1e-12 && share < 1e-4 => "< 0.01 %".to_owned(),
        Some(share) => format!("{:.2} %", share * 100.0),
    }
}

/// A name from an archive, escaped, with the middle cut out where it is too long.
fn shorten(name: &str, width: usize) -> String {
    let shown: Vec<char> = terminal(name).chars().collect();
    if shown.len() <= width {
        return shown.into_iter().collect();
    }
    let half = (width - 1) / 2;
    shown[..half].iter().chain(&['…']).chain(&shown[shown.len() - half..]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_out_of_their_cell() {
        assert_eq!(shorten("a\u{1b}[2Jb\n", 30), "a\\u{1b}[2Jb\\u{a}");
        let long = shorten(&"x".repeat(1000), 34);
        assert!(long.chars().count() <= 34 && long.contains('…'));
    }
}
