//! Archives whose truth is known: small sites with a history, seen through many kinds of crawlers and servers, careful
//! and careless, written as WARC, ARC, WACZ, CDX and CDXJ.
//!
//! ```text
//! history ── what each page showed since when ─┐
//! server ─── how it answers a request ─────────┼─ crawl ─ captures ─ files, and what each capture can say
//! crawler ── what it asks for and writes ──────┘
//! ```
//!
//! One seed gives one case, always the same bytes. `acuity simulate --write-archive DIR --seed N` writes a case with its
//! truth, for anyone to test a tool with; `tests/it/truth` checks our own verdicts against thousands of them. The kinds are
//! documented at [`Crawler`] and [`Server`].

pub(crate) mod capture;
pub(crate) mod careless;
pub(crate) mod crawl;
pub(crate) mod crawler;
pub(crate) mod documents;
pub(crate) mod files;
pub(crate) mod history;
pub(crate) mod response;
pub(crate) mod server;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

pub use self::capture::{Says, Seen, Shown};
pub use self::crawler::Crawler;
pub use self::history::{History, State};
pub use self::server::Server;
use crate::time::{Instant, SECOND};

/// When every story begins: 2022-03-14T10:00:00Z.
pub(crate) const START: Instant = Instant(1_647_252_000 * SECOND);
/// The host of every site.
pub const HOST: &str = "s.example";
/// What some versions say and others do not.
pub const PHRASE: &str = "right of withdrawal";

/// How large a case is, and how its pages change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Plan {
    /// Three pages with up to three changes each: new versions, old ones that come back, 404 and redirects.
    Stories,
    /// Pages that change as Poisson processes, each at a rate of its own, captured in rounds.
    Rates {
        pages: usize,
        rounds: usize,
        /// Seconds from round to round; the rates have their median at one change in three rounds.
        spacing: f64,
        /// The deviation of the logarithm of the rates: how uneven they are.
        deviation: f64,
    },
}

/// One archive with its truth.
#[derive(Debug, Clone)]
pub struct Case {
    pub seed: u64,
    pub crawler: Crawler,
    pub server: Server,
    pub histories: Vec<History>,
    /// Where paths in upper case are other pages: their histories.
    pub others: Option<Vec<History>>,
    /// The true rates of the pages, per second, where they have any.
    pub rates: Vec<f64>,
    /// What every capture can say, in the order of the crawl.
    pub seen: Vec<Seen>,
    /// Names and bytes, in no special order.
    pub files: Vec<(String, Vec<u8>)>,
    /// Whether files contradict each other; of the pages in `contradicted` nothing can be proven then.
    pub contradicted: Vec<usize>,
}

impl Case {
    /// The case of a seed: every kind of crawler meets every kind of server in turn.
    pub fn of(seed: u64) -> Self {
        let crawlers = Crawler::ALL.len() as u64;
        let crawler = Crawler::ALL[(seed % crawlers) as usize];
        let server = Server::ALL[(seed / crawlers % Server::ALL.len() as u64) as usize];
        Self::generate(seed, crawler, server, Plan::Stories)
    }

    /// A case of given kinds.
    pub fn generate(seed: u64, crawler: Crawler, server: Server, plan: Plan) -> Self {
        let mut random = Pcg64::seed_from_u64(seed);
        let (histories, rates): (Vec<History>, Vec<f64>) = match plan {
            Plan::Stories => ((0..3).map(|_| History::story(&mut random, START)).collect(), Vec::new()),
            Plan::Rates { pages, rounds, spacing, deviation } => {
                let rates: Vec<f64> = (0..pages).map(|_| rate(&mut random, spacing, deviation)).collect();
                let end = START.plus(((rounds + 1) as f64 * spacing) as i64 * SECOND);
                // A long time before the crawl, so that the first Last-Modified is one of the process, too.
                let begin = START.plus((-200.0 * spacing) as i64 * SECOND);
                let history = |rate: &f64| History::poisson(&mut random, *rate, begin, end);
                (rates.iter().map(history).collect(), rates)
            }
        };
        let others = (server == Server::CaseSensitive)
            .then(|| histories.iter().map(|_| History::story(&mut random, START)).collect());
        let mut case = Case {
            seed,
            crawler,
            server,
            histories,
            others,
            rates,
            seen: Vec::new(),
            files: Vec::new(),
            contradicted: Vec::new(),
        };
        let captures = crawl::run(&case, plan, &mut random);
        case.seen = captures.iter().filter_map(|capture| capture.seen.clone()).collect();
        (case.files, case.contradicted) = files::write(crawler, &captures, &mut random);
        case
    }

    /// The history of a page by the path it was asked for.
    pub fn history(&self, page: usize, upper: bool) -> &History {
        match &self.others {
            Some(others) if upper => &others[page],
            _ => &self.histories[page],
        }
    }
}

/// A rate around one change in three rounds.
fn rate(random: &mut Pcg64, spacing: f64, deviation: f64) -> f64 {
    let (one, other): (f64, f64) = (1.0 - random.random::<f64>(), random.random());
    let normal = (-2.0 * one.ln()).sqrt() * (std::f64::consts::TAU * other).cos();
    (deviation * normal).exp() / (3.0 * spacing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_bytes_each_time_and_all_kinds_meet() {
        let (one, again) = (Case::of(7), Case::of(7));
        assert_eq!(one.files, again.files);
        assert_ne!(one.files, Case::of(7 + (Crawler::ALL.len() * Server::ALL.len()) as u64).files);
        let kinds: std::collections::HashSet<_> = (0..(Crawler::ALL.len() * Server::ALL.len()) as u64)
            .map(|seed| {
                let case = Case::of(seed);
                (case.crawler, case.server)
            })
            .collect();
        assert_eq!(kinds.len(), Crawler::ALL.len() * Server::ALL.len());
    }
}
