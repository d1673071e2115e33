//! A time-stamp reply taken apart: `TimeStampResp`, the CMS token in it, and the `TSTInfo` in that.
//!
//! Source: RFC 3161, section 2.4.2; RFC 5652 (CMS); RFC 2634 and RFC 5035 (which certificate signed).

use cms::cert::CertificateChoices;
use cms::content_info::ContentInfo;
use cms::signed_data::{SignedData, SignerIdentifier, SignerInfo};
use der::asn1::{BitString, Int, OctetString};
use der::{Any, Decode, Encode, Sequence, Tag, Tagged};
use x509_cert::ext::Extensions;
use x509_cert::ext::pkix::SubjectKeyIdentifier;
use x509_cert::spki::AlgorithmIdentifierOwned;

use crate::digest::hex;
use crate::signatures::certificate::Certificate;
use crate::signatures::key::Hash;
use crate::time::{Dated, Instant, SECOND};

const SIGNED_DATA: &str = "1.2.840.113549.1.7.2";
const TST_INFO: &str = "1.2.840.113549.1.9.16.1.4";
const CONTENT_TYPE: &str = "1.2.840.113549.1.9.3";
const MESSAGE_DIGEST: &str = "1.2.840.113549.1.9.4";
const SIGNING_CERTIFICATE: &str = "1.2.840.113549.1.9.16.2.12";
const SIGNING_CERTIFICATE_V2: &str = "1.2.840.113549.1.9.16.2.47";

#[derive(Debug, Sequence)]
struct Reply {
    status: StatusInfo,
    #[asn1(optional = "true")]
    token: Option<Any>,
}

#[derive(Debug, Sequence)]
struct StatusInfo {
    status: Int,
    #[asn1(optional = "true")]
    text: Option<Vec<String>>,
    #[asn1(optional = "true")]
    fail: Option<BitString>,
}

#[derive(Debug, Sequence)]
struct TstInfo {
    version: Int,
    policy: der::asn1::ObjectIdentifier,
    imprint: Imprint,
    serial: Int,
    /// The reader of the library takes no fractions.
    time: Any,
    #[asn1(optional = "true")]
    accuracy: Option<Accuracy>,
    #[asn1(default = "Default::default")]
    ordering: bool,
    #[asn1(optional = "true")]
    nonce: Option<Int>,
    #[asn1(context_specific = "0", tag_mode = "EXPLICIT", optional = "true")]
    tsa: Option<Any>,
    #[asn1(context_specific = "1", tag_mode = "IMPLICIT", optional = "true")]
    extensions: Option<Extensions>,
}

#[derive(Debug, Sequence)]
struct Imprint {
    algorithm: AlgorithmIdentifierOwned,
    hash: OctetString,
}

#[derive(Debug, Sequence)]
struct Accuracy {
    #[asn1(optional = "true")]
    seconds: Option<u32>,
    #[asn1(context_specific = "0", tag_mode = "IMPLICIT", optional = "true")]
    millis: Option<u16>,
    #[asn1(context_specific = "1", tag_mode = "IMPLICIT", optional = "true")]
    micros: Option<u16>,
}

/// Which certificate signed, by SHA-1.
#[derive(Debug, Sequence)]
struct SigningCertificate {
    certificates: Vec<CertificateId>,
    #[asn1(optional = "true")]
    policies: Option<Any>,
}

#[derive(Debug, Sequence)]
struct CertificateId {
    hash: OctetString,
    #[asn1(optional = "true")]
    issuer_serial: Option<Any>,
}

/// Which certificate signed, by any hash; SHA-256 where none is named.
#[derive(Debug, Sequence)]
struct SigningCertificateV2 {
    certificates: Vec<CertificateIdV2>,
    #[asn1(optional = "true")]
    policies: Option<Any>,
}

#[derive(Debug, Sequence)]
struct CertificateIdV2 {
    #[asn1(optional = "true")]
    algorithm: Option<AlgorithmIdentifierOwned>,
    hash: OctetString,
    #[asn1(optional = "true")]
    issuer_serial: Option<Any>,
}

/// A token, as far as it is well formed; nothing of it is checked.
#[derive(Debug)]
pub(crate) struct Token {
    /// `TSTInfo` in DER.
    pub content: Vec<u8>,
    pub info: Info,
    pub certificates: Vec<Certificate>,
    pub signer: SignerInfo,
}

/// What the authority says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Info {
    pub policy: String,
    pub imprint_algorithm: String,
    pub imprint: Vec<u8>,
    pub serial: String,
    pub time: Instant,
    /// In millionths of a second; `None` where it is not stated.
    pub accuracy: Option<i64>,
    pub ordering: bool,
    pub nonce: Option<String>,
}

/// Why there is no token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The authority refused, in its words.
    Refused(String),
    /// The bytes are no reply.
    Malformed(String),
}

fn malformed(error: impl std::fmt::Display) -> Refusal {
    Refusal::Malformed(error.to_string())
}

/// Takes a reply or a bare token apart. No byte may follow it.
pub(crate) fn read(bytes: &[u8]) -> Result<Token, Refusal> {
    if bytes.is_empty() {
        return Err(Refusal::Malformed("it is empty".to_owned()));
    }
    // A token starts with an object identifier, a reply with a sequence.
    if let Ok(content) = ContentInfo::from_der(bytes) {
        return token(&content);
    }
    let reply = Reply::from_der(bytes).map_err(|error| match error.kind() {
        der::ErrorKind::TrailingData { .. } => Refusal::Malformed("bytes follow behind the reply".to_owned()),
        der::ErrorKind::Incomplete { .. } => {
            Refusal::Malformed("it is cut short, or it is not a reply".to_owned())
        }
        _ => malformed(error),
    })?;
    let status = reply.status.status.as_bytes();
    if !matches!(status, [0 | 1]) {
        let mut words = format!("status {}", hex(status));
        if let Some(text) = &reply.status.text {
            words += &format!(", {:?}", text.join(" "));
        }
        if let Some(fail) = &reply.status.fail {
            words += &failure(fail);
        }
        return Err(Refusal::Refused(words));
    }
    let Some(any) = reply.token else {
        return Err(Refusal::Malformed("the reply says that it holds a stamp, and holds none".to_owned()));
    };
    let content: ContentInfo = any.decode_as().map_err(malformed)?;
    token(&content)
}

/// RFC 3161, `PKIFailureInfo`.
fn failure(bits: &BitString) -> String {
    const NAMES: [(usize, &str); 8] = [
        (0, "the algorithm is not supported"),
        (2, "the request is not permitted"),
        (5, "the request has the wrong format"),
        (14, "the time source is not available"),
        (15, "the policy is not supported"),
        (16, "the extension is not supported"),
        (17, "more information was asked for than there is"),
        (25, "the system failed"),
    ];
    let is_set = |place: usize| bits.bits().nth(place).unwrap_or(false);
    NAMES.iter().filter(|(place, _)| is_set(*place)).map(|(_, words)| format!(", {words}")).collect()
}

fn token(content: &ContentInfo) -> Result<Token, Refusal> {
    if content.content_type.to_string() != SIGNED_DATA {
        return Err(Refusal::Malformed("the token is not signed data".to_owned()));
    }
    let signed: SignedData = content.content.decode_as().map_err(malformed)?;
    if signed.encap_content_info.econtent_type.to_string() != TST_INFO {
        return Err(Refusal::Malformed("what was signed is not the content of a time stamp".to_owned()));
    }
    let content = signed.encap_content_info.econtent.as_ref();
    let content = content.ok_or_else(|| Refusal::Malformed("the token has no content".to_owned()))?;
    let content: OctetString = content.decode_as().map_err(malformed)?;
    let content = content.as_bytes().to_vec();
    let info = info(&TstInfo::from_der(&content).map_err(malformed)?)?;
    let mut certificates = Vec::new();
    for choice in signed.certificates.iter().flat_map(|certificates| certificates.0.iter()) {
        if let CertificateChoices::Certificate(certificate) = choice {
            certificates.push(Certificate::of(certificate).map_err(Refusal::Malformed)?);
        }
    }
    let [signer] = signed.signer_infos.0.as_slice() else {
        return Err(Refusal::Malformed("the token must have one signer".to_owned()));
    };
    Ok(Token { content, info, certificates, signer: signer.clone() })
}

fn info(info: &TstInfo) -> Result<Info, Refusal> {
    if info.version.as_bytes() != [1] {
        return Err(Refusal::Malformed("its version is not 1".to_owned()));
    }
    if info.extensions.iter().flatten().any(|extension| extension.critical) {
        return Err(Refusal::Malformed("it holds a critical extension that is unknown".to_owned()));
    }
    let time = time(&info.time).ok_or_else(|| Refusal::Malformed("its time cannot be read".to_owned()))?;
    let accuracy = info.accuracy.as_ref().map(|accuracy| {
        i64::from(accuracy.seconds.unwrap_or(0)) * SECOND
            + i64::from(accuracy.millis.unwrap_or(0)) * 1000
            + i64::from(accuracy.micros.unwrap_or(0))
    });
    Ok(Info {
        policy: info.policy.to_string(),
        imprint_algorithm: info.imprint.algorithm.oid.to_string(),
        imprint: info.imprint.hash.as_bytes().to_vec(),
        serial: hex(info.serial.as_bytes()),
        time,
        accuracy,
        ordering: info.ordering,
        nonce: info.nonce.as_ref().map(|nonce| hex(nonce.as_bytes())),
    })
}

/// `YYYYMMDDhhmmss[.f…]Z`.
fn time(any: &Any) -> Option<Instant> {
    if any.tag() != Tag::GeneralizedTime {
        return None;
    }
    let text = std::str::from_utf8(any.value()).ok()?.strip_suffix('Z')?;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if whole.len() != 14 || !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let whole = Dated::parse_digits(whole.as_bytes())?.instant;
    let micros = format!("{:0<6}", fraction.get(..fraction.len().min(6))?);
    Some(whole.plus(micros.parse().ok()?))
}

impl Token {
    /// A signed attribute: its one value.
    fn attribute(&self, oid: &str) -> Option<&Any> {
        let attributes = self.signer.signed_attrs.as_ref()?;
        let mut found = attributes.iter().filter(|attribute| attribute.oid.to_string() == oid);
        let attribute = found.next()?;
        match (attribute.values.as_slice(), found.next()) {
            ([value], None) => Some(value),
            _ => None,
        }
    }

    /// Whether the signed attributes say that a time stamp was signed.
    pub(crate) fn signs_a_time_stamp(&self) -> bool {
        let value = self.attribute(CONTENT_TYPE);
        let oid = value.and_then(|value| value.decode_as::<der::asn1::ObjectIdentifier>().ok());
        oid.is_some_and(|oid| oid.to_string() == TST_INFO)
    }

    /// The hash of the content, as it was signed.
    pub(crate) fn message_digest(&self) -> Option<Vec<u8>> {
        let value = self.attribute(MESSAGE_DIGEST)?;
        value.decode_as::<OctetString>().ok().map(|value| value.as_bytes().to_vec())
    }

    /// The bytes that were signed: the attributes as a SET.
    pub(crate) fn signed_bytes(&self) -> Option<Vec<u8>> {
        self.signer.signed_attrs.as_ref()?.to_der().ok()
    }

    /// The certificate of the signer among these: that which the signer is called by.
    pub(crate) fn signer_among<'a>(
        &self,
        mut all: impl Iterator<Item = &'a Certificate>,
    ) -> Option<&'a Certificate> {
        all.find(|certificate| match &self.signer.sid {
            SignerIdentifier::IssuerAndSerialNumber(id) => {
                let parsed = certificate.parsed.tbs_certificate();
                *parsed.issuer() == id.issuer && *parsed.serial_number() == id.serial_number
            }
            SignerIdentifier::SubjectKeyIdentifier(id) => {
                let own = certificate.parsed.tbs_certificate().get_extension::<SubjectKeyIdentifier>();
                matches!(own, Ok(Some((_, own))) if own == *id)
            }
        })
    }

    /// Whether the token names this certificate as that of its signer; `None` if it names none.
    pub(crate) fn names(&self, certificate: &Certificate) -> Option<bool> {
        let of = |hash: Hash| hash.digest(&certificate.der);
        let first = self.attribute(SIGNING_CERTIFICATE).map(|value| {
            let named = value.decode_as::<SigningCertificate>().ok();
            let id = named.and_then(|named| named.certificates.into_iter().next());
            id.is_some_and(|id| id.hash.as_bytes() == of(Hash::Sha1))
        });
        let second = self.attribute(SIGNING_CERTIFICATE_V2).map(|value| {
            let named = value.decode_as::<SigningCertificateV2>().ok();
            let id = named.and_then(|named| named.certificates.into_iter().next());
            id.is_some_and(|id| {
                let hash = match &id.algorithm {
                    None => Some(Hash::Sha256),
                    Some(algorithm) => Hash::of(&algorithm.oid.to_string()),
                };
                hash.is_some_and(|hash| id.hash.as_bytes() == of(hash))
            })
        });
        match (first, second) {
            (None, None) => None,
            (first, second) => Some(first.unwrap_or(true) && second.unwrap_or(true)),
        }
    }
}
