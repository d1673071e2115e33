//! Which responses look like error pages, judged over a whole site: the signs of [`crate::html::soft404`].
//!
//! The same content at several addresses is no sign by itself: query variants of one article and the shell of a script
//! application are served everywhere, too. It counts only for a short page at unlike paths, or if the same content was
//! served for an address that cannot exist or with status 404 or 410. The content is read again for that; without it nothing
//! is said.

use std::collections::{BTreeSet, HashMap};

use crate::audit::bodies::{Bodies, holds_body};
use crate::audit::model::SoftRule;
use crate::capture::intern::Id;
use crate::capture::page::{is_html, is_html_page, path};
use crate::capture::table::{Row, Table};
use crate::html::page::PageScanner;
use crate::html::soft404::{SAME_BODY, SHORT_TEXT, Soft404};
use crate::html::soft404_address::{by_redirect, cannot_exist};
use crate::url::resolve::Base;

/// Maximum number of repeated contents of a site that are read again.
const MAX_READ: usize = 200;
/// Maximum bytes of a content that is read again: an error page is not longer.
const MAX_BODY_BYTES: u64 = 1 << 20;
/// Maximum number of addresses remembered per content.
const MAX_PATHS: usize = 1000;
/// Minimum number of paths that differ in more than digits.
const UNLIKE_PATHS: usize = 3;

/// The signs of one site.
#[derive(Debug, Default)]
pub(crate) struct Signs {
    bodies: HashMap<Id, Soft404>,
}

/// Where one content was served.
#[derive(Default)]
struct Served<'a> {
    /// Paths without queries.
    paths: BTreeSet<&'a str>,
    /// An address that does not exist.
    missing: Option<&'a str>,
    /// A record that holds the content.
    held: Option<&'a Row>,
}

impl Signs {
    /// Reads the repeated contents of a site, given all its captures.
    pub(crate) fn of<'a>(table: &'a Table, rows: impl Iterator<Item = &'a Row>) -> Self {
        let mut contents: HashMap<Id, Served<'a>> = HashMap::new();
        for row in rows {
            let url = table.text(row.url);
            let is_page = is_html_page(table, row);
            let is_gone = matches!(row.status, Some(404 | 410))
                && row.mime.is_some_and(|mime| is_html(table.text(mime)));
            let Some(body) = row.body.filter(|_| is_page || is_gone) else { continue };
            let served = contents.entry(body).or_default();
            if is_gone || cannot_exist(url) {
                served.missing = Some(served.missing.map_or(url, |known| known.min(url)));
            } else if served.paths.len() < MAX_PATHS {
                served.paths.insert(path(url));
            }
            if holds_body(row) && served.held.is_none() {
                served.held = Some(row);
            }
        }
        contents.retain(|_, served| {
            !served.paths.is_empty() && (served.missing.is_some() || are_unlike(&served.paths))
        });
        let mut contents: Vec<(Id, Served<'_>)> = contents.into_iter().collect();
        contents.sort_unstable_by_key(|(body, _)| table.body(*body).map(|digest| digest.0));
        let reader = Bodies::default();
        let sign = |(body, served): (Id, Served<'_>)| Some((body, judge(table, &reader, &served)?));
        Signs { bodies: contents.into_iter().take(MAX_READ).filter_map(sign).collect() }
    }

    /// Why the response looks like an error page, as a sentence; `None`: it does not.
    pub(crate) fn of_row(&self, table: &Table, row: &Row) -> Option<String> {
        if let Some(words) = row.soft404 {
            return Some(table.text(words).to_owned());
        }
        let url = table.text(row.url);
        if matches!(row.status, Some(301..=303 | 307 | 308)) {
            let location = table.text(row.location?);
            let target = Base::parse(url.as_bytes())?.resolve(location.as_bytes())?;
            return by_redirect(url, &target).map(|sign| sign.explain());
        }
        Some(self.of_body(table, row)?.explain())
    }

    /// Which rule finds a response that looks like an error page.
    pub(crate) fn rule(&self, table: &Table, row: &Row) -> SoftRule {
        let by_paper = matches!(self.of_body(table, row), Some(Soft404::LikeMissing { .. }));
        match (by_paper, row.soft404.is_some()) {
            (true, true) => SoftRule::Both,
            (true, false) => SoftRule::Papers,
            (false, _) => SoftRule::Own,
        }
    }

    /// What the content says that was served at several addresses.
    fn of_body(&self, table: &Table, row: &Row) -> Option<&Soft404> {
        let url = table.text(row.url);
        // The root is what others are mistaken for.
        let is_root = path(url) == "/" && !url.contains('?');
        self.bodies.get(&row.body?).filter(|_| !is_root && is_html_page(table, row))
    }
}

/// Whether there are enough paths, and they differ in more than numbers.
fn are_unlike(paths: &BTreeSet<&str>) -> bool {
    let shape = |path: &&str| path.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    paths.len() >= SAME_BODY as usize
        && paths.iter().map(shape).collect::<BTreeSet<_>>().len() >= UNLIKE_PATHS
}

/// Reads a repeated content: short, and not the shell of an application.
fn judge(table: &Table, reader: &Bodies, served: &Served<'_>) -> Option<Soft404> {
    let row = served.held.filter(|row| row.body_length.is_some_and(|length| length <= MAX_BODY_BYTES))?;
    let body = reader.fetch(table, row).ok()?;
    let mut scanner = PageScanner::new(body.content_type.as_deref().map(str::as_bytes));
    scanner.feed(&without_noscript(&body.bytes));
    let length = scanner.finish(b"").text?.length;
    let has_script = find(&body.bytes, b"<script", 0).is_some();
    if length == 0 || (has_script && length < SHORT_TEXT / 4) {
        return None;
    }
    match served.missing {
        Some(url) => Some(Soft404::LikeMissing { url: url.to_owned() }),
        None => (length < SHORT_TEXT).then_some(Soft404::SameBody { urls: served.paths.len() as u32 }),
    }
}

/// The page without what it shows only where scripts are off: "please enable JavaScript".
fn without_noscript(page: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(page.len());
    let mut at = 0;
    while let Some(open) = find(page, b"<noscript", at) {
        out.extend_from_slice(&page[at..open]);
        at = find(page, b"</noscript", open).unwrap_or(page.len());
    }
    out.extend_from_slice(&page[at..]);
    out
}

/// The position of a tag in any case.
fn find(page: &[u8], tag: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += memchr::memchr(b'<', page.get(at..)?)?;
        if page.get(at..at + tag.len()).is_some_and(|found| found.eq_ignore_ascii_case(tag)) {
            return Some(at);
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::testing::look;

    #[test]
    fn redirects_of_own_paths_to_the_root_are_signs_and_contents_that_cannot_be_read_are_not() {
        let mut looks: Vec<_> = (0..6)
            .map(|n| look(&format!("http://a.example/{n}/x{n}"), "2024-01-01").body(9).build())
            .collect();
        looks.push(look("http://a.example/", "2024-01-01").body(9).build());
        let mut redirect = look("http://a.example/old/a-17", "2024-01-01").status(302).build();
        redirect.location = Some("/".to_owned());
        looks.push(redirect);
        let table = Table::of(&looks);
        let signs = Signs::of(&table, table.rows().iter());
        let sign = |url: &str| {
            let row = table.rows().iter().find(|row| table.text(row.url) == url).unwrap();
            signs.of_row(&table, row)
        };
        assert!(sign("http://a.example/old/a-17").unwrap().contains("root"));
        assert_eq!(sign("http://a.example/"), None);
        assert_eq!(sign("http://a.example/3/x3"), None);
    }

    #[test]
    fn paths_that_differ_in_numbers_or_queries_only_are_alike() {
        let set = |paths: &[&'static str]| paths.iter().copied().collect::<BTreeSet<_>>();
        assert!(!are_unlike(&set(&["/p/1", "/p/2", "/p/3", "/p/4", "/p/5"])));
        assert!(!are_unlike(&set(&["/a", "/b", "/c"])));
        assert!(are_unlike(&set(&["/a", "/b", "/c", "/d", "/e/f"])));
    }

    #[test]
    fn text_for_readers_without_scripts_is_left_out() {
        let page = b"a<NoScript>b</noscript>c<noscript>d";
        assert_eq!(without_noscript(page), b"a</noscript>c");
    }
}
