//! How well E orders changes: sixty changes of real pages, labelled by hand, against the text alone and the count of
//! changed bytes.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use crate::archive::source::expand;
use crate::audit::bodies::Bodies;
use crate::html::blocks::blocks;
use crate::html::charset::Charset;
use crate::ingest::{Options, ProblemLog, Wanted, read};
use crate::quality::change_importance::change_importance;
use crate::quality::weights::ChangeWeights;

const LABELLED: &str = include_str!("labelled_changes.txt");

/// A labelled change of a page.
struct Labelled {
    label: u32,
    what: String,
    before: String,
    after: String,
}

fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

fn data() -> Option<PathBuf> {
    let given = std::env::var_os("ACUITY_DATA").map(PathBuf::from);
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    given.into_iter().chain([beside]).find(|path| path.is_dir())
}

/// The page at an address in an archive, as text.
fn page(archive: &std::path::Path, url: &str) -> String {
    let sources = expand(&[OsString::from(archive)]).unwrap();
    let options = Options { wanted: Wanted::default(), ..Options::default() };
    let reading = read(&sources, &options, &mut ProblemLog::new(None), &|_| {}).unwrap();
    let table = reading.table().unwrap();
    let is_page = |row: &&_| crate::capture::page::is_html_page(&table, row) && table.text(row.url) == url;
    let row = table.rows().iter().find(is_page).unwrap_or_else(|| panic!("{url}"));
    let body = Bodies::default().fetch(&table, row).unwrap();
    let charset = Charset::detect(&body.bytes, body.content_type.as_deref().map(str::as_bytes));
    charset.encoding.decode(&body.bytes).0.into_owned()
}

/// Every word replaced by its letters in reverse, tags left as they are.
fn reworded(text: &str) -> String {
    let (mut out, mut word, mut in_tag) = (String::new(), String::new(), false);
    for c in text.chars().chain(['\n']) {
        if !in_tag && c.is_alphabetic() {
            word.push(c);
            continue;
        }
        out.extend(word.drain(..).rev());
        in_tag = if in_tag { c != '>' } else { c == '<' };
        out.push(c);
    }
    out
}

fn changed(page: &str, operation: &str, [first, second]: &[String; 2]) -> String {
    let at = page.find(first.as_str()).unwrap_or_else(|| panic!("{first}"));
    let behind = at + first.len();
    let end = || behind + page[behind..].find(second.as_str()).unwrap_or_else(|| panic!("{second}"));
    let (before, after) = (&page[..at], &page[behind..]);
    match operation {
        "replace" => format!("{before}{second}{after}"),
        "after" => format!("{before}{first}{second}{after}"),
        "before" => format!("{before}{second}{first}{after}"),
        "cut" => format!("{before}{}", &page[end()..]),
        "words" => format!("{before}{}{}", reworded(&page[at..end()]), &page[end()..]),
        other => panic!("no operation {other}"),
    }
}

fn labelled(data: &std::path::Path) -> Vec<Labelled> {
    let mut pages: HashMap<&str, String> = HashMap::new();
    let mut found = Vec::new();
    let mut lines = LABELLED.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    while let Some(line) = lines.next() {
        let words: Vec<&str> = line.splitn(4, ' ').collect();
        if let ["page", name, file, url] = words[..] {
            pages.insert(name, page(&data.join(file), url));
            continue;
        }
        let [label, name, what] = line.splitn(3, ' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let (operation, texts) = lines.next().unwrap().trim().split_once(' ').unwrap();
        let before = pages[name].clone();
        let after = changed(&before, operation, &serde_json::from_str(texts).unwrap());
        found.push(Labelled {
            label: label.parse().unwrap(),
            what: format!("{name}: {what}"),
            before,
            after,
        });
    }
    found
}

/// Ranks, equal values sharing the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let less = values.iter().filter(|other| *other < value).count() as f64;
        let equal = values.iter().filter(|other| *other == value).count() as f64;
        less + (equal + 1.0) / 2.0
    };
    values.iter().map(rank).collect()
}

/// Spearman's rank correlation.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (ranks(a), ranks(b));
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mean_a, mean_b) = (mean(&a), mean(&b));
    let product: f64 = a.iter().zip(&b).map(|(a, b)| (a - mean_a) * (b - mean_b)).sum();
    let square = |values: &[f64], mean: f64| values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    product / (square(&a, mean_a) * square(&b, mean_b)).sqrt()
}

/// Share of the visible words that differ, as bags.
fn text_distance(before: &str, after: &str) -> f64 {
    let words = |page: &str| {
        let text =
            crate::html::lines::lines(page.as_bytes(), Some(b"text/html; charset=utf-8")).unwrap().join(" ");
        let mut counts: HashMap<String, i64> = HashMap::new();
        text.split_whitespace().for_each(|word| *counts.entry(word.to_owned()).or_default() += 1);
        counts
    };
    let (old, new) = (words(before), words(after));
    let total: i64 = old.values().chain(new.values()).sum();
    let common: i64 = old.iter().map(|(word, count)| *count.min(new.get(word).unwrap_or(&0))).sum();
    1.0 - 2.0 * common as f64 / total.max(1) as f64
}

/// The bytes that differ: what is left without the common start and end.
fn byte_distance(before: &str, after: &str) -> f64 {
    let (before, after) = (before.as_bytes(), after.as_bytes());
    let start = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let room = before.len().min(after.len()) - start;
    let end = before.iter().rev().zip(after.iter().rev()).take(room).take_while(|(a, b)| a == b).count();
    (before.len().max(after.len()) - start - end) as f64
}

#[test]
fn importance_orders_labelled_changes_better_than_text_or_bytes() {
    let Some(data) = data() else {
        return say("skipped: there is no ../shared/data and no ACUITY_DATA");
    };
    let set = labelled(&data);
    assert_eq!(set.len(), 60);
    let weights = ChangeWeights::default();
    let parse = |page: &str| blocks(page.as_bytes(), Some(b"text/html; charset=utf-8")).unwrap();
    let importance: Vec<f64> = set
        .iter()
        .map(|change| change_importance(&parse(&change.before), &parse(&change.after), &weights).importance)
        .collect();
    let labels: Vec<f64> = set.iter().map(|change| f64::from(change.label)).collect();
    let text: Vec<f64> = set.iter().map(|change| text_distance(&change.before, &change.after)).collect();
    let bytes: Vec<f64> = set.iter().map(|change| byte_distance(&change.before, &change.after)).collect();
    let half = |odd: usize| {
        let pick = |values: &[f64]| values.iter().skip(odd).step_by(2).copied().collect::<Vec<_>>();
        correlation(&pick(&importance), &pick(&labels))
    };
    let by = [&importance, &text, &bytes].map(|values| correlation(values, &labels));
    for (change, (e, text)) in set.iter().zip(importance.iter().zip(&text)) {
        say(&format!("{} {e:.5} {text:.5} {}", change.label, change.what));
    }
    let [e, text, bytes] = by;
    say(&format!("E {e:.3} (halves {:.3} {:.3}), text {text:.3}, bytes {bytes:.3}", half(0), half(1)));
    assert!(e >= 0.8 && e > text + 0.1 && e > bytes + 0.1, "E {e:.3}, text {text:.3}, bytes {bytes:.3}");
    // What no reader sees does not count, and noise counts less than any fact of the content of the same page.
    for (change, e) in set.iter().zip(&importance) {
        let page = |what: &str| what.split(':').next().unwrap_or_default().to_owned();
        let facts = set
            .iter()
            .zip(&importance)
            .filter(|(other, _)| other.label == 3 && page(&other.what) == page(&change.what));
        let least = facts.map(|(_, e)| *e).fold(f64::INFINITY, f64::min);
        match change.label {
            0 => assert_eq!(*e, 0.0, "{}", change.what),
            1 => assert!(*e < least, "{}: {e} is not below {least}", change.what),
            _ => {}
        }
    }
}
