//! `acuity timeline`: the versions of one page.

use clap::Args;

use super::audit::{CanonArg, EvidenceArg};
use super::exit::Exit;
use super::input::InputArgs;
use super::output::Output;
use crate::audit::timeline::timeline;
use crate::capture::table::TableBuilder;
use crate::capture::url::Canon;
use crate::change::evidence::{Compare, Judge};
use crate::change::run::Versions;
use crate::error::Error;
use crate::ingest::Wanted;
use crate::report::timeline::write;

/// How many characters the strip has: with its frame it fits 80 columns.
const COLUMNS: usize = 74;

/// Arguments of `acuity timeline`.
#[derive(Debug, Args)]
pub struct TimelineArgs {
    /// The page
    #[arg(value_name = "URL")]
    url: String,

    #[command(flatten)]
    input: InputArgs,

    /// Which URLs are the same page
    #[arg(long, value_enum, value_name = "RULES", default_value = "default")]
    canon: CanonArg,

    /// The weakest evidence that proves
    #[arg(long, value_enum, value_name = "GRADE", default_value = "not-modified")]
    evidence: EvidenceArg,
}

/// Runs the command.
pub fn execute(args: &TimelineArgs) -> anyhow::Result<Exit> {
    let canon = Canon::from(args.canon);
    let key = canon.key(&args.url);
    let input = args.input.read(Wanted::default(), false)?;
    let reading = input.reading;
    let mut builder = TableBuilder::new();
    reading.observations.for_each(&mut |observation, input| {
        if canon.key(&observation.url) == key {
            let mut observation = observation.clone();
            observation.key.clone_from(&key);
            builder.push(&observation, input);
        }
        Ok(())
    })?;
    let table = builder.finish();
    let versions = Versions::of(&Judge::new(&table, Compare::Bytes, args.evidence.into()), table.rows());
    let line = timeline(&args.url, &versions, table.rows(), COLUMNS).ok_or_else(|| {
        Error::usage(format!("{} was never captured", args.url))
            .with_remedy("`acuity index` lists what was captured")
    })?;
    let mut output = Output::create(None)?;
    write(output.writer(), &line)?;
    output.finish()?;
    args.input.reading.report_problems(&input.log);
    Ok(if input.log.has_errors() { Exit::Unreadable } else { Exit::Done })
}
