//! The answer computed again from the records of a bundle, and compared with the one that was given.

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;

use crate::archive::source::{Source, expand, name_of};
use crate::at::ask::{answer_beside, wanted};
use crate::at::custody::Copy;
use crate::at::model::{At, AtParameters};
use crate::at::verify::differences;
use crate::bundle::{archives, is_whole};
use crate::capture::Observation;
use crate::error::{Error, Result};
use crate::ingest::{Digests, Options, ProblemLog, Reading, read};

/// What only the whole archive can show: not compared.
const OF_THE_WHOLE: [&str; 4] = ["inputs", "problems", "left_out", "uncaptured"];

/// The answer that the records of a bundle give.
pub(crate) struct Computed {
    pub at: At,
    /// Its captures, in the order of its files.
    pub captures: Vec<Observation>,
}

fn sources(folder: &Path) -> Result<Vec<Source>> {
    let paths: Vec<std::path::PathBuf> =
        archives(folder)?.into_iter().map(|path| folder.join(path)).collect();
    expand(&paths)
}

fn reading(folder: &Path, parameters: &AtParameters, log: &mut ProblemLog) -> Result<Reading> {
    let digests = if parameters.digests == "declared" { Digests::Declared } else { Digests::Verify };
    let options = Options { digests, wanted: wanted(parameters), ..Options::default() };
    read(&sources(folder)?, &options, log, &|_| {})
}

/// Computes the answer to the same question from the records of a bundle.
///
/// # Errors
/// When it holds no records, or nothing can be computed from the parameters.
pub(crate) fn compute(folder: &Path, report: &At) -> Result<Computed> {
    let parameters = &report.parameters;
    let mut log = ProblemLog::new(None);
    let reading = reading(folder, parameters, &mut log)?;
    let mut captures = Vec::new();
    reading.observations.for_each(&mut |observation, _| {
        let mut observation = observation.clone();
        observation.file = relative(folder, &observation.file).into();
        if let Some(file) = observation.refers_to.as_mut().and_then(|original| original.file.as_mut()) {
            *file = relative(folder, file).into();
        }
        for contradiction in observation.contradicts.iter_mut() {
            contradiction.file = relative(folder, &contradiction.file).into();
        }
        captures.push(observation);
        Ok(())
    })?;
    let mut parameters = parameters.clone();
    // A bundle is not a list of what a site has.
    parameters.digests = if parameters.digests == "declared" { "declared" } else { "verify" }.to_owned();
    // Words about what could not be read come from the report: only the whole archive shows it.
    let at = answer_beside(reading, report.problems.clone(), Some(report.left_out), &parameters)?;
    Ok(Computed { at, captures })
}

/// The name of a file below a folder.
fn relative(folder: &Path, file: &str) -> String {
    let folder = name_of(folder);
    let rest = file.strip_prefix(&folder).map(|rest| rest.trim_start_matches('/'));
    rest.unwrap_or(file).to_owned()
}

/// Where an answer and the one computed from a bundle differ, places mapped by the list of copies.
///
/// # Errors
/// When one of them cannot be written as JSON.
pub(crate) fn compare(folder: &Path, said: &Value, computed: &At, copies: &[Copy]) -> Result<Vec<String>> {
    let mut said = said.clone();
    let mut computed = serde_json::to_value(computed).map_err(|error| Error::data(error.to_string()))?;
    for value in [&mut said, &mut computed] {
        if let Some(fields) = value.as_object_mut() {
            OF_THE_WHOLE.iter().for_each(|name| drop(fields.remove(*name)));
        }
    }
    if let (Some(fields), Some(version)) = (computed.as_object_mut(), said.get("tool_version")) {
        fields.insert("tool_version".to_owned(), version.clone());
    }
    let mut places = Places::default();
    for copy in copies {
        match copy.from_offset {
            _ if is_whole(&copy.to_file) => drop(places.files.insert(&copy.from_file, copy)),
            Some(offset) => places.records.entry((&copy.from_file, offset)).or_default().push(copy),
            None => {}
        }
    }
    align(&mut said, &mut computed, folder, &places);
    Ok(differences(&said, &computed))
}

/// Copies by their places in the sources.
#[derive(Default)]
struct Places<'a> {
    records: HashMap<(&'a str, u64), Vec<&'a Copy>>,
    /// Files that were copied whole.
    files: HashMap<&'a str, &'a Copy>,
}

/// Removes places that are the same record, from both sides.
fn align(said: &mut Value, computed: &mut Value, folder: &Path, places: &Places<'_>) {
    match (said, computed) {
        (Value::Array(said), Value::Array(computed)) => {
            said.iter_mut().zip(computed).for_each(|(one, other)| align(one, other, folder, places));
        }
        (Value::Object(said), Value::Object(computed)) => {
            for (file, offset, more) in [
                ("file", "offset", &["length", "file_blake3", "file_sha256"][..]),
                ("other_file", "other_offset", &[]),
            ] {
                let Some(copy) = same(said, computed, file, offset, folder, places) else { continue };
                let requests = (said.get("request").cloned(), computed.get("request").cloned());
                if let (Some(Value::Object(mut one)), Some(Value::Object(mut other))) = requests {
                    one.insert("file".to_owned(), copy.from_file.clone().into());
                    other.insert("file".to_owned(), computed.get(file).cloned().unwrap_or_default());
                    let is_same =
                        !copy.as_stored || same(&one, &other, "file", "offset", folder, places).is_some();
                    for (request, fields) in [(&mut one, &mut *said), (&mut other, &mut *computed)] {
                        request.remove("file");
                        if is_same {
                            request.remove("offset");
                            request.remove("length");
                        }
                        fields.insert("request".to_owned(), Value::Object(request.clone()));
                    }
                }
                for fields in [&mut *said, &mut *computed] {
                    fields.remove(file);
                    fields.remove(offset);
                    more.iter().for_each(|name| drop(fields.remove(*name)));
                    if !copy.as_stored {
                        fields.remove("record_sha256");
                    }
                }
            }
            for (name, value) in said.iter_mut() {
                if let Some(other) = computed.get_mut(name) {
                    align(value, other, folder, places);
                }
            }
        }
        _ => {}
    }
}

type Fields = serde_json::Map<String, Value>;

/// The copy that both sides name, if they name the same record.
fn same<'a>(
    said: &Fields,
    computed: &Fields,
    file: &str,
    offset: &str,
    folder: &Path,
    places: &Places<'a>,
) -> Option<&'a Copy> {
    let place =
        |fields: &Fields| Some((fields.get(file)?.as_str()?.to_owned(), fields.get(offset)?.as_u64()?));
    let (from_file, from_offset) = place(said)?;
    let (to_file, to_offset) = place(computed)?;
    let to_file = relative(folder, &to_file);
    // In a whole file, every record lies where it lay.
    if let Some(copy) = places.files.get(from_file.as_str()) {
        return (copy.to_file == to_file && to_offset == from_offset).then_some(copy);
    }
    let mut copies = places.records.get(&(from_file.as_str(), from_offset))?.iter();
    copies.find(|copy| copy.to_file == to_file && copy.to_offset == to_offset).copied()
}
