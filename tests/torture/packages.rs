//! WACZ packages and lists of them.

use crate::case::cases;
use crate::containers::three;
use crate::support::digests::sha256_hex;
use crate::support::pack::members;
use crate::support::record::Record;
use crate::support::zip::zip;

const PAGES: &[u8] = b"{\"format\": \"json-pages-1.0\", \"id\": \"pages\", \"title\": \"All Pages\"}\n{\"url\": \"http://first.example/\", \"ts\": \"2020-02-03T04:05:06Z\", \"title\": \"First\"}\n";

fn description(resources: &[(&str, &[u8])], more: &str) -> String {
    let resources: Vec<String> = resources
        .iter()
        .map(|(path, bytes)| {
            format!(
                "{{\"name\": \"x\", \"path\": \"{path}\", \"hash\": \"sha256:{}\", \"bytes\": {}}}",
                sha256_hex(bytes),
                bytes.len()
            )
        })
        .collect();
    format!(
        "{{\"profile\": \"data-package\", \"wacz_version\": \"1.1.1\", \"resources\": [{}]{more}}}",
        resources.join(", ")
    )
}

/// A package with one archive.
fn package(name: &str, archive: &[u8], is_deflated: bool) -> Vec<u8> {
    let description = description(&[(name, archive), ("pages/pages.jsonl", PAGES)], "");
    zip(&[
        (name, archive, is_deflated),
        ("pages/pages.jsonl", PAGES, true),
        ("datapackage.json", description.as_bytes(), true),
    ])
}

fn archive() -> Vec<u8> {
    members(&three())
}

fn other() -> Vec<u8> {
    members(&[Record::page(7, "http://other.example/", "2020-02-03T04:05:06Z", "<p>other</p>").bytes()])
}

cases! {
    /// A WACZ with its WARC stored, as the standard wants it: read in place.
    fn wacz_stored(".wacz") { package("archive/data.warc.gz", &archive(), false) }

    /// A WACZ with its WARC deflated.
    fn wacz_deflated(".wacz") { package("archive/data.warc.gz", &archive(), true) }

    /// A WACZ with a plain, uncompressed WARC.
    fn wacz_plain_warc(".wacz") { package("archive/data.warc", &three().concat(), false) }

    /// The declared hash differs from that of the bytes; js-wacz records wrong ones (js-wacz#127), so that it differs is all that is said.
    fn wacz_hash_differs(".wacz") {
        let description = description(&[("archive/data.warc.gz", b"something else")], "");
        zip(&[("archive/data.warc.gz", &archive(), false), ("datapackage.json", description.as_bytes(), false)])
    }

    /// A WACZ without datapackage.json.
    fn wacz_without_description(".wacz") { zip(&[("archive/data.warc.gz", &archive(), false)]) }

    /// Names that lead out of the package: nothing is ever written or read by them.
    fn wacz_evil_names(".wacz") {
        zip(&[("../../../../tmp/evil.warc.gz", &other(), false), ("/etc/passwd", b"root", false), ("archive/../../evil.warc.gz", &other(), false), ("archive/data.warc.gz", &archive(), false)])
    }

    /// The package is cut: its directory, which stands at the end, is gone.
    fn wacz_truncated(".wacz") {
        let mut bytes = package("archive/data.warc.gz", &archive(), false);
        bytes.truncate(1000);
        bytes
    }

    /// An entry whose bytes do not have the checksum of the zip directory.
    fn wacz_damaged_entry(".wacz") {
        let mut bytes = package("archive/data.warc.gz", &archive(), true);
        bytes[300] ^= 0xff;
        bytes
    }

    /// Revisits need another package that is not among the inputs (P12, browsertrix#3172).
    fn wacz_requires(".wacz") {
        let more = ", \"relation\": {\"requires\": [{\"filename\": \"crawl-1.wacz\", \"hash\": \"sha256:00\", \"size\": 1, \"crawlId\": \"crawl-1\"}]}";
        let description = description(&[("archive/data.warc.gz", &archive())], more);
        zip(&[("archive/data.warc.gz", &archive(), false), ("datapackage.json", description.as_bytes(), false)])
    }

    /// A zip file that is not a package.
    fn zip_of_something(".wacz") { zip(&[("word/document.xml", b"<w:document/>", true)]) }

    /// A multi-WACZ list beside its packages, in one folder: each is read once.
    fn multi_wacz("") {
        let list = "{\"profile\": \"multi-wacz-package\", \"resources\": [{\"name\": \"a\", \"path\": \"a.wacz\"}, {\"name\": \"b\", \"path\": \"b.wacz\"}]}";
        vec![("a.wacz", package("archive/data.warc.gz", &archive(), false)), ("b.wacz", package("archive/data.warc.gz", &other(), false)), ("list.json", list.as_bytes().to_vec())]
    }

    /// A list that names itself, a package outside of its folder, one on the web and one that is not there.
    fn multi_wacz_evil("") {
        let path = |path: &str| format!("{{\"name\": \"x\", \"path\": \"{path}\"}}");
        let list = format!("{{\"profile\": \"multi-wacz-package\", \"resources\": [{}, {}, {}, {}]}}", path("list.wacz"), path("../wacz-stored.wacz"), path("https://example.com/x.wacz"), path("gone.wacz"));
        vec![("list.wacz", list.into_bytes())]
    }

    /// Two lists that name each other.
    fn multi_wacz_circle("") {
        let list = |name: &str| format!("{{\"profile\": \"multi-wacz-package\", \"resources\": [{{\"name\": \"x\", \"path\": \"{name}\"}}]}}").into_bytes();
        vec![("one.wacz", list("two.wacz")), ("two.wacz", list("one.wacz"))]
    }
}
