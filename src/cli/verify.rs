//! `acuity verify`: does a report of `acuity at` still follow from its inputs?

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::at::rereadable;
use super::exit::Exit;
use super::fetch::FetchArgs;
use super::files::Files;
use super::input::{DigestsArg, ReadArgs};
use super::output;
use super::proofs::{self, ProofFiles, worse};
use crate::archive::file_hashes::file_hashes;
use crate::archive::source::Source;
use crate::at::ask::{answer, wanted};
use crate::at::custody::Custody;
use crate::at::model::{At, AtFile};
use crate::at::stamp;
use crate::at::verify::{Reread, Verification, order_of, verify};
use crate::bundle::ANSWER;
use crate::digest::sha256;
use crate::error::{Error, ErrorKind};
use crate::format::count;
use crate::ingest::ProblemLog;
use crate::report::at_json::{AnswerFile, custody_inside, in_groups, inside};
use crate::report::layout::{paragraph, quoted};
use crate::report::{html, json};

const EXIT_CODES: &str = "\
Exit codes:
   0  verified: every field follows from the inputs, and every record it names was read again
   1  it does not hold: it was altered, does not follow from the inputs, or a stamp or signature is not valid
   2  usage: a wrong option, or a path that does not exist
   3  it holds as far as it goes: some record or input could not be read, or who signed or stamped is not settled
  70  internal fault";

/// What is said of a page that holds it.
const CUSTODY_NOT_CHECKED: &str = "who made the page, when, where and with which program (the part \"This report\", and the case line of \
     its printed pages) cannot be computed from the inputs, and was not checked. A time stamp or a signature over the page as a file \
     would cover it.";

/// Arguments of `acuity verify`.
///
/// Computes the whole report again from the parameters it states and compares every field; then reads every record
/// again, by file and offset, through a second reader. Inputs are recognised by their hashes: another order or another place
/// is noted and does not matter. Of a WACZ package it says whether contents, manifest, signature, and identity and time hold:
/// four verdicts, never one.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES, after_long_help = EXIT_CODES)]
pub(super) struct VerifyArgs {
    /// What `acuity at --json=FILE` or `--html FILE` wrote; or a bundle or any WACZ package, alone
    #[arg(value_name = "REPORT")]
    report: PathBuf,

    /// The inputs that `acuity at` read; none are needed for a bundle, a package, or a time stamp alone
    #[arg(value_name = "INPUT")]
    inputs: Vec<OsString>,

    /// Write a request for a time stamp (RFC 3161) over the report, if it is verified
    ///
    /// It holds the SHA-256 of the report and nothing else; it is not sent anywhere.
    #[arg(long, value_name = "FILE")]
    tsq: Option<PathBuf>,

    #[command(flatten)]
    proofs: ProofFiles,

    #[command(flatten)]
    fetch: FetchArgs,

    #[command(flatten)]
    reading: ReadArgs,
}

pub(super) fn execute(args: &VerifyArgs) -> anyhow::Result<Exit> {
    if args.inputs.is_empty() && proofs::is_bundle(&args.report) {
        return output::write(None, |out| proofs::bundle(out, &args.proofs, &args.report));
    }
    if args.report.is_dir() {
        return Err(Error::usage("this folder is not a bundle: it has no evidence/answer.json")
            .with_remedy("name the report, or the folder that `acuity at --bundle` wrote")
            .at_file(&args.report)
            .into());
    }
    if args.inputs.is_empty() && is_package(&args.report)? {
        return output::write(None, |out| proofs::package(out, &args.proofs, &args.report));
    }
    if let Some(folder) = bundle_around(args) {
        return output::write(None, |out| proofs::bundle(out, &args.proofs, &folder));
    }
    let text =
        std::fs::read(&args.report).map_err(|error| Error::usage(error.to_string()).at_file(&args.report))?;
    let mut files = Files::default();
    // The verdict goes to standard output.
    files.write("the verdict", Some(Path::new("-")))?;
    files.write("--tsq", args.tsq.as_deref())?;
    files.read(Some(&args.report))?;
    if args.inputs.is_empty() {
        return alone(args, &text);
    }
    let sources = rereadable(&args.inputs, args.reading.expansion(), &mut files)?;
    let page = inside(&text).is_some().then(|| text.clone());
    let text = inside(&text).map_or(text.clone(), <[u8]>::to_vec);
    let checked = check(args, &text, &sources, &mut files)?;
    let exit = output::write(None, |out| match checked {
        Ok((mut verification, computed, log)) => {
            if let Some(page) = &page {
                verification.failed.extend(page_fault(page, &text, &verification)?);
            }
            write(out, &verification, &computed)?;
            if let Some(note) = layout_note(&verification, &computed, &text)? {
                quoted(out, "NOTE    ", &note)?;
            }
            if page.as_deref().and_then(custody_inside).is_some() {
                quoted(out, "NOTE    ", CUSTODY_NOT_CHECKED)?;
            }
            paragraph(out, "", &format!("SHA-256 of the answer: {}", in_groups(&sha256(&text))))?;
            if log.has_errors() {
                paragraph(out, "", "Some input could not be read in full.")?;
            }
            let holds = verification.failed.is_empty();
            let exit = match () {
                () if !holds => Exit::BarNotMet,
                () if verification.reread.unread() > 0 || log.has_errors() => Exit::Unreadable,
                () => args.reading.exit(&log, Exit::Done),
            };
            Ok(worse(exit, proofs::stamp(out, &args.proofs, &text)?))
        }
        // A report from which nothing can be computed is not verified.
        Err(fault) => {
            quoted(out, "FAILED  ", &fault)?;
            paragraph(out, "", "The report does not hold.")?;
            Ok(Exit::BarNotMet)
        }
    })?;
    if let Some(path) = args.tsq.as_ref().filter(|_| exit == Exit::Done) {
        output::write(Some(path), |out| Ok(out.write_all(&stamp::request(&text))?))?;
    }
    Ok(exit)
}

/// The bundle that a report lies in, where all inputs lie in it, too: its archive holds copies, with hashes of their own.
fn bundle_around(args: &VerifyArgs) -> Option<PathBuf> {
    let report = args.report.canonicalize().ok()?;
    let folder = report.parent()?.parent()?;
    let is_inside =
        |input: &OsString| Path::new(input).canonicalize().is_ok_and(|input| input.starts_with(folder));
    let is_answer = folder.join(ANSWER) == report && proofs::is_bundle(folder);
    (is_answer && !args.inputs.is_empty() && args.inputs.iter().all(is_inside) && args.tsq.is_none())
        .then(|| folder.to_owned())
}

/// Whether a file starts like a zip file. A package can be larger than memory.
fn is_package(path: &Path) -> anyhow::Result<bool> {
    let mut start = [0; 4];
    let fault = |error: io::Error| Error::usage(error.to_string()).at_file(path);
    let mut file = std::fs::File::open(path).map_err(fault)?;
    Ok(file.read(&mut start).map_err(fault)? == 4 && start.starts_with(b"PK"))
}

/// Without inputs: the time stamp over a file.
fn alone(args: &VerifyArgs, text: &[u8]) -> anyhow::Result<Exit> {
    if args.proofs.tsr.is_none() || args.tsq.is_some() {
        return Err(Error::usage("no input was given to check the report against")
            .with_remedy(
                "name the files that `acuity at` read; only a WACZ package or --tsr is checked alone",
            )
            .into());
    }
    let stamped = inside(text).unwrap_or(text);
    output::write(None, |out| {
        let exit = proofs::stamp(out, &args.proofs, stamped)?;
        paragraph(
            out,
            "",
            "Only the time stamp was checked: no input was given to check the report against.",
        )?;
        paragraph(out, "", &format!("SHA-256 of what was stamped: {}", in_groups(&sha256(stamped))))?;
        Ok(exit)
    })
}

/// The result of the check; or why the report cannot be checked.
fn check(
    args: &VerifyArgs,
    text: &[u8],
    sources: &[Source],
    files: &mut Files,
) -> anyhow::Result<Result<(Verification, At, ProblemLog), String>> {
    let said: serde_json::Value = match serde_json::from_slice(text) {
        Ok(said) => said,
        Err(error) => return Ok(Err(format!("this is not a report of Acuity: {error}"))),
    };
    let report = match json::read_at(text) {
        Ok(report) => report,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let mut reading = args.reading.clone();
    reading.digests = match report.parameters.digests.as_str() {
        "declared" => DigestsArg::Declared,
        "verify" => DigestsArg::Verify,
        other => return Ok(Err(format!(".parameters.digests: {other:?} is neither verify nor declared"))),
    };
    let sources = in_order(&report, sources);
    // Names may sort in another order here than where the report was made.
    reading.in_order = true;
    let mut compute = |reading: &ReadArgs, sources: &[Source]| -> anyhow::Result<_> {
        let input = reading.read(sources, wanted(&report.parameters), false, files)?;
        let log = input.log;
        let computed = match answer(input.reading, &log, &report.parameters) {
            Ok(computed) => computed,
            Err(error) => match error.kind() {
                ErrorKind::Usage(message) => {
                    let fault = "nothing can be computed from the parameters that it states";
                    return Ok(Err(format!(".parameters: {fault}: {message}")));
                }
                _ => return Err(error.into()),
            },
        };
        let verification = verify(&report, &said, &computed, args.fetch.reader().as_ref())?;
        Ok(Ok((verification, computed, log)))
    };
    let first = match compute(&reading, &sources)? {
        Ok(first) => first,
        Err(fault) => return Ok(Err(fault)),
    };
    let (rest, strays): (Vec<Source>, Vec<Source>) =
        sources.into_iter().partition(|source| !is_stray(source, &report, &first.1));
    let names = || strays.iter().map(|stray| stray.name.clone()).collect();
    let (is_clean, has_strays) = (first.0.failed.is_empty() && !first.2.has_errors(), !strays.is_empty());
    if is_clean || !has_strays || rest.is_empty() {
        let (verification, computed, log) = first;
        return Ok(Ok((Verification { left_out: names(), ..verification }, computed, log)));
    }
    // Without them: what is wrong with a file that the report does not name says nothing about the report. Its problems and the
    // time that was taken are written already.
    (reading.problems, reading.metrics) = (None, None);
    Ok(compute(&reading, &rest)?.map(|(verification, computed, log)| {
        (Verification { left_out: names(), ..verification }, computed, log)
    }))
}

/// Whether a file only lies in a folder that was given: no input was read from it, and the report does not name it.
fn is_stray(source: &Source, report: &At, computed: &At) -> bool {
    let is_read = |file: &AtFile| file.path.split('#').next() == Some(source.name.as_str());
    let is_named = || {
        let hash = file_hashes(&source.name).map(|(_, sha256)| sha256);
        hash.is_ok_and(|hash| report.inputs.iter().any(|file| file.sha256 == hash))
    };
    !source.named && !computed.inputs.iter().any(is_read) && !is_named()
}

/// The inputs in the order in which the report names them, matched by their hashes.
fn in_order(report: &At, sources: &[Source]) -> Vec<Source> {
    // Nothing to put in order.
    if sources.len() < 2 {
        return sources.to_vec();
    }
    // A file that cannot be read is reported by the reader.
    let hash = |source: &Source| file_hashes(&source.name).map(|(_, sha256)| sha256).ok();
    let Some(hashes) = sources.iter().map(hash).collect::<Option<Vec<String>>>() else {
        return sources.to_vec();
    };
    order_of(report, &hashes).into_iter().map(|place| sources[place].clone()).collect()
}

/// Where all values are those that were computed, but the bytes of the file are not: its hash is not that of other copies.
fn layout_note(verification: &Verification, computed: &At, text: &[u8]) -> anyhow::Result<Option<String>> {
    let is_same = verification.failed.is_empty()
        && verification.moved.is_empty()
        && verification.other_version.is_none();
    let written = if is_same { Some(AnswerFile::of(computed)?) } else { None };
    let Some(file) = written else { return Ok(None) };
    Ok((*file.bytes()? != *text).then(|| {
        format!(
            "the values are those of the answer, but the file is not laid out as Acuity writes it; as Acuity writes it, its SHA-256 \
             is {}",
            in_groups(&file.sha256)
        )
    }))
}

/// What is wrong with the page around an answer: it must be the one that this version writes for it.
fn page_fault(page: &[u8], answer: &[u8], verification: &Verification) -> anyhow::Result<Option<String>> {
    if verification.other_version.is_some() {
        return Ok(None);
    }
    let report = json::read_at(answer)?;
    let file = AnswerFile::of_bytes(answer.to_vec());
    let custody: Option<Custody> = custody_inside(page).and_then(|json| serde_json::from_slice(json).ok());
    let mut again = Vec::new();
    html::at::write(&mut again, &report, &file, custody.as_ref())?;
    Ok((again != page)
        .then(|| "the page does not show the answer inside it as this program writes it".to_owned()))
}

fn write(out: &mut dyn Write, verification: &Verification, computed: &At) -> io::Result<()> {
    let Verification { failed, unreadable, moved, reread, left_out, other_version } = verification;
    let Reread { read, by_warc, block_differs, indexed, lost, unreadable: unread } = *reread;
    if let Some(other) = other_version {
        let message = format!(
            "made by version {other} of Acuity; this is version {}. All fields were compared; where one differs, the program \
             may be the reason.",
            computed.tool_version
        );
        quoted(out, "NOTE    ", &message)?;
    }
    if block_differs > 0 {
        let message = format!(
            "{} read again {} a block that does not have the WARC-Block-Digest it declares. The report says nothing about that \
             digest; the archive contradicts itself there.",
            count(block_differs, "record"),
            if block_differs == 1 { "has" } else { "have" }
        );
        quoted(out, "NOTE    ", &message)?;
    }
    for failure in failed {
        quoted(out, "FAILED  ", failure)?;
    }
    for why in unreadable {
        quoted(out, "UNREAD  ", why)?;
    }
    for (from, to) in moved {
        quoted(
            out,
            "NOTE    ",
            &format!("unchanged, given in another place: the report names {from}, here it is {to}"),
        )?;
    }
    if !left_out.is_empty() {
        let names = left_out.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more =
            if left_out.len() > 5 { format!(" and {} more", left_out.len() - 5) } else { String::new() };
        let message =
            format!("left out, since the report does not name it and it is not an archive: {names}{more}");
        quoted(out, "NOTE    ", &message)?;
    }
    let verdict = match () {
        () if failed.len() == 1 => "1 statement of the report fails.".to_owned(),
        () if !failed.is_empty() => format!("{} statements of the report fail.", failed.len()),
        () if reread.unread() == 0 && read == 0 => {
            "Verified: every field follows from the inputs. The report names no record.".to_owned()
        }
        () if reread.unread() == 0 => format!(
            "Verified: every field follows from the inputs, and {} named in it {} read again and found as it says, {by_warc} \
             of them also by an independent reader (the warc crate).",
            count(read, "record"),
            if read == 1 { "was" } else { "were" }
        ),
        () => {
            let mut verdict = format!(
                "Not verified in full: every field follows from the inputs, but of {} named in the report {} could be read again.",
                count(read + reread.unread(), "record"),
                if read == 0 { "none".to_owned() } else { format!("only {read}") },
            );
            if indexed > 0 {
                verdict += &format!(
                    " Only an index tells of {indexed}: give the archives themselves to `acuity at`, and here, or have their records \
                     fetched with --fetch."
                );
            }
            if unread > 0 {
                verdict += &format!(
                    " The bytes of {unread} could not be read: see above. They may be as the report says, or not."
                );
            }
            if lost > 0 {
                verdict += &format!(
                    " A compressed member holds {lost} together with others, and what stands before cannot be stepped over: it is no \
                     WARC record, or its length is wrong. Recompress the archive with one member per record."
                );
            }
            verdict
        }
    };
    paragraph(out, "", &verdict)?;
    if failed.is_empty() {
        paragraph(out, "", "Assumed, as in the report:")?;
        computed.assumptions.iter().try_for_each(|assumption| paragraph(out, "  - ", assumption))?;
    }
    Ok(())
}
