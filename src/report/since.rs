//! The comparison with an earlier audit, and reviews by people, on a terminal.

use std::io::{self, Write};

use super::escape::terminal;
use super::layout::{Screen, Tone, shorten, width, wrap};
use crate::audit::model::{Comparison, Direction, Review, ReviewSummary, SiteAudit, SiteChange};
use crate::format::{count, list, local, number, period};

/// Reviews of a site that are listed.
const REVIEWS: usize = 20;

/// The heading of the sites.
const SITE: &str = "Site";
/// The column of the result.
const RESULT: usize = "different".len();
/// Sites that are listed.
const SITES: usize = 10;

/// Writes what changed since the earlier audit.
pub(super) fn write(out: &mut dyn Write, comparison: &Comparison, screen: Screen) -> io::Result<()> {
    let when =
        comparison.window.map_or_else(String::new, |window| format!(" ({})", period(window.from, window.to)));
    writeln!(out)?;
    let head = format!("Since {}{when}", comparison.with);
    write!(out, "{}", screen.paragraph("", &head, Tone::Heading))?;
    let mut before = "";
    for said in &comparison.said {
        let topic = if said.topic == before { "" } else { said.topic.as_str() };
        before = &said.topic;
        write!(out, "{}", screen.paragraph(&format!(" {:<9}", terminal(topic)), &said.text, Tone::Plain))?;
    }
    sites(out, &comparison.sites, screen)
}

/// Writes what changed site by site.
fn sites(out: &mut dyn Write, changes: &[SiteChange], screen: Screen) -> io::Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let shown = &changes[..changes.len().min(SITES)];
    let longest = shown.iter().map(|change| width(&terminal(&change.site))).max().unwrap_or(0);
    let name_room = longest.clamp(SITE.len(), (screen.width / 2).max(SITE.len()));
    writeln!(out, "\n{SITE:<name_room$}  {:<RESULT$}  What changed", "Result")?;
    let room = screen.width.saturating_sub(name_room + RESULT + 4).max(12);
    for change in shown {
        let name = shorten(&change.site, name_room);
        let pad = " ".repeat(name_room.saturating_sub(width(&name)));
        let word = change.direction.name();
        let result = screen.toned(tone(change.direction), word);
        let gap = " ".repeat(RESULT.saturating_sub(word.len()));
        for (place, line) in wrap(&terminal(&change.text), room).iter().enumerate() {
            match place {
                0 => writeln!(out, "{name}{pad}  {result}{gap}  {line}")?,
                _ => writeln!(out, "{}{line}", " ".repeat(name_room + RESULT + 4))?,
            }
        }
    }
    match (changes.len() - shown.len()) as u64 {
        0 => Ok(()),
        more => writeln!(out, "… and {}; --html lists them", count(more, "other site")),
    }
}

fn tone(direction: Direction) -> Tone {
    match direction {
        Direction::Worse | Direction::Gone => Tone::BandPoor,
        Direction::Better => Tone::BandGood,
        Direction::Unknown | Direction::Same | Direction::New => Tone::Faint,
    }
}

/// What people said, in a sentence.
pub(crate) fn reviewed(review: &ReviewSummary) -> String {
    let mut text = format!("Reviewed by people: {}", count(review.pages, "page"));
    let ratings: Vec<String> = review
        .ratings
        .iter()
        .take(5)
        .map(|found| format!("{} rated {}", number(found.pages), found.rating))
        .collect();
    if !ratings.is_empty() {
        text.push_str(&format!(" ({})", list(&ratings)));
    }
    if review.carried_over > 0 {
        text.push_str(&format!("; {} carried over from the earlier audit", number(review.carried_over)));
    }
    if review.not_audited > 0 {
        text.push_str(&match review.not_audited {
            1 => "; 1 review is of a page that is not in this audit".to_owned(),
            many => format!("; {} are of pages that are not in this audit", count(many, "review")),
        });
    }
    text.push('.');
    text
}

/// What somebody said of a page: `poor, "banner missing", by Ada, 2024-02-01`.
pub(super) fn said_of(review: &Review) -> String {
    let note = if review.note.is_empty() { String::new() } else { format!("\"{}\"", review.note) };
    let by = if review.by.is_empty() { String::new() } else { format!("by {}", review.by) };
    let carried = if review.carried_over { "carried over" } else { "" };
    let parts = [review.rating.as_str(), &note, &by, &review.date, carried];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// Writes what people said of the pages of a site.
pub(super) fn reviews(out: &mut dyn Write, site: &SiteAudit, screen: Screen) -> io::Result<()> {
    let all: Vec<(&str, &Review)> = site
        .page_list
        .iter()
        .filter_map(|page| Some((local(&page.url, &site.site), page.review.as_ref()?)))
        .collect();
    if all.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{}", screen.toned(Tone::Heading, "Reviewed by people"))?;
    for (path, review) in all.iter().take(REVIEWS) {
        write!(out, "{}", screen.paragraph("  - ", &format!("{path}: {}", said_of(review)), Tone::Plain))?;
    }
    match (all.len().saturating_sub(REVIEWS)) as u64 {
        0 => Ok(()),
        more => {
            let text = format!("{} more are in --json and --html.", number(more));
            write!(out, "{}", screen.paragraph("", &text, Tone::Faint))
        }
    }
}
