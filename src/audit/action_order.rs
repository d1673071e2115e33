//! Which actions come first: repairs before decisions, decisions before pages to look at; among these the worst answer first. What
//! follows the next crawl comes after what is to be done in it.

use std::collections::HashSet;

use crate::audit::actions::Known;
use crate::audit::bands;
use crate::audit::model::{Action, ActionKind, Answer, Answers, Band, Question};

/// Maximum number of actions: the first screen has room for these.
const MAX_ACTIONS: usize = 5;

/// Repairs, decisions, pages to look at.
fn stage(action: &Action) -> u8 {
    match action.kind {
        ActionKind::DecideCompare => 1,
        ActionKind::LookAtPage => 2,
        _ => 0,
    }
}

fn gain(action: &Action) -> f64 {
    action.after.zip(action.before).map_or(0.0, |(after, before)| after - before)
}

/// The worst band of an answer, or of those of several sites.
fn worst(answer: &Answer) -> Band {
    match (answer.band, answer.sites) {
        (Some(band), _) => band,
        (None, Some(sites)) if sites.poor > 0 => Band::Poor,
        (None, Some(sites)) if sites.mixed > 0 => Band::Mixed,
        (None, Some(sites)) if sites.cannot_tell > 0 => Band::CannotTell,
        _ => Band::Good,
    }
}

/// Puts actions in order, by the bands of the answers.
fn sort(actions: &mut [Action], band: impl Fn(Question) -> Band) {
    actions.sort_by(|a, b| {
        let is_later = |action: &Action| action.kind == ActionKind::FetchAgain;
        let key = |action: &Action| (stage(action), band(action.answer), is_later(action), action.answer);
        // What helps the record comes in the order of the reasons.
        let kind = |action: &Action| (action.answer != Question::Record).then_some(action.kind);
        key(a).cmp(&key(b)).then_with(|| gain(b).total_cmp(&gain(a))).then_with(|| kind(a).cmp(&kind(b)))
    });
}

/// The actions that there is room for, most urgent first. No answer that can be helped goes without an action because another
/// one has many.
pub(crate) fn first(mut actions: Vec<Action>, known: &Known<'_>) -> Vec<Action> {
    let band = |question: Question| match question {
        Question::Record => worst(&known.answers.record),
        Question::Consistent => worst(&known.answers.consistent),
        Question::Complete => {
            let seeds = known.seeds.map_or(Band::Good, |seeds| bands::of_share(seeds.all.share()));
            worst(&known.answers.complete).min(seeds)
        }
    };
    // What is missing is worth a line even where the answer is good.
    let is_wanted = |action: &Action| {
        let is_missing = matches!(
            action.kind,
            ActionKind::CaptureSeeds | ActionKind::CaptureMissing | ActionKind::RequestAgain
        );
        stage(action) > 0 || is_missing || band(action.answer) != Band::Good
    };
    actions.retain(is_wanted);
    sort(&mut actions, band);
    let mut questions = Vec::new();
    let leads: Vec<bool> = actions
        .iter()
        .map(|action| {
            let is_first = !questions.contains(&action.answer);
            questions.push(action.answer);
            is_first
        })
        .collect();
    let mut room = MAX_ACTIONS.saturating_sub(leads.iter().filter(|leads| **leads).count());
    let mut leads = leads.into_iter();
    actions.retain(|_| {
        if leads.next() == Some(true) {
            return true;
        }
        let has_room = room > 0;
        room -= usize::from(has_room);
        has_room
    });
    told_once(without_repeats(actions, known.answers))
}

/// The percentages of a sentence but for those that an arrow starts from: `88%` of `88% (28 of 32), 60% → 94%`, and `94%`.
fn percentages(text: &str) -> Vec<&str> {
    let words: Vec<&str> = text.split(' ').collect();
    let is_before = |place: usize| words.get(place + 1).is_some_and(|next| *next == "→");
    let places = (0..words.len()).filter(|place| !is_before(*place));
    let bare = places.map(|place| words[place].trim_matches(|letter: char| "(),.:;".contains(letter)));
    bare.filter(|word| word.ends_with('%')).collect()
}

/// The actions with no percentage that stands in an answer or an action before it: two figures that look alike are taken for one.
/// Such an action has counts instead.
fn without_repeats(actions: Vec<Action>, answers: &Answers) -> Vec<Action> {
    let sentences = [&answers.consistent, &answers.complete, &answers.record].map(|answer| &answer.sentence);
    let mut told: HashSet<String> =
        sentences.iter().flat_map(|text| percentages(text)).map(str::to_owned).collect();
    let other = |action: Action| {
        let repeats = percentages(&action.text).iter().any(|figure| told.contains(*figure));
        let text = match action.in_counts {
            Some(in_counts) if repeats => in_counts,
            _ => action.text,
        };
        told.extend(percentages(&text).into_iter().map(str::to_owned));
        Action { text, in_counts: None, ..action }
    };
    actions.into_iter().map(other).collect()
}

/// The actions with each command once: a later one says where its list is.
fn told_once(actions: Vec<Action>) -> Vec<Action> {
    let mut told = HashSet::new();
    let once = |action: Action| match &action.command {
        Some(command) if !told.insert(command.clone()) => {
            let list = if command.contains("--problems ") {
                " See problems.jsonl."
            } else if command.contains("acuity schedule ") {
                " The same schedule does it."
            } else {
                ""
            };
            Action { text: format!("{}{list}", action.text), command: None, ..action }
        }
        _ => action,
    };
    actions.into_iter().map(once).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn action(text: &str, in_counts: Option<&str>) -> Action {
        let action = Action::new(ActionKind::CaptureMissing, Question::Complete, 1, text.to_owned());
        Action { in_counts: in_counts.map(str::to_owned), ..action }
    }

    #[test]
    fn no_percentage_stands_twice_but_for_the_one_before_an_arrow() {
        let mut answers = Answers::default();
        answers.complete.sentence = "22 of 26 pages (85%) were captured.".to_owned();
        let actions = vec![
            action("Add 2 pages: complete 85% → 92%, if both still exist.", Some("Add: 22 → 24 of 26.")),
            action("Request again: complete 85% → 92%.", Some("Request again: complete 22 → 24 of 26.")),
            action("Plan: 85% expected consistent, 70% in the last order.", Some("Plan: about 22 of 26.")),
            action("Look at /a: it holds 85% of importance.", None),
        ];
        let texts: Vec<String> =
            without_repeats(actions, &answers).into_iter().map(|action| action.text).collect();
        assert_eq!(
            texts,
            [
                "Add 2 pages: complete 85% → 92%, if both still exist.",
                "Request again: complete 22 → 24 of 26.",
                "Plan: about 22 of 26.",
                "Look at /a: it holds 85% of importance."
            ]
        );
    }

    #[test]
    fn what_follows_the_next_crawl_comes_after_what_is_done_in_it() {
        let of = |kind: ActionKind, answer: Question, gain: f64| {
            Action::new(kind, answer, 1, String::new()).effect(0.5, 0.5 + gain)
        };
        let mut actions = vec![
            of(ActionKind::FetchAgain, Question::Consistent, 0.2),
            of(ActionKind::LookAtPage, Question::Consistent, 0.0),
            of(ActionKind::PlanCrawl, Question::Consistent, 0.1),
            of(ActionKind::CaptureMissing, Question::Complete, 0.3),
        ];
        sort(&mut actions, |_| Band::Poor);
        let kinds: Vec<ActionKind> = actions.iter().map(|action| action.kind).collect();
        let order = [
            ActionKind::PlanCrawl,
            ActionKind::CaptureMissing,
            ActionKind::FetchAgain,
            ActionKind::LookAtPage,
        ];
        assert_eq!(kinds, order);
    }
}
