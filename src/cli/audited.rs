//! What schedules and plans are made from: an audit, read back or made of archives and indexes.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::Result;

use super::audit;
use super::audit_args::AuditArgs;
use super::exit::Exit;
use super::files::Files;
use super::input::ReadArgs;
use super::report_file::read_audit;
use crate::audit::Audit;
use crate::audit::model::PageAudit;
use crate::audit::next::shelf::{Shelf, shelve};
use crate::format::count;
use crate::time::Instant;

/// Pages, and downloads, that take more than this part of `--memory` lie in temporary files.
pub(super) const SHARE: usize = 8;

/// Keeps one site of an audit, which has to be there.
pub(super) fn only(audit: &mut Audit, name: &str) -> crate::Result<()> {
    if !audit.sites.iter().any(|site| site.site == name) {
        let error = crate::Error::usage(format!("there is no site {name}"));
        return Err(match super::pages::nearest(name, audit.sites.iter().map(|site| site.site.as_str())) {
            Some(near) => error.with_remedy(format!("did you mean {near}?")),
            None => error.with_remedy("`acuity audit` lists the sites"),
        });
    }
    audit.sites.retain(|site| site.site == name);
    Ok(())
}

/// The audit: read back, or made of archives and indexes.
pub(super) fn load_audit(
    inputs: &[OsString],
    reading: &ReadArgs,
    files: &mut Files,
) -> Result<(Audit, Exit)> {
    let mut pages: Vec<Vec<PageAudit>> = Vec::new();
    let (mut audit, is_apart, exit) = load(inputs, reading, files, &mut |entry, page| {
        pages.resize_with(pages.len().max(entry + 1), Vec::new);
        pages[entry].push(page.for_plans());
        Ok(())
    })?;
    if is_apart {
        pages.resize_with(audit.sites.len(), Vec::new);
        for (site, pages) in audit.sites.iter_mut().zip(pages) {
            (site.page_list, site.page_totals) = (pages, None);
        }
    }
    Ok((audit, exit))
}

/// The same for schedules: of the pages of each site only what these are made from is kept, and what is more than a part of
/// `--memory` lies in a temporary file.
pub(super) fn load_pages(
    inputs: &[OsString],
    reading: &ReadArgs,
    files: &mut Files,
) -> Result<(Audit, Shelf, Exit)> {
    let limit = reading.memory / SHARE;
    let mut shelf = Shelf::new(limit);
    let (mut audit, is_shelved, exit) =
        load(inputs, reading, files, &mut |entry, page| shelf.push(entry, page))?;
    if !is_shelved {
        shelf = shelve(&mut audit.sites, limit)?;
    }
    Ok((audit, shelf, exit))
}

/// Refuses a report that holds no pages, because they are too many for it.
fn has_pages(audit: &Audit, report: &Path) -> crate::Result<()> {
    let lacking = audit.sites.iter().find(|site| site.page_list.is_empty() && site.page_totals.is_some());
    lacking.map_or(Ok(()), |site| {
        let message = format!(
            "this report has totals of the {} of {}, not the pages: they are too many for it",
            count(site.all_pages(), "page"),
            site.site
        );
        let remedy = "give the archives, or an index of them, in its place";
        Err(crate::Error::data(message).at_file(report).with_remedy(remedy))
    })
}

/// An audit. Read back, it holds its pages; made of archives and indexes, each page is handed to `keep` with the number of its
/// entry, and `true` is returned.
fn load(
    inputs: &[OsString],
    reading: &ReadArgs,
    files: &mut Files,
    keep: &mut dyn FnMut(usize, &PageAudit) -> io::Result<()>,
) -> Result<(Audit, bool, Exit)> {
    let (mut reports, mut archives) = (Vec::new(), Vec::new());
    for input in inputs {
        if is_report(input) { reports.push(input) } else { archives.push(input.clone()) }
    }
    match (&reports[..], &archives[..]) {
        ([report], []) => {
            let path = Path::new(report);
            files.read(Some(path))?;
            let audit = read_audit(path, reading.memory)?;
            has_pages(&audit, path)?;
            Ok((audit, false, Exit::Done))
        }
        ([], _) => {
            let plain = AuditArgs::plain(&archives, reading)?;
            let (audit, log) =
                audit::perform(&plain, files, Some(0), &mut |entry, _, page| keep(entry, page))?;
            reading.report_problems(&log);
            let exit = reading.exit(&log, Exit::Done);
            Ok((audit, true, exit))
        }
        _ => Err(crate::Error::usage("an audit cannot be joined with other inputs")
            .with_remedy("give one audit, or archives and indexes")
            .into()),
    }
}

/// Whether a file is an audit: JSON, not lines of it, whose first key is the schema.
fn is_report(path: &OsStr) -> bool {
    if !Path::new(path).is_file() {
        return false;
    }
    let mut head = [0; 256];
    let read = File::open(path).and_then(|mut file| file.read(&mut head)).unwrap_or(0);
    let head: String = String::from_utf8_lossy(&head[..read]).split_whitespace().collect();
    head.trim_start_matches('\u{feff}').starts_with("{\"schema\":\"acuity.")
}

/// A date of the command line.
pub(super) fn instant(date: &str) -> Result<Instant> {
    Instant::parse(date).ok_or_else(|| {
        crate::Error::usage(format!("{date:?} is not a date"))
            .with_remedy("write 2030-01-31T12:00:00Z")
            .into()
    })
}
