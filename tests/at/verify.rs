//! No field of a report and no witnessed byte of an archive can be altered without `verify` telling.

use std::collections::HashMap;

use acuity::internals::at::model::{At, AtParameters};
use acuity::internals::at::verify::{Verification, reread, verify};
use acuity::internals::capture::page::PageFilter;
use acuity::internals::report::json;
use acuity::internals::time::Instant;
use serde_json::Value;

use crate::archive::{ask, write};
use crate::support::record::{Record, ok};

/// All values in a report that are no object or array, by their paths.
fn leaves(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| leaves(value, &format!("{path}/{name}"), found));
        }
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.for_each(|(place, value)| leaves(value, &format!("{path}/{place}"), found));
        }
        _ => found.push(path.to_owned()),
    }
}

/// All arrays and objects.
fn branches(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            found.push(path.to_owned());
            fields.iter().for_each(|(name, value)| branches(value, &format!("{path}/{name}"), found));
        }
        Value::Array(items) => {
            found.push(path.to_owned());
            let items = items.iter().enumerate();
            items.for_each(|(place, value)| branches(value, &format!("{path}/{place}"), found));
        }
        _ => {}
    }
}

/// Pages with all that a report can hold: claims, chances, gaps, phrases, embedded resources, a revisit, something missing.
fn records() -> Vec<Record> {
    let page = |n, path: &str, time: &str, body: &str| {
        Record::page(n, &format!("http://a.example{path}"), &format!("2024-01-01T{time}:00Z"), body)
    };
    let modified = format!(
        "{}\nDate: Mon, 01 Jan 2024 12:00:00 GMT\nLast-Modified: Mon, 01 Jan 2024 11:50:00 GMT",
        ok(3)
    );
    // Only a strong ETag that agrees makes a 304 a proof.
    let front = b"<p>one <img src=/i.png><a href=/lost>x</a>";
    let tagged = format!("{}\nETag: \"v1\"", ok(front.len()));
    let front = |n, time: &str| {
        Record::response(n, "http://a.example/", &format!("2024-01-01T{time}:00Z"), &tagged, front)
    };
    vec![
        front(1, "10:00"),
        page(2, "/b", "10:10", "two"),
        page(3, "/i.png", "10:20", "png"),
        front(4, "11:00"),
        page(5, "/b", "11:10", "changed"),
        Record::response(6, "http://a.example/c", "2024-01-01T12:00:00Z", &modified, b"new"),
        Record::revisit(
            7,
            "http://a.example/",
            "2024-01-01T12:10:00Z",
            "server-not-modified",
            "HTTP/1.1 304 Not Modified\nETag: \"v1\"",
        ),
        page(8, "/b", "12:30", "changed"),
    ]
}

fn parameters() -> AtParameters {
    AtParameters {
        phrases: vec!["one".into(), "two".into()],
        estimates: true,
        ..AtParameters::on("2024-01-01T11:05:00Z")
    }
}

fn checked(
    text: &[u8],
    computed: &dyn Fn(&AtParameters) -> acuity::Result<At>,
) -> acuity::Result<Verification> {
    let report = json::read_at(text)?;
    let computed = computed(&report.parameters)?;
    verify(&report, &serde_json::from_slice(text).unwrap(), &computed, None)
}

#[test]
fn a_report_altered_in_any_field_fails() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = [write(folder.path(), "a.warc", &records())];
    let at = ask(&inputs, &parameters()).unwrap();
    assert!(
        at.pages.held().iter().any(|page| page.embeds.as_ref().is_some_and(|embeds| !embeds.list.is_empty()))
    );
    assert!(at.phrases[0].present.len() == 1 && at.uncaptured.as_ref().is_some_and(|lost| lost.count == 1));
    let report = serde_json::to_value(&at).unwrap();
    // Reports with the parameters of this one are computed once.
    let known: std::cell::RefCell<HashMap<String, Option<At>>> = Default::default();
    let computed = |parameters: &AtParameters| {
        let key = serde_json::to_string(parameters).unwrap();
        if let Some(Some(at)) = known.borrow().get(&key) {
            return Ok(at.clone());
        }
        let at = ask(&inputs, parameters)?;
        known.borrow_mut().insert(key, Some(at.clone()));
        Ok(at)
    };
    let result = checked(&serde_json::to_vec(&report).unwrap(), &computed).unwrap();
    assert_eq!((result.failed.as_slice(), result.reread.unread(), result.other_version), (&[][..], 0, None));
    assert!(result.reread.read >= 5);
    let holds = |altered: &Value| {
        let result = checked(&serde_json::to_vec(altered).unwrap(), &computed);
        result.is_ok_and(|result| {
            result.failed.is_empty() && result.other_version.is_none() && result.moved.is_empty()
        })
    };
    let mut paths = Vec::new();
    leaves(&report, "", &mut paths);
    assert!(paths.len() > 250, "{}", paths.len());
    for path in &paths {
        let leaf = report.pointer(path).unwrap();
        let others: Vec<Value> = match leaf {
            Value::String(text) if Instant::parse(text).is_some() => {
                vec!["2024-01-01T10:31:00Z".into(), Value::Null]
            }
            Value::String(text) => vec![format!("{text}x").into(), "".into(), Value::Null],
            Value::Number(number) if number.is_f64() => {
                vec![(number.as_f64().unwrap() * 0.99).into(), 0.into()]
            }
            Value::Number(number) => vec![(number.as_u64().unwrap() + 1).into(), Value::Null],
            Value::Bool(value) => vec![(!value).into(), Value::Null],
            _ => vec![0.into(), "x".into(), true.into(), "2024-01-01T10:31:00Z".into()],
        };
        for other in others.into_iter().filter(|other| other != leaf) {
            let mut altered = report.clone();
            *altered.pointer_mut(path).unwrap() = other.clone();
            assert!(!holds(&altered), "{path} may be {other}");
        }
    }
    // Words that are right elsewhere are wrong here.
    for (path, word) in [
        ("/verdict", "coherent"),
        ("/verdict", "not-coherent"),
        ("/pages/0/state", "proven"),
        ("/grade", "bytes"),
    ] {
        let mut altered = report.clone();
        *altered.pointer_mut(path).unwrap() = word.into();
        assert!(altered == report || !holds(&altered), "{path} may be {word}");
    }
    let mut paths = Vec::new();
    branches(&report, "", &mut paths);
    for path in &paths {
        let mut altered = report.clone();
        match altered.pointer_mut(path).unwrap() {
            Value::Object(fields) => {
                fields.insert("more".into(), Value::Null);
            }
            Value::Array(items) => items.push(items.first().cloned().unwrap_or(Value::Null)),
            _ => {}
        }
        assert!(!holds(&altered), "{path} may have more");
        let mut altered = report.clone();
        let fewer = match altered.pointer_mut(path).unwrap() {
            Value::Object(fields) => fields.keys().next().cloned().and_then(|first| fields.remove(&first)),
            Value::Array(items) => items.pop(),
            _ => None,
        };
        assert!(fewer.is_none() || !holds(&altered), "{path} may have less");
    }
}

#[test]
fn an_archive_altered_in_any_byte_fails_and_the_second_reader_finds_every_witnessed_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "a.warc", &records());
    let inputs = [path.clone()];
    let at = ask(&inputs, &parameters()).unwrap();
    let text = serde_json::to_vec(&at).unwrap();
    let archive = std::fs::read(&path).unwrap();
    let witnessed = |place: usize| {
        at.pages.held().iter().flat_map(|page| &page.witnesses).any(|witness| {
            let from = witness.offset.unwrap() as usize;
            (from..from + witness.length.unwrap() as usize).contains(&place)
        })
    };
    let mut count = 0;
    for place in 0..archive.len() {
        for flip in [1, 0x20, 0x80] {
            let mut altered = archive.clone();
            altered[place] ^= flip;
            std::fs::write(&path, &altered).unwrap();
            if witnessed(place) {
                let found = reread(&at, None);
                assert!(
                    !found.failed.is_empty(),
                    "byte {place}, bit {flip:x}, is not missed by the second reader"
                );
                count += 1;
            }
            // The hash of the file, a field, covers every byte; computing all anew takes longer, so a part of them will do.
            if flip == 1 && place % 31 == 0 {
                let result = checked(&text, &|parameters| ask(&inputs, parameters));
                assert!(
                    result.is_ok_and(|result| !result.failed.is_empty())
                        || ask(&inputs, &parameters()).is_err(),
                    "byte {place}"
                );
            }
        }
    }
    assert!(count > 3 * 1000, "{count}");
}

#[test]
fn another_version_is_named_and_its_fields_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let inputs = [write(folder.path(), "a.warc", &records())];
    let at = ask(&inputs, &parameters()).unwrap();
    let check = |at: &At| {
        let text = serde_json::to_vec(at).unwrap();
        checked(&text, &|parameters| ask(&inputs, parameters)).unwrap()
    };
    let mut other = At { tool_version: "0.0.9".into(), ..at.clone() };
    let result = check(&other);
    assert_eq!(result.other_version.as_deref(), Some("0.0.9"));
    assert_eq!(result.failed.len(), 0);
    other.pages.held_mut().unwrap()[0].looks += 1;
    let result = check(&other);
    assert!(result.failed.iter().any(|fault| fault.starts_with(".pages[0].looks")), "{:?}", result.failed);
}

/// A report about all addresses of some inputs, checked against them at once.
fn verified(inputs: &[String]) -> Verification {
    let parameters = AtParameters { pages: PageFilter::All, ..AtParameters::on("2024-01-01T11:05:00Z") };
    let at = ask(inputs, &parameters).unwrap();
    checked(&serde_json::to_vec(&at).unwrap(), &|parameters| ask(inputs, parameters)).unwrap()
}

#[test]
fn an_untouched_archive_with_odd_addresses_is_verified() {
    let folder = tempfile::tempdir().unwrap();
    let visit = |n, url: &str, time: &str| Record::page(n, url, &format!("2024-01-01T{time}:00Z"), "x");
    let mut records = Vec::new();
    for (place, url) in
        ["http://a.example/x>", "http://a.example/<x", "<http://a.example/y>", "http://a.example/\u{fc}\t z"]
            .iter()
            .enumerate()
    {
        let place = 2 * place as u32;
        records.extend([visit(place, url, "10:00"), visit(place + 1, url, "12:00")]);
    }
    let odd = visit(20, "@", "10:00").bytes();
    let mut bytes: Vec<u8> = records.iter().flat_map(Record::bytes).collect();
    // Latin-1, folded over two lines, and said twice.
    for uri in [
        &b"http://a.example/\xe9"[..],
        b"\r\n http://a.example/folded",
        b"x\r\nWARC-Target-URI: http://a.example/2",
    ] {
        let at = odd.iter().position(|byte| *byte == b'@').unwrap();
        bytes.extend([&odd[..at], uri, &odd[at + 1..]].concat());
    }
    let path = folder.path().join("odd.warc");
    std::fs::write(&path, bytes).unwrap();
    let result = verified(&[path.display().to_string()]);
    assert_eq!((result.failed.as_slice(), result.reread.unread()), (&[][..], 0));
    assert!(result.reread.read >= 11, "{result:?}");
}

#[test]
fn records_that_share_a_compressed_member_or_span_several_are_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let plain: Vec<u8> = records().iter().flat_map(Record::bytes).collect();
    let middle = plain.len() / 2;
    let gzip = crate::support::pack::gzip;
    let files: [(&str, Vec<u8>); 3] = [
        ("whole.warc.gz", gzip(&plain)),
        ("span.warc.gz", [gzip(&plain[..middle]), gzip(&plain[middle..])].concat()),
        ("whole.warc.zst", zstd::encode_all(&plain[..], 3).unwrap()),
    ];
    for (name, bytes) in files {
        let path = folder.path().join(name);
        std::fs::write(&path, &bytes).unwrap();
        let inputs = [path.display().to_string()];
        let at = ask(&inputs, &parameters()).unwrap();
        let witnesses: Vec<_> = at.pages.held().iter().flat_map(|page| &page.witnesses).collect();
        assert!(witnesses.iter().all(|witness| witness.record_sha256.is_some()), "{name}");
        assert!(witnesses.iter().any(|witness| witness.length.is_none()), "{name}");
        let check = || checked(&serde_json::to_vec(&at).unwrap(), &|_| Ok(at.clone())).unwrap();
        assert_eq!((check().failed.as_slice(), check().reread.unread()), (&[][..], 0), "{name}");
        assert_eq!(check().reread.read, witnesses.len() as u64);
        // A record altered inside of the member is found by the second reader alone.
        let place = plain.windows(7).position(|seven| seven == b"changed").unwrap();
        let mut altered = plain.clone();
        altered[place] = b'C';
        let altered = match name.ends_with("zst") {
            true => zstd::encode_all(&altered[..], 3).unwrap(),
            false => gzip(&altered),
        };
        std::fs::write(&path, altered).unwrap();
        assert!(check().failed.iter().any(|fault| fault.contains("another SHA-256")), "{name}");
        std::fs::write(&path, gzip(b"nothing of the kind")).unwrap();
        assert!(check().failed.iter().any(|fault| fault.contains("not there any more")), "{name}");
    }
}

#[test]
fn inputs_that_the_report_does_not_name_are_told_first_and_paths_are_no_failures() {
    let folder = tempfile::tempdir().unwrap();
    let before = write(folder.path(), "a.warc", &records());
    let at = ask(std::slice::from_ref(&before), &parameters()).unwrap();
    let moved = folder.path().join("b.warc").display().to_string();
    std::fs::rename(&before, &moved).unwrap();
    let stranger = [Record::page(90, "http://b.example/", "2024-01-01T10:00:00Z", "x")];
    let more = write(folder.path(), "more.warc", &stranger);
    let text = serde_json::to_vec(&at).unwrap();
    let inputs = [moved.clone(), more.clone()];
    let result = checked(&text, &|parameters| ask(&inputs, parameters)).unwrap();
    assert_eq!(result.failed[0], format!("1 input more than the report names: {more}"));
    assert_eq!(result.moved, [(before, moved)]);
    assert!(!result.failed.iter().any(|fault| fault.contains("a.warc")), "{:?}", result.failed);
    assert!(!result.failed.iter().any(|fault| fault.starts_with(".inputs")), "{:?}", result.failed);
}

#[test]
fn archives_that_were_only_moved_are_noted() {
    let folder = tempfile::tempdir().unwrap();
    let before = write(folder.path(), "a.warc", &records());
    let at = ask(std::slice::from_ref(&before), &parameters()).unwrap();
    let after = folder.path().join("b.warc").display().to_string();
    std::fs::rename(&before, &after).unwrap();
    let check = |at: &At| {
        let text = serde_json::to_vec(at).unwrap();
        checked(&text, &|parameters| ask(std::slice::from_ref(&after), parameters)).unwrap()
    };
    let result = check(&at);
    assert_eq!((result.failed.len(), result.moved.as_slice()), (0, &[(before, after.clone())][..]));
    let mut altered = at.clone();
    altered.pages.held_mut().unwrap()[0].looks += 1;
    assert_eq!(check(&altered).failed.len(), 1);
}
