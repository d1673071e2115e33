//! A synthetic site in a few words: as options and tables of papers name it.

use serde::Deserialize;

use super::sharc::{Leaves, Sharc};
use super::solar::Solar;
use super::{Importance, Synthetic, chances, daily};
use crate::error::{Error, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Kind {
    /// Rates `1/(i+1)^skew` on a tree.
    Sharc,
    /// SOLAR's skewed rates on its tree.
    SolarSkewed,
    /// SOLAR's smooth rates on its tree.
    SolarSmooth,
    /// Chances of change per slot.
    Chances,
    /// Patterns of change by the hour.
    Daily,
}

/// A site in a few words; defaults are those of its paper.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Described {
    pub kind: Kind,
    pub pages: Option<usize>,
    /// How unevenly changes are spread (`sharc`, `chances`).
    pub skew: Option<f64>,
    /// Δ (all but `daily`).
    pub slow_down: Option<f64>,
    /// Links a page (`sharc`).
    pub outdegree: Option<usize>,
    /// Which end of the tree is hot (`sharc`).
    pub leaves: Option<Leaves>,
    /// Downloads a period as a share of the pages (`daily`).
    pub resources: Option<f64>,
}

impl Described {
    /// The site of a paper.
    pub(crate) fn new(kind: Kind) -> Self {
        Described {
            kind,
            pages: None,
            skew: None,
            slow_down: None,
            outdegree: None,
            leaves: None,
            resources: None,
        }
    }

    /// The site. Fails on an option that its kind does not have.
    pub(crate) fn build(&self, importance: Importance) -> Result<Synthetic> {
        let refuse = |told: bool, what: &str| {
            let message = format!("{what} does not apply to a site of this kind");
            if told { Err(Error::usage(message)) } else { Ok(()) }
        };
        if self.kind != Kind::Sharc {
            refuse(self.outdegree.is_some(), "an outdegree")?;
            refuse(self.leaves.is_some(), "the heat of leaves")?;
        }
        if !matches!(self.kind, Kind::Sharc | Kind::Chances) {
            refuse(self.skew.is_some(), "a skew")?;
        }
        if self.kind == Kind::Daily {
            refuse(self.slow_down.is_some(), "a slow-down")?;
            refuse(importance != Importance::Equal, "a weight by heat")?;
        } else {
            refuse(self.resources.is_some(), "a share of resources")?;
        }
        let slow_down = self.slow_down.unwrap_or(1.0);
        let made = match self.kind {
            Kind::Sharc => {
                let default = Sharc::default();
                Sharc {
                    pages: self.pages.unwrap_or(default.pages),
                    skew: self.skew.unwrap_or(default.skew),
                    outdegree: self.outdegree.unwrap_or(default.outdegree),
                    leaves: self.leaves.unwrap_or_default(),
                    slow_down,
                }
                .site()
            }
            Kind::SolarSkewed => Solar::Skewed.site(self.pages.unwrap_or(1_000), slow_down),
            Kind::SolarSmooth => Solar::Smooth.site(self.pages.unwrap_or(1_000), slow_down),
            Kind::Chances => {
                chances::site(self.pages.unwrap_or(10_000), self.skew.unwrap_or(16.0), slow_down)
            }
            Kind::Daily => daily::site(self.pages.unwrap_or(1_000), self.resources.unwrap_or(0.2)),
        };
        made?.weighing(importance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_what_its_paper_says_unless_told_otherwise() {
        let build = |described: Described| described.build(Importance::Equal);
        let sharc = build(Described::new(Kind::Sharc)).unwrap();
        assert_eq!((sharc.name.as_str(), sharc.site.len()), ("sharc cold 10000 ^1.2", 10_000));
        let hot =
            Described { leaves: Some(Leaves::Hot), slow_down: Some(2.0), ..Described::new(Kind::Sharc) };
        let hot = build(hot).unwrap();
        assert_eq!((hot.name.as_str(), hot.site.delay()), ("sharc hot 10000 ^1.2 ×2", 2.0));
        assert!(hot.site.rates()[0] < hot.site.rates()[9_999]);
        for kind in [Kind::SolarSkewed, Kind::SolarSmooth, Kind::Chances, Kind::Daily] {
            assert!(build(Described { pages: Some(50), ..Described::new(kind) }).unwrap().site.len() == 50);
        }
    }

    #[test]
    fn what_a_site_does_not_have_is_refused() {
        let wrong = [
            Described { skew: Some(1.0), ..Described::new(Kind::SolarSmooth) },
            Described { resources: Some(0.2), ..Described::new(Kind::Sharc) },
            Described { slow_down: Some(2.0), ..Described::new(Kind::Daily) },
            Described { outdegree: Some(2), ..Described::new(Kind::Daily) },
            Described { pages: Some(0), ..Described::new(Kind::Sharc) },
            Described { pages: Some(usize::MAX), ..Described::new(Kind::Sharc) },
            Described { skew: Some(f64::NAN), ..Described::new(Kind::Sharc) },
            Described { slow_down: Some(-1.0), ..Described::new(Kind::Sharc) },
            Described { resources: Some(2.0), ..Described::new(Kind::Daily) },
        ];
        for described in wrong {
            assert!(described.build(Importance::Equal).is_err(), "{described:?}");
        }
    }
}
