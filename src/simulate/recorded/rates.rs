//! What strategies know of the rates of pages.

use crate::simulate::replay::{
    Crawls, Reach, Replay, Snapshot, Training, discounted, estimated, oracle, predicted,
};

/// Where rates come from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum RateOrigin {
    /// From the whole history, including the future.
    Oracle(Reach),
    /// From crawls before the start.
    Estimated(Crawls),
    /// The same, but pages with equal rates and weights stay in the order given, whichever changed last.
    Unordered(Crawls),
    /// From crawls before the start, old ones counting less.
    Discounted(Crawls),
    /// The geometric mean of estimated and discounted.
    Mixed(Crawls),
    /// Predicted from features, trained on a sample watched until the start.
    Predicted(Training),
}

impl RateOrigin {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            RateOrigin::Oracle(_) => "oracle",
            RateOrigin::Estimated(_) => "estimated",
            RateOrigin::Unordered(_) => "unordered",
            RateOrigin::Discounted(_) => "discounted",
            RateOrigin::Mixed(_) => "mixed",
            RateOrigin::Predicted(_) => "predicted",
        }
    }
}

/// The rate of every page of a snapshot, per second. A page of which nothing is known has the mean of the others.
pub(crate) fn rates(replay: &Replay, snapshot: &Snapshot, told: &RateOrigin) -> Vec<f64> {
    let rates: Vec<Option<f64>> = match told {
        RateOrigin::Oracle(reach) => oracle(replay, snapshot, *reach),
        RateOrigin::Estimated(crawls) | RateOrigin::Unordered(crawls) => {
            estimated(replay, snapshot, crawls).iter().map(|rate| Some(rate.per_second())).collect()
        }
        RateOrigin::Discounted(crawls) => {
            discounted(replay, snapshot, crawls).into_iter().map(Some).collect()
        }
        RateOrigin::Mixed(crawls) => {
            let plain = estimated(replay, snapshot, crawls).into_iter().map(|rate| rate.per_second());
            let late = discounted(replay, snapshot, crawls).into_iter();
            plain.zip(late).map(|(plain, late)| Some((plain * late).sqrt())).collect()
        }
        RateOrigin::Predicted(training) => predicted(replay, snapshot, training),
    };
    let known: Vec<f64> =
        rates.iter().flatten().copied().filter(|rate| rate.is_finite() && *rate >= 0.0).collect();
    let mean = if known.is_empty() { 0.0 } else { known.iter().sum::<f64>() / known.len() as f64 };
    rates
        .into_iter()
        .map(|rate| rate.filter(|rate| rate.is_finite() && *rate >= 0.0).unwrap_or(mean))
        .collect()
}

/// When every page of a snapshot was last seen to change, as far as the source of rates can know: the oracle from the history
/// before the start, an estimate from its earlier crawls (the capture that showed the change), a prediction not at all.
pub(crate) fn last_changes(replay: &Replay, snapshot: &Snapshot, told: &RateOrigin) -> Vec<f64> {
    let start = snapshot.replay.world.from;
    let last = |page: &u32| {
        let changes = &replay.world.pages[*page as usize].changes;
        changes[..changes.partition_point(|change| *change < start)].last().copied()
    };
    match told {
        RateOrigin::Oracle(_) => {
            snapshot.members.iter().map(|page| last(page).unwrap_or(f64::NEG_INFINITY)).collect()
        }
        RateOrigin::Estimated(crawls) | RateOrigin::Discounted(crawls) | RateOrigin::Mixed(crawls) => {
            let looks = crawls.before(start, replay.world.from);
            // A change is seen by the next capture; one before the first capture, or after the last, is not.
            let seen = |change: f64| {
                let next = looks.partition_point(|look| *look < change);
                if next == 0 { None } else { looks.get(next).copied() }
            };
            let seen_last = |page: &u32| {
                let changes = &replay.world.pages[*page as usize].changes;
                let before = &changes[..changes.partition_point(|change| *change < start)];
                before.iter().rev().find_map(|change| seen(*change)).unwrap_or(f64::NEG_INFINITY)
            };
            snapshot.members.iter().map(seen_last).collect()
        }
        RateOrigin::Unordered(_) | RateOrigin::Predicted(_) => Vec::new(),
    }
}
