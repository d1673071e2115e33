//! The order of the last crawl as a plan: what it would reach if it were run again.
//!
//! Visits in the order of the first captures. Revisits in the order of the last captures if every page was captured again,
//! else the crawl is repeated in its order. Pages that were never captured come last, as given. It is judged like every strategy, on
//! the same pages and at the same Δ, so that only the order counts; the pause between two crawls does not.

use super::page::Page;
use super::plan::{Plan, Revisits};
use super::site::Site;

pub(crate) const NAME: &str = "last-crawl";

/// The plan; `None` if no page has a capture.
pub(crate) fn plan(pages: &[&Page], site: &Site) -> Option<Plan> {
    let looks = || pages.iter().filter_map(|page| page.looks);
    looks().next()?;
    let mut order: Vec<u32> = (0..pages.len() as u32).collect();
    // None is less than any instant.
    let first = |page: &u32| {
        let looks = pages[*page as usize].looks;
        (looks.is_none(), looks.map(|(first, _)| first))
    };
    order.sort_by_key(first);
    let seen_twice = looks().count() == pages.len() && looks().all(|(first, last)| last > first);
    if !seen_twice {
        return Some(Plan::ordered(&order, Revisits::Fifo, site));
    }
    let visits = Plan::single(&order);
    let mut again = order;
    again.sort_by_key(|page| pages[*page as usize].looks.map(|(_, last)| last));
    let mut revisits = vec![0; pages.len()];
    for (slot, page) in again.into_iter().enumerate() {
        revisits[page as usize] = slot as u32;
    }
    Some(Plan::slots(visits.visit().to_vec(), revisits, site))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Instant;

    fn intervals(looks: &[Option<(i64, i64)>]) -> Option<Vec<u64>> {
        let pages: Vec<Page> = looks
            .iter()
            .map(|looks| Page {
                looks: looks.map(|(first, last)| (Instant(first), Instant(last))),
                ..Page::new("p", 0.1)
            })
            .collect();
        let pages: Vec<&Page> = pages.iter().collect();
        let site = Site::new(vec![0.1; pages.len()], 1.0).unwrap();
        let plan = plan(&pages, &site)?;
        Some((0..pages.len()).map(|page| plan.interval(page).unwrap()).collect())
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
