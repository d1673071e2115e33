//! Revisits that contradict what they refer to prove nothing.

use acuity::internals::at::model::{At, AtParameters, Role, SiteVerdict};
use acuity::internals::change::at::State;

use crate::archive::{ask, write};
use crate::support::digests::sha1;
use crate::support::record::{Record, id, ok};

const URL: &str = "http://a.example/p";
const GOOD: &str = "<p>good right of withdrawal";
const EVIL: &str = "<p>evil right of withdrawal";

fn visit(body: &str, declared: &str) -> Record {
    Record::page(1, URL, "2024-01-01T10:00:00Z", body).set("WARC-Payload-Digest", &sha1(declared.as_bytes()))
}

fn revisit(profile: &str, head: &str) -> Record {
    let refers = format!("<{}>", id(1));
    Record::revisit(2, URL, "2024-01-01T14:00:00Z", profile, head).field("WARC-Refers-To", &refers)
}

fn identical(declared: &str) -> Record {
    revisit("identical-payload-digest", &ok(0)).field("WARC-Payload-Digest", &sha1(declared.as_bytes()))
}

fn at(records: &[Record], digests: &str) -> At {
    let folder = tempfile::tempdir().unwrap();
    let inputs = [write(folder.path(), "a.warc", records)];
    let parameters = AtParameters {
        phrases: vec!["good".into(), "evil".into()],
        digests: digests.to_owned(),
        ..AtParameters::on("2024-01-01T13:00:00Z")
    };
    ask(&inputs, &parameters).unwrap()
}

fn problems(at: &At) -> Vec<&str> {
    at.problems.iter().map(|problem| problem.kind.as_str()).collect()
}

#[test]
fn a_revisit_with_another_digest_than_the_record_it_names_proves_nothing() {
    for digests in ["verify", "declared"] {
        let at = at(&[visit(EVIL, EVIL), identical(GOOD)], digests);
        assert_eq!(
            (at.verdict, at.pages.held()[0].state),
            (SiteVerdict::NotProvable, State::Undecided),
            "{digests}"
        );
        assert_eq!(problems(&at), ["revisit-contradicts"]);
        assert!(at.phrases.iter().all(|phrase| phrase.present.is_empty() && phrase.absent.is_empty()));
        assert!(at.phrases[0].unprovable[0].reason.contains("contradicts"), "{:?}", at.phrases[0]);
        let roles: Vec<Role> = at.pages.held()[0].witnesses.iter().map(|witness| witness.role).collect();
        assert_eq!(roles, [Role::Before, Role::After]);
    }
}

#[test]
fn a_revisit_of_a_record_whose_body_fails_its_digest_proves_nothing() {
    for revisit in [identical(GOOD), revisit("server-not-modified", "HTTP/1.1 304 Not Modified")] {
        let at = at(&[visit(EVIL, GOOD), revisit], "verify");
        assert_eq!((at.verdict, at.pages.held()[0].state), (SiteVerdict::NotProvable, State::Undecided));
        assert_eq!(problems(&at), ["revisit-of-wrong-body", "payload-digest"]);
        assert!(at.phrases.iter().all(|phrase| phrase.present.is_empty() && phrase.absent.is_empty()));
    }
    // Nothing is named, but it is the stored body that a bare 304 would repeat.
    let bare =
        Record::revisit(2, URL, "2024-01-01T14:00:00Z", "server-not-modified", "HTTP/1.1 304 Not Modified");
    assert_eq!(at(&[visit(EVIL, GOOD), bare], "verify").pages.held()[0].state, State::Undecided);
}

#[test]
fn where_digests_are_only_declared_no_phrase_is_proven_by_a_body_that_has_another() {
    let at = at(&[visit(EVIL, GOOD), identical(GOOD)], "declared");
    assert_eq!(at.pages.held()[0].state, State::Proven);
    for phrase in &at.phrases {
        assert!(phrase.present.is_empty() && phrase.absent.is_empty(), "{phrase:?}");
        assert!(phrase.unprovable[0].reason.contains("not the one of its declared digest"), "{phrase:?}");
    }
}

#[test]
fn the_original_that_is_named_is_the_one_the_revisit_names() {
    let twin = Record::page(3, "http://a.example/twin", "2024-01-01T09:00:00Z", GOOD);
    let at = at(&[twin, visit(GOOD, GOOD), identical(GOOD)], "verify");
    let page = at.pages.held().iter().find(|page| page.url == URL).unwrap();
    assert_eq!(page.state, State::Proven);
    assert!(page.witnesses.iter().all(|witness| witness.url == URL), "{:?}", page.witnesses);
    assert!(at.problems.is_empty());
}

#[test]
fn a_revisit_with_the_digest_of_the_stored_body_proves_it() {
    for digests in ["verify", "declared"] {
        let at = at(&[visit(GOOD, GOOD), identical(GOOD)], digests);
        assert_eq!((at.verdict, at.problems.len()), (SiteVerdict::Coherent, 0), "{digests}");
        assert_eq!((at.phrases[0].present.len(), at.phrases[1].absent.len()), (1, 1));
    }
}

#[test]
fn two_revisits_of_a_capture_of_another_address_that_is_cut_or_altered_prove_nothing() {
    const OTHER: &str = "http://a.example/other";
    let original = |n, body: &str| {
        Record::page(n, OTHER, "2024-01-01T08:00:00Z", body)
            .set("WARC-Payload-Digest", &sha1(GOOD.as_bytes()))
    };
    let again = |n, time: &str| {
        Record::revisit(n, URL, &format!("2024-01-01T{time}Z"), "identical-payload-digest", &ok(0))
            .field("WARC-Payload-Digest", &sha1(GOOD.as_bytes()))
            .field("WARC-Refers-To-Target-URI", OTHER)
            .field("WARC-Refers-To-Date", "2024-01-01T08:00:00Z")
    };
    let ask = |originals: &[Record]| {
        let pages = [again(3, "10:00:00"), again(4, "14:00:00")];
        let folder = tempfile::tempdir().unwrap();
        let inputs = [write(folder.path(), "a.warc", originals), write(folder.path(), "b.warc", &pages)];
        let parameters =
            AtParameters { urls: vec![URL.to_owned()], ..AtParameters::on("2024-01-01T13:00:00Z") };
        ask(&inputs, &parameters).unwrap()
    };
    let cut = |n| original(n, &GOOD[..9]).field("WARC-Truncated", "length");
    assert_eq!(ask(&[original(1, GOOD)]).verdict, SiteVerdict::Coherent);
    // A whole copy beside one that is cut is the original.
    for whole in [[original(1, GOOD), cut(1)], [cut(2), original(1, GOOD)]] {
        assert_eq!(ask(&whole).verdict, SiteVerdict::Coherent);
    }
    for (originals, why) in [
        (vec![cut(1)], "the record is cut short"),
        (vec![original(1, EVIL)], "whose content does not have the digest stated there"),
        (vec![original(1, GOOD), original(1, EVIL)], "which other evidence contradicts"),
        (vec![original(1, EVIL), original(1, GOOD)], "which other evidence contradicts"),
    ] {
        let at = ask(&originals);
        assert_eq!(at.verdict, SiteVerdict::NotProvable, "{why}: {}", at.answer);
        assert!(at.answer.contains(why), "{why}: {}", at.answer);
    }
}
