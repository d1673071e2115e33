//! Checks a report: every field against one computed again, and every record that it names through other code
//! ([`crate::at::reread`]), so that a fault of the main reader does not confirm itself.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use serde_json::Value;

use crate::archive::remote::RangeReader;
use crate::at::model::{At, AtFile, PageAt, Witness};
use crate::at::reread::{Again, Seen, again, bare, field, is_date, states};
use crate::at::second_reader::SecondReading;
use crate::capture::Kind;
use crate::digest::{BodyDigest, Digest};
use crate::error::{Error, Result};
use crate::format::count;
use crate::ingest::fetch::{Fetcher, NoBody, Sought};
use crate::time::Dated;

/// The result of a check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verification {
    /// Statements of the report that do not hold.
    pub failed: Vec<String>,
    /// Why the first records that could not be read again could not be.
    pub unreadable: Vec<String>,
    /// Files that have other names now: as the report names them, and as they are named here.
    pub moved: Vec<(String, String)>,
    /// How the records it names were read again.
    pub reread: Reread,
    /// Files that lie in a folder given as input, that the report does not name, and that hold nothing: left out.
    pub left_out: Vec<String>,
    /// The version of the tool that made the report, if it is another one than this.
    pub other_version: Option<String>,
}

/// How many records were read again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Reread {
    /// Records read again.
    pub read: u64,
    /// Of these, records that the `warc` crate read as well.
    pub by_warc: u64,
    /// Of these, records whose block is not the one of their `WARC-Block-Digest`: a fault of the archive.
    pub block_differs: u64,
    /// Records known only from an index.
    pub indexed: u64,
    /// Records that could not be found in the compressed member that they share.
    pub lost: u64,
    /// Records whose bytes could not be had: a file cannot be opened, or the program that fetches it failed.
    pub unreadable: u64,
}

impl Reread {
    /// How many were not read.
    pub fn unread(self) -> u64 {
        self.indexed + self.lost + self.unreadable
    }
}

/// Checks a report, as it is written, against one computed anew from its parameters and the inputs.
///
/// Inputs are matched by their hashes: files that were moved are the same files. `remote` gives records that only an index
/// tells of, if it is there. Another version of the tool necessarily
/// writes another version; all other fields are compared.
///
/// # Errors
/// When one of them cannot be written as JSON.
pub fn verify(
    report: &At,
    said: &Value,
    computed: &At,
    remote: Option<&Arc<RangeReader>>,
) -> Result<Verification> {
    let other_version = (report.tool_version != computed.tool_version).then(|| report.tool_version.clone());
    let mut expected = computed.clone();
    expected.tool_version.clone_from(&report.tool_version);
    let expected = serde_json::to_value(&expected).map_err(|error| Error::data(error.to_string()))?;
    let moved = moved(report, computed);
    let other = other_number(report, computed);
    if !moved.is_empty() || other.is_some() {
        // Under the names of today, is all the rest the same?
        let names: HashMap<&str, &str> =
            moved.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
        let mut renamed = said.clone();
        rename(&mut renamed, &names);
        let mut fields = differences(&renamed, &expected);
        if fields.is_empty() {
            // And under those of the report? A name that it gives in some places only is altered, not that of a file that was moved.
            let names = moved.iter().map(|(from, to)| (to.as_str(), from.as_str())).collect();
            let mut then = expected;
            rename(&mut then, &names);
            fields = differences(said, &then);
        }
        let Rechecked { reread, failed: faults, unreadable } = reread(computed, remote);
        // The number of inputs comes first, and only once.
        let is_number = |fault: &String| other.is_some() && fault.starts_with(".inputs: the report lists ");
        let fields = fields.into_iter().filter(|fault| !is_number(fault));
        let failed = other.clone().into_iter().chain(faults).chain(fields).collect();
        return Ok(Verification { failed, unreadable, moved, reread, other_version, left_out: Vec::new() });
    }
    let mut failed = differences(said, &expected);
    let Rechecked { reread, failed: faults, unreadable } = reread(report, remote);
    failed.extend(faults);
    Ok(Verification { failed, unreadable, moved, reread, other_version, left_out: Vec::new() })
}

/// The order in which to read files so that they come as a report names them: places in `hashes`, the files that the
/// report does not name last.
pub(crate) fn order_of(report: &At, hashes: &[String]) -> Vec<usize> {
    let mut named: Vec<&str> = Vec::new();
    for input in &report.inputs {
        // The entries of a package share its hash.
        if input.path.contains('#') && named.last() == Some(&input.sha256.as_str()) {
            continue;
        }
        named.push(&input.sha256);
    }
    let mut left: Vec<usize> = (0..hashes.len()).collect();
    let mut order = Vec::with_capacity(left.len());
    for name in named {
        if let Some(place) = left.iter().position(|place| hashes[*place] == name) {
            order.push(left.remove(place));
        }
    }
    order.extend(left);
    order
}

/// The inputs of both, as far as both have them, where these are the same files.
fn same_files<'a>(
    report: &'a At,
    computed: &'a At,
) -> Option<impl Iterator<Item = (&'a AtFile, &'a AtFile)>> {
    let pairs = || report.inputs.iter().zip(&computed.inputs);
    let is_same = pairs().all(|(one, other)| one.sha256 == other.sha256 && one.bytes == other.bytes);
    (is_same && pairs().next().is_some()).then(pairs)
}

/// Where the inputs are those that the report names, and more, or some of them are lacking: which.
fn other_number(report: &At, computed: &At) -> Option<String> {
    same_files(report, computed)?.next()?;
    let (named, given) = (report.inputs.len(), computed.inputs.len());
    let list =
        |files: &[AtFile]| files.iter().take(5).map(|file| file.path.as_str()).collect::<Vec<_>>().join(", ");
    match given.cmp(&named) {
        Ordering::Greater => Some(format!(
            "{} more than the report names: {}",
            count((given - named) as u64, "input"),
            list(&computed.inputs[named..])
        )),
        Ordering::Less => Some(format!(
            "{} fewer than the report names; not given: {}",
            count((named - given) as u64, "input"),
            list(&report.inputs[given..])
        )),
        Ordering::Equal => None,
    }
}

/// The inputs that are the same files under other names.
fn moved(report: &At, computed: &At) -> Vec<(String, String)> {
    let names = same_files(report, computed)
        .into_iter()
        .flatten()
        .map(|(one, other)| (one.path.clone(), other.path.clone()));
    names.filter(|(from, to)| from != to).collect()
}

/// Replaces texts that are the name of a file.
fn rename(value: &mut Value, names: &HashMap<&str, &str>) {
    match value {
        Value::String(text) => {
            if let Some(name) = names.get(text.as_str()) {
                (*name).clone_into(text);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, names)),
        Value::Object(fields) => fields.values_mut().for_each(|field| rename(field, names)),
        _ => {}
    }
}

/// Where two reports differ: the path of the field, what the report says and what was computed.
pub(crate) fn differences(said: &Value, computed: &Value) -> Vec<String> {
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
                found.push(format!(
                    "{path}: the report lists {}, the inputs give {}",
                    said.len(),
                    computed.len()
                ));
            }
            for (place, (said, computed)) in said.iter().zip(computed).enumerate() {
                compare(&format!("{path}[{place}]"), said, computed, found);
            }
        }
        _ if said == computed => {}
        _ => found.push(format!("{path}: the report says {said}, the inputs give {computed}")),
    }
}

/// What reading records again showed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rechecked {
    pub reread: Reread,
    /// What is wrong with them.
    pub failed: Vec<String>,
    /// Why the first of those that could not be read could not be.
    pub unreadable: Vec<String>,
}

/// At most this many reasons are kept.
const MAX_REASONS: usize = 5;

/// Reads the records of a report again by their places. What cannot be read is neither right nor wrong.
pub fn reread(at: &At, remote: Option<&Arc<RangeReader>>) -> Rechecked {
    let (mut count, mut found, mut unreadable) = (Reread::default(), Vec::new(), Vec::new());
    let mut fetcher = Fetcher::with(remote.cloned());
    let pages: Vec<Cow<'_, PageAt>> = at.pages.iter().collect();
    let witnesses: Vec<&Witness> = pages.iter().flat_map(|page| &page.witnesses).collect();
    let urls = pages.iter().flat_map(|page| page.witnesses.iter().map(|_| &page.url));
    let mut unread = |count: &mut Reread, why: String| {
        count.unreadable += 1;
        if unreadable.len() < MAX_REASONS {
            unreadable.push(why);
        }
    };
    for ((witness, url), again) in witnesses.iter().zip(urls).zip(again(&witnesses, remote)) {
        let place = || {
            let offset =
                witness.offset.map_or_else(|| "an unknown place".to_owned(), |offset| offset.to_string());
            format!("record of {url}: {} at {offset}", witness.file)
        };
        match again {
            Err(error) => unread(&mut count, format!("{}: {error}", place())),
            Ok(Again::Record(seen)) => {
                let mut faults = check(witness, &seen);
                match body_fault(witness, &mut fetcher) {
                    Ok(fault) => faults.extend(fault),
                    Err(error) => {
                        unread(&mut count, format!("{}: {error}", place()));
                        continue;
                    }
                }
                count.read += 1;
                count.by_warc += u64::from(seen.second.is_some());
                let differs = |second: &SecondReading| second.block_matches == Some(false);
                count.block_differs += u64::from(seen.second.as_ref().is_some_and(differs));
                found.extend(faults.into_iter().map(|fault| format!("{}: {fault}", place())));
            }
            Ok(_) if witness.record_sha256.is_some() => {
                found.push(format!("{}: the record is not there any more", place()));
            }
            Ok(Again::Indexed) => count.indexed += 1,
            Ok(Again::Lost) => count.lost += 1,
        }
    }
    Rechecked { reread: count, failed: found, unreadable }
}

/// What is wrong with the body of a record that only an index tells of: nobody compared it with its digest before.
fn body_fault(witness: &Witness, fetcher: &mut Fetcher) -> io::Result<Option<String>> {
    let Some(offset) = witness.offset.filter(|_| witness.index.is_some() && witness.kind != Kind::Revisit)
    else {
        return Ok(None);
    };
    let sought = Sought {
        file: &witness.file,
        offset,
        length: witness.length,
        id: witness.record_id.as_deref(),
        declared: witness.declared.as_deref().and_then(Digest::parse),
    };
    let other = match fetcher.body(&sought)? {
        Ok(body) => {
            let hash = BodyDigest(*blake3::hash(&body.bytes).as_bytes()).to_string();
            witness.body_blake3.as_ref().is_some_and(|said| *said != hash)
        }
        Err(why) => why == NoBody::Digest,
    };
    Ok(other.then(|| "its body does not have the digest that the report says".to_owned()))
}

fn check(witness: &Witness, seen: &Seen) -> Vec<String> {
    let mut faults = Vec::new();
    // A report that was made from an index does not know the record's own hash.
    let is_unsealed = witness.index.is_some() && witness.record_sha256.is_none();
    if !is_unsealed && witness.record_sha256.as_ref() != Some(&seen.sha256) {
        faults.push("the stored bytes have another SHA-256 than the report says".to_owned());
    }
    if seen.damaged {
        faults.push("the compressed record cannot be inflated".to_owned());
    }
    let Some(head) = &seen.head else { return faults };
    faults.extend(seen.second.as_ref().and_then(|second| second_faults(witness, second, head)));
    let mut expect = |name: &str, right: bool| {
        if !right {
            let found = bare(head, name).unwrap_or_default();
            faults.push(format!("{name} is {found:?}, which is not what the report says"));
        }
    };
    // A member may hold other records before the one that is meant.
    if witness.record_id.is_some() && bare(head, "WARC-Record-ID") != witness.record_id {
        expect("WARC-Record-ID", false);
        return faults;
    }
    let date = field(head, "WARC-Date").and_then(|date| Dated::parse(&date));
    expect("WARC-Date", date.is_some_and(|date| is_date(witness, date.instant)));
    expect("WARC-Target-URI", states(head, "WARC-Target-URI", &witness.url));
    let kind = match witness.kind {
        Kind::Response => "response",
        Kind::Resource => "resource",
        Kind::Revisit => "revisit",
        Kind::Index => return faults,
    };
    // Of several that differ, a capture is read.
    let is_kind = field(head, "WARC-Type").is_some_and(|found| found.eq_ignore_ascii_case(kind));
    expect("WARC-Type", is_kind || states(head, "WARC-Type", kind));
    faults
}

/// Where the `warc` crate reads something else than the report says.
fn second_faults(witness: &Witness, second: &SecondReading, head: &[u8]) -> Option<String> {
    let id = witness.record_id.as_ref().is_none_or(|id| *id == second.id);
    // Of several addresses that differ, the record is one of each.
    let is_several = second.target.as_ref().is_some_and(|target| states(head, "WARC-Target-URI", target))
        && states(head, "WARC-Target-URI", &witness.url);
    let target = second.target.as_ref() == Some(&witness.url) || is_several;
    let wrong = match () {
        () if !id => "another WARC-Record-ID",
        () if !is_date(witness, second.date) => "another WARC-Date",
        () if !target => "another WARC-Target-URI",
        () => return None,
    };
    Some(format!("the second reader (the warc crate) finds {wrong}"))
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
