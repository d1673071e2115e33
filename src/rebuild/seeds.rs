//! Where a rebuild starts.
//!
//! A seed is looked for under the spelling that repositories list (see [`super::repositories`]). Where all that they have under that one
//! is an error page, a parked page or a wall, the site is entered under another spelling of it too: a domain that was parked later has
//! its old front page as `/index.html`.

use std::collections::HashSet;

use super::repositories::Held;
use crate::recovery::policy::Repositories;
use crate::url::Canon;

/// The URLs to start from.
pub(super) fn seeds(held: &mut Held<'_>) -> Vec<u32> {
    let links = held.links;
    let loose = |url: u32| links.urls.get(url as usize).map(|url| Canon::Loose.key(url));
    let mut seeds = links.seeds.clone();
    let closed: Vec<u32> = seeds.iter().copied().filter(|seed| !held.restores(*seed)).collect();
    let mut wanted: HashSet<String> = closed.into_iter().filter_map(loose).collect();
    if wanted.is_empty() {
        return seeds;
    }
    for url in 0..links.urls.len() as u32 {
        if held.listers(url) == 0 {
            continue;
        }
        if let Some(key) = loose(url).filter(|key| wanted.contains(key))
            && held.restores(url)
        {
            wanted.remove(&key);
            seeds.push(url);
        }
    }
    seeds
}
