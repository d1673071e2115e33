//! The first screen of an audit on a terminal: what was read, three answers, and what to do first. All of it is in the model.

use std::io::{self, Write};

use super::escape::terminal;
use super::findings;
use super::layout::{Screen, Tone, shorten, width, wrap};
use crate::audit::commands::is_plain;
use crate::audit::model::{Action, Answer, Audit, Band, Direction, Question, SiteAudit};
use crate::format::{clock, count, lasting, local, number, period};

/// Columns of the question and of the band.
const QUESTION: usize = 14;
const BAND: usize = 13;
/// Longer lines are hard to read.
pub(super) const MAX_LINE: usize = 120;
/// Below this width a sentence goes under its band.
const NARROW: usize = 72;
/// The heading of the sites that are listed.
const WORST_SITES: &str = "Worst sites";
/// Sites that are listed with their reasons.
const MAX_LISTED_SITES: usize = 2;

/// Lines of a terminal, and its columns, that the screen of a site fits where nothing is shown beside it.
const LINES: usize = 24;
const COLUMNS: usize = 80;
/// Lines that the screen of several sites fits: it has two tables more.
const LINES_OF_SITES: usize = 30;

/// What is shown of what may fold.
struct Unfolded<'a> {
    actions: Vec<&'a Action>,
    /// The sites that are listed with their reasons.
    sites: usize,
}

impl Unfolded<'_> {
    /// Folds the least urgent action; where there is only one left about each answer, a site.
    fn fold(&mut self) -> bool {
        match least_urgent(&self.actions) {
            Some(place) => {
                self.actions.remove(place);
            }
            None if self.sites > 1 => self.sites -= 1,
            None => return false,
        }
        true
    }
}

/// Writes the screen. Where it would be too long, less urgent actions and sites fold, unless the reader asked for all of it (`whole`):
/// they are in the details.
pub(crate) fn write(out: &mut dyn Write, audit: &Audit, screen: Screen, whole: bool) -> io::Result<()> {
    let screen = Screen { width: screen.width.min(MAX_LINE), ..screen };
    let is_usual = audit.comparison.is_none() && audit.review.is_none() && audit.promised.is_none();
    let folds = !whole && is_usual && screen.width >= COLUMNS;
    let room = if audit.sites.len() < 2 { LINES } else { LINES_OF_SITES };
    let mut shown =
        Unfolded { actions: audit.actions.iter().collect(), sites: audit.sites.len().min(MAX_LISTED_SITES) };
    loop {
        let mut text = Vec::new();
        screenful(&mut text, audit, &shown, screen)?;
        let lines = text.iter().filter(|byte| **byte == b'\n').count();
        if !(folds && lines > room && shown.fold()) {
            return out.write_all(&text);
        }
    }
}

/// The last action but for the first ones about each answer.
fn least_urgent(shown: &[&Action]) -> Option<usize> {
    (0..shown.len()).rev().find(|place| {
        let before = shown[..*place].iter();
        before.into_iter().any(|action| action.answer == shown[*place].answer)
    })
}

fn screenful(out: &mut dyn Write, audit: &Audit, shown: &Unfolded<'_>, screen: Screen) -> io::Result<()> {
    head(out, audit, screen)?;
    writeln!(out)?;
    let answers = &audit.answers;
    match (answers.consistent.sites, answers.complete.sites) {
        (Some(consistent), Some(complete)) => {
            let names =
                Band::ALL.map(|band| format!("{:>width$}", band.name(), width = band.name().len() + 2));
            writeln!(out, "{}{}", " ".repeat(QUESTION - 2), names.concat())?;
            for (question, counts, answer) in
                [("Consistent?", consistent, &answers.consistent), ("Complete?", complete, &answers.complete)]
            {
                let row: String = Band::ALL
                    .iter()
                    .map(|band| {
                        format!("{:>width$}", number(counts.get(*band)), width = band.name().len() + 2)
                    })
                    .collect();
                let why = answer.sentence.as_str();
                let line = format!("{question:<width$}{row}", width = QUESTION - 2);
                let mark = format!("{line}   ");
                if why.is_empty() {
                    writeln!(out, "{line}")?;
                } else {
                    write!(out, "{}", screen.paragraph(&mark, why, Tone::Plain))?;
                }
            }
        }
        _ => {
            question(out, "Consistent?", &answers.consistent, since(audit, Question::Consistent), screen)?;
            question(out, "Complete?", &answers.complete, since(audit, Question::Complete), screen)?;
        }
    }
    question(out, "Trustworthy?", &answers.record, since(audit, Question::Record), screen)?;
    if let Some(lacking) = findings::lacking_bodies(audit) {
        write!(out, "\n{}", screen.paragraph("", &lacking, Tone::Plain))?;
    }
    if let Some(comparison) = &audit.comparison {
        super::since::write(out, comparison, screen)?;
    }
    actions(out, audit, &shown.actions, screen)?;
    if let Some(review) = &audit.review {
        write!(out, "\n{}", screen.paragraph("", &super::since::reviewed(review), Tone::Plain))?;
    }
    if audit.sites.len() > 1 {
        worst_sites(out, audit, shown.sites, screen)?;
    }
    if let Some(promised) = &audit.promised {
        super::promised::write(out, promised, screen)?;
    }
    more(out, audit, shown.actions.len() < audit.actions.len(), screen)
}

/// The files that hold the captures: `5 files and 3 indexes`.
pub(crate) fn files(audit: &Audit) -> String {
    let summary = &audit.summary;
    let many = if summary.files > 0 { summary.files } else { audit.inputs.len() as u64 };
    match many.saturating_sub(summary.indexes) {
        0 if many > 0 => count(many, "index"),
        _ if summary.indexes == 0 => count(many, "file"),
        files => format!("{} and {}", count(files, "file"), count(summary.indexes, "index")),
    }
}

/// Name and size, and the period.
fn head(out: &mut dyn Write, audit: &Audit, screen: Screen) -> io::Result<()> {
    let summary = &audit.summary;
    let name = match &audit.sites[..] {
        [only] => terminal(&only.site).into_owned(),
        _ => count(summary.sites, "site"),
    };
    let files = files(audit);
    let size = format!(
        "{name}: {}, {} in {files}",
        count(summary.pages, "page"),
        count(summary.observations, "capture")
    );
    let Some(window) = summary.window else {
        return write!(out, "{}", screen.paragraph("", &size, Tone::Heading));
    };
    // The end of one capture tells only that dates have whole seconds.
    let when = match summary.observations {
        1 => period(window.from, window.from),
        _ => format!("{} ({})", period(window.from, window.to), lasting(window.from, window.to)),
    };
    if width(&size) + width(&when) + 2 <= screen.width {
        return write!(out, "{}", screen.paragraph("", &format!("{size}, {when}"), Tone::Heading));
    }
    write!(out, "{}", screen.paragraph("", &size, Tone::Heading))?;
    write!(out, "{}", screen.paragraph("", &when, Tone::Plain))
}

pub(super) fn tone(band: Option<Band>) -> Tone {
    match band {
        Some(Band::Good) => Tone::BandGood,
        Some(Band::Mixed) => Tone::BandMixed,
        Some(Band::Poor) => Tone::BandPoor,
        Some(Band::CannotTell) | None => Tone::Faint,
    }
}

/// How an answer compares with the earlier one: `was poor`.
pub(super) fn since(audit: &Audit, question: Question) -> Option<String> {
    let changes = &audit.comparison.as_ref()?.answers;
    let change = changes.iter().find(|change| change.question == question)?;
    Some(match (change.direction, change.before) {
        (Direction::Same, _) | (_, None) => change.direction.name().to_owned(),
        (_, Some(before)) => format!("was {}", before.name()),
    })
}

fn question(
    out: &mut dyn Write,
    question: &str,
    answer: &Answer,
    since: Option<String>,
    screen: Screen,
) -> io::Result<()> {
    let band = answer.band.map_or("", Band::name);
    let coloured = screen.toned(tone(answer.band), band);
    let pad = " ".repeat(BAND.saturating_sub(band.len()));
    if screen.width < NARROW {
        let since = since.map_or_else(String::new, |since| format!(" ({since})"));
        writeln!(out, "{question:<QUESTION$}{coloured}{since}")?;
        return write!(out, "{}", screen.paragraph("  ", &answer.sentence, Tone::Plain));
    }
    let room = screen.width - QUESTION - BAND;
    let mut lines = wrap(&terminal(&answer.sentence), room);
    if lines.len() < 2 && since.is_some() {
        lines.push(String::new());
    }
    for (place, line) in lines.iter().enumerate() {
        match (place, &since) {
            (0, _) => writeln!(out, "{question:<QUESTION$}{coloured}{pad}{line}")?,
            (1, Some(since)) => {
                let text = format!("{since:<width$}{line}", width = QUESTION + BAND);
                writeln!(out, "{}", text.trim_end())?;
            }
            _ => writeln!(out, "{}{line}", " ".repeat(QUESTION + BAND))?,
        }
    }
    Ok(())
}

fn actions(out: &mut dyn Write, audit: &Audit, shown: &[&Action], screen: Screen) -> io::Result<()> {
    writeln!(out, "\n{}", screen.toned(Tone::Heading, "What to do first"))?;
    if audit.actions.is_empty() {
        return write!(out, "{}", screen.paragraph(" ", audit.why_no_action(), Tone::Plain));
    }
    for (place, action) in shown.iter().enumerate() {
        let mark = format!("{:>2}. ", place + 1);
        write!(out, "{}", screen.paragraph(&mark, &action.text, Tone::Plain))?;
        if let Some(command) = &action.command {
            write!(out, "{}", command_lines(command, screen))?;
        }
    }
    Ok(())
}

/// A command, wrapped between its words with `\` where it does not fit.
pub(super) fn command_lines(command: &str, screen: Screen) -> String {
    let text = terminal(command);
    let room = screen.width.saturating_sub(4).max(20);
    if width(&text) <= room {
        return format!("    {}\n", screen.toned(Tone::Faint, &text));
    }
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(word) + 2 <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    let last = lines.len().saturating_sub(1);
    lines
        .iter()
        .enumerate()
        .map(|(place, line)| {
            let end = if place < last { " \\" } else { "" };
            format!("    {}\n", screen.toned(Tone::Faint, &format!("{line}{end}")))
        })
        .collect()
}

/// Minimum width of the column of reasons.
pub(super) const WHY_ROOM: usize = 40;

/// Sites by how bad they are: more poor answers first, then more pages.
pub(crate) fn worst_first(audit: &Audit) -> Vec<&SiteAudit> {
    let mut sites: Vec<&SiteAudit> = audit.sites.iter().collect();
    let poor = |site: &SiteAudit| {
        let bands = [site.answers.consistent.band, site.answers.complete.band];
        let many = |band: Band| bands.iter().filter(|found| **found == Some(band)).count();
        (many(Band::Poor), many(Band::Mixed), many(Band::CannotTell))
    };
    sites.sort_by(|a, b| {
        (poor(b), b.pages.total).cmp(&(poor(a), a.pages.total)).then_with(|| a.site.cmp(&b.site))
    });
    sites
}

fn worst_sites(out: &mut dyn Write, audit: &Audit, listed: usize, screen: Screen) -> io::Result<()> {
    let sites = worst_first(audit);
    let shown = &sites[..listed];
    // When they began distinguishes crawls of one site.
    let has_pairs = audit.noun() != "site";
    let name_of = |site: &SiteAudit| match has_pairs {
        true => format!("{} {}", site.site, clock(site.window.from)),
        false => site.site.clone(),
    };
    let longest = shown.iter().map(|site| width(&terminal(&name_of(site)))).max().unwrap_or(0);
    // A name is cut only where a row without reasons has no room for it.
    let name_room = longest.clamp(WORST_SITES.len(), screen.width.saturating_sub(33).max(WORST_SITES.len()));
    let why_room = screen.width.saturating_sub(name_room + 35);
    // A narrow column of words is hard to read: there the reason stands below its site.
    let is_below = why_room < WHY_ROOM;
    let why_head = if is_below { "" } else { "    Why" };
    let heading = if listed == 1 { "Worst site" } else { WORST_SITES };
    writeln!(out, "\n{heading:<name_room$}  Pages  Consistent?  Complete?{why_head}")?;
    for site in shown {
        let name = shorten(&name_of(site), name_room);
        let pad = " ".repeat(name_room.saturating_sub(width(&name)));
        let band = |answer: &Answer, room: usize| {
            let name = answer.band.map_or("", Band::name);
            format!(
                "{}{}",
                screen.toned(tone(answer.band), name),
                " ".repeat(room.saturating_sub(name.len()))
            )
        };
        let why = match is_below {
            true => Vec::new(),
            false => wrap(&terminal(&site.answers.why), why_room),
        };
        let row = format!(
            "{name}{pad}  {:>5}  {}  {}  {}",
            number(site.all_pages()),
            band(&site.answers.consistent, 11),
            band(&site.answers.complete, 11),
            why.first().map_or("", String::as_str)
        );
        writeln!(out, "{}", row.trim_end())?;
        for line in why.iter().skip(1) {
            writeln!(out, "{}{line}", " ".repeat(name_room + 35))?;
        }
        if is_below {
            write!(out, "{}", screen.paragraph("    ", &site.answers.why, Tone::Plain))?;
        }
    }
    Ok(())
}

/// How to see more; also of the actions, where some fold.
fn more(out: &mut dyn Write, audit: &Audit, has_folded: bool, screen: Screen) -> io::Result<()> {
    let actions = format!("all {}", count(audit.actions.len() as u64, "action"));
    let mut ways = vec![match has_folded {
        true => format!("--details lists {actions}"),
        false => "--details".to_owned(),
    }];
    match &audit.sites[..] {
        [] => {}
        [only] => {
            let page = only.findings.worst.first().map(|page| page.url.as_str());
            let page = page.or_else(|| only.page_list.first().map(|page| page.url.as_str()));
            let path = page.map(|url| local(url, &only.site)).filter(|path| is_plain(path));
            ways.push(format!("--explain {}", path.unwrap_or("URL")));
        }
        _ => {
            let sites = count(audit.sites.len() as u64, audit.noun());
            ways[0] = match has_folded {
                true => format!("--details lists {sites} and {actions}"),
                false => format!("--details lists {sites}"),
            };
            ways.push("--site NAME".to_owned());
        }
    }
    ways.push("--html report.html".to_owned());
    write!(out, "\n{}", screen.ways(&ways))
}
