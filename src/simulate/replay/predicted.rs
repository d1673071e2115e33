//! Rates predicted from the features of pages.
//!
//! A sample of the pages (10%) was watched from the beginning of the history up to the start; a [`Predictor`] is
//! trained on it and gives the rate of every page, those of the sample included, so that the outcome shows the
//! predictor alone. Nothing after the start is used. One exception: links have no dates, so the
//! numbers of links (offline features only) are those of the table, counted between pages that exist at the start.
//!
//! Source: Denev, Mazeika, Spaniol, Weikum: The SHARC framework for data quality in Web archiving, VLDB Journal 2011,
//! section 8.2 and 9.1. DIFFERENCE: the paper trains on the whole history of the sample, which a crawler does not have
//! at the start. Cost: that of training on the sample, and one prediction a page.

use super::{Replay, Snapshot};
use crate::change::predict::sample::SHARE;
use crate::change::predict::{Example, Features, Method, PageFacts, Predictor, sample};

/// Which features a predictor sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Known {
    /// The URL: what a crawler has before it fetches the page.
    #[default]
    Online,
    /// The page besides: its links, and how long ago it changed last.
    Offline,
}

/// How a predictor is trained.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Training {
    /// The classifier.
    pub method: Method,
    /// What it sees.
    pub known: Known,
    /// The share of the pages it is trained on.
    pub share: f64,
    /// Which sample.
    pub seed: u64,
}

impl Default for Training {
    fn default() -> Self {
        Training { method: Method::default(), known: Known::default(), share: SHARE, seed: 1 }
    }
}

/// Features of the given pages at an instant, and how often they changed until then.
pub fn examples(replay: &Replay, pages: &[u32], until: f64, known: Known) -> Vec<Example> {
    let world = &replay.world;
    let mut among = vec![false; world.pages.len()];
    pages.iter().for_each(|page| among[*page as usize] = true);
    let mut inlinks = vec![0u32; world.pages.len()];
    let mut outlinks = vec![0u32; world.pages.len()];
    for page in pages {
        for target in world.links[*page as usize].iter().filter(|target| among[**target as usize]) {
            outlinks[*page as usize] += 1;
            inlinks[*target as usize] += 1;
        }
    }
    // No known link does not mean that there are no links.
    let linked = world.links.iter().any(|targets| !targets.is_empty());
    let count = |links: u32| linked.then_some(f64::from(links));
    pages
        .iter()
        .map(|page| {
            let place = *page as usize;
            let subject = &world.pages[place];
            let features = match known {
                Known::Online => Features::online(&subject.url, None),
                Known::Offline => {
                    let facts = PageFacts {
                        days_since_change: replay.days_since_change(place, until),
                        outlinks: count(outlinks[place]),
                        inlinks: count(inlinks[place]),
                        ..PageFacts::default()
                    };
                    Features::offline(&subject.url, &facts)
                }
            };
            let looks = replay.looks(place, f64::NEG_INFINITY, until);
            let seconds = looks.unchanged + looks.changed.iter().sum::<f64>();
            Example { features, changes: looks.changes(), seconds }
        })
        .collect()
}

/// The predicted rates, per second, of the pages of a snapshot; `None` where there was nothing to learn from.
pub fn predicted(replay: &Replay, snapshot: &Snapshot, training: &Training) -> Vec<Option<f64>> {
    let examples = examples(replay, &snapshot.members, snapshot.replay.world.from, training.known);
    let watched: Vec<Example> = sample(examples.len(), training.share, training.seed)
        .into_iter()
        .map(|place| examples[place as usize].clone())
        .collect();
    let predictor = Predictor::train(&watched, training.method);
    examples.iter().map(|example| predictor.as_ref()?.predict(&example.features)).collect()
}

impl Replay {
    /// Days from the last change of a page, or its birth, to an instant, or to its death if that was earlier; `None` if
    /// it is unknown.
    fn days_since_change(&self, page: usize, at: f64) -> Option<f64> {
        let subject = &self.world.pages[page];
        let at = at.min(subject.died);
        let changes = subject.changes.partition_point(|change| *change <= at);
        let last = changes.checked_sub(1).map_or(subject.born, |last| subject.changes[last]);
        let certain = subject.unknown.iter().all(|span| span.1 <= last || span.0 >= at);
        (last.is_finite() && certain).then(|| (at - last) / 86_400.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::world::{Subject, World};

    #[test]
    fn examples_are_what_was_known_at_the_instant() {
        let page = |url: &str, born: f64, changes: &[f64], unknown: Vec<(f64, f64)>| Subject {
            url: url.into(),
            weight: 1.0,
            born: born * 86_400.0,
            died: f64::INFINITY,
            changes: changes.iter().map(|day| day * 86_400.0).collect(),
            unknown,
        };
        let pages = vec![
            page("/a", 0.0, &[2.0, 4.0, 9.0], vec![]),
            page("/b", 1.0, &[], vec![]),
            page("/c", f64::NEG_INFINITY, &[], vec![]),
            page("/d", 0.0, &[1.0], vec![(3.0 * 86_400.0, f64::INFINITY)]),
        ];
        let links = vec![vec![1, 2, 3], vec![0], vec![], vec![0]];
        let world = World { name: "w".into(), from: 0.0, to: 864_000.0, pages, links };
        let replay = Replay { world, seen: vec![vec![]; 4] };
        let examples = examples(&replay, &[0, 1, 3], 5.0 * 86_400.0, Known::Offline);
        assert_eq!((examples[0].changes, examples[0].seconds), (2.0, 5.0 * 86_400.0));
        assert_eq!((examples[1].changes, examples[1].seconds), (0.0, 4.0 * 86_400.0));
        assert_eq!((examples[2].changes, examples[2].seconds), (1.0, 3.0 * 86_400.0));
        let days: Vec<Option<f64>> =
            [0, 1, 2, 3].iter().map(|page| replay.days_since_change(*page, 5.0 * 86_400.0)).collect();
        assert_eq!(days, [Some(1.0), Some(4.0), None, None]);
        use crate::change::predict::features::Value;
        // Outlinks and inlinks come last; the link to the page that is not among them does not count.
        assert_eq!(examples[0].features.0[23..], [Value::Number(2.0), Value::Number(2.0)]);
        assert_eq!(examples[1].features.0[23..], [Value::Number(1.0), Value::Number(1.0)]);
    }
}
