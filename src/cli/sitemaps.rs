//! Sitemaps: those of the archives, and those that the user gives, plain or gzip. An index leads to the other ones.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::archive::source::base_name;
use crate::drive;
use crate::error::{Error, Result};
use crate::html::sitemap::{Entry, MAX_FILE, is_sitemap, parse};
use crate::ingest::SitemapFile;
use crate::problem::{Level, Problem};

/// The entries of all sitemaps, each with the name of its sitemap, what is trusted most last: captures in the order of their
/// dates, then the files given. Files that are not there or no sitemaps are errors; what is wrong in a text is a problem.
pub(super) fn gather(
    paths: &[PathBuf],
    captured: Vec<SitemapFile>,
    problem: &mut dyn FnMut(Problem) -> io::Result<()>,
) -> Result<Vec<Entry>> {
    let mut entries = drive::captured(captured);
    let name_of = |url: &str| Some(base_name(url.split(['?', '#']).next().unwrap_or(url)).to_owned());
    let given: Vec<Option<String>> =
        paths.iter().map(|path| path.file_name().map(|name| name.to_string_lossy().into_owned())).collect();
    for path in paths {
        let name = path.display().to_string();
        let text = text_of(path)?;
        if !is_sitemap(&text) {
            let message = "the file is not a sitemap: it has neither urlset nor sitemapindex";
            return Err(Error::data(message).at_file(path));
        }
        let sitemap = parse(&text);
        sitemap.problems.into_iter().try_for_each(|found| problem(found.in_file(&name)))?;
        for url in &sitemap.sitemaps {
            if !given.contains(&name_of(url)) {
                let message = format!("the index names {url}, which is not among the given sitemaps");
                let missing = Problem::new(Level::Warning, "sitemap-missing", message).in_file(&name);
                problem(missing.with_remedy("fetch it and give it with --sitemap too"))?;
            }
        }
        entries.extend(drive::named(&name, sitemap.entries));
    }
    Ok(entries)
}

/// The text of a file, unpacked where it is gzip.
pub(super) fn text_of(path: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    open(path)?.take(MAX_FILE).read_to_end(&mut bytes).map_err(|error| Error::from(error).at_file(path))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Opens a file that may be gzip.
pub(super) fn open(path: &Path) -> Result<Box<dyn Read>> {
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
        let entries = gather(&[at("index.xml"), at("1.xml.gz")], vec![], &mut |problem| {
            problems.push(problem);
            Ok(())
        })
        .unwrap();
        assert_eq!(entries.len(), 1);
        assert_eq!(problems.len(), 1);
        assert!(problems[0].message.contains("2.xml"));
        std::fs::write(at("no.xml"), "<html>").unwrap();
        assert!(gather(&[at("no.xml")], vec![], &mut |_| Ok(())).unwrap_err().to_string().contains("no.xml"));
    }
    #[test]
    fn what_is_given_goes_before_what_was_captured_and_later_before_earlier() {
        let captured = |time, freq: &str| SitemapFile {
            url: "https://a.example/sitemap.xml".to_owned(),
            time: crate::time::Instant(time),
            entries: parse(&format!(
                "<urlset><url><loc>https://a.example/</loc><changefreq>{freq}</changefreq></url></urlset>"
            ))
            .entries,
        };
        let entries =
            gather(&[], vec![captured(2, "daily"), captured(1, "yearly")], &mut |_| Ok(())).unwrap();
        let said: Vec<_> = entries.into_iter().filter_map(|entry| entry.change_freq).collect();
        assert_eq!(said, [crate::html::sitemap::ChangeFreq::Yearly, crate::html::sitemap::ChangeFreq::Daily]);
    }
}
