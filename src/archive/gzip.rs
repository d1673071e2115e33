//! Gzip members: reads their headers and inflates them whole (libdeflate) or piece by piece (zlib-rs).
//!
//! A member that fits into memory is inflated whole by libdeflate, a third faster than any streaming inflater. A larger
//! or damaged one is streamed through flate2, so that everything before the damage is still read and memory stays
//! bounded.

use std::borrow::Cow;
use std::io::{self, Read};

use flate2::bufread::{GzDecoder, MultiGzDecoder};
use libdeflate_sys as ld;
use memchr::memmem;

use super::blob::{Blob, BlobReader};
use super::window::{Stream, skip};

/// Members that inflate to more than this are streamed.
pub(crate) const MEMBER_IN_MEMORY: usize = 16 << 20;

/// How a whole member was inflated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Inflated {
    /// Success; the output is in [`Inflater::output`].
    Whole {
        /// Compressed length, head and trailer included.
        consumed: usize,
    },
    /// The bytes are damaged or incomplete.
    Bad,
    /// The output is larger than [`MEMBER_IN_MEMORY`].
    TooBig,
}

/// A reusable libdeflate decompressor with its output buffer.
pub(crate) struct Inflater {
    decompressor: std::ptr::NonNull<ld::libdeflate_decompressor>,
    output: Vec<u8>,
    length: usize,
}

// The decompressor is plain memory without thread affinity, owned by this value alone.
unsafe impl Send for Inflater {}

impl Default for Inflater {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Inflater {
    fn drop(&mut self) {
        // SAFETY: allocated by libdeflate_alloc_decompressor in `new` and freed only here.
        unsafe { ld::libdeflate_free_decompressor(self.decompressor.as_ptr()) }
    }
}

impl Inflater {
    /// # Panics
    /// When out of memory, as any allocation does.
    pub(crate) fn new() -> Self {
        // SAFETY: no preconditions; null means out of memory.
        let decompressor = unsafe { ld::libdeflate_alloc_decompressor() };
        let Some(decompressor) = std::ptr::NonNull::new(decompressor) else {
            std::alloc::handle_alloc_error(std::alloc::Layout::new::<[u8; 32 << 10]>())
        };
        Inflater { decompressor, output: vec![0; 256 << 10], length: 0 }
    }

    /// Inflates one member at the start of `input`.
    pub(crate) fn inflate(&mut self, input: &[u8]) -> Inflated {
        self.length = 0;
        loop {
            let (mut consumed, mut produced) = (0, 0);
            // SAFETY: both buffers are valid for the lengths given, and the decompressor is not shared.
            let result = unsafe {
                ld::libdeflate_gzip_decompress_ex(
                    self.decompressor.as_ptr(),
                    input.as_ptr().cast(),
                    input.len(),
                    self.output.as_mut_ptr().cast(),
                    self.output.len(),
                    &raw mut consumed,
                    &raw mut produced,
                )
            };
            match result {
                ld::libdeflate_result_LIBDEFLATE_SUCCESS => {
                    self.length = produced;
                    return Inflated::Whole { consumed };
                }
                ld::libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE => {
                    if self.output.len() >= MEMBER_IN_MEMORY {
                        return Inflated::TooBig;
                    }
                    let length = (self.output.len() * 4).min(MEMBER_IN_MEMORY);
                    self.output.resize(length, 0);
                }
                _ => return Inflated::Bad,
            }
        }
    }

    /// The output of the last [`Inflater::inflate`].
    pub(crate) fn output(&self) -> &[u8] {
        &self.output[..self.length]
    }
}

/// How every gzip member starts: the magic number and the only method there is.
pub(crate) const MAGIC: [u8; 3] = [0x1f, 0x8b, 8];

/// Whether `bytes` can be the start of a gzip member: magic, method, no reserved flag.
pub(crate) fn is_member(bytes: &[u8]) -> bool {
    bytes.len() >= 4 && bytes[..3] == MAGIC && bytes[3] & 0xe0 == 0
}

/// Offset of the first possible member start in `bytes`, from `from` on.
pub(crate) fn find_magic(bytes: &[u8], from: usize) -> Option<usize> {
    memmem::find_iter(bytes.get(from..)?, &MAGIC)
        .map(|at| from + at)
        .find(|at| bytes.len() - at < 4 || is_member(&bytes[*at..]))
}

/// One member, or all of them to the end of the blob, as a stream.
pub(crate) struct GzipStream {
    blob: Blob,
    start: u64,
    decoder: Decoder,
}

enum Decoder {
    One(Box<GzDecoder<BlobReader>>),
    All(Box<MultiGzDecoder<BlobReader>>),
}

impl GzipStream {
    /// Inflates the member at `start` and stops at its end.
    pub(crate) fn member(blob: &Blob, start: u64) -> Self {
        GzipStream {
            blob: blob.clone(),
            start,
            decoder: Decoder::One(Box::new(GzDecoder::new(blob.reader(start)))),
        }
    }

    /// All members from `start` on, as one stream: records may span them.
    pub(crate) fn members(blob: &Blob, start: u64) -> Self {
        GzipStream {
            blob: blob.clone(),
            start,
            decoder: Decoder::All(Box::new(MultiGzDecoder::new(blob.reader(start)))),
        }
    }
}

impl Stream for GzipStream {
    fn open(&mut self, position: u64) -> io::Result<()> {
        *self = match &self.decoder {
            Decoder::One(_) => GzipStream::member(&self.blob, self.start),
            Decoder::All(_) => GzipStream::members(&self.blob, self.start),
        };
        match &mut self.decoder {
            Decoder::One(decoder) => skip(decoder, position),
            Decoder::All(decoder) => skip(decoder, position),
        }
    }

    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match &mut self.decoder {
            Decoder::One(decoder) => decoder.read(out),
            Decoder::All(decoder) => decoder.read(out),
        }
    }

    fn peek(&mut self, _position: u64, _length: usize) -> Option<Cow<'_, [u8]>> {
        None
    }

    fn rewinds(&self) -> u32 {
        16
    }

    fn compressed_position(&self) -> Option<u64> {
        Some(match &self.decoder {
            Decoder::One(decoder) => decoder.get_ref().position(),
            Decoder::All(decoder) => decoder.get_ref().position(),
        })
    }
}
