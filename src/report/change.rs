//! The changes of one page, block by block: which changed, how, and what each contributes.

use std::io::{self, Write};

use super::layout::{Screen, Tone, shorten};
use crate::audit::model::{PageChanges, RunChange};
use crate::format::{clock, count, precise};
use crate::html::blocks::Role;
use crate::quality::change_importance::{BlockChange, ChangeImportance, Operation, Target, Term};

/// Maximum number of blocks of a change shown.
const BLOCKS: usize = 20;
/// How much of a text is shown.
const EXCERPT: usize = 240;

/// Writes the changes from each version of a page to the next.
pub(crate) fn write(out: &mut dyn Write, page: &PageChanges, screen: Screen) -> io::Result<()> {
    write!(out, "{}", screen.paragraph("", &page.url, Tone::Heading))?;
    let text = match page.changes.len() as u64 {
        0 => format!("No change is known between its {}.", count(page.looks, "capture")),
        changes => format!("{} between its {}.", count(changes, "change"), count(page.looks, "capture")),
    };
    write!(out, "{}", screen.paragraph("", &text, Tone::Plain))?;
    page.changes.iter().try_for_each(|change| write_change(out, change, screen))
}

fn write_change(out: &mut dyn Write, change: &RunChange, screen: Screen) -> io::Result<()> {
    let title = format!("From {} to {} UTC", clock(change.from), clock(change.to));
    writeln!(out, "\n{}", screen.toned(Tone::Heading, &title))?;
    let Some(found) = &change.change else {
        let text = format!("Unknown: {}.", change.reason.as_deref().unwrap_or("there is no evidence"));
        return write!(out, "{}", screen.paragraph("", &text, Tone::Plain));
    };
    write!(out, "{}", screen.paragraph("", &summary(found), Tone::Plain))?;
    for block in found.changes.iter().take(BLOCKS) {
        write_block(out, block, screen)?;
    }
    if found.changes.len() > BLOCKS {
        let text = format!("{} more, which contribute less; --json has them.", found.changes.len() - BLOCKS);
        write!(out, "{}", screen.paragraph("  ", &text, Tone::Faint))?;
    }
    Ok(())
}

/// How much a change matters, in a sentence.
pub(crate) fn summary(found: &ChangeImportance) -> String {
    match found.changes.len() {
        0 => "Importance 0: nothing that a reader sees changed; markup, scripts or hidden fields did."
            .to_owned(),
        changed => format!(
            "Importance {} of 1: {changed} of {} changed.",
            precise(found.importance),
            count(found.blocks_before.max(found.blocks_after) as u64, "block")
        ),
    }
}

fn write_block(out: &mut dyn Write, block: &BlockChange, screen: Screen) -> io::Result<()> {
    let id = block.id.as_ref().map_or_else(String::new, |id| format!(" #{id}"));
    let head = format!(
        "{}{id} {}: contributes {}; the block has {} of the importance of the page",
        role(block.role),
        block.path,
        precise(block.contribution),
        precise(block.importance)
    );
    write!(out, "{}", screen.paragraph("  - ", &head, Tone::Plain))?;
    for term in &block.terms {
        write!(out, "{}", screen.paragraph("      ", &term_text(term), Tone::Plain))?;
    }
    for (mark, text) in [("      was ", &block.before), ("      is  ", &block.after)] {
        if let Some(text) = text.as_ref().filter(|text| !text.trim().is_empty()) {
            write!(out, "{}", screen.paragraph(mark, &shorten(text, EXCERPT), Tone::Faint))?;
        }
    }
    Ok(())
}

fn term_text(term: &Term) -> String {
    let done = what_was_done(term);
    if term.target == Target::Block {
        return format!("{done}: {}", precise(term.contribution));
    }
    format!(
        "{done}, {} of the block, weight {}: {}",
        crate::format::percent(term.share),
        precise(term.weight),
        precise(term.contribution)
    )
}

/// What was done to a block: "1 image replaced".
pub(crate) fn what_was_done(term: &Term) -> String {
    let operation = match term.operation {
        Operation::Insert => "inserted",
        Operation::Delete => "deleted",
        Operation::Update => "replaced",
        Operation::Move => "moved",
    };
    let noun = match term.target {
        Target::Block => return format!("the block was {operation}"),
        Target::Text => "word",
        Target::Link => "link",
        Target::Image => "image",
    };
    format!("{} {operation}", count(term.count, noun))
}

pub(crate) fn role(role: Role) -> &'static str {
    match role {
        Role::Title => "title",
        Role::Main => "main content",
        Role::Article => "article",
        Role::Header => "header",
        Role::Nav => "navigation",
        Role::Aside => "aside",
        Role::Footer => "footer",
        Role::Noise => "noise",
        Role::Other => "other",
    }
}
