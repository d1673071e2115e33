//! Coverage over time as a drawing: how many pages are proven at each instant, the best and the full intervals marked, and
//! below it the times of captures.

use super::axis::Axis;
use super::markup::Html;
use crate::audit::model::{CurvePoint, SiteAudit, Window};
use crate::format::{count, span};

/// Maximum number of best intervals marked.
const MARKED: usize = 64;

/// Writes coverage, times of capture, and their axis.
pub(super) fn write(html: &mut Html, site: &SiteAudit) {
    if !site.coherence.provable {
        // A second crawl shows what one capture of each page cannot; pages that changed need captures closer together.
        let needs = match site.pages.single == site.pages.total {
            true => "This needs a second crawl.",
            false => "Captures closer together would show more.",
        };
        html.raw("<div class=\"needs\"><p>No page is proven to have stayed unchanged for any time, so there is nothing to draw. ");
        html.raw(needs).raw("</p></div>");
        return;
    }
    let axis = Axis::new(site.window.from, site.window.to);
    let coherence = &site.coherence;
    html.raw("<figure class=\"coverage\"><figcaption>Pages known to be online, over time (UTC)</figcaption>");
    html.raw("<div class=\"chart\"><div class=\"yaxis\" aria-hidden=\"true\"><span>").int(site.pages.total);
    html.raw("</span><span>0</span></div><div class=\"plot\">");
    html.raw("<svg width=\"100%\" height=\"170\" role=\"img\" aria-label=\"")
        .value(&summary(site))
        .raw("\">");
    for (class, level) in [("best", &coherence.best), ("full", &coherence.full)] {
        for window in level.intervals.iter().take(MARKED) {
            band(html, &axis, class, window);
        }
    }
    html.raw("<line class=\"grid\" x1=\"0\" x2=\"100%\" y1=\"85\" y2=\"85\"/>");
    html.raw("<svg width=\"100%\" height=\"170\" viewBox=\"0 0 100 100\" preserveAspectRatio=\"none\">");
    step_line(html, &axis, &coherence.curve, site.pages.total);
    html.raw("</svg><line class=\"base\" x1=\"0\" x2=\"100%\" y1=\"169.5\" y2=\"169.5\"/></svg>");
    axis.write(html);
    html.raw("</div></div>");
    if let Some(times) = &site.capture_times {
        let most = times.counts.iter().copied().max().unwrap_or(0);
        html.raw("<div class=\"chart\"><div class=\"yaxis low\" aria-hidden=\"true\"><span>").int(most);
        html.raw("</span><span></span></div><div class=\"plot\"><svg class=\"times\" width=\"100%\" height=\"44\" role=\"img\" aria-label=\"");
        html.value(&format!("{}, over time", count(site.observations, "capture"))).raw("\">");
        let width = 100.0 / times.counts.len().max(1) as f64;
        for (number, looks) in times.counts.iter().enumerate().filter(|(_, looks)| **looks > 0) {
            let height = (44.0 * *looks as f64 / most.max(1) as f64).max(1.5);
            html.raw("<rect class=\"bar\" x=\"")
                .coordinate(width * number as f64)
                .raw("%\" width=\"")
                .coordinate(0.86 * width);
            html.raw("%\" y=\"").coordinate(44.0 - height).raw("\" height=\"").coordinate(height).raw("\"/>");
        }
        html.raw("</svg><p class=\"note\">captures of pages, in the same time</p></div></div>");
    }
    legend(html, site);
    html.raw("</figure>");
}

fn band(html: &mut Html, axis: &Axis, class: &'static str, window: &Window) {
    let (from, to) = (axis.place(window.from), axis.place(window.to));
    html.raw("<rect class=\"band ")
        .raw(class)
        .raw("\" y=\"0\" height=\"170\" x=\"")
        .coordinate(from)
        .raw("%\" width=\"");
    html.coordinate((to - from).max(0.15))
        .raw("%\"><title>")
        .text(&span(window.from, window.to))
        .raw("</title></rect>");
}

/// The curve as steps, in a drawing of 100 by 100. Small curves of a collection are drawn by it too.
pub(super) fn step_line(html: &mut Html, axis: &Axis, curve: &[CurvePoint], pages: u64) {
    let height = |point: &CurvePoint| 100.0 - 98.0 * point.pages as f64 / pages.max(1) as f64;
    let mut steps = Html::new();
    let mut before: Option<(f64, f64)> = None;
    for point in curve {
        let at = (axis.place(point.at), height(point));
        match before {
            None => {
                steps.raw("M").coordinate(at.0).raw(" 100V").coordinate(at.1);
            }
            Some((_, level)) if level != at.1 => {
                steps.raw("H").coordinate(at.0).raw("V").coordinate(at.1);
            }
            Some(_) => continue,
        }
        before = Some(at);
    }
    if before.is_some() {
        steps.raw("H100V100");
    }
    html.raw("<path class=\"area\" d=\"")
        .push(&steps)
        .raw("\"/><path class=\"curve\" d=\"")
        .push(&steps)
        .raw("\"/>");
}

fn summary(site: &SiteAudit) -> String {
    let best = &site.coherence.best;
    match best.intervals.first() {
        Some(first) => format!(
            "Coverage: at most {} of {}, {}",
            best.pages,
            count(site.pages.total, "page"),
            span(first.from, first.to)
        ),
        None => "Coverage: no page is proven online at any moment".to_owned(),
    }
}

fn legend(html: &mut Html, site: &SiteAudit) {
    let (best, full) = (&site.coherence.best, &site.coherence.full);
    html.raw("<ul class=\"legend\">");
    let mut item = |class: &'static str, text: &str| {
        html.raw("<li><svg width=\"14\" height=\"14\" aria-hidden=\"true\"><rect class=\"band ").raw(class);
        html.raw("\" width=\"14\" height=\"14\"/></svg>").text(text).raw("</li>");
    };
    let when = |windows: &[Window]| match windows {
        [] => String::new(),
        [only] => span(only.from, only.to),
        [first, rest @ ..] => format!("{}, and {} times more", span(first.from, first.to), rest.len()),
    };
    if !full.intervals.is_empty() {
        item("full", &format!("all pages proven together: {}", when(&full.intervals)));
    } else if !best.intervals.is_empty() {
        item("best", &format!("most pages proven together ({}): {}", best.pages, when(&best.intervals)));
    }
    html.raw("</ul>");
}
