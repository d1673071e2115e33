use proptest::prelude::*;

use super::*;

const DAY: f64 = 86_400.0;

fn looks(changed: &[f64], unchanged: &[f64]) -> Looks {
    let mut looks = Looks::default();
    changed.iter().for_each(|gap| looks.gap(*gap, true));
    unchanged.iter().for_each(|gap| looks.gap(*gap, false));
    looks
}

/// Mean and quantiles by a hundred thousand points.
fn brute(prior: Prior, looks: &Looks) -> Estimate {
    let points: Vec<(f64, f64)> = (0..200_000)
        .map(|step| {
            let u = -60.0 + 70.0 * f64::from(step) / 200_000.0;
            let rate = f64::exp(u);
            (rate, prior.shape * u - prior.rate * rate + looks.log_likelihood(rate))
        })
        .collect();
    let top = points.iter().map(|point| point.1).fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = points.iter().map(|point| (point.1 - top).exp()).collect();
    let total: f64 = weights.iter().sum();
    let quantile = |share: f64| {
        let mut below = 0.0;
        for (point, weight) in points.iter().zip(&weights) {
            below += weight;
            if below >= share * total {
                return point.0;
            }
        }
        f64::NAN
    };
    let mean = points.iter().zip(&weights).map(|(point, weight)| point.0 * weight).sum::<f64>() / total;
    let square =
        points.iter().zip(&weights).map(|(point, weight)| point.0 * point.0 * weight).sum::<f64>() / total;
    let variance = square - mean * mean;
    Estimate { mean, low: quantile(0.025), high: quantile(0.975), variance, shared: 0.0 }
}

fn close(one: f64, other: f64, tolerance: f64) -> bool {
    (one / other - 1.0).abs() < tolerance
}

#[test]
fn without_a_change_the_posterior_is_a_gamma_distribution() {
    let prior = Prior { shape: 0.5, rate: 30.0 * DAY };
    let estimate = prior.posterior(&looks(&[], &[10.0 * DAY, 20.0 * DAY]));
    assert!(close(estimate.mean, 0.5 / (60.0 * DAY), 1e-12));
    assert!(estimate.low > 0.0 && estimate.low < estimate.mean && estimate.mean < estimate.high);
}

#[test]
fn a_page_seen_to_change_is_estimated_above_one_that_was_not() {
    let prior = Prior { shape: 0.5, rate: 30.0 * DAY };
    let still = prior.posterior(&looks(&[], &[DAY; 5]));
    let once = prior.posterior(&looks(&[DAY], &[DAY; 4]));
    let always = prior.posterior(&looks(&[DAY; 5], &[]));
    assert!(still.mean < once.mean && once.mean < always.mean && always.mean.is_finite());
}

#[test]
fn many_looks_outweigh_the_prior() {
    let rate = 1.0 / (3.0 * DAY);
    let (changed, unchanged): (Vec<f64>, Vec<f64>) = (vec![DAY; 2835], vec![DAY; 7165]);
    let estimate = Prior { shape: 1.0, rate: 3.0 * DAY }.posterior(&looks(&changed, &unchanged));
    assert!(close(estimate.mean, rate, 0.02), "{estimate:?}");
    assert!(estimate.low < rate && rate < estimate.high && estimate.high / estimate.low < 1.1);
}

#[test]
fn a_fit_finds_the_distribution_the_pages_were_drawn_from() {
    // Rates at the quantiles of Gamma(0.8, 40 days); captures once a day for a year, changes as expected.
    let truth = Prior { shape: 0.8, rate: 40.0 * DAY };
    let pages: Vec<Looks> = (0..400)
        .map(|place| {
            let rate =
                crate::change::special::gamma_quantile(0.8, (f64::from(place) + 0.5) / 400.0) / truth.rate;
            let changed = (365.0 * (1.0 - (-rate * DAY).exp())).round() as usize;
            looks(&vec![DAY; changed], &vec![DAY; 365 - changed])
        })
        .collect();
    let Fitted { prior: fitted, deviation } = Prior::fit(&pages, Hyper::default());
    assert!(deviation < 0.15, "{deviation}");
    assert!(close(fitted.mean(), truth.mean(), 0.1), "{fitted:?}");
    assert!(close(fitted.shape, truth.shape, 0.3), "{fitted:?}");
}

#[test]
fn a_site_where_nothing_ever_changed_still_has_a_prior() {
    let pages = vec![looks(&[], &[100.0 * DAY]); 50];
    let fitted = Prior::fit(&pages, Hyper::default()).prior;
    assert!(fitted.mean() > 0.0 && fitted.mean() < 1.0 / (1000.0 * DAY), "{fitted:?}");
    let nothing = Prior::fit(std::iter::empty(), Hyper::default());
    assert!(close(nothing.prior.mean(), 1.0 / (60.0 * DAY), 1e-9));
    assert!(close(nothing.deviation, 3.0, 1e-6), "{nothing:?}");
}

#[test]
fn what_a_fit_to_few_looks_leaves_open_widens_the_interval() {
    let one = looks(&[], &[120.0]);
    let few = Prior::fit([&one], Hyper::default());
    let (wide, narrow) = (few.posterior(&one), few.prior.posterior(&one));
    assert_eq!(wide.mean, narrow.mean);
    assert!(wide.low < narrow.low / 50.0 && wide.high > narrow.high * 50.0, "{wide:?} {narrow:?}");
    let many = vec![looks(&[DAY; 5], &[DAY; 5]); 200];
    let fitted = Prior::fit(&many, Hyper::default());
    assert!(fitted.deviation < 0.1, "{fitted:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn the_quadrature_equals_brute_force(
        shape in 0.05f64..3.0,
        days in 0.01f64..1000.0,
        changed in prop::collection::vec(1e-4f64..400.0, 1..20),
        unchanged in prop::collection::vec(1e-4f64..400.0, 0..20),
    ) {
        let scale = |gaps: &[f64]| gaps.iter().map(|gap| gap * DAY).collect::<Vec<_>>();
        let prior = Prior { shape, rate: days * DAY };
        let looks = looks(&scale(&changed), &scale(&unchanged));
        let (fast, slow) = (prior.posterior(&looks), brute(prior, &looks));
        prop_assert!(close(fast.mean, slow.mean, 1e-4), "{fast:?} {slow:?}");
        prop_assert!(close(fast.low, slow.low, 5e-3), "{fast:?} {slow:?}");
        prop_assert!(close(fast.high, slow.high, 5e-3), "{fast:?} {slow:?}");
    }
}

#[test]
fn the_chance_of_a_change_is_that_of_the_definitions() {
    // Prior (.5, 10 days), gaps of 1, 30, 7, 90, 7 days, changed at 30 and 90: the exact mean rate is .048314 a day.
    let prior = Prior { shape: 0.5, rate: 10.0 };
    let mut looks = Looks::default();
    assert!((prior.change_within(&looks, 10.0) - (1.0 - 0.5f64.sqrt())).abs() < 1e-12);
    for (gap, changed) in [(1.0, false), (30.0, true), (7.0, false), (90.0, true), (7.0, false)] {
        looks.gap(gap, changed);
    }
    assert!((prior.posterior(&looks).mean - 0.048314).abs() < 5e-7);
    // In a short time the chance is the rate times the time; and it grows towards 1.
    assert!((prior.change_within(&looks, 1e-6) / 1e-6 - 0.048314).abs() < 5e-7);
    let chances: Vec<f64> = [1.0, 10.0, 100.0, 1e4].map(|days| prior.change_within(&looks, days)).to_vec();
    assert!(chances.windows(2).all(|pair| pair[0] < pair[1]) && chances[3] > 0.99);
}
