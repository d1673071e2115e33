//! Checks a time stamp over some data, in the order of RFC 3161: the data, the signature, the signer, and the path to a
//! root at the time in the stamp.

use crate::signatures::certificate::Certificate;
use crate::signatures::chain::{Purpose, Trust, judge};
use crate::signatures::key::Hash;
use crate::signatures::token::{Info, Refusal, Token, read};
use crate::signatures::{Outcome, Verdict};
use crate::time::Instant;

/// What is known of a time stamp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub verdict: Verdict,
    /// What the authority says; `None` where it cannot be read. Worth nothing where the verdict is invalid.
    pub info: Option<Info>,
    /// The holder of the certificate that signed.
    pub signer: Option<String>,
    /// What a reader should know besides.
    pub notes: Vec<String>,
}

impl Stamp {
    /// Until when the data existed at the latest, by the stamp.
    pub(crate) fn no_later_than(&self) -> Option<Instant> {
        let info = self.info.as_ref().filter(|_| self.verdict.outcome != Outcome::Invalid)?;
        Some(info.time.plus(info.accuracy.unwrap_or(0)))
    }
}

/// Checks a reply or a bare token over `data`. `known` are certificates that came with it; `now` only says what expired since.
pub(crate) fn check(reply: &[u8], data: &[u8], known: &[Certificate], trust: &Trust, now: Instant) -> Stamp {
    let none = |verdict| Stamp { verdict, info: None, signer: None, notes: Vec::new() };
    let token = match read(reply) {
        Ok(token) => token,
        Err(Refusal::Refused(words)) => {
            return none(Verdict::invalid(format!("no stamp: the authority refused ({words})")));
        }
        Err(Refusal::Malformed(words)) => {
            return none(Verdict::invalid(format!("this time stamp cannot be read: {words}")));
        }
    };
    let mut notes = Vec::new();
    let all = token.certificates.iter().chain(known).chain(&trust.others).chain(&trust.roots);
    let signer = token.signer_among(all);
    let verdict = judge_token(&token, data, signer, known, trust);
    if let Some(signer) = signer.filter(|_| verdict.outcome != Outcome::Invalid) {
        let (_, to) = signer.validity();
        if to < now {
            notes.push(format!("The certificate of the authority has expired since, on {to}; at the time of the stamp it was valid."));
        }
    }
    if let Some(hash) = Hash::of(&token.info.imprint_algorithm).filter(|hash| *hash != Hash::Sha256) {
        notes.push(format!(
            "The stamp is by {}, not by SHA-256: it is not the reply to a request that this program writes.",
            hash.name()
        ));
    }
    if let Some(nonce) = &token.info.nonce {
        notes.push(format!(
            "It answers a request with the nonce {nonce}; the request that this program writes has none. What is stamped is the same."
        ));
    }
    let signer = signer.map(Certificate::subject);
    Stamp { verdict, info: Some(token.info), signer, notes }
}

fn judge_token(
    token: &Token,
    data: &[u8],
    signer: Option<&Certificate>,
    known: &[Certificate],
    trust: &Trust,
) -> Verdict {
    let Some(hash) = Hash::of(&token.info.imprint_algorithm).filter(|hash| *hash != Hash::Sha1) else {
        return Verdict::invalid(format!(
            "the data are named by a hash that is not accepted ({})",
            token.info.imprint_algorithm
        ));
    };
    if hash.digest(data) != token.info.imprint {
        return Verdict::invalid("the stamp is of other data");
    }
    if !token.signs_a_time_stamp() {
        return Verdict::invalid("what was signed is not the content of a time stamp");
    }
    let digest = Hash::of(&token.signer.digest_alg.oid.to_string());
    let Some(digest) = digest.filter(|digest| *digest != Hash::Sha1) else {
        return Verdict::invalid(format!(
            "it is signed with a hash that is not accepted ({})",
            token.signer.digest_alg.oid
        ));
    };
    let (Some(said), Some(signed)) = (token.message_digest(), token.signed_bytes()) else {
        return Verdict::invalid("the signature does not name what it signs");
    };
    if digest.digest(&token.content) != said {
        return Verdict::invalid("it was altered after signing: its content is not the one that was signed");
    }
    let Some(signer) = signer else {
        return Verdict::not_settled(
            "not evaluated: the certificate of the signer is neither in the reply nor given (--ca)",
        );
    };
    let algorithm = token.signer.signature_algorithm.oid.to_string();
    let Some(hash) = Hash::of_signature(&algorithm, Some(digest)) else {
        return Verdict::not_settled(format!(
            "not evaluated: the signature is of an unknown kind ({algorithm})"
        ));
    };
    let key = match signer.key() {
        Ok(key) => key,
        Err(fault) => return Verdict::not_settled(format!("not evaluated: {fault}")),
    };
    if !key.verifies(hash, &signed, token.signer.signature.as_bytes()) {
        return Verdict::invalid(
            "the signature does not hold: the stamp was altered after signing, or another key signed it",
        );
    }
    match token.names(signer) {
        Some(true) => {}
        Some(false) => {
            return Verdict::invalid("the stamp names another certificate than the one that signed it");
        }
        None => return Verdict::invalid("the stamp does not name its certificate"),
    }
    if !signer.is_for_time_stamps_only() {
        return Verdict::invalid("the certificate that signed is not one for time stamps only");
    }
    let between: Vec<Certificate> = token.certificates.iter().chain(known).cloned().collect();
    judge(signer, &between, trust, Purpose::TimeStamps, token.info.time)
}
