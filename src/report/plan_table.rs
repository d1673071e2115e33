//! A plan of weeks, and repairs, for a terminal and as CSV.

use std::io::{self, Write};

use crate::audit::model::Repair;
use crate::format::{number as grouped, percent, trimmed};
use crate::report::escape;
use crate::report::layout::{UNKNOWN, paragraph, shorten};
use crate::report::schedule_table::number;
use crate::schedule::Schedule;
use crate::schedule::refresh::model::{PlanAim, WeeksPlan};
use crate::schedule::refresh::timetable::day_of;

/// Maximum number of pages shown.
const MAX_SHOWN_PAGES: usize = 20;

/// Maximum width of a URL, in columns.
const MAX_URL_WIDTH: usize = 48;

/// Downloads a day: `20` and `0.714`. No trailing zeros, since many read 20.000 as twenty thousand.
pub(crate) fn budget(downloads: f64) -> String {
    match downloads.fract() == 0.0 && downloads < 1e15 {
        true => grouped(downloads as u64),
        false => trimmed(downloads, 3),
    }
}

/// The plan: what it is worth, what other budgets buy, the calendar, the pages fetched most often.
pub(crate) fn render(plan: &WeeksPlan, out: &mut dyn Write) -> io::Result<()> {
    paragraph(out, "", &plan.summary)?;
    writeln!(
        out,
        "\naim            {} ({})",
        plan.aim.name(),
        match plan.times {
            "whole" => "equal gaps",
            "random" => "random times",
            "sessions" => "visits and revisits",
            times => times,
        }
    )?;
    writeln!(out, "budget         {} downloads a day", budget(plan.budget))?;
    let (value, weight) = (number(Some(plan.value)), number(Some(plan.weight)));
    match plan.aim {
        PlanAim::Blur => {
            writeln!(out, "value          {value} versions away in all, by weight (pages counted: {weight})")?
        }
        PlanAim::Versions => {
            writeln!(out, "value          {value} versions in {} days, by weight", plan.days)?
        }
        _ => writeln!(out, "value          {value} of {weight}, by weight")?,
    }
    let side = plan.aim.bound_side();
    if let Some(bound) = plan.bound {
        writeln!(out, "{side:<14} {} with as many downloads", number(Some(bound)))?;
    }
    if let Some(current) = plan.current {
        let most = current.bound.map(|bound| format!(", at most {}", number(Some(bound))));
        let (value, most) = (number(Some(current.value)), most.unwrap_or_default());
        writeln!(out, "current        {value} of {weight}{most} with as many downloads")?;
    }
    let unit = if plan.aim == PlanAim::Versions { " a day" } else { "" };
    let most = plan.steady.bound.map(|bound| format!(", {side} {}", number(Some(bound)))).unwrap_or_default();
    writeln!(out, "long run       {}{unit}{most}: the steady state", number(Some(plan.steady.value)))?;
    let (never, all) = (grouped(plan.dropped as u64), grouped(plan.pages.len() as u64));
    writeln!(out, "never fetched  {never} of {all} pages")?;
    let unit = if plan.aim == PlanAim::Versions { ", value a day" } else { "" };
    writeln!(out, "\nWhat other budgets would reach in the long run{unit}:")?;
    writeln!(
        out,
        "{:>15} {:>13} {:>13} {:>16} {:>14}",
        "downloads/day", "value", "bound", "one more/day", "never fetched"
    )?;
    for bought in &plan.curve {
        let (value, bound) = (number(Some(bought.value)), number(Some(bought.bound)));
        writeln!(
            out,
            "{:>15} {value:>13} {bound:>13} {:>16.6} {:>14}",
            budget(bought.budget),
            bought.price,
            grouped(bought.dropped as u64)
        )?;
    }
    writeln!(out, "\nDownloads by week and day:")?;
    for (week, days) in plan.load.chunks(7).enumerate() {
        let days: Vec<String> =
            days.iter().map(|count| format!("{:>9}", grouped(u64::from(*count)))).collect();
        writeln!(out, "week {:>3} {}", week + 1, days.join(""))?;
    }
    if !plan.sessions.is_empty() {
        writeln!(
            out,
            "\n{:>7} {:>6} {:>19} {:>6}  session of",
            "every", "pages", "expected together", "times"
        )?;
    }
    for session in plan.sessions.iter().take(MAX_SHOWN_PAGES) {
        let (expected, weight) = (number(Some(session.expected_coherence)), number(Some(session.weight)));
        writeln!(
            out,
            "{:>7} {:>6} {:>19} {:>6}  {}",
            every(session.period_days),
            session.pages.len(),
            format!("{expected} of {weight}"),
            session.at_days.len(),
            shorten(&session.name(), 36)
        )?;
    }
    if plan.sessions.len() > MAX_SHOWN_PAGES {
        writeln!(
            out,
            "… and {} more sessions (--json gives all)",
            grouped((plan.sessions.len() - MAX_SHOWN_PAGES) as u64)
        )?;
    }
    let pages = plan.most_fetched();
    writeln!(out, "\n{:>9} {:>10} {:>9}  page", "downloads", "first day", "every")?;
    for page in pages.iter().take(MAX_SHOWN_PAGES) {
        let every = every(plan.period_of(page));
        writeln!(
            out,
            "{:>9} {:>10} {every:>9}  {}",
            page.at_days.len(),
            first_day(page.at_days.first()),
            shorten(&page.url, MAX_URL_WIDTH)
        )?;
    }
    if pages.len() > MAX_SHOWN_PAGES {
        writeln!(
            out,
            "… and {} more pages (--json or --csv gives all)",
            grouped((pages.len() - MAX_SHOWN_PAGES) as u64)
        )?;
    }
    plan.notes.iter().try_for_each(|note| paragraph(out, "- ", note))
}

/// One line for every download, in the order of time.
pub(crate) fn csv(schedule: &Schedule, out: &mut dyn Write) -> io::Result<()> {
    let mut slots: Vec<_> = schedule.sites.iter().flat_map(|site| &site.slots).collect();
    slots.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let mut writer = ::csv::Writer::from_writer(out);
    writer.write_record(["day", "seconds", "at", "host", "page", "kind"])?;
    for slot in slots {
        writer.write_record([
            (day_of(slot.seconds / 86_400.0) + 1).to_string(),
            format!("{:.0}", slot.seconds),
            slot.at.map_or(String::new(), |at| at.to_string()),
            escape::csv(&slot.lane).into_owned(),
            escape::csv(&slot.url).into_owned(),
            slot.kind.name().to_owned(),
        ])?;
    }
    writer.flush()
}

/// Repairs, site by site.
pub(crate) fn repairs(repairs: &[Repair], out: &mut dyn Write) -> io::Result<()> {
    for repair in repairs {
        writeln!(out, "{}", escape::terminal(&repair.text))?;
        for fetch in &repair.fetches {
            let at = fetch.at;
            writeln!(
                out,
                "  {at}  chance {:>8}  {}",
                percent(fetch.chance),
                shorten(&fetch.url, MAX_URL_WIDTH - 10)
            )?;
        }
    }
    Ok(())
}

/// The day of a first download, counted from 1, with its part.
pub(crate) fn first_day(days: Option<&f64>) -> String {
    days.map_or_else(|| UNKNOWN.to_owned(), |days| format!("{:.1}", days + 1.0))
}

/// Days between two downloads, if there are two.
pub(crate) fn every(period: Option<f64>) -> String {
    period.map_or_else(|| UNKNOWN.to_owned(), |own| format!("{} d", trimmed(own, 2)))
}
