//! How numbers, dates and plurals are written wherever a person reads them. JSON and CSV carry the unrounded values.

mod date;
mod number;
mod plural;
mod url;

pub(crate) use date::{clock, clock_time, duration, lasting, period, span, times};
pub(crate) use number::{
    bytes, every, figure, number, percent, percent_change, percent_range, percents, precise, trimmed,
};
pub(crate) use plural::{all, count, list, part_of, plural, was};
pub(crate) use url::local;

/// Days of a mean year.
const DAYS_A_YEAR: f64 = 365.25;
