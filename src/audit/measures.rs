//! What two audits do not measure alike, by their settings and by whether bodies were read. Of answers by two measures none is better
//! than the other.

use crate::audit::bands::links_not_in_records;
use crate::audit::model::{Audit, Question, SiteAudit};
use crate::audit::params::Stated;

/// Which measures two audits have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Measures {
    /// Captures make the same sites.
    pub sites: bool,
    /// Captures make the same pages.
    pub pages: bool,
    /// The same counts as a change.
    changes: bool,
    /// Pages weigh the same.
    pub importance: bool,
    /// Whether both audits count the same embeds.
    embeds: bool,
    /// The settings that differ and decide what is measured.
    pub settings: Vec<&'static str>,
}

impl Measures {
    pub(crate) fn of(then: &Audit, now: &Audit) -> Self {
        let (then, now) = (&then.parameters, &now.parameters);
        let differs: [(&'static str, bool); 8] = [
            ("canon", then.canon != now.canon),
            ("site by", then.site_by != now.site_by),
            ("pages", then.pages != now.pages),
            ("evidence", then.evidence != now.evidence),
            ("compare", then.compare != now.compare),
            ("ignore below", then.ignore_below != now.ignore_below),
            ("weights", then.weights != now.weights),
            ("embeds", embeds(then) != embeds(now)),
        ];
        let settings: Vec<&'static str> =
            differs.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect();
        let same = |names: &[&str]| !settings.iter().any(|name| names.contains(name));
        Measures {
            sites: same(&["site by"]) && then.site == now.site,
            pages: same(&["canon", "site by", "pages"]),
            changes: same(&["evidence", "compare", "ignore below"]),
            importance: same(&["weights"]),
            embeds: same(&["embeds"]),
            settings,
        }
    }

    /// Whether pages of a site count as changed and unchanged for the same reasons.
    pub(crate) fn compare_alike(&self, then: &SiteAudit, now: &SiteAudit) -> bool {
        self.pages && self.changes && !only_one_read(then, now)
    }

    /// Whether the same links and embeds of a site count.
    pub(crate) fn count_alike(&self, then: &SiteAudit, now: &SiteAudit) -> bool {
        self.pages && self.embeds && !only_one_read(then, now)
    }

    /// Whether the band of an answer about a site is by one measure.
    pub(crate) fn judge_alike(&self, question: Question, then: &SiteAudit, now: &SiteAudit) -> bool {
        match question {
            Question::Consistent => self.compare_alike(then, now) && self.importance,
            Question::Complete => self.count_alike(then, now),
            Question::Record => true,
        }
    }
}

/// Which embeds count; reports did not always say it.
fn embeds(stated: &Stated) -> &str {
    if stated.embeds.is_empty() { "all" } else { &stated.embeds }
}

/// Whether the bodies of the captures of a site were read. `None`: page records do not say it.
fn bodies_read(site: &SiteAudit) -> Option<bool> {
    let known = site.completeness.as_ref().filter(|_| !links_not_in_records(site))?;
    Some(known.links_unknown.is_none())
}

/// Whether one of two audits of a site read bodies, and the other took what an index or the archive declares of them.
pub(crate) fn only_one_read(then: &SiteAudit, now: &SiteAudit) -> bool {
    bodies_read(then).zip(bodies_read(now)).is_some_and(|(then, now)| then != now)
}
