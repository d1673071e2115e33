//! `acuity rate-prior`: the change rates usual on each site, as a table by which parts of the site are judged.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;

use super::audit::{Prepared, prepare};
use super::audit_args::{AuditArgs, JudgedArgs};
use super::exit::Exit;
use super::files::Files;
use super::input::ReadArgs;
use super::{output, sitemaps};
use crate::audit::site_rates::RatePriors;
use crate::drive::drive_priors;
use crate::error::Error;
use crate::ingest::Wanted;

const EXAMPLES: &str = "\
Examples:
  acuity rate-prior site/ -o prior.json
  acuity audit some-pages.parquet --part-of site --rate-prior prior.json --json=part.json";

/// Arguments of `acuity rate-prior`.
///
/// The change rate of a page depends on all pages of its site: few captures say little, so they are weighed against what is
/// usual there. Some pages of a site, audited alone, have other rates than in an audit of all of them, and so another blur
/// and other counts of versions. With this file they have the same. Give the options of the audits to it, too.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = EXAMPLES)]
pub(super) struct RatePriorArgs {
    /// Archives, indexes, or the tables of `acuity index`, as for `acuity audit`
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<OsString>,

    /// Write to FILE instead of standard output; it appears when it is complete
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    judged: JudgedArgs,

    /// The exact history of changes, as for `acuity audit`
    #[arg(long, value_name = "FILE", help_heading = "What is proof")]
    history: Option<PathBuf>,

    /// Sitemaps of the sites, as for `acuity audit`
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "What is proof")]
    sitemap: Vec<PathBuf>,

    #[command(flatten)]
    reading: ReadArgs,
}

impl RatePriorArgs {
    /// The audit of which this is the beginning.
    fn audit(&self) -> anyhow::Result<AuditArgs> {
        let mut audit = AuditArgs::plain(&self.inputs, &self.reading)?;
        self.judged.hand_to(&mut audit);
        audit.history.clone_from(&self.history);
        audit.sitemap.clone_from(&self.sitemap);
        Ok(audit)
    }
}

pub(super) fn execute(args: &RatePriorArgs) -> anyhow::Result<Exit> {
    let mut files = Files::default();
    files.write("--output", Some(args.output.as_deref().unwrap_or(Path::new("-"))))?;
    let wanted = Wanted { text: true, links: false, sitemaps: true, walls: true };
    let Prepared { reading, mut tabled, mut log, parameters, beside } =
        prepare(&args.audit()?, &mut files, None, wanted)?;
    let found = drive_priors(reading, &mut tabled, &mut log, &parameters, beside)?;
    output::write(args.output.as_deref(), |out| {
        serde_json::to_writer_pretty(&mut *out, &found)?;
        Ok(out.write_all(b"\n")?)
    })?;
    args.reading.report_problems(&log);
    Ok(args.reading.exit(&log, Exit::Done))
}

/// The rate priors that a file states.
pub(super) fn read(path: &Path, files: &mut Files) -> crate::Result<Box<RatePriors>> {
    files.read(Some(path))?;
    let at = |message: String| {
        let error = Error::usage(message).with_remedy("`acuity rate-prior` writes such a file");
        error.at_file(path)
    };
    let text = sitemaps::text_of(path)?;
    let priors: RatePriors = serde_json::from_str(&text).map_err(|error| at(error.to_string()))?;
    match priors.fault() {
        Some(fault) => Err(at(format!("these rate priors cannot be used: {fault}"))),
        None => Ok(Box::new(priors)),
    }
}
