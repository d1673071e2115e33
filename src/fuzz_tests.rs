//! A seeded, structure-aware mutation fuzzer: every parser on mutated parts of the torture set.
//!
//! The coverage-guided engine is in `tests/fuzz/`, because it needs a build of its own; mutations of files that were each made to
//! show one trouble reach deep all the same. `ACUITY_FUZZ_SECONDS` sets the time (default 5), `ACUITY_FUZZ_SEED` the seed.

use std::path::Path;
use std::time::{Duration, Instant};

use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::fuzz_targets::TARGETS;

/// Words that parsers look for: put in anywhere.
const WORDS: &[&[u8]] = &[
    b"WARC/1.0\r\n",
    b"Content-Length: ",
    b"\r\n\r\n",
    b"HTTP/1.1 200 OK\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"0\r\n\r\n",
    b"\x1f\x8b\x08\0",
    b"\x28\xb5\x2f\xfd",
    b"PK\x03\x04",
    b"PK\x01\x02",
    b"PK\x05\x06",
    b" CDX N b a m s k r M S V g\n",
    b"{\"url\":",
    b"<!--",
    b"-->",
    b"<script>",
    b"<a href='",
    b"url(",
    b"@import ",
    b"<urlset>",
    b"<loc>",
    b"&#x",
    b"%",
    b"xn--",
    b"20240101000000",
    b"18446744073709551615",
    b"-1",
    b"\xff\xfe",
    b"\0\0\0\0",
];

fn mutate(seed: &[u8], other: &[u8], rng: &mut Pcg64Mcg) -> Vec<u8> {
    const MAX_LENGTH: usize = 8 << 10;
    let from = rng.random_range(0..=seed.len().saturating_sub(MAX_LENGTH));
    let from = if rng.random_range(0..3) == 0 { from } else { 0 };
    let mut bytes = seed[from..seed.len().min(from + MAX_LENGTH)].to_vec();
    for _ in 0..rng.random_range(0..6) {
        let at = rng.random_range(0..=bytes.len());
        match rng.random_range(0..7) {
            0 => bytes.truncate(at),
            1 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << rng.random_range(0..8);
                }
            }
            2 => {
                let word = WORDS[rng.random_range(0..WORDS.len())];
                bytes.splice(at..at, word.iter().copied());
            }
            3 => {
                let end = (at + rng.random_range(0..64)).min(bytes.len());
                bytes.drain(at..end);
            }
            4 => {
                let end = (at + rng.random_range(0..200)).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
            5 => {
                let start = rng.random_range(0..=other.len());
                let end = (start + rng.random_range(0..500)).min(other.len());
                bytes.splice(at..at, other[start..end].iter().copied());
            }
            _ => {
                let word = rng.next_u32().to_le_bytes();
                bytes.iter_mut().skip(at).zip(word).for_each(|(byte, new)| *byte = new);
            }
        }
    }
    bytes
}

fn seeds() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/torture");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().filter(|path| path.is_file()).map(|path| std::fs::read(path).unwrap()).collect()
}

#[test]
fn no_parser_panics_or_hangs_on_mutated_input() {
    let setting = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (seconds, seed) = (setting("ACUITY_FUZZ_SECONDS", 5), setting("ACUITY_FUZZ_SEED", 1));
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let seeds = seeds();
    assert!(seeds.len() > 100);
    let (start, mut executions) = (Instant::now(), 0u64);
    while start.elapsed() < Duration::from_secs(seconds) {
        let (one, other) = (rng.random_range(0..seeds.len()), rng.random_range(0..seeds.len()));
        let bytes = mutate(&seeds[one], &seeds[other], &mut rng);
        for (name, target) in TARGETS {
            let begun = Instant::now();
            let outcome = std::panic::catch_unwind(|| target(&bytes));
            assert!(outcome.is_ok(), "{name} panics on {}", bytes.escape_ascii());
            let took = begun.elapsed();
            assert!(took < Duration::from_secs(20), "{name} took {took:?} on {}", bytes.escape_ascii());
            executions += 1;
        }
    }
    assert!(executions > 100, "{executions} executions");
    if seconds > 5 {
        std::fs::write(
            std::env::temp_dir().join("acuity-fuzz.txt"),
            format!("{executions} executions in {seconds} s, seed {seed}\n"),
        )
        .unwrap();
    }
}
