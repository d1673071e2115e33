//! An audit beside an earlier one: what got better, worse or fixed, and which actions were done.

use std::collections::{BTreeMap, HashSet};

use crate::audit::done;
use crate::audit::model::{
    ActionOutcome, ActionState, AnswerChange, Audit, Band, Comparison, Direction, Listed, PageAudit,
    Question, Said, SiteAudit, SiteChange,
};
use crate::audit::same_measure::{self, direction};
use crate::audit::site_changes::{self, Latest, PageChanges, Weighed};
use crate::format::{count, list, local, number, percent, percents, was};

/// Examples of a list.
const LISTED: usize = 20;

/// Compares an audit with an earlier one, read from the file `with`.
pub(crate) fn compare(then: &Audit, now: &Audit, with: &str) -> Comparison {
    let (old, new) = (latest(then), latest(now));
    if is_other(&old, &new) {
        // Another site is neither better nor worse.
        let text = "The two audits have no site in common, so nothing is compared.".to_owned();
        let said = vec![Said { topic: "Note".to_owned(), text }];
        return Comparison {
            with: with.to_owned(),
            window: then.summary.window,
            said,
            ..Comparison::default()
        };
    }
    let listed = [&old, &new].iter().all(|sites| sites.values().all(|site| site.page_totals.is_none()));
    let mut comparison = Comparison {
        with: with.to_owned(),
        window: then.summary.window,
        answers: answers(then, now, &old, &new),
        sites: if old.len().max(new.len()) > 1 { site_changes::of(&old, &new, listed) } else { Vec::new() },
        actions: outcomes(then, now),
        ..Comparison::default()
    };
    let lost = if listed { pages(&mut comparison, &old, &new) } else { HashSet::new() };
    missing(&mut comparison, &old, &new, &lost);
    comparison.said = said(&comparison, then, now, &old, &new, listed);
    comparison
}

/// Whether the audits are of sites of which none is in both.
fn is_other(old: &Latest<'_>, new: &Latest<'_>) -> bool {
    !old.is_empty() && !new.is_empty() && !old.keys().any(|name| new.contains_key(name))
}

/// Each site as it was captured last.
fn latest(audit: &Audit) -> Latest<'_> {
    let mut sites: Latest<'_> = BTreeMap::new();
    for site in &audit.sites {
        let held = sites.entry(&site.site).or_insert(site);
        if site.window.to >= held.window.to {
            *held = site;
        }
    }
    sites
}

/// The one site of an audit, as it was captured last; `None` where there are several.
fn only<'a>(sites: &Latest<'a>) -> Option<&'a SiteAudit> {
    sites.values().next().copied().filter(|_| sites.len() == 1)
}

/// The answers then and now: of one site as it was captured last, and about the record.
fn answers(then: &Audit, now: &Audit, old: &Latest<'_>, new: &Latest<'_>) -> Vec<AnswerChange> {
    let sites = only(old).zip(only(new));
    let change = |question: Question| {
        let (before, after) = (band(then, old, question), band(now, new, question));
        let direction = match (question, sites) {
            (Question::Complete, Some((old, new))) => same_measure::way_of_completeness(old, new),
            _ => direction(before, after),
        };
        let measured = match (question, sites) {
            (Question::Record, _) => same_measure::of_records(then, now),
            (_, Some((old, new))) => same_measure::of(question, old, new, direction),
            _ => None,
        };
        (before.is_some() && after.is_some()).then(|| AnswerChange {
            question,
            before,
            after,
            before_share: measured.and_then(|found| found.before),
            after_share: measured.and_then(|found| found.after),
            measure: measured.map(|found| found.measure.to_owned()),
            direction,
        })
    };
    [Question::Consistent, Question::Complete, Question::Record].into_iter().filter_map(change).collect()
}

/// The band of an answer: of the audit, or where it judged several crawls of one site, of the site as it was captured last.
fn band(audit: &Audit, sites: &Latest<'_>, question: Question) -> Option<Band> {
    let last = only(sites).filter(|_| audit.sites.len() > 1).map(|site| &site.answers);
    let answer = match (question, last) {
        (Question::Consistent, Some(last)) => &last.consistent,
        (Question::Consistent, None) => &audit.answers.consistent,
        (Question::Complete, Some(last)) => &last.complete,
        (Question::Complete, None) => &audit.answers.complete,
        (Question::Record, _) => &audit.answers.record,
    };
    answer.band
}

/// Pages with their weights: the heaviest first.
fn listed(mut pages: Weighed<'_>) -> Listed {
    pages.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    Listed {
        count: pages.len() as u64,
        first: pages.iter().take(LISTED).map(|(_, url)| (*url).to_owned()).collect(),
    }
}

/// The pages that fare otherwise; the result is those that were captured then and are not here now.
fn pages<'a>(comparison: &mut Comparison, old: &Latest<'a>, new: &Latest<'a>) -> HashSet<&'a str> {
    fn all<'a>(sites: &Latest<'a>) -> impl Iterator<Item = &'a PageAudit> {
        sites.values().flat_map(|site| &site.page_list)
    }
    let changes = PageChanges::of(all(old), all(new));
    comparison.gained = listed(changes.gained);
    comparison.fixed = listed(changes.fixed);
    comparison.broken = listed(changes.broken);
    let lost = changes.lost.iter().map(|(_, url)| *url).collect();
    comparison.lost = listed(changes.lost);
    lost
}

/// Files that are missing in one of the audits: of the sites whose links both know, and list whole. Pages that are `lost` are
/// not among them.
fn missing(comparison: &mut Comparison, old: &Latest<'_>, new: &Latest<'_>, lost: &HashSet<&str>) {
    let (mut better, mut worse) = (Vec::new(), Vec::new());
    for (name, before) in old {
        if let Some((found, lacking)) = new.get(name).and_then(|after| site_changes::missing(before, after)) {
            better.extend(found);
            worse.extend(lacking.into_iter().filter(|(_, url)| !lost.contains(url)));
        }
    }
    comparison.no_longer_missing = listed(better);
    comparison.newly_missing = listed(worse);
}

fn outcomes(then: &Audit, now: &Audit) -> Vec<ActionOutcome> {
    let outcome = |action: &crate::audit::model::Action| {
        let left = done::left(action, then, now);
        let state = match left {
            None => ActionState::Unknown,
            Some(0) if !done::was_carried_out(action, then, now) => ActionState::NotNeeded,
            Some(0) => ActionState::Done,
            Some(left) if left < action.count => ActionState::Partly,
            Some(_) => ActionState::Open,
        };
        ActionOutcome {
            kind: action.kind,
            site: action.site.clone(),
            text: action.text.clone(),
            before: action.count,
            left,
            state,
        }
    };
    then.actions.iter().map(outcome).collect()
}

/// What the settings of two audits differ in.
fn settings(then: &Audit, now: &Audit) -> Vec<String> {
    let values = |audit: &Audit| -> serde_json::Map<String, serde_json::Value> {
        match serde_json::to_value(&audit.parameters) {
            Ok(serde_json::Value::Object(values)) => values,
            _ => serde_json::Map::new(),
        }
    };
    let (then, now) = (values(then), values(now));
    // Which inputs are visit and revisit follows from the inputs.
    let names = [
        "canon",
        "site_by",
        "pages",
        "evidence",
        "compare",
        "from",
        "to",
        "crawls",
        "site",
        "weights",
        "embeds",
        "ignore_below",
    ];
    let differ = names.iter().filter(|name| then.get(**name) != now.get(**name));
    differ.map(|name| name.replace('_', " ")).collect()
}

fn question(question: Question) -> &'static str {
    match question {
        Question::Consistent => "Consistent",
        Question::Complete => "Complete",
        Question::Record => "Record",
    }
}

struct Lines<'a> {
    /// The site whose name URLs leave out.
    site: &'a str,
    said: Vec<Said>,
}

impl Lines<'_> {
    fn say(&mut self, topic: &str, text: String) {
        self.said.push(Said { topic: topic.to_owned(), text });
    }

    /// A sentence about some URLs; `one` and `many` are its forms.
    fn some(&mut self, topic: &str, found: &Listed, one: &str, many: &str) {
        let Some(first) = found.first.first() else { return };
        let path = local(first, self.site);
        match found.count {
            1 => self.say(topic, format!("{one}: {path}.")),
            all => self.say(topic, format!("{} {many}, among them {path}.", number(all))),
        }
    }
}

fn said(
    comparison: &Comparison,
    then: &Audit,
    now: &Audit,
    old: &Latest<'_>,
    new: &Latest<'_>,
    listed: bool,
) -> Vec<Said> {
    let site = match &now.sites[..] {
        [only] => only.site.as_str(),
        _ => "",
    };
    let mut lines = Lines { site, said: Vec::new() };
    for (topic, way) in [("Better", Direction::Better), ("Worse", Direction::Worse)] {
        for change in &comparison.answers {
            let shares =
                change.before_share.zip(change.after_share).filter(|(a, b)| percent(*a) != percent(*b));
            let shares = shares.map(|(a, b)| percents(a, b));
            let grew = change.after_share > change.before_share;
            let (Some(before), Some(after)) = (change.before, change.after) else { continue };
            let name = question(change.question);
            let measure = change.measure.as_deref().unwrap_or_default();
            if change.direction == way {
                let shares = shares.map_or_else(String::new, |(a, b)| match change.question {
                    Question::Complete => format!(" ({measure} {a} → {b})"),
                    Question::Consistent if measure == "importance" => format!(" ({a} → {b} by importance)"),
                    _ => format!(" ({a} → {b})"),
                });
                lines.say(topic, format!("{name}: {} → {}{shares}.", before.name(), after.name()));
            } else if let (Direction::Same, Some((a, b))) = (change.direction, shares)
                && grew == (way == Direction::Better)
            {
                let rose = if grew { "rose" } else { "fell" };
                lines.say(
                    topic,
                    match change.question {
                        Question::Complete => {
                            format!("Complete is still {}; {measure} {rose} from {a} to {b}.", after.name())
                        }
                        Question::Consistent if measure == "importance" => format!(
                            "Consistent is still {}; by importance it {rose} from {a} to {b}.",
                            after.name()
                        ),
                        _ => format!("{name} is still {}; it {rose} from {a} to {b}.", after.name()),
                    },
                );
            }
        }
        let many = comparison.sites.iter().filter(|change| change.direction == way).count() as u64;
        if many > 0 {
            lines.say(
                topic,
                format!(
                    "{} {} answers that are {}.",
                    count(many, "site"),
                    if many == 1 { "has" } else { "have" },
                    way.name()
                ),
            );
        }
        match way {
            Direction::Better => {
                lines.some(
                    "Fixed",
                    &comparison.fixed,
                    "1 page that changed last time is unchanged now",
                    "pages that changed last time are unchanged now",
                );
                lines.some(
                    "Fixed",
                    &comparison.no_longer_missing,
                    "1 file that was missing is now here",
                    "files that were missing are now here",
                );
            }
            _ => {
                lines.some(
                    "Worse",
                    &comparison.broken,
                    "1 page that was unchanged last time changed",
                    "pages that were unchanged last time changed",
                );
                lines.some(
                    "Worse",
                    &comparison.lost,
                    "1 page was captured last time and is not here",
                    "pages were captured last time and are not here",
                );
                lines.some(
                    "Worse",
                    &comparison.newly_missing,
                    "1 file is missing that was not missing last time",
                    "files are missing that were not missing last time",
                );
            }
        }
    }
    for change in comparison.answers.iter().filter(|change| change.direction == Direction::Unknown) {
        if let (Some(before), Some(after)) = (change.before, change.after) {
            // What cannot be told is neither good nor bad, so it is neither better nor worse.
            let name = question(change.question);
            let measure = change.measure.as_deref().unwrap_or_default();
            let was = format!("{name} is {} and was {}", after.name(), before.name());
            lines.say(
                "Judged",
                match (before, after, change.before_share, change.after_share) {
                    (_, Band::CannotTell, ..) => {
                        format!("{name} can no longer be judged; it was {}.", before.name())
                    }
                    (Band::CannotTell, ..) => format!("{name} can now be judged: {}.", after.name()),
                    (_, _, None, Some(share)) => {
                        format!("{was}: {measure} can now be judged, and {} were captured.", percent(share))
                    }
                    (_, _, Some(share), None) => {
                        format!("{was}: {measure} ({} then) can no longer be judged.", percent(share))
                    }
                    _ => format!("{was}, by what only one of the audits can judge."),
                },
            );
        }
    }
    let then_of: Bands = |change| [change.consistent_before, change.complete_before];
    let now_of: Bands = |change| [change.consistent_after, change.complete_after];
    let (told, untold) =
        (told_only(&comparison.sites, then_of, now_of), told_only(&comparison.sites, now_of, then_of));
    if told > 0 {
        lines.say("Judged", format!("{} could not be judged before and can now.", count(told, "site")));
    }
    if untold > 0 {
        lines.say("Judged", format!("{} can no longer be judged.", count(untold, "site")));
    }
    lines.some("New", &comparison.gained, "1 page was not there last time", "pages were not there last time");
    in_and_out(&mut lines, old, new);
    actions(&mut lines, &comparison.actions);
    notes(&mut lines, then, now, listed);
    let topics = ["Better", "Fixed", "Worse", "Judged", "New", "Actions", "Note"];
    let place = |said: &Said| topics.iter().position(|topic| *topic == said.topic);
    lines.said.sort_by_key(place);
    if lines.said.iter().all(|said| matches!(said.topic.as_str(), "Actions" | "Note")) {
        let text = "The answers, pages and missing files are the same.".to_owned();
        lines.said.insert(0, Said { topic: "Same".to_owned(), text });
    }
    lines.said
}

/// The two answers about a site, then or now.
type Bands = fn(&SiteChange) -> [Option<Band>; 2];

/// How many sites are neither better nor worse, but have an answer that is open by `one` and decided by `other`.
fn told_only(sites: &[SiteChange], one: Bands, other: Bands) -> u64 {
    let is_open = |band: &Option<Band>| *band == Some(Band::CannotTell);
    let is_told = |change: &&SiteChange| {
        one(change).iter().zip(&other(change)).any(|(one, other)| is_open(one) && !is_open(other))
    };
    sites.iter().filter(|change| change.direction == Direction::Unknown).filter(is_told).count() as u64
}

fn in_and_out(lines: &mut Lines<'_>, old: &Latest<'_>, new: &Latest<'_>) {
    let only = |a: &Latest<'_>, b: &Latest<'_>| -> Vec<String> {
        a.keys().filter(|name| !b.contains_key(*name)).map(|name| (*name).to_owned()).collect()
    };
    for (topic, sites, what) in [
        ("New", only(new, old), "not there last time"),
        ("Worse", only(old, new), "there last time and not now"),
    ] {
        if let Some(first) = sites.first().filter(|_| old.len() > 1 || new.len() > 1) {
            let many = sites.len() as u64;
            let name = if many == 1 { format!(": {first}") } else { format!(", among them {first}") };
            lines.say(topic, format!("{} {} {what}{name}.", count(many, "site"), was(many)));
        }
    }
}

fn actions(lines: &mut Lines<'_>, outcomes: &[ActionOutcome]) {
    if outcomes.is_empty() {
        return;
    }
    let of = |state: ActionState| outcomes.iter().filter(move |outcome| outcome.state == state);
    // The first clause of an action names it.
    let name = |outcome: &ActionOutcome| {
        let clause = outcome.text.split(": ").next().unwrap_or("").trim_end_matches('.');
        let mut letters = clause.chars();
        letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
    };
    let mut text = format!("{} of {} done", of(ActionState::Done).count(), number(outcomes.len() as u64));
    let open: Vec<String> = of(ActionState::Open).map(name).collect();
    let partly: Vec<String> = of(ActionState::Partly)
        .map(|outcome| format!("{} ({} left)", name(outcome), number(outcome.left.unwrap_or(0))))
        .collect();
    let unknown: Vec<String> = of(ActionState::Unknown).map(name).collect();
    let unneeded: Vec<String> = of(ActionState::NotNeeded).map(name).collect();
    for (word, some) in
        [("in part", partly), ("open", open), ("no longer needed", unneeded), ("cannot tell", unknown)]
    {
        if !some.is_empty() {
            text.push_str(&format!("; {word}: {}", some.join(", ")));
        }
    }
    text.push('.');
    lines.say("Actions", text);
}

fn notes(lines: &mut Lines<'_>, then: &Audit, now: &Audit, listed: bool) {
    let settings = settings(then, now);
    if !settings.is_empty() {
        let text = format!(
            "The two audits were made with different settings ({}), which may explain differences.",
            list(&settings)
        );
        lines.say("Note", text);
    }
    if then.summary.window.is_some()
        && then.summary.window == now.summary.window
        && then.summary.observations == now.summary.observations
    {
        lines.say("Note", "Both audits seem to be of the same captures.".to_owned());
    }
    if !listed {
        lines.say(
            "Note",
            "Pages were not compared: a report with more than 250,000 pages does not list them.".to_owned(),
        );
    }
}
