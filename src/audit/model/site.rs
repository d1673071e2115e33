//! What an audit states of one site: its answers, figures, findings, missing files, pages and next crawl.

use serde::{Deserialize, Serialize};

use super::{Again, Coherence, FigureBases, Findings, PageAudit, Range, Repair, SiteAnswers, Window};
use crate::capture::division::Crawl;
use crate::change::run::PageState;
use crate::html::links::LinkKind;
use crate::quality::link_completeness::TargetStatus;
use crate::quality::pattern::{Behaviour, PatternSummary};
use crate::quality::spread::Spread;
use crate::schedule::page::Found;

/// One site in one window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SiteAudit {
    /// The host, registered domain or prefix.
    pub site: String,
    /// The observation window.
    pub window: Window,
    pub crawls: Vec<CrawlSummary>,
    /// Captures of its pages, failed ones included.
    pub observations: u64,
    /// When they were made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture_times: Option<CaptureTimes>,
    /// Its pages by state.
    pub pages: PageCounts,
    /// How coherent it is.
    pub coherence: Coherence,
    /// How blurred it is.
    pub blur: Blur,
    /// How its pages change.
    pub rates: Rates,
    /// How far rates, blur and versions can be believed.
    #[serde(default)]
    pub basis: FigureBases,
    /// What a curator acts on.
    pub findings: Findings,
    /// The median pause between two pages of a host in seconds; null where none can be seen.
    pub delay_seconds: Option<f64>,
    /// The answer in one sentence.
    pub verdict: String,
    /// Actions in the order in which to take them.
    pub next: Vec<String>,
    /// How complete it is, where it was computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completeness: Option<SiteCompleteness>,
    /// What is missing, worst first, where it was computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<Vec<Missing>>,
    /// When its pages change in a way that matters: pages that behave alike together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patterns: Option<Vec<ClassPattern>>,
    /// The recommended order of the next crawl, where it was computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reschedule: Option<Reschedule>,
    /// Pages to fetch again, as `acuity plan --repair` gives them: an audit promises nothing of the past, so it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repair: Option<Repair>,
    /// Consistent? Complete?
    #[serde(default)]
    pub answers: SiteAnswers,
    /// What the pages are in all, where the list leaves them out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_totals: Option<PageTotals>,
    /// Its pages, by key; empty where they are too many (see `page_totals`).
    pub page_list: Vec<PageAudit>,
}

impl SiteAudit {
    /// Totals over all pages of the site.
    pub(crate) fn page_totals(&self) -> PageTotals {
        self.page_totals.clone().unwrap_or_else(|| PageTotals::of(&self.page_list))
    }

    /// How many pages it has, those that look like error pages among them, which are not judged.
    pub(crate) fn all_pages(&self) -> u64 {
        self.pages.total + self.pages.error_pages
    }

    /// Whether captures support the change rates: what rests on Last-Modified alone is a claim.
    pub(crate) fn has_checked_rates(&self) -> bool {
        !self.rates.assumed && self.rates.check.is_some_and(|check| check.agrees)
    }

    /// How many URLs are missing, those among them that the list has no room for.
    pub(crate) fn missing_count(&self) -> u64 {
        let left_out = self.completeness.as_ref().map_or(0, |found| found.missing_left_out);
        self.missing.as_deref().unwrap_or_default().len() as u64 + left_out
    }

    /// Keeps of the pages only what they are in all.
    pub(crate) fn leave_out_pages(&mut self) {
        self.page_totals = Some(self.page_totals());
        self.page_list = Vec::new();
    }
}

/// All pages of a site together, where a report has no room for each.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PageTotals {
    /// How many pages the list leaves out.
    pub left_out: u64,
    /// Their weight.
    pub weight: f64,
    /// Of this weight, that of pages that changed between captures.
    pub changed_weight: f64,
    /// Changed pages that `--compare text` would call unchanged.
    pub unseen_changes: u64,
    /// The weightiest page that changed.
    pub heaviest_changed: Option<WeightyPage>,
}

/// A page that holds much of the weight of its site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WeightyPage {
    pub url: String,
    pub weight: f64,
    /// Why its state is what it is.
    pub reason: String,
}

impl PageTotals {
    fn of(pages: &[PageAudit]) -> Self {
        let mut totals = PageTotals::default();
        pages.iter().for_each(|page| totals.add(page));
        totals
    }

    pub(crate) fn add(&mut self, page: &PageAudit) {
        let is_changed = page.state == PageState::Changed;
        self.left_out += 1;
        if page.error_page.is_none() {
            self.weight += page.weight;
            self.changed_weight += if is_changed { page.weight } else { 0.0 };
        }
        if !is_changed {
            return;
        }
        self.unseen_changes += u64::from(page.markup_only && page.error_page.is_none());
        if self.heaviest_changed.as_ref().is_none_or(|heaviest| page.weight >= heaviest.weight) {
            let (url, reason) = (page.url.clone(), page.reason.clone());
            self.heaviest_changed = Some(WeightyPage { url, weight: page.weight, reason });
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrawlSummary {
    /// Its names: collections, warcinfo ids or files; at most 20.
    pub names: Vec<String>,
    /// First observation.
    pub from: crate::time::Instant,
    /// End of the last one.
    pub to: crate::time::Instant,
    pub observations: u64,
}

impl CrawlSummary {
    /// Adds what another part has of the same crawl.
    pub(crate) fn add(&mut self, other: CrawlSummary) {
        self.from = self.from.min(other.from);
        self.to = self.to.max(other.to);
        self.observations += other.observations;
        self.names.extend(other.names);
        self.names.sort_unstable();
        self.names.dedup();
        self.names.truncate(Crawl::NAMES);
    }
}

/// How many captures of pages were made when.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaptureTimes {
    /// Where the first stretch begins.
    pub from: crate::time::Instant,
    /// Where the last stretch ends.
    pub to: crate::time::Instant,
    /// Captures in each of equally long stretches, at most 96.
    pub counts: Vec<u64>,
}

/// Pages by state.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageCounts {
    /// All that are judged: those in the states below.
    pub total: u64,
    /// Two captures or more, all the same.
    pub sharp: u64,
    /// Known to have changed.
    pub changed: u64,
    /// How many of them changed only in their markup.
    #[serde(default)]
    pub changed_in_markup_only: u64,
    /// Seen once.
    pub single: u64,
    /// Not decided.
    pub unknown: u64,
    /// Pages that look like error pages despite status 200, whenever captured: they are not judged.
    #[serde(default)]
    pub error_pages: u64,
}

/// The blur of a site.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Blur {
    /// Expected from rates alone.
    pub stochastic: Stochastic,
    /// From what is known of the changes.
    pub actual: SiteActual,
}

/// Stochastic blur of a site.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Stochastic {
    /// The sum over pages; null where nothing supports the change rates.
    pub total: Option<f64>,
    /// By the number of pages; null without pages.
    pub mean: Option<f64>,
    pub weighted_mean: Option<f64>,
}

/// Actual blur of a site: sums over pages.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SiteActual {
    /// At least.
    pub low: f64,
    /// Null where nothing supports the change rates it rests on.
    pub expected: Option<f64>,
    /// At most, with one change in every gap; null where more are expected on some page.
    pub high: Option<f64>,
    /// The part of `expected` before first and after last captures.
    pub unseen: Option<f64>,
    /// `expected` by the number of pages.
    pub mean: Option<f64>,
    /// `low` by the number of pages.
    pub mean_low: Option<f64>,
    /// `high` by the number of pages; null where `high` is.
    pub mean_high: Option<f64>,
    /// The mean of `expected` by weight.
    pub weighted_mean: Option<f64>,
    /// The lower end of the 95% interval of `mean`.
    pub likely_low: Option<f64>,
    /// The upper end of the 95% interval of `mean`; null where some page differs at every gap, since nothing bounds it from
    /// above.
    pub likely_high: Option<f64>,
    /// All of it from an exact history.
    pub exact: bool,
}

/// The change rates of a site.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// The distribution that rates of its pages are taken to be drawn from.
    pub prior: PriorOut,
    /// The median of the pages' rates, per day; null where they are unknown, or hardly: to no factor below 100.
    pub median_per_day: Option<f64>,
    /// The rates of half of its pages are known to this factor either way or better (95%); null where they have no bound.
    #[serde(default)]
    pub error_factor: Option<f64>,
    /// All rates are a built-in assumption: nothing is known of how its pages change.
    #[serde(default)]
    pub assumed: bool,
    /// The rates held against the captures; null where no captures could be compared.
    #[serde(default)]
    pub check: Option<RateCheck>,
}

/// How many pages changed between captures, and how many were to be expected by their rates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RateCheck {
    /// Pages with captures that could be compared, in all of the archive.
    pub pages: u64,
    /// Pages of these that changed.
    pub changed: u64,
    /// How many were to be expected by the rates of this report.
    pub expected: f64,
    /// Whether chance can explain the difference; else rates, and what rests on them, are not to be trusted.
    pub agrees: bool,
    /// How many were to be expected by Last-Modified and lastmod too, where the captures refute that: they are not used then.
    pub expected_by_stamps: Option<f64>,
}

/// A Gamma distribution of rates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PriorOut {
    pub shape: f64,
    pub mean_per_day: f64,
}

/// How complete a site is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SiteCompleteness {
    /// Of the versions of its pages.
    pub versions: VersionCompleteness,
    /// Of the links on its pages; null where links are unknown.
    pub links: Option<LinkCompleteness>,
    /// Of what its pages embed; null where links are unknown.
    pub embeds: Option<LinkCompleteness>,
    /// Why links are unknown.
    pub links_unknown: Option<String>,
    /// How many missing URLs the list leaves out.
    pub missing_left_out: u64,
    /// How many pages have only captures that are cut short: not all links of theirs are known.
    #[serde(default)]
    pub cut_pages: u64,
    /// How many pages have a latest version that was not looked at for links: only an index tells of it, or a table without links.
    #[serde(default)]
    pub unread_pages: u64,
    /// What became of the seeds of the site; null where none are known.
    #[serde(default)]
    pub seeds: Option<SiteSeeds>,
    /// Whether a crawl log speaks of the site: then what it does not have was never requested.
    #[serde(default)]
    pub is_logged: bool,
    /// What was left out on purpose, such as what robots.txt forbids: at most 1,000 URLs, the most needed first.
    #[serde(default)]
    pub excluded: Vec<Excluded>,
}

/// What became of the seeds of one site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteSeeds {
    pub total: u64,
    /// Captured with a usable response that does not look like an error page, or redirected.
    pub reached: u64,
}

impl SiteSeeds {
    /// The share that was reached.
    pub(crate) fn share(self) -> f64 {
        self.reached as f64 / self.total.max(1) as f64
    }
}

/// A URL that was left out on purpose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excluded {
    pub url: String,
    /// Why: robots.txt forbids it, or the rules of the crawl.
    pub reason: String,
}

/// Pages that behave alike, and when they change in a way that matters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassPattern {
    /// How they behave.
    pub behaviour: Behaviour,
    /// How many they are.
    pub pages: u64,
    /// Their pattern.
    pub pattern: PatternSummary,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct VersionCompleteness {
    /// The share of weight captured, the mean over pages by importance.
    pub share: Option<f64>,
    /// The plain mean over pages.
    pub plain_share: Option<f64>,
    /// The lower end of its 95% interval.
    pub low: Option<f64>,
    /// The upper end of its 95% interval.
    pub high: Option<f64>,
    /// The weight captured.
    pub captured: f64,
    /// The weight expected to be missed; null where nothing supports the change rates it rests on.
    pub expected_missed: Option<f64>,
    /// What the interval is made of, so that parts of a collection give the interval of the whole; null without a share.
    #[serde(default)]
    pub missing: Option<Spread>,
}

/// Completeness of links or embedded resources: shares by weight, numbers beside them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LinkCompleteness {
    /// The share of weight captured.
    pub share: Option<f64>,
    pub plain_share: Option<f64>,
    /// Targets captured.
    pub captured: u64,
    /// Targets that failed.
    pub failed: u64,
    /// Targets never requested.
    pub untried: u64,
    /// Targets left out on purpose; they are not part of the share.
    pub excluded: u64,
    /// Targets on other sites; and where the crawl followed no link, other names of its pages, feeds and images that came with them.
    pub out_of_scope: u64,
    /// Fonts that were never requested: a browser loads a font only if some text needs it.
    #[serde(default)]
    pub optional: u64,
    /// Linked pages beyond the depth or folder that the crawl evidently covered: counted apart.
    #[serde(default)]
    pub beyond: u64,
    /// How many of `out_of_scope` are addresses of this site that only lead to another site.
    #[serde(default)]
    pub away: u64,
}

/// Something the archive lacks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Missing {
    pub url: String,
    /// `link` or `embed`.
    pub kind: String,
    /// What pages do with it; of several things the one that needs it most.
    pub used_as: LinkKind,
    /// The most important page that needs it.
    pub needed_by: Option<String>,
    /// How many pages need it.
    pub pages: u64,
    /// The weight of the pages that need it.
    pub weight: f64,
    /// `failed` or `untried`.
    pub fate: TargetStatus,
    /// The status it answered with, if it was tried.
    pub status: Option<u16>,
    /// Why it is missing.
    pub reason: String,
    /// The sitemap that lists it, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sitemap: Option<String>,
    /// When a crawl that follows links finds it, breadth first and depth first; absent where links are unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<Found>,
}

/// The recommended next crawl in short.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reschedule {
    pub strategy: String,
    /// The pause between two fetches, in seconds.
    pub delay_seconds: f64,
    pub pages: u64,
    /// How many of them are linked but were never captured.
    #[serde(default)]
    pub never_captured: u64,
    /// The first of these, as the list of what is missing has them.
    #[serde(default)]
    pub never_captured_pages: Vec<String>,
    /// Weight of the pages expected to be sharp; null where nothing shows how often any page changes, and so is all that follows.
    pub expected_coherence: Option<f64>,
    /// No schedule can expect more.
    pub upper_bound: Option<f64>,
    /// What is lost against it at most, as a share of it.
    pub gap: Option<f64>,
    /// How many pages the last crawl had: on these alone the two orders are compared.
    #[serde(default)]
    pub compared_pages: u64,
    /// The best order of these alone reaches this; null where the order of the last crawl is unknown.
    #[serde(default)]
    pub compared_coherence: Option<f64>,
    /// The last crawl's own order of these would expect so much.
    pub last_crawl: Option<f64>,
    /// `compared_coherence` − `last_crawl`: so much more by the best order of the same pages.
    pub gain: Option<f64>,
    /// What it brings to capture a few pages again right after the next crawl; on the pages that are compared, in the better order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<Again>,
    /// Whether captures show what to expect of it: not where pages differ at every capture, and these lie much further apart, nor where
    /// the last crawl was as quick and kept far less than `last_crawl`.
    #[serde(default = "always")]
    pub is_shown: bool,
    /// Whether the captures of most pages lie no further apart than it can have them.
    #[serde(default)]
    pub no_quicker: bool,
    /// How much of `expected_coherence` is of pages that differed at every capture: less, where these are generated for each request.
    #[serde(default)]
    pub doubtful: f64,
    /// Pages that cannot be kept sharp.
    pub hopeless: u64,
    /// Pages of whose own changes nothing is known.
    pub unknown_rates: u64,
    /// The range of expected pages over the uncertainty of rates, where it was computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// The recommendation in words.
    pub text: String,
    /// What to run for the whole schedule.
    pub command: String,
    /// When to fetch which page, by the first fetch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plan: Vec<PlannedPage>,
    /// What other strategies would reach.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strategies: Vec<crate::schedule::model::Row>,
}

impl Reschedule {
    /// Its pages that change too fast to be captured consistently, the least chance first.
    pub(crate) fn too_fast(&self) -> Vec<&PlannedPage> {
        let mut pages: Vec<&PlannedPage> = self.plan.iter().filter(|page| !page.hopeful).collect();
        pages.sort_by(|a, b| a.chance.unwrap_or(0.0).total_cmp(&b.chance.unwrap_or(0.0)));
        pages
    }
}

/// What a report was made without that is older than the key.
fn always() -> bool {
    true
}

/// A page of the recommended crawl.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedPage {
    /// The page.
    pub url: String,
    /// The host, fetched at its own pace.
    pub lane: String,
    /// The first fetch, in seconds from the start of the crawl of its host.
    pub visit_seconds: f64,
    /// The second fetch; null where the page in the middle is fetched once.
    pub revisit_seconds: Option<f64>,
    /// The chance that it does not change in between.
    pub chance: Option<f64>,
    /// Whether it is likely enough to stay unchanged.
    pub hopeful: bool,
}
