//! `acuity report`: the JSON of an audit, or of an answer about a date, shown again; and audits of parts put together.

use std::path::PathBuf;

use clap::Args;

use super::exit::Exit;
use super::extras::Earlier;
use super::files::Files;
use super::input::parse_size;
use super::output;
use super::report_file::{self, Report};
use super::screen::{ShowArgs, Shown};
use crate::at::model::At;
use crate::error::Error;
use crate::format::local;
use crate::report::at::{Length, Seal, write};
use crate::report::at_json::AnswerFile;
use crate::report::explain::is_missing;
use crate::report::html;
use crate::url::Canon;

/// Arguments of `acuity report`.
#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// What `acuity audit --json=FILE` or `acuity at --json=FILE` wrote; `-` is standard input
    ///
    /// Of two audits, the earlier one first, it says what got better, worse or fixed, and which actions were done.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Put the audits of parts of a collection together: each FILE is one that `acuity audit --part-of` wrote
    ///
    /// The result is the audit of the whole collection.
    #[arg(long)]
    merge: bool,

    /// With --merge: the collection that these are the parts of; if there is a folder or file of that name, its files are the inputs
    #[arg(long, value_name = "NAME", requires = "merge")]
    part_of: Option<String>,

    /// With --merge: problems that were found when the archives were read, as lines of JSON
    #[arg(long, value_name = "FILE", requires = "merge")]
    add_problems: Option<PathBuf>,

    /// Explain this page; the audit must have been made with --explain too
    #[arg(long, value_name = "URL")]
    explain: Vec<String>,

    /// Memory for what is read, such as 200M or 2G
    ///
    /// The pages of an answer about a date go to a temporary file where they are more; an audit that needs more is refused.
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = parse_size)]
    memory: usize,

    #[command(flatten)]
    show: ShowArgs,
}

pub(super) fn execute(args: &ReportArgs) -> anyhow::Result<Exit> {
    let mut files = Files::default();
    args.show.outputs(&mut files)?;
    args.files.iter().try_for_each(|file| files.read(Some(file)))?;
    if args.merge {
        files.read(args.add_problems.as_deref())?;
        let audit = super::parts::merge(
            &args.files,
            args.part_of.as_deref(),
            args.add_problems.as_deref(),
            args.memory,
        )?;
        return args.show.show(&audit, if files.take_stdout() { Shown::Nothing } else { Shown::Table });
    }
    let (earlier, file) = match &args.files[..] {
        [file] => (None, file),
        [earlier, file] => (Some(Earlier::read(earlier, args.memory)?), file),
        _ => {
            return Err(Error::usage("more than two reports are shown together with --merge only")
                .with_remedy("name one file, or an earlier and a later one, or give --merge")
                .into());
        }
    };
    let mut audit = match report_file::read(file, args.memory)? {
        Report::Audit(audit) => *audit,
        Report::At(answer) => {
            let others = [args.show.csv.is_some(), args.show.fail_under.is_some(), earlier.is_some()];
            if !args.explain.is_empty() || others.contains(&true) {
                let error =
                    Error::usage("this is an answer about a date: only --json and --html apply to it");
                return Err(error.at_file(file).into());
            }
            return args.show_answer(&answer, &files);
        }
    };
    args.show.put_beside(&mut audit, earlier.as_ref())?;
    let shown = |shown| if files.take_stdout() { Shown::Nothing } else { shown };
    if args.explain.is_empty() {
        return args.show.show(&audit, shown(Shown::Table));
    }
    let canon: Canon = audit.parameters.canon.parse()?;
    for url in &args.explain {
        let key = canon.key(url);
        let mut pages = audit
            .sites
            .iter()
            .flat_map(|site| site.page_list.iter().map(|page| (page, local(&page.url, &site.site) == url)));
        if !pages
            .any(|(page, is_path)| page.story.is_some() && (is_path || page.key == key || page.key == *url))
            && !is_missing(&audit, url)
        {
            return Err(Error::usage(format!("the report does not tell the story of {url}"))
                .with_remedy("run acuity audit --explain URL --json=FILE")
                .at_file(file)
                .into());
        }
    }
    let wanted: Vec<String> = args.explain.iter().flat_map(|url| [canon.key(url), url.clone()]).collect();
    for site in &mut audit.sites {
        for page in &mut site.page_list {
            let is_path = args.explain.iter().any(|name| *name == local(&page.url, &site.site));
            page.story = page.story.take().filter(|_| is_path || wanted.contains(&page.key));
        }
    }
    args.show.show(&audit, shown(Shown::Stories(&args.explain)))
}

impl ReportArgs {
    /// Shows an answer about a date.
    fn show_answer(&self, answer: &At, files: &Files) -> anyhow::Result<Exit> {
        let file = AnswerFile::of(answer)?;
        self.show.json.write_file(&file)?;
        if let Some(path) = &self.show.html {
            output::write(Some(path), |out| Ok(html::at::write(out, answer, &file, None)?))?;
        }
        if !files.take_stdout() {
            output::write(None, |out| {
                Ok(write(out, answer, Seal { sha256: &file.sha256, custody: None }, Length::Short)?)
            })?;
        }
        Ok(Exit::Done)
    }
}
