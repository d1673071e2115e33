//! What an answer assumes: each assumption only where the answer rests on it.

use crate::at::facts::Facts;
use crate::at::model::{At, SiteVerdict};
use crate::change::assumption::{Assumption, WHATEVER};
use crate::change::evidence::Grade;

/// What is assumed about, besides the facts.
#[derive(Debug)]
pub(crate) struct Asked<'a> {
    pub is_one: bool,
    /// The two records that a proof of one page rests on.
    pub between: Option<(&'a str, &'a str)>,
    /// A Last-Modified decides.
    pub is_late: bool,
    pub digests: &'a str,
    pub canon: &'a str,
    /// Words were searched in the text of pages.
    pub searches: bool,
}

/// The assumptions of an answer.
pub(super) fn of(at: &At, facts: &Facts) -> Vec<String> {
    let is_one = at.counts.pages == 1;
    let shown = at.pages.only().map_or(&[][..], |page| &page.shown);
    let mut pairs = shown.iter().map(|part| (part.before.as_deref(), part.after.as_deref()));
    let between = match (pairs.next(), pairs.next()) {
        (Some((Some(before), Some(after))), None) if before != after => Some((before, after)),
        _ => None,
    };
    let asked = Asked {
        is_one,
        between,
        is_late: at.verdict == SiteVerdict::NotCoherent || facts.began_after,
        digests: &at.parameters.digests,
        canon: &at.parameters.canon,
        searches: !at.phrases.is_empty() && !at.parameters.raw,
    };
    list(&asked, facts)
}

/// The assumptions that the facts rest on.
pub(super) fn list(asked: &Asked<'_>, facts: &Facts) -> Vec<String> {
    let mut assumed: Vec<String> = Vec::new();
    let mut add = |condition: bool, words: &str| {
        if condition {
            assumed.push(words.to_owned());
        }
    };
    let between = match (asked.is_one, asked.between) {
        (true, Some((before, after))) => {
            format!("The page did not change and change back between {before} and {after}.")
        }
        (true, _) => "The page did not change and change back between two equal records.".to_owned(),
        _ => "No page changed and changed back between two equal captures.".to_owned(),
    };
    add(facts.proven, &between);
    add(
        facts.records > 0,
        match facts.cached {
            true => {
                "The crawler's clock was right. A response that a cache may have kept, by its Age or its Date, was made at some time \
                 between those and its WARC-Date, and every other one at its WARC-Date: no cache kept it without an Age or an earlier Date."
            }
            false => {
                "The crawler's clock was right, and each response was made at its WARC-Date: no cache kept it without an Age or an \
                 earlier Date."
            }
        },
    );
    add(
        facts.clocks_between,
        "Where the time asked about lies between the Date of a record and its WARC-Date (less its Age), which are less than a minute \
         apart, the server's clock was off, and the crawler's counts.",
    );
    add(
        facts.uses(Grade::NotModified) || facts.rests_on(Assumption::HonestNotModified),
        "Where the server answered 304 Not Modified, the content had not been modified.",
    );
    let rests_on = |assumption| facts.rests_on(assumption);
    add(rests_on(Assumption::MethodGet), "Records without their request were made with the method GET.");
    add(
        rests_on(Assumption::WholeBodies),
        "What is known by its digest alone was captured whole, and status 200 showed the page: a digest shows neither what is cut nor a \
         bot wall.",
    );
    add(
        rests_on(Assumption::WallByWords),
        "A response that asks the visitor to prove to be human was a bot wall, not a version of the page: its words say so, not \
         its status.",
    );
    add(
        rests_on(Assumption::GuessedCharset),
        "A response that names no charset is read in the one that its page or its bytes suggest.",
    );
    let varies = facts.varies.iter().map(String::as_str).collect::<Vec<_>>().join("; ");
    add(
        rests_on(Assumption::SamePageForEveryone),
        &match varies.is_empty() {
            true => "What was sent did not depend on who asked: on cookies, language or browser.".to_owned(),
            false => format!(
                "What was sent did not depend on who asked, though the server says that it may (Vary: {varies})."
            ),
        },
    );
    for (_, assumption, header) in WHATEVER {
        add(
            rests_on(assumption),
            &format!("What was sent did not depend on {header}, though the requests differ in it."),
        );
    }
    add(
        facts.uses(Grade::Digest) && (!facts.repeated || asked.digests != "verify"),
        "The digests that records or an index state were computed from what the crawler received, and no two contents share a \
         digest.",
    );
    add(
        facts.proven && facts.repeated,
        "Where the crawler recorded only that content was repeated, it computed that digest from what it received, and no two \
         contents share a digest.",
    );
    add(asked.is_late || facts.claimed, "The server's clock was right when it stated Last-Modified.");
    add(
        facts.decided && facts.indexed > 0,
        "All lines of an index were written by one program, so that their digests can be compared.",
    );
    add(
        rests_on(Assumption::OneCoding),
        "Where only digests are known, the same content was always sent in the same coding.",
    );
    add(
        rests_on(Assumption::RequestsAlike),
        &format!("The requests were alike in what the response varies by (Vary: {varies})."),
    );
    add(
        asked.canon != "strict" && facts.spellings,
        &format!("Addresses that are equal by the rules `{}` (--canon) name the same page.", asked.canon),
    );
    add(
        asked.searches && facts.proven,
        "The text of a page is what the server sent: scripts and style sheets add and hide nothing.",
    );
    add(
        facts.chances,
        "For the estimates: pages change independently and at a steady rate (Poisson processes).",
    );
    add(
        facts.records > 0,
        "The files are what the crawler wrote. A hash shows that a file is the same now as when this report was made, not who \
         made it.",
    );
    assumed
}
