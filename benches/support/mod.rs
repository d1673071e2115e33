//! What the benches share: the corpus, timed child processes, and the table of ratios.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// The `.warc.gz` files to read: those in `ACUITY_CORPUS`, or small ones made here.
pub fn corpus() -> (Vec<PathBuf>, String) {
    if let Some(folder) = std::env::var_os("ACUITY_CORPUS") {
        let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
            .expect("ACUITY_CORPUS names a folder")
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.to_string_lossy().ends_with(".warc.gz"))
            .collect();
        files.sort();
        assert!(!files.is_empty(), "no .warc.gz in ACUITY_CORPUS");
        return (files, "the corpus in ACUITY_CORPUS".to_owned());
    }
    let folder = std::env::temp_dir().join("acuity-bench-corpus");
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let files: Vec<PathBuf> = (0..2).map(|number| folder.join(format!("made-{number}.warc.gz"))).collect();
    for (number, file) in files.iter().enumerate() {
        std::fs::write(file, made_file(number as u64 + 1)).expect("a temporary file");
    }
    (
        files,
        "a small corpus made here; set ACUITY_CORPUS to a folder of .warc.gz files for a real one".to_owned(),
    )
}

/// A small `.warc.gz` of request, response or revisit, and metadata records.
fn made_file(seed: u64) -> Vec<u8> {
    let mut random = seed;
    let mut next = move || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize
    };
    let words =
        ["sharp", "page", "archive", "coherent", "blur", "visit", "the", "of", "and", "crawl", "site"];
    let mut file = Vec::new();
    for number in 0..4000 {
        let url = format!("https://www.example.org/folder{}/page{number}.html", number % 40);
        let mut body = String::from("<html><body>");
        for _ in 0..200 + next() % 3000 {
            body.push_str(words[next() % words.len()]);
            body.push_str(if next() % 12 == 0 { "</p><p class=\"x\">" } else { " " });
        }
        let digest = base32(&sha1::compute(body.as_bytes()));
        let response = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let request =
            format!("GET /folder{}/page{number}.html HTTP/1.1\r\nHost: www.example.org\r\n\r\n", number % 40);
        for (kind, block, extra) in [
            ("request", request, String::new()),
            ("response", response, format!("WARC-Payload-Digest: sha1:{digest}\r\n")),
            ("metadata", format!("fetchTimeMs: {}\r\n", next() % 900), String::new()),
        ] {
            let block_digest = base32(&sha1::compute(block.as_bytes()));
            let record = format!(
                "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-03-01T00:{:02}:{:02}Z\r\n\
                WARC-Record-ID: <urn:uuid:{kind}-{seed}-{number}>\r\nWARC-Block-Digest: sha1:{block_digest}\r\n{extra}\
                Content-Length: {}\r\n\r\n{block}\r\n\r\n",
                number / 60 % 60,
                number % 60,
                block.len()
            );
            let mut member = flate2::write::GzEncoder::new(&mut file, flate2::Compression::new(6));
            member.write_all(record.as_bytes()).expect("memory");
            member.finish().expect("memory");
        }
    }
    file
}

mod sha1 {
    /// SHA-1 by the library's own hasher.
    pub fn compute(data: &[u8]) -> Vec<u8> {
        let mut hasher = acuity::internals::digest::Hasher::new(acuity::internals::digest::Algorithm::Sha1);
        hasher.update(data);
        hasher.finish().bytes().to_vec()
    }
}

fn base32(bytes: &[u8]) -> String {
    let digest = acuity::internals::digest::Digest::new(acuity::internals::digest::Algorithm::Sha1, bytes)
        .expect("20 bytes");
    digest.to_string().trim_start_matches("sha1:").to_owned()
}

/// What one run of a command took.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// Seconds of processor time, user and system.
    pub cpu: f64,
    /// Seconds on the clock.
    pub wall: f64,
}

/// Runs a command to its end.
pub fn timed(command: &mut Command) -> Cost {
    let before = children_cpu();
    let started = Instant::now();
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("the command starts");
    let wall = started.elapsed().as_secs_f64();
    assert!(status.success(), "{command:?} failed: {status}");
    Cost { cpu: children_cpu() - before, wall }
}

/// Processor seconds of all finished children, in steps of a hundredth.
fn children_cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("/proc/self/stat");
    let fields: Vec<&str> = stat[stat.rfind(')').unwrap_or(0)..].split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(14) + ticks(15)) / 100.0
}

/// The median of some numbers.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Whether a tool is on the path.
pub fn has_tool(name: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|folder| folder.join(name).is_file()))
}

/// The uncompressed length of the corpus, from the trailers of its members.
pub fn raw_length(files: &[PathBuf]) -> u64 {
    files.iter().map(|file| raw_length_of(file)).sum()
}

fn raw_length_of(file: &Path) -> u64 {
    let mut decoder =
        flate2::read::MultiGzDecoder::new(std::fs::File::open(file).expect("the corpus is there"));
    std::io::copy(&mut decoder, &mut std::io::sink()).expect("the corpus is sound")
}
