//! Lists of seeds: one URL per line. A line that is not a URL is reported, not taken for the name of a host.

use crate::problem::{Level, Problem};
use crate::url::{host, is_requestable};

/// The kind of the problem that a line is.
pub(crate) const NOT_A_SEED: &str = "seed-not-url";

/// The longest part of a line that a report quotes, in characters.
const QUOTED: usize = 60;

/// The URLs of a list, and the lines that are not URLs.
#[derive(Debug, Default)]
pub(crate) struct SeedList {
    pub urls: Vec<String>,
    pub problems: Vec<Problem>,
}

/// Reads a list; empty lines and those that begin with `#` are left out, as is what follows a blank. A host may stand without
/// `http://`.
pub(crate) fn parse(text: &str) -> SeedList {
    let mut list = SeedList::default();
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        let Some(word) = line.split_whitespace().next().filter(|word| !word.starts_with('#')) else {
            continue;
        };
        match url_of(word) {
            Some(url) => list.urls.push(url),
            None => {
                let quoted: String = line.trim().chars().take(QUOTED).collect();
                let message = format!("line {number} is not a URL and is left out: {quoted:?}");
                let problem = Problem::new(Level::Warning, NOT_A_SEED, message);
                list.problems.push(problem.with_remedy("write one URL a line, such as https://example.org/"));
            }
        }
    }
    list
}

/// A word of a list as a URL.
fn url_of(word: &str) -> Option<String> {
    if let Some((scheme, _)) = word.split_once("://") {
        let is_web = ["http", "https"].iter().any(|web| scheme.eq_ignore_ascii_case(web));
        let is_scheme = scheme.starts_with(|letter: char| letter.is_ascii_alphabetic());
        let is_url = if is_web { is_requestable(word) } else { is_scheme && host(word).is_some() };
        return is_url.then(|| word.to_owned());
    }
    // A single word is probably a slip, not the name of a host, and neither is a mail address.
    let is_host = !word.contains('@') && (word.contains(['.', ':', '/']) || word == "localhost");
    let end = if word.contains('/') { "" } else { "/" };
    Some(format!("http://{word}{end}")).filter(|url| is_host && is_requestable(url))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_list_of_seeds_may_have_comments_and_bare_hosts() {
        let list = parse(
            "\u{feff}http://a.example/ x\n\n# no\nb.example\nc.example/news\nlocalhost\nftp://d.example/\n",
        );
        let urls = [
            "http://a.example/",
            "http://b.example/",
            "http://c.example/news",
            "http://localhost/",
            "ftp://d.example/",
        ];
        assert_eq!(list.urls, urls);
        assert!(list.problems.is_empty(), "{:?}", list.problems);
    }

    #[test]
    fn a_line_that_is_no_url_is_reported_and_no_seed() {
        let list =
            parse("http://a.example/\nnot a url\nhttp://\nmailto:a@b.example\n+http://(com,example,\n");
        assert_eq!(list.urls, ["http://a.example/"]);
        let messages: Vec<&str> = list.problems.iter().map(|problem| problem.message.as_str()).collect();
        assert_eq!(messages[0], "line 2 is not a URL and is left out: \"not a url\"");
        assert_eq!(messages.len(), 4, "{messages:?}");
    }
}
