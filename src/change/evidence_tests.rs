use super::*;
use crate::capture::testing::{Look, look};
use crate::capture::{Covers, Observation, RefersTo};

fn page(day: u32) -> Look {
    look("http://a.example/", &format!("2024-01-{day:02}T00:00:00Z"))
}

fn judged(compare: Compare, floor: Grade, one: Look, other: Look) -> Verdict {
    let table = Table::of(&[one.build(), other.build()]);
    let judge = Judge::new(&table, compare, floor);
    let identities = judge.identities(table.rows());
    match (&identities[0], &identities[1]) {
        (Some(one), Some(other)) => judge.verdict(one, other),
        _ => Verdict::Unknown,
    }
}

fn verdict(one: Look, other: Look) -> Verdict {
    judged(Compare::Bytes, Grade::NotModified, one, other)
}

#[test]
fn bodies_decide_for_any_writer() {
    let wget = page(1).body(1).declared(1).writer("Wget/1.21");
    assert_eq!(
        verdict(wget.clone(), page(2).body(1).declared(2).writer("warcprox 2.4")),
        Verdict::Same(Grade::Bytes)
    );
    assert_eq!(verdict(wget, page(2).body(2).declared(1)), Verdict::Different(Grade::Bytes));
}

#[test]
fn a_resolved_revisit_rests_on_a_digest() {
    assert_eq!(verdict(page(1).body(1), page(2).revisit().body(1)), Verdict::Same(Grade::Digest));
    assert_eq!(verdict(page(1).body(1), page(2).revisit().body(2)), Verdict::Different(Grade::Digest));
}

#[test]
fn equal_declared_digests_compare_across_writers_unequal_ones_only_within_a_family() {
    let one = || page(1).declared(1).writer("Wget/1.21.2 (linux-gnu)");
    assert_eq!(verdict(one(), page(2).declared(1).writer("warcprox 2.4")), Verdict::Same(Grade::Digest));
    assert_eq!(verdict(one(), page(2).declared(2).writer("wget/1.24")), Verdict::Different(Grade::Digest));
    assert_eq!(verdict(one(), page(2).declared(2).writer("warcprox 2.4")), Verdict::Unknown);
    assert_eq!(
        verdict(page(1).index().declared(1), page(2).index().declared(2)),
        Verdict::Different(Grade::Digest)
    );
    assert_eq!(verdict(one(), page(2).index().declared(2)), Verdict::Unknown);
}

#[test]
fn digests_of_two_algorithms_do_not_compare() {
    let mut other = page(2).build();
    other.declared = "md5:d41d8cd98f00b204e9800998ecf8427f".parse().ok();
    let table = Table::of(&[page(1).declared(1).build(), other]);
    let judge = Judge::new(&table, Compare::Bytes, Grade::NotModified);
    let identities = judge.identities(table.rows());
    assert_eq!(judge.verdict(&identities[0].unwrap(), &identities[1].unwrap()), Verdict::Unknown);
}

#[test]
fn a_304_is_the_word_of_the_server() {
    assert_eq!(verdict(page(1).body(1), page(2).not_modified()), Verdict::Same(Grade::NotModified));
    assert_eq!(verdict(page(1).body(1), page(2).not_modified().body(1)), Verdict::Same(Grade::NotModified));
    assert_eq!(
        judged(Compare::Bytes, Grade::Digest, page(1).body(1), page(2).not_modified()),
        Verdict::Unknown
    );
    // A 304 that refers to an older version than the one before it.
    assert_eq!(
        verdict(page(1).body(2), page(2).not_modified().body(1)),
        Verdict::Different(Grade::NotModified)
    );
}

#[test]
fn a_304_without_anything_before_it_tells_nothing() {
    assert_eq!(verdict(page(1).not_modified(), page(2).body(1)), Verdict::Unknown);
}

#[test]
fn status_belongs_to_the_identity() {
    assert_eq!(verdict(page(1).body(1), page(2).status(404).body(1)), Verdict::Different(Grade::Bytes));
    assert_eq!(
        verdict(page(1).index().declared(1), page(2).index().status(410)),
        Verdict::Different(Grade::Digest)
    );
    assert_eq!(
        verdict(page(1).status(404).body(1), page(2).status(404).body(1)),
        Verdict::Same(Grade::Bytes)
    );
}

#[test]
fn failed_looks_have_no_identity() {
    assert_eq!(verdict(page(1).body(1), page(2).status(503).body(2)), Verdict::Unknown);
}

#[test]
fn validators_never_prove() {
    let etag = |day| page(day).etag("\"x\"");
    assert_eq!(judged(Compare::Bytes, Grade::Validator, etag(1), etag(2)), Verdict::Unknown);
    let table = Table::of(&[etag(1).build(), etag(2).build()]);
    let judge = Judge::new(&table, Compare::Bytes, Grade::Validator);
    let identities = judge.identities(table.rows());
    assert_eq!(
        judge.strongest(&identities[0].unwrap(), &identities[1].unwrap()),
        Verdict::Same(Grade::Validator)
    );
}

#[test]
fn by_text_a_change_of_markup_is_no_change() {
    let (one, other) = (page(1).body(1).text(9), page(2).body(2).text(9));
    assert_eq!(
        judged(Compare::Text, Grade::NotModified, one.clone(), other.clone()),
        Verdict::Same(Grade::Bytes)
    );
    assert_eq!(verdict(one.clone(), other), Verdict::Different(Grade::Bytes));
    // Without a text on both sides, bytes decide.
    assert_eq!(
        judged(Compare::Text, Grade::NotModified, one, page(2).body(2)),
        Verdict::Different(Grade::Bytes)
    );
}

#[test]
fn the_family_of_a_writer_is_its_name_without_version() {
    assert_eq!(family_of("Wget/1.21.2 (linux-gnu)"), family_of("wget 1.24"));
    assert_ne!(family_of("Wget/1.21"), family_of("warcprox 2.4"));
    assert_eq!(
        family_of("Browsertrix-Crawler 1.0 (with warcio.js 2)"),
        family_of("Browsertrix-Crawler 1.4.1")
    );
}

#[test]
fn what_is_at_odds_compares_with_nothing_but_what_has_its_digest() {
    let verdicts = |mut one: Observation, mut other: Observation, at_odds: Option<AtOdds>| {
        other.refers_to = Some(RefersTo { at_odds, ..RefersTo::default() });
        if at_odds == Some(AtOdds::Original) {
            one.digest_ok = Some(false);
        }
        let table = Table::of(&[one, other, page(3).body(5).declared(1).build()]);
        let judge = Judge::new(&table, Compare::Bytes, Grade::NotModified);
        let identities = judge.identities(table.rows());
        let weigh = |a: usize, b: usize| judge.weigh(&identities[a].unwrap(), &identities[b].unwrap());
        (weigh(0, 1), weigh(1, 2).0)
    };
    let visit = || page(1).body(1).declared(1).build();
    let revisit = |declared| page(2).revisit().declared(declared).build();
    let nothing = (Verdict::Unknown, Basis::AtOdds);
    // It says that it is the same, and by its digest that it is not.
    assert_eq!(verdicts(visit(), revisit(2), Some(AtOdds::Digest)), (nothing, Verdict::Unknown));
    // The digest it repeats is not that of the body it refers to, but that of another one.
    let told = verdicts(visit(), revisit(1), Some(AtOdds::Original));
    assert_eq!(told, (nothing, Verdict::Same(Grade::Digest)));
    let not_modified = page(2).not_modified().build();
    assert_eq!(verdicts(visit(), not_modified, Some(AtOdds::Original)).0, nothing);
    // A habit of writers refutes nothing.
    let mut framed = visit();
    (framed.digest_ok, framed.digest_covers) = (Some(false), Some(Covers::Framed));
    assert_eq!(verdicts(framed, revisit(1), None).0, (Verdict::Same(Grade::Digest), Basis::Declared));
}
