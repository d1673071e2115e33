use super::*;
use crate::audit::commands::Typed;
use crate::audit::next::shelf::shelve;
use crate::audit::next::shelved_crawl::ShelvedCrawl;
use crate::audit::{Audit, AuditInput, Parameters, audit};
use crate::capture::table::Table;
use crate::capture::testing::{Look, look};
use crate::schedule::parts::PageSource;
use crate::url::SiteBy;

fn audited(looks: &[Look]) -> Audit {
    let observations: Vec<_> = looks.iter().map(|look| look.clone().build()).collect();
    audit(&Table::of(&observations), &Parameters::default(), AuditInput::default())
}

/// Three pages 10 s apart, and soon again; the second changes.
fn site() -> Audit {
    let at = |second: u32| format!("2024-01-01T00:{:02}:{:02}Z", second / 60, second % 60);
    let paths = ["/", "/a/1", "/a/2"];
    let mut looks = Vec::new();
    for (pass, start) in [(0, 0), (1, 85)] {
        for (page, path) in paths.iter().enumerate() {
            let body = if page == 1 && pass == 1 { 9 } else { page as u8 };
            let url = format!("http://a.example{path}");
            looks.push(look(&url, &at(start + 10 * page as u32)).body(body));
        }
    }
    audited(&looks)
}

#[test]
fn pages_lanes_pauses_and_looks_come_from_the_audit() {
    let audit = site();
    assert_eq!(audit.sites[0].delay_seconds, Some(10.0));
    let next = plan(&audit.sites, true);
    assert_eq!(next.pages.len(), 3);
    assert!(next.pages.iter().all(|page| &*page.lane == "a.example" && page.looks.is_some()));
    assert_eq!(next.delays[&Arc::from("a.example")], 10.0);
    assert!((next.pages[0].rate * 86_400.0 - audit.sites[0].page_list[0].rate.per_day).abs() < 1e-9);
    assert_eq!(&*next.pages[1].group.as_ref().unwrap().name, "/a/");
}

#[test]
fn links_that_were_never_tried_are_planned_with_the_rate_of_their_site() {
    let mut audit = site();
    let json = |url: &str, status: Option<u16>, kind: &str| {
        serde_json::json!({
            "url": url, "kind": kind, "used_as": "anchor", "needed_by": null, "pages": 1, "weight": 1.0,
            "fate": "untried", "status": status, "reason": "x"
        })
    };
    let missing = serde_json::json!([
        json("http://a.example/new", None, "link"),
        json("http://a.example/new", None, "link"),
        json("http://a.example/gone", Some(404), "link"),
        json("http://a.example/busy", Some(503), "link"),
        json("http://a.example/x.png", None, "embed"),
        json("http://a.example/a/1", None, "link"),
    ]);
    audit.sites[0].missing = Some(serde_json::from_value(missing).unwrap());
    let next = plan(&audit.sites, true);
    let added: Vec<&str> =
        next.pages.iter().filter(|page| page.basis == Basis::Uncaptured).map(|page| &*page.url).collect();
    assert_eq!(added, ["http://a.example/new", "http://a.example/busy"]);
    let prior = audit.sites[0].rates.prior.mean_per_day;
    assert!((next.pages[3].rate * 86_400.0 - prior).abs() < 1e-9 && next.pages[3].looks.is_none());
    assert_eq!(plan(&audit.sites, false).pages.len(), 3);
}

#[test]
fn orders_are_compared_on_the_same_pages_and_what_was_never_captured_is_named_apart() {
    let mut audit = site();
    let alone = audit.sites[0].reschedule.clone().unwrap();
    assert_eq!((alone.never_captured, alone.compared_pages), (0, 3));
    assert_eq!(alone.compared_coherence, alone.expected_coherence);
    let missing = serde_json::json!([{
        "url": "http://a.example/new", "kind": "link", "used_as": "anchor", "needed_by": null, "pages": 1,
        "weight": 1.0, "fate": "untried", "status": null, "reason": "x"
    }]);
    audit.sites[0].missing = Some(serde_json::from_value(missing).unwrap());
    let mut room = Room { pages: 10, comparisons: 1 };
    let commands = Commands::new(&Typed::default(), &[], &Parameters::default(), true, 1);
    recommend(&mut audit.sites, &commands, &mut room);
    let found = audit.sites[0].reschedule.as_ref().unwrap();
    assert_eq!((found.pages, found.never_captured, found.compared_pages), (4, 1, 3));
    assert_eq!(room, Room { pages: 6, comparisons: 0 });
    assert_eq!((found.plan.len(), found.strategies.last().unwrap().name.as_str()), (4, "last-crawl"));
    assert_eq!(found.never_captured_pages, ["http://a.example/new"]);
    // Another page changes nothing in the comparison.
    assert_eq!((found.compared_coherence, found.last_crawl), (alone.compared_coherence, alone.last_crawl));
    assert_eq!(found.gain, alone.gain);
    assert!(found.expected_coherence > alone.expected_coherence);
    assert!(found.text.contains("On the 3 pages of the last crawl"), "{}", found.text);
    assert!(found.text.contains("1 page was never captured: /new"), "{}", found.text);
}

#[test]
fn pages_have_the_pattern_of_their_class_and_the_subsite_of_their_sitemap() {
    let audit = site();
    let next = plan(&audit.sites, true);
    assert!(next.patterns.as_ref().unwrap().contains("3 captures"), "{:?}", next.patterns);
    // The second page changed on Monday, 1 January 2024, between 0:00 and 0:02.
    let [quiet, changed, _] = &next.pages[..] else { panic!() };
    let [quiet, changed] = [quiet, changed].map(|page| page.pattern.as_ref().unwrap());
    assert!(changed.changes(0) > quiet.changes(0));
    assert!((changed.changes(0) - 3600.0 * next.pages[1].rate).abs() < 1e-12);
    let mut listed = audit.clone();
    listed.sites[0].page_list[0].sitemap = Some("http://a.example/s.xml".into());
    let groups: Vec<_> = plan(&listed.sites, true).pages.into_iter().filter_map(|page| page.group).collect();
    assert_eq!(&*groups[0].name, "http://a.example/s.xml");
    assert_eq!((&*groups[1].name, groups[1].by), ("/a/", subsite::GroupBy::Folder));
}

#[test]
fn the_recommendation_names_gain_gap_and_command() {
    let audit = site();
    let found = audit.sites[0].reschedule.as_ref().unwrap();
    assert_eq!((found.strategy.as_str(), found.pages, found.delay_seconds), ("optimal", 3, 10.0));
    assert!(
        found.gap.unwrap() < 1e-9 && found.expected_coherence.unwrap() <= found.upper_bound.unwrap() + 1e-9
    );
    assert!(
        (found.gain.unwrap() - (found.expected_coherence.unwrap() - found.last_crawl.unwrap())).abs() < 1e-12
    );
    assert!(found.gain.unwrap() > 0.0);
    assert!(found.text.contains("3 pages") && found.text.contains("10 s"), "{}", found.text);
    assert_eq!(found.command, "Run acuity schedule with the same input.");
}

#[test]
fn unknown_rates_are_said_to_be_unknown() {
    let once = audited(&[look("http://a.example/", "2024-01-01T00:00:00Z").body(1)]);
    let found = once.sites[0].reschedule.as_ref().unwrap();
    assert_eq!((found.pages, found.unknown_rates, found.expected_coherence), (1, 1, None));
    assert!(found.text.contains("is unknown") && found.text.contains("which is assumed"), "{}", found.text);
    assert!(audited(&[]).sites.is_empty());
    assert_eq!(plan(&[], true), NextCrawl::default());
}

#[test]
fn hosts_of_a_domain_are_lanes_of_their_own() {
    let looks = ["http://a.site.example/", "http://b.site.example/"]
        .map(|url| look(url, "2024-01-01T00:00:00Z").body(1).build());
    let parameters = Parameters { site_by: SiteBy::Domain, ..Parameters::default() };
    let audit = audit(&Table::of(&looks), &parameters, AuditInput::default());
    let next = plan(&audit.sites, true);
    assert_eq!(
        next.pages.iter().map(|page| &*page.lane).collect::<Vec<_>>(),
        ["a.site.example", "b.site.example"]
    );
}

#[test]
fn what_is_weighed_is_said_to_be() {
    // The first page changes, the second does not.
    let looks = [(1, 0, 1), (1, 5, 3), (2, 0, 2), (2, 5, 2)].map(|(page, second, body): (u8, u8, u8)| {
        look(&format!("http://a.example/{page}"), &format!("2024-01-01T00:00:0{second}Z")).body(body).build()
    });
    let table = Table::of(&looks);
    let text = |weights: &[f64]| {
        let input = AuditInput { weights: Some(("x", weights)), ..AuditInput::default() };
        audit(&table, &Parameters::default(), input).sites[0].reschedule.as_ref().unwrap().text.clone()
    };
    assert!(text(&[1.0, 1.0]).contains("of pages expected consistent"), "{}", text(&[1.0, 1.0]));
    assert!(text(&[1.0, 3.0]).contains("of importance expected consistent"), "{}", text(&[1.0, 3.0]));
}

#[test]
fn a_page_without_history_gets_the_rate_that_pages_like_it_have() {
    // Sixty pages under /news/ change every day, sixty under /law/ never; ten days of captures.
    let mut looks = Vec::new();
    for day in 1..=10u8 {
        for page in 0..60u8 {
            let at = format!("2024-01-{day:02}T00:{:02}:00Z", page % 60);
            let news = look(&format!("http://a.example/news/story-{page}.html"), &at);
            looks.push(news.body(page.wrapping_mul(4).wrapping_add(day)));
            looks.push(look(&format!("http://a.example/law/act-{page}.html"), &at).body(page));
        }
    }
    looks.push(look("http://a.example/news/story-99.html", "2024-01-10T01:00:00Z").body(200));
    looks.push(look("http://a.example/law/act-99.html", "2024-01-10T01:00:00Z").body(201));
    let audit = audited(&looks);
    let next = plan(&audit.sites, true);
    let rate = |url: &str| next.pages.iter().find(|page| &*page.url == url).unwrap().rate * 86_400.0;
    let (news, law) = (rate("http://a.example/news/story-99.html"), rate("http://a.example/law/act-99.html"));
    assert!(news > 20.0 * law && news > 0.5, "{news} {law}");
    // Too few pages teach nothing.
    let few = site();
    assert!(plan(&few.sites, true).pages.iter().all(|page| page.rate > 0.0));
}

/// The pages of a source, one after the other.
fn all(source: &dyn PageSource) -> Vec<Page> {
    let mut pages = Vec::new();
    source
        .each(&mut |page| {
            pages.push(page.clone());
            Ok(())
        })
        .unwrap();
    pages
}

#[test]
fn a_crawl_of_pages_on_disk_is_that_of_pages_in_memory() {
    let mut looks = Vec::new();
    for day in 1..=4u8 {
        for page in 0..80u8 {
            let at = format!("2024-01-{day:02}T{:02}:{:02}:00Z", page % 24, page % 60);
            let url = format!("http://a.example/{}/{page}.html", page % 3);
            looks.push(look(&url, &at).body(if page % 2 == 0 { page } else { page.wrapping_mul(day) }));
        }
    }
    looks.push(look("http://b.example/once", "2024-01-03T00:00:00Z").body(1));
    let mut audit = audited(&looks);
    let missing = ["http://a.example/new", "http://a.example/0/0.html", "http://a.example/new"].map(|url| {
        serde_json::json!({
            "url": url, "kind": "link", "used_as": "anchor", "needed_by": null, "pages": 1, "weight": 1.0,
            "fate": "untried", "status": null, "reason": "x"
        })
    });
    audit.sites[0].missing = Some(serde_json::from_value(missing.to_vec().into()).unwrap());
    audit.sites[0].page_list[3].sitemap = Some("http://a.example/s.xml".into());
    // A second, earlier entry of the same site: its pages are held.
    let mut earlier = audit.sites[0].clone();
    earlier.window.to = earlier.window.from;
    earlier.page_list.truncate(5);
    earlier.page_list[0].key.push('x');
    earlier.page_list[0].urls.push("http://a.example/other".into());
    for sites in [audit.sites.clone(), [audit.sites, vec![earlier]].concat()] {
        for uncaptured in [true, false] {
            let held = plan(&sites, uncaptured);
            let mut listed = sites.clone();
            let shelf = shelve(&mut listed, 0).unwrap();
            let shelved = ShelvedCrawl::of(&listed, &shelf, uncaptured, true).unwrap();
            assert_eq!(all(&shelved), held.pages);
            assert_eq!((&shelved.delays, &shelved.patterns), (&held.delays, &held.patterns));
            assert_eq!(held.pages.iter().any(|page| &*page.url == "http://a.example/new"), uncaptured);
        }
    }
    // One site alone.
    let mut shelf = shelve(&mut audited(&looks).sites, 0).unwrap();
    shelf.keep(|entry| entry == 1);
    let only = audited(&looks).sites.split_off(1);
    let shelved = ShelvedCrawl::of(&only, &shelf, true, true).unwrap();
    assert_eq!(all(&shelved), plan(&only, true).pages);
}
