//! The detected pages of an online crawl, in the order of some key.
//!
//! SHARC-online wants "the d-th coldest of the detected pages", others the coldest or the hottest. All pages are ranked
//! once; a Fenwick tree (P. Fenwick, *A new data structure for cumulative frequency tables*, 1994) counts the detected
//! ranks, so inserting a page and taking the k-th cost `O(log n)`.

/// A set of pages, ordered by rank.
#[derive(Debug)]
pub(crate) struct Frontier {
    by_rank: Vec<u32>,
    rank: Vec<u32>,
    counts: Vec<u32>,
    len: usize,
}

impl Frontier {
    /// An empty frontier over pages ranked as in `order`.
    pub(crate) fn new(order: Vec<u32>) -> Self {
        let mut rank = vec![0; order.len()];
        for (place, &page) in order.iter().enumerate() {
            rank[page as usize] = place as u32;
        }
        Frontier { counts: vec![0; order.len() + 1], by_rank: order, rank, len: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Adds a detected page (once).
    pub(crate) fn insert(&mut self, page: u32) {
        self.len += 1;
        self.add(self.rank[page as usize] as usize, 1);
    }

    /// Removes a page that is waiting.
    pub(crate) fn remove(&mut self, page: u32) {
        self.len -= 1;
        self.add(self.rank[page as usize] as usize, u32::MAX);
    }

    /// The page at position `k`, from 0, in the order of ranks.
    pub(crate) fn get(&self, k: usize) -> Option<u32> {
        if k >= self.len {
            return None;
        }
        let (mut place, mut left) = (0, k as u32);
        let mut step = self.by_rank.len().next_power_of_two();
        while step > 0 {
            if place + step < self.counts.len() && self.counts[place + step] <= left {
                place += step;
                left -= self.counts[place];
            }
            step /= 2;
        }
        Some(self.by_rank[place])
    }

    /// Takes the page at position `k`.
    pub(crate) fn take(&mut self, k: usize) -> Option<u32> {
        let page = self.get(k)?;
        self.remove(page);
        Some(page)
    }

    pub(crate) fn take_first(&mut self) -> Option<u32> {
        self.take(0)
    }

    pub(crate) fn take_last(&mut self) -> Option<u32> {
        self.take(self.len.checked_sub(1)?)
    }

    /// Adds one, or (`u32::MAX`, wrapping) takes one away.
    fn add(&mut self, rank: usize, by: u32) {
        let mut at = rank + 1;
        while at < self.counts.len() {
            self.counts[at] = self.counts[at].wrapping_add(by);
            at += at & at.wrapping_neg();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_frontier_is_a_sorted_list(actions in prop::collection::vec((0u32..40, 0usize..40), 0..120)) {
            let mut frontier = Frontier::new((0..40).rev().collect());
            let mut list: Vec<u32> = Vec::new();
            for (page, k) in actions {
                if list.contains(&page) {
                    prop_assert_eq!(frontier.take(k), list.get(k).copied());
                    if k < list.len() {
                        list.remove(k);
                    }
                } else {
                    frontier.insert(page);
                    list.push(page);
                    list.sort_unstable_by(|a, b| b.cmp(a));
                }
                prop_assert_eq!(frontier.len(), list.len());
            }
            prop_assert_eq!(frontier.take_last(), list.pop());
        }
    }
}
