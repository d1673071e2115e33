//! SHA-1 of block and payload: one after the other, and side by side. `cargo bench --bench digest`
//!
//! Prints MB/s summed over both streams, the best of several rounds, for records of typical sizes.

use std::hint::black_box;
use std::io::Write;
use std::time::Instant;

use acuity::internals::digest::{Algorithm, Hasher};

/// The HTTP head before a payload.
const HEAD: usize = 400;

fn best_of(rounds: usize, mut work: impl FnMut()) -> f64 {
    (0..rounds)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min)
}

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{:>10} {:>14} {:>14} {:>7}", "payload", "apart MB/s", "paired MB/s", "ratio")?;
    for payload in [256, 1024, 4096, 17 * 1024, 1 << 20] {
        let block: Vec<u8> = (0..HEAD + payload).map(|place| ((place * 31) >> 3) as u8).collect();
        let records = (64 << 20) / block.len();
        let bytes = (records * (HEAD + 2 * payload)) as f64;
        let apart = best_of(7, || {
            for _ in 0..records {
                let (mut of_block, mut of_payload) =
                    (Hasher::new(Algorithm::Sha1), Hasher::new(Algorithm::Sha1));
                of_block.update(black_box(&block));
                of_payload.update(black_box(&block[HEAD..]));
                black_box((of_block.finish(), of_payload.finish()));
            }
        });
        let paired = best_of(7, || {
            for _ in 0..records {
                let (mut of_block, mut of_payload) =
                    (Hasher::new(Algorithm::Sha1), Hasher::new(Algorithm::Sha1));
                Hasher::update_both(
                    &mut of_block,
                    black_box(&block),
                    &mut of_payload,
                    black_box(&block[HEAD..]),
                );
                black_box(Hasher::finish_both(of_block, of_payload));
            }
        });
        let rate = |seconds: f64| bytes / seconds / 1e6;
        writeln!(out, "{payload:>10} {:>14.0} {:>14.0} {:>7.2}", rate(apart), rate(paired), apart / paired)?;
    }
    Ok(())
}
