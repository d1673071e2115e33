//! Hashes that tie a report to the records that its statements rest on.

use crate::at::model::Witness;
use crate::at::reread::{Again, again};
use crate::error::Result;

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
