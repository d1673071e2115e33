//! What the words of a report mean: on hover, and in a list at its end.

use super::markup::Html;

/// A word, its place in the list, and what it means.
struct Term {
    /// The word, as figures name it.
    name: &'static str,
    /// The place in the list.
    anchor: &'static str,
    meaning: &'static str,
}

const fn term(name: &'static str, anchor: &'static str, meaning: &'static str) -> Term {
    Term { name, anchor, meaning }
}

/// All of them, in the order of a report.
const TERMS: [Term; 22] = [
    term("page", "g-page", "HTML that answered with status 200 at least once; with --pages all, every URL."),
    term(
        "capture",
        "g-capture",
        "One response of a page as stored, or a revisit record that says the same was served again.",
    ),
    term(
        "coherence",
        "g-coherence",
        "The greatest share of pages that are proven to have been online together at one moment: for each of them a capture before \
         and a capture behind it are the same.",
    ),
    term(
        "weighted",
        "g-weighted",
        "The same by importance: the share of the weight of all pages, not of their number.",
    ),
    term(
        "claimed",
        "g-claimed",
        "What was online together by the server's own ETag and Last-Modified: a claim, not proof.",
    ),
    term(
        "replay",
        "g-replay",
        "A reader asks for a random moment and gets, of every page, the capture closest to it: the share of these captures \
         that fit together; at least and at most.",
    ),
    term(
        "unchanged",
        "g-unchanged",
        "The number of pages expected to have stayed unchanged the whole time, by their change rates.",
    ),
    term(
        "blur",
        "g-blur",
        "How many versions away a replayed page is from what was online at a random moment, on average over pages. 0 is best.",
    ),
    term(
        "rate",
        "g-rate",
        "Changes a day, estimated from the captures of a page and, where they say little, from its site.",
    ),
    term(
        "versions",
        "g-versions",
        "The share of a page's versions that were captured; versions between captures are estimated from its change rate.",
    ),
    term(
        "links",
        "g-links",
        "The share of the pages linked from captured pages, within the site, that were captured too.",
    ),
    term(
        "embeds",
        "g-embeds",
        "The share of images, styles and scripts needed by captured pages that were captured too.",
    ),
    term(
        "importance",
        "g-importance",
        "How much a page counts; the average page has 1. By PageRank if links are known.",
    ),
    term(
        "sharp",
        "g-sharp",
        "Two captures or more, all the same: the page is proven to have been unchanged in between.",
    ),
    term("changed", "g-changed", "Two captures differ: the page changed between them."),
    term("single", "g-single", "Captured once, so nothing proves whether it changed."),
    term("unknown", "g-unknown", "Its captures could not be compared, or all of them failed."),
    term("proven", "g-proven", "At this moment the page is between two matching captures."),
    term(
        "grade",
        "g-grade",
        "How strong the evidence is: bytes (bodies recomputed and compared), digest (declared digests), not-modified (the \
         server answered 304), validator (ETag or Last-Modified; never a proof).",
    ),
    term("coverage", "g-coverage", "C(t): the number of pages proven online at moment t."),
    term(
        "hopeless",
        "g-hopeless",
        "A page that is more likely than not to change between its two fetches, in any order.",
    ),
    term(
        "expected coherence",
        "g-expected",
        "The importance of the pages expected to stay unchanged between their two fetches.",
    ),
];

/// A word as the list names it: a technical one behind its plain word.
fn headword(name: &'static str) -> &'static str {
    match name {
        "coherence" => "online together (coherence)",
        "weighted" => "by importance (weighted)",
        "unchanged" => "expected unchanged",
        "blur" => "versions away (blur)",
        "sharp" => "unchanged (sharp)",
        "single" => "captured once (single)",
        "unknown" => "cannot be compared (unknown)",
        "coverage" => "pages online over time (coverage)",
        "hopeless" => "changes too fast (hopeless)",
        "expected coherence" => "expected consistent (expected coherence)",
        plain => plain,
    }
}

/// The entry of a word, if the list has it.
fn lookup(name: &str) -> Option<&'static Term> {
    TERMS.iter().find(|term| term.name == name)
}

/// Writes a word that links to the list and shows its meaning on hover.
pub(crate) fn word(html: &mut Html, name: &'static str) {
    word_as(html, name, name);
}

/// Writes another spelling of a word of the list.
pub(crate) fn word_as(html: &mut Html, name: &str, spelling: &'static str) {
    match lookup(name) {
        Some(term) => {
            html.raw("<a class=\"word\" href=\"#")
                .raw(term.anchor)
                .raw("\" title=\"")
                .value(term.meaning)
                .raw("\">");
            html.raw(spelling).raw("</a>");
        }
        None => {
            html.raw(spelling);
        }
    }
}

/// Writes the list.
pub(crate) fn write(html: &mut Html) {
    html.raw("<section id=\"glossary\" class=\"glossary\"><h2>Glossary</h2><dl>");
    for term in &TERMS {
        html.raw("<div><dt id=\"")
            .raw(term.anchor)
            .raw("\">")
            .raw(headword(term.name))
            .raw("</dt><dd>")
            .raw(term.meaning);
        html.raw("</dd></div>");
    }
    html.raw("</dl></section>");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_one_place_and_plain_text() {
        for (number, term) in TERMS.iter().enumerate() {
            assert!(
                TERMS[..number].iter().all(|other| other.anchor != term.anchor && other.name != term.name)
            );
            assert!(!term.meaning.contains(['<', '&', '"']), "{}", term.name);
        }
    }
}
