//! The timeline of a page as CSV: a row for every version.

use std::io::{self, Write};

use crate::at::timeline::Timeline;
use crate::report::escape;

/// Writes the table.
pub(crate) fn write(out: &mut dyn Write, line: &Timeline) -> io::Result<()> {
    let mut csv = ::csv::Writer::from_writer(out);
    csv.write_record([
        "url",
        "version",
        "captures",
        "first",
        "last",
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
        "importance",
        "added",
        "removed",
        "unknown",
    ])?;
    for version in &line.versions {
        let time = |at: Option<crate::time::Instant>| at.map(|at| at.to_string()).unwrap_or_default();
        let record = version.record.as_ref();
        let change = version.change.as_ref();
        let parts = |parts: Option<&Vec<String>>| parts.map(|parts| parts.join(" | ")).unwrap_or_default();
        let cells = [
            line.url.clone(),
            version.letter.to_string(),
            version.looks.to_string(),
            version.first.to_string(),
            version.last.to_string(),
            time(version.proven.map(|proven| proven.from)),
            time(version.proven.map(|proven| proven.to)),
            version.grade.map(|grade| grade.name().to_owned()).unwrap_or_default(),
            time(version.claimed.map(|claimed| claimed.from)),
            time(version.claimed.map(|claimed| claimed.to)),
            time(version.outer.after),
            time(version.outer.before),
            record.map(|record| record.file.clone()).unwrap_or_default(),
            record.and_then(|record| record.offset).map(|offset| offset.to_string()).unwrap_or_default(),
            record.and_then(|record| record.id.clone()).unwrap_or_default(),
            change
                .and_then(|change| change.importance)
                .map(|value| format!("{value:.4}"))
                .unwrap_or_default(),
            parts(change.map(|change| &change.added)),
            parts(change.map(|change| &change.removed)),
            change.and_then(|change| change.unknown.clone()).unwrap_or_default(),
        ];
        csv.write_record(cells.iter().map(|cell| escape::csv(cell).into_owned()))?;
    }
    csv.flush()
}
