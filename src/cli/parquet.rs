//! The tables of one archive as Parquet files: parts of bounded size, each sorted by key and time.

use std::fs;
use std::io;
use std::path::Path;

use super::name_as::Names;
use super::output;
use crate::capture::Observation;
use crate::columnar::links;
use crate::columnar::observations::Layout;
use crate::columnar::provenance::Provenance;
use crate::ingest::spool::Spool;
use crate::url::SiteBy;

/// Captures of one file, and the bytes they may take: what is sorted and compressed at once.
const MAX_ROWS: usize = 500_000;
const MAX_BYTES: usize = 256 << 20;

/// Writes the tables below `folder`, with a note of how they were made; gives their paths there.
pub(super) fn write(
    folder: &Path,
    name: &str,
    observations: &Spool,
    names: &Names,
    made: Provenance,
) -> anyhow::Result<Vec<String>> {
    let mut parts = Parts {
        folder,
        name,
        layout: Layout::new(SiteBy::Host),
        made,
        rows: Vec::new(),
        bytes: 0,
        part: 0,
        paths: Vec::new(),
    };
    let mut ordinal = 0;
    let mut failed = None;
    observations
        .for_each(&mut |observation, _| {
            let pushed = parts.push(&names.apply(observation), ordinal);
            ordinal += 1;
            pushed.map_err(|error| {
                failed = Some(error);
                io::Error::other("a table could not be written")
            })
        })
        .map_err(|error| failed.take().unwrap_or_else(|| error.into()))?;
    parts.finish()
}

struct Parts<'a> {
    folder: &'a Path,
    name: &'a str,
    layout: Layout,
    /// What the next table says of how it was made; only the first one says what was found.
    made: Provenance,
    /// Captures with their number in the archive.
    rows: Vec<(Observation, u64)>,
    bytes: usize,
    part: usize,
    paths: Vec<String>,
}

impl Parts<'_> {
    fn push(&mut self, observation: &Observation, ordinal: u64) -> anyhow::Result<()> {
        let links = observation.links.as_ref().map_or(0, |links| links.bytes() + links.len() * 16);
        self.bytes += size_of::<Observation>() + 2 * observation.url.len() + links + 256;
        self.rows.push((observation.clone(), ordinal));
        if self.rows.len() >= MAX_ROWS || self.bytes >= MAX_BYTES { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        self.rows.sort_by(|(a, m), (b, n)| (&a.key, a.time, m).cmp(&(&b.key, b.time, n)));
        self.part += 1;
        let name = match self.part {
            1 => format!("{}.parquet", self.name),
            part => format!("{}.{part}.parquet", self.name),
        };
        self.write(format!("observations/{name}"), &self.layout.table(&self.rows, &self.made)?)?;
        self.made.problems.clear();
        let path = format!("links/{name}");
        match links::table(&self.rows, &SiteBy::Host)? {
            Some(table) => self.write(path, &table)?,
            None => drop(fs::remove_file(self.folder.join(path))),
        }
        self.rows.clear();
        self.bytes = 0;
        Ok(())
    }

    fn write(&mut self, path: String, table: &[u8]) -> anyhow::Result<()> {
        output::write(Some(&self.folder.join(&path)), |out| Ok(out.write_all(table)?))?;
        self.paths.push(path);
        Ok(())
    }

    fn finish(mut self) -> anyhow::Result<Vec<String>> {
        // An archive without captures has a table without rows: it was read.
        if !self.rows.is_empty() || self.part == 0 {
            self.flush()?;
        }
        // Parts that an earlier run made of a longer archive.
        for part in self.part + 1.. {
            let stale = format!("{}.{part}.parquet", self.name);
            let _ = fs::remove_file(self.folder.join("links").join(&stale));
            if fs::remove_file(self.folder.join("observations").join(stale)).is_err() {
                break;
            }
        }
        Ok(self.paths)
    }
}
