//! What a schedule promised and what was reached, page by page, for a terminal. Nothing is computed.

use std::io::{self, Write};

use super::escape::terminal;
use super::layout::{Screen, Tone, shorten};
use crate::audit::model::{Promised, PromisedPage};
use crate::format::percent;

/// How many pages are shown; the JSON, the CSV files and the HTML have more.
const MAX_SHOWN_PAGES: usize = 40;

/// `yes`, `no` or `–`.
pub(crate) fn reached(page: &PromisedPage) -> &'static str {
    match page.reached {
        Some(true) => "yes",
        Some(false) => "no",
        None => super::layout::UNKNOWN,
    }
}

/// Writes the sentence, and a row for every page.
pub(crate) fn write(out: &mut dyn Write, promised: &Promised, screen: Screen) -> io::Result<()> {
    writeln!(out, "\n{}", screen.toned(Tone::Heading, "Promised and reached"))?;
    write!(out, "{}", screen.paragraph("", &promised.text, Tone::Plain))?;
    let mut table = screen.table();
    table.set_header(vec![
        screen.cell("Page", Tone::Heading),
        screen.number("Promised", Tone::Heading),
        screen.number("Reached", Tone::Heading),
        screen.cell("Why", Tone::Heading),
    ]);
    let room = screen.width * 2 / 5;
    for page in promised.page_list.iter().take(MAX_SHOWN_PAGES) {
        table.add_row(vec![
            screen.cell(&shorten(&terminal(&page.url), room), Tone::Plain),
            screen.number(&percent(page.chance), Tone::Plain),
            screen.number(reached(page), Tone::Plain),
            screen.cell(&page.reason, Tone::Plain),
        ]);
    }
    writeln!(out, "{}", table.trim_fmt())?;
    if promised.page_list.len() > MAX_SHOWN_PAGES {
        let more = promised.page_list.len() - MAX_SHOWN_PAGES;
        let text = format!("{more} more pages are in --json, --csv and --html.");
        write!(out, "{}", screen.paragraph("", &text, Tone::Faint))?;
    }
    Ok(())
}
