//! Decides the band of each answer: good, mixed, poor or cannot tell, and the cuts between them. The cuts and their reasons
//! are in `docs/metrics.md`.

use crate::audit::model::{Band, LinkCompleteness, Missing, SiteAudit};
use crate::quality::link_completeness::TargetStatus;

/// From here on an answer is good: of two pages opened together, both fit in nine cases of ten (0.95² = 0.90).
pub(crate) const GOOD: f64 = 0.95;
/// From here on it is mixed: both fit in half of the cases (0.7² = 0.49).
pub(crate) const MIXED: f64 = 0.70;
/// Share of a site that must have been compared before low consistency is called poor.
const COMPARED: f64 = 0.80;
/// A larger share of captures in doubt makes a record poor: a page with 50 embeds meets one in two of five views.
const DOUBTFUL: f64 = 0.01;

/// The band of a share that is known.
pub(crate) fn of_share(share: f64) -> Band {
    match share {
        share if share >= GOOD => Band::Good,
        share if share >= MIXED => Band::Mixed,
        _ => Band::Poor,
    }
}

/// The share of pages that is proven consistent, by number or by importance, whichever is lower.
pub(crate) fn proven(site: &SiteAudit) -> f64 {
    let best = &site.coherence;
    match best.provable {
        true => best.best.share.unwrap_or(0.0).min(best.best_by_weight.share.unwrap_or(0.0)),
        false => 0.0,
    }
}

/// The share that would be consistent if every page that is open turned out well.
fn possible(site: &SiteAudit) -> f64 {
    let total = site.pages.total.max(1) as f64;
    let pages = site.page_totals();
    let by_weight = pages.changed_weight / if pages.weight > 0.0 { pages.weight } else { 1.0 };
    1.0 - (site.pages.changed as f64 / total).max(by_weight)
}

/// Whether every page that was captured twice differs, by an index alone. Those of wget leave out what had not changed, so that shows of
/// no page that it changed more than others.
pub(crate) fn lists_changes_only(site: &SiteAudit) -> bool {
    let proves = site.coherence.provable || site.pages.sharp > 0;
    is_by_declared_digests(site) && site.pages.changed > 0 && !proves
}

/// Whether the pages fit together.
pub(crate) fn consistent(site: &SiteAudit) -> Band {
    let compared = (site.pages.sharp + site.pages.changed) as f64 / site.pages.total.max(1) as f64;
    match of_share(proven(site)) {
        band @ (Band::Good | Band::Mixed) => band,
        _ if site.pages.total == 0 || lists_changes_only(site) => Band::CannotTell,
        _ if possible(site) < MIXED => Band::Poor,
        _ if site.coherence.provable && compared >= COMPARED => Band::Poor,
        _ => Band::CannotTell,
    }
}

/// The parts that completeness is judged by; `None`: it does not count, for it is unknown or nothing shows it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Parts {
    pub embeds: Option<f64>,
    pub links: Option<f64>,
    pub versions: Option<f64>,
    /// Seeds of the site that were reached, where seeds are known.
    pub seeds: Option<f64>,
    /// Whether there are links that do not count, for nothing records what the crawl was meant to cover.
    pub limits_open: bool,
    /// Whether links count although fewer than half were captured, for the limits of the crawl are recorded.
    pub limits_known: bool,
    /// Whether so many pages were not looked at for links that the answer could be another one.
    pub unread: bool,
    /// Captured and requested links, where links are judged by those that were requested.
    pub requested: Option<(u64, u64)>,
}

impl Parts {
    pub(crate) fn of(site: &SiteAudit) -> Self {
        let found = site.completeness.as_ref();
        Self::with(site, found.and_then(|found| found.links), found.and_then(|found| found.embeds))
    }

    /// The parts of a site if these were its links and embeds.
    pub(crate) fn with(
        site: &SiteAudit,
        links: Option<LinkCompleteness>,
        embeds: Option<LinkCompleteness>,
    ) -> Self {
        let Some(found) = &site.completeness else {
            return Parts::default();
        };
        let limits_known = found.is_logged || links.is_some_and(|links| links.excluded > 0);
        let all_links = links.and_then(|links| links.plain_share);
        let whole = all_links.filter(|share| *share >= 0.5 || limits_known);
        let requested = match whole {
            Some(_) => None,
            None => links.and_then(|links| of_requested(site, &links)),
        };
        let links = whole.or_else(|| requested.map(|(captured, all)| captured as f64 / all as f64));
        Parts {
            embeds: embeds.and_then(|embeds| embeds.plain_share),
            links,
            versions: site.versions_share().filter(|_| site.has_checked_rates()),
            seeds: found.seeds.map(|seeds| seeds.share()),
            limits_open: all_links.is_some() && links.is_none(),
            limits_known,
            unread: found.unread_pages as f64 > (1.0 - GOOD) * site.pages.total as f64,
            requested,
        }
    }

    /// The worst part that counts.
    pub(crate) fn worst(&self) -> Option<f64> {
        [self.embeds, self.links, self.versions, self.seeds].into_iter().flatten().min_by(f64::total_cmp)
    }

    pub(crate) fn band(&self, links_unknown: bool) -> Band {
        let worst = self.worst();
        match worst.map(of_share) {
            Some(Band::Poor) => Band::Poor,
            _ if links_unknown || self.unread => Band::CannotTell,
            Some(Band::Mixed) => Band::Mixed,
            _ if self.limits_open => Band::CannotTell,
            // Embeds alone do not show which pages should be there.
            _ if self.links.is_none() && self.seeds.is_none() => Band::CannotTell,
            Some(band) => band,
            None => Band::CannotTell,
        }
    }
}

/// How many links were captured of how many that were requested, where that is poor: what was requested was meant, whatever the
/// limits of the crawl. What the site itself no longer has does not count, nor what another archive holds.
fn of_requested(site: &SiteAudit, links: &LinkCompleteness) -> Option<(u64, u64)> {
    let is_other = |entry: &&Missing| entry.kind == "link" && (is_gone(entry) || is_elsewhere(entry));
    let other = site.missing.iter().flatten().filter(is_other).count() as u64;
    let failed = links.failed.saturating_sub(other);
    let requested = links.captured + failed;
    let is_poor = || of_share(links.captured as f64 / requested as f64) == Band::Poor;
    (failed > 0 && is_poor()).then_some((links.captured, requested))
}

/// Whether the site itself no longer has something.
pub(crate) fn is_gone(entry: &Missing) -> bool {
    entry.fate == TargetStatus::Failed && matches!(entry.status, Some(404 | 410))
}

/// Whether something was captured, but as a reference to a capture that is not here.
pub(crate) fn is_elsewhere(entry: &Missing) -> bool {
    entry.fate == TargetStatus::Failed && entry.reason == ORIGINAL_ELSEWHERE
}

/// Why a revisit whose original is not here shows no content.
pub(crate) const ORIGINAL_ELSEWHERE: &str = "it refers to an earlier capture that is not here";

/// Whether links, embeds and versions were captured.
pub(crate) fn complete(site: &SiteAudit) -> Band {
    Parts::of(site).band(links_unknown(site))
}

/// Links or embeds after everything that was never requested was captured, if it all still exists.
pub(crate) fn after(found: LinkCompleteness) -> LinkCompleteness {
    with_more(LinkCompleteness { untried: 0, ..found }, found.untried)
}

/// Links or embeds if more of them were captured.
pub(crate) fn with_more(found: LinkCompleteness, more: u64) -> LinkCompleteness {
    let captured = found.captured + more;
    let all = captured + found.failed + found.untried;
    let share = (all > 0).then(|| captured as f64 / all as f64);
    LinkCompleteness { captured, share, plain_share: share, ..found }
}

/// The band after everything that was never requested was captured.
pub(crate) fn complete_after(site: &SiteAudit) -> Band {
    let Some(found) = &site.completeness else { return Band::CannotTell };
    Parts::with(site, found.links.map(after), found.embeds.map(after)).band(links_unknown(site))
}

/// The same for embeds alone.
pub(crate) fn complete_after_embeds(site: &SiteAudit) -> Band {
    let Some(found) = &site.completeness else { return Band::CannotTell };
    Parts::with(site, found.links, found.embeds.map(after)).band(links_unknown(site))
}

pub(crate) fn links_unknown(site: &SiteAudit) -> bool {
    site.completeness.as_ref().is_none_or(|found| found.links_unknown.is_some() || found.links.is_none())
}

/// Why links are not known of a site that only an index tells of.
pub(crate) const NOT_IN_INDEX: &str = "an index does not list links";

/// Why links are not known of captures that `acuity index` listed: their bodies may have been read.
pub(crate) const NOT_IN_LIST: &str = "a list of captures holds no links";

/// Whether only an index tells of a site: no body of its captures was read.
pub(crate) fn is_index_only(site: &SiteAudit) -> bool {
    let why = site.completeness.as_ref().and_then(|found| found.links_unknown.as_deref());
    matches!(why, Some(NOT_IN_INDEX | NOT_IN_LIST))
}

/// Why it cannot be told whether a site is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Open {
    /// Only an index tells of it.
    Index,
    /// Page records hold no links.
    Records,
    /// Bodies were not read.
    Unread,
    /// Nothing records what the crawl was meant to cover.
    Limits,
    /// No page links to another one, so nothing shows which pages should be there.
    NoLinks,
}

/// Why it cannot be told; `None` where it can.
pub(crate) fn open(site: &SiteAudit) -> Option<Open> {
    let is_open = complete(site) == Band::CannotTell;
    is_open.then(|| match () {
        () if is_index_only(site) => Open::Index,
        () if links_not_in_records(site) => Open::Records,
        () if links_unknown(site) || Parts::of(site).unread => Open::Unread,
        () if Parts::of(site).limits_open => Open::Limits,
        () => Open::NoLinks,
    })
}

/// Whether pages were compared by the digests that an index repeats.
pub(crate) fn is_by_declared_digests(site: &SiteAudit) -> bool {
    let why = site.completeness.as_ref().and_then(|found| found.links_unknown.as_deref());
    why == Some(NOT_IN_INDEX)
}

/// Why links are unknown in an audit of page records alone.
pub(crate) const NOT_IN_RECORDS: &str = "page records hold no links";

/// Whether links are unknown because the audit was made of page records, which says nothing of what was read for them.
pub(crate) fn links_not_in_records(site: &SiteAudit) -> bool {
    let why = site.completeness.as_ref().and_then(|found| found.links_unknown.as_deref());
    why == Some(NOT_IN_RECORDS)
}

/// Counts that decide about the record.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RecordCounts {
    pub captures: u64,
    /// Captures that contradict each other or their digests.
    pub contradictions: u64,
    /// Places that could not be read.
    pub damage: u64,
    /// Captures that are cut short.
    pub cut: u64,
    /// Other findings that leave a doubt.
    pub doubts: u64,
    /// Files that may be wrong as a whole.
    pub files: u64,
    /// Captures of which only an index tells, or a table that was made without verifying digests.
    pub unchecked: u64,
    /// Whether bodies were read and digests recomputed.
    pub checked: bool,
}

impl RecordCounts {
    pub(crate) fn band(&self) -> Band {
        let few = |count: u64| count as f64 <= DOUBTFUL * self.captures as f64;
        match () {
            () if self.files > 0 => Band::Poor,
            () if ![self.contradictions, self.damage, self.cut].into_iter().all(few) => Band::Poor,
            () if !self.checked || !few(self.unchecked) => Band::CannotTell,
            // Where there is nothing, nothing was checked.
            () if self.captures == 0 && self.doubts == 0 => Band::CannotTell,
            () if self.contradictions + self.damage + self.cut + self.doubts > 0 => Band::Mixed,
            () => Band::Good,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cuts_are_where_they_are_said_to_be() {
        let bands = [1.0, 0.95, 0.9499, 0.7, 0.6999, 0.0].map(of_share);
        use Band::{Good, Mixed, Poor};
        assert_eq!(bands, [Good, Good, Mixed, Mixed, Poor, Poor]);
    }

    #[test]
    fn the_worst_part_that_counts_decides_and_what_is_unknown_is_not_good() {
        let parts = |embeds, links, versions| Parts { embeds, links, versions, ..Parts::default() };
        assert_eq!(parts(Some(0.13), Some(1.0), None).band(false), Band::Poor);
        assert_eq!(parts(Some(1.0), Some(1.0), Some(0.77)).band(false), Band::Mixed);
        assert_eq!(parts(Some(1.0), Some(1.0), None).band(false), Band::Good);
        assert_eq!(parts(None, Some(1.0), None).band(false), Band::Good);
        assert_eq!(parts(Some(1.0), None, None).band(false), Band::CannotTell);
        assert_eq!(parts(None, None, None).band(false), Band::CannotTell);
        assert_eq!(parts(None, None, Some(0.99)).band(true), Band::CannotTell);
        assert_eq!(parts(None, None, Some(0.4)).band(true), Band::Poor);
        // Seeds tell where links do not, but not what lies behind unknown limits.
        let seeds = |seeds, limits_open| Parts { seeds: Some(seeds), limits_open, ..Parts::default() };
        assert_eq!(seeds(1.0, false).band(false), Band::Good);
        assert_eq!(seeds(0.34, false).band(false), Band::Poor);
        assert_eq!(seeds(1.0, true).band(false), Band::CannotTell);
        assert_eq!(seeds(0.34, true).band(true), Band::Poor);
    }

    #[test]
    fn one_capture_in_a_hundred_makes_a_record_poor() {
        let counts = RecordCounts { captures: 1000, checked: true, ..RecordCounts::default() };
        assert_eq!(counts.band(), Band::Good);
        assert_eq!(RecordCounts { contradictions: 10, ..counts }.band(), Band::Mixed);
        assert_eq!(RecordCounts { contradictions: 11, ..counts }.band(), Band::Poor);
        assert_eq!(RecordCounts { damage: 11, ..counts }.band(), Band::Poor);
        assert_eq!(RecordCounts { cut: 1, ..counts }.band(), Band::Mixed);
        assert_eq!(RecordCounts { cut: 1000, ..counts }.band(), Band::Poor);
        assert_eq!(RecordCounts { doubts: 900, ..counts }.band(), Band::Mixed);
        assert_eq!(RecordCounts { files: 1, ..counts }.band(), Band::Poor);
        assert_eq!(RecordCounts { checked: false, ..counts }.band(), Band::CannotTell);
    }
}
