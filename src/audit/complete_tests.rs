//! Completeness through the whole audit: versions by an exact history, links by what became of their targets.

use super::link_map::LinkMap;
use super::model::Audit;
use super::{AuditInput, Fates, Parameters, audit};
use crate::capture::Observation;
use crate::capture::graph::{GraphBuilder, LinkGraph};
use crate::capture::table::Table;
use crate::capture::testing::{Look, look};
use crate::change::history::History;
use crate::crawl::outcome::Fate;
use crate::html::links::LinkKind;
use crate::quality::link_completeness::TargetStatus;
use crate::url::{Canon, SiteBy};

fn page(path: &str, minute: u32) -> Look {
    look(&format!("http://a.example{path}"), &format!("2024-03-01T12:{minute:02}:00Z"))
}

fn keyed(observation: Observation) -> Observation {
    Observation { key: Canon::Default.key(&observation.url), ..observation }
}

fn graph(edges: &[(&str, &str, LinkKind)]) -> LinkGraph {
    let mut builder = GraphBuilder::default();
    let full = |path: &str| {
        if path.starts_with('/') { format!("http://a.example{path}") } else { path.to_owned() }
    };
    for (from, to, kind) in edges {
        builder.link(&full(from), &full(to), *kind);
    }
    builder.finish().0
}

fn audited(looks: Vec<Observation>, graph: &LinkGraph, fates: &Fates, parameters: &Parameters) -> Audit {
    let observations: Vec<Observation> = looks.into_iter().map(keyed).collect();
    let links = LinkMap::new(graph.clone(), Canon::Default, &SiteBy::Host, &[], fates.listed());
    let input = AuditInput { links: Some(&links), fates: Some(fates), ..AuditInput::default() };
    audit(&Table::of(&observations), parameters, input)
}

fn missing(audit: &Audit) -> Vec<(&str, TargetStatus)> {
    audit.sites[0].missing.iter().flatten().map(|missing| (missing.url.as_str(), missing.fate)).collect()
}

#[test]
fn an_exact_history_counts_versions() {
    // Four versions in the window: one at its beginning and three changes; the captures got the first and the last.
    let history = "page,change_time\n/a,2024-03-01T11:00:00Z\n/a,2024-03-01T12:02:00Z\n/a,2024-03-01T12:04:00Z\n\
                   /a,2024-03-01T12:06:00Z\n/a,2024-03-01T13:00:00Z\n/b,2024-03-01T11:00:00Z\n";
    let history = History::read(history.as_bytes()).unwrap();
    let looks = [page("/a", 0).body(1), page("/a", 10).body(2), page("/b", 5).body(3)];
    let looks: Vec<Observation> = looks.into_iter().map(Look::build).collect();
    let input = AuditInput { history: Some(&history), ..AuditInput::default() };
    let audit = audit(&Table::of(&looks), &Parameters::default(), input);
    let site = &audit.sites[0];
    let found = site.page_list[0].completeness.unwrap();
    assert_eq!((found.share, found.low, found.high, found.exact), (Some(0.5), Some(0.5), Some(0.5), true));
    assert_eq!((found.captured, found.expected_missed), (2.0, 2.0));
    assert_eq!(site.page_list[1].completeness.unwrap().share, Some(1.0));
    assert_eq!(site.completeness.as_ref().unwrap().versions.share, Some(0.75));
    assert_eq!(audit.summary.completeness.unwrap().share, Some(0.75));
}

#[test]
fn completeness_of_looks_lies_in_its_interval_and_more_looks_never_lower_it() {
    let share = |looks: &[(u32, u8)]| {
        let mut looks: Vec<Observation> =
            looks.iter().map(|(minute, body)| page("/a", *minute).body(*body).build()).collect();
        // A rate needs unchanged captures as well.
        looks.extend([0, 20].map(|minute| page("/b", minute).body(9).build()));
        let audit = audit(&Table::of(&looks), &Parameters::default(), AuditInput::default());
        let found = audit.sites[0].page_list[0].completeness.unwrap();
        let (share, low, high) = (found.share.unwrap(), found.low.unwrap(), found.high.unwrap());
        assert!(0.0 < low && low <= share && share <= high && high <= 1.0, "{found:?}");
        share
    };
    assert!(share(&[(0, 1), (20, 1)]) > share(&[(0, 1), (20, 2)]));
    assert_eq!(share(&[(0, 1), (20, 1)]), 1.0);
}

#[test]
fn a_redirect_is_as_good_as_what_it_leads_to() {
    use LinkKind::*;
    let graph = graph(&[
        ("/", "/moved", Anchor),
        ("/moved", "/there", Redirect),
        ("/", "/lost", Anchor),
        ("/lost", "/nowhere", Redirect),
        ("/", "/left", Anchor),
        ("/left", "http://b.example/", Redirect),
        ("/", "/loop", Anchor),
        ("/loop", "/loop2", Redirect),
        ("/loop2", "/loop", Redirect),
        ("/", "/self", Anchor),
        ("/self", "/self", Redirect),
    ]);
    let redirect = |path: &str, minute: u32, to: &str| {
        let mut look = page(path, minute).status(301).build();
        look.location = Some(to.to_owned());
        look
    };
    let looks = vec![
        page("/", 0).body(1).build(),
        redirect("/moved", 1, "/there"),
        page("/there", 2).body(2).build(),
        redirect("/lost", 3, "/nowhere"),
        redirect("/left", 4, "http://b.example/"),
        redirect("/loop", 5, "/loop2"),
        redirect("/loop2", 6, "/loop"),
        redirect("/self", 7, "/self"),
    ];
    let audit = audited(looks, &graph, &Fates::default(), &Parameters::default());
    let failed =
        ["loop", "lost", "self"].map(|name| (format!("http://a.example/{name}"), TargetStatus::Failed));
    assert_eq!(missing(&audit), failed.each_ref().map(|(url, status)| (url.as_str(), *status)));
    let reasons = audit.sites[0].missing.as_ref().unwrap().iter().map(|missing| missing.reason.as_str());
    let reasons: Vec<&str> = reasons.collect();
    assert!(reasons[1].contains("/nowhere") && reasons[2].starts_with("redirected to itself"), "{reasons:?}");
}

#[test]
fn embedded_resources_count_wherever_they_lie_and_style_sheets_need_their_own() {
    use LinkKind::*;
    let graph = graph(&[
        ("/", "http://cdn.example/x.js", Script),
        ("/", "http://other.example/", Anchor),
        ("/", "/s.css", Stylesheet),
        ("/s.css", "/font.woff", Style),
    ]);
    let looks = || {
        let mut sheet = page("/s.css", 1).body(2).build();
        sheet.mime = Some("text/css".to_owned());
        vec![page("/", 0).body(1).build(), sheet]
    };
    let everywhere = audited(looks(), &graph, &Fates::default(), &Parameters::default());
    assert_eq!(
        missing(&everywhere),
        [
            ("http://a.example/font.woff", TargetStatus::Untried),
            ("http://cdn.example/x.js", TargetStatus::Untried)
        ]
    );
    let links = everywhere.sites[0].completeness.as_ref().unwrap().links.unwrap();
    assert_eq!((links.captured, links.untried, links.out_of_scope), (0, 0, 1));
    let own = Parameters { embeds_of_site: true, ..Parameters::default() };
    let of_site = audited(looks(), &graph, &Fates::default(), &own);
    assert_eq!(missing(&of_site), [("http://a.example/font.woff", TargetStatus::Untried)]);
}

#[test]
fn a_list_or_log_of_another_site_does_not_change_what_lies_beyond_a_crawl() {
    let graph = graph(&[
        ("/", "/one", LinkKind::Anchor),
        ("/", "/two", LinkKind::Anchor),
        ("/", "/three", LinkKind::Anchor),
    ]);
    let beyond = |fates: &Fates| {
        let audit = audited(vec![page("/", 0).body(1).build()], &graph, fates, &Parameters::default());
        let site = audit.sites.iter().find(|site| site.site == "a.example").unwrap();
        let links = site.completeness.as_ref().unwrap().links.unwrap();
        (links.untried, links.beyond)
    };
    let mut fates = Fates::default();
    assert_eq!(beyond(&fates), (0, 3));
    fates.list(Canon::Default, "http://b.example/", Some(200));
    fates.tell(Canon::Default, "http://c.example/", Fate::Duplicate);
    assert_eq!(beyond(&fates), (0, 3));
    // The log of the site itself says what its crawl was meant to cover.
    fates.tell(Canon::Default, "http://a.example/", Fate::Duplicate);
    assert_eq!(beyond(&fates), (3, 0));
}

#[test]
fn what_a_package_lists_and_lacks_has_failed() {
    let mut fates = Fates::default();
    fates.list(Canon::Default, "http://a.example/listed", Some(200));
    fates.list(Canon::Default, "http://a.example/", Some(200));
    fates.tell(Canon::Default, "http://a.example/same", Fate::Duplicate);
    let graph = graph(&[("/", "/same", LinkKind::Anchor)]);
    let audit = audited(vec![page("/", 0).body(1).build()], &graph, &fates, &Parameters::default());
    assert_eq!(missing(&audit), [("http://a.example/listed", TargetStatus::Failed)]);
    let lacking = &audit.sites[0].missing.as_ref().unwrap()[0];
    assert_eq!(lacking.needed_by.as_deref(), Some("the list of pages of a.example"));
    assert_eq!(lacking.status, Some(200));
}
