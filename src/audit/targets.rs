//! What happened to the targets of links: captured, failed, left out on purpose, never requested.
//!
//! A target is judged by its captures in the window. Without captures, logs and lists of the crawl show whether it
//! was requested. Links to the same site are in scope; embedded resources count on any host, because a page is not
//! displayed as it was without them, unless the user wants those of the site only.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use crate::audit::bands::ORIGINAL_ELSEWHERE;
use crate::audit::bodies::{Bodies, holds_body};
use crate::audit::evident_scope::{Covered, EvidentScope};
use crate::audit::fates::Fates;
use crate::audit::link_map::LinkMap;
use crate::audit::missing_reason::ERROR_PAGE;
use crate::audit::model::{Excluded, LinkCompleteness, Missing};
use crate::audit::params::Parameters;
use crate::audit::robots::Robots;
use crate::audit::soft404::{Answered, Signs};
use crate::audit::target_kinds::{
    is_code, is_document, is_feed, is_for_programs, shows_nothing, starts_with_markup, wants_file,
};
use crate::capture::intern::Id;
use crate::capture::page::{is_html, is_html_page, path};
use crate::capture::table::{Row, Table};
use crate::crawl::outcome::Fate;
use crate::html::links::LinkKind;
use crate::html::page_fonts::{Sheet, needed_fonts};
use crate::html::soft404_address::is_entrance;
use crate::quality::link_completeness::{Tally, Target, TargetStatus, link_completeness, shown_with};
use crate::url::resolve::Base;

/// Maximum number of missing targets listed per site.
const MAX_LISTED: usize = 100_000;
/// Maximum number of targets listed that were left out on purpose.
const MAX_EXCLUDED: usize = 1000;
/// Maximum number of redirects followed.
const MAX_REDIRECTS: usize = 5;

/// Maximum bytes of a response that is read to see whether it is blank: of a page, and of anything else.
const MAX_BLANK_PAGE: u64 = 1024;
const MAX_BLANK: u64 = 64;
/// Maximum number of pages of a site that are read for the fonts they need, and how often for one font.
const MAX_FONT_PAGES: usize = 200;
const MAX_FONT_TRIES: usize = 3;

/// Why a redirect that never ends is not captured.
const LOOP: &str = "redirected in a loop, or too many times";
const TO_ITSELF: &str = "redirected to itself";
const TO_ANOTHER_SPELLING: &str = "redirected to another spelling of itself, which was not captured";

/// Why an image, a style sheet or a script is not captured that the server answered with a page.
const NOT_THE_FILE: &str = "answered with a web page, not with the file";

/// The evidence for judging targets.
pub(crate) struct Targets<'a> {
    pub table: &'a Table,
    pub links: &'a LinkMap,
    /// Outcomes recorded in crawl logs.
    pub fates: &'a Fates,
    /// Whether a log speaks of this site.
    pub is_logged: bool,
    /// What makes a site, and which embedded resources count.
    pub parameters: &'a Parameters,
    pub site: &'a str,
    /// Signs of error pages with status 200.
    pub signs: &'a Signs,
    /// Whether a row of the table is in the window.
    pub inside: &'a dyn Fn(usize) -> bool,
    /// The robots.txt files read so far, by address.
    pub robots: RefCell<HashMap<String, Option<Robots>>>,
    /// Whether a body is blank, for those read so far.
    pub blank: RefCell<HashMap<Id, bool>>,
    /// Whether a body is that of a web page, for those read so far.
    pub markup: RefCell<HashMap<Id, bool>>,
}

/// Link completeness of a site.
#[derive(Debug)]
pub(crate) struct Complete {
    pub links: LinkCompleteness,
    pub embeds: LinkCompleteness,
    /// What is missing, worst first.
    pub missing: Vec<Missing>,
    /// Number of missing targets beyond the list.
    pub left_out: u64,
    /// What was left out on purpose.
    pub excluded: Vec<Excluded>,
    /// Number of pages of which every capture is cut short, so that links of theirs are unknown.
    pub cut_pages: u64,
    /// Number of pages whose latest capture was not looked at for links.
    pub unread_pages: u64,
}

/// What happened to a node, with its HTTP status.
struct Judged {
    status: TargetStatus,
    http: Option<u16>,
    reason: Option<String>,
    /// It was redirected to another site, which nobody requested.
    leads_away: bool,
}

impl Judged {
    fn captured() -> Self {
        Judged { status: TargetStatus::Captured, http: None, reason: None, leads_away: false }
    }

    fn failed(http: Option<u16>, reason: impl Into<String>) -> Self {
        Judged { status: TargetStatus::Failed, http, reason: Some(reason.into()), leads_away: false }
    }
}

impl Targets<'_> {
    /// Link completeness of the pages of the site.
    pub(crate) fn complete(&self, pages: &[(&str, f64)]) -> Complete {
        let documents = self.documents(pages);
        let nodes = self.needing(pages, &documents);
        let scope = self.evident_scope(pages, &documents);
        let fonts = self.needed_fonts(&nodes);
        let target = |node: u32, used_as: Option<LinkKind>| {
            let embed = used_as.is_some();
            let judged = self.judge_node(node, used_as);
            let came_along = scope.follows_none() && judged.status == TargetStatus::Captured;
            let leads_away = !embed && judged.leads_away && self.in_scope(node, embed);
            let in_scope = self.in_scope(node, embed) && !leads_away && (embed || !came_along);
            let is_beyond = !embed && scope.is_beyond(node, self.url(node));
            let is_needed = fonts.contains(&node);
            Target {
                in_scope,
                status: judged.status,
                reason: judged.reason,
                leads_away,
                is_beyond,
                is_needed,
            }
        };
        let is_drawing = |node| self.is_drawing(node);
        let errors: HashSet<u32> = pages
            .iter()
            .filter(|(key, _)| self.is_error_page(key))
            .filter_map(|(key, _)| self.links.node(key))
            .collect();
        let is_error = |node| errors.contains(&node);
        let found = link_completeness(self.links.graph(), &nodes, target, is_drawing, is_error, MAX_LISTED);
        let missing = found.missing.into_iter().map(|missing| Missing {
            url: self.url(missing.node).to_owned(),
            kind: if missing.embed { "embed" } else { "link" }.to_owned(),
            used_as: missing.kind,
            needed_by: missing.needed_by.first().map(|page| self.url(*page).to_owned()),
            pages: u64::from(missing.pages),
            weight: missing.weight,
            fate: missing.status,
            status: self.judge_node(missing.node, missing.embed.then_some(missing.kind)).http,
            reason: missing.reason.unwrap_or_default(),
            sitemap: None,
            found: None,
        });
        let excluded = |(node, reason): (u32, Option<String>)| Excluded {
            url: self.url(node).to_owned(),
            reason: reason.unwrap_or_default(),
        };
        Complete {
            links: out(&found.links),
            embeds: out(&found.embeds),
            missing: missing.collect(),
            left_out: found.missing_left_out,
            excluded: found.excluded.into_iter().take(MAX_EXCLUDED).map(excluded).collect(),
            cut_pages: pages.iter().filter(|(key, _)| self.is_cut(key)).count() as u64,
            unread_pages: pages.iter().filter(|(key, _)| self.is_unread(key)).count() as u64,
        }
    }

    /// Whether every response of a page with status 200 looks like an error page.
    fn is_error_page(&self, key: &str) -> bool {
        let Some(page) = self.table.page(key) else { return false };
        let rows = page.rows.clone().filter(|row| (self.inside)(*row)).map(|row| &self.table.rows()[row]);
        let mut answers = rows.filter(|row| row.status == Some(200)).peekable();
        let is_error = |row: &Row| self.signs.of(&Answered::of_row(self.table, row)).is_some();
        answers.peek().is_some() && answers.all(is_error)
    }

    /// Whether every response of a page is cut short.
    fn is_cut(&self, key: &str) -> bool {
        let Some(page) = self.table.page(key) else { return false };
        let rows = page.rows.clone().filter(|row| (self.inside)(*row)).map(|row| &self.table.rows()[row]);
        let mut answers = rows.filter(|row| row.status == Some(200)).peekable();
        answers.peek().is_some() && answers.all(|row| row.truncated)
    }

    /// Whether the latest version of a page was not looked at for links: only an index tells of it, or a table that was made without them.
    fn is_unread(&self, key: &str) -> bool {
        let Some(page) = self.table.page(key) else { return false };
        let rows = page.rows.clone().filter(|row| (self.inside)(*row)).map(|row| &self.table.rows()[row]);
        let (known, unknown): (Vec<&Row>, Vec<&Row>) =
            rows.filter(|row| is_html_page(self.table, row)).partition(|row| row.links_known);
        let Some(last) = unknown.into_iter().max_by_key(|row| row.time) else { return false };
        let is_as_good =
            |row: &&Row| row.time >= last.time || (row.declared.is_some() && row.declared == last.declared);
        !known.iter().any(is_as_good)
    }

    /// The nodes that need others: pages by their importance, and the sitemaps, lists, feeds and other documents of the site,
    /// which count like a page of mean importance.
    fn needing(&self, pages: &[(&str, f64)], documents: &[(u32, &Row)]) -> Vec<(u32, f64)> {
        let node = |(key, weight): &(&str, f64)| Some((self.links.node(key)?, *weight));
        let lists = self.links.lists(self.site).iter().map(|list| (*list, 1.0));
        let documents = documents.iter().map(|(node, _)| (*node, 1.0));
        pages.iter().filter_map(node).chain(lists).chain(documents).collect()
    }

    /// The captured documents of the site that are not pages and name links: feeds, and the SVG and PDF files that its pages
    /// link to. An image in the page is not a document.
    fn documents(&self, pages: &[(&str, f64)]) -> Vec<(u32, &Row)> {
        let graph = self.links.graph();
        let mut linked: Option<HashSet<u32>> = None;
        let mut is_linked = |node: u32| {
            let linked = linked.get_or_insert_with(|| {
                let nodes = pages.iter().filter_map(|(key, _)| self.links.node(key));
                let anchors = |node| graph.out(node).filter(|(_, kind)| *kind == LinkKind::Anchor);
                nodes.flat_map(|node| anchors(node).map(|(to, _)| to)).collect()
            });
            linked.contains(&node)
        };
        let mime = |row: &Row| row.mime.map_or("", |mime| self.table.text(mime));
        let documents = self.table.pages().iter().filter_map(|page| {
            let rows = page.rows.clone().filter(|row| (self.inside)(*row)).map(|row| &self.table.rows()[row]);
            let row = rows.into_iter().find(|row| row.status == Some(200) && is_document(mime(row)))?;
            let site = self.parameters.site_by.site_of(self.table.text(row.url))?;
            let node = self.links.node(self.table.text(page.key)).filter(|_| site == self.site)?;
            (is_feed(mime(row)) || is_linked(node)).then_some((node, row))
        });
        documents.collect()
    }

    fn evident_scope(&self, pages: &[(&str, f64)], documents: &[(u32, &Row)]) -> EvidentScope {
        // The log of the crawl says more than what it evidently covered.
        if self.is_logged {
            return EvidentScope::default();
        }
        let mut covered: Vec<Covered<'_>> = pages
            .iter()
            .filter_map(|(key, _)| {
                let first = self.table.rows_of(self.table.page(key)?).first()?;
                let node = self.links.node(key).unwrap_or(u32::MAX);
                Some(Covered { node, url: self.table.text(first.url), first: first.time, is_page: true })
            })
            .collect();
        covered.extend(documents.iter().map(|(node, row)| Covered {
            node: *node,
            url: self.table.text(row.url),
            first: row.time,
            is_page: false,
        }));
        let captured = |node| {
            let name = path(self.url(node)).trim_end_matches('/').rsplit('/').next().unwrap_or("");
            !name.is_empty()
                && !is_entrance(&name.to_ascii_lowercase())
                && !self.comes_along(node)
                && matches!(self.judge_node(node, None).status, TargetStatus::Captured | TargetStatus::Failed)
        };
        EvidentScope::of(self.links.graph(), &covered, captured, |node| self.in_scope(node, false))
    }

    /// Whether a node was captured as what comes with pages, and is not followed like a link: a feed, an image, sound.
    fn comes_along(&self, node: u32) -> bool {
        let Some(page) = self.table.page(self.links.graph().urls().get(node)) else { return false };
        let mut rows = self.table.rows_of(page).iter().filter(|row| row.status == Some(200));
        rows.any(|row| {
            row.mime.is_some_and(|mime| {
                let mime = self.table.text(mime);
                is_feed(mime) || ["image/", "audio/", "video/"].iter().any(|kind| mime.starts_with(kind))
            })
        })
    }

    /// The last capture of a node that holds its body.
    fn held(&self, node: u32) -> Option<&Row> {
        let page = self.table.page(self.links.graph().urls().get(node))?;
        let rows =
            page.rows.clone().rev().filter(|row| (self.inside)(*row)).map(|row| &self.table.rows()[row]);
        rows.into_iter().find(|row| row.status == Some(200) && holds_body(row) && !row.truncated)
    }

    /// Whether a node was captured as an SVG file.
    fn is_drawing(&self, node: u32) -> bool {
        let mime = self.held(node).and_then(|row| row.mime);
        mime.is_some_and(|mime| self.table.text(mime) == "image/svg+xml")
    }

    /// The fonts nobody requested that shown text surely uses, from the bodies of the most important pages.
    fn needed_fonts(&self, pages: &[(u32, f64)]) -> HashSet<u32> {
        let graph = self.links.graph();
        let mut pages = pages.to_vec();
        pages.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let (mut needed, mut tried): (HashSet<u32>, HashMap<u32, usize>) = Default::default();
        let (bodies, mut read) = (Bodies::default(), 0);
        let mut judged: HashMap<u32, bool> = HashMap::new();
        let mut is_untried = |font: u32| {
            *judged.entry(font).or_insert_with(|| self.judge_node(font, None).status == TargetStatus::Untried)
        };
        for (page, _) in pages {
            let files = shown_with(graph, page, &|_| false);
            let fonts: Vec<u32> = files
                .iter()
                .flat_map(|(file, _)| graph.out(*file).filter(|(_, kind)| *kind == LinkKind::Font))
                .map(|(font, _)| font)
                .filter(|font| tried.get(font).is_none_or(|times| *times < MAX_FONT_TRIES))
                .filter(|font| is_untried(*font))
                .collect();
            if fonts.is_empty() {
                continue;
            }
            read += 1;
            if read > MAX_FONT_PAGES {
                break;
            }
            let fetch = |node: u32| {
                let row = self.held(node)?;
                Some((self.table.text(row.url), bodies.fetch(self.table, row).ok()?))
            };
            let Some((url, body)) = fetch(page) else { continue };
            let sheets: Vec<Sheet> = files[1..]
                .iter()
                .filter_map(|(file, _)| fetch(*file))
                .map(|(url, body)| Sheet {
                    url: url.to_owned(),
                    css: String::from_utf8_lossy(&body.bytes).into_owned(),
                })
                .collect();
            let content_type = body.content_type.as_deref().map(str::as_bytes);
            for files in needed_fonts(&body.bytes, content_type, url, &sheets) {
                let nodes: Vec<u32> =
                    files.iter().filter_map(|url| self.links.node(&self.parameters.canon.key(url))).collect();
                if nodes.iter().all(|node| is_untried(*node)) {
                    needed.extend(nodes.first());
                }
            }
            for font in fonts {
                *tried.entry(font).or_default() += if needed.contains(&font) { MAX_FONT_TRIES } else { 1 };
            }
        }
        needed
    }

    fn url(&self, node: u32) -> &str {
        self.links.url_on(self.site, node)
    }

    fn in_scope(&self, node: u32, embed: bool) -> bool {
        let url = self.url(node);
        let fetched = url.starts_with("http://") || url.starts_with("https://");
        let anywhere = embed && !self.parameters.embeds_of_site;
        let on_site = || self.parameters.site_by.site_of(url).is_some_and(|site| site == self.site);
        fetched && (anywhere || (on_site() && (embed || !is_for_programs(url))))
    }

    /// One good capture of the target is enough. `used_as` says how pages embed it.
    fn judge_node(&self, node: u32, used_as: Option<LinkKind>) -> Judged {
        let url = self.url(node);
        let wants_file = used_as.is_some_and(|kind| wants_file(kind, url));
        self.judge(self.links.graph().urls().get(node), url, wants_file, MAX_REDIRECTS)
    }

    /// With `wants_file`, a web page in its place is not a capture.
    fn judge(&self, key: &str, url: &str, wants_file: bool, redirects: usize) -> Judged {
        let rows = self.table.page(key).map(|page| page.rows.clone()).unwrap_or_default();
        let mut failed = None;
        for row in rows.filter(|row| (self.inside)(*row)) {
            let judged = self.judge_row(key, &self.table.rows()[row], wants_file, redirects);
            if judged.status == TargetStatus::Captured {
                return judged;
            }
            failed = Some(judged);
        }
        failed.unwrap_or_else(|| self.by_log(key, url))
    }

    fn judge_row(&self, key: &str, row: &Row, wants_file: bool, redirects: usize) -> Judged {
        if let Some(sign) = self.signs.of(&Answered::of_row(self.table, row)) {
            return Judged::failed(row.status, format!("{ERROR_PAGE}: {sign}"));
        }
        match row.status {
            Some(status @ (301..=303 | 307 | 308)) => self.follow(key, row, status, wants_file, redirects),
            Some(status @ (404 | 410)) => {
                Judged::failed(Some(status), format!("gone from the site ({status})"))
            }
            Some(status @ (0..=99 | 400..)) => {
                Judged::failed(Some(status), format!("answered with {status}"))
            }
            status @ Some(204 | 205) => Judged::failed(status, "the server answered without any content"),
            status @ Some(206) => {
                Judged::failed(status, "the server sent a part (206), so it may not be whole")
            }
            status if row.bodiless => {
                Judged::failed(status, "only its head was captured, probably by a HEAD request")
            }
            status if row.truncated => Judged::failed(status, "the capture is cut short"),
            status @ Some(304) if row.body.is_none() && row.resolved_by.is_none() => {
                Judged::failed(status, "the server answered \"not modified\", and the original is not here")
            }
            status @ Some(200)
                if row.body_length == Some(0) && !row.revisit && !self.may_be_empty(key, row) =>
            {
                Judged::failed(status, "the response is empty")
            }
            status if row.revisit && row.body.is_none() && row.resolved_by.is_none() => {
                Judged::failed(status, ORIGINAL_ELSEWHERE)
            }
            status @ Some(200) if self.is_blank(row) && !self.may_be_empty(key, row) => {
                Judged::failed(status, "the response is blank")
            }
            status if wants_file && self.is_web_page(row) => Judged::failed(status, NOT_THE_FILE),
            _ => Judged::captured(),
        }
    }

    /// Whether an empty response may be all there is: a style sheet or script that nobody has written anything into, and that
    /// was never seen with content.
    fn may_be_empty(&self, key: &str, row: &Row) -> bool {
        let has_content =
            |other: &Row| other.status == Some(200) && other.body_length.is_some_and(|length| length > 0);
        row.mime.is_some_and(|mime| is_code(self.table.text(mime)))
            && self.table.page(key).is_none_or(|page| !self.table.rows_of(page).iter().any(has_content))
    }

    /// Whether a response has nothing but white space, or is a page without anything to show.
    fn is_blank(&self, row: &Row) -> bool {
        let is_page = row.mime.is_none_or(|mime| is_html(self.table.text(mime)));
        let most = if is_page { MAX_BLANK_PAGE } else { MAX_BLANK };
        let is_short = row.body_length.is_some_and(|length| (1..=most).contains(&length));
        let Some(body) = row.body.filter(|_| is_short && holds_body(row) && row.text.is_none()) else {
            return false;
        };
        *self.blank.borrow_mut().entry(body).or_insert_with(|| {
            let Ok(body) = Bodies::default().fetch(self.table, row) else { return false };
            let text = body.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&body.bytes);
            text.iter().all(u8::is_ascii_whitespace) || (is_page && shows_nothing(text))
        })
    }

    /// Whether a response is a web page, and not a file with a wrong type: browsers show an image and run a script whatever
    /// type the server names, but they can make neither of markup. Where the body cannot be read, its type decides.
    fn is_web_page(&self, row: &Row) -> bool {
        if !row.mime.is_some_and(|mime| is_html(self.table.text(mime))) {
            return false;
        }
        let Some(body) = row.body.filter(|_| holds_body(row)) else { return true };
        *self.markup.borrow_mut().entry(body).or_insert_with(|| {
            Bodies::default().fetch(self.table, row).ok().is_none_or(|body| starts_with_markup(&body.bytes))
        })
    }

    /// A redirect counts as its target, on any host.
    fn follow(&self, key: &str, row: &Row, status: u16, wants_file: bool, redirects: usize) -> Judged {
        let Some(location) = row.location.map(|location| self.table.text(location)) else {
            return Judged::failed(Some(status), "redirected, but the response does not say where to");
        };
        let base = Base::parse(self.table.text(row.url).as_bytes());
        let Some(target) = base.and_then(|base| base.resolve(location.as_bytes())) else {
            return Judged::failed(Some(status), "redirected to an address that cannot be read");
        };
        let target_key = self.parameters.canon.key(&target);
        if target_key == key {
            let is_same = target.split('#').next() == self.table.text(row.url).split('#').next();
            return Judged::failed(Some(status), if is_same { TO_ITSELF } else { TO_ANOTHER_SPELLING });
        }
        if redirects == 0 {
            return Judged::failed(Some(status), LOOP);
        }
        let judged = self.judge(&target_key, &target, wants_file, redirects - 1);
        if judged.status == TargetStatus::Captured {
            return judged;
        }
        let is_away = self.parameters.site_by.site_of(&target).is_none_or(|site| site != self.site);
        let reason = match judged.reason {
            Some(reason) if reason == LOOP => reason,
            Some(reason) if judged.status == TargetStatus::Failed => {
                format!("redirected to {target}, {}", relative(&reason))
            }
            _ => format!("redirected to {target}, which was not captured"),
        };
        Judged {
            leads_away: judged.leads_away || (is_away && judged.status == TargetStatus::Untried),
            ..Judged::failed(Some(status), reason)
        }
    }

    /// Whether the robots.txt in the archive forbids an address.
    fn is_forbidden(&self, url: &str) -> bool {
        let Some((scheme, rest)) = url.split_once("://") else { return false };
        let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        let path = path.split('#').next().filter(|path| !path.is_empty()).unwrap_or("/");
        let address = format!("{scheme}://{host}/robots.txt");
        let mut robots = self.robots.borrow_mut();
        let rules = robots.entry(address).or_insert_with_key(|address| {
            let page = self.table.page(&self.parameters.canon.key(address))?;
            let is_file = |row: &&Row| row.status == Some(200) && holds_body(row) && !row.truncated;
            let row = self.table.rows_of(page).iter().rev().find(is_file)?;
            let is_text = row.mime.is_none_or(|mime| self.table.text(mime).starts_with("text/plain"));
            let body = Bodies::default().fetch(self.table, row).ok().filter(|_| is_text)?;
            Some(Robots::parse(&body.bytes))
        });
        rules.as_ref().is_some_and(|rules| rules.forbids(path))
    }

    fn by_log(&self, key: &str, url: &str) -> Judged {
        let of =
            |status, reason: &str| Judged { status, reason: Some(reason.to_owned()), ..Judged::captured() };
        match self.fates.get(key) {
            None if self.is_forbidden(url) => of(TargetStatus::Excluded, "robots.txt forbids it"),
            None => of(TargetStatus::Untried, "no sign that it was ever requested"),
            Some(Fate::Duplicate) => Judged::captured(),
            Some(Fate::Answered { status }) => {
                let reason = format!("the crawler was answered with {status}, but the archive lacks it");
                Judged::failed(Some(*status), reason)
            }
            Some(Fate::Failed { reason }) => Judged::failed(None, reason.clone()),
            Some(Fate::Excluded { reason }) => of(TargetStatus::Excluded, reason),
            Some(Fate::Untried { reason }) => of(TargetStatus::Untried, reason),
        }
    }
}

/// A reason as a clause about the target of a redirect.
fn relative(reason: &str) -> String {
    let of_target = ["looks like", "answered with"].iter().any(|start| reason.starts_with(start));
    match () {
        () if of_target => format!("which {reason}"),
        () if ["redirected", "gone"].iter().any(|start| reason.starts_with(start)) => {
            format!("which is {reason}")
        }
        () => format!("where {reason}"),
    }
}

fn out(tally: &Tally) -> LinkCompleteness {
    LinkCompleteness {
        share: tally.share,
        plain_share: tally.plain_share,
        captured: tally.captured,
        failed: tally.failed,
        untried: tally.untried,
        excluded: tally.excluded,
        out_of_scope: tally.out_of_scope,
        optional: tally.optional,
        beyond: tally.beyond,
        away: tally.away,
    }
}
