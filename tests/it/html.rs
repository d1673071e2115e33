//! The HTML reports as files: nothing refers to outside, the policy fits, hostile text is text, figures are those of the JSON.

use std::path::Path;
use std::process::Command;

use crate::support::demo::demo;
use crate::support::record::Record;
use acuity::internals::report::html::document::{SCRIPT, STYLE, policy, policy_with};

/// Runs the program in a folder.
fn run(folder: &Path, arguments: &[&str]) -> String {
    let output =
        Command::new(env!("CARGO_BIN_EXE_acuity")).args(arguments).current_dir(folder).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn text(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap()
}

/// All that stands between two marks.
fn between<'a>(text: &'a str, start: &str, end: &str) -> Vec<&'a str> {
    text.split(start).skip(1).filter_map(|rest| rest.split(end).next()).collect()
}

/// The text of a page without its own style and script.
fn without_assets(html: &str) -> String {
    html.replace(STYLE, "").replace(SCRIPT, "")
}

fn is_self_contained(html: &str) {
    let bare = without_assets(html);
    // A report to print has a second style: what stands at the foot of every page.
    let styles = between(html, "<style>", "</style>");
    assert!(
        styles.len() == 1 || styles.len() == 2 && styles[1].starts_with("@media print { @page {"),
        "{styles:?}"
    );
    let print = styles.get(1).copied().unwrap_or_default();
    assert!(!print.contains("url(") && !print.contains("@import"));
    assert_eq!(html.matches("<script>").count(), 1, "one script runs; the rest is data");
    for reference in between(&bare, "href=\"", "\"").into_iter().chain(between(&bare, "src=\"", "\"")) {
        assert!(reference.starts_with('#') || reference.starts_with("data:,"), "{reference}");
    }
    for asset in [STYLE, SCRIPT] {
        assert!(!asset.contains("url(") && !asset.contains("@import") && !asset.contains("fetch("));
    }
    for tag in between(&bare, "<", ">") {
        // What stands in quotes is a value; the rest are names.
        let names: String = tag.split('"').step_by(2).collect();
        assert!(!names.contains(" style=") && !names.contains(" on"), "{tag}");
    }
    assert!(policy().contains("default-src 'none'"));
    let stated = between(html, "Content-Security-Policy\" content=\"", "\"")[0].replace("&#39;", "'");
    assert_eq!(stated, policy_with(print));
}

#[test]
fn an_audit_is_one_file_and_its_figures_are_those_of_the_json() {
    let folder = demo();
    let both = ["audit", "visit.warc.gz", "revisit.warc.gz", "-q"];
    run(folder.path(), &[&both[..], &["--html", "a.html", "--json=a.json"]].concat());
    let html = text(folder.path(), "a.html");
    is_self_contained(&html);
    let json: serde_json::Value = serde_json::from_str(&text(folder.path(), "a.json")).unwrap();
    let site = &json["sites"][0];
    let figure = |name: &str| between(&html, &format!("data-figure=\"{name}\">"), "<")[0].to_owned();
    assert_eq!(figure("pages"), site["pages"]["total"].to_string());
    let share = site["coherence"]["best"]["share"].as_f64().unwrap();
    assert_eq!(figure("coherence"), format!("{:.0}%", 100.0 * share));
    assert_eq!(figure("blur"), format!("{:.2}", site["blur"]["actual"]["mean"].as_f64().unwrap()));
    for input in json["inputs"].as_array().unwrap() {
        let hash = input["blake3"].as_str().unwrap();
        assert!(hash.len() == 64 && html.contains(hash));
    }
    for assumption in json["assumptions"].as_array().unwrap() {
        assert!(html.contains(assumption.as_str().unwrap()));
    }
    // Read back from the JSON, the page is the same, byte for byte.
    run(folder.path(), &["report", "a.json", "--html", "b.html"]);
    assert!(text(folder.path(), "b.html") == html);
    // And whatever the number of threads.
    run(folder.path(), &[&both[..], &["--html", "c.html", "-j", "1"]].concat());
    assert!(text(folder.path(), "c.html") == html);
}

#[test]
fn hostile_text_is_text() {
    let folder = tempfile::tempdir().unwrap();
    let evil = "</script><script>alert(1)</script><!--\"'`><img src=x onerror=alert(2)>\u{202e}gpj\u{2066}";
    let url = format!("http://a.example/{evil}");
    let body = |version: u32| {
        format!("<title>{evil}</title><main>{version} {evil}<a href='/{version}{evil}'>x</a></main>")
    };
    let records: Vec<u8> = (0..2)
        .flat_map(|number| {
            let record =
                Record::page(number + 1, &url, &format!("2024-01-01T00:0{number}:00Z"), &body(number));
            record.bytes()
        })
        .collect();
    std::fs::write(folder.path().join("evil.warc"), records).unwrap();
    run(folder.path(), &["audit", "evil.warc", "-q", "--html", "a.html"]);
    let html = text(folder.path(), "a.html");
    is_self_contained(&html);
    let bare = without_assets(&html);
    assert!(!bare.contains("<script>alert") && !bare.contains("<img"), "no markup of an archive");
    assert!(!bare.contains(['\u{202e}', '\u{2066}']), "no direction is turned");
    assert!(bare.contains("alert(1)") && bare.contains("\\u{202e}"), "but it is shown");
    for block in between(&html, "<script type=\"application/json\"", "</script>") {
        let json = block.split_once('>').unwrap().1;
        assert!(!json.contains(['<', '>', '&']));
        serde_json::from_str::<serde_json::Value>(json).unwrap();
    }
}

#[test]
fn an_archive_without_pages_has_a_report_too() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("empty.cdx"), " CDX N b a m s k r M S V g\n").unwrap();
    run(folder.path(), &["audit", "empty.cdx", "-q", "--html", "a.html"]);
    let html = text(folder.path(), "a.html");
    is_self_contained(&html);
    assert!(html.contains("There are no pages to judge"));
}

#[test]
fn a_schedule_is_one_file_with_the_figures_of_its_json() {
    let folder = demo();
    let both = ["schedule", "visit.warc.gz", "revisit.warc.gz", "-q", "--html", "a.html", "--json=a.json"];
    run(folder.path(), &both);
    let html = text(folder.path(), "a.html");
    is_self_contained(&html);
    let json: serde_json::Value = serde_json::from_str(&text(folder.path(), "a.json")).unwrap();
    let site = &json["sites"][0];
    let figure = |name: &str| between(&html, &format!("data-lane=\"{name}\">"), "<")[0].to_owned();
    for (name, key) in [
        ("expected coherence", "expected_coherence"),
        ("at most", "upper_bound"),
        ("expected blur", "expected_blur"),
    ] {
        assert_eq!(figure(name), format!("{:.3}", site[key].as_f64().unwrap()));
    }
    assert_eq!(html.matches("class=\"hopeful\"").count() as u64, site["pages"].as_u64().unwrap());
}

#[test]
fn an_answer_about_a_date_is_one_file_that_is_made_again_from_its_json() {
    let folder = demo();
    let both = ["at", "2024-03-04T09:15:00Z", "visit.warc.gz", "revisit.warc.gz", "-q"];
    let phrase = "<script>alert(1)</script>\u{202e}";
    run(folder.path(), &[&both[..], &["--phrase", phrase, "--html", "a.html", "--json=a.json"]].concat());
    let html = text(folder.path(), "a.html");
    is_self_contained(&html);
    assert!(!html.contains("<script>alert") && !html.contains('\u{202e}') && html.contains("alert(1)"));
    let json: serde_json::Value = serde_json::from_str(&text(folder.path(), "a.json")).unwrap();
    let visible = html.replace("<span class=\"nb\">", "").replace("</span>", "");
    assert!(visible.contains(json["answer"].as_str().unwrap()));
    for part in json["inputs"].as_array().unwrap() {
        assert!(
            html.contains(part["sha256"].as_str().unwrap())
                && html.contains(part["blake3"].as_str().unwrap())
        );
    }
    let witnesses =
        json["pages"].as_array().unwrap().iter().flat_map(|page| page["witnesses"].as_array().unwrap());
    for witness in witnesses {
        assert!(html.contains(witness["record_sha256"].as_str().unwrap()));
        assert!(html.contains(witness["record_id"].as_str().unwrap()));
    }
    // The answer is made again from its JSON; when and where it was made is custody, which is not in it.
    run(folder.path(), &["report", "a.json", "--html", "b.html"]);
    let again = text(folder.path(), "b.html");
    let answer = |html: &str| html.split("<section id=\"custody\">").next().unwrap().to_owned();
    assert!(html.contains("<section id=\"custody\">") && answer(&again) == answer(&html));
}
