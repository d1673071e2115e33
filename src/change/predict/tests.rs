//! Predictors as a whole, on pages whose rates are known.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::*;
use crate::change::predict::features::Value;

fn example(features: Vec<Value>, changes: f64) -> Example {
    Example { features: Features(features), changes, seconds: 100.0 }
}

/// Pages of three folders: the class is that of the folder with chance 0.7, else any other with equal chance. A number
/// says nothing. No classifier can be right more often than 70%.
fn noisy(count: usize, seed: u64) -> Vec<Example> {
    let mut random = Pcg64Mcg::seed_from_u64(seed);
    (0..count)
        .map(|_| {
            let folder = random.random_range(0..3u32);
            let class =
                if random.random_bool(0.7) { folder } else { (folder + random.random_range(1..3u32)) % 3 };
            let name = Value::Name(format!("folder {folder}").into());
            example(vec![name, Value::Number(random.random_range(0.0..1.0))], f64::from(class))
        })
        .collect()
}

#[test]
fn both_classifiers_reach_the_bayes_rate_of_a_noisy_site_and_do_not_pass_it() {
    let examples = noisy(4000, 1);
    for method in [Method::NaiveBayes, Method::Tree] {
        let assessment = cross_validate(&examples, method, 3, 10, 2).unwrap();
        let accuracy = assessment.accuracy().unwrap();
        // Four standard errors of a share of 0.7 among 4000.
        assert!((accuracy - 0.7).abs() < 4.0 * (0.21f64 / 4000.0).sqrt(), "{}: {accuracy}", method.name());
        assert_eq!(assessment.pages(), 4000);
        assert_eq!(assessment.off_by.len(), 3);
    }
}

#[test]
fn a_tree_learns_where_two_features_only_tell_together_and_naive_bayes_cannot() {
    // The class is 1 where exactly one of the two is high; the first threshold a tree tries is off the middle, because
    // the halves are not quite equal, and that is enough to start with.
    let mut random = Pcg64Mcg::seed_from_u64(3);
    let examples: Vec<Example> = (0..2000)
        .map(|_| {
            let (x, y) = (random.random_range(0.0..1.0), random.random_range(0.0..1.2));
            let class = u8::from((x > 0.5) != (y > 0.5));
            example(vec![Value::Number(x), Value::Number(y)], f64::from(class))
        })
        .collect();
    let accuracy = |method| cross_validate(&examples, method, 2, 10, 2).unwrap().accuracy().unwrap();
    assert!(accuracy(Method::Tree) > 0.97, "{}", accuracy(Method::Tree));
    assert!(accuracy(Method::NaiveBayes) < 0.7, "{}", accuracy(Method::NaiveBayes));
}

#[test]
fn the_same_examples_and_seed_give_the_same_predictor_and_assessment() {
    let examples = noisy(500, 4);
    for method in [Method::NaiveBayes, Method::Tree] {
        let run = || {
            let predictor = Predictor::train(&examples, method).unwrap();
            let rates: Vec<Option<f64>> =
                examples.iter().map(|example| predictor.predict(&example.features)).collect();
            (rates, cross_validate(&examples, method, 10, 10, 9))
        };
        assert_eq!(run(), run());
    }
}

#[test]
fn the_rate_of_a_bin_pools_its_changes_and_its_time_and_is_never_zero() {
    let page = |name: &str, changes: f64, seconds: f64| Example {
        features: Features(vec![Value::Name(name.into())]),
        changes,
        seconds,
    };
    let examples = [
        page("still", 0.0, 100.0),
        page("still", 0.0, 300.0),
        page("still", 0.0, 100.0),
        page("busy", 3.0, 10.0),
        page("busy", 5.0, 10.0),
        page("busy", 4.0, 10.0),
        page("unwatched", 0.0, 0.0),
    ];
    let (cold, hot) = (0.5 / 500.0, 12.5 / 30.0);
    // A tree parts the two names. Naive Bayes leaves (0 + 1)/(3 + 2) for what it has not seen. Of a name never seen only the
    // shares of the bins are known, and those are equal.
    for (method, seen) in [(Method::NaiveBayes, 0.8), (Method::Tree, 1.0)] {
        let predictor = Predictor::with_bins(&examples, method, 2).unwrap();
        assert_eq!(predictor.rates(), [cold, hot]);
        for (name, chance, bin) in [("still", seen, 0), ("busy", 1.0 - seen, 1), ("else", 0.5, 0)] {
            let features = Features(vec![Value::Name(name.into())]);
            let rate = predictor.predict(&features).unwrap();
            assert!((rate - chance * cold - (1.0 - chance) * hot).abs() < 1e-12, "{method:?} {name} {rate}");
            assert_eq!(predictor.bin(&features), Some(bin), "{method:?} {name}");
        }
        assert_eq!(predictor.predict(&Features(vec![])), None);
    }
    assert!(Predictor::train(&examples[6..], Method::Tree).is_none());
    assert!(Predictor::train(&[], Method::Tree).is_none());
    assert!(cross_validate(&examples[..1], Method::Tree, 10, 10, 0).is_none());
}
