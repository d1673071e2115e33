//! `acuity simulate --write-archive`: an archive whose truth is known, to test tools with.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;

use crate::Error;
use crate::simulate::truth::{Case, Crawler, Plan, Server};

/// Options of archives whose truth is known.
#[derive(Debug, Clone, Args)]
pub(crate) struct InventArgs {
    /// Write a small archive with its truth into this folder, which must be new or empty, and stop
    ///
    /// The same --seed gives the same bytes. The folder has the archive (WARC, ARC, WACZ, CDX or CDXJ), truth.csv with every
    /// change of every page, captures.csv with what each capture shows, and a README.md.
    #[arg(long, value_name = "DIR", help_heading = "Archive with its truth", conflicts_with_all = ["paper", "history", "inputs"])]
    pub write_archive: Option<PathBuf>,

    /// Kind of crawler [default: by the seed]
    #[arg(long, value_name = "KIND", requires = "write_archive", help_heading = "Archive with its truth",
        value_parser = parse_crawler)]
    pub crawler: Option<Crawler>,

    /// Kind of server [default: by the seed]
    #[arg(long, value_name = "KIND", requires = "write_archive", help_heading = "Archive with its truth",
        value_parser = parse_server)]
    pub server: Option<Server>,
}

fn parse_crawler(name: &str) -> Result<Crawler, String> {
    let names = Crawler::ALL.map(Crawler::name).join(", ");
    Crawler::ALL.into_iter().find(|kind| kind.name() == name).ok_or(format!("choose one of: {names}"))
}

fn parse_server(name: &str) -> Result<Server, String> {
    let names = Server::ALL.map(Server::name).join(", ");
    Server::ALL.into_iter().find(|kind| kind.name() == name).ok_or(format!("choose one of: {names}"))
}

impl InventArgs {
    /// Writes the archive of a seed.
    pub(crate) fn write(&self, folder: &Path, seed: u64, out: &mut dyn Write) -> Result<()> {
        let usual = Case::of(seed);
        let (crawler, server) = (self.crawler.unwrap_or(usual.crawler), self.server.unwrap_or(usual.server));
        let case = Case::generate(seed, crawler, server, Plan::Stories);
        let unwritable = || format!("{} cannot be written", folder.display());
        fs::create_dir_all(folder).with_context(unwritable)?;
        let mut entries = fs::read_dir(folder).with_context(unwritable)?;
        if entries.next().is_some() {
            return Err(Error::usage("the folder is not empty")
                .at_file(folder)
                .with_remedy("name a new folder: nothing is written over")
                .into());
        }
        case.write(folder).with_context(unwritable)?;
        writeln!(
            out,
            "{}: crawler {}, server {}; {} captures in {}, with truth.csv, captures.csv and README.md",
            folder.display(),
            case.crawler.name(),
            case.server.name(),
            case.seen.len(),
            case.files.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
        )?;
        Ok(())
    }
}
