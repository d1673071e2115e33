//! Signs a report with the key of the user: a detached signature that `openssl dgst` checks.
//!
//! P-256 and P-384 with SHA-256, in DER. The nonce follows from key and data (RFC 6979): same key, same report, same bytes.

use der::pem::LineEnding;
use p256::ecdsa::signature::hazmat::PrehashSigner;
use p256::pkcs8::{DecodePrivateKey, EncodePublicKey};

use crate::signatures::key::{Hash, Key};

/// A private key.
#[derive(Clone)]
pub(crate) enum SigningKey {
    P256(p256::ecdsa::SigningKey),
    P384(p384::ecdsa::SigningKey),
}

impl SigningKey {
    /// Reads a key in PEM, as PKCS#8 or SEC1.
    pub(crate) fn from_pem(pem: &str) -> Result<Self, String> {
        if pem.contains("ENCRYPTED") {
            return Err(
                "the key is encrypted: write it without a password, and keep that file safe".to_owned()
            );
        }
        if let Ok(key) =
            p256::SecretKey::from_pkcs8_pem(pem).or_else(|_| sec1(pem, p256::SecretKey::from_sec1_pem))
        {
            return Ok(SigningKey::P256(key.into()));
        }
        if let Ok(key) =
            p384::SecretKey::from_pkcs8_pem(pem).or_else(|_| sec1(pem, p384::SecretKey::from_sec1_pem))
        {
            return Ok(SigningKey::P384(key.into()));
        }
        Err("only keys on P-256 and P-384 are taken, in PEM: openssl ecparam -genkey -name prime256v1 -noout"
            .to_owned())
    }

    /// A signature over these bytes, in DER.
    pub(crate) fn sign(&self, bytes: &[u8]) -> Result<Vec<u8>, String> {
        let hash = Hash::Sha256.digest(bytes);
        let fault = |error: p256::ecdsa::Error| format!("the report cannot be signed: {error}");
        Ok(match self {
            SigningKey::P256(key) => {
                let signature: p256::ecdsa::Signature = key.sign_prehash(&hash).map_err(fault)?;
                signature.to_der().as_bytes().to_vec()
            }
            SigningKey::P384(key) => {
                let signature: p384::ecdsa::Signature = key.sign_prehash(&hash).map_err(fault)?;
                signature.to_der().as_bytes().to_vec()
            }
        })
    }

    /// The public key, in PEM.
    pub(crate) fn public_pem(&self) -> Result<String, String> {
        let pem = match self {
            SigningKey::P256(key) => key.verifying_key().to_public_key_pem(LineEnding::LF),
            SigningKey::P384(key) => key.verifying_key().to_public_key_pem(LineEnding::LF),
        };
        pem.map_err(|error| format!("the public key cannot be written: {error}"))
    }
}

/// Whether a signature over some bytes holds for a public key in PEM.
pub(crate) fn holds(bytes: &[u8], signature: &[u8], public: &[u8]) -> Result<bool, String> {
    let (_, spki) =
        der::pem::decode_vec(public).map_err(|error| format!("the public key cannot be read: {error}"))?;
    Ok(Key::from_spki(&spki)?.verifies(Hash::Sha256, bytes, signature))
}

/// Reads the SEC1 block of a file: openssl writes the parameters of the curve before it.
fn sec1<K, E>(pem: &str, read: impl Fn(&str) -> Result<K, E>) -> Result<K, String> {
    let start = pem.find("-----BEGIN EC PRIVATE KEY-----").ok_or("no key")?;
    read(&pem[start..]).map_err(|_| "no key".to_owned())
}
