//! `acuity timeline`: the versions of one page.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::custody::CustodyArgs;
use super::exit::Exit;
use super::files::Files;
use super::input::InputArgs;
use super::output;
use super::select::{PhraseArgs, ProofArgs, StrictArgs};
use crate::archive::file_hashes::file_hashes;
use crate::at::ask::unread;
use crate::at::assumptions::Asked;
use crate::at::model::AtFile;
use crate::at::page::{Ground, Selected};
use crate::at::phrases::{Outcome, Searcher};
use crate::at::timeline::timeline;
use crate::at::timeline_doubts;
use crate::at::version_records::describe;
use crate::audit::bodies::Bodies;
use crate::capture::Observation;
use crate::capture::table::TableBuilder;
use crate::change::evidence::{Compare, Judge};
use crate::change::run::Versions;
use crate::digest::sha256;
use crate::error::Error;
use crate::ingest::{InputFile, Wanted};
use crate::report::timeline::write;
use crate::report::{html, timeline_csv};
use crate::url::Canon;

/// How many characters the strip has: with its frame it fits 80 columns.
const COLUMNS: usize = 74;

/// Arguments of `acuity timeline`.
#[derive(Debug, Args)]
pub(super) struct TimelineArgs {
    /// The page
    #[arg(value_name = "URL")]
    url: String,

    #[command(flatten)]
    input: InputArgs,

    #[command(flatten)]
    same: StrictArgs,

    #[command(flatten)]
    proof: ProofArgs,

    #[command(flatten)]
    phrases: PhraseArgs,

    /// Write the history as one self-contained HTML page to print
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    html: Option<PathBuf>,

    /// Write the history as a table, a row for every version
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    csv: Option<PathBuf>,

    #[command(flatten)]
    custody: CustodyArgs,
}

pub(super) fn execute(args: &TimelineArgs) -> anyhow::Result<Exit> {
    let canon = Canon::from(args.same.canon);
    let key = canon.key(&args.url);
    let mut files = Files::default();
    files.write("the text", Some(Path::new("-")))?;
    files.write("--html", args.html.as_deref())?;
    files.write("--csv", args.csv.as_deref())?;
    let input =
        args.input.read(Wanted { text: true, walls: true, ..Wanted::default() }, false, &mut files)?;
    let reading = input.reading;
    let phrases = &args.phrases.phrase;
    let mut builder = TableBuilder::new();
    // The content of a revisit may be held by a record of another page.
    let mut originals: HashSet<(Arc<str>, u64)> = HashSet::new();
    reading.observations.for_each(&mut |observation, _| {
        let place = observation.refers_to.as_ref().and_then(|refers| refers.file.clone().zip(refers.offset));
        originals.extend(place.filter(|_| canon.key(&observation.url) == key));
        Ok(())
    })?;
    let is_original = |observation: &Observation| {
        let place = observation.offset.map(|offset| (Arc::from(&*observation.file), offset));
        place.is_some_and(|place| originals.contains(&place))
    };
    reading.observations.for_each(&mut |observation, input| {
        if !phrases.is_empty() || canon.key(&observation.url) == key || is_original(observation) {
            let mut observation = observation.clone();
            canon.key_into(&observation.url, &mut observation.key);
            builder.push(&observation, input);
        }
        Ok(())
    })?;
    let table = builder.finish();
    let rows = table.page(&key).map_or(&[][..], |page| table.rows_of(page));
    let judge = Judge::new(&table, Compare::Bytes, args.proof.evidence.into());
    let page = Selected {
        url: args.url.clone(),
        key: key.clone(),
        site: None,
        rows,
        versions: Versions::of(&judge, rows),
        rate: None,
    };
    let versions = &page.versions;
    let mut line = timeline(&args.url, &table, versions, rows, COLUMNS).ok_or_else(|| {
        Error::usage(format!("{} was never captured", args.url))
            .with_remedy("`acuity index` lists what was captured")
    })?;
    line.canon = (canon != Canon::Strict).then(|| {
        format!(
            "Addresses that --canon {} treats as one count as this page, not only the one above.",
            canon.name()
        )
    });
    let bodies = Bodies::default();
    let searcher = Searcher::new(&table, Some(&bodies), phrases, args.phrases.raw)?;
    let files = inputs(&reading.inputs)?;
    let ground = Ground::new(&judge, &files, Some(&bodies), false, true);
    let outcomes =
        versions.runs.iter().map(|run| searcher.search(ground.holders.of_run(rows, versions, run)?));
    line.add_phrases(versions, phrases, &outcomes.collect::<Vec<Outcome>>());
    describe(&mut line, &ground, &page, &bodies)?;
    let asked = Asked {
        is_one: true,
        between: None,
        is_late: false,
        digests: args.input.reading.digests.word(),
        canon: canon.name(),
        searches: !phrases.is_empty() && !args.phrases.raw,
    };
    timeline_doubts::add(&mut line, &ground, &page, &asked, unread(&input.log));
    if let Some(path) = &args.csv {
        output::write(Some(path), |out| Ok(timeline_csv::write(out, &line)?))?;
    }
    let mut text = Vec::new();
    write(&mut text, &line, &args.custody.given())?;
    if let Some(path) = &args.html {
        let custody = args.custody.custody_of(files.clone(), &sha256(&text));
        output::write(Some(path), |out| Ok(html::exhibit::write(out, &line, &custody)?))?;
    }
    output::write(None, |out| Ok(out.write_all(&text)?))?;
    args.input.reading.report_problems(&input.log);
    Ok(args.input.reading.exit(&input.log, Exit::Done))
}

/// The inputs with their hashes.
fn inputs(files: &[InputFile]) -> anyhow::Result<Vec<AtFile>> {
    let mut all = Vec::with_capacity(files.len());
    for file in files {
        let (blake3, sha256) = file_hashes(&file.source)?;
        all.push(AtFile {
            path: file.file.clone(),
            format: file.format,
            bytes: file.bytes,
            observations: 0,
            blake3,
            sha256,
        });
    }
    Ok(all)
}
