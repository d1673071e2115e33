//! Every export is read back by the rules of the crawler it is for.

use std::collections::BTreeMap;

use super::*;
use crate::schedule::build::{Request, build};
use crate::schedule::page::Page;

const HOSTILE: [&str; 11] = [
    "http://a.example/",
    "http://a.example/new\nline http://evil.example/",
    "http://a.example/quote\"'`$(touch x)`;&|",
    "http://a.example/tab\tnutch.score=99",
    "http://a.example/space and # hash",
    "-O/etc/passwd",
    "javascript:alert(1)",
    "http://a.example/\u{202e}\r\n  - url: evil",
    "https://b.example/ü",
    "http://127.0.0.1:89170/no-port",
    "http://[127.0.0.1]:8917/no-host",
];

fn schedule() -> Schedule {
    let pages: Vec<Page> = HOSTILE
        .iter()
        .enumerate()
        .map(|(i, url)| Page {
            lane: if i < 5 { "$(rm -rf /)" } else { "../b" }.into(),
            ..Page::new(url, 0.001 * i as f64)
        })
        .collect();
    build(&pages, &Request { delay: 2.0, ..Request::default() }).unwrap()
}

/// What a crawler must have been given: the URLs of a kind, by lane, in the order of time.
fn expected(site: &SiteSchedule, kind: Kind) -> Vec<String> {
    site.slots.iter().filter(|slot| slot.kind == kind).filter_map(|slot| url::safe(&slot.url)).collect()
}

fn files(format: Format) -> BTreeMap<String, String> {
    let export = export(&schedule(), format).unwrap();
    assert!(
        export
            .files
            .iter()
            .all(|file| file.name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.".contains(&b)))
    );
    export.files.into_iter().map(|file| (file.name, file.content)).collect()
}

#[test]
fn jsonl_holds_every_download_with_its_url_as_it_is() {
    let lines: Vec<serde_json::Value> = files(Format::Jsonl)["schedule.jsonl"]
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), schedule().sites.iter().map(|site| site.slots.len()).sum::<usize>());
    for url in HOSTILE {
        assert!(lines.iter().any(|line| line["url"] == url && line["kind"] == "visit"));
    }
    let keys = ["url", "kind", "slot", "at", "lane", "interval_seconds", "survival", "hopeful", "weight"];
    assert!(lines.iter().all(|line| keys.iter().all(|key| line.get(key).is_some())));
    assert!(lines.windows(2).all(|pair| pair[0]["seconds"].as_f64() <= pair[1]["seconds"].as_f64()));
}

/// Heritrix (AbstractFrontier.importRecoverFormat): lines of at least 4 characters, a tag of 3, then fields apart by white
/// space: URI, hops path, via.
#[test]
fn heritrix_reads_each_line_as_one_uri_without_hops_or_via() {
    let files = files(Format::Heritrix);
    let mut found = Vec::new();
    for (name, content) in files.iter().filter(|(name, _)| name.ends_with(".force")) {
        assert!(name.as_bytes()[..6].iter().all(u8::is_ascii_digit), "sorted by name");
        for line in content.lines() {
            assert!(line.len() >= 4 && line.starts_with("F+ "));
            let fields: Vec<&str> = line[3..].split_whitespace().collect();
            assert_eq!(fields.len(), 1, "{line:?}");
            found.push(fields[0].to_owned());
        }
    }
    let mut wanted: Vec<String> = schedule()
        .sites
        .iter()
        .flat_map(|site| [expected(site, Kind::Visit), expected(site, Kind::Revisit)].concat())
        .collect();
    wanted.sort();
    found.sort();
    assert_eq!(found, wanted);
    let drops = files["drop.sh"]
        .lines()
        .filter(|line| line.starts_with("drop "))
        .map(|line| line.split(' ').nth(2).unwrap());
    assert!(drops.clone().all(|name| files.contains_key(name)) && drops.count() == files.len() - 2);
    sh_accepts(&files["drop.sh"]);
}

/// However long the schedule is.
#[test]
fn heritrix_gets_pages_within_a_minute_before_their_time() {
    let pages: Vec<Page> =
        (0..30).map(|number| Page::new(&format!("http://a.example/{number}"), 1e-9)).collect();
    let long = build(&pages, &Request { delay: 100_003.0, ..Request::default() }).unwrap();
    let files: BTreeMap<String, String> = export(&long, Format::Heritrix)
        .unwrap()
        .files
        .into_iter()
        .map(|file| (file.name, file.content))
        .collect();
    let mut dropped = 0;
    for line in files["drop.sh"].lines().filter(|line| line.starts_with("drop ")) {
        let fields: Vec<&str> = line.split(' ').collect();
        let at: f64 = fields[1].parse().unwrap();
        for url in files[fields[2]].lines().map(|line| &line[3..]) {
            let is_own = |slot: &&Slot| {
                *slot.url == *url && fields[2].ends_with(&format!("-{}.force", slot.kind.name()))
            };
            let slot = long.sites.iter().flat_map(|site| site.slots.held()).find(is_own).unwrap();
            assert!((0.0..61.0).contains(&(slot.seconds - at)), "{line} {}", slot.seconds);
            dropped += 1;
        }
    }
    assert_eq!(dropped, long.sites.iter().map(|site| site.slots.len()).sum::<usize>());
    assert!(files["drop.sh"].contains("due within 60 s"));
}

/// Heritrix (ActionDirectory.scanActionDirectory) takes away every file that it finds, whatever its name, but no folder: what is half
/// written must not be there as a file.
#[cfg(unix)]
#[test]
fn heritrix_never_finds_a_file_that_is_half_written() {
    let directory = tempfile::tempdir().unwrap();
    let (action, out) = (directory.path().join("action"), directory.path().join("out"));
    fs::create_dir_all(&action).unwrap();
    let pages = [Page::new("http://a.example/", 0.1), Page::new("http://a.example/b", 0.2)];
    let soon = build(&pages, &Request { delay: 0.1, ..Request::default() }).unwrap();
    export(&soon, Format::Heritrix).unwrap().write(&out).unwrap();
    let copy = "#!/bin/sh\ncase ${2%/*} in */action) exit 1 ;; esac\nexec /bin/cp \"$@\"\n";
    let output = run_with(&directory.path().join("bin"), "cp", copy, &out.join("drop.sh"), &[&action]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let dropped: Vec<_> = fs::read_dir(&action).unwrap().map(|entry| entry.unwrap().path()).collect();
    let files: Vec<_> = dropped.iter().filter(|path| path.is_file()).collect();
    assert!(
        !files.is_empty() && files.iter().all(|path| path.extension().unwrap() == "force"),
        "{dropped:?}"
    );
}

/// Runs a script in which another one stands for a command.
#[cfg(unix)]
fn run_with(
    bin: &std::path::Path,
    command: &str,
    instead: &str,
    script: &std::path::Path,
    arguments: &[&std::path::Path],
) -> std::process::Output {
    use std::os::unix::fs::PermissionsExt;
    fs::create_dir_all(bin).unwrap();
    fs::write(bin.join(command), instead).unwrap();
    fs::set_permissions(bin.join(command), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    std::process::Command::new("sh").arg(script).args(arguments).env("PATH", path).output().unwrap()
}

/// Browsertrix (crawler.ts, browser.ts): state under the name of the crawl, and one port for Redis and for the browser.
#[cfg(unix)]
#[test]
fn browsertrix_crawls_one_page_at_a_time_and_each_under_a_name_of_its_own() {
    if std::process::Command::new("flock").arg("--version").output().is_err() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let page = |lane: &str, number: usize| Page {
        lane: lane.into(),
        ..Page::new(&format!("http://{lane}.example/{number}"), 0.1)
    };
    let pages: Vec<Page> =
        ["a", "b"].iter().flat_map(|lane| (0..3).map(|number| page(lane, number))).collect();
    let made = build(&pages, &Request { delay: 0.05, ..Request::default() }).unwrap();
    export(&made, Format::Browsertrix).unwrap().write(&out).unwrap();
    // A second crawl at the same time finds the folder of the first.
    let crawl =
        "#!/bin/sh\nmkdir running || echo twice >>calls\necho \"$2\" >>calls\nsleep 0.02\nrmdir running\n";
    let output = run_with(&directory.path().join("bin"), "crawl", crawl, &out.join("crawl.sh"), &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let calls = fs::read_to_string(out.join("calls")).unwrap();
    let mut names: Vec<&str> = calls.lines().collect();
    let downloads: usize = made.sites.iter().map(|site| site.slots.len()).sum();
    names.sort_unstable();
    names.dedup();
    assert!(names.len() == downloads && !names.contains(&"twice"), "{calls}");
}

/// The lists of a timed script: seconds, page, kind and URL, tabs between, in the order of time.
fn read_list(files: &BTreeMap<String, String>, at: usize) -> Vec<(f64, String, String)> {
    files[&format!("lane-{:03}.tsv", at + 1)]
        .lines()
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            assert_eq!(fields.len(), 4, "{line:?}");
            assert!(fields[1].len() == 6 && fields[1].bytes().all(|byte| byte.is_ascii_digit()));
            assert!(fields[3].starts_with("http") && fields[3].trim() == fields[3]);
            (fields[0].parse().unwrap(), fields[2].to_owned(), fields[3].to_owned())
        })
        .collect()
}

#[test]
fn wget_and_browsertrix_fetch_every_download_at_its_time_and_their_scripts_hold_no_url() {
    for format in [Format::Wget, Format::Browsertrix] {
        let files = files(format);
        for (at, site) in schedule().sites.iter().enumerate() {
            let list = read_list(&files, at);
            let planned: Vec<_> = site
                .slots
                .iter()
                .filter_map(|slot| Some((slot.seconds, slot.kind.name().to_owned(), url::safe(&slot.url)?)))
                .collect();
            assert_eq!(list, planned);
            assert!(list.windows(2).all(|pair| pair[0].0 <= pair[1].0));
        }
        let script = &files["crawl.sh"];
        assert!(!script.contains("http:") && !script.contains("rm -rf") && !script.contains("evil"));
        sh_accepts(script);
    }
    let settings = &files(Format::Browsertrix)["lane-001.yaml"];
    for line in ["workers: 1", "scopeType: page", "depth: 0", "limit: 1", "pageExtraDelay: 0"] {
        assert!(settings.lines().any(|own| own == line), "{settings}");
    }
}

#[test]
fn heritrix_gets_the_delay_the_scope_and_no_host_or_url() {
    let settings = &files(Format::Heritrix)["acuity.cxml"];
    assert!(
        settings.contains("disposition.minDelayMs=2000") && settings.contains(r#"name="maxHops" value="0""#)
    );
    assert!(settings.contains("delayFactor=0") && !settings.contains("example") && !settings.contains("$("));
}

#[test]
fn heritrix_is_told_only_of_beans_that_its_default_job_names() {
    let settings = &files(Format::Heritrix)["acuity.cxml"];
    // An override of a bean that is not there keeps a job from being built.
    let is_override = |line: &&str| line.contains('=') && !line.contains(['<', '#']);
    let overrides: Vec<&str> = settings.lines().map(str::trim).filter(is_override).collect();
    assert_eq!(overrides.len(), 5, "{overrides:?}");
    for line in overrides {
        let bean = line.split_once('.').unwrap().0;
        assert!(["disposition", "crawlController"].contains(&bean), "{line}");
    }
    // The contact of the operator stays in the bean where it is, and a job that waits for files does not end.
    assert!(!settings.contains(r#"id="simpleOverrides""#), "{settings}");
    assert!(settings.contains("crawlController.runWhileEmpty=true"), "{settings}");
    let mut reader = quick_xml::Reader::from_str(settings);
    while reader.read_event().unwrap() != quick_xml::events::Event::Eof {}
}

/// The spider is Python that compiles, and reads the schedule from a file of JSON lines.
#[test]
fn scrapy_gets_a_spider_and_the_schedule_as_data() {
    let files = files(Format::Scrapy);
    let lines = files["schedule.jsonl"].lines().count();
    let safe = schedule()
        .sites
        .iter()
        .flat_map(|site| &site.slots)
        .filter(|slot| url::safe(&slot.url).is_some())
        .count();
    assert_eq!(lines, safe);
    assert!(!files["spider.py"].contains("example"));
    let check = "import ast,sys; ast.parse(sys.stdin.read())";
    let python = std::process::Command::new("python3")
        .args(["-c", check])
        .stdin(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn();
    let Ok(mut python) = python else { return };
    std::io::Write::write_all(&mut python.stdin.take().unwrap(), files["spider.py"].as_bytes()).unwrap();
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Nutch (Injector): one URL a line, `#` begins a comment, fields apart by tabs, metadata `key=value`.
#[test]
fn nutch_reads_url_score_and_interval() {
    let files = files(Format::Nutch);
    let mut found = 0;
    for line in files["seeds.txt"].lines() {
        assert!(!line.starts_with('#'));
        let mut fields = line.split('\t');
        let url = fields.next().unwrap();
        assert!(!url.contains(char::is_whitespace));
        for field in fields {
            let (key, value) = field.split_once('=').unwrap();
            match key {
                "nutch.score" => assert_eq!(value.parse::<f32>().unwrap(), 1.0),
                "nutch.fetchInterval" => assert!(value.parse::<u32>().unwrap() > 0),
                _ => panic!("{key}"),
            }
        }
        found += 1;
    }
    assert_eq!(found, 7);
}

#[test]
fn what_no_crawler_can_fetch_is_counted() {
    let export = export(&schedule(), Format::Wget).unwrap();
    assert_eq!(
        export.left_out,
        schedule()
            .sites
            .iter()
            .flat_map(|site| &site.slots)
            .filter(|slot| !slot.url.starts_with("http") || slot.url.contains("/no-"))
            .count()
    );
    assert!(export.left_out >= 4);
    for format in [Format::Wget, Format::Browsertrix, Format::Scrapy, Format::Nutch, Format::Heritrix] {
        let files = files(format);
        assert!(files.values().all(|content| !content.contains("/no-")), "{format:?}");
    }
}

#[test]
fn files_are_written_and_scripts_can_be_run() {
    let directory = tempfile::tempdir().unwrap();
    let target = directory.path().join("new/out");
    export(&schedule(), Format::Wget).unwrap().write(&target).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(target.join("crawl.sh")).unwrap().permissions().mode() & 0o777, 0o755);
    }
}

/// The shell parses the script without running it; where there is no shell, that is all.
fn sh_accepts(script: &str) {
    use std::io::Write;
    use std::process::{Command, Stdio};
    let shell = Command::new("sh").arg("-n").stdin(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let Ok(mut shell) = shell else { return };
    shell.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    let output = shell.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
