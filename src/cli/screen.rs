//! How reports are shown: table, story, JSON, CSV; in colour or not.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::exit::Exit;
use super::files::Files;
use super::output;
use super::select::JsonArgs;
use crate::audit::Audit;
use crate::audit::limit::{self, Limit};
use crate::report::escape::terminal;
use crate::report::layout::Screen;
use crate::report::{csv, explain, first_screen, html, table};

/// The options of all commands that show an audit.
#[derive(Debug, Clone, Args)]
pub(super) struct ShowArgs {
    #[command(flatten)]
    pub json: JsonArgs,

    /// Write CSV files with the content of the JSON into the folder DIR
    ///
    /// audit.csv, sites.csv, pages.csv, intervals.csv, findings.csv, problems.csv and others. Columns are named by the keys
    /// of the JSON; unknown is an empty cell.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub csv: Option<PathBuf>,

    /// Write one self-contained HTML page: opens from disk, loads nothing, prints well
    ///
    /// It has the coverage over time, every page on a timeline with a date cursor, what is missing, the next crawl, and the
    /// evidence. Archived text in it is shown, never run.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub html: Option<PathBuf>,

    /// Show everything behind the three answers (figures, worst pages, findings) for the N worst sites
    ///
    /// Without N, for all sites if there are at most 3.
    #[arg(
        long,
        value_name = "N",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
        value_parser = parse_details,
        help_heading = "Output"
    )]
    pub details: Option<Details>,

    /// Ratings and notes that people gave to pages: a CSV table url,rating,note[,by,date]
    ///
    /// They are shown beside the pages. A file that is not there yet is written, with the pages to look at first; fill it in
    /// and give it again. With an earlier audit, its reviews are carried over where the table has none.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub review: Option<PathBuf>,

    /// Link pages in the HTML to where they can be replayed, such as http://localhost:8080/all/{timestamp}/{url}
    #[arg(long, value_name = "URL-PATTERN", value_parser = super::extras::parse_replay, help_heading = "Output")]
    pub replay: Option<String>,

    /// Whether to use colour; `auto`: on a terminal, unless NO_COLOR is set
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub color: ColorArg,

    /// Exit with code 1 if a site falls short, such as coherence=0.95,blur=0.1
    ///
    /// coherence: share of pages proven to have been online together at the best moment, at least;
    /// sharp: share of the judged pages that are unchanged, at least;
    /// query: share of what is replayed for a random date that is proven to fit together, at least;
    /// versions, links, embeds: share captured, by importance, at least;
    /// blur: expected number of versions that a replayed page is away from what was online, at most.
    /// What cannot be proven does not meet a limit.
    #[arg(long, value_name = "BARS", value_parser = parse_limits, help_heading = "Output")]
    pub fail_under: Option<Limits>,
}

/// How many sites are shown with all their figures.
#[derive(Debug, Clone, Copy)]
pub(super) struct Details(Option<usize>);

fn parse_details(text: &str) -> Result<Details, String> {
    if text.is_empty() {
        return Ok(Details(None));
    }
    text.parse().map(|sites| Details(Some(sites))).map_err(|_| format!("{text:?} is not a number of sites"))
}

/// Limits for every site.
#[derive(Debug, Clone)]
pub(super) struct Limits(Vec<Limit>);

fn parse_limits(text: &str) -> Result<Limits, String> {
    limit::parse(text).map(Limits).map_err(|error| match error.remedy() {
        Some(remedy) => format!("{error} ({remedy})"),
        None => error.to_string(),
    })
}

/// Whether to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ColorArg {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// What goes to standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown<'a> {
    /// All figures, as text.
    Table,
    /// The stories of the pages that were asked for by these names.
    Stories(&'a [String]),
    /// No text: another output goes there.
    Nothing,
}

/// The screen that standard output is.
pub(super) fn screen(colour: ColorArg) -> Screen {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let colour = match colour {
        ColorArg::Always => true,
        ColorArg::Never => false,
        ColorArg::Auto => {
            let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
            io::stdout().is_terminal() && !set("NO_COLOR") && !dumb
        }
    };
    let given = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    // A terminal says how wide it is; few shells tell it to their programs.
    let seen = || terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
    let columns = given.or_else(seen).filter(|columns| *columns > 0);
    Screen { width: columns.map_or(80, |columns: usize| columns.clamp(60, 200)), colour }
}

impl ShowArgs {
    /// Names the files that [`ShowArgs::show`] writes.
    pub(super) fn outputs(&self, files: &mut Files) -> crate::Result<()> {
        files.write("--json", self.json.json.as_deref())?;
        files.write("--html", self.html.as_deref())?;
        self.name_review(files)?;
        let Some(folder) = &self.csv else { return Ok(()) };
        csv::FILES.iter().try_for_each(|(name, _)| files.write("--csv", Some(&folder.join(name))))
    }

    /// Writes everything that was asked for, and says which site falls short.
    pub(super) fn show(&self, audit: &Audit, shown: Shown<'_>) -> anyhow::Result<Exit> {
        if let Some(folder) = &self.csv {
            output::fill_folder(folder, |unfinished| csv::write(folder, unfinished, audit))?;
        }
        self.json.write(audit)?;
        if let Some(path) = &self.html {
            output::write(Some(path), |out| {
                Ok(html::audit::write(out, audit, self.details.and_then(|details| details.0))?)
            })?;
        }
        let screen = screen(self.color);
        match shown {
            Shown::Table => output::write(None, |out| {
                first_screen::write(out, audit, screen, self.details.is_some())?;
                let Some(details) = self.details else { return Ok(()) };
                writeln!(out)?;
                Ok(table::write(out, audit, screen, details.0)?)
            })?,
            Shown::Stories(names) => {
                output::write(None, |out| Ok(explain::write(out, audit, screen, names)?))?
            }
            Shown::Nothing => {}
        }
        let short = self.fail_under.as_ref().map_or_else(Vec::new, |bars| limit::check(audit, &bars.0));
        for shortfall in &short {
            // Standard error may be closed; the exit code still says it.
            let _ = writeln!(io::stderr(), "acuity: {}", terminal(&shortfall.to_string()));
        }
        Ok(if short.is_empty() { Exit::Done } else { Exit::BarNotMet })
    }
}
