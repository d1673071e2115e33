//! Holds `docs/report-schema.json` and the model together.

#[path = "../../tests/support/schema.rs"]
#[allow(unreachable_pub, reason = "the integration tests use it too")]
pub(crate) mod checker;

use serde_json::Value;

use self::checker::faults;
use super::model::*;
use super::{AuditInput, Parameters, audit};
use crate::capture::table::Table;
use crate::capture::testing::{look, parse};
use crate::problem::{Level as ProblemLevel, Problem};
use crate::schedule::page::Found;

fn schema() -> Value {
    serde_json::from_str(include_str!("../../docs/report-schema.json")).unwrap()
}

fn assert_fits(audit: &Audit) {
    let (schema, value) = (schema(), serde_json::to_value(audit).unwrap());
    assert_eq!(faults(&schema, &value), Vec::<String>::new());
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
        away: 2,
    };
    let site = &mut audit.sites[0];
    let completeness = site.completeness.as_mut().unwrap();
    assert!(completeness.links_unknown.is_some());
    (completeness.links, completeness.embeds) = (Some(links), Some(links));
    completeness.seeds = Some(SiteSeeds { total: 2, reached: 1 });
    site.coherence.by_text = Some(ByText { pages: 1, share: 0.5, weight_share: 0.5 });
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
        expected_coherence: Some(2.0),
        upper_bound: Some(2.0),
        pages: 2,
        never_captured: 1,
        never_captured_pages: vec!["http://a.example/x".into()],
        gap: Some(0.0),
        compared_pages: 1,
        compared_coherence: None,
        last_crawl: None,
        gain: None,
        again: Some(Again { pages: 1, before: 0.5, expected: 0.75 }),
        is_shown: true,
        no_quicker: false,
        doubtful: 0.5,
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
    story.changes.push(RunChange {
        from: parse("2024-01-01T00:00:00Z"),
        to: parse("2024-01-02T00:00:00Z"),
        change: None,
        reason: Some("x".into()),
    });
    let page = &mut site.page_list[0];
    page.importance = Some(0.1);
    page.sitemap = Some("http://a.example/sitemap.xml".into());
    page.behaviour = Some(crate::quality::pattern::Behaviour { often: 4, much: 3, when: None });
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
    let found = faults(&schema, &value);
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn a_simulation_fits_its_schema() {
    use crate::simulate::paper::reproduce;
    use crate::simulate::run::Seeds;

    let schema: Value = serde_json::from_str(include_str!("../../docs/simulate-schema.json")).unwrap();
    let simulation = reproduce("solar-2", Seeds { first: 1, count: 2 }, 1).unwrap();
    let value = serde_json::to_value(&simulation).unwrap();
    let found = faults(&schema, &value);
    assert!(found.is_empty(), "{found:?}");
    assert!(value["rows"].as_array().unwrap().len() > 10);
}
