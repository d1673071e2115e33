//! Public keys of the kinds in use (P-256, P-384, RSA), and signatures checked with them.

use der::Decode;
use p256::ecdsa::signature::hazmat::PrehashVerifier;
use rsa::Pkcs1v15Sign;
use rsa::pkcs1::DecodeRsaPublicKey;
use rsa::traits::PublicKeyParts;
use sha2::Digest;
use x509_cert::spki::SubjectPublicKeyInfoRef;

/// RSA keys below this can be broken.
const MIN_RSA_BITS: usize = 2048;

/// Hash functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hash {
    /// Only to name a certificate (RFC 2634), never for data.
    Sha1,
    Sha256,
    Sha384,
    Sha512,
}

impl Hash {
    /// The hash function with an object identifier.
    pub(crate) fn of(oid: &str) -> Option<Self> {
        match oid {
            "1.3.14.3.2.26" => Some(Hash::Sha1),
            "2.16.840.1.101.3.4.2.1" => Some(Hash::Sha256),
            "2.16.840.1.101.3.4.2.2" => Some(Hash::Sha384),
            "2.16.840.1.101.3.4.2.3" => Some(Hash::Sha512),
            _ => None,
        }
    }

    /// The hash function that a signature algorithm names; `digest` where it names none.
    pub(crate) fn of_signature(oid: &str, digest: Option<Self>) -> Option<Self> {
        match oid {
            "1.2.840.10045.4.3.2" | "1.2.840.113549.1.1.11" => Some(Hash::Sha256),
            "1.2.840.10045.4.3.3" | "1.2.840.113549.1.1.12" => Some(Hash::Sha384),
            "1.2.840.10045.4.3.4" | "1.2.840.113549.1.1.13" => Some(Hash::Sha512),
            // rsaEncryption and id-ecPublicKey, as some write it
            "1.2.840.113549.1.1.1" | "1.2.840.10045.2.1" => digest.filter(|digest| *digest != Hash::Sha1),
            _ => None,
        }
    }

    pub(crate) fn digest(self, bytes: &[u8]) -> Vec<u8> {
        match self {
            Hash::Sha1 => sha1::Sha1::digest(bytes).to_vec(),
            Hash::Sha256 => sha2::Sha256::digest(bytes).to_vec(),
            Hash::Sha384 => sha2::Sha384::digest(bytes).to_vec(),
            Hash::Sha512 => sha2::Sha512::digest(bytes).to_vec(),
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Hash::Sha1 => "SHA-1",
            Hash::Sha256 => "SHA-256",
            Hash::Sha384 => "SHA-384",
            Hash::Sha512 => "SHA-512",
        }
    }
}

/// A public key.
#[derive(Debug, Clone)]
pub(crate) enum Key {
    P256(Box<p256::ecdsa::VerifyingKey>),
    P384(Box<p384::ecdsa::VerifyingKey>),
    Rsa(Box<rsa::RsaPublicKey>),
}

impl Key {
    /// Reads a SubjectPublicKeyInfo in DER.
    pub(crate) fn from_spki(der: &[u8]) -> Result<Self, String> {
        let spki = SubjectPublicKeyInfoRef::from_der(der)
            .map_err(|error| format!("the key cannot be read: {error}"))?;
        let bits = spki.subject_public_key.as_bytes().ok_or("the key cannot be read")?;
        let curve = || spki.algorithm.parameters_oid().map(|oid| oid.to_string()).unwrap_or_default();
        match spki.algorithm.oid.to_string().as_str() {
            "1.2.840.10045.2.1" => match curve().as_str() {
                "1.2.840.10045.3.1.7" => Key::p256(bits),
                "1.3.132.0.34" => Key::p384(bits),
                other => Err(format!("keys on the curve {other} are not supported")),
            },
            "1.2.840.113549.1.1.1" => Key::rsa(bits),
            other => Err(format!("keys of the kind {other} are not supported")),
        }
    }

    /// A point on P-256.
    pub(crate) fn p256(bits: &[u8]) -> Result<Self, String> {
        let key = p256::ecdsa::VerifyingKey::from_sec1_bytes(bits);
        key.map(|key| Key::P256(Box::new(key))).map_err(|_| "the key is not a point on P-256".to_owned())
    }

    /// A point on P-384.
    pub(crate) fn p384(bits: &[u8]) -> Result<Self, String> {
        let key = p384::ecdsa::VerifyingKey::from_sec1_bytes(bits);
        key.map(|key| Key::P384(Box::new(key))).map_err(|_| "the key is not a point on P-384".to_owned())
    }

    /// An RSAPublicKey in DER (RFC 8017).
    pub(crate) fn rsa(bits: &[u8]) -> Result<Self, String> {
        let key = rsa::RsaPublicKey::from_pkcs1_der(bits)
            .map_err(|error| format!("the RSA key cannot be read: {error}"))?;
        if key.size() * 8 < MIN_RSA_BITS {
            return Err(format!("the RSA key has fewer than {MIN_RSA_BITS} bits"));
        }
        Ok(Key::Rsa(Box::new(key)))
    }

    pub(crate) fn name(&self) -> String {
        match self {
            Key::P256(_) => "P-256".to_owned(),
            Key::P384(_) => "P-384".to_owned(),
            Key::Rsa(key) => format!("RSA-{}", key.size() * 8),
        }
    }

    /// Whether a signature over a message holds. Signatures of curves are DER, or r and s side by side where the length is
    /// exactly that.
    pub(crate) fn verifies(&self, hash: Hash, message: &[u8], signature: &[u8]) -> bool {
        let hashed = hash.digest(message);
        match self {
            Key::P256(key) => {
                let signature = if signature.len() == 64 {
                    p256::ecdsa::Signature::from_slice(signature)
                } else {
                    p256::ecdsa::Signature::from_der(signature)
                };
                signature.is_ok_and(|signature| key.verify_prehash(&hashed, &signature).is_ok())
            }
            Key::P384(key) => {
                let signature = if signature.len() == 96 {
                    p384::ecdsa::Signature::from_slice(signature)
                } else {
                    p384::ecdsa::Signature::from_der(signature)
                };
                signature.is_ok_and(|signature| key.verify_prehash(&hashed, &signature).is_ok())
            }
            Key::Rsa(key) => {
                let padding = match hash {
                    Hash::Sha1 => return false,
                    Hash::Sha256 => Pkcs1v15Sign::new::<sha2::Sha256>(),
                    Hash::Sha384 => Pkcs1v15Sign::new::<sha2::Sha384>(),
                    Hash::Sha512 => Pkcs1v15Sign::new::<sha2::Sha512>(),
                };
                key.verify(padding, &hashed, signature).is_ok()
            }
        }
    }
}
