use proptest::prelude::*;

use super::*;
use crate::capture::table::Table;
use crate::capture::testing::{Look as Made, look, look_at, parse};
use crate::change::assumption::Assumption;

fn page(time: &str) -> Made {
    look("http://a.example/", &format!("2024-01-01T{time}Z"))
}

fn at(time: &str) -> Instant {
    parse(&format!("2024-01-01T{time}Z"))
}

fn versions(looks: Vec<Made>) -> Versions {
    let table = Table::of(&looks.into_iter().map(Made::build).collect::<Vec<_>>());
    Versions::of(&Judge::new(&table, Compare::Bytes, Grade::NotModified), table.rows())
}

#[test]
fn two_equal_looks_prove_the_time_between_them_and_no_more() {
    let versions = versions(vec![page("10:00:00").body(1), page("11:00:00").body(1)]);
    assert_eq!(versions.state, PageState::Sharp);
    // The first date is cut to seconds: the second it covers is not proven.
    assert_eq!(versions.runs[0].proven, Interval::new(at("10:00:01"), at("11:00:00")));
    assert_eq!(versions.runs[0].outer, Outer::default());
    assert_eq!(versions.grade(), Some(Grade::Bytes));
}

#[test]
fn one_look_proves_nothing_and_two_of_its_second_are_one() {
    let single = versions(vec![page("10:00:00").body(1)]);
    assert_eq!((single.state, single.runs[0].proven), (PageState::Single, None));
    let close = versions(vec![page("10:00:00").body(1), page("10:00:00").body(1)]);
    assert_eq!((close.state, close.runs[0].proven), (PageState::Single, None));
}

#[test]
fn of_captures_within_one_second_nobody_knows_the_order() {
    // Whichever stands first: the version of 10:00 may have gone and come back within the second of the other one.
    for pair in [[1, 2], [2, 1]] {
        let made = versions(vec![
            page("10:00:00").body(1),
            page("12:00:00").body(pair[0]),
            page("12:00:00").body(pair[1]),
        ]);
        assert_eq!((made.state, made.proven().count()), (PageState::Changed, 0), "{pair:?}");
    }
    // Captures before that second prove as ever, and so do those behind it.
    let made = versions(vec![
        page("09:00:00").body(1),
        page("10:00:00").body(1),
        page("12:00:00").body(1),
        page("12:00:00").body(2),
        page("12:00:00").body(2),
        page("13:00:00").body(2),
        page("14:00:00").body(2),
    ]);
    let proven: Vec<Interval> = made.proven().collect();
    let of = |from, to| Interval { from: at(from), to: at(to) };
    assert_eq!(proven, [of("09:00:01", "10:00:00"), of("13:00:01", "14:00:00")]);
    assert_eq!(made.distinct, 2);
    // The next second is another one.
    let made = versions(vec![page("10:00:00").body(1), page("12:00:00").body(1), page("12:00:01").body(2)]);
    assert_eq!(made.proven().collect::<Vec<_>>(), [of("10:00:01", "12:00:00")]);
}

#[test]
fn a_change_bounds_both_versions() {
    let versions =
        versions(vec![page("10:00:00").body(1), page("11:00:00").body(2), page("12:00:00").body(2)]);
    assert_eq!(versions.state, PageState::Changed);
    assert_eq!(versions.runs[0].outer, Outer { after: None, before: Some(at("11:00:01")) });
    assert_eq!(versions.runs[1].outer, Outer { after: Some(at("10:00:00")), before: None });
    assert_eq!(versions.runs[1].proven, Interval::new(at("11:00:01"), at("12:00:00")));
    assert_eq!(versions.distinct, 2);
}

#[test]
fn failed_looks_break_no_run() {
    let versions = versions(vec![
        page("10:00:00").body(1),
        page("11:00:00").status(503).body(9),
        page("12:00:00").body(1),
    ]);
    assert_eq!((versions.state, versions.failed, versions.runs.len()), (PageState::Sharp, 1, 1));
}

#[test]
fn an_unknown_neighbour_ends_a_proven_interval_but_not_an_outer_one() {
    let versions = versions(vec![
        page("10:00:00").body(1),
        page("11:00:00").body(1),
        page("12:00:00"),
        page("13:00:00").body(2),
    ]);
    assert_eq!(versions.runs.len(), 3);
    assert_eq!(versions.runs[0].proven, Interval::new(at("10:00:01"), at("11:00:00")));
    assert_eq!(versions.runs[0].outer.before, Some(at("13:00:01")));
    assert_eq!(versions.runs[2].outer.after, Some(at("11:00:00")));
    assert_eq!(versions.runs[1].outer, Outer::default());
    // Two bodies are known to differ, whatever was between them.
    assert_eq!((versions.state, versions.distinct), (PageState::Changed, 2));
}

#[test]
fn a_page_that_changes_back_has_three_runs_and_two_versions() {
    let versions =
        versions(vec![page("10:00:00").body(1), page("11:00:00").body(2), page("12:00:00").body(1)]);
    assert_eq!((versions.runs.len(), versions.distinct), (3, 2));
    assert_eq!(versions.runs[0].version, versions.runs[2].version);
}

#[test]
fn last_modified_claims_the_time_before_the_first_look() {
    let versions = versions(vec![page("10:00:00").body(1).last_modified("2024-01-01T08:00:00Z")]);
    assert_eq!(versions.runs[0].claimed, Interval::new(at("08:00:01"), at("10:00:00")));
    assert!(versions.contradicted.is_empty());
}

#[test]
fn a_last_modified_that_the_archive_contradicts_claims_nothing() {
    // The second version says that it is older than the capture that showed the first one.
    let older = versions(vec![
        page("10:00:00").body(1),
        page("11:00:00").body(2).last_modified("2024-01-01T09:00:00Z"),
    ]);
    assert_eq!((older.runs[1].claimed, older.contradicted.len()), (None, 1));
    // The second capture says that the page was modified since the first, and its bytes say that it was not.
    let touched = versions(vec![
        page("10:00:00").body(1),
        page("11:00:00").body(1).last_modified("2024-01-01T10:30:00Z"),
    ]);
    assert_eq!((touched.runs[0].claimed, touched.contradicted.len()), (None, 1));
    // Cut to seconds, a modification just after the capture is written as the second of the capture: no contradiction.
    let cut = versions(vec![
        page("10:00:00.400000").body(1),
        page("11:00:00").body(2).last_modified("2024-01-01T10:00:00Z"),
    ]);
    assert_eq!(cut.runs[1].claimed, Interval::new(at("10:00:01"), at("11:00:00")));
    assert!(cut.contradicted.is_empty());
}

#[test]
fn equal_validators_claim_what_could_not_be_compared() {
    let versions = versions(vec![page("10:00:00").etag("\"a\""), page("12:00:00").etag("\"a\"")]);
    assert_eq!(versions.state, PageState::Unknown);
    assert_eq!(versions.runs[1].claimed, Interval::new(at("10:00:01"), at("12:00:00")));
    assert_eq!(versions.proven().count(), 0);
}

#[test]
fn three_writers_of_one_page_are_one_run_through_its_bodies() {
    let versions = versions(vec![
        page("10:00:00").body(1).declared(1).writer("wget"),
        page("10:10:00").body(1).declared(2).writer("warcprox"),
        page("10:20:00").not_modified().declared(2).writer("condget"),
        page("10:30:00").declared(1).writer("unknown"),
    ]);
    assert_eq!((versions.runs.len(), versions.state), (1, PageState::Sharp));
    assert_eq!(versions.grade(), Some(Grade::NotModified));
}

#[test]
fn spellings_of_one_key_are_one_story_but_no_proof() {
    let spelled = |time: &str, url: &str, body: u8| {
        let mut made = page(time).body(body).build();
        made.url = url.to_owned();
        made
    };
    let of = |captures: &[crate::capture::Observation]| {
        let table = Table::of(captures);
        Versions::of(&Judge::new(&table, Compare::Bytes, Grade::NotModified), table.rows())
    };
    let (small, large) = ("http://a.example/terms", "http://a.example/Terms");
    let apart = of(&[spelled("10:00:00", small, 1), spelled("12:00:00", large, 1)]);
    assert_eq!((apart.state, apart.proven().count()), (PageState::Unknown, 0));
    assert_eq!(apart.runs[1].claimed, Interval::new(at("10:00:01"), at("12:00:00")));
    // One spelling spans the other: that one is proven.
    let spanned =
        of(&[spelled("10:00:00", small, 1), spelled("11:00:00", large, 1), spelled("12:00:00", small, 1)]);
    assert_eq!(spanned.runs[0].proven, Interval::new(at("10:00:01"), at("12:00:00")));
    // That two spellings differ shows a change only if they show one page, which is stated.
    let differ = of(&[spelled("10:00:00", small, 1), spelled("12:00:00", large, 2)]);
    assert_eq!(differ.state, PageState::Changed);
    assert!(differ.assumptions.has(Assumption::OneKeyOnePage));
}

#[test]
fn a_date_that_differs_from_that_of_a_capture_made_after_it_is_contradicted() {
    let dated = |first: &str, second: &str| {
        let page = |time: &str, date: &str| page(time).body(1).last_modified(&format!("2024-01-01T{date}Z"));
        let found = versions(vec![page("10:00:00", first), page("11:00:00", second)]);
        (found.contradicted.len(), found.runs[0].claimed.is_some(), found.proven().count())
    };
    // Forwards, as where the date is always an hour ago, and backwards, as from two servers with copies of their own.
    assert_eq!(dated("08:00:00", "09:00:00"), (1, false, 1));
    assert_eq!(dated("09:00:00", "08:00:00"), (1, false, 1));
    assert_eq!(dated("09:00:00", "09:00:00"), (0, true, 1));
}

#[test]
fn what_a_304_does_not_show_makes_no_date_true() {
    let dated = |made: Made, date: &str| made.last_modified(&format!("2024-01-01T{date}Z"));
    let first = || dated(page("10:00:00").body(1), "09:00:00");
    let kept = |date: &str| dated(page("11:00:00").not_modified(), date);
    let last = || dated(page("14:00:00").body(1), "13:00:00");
    let refuted = |looks: Vec<Made>| {
        let found = versions(looks);
        assert!(found.contradicted.is_empty() || found.runs.iter().all(|run| run.last_modified.is_none()));
        found.contradicted.len()
    };
    // The content of 14:00 was there at 10:00, whatever the 304 between the two is about.
    assert_eq!(refuted(vec![first(), kept("10:00:00"), last()]), 1);
    // By the 304 the page was modified before 10:00, when it was dated otherwise.
    assert_eq!(refuted(vec![first(), kept("09:30:00")]), 1);
    // What it confirms may have come since, unless it has the tag of the capture.
    assert_eq!(refuted(vec![first(), kept("10:30:00")]), 0);
    let tag = "\"v1\"";
    assert_eq!(refuted(vec![first().etag(tag), kept("10:30:00").etag(tag)]), 1);
    assert_eq!(refuted(vec![first().etag(tag), kept("09:00:00").etag(tag)]), 0);
    assert_eq!(refuted(vec![first().etag("W/\"v1\""), kept("10:30:00").etag("W/\"v1\"")]), 0);
    // Other content was there between the two: the first one came back.
    let other = dated(page("12:00:00").body(2), "11:30:00");
    assert_eq!(refuted(vec![first(), kept("11:00:00"), other, last()]), 0);
}

#[test]
fn where_dates_are_refuted_a_304_proves_by_a_tag_that_the_server_looked_at() {
    let date = "2024-01-01T08:00:00Z";
    let dated = |made: Made, tag: &str| made.etag(tag).last_modified(date).build();
    let proven = |of_304: Made, asked: Option<&str>, by_date: bool| {
        let mut revisit = of_304.not_modified().declared(1).build();
        revisit.refers_to = Some(crate::capture::RefersTo {
            record_id: Some("urn:uuid:1".into()),
            file: Some("file.warc.gz".into()),
            offset: Some(100),
            ..crate::capture::RefersTo::default()
        });
        revisit.if_none_match = asked.map(str::to_owned);
        revisit.if_modified_since = by_date.then(|| parse(date));
        revisit.method = (asked.is_some() || by_date).then(|| "GET".to_owned());
        let last = dated(page("12:00:00").body(2), "\"v2\"");
        let table = Table::of(&[dated(page("10:00:00").body(1), "\"v1\""), revisit, last]);
        let judge = Judge::new(&table, Compare::Bytes, Grade::NotModified);
        Versions::of(&judge, table.rows()).proven().count() == 1
    };
    let bare = || page("11:00:00").body(1);
    let tagged = || bare().etag("\"v1\"");
    // The content of 12:00 has the date of that of 10:00.
    assert!(!proven(bare(), None, true), "asked by the date alone");
    assert!(!proven(bare(), None, false), "nothing shows what was asked");
    assert!(proven(bare(), Some("\"v1\""), true), "asked with the tag");
    assert!(proven(tagged(), None, true), "the server states the tag");
}

#[test]
fn contradictory_evidence_proves_nothing() {
    let mut contradicted = page("11:00:00").body(1).build();
    contradicted.contradicts = Some(crate::capture::Contradiction {
        witness: crate::capture::Witness::Copy,
        file: "copy.warc".into(),
        offset: Some(0),
    });
    let table =
        Table::of(&[page("10:00:00").body(1).build(), contradicted, page("12:00:00").body(2).build()]);
    let versions = Versions::of(&Judge::new(&table, Compare::Bytes, Grade::NotModified), table.rows());
    assert_eq!((versions.state, versions.proven().count()), (PageState::Unknown, 0));
}

#[test]
fn a_response_from_a_cache_proves_no_more_than_the_time_it_was_made() {
    let mut cached = page("12:00:00").body(1).build();
    cached.age = Some(1800);
    let table = Table::of(&[page("10:00:00").body(1).build(), cached]);
    let versions = Versions::of(&Judge::new(&table, Compare::Bytes, Grade::NotModified), table.rows());
    assert_eq!(versions.runs[0].proven, Interval::new(at("10:00:01"), at("11:29:59")));
}

#[test]
fn a_generated_date_is_no_evidence_and_a_contradicted_one_disqualifies_all() {
    let dated = |time: &str, body: u8, date: &str| page(time).body(body).last_modified(date);
    let generated = versions(vec![dated("10:00:00", 1, "2024-01-01T10:00:01Z")]);
    assert_eq!((generated.runs[0].claimed, generated.contradicted.len()), (None, 0));
    let mixed = versions(vec![
        dated("10:00:00", 1, "2024-01-01T09:00:00Z"),
        dated("11:00:00", 2, "2024-01-01T08:00:00Z"),
    ]);
    assert_eq!((mixed.runs[0].claimed, mixed.contradicted.len()), (None, 1));
}

#[test]
fn each_verdict_names_what_it_assumes_and_no_more() {
    let known = |time: &str| {
        let mut made = page(time).body(1).build();
        (made.method, made.request) = (Some("GET".to_owned()), Some(crate::capture::Negotiation::default()));
        made
    };
    let table = Table::of(&[known("10:00:00"), known("12:00:00")]);
    let careful = Versions::of(&Judge::new(&table, Compare::Bytes, Grade::NotModified), table.rows());
    assert_eq!(careful.assumptions.list(), [Assumption::NoChangeBack, Assumption::MadeAtWarcDate]);
    let single = versions(vec![page("10:00:00").body(1)]);
    assert_eq!(single.assumptions.list(), []);
    let bare = versions(vec![page("10:00:00").body(1), page("12:00:00").body(1)]);
    assert!(
        bare.assumptions.has(Assumption::MethodGet) && bare.assumptions.has(Assumption::SamePageForEveryone)
    );
}

#[test]
fn a_304_between_has_a_body_only_where_its_run_has_one() {
    let etag = "\"a\"";
    let told = |first: Made, last: Made| {
        let found = versions(vec![first, page("11:00:00").not_modified().etag(etag), last]);
        assert_eq!(found.state, PageState::Changed);
        found.assumptions.has(Assumption::OneCoding)
    };
    let (first, last) = (|| page("10:00:00").etag(etag), || page("12:00:00"));
    assert!(!told(first().body(1), last().body(2)));
    // Two digests of answers that nobody can read again differ also where the coding alone does.
    assert!(told(first().declared(1), last().declared(2)));
}

#[test]
fn gaps_follow_the_looks() {
    let versions = versions(vec![
        page("10:00:00").body(1),
        page("11:00:00").body(1),
        page("12:00:00").body(2),
        page("13:00:00"),
    ]);
    let links: Vec<Option<Link>> = versions.gaps().map(|gap| gap.link).collect();
    assert_eq!(links, [None, Some(Link::Different(Grade::Bytes)), Some(Link::Unknown)]);
}

proptest! {
    /// A page whose true versions are known: no proven interval contains a change, every outer bound contains the
    /// true lifetime, whatever is missing from the captures. (True histories here never change back.)
    #[test]
    fn nothing_false_is_proven(
        changes in prop::collection::btree_set(1i64..100_000, 0..8),
        looks in prop::collection::vec((0i64..100_000, 0i64..500, 0u8..4), 1..20),
    ) {
        let version = |time: i64| changes.iter().filter(|change| **change <= time).count() as u8;
        let made: Vec<_> = looks.iter().map(|(time, duration, what)| {
            // The server answers at some instant within the fetch; the body shows the version of that instant.
            let body = version(time + duration / 2);
            let made = look_at("http://a.example/", Instant(*time)).end(Instant(time + duration));
            match what {
                0 => made.body(body),
                1 => made.body(body).declared(body),
                2 => made.declared(body),
                _ => made,
            }
        }).collect();
        // Captures whose fetches overlap may be answered out of order; such a history is not what is modelled.
        let mut sorted: Vec<_> = looks.iter().map(|(time, duration, _)| (*time, time + duration)).collect();
        sorted.sort_unstable();
        prop_assume!(sorted.windows(2).all(|pair| pair[0].1 < pair[1].0));
        let versions = versions(made);
        for run in &versions.runs {
            let first = versions.looks[run.looks.start];
            let middle = first.time.0 + (first.end.0 - first.time.0) / 2;
            let began = changes.range(..=middle).next_back().copied().unwrap_or(i64::MIN);
            let ended = changes.range(middle + 1..).next().copied().unwrap_or(i64::MAX);
            if let Some(proven) = run.proven {
                prop_assert!(began <= proven.from.0 && proven.to.0 < ended);
            }
            prop_assert!(run.outer.after.is_none_or(|after| after.0 <= began));
            prop_assert!(run.outer.before.is_none_or(|before| ended <= before.0));
        }
    }

    /// Whenever in its Age an answer from a cache was made, what is proven lies between two equal answers, with no other between
    /// that was made at its capture or when its Age says.
    #[test]
    fn what_is_proven_holds_whenever_in_its_age_an_answer_was_made(
        captures in prop::collection::vec((0i64..40, 0u8..3, 0i64..30, any::<bool>()), 1..7),
    ) {
        const MINUTE: i64 = 60 * SECOND;
        let build = |(minute, body, age, is_kept): &(i64, u8, i64, bool)| {
            let mut made = look_at("http://a.example/", Instant(minute * MINUTE)).body(*body).build();
            made.age = is_kept.then_some(*age as u64 * 60);
            made
        };
        let table = Table::of(&captures.iter().map(build).collect::<Vec<_>>());
        let rows = table.rows();
        let versions = Versions::of(&Judge::new(&table, Compare::Bytes, Grade::NotModified), rows);
        let proven = versions.runs.iter().filter_map(|run| Some((rows[versions.looks[run.looks.start].row].body, run.proven?)));
        for (body, proven) in proven {
            // Each was made at the begin, in the middle or at the end of its Age.
            for reading in 0..3usize.pow(rows.len() as u32) {
                let made = |place: usize, row: &Row| {
                    let third = (reading / 3usize.pow(place as u32) % 3) as i64;
                    row.time.plus(-i64::from(row.age.unwrap_or(0)) * SECOND * third / 2)
                };
                let all: Vec<(Instant, bool)> =
                    rows.iter().enumerate().map(|(place, row)| (made(place, row), row.body == body)).collect();
                // Something else that was made neither at its capture nor when its Age says is assumed to be none.
                let is_middle = |place: usize| reading / 3usize.pow(place as u32) % 3 == 1;
                if all.iter().enumerate().any(|(place, (_, is_same))| !is_same && is_middle(place)) {
                    continue;
                }
                let same = || all.iter().filter(|(_, is_same)| *is_same).map(|(time, _)| *time);
                let last = same().filter(|time| *time <= proven.from).max();
                let next = same().filter(|time| *time >= proven.to).min();
                prop_assert!(last.is_some() && next.is_some(), "{:?} {:?}", proven, all);
                let is_between = |time: Instant| last < Some(time) && Some(time) < next;
                prop_assert!(all.iter().all(|(time, is_same)| *is_same || !is_between(*time)), "{:?} {:?}", proven, all);
            }
        }
    }
}
