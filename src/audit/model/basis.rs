//! How far the figures of a site can be believed: decided once, here, for every report.

use serde::{Deserialize, Serialize};

use super::SiteAudit;

/// What a figure rests on, best first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// Counted from an exact history.
    Known,
    /// Computed from change rates that the captures support.
    #[default]
    Estimated,
    /// Computed from a built-in change rate: nothing is known of how this site changes.
    Assumed,
    /// Not to be shown: there is no value, or the captures do not support it.
    Unknown,
}

/// The basis of one figure, and why it is no better.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FigureBasis {
    pub basis: Basis,
    /// Why the figure is assumed or unknown, in a clause.
    pub reason: Option<String>,
}

impl FigureBasis {
    /// Whether a headline may use the figure.
    pub(crate) fn is_usable(&self) -> bool {
        self.basis <= Basis::Estimated
    }

    /// Why a report does not give the figure, in words.
    pub(crate) fn why_unknown(&self) -> String {
        let reason = match self.basis {
            Basis::Assumed => "nothing shows how often the pages of this site change",
            _ => self.reason.as_deref().unwrap_or("no capture shows the page"),
        };
        format!("unknown: {reason}")
    }
}

/// The basis of every figure that rests on change rates.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FigureBases {
    pub rates: FigureBasis,
    pub blur: FigureBasis,
    pub versions: FigureBasis,
}

impl SiteAudit {
    /// The mean blur, where it is known or estimated.
    pub(crate) fn blur_mean(&self) -> Option<f64> {
        self.blur.actual.mean.filter(|_| self.basis.blur.is_usable())
    }

    /// The share of versions captured, where it is known or estimated.
    pub(crate) fn versions_share(&self) -> Option<f64> {
        let versions = &self.completeness.as_ref()?.versions;
        versions.share.filter(|_| self.basis.versions.is_usable())
    }
}
