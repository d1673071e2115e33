//! What is known of a phrase at a date: a part of [`crate::at::model`].

use serde::{Deserialize, Serialize};

use crate::at::model::Stretch;
use crate::change::at::State;
use crate::change::evidence::Grade;
use crate::time::Instant;

/// On which pages a phrase stood, and when.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PhraseAt {
    /// The phrase, as it was asked for.
    pub phrase: String,
    /// The answer in words.
    pub answer: String,
    /// Pages proven to hold it at every instant of the date.
    pub present: Vec<PhrasePage>,
    /// Pages proven not to hold it at any instant of the date.
    pub absent: Vec<PhrasePage>,
    /// All other pages, with the reason.
    pub unprovable: Vec<UnprovablePage>,
    /// The first instant at which any of the pages is proven to hold it.
    pub first: Option<Instant>,
    /// The last such instant.
    pub last: Option<Instant>,
    /// All times at which any of the pages is proven to hold it.
    pub when: Vec<Stretch>,
    /// How many captures show it, proven or not.
    pub captures: u64,
    /// When the first of them began.
    pub first_capture: Option<Instant>,
    /// When the last of them began.
    pub last_capture: Option<Instant>,
    /// What limits a claim that the site did not hold it, in words.
    pub limits: Vec<String>,
    /// The phrase in its sentence, in the captures before and after the date.
    pub quotes: Vec<QuoteAt>,
    /// Words of captures that nearly are the phrase.
    pub nearly: Vec<NearAt>,
}

/// A phrase in its sentence, as one version of a page shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuoteAt {
    pub url: String,
    /// The captures around the date that show this version.
    pub captured: Vec<Instant>,
    /// The label of the record that holds the body.
    pub record: String,
    /// Where that record is.
    pub file: String,
    pub offset: Option<u64>,
    /// The first byte of the phrase in the body, codings removed.
    pub byte: u64,
    /// Where it is, in words.
    pub place: String,
    /// The words before it, the phrase as shown, the words after it.
    pub before: String,
    pub words: String,
    pub after: String,
}

/// Words that nearly are the phrase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NearAt {
    pub url: String,
    /// When the first capture of this version began.
    pub captured: Instant,
    /// The label of the record that holds the body.
    pub record: String,
    pub file: String,
    pub offset: Option<u64>,
    pub byte: u64,
    pub words: String,
    /// What differs, in words.
    pub differs: String,
}

/// A page of which it is proven whether it holds a phrase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PhrasePage {
    /// The URL as captured.
    pub url: String,
    /// Its canonical key.
    pub key: String,
    /// The time around the date for which that is proven.
    pub proven: Stretch,
    /// The weakest grade that it rests on.
    pub grade: Option<Grade>,
    /// BLAKE3 of the body that was searched.
    pub body_blake3: Option<String>,
}

/// A page of which neither is proven.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnprovablePage {
    /// The URL as captured.
    pub url: String,
    /// Its canonical key.
    pub key: String,
    /// What is known of it at the date.
    pub state: State,
    /// Why nothing is proven, in words.
    pub reason: String,
    /// What the last capture before the date shows.
    pub before: Option<Sighting>,
    /// What the first capture after the date shows.
    pub after: Option<Sighting>,
    /// The parts of the date for which it is proven to hold the phrase.
    pub holds: Vec<Stretch>,
    /// The parts of the date for which it is proven not to.
    pub lacks: Vec<Stretch>,
}

/// Whether a capture shows a phrase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sighting {
    /// When the capture began.
    pub captured: Instant,
    /// Whether it shows the phrase; `null`: that cannot be determined.
    pub holds: Option<bool>,
    /// Why it cannot be determined.
    pub reason: Option<String>,
}

/// Addresses that the archive lacks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Uncaptured {
    pub count: u64,
    /// The first of them, by URL.
    pub urls: Vec<String>,
}
