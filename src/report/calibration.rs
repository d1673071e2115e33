//! Forecast against outcome as a plot: mean chance of a bin across, share that came true upwards, with its 95% interval.

use std::fmt::Write;

use super::layout::UNKNOWN;
use crate::change::calibration::Calibration;

const SIZE: f64 = 420.0;
const EDGE: f64 = 50.0;

/// The plot. Both axes are square roots, so that small chances, which most forecasts are, have room.
pub(crate) fn svg(title: &str, calibration: &Calibration) -> String {
    let at = |share: f64| (SIZE - 2.0 * EDGE) * share.max(0.0).sqrt();
    let (x, y) = (|share: f64| EDGE + at(share), |share: f64| SIZE - EDGE - at(share));
    let title_text = super::escape::xml(title);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {SIZE} {SIZE}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"10\" y=\"20\" font-size=\"13\" font-weight=\"bold\">{title_text}</text>\n"
    );
    let ratio = calibration.ratio().map_or_else(|| UNKNOWN.to_owned(), |ratio| format!("{ratio:.3}"));
    // Writing to a string cannot fail.
    let _ = writeln!(
        svg,
        "<text x=\"10\" y=\"36\">{} forecasts; changes forecast / seen: {ratio}</text>",
        calibration.all().forecasts
    );
    for share in [0.0, 0.01, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0] {
        let _ = writeln!(
            svg,
            "<path d=\"M{0:.1} {1:.1}V{2:.1}M{1:.1} {3:.1}H{4:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{0:.1}\" y=\"{5:.1}\" text-anchor=\"middle\">{share}</text>\
             <text x=\"{6:.1}\" y=\"{7:.1}\" text-anchor=\"end\">{share}</text>",
            x(share),
            EDGE,
            SIZE - EDGE,
            y(share),
            SIZE - EDGE,
            SIZE - EDGE + 14.0,
            EDGE - 4.0,
            y(share) + 4.0
        );
    }
    let _ = writeln!(
        svg,
        "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"#888\" stroke-dasharray=\"4 3\"/>",
        x(0.0),
        y(0.0),
        x(1.0),
        y(1.0)
    );
    for bin in &calibration.bins {
        let (Some(mean), Some((share, low, high))) = (bin.mean(), bin.share()) else { continue };
        let _ = writeln!(
            svg,
            "<g stroke=\"#1a5fb4\" fill=\"#1a5fb4\"><title>{4} forecasts of {mean:.4} on average: {share:.4} came true, 95% {low:.4} to {high:.4}</title>\
             <path d=\"M{0:.1} {1:.1}V{2:.1}\" stroke-width=\"2\"/><circle r=\"3.5\" cx=\"{0:.1}\" cy=\"{3:.1}\"/></g>",
            x(mean),
            y(low),
            y(high),
            y(share),
            bin.forecasts,
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{0:.1}\" y=\"{1:.1}\" text-anchor=\"middle\">chance forecast</text>\
         <text x=\"14\" y=\"{0:.1}\" text-anchor=\"middle\" transform=\"rotate(-90 14 {0:.1})\">share seen changed</text>\n</svg>",
        SIZE / 2.0,
        SIZE - 14.0
    );
    svg
}
