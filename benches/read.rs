//! Reading archives, against peers on the same work in one run. `cargo bench --bench read`
//!
//! `ACUITY_CORPUS` names a folder of `.warc.gz` files; without it a small corpus is made. Every job is a process of
//! its own, reads all files one after the other, and is run `ACUITY_RUNS` times (default 5), the jobs taking turns.
//! One-thread jobs are rated by processor time, two-thread jobs by the clock.

// The table is what a bench is for.
#![allow(clippy::print_stdout)]

mod support;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use acuity::internals::archive::source::expand;
use acuity::internals::ingest::{Options, ProblemLog, Wanted, read};
use fastwarc::warc::iter::{ArchiveIterator, ArchiveIteratorOptions};
use support::{Cost, corpus, has_tool, median, raw_length, timed};

/// A job: its name, whether it uses two threads, and how to run it.
type Job<'a> = (&'a str, bool, Box<dyn Fn() -> Cost + 'a>);

const ACUITY: &str = env!("CARGO_BIN_EXE_acuity");

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "--peer") {
        let files: Vec<PathBuf> = arguments[at + 2..].iter().map(PathBuf::from).collect();
        return peer(&arguments[at + 1], &files);
    }
    let (files, what) = corpus();
    let raw = raw_length(&files) as f64 / 1e6;
    let runs: usize = std::env::var("ACUITY_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(5);
    println!("{what}: {} files, {raw:.0} MB uncompressed; medians of {runs} runs", files.len());

    let inflate = has_tool("libdeflate-gzip");
    let mut jobs: Vec<Job<'_>> = vec![
        ("fastwarc, verify block and payload", false, Box::new(|| of_peer("verify", &files))),
        ("fastwarc, bare", false, Box::new(|| of_peer("bare", &files))),
        ("acuity index --digests verify -j 1", false, Box::new(|| of_acuity("verify", 1, &files))),
        ("acuity index --digests declared -j 1", false, Box::new(|| of_acuity("declared", 1, &files))),
        ("acuity index --digests verify -j 2", true, Box::new(|| of_acuity("verify", 2, &files))),
        ("acuity index --digests declared -j 2", true, Box::new(|| of_acuity("declared", 2, &files))),
        // Reading, verifying and extracting links; the link graph of them; then text and the links written out: held
        // against the bare iteration.
        ("acuity, verify and links, 2 threads", true, Box::new(|| of_peer("links", &files))),
        ("acuity, verify and link graph, 2 threads", true, Box::new(|| of_peer("graph", &files))),
        ("acuity index --content -j 2", true, Box::new(|| of_acuity("content", 2, &files))),
    ];
    if inflate {
        jobs.push((
            "libdeflate-gzip -dc",
            false,
            Box::new(|| timed(Command::new("libdeflate-gzip").arg("-dc").args(&files))),
        ));
    }
    let mut costs: Vec<Vec<Cost>> = vec![Vec::new(); jobs.len()];
    for _ in 0..runs {
        for (job, costs) in jobs.iter().zip(&mut costs) {
            costs.push((job.2)());
        }
    }
    let seconds: Vec<f64> = jobs
        .iter()
        .zip(&costs)
        .map(|(job, costs)| {
            median(costs.iter().map(|cost| if job.1 { cost.wall } else { cost.cpu }).collect())
        })
        .collect();
    // The peers run on one thread: a two-thread job is held against their clock.
    let wall = |at: usize| median(costs[at].iter().map(|cost| cost.wall).collect());
    println!("{:<40} {:>8} {:>8} {:>12} {:>12}", "job", "seconds", "MB/s", "to fastwarc", "to inflating");
    for (at, job) in jobs.iter().enumerate() {
        let peer = if job.0.contains("verify") && !job.0.contains("link") { 0 } else { 1 };
        let peer_seconds = if job.1 { wall(peer) } else { seconds[peer] };
        let inflating = if inflate {
            let last = jobs.len() - 1;
            format!("{:.2}", if job.1 { wall(last) } else { seconds[last] } / seconds[at])
        } else {
            "–".to_owned()
        };
        println!(
            "{:<40} {:>8.3} {:>8.0} {:>12.2} {inflating:>12}",
            job.0,
            seconds[at],
            raw / seconds[at],
            peer_seconds / seconds[at]
        );
    }
    if !inflate {
        println!("libdeflate-gzip (package libdeflate-tools) is not installed: no ratio to inflating");
    }
}

fn of_peer(job: &str, files: &[PathBuf]) -> Cost {
    let own = std::env::current_exe().expect("this program");
    timed(Command::new(own).arg("--peer").arg(job).args(files))
}

/// One process per file, as for the peers one file after the other: nothing of one file helps the next.
fn of_acuity(digests: &str, threads: usize, files: &[PathBuf]) -> Cost {
    let output = std::env::temp_dir().join("acuity-bench-output.jsonl");
    let mut total = Cost { cpu: 0.0, wall: 0.0 };
    for file in files {
        // Replacing a file makes some file systems write it to the disk at once; that is not what is measured.
        let _ = std::fs::remove_file(&output);
        let cost = timed(
            Command::new(ACUITY)
                .args(["index", "-q"])
                .args(if digests == "content" { vec!["--content"] } else { vec!["--digests", digests] })
                .args(["-j", &threads.to_string(), "-o"])
                .arg(&output)
                .arg(file),
        );
        total = Cost { cpu: total.cpu + cost.cpu, wall: total.wall + cost.wall };
    }
    total
}

fn peer(job: &str, files: &[PathBuf]) {
    for file in files {
        peer_file(job, file);
    }
}

/// Every digest verified, every link of HTML and CSS found and resolved; with `graph` as an audit needs them.
fn links(file: &Path, graph: bool) {
    let wanted = Wanted { links: true, ..Wanted::default() };
    let options = Options { threads: 2, wanted, graph, ..Options::default() };
    let sources = expand(&[file.to_string_lossy().into_owned()]).expect("the corpus is there");
    let reading = read(&sources, &options, &mut ProblemLog::new(None), &|_| {}).expect("the corpus is sound");
    assert!(reading.links > 0 && !reading.observations.is_empty() && (reading.graph.edges() > 0) == graph);
}

fn peer_file(job: &str, file: &Path) {
    if job == "links" || job == "graph" {
        return links(file, job == "graph");
    }
    let options = ArchiveIteratorOptions { parse_http: false, ..ArchiveIteratorOptions::default() };
    let reader = std::io::BufReader::with_capacity(1 << 20, File::open(file).expect("the corpus is there"));
    let mut seen = 0u64;
    for record in ArchiveIterator::with_options(reader, options) {
        let record = record.expect("the corpus is sound");
        let mut record = record.borrow_mut();
        seen += record.content_length();
        if job == "verify" {
            let _ = record.verify_block_digest(false);
            if record.is_http() && record.parse_http().is_ok() {
                let _ = record.verify_payload_digest(true);
            }
        }
    }
    assert!(seen > 0);
}
