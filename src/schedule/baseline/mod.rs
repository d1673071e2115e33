//! What crawlers do today, and what the papers compare with.

pub(crate) mod bfs;
pub(crate) mod dfs;
pub(crate) mod hottest;
pub(crate) mod op;
pub(crate) mod relevance;
pub(crate) mod frequency;

/// The running example of the SHARC paper (Fig. 3): six pages of rates 0 to 5, p0 → p1 p2, p1 → p3 p4, p2 → p5.
#[cfg(test)]
pub(crate) fn sharc_example() -> (super::site::Site, super::links::Links) {
    let site = super::site::Site::new((0..6).map(f64::from).collect(), 1.0).unwrap();
    let children = [vec![1, 2], vec![3, 4], vec![5], vec![], vec![], vec![]];
    (site, super::links::Links::new(vec![0], &children))
}
