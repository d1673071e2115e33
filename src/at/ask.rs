//! From what was read to the sealed answer: for `acuity at`, and again for `acuity verify`.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::archive::file_hashes::file_hashes;
use crate::at::captures::Captures;
use crate::at::compute::{AtInput, batch};
use crate::at::model::{At, AtFile, AtParameters};
use crate::at::total::Total;
use crate::audit::bodies::Bodies;
use crate::audit::link_map::LinkMap;
use crate::audit::model::ProblemCount;
use crate::capture::table::LeftOut;
use crate::error::Result;
use crate::html::sitemap::Entry;
use crate::ingest::{NOT_AN_ARCHIVE, ProblemLog, Reading, Wanted};
use crate::problem::Level;
use crate::url::{Canon, SiteBy};

/// What has to be read out of bodies to answer: for phrases on whole sites, what their pages link to.
pub fn wanted(parameters: &AtParameters) -> Wanted {
    let links = !parameters.phrases.is_empty() && parameters.urls.is_empty();
    // Texts show whether a bot wall was captured in place of a page.
    Wanted { text: true, links, sitemaps: links, walls: true }
}

/// The answer about what was read.
///
/// # Errors
/// When a file cannot be read again, nothing is selected, or a parameter cannot be read.
pub fn answer(reading: Reading, log: &ProblemLog, parameters: &AtParameters) -> Result<At> {
    let count = |(level, kind, count): (_, &str, _)| ProblemCount { level, kind: kind.to_owned(), count };
    answer_beside(reading, of_archives(log).map(count).collect(), None, parameters)
}

/// How many parts of the inputs could not be read.
pub(crate) fn unread(log: &ProblemLog) -> u64 {
    of_archives(log).filter(|(level, ..)| *level == Level::Error).map(|(.., count)| count).sum()
}

/// What was found; what else lies in a folder of archives says nothing about them.
fn of_archives(log: &ProblemLog) -> impl Iterator<Item = (Level, &str, u64)> {
    log.counts().filter(|(_, kind, _)| *kind != NOT_AN_ARCHIVE)
}

/// The same, with what was found and left out while the whole archive was read: a part of it does not show that.
pub(crate) fn answer_beside(
    reading: Reading,
    problems: Vec<ProblemCount>,
    left_out: Option<LeftOut>,
    parameters: &AtParameters,
) -> Result<At> {
    let canon: Canon = parameters.canon.parse()?;
    let site_by: SiteBy = parameters.site_by.parse()?;
    let Reading { observations, inputs, pages, graph, sitemaps, .. } = reading;
    let mut counts = vec![0u64; inputs.len()];
    let paths: Vec<&str> = inputs.iter().map(|file| file.file.as_str()).collect();
    let memory = observations.limit();
    let captures = Captures::new(observations, parameters, (canon, &site_by), &paths, &mut counts)?;
    let mut hashes: BTreeMap<&str, (String, String)> = BTreeMap::new();
    let mut files = Vec::with_capacity(inputs.len());
    for (file, count) in inputs.iter().zip(counts) {
        if !hashes.contains_key(file.source.as_str()) {
            hashes.insert(&file.source, file_hashes(&file.source)?);
        }
        let (blake3, sha256) = hashes.get(file.source.as_str()).cloned().unwrap_or_default();
        files.push(AtFile {
            path: file.file.clone(),
            format: file.format,
            bytes: file.bytes,
            observations: count,
            blake3,
            sha256,
        });
    }
    let entries: Vec<Entry> = sitemaps.into_iter().flat_map(|sitemap| sitemap.entries).collect();
    let listed: Vec<String> = pages.into_iter().map(|page| page.url).collect();
    let reads_bodies = parameters.digests == "verify";
    let knows_links =
        wanted(parameters).links && reads_bodies && inputs.iter().any(|file| file.format.has_bodies());
    let links = knows_links.then(|| LinkMap::new(graph, canon, &site_by, &entries, &listed));
    let bodies = Bodies::default();
    let sought = RefCell::default();
    let input = AtInput {
        inputs: files,
        problems,
        bodies: (reads_bodies || !parameters.phrases.is_empty()).then_some(&bodies),
        links: links.as_ref(),
        left_out,
        sought: Some(&sought),
    };
    let mut total = Total::new(memory);
    let left_out = match captures {
        Captures::Whole(table) => {
            total.add(batch(&table, parameters, &input, None, &|_| true)?)?;
            table.left_out()
        }
        Captures::Shelved(mut shelved) => {
            for mut pages in std::mem::take(&mut shelved.batches) {
                loop {
                    let is_own = |key: &str| shelved.is_own(&pages, key);
                    let found = batch(&shelved.table(&pages)?, parameters, &input, shelved.pages, &is_own)?;
                    bodies.forget();
                    let lacking = sought.take().into_iter().map(String::into_bytes);
                    if !pages.add(lacking) {
                        total.add(found)?;
                        break;
                    }
                }
            }
            shelved.left_out
        }
    };
    let AtInput { inputs, problems, left_out: of_whole, .. } = input;
    total.finish(parameters, inputs, problems, of_whole.unwrap_or(left_out), true)
}
