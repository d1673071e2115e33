//! Phrases and embedded resources on the page about a date.

use super::at::more;
use super::markup::Html;
use crate::at::embed_model::EmbedState;
use crate::at::model::{At, PageAt};
use crate::at::phrase_model::{PhraseAt, PhrasePage};

/// Maximum number of pages of a phrase, or resources of a page, listed.
const MAX_LISTED_ROWS: usize = 200;
/// More quotations and pages of a phrase than this are listed in the annex.
const MAX_ROWS_BEFORE_ANNEX: usize = 12;

/// Writes what is known of each phrase.
pub(super) fn phrases(html: &mut Html, at: &At) {
    if at.phrases.is_empty() {
        return;
    }
    html.raw("<section id=\"phrases\"><h2>Words asked for</h2>");
    for found in &at.phrases {
        phrase(html, found);
    }
    if !at.phrases.iter().any(is_long) {
        uncaptured(html, at);
    }
    html.raw("</section>");
}

/// Writes the long lists of phrases, for the annex.
pub(super) fn phrase_lists(html: &mut Html, at: &At) {
    if !at.phrases.iter().any(is_long) {
        return;
    }
    html.raw("<section id=\"phrase-lists\"><h2>Where the words stand</h2>");
    for found in at.phrases.iter().filter(|found| is_long(found)) {
        html.raw("<h3>“").foreign(&found.phrase).raw("”</h3>");
        lists(html, found);
    }
    uncaptured(html, at);
    html.raw("</section>");
}

/// Whether what is known of a phrase is too much for the first pages.
fn is_long(found: &PhraseAt) -> bool {
    let PhraseAt { quotes, nearly, present, unprovable, absent, .. } = found;
    quotes.len() + nearly.len() + present.len() + unprovable.len() + absent.len() > MAX_ROWS_BEFORE_ANNEX
}

fn uncaptured(html: &mut Html, at: &At) {
    if let Some(uncaptured) = at.uncaptured.as_ref().filter(|uncaptured| uncaptured.count > 0) {
        html.raw("<h3>Linked, but not in the archive: ")
            .int(uncaptured.count)
            .raw("</h3><ul class=\"notes\">");
        for url in uncaptured.urls.iter().take(MAX_LISTED_ROWS) {
            html.raw("<li>").url(url, url).raw("</li>");
        }
        html.raw("</ul>");
    }
}

fn phrase(html: &mut Html, found: &PhraseAt) {
    html.raw("<h3>“")
        .foreign(&found.phrase)
        .raw("”</h3><p class=\"phrase\">")
        .prose(&found.answer)
        .raw("</p>");
    if is_long(found) {
        html.raw("<p class=\"note\">Shown on ")
            .int(found.present.len() as u64)
            .raw(" pages, not settled for ")
            .int(found.unprovable.len() as u64)
            .raw(", shown not to be on ")
            .int(found.absent.len() as u64)
            .raw(". The quotations and the pages are in <a href=\"#phrase-lists\">the annex</a>.</p>");
    } else {
        lists(html, found);
    }
}

/// Quotations, near misses, and the pages.
fn lists(html: &mut Html, found: &PhraseAt) {
    for quote in found.quotes.iter().take(MAX_LISTED_ROWS) {
        html.raw("<blockquote>").foreign(&quote.before).raw("<mark>").foreign(&quote.words).raw("</mark>");
        html.foreign(&quote.after).raw("<footer>").foreign(&quote.place);
        if found.quotes.len() > 1 {
            html.raw(" ").url(&quote.url, &quote.url);
        }
        html.raw("</footer></blockquote>");
    }
    if !found.nearly.is_empty() {
        html.raw("<h4>Nearly the same words</h4><ul class=\"notes\">");
        for near in found.nearly.iter().take(MAX_LISTED_ROWS) {
            html.raw("<li>Record ")
                .text(&near.record)
                .raw(" (captured ")
                .prose(&near.captured.to_string())
                .raw("): “");
            html.foreign(&near.words).raw("”; ").foreign(&near.differs).raw("</li>");
        }
        html.raw("</ul>");
    }
    proven(html, "Shown on", &found.present);
    if !found.unprovable.is_empty() {
        html.raw("<h4>Not settled: ").int(found.unprovable.len() as u64).raw("</h4><ul class=\"notes\">");
        for page in found.unprovable.iter().take(MAX_LISTED_ROWS) {
            html.raw("<li>").url(&page.url, &page.url).raw(": ").foreign(&page.reason);
            for (word, stretches) in [("present", &page.holds), ("absent", &page.lacks)] {
                for stretch in stretches.iter().take(MAX_LISTED_ROWS) {
                    html.raw("<br>but shown to be ")
                        .raw(word)
                        .raw(" from ")
                        .prose(&stretch.from.to_string())
                        .raw(" to ");
                    html.prose(&stretch.to.to_string());
                }
            }
            html.raw("</li>");
        }
        html.raw("</ul>");
        more(html, found.unprovable.len().saturating_sub(MAX_LISTED_ROWS));
    }
    proven(html, "Shown not to be on", &found.absent);
    if !found.limits.is_empty() {
        html.raw("<h4>What limits a claim that it was not on the site</h4><ul class=\"notes\">");
        for limit in &found.limits {
            html.raw("<li>").foreign(limit).raw("</li>");
        }
        html.raw("</ul>");
    }
}

fn proven(html: &mut Html, title: &'static str, pages: &[PhrasePage]) {
    if pages.is_empty() {
        return;
    }
    html.raw("<h4>").raw(title).raw(": ").int(pages.len() as u64).raw("</h4><ul class=\"notes\">");
    for page in pages.iter().take(MAX_LISTED_ROWS) {
        html.raw("<li>")
            .url(&page.url, &page.url)
            .raw(" from ")
            .prose(&page.proven.from.to_string())
            .raw(" to ");
        html.prose(&page.proven.to.to_string());
        if let Some(body) = &page.body_blake3 {
            html.raw(" <span class=\"faint\">body </span><span class=\"mono hash faint\">")
                .text(body)
                .raw("</span>");
        }
        html.raw("</li>");
    }
    html.raw("</ul>");
    more(html, pages.len().saturating_sub(MAX_LISTED_ROWS));
}

/// Writes how the embedded resources of all pages stand.
pub(super) fn embeds(html: &mut Html, at: &At) {
    let Some(counts) = at.embeds.filter(|counts| counts.embeds > 0) else { return };
    html.raw("<section id=\"embeds\"><h2>Embedded files, as replay would show them</h2><table class=\"list\"><thead><tr>");
    html.raw("<th scope=\"col\" class=\"number\">Files</th><th scope=\"col\">What is known</th></tr></thead><tbody>");
    for state in EmbedState::ALL.into_iter().filter(|state| counts.of(*state) > 0) {
        html.raw("<tr><td class=\"number\">")
            .int(counts.of(state))
            .raw("</td><td>")
            .raw(state.words())
            .raw("</td></tr>");
    }
    html.raw("</tbody></table></section>");
}

/// Writes the embedded resources of one page.
pub(super) fn page_embeds(html: &mut Html, page: &PageAt) {
    if let Some(unknown) = &page.embeds_unknown {
        html.raw("<p class=\"note\">Embedded files unknown: ").foreign(unknown).raw(".</p>");
    }
    let Some(embeds) = page.embeds.as_ref() else { return };
    html.raw("<p class=\"note\">").text(&embeds.answer).raw("</p><ul class=\"notes small\">");
    for embed in embeds.list.iter().take(MAX_LISTED_ROWS) {
        html.raw("<li>")
            .url(&embed.url, &embed.url)
            .raw(" <b>")
            .raw(embed.state.words())
            .raw("</b>: ")
            .foreign(&embed.reason);
        if let Some(captured) = embed.captured {
            html.raw(" <span class=\"faint\">(captured ").prose(&captured.to_string()).raw(")</span>");
        }
        html.raw("</li>");
    }
    html.raw("</ul>");
    more(html, embeds.list.len().saturating_sub(MAX_LISTED_ROWS) + embeds.left_out as usize);
}
