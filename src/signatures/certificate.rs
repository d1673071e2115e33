//! Certificates: read from PEM or DER, and what a reader needs to know of them.

use der::{Decode, Encode};
use x509_cert::Certificate as X509;
use x509_cert::ext::pkix::{ExtendedKeyUsage, KeyUsage};

use crate::signatures::key::Key;
use crate::time::{Instant, SECOND};

/// The purpose "time stamping", 1.3.6.1.5.5.7.3.8.
const TIME_STAMPING: &str = "1.3.6.1.5.5.7.3.8";

/// A certificate and its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Certificate {
    pub der: Vec<u8>,
    pub parsed: X509,
}

impl Certificate {
    /// Reads DER.
    pub(crate) fn from_der(der: &[u8]) -> Result<Self, String> {
        let parsed = X509::from_der(der).map_err(|error| format!("a certificate cannot be read: {error}"))?;
        Ok(Certificate { der: der.to_vec(), parsed })
    }

    /// A certificate that was read as a part of something else.
    pub(crate) fn of(parsed: &X509) -> Result<Self, String> {
        let der = parsed.to_der().map_err(|error| format!("a certificate cannot be read: {error}"))?;
        Ok(Certificate { der, parsed: parsed.clone() })
    }

    /// All certificates of a file: one after the other in PEM, or one in DER.
    pub(crate) fn all(bytes: &[u8]) -> Result<Vec<Self>, String> {
        const BEGIN: &[u8] = b"-----BEGIN CERTIFICATE-----";
        const END: &[u8] = b"-----END CERTIFICATE-----";
        let mut found = Vec::new();
        let mut rest = bytes;
        while let Some(start) = memchr::memmem::find(rest, BEGIN) {
            let end = memchr::memmem::find(&rest[start..], END)
                .map(|end| start + end + END.len())
                .ok_or("a certificate in PEM has no end")?;
            let (_, der) = der::pem::decode_vec(&rest[start..end])
                .map_err(|error| format!("a certificate in PEM cannot be read: {error}"))?;
            found.push(Certificate::from_der(&der)?);
            rest = &rest[end..];
        }
        if found.is_empty() && bytes.first() == Some(&0x30) {
            found.push(Certificate::from_der(bytes)?);
        }
        if found.is_empty() {
            return Err("no certificate was found".to_owned());
        }
        Ok(found)
    }

    /// The name of its holder.
    pub(crate) fn subject(&self) -> String {
        self.parsed.tbs_certificate().subject().to_string()
    }

    /// The name of who issued it.
    pub(crate) fn issuer(&self) -> String {
        self.parsed.tbs_certificate().issuer().to_string()
    }

    /// Whether it names itself as its issuer: a root.
    pub(crate) fn is_root(&self) -> bool {
        self.parsed.tbs_certificate().subject() == self.parsed.tbs_certificate().issuer()
    }

    /// Whether `other` has the name of its issuer.
    pub(crate) fn names(&self, other: &Self) -> bool {
        self.parsed.tbs_certificate().issuer() == other.parsed.tbs_certificate().subject()
    }

    /// First and last second of its validity.
    pub(crate) fn validity(&self) -> (Instant, Instant) {
        let validity = self.parsed.tbs_certificate().validity();
        let instant = |time: x509_cert::time::Time| {
            let seconds = i64::try_from(time.to_unix_duration().as_secs()).unwrap_or(i64::MAX);
            Instant(seconds.saturating_mul(SECOND))
        };
        (instant(validity.not_before), instant(validity.not_after))
    }

    /// Its public key.
    pub(crate) fn key(&self) -> Result<Key, String> {
        let spki = self.parsed.tbs_certificate().subject_public_key_info();
        let der = spki.to_der().map_err(|error| format!("its key cannot be read: {error}"))?;
        Key::from_spki(&der)
    }

    /// Whether its key may sign certificates: it does not say what its key is for, or `keyCertSign` is among that (RFC 5280,
    /// 6.1.4 n).
    pub(crate) fn may_issue(&self) -> bool {
        match self.parsed.tbs_certificate().get_extension::<KeyUsage>() {
            Ok(usage) => usage.is_none_or(|(_, usage)| usage.key_cert_sign()),
            Err(_) => false,
        }
    }

    /// Whether it is one for time stamps only: a critical list of purposes that holds this one and no other (RFC 3161, 2.3).
    pub(crate) fn is_for_time_stamps_only(&self) -> bool {
        let purposes = self.parsed.tbs_certificate().get_extension::<ExtendedKeyUsage>();
        matches!(purposes, Ok(Some((true, purposes)))
            if purposes.0.len() == 1 && purposes.0[0].to_string() == TIME_STAMPING)
    }
}
