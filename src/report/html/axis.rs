//! The axis of time that all charts share: places in percent of its width, and where it is labelled.

use super::markup::Html;
use crate::format::clock;
use crate::time::{DAY, Instant, SECOND};

/// Maximum number of labels.
const LABELS: i64 = 6;

/// Steps between labels that people count in.
const STEPS: [i64; 19] = [
    SECOND,
    5 * SECOND,
    15 * SECOND,
    30 * SECOND,
    60 * SECOND,
    120 * SECOND,
    300 * SECOND,
    900 * SECOND,
    1_800 * SECOND,
    3_600 * SECOND,
    3 * 3_600 * SECOND,
    6 * 3_600 * SECOND,
    12 * 3_600 * SECOND,
    DAY,
    2 * DAY,
    7 * DAY,
    30 * DAY,
    91 * DAY,
    365 * DAY,
];

/// A stretch of time drawn from left to right.
#[derive(Debug, Clone, Copy)]
pub(super) struct Axis {
    from: Instant,
    length: i64,
}

impl Axis {
    /// The axis of a window. An instant gets a second around it.
    pub(super) fn new(from: Instant, to: Instant) -> Self {
        match to.0.saturating_sub(from.0) {
            length if length > 0 => Axis { from, length },
            _ => Axis { from: from.plus(-SECOND), length: 2 * SECOND },
        }
    }

    /// The place of an instant in percent.
    pub(super) fn place(&self, at: Instant) -> f64 {
        let into = at.0.saturating_sub(self.from.0) as f64 / self.length as f64;
        (100.0 * into).clamp(0.0, 100.0)
    }

    /// Where labels stand, and their words: the date where the step is a day or more, else the time of day.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        let step = STEPS.into_iter().find(|step| self.length / step <= LABELS);
        let step = step.unwrap_or_else(|| (self.length / LABELS / (365 * DAY) + 1).saturating_mul(365 * DAY));
        let first = self.from.0.div_euclid(step).saturating_add(1).saturating_mul(step);
        let places = (0..=LABELS).map(|number| first.saturating_add(number.saturating_mul(step)));
        let inside = places.filter(|at| at.saturating_sub(self.from.0) <= self.length && *at < i64::MAX);
        inside
            .map(|at| {
                let text = clock(Instant(at));
                let (day, time) = text.split_once(' ').unwrap_or((&text, ""));
                let label = match () {
                    () if step >= DAY => day.to_owned(),
                    () if step >= 60 * SECOND => time.get(..5).unwrap_or(time).to_owned(),
                    () => time.to_owned(),
                };
                (self.place(Instant(at)), label)
            })
            .collect()
    }

    /// Writes the labels as a drawing of their own, to stand below a chart of the same width.
    pub(super) fn write(&self, html: &mut Html) {
        html.raw("<svg class=\"axis\" width=\"100%\" height=\"20\" aria-hidden=\"true\">");
        for (number, (place, label)) in self.ticks().into_iter().enumerate() {
            let odd = if number % 2 == 1 { " odd" } else { "" };
            // Labels at the edges would be cut.
            let anchor = match place {
                place if place < 4.0 => "start",
                place if place > 96.0 => "end",
                _ => "middle",
            };
            html.raw("<line class=\"tick")
                .raw(odd)
                .raw("\" x1=\"")
                .coordinate(place)
                .raw("%\" x2=\"")
                .coordinate(place);
            html.raw("%\" y1=\"0\" y2=\"4\"/><text class=\"label")
                .raw(odd)
                .raw("\" y=\"16\" text-anchor=\"")
                .raw(anchor);
            html.raw("\" x=\"").coordinate(place).raw("%\">").text(&label).raw("</text>");
        }
        html.raw("</svg>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_has_a_few_labels_whatever_its_length() {
        let at = |text: &str| Instant::parse(text).unwrap();
        for (from, to) in [
            ("2024-03-04T09:00:00Z", "2024-03-04T09:28:59Z"),
            ("2024-03-04T09:00:00Z", "2024-03-04T09:00:03Z"),
            ("2024-03-04T09:00:00Z", "2024-03-04T09:00:00Z"),
            ("1996-01-01T00:00:00Z", "2024-03-04T09:00:00Z"),
        ] {
            let ticks = Axis::new(at(from), at(to)).ticks();
            assert!(!ticks.is_empty() && ticks.len() <= 7, "{from} {to}: {ticks:?}");
            assert!(ticks.iter().all(|(place, _)| (0.0..=100.0).contains(place)));
        }
        let ticks = Axis::new(Instant(i64::MIN), Instant(i64::MAX)).ticks();
        assert!(ticks.len() <= 7);
        let labels: Vec<String> = Axis::new(at("2024-03-04T09:00:00Z"), at("2024-03-04T09:29:00Z"))
            .ticks()
            .into_iter()
            .map(|(_, label)| label)
            .collect();
        assert_eq!(labels, ["09:05", "09:10", "09:15", "09:20", "09:25"]);
    }
}
