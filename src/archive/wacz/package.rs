//! `datapackage.json`: what a package, or a collection of packages, says about itself.

use serde_json::Value;

use crate::digest::{Algorithm, Digest};
use crate::time::Instant;

/// The description of a package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DataPackage {
    /// `data-package`, or `multi-wacz-package` for a collection.
    pub profile: Option<String>,
    pub title: Option<String>,
    pub created: Option<Instant>,
    /// The software that made it.
    pub software: Option<String>,
    /// The version of the format.
    pub version: Option<String>,
    pub resources: Vec<Resource>,
    /// The packages that hold the originals of its revisits.
    pub requires: Vec<Required>,
}

/// One file of a package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resource {
    /// Its name in the zip file; for a collection, the path of the package.
    pub path: String,
    /// The declared hash.
    pub hash: Option<Digest>,
    /// The declared length.
    pub bytes: Option<u64>,
    /// The crawl it comes from.
    pub crawl: Option<String>,
}

/// A package that another one needs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Required {
    pub file: String,
    pub hash: Option<Digest>,
    pub bytes: Option<u64>,
    /// The crawl it comes from.
    pub crawl: Option<String>,
}

fn text(value: &Value, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| value.get(name)?.as_str()).map(str::to_owned)
}

fn number(value: &Value, names: &[&str]) -> Option<u64> {
    names.iter().find_map(|name| {
        let value = value.get(name)?;
        value.as_u64().or_else(|| value.as_str()?.parse().ok())
    })
}

/// `sha256:…`, or a bare value beside the name of its algorithm (version 1.0.0).
fn hash(value: &Value, algorithm: Option<&str>) -> Option<Digest> {
    let text = text(value, &["hash"])?;
    match algorithm.and_then(Algorithm::from_name) {
        Some(algorithm) if !text.contains(':') => Digest::parse(&format!("{}:{text}", algorithm.name())),
        _ => Digest::parse(&text),
    }
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

impl DataPackage {
    /// Reads a description; `None` if it is not a JSON object.
    pub fn parse(json: &[u8]) -> Option<Self> {
        let json = json.strip_prefix(b"\xef\xbb\xbf").unwrap_or(json);
        let value: Value = serde_json::from_slice(json).ok()?;
        value.as_object()?;
        let crawl = |value: &Value| text(value, &["crawlId", "crawl_id"]);
        let resources = list(&value, "resources").iter().filter_map(|resource| {
            // Version 1.0.0 had hash and length in `stats`.
            let stats = resource.get("stats").unwrap_or(resource);
            Some(Resource {
                path: text(resource, &["path"])?,
                hash: hash(stats, resource.get("hashing").and_then(Value::as_str)),
                bytes: number(stats, &["bytes", "size"]),
                crawl: crawl(resource),
            })
        });
        let relation = value.get("relation").unwrap_or(&Value::Null);
        let requires = list(relation, "requires").iter().filter_map(|required| {
            Some(Required {
                file: text(required, &["filename", "name", "path"])?,
                hash: hash(required, None),
                bytes: number(required, &["size", "bytes"]),
                crawl: crawl(required),
            })
        });
        let metadata = value.get("metadata").unwrap_or(&Value::Null);
        Some(DataPackage {
            profile: text(&value, &["profile"]),
            title: text(&value, &["title"]).or_else(|| text(metadata, &["title"])),
            created: text(&value, &["created"]).and_then(|created| Instant::parse(&created)),
            software: text(&value, &["software"]),
            version: text(&value, &["wacz_version"]),
            resources: resources.collect(),
            requires: requires.collect(),
        })
    }
}
