//! Auditing from an index: 10^4, 10^5 and 10^6 observations, ten looks a page on average. Prints the time of reading the
//! index, of the table and of the audit (seconds of processor time, one thread, so that a busy machine does not matter), their ratio, what ten times the observations cost, and the peak of memory.
//!
//! `cargo bench --bench audit` (`-- 4` stops at 10^4). `cargo bench --bench audit -- generate 1000000 1 1 > index.cdx` only writes such an
//! index: so many captures, looks a page, and sites.

#[path = "support/memory.rs"]
mod memory;

use std::io::{self, BufWriter, Write};

use acuity::internals::archive::source::expand;
use acuity::internals::audit::{AuditInput, Parameters, audit};
use acuity::internals::capture::table::TableBuilder;
use acuity::internals::ingest::{Digests, Options, ProblemLog, read};
use acuity::internals::time::SECOND;
use memory::peak_megabytes;

/// An index of `observations` lines: pages looked at every day or so, which change at rates spread over four decades.
fn write_index(out: &mut dyn Write, observations: u64, looks: u64, sites: u64) -> io::Result<()> {
    writeln!(out, " CDX N b a m s k r M S V g")?;
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = move || {
        // xorshift64*: the same index on every machine.
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    };
    let start = acuity::internals::time::Instant::parse("2020-01-01T00:00:00Z").unwrap_or_default();
    let pages = (observations / looks.max(1)).max(1);
    for page in 0..pages {
        let change = 10f64.powf((random() % 4000) as f64 / 1000.0 - 4.0);
        let mut version = random();
        for look in 0..looks.max(1) as i64 {
            let time = start.plus((look * 86_400 + (random() % 3600) as i64 + page as i64 % 50_000) * SECOND);
            if ((random() % 1_000_000) as f64) < change * 1e6 {
                version = random();
            }
            let digest: String = (0..32)
                .map(|place| {
                    b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[(version.rotate_left(place * 2) % 32) as usize]
                })
                .map(char::from)
                .collect();
            writeln!(
                out,
                "example,site{site})/f{folder}/page-{page} {time} http://site{site}.example/f{folder}/page-{page} \
                 text/html 200 {digest} - - 1234 {offset} crawl-{look}.warc.gz",
                site = page % sites.max(1),
                folder = page % 23,
                time = time.digits14(),
                offset = page * 1234,
            )?;
        }
    }
    Ok(())
}

/// Seconds of processor time of this process, by the clock ticks of Linux (a hundred a second).
fn processor_seconds() -> f64 {
    let status = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = status.rsplit(')').next().unwrap_or_default();
    fields.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>()
        / 100.0
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip_while(|word| word != "generate").skip(1).collect();
    if let [captures, looks, sites, ..] = &words[..] {
        let mut out = BufWriter::new(io::stdout().lock());
        write_index(&mut out, captures.parse()?, looks.parse()?, sites.parse()?)?;
        return Ok(out.flush()?);
    }
    let last: u32 = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(6);
    let mut out = io::stdout().lock();
    writeln!(out, "observations   read s   table s   audit s   audit/read   growth   peak MB")?;
    let mut before: Option<f64> = None;
    for power in 4..=last {
        let observations = 10u64.pow(power);
        let file = tempfile::Builder::new().suffix(".cdx").tempfile()?;
        let mut writer = BufWriter::new(file.as_file());
        write_index(&mut writer, observations, 10, 7)?;
        writer.flush()?;
        drop(writer);
        let sources = expand(&[file.path().display().to_string()])?;
        let options = Options { digests: Digests::Declared, ..Options::default() };
        let mut log = ProblemLog::new(None);
        let start = processor_seconds();
        let reading = read(&sources, &options, &mut log, &|_| {})?;
        let read = processor_seconds() - start;
        let start = processor_seconds();
        let mut builder = TableBuilder::new();
        reading.observations.for_each(&mut |observation, input| {
            builder.push(observation, input);
            Ok(())
        })?;
        drop(reading);
        let table = builder.finish();
        let built = processor_seconds() - start;
        let start = processor_seconds();
        let result = audit(&table, &Parameters::default(), AuditInput::default());
        let audited = processor_seconds() - start;
        let total = built + audited;
        writeln!(
            out,
            "{:>12} {read:>8.3} {built:>9.3} {audited:>9.3} {:>12.2} {:>8} {:>9}",
            result.summary.observations,
            total / read.max(0.01),
            before.map_or("-".to_owned(), |before| format!("{:.1}", total / before.max(0.01))),
            peak_megabytes().map_or("-".to_owned(), |peak| peak.to_string()),
        )?;
        before = Some(total);
    }
    Ok(())
}
