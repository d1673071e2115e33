//! Paths from a certificate to one that the user trusts, at a given time. webpki builds them; the signatures on the way are
//! checked with [`Key`].

use std::time::Duration;

use pki_types::{
    AlgorithmIdentifier, CertificateDer, InvalidSignature, SignatureVerificationAlgorithm, TrustAnchor,
    UnixTime, alg_id,
};
use webpki::{EndEntityCert, KeyUsage, VerifiedPath, anchor_from_trusted_cert};

use crate::signatures::Verdict;
use crate::signatures::certificate::Certificate;
use crate::signatures::key::{Hash, Key};
use crate::time::{Instant, SECOND};

/// The purpose "time stamping" as DER writes it.
const TIME_STAMPING: &[u8] = &[0x2b, 6, 1, 5, 5, 7, 3, 8];

/// The certificates that the user gave: roots are trusted, the others only complete a path.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trust {
    pub roots: Vec<Certificate>,
    pub others: Vec<Certificate>,
}

impl Trust {
    /// Adds the certificates of a file.
    pub(crate) fn add(&mut self, bytes: &[u8]) -> Result<(), String> {
        for certificate in Certificate::all(bytes)? {
            if certificate.is_root() {
                self.roots.push(certificate);
            } else {
                self.others.push(certificate);
            }
        }
        Ok(())
    }
}

/// What a certificate is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    TimeStamps,
    /// The identity of a server.
    Domain,
}

/// Whether a path leads from `end` to a trusted root at a time.
pub(crate) fn judge(
    end: &Certificate,
    between: &[Certificate],
    trust: &Trust,
    purpose: Purpose,
    at: Instant,
) -> Verdict {
    let (from, to) = end.validity();
    if at > to {
        return Verdict::invalid(format!("the certificate of {} had expired on {to}", end.subject()));
    }
    if at < from {
        return Verdict::invalid(format!("the certificate of {} was valid only from {from}", end.subject()));
    }
    if trust.roots.is_empty() {
        return Verdict::not_settled(format!(
            "signed by the holder of {}; whether {}, which issued the certificate, can be trusted was not checked: no root \
             certificate was given (--ca)",
            end.subject(),
            end.issuer()
        ));
    }
    let between: Vec<&Certificate> = between.iter().chain(&trust.others).collect();
    match path(end, &between, &trust.roots, purpose, at) {
        Ok(root) => {
            let (from, to) = root.validity();
            if at < from || at > to {
                return Verdict::invalid(format!(
                    "the root certificate {} was not valid then",
                    root.subject()
                ));
            }
            Verdict::valid(format!("by {}, under {}", end.subject(), root.subject()))
        }
        Err(error) => refused(end, &between, trust, &error),
    }
}

/// Whether a path leads from `end` to `root` at a time.
pub(crate) fn leads_to(
    end: &Certificate,
    between: &[Certificate],
    root: &Certificate,
    purpose: Purpose,
    at: Instant,
) -> bool {
    let between: Vec<&Certificate> = between.iter().collect();
    path(end, &between, std::slice::from_ref(root), purpose, at).is_ok()
}

/// The root that a path ends at.
fn path<'r>(
    end: &Certificate,
    between: &[&Certificate],
    roots: &'r [Certificate],
    purpose: Purpose,
    at: Instant,
) -> Result<&'r Certificate, webpki::Error> {
    let der = CertificateDer::from(end.der.as_slice());
    let first = EndEntityCert::try_from(&der)?;
    let between: Vec<CertificateDer<'_>> =
        between.iter().map(|certificate| CertificateDer::from(certificate.der.as_slice())).collect();
    let ders: Vec<CertificateDer<'_>> =
        roots.iter().map(|certificate| CertificateDer::from(certificate.der.as_slice())).collect();
    let anchors: Vec<TrustAnchor<'_>> =
        ders.iter().map(anchor_from_trusted_cert).collect::<Result<_, _>>()?;
    let seconds = u64::try_from(at.0.div_euclid(SECOND)).unwrap_or(0);
    let time = UnixTime::since_unix_epoch(Duration::from_secs(seconds));
    let usage = match purpose {
        // An intermediate certificate may have no list of purposes.
        Purpose::TimeStamps => KeyUsage::required_if_present(TIME_STAMPING),
        Purpose::Domain => KeyUsage::server_auth(),
    };
    let algorithms: Vec<&dyn SignatureVerificationAlgorithm> =
        ALGORITHMS.iter().map(|algorithm| algorithm as &dyn SignatureVerificationAlgorithm).collect();
    let root_of = |path: &VerifiedPath<'_>| {
        let place = anchors.iter().position(|anchor| anchor == path.anchor());
        place.and_then(|place| roots.get(place)).ok_or(webpki::Error::UnknownIssuer)
    };
    // webpki looks at basic constraints and leaves out what the key is for.
    let may_issue = |path: &VerifiedPath<'_>| {
        let root = root_of(path)?;
        let may = |der: &[u8]| Certificate::from_der(der).is_ok_and(|issuer| issuer.may_issue());
        let is_right = path.intermediate_certificates().all(|issuer| may(&issuer.der()))
            && (root.may_issue() || root.der == end.der);
        if is_right { Ok(()) } else { Err(webpki::Error::EndEntityUsedAsCa) }
    };
    let path =
        first.verify_for_usage(&algorithms, &anchors, &between, time, usage, None, Some(&may_issue))?;
    root_of(&path)
}

/// Why no path was found: an issuer that nobody gave is missing; all else is a fault.
fn refused(end: &Certificate, between: &[&Certificate], trust: &Trust, error: &webpki::Error) -> Verdict {
    let mut current = end;
    for _ in 0..=between.len() {
        if let Some(root) = trust.roots.iter().find(|root| current.names(root)) {
            return Verdict::invalid(match error {
                webpki::Error::CertExpired { .. } => {
                    "a certificate on the way to the root had expired".to_owned()
                }
                webpki::Error::CertNotValidYet { .. } => {
                    "a certificate on the way to the root was not valid yet".to_owned()
                }
                webpki::Error::EndEntityUsedAsCa => {
                    "a certificate on the way to the root was not made to issue others: it does not belong to an authority, or its \
                     key usage lacks keyCertSign"
                        .to_owned()
                }
                webpki::Error::UnknownIssuer | webpki::Error::InvalidSignatureForPublicKey => format!(
                    "the root that was given has the name of the issuer, {}, but another key: it did not issue the certificate",
                    root.subject()
                ),
                other => format!("no path to the root that was given: {}", rule(other)),
            });
        }
        match between.iter().find(|other| current.names(other) && ***other != *current) {
            Some(next) => current = next,
            None => break,
        }
    }
    Verdict::not_settled(format!(
        "the issuer of a certificate is missing: {} was neither in the file nor given (--ca)",
        current.issuer()
    ))
}

/// Which rule for paths is broken, in words.
fn rule(error: &webpki::Error) -> &'static str {
    use webpki::Error;
    match error {
        Error::CaUsedAsEndEntity => {
            "the certificate that signed is one of an authority, which may only issue others"
        }
        Error::RequiredEkuNotFoundContext(_) => "a certificate on the way is not for this purpose",
        Error::NameConstraintViolation => "a certificate on the way has a name that its issuer may not give",
        Error::PathLenConstraintViolated | Error::MaximumPathDepthExceeded => "the path is too long",
        Error::UnsupportedCriticalExtension => {
            "a certificate on the way has a critical extension that is unknown here"
        }
        Error::UnsupportedCertVersion => "a certificate on the way is not of version 3",
        Error::UnsupportedSignatureAlgorithmContext(_)
        | Error::UnsupportedSignatureAlgorithmForPublicKeyContext(_) => {
            "a certificate on the way is signed in a way that is not accepted here"
        }
        Error::BadDer | Error::TrailingData(_) => "a certificate on the way is not well formed",
        _ => "a certificate on the way breaks a rule of RFC 5280",
    }
}

/// A kind of key with a hash function.
#[derive(Debug)]
struct Algorithm {
    key: AlgorithmIdentifier,
    signature: AlgorithmIdentifier,
    hash: Hash,
    read: fn(&[u8]) -> Result<Key, String>,
}

const fn algorithm(
    key: AlgorithmIdentifier,
    signature: AlgorithmIdentifier,
    hash: Hash,
    read: fn(&[u8]) -> Result<Key, String>,
) -> Algorithm {
    Algorithm { key, signature, hash, read }
}

static ALGORITHMS: [Algorithm; 9] = [
    algorithm(alg_id::ECDSA_P256, alg_id::ECDSA_SHA256, Hash::Sha256, Key::p256),
    algorithm(alg_id::ECDSA_P256, alg_id::ECDSA_SHA384, Hash::Sha384, Key::p256),
    algorithm(alg_id::ECDSA_P256, alg_id::ECDSA_SHA512, Hash::Sha512, Key::p256),
    algorithm(alg_id::ECDSA_P384, alg_id::ECDSA_SHA256, Hash::Sha256, Key::p384),
    algorithm(alg_id::ECDSA_P384, alg_id::ECDSA_SHA384, Hash::Sha384, Key::p384),
    algorithm(alg_id::ECDSA_P384, alg_id::ECDSA_SHA512, Hash::Sha512, Key::p384),
    algorithm(alg_id::RSA_ENCRYPTION, alg_id::RSA_PKCS1_SHA256, Hash::Sha256, Key::rsa),
    algorithm(alg_id::RSA_ENCRYPTION, alg_id::RSA_PKCS1_SHA384, Hash::Sha384, Key::rsa),
    algorithm(alg_id::RSA_ENCRYPTION, alg_id::RSA_PKCS1_SHA512, Hash::Sha512, Key::rsa),
];

impl SignatureVerificationAlgorithm for Algorithm {
    fn verify_signature(&self, key: &[u8], message: &[u8], signature: &[u8]) -> Result<(), InvalidSignature> {
        let key = (self.read)(key).map_err(|_| InvalidSignature)?;
        if key.verifies(self.hash, message, signature) { Ok(()) } else { Err(InvalidSignature) }
    }

    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        self.key
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        self.signature
    }
}
