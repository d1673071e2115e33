//! Warnings of the reader in words: what is doubtful in a record, kind by kind.

use std::collections::BTreeMap;

use crate::format::{list, number};

/// Kinds that are named in a sentence.
const NAMED: usize = 3;

/// One thing, and several of them, for the kinds of problems that mean it.
const NAMES: [(&[&str], &str, &str); 32] = [
    (&["bad-date"], "record without a readable date", "records without a readable date"),
    (
        &["absurd-date"],
        "record dated before the web or far from now",
        "records dated before the web or far from now",
    ),
    (
        &["synthetic-dates"],
        "archive that gives the dates of files, not of captures",
        "archives that give the dates of files, not of captures",
    ),
    (&["no-target-uri"], "record without an address", "records without an address"),
    (
        &["contradictory-head"],
        "record whose head contradicts itself",
        "records whose heads contradict themselves",
    ),
    (&["no-record-type"], "record without a type", "records without a type"),
    (
        &["content-length-too-large", "no-content-length"],
        "record with a wrong length",
        "records with a wrong length",
    ),
    (&["segmented"], "record in segments", "records in segments"),
    (&["empty-block"], "empty record", "empty records"),
    (
        &["record-head-too-long", "http-head-too-long"],
        "record with a head that is too long",
        "records with a head that is too long",
    ),
    (&["bad-status-line"], "response without a readable status", "responses without a readable status"),
    (
        &["chunks-broken", "chunks-cut", "not-chunked"],
        "response with broken chunks",
        "responses with broken chunks",
    ),
    (&["coding-damaged"], "damaged compressed response", "damaged compressed responses"),
    (&["unknown-coding"], "response in an unknown coding", "responses in an unknown coding"),
    (&["body-too-long"], "response too long to be read", "responses too long to be read"),
    (
        &["trailing-garbage", "garbage-skipped", "not-records"],
        "place with bytes that belong to no record",
        "places with bytes that belong to no record",
    ),
    (&["requests-left-out"], "file with too many requests apart", "files with too many requests apart"),
    (
        &["bodies-not-readable"],
        "archive whose bodies cannot be read again",
        "archives whose bodies cannot be read again",
    ),
    (&["empty-input"], "empty file", "empty files"),
    (&["not-a-file"], "pipe or device in a folder", "pipes or devices in folders"),
    (
        &["index-line-malformed", "index-line-too-long", "bad-line"],
        "unreadable line of an index",
        "unreadable lines of indexes",
    ),
    (&["secondary-index"], "index of an index", "indexes of indexes"),
    (
        &["html-links-too-long", "html-too-deep", "html-too-long", "html-too-many-links"],
        "page too large to be read whole",
        "pages too large to be read whole",
    ),
    (&["links-left-out"], "list of links too long to be kept", "lists of links too long to be kept"),
    (
        &["sitemap-damaged", "sitemap-missing", "sitemap-too-long", "sitemaps-left-out"],
        "sitemap not read whole",
        "sitemaps not read whole",
    ),
    (
        &["crawl-log-line", "skipped-pages-line"],
        "unreadable line of a crawl log",
        "unreadable lines of crawl logs",
    ),
    (
        &["required-package-missing"],
        "package that is needed and not here",
        "packages that are needed and not here",
    ),
    (
        &["wacz-length-differs"],
        "packed file of another length than declared",
        "packed files of other lengths than declared",
    ),
    (
        &[
            "wacz-package-missing",
            "wacz-package-damaged",
            "zip-directory-missing",
            "zip-directory-damaged",
            "zip-too-many-entries",
        ],
        "package with a damaged list of its files",
        "packages with damaged lists of their files",
    ),
    (&["wacz-pages-damaged"], "package with a damaged list of pages", "packages with damaged lists of pages"),
    (
        &["wacz-resource-missing", "wacz-resource-unlisted", "multi-wacz-not-read"],
        "packed file that is listed or stored, not both",
        "packed files that are listed or stored, not both",
    ),
    (
        &["zip-entry-unreadable", "zip-entry-damaged", "zip-entry-too-large", "zip-duplicate-name"],
        "packed file in doubt",
        "packed files in doubt",
    ),
];

/// Kinds that alone make a better sentence than `There is …`: for one, and for several.
const ALONE: [(&str, &str, &str); 2] = [
    (
        "synthetic-dates",
        "1 archive gives the dates of files, not of captures.",
        " archives give the dates of files, not of captures.",
    ),
    (
        "trailing-garbage",
        "In 1 place there are bytes that belong to no record.",
        " places there are bytes that belong to no record.",
    ),
];

/// The sentence of a kind that is found alone.
fn alone(place: usize, many: u64) -> Option<String> {
    let (kinds, ..) = NAMES.get(place)?;
    let (kind, one, several) = ALONE.iter().find(|(kind, ..)| kinds.contains(kind))?;
    let start = if *kind == "trailing-garbage" { "In " } else { "" };
    Some(if many == 1 { (*one).to_owned() } else { format!("{start}{}{several}", number(many)) })
}

/// What there is, as a sentence: `There are 2 empty files and 1 record without a type.`
pub(crate) fn sentence<'a>(found: impl Iterator<Item = (&'a str, u64)>) -> Option<String> {
    let mut counts: BTreeMap<usize, u64> = BTreeMap::new();
    for (kind, many) in found.filter(|(_, many)| *many > 0) {
        let place = NAMES.iter().position(|(kinds, ..)| kinds.contains(&kind)).unwrap_or(NAMES.len());
        *counts.entry(place).or_default() += many;
    }
    let mut counts: Vec<(usize, u64)> = counts.into_iter().collect();
    // What has no name, and what is too much for a sentence, stands at its end.
    counts.sort_by_key(|(place, many)| (*place == NAMES.len(), std::cmp::Reverse(*many), *place));
    if let [(place, many)] = counts[..]
        && let Some(sentence) = alone(place, many)
    {
        return Some(sentence);
    }
    let are = if counts.first()?.1 == 1 { "is" } else { "are" };
    let is_named = |(place, _): &&(usize, u64)| *place < NAMES.len();
    let named = counts.iter().filter(is_named).take(NAMED);
    let mut parts: Vec<String> = named
        .map(|(place, many)| {
            let (_, one, several) = NAMES[*place];
            format!("{} {}", number(*many), if *many == 1 { one } else { several })
        })
        .collect();
    let other: u64 = counts.iter().skip(parts.len()).map(|(_, many)| many).sum();
    if other > 0 {
        let noun = if other == 1 { "other doubt" } else { "other doubts" };
        parts.push(format!("{} {noun} (--problems lists all)", number(other)));
    }
    Some(format!("There {are} {}.", list(&parts)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubts_are_named_and_counted_most_first() {
        let said = |found: &[(&str, u64)]| sentence(found.iter().copied()).unwrap_or_default();
        assert_eq!(said(&[]), "");
        assert_eq!(said(&[("not-records", 1)]), "In 1 place there are bytes that belong to no record.");
        assert_eq!(
            said(&[("not-records", 1), ("trailing-garbage", 2)]),
            "In 3 places there are bytes that belong to no record."
        );
        assert_eq!(said(&[("synthetic-dates", 1)]), "1 archive gives the dates of files, not of captures.");
        assert_eq!(said(&[("bad-date", 1)]), "There is 1 record without a readable date.");
        assert_eq!(
            said(&[("bad-date", 1), ("chunks-cut", 1), ("chunks-broken", 1)]),
            "There are 2 responses with broken chunks and 1 record without a readable date."
        );
        assert_eq!(
            said(&[
                ("empty-input", 2),
                ("bad-date", 3),
                ("segmented", 1),
                ("bad-status-line", 1),
                ("new", 4)
            ]),
            "There are 3 records without a readable date, 2 empty files, 1 record in segments and 5 other doubts \
             (--problems lists all)."
        );
    }

    #[test]
    fn every_warning_that_the_documentation_lists_has_words() {
        let documented = include_str!("../../docs/formats.md");
        let otherwise = [
            "revisit-",
            "history-",
            "importance-",
            "seed-",
            "payload-digest",
            "block-digest",
            "contradictory-",
        ];
        let rows = documented.lines().filter_map(|line| {
            let mut cells = line.strip_prefix("| `")?.split(" | ");
            let (kinds, level) = (cells.next()?, cells.next()?);
            level.contains("warning").then_some(kinds)
        });
        let kinds: Vec<&str> =
            rows.flat_map(|kinds| kinds.split("`, `")).map(|kind| kind.trim_end_matches('`')).collect();
        assert!(kinds.len() > 25, "{kinds:?}");
        for kind in kinds.into_iter().filter(|kind| !otherwise.iter().any(|start| kind.starts_with(start))) {
            // Rows that list kinds of several levels name errors and notes, too.
            let is_other = [
                "unreadable-input",
                "unknown-input",
                "not-an-archive",
                "unknown-record-type",
                "no-http-head",
            ];
            let is_named = NAMES.iter().any(|(kinds, ..)| kinds.contains(&kind));
            assert!(is_named || is_other.contains(&kind) || kind == "not-coded", "{kind}");
        }
    }
}
