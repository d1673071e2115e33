//! Generated files that are committed: compared, or rewritten with `ACUITY_BLESS=1`.

use std::fs;
use std::path::Path;

/// Whether committed files are to be written anew.
pub fn is_blessing() -> bool {
    std::env::var_os("ACUITY_BLESS").is_some_and(|value| value == "1")
}

/// Asserts that the file at `path` holds these bytes; writes it when blessing. Returns what is wrong.
pub fn settle(path: &Path, bytes: &[u8]) -> Option<String> {
    if fs::read(path).is_ok_and(|committed| committed == bytes) {
        return None;
    }
    if is_blessing() {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).unwrap();
        }
        fs::write(path, bytes).unwrap();
        return None;
    }
    Some(format!(
        "{} is not what the generator makes; run with ACUITY_BLESS=1 and look at the difference",
        path.display()
    ))
}

/// Files in `folder` (and below) that are not among `known`: left over from cases that are gone. Removed when blessing.
pub fn strangers(folder: &Path, known: &dyn Fn(&Path) -> bool) -> Vec<String> {
    let mut strangers = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return strangers };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            strangers.extend(self::strangers(&path, known));
        } else if !known(&path) {
            if is_blessing() {
                fs::remove_file(&path).unwrap();
            } else {
                strangers.push(format!("{} belongs to no case", path.display()));
            }
        }
    }
    strangers
}
