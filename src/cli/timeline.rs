//! `acuity timeline`: the versions of one page.

use std::path::Path;

use clap::Args;

use super::exit::Exit;
use super::files::Files;
use super::input::InputArgs;
use super::output;
use super::select::{PhraseArgs, ProofArgs, StrictArgs};
use crate::at::phrases::{Outcome, Searcher};
use crate::at::timeline::timeline;
use crate::audit::bodies::{Bodies, Holders};
use crate::capture::table::TableBuilder;
use crate::change::evidence::{Compare, Judge};
use crate::change::run::Versions;
use crate::error::Error;
use crate::ingest::Wanted;
use crate::report::timeline::write;
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
}

pub(super) fn execute(args: &TimelineArgs) -> anyhow::Result<Exit> {
    let canon = Canon::from(args.same.canon);
    let key = canon.key(&args.url);
    let mut files = Files::default();
    files.write("the text", Some(Path::new("-")))?;
    let input = args.input.read(Wanted::default(), false, &mut files)?;
    let reading = input.reading;
    let phrases = &args.phrases.phrase;
    let mut builder = TableBuilder::new();
    reading.observations.for_each(&mut |observation, input| {
        // The body of a revisit may be one of another page.
        if !phrases.is_empty() || canon.key(&observation.url) == key {
            let mut observation = observation.clone();
            canon.key_into(&observation.url, &mut observation.key);
            builder.push(&observation, input);
        }
        Ok(())
    })?;
    let table = builder.finish();
    let rows = table.page(&key).map_or(&[][..], |page| table.rows_of(page));
    let versions = Versions::of(&Judge::new(&table, Compare::Bytes, args.proof.evidence.into()), rows);
    let mut line = timeline(&args.url, &versions, rows, COLUMNS).ok_or_else(|| {
        Error::usage(format!("{} was never captured", args.url))
            .with_remedy("`acuity index` lists what was captured")
    })?;
    let bodies = Bodies::default();
    let searcher = Searcher::new(&table, Some(&bodies), phrases, args.phrases.raw)?;
    let holders = Holders::new(&table, reading.inputs.iter().map(|input| input.file.as_str()).collect());
    let outcomes = versions.runs.iter().map(|run| searcher.search(holders.of_run(rows, &versions, run)?));
    line.add_phrases(&versions, phrases, &outcomes.collect::<Vec<Outcome>>());
    output::write(None, |out| Ok(write(out, &line)?))?;
    args.input.reading.report_problems(&input.log);
    Ok(args.input.reading.exit(&input.log, Exit::Done))
}
