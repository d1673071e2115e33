//! `acuity report`: the JSON of an audit, or of an answer about a date, shown again.

use std::io::Read;
use std::path::PathBuf;

use clap::Args;

use super::exit::Exit;
use super::files::Files;
use super::output;
use super::screen::{ShowArgs, Shown};
use crate::at::model::AT_SCHEMA;
use crate::error::Error;
use crate::report::at::{Length, Seal, write};
use crate::report::at_json::AnswerFile;
use crate::report::{html, json};
use crate::url::Canon;

/// Arguments of `acuity report`.
#[derive(Debug, Args)]
pub(super) struct ReportArgs {
    /// What `acuity audit --json=FILE` or `acuity at --json=FILE` wrote; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Explain this page; the audit must have been made with --explain too
    #[arg(long, value_name = "URL")]
    explain: Vec<String>,

    #[command(flatten)]
    show: ShowArgs,
}

pub(super) fn execute(args: &ReportArgs) -> anyhow::Result<Exit> {
    let mut files = Files::default();
    args.show.outputs(&mut files)?;
    files.read(Some(&args.file))?;
    let mut text = Vec::new();
    let at = |error: Error| error.at_file(&args.file);
    if args.file.as_os_str() == "-" {
        std::io::stdin().read_to_end(&mut text).map_err(|error| at(error.into()))?;
    } else {
        text = std::fs::read(&args.file).map_err(|error| at(Error::usage(error.to_string())))?;
    }
    if json::schema(&text).map_err(at)? == AT_SCHEMA {
        if !args.explain.is_empty() || args.show.csv.is_some() || args.show.fail_under.is_some() {
            return Err(at(Error::usage(
                "this is an answer about a date: only --json and --html apply to it",
            ))
            .into());
        }
        let answer = json::read_at(&text).map_err(at)?;
        let file = AnswerFile::of(&answer)?;
        args.show.json.write_bytes(&file.bytes)?;
        if let Some(path) = &args.show.html {
            output::write(Some(path), |out| Ok(html::at::write(out, &answer, &file, None)?))?;
        }
        if !files.take_stdout() {
            output::write(None, |out| {
                Ok(write(out, &answer, Seal { sha256: &file.sha256, custody: None }, Length::Short)?)
            })?;
        }
        return Ok(Exit::Done);
    }
    let mut audit = json::read(&text).map_err(at)?;
    drop(text);
    let shown = |shown| if files.take_stdout() { Shown::Nothing } else { shown };
    if args.explain.is_empty() {
        return args.show.show(&audit, shown(Shown::Table));
    }
    let canon: Canon = audit.parameters.canon.parse()?;
    for url in &args.explain {
        let key = canon.key(url);
        let mut pages = audit.sites.iter().flat_map(|site| &site.page_list);
        if !pages.any(|page| page.story.is_some() && (page.key == key || page.key == *url)) {
            return Err(Error::usage(format!("the report does not tell the story of {url}"))
                .with_remedy("run acuity audit --explain URL --json=FILE")
                .at_file(&args.file)
                .into());
        }
    }
    let wanted: Vec<String> = args.explain.iter().flat_map(|url| [canon.key(url), url.clone()]).collect();
    for page in audit.sites.iter_mut().flat_map(|site| &mut site.page_list) {
        page.story = page.story.take().filter(|_| wanted.contains(&page.key));
    }
    args.show.show(&audit, shown(Shown::Stories))
}
