//! Schedules as files that crawlers take.
//!
//! URLs come from archives and are hostile. Lists have one URL a line, so whatever could end a line or a field (white space,
//! control characters) is percent-encoded, as a browser would; and only `http` and `https` URLs that can be requested (whose host and port
//! are ones) are handed to a crawler at all.
//! File names are made of numbers, never of hosts. The neutral JSONL holds every URL as it is.

mod browsertrix;
mod heritrix;
mod jsonl;
mod nutch;
mod scrapy;
mod timed;
mod url;
mod wget;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fs;
use std::path::Path;

use super::model::{Kind, Schedule, SiteSchedule, Slot};
use crate::error::{Error, Result};

pub(crate) use url::safe as safe_url;

/// Which crawler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// One JSON object per download: for everything else.
    Jsonl,
    /// Heritrix 3: `.force` files for the action directory.
    Heritrix,
    /// Browsertrix Crawler: one configuration, and a script that calls it for every page at its time.
    Browsertrix,
    /// GNU Wget: a script that calls it for every page at its time.
    Wget,
    /// Apache Nutch: a seed list with a fetch interval for each URL.
    Nutch,
    /// Scrapy: a spider that takes the schedule as JSON lines and writes a WARC.
    Scrapy,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its name, made of letters, digits, dots and dashes.
    pub name: String,
    pub content: String,
    /// Whether it is a program.
    pub executable: bool,
}

impl File {
    fn new(name: impl Into<String>, content: String) -> Self {
        File { name: name.into(), content, executable: false }
    }

    fn script(name: impl Into<String>, content: String) -> Self {
        File { name: name.into(), content, executable: true }
    }
}

/// The files of an export, and how many downloads no crawler could be given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Export {
    pub files: Vec<File>,
    /// Downloads left out because their page is not an `http` or `https` URL that can be requested.
    pub left_out: usize,
    /// What the crawler cannot be made to follow.
    pub remark: Option<&'static str>,
}

/// Makes the files of a schedule.
pub fn export(schedule: &Schedule, format: Format) -> Result<Export> {
    let left_out = match format {
        Format::Jsonl => 0,
        _ => schedule
            .sites
            .iter()
            .flat_map(|site| &site.slots)
            .filter(|slot| url::safe(&slot.url).is_none())
            .count(),
    };
    let files = match format {
        Format::Jsonl => vec![jsonl::file(schedule)?],
        Format::Heritrix => heritrix::files(schedule),
        Format::Browsertrix => browsertrix::files(schedule),
        Format::Wget => wget::files(schedule),
        Format::Nutch => vec![nutch::file(schedule)],
        Format::Scrapy => scrapy::files(schedule)?,
    };
    let remark = match format {
        Format::Nutch => Some(
            "Nutch chooses the order itself, so only intervals and scores are written; for URLs already in its database, set db.injector.update",
        ),
        Format::Browsertrix => Some(
            "each page is crawled on its own: the delay is at least the time to start a browser and load a page",
        ),
        Format::Heritrix => Some(
            "acuity.cxml has the politeness, scope and link settings for the job, in two beans; Heritrix waits after each download, embeds included, so the \
             delay becomes (load time + delay) x (1 + embeds)",
        ),
        _ => None,
    };
    Ok(Export { files, left_out, remark })
}

impl Export {
    /// Writes the files into a directory, which is made if it is not there.
    pub fn write(&self, directory: &Path) -> Result<()> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error: std::io::Error| Error::from(error).at_file(path)
        };
        fs::create_dir_all(directory).map_err(failed(directory))?;
        for file in &self.files {
            let path = directory.join(&file.name);
            fs::write(&path, &file.content).map_err(failed(&path))?;
            #[cfg(unix)]
            if file.executable {
                use std::os::unix::fs::PermissionsExt;
                fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).map_err(failed(&path))?;
            }
        }
        Ok(())
    }
}

/// The downloads of one kind that a crawler can be given, with their URL.
fn downloads(site: &SiteSchedule, kind: Kind) -> impl Iterator<Item = (Cow<'_, Slot>, String)> {
    site.slots.iter().filter(move |slot| slot.kind == kind).filter_map(|slot| {
        let url = url::safe(&slot.url)?;
        Some((slot, url))
    })
}

/// Sites by number, from 1: a name that no host can choose.
fn numbered(schedule: &Schedule) -> impl Iterator<Item = (String, &SiteSchedule)> {
    schedule.sites.iter().enumerate().map(|(at, site)| (format!("lane-{:03}", at + 1), site))
}
