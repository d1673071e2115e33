//! The answer in words that need no knowledge of archives, and that claim no more than is proven.

use crate::audit::at_model::{At, Holds, SiteVerdict};

/// The answer in a sentence or two.
pub fn answer(at: &At) -> String {
    let counts = &at.counts;
    let pages = if counts.pages == 1 { "page".to_owned() } else { format!("{} pages", counts.pages) };
    let date = if at.asked.from == at.asked.to {
        format!("At {}", at.asked.from)
    } else {
        format!("From {} to {}", at.asked.from, at.asked.to)
    };
    let mut answer = match at.verdict {
        SiteVerdict::Coherent => format!(
            "{date} the capture is coherent: equal captures before and after enclose the date for {}.",
            if counts.pages == 1 { "the page".to_owned() } else { format!("all {pages}") }
        ),
        SiteVerdict::NotCoherent => format!(
            "{date} the capture is not coherent: for {} of {pages}, Last-Modified shows that the version closest to the \
             date began only after it.",
            counts.late
        ),
        SiteVerdict::NotProvable => format!(
            "{date} coherence is not provable: {} of {pages} {} proven by equal captures before and after.",
            counts.proven,
            if counts.proven == 1 { "is" } else { "are" }
        ),
    };
    if at.parts.len() > 1 {
        let coherent = at.parts.iter().filter(|part| part.verdict == SiteVerdict::Coherent);
        let spans: Vec<String> = coherent.map(|part| format!("{} to {}", part.from, part.to)).collect();
        answer += &match spans.as_slice() {
            [] => " No part of that time is proven coherent.".to_owned(),
            [one] => format!(" It is coherent for a part of that time: {one}."),
            [first, .., last] => {
                format!(
                    " It is coherent for {} parts of that time, the first {first}, the last {last}.",
                    spans.len()
                )
            }
        };
    }
    answer
}

/// A stretch of time in words.
pub fn stretch(holds: Holds) -> String {
    match (holds.from, holds.to) {
        (Some(from), Some(to)) => format!("from {from} to {to}"),
        (Some(from), None) => format!("from {from} on"),
        (None, Some(to)) => format!("up to {to}"),
        (None, None) => "at all times".to_owned(),
    }
}
