#![allow(clippy::print_stderr, reason = "a test says what it skipped")]

use std::path::PathBuf;

use super::certificate::Certificate;
use super::chain::Trust;
use super::sign::SigningKey;
use super::stamp::{Stamp, check};
use super::{Outcome, package};
use crate::archive::blob::Blob;
use crate::archive::wacz::Wacz;
use crate::time::Instant;

/// Name; what the contents and the manifest show; signature; identity.
type PackageCase = (&'static str, &'static str, &'static str, Outcome, (Outcome, &'static str));

/// The folder of signed files; `None` where it is absent.
fn data() -> Option<PathBuf> {
    let data = std::env::var_os("ACUITY_DATA").map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    let folder = data.join("signed");
    if !folder.is_dir() {
        eprintln!("skipped: {} is absent", folder.display());
        return None;
    }
    Some(folder)
}

fn trust(folder: &std::path::Path, names: &[&str]) -> Trust {
    let mut trust = Trust::default();
    for name in names {
        trust.add(&std::fs::read(folder.join("ca").join(name)).unwrap()).unwrap();
    }
    trust
}

fn stamp(folder: &std::path::Path, reply: &str, over: &str, ca: &[&str]) -> Stamp {
    let read = |name: &str| std::fs::read(folder.join("tsr").join(name)).unwrap();
    check(&read(reply), &read(over), &[], &trust(folder, ca), Instant::parse("2026-11-17T00:00:00Z").unwrap())
}

#[test]
fn every_reply_of_the_collection_has_the_verdict_of_its_table() {
    let Some(folder) = data() else { return };
    use Outcome::{Invalid, NotSettled, Valid};
    let root: &[&str] = &["root.pem"];
    let s = "statement.txt";
    let cases: &[(&str, &str, &[&str], Outcome, &str)] = &[
        ("valid.tsr", s, root, Valid, "by "),
        ("valid-p384.tsr", s, root, Valid, "by "),
        ("valid-rsa.tsr", s, root, Valid, "by "),
        ("valid-nonce.tsr", s, root, Valid, "by "),
        ("valid-chain.tsr", s, root, Valid, "by "),
        ("valid-sha512.tsr", s, root, Valid, "by "),
        ("valid-fraction.tsr", s, root, Valid, "by "),
        ("valid-unsorted.tsr", s, root, Valid, "by "),
        ("valid-nocert.tsr", s, root, NotSettled, "certificate of the signer"),
        ("valid-nocert.tsr", s, &["root.pem", "tsa.pem"], Valid, "by "),
        ("valid.tst", s, root, Valid, "by "),
        ("expired-since.tsr", s, root, Valid, "by "),
        ("expired-before.tsr", s, root, Invalid, "had expired on 2024-02-01"),
        ("other-root.tsr", s, root, Invalid, "another key"),
        ("other-root.tsr", s, &["other.pem"], Valid, "by "),
        ("chain-missing.tsr", s, root, NotSettled, "issuer of a certificate is missing"),
        ("chain-missing.tsr", s, &["root.pem", "sub.pem"], Valid, "by "),
        ("altered-imprint.tsr", s, root, Invalid, "other data"),
        ("altered-imprint.tsr", "other.txt", root, Invalid, "altered after signing"),
        ("altered-time.tsr", s, root, Invalid, "altered after signing"),
        ("altered-signature.tsr", s, root, Invalid, "signature does not hold"),
        ("valid.tsr", "other.txt", root, Invalid, "other data"),
        ("eku-server.tsr", s, root, Invalid, "not one for time stamps only"),
        ("eku-not-critical.tsr", s, root, Invalid, "not one for time stamps only"),
        ("eku-two.tsr", s, root, Invalid, "not one for time stamps only"),
        ("no-signing-certificate.tsr", s, root, Invalid, "does not name its certificate"),
        ("rejected.tsr", s, root, Invalid, "the authority refused"),
        ("trailing.tsr", s, root, Invalid, "bytes follow"),
        ("cut.tsr", s, root, Invalid, "cut"),
        ("valid.tsr", s, &[], NotSettled, "was not checked"),
    ];
    for (reply, over, ca, outcome, words) in cases {
        let found = stamp(&folder, reply, over, ca);
        assert_eq!(found.verdict.outcome, *outcome, "{reply} {ca:?}: {}", found.verdict.words);
        assert!(found.verdict.words.contains(words), "{reply} {ca:?}: {}", found.verdict.words);
        if *outcome == Valid {
            let time = found.info.as_ref().unwrap().time;
            assert!(time.to_string().starts_with("2024-03-01T12:00:00"), "{reply}: {time}");
        }
    }
    let fraction = stamp(&folder, "valid-fraction.tsr", s, root);
    let info = fraction.info.unwrap();
    assert_eq!((info.accuracy, info.ordering), (Some(1_500_100), true));
    assert!(info.time.0 % 1_000_000 > 0);
    let since = stamp(&folder, "expired-since.tsr", s, root);
    assert!(since.notes.iter().any(|note| note.contains("2024-06-01")), "{:?}", since.notes);
    let other = stamp(&folder, "valid-sha512.tsr", s, root);
    assert!(other.notes.iter().any(|note| note.contains("not the reply")), "{:?}", other.notes);
}

#[test]
fn every_package_of_the_collection_has_the_four_verdicts_of_its_table() {
    let Some(folder) = data() else { return };
    use Outcome::{Invalid, NotSettled, Valid};
    let anonymous = (NotSettled, "anonymous");
    let nobody = (Invalid, "nobody is shown to have signed");
    // Contents, manifest; signature; identity.
    let cases: &[PackageCase] = &[
        ("anon-valid", "", "", Valid, anonymous),
        ("anon-valid-p256", "", "", Valid, anonymous),
        ("anon-valid-der", "", "", Valid, anonymous),
        ("anon-wrong-key", "", "", Invalid, nobody),
        ("anon-altered-manifest", "", "both", Valid, anonymous),
        ("anon-altered-manifest-rehashed", "", "signed", Valid, anonymous),
        ("anon-altered-manifest-rehashed-both", "", "", Invalid, nobody),
        ("anon-altered-file", "pages/pages.jsonl differs", "", Valid, anonymous),
        ("anon-unlisted-file", "archive/extra.warc.gz is not listed", "", Valid, anonymous),
        ("domain-valid", "", "", Valid, (Valid, "sign.example.org")),
        ("domain-tsa-expired-since", "", "", Valid, (Valid, "sign.example.org")),
        ("domain-tsa-expired-before", "", "", Valid, (Invalid, "time not shown")),
        ("domain-cert-expired-before", "", "", Valid, (Invalid, "had expired")),
        ("domain-cert-older-than-7-days", "", "", Valid, (Valid, "sign.example.org")),
        ("domain-created-20-minutes-before", "", "", Valid, (Invalid, "20 min before the stamp")),
        ("domain-other-name", "", "", Valid, (Invalid, "is not a name of the certificate")),
        ("domain-broken-chain", "", "", Valid, (Valid, "sign.example.org")),
        ("domain-stamp-of-other-data", "", "", Valid, (Invalid, "other data")),
        ("domain-wrong-key", "", "", Invalid, nobody),
        ("domain-altered-manifest", "", "signed", Valid, (Valid, "")),
    ];
    let now = Instant::parse("2026-11-17T00:00:00Z").unwrap();
    let trust = trust(&folder, &["root.pem"]);
    for (name, contents, manifest, signature, (identity, words)) in cases {
        let path = folder.join("wacz").join(format!("{name}.wacz"));
        let mut wacz = Wacz::open(Blob::memory(std::fs::read(path).unwrap())).unwrap();
        let faults = wacz.contents().unwrap().faults.join("; ");
        assert!(faults.contains(contents) && faults.is_empty() == contents.is_empty(), "{name}: {faults}");
        let hashes = wacz.manifest().unwrap();
        let signed = hashes.digest_file.as_ref().unwrap().get("signedData").unwrap();
        let checked = package::evaluate(signed, &trust, now);
        let found = hashes.found.unwrap().to_string();
        let differs = match (hashes.declared.unwrap().to_string() == found, checked.hash == found) {
            (true, true) => "",
            (true, false) => "signed",
            (false, false) => "both",
            (false, true) => "declared",
        };
        assert_eq!(differs, *manifest, "{name}: {found} {}", checked.hash);
        assert_eq!(checked.signature.outcome, *signature, "{name}: {}", checked.signature.words);
        assert_eq!(checked.identity.outcome, *identity, "{name}: {}", checked.identity.words);
        assert!(checked.identity.words.contains(words), "{name}: {}", checked.identity.words);
        let note = |words: &str| checked.notes.iter().any(|note| note.contains(words));
        assert_eq!(
            note("do not form a chain"),
            *name == "domain-broken-chain",
            "{name}: {:?}",
            checked.notes
        );
        assert!(note("older than 7 days") || *name != "domain-cert-older-than-7-days");
        assert!(note("expired since") || *name != "domain-tsa-expired-since");
    }
    let mut unsigned =
        Wacz::open(Blob::memory(std::fs::read(folder.join("wacz/unsigned.wacz")).unwrap())).unwrap();
    assert!(unsigned.contents().unwrap().faults.is_empty());
    let hashes = unsigned.manifest().unwrap();
    assert_eq!(hashes.found, hashes.declared);
    assert!(hashes.digest_file.unwrap().get("signedData").is_none());
}

#[test]
fn signatures_made_by_other_programs_hold() {
    let Some(folder) = data() else { return };
    let now = Instant::parse("2026-11-17T00:00:00Z").unwrap();
    let evaluate = |signed: &serde_json::Value| package::evaluate(signed, &Trust::default(), now);
    let cases = [
        ("../warcs/webrecorder__py-wacz__valid_signed_example_1.wacz", "btrix-sign-test.webrecorder.net"),
        ("real/py-wacz_invalid_signed_example_1.wacz", "was not checked"),
        ("real/replayweb.page_iframetest.wacz", "anonymous"),
    ];
    for (name, words) in cases {
        let Ok(bytes) = std::fs::read(folder.join(name)) else {
            eprintln!("skipped: {name} is absent");
            continue;
        };
        let mut wacz = Wacz::open(Blob::memory(bytes)).unwrap();
        let hashes = wacz.manifest().unwrap();
        let checked = evaluate(hashes.digest_file.as_ref().unwrap().get("signedData").unwrap());
        assert_eq!(hashes.found.unwrap().to_string(), checked.hash, "{name}");
        assert_eq!(checked.signature.outcome, Outcome::Valid, "{name}: {}", checked.signature.words);
        assert_eq!(checked.identity.outcome, Outcome::NotSettled, "{name}: {}", checked.identity.words);
        assert!(checked.identity.words.contains(words), "{name}: {}", checked.identity.words);
    }
    let json = std::fs::read(folder.join("real/js-wacz_authsign-response.json")).unwrap();
    let checked = evaluate(&serde_json::from_slice(&json).unwrap());
    assert_eq!(checked.signature.outcome, Outcome::Valid, "{}", checked.signature.words);
    assert!(
        checked.identity.words.contains("is not a name of the certificate"),
        "{}",
        checked.identity.words
    );
    let stamp = checked.stamp.unwrap();
    assert_eq!(stamp.verdict.outcome, Outcome::NotSettled, "{}", stamp.verdict.words);
}

#[test]
fn replies_that_are_flipped_or_cut_anywhere_are_never_valid_and_never_end_the_program() {
    let Some(folder) = data() else { return };
    let reply = std::fs::read(folder.join("tsr/valid-chain.tsr")).unwrap();
    let data = std::fs::read(folder.join("tsr/statement.txt")).unwrap();
    let trust = trust(&folder, &["root.pem"]);
    let now = Instant(0);
    let whole = check(&reply, &data, &[], &trust, now);
    for place in 0..reply.len() {
        let mut altered = reply.clone();
        altered[place] ^= 1 << (place % 8);
        let found = check(&altered, &data, &[], &trust, now);
        // Some bytes are not signed; then what is said is the same.
        assert!(
            found.verdict.outcome != Outcome::Valid || found.info == whole.info,
            "byte {place}: {:?}",
            found
        );
        if place % 7 == 0 {
            assert_eq!(check(&reply[..place], &data, &[], &trust, now).verdict.outcome, Outcome::Invalid);
        }
    }
}

#[test]
fn keys_that_cannot_sign_are_refused_in_words() {
    for pem in [
        "",
        "-----BEGIN ENCRYPTED PRIVATE KEY-----",
        "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----",
    ] {
        assert!(SigningKey::from_pem(pem).is_err_and(|words| words.contains(' ')));
    }
    assert!(Certificate::all(b"nothing").is_err());
}
