//! The difference of two captures for a terminal.

pub(crate) mod svg;

use std::io::{self, Write};

use super::layout::{Screen, Tone, UNKNOWN, shorten};
use super::missing::one_line;
use crate::diff::model::{Diff, Resource};
use crate::format::figure;
use crate::recovery::vector::{Class, Share, Vector};

/// Writes the report, with up to `listed` resources of each class.
pub(crate) fn write(out: &mut dyn Write, diff: &Diff, screen: Screen, listed: usize) -> io::Result<()> {
    out.write_all(screen.paragraph("", &diff.summary, Tone::Heading).as_bytes())?;
    blocks(out, diff, screen)?;
    writeln!(out)?;
    table(out, diff, screen)?;
    for class in [Class::Missing, Class::Unsought, Class::Changed, Class::Unknown, Class::Added] {
        list(out, diff, class, screen, listed)?;
    }
    writeln!(out)?;
    for assumption in &diff.assumptions {
        out.write_all(screen.paragraph("- ", assumption, Tone::Faint).as_bytes())?;
    }
    Ok(())
}

/// The letter of a class in a line of blocks.
fn block(class: Class) -> &'static str {
    match class {
        Class::Identical => "█",
        Class::Changed => "▓",
        Class::Unknown => "?",
        Class::Missing => "·",
        Class::Unsought => "-",
        Class::Added => "+",
    }
}

fn blocks(out: &mut dyn Write, diff: &Diff, screen: Screen) -> io::Result<()> {
    let mut line = String::from("  ");
    for (class, length) in &diff.diagram.blocks {
        let tone = match class {
            Class::Identical => Tone::Good,
            Class::Changed | Class::Missing => Tone::Poor,
            _ => Tone::Faint,
        };
        line.push_str(&screen.toned(tone, &block(*class).repeat(*length as usize)));
    }
    writeln!(out, "{line}")?;
    let legend: Vec<String> = Class::ALL
        .into_iter()
        .filter(|class| diff.counts.of(*class) > 0)
        .map(|class| format!("{} {} {}", block(class), words(class), diff.counts.of(class)))
        .collect();
    out.write_all(screen.paragraph("  ", &legend.join("   "), Tone::Faint).as_bytes())
}

/// A class as reports call it.
pub(crate) fn words(class: Class) -> &'static str {
    match class {
        Class::Unsought => "never requested",
        Class::Unknown => "cannot be compared",
        class => class.name(),
    }
}

/// A share to three digits, or a range of them.
pub(crate) fn share(share: Option<Share>) -> String {
    match share {
        None => UNKNOWN.to_owned(),
        Some(Share::Exact(value)) => format!("{value:.3}"),
        Some(Share::Range { low, high }) => format!("{low:.3} to {high:.3}"),
    }
}

fn table(out: &mut dyn Write, diff: &Diff, screen: Screen) -> io::Result<()> {
    let mut table = screen.table();
    let heading = ["difference", "changed", "missing", "never requested", "added"];
    table.set_header(heading.iter().enumerate().map(|(place, name)| match place {
        0 => screen.cell(name, Tone::Heading),
        _ => screen.number(name, Tone::Heading),
    }));
    let mut row = |name: &str, vector: &Vector| {
        let mut cells = vec![screen.cell(name, Tone::Plain)];
        let parts = [vector.changed, vector.missing, vector.unsought, vector.added];
        cells.extend(parts.map(|part| screen.number(&share(part), Tone::Plain)));
        table.add_row(cells);
    };
    row("by number", &diff.vector);
    row("by importance", &diff.by_importance);
    for kind in diff.kinds.iter().filter(|kind| kind.counts.original() + kind.counts.added > 0) {
        row(kind.kind.words(), &kind.vector);
        row(&format!("{}, by importance", kind.kind.words()), &kind.by_importance);
    }
    writeln!(out, "{table}")
}

fn list(out: &mut dyn Write, diff: &Diff, class: Class, screen: Screen, listed: usize) -> io::Result<()> {
    let resources = diff.most_important(&[class]);
    if resources.is_empty() || listed == 0 {
        return Ok(());
    }
    writeln!(out)?;
    let mut title = words(class).to_owned();
    title[..1].make_ascii_uppercase();
    out.write_all(
        screen.paragraph("", &format!("{title}, the most important first"), Tone::Heading).as_bytes(),
    )?;
    for resource in resources.iter().take(listed) {
        let url = shorten(&resource.url, screen.width.saturating_sub(4));
        writeln!(out, "  {url}")?;
        out.write_all(screen.paragraph("      ", &details(resource), Tone::Faint).as_bytes())?;
    }
    if resources.len() > listed {
        let more = format!("and {} more: --list, --json and --html have them", resources.len() - listed);
        out.write_all(screen.paragraph("  ", &more, Tone::Faint).as_bytes())?;
    }
    Ok(())
}

/// What is known of one resource, in a sentence.
pub(crate) fn details(resource: &Resource) -> String {
    let mut parts = vec![resource.reason.clone()];
    if let Some(grade) = resource.grade {
        parts.push(format!("evidence: {}", grade.name()));
    }
    if let Some(change) = &resource.change {
        if change.same_text == Some(true) {
            parts.push("same text".to_owned());
        }
        parts.extend(
            change.importance.map(|importance| format!("importance of the change {}", figure(importance))),
        );
        // Texts that differ are not said to be alike by rounding.
        let similarity = change.similarity.map(|similarity| match similarity {
            0.995..1.0 => "over 0.99".to_owned(),
            similarity => figure(similarity),
        });
        parts.extend(similarity.map(|similarity| format!("similarity of the text {similarity}")));
        parts.extend(change.reason.clone());
    }
    match (&resource.moved, resource.class) {
        (Some(url), Class::Added) => parts.push(format!("same content as {url} before")),
        (Some(url), _) => parts.push(format!("same content now at {url}")),
        (None, _) => {}
    }
    parts.join("; ")
}

/// Writes what is missing or was never requested, one URL per line, the most important first.
pub(crate) fn missing(out: &mut dyn Write, diff: &Diff) -> io::Result<()> {
    let lost = diff.most_important(&[Class::Missing, Class::Unsought]);
    lost.iter().try_for_each(|resource| writeln!(out, "{}", one_line(&resource.url)))
}
