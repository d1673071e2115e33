//! `acuity schedule`: in which order, and when, the next crawl should fetch the pages.

use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::Result;

use super::audited::{load_pages, only};
use super::exit::Exit;
use super::exported::ExportFiles;
use super::files::Files;
use super::output;
pub use super::schedule_args::ScheduleArgs;
use super::screen::{ColorArg, screen};
use crate::audit::commands::{argument, quoted};
use crate::audit::next::shelved_crawl::ShelvedCrawl;
use crate::audit::outlook::Outlook;
use crate::format::{bytes, count};
use crate::report::schedule_screen::{self, Shown};
use crate::report::{html, schedule_table};
use crate::schedule::Schedule;
use crate::schedule::build::{Request, build_from};
use crate::schedule::drive::{self, Drive, Driven};
use crate::schedule::parts::PageSource;

/// About the bytes that a search holds of a page: rate, weight, captures, and its places in the plans that are compared.
const PAGE: usize = 150;

/// Runs the command. Data goes to `out`, remarks to `notes`.
pub fn execute(args: &ScheduleArgs, out: &mut dyn Write, notes: &mut dyn Write) -> Result<(Schedule, Exit)> {
    let mut request = args.request()?;
    let mut files = Files::default();
    files.write("--json", args.json_path())?;
    files.write("--html", args.html.as_deref())?;
    files.read(args.rates.as_deref())?;
    if let Some((pages, note)) = args.pages_from_rates()? {
        request.notes.extend(note);
        return schedule_pages(args, &request, &pages.as_slice(), None, &mut files, out, notes);
    }
    let (mut audit, mut shelf, exit) = load_pages(&args.inputs, &args.reading, &mut files)?;
    if let Some(name) = &args.site {
        shelf.keep(|entry| audit.sites.get(entry).is_some_and(|site| site.site == *name));
        only(&mut audit, name)?;
    }
    let next = ShelvedCrawl::of(&audit.sites, &shelf, !args.captured_only, args.subsite)?;
    let outlook = Outlook::of(&audit.sites);
    if args.delay.is_none() {
        request.lane_delays = next.delays.clone();
    }
    request.notes.extend(next.patterns.clone());
    request.caveats = outlook.caveats.clone();
    let (schedule, driven) = schedule_pages(args, &request, &next, Some(&outlook), &mut files, out, notes)?;
    Ok((schedule, exit.max(driven)))
}

impl ScheduleArgs {
    /// The screen: short, or all tables where details were asked for, or strategies to compare.
    fn shown(&self, schedule: &Schedule, outlook: Option<&Outlook>) -> String {
        let is_whole = self.details || self.subsite || !self.strategy.is_empty() || schedule.sites.is_empty();
        let Some(outlook) = outlook.filter(|_| !is_whole) else {
            return schedule_table::render(schedule);
        };
        let words = self.inputs.iter().map(|name| argument(&name.to_string_lossy()));
        let site = self.site.iter().flat_map(|site| ["--site".to_owned(), quoted(site)]);
        let words: Vec<String> = words.chain(site).collect();
        let export = format!("acuity schedule {} --export wget --out plan", words.join(" "));
        let shown = Shown {
            outlook: Some(outlook).filter(|_| self.is_plain()),
            why_unknown: outlook.why_unknown,
            export: (self.out.is_none() && self.is_plain()).then_some(export),
        };
        schedule_screen::render(schedule, &shown, screen(ColorArg::Auto))
    }
}

/// What to know where the numbers that strategies work with took more than `--memory`.
fn above_memory(schedule: &Schedule, memory: usize) -> Option<String> {
    let pages: usize = schedule.sites.iter().map(|site| site.pages).sum();
    let held = pages.saturating_mul(PAGE);
    (held > memory).then(|| {
        format!(
            "The search held about {} for {}, more than --memory: the numbers that strategies work with are always held. --site or --budget \
             plans fewer pages.",
            bytes(held as u64),
            count(pages as u64, "page")
        )
    })
}

/// Schedules pages from wherever they came, and writes what was asked for.
fn schedule_pages(
    args: &ScheduleArgs,
    request: &Request,
    pages: &dyn PageSource,
    outlook: Option<&Outlook>,
    files: &mut Files,
    out: &mut dyn Write,
    notes: &mut dyn Write,
) -> Result<(Schedule, Exit)> {
    let schedule = build_from(pages, request)?;
    if let Some(remark) = above_memory(&schedule, args.reading.memory) {
        writeln!(notes, "{remark}")?;
    }
    let mut exit = Exit::Done;
    let mut exports = Vec::new();
    if let Some(directory) = &args.out {
        for crawler in &args.export {
            exports.push(ExportFiles::new(&schedule, *crawler, directory, args.export.len() > 1, files)?);
        }
    }
    match args.json_path() {
        Some(path) if path != Path::new("-") => write_json_file(&schedule, path)?,
        Some(_) => write_json(&schedule, out)?,
        None if files.take_stdout() => {}
        None => out.write_all(args.shown(&schedule, outlook).as_bytes())?,
    }
    if let Some(path) = &args.html {
        output::write(Some(path), |out| Ok(html::schedule::write(out, &schedule)?))?;
    }
    exports.iter().try_for_each(|export| export.write(notes))?;
    if let Some(command) = &args.drive {
        let command = command.split_whitespace().map(str::to_owned).collect();
        let drive = Drive { command, log: args.drive_log.clone(), retries: args.retries };
        let Driven { done, failed, resumed, left_out, latest } = drive::drive(&schedule, &drive)?;
        writeln!(
            notes,
            "drive: {done} downloads made, {failed} failed, {resumed} made before, {left_out} left out; at most {latest:.1} s late"
        )?;
        if failed > 0 {
            exit = Exit::Unreadable;
        }
    }
    Ok((schedule, exit))
}

fn write_json(schedule: &Schedule, out: &mut dyn Write) -> Result<()> {
    let mut out = BufWriter::new(out);
    crate::report::pretty::write(&mut out, schedule)?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}

fn write_json_file(schedule: &Schedule, path: &Path) -> Result<()> {
    output::write(Some(path), |out| write_json(schedule, out))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::page::Page;
    use crate::schedule::registry::COMPARED;
    use crate::time::Instant;
    use clap::Parser;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        schedule: ScheduleArgs,
    }

    fn run(arguments: &[&str], table: &str) -> Result<(Schedule, String, String)> {
        let directory = tempfile::tempdir()?;
        let rates = directory.path().join("rates.csv");
        std::fs::write(&rates, table)?;
        let rates = rates.display().to_string();
        let all = ["schedule", "--rates", &rates].into_iter().chain(arguments.iter().copied());
        let cli = Cli::try_parse_from(all)?;
        let (mut out, mut notes) = (Vec::new(), Vec::new());
        let (schedule, _) = execute(&cli.schedule, &mut out, &mut notes)?;
        Ok((schedule, String::from_utf8(out)?, String::from_utf8(notes)?))
    }

    #[test]
    fn a_search_above_memory_is_told_with_a_remedy() {
        let pages: Vec<Page> = (0..100).map(|i| Page::new(&format!("p{i}"), 0.1)).collect();
        let schedule =
            crate::schedule::build::build(&pages, &Request { delay: 1.0, ..Request::default() }).unwrap();
        assert_eq!(above_memory(&schedule, 100 * PAGE), None);
        let remark = above_memory(&schedule, 100 * PAGE - 1).unwrap();
        assert!(remark.contains("100 pages") && remark.contains("--budget"), "{remark}");
    }

    #[test]
    fn downloads_that_failed_give_an_exit_code() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(file("rates.csv"), "page,rate\nhttp://a.example/,0.1\n").unwrap();
        let exit = |command: &str| {
            let (rates, log) = (file("rates.csv"), file(&format!("{}.jsonl", command.len())));
            let own = [
                "schedule",
                "--rates",
                &rates,
                "--delay",
                "0s",
                "--drive",
                command,
                "--drive-log",
                &log,
                "--retries",
                "0",
            ];
            let cli = Cli::try_parse_from(own).unwrap();
            execute(&cli.schedule, &mut Vec::new(), &mut Vec::new()).map(|(_, exit)| exit)
        };
        assert_eq!(exit("true").unwrap(), Exit::Done);
        assert_eq!(exit("false").unwrap(), Exit::Unreadable);
        assert!(exit("/nonexistent/command").unwrap_err().to_string().contains("cannot be run"));
    }

    const EXAMPLE: &str = "page,rate\np5,0.40\np4,0.35\np3,0.30\np2,0.25\np1,0.20\n";

    #[test]
    fn a_table_is_taken_at_its_word_or_refused() {
        let (_, out, _) = run(&["--delay", "1s"], "page,rate,note\na,1,x\nb,2,y\n").unwrap();
        assert!(out.contains("columns of the table that were skipped: note"), "{out}");
        let groupless = run(&["--subsite"], EXAMPLE).unwrap_err();
        assert!(groupless.to_string().contains("--subsite needs groups"), "{groupless}");
        assert!(run(&["--subsite"], "page,rate,group\na,1,x\nb,2,\n").is_ok());
        assert!(run(&[], "page,rate\na,1\na,2\n").is_err());
    }

    #[test]
    fn json_has_the_keys_of_the_schema() {
        let (_, out, _) =
            run(&["--delay", "1s", "--strategy", "sharc-selective", "--middle-once", "--json"], EXAMPLE)
                .unwrap();
        let json: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(json["schema"], "acuity.schedule/1");
        let site = &json["sites"][0];
        assert!((site["expected_coherence"].as_f64().unwrap() - 2.281_969).abs() < 5e-7);
        assert!((site["upper_bound"].as_f64().unwrap() - 2.282_081).abs() < 5e-7);
        assert!(
            site["gap"].as_f64().unwrap() > 0.0 && site["start"].is_null() && site["reference"].is_null()
        );
        assert_eq!((&site["strategy"], &site["delay_seconds"]), (&"sharc-selective".into(), &1.0.into()));
        assert_eq!(site["slots"].as_array().unwrap().len(), 9);
        assert!(site["slots"][0]["at"].is_null() && site["slots"][0]["seconds"] == 0.0);
        assert_eq!(json["strategies"][0]["name"], "sharc-selective");
        let parsed: Schedule = serde_json::from_str(&out).unwrap();
        assert_eq!(parsed.sites[0].slots.len(), 9);
    }

    #[test]
    fn the_table_fits_eighty_columns_and_names_every_strategy() {
        let (schedule, out, _) =
            run(&["--start", "2030-01-01", "--strategy", "all", "--middle-once"], EXAMPLE).unwrap();
        assert!(out.lines().all(|line| line.chars().count() <= 80), "{out}");
        assert!(crate::schedule::registry::COMPARED.iter().all(|name| out.contains(name)));
        assert_eq!(schedule.sites[0].reference, Instant::parse("2030-01-01T00:00:04Z"));
    }

    #[test]
    fn strategies_may_be_repeated_and_all_stands_for_the_others() {
        let rows = |arguments: &[&str]| {
            let schedule = run(arguments, EXAMPLE).unwrap().0;
            let names: Vec<String> = schedule.strategies.into_iter().map(|row| row.name).collect();
            (schedule.sites[0].strategy.clone(), names)
        };
        let all = rows(&["--strategy", "all"]);
        assert_eq!((all.0.as_str(), all.1.len()), ("optimal", COMPARED.len()));
        assert_eq!(rows(&["--strategy", "optimal", "--strategy", "all"]), all);
        assert_eq!(rows(&["--strategy", "all", "--strategy", "bfs-lifo"]), all);
        let (made, names) = rows(&["--strategy", "bfs-lifo", "--strategy", "all", "--strategy", "bfs-lifo"]);
        assert_eq!((made.as_str(), names[0].as_str(), names.len()), ("bfs-lifo", "bfs-lifo", COMPARED.len()));
        assert_eq!(rows(&["--strategy", "op", "--strategy", "op"]).1, ["op"]);
        assert!(run(&["--strategy", "all", "--strategy", "nonsense"], EXAMPLE).is_err());
    }

    #[test]
    fn exports_are_written_and_what_cannot_be_exported_is_told() {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().display().to_string();
        let table = "page,rate,weight\nhttp://a.example/,0.1,2\nhttp://a.example/b,0.2,\np3,0.3,1\n";
        let (_, _, notes) = run(&["--export", "wget", "--export", "nutch", "--out", &out], table).unwrap();
        assert!(
            directory.path().join("wget/crawl.sh").exists()
                && directory.path().join("nutch/seeds.txt").exists()
        );
        assert!(notes.contains("left out"));
    }

    #[test]
    fn weights_can_be_hidden_from_the_strategy() {
        let table = "page,rate,weight\na,0.4,1\nb,0.3,9\n";
        let seen = run(&["--middle-once"], table).unwrap().0.sites[0].expected_coherence.unwrap();
        let blind = run(&["--middle-once", "--ignore-weights"], table).unwrap().0.sites[0]
            .expected_coherence
            .unwrap();
        assert!((seen - (9.0 + (-0.8f64).exp())).abs() < 1e-12 && blind < seen);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for arguments in [
            ["--delay", "soon"],
            ["--start", "tomorrow"],
            ["--strategy", "random"],
            ["--tau", "2"],
            ["--export", "wget"],
            ["--rate-unit", "year"],
        ] {
            let strategy = if arguments[0] == "--tau" { &["--strategy", "solar-offline"][..] } else { &[] };
            assert!(run(&[&arguments[..], strategy].concat(), EXAMPLE).is_err(), "{arguments:?}");
        }
    }
}
