//! What is one capture, what is cut, and what contradicts: tiny archives, given in every order.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::digests::sha1;
use crate::support::pack::{chunked, gzip};
use crate::support::reading::read_inputs;
use crate::support::record::{Record, id, ok};
use acuity::internals::capture::Observation;
use acuity::internals::capture::table::{Table, TableBuilder};
use acuity::internals::ingest::Options;

const URL: &str = "http://t.example/terms";
const DATE: &str = "2022-03-14T10:00:00Z";

fn observations(records: &[Record]) -> Vec<Observation> {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "a.warc", records);
    read_inputs(&[&path], &Options::default()).observations
}

fn write(folder: &Path, name: &str, records: &[Record]) -> PathBuf {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, records.iter().flat_map(Record::bytes).collect::<Vec<u8>>()).unwrap();
    path
}

fn table(inputs: &[&Path]) -> Table {
    let mut builder = TableBuilder::new();
    for observation in &read_inputs(inputs, &Options::default()).observations {
        builder.push(observation, 0);
    }
    builder.finish()
}

/// What is kept of the inputs: file name, body and who contradicts it; the same in every order and with files repeated.
fn kept(inputs: &[&Path]) -> Vec<String> {
    let describe = |table: &Table| -> Vec<String> {
        let row = |row: &acuity::internals::capture::table::Row| {
            let file = Path::new(table.text(row.file)).file_name().unwrap().to_string_lossy().into_owned();
            let body = row.body.and_then(|body| table.body(body));
            format!("{file} {body:?} {:?}", row.contradicted_by)
        };
        table.rows().iter().map(row).collect()
    };
    let first = describe(&table(inputs));
    let mut order = inputs.to_vec();
    for _ in 0..inputs.len() {
        order.rotate_left(1);
        assert_eq!(describe(&table(&order)), first, "{order:?}");
        let reversed: Vec<&Path> = order.iter().rev().copied().collect();
        assert_eq!(describe(&table(&reversed)), first, "{reversed:?}");
    }
    first
}

#[test]
fn a_body_that_ends_early_is_cut_however_that_shows() {
    let whole = "<p>the whole page, long enough to be cut</p>";
    let head = "HTTP/1.1 200 OK\nContent-Type: text/html";
    let short = Record::response(1, URL, DATE, &ok(whole.len()), &whole.as_bytes()[..10]);
    let framed = chunked(whole.as_bytes(), 8, "");
    let chunks =
        Record::response(2, URL, DATE, &format!("{head}\nTransfer-Encoding: chunked"), &framed[..20]);
    let packed = gzip(whole.as_bytes());
    let coding = Record::response(
        3,
        URL,
        DATE,
        &format!("{head}\nContent-Encoding: gzip"),
        &packed[..packed.len() - 12],
    );
    let declared = Record::page(4, URL, DATE, whole).field("WARC-Truncated", "time");
    let sound = Record::page(5, URL, DATE, whole);
    let cut: Vec<Option<String>> = observations(&[short, chunks, coding, declared, sound])
        .into_iter()
        .map(|observation| observation.truncated)
        .collect();
    let expected = [Some("body-short"), Some("chunks-cut"), Some("coding-cut"), Some("time"), None]
        .map(|cut| cut.map(str::to_owned));
    assert_eq!(cut, expected);
}

#[test]
fn a_header_that_does_not_describe_the_body_does_not_cut_it() {
    // Stored without its coding, a short body is shorter than the coded length.
    let head = "HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Encoding: gzip\nContent-Length: 25";
    let found = observations(&[Record::response(1, URL, DATE, head, b"short")]);
    assert_eq!(found[0].truncated, None);
}

#[test]
fn a_revisit_of_a_cut_capture_is_cut_and_carries_no_body() {
    let body = b"<p>cut";
    let original = Record::response(1, URL, DATE, &ok(500), body);
    let revisit = Record::revisit(2, URL, "2022-03-14T12:00:00Z", "identical-payload-digest", &ok(500))
        .field("WARC-Payload-Digest", &sha1(body))
        .field("WARC-Refers-To", &format!("<{}>", id(1)));
    let found = observations(&[original, revisit]);
    assert_eq!((found[1].truncated.as_deref(), found[1].body), (Some("original"), None));
}

#[test]
fn a_revisit_is_held_against_its_original_in_a_shared_member_too() {
    let other = Record::page(1, "http://t.example/first", DATE, "first").without("WARC-Payload-Digest");
    let original = Record::page(2, URL, DATE, "terms").without("WARC-Payload-Digest");
    for (body, has_body) in [("terms", true), ("first", false)] {
        let revisit = Record::revisit(3, URL, "2022-03-15T10:00:00Z", "identical-payload-digest", &ok(5))
            .field("WARC-Refers-To-Target-URI", URL)
            .field("WARC-Refers-To-Date", DATE)
            .field("WARC-Payload-Digest", &sha1(body.as_bytes()));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("one-member.warc.gz");
        fs::write(&path, gzip(&[other.bytes(), original.bytes(), revisit.bytes()].concat())).unwrap();
        let found = read_inputs(&[&path], &Options::default()).observations;
        let revisit = found.iter().find(|found| found.record_id.as_deref() == Some(&id(3))).unwrap();
        assert_eq!(revisit.body.is_some(), has_body, "{body}: {revisit:?}");
        assert_eq!(revisit.body.is_some(), revisit.body == found[1].body, "{body}: {revisit:?}");
    }
}

#[test]
fn a_304_stored_as_a_response_has_no_body() {
    let found = observations(&[Record::response(1, URL, DATE, "HTTP/1.1 304 Not Modified", b"")]);
    assert_eq!((found[0].status, found[0].body, found[0].declared), (Some(304), None, None));
}

#[test]
fn what_chose_the_answer_is_kept() {
    let head = "HTTP/1.1 200 OK\nContent-Type: text/html; charset=UTF-8\nVary: Cookie\nVary: Accept-Language\nAge: 7";
    let page = |n: u32, language: &str| {
        let block = format!("GET /terms HTTP/1.1\r\nHost: t.example\r\nAccept-Language: {language}\r\n\r\n");
        let request = Record::new("request", n + 1, DATE, block)
            .field("WARC-Target-URI", URL)
            .field("WARC-Concurrent-To", &format!("<{}>", id(n)));
        [Record::response(n, URL, DATE, head, b"<p>"), request]
    };
    let found = observations(&[page(1, "de"), page(3, "en"), page(5, "de")].concat());
    assert_eq!(found[0].charset.as_deref(), Some("utf-8"));
    assert_eq!((found[0].vary.as_deref(), found[0].age), (Some("cookie, accept-language"), Some(7)));
    let requests: Vec<_> = found.iter().map(|observation| observation.request.unwrap()).collect();
    assert_eq!(requests[0].differences(&requests[1]).collect::<Vec<_>>(), ["accept-language"]);
    assert_eq!(requests[0], requests[2]);
}

#[test]
fn a_file_and_its_copy_are_one_capture_and_an_altered_copy_contradicts_it_in_every_order() {
    let folder = tempfile::tempdir().unwrap();
    let record = || Record::page(1, URL, DATE, "<p>as it was</p>");
    let one = write(folder.path(), "one.warc", &[record()]);
    let copy = write(folder.path(), "b/copy.warc", &[record()]);
    let sound = kept(&[&one, &copy]);
    assert_eq!(sound.len(), 1, "{sound:?}");
    assert!(sound[0].ends_with("None"), "{sound:?}");
    let altered = write(folder.path(), "altered.warc", &[Record::page(1, URL, DATE, "<p>as it was not</p>")]);
    let found = kept(&[&one, &copy, &altered]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].ends_with("Some(Copy)"), "{found:?}");
}

#[test]
fn an_older_index_with_another_digest_contradicts_the_record() {
    let folder = tempfile::tempdir().unwrap();
    let archive = write(folder.path(), "site.warc", &[Record::page(1, URL, DATE, "<p>forged</p>")]);
    let index = |name: &str, body: &str| {
        let path = folder.path().join(name);
        let digest = sha1(body.as_bytes());
        let line = format!(
            "example,t)/terms 20220314100000 {{\"url\":\"{URL}\",\"status\":\"200\",\"digest\":\"{digest}\",\"offset\":\"0\",\"filename\":\"site.warc\"}}\n"
        );
        fs::write(&path, line).unwrap();
        path
    };
    let (older, own) = (index("older.cdxj", "<p>as it was</p>"), index("own.cdxj", "<p>forged</p>"));
    assert!(kept(&[&archive, &own])[0].ends_with("None"));
    let found = kept(&[&archive, &older]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].ends_with("Some(Index)"), "{found:?}");
    assert!(kept(&[&archive, &older, &own])[0].ends_with("Some(Index)"));
}

#[test]
fn the_arc_and_the_warc_of_one_crawl_hold_one_capture() {
    let folder = tempfile::tempdir().unwrap();
    let body = "<p>as it was</p>";
    let warc = write(folder.path(), "crawl.warc", &[Record::page(1, URL, DATE, body)]);
    let block = [ok(body.len()).replace('\n', "\r\n").as_bytes(), b"\r\n\r\n", body.as_bytes()].concat();
    let version = "1 0 crawler\nURL IP-address Archive-date Content-type Archive-length\n";
    let mut bytes =
        format!("filedesc://crawl.arc 0.0.0.0 20220314100000 text/plain {}\n{version}\n", version.len())
            .into_bytes();
    bytes.extend(format!("{URL} 192.0.2.1 20220314100000 text/html {}\n", block.len()).bytes());
    bytes.extend(block);
    bytes.push(b'\n');
    let arc = folder.path().join("crawl.arc");
    fs::write(&arc, bytes).unwrap();
    let found = kept(&[&warc, &arc]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("crawl.warc") && found[0].ends_with("None"), "{found:?}");
}
