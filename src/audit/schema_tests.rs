//! Holds `docs/report-schema.json` and the model together: a small checker for the part of JSON Schema that it uses.

use serde_json::Value;

use super::model::*;
use super::{AuditInput, Parameters, audit};
use crate::capture::table::Table;
use crate::capture::testing::{look, parse};
use crate::problem::{Level as ProblemLevel, Problem};
use crate::schedule::page::Found;

fn schema() -> Value {
    serde_json::from_str(include_str!("../../docs/report-schema.json")).unwrap()
}

/// All faults of a value, each with its path.
pub(crate) fn faults(root: &Value, schema: &Value, value: &Value, path: &str, found: &mut Vec<String>) {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        let target = root.pointer(name.trim_start_matches('#')).unwrap_or_else(|| panic!("{name}"));
        return faults(root, target, value, path, found);
    }
    if let Some(options) = schema.get("anyOf").and_then(Value::as_array) {
        let fits = |option: &Value| {
            let mut inner = Vec::new();
            faults(root, option, value, path, &mut inner);
            inner.is_empty()
        };
        if !options.iter().any(fits) {
            found.push(format!("{path}: fits none"));
        }
        return;
    }
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        "boolean" => value.is_boolean(),
        _ => value.is_null(),
    };
    let fits = match &schema["type"] {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is),
        _ => panic!("{path}: no type"),
    };
    if !fits {
        found.push(format!("{path}: {value} is no {}", schema["type"]));
    }
    if schema.get("enum").and_then(Value::as_array).is_some_and(|options| !options.contains(value)) {
        found.push(format!("{path}: {value} is not listed"));
    }
    let bound = |name: &str| schema.get(name).and_then(Value::as_f64);
    if let Some(number) = value.as_f64() {
        let outside = bound("minimum").is_some_and(|least| number < least - 1e-12)
            || bound("maximum").is_some_and(|most| number > most + 1e-12);
        if outside {
            found.push(format!("{path}: {number} is out of bounds"));
        }
    }
    if let Some(fields) = value.as_object() {
        for (name, field) in fields {
            match schema["properties"].get(name) {
                Some(property) => faults(root, property, field, &format!("{path}.{name}"), found),
                None => found.push(format!("{path}.{name}: not described")),
            }
        }
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                found.push(format!("{path}.{name}: missing"));
            }
        }
    }
    for item in value.as_array().into_iter().flatten() {
        faults(root, &schema["items"], item, &format!("{path}[]"), found);
    }
}

fn assert_fits(audit: &Audit) {
    let (schema, value) = (schema(), serde_json::to_value(audit).unwrap());
    let mut found = Vec::new();
    faults(&schema, &schema, &value, "", &mut found);
    assert_eq!(found, Vec::<String>::new());
}

fn demo() -> Audit {
    let page = |name: &str, time: &str| look(&format!("http://a.example/{name}"), time);
    let mut skewed = page("c", "2024-01-03T00:00:00Z").body(7).build();
    skewed.http_date = Some(parse("2020-01-01T00:00:00Z"));
    let observations = [
        page("a", "2024-01-01T00:00:00Z").body(1).last_modified("2023-01-01T00:00:00Z").build(),
        page("a", "2024-01-02T00:00:00Z").body(1).last_modified("2024-01-01T12:00:00Z").build(),
        page("b", "2024-01-01T00:00:00Z").body(2).build(),
        page("b", "2024-01-02T00:00:00.5Z").body(3).build(),
        page("d", "2024-01-02T00:00:00Z").build(),
        page("d", "2024-01-04T00:00:00Z").status(503).build(),
        skewed,
    ];
    let input = AuditInput {
        inputs: vec![Input { path: "a.warc".into(), ..Input::default() }],
        problems: vec![Problem::new(ProblemLevel::Note, "x", "y")],
        ..AuditInput::default()
    };
    let parameters = Parameters { explain: vec!["http://a.example/b".into()], ..Parameters::default() };
    let audit = audit(&Table::of(&observations), &parameters, input);
    assert!(audit.sites[0].page_list.iter().any(|page| page.story.is_some()));
    audit
}

#[test]
fn the_schema_describes_what_is_written() {
    assert_fits(&demo());
    assert_fits(&audit(&Table::default(), &Parameters::default(), AuditInput::default()));
}

#[test]
fn the_schema_describes_what_other_measures_add() {
    let mut audit = demo();
    let links = LinkCompleteness {
        share: Some(0.5),
        plain_share: Some(0.5),
        captured: 1,
        failed: 1,
        untried: 0,
        excluded: 0,
        out_of_scope: 2,
        optional: 1,
        beyond: 3,
    };
    let site = &mut audit.sites[0];
    let completeness = site.completeness.as_mut().unwrap();
    assert!(completeness.links_unknown.is_some());
    (completeness.links, completeness.embeds) = (Some(links), Some(links));
    site.missing = Some(vec![Missing {
        url: "http://a.example/x".into(),
        kind: "embed".into(),
        used_as: crate::html::links::LinkKind::Image,
        needed_by: None,
        pages: 1,
        weight: 1.0,
        fate: crate::quality::link_completeness::TargetStatus::Failed,
        status: Some(404),
        reason: "answered 404".into(),
        sitemap: Some("http://a.example/sitemap.xml".into()),
        found: Some(Found { breadth: 1, depth: 1 }),
    }]);
    site.reschedule = Some(Reschedule {
        strategy: "optimal".into(),
        delay_seconds: 1.0,
        expected_coherence: 2.0,
        upper_bound: 2.0,
        pages: 2,
        never_captured: 1,
        never_captured_pages: vec!["http://a.example/x".into()],
        gap: Some(0.0),
        compared_pages: 1,
        compared_coherence: None,
        last_crawl: None,
        gain: None,
        hopeless: 0,
        unknown_rates: 0,
        range: None,
        text: "x".into(),
        command: "acuity schedule x".into(),
        plan: vec![PlannedPage {
            url: "http://a.example/x".into(),
            lane: "a.example".into(),
            visit_seconds: 0.0,
            revisit_seconds: None,
            chance: Some(1.0),
            hopeful: true,
        }],
        strategies: vec![crate::schedule::model::Row {
            name: "optimal".into(),
            expected_coherence: Some(2.0),
            expected_blur: None,
            hopeless: Some(0),
            given_up: None,
            length_seconds: 1.0,
            gap: None,
        }],
    });
    let story = site.page_list.iter_mut().find_map(|page| page.story.as_mut()).unwrap();
    story.changes.push(ChangeOut {
        from: parse("2024-01-01T00:00:00Z"),
        to: parse("2024-01-02T00:00:00Z"),
        change: None,
        reason: Some("x".into()),
    });
    let page = &mut site.page_list[0];
    page.importance = Some(0.1);
    page.sitemap = Some("http://a.example/sitemap.xml".into());
    page.behaviour = Some(crate::quality::pattern::Behaviour { often: 4, much: 3 });
    page.pattern = Some(crate::quality::pattern::Pattern::default().summary());
    page.change_importance = Some(vec![ChangeImportance {
        from: parse("2024-01-01T00:00:00Z"),
        to: parse("2024-01-02T00:00:00Z"),
        importance: Some(0.3),
        reason: None,
    }]);
    assert_fits(&audit);
    let json = serde_json::to_string(&audit).unwrap();
    assert_eq!(serde_json::from_str::<Audit>(&json).unwrap(), audit);
}

#[test]
fn a_wrong_report_does_not_fit() {
    let schema = schema();
    let mut value = serde_json::to_value(demo()).unwrap();
    value["sites"][0]["pages"]["sharp"] = Value::from("many");
    value["sites"][0]["surplus"] = Value::Null;
    let mut found = Vec::new();
    faults(&schema, &schema, &value, "", &mut found);
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn a_simulation_fits_its_schema() {
    use crate::simulate::paper::reproduce;
    use crate::simulate::run::Seeds;

    let schema: Value = serde_json::from_str(include_str!("../../docs/simulate-schema.json")).unwrap();
    let simulation = reproduce("solar-2", Seeds { first: 1, count: 2 }, 1).unwrap();
    let value = serde_json::to_value(&simulation).unwrap();
    let mut found = Vec::new();
    faults(&schema, &schema, &value, "", &mut found);
    assert!(found.is_empty(), "{found:?}");
    assert!(value["rows"].as_array().unwrap().len() > 10);
}
