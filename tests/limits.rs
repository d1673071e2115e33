//! Bounded memory: whatever an archive claims, unpacks to or holds, the reader stays below 200 MB and comes to an end.

#[path = "support/mod.rs"]
mod support;

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use support::pack::gzip;
use support::record::{Record, http};

const DATE: &str = "2020-02-03T04:05:06Z";
const MB: usize = 1 << 20;

/// Runs the index command; its observations and the kinds of its problems.
fn index(path: &Path) -> (Vec<Value>, Vec<String>) {
    let problems = path.with_extension("problems.jsonl");
    let start = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_acuity"))
        .args(["index", "-j", "2", "--quiet", "--problems"])
        .args([&problems, path])
        .output()
        .unwrap();
    assert!(output.status.code().is_some_and(|code| code == 0 || code == 3), "{output:?}");
    assert!(start.elapsed().as_secs() < 60, "{} took {:?}", path.display(), start.elapsed());
    let lines = |text: &[u8]| -> Vec<Value> {
        String::from_utf8_lossy(text).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let kinds = lines(&std::fs::read(&problems).unwrap())
        .iter()
        .map(|problem| problem["kind"].as_str().unwrap().to_owned())
        .collect();
    (lines(&output.stdout), kinds)
}

/// Zeros under gzip, `times` over, made in pieces.
fn zeros(length: usize) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let piece = vec![0; MB];
    (0..length / MB).for_each(|_| encoder.write_all(&piece).unwrap());
    encoder.finish().unwrap()
}

/// The most memory that any child of this process has taken, in bytes.
#[cfg(target_os = "linux")]
fn peak() -> u64 {
    // The kernel's struct rusage: two times of two words, then the resident set size in kilobytes, then more.
    #[repr(C)]
    struct Usage([i64; 18]);
    unsafe extern "C" {
        fn getrusage(who: i32, usage: *mut Usage) -> i32;
    }
    let mut usage = Usage([0; 18]);
    // SAFETY: the struct has the size and layout that the kernel fills.
    let result = unsafe { getrusage(-1, &raw mut usage) };
    assert_eq!(result, 0);
    usage.0[4] as u64 * 1024
}

#[test]
#[cfg(target_os = "linux")]
fn no_archive_takes_more_than_200_megabytes() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let after = Record::page(9, "http://after.example/", DATE, "<p>after</p>").bytes();

    // A member that inflates a thousandfold: a page of 256 MB.
    let head = "HTTP/1.1 200 OK\nContent-Type: text/html";
    let length = http(head, b"").len() + 256 * MB;
    let record = Record::new("response", 1, DATE, http(head, b""))
        .field("WARC-Target-URI", "http://big.example/")
        .length(&length.to_string())
        .trailer(b"");
    let mut encoder = GzEncoder::new(File::create(at("bomb.warc.gz")).unwrap(), Compression::best());
    encoder.write_all(&record.bytes()).unwrap();
    let piece = vec![0; MB];
    (0..256).for_each(|_| encoder.write_all(&piece).unwrap());
    encoder.write_all(b"\r\n\r\n").unwrap();
    encoder.finish().unwrap().write_all(&gzip(&after)).unwrap();
    assert!(std::fs::metadata(at("bomb.warc.gz")).unwrap().len() < 300_000);
    let (observations, problems) = index(&at("bomb.warc.gz"));
    assert_eq!((observations.len(), problems.len()), (2, 0), "{problems:?}");
    assert_eq!(observations[0]["body_length"], 256 * MB);

    // Codings within codings: 4 KB that unpack to half a gigabyte.
    let body = gzip_best(&zeros(512 * MB));
    assert!(body.len() < 8000, "{}", body.len());
    let nested = Record::response(
        1,
        "http://nested.example/",
        DATE,
        "HTTP/1.1 200 OK\nContent-Encoding: gzip, gzip",
        &body,
    );
    std::fs::write(at("nested.warc"), [nested.bytes(), after.clone()].concat()).unwrap();
    let (observations, problems) = index(&at("nested.warc"));
    assert_eq!((observations.len(), problems.len()), (2, 0), "{problems:?}");
    assert_eq!(observations[0]["body_length"], 512 * MB);

    // A hundred thousand fields in both heads, and heads beyond every limit.
    let fields: String = (0..100_000).map(|n| format!("X-Field-{n}: value\r\n")).collect();
    let many = Record::response(
        1,
        "http://many.example/",
        DATE,
        &format!("{head}\n{}", fields.trim_end().replace("\r\n", "\n")),
        b"x",
    );
    let heads =
        String::from_utf8(many.bytes()).unwrap().replacen("WARC-Date", &format!("{fields}WARC-Date"), 1);
    std::fs::write(at("headers.warc"), [heads.into_bytes(), after.clone()].concat()).unwrap();
    let (observations, problems) = index(&at("headers.warc"));
    assert_eq!((observations.len(), problems.len()), (2, 0), "{problems:?}");
    assert_eq!(observations[0]["digest_ok"], true);
    let endless = Record::page(1, "http://endless.example/", DATE, "x").field("X-Long", &"a".repeat(20 * MB));
    std::fs::write(at("head.warc"), [endless.bytes(), after.clone()].concat()).unwrap();
    let (observations, problems) = index(&at("head.warc"));
    assert!(problems.contains(&"record-head-too-long".to_owned()), "{problems:?}");
    assert_eq!(observations.last().unwrap()["url"], "http://after.example/");

    // Ten gigabytes are promised, ten bytes are there; chunks of exabytes.
    let promise = Record::page(1, "http://promise.example/", DATE, "0123456789").length("10000000000");
    let chunks = Record::response(
        2,
        "http://chunks.example/",
        DATE,
        "HTTP/1.1 200 OK\nTransfer-Encoding: chunked",
        b"7fffffffffffffff\r\nx",
    );
    for (name, bytes) in [
        ("promise.warc", promise.bytes()),
        ("promise.warc.gz", gzip(&promise.bytes())),
        ("chunks.warc", chunks.bytes()),
    ] {
        std::fs::write(at(name), bytes).unwrap();
        let (observations, problems) = index(&at(name));
        assert_eq!((observations.len(), observations[0]["body"].is_null()), (1, true), "{name}");
        assert!(!problems.is_empty(), "{name}");
    }

    // One plain record of a gigabyte, streamed; its file has a hole where the body is.
    let length = http(head, b"").len() + 1024 * MB;
    let record = Record::new("response", 1, DATE, http(head, b""))
        .field("WARC-Target-URI", "http://huge.example/")
        .length(&length.to_string())
        .trailer(b"");
    let mut file = File::create(at("huge.warc")).unwrap();
    file.write_all(&record.bytes()).unwrap();
    file.set_len(record.bytes().len() as u64 + 1024 * MB as u64).unwrap();
    let (observations, problems) = index(&at("huge.warc"));
    assert_eq!((observations.len(), problems.len()), (1, 0), "{problems:?}");
    assert_eq!(observations[0]["body_length"], 1024 * MB);

    let peak = peak();
    support::data::say(&format!("peak memory: {} MB", peak / MB as u64));
    assert!(peak < 200 * MB as u64, "{peak} bytes");
}

fn gzip_best(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}
