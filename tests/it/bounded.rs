//! An audit, an answer or a schedule of more than memory holds has the same bytes as one of a single table.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::data::data;
use crate::support::record::Record;

/// A small generator of numbers: the same archives on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % end
    }
}

/// Captures of some sites that embed from, import from and redirect to each other, and are named by sitemaps of each other; revisits whose
/// originals lie elsewhere included.
pub(crate) fn archives(folder: &Path, seed: u64) -> Vec<String> {
    let random = &mut Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let host = |random: &mut Random| {
        ["a.example", "www.a.example", "b.example", "cdn.example", "other.test"][random.below(5) as usize]
    };
    let path = |random: &mut Random| {
        let number = random.below(9);
        match random.below(7) {
            0 => "/".to_owned(),
            1 => format!("/img/{number}.png"),
            2 => format!("/style/{number}.css"),
            3 => "/robots.txt".to_owned(),
            4 if number < 4 => "/sitemap.xml".to_owned(),
            _ => format!("/f{}/p{number}.html", number % 3),
        }
    };
    let mut files = Vec::new();
    let mut number = 0;
    for file in 0..3 {
        let mut bytes = Vec::new();
        for _ in 0..40 + random.below(80) {
            number += 1;
            let url = format!("http://{}{}", host(random), path(random));
            let seconds = random.below(3000);
            let date = format!(
                "2024-03-{:02}T10:{:02}:{:02}Z",
                1 + file * 3 + random.below(2),
                seconds / 60,
                seconds % 60
            );
            let target = format!("http://{}{}", host(random), path(random));
            let version = random.below(3);
            let (kind, body) = match url.rsplit('.').next() {
                Some("png") => ("image/png", format!("image {version}")),
                Some("css") => ("text/css", format!("@import '{target}'; /* {version} */")),
                Some("xml") => {
                    // Sitemaps name pages of other hosts, too.
                    let entry = |random: &mut Random| {
                        let (host, number) = (host(random), random.below(9));
                        let freq = ["daily", "monthly", "never"][random.below(3) as usize];
                        format!(
                            "<url><loc>http://{host}/f{}/p{number}.html</loc><lastmod>2024-02-0{}</lastmod>\
                             <changefreq>{freq}</changefreq><priority>0.{}</priority></url>",
                            number % 3,
                            1 + number,
                            1 + random.below(9)
                        )
                    };
                    let entries: String = (0..4).map(|_| entry(random)).collect();
                    ("application/xml", format!("<urlset>{entries}</urlset>"))
                }
                Some("txt") => ("text/plain", format!("User-agent: *\nDisallow: /f{version}/\n")),
                _ if version == 2 => ("text/html", "<title>404</title><h1>Page not found</h1>".to_owned()),
                _ => {
                    let image = format!("http://{}{}", host(random), path(random));
                    let body = format!(
                        "<html><title>{version}</title><p>Words {version} of a page that says something.</p>\
                         <a href=\"{target}\">x</a><img src=\"{image}\"></html>"
                    );
                    ("text/html", body)
                }
            };
            let record = match random.below(10) {
                0 => {
                    let head = format!("HTTP/1.1 302 Found\nLocation: {target}\nContent-Length: 0");
                    Record::response(number, &url, &date, &head, b"")
                }
                1 => Record::response(
                    number,
                    &url,
                    &date,
                    "HTTP/1.1 404 Not Found\nContent-Type: text/html",
                    b"gone",
                ),
                2 | 3 => {
                    let head = format!("HTTP/1.1 200 OK\nContent-Type: {kind}");
                    let original = Record::response(0, &url, &date, &head, body.as_bytes());
                    let digest = original.bytes();
                    let digest = String::from_utf8_lossy(&digest);
                    let declared = digest
                        .lines()
                        .find_map(|line| line.strip_prefix("WARC-Payload-Digest: "))
                        .unwrap_or("");
                    Record::revisit(number, &url, &date, "identical-payload-digest", &head)
                        .field("WARC-Payload-Digest", declared.trim())
                }
                _ => {
                    let modified = format!("2024-02-{:02}", 1 + version);
                    let head = format!(
                        "HTTP/1.1 200 OK\nContent-Type: {kind}\nETag: \"{version}\"\nX-Date: {modified}\nContent-Length: {}",
                        body.len()
                    );
                    Record::response(number, &url, &date, &head, body.as_bytes())
                }
            };
            bytes.extend(record.bytes());
        }
        let name = format!("{file}.warc");
        fs::write(folder.join(&name), bytes).unwrap();
        files.push(name);
    }
    files
}

fn output(folder: &Path, command: &[&str], inputs: &[String], options: &[&str], memory: &str) -> Vec<u8> {
    let output = Command::new(env!("CARGO_BIN_EXE_acuity"))
        .args(command)
        .args(inputs)
        .args(options)
        .args(["-q", "-j", "1", "--json=-", "--memory", memory])
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    // A question may be about a page that is not there; then the refusal is the same.
    let is_answer = output.stdout.starts_with(b"{");
    assert!(is_answer || command[0] == "at", "{}", String::from_utf8_lossy(&output.stderr));
    if is_answer { output.stdout } else { output.stderr }
}

fn compare(folder: &Path, inputs: &[String], options: &[&str]) {
    compare_outputs(folder, &["audit"], inputs, options);
}

/// Compares what a command says in much and in little memory; gives whether it is an answer.
fn compare_outputs(folder: &Path, command: &[&str], inputs: &[String], options: &[&str]) -> bool {
    let [whole, bounded] = ["1G", "64K"].map(|memory| output(folder, command, inputs, options, memory));
    if whole != bounded {
        let (whole, bounded) = (String::from_utf8_lossy(&whole), String::from_utf8_lossy(&bounded));
        let differs = whole.lines().zip(bounded.lines()).enumerate().find(|(_, (one, other))| one != other);
        panic!("{command:?} {inputs:?} {options:?}: {differs:?}");
    }
    whole.starts_with(b"{")
}

/// The index of archives, with what their bodies hold, as a file beside them.
fn index(folder: &Path, files: &[String]) -> String {
    let index = Command::new(env!("CARGO_BIN_EXE_acuity"))
        .args(["index", "-q", "--content"])
        .args(files)
        .current_dir(folder)
        .output()
        .unwrap();
    fs::write(folder.join("all.jsonl"), index.stdout).unwrap();
    "all.jsonl".to_owned()
}

/// Reading four times as many lines of an index costs about four times as much, though they exceed memory by far: a cost that grew with
/// the square would be sixteen times as much.
#[test]
fn an_index_above_memory_is_read_in_a_time_that_grows_with_its_length() {
    let folder = tempfile::tempdir().unwrap();
    let seconds = |lines: u32| {
        let line = |number: u32| {
            format!(
                "example,a)/{number} 20240101000000 http://a.example/{number} text/html 200 {number:032} - - 1 1 a.warc\n"
            )
        };
        let index: String = (0..lines).map(line).collect();
        fs::write(folder.path().join("a.cdx"), format!(" CDX N b a m s k r M S V g\n{index}")).unwrap();
        let program = env!("CARGO_BIN_EXE_acuity");
        let script = format!("'{program}' index -q -j 1 --memory 1M a.cdx -o a.jsonl && times");
        let output = Command::new("bash").args(["-c", &script]).current_dir(folder.path()).output().unwrap();
        let times = String::from_utf8(output.stdout).unwrap();
        // The last line is that of the program: minutes and seconds, of the user and of the system.
        let user = times.lines().last().and_then(|line| line.split(' ').next()).unwrap();
        let (minutes, seconds) = user.trim_end_matches('s').split_once('m').unwrap();
        minutes.parse::<f64>().unwrap() * 60.0 + seconds.parse::<f64>().unwrap()
    };
    let (few, many) = (seconds(20_000), seconds(80_000));
    assert!(many < 9.0 * few.max(0.05), "{few} s, then {many} s");
}

#[test]
fn any_memory_gives_the_same_bytes() {
    let rounds = std::env::var("ACUITY_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(6);
    let options: [&[&str]; 6] = [
        &[],
        &["--crawls", "auto", "--site-by", "domain"],
        &["--compare", "text", "--stories", "5", "--pages", "all"],
        &["--from", "2024-03-04", "--importance", "sitemap"],
        &["--site", "a.example", "--canon", "strict"],
        &["--importance", "inlinks", "--embeds", "site"],
    ];
    for seed in 0..rounds {
        let folder = tempfile::tempdir().unwrap();
        let files = archives(folder.path(), seed + 1);
        compare(folder.path(), &files, options[seed as usize % options.len()]);
        let index = index(folder.path(), &files);
        let other_options = options[(seed as usize + 1) % options.len()];
        compare(folder.path(), std::slice::from_ref(&index), other_options);
        compare(folder.path(), &[files, vec![index]].concat(), &[]);
    }
}

#[test]
fn any_memory_gives_the_same_answer_about_a_date_and_the_same_schedule() {
    let options: [&[&str]; 11] = [
        &[],
        &["--estimates", "--site-by", "domain"],
        &["--pages", "all", "--embeds", "none", "--canon", "strict"],
        &["--phrase", "says something"],
        &["--url", "http://a.example/", "--url", "http://b.example/f0/p3.html"],
        &["--site", "a.example"],
        &["--site", "www.a.example", "--estimates", "--pages", "all"],
        &["--url", "http://www.a.example/f1/p1.html", "--estimates"],
        &["--url", "http://other.test/f2/p2.html", "--canon", "strict", "--embeds", "exceptions"],
        &["--site", "b.example", "--phrase", "says something", "--site-by", "domain"],
        &["--site", "cdn.example", "--url", "http://cdn.example/", "--url", "http://cdn.example/never"],
    ];
    let mut answers = 0;
    for seed in 0..4 {
        let folder = tempfile::tempdir().unwrap();
        let files = archives(folder.path(), seed + 11);
        for options in options {
            let date = ["at", "2024-03-04T10:20:00Z"];
            answers += u32::from(compare_outputs(folder.path(), &date, &files, options));
        }
        let indexed = [index(folder.path(), &files)];
        let options = options[seed as usize];
        compare_outputs(folder.path(), &["at", "2024-03-05"], &indexed, options);
        compare_outputs(folder.path(), &["at", "2024-03"], &[&files[..], &indexed].concat(), options);
        compare_outputs(folder.path(), &["schedule"], &files, &[]);
    }
    assert!(answers >= 36, "{answers}");
}

/// What `acuity report` says of a file, and its exit code.
fn report(folder: &Path, file: &str, memory: &str) -> (Vec<u8>, String, Option<i32>) {
    let output = Command::new(env!("CARGO_BIN_EXE_acuity"))
        .args(["report", file, "--json=-", "--memory", memory])
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (output.stdout, String::from_utf8_lossy(&output.stderr).into_owned(), output.status.code())
}

#[test]
fn an_answer_is_shown_again_in_any_memory_and_an_audit_that_needs_more_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let files = archives(folder.path(), 5);
    for (name, command) in [("at.json", &["at", "2024-03-04"][..]), ("audit.json", &["audit"])] {
        fs::write(folder.path().join(name), output(folder.path(), command, &files, &[], "1G")).unwrap();
    }
    let written = fs::read(folder.path().join("at.json")).unwrap();
    for memory in ["1G", "64K", "1K"] {
        let (shown, said, code) = report(folder.path(), "at.json", memory);
        assert!(shown == written, "{memory}: {said}");
        assert_eq!(code, Some(0));
    }
    let (whole, _, _) = report(folder.path(), "audit.json", "1G");
    let length = fs::metadata(folder.path().join("audit.json")).unwrap().len();
    // Above a quarter of memory it is read piece by piece.
    let (pieces, _, _) = report(folder.path(), "audit.json", &length.to_string());
    assert!(!whole.is_empty() && pieces == whole);
    let (shown, said, code) = report(folder.path(), "audit.json", &(length / 2).to_string());
    assert_eq!((shown.len(), code), (0, Some(2)));
    assert!(said.contains("audit.json") && said.contains("give --memory"), "{said}");
}

#[test]
fn real_crawls_have_the_same_bytes_in_any_memory() {
    for name in ["crawls", "warcs"] {
        let Some(folder) = data(name) else { continue };
        compare(&folder, &[".".to_owned()], &[]);
    }
}

#[test]
fn a_table_has_all_pages() {
    let folder = tempfile::tempdir().unwrap();
    let files = archives(folder.path(), 77);
    let report = output(folder.path(), &["audit"], &files, &["--page-table", "pages.csv"], "64K");
    let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
    let listed: usize = report["sites"]
        .as_array()
        .unwrap()
        .iter()
        .map(|site| site["page_list"].as_array().unwrap().len())
        .sum();
    let table = fs::read_to_string(folder.path().join("pages.csv")).unwrap();
    assert_eq!(csv::Reader::from_reader(table.as_bytes()).records().count(), listed);
    assert!(table.starts_with("entry,site,url,"), "{}", table.lines().next().unwrap_or(""));
}

#[test]
fn problems_are_lines_or_a_table() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("cut.warc"), b"WARC/1.0\r\nContent-Length: 100\r\n\r\nshort").unwrap();
    let count = |name: &str| {
        let status = Command::new(env!("CARGO_BIN_EXE_acuity"))
            .args(["index", "-q", "cut.warc", "--problems", name])
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .status();
        assert!(status.is_ok());
        fs::read_to_string(folder.path().join(name)).unwrap()
    };
    let (lines, table) = (count("problems.jsonl"), count("problems.csv"));
    let kinds: Vec<String> = lines
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["kind"].as_str().unwrap().to_owned()
        })
        .collect();
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let column = reader.headers().unwrap().iter().position(|name| name == "kind").unwrap();
    let found: Vec<String> = reader.records().map(|row| row.unwrap()[column].to_owned()).collect();
    assert!(!kinds.is_empty());
    assert_eq!(found, kinds);
}
