//! What an answer assumes: each assumption only where the answer rests on it.

use crate::at::model::{At, PageAt, Role, SiteVerdict, Witness};
use crate::capture::Kind;
use crate::change::assumption::{Assumption, WHATEVER};
use crate::change::at::State;
use crate::change::evidence::Grade;
use crate::url::Canon;
use crate::url::as_written;

/// Whether the answer takes several spellings of an address for one page.
fn has_spellings(at: &At) -> bool {
    let asked = |page: &PageAt| {
        let canon = at.parameters.canon.parse().unwrap_or(Canon::Default);
        at.parameters.urls.iter().find(|url| canon.key(url) == page.key).map(|url| as_written(url))
    };
    at.pages.iter().any(|page| {
        let mut urls: Vec<String> = page
            .witnesses
            .iter()
            .filter(|record| record.role != Role::Original)
            .map(|record| as_written(&record.url))
            .collect();
        urls.extend(asked(page).filter(|_| !page.witnesses.is_empty()));
        urls.windows(2).any(|pair| pair[0] != pair[1])
            || page.assumptions.contains(&Assumption::OneKeyOnePage)
    })
}

/// The assumptions of an answer.
pub(super) fn of(at: &At) -> Vec<String> {
    let mut assumed: Vec<String> = Vec::new();
    let mut add = |condition: bool, words: &str| {
        if condition {
            assumed.push(words.to_owned());
        }
    };
    let proven = || at.pages.iter().filter(|page| page.state == State::Proven || page.proven.is_some());
    let records = || at.pages.iter().flat_map(|page| &page.witnesses);
    let is_one = at.counts.pages == 1;
    let mut pairs = at.pages.iter().flat_map(|page| &page.shown).map(|part| (&part.before, &part.after));
    let between = match (is_one, pairs.next(), pairs.next()) {
        (true, Some((Some(before), Some(after))), None) if before != after => {
            format!("The page did not change and change back between {before} and {after}.")
        }
        (true, ..) => "The page did not change and change back between two equal records.".to_owned(),
        _ => "No page changed and changed back between two equal captures.".to_owned(),
    };
    add(proven().next().is_some(), &between);
    let cached = records().any(|record| record.age.is_some_and(|age| age > 0));
    add(
        records().next().is_some(),
        match cached {
            true => {
                "The crawler's clock was right, and a response from a cache was made as long before as its Age says."
            }
            false => "The crawler's clock was right.",
        },
    );
    let uses_grade = |grade: Grade| proven().any(|page| page.grade == Some(grade));
    add(
        uses_grade(Grade::NotModified),
        "Where the server answered 304 Not Modified, the content had not been modified.",
    );
    let differs = |page: &&PageAt| page.state == State::ChangedNearby && page.proven.is_none();
    let decided = || proven().chain(at.pages.iter().filter(differs));
    let rests_on = |assumption| decided().any(|page| page.assumptions.contains(&assumption));
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
    let mut varies: Vec<&str> = records()
        .filter_map(|record| record.vary.as_deref())
        .filter(|vary| vary.split(',').any(|name| !name.trim().eq_ignore_ascii_case("accept-encoding")))
        .collect();
    varies.sort_unstable();
    varies.dedup();
    let varies = varies.join("; ");
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
    let repeats = |record: &Witness| record.kind == Kind::Revisit && record.status != Some(304);
    let is_repeated = records().any(repeats);
    add(
        uses_grade(Grade::Digest) && (!is_repeated || at.parameters.digests != "verify"),
        "The digests that records or an index state were computed from what the crawler received, and no two contents share a \
         digest.",
    );
    add(
        proven().next().is_some() && is_repeated,
        "Where the crawler recorded only that content was repeated, it computed that digest from what it received, and no two \
         contents share a digest.",
    );
    let is_late =
        at.verdict == SiteVerdict::NotCoherent || at.pages.iter().any(|page| page.began_after.is_some());
    let is_claimed = at.pages.iter().any(|page| page.state == State::Claimed);
    add(
        is_late || is_claimed && records().any(|record| record.last_modified.is_some()),
        "The server's clock was right when it stated Last-Modified.",
    );
    add(
        decided().next().is_some() && records().any(|record| record.index.is_some()),
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
        at.parameters.canon != "strict" && has_spellings(at),
        &format!(
            "Addresses that are equal by the rules `{}` (--canon) name the same page.",
            at.parameters.canon
        ),
    );
    add(
        !at.phrases.is_empty() && !at.parameters.raw && proven().next().is_some(),
        "The text of a page is what the server sent: scripts and style sheets add and hide nothing.",
    );
    let has_chances = at.pages.iter().any(|page| page.probability.is_some() || page.chances.is_some());
    add(
        has_chances,
        "For the estimates: pages change independently and at a steady rate (Poisson processes).",
    );
    add(
        records().next().is_some(),
        "The files are what the crawler wrote. A hash shows that a file is the same now as when this report was made, not who \
         made it.",
    );
    assumed
}
