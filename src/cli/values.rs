//! Values that options take: dates, offsets from UTC, thresholds, and choices that several commands share.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::ValueEnum;

use crate::audit::missing_reason::Lost;
use crate::time::{Dated, Instant};

/// How captures are divided into crawls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CrawlsArg {
    Auto,
    /// As this file says.
    File(PathBuf),
}

impl FromStr for CrawlsArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(CrawlsArg::Auto),
            file if Path::new(file).exists() => Ok(CrawlsArg::File(file.into())),
            _ => Err(format!("{text:?} is neither auto nor a file")),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum CompareArg {
    /// Every byte
    Bytes,
    /// Visible text, where it is known
    Text,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ChangeArg {
    /// Where bodies can be read again
    Auto,
    /// Never
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum EmbedsArg {
    /// All of them, wherever they are hosted: without them a page does not look as it did
    All,
    /// Those on the site itself
    Site,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FateArg {
    /// Never requested
    Untried,
    /// Requested, but the server was overloaded, out of order or did not respond; a later attempt may succeed
    Failed,
    /// The site itself no longer has it: 404 or 410
    Gone,
    /// Requested, and the response cannot be used: refused, an error page with status 200, cut short, or its original is not here
    Unusable,
    /// Left out on purpose: robots.txt or the rules of the crawl forbid it
    Excluded,
}

impl FateArg {
    /// Why something is missing that it chooses.
    pub(super) fn chosen(self) -> &'static [Lost] {
        match self {
            FateArg::Untried => &[Lost::Untried],
            FateArg::Failed => &[Lost::Failed],
            FateArg::Gone => &[Lost::Gone],
            FateArg::Unusable => &[Lost::NoContent, Lost::ErrorPage, Lost::Elsewhere],
            FateArg::Excluded => &[Lost::Excluded],
        }
    }
}

/// The importance below which changes are ignored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Below {
    /// That of the table of weights.
    OfTable,
    Given(f64),
}

pub(super) fn parse_below(text: &str) -> Result<Below, String> {
    match text.parse() {
        _ if text == "auto" => Ok(Below::OfTable),
        Ok(below) if (0.0..=1.0).contains(&below) => Ok(Below::Given(below)),
        _ => Err(format!("{text:?} is not a number from 0 to 1")),
    }
}

/// Minutes of an offset such as `+02:00`, `-0330`, `+2` or `UTC`.
pub(super) fn parse_offset(text: &str) -> Result<i32, String> {
    let wrong = || format!("{text:?} is not an offset from UTC; write +02:00 or -03:30");
    if matches!(text, "UTC" | "utc" | "Z" | "z" | "0") {
        return Ok(0);
    }
    let (sign, rest) = match text.split_at_checked(1) {
        Some(("+", rest)) => (1, rest),
        Some(("-", rest)) => (-1, rest),
        _ => return Err(wrong()),
    };
    let digits: String = rest.chars().filter(|c| *c != ':').collect();
    let (hours, minutes) =
        if digits.len() <= 2 { (&*digits, "0") } else { digits.split_at(digits.len() - 2) };
    match (hours.parse::<i32>(), minutes.parse::<i32>()) {
        (Ok(hours @ 0..=14), Ok(minutes @ 0..=59)) if digits.len() <= 4 => Ok(sign * (hours * 60 + minutes)),
        _ => Err(wrong()),
    }
}

fn parse_date(text: &str) -> Result<Dated, String> {
    Dated::parse(text)
        .ok_or_else(|| format!("{text:?} is not a date; write 2024-05-01 or 2024-05-01T12:00:00Z"))
}

/// The first instant of a date.
pub(super) fn parse_from(text: &str) -> Result<Instant, String> {
    parse_date(text).map(|dated| dated.instant)
}

/// The first instant behind a date.
pub(super) fn parse_to(text: &str) -> Result<Instant, String> {
    parse_date(text).map(Dated::end)
}

/// A date with the text that it was typed as, for commands to repeat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TypedDate {
    pub text: String,
    pub at: Instant,
}

impl TypedDate {
    /// The first instant of a date.
    pub(super) fn first(text: &str) -> Result<Self, String> {
        parse_from(text).map(|at| TypedDate { text: text.to_owned(), at })
    }

    /// The first instant behind a date.
    pub(super) fn last(text: &str) -> Result<Self, String> {
        parse_to(text).map(|at| TypedDate { text: text.to_owned(), at })
    }
}
