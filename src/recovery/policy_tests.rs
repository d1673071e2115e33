use proptest::prelude::*;

use super::*;

/// Repositories in memory: for every URL who holds and who lists it, and its links, the same everywhere.
#[derive(Debug, Clone)]
struct Held {
    urls: Vec<(Mask, Mask, Vec<u32>)>,
    /// URLs of which there are only error pages.
    stand_ins: Vec<u32>,
}

impl Held {
    fn new(urls: Vec<(Mask, Mask, Vec<u32>)>) -> Self {
        Held { urls, stand_ins: Vec::new() }
    }
}

impl Repositories for Held {
    fn urls(&self) -> usize {
        self.urls.len()
    }

    fn holders(&self, url: u32) -> Mask {
        self.urls[url as usize].0
    }

    fn listers(&self, url: u32) -> Mask {
        self.urls[url as usize].1
    }

    fn take(&mut self, url: u32, of: Mask) -> Option<Retrieved> {
        let (_, _, links) = &self.urls[url as usize];
        (of != 0).then(|| Retrieved {
            repository: of.trailing_zeros() as usize,
            links: links.clone(),
            is_stand_in: self.stand_ins.contains(&url),
        })
    }
}

fn access(names: &[&str], page_size: u64) -> Vec<Access> {
    let one = |name: &&str| Access { name: (*name).to_owned(), page_size, daily_requests: Some(1000) };
    names.iter().map(one).collect()
}

fn found(recovery: &Recovery) -> Vec<u32> {
    let mut urls: Vec<u32> = recovery.recovered.iter().map(|(url, _)| *url).collect();
    urls.sort_unstable();
    urls
}

#[test]
fn figure_2_only_the_exhaustive_policy_finds_what_is_behind_a_lost_page() {
    // A links to B, C; B to D, E; C to F; F to G, H, I. F is lost.
    let links: [&[u32]; 9] = [&[1, 2], &[3, 4], &[5], &[], &[], &[6, 7, 8], &[], &[], &[]];
    let urls = links.iter().enumerate().map(|(url, links)| {
        let held = Mask::from(url != 5);
        (held, held, links.to_vec())
    });
    let mut held = Held::new(urls.collect());
    let access = access(&["only"], 100);
    let mut run = |policy| recover(policy, &mut held, &access, &[0]);
    let naive = run(Policy::Naive);
    assert_eq!((found(&naive), naive.missing.as_slice()), (vec![0, 1, 2, 3, 4], &[5][..]));
    // Six look-ups, five hits.
    assert_eq!(naive.total_requests(), 11);
    let knowledgeable = run(Policy::Knowledgeable);
    assert_eq!(found(&knowledgeable), found(&naive));
    // One lister query, five retrievals; nothing is asked for F.
    assert_eq!(knowledgeable.total_requests(), 6);
    let exhaustive = run(Policy::Exhaustive);
    assert_eq!(found(&exhaustive), [0, 1, 2, 3, 4, 6, 7, 8]);
    assert_eq!((exhaustive.total_requests(), exhaustive.missing.as_slice()), (9, &[5][..]));
    assert_eq!(exhaustive.efficiency(8), Some(8.0 / 9.0));
    assert_eq!(exhaustive.days(), Some(1));
}

#[test]
fn an_incomplete_lister_hides_what_the_naive_policy_finds() {
    // As on site 2 of the paper: the page is stored, and no lister names it.
    let mut held = Held::new(vec![(1, 1, vec![1]), (1, 0, vec![])]);
    let access = access(&["only"], 100);
    assert_eq!(found(&recover(Policy::Naive, &mut held, &access, &[0])), [0, 1]);
    assert_eq!(found(&recover(Policy::Knowledgeable, &mut held, &access, &[0])), [0]);
    assert_eq!(found(&recover(Policy::Exhaustive, &mut held, &access, &[0])), [0]);
}

#[test]
fn lister_queries_come_in_pages_and_false_entries_cost_a_retrieval() {
    // Two repositories; the first lists URL 1 and cannot give it.
    let mut urls = vec![(0b01, 0b01, vec![1]), (0b10, 0b11, vec![])];
    urls.extend(std::iter::repeat_n((0b01, 0b01, vec![]), 19));
    let mut held = Held::new(urls);
    let recovery = recover(Policy::Knowledgeable, &mut held, &access(&["a", "b"], 10), &[0]);
    assert_eq!(recovery.recovered, [(0, 0), (1, 1)]);
    let [a, b] = recovery.requests.as_slice() else { panic!("two repositories") };
    assert_eq!((a.lister_queries, a.retrievals, a.lookups), (3, 2, 0), "21 URLs, 10 on a page");
    assert_eq!((b.lister_queries, b.retrievals), (1, 1));
}

#[test]
fn an_error_page_is_paid_for_and_recovers_nothing_and_leads_nowhere() {
    // The front page links to URL 1, of which there is only a wall; that links to URL 2.
    let urls = vec![(1, 1, vec![1]), (1, 1, vec![2]), (1, 1, vec![])];
    let mut held = Held { urls, stand_ins: vec![1] };
    for (policy, requests) in [(Policy::Naive, 4), (Policy::Knowledgeable, 3)] {
        let recovery = recover(policy, &mut held, &access(&["only"], 10), &[0]);
        assert_eq!((recovery.recovered.as_slice(), recovery.stand_ins.as_slice()), (&[(0, 0)][..], &[1][..]));
        assert_eq!((recovery.missing.as_slice(), recovery.not_recovered()), (&[][..], 1));
        assert_eq!(recovery.total_requests(), requests, "{policy:?}");
    }
}

prop_compose! {
    fn site(complete: bool)(
        masks in prop::collection::vec((0u64..8, 0u64..8), 1..40),
        links in prop::collection::vec((0usize..40, 0u32..40), 0..120),
    ) -> Held {
        let count = masks.len();
        let mut urls: Vec<(Mask, Mask, Vec<u32>)> = masks
            .into_iter()
            .map(|(held, listed)| (held, if complete { held } else { held & listed }, Vec::new()))
            .collect();
        for (from, to) in links {
            if from < count && (to as usize) < count {
                urls[from].2.push(to);
            }
        }
        Held::new(urls)
    }
}

proptest! {
    #[test]
    fn with_complete_listers_naive_and_knowledgeable_recover_the_same_and_exhaustive_at_least_that(mut held in site(true)) {
        let access = access(&["a", "b", "c"], 7);
        let run = |policy, held: &mut Held| recover(policy, held, &access, &[0]);
        let naive = run(Policy::Naive, &mut held);
        let knowledgeable = run(Policy::Knowledgeable, &mut held);
        let exhaustive = run(Policy::Exhaustive, &mut held);
        prop_assert_eq!(found(&naive), found(&knowledgeable));
        let all = found(&exhaustive);
        prop_assert!(found(&naive).iter().all(|url| all.contains(url)));
        let stored: Vec<u32> = (0..held.urls.len() as u32).filter(|url| held.holders(*url) != 0).collect();
        prop_assert_eq!(all, stored);
        // One retrieval for each recovered URL, and lister queries by pages.
        let queries: u64 = (0..3).map(|place| {
            let listed = held.urls.iter().filter(|(_, listed, _)| listed >> place & 1 == 1).count() as u64;
            listed.div_ceil(7).max(1)
        }).sum();
        prop_assert_eq!(knowledgeable.total_requests(), queries + knowledgeable.recovered.len() as u64);
        let asked = (naive.recovered.len() + naive.missing.len()) as u64;
        let hits: u64 = naive.recovered.iter().map(|(url, _)| u64::from(held.holders(*url).count_ones())).sum();
        prop_assert_eq!(naive.total_requests(), 3 * asked + hits);
    }

    #[test]
    fn with_incomplete_listers_no_policy_invents_anything(mut held in site(false)) {
        let access = access(&["a", "b", "c"], 7);
        for policy in Policy::ALL {
            let recovery = recover(policy, &mut held, &access, &[0]);
            let mut once = found(&recovery);
            once.dedup();
            prop_assert_eq!(once.len(), recovery.recovered.len());
            prop_assert!(recovery.recovered.iter().all(|(url, from)| held.holders(*url) >> from & 1 == 1));
        }
    }
}
