//! The answers of several sites together: how many are good, mixed, poor, or cannot be judged, and why most of these cannot.

use std::collections::BTreeMap;

use crate::audit::bands::{self, Open};
use crate::audit::model::{Answer, Band, BandCounts, SiteAnswers, SiteAudit};
use crate::format::{count, list, number};

/// The answers of several sites, counted by band; `verdict` says why there are none.
pub(crate) fn of_sites(sites: &[SiteAudit], verdict: &str) -> (Answer, Answer) {
    if let [only] = sites {
        return (only.answers.consistent.clone(), only.answers.complete.clone());
    }
    let bands = |which: fn(&SiteAnswers) -> &Answer| {
        BandCounts::of(sites.iter().filter_map(|site| which(&site.answers).band))
    };
    let consistent = bands(|answers| &answers.consistent);
    let complete = bands(|answers| &answers.complete);
    let counted = |counts: BandCounts, what: &str| {
        let parts: Vec<String> = Band::ALL
            .into_iter()
            .filter(|band| counts.get(*band) > 0)
            .map(|band| match band {
                Band::CannotTell => format!("{} cannot be judged", number(counts.get(band))),
                other => format!(
                    "{} {} {}",
                    number(counts.get(band)),
                    if counts.get(band) == 1 { "is" } else { "are" },
                    other.name()
                ),
            })
            .collect();
        match parts.is_empty() {
            true => vec![verdict.to_owned()],
            false => vec![format!("{what}, of {}: {}.", count(sites.len() as u64, "site"), list(&parts))],
        }
    };
    let whole = |counts: BandCounts, what: &str, why: Option<String>| {
        let mut reasons = counted(counts, what);
        reasons.extend(why);
        let sites = (!sites.is_empty()).then_some(counts);
        let band = sites.is_none().then_some(Band::CannotTell);
        Answer { band, share: None, sentence: reasons.join(" "), reasons, sites }
    };
    let most = |many: u64| many * 2 > sites.len() as u64;
    let too_few = most(consistent.cannot_tell)
        .then(|| "Most sites have too few pages with two captures to compare.".to_owned());
    (
        whole(consistent, "Consistent", too_few),
        whole(complete, "Complete", most(complete.cannot_tell).then(|| why_open(sites)).flatten()),
    )
}

/// Why it cannot be told whether sites are complete: the reason that most of them have.
fn why_open(sites: &[SiteAudit]) -> Option<String> {
    let mut reasons: BTreeMap<Open, u64> = BTreeMap::new();
    for open in sites.iter().filter_map(bands::open) {
        *reasons.entry(open).or_default() += 1;
    }
    let (open, many) = reasons.into_iter().max_by_key(|(open, many)| (*many, std::cmp::Reverse(*open)))?;
    let who = match many {
        many if many == sites.len() as u64 => "The sites".to_owned(),
        many if many * 2 > sites.len() as u64 => "Most sites".to_owned(),
        many => count(many, "site"),
    };
    Some(match open {
        Open::Index => format!("{who} are known only from an index, which does not list links."),
        Open::Records => "Page records hold no links.".to_owned(),
        Open::Unread => "Bodies were not read, so links are unknown.".to_owned(),
        Open::Limits => format!("{who} do not record what their crawl was meant to cover."),
        Open::NoLinks => format!("{who} have no links between their pages."),
    })
}
