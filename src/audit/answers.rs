//! The two answers of a site, in a sentence each: are its pages consistent, and is it complete?

use crate::audit::bands::{self, Parts};
use crate::audit::completeness_figure::{Figure, MIN_FOR_PERCENT, Of, counted, together};
use crate::audit::missing_reason::LostCounts;
use crate::audit::model::{
    Answer, Band, Content, LinkCompleteness, Missing, Outside, PageAudit, SiteAnswers, SiteAudit, SiteSeeds,
};
use crate::change::run::PageState;
use crate::format::{all, clock, count, list, local, number, part_of, percent, times, was};
use crate::time::Interval;

/// Changes within a window of this many seconds happened "during the crawl".
const ONE_CRAWL: f64 = 2.0 * 86_400.0;

/// The answers of one site.
/// `absent` is the weightiest page that is not proven at the best instant.
pub(crate) fn of_site(site: &SiteAudit, absent: Option<&PageAudit>) -> SiteAnswers {
    let seeds = site.completeness.as_ref().and_then(|found| found.seeds);
    SiteAnswers {
        consistent: consistent(site, absent),
        complete: complete(site, seeds),
        ..SiteAnswers::default()
    }
}

/// Whether a page that is not proven at the best instant weighs more than the one known so far.
pub(crate) fn is_absent(page: &PageAudit, known: Option<&PageAudit>) -> bool {
    let is_heavier = |known: &PageAudit| {
        page.weight.total_cmp(&known.weight).then_with(|| known.url.cmp(&page.url)).is_ge()
    };
    page.in_best == Some(false) && page.error_page.is_none() && known.is_none_or(is_heavier)
}

fn sentence(sentences: Vec<String>) -> (String, Vec<String>) {
    (sentences.join(" "), sentences)
}

fn answer(band: Band, share: Option<f64>, sentences: Vec<String>) -> Answer {
    let (sentence, reasons) = sentence(sentences);
    Answer { band: Some(band), share, sentence, reasons, sites: None }
}

/// `21 of 26 pages (81%)`; without the percentage where they are few. All of them are `The page`, `Both pages`, `All 26 pages`.
pub(crate) fn of(part: u64, whole: u64, noun: &str) -> String {
    if part == whole && whole > 0 {
        return all(whole, noun);
    }
    let share = if whole >= MIN_FOR_PERCENT {
        format!(" ({})", percent(part as f64 / whole as f64))
    } else {
        String::new()
    };
    format!("{} of {}{share}", number(part), count(whole, noun))
}

/// Pages that are not consistent, by state: `4 changed during the crawl and 1 was captured once`. Where pages changed that were
/// online together with others, all that changed are accounted for.
fn others(site: &SiteAudit) -> Vec<String> {
    let pages = outside(site);
    let together = site.pages.changed.saturating_sub(pages.changed);
    let states = [
        (pages.changed, changed(&pages, during(site))),
        (pages.single, format!("{} captured once", was(pages.single))),
        (pages.unknown, "cannot be compared".to_owned()),
        (pages.unchanged, format!("{} unchanged at another time", was(pages.unchanged))),
    ];
    let all: u64 = states.iter().map(|(many, _)| many).sum();
    let parts: Vec<String> = states
        .iter()
        .filter(|(many, _)| *many > 0)
        .map(|(many, what)| format!("{} {what}", number(*many)))
        .collect();
    let mut sentences = Vec::new();
    match (all, together, &states.iter().filter(|(many, _)| *many > 0).collect::<Vec<_>>()[..]) {
        (0, ..) => {}
        (_, 0, _) => sentences.push(format!("{}.", list(&parts))),
        (1, _, [(_, what)]) => sentences.push(format!("The other one {what}.")),
        (all, _, [(_, what)]) => sentences.push(format!("The other {} {what}.", number(all))),
        (all, ..) => sentences.push(format!("Of the other {}, {}.", number(all), list(&parts))),
    }
    if together > 0 {
        let best = number(site.coherence.best.pages);
        sentences.push(format!("{} of the {best} changed before or after.", number(together)));
    }
    sentences
}

/// The pages that are not proven at the best moment; all of them, where there is no such moment.
pub(crate) fn outside(site: &SiteAudit) -> Outside {
    let pages = &site.pages;
    let is_proven = site.coherence.best.pages > 1 || pages.total == 1;
    site.coherence.outside.filter(|_| is_proven).unwrap_or(Outside {
        unchanged: 0,
        changed: pages.changed,
        changed_in_markup_only: pages.changed_in_markup_only,
        single: pages.single,
        unknown: pages.unknown,
    })
}

/// "changed", with how many of these pages did so only in their markup.
pub(crate) fn changed(pages: &Outside, during: &str) -> String {
    match (pages.changed_in_markup_only, pages.changed) {
        (0, _) => format!("changed{during}"),
        (some, all) if some == all => "changed only in markup".to_owned(),
        (some, _) => format!("changed ({} only in markup)", number(some)),
    }
}

fn window(site: &SiteAudit) -> Interval {
    Interval { from: site.window.from, to: site.window.to }
}

/// The day of the pages of a site, where all of them are of one day and the period that a reader has seen is longer.
pub(crate) fn day_of_pages(site: &SiteAudit, shown: Interval) -> Option<String> {
    let day = |at| clock(at).split(' ').next().map(str::to_owned);
    let days = [window(site).from, window(site).to].map(day);
    let is_seen = [shown.from, shown.to].map(day) == days;
    let [first, last] = days;
    first.filter(|_| !is_seen).filter(|first| Some(first) == last.as_ref())
}

fn during(site: &SiteAudit) -> &'static str {
    if window(site).seconds() <= ONE_CRAWL { " during the crawl" } else { "" }
}

/// When most pages were online together, for a reader who has seen the period of the pages.
fn best_moment(site: &SiteAudit) -> Option<String> {
    let best = site.coherence.best.intervals.first()?;
    let (from, to) = times(best.from, best.to, window(site));
    Some(if from == to { format!("at {from}") } else { format!("from {from} to {to}") })
}

/// The answer about a site for a reader who has seen the period of all captures, not that of its pages: with the day, where only
/// the pages are of one day.
pub(crate) fn dated(answer: &Answer, site: &SiteAudit, shown: Interval) -> Answer {
    let Some((day, short)) = day_of_pages(site, shown).zip(best_moment(site)) else { return answer.clone() };
    let long = short.replacen("at ", &format!("at {day} "), 1).replacen("from ", &format!("from {day} "), 1);
    let with_day = |text: &String| text.replace(&short, &long);
    Answer {
        sentence: with_day(&answer.sentence),
        reasons: answer.reasons.iter().map(with_day).collect(),
        ..answer.clone()
    }
}

fn consistent(site: &SiteAudit, absent: Option<&PageAudit>) -> Answer {
    let band = bands::consistent(site);
    let (pages, coherence) = (&site.pages, &site.coherence);
    let share = coherence.provable.then(|| bands::proven(site));
    let when = best_moment(site).filter(|_| coherence.provable).map(|when| format!("{}{when}", basis(site)));
    let mut sentences = match when {
        None => not_proven(site),
        Some(when) if coherence.best.pages == pages.total => match pages.total {
            1 => vec![format!("The page was online, with this content, {when}.")],
            total => vec![format!("{} were online together, {when}.", all(total, "page"))],
        },
        Some(when) => some_proven(site, band, &when, absent),
    };
    if pages.error_pages > 0 {
        let are = if pages.error_pages == 1 { "is" } else { "are" };
        sentences.push(format!(
            "{} {are} not counted: {}.",
            count(pages.error_pages, "page"),
            if pages.error_pages == 1 { "it looks like an error page" } else { "they look like error pages" }
        ));
    }
    answer(band, share, sentences)
}

/// What the comparison rests on, where it is less than the stored bytes.
fn basis(site: &SiteAudit) -> &'static str {
    if bands::is_by_declared_digests(site) { "by declared digests, " } else { "" }
}

/// Whether the sentence shows the share by importance: where that is lower, and so much that its band is another one.
pub(crate) fn shows_importance(by_number: f64, by_weight: f64) -> bool {
    by_weight < by_number && bands::of_share(by_number) != bands::of_share(by_weight)
}

fn some_proven(site: &SiteAudit, band: Band, when: &str, absent: Option<&PageAudit>) -> Vec<String> {
    let (best, total) = (&site.coherence.best, site.pages.total);
    let by_weight = site.coherence.best_by_weight.share.unwrap_or(0.0);
    let together = of(best.pages, total, "page");
    let hidden = shows_importance(best.share.unwrap_or(0.0), by_weight);
    let mut sentences = match (band, absent) {
        (Band::CannotTell, _) => {
            let compared = site.pages.sharp + site.pages.changed;
            vec![format!(
                "Only {} can be compared; {} online together, {when}.",
                of(compared, total, "page"),
                match best.pages {
                    1 if compared == 1 => "it was".to_owned(),
                    all if all == compared => "these were".to_owned(),
                    some => format!("{} of these {}", number(some), was(some)),
                }
            )]
        }
        (Band::Mixed | Band::Poor, Some(page)) if hidden => {
            return vec![format!(
                "{} of {} {} online together, {}but only {} by importance: {} {}.",
                number(best.pages),
                count(total, "page"),
                was(best.pages),
                basis(site),
                percent(by_weight),
                local(&page.url, &site.site),
                state(site, page),
            )];
        }
        (Band::Poor, _) if best.pages == 1 => {
            let none = match total {
                2 => "The two pages are not".to_owned(),
                _ => format!("No two of {} are", count(total, "page")),
            };
            vec![format!("{none} known to have been online together.")]
        }
        (Band::Poor, _) => vec![format!("Only {together} are known to have been online together, {when}.")],
        _ => vec![format!("{together} {} online together, {when}.", was(best.pages))],
    };
    sentences.extend(others(site));
    sentences
}

/// What is known of one page, as the end of a sentence.
fn state(site: &SiteAudit, page: &PageAudit) -> String {
    match page.state {
        PageState::Changed => format!("changed{}", during(site)),
        PageState::Single => "was captured once".to_owned(),
        PageState::Sharp => "was unchanged at another time".to_owned(),
        PageState::Unknown => "cannot be compared".to_owned(),
    }
}

fn not_proven(site: &SiteAudit) -> Vec<String> {
    let pages = &site.pages;
    match pages.total {
        0 => vec!["There are no pages to judge.".to_owned()],
        total if pages.single == total => {
            let whether = if total == 1 { "it stayed online" } else { "they were online together" };
            let once = format!(
                "{} {} captured once, so nothing shows whether {whether}.",
                all(total, "page"),
                was(total)
            );
            let claimed = site.coherence.claimed.pages;
            let more = match claimed {
                claimed if claimed > 1 && total > 1 => format!(
                    "By the server's own dates, {} were; dates are claims, not proof.",
                    number(claimed)
                ),
                _ => "A second crawl would.".to_owned(),
            };
            vec![once, more]
        }
        total if bands::lists_changes_only(site) => vec![
            format!(
                "{} captured twice differs. This index probably leaves unchanged captures out, so nothing shows which pages stayed online.",
                if total == 1 { "The page" } else { "Every page" }
            ),
            "The WARC files would tell.".to_owned(),
        ],
        1 if pages.changed == 1 => {
            let last = site.page_list.first().and_then(|page| page.seen?.last.content);
            vec![match last.and_then(Content::gone) {
                Some(status) => format!(
                    "The page was gone ({status}) at its last capture, so no content is known to have stayed online."
                ),
                None => {
                    "The page changed between its captures, so no content is known to have stayed online."
                        .to_owned()
                }
            }]
        }
        total if bands::consistent(site) == Band::Poor => vec![
            "No page is known to have stayed online unchanged.".to_owned(),
            match pages.changed == total {
                true => format!("{} {}.", all(total, "page"), changed(&outside(site), during(site))),
                false => {
                    format!("{} {}.", of(pages.changed, total, "page"), changed(&outside(site), during(site)))
                }
            },
        ],
        total if pages.sharp > 0 => {
            let (which, its) = match (pages.sharp, total) {
                (1, 1) => ("The page was".to_owned(), "Its captures are"),
                (some, all) => (format!("{} {}", of(some, all, "page"), was(some)), "Their captures are"),
            };
            vec![
                format!("{which} the same each time, but for no stretch of time is that proven."),
                format!("{its} of other spellings of the address, or a cache sent one response again."),
            ]
        }
        _ => vec![
            "No page has matching captures from two different times.".to_owned(),
            match pages.unknown {
                0 => "A second crawl would show more.".to_owned(),
                unknown => format!("{} cannot be compared.", of(unknown, pages.total, "page")),
            },
        ],
    }
}

/// Whether links, embeds, versions and these seeds were captured.
pub(crate) fn complete(site: &SiteAudit, seeds: Option<SiteSeeds>) -> Answer {
    let parts = Parts { seeds: seeds.map(SiteSeeds::share), ..Parts::of(site) };
    let band = parts.band(bands::links_unknown(site));
    let share = parts.worst();
    let found = site.completeness.as_ref();
    let (Some(links), Some(embeds), Some(all_of)) =
        (found.and_then(|found| found.links), found.and_then(|found| found.embeds), together(site))
    else {
        let unknown = match bands::is_index_only(site) {
            _ if bands::links_not_in_records(site) => [
                "Page records hold no links.",
                "An audit that is given the captures beside them (--captures) would tell.",
            ],
            true => ["An index does not list links.", "The WARC files would tell."],
            false => {
                ["Bodies were not read, so links are unknown.", "An audit that verifies digests would tell."]
            }
        };
        let unknown = unknown.map(str::to_owned).into_iter();
        let known = few_versions(site, &parts, band).into_iter().chain(reached(seeds));
        return answer(band, share, known.chain(unknown).collect());
    };
    let total = counted(&all_of);
    if total == 0 {
        let known = few_versions(site, &parts, band).into_iter();
        return answer(band, share, known.chain(nothing_counted(site, &all_of, seeds)).collect());
    }
    let mut sentences = Vec::new();
    let figure = Figure { links, embeds }.shown(&parts, band);
    let (part, whole, noun) = figure.counted();
    let captured = match (part, whole) {
        (part, whole) if part == whole => format!("{} {} captured", all(whole, noun), was(whole)),
        (0, 1) => format!("The {noun} was not captured"),
        (0, whole) => format!("None of {} was captured", count(whole, noun)),
        (part, whole) => format!("{} {} captured", of(part, whole, noun), was(part)),
    };
    match figure.of {
        Of::Links => {
            sentences.push(format!("{captured}."));
            let is_link = |entry: &Missing| entry.kind == "link";
            sentences
                .extend(lost(site, &links, is_link).filter(|_| links.failed > 0 || parts.links.is_some()));
            if parts.links.is_none() {
                let unknown = "What the crawl was meant to cover is not recorded; a crawl log would tell.";
                sentences.push(unknown.to_owned());
            }
        }
        Of::Versions => {
            let versions = percent(share.unwrap_or(0.0));
            sentences.push(match part == whole {
                true => format!(
                    "{captured}, but only about {versions} of {} versions.",
                    if whole == 1 { "its" } else { "their" }
                ),
                false => format!("{captured}, and about {versions} of their versions."),
            });
        }
        Of::Embeds if band == Band::Poor => {
            let look = if site.pages.total == 1 {
                "the page will not look as it did"
            } else {
                "pages will not look as they did"
            };
            let of_embeds = |entry: &Missing| entry.kind == "embed";
            match LostCounts::of(site, &embeds, of_embeds).elsewhere {
                0 => sentences.push(format!("{captured}, so {look}.")),
                // With the originals the pages may well look as they did.
                _ => {
                    sentences.push(format!("{captured}."));
                    sentences.extend(lost(site, &embeds, of_embeds));
                }
            }
        }
        Of::Embeds => {
            sentences.push(format!("{captured}."));
            sentences.extend(lost(site, &embeds, |entry| entry.kind == "embed"));
        }
        Of::All => {
            sentences.push(format!("{captured}."));
            sentences.extend(lost(site, &all_of, |_| true));
        }
    }
    // Few links of all may mean a limited crawl; this is what makes the answer poor.
    if let Some((captured, requested)) = parts.requested.filter(|_| band == Band::Poor) {
        sentences.push(format!(
            "Of {} that {} requested and not gone, {} {} captured.",
            number(requested),
            was(requested),
            if captured == 0 { "none".to_owned() } else { format!("only {}", number(captured)) },
            was(captured)
        ));
    }
    // What lies beyond a crawl is said only where it is known what the crawl covered.
    let is_open = parts.links.is_none() && counted(&links) > 0;
    sentences.extend(beyond(&all_of).filter(|_| !is_open));
    sentences.extend(cut(site));
    sentences.extend(unread(site));
    // Embeds alone do not show which pages should be there.
    let nothing_linked = || {
        let none = match links.away {
            0 => "No page links to another one of this site, so nothing shows which should be there."
                .to_owned(),
            _ => format!("{}, so nothing shows which other pages should be there.", only_away(&links)),
        };
        (all_of.beyond == 0).then(|| format!("{none} A list of seeds would tell."))
    };
    match counted(&links) {
        0 => sentences.extend(reached(seeds).or_else(nothing_linked)),
        _ if parts.seeds.is_some_and(|reached| reached < 1.0) => sentences.extend(reached(seeds)),
        _ => {}
    }
    if site.pages.single == site.pages.total && band == Band::Good {
        sentences.push("Whether versions were missed is unknown until a second crawl.".to_owned());
    } else if site.pages.changed > 0 && parts.versions.is_none() && band == Band::Good {
        sentences.push("How many versions were missed is unknown.".to_owned());
    }
    if all_of.excluded > 0 {
        sentences.push(format!("Left out on purpose: {}.", count(all_of.excluded, "file")));
    }
    answer(band, share, sentences)
}

/// How many versions were captured, where that decides and nothing else is counted.
fn few_versions(site: &SiteAudit, parts: &Parts, band: Band) -> Option<String> {
    let versions = parts.versions.filter(|_| parts.versions == parts.worst())?;
    let of = if site.pages.total == 1 { "the page" } else { "the pages" };
    matches!(band, Band::Poor | Band::Mixed).then(|| {
        format!(
            "About {} of the versions of {of} were captured, as expected by their rates.",
            percent(versions)
        )
    })
}

/// What is said where nothing that could be captured is known.
fn nothing_counted(site: &SiteAudit, found: &LinkCompleteness, seeds: Option<SiteSeeds>) -> Vec<String> {
    let apart = [
        beyond(found),
        cut(site),
        unread(site),
        (found.excluded > 0).then(|| format!("Left out on purpose: {}.", count(found.excluded, "file"))),
        (found.optional > 0).then(|| format!("Perhaps not needed: {}.", count(found.optional, "file"))),
    ];
    let mut sentences: Vec<String> = apart.into_iter().flatten().collect();
    if sentences.is_empty() && found.away > 0 {
        sentences.push(format!("{}.", only_away(found)));
    }
    if sentences.is_empty() {
        let have = if site.pages.total == 1 { "The page has" } else { "The pages have" };
        sentences.push(format!("{have} no links or embeds on this site."));
    }
    let would = if found.beyond > 0 { "A crawl log" } else { "A list of seeds" };
    sentences.push(
        reached(seeds).unwrap_or_else(|| format!("{would} would tell what the crawl was meant to cover.")),
    );
    sentences
}

/// Links to addresses of the site that lead to other sites, where these are all that there are.
fn only_away(found: &LinkCompleteness) -> String {
    match found.away {
        1 => "The only link within this site leads to another site".to_owned(),
        2 => "Both links within this site lead to other sites".to_owned(),
        many => format!("All {} links within this site lead to other sites", number(many)),
    }
}

/// Linked pages that only a deeper crawl would have.
fn beyond(found: &LinkCompleteness) -> Option<String> {
    let they = if found.beyond == 1 { "it was" } else { "they were" };
    (found.beyond > 0).then(|| {
        format!(
            "{} {} not captured; whether {they} meant to be is not recorded.",
            count(found.beyond, "linked page"),
            was(found.beyond)
        )
    })
}

/// Pages whose links are not all known.
fn cut(site: &SiteAudit) -> Option<String> {
    let cut = site.completeness.as_ref().map_or(0, |found| found.cut_pages);
    let pages = match (cut, site.pages.total) {
        (0, _) => return None,
        (1, 1) => "the capture of the page is".to_owned(),
        (1, _) => "the capture of 1 page is".to_owned(),
        (cut, total) if cut == total => "the captures of all pages are".to_owned(),
        (cut, _) => format!("the captures of {} are", count(cut, "page")),
    };
    Some(format!("Not all links are known: {pages} cut short."))
}

/// Pages whose links are those of an earlier version, if any.
fn unread(site: &SiteAudit) -> Option<String> {
    let pages = site.completeness.as_ref().map_or(0, |found| found.unread_pages);
    (pages > 0).then(|| {
        format!(
            "The latest capture of {} was not read for links. An audit of the archives would tell.",
            part_of(pages, site.pages.total, "page")
        )
    })
}

/// How many seeds were reached, where seeds are known.
pub(crate) fn reached(seeds: Option<SiteSeeds>) -> Option<String> {
    let SiteSeeds { total, reached } = seeds?;
    Some(match (reached, total) {
        (reached, total) if reached == total => format!("{} {} reached.", all(total, "seed"), was(total)),
        (0, 1) => "The seed was not reached.".to_owned(),
        (0, total) => format!("None of {} was reached.", count(total, "seed")),
        (reached, total) => format!("{} {} reached.", of(reached, total, "seed"), was(reached)),
    })
}

/// Why the things among `which` were not captured, with counts.
fn lost(site: &SiteAudit, found: &LinkCompleteness, which: impl Fn(&Missing) -> bool) -> Option<String> {
    let parts = LostCounts::of(site, found, which).words();
    (!parts.is_empty()).then(|| format!("{}.", list(&parts)))
}
