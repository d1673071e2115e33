//! The files of a bundle that follow from the others: report, index, pages, checksums, manifest.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use serde_json::json;

use crate::archive::source::base_name;
use crate::at::custody::Custody;
use crate::at::model::At;
use crate::at::stamp;
use crate::bundle::{ANSWER, CUSTODY, MANIFEST, MANIFEST_DIGEST, SUMS, words};
use crate::capture::Observation;
use crate::digest::sha256;
use crate::rebuild::wacz::{Indexed, cdxj, pages};
use crate::report::at::{Length, Seal, write};
use crate::report::at_json::{AnswerFile, embeddable};
use crate::report::certificate::{self, Form};
use crate::report::html;
use crate::report::observations::{CsvWriter, ObservationWriter};

/// Paths and contents.
pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// Length and hash of each file that is there already.
pub(crate) type Measured = BTreeMap<String, (u64, String)>;

/// All files that follow from the answer, its custody and the captures in the bundle, with those two themselves.
pub(crate) fn derived(
    at: &At,
    file: &AnswerFile,
    custody: &Custody,
    captures: &[Observation],
    is_signed: bool,
) -> io::Result<Files> {
    let mut files = Files::new();
    files.insert(ANSWER.to_owned(), file.bytes()?.into_owned());
    files.insert(CUSTODY.to_owned(), embeddable(custody)?);
    let mut text = Vec::new();
    write(&mut text, at, Seal { sha256: &file.sha256, custody: Some(custody) }, Length::Whole)?;
    files.insert("evidence/answer.txt".to_owned(), text);
    let mut page = Vec::new();
    html::at::write(&mut page, at, file, Some(custody))?;
    files.insert("evidence/answer.html".to_owned(), page);
    files.insert("evidence/answer.tsq".to_owned(), stamp::request(&file.bytes()?));
    for (name, form) in [("certificate.txt", Form::Fre902), ("certificate-neutral.txt", Form::Neutral)] {
        let mut template = Vec::new();
        certificate::write(&mut template, at, custody, form)?;
        files.insert(format!("evidence/{name}"), template);
    }
    let mut table = Vec::new();
    let mut csv = CsvWriter::new(&mut table)?;
    captures.iter().try_for_each(|capture| csv.write(capture))?;
    csv.finish()?;
    drop(csv);
    files.insert("evidence/captures.csv".to_owned(), table);
    files.insert("evidence/VERIFY.txt".to_owned(), words::verify_page(at, file, custody, is_signed)?);
    let mut index = String::new();
    let mut all = Vec::new();
    let archives: BTreeSet<&str> = custody.copies.iter().map(|copy| copy.to_file.as_str()).collect();
    for path in archives {
        let archive = base_name(path);
        let here = captures.iter().filter(|capture| *capture.file == *path);
        let lines: Vec<Indexed> = here
            .filter_map(|capture| {
                let (time, offset, length) = (capture.time?, capture.offset?, capture.length?);
                Some(Indexed { offset, length, ..Indexed::of(capture, time) })
            })
            .collect();
        index += &cdxj(lines.clone(), archive)?;
        all.extend(lines);
    }
    let mut lines: Vec<&str> = index.lines().collect();
    lines.sort_unstable();
    let index: String = lines.iter().flat_map(|line| [*line, "\n"]).collect();
    all.sort();
    files.insert("indexes/index.cdx".to_owned(), index.into_bytes());
    files.insert("pages/pages.jsonl".to_owned(), pages(&all).into_bytes());
    Ok(files)
}

/// Checksums of all files, and the manifest over them and the checksums.
pub(crate) fn seals(mut measured: Measured, at: &At, custody: &Custody) -> io::Result<Files> {
    for path in [SUMS, MANIFEST, MANIFEST_DIGEST] {
        measured.remove(path);
    }
    let sums: String = measured.iter().map(|(path, (_, hash))| format!("{hash}  {path}\n")).collect();
    measured.insert(SUMS.to_owned(), (sums.len() as u64, sha256(sums.as_bytes())));
    let resources: Vec<serde_json::Value> = measured
        .iter()
        .map(|(path, (bytes, hash))| {
            // Data packages have names in lower case, and programs that check them insist.
            let name = base_name(path).to_lowercase();
            json!({"name": name, "path": path, "hash": format!("sha256:{hash}"), "bytes": bytes})
        })
        .collect();
    let manifest = json!({
        "profile": "data-package",
        "wacz_version": "1.1.1",
        "title": at.question,
        "created": custody.made.to_string(),
        "software": format!("Acuity/{}", at.tool_version),
        "resources": resources,
    });
    let manifest = serde_json::to_string_pretty(&manifest)?.into_bytes();
    let digest = json!({"path": MANIFEST, "hash": format!("sha256:{}", sha256(&manifest))}).to_string();
    Ok(Files::from([
        (SUMS.to_owned(), sums.into_bytes()),
        (MANIFEST.to_owned(), manifest),
        (MANIFEST_DIGEST.to_owned(), digest.into_bytes()),
    ]))
}
