//! `acuity verify`: does a report of `acuity at` still follow from its inputs?

use std::path::PathBuf;

use clap::Args;

use super::at::compute;
use super::exit::Exit;
use super::input::{DigestsArg, ReadArgs};
use super::output::Output;
use crate::audit::at_model::{AT_SCHEMA, At};
use crate::audit::at_stamp as stamp;
use crate::audit::at_verify::{differences, reread};
use crate::error::Error;
use crate::report::escape::terminal;

/// Arguments of `acuity verify`.
///
/// Computes the whole report again from the parameters it states and compares every field; then reads every witness
/// again, by file and offset, through a second reader. Exits with code 1, and lists what fails. Files must be named as
/// they were when the report was made, for their names are fields too.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// What `acuity at --json=FILE` wrote
    #[arg(value_name = "REPORT")]
    report: PathBuf,

    /// The inputs, as they were named for `acuity at`
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<String>,

    /// Write a request for a time stamp (RFC 3161) over the report, if it is verified
    ///
    /// It holds the SHA-256 of the report and nothing else; it is not sent anywhere.
    #[arg(long, value_name = "FILE")]
    tsq: Option<PathBuf>,

    #[command(flatten)]
    reading: ReadArgs,
}

/// Runs the command.
pub fn execute(args: &VerifyArgs) -> anyhow::Result<Exit> {
    let fault = |message: String| {
        Error::data(message)
            .with_remedy("give it the file that `acuity at --json=FILE` wrote")
            .at_file(&args.report)
    };
    let text =
        std::fs::read(&args.report).map_err(|error| Error::usage(error.to_string()).at_file(&args.report))?;
    let said: serde_json::Value = serde_json::from_slice(&text)
        .map_err(|error| fault(format!("this is no report of Acuity: {error}")))?;
    if said["schema"] != AT_SCHEMA {
        return Err(fault(format!(
            "the report has the schema {}; this version checks {AT_SCHEMA:?}",
            said["schema"]
        ))
        .into());
    }
    let report: At =
        serde_json::from_slice(&text).map_err(|error| fault(format!("the report is damaged: {error}")))?;
    let mut reading = args.reading.clone();
    reading.digests = match report.parameters.digests.as_str() {
        "declared" => DigestsArg::Declared,
        "verify" => DigestsArg::Verify,
        other => return Err(fault(format!("the report is damaged: digests {other:?}")).into()),
    };
    let (computed, log) = compute(&report.parameters, &args.inputs, &reading)?;
    let mut output = Output::create(None)?;
    let out = output.writer();
    let mut failed: Vec<String> = Vec::new();
    if report.tool_version != computed.tool_version {
        let (made_by, here) = (terminal(&report.tool_version), &computed.tool_version);
        writeln!(out, "The report was made by version {made_by}; this is version {here}.")?;
    }
    failed.extend(differences(&said, &serde_json::to_value(&computed)?));
    let (read, faults) = reread(&report);
    failed.extend(faults);
    for failure in &failed {
        writeln!(out, "FAILED  {}", terminal(failure))?;
    }
    if failed.is_empty() {
        writeln!(
            out,
            "Verified: every field follows from the inputs, and all {read} records that could be\nread by their places are as \
             the report says."
        )?;
        if let Some(path) = &args.tsq {
            let mut request = Output::create(Some(path))?;
            request.writer().write_all(&stamp::request(&text))?;
            request.finish()?;
        }
        writeln!(out, "Assumed, as in the report:")?;
        for assumption in &computed.assumptions {
            writeln!(out, "  - {assumption}")?;
        }
    } else {
        writeln!(out, "{} statements of the report fail.", failed.len())?;
    }
    output.finish()?;
    Ok(match () {
        () if !failed.is_empty() => Exit::BarNotMet,
        () if log.has_errors() => Exit::Unreadable,
        () => Exit::Done,
    })
}
