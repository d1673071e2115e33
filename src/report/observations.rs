//! Observations as lines of CDXJ and CSV. (JSON lines: [`Observation::json_line`].)

use std::borrow::Cow;
use std::io::{self, Write};

use super::escape;
use crate::archive::cdx::CdxjLine;
use crate::archive::source::base_name;
use crate::capture::field::Value;
use crate::capture::{Kind, Observation};

/// Writes observations, one a line.
pub(crate) trait ObservationWriter {
    fn write(&mut self, observation: &Observation) -> io::Result<()>;
    /// Writes what is still held back.
    fn finish(&mut self) -> io::Result<()>;
}

/// CDXJ: key, 14-digit time and a JSON object with the fields that pywb and OutbackCDX read.
pub(crate) struct CdxjWriter<'a> {
    out: &'a mut dyn Write,
    whole_names: bool,
}

impl<'a> CdxjWriter<'a> {
    /// Writes to `out`; archives by their whole names, or by the last part, which replay finds in its folders.
    pub(crate) fn new(out: &'a mut dyn Write, whole_names: bool) -> Self {
        CdxjWriter { out, whole_names }
    }
}

impl ObservationWriter for CdxjWriter<'_> {
    fn write(&mut self, observation: &Observation) -> io::Result<()> {
        // A line without a time has no place in such an index.
        let Some(time) = observation.time else { return Ok(()) };
        let mime = if observation.kind == Kind::Revisit {
            Some("warc/revisit")
        } else {
            observation.mime.as_deref()
        };
        let line = CdxjLine {
            key: &observation.key,
            time,
            url: &observation.url,
            mime,
            status: observation.status.map(|status| status.to_string()),
            digest: observation.declared.or(observation.payload).map(|digest| Cow::Owned(digest.to_string())),
            length: observation.length.map(|length| length.to_string()),
            offset: observation.offset.map(|offset| offset.to_string()),
            filename: if self.whole_names { &observation.file } else { base_name(&observation.file) },
            method: observation.method.as_deref().filter(|method| *method != "GET"),
        };
        line.write(self.out)
    }

    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Comma-separated values, with the JSON's keys as its header.
pub(crate) struct CsvWriter<'a> {
    writer: csv::Writer<&'a mut dyn Write>,
}

impl<'a> CsvWriter<'a> {
    /// Writes to `out`, the header at once.
    pub(crate) fn new(out: &'a mut dyn Write) -> io::Result<Self> {
        let mut writer = csv::Writer::from_writer(out);
        writer.write_record(Observation::flat_columns().iter().map(|column| &column.name))?;
        Ok(CsvWriter { writer })
    }
}

impl ObservationWriter for CsvWriter<'_> {
    fn write(&mut self, observation: &Observation) -> io::Result<()> {
        let mut outcome = Ok(());
        observation.flat_values(&mut |value| {
            let cell = match value {
                Value::Null => Cow::Borrowed(""),
                Value::Text(text) => Cow::Owned(escape::csv(&text).into_owned()),
                Value::Number(number) => Cow::Owned(number.to_string()),
                Value::Time(time) => Cow::Owned(time.to_string()),
                Value::Flag(flag) => Cow::Borrowed(if flag { "true" } else { "false" }),
            };
            if outcome.is_ok() {
                outcome = self.writer.write_field(cell.as_bytes());
            }
        });
        outcome?;
        self.writer.write_record(None::<&[u8]>)?;
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}
