//! `acuity schedule` on archives and audits, as users meet it.

use std::path::Path;
use std::process::{Command, Output};

use crate::support::record::Record;
use acuity::internals::report::layout::width;
use acuity::internals::schedule::model::{DelaySource, Kind, Schedule};
use acuity::internals::schedule::subsite::GroupBy;
use serde_json::Value;

fn acuity(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_acuity"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_remove("COLUMNS")
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn scheduled(arguments: &[&str]) -> Schedule {
    let output = acuity(&[&["schedule", "-q", "--json"], arguments].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// An archive of pages: URL and time.
fn archive(folder: &Path, pages: &[(&str, &str)]) -> String {
    let record = |(number, (url, time)): (usize, &(&str, &str))| {
        Record::page(number as u32 + 1, url, time, "<html>the same</html>").bytes()
    };
    let bytes: Vec<u8> = pages.iter().enumerate().flat_map(record).collect();
    let path = folder.join("a.warc");
    std::fs::write(&path, bytes).unwrap();
    path.display().to_string()
}

#[test]
fn an_archive_and_its_audit_give_the_same_schedule_at_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("audit.json").display().to_string();
    assert!(acuity(&["audit", "-q", "fixtures/demo", &format!("--json={report}")]).status.success());
    let of_archive = acuity(&["schedule", "-q", "--json", "-j", "1", "fixtures/demo"]);
    for other in [&["-j", "2", "fixtures/demo"][..], &[&report]] {
        let output = acuity(&[&["schedule", "-q", "--json"], other].concat());
        assert_eq!(output.status.code(), Some(0));
        assert!(output.stdout == of_archive.stdout, "{other:?}");
    }
}

#[test]
fn the_pause_comes_from_the_captures_unless_it_is_given() {
    let site = &scheduled(&["fixtures/demo"]).sites[0];
    assert_eq!(site.delay_source, DelaySource::Captures);
    assert!((site.delay_seconds - 17.379).abs() < 1e-9, "{}", site.delay_seconds);
    let site = &scheduled(&["fixtures/demo", "--delay", "2s"]).sites[0];
    assert_eq!((site.delay_source, site.delay_seconds), (DelaySource::Given, 2.0));
}

#[test]
fn the_table_compares_with_the_last_crawl_and_fits_80_columns() {
    let output = acuity(&["schedule", "-q", "fixtures/demo", "--delay", "1h", "--details"]);
    let text = stdout(&output);
    assert!(text.lines().all(|line| width(line) <= 80), "{text}");
    assert!(
        text.contains("last-crawl") && text.contains("Too fast (hopeless)") && text.contains("chance 0."),
        "{text}"
    );
    let schedule = scheduled(&["fixtures/demo"]);
    let row = |name: &str| schedule.strategies.iter().find(|row| row.name == name).unwrap();
    let (best, last) = (row("optimal"), row("last-crawl"));
    assert!(last.expected_coherence < best.expected_coherence && last.expected_blur.is_some());
    assert!(last.gap.unwrap() > 0.0);
}

#[test]
fn the_audit_recommends_what_schedule_then_gives() {
    let output = acuity(&["audit", "-q", "fixtures/demo", "--json"]);
    let audit: Value = serde_json::from_slice(&output.stdout).unwrap();
    let recommended = &audit["sites"][0]["reschedule"];
    let schedule = scheduled(&["fixtures/demo"]);
    let number = |name: &str| recommended[name].as_f64().unwrap();
    assert!((number("expected_coherence") - schedule.sites[0].expected_coherence.unwrap()).abs() < 1e-9);
    assert_eq!(recommended["never_captured"], schedule.sites[0].never_captured);
    // Orders are compared on the pages that the last crawl had.
    let same = scheduled(&["fixtures/demo", "--captured-only"]);
    assert_eq!(recommended["compared_pages"], same.sites[0].pages);
    assert!((number("compared_coherence") - same.sites[0].expected_coherence.unwrap()).abs() < 1e-9);
    let last = same.strategies.last().unwrap();
    assert!((number("last_crawl") - last.expected_coherence.unwrap()).abs() < 1e-9);
    assert!((number("gain") - (number("compared_coherence") - number("last_crawl"))).abs() < 1e-9);
    assert_eq!(recommended["strategy"], "optimal");
    let command = recommended["command"].as_str().unwrap();
    assert_eq!(command, "acuity schedule fixtures/demo", "the inputs as typed");
    let words: Vec<&str> = command.split_whitespace().skip(1).collect();
    assert_eq!(acuity(&words).status.code(), Some(0));
}

#[test]
fn json_has_the_keys_that_jobs_rely_on() {
    let output =
        acuity(&["schedule", "-q", "--json", "fixtures/demo", "--reference", "2030-01-01T12:00:00Z"]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["schema"], "acuity.schedule/1");
    let has = |value: &Value, keys: &str| {
        keys.split(' ').for_each(|key| assert!(value.get(key).is_some(), "{key}"));
    };
    let site = &json["sites"][0];
    has(site, "site strategy delay_seconds start reference expected_coherence upper_bound gap slots");
    has(&site["slots"][0], "url kind slot at lane interval_seconds survival hopeful weight");
    has(&json["strategies"][0], "name expected_coherence expected_blur hopeless gap");
    assert_eq!(site["reference"], "2030-01-01T12:00:00Z");
    assert_eq!(site["slots"][0]["lane"], "library.example");
}

#[test]
fn sites_of_one_page_and_of_none_have_schedules_too() {
    let folder = tempfile::tempdir().unwrap();
    let one = archive(folder.path(), &[("http://a.example/", "2024-01-01T00:00:00Z")]);
    let schedule = scheduled(&[&one]);
    let site = &schedule.sites[0];
    // Nothing shows how often it changes: there is an order, and nothing is expected of it.
    assert_eq!((site.pages, site.slots.len(), site.expected_coherence), (1, 2, None));
    assert!(schedule.strategies.is_empty() && site.slots.held()[0].survival.is_none());
    assert_eq!((site.delay_source, site.unknown_rates), (DelaySource::Default, 1));
    assert!(stdout(&acuity(&["schedule", "-q", &one, "--details"])).contains("unknown rates"));
    let none = folder.path().join("none.warc");
    std::fs::write(
        &none,
        Record::fields("warcinfo", 1, "2024-01-01T00:00:00Z", "software: test\r\n").bytes(),
    )
    .unwrap();
    assert!(scheduled(&[&none.display().to_string()]).sites.is_empty());
}

#[test]
fn hosts_are_lanes_subsites_follow_one_another_and_one_site_can_be_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let pages = [
        ("http://a.example/x/1", "2024-01-01T00:00:00Z"),
        ("http://b.example/", "2024-01-01T00:00:01Z"),
        ("http://a.example/y/1", "2024-01-01T00:00:04Z"),
        ("http://b.example/2", "2024-01-01T00:00:03Z"),
        ("http://a.example/x/2", "2024-01-01T00:00:08Z"),
    ];
    let input = archive(folder.path(), &pages);
    let schedule = scheduled(&[&input]);
    let [a, b] = &schedule.sites[..] else { panic!() };
    assert_eq!((&*a.site, a.delay_seconds, &*b.site, b.delay_seconds), ("a.example", 4.0, "b.example", 2.0));
    assert_eq!(a.reference_seconds, b.reference_seconds);
    let groups: Vec<_> = scheduled(&[&input, "--subsite", "--site", "a.example"])
        .sites
        .iter()
        .map(|site| site.group.as_deref().unwrap().to_owned())
        .collect();
    assert_eq!(groups, ["/x/", "/y/"]);
    let kept = scheduled(&[&input, "--budget", "2"]);
    assert_eq!(kept.sites.iter().map(|site| site.pages).sum::<usize>(), 2);
    assert_eq!(
        kept.sites.iter().flat_map(|site| &site.slots).filter(|slot| slot.kind == Kind::Visit).count(),
        2
    );
}

#[test]
fn subsites_come_from_sitemaps_where_there_are_any_and_the_schedule_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let sitemap = |n: u32, name: &str, pages: &[&str]| {
        let entry = |page: &&str| format!("<url><loc>http://a.example{page}</loc></url>");
        let body = format!("<urlset>{}</urlset>", pages.iter().map(entry).collect::<String>());
        let head = "HTTP/1.1 200 OK\nContent-Type: application/xml";
        let url = format!("http://a.example/{name}");
        Record::response(n, &url, "2024-01-01T00:00:00Z", head, body.as_bytes()).bytes()
    };
    let page = |n: u32, path: &str| {
        let (url, date) = (format!("http://a.example{path}"), format!("2024-01-01T00:00:{n:02}Z"));
        Record::page(n, &url, &date, "<html>the same</html>").bytes()
    };
    let records = [
        sitemap(1, "sitemap-news.xml", &["/x/1", "/y/2", "/new"]),
        sitemap(2, "sitemap-shop.xml", &["/x/3"]),
        page(3, "/x/1"),
        page(4, "/y/2"),
        page(5, "/x/3"),
        page(6, "/y/4"),
    ];
    let (archive, report) = audited(folder.path(), &records.concat());
    for input in [&archive, &report] {
        let schedule = scheduled(&[input, "--subsite"]);
        let groups: Vec<_> = schedule
            .sites
            .iter()
            .map(|site| (site.group.as_deref().unwrap(), site.group_by.unwrap(), site.pages))
            .collect();
        let news = ("http://a.example/sitemap-news.xml", GroupBy::Sitemap, 3);
        let shop = ("http://a.example/sitemap-shop.xml", GroupBy::Sitemap, 1);
        assert_eq!(groups, [news, shop, ("/y/", GroupBy::Folder, 1)]);
        // One subsite is complete before the next begins.
        let ends: Vec<_> =
            schedule.sites.iter().map(|site| site.slots.held().last().unwrap().seconds).collect();
        let starts: Vec<_> = schedule.sites.iter().map(|site| site.slots.held()[0].seconds).collect();
        assert!(ends.iter().zip(&starts[1..]).all(|(end, start)| end < start));
    }
    let text = stdout(&acuity(&["schedule", "-q", &archive, "--subsite"]));
    assert!(text.contains("this sitemap lists") && text.contains("of this folder"), "{text}");
    assert!(text.lines().all(|line| width(line) <= 80), "{text}");
}

/// An archive of these records, and the JSON of its audit.
fn audited(folder: &std::path::Path, records: &[u8]) -> (String, String) {
    let (archive, report) = (folder.join("a.warc"), folder.join("audit.json"));
    std::fs::write(&archive, records).unwrap();
    let (archive, report) = (archive.display().to_string(), report.display().to_string());
    assert!(acuity(&["audit", "-q", &archive, &format!("--json={report}")]).status.success());
    (archive, report)
}

/// Two pages of one change rate: one is seen to change at noon, the other at midnight.
#[test]
fn patterns_of_the_audit_drive_the_pattern_strategies() {
    let folder = tempfile::tempdir().unwrap();
    let mut records = Vec::new();
    for day in 1..20u32 {
        for (hour, page) in [(0, "/noon"), (0, "/night"), (12, "/noon"), (12, "/night")] {
            let n = records.len() as u32 + 1;
            let changes = u32::from((page == "/noon") == (hour == 12));
            // Each page changes in every look at its own hour, and stands in the other one.
            let version = day - u32::from(hour == 0 && changes == 0);
            let body =
                format!("<html><body><main><p>{page} {}</p></main>", "word ".repeat(5 * version as usize));
            let (url, date) =
                (format!("http://a.example{page}"), format!("2024-01-{day:02}T{hour:02}:00:{:02}Z", n % 2));
            records.push(Record::page(n, &url, &date, &body).bytes());
        }
    }
    let (archive, report) = audited(folder.path(), &records.concat());
    for input in [&archive, &report] {
        for strategy in ["pattern", "importance-pattern"] {
            let first = |start: &str| {
                let schedule = scheduled(&[input, "--strategy", strategy, "--start", start, "--delay", "1h"]);
                schedule.sites[0].slots.held()[0].url.to_string()
            };
            // A Wednesday, at noon and at midnight.
            assert_eq!(first("2024-01-24T12:00:00Z"), "http://a.example/noon", "{strategy}");
            assert_eq!(first("2024-01-24T00:00:00Z"), "http://a.example/night", "{strategy}");
        }
        let fixed = |start: &str| {
            let schedule = scheduled(&[input, "--strategy", "importance", "--start", start, "--delay", "1h"]);
            schedule.sites[0].slots.held()[0].url.to_string()
        };
        assert_eq!(fixed("2024-01-10T12:00:00Z"), fixed("2024-01-10T00:00:00Z"));
    }
    let text = stdout(&acuity(&["schedule", "-q", &archive, "--details"]));
    assert!(text.contains("patterns rest on 74 captures"), "{text}");
}

#[test]
fn tables_of_any_number_of_pages_and_any_rates_have_schedules() {
    let folder = tempfile::tempdir().unwrap();
    let many = |rate: &str| vec![(rate.to_owned(), "1"); 30];
    let one = |rate: &str, weight| (rate.to_owned(), weight);
    for (number, (pages, coherence)) in [
        (vec![one("0.5", "1")], Some(1.0)),
        (vec![one("0.5", "1"), one("0.1", "1")], Some(1.0 + (-0.2f64).exp())),
        (vec![one("inf", "2"), one("inf", "1"), one("0", "3")], Some(5.0)),
        (many("0"), Some(30.0)),
        (many("inf"), Some(1.0)),
        (many("0.01"), Some((0..30).map(|k| (-0.02 * f64::from(k)).exp()).sum())),
        (vec![one("0.5", "0"), one("0.1", "0")], Some(0.0)),
    ]
    .into_iter()
    .enumerate()
    {
        let file = folder.path().join(format!("{number}.csv"));
        let rows = pages.iter().enumerate().map(|(at, (rate, weight))| format!("p{at},{rate},{weight}\n"));
        std::fs::write(&file, format!("page,rate,weight\n{}", rows.collect::<String>())).unwrap();
        let file = file.display().to_string();
        let schedule = scheduled(&["--rates", &file, "--delay", "1s", "--middle-once"]);
        assert_eq!(schedule.sites.len(), 1);
        for site in &schedule.sites {
            let visits = site.slots.iter().filter(|slot| slot.kind == Kind::Visit).count();
            assert_eq!((visits, site.slots.len()), (pages.len(), 2 * pages.len() - 1));
            assert!((site.expected_coherence.unwrap() - coherence.unwrap()).abs() < 1e-9, "{number}");
            assert!(site.gap.unwrap() < 1e-9, "{number}");
            // What is certain to stay is never called hopeless, and what cannot stay always is.
            for slot in &site.slots {
                assert!(slot.survival != Some(1.0) || slot.hopeful == Some(true));
                assert!(slot.survival != Some(0.0) || slot.hopeful == Some(false));
            }
        }
        for more in [&["--single-visit"][..], &["--revisits", "1"], &["--budget", "1"], &["--delay", "0s"]] {
            let output = acuity(&[&["schedule", "--rates", &file], more].concat());
            assert_eq!(output.status.code(), Some(0), "{number} {more:?}");
            assert!(stdout(&output).lines().all(|line| width(line) <= 80));
        }
    }
}

#[test]
fn exit_codes_tell_what_went_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("audit.json").display().to_string();
    assert!(acuity(&["audit", "-q", "fixtures/demo", &format!("--json={report}")]).status.success());
    let broken = folder.path().join("broken.json").display().to_string();
    std::fs::write(&broken, "{\"schema\": \"acuity.audit/1\", \"sites\": 7").unwrap();
    let empty = folder.path().join("empty.csv").display().to_string();
    std::fs::write(&empty, "page,rate\n").unwrap();
    for (arguments, code) in [
        (&[][..], 2),
        (&["no-such-file"], 2),
        (&["fixtures/demo", "--site", "no.example"], 2),
        (&["fixtures/demo", "--delay", "soon"], 2),
        (&["fixtures/demo", "--rates", "x.csv"], 2),
        (&[&report, "fixtures/demo"], 2),
        (&[&broken], 3),
        (&["--rates", &empty], 3),
    ] {
        let output = acuity(&[&["schedule", "-q"], arguments].concat());
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{arguments:?}");
    }
}
