//! The simulator at 10^4 to 10^6 pages: every strategy, what it expects and what it reaches under one seed.
//!
//! `cargo bench --bench simulate` runs all; `cargo bench --bench simulate -- 100000` those whose name holds the words.

#[path = "support/lines.rs"]
mod lines;

use std::time::Instant;

use acuity::internals::schedule::parallel::threads;
use acuity::internals::schedule::registry::Settings;
use acuity::internals::simulate::run::{Planning, Seeds, judge, plan};
use acuity::internals::simulate::score::Score;
use acuity::internals::simulate::spec::Spec;
use acuity::internals::simulate::synthetic::sharc::Sharc;
use lines::{print, wanted};

fn main() {
    let wanted = wanted();
    print(format_args!(
        "{:>9} {:24} {:>8} {:>8} {:>14}",
        "pages", "strategy", "plan s", "judge s", "incoherence"
    ));
    for pages in [10_000, 100_000, 1_000_000] {
        let made = Sharc { pages, ..Sharc::default() }.site().unwrap();
        let (mut all, begin) = (0, Instant::now());
        for spec in Spec::all(&Settings::default()).unwrap() {
            let slow = pages > 100_000 && spec.is_quadratic();
            if slow || !format!("{pages} {}", spec.label).contains(&wanted) {
                continue;
            }
            let label = spec.label.clone();
            let begin = Instant::now();
            let crawls = plan(&made, &[spec], Planning::default(), threads()).unwrap();
            let planned = begin.elapsed().as_secs_f64();
            let begin = Instant::now();
            let scores = [Score::Incoherence, Score::Blur];
            let outcomes = judge(&made, &crawls, &scores, Seeds { first: 1, count: 1 }, threads());
            let judged = begin.elapsed().as_secs_f64();
            let value = outcomes[0].expected.unwrap_or(f64::NAN);
            print(format_args!("{pages:>9} {label:24} {planned:>8.2} {judged:>8.2} {value:>14.3}"));
            all += 1;
        }
        print(format_args!(
            "{pages:>9} {all} strategies, one after the other: {:.2} s",
            begin.elapsed().as_secs_f64()
        ));
    }
}
