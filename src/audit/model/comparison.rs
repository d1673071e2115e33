//! The comparison with an earlier audit, in the model: better, worse, fixed, and which actions were done.

use serde::{Deserialize, Serialize};

use super::{ActionKind, Band, Question, Window};

/// An audit beside an earlier one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The file of the earlier audit, as it was named.
    pub with: String,
    /// The time of its captures.
    pub window: Option<Window>,
    /// The three answers then and now; of collections, only that about the record.
    pub answers: Vec<AnswerChange>,
    /// Of several sites, those on which something changed, worse ones first, at most 1,000.
    pub sites: Vec<SiteChange>,
    /// Pages that changed or could not be compared then, and are unchanged now.
    pub fixed: Listed,
    /// Pages that were unchanged then, and changed now.
    pub broken: Listed,
    /// Pages that were captured then, and are not here now.
    pub lost: Listed,
    /// Pages that are here now, and were not then.
    pub gained: Listed,
    /// Files that were missing then, and are not now.
    pub no_longer_missing: Listed,
    /// Files that are missing now, and were not then; without the pages that were captured then, which are in `lost`.
    pub newly_missing: Listed,
    /// What became of the actions that the earlier audit proposed.
    pub actions: Vec<ActionOutcome>,
    /// All of it in sentences.
    pub said: Vec<Said>,
}

/// How many there are, and the first of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    pub count: u64,
    /// At most 20 URLs, the heaviest first.
    pub first: Vec<String>,
}

/// Which way something went.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    Worse,
    /// It is in the earlier audit only.
    Gone,
    Better,
    /// One of the two cannot be told, or rests on something that the other cannot judge, or they are by two measures.
    Unknown,
    #[default]
    Same,
    /// It is in the later audit only.
    New,
}

impl Direction {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Direction::Worse => "worse",
            Direction::Better => "better",
            Direction::Same => "same",
            Direction::Unknown => "different",
            Direction::Gone => "not here",
            Direction::New => "new",
        }
    }
}

/// An answer then and now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AnswerChange {
    pub question: Question,
    pub before: Option<Band>,
    pub after: Option<Band>,
    /// The shares, both by the same measure; null where the audit cannot judge it, or the two have none in common.
    pub before_share: Option<f64>,
    pub after_share: Option<f64>,
    /// What they are shares of: `pages`, `importance`, `embeds`, `linked pages`, `versions`, `seeds`.
    #[serde(default)]
    pub measure: Option<String>,
    pub direction: Direction,
}

/// A site then and now. Counts are null where one of the audits does not list pages or missing files.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SiteChange {
    pub site: String,
    pub consistent_before: Option<Band>,
    pub consistent_after: Option<Band>,
    pub complete_before: Option<Band>,
    pub complete_after: Option<Band>,
    /// Which way its answers went.
    pub direction: Direction,
    /// Pages that changed then, and are unchanged now.
    #[serde(default)]
    pub fixed: Option<u64>,
    /// Pages that were unchanged then, and changed now.
    #[serde(default)]
    pub broken: Option<u64>,
    /// Pages that were captured then, and are not here now.
    #[serde(default)]
    pub lost: Option<u64>,
    /// Pages that are here now, and were not then.
    #[serde(default)]
    pub gained: Option<u64>,
    /// Files that were missing then, and are not now.
    #[serde(default)]
    pub no_longer_missing: Option<u64>,
    /// Files that are missing now, and were not then.
    #[serde(default)]
    pub newly_missing: Option<u64>,
    /// All of it in a sentence.
    #[serde(default)]
    pub text: String,
}

/// What became of an action that the earlier audit proposed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActionOutcome {
    pub kind: ActionKind,
    pub site: Option<String>,
    /// How it was put.
    pub text: String,
    /// How many files, records, pages or sites it was about then.
    pub before: u64,
    /// How many of them are left now; null where that cannot be told.
    pub left: Option<u64>,
    pub state: ActionState,
}

/// Whether something was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ActionState {
    Done,
    Partly,
    Open,
    /// Nobody did it, and it would change nothing any more.
    NotNeeded,
    Unknown,
}

impl ActionState {
    pub(crate) fn name(self) -> &'static str {
        match self {
            ActionState::Done => "done",
            ActionState::Partly => "partly done",
            ActionState::Open => "open",
            ActionState::NotNeeded => "no longer needed",
            ActionState::Unknown => "cannot tell",
        }
    }
}

/// One line about what changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// `Better`, `Fixed`, `Worse`, `Judged` (what could not be judged and now can, or the reverse: neither better nor worse), `New`,
    /// `Actions`, `Note` or `Same`.
    pub topic: String,
    pub text: String,
}
