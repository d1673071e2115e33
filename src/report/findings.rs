//! Findings as sentences.

use super::layout::{UNKNOWN, shorten};
use crate::audit::model::{Audit, SiteAudit};
use crate::format::{clock, count, duration, figure, number, percent};
use crate::problem::Level;
use crate::time::Interval;

/// Maximum number of kinds of problems listed, each with its first place.
const PROBLEMS: usize = 5;

/// The longest URL or path that a sentence has whole: more does not fit a line.
const NAME: usize = 76;

/// What a curator should know of one site; what is in order is not mentioned.
pub(crate) fn of_site(audit: &Audit, site: &SiteAudit) -> Vec<String> {
    let findings = &site.findings;
    let mut notes = Vec::new();
    let one_crawl = audit.parameters.crawls != "whole";
    if one_crawl && findings.changed_mid_crawl_pages > 0 {
        notes.push(format!(
            "{} changed between two captures of one crawl",
            count(findings.changed_mid_crawl_pages, "page")
        ));
    }
    if let Some(passes) = findings.passes {
        notes.push(format!(
            "fetched in two or more passes, the second from {} on: {} of {} were captured before it and since",
            clock(passes.second_from),
            passes.in_both,
            count(passes.pages, "page")
        ));
    }
    notes.extend(of_rates(site));
    if let Some(span) = findings.replay_span {
        let seconds = Interval { from: span.from, to: span.to }.seconds();
        if seconds > 0.0 {
            notes.push(format!(
                "a replay for {} mixes captures that are up to {} apart",
                clock(span.at),
                duration(seconds)
            ));
        }
    }
    if findings.folders.len() > 1 {
        let worst: Vec<String> = findings
            .folders
            .iter()
            .take(3)
            .filter_map(|folder| {
                folder.share.map(|share| format!("{} {}", shorten(&folder.folder, 28), percent(share)))
            })
            .collect();
        if !worst.is_empty() {
            notes.push(format!(
                "folders furthest from what was online, by their share of the blur: {}",
                worst.join(", ")
            ));
        }
    }
    let skew = &findings.clock_skew;
    if skew.skewed > 0 {
        notes.push(format!(
            "the server's clock is off by more than a minute in {} of {}, by {} at most",
            number(skew.skewed),
            count(skew.dated, "response"),
            skew.worst_seconds.map_or_else(|| UNKNOWN.to_owned(), |seconds| duration(seconds.abs()))
        ));
    }
    let contradicted = &findings.contradicted_last_modified;
    if contradicted.pages > 0 {
        notes.push(format!(
            "the Last-Modified of {} contradicts what was captured and is not used",
            count(contradicted.pages, "page")
        ));
    }
    if findings.unresolved_revisits > 0 {
        notes.push(format!(
            "{} not here: add the archives with the originals",
            match findings.unresolved_revisits {
                1 => "1 revisit refers to a capture that is".to_owned(),
                many => format!("{} revisits refer to captures that are", number(many)),
            }
        ));
    }
    if findings.cut_captures > 0 {
        notes.push(match findings.cut_captures {
            1 => "1 capture is cut short: it holds only the beginning of what the server sent".to_owned(),
            many => format!(
                "{} are cut short: they hold only the beginning of what the server sent",
                count(many, "capture")
            ),
        });
    }
    let duplicates = &findings.duplicates;
    if let Some(ratio) = duplicates.ratio.filter(|ratio| *ratio > 0.0) {
        notes.push(format!(
            "{} of {} of all kinds repeat a body: {} stored as revisits, {} stored again in full",
            percent(ratio),
            count(duplicates.captures, "capture"),
            duplicates.revisits,
            duplicates.stored_again
        ));
    }
    if let Some(first) = findings.soft404.first() {
        notes.push(format!(
            "{} despite status 200{} {}: {}; by the papers' rule (same content as an address that does not exist): {}; \
             by words, repeated short pages or redirects alone: {}",
            match findings.soft404_urls {
                1 => "1 URL looks like an error page".to_owned(),
                many => format!("{} URLs look like error pages", number(many)),
            },
            if findings.soft404_urls == 1 { "," } else { ", such as" },
            shorten(&first.url, NAME),
            first.reason,
            number(findings.soft404_by_paper),
            number(findings.soft404_urls.saturating_sub(findings.soft404_by_paper))
        ));
    }
    if findings.compared_without_text > 0 {
        notes.push(format!(
            "{} reached by comparing bytes, since no text could be read",
            count(findings.compared_without_text, "verdict")
        ));
    }
    let odd: Vec<String> = findings
        .other_responses()
        .into_iter()
        .take(5)
        .map(|(status, captures)| match status {
            Some(status) => format!("{} × {status}", number(captures)),
            None => format!("{} without a status", number(captures)),
        })
        .collect();
    if !odd.is_empty() {
        notes.push(format!("other responses: {}", odd.join(", ")));
    }
    notes
}

/// Whether the change rates can be trusted.
fn of_rates(site: &SiteAudit) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(check) = site.rates.check {
        let seen = format!("{} of {} changed between captures", check.changed, count(check.pages, "page"));
        if let Some(expected) = check.expected_by_stamps {
            // The model that rates follow from dates is refuted, not the dates: those may all be true.
            let expected = match expected.round() as u64 {
                0 => "under 1 change".to_owned(),
                some => format!("about {}", count(some, "change")),
            };
            notes.push(format!(
                "change rates estimated from Last-Modified alone expected {expected}; {} of {} changed. Rates were taken from \
                 captures",
                number(check.changed),
                count(check.pages, "page")
            ));
        }
        if !check.agrees {
            notes.push(format!(
                "{seen}, but by their rates {} would have been expected: the model of change does not fit this site; rates, and \
                 the blur, versions, chances and next crawl that rest on them, are not to be trusted",
                figure(check.expected)
            ));
        }
    }
    let anew = &site.findings.made_anew;
    if let (Some(seconds), Some(first)) = (anew.shortest_seconds, anew.examples.first()) {
        let (how, guess) = match (anew.is_per_request(), anew.pages) {
            (false, _) => ("at every capture, even", ""),
            (true, 1) => ("even", "probably generated for each request, or by several servers, "),
            (true, _) => (
                "within a minute or at every one of many captures, even",
                "probably generated for each request, or by several servers, ",
            ),
        };
        notes.push(format!(
            "{} {how} at captures {} apart, such as {}: {guess}so captures do not show how often {}; \
             --compare text compares only the visible text",
            match anew.pages {
                1 => "1 page differs".to_owned(),
                number => format!("{number} pages differ"),
            },
            duration(seconds),
            shorten(first, NAME),
            if anew.pages == 1 { "it changes" } else { "they change" },
        ));
    }
    notes
}

/// Which figures lack what, where bodies of captures cannot be read again.
pub(crate) fn lacking_bodies(audit: &Audit) -> Option<String> {
    let captures: u64 = audit.inputs.iter().filter_map(|input| input.unreadable_bodies).sum();
    (captures > 0).then(|| {
        format!(
            "The bodies of {} cannot be read again, because the archives are not where the index says, have changed since, or \
             came through a pipe. How much their changes matter is unknown, and blank responses, repeated error pages and what \
             robots.txt forbids are not recognised in them.",
            count(captures, "capture")
        )
    })
}

/// What a curator should know of the archive as a whole.
pub(crate) fn of_archive(audit: &Audit) -> Vec<String> {
    let mut notes = Vec::new();
    let grave = || audit.summary.problems.iter().filter(|problem| problem.level != Level::Note);
    for problem in grave().take(PROBLEMS) {
        let level = problem.level.word();
        let first = audit
            .problems
            .iter()
            .find(|found| found.level == problem.level && found.kind == problem.kind)
            .map(|found| {
                let at =
                    found.offset.map(|offset| format!(" at byte {}", number(offset))).unwrap_or_default();
                format!(": {} ({}{at})", found.message, shorten(&found.file, NAME))
            })
            .unwrap_or_default();
        let times = if problem.count == 1 { String::new() } else { format!(", {} times", problem.count) };
        notes.push(format!("{level} {}{times}{first}", problem.kind));
    }
    if grave().count() > PROBLEMS {
        let more = grave().count() - PROBLEMS;
        let kinds = if more == 1 { "kind" } else { "kinds" };
        notes.push(format!("{more} more {kinds} of problems; --problems FILE has them all"));
    }
    let left_out = &audit.summary.left_out;
    let parts: Vec<String> = [
        (left_out.other_methods, "by other methods than GET"),
        (left_out.other_schemes, "of other schemes than http"),
        (left_out.undated, "without a date"),
        (left_out.indexed_twice, "indexed twice"),
        (left_out.records_twice, "recorded twice"),
    ]
    .into_iter()
    .filter(|(many, _)| *many > 0)
    .map(|(many, what)| format!("{} {what}", number(many)))
    .collect();
    if !parts.is_empty() {
        let whose = if audit.parameters.site.is_some() { " of all sites" } else { "" };
        notes.push(format!("captures{whose} that were left out: {}", parts.join(", ")));
    }
    notes
}
