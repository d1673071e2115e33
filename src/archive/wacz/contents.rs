//! Whether a package holds what its manifest lists: every file hashed and listed, none besides, none twice.

use std::collections::HashMap;
use std::{fmt, io};

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};

use super::Wacz;
use super::hashes::digest_of;
use crate::archive::zip::Surplus;
use crate::digest::{Algorithm, Digest, Hasher};
use crate::format::count;

/// The two files that a manifest cannot list.
const UNLISTED: [&str; 2] = ["datapackage.json", "datapackage-digest.json"];

/// What was compared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contents {
    /// Files with the hash and length that the manifest declares.
    pub agree: u64,
    /// What does not agree, one sentence each.
    pub faults: Vec<String>,
    /// Files that agree, but only with a hash for which another content can be made.
    pub weak: Vec<String>,
}

/// The hashes of the manifest: of its bytes, as `datapackage-digest.json` says, and as was signed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Manifest {
    /// SHA-256 of `datapackage.json`; `None` where there is none.
    pub found: Option<Digest>,
    pub declared: Option<Digest>,
    /// The whole of `datapackage-digest.json`; `None` where there is none.
    pub digest_file: Option<serde_json::Value>,
    /// What is odd about `datapackage-digest.json`, one sentence each.
    pub notes: Vec<String>,
}

impl Wacz {
    /// Compares every file of the package with its manifest.
    ///
    /// # Errors
    /// When the package cannot be read.
    pub fn contents(&self) -> io::Result<Contents> {
        let mut contents = Contents::default();
        let Some(package) = &self.package else {
            contents.faults.push("the package has no datapackage.json that could be read".to_owned());
            return Ok(contents);
        };
        let mut entries: HashMap<&str, u64> = HashMap::new();
        for entry in self.directory.entries.iter().filter(|entry| !entry.name.ends_with('/')) {
            *entries.entry(entry.name.as_str()).or_default() += 1;
        }
        let mut listed: HashMap<&str, u64> = HashMap::new();
        for resource in &package.resources {
            let path = resource.path.as_str();
            *listed.entry(path).or_default() += 1;
            let Some(entry) = self.directory.find(path) else {
                contents.faults.push(format!("{path} is listed, and not there"));
                continue;
            };
            let (blob, problem) = entry.open(&self.blob)?;
            let fault = match (resource.hash, resource.bytes) {
                _ if problem.is_some() || entry.fault.is_some() => {
                    Some(format!("{path} cannot be read in full"))
                }
                (None, _) => Some(format!("{path} is listed without a hash")),
                (Some(declared), _) if digest_of(&blob, declared.algorithm())? != declared => {
                    Some(format!("{path} differs: its hash is not the one that is listed"))
                }
                (_, Some(bytes)) if bytes != blob.len() => {
                    Some(format!("{path} differs: its length is not the one that is listed"))
                }
                _ => None,
            };
            match fault {
                Some(fault) => contents.faults.push(fault),
                None => {
                    contents.agree += 1;
                    let algorithm = resource.hash.map(|hash| hash.algorithm());
                    if matches!(algorithm, Some(Algorithm::Md5 | Algorithm::Sha1)) {
                        contents.weak.push(path.to_owned());
                    }
                }
            }
        }
        for entry in &self.directory.entries {
            let name = entry.name.as_str();
            let Some(count) = entries.remove(name) else { continue };
            if count > 1 {
                contents.faults.push(format!("{name} is there {count} times"));
            }
            if !listed.contains_key(name) && !UNLISTED.contains(&name) {
                contents.faults.push(format!("{name} is not listed, so no hash covers it"));
            }
        }
        contents.faults.extend(
            listed.iter().filter(|(_, count)| **count > 1).map(|(name, _)| format!("{name} is listed twice")),
        );
        contents.faults.sort();
        Ok(contents)
    }

    /// The hashes of the manifest.
    ///
    /// # Errors
    /// When the package cannot be read.
    pub fn manifest(&mut self) -> io::Result<Manifest> {
        let json = self.read_small("datapackage-digest.json")?;
        let notes = json.as_deref().map(digest_notes).unwrap_or_default();
        let digest_file: Option<serde_json::Value> =
            json.map(|json| serde_json::from_slice(&json).unwrap_or_default());
        let declared = digest_file.as_ref().and_then(|value| Digest::parse(value.get("hash")?.as_str()?));
        let found = self.package.is_some().then(|| {
            let mut hasher = Hasher::new(declared.map_or(Algorithm::Sha256, |declared| declared.algorithm()));
            hasher.update(&self.package_bytes);
            hasher.finish()
        });
        Ok(Manifest { found, declared, digest_file, notes })
    }

    /// What lies around the entries of the package, which no hash covers, one sentence each.
    pub fn around(&self) -> Vec<String> {
        let Surplus { before, behind, comment } = self.directory.surplus;
        let bytes = |bytes: u64| count(bytes, "byte");
        let found = [
            (before, format!("{} before the zip file are not part of the package", bytes(before))),
            (behind, format!("{} after the zip file are not part of the package", bytes(behind))),
            (comment, format!("the zip file has a comment of {}, which no hash covers", bytes(comment))),
        ];
        found.into_iter().filter(|(bytes, _)| *bytes > 0).map(|(_, words)| words).collect()
    }
}

/// What is odd about `datapackage-digest.json`: a field that is there twice, or another path.
fn digest_notes(json: &[u8]) -> Vec<String> {
    let Ok(Fields(fields)) = serde_json::from_slice::<Fields>(json) else { return Vec::new() };
    let mut notes = Vec::new();
    for name in ["hash", "path"] {
        let values = || fields.iter().filter(|(field, _)| field == name).map(|(_, value)| value);
        if values().count() > 1 {
            notes.push(format!(
                "datapackage-digest.json states its {name} several times; the last one counts"
            ));
        }
    }
    for (_, value) in fields.iter().filter(|(name, value)| name == "path" && value != "datapackage.json") {
        notes.push(format!("datapackage-digest.json is about {value}, not about datapackage.json"));
    }
    notes
}

/// The fields of a JSON object, all of them: of two with one name a map keeps one.
struct Fields(Vec<(String, serde_json::Value)>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Fields;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}
