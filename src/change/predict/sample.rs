//! A random sample of the pages to train on.
//!
//! Source: Denev, Mazeika, Spaniol, Weikum: The SHARC framework for data quality in Web archiving, VLDB Journal 2011,
//! section 9.1: 10% of the pages of a site. Without replacement; the same seed gives the same pages. Cost: O(n).

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64Mcg;

/// The share of the pages that the paper trains on.
pub const SHARE: f64 = 0.1;

/// The places of a sample of `share` of `count` things, rounded up, ascending.
pub fn sample(count: usize, share: f64, seed: u64) -> Vec<u32> {
    let wanted = (count as f64 * share).ceil().clamp(0.0, count as f64) as usize;
    let mut places: Vec<u32> = (0..count as u32).collect();
    places.shuffle(&mut Pcg64Mcg::seed_from_u64(seed));
    places.truncate(wanted);
    places.sort_unstable();
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_its_size_and_is_the_same_for_the_same_seed() {
        let one = sample(1005, SHARE, 7);
        assert_eq!(one.len(), 101);
        assert!(one.windows(2).all(|pair| pair[0] < pair[1]) && one[100] < 1005);
        assert_eq!(one, sample(1005, SHARE, 7));
        assert_ne!(one, sample(1005, SHARE, 8));
        assert_eq!(sample(3, 2.0, 0), [0, 1, 2]);
        assert!(sample(0, SHARE, 0).is_empty());
    }
}
