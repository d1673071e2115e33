//! The hashes that a package declares, compared with its bytes.

use std::io::{self, BufRead};

use super::{DataPackage, Resource, Wacz, is_archive};
use crate::archive::blob::Blob;
use crate::digest::{Algorithm, Digest, Hasher};
use crate::problem::{Level, Problem};

pub(super) fn digest_of(blob: &Blob, algorithm: Algorithm) -> io::Result<Digest> {
    let mut hasher = Hasher::new(algorithm);
    let mut reader = blob.reader(0);
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() {
            return Ok(hasher.finish());
        }
        let length = bytes.len();
        hasher.update(bytes);
        reader.consume(length);
    }
}

impl Wacz {
    /// Compares every declared hash and length with the bytes. It reads the whole package.
    ///
    /// # Errors
    /// When the package cannot be read.
    pub fn check_hashes(&mut self) -> io::Result<Vec<Problem>> {
        let mut problems = Vec::new();
        if let Some(package) = &self.package {
            for resource in &package.resources {
                problems.extend(self.check_resource(package, resource)?);
            }
            for entry in self.directory.entries.iter().filter(|entry| is_archive(entry)) {
                if !package.resources.iter().any(|resource| resource.path == entry.name) {
                    let message =
                        format!("datapackage.json does not list {:?}, so no hash covers it", entry.name);
                    problems.push(
                        Problem::new(Level::Note, "wacz-resource-unlisted", message).at(entry.header_offset),
                    );
                }
            }
        }
        if let Some(bytes) = self.read_small("datapackage-digest.json")? {
            problems.extend(self.check_package_digest(&bytes));
        }
        Ok(problems)
    }

    fn check_resource(&self, package: &DataPackage, resource: &Resource) -> io::Result<Option<Problem>> {
        let path = &resource.path;
        let Some(entry) = self.directory.find(path) else {
            let message = format!("datapackage.json lists {path:?}, which the package does not hold");
            return Ok(Some(Problem::new(Level::Warning, "wacz-resource-missing", message)));
        };
        let (blob, damage) = entry.open(&self.blob)?;
        if damage.is_some() {
            // Faults are among the problems of the package, and damage in an archive is found when that is read.
            return Ok(damage.filter(|_| entry.fault.is_none() && !is_archive(entry)));
        }
        if let Some(declared) = resource.hash {
            let found = digest_of(&blob, declared.algorithm())?;
            if found != declared {
                let message = format!(
                    "the hash of {path:?} differs: datapackage.json declares {declared}, the bytes give {found}"
                );
                let problem =
                    Problem::new(Level::Warning, "wacz-hash-differs", message).at(entry.header_offset);
                return Ok(Some(problem.with_remedy(remedy(package, path))));
            }
        }
        Ok(resource.bytes.filter(|bytes| *bytes != blob.len()).map(|bytes| {
            let message = format!("the length of {path:?} differs: {bytes} declared, {} found", blob.len());
            Problem::new(Level::Warning, "wacz-length-differs", message).at(entry.header_offset)
        }))
    }

    /// `datapackage-digest.json` holds the hash of `datapackage.json`, and a signature of it, which is not evaluated.
    fn check_package_digest(&self, json: &[u8]) -> Option<Problem> {
        let value: serde_json::Value = serde_json::from_slice(json).unwrap_or_default();
        let Some(declared) = value.get("hash").and_then(|hash| Digest::parse(hash.as_str()?)) else {
            let message = "datapackage-digest.json holds no hash that could be read";
            return Some(Problem::new(Level::Warning, "wacz-package-damaged", message));
        };
        let mut hasher = Hasher::new(declared.algorithm());
        hasher.update(&self.package_bytes);
        let found = hasher.finish();
        (found != declared).then(|| {
            let message = format!(
                "the hash of \"datapackage.json\" differs: datapackage-digest.json declares {declared}, the bytes give {found}"
            );
            Problem::new(Level::Warning, "wacz-hash-differs", message)
                .with_remedy("compare the package with another copy of it")
        })
    }
}

/// js-wacz, and Scoop with it, records the hash of something else for its one WARC.
fn remedy(package: &DataPackage, path: &str) -> &'static str {
    let software = package.software.as_deref().unwrap_or_default().to_ascii_lowercase();
    let is_known_writer = software.contains("js-wacz") || software.contains("scoop");
    if is_known_writer || (path == "archive/data.warc.gz" && !software.contains("py-wacz")) {
        "a known defect of js-wacz and Scoop (js-wacz issue 127) records a wrong hash for the WARC; compare with another copy"
    } else {
        "compare the package with another copy of it"
    }
}
