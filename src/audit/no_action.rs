//! Why there is nothing to do: all three answers are good, or nothing that could be done would help.

use crate::audit::bands::{self, is_gone};
use crate::audit::closer_captures::{anew, gone};
use crate::audit::model::{Answer, Answers, Band, SiteAudit};
use crate::format::part_of;

/// What is said in place of actions.
pub(crate) fn said(answers: &Answers, sites: &[SiteAudit]) -> String {
    let Answers { consistent, complete, record } = answers;
    if [consistent, complete, record].iter().all(|answer| is(answer, &[Band::Good])) {
        return "Nothing to do: all three answers are good.".to_owned();
    }
    let lacks = |answer: &Answer| is(answer, &[Band::Poor, Band::Mixed]);
    let reasons = [
        lacks(consistent).then(|| of_consistency(sites)),
        lacks(complete).then(|| of_completeness(sites).to_owned()),
        lacks(record).then(|| "no capture mends what is doubtful in the record".to_owned()),
    ];
    let reasons: Vec<String> = reasons.into_iter().flatten().collect();
    match reasons.is_empty() {
        true => "Nothing that helps is known from this archive.".to_owned(),
        false => format!("Nothing that helps is known: {}.", reasons.join("; ")),
    }
}

/// Whether an answer, or that about one of several sites, is in one of these bands.
fn is(answer: &Answer, bands: &[Band]) -> bool {
    match answer.sites {
        Some(sites) => {
            let known = Band::ALL.into_iter().filter(|band| sites.get(*band) > 0);
            let mut in_them = known.map(|band| bands.contains(&band));
            if bands == [Band::Good] { in_them.all(|is_in| is_in) } else { in_them.any(|is_in| is_in) }
        }
        None => answer.band.is_some_and(|band| bands.contains(&band)),
    }
}

/// Why no crawl makes the pages more consistent.
fn of_consistency(sites: &[SiteAudit]) -> String {
    let is_lacking = |site: &&SiteAudit| matches!(bands::consistent(site), Band::Poor | Band::Mixed);
    let sum = |of: &dyn Fn(&SiteAudit) -> u64| sites.iter().filter(is_lacking).map(of).sum::<u64>();
    let changed = sum(&|site| site.pages.changed);
    let anew = sum(&anew);
    let which = format!("{} that changed", part_of(changed, changed, "page"));
    let (are, them) = if changed == 1 { ("is", "it") } else { ("are", "them") };
    match changed {
        0 => "pages without two captures that match cannot be judged".to_owned(),
        many if anew == many => {
            format!("{which} {are} probably generated for each request, so no order of crawling helps")
        }
        many if sum(&gone) == many => {
            format!("{which} {are} gone from the site, and no crawl brings {them} back")
        }
        _ => "no other order of crawling keeps more pages together at this pace".to_owned(),
    }
}

/// Why nothing more can be captured.
fn of_completeness(sites: &[SiteAudit]) -> &'static str {
    let missing = || sites.iter().flat_map(|site| site.missing.iter().flatten());
    match missing().next() {
        None => {
            "versions that were missed cannot be captured any more, and only more frequent crawls would hold more of those to come"
        }
        Some(_) if missing().all(is_gone) => "what is missing is gone from the site",
        Some(_) => "what is missing was requested, and another request is not expected to bring it",
    }
}
