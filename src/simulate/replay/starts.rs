//! When crawls begin, and which pages exist then.
//!
//! `k` starts are the middles of `k` equal parts of the time in which a crawl of the given length fits and that has
//! `lead` of history before it:
//!
//! ```text
//! s_i = a + (i + 1/2) (b - a) / k,   a = from + lead,   b = to - length
//! ```
//!
//! Source: ours. The middles lie off the ends of the history, where little of the site, or little time, is left. Cost:
//! O(pages + links + changes) for each snapshot.

use super::Replay;
use crate::error::{Error, Result};
use crate::format::duration as words;
use crate::simulate::world::{Subject, World};

/// The starts of `count` crawls. Times are seconds. A crawl that does not fit is an error.
pub fn starts(world: &World, count: usize, length: f64, lead: f64) -> Result<Vec<f64>> {
    let (first, last) = (world.from + lead, world.to - length);
    if !(first <= last && length >= 0.0 && lead >= 0.0) {
        let earlier = match lead > 0.0 {
            true => format!(", behind earlier ones that take {},", words(lead)),
            false => String::new(),
        };
        return Err(Error::usage(format!(
            "a crawl that takes {}{earlier} does not fit into a history of {}",
            words(length),
            words(world.to - world.from),
        ))
        .with_remedy(
            "choose a shorter --duration or --interval, fewer --earlier crawls, or --rates oracle, which needs none",
        ));
    }
    let step = (last - first) / count as f64;
    Ok((0..count).map(|place| first + (place as f64 + 0.5) * step).collect())
}

/// A site as a crawl that begins at an instant finds it.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// The pages that exist at the start, and what happens to them while the crawl lasts.
    pub replay: Replay,
    /// Which pages of the whole site they are.
    pub members: Vec<u32>,
}

impl Snapshot {
    /// The pages of a site that exist at `start`, and what happens to them in `length` seconds from then on. Pages that
    /// are born while the crawl lasts are not in it.
    pub fn at(replay: &Replay, start: f64, length: f64) -> Self {
        let end = start + length;
        let world = &replay.world;
        let members: Vec<u32> = (0..world.pages.len() as u32)
            .filter(|page| {
                let page = &world.pages[*page as usize];
                page.born <= start && start < page.died
            })
            .collect();
        let mut place = vec![u32::MAX; world.pages.len()];
        for (at, page) in members.iter().enumerate() {
            place[*page as usize] = at as u32;
        }
        let meets = |spans: &[(f64, f64)]| -> Vec<(f64, f64)> {
            spans.iter().copied().filter(|span| span.0 <= end && span.1 >= start).collect()
        };
        let subject = |page: &Subject| {
            let from = page.changes.partition_point(|change| *change <= start);
            let to = page.changes.partition_point(|change| *change <= end);
            Subject {
                url: page.url.clone(),
                weight: page.weight,
                born: page.born,
                died: page.died,
                changes: page.changes[from..to.max(from)].to_vec(),
                unknown: meets(&page.unknown),
            }
        };
        let links = |page: &u32| {
            let targets = world.links[*page as usize].iter().map(|target| place[*target as usize]);
            targets.filter(|target| *target != u32::MAX).collect()
        };
        let cut = World {
            name: world.name.clone(),
            from: start.max(world.from),
            to: end.min(world.to),
            pages: members.iter().map(|page| subject(&world.pages[*page as usize])).collect(),
            links: members.iter().map(links).collect(),
        };
        let seen = members.iter().map(|page| meets(&replay.seen[*page as usize])).collect();
        Snapshot { replay: Replay { world: cut, seen }, members }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(born: f64, died: f64, changes: &[f64]) -> Subject {
        Subject {
            url: format!("/{born}"),
            weight: 1.0,
            born,
            died,
            changes: changes.to_vec(),
            unknown: vec![(0.0, 5.0), (40.0, 45.0)],
        }
    }

    fn site() -> Replay {
        let pages = vec![
            page(f64::NEG_INFINITY, 50.0, &[10.0, 20.0, 40.0]),
            page(30.0, f64::INFINITY, &[31.0]),
            page(1.0, 45.0, &[]),
        ];
        let links = vec![vec![1, 2], vec![0], vec![0, 1]];
        let world = World { name: "w".into(), from: 0.0, to: 100.0, pages, links };
        Replay { world, seen: vec![vec![(40.0, 45.0)], vec![], vec![]] }
    }

    #[test]
    fn starts_are_spread_evenly_where_the_crawl_fits() {
        let world = site().world;
        assert_eq!(starts(&world, 3, 40.0, 0.0).unwrap(), [10.0, 30.0, 50.0]);
        assert_eq!(starts(&world, 1, 20.0, 20.0).unwrap(), [50.0]);
        assert_eq!(starts(&world, 2, 100.0, 0.0).unwrap(), [0.0, 0.0]);
        let error = starts(&world, 1, 61.0, 40.0).unwrap_err();
        assert!(error.remedy().is_some());
        let message = "a crawl that takes 1 min 1 s, behind earlier ones that take 40 s, does not fit into a history of 1 min 40 s";
        assert_eq!(error.to_string(), message);
        assert!(starts(&world, 1, 100.5, 0.0).is_err());
        assert!(starts(&world, 1, f64::NAN, 0.0).is_err());
    }

    #[test]
    fn a_snapshot_holds_the_pages_alive_and_what_happens_to_them() {
        let snapshot = Snapshot::at(&site(), 20.0, 22.0);
        assert_eq!(snapshot.members, [0, 2]);
        let world = &snapshot.replay.world;
        assert_eq!((world.from, world.to), (20.0, 42.0));
        assert_eq!(world.pages[0].changes, [40.0]);
        assert_eq!(world.pages[0].unknown, [(40.0, 45.0)]);
        assert_eq!(world.links, [vec![1], vec![0]]);
        assert_eq!(snapshot.replay.seen, [vec![(40.0, 45.0)], vec![]]);
    }

    #[test]
    fn a_snapshot_tells_of_its_time_what_the_whole_tells() {
        let site = site();
        for start in [2.0, 20.0, 33.0, 41.0] {
            let snapshot = Snapshot::at(&site, start, 30.0);
            for (place, page) in snapshot.members.iter().enumerate() {
                for (visit, revisit) in [(0.0, 30.0), (1.0, 9.0), (5.0, 25.0), (12.0, 12.0)] {
                    let (visit, revisit) = (start + visit, start + revisit);
                    assert_eq!(
                        snapshot.replay.between(place, visit, revisit),
                        site.between(*page as usize, visit, revisit),
                        "{page} {visit} {revisit}"
                    );
                }
            }
        }
    }
}
