//! The demo, a small site crawled twice while it changes.

use std::path::Path;

use tempfile::TempDir;

/// A folder with a copy of it.
pub fn demo() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["visit.warc.gz", "revisit.warc.gz"] {
        let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/demo");
        std::fs::copy(demo.join(name), folder.path().join(name)).unwrap();
    }
    folder
}
