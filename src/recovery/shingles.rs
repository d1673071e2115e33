//! How alike two texts are: the resemblance of their sets of shingles, runs of four words.
//!
//! ```text
//! r(A, B) = |S(A) ∩ S(B)| / |S(A) ∪ S(B)|
//! ```
//!
//! 1 for texts with the same runs, 0 for texts without a common one. A text of fewer than four words is one shingle. Source:
//! A. Broder, S. Glassman, M. Manasse, G. Zweig, *Syntactic Clustering of the Web*, WWW 1997, which McCown and Nelson use to
//! compare text. DIFFERENCE: all shingles are compared, not a sample of them.

use std::collections::HashSet;

/// Words a shingle has.
const WIDTH: usize = 4;

/// The shingles of a text, hashed.
pub(crate) fn shingles(words: &[u64]) -> HashSet<u64> {
    let hash = |words: &[u64]| {
        let mut hasher = blake3::Hasher::new();
        words.iter().for_each(|word| {
            hasher.update(&word.to_le_bytes());
        });
        let bytes = hasher.finalize();
        bytes.as_bytes()[..8].iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
    };
    match words.len() {
        0 => HashSet::new(),
        length if length < WIDTH => HashSet::from([hash(words)]),
        _ => words.windows(WIDTH).map(hash).collect(),
    }
}

/// The resemblance of two texts, given as hashes of words. Two empty texts are equal.
pub(crate) fn resemblance(one: &[u64], other: &[u64]) -> f64 {
    let (one, other) = (shingles(one), shingles(other));
    let common = one.intersection(&other).count();
    match one.len() + other.len() - common {
        0 => 1.0,
        all => common as f64 / all as f64,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_rose_is_a_rose_is_a_rose() {
        // Broder's example: a, rose, is, a, rose, is, a, rose has three distinct shingles.
        let text = [1, 2, 3, 1, 2, 3, 1, 2];
        assert_eq!(shingles(&text).len(), 3);
        assert_eq!(resemblance(&text, &text), 1.0);
        assert_eq!(resemblance(&text, &[9, 8, 7, 6, 5]), 0.0);
        assert_eq!((resemblance(&[], &[]), resemblance(&[1], &[])), (1.0, 0.0));
        // Five words against four of them: one of two shingles is common.
        assert_eq!(resemblance(&[1, 2, 3, 4, 5], &[1, 2, 3, 4]), 0.5);
    }

    proptest! {
        #[test]
        fn resemblance_is_symmetric_and_within_bounds(a in prop::collection::vec(0u64..6, 0..20), b in prop::collection::vec(0u64..6, 0..20)) {
            let r = resemblance(&a, &b);
            prop_assert!((0.0..=1.0).contains(&r));
            prop_assert_eq!(r, resemblance(&b, &a));
            prop_assert_eq!(resemblance(&a, &a), 1.0);
        }
    }
}
