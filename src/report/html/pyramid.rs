//! A schedule as a drawing: one line per page, from its visit to its revisit, the first visit at the bottom, so that the best
//! order looks like a pyramid; pages that change too fast are below, apart. Single visits look like organ pipes.

use super::markup::Html;

/// One page of a schedule, in seconds from the start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bar {
    /// The first fetch.
    pub visit: f64,
    /// The second fetch, if there is one.
    pub revisit: Option<f64>,
    /// Whether the page is likely enough to stay unchanged.
    pub hopeful: bool,
}

/// Maximum number of lines in a group; more pages are thinned out evenly, since no screen has room for them.
const LINES: usize = 400;

/// Writes the drawing. `label` says what it shows.
pub(super) fn write(html: &mut Html, bars: &[Bar], label: &str) {
    let end = bars.iter().map(|bar| bar.revisit.unwrap_or(bar.visit)).fold(0.0, f64::max);
    let groups = [("hopeful", true), ("hopeless", false)].map(|(class, hopeful)| {
        (class, thin(bars.iter().filter(|bar| bar.hopeful == hopeful).copied().collect()))
    });
    let lines: usize = groups.iter().map(|(_, bars)| bars.len()).sum();
    let line = (220.0 / lines.max(1) as f64).clamp(0.5, 9.0);
    let apart = if groups.iter().all(|(_, bars)| !bars.is_empty()) { 14.0 } else { 0.0 };
    let height = line * lines as f64 + apart + 2.0;
    html.raw("<svg class=\"pyramid\" width=\"100%\" height=\"")
        .coordinate(height)
        .raw("\" role=\"img\" aria-label=\"");
    html.value(label).raw("\">");
    let place = |seconds: f64| if end > 0.0 { 100.0 * seconds / end } else { 50.0 };
    let mut y = 1.0;
    for (class, bars) in &groups {
        for bar in bars.iter().rev() {
            let from = place(bar.visit);
            let width = bar.revisit.map_or(0.0, |revisit| place(revisit) - from).max(0.5);
            html.raw("<rect class=\"")
                .raw(class)
                .raw("\" x=\"")
                .coordinate(from.min(99.5))
                .raw("%\" width=\"")
                .coordinate(width);
            html.raw("%\" y=\"")
                .coordinate(y)
                .raw("\" height=\"")
                .coordinate((0.7 * line).max(0.5))
                .raw("\"/>");
            y += line;
        }
        y += apart;
    }
    html.raw("</svg>");
}

/// Writes single visits as organ pipes: one pipe a page along the time of the crawl, the longer the more often the page
/// changes, on a logarithmic scale.
pub(super) fn pipes(html: &mut Html, visits: &[(f64, Option<f64>)], label: &str) {
    let end = visits.iter().map(|visit| visit.0).fold(0.0, f64::max);
    let rates = || visits.iter().filter_map(|visit| visit.1).filter(|rate| *rate > 0.0).map(f64::ln);
    let (low, high) = (rates().fold(f64::INFINITY, f64::min), rates().fold(f64::NEG_INFINITY, f64::max));
    html.raw("<svg class=\"pyramid\" width=\"100%\" height=\"160\" role=\"img\" aria-label=\"")
        .value(label)
        .raw("\">");
    let every = visits.len().div_ceil(LINES).max(1);
    let width = (80.0 / visits.len().clamp(1, LINES) as f64).clamp(0.1, 4.0);
    for (seconds, rate) in visits.iter().step_by(every) {
        let height = match rate {
            Some(rate) if *rate > 0.0 && high > low => 12.0 + 146.0 * (rate.ln() - low) / (high - low),
            Some(rate) if *rate > 0.0 => 80.0,
            Some(_) => 4.0,
            // What always changes is the longest.
            None => 158.0,
        };
        let place = if end > 0.0 { (100.0 - width) * seconds / end } else { 50.0 };
        html.raw("<rect class=\"hopeful\" x=\"").coordinate(place).raw("%\" width=\"").coordinate(width);
        html.raw("%\" y=\"").coordinate(160.0 - height).raw("\" height=\"").coordinate(height).raw("\"/>");
    }
    html.raw("</svg>");
}

fn thin(bars: Vec<Bar>) -> Vec<Bar> {
    let every = bars.len().div_ceil(LINES).max(1);
    bars.into_iter().step_by(every).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_pages_is_drawn_by_a_few_hundred_lines() {
        for number in [0, 1, 2, 399, 100_000] {
            let bars: Vec<Bar> = (0..number)
                .map(|i| Bar { visit: f64::from(i), revisit: Some(2e5 - f64::from(i)), hopeful: i % 2 == 0 })
                .collect();
            let mut html = Html::new();
            write(&mut html, &bars, "x");
            assert!(html.as_str().matches("<rect").count() <= 2 * LINES);
            let visits: Vec<(f64, Option<f64>)> =
                (0..number).map(|i| (f64::from(i), (i % 3 > 0).then_some(f64::from(i % 3 - 1)))).collect();
            pipes(&mut html, &visits, "x");
            assert!(!html.as_str().contains("NaN") && !html.as_str().contains("inf"));
        }
    }
}
