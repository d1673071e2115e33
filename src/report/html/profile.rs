//! What was captured: media types by status, months, hosts, samples to open, and what became of the seeds.

use std::collections::BTreeMap;

use super::markup::Html;
use crate::audit::model::{Profile, TypeRow};
use crate::format::{bytes, clock, count, number};
use crate::report::layout::UNKNOWN;

const STATUSES: [&str; 5] = ["2xx", "3xx", "4xx", "5xx", "other"];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
/// Seeds that are listed.
const SEEDS: usize = 200;

/// A size, or a dash where none is known.
fn stored(size: Option<u64>) -> String {
    size.map_or_else(|| UNKNOWN.to_owned(), bytes)
}

/// Writes the profile; `replay` is where pages can be opened.
pub(super) fn write(html: &mut Html, profile: &Profile, replay: Option<&str>) {
    html.raw("<section id=\"profile\" class=\"profile\"><h2>What was captured</h2><p class=\"lead\">");
    let mut lead = count(profile.captures, "capture");
    if let Some(stored) = profile.bytes {
        lead.push_str(&format!(", {} stored", bytes(stored)));
    }
    if profile.revisits > 0 {
        lead.push_str(&format!("; {}", count(profile.revisits, "revisit")));
    }
    if profile.unmeasured > 0 {
        lead.push_str(&format!("; the size of {} is unknown", count(profile.unmeasured, "capture")));
    }
    html.text(&lead).raw(".</p>");
    if profile.captures == 0 {
        html.raw("</section>");
        return;
    }
    seeds(html, profile);
    types(html, &profile.types);
    months(html, profile);
    hosts(html, profile);
    samples(html, profile, replay);
    html.raw("</section>");
}

fn seeds(html: &mut Html, profile: &Profile) {
    let Some(seeds) = &profile.seeds else { return };
    html.raw("<h3>Seeds</h3><p data-seeds>");
    let mut parts = vec![format!("{} of {} reached", number(seeds.reached), count(seeds.total, "seed"))];
    for (many, what) in [
        (seeds.redirected, "redirected"),
        (seeds.failed, "failed"),
        (seeds.not_captured, "without a capture"),
    ] {
        if many > 0 {
            parts.push(format!("{} {what}", number(many)));
        }
    }
    html.text(&parts.join("; ")).raw(".</p>");
    html.raw("<details><summary>Seeds one by one, those not reached first</summary><div class=\"scroll tall\" tabindex=\"0\" role=\"region\" aria-label=\"Seeds\"><table class=\"list\"><thead><tr><th scope=\"col\">Seed</th><th scope=\"col\">Outcome</th><th scope=\"col\">Status</th><th scope=\"col\">Redirected to</th></tr></thead><tbody>");
    for seed in seeds.list.iter().take(SEEDS) {
        html.raw("<tr><th scope=\"row\">").url(&seed.url, &seed.url).raw("</th><td>");
        html.raw(seed.outcome.name()).raw("</td><td>");
        html.text(&seed.status.map_or_else(|| UNKNOWN.to_owned(), |status| status.to_string()));
        html.raw("</td><td>");
        if let Some(location) = &seed.location {
            html.url(location, location);
        }
        html.raw("</td></tr>");
    }
    html.raw("</tbody></table></div></details>");
}

/// Kinds of media down, classes of status across: captures, and bytes below.
fn types(html: &mut Html, rows: &[TypeRow]) {
    html.raw("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Captures by media type and status\"><table class=\"list grid-of\" id=\"types\"><caption class=\"away\">Captures and bytes by media type and status</caption><thead><tr><th scope=\"col\">Media type</th>");
    let used: Vec<&'static str> =
        STATUSES.into_iter().filter(|status| rows.iter().any(|row| row.status == *status)).collect();
    for status in &used {
        html.raw("<th scope=\"col\" class=\"number\">").raw(status).raw("</th>");
    }
    html.raw("</tr></thead><tbody>");
    let mut media: Vec<&str> = Vec::new();
    for row in rows {
        if !media.contains(&row.media.as_str()) {
            media.push(&row.media);
        }
    }
    for name in media {
        html.raw("<tr><th scope=\"row\">").text(name).raw("</th>");
        for status in &used {
            match rows.iter().find(|row| row.media == name && row.status == **status) {
                None => html.raw("<td class=\"number faint\">–</td>"),
                Some(row) => html
                    .raw("<td class=\"number\">")
                    .text(&number(row.captures))
                    .raw(" <small>")
                    .text(&row.bytes.map_or_else(String::new, bytes))
                    .raw("</small></td>"),
            };
        }
        html.raw("</tr>");
    }
    html.raw("</tbody></table></div>");
}

/// Years down, months across.
fn months(html: &mut Html, profile: &Profile) {
    let by_month: BTreeMap<&str, u64> =
        profile.months.iter().map(|row| (row.month.as_str(), row.captures)).collect();
    html.raw("<h3>When</h3><div class=\"scroll tall\" tabindex=\"0\" role=\"region\" aria-label=\"Captures by year and month\"><table class=\"list grid-of\" id=\"months\"><caption class=\"away\">Captures by year and month</caption><thead><tr><th scope=\"col\">Year</th>");
    for month in MONTHS {
        html.raw("<th scope=\"col\" class=\"number\">").raw(month).raw("</th>");
    }
    html.raw("<th scope=\"col\" class=\"number\">All</th><th scope=\"col\" class=\"number\">Stored</th></tr></thead><tbody>");
    for year in &profile.years {
        html.raw("<tr><th scope=\"row\">").text(&year.month).raw("</th>");
        for month in 1..=12 {
            let name = format!("{}-{month:02}", year.month);
            match by_month.get(name.as_str()) {
                None => html.raw("<td class=\"number faint\">–</td>"),
                Some(captures) => html.raw("<td class=\"number\">").text(&number(*captures)).raw("</td>"),
            };
        }
        html.raw("<td class=\"number\">").text(&number(year.captures)).raw("</td><td class=\"number\">");
        html.text(&stored(year.bytes)).raw("</td></tr>");
    }
    html.raw("</tbody></table></div>");
}

fn hosts(html: &mut Html, profile: &Profile) {
    html.raw("<details><summary>Hosts with most captures</summary><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Hosts\"><table class=\"list sortable\"><thead><tr><th scope=\"col\">Host</th>");
    for name in ["URLs", "Captures"] {
        html.raw("<th scope=\"col\" class=\"number\" data-kind=\"number\">").raw(name).raw("</th>");
    }
    html.raw("<th scope=\"col\" class=\"number\" data-kind=\"number\">Stored</th></tr></thead><tbody>");
    for host in &profile.hosts {
        html.raw("<tr><th scope=\"row\">").foreign(&host.host).raw("</th>");
        for many in [host.urls, host.captures] {
            html.raw("<td class=\"number\" data-value=\"")
                .int(many)
                .raw("\">")
                .text(&number(many))
                .raw("</td>");
        }
        html.raw("<td class=\"number\" data-value=\"").int(host.bytes.unwrap_or(0)).raw("\">");
        html.text(&stored(host.bytes));
        html.raw("</td></tr>");
    }
    html.raw("</tbody></table></div>");
    if profile.hosts_left_out > 0 {
        html.raw("<p class=\"note\">")
            .text(&count(profile.hosts_left_out, "other host"))
            .raw(" not listed.</p>");
    }
    html.raw("</details>");
}

fn samples(html: &mut Html, profile: &Profile, replay: Option<&str>) {
    if profile.samples.is_empty() {
        return;
    }
    html.raw("<details><summary>Pages to open, chosen at random</summary><ul class=\"notes\">");
    for sample in &profile.samples {
        html.raw("<li>").url(&sample.url, &sample.url).raw(" <span class=\"faint\">");
        html.text(&clock(sample.time)).raw("</span>");
        html.replay(replay, &sample.url, sample.time).raw("</li>");
    }
    html.raw("</ul></details>");
}
