//! The whole audit: table and parameters in, model out.
//!
//! For each site: page records from its captures, rates from all captures there are, then for each window the measures over the
//! records of the captures inside. Cost: O(n log n) in the number of observations.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io;

use crate::audit::changes::ChangeMeter;
use crate::audit::commands::{Commands, Typed};
use crate::audit::conclude::{Gathered, conclude};
use crate::audit::fates::Fates;
use crate::audit::importance::PAGERANK_ALL;
use crate::audit::link_map::LinkMap;
use crate::audit::model::{Audit, CrawlSummary, Input, Missing, PageAudit, ProblemCount, SiteAudit};
use crate::audit::next::crawl;
use crate::audit::page_record::PageRecord;
use crate::audit::params::Parameters;
use crate::audit::rate_list::RateList;
use crate::audit::record;
use crate::audit::records::Records;
use crate::audit::reduce::Manifest;
use crate::audit::site::{self, Audited, Hooks, Linked, SiteInput};
use crate::audit::site_rates::{self, RatePriors, RateSources};
use crate::audit::sites::{OneSite, Sites, Whole};
use crate::audit::soft404::Signs;
use crate::audit::targets::Targets;
use crate::audit::visit::{InWindow, Visitor};
use crate::audit::{answers, bands, why, words};
use crate::capture::Kind;
use crate::capture::crawl::{Crawl, Division};
use crate::capture::table::Table;
use crate::change::assumption::Assumption;
use crate::change::history::History;
use crate::change::rate::{Evidence, Rates};
use crate::html::sitemap::Entry;
use crate::problem::Problem;
use crate::quality::Weights;
use crate::schedule::links::Links;
use crate::schedule::page::Found;
use crate::time::{Instant, Interval};
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
    /// Why they were not read, where it is not for want of bodies.
    pub links_unknown: Option<&'a str>,
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
    /// Whether this is a part of a collection: what is said of a site does not depend on the others then.
    pub is_part: bool,
    /// The inputs as the user named them, for commands to repeat.
    pub typed: Typed,
    /// What was read.
    pub inputs: Vec<Input>,
    /// What was found while reading: the first findings.
    pub problems: Vec<Problem>,
    /// How many findings there are in all.
    pub problem_counts: Vec<ProblemCount>,
}

/// Audits the observations of a table.
pub fn audit(table: &Table, parameters: &Parameters, input: AuditInput<'_>) -> Audit {
    let whole = Whole::new(table, parameters, input.weights.map(|(_, weights)| weights));
    // Only what lies on disk can fail.
    audit_sites(&whole, parameters, input, &mut |_, _, _| Ok(()))
        .unwrap_or_else(|error| unreachable!("a table is in memory: {error}"))
}

/// What is done with each page: the number of its entry, the name of its site, the page.
pub(crate) type Entered<'e, E> = dyn FnMut(usize, &str, &PageAudit) -> Result<(), E> + 'e;

/// Audits sites, one after the other. `entered` sees all pages, also where the result has no room for them.
pub(crate) fn audit_sites<S: Sites + ?Sized>(
    sites: &S,
    parameters: &Parameters,
    input: AuditInput<'_>,
    entered: &mut Entered<'_, S::Error>,
) -> Result<Audit, S::Error> {
    let census = sites.census();
    let sitemaps = by_key(input.sitemaps, parameters.canon);
    // A page is named by any of its spellings, or by its key as another report gives it.
    let explain: HashSet<String> =
        parameters.explain.iter().flat_map(|url| [parameters.canon.key(url), url.clone()]).collect();
    let plain = !input.has_options;
    let commands = match input.is_part {
        true => Commands::of_part(&input.typed, &input.inputs, parameters, plain),
        false => Commands::new(&input.typed, &input.inputs, parameters, plain, census.sites),
    };
    let logged = input.fates.map(|fates| fates.logged_sites(&parameters.site_by)).unwrap_or_default();
    let mut tally = census.tally.clone();
    let lists_pages = input.max_pages.is_none_or(|most| census.pages <= most);
    let mut pages = 0;
    let mut entries: Vec<SiteAudit> = Vec::new();
    let mut with_pages = 0;
    let mut rescheduled = crawl::Room::default();
    let mut stories = parameters.stories;
    let mut assumed: BTreeSet<Assumption> = BTreeSet::new();
    sites.visit(&mut |one| {
        let context = Context {
            crawls: &census.crawls,
            parameters,
            sitemaps: &sitemaps,
            explain: &explain,
            commands: &commands,
            input: &input,
            logged: &logged,
            lists_pages,
        };
        let (first, mut absent) = (entries.len(), Vec::new());
        let mut errors: BTreeSet<String> = BTreeSet::new();
        let audited = context.site(
            one,
            &mut stories,
            &mut |audited: Audited| {
                assumed.extend(audited.assumptions);
                absent.push(audited.absent);
                entries.push(audited.entry);
            },
            first,
            &mut |number, site, page| {
                if page.error_page.is_some() {
                    errors.insert(page.key.clone());
                }
                entered(number, site, page)
            },
        )?;
        let seeds = tally.seeds_of(one.name, &parameters.site_by, &errors);
        tally.fail_seeds(&errors);
        if input.is_part {
            rescheduled = crawl::Room::default();
        }
        crawl::recommend(&mut entries[first..], &commands, &mut rescheduled);
        for (entry, absent) in entries[first..].iter_mut().zip(&absent) {
            if let Some(found) = &mut entry.completeness {
                found.seeds = seeds;
            }
            entry.answers = answers::of_site(entry, absent.as_ref());
            entry.answers.why = why::of(entry);
            if !lists_pages {
                entry.leave_out_pages();
            }
        }
        pages += audited;
        with_pages += u64::from(audited > 0);
        Ok(())
    })?;
    assumed.extend((!entries.is_empty()).then_some(Assumption::PoissonChanges));
    let is_limited = parameters.site.is_some();
    let why_none =
        if entries.is_empty() { words::why_none(&sites.captured()?, parameters) } else { String::new() };
    let gathered = Gathered {
        part_of: input.typed.inputs.first().filter(|_| input.is_part).cloned(),
        parameters: parameters.state(
            census.silence,
            input.weights.map_or("uniform", |(source, _)| source),
            input.history.is_some(),
            input.has_options,
        ),
        observations: tally.captures(),
        urls: tally.urls(),
        window: tally.span().filter(|_| is_limited).map(Into::into),
        files: is_limited.then(|| tally.inputs().iter().copied().collect()),
        profile: parameters.profile.then(|| tally.finish()),
        seeds: tally.all_seeds(),
        pages,
        sites: with_pages,
        left_out: census.left_out,
        crawls: census.crawls.iter().map(crawl_out).collect(),
        entries,
        assumptions: assumed.iter().map(|assumption| assumption.text().to_owned()).collect(),
        inputs: input.inputs,
        problems: input.problems,
        problem_counts: input.problem_counts,
    };
    Ok(conclude(gathered, &commands, || why_none))
}

/// Makes page records instead of an audit, one site after the other, and says first what they are made from.
pub(crate) fn record_sites<S: Sites + ?Sized>(
    sites: &S,
    parameters: &Parameters,
    input: AuditInput<'_>,
    part_of: Option<String>,
    verified: bool,
    begin: &mut dyn FnMut(&Manifest) -> Result<(), S::Error>,
    give: &mut dyn FnMut(&PageRecord) -> Result<(), S::Error>,
) -> Result<(), S::Error> {
    let census = sites.census();
    begin(&Manifest {
        schema: PageRecord::SCHEMA.to_owned(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        parameters: parameters.state(census.silence, "uniform", false, input.has_options),
        part_of,
        typed: input.typed.inputs.clone(),
        observations: census.tally.captures(),
        urls: census.tally.urls(),
        left_out: census.left_out,
        bodies_read: verified && record::with_bodies(&input.inputs),
        crawls: census.crawls.iter().map(crawl_out).collect(),
        inputs: own_inputs(&input.inputs, &parameters.companions),
        problems: input.problems.clone(),
        problem_counts: input.problem_counts.clone(),
    })?;
    sites.visit(&mut |one| {
        let visitor = Visitor { one, parameters, changes: input.changes };
        let crawls = match &parameters.division {
            Division::Whole => vec![0],
            _ => visitor.crawls()?,
        };
        visitor.each_record(&crawls, None, true, &mut |record, _| give(&record))
    })
}

/// Finds what parts of the sites need to have the rates of the whole.
pub(crate) fn rate_priors<S: Sites + ?Sized>(
    sites: &S,
    parameters: &Parameters,
    input: AuditInput<'_>,
) -> Result<RatePriors, S::Error> {
    let sitemaps = by_key(input.sitemaps, parameters.canon);
    let told = RateSources { sitemaps: &sitemaps, history: input.history };
    let mut found = RatePriors { schema: site_rates::SCHEMA.to_owned(), sites: BTreeMap::new() };
    sites.visit(&mut |one| {
        let all = Visitor { one, parameters, changes: None }.records(&[0], None, false)?;
        if all.records.pages() > 0 {
            found.sites.insert(one.name.to_owned(), told.prior(&all.records)?);
        }
        Ok(())
    })?;
    Ok(found)
}

/// What sitemaps say, by the key of the page.
fn by_key(sitemaps: &[Entry], canon: Canon) -> HashMap<String, &Entry> {
    sitemaps.iter().map(|entry| (canon.key(&entry.url), entry)).collect()
}

/// The inputs without those that hold captures of other pages only.
fn own_inputs(inputs: &[Input], companions: &[u32]) -> Vec<Input> {
    let own = (0u32..).zip(inputs).filter(|(number, _)| !companions.contains(number));
    own.map(|(_, input)| input.clone()).collect()
}

fn crawl_out(crawl: &Crawl) -> CrawlSummary {
    CrawlSummary {
        names: crawl.names.clone(),
        from: crawl.span.from,
        to: crawl.span.to,
        observations: crawl.observations as u64,
    }
}

/// Says when a crawl that begins with the page fetched first, and follows links, would find the pages and what is missing.
fn find(pages: &[(String, Instant)], missing: &mut [Missing], links: &LinkMap, canon: Canon) -> Vec<Found> {
    let node = |key: &str| links.node(key).unwrap_or(u32::MAX);
    let mut nodes: Vec<u32> = pages.iter().map(|(key, _)| node(key)).collect();
    let known: HashSet<u32> = nodes.iter().copied().collect();
    let wanted: Vec<usize> = (0..missing.len())
        .filter(|place| {
            missing[*place].kind == "link" && !known.contains(&node(&canon.key(&missing[*place].url)))
        })
        .collect();
    nodes.extend(wanted.iter().map(|place| node(&canon.key(&missing[*place].url))));
    let between = links.graph().between(&nodes);
    let children: Vec<Vec<u32>> = (0..nodes.len()).map(|page| between.out(page).to_vec()).collect();
    let mut seeds: Vec<u32> = (0..pages.len() as u32).collect();
    seeds.sort_by_key(|page| pages[*page as usize].1);
    let mut found = Found::by(&Links::new(seeds, &children));
    let others = found.split_off(pages.len());
    wanted.iter().zip(others).for_each(|(place, found)| missing[*place].found = Some(found));
    found
}

struct Context<'a> {
    crawls: &'a [Crawl],
    parameters: &'a Parameters,
    sitemaps: &'a HashMap<String, &'a Entry>,
    explain: &'a HashSet<String>,
    commands: &'a Commands,
    input: &'a AuditInput<'a>,
    /// The sites that logs speak of.
    logged: &'a HashSet<String>,
    lists_pages: bool,
}

impl Context<'_> {
    /// Audits one site: one entry, or one for each pair of consecutive crawls. Gives the number of its pages. `first` is the number
    /// of its first entry.
    fn site<E: From<io::Error>>(
        &self,
        one: &OneSite<'_, E>,
        stories: &mut usize,
        audited: &mut dyn FnMut(Audited),
        first: usize,
        entered: &mut Entered<'_, E>,
    ) -> Result<u64, E> {
        let visitor = Visitor { one, parameters: self.parameters, changes: self.input.changes };
        let crawls = match (one.records, &self.parameters.division) {
            (Some(made), _) => made.crawls()?,
            (None, Division::Whole) => vec![0],
            (None, _) => visitor.crawls()?,
        };
        let is_single = crawls.len() < 3;
        let found = match one.records {
            Some(_) => None,
            None => Some(visitor.records(&crawls, None, is_single)?),
        };
        let Some(all) = one.records.or(found.as_ref()).filter(|all| all.records.pages() > 0) else {
            return Ok(0);
        };
        let rates = self.rates(one.name, &all.records)?;
        let mut number = first;
        let mut audit = |pair: &[u32], inside: &InWindow| -> Result<(), E> {
            let Some(window) = self.window(inside) else { return Ok(()) };
            let found =
                self.in_window(&visitor, pair, inside, window, &rates, *stories, &mut |site, page| {
                    entered(number, site, page)
                })?;
            *stories = stories.saturating_sub(found.told);
            number += 1;
            audited(found);
            Ok(())
        };
        if is_single {
            audit(&crawls, all)?;
            return Ok(rates.rates.len() as u64);
        }
        let known: Vec<Evidence> = evidence_of(&all.records)?;
        drop(found);
        for pair in crawls.windows(2) {
            audit(pair, &visitor.records(pair, Some(&known), true)?)?;
        }
        Ok(rates.rates.len() as u64)
    }

    /// The rates of all pages of a site.
    fn rates(&self, site: &str, records: &Records) -> io::Result<Rates<RateList>> {
        let given = self.parameters.rate_priors.as_ref().and_then(|priors| priors.sites.get(site));
        RateSources { sitemaps: self.sitemaps, history: self.input.history }.rates(records, given)
    }

    /// The entry of a site in one window. `page` gets the name of the site and each page.
    #[allow(clippy::too_many_arguments, reason = "all of one window")]
    fn in_window<E: From<io::Error>>(
        &self,
        visitor: &Visitor<'_, E>,
        pair: &[u32],
        inside: &InWindow,
        window: Interval,
        rates: &Rates<RateList>,
        stories: usize,
        page: &mut dyn FnMut(&str, &PageAudit) -> Result<(), E>,
    ) -> Result<Audited, E> {
        let (records, name) = (&inside.records, visitor.one.name);
        let signs = Signs::gather(records)?;
        let weights = match &inside.weights {
            Some(weights) => Weights::new(weights),
            None => Weights::uniform(records.pages()),
        };
        let input = SiteInput {
            name,
            records,
            window,
            crawls: pair.iter().filter_map(|crawl| self.crawls.get(*crawl as usize)).map(crawl_out).collect(),
            rates,
            history: self.input.history,
            explain: self.explain,
            stories,
            weighted: self.input.weights.is_some(),
            signs: &signs,
            commands: self.commands,
            linked: self.links(visitor.one, records, &weights, &signs, pair)?,
            is_logged: self.logged.contains(name),
            weights,
            importances: inside
                .weights
                .as_deref()
                .filter(|_| self.input.weights.is_some_and(|(by, _)| by == PAGERANK_ALL)),
            sitemap_of: &|key| self.sitemap_of(key),
            utc_offset_minutes: self.parameters.utc_offset_minutes,
            lists: self.lists_pages || records.pages() <= crawl::Room::default().pages,
        };
        let hooks = Hooks {
            tell: &mut |keys: &HashSet<String>| visitor.stories(pair, keys),
            page: &mut |audited: &PageAudit| page(name, audited),
        };
        site::audit(&input, hooks)
    }

    /// What became of the links of a site, or why that is unknown.
    fn links<E>(
        &self,
        one: &OneSite<'_, E>,
        records: &Records,
        weights: &Weights,
        signs: &Signs,
        pair: &[u32],
    ) -> io::Result<Result<Linked, String>> {
        let is_read = self.input.links.is_some() || self.input.links_unknown.is_some();
        if is_from_index(records)? {
            return Ok(Err(bands::NOT_IN_INDEX.to_owned()));
        }
        if !is_read && !record::with_bodies(&self.input.inputs) {
            return Ok(Err(bands::NOT_IN_LIST.to_owned()));
        }
        let why =
            self.input.links_unknown.unwrap_or("links were not read: that takes the bodies of the captures");
        let Some(links) = self.input.links else { return Ok(Err(why.to_owned())) };
        let Some(judged) = one.judged_by.as_ref() else {
            return Ok(Err("the captures that links lead to were not read".to_owned()));
        };
        let unread = Fates::default();
        let targets = Targets {
            table: judged.table,
            links,
            fates: self.input.fates.unwrap_or(&unread),
            is_logged: self.logged.contains(one.name),
            parameters: self.parameters,
            site: one.name,
            signs,
            inside: &|row| judged.of_row[row].is_some_and(|crawl| pair.contains(&crawl)),
            robots: Default::default(),
            blank: Default::default(),
            markup: Default::default(),
        };
        let mut pages: Vec<(String, Instant)> = Vec::with_capacity(records.pages());
        records.each(&mut |kept| {
            if kept.number.is_some() {
                let first = kept.record.captures.first().map_or(kept.record.since, |first| first.time);
                pages.push((kept.record.key.clone(), first));
            }
        })?;
        let share = |page: usize| weights.share(weights.units(page)).unwrap_or(0.0) * pages.len() as f64;
        let weighed = pages.iter().enumerate().map(|(page, (key, _))| (key.as_str(), share(page)));
        let mut complete = targets.complete(&weighed.collect::<Vec<_>>());
        for missing in complete.missing.iter_mut().filter(|_| !self.sitemaps.is_empty()) {
            missing.sitemap = self.sitemap_of(&self.parameters.canon.key(&missing.url));
        }
        let found = find(&pages, &mut complete.missing, links, self.parameters.canon);
        Ok(Ok(Linked { complete, found }))
    }

    /// The sitemap that lists the page of a key.
    fn sitemap_of(&self, key: &str) -> Option<String> {
        self.sitemaps.get(key)?.sitemap.as_deref().map(str::to_owned)
    }

    /// The window: the dates the user gave, else first and last capture of a page.
    fn window(&self, inside: &InWindow) -> Option<Interval> {
        let from = self.parameters.from.or(inside.span.map(|span| span.from))?;
        let to = self.parameters.to.or(inside.span.map(|span| span.to))?;
        Interval::new(from, to.max(from))
    }
}

/// Whether only an index tells of the pages.
fn is_from_index(records: &Records) -> io::Result<bool> {
    let mut by_index = records.pages() > 0;
    records.each(&mut |kept| {
        by_index &=
            kept.number.is_none() || kept.record.answers.iter().all(|answer| answer.kind == Kind::Index);
    })?;
    Ok(by_index)
}

/// What the captures of each page say about its rate, by the number of the page.
fn evidence_of(records: &Records) -> io::Result<Vec<Evidence>> {
    let mut known = Vec::with_capacity(records.pages());
    records.each(&mut |kept| known.extend(kept.number.map(|_| kept.record.evidence(0))))?;
    Ok(known)
}

#[cfg(test)]
#[path = "compute_tests.rs"]
mod tests;
