//! Naive Bayes: features are taken as independent of each other within a class.
//!
//! ```text
//! P(c | x) ~ P(c) * prod_a P(x_a | c)
//! P(c)       = (n_c + 1) / (n + C)
//! P(x_a | c) = (n_{c,x_a} + 1) / (n_{c,a} + V_a)
//! ```
//!
//! `n` examples, `n_c` of class `c` of `C`; `n_{c,a}` those of them whose feature `a` is known, `n_{c,v}` those where
//! it is `v`; `V_a` how many values feature `a` has among all examples. The ones are Laplace's: what was not seen is
//! rare, not impossible. A missing feature, or a name that no example has, is left out of the product. Numbers are cut
//! into equal-frequency bins ([`super::bins`]) and then are names: sizes and counts of links are skewed too far for a
//! normal distribution.
//!
//! Source: Denev, Mazeika, Spaniol, Weikum: The SHARC framework for data quality in Web archiving, VLDB Journal 2011,
//! section 8.2, names the classifier only; the formulas are the usual ones (Mitchell, Machine Learning, chapter 6).
//! Cost: training O(examples × features), a prediction O(features × classes).

use std::collections::BTreeMap;

use super::BINS;
use super::bins::Bins;
use super::encoded::{Cell, Encoded};

/// A trained Naive Bayes classifier.
#[derive(Debug, Clone)]
pub(crate) struct NaiveBayes {
    /// `ln P(c)`.
    prior: Vec<f64>,
    features: Vec<Feature>,
}

#[derive(Debug, Clone)]
struct Feature {
    bins: Bins,
    /// `ln P(v | c)` for each value: a name, or the bin of a number.
    likelihood: BTreeMap<Key, Vec<f64>>,
}

/// A feature normally has one kind; mixed kinds are handled all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Bin(u32),
    Name(u32),
}

impl Feature {
    fn train(data: &Encoded, chosen: &[u32], feature: usize) -> Self {
        let cells = || chosen.iter().map(|row| (*row, data.rows[*row as usize][feature]));
        let numbers: Vec<f64> = cells()
            .filter_map(|(_, cell)| if let Cell::Number(number) = cell { Some(number) } else { None })
            .collect();
        let mut trained =
            Feature { bins: Bins::equal_frequency(&numbers, BINS), likelihood: BTreeMap::new() };
        let classes = data.class_count as usize;
        let mut known = vec![0.0; classes];
        for (row, cell) in cells() {
            let Some(key) = trained.key(cell) else { continue };
            let class = data.classes[row as usize] as usize;
            trained.likelihood.entry(key).or_insert_with(|| vec![0.0; classes])[class] += 1.0;
            known[class] += 1.0;
        }
        let values = trained.likelihood.len() as f64;
        for counts in trained.likelihood.values_mut() {
            for (count, known) in counts.iter_mut().zip(&known) {
                *count = ((*count + 1.0) / (known + values)).ln();
            }
        }
        trained
    }

    fn key(&self, cell: Cell) -> Option<Key> {
        match cell {
            Cell::Missing => None,
            Cell::Number(number) => Some(Key::Bin(self.bins.of(number))),
            Cell::Name(name) => Some(Key::Name(name)),
        }
    }
}

impl NaiveBayes {
    /// Learns from the chosen examples.
    pub(super) fn train(data: &Encoded, chosen: &[u32]) -> Self {
        let total = chosen.len() as f64 + f64::from(data.class_count);
        NaiveBayes {
            prior: data.counts(chosen).iter().map(|count| ((count + 1.0) / total).ln()).collect(),
            features: (0..data.width()).map(|feature| Feature::train(data, chosen, feature)).collect(),
        }
    }

    pub(super) fn distribution(&self, cells: &[Cell]) -> Vec<f64> {
        let mut logs = self.prior.clone();
        for (feature, cell) in self.features.iter().zip(cells) {
            let seen = feature.key(*cell).and_then(|key| feature.likelihood.get(&key));
            for (log, likelihood) in logs.iter_mut().zip(seen.into_iter().flatten()) {
                *log += likelihood;
            }
        }
        // The products themselves would be too small for a float.
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut shares: Vec<f64> = logs.iter().map(|log| (log - most).exp()).collect();
        let sum: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|share| *share /= sum);
        shares
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// By counting, with plain products.
    fn brute_force(rows: &[(Vec<u32>, u32)], classes: u32, asked: &[u32]) -> Vec<f64> {
        let mut products: Vec<f64> = (0..classes)
            .map(|class| {
                let members: Vec<&Vec<u32>> =
                    rows.iter().filter(|row| row.1 == class).map(|row| &row.0).collect();
                let size = members.len() as f64;
                let mut product = (size + 1.0) / (rows.len() as f64 + f64::from(classes));
                for (feature, value) in asked.iter().enumerate() {
                    let mut values: Vec<u32> = rows.iter().map(|row| row.0[feature]).collect();
                    values.sort_unstable();
                    values.dedup();
                    if values.contains(value) {
                        let same = members.iter().filter(|row| row[feature] == *value).count();
                        product *= (same as f64 + 1.0) / (size + values.len() as f64);
                    }
                }
                product
            })
            .collect();
        let sum: f64 = products.iter().sum();
        products.iter_mut().for_each(|product| *product /= sum);
        products
    }

    proptest! {
        #[test]
        fn the_chances_are_those_of_counting(
            rows in prop::collection::vec((prop::collection::vec(0u32..3, 3), 0u32..3), 1..30),
            asked in prop::collection::vec(0u32..4, 3),
        ) {
            let data = Encoded {
                rows: rows.iter().map(|row| row.0.iter().map(|name| Cell::Name(*name)).collect()).collect(),
                classes: rows.iter().map(|row| row.1).collect(),
                class_count: 3,
            };
            let chosen: Vec<u32> = (0..rows.len() as u32).collect();
            let cells: Vec<Cell> = asked.iter().map(|name| Cell::Name(*name)).collect();
            let found = NaiveBayes::train(&data, &chosen).distribution(&cells);
            for (found, wanted) in found.iter().zip(brute_force(&rows, 3, &asked)) {
                prop_assert!((found - wanted).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_page_of_which_nothing_is_known_has_the_prior() {
        let data = Encoded {
            rows: vec![vec![Cell::Number(1.0)], vec![Cell::Number(9.0)], vec![Cell::Missing]],
            classes: vec![0, 1, 1],
            class_count: 2,
        };
        let bayes = NaiveBayes::train(&data, &[0, 1, 2]);
        let prior = bayes.distribution(&[Cell::Missing]);
        assert!((prior[0] - 0.4).abs() < 1e-12 && (prior[1] - 0.6).abs() < 1e-12);
        // P(low | 0) = (1 + 1)/(1 + 2), P(low | 1) = (0 + 1)/(1 + 2): the missing one of class 1 does not count.
        let low = bayes.distribution(&[Cell::Number(0.0)]);
        assert!((low[0] - 0.4 * 2.0 / (0.4 * 2.0 + 0.6)).abs() < 1e-12);
    }
}
