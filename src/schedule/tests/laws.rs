//! What must hold for every strategy.

use proptest::prelude::*;

use crate::schedule::expected::{blur, coherence, expected};
use crate::schedule::links::Links;
use crate::schedule::plan::Plan;
use crate::schedule::registry::{COMPARED, Settings, strategy};
use crate::schedule::site::Site;

fn is_permutation(slots: &[u32]) -> bool {
    let mut slots = slots.to_vec();
    slots.sort_unstable();
    slots.iter().enumerate().all(|(at, &slot)| at == slot as usize)
}

fn assert_whole(name: &str, site: &Site, plan: &Plan) {
    assert_eq!(plan.len(), site.len(), "{name}");
    assert!(is_permutation(plan.visit()), "{name}: visits");
    assert!(is_permutation(plan.revisit().unwrap()), "{name}: revisits");
    let reached = expected(site, plan, 0.5);
    assert!(reached.coherence.is_some_and(f64::is_finite) && !reached.blur.is_nan(), "{name}: {reached:?}");
}

fn rate() -> impl Strategy<Value = f64> {
    prop_oneof![8 => (-5.0f64..1.0).prop_map(|log| 10f64.powf(log)), 1 => Just(0.0), 1 => Just(f64::INFINITY)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn every_strategy_plans_every_page_and_none_beats_the_optimum(
        pages in prop::collection::vec((rate(), 0.0f64..3.0), 0..40),
        two_phase in any::<bool>(),
        outdegree in 1usize..5,
    ) {
        let (rates, weights): (Vec<f64>, Vec<f64>) = pages.into_iter().unzip();
        let site = Site::new(rates, 1.5).unwrap().with_weights(weights).unwrap().two_phase(two_phase);
        let links = Links::tree(site.len(), outdegree);
        let best = strategy("optimal", &Settings::default()).unwrap().plan(&site);
        let bound = best.bound().unwrap() * (1.0 + 1e-12);
        let least = strategy("sharc-offline", &Settings::default()).unwrap().plan(&site).visits_only();
        let least = blur(&site, &least) * (1.0 - 1e-12);
        for name in COMPARED {
            let strategy = strategy(name, &Settings::default()).unwrap();
            for plan in [strategy.plan(&site), strategy.crawl(&site, &links)] {
                assert_whole(name, &site, &plan);
                prop_assert!(coherence(&site, &plan).unwrap() <= bound, "{} beats the optimum", name);
                prop_assert!(blur(&site, &plan.visits_only()) >= least, "{} is less blurred than SHARC-offline", name);
            }
        }
    }
}

#[test]
fn none_one_and_two_pages_and_equal_pages_can_be_planned() {
    for rates in [vec![], vec![0.3], vec![0.3, 0.1], vec![0.3; 50], vec![0.0; 9], vec![f64::INFINITY; 9]] {
        let site = Site::new(rates, 1.0).unwrap();
        for name in COMPARED {
            assert_whole(name, &site, &strategy(name, &Settings::default()).unwrap().plan(&site));
        }
    }
}

#[test]
fn a_site_that_is_fetched_in_no_time_is_sharp() {
    let site = Site::new(vec![0.1, f64::INFINITY, 3.0], 0.0).unwrap();
    for name in COMPARED {
        let plan = strategy(name, &Settings::default()).unwrap().plan(&site);
        assert_eq!(coherence(&site, &plan), Some(3.0), "{name}");
    }
}

#[test]
fn a_million_identical_pages_behave() {
    let n = 1_000_000;
    let site = Site::new(vec![1e-6; n], 1.0).unwrap();
    let geometric = (1.0 - (-2e-6 * n as f64).exp()) / (1.0 - (-2e-6f64).exp());
    for name in ["optimal", "sharc-offline-lifo", "hottest-middle", "sharc-selective"] {
        let plan = strategy(name, &Settings::default()).unwrap().plan(&site);
        assert!((coherence(&site, &plan).unwrap() / geometric - 1.0).abs() < 1e-9, "{name}");
    }
}
