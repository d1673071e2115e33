//! The difference between an original site W and what was rebuilt of it, W'.
//!
//! ```text
//! difference(W, W') = (changed / |W|, missing / |W|, added / |W'|)
//! ```
//!
//! `(0, 0, 0)` is a perfect reconstruction, `(0, 1, 0)` a site that is lost. Source: McCown, Nelson, section 3.2, equation 1.
//!
//! DIFFERENCE: the paper's Figure 1 has six resources, of which two are identical, two changed and one missing. The sixth was
//! never sought, because no recovered page links to it. It is a class of its own here, *unsought*, wherever there is a log of
//! requests; without one it counts as missing. A resource that both sides have and that cannot be compared is *unknown*: it may
//! be changed or not, so the vector becomes a range.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// What became of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Class {
    /// The same content on both sides.
    Identical,
    /// On both sides, with different content.
    Changed,
    /// Requested, and not found; or not in the second side, with no log of requests.
    Missing,
    /// Never requested for the second side.
    Unsought,
    /// Only on the second side.
    Added,
    /// On both sides, and nothing proves the two same or different.
    Unknown,
}

impl Class {
    pub(crate) const ALL: [Class; 6] =
        [Class::Identical, Class::Changed, Class::Unknown, Class::Missing, Class::Unsought, Class::Added];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Class::Identical => "identical",
            Class::Changed => "changed",
            Class::Missing => "missing",
            Class::Unsought => "unsought",
            Class::Added => "added",
            Class::Unknown => "unknown",
        }
    }
}

/// How many resources are of each class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counts {
    pub identical: u64,
    pub changed: u64,
    pub missing: u64,
    pub unsought: u64,
    pub added: u64,
    pub unknown: u64,
}

impl Counts {
    pub(crate) fn of(&self, class: Class) -> u64 {
        match class {
            Class::Identical => self.identical,
            Class::Changed => self.changed,
            Class::Missing => self.missing,
            Class::Unsought => self.unsought,
            Class::Added => self.added,
            Class::Unknown => self.unknown,
        }
    }

    /// Counts one more resource.
    pub(crate) fn add(&mut self, class: Class) {
        *match class {
            Class::Identical => &mut self.identical,
            Class::Changed => &mut self.changed,
            Class::Missing => &mut self.missing,
            Class::Unsought => &mut self.unsought,
            Class::Added => &mut self.added,
            Class::Unknown => &mut self.unknown,
        } += 1;
    }

    /// |W|.
    pub(crate) fn original(&self) -> u64 {
        self.identical + self.changed + self.unknown + self.missing + self.unsought
    }

    /// |W'|.
    pub(crate) fn rebuilt(&self) -> u64 {
        self.identical + self.changed + self.unknown + self.added
    }

    /// Resources of W that W' has.
    pub(crate) fn recovered(&self) -> u64 {
        self.identical + self.changed + self.unknown
    }

    /// The difference vector.
    pub(crate) fn vector(&self) -> Vector {
        Parts {
            changed: self.changed as f64,
            unknown: self.unknown as f64,
            missing: self.missing as f64,
            unsought: self.unsought as f64,
            original: self.original() as f64,
            added: self.added as f64,
            rebuilt: self.rebuilt() as f64,
        }
        .vector()
    }
}

/// A share: one number, or a range where captures do not compare.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Share {
    Exact(f64),
    Range { low: f64, high: f64 },
}

impl Share {
    fn new(low: f64, high: f64) -> Self {
        if low == high { Share::Exact(low) } else { Share::Range { low, high } }
    }

    /// The smallest value it can have.
    pub(crate) fn low(self) -> f64 {
        match self {
            Share::Exact(value) | Share::Range { low: value, .. } => value,
        }
    }

    /// The greatest value it can have.
    pub(crate) fn high(self) -> f64 {
        match self {
            Share::Exact(value) | Share::Range { high: value, .. } => value,
        }
    }
}

/// A difference vector. `None` where W, the denominator, is empty.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Vector {
    pub changed: Option<Share>,
    pub missing: Option<Share>,
    /// Never requested, over |W|: apart from `missing`.
    pub unsought: Option<Share>,
    pub added: Option<Share>,
}

/// The parts of a difference vector, by number or by importance.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Parts {
    pub changed: f64,
    pub unknown: f64,
    pub missing: f64,
    pub unsought: f64,
    pub original: f64,
    pub added: f64,
    pub rebuilt: f64,
}

impl AddAssign for Parts {
    fn add_assign(&mut self, other: Parts) {
        self.changed += other.changed;
        self.unknown += other.unknown;
        self.missing += other.missing;
        self.unsought += other.unsought;
        self.original += other.original;
        self.added += other.added;
        self.rebuilt += other.rebuilt;
    }
}

impl Parts {
    /// A resource of a class, that weighs `original` in W and `rebuilt` in W'.
    pub(crate) fn one(class: Class, original: f64, rebuilt: f64) -> Self {
        let mut parts = Parts { original, rebuilt, ..Parts::default() };
        match class {
            Class::Identical => {}
            Class::Changed => parts.changed = original,
            Class::Unknown => parts.unknown = original,
            Class::Missing => parts.missing = original,
            Class::Unsought => parts.unsought = original,
            Class::Added => parts.added = rebuilt,
        }
        parts
    }

    /// The difference vector. A site of which nothing was rebuilt has no added share: 0.
    pub(crate) fn vector(&self) -> Vector {
        let of_original = |low: f64, high: f64| {
            (self.original > 0.0).then(|| Share::new(low / self.original, high / self.original))
        };
        let added = if self.rebuilt > 0.0 { self.added / self.rebuilt } else { 0.0 };
        let is_empty = self.original <= 0.0 && self.rebuilt <= 0.0;
        Vector {
            changed: of_original(self.changed, self.changed + self.unknown),
            missing: of_original(self.missing, self.missing),
            unsought: of_original(self.unsought, self.unsought),
            added: (!is_empty).then_some(Share::Exact(added)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rounded(counts: Counts) -> [String; 3] {
        let vector = counts.vector();
        [vector.changed, vector.missing, vector.added].map(|share| match share.unwrap() {
            Share::Exact(value) => format!("{value:.3}"),
            Share::Range { low, high } => format!("{low:.3} to {high:.3}"),
        })
    }

    #[test]
    fn figure_1_adds_up_with_a_fifth_class() {
        let logged =
            Counts { identical: 2, changed: 2, missing: 1, unsought: 1, added: 1, ..Counts::default() };
        assert_eq!((logged.original(), logged.rebuilt()), (6, 5));
        assert_eq!(rounded(logged), ["0.333", "0.167", "0.200"]);
        assert_eq!(logged.vector().unsought, Some(Share::Exact(1.0 / 6.0)));
        let plain = Counts { missing: 2, unsought: 0, ..logged };
        assert_eq!(rounded(plain), ["0.333", "0.333", "0.200"]);
    }

    #[test]
    fn vectors_of_table_1_from_counts() {
        let of = |identical, changed, missing, added| {
            rounded(Counts { identical, changed, missing, added, ..Counts::default() })
        };
        assert_eq!(of(3, 36, 11, 19), ["0.720", "0.220", "0.328"], "site 2, naive");
        assert_eq!(of(10, 254, 125, 416), ["0.653", "0.321", "0.612"], "site 16, knowledgeable");
        assert_eq!(of(350, 5, 2, 1784), ["0.014", "0.006", "0.834"], "site 15, exhaustive");
        assert_eq!(of(1, 0, 0, 0), ["0.000", "0.000", "0.000"], "site 1, naive");
        assert_eq!(of(1, 0, 0, 1952 + 292 - 1), ["0.000", "0.000", "1.000"], "site 1, exhaustive");
    }

    #[test]
    fn the_library_site_was_found_in_the_archive_and_hardly_in_search_engines() {
        let found = |found: u64, missing: u64| {
            let counts = Counts { identical: found, missing, ..Counts::default() };
            format!("{:.1}", 100.0 * counts.recovered() as f64 / counts.original() as f64)
        };
        assert_eq!((found(3744, 966), found(1337, 5363)), ("79.5".to_owned(), "20.0".to_owned()));
    }

    #[test]
    fn a_lost_site_and_an_empty_one() {
        let lost = Counts { missing: 7, ..Counts::default() };
        assert_eq!(rounded(lost), ["0.000", "1.000", "0.000"]);
        let empty = Counts::default().vector();
        assert_eq!((empty.changed, empty.added), (None, None));
        let json =
            serde_json::to_value(Counts { unknown: 1, changed: 1, ..Counts::default() }.vector()).unwrap();
        assert_eq!(json["changed"], serde_json::json!({"low": 0.5, "high": 1.0}));
        assert_eq!(json["missing"], serde_json::json!(0.0));
    }

    proptest! {
        #[test]
        fn the_truth_lies_in_the_range(identical in 0u64..9, changed in 0u64..9, unknown in 0u64..9, missing in 0u64..9, really in 0u64..9) {
            let really = really.min(unknown);
            let counts = Counts { identical, changed, unknown, missing, ..Counts::default() };
            prop_assume!(counts.original() > 0);
            let truth = Counts { identical: identical + unknown - really, changed: changed + really, unknown: 0, ..counts };
            let (seen, truth) = (counts.vector().changed.unwrap(), truth.vector().changed.unwrap());
            prop_assert!(seen.low() <= truth.low() && truth.high() <= seen.high());
        }
    }
}
