//! A record read whole: whether it is the same as another, and what its payload is.

use std::io;

use flate2::read::GzDecoder;

use super::heads::payload_digest;
use super::revisit::Original;
use super::source::Opened;
use crate::archive::chunked::{Dechunker, Framing};
use crate::archive::coding::{BodySink, Decoded, Decoder};
use crate::archive::http;
use crate::archive::members::Depth;
use crate::archive::record::RecordHead;
use crate::archive::sniff::Compression;
use crate::archive::walk::{RecordEnd, Visitor};
use crate::digest::{Algorithm, Digest, Hasher};
use crate::problem::Problem;

/// Responses with longer HTTP heads are copied unread.
const MAX_HEAD_BYTES: usize = 64 << 10;
/// Longer records are copied as they are, since a revisit is made in memory.
const MAX_RECORD_BYTES: u64 = 64 << 20;

/// A hash of the bytes of a record that stands alone at its place, however it is compressed; of the stored bytes where they cannot be unpacked.
pub(super) fn identity(source: &Opened, offset: u64, length: u64) -> io::Result<[u8; 32]> {
    let stored = source.blob.section(offset, length);
    let mut hasher = blake3::Hasher::new();
    let copied = match source.compression {
        Compression::Gzip => io::copy(&mut GzDecoder::new(stored.reader(0)), &mut hasher),
        _ => io::copy(&mut stored.reader(0), &mut hasher),
    };
    if copied.is_err() {
        hasher = blake3::Hasher::new();
        hasher.update(b"as stored");
        io::copy(&mut stored.reader(0), &mut hasher)?;
    }
    Ok(*hasher.finalize().as_bytes())
}

/// A hash of the payload of a plain response, with its codings; and how a revisit names the record. `None` where it is nothing that can
/// become a revisit, or something is wrong with it: a revisit of what contradicts its own digest would show nothing.
pub(super) fn payload(
    source: &Opened,
    offset: u64,
    length: u64,
) -> io::Result<Option<([u8; 32], Option<Original>)>> {
    if length > MAX_RECORD_BYTES {
        return Ok(None);
    }
    let part = Opened { blob: source.blob.section(offset, length), compression: source.compression };
    let mut reader = Reader::default();
    part.walk(Depth::Blocks, &mut reader)?;
    let payload = reader.payload.filter(|it| reader.records == 1 && !reader.is_odd && it.length > 0);
    let hash = payload.and_then(|it| {
        let (hasher, coding) = it.body?;
        coding.ends_whole(it.declared).then(|| *hasher.finalize().as_bytes())
    });
    Ok(hash.map(|hash| (hash, reader.name)))
}

#[derive(Default)]
struct Reader {
    records: u64,
    is_odd: bool,
    /// The declared digest of the block, and the block so far.
    block: Option<(Digest, Hasher)>,
    payload: Option<Payload>,
    name: Option<Original>,
}

/// The payload of a response on its way.
struct Payload {
    digest: String,
    declared: Digest,
    head: Vec<u8>,
    /// The hash of the body so far, and how much of it there is.
    body: Option<(blake3::Hasher, Coding)>,
    length: u64,
}

/// Follows the length, the chunks and the codings of a body: what refers to a body that ends early would show nothing.
pub(super) struct Coding {
    /// Bytes that `Content-Length` leaves to come.
    left: u64,
    chunks: Option<Dechunker>,
    decoder: Decoder,
    /// The digest of the body as it is stored, and without its chunks.
    stored: Hasher,
    unframed: Option<Hasher>,
}

impl Coding {
    pub(super) fn of(response: &http::ResponseHead, algorithm: Algorithm) -> Self {
        let is_chunked = response.wrapping.chunked;
        let codings = &response.wrapping.codings;
        let sink = BodySink::new(None).with_digest((!codings.is_empty()).then_some(algorithm));
        Coding {
            left: response.content_length.filter(|_| !is_chunked).unwrap_or(0),
            chunks: is_chunked.then(Dechunker::default),
            decoder: Decoder::new(codings, sink),
            stored: Hasher::new(algorithm),
            unframed: is_chunked.then(|| Hasher::new(algorithm)),
        }
    }

    pub(super) fn take(&mut self, piece: &[u8]) {
        self.left = self.left.saturating_sub(piece.len() as u64);
        self.stored.update(piece);
        let Coding { chunks, decoder, unframed, .. } = self;
        match chunks {
            Some(chunks) => chunks.feed(piece, &mut unframe(decoder, unframed)),
            None => decoder.feed(piece),
        }
    }

    /// Whether the last chunk, the end of its coding or this digest proves that the body is all there.
    pub(super) fn proves(mut self, declared: Option<Digest>, is_coded: bool) -> bool {
        let Coding { chunks, decoder, unframed, .. } = &mut self;
        let framing = chunks.as_mut().map(|chunks| chunks.finish(&mut unframe(decoder, unframed)));
        let (_, outcome) = self.decoder.finish();
        let payload = self.unframed.unwrap_or(self.stored).finish();
        framing == Some(Framing::Complete)
            || (is_coded && outcome == Decoded::Whole)
            || declared == Some(payload)
    }

    /// Whether the body is all there and has this digest: as it is stored, or as writers hash it in place of that.
    fn ends_whole(mut self, declared: Digest) -> bool {
        let Coding { chunks, decoder, unframed, .. } = &mut self;
        let framing = chunks.as_mut().map(|chunks| chunks.finish(&mut unframe(decoder, unframed)));
        let is_framed = matches!(framing, None | Some(Framing::Complete | Framing::Absent));
        let (sink, outcome) = self.decoder.finish();
        let is_decoded = matches!(outcome, Decoded::Whole | Decoded::HeaderLies { .. });
        let decoded = sink.and_then(|sink| sink.declared_digest());
        let found = [Some(self.stored.finish()), self.unframed.map(Hasher::finish), decoded];
        self.left == 0 && is_framed && is_decoded && found.contains(&Some(declared))
    }
}

/// Takes a body without its chunks.
fn unframe(decoder: &mut Decoder, unframed: &mut Option<Hasher>) -> impl FnMut(&[u8]) {
    move |data| {
        if let Some(hasher) = unframed {
            hasher.update(data);
        }
        decoder.feed(data);
    }
}

impl Payload {
    /// Takes the next bytes of the block. `false`: this is nothing that can become a revisit.
    fn take(&mut self, piece: &[u8]) -> bool {
        if let Some((hasher, coding)) = &mut self.body {
            hasher.update(piece);
            coding.take(piece);
            self.length += piece.len() as u64;
            return true;
        }
        self.head.extend_from_slice(piece);
        if !http::is_response(&self.head) && self.head.len() > 16 {
            return false;
        }
        let Some(end) = http::response_head_length(&self.head) else {
            return self.head.len() < MAX_HEAD_BYTES;
        };
        let response = http::parse_response(&self.head[..end]);
        if response.status != Some(200) {
            return false;
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update(&[u8::from(response.wrapping.chunked)]);
        for part in response.wrapping.codings.iter().chain([&self.digest]) {
            hasher.update(part.as_bytes());
            hasher.update(&[0]);
        }
        let body = self.head.split_off(end);
        hasher.update(&body);
        self.length += body.len() as u64;
        let mut coding = Coding::of(&response, self.declared.algorithm());
        coding.take(&body);
        self.body = Some((hasher, coding));
        true
    }
}

impl Visitor for Reader {
    fn begin(&mut self, head: &RecordHead<'_>, _offset: u64) {
        self.records += 1;
        self.payload = payload_digest(head).and_then(|digest| {
            let declared = Digest::parse(digest)?;
            Some(Payload { digest: digest.to_owned(), declared, head: Vec::new(), body: None, length: 0 })
        });
        let block = head.block_digest.as_deref().and_then(Digest::parse);
        self.block = block.map(|digest| (digest, Hasher::new(digest.algorithm())));
        self.name = match (&head.id, &head.target, &head.date) {
            (Some(id), Some(url), Some(date)) => {
                Some(Original { id: id.to_string(), url: url.to_string(), date: date.to_string() })
            }
            _ => None,
        };
    }

    fn block(&mut self, piece: &[u8]) {
        if let Some((_, hasher)) = &mut self.block {
            hasher.update(piece);
        }
        if self.payload.as_mut().is_some_and(|payload| !payload.take(piece)) {
            self.payload = None;
        }
    }

    fn end(&mut self, end: RecordEnd) {
        let is_refuted = self.block.take().is_some_and(|(declared, block)| block.finish() != declared);
        self.is_odd |= end.cut || end.doubtful || is_refuted;
    }

    fn problem(&mut self, _problem: Problem) {
        self.is_odd = true;
    }
}
