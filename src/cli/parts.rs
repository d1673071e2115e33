//! Audits of parts of a collection, read and put together.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::audit::MAX_LISTED;
use super::report_file::{contents, read_audit};
use crate::archive::collection::LeftOut;
use crate::archive::source::expand;
use crate::audit::Audit;
use crate::audit::merge::Merge;
use crate::audit::model::Input;
use crate::error::{Error, Result};
use crate::ingest::glance;

/// Puts the audits in `files` together. `collection` is what they are the parts of; `problems` holds what was found when the
/// archives were read, as lines of JSON.
pub(super) fn merge(
    files: &[PathBuf],
    collection: Option<&str>,
    problems: Option<&Path>,
    memory: usize,
) -> Result<Audit> {
    let mut merge = Merge::default();
    for file in files {
        let at = |error: Error| error.at_file(file);
        merge.add(read_audit(file, memory)?, MAX_LISTED).map_err(at)?;
    }
    if let Some(path) = problems {
        let text = contents(path, memory)?;
        let mut found = Vec::new();
        for (number, line) in
            text.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty())
        {
            found.push(serde_json::from_slice(line).map_err(|error| {
                Error::usage(format!("line {} is not a problem: {error}", number + 1)).at_file(path)
            })?);
        }
        merge.add_problems(found);
    }
    let typed: Vec<String> = collection.map(str::to_owned).into_iter().collect();
    merge.finish(&typed, collection.map(inputs).transpose()?.unwrap_or_default())
}

/// The files of a collection, where its name is that of a folder or a file.
fn inputs(collection: &str) -> Result<Vec<Input>> {
    if !Path::new(collection).exists() {
        return Ok(Vec::new());
    }
    let input = |source: crate::archive::source::Source| {
        let (format, digests_verified) = glance(&source)?;
        Some(Input {
            bytes: source.path().metadata().ok().map(|file| file.len()),
            format: Some(format),
            path: source.name.clone(),
            digests_verified,
            ..Input::default()
        })
    };
    let sources = expand(&[OsString::from(collection)])?.into_iter();
    // The trace of an archive that was left out holds no captures.
    Ok(sources.filter(|source| LeftOut::at(&source.path()).is_none()).filter_map(input).collect())
}
