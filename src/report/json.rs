//! The audit as JSON, and back: what `acuity report` renders again.

use std::io::{self, Write};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::pretty;
use crate::at::model::{AT_SCHEMA, At};
use crate::audit::model::{Audit, SCHEMA};
use crate::error::{Error, Result};

/// Writes the audit as one JSON document.
pub fn write(out: &mut dyn Write, audit: &Audit) -> io::Result<()> {
    pretty::write(&mut *out, audit)?;
    out.write_all(b"\n")
}

/// The schema that a report names.
pub fn schema(text: &[u8]) -> Result<String> {
    named(serde_json::from_slice(text))
}

/// The same of a file that is not held in memory.
pub(crate) fn schema_from(file: impl io::Read) -> Result<String> {
    named(serde_json::from_reader(file))
}

#[derive(Deserialize)]
struct Named {
    schema: String,
}

fn named(read: serde_json::Result<Named>) -> Result<String> {
    let fault = |error| Error::data(format!("this is not a report of Acuity: {error}")).with_remedy(REMEDY);
    read.map(|named| named.schema).map_err(fault)
}

const REMEDY: &str = "give it the file that `acuity audit --json=FILE` or `acuity at --json=FILE` wrote";

/// Reads an audit that [`write()`] wrote; the error names any other schema.
pub fn read(text: &[u8]) -> Result<Audit> {
    read_as(text, SCHEMA)
}

/// Reads an answer about a date.
pub fn read_at(text: &[u8]) -> Result<At> {
    read_as(text, AT_SCHEMA)
}

fn read_as<T: DeserializeOwned>(text: &[u8], expected: &str) -> Result<T> {
    let schema = schema(text)?;
    if schema != expected {
        return Err(other_schema(&schema, expected));
    }
    whole(serde_json::from_slice(text))
}

/// A report with another schema than the one that is wanted.
pub(crate) fn other_schema(found: &str, expected: &str) -> Error {
    let message = format!("the report has the schema {found:?}; this version reads {expected:?}");
    Error::data(message).with_remedy(REMEDY)
}

/// Reads an audit from a file that is not held in memory.
pub(crate) fn read_from(file: impl io::Read) -> Result<Audit> {
    let audit: Audit = whole(serde_json::from_reader(file))?;
    if audit.schema == SCHEMA { Ok(audit) } else { Err(other_schema(&audit.schema, SCHEMA)) }
}

/// The same for an answer about a date.
pub(crate) fn read_at_from(file: impl io::Read) -> Result<At> {
    whole(serde_json::from_reader(file))
}

fn whole<T>(read: serde_json::Result<T>) -> Result<T> {
    read.map_err(|error| Error::data(format!("the report is damaged: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_schemas_are_told_by_their_name() {
        let error = read(br#"{"schema": "acuity.audit/9", "x": 1}"#).unwrap_err();
        assert!(error.to_string().contains("acuity.audit/9"), "{error}");
        for wrong in ["", "[]", "{}", "no json"] {
            assert!(read(wrong.as_bytes()).unwrap_err().to_string().contains("not a report"), "{wrong}");
        }
        assert!(read(br#"{"schema": "acuity.audit/1"}"#).unwrap_err().to_string().contains("damaged"));
    }
}
