//! A plan of weeks as one page: what it is worth, the value against the budget as a curve, the calendar, the sessions, the pages
//! fetched most often. Nothing is computed but places on the paper.

use std::io::{self, Write};

use super::document::Document;
use super::markup::Html;
use crate::format::{count, duration, trimmed};
use crate::report::html::audit::foot;
use crate::report::layout::UNKNOWN;
use crate::report::plan_table::{budget as downloads, every, first_day};
use crate::report::schedule_table::number;
use crate::schedule::refresh::model::{Bought, PlanAim, WeeksPlan};

/// Maximum number of pages and sessions listed.
const MAX_LISTED_ROWS: usize = 200;

/// Minimum distance between labels of the curve.
const APART: f64 = 30.0;

/// Writes the report.
pub(crate) fn write(out: &mut dyn Write, plan: &WeeksPlan) -> io::Result<()> {
    let mut document =
        Document { title: "Crawl plan – Acuity".to_owned(), kind: "plan", ..Document::default() };
    let html = &mut document.body;
    html.raw(
        "<a class=\"skip\" href=\"#main\">To the plan</a><header class=\"top\"><p class=\"brand\">Acuity ",
    );
    html.raw("<span>which pages to fetch when</span></p><h1>Crawl plan</h1><p class=\"meta\">");
    html.text(&count(plan.pages.len() as u64, "page")).raw(", ").text(&format!("{} days", plan.days));
    html.raw("</p></header><nav class=\"views\" aria-label=\"Views\"><ul><li><a href=\"#budget\">Budget</a></li><li><a href=\"#calendar\">Calendar</a></li>");
    if !plan.sessions.is_empty() {
        html.raw("<li><a href=\"#sessions\">Sessions</a></li>");
    }
    html.raw("<li><a href=\"#pages\">Pages</a></li></ul></nav><main id=\"main\">");
    summary(html, plan);
    budget(html, plan);
    calendar(html, plan);
    sessions(html, plan);
    pages(html, plan);
    html.raw("</main>");
    foot(html, env!("CARGO_PKG_VERSION"), plan.schema);
    document.write(out)
}

fn summary(html: &mut Html, plan: &WeeksPlan) {
    html.raw("<section><p class=\"verdict open\">").prose(&plan.summary);
    html.raw("</p><dl class=\"figures small\">");
    let side = plan.aim.bound_side();
    let rows = [
        ("budget", downloads(plan.budget), "downloads a day"),
        ("value", number(Some(plan.value)), "of these dates, summed over pages by weight"),
        (
            side,
            plan.bound.map_or_else(|| UNKNOWN.to_owned(), |bound| number(Some(bound))),
            "with as many downloads",
        ),
        (
            "in the long run",
            number(Some(plan.steady.value)),
            if plan.aim == PlanAim::Versions { "a day" } else { "the steady state" },
        ),
        ("never fetched", plan.dropped.to_string(), "pages that change or are new"),
    ];
    for (name, value, about) in rows {
        html.raw("<div class=\"figure\"><dt>")
            .text(name)
            .raw("</dt><dd><b>")
            .text(&value)
            .raw("</b> <span>")
            .text(about)
            .raw("</span></dd></div>");
    }
    html.raw("</dl><ul class=\"notes\">");
    for note in &plan.notes {
        html.raw("<li>").prose(note).raw("</li>");
    }
    html.raw("</ul></section>");
}

/// The curve: value against budget, both from zero, with the budget that was asked for marked.
fn budget(html: &mut Html, plan: &WeeksPlan) {
    let (w, h, left, bottom) = (640.0, 260.0, 60.0, 34.0);
    html.raw("<section id=\"budget\"><h2>What a budget buys</h2><p>If such a plan went on without end.</p>");
    let most = |of: fn(&Bought) -> f64| plan.curve.iter().map(of).fold(0.0, f64::max);
    let (budget, value) = (most(|one| one.budget), most(|one| one.value));
    if budget > 0.0 && value > 0.0 {
        let x = |budget_here: f64| left + (w - left - 20.0) * budget_here / budget;
        let y = |value_here: f64| h - bottom - (h - bottom - 16.0) * value_here / value;
        html.raw("<svg viewBox=\"0 0 640 260\" role=\"img\" aria-label=\"Value against downloads a day\" width=\"100%\">");
        html.raw(
            "<g fill=\"none\"><path class=\"base\" d=\"M60 16V226H620\"/><polyline class=\"curve\" points=\"",
        );
        for one in &plan.curve {
            html.coordinate(x(one.budget)).raw(",").coordinate(y(one.value)).raw(" ");
        }
        html.raw("\"/></g><g class=\"label\">");
        for one in &plan.curve {
            let own = (one.budget - plan.budget).abs() <= 1e-9 * plan.budget.max(1.0);
            html.raw("<circle r=\"")
                .raw(if own { "6" } else { "3" })
                .raw("\" cx=\"")
                .coordinate(x(one.budget))
                .raw("\" cy=\"")
                .coordinate(y(one.value))
                .raw("\"/>");
            // A label that would stand on its neighbour is left out; the table below has them all.
            let is_free = plan
                .curve
                .iter()
                .all(|other| other.budget >= one.budget || x(one.budget) - x(other.budget) >= APART);
            if own || is_free {
                html.raw("<text class=\"label\" text-anchor=\"middle\" y=\"242\" x=\"")
                    .coordinate(x(one.budget))
                    .raw("\">")
                    .text(&downloads(one.budget))
                    .raw("</text>");
            }
        }
        html.raw("<text class=\"label\" x=\"56\" y=\"20\" text-anchor=\"end\">").text(&trimmed(value, 1));
        html.raw("</text><text class=\"label\" x=\"56\" y=\"228\" text-anchor=\"end\">0</text><text class=\"label\" x=\"620\" y=\"256\" text-anchor=\"end\">downloads a day</text></g></svg>");
    }
    html.raw("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Budgets\"><table class=\"list\"><thead><tr>");
    let side = if plan.aim == PlanAim::Blur { "At least" } else { "At most" };
    for head in ["Downloads a day", "Value", side, "One more a day is worth", "Never fetched"] {
        html.raw("<th scope=\"col\" class=\"number\">").text(head).raw("</th>");
    }
    html.raw("</tr></thead><tbody>");
    for one in &plan.curve {
        html.raw("<tr>");
        let cells = [
            downloads(one.budget),
            number(Some(one.value)),
            number(Some(one.bound)),
            format!("{:.6}", one.price),
            one.dropped.to_string(),
        ];
        for cell in cells {
            html.raw("<td class=\"number\">").text(&cell).raw("</td>");
        }
        html.raw("</tr>");
    }
    html.raw("</tbody></table></div></section>");
}

fn calendar(html: &mut Html, plan: &WeeksPlan) {
    html.raw("<section id=\"calendar\"><h2>Calendar</h2><p>Downloads by week and day.</p><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Calendar\"><table class=\"list\"><thead><tr><th scope=\"col\">Week</th>");
    for day in 1..=7u64 {
        html.raw("<th scope=\"col\" class=\"number\">Day ").int(day).raw("</th>");
    }
    html.raw("</tr></thead><tbody>");
    for (week, days) in plan.load.chunks(7).enumerate() {
        html.raw("<tr><th scope=\"row\">").int(week as u64 + 1).raw("</th>");
        for count in days {
            html.raw("<td class=\"number\">").int(u64::from(*count)).raw("</td>");
        }
        html.raw("</tr>");
    }
    html.raw("</tbody></table></div></section>");
}

fn sessions(html: &mut Html, plan: &WeeksPlan) {
    if plan.sessions.is_empty() {
        return;
    }
    html.raw("<section id=\"sessions\"><h2>Sessions</h2><p>Each fetches its pages twice, the second time in reverse order: pages that did not change in between were online together.</p><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Sessions\"><table class=\"list\"><thead><tr><th scope=\"col\">Subsite</th>");
    for head in ["Every", "Pages", "Expected together", "Takes", "First day", "Times"] {
        html.raw("<th scope=\"col\" class=\"number\">").text(head).raw("</th>");
    }
    html.raw("</tr></thead><tbody>");
    for session in plan.sessions.iter().take(MAX_LISTED_ROWS) {
        html.raw("<tr><th scope=\"row\">").foreign(&session.name()).raw("</th>");
        let cells = [
            every(session.period_days),
            session.pages.len().to_string(),
            format!("{} of {}", number(Some(session.expected_coherence)), number(Some(session.weight))),
            duration(session.length_seconds),
            first_day(session.at_days.first()),
            session.at_days.len().to_string(),
        ];
        for cell in cells {
            html.raw("<td class=\"number\">").text(&cell).raw("</td>");
        }
        html.raw("</tr>");
    }
    html.raw("</tbody></table></div></section>");
}

fn pages(html: &mut Html, plan: &WeeksPlan) {
    let pages = plan.most_fetched();
    html.raw("<section id=\"pages\"><h2>Pages</h2><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Pages\"><table class=\"list sortable\"><thead><tr><th scope=\"col\">Page</th>");
    for head in ["Downloads", "First day", "Every", "Changes a day"] {
        html.raw("<th scope=\"col\" class=\"number\" data-kind=\"number\">").text(head).raw("</th>");
    }
    html.raw("</tr></thead><tbody>");
    for page in pages.iter().take(MAX_LISTED_ROWS) {
        html.raw("<tr><th scope=\"row\">").foreign(&page.url).raw("</th>");
        let cells = [
            page.at_days.len().to_string(),
            first_day(page.at_days.first()),
            every(plan.period_of(page)),
            number(page.rate_per_day),
        ];
        for cell in cells {
            html.raw("<td class=\"number\">").text(&cell).raw("</td>");
        }
        html.raw("</tr>");
    }
    html.raw("</tbody></table></div>");
    if pages.len() > MAX_LISTED_ROWS {
        html.raw("<p class=\"note\">")
            .int((pages.len() - MAX_LISTED_ROWS) as u64)
            .raw(" more are in the JSON and the CSV.</p>");
    }
    html.raw("</section>");
}
