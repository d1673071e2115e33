//! The history of a page as an exhibit: every version, its record, and what changed, as text, HTML and CSV.

use crate::archive::write;
use crate::support::program::run;
use crate::support::record::Record;

#[test]
fn every_version_has_its_stretch_its_record_and_what_changed() {
    let folder = tempfile::tempdir().unwrap();
    let page = |n, hour: u32, body: &str| {
        let body = format!("<html><body><h1>Fees</h1><p>{body}</p></body></html>");
        Record::page(n, "http://a.example/fees", &format!("2024-01-01T{hour}:00:00Z"), &body)
    };
    let records = [
        page(1, 10, "a fee of 4 euros"),
        page(2, 11, "a fee of 4 euros"),
        page(3, 12, "a fee of 5 euros <script>alert(1)</script>"),
        page(4, 13, "a fee of 5 euros =cmd|x"),
    ];
    write(folder.path(), "a.warc", &records);
    let named = ["--html", "t.html", "--csv", "t.csv", "--case", "24-cv-1", "-q"];
    let output = run(folder.path(), &[&["timeline", "http://a.example/fees", "a.warc"][..], &named].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for words in [
        "added    5",
        "removed  4",
        "changed  importance",
        "record   first capture, 2024-01-01T10:00:00Z",
        "file a.warc",
        "record SHA-256 ",
        "answered 200 OK",
        "proven   2024-01-01T10:00",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let mut csv = csv::Reader::from_path(folder.path().join("t.csv")).unwrap();
    let headers = csv.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = csv.records().map(Result::unwrap).collect();
    let cell = |row: usize, name: &str| {
        let column = headers.iter().position(|header| header == name).unwrap();
        rows[row].get(column).unwrap().to_owned()
    };
    assert_eq!(rows.len(), 3);
    assert_eq!(
        (cell(0, "captures"), cell(0, "importance"), cell(0, "added")),
        ("2".into(), "".into(), "".into())
    );
    assert_eq!(cell(0, "proven_to"), "2024-01-01T11:00:00Z");
    assert_eq!((cell(1, "added"), cell(1, "removed")), ("5".into(), "4".into()));
    assert!(cell(1, "importance").parse::<f64>().unwrap() > 0.0);
    // No cell of a table begins like a formula.
    assert!(
        cell(2, "added").ends_with("=cmd|x") && !cell(2, "added").starts_with('='),
        "{}",
        cell(2, "added")
    );
    let html = std::fs::read_to_string(folder.path().join("t.html")).unwrap();
    assert!(
        html.contains("Version B") && html.contains("24\\00002dcv\\00002d1") && !html.contains("alert(1)")
    );
}

#[test]
fn the_page_to_print_has_what_the_text_has_and_the_whole_case_line() {
    let folder = tempfile::tempdir().unwrap();
    let page = |n, hour: u32, body: &str| {
        Record::page(n, "http://a.example/", &format!("2024-01-01T{hour}:00:00Z"), &format!("<p>{body}"))
    };
    let records = [page(1, 10, "old words"), page(2, 11, "old words"), page(3, 16, "new words")];
    write(folder.path(), "a.warc", &records);
    let case =
        "In re Very Long Corporation Name Holding International Incorporated of Elsewhere, 24-cv-01234";
    let more = ["--phrase", "old words", "--html", "t.html", "--case", case, "--exhibit", "E7", "-q"];
    let output = run(folder.path(), &[&["timeline", "http://a.example/", "a.warc"][..], &more].concat());
    let html = std::fs::read_to_string(folder.path().join("t.html")).unwrap();
    for words in ["Online", "after 2024-01-01T11:00:00Z", "Holds", "Lacks", "Not shown", "\u{a0}"] {
        assert!(html.contains(words), "{words}");
    }
    // Nothing of the case is cut, and the hash is that of the text.
    let signs = |text: &str| -> String {
        let sign = |sign: char| match sign.is_ascii_alphanumeric() {
            true => sign.to_string(),
            false => format!("\\{:06x}", u32::from(sign)),
        };
        text.chars().map(sign).collect()
    };
    assert!(html.contains(&signs("24-cv-01234")) && html.contains(&signs("Exhibit E7")));
    let hash = crate::support::digests::sha256_hex(&output.stdout);
    let first = hash.rsplit(':').next().unwrap()[..8].to_owned();
    assert!(html.contains(&signs(&format!("SHA-256 {first}"))), "{first}");
}

#[test]
fn an_answer_that_is_no_page_is_told_as_what_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let url = "http://a.example/p";
    let answer = |n, hour: u32, head: &str, body: &str| {
        Record::response(n, url, &format!("2024-01-01T{hour}:00:00Z"), head, body.as_bytes())
    };
    let found = |to: &str| format!("HTTP/1.1 302 Found\nLocation: http://a.example/{to}\nContent-Length: 0");
    let records = [
        answer(1, 10, "HTTP/1.1 404 Not Found\nContent-Type: text/html\nContent-Length: 4", "gone"),
        answer(2, 11, &found("one"), ""),
        answer(3, 12, &found("two"), ""),
    ];
    write(folder.path(), "a.warc", &records);
    let output = run(folder.path(), &["timeline", url, "a.warc", "-q", "--html", "t.html", "--csv", "t.csv"]);
    let text = String::from_utf8(output.stdout).unwrap();
    for words in [
        "answered 404 Not Found: by the server, no such page was there",
        "answered 302 Found: it led on to http://a.example/one",
        "changed  it answered 302 Found, before 404 Not Found",
        "changed  it led on to http://a.example/two, before to http://a.example/one",
    ] {
        assert!(text.replace("\n          | ", " ").contains(words), "{words}: {text}");
    }
    assert!(!text.contains("online") && !text.contains("the same words"), "{text}");
    let html = std::fs::read_to_string(folder.path().join("t.html")).unwrap();
    assert!(html.contains("404 Not Found") && !html.contains("Online") && !html.contains("the same words"));
    let mut csv = csv::Reader::from_path(folder.path().join("t.csv")).unwrap();
    let status = csv.headers().unwrap().iter().position(|name| name == "status").unwrap();
    let found: Vec<String> = csv.records().map(|row| row.unwrap().get(status).unwrap().to_owned()).collect();
    assert_eq!(found, ["404", "302", "302"]);
}

#[test]
fn a_single_capture_has_no_end_and_nothing_is_said_of_claims_that_are_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let head =
        "HTTP/1.1 200 OK\nContent-Type: text/html\nDate: Mon, 01 Jan 2024 10:00:01 GMT\nContent-Length: 6";
    let page = Record::response(1, "http://a.example/", "2024-01-01T10:00:00Z", head, b"<p>one")
        .field("WARC-IP-Address", "192.0.2.7");
    let request = Record::request(2, "http://a.example/", "2024-01-01T10:00:00Z", "GET /", "")
        .field("WARC-Concurrent-To", &format!("<{}>", crate::support::record::id(1)));
    write(folder.path(), "a.warc", &[page, request]);
    let given = ["--case", "24-cv-1", "--exhibit", "E7", "--examiner", "J. Doe", "-q", "--html", "t.html"];
    let output = run(folder.path(), &[&["timeline", "http://a.example/", "a.warc"][..], &given].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        !text.contains("10:00:00.0") && !text.contains("claimed:") && !text.contains("change back"),
        "{text}"
    );
    let html = std::fs::read_to_string(folder.path().join("t.html")).unwrap();
    assert!(!html.contains("For what is claimed"));
    for words in ["24-cv-1", "E7", "J. Doe", "192.0.2.7", "GET / HTTP/1.1", "2024-01-01T10:00:01Z"] {
        assert!(text.contains(words), "{words}: {text}");
        assert!(html.contains(words), "{words}");
    }
    assert!(text.contains("record SHA-256") && html.contains("record SHA-256"));
}

#[test]
fn versions_behind_z_have_names_and_rules_for_addresses_are_stated() {
    let folder = tempfile::tempdir().unwrap();
    let page = |n: u32| {
        let time = format!("2024-01-{:02}T10:00:00Z", n + 1);
        let url = if n == 0 { "http://a.example/FEES" } else { "http://a.example/fees" };
        Record::page(n, url, &time, &format!("<p>version {n}</p>"))
    };
    write(folder.path(), "a.warc", &(0..30).map(page).collect::<Vec<_>>());
    let timeline = |more: &[&str]| {
        let named =
            ["timeline", "http://a.example/fees", "a.warc", "-q", "--html", "t.html", "--csv", "t.csv"];
        let output = run(folder.path(), &[&named[..], more].concat());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let html = std::fs::read_to_string(folder.path().join("t.html")).unwrap();
        (String::from_utf8(output.stdout).unwrap(), html)
    };
    let (text, html) = timeline(&["--canon", "default"]);
    for name in
        ["\n  Z  1 capture", "\n  AA  1 capture", "\n  AD  1 capture", "--canon default treats as one"]
    {
        assert!(text.contains(name), "{name}: {text}");
    }
    assert!(html.contains("Version AD") && html.contains("--canon default treats as one"));
    let csv = std::fs::read_to_string(folder.path().join("t.csv")).unwrap();
    assert!(csv.contains(",AD,1,"), "{csv}");
    let (text, _) = timeline(&[]);
    assert!(!text.contains("--canon") && text.contains("\n  AC  1 capture"), "{text}");
}
