//! The verdict on a date: table and parameters in, [`At`] out.
//!
//! *Coherent*: every selected page is proven at every instant of the date. *Not coherent*: at some instant of it, an
//! accepted Last-Modified shows that the version replay would serve began only later. *Not provable*: all else. All three
//! are piecewise constant in time; the pieces come from one sweep over the segments of all pages
//! ([`crate::change::at`]), O(m log m) in the number of looks, so the stretch for which a verdict holds is exact.

use std::collections::{BTreeMap, HashMap};

use crate::audit::at_model::{
    AT_ASSUMPTIONS, AT_SCHEMA, At, AtFile, AtParameters, Better, Counts, Holds, MostProven, PageAt, PagePart,
    Part, Role, SiteAt, SiteVerdict, Stretch, Witness,
};
use crate::audit::at_words;
use crate::audit::model::ProblemCount;
use crate::capture::intern::Id;
use crate::capture::page::folder;
use crate::capture::table::{Row, Table};
use crate::capture::url::{Canon, SiteBy};
use crate::capture::{Kind, site};
use crate::change::at::{Segment, Standings, State};
use crate::change::evidence::{Compare, Grade, Judge};
use crate::change::rate::{Evidence, Rate, estimate};
use crate::change::run::Versions;
use crate::error::{Error, Result};
use crate::quality::span::Span;
use crate::quality::sweep::Coverage;
use crate::time::{Dated, Instant, Interval};

const DAY_SECONDS: f64 = 86_400.0;

/// A page that was selected: its rows (none, if it was never captured) and what they show.
struct Selected<'a> {
    url: String,
    key: String,
    site: Option<String>,
    rows: &'a [Row],
    versions: Versions,
    rate: Option<Rate>,
}

/// The pages that the parameters select, in the order of their keys, with their rates.
fn select<'a>(table: &'a Table, parameters: &AtParameters) -> Result<Vec<Selected<'a>>> {
    let canon: Canon = parameters.canon.parse()?;
    let site_by: SiteBy = parameters.site_by.parse()?;
    let judge = Judge::new(table, Compare::Bytes, parameters.evidence);
    let asked: BTreeMap<String, &String> = parameters.urls.iter().map(|url| (canon.key(url), url)).collect();
    let mut selected = Vec::new();
    let takes = |rows: &[Row], key: &str| {
        if asked.is_empty() { parameters.pages.takes(table, rows) } else { asked.contains_key(key) }
    };
    for site in site::group(table, 0..table.pages().len(), |url| site_by.site_of(url)) {
        let all: Vec<&[Row]> = site
            .pages
            .iter()
            .map(|place| table.rows_of(&table.pages()[*place]))
            .filter(|rows| parameters.pages.takes(table, rows) || takes(rows, table.text(rows[0].key)))
            .collect();
        let versions: Vec<Versions> = all.iter().map(|rows| Versions::of(&judge, rows)).collect();
        let mut classes: BTreeMap<&str, u32> = BTreeMap::new();
        // The rates of a site come from all of its pages, whichever are asked for.
        let evidence: Vec<Evidence> = all
            .iter()
            .zip(&versions)
            .map(|(rows, versions)| {
                let count = classes.len() as u32;
                let class = *classes.entry(folder(table.text(rows[0].url))).or_insert(count);
                Evidence::of(versions, class)
            })
            .collect();
        if parameters.site.as_ref().is_some_and(|only| *only != site.name) {
            continue;
        }
        let (rates, _) = estimate(&evidence);
        for ((rows, versions), rate) in all.into_iter().zip(versions).zip(rates) {
            let key = table.text(rows[0].key);
            if takes(rows, key) {
                selected.push(Selected {
                    url: table.text(rows[0].url).to_owned(),
                    key: key.to_owned(),
                    site: Some(site.name.clone()),
                    rows,
                    versions,
                    rate: Some(rate),
                });
            }
        }
    }
    for (key, url) in asked {
        let site = site_by.site_of(url);
        let elsewhere = parameters.site.is_some() && parameters.site != site;
        if elsewhere || selected.iter().any(|page| page.key == key) {
            continue;
        }
        let rows = table.page(&key).map_or(&[][..], |page| table.rows_of(page));
        let versions = Versions::of(&judge, rows);
        selected.push(Selected { url: url.clone(), key, site, rows, versions, rate: None });
    }
    selected.sort_by(|a, b| a.key.cmp(&b.key));
    if selected.is_empty() {
        return Err(Error::usage("no page is selected")
            .with_remedy("`acuity index` lists what was captured; --pages all takes every URL"));
    }
    Ok(selected)
}

/// The verdict through all of time: from each instant on, until the next.
fn verdicts<'a>(pages: impl Iterator<Item = &'a [Segment]>) -> Vec<(Instant, SiteVerdict)> {
    let mut events: Vec<(Instant, i64, i64)> = Vec::new();
    let mut count = 0;
    for segments in pages {
        count += 1;
        let mut before = (0, 0);
        for segment in segments {
            let now = (i64::from(segment.standing.state == State::Proven), i64::from(segment.standing.late));
            if now != before {
                events.push((segment.from, now.0 - before.0, now.1 - before.1));
                before = now;
            }
        }
    }
    events.push((Instant(i64::MIN), 0, 0));
    events.sort_unstable();
    let (mut proven, mut late) = (0, 0);
    let mut steps: Vec<(Instant, SiteVerdict)> = Vec::new();
    for (place, (from, more_proven, more_late)) in events.iter().enumerate() {
        (proven, late) = (proven + more_proven, late + more_late);
        if events.get(place + 1).is_some_and(|next| next.0 == *from) {
            continue;
        }
        let verdict = match () {
            () if late > 0 => SiteVerdict::NotCoherent,
            () if proven == count => SiteVerdict::Coherent,
            () => SiteVerdict::NotProvable,
        };
        if steps.last().is_none_or(|step| step.1 != verdict) {
            steps.push((*from, verdict));
        }
    }
    steps
}

/// The steps as closed stretches, clipped to an interval.
fn parts(steps: &[(Instant, SiteVerdict)], over: Interval) -> Vec<Part> {
    let end = |place: usize| steps.get(place + 1).map_or(Instant(i64::MAX), |next| next.0.plus(-1));
    let clip = |(place, step): (usize, &(Instant, SiteVerdict))| {
        let inside = Interval::new(step.0.max(over.from), end(place).min(over.to))?;
        Some(Part { from: inside.from, to: inside.to, verdict: step.1 })
    };
    steps.iter().enumerate().filter_map(clip).collect()
}

/// The whole stretch of a verdict that contains an instant.
fn holds(steps: &[(Instant, SiteVerdict)], at: Instant) -> Holds {
    let behind = steps.partition_point(|step| step.0 <= at);
    Holds {
        from: behind.checked_sub(1).map(|place| steps[place].0).filter(|from| from.0 > i64::MIN),
        to: steps.get(behind).map(|next| next.0.plus(-1)),
    }
}

/// The nearest instants with a better verdict, on both sides.
fn better(steps: &[(Instant, SiteVerdict)], asked: Interval, than: SiteVerdict) -> Vec<Better> {
    let mut found = Vec::new();
    for verdict in SiteVerdict::ALL.into_iter().filter(|verdict| *verdict < than) {
        let earlier = steps.windows(2).rev().find(|pair| pair[0].1 == verdict && pair[1].0 <= asked.from);
        let later = steps.iter().find(|step| step.1 == verdict && step.0 > asked.to);
        found.extend(earlier.map(|pair| Better { verdict, at: pair[1].0.plus(-1) }));
        found.extend(later.map(|step| Better { verdict, at: step.0 }));
    }
    found
}

/// The date that was asked for, its whole span.
///
/// # Errors
/// When it is no date.
pub fn asked(date: &str) -> Result<Interval> {
    let span = Dated::parse(date).and_then(|dated| Interval::new(dated.instant, dated.end().plus(-1)));
    span.ok_or_else(|| {
        Error::usage(format!("{date:?} is no date"))
            .with_remedy("write 2022-03-14T12:20:00Z, 2022-03-14T12:20+01:00, 2022-03-14, 2022-03 or 2022")
    })
}

/// Answers for the observations of a table.
///
/// # Errors
/// When nothing is selected, or a parameter cannot be read.
pub fn at(
    table: &Table,
    parameters: &AtParameters,
    inputs: Vec<AtFile>,
    problems: Vec<ProblemCount>,
) -> Result<At> {
    let span = asked(&parameters.date)?;
    let selected = select(table, parameters)?;
    let standings: Vec<Standings<'_>> =
        selected.iter().map(|page| Standings::of(&page.versions, page.rows)).collect();
    let segments: Vec<Vec<Segment>> = standings.iter().map(Standings::segments).collect();
    let steps = verdicts(segments.iter().map(Vec::as_slice));
    let parts = self::parts(&steps, span);
    let worst = parts.iter().max_by(|a, b| a.verdict.cmp(&b.verdict).then(b.from.cmp(&a.from)));
    let (verdict, decided_at) =
        worst.map_or((SiteVerdict::NotProvable, span.from), |part| (part.verdict, part.from));
    let originals = originals(table);
    let mut counts = Counts::default();
    let mut pages: Vec<PageAt> = Vec::with_capacity(selected.len());
    for ((page, standings), segments) in selected.iter().zip(&standings).zip(&segments) {
        let made =
            PageMaker { table, inputs: &inputs, originals: &originals, span }.page(page, standings, segments);
        counts.add(made.state, made.began_after.is_some());
        pages.push(made);
    }
    let mut names: Vec<&Option<String>> = selected.iter().map(|page| &page.site).collect();
    names.sort();
    names.dedup();
    let sites = names.iter().map(|name| {
        let mine = || selected.iter().zip(&segments).filter(|(page, _)| page.site == **name);
        let steps = verdicts(mine().map(|(_, segments)| segments.as_slice()));
        let mut counts = Counts::default();
        for page in pages.iter().filter(|page| page.site == **name) {
            counts.add(page.state, page.began_after.is_some());
        }
        SiteAt {
            site: name.as_deref().unwrap_or_default().to_owned(),
            verdict: self::parts(&steps, span)
                .iter()
                .map(|part| part.verdict)
                .max()
                .unwrap_or(SiteVerdict::NotProvable),
            counts,
        }
    });
    let sites: Vec<SiteAt> = sites.collect();
    let proven = standings.iter().flat_map(|page| page.versions().proven());
    let most = Coverage::of(proven.map(|interval| (Span::closed(interval), 1))).best_by_number();
    let closed = |span: &Span| Stretch { from: span.interval().from, to: span.interval().to };
    let most_proven = (most.pages > 0)
        .then(|| MostProven { pages: u64::from(most.pages), when: most.spans.iter().map(closed).collect() });
    let grade = match verdict {
        SiteVerdict::Coherent => pages.iter().filter_map(|page| page.grade).max(),
        SiteVerdict::NotCoherent => Some(Grade::Validator),
        SiteVerdict::NotProvable => None,
    };
    // Exceptions first: what replay would serve too late, then the states from the least to the most favourable.
    pages.sort_by(|a, b| {
        let rank = |page: &PageAt| (page.began_after.is_none(), std::cmp::Reverse(page.state));
        rank(a).cmp(&rank(b)).then_with(|| a.key.cmp(&b.key))
    });
    let mut at = At {
        schema: AT_SCHEMA.to_owned(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        asked: Stretch { from: span.from, to: span.to },
        verdict,
        answer: String::new(),
        grade,
        holds: holds(&steps, decided_at),
        parts,
        better: better(&steps, span, verdict),
        most_proven,
        counts,
        sites,
        pages,
        inputs,
        parameters: parameters.clone(),
        left_out: table.left_out(),
        problems,
        assumptions: AT_ASSUMPTIONS.map(str::to_owned).to_vec(),
        report_sha256: String::new(),
    };
    at.answer = at_words::answer(&at);
    Ok(at)
}

/// For every body the first record that holds it.
fn originals(table: &Table) -> HashMap<Id, &Row> {
    let mut found: HashMap<Id, &Row> = HashMap::new();
    for row in table.rows().iter().filter(|row| matches!(row.kind, Kind::Response | Kind::Resource)) {
        if let Some(body) = row.body {
            found.entry(body).or_insert(row);
        }
    }
    found
}

struct PageMaker<'a> {
    table: &'a Table,
    inputs: &'a [AtFile],
    originals: &'a HashMap<Id, &'a Row>,
    span: Interval,
}

impl PageMaker<'_> {
    fn page(&self, page: &Selected<'_>, standings: &Standings<'_>, segments: &[Segment]) -> PageAt {
        let end = |place: usize| segments.get(place + 1).map_or(Instant(i64::MAX), |next| next.from.plus(-1));
        let inside: Vec<(Interval, Segment)> = segments
            .iter()
            .enumerate()
            .filter_map(|(place, segment)| {
                let from = segment.from.max(self.span.from);
                Some((Interval::new(from, end(place).min(self.span.to))?, *segment))
            })
            .collect();
        let mut parts: Vec<PagePart> = Vec::new();
        for (over, segment) in &inside {
            match parts.last_mut() {
                Some(part) if part.state == segment.standing.state => part.to = over.to,
                _ => parts.push(PagePart { from: over.from, to: over.to, state: segment.standing.state }),
            }
        }
        let worst = parts.iter().copied().max_by(|a, b| a.state.cmp(&b.state).then(b.from.cmp(&a.from)));
        let part =
            worst.unwrap_or(PagePart { from: self.span.from, to: self.span.to, state: State::Missing });
        let standing = standings.at(part.from);
        let rate = page.rate.map(|rate| rate.per_second());
        let proves = part.state == State::Proven;
        // Between two ends of a segment the chance of the version served only rises or only falls.
        let ends = inside.iter().flat_map(|(over, _)| [over.from, over.to]);
        let chances = ends.filter_map(|at| standings.chance(at, rate?));
        let probability = chances.min_by(f64::total_cmp);
        let late = inside.iter().find(|(_, segment)| segment.standing.late);
        let witnesses = standings.witnesses(Interval { from: part.from, to: part.to });
        let around = standing.run.filter(|_| proves).and_then(|run| page.versions.runs[run].proven);
        if parts.len() == 1 {
            parts.clear();
        }
        let shown_rate = page.rate.filter(|_| probability.is_some());
        PageAt {
            url: page.url.clone(),
            key: page.key.clone(),
            site: page.site.clone(),
            state: part.state,
            grade: standings.grade(&standing),
            probability,
            chances: rate.filter(|_| !proves).and_then(|rate| standings.chances(part.from, rate)),
            began_after: late.and_then(|(_, segment)| standings.began(segment.standing.served?)),
            parts,
            proven: around.map(|interval| Stretch { from: interval.from, to: interval.to }),
            rate_per_day: shown_rate.map(|rate| rate.per_second() * DAY_SECONDS),
            rate_source: shown_rate.map(|rate| rate.source),
            looks: page.versions.looks.len() as u64,
            failed: page.versions.failed as u64,
            witnesses: self.witnesses(page, witnesses),
        }
    }

    fn witnesses(
        &self,
        page: &Selected<'_>,
        (before, behind): (Option<usize>, Option<usize>),
    ) -> Vec<Witness> {
        let row = |look: usize| &page.rows[page.versions.looks[look].row];
        let mut witnesses: Vec<Witness> = Vec::new();
        for (role, look) in [(Role::Before, before), (Role::After, behind)] {
            let Some(row) = look.map(row) else { continue };
            witnesses.push(self.witness(role, row));
            let original =
                row.body.filter(|_| row.kind == Kind::Revisit).and_then(|body| self.originals.get(&body));
            if let Some(original) = original {
                let original = self.witness(Role::Original, original);
                let known =
                    |witness: &Witness| (&witness.file, witness.offset) == (&original.file, original.offset);
                if !witnesses.iter().any(known) {
                    witnesses.push(original);
                }
            }
        }
        witnesses
    }

    fn witness(&self, role: Role, row: &Row) -> Witness {
        let table = self.table;
        let input = self.inputs.get(row.input as usize);
        Witness {
            role,
            kind: row.kind,
            url: table.text(row.url).to_owned(),
            file: table.text(row.file).to_owned(),
            file_blake3: input.map(|input| input.blake3.clone()),
            file_sha256: input.map(|input| input.sha256.clone()),
            offset: row.offset,
            length: row.length,
            record_sha256: None,
            record_id: row.record_id.map(|id| table.text(id).to_owned()),
            date: row.time,
            date_end: row.end,
            status: row.status,
            declared: row.declared.and_then(|digest| table.digest(digest)).map(|digest| digest.to_string()),
            digest_ok: row.digest_ok,
            body_blake3: row.body.and_then(|body| table.body(body)).map(|body| body.to_string()),
            last_modified: row.last_modified,
        }
    }
}
