//! The result of `acuity diff`: resources by class, difference vectors, versions side by side. Renderers show it and compute
//! nothing.
//!
//! JSON: `"schema": "acuity.diff/1"`, described in `docs/diff-schema.json`. Unknown values are `null`.

use serde::{Deserialize, Serialize};

use super::align::Pair;
use crate::change::evidence::Grade;
use crate::quality::change_importance::BlockChange;
use crate::recovery::diagram::Diagram;
use crate::recovery::vector::{Class, Counts, Vector};
use crate::time::Instant;

/// The name of the format.
pub(crate) const SCHEMA: &str = "acuity.diff/1";

/// Two captures of a site compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Diff {
    pub schema: String,
    pub tool_version: String,
    pub original: Side,
    pub rebuilt: Side,
    pub parameters: Stated,
    pub counts: Counts,
    /// By number of resources.
    pub vector: Vector,
    /// By importance of resources.
    pub by_importance: Vector,
    /// The same for HTML, images and everything else.
    pub kinds: Vec<OfKind>,
    pub diagram: Diagram,
    pub summary: String,
    pub assumptions: Vec<String>,
    pub resources: Vec<Resource>,
}

impl Diff {
    /// The resources of these classes, the most important first.
    pub(crate) fn most_important(&self, classes: &[Class]) -> Vec<&Resource> {
        let mut resources: Vec<&Resource> =
            self.resources.iter().filter(|resource| classes.contains(&resource.class)).collect();
        resources.sort_by(|a, b| b.importance.total_cmp(&a.importance).then_with(|| a.key.cmp(&b.key)));
        resources
    }
}

/// One of the two sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Side {
    pub inputs: Vec<String>,
    pub from: Option<Instant>,
    pub to: Option<Instant>,
    pub resources: u64,
    pub captures: u64,
    pub first: Option<Instant>,
    pub last: Option<Instant>,
}

/// The parameters that decide the result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Stated {
    pub canon: String,
    pub scope: Option<String>,
    pub evidence: Grade,
    /// Where the importance of resources comes from.
    pub importance: String,
    /// Whether it is known what was asked for.
    pub sought: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ResourceKind {
    Html,
    Image,
    Other,
}

impl ResourceKind {
    pub(crate) const ALL: [ResourceKind; 3] = [ResourceKind::Html, ResourceKind::Image, ResourceKind::Other];

    pub(crate) fn words(self) -> &'static str {
        match self {
            ResourceKind::Html => "HTML pages",
            ResourceKind::Image => "images",
            ResourceKind::Other => "other files",
        }
    }
}

/// Counts and vectors of one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct OfKind {
    pub kind: ResourceKind,
    pub counts: Counts,
    pub vector: Vector,
    pub by_importance: Vector,
}

/// One URL.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Resource {
    pub url: String,
    pub key: String,
    pub class: Class,
    pub kind: ResourceKind,
    /// The share of all importance of its side (of the first one where both have it).
    pub importance: f64,
    /// What the verdict rests on, where two captures were compared.
    pub grade: Option<Grade>,
    /// The reason, in a sentence.
    pub reason: String,
    /// The captures that were compared, or that show why none could be.
    pub witnesses: Vec<Witness>,
    /// What changed, where bodies could be compared.
    pub change: Option<Change>,
    /// Another URL of the other side that has the same content.
    pub moved: Option<String>,
}

/// A capture that a class rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Witness {
    /// 1: the first capture; 2: the second.
    pub side: u8,
    pub url: String,
    pub time: Instant,
    pub status: Option<u16>,
    pub file: String,
    pub offset: Option<u64>,
    pub record_id: Option<String>,
    /// BLAKE3 of the body without transfer and content coding.
    pub body: Option<String>,
    /// The digest that the record declares.
    pub declared: Option<String>,
}

/// What changed between two versions of a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Change {
    /// How much the change matters, 0 to 1; `None` where blocks could not be compared.
    pub importance: Option<f64>,
    /// The resemblance of the texts by shingles, 0 to 1.
    pub similarity: Option<f64>,
    /// Only markup, scripts or hidden parts differ; `None`: not known.
    pub same_text: Option<bool>,
    /// The blocks that changed, the most important first.
    pub blocks: Vec<BlockChange>,
    /// Both texts side by side; empty where they are not shown.
    pub lines: Vec<Pair>,
    /// Sources of images that were replaced, added or removed, as they are written; empty where they are not shown.
    pub images: Vec<Pair>,
    /// The same for targets of links.
    pub links: Vec<Pair>,
    /// Why something is unknown.
    pub reason: Option<String>,
}
