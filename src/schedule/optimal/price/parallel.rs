//! Work in fixed pieces: the same pieces, added in the same order, on any number of threads.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Applies `work` to `pieces` equal ranges of `0..n` and gives the results in order.
pub(super) fn pieces<T: Send>(n: usize, pieces: usize, work: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    let pieces = pieces.clamp(1, n.max(1));
    let range = |piece: usize| n * piece / pieces..n * (piece + 1) / pieces;
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(pieces);
    if threads == 1 {
        return (0..pieces).map(|piece| work(range(piece))).collect();
    }
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(pieces)));
    let run = || loop {
        let piece = next.fetch_add(1, Ordering::Relaxed);
        if piece >= pieces {
            return;
        }
        let result = work(range(piece));
        results.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((piece, result));
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            scope.spawn(run);
        }
        run();
    });
    let mut results = results.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    results.sort_by_key(|(piece, _)| *piece);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn pieces_cover_everything_once_and_in_order() {
        for n in [0, 1, 7, 1000] {
            let all: Vec<usize> = super::pieces(n, 16, |range| range.collect::<Vec<_>>()).concat();
            assert_eq!(all, (0..n).collect::<Vec<_>>());
        }
    }
}
