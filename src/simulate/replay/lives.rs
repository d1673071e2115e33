//! From a log of changes to a world: the lives of pages.
//!
//! A page that is added is born, one that is deleted dies. A page that is added again after that is **another page of
//! the same URL**: between its lives there is nothing to capture, and lives share no
//! versions. So at any instant at most one page of a URL is alive. What a log leaves out is read so:
//!
//! | event | the page exists | it never did | it no longer does |
//! |---|---|---|---|
//! | added | a change (it was replaced) | born | born again |
//! | modified | a change | existed before the log begins; a change | born again (its addition was not logged) |
//! | deleted | dies | existed before the log begins; dies | nothing |
//! | initial | nothing | existed before the log begins | born again |
//!
//! Events of one page at one instant are one change; a life of no length (added and deleted at one instant) is dropped.
//! Pages are in the order of their URLs, lives of one URL in the order of time. Links have no dates: every life of a
//! page links to every life of the pages it links to; a [`super::Snapshot`] keeps those of pages alive together. Cost:
//! O(events log events).

use super::Replay;
use super::log::{Event, Log};
use crate::error::{Error, Result};
use crate::simulate::world::{Subject, World};

/// The world of a log. An empty log is an error.
pub fn from_log(name: &str, log: &Log) -> Result<Replay> {
    let Some((first, last)) = log.span else {
        return Err(Error::data("the history has no change in it"));
    };
    let mut order: Vec<u32> = (0..log.pages.len() as u32).collect();
    order.sort_unstable_by_key(|page| log.pages.get(*page));
    let mut events: Vec<Vec<(f64, Event)>> = vec![Vec::new(); log.pages.len()];
    for (page, at, event) in &log.events {
        events[*page as usize].push((at.seconds(), *event));
    }
    let mut pages = Vec::new();
    let mut lives = vec![0..0; log.pages.len()];
    for page in order {
        let events = &mut events[page as usize];
        // Stable: events of one instant stay in the order of the log.
        events.sort_by(|a, b| a.0.total_cmp(&b.0));
        let begin = pages.len() as u32;
        pages.extend(live(log.pages.get(page), events));
        lives[page as usize] = begin..pages.len() as u32;
    }
    let mut links = vec![Vec::new(); pages.len()];
    for (from, to) in &log.links {
        for life in lives[*from as usize].clone() {
            links[life as usize].extend(lives[*to as usize].clone());
        }
    }
    for targets in &mut links {
        targets.sort_unstable();
        targets.dedup();
    }
    let seen = vec![Vec::new(); pages.len()];
    let world = World { name: name.to_owned(), from: first.seconds(), to: last.seconds(), pages, links };
    Ok(Replay { world, seen })
}

/// The lives of one page from its events, which are in time order.
fn live(url: &str, events: &[(f64, Event)]) -> Vec<Subject> {
    let mut lives: Vec<Subject> = Vec::new();
    for &(at, event) in events {
        let never = lives.is_empty();
        let stands = lives.last().is_some_and(|life| life.died == f64::INFINITY);
        if !stands && (never || event != Event::Deleted) {
            let born = if never && event != Event::Added { f64::NEG_INFINITY } else { at };
            lives.push(Subject {
                url: url.to_owned(),
                weight: 1.0,
                born,
                died: f64::INFINITY,
                changes: Vec::new(),
                unknown: Vec::new(),
            });
        }
        let Some(life) = lives.last_mut() else { continue };
        match event {
            Event::Initial => {}
            Event::Deleted => life.died = life.died.min(at),
            Event::Added | Event::Modified => {
                if life.changes.last().unwrap_or(&life.born) < &at {
                    life.changes.push(at);
                }
            }
        }
    }
    for life in &mut lives {
        let died = life.died;
        life.changes.retain(|change| *change < died);
    }
    lives.retain(|life| life.born < life.died);
    lives
}

#[cfg(test)]
mod tests {
    use super::super::log::{Bulk, Columns};
    use super::*;

    fn lives(events: &str) -> Vec<(f64, f64, Vec<f64>)> {
        let events: Vec<(f64, Event)> = events
            .split(' ')
            .map(|event| {
                let kind = match event.as_bytes()[0] {
                    b'A' => Event::Added,
                    b'M' => Event::Modified,
                    b'D' => Event::Deleted,
                    _ => Event::Initial,
                };
                (event[1..].parse().unwrap(), kind)
            })
            .collect();
        live("x", &events).into_iter().map(|life| (life.born, life.died, life.changes)).collect()
    }

    const BEFORE: f64 = f64::NEG_INFINITY;
    const NEVER: f64 = f64::INFINITY;

    #[test]
    fn pages_are_born_change_die_and_are_born_again() {
        assert_eq!(lives("A1 M2 M3"), [(1.0, NEVER, vec![2.0, 3.0])]);
        assert_eq!(lives("A1 M2 D3 A5 M6"), [(1.0, 3.0, vec![2.0]), (5.0, NEVER, vec![6.0])]);
    }

    #[test]
    fn what_the_log_leaves_out_is_filled_in() {
        assert_eq!(lives("M2 A3"), [(BEFORE, NEVER, vec![2.0, 3.0])]);
        assert_eq!(lives("D2 D3"), [(BEFORE, 2.0, vec![])]);
        assert_eq!(lives("A1 D2 M3 M4"), [(1.0, 2.0, vec![]), (3.0, NEVER, vec![4.0])]);
        assert_eq!(lives("I1 M2"), [(BEFORE, NEVER, vec![2.0])]);
    }

    #[test]
    fn one_instant_is_one_change_and_no_time_is_no_life() {
        assert_eq!(lives("A1 M1 M2 M2 D3"), [(1.0, 3.0, vec![2.0])]);
        assert_eq!(lives("A1 M3 D3"), [(1.0, 3.0, vec![])]);
        assert_eq!(lives("A1 D1"), []);
        assert_eq!(lives("A1 D1 A1 M2"), [(1.0, NEVER, vec![2.0])]);
    }

    #[test]
    fn links_lead_to_every_life_of_a_page() {
        let changes =
            "page,change_time,event\n/b,2024-01-01,A\n/a,2024-01-01,A\n/b,2024-01-02,D\n/b,2024-01-03,A\n";
        let mut log = Log::read(changes.as_bytes(), &Columns::default(), Bulk::Keep).unwrap();
        log.read_links("page,linked_page\n/a,/b\n/a,/b\n/b,/a\n".as_bytes(), &Columns::default()).unwrap();
        let replay = from_log("site", &log).unwrap();
        let urls: Vec<&str> = replay.world.pages.iter().map(|page| page.url.as_str()).collect();
        assert_eq!(urls, ["/a", "/b", "/b"]);
        assert_eq!(replay.world.links, [vec![1, 2], vec![0], vec![0]]);
        assert_eq!(replay.world.to - replay.world.from, 2.0 * 86_400.0);
        assert!(from_log("none", &Log::default()).is_err());
    }
}
