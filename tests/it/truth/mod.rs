//! Small sites with a known history, seen through many kinds of crawlers and servers
//! (`acuity simulate --write-archive`): nothing is proven, and nothing called changed, that the truth refutes, except
//! under an assumption that is stated; no proof is lost that the captures allow; and no verdict depends on the order of
//! the inputs. `ACUITY_TRUTH_CASES` sets the number of cases (2,000), `ACUITY_TRUTH_SEED` the first seed. 100,000 cases:
//!
//! ```text
//! ACUITY_TRUTH_CASES=100000 cargo test --profile release --test it truth::verdicts -- --nocapture
//! ```

mod ask;
mod check;
mod coverage;

use std::collections::BTreeMap;

use acuity::internals::simulate::truth::{Case, Crawler, Server};
use check::Tally;

use crate::support;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn verdicts_are_never_refuted_by_the_truth_and_no_proof_is_lost() {
    let (cases, first) = (number("ACUITY_TRUTH_CASES", 2_000), number("ACUITY_TRUTH_SEED", 0));
    let mut by_crawler: BTreeMap<Crawler, Tally> = BTreeMap::new();
    let mut by_server: BTreeMap<Server, Tally> = BTreeMap::new();
    let mut wrong: BTreeMap<String, (u64, String)> = BTreeMap::new();
    for seed in first..first + cases {
        let case = Case::of(seed);
        let mut tally = Tally::default();
        for fault in check::case(&case, &mut tally) {
            let at = format!(
                "seed {seed}, crawler {}, server {}: {fault}",
                case.crawler.name(),
                case.server.name()
            );
            let kind = fault.split(':').next().unwrap_or_default().to_owned();
            wrong.entry(kind).or_insert((0, at)).0 += 1;
        }
        by_crawler.entry(case.crawler).or_default().add(&tally);
        by_server.entry(case.server).or_default().add(&tally);
    }
    let mut whole = Tally::default();
    for (crawler, tally) in &by_crawler {
        support::data::say(&format!("{:14} {tally}", crawler.name()));
        whole.add(tally);
    }
    for (server, tally) in &by_server {
        support::data::say(&format!("{:14} {tally}", server.name()));
    }
    support::data::say(&format!("{:14} {whole}", "all"));
    assert!(wrong.is_empty(), "{wrong:#?}");
    for (crawler, tally) in
        by_crawler.iter().filter(|(crawler, _)| cases >= 500 && **crawler != Crawler::SparseIndex)
    {
        assert!(tally.proven > 0 && tally.changed > 0, "{crawler:?} {tally:?}");
    }
}
