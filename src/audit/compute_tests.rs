use super::*;
use crate::audit::model::{Input, PageAudit};
use crate::audit::params::Parameters;
use crate::capture::Observation;
use crate::capture::crawl::Division;
use crate::capture::testing::{Look, look, look_at, parse};
use crate::change::assumption::Assumption;
use crate::change::rate::Source;
use crate::change::run::PageState;
use crate::html::sitemap;
use crate::ingest::plan::InputFormat;
use crate::time::{Instant, SECOND};

fn at(minute: i64) -> Instant {
    parse("2024-03-01T12:00:00Z").plus(minute * 60 * SECOND)
}

fn page(name: &str, minute: i64) -> Look {
    look_at(&format!("http://a.example/{name}"), at(minute))
}

fn audited(looks: Vec<Look>) -> Audit {
    audited_by(looks, &Parameters::default(), AuditInput::default())
}

fn audited_by(looks: Vec<Look>, parameters: &Parameters, input: AuditInput<'_>) -> Audit {
    let observations: Vec<Observation> = looks.into_iter().map(Look::build).collect();
    audit(&Table::of(&observations), parameters, input)
}

/// Four pages visited in order and revisited in the opposite order; `c` changes in between.
fn pyramid() -> Vec<Look> {
    vec![
        page("a", 0).body(1),
        page("b", 1).body(2),
        page("c", 2).body(3),
        page("d", 3).body(4),
        page("d", 4).body(4),
        page("c", 5).body(9),
        page("b", 6).body(2),
        page("a", 7).body(1),
    ]
}

#[test]
fn a_pyramid_is_coherent_in_its_middle() {
    let audit = audited(pyramid());
    let site = &audit.sites[0];
    assert_eq!(site.site, "a.example");
    assert_eq!((site.window.from, site.window.to), (at(0), at(7)));
    assert_eq!((site.pages.total, site.pages.sharp, site.pages.changed), (4, 3, 1));
    let best = &site.coherence.best;
    assert_eq!((best.pages, best.share, best.weight), (3, Some(0.75), 3.0));
    assert_eq!(best.intervals, [Interval::new(at(3), at(4)).unwrap().into()]);
    assert!(site.coherence.full.intervals.is_empty());
    assert_eq!(site.coherence.inducible.error, Some(0.25));
    assert_eq!(site.coherence.inducible.holds, Some(false));
    assert_eq!(site.coherence.sharc.pages, 3);
    assert_eq!(site.findings.changed_mid_crawl_pages, 1);
    assert_eq!(site.findings.changed_mid_crawl[0].url, "http://a.example/c");
    let states: Vec<PageState> = site.page_list.iter().map(|page| page.state).collect();
    assert_eq!(states, [PageState::Sharp, PageState::Sharp, PageState::Changed, PageState::Sharp]);
    assert_eq!(site.page_list[2].in_best, Some(false));
    assert_eq!(site.page_list[2].chance_unchanged, 0.0);
    assert!(site.verdict.starts_with("At best 3 of 4 pages (75%)"), "{}", site.verdict);
}

#[test]
fn without_a_change_all_pages_stood_together() {
    let looks = pyramid().into_iter().enumerate().filter(|(place, _)| *place != 2 && *place != 5);
    let audit = audited(looks.map(|(_, look)| look).collect());
    let coherence = &audit.sites[0].coherence;
    assert_eq!(coherence.full.intervals, [Interval::new(at(3), at(4)).unwrap().into()]);
    assert_eq!(coherence.inducible.holds, Some(true));
    assert!(audit.sites[0].verdict.starts_with("All 3 pages are proven"), "{}", audit.sites[0].verdict);
}

#[test]
fn pages_seen_once_are_never_called_incoherent() {
    let audit = audited(vec![page("a", 0).body(1), page("b", 1).body(2), page("c", 60 * 24).body(3)]);
    let site = &audit.sites[0];
    assert_eq!((site.pages.single, site.pages.total), (3, 3));
    assert!(!site.coherence.provable);
    assert_eq!(site.coherence.inducible.error, None);
    assert_eq!(site.coherence.inducible.holds, None);
    assert_eq!(site.coherence.sharc.share, None);
    assert_eq!(site.coherence.observable.holds, None);
    assert_eq!(site.coherence.best.intervals, []);
    let query = site.coherence.query.by_number.unwrap();
    assert!((query.low - 1.0 / 3.0).abs() < 1e-12 && (query.high - 1.0).abs() < 1e-12, "{query:?}");
    assert!(site.coherence.expected_unchanged > 0.0 && site.coherence.expected_unchanged < 3.0);
    assert_eq!(site.blur.stochastic.mean, None, "an assumed rate makes no figure");
    assert!(site.verdict.contains("cannot be proven") && !site.verdict.contains("incoherent"));
    assert!(site.reschedule.as_ref().unwrap().text.contains("is unknown"));
    assert!(site.page_list.iter().all(|page| page.rate.source == Source::Assumed && page.grade.is_none()));
}

#[test]
fn last_modified_makes_single_looks_useful() {
    let audit = audited(vec![
        page("a", 10).body(1).last_modified("2024-02-01T00:00:00Z"),
        page("b", 20).body(2).last_modified("2024-02-10T00:00:00Z"),
    ]);
    let site = &audit.sites[0];
    assert_eq!(site.coherence.observable.holds, Some(true));
    assert_eq!(site.coherence.measurable.error.map(|error| (error.low, error.high)), Some((0.0, 0.0)));
    assert_eq!(site.coherence.claimed.pages, 2);
    assert_eq!(site.coherence.best.pages, 0);
    // They order pages; how often these change, nothing checks.
    assert!(site.page_list.iter().all(|page| page.rate.source == Source::Assumed));
    assert!(site.page_list[0].rate.per_day < site.page_list[1].rate.per_day);
    assert_eq!(site.page_list[0].claimed.len(), 1);
}

#[test]
fn weights_decide_what_is_best_by_weight() {
    // a and b were online together early, c alone later.
    let looks = || {
        vec![
            page("a", 0).body(1),
            page("b", 0).body(2),
            page("a", 5).body(1),
            page("b", 5).body(2),
            page("c", 10).body(3),
            page("c", 20).body(3),
        ]
    };
    let input = AuditInput { weights: Some(("given", &[1.0, 1.0, 6.0])), ..AuditInput::default() };
    let audit = audited_by(looks(), &Parameters::default(), input);
    let site = &audit.sites[0];
    assert_eq!(site.coherence.best.pages, 2);
    let best = &site.coherence.best_by_weight;
    assert_eq!(best.intervals, [Interval::new(at(10), at(20)).unwrap().into()]);
    assert!((best.share.unwrap() - 0.75).abs() < 1e-12 && (best.weight - 2.25).abs() < 1e-9);
    assert_eq!(audit.parameters.weights, "given");
    let sum: f64 = site.page_list.iter().map(|page| page.weight).sum();
    assert!((sum - 3.0).abs() < 1e-9);
}

#[test]
fn several_crawls_give_one_entry_for_each_consecutive_pair() {
    let mut looks = Vec::new();
    for crawl in 0..3i64 {
        for name in 0..40i64 {
            let body = if crawl == 2 && name == 7 { 200 } else { name as u8 };
            looks.push(
                page(&name.to_string(), crawl * 60 * 24 * 30 + name).body(body).crawl(&format!("c{crawl}")),
            );
        }
    }
    let parameters = Parameters { division: Division::Auto, ..Parameters::default() };
    let audit = audited_by(looks, &parameters, AuditInput::default());
    assert_eq!(audit.summary.crawls.len(), 3);
    assert_eq!(audit.sites.len(), 2);
    assert_eq!(audit.sites[0].crawls.len(), 2);
    assert_eq!((audit.sites[0].pages.sharp, audit.sites[1].pages.changed), (40, 1));
    // A change between crawls is no change in the middle of one.
    assert_eq!(audit.sites[1].findings.changed_mid_crawl_pages, 0);
    assert_eq!(audit.sites[0].window.to, at(60 * 24 * 30 + 39));
    // Rates know all captures.
    assert_eq!(audit.sites[0].page_list[7].rate, audit.sites[1].page_list[7].rate);
}

#[test]
fn an_exact_history_makes_blur_exact() {
    let history = "page,change_time\n/a,2024-03-01T12:02:00Z\n/a,2024-03-01T13:00:00Z\n";
    let history = History::read(history.as_bytes()).unwrap();
    let input = AuditInput { history: Some(&history), ..AuditInput::default() };
    let audit = audited_by(
        vec![page("a", 0).body(1), page("a", 10).body(2), page("b", 10).body(1)],
        &Parameters::default(),
        input,
    );
    let page = &audit.sites[0].page_list[0];
    let blur = page.blur.unwrap();
    // One change in the window, three minutes off the middle of ten.
    assert!(blur.actual.exact && (blur.actual.expected - 0.3).abs() < 1e-12);
    assert_eq!(page.rate.source, Source::History);
    assert!(!audit.sites[0].page_list[1].blur.unwrap().actual.exact);
}

#[test]
fn sitemaps_give_rates_to_pages_seen_once() {
    let sitemap = sitemap::parse(
        "<urlset><url><loc>http://a.example/a</loc><changefreq>daily</changefreq></url></urlset>",
    );
    let input = AuditInput { sitemaps: &sitemap.entries, ..AuditInput::default() };
    let mut observation = page("a", 0).body(1).build();
    let parameters = Parameters::default();
    observation.key = parameters.canon.key(&observation.url);
    let audit = audit(&Table::of(&[observation]), &parameters, input);
    let rate = audit.sites[0].page_list[0].rate;
    assert_eq!(rate.source, Source::Assumed, "nothing checks it");
    assert!((rate.per_day - 1.0).abs() < 1e-9 && rate.low < 0.1 && rate.high > 3.0);
}

#[test]
fn findings_tell_what_to_act_on() {
    let mut skewed = page("a", 0).body(1).build();
    skewed.http_date = Some(at(-10));
    let mut right = page("b", 1).body(1).build();
    right.http_date = Some(at(1));
    let touched = page("b", 30).body(1).last_modified("2024-03-01T12:10:00Z").build();
    let unresolved = page("a", 40).revisit().build();
    let failed = page("c", 41).status(503).build();
    let audit = audit(
        &Table::of(&[skewed, right, touched, unresolved, failed]),
        &Parameters::default(),
        AuditInput::default(),
    );
    let findings = &audit.sites[0].findings;
    assert_eq!((findings.clock_skew.dated, findings.clock_skew.skewed), (2, 1));
    assert_eq!(findings.clock_skew.worst_seconds, Some(-599.0));
    assert_eq!(findings.contradicted_last_modified.pages, 1);
    assert_eq!(findings.unresolved_revisits, 1);
    assert_eq!(findings.duplicates.stored_again, 2);
    assert_eq!(findings.statuses.iter().map(|count| count.captures).sum::<u64>(), 5);
    assert_eq!(findings.folders[0].pages, 2);
    assert_eq!(findings.replay_span.map(|span| span.at), Some(at(1)));
}

#[test]
fn a_window_of_dates_cuts_looks_and_bounds_blur() {
    let parameters = Parameters { from: Some(at(2)), to: Some(at(100)), ..Parameters::default() };
    let audit = audited_by(pyramid(), &parameters, AuditInput::default());
    let site = &audit.sites[0];
    assert_eq!((site.window.from, site.window.to), (at(2), at(100)));
    assert_eq!((site.pages.single, site.pages.sharp, site.pages.changed), (2, 1, 1));
}

#[test]
fn an_empty_table_has_an_empty_audit() {
    let audit = audited(Vec::new());
    assert!(audit.sites.is_empty() && audit.summary.window.is_none());
}

#[test]
fn the_result_survives_json_and_does_not_depend_on_the_order_of_reading() {
    let audit = audited(pyramid());
    let json = serde_json::to_string(&audit).unwrap();
    assert_eq!(serde_json::from_str::<Audit>(&json).unwrap(), audit);
    let mut turned = pyramid();
    turned.reverse();
    assert_eq!(serde_json::to_string(&audited(turned)).unwrap(), json);
}

#[test]
fn html_pages_are_pages_and_all_urls_on_request() {
    let mut image = page("i.png", 3).body(8).build();
    image.mime = Some("image/png".into());
    let table = Table::of(&[page("a", 0).body(1).build(), image]);
    let html = audit(&table, &Parameters::default(), AuditInput::default());
    assert_eq!((html.summary.urls, html.summary.pages), (2, 1));
    // The table of statuses is of all URLs.
    assert_eq!(html.sites[0].findings.statuses.len(), 2);
    let parameters = Parameters { pages: crate::capture::page::PageFilter::All, ..Parameters::default() };
    assert_eq!(audit(&table, &parameters, AuditInput::default()).summary.pages, 2);
}

#[test]
fn dates_cut_to_seconds_are_not_proven_to_the_fraction() {
    let audit = audited(vec![
        look("http://a.example/", "2024-03-01T12:00:00Z").body(1),
        look("http://a.example/", "2024-03-01T12:00:10Z").body(1),
    ]);
    let proven = audit.sites[0].page_list[0].proven[0];
    assert_eq!((proven.from, proven.to), (parse("2024-03-01T12:00:01Z"), parse("2024-03-01T12:00:10Z")));
}

/// Pages with a Last-Modified of years ago, looked at twice within minutes; the first `changed` ones changed in between.
fn backdated(pages: u8, changed: u8) -> Vec<Look> {
    let name = |page: u8| format!("{page:03}");
    let stamped = |look: Look| look.last_modified("2021-05-01T00:00:00Z");
    (0..pages)
        .flat_map(|number| {
            let first = stamped(page(&name(number), 0).body(number));
            let second = page(&name(number), 3);
            [first, if number < changed { second.body(100 + number) } else { stamped(second.body(number)) }]
        })
        .collect()
}

#[test]
fn changes_that_were_seen_refute_the_quiet_that_last_modified_tells_of() {
    let audit = audited(backdated(60, 15));
    let site = &audit.sites[0];
    let check = site.rates.check.unwrap();
    assert_eq!((check.pages, check.changed, check.agrees), (60, 15, true));
    assert!(check.expected_by_stamps.unwrap() < 1.0, "{check:?}");
    assert!((check.expected - 15.0).abs() < 5.0, "{check:?}");
    assert!(site.rates.median_per_day.unwrap() > 10.0);
    let versions = site.completeness.as_ref().unwrap().versions;
    assert!(versions.share.unwrap() < 0.99 && versions.low.unwrap() < 0.95, "{versions:?}");
    let next = site.reschedule.as_ref().unwrap();
    assert!(next.last_crawl.unwrap() < 58.0, "{next:?}");
    // Nothing changed: then the stamps are good evidence.
    let quiet = audited(backdated(60, 0));
    let check = quiet.sites[0].rates.check.unwrap();
    assert_eq!((check.changed, check.agrees, check.expected_by_stamps), (0, true, None));
    // But how often pages change, no capture shows.
    assert_eq!(quiet.sites[0].rates.median_per_day, None);
    assert!(quiet.sites[0].page_list[0].rate.per_day < 0.1);
}

#[test]
fn the_check_of_rates_is_made_of_the_rates_that_are_reported() {
    for changed in [0, 1, 21, 90] {
        let mut looks = backdated(90, changed);
        // One page that never changes, for a bound from above, and one that nothing is known of.
        looks.extend([page("still", 0).body(200), page("still", 3).body(200), page("once", 0).body(201)]);
        let audit = audited(looks);
        let site = &audit.sites[0];
        let check = site.rates.check.unwrap();
        let expected: f64 = site
            .page_list
            .iter()
            .filter(|page| page.observations == 2)
            .map(|page| {
                let seconds = (page.last_look.0 - page.first_look.0) as f64 / 1e6;
                // A change may lie in the second that the later date hides.
                let gap = if page.versions > 1 { seconds + 1.0 } else { seconds };
                1.0 - (-page.rate.per_day / 86_400.0 * gap).exp()
            })
            .sum();
        assert_eq!((check.pages, check.changed), (91, u64::from(changed)));
        assert!((check.expected - expected).abs() < 0.02 * expected + 1e-9, "{check:?} {expected}");
        let (seen, mean) = (f64::from(changed), check.expected);
        let distance = if changed == 0 { mean } else { seen * (seen / mean).ln() - seen + mean };
        assert_eq!(check.agrees, (-distance).exp() >= 1e-6, "{check:?}");
    }
}

#[test]
fn where_nothing_is_known_of_changes_the_rate_is_assumed_and_says_so() {
    let audit = audited(vec![page("a", 0).body(1)]);
    let site = &audit.sites[0];
    let only = &site.page_list[0];
    assert!(site.rates.assumed && site.rates.check.is_none());
    assert_eq!(only.reason, "captured once; how often it changes is unknown");
    assert!(site.verdict.contains("unknown: nothing is known of how this site changes"), "{}", site.verdict);
    assert!(only.rate.high > 10.0 && only.rate.low < 1e-5, "{:?}", only.rate);
    assert!(!audited(pyramid()).sites[0].rates.assumed);
}

#[test]
fn a_page_that_differs_at_every_look_is_told_and_has_no_absurd_blur() {
    let second =
        |days: i64, seconds: i64| look_at("http://a.example/", at(60 * 24 * days).plus(seconds * SECOND));
    let looks =
        (0..10).flat_map(|day| [second(day, 0).body(day as u8), second(day, 2).body(100 + day as u8)]);
    let audit = audited(looks.collect());
    let site = &audit.sites[0];
    let anew = &site.findings.made_anew;
    assert_eq!((anew.pages, anew.shortest_seconds), (1, Some(2.0)));
    assert_eq!(anew.examples, ["http://a.example/"]);
    assert!(site.blur.actual.mean.is_none_or(|mean| mean < 10.0), "{:?}", site.blur);
    assert!(site.page_list[0].reason.starts_with("differs at each of its 20 captures"));
    assert_eq!(site.page_list[0].state, PageState::Changed);
}

#[test]
fn a_page_says_once_for_all_reports_whether_its_rate_is_known() {
    let of = |looks: Vec<Look>| audited(looks).sites[0].page_list[0].clone();
    let poisson = |page: &PageAudit| page.assumptions.contains(&Assumption::PoissonChanges);
    // Nothing changed: that bounds the rate, and tells none.
    let still = of(vec![page("a", 0).body(1), page("a", 9).body(1)]);
    assert_eq!(still.rate_unknown.as_deref(), Some("no page was seen to change"));
    assert_eq!((still.known_rate(), still.known_blur(), still.known_completeness()), (None, None, None));
    assert!(!poisson(&still));
    let once = of(vec![page("a", 0).body(1)]);
    assert_eq!(once.rate_unknown.as_deref(), Some("nothing shows how the pages of this site change"));
    // Some pages change, some do not.
    let looks = |number: i64| {
        let body = move |minute: i64| if number < 3 { (minute / 600) as u8 } else { 0 };
        (0..6).map(move |hour| page(&number.to_string(), 60 * hour * 4).body(body(60 * hour * 4)))
    };
    let known = of((0..20).flat_map(looks).collect());
    assert_eq!(known.rate_unknown, None);
    assert_eq!(known.known_rate(), Some(known.rate.per_day));
    assert!(known.known_blur().is_some() && known.known_completeness().is_some() && poisson(&known));
    // An exact blur is known, whatever is known of the rate.
    let mut exact = PageAudit { rate_unknown: still.rate_unknown.clone(), ..known };
    assert_eq!(exact.known_blur(), None);
    if let Some(blur) = &mut exact.blur {
        blur.actual.exact = true;
    }
    assert!(exact.known_blur().is_some());
}

#[test]
fn the_format_of_an_input_is_one_of_those_read_or_unknown() {
    let read = |format: &str| {
        let json = format!(r#"{{"path":"a","format":{format},"bytes":null,"observations":null}}"#);
        serde_json::from_str::<Input>(&json).unwrap().format
    };
    assert_eq!(read(r#""wacz""#), Some(InputFormat::Wacz));
    assert_eq!((read("null"), read(r#""index""#)), (None, None));
    let written = serde_json::to_value(Input { format: Some(InputFormat::Arc), ..Input::default() }).unwrap();
    assert_eq!(written["format"], "arc");
}
