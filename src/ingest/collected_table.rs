//! A table of a collection: whether it is as its manifest says, and what was found when it was made.

use std::ffi::OsStr;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::archive::blob::Blob;
#[cfg(feature = "parquet")]
use crate::archive::sniff::{Content, sniff};
use crate::archive::source::{COLLECTION_MARK, Source};
use crate::problem::{Level, Problem};

/// Maximum length, in bytes, of a manifest or a list of problems.
const MAX_BYTES: usize = 64 << 20;

/// What a manifest says of the tables of one archive, as far as it is needed here.
#[derive(Deserialize)]
struct Manifest {
    options: Options,
    files: Vec<Listed>,
}

#[derive(Deserialize)]
struct Options {
    digests: String,
}

#[derive(Deserialize)]
struct Listed {
    /// Folder and name below the folder of the collection.
    path: String,
    bytes: u64,
    blake3: String,
}

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
        let (tables, name) = (path.parent()?, path.file_name().and_then(OsStr::to_str)?);
        let folder = tables.parent().filter(|folder| folder.join(COLLECTION_MARK).is_file())?;
        let stem = name.strip_suffix(".jsonl").or_else(|| name.strip_suffix(".parquet"))?;
        // The second table of an archive is `NAME.2.parquet`.
        let whole =
            stem.rsplit_once('.').filter(|(_, part)| part.parse::<u32>().is_ok()).map(|(stem, _)| stem);
        let manifest = [Some(stem), whole].into_iter().flatten().find_map(|stem| {
            let text = read(&folder.join("manifest").join(format!("{stem}.json")))?;
            serde_json::from_slice(&text).ok()
        });
        let listed = format!("{}/{name}", tables.file_name().and_then(OsStr::to_str)?);
        Some(CollectedTable { folder: folder.to_owned(), name: name.to_owned(), listed, manifest })
    }

    /// Whether digests were recomputed from the stored bytes when the table was made.
    pub(super) fn is_verified(&self) -> bool {
        self.manifest.as_ref().is_some_and(|manifest| manifest.options.digests == "verify")
    }

    /// How the table differs from what its manifest lists: it was cut or altered since.
    pub(super) fn difference(&self, blob: &Blob) -> Option<Problem> {
        let files = &self.manifest.as_ref()?.files;
        let listed = files.iter().find(|file| file.path == self.listed)?;
        let message = match listed.bytes == blob.len() {
            false => format!(
                "the table has {} bytes, but the manifest of its collection lists {}; it was not used",
                blob.len(),
                listed.bytes
            ),
            true if hash(blob).as_ref() != Some(&listed.blake3) => {
                "the table differs from the one that the manifest of its collection lists; it was not used"
                    .to_owned()
            }
            true => return None,
        };
        let problem = Problem::new(Level::Error, "altered-table", message);
        Some(problem.with_remedy("run `acuity index` with the same --out again: it makes the table anew"))
    }

    /// The problems that were found when the table was made.
    pub(super) fn problems(&self) -> Vec<Problem> {
        let path = self.folder.join("problems").join(&self.name);
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

fn read(path: &Path) -> Option<Vec<u8>> {
    let blob = std::fs::File::open(path).and_then(Blob::file).ok()?;
    blob.bytes_at(0, MAX_BYTES).ok()
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
