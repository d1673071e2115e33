//! The files that records are copied from.

use std::io::{self, BufWriter, Read, Write};

use crate::archive::blob::Blob;
use crate::archive::members::{Depth, Members, Tools, walk_plain, walk_zstd};
use crate::archive::sniff::{Compression, sniff};
use crate::archive::walk::Visitor;
use crate::archive::{temporary, zst};
use crate::ingest::fetch::open;

/// A file, opened.
#[derive(Debug, Clone)]
pub(crate) struct Opened {
    pub blob: Blob,
    pub compression: Compression,
}

/// Copies into a temporary file; what cannot be read is not blamed on the file.
fn pour(from: &mut dyn Read, to: &mut dyn Write) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 17];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => temporary::named(to.write_all(&buffer[..count]))?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

impl Opened {
    /// Opens a file, or the entry of a package.
    pub(crate) fn new(name: &str) -> io::Result<Self> {
        let blob = open(name)?;
        let (compression, _) = sniff(&blob)?;
        Ok(Opened { blob, compression })
    }

    /// The same records uncompressed, in a temporary file: a record that shares its member with others cannot be copied as it is.
    pub(crate) fn unpack(&self) -> io::Result<Self> {
        self.unpacked(false)
    }

    /// The same of a damaged file, as far as it can be read.
    pub(crate) fn unpack_so_far(&self) -> io::Result<Self> {
        self.unpacked(true)
    }

    fn unpacked(&self, is_lenient: bool) -> io::Result<Self> {
        let mut writer = BufWriter::with_capacity(1 << 20, temporary::file()?);
        let reader = self.blob.reader(0);
        match self.compression {
            Compression::None => return Ok(self.clone()),
            Compression::Gzip => {
                let poured = pour(&mut flate2::read::MultiGzDecoder::new(reader), &mut writer);
                poured.or_else(|error| if is_lenient { Ok(()) } else { Err(error) })?;
            }
            Compression::Zstd => {
                let dictionary = zst::dictionary(&self.blob)?.unwrap_or_default();
                let reader = io::BufReader::with_capacity(1 << 17, reader);
                let mut decoder = zstd::stream::read::Decoder::with_dictionary(reader, &dictionary)?;
                let poured = pour(&mut decoder, &mut writer);
                poured.or_else(|error| if is_lenient { Ok(()) } else { Err(error) })?;
            }
        }
        temporary::named(writer.flush())?;
        let file = writer.into_inner().map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Opened { blob: Blob::file(file)?, compression: Compression::None })
    }

    /// Walks over all records.
    pub(crate) fn walk<V: Visitor>(&self, depth: Depth, visitor: &mut V) -> io::Result<()> {
        let mut tools = Tools::default();
        match self.compression {
            Compression::Gzip => {
                Members::new(&self.blob, 0, self.blob.len(), &mut tools).walk(0, depth, visitor)?;
            }
            Compression::Zstd => walk_zstd(&self.blob, &mut tools, visitor)?,
            Compression::None => walk_plain(&self.blob, &mut tools, visitor),
        }
        Ok(())
    }
}
