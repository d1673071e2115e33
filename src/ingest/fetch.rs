//! Reads the body of one capture again, by its place: for comparing versions and looking for phrases.

use std::any::Any;
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::sync::Arc;

use super::unpacked::{self, Unpacked};
use crate::archive::blob::Blob;
use crate::archive::chunked::{Dechunker, Framing};
use crate::archive::coding::{BodyReader, BodySink, Decoded, Decoder};
use crate::archive::http;
use crate::archive::members::{Tools, walk_at};
use crate::archive::record::{RecordHead, RecordType};
use crate::archive::remote::RangeReader;
use crate::archive::sniff::{Compression, sniff};
use crate::archive::source::path_of;
use crate::archive::wacz::Wacz;
use crate::archive::walk::{RecordEnd, Visitor};
use crate::capture::Observation;
use crate::digest::{BodyDigest, Digest, Hasher};
use crate::problem::Problem;

/// Maximum length of a body that is compared block by block.
pub(crate) const MAX_BODY_BYTES: usize = 64 << 20;

/// The body of a capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    /// The identity body.
    pub bytes: Vec<u8>,
    /// `Content-Type` of the response, with its parameters.
    pub content_type: Option<String>,
}

/// Why no body can be read at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoBody {
    /// There is no such record.
    NoRecord,
    /// The record ends too early.
    Cut,
    /// It is longer than [`MAX_BODY_BYTES`].
    TooLong,
    /// Its coding is unknown, or broken.
    Coding,
    /// It does not match its declared digest.
    Digest,
}

/// A record whose body is wanted, as far as it is known.
#[derive(Debug, Clone, Copy)]
pub struct Sought<'a> {
    /// The file that holds it.
    pub file: &'a str,
    /// Its offset in that file.
    pub offset: u64,
    /// Its length as stored, where it is known.
    pub length: Option<u64>,
    /// Its id, which distinguishes records that share a compressed member.
    pub id: Option<&'a str>,
    /// The digest that its payload has to have.
    pub declared: Option<Digest>,
}

impl<'a> Sought<'a> {
    /// The record of an observation, whatever its digest; `None` where its place is unknown.
    pub fn of(observation: &'a Observation) -> Option<Self> {
        let Observation { file, offset, length, record_id, .. } = observation;
        Some(Sought { file, offset: (*offset)?, length: *length, id: record_id.as_deref(), declared: None })
    }
}

impl NoBody {
    /// The reason in words.
    pub fn words(self) -> &'static str {
        match self {
            NoBody::NoRecord => "the record is not at its place",
            NoBody::Cut => "its record is cut short",
            NoBody::TooLong => "its body is longer than 64 MiB",
            NoBody::Coding => "its body has a coding that cannot be taken off",
            NoBody::Digest => "it is not the one of its declared digest",
        }
    }
}

/// Fetches bodies, keeping the files it has opened.
#[derive(Default)]
pub struct Fetcher {
    files: HashMap<String, (Blob, Compression)>,
    tools: Tools,
    remote: Option<Arc<RangeReader>>,
}

impl Fetcher {
    /// Also fetches from archives that are not on this disk.
    pub(crate) fn with(remote: Option<Arc<RangeReader>>) -> Self {
        Fetcher { remote, ..Fetcher::default() }
    }

    /// The body of a record.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn body(&mut self, sought: &Sought<'_>) -> io::Result<Result<Body, NoBody>> {
        let mut unlimited = u64::MAX;
        self.take(sought, None, &mut unlimited)
    }

    /// The body with this digest among the records at a place: those of one compressed member share it. `budget` is the number of
    /// bytes that may be searched after the first of them; it shrinks.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn body_with(
        &mut self,
        sought: &Sought<'_>,
        body: BodyDigest,
        budget: &mut u64,
    ) -> io::Result<Result<Body, NoBody>> {
        self.take(sought, Some(body), budget)
    }

    /// What a record that is cut holds of its body, codings removed; `None` where that cannot be read.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn body_so_far(&mut self, sought: &Sought<'_>) -> io::Result<Option<Vec<u8>>> {
        let mut budget = u64::MAX;
        Ok(match self.state(sought, None, &mut budget, true)? {
            State::Done(block, _) | State::Taking(block, _) => so_far(&block),
            State::TooLong | State::Cut | State::Waiting => None,
        })
    }

    /// A file, opened once.
    fn opened(&mut self, file: &str) -> io::Result<Option<(Blob, Compression)>> {
        if !self.files.contains_key(file) {
            let blob = open_or_fetch(file, self.remote.as_ref())?;
            let (compression, _) = sniff(&blob)?;
            self.files.insert(file.to_owned(), (blob, compression));
        }
        Ok(self.files.get(file).cloned())
    }

    fn take(
        &mut self,
        sought: &Sought<'_>,
        body: Option<BodyDigest>,
        budget: &mut u64,
    ) -> io::Result<Result<Body, NoBody>> {
        Ok(match self.state(sought, body, budget, false)? {
            State::Done(block, content_type) => identity(&block, content_type, sought.declared),
            State::TooLong => Err(NoBody::TooLong),
            State::Cut | State::Taking(..) => Err(NoBody::Cut),
            State::Waiting => Err(NoBody::NoRecord),
        })
    }

    /// How the search for a record ends.
    fn state(
        &mut self,
        sought: &Sought<'_>,
        body: Option<BodyDigest>,
        budget: &mut u64,
        takes_cut: bool,
    ) -> io::Result<State> {
        let Sought { file, offset, length, id: record_id, .. } = *sought;
        let Some((blob, compression)) = self.opened(file)? else { return Ok(State::Waiting) };
        if let Some(member) = unpacked::of(&blob, offset, compression, &mut self.tools)?
            && let Some(state) = found(&member, record_id, body, takes_cut)?
        {
            return Ok(state);
        }
        let mut taker = Taker {
            record_id,
            body,
            budget,
            is_searching: false,
            takes_cut,
            captures: 0,
            state: State::Waiting,
        };
        walk_at(&blob, offset, length, compression, &mut self.tools, &mut taker)?;
        if taker.captures > 1 && compression != Compression::None {
            unpacked::note(&blob, offset);
        }
        Ok(taker.state)
    }
}

/// How the search for a record ends in a member that is unpacked; `None` where the record may be behind what was stored.
fn found(
    member: &Unpacked,
    id: Option<&str>,
    body: Option<BodyDigest>,
    takes_cut: bool,
) -> io::Result<Option<State>> {
    let record = match body {
        Some(body) => member.with_body(id, body, body_digest)?,
        None => member.first(id),
    };
    Ok(match record {
        None => member.is_whole.then_some(State::Waiting),
        Some(record) if record.is_too_long => Some(State::TooLong),
        Some(record) if record.is_cut && !takes_cut => Some(State::Cut),
        Some(record) => {
            Some(State::Done(member.block(record)?, record.content_type.as_deref().map(str::to_owned)))
        }
    })
}

/// Opens a file, or the entry of a package that `PACKAGE#ENTRY` names. A stream cannot be opened a second time.
pub(crate) fn open(name: &str) -> io::Result<Blob> {
    let again = |name: &str| {
        let path = path_of(name);
        if std::fs::metadata(&path)?.is_file() {
            return Blob::file(File::open(path)?);
        }
        Err(io::Error::other("it is a pipe or device, which gives its bytes only once"))
    };
    match (again(name), name.rsplit_once('#')) {
        (Ok(file), _) => Ok(file),
        (Err(_), Some((package, entry))) => {
            // A package may itself be an entry of a zip file.
            let package = Wacz::open(open(package)?)?;
            let entry =
                package.archives().find(|found| found.name == entry).ok_or(io::ErrorKind::NotFound)?;
            Ok(package.read(entry)?.0)
        }
        (Err(error), None) => Err(error),
    }
}

/// Opens a file; where it is not on this disk, a program gives its bytes.
pub(crate) fn open_or_fetch(name: &str, remote: Option<&Arc<RangeReader>>) -> io::Result<Blob> {
    match (open(name), remote) {
        (Err(error), Some(remote)) if error.kind() == io::ErrorKind::NotFound => {
            Ok(Blob::remote(Arc::clone(remote), name))
        }
        (opened, _) => opened,
    }
}

/// Keeps the block of one record and ignores the others.
struct Taker<'a> {
    record_id: Option<&'a str>,
    /// The digest of the wanted body, where it is known.
    body: Option<BodyDigest>,
    budget: &'a mut u64,
    /// Whether the first record was another one.
    is_searching: bool,
    /// Whether a record that is cut is wanted as far as it goes.
    takes_cut: bool,
    /// The captures seen.
    captures: u64,
    state: State,
}

impl Taker<'_> {
    /// Goes on to the next record where a known body is wanted.
    fn or_next(&mut self, state: State) -> State {
        if self.body.is_none() {
            return state;
        }
        self.is_searching = true;
        State::Waiting
    }
}

enum State {
    Waiting,
    Taking(Vec<u8>, Option<String>),
    TooLong,
    Cut,
    Done(Vec<u8>, Option<String>),
}

impl Visitor for Taker<'_> {
    fn begin(&mut self, head: &RecordHead<'_>, _offset: u64) {
        let is_capture = matches!(head.record_type, RecordType::Response | RecordType::Resource);
        self.captures += u64::from(is_capture);
        let is_it = self.record_id.is_none_or(|id| head.id.as_deref() == Some(id));
        if is_capture && is_it && *self.budget > 0 && matches!(self.state, State::Waiting) {
            let own_type = head.record_type == RecordType::Resource || head.is_arc;
            let content_type = head.content_type.as_deref().filter(|_| own_type).map(str::to_owned);
            self.state = State::Taking(Vec::new(), content_type);
        }
    }

    fn block(&mut self, piece: &[u8]) {
        if self.is_searching {
            *self.budget = self.budget.saturating_sub(piece.len() as u64);
        }
        if let State::Taking(block, _) = &mut self.state {
            if block.len() + piece.len() > MAX_BODY_BYTES {
                self.state = State::TooLong;
            } else {
                block.extend_from_slice(piece);
            }
        }
    }

    fn end(&mut self, end: RecordEnd) {
        self.state = match std::mem::replace(&mut self.state, State::Waiting) {
            State::Taking(..) if end.cut && !self.takes_cut => self.or_next(State::Cut),
            State::TooLong => self.or_next(State::TooLong),
            State::Taking(block, content_type) => match self.body {
                Some(body) if !has_body(&block, body) => self.or_next(State::Waiting),
                _ => State::Done(block, content_type),
            },
            other => other,
        };
    }

    fn problem(&mut self, _problem: Problem) {}
}

fn has_body(block: &[u8], body: BodyDigest) -> bool {
    body_digest(block) == Some(body)
}

fn body_digest(block: &[u8]) -> Option<BodyDigest> {
    identity(block, None, None).ok().map(|found| BodyDigest(*blake3::hash(&found.bytes).as_bytes()))
}

/// Keeps a body, up to the limit.
struct Keeper {
    bytes: Vec<u8>,
    too_long: bool,
}

impl BodyReader for Keeper {
    fn read(&mut self, piece: &[u8]) {
        self.too_long |= self.bytes.len() + piece.len() > MAX_BODY_BYTES;
        if !self.too_long {
            self.bytes.extend_from_slice(piece);
        }
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// Removes HTTP head, framing and codings from a block. The declared digest has to match the payload, or what writers hash
/// in its place.
fn identity(block: &[u8], content_type: Option<String>, declared: Option<Digest>) -> Result<Body, NoBody> {
    let is_of = |bytes: &[u8]| {
        declared.is_none_or(|declared| {
            let mut hasher = Hasher::new(declared.algorithm());
            hasher.update(bytes);
            hasher.finish() == declared
        })
    };
    if !http::is_response(block) {
        return if is_of(block) {
            Ok(Body { bytes: block.to_vec(), content_type })
        } else {
            Err(NoBody::Digest)
        };
    }
    let head_length = http::response_head_length(block).unwrap_or(block.len());
    let response = http::parse_response(&block[..head_length]);
    let content_type = response.mime.clone().map(|mime| match &response.charset {
        Some(charset) => format!("{mime}; charset={charset}"),
        None => mime,
    });
    let body = &block[head_length..];
    let mut unframed = declared.map(|declared| Hasher::new(declared.algorithm()));
    let (sink, outcome, framing) = unwrapped(body, &response, &mut unframed);
    let is_known = matches!(outcome, Decoded::Whole | Decoded::HeaderLies { .. });
    let is_whole = matches!(framing, Framing::Complete | Framing::Absent);
    if !is_known {
        return Err(NoBody::Coding);
    }
    if !is_whole {
        return Err(NoBody::Cut);
    }
    // A body whose coding turned out to be a lie only at its end was not kept: it is used as stored.
    let lies_late = matches!(outcome, Decoded::HeaderLies { .. });
    let bytes = match kept(sink.ok_or(NoBody::Coding)?) {
        Some(keeper) if keeper.too_long => return Err(NoBody::TooLong),
        Some(keeper) => keeper.bytes,
        None if lies_late && !response.wrapping.chunked => body.to_vec(),
        None => return Err(NoBody::Coding),
    };
    let is_of_unframed = || unframed.map(Hasher::finish) == declared;
    if is_of(body) || is_of(&bytes) || is_of(block) || is_of_unframed() {
        Ok(Body { bytes, content_type })
    } else {
        Err(NoBody::Digest)
    }
}

/// A body without its framing and codings, as far as they go.
fn unwrapped(
    body: &[u8],
    response: &http::ResponseHead,
    unframed: &mut Option<Hasher>,
) -> (Option<Box<BodySink>>, Decoded, Framing) {
    let keeper = Keeper { bytes: Vec::new(), too_long: false };
    let mut decoder = Decoder::new(&response.wrapping.codings, BodySink::new(Some(Box::new(keeper))));
    let mut framing = Framing::Complete;
    if response.wrapping.chunked {
        let mut dechunker = Dechunker::default();
        let mut take = |data: &[u8]| {
            if let Some(hasher) = unframed {
                hasher.update(data);
            }
            decoder.feed(data);
        };
        dechunker.feed(body, &mut take);
        framing = dechunker.finish(&mut take);
    } else {
        decoder.feed(body);
    }
    let (sink, outcome) = decoder.finish();
    (sink, outcome, framing)
}

fn kept(sink: Box<BodySink>) -> Option<Box<Keeper>> {
    sink.into_reader().and_then(|reader| reader.into_any().downcast::<Keeper>().ok())
}

/// The body of a block that ends early, codings removed.
fn so_far(block: &[u8]) -> Option<Vec<u8>> {
    if !http::is_response(block) {
        return Some(block.to_vec());
    }
    let head_length = http::response_head_length(block).unwrap_or(block.len());
    let response = http::parse_response(&block[..head_length]);
    let (sink, outcome, _) = unwrapped(&block[head_length..], &response, &mut None);
    match outcome {
        Decoded::UnknownCoding { .. } | Decoded::Undecodable { .. } | Decoded::TooLong => None,
        Decoded::Whole | Decoded::HeaderLies { .. } | Decoded::Damaged { .. } => {
            kept(sink?).filter(|keeper| !keeper.too_long).map(|keeper| keeper.bytes)
        }
    }
}
