//! From a softmax over knots to slots.
//!
//! Pages are asked one by one, the heaviest first and the rest by (μ, w), which knots they would share out to. The shares are
//! added up (`acc`), the page takes the knot that waits for most, and pays one there: so neighbouring pages split as the
//! softmax does. A knot that stands for one slot holds one page; wider ones any number. Pages are then laid out knot by knot,
//! those that lose most by waiting first, and the slot is the rank.

use super::Curves;
use super::knots::Knots;
use super::newton::Softmax;
use super::parallel::pieces;

/// The heaviest pages choose first.
const HEAVY: usize = 2_000;

/// Shares below e^(−3) of the greatest are left out.
const CUT: f64 = 3.0;

pub(super) fn round(curves: &Curves, knots: &Knots, prices: &[f64], eta: f64) -> Vec<u32> {
    let n = curves.len();
    let order = order(curves);
    let share: Vec<f64> = knots.weights().iter().map(|a| (a / n as f64).ln()).collect();
    let mut waiting = vec![0.0; knots.len()];
    let mut room: Vec<bool> = vec![true; knots.len()];
    let mut knot = vec![0u32; n];
    for block in order.chunks(1 << 16) {
        let shares = pieces(block.len(), 16, |range| {
            let mut softmax = Softmax::new(knots.len());
            let shares = |&page: &u32| {
                let (weight, mu) = (curves.weight[page as usize], curves.mu[page as usize]);
                softmax.of(weight, mu, eta * (weight + 1.0) / 2.0, knots, prices, &share, CUT);
                softmax.support.clone()
            };
            block[range].iter().map(shares).collect::<Vec<_>>()
        });
        for (&page, shares) in block.iter().zip(shares.iter().flatten()) {
            shares.iter().for_each(|&(j, pi)| waiting[j as usize] += pi);
            let most = shares
                .iter()
                .map(|&(j, _)| j as usize)
                .filter(|&j| room[j])
                .reduce(|best, j| if waiting[j] > waiting[best] { j } else { best });
            let taken = most.unwrap_or_else(|| best_with_room(curves, knots, prices, page as usize, &room));
            waiting[taken] -= 1.0;
            room[taken] = !knots.single(taken);
            knot[page as usize] = taken as u32;
        }
    }
    layout(curves, knots, &knot)
}

/// The best knot that still has room. The last wide knot always has; with single knots only, a page is left for each.
fn best_with_room(curves: &Curves, knots: &Knots, prices: &[f64], page: usize, room: &[bool]) -> usize {
    let gain = |j: usize| curves.at(page, knots.positions()[j] as usize) - prices[j];
    (0..knots.len())
        .filter(|&j| room[j])
        .reduce(|best, j| if gain(j) > gain(best) { j } else { best })
        .unwrap_or(0)
}

fn order(curves: &Curves) -> Vec<u32> {
    let mut order: Vec<u32> = (0..curves.len() as u32).collect();
    let weight = |page: u32| curves.weight[page as usize];
    let by_weight = |a: &u32, b: &u32| weight(*b).total_cmp(&weight(*a)).then(a.cmp(b));
    let heavy = HEAVY.min(order.len());
    if heavy < order.len() {
        order.select_nth_unstable_by(heavy, by_weight);
    }
    order[..heavy].sort_unstable_by(by_weight);
    let mu = |page: u32| curves.mu[page as usize];
    order[heavy..].sort_unstable_by(|a, b| {
        mu(*a).total_cmp(&mu(*b)).then(weight(*a).total_cmp(&weight(*b))).then(a.cmp(b))
    });
    order
}

/// Pages by (knot, loss per slot descending, number).
fn layout(curves: &Curves, knots: &Knots, knot: &[u32]) -> Vec<u32> {
    let loss =
        |page: usize| curves.mu[page] * curves.at(page, knots.positions()[knot[page] as usize] as usize);
    let mut laid: Vec<(u32, f64, u32)> =
        (0..knot.len()).map(|page| (knot[page], loss(page), page as u32)).collect();
    laid.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)).then(a.2.cmp(&b.2)));
    let mut slots = vec![0; knot.len()];
    for (slot, (_, _, page)) in laid.into_iter().enumerate() {
        slots[page as usize] = slot as u32;
    }
    slots
}
