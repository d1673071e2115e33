//! The simulation as a plot: strategies against duration, skew, resources or size; a panel for each score.
//!
//! The horizontal axis is the first of these that varies. Where none does, strategies are bars.

use std::fmt::Write;

use super::number;
use crate::report::escape;
use crate::simulate::model::{Row, Simulation};
use crate::simulate::synthetic::Point;

const WIDTH: f64 = 900.0;
const PANEL: f64 = 420.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 270.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 55.0;
/// Height of a bar with the room around it.
const BAR: f64 = 18.0;

/// What a panel's horizontal axis shows.
#[derive(Clone, Copy)]
struct Axis {
    name: &'static str,
    of: fn(&Point) -> Option<f64>,
}

const AXES: [Axis; 6] = [
    Axis { name: "coverage", of: |point| point.coverage },
    Axis { name: "duration in days", of: |point| point.duration_days },
    Axis { name: "slow-down", of: |point| point.slow_down },
    Axis { name: "skew", of: |point| point.skew },
    Axis { name: "resources", of: |point| point.resources },
    Axis { name: "pages", of: |point| Some(point.pages as f64) },
];

pub(crate) fn render(simulation: &Simulation) -> String {
    let mut scores: Vec<&str> = Vec::new();
    for row in &simulation.rows {
        if !scores.contains(&row.score.as_str()) {
            scores.push(&row.score);
        }
    }
    let varied =
        |axis: &&Axis| distinct(simulation.rows.iter().filter_map(|row| (axis.of)(&row.point))).len() > 1;
    let axis = AXES.iter().find(varied);
    let (mut body, mut top) = (String::new(), 34.0);
    for score in scores {
        let rows: Vec<&Row> = simulation.rows.iter().filter(|row| row.score == score).collect();
        top += match axis {
            Some(axis) => lines(&mut body, &rows, score, axis, top),
            None => bars(&mut body, &rows, score, top),
        };
    }
    let mut svg = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {top}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"10\" y=\"20\" font-size=\"13\" font-weight=\"bold\">{}</text>\n{body}</svg>\n",
        escape::xml(&simulation.title)
    );
    svg
}

fn distinct(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

fn names<'a>(rows: &[&'a Row]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for row in rows {
        if !names.contains(&row.strategy.as_str()) {
            names.push(&row.strategy);
        }
    }
    names
}

fn value(row: &Row) -> Option<f64> {
    row.expected.or(row.sampled)
}

/// Hues far apart, and dashes for every second strategy.
fn stroke(place: usize) -> String {
    let dash = if place.is_multiple_of(2) { "" } else { " stroke-dasharray=\"5 3\"" };
    format!("stroke=\"hsl({} 70% 40%)\"{dash}", place * 137 % 360)
}

/// A panel with a line for each strategy. Gives its height.
fn lines(body: &mut String, rows: &[&Row], score: &str, axis: &Axis, top: f64) -> f64 {
    let names = names(rows);
    let height = PANEL.max(TOP + BOTTOM + 14.0 * names.len() as f64);
    let places = distinct(rows.iter().filter_map(|row| (axis.of)(&row.point)));
    let (Some(&low), Some(&high)) = (places.first(), places.last()) else { return 0.0 };
    let logarithmic = low > 0.0 && high / low >= 8.0;
    let scale =
        |x: f64| if logarithmic { (x / low).ln() / (high / low).ln() } else { (x - low) / (high - low) };
    let greatest = rows.iter().filter_map(|row| value(row)).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let left = |x: f64| LEFT + scale(x) * (WIDTH - LEFT - RIGHT);
    let base = top + height - BOTTOM;
    let up = |y: f64| base - (y / greatest).clamp(0.0, 1.0) * (height - TOP - BOTTOM);
    let _ = writeln!(
        body,
        "<text x=\"{LEFT}\" y=\"{:.1}\" font-weight=\"bold\">{} by {}</text>",
        top + 20.0,
        escape::xml(score),
        axis.name
    );
    let step = tick(greatest);
    for y in (0..).map(|place| step * f64::from(place)).take_while(|y| *y <= greatest * (1.0 + 1e-9)) {
        let _ = writeln!(
            body,
            "<line x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{1:.1}\" y2=\"{1:.1}\" stroke=\"#ddd\"/><text x=\"{2:.1}\" y=\"{3:.1}\" text-anchor=\"end\">{4}</text>",
            WIDTH - RIGHT,
            up(y),
            LEFT - 6.0,
            up(y) + 4.0,
            // Steps such as 0.2 are not exact in binary: digits that come from rounding are not shown.
            (y * 1e9).round() / 1e9
        );
    }
    for &x in &places {
        let _ = writeln!(
            body,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{x}</text>",
            left(x),
            base + 16.0
        );
    }
    for (place, name) in names.iter().enumerate() {
        let mut points: Vec<(f64, f64)> = rows
            .iter()
            .filter(|row| row.strategy == *name)
            .filter_map(|row| Some((left((axis.of)(&row.point)?), up(value(row)?))))
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let y = top + TOP + 14.0 * place as f64;
        let _ = writeln!(
            body,
            "<polyline points=\"{}\" fill=\"none\" stroke-width=\"1.5\" {2}/><line x1=\"{3:.1}\" x2=\"{4:.1}\" y1=\"{5:.1}\" y2=\"{5:.1}\" stroke-width=\"2\" {2}/><text x=\"{6:.1}\" y=\"{7:.1}\">{1}</text>",
            path.join(" "),
            escape::xml(name),
            stroke(place),
            WIDTH - RIGHT + 14.0,
            WIDTH - RIGHT + 40.0,
            y,
            WIDTH - RIGHT + 46.0,
            y + 4.0
        );
    }
    height
}

/// The distance between two ticks: 1, 2 or 5 times a power of ten, six ticks or less.
fn tick(greatest: f64) -> f64 {
    let power = 10f64.powf((greatest / 5.0).log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
    steps.into_iter().find(|step| greatest / step <= 5.0).unwrap_or(greatest)
}

/// A panel with a bar for each site and strategy. Gives its height.
fn bars(body: &mut String, rows: &[&Row], score: &str, top: f64) -> f64 {
    let greatest = rows.iter().filter_map(|row| value(row)).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let several = rows.iter().any(|row| row.site != rows[0].site);
    let start = 230.0;
    let _ = writeln!(
        body,
        "<text x=\"10\" y=\"{:.1}\" font-weight=\"bold\">{}</text>",
        top + 20.0,
        escape::xml(score)
    );
    for (place, row) in rows.iter().enumerate() {
        let y = top + 32.0 + BAR * place as f64;
        let name = if several { format!("{}, {}", row.strategy, row.site) } else { row.strategy.clone() };
        let _ = writeln!(
            body,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            start - 6.0,
            y + 11.0,
            escape::xml(&name)
        );
        if let Some(value) = value(row) {
            let length = (value / greatest).clamp(0.0, 1.0) * (WIDTH - start - 100.0);
            let _ = writeln!(
                body,
                "<rect x=\"{start}\" y=\"{y:.1}\" width=\"{length:.1}\" height=\"{:.1}\" fill=\"#4878a8\"/><text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                BAR - 4.0,
                start + length + 5.0,
                y + 11.0,
                number(value)
            );
        }
    }
    50.0 + BAR * rows.len() as f64
}
