//! Findings a curator acts on, gathered from the rows and pages of one site in one window.

use std::collections::{BTreeMap, HashSet};

use crate::audit::model::{
    ChangedPage, ClockSkew, Contradiction, Contradictions, Duplicates, Findings, Folder, MadeAnew, PageAudit,
    ReplaySpan, SoftPage, SoftRule, StatusCount, WorstPage,
};
use crate::audit::page::Work;
use crate::audit::soft404::Signs;
use crate::capture::Kind;
use crate::capture::intern::Id;
use crate::capture::page::folder;
use crate::capture::table::{Row, Table};
use crate::change::run::{Link, PageState};
use crate::time::{Instant, SECOND};

const EXAMPLES: usize = 20;
const FOLDERS: usize = 50;
const WORST: usize = 10;

/// Gathers the findings: `rows` are those of all URLs of the site in the window, pages or not.
pub(crate) fn gather<'a>(
    table: &Table,
    rows: impl Iterator<Item = &'a Row> + Clone,
    works: &[Work<'_>],
    pages: &[PageAudit],
    replayed_at: Instant,
    signs: &Signs,
) -> Findings {
    let soft = soft404(table, rows.clone(), signs);
    let mut changed: Vec<ChangedPage> = Vec::new();
    let mut changed_pages = 0;
    let mut contradictions = Contradictions { pages: 0, observations: 0, examples: Vec::new() };
    let mut made_anew = MadeAnew::default();
    for (work, page) in works.iter().zip(pages) {
        if let Some(seconds) = work.versions.generated_per_request() {
            made_anew.pages += 1;
            let shortest = made_anew.shortest_seconds.map_or(seconds, |least| least.min(seconds));
            made_anew.shortest_seconds = Some(shortest);
            if made_anew.examples.len() < EXAMPLES {
                made_anew.examples.push(page.url.clone());
            }
        }
        if let Some(change) = changed_in_one_crawl(work, page) {
            changed_pages += 1;
            changed.push(change);
        }
        contradictions.pages += u64::from(!work.versions.contradicted.is_empty());
        contradictions.observations += work.versions.contradicted.len() as u64;
        for (row, last_modified) in &work.versions.contradicted {
            if contradictions.examples.len() < EXAMPLES {
                let time = work.rows[*row].time;
                let url = page.url.clone();
                contradictions.examples.push(Contradiction { url, time, last_modified: *last_modified });
            }
        }
    }
    changed.sort_by(|a, b| (a.before, &a.url).cmp(&(b.before, &b.url)));
    changed.truncate(EXAMPLES);
    Findings {
        changed_mid_crawl: changed,
        changed_mid_crawl_pages: changed_pages,
        clock_skew: clock_skew(rows.clone()),
        contradicted_last_modified: contradictions,
        made_anew,
        unresolved_revisits: rows
            .clone()
            .filter(|row| row.kind == Kind::Revisit && row.resolved_by.is_none())
            .count() as u64,
        duplicates: duplicates(rows.clone()),
        statuses: statuses(table, rows),
        folders: folders(pages),
        replay_span: replay_span(works, replayed_at),
        worst: worst(pages),
        soft404: soft.examples,
        soft404_urls: soft.urls,
        soft404_by_paper: soft.by_paper,
        compared_without_text: works.iter().map(|work| work.versions.without_text as u64).sum(),
    }
}

fn changed_in_one_crawl(work: &Work<'_>, page: &PageAudit) -> Option<ChangedPage> {
    work.versions.gaps().find_map(|gap| match gap.link {
        Some(Link::Different(grade)) if work.crawls[gap.from.row] == work.crawls[gap.to.row] => {
            Some(ChangedPage { url: page.url.clone(), after: gap.from.time, before: gap.to.end, grade })
        }
        _ => None,
    })
}

/// The server's clock is off where its date lies outside of the fetch; what its cut to seconds explains is not skew.
fn clock_skew<'a>(rows: impl Iterator<Item = &'a Row>) -> ClockSkew {
    let mut skews: Vec<i64> = rows
        .filter_map(|row| {
            let date = row.http_date?;
            Some(match () {
                () if date.plus(SECOND) < row.time => date.plus(SECOND).0.saturating_sub(row.time.0),
                () if date > row.end => date.0.saturating_sub(row.end.0),
                () => 0,
            })
        })
        .collect();
    skews.sort_unstable();
    let seconds = |skew: &i64| *skew as f64 / SECOND as f64;
    ClockSkew {
        dated: skews.len() as u64,
        skewed: skews.iter().filter(|skew| skew.unsigned_abs() > 60 * SECOND as u64).count() as u64,
        median_seconds: skews.get(skews.len() / 2).map(seconds),
        worst_seconds: skews.iter().max_by_key(|skew| skew.unsigned_abs()).map(seconds),
    }
}

fn duplicates<'a>(rows: impl Iterator<Item = &'a Row>) -> Duplicates {
    let mut seen: HashSet<Id> = HashSet::new();
    let (mut captures, mut revisits, mut stored_again) = (0u64, 0u64, 0u64);
    for row in rows {
        revisits += u64::from(row.revisit);
        let Some(body) = row.body.or(row.declared) else { continue };
        captures += 1;
        let known = !seen.insert(body);
        stored_again += u64::from(known && !row.revisit);
    }
    let distinct = seen.len() as u64;
    let ratio = (captures > 0).then(|| 1.0 - distinct as f64 / captures as f64);
    Duplicates { captures, distinct, revisits, stored_again, ratio }
}

/// URLs whose last answer looks like an error page.
#[derive(Default)]
struct Soft {
    /// Some of them.
    examples: Vec<SoftPage>,
    urls: u64,
    /// How many the papers' rule finds.
    by_paper: u64,
}

fn soft404<'a>(table: &Table, rows: impl Iterator<Item = &'a Row>, signs: &Signs) -> Soft {
    let mut last: BTreeMap<&str, &Row> = BTreeMap::new();
    for row in rows {
        let held = last.entry(table.text(row.key)).or_insert(row);
        if row.time >= held.time {
            *held = row;
        }
    }
    let mut soft = Soft::default();
    for row in last.into_values() {
        if let Some(reason) = signs.of_row(table, row) {
            let rule = signs.rule(table, row);
            soft.urls += 1;
            soft.by_paper += u64::from(rule != SoftRule::Own);
            if soft.examples.len() < EXAMPLES {
                soft.examples.push(SoftPage {
                    url: table.text(row.url).to_owned(),
                    reason,
                    rule: Some(rule),
                });
            }
        }
    }
    soft
}

fn statuses<'a>(table: &Table, rows: impl Iterator<Item = &'a Row>) -> Vec<StatusCount> {
    let mut counts: BTreeMap<(Option<u16>, Option<Id>), u64> = BTreeMap::new();
    for row in rows {
        *counts.entry((row.status, row.mime)).or_default() += 1;
    }
    let mut counts: Vec<StatusCount> = counts
        .into_iter()
        .map(|((status, mime), captures)| StatusCount {
            status,
            mime: mime.map(|mime| table.text(mime).to_owned()),
            captures,
        })
        .collect();
    counts.sort_by(|a, b| (b.captures, a.status, &a.mime).cmp(&(a.captures, b.status, &b.mime)));
    counts
}

fn folders(pages: &[PageAudit]) -> Vec<Folder> {
    let mut folders: BTreeMap<&str, Folder> = BTreeMap::new();
    let mut total = 0.0;
    for page in pages {
        let name = folder(&page.url);
        let entry = folders.entry(name).or_insert_with(|| Folder {
            folder: name.to_owned(),
            pages: 0,
            sharp: 0,
            changed: 0,
            single: 0,
            unknown: 0,
            blur: 0.0,
            share: None,
        });
        entry.pages += 1;
        match page.state {
            PageState::Sharp => entry.sharp += 1,
            PageState::Changed => entry.changed += 1,
            PageState::Single => entry.single += 1,
            PageState::Unknown => entry.unknown += 1,
        }
        let blur = page.blur.map_or(0.0, |blur| blur.actual.expected);
        entry.blur += blur;
        total += blur;
    }
    let mut folders: Vec<Folder> = folders.into_values().collect();
    folders.sort_by(|a, b| b.blur.total_cmp(&a.blur).then_with(|| a.folder.cmp(&b.folder)));
    folders.truncate(FOLDERS);
    for folder in &mut folders {
        folder.share = (total > 0.0).then(|| folder.blur / total);
    }
    folders
}

fn replay_span(works: &[Work<'_>], at: Instant) -> Option<ReplaySpan> {
    let served = works.iter().filter_map(|work| {
        let looks = &work.versions.looks;
        let behind = looks.partition_point(|look| look.time < at);
        let near = [behind.checked_sub(1), Some(behind)];
        near.into_iter()
            .flatten()
            .filter_map(|place| looks.get(place))
            .map(|look| look.time)
            .min_by_key(|time| time.0.abs_diff(at.0))
    });
    let (mut from, mut to): (Option<Instant>, Option<Instant>) = (None, None);
    for time in served {
        from = Some(from.map_or(time, |from| from.min(time)));
        to = to.max(Some(time));
    }
    Some(ReplaySpan { at, from: from?, to: to? })
}

fn worst(pages: &[PageAudit]) -> Vec<WorstPage> {
    let mut ranked: Vec<(f64, usize)> = pages
        .iter()
        .enumerate()
        .filter_map(|(place, page)| Some((page.blur?.actual.expected * page.weight, place)))
        .filter(|(blur, place)| *blur > 0.0 && pages[*place].state != PageState::Sharp)
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    ranked
        .into_iter()
        .take(WORST)
        .map(|(_, place)| WorstPage {
            url: pages[place].url.clone(),
            blur: pages[place].blur.map_or(0.0, |blur| blur.actual.expected),
            weight: Some(pages[place].weight),
            reason: pages[place].reason.clone(),
        })
        .collect()
}
