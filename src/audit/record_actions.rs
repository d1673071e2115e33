//! What helps the record: an action for each reason that makes it poor or mixed, gravest first.

use crate::audit::commands::Commands;
use crate::audit::model::{Action, ActionKind, Question};
use crate::audit::record::Record;
use crate::format::{count, number};
use crate::problem::Problem;

/// More files than these are not named one by one.
const NAMED: usize = 2;

/// The actions, in the order of the reasons.
pub(crate) fn of(record: &Record<'_>, commands: &Commands) -> Vec<Action> {
    let problems = || commands.audit("--problems problems.jsonl");
    let mut actions = Vec::new();
    actions.extend(packages(record).map(|action| action.run(problems())));
    actions.extend(unread(record).into_iter().map(|action| action.run(problems())));
    actions.extend(revisits(record).map(|action| action.run(problems())));
    actions.extend(digests(record).map(|action| action.run(problems())));
    actions.extend(damage(record).map(|action| action.run(problems())));
    actions.extend(originals(record));
    if !record.is_checked() && record.captures > 0 {
        let text = "Audit the WARC files that the index describes: that tells whether the record can be trusted, and \
                    whether it is complete."
            .to_owned();
        let files = record.inputs.len() as u64;
        actions.push(Action::new(ActionKind::AddArchives, Question::Record, files, text));
    }
    actions
}

fn packages(record: &Record<'_>) -> Option<Action> {
    let differing = record.differing_hashes();
    let packages = record.packages_that_differ();
    let first = *packages.first()?;
    let text = match packages.len() as u64 {
        1 => format!(
            "Compare {first} with another copy: {} in it {} not match the {} that it declares.",
            count(differing, "file"),
            if differing == 1 { "does" } else { "do" },
            if differing == 1 { "hash" } else { "hashes" },
        ),
        many => format!(
            "Compare {} with other copies, such as {first}: they do not match the hashes that they declare.",
            count(many, "package")
        ),
    };
    let action = Action::new(ActionKind::ComparePackages, Question::Record, differing, text);
    Some(Action { file: Some(first.to_owned()), ..action })
}

/// Files that could not be read at all.
fn unread(record: &Record<'_>) -> Vec<Action> {
    let files = record.unread();
    let action = |text: String, files: u64, first: &str| {
        let action = Action::new(ActionKind::ReadFile, Question::Record, files, text);
        Action { file: Some(first.to_owned()), ..action }
    };
    let mut actions = Vec::new();
    let foreign: Vec<&Problem> = files.iter().copied().filter(|problem| is_foreign(problem)).collect();
    if let (Some(first), true) = (foreign.first(), foreign.len() > NAMED) {
        let text = format!(
            "Leave out {} that are not archives, such as {}, or replace them.",
            count(foreign.len() as u64, "file"),
            first.file
        );
        actions.push(action(text, foreign.len() as u64, &first.file));
    } else {
        let one = |problem: &&Problem| {
            let text = format!("Leave out {}, or replace it: it is not an archive.", problem.file);
            action(text, 1, &problem.file)
        };
        actions.extend(foreign.iter().map(one));
    }
    let others: Vec<&Problem> = files.into_iter().filter(|problem| !is_foreign(problem)).collect();
    for problem in others.iter().take(NAMED) {
        let text = match (&problem.remedy, problem.kind.as_str()) {
            (Some(remedy), _) => format!("Make {} readable: {}.", problem.file, remedy.trim_end_matches('.')),
            (None, "unknown-input") => {
                format!("Leave out {}, or replace it: {}.", problem.file, problem.message.trim_end_matches('.'))
            }
            (None, _) => {
                format!("Correct the path of {}, or replace it: it could not be read.", problem.file)
            }
        };
        actions.push(action(text, 1, &problem.file));
    }
    if let (Some(first), true) = (others.get(NAMED), others.len() > NAMED) {
        let many = (others.len() - NAMED) as u64;
        let text = format!("Replace {} that could not be read, such as {}.", count(many, "other file"), first.file);
        actions.push(action(text, many, &first.file));
    }
    actions
}

/// Whether a file is none that an archive consists of.
fn is_foreign(problem: &Problem) -> bool {
    problem.remedy.is_none() && problem.message.contains("no known archive format")
}

fn revisits(record: &Record<'_>) -> Option<Action> {
    let revisits = record.contradicting_revisits();
    if revisits == 0 {
        return None;
    }
    let files = record.files_of(|_, kind| matches!(kind, "revisit-contradicts" | "revisit-of-wrong-body"));
    let (they, captures) =
        if revisits == 1 { ("it contradicts", "capture it refers") } else { ("they contradict", "captures they refer") };
    let of = match &files[..] {
        [only] => format!("another copy of {only}"),
        _ => "another copy".to_owned(),
    };
    let text = format!("Compare {} with {of}: {they} the {captures} to.", count(revisits, "revisit"));
    let action = Action::new(ActionKind::CompareRevisits, Question::Record, revisits, text);
    Some(Action { file: files.first().map(|file| (*file).to_owned()), ..action })
}

fn digests(record: &Record<'_>) -> Option<Action> {
    let records = record.mismatched_records();
    if records == 0 {
        return None;
    }
    let they = if records == 1 { "its digest does" } else { "their digests do" };
    let text = format!("Compare {} with another copy: {they} not match.", count(records, "record"));
    Some(Action::new(ActionKind::CompareCopy, Question::Record, records, text))
}

fn damage(record: &Record<'_>) -> Option<Action> {
    let damaged = record.damaged();
    let (file, places) = damaged.first()?;
    let first = places.iter().flatten().min();
    let at = first.map_or_else(String::new, |offset| format!(" at byte {}", number(*offset)));
    let (text, count) = match damaged.len() as u64 {
        1 => {
            let others = (places.len() - usize::from(first.is_some())) as u64;
            let what = match (first, others) {
                (Some(_), 0) => format!("it is damaged{at}"),
                (Some(_), more) => format!("it is damaged{at} and in {}", count(more, "other place")),
                (None, _) => "it could not be read".to_owned(),
            };
            (format!("Replace {file} by another copy: {what}."), places.len() as u64)
        }
        many => (
            format!(
                "Replace {} by other copies: they are damaged, such as {file}{at}.",
                count(many, "file")
            ),
            many,
        ),
    };
    let action = Action::new(ActionKind::ReplaceFile, Question::Record, count, text);
    Some(Action { file: (damaged.len() == 1).then(|| (*file).to_owned()), ..action })
}

fn originals(record: &Record<'_>) -> Option<Action> {
    let missing = record.without_original();
    if missing == 0 {
        return None;
    }
    let mut needs: Vec<(&str, u64)> = record
        .sites
        .iter()
        .map(|site| (site.site.as_str(), site.findings.unresolved_revisits))
        .filter(|(_, many)| *many > 0)
        .collect();
    needs.sort_by_key(|(site, many)| (std::cmp::Reverse(*many), *site));
    let where_from = match (&needs[..], record.sites.len()) {
        (_, 1) | ([], _) => String::new(),
        ([(site, _)], _) => format!(" of {site}"),
        (needs, _) => {
            let parts: Vec<String> =
                needs.iter().take(2).map(|(site, many)| format!("{site} needs {}", number(*many))).collect();
            format!(": {}", parts.join(", "))
        }
    };
    let text = match missing {
        1 => format!("Add the archive that holds 1 original{where_from}."),
        many => format!("Add the archives that hold {}{where_from}.", count(many, "original")),
    };
    Some(Action::new(ActionKind::AddOriginals, Question::Record, missing, text))
}
