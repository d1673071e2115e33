//! The loop closed: the past of a site is audited and its next crawl scheduled; wget and Scrapy crawl it while it changes; the crawl
//! is audited, and what the schedule promised is compared with what was reached, page by page.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Instant;

use crate::support::program::{crawl_with_wget, requested_path, run};
use acuity::internals::audit::{AuditInput, Parameters, audit};
use acuity::internals::capture::table::TableBuilder;
use acuity::internals::ingest::{Options, ProblemLog};
use acuity::internals::schedule::model::{Kind, Schedule};

const PAGES: usize = 10;

/// Changes a second of every page.
fn rate(page: usize) -> f64 {
    [0.3, 0.15, 0.08, 0.04, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0][page]
}

/// Seconds at which a page changes: a Poisson process drawn from fixed numbers.
fn changes(page: usize) -> Vec<f64> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64.wrapping_mul(page as u64 + 3);
    let (mut at, mut changes) = (0.0, Vec::new());
    while rate(page) > 0.0 && at < 300.0 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        at -= (1.0 - (state >> 11) as f64 / (1u64 << 53) as f64).ln() / rate(page);
        changes.push(at);
    }
    changes
}

/// Every page shows its version, and needs one stylesheet. The clock of the site begins with its first request: how long a machine
/// needs until then does not decide which changes a crawl meets.
fn answer(stream: TcpStream, began: &OnceLock<Instant>) -> std::io::Result<()> {
    let (path, mut stream) = requested_path(stream)?;
    let now = began.get_or_init(Instant::now).elapsed().as_secs_f64();
    let (kind, body) = match path.trim_start_matches('/').parse::<usize>() {
        Ok(page) if page < PAGES => {
            let version = changes(page).iter().filter(|at| **at <= now).count();
            (
                "text/html",
                format!("<html><link rel=stylesheet href=/style.css><p>{page}, version {version}</p></html>"),
            )
        }
        _ => ("text/css", "p { color: black }".to_owned()),
    };
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )
}

/// The version of a page in the past, `second` seconds into it: another draw of the same process.
fn past_version(page: usize, second: usize) -> usize {
    let mut state = 0x2545_f491_4f6c_dd1du64.wrapping_mul(page as u64 + 11);
    let (mut at, mut version) = (0.0, 0);
    while rate(page) > 0.0 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        at -= (1.0 - (state >> 11) as f64 / (1u64 << 53) as f64).ln() / rate(page);
        if at > second as f64 {
            break;
        }
        version += 1;
    }
    version
}

/// An index of the past: every page captured once a second for `PAST` seconds, some weeks ago.
fn past(port: u16) -> String {
    const PAST: usize = 600;
    let mut index = " CDX N b a m s k r M S V g\n".to_owned();
    for page in 0..PAGES {
        for second in 0..PAST {
            let date = format!("202401011{}{:02}{:02}", second / 3600, second / 60 % 60, second % 60);
            let digest = format!("{:A>32}", base32(past_version(page, second) * PAGES + page));
            index += &format!(
                "127,0,0,1:{port})/{page} {date} http://127.0.0.1:{port}/{page} text/html 200 {digest} - - 100 {} past.warc.gz\n",
                (page * PAST + second) * 100
            );
        }
    }
    index
}

fn base32(mut number: usize) -> String {
    let mut text = String::new();
    while number > 0 {
        text.insert(0, b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[number % 32] as char);
        number /= 32;
    }
    text
}

/// A site that changes, served on a port of its own; and its schedule, from an audit of its past, in `folder` with the files for
/// `crawler`.
fn site(folder: &Path, crawler: &str) -> Schedule {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let began = OnceLock::new();
        for stream in listener.incoming().flatten() {
            let _ = answer(stream, &began);
        }
    });
    std::fs::write(folder.join("past.cdx"), past(port)).unwrap();
    done(folder, &["audit", "past.cdx", "--json=past.json"]);
    let to = ["--delay", "1s", "--captured-only", "--json=promised.json", "--export", crawler, "--out", "."];
    done(folder, &[&["schedule", "past.json"], &to[..]].concat());
    let schedule: Schedule =
        serde_json::from_slice(&std::fs::read(folder.join("promised.json")).unwrap()).unwrap();
    assert_eq!(schedule.sites[0].pages, PAGES);
    schedule
}

fn done(folder: &Path, arguments: &[&str]) -> String {
    let run = run(folder, arguments);
    assert!(run.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

/// Audits what a crawler wrote, and compares it with what the schedule promised, page by page. Returns how many stylesheets
/// were captured.
fn compare(schedule: &Schedule, folder: &Path) -> usize {
    let inputs: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().display().to_string())
        .filter(|path| path.ends_with(".warc.gz"))
        .collect();
    let sources = acuity::internals::archive::source::expand(&inputs).unwrap();
    let mut log = ProblemLog::new(None);
    let reading = acuity::internals::ingest::read(&sources, &Options::default(), &mut log, &|_| {}).unwrap();
    let mut builder = TableBuilder::new();
    let mut styles = 0;
    reading
        .observations
        .for_each(&mut |observation, input| {
            styles += usize::from(observation.url.ends_with("/style.css"));
            builder.push(observation, input);
            Ok(())
        })
        .unwrap();
    let result = audit(&builder.finish(), &Parameters::default(), AuditInput::default());
    let site = &result.sites[0];
    let (mut promised, mut variance, mut reached) = (0.0, 0.0, 0.0);
    let mut report = String::new();
    for slot in schedule.sites[0].slots.iter().filter(|slot| slot.kind == Kind::Visit) {
        let chance = slot.survival.unwrap();
        let page = site.page_list.iter().find(|page| page.url == *slot.url).unwrap();
        let unchanged = page.versions == 1;
        promised += chance;
        variance += chance * (1.0 - chance);
        reached += f64::from(u8::from(unchanged));
        report += &format!("{} promised {chance:.3} reached {}\n", slot.url, u8::from(unchanged));
    }
    assert!((promised - schedule.sites[0].expected_coherence.unwrap()).abs() < 1e-9);
    says_the_same(schedule, folder, &inputs, (promised, reached, variance));
    assert!(
        (reached - promised).abs() <= 2.0 * f64::sqrt(variance),
        "{promised} {reached} {variance}\n{report}"
    );
    styles
}

/// The report says promised and reached, page by page, with the same sums.
fn says_the_same(
    schedule: &Schedule,
    folder: &Path,
    inputs: &[String],
    (promised, reached, variance): (f64, f64, f64),
) {
    let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
    let told = ["--promised", "promised.json", "--json=now.json"];
    let text = done(folder, &[&["audit"], &inputs[..], &told[..]].concat());
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("Promised and reached") && words.contains(": as promised"), "{text}");
    let audit: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.join("now.json")).unwrap()).unwrap();
    let told = &audit["promised"];
    let near = |key: &str, value: f64| assert!((told[key].as_f64().unwrap() - value).abs() < 1e-9, "{told}");
    near("expected", promised);
    near("reached", reached);
    near("standard_error", variance.sqrt());
    assert_eq!((&told["agrees"], &told["judged"]), (&true.into(), &PAGES.into()));
    assert_eq!(told["page_list"].as_array().unwrap().len(), schedule.sites[0].pages);
}

fn skip(what: &str) {
    let _ = std::io::stderr()
        .write_all(format!("skipped: {what} is not installed (tests/run installs it)\n").as_bytes());
}

#[test]
fn wget_reaches_what_the_schedule_promised_page_by_page() {
    if Command::new("wget").arg("--version").output().is_err() {
        return skip("wget");
    }
    let folder = tempfile::tempdir().unwrap();
    let schedule = site(folder.path(), "wget");
    crawl_with_wget(folder.path());
    // No fetch is before its time, and all are logged; `schedule_clock` shows that lateness does not add up.
    let times = std::fs::read_to_string(folder.path().join("lane-001.times.tsv")).unwrap();
    assert_eq!(times.lines().count(), schedule.sites[0].slots.len());
    for line in times.lines() {
        let fields: Vec<f64> = line.split('\t').take(2).map(|field| field.parse().unwrap()).collect();
        assert!(fields[1] >= fields[0] - 0.1, "early: {line}");
    }
    assert!(compare(&schedule, folder.path()) > 0, "page requisites were not captured");
}

#[test]
fn scrapy_reaches_what_the_schedule_promised_page_by_page() {
    let scrapy = std::env::var("ACUITY_SCRAPY").unwrap_or_else(|_| "scrapy".to_owned());
    if Command::new(&scrapy).arg("version").output().is_err() {
        return skip("scrapy");
    }
    let folder = tempfile::tempdir().unwrap();
    let schedule = site(folder.path(), "scrapy");
    let run = Command::new(&scrapy)
        .args(["runspider", "spider.py", "-a", "plan=schedule.jsonl", "-a", "warc=crawl.warc.gz"])
        .env("no_proxy", "*")
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let times = std::fs::read_to_string(folder.path().join("times.jsonl")).unwrap();
    assert_eq!(times.lines().count(), schedule.sites[0].slots.len());
    for line in times.lines() {
        let fetch: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(
            fetch["actual"].as_f64().unwrap() >= fetch["planned"].as_f64().unwrap() - 0.1,
            "early: {line}"
        );
        assert_eq!(fetch["outcome"], 200);
    }
    compare(&schedule, folder.path());
}
