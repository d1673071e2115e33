//! Phrases and embedded resources in the answer about a date.

use std::borrow::Cow;
use std::io::{self, Write};

use crate::at::embed_model::{EmbedAt, EmbedState};
use crate::at::model::{At, PageAt};
use crate::at::phrase_model::{PhraseAt, PhrasePage, UnprovablePage};
use crate::format::count;
use crate::report::at::{Length, heading, rest};
use crate::report::layout::{paragraph as text, quoted};

/// What is known of each phrase.
pub(super) fn phrases(out: &mut dyn Write, at: &At, length: Length) -> io::Result<()> {
    if at.phrases.is_empty() {
        return Ok(());
    }
    heading(out, "WORDS ASKED FOR")?;
    for found in &at.phrases {
        phrase(out, found, length)?;
        let names = at.uncaptured.as_ref().filter(|_| length == Length::Whole || found.present.is_empty());
        if let Some(uncaptured) = names {
            for url in uncaptured.urls.iter().take(if length == Length::Whole { usize::MAX } else { 5 }) {
                quoted(out, "        lacking: ", url)?;
            }
        }
    }
    Ok(())
}

fn phrase(out: &mut dyn Write, phrase: &PhraseAt, length: Length) -> io::Result<()> {
    quoted(out, "  PHRASE ", &format!("\"{}\"", phrase.phrase))?;
    text(out, "    ANSWER ", &phrase.answer)?;
    for quote in phrase.quotes.iter().take(if length == Length::Whole { usize::MAX } else { 4 }) {
        quoted(out, "    QUOTED ", &format!("\"{}[{}]{}\"", quote.before, quote.words, quote.after))?;
        if phrase.quotes.len() > 1 {
            quoted(out, "           ", &quote.url)?;
        }
        quoted(out, "    WHERE  ", &quote.place)?;
    }
    for near in phrase.nearly.iter().take(length.limit()) {
        let line = format!(
            "Record {} (captured {}): \"{}\"; {}.",
            near.record, near.captured, near.words, near.differs
        );
        quoted(out, "    NEARLY ", &line)?;
    }
    pages(out, "    shown on ", &phrase.present, length)?;
    unprovable(out, phrase, length)?;
    if length == Length::Whole {
        pages(out, "    shown not to be on ", &phrase.absent, length)?;
    }
    if length == Length::Whole || phrase.present.is_empty() {
        text(out, "    ", "What limits a claim that it was not on the site:")?;
        for limit in &phrase.limits {
            text(out, "      - ", limit)?;
        }
    }
    Ok(())
}

/// The pages without proof, those with one reason together.
fn unprovable(out: &mut dyn Write, phrase: &PhraseAt, length: Length) -> io::Result<()> {
    let mut reasons: Vec<(&str, Vec<&UnprovablePage>)> = Vec::new();
    for page in &phrase.unprovable {
        match reasons.iter_mut().find(|(reason, _)| *reason == page.reason) {
            Some((_, pages)) => pages.push(page),
            None => reasons.push((&page.reason, vec![page])),
        }
    }
    for (reason, pages) in reasons {
        let which = count(pages.len() as u64, "page");
        text(out, "    ", &format!("Not settled for {which}: {reason}."))?;
        let limit = if length == Length::Whole { usize::MAX } else { 5 };
        for page in pages.iter().take(limit) {
            quoted(out, "      page ", &page.url)?;
            for (word, stretches) in [("present", &page.holds), ("absent", &page.lacks)] {
                for stretch in stretches.iter().take(limit) {
                    text(
                        out,
                        "        ",
                        &format!("but shown to be {word} from {} to {}", stretch.from, stretch.to),
                    )?;
                }
            }
        }
        rest(out, "      ", pages.len().saturating_sub(limit), "page")?;
    }
    Ok(())
}

fn pages(out: &mut dyn Write, mark: &str, pages: &[PhrasePage], length: Length) -> io::Result<()> {
    for page in pages.iter().take(length.limit()) {
        quoted(out, mark, &page.url)?;
        text(out, "      ", &format!("from {} to {}", page.proven.from, page.proven.to))?;
        if length == Length::Whole {
            let body = page.body_blake3.as_deref().unwrap_or("unknown");
            text(out, "      text of the body ", body)?;
        }
    }
    rest(out, "    ", pages.len().saturating_sub(length.limit()), "page")
}

/// How the embedded resources of all pages stand, and the pages where one does not fit.
pub(super) fn embeds(out: &mut dyn Write, at: &At, length: Length) -> io::Result<()> {
    let Some(counts) = at.embeds.filter(|counts| counts.embeds > 0) else { return Ok(()) };
    heading(out, "EMBEDDED FILES, as replay would show them")?;
    for state in EmbedState::ALL {
        if counts.of(state) > 0 {
            text(out, "  ", &format!("{:>7}  {}", counts.of(state), state.words()))?;
        }
    }
    // The whole report lists them below their pages.
    if length == Length::Whole {
        return Ok(());
    }
    let unfit = |embed: &&EmbedAt| embed.state >= EmbedState::Later;
    let has_unfit = |page: &Cow<'_, PageAt>| {
        page.embeds.as_ref().is_some_and(|embeds| embeds.list.iter().any(|embed| unfit(&embed)))
    };
    let mut pages = at.pages.iter().filter(has_unfit);
    for page in pages.by_ref().take(length.limit()) {
        quoted(out, "  page ", &page.url)?;
        let mut found = page.embeds.iter().flat_map(|embeds| &embeds.list).filter(unfit);
        // What is shown to be newer says more than what was not captured.
        let newer = found.clone().find(|embed| embed.state == EmbedState::Newer);
        newer.or_else(|| found.next()).map_or(Ok(()), |embed| one(out, embed))?;
        let counts = page.embeds.as_ref().map(|embeds| embeds.counts).unwrap_or_default();
        let more = (counts.embeds - counts.of(EmbedState::ShownThere)).saturating_sub(1);
        if more > 0 {
            let are = if more == 1 { "is" } else { "are" };
            text(
                out,
                "    ",
                &format!("and {more} more of this page that {are} not shown to be there with it"),
            )?;
        }
    }
    rest(out, "  ", pages.count(), "page")
}

/// The embedded resources of one page.
pub(super) fn page_embeds(out: &mut dyn Write, page: &PageAt) -> io::Result<()> {
    if let Some(unknown) = &page.embeds_unknown {
        return text(out, "    ", &format!("Embedded files are unknown: {unknown}."));
    }
    let Some(embeds) = &page.embeds else { return Ok(()) };
    text(out, "    ", &embeds.answer)?;
    embeds.list.iter().try_for_each(|embed| one(out, embed))?;
    if embeds.left_out > 0 {
        text(out, "    ", &format!("and {} more", embeds.left_out))?;
    }
    Ok(())
}

fn one(out: &mut dyn Write, embed: &EmbedAt) -> io::Result<()> {
    quoted(out, "    embeds ", &embed.url)?;
    let captured = embed.captured.map_or_else(String::new, |at| format!(" (captured {at})"));
    text(out, "      ", &format!("{}: {}{captured}", embed.state.words(), embed.reason))
}
