//! Archives as careless crawlers and servers write them, one fault each: what is not proven is not called proven, and
//! what is no change is not called one. The archives are made here; those of others are read where they are present.

use std::path::Path;

use crate::support::data::data;
use crate::support::reading::read_inputs;
use crate::support::record::{Record, http};
use acuity::internals::audit::{Audit, AuditInput, Parameters, audit};
use acuity::internals::capture::table::TableBuilder;
use acuity::internals::change::run::PageState;
use acuity::internals::ingest::{Options, Wanted};

const URL: &str = "http://t.example/terms";
const A: &str = "<!doctype html><html><body><p>Version A right of withdrawal</p></body></html>";
const B: &str = "<!doctype html><html><body><p>Version B</p></body></html>";
const HTML: &str = "Content-Type: text/html; charset=utf-8";

fn audited(inputs: &[&Path]) -> Audit {
    let mut builder = TableBuilder::new();
    // Texts show whether a bot wall was captured.
    let wanted = Wanted { text: true, ..Wanted::default() };
    for observation in read_inputs(inputs, &Options { wanted, ..Options::default() }).observations {
        builder.push(&observation, 0);
    }
    audit(&builder.finish(), &Parameters::default(), AuditInput::default())
}

/// The state of the only page, and whether any time of it is proven.
fn judged(records: &[Record]) -> (PageState, bool) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.warc");
    std::fs::write(&path, records.iter().flat_map(Record::bytes).collect::<Vec<u8>>()).unwrap();
    of(&audited(&[&path]))
}

fn of(audit: &Audit) -> (PageState, bool) {
    let page = &audit.sites[0].page_list[0];
    (page.state, !page.proven.is_empty())
}

fn at(hour: u32) -> String {
    format!("2022-03-14T{hour:02}:00:00Z")
}

fn response(n: u32, hour: u32, head: &str, body: &str) -> Record {
    Record::response(n, URL, &at(hour), head, body.as_bytes())
}

fn page(n: u32, hour: u32, more: &str) -> Record {
    response(n, hour, &format!("HTTP/1.1 200 OK\n{HTML}{more}"), A)
}

fn not_modified(n: u32, hour: u32, more: &str) -> Record {
    Record::revisit(n, URL, &at(hour), "server-not-modified", &format!("HTTP/1.1 304 Not Modified{more}"))
}

#[test]
fn what_is_cut_neither_proves_nor_changes() {
    let short = |n, hour| response(n, hour, &format!("HTTP/1.1 200 OK\n{HTML}\nContent-Length: 9999"), A);
    assert_eq!(judged(&[short(1, 10), short(2, 12)]), (PageState::Unknown, false));
    assert_eq!(
        judged(&[short(1, 10), response(2, 12, &format!("HTTP/1.1 200 OK\n{HTML}"), B)]),
        (PageState::Single, false)
    );
    let chunked = |n, hour| {
        Record::new(
            "response",
            n,
            &at(hour),
            http(&format!("HTTP/1.1 200 OK\n{HTML}\nTransfer-Encoding: chunked"), b"4d\r\n<p>cut"),
        )
        .field("WARC-Target-URI", URL)
        .field("Content-Type", "application/http; msgtype=response")
    };
    assert_eq!(judged(&[chunked(1, 10), chunked(2, 12)]), (PageState::Unknown, false));
}

#[test]
fn a_304_confirms_only_what_its_validators_and_its_names_allow() {
    let unproven = |records: &[Record]| assert!(!judged(records).1);
    unproven(&[page(1, 10, "\nETag: \"v1\""), not_modified(2, 12, "\nETag: \"v2\"")]);
    let absent =
        not_modified(2, 12, "").field("WARC-Refers-To", "<urn:uuid:11111111-1111-4111-8111-111111111111>");
    unproven(&[page(1, 10, ""), absent]);
    let gone = response(2, 10, &format!("HTTP/1.1 404 Not Found\n{HTML}"), "<p>nf</p>");
    let after = judged(&[page(1, 9, "\nETag: \"1\""), gone, not_modified(3, 12, "\nETag: \"1\"")]);
    assert_eq!(after, (PageState::Changed, false));
    let same_second = "\nLast-Modified: Mon, 14 Mar 2022 10:00:00 GMT\nDate: Mon, 14 Mar 2022 10:00:00 GMT";
    unproven(&[page(1, 10, same_second), not_modified(2, 12, same_second)]);
    unproven(&[page(1, 10, "\nETag: W/\"1\""), not_modified(2, 12, "\nETag: W/\"1\"")]);
    let strong = judged(&[page(1, 10, "\nETag: \"1\""), not_modified(2, 12, "\nETag: \"1\"")]);
    assert_eq!(strong, (PageState::Sharp, true));
    let plain = response(2, 12, "HTTP/1.1 304 Not Modified\nETag: \"1\"", "");
    assert_ne!(judged(&[page(1, 10, "\nETag: \"1\""), plain]).0, PageState::Changed);
}

#[test]
fn refusals_between_equal_pages_do_not_end_the_proof() {
    for status in ["401 Unauthorized", "403 Forbidden", "429 Too Many Requests", "503 Service Unavailable"] {
        let refused = response(2, 11, &format!("HTTP/1.1 {status}\n{HTML}"), "<p>verify you are human</p>");
        assert_eq!(
            judged(&[page(1, 10, ""), refused, page(3, 12, "")]),
            (PageState::Sharp, true),
            "{status}"
        );
    }
}

#[test]
fn a_challenge_page_with_status_200_is_a_failed_capture() {
    let wall = "<title>Just a moment...</title><p>Verify you are human by completing the action below.</p>";
    let challenge = |n, hour| response(n, hour, &format!("HTTP/1.1 200 OK\n{HTML}"), wall);
    assert_eq!(judged(&[page(1, 10, ""), challenge(2, 11), page(3, 12, "")]), (PageState::Sharp, true));
    assert_eq!(judged(&[page(1, 10, ""), challenge(2, 12)]), (PageState::Single, false));
    assert_eq!(judged(&[challenge(1, 10), challenge(2, 12)]), (PageState::Unknown, false));
}

#[test]
fn a_page_that_is_gone_is_not_online() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.warc");
    let gone = |n, hour| response(n, hour, &format!("HTTP/1.1 404 Not Found\n{HTML}"), "<p>nf</p>");
    let records = [page(1, 9, ""), gone(2, 10), gone(3, 12)];
    std::fs::write(&path, records.iter().flat_map(Record::bytes).collect::<Vec<u8>>()).unwrap();
    let audit = audited(&[&path]);
    let site = &audit.sites[0];
    assert_eq!((site.coherence.provable, site.page_list[0].proven.len()), (false, 1));
    assert!(
        !audit.answers.consistent.sentence.contains("was online"),
        "{}",
        audit.answers.consistent.sentence
    );
}

#[test]
fn a_304_is_held_against_the_capture_that_it_names_not_an_older_one_with_the_same_body() {
    let dated = |day: u32| {
        format!(
            "\nETag: \"1\"\nLast-Modified: {} Mar 2022 08:00:00 GMT",
            ["Tue, 01", "Wed, 02"][day as usize]
        )
    };
    let other = response(2, 10, &format!("HTTP/1.1 200 OK\n{HTML}"), B);
    let confirms = not_modified(4, 12, &dated(1))
        .field("WARC-Refers-To", &format!("<{}>", crate::support::record::id(3)));
    let records = [page(1, 9, &dated(0)), other, page(3, 11, &dated(1)), confirms];
    assert_eq!(judged(&records), (PageState::Changed, true));
}

#[test]
fn a_redirect_in_an_index_at_another_spelling_is_no_change_of_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.cdx");
    let line = |second: u32, url: &str, status: u32, digest: char| {
        let digest = digest.to_string().repeat(32);
        format!(
            "example,t)/terms 202203141000{second:02} {url} text/html {status} {digest} - - 100 {second} x.warc.gz\n"
        )
    };
    let text = [
        " CDX N b a m s k r M S V g\n".to_owned(),
        line(0, "http://t.example/terms", 301, 'A'),
        line(1, "https://t.example/terms", 200, 'B'),
        line(30, "http://t.example/terms", 301, 'A'),
        line(31, "https://t.example/terms", 200, 'B'),
    ];
    std::fs::write(&path, text.concat()).unwrap();
    assert_eq!(of(&audited(&[&path])), (PageState::Sharp, true));
}

#[test]
fn redirects_to_another_spelling_are_the_way_to_the_page() {
    let way = |n, hour| {
        response(n, hour, &format!("HTTP/1.1 301 Moved\nLocation: https://www.t.example/terms\n{HTML}"), "")
    };
    let there = |n, hour| {
        let head = format!("HTTP/1.1 200 OK\n{HTML}");
        Record::response(n, "https://www.t.example/terms", &at(hour), &head, A.as_bytes())
    };
    assert_eq!(judged(&[way(1, 10), there(2, 10), way(3, 12), there(4, 12)]), (PageState::Sharp, true));
    assert_eq!(judged(&[there(1, 9), way(2, 10), way(3, 12)]), (PageState::Single, false));
}

#[test]
fn other_spellings_screenshots_and_charsets_prove_nothing() {
    let head = format!("HTTP/1.1 200 OK\n{HTML}");
    let other = Record::response(2, "http://t.example/Terms", &at(12), &head, A.as_bytes());
    assert!(!judged(&[page(1, 10, ""), other]).1);
    let screenshot = Record::new("resource", 2, &at(11), "PNG")
        .field("WARC-Target-URI", URL)
        .field("Content-Type", "image/png");
    assert_eq!(judged(&[page(1, 10, ""), screenshot, page(3, 12, "")]), (PageState::Sharp, true));
    let charset = |n, hour, charset: &str| {
        let page = "<html><body><p>Price: \u{a4}100</p></body></html>";
        response(n, hour, &format!("HTTP/1.1 200 OK\nContent-Type: text/html; charset={charset}"), page)
    };
    assert!(!judged(&[charset(1, 10, "iso-8859-15"), charset(2, 12, "iso-8859-1")]).1);
}

#[test]
fn what_vary_names_is_an_assumption_that_is_stated() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.warc");
    let vary = "\nVary: Accept-Language, Cookie";
    let records = [page(1, 10, vary), page(2, 12, vary)];
    std::fs::write(&path, records.iter().flat_map(Record::bytes).collect::<Vec<u8>>()).unwrap();
    let audit = audited(&[&path]);
    assert!(
        audit.assumptions.iter().any(|text| text.contains("cookies, language")),
        "{:?}",
        audit.assumptions
    );
}

#[test]
fn the_archives_of_others_are_judged_as_their_table_says() {
    let Some(folder) = data("careless") else { return };
    use PageState::{Changed, Sharp, Single, Unknown};
    for (name, state, proven) in [
        ("body-short.warc", Unknown, false),
        ("chunks-cut.warc", Unknown, false),
        ("gzip-cut.warc", Unknown, false),
        ("revisit-of-truncated.warc", Unknown, false),
        ("short-then-full.warc", Single, false),
        ("304-other-etag.warc", Unknown, false),
        ("304-refers-absent.warc", Unknown, false),
        ("304-after-404.warc", Changed, false),
        ("304-weak-lm.warc", Unknown, false),
        ("304-response-same.warc", Sharp, true),
        ("self-redirect.warc", Sharp, true),
        ("redirects-prove-page.warc", Single, false),
        ("canon-case.warc", Unknown, false),
        ("charset-header.warc", Unknown, false),
        ("wacz-hash-differs.wacz", Unknown, false),
        ("head-norequest.warc", Sharp, true),
        ("resource-screenshot.warc", Sharp, true),
        ("403-between.warc", Sharp, true),
        ("forbidden.warc", Single, false),
        ("vary-lang.warc", Sharp, true),
    ] {
        assert_eq!(of(&audited(&[&folder.join(name)])), (state, proven), "{name}");
    }
    let copies = [folder.join("altered-copy-1.warc"), folder.join("altered-copy-2.warc")];
    for inputs in [[&copies[0], &copies[1]], [&copies[1], &copies[0]]] {
        assert_eq!(of(&audited(&inputs.map(|path| path.as_path()))), (Unknown, false), "{inputs:?}");
    }
    assert_eq!(of(&audited(&[&folder.join("forged-after-index")])), (Unknown, false));
    let static_site = audited(&[&folder.join("https-redirect.warc.gz")]);
    assert!(static_site.sites.iter().all(|site| site.pages.changed == 0));
}

#[test]
fn records_in_one_compressed_member_are_told_apart() {
    use acuity::internals::at::ask::{answer, wanted};
    use acuity::internals::at::model::AtParameters;
    use acuity::internals::ingest::{Digests, ProblemLog, read};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.warc.gz");
    let gone = |n, hour| response(n, hour, &format!("HTTP/1.1 404 Not Found\n{HTML}"), "<p>nf</p>");
    let tagged = "\nETag: \"1\"";
    let confirmed =
        not_modified(6, 16, tagged).field("WARC-Refers-To", &format!("<{}>", crate::support::record::id(4)));
    let b = response(4, 14, &format!("HTTP/1.1 200 OK\n{HTML}{tagged}"), B);
    let records = [page(1, 9, ""), gone(2, 10), gone(3, 12), b, confirmed];
    let whole = records.iter().flat_map(Record::bytes).collect::<Vec<u8>>();
    std::fs::write(&path, crate::support::pack::gzip(&whole)).unwrap();
    let inputs = acuity::internals::archive::source::expand(&[path.display().to_string()]).unwrap();
    for (date, present, absent) in [("2022-03-14T11:00:00Z", 0, 0), ("2022-03-14T15:00:00Z", 0, 1)] {
        let phrases = vec!["right of withdrawal".to_owned()];
        let parameters = AtParameters { phrases, ..AtParameters::on(date.to_owned()) };
        let options = Options { digests: Digests::Verify, wanted: wanted(&parameters), ..Options::default() };
        let mut log = ProblemLog::new(None);
        let reading = read(&inputs, &options, &mut log, &|_| {}).unwrap();
        let found = answer(reading, &log, &parameters).unwrap();
        let phrase = &found.phrases[0];
        assert_eq!((phrase.present.len(), phrase.absent.len()), (present, absent), "{date} {phrase:#?}");
    }
}
