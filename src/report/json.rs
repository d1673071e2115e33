//! The audit as JSON, and back: what `acuity report` renders again.

use std::io::{self, Write};

use serde::Deserialize;

use crate::audit::model::{Audit, SCHEMA};
use crate::error::{Error, Result};

/// Writes the audit.
pub fn write(out: &mut dyn Write, audit: &Audit) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, audit)?;
    out.write_all(b"\n")
}

/// Reads an audit that [`write()`] wrote; other schemas are told by their name.
pub fn read(text: &[u8]) -> Result<Audit> {
    #[derive(Deserialize)]
    struct Named {
        schema: String,
    }
    let remedy = "give it the file that `acuity audit --json=FILE` wrote";
    let named: Named = serde_json::from_slice(text)
        .map_err(|error| Error::data(format!("this is no report of Acuity: {error}")).with_remedy(remedy))?;
    if named.schema != SCHEMA {
        let message = format!("the report has the schema {:?}; this version reads {SCHEMA:?}", named.schema);
        return Err(Error::data(message).with_remedy(remedy));
    }
    serde_json::from_slice(text).map_err(|error| Error::data(format!("the report is damaged: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_schemas_are_told_by_their_name() {
        let error = read(br#"{"schema": "acuity.audit/9", "x": 1}"#).unwrap_err();
        assert!(error.to_string().contains("acuity.audit/9"), "{error}");
        for wrong in ["", "[]", "{}", "no json"] {
            assert!(read(wrong.as_bytes()).unwrap_err().to_string().contains("no report"), "{wrong}");
        }
        assert!(read(br#"{"schema": "acuity.audit/1"}"#).unwrap_err().to_string().contains("damaged"));
    }
}
