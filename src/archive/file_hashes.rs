//! Hashes of whole files on the disk, by the names that a report gives them.

use std::io::Read;

use super::source::path_of;
use crate::digest::{Algorithm, Hasher};
use crate::error::{Error, Result};

/// BLAKE3 and SHA-256 of a file.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn file_hashes(path: &str) -> Result<(String, String)> {
    let (mut blake3, mut sha256) = (Hasher::new(Algorithm::Blake3), Hasher::new(Algorithm::Sha256));
    read_through(path, |bytes| {
        blake3.update(bytes);
        sha256.update(bytes);
    })?;
    Ok((blake3.finish().hex(), sha256.finish().hex()))
}

/// BLAKE3 of a file.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn blake3_of(path: &str) -> Result<String> {
    let mut blake3 = Hasher::new(Algorithm::Blake3);
    read_through(path, |bytes| blake3.update(bytes))?;
    Ok(blake3.finish().hex())
}

fn read_through(path: &str, mut each: impl FnMut(&[u8])) -> Result<()> {
    let fault = |error: std::io::Error| Error::from(error).at_file(path);
    let mut file = std::fs::File::open(path_of(path)).map_err(fault)?;
    let mut buffer = vec![0; 1 << 20];
    loop {
        let count = file.read(&mut buffer).map_err(fault)?;
        if count == 0 {
            return Ok(());
        }
        each(&buffer[..count]);
    }
}
