//! One record to one observation, while its block is read.

use std::borrow::Cow;
use std::sync::Arc;

use super::observe::observe;
use super::payload::{BODY_LONG, Payload};
use super::scan::{Scanned, Scanner, Wanted};
use crate::archive::fields;
use crate::archive::gzip::Inflater;
use crate::archive::http::{self, ResponseHead};
use crate::archive::record::{RecordHead, RecordType};
use crate::archive::walk::{HEAD_LIMIT, RecordEnd, Visitor};
use crate::capture::observation::{BLOCK_DIGEST, SEVERAL};
use crate::capture::{Contradiction, Kind, Negotiation, Observation, Witness};
use crate::digest::{Algorithm, Digest, Hasher};
use crate::html::crawler_links::outlinks;
use crate::html::link_header;
use crate::html::link_list::Links;
use crate::html::links::LinkKind;
use crate::html::refresh;
use crate::html::soft404::Soft404;
pub use crate::ingest::message::{Batch, Digests, Item};
pub(crate) use crate::ingest::message::{Capture, Companion, ExtraLinks};
use crate::ingest::message::{Condition, RecordKey, RecordKeys, Request};
use crate::ingest::page_cache::PageCache;
use crate::problem::{Level, Problem};
use crate::time::{Dated, Instant, parse_http_date};
use crate::url::Canon;
use crate::url::resolve::{Base, is_plain};

/// A batch is handed on when it holds this many: few enough to be in a processor's cache when it is taken.
const BATCH: usize = 128;
/// A record yields a few items at most.
const BATCH_CAPACITY: usize = BATCH + 4;

/// Turns the records of one part of a file into items and problems, in their order.
pub(crate) struct Assembler<'a> {
    file: Arc<str>,
    digests: Digests,
    wanted: Wanted,
    tools: &'a mut Inflater,
    seen: &'a Arc<PageCache>,
    current: Option<Box<Current>>,
    items: Vec<Item>,
    problems: Vec<Problem>,
    emit: &'a mut dyn FnMut(Batch),
}

struct Current {
    record_type: RecordType,
    offset: u64,
    id: Option<String>,
    url: Option<String>,
    /// The date of a request.
    time: Option<Instant>,
    belongs_to: RecordKeys,
    warcinfo_id: Option<RecordKey>,
    content_length: Option<u64>,
    block_digest: Option<Digest>,
    block_hasher: Option<Hasher>,
    /// The computed digest of the block, where it came at once.
    block: Option<Digest>,
    observation: Option<Box<Observation>>,
    /// Other addresses that the head names.
    other_targets: Vec<String>,
    response: ResponseHead,
    content: Content,
    seen: u64,
    is_segment: bool,
    is_arc: bool,
    /// Whether the block starts with the head of a response.
    is_http: bool,
    /// Whether it ends before that head does.
    is_in_head: bool,
}

/// What the block is being read as.
enum Content {
    /// Nothing but its digest matters.
    Opaque,
    /// A short text that is kept: the start of a request, warc-fields.
    Text(Vec<u8>, usize),
    /// Possibly an HTTP response, whose head is not complete yet.
    Head(Vec<u8>),
    Payload(Box<Payload>),
}

/// Of a longer request only the start is read.
const REQUEST_LIMIT: usize = 16 << 10;
const FIELDS_LIMIT: usize = 64 << 10;
const OUTLINKS_LIMIT: usize = 4 << 20;

impl<'a> Assembler<'a> {
    /// For a file known to the user as `file`.
    pub(crate) fn new(
        file: Arc<str>,
        digests: Digests,
        wanted: Wanted,
        tools: &'a mut Inflater,
        seen: &'a Arc<PageCache>,
        emit: &'a mut dyn FnMut(Batch),
    ) -> Self {
        Assembler {
            file,
            digests,
            wanted,
            tools,
            seen,
            current: None,
            items: Vec::with_capacity(BATCH_CAPACITY),
            problems: Vec::new(),
            emit,
        }
    }

    /// Sends what is left.
    pub(crate) fn finish(mut self) {
        self.hand_on(0);
    }

    fn hand_on(&mut self, limit: usize) {
        if self.items.len() + self.problems.len() > limit {
            let items = std::mem::replace(&mut self.items, Vec::with_capacity(BATCH_CAPACITY));
            (self.emit)(Batch { items, problems: std::mem::take(&mut self.problems) });
        }
    }

    fn report(problems: &mut Vec<Problem>, file: &Arc<str>, current: &Current, problem: Problem) {
        let id = current.observation.as_ref().map_or(&current.id, |observation| &observation.record_id);
        problems.push(problem.in_file(&**file).at(current.offset).of_record(id.as_deref()));
    }

    /// Reads the head of a response, if the block starts with one, and begins the payload.
    fn start_payload(&mut self, current: &mut Current, start: &[u8], head_length: Option<usize>) {
        let is_http = http::is_response(start);
        if is_http {
            current.is_http = true;
            current.is_in_head = head_length.is_none();
            current.response = http::parse_response(&start[..head_length.unwrap_or(start.len())]);
        }
        let Some(observation) = &mut current.observation else { return };
        let response = &mut current.response;
        if is_http {
            observation.status = response.status.or(observation.status);
            observation.mime = response.mime.take().or(observation.mime.take());
            observation.last_modified = response.last_modified;
            observation.etag = response.etag.take();
            observation.http_date = response.date;
            observation.location = response.location.take();
            observation.charset = response.charset.as_deref().map(str::to_ascii_lowercase);
            observation.vary = response.vary.take();
            observation.coding = response.wrapping.name();
            observation.age = response.age;
            for fault in &response.faults {
                add_damage(observation, fault);
                if let Some(name) = fault.strip_prefix(SEVERAL) {
                    contradict_itself(observation);
                    let problem = several("HTTP", &[name]).in_file(&*self.file).at(current.offset);
                    self.problems.push(problem.of_record(observation.record_id.as_deref()));
                }
            }
            if observation.kind == Kind::Revisit && observation.coding.is_none() {
                observation.content_length = response.content_length;
            }
        }
        if self.digests == Digests::Declared || observation.kind == Kind::Revisit || current.is_segment {
            current.content = Content::Opaque;
            return;
        }
        // A revisit may name by its digest alone what declares none itself. An ARC has no revisits.
        let usual = Some(Algorithm::Sha1).filter(|_| !current.is_arc);
        let algorithm = observation.declared.map(|digest| digest.algorithm()).or(usual);
        let scanner = Scanner::of(observation, response.charset.as_deref(), self.wanted);
        current.content = Content::Payload(Box::new(Payload::new(algorithm, &response.wrapping, scanner)));
    }

    /// The whole block is at hand: everything is hashed where it lies.
    fn whole_block(&mut self, current: &mut Current, block: &[u8]) {
        let mut body = block;
        if matches!(current.content, Content::Head(_)) {
            let message = http::without_stray_newlines(block);
            let is_http = http::is_response(message);
            let head_length = if is_http { http::response_head_length(message) } else { None };
            self.start_payload(current, message, head_length);
            if is_http {
                body = &message[head_length.unwrap_or(message.len())..];
            }
        }
        let hasher = current.block_hasher.take();
        current.block = match &mut current.content {
            Content::Payload(payload) => {
                let declared = current.observation.as_ref().and_then(|observation| observation.declared);
                payload.whole(body, block, hasher, declared, self.tools, self.seen)
            }
            _ => hasher.map(|mut hasher| {
                hasher.update(block);
                hasher.finish()
            }),
        };
    }

    /// A piece of a block that does not come at once.
    fn next_piece(&mut self, current: &mut Current, piece: &[u8]) {
        if let Some(hasher) = &mut current.block_hasher {
            hasher.update(piece);
        }
        match &mut current.content {
            Content::Opaque => {}
            Content::Text(text, limit) => {
                let room = limit.saturating_sub(text.len());
                text.extend_from_slice(&piece[..piece.len().min(room)]);
            }
            Content::Payload(payload) => payload.feed(piece),
            Content::Head(start) => {
                start.extend_from_slice(piece);
                let message = http::without_stray_newlines(start);
                let too_short = message.len() < 5 && b"HTTP/".starts_with(message);
                let is_open = http::is_response(message) && http::response_head_length(message).is_none();
                if too_short || (is_open && start.len() < HEAD_LIMIT) {
                    return;
                }
                let start = std::mem::take(start);
                self.end_of_head(current, &start);
            }
        }
    }

    fn end_of_head(&mut self, current: &mut Current, block_start: &[u8]) {
        let message = http::without_stray_newlines(block_start);
        let is_http = http::is_response(message);
        let start = if is_http { message } else { block_start };
        let head_length = http::response_head_length(start);
        if is_http && head_length.is_none() && start.len() >= HEAD_LIMIT {
            let message =
                format!("the HTTP head is longer than {HEAD_LIMIT} bytes; the body was not evaluated");
            let problem = Problem::new(Level::Warning, "http-head-too-long", message);
            Self::report(&mut self.problems, &self.file, current, problem);
            self.start_payload(current, start, None);
            current.content = Content::Opaque;
            return;
        }
        self.start_payload(current, start, head_length);
        if let Content::Payload(payload) = &mut current.content {
            let body_start = if is_http { head_length.unwrap_or(start.len()) } else { 0 };
            payload.feed(&start[body_start..]);
        }
    }

    fn check_block(&mut self, current: &mut Current, cut: bool) -> Option<Digest> {
        let computed = current.block.or_else(|| current.block_hasher.take().map(Hasher::finish))?;
        let declared = current.block_digest?;
        if !cut && computed != declared {
            let problem = if declared.is_of_empty() {
                let message =
                    "the declared block digest is that of an empty block, but the block is not empty";
                Problem::new(Level::Note, "block-digest", message)
            } else {
                let message = format!("the block's digest is {computed}, declared is {declared}");
                if let Some(observation) = &mut current.observation {
                    add_damage(observation, BLOCK_DIGEST);
                }
                Problem::new(Level::Warning, BLOCK_DIGEST, message)
            };
            Self::report(&mut self.problems, &self.file, current, problem);
        }
        Some(computed)
    }

    /// Reports a skipped record whose type is unknown.
    fn check_type(&mut self, current: &Current) {
        let RecordType::Unknown(name) = &current.record_type else { return };
        let problem = if name.is_empty() {
            let message = "the record has no WARC-Type, so its type is unknown; it was skipped";
            Problem::new(Level::Warning, "no-record-type", message)
        } else {
            let message = format!("a record of type {name:?} was skipped");
            Problem::new(Level::Note, "unknown-record-type", message)
        };
        Self::report(&mut self.problems, &self.file, current, problem);
    }

    /// What the text of a record that is not a capture says about the captures near it.
    fn tell(&mut self, current: &mut Current, text: &[u8]) {
        let id = current.id.as_deref().map(RecordKey::of);
        match current.record_type {
            RecordType::Request => {
                if let Some(method) = http::request_method(text) {
                    let method = match &*method {
                        "GET" => Cow::Borrowed("GET"),
                        _ => Cow::Owned(method.into_owned()),
                    };
                    let (headers, condition) = asked_for(text);
                    let belongs_to = std::mem::take(&mut current.belongs_to);
                    let (target, time) = (current.url.as_deref().map(RecordKey::of), current.time);
                    let value = Request { method, headers, condition, target, time, offset: current.offset };
                    self.items.push(Item::Request(Companion { id, belongs_to, url: None, value }));
                }
            }
            RecordType::Metadata => {
                let duration =
                    fields::find(text, "fetchtimems").and_then(|value| value.trim().parse::<i64>().ok());
                if self.wanted.links {
                    let mut value = Links::with_capacity(text.len() / 64, text.len());
                    let mut key = String::new();
                    outlinks(text, |kind, url| {
                        // As the links of markup are: strict keys.
                        if is_plain(url) {
                            return value.push(kind, url);
                        }
                        Canon::Strict.key_into(url, &mut key);
                        value.push(kind, &key);
                    });
                    if !value.is_empty() {
                        let (belongs_to, url) = (current.belongs_to.clone(), current.url.take());
                        self.items.push(Item::Outlinks(Companion { id, belongs_to, url, value }));
                    }
                }
                if let Some(value) = duration.filter(|value| *value >= 0) {
                    let belongs_to = std::mem::take(&mut current.belongs_to);
                    self.items.push(Item::Duration(Companion { id, belongs_to, url: None, value }));
                }
            }
            _ => {
                let software: Option<Arc<str>> = fields::find(text, "software").map(|name| Arc::from(&*name));
                let part_of = fields::find(text, "ispartof").map(|name| Arc::from(&*name));
                if software.as_deref().is_some_and(|name| name.to_ascii_lowercase().contains("warcit")) {
                    let message =
                        "the file was written by warcit: its dates are those of files, not of fetches";
                    let problem = Problem::new(Level::Warning, "synthetic-dates", message);
                    Self::report(&mut self.problems, &self.file, current, problem);
                }
                self.items.push(Item::Info { id: current.id.clone(), software, part_of });
            }
        }
    }

    fn finish_capture(&mut self, mut current: Box<Current>, end: RecordEnd) {
        if let Content::Head(start) = &mut current.content {
            let start = std::mem::take(start);
            self.end_of_head(&mut current, &start);
        }
        let block = self.check_block(&mut current, end.cut || end.doubtful);
        let (mut problems, mut told) = (Vec::new(), ExtraLinks::default());
        let content = std::mem::replace(&mut current.content, Content::Opaque);
        let Some(observation) = &mut current.observation else { return };
        observation.length = end.length;
        if end.cut {
            observation.truncated.get_or_insert_with(|| "input".to_owned());
        }
        // A revisit leaves out more than that.
        if current.is_in_head && observation.kind != Kind::Revisit {
            observation.truncated.get_or_insert_with(|| "head-cut".to_owned());
        }
        if current.is_segment {
            observation.truncated.get_or_insert_with(|| "segment".to_owned());
            let message =
                "the capture is split into segments, which are not joined: its body was not evaluated";
            problems.push(Problem::new(Level::Warning, "segmented", message));
        }
        if let Content::Payload(payload) = content {
            let finished = payload.finish(observation.declared, block, end, &current.response, observation);
            if let Some(cut) = finished.cut {
                observation.truncated.get_or_insert_with(|| cut.to_owned());
            }
            observation.payload = finished.payload;
            observation.digest_ok =
                observation.declared.and_then(|declared| Some(declared == finished.payload?));
            observation.digest_covers = finished.covers;
            observation.body = finished.body;
            observation.body_length = finished.body_length;
            let Scanned { text, soft404, page, mut links, sitemap, mime, .. } = finished.scanned;
            if let Some(mime) = mime {
                observation.mime = Some(mime.to_owned());
            }
            observation.text = text;
            observation.soft404 = error_sign(observation.status, soft404);
            if self.wanted.links {
                add_links_of_head(observation, &current.response, &mut links);
                observation.links = (!links.is_empty()).then_some(links);
                told.page = page;
            }
            observation.sitemap = sitemap;
            if finished.problems.iter().any(|problem| problem.kind == BODY_LONG) {
                add_damage(observation, BODY_LONG);
            }
            problems.extend(finished.problems);
        }
        if let Some(header) = current.response.wall.filter(|_| observation.kind == Kind::Response) {
            observation.soft404 = Some(Soft404::Wall { words: header.to_owned() });
        }
        let is_web = observation.url.get(..4).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http"));
        if is_web && observation.kind == Kind::Response && current.response.status.is_none() && !end.cut {
            problems.push(if current.is_http {
                Problem::new(Level::Warning, "bad-status-line", "no status can be read from the HTTP head")
            } else if current.seen == 0 {
                // Nothing was captured, which is not an empty response.
                observation.forget_body();
                Problem::new(Level::Warning, "empty-block", "the block is empty: no answer was captured")
            } else {
                let message =
                    "the block does not start with an HTTP head; all of it was taken as the payload";
                Problem::new(Level::Note, "no-http-head", message)
            });
        }
        for problem in problems {
            Self::report(&mut self.problems, &self.file, &current, problem);
        }
        if let Some(observation) = current.observation {
            let (concurrent_to, warcinfo_id) = (current.belongs_to, current.warcinfo_id);
            let id = observation.record_id.as_deref().map(RecordKey::of);
            for url in current.other_targets {
                let observation =
                    Box::new(Observation { key: Canon::Default.key(&url), url, ..(*observation).clone() });
                let (concurrent_to, told) = (concurrent_to.clone(), ExtraLinks::default());
                self.items.push(Item::Capture(Capture { observation, id, concurrent_to, warcinfo_id, told }));
            }
            self.items.push(Item::Capture(Capture { observation, id, concurrent_to, warcinfo_id, told }));
        }
    }
}

impl Visitor for Assembler<'_> {
    fn begin(&mut self, head: &RecordHead<'_>, offset: u64) {
        let kind = match head.record_type {
            RecordType::Response => Some(Kind::Response),
            RecordType::Resource => Some(Kind::Resource),
            RecordType::Revisit => Some(Kind::Revisit),
            _ => None,
        };
        let mut observation =
            kind.map(|kind| Box::new(observe(head, offset, kind, &self.file, &mut self.problems)));
        if !head.several.is_empty() {
            let problem = several("WARC", &head.several).in_file(&*self.file).at(offset);
            self.problems.push(problem.of_record(head.id.as_deref()));
        }
        if let Some(observation) = observation.as_mut().filter(|_| !head.several.is_empty()) {
            head.several.iter().for_each(|name| add_damage(observation, &format!("{SEVERAL}{name}")));
            contradict_itself(observation);
        }
        let verify = self.digests == Digests::Verify;
        let block_digest = if verify { head.block_digest.as_deref().and_then(Digest::parse) } else { None };
        let owned = |value: &std::borrow::Cow<'_, str>| value.clone().into_owned();
        let mut belongs_to = RecordKeys::default();
        belongs_to.extend(head.concurrent_to.iter().map(|id| RecordKey::of(id)));
        let needs_url = match head.record_type {
            RecordType::Request => true,
            RecordType::Metadata => self.wanted.links,
            _ => false,
        };
        if head.record_type == RecordType::Metadata {
            belongs_to.extend(head.refers_to.as_deref().map(RecordKey::of));
        }
        let content = match kind {
            Some(Kind::Resource) if is_message(head) => Content::Head(Vec::new()),
            Some(Kind::Resource) if verify && head.segment_number.is_none() => {
                let declared = head.payload_digest.as_deref().or(head.block_digest.as_deref());
                let algorithm = declared.and_then(Digest::parse).map(|digest| digest.algorithm());
                let scanner = observation.as_ref().and_then(|found| Scanner::of(found, None, self.wanted));
                Content::Payload(Box::new(Payload::new(algorithm, &http::Wrapping::default(), scanner)))
            }
            Some(Kind::Response | Kind::Revisit) => Content::Head(Vec::new()),
            _ => match head.record_type {
                RecordType::Request => Content::Text(Vec::new(), REQUEST_LIMIT),
                RecordType::Metadata if self.wanted.links => Content::Text(Vec::new(), OUTLINKS_LIMIT),
                RecordType::Metadata | RecordType::WarcInfo => Content::Text(Vec::new(), FIELDS_LIMIT),
                _ => Content::Opaque,
            },
        };
        self.current = Some(Box::new(Current {
            offset,
            // A capture's id and URL are in its observation.
            id: head.id.as_ref().filter(|_| kind.is_none()).map(owned),
            url: head.target.as_ref().filter(|_| needs_url).map(owned),
            time: head
                .date
                .as_deref()
                .filter(|_| head.record_type == RecordType::Request)
                .and_then(Dated::parse)
                .map(|dated| dated.instant),
            belongs_to,
            warcinfo_id: head.warcinfo_id.as_deref().filter(|_| kind.is_some()).map(RecordKey::of),
            content_length: head.content_length,
            block_digest,
            block_hasher: block_digest.map(|digest| Hasher::new(digest.algorithm())),
            block: None,
            observation,
            other_targets: head.other_targets.iter().map(owned).collect(),
            response: ResponseHead::default(),
            content,
            is_arc: head.is_arc,
            seen: 0,
            is_http: false,
            is_in_head: false,
            is_segment: head.segment_number.is_some() && kind.is_some(),
            record_type: head.record_type.clone(),
        }));
    }

    fn block(&mut self, piece: &[u8]) {
        let Some(mut current) = self.current.take() else { return };
        let is_whole = current.seen == 0 && current.content_length == Some(piece.len() as u64);
        match current.content {
            Content::Head(_) if is_whole => self.whole_block(&mut current, piece),
            Content::Payload(_) if is_whole && current.observation.is_some() => {
                self.whole_block(&mut current, piece)
            }
            Content::Text(_, limit) if is_whole => {
                if let Some(hasher) = &mut current.block_hasher {
                    hasher.update(piece);
                }
                self.tell(&mut current, &piece[..piece.len().min(limit)]);
                current.content = Content::Opaque;
            }
            _ => self.next_piece(&mut current, piece),
        }
        current.seen += piece.len() as u64;
        self.current = Some(current);
    }

    fn end(&mut self, end: RecordEnd) {
        self.hand_on(BATCH);
        let Some(mut current) = self.current.take() else { return };
        if current.observation.is_some() {
            return self.finish_capture(current, end);
        }
        self.check_block(&mut current, end.cut || end.doubtful);
        self.check_type(&current);
        if self.wanted.links
            && current.record_type == RecordType::Metadata
            && current.seen > OUTLINKS_LIMIT as u64
        {
            let message = format!("of the metadata only the first {OUTLINKS_LIMIT} bytes were evaluated");
            let problem = Problem::new(Level::Note, "metadata-too-long", message);
            Self::report(&mut self.problems, &self.file, &current, problem);
        }
        match std::mem::replace(&mut current.content, Content::Opaque) {
            Content::Text(text, _) => self.tell(&mut current, &text),
            _ if current.record_type == RecordType::Continuation => {
                let message = "a continuation record: segments are not joined, so it was not evaluated";
                let problem = Problem::new(Level::Warning, "segmented", message);
                Self::report(&mut self.problems, &self.file, &current, problem);
            }
            _ => {}
        }
    }

    fn problem(&mut self, problem: Problem) {
        self.problems.push(problem.in_file(&*self.file));
    }
}

/// The sign of an error page that counts in an answer of this status.
pub(crate) fn error_sign(status: Option<u16>, sign: Option<Soft404>) -> Option<Soft404> {
    let is_wall = |sign: &Soft404| matches!(sign, Soft404::Wall { .. });
    match status {
        Some(200) => sign,
        // Walls also say "accepted", since the page may come once the visitor is believed, or give any error.
        Some(404 | 410) => None,
        Some(202 | 400..) => sign.filter(is_wall),
        _ => None,
    }
}

/// A field that a head states several times, with different values.
fn several(head: &str, names: &[&str]) -> Problem {
    let message = format!(
        "the {head} head states several {} that differ: nothing is proven by the record",
        names.join(" and several ")
    );
    Problem::new(Level::Warning, "contradictory-head", message)
}

/// Notes that the head of a record speaks against itself: then nothing is proven by it.
fn contradict_itself(observation: &mut Observation) {
    let (file, offset) = (Arc::clone(&observation.file), observation.offset);
    observation.contradicts = Some(Contradiction { witness: Witness::Head, file, offset });
}

/// Notes that something is wrong with a record that was read all the same.
fn add_damage(observation: &mut Observation, code: &str) {
    if !observation.is_damaged_by(code) {
        let damage = observation.damage.get_or_insert_default();
        if !damage.is_empty() {
            damage.push(' ');
        }
        damage.push_str(code);
    }
}

/// Adds what the head of an answer points to: the target of a redirect, and the `Link` and `Refresh` headers.
fn add_links_of_head(observation: &Observation, head: &ResponseHead, links: &mut Links) {
    let location = observation.location.as_ref().filter(|_| matches!(observation.status, Some(300..=399)));
    if location.is_none() && head.link.is_none() && head.refresh.is_none() {
        return;
    }
    let Some(base) = Base::parse(observation.url.as_bytes()) else { return };
    if let Some(location) = location {
        links.push_with(LinkKind::Redirect, |out| base.resolve_into(location.as_bytes(), out));
    }
    let refresh = head.refresh.as_deref().and_then(|value| refresh::target(value.as_bytes()));
    if let Some(target) = refresh.filter(|target| !target.is_empty()) {
        links.push_with(LinkKind::Refresh, |out| base.resolve_into(target, out));
    }
    link_header::links(head.link.as_deref().unwrap_or_default().as_bytes(), |kind, value| {
        links.push_with(kind, |out| base.resolve_into(value, out));
    });
}

/// The headers of a request that may have chosen its response, and the condition under which a response was wanted.
fn asked_for(request: &[u8]) -> (Negotiation, Option<Box<Condition>>) {
    let (mut headers, mut condition) = (Negotiation::default(), Condition::default());
    for (name, value) in http::request_fields(request) {
        headers.add(name, value.bytes());
        let value = || String::from_utf8_lossy(value.bytes()).trim().to_owned();
        if name.eq_ignore_ascii_case(b"if-none-match") {
            let tags = condition.none_match.get_or_insert_default();
            if !tags.is_empty() {
                tags.push_str(", ");
            }
            tags.push_str(&value());
        } else if name.eq_ignore_ascii_case(b"if-modified-since") {
            condition.modified_since = parse_http_date(&value());
        }
    }
    (headers, (condition != Condition::default()).then(|| Box::new(condition)))
}

/// Whether a resource holds an HTTP message.
fn is_message(head: &RecordHead<'_>) -> bool {
    let media = head.content_type.as_deref().and_then(http::media_type);
    media.as_deref() == Some("application/http")
}
