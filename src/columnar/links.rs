//! Links as rows: from the key of a page to the key of what it points to.

use parquet::errors::Result;

use super::table::{Cell, CellKind, TableWriter};
use crate::capture::Observation;
use crate::url::Canon;
use crate::url::SiteBy;

/// The version of the columns.
const SCHEMA: &str = "acuity.links/1";

const COLUMNS: [(&str, CellKind); 9] = [
    ("src_key", CellKind::Text),
    ("src", CellKind::Text),
    ("dest_key", CellKind::Text),
    ("dest", CellKind::Text),
    ("dest_site", CellKind::Text),
    ("kind", CellKind::Text),
    ("fetch_time", CellKind::Time),
    ("warc_filename", CellKind::Text),
    ("ordinal", CellKind::Number),
];

/// The links of these observations as the bytes of a Parquet file; `None` where they have none.
pub(crate) fn table(observations: &[(Observation, u64)], site_by: &SiteBy) -> Result<Option<Vec<u8>>> {
    if observations.iter().all(|(observation, _)| observation.links.is_none()) {
        return Ok(None);
    }
    let columns = COLUMNS.map(|(name, kind)| (name.to_owned(), kind));
    let mut table = TableWriter::new(SCHEMA, &columns, &[0])?;
    let mut key = String::new();
    for (observation, ordinal) in observations {
        for (kind, dest) in observation.links.iter().flat_map(|links| links.iter()) {
            Canon::Default.key_into(dest, &mut key);
            let site = site_by.site_of(dest);
            table.push([
                Cell::text(Some(&*observation.key)),
                Cell::text(Some(&*observation.url)),
                Cell::text(Some(&*key)),
                Cell::text(Some(dest)),
                Cell::text(site.as_deref()),
                Cell::text(Some(kind.word())),
                observation.time.map_or(Cell::Null, |time| Cell::Number(time.0)),
                Cell::text(Some(&*observation.file)),
                Cell::number(Some(*ordinal)),
            ])?;
        }
    }
    table.finish().map(Some)
}
