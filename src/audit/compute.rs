//! The whole audit: table and parameters in, model out.
//!
//! For each site: rates from all captures there are, then for each window the measures over the captures inside. Cost:
//! O(n log n) in the number of observations.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::convert::Infallible;

use crate::audit::actions::{self, Known};
use crate::audit::changes::ChangeMeter;
use crate::audit::commands::Commands;
use crate::audit::fates::Fates;
use crate::audit::link_map::LinkMap;
use crate::audit::model::{
    Answers, Audit, CrawlOut, Input, Missing, ProblemCount, SCHEMA, SiteAudit, Summary,
};
use crate::audit::next::crawl;
use crate::audit::page::Work;
use crate::audit::params::Parameters;
use crate::audit::record::{self, Record};
use crate::audit::site::{self, Linked, SiteInput};
use crate::audit::sites::{Sites, Whole};
use crate::audit::soft404::Signs;
use crate::audit::targets::Targets;
use crate::audit::{answers, versions, words};
use crate::capture::crawl::Crawl;
use crate::capture::page::folder;
use crate::capture::site::Site;
use crate::capture::table::{Row, Table};
use crate::change::assumption::Assumption;
use crate::change::evidence::Judge;
use crate::change::history::History;
use crate::change::rate::{Evidence, estimate};
use crate::change::run::Versions;
use crate::html::sitemap::Entry;
use crate::problem::Problem;
use crate::quality::Weights;
use crate::quality::completeness::{VersionCompleteness, of_archive};
use crate::schedule::links::Links;
use crate::schedule::page::Found;
use crate::time::{Interval, SECOND};
use crate::url::Canon;

/// What an audit is computed from.
#[derive(Debug, Default)]
pub struct AuditInput<'a> {
    /// Weights for [`Table::pages`], in their order, with the name of their source; else all pages weigh the same.
    pub weights: Option<(&'a str, &'a [f64])>,
    /// The most pages that the result lists; with more it lists none. `None`: all of them.
    pub max_pages: Option<u64>,
    /// The links of the archive; `None`: they were not read.
    pub links: Option<&'a LinkMap>,
    /// What logs say became of URLs.
    pub fates: Option<&'a Fates>,
    /// Compares versions block by block, if enabled.
    pub changes: Option<&'a ChangeMeter>,
    /// What sitemaps say, from the archive or from the user.
    pub sitemaps: &'a [Entry],
    /// The exact history of changes, if the user has one.
    pub history: Option<&'a History>,
    /// Whether it was made by options that neither [`Parameters`] has nor `acuity schedule`.
    pub has_options: bool,
    /// The inputs as the user named them, for commands to repeat.
    pub typed: Vec<String>,
    /// What was read.
    pub inputs: Vec<Input>,
    /// What was found while reading: the first findings.
    pub problems: Vec<Problem>,
    /// How many findings there are in all.
    pub problem_counts: Vec<ProblemCount>,
}

/// Audits the observations of a table.
pub fn audit(table: &Table, parameters: &Parameters, input: AuditInput<'_>) -> Audit {
    let whole: Whole<'_, Infallible> =
        Whole::new(table, parameters, input.weights.map(|(_, weights)| weights));
    match audit_sites(&whole, parameters, input, &mut |_, _| Ok(())) {
        Ok(audit) => audit,
        Err(never) => match never {},
    }
}

/// What is done with each entry of a site when it is complete, its pages included, and its number.
pub(crate) type Entered<'e, E> = dyn FnMut(usize, &SiteAudit) -> Result<(), E> + 'e;

/// Audits sites, one after the other. `entered` sees each entry with its pages, also where the result has no room for them.
pub(crate) fn audit_sites<S: Sites>(
    sites: &S,
    parameters: &Parameters,
    input: AuditInput<'_>,
    entered: &mut Entered<'_, S::Error>,
) -> Result<Audit, S::Error> {
    let census = sites.census();
    let sitemaps: HashMap<String, &Entry> =
        input.sitemaps.iter().map(|entry| (parameters.canon.key(&entry.url), entry)).collect();
    // A page is named by any of its spellings, or by its key as another report gives it.
    let explain: HashSet<String> =
        parameters.explain.iter().flat_map(|url| [parameters.canon.key(url), url.clone()]).collect();
    let commands = Commands::new(&input.typed, &input.inputs, parameters, !input.has_options, census.sites);
    let index_only = !record::with_bodies(&input.inputs);
    let lists_pages = input.max_pages.is_none_or(|most| census.pages <= most);
    let mut pages = 0;
    let mut entries: Vec<SiteAudit> = Vec::new();
    let mut with_pages = 0;
    let mut complete: Vec<(VersionCompleteness, VersionCompleteness)> = Vec::new();
    let mut rescheduled = crawl::Room::default();
    let mut stories = parameters.stories;
    let mut assumed: BTreeSet<Assumption> = BTreeSet::new();
    sites.visit(&mut |one| {
        let context = Context {
            table: one.table,
            of_row: one.of_row,
            weights: one.weights,
            crawls: &census.crawls,
            parameters,
            sitemaps: &sitemaps,
            explain: &explain,
            commands: &commands,
            input: &input,
        };
        if let Some(meter) = input.changes {
            meter.forget();
        }
        let first = entries.len();
        let audited = context.site(one.site, &mut entries, &mut complete, &mut stories);
        crawl::recommend(&mut entries[first..], &commands, &mut rescheduled);
        for (number, entry) in entries.iter_mut().enumerate().skip(first) {
            entry.answers = answers::of_site(entry, index_only);
            assumed.extend(entry.page_list.iter().flat_map(|page| &page.assumptions));
            entered(number, entry)?;
            if !lists_pages {
                entry.leave_out_pages();
            }
        }
        pages += audited;
        with_pages += u64::from(audited > 0);
        Ok(())
    })?;
    assumed.extend((!entries.is_empty()).then_some(Assumption::PoissonChanges));
    let assumptions = assumed.iter().map(|assumption| assumption.text().to_owned()).collect();
    let spans = census.crawls.iter().map(|crawl| crawl.span);
    let window = spans.reduce(|a, b| Interval { from: a.from.min(b.from), to: a.to.max(b.to) });
    let observations = census.observations;
    let judged = Record {
        captures: observations,
        inputs: &input.inputs,
        counts: &input.problem_counts,
        problems: &input.problems,
        sites: &entries,
    };
    let why_none =
        if entries.is_empty() { words::why_none(&sites.captured()?, parameters) } else { String::new() };
    let verdict = words::overall(&entries, with_pages, || why_none);
    let (consistent, completed) = answers::of_sites(&entries, &verdict);
    let answers = Answers { consistent, complete: completed, record: judged.answer() };
    let actions = actions::choose(&Known { record: judged, answers: &answers, commands: &commands });
    Ok(Audit {
        schema: SCHEMA.to_owned(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        parameters: parameters.state(
            census.silence,
            input.weights.map_or("uniform", |(source, _)| source),
            input.history.is_some(),
        ),
        summary: Summary {
            observations,
            urls: census.urls,
            pages,
            sites: with_pages,
            verdict,
            window: window.map(Into::into),
            left_out: census.left_out,
            crawls: census.crawls.iter().map(crawl_out).collect(),
            completeness: (!complete.is_empty()).then(|| {
                let usable = entries.iter().any(|site| site.basis.versions.is_usable());
                let (weighted, plain): (Vec<_>, Vec<_>) = complete.into_iter().unzip();
                versions::out(&of_archive(&weighted), &of_archive(&plain), usable)
            }),
            problems: input.problem_counts,
        },
        inputs: input.inputs,
        sites: entries,
        answers,
        actions,
        assumptions,
        problems: input.problems,
    })
}

fn crawl_out(crawl: &Crawl) -> CrawlOut {
    CrawlOut {
        names: crawl.names.clone(),
        from: crawl.span.from,
        to: crawl.span.to,
        observations: crawl.observations as u64,
    }
}

/// Says when a crawl that begins with the page fetched first, and follows links, would find the pages and what is missing.
fn find(
    table: &Table,
    works: &[Work<'_>],
    missing: &mut [Missing],
    links: &LinkMap,
    canon: Canon,
) -> Vec<Found> {
    let node = |key: &str| links.node(key).unwrap_or(u32::MAX);
    let mut nodes: Vec<u32> = works.iter().map(|work| node(work.key(table))).collect();
    let known: HashSet<u32> = nodes.iter().copied().collect();
    let wanted: Vec<usize> = (0..missing.len())
        .filter(|place| {
            missing[*place].kind == "link" && !known.contains(&node(&canon.key(&missing[*place].url)))
        })
        .collect();
    nodes.extend(wanted.iter().map(|place| node(&canon.key(&missing[*place].url))));
    let between = links.graph().between(&nodes);
    let children: Vec<Vec<u32>> = (0..nodes.len()).map(|page| between.out(page).to_vec()).collect();
    let mut seeds: Vec<u32> = (0..works.len() as u32).collect();
    seeds.sort_by_key(|page| works[*page as usize].rows[0].time);
    let mut found = Found::by(&Links::new(seeds, &children));
    let others = found.split_off(works.len());
    wanted.iter().zip(others).for_each(|(place, found)| missing[*place].found = Some(found));
    found
}

struct Context<'a> {
    table: &'a Table,
    /// For every row of the table the number of its crawl.
    of_row: &'a [Option<u32>],
    weights: Option<&'a [f64]>,
    crawls: &'a [Crawl],
    parameters: &'a Parameters,
    sitemaps: &'a HashMap<String, &'a Entry>,
    explain: &'a HashSet<String>,
    commands: &'a Commands,
    input: &'a AuditInput<'a>,
}

impl<'a> Context<'a> {
    /// Audits one site: one entry, or one for each pair of consecutive crawls. Gives the number of its pages.
    fn site(
        &self,
        site: &Site,
        entries: &mut Vec<SiteAudit>,
        complete: &mut Vec<(VersionCompleteness, VersionCompleteness)>,
        stories: &mut usize,
    ) -> u64 {
        let Context { table, parameters, .. } = *self;
        let judge = Judge::new(table, parameters.compare, parameters.evidence);
        let rows_of = |place: usize| table.rows_of(&table.pages()[place]);
        let places: Vec<usize> = site
            .pages
            .iter()
            .copied()
            .filter(|place| parameters.pages.takes(table, rows_of(*place)))
            .collect();
        if places.is_empty() {
            return 0;
        }
        let versions: Vec<Versions> =
            places.iter().map(|place| Versions::of(&judge, rows_of(*place))).collect();
        let mut classes: BTreeMap<&str, u32> = BTreeMap::new();
        let evidence: Vec<Evidence> = places
            .iter()
            .zip(&versions)
            .map(|(place, versions)| {
                let count = classes.len() as u32;
                let class = *classes.entry(folder(table.text(rows_of(*place)[0].url))).or_insert(count);
                self.evidence(*place, versions, class)
            })
            .collect();
        let fitted = estimate(&evidence);
        let mut crawls: Vec<u32> = places
            .iter()
            .flat_map(|place| &self.of_row[table.pages()[*place].rows.clone()])
            .filter_map(|crawl| *crawl)
            .collect();
        crawls.sort_unstable();
        crawls.dedup();
        let pairs: Vec<Vec<u32>> = match crawls.len() {
            0 => return 0,
            1 => vec![crawls],
            _ => crawls.windows(2).map(<[u32]>::to_vec).collect(),
        };
        let mut versions: Vec<Option<Versions>> = versions.into_iter().map(Some).collect();
        let once = pairs.len() == 1;
        for pair in &pairs {
            let inside = |crawl: u32| pair.contains(&crawl);
            let works: Vec<Work<'a>> = places
                .iter()
                .enumerate()
                .filter_map(|(page, place)| {
                    let known = if once { versions[page].take() } else { None };
                    let weight = self.weights.map_or(1.0, |weights| weights[*place]);
                    Work::new(&judge, *place, self.of_row, inside, fitted.rates[page], weight, known)
                })
                .collect();
            let Some(window) = self.window(&works) else { continue };
            let rows = site.pages.iter().flat_map(|place| table.pages()[*place].rows.clone());
            let inside_row = |row: usize| self.of_row[row].is_some_and(inside);
            let rows = rows.filter(|row| inside_row(*row)).map(|row| &table.rows()[row]);
            let signs = Signs::of(table, rows.clone());
            let weights = Weights::new(&works.iter().map(|work| work.weight).collect::<Vec<_>>());
            let linked = self.links(site, &works, &weights, &signs, &inside_row);
            let input = SiteInput {
                table,
                name: &site.name,
                weights,
                linked,
                sitemaps: works.iter().map(|work| self.sitemap_of(work.key(table))).collect(),
                crawls: pair.iter().map(|crawl| crawl_out(&self.crawls[*crawl as usize])).collect(),
                works,
                window,
                rates: &fitted,
                history: self.input.history,
                judge,
                explain: self.explain,
                stories: *stories,
                changes: self.input.changes,
                weighted: self.input.weights.is_some(),
                signs: &signs,
                commands: self.commands,
                utc_offset_minutes: parameters.utc_offset_minutes,
            };
            let (entry, versions) = site::audit(&input, rows);
            let told = entry.page_list.iter().filter(|page| page.story.is_some()).count();
            *stories = stories.saturating_sub(told);
            entries.push(entry);
            complete.push(versions);
        }
        places.len() as u64
    }

    /// What became of the links of a site, or why that is not known.
    fn links(
        &self,
        site: &Site,
        works: &[Work<'_>],
        weights: &Weights,
        signs: &Signs,
        inside: &dyn Fn(usize) -> bool,
    ) -> Result<Linked, String> {
        let links = self.input.links.ok_or("links were not read: that takes the bodies of the captures")?;
        let unread = Fates::default();
        let targets = Targets {
            table: self.table,
            links,
            fates: self.input.fates.unwrap_or(&unread),
            parameters: self.parameters,
            site: &site.name,
            signs,
            inside,
            robots: Default::default(),
        };
        let share = |page: usize| weights.share(weights.units(page)).unwrap_or(0.0) * works.len() as f64;
        let pages = works.iter().enumerate().map(|(page, work)| (work.key(self.table), share(page)));
        let mut complete = targets.complete(&pages.collect::<Vec<_>>());
        for missing in complete.missing.iter_mut().filter(|_| !self.sitemaps.is_empty()) {
            missing.sitemap = self.sitemap_of(&self.parameters.canon.key(&missing.url));
        }
        let found = find(self.table, works, &mut complete.missing, links, self.parameters.canon);
        Ok(Linked { complete, found })
    }

    /// The sitemap that lists the page of a key.
    fn sitemap_of(&self, key: &str) -> Option<String> {
        self.sitemaps.get(key)?.sitemap.as_deref().map(str::to_owned)
    }

    /// What is known of the rate of a page: the exact history before captures, a sitemap beside them.
    fn evidence(&self, place: usize, versions: &Versions, class: u32) -> Evidence {
        let first: &Row = &self.table.rows_of(&self.table.pages()[place])[0];
        let key = self.table.text(first.key);
        if let Some(history) = self.input.history
            && let (Some(changes), Some(span)) =
                (history.changes(self.table.text(first.url), key), history.span())
            && span.to > span.from
        {
            return Evidence::exact(changes.len() as u32, span.seconds(), class);
        }
        let mut evidence = Evidence::of(versions, class);
        if let Some(entry) = self.sitemaps.get(key) {
            evidence.change_freq = entry.change_freq;
            if let Some(modified) = entry.last_modified.filter(|modified| *modified <= first.time)
                && evidence.told.is_empty()
            {
                evidence.told.pin((first.time.0 - modified.0) as f64 / SECOND as f64);
            }
        }
        evidence
    }

    /// The window: the dates the user gave, else first and last capture.
    fn window(&self, works: &[Work<'_>]) -> Option<Interval> {
        let rows = || works.iter().flat_map(|work| work.rows.iter());
        let from = self.parameters.from.or_else(|| rows().map(|row| row.time).min())?;
        let to = self.parameters.to.or_else(|| rows().map(|row| row.end).max())?;
        Interval::new(from, to.max(from))
    }
}

#[cfg(test)]
#[path = "compute_tests.rs"]
mod tests;
