//! What an audit shows beside an earlier one, and what people said of its pages, on a terminal.

use std::io::{self, Write};

use super::escape::terminal;
use super::layout::{Screen, Tone};
use crate::audit::model::{Comparison, ReviewSummary};
use crate::format::{count, list, number, period};

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
    Ok(())
}

/// What people said, in a sentence.
pub(crate) fn reviewed(review: &ReviewSummary) -> String {
    let mut text = format!("Reviewed by people: {}", count(review.pages, "page"));
    let ratings: Vec<String> = review
        .ratings
        .iter()
        .take(5)
        .map(|found| format!("{} {}", number(found.pages), found.rating))
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
