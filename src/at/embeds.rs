//! Whether the embedded resources of a page, as replay would show them, were online when the page was captured.
//!
//! Replay serves the capture of the page that is closest to the date, and for each resource it embeds the capture
//! closest to that one. With `t` the capture of the page, `e` the one of the resource and `mu` its Last-Modified:
//!
//! ```text
//! shown there   captures before and after t are equal; or mu + 1 s <= t <= e   (in the source: prima facie coherent)
//! newer         t < mu                                                         (prima facie violative)
//! older         e <= t, and nothing above                                      (possibly coherent)
//! later         t < e, and nothing above                                       (probably violative)
//! ```
//!
//! Source: Ainsworth, Nelson, Van de Sompel: Only One Out of Five Archived Web Pages Existed as Presented, HT 2015;
//! the states and patterns are those of the same authors' A Framework for Evaluation of Composite Memento Temporal
//! Coherence, arXiv 1402.0928, 2014. DIFFERENCE: equal is judged by the evidence that proves elsewhere here, not by
//! similarity; a Last-Modified counts only where the archive does not contradict it, and by the second it was cut to;
//! what a date's precision or a fetch's duration hides is not proven, so two captures in one second are not shown
//! to be there together. Resources of captured style sheets count too, three imports deep.
//!
//! Cost: the body of each page, and of each style sheet once, is read again.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use crate::archive::coding::BodyReader;
use crate::at::embed_model::{EmbedAt, EmbedCounts, EmbedState, Embeds, EmbedsAt};
use crate::at::page::{Ground, Selected};
use crate::at::words;
use crate::capture::intern::Id;
use crate::capture::page::is_html;
use crate::capture::table::Row;
use crate::change::at::{Standing, Standings};
use crate::change::evidence::{Grade, Judge};
use crate::change::run::Versions;
use crate::html::css::CssScanner;
use crate::html::link_list::Links;
use crate::html::links::LinkKind;
use crate::html::page::PageScanner;
use crate::ingest::scan::Scanner;
use crate::time::{Instant, Interval};
use crate::url::Canon;

/// Maximum number of embedded files of a page.
const MAX_EMBEDS: usize = 10_000;
/// Maximum number listed for a page.
const MAX_LISTED: usize = 1000;
/// How deep style sheets import each other.
const IMPORTS: usize = 3;

/// Judges the embedded resources of pages.
pub(super) struct Embedder<'a> {
    ground: &'a Ground<'a>,
    judge: &'a Judge<'a>,
    canon: Canon,
    which: Embeds,
    /// The versions of resources, by key; `None`: never captured.
    histories: HashMap<String, Option<Rc<History<'a>>>>,
    /// What style sheets name, by their place.
    sheets: HashMap<(Id, Option<u64>, Option<Id>), Rc<Links>>,
    /// Gets the keys of resources that are not in the table.
    sought: Option<&'a RefCell<BTreeSet<String>>>,
}

struct History<'a> {
    rows: &'a [Row],
    versions: Versions,
}

impl<'a> Embedder<'a> {
    pub(super) fn new(
        ground: &'a Ground<'a>,
        judge: &'a Judge<'a>,
        canon: Canon,
        which: Embeds,
        sought: Option<&'a RefCell<BTreeSet<String>>>,
    ) -> Self {
        Embedder { ground, judge, canon, which, histories: HashMap::new(), sheets: HashMap::new(), sought }
    }

    /// The embedded resources of the version that replay serves; or why they are unknown.
    pub(super) fn page(&mut self, page: &Selected<'a>, standing: &Standing) -> Result<EmbedsAt, String> {
        let served = standing.served.ok_or("the page was never captured")?;
        let versions = &page.versions;
        let run = versions.runs.partition_point(|run| run.looks.end <= served);
        let look = versions.looks[served];
        let row = self.ground.holders.of_run(page.rows, versions, &versions.runs[run])?;
        if !row.mime.is_some_and(|mime| is_html(self.ground.table.text(mime))) {
            return Err("it is not HTML".to_owned());
        }
        let bodies = self.ground.bodies.ok_or("bodies were not read")?;
        let body = bodies.fetch(self.ground.table, row)?;
        let mut scanner = PageScanner::of_links(body.content_type.as_deref().map(str::as_bytes));
        scanner.feed(&body.bytes);
        let address = self.ground.table.text(page.rows[look.row].url);
        let mut links = scanner.finish(address.as_bytes()).links;
        let root = Interval { from: look.time, to: look.end };
        let mut seen: HashSet<String> = HashSet::from([page.key.clone()]);
        let mut found: Vec<EmbedAt> = Vec::new();
        for depth in 0..=IMPORTS {
            let mut named = Links::default();
            for (kind, url) in links.iter().filter(|(kind, url)| kind.is_embed() && url.starts_with("http")) {
                let key = self.canon.key(url);
                if found.len() >= MAX_EMBEDS || !seen.insert(key.clone()) {
                    continue;
                }
                let (embed, shown) = self.embed(kind, url, &key, root, look.captured);
                if let Some(sheet) = shown.filter(|_| kind == LinkKind::Stylesheet && depth < IMPORTS) {
                    self.sheet(sheet).iter().for_each(|(kind, url)| named.push(kind, url));
                }
                found.push(embed);
            }
            links = named;
        }
        Ok(self.close(look.captured, found))
    }

    fn close(&self, root: Instant, mut found: Vec<EmbedAt>) -> EmbedsAt {
        let mut counts = EmbedCounts::default();
        found.iter().for_each(|embed| counts.add(embed.state));
        if self.which == Embeds::Exceptions {
            found.retain(|embed| embed.state != EmbedState::ShownThere);
        }
        found.sort_by(|a, b| b.state.cmp(&a.state).then_with(|| a.url.cmp(&b.url)));
        found.truncate(MAX_LISTED);
        let left_out = counts.embeds - found.len() as u64;
        EmbedsAt { root, counts, answer: words::embeds(root, counts), list: found, left_out }
    }

    /// What a captured style sheet names.
    fn sheet(&mut self, row: &Row) -> Rc<Links> {
        let place = (row.file, row.offset, row.record_id);
        if let Some(links) = self.sheets.get(&place) {
            return Rc::clone(links);
        }
        let table = self.ground.table;
        let body = self.ground.bodies.and_then(|bodies| bodies.fetch(table, row).ok());
        let links = body.map_or_else(Links::default, |body| {
            let mut scanner = Scanner::Css { scanner: Box::new(CssScanner::default()), found: Vec::new() };
            scanner.read(&body.bytes);
            scanner.finish(table.text(row.url)).links
        });
        let links = Rc::new(links);
        self.sheets.insert(place, Rc::clone(&links));
        links
    }

    fn history(&mut self, key: &str) -> Option<Rc<History<'a>>> {
        if let Some(known) = self.histories.get(key) {
            return known.clone();
        }
        let table = self.ground.table;
        let history = table.page(key).map(|page| {
            let rows = table.rows_of(page);
            Rc::new(History { rows, versions: Versions::of(self.judge, rows) })
        });
        if let (None, Some(sought)) = (&history, self.sought) {
            sought.borrow_mut().insert(key.to_owned());
        }
        self.histories.insert(key.to_owned(), history.clone());
        history
    }

    /// One resource, and the record that holds what replay would show beside the page, whose response was made in `root` and
    /// captured at `captured`.
    fn embed(
        &mut self,
        kind: LinkKind,
        url: &str,
        key: &str,
        root: Interval,
        captured: Instant,
    ) -> (EmbedAt, Option<&'a Row>) {
        let mut embed = EmbedAt {
            url: url.to_owned(),
            used_as: kind,
            state: EmbedState::Missing,
            reason: "never captured".to_owned(),
            grade: None,
            captured: None,
            last_modified: None,
            file: None,
            offset: None,
            record_id: None,
            bracket: None,
        };
        let Some(history) = self.history(key) else { return (embed, None) };
        let History { rows, versions } = &*history;
        let answers = |look: &usize| rows[versions.looks[*look].row].status.is_none_or(|status| status < 400);
        // The closest one, of two the earlier.
        let closest = (0..versions.looks.len())
            .filter(answers)
            .min_by_key(|look| versions.looks[*look].captured.0.abs_diff(captured.0));
        let Some(closest) = closest else {
            let status = versions.looks.iter().find_map(|look| rows[look.row].status);
            embed.reason =
                status.map_or("all captures failed".to_owned(), |status| format!("answered with {status}"));
            return (embed, None);
        };
        let look = versions.looks[closest];
        let place = versions.runs.partition_point(|run| run.looks.end <= closest);
        let run = &versions.runs[place];
        let standings = Standings::of(self.ground.table, versions, rows);
        let covers = |interval: Option<Interval>| {
            interval.is_some_and(|interval| interval.from <= root.from && root.to <= interval.to)
        };
        let row = &rows[look.row];
        let table = self.ground.table;
        embed.captured = Some(look.captured);
        embed.last_modified = run.last_modified;
        embed.file = Some(table.text(row.file).to_owned());
        embed.offset = row.offset;
        embed.record_id = row.record_id.map(|id| table.text(id).to_owned());
        let (state, reason) = match () {
            () if covers(run.proven) => {
                let is_behind = look.time > root.from;
                let other = |look: &usize| (versions.looks[*look].time > root.from) != is_behind;
                let nearest = if is_behind {
                    run.looks.clone().rev().find(other)
                } else {
                    run.looks.clone().find(other)
                };
                embed.bracket = nearest.map(|look| versions.looks[look].captured);
                embed.grade = run.grade;
                (EmbedState::ShownThere, "equal captures before and after that of the page")
            }
            () if covers(run.claimed) => {
                embed.grade = Some(Grade::Validator);
                (EmbedState::ShownThere, "captured later, and by Last-Modified unchanged since before")
            }
            () if standings.began(closest).is_some_and(|began| began > root.to) => {
                embed.grade = Some(Grade::Validator);
                (EmbedState::Newer, "by Last-Modified changed after the page was captured")
            }
            // The second to which the capture of the page is dated ends where the next one begins.
            () if look.time >= root.to && look.time > root.from => {
                (EmbedState::Later, "captured later, and nothing shows since when it was there")
            }
            () if look.time >= root.from => (EmbedState::Older, "captured in the same second"),
            () => (EmbedState::Older, "captured earlier, and no later capture is known to be equal"),
        };
        (embed.state, embed.reason) = (state, reason.to_owned());
        (embed, self.ground.holders.of_run(rows, versions, run).ok())
    }
}
