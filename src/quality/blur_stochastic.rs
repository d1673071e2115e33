//! Stochastic blur of one page: how many changes a reader misses, expected from its rate.
//!
//! A page changes as a Poisson process of rate `lambda` and was captured at `t_1 < ... < t_m` within the observation interval
//! `[o_s, o_e]`. Who asks for a time in it is served the closest capture, and sees on average `lambda` times the distance
//! too many or too few changes. Averaged over the interval:
//!
//! ```text
//! B     = lambda * omega / (o_e - o_s)
//! omega = (t_1 - o_s)^2 / 2  +  sum_k (t_(k+1) - t_k)^2 / 4  +  (o_e - t_m)^2 / 2
//! ```
//!
//! For m = 1 this is `t^2 - t (o_s + o_e) + (o_s^2 + o_e^2) / 2`, least in the middle.
//!
//! Source: Denev, Mazeika, Spaniol, Weikum: The SHARC framework for data quality in Web archiving, VLDB Journal 2011, eq. 1–4
//! (one capture), 18–20 (two). DIFFERENCE: any number of captures; averages over a site divide by the number of pages
//! (eq. 4) for revisits too, where the text divides by one less. Cost: O(m).

/// The penalty `omega` of captures at these times (sorted, inside `[from, to]`); `None` without captures.
pub(crate) fn penalty(captures: &[f64], from: f64, to: f64) -> Option<f64> {
    let (first, last) = (captures.first()?, captures.last()?);
    let inner: f64 = captures.windows(2).map(|pair| (pair[1] - pair[0]).powi(2)).sum();
    Some((first - from).powi(2) / 2.0 + inner / 4.0 + (to - last).powi(2) / 2.0)
}

/// The blur; `None` without captures. An interval without length has none.
pub(crate) fn blur(rate: f64, captures: &[f64], from: f64, to: f64) -> Option<f64> {
    let penalty = penalty(captures, from, to)?;
    Some(if to > from { rate * penalty / (to - from) } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Figure 3 of the paper: rates 0 to 5.
    fn site(times: [&[f64]; 6], to: f64) -> [f64; 6] {
        std::array::from_fn(|page| blur(page as f64, times[page], 0.0, to).unwrap())
    }

    #[test]
    fn sharc_example_1_is_27_5_and_4_583333() {
        let blurs = site([&[0.0], &[1.0], &[2.0], &[3.0], &[4.0], &[5.0]], 5.0);
        for (blur, expected) in blurs.iter().zip([0.0, 1.7, 2.6, 3.9, 6.8, 12.5]) {
            assert!((blur - expected).abs() < 1e-12);
        }
        let total: f64 = blurs.iter().sum();
        assert!((total - 27.5).abs() < 1e-12);
        assert!((total / 6.0 - 4.583333).abs() < 5e-7);
    }

    #[test]
    fn sharc_example_2_is_22_7() {
        let total: f64 = site([&[0.0], &[5.0], &[1.0], &[4.0], &[2.0], &[3.0]], 5.0).iter().sum();
        assert!((total - 22.7).abs() < 1e-12);
    }

    #[test]
    fn sharc_example_7_is_24_772727() {
        let blurs =
            site([&[0.0, 6.0], &[1.0, 7.0], &[2.0, 8.0], &[3.0, 9.0], &[4.0, 10.0], &[5.0, 11.0]], 11.0);
        for (blur, expected) in blurs.iter().zip([0.0, 35.0, 62.0, 93.0, 140.0, 215.0]) {
            assert!((blur * 22.0 - expected).abs() < 1e-9);
        }
        assert!((blurs.iter().sum::<f64>() - 24.772727).abs() < 5e-7);
    }

    #[test]
    fn sharc_example_8_is_22_590909() {
        let blurs =
            site([&[0.0, 6.0], &[5.0, 11.0], &[1.0, 7.0], &[4.0, 10.0], &[2.0, 8.0], &[3.0, 9.0]], 11.0);
        assert!((blurs.iter().sum::<f64>() - 22.590909).abs() < 5e-7);
    }

    #[test]
    fn no_capture_is_unknown_and_an_instant_has_no_blur() {
        assert_eq!(blur(1.0, &[], 0.0, 5.0), None);
        assert_eq!(blur(1.0, &[3.0], 3.0, 3.0), Some(0.0));
    }

    proptest! {
        #[test]
        fn the_closed_form_equals_numerical_integration(
            mut captures in prop::collection::vec(0.0f64..100.0, 1..8),
            rate in 0.001f64..5.0,
        ) {
            captures.sort_by(f64::total_cmp);
            let steps = 20_000;
            let sum: f64 = (0..steps)
                .map(|step| {
                    let at = 100.0 * (f64::from(step) + 0.5) / f64::from(steps);
                    captures.iter().map(|capture| (capture - at).abs()).fold(f64::INFINITY, f64::min)
                })
                .sum();
            let numeric = rate * sum / f64::from(steps);
            prop_assert!((blur(rate, &captures, 0.0, 100.0).unwrap() - numeric).abs() < 1e-3 * rate);
        }
    }
}
