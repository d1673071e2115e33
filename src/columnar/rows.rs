//! Reads Parquet files back: rows as JSON objects, and rows as observations.
//!
//! A row becomes the JSON object of its observation, so that there is one way from text to an observation
//! (`Observation`'s own). Columns that are not fields are skipped: other engines may add some.

use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::{ChunkReader, FileReader, Length};
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::record::Field as Cell;
use serde_json::{Map, Value as Json};

use super::observations::{ALGORITHM, NAMES};
use crate::archive::blob::{Blob, BlobReader};
use crate::capture::Observation;
use crate::digest::BodyDigest;
use crate::time::Instant;

/// Longest part of a file that is read at once: a page, or the description of the file.
const MAX_PART_BYTES: usize = 1 << 30;

struct Chunks(Blob);

impl Length for Chunks {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl ChunkReader for Chunks {
    type T = BlobReader;

    fn get_read(&self, start: u64) -> Result<BlobReader> {
        Ok(self.0.reader(start))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        if length > MAX_PART_BYTES {
            return Err(ParquetError::General(format!("a part of {length} bytes is too long")));
        }
        let bytes = self.0.bytes_at(start, length)?;
        if bytes.len() < length {
            return Err(ParquetError::EOF("the file ends early".to_owned()));
        }
        Ok(bytes.into())
    }
}

/// What a file notes of itself under a name; `None` also where it cannot be read.
pub(crate) fn note(blob: &Blob, name: &str) -> Option<String> {
    catch_unwind(AssertUnwindSafe(|| {
        let reader = SerializedFileReader::new(Chunks(blob.clone())).ok()?;
        let notes = reader.metadata().file_metadata().key_value_metadata()?;
        notes.iter().find(|note| note.key == name)?.value.clone()
    }))
    .ok()
    .flatten()
}

/// Gives every row of a table of `what` as a JSON object under the names of its columns.
pub(crate) fn for_each(
    blob: &Blob,
    what: &str,
    required: &[&str],
    give: &mut dyn FnMut(Map<String, Json>),
) -> io::Result<()> {
    // The crate checks most of what it reads, but not all of it: a damaged file must not end the run.
    let read = catch_unwind(AssertUnwindSafe(|| -> Result<()> {
        let reader = SerializedFileReader::new(Chunks(blob.clone()))?;
        let columns = reader.metadata().file_metadata().schema_descr().columns();
        if let Some(missing) =
            required.iter().find(|name| columns.iter().all(|column| column.name() != **name))
        {
            return Err(ParquetError::General(format!(
                "this is not a table of {what}: it has no column {missing}"
            )));
        }
        for row in reader.get_row_iter(None)? {
            let row = row?;
            give(row.get_column_iter().map(|(name, cell)| (name.clone(), json(cell))).collect());
        }
        Ok(())
    }));
    match read {
        // Only zstd is built in.
        Ok(Err(ParquetError::General(error))) if error.contains("Disabled feature") => {
            let message =
                "the table is compressed in a way that this program does not read; write it with zstd";
            Err(io::Error::new(io::ErrorKind::InvalidData, message))
        }
        Ok(read) => read.map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error)),
        Err(_) => Err(io::Error::new(io::ErrorKind::InvalidData, "the Parquet file is damaged")),
    }
}

/// Gives every row, with its number, as an observation.
pub(crate) fn observations(
    blob: &Blob,
    give: &mut dyn FnMut(u64, std::result::Result<Observation, String>),
) -> io::Result<()> {
    let places = Places::new();
    let mut number = 0;
    let required = ["url", "url_surtkey", "kind", "warc_filename"];
    for_each(blob, "observations", &required, &mut |row| {
        give(number, places.observation(row));
        number += 1;
    })
}

/// Where a column belongs in the JSON of an observation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Field(&'static str),
    /// A field whose text is JSON.
    Json(&'static str),
    /// A field of a record within the observation; the rest of the column's name is its name.
    Within(&'static str),
}

struct Places(BTreeMap<String, Place>);

impl Places {
    fn new() -> Self {
        let schema = crate::capture::observation::observation_schema();
        let place = |name: &str| {
            if let Some(field) = Observation::FIELDS.iter().find(|field| **field == name) {
                let wordy = is_structure(&schema["properties"][*field]);
                return Some(if wordy { Place::Json(field) } else { Place::Field(field) });
            }
            let is_prefix =
                |field: &&&str| name.strip_prefix(**field).is_some_and(|rest| rest.starts_with('_'));
            Observation::FIELDS.iter().find(is_prefix).map(|field| Place::Within(field))
        };
        let column = |name: &str| {
            let known = NAMES.iter().find(|(field, _)| *field == name);
            known.map_or_else(|| name.to_owned(), |(_, column)| (*column).to_owned())
        };
        let columns = Observation::flat_columns();
        Places(columns.iter().filter_map(|c| Some((column(&c.name), place(&c.name)?))).collect())
    }

    fn observation(&self, row: Map<String, Json>) -> std::result::Result<Observation, String> {
        let algorithm = row.get(ALGORITHM).and_then(Json::as_str).map(str::to_owned);
        let mut object: Map<String, Json> =
            Observation::FIELDS.iter().map(|field| ((*field).to_owned(), Json::Null)).collect();
        for (name, value) in row {
            let Some(place) = self.0.get(&name).copied() else { continue };
            if value.is_null() {
                continue;
            }
            match (place, &algorithm) {
                (Place::Field(field @ "declared"), Some(algorithm)) => {
                    let digest = value.as_str().unwrap_or_default();
                    object.insert(field.to_owned(), format!("{algorithm}:{digest}").into());
                }
                (Place::Field(field), _) => drop(object.insert(field.to_owned(), value)),
                (Place::Json(field), _) => {
                    let text = value.as_str().unwrap_or_default();
                    let parsed = serde_json::from_str(text).map_err(|error| format!("{name}: {error}"))?;
                    object.insert(field.to_owned(), parsed);
                }
                (Place::Within(field), _) => {
                    let inner = name.strip_prefix(field).and_then(|rest| rest.strip_prefix('_'));
                    let record = object.entry(field).or_insert(Json::Null);
                    if record.is_null() {
                        *record = Json::Object(Map::new());
                    }
                    record[inner.unwrap_or_default()] = value;
                }
            }
        }
        // A revisit that declares nothing about its original still is one.
        if object["refers_to"].is_null() && !object["profile"].is_null() {
            object.insert("refers_to".to_owned(), Json::Object(Map::new()));
        }
        serde_json::from_value(Json::Object(object)).map_err(|error| error.to_string())
    }
}

/// Whether a field is a list or an object by its schema.
pub(crate) fn is_structure(schema: &Json) -> bool {
    let is_one = |kind: &Json| matches!(kind.as_str(), Some("array" | "object"));
    match &schema["type"] {
        Json::Array(kinds) => kinds.iter().any(is_one),
        Json::Null => schema["oneOf"].as_array().is_some_and(|schemas| schemas.iter().any(is_structure)),
        kind => is_one(kind),
    }
}

fn json(cell: &Cell) -> Json {
    match cell {
        Cell::TimestampMicros(micros) => Instant(*micros).to_string().into(),
        Cell::TimestampMillis(millis) => Instant(millis.saturating_mul(1000)).to_string().into(),
        Cell::Bytes(bytes) => match bytes.data().try_into() {
            Ok(hash) => BodyDigest(hash).to_string().into(),
            Err(_) => String::from_utf8_lossy(bytes.data()).into_owned().into(),
        },
        Cell::Null => Json::Null,
        Cell::Bool(flag) => (*flag).into(),
        Cell::Short(number) => (*number).into(),
        Cell::Int(number) => (*number).into(),
        Cell::Long(number) => (*number).into(),
        Cell::UShort(number) => (*number).into(),
        Cell::UInt(number) => (*number).into(),
        Cell::ULong(number) => (*number).into(),
        Cell::Str(text) => text.clone().into(),
        // No column of ours has another type.
        _ => Json::Null,
    }
}
