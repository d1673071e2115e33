//! Zstandard frames of `.warc.zst` files.
//!
//! One frame per record; a dictionary may be in a skippable frame with magic `0x184D2A5D` at the very start,
//! itself compressed or not (the draft "Use of Zstandard with WARC").

use std::borrow::Cow;
use std::io::{self, Read};

use super::blob::{Blob, BlobReader};
use super::gzip::MEMBER_IN_MEMORY;
use super::window::{Stream, skip};

/// Magic of an ordinary frame.
pub(crate) const FRAME: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Magic of the skippable frame that holds the dictionary.
pub(crate) const DICTIONARY_FRAME: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];
/// Dictionaries larger than this are refused.
const DICTIONARY_LIMIT: u64 = 128 << 20;

/// Whether `bytes` start with a frame of any kind.
pub(crate) fn is_frame(bytes: &[u8]) -> bool {
    bytes.len() >= 4 && (bytes[..4] == FRAME || is_skippable(bytes))
}

fn is_skippable(bytes: &[u8]) -> bool {
    bytes.len() >= 4 && bytes[0] & 0xf0 == 0x50 && bytes[1..4] == DICTIONARY_FRAME[1..]
}

/// The length of a skippable frame that starts `bytes`; `None` for another frame.
pub(crate) fn skippable_length(bytes: &[u8]) -> Option<u64> {
    let size = bytes.get(4..8)?.try_into().ok()?;
    is_skippable(bytes).then(|| 8 + u64::from(u32::from_le_bytes(size)))
}

/// The dictionary at the start of a file, decompressed; `None` if there is none.
pub(crate) fn dictionary(blob: &Blob) -> io::Result<Option<Vec<u8>>> {
    let head = blob.bytes_at(0, 8)?;
    if head.len() < 8 || head[..4] != DICTIONARY_FRAME {
        return Ok(None);
    }
    let length = skippable_length(&head).unwrap_or(8) - 8;
    if length > DICTIONARY_LIMIT {
        return Err(io::Error::other("the zstd dictionary is larger than 128 MiB"));
    }
    let raw = blob.bytes_at(8, length as usize)?;
    if !raw.starts_with(&FRAME) {
        return Ok(Some(raw));
    }
    let mut dictionary = Vec::new();
    zstd::stream::read::Decoder::with_buffer(&raw[..])?
        .take(DICTIONARY_LIMIT)
        .read_to_end(&mut dictionary)?;
    Ok(Some(dictionary))
}

/// A reusable decompressor for frames that fit into memory.
pub(crate) struct FrameInflater {
    context: zstd_safe::DCtx<'static>,
    output: Vec<u8>,
}

impl FrameInflater {
    /// A decompressor with a dictionary (empty: none).
    pub(crate) fn new(dictionary: &[u8]) -> io::Result<Self> {
        let mut context = zstd_safe::DCtx::create();
        context
            .load_dictionary(dictionary)
            .map_err(|code| io::Error::other(zstd_safe::get_error_name(code)))?;
        Ok(FrameInflater { context, output: Vec::new() })
    }

    /// Inflates the frame at the start of `bytes`; returns its compressed length, or `None` if it is damaged,
    /// incomplete, or too big for memory.
    pub(crate) fn inflate(&mut self, bytes: &[u8]) -> Option<usize> {
        let length = zstd_safe::find_frame_compressed_size(bytes).ok()?;
        let frame = bytes.get(..length)?;
        let bound = zstd_safe::get_frame_content_size(frame).ok().flatten();
        let capacity =
            usize::try_from(bound.unwrap_or(1 << 20)).ok().filter(|size| *size <= MEMBER_IN_MEMORY)?;
        self.output.clear();
        self.output.reserve(capacity);
        self.context.decompress(&mut self.output, frame).ok()?;
        Some(length)
    }

    /// The output of the last [`FrameInflater::inflate`].
    pub(crate) fn output(&self) -> &[u8] {
        &self.output
    }
}

/// One frame as a stream.
///
/// The decompressor gets exactly the bytes it asks for, block by block, so that output before damage is never held back.
pub(crate) struct FrameStream<'a> {
    blob: Blob,
    start: u64,
    dictionary: &'a [u8],
    reader: BlobReader,
    context: zstd_safe::DCtx<'static>,
    /// Bytes that the decompressor wants next; 0 when the frame is over.
    wanted: usize,
    input: Vec<u8>,
    /// Bytes of the input already consumed.
    used: usize,
}

/// Minimum bytes that determine the length of a frame's head.
const MIN_HEAD_BYTES: usize = 5;

impl<'a> FrameStream<'a> {
    /// The frame at `start`.
    pub(crate) fn new(blob: &Blob, start: u64, dictionary: &'a [u8]) -> io::Result<Self> {
        Ok(FrameStream {
            blob: blob.clone(),
            start,
            dictionary,
            reader: blob.reader(start),
            context: Self::context(dictionary)?,
            wanted: MIN_HEAD_BYTES,
            input: Vec::new(),
            used: 0,
        })
    }

    fn context(dictionary: &[u8]) -> io::Result<zstd_safe::DCtx<'static>> {
        let mut context = zstd_safe::DCtx::create();
        context.load_dictionary(dictionary).map_err(cause)?;
        Ok(context)
    }
}

fn cause(code: usize) -> io::Error {
    io::Error::other(zstd_safe::get_error_name(code))
}

impl Read for FrameStream<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut produced = 0;
        while produced == 0 && self.wanted > 0 && !out.is_empty() {
            if self.used == self.input.len() {
                self.input.clear();
                self.used = 0;
                (&mut self.reader).take(self.wanted as u64).read_to_end(&mut self.input)?;
            }
            let is_cut = self.input.is_empty();
            let mut input = zstd_safe::InBuffer { src: &self.input, pos: self.used };
            let mut output = zstd_safe::OutBuffer::around(out);
            self.wanted = self.context.decompress_stream(&mut output, &mut input).map_err(cause)?;
            self.used = input.pos();
            produced = output.pos();
            if is_cut && produced == 0 && self.wanted > 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        Ok(produced)
    }
}

impl Stream for FrameStream<'_> {
    fn open(&mut self, position: u64) -> io::Result<()> {
        let blob = self.blob.clone();
        *self = FrameStream::new(&blob, self.start, self.dictionary)?;
        skip(self, position)
    }

    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        Read::read(self, out)
    }

    fn peek(&mut self, _position: u64, _length: usize) -> Option<Cow<'_, [u8]>> {
        None
    }

    fn rewinds(&self) -> u32 {
        16
    }

    fn compressed_position(&self) -> Option<u64> {
        Some(self.reader.position() - (self.input.len() - self.used) as u64)
    }
}
