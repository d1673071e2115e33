//! Copying records, against `cat`. `cargo bench --bench copy`
//!
//! A gigabyte of records, a gzip member each, made here, is copied by `cat` and by `acuity`: the copying alone, and the whole of
//! `acuity merge`, which finds the records first, and reads those whole that may be equal to others. Jobs take turns, `ACUITY_RUNS` times (default 5); medians on the
//! clock. Targets are removed before each run. `ACUITY_BODY` is the length of a body (default 24,576 bytes).

// The table is what a bench is for.
#![allow(clippy::print_stdout)]

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use acuity::internals::rebuild::copied;

const ACUITY: &str = env!("CARGO_BIN_EXE_acuity");
/// Bytes of the corpus that is made.
const LENGTH: u64 = 1 << 30;
/// Bytes of a body, if nothing else is asked for: what does not shrink, as images do not.
const BODY: usize = 24 << 10;

fn main() {
    let folder = std::env::temp_dir().join("acuity-bench-copy");
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let asked = |name: &str| std::env::var(name).ok().and_then(|number| number.parse::<usize>().ok());
    let body = asked("ACUITY_BODY").unwrap_or(BODY);
    let files = [made(&folder.join(format!("made-{body}.warc.gz")), body)];
    let runs = asked("ACUITY_RUNS").unwrap_or(5);
    let length: u64 =
        files.iter().map(|file| std::fs::metadata(file).expect("the corpus is there").len()).sum();
    let target = folder.join("out.warc.gz");
    let (mut cat, mut copying, mut merge) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..runs {
        cat.push(timed(&target, || {
            let out = File::create(&target).expect("a temporary file");
            let status = Command::new("cat").args(&files).stdout(out).status().expect("cat starts");
            assert!(status.success());
        }));
        let _ = std::fs::remove_file(&target);
        copying.push(copied(&files, &target).expect("the corpus is sound").as_secs_f64());
        merge.push(timed(&target, || {
            let arguments = ["merge", "-q", "--keep", "-o"];
            let mut command = Command::new(ACUITY);
            let status = command.args(arguments).arg(&target).args(&files).stdout(Stdio::null()).status();
            assert!(status.expect("acuity starts").success());
        }));
    }
    let _ = std::fs::remove_file(&target);
    println!("{:.0} MB, bodies of {body} bytes; medians of {runs} runs", length as f64 / 1e6);
    println!("{:<34} {:>8} {:>8} {:>8}", "job", "seconds", "MB/s", "to cat");
    let base = median(cat.clone());
    for (job, seconds) in [("cat", cat), ("copying", copying), ("acuity merge --keep, all of it", merge)] {
        let seconds = median(seconds);
        println!("{job:<34} {seconds:>8.3} {:>8.0} {:>8.2}", length as f64 / 1e6 / seconds, base / seconds);
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn timed(target: &Path, work: impl FnOnce()) -> f64 {
    let _ = std::fs::remove_file(target);
    let started = Instant::now();
    work();
    started.elapsed().as_secs_f64()
}

/// Records whose bodies are noise of this length.
fn made(path: &Path, length: usize) -> PathBuf {
    if std::fs::metadata(path).is_ok_and(|file| file.len() >= LENGTH) {
        return path.to_owned();
    }
    let mut file = std::io::BufWriter::with_capacity(1 << 20, File::create(path).expect("a temporary file"));
    let (mut random, mut written, mut number) = (7u64, 0u64, 0u64);
    while written < LENGTH {
        let mut body = Vec::with_capacity(length + 6);
        while body.len() < length {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            body.extend_from_slice(&(random >> 16).to_le_bytes()[..6]);
        }
        let head =
            format!("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: {}\r\n\r\n", body.len());
        let record = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/{number}.png\r\n\
             WARC-Date: 2026-03-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:copy-{number}>\r\n\
             Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{head}",
            head.len() + body.len()
        );
        let mut member = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        for part in [record.as_bytes(), &body, b"\r\n\r\n"] {
            member.write_all(part).expect("memory");
        }
        let member = member.finish().expect("memory");
        file.write_all(&member).expect("a temporary file");
        (written, number) = (written + member.len() as u64, number + 1);
    }
    file.flush().expect("a temporary file");
    path.to_owned()
}
