//! Packs a WARC file, its index and its pages into a WACZ package (WACZ 1.1.1), which pywb and replayweb.page open.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use serde_json::json;

use crate::archive::cdx::CdxjLine;
use crate::archive::source::base_name;
use crate::archive::zip_writer::{Stored, ZipWriter};
use crate::capture::page::is_html;
use crate::capture::{Kind, Observation};
use crate::digest::{Algorithm, Hasher};
use crate::time::Instant;
use crate::url::Canon;

/// A line of the index.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Indexed {
    pub key: String,
    pub time: Instant,
    pub offset: u64,
    pub length: u64,
    pub url: String,
    pub mime: Option<String>,
    pub status: Option<u16>,
    pub digest: Option<String>,
    pub is_page: bool,
}

impl Indexed {
    /// The line of a capture; its place is filled in when it is written.
    pub(crate) fn of(capture: &Observation, time: Instant) -> Self {
        let is_html = capture.mime.as_deref().is_some_and(is_html);
        let is_revisit = capture.kind == Kind::Revisit;
        Indexed {
            key: Canon::Default.key(&capture.url),
            url: capture.url.clone(),
            time,
            offset: 0,
            length: 0,
            mime: if is_revisit { Some("warc/revisit".to_owned()) } else { capture.mime.clone() },
            status: capture.status,
            digest: capture.declared.as_ref().map(ToString::to_string),
            is_page: is_html && !is_revisit && capture.status.is_none_or(|status| status == 200),
        }
    }
}

/// The index as CDXJ, sorted by key and time.
pub(crate) fn cdxj(mut lines: Vec<Indexed>, filename: &str) -> io::Result<String> {
    lines.sort();
    let mut text = Vec::new();
    for line in &lines {
        let line = CdxjLine {
            key: &line.key,
            time: line.time,
            url: &line.url,
            mime: line.mime.as_deref(),
            status: line.status.map(|status| status.to_string()),
            digest: line.digest.as_deref().map(Cow::Borrowed),
            length: Some(line.length.to_string()),
            offset: Some(line.offset.to_string()),
            filename,
            method: None,
        };
        line.write(&mut text)?;
    }
    String::from_utf8(text).map_err(io::Error::other)
}

/// Takes captures out that say "not modified", where another capture of their address is there: replayweb.page answers with the
/// empty 304 itself, so pages would stay blank. The records are in the archive all the same.
pub(crate) fn leave_out_not_modified(lines: &mut Vec<Indexed>) -> Vec<Indexed> {
    let is_empty = |line: &Indexed| line.status == Some(304);
    let held: HashSet<String> =
        lines.iter().filter(|line| !is_empty(line)).map(|line| line.key.clone()).collect();
    let (kept, left_out) =
        std::mem::take(lines).into_iter().partition(|line| !is_empty(line) || !held.contains(&line.key));
    *lines = kept;
    left_out
}

/// The list of pages.
pub(crate) fn pages(lines: &[Indexed]) -> String {
    let mut text = json!({"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}).to_string();
    text.push('\n');
    for (number, line) in lines.iter().filter(|line| line.is_page).enumerate() {
        let page = json!({"id": format!("{number}"), "url": line.url, "ts": line.time.to_string()});
        text.push_str(&format!("{page}\n"));
    }
    text
}

/// Length, checksum and hash of a part.
fn measure(part: &mut dyn Read) -> io::Result<(Stored, String)> {
    let (mut crc, mut sha) = (flate2::Crc::new(), Hasher::new(Algorithm::Sha256));
    let mut buffer = vec![0; 1 << 18];
    let mut length = 0;
    loop {
        let count = part.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        crc.update(&buffer[..count]);
        sha.update(&buffer[..count]);
        length += count as u64;
    }
    Ok((Stored { crc: crc.sum(), length }, format!("sha256:{}", sha.finish().hex())))
}

/// Writes the package. `made` is its date: that of the newest capture, so that the same content gives the same bytes.
pub(crate) fn write(
    out: &mut dyn Write,
    data: &mut File,
    mut lines: Vec<Indexed>,
    title: &str,
    made: Instant,
) -> io::Result<()> {
    const DATA: &str = "data.warc.gz";
    lines.sort();
    let pages = pages(&lines);
    let index = cdxj(lines, DATA)?;
    let mut zip = ZipWriter::new(out);
    let mut resources = Vec::new();
    data.seek(SeekFrom::Start(0))?;
    let (stored, hash) = measure(data)?;
    data.seek(SeekFrom::Start(0))?;
    let mut part = |path: &str, stored: Stored, hash: &str, content: &mut dyn Read| {
        let name = base_name(path);
        if path != "datapackage.json" && path != "datapackage-digest.json" {
            resources.push(json!({"name": name, "path": path, "hash": hash, "bytes": stored.length}));
        }
        zip.store(path, stored, content)
    };
    part(&format!("archive/{DATA}"), stored, &hash, data)?;
    for (path, text) in [("indexes/index.cdx", &index), ("pages/pages.jsonl", &pages)] {
        let (stored, hash) = measure(&mut text.as_bytes())?;
        part(path, stored, &hash, &mut text.as_bytes())?;
    }
    let package = json!({
        "profile": "data-package",
        "wacz_version": "1.1.1",
        "title": title,
        "created": made.to_string(),
        "software": format!("Acuity/{}", env!("CARGO_PKG_VERSION")),
        "resources": resources,
    });
    let package = serde_json::to_string_pretty(&package)?;
    let (stored, hash) = measure(&mut package.as_bytes())?;
    zip.store("datapackage.json", stored, &mut package.as_bytes())?;
    let digest = json!({"path": "datapackage.json", "hash": hash}).to_string();
    let (stored, _) = measure(&mut digest.as_bytes())?;
    zip.store("datapackage-digest.json", stored, &mut digest.as_bytes())?;
    zip.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::testing::look;

    #[test]
    fn captures_that_say_not_modified_are_left_out_where_another_one_is_there() {
        let line = |url: &str, day: &str, status: u16| {
            let capture = look(url, day).status(status).build();
            let time = capture.time.unwrap();
            Indexed::of(&capture, time)
        };
        let mut lines = vec![
            line("http://a.example/both", "2024-01-01", 200),
            line("http://a.example/both", "2024-01-02", 304),
            line("http://a.example/alone", "2024-01-02", 304),
        ];
        let left_out = leave_out_not_modified(&mut lines);
        assert_eq!((left_out.len(), left_out[0].status), (1, Some(304)));
        let left: Vec<_> = lines.iter().map(|line| (&*line.url, line.status)).collect();
        assert_eq!(left, [("http://a.example/both", Some(200)), ("http://a.example/alone", Some(304))]);
    }
}
