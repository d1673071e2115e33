//! The first screen of a schedule: what the planned order is expected to bring, in the words of the audit, and when its pages are
//! fetched. Everything else comes with `--details`.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt::Write;

use super::first_screen::{MAX_LINE, command_lines};
use super::layout::{Screen, Tone, UNKNOWN, shorten, width};
use super::schedule_table::local;
use crate::audit::outlook::{DOUBT, Orders, Outlook};
use crate::format::{clock_time, count, duration, number, percent, period};
use crate::schedule::model::{DelaySource, Kind, Schedule, SiteSchedule, Slot, is_best};

/// Pages shown at the start of the crawl, and at its middle.
const FIRST: usize = 4;
const LAST: usize = 3;
/// Sites shown.
const SITES: usize = 12;

/// What the screen shows beside the schedule.
pub(crate) struct Shown<'a> {
    /// What the audit expects; `None`: options make this another crawl than the audit has in mind.
    pub outlook: Option<&'a Outlook>,
    /// Why no share can be expected; `None` where captures show how often pages change.
    pub why_unknown: Option<&'static str>,
    /// What writes the files for a crawler; `None` where they were written.
    pub export: Option<String>,
}

impl Shown<'_> {
    fn is_known(&self) -> bool {
        self.why_unknown.is_none()
    }
}

/// The screen, ending in a line break.
pub(crate) fn render(schedule: &Schedule, shown: &Shown<'_>, screen: Screen) -> String {
    let screen = Screen { width: screen.width.min(MAX_LINE), ..screen };
    let mut text = String::new();
    let say = |text: &mut String, what: &str| text.push_str(&screen.paragraph("", what, Tone::Plain));
    text.push_str(&screen.paragraph("", &head(schedule), Tone::Heading));
    text.push('\n');
    expected(&mut text, schedule, shown, screen);
    if let Some(new) = shown.outlook.and_then(|outlook| new_pages(outlook, shown.is_known())) {
        say(&mut text, &new);
    }
    if let Some(fast) = too_fast(schedule).filter(|_| shown.is_known()) {
        say(&mut text, &fast);
    }
    text.push('\n');
    match &schedule.sites[..] {
        [only] => pages(&mut text, only, shown.is_known(), screen),
        many => sites(&mut text, many, shown, screen),
    }
    if let Some(command) = &shown.export {
        let _ = writeln!(text, "\n{}", screen.toned(Tone::Heading, "What to do next"));
        let what = "Write the files for your crawler: wget, browsertrix, heritrix, nutch or scrapy.";
        text.push_str(&screen.paragraph(" 1. ", what, Tone::Plain));
        text.push_str(&command_lines(command, screen));
    }
    let others = match schedule.strategies.len().saturating_sub(1) as u64 {
        0 => String::new(),
        many => format!(" and {}", count(many, "other order")),
    };
    let mut ways = vec![format!("--details (all figures{others})")];
    ways.extend((schedule.sites.len() > 1).then(|| "--site NAME".to_owned()));
    ways.push("--html schedule.html".to_owned());
    let _ = write!(text, "\n{}", screen.ways(&ways));
    text
}

/// Which crawl it is, how long it takes, and at what pace.
fn head(schedule: &Schedule) -> String {
    let pages: usize = schedule.sites.iter().map(|site| site.pages).sum();
    let left_out: usize = schedule.sites.iter().map(|site| site.left_out).sum();
    let longest = schedule.sites.iter().map(|site| site.length_seconds).fold(0.0, f64::max);
    let name = match &schedule.sites[..] {
        [only] => only.site.to_string(),
        many => count(many.len() as u64, "host"),
    };
    let mut text = format!("Next crawl of {name}: {} in {}", count(pages as u64, "page"), duration(longest));
    if let [only] = &schedule.sites[..] {
        let assumed =
            if only.delay_source == DelaySource::Default { " (assumed; --delay sets it)" } else { "" };
        text.push_str(&format!(", one page every {}{assumed}", duration(only.delay_seconds)));
    }
    if let Some(start) = schedule.sites.iter().filter_map(|site| site.start).min() {
        text.push_str(&format!(", from {}", period(start, start)));
    }
    if left_out > 0 {
        text.push_str(&format!("; {} left out by --budget", count(left_out as u64, "page")));
    }
    text
}

/// The two orders, in the figures and words of the audit's action.
fn expected(text: &mut String, schedule: &Schedule, shown: &Shown<'_>, screen: Screen) {
    let whole = |site: &SiteSchedule| Some((site.expected_coherence?, site.weight));
    let (sum, weight) = schedule
        .sites
        .iter()
        .filter_map(whole)
        .fold((0.0, 0.0), |(sum, weight), (part, all)| (sum + part, weight + all));
    let is_best = schedule.sites.iter().all(|site| site.gap.is_some_and(is_best));
    let best = if is_best { "   no order can do better" } else { "" };
    if let Some(why) = shown.why_unknown {
        text.push_str(&screen.paragraph("", why, Tone::Plain));
        return;
    }
    match shown.outlook.and_then(|outlook| outlook.orders.as_ref()) {
        Some(orders) => {
            let on = format!("Share of importance expected consistent, on {}:", orders.on);
            text.push_str(&screen.paragraph("", &on, Tone::Plain));
            let (last, planned) = orders.shares();
            let _ = writeln!(text, "  last order      {last:>10}");
            let _ = writeln!(text, "  planned order   {planned:>10}{best}");
            if orders.is_doubtful {
                text.push_str(&screen.paragraph("", DOUBT, Tone::Plain));
            }
        }
        // Of hosts whose rates are unknown nothing is expected.
        None if shown.outlook.is_some_and(|outlook| outlook.sites.len() < schedule.sites.len()) => {
            let known = shown.outlook.map_or(0, |outlook| outlook.sites.len());
            let only = format!(
                "How often pages change is known on {} of {} only.",
                number(known as u64),
                count(schedule.sites.len() as u64, "host")
            );
            text.push_str(&screen.paragraph("", &only, Tone::Plain));
        }
        None if weight > 0.0 => {
            let share = percent(sum / weight);
            let all = format!("In the planned order, {share} of importance expected consistent.");
            text.push_str(&screen.paragraph("", &all, Tone::Plain));
            if schedule.sites.iter().any(|site| site.expected_coherence.is_some() && site.caveat.is_some()) {
                text.push_str(&screen.paragraph("", DOUBT, Tone::Plain));
            }
        }
        None => {}
    }
}

fn new_pages(outlook: &Outlook, is_known: bool) -> Option<String> {
    let first = outlook.first_new.as_deref()?;
    let (new, rate) = match outlook.new_pages {
        1 => (format!("1 page is new: {first}."), " Its rate is that of other pages."),
        many => {
            let new = format!("{} are new, among them {first}.", count(many, "page"));
            (new, " Their rates are those of other pages.")
        }
    };
    Some(new + if is_known { rate } else { "" })
}

/// Pages that cannot be captured consistently.
fn too_fast(schedule: &Schedule) -> Option<String> {
    let slots = schedule.sites.iter().flat_map(|site| &site.slots);
    let mut fast = slots.filter(|slot| slot.kind == Kind::Visit && slot.hopeful == Some(false));
    let first = fast.next()?;
    let first = local(&first);
    Some(match fast.count() + 1 {
        1 => format!("1 page changes too fast to be captured consistently: {first}."),
        many => format!(
            "{} change too fast to be captured consistently, among them {first}.",
            count(many as u64, "page")
        ),
    })
}

/// When which page is fetched: those at the start, and those in the middle.
fn pages(text: &mut String, site: &SiteSchedule, is_known: bool, screen: Screen) {
    let room = screen.width.saturating_sub(36).max(20);
    let (mut longest, mut number) = (4, 0);
    let mut first: Vec<Cow<'_, Slot>> = Vec::new();
    let mut last: VecDeque<Cow<'_, Slot>> = VecDeque::new();
    for slot in site.slots.iter().filter(|slot| slot.kind == Kind::Visit) {
        longest = longest.max(width(&shorten(local(&slot), room)));
        number += 1;
        if first.len() < FIRST {
            first.push(slot);
            continue;
        }
        last.push_back(slot);
        if last.len() > LAST + 1 {
            last.pop_front();
        }
    }
    let twice = site.slots.iter().any(|slot| slot.interval_seconds.is_some_and(|seconds| seconds > 0.0));
    let again = if twice { "     Again   Unchanged" } else { "" };
    let _ = writeln!(text, "{:>8}   {:<longest$}{again}", "Start", "Page");
    let row = |text: &mut String, slot: &Slot| {
        let name = shorten(local(slot), room);
        let pad = " ".repeat(longest.saturating_sub(width(&name)));
        let _ = write!(text, "{:>8}   {name}", clock_time(slot.seconds));
        if twice {
            let interval = slot.interval_seconds.filter(|seconds| *seconds > 0.0);
            let later = interval.map_or("once".to_owned(), |interval| clock_time(slot.seconds + interval));
            let stays = match (slot.survival, interval) {
                (_, None) => "the best moment".to_owned(),
                (Some(stays), _) if is_known => percent(stays),
                _ => UNKNOWN.to_owned(),
            };
            let _ = write!(text, "{pad}  {later:>8}   {stays}");
        }
        let _ = writeln!(text);
    };
    first.iter().for_each(|slot| row(text, slot));
    if number > FIRST + LAST + 1 {
        let _ = writeln!(text, "{:>8}   {}", "…", count((number - FIRST - LAST) as u64, "page"));
        last.pop_front();
    }
    last.iter().for_each(|slot| row(text, slot));
}

/// One line for each host: how long its crawl takes, and what the two orders are expected to bring.
fn sites(text: &mut String, sites: &[SiteSchedule], shown: &Shown<'_>, screen: Screen) {
    let name = |site: &SiteSchedule| match &site.group {
        Some(group) => format!("{} / {group}", site.site),
        None => site.site.to_string(),
    };
    let orders = |site: &SiteSchedule| {
        let outlook = shown.outlook?;
        outlook.sites.iter().find(|(name, _)| **name == *site.site).map(|(_, orders)| orders)
    };
    let gain = |site: &SiteSchedule| orders(site).map_or(-1.0, |orders| orders.planned - orders.last);
    let mut ranked: Vec<&SiteSchedule> = sites.iter().collect();
    ranked.sort_by(|a, b| gain(b).total_cmp(&gain(a)));
    let room = screen.width.saturating_sub(54).max(16);
    let listed = &ranked[..ranked.len().min(SITES)];
    let longest = listed.iter().map(|site| width(&shorten(&name(site), room))).max().unwrap_or(0).max(4);
    let _ = writeln!(text, "{:<longest$}   Pages        Length   Last order   Planned order", "Host");
    for site in listed {
        let short = shorten(&name(site), room);
        let pad = " ".repeat(longest.saturating_sub(width(&short)));
        let unknown = || (UNKNOWN.to_owned(), UNKNOWN.to_owned());
        let (last, planned) = orders(site).map_or_else(unknown, Orders::shares);
        let _ = writeln!(
            text,
            "{short}{pad}  {:>6}  {:>12}   {last:>10}   {planned:>13}",
            number(site.pages as u64),
            duration(site.length_seconds)
        );
    }
    if sites.len() > SITES {
        let _ = writeln!(text, "… and {}", count((sites.len() - SITES) as u64, "other host"));
    }
    if listed.iter().any(|site| orders(site).is_some_and(|orders| orders.is_doubtful)) {
        text.push_str(&screen.paragraph("", DOUBT, Tone::Plain));
    }
}
