//! Damage: every torture file is cut at every byte, and bits of it are flipped. The reader never panics, never hangs,
//! still reports every record that ends before the damage, and finds the next record behind it wherever the format
//! allows that.

use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::support::reading::read_bytes;
use acuity::internals::archive::blob::Blob;
use acuity::internals::archive::sniff::{Compression, Content, sniff};
use acuity::internals::digest::BodyDigest;
use acuity::internals::ingest::assemble::Item;
use acuity::internals::ingest::scan::Wanted;
use acuity::internals::ingest::unit::Workbench;

/// Files up to this length have every bit flipped; of longer ones, one bit of every byte.
const SMALL: usize = 2048;

/// A capture, as far as it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    url: String,
    record_id: Option<String>,
    offset: Option<u64>,
    length: Option<u64>,
    body: Option<BodyDigest>,
}

impl Seen {
    fn end(&self) -> Option<u64> {
        Some(self.offset? + self.length?)
    }

    /// The same record, perhaps with less known of it.
    fn is(&self, other: &Seen) -> bool {
        (&self.url, &self.record_id, self.offset) == (&other.url, &other.record_id, other.offset)
    }
}

/// A torture file and how it reads undamaged.
struct Target {
    path: PathBuf,
    bytes: Vec<u8>,
    kind: Kind,
    seen: Vec<Seen>,
    /// Whether the undamaged file has wrong lengths or garbage: where a record ends then depends on its neighbours.
    is_odd: bool,
    is_gzip: bool,
    is_zstd: bool,
    is_arc: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Records that can be found one by one: plain, one member or frame for each.
    Records,
    /// Records in one compressed stream: behind damage nothing can be found.
    Stream,
    /// Lines.
    Lines,
    /// Not an archive.
    Other,
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.to_string_lossy().into_owned();
        if path.is_dir() {
            files.extend(self::files(&path));
        } else if !name.ends_with(".expected.jsonl")
            && !name.ends_with(".problems.jsonl")
            && !name.ends_with(".md")
        {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn captures(items: &[Item]) -> Vec<Seen> {
    let observations = items.iter().filter_map(|item| match item {
        Item::Capture(capture) => Some(&*capture.observation),
        Item::Observed(observation) => Some(&**observation),
        _ => None,
    });
    observations
        .map(|observation| Seen {
            url: observation.url.clone(),
            record_id: observation.record_id.clone(),
            offset: observation.offset,
            length: observation.length,
            body: observation.body,
        })
        .collect()
}

fn target(path: PathBuf, bench: &mut Workbench) -> Target {
    let bytes = fs::read(&path).unwrap();
    let (compression, content) = sniff(&Blob::memory(bytes.clone())).unwrap();
    let (items, problems) = read_bytes(bytes.clone(), Wanted::default(), bench).unwrap_or_default();
    let seen = captures(&items);
    let kind = match (content, compression) {
        (Content::Index(_) | Content::Observations, _) => Kind::Lines,
        (Content::Records, Compression::None) => Kind::Records,
        (Content::Records, _) if seen.iter().all(|seen| seen.length.is_some()) => Kind::Records,
        (Content::Records, _) => Kind::Stream,
        _ => Kind::Other,
    };
    let odd =
        ["content-length", "garbage", "record-cut", "not-records", "damaged", "records-span", "segmented"];
    let is_odd = problems.iter().any(|problem| odd.iter().any(|odd| problem.kind.contains(odd)));
    let (is_gzip, is_zstd) = (compression == Compression::Gzip, compression == Compression::Zstd);
    let is_arc = path.to_string_lossy().ends_with(".arc");
    Target { path, bytes, kind, seen, is_odd, is_gzip, is_zstd, is_arc }
}

/// Reads damaged bytes; `Err` with a reason where the reader panics or takes too long.
fn read(bytes: Vec<u8>, wanted: Wanted, bench: &mut Workbench) -> Result<Vec<Seen>, String> {
    let start = Instant::now();
    let items = catch_unwind(AssertUnwindSafe(|| read_bytes(bytes, wanted, bench)))
        .map_err(|_| "the reader panicked")?;
    if start.elapsed() > Duration::from_secs(10) {
        return Err(format!("reading took {:?}", start.elapsed()));
    }
    Ok(captures(&items.unwrap_or_default().0))
}

fn inflated(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    // What comes before the damage stays in the buffer.
    let _ = flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut plain);
    plain
}

/// Where, in the uncompressed stream, each capture of a gzip stream ends.
fn ends_in_stream(target: &Target, bench: &mut Workbench) -> HashMap<Option<String>, u64> {
    let plain = read_bytes(inflated(&target.bytes), Wanted::default(), bench).unwrap_or_default().0;
    captures(&plain).into_iter().filter_map(|seen| Some((seen.record_id.clone(), seen.end()?))).collect()
}

fn missing(expected: &Seen, what: &str) -> Result<(), String> {
    Err(format!("{what}: {} (record {:?}) is not reported as before", expected.url, expected.record_id))
}

fn cut_everywhere(target: &Target, bench: &mut Workbench) -> Result<(), String> {
    let in_stream = match target.kind {
        Kind::Stream if target.bytes.starts_with(&[0x1f, 0x8b]) => ends_in_stream(target, bench),
        _ => HashMap::new(),
    };
    let everything = Wanted { text: true, links: true, sitemaps: true, walls: true };
    for cut in 0..target.bytes.len() {
        let what = format!("cut at {cut}");
        let bytes = target.bytes[..cut].to_vec();
        let length = inflated(&bytes).len() as u64;
        let found = read(bytes, everything, bench).map_err(|reason| format!("{what}: {reason}"))?;
        if target.kind == Kind::Lines {
            // All whole lines are read; behind them only the line that is cut can give something.
            let plain =
                if target.is_gzip { inflated(&target.bytes[..cut]) } else { target.bytes[..cut].to_vec() };
            let whole = plain.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
            let expected = captures(
                &read_bytes(plain[..whole].to_vec(), Wanted::default(), bench).unwrap_or_default().0,
            );
            let has_more = found.len() > expected.len() + 1;
            if !target.is_zstd && (has_more || !found.starts_with(&expected)) {
                return Err(format!("{what}: other lines than before"));
            }
            continue;
        }
        for seen in &target.seen {
            let whole = target.kind == Kind::Records && seen.end().is_some_and(|end| end <= cut as u64);
            let is_same = |found: &Seen| if target.is_odd { found.is(seen) } else { found == seen };
            if whole && !found.iter().any(is_same) {
                return missing(seen, &what);
            }
            let in_front = !target.is_odd && in_stream.get(&seen.record_id).is_some_and(|end| *end <= length);
            if in_front && !found.iter().any(|found| found.record_id == seen.record_id) {
                return missing(seen, &what);
            }
        }
    }
    Ok(())
}

/// How far from the start damage is fatal: a dictionary that all frames need, the columns that all lines need.
fn vital(target: &Target) -> usize {
    let bytes = &target.bytes;
    if bytes.starts_with(&[0x5d, 0x2a, 0x4d, 0x18]) {
        return 8 + u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize;
    }
    if target.kind == Kind::Lines {
        // A line without its neighbours may not be told to be one: the first lines are what the format is known by.
        return bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| end + 1);
    }
    0
}

fn flip_everywhere(target: &Target, bench: &mut Workbench) -> Result<(), String> {
    let vital = vital(target);
    let is_compressed_text = target.kind == Kind::Lines && (target.is_gzip || target.is_zstd);
    for at in 0..target.bytes.len() {
        // One bit of a byte is chosen by its place, so that all eight are hit over a file.
        let bits =
            if target.bytes.len() <= SMALL { 0..8 } else { (at * 5 % 8) as u32..(at * 5 % 8) as u32 + 1 };
        for bit in bits {
            let what = format!("bit {bit} of byte {at} flipped");
            let mut bytes = target.bytes.clone();
            bytes[at] ^= 1 << bit;
            let found =
                read(bytes, Wanted::default(), bench).map_err(|reason| format!("{what}: {reason}"))?;
            // The newline in front of it is all that tells where an ARC record starts.
            let is_newline =
                target.is_arc && target.seen.iter().any(|seen| seen.offset == Some(at as u64 + 1));
            if at < vital
                || is_newline
                || is_compressed_text
                || matches!(target.kind, Kind::Stream | Kind::Other)
            {
                continue;
            }
            if target.kind == Kind::Lines {
                let same = target.seen.iter().filter(|seen| found.contains(seen)).count();
                // A newline that is gone takes two lines with it.
                if same + 2 < target.seen.len() {
                    return Err(format!(
                        "{what}: {} of {} lines are gone",
                        target.seen.len() - same,
                        target.seen.len()
                    ));
                }
                continue;
            }
            for (place, seen) in target.seen.iter().enumerate() {
                let is_hit = seen.offset.is_some_and(|offset| offset <= at as u64)
                    && seen.end().is_none_or(|end| (at as u64) < end);
                // Without a newline in front of it, an ARC record is found by the length of the one before, or not at all.
                let start = seen.offset.unwrap_or_default() as usize;
                let is_glued = target.is_arc && start > 0 && target.bytes[start - 1] != b'\n';
                if is_hit || is_glued {
                    continue;
                }
                // Where the record in front of damage ends is in doubt: less may be known of it.
                let next = target.seen.get(place + 1).and_then(|next| next.offset).unwrap_or(u64::MAX);
                let in_front =
                    seen.end().is_some_and(|end| end <= at as u64) && at as u64 <= next.saturating_add(2048);
                let is_same =
                    |found: &Seen| if in_front || target.is_odd { found.is(seen) } else { found == seen };
                if !found.iter().any(is_same) {
                    return missing(seen, &what);
                }
            }
        }
    }
    Ok(())
}

/// Runs a check on all torture files, on all cores.
fn on_all(check: fn(&Target, &mut Workbench) -> Result<(), String>) {
    let files = files(Path::new("fixtures/torture"));
    assert!(files.len() > 100);
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                let mut bench = Workbench::default();
                while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let target = target(path.clone(), &mut bench);
                    if let Err(reason) = check(&target, &mut bench) {
                        failures.lock().unwrap().push(format!("{}: {reason}", target.path.display()));
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn cut_at_any_byte_every_record_in_front_is_still_reported() {
    on_all(cut_everywhere);
}

#[test]
fn with_any_bit_flipped_every_other_record_is_still_reported() {
    on_all(flip_everywhere);
}
