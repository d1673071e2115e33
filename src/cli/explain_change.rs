//! `acuity explain-change`: which blocks of a page changed, how, and what each contributes.

use std::path::{Path, PathBuf};

use clap::Args;

use super::audit::weights;
use super::exit::Exit;
use super::fetch::FetchArgs;
use super::files::Files;
use super::input::InputArgs;
use super::output;
use super::screen::{ColorArg, screen};
use super::values::{parse_from, parse_to};
use crate::audit::ChangeMeter;
use crate::audit::changes::{MAX_COMPARED_BYTES, Shown};
use crate::audit::model::{CHANGE_SCHEMA, PageChanges, RunChange};
use crate::capture::table::TableBuilder;
use crate::change::evidence::{Compare, Grade, Judge};
use crate::change::run::Versions;
use crate::error::Error;
use crate::ingest::Wanted;
use crate::report::change;
use crate::time::Instant;
use crate::url::Canon;

/// Arguments of `acuity explain-change`.
///
/// Every version of the page is compared with the next one, block by block: what is where, how much of it changed, and
/// how much that matters (docs/importance.md).
#[derive(Debug, Args)]
pub(super) struct ExplainChangeArgs {
    /// The page
    #[arg(value_name = "URL")]
    url: String,

    #[command(flatten)]
    input: InputArgs,

    /// Only captures from this date on
    #[arg(long, value_name = "DATE", value_parser = parse_from)]
    from: Option<Instant>,

    /// Only captures up to this date
    #[arg(long, value_name = "DATE", value_parser = parse_to)]
    to: Option<Instant>,

    /// A TOML file with other weights for blocks and changes
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,

    #[command(flatten)]
    fetch: FetchArgs,

    /// Write JSON (schema `acuity.change/1`) instead
    #[arg(long)]
    json: bool,

    /// Whether to use colour; `auto`: on a terminal, unless NO_COLOR is set
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    color: ColorArg,
}

pub(super) fn execute(args: &ExplainChangeArgs) -> anyhow::Result<Exit> {
    let meter = ChangeMeter::new(weights(args.weights.as_deref())?, MAX_COMPARED_BYTES);
    let meter = meter.fetching(args.fetch.reader());
    let mut files = Files::default();
    files.write("the text", Some(Path::new("-")))?;
    files.read(args.weights.as_deref())?;
    let input = args.input.read(Wanted::default(), false, &mut files)?;
    let keys = [Canon::Default.key(&args.url), args.url.clone()];
    let mut builder = TableBuilder::new();
    input.reading.observations.for_each(&mut |observation, file| {
        let inside = observation.time.is_some_and(|time| {
            args.from.is_none_or(|from| time >= from) && args.to.is_none_or(|to| time < to)
        });
        if inside && keys.contains(&observation.key) {
            builder.push(observation, file);
        }
        Ok(())
    })?;
    let table = builder.finish();
    let Some(page) = table.pages().first() else {
        let message = format!("no capture of {} is in the inputs, or none in these dates", args.url);
        return Err(Error::usage(message).with_remedy("`acuity index` lists what was captured").into());
    };
    let judge = Judge::new(&table, Compare::Bytes, Grade::NotModified);
    let rows = table.rows_of(page);
    let versions = Versions::of(&judge, rows);
    let changes = meter.changes(&Shown { table: &table, rows, all: rows, versions: &versions });
    let told = PageChanges {
        schema: CHANGE_SCHEMA.to_owned(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        url: table.text(rows[0].url).to_owned(),
        key: table.text(page.key).to_owned(),
        looks: versions.looks.len() as u64,
        changes: changes
            .into_iter()
            .map(|change| {
                let (found, reason) = match change.importance {
                    Ok(found) => (Some(found), None),
                    Err(reason) => (None, Some(reason)),
                };
                RunChange { from: change.from, to: change.to, change: found, reason }
            })
            .collect(),
    };
    output::write(None, |out| {
        if !args.json {
            return Ok(change::write(out, &told, screen(args.color))?);
        }
        crate::report::pretty::write(&mut *out, &told)?;
        Ok(writeln!(out)?)
    })?;
    args.input.reading.report_problems(&input.log);
    let exit = if meter.lacks_bodies() { Exit::Unreadable } else { Exit::Done };
    Ok(args.input.reading.exit(&input.log, exit))
}
