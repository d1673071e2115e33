//! `acuity audit`: how good an archive is.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::audit_args::{AuditArgs, Sources, numbers};
use super::exit::Exit;
use super::extras::Earlier;
use super::files::Files;
use super::input::{DigestsArg, nothing_found};
use super::output;
use super::screen::Shown;
use super::values::{Below, ChangeArg, CrawlsArg, TypedDate};
use super::{crawls, page_records, sitemaps};
use crate::audit::changes::MAX_COMPARED_BYTES;
use crate::audit::compute::Entered;
use crate::audit::promised;
use crate::audit::seed_list;
use crate::audit::words::why_none;
use crate::audit::{Audit, ChangeMeter, Parameters};
use crate::change::evidence::Compare;
use crate::change::history::History;
use crate::drive::{AuditExtras, Tabled, Tabling, drive, tabulate};
use crate::error::Error;
use crate::ingest::{ProblemLog, Reading, Wanted};
use crate::quality::weights::ChangeWeights;
use crate::report::csv::PageTable;
use crate::report::explain::is_missing;
use crate::schedule::Schedule;

/// The most pages that a report lists one by one; a page takes some 3 KB of JSON.
pub(super) const MAX_LISTED: u64 = 250_000;

pub(super) fn execute(args: &AuditArgs) -> anyhow::Result<Exit> {
    let mut files = Files::default();
    files.write("--missing", args.missing.as_deref())?;
    args.show.outputs(&mut files)?;
    files.write("--page-table", args.page_table.as_deref())?;
    files.read(args.promised.as_deref())?;
    let schedule = args.promised.as_deref().map(read_schedule).transpose()?;
    let earlier = match &args.compare_with {
        Some(path) => {
            files.read(Some(path))?;
            Some(Earlier::read(path, args.reading.memory)?)
        }
        None => None,
    };
    let (mut result, log) = match &args.page_table {
        None => perform(args, &mut files, Some(MAX_LISTED), &mut |_, _, _| Ok(()))?,
        Some(path) => output::write(Some(path), |out| {
            let mut table = PageTable::new(out)?;
            let mut add = |entry: usize, site: &str, page: &_| table.add(entry, site, page);
            let done = perform(args, &mut files, Some(MAX_LISTED), &mut add)?;
            table.finish()?;
            Ok(done)
        })?,
    };
    if let Some((schedule, name)) = &schedule {
        result.promised = Some(promised::compare(schedule, name, &result.sites, args.same.canon.into()));
    }
    let shown = match () {
        () if files.take_stdout() => Shown::Nothing,
        () if args.explain.is_empty() => Shown::Table,
        () => Shown::Stories(&args.explain),
    };
    args.show.put_beside(&mut result, earlier.as_ref())?;
    let exit = args.show.show(&result, shown)?;
    match shown {
        Shown::Table => args.reading.report_unread(&log),
        _ => args.reading.report_problems(&log),
    }
    Ok(args.reading.exit(&log, exit))
}

/// A schedule, and the name of its file.
fn read_schedule(path: &Path) -> crate::Result<(Schedule, String)> {
    let at = |error: Error| error.at_file(path);
    let text = std::fs::read(path).map_err(|error| at(Error::usage(error.to_string())))?;
    Ok((promised::read(&text).map_err(at)?, path.display().to_string()))
}

/// Reads and audits; shows nothing. `files` holds the outputs that will be written.
///
/// With more than `max_pages` pages the result lists none; `entered` sees all.
pub(super) fn perform(
    args: &AuditArgs,
    files: &mut Files,
    max_pages: Option<u64>,
    entered: &mut Entered<'_, io::Error>,
) -> anyhow::Result<(Audit, ProblemLog)> {
    if page_records::are_given(&args.inputs)? {
        let (result, log) = page_records::reduce(args, files, max_pages, entered)?;
        args.write_missing(&result)?;
        return Ok((result, log));
    }
    if !args.captures.is_empty() {
        return Err(Error::usage("--captures is for audits of page records")
            .with_remedy("name captures of other sites with --companions")
            .into());
    }
    // Text shows soft 404s too, whatever is compared.
    let wanted = Wanted { text: true, links: true, sitemaps: true, walls: true };
    let Prepared { reading, mut tabled, mut log, parameters, beside } =
        prepare(args, files, max_pages, wanted)?;
    let result = drive(reading, &mut tabled, &mut log, &parameters, beside, entered)?;
    for url in &parameters.explain {
        explained(&result, &tabled, &parameters, url)?;
    }
    drop(tabled);
    args.write_missing(&result)?;
    Ok((result, log))
}

/// What was read for an audit.
pub(super) struct Prepared {
    pub reading: Reading,
    pub tabled: Tabled,
    pub log: ProblemLog,
    pub parameters: Parameters,
    pub beside: AuditExtras,
}

/// Reads all that an audit is made from.
pub(super) fn prepare(
    args: &AuditArgs,
    files: &mut Files,
    max_pages: Option<u64>,
    wanted: Wanted,
) -> anyhow::Result<Prepared> {
    let instant = |date: &Option<TypedDate>| date.as_ref().map(|date| date.at);
    if let (Some(from), Some(to)) = (instant(&args.from), instant(&args.to))
        && from >= to
    {
        return Err(Error::usage(format!("--from {from} is after --to, which ends at {to}"))
            .with_remedy("give the earlier date with --from")
            .into());
    }
    let Sources { sources, visit, revisit, companions } = args.sources(files)?;
    let importance = args.importance.as_ref().map(Path::new);
    let read = [args.history.as_deref(), args.weights.as_deref(), importance].into_iter().flatten();
    let division = match &args.crawls {
        Some(CrawlsArg::File(path)) => Some(crawls::read(path, files)?),
        _ => None,
    };
    let lists = args.sitemap.iter().chain(&args.crawl_log).chain(&args.skipped).chain(&args.seeds);
    let lists = lists.map(PathBuf::as_path);
    read.chain(lists).try_for_each(|path| files.read(Some(path)))?;
    let history = match &args.history {
        Some(path) => {
            let history = History::read(sitemaps::open(path)?).map_err(|error| error.at_file(path))?;
            Some((history, path.display().to_string()))
        }
        None => None,
    };
    if args.ignore_below.is_some() && args.change_importance == ChangeArg::None {
        return Err(Error::usage("--ignore-below needs the importance of changes")
            .with_remedy("leave out --change-importance none")
            .into());
    }
    let meter = match args.change_importance {
        ChangeArg::Auto => Some(ChangeMeter::new(weights(args.weights.as_deref())?, MAX_COMPARED_BYTES)),
        ChangeArg::None => None,
    };
    let input = args.read_until_limit().read(&sources, wanted, false, files)?;
    let (mut reading, mut log) = (input.reading, input.log);
    for (names, given) in [(&visit, &args.visit), (&revisit, &args.revisit)] {
        if !given.is_empty() && numbers(&reading.inputs, names).is_empty() {
            args.reading.report_problems(&log);
            let given = given.join(OsStr::new(" "));
            return Err(nothing_found(names.len()).at_file(given).into());
        }
    }
    let captured = std::mem::take(&mut reading.sitemaps);
    let sitemaps = sitemaps::gather(&args.sitemap, captured, &mut |problem| log.push(problem))?;
    let mut parameters = args.parameters(&reading.inputs, &visit, &revisit);
    parameters.companions = numbers(&reading.inputs, &companions);
    if let Some(division) = division {
        parameters.division = division;
    }
    parameters.rate_priors = args.rate_priors(files)?;
    for path in &args.seeds {
        let list = seed_list::parse(&sitemaps::text_of(path)?);
        parameters.seeds.extend(list.urls);
        let name = path.display().to_string();
        list.problems.into_iter().try_for_each(|problem| log.push(problem.in_file(&name)))?;
    }
    let listed = reading.pages.iter().filter(|page| page.is_seed == Some(true));
    parameters.seeds.extend(listed.map(|page| page.url.clone()));
    if let Some(below) = args.ignore_below {
        let of_table = meter.as_ref().map_or(0.0, |meter| meter.weights().changed.below);
        parameters.ignore_below = Some(if let Below::Given(below) = below { below } else { of_table });
        parameters.compare = Compare::Text;
    }
    let importance = args.importance(parameters.canon, &mut |problem| log.push(problem))?;
    let how = Tabling {
        hashed: args.show.html.is_some(),
        memory: args.reading.memory,
        // These compare pages of all sites, or change the table, so they need one table of all captures.
        local: importance.is_local() && args.ignore_below.is_none(),
    };
    let tabled = tabulate(&mut reading, &parameters, &mut log, how)?;
    has_site(&tabled, &parameters)?;
    parameters.explain = super::pages::named(&tabled, &parameters, &args.explain)?;
    let beside = AuditExtras {
        sitemaps,
        fates: args.fates(parameters.canon, &mut |problem| log.push(problem))?,
        importance,
        history,
        meter,
        verified: args.reading.digests == DigestsArg::Verify,
        has_options: args.has_options(),
        is_part: args.part_of.is_some(),
        typed: args.typed(),
        max_pages,
    };
    Ok(Prepared { reading, tabled, log, parameters, beside })
}

/// The weights of changes, with what the user's file overrides.
pub(super) fn weights(path: Option<&Path>) -> crate::Result<ChangeWeights> {
    let Some(path) = path else { return Ok(ChangeWeights::default()) };
    ChangeWeights::with_overrides(&sitemaps::text_of(path)?).map_err(|error| error.at_file(path))
}

/// A site that was asked for has to be there.
fn has_site(tabled: &Tabled, parameters: &Parameters) -> crate::Result<()> {
    let Some(site) = &parameters.site else { return Ok(()) };
    let captured = tabled.captured(parameters);
    if captured.span.is_none() || captured.sites.contains(site) {
        return Ok(());
    }
    let error = Error::usage(why_none(&captured, parameters));
    Err(match super::pages::nearest(site, captured.sites.iter().map(String::as_str)) {
        Some(near) => error.with_remedy(format!("did you mean {near}?")),
        None => error.with_remedy("`acuity audit` without --site lists the sites"),
    })
}

/// A page whose story was asked for has to be there, or be known to be missing.
fn explained(audit: &Audit, tabled: &Tabled, parameters: &Parameters, url: &str) -> crate::Result<()> {
    if is_missing(audit, url) {
        return Ok(());
    }
    if url.starts_with('/') {
        return Err(super::pages::none(tabled, parameters, url)?);
    }
    let keys: HashSet<String> = HashSet::from([parameters.canon.key(url), url.to_owned()]);
    let mut pages = audit.sites.iter().flat_map(|site| &site.page_list);
    // Where the pages are too many to list, those whose story was asked for are in the table of pages.
    if pages.any(|page| keys.contains(&page.key)) || audit.sites.iter().any(|site| site.page_totals.is_some())
    {
        return Ok(());
    }
    let message = format!("no page {url} was captured in what was audited");
    let mut captured = false;
    tabled.for_each_table(&mut |table| {
        captured |= keys.iter().any(|key| table.page(key).is_some());
        Ok(())
    })?;
    Err(Error::usage(message).with_remedy(if captured {
        "it was captured, but as no HTML page, or outside of the dates, site or sets: try --pages all"
    } else {
        "`acuity index` lists what was captured"
    }))
}
