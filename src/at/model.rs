//! The answer to "was this content online at this date?", versioned: [`AT_SCHEMA`]. Renderers compute nothing, and
//! `acuity verify` compares the answer field by field. `docs/at-schema.json` describes it, and a test compares the two.
//! Unknown is `null`. Times are UTC.
//!
//! The answer is the reproducible part of a report: the same inputs and parameters give the same bytes. It does not hold
//! its own hash; who asked, when, where and with which program is in [`crate::at::custody`].

use serde::{Deserialize, Serialize};

use crate::at::embed_model::{EmbedCounts, Embeds, EmbedsAt};
use crate::at::page_list::PageList;
use crate::at::phrase_model::{PhraseAt, Uncaptured};
pub use crate::at::record_model::Role;
pub(crate) use crate::at::record_model::{AtFile, Witness};
use crate::audit::model::ProblemCount;
use crate::capture::page::PageFilter;
use crate::capture::table::LeftOut;
use crate::change::assumption::Assumption;
use crate::change::at::{Chances, State};
use crate::change::evidence::Grade;
use crate::change::rate::Source;
use crate::time::Instant;
use crate::url::Canon;

/// The name and version of this model.
pub(crate) const AT_SCHEMA: &str = "acuity.at/2";

/// Whether the captured content of all selected pages was online, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SiteVerdict {
    /// Yes: every page is proven.
    Coherent,
    /// The archive does not settle it.
    NotProvable,
    /// No: no version was captured before the date, and by a Last-Modified that nothing speaks against the first version after
    /// it is newer.
    NotCoherent,
}

impl SiteVerdict {
    /// All verdicts, best first.
    pub const ALL: [SiteVerdict; 3] =
        [SiteVerdict::Coherent, SiteVerdict::NotProvable, SiteVerdict::NotCoherent];

    /// The words of the report.
    pub fn words(self) -> &'static str {
        match self {
            SiteVerdict::Coherent => "yes",
            SiteVerdict::NotProvable => "not settled",
            SiteVerdict::NotCoherent => "no",
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
    /// Whether chances are estimated from change rates.
    pub estimates: bool,
}

impl AtParameters {
    /// What `acuity at` takes for a date without further options.
    pub fn on(date: impl Into<String>) -> Self {
        AtParameters {
            date: date.into(),
            canon: Canon::Strict.name().to_owned(),
            site_by: "host".to_owned(),
            pages: PageFilter::Html,
            evidence: Grade::NotModified,
            digests: "verify".to_owned(),
            site: None,
            urls: Vec::new(),
            phrases: Vec::new(),
            raw: false,
            embeds: Embeds::All,
            estimates: false,
        }
    }
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct At {
    /// The name and version of this format: [`AT_SCHEMA`].
    pub schema: String,
    /// The version of the program that made the answer.
    pub tool_version: String,
    /// The date that was asked for: its whole span.
    pub asked: Stretch,
    /// The question in words.
    pub question: String,
    /// The verdict for every instant of that span: the least favourable one of [`At::parts`].
    /// Whether the site is proven to have been online then, with what is asked about.
    pub verdict: SiteVerdict,
    /// The answer in words: yes, no, or not settled; what contradicts or limits it.
    pub answer: String,
    /// What the records show, in words.
    pub because: Vec<String>,
    /// The clocks of crawler and server for the records relied on, in words.
    pub clocks: Vec<String>,
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
    pub pages: PageList,
    /// What is known of each phrase, in the order they were asked for.
    pub phrases: Vec<PhraseAt>,
    /// Addresses of the sites that captured pages link to and the archive lacks; `null` where that was not asked for or
    /// is unknown.
    pub uncaptured: Option<Uncaptured>,
    /// How the embedded resources of all pages stand; `null` where they are known of no page.
    pub embeds: Option<EmbedCounts>,
    /// How the answer was found, in words.
    pub method: Vec<String>,
    /// What the answer does not show, in words.
    pub limits: Vec<String>,
    /// Every file that was read.
    pub inputs: Vec<AtFile>,
    /// What decides the result.
    pub parameters: AtParameters,
    /// What did not enter the histories of pages.
    pub left_out: LeftOut,
    /// How many findings about the data there are, gravest first.
    pub problems: Vec<ProblemCount>,
    /// What this answer assumes, and nothing else.
    pub assumptions: Vec<String>,
}

/// A stretch of time; both ends belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretch {
    pub from: Instant,
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

/// A part of the span that was asked for; both ends belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    pub from: Instant,
    pub to: Instant,
    /// Whether the site is proven to have been online then, with what is asked about.
    pub verdict: SiteVerdict,
}

/// An instant with a better verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Better {
    /// Whether the site is proven to have been online then, with what is asked about.
    pub verdict: SiteVerdict,
    /// The nearest such instant.
    pub at: Instant,
}

/// Where most pages are proven.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MostProven {
    pub pages: u64,
    pub when: Vec<Stretch>,
}

/// How many pages are in which state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Counts {
    /// Pages in any state.
    pub pages: u64,
    /// Two equal captures enclose the date.
    pub proven: u64,
    /// Validators say that a version was online.
    pub claimed: u64,
    /// The looks around the date differ.
    pub changed_nearby: u64,
    /// The looks around the date cannot be compared.
    pub undecided: u64,
    /// The date lies before the first capture or after the last.
    pub unseen: u64,
    /// There is no capture at all.
    pub missing: u64,
    /// Pages of which the first captured version began only after the date.
    pub late: u64,
    /// Of the proven ones, those whose address answered without the page: with 404 Not Found, or with a redirect.
    #[serde(default)]
    pub absent: u64,
}

impl Counts {
    /// Counts a page.
    pub fn add(&mut self, page: &PageAt) {
        self.pages += 1;
        self.late += u64::from(page.verdict == SiteVerdict::NotCoherent);
        self.absent += u64::from(page.is_absent());
        *match page.state {
            State::Proven => &mut self.proven,
            State::Claimed => &mut self.claimed,
            State::ChangedNearby => &mut self.changed_nearby,
            State::Undecided => &mut self.undecided,
            State::Unseen => &mut self.unseen,
            State::Missing => &mut self.missing,
        } += 1;
    }

    /// For how many pages the answer is not yes.
    pub fn exceptions(&self) -> u64 {
        self.pages.saturating_sub(self.proven.saturating_sub(self.absent))
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
    pub site: String,
    /// The verdict for every instant of the span.
    /// Whether the site is proven to have been online then, with what is asked about.
    pub verdict: SiteVerdict,
    /// How many of its pages are in which state.
    pub counts: Counts,
}

/// What is known of one page at the date.
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
    /// What the archive settles about the page, in one of the words for a whole site.
    pub verdict: SiteVerdict,
    /// The weakest grade that the state rests on; `null` where only the status of responses was compared.
    pub grade: Option<Grade>,
    /// What the verdicts on its captures assume.
    #[serde(default)]
    pub assumptions: Vec<Assumption>,
    /// The chance that the version replay would serve was online; `null` where it is proven, and where Last-Modified says that it
    /// did not.
    pub probability: Option<f64>,
    /// In a gap between two versions, the chances of both.
    pub chances: Option<Chances>,
    /// The accepted Last-Modified of the version that replay would serve, where that lies after the date.
    pub began_after: Option<Instant>,
    /// The accepted Last-Modified by which the version of the record after the date is claimed to have been there; `null` where no
    /// claim rests on one.
    #[serde(default)]
    pub claimed_since: Option<Instant>,
    /// The span cut where the state changes; empty where it does not.
    pub parts: Vec<PagePart>,
    /// The first stretch that meets the span for which the page is proven; all of the span only where `state` is proven.
    pub proven: Option<Stretch>,
    /// Every part of the span for which it is proven what the address answered.
    #[serde(default)]
    pub shown: Vec<ShownPart>,
    /// How many captures within the span show the state of the page.
    #[serde(default)]
    pub within: u64,
    /// Its change rate per day, where chances rest on it.
    pub rate_per_day: Option<f64>,
    /// Where the rate comes from.
    pub rate_source: Option<Source>,
    /// Captures that show the state of the page.
    pub looks: u64,
    /// Captures that failed.
    pub failed: u64,
    /// The label of the record before the deciding part of the date.
    pub before: Option<String>,
    /// The label of the record after it.
    pub after: Option<String>,
    /// Captures that show no version of the page: the nearest ones around the date, and those between the records relied on.
    pub unused: Vec<UnusedCapture>,
    /// What is contradictory or damaged in the records of this page.
    pub contradictions: Vec<Contradiction>,
    /// What is wrong with the records relied on, and those between them, though they were read.
    #[serde(default)]
    pub damage: Vec<Contradiction>,
    /// Why the records before and after the date cannot be compared, or do not prove anything, in words.
    #[serde(default)]
    pub not_comparable: Option<String>,
    /// Whether the records before and after the date, which differ, show the same text: only their markup, scripts or comments differ.
    #[serde(default)]
    pub same_text: bool,
    /// How many records of this address have no readable date, so that their place is unknown.
    #[serde(default)]
    pub undated: u64,
    /// Why the content, though the server answered 200, reads like an error page.
    #[serde(default)]
    pub reads_as_error: Option<String>,
    /// The records that the state rests on, then those that the proven parts of the span rest on.
    pub witnesses: Vec<Witness>,
    /// The embedded resources of the version that replay would serve; `null` where they are unknown.
    pub embeds: Option<EmbedsAt>,
    /// Why they are unknown.
    pub embeds_unknown: Option<String>,
}

impl PageAt {
    /// Whether it is proven for the whole span that the address answered without the page.
    pub fn is_absent(&self) -> bool {
        self.state == State::Proven && self.shown.iter().any(|part| !part.is_page())
    }
}

/// A part of the span for which it is proven what the server responded; both ends belong to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownPart {
    pub from: Instant,
    pub to: Instant,
    /// The status of the responses, where it is not a version of a page: 404 Not Found, a redirect.
    pub status: Option<u16>,
    /// Where a redirect leads.
    pub location: Option<String>,
    /// The labels of the records before and after it.
    pub before: Option<String>,
    pub after: Option<String>,
}

impl ShownPart {
    /// Whether the page itself is shown.
    pub fn is_page(&self) -> bool {
        self.status.is_none()
    }
}

/// A part of the span in which a page has one state; both ends belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PagePart {
    pub from: Instant,
    pub to: Instant,
    pub state: State,
}

/// A capture that shows no version of the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnusedCapture {
    pub captured: Instant,
    pub status: Option<u16>,
    /// Why it was not used, in words.
    pub reason: String,
    /// The method of its request, where that was not GET.
    #[serde(default)]
    pub method: Option<String>,
    pub file: String,
    pub offset: Option<u64>,
    /// `WARC-Record-ID`.
    #[serde(default)]
    pub record_id: Option<String>,
}

/// Records that contradict each other or themselves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contradiction {
    /// What contradicts what, in words.
    pub words: String,
    /// The capture concerned.
    pub captured: Instant,
    pub file: String,
    pub offset: Option<u64>,
    pub record_id: Option<String>,
    /// The file that contradicts it.
    pub other_file: Option<String>,
    pub other_offset: Option<u64>,
}
