//! The arguments: the one source of `--help`, the man pages and the completions.

use std::io;

use clap::{CommandFactory, Parser, Subcommand};

use super::exit::{self, Exit};
use super::{
    at, audit, audit_args, completions, crawls, diff, explain_change, index, merge, output, page_records,
    plan, rate_prior, rebuild, report, schedule, simulate, timeline, verify,
};

/// Tells how good a web archive is
///
/// Acuity reads existing captures and says whether the pages were online together, what is missing, whether the record is
/// trustworthy, and in which order the next crawl should fetch the pages.
#[derive(Debug, Parser)]
#[command(name = "acuity", version, about, long_about, after_help = exit::HELP, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Say how good an archive is: consistent, complete, trustworthy
    Audit(Box<audit_args::AuditArgs>),
    /// Show the JSON of an audit, or of an answer about a date, again
    Report(report::ReportArgs),
    /// Say whether the pages are proven to have been online together at a date
    At(Box<at::AtArgs>),
    /// Compute a report of `acuity at` again and compare every field
    Verify(verify::VerifyArgs),
    /// Show the versions of one page through time
    Timeline(timeline::TimelineArgs),
    /// Say what differs between two captures: changed, missing, added
    Diff(Box<diff::DiffArgs>),
    /// Put a lost site together from several archives
    Rebuild(Box<rebuild::RebuildArgs>),
    /// Put several collections together: every record once
    Merge(merge::MergeArgs),
    /// Say in which order, and when, the next crawl should fetch the pages
    Schedule(Box<schedule::ScheduleArgs>),
    /// Plan weeks of crawling under a budget of downloads
    Plan(Box<plan::PlanArgs>),
    /// Compare crawl strategies on sites whose every change is known
    Simulate(Box<simulate::SimulateArgs>),
    /// Show which blocks of a page changed, how, and how much that matters
    ExplainChange(Box<explain_change::ExplainChangeArgs>),
    /// Write one line for every capture: URL, time, digests, file and offset
    Index(index::IndexArgs),
    /// Write page records, from which a site too large for one machine can be audited
    Pages(Box<page_records::PagesArgs>),
    /// Divide captures into crawls, so that parts of a collection are audited like the whole
    Crawls(crawls::CrawlsArgs),
    /// Write the change rates usual on each site, so that parts of it are audited like the whole
    RatePrior(Box<rate_prior::RatePriorArgs>),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// The whole command, for man pages and completions.
pub fn command() -> clap::Command {
    Cli::command()
}

pub(super) fn execute(cli: &Cli) -> anyhow::Result<Exit> {
    match &cli.command {
        Command::Audit(args) => audit::execute(args),
        Command::Pages(args) => page_records::execute(args),
        Command::At(args) => at::execute(args),
        Command::Verify(args) => verify::execute(args),
        Command::Timeline(args) => timeline::execute(args),
        Command::Report(args) => report::execute(args),
        Command::Diff(args) => diff::execute(args),
        Command::Rebuild(args) => rebuild::execute(args),
        Command::Merge(args) => merge::execute(args),
        Command::Schedule(args) => {
            let (_, exit) = schedule::execute(args, &mut output::screen(), &mut io::stderr())?;
            Ok(exit)
        }
        Command::Plan(args) => plan::execute(args, &mut output::screen(), &mut io::stderr()),
        Command::Simulate(args) => simulate::execute(args, &mut output::screen()),
        Command::ExplainChange(args) => explain_change::execute(args),
        Command::Index(args) => index::execute(args),
        Command::Crawls(args) => crawls::execute(args),
        Command::RatePrior(args) => rate_prior::execute(args),
        Command::Completions { shell } => completions::print(*shell),
    }
}
