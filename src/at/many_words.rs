//! The answer about several pages, and the one word for any answer.

use std::collections::BTreeSet;

use crate::at::date::{AskedDate, clock, span_words};
use crate::at::facts::Facts;
use crate::at::model::{At, PageAt, Part, SiteVerdict};
use crate::at::words::status_words;
use crate::time::Interval;

/// Several pages.
pub(super) fn answer(at: &At, facts: &Facts, date: &AskedDate) -> String {
    let (counts, noun) = (&at.counts, date.noun);
    let all = if counts.pages == 2 { "both".to_owned() } else { format!("all {}", counts.pages) };
    let (shown, is_whole) = (counts.proven - counts.absent, at.parts.len() == 1);
    let other = if facts.unused { "no other version that has a date" } else { "nothing else" };
    let mut answer = match at.verdict {
        SiteVerdict::Coherent if counts.absent == 0 => format!(
            "Yes. For {all} pages the archive shows the same content before and after that {noun}, and {other} between."
        ),
        SiteVerdict::Coherent if shown == 0 => {
            format!(
                "No page was there: {all} addresses answered {} before and after that {noun}.",
                statuses(at)
            )
        }
        SiteVerdict::Coherent => format!(
            "Yes, for {shown} of {} pages: the archive shows the same content before and after that {noun}, and {other} \
             between.",
            counts.pages
        ),
        SiteVerdict::NotCoherent if is_whole => late(at, date),
        SiteVerdict::NotCoherent => format!(
            "No, for part of that {noun}. For {} of {} pages the first record holds a version that, by the server's own \
             Last-Modified, was last changed after that {noun} began.",
            counts.late, counts.pages
        ),
        SiteVerdict::NotProvable => format!(
            "The archive does not settle this for all pages: it shows the same content before and after that {noun} for {shown} \
             of {}.",
            counts.pages
        ),
    };
    if counts.absent > 0 && (at.verdict != SiteVerdict::Coherent || shown > 0) {
        answer += &format!(
            " For {} the address answered {} before and after that {noun}, not with the page.",
            counts.absent,
            statuses(at)
        );
    }
    if !is_whole {
        let spans = at.parts.iter().filter(|part| part.verdict == SiteVerdict::Coherent);
        let spans: Vec<String> =
            spans.map(|part| span_words(Interval { from: part.from, to: part.to }, clock)).collect();
        answer += &match spans.as_slice() {
            [] => format!(" There is no part of that {noun} for which it is proven for all pages."),
            [one] => format!(" For all pages it is proven for part of that {noun}: {one}."),
            [first, .., last] => format!(
                " For all pages it is proven for {} parts of that {noun}, the first {first}, the last {last}.",
                spans.len()
            ),
        };
    }
    answer
}

/// For some pages the version nearest the date was last changed later, or within it, at any instant of the date.
fn late(at: &At, date: &AskedDate) -> String {
    let noun = date.noun;
    let is_later = |page: &PageAt| page.began_after.is_some_and(|began| began > date.span.to);
    let is_late = |page: &PageAt| page.verdict == SiteVerdict::NotCoherent && is_later(page);
    let later = at.pages.iter().filter(|page| is_late(page)).count() as u64;
    let (within, pages) = (at.counts.late.saturating_sub(later), at.counts.pages);
    let nearest = format!(
        "pages the record nearest that {noun} holds a version that, by the server's own Last-Modified, was last changed"
    );
    match (later, within) {
        (_, 0) => format!("No. For {later} of {pages} {nearest} later than that {noun}."),
        (0, _) => format!("No. For {within} of {pages} {nearest} only within that {noun}."),
        _ => format!(
            "No. For {later} of {pages} {nearest} later than that {noun}; for {within} more it was last changed only within it."
        ),
    }
}

/// What addresses answered that did not answer with the page.
fn statuses(at: &At) -> String {
    let mut found: BTreeSet<u16> = BTreeSet::new();
    for page in at.pages.iter().filter(|page| page.is_absent()) {
        found.extend(page.shown.iter().filter_map(|part| part.status));
    }
    found.into_iter().map(status_words).collect::<Vec<_>>().join(" or ")
}

/// The answer in one or two words: the same as its first sentence.
pub(crate) fn word(at: &At) -> String {
    let has = |verdict| at.parts.iter().any(|part| part.verdict == verdict);
    let shown = at.pages.only().map(|page| page.shown.iter());
    match (at.verdict, shown) {
        (SiteVerdict::Coherent, _) if at.counts.absent == 0 => "yes".to_owned(),
        (SiteVerdict::Coherent, _) if at.counts.absent < at.counts.pages => "yes, for some pages".to_owned(),
        (SiteVerdict::Coherent, _) => statuses(at),
        (_, Some(shown)) if shown.clone().any(|part| part.is_page()) => "yes, for part".to_owned(),
        (_, Some(mut shown)) if has(SiteVerdict::Coherent) => {
            let status = shown.find_map(|part| part.status);
            format!("{}, for part", status.map_or_else(|| "no page".to_owned(), status_words))
        }
        (SiteVerdict::NotCoherent, _) if at.parts.len() > 1 => "no, for part".to_owned(),
        (verdict, _) => verdict.words().to_owned(),
    }
}

/// The answer for a part of the time, in a few words.
pub(crate) fn part_word(at: &At, part: &Part) -> String {
    let is_here = |page: &PageAt| {
        let mut shown = page.shown.iter();
        shown.find(|shown| shown.from <= part.from && part.from <= shown.to).and_then(|shown| shown.status)
    };
    match (part.verdict, at.pages.only()) {
        (SiteVerdict::Coherent, Some(page)) => is_here(page).map_or_else(|| "yes".to_owned(), status_words),
        (SiteVerdict::Coherent, _) => "proven for all pages".to_owned(),
        (verdict, _) => verdict.words().to_owned(),
    }
}
