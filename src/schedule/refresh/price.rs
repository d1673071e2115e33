//! The price of a download at which pages demand what the budget pays for: the root of a falling function.

/// Two prices next to each other, between whose demands the budget lies (the first demands more). Where demand is within 10⁻¹³ of the
/// budget one price is both.
pub(super) fn bracket(demand: impl Fn(f64) -> f64, budget: f64) -> (f64, f64) {
    // In logarithms demand is nearly a line.
    let at = |log: f64| (demand(log.exp()) / budget).ln();
    let is_close = |difference: f64| difference.abs() <= 1e-13;
    let (mut low, mut high) = (-1.0, 1.0);
    let (mut f_low, mut f_high) = (at(low), at(high));
    while f_low < 0.0 && low > -690.0 {
        (high, f_high) = (low, f_low);
        low = f64::max(2.0 * low - 1.0, -700.0);
        f_low = at(low);
    }
    while f_high > 0.0 && high < 690.0 {
        (low, f_low) = (high, f_high);
        high = f64::min(2.0 * high + 1.0, 700.0);
        f_high = at(high);
    }
    // Regula falsi (Anderson, Björck): an end that stays is given less weight. Halving where that is slow.
    let (mut weighed_low, mut weighed_high) = (f_low, f_high);
    let mut was_low = None;
    for step in 0..200 {
        if is_close(f_low) {
            return (low.exp(), low.exp());
        }
        if is_close(f_high) {
            return (high.exp(), high.exp());
        }
        if high - low <= 1e-15 * low.abs().max(1e-3) || f_low <= 0.0 {
            break;
        }
        let secant = low + (high - low) * weighed_low / (weighed_low - weighed_high);
        let is_inside = secant > low && secant < high && step % 4 != 3;
        let middle = if is_inside { secant } else { low + (high - low) / 2.0 };
        if middle <= low || middle >= high {
            break;
        }
        let f = at(middle);
        let weaker = |own: f64| Some(1.0 - f / own).filter(|part| *part > 0.0).unwrap_or(0.5);
        if f > 0.0 {
            weighed_high = if was_low == Some(true) { weighed_high * weaker(weighed_low) } else { f_high };
            (low, f_low, weighed_low) = (middle, f, f);
        } else {
            weighed_low = if was_low == Some(false) { weighed_low * weaker(weighed_high) } else { f_low };
            (high, f_high, weighed_high) = (middle, f, f);
        }
        was_low = Some(f > 0.0);
        if !(weighed_low.is_finite() && weighed_high.is_finite()) {
            (weighed_low, weighed_high) = (f_low, f_high);
        }
    }
    (low.exp(), high.exp())
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn few_steps_find_the_price_of_very_different_demands() {
        for budget in [1e-6, 0.3, 20.0, 5000.0] {
            for (place, demand) in [
                (&|price: f64| 1000.0 / price.sqrt()) as &dyn Fn(f64) -> f64,
                &|price| (7.0 / price).ln_1p(),
                &|price| (1..100).map(|i| (f64::from(i) / price).sqrt() - 0.1).filter(|f| *f > 0.0).sum(),
            ]
            .into_iter()
            .enumerate()
            {
                // No price is low enough for the second one.
                if demand((-700.0f64).exp()) < budget {
                    continue;
                }
                let steps = Cell::new(0);
                let counted = |price| {
                    steps.set(steps.get() + 1);
                    demand(price)
                };
                let (low, high) = bracket(counted, budget);
                assert!(low <= high && demand(low) >= budget * (1.0 - 1e-12), "{place} {budget}");
                assert!(demand(high) <= budget * (1.0 + 1e-12), "{place} {budget}");
                // The last demand ends at a price: its logarithm is no line there.
                let few = if place == 2 { 80 } else { 30 };
                assert!(steps.get() < few, "{place} {budget} {}", steps.get());
            }
        }
    }

    #[test]
    fn a_jump_of_demand_has_a_price_on_either_side() {
        let (low, high) = bracket(|price| if price < 3.0 { 10.0 } else { 0.0 }, 4.0);
        assert!(low < 3.0 + 1e-12 && high > 3.0 - 1e-12 && high - low < 1e-12, "{low} {high}");
    }
}
