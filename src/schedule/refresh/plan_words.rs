//! What a plan of weeks comes to and what to know about it, in sentences.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::allocation::{Aim, Pages};
use super::model::{PlanAim, WeeksPlan, Worth};
use super::plan::{Style, WeeksRequest};
use crate::format::{count, figure, number, percent, trimmed};

/// What the plan comes to: downloads, pages, and what their dates are worth by the aim.
pub(super) fn summary(plan: &WeeksPlan) -> String {
    let downloads: usize = plan.pages.iter().map(|page| page.at_days.len()).sum();
    let fetched = plan.pages.iter().filter(|page| !page.at_days.is_empty()).count();
    let what = format!(
        "{} of {} in {}",
        count(downloads as u64, "download"),
        count(fetched as u64, "page"),
        days(plan.days)
    );
    let of_all = |value: f64| if plan.weight > 0.0 { value / plan.weight } else { 0.0 };
    let current = |Worth { value, bound }: Worth| {
        let current = percent(of_all(value));
        let most = bound.map(|bound| match percent(of_all(bound)) {
            same if same == current => " No plan with as many downloads keeps notably more.".to_owned(),
            most if most.starts_with("over ") => {
                " Some plan with as many downloads may keep nearly all.".to_owned()
            }
            most => format!(" No plan with as many downloads keeps more than {most}."),
        });
        format!("keep {current} of the pages current on average, by importance.{}", most.unwrap_or_default())
    };
    let Worth { value, bound } = Worth { value: plan.value, bound: plan.bound };
    match (plan.aim, plan.current) {
        (PlanAim::Blur, _) => {
            let least = bound
                .map(|bound| format!(" With as many downloads it is at least {}.", figure(of_all(bound))));
            let away = figure(of_all(value));
            format!(
                "{what} leave a replayed page {away} versions from what was online, on average by importance.{}",
                least.unwrap_or_default()
            )
        }
        (PlanAim::Versions, _) => {
            let most = bound.map(|bound| {
                format!(" No plan with as many downloads captures more than {}.", figure(bound))
            });
            let captured = figure(value);
            format!("{what} capture {captured} versions, weighed by importance.{}", most.unwrap_or_default())
        }
        (_, Some(fresh)) => format!(
            "{what}, in {}, reach {} of the aim of sessions: pages that are current, and proven to have been online together. They {}",
            count(plan.sessions.iter().map(|session| session.at_days.len() as u64).sum(), "session"),
            percent(of_all(value)),
            current(fresh)
        ),
        _ => format!("{what} {}", current(Worth { value, bound })),
    }
}

/// Days in words: `84 days`, `3.5 days`.
fn days(days: f64) -> String {
    match days.fract() {
        0.0 => count(days as u64, "day"),
        _ => format!("{} days", trimmed(days, 2)),
    }
}

/// Random times and sessions keep the budget of all days together, or about it: all downloads against those that it has, and a day above
/// its share. In other plans only such a day is worth a word: the pause of a host may move downloads past midnight.
pub(super) fn budget_note(load: &[u32], request: &WeeksRequest) -> Option<String> {
    let allowed = (request.budget * request.days + 1e-6).floor() as u64;
    let all: u64 = load.iter().map(|day| u64::from(*day)).sum();
    let (day, most) = load.iter().enumerate().max_by_key(|(day, most)| (**most, std::cmp::Reverse(*day)))?;
    let is_above = f64::from(*most) > request.budget.ceil();
    if all <= allowed && !matches!(request.style, Style::Random | Style::Sessions) {
        let (day, most) = (day + 1, number(u64::from(*most)));
        return is_above.then(|| format!("The budget is kept on average; day {day} has {most} downloads."));
    }
    let total = format!("{} of {} that the budget has for all days", number(all), number(allowed));
    let above = all.saturating_sub(allowed);
    let total = if above > 0 { format!("{total}, {} too many", number(above)) } else { total };
    Some(match is_above {
        true => format!(
            "Downloads: {total}. It does not hold for every day: day {}, the busiest, has {}.",
            day + 1,
            number(u64::from(*most))
        ),
        false => format!("Downloads: {total}."),
    })
}

/// Why nothing is fetched on the first day.
pub(super) fn late_note(load: &[u32]) -> Option<String> {
    let first = load.iter().position(|load| *load > 0).filter(|first| *first > 0)?;
    Some(format!(
        "The first download is on day {}: what was captured before serves until then, and a download gains more the longer ago that is.",
        number(first as u64 + 1)
    ))
}

/// Numbers of pages that a plan does not fetch, or not count.
pub(super) struct LeftOut {
    /// Never captured, and not fetched.
    pub missed: usize,
    /// Whether there are fewer downloads than pages that were never captured.
    pub is_short: bool,
    /// Captured before, changing, and not fetched.
    pub waiting: usize,
    /// Without a period, because days without room took downloads from it.
    pub moved: usize,
    /// Always changing.
    pub endless: usize,
}

/// What to know about a plan: what its aim does with pages that change often, which pages are not counted, and how the dates differ
/// from a plan that goes on without end.
pub(super) fn notes_on(request: &WeeksRequest, left_out: LeftOut) -> Vec<String> {
    let LeftOut { missed, is_short, waiting, moved, endless } = left_out;
    let pages = |number: usize| count(number as u64, "page");
    let is = |number: usize| if number == 1 { "is" } else { "are" };
    let mut notes = vec![aim_note(request.aim, missed == 0 && waiting == 0).to_owned()];
    if request.aim == Aim::Blur && missed > 0 {
        notes.push(format!(
            "{}: {} never captured so far {} not fetched. Nothing of them can be replayed, so they are not counted.",
            match is_short {
                true => "The budget does not reach for all pages",
                false => "The pause between two downloads of a host leaves no time for all pages",
            },
            pages(missed),
            is(missed),
        ));
    }
    if request.aim == Aim::Blur && waiting > 0 {
        notes.push(format!(
            "{} captured before {} not fetched: the last capture serves on, and a download brings more elsewhere.",
            pages(waiting),
            is(waiting),
        ));
    }
    if moved > 0 {
        notes.push(format!(
            "{} {} not fetched at equal intervals: some of the days were full. No period is named for {}.",
            pages(moved),
            is(moved),
            if moved == 1 { "it" } else { "them" },
        ));
    }
    if endless > 0 {
        notes.push(match request.aim {
            Aim::Freshness => format!("Always changing, and so never current: {}.", pages(endless)),
            Aim::Blur => format!(
                "Always changing, so that no download brings them closer: {}, fetched once if never captured, and not counted.",
                pages(endless)
            ),
            Aim::Versions => {
                format!("Always changing, every download of them a version: {}, not fetched and not counted.", pages(endless))
            }
        });
    }
    notes.push(
        "The value is that of the dates planned here. They begin with what has been captured so far and need not leave pages current \
         behind the last day, so it differs from that of a plan that goes on without end."
            .to_owned(),
    );
    notes
}

/// The aims disagree about pages that change often: which was chosen, and what it does with them.
fn aim_note(aim: Aim, is_complete: bool) -> &'static str {
    match aim {
        Aim::Freshness => {
            "Freshness and completeness drop pages that change too often for their weight; --aim blur drops none, and --aim versions \
             favours them."
        }
        Aim::Blur if is_complete => {
            "Blur drops no page of any weight; --aim freshness drops those that change too often for their weight."
        }
        Aim::Blur => {
            "Blur fetches every page that was never captured once before any page twice, the heaviest first; --aim freshness drops \
             those that change too often for their weight."
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
    let first = match *capped.first()? {
        "" => "the pages without a host",
        first => first,
    };
    let more = if capped.len() > 1 {
        format!(" and {} more", number(capped.len() as u64 - 1))
    } else {
        String::new()
    };
    Some(format!("The pause between two downloads limits {first}{more}: a shorter one would gain."))
}
