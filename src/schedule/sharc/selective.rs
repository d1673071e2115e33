//! SHARC-selective: a pyramid with the hottest *hopeful* pages in the middle and the *hopeless* ones outside.
//!
//! Pages are taken hottest first. The next one gets the shortest free interval (it is hopeful) unless it pays to give it up:
//! to give it the longest and let all colder pages move one step inwards. With rates `μ_0 ≥ μ_1 ≥ …`, intervals `I_0 < I_1 <
//! …`, m pages and h hopeless ones so far, page i is hopeful if
//!
//! ```text
//! D_h(i) ≥ D_{h+1}(i+1) + w_i·e^(−μ_i·I_{m−1−h}),    D_h(i) = Σ_{j≥i} w_j·e^(−μ_j·I_{j−h})
//! ```
//!
//! and a page with the zero interval always is. With the terms `a_j = w_j·e^(−μ_j·I_{j−h})` of the row h, which grow by `g_j =
//! e^(2μ_jΔ)` from row to row, this is the same as
//!
//! ```text
//! a_i ≥ G(i+1) + z_i,    G(i) = Σ_{j≥i} a_j(g_j − 1),    z_i = w_i·e^(−μ_i·I_{m−1−h}):
//! ```
//!
//! what the page has to lose against what the others gain. All terms of G are positive, so nothing cancels. A hopeful page costs
//! `O(1)`, a hopeless one a new row: two multiplications and an addition for every page that is left. Cost: a sort and
//! hopeless × n multiply-adds.
//!
//! Source: Denev et al., *The SHARC framework*, §7.2, Def. 6 and Algorithm 3, with indices read as in Example 11. The
//! weights w are not in the paper, which names them as future work.

use crate::schedule::plan::{Plan, Strategy};
use crate::schedule::site::{Site, survival};

pub(crate) struct Selective;

impl Strategy for Selective {
    fn plan(&self, site: &Site) -> Plan {
        let hottest_first = site.hottest_first();
        let (hopeful, hopeless) = select(site, &hottest_first);
        // The first page given up has the longest interval.
        let inner_first: Vec<u32> = hopeful.iter().chain(hopeless.iter().rev()).copied().collect();
        let mut keeps = vec![true; site.len()];
        hopeless.iter().for_each(|&page| keeps[page as usize] = false);
        Plan::pyramid(&inner_first, site).with_kept(keeps)
    }
}

/// Rows between two exact evaluations: in between, terms are carried on by multiplication.
const REFRESH: usize = 64;

/// Beyond this 2μΔ a factor could overflow within [`REFRESH`] rows, and is not needed: such pages are evaluated exactly.
const HOT: f64 = 8.0;

/// Sums that differ by less than rounding are equal: pages of one rate must not differ by the last bit.
pub(super) const TIE: f64 = 1.0 + 1e-11;

/// Splits the pages, hottest first, into hopeful and hopeless ones, both in the order of decision.
fn select(site: &Site, hottest_first: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let (mut hopeful, mut hopeless) = (Vec::new(), Vec::new());
    let mut row = Row::new(site, hottest_first);
    for (i, &page) in hottest_first.iter().enumerate() {
        let zero = site.interval(hopeful.len()) == 0.0;
        if zero || row.gains[i + 1] + row.outermost(i) <= row.terms[i] * TIE {
            hopeful.push(page);
        } else {
            hopeless.push(page);
            row.give_up(i);
        }
    }
    (hopeful, hopeless)
}

/// The terms `a_j` of row h, and the suffix sums `G(i)` of what they would gain.
struct Row<'a> {
    site: &'a Site,
    pages: &'a [u32],
    given_up: usize,
    terms: Vec<f64>,
    /// One entry more than pages: nobody gains after the last.
    gains: Vec<f64>,
    /// g_j − 1 = e^(2μΔ) − 1.
    growth: Vec<f64>,
    /// Pages before this one are evaluated exactly in every row.
    hot: usize,
}

impl<'a> Row<'a> {
    fn new(site: &'a Site, pages: &'a [u32]) -> Self {
        let m = pages.len();
        let step = |page: &u32| 2.0 * site.delay() * site.rates()[*page as usize];
        let mut row = Row {
            site,
            pages,
            given_up: 0,
            terms: vec![0.0; m],
            gains: vec![0.0; m + 1],
            growth: pages.iter().map(|page| step(page).min(HOT).exp_m1()).collect(),
            hot: pages.partition_point(|page| step(page) > HOT),
        };
        row.evaluate(0, m);
        row.sum(0);
        row
    }

    /// Page i is given up: all after it move one step inwards.
    fn give_up(&mut self, i: usize) {
        self.given_up += 1;
        let (from, m) = (i + 1, self.pages.len());
        if self.given_up.is_multiple_of(REFRESH) {
            self.evaluate(from, m);
            self.sum(from);
            return;
        }
        let grown = from.max(self.hot).min(m);
        self.evaluate(from, grown);
        let mut sum = 0.0;
        let pages = self.terms[grown..].iter_mut().zip(&self.growth[grown..]).zip(&mut self.gains[grown..m]);
        for ((term, growth), gain) in pages.rev() {
            *term += *term * growth;
            sum += *term * growth;
            *gain = sum;
        }
        self.sum_hot(from, grown, sum);
    }

    /// Terms of pages `from..to` by definition.
    fn evaluate(&mut self, from: usize, to: usize) {
        for j in from..to {
            let term = self.term(j, j - self.given_up);
            // Too small to matter before the next refresh; and denormal numbers are slow.
            self.terms[j] = if term < 1e-290 { 0.0 } else { term };
        }
    }

    /// Suffix sums from page `from` on.
    fn sum(&mut self, from: usize) {
        let grown = from.max(self.hot).min(self.pages.len());
        let mut sum = 0.0;
        for j in (grown..self.pages.len()).rev() {
            sum += self.terms[j] * self.growth[j];
            self.gains[j] = sum;
        }
        self.sum_hot(from, grown, sum);
    }

    /// Suffix sums of pages too hot for a factor: one step inwards by definition.
    fn sum_hot(&mut self, from: usize, to: usize, mut sum: f64) {
        for j in (from..to).rev() {
            sum += self.term(j, (j - self.given_up).saturating_sub(1)) - self.terms[j];
            self.gains[j] = sum;
        }
    }

    /// z_i: what is left of page i on the longest free interval.
    fn outermost(&self, i: usize) -> f64 {
        self.term(i, self.pages.len() - 1 - self.given_up)
    }

    /// `w_j·e^(−μ_j·I_k)`.
    fn term(&self, j: usize, k: usize) -> f64 {
        let page = self.pages[j] as usize;
        self.site.weights()[page] * survival(self.site.rates()[page], self.site.interval(k))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::expected::coherence;
    use crate::schedule::plan::Strategy;
    use proptest::prelude::*;

    #[test]
    fn sharc_example_11_is_met() {
        let site = Site::new(vec![0.40, 0.35, 0.30, 0.25, 0.20], 1.0).unwrap();
        let plan = Selective.plan(&site);
        let intervals: Vec<u64> = (0..5).map(|page| plan.interval(page).unwrap()).collect();
        assert_eq!(intervals, [0, 8, 6, 2, 4]);
        assert!((coherence(&site, &plan).unwrap() - 2.281_969).abs() < 5e-7);
    }

    /// Definition 6, both sums from scratch for every page.
    fn slowly(site: &Site) -> usize {
        let order = site.hottest_first();
        let m = order.len();
        let (mut hopeful, mut hopeless) = (0, 0);
        let term = |j: usize, k: usize| {
            let page = order[j] as usize;
            site.weights()[page] * survival(site.rates()[page], site.interval(k))
        };
        for i in 0..m {
            let keep: f64 = (i..m).map(|j| term(j, j - hopeless)).sum();
            let give_up: f64 =
                (i + 1..m).map(|j| term(j, j - hopeless - 1)).sum::<f64>() + term(i, m - 1 - hopeless);
            if site.interval(hopeful) == 0.0 || keep >= give_up - 1e-11 * term(i, i - hopeless) {
                hopeful += 1
            } else {
                hopeless += 1
            }
        }
        hopeless
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_incremental_sums_decide_as_the_definition(
            pages in prop::collection::vec((-4.0f64..1.0, 0.1f64..3.0), 0..200),
            two_phase in any::<bool>(),
        ) {
            let (rates, weights): (Vec<f64>, Vec<f64>) = pages.into_iter().map(|(log, weight)| (10f64.powf(log), weight)).unzip();
            let site = Site::new(rates, 1.0).unwrap().with_weights(weights).unwrap().two_phase(two_phase);
            let hopeless = select(&site, &site.hottest_first()).1.len();
            prop_assert_eq!(hopeless, slowly(&site));
        }
    }

    #[test]
    fn pages_of_infinite_and_of_zero_rate_are_kept_apart() {
        let site = Site::new(vec![f64::INFINITY, f64::INFINITY, 0.0, 0.0, 1.0], 1.0).unwrap();
        let plan = Selective.plan(&site);
        assert!(coherence(&site, &plan).unwrap() > 3.0);
        assert!(plan.interval(1).unwrap() == 8);
    }
}
