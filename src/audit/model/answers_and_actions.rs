//! The three answers and what to do first, in the model.

use serde::{Deserialize, Serialize};

use crate::audit::commands::Suggested;

/// How good the answer to a question is. Unknown is neither good nor bad: it is `cannot tell`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Band {
    Poor,
    Mixed,
    #[default]
    #[serde(rename = "cannot tell")]
    CannotTell,
    Good,
}

impl Band {
    /// The words of reports, worst first.
    pub(crate) const ALL: [Band; 4] = [Band::Good, Band::Mixed, Band::Poor, Band::CannotTell];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Band::Good => "good",
            Band::Mixed => "mixed",
            Band::Poor => "poor",
            Band::CannotTell => "cannot tell",
        }
    }
}

/// The question that an answer or an action is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Question {
    Record,
    Consistent,
    Complete,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// Null where several sites are counted by band instead.
    pub band: Option<Band>,
    /// The figure that decides the band; null where it is unknown.
    pub share: Option<f64>,
    pub sentence: String,
    /// Facts that the band rests on, the deciding one first.
    pub reasons: Vec<String>,
    /// Sites by band, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sites: Option<BandCounts>,
}

impl Answer {
    /// The reasons that the sentence has no room for.
    pub(crate) fn more_reasons(&self) -> Vec<&str> {
        let reasons = self.reasons.iter().map(String::as_str);
        reasons.filter(|reason| !self.sentence.contains(reason)).collect()
    }
}

/// Sites by band.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BandCounts {
    pub good: u64,
    pub mixed: u64,
    pub poor: u64,
    pub cannot_tell: u64,
}

impl BandCounts {
    pub(crate) fn of(bands: impl Iterator<Item = Band>) -> Self {
        let mut counts = BandCounts::default();
        for band in bands {
            *match band {
                Band::Good => &mut counts.good,
                Band::Mixed => &mut counts.mixed,
                Band::Poor => &mut counts.poor,
                Band::CannotTell => &mut counts.cannot_tell,
            } += 1;
        }
        counts
    }

    pub(crate) fn get(&self, band: Band) -> u64 {
        match band {
            Band::Good => self.good,
            Band::Mixed => self.mixed,
            Band::Poor => self.poor,
            Band::CannotTell => self.cannot_tell,
        }
    }
}

/// The three answers of an audit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Answers {
    pub consistent: Answer,
    pub complete: Answer,
    /// Whether the record can be trusted: of all inputs, since one file may hold many sites.
    pub record: Answer,
}

/// The two answers that each site has of its own.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SiteAnswers {
    pub consistent: Answer,
    pub complete: Answer,
    /// What the two rest on, in a few words: for tables.
    #[serde(default)]
    pub why: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ActionKind {
    /// Replace a damaged file.
    ReplaceFile,
    /// Compare packages whose hashes differ with another copy.
    ComparePackages,
    /// Make a file readable, replace it, or leave it out.
    ReadFile,
    /// Compare revisits that contradict their originals with another copy.
    CompareRevisits,
    /// Find out which of two records, or of a record and an index, was altered.
    CompareEvidence,
    /// Compare records with another copy.
    CompareCopy,
    /// Capture again what is cut short.
    CaptureCut,
    /// Add the archives that hold the originals of revisits.
    AddOriginals,
    /// Audit the archives that an index describes.
    AddArchives,
    /// Fetch a few pages again now.
    FetchAgain,
    /// Crawl in the planned order.
    PlanCrawl,
    /// Capture each page twice within less time.
    CaptureSooner,
    /// Capture each page twice.
    CaptureTwice,
    /// Capture what was never requested.
    CaptureMissing,
    /// Request again what failed and may answer another time.
    RequestAgain,
    /// Audit another crawl of the site together with this one.
    AddCrawl,
    /// Give the logs that record the limits of the crawl.
    AddLogs,
    /// Give the list of seeds.
    AddSeeds,
    /// Capture seeds that were not reached.
    CaptureSeeds,
    /// Decide whether changes count that no reader sees.
    DecideCompare,
    /// Capture of a page.
    LookAtPage,
}

/// Something to do, with its effect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Action {
    pub kind: ActionKind,
    /// The answer that it helps.
    pub answer: Question,
    /// The site it is about; null: all that was audited.
    pub site: Option<String>,
    /// How many files, records, pages or sites it is about.
    pub count: u64,
    /// The share before and after, where the effect can be computed.
    pub before: Option<f64>,
    pub after: Option<f64>,
    /// Sites whose answer is poor, before and after, where the effect is on several sites.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sites_before: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sites_after: Option<u64>,
    /// Whether the effect is certain; if not, `after` is what is expected, or the most that it can bring, as the text says.
    pub certain: bool,
    /// What to type.
    pub command: Option<String>,
    /// The file it is about, or the URL of the page.
    pub file: Option<String>,
    /// All of it in a sentence.
    pub text: String,
    /// The sentence with counts for percentages, while it is open whether these stand elsewhere already.
    #[serde(skip)]
    pub(crate) in_counts: Option<String>,
}

impl Action {
    pub(crate) fn new(kind: ActionKind, answer: Question, count: u64, text: String) -> Self {
        Action {
            kind,
            answer,
            site: None,
            count,
            before: None,
            after: None,
            sites_before: None,
            sites_after: None,
            certain: false,
            command: None,
            file: None,
            text,
            in_counts: None,
        }
    }

    /// With what to run: a command, or words in the sentence where there is none to repeat.
    pub(crate) fn run(self, suggested: Suggested) -> Self {
        match suggested {
            Suggested::Command(command) => Action { command: Some(command), ..self },
            Suggested::Words(words) => Action {
                text: format!("{} {words}", self.text),
                in_counts: self.in_counts.map(|text| format!("{text} {words}")),
                ..self
            },
        }
    }

    pub(crate) fn about(self, site: &str) -> Self {
        Action { site: Some(site.to_owned()), ..self }
    }

    pub(crate) fn effect(self, before: f64, after: f64) -> Self {
        Action { before: Some(before), after: Some(after), ..self }
    }
}
