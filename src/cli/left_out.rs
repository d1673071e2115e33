//! The traces of archives that could not be read into a collection: they go when the archives are read.

use std::fs;
use std::io;
use std::path::Path;

use glob::{MatchOptions, Pattern};

use crate::archive::collection::{LEFT_OUT, LeftOut, names_in};
use crate::archive::source::{Source, name_of};

/// Removes the trace of an archive that was read.
pub(super) fn remove_trace(folder: &Path, name: &str) -> io::Result<()> {
    remove(&folder.join(LEFT_OUT).join(format!("{name}.json")))
}

/// Removes a file, if it is there.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes the traces of folders that could not be listed and of patterns that matched nothing, where sources of this run come
/// from them.
pub(super) fn clear(folder: &Path, sources: &[Source]) -> io::Result<()> {
    for name in names_in(&folder.join(LEFT_OUT))? {
        let path = folder.join(LEFT_OUT).join(name);
        let Some(trace) = LeftOut::at(&path) else { continue };
        // A trace that was cut does not say what it is about: it goes with the first run that misses nothing.
        if trace.path == name_of(&path) {
            if sources.iter().all(|source| source.fault.is_none()) {
                remove(&path)?;
            }
            continue;
        }
        let origin = Origin::new(&trace.path);
        let is_fault = |source: &Source| source.fault.is_some() && source.name == trace.path;
        if !sources.iter().any(is_fault) && sources.iter().any(|source| origin.has(source)) {
            remove(&path)?;
        }
    }
    Ok(())
}

/// Where sources come from: a folder, or a pattern.
struct Origin<'a> {
    folder: &'a str,
    pattern: Option<Pattern>,
}

impl<'a> Origin<'a> {
    fn new(name: &'a str) -> Self {
        let is_pattern = name.contains(['*', '?', '[']);
        Origin { folder: name, pattern: is_pattern.then(|| Pattern::new(name).ok()).flatten() }
    }

    /// Whether a source that is there comes from here.
    fn has(&self, source: &Source) -> bool {
        let options = MatchOptions { require_literal_separator: true, ..MatchOptions::default() };
        let path = source.path();
        let is_match =
            |pattern: &Pattern| path.ancestors().any(|part| pattern.matches_path_with(part, options));
        source.fault.is_none()
            && (path.parent().is_some_and(|parent| parent.starts_with(self.folder))
                || self.pattern.as_ref().is_some_and(is_match))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_comes_from_its_folders_and_patterns_but_not_from_itself() {
        let source = Source::named("in/sub/a.warc");
        for origin in ["in", "in/sub", "in/", "*/sub/*.warc", "in/s*"] {
            assert!(Origin::new(origin).has(&source), "{origin}");
        }
        for origin in ["in/sub/a.warc", "in/su", "other", "*.arc", "in/sub/a.warc.gz"] {
            assert!(!Origin::new(origin).has(&source), "{origin}");
        }
        let gone = Source { fault: Some("gone".to_owned()), ..source };
        assert!(!Origin::new("in").has(&gone));
    }
}
