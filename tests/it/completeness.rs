//! What is complete and what matters, as users meet it: `acuity audit` and `acuity explain-change` on the demo.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::record::Record;
use serde_json::Value;

fn demo() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/demo")
}

fn run(arguments: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_acuity"))
        .args(arguments)
        .current_dir(demo())
        .env_remove("COLUMNS")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn text(arguments: &[&str]) -> String {
    String::from_utf8(run(arguments).stdout).unwrap()
}

fn json(arguments: &[&str]) -> Value {
    serde_json::from_slice(&run(arguments).stdout).unwrap()
}

fn audit(more: &[&str]) -> Value {
    json(&[&["audit", "visit.warc.gz", "revisit.warc.gz", "-q", "--json"], more].concat())
}

fn page<'a>(audit: &'a Value, path: &str) -> &'a Value {
    let url = format!("http://library.example{path}");
    let pages = audit["sites"][0]["page_list"].as_array().unwrap();
    pages.iter().find(|page| page["url"] == url.as_str()).unwrap_or_else(|| panic!("no {url}"))
}

fn missing<'a>(audit: &'a Value, path: &str) -> Option<&'a Value> {
    let url = format!("http://library.example{path}");
    audit["sites"][0]["missing"].as_array().unwrap().iter().find(|missing| missing["url"] == url.as_str())
}

/// Problems of records are reported when an index is made; the names of the inputs are in the commands to run next.
#[test]
fn an_index_with_content_is_audited_as_its_archives_are() {
    let folder = tempfile::tempdir().unwrap();
    let index = folder.path().join("demo.jsonl").display().to_string();
    run(&["index", "-q", "--content", "visit.warc.gz", "revisit.warc.gz", "-o", &index]);
    let strip = |mut audit: Value| {
        // Only the archives show whether digests match.
        for key in ["inputs", "problems", "actions"] {
            audit[key].take();
        }
        audit["summary"]["problems"].take();
        audit["summary"]["files"].take();
        audit["summary"]["indexes"].take();
        audit["answers"]["record"].take();
        audit["sites"][0]["reschedule"]["command"].take();
        audit["sites"][0]["next"].take();
        audit
    };
    let (of_archives, of_index) = (audit(&[]), json(&["audit", "-q", "--json", &index]));
    let listed = |audit: &Value| {
        let pages = audit["sites"][0]["page_list"].as_array().unwrap();
        pages.iter().filter(|page| page["sitemap"].is_string()).count()
    };
    assert!(listed(&of_archives) > 0);
    assert!(strip(of_archives) == strip(of_index));
}

#[test]
fn links_that_a_crawler_found_are_in_an_index_too() {
    let folder = tempfile::tempdir().unwrap();
    let (url, date) = ("http://a.example/", "2024-01-01T00:00:00Z");
    let found = Record::fields("metadata", 2, date, "outlink: http://a.example/app L a/@href\r\n")
        .field("WARC-Target-URI", url)
        .field("WARC-Concurrent-To", &format!("<{}>", crate::support::record::id(1)));
    let records = [Record::page(1, url, date, "<html>made by a script</html>").bytes(), found.bytes()];
    let (archive, index) = (folder.path().join("a.warc"), folder.path().join("a.jsonl"));
    std::fs::write(&archive, records.concat()).unwrap();
    let (archive, index) = (archive.display().to_string(), index.display().to_string());
    run(&["index", "-q", "--content", &archive, "-o", &index]);
    for input in [&archive, &index] {
        let audit = json(&["audit", "-q", "--json", input]);
        assert_eq!(audit["sites"][0]["missing"][0]["url"], "http://a.example/app", "{input}");
    }
}

#[test]
fn the_demo_lacks_what_its_story_says() {
    let audit = audit(&[]);
    let site = &audit["sites"][0];
    let urls: BTreeSet<&str> =
        site["missing"].as_array().unwrap().iter().map(|missing| missing["url"].as_str().unwrap()).collect();
    let expected = [
        "/downloads/annual-report.html",
        "/images/boat.png",
        "/news/archive-2019.html",
        "/offers/winter.html",
    ]
    .map(|path| format!("http://library.example{path}"));
    assert_eq!(urls, expected.iter().map(String::as_str).collect());
    let report = missing(&audit, "/downloads/annual-report.html").unwrap();
    assert_eq!((&report["kind"], &report["fate"]), (&"link".into(), &"untried".into()));
    assert_eq!(report["needed_by"], "http://library.example/prices.html");
    let boat = missing(&audit, "/images/boat.png").unwrap();
    assert_eq!((&boat["kind"], &boat["used_as"]), (&"embed".into(), &"image".into()));
    let gone = missing(&audit, "/news/archive-2019.html").unwrap();
    assert_eq!((&gone["fate"], &gone["status"]), (&"failed".into(), &404.into()));
    let soft = missing(&audit, "/offers/winter.html").unwrap();
    assert_eq!((&soft["fate"], &soft["status"]), (&"failed".into(), &200.into()));
    assert!(soft["reason"].as_str().unwrap().starts_with("looks like an error page"), "{soft}");
    assert_eq!(site["findings"]["soft404"][0]["url"], "http://library.example/offers/winter.html");
    let weights: Vec<f64> = site["missing"]
        .as_array()
        .unwrap()
        .iter()
        .map(|missing| missing["weight"].as_f64().unwrap())
        .collect();
    assert!(weights.is_sorted_by(|a, b| a >= b), "worst first: {weights:?}");
    let completeness = &site["completeness"];
    let count = |kind: &str, name: &str| completeness[kind][name].as_u64().unwrap();
    assert_eq!((count("links", "failed"), count("links", "untried")), (2, 1));
    assert_eq!((count("embeds", "captured"), count("embeds", "untried")), (3, 1));
    let versions = &completeness["versions"];
    let bound = |name: &str| versions[name].as_f64().unwrap();
    assert!(bound("low") <= bound("share") && bound("share") <= bound("high"));
    assert!(bound("captured") > 0.0 && bound("expected_missed") > 0.0);
    assert_eq!(audit["summary"]["completeness"]["share"], versions["share"]);
}

#[test]
fn importance_changes_the_weighted_figures_and_leaves_the_plain_ones() {
    let (ranked, plain) = (audit(&[]), audit(&["--importance", "uniform"]));
    assert_eq!(ranked["parameters"]["weights"], "pagerank");
    assert_eq!(plain["parameters"]["weights"], "uniform");
    let of = |audit: &Value, pointer: &str| audit["sites"][0].pointer(pointer).unwrap().as_f64().unwrap();
    for same in ["/coherence/best/share", "/blur/actual/mean", "/completeness/links/plain_share"] {
        assert_eq!(of(&ranked, same), of(&plain, same), "{same}");
    }
    for other in ["/blur/actual/weighted_mean", "/completeness/links/share", "/completeness/versions/share"] {
        assert!((of(&ranked, other) - of(&plain, other)).abs() > 1e-6, "{other}");
    }
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("weights.csv");
    std::fs::write(&table, "url,weight\nhttp://library.example/prices.html,1\n").unwrap();
    let own = audit(&["--importance", table.to_str().unwrap()]);
    assert_eq!(missing(&own, "/downloads/annual-report.html"), own["sites"][0]["missing"].get(0));
    assert_eq!(page(&own, "/")["importance"], 0.0);
    for by in ["inlinks", "depth", "sitemap"] {
        assert_eq!(audit(&["--importance", by])["parameters"]["weights"], by);
    }
}

#[test]
fn pagerank_of_the_demo_puts_what_every_page_links_to_first() {
    let audit = audit(&[]);
    let pages = audit["sites"][0]["page_list"].as_array().unwrap();
    let importance = |page: &Value| page["importance"].as_f64().unwrap();
    let sum: f64 = pages.iter().map(importance).sum();
    assert!((sum - pages.len() as f64).abs() < 1e-6, "the mean is 1: {sum}");
    for menu in ["/", "/news/", "/catalogue/", "/opening-hours.html"] {
        for leaf in ["/catalogue/herring.html", "/about/history.html"] {
            assert!(importance(page(&audit, menu)) > 2.0 * importance(page(&audit, leaf)), "{menu} {leaf}");
        }
    }
}

#[test]
fn changes_that_a_reader_sees_outweigh_hidden_ones() {
    let audit = audit(&[]);
    let of = |path: &str| page(&audit, path)["change_importance"][0]["importance"].as_f64().unwrap();
    assert_eq!(of("/contact.html"), 0.0, "only a hidden token changed");
    assert!(of("/news/") > 0.01 && of("/events/story-hour.html") > 0.01);
    assert!(page(&audit, "/prices.html")["change_importance"].as_array().unwrap().is_empty());
    let none = self::audit(&["--change-importance", "none"]);
    let change = &page(&none, "/news/")["change_importance"][0];
    assert!(change["importance"].is_null() && change["reason"].as_str().unwrap().contains("not compared"));
}

#[test]
fn the_missing_file_is_a_list_for_a_crawler() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("missing.txt");
    let audit = audit(&["--missing", file.to_str().unwrap()]);
    let list = std::fs::read_to_string(&file).unwrap();
    let urls: Vec<&str> = audit["sites"][0]["missing"]
        .as_array()
        .unwrap()
        .iter()
        .map(|missing| missing["url"].as_str().unwrap())
        .collect();
    assert_eq!(list.lines().collect::<Vec<_>>(), urls);
}

#[test]
fn logs_tell_failed_excluded_and_never_tried_apart() {
    let folder = tempfile::tempdir().unwrap();
    let (log, skipped) = (folder.path().join("crawl.log"), folder.path().join("skipped.jsonl"));
    let line = |status: i32, path: &str| {
        format!("2024-03-04T09:09:00.000Z {status} - http://library.example{path} L - unknown #001 - - - -\n")
    };
    std::fs::write(
        &log,
        [line(-9998, "/downloads/annual-report.html"), line(-4, "/images/boat.png")].concat(),
    )
    .unwrap();
    let log_only = audit(&["--crawl-log", log.to_str().unwrap()]);
    assert_eq!(missing(&log_only, "/downloads/annual-report.html"), None, "excluded is not missing");
    assert_eq!(log_only["sites"][0]["completeness"]["links"]["excluded"], 1);
    assert_eq!(missing(&log_only, "/images/boat.png").unwrap()["fate"], "failed");
    std::fs::write(
        &skipped,
        "{\"url\":\"http://library.example/downloads/annual-report.html\",\"reason\":\"pageLimit\"}\n",
    )
    .unwrap();
    let skipped = audit(&["--skipped", skipped.to_str().unwrap()]);
    let report = missing(&skipped, "/downloads/annual-report.html").unwrap();
    assert!(report["reason"].as_str().unwrap().contains("limit of pages"), "{report}");
}

#[test]
fn without_bodies_links_are_unknown_and_the_report_says_so() {
    let audit = audit(&["--digests", "declared"]);
    let completeness = &audit["sites"][0]["completeness"];
    assert!(completeness["links"].is_null() && completeness["embeds"].is_null());
    assert!(completeness["links_unknown"].as_str().unwrap().contains("bodies"));
    assert_eq!(audit["parameters"]["weights"], "uniform");
    assert!(audit["sites"][0].get("missing").is_none());
    let text =
        text(&["audit", "visit.warc.gz", "revisit.warc.gz", "-q", "--details", "--digests", "declared"]);
    assert!(text.contains("links were not read"), "{text}");
}

#[test]
fn explain_change_shows_blocks_and_what_each_contributes() {
    let of = |path: &str, more: &[&str]| {
        let url = format!("http://library.example{path}");
        text(&[&["explain-change", url.as_str(), "visit.warc.gz", "revisit.warc.gz", "-q"], more].concat())
    };
    let news = of("/news/", &[]);
    assert!(news.contains("boat") && news.contains("contributes"), "{news}");
    assert!(news.lines().all(|line| acuity::internals::report::layout::width(line) <= 80), "{news}");
    assert!(of("/contact.html", &[]).contains("nothing that a reader sees"));
    assert!(of("/prices.html", &[]).contains("No change is known"));
    let told: Value = serde_json::from_str(&of("/news/", &["--json"])).unwrap();
    assert_eq!(told["schema"], "acuity.change/1");
    let change = &told["changes"][0]["change"];
    let sum: f64 = change["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|block| block["contribution"].as_f64().unwrap())
        .sum();
    assert!((sum - change["importance"].as_f64().unwrap()).abs() < 1e-9);
    let folder = tempfile::tempdir().unwrap();
    let weights = folder.path().join("weights.toml");
    std::fs::write(&weights, "[operation.text]\ninsert = 0.1\n[operation.block]\ninsert = 0.1\n").unwrap();
    let less: Value =
        serde_json::from_str(&of("/news/", &["--json", "--weights", weights.to_str().unwrap()])).unwrap();
    let importance = |told: &Value| told["changes"][0]["change"]["importance"].as_f64().unwrap();
    assert!(importance(&less) < importance(&told));
}

/// A site with one page, written to a file of its own.
fn write(folder: &Path, name: &str, records: &[Record]) -> String {
    let path = folder.join(name);
    std::fs::write(&path, records.iter().flat_map(Record::bytes).collect::<Vec<_>>()).unwrap();
    path.display().to_string()
}

#[test]
fn the_sitemap_of_another_site_changes_no_figure_of_a_site() {
    let folder = tempfile::tempdir().unwrap();
    let page = |n: u32, url: &str, body: &str| Record::page(n, url, "2024-01-01T00:00:00Z", body);
    let own = [
        page(1, "http://a.example/", "<html><a href=/p>p</a><a href=/q>q</a>Home of the mill.</html>"),
        page(2, "http://a.example/p", "<html><a href=/>home</a>The mill is open.</html>"),
        page(3, "http://a.example/q", "<html><a href=/p>p</a>The bakery is open.</html>"),
    ];
    let named = "<urlset><url><loc>http://a.example/p</loc><changefreq>hourly</changefreq></url>\
        <url><loc>http://a.example/made-up</loc></url></urlset>";
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/xml";
    let date = "2024-01-01T00:00:00Z";
    let other = [
        page(4, "http://b.example/", "<html>Another site.</html>"),
        Record::response(5, "http://b.example/sitemap.xml", date, head, named.as_bytes()),
    ];
    let (own, other) = (write(folder.path(), "a.warc", &own), write(folder.path(), "b.warc", &other));
    let site = |inputs: &[&str]| {
        let audit = json(&[&["audit", "-q", "--json"], inputs].concat());
        let sites = audit["sites"].as_array().unwrap();
        let mut site = sites.iter().find(|site| site["site"] == "a.example").unwrap().clone();
        // Crawls are those of all sites, and commands repeat the inputs.
        for key in ["crawls", "reschedule"] {
            site[key].take();
        }
        site
    };
    assert_eq!(site(&[&own]), site(&[&own, &other]));
}

#[test]
fn counters_behind_dots_of_any_script_do_not_stop_an_audit() {
    let folder = tempfile::tempdir().unwrap();
    let page = |n: u32, date: &str, views: &str| {
        let body = format!(
            "<html><p>Posted 3 hours ago · {views} comments</p><p>公開中。閲覧数: {views}</p></html>"
        );
        Record::page(n, "http://a.example/", date, &body)
    };
    let records = [page(1, "2024-01-01T00:00:00Z", "57"), page(2, "2024-02-01T00:00:00Z", "58")];
    let archive = write(folder.path(), "a.warc", &records);
    let audit = json(&["audit", "-q", "--json", &archive]);
    assert_eq!(audit["sites"][0]["pages"]["changed"], 1);
}

#[test]
fn files_that_failed_have_an_action_and_revisits_of_other_archives_did_not_fail() {
    let folder = tempfile::tempdir().unwrap();
    let date = "2024-01-01T00:00:00Z";
    let images: String = (0..4).map(|n| format!("<img src=/{n}.png>")).collect();
    let home = Record::page(1, "http://a.example/", date, &format!("<html>Home of the mill.{images}</html>"));
    let image = |n: u32, status: &str| {
        let head = format!("HTTP/1.1 {status}\r\nContent-Type: image/png");
        Record::response(n + 2, &format!("http://a.example/{n}.png"), date, &head, b"image")
    };
    let mut records = vec![home.clone(), image(0, "200 OK")];
    records.extend((1..4).map(|n| image(n, "503 Service Unavailable")));
    let audit = json(&["audit", "-q", "--json", &write(folder.path(), "a.warc", &records)]);
    let action = &audit["actions"].as_array().unwrap()[0];
    assert_eq!(action["kind"], "request-again");
    assert_eq!(action["text"], "Request again the 3 images that failed: embeds 1 → 4 of 4, if they answer.");
    assert!(action["command"].as_str().unwrap().ends_with("--missing-only failed"));

    let head = "HTTP/1.1 200 OK\r\nContent-Type: image/png";
    let revisit = |n: u32| {
        Record::revisit(n + 2, &format!("http://a.example/{n}.png"), date, "identical-payload-digest", head)
            .field("WARC-Payload-Digest", &crate::support::digests::sha1(b"image"))
    };
    let mut records = vec![home];
    records.extend((0..4).map(revisit));
    let audit = json(&["audit", "-q", "--json", &write(folder.path(), "b.warc", &records)]);
    let sentence = audit["sites"][0]["answers"]["complete"]["sentence"].as_str().unwrap();
    assert!(sentence.contains("4 refer to captures that are not here"), "{sentence}");
    assert!(!sentence.contains("failed"), "{sentence}");
}
