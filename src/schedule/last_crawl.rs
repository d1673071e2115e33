//! The order of the last crawl as a plan: what it would reach if it were run again.
//!
//! Visits in the order of the first captures. Revisits in the order of the last captures if every page was captured again,
//! else the crawl is repeated in its order. Pages that were never captured come last, as given. It is judged like every strategy, on
//! the same pages and at the same Δ, so that only the order counts; the pause between two crawls does not.

use super::plan::{Plan, Revisits};
use super::site::Site;
use crate::time::Instant;

pub(crate) const NAME: &str = "last-crawl";

/// The plan of pages with these first and last captures; `None` if no page has a capture.
pub(crate) fn plan(looks: &[Option<(Instant, Instant)>], site: &Site) -> Option<Plan> {
    looks.iter().flatten().next()?;
    let mut order: Vec<u32> = (0..looks.len() as u32).collect();
    // None is less than any instant.
    let first = |page: &u32| {
        let looks = looks[*page as usize];
        (looks.is_none(), looks.map(|(first, _)| first))
    };
    order.sort_by_key(first);
    let seen_twice = looks.iter().all(|looks| looks.is_some_and(|(first, last)| last > first));
    if !seen_twice {
        return Some(Plan::ordered(&order, Revisits::Fifo, site));
    }
    let visits = Plan::single(&order);
    let mut again = order;
    again.sort_by_key(|page| looks[*page as usize].map(|(_, last)| last));
    let mut revisits = vec![0; looks.len()];
    for (slot, page) in again.into_iter().enumerate() {
        revisits[page as usize] = slot as u32;
    }
    Some(Plan::slots(visits.visit().to_vec(), revisits, site))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intervals(looks: &[Option<(i64, i64)>]) -> Option<Vec<u64>> {
        let looks: Vec<_> =
            looks.iter().map(|looks| looks.map(|(first, last)| (Instant(first), Instant(last)))).collect();
        let site = Site::new(vec![0.1; looks.len()], 1.0).unwrap();
        let plan = plan(&looks, &site)?;
        Some((0..looks.len()).map(|page| plan.interval(page).unwrap()).collect())
    }

    #[test]
    fn a_crawl_that_ran_twice_is_seen_as_such_and_one_that_ran_back_too() {
        assert_eq!(intervals(&[Some((1, 11)), Some((3, 13)), Some((2, 12))]), Some(vec![3, 3, 3]));
        assert_eq!(intervals(&[Some((1, 9)), Some((2, 8)), Some((3, 7))]), Some(vec![4, 2, 0]));
    }

    #[test]
    fn a_single_visit_is_repeated_and_what_was_never_captured_comes_last() {
        assert_eq!(intervals(&[None, Some((5, 5)), Some((4, 4))]), Some(vec![3, 3, 3]));
        assert_eq!(intervals(&[None, None]), None);
        assert_eq!(intervals(&[]), None);
        assert_eq!(intervals(&[Some((1, 1))]), Some(vec![0]));
    }
}
