//! A collection of tables on the disk, as `acuity index --out` makes it: its mark, its names, its manifests, and what was left out.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::source::base_name;
use crate::problem::{Level, Problem};

/// The file that marks a folder as a collection of tables.
pub(crate) const MARK: &str = "collection.json";
/// The folders of the tables of observations.
pub(crate) const TABLES: [&str; 2] = ["tables", "observations"];
/// The folder with a file for every archive that could not be read.
pub(crate) const LEFT_OUT: &str = "left-out";

/// Maximum length, in bytes, of a manifest or a list of problems.
const MAX_BYTES: u64 = 64 << 20;

/// Whether a folder is a collection: its mark is there, and its manifests, or the mark says so itself.
pub(crate) fn is_collection(folder: &Path) -> bool {
    let mark = folder.join(MARK);
    let says_so = || {
        let text = read(&mark).unwrap_or_default();
        memchr::memmem::find(&text, b"acuity.collection/").is_some()
    };
    mark.is_file() && (folder.join("manifest").is_dir() || says_so())
}

/// The name of an archive in a collection: readable, and unique by a hash of its path.
pub(crate) fn collection_name(path: &str) -> String {
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let base: String = base_name(path).chars().filter(is_plain).take(80).collect();
    let base = base.trim_start_matches('.');
    format!("{base}-{}", &blake3::hash(path.as_bytes()).to_hex()[..16])
}

/// What a manifest says of the tables of one archive, as far as it is needed to read them.
#[derive(Debug, Deserialize)]
pub(crate) struct Manifest {
    pub options: Options,
    pub files: Vec<Listed>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Options {
    pub digests: String,
}

/// A file that a manifest lists.
#[derive(Debug, Deserialize)]
pub(crate) struct Listed {
    /// Folder and name below the folder of the collection.
    pub path: String,
    pub bytes: u64,
    pub blake3: String,
}

impl Manifest {
    /// The manifest of the archive with this name in a collection; `None` where it is missing or not whole.
    pub(crate) fn of(folder: &Path, name: &OsStr) -> Option<Self> {
        let path = folder.join("manifest").join(with_end(name, ".json"));
        serde_json::from_slice(&read(&path).ok()?).ok()
    }
}

/// The name of the archive that a table belongs to: the second table of `NAME` is `NAME.2.parquet`.
pub(crate) fn archives_of(table: &OsStr) -> Option<Vec<&OsStr>> {
    let name = table.as_bytes();
    if name.starts_with(b".") {
        return None;
    }
    let stem = name.strip_suffix(b".jsonl").or_else(|| name.strip_suffix(b".parquet"))?;
    let dot = stem.iter().rposition(|byte| *byte == b'.');
    let first = dot.filter(|dot| *dot + 1 < stem.len() && stem[dot + 1..].iter().all(u8::is_ascii_digit));
    let names = [Some(stem), first.map(|dot| &stem[..dot])];
    Some(names.into_iter().flatten().map(OsStr::from_bytes).collect())
}

/// The tables of a collection in a fixed order: those that manifests list, those that have none, and the traces of what was
/// left out. Whether a table is as its manifest says, its reader checks.
///
/// # Errors
/// When a folder cannot be listed.
pub(crate) fn members(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut paths, mut with_tables) = (Vec::new(), HashSet::new());
    for part in TABLES {
        for table in names_in(&folder.join(part))? {
            let Some(names) = archives_of(&table) else { continue };
            with_tables.extend(names.into_iter().map(OsStr::to_owned));
            paths.push(Path::new(part).join(table));
        }
    }
    for name in names_in(&folder.join("manifest"))? {
        let Some(name) = name.as_bytes().strip_suffix(b".json").map(OsStr::from_bytes) else { continue };
        let listed = Manifest::of(folder, name).map_or_else(Vec::new, |manifest| manifest.files);
        let before = paths.len();
        paths.extend(listed.iter().filter_map(|listed| table_of(name, &listed.path)));
        // Where nothing is known of its tables, one of them has to be there.
        if paths.len() == before && !with_tables.contains(name) {
            paths.push(Path::new(TABLES[0]).join(with_end(name, ".jsonl")));
        }
    }
    paths.sort_by_cached_key(|path| {
        let table = path.file_name().unwrap_or_default();
        let archive = archives_of(table).and_then(|names| names.last().map(|name| (*name).to_owned()));
        // The second part of a table stands before the tenth.
        (archive, table.len(), path.clone())
    });
    paths.dedup();
    paths.extend(names_in(&folder.join(LEFT_OUT))?.into_iter().map(|name| Path::new(LEFT_OUT).join(name)));
    Ok(paths.into_iter().map(|path| folder.join(path)).collect())
}

/// Whether a table belongs to the archive of this name.
fn is_of(table: &OsStr, name: &OsStr) -> bool {
    archives_of(table).is_some_and(|names| names.contains(&name))
}

/// A listed file that is a table of the archive with this name. A manifest may be altered: nothing outside is read.
fn table_of(name: &OsStr, listed: &str) -> Option<PathBuf> {
    let (part, table) = listed.split_once('/')?;
    (TABLES.contains(&part) && !table.contains('/') && is_of(OsStr::new(table), name))
        .then(|| PathBuf::from(listed))
}

/// The names in a folder in a fixed order, without hidden ones; a folder that is not there has none.
pub(crate) fn names_in(folder: &Path) -> io::Result<Vec<OsString>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut names: Vec<OsString> = entries.map(|entry| Ok(entry?.file_name())).collect::<io::Result<_>>()?;
    names.retain(|name| !name.as_bytes().starts_with(b"."));
    names.sort();
    Ok(names)
}

fn with_end(name: &OsStr, end: &str) -> OsString {
    OsString::from_vec([name.as_bytes(), end.as_bytes()].concat())
}

/// Reads a file of the collection, at most `MAX_BYTES` of it; a longer one is cut without notice.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The trace of an archive that could not be read when its collection was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LeftOut {
    pub path: String,
    pub problems: Vec<Problem>,
}

impl LeftOut {
    /// The trace at a path; `None` if there is no trace there. One that is cut still says that something is missing.
    pub(crate) fn at(path: &Path) -> Option<Self> {
        let folder = path.parent().filter(|folder| folder.file_name() == Some(OsStr::new(LEFT_OUT)))?;
        folder.parent().filter(|collection| is_collection(collection))?;
        let trace = read(path).ok().and_then(|text| serde_json::from_slice(&text).ok());
        Some(trace.unwrap_or_else(|| {
            let message =
                "an archive could not be read when the collection was made, and what was noted of it is lost";
            let name = super::source::name_of(path);
            let problem = Problem::new(Level::Error, "unreadable-input", message).in_file(&name);
            let remedy = "run `acuity index` with the same --out and all archives again";
            LeftOut { path: name, problems: vec![problem.with_remedy(remedy)] }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_manifests_tables_without_one_and_traces_are_all_members() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put(MARK, r#"{"schema":"acuity.collection/2"}"#);
        assert!(is_collection(folder.path()));
        let manifest = |files: &[&str]| {
            let listed: Vec<String> =
                files.iter().map(|path| format!(r#"{{"path":"{path}","bytes":1,"blake3":"x"}}"#)).collect();
            format!(r#"{{"options":{{"digests":"verify"}},"files":[{}]}}"#, listed.join(","))
        };
        put("manifest/a.json", &manifest(&["observations/a.parquet", "observations/a.2.parquet"]));
        put("observations/a.parquet", "x");
        put("manifest/b.json", &manifest(&["tables/../../secret.jsonl", "tables/other.jsonl"]));
        put("manifest/cut.json", "{");
        put("tables/cut.jsonl", "x");
        put("tables/none.jsonl", "x");
        put("left-out/c.json", "");
        let found = members(folder.path()).unwrap();
        let found: Vec<&str> =
            found.iter().map(|path| path.strip_prefix(folder.path()).unwrap().to_str().unwrap()).collect();
        let expected = [
            "observations/a.parquet",
            "observations/a.2.parquet",
            "tables/b.jsonl",
            "tables/cut.jsonl",
            "tables/none.jsonl",
            "left-out/c.json",
        ];
        assert_eq!(found, expected);
        assert_eq!(LeftOut::at(&folder.path().join("left-out/c.json")).unwrap().problems.len(), 1);
        assert_eq!(LeftOut::at(&folder.path().join("tables/none.jsonl")), None);
    }
}
