//! Why something is missing: the reasons that sentences count, and that `--missing-only` takes.

use std::collections::{BTreeMap, HashSet};

use crate::audit::bands::{is_elsewhere, is_gone};
use crate::audit::model::{Excluded, LinkCompleteness, Missing, SiteAudit};
use crate::format::{number, was};
use crate::quality::link_completeness::TargetStatus;

/// How the reason of an error page with status 200 begins.
pub(crate) const ERROR_PAGE: &str = "looks like an error page";

/// Why something is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lost {
    /// Never requested.
    Untried,
    /// The server was overloaded or out of order, or did not answer at all: another request may be answered.
    Failed,
    /// The site itself no longer has it: 404 or 410.
    Gone,
    /// An error page with status 200.
    ErrorPage,
    /// A reference to a capture that is not here.
    Elsewhere,
    /// Any other response that cannot be used: refused, cut short, or a redirect that leads nowhere.
    NoContent,
    /// Left out on purpose.
    Excluded,
}

impl Lost {
    pub(crate) fn of(entry: &Missing) -> Self {
        match (entry.fate, entry.status) {
            (TargetStatus::Untried, _) => Lost::Untried,
            (TargetStatus::Excluded, _) => Lost::Excluded,
            _ if is_elsewhere(entry) => Lost::Elsewhere,
            _ if is_gone(entry) => Lost::Gone,
            (_, None | Some(408 | 425 | 429 | 500..=599)) => Lost::Failed,
            _ if entry.reason.starts_with(ERROR_PAGE) => Lost::ErrorPage,
            _ => Lost::NoContent,
        }
    }
}

/// What an archive lacks and a crawler may fetch, each URL once.
pub(crate) struct Wanting<'a> {
    /// The most needed first.
    pub missing: Vec<&'a Missing>,
    /// What was left out on purpose, and is not among the missing.
    pub excluded: Vec<&'a Excluded>,
}

impl<'a> Wanting<'a> {
    /// Of these fates; of all, where none is named. Of a site with several entries the last one counts: what a later crawl fetched
    /// is not missing.
    pub(crate) fn of(sites: &'a [SiteAudit], fates: &[Lost]) -> Self {
        let mut last: BTreeMap<&str, &SiteAudit> = BTreeMap::new();
        for site in sites {
            let held = last.entry(&site.site).or_insert(site);
            if site.window.to >= held.window.to {
                *held = site;
            }
        }
        let listed = last.values().flat_map(|site| site.missing.iter().flatten());
        let mut missing: Vec<&Missing> =
            listed.filter(|missing| fates.is_empty() || fates.contains(&Lost::of(missing))).collect();
        missing.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.url.cmp(&b.url)));
        let mut known = HashSet::new();
        missing.retain(|missing| known.insert(&missing.url));
        let found = last.values().filter_map(|site| site.completeness.as_ref());
        let mut excluded: Vec<&Excluded> = match fates.is_empty() || fates.contains(&Lost::Excluded) {
            true => found.flat_map(|found| &found.excluded).collect(),
            false => Vec::new(),
        };
        excluded.retain(|excluded| known.insert(&excluded.url));
        Wanting { missing, excluded }
    }
}

/// How many things are missing, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LostCounts {
    pub untried: u64,
    pub failed: u64,
    pub no_content: u64,
    pub error_pages: u64,
    pub elsewhere: u64,
    pub gone: u64,
}

impl LostCounts {
    /// Of the links, embeds or both that `found` counts, and that `which` chooses of the list of what is missing. What the list
    /// has no room for failed.
    pub(crate) fn of(site: &SiteAudit, found: &LinkCompleteness, which: impl Fn(&Missing) -> bool) -> Self {
        let mut left = found.failed;
        let mut some = |lost: Lost| {
            let entries = site.missing.iter().flatten().filter(|entry| which(entry));
            let many = (entries.filter(|entry| Lost::of(entry) == lost).count() as u64).min(left);
            left -= many;
            many
        };
        let gone = some(Lost::Gone);
        let elsewhere = some(Lost::Elsewhere);
        let error_pages = some(Lost::ErrorPage);
        let no_content = some(Lost::NoContent);
        LostCounts { untried: found.untried, failed: left, no_content, error_pages, elsewhere, gone }
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.untried += other.untried;
        self.failed += other.failed;
        self.no_content += other.no_content;
        self.error_pages += other.error_pages;
        self.elsewhere += other.elsewhere;
        self.gone += other.gone;
    }

    /// The reasons with their counts: `2 were never requested`, `1 failed`.
    pub(crate) fn words(&self) -> Vec<String> {
        let one_or =
            |many: u64, one: &'static str, several: &'static str| if many == 1 { one } else { several };
        let parts = [
            (self.untried, format!("{} never requested", was(self.untried))),
            (self.failed, "failed".to_owned()),
            (self.no_content, "gave no usable response".to_owned()),
            (
                self.error_pages,
                one_or(self.error_pages, "looks like an error page", "look like error pages").to_owned(),
            ),
            (
                self.elsewhere,
                one_or(
                    self.elsewhere,
                    "refers to a capture that is not here",
                    "refer to captures that are not here",
                )
                .to_owned(),
            ),
            (self.gone, format!("{} already gone from the site", was(self.gone))),
        ];
        let some = parts.into_iter().filter(|(many, _)| *many > 0);
        some.map(|(many, what)| format!("{} {what}", number(many))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::bands::ORIGINAL_ELSEWHERE;
    use crate::html::links::LinkKind;

    fn missing(fate: TargetStatus, status: Option<u16>, reason: &str) -> Missing {
        Missing {
            url: "http://a.example/x".to_owned(),
            kind: "link".to_owned(),
            used_as: LinkKind::Anchor,
            needed_by: None,
            pages: 1,
            weight: 1.0,
            fate,
            status,
            reason: reason.to_owned(),
            sitemap: None,
            found: None,
        }
    }

    #[test]
    fn what_may_answer_is_told_from_what_is_gone_refused_or_elsewhere() {
        use TargetStatus::{Excluded, Failed, Untried};
        let of = |fate, status, reason| Lost::of(&missing(fate, status, reason));
        assert_eq!(of(Untried, None, ""), Lost::Untried);
        assert_eq!(of(Excluded, None, ""), Lost::Excluded);
        assert_eq!(of(Failed, Some(503), ""), Lost::Failed);
        assert_eq!(of(Failed, None, "no connection"), Lost::Failed);
        assert_eq!(of(Failed, Some(404), ""), Lost::Gone);
        assert_eq!(of(Failed, Some(410), ""), Lost::Gone);
        assert_eq!(of(Failed, Some(403), ""), Lost::NoContent);
        assert_eq!(of(Failed, Some(302), ""), Lost::NoContent);
        assert_eq!(of(Failed, Some(200), "looks like an error page"), Lost::ErrorPage);
        assert_eq!(of(Failed, Some(200), ORIGINAL_ELSEWHERE), Lost::Elsewhere);
    }

    #[test]
    fn reasons_are_told_with_their_counts() {
        let counts = LostCounts { untried: 2, failed: 1, error_pages: 1, gone: 3, ..LostCounts::default() };
        assert_eq!(
            counts.words(),
            [
                "2 were never requested",
                "1 failed",
                "1 looks like an error page",
                "3 were already gone from the site"
            ]
        );
    }
}
