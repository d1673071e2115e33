//! The simulation for a terminal: a table for each site and score, or one table of all rows if they were sorted.

use std::io::{self, Write};

use comfy_table::Cell;

use super::number;
use crate::report::layout::{Screen, Tone, UNKNOWN};
use crate::simulate::model::{Row, Simulation};

/// Writes the tables; `flat`: all rows in their order, in one table.
pub(crate) fn write(
    out: &mut dyn Write,
    simulation: &Simulation,
    screen: Screen,
    flat: bool,
) -> io::Result<()> {
    out.write_all(screen.paragraph("", &simulation.title, Tone::Heading).as_bytes())?;
    let rows: Vec<&Row> = simulation.rows.iter().collect();
    if flat {
        writeln!(out)?;
        section(out, &rows, screen, true, simulation.forecasts)?;
    } else {
        for group in groups(&rows) {
            let (site, score, runs) = (&group[0].site, &group[0].score, group[0].runs);
            let heading = format!("{site}: {score}, {runs} {}", if runs == 1 { "run" } else { "runs" });
            writeln!(out)?;
            out.write_all(screen.paragraph("", &heading, Tone::Heading).as_bytes())?;
            section(out, &group, screen, false, simulation.forecasts)?;
        }
    }
    if !simulation.notes.is_empty() {
        writeln!(out)?;
    }
    for note in &simulation.notes {
        out.write_all(screen.paragraph("- ", note, Tone::Faint).as_bytes())?;
    }
    Ok(())
}

/// Rows of one site and score, in the order in which the first of each group came.
fn groups<'a>(rows: &[&'a Row]) -> Vec<Vec<&'a Row>> {
    let mut groups: Vec<Vec<&Row>> = Vec::new();
    for row in rows {
        match groups.iter_mut().find(|group| group[0].site == row.site && group[0].score == row.score) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    groups
}

fn section(
    out: &mut dyn Write,
    rows: &[&Row],
    screen: Screen,
    named: bool,
    forecasts: bool,
) -> io::Result<()> {
    let published = rows.iter().any(|row| row.published.is_some());
    let mut table = screen.table();
    let mut heading = vec!["strategy", "expected", "sampled", "±"];
    heading.extend(if published {
        &["published", "z"][..]
    } else {
        if forecasts { &["forecasts"] } else { &["downloads"] }
    });
    heading.extend(if named { &["score", "site"][..] } else { &[] });
    let cell = |text: &str| screen.cell(text, Tone::Heading);
    let right = |text: &str| screen.number(text, Tone::Heading);
    let is_text = |name: &str| matches!(name, "strategy" | "score" | "site");
    table.set_header(heading.iter().map(|name| if is_text(name) { cell(name) } else { right(name) }));
    for row in rows {
        table.add_row(cells(row, published, named, screen));
    }
    writeln!(out, "{table}")
}

fn cells(row: &Row, published: bool, named: bool, screen: Screen) -> Vec<Cell> {
    let known = |value: Option<f64>| screen.number(&value.map_or(UNKNOWN.to_owned(), number), Tone::Plain);
    let mut cells = vec![
        screen.cell(&row.strategy, Tone::Plain),
        known(row.expected),
        known(row.sampled),
        screen.number(&row.stderr.map_or(UNKNOWN.to_owned(), spread), Tone::Faint),
    ];
    if published {
        cells.push(known(row.published));
        let far = row.z.is_some_and(|z| z.abs() > 4.0);
        let signed = |z: f64, digits: usize| {
            let z = if z.abs() < 0.5 * 10f64.powi(-(digits as i32)) { 0.0 } else { z };
            format!("{z:+.digits$}")
        };
        // A published expectation is compared digit by digit.
        let z = match (row.z, row.difference) {
            (_, Some(difference)) => format!("diff {}", signed(difference, 3)),
            (Some(z), None) => signed(z, 2),
            (None, None) => UNKNOWN.to_owned(),
        };
        cells.push(screen.number(&z, if far { Tone::Poor } else { Tone::Plain }));
    } else {
        cells.push(screen.number(&format!("{:.0}", row.downloads), Tone::Faint));
    }
    if named {
        cells.push(screen.cell(&row.score, Tone::Plain));
        cells.push(screen.cell(&row.site, Tone::Plain));
    }
    cells
}

/// A standard error: two digits are enough.
fn spread(value: f64) -> String {
    match value {
        value if value >= 10.0 => format!("{value:.0}"),
        value if value >= 1.0 => format!("{value:.1}"),
        value if value >= 0.001 || value == 0.0 => format!("{value:.4}"),
        value => format!("{value:.1e}"),
    }
}
