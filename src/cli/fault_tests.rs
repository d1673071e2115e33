//! Every read and every write that fails, comes short, is interrupted or late: a right result or a clear error.

use std::io::Write;
use std::path::Path;

use crate::archive::faults::{Fault, inject};
use crate::archive::source::Source;
use crate::ingest::{Options, ProblemLog, Reading, read};

const ARCHIVES: [&str; 6] = ["a.warc", "a.warc.gz", "a.warc.zst", "a.wacz", "a.cdxj", "a.jsonl"];

/// The archives in a folder, in every format, each with some captures.
fn write_archives(folder: &Path) {
    let record = |number: usize| {
        let block =
            format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>{}", "x".repeat(number * 300));
        let length = block.len();
        format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: 2024-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:{number}>\r\n\
             WARC-Target-URI: http://a.example/{number}\r\nContent-Type: application/http; msgtype=response\r\n\
             Content-Length: {length}\r\n\r\n{block}\r\n\r\n"
        )
    };
    let gzip = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let (mut plain, mut gz, mut zst, mut cdxj) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for number in 0..40 {
        let record = record(number);
        plain.extend(record.as_bytes());
        gz.extend(gzip(record.as_bytes()));
        zst.extend(zstd::encode_all(record.as_bytes(), 1).unwrap());
        let line = format!(
            "example,a)/{number} 20240101000000 {{\"url\": \"http://a.example/{number}\", \"status\": \"200\"}}\n"
        );
        cdxj.extend(line.as_bytes());
    }
    let mut package = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let stored = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    package.start_file("archive/data.warc.gz", stored).unwrap();
    package.write_all(&gz).unwrap();
    let package = package.finish().unwrap().into_inner();
    for (name, bytes) in ARCHIVES.iter().zip([plain, gz, zst, package, cdxj]) {
        std::fs::write(folder.join(name), bytes).unwrap();
    }
    let (reading, _) = ingest(&folder.join("a.warc")).unwrap();
    std::fs::write(folder.join("a.jsonl"), lines(&reading).concat()).unwrap();
}

fn ingest(path: &Path) -> crate::Result<(Reading, ProblemLog)> {
    let mut log = ProblemLog::default();
    let sources = [Source::named(path.to_string_lossy())];
    let reading = read(&sources, &Options { threads: 1, ..Options::default() }, &mut log, &|_| {})?;
    Ok((reading, log))
}

fn lines(reading: &Reading) -> Vec<Vec<u8>> {
    let mut lines = Vec::new();
    let take = &mut |observation: &crate::capture::Observation, _| {
        let mut line = Vec::new();
        observation.json_line(&mut line);
        lines.push(line);
        Ok(())
    };
    reading.observations.for_each(take).unwrap();
    lines
}

/// The URL and the body of a capture.
fn told(line: &[u8]) -> (String, Option<String>) {
    let value: serde_json::Value = serde_json::from_slice(line).unwrap();
    let text = |name: &str| value[name].as_str().map(str::to_owned);
    (text("url").unwrap_or_default(), text("body"))
}

#[test]
fn reading_survives_every_fault_at_every_call() {
    let folder = tempfile::tempdir().unwrap();
    write_archives(folder.path());
    for name in ARCHIVES {
        let path = folder.path().join(name);
        inject(None);
        let (expected, log) = ingest(&path).unwrap();
        let (expected, calls) = (lines(&expected), inject(None));
        assert!(
            expected.len() == 40 && !log.has_errors() && calls > 1,
            "{name}: {} lines, {calls} calls",
            expected.len()
        );
        let known: Vec<(String, Option<String>)> = expected.iter().map(|line| told(line)).collect();
        for n in 1..=calls + 1 {
            for fault in [Fault::Short, Fault::Interrupted, Fault::Late] {
                // A call that is always interrupted cannot be handled by any program.
                if fault == Fault::Interrupted && n == 1 {
                    continue;
                }
                inject(Some((fault, n)));
                let result = ingest(&path);
                inject(None);
                let (reading, log) =
                    result.unwrap_or_else(|error| panic!("{name}, {fault:?} at {n}: {error}"));
                assert!(
                    lines(&reading) == expected && !log.has_errors(),
                    "{name}, {fault:?} at every {n}th call"
                );
            }
            inject(Some((Fault::Fail, n)));
            let result = ingest(&path);
            inject(None);
            // An error of the run is clear in itself.
            let Ok((reading, log)) = result else { continue };
            let found = lines(&reading);
            if !log.has_errors() {
                assert!(
                    found == expected,
                    "{name}, fail at every {n}th call: captures are missing without an error"
                );
            }
            // What is reported is right, as far as it goes: no other URL, no other body.
            for line in &found {
                let found = told(line);
                let is_right =
                    known.iter().any(|known| known.0 == found.0 && (found.1.is_none() || found.1 == known.1));
                assert!(is_right, "{name}, fail at every {n}th call: {found:?}");
            }
        }
    }
}

#[test]
fn an_output_is_complete_or_absent_whatever_fails() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let content: Vec<u8> = (0..2_000_000u32).map(|number| (number % 251) as u8).collect();
    let write = || {
        super::write(Some(&path), |out| {
            Ok(content.chunks(1000).try_for_each(|piece| out.write_all(piece))?)
        })
    };
    inject(None);
    write().unwrap();
    let calls = inject(None);
    // The last one puts the content on the disk, before the file has its name.
    assert!(calls > 3);
    for n in 1..=calls + 1 {
        for fault in [Fault::Fail, Fault::Short, Fault::Interrupted, Fault::Late] {
            // One byte at a time, or never: too slow, or not to be survived.
            if n == 1 && matches!(fault, Fault::Short | Fault::Interrupted) {
                continue;
            }
            std::fs::remove_file(&path).unwrap_or_default();
            inject(Some((fault, n)));
            let result = write();
            inject(None);
            let must_fail = fault == Fault::Fail && n <= calls;
            assert_eq!(result.is_err(), must_fail, "{fault:?} at {n}: {result:?}");
            assert_eq!(path.exists(), !must_fail, "{fault:?} at {n}");
            assert!(must_fail || std::fs::read(&path).unwrap() == content, "{fault:?} at {n}");
            let left = std::fs::read_dir(folder.path()).unwrap().count();
            assert_eq!(left, usize::from(!must_fail), "{fault:?} at {n}: partial files are left");
        }
    }
}
