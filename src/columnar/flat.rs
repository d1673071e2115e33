//! Any record as rows: a column for each field of its list, and for a list within it a column of JSON.

use std::borrow::Cow;
use std::io;

use parquet::errors::Result;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::rows::{self, is_structure};
use super::table::{Cell, CellKind, TableWriter};
use crate::archive::blob::Blob;
use crate::capture::field::{ColumnKind, Field, Value};

/// Writes records of one kind.
pub(crate) struct FlatWriter(TableWriter);

impl FlatWriter {
    /// A table of such records, sorted by the column at `sorted_by`. The file keeps a note under a name.
    pub(crate) fn new<T: Field>(schema: &str, sorted_by: i32, note: (&str, String)) -> Result<Self> {
        let mut columns = Vec::new();
        T::columns("", &mut columns);
        let kind = |kind: ColumnKind| match kind {
            ColumnKind::Text => CellKind::Text,
            ColumnKind::Number => CellKind::Number,
            ColumnKind::Time => CellKind::Time,
            ColumnKind::Flag => CellKind::Flag,
        };
        let columns: Vec<_> = columns.into_iter().map(|column| (column.name, kind(column.kind))).collect();
        TableWriter::with_note(schema, &columns, &[sorted_by], Some(note)).map(FlatWriter)
    }

    pub(crate) fn push<T: Field>(&mut self, record: &T) -> Result<()> {
        let mut row = Vec::with_capacity(T::WIDTH);
        record.values(&mut |value| {
            row.push(match value {
                Value::Null => Cell::Null,
                Value::Text(text) => Cell::Text(Cow::Owned(text.into_owned())),
                Value::Number(number) => Cell::number(Some(number)),
                Value::Time(time) => Cell::Number(time.0),
                Value::Flag(flag) => Cell::Flag(flag),
            });
        });
        self.0.push(row)
    }

    /// The bytes of the complete file.
    pub(crate) fn finish(self) -> Result<Vec<u8>> {
        self.0.finish()
    }
}

/// Reads every row of such a file as a record, or says why it is not one.
pub(crate) fn for_each<T: Field + DeserializeOwned>(
    blob: &Blob,
    what: &str,
    required: &[&str],
    give: &mut dyn FnMut(std::result::Result<T, String>),
) -> io::Result<()> {
    let schema = T::schema();
    rows::for_each(blob, what, required, &mut |mut row| {
        let mut wrong = None;
        for (name, value) in &mut row {
            let is_json = is_structure(&schema["properties"][name]);
            if let (true, Json::String(text)) = (is_json, &*value) {
                match serde_json::from_str(text) {
                    Ok(parsed) => *value = parsed,
                    Err(error) => wrong = Some(format!("{name}: {error}")),
                }
            }
        }
        let record = || serde_json::from_value(Json::Object(row)).map_err(|error| error.to_string());
        give(wrong.map_or_else(record, Err));
    })
}
