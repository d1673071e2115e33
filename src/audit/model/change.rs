//! What `acuity explain-change` reports: the changes of one page, block by block.

use serde::{Deserialize, Serialize};

use crate::quality::change_importance::ChangeImportance;
use crate::time::Instant;

/// The name and version of this model.
pub(crate) const CHANGE_SCHEMA: &str = "acuity.change/1";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PageChanges {
    /// [`CHANGE_SCHEMA`].
    pub schema: String,
    pub tool_version: String,
    /// The first captured spelling.
    pub url: String,
    /// The canonical key.
    pub key: String,
    /// Captures that did not fail.
    pub looks: u64,
    /// The changes between versions that follow each other, in time order.
    pub changes: Vec<RunChange>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunChange {
    /// The last capture of the version before the change.
    pub from: Instant,
    /// The first capture of the version after the change.
    pub to: Instant,
    /// What changed; null where it is unknown.
    pub change: Option<ChangeImportance>,
    /// Why it is unknown.
    pub reason: Option<String>,
}
