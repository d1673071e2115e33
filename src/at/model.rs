//! The answer to "was the capture coherent at this date?", versioned: [`AT_SCHEMA`]. Every rendering of it computes nothing of
//! its own, and `acuity verify` compares it field by field. `docs/at-schema.json` describes it; a test holds the two
//! together. Unknown is `null`. Times are UTC.

use serde::{Deserialize, Serialize};

use crate::at::embed_model::{EmbedCounts, Embeds, EmbedsAt};
use crate::at::phrase_model::{PhraseAt, Uncaptured};
use crate::audit::model::ProblemCount;
use crate::capture::Kind;
use crate::capture::page::PageFilter;
use crate::capture::table::LeftOut;
use crate::change::at::{Chances, State};
use crate::change::evidence::Grade;
use crate::change::rate::Source;
use crate::time::Instant;
use crate::url::Canon;

/// The name and version of this model.
pub(crate) const AT_SCHEMA: &str = "acuity.at/1";

/// What every verdict assumes; stated with every report.
pub(crate) const AT_ASSUMPTIONS: [&str; 7] = [
    "a page does not change and change back between two equal looks",
    "the crawler's clock is right: WARC-Date is when a capture began",
    "where Last-Modified is used (claimed, not coherent), the server's clock is right",
    "all lines of an index were made by one family of writers, so their digests compare",
    "where chances are given, pages change independently, as Poisson processes",
    "where phrases are asked for, the text of a page is what the server sent: scripts and style sheets add and hide nothing",
    "the files are what the crawler wrote: a hash shows that a file is the same as when this report was made, not who made it",
];

/// Whether the selected pages are proven to have stood together, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SiteVerdict {
    /// Every page is proven.
    Coherent,
    /// Neither of the others.
    NotProvable,
    /// An accepted Last-Modified shows that a version which replay would serve began only after the date.
    NotCoherent,
}

impl SiteVerdict {
    /// All verdicts, best first.
    pub const ALL: [SiteVerdict; 3] =
        [SiteVerdict::Coherent, SiteVerdict::NotProvable, SiteVerdict::NotCoherent];

    /// The words of the report.
    pub fn words(self) -> &'static str {
        match self {
            SiteVerdict::Coherent => "coherent",
            SiteVerdict::NotProvable => "not provable",
            SiteVerdict::NotCoherent => "not coherent",
        }
    }
}

/// What decides the result: enough to compute it again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AtParameters {
    /// The date as it was asked for.
    pub date: String,
    /// The name of the table of rules for URLs.
    pub canon: String,
    /// What makes a site: `host`, `domain` or `prefix:URL`.
    pub site_by: String,
    /// Which URLs are pages.
    pub pages: PageFilter,
    /// The weakest grade of evidence that proves.
    pub evidence: Grade,
    /// Whether digests were recomputed (`verify`) or taken as declared (`declared`).
    pub digests: String,
    /// Only this site.
    pub site: Option<String>,
    /// Only these URLs, captured or not; empty: all pages.
    pub urls: Vec<String>,
    /// Phrases to look for.
    pub phrases: Vec<String>,
    /// Whether they are looked for in the bytes, not in the visible text.
    pub raw: bool,
    /// Which embedded resources are listed.
    pub embeds: Embeds,
}

impl AtParameters {
    /// What `acuity at` takes for a date without further options.
    pub fn on(date: impl Into<String>) -> Self {
        AtParameters {
            date: date.into(),
            canon: Canon::Default.name().to_owned(),
            site_by: "host".to_owned(),
            pages: PageFilter::Html,
            evidence: Grade::NotModified,
            digests: "verify".to_owned(),
            site: None,
            urls: Vec::new(),
            phrases: Vec::new(),
            raw: false,
            embeds: Embeds::All,
        }
    }
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct At {
    /// [`AT_SCHEMA`].
    pub schema: String,
    /// The version of the tool.
    pub tool_version: String,
    /// The date that was asked for: its whole span.
    pub asked: Stretch,
    /// The question in words.
    pub question: String,
    /// The verdict for every instant of that span: the least favourable one of [`At::parts`].
    pub verdict: SiteVerdict,
    /// The answer in a sentence or two.
    pub answer: String,
    /// The weakest grade that the verdict rests on.
    pub grade: Option<Grade>,
    /// The whole time around the date (or around the part of it that has the verdict) with the same verdict.
    pub holds: Holds,
    /// The span that was asked for, cut where the verdict changes.
    pub parts: Vec<Part>,
    /// The nearest instants with a better verdict.
    pub better: Vec<Better>,
    /// When most of the pages are proven, and how many.
    pub most_proven: Option<MostProven>,
    /// How many pages are in which state.
    pub counts: Counts,
    /// The same for each site.
    pub sites: Vec<SiteAt>,
    /// The pages, exceptions first.
    pub pages: Vec<PageAt>,
    /// What is known of each phrase, in the order they were asked for.
    pub phrases: Vec<PhraseAt>,
    /// Addresses of the sites that captured pages link to and the archive lacks; `null` where that was not asked for or
    /// is not known.
    pub uncaptured: Option<Uncaptured>,
    /// How the embedded resources of all pages stand; `null` where they are known of no page.
    pub embeds: Option<EmbedCounts>,
    /// How the answer was found, in words.
    pub method: Vec<String>,
    /// What limits the answer, in words.
    pub limits: Vec<String>,
    /// What was read.
    pub inputs: Vec<AtFile>,
    /// What decides the result.
    pub parameters: AtParameters,
    /// What did not enter the histories of pages.
    pub left_out: LeftOut,
    /// How many findings about the data there are, gravest first.
    pub problems: Vec<ProblemCount>,
    /// What every verdict assumes.
    pub assumptions: Vec<String>,
    /// SHA-256 of this report as one line of JSON, this field being empty: ties the parameters to the rest.
    pub report_sha256: String,
}

/// A closed stretch of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretch {
    /// First instant.
    pub from: Instant,
    /// Last instant.
    pub to: Instant,
}

/// A stretch of time that may be without bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holds {
    /// First instant; `null`: as far back as time goes.
    pub from: Option<Instant>,
    /// Last instant; `null`: without end.
    pub to: Option<Instant>,
}

/// A part of the span that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// First instant.
    pub from: Instant,
    /// Last instant.
    pub to: Instant,
    /// The verdict there.
    pub verdict: SiteVerdict,
}

/// An instant with a better verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Better {
    /// The verdict there.
    pub verdict: SiteVerdict,
    /// The nearest such instant.
    pub at: Instant,
}

/// Where most pages are proven.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MostProven {
    /// How many.
    pub pages: u64,
    /// When: all stretches.
    pub when: Vec<Stretch>,
}

/// How many pages are in which state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Counts {
    /// All of them.
    pub pages: u64,
    /// Two equal looks enclose the date.
    pub proven: u64,
    /// Validators say that a version stood.
    pub claimed: u64,
    /// The looks around the date differ.
    pub changed_nearby: u64,
    /// The looks around the date cannot be compared.
    pub undecided: u64,
    /// The date lies before the first look or after the last.
    pub unseen: u64,
    /// There is no look at all.
    pub missing: u64,
    /// Pages of which replay would serve a version that began only after the date.
    pub late: u64,
}

impl Counts {
    /// Counts a page.
    pub fn add(&mut self, state: State, late: bool) {
        self.pages += 1;
        self.late += u64::from(late);
        *match state {
            State::Proven => &mut self.proven,
            State::Claimed => &mut self.claimed,
            State::ChangedNearby => &mut self.changed_nearby,
            State::Undecided => &mut self.undecided,
            State::Unseen => &mut self.unseen,
            State::Missing => &mut self.missing,
        } += 1;
    }

    /// How many pages are in a state.
    pub fn of(&self, state: State) -> u64 {
        match state {
            State::Proven => self.proven,
            State::Claimed => self.claimed,
            State::ChangedNearby => self.changed_nearby,
            State::Undecided => self.undecided,
            State::Unseen => self.unseen,
            State::Missing => self.missing,
        }
    }
}

/// The verdict for one site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SiteAt {
    /// Its name.
    pub site: String,
    /// The verdict for every instant of the span.
    pub verdict: SiteVerdict,
    /// How many of its pages are in which state.
    pub counts: Counts,
}

/// One page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageAt {
    /// Its URL, as captured first or as asked for.
    pub url: String,
    /// Its canonical key.
    pub key: String,
    /// Its site; `null` where it belongs to none.
    pub site: Option<String>,
    /// The state where the span is least favourable: where the version served began later, else the least favourable state.
    /// Grade, chances and `began_after` belong to the first instant of that part, too.
    pub state: State,
    /// The weakest grade that the state rests on.
    pub grade: Option<Grade>,
    /// The chance that the version replay would serve stood; `null` where it is proven, and where Last-Modified says that it
    /// did not.
    pub probability: Option<f64>,
    /// In a gap between two versions, the chances of both.
    pub chances: Option<Chances>,
    /// The accepted Last-Modified of the version that replay would serve, where that lies after the date.
    pub began_after: Option<Instant>,
    /// The span cut where the state changes; empty where it does not.
    pub parts: Vec<PagePart>,
    /// The first stretch that meets the span for which the page is proven; all of the span only where `state` is proven.
    pub proven: Option<Stretch>,
    /// Its change rate per day, where chances rest on it.
    pub rate_per_day: Option<f64>,
    /// Where the rate comes from.
    pub rate_source: Option<Source>,
    /// How many looks there are.
    pub looks: u64,
    /// How many looks failed.
    pub failed: u64,
    /// The records that the state rests on, then those that the proven parts of the span rest on.
    pub witnesses: Vec<Witness>,
    /// The embedded resources of the version that replay would serve; `null` where they are not known.
    pub embeds: Option<EmbedsAt>,
    /// Why they are not known.
    pub embeds_unknown: Option<String>,
}

/// A part of the span in which a page has one state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PagePart {
    /// First instant.
    pub from: Instant,
    /// Last instant.
    pub to: Instant,
    /// The state there.
    pub state: State,
}

/// What a witness shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The last look before the date.
    Before,
    /// The first look after the date.
    After,
    /// The record that holds the body which a revisit tells to be the same.
    Original,
    /// The record in whose body phrases were looked for.
    Text,
}

impl Role {
    /// The name, as it is written in reports.
    pub fn name(self) -> &'static str {
        match self {
            Role::Before => "before",
            Role::After => "after",
            Role::Original => "original",
            Role::Text => "text",
        }
    }
}

/// A record that a statement rests on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Witness {
    /// What it shows.
    pub role: Role,
    /// The kind of record.
    pub kind: Kind,
    /// The URL as captured.
    pub url: String,
    /// The file that holds it.
    pub file: String,
    /// The index that tells of the record, where the file that holds it is no input and was not read.
    pub index: Option<String>,
    /// BLAKE3 of the file on disk (of the package, for a file inside one); of the index, where only that was read.
    pub file_blake3: Option<String>,
    /// SHA-256 of the same.
    pub file_sha256: Option<String>,
    /// The place of the record.
    pub offset: Option<u64>,
    /// Its length as stored.
    pub length: Option<u64>,
    /// SHA-256 of the record as stored; of the record itself, head and block, where it shares a compressed member with others
    /// (then it has no length); `null` where only an index tells of it, or it cannot be stepped to.
    pub record_sha256: Option<String>,
    /// `WARC-Record-ID`.
    pub record_id: Option<String>,
    /// `WARC-Date`.
    pub date: Instant,
    /// When the capture ended at the latest.
    pub date_end: Instant,
    /// The status of the answer.
    pub status: Option<u16>,
    /// The payload digest that the record declares.
    pub declared: Option<String>,
    /// Whether it was recomputed and agrees.
    pub digest_ok: Option<bool>,
    /// BLAKE3 of the body, codings removed.
    pub body_blake3: Option<String>,
    /// `Last-Modified`.
    pub last_modified: Option<Instant>,
}

/// One file that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AtFile {
    /// Its path; inside a package, the package's path, `#` and the name there.
    pub path: String,
    /// What it holds.
    pub format: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// How many observations came from it.
    pub observations: u64,
    /// BLAKE3 of the file on disk (of the package, for a file inside one).
    pub blake3: String,
    /// SHA-256 of the same.
    pub sha256: String,
}
