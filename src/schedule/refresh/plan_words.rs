//! What a plan of weeks comes to and what to know about it, in sentences.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::allocation::{Aim, Pages};
use super::model::PlannedWeeks;
use super::plan::WeeksRequest;
use crate::format::{count, figure, number, percent};

/// What a plan is worth, what none exceeds, and what all pages weigh.
pub(super) struct Worth {
    pub value: f64,
    pub bound: Option<f64>,
    pub weight: f64,
}

/// What the plan comes to: downloads, pages, and what they are worth by the aim.
pub(super) fn summary(
    request: &WeeksRequest,
    pages: &[PlannedWeeks],
    Worth { value, bound, weight }: Worth,
) -> String {
    let downloads: usize = pages.iter().map(|page| page.at_days.len()).sum();
    let fetched = pages.iter().filter(|page| !page.at_days.is_empty()).count();
    let what = format!(
        "{} of {} in {}",
        count(downloads as u64, "download"),
        count(fetched as u64, "page"),
        count(request.days.ceil() as u64, "day")
    );
    let of_all = |value: f64| if weight > 0.0 { value / weight } else { 0.0 };
    match request.aim {
        Aim::Freshness => {
            let current = percent(of_all(value));
            let most = bound.map(|bound| match percent(of_all(bound)) {
                same if same == current => " No plan with as many downloads keeps notably more.".to_owned(),
                most => format!(" No plan with as many downloads keeps more than {most}."),
            });
            format!(
                "{what} keep {current} of the pages current on average, by importance.{}",
                most.unwrap_or_default()
            )
        }
        Aim::Blur => {
            let least = bound
                .map(|bound| format!(" With as many downloads it is at least {}.", figure(of_all(bound))));
            let away = figure(of_all(value));
            format!(
                "{what} leave a replayed page {away} versions away from what was online on average, by importance.{}",
                least.unwrap_or_default()
            )
        }
        Aim::Versions => {
            let most = bound.map(|bound| {
                format!(" No plan with as many downloads captures more than {}.", figure(bound))
            });
            let captured = figure(value);
            format!("{what} capture {captured} versions, weighed by importance.{}", most.unwrap_or_default())
        }
    }
}

/// Random times and sessions keep the budget on average: a day above its share is named.
pub(super) fn busiest_note(load: &[u32], request: &WeeksRequest) -> Option<String> {
    let (day, most) = load.iter().enumerate().max_by_key(|(day, most)| (**most, std::cmp::Reverse(*day)))?;
    (f64::from(*most) > request.budget.ceil()).then(|| {
        format!(
            "The budget holds on average, not for every day: day {} has {}. Without --random and --sessions, every day is \
             within it.",
            day + 1,
            count(u64::from(*most), "download")
        )
    })
}

pub(super) fn aim_name(aim: Aim) -> &'static str {
    match aim {
        Aim::Freshness => "freshness",
        Aim::Blur => "blur",
        Aim::Versions => "versions",
    }
}

/// The aims disagree about pages that change often: which was chosen, and what it does with them.
pub(super) fn aim_note(aim: Aim) -> &'static str {
    match aim {
        Aim::Freshness => {
            "Freshness and completeness drop pages that change too often for their weight; --aim blur drops none, and --aim versions \
             favours them."
        }
        Aim::Blur => {
            "Blur drops no page; --aim freshness drops those that change too often for their weight."
        }
        Aim::Versions => {
            "The number of versions favours pages that change often; --aim freshness drops some of them."
        }
    }
}

/// Hosts whose pace allows less than the plan would like.
pub(super) fn capped_note(
    all: &Pages,
    frequencies: &[f64],
    lanes: &BTreeMap<&Arc<str>, u32>,
) -> Option<String> {
    let mut spent = vec![0.0; all.caps.len()];
    all.hosts.iter().zip(frequencies).for_each(|(host, frequency)| spent[*host as usize] += frequency);
    let is_capped = |host: u32| spent[host as usize] >= all.caps[host as usize] * (1.0 - 1e-9);
    let capped: Vec<&str> =
        lanes.iter().filter(|(_, host)| is_capped(**host)).map(|(lane, _)| &***lane).collect();
    let first = capped.first()?;
    let more = if capped.len() > 1 {
        format!(" and {} more", number(capped.len() as u64 - 1))
    } else {
        String::new()
    };
    Some(format!("The pause between two downloads limits {first}{more}: a shorter one would gain."))
}
