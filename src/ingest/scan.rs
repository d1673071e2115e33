//! What is read from bodies as they pass: links, text, signs of error pages, sitemaps, and the type of undeclared ones.

use std::any::Any;
use std::sync::Arc;

use encoding_rs::Encoding;

use crate::archive::coding::BodyReader;
use crate::capture::Observation;
use crate::capture::observation::Kind;
use crate::digest::BodyDigest;
use crate::html::charset::Charset;
use crate::html::crawler_links::page_info;
use crate::html::css::CssScanner;
use crate::html::feed;
use crate::html::foreign::Syntax;
use crate::html::link_list::Links;
use crate::html::links::LinkKind;
use crate::html::page::{Findings, PageScanner};
use crate::html::sitemap::{self, Entry};
use crate::html::sniff;
use crate::html::soft404::{Soft404, by_words};
use crate::html::soft404_parked::{by_frames, by_scripts};
use crate::html::text::Text;
use crate::ingest::page_cache::{PageCache, PageKey};
use crate::problem::Problem;
use crate::url::resolve::Base;

/// What to extract from bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wanted {
    /// Fingerprints of visible text, and signs of soft 404s.
    pub text: bool,
    /// Links and embedded resources of HTML and CSS.
    pub links: bool,
    /// What sitemaps list.
    pub sitemaps: bool,
    /// Signs of walls against robots, in pages short enough to be one.
    pub walls: bool,
}

/// What was found in a body.
#[derive(Debug, Default)]
pub(crate) struct Scanned {
    /// The fingerprint of its visible text.
    pub text: Option<BodyDigest>,
    /// Why it looks like an error page, if it does.
    pub soft404: Option<Soft404>,
    /// What was found in it, if it is a page: its links are resolved where they are used.
    pub page: Option<Arc<Findings>>,
    /// Its links, resolved, if it is not a page.
    pub links: Links,
    /// What it lists, if it is a sitemap.
    pub sitemap: Option<Vec<Entry>>,
    /// The media type that its bytes show, if none was declared.
    pub mime: Option<&'static str>,
    /// What a limit cut.
    pub problems: Vec<Problem>,
}

/// No wall against robots is longer.
const MAX_WALL_BYTES: usize = 32 << 10;
/// A sitemap or feed longer than this is cut; the protocol of sitemaps allows 50 MB.
const MAX_XML_BYTES: usize = 50 << 20;

/// Reads one body.
pub(crate) enum Scanner {
    /// HTML, or an SVG image.
    Page {
        scanner: Box<PageScanner>,
        /// The encoding that its response declares.
        declared: Option<&'static Encoding>,
        syntax: Syntax,
        /// Where what is found is kept.
        keep: Option<(Arc<PageCache>, PageKey)>,
        /// Where only walls are looked for: how many bytes are left until the page is too long for one.
        room: Option<usize>,
    },
    /// A page that is too long for what was looked for.
    TooLong,
    /// HTML that was scanned before, and whether only walls are looked for.
    Seen(Arc<Findings>, bool),
    /// A style sheet.
    Css {
        scanner: Box<CssScanner>,
        /// What it found: kinds and values.
        found: Vec<(LinkKind, Vec<u8>)>,
    },
    /// XML or text that may be a sitemap or a feed.
    Xml(Box<Xml>),
    /// What a browser loaded for a page, recorded by browsertrix.
    PageInfo(Vec<u8>),
    /// A body of no declared type.
    Unknown(Box<Unknown>),
}

/// A body that may be a sitemap or a feed.
pub(crate) struct Xml {
    bytes: Vec<u8>,
    declared: Option<&'static Encoding>,
    may_be_sitemap: bool,
    may_be_feed: bool,
}

impl Xml {
    fn read(&mut self, piece: &[u8]) {
        let room = MAX_XML_BYTES.saturating_sub(self.bytes.len());
        if self.may_be_sitemap || self.may_be_feed {
            self.bytes.extend_from_slice(&piece[..piece.len().min(room)]);
        }
        if self.may_be_feed && self.bytes.len() >= feed::ROOT && !feed::is_feed(&self.bytes) {
            self.may_be_feed = false;
            if !self.may_be_sitemap {
                self.bytes = Vec::new();
            }
        }
    }

    fn finish(self, url: &str) -> Scanned {
        let found = if self.may_be_sitemap { sitemap::read(&self.bytes) } else { None };
        if let Some(found) = found {
            // Indexes of sitemaps need no following: what they name is in the archive or it is not.
            return Scanned { sitemap: Some(found.entries), problems: found.problems, ..Scanned::default() };
        }
        let mut scanned = Scanned::default();
        if self.may_be_feed && feed::is_feed(&self.bytes) {
            let charset = Charset::of(&self.bytes, self.declared);
            let (text, _, _) = charset.encoding.decode(&self.bytes);
            let mut found = Vec::new();
            feed::links(&text, &mut |kind, value: &[u8]| keep(&mut found, kind, value));
            scanned.links = resolved(&found, url);
        }
        scanned
    }
}

/// A body of no declared type: its first bytes decide how it is read.
pub(crate) struct Unknown {
    head: Vec<u8>,
    wanted: Wanted,
    may_be_sitemap: bool,
    charset: Option<String>,
    /// The type that the bytes show, and what reads them.
    decided: Option<(Option<&'static str>, Option<Scanner>)>,
}

impl Unknown {
    fn decide(&mut self, head: &[u8]) -> &mut Option<Scanner> {
        let decided = self.decided.get_or_insert_with(|| {
            let mime = sniff::sniff(head);
            let of = |mime| Scanner::of_type(mime, self.may_be_sitemap, self.charset.as_deref(), self.wanted);
            (mime, mime.and_then(of))
        });
        &mut decided.1
    }

    fn read(&mut self, piece: &[u8]) {
        if let Some((_, inner)) = &mut self.decided {
            return inner.iter_mut().for_each(|inner| inner.read(piece));
        }
        self.head.extend_from_slice(piece);
        if self.head.len() >= sniff::HEADER {
            self.release();
        }
    }

    fn release(&mut self) {
        let head = std::mem::take(&mut self.head);
        if let Some(inner) = self.decide(&head) {
            inner.read(&head);
        }
    }

    fn finish(mut self, url: &str) -> Scanned {
        if self.decided.is_none() {
            self.release();
        }
        let (mime, inner) = self.decided.unwrap_or_default();
        Scanned { mime, ..inner.map_or_else(Scanned::default, |inner| inner.finish(url)) }
    }
}

impl Scanner {
    /// A scanner for a capture, if anything in it is wanted.
    pub(crate) fn of(observation: &Observation, charset: Option<&str>, wanted: Wanted) -> Option<Scanner> {
        if wanted.links && observation.url.starts_with("urn:pageinfo:") {
            return Some(Scanner::PageInfo(Vec::new()));
        }
        let mime = observation.mime.as_deref();
        let is_xml =
            mime.is_some_and(|mime| mime.ends_with("xml") || mime.ends_with("gzip") || mime == "text/plain");
        let may_be_sitemap = wanted.sitemaps
            && (is_xml || mime.is_none())
            && observation.url.to_ascii_lowercase().contains("sitemap");
        if is_http_answer(observation) && sniff::is_unknown(mime) {
            let charset = charset.map(str::to_owned);
            let unknown = Unknown { head: Vec::new(), wanted, may_be_sitemap, charset, decided: None };
            return Some(Scanner::Unknown(Box::new(unknown)));
        }
        Scanner::of_type(mime?, may_be_sitemap, charset, wanted)
    }

    fn of_type(mime: &str, may_be_sitemap: bool, charset: Option<&str>, wanted: Wanted) -> Option<Scanner> {
        let declared = || {
            let label = charset.and_then(|charset| charset.split_ascii_whitespace().next());
            label.and_then(|label| Encoding::for_label(label.as_bytes()))
        };
        let page = |text: bool| {
            let (declared, syntax) = (declared(), Syntax::of_mime(mime));
            let scanner = Box::new(PageScanner::of(declared, syntax, text));
            let is_all = wanted.text || wanted.links;
            let room = (!is_all).then_some(MAX_WALL_BYTES);
            Scanner::Page { scanner, declared, syntax, keep: None, room }
        };
        match mime {
            "text/html" | "application/xhtml+xml" if wanted.text || wanted.links => Some(page(wanted.text)),
            "text/html" if wanted.walls => Some(page(true)),
            "image/svg+xml" if wanted.links => Some(page(false)),
            "text/css" if wanted.links => {
                Some(Scanner::Css { scanner: Box::new(CssScanner::default()), found: Vec::new() })
            }
            "application/xml"
            | "text/xml"
            | "application/rss+xml"
            | "application/atom+xml"
            | "application/rdf+xml"
                if wanted.links || may_be_sitemap =>
            {
                let may_be_feed = wanted.links;
                let xml = Xml { bytes: Vec::new(), declared: declared(), may_be_sitemap, may_be_feed };
                Some(Scanner::Xml(Box::new(xml)))
            }
            "application/gzip" | "application/x-gzip" | "text/plain" if may_be_sitemap => {
                let xml = Xml { bytes: Vec::new(), declared: None, may_be_sitemap, may_be_feed: false };
                Some(Scanner::Xml(Box::new(xml)))
            }
            _ => None,
        }
    }

    /// Reads a body that is all there, unless it was read before.
    pub(crate) fn read_whole(&mut self, body: &[u8], digest: BodyDigest, seen: &Arc<PageCache>) {
        if let Scanner::Unknown(unknown) = self {
            if let Some(inner) = unknown.decide(body) {
                inner.read_whole(body, digest, seen);
            }
            return;
        }
        if let Scanner::Page { declared, syntax, keep, room, .. } = self {
            if room.is_some_and(|room| body.len() > room) {
                *self = Scanner::TooLong;
                return;
            }
            let page = (digest, *declared, *syntax);
            if let Some(found) = seen.get(&page) {
                *self = Scanner::Seen(found, room.is_some());
                return;
            }
            *keep = Some((Arc::clone(seen), page));
        }
        self.read(body);
    }

    /// Takes what was found in this body before, if that is still known: then it need not be read.
    pub(crate) fn recall(&mut self, digest: BodyDigest, seen: &PageCache) -> bool {
        if let Scanner::Page { declared, syntax, room, .. } = self
            && let Some(found) = seen.get(&(digest, *declared, *syntax))
        {
            *self = Scanner::Seen(found, room.is_some());
            return true;
        }
        false
    }

    /// The end of the body: returns what was found.
    pub(crate) fn finish(self, url: &str) -> Scanned {
        match self {
            Scanner::TooLong => Scanned::default(),
            Scanner::Page { scanner, keep, room, .. } => {
                let found = scanner.end();
                let compact = Arc::new(found.compact());
                found.leave();
                if let Some((seen, page)) = keep {
                    seen.keep(page, Arc::clone(&compact));
                }
                of_page(compact, room.is_some())
            }
            Scanner::Seen(found, only_walls) => of_page(found, only_walls),
            Scanner::Css { mut scanner, mut found } => {
                scanner.finish(&mut |kind, value: &[u8]| keep(&mut found, kind, value));
                Scanned { links: resolved(&found, url), ..Scanned::default() }
            }
            Scanner::Xml(xml) => xml.finish(url),
            Scanner::Unknown(unknown) => unknown.finish(url),
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

/// Whether browsers would look at the bytes: lists of host addresses, and what a crawler stored itself, are not web pages.
fn is_http_answer(observation: &Observation) -> bool {
    let scheme = observation.url.split_once(':').map_or("", |(scheme, _)| scheme);
    observation.kind == Kind::Response
        && (scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https"))
}

fn of_page(found: Arc<Findings>, only_walls: bool) -> Scanned {
    let text = found.text();
    if only_walls {
        let is_wall = |sign: &Soft404| matches!(sign, Soft404::Wall { .. });
        let soft404 = text.and_then(|text| sign(text, &found)).filter(is_wall);
        return Scanned { soft404, ..Scanned::default() };
    }
    Scanned {
        soft404: text.and_then(|text| sign(text, &found)),
        text: text.and_then(|text| text.fingerprint),
        problems: found.problems().to_vec(),
        page: Some(found),
        ..Scanned::default()
    }
}

/// Why a page looks like an error page: by its words, else by what it loads.
fn sign(text: &Text, found: &Findings) -> Option<Soft404> {
    by_words(text)
        .or_else(|| by_frames(text.length, found.addresses(LinkKind::Frame)))
        .or_else(|| by_scripts(text.length, found.addresses(LinkKind::Script)))
}

/// Maximum number of links of a style sheet or feed.
const MAX_LINKS: usize = 10_000;

/// The links of a body at an address.
fn resolved(found: &[(LinkKind, Vec<u8>)], url: &str) -> Links {
    let mut links = Links::default();
    if let Some(base) = Base::parse(url.as_bytes()) {
        for (kind, value) in found {
            links.push_with(*kind, |out| base.resolve_into(value, out));
        }
    }
    links
}

fn keep(found: &mut Vec<(LinkKind, Vec<u8>)>, kind: LinkKind, value: &[u8]) {
    if found.len() < MAX_LINKS {
        found.push((kind, value.to_vec()));
    }
}

impl BodyReader for Scanner {
    fn read(&mut self, piece: &[u8]) {
        match self {
            Scanner::Page { room: Some(room), .. } if piece.len() > *room => *self = Scanner::TooLong,
            Scanner::Page { scanner, room, .. } => {
                room.iter_mut().for_each(|room| *room -= piece.len());
                scanner.feed(piece);
            }
            Scanner::Seen(..) | Scanner::TooLong => {}
            Scanner::Css { scanner, found } => {
                scanner.feed(piece, &mut |kind, value: &[u8]| keep(found, kind, value));
            }
            Scanner::Xml(xml) => xml.read(piece),
            Scanner::Unknown(unknown) => unknown.read(piece),
            Scanner::PageInfo(bytes) => {
                let room = MAX_XML_BYTES.saturating_sub(bytes.len());
                bytes.extend_from_slice(&piece[..piece.len().min(room)]);
            }
        }
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
