//! Every export is read back by the rules of the crawler it is for.

use std::collections::BTreeMap;

use super::*;
use crate::schedule::build::{Request, build};
use crate::schedule::page::Page;

const HOSTILE: [&str; 9] = [
    "http://a.example/",
    "http://a.example/new\nline http://evil.example/",
    "http://a.example/quote\"'`$(touch x)`;&|",
    "http://a.example/tab\tnutch.score=99",
    "http://a.example/space and # hash",
    "-O/etc/passwd",
    "javascript:alert(1)",
    "http://a.example/\u{202e}\r\n  - url: evil",
    "https://b.example/ü",
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
    assert!(drops.clone().all(|name| files.contains_key(name)) && drops.count() == files.len() - 1);
    sh_accepts(&files["drop.sh"]);
}

/// YAML: a block mapping of plain scalars, and a block sequence of mappings whose `url` is a double-quoted scalar.
#[test]
fn browsertrix_reads_the_seeds_in_order() {
    let files = files(Format::Browsertrix);
    let schedule = schedule();
    for (at, site) in schedule.sites.iter().enumerate() {
        for kind in [Kind::Visit, Kind::Revisit] {
            let text = &files[&format!("lane-{:03}-{}.yaml", at + 1, kind.name())];
            let (head, seeds) = text.split_once("seeds:\n").unwrap();
            let head: BTreeMap<&str, &str> =
                head.lines().map(|line| line.split_once(": ").unwrap()).collect();
            assert_eq!((head["workers"], head["scopeType"], head["pageExtraDelay"]), ("1", "page", "2"));
            let lines: Vec<&str> = seeds.lines().collect();
            let urls: Vec<String> = lines
                .chunks(3)
                .map(|seed| {
                    assert_eq!(seed[1..], ["    scopeType: page", "    depth: 0"]);
                    serde_json::from_str(seed[0].strip_prefix("  - url: ").unwrap()).unwrap()
                })
                .collect();
            assert_eq!(urls, expected(site, kind));
        }
    }
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

/// Wget: one URL a line, white space around it cut off; and a script that the shell can read and that holds no URL.
#[test]
fn wget_reads_one_url_a_line_and_the_script_holds_none() {
    let files = files(Format::Wget);
    let schedule = schedule();
    for (at, site) in schedule.sites.iter().enumerate() {
        for kind in [Kind::Visit, Kind::Revisit] {
            let lines: Vec<&str> =
                files[&format!("lane-{:03}-{}.txt", at + 1, kind.name())].lines().collect();
            assert_eq!(lines, expected(site, kind));
            assert!(lines.iter().all(|line| line.trim() == *line && line.starts_with("http")));
        }
    }
    let script = &files["crawl.sh"];
    assert!(!script.contains("http:") && !script.contains("rm -rf") && !script.contains(".."));
    sh_accepts(script);
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
            .filter(|slot| !slot.url.starts_with("http"))
            .count()
    );
    assert!(export.left_out >= 2);
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
