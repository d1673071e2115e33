//! Observations as lines: CDXJ and CSV. (JSON lines are in [`super::json_line`].)

use std::io::{self, Write};

use serde::Serialize;

use super::escape;
use crate::archive::source::base_name;
use crate::capture::{Kind, Observation};

/// Writes observations, one a line.
pub(crate) trait ObservationWriter {
    /// Writes one.
    fn write(&mut self, observation: &Observation) -> io::Result<()>;
    /// Writes what is still held back.
    fn finish(&mut self) -> io::Result<()>;
}

/// CDXJ: key, 14-digit time and a JSON object with the fields that pywb and OutbackCDX read.
pub(crate) struct CdxjWriter<'a> {
    out: &'a mut dyn Write,
}

impl<'a> CdxjWriter<'a> {
    /// Writes to `out`.
    pub(crate) fn new(out: &'a mut dyn Write) -> Self {
        CdxjWriter { out }
    }
}

#[derive(Serialize)]
struct CdxjFields<'a> {
    url: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mime: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<String>,
    filename: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
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
        let fields = CdxjFields {
            url: &observation.url,
            mime,
            status: observation.status.map(|status| status.to_string()),
            digest: observation.declared.or(observation.payload).map(|digest| digest.to_string()),
            length: observation.length.map(|length| length.to_string()),
            offset: observation.offset.map(|offset| offset.to_string()),
            filename: base_name(&observation.file),
            method: observation.method.as_deref().filter(|method| *method != "GET"),
        };
        // A key with a space in it would shift the fields.
        let key = observation.key.replace([' ', '\n', '\r', '\t'], "%20");
        write!(self.out, "{key} {} ", time.digits14())?;
        serde_json::to_writer(&mut *self.out, &fields)?;
        self.out.write_all(b"\n")
    }

    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Comma-separated values, with the JSON's keys as its header.
pub(crate) struct CsvWriter<'a> {
    writer: csv::Writer<&'a mut dyn Write>,
}

const COLUMNS: [&str; 31] = [
    "url",
    "method",
    "key",
    "time",
    "time_end",
    "status",
    "mime",
    "kind",
    "profile",
    "writer",
    "declared",
    "payload",
    "digest_ok",
    "body",
    "last_modified",
    "etag",
    "http_date",
    "length",
    "truncated",
    "file",
    "offset",
    "record_id",
    "refers_to_url",
    "refers_to_time",
    "refers_to_record_id",
    "refers_to_resolved_by",
    "body_length",
    "location",
    "crawl",
    "text",
    "refers_to_file",
];

impl<'a> CsvWriter<'a> {
    /// Writes to `out`, the header at once.
    pub(crate) fn new(out: &'a mut dyn Write) -> io::Result<Self> {
        let mut writer = csv::Writer::from_writer(out);
        writer.write_record(COLUMNS)?;
        Ok(CsvWriter { writer })
    }
}

fn cell(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

fn text_cell(text: Option<&str>) -> String {
    text.map(|text| escape::csv(text).into_owned()).unwrap_or_default()
}

impl ObservationWriter for CsvWriter<'_> {
    fn write(&mut self, observation: &Observation) -> io::Result<()> {
        let refers = observation.refers_to.as_ref();
        let kind = match observation.kind {
            Kind::Response => "response",
            Kind::Resource => "resource",
            Kind::Revisit => "revisit",
            Kind::Index => "index",
        };
        let resolved_by = refers.and_then(|refers| refers.resolved_by);
        let resolved_by =
            resolved_by.and_then(|by| Some(serde_json::to_value(by).ok()?.as_str()?.to_owned()));
        self.writer.write_record([
            text_cell(Some(&observation.url)),
            text_cell(observation.method.as_deref()),
            text_cell(Some(&observation.key)),
            cell(observation.time),
            cell(observation.time_end),
            cell(observation.status),
            text_cell(observation.mime.as_deref()),
            kind.to_owned(),
            text_cell(observation.profile.as_deref()),
            text_cell(observation.writer.as_deref()),
            cell(observation.declared),
            cell(observation.payload),
            cell(observation.digest_ok),
            cell(observation.body),
            cell(observation.last_modified),
            text_cell(observation.etag.as_deref()),
            cell(observation.http_date),
            cell(observation.length),
            text_cell(observation.truncated.as_deref()),
            text_cell(Some(&observation.file)),
            cell(observation.offset),
            text_cell(observation.record_id.as_deref()),
            text_cell(refers.and_then(|refers| refers.url.as_deref())),
            cell(refers.and_then(|refers| refers.time)),
            text_cell(refers.and_then(|refers| refers.record_id.as_deref())),
            cell(resolved_by),
            cell(observation.body_length),
            text_cell(observation.location.as_deref()),
            text_cell(observation.crawl.as_deref()),
            cell(observation.text),
            text_cell(refers.and_then(|refers| refers.file.as_deref())),
        ])?;
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}
