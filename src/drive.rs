//! From what was read to an audit: builds the table, adds what is known beside it, and has it audited.

use std::collections::HashMap;
use std::sync::Arc;

use crate::archive::source::path_of;
use crate::at::seal::blake3_of;
use crate::audit::importance::weigh;
use crate::audit::model::{Input, ProblemCount};
use crate::audit::moved::moved;
use crate::audit::{
    Audit, AuditInput, ChangeMeter, Fates, Importance, LinkMap, Parameters, audit, history_check,
};
use crate::capture::table::{Table, TableBuilder};
use crate::change::history::History;
use crate::error::Result;
use crate::html::sitemap::Entry;
use crate::ingest::{InputFile, ProblemLog, Reading, SitemapFile, report_contradictions};
use crate::problem::{Level, Problem};
use crate::url::Canon;

/// What an audit is made with, besides the archives.
pub(crate) struct Beside {
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
    /// The inputs as the user named them.
    pub typed: Vec<String>,
}

/// The table of what was read, and the inputs as a report states them.
pub(crate) struct Tabled {
    pub table: Table,
    inputs: Vec<Input>,
}

/// Builds the table; the observations are read once.
pub(crate) fn tabulate(reading: &Reading, canon: Canon, hashed: bool) -> Result<Tabled> {
    let mut counts = vec![0u64; reading.inputs.len()];
    let mut builder = TableBuilder::new();
    reading.observations.for_each(&mut |observation, input| {
        if let Some(count) = counts.get_mut(input as usize) {
            *count += 1;
        }
        if canon == Canon::Default {
            builder.push(observation, input);
        } else {
            let mut observation = observation.clone();
            canon.key_into(&observation.url, &mut observation.key);
            builder.push(&observation, input);
        }
        Ok(())
    })?;
    Ok(Tabled { inputs: inputs(&reading.inputs, &counts, hashed)?, table: builder.finish() })
}

/// Audits what was read; problems found on the way are added to the log.
pub(crate) fn drive(
    reading: Reading,
    tabled: Tabled,
    log: &mut ProblemLog,
    parameters: &Parameters,
    beside: Beside,
) -> Result<(Audit, Table)> {
    let Tabled { table, mut inputs } = tabled;
    let Beside { sitemaps, mut fates, importance, mut history, meter, verified, has_options, typed } = beside;
    if meter.is_some() {
        let moved = moved(&table);
        for (number, input) in (0u32..).zip(&mut inputs) {
            input.unreadable_bodies = Some(moved.captures.get(&number).copied().unwrap_or(0));
        }
        moved.problems.into_iter().try_for_each(|problem| log.push(problem))?;
    }
    report_contradictions(&table, &reading.inputs, log)?;
    let Reading { pages, graph, inputs: files, .. } = reading;
    for page in &pages {
        fates.list(parameters.canon, &page.url, page.status);
    }
    let bodies_read = verified && files.iter().any(|file| file.format.has_bodies());
    let links = (graph.edges() > 0 || bodies_read)
        .then(|| LinkMap::new(graph, parameters.canon, &parameters.site_by, &sitemaps, fates.listed()));
    if let Importance::Table(name, weights) = &importance
        && weights.misses(table.pages().iter().map(|page| table.text(page.key)))
    {
        let message = "the table of importance has no URL of the archive, so all pages weigh the same";
        log.push(Problem::new(Level::Warning, "importance-unmatched", message).in_file(name))?;
    }
    if let Some((history, name)) = &mut history {
        for problem in history_check::check(history, &table, parameters) {
            log.push(problem.in_file(name.clone()))?;
        }
    }
    let seeds: Vec<String> = pages
        .iter()
        .filter(|page| page.is_seed == Some(true))
        .map(|page| parameters.canon.key(&page.url))
        .collect();
    let (by, weights) = weigh(&importance, &table, parameters, links.as_ref(), &sitemaps, &seeds);
    let result = audit(
        &table,
        parameters,
        AuditInput {
            weights: Some((&by, &weights)),
            links: links.as_ref(),
            fates: Some(&fates),
            changes: meter.as_ref(),
            sitemaps: &sitemaps,
            history: history.as_ref().map(|(history, _)| history),
            has_options,
            typed,
            inputs,
            problems: log.kept().to_vec(),
            problem_counts: problem_counts(log),
        },
    );
    Ok((result, table))
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
        format: Some(file.format.word().to_owned()),
        bytes: Some(file.bytes),
        observations: Some(*count),
        blake3: hashes.get(file.source.as_str()).cloned(),
        unreadable_bodies: None,
    };
    Ok(files.iter().zip(counts).map(input).collect())
}

fn problem_counts(log: &ProblemLog) -> Vec<ProblemCount> {
    let count = |(level, kind, count): (_, &str, _)| ProblemCount { level, kind: kind.to_owned(), count };
    log.counts().map(count).collect()
}
