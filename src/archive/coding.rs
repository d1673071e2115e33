//! Removes content codings while the body streams through: gzip, deflate, br, zstd, and stacks of them.
//!
//! Decoding stops after [`BODY_LIMIT`] bytes. Headers can be wrong about codings (openwayback PR#395): a body that does
//! not start the way its coding requires is used as stored, and the outcome says so. Brotli and deflate have no such start:
//! what they cannot decode is used as stored only where it is text.

use std::any::Any;
use std::io::{self, Write};

use brotli_decompressor::DecompressorWriter;
use flate2::write::GzDecoder;
use flate2::{Decompress, FlushDecompress, Status};

use crate::digest::{Algorithm, BodyDigest, Digest, Hasher};

/// Maximum size of a decoded body, in bytes.
pub(crate) const BODY_LIMIT: u64 = 4 << 30;

/// Receives the identity body piece by piece.
pub(crate) trait BodyReader: Send {
    fn read(&mut self, piece: &[u8]);
    /// Gives the reader back to its maker as a concrete type.
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

/// Hashes and counts the identity body and passes it to a reader.
pub(crate) struct BodySink {
    hasher: blake3::Hasher,
    declared: Option<Hasher>,
    length: u64,
    limit: u64,
    reader: Option<Box<dyn BodyReader>>,
}

impl BodySink {
    pub(crate) fn new(reader: Option<Box<dyn BodyReader>>) -> Self {
        BodySink { hasher: blake3::Hasher::new(), declared: None, length: 0, limit: u64::MAX, reader }
    }

    /// Also computes this digest: some writers declare the digest of the decoded body.
    #[must_use]
    pub(crate) fn with_digest(mut self, algorithm: Option<Algorithm>) -> Self {
        self.declared = algorithm.map(Hasher::new);
        self
    }

    /// The digest requested with [`BodySink::with_digest`].
    pub(crate) fn declared_digest(&self) -> Option<Digest> {
        self.declared.clone().map(Hasher::finish)
    }

    /// BLAKE3 of the body so far.
    pub(crate) fn digest(&self) -> BodyDigest {
        BodyDigest(*self.hasher.finalize().as_bytes())
    }

    /// The body's length so far.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    pub(crate) fn into_reader(self) -> Option<Box<dyn BodyReader>> {
        self.reader
    }
}

impl Write for BodySink {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.length += piece.len() as u64;
        if self.length > self.limit {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the decoded body is too long"));
        }
        self.hasher.update(piece);
        if let Some(hasher) = &mut self.declared {
            hasher.update(piece);
        }
        if let Some(reader) = &mut self.reader {
            reader.read(piece);
        }
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A stack of decoders that ends in a sink.
enum Stage {
    Sink(Box<BodySink>),
    Gzip(Box<Gunzip>),
    Inflate(Box<Inflate>),
    Brotli(Box<DecompressorWriter<Stage>>),
    Zstd(Box<zstd::stream::zio::Writer<Stage, zstd::stream::raw::Decoder<'static>>>),
    /// Placeholder while the inner stage is being finished.
    Taken,
}

impl Stage {
    fn write_all(&mut self, piece: &[u8]) -> io::Result<()> {
        Write::write_all(self, piece)
    }

    /// Ends all stages; returns the sink even after an error.
    fn finish(self) -> (Option<Box<BodySink>>, io::Result<()>) {
        fn inner(stage: &mut Stage) -> Stage {
            std::mem::replace(stage, Stage::Taken)
        }
        let (ended, next) = match self {
            Stage::Sink(sink) => return (Some(sink), Ok(())),
            Stage::Taken => return (None, Ok(())),
            Stage::Gzip(mut decoder) => (decoder.try_finish(), inner(decoder.decoder.get_mut())),
            Stage::Inflate(mut decoder) => (decoder.finish(), inner(&mut decoder.next)),
            Stage::Brotli(mut decoder) => (decoder.close(), inner(decoder.get_mut())),
            // Only this tells a frame that ends early.
            Stage::Zstd(mut decoder) => (decoder.finish(), inner(decoder.writer_mut())),
        };
        let (sink, rest) = next.finish();
        (sink, ended.and(rest))
    }
}

impl Write for Stage {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        match self {
            Stage::Sink(sink) => sink.write(piece),
            Stage::Gzip(decoder) => decoder.write(piece),
            Stage::Inflate(decoder) => decoder.write(piece),
            Stage::Brotli(decoder) => decoder.write(piece),
            Stage::Zstd(decoder) => decoder.write(piece),
            Stage::Taken => Ok(piece.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Consecutive gzip members. Servers pad their bodies: bytes after a member that do not start another one are skipped,
/// as browsers do.
struct Gunzip {
    decoder: GzDecoder<Stage>,
    place: Member,
}

/// Where the next byte is in a body of gzip members.
enum Member {
    Within,
    /// After a member; the first byte of the next one may have been read.
    After {
        has_first: bool,
    },
    Padding,
}

impl Gunzip {
    fn new(next: Stage) -> Self {
        Gunzip { decoder: GzDecoder::new(next), place: Member::Within }
    }

    fn try_finish(&mut self) -> io::Result<()> {
        match self.place {
            Member::Within => self.decoder.try_finish(),
            Member::After { .. } | Member::Padding => Ok(()),
        }
    }

    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let Some(first) = piece.first() else { return Ok(0) };
        loop {
            match self.place {
                Member::Within => {
                    let count = self.decoder.write(piece)?;
                    if count > 0 {
                        return Ok(count);
                    }
                    self.decoder.try_finish()?;
                    self.place = Member::After { has_first: false };
                }
                Member::After { has_first: false } if *first == 0x1f => {
                    self.place = Member::After { has_first: true };
                    return Ok(1);
                }
                Member::After { has_first: true } if *first == 0x8b => {
                    let next = std::mem::replace(self.decoder.get_mut(), Stage::Taken);
                    *self = Gunzip::new(next);
                    self.decoder.write_all(&[0x1f])?;
                }
                Member::After { .. } => self.place = Member::Padding,
                Member::Padding => return Ok(piece.len()),
            }
        }
    }
}

/// A deflate stream, with or without the frame of zlib. Unlike the writers of `flate2` it tells a stream that ends early.
struct Inflate {
    inflate: Decompress,
    next: Stage,
    ended: bool,
}

impl Inflate {
    fn new(zlib: bool, next: Stage) -> Self {
        Inflate { inflate: Decompress::new(zlib), next, ended: false }
    }

    /// Bytes behind the end of the stream are padding.
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let mut buffer = [0; 16 << 10];
        let mut rest = piece;
        while !self.ended {
            let (read, written) = (self.inflate.total_in(), self.inflate.total_out());
            let status = self.inflate.decompress(rest, &mut buffer, FlushDecompress::None)?;
            let read = (self.inflate.total_in() - read) as usize;
            let written = (self.inflate.total_out() - written) as usize;
            rest = &rest[read..];
            self.next.write_all(&buffer[..written])?;
            self.ended = status == Status::StreamEnd;
            if read == 0 && written == 0 || rest.is_empty() && written < buffer.len() {
                break;
            }
        }
        Ok(piece.len())
    }

    fn finish(&mut self) -> io::Result<()> {
        match self.ended {
            true => Ok(()),
            false => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the deflate stream ends early")),
        }
    }
}

/// How decoding went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Decoded {
    /// The identity body is whole.
    Whole,
    /// The body is not coded as its header says; the sink has the body as stored.
    HeaderLies {
        /// The coding that the header names.
        coding: String,
    },
    /// Unsupported coding: the identity body is unknown.
    UnknownCoding {
        /// The coding that the header names.
        coding: String,
    },
    /// Not even the first bytes of the body can be decoded, and they are not text: its header lies, or it is damaged. The
    /// identity body is unknown.
    Undecodable {
        /// The coding that the header names.
        coding: String,
    },
    /// The coded body is damaged or cut: the identity body is unknown.
    Damaged {
        /// The decoder's message.
        cause: String,
    },
    /// The identity body is longer than [`BODY_LIMIT`].
    TooLong,
}

/// Removes the codings of a body.
pub(crate) struct Decoder {
    codings: Vec<String>,
    stage: Stage,
    /// The first bytes, kept until there are enough to see whether the body is coded.
    start: Option<Vec<u8>>,
    /// The body as stored, for codings without a magic number, and its first bytes.
    raw: Option<(Box<BodySink>, Vec<u8>)>,
    /// The coded body was found to be invalid, not only to end early.
    invalid: bool,
    outcome: Decoded,
}

const START: usize = 4;
/// How many bytes of a stored body are looked at for text.
const TEXT: usize = 256;

impl Decoder {
    /// A decoder for `codings` (outermost last) with the sink for the identity body.
    pub(crate) fn new(codings: &[String], sink: BodySink) -> Self {
        let unknown = codings.iter().find(|coding| !is_known(coding)).cloned();
        let outcome = unknown.map_or(Decoded::Whole, |coding| Decoded::UnknownCoding { coding });
        let is_coded = !codings.is_empty() && outcome == Decoded::Whole;
        Decoder {
            codings: codings.to_vec(),
            stage: Stage::Sink(Box::new(sink)),
            start: is_coded.then(Vec::new),
            raw: None,
            invalid: false,
            outcome,
        }
    }

    /// The next bytes of the coded body.
    pub(crate) fn feed(&mut self, piece: &[u8]) {
        if let Some(start) = &mut self.start {
            start.extend_from_slice(piece);
            if start.len() >= START {
                self.decide();
            }
        } else {
            self.pass(piece);
        }
    }

    fn pass(&mut self, piece: &[u8]) {
        if let Some((raw, first)) = &mut self.raw {
            // Hashing cannot fail below the limit of u64.
            let _ = raw.write(piece);
            first.extend_from_slice(&piece[..piece.len().min(TEXT.saturating_sub(first.len()))]);
        }
        if self.outcome != Decoded::Whole && !matches!(self.outcome, Decoded::HeaderLies { .. }) {
            // The decoded body stays unknown; the raw copy may still be used.
            return;
        }
        if let Err(error) = self.stage.write_all(piece) {
            self.fail(&error);
        }
    }

    fn fail(&mut self, error: &io::Error) {
        self.outcome = if error.kind() == io::ErrorKind::FileTooLarge {
            Decoded::TooLong
        } else {
            self.invalid = true;
            Decoded::Damaged { cause: error.to_string() }
        };
    }

    /// Checks from the first bytes whether the body is coded as the header says.
    fn decide(&mut self) {
        let start = self.start.take().unwrap_or_default();
        let outermost = self.codings.last().map(String::as_str).unwrap_or_default();
        if start.is_empty() {
            // An empty body is an empty body, whatever the header says (HEAD, 304).
            return;
        }
        if !starts_as(outermost, &start) {
            self.outcome = Decoded::HeaderLies { coding: outermost.to_owned() };
        } else {
            if let Stage::Sink(sink) = &mut self.stage {
                sink.limit = BODY_LIMIT;
            }
            if matches!(outermost, "br" | "deflate" | "x-deflate") && self.codings.len() == 1 {
                self.raw = Some((Box::new(BodySink::new(None)), Vec::new()));
            }
            self.build(&start);
        }
        self.pass(&start);
    }

    fn build(&mut self, start: &[u8]) {
        let outermost = self.codings.len() - 1;
        for (place, coding) in self.codings.iter().enumerate() {
            let next = std::mem::replace(&mut self.stage, Stage::Taken);
            self.stage = match coding.as_str() {
                "gzip" | "x-gzip" => Stage::Gzip(Box::new(Gunzip::new(next))),
                "br" => Stage::Brotli(Box::new(DecompressorWriter::new(next, 64 << 10))),
                "zstd" => match zstd::stream::raw::Decoder::new() {
                    Ok(decoder) => Stage::Zstd(Box::new(zstd::stream::zio::Writer::new(next, decoder))),
                    Err(_) => Stage::Taken,
                },
                // "deflate" is zlib by the standard and raw deflate by habit.
                _ => {
                    let zlib = place != outermost || is_zlib(start);
                    Stage::Inflate(Box::new(Inflate::new(zlib, next)))
                }
            };
        }
    }

    /// Ends the body. The sink has the identity body if the outcome is [`Decoded::Whole`] or [`Decoded::HeaderLies`].
    pub(crate) fn finish(mut self) -> (Option<Box<BodySink>>, Decoded) {
        if self.start.is_some() {
            self.decide();
        }
        let (sink, ended) = self.stage.finish();
        if let (Err(error), Decoded::Whole) = (ended, &self.outcome) {
            self.outcome = Decoded::Damaged { cause: error.to_string() };
        }
        match (self.outcome, self.raw) {
            // Without a magic number only text shows that the header was wrong. Else a stream that merely ends early is cut;
            // of one that fails before any output nothing is known.
            (Decoded::Damaged { cause }, Some((raw, first)))
                if sink.as_ref().is_none_or(|sink| sink.length == 0) =>
            {
                let coding = self.codings.pop().unwrap_or_default();
                if is_text(&first) {
                    (Some(raw), Decoded::HeaderLies { coding })
                } else if self.invalid {
                    (sink, Decoded::Undecodable { coding })
                } else {
                    (sink, Decoded::Damaged { cause })
                }
            }
            (outcome, _) => (sink, outcome),
        }
    }
}

/// Whether a content coding can be removed.
pub(crate) fn is_known(coding: &str) -> bool {
    matches!(coding, "gzip" | "x-gzip" | "deflate" | "x-deflate" | "br" | "zstd")
}

fn is_zlib(start: &[u8]) -> bool {
    start.len() >= 2
        && start[0] & 0x0f == 8
        && (u32::from(start[0]) * 256 + u32::from(start[1])).is_multiple_of(31)
}

/// Whether bytes are text: without control characters, as coded data never is for long; a few bytes show nothing. Text that is
/// not UTF-8 has to be longer.
fn is_text(bytes: &[u8]) -> bool {
    let valid = match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    let is_control = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c);
    bytes.len() >= if valid { 8 } else { 128 } && !bytes.iter().any(is_control)
}

/// Whether a body can start like this under a coding; one that is cut within the magic number can.
fn starts_as(coding: &str, start: &[u8]) -> bool {
    let magic = |magic: &[u8]| start.iter().zip(magic).all(|(byte, wanted)| byte == wanted);
    match coding {
        "gzip" | "x-gzip" => magic(&[0x1f, 0x8b]),
        "zstd" if start.len() < START => magic(&[0x28, 0xb5, 0x2f, 0xfd]),
        "zstd" => super::zst::is_frame(start),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gzip(data: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(data).unwrap();
        encoder.finish().unwrap()
    }

    fn decode(codings: &[&str], body: &[u8], step: usize) -> (Option<BodyDigest>, Decoded) {
        let codings: Vec<String> = codings.iter().map(|coding| (*coding).to_owned()).collect();
        let mut decoder = Decoder::new(&codings, BodySink::new(None));
        for piece in body.chunks(step) {
            decoder.feed(piece);
        }
        let (sink, outcome) = decoder.finish();
        (sink.map(|sink| sink.digest()), outcome)
    }

    fn digest(data: &[u8]) -> Option<BodyDigest> {
        Some(BodyDigest(*blake3::hash(data).as_bytes()))
    }

    #[test]
    fn every_coding_and_stack_of_codings_is_removed_at_any_split() {
        let text = b"sharp pages stay as they are; ".repeat(50);
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        zlib.write_all(&text).unwrap();
        let zlib = zlib.finish().unwrap();
        let mut raw = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
        raw.write_all(&text).unwrap();
        let raw = raw.finish().unwrap();
        let zstd = zstd::encode_all(&text[..], 1).unwrap();
        for (codings, body) in [
            (&["gzip"][..], gzip(&text)),
            (&["deflate"], zlib),
            (&["deflate"], raw),
            (&["zstd"], zstd.clone()),
            (&["zstd", "gzip"], gzip(&zstd)),
            (&["gzip", "gzip"], gzip(&gzip(&text))),
            (&[], text.clone()),
        ] {
            for step in [1, 2, 3, 5, 100, 100_000] {
                assert_eq!(
                    decode(codings, &body, step),
                    (digest(&text), Decoded::Whole),
                    "{codings:?} by {step}"
                );
            }
        }
    }

    #[test]
    fn bytes_after_a_gzip_body_are_padding_unless_they_are_a_member() {
        for padding in [&b"\0\0\0"[..], b"\x1f", b"\x1f\x1f", b"junk that is longer"] {
            let body = [gzip(b"one"), gzip(b"two"), padding.to_vec()].concat();
            for step in [1, 2, 7, 1000] {
                let found = decode(&["gzip"], &body, step);
                assert_eq!(found, (digest(b"onetwo"), Decoded::Whole), "{padding:?} by {step}");
            }
        }
    }

    #[test]
    fn brotli_is_removed() {
        // One uncompressed meta-block (RFC 7932, section 9.2) with "abc", then the last, empty one.
        let body = [0x21, 0x08, 0x00, 0x04, b'a', b'b', b'c', 0x03];
        for step in 1..9 {
            let (found, outcome) = decode(&["br"], &body, step);
            assert_eq!((found, outcome), (digest(b"abc"), Decoded::Whole), "{step}");
        }
    }

    #[test]
    fn a_wrong_header_leaves_the_body_as_stored() {
        let text = b"<html>plain</html>";
        for coding in ["gzip", "zstd", "br", "deflate"] {
            for step in [1, 100] {
                let lies = Decoded::HeaderLies { coding: coding.to_owned() };
                assert_eq!(decode(&[coding], text, step), (digest(text), lies), "{coding}");
            }
        }
        assert_eq!(decode(&["gzip"], b"", 1), (digest(b""), Decoded::Whole));
    }

    #[test]
    fn a_wrong_header_is_known_by_text_of_other_charsets_too() {
        let latin = b"\xe9t\xe9 comme hiver ".repeat(20);
        let lies = Decoded::HeaderLies { coding: "br".to_owned() };
        assert_eq!(decode(&["br"], &latin, 100), (digest(&latin), lies));
    }

    #[test]
    fn what_cannot_be_decoded_and_is_no_text_is_unknown() {
        // A window of a size that brotli keeps for later (RFC 7932, section 9.1); a block of a type that deflate does not have.
        for (coding, body) in [("br", [0x11, 0xff, 0, 0xff, 0, 1, 2, 3]), ("deflate", [0xff; 8])] {
            for step in [1, 100] {
                let (_, outcome) = decode(&[coding], &body, step);
                assert_eq!(outcome, Decoded::Undecodable { coding: coding.to_owned() }, "by {step}");
            }
        }
    }

    #[test]
    fn a_coded_body_that_ends_early_anywhere_is_damaged() {
        let text: Vec<u8> =
            (0..600u32).flat_map(|n| format!("{:x} ", n.wrapping_mul(0x9e37_79b1)).into_bytes()).collect();
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        zlib.write_all(&text).unwrap();
        let mut raw = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
        raw.write_all(&text).unwrap();
        // One uncompressed meta-block of 256 bytes, then the last, empty one.
        let brotli = [&[0xf0, 0x0f, 0x10][..], &text[..256], &[0x03]].concat();
        assert_eq!(decode(&["br"], &brotli, 100), (digest(&text[..256]), Decoded::Whole));
        for (coding, body) in [
            ("gzip", gzip(&text)),
            ("deflate", zlib.finish().unwrap()),
            ("deflate", raw.finish().unwrap()),
            ("zstd", zstd::encode_all(&text[..], 3).unwrap()),
            ("br", brotli),
        ] {
            for end in 1..body.len() {
                let (_, outcome) = decode(&[coding], &body[..end], 64);
                assert!(matches!(outcome, Decoded::Damaged { .. }), "{coding} cut at {end}: {outcome:?}");
            }
        }
    }

    #[test]
    fn damage_and_unknown_codings_are_named() {
        let mut body = gzip(&b"some text that is long enough to be cut".repeat(9));
        body.truncate(body.len() - 12);
        assert!(matches!(decode(&["gzip"], &body, 10).1, Decoded::Damaged { .. }));
        assert!(matches!(decode(&["sdch"], b"abc", 10).1, Decoded::UnknownCoding { .. }));
    }
}
