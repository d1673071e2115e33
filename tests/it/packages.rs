//! Packages that other projects use as test data, and the one of a known crawl. They are found by `ACUITY_DATA` (default
//! `../shared/data`); what is absent is named and skipped.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use acuity::internals::archive::blob::Blob;
use acuity::internals::archive::wacz::Wacz;

/// The package below the data folder; `None`, said on stderr, where it is absent.
fn open(name: &str) -> Option<Wacz> {
    let folder =
        std::env::var_os("ACUITY_DATA").map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    let path = folder.join(name);
    match File::open(&path) {
        Ok(file) => Some(Wacz::open(Blob::file(file).unwrap()).unwrap()),
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "skipped: {}: {error}", path.display());
            None
        }
    }
}

#[test]
fn sound_packages_have_no_problems() {
    for (name, archives, pages) in [
        ("warcs/webrecorder__py-wacz__valid_example_1.wacz", 1, 1),
        ("warcs/webrecorder__py-wacz__valid_example_2.wacz", 1, 1),
        ("warcs/webrecorder__py-wacz__valid_signed_example_1.wacz", 1, 1),
        ("crawls/condget/siteC.wacz", 1, 0),
    ] {
        let Some(mut wacz) = open(name) else { continue };
        assert_eq!(wacz.problems(), [], "{name}");
        assert_eq!(wacz.check_hashes().unwrap(), [], "{name}");
        let (listed, problems) = wacz.pages().unwrap();
        assert_eq!((listed.len(), problems.len()), (pages, 0), "{name}");
        assert_eq!(wacz.archives().count(), archives, "{name}");
        for entry in wacz.archives() {
            let (blob, problem) = wacz.read(entry).unwrap();
            let head = blob.bytes_at(0, 5).unwrap();
            assert!(problem.is_none() && (head == b"WARC/" || head.starts_with(&[0x1f, 0x8b])), "{name}");
        }
    }
}

#[test]
fn a_package_without_archives_has_none() {
    let Some(mut wacz) = open("warcs/webrecorder__py-wacz__invalid_example_1.wacz") else { return };
    assert_eq!(wacz.archives().count(), 0);
    let problems = wacz.check_hashes().unwrap();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].kind, "wacz-resource-missing");
}
