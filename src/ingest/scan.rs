//! What is read out of bodies while they go by: links, text, signs of soft 404s, sitemaps.

use std::any::Any;
use std::sync::Arc;

use encoding_rs::Encoding;

use crate::archive::coding::BodyReader;
use crate::capture::Observation;
use crate::digest::BodyDigest;
use crate::html::crawler_links::page_info;
use crate::html::css::CssScanner;
use crate::html::link_list::Links;
use crate::html::links::LinkKind;
use crate::html::page::{Findings, PageScanner};
use crate::html::sitemap::{self, Entry};
use crate::html::soft404::{Soft404, by_words};
use crate::ingest::page_cache::{PageKey, Seen};
use crate::problem::Problem;
use crate::url::resolve::Base;

/// What is wanted out of bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wanted {
    /// Fingerprints of visible text, and signs of soft 404s.
    pub text: bool,
    /// Links and embedded resources of HTML and CSS.
    pub links: bool,
    /// What sitemaps list.
    pub sitemaps: bool,
}

/// What was found in a body.
#[derive(Debug, Default)]
pub(crate) struct Scanned {
    /// The fingerprint of its visible text.
    pub text: Option<BodyDigest>,
    /// Why it is taken for "not found", if it is.
    pub soft404: Option<Soft404>,
    /// What was found in it, if it is a page: its links are resolved by whoever uses them.
    pub page: Option<Arc<Findings>>,
    /// Its links, resolved, if it is none.
    pub links: Links,
    /// What it lists, if it is a sitemap.
    pub sitemap: Option<Vec<Entry>>,
    /// What a limit cut.
    pub problems: Vec<Problem>,
}

/// A sitemap longer than this is cut; the protocol allows 50 MB.
const LONGEST_SITEMAP: usize = 50 << 20;

/// Reads one body.
pub(crate) enum Scanner {
    /// HTML.
    Page {
        /// Its scanner.
        scanner: Box<PageScanner>,
        /// The encoding that its answer declares.
        declared: Option<&'static Encoding>,
        /// Where what is found is kept.
        keep: Option<(Arc<Seen>, PageKey)>,
    },
    /// HTML that was scanned before.
    Seen(Arc<Findings>),
    /// A style sheet.
    Css {
        /// Its scanner.
        scanner: Box<CssScanner>,
        /// What it found: kinds and values.
        found: Vec<(LinkKind, Vec<u8>)>,
    },
    /// XML or text that may be a sitemap.
    Sitemap(Vec<u8>),
    /// What a browser loaded for a page, as browsertrix tells it.
    PageInfo(Vec<u8>),
}

impl Scanner {
    /// A scanner for a capture, if anything in it is wanted.
    pub(crate) fn of(observation: &Observation, charset: Option<&str>, wanted: Wanted) -> Option<Scanner> {
        if wanted.links && observation.url.starts_with("urn:pageinfo:") {
            return Some(Scanner::PageInfo(Vec::new()));
        }
        let mime = observation.mime.as_deref()?;
        match mime {
            "text/html" | "application/xhtml+xml" if wanted.text || wanted.links => {
                let declared = charset.and_then(|charset| charset.split_ascii_whitespace().next());
                let declared = declared.and_then(|label| Encoding::for_label(label.as_bytes()));
                let scanner = Box::new(PageScanner::of(declared, wanted.text));
                Some(Scanner::Page { scanner, declared, keep: None })
            }
            "text/css" if wanted.links => {
                Some(Scanner::Css { scanner: Box::new(CssScanner::default()), found: Vec::new() })
            }
            "application/xml" | "text/xml" | "application/gzip" | "application/x-gzip" | "text/plain"
                if wanted.sitemaps && observation.url.to_ascii_lowercase().contains("sitemap") =>
            {
                Some(Scanner::Sitemap(Vec::new()))
            }
            _ => None,
        }
    }

    /// Reads a body that is all there, unless it was read before.
    pub(crate) fn read_whole(&mut self, body: &[u8], digest: BodyDigest, seen: &Arc<Seen>) {
        if let Scanner::Page { declared, keep, .. } = self {
            let page = (digest, *declared);
            if let Some(found) = seen.get(&page) {
                *self = Scanner::Seen(found);
                return;
            }
            *keep = Some((Arc::clone(seen), page));
        }
        self.read(body);
    }

    /// The body is over.
    pub(crate) fn finish(self, url: &str) -> Scanned {
        match self {
            Scanner::Page { scanner, keep, .. } => {
                let found = scanner.end();
                let compact = Arc::new(found.compact());
                found.leave();
                if let Some((seen, page)) = keep {
                    seen.keep(page, Arc::clone(&compact));
                }
                of_page(compact)
            }
            Scanner::Seen(found) => of_page(found),
            Scanner::Css { mut scanner, mut found } => {
                scanner.finish(&mut |kind, value: &[u8]| keep(&mut found, kind, value));
                let mut links = Links::default();
                if let Some(base) = Base::parse(url.as_bytes()) {
                    for (kind, value) in &found {
                        links.push_with(*kind, |out| base.resolve_into(value, out));
                    }
                }
                Scanned { links, ..Scanned::default() }
            }
            Scanner::Sitemap(bytes) => match sitemap::read(&bytes) {
                // Indexes of sitemaps need no following: what they name is in the archive or it is not.
                Some(found) => {
                    Scanned { sitemap: Some(found.entries), problems: found.problems, ..Scanned::default() }
                }
                None => Scanned::default(),
            },
            Scanner::PageInfo(bytes) => match page_info(&bytes) {
                Ok(info) => {
                    let mut links = Links::default();
                    info.loaded.iter().for_each(|loaded| links.push(LinkKind::Loaded, &loaded.url));
                    Scanned { links, ..Scanned::default() }
                }
                Err(problem) => Scanned { problems: vec![*problem], ..Scanned::default() },
            },
        }
    }
}

fn of_page(found: Arc<Findings>) -> Scanned {
    let text = found.text();
    Scanned {
        soft404: text.and_then(by_words),
        text: text.and_then(|text| text.fingerprint),
        problems: found.problems().to_vec(),
        page: Some(found),
        ..Scanned::default()
    }
}

/// No style sheet needs more.
const MOST_CSS_LINKS: usize = 10_000;

fn keep(found: &mut Vec<(LinkKind, Vec<u8>)>, kind: LinkKind, value: &[u8]) {
    if found.len() < MOST_CSS_LINKS {
        found.push((kind, value.to_vec()));
    }
}

impl BodyReader for Scanner {
    fn read(&mut self, piece: &[u8]) {
        match self {
            Scanner::Page { scanner, .. } => scanner.feed(piece),
            Scanner::Seen(_) => {}
            Scanner::Css { scanner, found } => {
                scanner.feed(piece, &mut |kind, value: &[u8]| keep(found, kind, value));
            }
            Scanner::Sitemap(bytes) | Scanner::PageInfo(bytes) => {
                let room = LONGEST_SITEMAP.saturating_sub(bytes.len());
                bytes.extend_from_slice(&piece[..piece.len().min(room)]);
            }
        }
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
