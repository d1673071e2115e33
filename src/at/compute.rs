//! The verdict on a date: table and parameters in, [`At`] out.
//!
//! *Coherent* (yes): every selected page is proven at every instant of the date. *Not coherent* (no): at some instant of
//! it, a page has no capture before, and an accepted Last-Modified shows that the first version after it is newer. *Not provable*:
//! all else. All three
//! are piecewise constant in time; the pieces come from one sweep over the segments of all pages
//! ([`crate::change::at`]), O(m log m) in the number of captures, so the stretch for which a verdict holds is exact.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::at::date::AskedDate;
use crate::at::embed_model::{EmbedCounts, Embeds};
use crate::at::embeds::Embedder;
use crate::at::labels;
use crate::at::model::{
    AT_SCHEMA, At, AtFile, AtParameters, Better, Counts, Holds, MostProven, PageAt, Part, SiteAt,
    SiteVerdict, Stretch,
};
use crate::at::page::{Ground, Selected};
use crate::at::phrase_model::Uncaptured;
use crate::at::phrases::PhraseTally;
use crate::at::words;
use crate::audit::bodies::Bodies;
use crate::audit::link_map::LinkMap;
use crate::audit::model::ProblemCount;
use crate::capture::page::{folder, is_failed};
use crate::capture::site;
use crate::capture::table::{LeftOut, Row, Table};
use crate::change::at::{Segment, Standings, State};
use crate::change::evidence::{Compare, Grade, Judge};
use crate::change::rate::{Evidence, Rate, Source, estimate};
use crate::change::run::Versions;
use crate::error::{Error, Result};
use crate::html::links::LinkKind;
use crate::quality::span::Span;
use crate::quality::sweep::Coverage;
use crate::time::{Instant, Interval};
use crate::url::{Canon, SiteBy};

/// The pages that the parameters select, in the order of their keys, with their rates.
fn select<'a>(table: &'a Table, judge: &Judge<'_>, parameters: &AtParameters) -> Result<Vec<Selected<'a>>> {
    let canon: Canon = parameters.canon.parse()?;
    let site_by: SiteBy = parameters.site_by.parse()?;
    let asked: BTreeMap<String, &String> = parameters.urls.iter().map(|url| (canon.key(url), url)).collect();
    let mut selected = Vec::new();
    let takes = |rows: &[Row], key: &str| {
        if asked.is_empty() { parameters.pages.takes(table, rows) } else { asked.contains_key(key) }
    };
    for site in site::group(table, 0..table.pages().len(), |url| site_by.site_of(url)) {
        if parameters.site.as_ref().is_some_and(|only| *only != site.name) {
            continue;
        }
        let is_asked = |rows: &[Row]| takes(rows, table.text(rows[0].key));
        // The rates of a site come from all of its pages, whichever are asked for.
        let is_needed =
            |rows: &[Row]| is_asked(rows) || (parameters.estimates && parameters.pages.takes(table, rows));
        let all = site.pages.iter().map(|place| table.rows_of(&table.pages()[*place]));
        let pages: Vec<(&[Row], Versions)> =
            all.filter(|rows| is_needed(rows)).map(|rows| (rows, Versions::of(judge, rows))).collect();
        let rates = if parameters.estimates { rates(table, &pages) } else { vec![None; pages.len()] };
        for ((rows, versions), rate) in pages.into_iter().zip(rates).filter(|((rows, _), _)| is_asked(rows)) {
            selected.push(Selected {
                url: table.text(rows[0].url).to_owned(),
                key: table.text(rows[0].key).to_owned(),
                site: Some(site.name.clone()),
                rows,
                versions,
                rate,
            });
        }
    }
    for (key, url) in asked {
        let site = site_by.site_of(url);
        let elsewhere = parameters.site.is_some() && parameters.site != site;
        if elsewhere || selected.iter().any(|page| page.key == key) {
            continue;
        }
        let rows = table.page(&key).map_or(&[][..], |page| table.rows_of(page));
        let versions = Versions::of(judge, rows);
        selected.push(Selected { url: url.clone(), key, site, rows, versions, rate: None });
    }
    selected.sort_by(|a, b| a.key.cmp(&b.key));
    if selected.is_empty() {
        return Err(Error::usage("no page is selected")
            .with_remedy("`acuity index` lists what was captured; --pages all takes every URL"));
    }
    Ok(selected)
}

/// The change rates of the pages of a site.
fn rates(table: &Table, pages: &[(&[Row], Versions)]) -> Vec<Option<Rate>> {
    let mut classes: BTreeMap<&str, u32> = BTreeMap::new();
    let evidence = pages.iter().map(|(rows, versions)| {
        let count = classes.len() as u32;
        let class = *classes.entry(folder(table.text(rows[0].url))).or_insert(count);
        Evidence::of(versions, class)
    });
    let evidence: Vec<Evidence> = evidence.collect();
    // A rate that nothing in the archive shows gives no chance.
    let known = |rate: Rate| Some(rate).filter(|rate| rate.source != Source::Assumed);
    estimate(&evidence).rates.into_iter().map(known).collect()
}

/// The verdict through all of time: from each instant on, until the next.
fn verdicts<'a>(pages: impl Iterator<Item = &'a [Segment]>) -> Vec<(Instant, SiteVerdict)> {
    let mut events: Vec<(Instant, i64, i64)> = Vec::new();
    let mut count = 0;
    for segments in pages {
        count += 1;
        let mut before = (0, 0);
        for segment in segments {
            let now = (
                i64::from(segment.standing.state == State::Proven),
                i64::from(segment.standing.is_refuted()),
            );
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

/// What an answer is computed from, besides the observations.
#[derive(Debug, Default)]
pub struct AtInput<'a> {
    /// The files that were read, with their hashes.
    pub inputs: Vec<AtFile>,
    /// The findings while reading.
    pub problems: Vec<ProblemCount>,
    /// The bodies of captures; without them phrases and embedded resources are unknown.
    pub bodies: Option<&'a Bodies>,
    /// The links of all pages; without them it is not known what the archive lacks.
    pub links: Option<&'a LinkMap>,
    /// What was left out of all captures, where the table is not of all.
    pub left_out: Option<LeftOut>,
    /// Gets the keys that were looked for and are not in the table, where it is not of all captures.
    pub sought: Option<&'a RefCell<BTreeSet<String>>>,
}

/// Answers for the observations of a table.
///
/// # Errors
/// When nothing is selected, or a parameter cannot be read.
pub fn at(table: &Table, parameters: &AtParameters, input: AtInput<'_>) -> Result<At> {
    let AtInput { inputs, problems, bodies, links, left_out, sought } = input;
    let date = AskedDate::parse(&parameters.date)?;
    let span = date.span;
    let judge = Judge::new(table, Compare::Bytes, parameters.evidence);
    let selected = select(table, &judge, parameters)?;
    let standings: Vec<Standings<'_>> =
        selected.iter().map(|page| Standings::of(table, &page.versions, page.rows)).collect();
    let segments: Vec<Vec<Segment>> = standings.iter().map(Standings::segments).collect();
    let steps = verdicts(segments.iter().map(Vec::as_slice));
    let parts = self::parts(&steps, span);
    let worst = parts.iter().max_by(|a, b| a.verdict.cmp(&b.verdict).then(b.from.cmp(&a.from)));
    let (verdict, decided_at) =
        worst.map_or((SiteVerdict::NotProvable, span.from), |part| (part.verdict, part.from));
    let ground = Ground::new(&judge, &inputs, bodies, parameters.estimates, selected.len() == 1);
    let mut phrases = PhraseTally::new(&ground, &parameters.phrases, parameters.raw)?;
    let mut embedder = Embedder::new(&ground, &judge, parameters.canon.parse()?, parameters.embeds, sought);
    let mut counts = Counts::default();
    let mut embeds: Option<EmbedCounts> = None;
    let mut pages: Vec<PageAt> = Vec::with_capacity(selected.len());
    for ((page, standings), segments) in selected.iter().zip(&standings).zip(&segments) {
        let (mut made, decided) = ground.page(page, standings, segments, span);
        counts.add(&made);
        if !parameters.phrases.is_empty() {
            phrases.add(page, &decided, &mut made);
        }
        if bodies.is_some() && parameters.embeds != Embeds::None {
            match embedder.page(page, &decided.standing) {
                Ok(found) => {
                    embeds.get_or_insert_default().add_all(found.counts);
                    made.embeds = Some(found);
                }
                Err(reason) => made.embeds_unknown = Some(reason),
            }
        }
        pages.push(made);
    }
    let phrases = phrases.finish();
    let uncaptured = links
        .filter(|_| !parameters.phrases.is_empty() && parameters.urls.is_empty())
        .map(|links| uncaptured(table, links, &selected, &parameters.site_by, sought))
        .transpose()?;
    let mut names: Vec<&Option<String>> = selected.iter().map(|page| &page.site).collect();
    names.sort();
    names.dedup();
    let sites = names.iter().map(|name| {
        let mine = || selected.iter().zip(&segments).filter(|(page, _)| page.site == **name);
        let steps = verdicts(mine().map(|(_, segments)| segments.as_slice()));
        let mut counts = Counts::default();
        for page in pages.iter().filter(|page| page.site == **name) {
            counts.add(page);
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
        let rank = |page: &PageAt| (std::cmp::Reverse((page.verdict, page.state)), !page.is_absent());
        rank(a).cmp(&rank(b)).then_with(|| a.key.cmp(&b.key))
    });
    let mut at = At {
        schema: AT_SCHEMA.to_owned(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        asked: Stretch { from: span.from, to: span.to },
        question: String::new(),
        verdict,
        answer: String::new(),
        because: Vec::new(),
        clocks: Vec::new(),
        grade,
        holds: holds(&steps, decided_at),
        parts,
        better: better(&steps, span, verdict),
        most_proven,
        counts,
        sites,
        pages,
        phrases,
        uncaptured,
        embeds,
        method: Vec::new(),
        limits: Vec::new(),
        inputs,
        parameters: parameters.clone(),
        left_out: left_out.unwrap_or_else(|| table.left_out()),
        problems,
        assumptions: Vec::new(),
    };
    labels::assign(&mut at.pages);
    labels::quotes(&at.pages, &mut at.phrases);
    words::speak(&mut at, &date);
    Ok(at)
}

/// How many URLs that the archive lacks are named.
const NAMED: usize = 100;

/// Addresses of the sites of the selected pages that captured pages, sitemaps and lists of pages point to, and of which
/// no capture is there that did not fail.
fn uncaptured(
    table: &Table,
    links: &LinkMap,
    selected: &[Selected<'_>],
    site_by: &str,
    sought: Option<&RefCell<BTreeSet<String>>>,
) -> Result<Uncaptured> {
    let site_by: SiteBy = site_by.parse()?;
    let sites: BTreeSet<&str> = selected.iter().filter_map(|page| page.site.as_deref()).collect();
    let graph = links.graph();
    let is_of_sites = |node: u32| site_by.site_of(links.url(node)).is_some_and(|site| sites.contains(&*site));
    let is_captured = |node: u32| {
        let key = graph.urls().get(node);
        let rows = table.page(key).map(|page| table.rows_of(page));
        if let (None, Some(sought)) = (rows, sought) {
            sought.borrow_mut().insert(key.to_owned());
        }
        rows.is_some_and(|rows| rows.iter().any(|row| !is_failed(row)))
    };
    let leads = |kind: LinkKind| {
        !matches!(kind, LinkKind::Form | LinkKind::Base) && (!kind.is_embed() || kind == LinkKind::Frame)
    };
    let mut lists: BTreeSet<u32> = BTreeSet::new();
    sites.iter().for_each(|site| lists.extend(links.lists(site)));
    let from = (0..graph.nodes() as u32).filter(|node| lists.contains(node) || is_of_sites(*node));
    let targets: BTreeSet<u32> =
        from.flat_map(|node| graph.out(node)).filter(|(_, kind)| leads(*kind)).map(|(to, _)| to).collect();
    let lacking = targets.into_iter().filter(|node| is_of_sites(*node) && !is_captured(*node));
    let mut urls: Vec<String> = lacking.map(|node| links.url(node).to_owned()).collect();
    urls.sort_unstable();
    let count = urls.len() as u64;
    urls.truncate(NAMED);
    Ok(Uncaptured { count, urls })
}
