//! The audit as CSV files: the content of the JSON, one file for each kind of row.
//!
//! Columns are named by the keys of the JSON, dots between them. Unknown is an empty cell; a list of texts or numbers
//! is a cell of JSON. `entry` counts the entries of `sites[]` from 0 and ties the files together.

mod columns;
mod page_table;
mod problem_table;

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use self::columns::*;
pub(crate) use self::page_table::PageTable;
pub(crate) use self::problem_table::ProblemTable;
use super::escape;
use crate::audit::model::{Audit, PageAudit, SiteAudit};

/// One file: its name and its columns.
struct Sheet {
    writer: ::csv::Writer<fs::File>,
    columns: &'static [&'static str],
}

impl Sheet {
    fn create(folder: &Path, name: &str, columns: &'static [&'static str]) -> io::Result<Self> {
        let mut writer = ::csv::Writer::from_path(folder.join(name)).map_err(io::Error::other)?;
        writer.write_record(columns)?;
        Ok(Sheet { writer, columns })
    }

    /// Writes one row: the first columns as given, the others by their names.
    fn row(&mut self, first: &[&str], value: &impl Serialize) -> io::Result<()> {
        let value = serde_json::to_value(value)?;
        let rest = self.columns[first.len()..].iter().map(|column| cell(&value, column));
        let first = first.iter().map(|text| escape::csv(text).into_owned());
        self.writer.write_record(first.chain(rest))?;
        Ok(())
    }
}

/// The value at a dotted path, as a cell.
fn cell(value: &Value, path: &str) -> String {
    path.split('.').try_fold(value, |value, key| value.get(key)).map(text).unwrap_or_default()
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => escape::csv(text).into_owned(),
        other if other.as_f64() == Some(-0.0) && other.is_f64() => "0.0".to_owned(),
        other => other.to_string(),
    }
}

/// All values below that are not objects, with their dotted paths.
fn flatten<'a>(value: &'a Value, path: &str, leaves: &mut Vec<(String, &'a Value)>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                flatten(field, &path, leaves);
            }
        }
        leaf => leaves.push((path.to_owned(), leaf)),
    }
}

/// All files that there may be, with their columns.
pub const FILES: [(&str, &[&str]); 37] = [
    ("audit.csv", AUDIT),
    ("inputs.csv", INPUTS),
    ("problems.csv", PROBLEMS),
    ("problem_counts.csv", PROBLEM_COUNTS),
    ("actions.csv", ACTIONS),
    ("profile_types.csv", PROFILE_TYPES),
    ("profile_months.csv", PROFILE_MONTHS),
    ("profile_years.csv", PROFILE_MONTHS),
    ("profile_hosts.csv", PROFILE_HOSTS),
    ("samples.csv", SAMPLES),
    ("seeds.csv", SEEDS),
    ("ratings.csv", RATINGS),
    ("answer_changes.csv", ANSWER_CHANGES),
    ("site_changes.csv", SITE_CHANGES),
    ("action_outcomes.csv", OUTCOMES),
    ("since.csv", SINCE),
    ("sites.csv", SITES),
    ("pages.csv", PAGES),
    ("intervals.csv", INTERVALS),
    ("curve.csv", CURVE),
    ("findings.csv", FINDINGS),
    ("crawls.csv", CRAWLS),
    ("changes.csv", CHANGES),
    ("missing.csv", MISSING),
    ("excluded.csv", EXCLUDED),
    ("patterns.csv", PATTERNS),
    ("strips.csv", STRIPS),
    ("plan.csv", PLAN),
    ("strategies.csv", STRATEGIES),
    ("repair.csv", REPAIR),
    ("promised.csv", PROMISED),
    ("looks.csv", LOOKS),
    ("gaps.csv", GAPS),
    ("runs.csv", RUNS),
    ("block_changes.csv", BLOCK_CHANGES),
    ("blocks.csv", BLOCKS),
    ("terms.csv", TERMS),
];

/// Writes all files into `unfinished`, and when all are complete moves them to `folder`; files of an earlier audit that this one
/// lacks are removed there, so that a folder never holds parts of two.
pub(crate) fn write(folder: &Path, unfinished: &Path, audit: &Audit) -> io::Result<()> {
    write_files(unfinished, audit)?;
    for (name, _) in FILES {
        // The content has to be on the disk before the name is, or a power cut leaves an empty file.
        match fs::File::open(unfinished.join(name)) {
            Ok(file) => file.sync_all()?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    for (name, columns) in FILES {
        let (new, place) = (unfinished.join(name), folder.join(name));
        if new.exists() {
            fs::rename(&new, &place)?;
        } else if is_ours(&place, columns) {
            fs::remove_file(&place)?;
        }
    }
    Ok(())
}

/// Whether a file begins as those written here do.
fn is_ours(path: &Path, columns: &[&str]) -> bool {
    let head = columns.join(",");
    let mut start = vec![0; head.len()];
    fs::File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && start == head.as_bytes()
}

fn write_files(folder: &Path, audit: &Audit) -> io::Result<()> {
    write_whole(folder, audit)?;
    let mut actions = Sheet::create(folder, "actions.csv", ACTIONS)?;
    for action in &audit.actions {
        actions.row(&[], action)?;
    }
    write_beside(folder, audit)?;
    let mut sites = Sheet::create(folder, "sites.csv", SITES)?;
    let mut pages = Sheet::create(folder, "pages.csv", PAGES)?;
    let mut intervals = Sheet::create(folder, "intervals.csv", INTERVALS)?;
    let mut curve = Sheet::create(folder, "curve.csv", CURVE)?;
    let mut findings = Sheet::create(folder, "findings.csv", FINDINGS)?;
    let mut crawls = Sheet::create(folder, "crawls.csv", CRAWLS)?;
    let mut changes = Sheet::create(folder, "changes.csv", CHANGES)?;
    let mut missing = Sheet::create(folder, "missing.csv", MISSING)?;
    let mut excluded = Sheet::create(folder, "excluded.csv", EXCLUDED)?;
    let mut patterns = Sheet::create(folder, "patterns.csv", PATTERNS)?;
    let mut strips = Sheet::create(folder, "strips.csv", STRIPS)?;
    let mut plan = Sheet::create(folder, "plan.csv", PLAN)?;
    let mut strategies = Sheet::create(folder, "strategies.csv", STRATEGIES)?;
    let mut repair = Sheet::create(folder, "repair.csv", REPAIR)?;
    if let Some(promised) = &audit.promised {
        let mut pages = Sheet::create(folder, "promised.csv", PROMISED)?;
        rows(&mut pages, &[], &promised.page_list)?;
        pages.writer.flush()?;
    }
    for crawl in &audit.summary.crawls {
        crawls.row(&["", ""], crawl)?;
    }
    for (entry, site) in audit.sites.iter().enumerate() {
        let entry = entry.to_string();
        let name = site.site.as_str();
        let levels = &site.coherence;
        for (kind, level) in [
            ("best", &levels.best),
            ("best_by_weight", &levels.best_by_weight),
            ("full", &levels.full),
            ("best_claimed", &levels.claimed),
        ] {
            for window in &level.intervals {
                intervals.row(&[&entry, name, kind, ""], window)?;
            }
        }
        for crawl in &site.crawls {
            crawls.row(&[&entry, name], crawl)?;
        }
        for point in &levels.curve {
            curve.row(&[&entry, name], point)?;
        }
        for page in &site.page_list {
            pages.row(&[&entry, name], page)?;
            for (kind, windows) in [("proven", &page.proven), ("claimed", &page.claimed)] {
                for window in windows {
                    intervals.row(&[&entry, name, kind, &page.key], window)?;
                }
            }
            for outer in &page.outer {
                intervals.row(&[&entry, name, "outer", &page.key], outer)?;
            }
            if let Some(pattern) = &page.pattern {
                rows(&mut strips, &[&entry, name, &page.key, ""], &pattern.strips)?;
            }
            for change in page.change_importance.iter().flatten() {
                changes.row(&[&entry, name, &page.key], change)?;
            }
        }
        let found = &site.findings;
        let first = |kind| [&*entry, name, kind];
        rows(&mut findings, &first("changed_mid_crawl"), &found.changed_mid_crawl)?;
        rows(
            &mut findings,
            &first("contradicted_last_modified"),
            &found.contradicted_last_modified.examples,
        )?;
        rows(&mut findings, &first("statuses"), &found.statuses)?;
        rows(&mut findings, &first("folders"), &found.folders)?;
        rows(&mut findings, &first("worst"), &found.worst)?;
        rows(&mut findings, &first("soft404"), &found.soft404)?;
        rows(&mut missing, &[&*entry, name], site.missing.as_deref().unwrap_or_default())?;
        let left_out = site.completeness.as_ref().map_or(&[][..], |found| &found.excluded);
        rows(&mut excluded, &[&*entry, name], left_out)?;
        for (number, class) in site.patterns.iter().flatten().enumerate() {
            patterns.row(&[&entry, name, ""], class)?;
            rows(&mut strips, &[&entry, name, "", &number.to_string()], &class.pattern.strips)?;
        }
        if let Some(recommended) = &site.reschedule {
            rows(&mut plan, &[&*entry, name], &recommended.plan)?;
            rows(&mut strategies, &[&*entry, name], &recommended.strategies)?;
        }
        if let Some(found) = &site.repair {
            rows(&mut repair, &[&*entry, name], &found.fetches)?;
        }
        sites.row(&[&entry], &scalars(site))?;
    }
    for mut sheet in [
        actions, sites, pages, intervals, curve, findings, crawls, changes, missing, excluded, patterns,
        strips, plan, strategies, repair,
    ] {
        sheet.writer.flush()?;
    }
    write_stories(folder, audit)
}

/// What was captured, what people said, and what changed since an earlier audit: each where it is known.
fn write_beside(folder: &Path, audit: &Audit) -> io::Result<()> {
    fn file(
        folder: &Path,
        name: &str,
        columns: &'static [&'static str],
        values: &[impl Serialize],
    ) -> io::Result<()> {
        let mut sheet = Sheet::create(folder, name, columns)?;
        rows(&mut sheet, &[], values)?;
        sheet.writer.flush()
    }
    if let Some(profile) = &audit.profile {
        file(folder, "profile_types.csv", PROFILE_TYPES, &profile.types)?;
        file(folder, "profile_months.csv", PROFILE_MONTHS, &profile.months)?;
        file(folder, "profile_years.csv", PROFILE_MONTHS, &profile.years)?;
        file(folder, "profile_hosts.csv", PROFILE_HOSTS, &profile.hosts)?;
        file(folder, "samples.csv", SAMPLES, &profile.samples)?;
        if let Some(seeds) = &profile.seeds {
            file(folder, "seeds.csv", SEEDS, &seeds.list)?;
        }
    }
    if let Some(review) = &audit.review {
        file(folder, "ratings.csv", RATINGS, &review.ratings)?;
    }
    if let Some(comparison) = &audit.comparison {
        file(folder, "answer_changes.csv", ANSWER_CHANGES, &comparison.answers)?;
        file(folder, "site_changes.csv", SITE_CHANGES, &comparison.sites)?;
        file(folder, "action_outcomes.csv", OUTCOMES, &comparison.actions)?;
        file(folder, "since.csv", SINCE, &comparison.said)?;
    }
    Ok(())
}

fn rows(sheet: &mut Sheet, first: &[&str], values: &[impl Serialize]) -> io::Result<()> {
    values.iter().try_for_each(|value| sheet.row(first, value))
}

/// A site without its long lists, which have files of their own.
fn scalars(site: &SiteAudit) -> Value {
    serde_json::json!({
        "site": site.site,
        "window": site.window,
        "observations": site.observations,
        "capture_times": site.capture_times,
        "pages": site.pages,
        "coherence": site.coherence,
        "blur": site.blur,
        "rates": site.rates,
        "basis": site.basis,
        "answers": site.answers,
        "findings": site.findings,
        "completeness": site.completeness,
        "reschedule": site.reschedule,
        "repair": site.repair,
        "delay_seconds": site.delay_seconds,
        "verdict": site.verdict,
        "next": site.next,
        "page_totals": site.page_totals,
    })
}

/// The files of stories, where some were asked for.
fn write_stories(folder: &Path, audit: &Audit) -> io::Result<()> {
    let pages = |site: &'_ SiteAudit| -> bool { site.page_list.iter().any(|page| page.story.is_some()) };
    if !audit.sites.iter().any(pages) {
        return Ok(());
    }
    let mut looks = Sheet::create(folder, "looks.csv", LOOKS)?;
    let mut gaps = Sheet::create(folder, "gaps.csv", GAPS)?;
    let mut runs = Sheet::create(folder, "runs.csv", RUNS)?;
    let mut changes = Sheet::create(folder, "block_changes.csv", BLOCK_CHANGES)?;
    let mut blocks = Sheet::create(folder, "blocks.csv", BLOCKS)?;
    let mut terms = Sheet::create(folder, "terms.csv", TERMS)?;
    for (entry, site) in audit.sites.iter().enumerate() {
        let entry = entry.to_string();
        for PageAudit { key, story, .. } in &site.page_list {
            let Some(story) = story else { continue };
            let first = [&*entry, &*site.site, &**key];
            for (number, look) in story.looks.iter().enumerate() {
                looks.row(&[&*entry, &site.site, key, &number.to_string()], look)?;
            }
            rows(&mut gaps, &first, &story.gaps)?;
            rows(&mut runs, &first, &story.runs)?;
            for (change, told) in story.changes.iter().enumerate() {
                let change = change.to_string();
                changes.row(&[&*entry, &site.site, key, &change], told)?;
                for (number, block) in told.change.iter().flat_map(|found| &found.changes).enumerate() {
                    let first = [&*entry, &site.site, key, &change, &number.to_string()];
                    blocks.row(&first, block)?;
                    rows(&mut terms, &first, &block.terms)?;
                }
            }
        }
    }
    [looks, gaps, runs, changes, blocks, terms].iter_mut().try_for_each(|sheet| sheet.writer.flush())
}

fn write_whole(folder: &Path, audit: &Audit) -> io::Result<()> {
    let mut sheet = Sheet::create(folder, "audit.csv", AUDIT)?;
    let summary = &audit.summary;
    use serde_json::json;
    let whole = json!({
        "schema": audit.schema,
        "tool_version": audit.tool_version,
        "parameters": audit.parameters,
        "summary": {
            "verdict": summary.verdict,
            "observations": summary.observations,
            "urls": summary.urls,
            "pages": summary.pages,
            "sites": summary.sites,
            "files": summary.files,
            "window": summary.window,
            "left_out": summary.left_out,
            "completeness": summary.completeness,
        },
        "assumptions": audit.assumptions,
        "replay": audit.replay,
        "review": audit.review.as_ref().map(|review| json!({
            "file": review.file,
            "pages": review.pages,
            "carried_over": review.carried_over,
            "not_audited": review.not_audited,
        })),
    });
    let mut leaves = Vec::new();
    flatten(&whole, "", &mut leaves);
    for (name, value) in leaves {
        sheet.writer.write_record([name, text(value)])?;
    }
    sheet.writer.flush()?;
    let mut inputs = Sheet::create(folder, "inputs.csv", INPUTS)?;
    rows(&mut inputs, &[], &audit.inputs)?;
    inputs.writer.flush()?;
    let mut problems = Sheet::create(folder, "problems.csv", PROBLEMS)?;
    rows(&mut problems, &[], &audit.problems)?;
    problems.writer.flush()?;
    let mut counts = Sheet::create(folder, "problem_counts.csv", PROBLEM_COUNTS)?;
    rows(&mut counts, &[], &summary.problems)?;
    counts.writer.flush()
}

#[cfg(test)]
mod tests;
