//! Checks a report: every field against one computed anew, and every witness through a second, minimal reader.
//!
//! The second reader shares nothing with the first but the opening of files: it goes to the offset, inflates one gzip
//! member if there is one, reads header lines up to the empty one, and compares what stands there with what the report
//! says. So a fault of the main reader does not confirm itself.

use std::collections::HashMap;
use std::io::Read;

use serde_json::Value;

use crate::audit::at_model::{At, Witness};
use crate::audit::at_seal::{report_hash, sha256, stored};
use crate::capture::Kind;
use crate::error::{Error, Result};
use crate::time::Dated;

/// No more of an inflated record is read.
const LONGEST: u64 = 256 << 20;

/// What a check came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verification {
    /// The statements that fail.
    pub failed: Vec<String>,
    /// How many witnesses were read again.
    pub read: u64,
    /// How many could not be: only an index tells of them, or they are too long.
    pub unread: u64,
    /// The version of the tool that made the report, if it is another one than this.
    pub other_version: Option<String>,
}

/// Checks a report, as it is written, against one computed anew from its parameters and the inputs.
///
/// Another version of the tool necessarily writes another version and another hash of the whole; then the report has to agree
/// with its own hash, and all other fields are compared.
///
/// # Errors
/// When one of them cannot be written as JSON.
pub fn verify(report: &At, said: &Value, computed: &At) -> Result<Verification> {
    let other_version = (report.tool_version != computed.tool_version).then(|| report.tool_version.clone());
    let mut expected = computed.clone();
    let mut failed = Vec::new();
    if other_version.is_some() {
        expected.tool_version.clone_from(&report.tool_version);
        expected.report_sha256.clone_from(&report.report_sha256);
        if report_hash(report)? != report.report_sha256 {
            failed.push(".report_sha256: the report does not agree with its own hash".to_owned());
        }
    }
    let expected = serde_json::to_value(&expected).map_err(|error| Error::data(error.to_string()))?;
    failed.extend(differences(said, &expected));
    let (read, unread, faults) = reread(report);
    failed.extend(faults);
    Ok(Verification { failed, read, unread, other_version })
}

/// Where two reports differ: the path of the field, what the report says and what was computed.
pub fn differences(said: &Value, computed: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare("", said, computed, &mut found);
    found
}

fn compare(path: &str, said: &Value, computed: &Value, found: &mut Vec<String>) {
    match (said, computed) {
        (Value::Object(said), Value::Object(computed)) => {
            for (name, value) in said {
                let path = format!("{path}.{name}");
                match computed.get(name) {
                    Some(other) => compare(&path, value, other, found),
                    None => found.push(format!("{path}: no such field belongs there")),
                }
            }
            for name in computed.keys().filter(|name| !said.contains_key(*name)) {
                found.push(format!("{path}.{name}: is missing"));
            }
        }
        (Value::Array(said), Value::Array(computed)) => {
            if said.len() != computed.len() {
                found.push(format!("{path}: the report has {}, computed are {}", said.len(), computed.len()));
            }
            for (place, (said, computed)) in said.iter().zip(computed).enumerate() {
                compare(&format!("{path}[{place}]"), said, computed, found);
            }
        }
        _ if said == computed => {}
        _ => found.push(format!("{path}: the report says {said}, computed is {computed}")),
    }
}

/// How many witnesses of a report were read again by their places, how many could not be, and what is wrong with them.
pub fn reread(at: &At) -> (u64, u64, Vec<String>) {
    let (mut read, mut unread, mut found) = (0, 0, Vec::new());
    let mut files = HashMap::new();
    for page in &at.pages {
        for witness in &page.witnesses {
            let place = || {
                let offset =
                    witness.offset.map_or_else(|| "an unknown place".to_owned(), |offset| offset.to_string());
                format!("witness of {}: {} at {offset}", page.url, witness.file)
            };
            match stored(witness, &mut files) {
                Err(error) => found.push(format!("{}: {error}", place())),
                Ok(None) if witness.record_sha256.is_some() => {
                    found.push(format!("{}: the record is not there any more", place()));
                }
                Ok(None) => unread += 1,
                Ok(Some(bytes)) => {
                    read += 1;
                    found.extend(
                        check(witness, &bytes).into_iter().map(|fault| format!("{}: {fault}", place())),
                    );
                }
            }
        }
    }
    (read, unread, found)
}

fn check(witness: &Witness, bytes: &[u8]) -> Vec<String> {
    let mut faults = Vec::new();
    if witness.record_sha256.as_ref() != Some(&sha256(bytes)) {
        faults.push("the stored bytes have another SHA-256 than the report says".to_owned());
    }
    let mut record = Vec::new();
    if bytes.starts_with(&[0x1f, 0x8b]) {
        // What could be inflated before a fault is still looked at.
        if flate2::read::GzDecoder::new(bytes).take(LONGEST).read_to_end(&mut record).is_err() {
            faults.push("the compressed record cannot be inflated".to_owned());
        }
    } else if bytes.starts_with(b"WARC/") {
        record.extend_from_slice(bytes);
    } else {
        // ARC and Zstandard: the hash of the stored bytes is the check.
        return faults;
    }
    if !record.starts_with(b"WARC/") {
        return faults;
    }
    let end = record.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(record.len());
    let head = String::from_utf8_lossy(&record[..end]);
    let field = |name: &str| {
        head.lines().skip(1).filter_map(|line| line.split_once(':')).find_map(|(found, value)| {
            found.trim().eq_ignore_ascii_case(name).then(|| value.trim().trim_matches(['<', '>']).to_owned())
        })
    };
    let mut expect = |name: &str, right: bool| {
        if !right {
            faults.push(format!(
                "{name} is {:?}, which is not what the report says",
                field(name).unwrap_or_default()
            ));
        }
    };
    // A member may hold other records before the one that is meant.
    if witness.record_id.is_some() && field("WARC-Record-ID") != witness.record_id {
        expect("WARC-Record-ID", false);
        return faults;
    }
    let date = field("WARC-Date").and_then(|date| Dated::parse(&date));
    expect("WARC-Date", date.is_some_and(|date| date.instant == witness.date));
    expect("WARC-Target-URI", field("WARC-Target-URI").as_ref() == Some(&witness.url));
    let kind = match witness.kind {
        Kind::Response => "response",
        Kind::Resource => "resource",
        Kind::Revisit => "revisit",
        Kind::Index => return faults,
    };
    expect("WARC-Type", field("WARC-Type").as_deref() == Some(kind));
    faults
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_kind_of_difference_is_found_with_its_path() {
        let said = json!({"a": 1, "b": [1, {"c": "x"}], "more": null});
        let computed = json!({"a": 2, "b": [1, {"c": "y"}, 3], "less": null});
        let found = differences(&said, &computed);
        for path in [".a:", ".b:", ".b[1].c:", ".more:", ".less:"] {
            assert!(found.iter().any(|fault| fault.starts_with(path)), "{path} {found:?}");
        }
        assert_eq!(found.len(), 5);
        assert!(differences(&said, &said.clone()).is_empty());
    }
}
