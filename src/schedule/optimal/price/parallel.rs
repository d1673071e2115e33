//! Work in fixed pieces: the same pieces, added in the same order, on any number of threads.

use std::ops::Range;

use crate::schedule::parallel::{jobs, threads};

/// Applies `work` to `pieces` equal ranges of `0..n` and gives the results in order.
pub(super) fn pieces<T: Send>(n: usize, pieces: usize, work: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    let pieces = pieces.clamp(1, n.max(1));
    jobs(threads(), pieces, |piece| work(n * piece / pieces..n * (piece + 1) / pieces))
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
