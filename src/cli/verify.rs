//! `acuity verify`: does a report of `acuity at` still follow from its inputs?

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::at::compute;
use super::exit::Exit;
use super::files::Files;
use super::input::{DigestsArg, ReadArgs};
use super::output::Output;
use crate::audit::at_model::At;
use crate::audit::at_stamp as stamp;
use crate::audit::at_verify::{Verification, verify};
use crate::audit::words::count;
use crate::error::Error;
use crate::report::json;
use crate::report::layout::{paragraph, quoted};

/// Arguments of `acuity verify`.
///
/// Computes the whole report again from the parameters it states and compares every field; then reads every witness
/// again, by file and offset, through a second reader. Exits with code 1, and lists what fails; with code 3, and says so,
/// if all that could be checked holds but not every witness could be read again (an index only tells of records). Files
/// must be named as they were when the report was made, for their names are fields too.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// What `acuity at --json=FILE` wrote
    #[arg(value_name = "REPORT")]
    report: PathBuf,

    /// The inputs, as they were named for `acuity at`
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<OsString>,

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
    let report = json::read_at(&text).map_err(|error| error.at_file(&args.report))?;
    let mut reading = args.reading.clone();
    reading.digests = match report.parameters.digests.as_str() {
        "declared" => DigestsArg::Declared,
        "verify" => DigestsArg::Verify,
        other => return Err(fault(format!("the report is damaged: digests {other:?}")).into()),
    };
    let mut files = Files::default();
    // The verdict goes to standard output.
    files.write("the verdict", Some(Path::new("-")))?;
    files.write("--tsq", args.tsq.as_deref())?;
    files.read(Some(&args.report))?;
    let (computed, log) = compute(&report.parameters, &args.inputs, &reading, &mut files)?;
    let verification = verify(&report, &said, &computed)?;
    let mut output = Output::create(None)?;
    write(output.writer(), &verification, &computed)?;
    output.finish()?;
    let is_verified = verification.failed.is_empty() && verification.unread == 0;
    if let Some(path) = args.tsq.as_ref().filter(|_| is_verified) {
        let mut request = Output::create(Some(path))?;
        request.writer().write_all(&stamp::request(&text))?;
        request.finish()?;
    }
    Ok(match () {
        () if !verification.failed.is_empty() => Exit::BarNotMet,
        () if !is_verified || log.has_errors() => Exit::Unreadable,
        () => Exit::Done,
    })
}

fn write(out: &mut dyn Write, verification: &Verification, computed: &At) -> io::Result<()> {
    let Verification { failed, read, unread, other_version } = verification;
    if let Some(other) = other_version {
        let message = format!(
            "made by version {other} of Acuity; this is version {}. All fields were compared; where one differs, the program \
             may be the reason.",
            computed.tool_version
        );
        quoted(out, "NOTE    ", &message)?;
    }
    for failure in failed {
        quoted(out, "FAILED  ", failure)?;
    }
    let verdict = match () {
        () if failed.len() == 1 => "1 statement of the report fails.".to_owned(),
        () if !failed.is_empty() => format!("{} statements of the report fail.", failed.len()),
        () if *unread == 0 && *read == 0 => {
            "Verified: every field follows from the inputs. The report names no record.".to_owned()
        }
        () if *unread == 0 => format!(
            "Verified: every field follows from the inputs, and {} named in it {} read again and found as it says.",
            count(*read, "record"),
            if *read == 1 { "was" } else { "were" }
        ),
        () => format!(
            "Not verified in full: every field follows from the inputs, but of {} named in the report {} could be read again. An \
             index only tells of records (and none longer than 256 MiB is read again): give the archives themselves to `acuity \
             at`, and here.",
            count(read + unread, "record"),
            if *read == 0 { "none".to_owned() } else { format!("only {read}") },
        ),
    };
    paragraph(out, "", &verdict)?;
    if failed.is_empty() {
        paragraph(out, "", "Assumed, as in the report:")?;
        computed.assumptions.iter().try_for_each(|assumption| paragraph(out, "  - ", assumption))?;
    }
    Ok(())
}
