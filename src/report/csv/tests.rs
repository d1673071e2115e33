use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::audit::{AuditInput, Parameters, audit};
use crate::capture::table::Table;
use crate::capture::testing::look;

/// Lists of the model that have a file of their own: where they stand, and the columns there.
const LISTS: &[(&str, &[&str])] = &[
    ("inputs", INPUTS),
    ("problems", PROBLEMS),
    ("summary.problems", PROBLEM_COUNTS),
    ("summary.crawls", CRAWLS),
    ("actions", ACTIONS),
    ("profile.types", PROFILE_TYPES),
    ("profile.months", PROFILE_MONTHS),
    ("profile.years", PROFILE_MONTHS),
    ("profile.hosts", PROFILE_HOSTS),
    ("profile.samples", SAMPLES),
    ("profile.seeds.list", SEEDS),
    ("review.ratings", RATINGS),
    ("comparison.answers", ANSWER_CHANGES),
    ("comparison.sites", SITE_CHANGES),
    ("comparison.actions", OUTCOMES),
    ("comparison.said", SINCE),
    ("sites", SITES),
    ("sites.crawls", CRAWLS),
    ("sites.coherence.best.intervals", INTERVALS),
    ("sites.coherence.best_by_weight.intervals", INTERVALS),
    ("sites.coherence.full.intervals", INTERVALS),
    ("sites.coherence.claimed.intervals", INTERVALS),
    ("sites.coherence.curve", CURVE),
    ("sites.findings.changed_mid_crawl", FINDINGS),
    ("sites.findings.contradicted_last_modified.examples", FINDINGS),
    ("sites.findings.statuses", FINDINGS),
    ("sites.findings.folders", FINDINGS),
    ("sites.findings.worst", FINDINGS),
    ("sites.findings.soft404", FINDINGS),
    ("sites.missing", MISSING),
    ("sites.completeness.excluded", EXCLUDED),
    ("sites.patterns", PATTERNS),
    ("sites.patterns.pattern.strips", STRIPS),
    ("sites.page_list.pattern.strips", STRIPS),
    ("sites.page_list", PAGES),
    ("sites.page_list.proven", INTERVALS),
    ("sites.page_list.claimed", INTERVALS),
    ("sites.page_list.outer", INTERVALS),
    ("sites.page_list.change_importance", CHANGES),
    ("sites.page_list.story.looks", LOOKS),
    ("sites.page_list.story.gaps", GAPS),
    ("sites.page_list.story.runs", RUNS),
    ("sites.page_list.story.changes", BLOCK_CHANGES),
    ("sites.page_list.story.changes.change.changes", BLOCKS),
    ("sites.page_list.story.changes.change.changes.terms", TERMS),
    ("sites.reschedule.plan", PLAN),
    ("sites.reschedule.strategies", STRATEGIES),
    ("sites.repair.fetches", REPAIR),
    ("promised.page_list", PROMISED),
];

/// All paths of leaves that the schema describes: lists of objects by the path of the list, then the rest.
fn leaves(root: &Value, schema: &Value, list: &str, path: &str, found: &mut BTreeSet<(String, String)>) {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        return leaves(root, root.pointer(name.trim_start_matches('#')).unwrap(), list, path, found);
    }
    if let Some(options) = schema.get("anyOf").and_then(Value::as_array) {
        return options.iter().for_each(|option| leaves(root, option, list, path, found));
    }
    let join =
        |path: &str, name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match schema["type"].as_str() {
        Some("null") => {}
        Some("object") => {
            for (name, property) in schema["properties"].as_object().unwrap() {
                leaves(root, property, list, &join(path, name), found);
            }
        }
        Some("array") => {
            let mut items = &schema["items"];
            while let Some(name) = items.get("$ref").and_then(Value::as_str) {
                items = root.pointer(name.trim_start_matches('#')).unwrap();
            }
            if items["type"] == "object" {
                leaves(root, items, &join(list, path), "", found);
            } else {
                found.insert((list.to_owned(), path.to_owned()));
            }
        }
        _ => {
            found.insert((list.to_owned(), path.to_owned()));
        }
    }
}

#[test]
fn every_key_of_the_json_has_a_column() {
    let schema: Value = serde_json::from_str(include_str!("../../../docs/report-schema.json")).unwrap();
    let mut found = BTreeSet::new();
    leaves(&schema, &schema, "", "", &mut found);
    assert!(found.len() > 150, "{}", found.len());
    let missing: Vec<String> = found
        .iter()
        .filter(|(list, _)| !list.is_empty())
        .filter(|(list, path)| {
            let columns = LISTS.iter().find(|(name, _)| name == list).map(|(_, columns)| *columns);
            !columns.is_some_and(|columns| columns.contains(&path.as_str()))
        })
        .map(|(list, path)| format!("{list}: {path}"))
        .collect();
    assert_eq!(missing, Vec::<String>::new());
}

fn sheet(folder: &Path, name: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = ::csv::Reader::from_path(folder.join(name)).unwrap();
    reader.deserialize().map(|row| row.unwrap()).collect()
}

#[test]
fn csv_carries_the_figures_of_the_json() {
    let page = |name: &str, date: &str, body| {
        look(&format!("http://a.example/{name}"), date)
            .body(body)
            .last_modified("2023-05-01T00:00:00Z")
            .build()
    };
    let observations = [
        page("a", "2024-01-01T00:00:00Z", 1),
        page("a", "2024-01-02T00:00:00Z", 1),
        page("=b()", "2024-01-01T00:00:00Z", 2),
        page("=b()", "2024-01-03T00:00:00Z", 3),
        page("c", "2024-01-03T00:00:00Z", 3),
    ];
    let parameters = Parameters { explain: vec!["http://a.example/a".into()], ..Parameters::default() };
    let audit = audit(&Table::of(&observations), &parameters, AuditInput::default());
    let folder = tempfile::tempdir().unwrap();
    let unfinished = tempfile::tempdir().unwrap();
    write(folder.path(), unfinished.path(), &audit).unwrap();
    let json = serde_json::to_value(&audit).unwrap();
    let same = |row: &BTreeMap<String, String>, value: &Value, columns: &[&str], skip: usize| {
        for column in &columns[skip..] {
            assert_eq!(row[*column], cell(value, column), "{column}");
        }
    };
    let sites = sheet(folder.path(), "sites.csv");
    assert_eq!(sites.len(), 1);
    same(&sites[0], &json["sites"][0], SITES, 1);
    assert_eq!(sites[0]["blur.actual.high"], text(&json["sites"][0]["blur"]["actual"]["high"]));
    let pages = sheet(folder.path(), "pages.csv");
    assert_eq!(pages.len(), 3);
    for (row, page) in pages.iter().zip(json["sites"][0]["page_list"].as_array().unwrap()) {
        same(row, page, PAGES, 2);
    }
    let unknown = pages.iter().find(|row| row["state"] == "single").unwrap();
    assert_eq!(unknown["grade"], "", "unknown is an empty cell");
    let proven = sheet(folder.path(), "intervals.csv").into_iter().filter(|row| row["kind"] == "proven");
    assert_eq!(proven.count(), 1);
    assert_eq!(sheet(folder.path(), "looks.csv").len(), 2);
    let whole: BTreeMap<String, String> = sheet(folder.path(), "audit.csv")
        .into_iter()
        .map(|row| (row["name"].clone(), row["value"].clone()))
        .collect();
    assert_eq!(whole["schema"], "acuity.audit/1");
    assert_eq!(whole["summary.pages"], "3");
    assert!(!whole.contains_key("parameters"));
}
