//! Checks a bundle: every byte of every file, the answer against the records, and the records against the list of copies.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use serde_json::Value;

use crate::at::custody::{Copy, Custody};
use crate::at::model::At;
use crate::bundle::files::{Measured, derived, seals};
use crate::bundle::recompute::{compare, compute};
use crate::bundle::{
    ANSWER, CUSTODY, MANIFEST, MANIFEST_DIGEST, PUBLIC_KEY, SIGNATURE, SUMS, is_archive, is_whole,
};
use crate::digest::{Algorithm, Hasher, sha256};
use crate::error::{Error, Result};
use crate::report::at_json::AnswerFile;
use crate::report::json;

/// The largest file that is read whole.
const MAX_TEXT: u64 = 256 << 20;

/// The reply of an authority and its certificate, where whoever checks the time has laid them into the bundle.
const STAMPS: [&str; 4] = ["answer.tsr", "ca.pem", "evidence/answer.tsr", "evidence/ca.pem"];

/// What came of it.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    /// What does not hold, one sentence each.
    pub failed: Vec<String>,
    /// Files compared.
    pub files: u64,
    /// Records copied as they were stored, each hashed.
    pub records: u64,
    /// Files that were copied whole, each hashed.
    pub whole: u64,
    /// Records whose bytes are another form of what the archive stores.
    pub unpacked: u64,
    /// The bytes of the answer.
    pub answer: Vec<u8>,
    /// Its verdict in words, where it could be read.
    pub words: Option<String>,
    /// Signature and public key.
    pub signature: Option<(Vec<u8>, Vec<u8>)>,
    /// The version that made the bundle, if it is another one.
    pub other_version: Option<String>,
    /// Files that were laid beside those of the bundle and are not part of it.
    pub beside: Vec<String>,
}

/// Checks the bundle in a folder.
///
/// # Errors
/// When a file cannot be read.
pub(crate) fn check(folder: &Path) -> Result<Checked> {
    let mut checked = Checked::default();
    let mut measured = Measured::new();
    measure(folder, "", &mut measured, &mut checked.failed)?;
    checked.beside =
        STAMPS.into_iter().filter(|path| measured.remove(*path).is_some()).map(str::to_owned).collect();
    checked.files = measured.len() as u64;
    let read = |path: &str| -> Result<Option<Vec<u8>>> {
        match measured.get(path) {
            Some((bytes, _)) if *bytes <= MAX_TEXT => {
                fs::read(folder.join(path)).map(Some).map_err(|error| Error::from(error).at_file(path))
            }
            _ => Ok(None),
        }
    };
    sums(read(SUMS)?, &measured, &mut checked.failed);
    let (Some(answer), Some(custody)) = (read(ANSWER)?, read(CUSTODY)?) else {
        checked.failed.push(format!("{ANSWER} or {CUSTODY} is missing"));
        return Ok(checked);
    };
    checked.answer = answer;
    checked.signature = read(SIGNATURE)?.zip(read(PUBLIC_KEY)?);
    let said: Option<Value> = serde_json::from_slice(&checked.answer).ok();
    let at = json::read_at(&checked.answer);
    let custody: std::result::Result<Custody, _> = serde_json::from_slice(&custody);
    let (Some(said), Ok(at), Ok(custody)) = (said, at, custody) else {
        checked.failed.push(format!("{ANSWER} or {CUSTODY} cannot be read"));
        return Ok(checked);
    };
    checked.words = Some(at.answer.clone());
    let file = AnswerFile::of_bytes(checked.answer.clone());
    if custody.answer_sha256 != file.sha256 {
        checked.failed.push(format!("{CUSTODY} names another answer: its SHA-256 is not that of {ANSWER}"));
    }
    if serde_json::to_value(&custody.inputs).ok().as_ref() != said.get("inputs") {
        checked.failed.push(format!("{CUSTODY} and {ANSWER} name other inputs"));
    }
    if custody.remarks != Custody::remarks(&at, custody.made, &custody.copies) {
        checked.failed.push(format!("{CUSTODY}: its remarks do not follow from the answer and the copies"));
    }
    copies(folder, &custody.copies, &measured, &mut checked)?;
    hashes_of_records(&at, &custody.copies, &mut checked.failed);
    if at.tool_version != env!("CARGO_PKG_VERSION") {
        checked.other_version = Some(at.tool_version.clone());
    }
    match compute(folder, &at) {
        Err(error) => checked.failed.push(format!("nothing can be computed from its records: {error}")),
        Ok(computed) => {
            let differences = compare(folder, &said, &computed.at, &custody.copies)?;
            checked.failed.extend(differences.into_iter().map(|fault| format!("{ANSWER}{fault}")));
            if checked.other_version.is_none() {
                let is_signed = measured.contains_key(SIGNATURE);
                let mut expected = derived(&at, &file, &custody, &computed.captures, is_signed)?;
                expected.extend(seals(measured.clone(), &at, &custody)?);
                for (path, bytes) in &expected {
                    match measured.get(path) {
                        None => checked.failed.push(format!("{path} is missing")),
                        Some((_, hash)) if *hash != sha256(bytes) => checked.failed.push(format!(
                            "{path} is not what this program writes for the answer and the records here"
                        )),
                        Some(_) => {}
                    }
                }
                let known = |path: &str| is_archive(path) || [SIGNATURE, PUBLIC_KEY].contains(&path);
                for path in measured.keys() {
                    if !expected.contains_key(path) && !known(path) {
                        checked.failed.push(format!("{path} does not belong to a bundle"));
                    }
                }
            }
        }
    }
    checked.failed.sort();
    checked.failed.dedup();
    Ok(checked)
}

/// Length and SHA-256 of all files below a folder. Links are faults.
fn measure(folder: &Path, below: &str, all: &mut Measured, failed: &mut Vec<String>) -> Result<()> {
    let fault = |error: std::io::Error| Error::from(error).at_file(folder.join(below));
    for entry in fs::read_dir(folder.join(below)).map_err(fault)? {
        let entry = entry.map_err(fault)?;
        let kind = entry.file_type().map_err(fault)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if below.is_empty() { name } else { format!("{below}/{name}") };
        if kind.is_dir() {
            measure(folder, &path, all, failed)?;
        } else if kind.is_file() {
            let mut file = File::open(entry.path()).map_err(fault)?;
            let mut hasher = Hasher::new(Algorithm::Sha256);
            let mut buffer = vec![0; 1 << 18];
            let mut length = 0;
            loop {
                let count = file.read(&mut buffer).map_err(fault)?;
                if count == 0 {
                    break;
                }
                hasher.update(&buffer[..count]);
                length += count as u64;
            }
            all.insert(path, (length, hasher.finish().hex()));
        } else {
            failed.push(format!("{path} is not a file"));
        }
    }
    Ok(())
}

/// Compares all files with the list of checksums: each listed once, none besides.
fn sums(list: Option<Vec<u8>>, measured: &Measured, failed: &mut Vec<String>) {
    let Some(list) = list else {
        failed.push(format!("{SUMS} is missing"));
        return;
    };
    let list = String::from_utf8_lossy(&list);
    let listed: Vec<(&str, &str)> = list.lines().filter_map(|line| line.split_once("  ")).collect();
    for (hash, path) in &listed {
        match measured.get(*path) {
            None => failed.push(format!("{path} is missing")),
            Some((_, found)) if found != hash => {
                failed.push(format!("{path} was changed: it does not have the SHA-256 in {SUMS}"));
            }
            Some(_) => {}
        }
    }
    let unlisted = [SUMS, MANIFEST, MANIFEST_DIGEST];
    for path in measured.keys().filter(|path| !unlisted.contains(&path.as_str())) {
        if !listed.iter().any(|(_, name)| name == path) {
            failed.push(format!("{path} is not listed in {SUMS}"));
        }
    }
}

/// Compares the archives with the list of copies: one behind the other, nothing between them or behind.
fn copies(folder: &Path, copies: &[Copy], measured: &Measured, checked: &mut Checked) -> Result<()> {
    let named = copies.iter().map(|copy| copy.to_file.as_str());
    let all: BTreeSet<&str> = named.chain(measured.keys().map(String::as_str)).collect();
    for path in all.into_iter().filter(|path| is_archive(path)) {
        let mut here: Vec<&Copy> = copies.iter().filter(|copy| copy.to_file == path).collect();
        here.sort_by_key(|copy| copy.to_offset);
        let length = measured.get(path).map(|(length, _)| *length);
        if here.is_empty() && length.is_none() {
            continue;
        }
        let mut end = 0;
        let mut file = match File::open(folder.join(path)) {
            Ok(file) => file,
            Err(_) => {
                checked.failed.push(format!("{path} is missing"));
                continue;
            }
        };
        for copy in here {
            if copy.to_offset != end {
                checked.failed.push(format!("{path}: byte {end} belongs to no copied record"));
                return Ok(());
            }
            let mut hasher = Hasher::new(Algorithm::Sha256);
            let mut buffer = vec![0; 1 << 16];
            let mut part = (&mut file).take(copy.length);
            loop {
                let count = part.read(&mut buffer).map_err(|error| Error::from(error).at_file(path))?;
                if count == 0 {
                    break;
                }
                hasher.update(&buffer[..count]);
            }
            let found = hasher.finish().hex();
            if found != copy.to_sha256 {
                checked.failed.push(format!("{path}: the record at byte {end} was changed"));
            }
            if copy.as_stored && copy.from_sha256.as_ref() != Some(&copy.to_sha256) {
                checked.failed.push(format!("{CUSTODY}: the record at byte {end} of {path} has two hashes"));
            }
            if is_whole(path) {
                checked.whole += 1;
            } else if copy.as_stored {
                checked.records += 1;
            } else {
                checked.unpacked += 1;
            }
            end += copy.length;
        }
        if length != Some(end) {
            checked
                .failed
                .push(format!("{path}: behind byte {end} there is something that is not a copied record"));
        }
    }
    let others = copies.iter().filter(|copy| !is_archive(&copy.to_file));
    checked
        .failed
        .extend(others.map(|copy| format!("{CUSTODY} names {}, which is not an archive here", copy.to_file)));
    Ok(())
}

/// Every record that the answer names is there, with the hash that the answer states.
fn hashes_of_records(at: &At, copies: &[Copy], failed: &mut Vec<String>) {
    // A whole file is the input itself, so each record in it has the hash that is computed with the answer.
    let is_input = |copy: &Copy| {
        is_whole(&copy.to_file)
            && at.inputs.iter().any(|input| input.path == copy.from_file && input.sha256 == copy.to_sha256)
    };
    for copy in copies.iter().filter(|copy| is_whole(&copy.to_file) && !is_input(copy)) {
        failed.push(format!("{} is not the file that the answer names", copy.to_file));
    }
    let pages: Vec<_> = at.pages.iter().collect();
    for witness in pages.iter().flat_map(|page| &page.witnesses) {
        let is_there = copies.iter().any(|copy| {
            copy.from_file == witness.file
                && (is_input(copy)
                    || copy.label.as_ref() == Some(&witness.label)
                        && copy.from_sha256 == witness.record_sha256)
        });
        if !is_there {
            failed.push(format!(
                "record {} of the answer is not in the bundle with its SHA-256",
                witness.label
            ));
        }
    }
}
