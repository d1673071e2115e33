//! Sitemaps that the user gives: plain or gzip, index files followed to the other files given.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::change::sitemap::{Entry, is_sitemap, parse};
use crate::error::{Error, Result};
use crate::ingest::assemble::SitemapFile;
use crate::problem::{Level, Problem};

/// The protocol allows 50 MB of text.
const LONGEST: u64 = 100 << 20;

/// The entries of all files; problems with their text are handed over, files that are not there are errors.
pub fn read(paths: &[PathBuf], problem: &mut dyn FnMut(Problem) -> io::Result<()>) -> Result<Vec<Entry>> {
    let name_of =
        |url: &str| url.split(['?', '#']).next().unwrap_or(url).rsplit('/').next().map(str::to_owned);
    let given: Vec<Option<String>> =
        paths.iter().map(|path| path.file_name().map(|name| name.to_string_lossy().into_owned())).collect();
    let mut entries = Vec::new();
    for path in paths {
        let name = path.display().to_string();
        let text = text_of(path)?;
        if !is_sitemap(&text) {
            return Err(
                Error::data("the file is no sitemap: it has neither urlset nor sitemapindex").at_file(path)
            );
        }
        let sitemap = parse(&text);
        for found in sitemap.problems {
            problem(found.in_file(&name))?;
        }
        for url in &sitemap.sitemaps {
            if !given.contains(&name_of(url)) {
                let message = format!("the index names {url}, which is not among the given sitemaps");
                let missing = Problem::new(Level::Warning, "sitemap-missing", message).in_file(&name);
                problem(missing.with_remedy("fetch it and give it with --sitemap too"))?;
            }
        }
        entries.extend(sitemap.entries);
    }
    Ok(entries)
}

/// The entries of the sitemaps that an archive holds: of each the last capture counts.
pub fn archived(
    files: &[SitemapFile],
    problem: &mut dyn FnMut(Problem) -> io::Result<()>,
) -> io::Result<Vec<Entry>> {
    let mut last: BTreeMap<&str, &SitemapFile> = BTreeMap::new();
    for file in files {
        let held = last.entry(&file.url).or_insert(file);
        if file.time > held.time {
            *held = file;
        }
    }
    let mut entries = Vec::new();
    for (url, file) in last {
        let mut bytes = Vec::new();
        let mut reader: Box<dyn Read> = if file.body.starts_with(&[0x1f, 0x8b]) {
            Box::new(flate2::read::MultiGzDecoder::new(&file.body[..]))
        } else {
            Box::new(&file.body[..])
        };
        // What was unpacked before damage is still of use.
        let _ = reader.by_ref().take(LONGEST).read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes);
        if is_sitemap(&text) {
            let sitemap = parse(&text);
            for found in sitemap.problems {
                problem(found.in_file(url))?;
            }
            entries.extend(sitemap.entries);
        }
    }
    Ok(entries)
}

/// The text of a file, unpacked where it is gzip.
pub fn text_of(path: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    open(path)?.take(LONGEST).read_to_end(&mut bytes).map_err(|error| Error::from(error).at_file(path))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Opens a file that may be gzip.
pub fn open(path: &Path) -> Result<Box<dyn Read>> {
    let missing = |error: io::Error| Error::usage(error.to_string()).at_file(path);
    let mut magic = [0; 2];
    let gzip = File::open(path).map_err(missing)?.read_exact(&mut magic).is_ok() && magic == [0x1f, 0x8b];
    let file = File::open(path).map_err(missing)?;
    Ok(if gzip { Box::new(flate2::read::MultiGzDecoder::new(file)) } else { Box::new(file) })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn an_index_leads_to_the_other_files_given() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(
            at("index.xml"),
            "<sitemapindex><sitemap><loc>https://a.example/1.xml.gz</loc></sitemap>\
             <sitemap><loc>https://a.example/2.xml</loc></sitemap></sitemapindex>",
        )
        .unwrap();
        let mut gzip =
            flate2::write::GzEncoder::new(File::create(at("1.xml.gz")).unwrap(), Default::default());
        gzip.write_all(b"<urlset><url><loc>https://a.example/p</loc></url></urlset>").unwrap();
        gzip.finish().unwrap();
        let mut problems = Vec::new();
        let entries = read(&[at("index.xml"), at("1.xml.gz")], &mut |problem| {
            problems.push(problem);
            Ok(())
        })
        .unwrap();
        assert_eq!(entries.len(), 1);
        assert_eq!(problems.len(), 1);
        assert!(problems[0].message.contains("2.xml"));
        std::fs::write(at("no.xml"), "<html>").unwrap();
        assert!(read(&[at("no.xml")], &mut |_| Ok(())).unwrap_err().to_string().contains("no.xml"));
    }
}
