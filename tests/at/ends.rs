//! What ends a proof: other content in another media type, a redirect to another address, and the Age of a response from a cache.

use acuity::internals::at::model::{At, AtParameters, SiteVerdict};
use acuity::internals::change::at::State;

use crate::archive::{ask, write};
use crate::support::digests::sha1;
use crate::support::program::run;
use crate::support::record::{Record, id, ok};
use crate::support::zip::zip;

const URL: &str = "http://a.example/terms";
const A: &str = "<p>Lending is free.";

fn page(n: u32, hour: u32, fields: &str) -> Record {
    let head = format!("{}{fields}", ok(A.len()));
    Record::response(n, URL, &format!("2024-03-01T{hour:02}:00:00Z"), &head, A.as_bytes())
}

fn at_hour(records: &[Record], hour: u32, canon: &str) -> At {
    let folder = tempfile::tempdir().unwrap();
    let date = format!("2024-03-01T{hour:02}:00:00Z");
    let parameters =
        AtParameters { urls: vec![URL.to_owned()], canon: canon.to_owned(), ..AtParameters::on(&date) };
    ask(&[write(folder.path(), "a.warc", records)], &parameters).unwrap()
}

fn between(record: Record, canon: &str) -> At {
    at_hour(&[page(1, 10, ""), record, page(3, 12, "")], 11, canon)
}

#[test]
fn other_content_in_another_media_type_ends_a_proof() {
    let answer = |media: &str, body: &str| {
        let head = format!("HTTP/1.1 200 OK\nContent-Type: {media}\nContent-Length: {}", body.len());
        Record::response(2, URL, "2024-03-01T11:00:00Z", &head, body.as_bytes())
    };
    for media in ["text/plain", "application/pdf", "application/json", "image/png"] {
        let at = between(answer(media, "Lending costs 50 euros."), "strict");
        assert_eq!(at.verdict, SiteVerdict::NotProvable, "{media}: {}", at.answer);
        assert!(at.answer.contains("another media type"), "{media}: {}", at.answer);
        assert!(at.because.iter().any(|line| line.contains(&id(2))), "{media}: {:?}", at.because);
    }
    // The same content says nothing else, whatever its type; and a resource was made from the page.
    assert_eq!(between(answer("text/plain", A), "strict").verdict, SiteVerdict::Coherent);
    let resource = Record::new("resource", 2, "2024-03-01T11:00:00Z", "Lending costs 50 euros.")
        .field("WARC-Target-URI", URL)
        .field("Content-Type", "text/plain");
    assert_eq!(between(resource, "strict").verdict, SiteVerdict::Coherent);
}

#[test]
fn other_content_in_another_media_type_ends_the_proof_of_an_audit_and_a_history_and_no_claim_reaches_over_it()
{
    let folder = tempfile::tempdir().unwrap();
    let head = "HTTP/1.1 200 OK\nContent-Type: text/plain\nContent-Length: 5";
    let other = Record::response(2, URL, "2024-03-01T11:00:00Z", head, b"other");
    let modified = "\nLast-Modified: Fri, 01 Mar 2024 09:00:00 GMT";
    let records = [page(1, 10, modified), other, page(3, 12, modified)];
    write(folder.path(), "a.warc", &records);
    let audit = run(folder.path(), &["audit", "a.warc", "-q", "--json"]);
    let audit: serde_json::Value = serde_json::from_slice(&audit.stdout).unwrap();
    let page = &audit["sites"][0]["page_list"][0];
    assert_ne!(page["state"], "sharp", "{page}");
    assert_eq!(page["proven"].as_array().unwrap().len(), 0, "{page}");
    let text = run(folder.path(), &["timeline", URL, "a.warc", "-q"]);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(!text.contains("proven   2024"), "{text}");
    assert!(text.contains("another media type"), "{text}");
    let at = at_hour(&records, 11, "strict");
    assert_eq!(at.pages.held()[0].state, State::Undecided, "{}", at.answer);
}

#[test]
fn a_redirect_to_another_address_ends_a_proof_where_addresses_are_compared_strictly() {
    let moved = |to: &str| {
        let head = format!("HTTP/1.1 301 Moved Permanently\nLocation: {to}\nContent-Length: 0");
        Record::response(2, URL, "2024-03-01T11:00:00Z", &head, b"")
    };
    for to in ["http://a.example/Terms", "http://a.example/terms/", "http://www.a.example/terms"] {
        let at = between(moved(to), "strict");
        assert_eq!(at.verdict, SiteVerdict::NotProvable, "{to}: {}", at.answer);
        assert_eq!(between(moved(to), "default").verdict, SiteVerdict::Coherent, "{to}");
    }
    let at = between(moved("HTTP://A.EXAMPLE:80/terms#fees"), "strict");
    assert_eq!(at.verdict, SiteVerdict::Coherent, "{}", at.answer);
}

#[test]
fn an_age_never_extends_a_proof() {
    let cached = |n, hour, age: u32, made: u32| {
        page(n, hour, &format!("\nAge: {age}\nDate: Fri, 01 Mar 2024 {made:02}:00:00 GMT"))
    };
    // By its Age the second one was made at two; no record shows that.
    let records = [page(1, 10, ""), cached(2, 12, 36_000, 2)];
    for hour in [1, 3, 6, 9, 11] {
        let at = at_hour(&records, hour, "strict");
        assert_eq!(at.verdict, SiteVerdict::NotProvable, "{hour}: {}", at.answer);
        assert!(!at.answer.contains("before (12:00:00 UTC)"), "{hour}: {}", at.answer);
    }
    // What two other records prove stays proven.
    let records = [page(1, 8, ""), page(2, 10, ""), cached(3, 12, 36_000, 2)];
    assert_eq!(at_hour(&records, 9, "strict").verdict, SiteVerdict::Coherent);
    assert_eq!(at_hour(&records, 11, "strict").verdict, SiteVerdict::NotProvable);
    // It shortens one.
    let records = [page(1, 8, ""), cached(2, 12, 7200, 10)];
    assert_eq!(at_hour(&records, 9, "strict").verdict, SiteVerdict::Coherent);
    assert_eq!(at_hour(&records, 11, "strict").verdict, SiteVerdict::NotProvable);
}

#[test]
fn a_history_with_cached_answers_begins_with_its_first_capture_and_shows_the_plain_difference_of_clocks() {
    let folder = tempfile::tempdir().unwrap();
    let cached = page(2, 12, "\nAge: 36000\nDate: Fri, 01 Mar 2024 02:00:00 GMT");
    write(folder.path(), "a.warc", &[page(1, 10, ""), cached]);
    let output = run(folder.path(), &["timeline", URL, "a.warc", "-q", "--csv", "t.csv"]);
    let text = String::from_utf8(output.stdout).unwrap();
    for words in [
        "2 captures, 2024-03-01T10:00:00Z to 2024-03-01T12:00:00Z",
        "record   first capture, 2024-03-01T10:00:00Z",
        "record   last capture, 2024-03-01T12:00:00Z",
        "proven   at no time",
        "difference -36000 s",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let csv = std::fs::read_to_string(folder.path().join("t.csv")).unwrap();
    assert!(csv.contains(",2,2024-03-01T10:00:00Z,2024-03-01T12:00:00Z,"), "{csv}");
}

#[test]
fn pages_last_changed_within_a_period_are_not_counted_as_changed_later() {
    let folder = tempfile::tempdir().unwrap();
    let page = |n: u32, modified: &str| {
        let dates = format!(
            "\nDate: Fri, 01 Mar 2024 12:00:00 GMT\nLast-Modified: Fri, 01 Mar 2024 {modified}:00 GMT"
        );
        let url = format!("http://a.example/{n}");
        Record::response(n, &url, "2024-03-01T12:00:00Z", &format!("{}{dates}", ok(A.len())), A.as_bytes())
    };
    let answer = |name: &str, records: &[Record]| {
        let path = write(folder.path(), name, records);
        ask(&[path], &AtParameters::on("2024-03-01T10")).unwrap().answer
    };
    let both = answer("both.warc", &[page(1, "10:30"), page(2, "11:30")]);
    assert!(both.starts_with("No. For 1 of 2 pages"), "{both}");
    assert!(both.contains("later than that hour; for 1 more it was last changed only within it."), "{both}");
    let later = answer("later.warc", &[page(1, "11:10"), page(2, "11:30")]);
    assert!(later.contains("For 2 of 2 pages") && !later.contains("within"), "{later}");
}

#[test]
fn a_revisit_is_said_to_have_the_same_digest_and_not_to_name_a_record_that_it_does_not() {
    let revisit = |refers: Option<u32>| {
        let record = Record::revisit(9, URL, "2024-03-01T14:00:00Z", "identical-payload-digest", &ok(0))
            .field("WARC-Payload-Digest", &sha1(A.as_bytes()));
        refers.map_or(record.clone(), |n| record.field("WARC-Refers-To", &format!("<{}>", id(n))))
    };
    for refers in [None, Some(1), Some(77)] {
        let with = |record: Record| record.set("WARC-Payload-Digest", &sha1(A.as_bytes()));
        let at = at_hour(&[with(page(1, 10, "")), with(page(2, 12, "")), revisit(refers)], 13, "strict");
        let last = at.because.iter().find(|line| line.contains("14:00:00")).unwrap();
        assert!(!last.contains("the content was that of record"), "{last}");
        assert!(last.contains("with the same digest as record"), "{last}");
    }
}

#[test]
fn a_false_reason_is_not_given() {
    let future = "\nLast-Modified: Fri, 01 Mar 2030 12:00:00 GMT";
    let at = at_hour(&[page(1, 12, future)], 11, "strict");
    assert!(at.answer.contains("it is later than the record itself"), "{}", at.answer);
    let head = |charset: &str| {
        format!("HTTP/1.1 200 OK\nContent-Type: text/html{charset}\nContent-Length: {}", A.len())
    };
    let first = Record::response(1, URL, "2024-03-01T10:00:00Z", &head("; charset=utf-8"), A.as_bytes())
        .set("WARC-Payload-Digest", &sha1(A.as_bytes()));
    let again = Record::revisit(2, URL, "2024-03-01T12:00:00Z", "identical-payload-digest", &head(""))
        .field("WARC-Payload-Digest", &sha1(A.as_bytes()))
        .field("WARC-Refers-To", &format!("<{}>", id(1)));
    let at = at_hour(&[first, again], 11, "strict");
    assert!(!at.answer.contains("show different text"), "{}", at.answer);
}

#[test]
fn a_history_tells_what_an_answer_tells_and_names_the_record_that_holds_the_content_of_a_revisit() {
    let folder = tempfile::tempdir().unwrap();
    let undated = page(5, 11, "").without("WARC-Date");
    write(folder.path(), "a.warc", &[page(1, 10, ""), undated, page(3, 12, "")]);
    let output = run(folder.path(), &["timeline", URL, "a.warc", "-q", "--html", "t.html"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let html = std::fs::read_to_string(folder.path().join("t.html")).unwrap();
    for told in [&text, &html] {
        assert!(told.contains("no date that can be read"), "{told}");
        assert!(told.contains("Records without their request were made with the method GET."), "{told}");
    }
    let other = Record::page(1, "http://a.example/q", "2024-03-01T09:00:00Z", A)
        .set("WARC-Payload-Digest", &sha1(A.as_bytes()));
    let again = |n, hour: u32| {
        Record::revisit(n, URL, &format!("2024-03-01T{hour}:00:00Z"), "identical-payload-digest", &ok(0))
            .field("WARC-Payload-Digest", &sha1(A.as_bytes()))
            .field("WARC-Refers-To", &format!("<{}>", id(1)))
            .field("WARC-Refers-To-Target-URI", "http://a.example/q")
            .field("WARC-Refers-To-Date", "2024-03-01T09:00:00Z")
    };
    write(folder.path(), "b.warc", &[other, again(2, 12), again(3, 14)]);
    let output = run(folder.path(), &["timeline", URL, "b.warc", "-q"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("record   holds the content, 2024-03-01T09:00:00Z"), "{text}");
}

#[test]
fn a_line_of_the_index_of_a_package_contradicts_a_record_as_one_beside_it_does() {
    let records = [page(1, 10, "").bytes(), page(2, 12, "").bytes()];
    let folder = tempfile::tempdir().unwrap();
    let told = |url: &str, digest: &str| {
        let line = |time: &str, url: &str, digest: &str, offset: usize| {
            let json = serde_json::json!({"url": url, "mime": "text/html", "status": "200", "digest": digest,
                "length": "400", "offset": offset.to_string(), "filename": "a.warc"});
            format!("example,a)/terms {time} {json}\n")
        };
        let index = line("20240301100000", URL, &sha1(A.as_bytes()), 0)
            + &line("20240301120000", url, digest, records[0].len());
        let path = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(path("a.warc"), records.concat()).unwrap();
        std::fs::write(path("a.cdxj"), &index).unwrap();
        let package = zip(&[
            ("datapackage.json", b"{\"resources\":[]}".as_slice(), false),
            ("archive/a.warc", &records.concat(), false),
            ("indexes/index.cdxj", index.as_bytes(), false),
        ]);
        std::fs::write(path("a.wacz"), package).unwrap();
        let parameters =
            AtParameters { urls: vec![URL.to_owned()], ..AtParameters::on("2024-03-01T11:00:00Z") };
        let beside = ask(&[path("a.warc"), path("a.cdxj")], &parameters).unwrap();
        let inside = ask(&[path("a.wacz")], &parameters).unwrap();
        assert_eq!(beside.verdict, inside.verdict, "{url} {digest}: {} {}", beside.answer, inside.answer);
        assert_eq!(beside.pages.held()[0].contradictions.len(), inside.pages.held()[0].contradictions.len());
        inside.verdict
    };
    let (right, other) = (sha1(A.as_bytes()), sha1(b"other"));
    assert_eq!(told(URL, &right), SiteVerdict::Coherent);
    assert_eq!(told(URL, &other), SiteVerdict::NotProvable);
    // The same place, as if another address had been captured there.
    assert_eq!(told("http://a.example/else", &other), SiteVerdict::NotProvable);
    assert_eq!(told("http://a.example/else", &right), SiteVerdict::Coherent);
}
