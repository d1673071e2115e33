//! The files that a crawler takes: named before anything is written, written with a remark on what they leave out.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::files::Files;
use super::output::Unwritable;
use super::schedule_args::Crawler;
use crate::format::count;
use crate::schedule::Schedule;
use crate::schedule::export::{self, Export, Format};

/// The files for a crawler, and where they go.
pub(super) struct ExportFiles {
    name: &'static str,
    directory: PathBuf,
    export: Export,
}

impl ExportFiles {
    /// Several crawlers at once get a directory each.
    pub(super) fn new(
        schedule: &Schedule,
        crawler: Crawler,
        out: &Path,
        apart: bool,
        files: &mut Files,
    ) -> Result<Self> {
        let (format, name) = match crawler {
            Crawler::Jsonl => (Format::Jsonl, "jsonl"),
            Crawler::Heritrix => (Format::Heritrix, "heritrix"),
            Crawler::Browsertrix => (Format::Browsertrix, "browsertrix"),
            Crawler::Wget => (Format::Wget, "wget"),
            Crawler::Nutch => (Format::Nutch, "nutch"),
            Crawler::Scrapy => (Format::Scrapy, "scrapy"),
        };
        let directory = if apart { out.join(name) } else { out.to_owned() };
        let export = export::export(schedule, format)?;
        for file in &export.files {
            files.write("--out", Some(&directory.join(&file.name)))?;
        }
        Ok(ExportFiles { name, directory, export })
    }

    pub(super) fn write(&self, notes: &mut dyn Write) -> Result<()> {
        let ExportFiles { name, directory, export } = self;
        export.write(directory).map_err(|error| Unwritable::in_folder(directory, io::Error::other(error)))?;
        let files = count(export.files.len() as u64, "file");
        writeln!(notes, "{name}: {files} in {}", directory.display())?;
        if let Some(remark) = export.remark {
            writeln!(notes, "{name}: {remark}")?;
        }
        if export.left_out > 0 {
            let downloads = count(export.left_out as u64, "download");
            writeln!(notes, "{name}: {downloads} left out: no http or https URL that can be requested")?;
        }
        Ok(())
    }
}
