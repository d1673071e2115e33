//! Time stamps and signatures on the command line: read, evaluated, and put in words.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;

#[cfg(feature = "signatures")]
use super::custody::now;
use super::exit::Exit;
use crate::archive::blob::Blob;
use crate::archive::wacz::Wacz;
use crate::bundle::check::check;
use crate::bundle::words::OF_THE_WHOLE;
use crate::bundle::{ANSWER, CUSTODY, MANIFEST, MANIFEST_DIGEST, SUMS};
use crate::digest::sha256;
use crate::error::{Error, Result};
use crate::format::count;
use crate::report::at_json::in_groups;
use crate::report::layout::{paragraph, quoted};
#[cfg(feature = "signatures")]
use crate::signatures::{Outcome, Verdict, chain::Trust, package, stamp};

/// Whom the user trusts, and what stamps a report.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct ProofFiles {
    /// Check this time-stamp reply (RFC 3161) over the report, and say since when the report exists
    #[arg(long, value_name = "FILE", help_heading = "Time stamps and signatures")]
    pub tsr: Option<PathBuf>,

    /// Certificates in PEM: roots are trusted, others complete a chain; may be given several times
    ///
    /// Nothing else is trusted, and certificates are judged at the time in the stamp. Whether one had been withdrawn is not
    /// checked.
    #[arg(long, value_name = "FILE", help_heading = "Time stamps and signatures")]
    pub ca: Vec<PathBuf>,
}

#[cfg_attr(not(feature = "signatures"), allow(dead_code, reason = "used where signatures are evaluated"))]
fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| Error::usage(error.to_string()).at_file(path))
}

#[cfg(feature = "signatures")]
fn trust(files: &ProofFiles) -> Result<Trust> {
    let mut trust = Trust::default();
    for path in &files.ca {
        trust.add(&read(path)?).map_err(|fault| Error::usage(fault).at_file(path))?;
    }
    Ok(trust)
}

#[cfg(feature = "signatures")]
fn exit_of(outcome: Outcome) -> Exit {
    match outcome {
        Outcome::Valid => Exit::Done,
        Outcome::NotSettled => Exit::Unreadable,
        Outcome::Invalid => Exit::BarNotMet,
    }
}

#[cfg(feature = "signatures")]
fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Valid => "valid",
        Outcome::NotSettled => "not settled",
        Outcome::Invalid => "not valid",
    }
}

/// The worse of two ends: what fails, before what is not settled.
pub(super) fn worse(one: Exit, other: Exit) -> Exit {
    let rank = |exit: Exit| match exit {
        Exit::Done => 0,
        Exit::Unreadable => 1,
        _ => 2,
    };
    if rank(other) > rank(one) { other } else { one }
}

/// Evaluates the reply over a report and says what came of it; without a reply, nothing.
#[cfg(feature = "signatures")]
pub(super) fn stamp(out: &mut dyn Write, files: &ProofFiles, report: &[u8]) -> anyhow::Result<Exit> {
    let Some(path) = &files.tsr else { return Ok(Exit::Done) };
    let found = stamp::check(&read(path)?, report, &[], &trust(files)?, now());
    write_stamp(out, &found)?;
    Ok(exit_of(found.verdict.outcome))
}

/// Without signatures in the program a reply cannot be evaluated.
#[cfg(not(feature = "signatures"))]
pub(super) fn stamp(_out: &mut dyn Write, files: &ProofFiles, _report: &[u8]) -> anyhow::Result<Exit> {
    if files.tsr.is_some() {
        return Err(Error::usage("this program was built without time stamps and signatures")
            .with_remedy("build it without `--no-default-features`, or use `openssl ts -verify`")
            .into());
    }
    Ok(Exit::Done)
}

#[cfg(feature = "signatures")]
fn write_stamp(out: &mut dyn Write, found: &stamp::Stamp) -> io::Result<()> {
    let Verdict { outcome, words } = &found.verdict;
    quoted(out, "TIME STAMP  ", &format!("{}: {words}", word(*outcome)))?;
    if let (Some(info), Some(until)) = (&found.info, found.no_later_than()) {
        let accuracy = match info.accuracy {
            Some(micros) => format!("± {} s", micros as f64 / 1e6),
            None => "accuracy not stated".to_owned(),
        };
        let condition = if *outcome == Outcome::Valid { "" } else { "If the stamp can be trusted: " };
        let words = format!(
            "{condition}the report existed no later than {until} (stamped {}, {accuracy}). Policy {}, serial number {}.",
            info.time, info.policy, info.serial
        );
        quoted(out, "            ", &words)?;
    }
    for note in &found.notes {
        quoted(out, "NOTE        ", note)?;
    }
    if *outcome != Outcome::Invalid {
        paragraph(out, "            ", "Not checked: whether the certificate had been withdrawn.")?;
    }
    Ok(())
}

/// The four verdicts on a package: contents, manifest, signature, identity and time.
pub(super) fn package(out: &mut dyn Write, files: &ProofFiles, path: &Path) -> anyhow::Result<Exit> {
    let fault = |error: io::Error| Error::from(error).at_file(path);
    let blob = std::fs::File::open(path).and_then(Blob::file).map_err(fault)?;
    let mut wacz = Wacz::open(blob).map_err(fault)?;
    let contents = wacz.contents().map_err(fault)?;
    let manifest = wacz.manifest().map_err(fault)?;
    let mut exit = Exit::Done;
    if contents.faults.is_empty() {
        let words = format!("agree: {} listed and hashed, none besides", count(contents.agree, "file"));
        paragraph(out, "CONTENTS    ", &words)?;
    } else {
        exit = Exit::BarNotMet;
        for fault in &contents.faults {
            quoted(out, "CONTENTS    ", fault)?;
        }
    }
    for note in wacz.around().iter().chain(&manifest.notes) {
        quoted(out, "NOTE        ", note)?;
    }
    for path in &contents.weak {
        exit = worse(exit, Exit::Unreadable);
        let words = format!(
            "{path} is listed with a hash that can be forged (MD5 or SHA-1): what it shows is not settled"
        );
        quoted(out, "NOTE        ", &words)?;
    }
    let signed = manifest.digest_file.as_ref().and_then(|file| file.get("signedData"));
    let signed_hash = signed.and_then(|signed| signed.get("hash")).and_then(serde_json::Value::as_str);
    let found = manifest.found.map(|found| found.to_string());
    let declared = manifest.declared.map(|declared| declared.to_string());
    let mut wrong = Vec::new();
    if found.is_none() {
        wrong.push("there is no readable datapackage.json".to_owned());
    } else if manifest.digest_file.is_none() {
        exit = worse(exit, Exit::Unreadable);
        paragraph(
            out,
            "MANIFEST    ",
            "not settled: there is no datapackage-digest.json, so no hash covers it",
        )?;
    } else if found != declared {
        wrong.push("datapackage.json does not have the hash that datapackage-digest.json states".to_owned());
    }
    if signed.is_some() && signed_hash != found.as_deref() {
        wrong.push("datapackage.json does not have the hash that was signed".to_owned());
    }
    if !wrong.is_empty() {
        exit = Exit::BarNotMet;
        for fault in &wrong {
            paragraph(out, "MANIFEST    ", fault)?;
        }
    } else if manifest.digest_file.is_some() {
        paragraph(out, "MANIFEST    ", "agrees: datapackage.json has the hash that is stated for it")?;
    }
    let Some(signed) = signed else {
        paragraph(out, "SIGNATURE   ", "none: the package is not signed")?;
        paragraph(out, "IDENTITY    ", "not stated")?;
        return Ok(worse(exit, Exit::Unreadable));
    };
    let is_other = signed_hash != found.as_deref();
    signature(out, files, signed, is_other).map(|end| worse(exit, end))
}

#[cfg(feature = "signatures")]
fn signature(
    out: &mut dyn Write,
    files: &ProofFiles,
    signed: &serde_json::Value,
    is_other: bool,
) -> anyhow::Result<Exit> {
    let checked = package::evaluate(signed, &trust(files)?, now());
    let mut words = checked.signature.words.clone();
    if is_other && checked.signature.outcome == Outcome::Valid {
        words += ", but over another manifest than this one: it is worth nothing here";
    }
    quoted(out, "SIGNATURE   ", &words)?;
    let of = if is_other { "of that other manifest: " } else { "" };
    quoted(out, "IDENTITY    ", &format!("{of}{}", checked.identity.words))?;
    if checked.stamp.is_some() && checked.identity.outcome != Outcome::Invalid {
        paragraph(out, "            ", "Not checked: whether a certificate had been withdrawn.")?;
    }
    for note in &checked.notes {
        quoted(out, "NOTE        ", note)?;
    }
    Ok(exit_of(checked.signature.outcome.max(checked.identity.outcome)))
}

#[cfg(not(feature = "signatures"))]
fn signature(
    out: &mut dyn Write,
    files: &ProofFiles,
    signed: &serde_json::Value,
    _is_other: bool,
) -> anyhow::Result<Exit> {
    if !files.ca.is_empty() {
        return Err(Error::usage("this program was built without time stamps and signatures")
            .with_remedy("build it without `--no-default-features`")
            .into());
    }
    let domain = signed.get("domain").and_then(serde_json::Value::as_str);
    paragraph(out, "SIGNATURE   ", "not evaluated: this program was built without signatures")?;
    quoted(out, "IDENTITY    ", &format!("not evaluated; the package names {}", domain.unwrap_or("nobody")))?;
    Ok(Exit::Unreadable)
}

/// Whether a path is a bundle: a folder or a package with an answer in it.
pub(super) fn is_bundle(path: &Path) -> bool {
    if path.is_dir() {
        // One whose answer was taken away is a bundle that does not hold.
        return [ANSWER, CUSTODY, SUMS].iter().any(|name| path.join(name).is_file());
    }
    let opened = std::fs::File::open(path).and_then(Blob::file).and_then(Wacz::open);
    opened.is_ok_and(|wacz| wacz.entries().iter().any(|entry| entry.name == ANSWER))
}

/// Checks a bundle, a folder or a package.
pub(super) fn bundle(out: &mut dyn Write, files: &ProofFiles, path: &Path) -> anyhow::Result<Exit> {
    let (mut faults, mut notes) = (Vec::new(), Vec::new());
    let unpacked = if path.is_dir() { None } else { Some(unpack(path, &mut faults, &mut notes)?) };
    let folder = unpacked.as_ref().map_or(path, |unpacked| unpacked.path());
    let mut checked = check(folder)?;
    checked.failed.splice(0..0, faults);
    if let Some(other) = &checked.other_version {
        let words = format!(
            "made by version {other} of Acuity; this is version {}. Text, HTML and tables were not made again.",
            env!("CARGO_PKG_VERSION")
        );
        quoted(out, "NOTE    ", &words)?;
    }
    for path in &checked.beside {
        let words = format!(
            "{path} is not part of the bundle, and was not checked; --tsr and --ca check a time stamp"
        );
        quoted(out, "NOTE    ", &words)?;
    }
    for note in &notes {
        quoted(out, "NOTE    ", note)?;
    }
    for failure in &checked.failed {
        quoted(out, "FAILED  ", failure)?;
    }
    let mut exit = Exit::Done;
    if let Some((signature, key)) = &checked.signature {
        exit = signature_of_report(out, &checked.answer, signature, key)?;
    }
    if checked.failed.is_empty() {
        let mut words = format!(
            "Confirmed from the records in this bundle: the answer follows from them, {} copied as they were stored have their \
             SHA-256, and all {} are as they were made.",
            count(checked.records, "record"),
            count(checked.files, "file")
        );
        if checked.whole > 0 {
            let (files, have) =
                (count(checked.whole, "damaged file"), if checked.whole == 1 { "is" } else { "are" });
            words += &format!(" {files} {have} copied whole.");
        }
        if checked.unpacked > 0 {
            words += &format!(
                " {} uncompressed when copied; that {} those of the archive, only the archive shows.",
                if checked.unpacked == 1 {
                    "1 record was".to_owned()
                } else {
                    format!("{} records were", checked.unpacked)
                },
                if checked.unpacked == 1 { "it is one of" } else { "they are" }
            );
        }
        paragraph(out, "", &words)?;
        paragraph(out, "", OF_THE_WHOLE)?;
        if let Some(answer) = &checked.words {
            quoted(out, "ANSWER  ", answer)?;
        }
    } else {
        exit = Exit::BarNotMet;
        paragraph(out, "", "The bundle does not hold.")?;
    }
    paragraph(out, "", &format!("SHA-256 of the answer: {}", in_groups(&sha256(&checked.answer))))?;
    Ok(worse(exit, stamp(out, files, &checked.answer)?))
}

#[cfg(feature = "signatures")]
fn signature_of_report(out: &mut dyn Write, answer: &[u8], signature: &[u8], key: &[u8]) -> io::Result<Exit> {
    let print = in_groups(&sha256(key));
    match crate::signatures::sign::holds(answer, signature, key) {
        Ok(true) => {
            let words = format!(
                "valid for the key in evidence/answer.pub (SHA-256 of that file: {print}); whose key it is, the bundle does not \
                 show."
            );
            paragraph(out, "SIGNATURE  ", &words)?;
            Ok(Exit::Done)
        }
        Ok(false) => {
            paragraph(
                out,
                "SIGNATURE  ",
                "not valid: the report or the signature was altered, or another key signed",
            )?;
            Ok(Exit::BarNotMet)
        }
        Err(fault) => {
            paragraph(out, "SIGNATURE  ", &format!("not valid: {fault}"))?;
            Ok(Exit::BarNotMet)
        }
    }
}

#[cfg(not(feature = "signatures"))]
fn signature_of_report(out: &mut dyn Write, _: &[u8], _: &[u8], _: &[u8]) -> io::Result<Exit> {
    paragraph(out, "SIGNATURE  ", "not evaluated: this program was built without signatures")?;
    Ok(Exit::Unreadable)
}

/// Unpacks a bundle into a temporary folder. Names that a bundle does not have are faults, and are not unpacked.
fn unpack(
    path: &Path,
    faults: &mut Vec<String>,
    notes: &mut Vec<String>,
) -> anyhow::Result<tempfile::TempDir> {
    let fault = |error: io::Error| Error::from(error).at_file(path);
    let blob = std::fs::File::open(path).and_then(Blob::file).map_err(fault)?;
    let mut wacz = Wacz::open(blob).map_err(fault)?;
    notes.extend(wacz.around());
    notes.extend(wacz.manifest().map_err(fault)?.notes);
    let folder = tempfile::tempdir().map_err(fault)?;
    faults.extend(wacz.contents().map_err(fault)?.faults);
    faults.extend(wacz.problems().iter().map(|problem| problem.message.clone()));
    for entry in wacz.entries() {
        let name = entry.name.as_str();
        let parts: Vec<&str> = name.split('/').collect();
        let is_plain = |part: &&str| !part.is_empty() && !part.starts_with('.') && !part.contains('\\');
        let is_known = match parts.as_slice() {
            [MANIFEST | MANIFEST_DIGEST] => true,
            ["archive" | "evidence" | "indexes" | "pages", file] => is_plain(file),
            _ => false,
        };
        let target = folder.path().join(name);
        if !is_known || target.exists() {
            faults.push(format!("{name} does not belong to a bundle"));
            continue;
        }
        if let Some(parent) = target.parent() {
            std::fs::create_dir_all(parent).map_err(fault)?;
        }
        let (content, problem) = wacz.read(entry).map_err(fault)?;
        faults.extend(problem.map(|problem| format!("{name}: {}", problem.message)));
        let mut file = std::fs::File::create(&target).map_err(fault)?;
        io::copy(&mut content.reader(0), &mut file).map_err(fault)?;
    }
    Ok(folder)
}
