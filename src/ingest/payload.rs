//! The payload of a capture: transfer coding off, declared digest checked, identity body hashed.
//!
//! Writers disagree on what `WARC-Payload-Digest` covers. A mismatch is reported with the habit that explains it:
//! chunk framing hashed with the body (warcio#74, wpull#424, heritrix3#769), the decoded body hashed, the whole block
//! hashed, or nothing hashed at all.

use std::sync::Arc;

use super::scan::{Scanned, Scanner};
use crate::archive::chunked::{Dechunker, Framing};
use crate::archive::coding::{BodyReader, BodySink, Decoded, Decoder};
use crate::archive::gzip::{Inflated, Inflater};
use crate::archive::http::{ResponseHead, Wrapping};
use crate::archive::walk::RecordEnd;
use crate::capture::normal::NO_BODY;
use crate::capture::{Covers, Observation};
use crate::digest::{Algorithm, BodyDigest, Digest, Hasher};
use crate::ingest::page_cache::PageCache;
use crate::problem::{Level, Problem};

/// A payload, read piece by piece.
pub(crate) struct Payload {
    wrapping: Wrapping,
    hasher: Option<Hasher>,
    /// The digest of the body with its chunk framing.
    framed: Option<Hasher>,
    dechunker: Option<Dechunker>,
    decoder: Option<Decoder>,
    length: u64,
    whole: Option<Whole>,
    scanner: Option<Box<Scanner>>,
}

/// What was computed where the whole body lay in memory.
struct Whole {
    payload: Option<Digest>,
    body: BodyDigest,
    body_length: u64,
    /// Digest of the identity body, where the payload is coded and differs from what was declared.
    decoded: Option<Digest>,
}

/// What is known of a payload at its end.
pub(crate) struct PayloadEnd {
    /// Its digest, in the declared algorithm.
    pub payload: Option<Digest>,
    /// The digest of the identity body.
    pub body: Option<BodyDigest>,
    /// The length of the identity body.
    pub body_length: Option<u64>,
    /// What was read out of the identity body.
    pub scanned: Scanned,
    /// What the declared digest covers instead of the payload, if that was found out.
    pub covers: Option<Covers>,
    /// Why the payload is not, or not known to be, all there, in the words of [`Observation::truncated`].
    pub cut: Option<&'static str>,
    /// What was found.
    pub problems: Vec<Problem>,
}

/// The finding that a body is longer than it is said to be.
pub(crate) const BODY_LONG: &str = "body-long";
/// By how many bytes a coding makes a body longer that cannot be compressed, at most, but for a thousandth of it.
const CODING_FRAME: u64 = 32;
/// Bytes from which on every text is shorter in a coding.
const COMPRESSIBLE: u64 = 256;

impl Payload {
    /// A payload whose declared digest is of this algorithm; `scanner` reads its identity body.
    pub(crate) fn new(algorithm: Option<Algorithm>, wrapping: &Wrapping, scanner: Option<Scanner>) -> Self {
        Payload {
            wrapping: wrapping.clone(),
            hasher: algorithm.map(Hasher::new),
            framed: algorithm.filter(|_| wrapping.chunked).map(Hasher::new),
            dechunker: wrapping.chunked.then(Dechunker::default),
            decoder: None,
            length: 0,
            whole: None,
            scanner: scanner.map(Box::new),
        }
    }

    /// The whole body at once: hashed side by side with its block, decoded in memory where that is simple. Returns the
    /// block's digest.
    pub(crate) fn whole(
        &mut self,
        body: &[u8],
        block: &[u8],
        block_hasher: Option<Hasher>,
        declared: Option<Digest>,
        inflater: &mut Inflater,
        seen: &Arc<PageCache>,
    ) -> Option<Digest> {
        let alone = |data: &[u8], mut hasher: Hasher| {
            hasher.update(data);
            hasher.finish()
        };
        let simple = match self.wrapping.codings.as_slice() {
            [] => true,
            [coding] if coding == "gzip" || coding == "x-gzip" => {
                // Only a body of one member is taken: a second one would go unnoticed here.
                let whole = Inflated::Whole { consumed: body.len() };
                body.starts_with(&[0x1f, 0x8b]) && inflater.inflate(body) == whole
            }
            _ => false,
        };
        if self.wrapping.chunked || !simple {
            self.feed(body);
            return block_hasher.map(|hasher| alone(block, hasher));
        }
        self.length = body.len() as u64;
        let (block, payload) = match (block_hasher, self.hasher.take()) {
            (Some(mut block_hasher), Some(mut hasher)) => {
                Hasher::update_both(&mut block_hasher, block, &mut hasher, body);
                let (block, payload) = Hasher::finish_both(block_hasher, hasher);
                (Some(block), Some(payload))
            }
            (block_hasher, hasher) => {
                (block_hasher.map(|hasher| alone(block, hasher)), hasher.map(|hasher| alone(body, hasher)))
            }
        };
        let is_coded = !self.wrapping.codings.is_empty();
        let identity = if is_coded { inflater.output() } else { body };
        let decoded = payload
            .filter(|payload| is_coded && declared != Some(*payload))
            .map(|digest| alone(identity, Hasher::new(digest.algorithm())));
        let digest = BodyDigest(*blake3::hash(identity).as_bytes());
        if let Some(scanner) = &mut self.scanner {
            scanner.read_whole(identity, digest, seen);
        }
        self.whole = Some(Whole { payload, body: digest, body_length: identity.len() as u64, decoded });
        block
    }

    /// The next piece of the body, with its framing and codings.
    pub(crate) fn feed(&mut self, piece: &[u8]) {
        let Payload { hasher, framed, dechunker, decoder, wrapping, length, scanner, .. } = self;
        let decoder = decoder.get_or_insert_with(|| {
            let reader = scanner.take().map(|scanner| scanner as Box<dyn BodyReader>);
            let algorithm = hasher.as_ref().map(Hasher::algorithm).filter(|_| !wrapping.codings.is_empty());
            Decoder::new(&wrapping.codings, BodySink::new(reader).with_digest(algorithm))
        });
        let mut unframed = |data: &[u8]| {
            *length += data.len() as u64;
            if let Some(hasher) = hasher {
                hasher.update(data);
            }
            decoder.feed(data);
        };
        match dechunker {
            Some(dechunker) => {
                if let Some(framed) = framed {
                    framed.update(piece);
                }
                dechunker.feed(piece, &mut unframed);
            }
            None => unframed(piece),
        }
    }

    /// Ends the payload. `block` is the block's digest, if it was computed. Where the record's end is a guess, the
    /// payload counts as whole only if its declared digest, its length or its codings prove it.
    pub(crate) fn finish(
        mut self,
        declared: Option<Digest>,
        block: Option<Digest>,
        end: RecordEnd,
        response: &ResponseHead,
        observation: &Observation,
    ) -> PayloadEnd {
        let mut problems = Vec::new();
        let mut scanner = self.scanner.take();
        let mut proven = response.content_length == Some(self.length) && !self.wrapping.chunked;
        let RecordEnd { cut, doubtful, .. } = end;
        let (mut payload, mut body, mut body_length);
        // A header that does not describe what was stored says nothing about its length either.
        let (mut cut_by, mut is_described) = (None, true);
        let mut is_chunked = self.wrapping.chunked;
        let (mut framed, mut decoded) = (None, None);
        if let Some(whole) = self.whole.take() {
            (payload, body, body_length) = (whole.payload, Some(whole.body), Some(whole.body_length));
            decoded = whole.decoded;
            proven |= !self.wrapping.codings.is_empty();
        } else {
            (body, body_length) = (None, None);
            // A body of no bytes at all is an empty body. The scanner, if still here, goes with it.
            self.scanner = scanner.take();
            self.feed(&[]);
            let framing = self.end_framing(&mut problems, cut);
            proven |= self.wrapping.chunked && framing == Framing::Complete;
            // The crawler removed the chunks and kept the field that names them.
            is_chunked &= framing != Framing::Absent;
            let decoder = self.decoder.take();
            payload = self.hasher.take().map(Hasher::finish);
            framed = self.framed.take().map(Hasher::finish);
            if let Some((sink, outcome)) = decoder.map(Decoder::finish) {
                let is_known = matches!(outcome, Decoded::Whole | Decoded::HeaderLies { .. });
                proven |= !self.wrapping.codings.is_empty() && outcome == Decoded::Whole;
                decoded = sink.as_ref().and_then(|sink| sink.declared_digest());
                is_described = !matches!(outcome, Decoded::HeaderLies { .. });
                if matches!(outcome, Decoded::Damaged { .. }) {
                    cut_by = Some("coding-cut");
                }
                if !cut {
                    problems.extend(coding_problem(&outcome));
                }
                if let Some(sink) =
                    sink.filter(|_| is_known && framing != Framing::Broken && framing != Framing::Open)
                {
                    (body, body_length) = (Some(sink.digest()), Some(sink.length()));
                    let reader = sink.into_reader().map(BodyReader::into_any);
                    scanner = reader.and_then(|reader| reader.downcast().ok());
                }
            }
            if matches!(framing, Framing::Broken | Framing::Open) {
                payload = None;
                cut_by = Some("chunks-cut");
            }
        }
        proven |= declared.is_some() && declared == payload;
        if cut || doubtful && !proven {
            return PayloadEnd {
                payload: None,
                body: None,
                body_length: None,
                scanned: Scanned::default(),
                covers: None,
                cut: Some("input"),
                problems,
            };
        }
        let mut scanned = match (scanner, body) {
            (Some(scanner), Some(_)) => scanner.finish(&observation.url),
            _ => Scanned::default(),
        };
        problems.append(&mut scanned.problems);
        // A body in chunks has at least the last one: without any, the request was HEAD.
        let had_chunks = self.wrapping.chunked && !is_chunked && self.length == 0;
        if had_chunks && !matches!(observation.status, Some(100..=199 | 204 | 304)) && cut_by.is_none() {
            cut_by = Some(NO_BODY);
        }
        let mut covers = None;
        if let (Some(declared), Some(computed)) = (declared, payload)
            && declared != computed
        {
            covers = habit(declared, framed, decoded, block);
            problems.push(explain(declared, computed, covers));
        }
        if let Some(expected) = response.content_length {
            let bodyless = matches!(observation.status, Some(100..=199 | 204 | 304));
            // Coding makes a body longer by its frame at most, and no text of some length: one stored without its coding that is
            // still shorter is cut.
            let is_text = observation.mime.as_deref().is_some_and(|mime| mime.starts_with("text/"));
            let least = match is_described || (is_text && self.length >= COMPRESSIBLE) {
                true => expected,
                false => expected.saturating_sub(CODING_FRAME + expected / 1000),
            };
            if self.length == 0 && expected > 0 && !is_chunked && !bodyless && cut_by.is_none() {
                cut_by = Some(NO_BODY);
                let message = format!(
                    "there is no body, its Content-Length says {expected}: probably the response to a HEAD request"
                );
                problems.push(Problem::new(Level::Note, "no-body", message));
            } else if self.length < least && !is_chunked && !bodyless && cut_by.is_none() {
                cut_by = Some("body-short");
                let message =
                    format!("the body has {} bytes, its Content-Length says {expected}", self.length);
                problems.push(Problem::new(Level::Note, "body-short", message));
            } else if self.length > expected && is_described && !is_chunked && !bodyless {
                let message =
                    format!("the body has {} bytes, its Content-Length says only {expected}", self.length);
                problems.push(Problem::new(Level::Note, BODY_LONG, message));
            }
        }
        PayloadEnd { payload, body, body_length, scanned, covers, cut: cut_by, problems }
    }

    fn end_framing(&mut self, problems: &mut Vec<Problem>, cut: bool) -> Framing {
        let Payload { hasher, dechunker, decoder, length, .. } = self;
        let Some(dechunker) = dechunker else { return Framing::Complete };
        let framing = dechunker.finish(&mut |data: &[u8]| {
            *length += data.len() as u64;
            if let Some(hasher) = hasher {
                hasher.update(data);
            }
            if let Some(decoder) = decoder {
                decoder.feed(data);
            }
        });
        let problem = match framing {
            Framing::Complete => None,
            // Responses to HEAD, and 304, have an empty body under a chunked header.
            Framing::Absent if *length == 0 => None,
            Framing::Absent => Some((
                Level::Note,
                "not-chunked",
                "the header says chunked, but the body is not framed; it was taken as it is",
            )),
            Framing::Broken => {
                Some((Level::Warning, "chunks-broken", "the chunk framing breaks; the body is unknown"))
            }
            Framing::Open => {
                Some((Level::Warning, "chunks-cut", "the last chunk is missing; the body is unknown"))
            }
        };
        if let Some((level, kind, message)) = problem.filter(|_| !cut) {
            problems.push(Problem::new(level, kind, message));
        }
        framing
    }
}

fn coding_problem(outcome: &Decoded) -> Option<Problem> {
    let (level, kind, message) = match outcome {
        Decoded::Whole => return None,
        Decoded::HeaderLies { coding } => (
            Level::Note,
            "not-coded",
            format!("the header says {coding:?}, but the body is not so coded; it was taken as it is"),
        ),
        Decoded::UnknownCoding { coding } => (
            Level::Warning,
            "unknown-coding",
            format!("the content coding {coding:?} is unknown, and so is the body"),
        ),
        Decoded::Undecodable { coding } => (
            Level::Warning,
            "coding-damaged",
            format!("the body cannot be decoded as {coding:?}, and is not text either; the body is unknown"),
        ),
        Decoded::Damaged { cause } => (
            Level::Warning,
            "coding-damaged",
            format!("the coded body is damaged or cut: {cause}; the body is unknown"),
        ),
        Decoded::TooLong => (
            Level::Warning,
            "body-too-long",
            "the body decodes to more than 4 GiB; the rest was not read".to_owned(),
        ),
    };
    Some(Problem::new(level, kind, message))
}

/// Which habit of writers explains a declared digest that does not match the payload.
fn habit(
    declared: Digest,
    framed: Option<Digest>,
    decoded: Option<Digest>,
    block: Option<Digest>,
) -> Option<Covers> {
    if framed == Some(declared) {
        Some(Covers::Framed)
    } else if decoded == Some(declared) {
        Some(Covers::Decoded)
    } else if block == Some(declared) {
        Some(Covers::Block)
    } else if declared.is_of_empty() {
        Some(Covers::Empty)
    } else {
        None
    }
}

fn explain(declared: Digest, computed: Digest, covers: Option<Covers>) -> Problem {
    let habit = match covers {
        Some(Covers::Framed) => "the body with its chunk framing was hashed",
        Some(Covers::Decoded) => "the body without its content coding was hashed",
        Some(Covers::Block) => "the whole block was hashed",
        Some(Covers::Empty) => "an empty body was hashed",
        None => "no known habit of writers explains it",
    };
    let message = format!("the payload's digest is {computed}, declared is {declared}: {habit}");
    let level = if covers.is_some() { Level::Note } else { Level::Warning };
    Problem::new(level, "payload-digest", message)
}
