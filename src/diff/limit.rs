//! Limits for the difference vector: what must not be exceeded.

use super::model::Diff;
use crate::error::{Error, Result};
use crate::recovery::vector::{Share, Vector};

/// A part of the vector, and the most it may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Limit {
    part: Part,
    most: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Changed,
    Missing,
    Unsought,
    Added,
}

impl Part {
    const ALL: [(&'static str, Part); 4] = [
        ("changed", Part::Changed),
        ("missing", Part::Missing),
        ("unsought", Part::Unsought),
        ("added", Part::Added),
    ];

    fn of(self, vector: &Vector) -> Option<Share> {
        match self {
            Part::Changed => vector.changed,
            Part::Missing => vector.missing,
            Part::Unsought => vector.unsought,
            Part::Added => vector.added,
        }
    }
}

/// Reads limits such as `missing=0.05,changed=0.5`.
pub(crate) fn parse(text: &str) -> Result<Vec<Limit>> {
    text.split(',')
        .map(|limit| {
            let read = limit.split_once('=').and_then(|(name, most)| {
                let (_, part) = Part::ALL.into_iter().find(|(known, _)| *known == name.trim())?;
                let most: f64 = most.trim().parse().ok()?;
                (0.0..=1.0).contains(&most).then_some(Limit { part, most })
            });
            read.ok_or_else(|| {
                Error::usage(format!("{limit:?} is not a limit")).with_remedy(
                    "write changed, missing, unsought or added, = and a share from 0 to 1: missing=0.05",
                )
            })
        })
        .collect()
}

/// The limits that a difference exceeds, in words. What may exceed a limit does not keep it.
pub(crate) fn exceeded(diff: &Diff, limits: &[Limit]) -> Vec<String> {
    let told = |limit: &Limit| {
        let (name, _) = Part::ALL.into_iter().find(|(_, part)| *part == limit.part)?;
        match limit.part.of(&diff.vector) {
            None => Some(format!("not met: {name} is unknown, the limit is {}", limit.most)),
            Some(share) if share.low() > limit.most => {
                Some(format!("not met: {name} is {:.3}, the limit is {}", share.low(), limit.most))
            }
            Some(share) if share.high() > limit.most => Some(format!(
                "not met: {name} is {:.3} to {:.3}, the limit is {}; unknown counts as not met",
                share.low(),
                share.high(),
                limit.most
            )),
            Some(_) => None,
        }
    };
    limits.iter().filter_map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read() {
        assert_eq!(parse("missing=0.05, added=1").unwrap().len(), 2);
        for bad in ["", "missing", "missing=", "missing=2", "lost=0.1", "missing=NaN"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
