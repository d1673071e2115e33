//! Pages at a date: table and parameters in, what is said of each page out; [`crate::at::total`] makes the answer of them.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::at::date::AskedDate;
use crate::at::embed_model::{EmbedCounts, Embeds};
use crate::at::embeds::Embedder;
use crate::at::model::{At, AtFile, AtParameters, PageAt};
use crate::at::page::{Ground, Selected};
use crate::at::phrase_model::{PhraseAt, Uncaptured};
use crate::at::phrases::PhraseTally;
use crate::at::total::Total;
use crate::audit::bodies::Bodies;
use crate::audit::link_map::LinkMap;
use crate::audit::model::ProblemCount;
use crate::capture::page::{folder, is_failed};
use crate::capture::site;
use crate::capture::table::{LeftOut, Row, Table};
use crate::change::at::{Segment, Standings};
use crate::change::evidence::{Compare, Judge};
use crate::change::rate::{Evidence, Rate, Source, estimate};
use crate::change::run::Versions;
use crate::error::Result;
use crate::html::links::LinkKind;
use crate::time::Interval;
use crate::url::{Canon, SiteBy};

/// The pages that the parameters select, in the order of their keys, with their rates.
fn select<'a>(
    table: &'a Table,
    judge: &Judge<'_>,
    parameters: &AtParameters,
    is_own: &dyn Fn(&str) -> bool,
) -> Result<Vec<Selected<'a>>> {
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
        let is_asked = |rows: &[Row]| {
            let key = table.text(rows[0].key);
            takes(rows, key) && is_own(key)
        };
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

/// What an answer is computed from, besides the observations.
#[derive(Debug, Default)]
pub struct AtInput<'a> {
    /// The files that were read, with their hashes.
    pub inputs: Vec<AtFile>,
    /// The findings while reading.
    pub problems: Vec<ProblemCount>,
    /// The bodies of captures; without them phrases and embedded resources are unknown.
    pub bodies: Option<&'a Bodies>,
    /// The links of all pages; without them it is unknown what the archive lacks.
    pub links: Option<&'a LinkMap>,
    /// What was left out of all captures, where the table is not of all.
    pub left_out: Option<LeftOut>,
    /// Gets the keys that were looked for and are not in the table, where it is not of all captures.
    pub sought: Option<&'a RefCell<BTreeSet<String>>>,
}

/// Some pages, answered for together.
pub(super) struct Batch {
    pub pages: Vec<Answered>,
    pub phrases: Vec<PhraseAt>,
    pub uncaptured: Option<Uncaptured>,
    pub embeds: Option<EmbedCounts>,
}

/// One page, and what of it the answer about all pages needs.
pub(super) struct Answered {
    pub page: PageAt,
    /// What is known of it through all of time.
    pub segments: Vec<Segment>,
    /// The stretches of time for which some version is proven.
    pub proven: Vec<Interval>,
}

/// Answers for the observations of a table.
///
/// # Errors
/// When nothing is selected, or a parameter cannot be read.
pub fn at(table: &Table, parameters: &AtParameters, input: AtInput<'_>) -> Result<At> {
    let mut total = Total::new(usize::MAX);
    total.add(batch(table, parameters, &input, None, &|_| true)?)?;
    let left_out = input.left_out.unwrap_or_else(|| table.left_out());
    total.finish(parameters, input.inputs, input.problems, left_out, false)
}

/// Answers for those pages of a table that `is_own` takes, by their keys; `pages` is how many are asked about in all, where
/// that is not the number of those in the table.
pub(super) fn batch(
    table: &Table,
    parameters: &AtParameters,
    input: &AtInput<'_>,
    pages: Option<u64>,
    is_own: &dyn Fn(&str) -> bool,
) -> Result<Batch> {
    let AtInput { inputs, bodies, links, sought, .. } = input;
    let span = AskedDate::parse(&parameters.date)?.span;
    let judge = Judge::new(table, Compare::Bytes, parameters.evidence);
    let selected = select(table, &judge, parameters, is_own)?;
    let is_one = pages.unwrap_or(selected.len() as u64) == 1;
    let ground = Ground::new(&judge, inputs, *bodies, parameters.estimates, is_one);
    let mut phrases = PhraseTally::new(&ground, &parameters.phrases, parameters.raw)?;
    let mut embedder = Embedder::new(&ground, &judge, parameters.canon.parse()?, parameters.embeds, *sought);
    let mut embeds: Option<EmbedCounts> = None;
    let mut pages: Vec<Answered> = Vec::with_capacity(selected.len());
    for page in &selected {
        let standings = Standings::of(table, &page.versions, page.rows);
        let segments = standings.segments();
        let (mut made, decided) = ground.page(page, &standings, &segments, span);
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
        pages.push(Answered { page: made, segments, proven: standings.versions().proven().collect() });
    }
    let phrases = phrases.finish();
    let uncaptured = links
        .filter(|_| !parameters.phrases.is_empty() && parameters.urls.is_empty())
        .map(|links| uncaptured(table, links, &selected, &parameters.site_by, *sought))
        .transpose()?;
    Ok(Batch { pages, phrases, uncaptured, embeds })
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
