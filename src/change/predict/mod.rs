//! The change rate of a page that was never watched, guessed from what its URL and its page look like.
//!
//! ```text
//! examples (features, changes, time) ─ bins of the rate ─ Naive Bayes or a tree ─ chances of the bins ─ rate
//!           features                    bins               bayes          tree     Predictor
//! ```
//!
//! Classifiers give classes, so rates are cut into equal-frequency bins, ten of them. The predicted rate is the expected one:
//!
//! ```text
//! lambda = sum_b P(b | features) r_b,     r_b = (changes in bin b + 1/2) / time in bin b
//! ```
//!
//! The half (Jeffreys' prior) keeps a bin of pages that never changed from promising that they never will; pooling keeps
//! one short-lived page from setting the rate of its bin.
//!
//! Source: Denev, Mazeika, Spaniol, Weikum: The SHARC framework for data quality in Web archiving, VLDB Journal 2011,
//! section 8.2 (features, ten bins, Naive Bayes and C4.5, 10-fold cross-validation) and 9.1 (a sample of 10% of the
//! pages to train on, online features). DIFFERENCE: the paper takes the predicted bin and does not say which rate represents
//! it. The rate of the likeliest bin ([`Predictor::bin`]) is the same for many pages, and a schedule depends on their
//! order: on the two histories of `tests/it/histories.rs` (twelve starts each, with and without bulk changes, either
//! classifier, either set of features, 10% and 50% watched) the expected rate separated pages that would change from
//! pages that would not better in all 32 comparisons. The choice was made on those histories.
//!
//! Assumes that pages which look alike change alike. Cost: see [`bayes`] and [`tree`]; a prediction is O(features) or
//! O(depth of the tree).

pub(crate) mod features;
pub(crate) mod bins;
mod encoded;
pub(crate) mod bayes;
pub(crate) mod split;
pub(crate) mod prune;
pub(crate) mod tree;
pub(crate) mod cross;
pub mod sample;

use bayes::NaiveBayes;
use bins::Bins;
use encoded::{Cell, Encoded, Encoder};
use tree::Tree;

pub use cross::cross_validate;
pub use features::Features;
pub(crate) use features::PageFacts;
pub use sample::sample;

/// How many bins rates are cut into (section 8.2).
pub const BINS: usize = 10;

/// A page whose history is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// What it looks like.
    pub features: Features,
    /// How often it changed.
    pub changes: f64,
    /// In how much time.
    pub seconds: f64,
}

impl Example {
    /// What is binned: changes per second. `None` if the page was not watched for any time.
    pub fn rate(&self) -> Option<f64> {
        let rate = self.changes / self.seconds;
        (self.seconds > 0.0 && rate.is_finite() && rate >= 0.0).then_some(rate)
    }
}

/// Which classifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// By Bayes' rule, as if features were independent: [`bayes`].
    NaiveBayes,
    /// [`tree`]: what the paper uses, for it was slightly better there.
    #[default]
    Tree,
}

impl Method {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Method::NaiveBayes => "Naive Bayes",
            Method::Tree => "C4.5",
        }
    }
}

#[derive(Debug, Clone)]
enum Model {
    Bayes(NaiveBayes),
    Tree(Tree),
}

impl Model {
    fn train(method: Method, data: &Encoded, chosen: &[u32]) -> Self {
        match method {
            Method::NaiveBayes => Model::Bayes(NaiveBayes::train(data, chosen)),
            Method::Tree => Model::Tree(Tree::train(data, chosen)),
        }
    }

    fn distribution(&self, cells: &[Cell]) -> Vec<f64> {
        match self {
            Model::Bayes(bayes) => bayes.distribution(cells),
            Model::Tree(tree) => tree.distribution(cells),
        }
    }
}

/// The likeliest class; of equally likely ones the first, which is the coldest.
fn likeliest(distribution: &[f64]) -> u32 {
    let mut best = 0;
    for (class, share) in distribution.iter().enumerate() {
        if *share > distribution[best] {
            best = class;
        }
    }
    best as u32
}

/// The examples whose rate is known, their rates in bins, and all of it as numbers.
fn prepare(examples: &[Example], bins: usize) -> Option<(Vec<&Example>, Encoder, Encoded)> {
    let width = examples.iter().find(|example| example.rate().is_some())?.features.0.len();
    let watched: Vec<&Example> = examples
        .iter()
        .filter(|example| example.rate().is_some() && example.features.0.len() == width)
        .collect();
    let rates: Vec<f64> = watched.iter().filter_map(|example| example.rate()).collect();
    let bins = Bins::equal_frequency(&rates, bins);
    let classes = rates.iter().map(|rate| bins.of(*rate)).collect();
    let mut encoder = Encoder::default();
    let rows = watched.iter().map(|example| encoder.learn(&example.features)).collect();
    let data = Encoded { rows, classes, class_count: bins.len() as u32 };
    Some((watched, encoder, data))
}

/// Predicts change rates from features.
#[derive(Debug, Clone)]
pub struct Predictor {
    model: Model,
    encoder: Encoder,
    width: usize,
    rates: Vec<f64>,
}

impl Predictor {
    /// Learns from pages whose history is known. `None` if there is no such page.
    pub fn train(examples: &[Example], method: Method) -> Option<Self> {
        Self::with_bins(examples, method, BINS)
    }

    /// The same with another number of bins.
    pub fn with_bins(examples: &[Example], method: Method, bins: usize) -> Option<Self> {
        let (watched, encoder, data) = prepare(examples, bins)?;
        let mut pooled = vec![(0.5, 0.0); data.class_count as usize];
        for (example, class) in watched.iter().zip(&data.classes) {
            let (changes, seconds) = &mut pooled[*class as usize];
            *changes += example.changes;
            *seconds += example.seconds;
        }
        let all: Vec<u32> = (0..data.rows.len() as u32).collect();
        Some(Predictor {
            model: Model::train(method, &data, &all),
            encoder,
            width: watched.first()?.features.0.len(),
            rates: pooled.into_iter().map(|(changes, seconds)| changes / seconds).collect(),
        })
    }

    /// The chance of each bin. `None` if the features are not those that the predictor was trained on.
    pub fn distribution(&self, features: &Features) -> Option<Vec<f64>> {
        (features.0.len() == self.width).then(|| self.model.distribution(&self.encoder.cells(features)))
    }

    /// The likeliest bin, 0 the coldest.
    pub fn bin(&self, features: &Features) -> Option<u32> {
        self.distribution(features).map(|distribution| likeliest(&distribution))
    }

    /// Changes per second that are to be expected.
    pub fn predict(&self, features: &Features) -> Option<f64> {
        let distribution = self.distribution(features)?;
        Some(distribution.iter().zip(&self.rates).map(|(chance, rate)| chance * rate).sum())
    }

    /// The rate of every bin, coldest first.
    pub fn rates(&self) -> &[f64] {
        &self.rates
    }
}

#[cfg(test)]
mod tests;
