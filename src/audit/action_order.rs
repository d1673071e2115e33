//! Which actions come first: repairs before decisions, decisions before pages to look at; among these the worst answer first.

use std::collections::HashSet;

use crate::audit::actions::Known;
use crate::audit::bands;
use crate::audit::model::{Action, ActionKind, Answer, Band, Question};

/// Maximum number of actions: the first screen has room for these.
const MOST: usize = 5;

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
    actions.sort_by(|a, b| {
        let key = |action: &Action| (stage(action), band(action.answer), action.answer);
        // What helps the record comes in the order of the reasons.
        let kind = |action: &Action| (action.answer != Question::Record).then_some(action.kind);
        key(a).cmp(&key(b)).then_with(|| gain(b).total_cmp(&gain(a))).then_with(|| kind(a).cmp(&kind(b)))
    });
    let mut questions = Vec::new();
    let leads: Vec<bool> = actions
        .iter()
        .map(|action| {
            let is_first = !questions.contains(&action.answer);
            questions.push(action.answer);
            is_first
        })
        .collect();
    let mut room = MOST.saturating_sub(leads.iter().filter(|leads| **leads).count());
    let mut leads = leads.into_iter();
    actions.retain(|_| {
        if leads.next() == Some(true) {
            return true;
        }
        let has_room = room > 0;
        room -= usize::from(has_room);
        has_room
    });
    told_once(actions)
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
