//! WACZ: a zip package of WARCs with their indexes, list of pages, and hashes.
//!
//! The WARCs are read in place. The hashes that `datapackage.json` declares are compared with the bytes; a difference is
//! reported as a difference, because writers are known to record wrong hashes (js-wacz issue 127), and signatures are not
//! evaluated. A package that dedups against others names them in `relation.requires`.
//!
//! Source: Webrecorder, *Web Archive Collection Zipped (WACZ)* 1.1.1; *Use Cases for Decentralized Web Archives* (multi-WACZ).

mod contents;
mod hashes;
mod multi;
mod package;
mod pages;

use std::collections::HashSet;
use std::io::{self, Read};

use super::blob::Blob;
use super::sniff::{Content, sniff};
use super::zip::{Directory, Entry};
use crate::problem::{Level, Problem};

pub(crate) use multi::multi_wacz;
pub(crate) use package::{DataPackage, Resource};
pub(crate) use pages::ListedPage;

/// Maximum size of a JSON file in a package: parsed, hostile JSON takes about thirty times its length in memory.
const MAX_JSON_BYTES: u64 = 4 << 20;

/// Entries of a zip file that are looked into; with more, names decide.
const MAX_RECOGNISED: usize = 10_000;

/// An opened package.
#[derive(Debug)]
pub struct Wacz {
    blob: Blob,
    directory: Directory,
    package: Option<DataPackage>,
    /// The bytes of `datapackage.json`, which `datapackage-digest.json` hashes.
    package_bytes: Vec<u8>,
    /// In a zip file without the folder of WARCs: the places of entries that are archives or packages, whatever their names.
    recognised: HashSet<u64>,
}

impl Wacz {
    /// Opens a package and reads its description.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn open(blob: Blob) -> io::Result<Self> {
        let directory = Directory::read(&blob)?;
        let recognised = HashSet::new();
        let mut wacz = Wacz { blob, directory, package: None, package_bytes: Vec::new(), recognised };
        if wacz.directory.entries.is_empty() {
            wacz.report(Level::Error, "zip-damaged", "the package has no entry that could be found");
            return Ok(wacz);
        }
        match wacz.read_small("datapackage.json")? {
            Some(bytes) => {
                wacz.package = DataPackage::parse(&bytes);
                wacz.package_bytes = bytes;
                if wacz.package.is_none() {
                    wacz.report(
                        Level::Warning,
                        "wacz-package-damaged",
                        "datapackage.json is not a JSON object",
                    );
                }
            }
            None => wacz.report(
                Level::Note,
                "wacz-package-missing",
                "the package has no datapackage.json, so no hashes",
            ),
        }
        if !wacz.has_layout() {
            let entries = wacz.directory.entries.iter().take(MAX_RECOGNISED);
            let is_archive = |entry: &&Entry| {
                let content = sniff(&wacz.start(entry)).map(|(_, content)| content);
                match content {
                    Ok(Content::Records) => true,
                    Ok(Content::Zip) => may_be_package(entry),
                    _ => false,
                }
            };
            wacz.recognised = entries.filter(is_archive).map(|entry| entry.header_offset).collect();
        }
        Ok(wacz)
    }

    /// The entries, in the order of the zip directory.
    pub fn entries(&self) -> &[Entry] {
        &self.directory.entries
    }

    /// The entries that can be WARCs: those below `archive/`, and in a zip file without that folder those that are archives or packages,
    /// or named like some. Their content decides.
    pub fn archives(&self) -> impl Iterator<Item = &Entry> {
        let has_layout = self.has_layout();
        let is_meant = move |entry: &&Entry| match has_layout {
            true => is_archive(entry),
            false => is_named_archive(entry) || self.recognised.contains(&entry.header_offset),
        };
        self.directory.entries.iter().filter(is_meant).filter(|entry| entry.fault.is_none())
    }

    /// The entries that can be indexes: those below `indexes/`. Their content decides.
    pub fn indexes(&self) -> impl Iterator<Item = &Entry> {
        let is_index = |entry: &&Entry| entry.name.starts_with("indexes/") && entry.stored_length > 0;
        self.directory.entries.iter().filter(is_index).filter(|entry| entry.fault.is_none())
    }

    /// Whether the zip file has the folder that WACZ asks for.
    pub fn has_layout(&self) -> bool {
        self.directory.entries.iter().any(is_archive)
    }

    /// The bytes that an entry begins with, to recognise it by.
    pub(crate) fn start(&self, entry: &Entry) -> Blob {
        entry.start(&self.blob)
    }

    /// The bytes of an entry: in place if it is stored, else inflated.
    ///
    /// # Errors
    /// If the package cannot be read or a temporary file cannot be written.
    pub fn read(&self, entry: &Entry) -> io::Result<(Blob, Option<Problem>)> {
        entry.open(&self.blob)
    }

    /// The description, `datapackage.json`.
    pub fn package(&self) -> Option<&DataPackage> {
        self.package.as_ref()
    }

    /// What was found when opening; the caller adds the file.
    pub fn problems(&self) -> &[Problem] {
        &self.directory.problems
    }

    fn report(&mut self, level: Level, kind: &str, message: &str) {
        self.directory.problems.push(Problem::new(level, kind, message));
    }

    /// A whole small entry; `None` if it is missing, unreadable or longer than [`MAX_JSON_BYTES`].
    fn read_small(&mut self, name: &str) -> io::Result<Option<Vec<u8>>> {
        let Some(entry) = self.directory.find(name).cloned() else { return Ok(None) };
        let (blob, problem) = entry.open(&self.blob)?;
        self.directory.problems.extend(problem);
        if blob.len() > MAX_JSON_BYTES {
            self.report(
                Level::Warning,
                "wacz-package-damaged",
                &format!("{name} is longer than {MAX_JSON_BYTES} bytes and was not read"),
            );
            return Ok(None);
        }
        let mut bytes = Vec::new();
        blob.reader(0).read_to_end(&mut bytes)?;
        Ok(Some(bytes))
    }
}

/// Whether the entry is a file in the folder of WARCs.
fn is_archive(entry: &Entry) -> bool {
    entry.name.starts_with("archive/") && !entry.name.ends_with('/') && entry.stored_length > 0
}

/// Whether the entry's name ends like that of an archive or of a package.
fn is_named_archive(entry: &Entry) -> bool {
    const ENDS: [&str; 9] =
        [".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz", ".wacz", ".warc.bz2", ".warc.lz4", ".warc.xz"];
    let name = entry.name.to_ascii_lowercase();
    entry.stored_length > 0 && ENDS.iter().any(|end| name.ends_with(end)) && !name.starts_with("__macosx/")
}

/// Whether a zip file in a zip file can be a package, and not a document that is stored as a zip file.
fn may_be_package(entry: &Entry) -> bool {
    let name = entry.name.rsplit('/').next().unwrap_or_default();
    match name.rsplit_once('.') {
        Some((_, end)) => ["zip", "wacz"].iter().any(|known| end.eq_ignore_ascii_case(known)),
        None => true,
    }
}

#[cfg(test)]
mod tests;
