//! The bundle: the records that an answer rests on, copied byte for byte, with the report, checksums, and a page that says how
//! a third party verifies it. A folder, or a WACZ package that replay programs open.
//!
//! ```text
//! archive/data.warc.gz, plain.warc (whole-1.warc …)    indexes/index.cdx    pages/pages.jsonl
//! evidence/  answer.json .txt .html .tsq (.sig .pub)  custody.json  captures.csv
//!            certificate.txt  certificate-neutral.txt  VERIFY.txt  SHA256SUMS
//! datapackage.json   datapackage-digest.json
//! ```
//!
//! A damaged file whose records do not show the same when they stand alone is copied whole.
//!
//! Everything but the records, `answer.json`, `custody.json` and a signature follows from those: it is made again when a
//! bundle is checked, and compared byte for byte.

use std::path::Path;
use std::{fs, io};

use crate::archive::sniff::Compression;

pub(crate) mod check;
pub(crate) mod collect;
pub(crate) mod files;
pub(crate) mod recompute;
pub(crate) mod words;

/// Records that are gzip members of their own.
pub(crate) const GZIP: &str = "archive/data.warc.gz";
/// Records that were stored otherwise: head and block without compression.
pub(crate) const PLAIN: &str = "archive/plain.warc";
pub(crate) const ANSWER: &str = "evidence/answer.json";
pub(crate) const CUSTODY: &str = "evidence/custody.json";
pub(crate) const SIGNATURE: &str = "evidence/answer.sig";
pub(crate) const PUBLIC_KEY: &str = "evidence/answer.pub";
pub(crate) const SUMS: &str = "evidence/SHA256SUMS";
pub(crate) const MANIFEST: &str = "datapackage.json";
pub(crate) const MANIFEST_DIGEST: &str = "datapackage-digest.json";

/// How the names of files begin that were copied whole; a number and what they are follow.
const WHOLE: &str = "archive/whole-";
/// The ends of their names.
const WHOLE_ENDS: [&str; 3] = [".warc", ".warc.gz", ".warc.zst"];

/// The name of the n-th file that was copied whole.
pub(crate) fn whole(number: usize, compression: Compression) -> String {
    let end = match compression {
        Compression::None => WHOLE_ENDS[0],
        Compression::Gzip => WHOLE_ENDS[1],
        Compression::Zstd => WHOLE_ENDS[2],
    };
    format!("{WHOLE}{number}{end}")
}

/// Whether a file was copied whole, by its name in the bundle.
pub(crate) fn is_whole(path: &str) -> bool {
    let rest = path.strip_prefix(WHOLE).unwrap_or_default();
    let number = rest.trim_end_matches(|letter: char| !letter.is_ascii_digit());
    let end = &rest[number.len()..];
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) && WHOLE_ENDS.contains(&end)
}

/// Whether a path in a bundle is that of an archive.
pub(crate) fn is_archive(path: &str) -> bool {
    path == GZIP || path == PLAIN || is_whole(path)
}

/// The archives of a bundle: those of records first, then whole files, in the order of their numbers.
pub(crate) fn archives(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    match fs::read_dir(folder.join("archive")) {
        Ok(entries) => {
            for entry in entries {
                names.push(format!("archive/{}", entry?.file_name().to_string_lossy()));
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    names.retain(|name| is_archive(name) && folder.join(name).is_file());
    names.sort_by_key(|name| (is_whole(name), name.len(), name.clone()));
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_a_bundle_gives_are_archives() {
        for number in [1, 12] {
            for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
                assert!(is_archive(&whole(number, compression)));
            }
        }
        for other in [
            "archive/whole-.warc",
            "archive/whole-1",
            "archive/whole-1.exe",
            "archive/whole-1/../../x.warc",
            "archive/whole-1a.warc",
            "archive/whole--1.warc",
            "../archive/data.warc.gz",
            "archive/other.warc",
            "",
        ] {
            assert!(!is_archive(other), "{other}");
        }
    }
}
