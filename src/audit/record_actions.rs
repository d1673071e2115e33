//! What helps the record: an action for each reason that makes it poor or mixed, gravest first.

use crate::archive::source::base_name;
use crate::audit::commands::Commands;
use crate::audit::model::{Action, ActionKind, Question};
use crate::audit::record::Record;
use crate::format::{count, list, number};
use crate::problem::{Level, Problem};

/// The longest path that a sentence names whole: it fits a line of 80 columns behind the number of the action.
const MAX_PATH: usize = 74;

/// How sentences name files: all with their folders, or where that would be too long for one of them, none.
#[derive(Debug, Clone, Copy)]
struct Names {
    are_short: bool,
}

impl Names {
    fn of(record: &Record<'_>) -> Self {
        let are_short = record.files_of(|level, _| level != Level::Note).into_iter().any(is_long);
        Names { are_short }
    }

    /// Files that one sentence names.
    fn name<const N: usize>(self, files: [&str; N]) -> [&str; N] {
        let are_short = self.are_short || files.iter().copied().any(is_long);
        files.map(|file| if are_short { base_name(file) } else { file })
    }

    fn one(self, file: &str) -> &str {
        let [name] = self.name([file]);
        name
    }
}

fn is_long(file: &str) -> bool {
    file.chars().count() > MAX_PATH
}

/// The actions, in the order of the reasons.
pub(crate) fn of(record: &Record<'_>, commands: &Commands) -> Vec<Action> {
    let problems = || commands.audit("--problems problems.jsonl");
    let names = Names::of(record);
    let mut actions = Vec::new();
    actions.extend(packages(record, names).map(|action| action.run(problems())));
    actions.extend(unread(record, names).into_iter().map(|action| action.run(problems())));
    // Another copy of a damaged file may help against what follows.
    actions.extend(damage(record, names).map(|action| action.run(problems())));
    actions.extend(revisits(record, names).map(|action| action.run(problems())));
    actions.extend(contradictory(record, names).map(|action| action.run(problems())));
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

fn packages(record: &Record<'_>, names: Names) -> Option<Action> {
    let differing = record.differing_hashes();
    let packages = record.packages_that_differ();
    let first = *packages.first()?;
    let text = match packages.len() as u64 {
        // How many files differ stands in the answer.
        1 if differing == 1 => {
            format!(
                "Compare {} with another copy: a file in it does not match the hash that it declares.",
                names.one(first)
            )
        }
        1 => format!(
            "Compare {} with another copy: files in it do not match the hashes that it declares.",
            names.one(first)
        ),
        many => format!(
            "Compare {} with other copies, such as {}: they do not match the hashes that they declare.",
            count(many, "package"),
            names.one(first)
        ),
    };
    let action = Action::new(ActionKind::ComparePackages, Question::Record, differing, text);
    Some(Action { file: Some(first.to_owned()), ..action })
}

/// Files that could not be read at all: those that something can be done about, and those that are no good.
fn unread(record: &Record<'_>, names: Names) -> Vec<Action> {
    let (with_remedy, without): (Vec<&Problem>, Vec<&Problem>) =
        record.unread().into_iter().partition(|problem| problem.remedy.is_some());
    let of = |files: &[&Problem], text: Option<String>| {
        let first = files.first()?;
        let action = Action::new(ActionKind::ReadFile, Question::Record, files.len() as u64, text?);
        Some(Action { file: Some(first.file.clone()), ..action })
    };
    [of(&with_remedy, readable(&with_remedy, names)), of(&without, replaced(&without, names))]
        .into_iter()
        .flatten()
        .collect()
}

/// What makes files readable.
fn readable(files: &[&Problem], names: Names) -> Option<String> {
    let first = files.first()?;
    let (file, remedy) = (names.one(&first.file), first.remedy.as_deref()?);
    Some(match files.len() as u64 {
        1 => format!("Make {file} readable: {remedy}"),
        many => format!("Make {} readable, beginning with {file}: {remedy}", count(many, "file")),
    })
}

/// That files that nothing makes readable are replaced or left out.
fn replaced(files: &[&Problem], names: Names) -> Option<String> {
    let first = files.first()?;
    let foreign = files.iter().filter(|problem| is_foreign(problem)).count();
    Some(match (files, foreign) {
        ([only], 1) => format!("Leave out {}, or replace it: it is not an archive.", names.one(&only.file)),
        ([only], _) if only.kind == "unknown-input" => {
            format!("Leave out {}, or replace it: {}.", names.one(&only.file), only.message)
        }
        ([only], _) => {
            format!("Correct the path of {}, or replace it: it could not be read.", names.one(&only.file))
        }
        (all, foreign) if foreign == all.len() => format!(
            "Leave out {} that are not archives, such as {}, or replace them.",
            count(all.len() as u64, "file"),
            names.one(&first.file)
        ),
        ([one, other], _) => {
            let files = names.name([&one.file, &other.file]).map(str::to_owned);
            format!("Replace {}, or leave them out: they could not be read.", list(&files))
        }
        (all, _) => format!(
            "Replace {} that could not be read, or leave them out, such as {}.",
            count(all.len() as u64, "file"),
            names.one(&first.file)
        ),
    })
}

/// Whether a file is not an archive at all, nor part of one.
fn is_foreign(problem: &Problem) -> bool {
    problem.remedy.is_none() && problem.message.contains("no known archive format")
}

fn revisits(record: &Record<'_>, names: Names) -> Option<Action> {
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
            let only = names.one(only);
            format!("Compare the {noun} in {only} with another copy: {they} the {captures} to.")
        }
        _ => format!("Compare {} with another copy: {they} the {captures} to.", count(revisits, "revisit")),
    };
    let action = Action::new(ActionKind::CompareRevisits, Question::Record, revisits, text);
    Some(Action { file: files.first().map(|file| (*file).to_owned()), ..action })
}

/// Captures that another record or an index contradicts: which was altered, another copy may show.
fn contradictory(record: &Record<'_>, names: Names) -> Option<Action> {
    let captures = record.contradictory();
    let first = record.first_contradictory()?;
    let at = first.offset.map_or_else(String::new, |offset| format!(", byte {}", number(offset)));
    let quoted = first.message.split('"').nth(1).unwrap_or_default();
    let [file, other] = names.name([&first.file, quoted]);
    let place = format!("{file}{at}");
    let said = of_two_places(&first.message, quoted, other);
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

/// What a contradiction says of the other place, which it quotes and which is named like the first: `the record at offset 896 of "b.warc" has …: nothing is proven by either` as
/// `b.warc, byte 896, has …`. That nothing is proven stands in the answer.
fn of_two_places(message: &str, quoted: &str, file: &str) -> String {
    let said = message.split(": nothing is proven").next().unwrap_or_default();
    let said = said.replace(" but other content", ", but other content");
    let place = format!("{quoted:?}");
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
    let all = record.cut_unrepeated();
    let cut = all.saturating_sub(record.cut_by_damage());
    let (which, marked) = match (cut, all) {
        (1, 1) => ("the capture that is", "it is"),
        (1, _) => ("the other capture that is", "all are"),
        (some, all) if some == all => ("captures that are", "they are"),
        _ => ("the other captures that are", "all are"),
    };
    let text = format!(
        "Repeat {which} cut short, or find a complete copy: {marked} marked in the column \"truncated\" of captures.csv."
    );
    (cut > 0).then(|| Action::new(ActionKind::CaptureCut, Question::Record, cut, text))
}

fn damage(record: &Record<'_>, names: Names) -> Option<Action> {
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
            (format!("Replace {} by another copy: {what}.", names.one(file)), places.len() as u64)
        }
        many => (
            format!(
                "Replace {} by other copies: they are damaged, such as {}{at}.",
                count(many, "file"),
                names.one(file)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn unread_in(folder: &str) -> Vec<String> {
        let problem = |file: &str, kind: &str, message: &str| {
            Problem::new(Level::Error, kind, message).in_file(format!("{folder}{file}"))
        };
        let problems = [
            problem("a.warc.lz4", "unknown-input", "the input holds lz4 data, which is not read")
                .with_remedy("decompress it to a file, or pipe it: lz4 -dc FILE | acuity index -"),
            problem("b.warc", "unreadable-input", "Permission denied"),
            problem("c-with-a-name.wacz", "unknown-input", "the zip file holds no archive"),
        ];
        let record = Record { captures: 1, inputs: &[], counts: &[], problems: &problems, sites: &[] };
        unread(&record, Names::of(&record)).into_iter().map(|action| action.text).collect()
    }

    #[test]
    fn a_file_that_can_be_made_readable_is_not_to_be_replaced() {
        assert_eq!(
            unread_in(""),
            [
                "Make a.warc.lz4 readable: decompress it to a file, or pipe it: lz4 -dc FILE | acuity index -",
                "Replace b.warc and c-with-a-name.wacz, or leave them out: they could not be read."
            ]
        );
    }

    #[test]
    fn files_are_named_in_one_way() {
        // Only the last path is too long.
        let folder = format!("/{}/", "f".repeat(MAX_PATH - 15));
        let texts = unread_in(&folder);
        assert!(texts[0].starts_with("Make a.warc.lz4 readable"), "{texts:?}");
        assert!(texts[1].starts_with("Replace b.warc and c-with-a-name.wacz,"), "{texts:?}");
        assert!(unread_in("f/")[1].starts_with("Replace f/b.warc and f/c-with-a-name.wacz,"));
    }
}
