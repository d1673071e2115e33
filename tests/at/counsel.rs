//! What the other side would try: everything that speaks against an answer stands in the answer, and no word says more than the records.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use acuity::internals::at::model::{At, AtParameters, SiteVerdict};

use crate::archive::{ask, write};
use crate::support::pack::members;
use crate::support::record::{Record, ok};

const URL: &str = "http://a.example/terms";

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_acuity")).args(arguments).current_dir(folder).output().unwrap()
}

/// A page at an hour of 2024-03-01, with more fields in the head of its response.
fn page(n: u32, hour: &str, body: &str, fields: &str) -> Record {
    let head = format!("{}{fields}", ok(body.len()));
    Record::response(n, URL, &format!("2024-03-01T{hour}:00Z"), &head, body.as_bytes())
}

/// The answer about 11 o'clock.
fn at_eleven(inputs: &[String], phrases: &[&str]) -> At {
    let phrases = phrases.iter().map(|phrase| (*phrase).to_owned()).collect();
    let parameters =
        AtParameters { urls: vec![URL.to_owned()], phrases, ..AtParameters::on("2024-03-01T11:00:00Z") };
    ask(inputs, &parameters).unwrap()
}

#[test]
fn what_could_not_be_read_stands_in_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let sound = [page(1, "10:00", "<p>one", ""), page(3, "12:00", "<p>one", "")];
    let mut damaged = members(&[page(2, "11:00", "<p>two", "").bytes()]);
    damaged[30..60].fill(0);
    let path = folder.path().join("a.warc.gz");
    let bytes = [members(&[sound[0].bytes()]), damaged, members(&[sound[1].bytes()])].concat();
    fs::write(&path, bytes).unwrap();
    let at = at_eleven(&[path.display().to_string()], &[]);
    assert_eq!(at.verdict, SiteVerdict::Coherent);
    let start = "Yes. The archive shows the same content before (10:00:00 UTC) and after (12:00:00 UTC) that time, and no other \
                 version that could be read between them. Part of the inputs could not be read (";
    assert!(at.answer.starts_with(start), "{}", at.answer);
    assert!(at.answer.ends_with("; other records of the address may have been there."), "{}", at.answer);
}

#[test]
fn a_server_whose_date_is_on_the_other_side_stands_in_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let answer = |name: &str, dates: [&str; 2]| {
        let records = [page(1, "10:00", "<p>one", dates[0]), page(2, "12:00", "<p>one", dates[1])];
        at_eleven(&[write(folder.path(), name, &records)], &[]).answer
    };
    let date = |hour: &str| format!("\nDate: Fri, 01 Mar 2024 {hour}:00 GMT");
    let plain = answer("a.warc", [&date("10:00"), &date("12:00")]);
    assert!(plain.ends_with("nothing else between them."), "{plain}");
    let kept = answer("b.warc", ["", &date("10:30")]);
    assert!(
        kept.ends_with(
            "The record after that time (12:00:00 UTC) may have come from a cache: by its Date, the server made it at 10:30:00 UTC, \
             before that time."
        ),
        "{kept}"
    );
    let ahead = answer("c.warc", [&date("11:30"), &date("13:30")]);
    assert!(
        ahead.ends_with(
            "By the server's own Date, record A was made at 11:30:00 UTC, not before that time: one of the two clocks was wrong."
        ),
        "{ahead}"
    );
}

#[test]
fn records_named_only_for_their_words_are_no_reason_for_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let records = [
        page(1, "09:00", "<p>a fee of 4 euros", ""),
        page(2, "10:00", "<p>a fee of 5 euros", ""),
        page(3, "12:00", "<p>a fee of 5 euros", ""),
    ];
    let at = at_eleven(&[write(folder.path(), "a.warc", &records)], &["a fee of 5 euros"]);
    assert_eq!(at.pages.held()[0].witnesses.len(), 3);
    assert!(at.phrases[0].nearly[0].differs.contains("“4” instead of “5”"));
    assert_eq!(at.because.len(), 3, "{:?}", at.because);
    assert!(at.because[0].starts_with("Record A, 10:00:00 UTC") && at.clocks.len() == 2);
}

#[test]
fn a_record_of_that_very_time_is_not_said_to_come_from_a_cache() {
    let folder = tempfile::tempdir().unwrap();
    let line = format!(
        " CDX N b a m s k r M S V g\nexample,a)/terms 20240301110000 {URL} text/html 200 \
         2AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA - - 500 0 z.warc.gz\n"
    );
    let records = [page(1, "10:00", "<p>one", ""), page(2, "12:00", "<p>one", "")];
    let inputs =
        [write(folder.path(), "a.warc", &records), folder.path().join("b.cdx").display().to_string()];
    fs::write(&inputs[1], line).unwrap();
    let at = at_eleven(&inputs, &[]);
    assert_ne!(at.verdict, SiteVerdict::Coherent);
    assert!(!at.answer.contains("cache"), "{}", at.answer);
}

#[test]
fn records_of_other_requests_are_not_said_to_be_none() {
    let folder = tempfile::tempdir().unwrap();
    let head = page(1, "10:00", "", "")
        .field("WARC-Concurrent-To", "<urn:uuid:00000000-0000-4000-8000-000000000002>");
    let request = Record::request(2, URL, "2024-03-01T10:00:00Z", "HEAD /terms", "");
    let at = at_eleven(&[write(folder.path(), "a.warc", &[head, request])], &[]);
    assert!(
        at.answer.ends_with("no record of the address that has a date and is of a GET request."),
        "{}",
        at.answer
    );
}

#[test]
fn another_layout_of_the_same_answer_is_noted() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "a.warc", &[page(1, "10:00", "<p>one", ""), page(2, "12:00", "<p>one", "")]);
    let asked = run(folder, &["at", "2024-03-01T11:00:00Z", "a.warc", "--url", URL, "-q", "--json=a.json"]);
    assert!(asked.status.success());
    let told = |name: &str| String::from_utf8(run(folder, &["verify", name, "a.warc"]).stdout).unwrap();
    assert!(!told("a.json").contains("NOTE"));
    let answer: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.join("a.json")).unwrap()).unwrap();
    fs::write(folder.join("b.json"), answer.to_string()).unwrap();
    let other = told("b.json");
    assert!(other.contains("Verified") && other.contains("is not laid out as"), "{other}");
    // A key that stands there twice reads one way here and another way elsewhere.
    let twice = answer.to_string().replacen('{', "{\"answer\":\"No.\",", 1);
    fs::write(folder.join("c.json"), twice).unwrap();
    assert_eq!(run(folder, &["verify", "c.json", "a.warc"]).status.code(), Some(1));
}

#[test]
fn no_text_says_what_only_lawyers_or_programmers_say() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(
        folder,
        "a.warc",
        &[page(1, "10:00", "<p>one", ""), page(2, "11:30", "<p>two", ""), page(3, "12:00", "<p>two", "")],
    );
    let mut texts = Vec::new();
    for hour in ["10:30", "11:40", "13:00"] {
        let date = format!("2024-03-01T{hour}:00Z");
        let name = format!("{}.html", hour.replace(':', ""));
        let more = [
            "--phrase",
            "two",
            "--estimates",
            "--print",
            "whole.txt",
            "--html",
            &name,
            "--json=a.json",
            "-q",
        ];
        texts.push(run(folder, &[&["at", &date, "a.warc"], &more[..]].concat()).stdout);
        texts.push(run(folder, &["verify", "a.json", "a.warc"]).stdout);
        texts.push(fs::read(folder.join("whole.txt")).unwrap());
        let html = fs::read_to_string(folder.join(&name)).unwrap();
        let html = html.split("<style>").flat_map(|part| part.split("</style>").last());
        let html: String = html.collect();
        let shown = html.split("<script").flat_map(|part| part.split("</script>").last()).collect::<String>();
        // Names of classes are not shown.
        texts.push(
            shown
                .split('<')
                .filter_map(|part| part.split_once('>'))
                .map(|(_, text)| text)
                .collect::<String>()
                .into_bytes(),
        );
    }
    texts.push(run(folder, &["timeline", URL, "a.warc"]).stdout);
    let output = run(folder, &["at", "2024-03-01T11:40:00Z", "a.warc", "--bundle", "b", "-q"]);
    assert!(output.status.success());
    for file in ["answer.txt", "VERIFY.txt", "certificate.txt", "certificate-neutral.txt"] {
        texts.push(fs::read(folder.join("b/evidence").join(file)).unwrap());
    }
    for text in texts {
        let text = String::from_utf8(text).unwrap().to_lowercase();
        assert!(text.len() > 40);
        let words: Vec<&str> = text.split(|sign: char| !sign.is_alphabetic()).collect();
        for word in ["look", "looks", "witness", "witnesses", "violative", "prima", "coherent"] {
            assert!(!words.contains(&word), "{word}: {text}");
        }
    }
}

#[test]
fn no_chance_is_given_where_nothing_shows_how_often_a_page_changes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write(folder, "a.warc", &[page(1, "12:00", "<p>one", "")]);
    let output = run(folder, &["at", "2024-03-01T11:00:00Z", "a.warc", "-q", "--estimates", "--json=a.json"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains("times a day") && !text.contains("chance that"), "{text}");
    let text = run(folder, &["at", "2024-03-01T11:00:00Z", "a.warc", "-q", "--estimates"]).stdout;
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("None: nothing in this archive shows how often the pages change."), "{text}");
    let json: serde_json::Value = serde_json::from_slice(&fs::read(folder.join("a.json")).unwrap()).unwrap();
    assert!(
        json["pages"][0]["probability"].is_null() && json["pages"][0]["rate_per_day"].is_null(),
        "{json}"
    );
}
