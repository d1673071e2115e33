//! The audit on a terminal: the answer first, then a table per site, the worst pages, findings, and what to run next.

use std::io::{self, Write};

use comfy_table::ColumnConstraint;

use super::completeness;
use super::escape::terminal;
use super::first_screen::worst_first;
use super::layout::{Screen, Tone, UNKNOWN, shorten, width};
use super::{figures, findings, first_screen, profile_table, promised};
use crate::audit::model::{Answer, Audit, Band, SiteAudit, Together};
use crate::capture::page::PageFilter;
use crate::change::evidence::Compare;
use crate::format::{clock, count, figure, lasting, local, number, percent, period, span};

/// How many sites the overview lists.
const MAX_LISTED_SITES: usize = 20;
/// How many sites are ranked by their answers.
const MAX_RANKED_SITES: usize = 500;
/// Maximum number of sites that are all shown in detail.
const MAX_SITES_IN_FULL: usize = 3;
/// Maximum number of worst pages shown.
const MAX_WORST_PAGES: usize = 5;

/// Writes the report: the `details` worst sites with all their figures, the others in the overview. Without a number, a
/// few sites are all shown in detail, of many none.
pub(crate) fn write(
    out: &mut dyn Write,
    audit: &Audit,
    screen: Screen,
    details: Option<usize>,
) -> io::Result<()> {
    head(out, audit, screen)?;
    let sites = worst_first(audit);
    if sites.len() > 1 {
        writeln!(out)?;
        by_band(out, &sites, screen)?;
        writeln!(out)?;
        let mut largest = sites.clone();
        largest.sort_by(|a, b| {
            (b.pages.total, &a.site, a.window.from).cmp(&(a.pages.total, &b.site, b.window.from))
        });
        overview(out, &largest, screen)?;
    }
    let details = details.unwrap_or(if sites.len() <= MAX_SITES_IN_FULL { MAX_SITES_IN_FULL } else { 0 });
    for site in sites.iter().take(details) {
        writeln!(out)?;
        write_site(out, audit, site, screen, sites.len() > 1)?;
    }
    if sites.len() > details {
        let text = "--site NAME shows one site in detail, --details=N the N worst ones.";
        write!(out, "\n{}", screen.paragraph("", text, Tone::Faint))?;
    }
    if let Some(promised) = &audit.promised {
        promised::write(out, promised, screen)?;
    }
    if let Some(profile) = &audit.profile {
        profile_table::write(out, profile, screen)?;
    }
    record(out, audit, screen)?;
    let notes = findings::of_archive(audit);
    if !notes.is_empty() {
        writeln!(out, "\n{}", screen.toned(Tone::Heading, "About the archive"))?;
        for note in notes {
            write!(out, "{}", screen.paragraph("  - ", &note, Tone::Plain))?;
        }
    }
    write!(out, "\n{}", screen.paragraph("", &method(audit), Tone::Faint))
}

fn head(out: &mut dyn Write, audit: &Audit, screen: Screen) -> io::Result<()> {
    let summary = &audit.summary;
    let size = format!(
        "{}: {}, {}, {}",
        first_screen::files(audit),
        count(summary.sites, "site"),
        count(summary.pages, "page"),
        count(summary.observations, "capture"),
    );
    write!(out, "{}", screen.paragraph("", &size, Tone::Heading))?;
    if let Some(window) = summary.window {
        let text =
            format!("Captured {} ({})", period(window.from, window.to), lasting(window.from, window.to));
        write!(out, "{}", screen.paragraph("", &text, Tone::Plain))?;
    }
    writeln!(out)?;
    let tone = match &audit.sites[..] {
        [only] => tone(only),
        _ => Tone::Plain,
    };
    write!(out, "{}", screen.paragraph("", &summary.verdict, tone))
}

/// Why the record is in doubt: what its answer above has no room for.
fn record(out: &mut dyn Write, audit: &Audit, screen: Screen) -> io::Result<()> {
    let more = audit.answers.record.more_reasons();
    if more.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{}", screen.toned(Tone::Heading, "Trustworthy? More reasons"))?;
    for reason in more {
        write!(out, "{}", screen.paragraph("  - ", reason, Tone::Plain))?;
    }
    Ok(())
}

fn tone(site: &SiteAudit) -> Tone {
    match site.coherence.together() {
        Together::All => Tone::Good,
        Together::Part => Tone::Poor,
        Together::Unproven => Tone::Plain,
    }
}

/// All sites, worst first, with their answers and why: in a column of its own, or below the site where that would be narrow.
fn by_band(out: &mut dyn Write, sites: &[&SiteAudit], screen: Screen) -> io::Result<()> {
    let mut table = screen.table();
    let shown = &sites[..sites.len().min(MAX_RANKED_SITES)];
    // A name is cut only where a row without reasons has no room for it.
    let room = screen.width.saturating_sub(36).max(20);
    let names = shown.iter().map(|site| width(&shorten(&site.site, room))).max().unwrap_or(0).max(17);
    let is_below = screen.width.saturating_sub(names + 45) < first_screen::WHY_ROOM;
    let mut header = vec![screen.cell("Site, worst first", Tone::Heading)];
    header.push(screen.number("Pages", Tone::Heading));
    for name in ["Consistent?", "Complete?", "Why"].into_iter().take(if is_below { 2 } else { 3 }) {
        header.push(screen.cell(name, Tone::Heading));
    }
    table.set_header(header);
    // A name is never broken: --site takes it.
    if let Some(column) = table.column_mut(0) {
        column.set_constraint(ColumnConstraint::ContentWidth);
    }
    for site in shown {
        let band = |answer: &Answer| {
            let name = answer.band.map_or("", Band::name);
            screen.cell(name, first_screen::tone(answer.band))
        };
        let mut row = vec![
            screen.cell(&shorten(&site.site, room), Tone::Plain),
            screen.number(&number(site.all_pages()), Tone::Plain),
            band(&site.answers.consistent),
            band(&site.answers.complete),
        ];
        if !is_below {
            row.push(screen.cell(&site.answers.why, Tone::Plain));
        }
        table.add_row(row);
    }
    let text = table.trim_fmt();
    let head = text.lines().count().saturating_sub(shown.len());
    for (number, line) in text.lines().enumerate() {
        writeln!(out, "{line}")?;
        if let Some(site) = number.checked_sub(head).filter(|_| is_below).and_then(|row| shown.get(row)) {
            write!(out, "{}", screen.paragraph("    ", &site.answers.why, Tone::Plain))?;
        }
    }
    if sites.len() > MAX_RANKED_SITES {
        let text = format!(
            "{} more are in --json, --csv and --html.",
            number((sites.len() - MAX_RANKED_SITES) as u64)
        );
        write!(out, "{}", screen.paragraph("", &text, Tone::Faint))?;
    }
    Ok(())
}

/// The sites, one a row. A name that has no room in its column, or several rows, stands above them: it is what --site takes.
fn overview(out: &mut dyn Write, sites: &[&SiteAudit], screen: Screen) -> io::Result<()> {
    let repeated = sites.iter().any(|site| sites.iter().filter(|other| other.site == site.site).count() > 1);
    let mut table = screen.table();
    let mut header = vec![screen.cell(if repeated { "Site, from (UTC)" } else { "Site" }, Tone::Heading)];
    for name in ["Pages", "Same", "Chgd", "Once", "Unkn", "Tog.", "Away"] {
        header.push(screen.number(name, Tone::Heading));
    }
    table.set_header(header);
    let room = screen.width.saturating_sub(57).clamp(12, 60);
    let mut above: Vec<Option<&str>> = Vec::new();
    for site in sites.iter().take(MAX_LISTED_SITES) {
        let name = terminal(&site.site);
        let is_above = repeated || width(&name) > room;
        let is_new = above.is_empty() || sites[above.len() - 1].site != site.site;
        above.push((is_above && is_new).then_some(&site.site));
        let from = clock(site.window.from);
        let first = match () {
            () if repeated => format!("  {}", from.get(..16).unwrap_or(&from)),
            () if is_above => String::new(),
            () => name.into_owned(),
        };
        let mut row = vec![screen.cell(&first, Tone::Plain)];
        let pages = &site.pages;
        for number in [pages.total, pages.sharp, pages.changed, pages.single, pages.unknown] {
            row.push(screen.number(&number.to_string(), Tone::Plain));
        }
        let best = site.coherence.best.share;
        row.push(screen.number(&best.map_or_else(|| UNKNOWN.to_owned(), percent), tone(site)));
        let blur = site.blur_mean();
        let blur = blur.map_or_else(|| UNKNOWN.to_owned(), figure);
        row.push(screen.number(&blur, Tone::Plain));
        table.add_row(row);
    }
    let text = table.trim_fmt();
    let lines: Vec<&str> = text.lines().collect();
    let head = lines.len().saturating_sub(above.len());
    for (number, line) in lines.iter().enumerate() {
        let name = number.checked_sub(head).and_then(|row| above[row]);
        name.map_or(Ok(()), |name| writeln!(out, " {}", shorten(name, screen.width - 1)))?;
        writeln!(out, "{line}")?;
    }
    if sites.len() > MAX_LISTED_SITES {
        let text = format!(
            "{} smaller ones are not listed; --json and --csv have them all.",
            sites.len() - MAX_LISTED_SITES
        );
        write!(out, "{}", screen.paragraph("", &text, Tone::Faint))?;
    }
    let text = "Same: unchanged. Tog. (coherence): the most pages proven to have been online together at one moment; – cannot \
                be proven either way. Away (blur): versions that a replayed page is expected to be away from what was online.";
    write!(out, "{}", screen.paragraph("", text, Tone::Faint))
}

fn write_site(
    out: &mut dyn Write,
    audit: &Audit,
    site: &SiteAudit,
    screen: Screen,
    several: bool,
) -> io::Result<()> {
    let mut title = shorten(&site.site, screen.width.saturating_sub(30).max(20));
    if site.crawls.len() > 1 {
        title.push_str(&format!(", {} crawls", site.crawls.len()));
    }
    writeln!(out, "{}", screen.toned(Tone::Heading, &title))?;
    if several {
        write!(out, "{}", screen.paragraph("", &site.verdict, tone(site)))?;
    }
    let divided = site.crawls.len() > 1 || audit.parameters.crawls != "whole";
    for (number, crawl) in site.crawls.iter().enumerate().filter(|_| divided) {
        let names = crawl.names.iter().take(2).map(|name| shorten(name, 30)).collect::<Vec<_>>().join(", ");
        let text = format!(
            "Crawl {}: {} UTC, {} ({names}{})",
            number + 1,
            span(crawl.from, crawl.to),
            count(crawl.observations, "capture"),
            if crawl.names.len() > 2 { ", …" } else { "" }
        );
        write!(out, "{}", screen.paragraph("", &text, Tone::Faint))?;
    }
    figures(out, site, screen, &audit.parameters.weights)?;
    worst(out, site, screen, audit.parameters.weights != "uniform")?;
    super::since::reviews(out, site, screen)?;
    completeness::missing(out, site, screen)?;
    completeness::patterns(out, site, screen)?;
    let notes = findings::of_site(audit, site);
    if !notes.is_empty() {
        writeln!(out, "\n{}", screen.toned(Tone::Heading, "Findings"))?;
        for note in notes {
            write!(out, "{}", screen.paragraph("  - ", &note, Tone::Plain))?;
        }
    }
    if !site.next.is_empty() {
        writeln!(out, "\n{}", screen.toned(Tone::Heading, "Next"))?;
    }
    for next in &site.next {
        write!(out, "{}", screen.paragraph("  - ", next, Tone::Plain))?;
    }
    if let Some(recommended) = &site.reschedule {
        writeln!(out, "\n{}", screen.toned(Tone::Heading, "Next crawl"))?;
        write!(out, "{}", screen.paragraph("  - ", &recommended.text, Tone::Plain))?;
        write!(out, "{}", screen.paragraph("  - ", &recommended.command, Tone::Plain))?;
    }
    Ok(())
}

fn figures(out: &mut dyn Write, site: &SiteAudit, screen: Screen, weights: &str) -> io::Result<()> {
    let mut table = screen.table();
    for figure in figures::of_site(site, weights) {
        table.add_row(vec![
            screen.cell(figure.name, Tone::Plain),
            screen.number(&figure.value, if figure.is_verdict { tone(site) } else { Tone::Plain }),
            screen.cell(&figure.says, Tone::Plain),
        ]);
    }
    writeln!(out, "{}", table.trim_fmt())
}

/// The worst pages: by blur, times weight where pages are `weighed`.
fn worst(out: &mut dyn Write, site: &SiteAudit, screen: Screen, weighed: bool) -> io::Result<()> {
    let pages = &site.findings.worst;
    if pages.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let mut table = screen.table();
    let mut header = vec![screen.cell("Worst pages", Tone::Heading), screen.number("Blur", Tone::Heading)];
    header.extend(weighed.then(|| screen.number("× Weight", Tone::Heading)));
    header.push(screen.cell("Why", Tone::Heading));
    table.set_header(header);
    let longest =
        pages.iter().take(MAX_WORST_PAGES).map(|page| width(local(&page.url, &site.site))).max().unwrap_or(0);
    let room = longest.min(screen.width * 2 / 5);
    for page in pages.iter().take(MAX_WORST_PAGES) {
        let mut row = vec![
            screen.cell(&shorten(local(&page.url, &site.site), room), Tone::Plain),
            screen.number(&figure(page.blur), Tone::Plain),
        ];
        let weight = page.weight.map_or_else(|| UNKNOWN.to_owned(), figure);
        row.extend(weighed.then(|| screen.number(&weight, Tone::Plain)));
        row.push(screen.cell(&page.reason, Tone::Plain));
        table.add_row(row);
    }
    writeln!(out, "{}", table.trim_fmt())
}

/// By which rules it was judged.
pub(crate) fn method(audit: &Audit) -> String {
    let stated = &audit.parameters;
    let pages = match stated.pages {
        PageFilter::Html => "HTML pages",
        PageFilter::All => "all URLs",
    };
    let compare = match stated.compare {
        Compare::Bytes => "every byte counts",
        Compare::Text => "only visible text counts",
    };
    let granted: Vec<&str> = audit.assumptions.iter().take(2).map(String::as_str).collect();
    format!(
        "Judged: {pages} by {}, URL rules {}, {compare}, evidence down to {}, crawls {}, pages weighed by {}. Assumed: {}.",
        stated.site_by,
        stated.canon,
        stated.evidence.name(),
        stated.crawls,
        stated.weights,
        granted.join("; ")
    )
}
