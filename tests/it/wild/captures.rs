//! What a capture is, and what it is to its page.

use std::path::Path;
use std::process::Command;

use crate::support::digests::{sha1, sha256_hex};
use crate::support::pack::gzip;
use crate::support::record::{Record, id};
use crate::support::zip::zip;

use super::*;

#[test]
fn a_revisit_that_names_another_charset_than_its_original_is_not_the_same_text() {
    let with = |charset: &str| format!("HTTP/1.1 200 OK\nContent-Type: text/html{charset}");
    let judged =
        |charset: &str| Archive::of(&[page(1, 10, A, ""), repeated(2, 12, &with(charset), A, 1)]).judged();
    is(judged("; charset=iso-8859-15"), "unknown", 0);
    is(judged("; charset=UTF8"), "sharp", 1);
    // A head without a media type says nothing of the charset.
    is(Archive::of(&[page(1, 10, A, ""), repeated(2, 12, "HTTP/1.1 200 OK", A, 1)]).judged(), "sharp", 1);
    // Neither does it tie two captures together that name different ones.
    let silent = repeated(2, 11, "HTTP/1.1 200 OK", A, 1);
    let other = Record::response(3, URL, &at(12), &with("; charset=iso-8859-15"), A.as_bytes());
    let page_list = Archive::of(&[page(1, 10, A, ""), silent, other]);
    assert_eq!(page_list.at("2022-03-14T10:30:00Z", &[])["pages"][0]["state"], "proven");
    assert_ne!(page_list.audited()["state"], "sharp");
    let confirmed = not_modified(2, 11, "\nETag: \"1\"");
    let other = Record::response(3, URL, &at(12), &with("; charset=iso-8859-15"), A.as_bytes());
    assert_ne!(Archive::of(&[page(1, 10, A, "\nETag: \"1\""), confirmed, other]).audited()["state"], "sharp");
}

#[test]
fn two_revisits_in_another_charset_prove_no_phrase_of_the_original() {
    let body = b"<html><body><p>a price of \xa4100</p></body></html>";
    let head = |charset: &str| format!("HTTP/1.1 200 OK\nContent-Type: text/html; charset={charset}");
    let revisit = |n, hour, charset: &str| {
        Record::revisit(n, URL, &at(hour), "identical-payload-digest", &head(charset))
            .field("WARC-Payload-Digest", &sha1(body))
            .field("WARC-Refers-To", &format!("<{}>", id(1)))
    };
    let archive = |charset: &str| {
        let original = Record::response(1, URL, &at(9), &head("iso-8859-15"), body);
        Archive::of(&[original, revisit(2, 10, charset), revisit(3, 12, charset)])
    };
    let present = |archive: Archive| {
        let found = archive.at(&at(11), &["--phrase", "\u{20ac}100"]);
        assert_eq!(found["pages"][0]["state"], "proven");
        found["phrases"][0]["present"].as_array().unwrap().len()
    };
    assert_eq!(present(archive("iso-8859-15")), 1);
    assert_eq!(present(archive("iso-8859-1")), 0);
}

#[test]
fn a_304_proves_only_by_an_earlier_200_of_its_own_url() {
    let names = |record: Record, of: u32| record.field("WARC-Refers-To", &format!("<{}>", id(of)));
    let by_date = |record: Record, url: &str, hour: u32| {
        record.field("WARC-Refers-To-Target-URI", url).field("WARC-Refers-To-Date", &at(hour))
    };
    let with_digest = |record: Record| record.field("WARC-Payload-Digest", &sha1(A.as_bytes()));
    let other = || Record::response(7, "http://t.example/other", &at(9), HTML, A.as_bytes());
    let unproven = |records: &[Record]| {
        let archive = Archive::of(records);
        assert_eq!(archive.audited()["proven"].as_array().unwrap().len(), 0);
        assert_ne!(archive.state_at(11), "proven");
    };
    is(Archive::of(&[page(1, 10, A, ""), names(not_modified(2, 12, ""), 1)]).judged(), "sharp", 1);
    for wrap in [&|record| record, &with_digest as &dyn Fn(Record) -> Record] {
        unproven(&[other(), page(1, 10, A, ""), wrap(names(not_modified(2, 12, ""), 7))]);
        let elsewhere = by_date(not_modified(2, 12, ""), "http://t.example/other", 9);
        unproven(&[other(), page(1, 10, A, ""), wrap(elsewhere)]);
        unproven(&[
            page(1, 10, A, ""),
            wrap(names(not_modified(2, 12, ""), 3)),
            page(3, 13, A, "\nX: 1").set("WARC-Target-URI", "http://t.example/other"),
        ]);
        let gone = Record::response(
            1,
            URL,
            &at(10),
            "HTTP/1.1 404 Not Found\nContent-Type: text/html",
            A.as_bytes(),
        );
        unproven(&[
            page(4, 9, A, "").set("WARC-Target-URI", URL),
            gone,
            wrap(names(not_modified(2, 12, ""), 1)),
        ]);
        // Not here at all.
        unproven(&[page(1, 10, A, ""), wrap(names(not_modified(2, 12, ""), 9))]);
    }
    // A record that is later than the 304 was not what the crawler had.
    let later = Archive::of(&[page(1, 9, A, ""), names(not_modified(2, 10, ""), 3), page(3, 12, A, "")]);
    assert_ne!(later.state_at(11), "changed-nearby");
    let alone = Archive::of(&[page(1, 9, A, ""), names(not_modified(2, 11, ""), 3), page(3, 12, B, "")]);
    assert_ne!(alone.state_at(10), "proven");
    // Records of one compressed member share their place: the named one is still the one that is named.
    let together = bytes(&[other(), page(1, 10, A, ""), names(not_modified(2, 12, ""), 7)]);
    assert_ne!(Archive::with("a.warc.gz", &gzip(&together)).state_at(11), "proven");
    // Of a record stored twice either copy may be kept.
    let copies = Archive::of(&[page(1, 10, A, ""), names(not_modified(2, 12, ""), 1)])
        .and("b.warc", &bytes(&[page(1, 10, A, "")]));
    is(copies.judged(), "sharp", 1);
}

#[test]
fn an_index_contradicts_a_record_by_a_digest_of_any_algorithm() {
    let records = [page(1, 10, A, ""), page(2, 12, A, "")];
    let judged = |digest: &str| {
        let archive = Archive::of(&records).and("i.cdxj", line(0, digest, "a.warc").as_bytes());
        let found = archive.at(&at(11), &[]);
        let page = found["pages"][0].clone();
        (page["state"] == "proven", page["contradictions"].as_array().unwrap().clone())
    };
    let of = |body: &str| format!("sha256:{}", sha256_hex(body.as_bytes()));
    assert_eq!(judged(&of(A)), (true, Vec::new()));
    let (proven, found) = judged(&of(B));
    assert!(!proven);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["offset"], 0);
    assert!(found[0]["file"].as_str().unwrap().ends_with("a.warc"), "{found:?}");
    assert!(found[0]["other_file"].as_str().unwrap().ends_with("i.cdxj"), "{found:?}");
    // Records without a digest are hashed, too.
    let bare = records.clone().map(|record| record.without("WARC-Payload-Digest"));
    let judged = |body: &str| {
        let index = line(0, &sha1(body.as_bytes()), "a.warc");
        Archive::of(&bare).and("i.cdxj", index.as_bytes()).state_at(11)
    };
    assert_eq!((judged(A).as_str(), judged(B).as_str()), ("proven", "undecided"));
}

#[test]
fn the_index_inside_a_package_is_held_against_its_records() {
    let warc = bytes(&[page(1, 10, A, ""), page(2, 12, A, "")]);
    let found = |index: &str| {
        let entries: [(&str, &[u8], bool); 2] =
            [("archive/data.warc", &warc, false), ("indexes/index.cdxj", index.as_bytes(), false)];
        let package = Archive::with("p.wacz", &zip(&entries));
        let mut copies = vec![package.at(&at(11), &[]), {
            // Another package with the same names inside says nothing about this one.
            let other = bytes(&[page(1, 10, B, "").set("WARC-Target-URI", "http://other.example/terms")]);
            let plain = zip(&[
                ("archive/data.warc", &other[..], false),
                ("indexes/index.cdxj", index.as_bytes(), false),
            ]);
            package.and("q.wacz", &plain).at(&at(11), &[])
        }];
        let (second, first) = (copies.pop().unwrap(), copies.pop().unwrap());
        assert_eq!(first["pages"][0]["state"], second["pages"][0]["state"]);
        assert_eq!(first["counts"], second["counts"]);
        let page = first["pages"][0].clone();
        (page["state"] == "proven", page["contradictions"].as_array().unwrap().clone())
    };
    for digest in [sha1(A.as_bytes()), format!("sha256:{}", sha256_hex(A.as_bytes()))] {
        assert_eq!(found(&line(0, &digest, "data.warc")), (true, Vec::new()));
    }
    for digest in [sha1(B.as_bytes()), format!("sha256:{}", sha256_hex(B.as_bytes()))] {
        let (proven, found) = found(&line(0, &digest, "data.warc"));
        assert!(!proven);
        assert!(found[0]["other_file"].as_str().unwrap().ends_with("p.wacz#indexes/index.cdxj"), "{found:?}");
    }
    // A line without a record makes no capture.
    let (proven, found) = found(&line(77, &sha1(B.as_bytes()), "data.warc"));
    assert!(proven && found.is_empty());
}

#[test]
fn an_altered_copy_is_named_with_both_places() {
    let archive = Archive::of(&[page(1, 10, A, ""), page(2, 12, A, "")])
        .and("altered.warc", &bytes(&[page(3, 8, A, ""), page(1, 10, B, "")]));
    let found = archive.at(&at(11), &[])["pages"][0]["contradictions"][0].clone();
    let mut places: Vec<(String, u64)> = [("file", "offset"), ("other_file", "other_offset")]
        .map(|(file, offset)| {
            let name =
                Path::new(found[file].as_str().unwrap()).file_name().unwrap().to_string_lossy().into_owned();
            (name, found[offset].as_u64().unwrap())
        })
        .into();
    places.sort();
    let second = page(3, 8, A, "").bytes().len() as u64;
    assert_eq!(places, [("a.warc".to_owned(), 0), ("altered.warc".to_owned(), second)]);
    let text = archive.run(&["at", &at(11), "-q"], &["--url", URL]);
    assert!(text.contains("altered.warc") && text.contains("a.warc"), "{text}");
}

#[test]
fn walls_of_clouds_and_in_other_languages_are_no_version_of_the_page() {
    let between = |head: &str, body: &str| {
        let wall = Record::response(2, URL, &at(11), head, body.as_bytes());
        Archive::of(&[page(1, 10, A, ""), wall, page(3, 12, A, "")]).judged()
    };
    let script = "<html><head><title></title><script>window.gokuProps={}</script></head><body></body></html>";
    for status in ["202 Accepted", "405 Method Not Allowed", "200 OK"] {
        let head = format!("HTTP/1.1 {status}\nContent-Type: text/html\nx-amzn-waf-action: challenge");
        is(between(&head, script), "sharp", 1);
    }
    is(between("HTTP/1.1 200 OK\nContent-Type: text/html\ncf-mitigated: challenge", script), "sharp", 1);
    for (title, text) in [
        (
            "Human Verification",
            "JavaScript is disabled. In order to continue, we need to verify that you're not a robot.",
        ),
        (
            "Bitte bestätigen Sie, dass Sie ein Mensch sind",
            "Diese Prüfung schützt uns vor automatischen Anfragen.",
        ),
        ("shop.example", "Bitte bestätigen Sie, dass Sie ein Mensch sind, um fortzufahren."),
        ("Vérification", "Veuillez confirmer que vous êtes humain pour continuer."),
        ("Un momento", "Verifica que eres humano completando la acción."),
        ("Verificação", "Confirme que você é humano para continuar."),
        ("Verifica", "Conferma di essere umano per continuare."),
        ("Controle", "Bevestig dat u een mens bent."),
        ("Проверка", "Подтвердите, что вы не робот."),
        ("確認", "続行するには、人間であることを確認してください。"),
        ("验证", "请确认您是真人，然后继续。"),
    ] {
        let body = format!("<html><head><title>{title}</title></head><body><p>{text}</p></body></html>");
        is(between("HTTP/1.1 200 OK\nContent-Type: text/html; charset=utf-8", &body), "sharp", 1);
    }
    let article = format!(
        "<html><head><title>Why sites ask you to prove you are human, and what it costs</title></head><body><p>{}</p></body></html>",
        "Walls against robots stand before many pages. ".repeat(30)
    );
    is(between(HTML, &article), "changed", 0);
}

#[test]
fn a_head_without_its_request_is_no_capture_of_the_page() {
    let head = format!("{HTML}\nContent-Length: {}", A.len());
    let headed = |n, hour| Record::response(n, URL, &at(hour), &head, b"");
    is(Archive::of(&[page(1, 10, A, ""), headed(2, 11), page(3, 12, A, "")]).judged(), "sharp", 1);
    let chunked = Record::response(2, URL, &at(11), &format!("{HTML}\nTransfer-Encoding: chunked"), b"");
    is(Archive::of(&[page(1, 10, A, ""), chunked, page(3, 12, A, "")]).judged(), "sharp", 1);
    let alone = Archive::of(&[headed(1, 10), headed(2, 12)]);
    assert_eq!(alone.audit(&[])["summary"]["pages"], 0, "no page was captured");
    let unused = alone.at(&at(11), &[])["pages"][0].clone();
    assert_eq!(unused["state"], "missing");
    assert!(unused["unused"][0]["reason"].as_str().unwrap().contains("HEAD"), "{unused}");
    // With its request it is known to be cut, and a page.
    let request = Record::request(3, URL, &at(10), "GET /terms", "")
        .field("WARC-Concurrent-To", &format!("<{}>", id(1)));
    assert_eq!(Archive::of(&[headed(1, 10), request]).audit(&[])["summary"]["pages"], 1);
}

#[test]
fn a_cached_answer_was_made_at_any_time_in_its_age_and_extends_no_proof() {
    // The old version was still in a cache after the new one had been captured.
    let old = |n, hour, age: u32| page(n, hour, A, &format!("\nAge: {age}"));
    let archive = Archive::of(&[page(1, 10, B, ""), old(2, 12, 3 * 3600)]);
    let page_of = archive.audited();
    assert_eq!(page_of["state"], "changed");
    let reason = page_of["reason"].as_str().unwrap();
    assert!(reason.contains("08:59:59") && reason.contains("10:00:01"), "{reason}");
    // A, B, and A from a cache: whether A came back is unknown, so nothing is proven.
    let archive = Archive::of(&[page(1, 8, A, ""), page(2, 10, B, ""), old(3, 12, 3 * 3600 + 1800)]);
    let page_of = archive.audited();
    assert_eq!(page_of["versions"], 2);
    assert_eq!(page_of["proven"].as_array().unwrap().len(), 0);
    let state = |time: &str| archive.at(time, &[])["pages"][0]["state"].clone();
    for time in ["2022-03-14T08:15:00Z", "2022-03-14T09:00:00Z"] {
        assert_eq!(state(time), "undecided", "{time}");
        let found = archive.at(time, &[]);
        assert!(found["answer"].as_str().unwrap().contains("by its Age"), "{found}");
    }
    // Behind all that was made, though not behind all that was captured, nothing is known.
    assert_eq!(state("2022-03-14T11:00:00Z"), "undecided");
    assert_eq!(state("2022-03-14T13:00:00Z"), "unseen");
    // Without B, A is proven up to when the cache got it at the earliest: an Age is cut to seconds.
    let archive = Archive::of(&[page(1, 8, A, ""), old(3, 12, 3 * 3600 + 1800)]);
    assert_eq!(archive.audited()["proven"][0]["to"], "2022-03-14T08:29:59Z");
    // One stored response that is handed out twice shows one instant.
    let twice = Archive::of(&[old(1, 10, 3600), old(2, 12, 3 * 3600)]);
    assert_eq!(twice.audited()["proven"].as_array().unwrap().len(), 0);
    // The date of a cached answer is old; the server's clock is right.
    let dated = page(1, 12, A, "\nAge: 7200\nDate: Mon, 14 Mar 2022 10:00:00 GMT");
    let skew = Archive::of(&[dated]).audit(&[])["sites"][0]["findings"]["clock_skew"]["skewed"].clone();
    assert_eq!(skew, 0);
}

#[test]
fn a_304_that_names_nothing_refers_to_nothing_that_is_missing() {
    let found = Archive::of(&[page(1, 10, A, ""), not_modified(2, 12, "")]).audit(&[]);
    assert_eq!(found["sites"][0]["findings"]["unresolved_revisits"], 0);
    let named = not_modified(2, 12, "").field("WARC-Refers-To", &format!("<{}>", id(9)));
    let found = Archive::of(&[page(1, 10, A, ""), named]).audit(&[]);
    assert_eq!(found["sites"][0]["findings"]["unresolved_revisits"], 1);
}

#[test]
fn each_assumption_is_stated_where_a_verdict_rests_on_it_and_nowhere_else() {
    let request = |n: u32, of: u32, hour| {
        Record::request(n, URL, &at(hour), "GET /terms", "")
            .field("WARC-Concurrent-To", &format!("<{}>", id(of)))
    };
    let said = |archive: &Archive| -> Vec<String> {
        let found = archive.at(&at(11), &[]);
        let all = found["assumptions"].as_array().unwrap();
        all.iter().map(|text| text.as_str().unwrap().to_owned()).collect()
    };
    let has = |said: &[String], words: &str| said.iter().any(|text| text.contains(words));
    let vary = "\nVary: Accept-Language, Cookie";
    let unknown = said(&Archive::of(&[page(1, 10, A, vary), page(2, 12, A, vary)]));
    assert!(has(&unknown, "Vary: accept-language, cookie") && has(&unknown, "method GET"), "{unknown:?}");
    let known = said(&Archive::of(&[
        page(1, 10, A, vary),
        request(3, 1, 10),
        page(2, 12, A, vary),
        request(4, 2, 12),
    ]));
    assert!(!has(&known, "requests were alike") && !has(&known, "method GET"), "{known:?}");
    assert!(has(&known, "did not depend on who asked"), "{known:?}");
    let coded = said(&Archive::of(&[
        page(1, 10, A, "\nVary: Accept-Encoding"),
        page(2, 12, A, "\nVary: Accept-Encoding"),
    ]));
    assert!(!has(&coded, "Vary"), "{coded:?}");
    // One spelling needs no rule, two do.
    assert!(!has(&coded, "--canon"), "{coded:?}");
    let other = Record::response(3, "http://t.example/Terms", &at(9), HTML, A.as_bytes());
    let spelled = Archive::of(&[page(1, 10, A, ""), other]);
    let found = spelled.at("2022-03-14T09:30:00Z", &["--canon", "default"]);
    assert!(found["assumptions"].to_string().contains("--canon"), "{found}");
    let cached = said(&Archive::of(&[page(1, 10, A, ""), page(2, 12, A, "\nAge: 60")]));
    assert!(has(&cached, "by its Age or its Date") && !has(&coded, "by its Age"), "{cached:?}");
}

#[test]
fn a_page_made_for_each_request_has_no_rate() {
    let token = |n: u32, minute: u32| {
        let body = format!("<html><body><p>token {n}</p></body></html>");
        Record::response(n, URL, &format!("2022-03-14T10:{minute:02}:00Z"), HTML, body.as_bytes())
    };
    let still = |n, hour| Record::response(n, "http://t.example/still", &at(hour), HTML, A.as_bytes());
    let archive = Archive::of(&[token(1, 0), token(2, 1), token(3, 30), still(4, 10), still(5, 12)]);
    let text = archive.run(&["audit", "-q"], &["--explain", URL]);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("generated for each request"), "{text}");
    for figure in ["times a day", "expected to change", "blur ", "the chance that it stayed unchanged"] {
        assert!(!text.contains(figure), "{figure}: {text}");
    }
    let pages = archive.audit(&[])["sites"][0]["page_list"].clone();
    let made_anew: Vec<bool> =
        pages.as_array().unwrap().iter().map(|page| page["made_anew_seconds"].is_number()).collect();
    assert_eq!(made_anew, [false, true]);
}

#[test]
fn a_server_that_refuses_shows_no_version_whatever_it_calls_that() {
    for status in [400, 402, 405, 406, 409, 412, 418, 423, 451, 499, 999] {
        let head = format!("HTTP/1.1 {status} No\nContent-Type: text/html");
        let refused = Record::response(2, URL, &at(11), &head, b"<p>no</p>");
        let archive = Archive::of(&[page(1, 10, A, ""), refused, page(3, 12, A, "")]);
        assert_eq!(archive.judged(), ("sharp".to_owned(), 1), "{status}");
    }
}

#[test]
fn a_record_without_an_http_head_is_no_version_and_ends_no_proof() {
    let bare = || {
        Record::new("response", 2, &at(11), "\n")
            .field("WARC-Target-URI", URL)
            .field("Content-Type", "text/plain")
    };
    let again = repeated(3, 12, HTML, A, 1);
    for last in [again, page(3, 12, A, "")] {
        let archive = Archive::of(&[page(1, 10, A, ""), bare(), last]);
        is(archive.judged(), "sharp", 1);
        let found = archive.at(&at(11), &[]);
        assert!(found.to_string().contains("it has no HTTP head"), "{found}");
    }
    let alone = Archive::of(&[page(1, 10, A, ""), bare()]);
    is(alone.judged(), "single", 0);
}

#[test]
fn screenshots_alone_are_no_page() {
    let screenshot = |n, hour| {
        Record::new("resource", n, &at(hour), b"\x89PNG the page".to_vec())
            .field("WARC-Target-URI", URL)
            .field("Content-Type", "image/png")
    };
    let archive = Archive::of(&[screenshot(1, 10), screenshot(2, 12)]);
    assert_eq!(archive.at(&at(11), &[])["pages"][0]["state"], "missing");
    assert_eq!(archive.audit(&[])["summary"]["pages"], 0);
    let drawn = |n, hour| {
        Record::new("resource", n, &at(hour), b"\x89PNG the logo".to_vec())
            .field("WARC-Target-URI", "http://t.example/logo.png")
            .field("Content-Type", "image/png")
    };
    let found = Archive::of(&[drawn(1, 10), drawn(2, 12)]).audit(&["--pages", "all"]);
    assert_eq!(found["sites"][0]["page_list"][0]["state"], "sharp", "an image is what its URL says");
}

#[test]
fn changes_of_markup_alone_are_counted_apart_in_the_headline() {
    let of = |n: u32, hour: u32, path: &str, body: String| {
        Record::response(n, &format!("http://t.example/{path}"), &at(hour), HTML, body.as_bytes())
    };
    let mut records = Vec::new();
    for place in 0..4u32 {
        for hour in [10, 12] {
            let (n, path) = (10 * place + hour, format!("p{place}"));
            let body = match place {
                0 => format!("<html><body class='h{hour}'><p>The same words at all times.</p></body></html>"),
                _ => format!(
                    "<html><body><p>Other words each time: {}</p></body></html>",
                    "word ".repeat(hour as usize)
                ),
            };
            records.push(of(n, hour, &path, body));
        }
    }
    let still = "<html><body><p>still</p></body></html>";
    records.extend([of(91, 10, "still", still.to_owned()), of(92, 12, "still", still.to_owned())]);
    let found = Archive::of(&records).audit(&[]);
    assert_eq!(found["sites"][0]["pages"]["changed_in_markup_only"], 1);
    let sentence = found["sites"][0]["answers"]["consistent"]["sentence"].as_str().unwrap();
    assert!(sentence.contains("4 changed (1 only in markup)"), "{sentence}");
    assert!(found["summary"]["verdict"].as_str().unwrap().contains("1 of them only in its markup"));
}

#[test]
fn relative_and_absolute_targets_of_redirects_are_the_same() {
    let moved = |n, hour, to: &str| {
        Record::response(n, URL, &at(hour), &format!("HTTP/1.1 302 Found\nLocation: {to}"), b"")
    };
    let state = |one: &str, other: &str| Archive::of(&[moved(1, 10, one), moved(2, 12, other)]).state_at(11);
    assert_eq!(state("/a", "http://T.example:80/a"), "proven");
    assert_eq!(state("a#top", "//t.example/a"), "proven");
    assert_eq!(state("/a", "/b"), "changed-nearby");
    assert_eq!(state("/a", "https://t.example/a"), "changed-nearby");
}

#[test]
fn two_passes_of_one_crawl_are_found_without_being_named() {
    let pass = |start: u32, hour: u32, pages: std::ops::Range<u32>| {
        let one = move |page: u32| {
            let (url, time) =
                (format!("http://t.example/{page}"), format!("2022-03-14T{hour:02}:{:02}:00Z", page));
            let body = if page == 0 { format!("<p>at {hour}</p>") } else { A.to_owned() };
            Record::response(start + page, &url, &time, HTML, body.as_bytes())
        };
        pages.map(one).collect::<Vec<_>>()
    };
    let archive = Archive::of(&[pass(100, 10, 0..10), pass(200, 11, 0..8)].concat());
    let findings = archive.audit(&[])["sites"][0]["findings"].clone();
    assert_eq!(findings["passes"]["second_from"], "2022-03-14T11:00:00Z");
    assert_eq!(
        (findings["passes"]["pages"].as_u64(), findings["passes"]["in_both"].as_u64()),
        (Some(10), Some(8))
    );
    assert_eq!(findings["changed_mid_crawl_pages"], 0, "it changed from pass to pass");
    let text = archive.run(&["audit", "-q", "--details"], &[]);
    assert!(text.contains("two or more passes"), "{text}");
    let once = Archive::of(&[pass(100, 10, 0..10), pass(200, 11, 0..3)].concat()).audit(&[]);
    assert!(once["sites"][0]["findings"]["passes"].is_null());
}

#[test]
fn answers_to_other_methods_are_told_with_why_they_do_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let told = (1..40).any(|seed| {
        let target = folder.path().join(seed.to_string());
        let seed = seed.to_string();
        let status = Command::new(env!("CARGO_BIN_EXE_acuity"))
            .args(["simulate", "-q", "--crawler", "careless", "--seed", &seed, "--write-archive"])
            .arg(&target)
            .output()
            .unwrap();
        assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stderr));
        let table = std::fs::read_to_string(target.join("captures.csv")).unwrap();
        assert!(table.starts_with("url,date,request_time,shows,language,says,why\n"), "{table}");
        table.lines().any(|line| line.contains(",nothing,") && line.ends_with("\"the answer to POST\""))
    });
    assert!(told);
}

#[test]
fn a_304_proves_nothing_by_a_tag_of_two_contents_or_against_the_digest_it_states() {
    let tag = "\nETag: \"x1\"";
    is(Archive::of(&[page(1, 10, A, tag), not_modified(2, 12, tag)]).judged(), "sharp", 1);
    let other = not_modified(2, 12, tag).field("WARC-Payload-Digest", &sha1(B.as_bytes()));
    let contradicted = [page(1, 10, A, tag).field("WARC-Payload-Digest", &sha1(A.as_bytes())), other];
    assert_ne!(Archive::of(&contradicted).state_at(11), "proven");
    let reused = [page(1, 9, B, tag), page(2, 10, A, tag), not_modified(3, 12, tag)];
    assert_ne!(Archive::of(&reused).state_at(11), "proven");
}

#[test]
fn a_request_belongs_to_the_capture_that_names_it() {
    let posted = page(3, 12, A, "").field("WARC-Concurrent-To", &format!("<{}>", id(4)));
    let request = Record::request(4, URL, &at(12), "POST /terms", "");
    let archive = Archive::of(&[page(1, 9, A, ""), page(2, 10, B, ""), request, posted]);
    // The response to the POST is none of the page, which was last seen with other content.
    assert_ne!(archive.state_at(11), "proven");
}

#[test]
fn an_age_that_is_too_large_or_a_list_proves_no_later_time() {
    for age in ["99999999999999999999", "4294967296", "20000, 0"] {
        let archive = Archive::of(&[page(1, 10, A, ""), page(2, 14, A, &format!("\nAge: {age}"))]);
        assert_ne!(archive.state_at(12), "proven", "{age}");
    }
    let archive = Archive::of(&[page(1, 10, A, ""), page(2, 14, A, "\nAge: 4294967296")]);
    let found = archive.at("1900-01-01T00:00:00Z", &[]);
    assert_ne!(found["pages"][0]["state"], "proven", "{found}");
}

#[test]
fn pages_of_failed_servers_are_not_among_the_sharp_ones() {
    let of = |n: u32, hour: u32, path: u32, title: &str| {
        let body = format!(
            "<html><head><title>{title}</title></head><body><h1>{title}</h1><p>nginx</p></body></html>"
        );
        Record::response(n, &format!("http://t.example/{path}"), &at(hour), HTML, body.as_bytes())
    };
    let titles = [
        "500 Internal Server Error",
        "502 Bad Gateway",
        "Database Error",
        "Our services",
        "Error messages explained",
    ];
    let both = (0..)
        .zip(titles)
        .flat_map(|(path, title)| [of(10 + path, 10, path, title), of(20 + path, 12, path, title)]);
    let found = Archive::of(&both.collect::<Vec<_>>()).audit(&[]);
    let site = &found["sites"][0];
    let states: Vec<(String, bool)> = site["page_list"]
        .as_array()
        .unwrap()
        .iter()
        .map(|page| (page["state"].as_str().unwrap().to_owned(), page["error_page"].is_null()))
        .collect();
    assert_eq!(states.iter().filter(|(_, sound)| *sound).count(), 2, "{site}");
    assert_eq!(site["pages"]["sharp"], 2, "{}", site["pages"]);
}
