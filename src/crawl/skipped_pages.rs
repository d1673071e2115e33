//! browsertrix `skippedPages.jsonl`: pages that were found and not crawled, with the reason.

use serde::Deserialize;

use crate::crawl::outcome::{Fate, Logged, MAX_LINE};
use crate::problem::{Level, Problem};

#[derive(Deserialize)]
struct Line {
    url: Option<String>,
    reason: Option<String>,
    #[serde(rename = "seedUrl")]
    seed_url: Option<String>,
}

/// Reads one line. `None`: an empty line or the head of the file.
///
/// # Errors
///
/// A problem if the line is not a JSON object, or has a URL without a reason.
pub(crate) fn line(line: &[u8]) -> Result<Option<Logged>, Box<Problem>> {
    let bad = |what: String| Box::new(Problem::new(Level::Warning, "skipped-pages-line", what));
    if line.len() > MAX_LINE {
        return Err(bad("the line is longer than any line of a list of pages".to_owned()));
    }
    let line = line.trim_ascii();
    if line.is_empty() {
        return Ok(None);
    }
    let read: Line =
        serde_json::from_slice(line).map_err(|error| bad(format!("not a JSON object of a page: {error}")))?;
    let Some(url) = read.url else { return Ok(None) };
    let Some(reason) = read.reason else {
        return Err(bad(format!("no reason is given for {url}")));
    };
    let excluded = |reason: &str| Fate::Excluded { reason: reason.to_owned() };
    let fate = match reason.as_str() {
        "outOfScope" => excluded("out of scope"),
        "robotsTxt" => excluded("robots.txt forbids it"),
        "redirectToExcluded" => excluded("it redirects out of scope"),
        "pageLimit" => Fate::Untried { reason: "the limit of pages was reached".to_owned() },
        "duplicate" => Fate::Duplicate,
        // An unknown reason of a later version still means that the page was left out on purpose.
        other => Fate::Excluded { reason: other.chars().take(100).collect() },
    };
    Ok(Some(Logged { url, fate, via: read.seed_url }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_tell_excluded_untried_and_duplicate_apart() {
        let fate = |reason: &str| {
            let text = format!(
                r#"{{"url":"http://a/x","seedUrl":"http://a/","depth":2,"seed":false,"reason":"{reason}","ts":"2025"}}"#
            );
            line(text.as_bytes()).unwrap().unwrap().fate
        };
        assert!(matches!(fate("outOfScope"), Fate::Excluded { .. }));
        assert!(matches!(fate("robotsTxt"), Fate::Excluded { .. }));
        assert!(matches!(fate("redirectToExcluded"), Fate::Excluded { .. }));
        assert!(matches!(fate("pageLimit"), Fate::Untried { .. }));
        assert_eq!(fate("duplicate"), Fate::Duplicate);
        assert_eq!(fate("newReason"), Fate::Excluded { reason: "newReason".to_owned() });
    }

    #[test]
    fn the_head_is_skipped_and_hostile_lines_become_problems() {
        assert_eq!(
            line(br#"{"format":"json-pages-1.0","id":"pages","title":"Skipped Pages"}"#).unwrap(),
            None
        );
        assert_eq!(line(b" \r\n").unwrap(), None);
        let deep = [b"[".repeat(5000), b"]".repeat(5000)].concat();
        for bad in [&b"nonsense"[..], br#"{"url":7}"#, br#"{"url":"http://a/"}"#, b"\xff", &deep] {
            assert_eq!(line(bad).unwrap_err().kind, "skipped-pages-line");
        }
        assert!(line(&vec![b' '; MAX_LINE + 1]).is_err());
    }
}
