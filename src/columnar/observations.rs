//! Observations as rows: the fields of the one list, under the names that Common Crawl's index table has for them.
//!
//! A field that is not in [`NAMES`] keeps its own name, so a new field of an observation becomes a new column automatically.
//! Some columns are derived, for engines that group and join: the key of a redirect's
//! target, host, registered domain, site, bucket, ordinal.

use std::borrow::Cow;

use parquet::errors::Result;

use super::provenance::Provenance;
use super::table::{Cell, CellKind, NamedKind, TableWriter};
use crate::capture::Observation;
use crate::capture::field::{ColumnKind, Value};
use crate::capture::redirect::redirect_key;
use crate::digest::{BodyDigest, Digest};
use crate::url::{SiteBy, host, registered_domain};

/// The version of the columns.
pub(crate) const SCHEMA: &str = "acuity.observations/1";

/// The column of a field, where its name differs (cc-index-table).
pub(crate) const NAMES: [(&str, &str); 13] = [
    ("key", "url_surtkey"),
    ("time", "fetch_time"),
    ("time_end", "fetch_time_end"),
    ("status", "fetch_status"),
    ("location", "fetch_redirect"),
    ("declared", "content_digest"),
    ("mime", "content_mime_type"),
    ("charset", "content_charset"),
    ("truncated", "content_truncated"),
    ("file", "warc_filename"),
    ("offset", "warc_record_offset"),
    ("length", "warc_record_length"),
    ("record_id", "warc_record_id"),
];

/// Fields whose text is a hash of 32 bytes.
pub(crate) const HASHES: [&str; 2] = ["body", "text"];

/// The algorithm of `content_digest`, which has no prefix there.
pub(crate) const ALGORITHM: &str = "content_digest_algorithm";

/// Into how many buckets sites are divided.
const BUCKETS: u32 = 1024;

/// Where a cell comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Field(usize),
    Digest(usize),
    Algorithm(usize),
    Hash(usize),
    RedirectKey,
    Host,
    Domain,
    Site,
    Bucket,
    Ordinal,
}

/// The columns of the table, and where each one comes from.
pub(crate) struct Layout {
    columns: Vec<NamedKind>,
    origins: Vec<Origin>,
    site_by: SiteBy,
}

impl Layout {
    /// The layout of all fields.
    pub(crate) fn new(site_by: SiteBy) -> Self {
        let mut layout = Layout { columns: Vec::new(), origins: Vec::new(), site_by };
        for (place, column) in Observation::flat_columns().iter().enumerate() {
            let name =
                NAMES.iter().find(|(field, _)| *field == column.name).map_or(&*column.name, |(_, name)| name);
            let (kind, origin) = match (&*column.name, column.kind) {
                ("declared", _) => (CellKind::Text, Origin::Digest(place)),
                (field, _) if HASHES.contains(&field) => (CellKind::Hash, Origin::Hash(place)),
                ("status", _) => (CellKind::Short, Origin::Field(place)),
                (_, ColumnKind::Text) => (CellKind::Text, Origin::Field(place)),
                (_, ColumnKind::Number) => (CellKind::Number, Origin::Field(place)),
                (_, ColumnKind::Time) => (CellKind::Time, Origin::Field(place)),
                (_, ColumnKind::Flag) => (CellKind::Flag, Origin::Field(place)),
            };
            layout.add(name, kind, origin);
            if column.name == "declared" {
                layout.add(ALGORITHM, CellKind::Text, Origin::Algorithm(place));
            }
        }
        layout.add("redirect_surtkey", CellKind::Text, Origin::RedirectKey);
        layout.add("url_host_name", CellKind::Text, Origin::Host);
        layout.add("url_host_registered_domain", CellKind::Text, Origin::Domain);
        layout.add("site", CellKind::Text, Origin::Site);
        layout.add("bucket", CellKind::Int, Origin::Bucket);
        layout.add("ordinal", CellKind::Number, Origin::Ordinal);
        layout
    }

    fn add(&mut self, name: &str, kind: CellKind, origin: Origin) {
        self.columns.push((name.to_owned(), kind));
        self.origins.push(origin);
    }

    fn place(&self, name: &str) -> i32 {
        self.columns.iter().position(|(column, _)| column == name).unwrap_or_default() as i32
    }

    /// The table of these observations, each with its number in the file, as the bytes of a Parquet file, which notes how it was made.
    pub(crate) fn table(&self, observations: &[(Observation, u64)], made: &Provenance) -> Result<Vec<u8>> {
        let sorted_by = [self.place("url_surtkey"), self.place("fetch_time")];
        let mut table = TableWriter::with_note(SCHEMA, &self.columns, &sorted_by, Some(made.note()))?;
        for (observation, ordinal) in observations {
            self.push(observation, *ordinal, &mut table)?;
        }
        table.finish()
    }

    fn push(&self, observation: &Observation, ordinal: u64, table: &mut TableWriter) -> Result<()> {
        let mut values = Vec::with_capacity(self.columns.len());
        observation.flat_values(&mut |value| values.push(value));
        let site = self.site_by.site_of(&observation.url);
        let host_name = host(&observation.url).map(str::to_ascii_lowercase);
        let cell = |origin: &Origin| match origin {
            Origin::Field(place) => values.get(*place).map_or(Cell::Null, plain),
            Origin::Digest(place) => digest(values.get(*place))
                .map_or(Cell::Null, |(_, digest)| Cell::Text(Cow::Owned(digest.to_owned()))),
            Origin::Algorithm(place) => digest(values.get(*place))
                .map_or(Cell::Null, |(algorithm, _)| Cell::Text(Cow::Owned(algorithm.to_owned()))),
            Origin::Hash(place) => values.get(*place).map_or(Cell::Null, hash),
            Origin::RedirectKey => Cell::text(redirect_key(observation)),
            Origin::Host => Cell::text(host_name.as_deref()),
            Origin::Domain => Cell::text(host_name.as_deref().and_then(registered_domain)),
            Origin::Site => Cell::text(site.as_deref()),
            Origin::Bucket => {
                site.as_deref().map_or(Cell::Null, |site| Cell::Number(i64::from(bucket(site))))
            }
            Origin::Ordinal => Cell::number(Some(ordinal)),
        };
        let row: Vec<Cell<'_>> = self.origins.iter().map(cell).collect();
        table.push(row)
    }
}

/// The bucket of a site: the same on every machine and in every version.
pub(crate) fn bucket(site: &str) -> u32 {
    let hash = blake3::hash(site.as_bytes());
    hash.as_bytes().first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes)) % BUCKETS
}

fn plain<'a>(value: &'a Value<'_>) -> Cell<'a> {
    match value {
        Value::Null => Cell::Null,
        Value::Text(text) => Cell::Text(Cow::Borrowed(text)),
        Value::Number(number) => Cell::number(Some(*number)),
        Value::Time(time) => Cell::Number(time.0),
        Value::Flag(flag) => Cell::Flag(*flag),
    }
}

/// Algorithm and text of a declared digest.
fn digest<'a>(value: Option<&'a Value<'_>>) -> Option<(&'a str, &'a str)> {
    match value {
        Some(Value::Text(text)) if text.parse::<Digest>().is_ok() => text.split_once(':'),
        _ => None,
    }
}

fn hash(value: &Value<'_>) -> Cell<'static> {
    match value {
        Value::Text(text) => text.parse::<BodyDigest>().map_or(Cell::Null, |digest| Cell::Hash(digest.0)),
        _ => Cell::Null,
    }
}
