//! The signature of a package: `signedData` of `datapackage-digest.json`, as wacz-auth 0.1.0 describes it.
//!
//! The bytes signed are the text `sha256:…` of the hash. A time stamp is over the base64 text of the signature, not over its
//! bytes. Who signed is a key without a name, or the holder of the certificate of a domain.

use base64ct::{Base64, Encoding};
use pki_types::ServerName;
use serde_json::Value;
use webpki::EndEntityCert;

use crate::format::duration;
use crate::signatures::certificate::Certificate;
use crate::signatures::chain::{Purpose, Trust, judge, leads_to};
use crate::signatures::key::{Hash, Key};
use crate::signatures::stamp::{self, Stamp};
use crate::signatures::{Outcome, Verdict};
use crate::time::{Instant, SECOND};

/// `created` may be this much before the stamp: the specification's ten minutes.
const MAX_BEFORE_STAMP: i64 = 600 * SECOND;
/// authsign demands that the certificate is no older than this.
const AUTHSIGN_AGE: i64 = 7 * 86_400 * SECOND;

/// The fields that the specification has.
const FIELDS: [&str; 11] = [
    "hash",
    "created",
    "software",
    "version",
    "signature",
    "publicKey",
    "domain",
    "domainCert",
    "timeSignature",
    "timestampCert",
    "crossSignedCert",
];

/// What is known of a signature: two verdicts, never one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Signed {
    pub signature: Verdict,
    /// Who signed, and when.
    pub identity: Verdict,
    /// The hash that was signed.
    pub hash: String,
    pub stamp: Option<Stamp>,
    pub notes: Vec<String>,
}

/// Evaluates `signedData`.
pub(crate) fn evaluate(signed: &Value, trust: &Trust, now: Instant) -> Signed {
    let text = |name: &str| signed.get(name).and_then(Value::as_str).unwrap_or_default();
    let mut notes = Vec::new();
    if let Some(fields) = signed.as_object() {
        let others: Vec<&str> =
            fields.keys().map(String::as_str).filter(|name| !FIELDS.contains(name)).collect();
        if !others.is_empty() {
            notes.push(format!("Fields that the specification does not have: {}.", others.join(", ")));
        }
    }
    let hash = text("hash").to_owned();
    let chain = Certificate::all(text("domainCert").as_bytes());
    let is_anonymous = signed.get("domainCert").is_none();
    let key = if is_anonymous {
        Base64::decode_vec(&bare(text("publicKey")))
            .map_err(|_| "no public key that could be read".to_owned())
            .and_then(|spki| Key::from_spki(&spki))
    } else {
        chain.as_ref().map_err(Clone::clone).and_then(|chain| chain[0].key())
    };
    let signature = match (&key, Base64::decode_vec(&bare(text("signature")))) {
        (Err(fault), _) => Verdict::not_settled(format!("not evaluated: {fault}")),
        (_, Err(_)) => Verdict::invalid("the signature cannot be read"),
        (Ok(key), Ok(bytes)) if key.verifies(Hash::Sha256, hash.as_bytes(), &bytes) => {
            Verdict::valid(format!("valid, by a key of the kind {}", key.name()))
        }
        (Ok(key), Ok(_)) => {
            Verdict::invalid(format!("the signature does not hold for the key given ({})", key.name()))
        }
    };
    let mut checked = Signed { signature, identity: Verdict::valid(""), hash, stamp: None, notes };
    if checked.signature.outcome == Outcome::Invalid {
        checked.identity = Verdict::invalid("nobody is shown to have signed: the signature does not hold");
        return checked;
    }
    if is_anonymous {
        let created = if text("created").is_empty() { "not stated" } else { text("created") };
        checked.identity = Verdict::not_settled(format!(
            "anonymous: the key has no name, and the time ({created}) is only a claim of the signer"
        ));
        return checked;
    }
    match chain {
        Ok(chain) => domain(signed, &chain, trust, now, &mut checked),
        Err(fault) => checked.identity = Verdict::invalid(fault),
    }
    checked
}

fn domain(signed: &Value, chain: &[Certificate], trust: &Trust, now: Instant, checked: &mut Signed) {
    let text = |name: &str| signed.get(name).and_then(Value::as_str).unwrap_or_default();
    let domain = text("domain");
    let mut known = Certificate::all(text("timestampCert").as_bytes()).unwrap_or_default();
    known.extend(Certificate::all(text("crossSignedCert").as_bytes()).unwrap_or_default());
    if text("timeSignature").is_empty() {
        checked.identity = Verdict::invalid("time not shown: there is no time stamp");
        return;
    }
    let Ok(reply) = Base64::decode_vec(&bare(text("timeSignature"))) else {
        checked.identity = Verdict::invalid("time not shown: the time stamp cannot be read");
        return;
    };
    let stamp = stamp::check(&reply, text("signature").as_bytes(), &known, trust, now);
    checked.notes.extend(stamp.notes.iter().filter(|note| !note.contains("nonce")).cloned());
    let verdict = stamp.verdict.clone();
    let time = stamp.info.as_ref().map(|info| info.time);
    let until = stamp.no_later_than();
    checked.stamp = Some(stamp);
    let Some(time) = time.filter(|_| verdict.outcome != Outcome::Invalid) else {
        checked.identity = Verdict::invalid(format!("time not shown: {}", verdict.words));
        return;
    };
    let (from, to) = chain[0].validity();
    if !is_name_of(domain, &chain[0]) {
        checked.identity = Verdict::invalid(format!(
            "{domain:?} is not a name of the certificate, which is that of {}",
            chain[0].subject()
        ));
        return;
    }
    let path = judge(&chain[0], chain, trust, Purpose::Domain, time);
    if path.outcome == Outcome::Invalid {
        checked.identity = Verdict::invalid(format!("the domain is not shown: {}", path.words));
        return;
    }
    match Instant::parse(text("created")) {
        None => {
            checked.identity = Verdict::invalid("the signer does not say when it signed");
            return;
        }
        Some(created) if created > time || created < time.plus(-MAX_BEFORE_STAMP) => {
            let apart = duration(time.0.abs_diff(created.0) as f64 / SECOND as f64);
            let side = if created > time { "after" } else { "before" };
            checked.identity = Verdict::invalid(format!(
                "the signer says that it signed at {created}, {apart} {side} the stamp; from 0 to 10 minutes before it are allowed"
            ));
            return;
        }
        Some(_) => {}
    }
    if let [first, between @ .., last] = chain
        && !leads_to(first, between, last, Purpose::Domain, time)
    {
        checked.notes.push("The certificates of the domain in the package do not form a chain.".to_owned());
    }
    if time.0 - from.0 > AUTHSIGN_AGE {
        checked.notes.push(
            "The certificate of the domain was older than 7 days when it signed; authsign demands 7 days, the specification \
             does not."
                .to_owned(),
        );
    }
    if to < now {
        checked.notes.push(format!(
            "The certificate of the domain has expired since, on {to}; at the time of the stamp it was valid."
        ));
    }
    // The clock of the authority is as accurate as the stamp says.
    let signed_by = format!("signed by the holder of {domain}, no later than {}", until.unwrap_or(time));
    let open: Vec<&str> = [&verdict, &path]
        .into_iter()
        .filter(|verdict| verdict.outcome == Outcome::NotSettled)
        .map(|verdict| verdict.words.as_str())
        .collect();
    checked.identity = if open.is_empty() {
        Verdict::valid(signed_by)
    } else {
        Verdict::not_settled(format!("{signed_by}, as far as this can be told: {}", open.join("; ")))
    };
}

/// Whether a domain is a name of a certificate.
fn is_name_of(domain: &str, certificate: &Certificate) -> bool {
    let der = pki_types::CertificateDer::from(certificate.der.as_slice());
    let (Ok(end), Ok(name)) = (EndEntityCert::try_from(&der), ServerName::try_from(domain)) else {
        return false;
    };
    end.verify_is_valid_for_subject_name(&name).is_ok()
}

/// Base64 without white space.
fn bare(text: &str) -> String {
    text.split_ascii_whitespace().collect()
}
