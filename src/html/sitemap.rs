//! Sitemaps: what a site declares about how often its pages change.
//!
//! `changefreq` becomes a rate, `lastmod` a change at a known instant, `priority` a weight. Index files name further
//! sitemaps. The text is hostile: entities are never expanded (only the five of XML and character references), nothing
//! nests, and numbers and lengths are bounded.
//!
//! Which sitemap lists a page matters too: site owners divide their sites by them, and the pages of one sitemap are a subsite
//! that belongs together.
//!
//! Source: sitemaps.org protocol 0.9; Denev, Mazeika, Spaniol, Weikum: The SHARC framework for data quality in Web
//! archiving, VLDB Journal 2011, section 8 (subsites and rates from sitemaps).

use std::io::Read;
use std::sync::Arc;

use quick_xml::Reader;
use quick_xml::events::Event;
use serde::{Deserialize, Serialize};

use crate::problem::{Level, Problem};
use crate::time::{Dated, Instant};

/// Maximum number of entries read per file; the protocol allows 50,000.
pub(crate) const MAX_ENTRIES: usize = 200_000;
/// Maximum bytes of URLs kept per file, so that its entries fit into a line of an index.
pub(crate) const MAX_URLS: usize = 16 << 20;
/// Maximum bytes of text per file; the protocol allows 50 MB.
pub(crate) const MAX_FILE: u64 = 100 << 20;
/// Maximum bytes of text per element; the protocol allows URLs of 2,048 characters.
const MAX_TEXT: usize = 8192;

/// How often a page changes, as the site declares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeFreq {
    /// At every access: taken as every ten minutes.
    Always,
    /// Once an hour.
    Hourly,
    /// Once a day.
    Daily,
    /// Once a week.
    Weekly,
    /// Once in 30 days.
    Monthly,
    /// Once in 365 days.
    Yearly,
    /// An archived page: taken as once in ten years, because a rate of 0 would never be revised.
    Never,
}

impl ChangeFreq {
    /// The protocol's keyword.
    pub fn parse(word: &str) -> Option<Self> {
        let is = |known: &str| word.trim().eq_ignore_ascii_case(known);
        Some(match () {
            () if is("always") => ChangeFreq::Always,
            () if is("hourly") => ChangeFreq::Hourly,
            () if is("daily") => ChangeFreq::Daily,
            () if is("weekly") => ChangeFreq::Weekly,
            () if is("monthly") => ChangeFreq::Monthly,
            () if is("yearly") => ChangeFreq::Yearly,
            () if is("never") => ChangeFreq::Never,
            () => return None,
        })
    }

    /// Changes per second.
    pub fn per_second(self) -> f64 {
        const DAY: f64 = 86_400.0;
        match self {
            ChangeFreq::Always => 1.0 / 600.0,
            ChangeFreq::Hourly => 1.0 / 3600.0,
            ChangeFreq::Daily => 1.0 / DAY,
            ChangeFreq::Weekly => 1.0 / (7.0 * DAY),
            ChangeFreq::Monthly => 1.0 / (30.0 * DAY),
            ChangeFreq::Yearly => 1.0 / (365.0 * DAY),
            ChangeFreq::Never => 1.0 / (3650.0 * DAY),
        }
    }
}

/// One page of a sitemap.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// `loc`.
    pub url: String,
    /// `lastmod`, the earliest instant it can mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<Instant>,
    /// `changefreq`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change_freq: Option<ChangeFreq>,
    /// `priority`, between 0 and 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<f64>,
    /// The sitemap that lists it: its URL, or the name of a file given by the user.
    #[serde(skip)]
    pub sitemap: Option<Arc<str>>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Sitemap {
    pub entries: Vec<Entry>,
    /// Further sitemaps named by an index file.
    pub sitemaps: Vec<String>,
    /// Parts that could not be read.
    pub problems: Vec<Problem>,
}

/// Whether a text looks like a sitemap or an index of sitemaps.
pub(crate) fn is_sitemap(text: &str) -> bool {
    let start: String = text.chars().take(2048).collect();
    start.contains("<urlset") || start.contains("<sitemapindex")
}

/// Reads the bytes of a file, plain or gzip; `None` if it is not a sitemap.
pub(crate) fn read(bytes: &[u8]) -> Option<Sitemap> {
    let mut unpacked = Vec::new();
    let text = if bytes.starts_with(&[0x1f, 0x8b]) {
        // Use whatever a damaged file still gives; the XML shows where it ends.
        let _ = flate2::read::MultiGzDecoder::new(bytes).take(MAX_FILE).read_to_end(&mut unpacked);
        String::from_utf8_lossy(&unpacked)
    } else {
        String::from_utf8_lossy(bytes)
    };
    is_sitemap(&text).then(|| parse(&text))
}

/// Reads a sitemap or an index of sitemaps, as far as it can be read.
pub(crate) fn parse(text: &str) -> Sitemap {
    let mut sitemap = Sitemap::default();
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    // Broken nesting is common; only the four elements inside an entry matter.
    (config.check_end_names, config.allow_unmatched_ends, config.allow_dangling_amp) = (false, true, true);
    let mut entry = Entry::default();
    let mut in_index = false;
    let mut urls = 0;
    let mut value = String::new();
    loop {
        match reader.read_event() {
            Ok(Event::Start(start)) => {
                match start.local_name().as_ref() {
                    "url" => (entry, in_index) = (Entry::default(), false),
                    "sitemap" => (entry, in_index) = (Entry::default(), true),
                    _ => {}
                }
                value.clear();
            }
            Ok(Event::Text(text)) => push(&mut value, &text.xml10_content()),
            Ok(Event::CData(text)) => push(&mut value, &text.xml10_content()),
            Ok(Event::GeneralRef(reference)) => match reference.resolve_char_ref() {
                Ok(Some(character)) => push(&mut value, character.encode_utf8(&mut [0; 4])),
                _ => push(&mut value, predefined(&reference)),
            },
            Ok(Event::End(end)) => {
                let text = value.trim();
                match end.local_name().as_ref() {
                    // Line breaks inside URLs are ignored, as everywhere.
                    "loc" => entry.url = text.chars().filter(|c| !c.is_control()).collect(),
                    "lastmod" => entry.last_modified = Dated::parse(text).map(|dated| dated.instant),
                    "changefreq" => entry.change_freq = ChangeFreq::parse(text),
                    "priority" => {
                        entry.priority = text.parse().ok().filter(|value| (0.0..=1.0).contains(value));
                    }
                    "url" | "sitemap" if !entry.url.is_empty() => {
                        let entry = std::mem::take(&mut entry);
                        urls += entry.url.len();
                        if in_index {
                            sitemap.sitemaps.push(entry.url);
                        } else {
                            sitemap.entries.push(entry);
                        }
                    }
                    _ => {}
                }
                value.clear();
            }
            Ok(Event::Eof) => break,
            Ok(_) => {}
            Err(error) => {
                let message = format!("the sitemap cannot be read to its end: {error}");
                sitemap.problems.push(Problem::new(Level::Warning, "sitemap-damaged", message));
                break;
            }
        }
        let entries = sitemap.entries.len() + sitemap.sitemaps.len();
        if entries >= MAX_ENTRIES || urls >= MAX_URLS {
            let message = format!("only the first {entries} entries of the sitemap were read");
            sitemap.problems.push(Problem::new(Level::Warning, "sitemap-too-long", message));
            break;
        }
    }
    sitemap
}

fn push(value: &mut String, text: &str) {
    let room = MAX_TEXT.saturating_sub(value.len());
    let end = (0..=room.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    value.push_str(&text[..end]);
}

pub(super) fn predefined(name: &str) -> &'static str {
    match name {
        "amp" => "&",
        "lt" => "<",
        "gt" => ">",
        "quot" => "\"",
        "apos" => "'",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_with_all_they_say() {
        let sitemap = parse(
            "<?xml version='1.0' encoding='UTF-8'?>\n<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>
             <url><loc> https://a.example/?x=1&amp;y=&#50; </loc><lastmod>2005-01-01</lastmod>
             <changefreq>Monthly</changefreq><priority>0.8</priority></url>
             <url><loc><![CDATA[https://a.example/b]]></loc><priority>7</priority></url><url></url></urlset>",
        );
        assert_eq!(
            sitemap.entries[0],
            Entry {
                url: "https://a.example/?x=1&y=2".into(),
                last_modified: Instant::from_ymd(2005, 1, 1),
                change_freq: Some(ChangeFreq::Monthly),
                priority: Some(0.8),
                sitemap: None,
            }
        );
        assert_eq!(sitemap.entries[1], Entry { url: "https://a.example/b".into(), ..Entry::default() });
        assert_eq!((sitemap.entries.len(), sitemap.problems.len()), (2, 0));
    }

    #[test]
    fn an_index_names_further_sitemaps() {
        let sitemap = parse(
            "<sitemapindex><sitemap><loc>https://a.example/1.xml</loc><lastmod>2024-01-01</lastmod></sitemap>
             <sitemap><loc>https://a.example/2.xml.gz</loc></sitemap></sitemapindex>",
        );
        assert_eq!(sitemap.sitemaps, ["https://a.example/1.xml", "https://a.example/2.xml.gz"]);
        assert!(sitemap.entries.is_empty());
    }

    #[test]
    fn hostile_xml_neither_expands_nor_stops_the_run() {
        let bomb = "<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;'>]>
            <urlset><url><loc>http://a.example/&b;&b;</loc></url><url><loc>http://a.example/2</loc></url>";
        assert_eq!(parse(bomb).entries[0].url, "http://a.example/");
        assert_eq!(parse(bomb).entries.len(), 2);
        let deep = "<url>".repeat(100_000) + "<loc>x</loc>";
        assert!(parse(&deep).entries.is_empty());
        let long = format!("<urlset><url><loc>{}</loc></url>", "\u{e9}".repeat(1_000_000));
        assert!(parse(&long).entries[0].url.len() <= MAX_TEXT);
        for broken in ["<urlset><url><loc>http://a.example/</loc></url><url <<", "", "<", "&", "<a b='", "<!"]
        {
            parse(broken);
        }
        assert_eq!(parse("<urlset><url><loc>http://a.example/</loc></url><url <<").entries.len(), 1);
    }

    #[test]
    fn a_sitemap_is_told_by_its_root() {
        assert!(is_sitemap("<?xml version='1.0'?><urlset>"));
        assert!(!is_sitemap("<html><body>urlset"));
        assert!(read(b"<html><body>urlset").is_none() && read(&[0x1f, 0x8b, 7]).is_none());
        assert_eq!(
            read(b"<urlset><url><loc>http://a/\n\tb</loc></url>").unwrap().entries[0].url,
            "http://a/b"
        );
    }
}
