//! Archives of others, found by `ACUITY_DATA` (default `../shared/data`); what is absent is named and skipped.

use std::io::Write;
use std::path::PathBuf;

/// Says something on stderr: tests print nothing else.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// The file or folder below the data folder; `None`, said on stderr, where it is absent.
pub fn data(name: &str) -> Option<PathBuf> {
    let folder =
        std::env::var_os("ACUITY_DATA").map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    let path = folder.join(name);
    if path.exists() {
        return Some(path);
    }
    say(&format!("skipped: {} is absent", path.display()));
    None
}
