//! Hashes that tie a report to files: of every input, and of every record that a statement rests on.

use std::io::Read;

use crate::archive::source::path_of;
use crate::at::model::Witness;
use crate::at::reread::{Again, again};
use crate::digest::{Algorithm, Digest, Hasher};
use crate::error::{Error, Result};

/// The hexadecimal digits of a digest.
pub(crate) fn hex(digest: &Digest) -> String {
    digest.bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// SHA-256 of some bytes, in hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    let mut hasher = Hasher::new(Algorithm::Sha256);
    hasher.update(bytes);
    hex(&hasher.finish())
}

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
    Ok((hex(&blake3.finish()), hex(&sha256.finish())))
}

/// BLAKE3 of a file.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn blake3_of(path: &str) -> Result<String> {
    let mut blake3 = Hasher::new(Algorithm::Blake3);
    read_through(path, |bytes| blake3.update(bytes))?;
    Ok(hex(&blake3.finish()))
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

/// Adds the hashes of records that a report names.
///
/// # Errors
/// When a file cannot be read any longer.
pub(crate) fn seal(witnesses: &mut [&mut Witness]) -> Result<()> {
    let found = again(&witnesses.iter().map(|witness| &**witness).collect::<Vec<&Witness>>(), None);
    for (witness, found) in witnesses.iter_mut().zip(found) {
        witness.record_sha256 = match found? {
            Again::Record(seen) => Some(seen.sha256),
            Again::Indexed | Again::Lost => None,
        };
    }
    Ok(())
}
