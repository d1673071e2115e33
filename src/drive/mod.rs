//! From what was read to an audit: builds tables, adds what else is known, and audits them.

mod companions;
mod judging;
mod shelved;

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::Arc;
use std::time::SystemTime;

pub(crate) use judging::Judging;
use shelved::{Shelved, ShelvedSites};

use crate::archive::file_hashes::blake3_of;
use crate::archive::source::path_of;
use crate::archive::wacz::ListedPage;
use crate::audit::commands::Typed;
use crate::audit::compute::{Entered, audit_sites, rate_priors, record_sites};
use crate::audit::history_check::HistoryCheck;
use crate::audit::importance::{NO_MATCH, weigh};
use crate::audit::insignificant;
use crate::audit::missing_archives::{Holdings, changed_since, moved};
use crate::audit::model::{Input, ProblemCount};
use crate::audit::page_record::PageRecord;
use crate::audit::reduce::Manifest;
use crate::audit::site_problems::SiteProblems;
use crate::audit::site_rates::RatePriors;
use crate::audit::sites::{Captured, Sites, Whole};
use crate::audit::{Audit, AuditInput, ChangeMeter, Fates, Importance, LinkMap, Parameters};
use crate::capture::table::{Table, TableBuilder};
use crate::change::history::History;
use crate::error::Result;
use crate::html::sitemap::Entry;
use crate::ingest::codec::decode;
use crate::ingest::spool::Spool;
use crate::ingest::{InputFile, ProblemLog, Reading, SitemapFile, report_contradictions};
use crate::problem::{Level, Problem};
use crate::url::Canon;

/// What an audit is made with, besides the archives.
pub(crate) struct AuditExtras {
    /// Entries of sitemaps, the most trusted last.
    pub sitemaps: Vec<Entry>,
    /// What logs say became of URLs.
    pub fates: Fates,
    pub importance: Importance,
    /// The exact history of changes and the name of its file.
    pub history: Option<(History, String)>,
    /// Compares versions block by block, if enabled.
    pub meter: Option<ChangeMeter>,
    /// Whether digests were recomputed, so that bodies were read.
    pub verified: bool,
    /// Whether there are options that `acuity schedule` would not know of.
    pub has_options: bool,
    /// Whether the inputs are a part of a collection.
    pub is_part: bool,
    /// The inputs as the user named them.
    pub typed: Typed,
    /// The most pages that the result lists; with more it lists none.
    pub max_pages: Option<u64>,
}

/// What was read, as an audit takes it, and the inputs as a report states them.
pub(crate) struct Tabled {
    captures: Captures,
    inputs: Vec<Input>,
    holdings: Holdings,
    /// The archives that hold bodies, as they were when they were looked for.
    states: BTreeMap<String, (u64, Option<SystemTime>)>,
    /// Bytes of memory that an audit may take.
    memory: usize,
}

enum Captures {
    Whole(Box<Table>),
    /// On disk.
    Shelved(Box<Shelved>),
}

/// How captures are made into tables.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tabling {
    /// Whether inputs are hashed.
    pub hashed: bool,
    /// Bytes of memory for captures.
    pub memory: usize,
    /// Whether the weights of a site need nothing but the site.
    pub local: bool,
}

/// What a capture takes in a table, with its page in the result: some 500 bytes, and room for it to grow in.
const CAPTURE: u64 = 800;

/// Makes one table of captures where they fit into memory, or are a part of a collection, else one of each site when it is audited. Reports captures that
/// contradict each other.
pub(crate) fn tabulate(
    reading: &mut Reading,
    parameters: &Parameters,
    log: &mut ProblemLog,
    how: Tabling,
) -> Result<Tabled> {
    let mut counts = vec![0u64; reading.inputs.len()];
    let read = reading.inputs.iter().filter(|file| file.format.has_bodies());
    let mut holdings = Holdings::beside(read.map(|file| (file.file.clone(), file.bytes)));
    let spool = std::mem::replace(&mut reading.observations, Spool::new(0));
    let is_local = how.local && parameters.companions.is_empty();
    let captures = if is_local && spool.len().saturating_mul(CAPTURE) > how.memory as u64 {
        let (files, memory) = (&reading.inputs, how.memory / 4);
        let shelved = Shelved::new(spool, parameters, files, memory, &mut counts, &mut holdings, log)?;
        Captures::Shelved(Box::new(shelved))
    } else {
        let table = whole(spool, parameters, &mut counts)?;
        report_contradictions(&table, &reading.inputs, log)?;
        holdings.add(&table);
        Captures::Whole(Box::new(table))
    };
    let inputs = inputs(&reading.inputs, &counts, how.hashed)?;
    Ok(Tabled { inputs, captures, holdings, states: BTreeMap::new(), memory: how.memory })
}

/// One table of all captures; their memory is freed on the way.
fn whole(spool: Spool, parameters: &Parameters, counts: &mut [u64]) -> Result<Table> {
    let canon = parameters.canon;
    let mut builder = TableBuilder::beside(&parameters.companions);
    spool.drain(&mut |bytes, names| {
        let (mut observation, input) = decode(bytes, names).ok_or(io::ErrorKind::InvalidData)?;
        if let Some(count) = counts.get_mut(input as usize) {
            *count += 1;
        }
        if canon != Canon::Default {
            canon.key_into(&observation.url, &mut observation.key);
        }
        builder.push(&observation, input);
        Ok(())
    })?;
    Ok(builder.finish())
}

impl Tabled {
    /// Visits all captures, as one table or as several that follow each other by key.
    pub(crate) fn for_each_table(&self, visit: &mut dyn FnMut(&Table) -> io::Result<()>) -> io::Result<()> {
        match &self.captures {
            Captures::Whole(table) => visit(table),
            Captures::Shelved(shelved) => shelved.for_each_table(visit),
        }
    }

    /// When and of which sites there are captures.
    pub(crate) fn captured(&self, parameters: &Parameters) -> Captured {
        match &self.captures {
            Captures::Whole(table) => {
                let mut captured = Captured::default();
                captured.add(table, parameters);
                captured
            }
            Captures::Shelved(shelved) => shelved.captured(),
        }
    }
}

/// Audits what was read; problems found on the way are added to the log. `entered` sees each page.
pub(crate) fn drive(
    reading: Reading,
    tabled: &mut Tabled,
    log: &mut ProblemLog,
    parameters: &Parameters,
    beside: AuditExtras,
    entered: &mut Entered<'_, io::Error>,
) -> Result<Audit> {
    let compared = beside.meter.is_some();
    let made = with_sites(reading, tabled, log, parameters, beside, &mut |sites, input| {
        audit_sites(sites, parameters, input, entered)
    });
    let mut audit = made??;
    let changed =
        changed_since(&tabled.states, &tabled.holdings, compared, &|visit| tabled.for_each_table(visit))?;
    for (number, captures) in changed.captures {
        if let Some(input) = audit.inputs.get_mut(number as usize) {
            let known = input.unreadable_bodies.unwrap_or(0);
            input.unreadable_bodies = Some(known.max(captures));
        }
    }
    for problem in changed.problems {
        log.push(problem.clone())?;
        let counts = &mut audit.summary.problems;
        match counts.iter_mut().find(|known| known.level == problem.level && known.kind == problem.kind) {
            Some(known) => known.count += 1,
            None => {
                counts.push(ProblemCount { level: problem.level, kind: problem.kind.clone(), count: 1 });
            }
        }
        audit.problems.push(problem);
    }
    Ok(audit)
}

/// Makes page records of what was read: `begin` gets what they are made from, `give` gets the records.
pub(crate) fn drive_records(
    reading: Reading,
    tabled: &mut Tabled,
    log: &mut ProblemLog,
    parameters: &Parameters,
    beside: AuditExtras,
    begin: &mut dyn FnMut(&Manifest) -> io::Result<()>,
    give: &mut dyn FnMut(&PageRecord) -> io::Result<()>,
) -> Result<()> {
    let part_of = beside.typed.inputs.first().filter(|_| beside.is_part).cloned();
    let verified = beside.verified;
    let made = with_sites(reading, tabled, log, parameters, beside, &mut |sites, input| {
        record_sites(sites, parameters, input, part_of.clone(), verified, begin, give)
    });
    Ok(made??)
}

/// Finds what parts of what was read need to have the rates of the whole.
pub(crate) fn drive_priors(
    reading: Reading,
    tabled: &mut Tabled,
    log: &mut ProblemLog,
    parameters: &Parameters,
    beside: AuditExtras,
) -> Result<RatePriors> {
    let made = with_sites(reading, tabled, log, parameters, beside, &mut |sites, input| {
        rate_priors(sites, parameters, input)
    });
    Ok(made??)
}

/// What is done with the sites of what was read, and what is known beside them.
type WithSites<'w, T> = dyn FnMut(&dyn Sites<Error = io::Error>, AuditInput<'_>) -> T + 'w;

fn with_sites<T>(
    reading: Reading,
    tabled: &mut Tabled,
    log: &mut ProblemLog,
    parameters: &Parameters,
    beside: AuditExtras,
    done: &mut WithSites<'_, T>,
) -> Result<T> {
    let mut inputs = std::mem::take(&mut tabled.inputs);
    let AuditExtras {
        sitemaps,
        mut fates,
        importance,
        mut history,
        meter,
        verified,
        has_options,
        is_part,
        typed,
        max_pages,
    } = beside;
    tabled.states = tabled.holdings.states();
    let moved = moved(&tabled.holdings, meter.is_some(), &|visit| tabled.for_each_table(visit))?;
    for (number, input) in (0u32..).zip(&mut inputs) {
        input.unreadable_bodies = Some(moved.captures.get(&number).copied().unwrap_or(0));
    }
    moved.problems.into_iter().try_for_each(|problem| log.push(problem))?;
    if let Captures::Whole(table) = &mut tabled.captures {
        insignificant::merge_unseen(table);
    }
    if let (Some(below), Some(meter), Captures::Whole(table)) =
        (parameters.ignore_below, &meter, &mut tabled.captures)
    {
        let merged = insignificant::merge(table, meter.weights(), below);
        if merged > 0 {
            let message = format!(
                "{merged} captures differ from an earlier one by a change of importance below {below}; they count as the same version"
            );
            log.push(Problem::new(Level::Note, "change-ignored", message))?;
        }
    }
    let seeds = seeds(&reading.pages, parameters.canon);
    let links = link_map(reading, parameters, &sitemaps, &mut fates, verified);
    if let Importance::Table(name, weights) = &importance {
        let mut misses = true;
        tabled.for_each_table(&mut |table| {
            misses &= weights.misses(table.pages().iter().map(|page| table.text(page.key)));
            Ok(())
        })?;
        if misses {
            let message = "the table of importance has no URL of the archive, so all pages weigh the same";
            log.push(Problem::new(Level::Warning, "importance-unmatched", message).in_file(name))?;
        }
    }
    if let Some((history, name)) = &mut history {
        let mut check = HistoryCheck::default();
        tabled.for_each_table(&mut |table| {
            check.add(history, table, parameters);
            Ok(())
        })?;
        for problem in check.finish() {
            log.push(problem.in_file(name.clone()))?;
        }
    }
    let weighed = match &tabled.captures {
        Captures::Whole(table) => {
            Some(weigh(&importance, table, parameters, links.as_ref(), &sitemaps, &seeds))
        }
        Captures::Shelved(_) => None,
    };
    if let (Importance::Keywords(query), Some((by, _))) = (&importance, &weighed)
        && by.ends_with(NO_MATCH)
    {
        let message = format!("no page matches the keywords \"{query}\", so all pages weigh the same");
        log.push(Problem::new(Level::Warning, "importance-unmatched", message))?;
    }
    let (problems, problem_counts) = problems(tabled, parameters, &inputs, log)?;
    let input = AuditInput {
        weights: None,
        max_pages,
        links: links.as_ref(),
        links_unknown: None,
        fates: Some(&fates),
        changes: meter.as_ref(),
        sitemaps: &sitemaps,
        history: history.as_ref().map(|(history, _)| history),
        has_options,
        is_part,
        typed,
        inputs,
        problems,
        problem_counts,
    };
    match &tabled.captures {
        Captures::Whole(table) => {
            let (by, weights) = weighed.unwrap_or_default();
            let whole = Whole::new(table, parameters, Some(&weights));
            let input = AuditInput { weights: Some((&by, &weights)), ..input };
            Ok(done(&whole, input))
        }
        Captures::Shelved(shelved) => {
            let (links, importance) = (links.as_ref(), &importance);
            let (sitemaps, seeds) = (&sitemaps[..], &seeds[..]);
            let memory = tabled.memory / 8;
            let sites = ShelvedSites { shelved, parameters, links, importance, sitemaps, seeds, memory };
            let (by, _) = sites.weigh(&Table::default(), &[]);
            let input = AuditInput { weights: Some((&by, &[])), ..input };
            Ok(done(&sites, input))
        }
    }
}

/// The keys of the pages where the crawl began, as packages list them.
fn seeds(pages: &[ListedPage], canon: Canon) -> Vec<String> {
    let seeds = pages.iter().filter(|page| page.is_seed == Some(true));
    seeds.map(|page| canon.key(&page.url)).collect()
}

/// The links of what was read, if any could be known. What packages list is added to the fates.
fn link_map(
    reading: Reading,
    parameters: &Parameters,
    sitemaps: &[Entry],
    fates: &mut Fates,
    verified: bool,
) -> Option<LinkMap> {
    let Reading { pages, graph, inputs, links_read, .. } = reading;
    for page in &pages {
        fates.list(parameters.canon, &page.url, page.status);
    }
    let bodies_read = verified && inputs.iter().any(|file| file.format.has_bodies());
    (graph.edges() > 0 || bodies_read || links_read)
        .then(|| LinkMap::new(graph, parameters.canon, &parameters.site_by, sitemaps, fates.listed()))
}

/// The entries of captured sitemaps, each with the name of its sitemap, later captures last.
pub(crate) fn captured(mut sitemaps: Vec<SitemapFile>) -> Vec<Entry> {
    sitemaps.sort_by(|a, b| (a.time, &a.url).cmp(&(b.time, &b.url)));
    sitemaps.into_iter().flat_map(|file| named(&file.url, file.entries)).collect()
}

/// Entries with the name of their sitemap.
pub(crate) fn named(name: &str, entries: Vec<Entry>) -> impl Iterator<Item = Entry> + use<> {
    let sitemap: Arc<str> = name.into();
    entries.into_iter().map(move |entry| Entry { sitemap: Some(sitemap.clone()), ..entry })
}

/// The inputs as a report states them; with their hashes where it is to be evidence.
fn inputs(files: &[InputFile], counts: &[u64], hashed: bool) -> Result<Vec<Input>> {
    let mut hashes: HashMap<&str, String> = HashMap::new();
    let is_file = |file: &&InputFile| path_of(&file.source).is_file();
    for file in files.iter().filter(|_| hashed).filter(is_file) {
        if !hashes.contains_key(file.source.as_str()) {
            hashes.insert(&file.source, blake3_of(&file.source)?);
        }
    }
    let input = |(file, count): (&InputFile, &u64)| Input {
        path: file.file.clone(),
        format: Some(file.format),
        bytes: Some(file.bytes),
        observations: Some(*count),
        blake3: hashes.get(file.source.as_str()).cloned(),
        unreadable_bodies: None,
        digests_verified: file.digests_verified.filter(|_| file.has_records),
    };
    Ok(files.iter().zip(counts).map(input).collect())
}

/// What was found, and how often: all of it, or what concerns the site that was asked for.
fn problems(
    tabled: &Tabled,
    parameters: &Parameters,
    inputs: &[Input],
    log: &ProblemLog,
) -> io::Result<(Vec<Problem>, Vec<ProblemCount>)> {
    let count = |(level, kind, count): (_, &str, _)| ProblemCount { level, kind: kind.to_owned(), count };
    let (mut problems, mut counts) = (log.kept().to_vec(), log.counts().map(count).collect());
    if let Some(mut of_site) = SiteProblems::new(parameters, inputs, &problems) {
        tabled.for_each_table(&mut |table| {
            of_site.add(table);
            Ok(())
        })?;
        of_site.keep(&mut problems, &mut counts);
    }
    Ok((problems, counts))
}
