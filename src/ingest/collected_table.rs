//! A table of a collection: whether it is as its manifest says, and what was found when it was made.

use std::ffi::OsStr;
use std::io::Read;
use std::path::PathBuf;

use crate::archive::blob::Blob;
use crate::archive::collection::{Listed, Manifest, TABLES, archives_of, is_collection, read};
#[cfg(feature = "parquet")]
use crate::archive::sniff::{Content, sniff};
use crate::archive::source::Source;
use crate::problem::{Level, Problem};

/// A table that lies in the folder of a collection.
pub(super) struct CollectedTable {
    folder: PathBuf,
    /// The name of the file.
    name: String,
    /// Its folder and name below the folder of the collection, as a manifest lists it.
    listed: String,
    manifest: Option<Manifest>,
}

impl CollectedTable {
    /// `None`: the input is not in a collection.
    pub(super) fn of(source: &Source) -> Option<Self> {
        let path = source.path();
        let (tables, table) = (path.parent()?, path.file_name()?);
        let part = tables.file_name().and_then(OsStr::to_str).filter(|part| TABLES.contains(part))?;
        let archives = archives_of(table)?;
        let folder = tables.parent().filter(|folder| is_collection(folder))?;
        let name = table.to_string_lossy().into_owned();
        let listed = format!("{part}/{name}");
        let found = archives.into_iter().find_map(|archive| Manifest::of(folder, archive));
        Some(CollectedTable { folder: folder.to_owned(), name, listed, manifest: found })
    }

    /// Whether digests were recomputed from the stored bytes when the table was made.
    pub(super) fn is_verified(&self) -> bool {
        self.manifest.as_ref().is_some_and(|manifest| manifest.options.digests == "verify")
    }

    /// How the table differs from what its manifest lists: it was cut or altered since, or the manifest was.
    pub(super) fn difference(&self, blob: &Blob) -> Option<Problem> {
        let Some(manifest) = &self.manifest else {
            return Some(altered(
                "the manifest of the table is missing or not whole; the table was not used",
            ));
        };
        match manifest.files.iter().find(|file| file.path == self.listed) {
            Some(listed) => Some(altered(&format!("the table {}; it was not used", differs(listed, blob)?))),
            None => Some(altered("the manifest does not list the table; it was not used")),
        }
    }

    /// The problems that were found when the table was made.
    pub(super) fn problems(&self) -> Vec<Problem> {
        let files = self.manifest.iter().flat_map(|manifest| &manifest.files);
        // An archive with several tables has one list of problems, which counts once.
        let is_own = |file: &&Listed| file.path.strip_prefix("problems/") == Some(self.name.as_str());
        let Some(listed) = files.into_iter().find(is_own) else { return Vec::new() };
        let path = self.folder.join(&listed.path);
        let difference = match std::fs::File::open(&path).and_then(Blob::file) {
            Ok(blob) => differs(listed, &blob),
            Err(_) => Some("cannot be read".to_owned()),
        };
        if let Some(difference) = difference {
            let message = format!("the list of problems {}, {difference}; it was not used", listed.path);
            return vec![altered(&message)];
        }
        #[cfg(feature = "parquet")]
        if let Ok(blob) = std::fs::File::open(&path).and_then(Blob::file)
            && matches!(sniff(&blob), Ok((_, Content::Parquet)))
        {
            return crate::columnar::problems::read(&blob);
        }
        let bytes = read(&path).unwrap_or_default();
        bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
    }
}

fn altered(message: &str) -> Problem {
    let problem = Problem::new(Level::Error, "altered-table", message);
    problem.with_remedy("run `acuity index` with the same --out again: it makes the table again")
}

/// How a file differs from the one that was listed.
fn differs(listed: &Listed, blob: &Blob) -> Option<String> {
    match listed.bytes == blob.len() {
        false => Some(format!(
            "has {} bytes, but the manifest of its collection lists {}",
            blob.len(),
            listed.bytes
        )),
        true if hash(blob).as_ref() != Some(&listed.blake3) => {
            Some("differs from the one that the manifest of its collection lists".to_owned())
        }
        true => None,
    }
}

/// BLAKE3 of a whole file; `None` if it cannot be read to its end.
fn hash(blob: &Blob) -> Option<String> {
    let mut hasher = blake3::Hasher::new();
    let mut reader = blob.reader(0);
    let mut buffer = vec![0; 1 << 16];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Some(hasher.finalize().to_hex().to_string()),
            Ok(read) => hasher.update(&buffer[..read]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return None,
        };
    }
}

#[cfg(all(test, feature = "parquet"))]
mod tests {
    use std::ffi::OsString;

    use crate::archive::source::expand;
    use crate::capture::testing::look;
    use crate::columnar::observations::Layout;
    use crate::columnar::provenance::Provenance;
    use crate::ingest::{Options, ProblemLog, read};
    use crate::problem::{Level, Problem};
    use crate::url::SiteBy;

    #[test]
    fn tables_that_one_archive_was_divided_into_tell_its_problems_once() {
        let folder = tempfile::tempdir().unwrap();
        let problem = |file: &str, offset| {
            let problem = Problem::new(Level::Warning, "payload-digest", "x").in_file(file);
            Problem { offset, ..problem }
        };
        let of_archive = [problem("a.warc", Some(1)), problem("a.warc", Some(1)), problem("a.warc", None)];
        let names: Vec<OsString> = (0..3)
            .map(|part| {
                // The last one is of another archive.
                let problems = if part < 2 { of_archive.to_vec() } else { vec![problem("b.warc", Some(1))] };
                let rows = [(look(&format!("http://a.example/{part}"), "2024-01-01").build(), part)];
                let table =
                    Layout::new(SiteBy::Host).table(&rows, &Provenance::new("verify", &problems)).unwrap();
                let path = folder.path().join(format!("{part}.parquet"));
                std::fs::write(&path, table).unwrap();
                path.into_os_string()
            })
            .collect();
        for threads in [1, 2] {
            let mut log = ProblemLog::new(None);
            let options = Options { threads, ..Options::default() };
            read(&expand(&names).unwrap(), &options, &mut log, &|_| {}).unwrap();
            let told: Vec<(&str, Option<u64>)> =
                log.kept().iter().map(|found| (&*found.file, found.offset)).collect();
            assert_eq!(
                told,
                [("a.warc", Some(1)), ("a.warc", Some(1)), ("a.warc", None), ("b.warc", Some(1))]
            );
        }
    }
}
