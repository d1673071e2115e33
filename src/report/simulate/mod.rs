//! A simulation shown: table, CSV, SVG. Nothing is computed.

pub(crate) mod csv;
pub(crate) mod svg;
pub(crate) mod table;

/// A number in as many digits as are worth reading.
fn number(value: f64) -> String {
    // A sum of nothing is -0.
    let value = value + 0.0;
    match value.abs() {
        size if size >= 1e6 => format!("{value:.0}"),
        size if size >= 100.0 => format!("{value:.3}"),
        size if size >= 0.001 || size == 0.0 => format!("{value:.4}"),
        _ => format!("{value:.2e}"),
    }
}
