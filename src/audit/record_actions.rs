//! What helps the record: an action for each reason that makes it poor or mixed, gravest first.

use crate::audit::commands::Commands;
use crate::audit::model::{Action, ActionKind, Question};
use crate::audit::record::Record;
use crate::format::{count, list, number};
use crate::problem::Problem;

/// More files than these are not named one by one.
const NAMED: usize = 2;
/// The longest path that a sentence names whole: it fits a line of 80 columns behind the number of the action. Of others it has the name of the file.
const MAX_PATH: usize = 74;

/// A file as sentences name it.
fn named(file: &str) -> &str {
    let is_long = file.chars().count() > MAX_PATH;
    file.rsplit('/').next().filter(|_| is_long).unwrap_or(file)
}

/// The actions, in the order of the reasons.
pub(crate) fn of(record: &Record<'_>, commands: &Commands) -> Vec<Action> {
    let problems = || commands.audit("--problems problems.jsonl");
    let mut actions = Vec::new();
    actions.extend(packages(record).map(|action| action.run(problems())));
    actions.extend(unread(record).map(|action| action.run(problems())));
    // Another copy of a damaged file may help against what follows.
    actions.extend(damage(record).map(|action| action.run(problems())));
    actions.extend(revisits(record).map(|action| action.run(problems())));
    actions.extend(contradictory(record).map(|action| action.run(problems())));
    actions.extend(digests(record).map(|action| action.run(problems())));
    actions.extend(cut(record).map(|action| action.run(commands.index("captures.csv"))));
    actions.extend(originals(record).map(|action| action.run(commands.audit("OTHER-ARCHIVES"))));
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
        // How many files differ stands in the answer.
        1 if differing == 1 => {
            format!(
                "Compare {} with another copy: a file in it does not match the hash that it declares.",
                named(first)
            )
        }
        1 => format!(
            "Compare {} with another copy: files in it do not match the hashes that it declares.",
            named(first)
        ),
        many => format!(
            "Compare {} with other copies, such as {}: they do not match the hashes that they declare.",
            count(many, "package"),
            named(first)
        ),
    };
    let action = Action::new(ActionKind::ComparePackages, Question::Record, differing, text);
    Some(Action { file: Some(first.to_owned()), ..action })
}

/// Files that could not be read at all.
fn unread(record: &Record<'_>) -> Option<Action> {
    let files = record.unread();
    let first = files.first()?;
    let foreign = files.iter().filter(|problem| is_foreign(problem)).count();
    let few: Vec<String> = files.iter().take(NAMED).map(|problem| named(&problem.file).to_owned()).collect();
    let text = match (&files[..], foreign) {
        ([only], 1) => format!("Leave out {}, or replace it: it is not an archive.", named(&only.file)),
        ([only], _) => match (&only.remedy, only.kind.as_str()) {
            (Some(remedy), _) => format!("Make {} readable: {remedy}", named(&only.file)),
            (None, "unknown-input") => {
                format!("Leave out {}, or replace it: {}.", named(&only.file), only.message)
            }
            (None, _) => {
                format!("Correct the path of {}, or replace it: it could not be read.", named(&only.file))
            }
        },
        (all, foreign) if foreign == all.len() => format!(
            "Leave out {} that are not archives, such as {}, or replace them.",
            count(all.len() as u64, "file"),
            named(&first.file)
        ),
        (all, _) if all.len() <= NAMED => {
            format!("Replace {}, or leave them out: they could not be read.", list(&few))
        }
        (all, _) => format!(
            "Replace {} that could not be read, or leave them out, such as {}.",
            count(all.len() as u64, "file"),
            named(&first.file)
        ),
    };
    let action = Action::new(ActionKind::ReadFile, Question::Record, files.len() as u64, text);
    Some(Action { file: Some(first.file.clone()), ..action })
}

/// Whether a file is not an archive at all, nor part of one.
fn is_foreign(problem: &Problem) -> bool {
    problem.remedy.is_none() && problem.message.contains("no known archive format")
}

fn revisits(record: &Record<'_>) -> Option<Action> {
    let revisits = record.contradicting_revisits();
    if revisits == 0 {
        return None;
    }
    let files = record.files_of(|_, kind| matches!(kind, "revisit-contradicts" | "revisit-of-wrong-body"));
    let (they, captures) = if revisits == 1 {
        ("it contradicts", "capture it refers")
    } else {
        ("they contradict", "captures they refer")
    };
    let noun = if revisits == 1 { "revisit" } else { "revisits" };
    let text = match &files[..] {
        [only] => {
            let only = named(only);
            format!("Compare the {noun} in {only} with another copy: {they} the {captures} to.")
        }
        _ => format!("Compare {} with another copy: {they} the {captures} to.", count(revisits, "revisit")),
    };
    let action = Action::new(ActionKind::CompareRevisits, Question::Record, revisits, text);
    Some(Action { file: files.first().map(|file| (*file).to_owned()), ..action })
}

/// Captures that another record or an index contradicts: which was altered, another copy may show.
fn contradictory(record: &Record<'_>) -> Option<Action> {
    let captures = record.contradictory();
    let first = record.first_contradictory()?;
    let at = first.offset.map_or_else(String::new, |offset| format!(", byte {}", number(offset)));
    let place = format!("{}{at}", named(&first.file));
    let said = of_two_places(&first.message);
    let text = match captures {
        1 => format!("Compare a contradicted capture with another copy: {place}; {said}."),
        many => format!(
            "Compare {} with other copies, beginning with {place}: {said}.",
            count(many, "contradicted capture")
        ),
    };
    let action = Action::new(ActionKind::CompareEvidence, Question::Record, captures, text);
    Some(Action { file: Some(first.file.clone()), ..action })
}

/// What a contradiction says of the other place: `the record at offset 896 of "b.warc" has …: nothing is proven by either` as
/// `b.warc, byte 896, has …`. That nothing is proven stands in the answer.
fn of_two_places(message: &str) -> String {
    let said = message.split(": nothing is proven").next().unwrap_or_default();
    let quoted = said.split('"').nth(1).unwrap_or_default();
    let said = said.replace(" but other content", ", but other content");
    let (place, file) = (format!("{quoted:?}"), named(quoted));
    let offset =
        said.split_once(" at offset ").and_then(|(_, rest)| rest.split(' ').next()?.parse::<u64>().ok());
    let Some(offset) = offset else { return said.replace(&place, file) };
    let at = format!(" at offset {offset} of {place}");
    match said.strip_prefix("the record").and_then(|rest| rest.strip_prefix(&at)) {
        Some(rest) => format!("{file}, byte {},{rest}", number(offset)),
        None => said.replace(&at, &format!(" at byte {} of {file}", number(offset))),
    }
}

fn digests(record: &Record<'_>) -> Option<Action> {
    let records = record.mismatched_records();
    if records == 0 {
        return None;
    }
    // How many stands in the answer, where that is among its first reasons.
    let is_told = record.answer().sentence.contains("not match the stored bytes");
    let text = match (records, is_told) {
        (1, _) => "Compare the record whose digest does not match with another copy.".to_owned(),
        (_, true) => "Compare the records whose digests do not match with another copy.".to_owned(),
        (many, false) => {
            format!("Compare {} with another copy: their digests do not match.", count(many, "record"))
        }
    };
    Some(Action::new(ActionKind::CompareCopy, Question::Record, records, text))
}

/// Captures that are cut short. How many stands in the answer. Those that a damaged file cut come back with another copy of it,
/// which is an action already.
fn cut(record: &Record<'_>) -> Option<Action> {
    let all = record.cut();
    let cut = all.saturating_sub(record.cut_by_damage());
    let (which, marked) = match (cut, all) {
        (1, 1) => ("the capture that is", "it is"),
        (1, _) => ("the other capture that is", "all are"),
        (some, all) if some == all => ("captures that are", "they are"),
        _ => ("the other captures that are", "all are"),
    };
    let text = format!(
        "Repeat {which} cut short, or look for a whole copy: {marked} marked in the column \"truncated\" of captures.csv."
    );
    (cut > 0).then(|| Action::new(ActionKind::CaptureCut, Question::Record, cut, text))
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
            (format!("Replace {} by another copy: {what}.", named(file)), places.len() as u64)
        }
        many => (
            format!(
                "Replace {} by other copies: they are damaged, such as {}{at}.",
                count(many, "file"),
                named(file)
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
    let action = Action::new(ActionKind::AddOriginals, Question::Record, missing, text);
    let file = if let [only] = record.inputs { Some(only.path.clone()) } else { None };
    Some(Action { file, ..action })
}
