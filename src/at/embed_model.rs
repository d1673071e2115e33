//! How the files that a page embeds fit to it: a part of [`crate::at::model`].

use serde::{Deserialize, Serialize};

use crate::change::evidence::Grade;
use crate::html::links::LinkKind;
use crate::time::Instant;

/// Which embedded resources are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Embeds {
    /// Every file that a page embeds.
    #[default]
    All,
    /// Those not shown to be there with the page; the others are counted.
    Exceptions,
    /// None: they are not read.
    None,
}

/// Whether an embedded file, as replay would show it, was there when its page was captured; best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EmbedState {
    /// It is shown to have been online.
    ShownThere,
    /// It was online before, and may still have been.
    Older,
    /// It was online later; since when is unknown.
    Later,
    /// It is shown to have come only later.
    Newer,
    /// No answer of it was captured that could be shown.
    Missing,
}

impl EmbedState {
    /// All states, best first.
    pub const ALL: [EmbedState; 5] = [
        EmbedState::ShownThere,
        EmbedState::Older,
        EmbedState::Later,
        EmbedState::Newer,
        EmbedState::Missing,
    ];

    /// The words of reports.
    pub fn words(self) -> &'static str {
        match self {
            EmbedState::ShownThere => "shown to be there with the page",
            EmbedState::Older => "older than the page, perhaps still there",
            EmbedState::Later => "captured later than the page",
            EmbedState::Newer => "shown to be newer than the page",
            EmbedState::Missing => "not captured",
        }
    }
}

/// How many embedded resources are in which state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct EmbedCounts {
    /// All of them, once for each page that embeds them.
    pub embeds: u64,
    /// Shown to have been online when the page was captured.
    pub shown_there: u64,
    /// May have been online.
    pub older: u64,
    /// Probably was not online.
    pub later: u64,
    /// Shown to have come only later.
    pub newer: u64,
    /// Not captured.
    pub missing: u64,
}

impl EmbedCounts {
    fn slot(&mut self, state: EmbedState) -> &mut u64 {
        match state {
            EmbedState::ShownThere => &mut self.shown_there,
            EmbedState::Older => &mut self.older,
            EmbedState::Later => &mut self.later,
            EmbedState::Newer => &mut self.newer,
            EmbedState::Missing => &mut self.missing,
        }
    }

    /// Counts a resource.
    pub fn add(&mut self, state: EmbedState) {
        self.embeds += 1;
        *self.slot(state) += 1;
    }

    pub fn of(mut self, state: EmbedState) -> u64 {
        *self.slot(state)
    }

    /// Counts all of another page.
    pub fn add_all(&mut self, other: EmbedCounts) {
        self.embeds += other.embeds;
        for state in EmbedState::ALL {
            *self.slot(state) += other.of(state);
        }
    }
}

/// The embedded resources of one page, as replay would show them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EmbedsAt {
    /// When the version of the page that replay would serve was captured.
    pub root: Instant,
    /// How many are in which state.
    pub counts: EmbedCounts,
    /// The same in words.
    pub answer: String,
    /// The resources, worst first.
    pub list: Vec<EmbedAt>,
    /// How many the list leaves out.
    pub left_out: u64,
}

/// One embedded resource.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EmbedAt {
    /// Its URL, as the page names it.
    pub url: String,
    /// What the page does with it.
    pub used_as: LinkKind,
    /// Whether it was online when the page was captured.
    pub state: EmbedState,
    /// Why, in words.
    pub reason: String,
    /// The weakest grade that the state rests on.
    pub grade: Option<Grade>,
    /// When the capture began that replay would show: the one closest to the capture of the page.
    pub captured: Option<Instant>,
    /// Its accepted `Last-Modified`.
    pub last_modified: Option<Instant>,
    /// The file that holds that capture.
    pub file: Option<String>,
    /// Its place there.
    pub offset: Option<u64>,
    /// Its `WARC-Record-ID`.
    pub record_id: Option<String>,
    /// When an equal capture on the other side of the page's one began.
    pub bracket: Option<Instant>,
}
