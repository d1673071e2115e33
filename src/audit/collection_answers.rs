//! The answers of several sites together: how many are good, mixed, poor, or cannot be judged, and why; and what became of the
//! seeds of all, also of those on sites without any capture.

use std::collections::{BTreeMap, BTreeSet};

use crate::audit::answers;
use crate::audit::bands::{self, Open, Parts};
use crate::audit::completeness_figure::{Figure, Of, counted};
use crate::audit::missing_reason::LostCounts;
use crate::audit::model::{Answer, Band, BandCounts, Outside, SiteAnswers, SiteAudit, SiteSeeds, noun};
use crate::format::{count, list, number, plural, was};
use crate::time::Interval;

/// What became of all seeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AllSeeds {
    pub all: SiteSeeds,
    /// How many were not reached on sites without any page here.
    pub elsewhere: u64,
}

impl AllSeeds {
    /// From what became of all, and of those of each site.
    pub(crate) fn of(all: SiteSeeds, sites: &[SiteAudit]) -> Self {
        let lacking = |seeds: SiteSeeds| seeds.total.saturating_sub(seeds.reached);
        let mut names: BTreeSet<&str> = BTreeSet::new();
        let first = sites.iter().filter(|site| names.insert(&site.site));
        let of_sites = first.filter_map(|site| site.completeness.as_ref()?.seeds).map(lacking).sum();
        AllSeeds { all, elsewhere: lacking(all).saturating_sub(of_sites) }
    }

    /// How many were not reached.
    pub(crate) fn lacking(self) -> u64 {
        self.all.total.saturating_sub(self.all.reached)
    }

    /// Where those that were not reached are, if no site here tells.
    fn told(self) -> Option<String> {
        let are = if self.elsewhere == 1 { "is" } else { "are" };
        let seeds = count(self.elsewhere, "seed");
        (self.elsewhere > 0).then(|| format!("{seeds} {are} of sites without any page here."))
    }
}

/// The answers of several sites, counted by band; `verdict` says why there are none. `shown` is the period that a reader has seen.
pub(crate) fn of_sites(
    sites: &[SiteAudit],
    seeds: Option<AllSeeds>,
    verdict: &str,
    shown: Option<Interval>,
) -> (Answer, Answer) {
    if let [only] = sites {
        let complete = match seeds.filter(|seeds| seeds.elsewhere > 0) {
            Some(seeds) => {
                let mut answer = answers::complete(only, Some(seeds.all));
                answer.reasons.extend(seeds.told());
                Answer { sentence: answer.reasons.join(" "), ..answer }
            }
            None => only.answers.complete.clone(),
        };
        let consistent = &only.answers.consistent;
        let consistent =
            shown.map_or_else(|| consistent.clone(), |shown| answers::dated(consistent, only, shown));
        return (consistent, complete);
    }
    let bands = |which: fn(&SiteAnswers) -> &Answer| {
        BandCounts::of(sites.iter().filter_map(|site| which(&site.answers).band))
    };
    let whole = |counts: BandCounts, reasons: Vec<String>| match sites {
        [] => {
            let reasons = vec![verdict.to_owned()];
            Answer {
                band: Some(Band::CannotTell),
                share: None,
                sentence: reasons.join(" "),
                reasons,
                sites: None,
            }
        }
        _ => Answer { band: None, share: None, sentence: reasons.join(" "), reasons, sites: Some(counts) },
    };
    let noun = noun(sites);
    let consistent = bands(|answers| &answers.consistent);
    let complete = bands(|answers| &answers.complete);
    let mut why_complete = why_complete(sites, noun);
    if let Some(seeds) = seeds.filter(|seeds| seeds.lacking() > 0) {
        why_complete.extend(answers::reached(Some(seeds.all)));
        why_complete.extend(seeds.told());
    }
    (whole(consistent, vec![why_consistent(sites, consistent, noun)]), whole(complete, why_complete))
}

/// Whether an answer is neither good nor open.
fn is_lacking(answer: &Answer) -> bool {
    matches!(answer.band, Some(Band::Poor | Band::Mixed))
}

/// Why sites are not consistent, or cannot be judged: what holds for most of them.
fn why_consistent(sites: &[SiteAudit], counts: BandCounts, noun: &str) -> String {
    if counts.cannot_tell == sites.len() as u64 {
        return format!("No {noun} has enough pages with two captures.");
    }
    if counts.cannot_tell * 2 > sites.len() as u64 {
        return format!("Most {} have too few pages with two captures to compare.", plural(noun));
    }
    let lacking: Vec<&SiteAudit> = sites.iter().filter(|site| is_lacking(&site.answers.consistent)).collect();
    if lacking.is_empty() {
        return match counts.cannot_tell {
            0 => format!("Of every {noun}, nearly all pages were online together."),
            1 => format!("1 {noun} has too few pages with two captures to compare."),
            many => format!("{} have too few pages with two captures to compare.", count(many, noun)),
        };
    }
    // All that changed, also where a version of it was online together with the others.
    let mut sum = Outside::default();
    for site in &lacking {
        sum.changed += site.pages.changed;
        sum.single += site.pages.single;
        sum.unknown += site.pages.unknown;
        sum.unchanged += answers::outside(site).unchanged;
    }
    let parts: Vec<String> = [
        (sum.changed, "changed".to_owned()),
        (sum.single, format!("{} captured once", was(sum.single))),
        (sum.unknown, "cannot be compared".to_owned()),
        (sum.unchanged, format!("{} unchanged at another time", was(sum.unchanged))),
    ]
    .into_iter()
    .filter(|(many, _)| *many > 0)
    .map(|(many, what)| format!("{} {what}", number(many)))
    .collect();
    let pages = lacking.iter().map(|site| site.pages.total).sum();
    let (on, of_pages) = (of(lacking.len(), sites.len(), noun), count(pages, "page"));
    format!("Of the {of_pages} of {on}, {}.", list(&parts))
}

/// `7 sites`, `all sites`.
fn of(some: usize, all: usize, noun: &str) -> String {
    if some == all { format!("all {}", plural(noun)) } else { count(some as u64, noun) }
}

/// Why sites are not complete, by what decided their bands; and why others cannot be judged.
fn why_complete(sites: &[SiteAudit], noun: &str) -> Vec<String> {
    let lacking: Vec<&SiteAudit> = sites.iter().filter(|site| is_lacking(&site.answers.complete)).collect();
    let said: Vec<String> =
        why_lacking(&lacking, sites.len(), noun).into_iter().chain(why_open(sites, noun)).collect();
    if said.is_empty() {
        return vec![format!("Of every {noun}, nearly all linked pages and embedded files were captured.")];
    }
    said
}

/// What decided that sites are not complete.
fn why_lacking(lacking: &[&SiteAudit], all: usize, noun: &str) -> Option<String> {
    let (mut lost, mut links, mut embeds) = (LostCounts::default(), 0, 0);
    let (mut with_lost, mut versions) = (0, 0);
    for site in lacking {
        let parts = Parts::of(site);
        versions += usize::from(parts.versions.is_some() && parts.versions == parts.worst());
        let Some(figure) = Figure::of(site) else { continue };
        let of = figure.shown(&parts, parts.band(bands::links_unknown(site))).of;
        let counted_parts = [
            ("link", figure.links, &mut links, matches!(of, Of::Links | Of::All)),
            ("embed", figure.embeds, &mut embeds, matches!(of, Of::Embeds | Of::All)),
        ];
        let before = lost;
        for (kind, found, total, decides) in counted_parts {
            if decides {
                *total += counted(&found);
                lost.add(LostCounts::of(site, &found, |entry| entry.kind == kind));
            }
        }
        with_lost += usize::from(lost != before);
    }
    let total = links + embeds;
    let things = match (links, embeds) {
        (_, 0) => count(links, "linked page"),
        (0, _) => count(embeds, "embedded file"),
        _ => format!("{} linked pages and embedded files", number(total)),
    };
    let missing = lost.words();
    let files = (!missing.is_empty()).then(|| match lost.untried == total && total > 1 {
        true => format!("none of {things} was ever requested"),
        false => format!("of {things}, {}", list(&missing)),
    });
    let some_of = |some: usize| of(some, all, noun);
    let (first, then) = if noun == "site" { ("On", "on") } else { ("In", "in") };
    Some(match (files, versions) {
        (None, 0) if lacking.is_empty() => return None,
        (None, 0) => format!("Seeds of some {} were not reached.", plural(noun)),
        (None, _) => format!("{first} {}, versions of pages were missed.", some_of(versions)),
        (Some(files), 0) => format!("{first} {}, {files}.", some_of(with_lost)),
        (Some(files), versions) => format!(
            "{first} {}, {files}; {then} {}, versions of pages were missed.",
            some_of(with_lost),
            some_of(versions)
        ),
    })
}

/// Why it cannot be told whether sites are complete: the reason that most of them have.
fn why_open(sites: &[SiteAudit], noun: &str) -> Option<String> {
    let mut reasons: BTreeMap<Open, u64> = BTreeMap::new();
    for open in sites.iter().filter_map(bands::open) {
        *reasons.entry(open).or_default() += 1;
    }
    let (open, many) = reasons.into_iter().max_by_key(|(open, many)| (*many, std::cmp::Reverse(*open)))?;
    let who = match many {
        many if many == sites.len() as u64 => format!("The {}", plural(noun)),
        many if many * 2 > sites.len() as u64 => format!("Most {}", plural(noun)),
        many => count(many, noun),
    };
    let verb = |one: &'static str, several: &'static str| if who.starts_with("1 ") { one } else { several };
    Some(match open {
        Open::Index => {
            format!("{who} {} known only from an index, which does not list links.", verb("is", "are"))
        }
        Open::Records => "Page records hold no links.".to_owned(),
        Open::Unread => "Bodies were not read, so links are unknown.".to_owned(),
        Open::Limits => {
            let (does, their) = (verb("does", "do"), verb("its", "their"));
            format!("{who} {does} not record what {their} crawl was meant to cover.")
        }
        Open::NoLinks => {
            format!("{who} {} no links between {} pages.", verb("has", "have"), verb("its", "their"))
        }
    })
}
