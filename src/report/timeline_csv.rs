//! The timeline of a page as CSV: a row for every version.

use std::io::{self, Write};

use crate::at::model::Witness;
use crate::at::timeline::Timeline;
use crate::report::escape;

/// Writes one row per version.
pub(crate) fn write(out: &mut dyn Write, line: &Timeline) -> io::Result<()> {
    let mut csv = ::csv::Writer::from_writer(out);
    csv.write_record([
        "url",
        "version",
        "captures",
        "first",
        "last",
        "status",
        "location",
        "proven_from",
        "proven_to",
        "grade",
        "claimed_from",
        "claimed_to",
        "after",
        "before",
        "file",
        "offset",
        "record_id",
        "record_sha256",
        "file_sha256",
        "http_date",
        "clock_difference",
        "writer",
        "ip",
        "request",
        "importance",
        "answer",
        "added",
        "removed",
        "limit",
        "unknown",
    ])?;
    for version in &line.versions {
        let time = |at: Option<crate::time::Instant>| at.map(|at| at.to_string()).unwrap_or_default();
        // The record of the first capture.
        let record = version.records.first().map(|(_, record)| record);
        let text = |of: fn(&Witness) -> Option<String>| record.and_then(of).unwrap_or_default();
        let change = version.change.as_ref();
        let parts = |parts: Option<&Vec<String>>| parts.map(|parts| parts.join(" | ")).unwrap_or_default();
        let cells = [
            line.url.clone(),
            version.name.clone(),
            version.looks.to_string(),
            version.first.to_string(),
            version.last.to_string(),
            version.status.map(|status| status.to_string()).unwrap_or_default(),
            version.location.clone().unwrap_or_default(),
            time(version.proven.map(|proven| proven.from)),
            time(version.proven.map(|proven| proven.to)),
            version.grade.map(|grade| grade.name().to_owned()).unwrap_or_default(),
            time(version.claimed.map(|claimed| claimed.from)),
            time(version.claimed.map(|claimed| claimed.to)),
            time(version.outer.after),
            time(version.outer.before),
            record.map(|record| record.file.clone()).unwrap_or_default(),
            text(|record| record.offset.map(|offset| offset.to_string())),
            text(|record| record.record_id.clone()),
            text(|record| record.record_sha256.clone()),
            text(|record| record.file_sha256.clone()),
            time(record.and_then(|record| record.http_date)),
            text(|record| record.clock_difference.map(|seconds| seconds.to_string())),
            text(|record| record.writer.clone()),
            text(|record| record.ip.clone()),
            text(|record| record.request.as_ref().map(|request| request.line.clone())),
            change
                .and_then(|change| change.importance)
                .map(|value| format!("{value:.4}"))
                .unwrap_or_default(),
            change.and_then(|change| change.answer.clone()).unwrap_or_default(),
            parts(change.map(|change| &change.added)),
            parts(change.map(|change| &change.removed)),
            change.and_then(|change| change.limit).unwrap_or_default().to_owned(),
            change.and_then(|change| change.unknown.clone()).unwrap_or_default(),
        ];
        csv.write_record(cells.iter().map(|cell| escape::csv(cell).into_owned()))?;
    }
    csv.flush()
}
