//! How an archive was divided into crawls, as a file: a part of the archive can then be divided in the same way as
//! the whole was.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::time::{Instant, Interval, SECOND};

/// The name and version of the table.
pub(crate) const DIVISION_SCHEMA: &str = "acuity.crawls/1";

/// One crawl: its names, its time span, its number of captures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Crawl {
    /// Names given by the archive (collections, warcinfo ids or files), at most [`Crawl::NAMES`], sorted.
    pub names: Vec<String>,
    /// First and last observation.
    #[serde(flatten)]
    pub span: Interval,
    pub observations: usize,
}

impl Crawl {
    /// Maximum number of names kept.
    pub(crate) const NAMES: usize = 20;
}

/// A stretch of one label without a long silence, and its crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stretch {
    pub from: Instant,
    pub to: Instant,
    pub crawl: u32,
}

/// How an archive was divided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DivisionTable {
    schema: String,
    /// The silence that splits crawls, in microseconds.
    silence_micros: Option<i64>,
    /// The crawls, in time order.
    pub(super) crawls: Vec<Crawl>,
    /// For each collection, warcinfo or file its stretches, in time order, each with the place of its crawl.
    pub(super) stretches: BTreeMap<String, Vec<Stretch>>,
}

impl DivisionTable {
    pub(super) fn new(
        crawls: Vec<Crawl>,
        silence: Option<i64>,
        stretches: BTreeMap<String, Vec<Stretch>>,
    ) -> Self {
        DivisionTable { schema: DIVISION_SCHEMA.to_owned(), silence_micros: silence, crawls, stretches }
    }

    /// The silence that splits crawls, in microseconds.
    pub(super) fn silence(&self) -> Option<i64> {
        self.silence_micros
    }

    /// Why a table cannot be used, if it cannot.
    pub(crate) fn fault(&self) -> Option<String> {
        if self.schema != DIVISION_SCHEMA {
            return Some(format!(
                "it has the schema {:?}; this version reads {DIVISION_SCHEMA:?}",
                self.schema
            ));
        }
        let crawls = self.crawls.len();
        let is_wrong = |stretch: &&Stretch| stretch.crawl as usize >= crawls || stretch.from > stretch.to;
        if let Some(stretch) = self.stretches.values().flatten().find(is_wrong) {
            return Some(format!("no crawl of its {crawls} has the stretch from {}", stretch.from));
        }
        let sorted = |stretches: &Vec<Stretch>| stretches.is_sorted_by_key(|stretch| stretch.from);
        if let Some((label, _)) = self.stretches.iter().find(|(_, stretches)| !sorted(stretches)) {
            return Some(format!("the stretches of {label} are not in the order of time"));
        }
        let endless = self.silence_micros.is_some_and(|silence| silence < SECOND);
        endless.then(|| "its silence is shorter than a second".to_owned())
    }
}
