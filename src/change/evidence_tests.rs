use super::*;
use crate::capture::testing::{Look, look};
use crate::capture::{Covers, Kind, Observation, RefersTo};

fn page(day: u32) -> Look {
    look("http://a.example/", &format!("2024-01-{day:02}T00:00:00Z"))
}

fn judged(compare: Compare, floor: Grade, one: Look, other: Look) -> Verdict {
    let table = Table::of(&[one.build(), other.build()]);
    let judge = Judge::new(&table, compare, floor);
    let identities = judge.identities(table.rows(), true);
    match (&identities[0], &identities[1]) {
        (Ok(one), Ok(other)) => judge.verdict(one, other),
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
    let revisit = |body: u8| page(2).revisit().body(body).declared(body);
    assert_eq!(verdict(page(1).body(1), revisit(1)), Verdict::Same(Grade::Digest));
    assert_eq!(verdict(page(1).body(1), revisit(2)), Verdict::Different(Grade::Digest));
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
fn unequal_digests_of_bodies_in_two_codings_show_nothing() {
    let coded = |day: u32, coding: Option<&str>, digest: u8, revisit: bool| {
        let look = page(day).declared(digest);
        let mut made = if revisit { look.revisit() } else { look }.build();
        made.coding = coding.map(str::to_owned);
        made
    };
    let of = |one: Observation, other: Observation| verdict_of(one, other, Grade::NotModified);
    let different = Verdict::Different(Grade::Digest);
    for revisit in [false, true] {
        for coding in ["gzip", "chunked", "gzip, chunked"] {
            let plain = || coded(1, None, 1, false);
            assert_eq!(of(plain(), coded(2, Some(coding), 2, revisit)), Verdict::Unknown, "{coding}");
            assert_eq!(of(plain(), coded(2, Some(coding), 1, revisit)), Verdict::Same(Grade::Digest));
            let alike = coded(1, Some(coding), 1, false);
            assert_eq!(of(alike, coded(2, Some(coding), 2, revisit)), different, "{coding}");
        }
        assert_eq!(of(coded(1, None, 1, false), coded(2, None, 2, revisit)), different);
    }
    // A revisit without the head of its response says nothing of codings; a resource has none.
    let headless = |day: u32, digest: u8| {
        let mut made = coded(day, None, digest, true);
        made.mime = None;
        made
    };
    for coding in [None, Some("gzip")] {
        assert_eq!(of(coded(1, coding, 1, false), headless(2, 2)), Verdict::Unknown, "{coding:?}");
        assert_eq!(of(coded(1, coding, 1, false), headless(2, 1)), Verdict::Same(Grade::Digest));
    }
    assert_eq!(of(headless(1, 1), headless(2, 2)), Verdict::Unknown);
    assert_eq!(of(headless(1, 1), headless(2, 1)), Verdict::Same(Grade::Digest));
    let resource = |day: u32, digest: u8| {
        let mut made = coded(day, None, digest, false);
        made.kind = Kind::Resource;
        made
    };
    assert_eq!(of(resource(1, 1), coded(2, Some("gzip"), 2, false)), Verdict::Unknown);
    assert_eq!(of(resource(1, 1), resource(2, 2)), different);
    // Nobody can remove this one, so unequal digests of bodies in it show nothing.
    assert_eq!(of(coded(1, Some("foo"), 1, false), coded(2, Some("foo"), 2, false)), Verdict::Unknown);
}

#[test]
fn bodies_that_cannot_be_decoded_are_the_same_or_unknown() {
    let read = |day: u32, coding: &str, digest: u8| {
        let mut made = page(day).declared(digest).build();
        (made.payload, made.digest_ok) = (made.declared, Some(true));
        made.coding = Some(coding.to_owned());
        made
    };
    let of = |one: Observation, other: Observation| verdict_of(one, other, Grade::NotModified);
    assert_eq!(of(read(1, "br", 1), read(2, "br", 1)), Verdict::Same(Grade::Bytes));
    assert_eq!(of(read(1, "br", 1), read(2, "br, chunked", 1)), Verdict::Same(Grade::Bytes));
    assert_eq!(of(read(1, "br", 1), read(2, "zstd", 1)), Verdict::Unknown);
    assert_eq!(of(read(1, "br", 1), read(2, "br", 2)), Verdict::Unknown);
    assert_eq!(of(read(1, "br", 1), page(2).body(2).declared(2).build()), Verdict::Unknown);
}

#[test]
fn digests_of_two_algorithms_do_not_compare() {
    let mut other = page(2).build();
    other.declared = "md5:d41d8cd98f00b204e9800998ecf8427f".parse().ok();
    let table = Table::of(&[page(1).declared(1).build(), other]);
    let judge = Judge::new(&table, Compare::Bytes, Grade::NotModified);
    let identities = judge.identities(table.rows(), true);
    assert_eq!(judge.verdict(&identities[0].unwrap(), &identities[1].unwrap()), Verdict::Unknown);
}

/// A 304 that names the capture of the first day, as its resolved record.
fn names_first(mut revisit: Observation) -> Observation {
    let (file, offset) = (Some("file.warc.gz".into()), Some(100));
    revisit.refers_to =
        Some(RefersTo { record_id: Some("urn:uuid:1".into()), file, offset, ..RefersTo::default() });
    revisit
}

fn verdict_of(one: Observation, other: Observation, floor: Grade) -> Verdict {
    let table = Table::of(&[one, other]);
    let judge = Judge::new(&table, Compare::Bytes, floor);
    let identities = judge.identities(table.rows(), true);
    judge.strongest(&identities[0].unwrap(), &identities[1].unwrap())
}

#[test]
fn a_304_that_names_a_capture_of_this_url_confirms_it() {
    let named = |day: u32| names_first(page(day).not_modified().body(1).build());
    let original = || page(1).body(1).build();
    let same = Verdict::Same(Grade::NotModified);
    assert_eq!(verdict_of(original(), named(2), Grade::NotModified), same);
    // It is not here, it is of another URL, or it was not found: nothing is confirmed.
    let mut absent = named(2);
    absent.refers_to.as_mut().unwrap().offset = Some(7);
    absent.body = None;
    assert_eq!(verdict_of(original(), absent, Grade::NotModified), Verdict::Unknown);
    let mut other = original();
    other.url = "http://a.example/Other".to_owned();
    assert_eq!(verdict_of(other, named(2), Grade::NotModified), Verdict::Unknown);
    assert_eq!(
        verdict_of(page(1).status(404).body(1).build(), named(2), Grade::NotModified),
        Verdict::Unknown
    );
}

#[test]
fn validators_decide_what_a_304_confirms() {
    let same = Verdict::Same(Grade::NotModified);
    let claim = Verdict::Same(Grade::Validator);
    let old = |etag: &str| page(1).body(1).etag(etag).build();
    let new = |etag: &str| page(2).not_modified().etag(etag).build();
    assert_eq!(verdict_of(old("\"v1\""), new("\"v1\""), Grade::NotModified), same);
    assert_eq!(verdict_of(old("\"v1\""), new("\"v2\""), Grade::NotModified), Verdict::Unknown);
    assert_eq!(verdict_of(old("W/\"v1\""), new("W/\"v1\""), Grade::NotModified), claim);
    let dated = |date: &str| {
        let original = page(1).body(1).last_modified(date).build();
        verdict_of(original, page(2).not_modified().last_modified(date).build(), Grade::NotModified)
    };
    assert_eq!(dated("2023-12-31T23:59:00Z"), same);
    // Within the second of the response a second version may follow (RFC 9110, section 8.8.2.2).
    assert_eq!(dated("2024-01-01T00:00:00Z"), claim);
    let bare = verdict_of(page(1).body(1).build(), page(2).not_modified().build(), Grade::NotModified);
    assert_eq!(bare, claim, "it names no record and repeats no validator");
}

#[test]
fn a_304_confirms_the_last_page_not_the_error_between() {
    let etag = "\"1\"";
    let table = Table::of(&[
        page(1).body(1).etag(etag).build(),
        page(2).status(404).body(9).build(),
        page(3).not_modified().etag(etag).build(),
    ]);
    let judge = Judge::new(&table, Compare::Bytes, Grade::NotModified);
    let identities = judge.identities(table.rows(), true);
    let verdict = |a: usize, b: usize| judge.verdict(&identities[a].unwrap(), &identities[b].unwrap());
    assert_eq!(verdict(0, 2), Verdict::Same(Grade::NotModified));
    assert!(matches!(verdict(1, 2), Verdict::Different(_)));
}

#[test]
fn redirects_are_what_they_point_to_and_the_way_to_a_page_is_no_version() {
    let to = |day: u32, target: &str| {
        let mut redirect = page(day).status(302).body(0).build();
        redirect.location = Some(target.to_owned());
        redirect
    };
    assert!(matches!(verdict_of(to(1, "/a"), to(2, "/b"), Grade::NotModified), Verdict::Different(_)));
    assert!(matches!(verdict_of(to(1, "/a"), to(2, "/a"), Grade::NotModified), Verdict::Same(_)));
    let nowhere = page(1).status(302).body(0).build();
    assert_eq!(verdict_of(nowhere, to(2, "/a"), Grade::NotModified), Verdict::Unknown);
}

#[test]
fn the_same_bytes_in_two_charsets_are_compared_by_their_text() {
    let declared = |day: u32, charset: &str, text: Option<u8>| {
        let mut made = page(day).body(1);
        if let Some(text) = text {
            made = made.text(text);
        }
        let mut made = made.build();
        made.charset = Some(charset.to_owned());
        made
    };
    let verdict =
        |a, b| verdict_of(declared(1, "iso-8859-15", a), declared(2, "iso-8859-1", b), Grade::Bytes);
    assert_eq!(verdict(None, None), Verdict::Unknown);
    assert_eq!(verdict(Some(1), Some(2)), Verdict::Unknown);
    assert_eq!(verdict(Some(1), Some(1)), Verdict::Same(Grade::Bytes));
}

#[test]
fn requests_that_differ_in_what_vary_names_do_not_compare() {
    let asked = |day: u32, language: &str, vary: &str| {
        let mut made = page(day).body(day as u8).build();
        let mut request = crate::capture::Negotiation::default();
        request.add(b"Accept-Language", language.as_bytes());
        (made.request, made.vary) = (Some(request), Some(vary.to_owned()));
        made
    };
    let verdict =
        |language: &str, vary: &str| verdict_of(asked(1, "de", vary), asked(2, language, vary), Grade::Bytes);
    assert_eq!(verdict("en", "accept-language"), Verdict::Unknown);
    assert!(matches!(verdict("de", "accept-language"), Verdict::Different(_)));
    assert!(matches!(verdict("en", "accept-encoding"), Verdict::Different(_)));
}

#[test]
fn a_revisit_without_a_digest_proves_nothing() {
    assert_eq!(verdict(page(1).body(1), page(2).revisit().body(1)), Verdict::Unknown);
    assert_eq!(verdict(page(1).body(1), page(2).revisit().body(1).declared(1)), Verdict::Same(Grade::Digest));
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
    let identities = judge.identities(table.rows(), true);
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
        let identities = judge.identities(table.rows(), true);
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

#[test]
fn two_revisits_of_what_does_not_have_its_digest_show_nothing_by_each_other() {
    let again = |at_odds: Option<AtOdds>| {
        let pair = [1, 2].map(|day| {
            let mut revisit = page(day).revisit().declared(1).build();
            revisit.refers_to = Some(RefersTo { at_odds, ..RefersTo::default() });
            revisit
        });
        let table = Table::of(&pair);
        let judge = Judge::new(&table, Compare::Bytes, Grade::NotModified);
        let identities = judge.identities(table.rows(), true);
        judge.weigh(&identities[0].unwrap(), &identities[1].unwrap())
    };
    assert_eq!(again(None), (Verdict::Same(Grade::Digest), Basis::Declared));
    assert_eq!(again(Some(AtOdds::Original)), (Verdict::Unknown, Basis::AtOdds));
}

#[test]
fn a_redirect_does_not_equal_what_has_no_status() {
    let line = |second: u32, status: Option<u16>| {
        let mut line =
            look("http://a.example/x", &format!("2024-01-01T00:00:{second:02}Z")).declared(1).build();
        (line.kind, line.status, line.location) = (Kind::Index, status, None);
        line
    };
    let verdict = |one: Option<u16>, other: Option<u16>| {
        let table = Table::of(&[line(0, one), line(9, other)]);
        let judge = Judge::new(&table, Compare::Bytes, Grade::NotModified);
        let found: Vec<_> = judge.identities(table.rows(), true).into_iter().flatten().collect();
        judge.verdict(&found[0], &found[1])
    };
    assert_eq!(verdict(Some(302), None), Verdict::Unknown);
    assert_eq!(verdict(Some(200), Some(200)), Verdict::Same(Grade::Digest));
}
