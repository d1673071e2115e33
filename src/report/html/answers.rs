//! The three answers, large, and what to do first; and the sites of a collection by band.

use super::markup::Html;
use crate::audit::model::{Answer, Audit, Band, Question};
use crate::format::count;
use crate::report::first_screen::since;

/// The class of a band in the style sheet.
pub(super) fn class(band: Option<Band>) -> &'static str {
    match band {
        Some(Band::Good) => "band-good",
        Some(Band::Mixed) => "band-mixed",
        Some(Band::Poor) => "band-poor",
        Some(Band::CannotTell) | None => "band-cannot",
    }
}

/// Writes the answers and the actions of the audit.
pub(super) fn write(html: &mut Html, audit: &Audit) {
    let answers = &audit.answers;
    html.raw("<section id=\"answers\" class=\"answers\" aria-label=\"Three answers\">");
    for (key, question, asked, answer) in [
        ("consistent", "Consistent?", Question::Consistent, &answers.consistent),
        ("complete", "Complete?", Question::Complete, &answers.complete),
        ("record", "Trustworthy record?", Question::Record, &answers.record),
    ] {
        card(html, key, question, answer, since(audit, asked).as_deref());
    }
    html.raw("</section>");
    html.raw("<section id=\"actions\"><h2>What to do first</h2>");
    if audit.actions.is_empty() {
        html.raw("<p>").text(audit.why_no_action()).raw("</p></section>");
        return;
    }
    html.raw("<ol class=\"actions\">");
    for action in &audit.actions {
        html.raw("<li><div><p class=\"do\">").foreign(&action.text).raw("</p>");
        if let Some(command) = &action.command {
            html.raw("<code>").text(command).raw("</code>");
        }
        html.raw("</div></li>");
    }
    html.raw("</ol></section>");
}

/// The reasons that the sentence has no room for.
fn more_reasons(html: &mut Html, answer: &Answer) {
    let more = answer.more_reasons();
    if more.is_empty() {
        return;
    }
    html.raw("<details class=\"reasons\"><summary>").text(&count(more.len() as u64, "more reason"));
    html.raw("</summary><ul class=\"notes\">");
    for reason in more {
        html.raw("<li>").foreign(reason).raw("</li>");
    }
    html.raw("</ul></details>");
}

fn card(html: &mut Html, key: &'static str, question: &'static str, answer: &Answer, since: Option<&str>) {
    html.raw("<article class=\"answer ")
        .raw(class(answer.band))
        .raw("\" data-answer=\"")
        .raw(key)
        .raw("\"><h2>");
    html.raw(question).raw("</h2>");
    match (answer.band, answer.sites) {
        (None, Some(sites)) => {
            html.raw("<ul class=\"by-band\">");
            for band in Band::ALL {
                html.raw("<li class=\"")
                    .raw(class(Some(band)))
                    .raw("\"><b>")
                    .int(sites.get(band))
                    .raw("</b> ");
                html.raw(band.name()).raw("</li>");
            }
            html.raw("</ul>");
            html.raw("<p>").foreign(&answer.sentence).raw("</p>");
        }
        (band, _) => {
            html.raw("<p class=\"band\">").raw(band.unwrap_or_default().name());
            html.raw(" <span class=\"pips\" aria-hidden=\"true\"><i></i><i></i><i></i></span>");
            if let Some(since) = since {
                html.raw(" <span class=\"was faint\">").text(since).raw("</span>");
            }
            html.raw("</p><p>");
            html.foreign(&answer.sentence).raw("</p>");
            more_reasons(html, answer);
        }
    }
    html.raw("</article>");
}
