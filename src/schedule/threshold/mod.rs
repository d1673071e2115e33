//! Strategies that give a page up when the risk that it changes passes a threshold.

pub(crate) mod pyramid;
pub(crate) mod measurable;

/// η: the greatest acceptable chance of a conflict, by default; between 0.45 and 0.7 the authors saw the best
/// results (Spaniol et al., *Data Quality in Web Archiving*, WICOW 2009, §5).
pub(crate) const ETA: f64 = 0.5;

/// The least acceptable survival of SHARC-threshold, by default.
pub(crate) const TAU: f64 = 0.05;
