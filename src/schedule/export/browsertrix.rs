//! Browsertrix Crawler: one configuration for the visits of a lane and one for its revisits.
//!
//! A crawl takes each URL once, so visits and revisits are two crawls, run one after the other. With one worker, depth 0 and
//! scope `page` the seeds are fetched in their order. Strings are written as JSON, which YAML's double-quoted form includes.

use std::fmt::Write;

use super::super::model::{Kind, Schedule};
use super::{File, downloads, numbered};
use crate::error::{Error, Result};

pub(super) fn files(schedule: &Schedule) -> Result<Vec<File>> {
    let mut files = Vec::new();
    for (lane, site) in numbered(schedule) {
        for kind in [Kind::Visit, Kind::Revisit] {
            let name = format!("{lane}-{}", kind.name());
            let mut seeds = String::new();
            for (_, url) in downloads(site, kind) {
                let url = serde_json::to_string(&url).map_err(|error| Error::data(error.to_string()))?;
                // Writing to a string cannot fail.
                let _ = writeln!(seeds, "  - url: {url}\n    scopeType: page\n    depth: 0");
            }
            if !seeds.is_empty() {
                let delay = site.delay_seconds;
                files.push(File::new(
                    format!("{name}.yaml"),
                    format!("collection: {name}\nworkers: 1\nscopeType: page\npageExtraDelay: {delay}\nseeds:\n{seeds}"),
                ));
            }
        }
    }
    Ok(files)
}
