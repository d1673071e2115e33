//! Reads the body of one capture again, by its place: for comparing versions and looking for phrases.

use std::any::Any;
use std::collections::HashMap;
use std::fs::File;
use std::io;

use crate::archive::blob::Blob;
use crate::archive::chunked::{Dechunker, Framing};
use crate::archive::coding::{BodyReader, BodySink, Decoded, Decoder};
use crate::archive::http;
use crate::archive::members::{Tools, walk_at};
use crate::archive::record::{RecordHead, RecordType};
use crate::archive::sniff::{Compression, sniff};
use crate::archive::source::path_of;
use crate::archive::wacz::Wacz;
use crate::archive::walk::{RecordEnd, Visitor};
use crate::problem::Problem;

/// Longer bodies are not fetched: nobody compares them block by block.
pub const LONGEST_BODY: usize = 64 << 20;

/// The body of a capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    /// The identity body.
    pub bytes: Vec<u8>,
    /// `Content-Type` of the answer, with its parameters.
    pub content_type: Option<String>,
}

/// Why there is no body at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoBody {
    /// No such record stands there.
    NoRecord,
    /// The record ends too early.
    Cut,
    /// It is longer than [`LONGEST_BODY`].
    TooLong,
    /// Its coding is unknown, or broken.
    Coding,
}

impl NoBody {
    /// The reason in words.
    pub fn words(self) -> &'static str {
        match self {
            NoBody::NoRecord => "the record does not stand at its place",
            NoBody::Cut => "its record is cut short",
            NoBody::TooLong => "its body is longer than 64 MiB",
            NoBody::Coding => "its body has a coding that cannot be taken off",
        }
    }
}

/// Fetches bodies, keeping the files it has opened.
#[derive(Default)]
pub struct Fetcher {
    files: HashMap<String, (Blob, Compression)>,
    tools: Tools,
}

impl Fetcher {
    /// The body of the record at `offset` of `file`. `length` is its length there and `record_id` its id, as far as
    /// they are known; the id tells records apart that share a compressed member.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn body(
        &mut self,
        file: &str,
        offset: u64,
        length: Option<u64>,
        record_id: Option<&str>,
    ) -> io::Result<Result<Body, NoBody>> {
        if !self.files.contains_key(file) {
            let blob = open(file)?;
            let (compression, _) = sniff(&blob)?;
            self.files.insert(file.to_owned(), (blob, compression));
        }
        let Some((blob, compression)) = self.files.get(file) else { return Ok(Err(NoBody::NoRecord)) };
        let mut taker = Taker { record_id, state: State::Waiting };
        walk_at(blob, offset, length, *compression, &mut self.tools, &mut taker)?;
        Ok(match taker.state {
            State::Done(block, content_type) => identity(&block, content_type),
            State::TooLong => Err(NoBody::TooLong),
            State::Cut | State::Taking(..) => Err(NoBody::Cut),
            State::Waiting => Err(NoBody::NoRecord),
        })
    }
}

/// Opens a file, or the entry of a package that `PACKAGE#ENTRY` names. What gave its bytes as a stream is gone.
pub fn open(name: &str) -> io::Result<Blob> {
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
            let package = Wacz::open(again(package)?)?;
            let entry =
                package.archives().find(|found| found.name == entry).ok_or(io::ErrorKind::NotFound)?;
            Ok(package.read(entry)?.0)
        }
        (Err(error), None) => Err(error),
    }
}

/// Takes the block of one record out of those that go by.
struct Taker<'a> {
    record_id: Option<&'a str>,
    state: State,
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
        let is_it = self.record_id.is_none_or(|id| head.id.as_deref() == Some(id));
        if is_capture && is_it && matches!(self.state, State::Waiting) {
            let own_type = head.record_type == RecordType::Resource || head.is_arc;
            let content_type = head.content_type.as_deref().filter(|_| own_type).map(str::to_owned);
            self.state = State::Taking(Vec::new(), content_type);
        }
    }

    fn block(&mut self, piece: &[u8]) {
        if let State::Taking(block, _) = &mut self.state {
            if block.len() + piece.len() > LONGEST_BODY {
                self.state = State::TooLong;
            } else {
                block.extend_from_slice(piece);
            }
        }
    }

    fn end(&mut self, end: RecordEnd) {
        self.state = match std::mem::replace(&mut self.state, State::Waiting) {
            State::Taking(..) if end.cut => State::Cut,
            State::Taking(block, content_type) => State::Done(block, content_type),
            other => other,
        };
    }

    fn problem(&mut self, _problem: Problem) {}
}

/// Keeps a body, up to the limit.
struct Keeper {
    bytes: Vec<u8>,
    too_long: bool,
}

impl BodyReader for Keeper {
    fn read(&mut self, piece: &[u8]) {
        self.too_long |= self.bytes.len() + piece.len() > LONGEST_BODY;
        if !self.too_long {
            self.bytes.extend_from_slice(piece);
        }
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// Takes HTTP head, framing and codings off a block.
fn identity(block: &[u8], content_type: Option<String>) -> Result<Body, NoBody> {
    if !http::is_response(block) {
        return Ok(Body { bytes: block.to_vec(), content_type });
    }
    let head_length = http::response_head_length(block).unwrap_or(block.len());
    let response = http::parse_response(&block[..head_length]);
    let content_type = response.mime.map(|mime| match &response.charset {
        Some(charset) => format!("{mime}; charset={charset}"),
        None => mime,
    });
    let keeper = Keeper { bytes: Vec::new(), too_long: false };
    let mut decoder = Decoder::new(&response.wrapping.codings, BodySink::new(Some(Box::new(keeper))));
    let body = &block[head_length..];
    let mut framing = Framing::Complete;
    if response.wrapping.chunked {
        let mut dechunker = Dechunker::default();
        dechunker.feed(body, &mut |data| decoder.feed(data));
        framing = dechunker.finish(&mut |data| decoder.feed(data));
    } else {
        decoder.feed(body);
    }
    let (sink, outcome) = decoder.finish();
    let is_known = matches!(outcome, Decoded::Whole | Decoded::HeaderLies { .. });
    let is_whole = matches!(framing, Framing::Complete | Framing::Absent);
    if !is_known {
        return Err(NoBody::Coding);
    }
    if !is_whole {
        return Err(NoBody::Cut);
    }
    // A body whose coding turned out to be a lie only at its end was not kept: it is there as it stands.
    let lies_late = matches!(outcome, Decoded::HeaderLies { .. });
    let reader = sink.ok_or(NoBody::Coding)?.into_reader();
    match reader.and_then(|reader| reader.into_any().downcast::<Keeper>().ok()) {
        Some(keeper) if keeper.too_long => Err(NoBody::TooLong),
        Some(keeper) => Ok(Body { bytes: keeper.bytes, content_type }),
        None if lies_late && !response.wrapping.chunked => Ok(Body { bytes: body.to_vec(), content_type }),
        None => Err(NoBody::Coding),
    }
}
