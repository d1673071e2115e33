//! Which responses look like error pages, judged over a whole site: the signs of [`crate::html::soft404`].
//!
//! The same content at several addresses is no sign by itself: query variants of one article and the shell of a script
//! application are served everywhere, too. It counts only for a short page at unlike paths, or if the same content was
//! served for an address that cannot exist or with status 404 or 410. The content is read again for that; without it nothing
//! is said.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::convert::Infallible;
use std::io;

use crate::audit::bodies::{Bodies, Spot, holds_body};
use crate::audit::model::SoftRule;
use crate::audit::page_record::{Answer, PageRecord, Place};
use crate::audit::records::Records;
use crate::capture::page::{is_html, is_html_page, path};
use crate::capture::table::{Row, Table};
use crate::digest::BodyDigest;
use crate::html::page::PageScanner;
use crate::html::soft404::{SAME_BODY, SHORT_TEXT, Soft404};
use crate::html::soft404_address::{by_redirect, cannot_exist, is_entrance};
use crate::url::resolve::Base;

/// Maximum number of repeated contents of a site that are read again.
const MAX_READ: usize = 200;
/// Maximum bytes of a content that is read again: an error page is not longer.
const MAX_BODY_BYTES: u64 = 1 << 20;
/// Maximum number of addresses remembered per content.
const MAX_PATHS: usize = 1000;
/// Minimum number of different things that their paths name.
const UNLIKE_NAMES: usize = 4;

/// The signs of one site.
#[derive(Debug, Default)]
pub(crate) struct Signs {
    bodies: HashMap<BodyDigest, Soft404>,
}

/// What a URL answered, as far as it can be a sign.
pub(crate) struct Answered<'a> {
    url: &'a str,
    status: Option<u16>,
    location: Option<&'a str>,
    soft404: Option<&'a str>,
    body: Option<BodyDigest>,
    is_html_page: bool,
}

impl<'a> Answered<'a> {
    pub(crate) fn of(record: &'a PageRecord, answer: &'a Answer) -> Self {
        Answered {
            url: record.spelling(answer),
            status: answer.status,
            location: answer.location.as_deref(),
            soft404: answer.soft404.as_deref(),
            body: answer.body,
            is_html_page: answer.is_html_page(),
        }
    }

    /// The answer of a row.
    pub(crate) fn of_row(table: &'a Table, row: &Row) -> Self {
        Answered {
            url: table.text(row.url),
            status: row.status,
            location: row.location.map(|location| table.text(location)),
            soft404: row.soft404.map(|words| table.text(words)),
            body: row.body.and_then(|body| table.body(body)),
            is_html_page: is_html_page(table, row),
        }
    }
}

/// Where one content was served.
#[derive(Default)]
struct Served {
    /// Paths without queries.
    paths: BTreeSet<String>,
    /// Addresses that were answered so with status 404 or 410, and with status 200. One that is both was a page, and went away later.
    gone: BTreeSet<String>,
    shown: BTreeSet<String>,
    /// An address that does not exist.
    missing: Option<String>,
    /// A record that holds the content, and the length of it.
    held: Option<(Place, u64)>,
}

/// One URL that served a content.
struct Serving<'a> {
    url: &'a str,
    body: BodyDigest,
    is_gone: bool,
    /// A record that holds the content, and the length of it.
    held: Option<(Spot<'a>, u64)>,
}

impl<'a> Serving<'a> {
    /// An answer of a page record, if its content may be that of a page or of an error page.
    fn of(record: &'a PageRecord, answer: &'a Answer) -> Option<Self> {
        let is_gone = answer.is_gone();
        let body = answer.body.filter(|_| is_gone || answer.is_html_page())?;
        let held = answer.held.as_ref().zip(answer.body_length);
        let spot = |(place, length): (&'a Place, u64)| (place.spot(Some(body)), length);
        Some(Serving { url: record.spelling(answer), body, is_gone, held: held.map(spot) })
    }

    /// The same of a row.
    fn of_row(table: &'a Table, row: &Row) -> Option<Self> {
        let is_gone =
            matches!(row.status, Some(404 | 410)) && row.mime.is_some_and(|mime| is_html(table.text(mime)));
        let body = row.body.filter(|_| is_gone || is_html_page(table, row))?;
        let body = table.body(body)?;
        let held = row.body_length.filter(|_| holds_body(row)).map(|length| (Spot::of(table, row), length));
        Some(Serving { url: table.text(row.url), body, is_gone, held })
    }
}

impl Served {
    fn add(&mut self, serving: Serving<'_>) {
        let url = serving.url;
        if serving.is_gone {
            if self.gone.len() < MAX_PATHS {
                self.gone.insert(url.to_owned());
            }
        } else if cannot_exist(url) {
            if self.missing.as_deref().is_none_or(|known| url < known) {
                self.missing = Some(url.to_owned());
            }
        } else if self.paths.len() < MAX_PATHS {
            self.paths.insert(path(url).to_owned());
            self.shown.insert(url.to_owned());
        }
        if self.held.is_none() {
            self.held = serving.held.map(|(spot, length)| (Place::of(&spot), length));
        }
    }
}

impl Served {
    /// Names an address that does not exist, after all were added.
    fn settle(&mut self) {
        let gone = self.gone.difference(&self.shown).next();
        let first = gone.filter(|gone| self.missing.as_ref().is_none_or(|known| *gone < known));
        self.missing = first.cloned().or(self.missing.take());
    }
}

/// The start of a digest: enough to find those that may be repeated.
fn start(body: &BodyDigest) -> u64 {
    body.0.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// Takes the responses of a site one by one.
type Give<'g> = &'g mut dyn FnMut(Serving<'_>);

impl Signs {
    /// Reads the repeated contents of a site, given all its records.
    pub(crate) fn gather(records: &Records) -> io::Result<Self> {
        Self::read(&|give| {
            records.each(&mut |kept| {
                let answers = kept.record.answers.iter();
                answers.filter_map(|answer| Serving::of(&kept.record, answer)).for_each(&mut *give);
            })
        })
    }

    /// The same, given all its rows.
    pub(crate) fn of_rows<'a>(table: &'a Table, rows: impl Iterator<Item = &'a Row> + Clone) -> Self {
        let all = &|give: Give<'_>| {
            rows.clone().filter_map(|row| Serving::of_row(table, row)).for_each(give);
            Ok(())
        };
        let Ok(signs) = Self::read::<Infallible>(all);
        signs
    }

    fn read<E>(each: &dyn Fn(Give<'_>) -> Result<(), E>) -> Result<Self, E> {
        let mut starts: Vec<u64> = Vec::new();
        each(&mut |serving| starts.push(start(&serving.body)))?;
        starts.sort_unstable();
        let repeated: HashSet<u64> =
            starts.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect();
        if repeated.is_empty() {
            return Ok(Signs::default());
        }
        drop(starts);
        let mut contents: HashMap<BodyDigest, Served> = HashMap::new();
        each(&mut |serving| {
            if repeated.contains(&start(&serving.body)) {
                contents.entry(serving.body).or_default().add(serving);
            }
        })?;
        contents.values_mut().for_each(Served::settle);
        contents.retain(|_, served| {
            !served.paths.is_empty() && (served.missing.is_some() || are_unlike(&served.paths))
        });
        let mut contents: Vec<(BodyDigest, Served)> = contents.into_iter().collect();
        contents.sort_unstable_by_key(|(body, _)| body.0);
        let reader = Bodies::default();
        let sign = |(body, served): (BodyDigest, Served)| Some((body, judge(&reader, body, &served)?));
        Ok(Signs { bodies: contents.into_iter().take(MAX_READ).filter_map(sign).collect() })
    }

    /// Why the response looks like an error page, as a sentence; `None`: it does not.
    pub(crate) fn of(&self, answered: &Answered<'_>) -> Option<String> {
        if let Some(words) = answered.soft404 {
            return Some(words.to_owned());
        }
        if matches!(answered.status, Some(301..=303 | 307 | 308)) {
            let target = Base::parse(answered.url.as_bytes())?.resolve(answered.location?.as_bytes())?;
            return by_redirect(answered.url, &target).map(|sign| sign.explain());
        }
        Some(self.of_body(answered)?.explain())
    }

    /// Which rule finds a response that looks like an error page.
    pub(crate) fn rule(&self, answered: &Answered<'_>) -> SoftRule {
        let by_paper = matches!(self.of_body(answered), Some(Soft404::LikeMissing { .. }));
        match (by_paper, answered.soft404.is_some()) {
            (true, true) => SoftRule::Both,
            (true, false) => SoftRule::Papers,
            (false, _) => SoftRule::Own,
        }
    }

    /// What the content says that was served at several addresses.
    fn of_body(&self, answered: &Answered<'_>) -> Option<&Soft404> {
        // The root is what others are mistaken for.
        let is_root = path(answered.url) == "/" && !answered.url.contains('?');
        self.bodies.get(&answered.body?).filter(|_| !is_root && answered.is_html_page)
    }
}

/// Whether there are enough paths, and they name enough different things.
fn are_unlike(paths: &BTreeSet<String>) -> bool {
    let names: BTreeSet<String> = paths.iter().map(|path| name_of(path)).collect();
    paths.len() >= SAME_BODY as usize && names.len() >= UNLIKE_NAMES
}

/// What a path names: its last part that is no language, entrance or way to show a page, without suffix, digits and signs. So
/// `/mill`, `/mill.html`, `/en/mill` and `/mill/print` name one thing, and so do `/p/1` and `/p/2`.
fn name_of(path: &str) -> String {
    const WAYS: [&str; 12] =
        ["print", "amp", "mobile", "m", "pdf", "text", "feed", "rss", "page", "view", "show", "embed"];
    let path = path.to_lowercase();
    let mut parts = path.split('/').rev().filter(|part| !part.is_empty());
    let plain = |part: &str| {
        let stem = part.split('.').next().unwrap_or(part);
        stem.chars().filter(|c| c.is_alphabetic()).collect::<String>()
    };
    let is_own =
        |part: &&str| !is_entrance(part) && !WAYS.contains(&&*plain(part)) && !plain(part).is_empty();
    parts.find(is_own).map(plain).unwrap_or_default()
}

/// Reads a repeated content: short, and not the shell of an application.
fn judge(reader: &Bodies, content: BodyDigest, served: &Served) -> Option<Soft404> {
    let (place, _) = served.held.as_ref().filter(|(_, length)| *length <= MAX_BODY_BYTES)?;
    let body = reader.fetch_at(&place.spot(Some(content))).ok()?;
    let mut scanner = PageScanner::new(body.content_type.as_deref().map(str::as_bytes));
    scanner.feed(&without_noscript(&body.bytes));
    let text = scanner.finish(b"").text?;
    let length = text.length;
    let has_script = find(&body.bytes, b"<script", 0).is_some();
    if length == 0 || (has_script && length < SHORT_TEXT / 4) {
        return None;
    }
    match &served.missing {
        Some(url) => Some(Soft404::LikeMissing { url: url.clone() }),
        None => (length - text.menu_length < SHORT_TEXT)
            .then_some(Soft404::SameBody { urls: served.paths.len() as u32 }),
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
        let signs = Signs::of_rows(&table, table.rows().iter());
        let sign = |url: &str| {
            let row = table.rows().iter().find(|row| table.text(row.url) == url).unwrap();
            signs.of(&Answered::of_row(&table, row))
        };
        assert!(sign("http://a.example/old/a-17").unwrap().contains("root"));
        assert_eq!(sign("http://a.example/"), None);
        assert_eq!(sign("http://a.example/3/x3"), None);
    }

    #[test]
    fn paths_that_differ_in_numbers_or_queries_only_are_alike() {
        let set =
            |paths: &[&'static str]| paths.iter().map(|path| (*path).to_owned()).collect::<BTreeSet<_>>();
        assert!(!are_unlike(&set(&["/p/1", "/p/2", "/p/3", "/p/4", "/p/5"])));
        assert!(!are_unlike(&set(&["/a", "/b", "/c"])));
        assert!(are_unlike(&set(&["/alpha", "/beta", "/gamma", "/delta", "/e/f"])));
        let spellings = [
            "/mill",
            "/mill.html",
            "/en/mill",
            "/de/mill/",
            "/mill/print",
            "/Mill",
            "/mill/index.php",
            "/en-us/mill",
        ];
        assert!(!are_unlike(&set(&spellings)));
        // In two languages with words of their own.
        assert!(!are_unlike(&set(&[
            "/mill",
            "/mill.html",
            "/en/mill",
            "/de/muehle",
            "/de/muehle.html",
            "/fr/moulin"
        ])));
    }

    #[test]
    fn text_for_readers_without_scripts_is_left_out() {
        let page = b"a<NoScript>b</noscript>c<noscript>d";
        assert_eq!(without_noscript(page), b"a</noscript>c");
    }
}
