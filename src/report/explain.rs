//! One page's whole story: every capture, every gap, every verdict and why.

use std::io::{self, Write};

use super::completeness::strips;
use super::layout::{Screen, Tone, UNKNOWN, shorten};
use super::since;
use crate::audit::model::{Audit, Compared, Missing, PageAudit, SiteAudit, Story, StoryCapture, StoryRun};
use crate::capture::Kind;
use crate::change::rate::Source;
use crate::change::run::PageState;
use crate::format::{clock, count, duration, every, figure, local, percent, percent_range, span};
use crate::quality::link_completeness::TargetStatus;

/// Writes the stories that the audit holds, and what is known of the files among `names` that are missing.
pub(crate) fn write(out: &mut dyn Write, audit: &Audit, screen: Screen, names: &[String]) -> io::Result<()> {
    let mut first = true;
    for site in &audit.sites {
        for page in &site.page_list {
            if let Some(story) = &page.story {
                if !std::mem::take(&mut first) {
                    writeln!(out)?;
                }
                tell(out, site, page, story, screen)?;
            }
        }
    }
    for site in &audit.sites {
        for missing in site.missing.iter().flatten() {
            if names.iter().any(|name| is_named(name, &missing.url, &site.site)) {
                if !std::mem::take(&mut first) {
                    writeln!(out)?;
                }
                tell_missing(out, site, missing, screen)?;
            }
        }
    }
    Ok(())
}

/// Whether a name stands for a URL of a site: by itself, or by its path as reports print it.
pub(crate) fn is_named(name: &str, url: &str, site: &str) -> bool {
    name == url || name == local(url, site)
}

/// Whether a name stands for a file that is missing of any site.
pub(crate) fn is_missing(audit: &Audit, name: &str) -> bool {
    let missing =
        audit.sites.iter().flat_map(|site| site.missing.iter().flatten().map(move |entry| (site, entry)));
    missing.into_iter().any(|(site, entry)| is_named(name, &entry.url, &site.site))
}

/// What is known of a file that was not captured: why, and who needs it.
fn tell_missing(out: &mut dyn Write, site: &SiteAudit, missing: &Missing, screen: Screen) -> io::Result<()> {
    let item = |text: &str| screen.paragraph("  - ", text, Tone::Plain);
    write!(out, "{}", screen.paragraph("", &missing.url, Tone::Heading))?;
    let why = match (missing.fate, missing.status) {
        (TargetStatus::Untried, _) => "no sign that it was ever requested".to_owned(),
        (_, Some(status @ (404 | 410))) => format!("gone, with status {status}"),
        // The server answered well; what was stored of it is the reason.
        (_, None | Some(200..=399)) => missing.reason.clone(),
        (_, Some(status)) => format!("it failed, with status {status}"),
    };
    write!(out, "{}", screen.paragraph("", &format!("Not captured: {why}."), Tone::Poor))?;
    let verb = match (missing.kind.as_str(), missing.pages) {
        ("embed", 1) => "embeds",
        ("embed", _) => "embed",
        (_, 1) => "links to",
        _ => "link to",
    };
    let by = missing.needed_by.as_deref().map(|url| local(url, &site.site));
    let by = match (by, missing.pages) {
        (None, _) => String::new(),
        (Some(page), 1) => format!(": {page}"),
        (Some(page), _) => format!(", the most important of them {page}"),
    };
    write!(out, "{}", item(&format!("{} {verb} it{by}", count(missing.pages, "captured page"))))?;
    if let Some(sitemap) = &missing.sitemap {
        write!(out, "{}", item(&format!("the sitemap {sitemap} lists it")))?;
    }
    Ok(())
}

fn tell(
    out: &mut dyn Write,
    site: &SiteAudit,
    page: &PageAudit,
    story: &Story,
    screen: Screen,
) -> io::Result<()> {
    let plain = |text: &str| screen.paragraph("", text, Tone::Plain);
    let item = |text: &str| screen.paragraph("  - ", text, Tone::Plain);
    write!(out, "{}", screen.paragraph("", &page.url, Tone::Heading))?;
    for other in page.urls.iter().filter(|url| **url != page.url) {
        write!(out, "{}", screen.paragraph("  also captured as ", other, Tone::Faint))?;
    }
    let tone = match page.state {
        PageState::Sharp => Tone::Good,
        PageState::Changed => Tone::Poor,
        PageState::Single | PageState::Unknown => Tone::Plain,
    };
    let state = match (page.state, page.grade) {
        (PageState::Sharp, Some(grade)) => format!("Sharp, by {}", grade.name()),
        (PageState::Sharp, None) => "Sharp".to_owned(),
        (PageState::Changed, Some(grade)) => format!("Changed, by {}", grade.name()),
        (PageState::Changed, None) => "Changed".to_owned(),
        (PageState::Single, _) => "Nothing is provable about it".to_owned(),
        (PageState::Unknown, _) => "Not decided".to_owned(),
    };
    write!(out, "{}", screen.paragraph("", &format!("{state}: {}.", page.reason), tone))?;
    if let Some(review) = &page.review {
        write!(out, "{}", plain(&format!("Reviewed: {}.", since::said_of(review))))?;
    }
    let window = span(site.window.from, site.window.to);
    write!(out, "{}", plain(&format!("Window: {window} UTC; site {}; key {}", site.site, page.key)))?;
    writeln!(out, "\n{}", screen.toned(Tone::Heading, &count(page.observations, "capture")))?;
    looks(out, story, site.crawls.len() > 1, screen)?;
    if !story.gaps.is_empty() {
        writeln!(out, "\n{}", screen.toned(Tone::Heading, "Between them"))?;
    }
    for gap in &story.gaps {
        let tone = match gap.verdict {
            Compared::Same => Tone::Good,
            Compared::Different => Tone::Poor,
            Compared::Unknown => Tone::Plain,
        };
        let text = format!(
            "{} to {}, {}: {}{}: {}",
            gap.from + 1,
            gap.to + 1,
            duration(gap.seconds),
            gap.verdict.name(),
            gap.grade.map_or_else(String::new, |grade| format!(" by {}", grade.name())),
            gap.reason
        );
        write!(out, "{}", screen.paragraph("  - ", &text, tone))?;
    }
    writeln!(out, "\n{}", screen.toned(Tone::Heading, "What that says of its versions"))?;
    for run in &story.runs {
        write!(out, "{}", item(&version(run)))?;
    }
    writeln!(out, "\n{}", screen.toned(Tone::Heading, "What follows"))?;
    for line in conclusions(site, page) {
        write!(out, "{}", item(&line))?;
    }
    if let Some(pattern) = page.pattern.as_ref().filter(|pattern| pattern.looks > 0) {
        writeln!(out, "\n{}", screen.toned(Tone::Heading, "When it changes (UTC)"))?;
        for line in strips(pattern) {
            writeln!(out, "  {line}")?;
        }
    }
    writeln!(out, "\n{}", screen.toned(Tone::Heading, "Where the captures lie"))?;
    for (number, look) in story.looks.iter().enumerate() {
        let offset = look.offset.map_or_else(String::new, |offset| format!(" at byte {offset}"));
        let record = look.record_id.as_ref().map_or_else(String::new, |id| format!(", record {id}"));
        let writer = look.writer.as_ref().map_or_else(String::new, |writer| format!(", by {writer}"));
        let line = format!("{}{offset}{record}{writer}", look.file);
        write!(out, "{}", screen.paragraph(&format!("  {} ", number + 1), &line, Tone::Plain))?;
    }
    if page.assumptions.is_empty() {
        return Ok(());
    }
    let granted: Vec<&str> = page.assumptions.iter().map(|assumption| assumption.text()).collect();
    let granted = format!("Assumed: {}.", granted.join("; "));
    write!(out, "\n{}", screen.paragraph("", &granted, Tone::Faint))
}

fn looks(out: &mut dyn Write, story: &Story, crawls: bool, screen: Screen) -> io::Result<()> {
    let mut table = screen.table();
    let mut header = vec!["", "Time (UTC)", "HTTP", "Ver", "Body", "Last-Modified", "Record"];
    if crawls {
        header.insert(2, "Crawl");
    }
    table.set_header(header.into_iter().map(|name| screen.cell(name, Tone::Heading)).collect::<Vec<_>>());
    for (number, look) in story.looks.iter().enumerate() {
        let mut row = vec![
            screen.number(&(number + 1).to_string(), Tone::Faint),
            screen.cell(&clock(look.time), Tone::Plain),
            screen.number(&text(look.status), Tone::Plain),
            screen.cell(&letter(look.version), Tone::Plain),
            screen.cell(&body(look), Tone::Plain),
            screen.cell(&modified(look), Tone::Plain),
            screen.cell(&record(look), Tone::Plain),
        ];
        if crawls {
            row.insert(2, screen.number(&(look.crawl + 1).to_string(), Tone::Plain));
        }
        table.add_row(row);
    }
    writeln!(out, "{}", table.trim_fmt())
}

/// A value, or the mark of what is unknown.
pub(crate) fn text(value: Option<impl ToString>) -> String {
    value.map_or_else(|| UNKNOWN.to_owned(), |value| value.to_string())
}

/// Versions are named A, B, …, Z, then by number.
pub(crate) fn letter(version: Option<u64>) -> String {
    match version {
        None => UNKNOWN.to_owned(),
        Some(number @ 0..26) => char::from(b'A' + number as u8).to_string(),
        Some(number) => (number + 1).to_string(),
    }
}

/// The first digits of the body's digest, or of the declared one.
pub(crate) fn body(look: &StoryCapture) -> String {
    let digest = match (look.body, look.declared) {
        (Some(body), _) => body.to_string(),
        (None, Some(declared)) => declared.to_string(),
        (None, None) => return UNKNOWN.to_owned(),
    };
    let digits = digest.split_once(':').map_or(&digest[..], |(_, digits)| digits);
    let start: String = digits.chars().take(6).collect();
    match look.digest_ok {
        Some(false) => format!("{start} (declared digest wrong)"),
        _ => start,
    }
}

/// The Last-Modified of a capture, and whether the archive contradicts it.
pub(crate) fn modified(look: &StoryCapture) -> String {
    match (look.last_modified, look.contradicted) {
        (None, _) => UNKNOWN.to_owned(),
        (Some(at), Some(true)) => format!("{} (contradicted)", clock(at)),
        (Some(at), _) => clock(at),
    }
}

/// The kind of record, since when a cache may have kept it, and why the capture failed if it did.
pub(crate) fn record(look: &StoryCapture) -> String {
    let kind = match look.kind {
        Kind::Response => "response",
        Kind::Resource => "resource",
        Kind::Revisit => "revisit",
        Kind::Index => "index",
    };
    let made = look
        .made
        .map_or_else(String::new, |made| format!("; made since {}, if a cache kept it", clock(made)));
    let failed =
        look.failed.as_ref().map_or_else(String::new, |why| format!("; failed: {}", shorten(why, 40)));
    format!("{kind}{made}{failed}")
}

/// What is known of one version.
pub(crate) fn version(run: &StoryRun) -> String {
    let name = match run.version {
        Some(_) => format!("version {}", letter(run.version)),
        None => "a version that may be any".to_owned(),
    };
    let looks = if run.first == run.last {
        format!("capture {}", run.first + 1)
    } else {
        format!("captures {} to {}", run.first + 1, run.last + 1)
    };
    let proven = run.proven.map_or_else(
        || "not proven for any time".to_owned(),
        |window| {
            let grade = run.grade.map_or_else(String::new, |grade| format!(" by {}", grade.name()));
            format!("proven{grade} {}", span(window.from, window.to))
        },
    );
    let claimed = run.claimed.map_or_else(String::new, |window| {
        format!("; claimed by the server {}", span(window.from, window.to))
    });
    let outer = match (run.outer.after, run.outer.before) {
        (None, None) => String::new(),
        (Some(after), None) => format!("; it began after {}", clock(after)),
        (None, Some(before)) => format!("; it ended before {}", clock(before)),
        (Some(after), Some(before)) => {
            format!("; it began after {} and ended before {}", clock(after), clock(before))
        }
    };
    format!("{name} ({looks}): {proven}{claimed}{outer}")
}

/// What the page weighs, how much its changes matter, and how much of it was captured, where its rate is known.
fn weighed(page: &PageAudit) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(importance) = page.importance {
        lines.push(format!("its importance is {} (the average page has 1)", figure(importance)));
    }
    for change in page.change_importance.iter().flatten() {
        let when = span(change.from, change.to);
        lines.push(match (change.importance, &change.reason) {
            (Some(importance), _) if importance > 0.0 => {
                format!(
                    "the change {when} has an importance of {}, on a scale from 0 to 1",
                    figure(importance)
                )
            }
            (Some(_), _) if page.markup_only => format!("the change {when} is not visible to a reader"),
            (Some(_), _) => format!("the change {when} changed no word"),
            (None, reason) => format!(
                "the importance of the change {when} is unknown: {}",
                reason.as_deref().unwrap_or("there is no evidence")
            ),
        });
    }
    if let Some(found) = page.known_completeness()
        && let (Some(share), Some(low), Some(high)) = (found.share, found.low, found.high)
    {
        lines.push(match found.exact {
            true => format!("{} of its versions were captured, by the exact history", percent(share)),
            false if low == high => format!("{} of its versions are expected to be captured", percent(share)),
            false => format!(
                "{} of its versions are expected to be captured ({})",
                percent(share),
                percent_range(low, high)
            ),
        });
    }
    lines
}

/// What follows for a page: its rate, blur, weight, completeness.
pub(crate) fn conclusions(site: &SiteAudit, page: &PageAudit) -> Vec<String> {
    let source = match page.rate.source {
        Source::History => "by the exact history",
        Source::Looks => "by its captures, and the site's other pages",
        Source::LastModified => "by its Last-Modified, and the site's other pages",
        Source::Sitemap => "by the sitemap",
        Source::Folder => "by the pages of its folder: nothing is known of itself",
        Source::Site => "by the pages of its site: nothing is known of itself",
        Source::Assumed => "which is assumed",
    };
    let mut lines = vec![match &page.rate_unknown {
        Some(reason) => format!("how often it changes is unknown: {reason}"),
        None => format!(
            "it is expected to change {} ({} to {} times a day with 95% confidence), {source}",
            every(page.rate.per_day),
            figure(page.rate.low),
            figure(page.rate.high),
        ),
    }];
    if page.rate_unknown.is_none() {
        lines.push(match page.chance_unchanged {
            // No chance but a fact: captures that differ, or what the server says of itself.
            0.0 if page.state == PageState::Changed => "it changed in this time".to_owned(),
            0.0 => "by its Last-Modified, it changed in this time".to_owned(),
            chance => format!("the chance that it stayed unchanged in this time is {}", percent(chance)),
        });
    }
    if let Some(actual) = page.known_blur() {
        lines.push(match actual.exact {
            true => format!("blur {}: versions away from what was online at a random moment, from the exact history", figure(actual.expected)),
            false => format!(
                "blur {}: versions away from what was online at a random moment; at least {}, {}; {} of it from the \
                 time before its first and after its last capture",
                figure(actual.expected),
                figure(actual.low),
                actual.high.map_or_else(|| "no upper bound".to_owned(), |high| format!("at most {}", figure(high))),
                figure(actual.unseen),
            ),
        });
    }
    lines.extend(weighed(page));
    match (page.in_best, site.coherence.best.intervals.first()) {
        (Some(true), Some(best)) if site.coherence.best.pages == 1 => lines
            .push(format!("it is the page that is proven to have been online {}", span(best.from, best.to))),
        (Some(true), Some(best)) => lines.push(format!(
            "it is among the {} proven to have been online together {}",
            count(site.coherence.best.pages, "page"),
            span(best.from, best.to)
        )),
        (Some(false), Some(best)) if site.coherence.best.pages == 1 => lines.push(format!(
            "another page is the one that is proven to have been online {}",
            span(best.from, best.to)
        )),
        (Some(false), Some(best)) => lines.push(format!(
            "it is not among the {} proven to have been online together {}",
            count(site.coherence.best.pages, "page"),
            span(best.from, best.to)
        )),
        _ => {}
    }
    lines
}
