//! Decides which URLs count as pages: HTML that answered 200 at least once.
//!
//! A *page* is an HTML URL that answered 200 at least once; images, scripts and redirects have histories too, but a
//! curator asks about pages first. [`PageFilter::All`] takes every URL.

use serde::{Deserialize, Serialize};

use crate::capture::Kind;
use crate::capture::table::{Row, Table};

/// Which URLs are audited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PageFilter {
    /// HTML that answered 200 at least once.
    #[default]
    Html,
    /// Every URL.
    All,
}

impl PageFilter {
    /// Whether the URL with this history is audited.
    pub fn takes(self, table: &Table, rows: &[Row]) -> bool {
        self == PageFilter::All || rows.iter().any(|row| is_html_page(table, row))
    }
}

/// Whether this answer shows that the URL is a page.
pub(crate) fn is_html_page(table: &Table, row: &Row) -> bool {
    !row.bodiless && is_html_answer(row.status, row.kind, row.mime.map(|mime| table.text(mime)))
}

/// Whether an answer of this status, kind and media type shows that its URL is a page.
pub(crate) fn is_html_answer(status: Option<u16>, kind: Kind, mime: Option<&str>) -> bool {
    // A resource record has no HTTP answer around it: the body alone is what stood there.
    let answered = status == Some(200) || (status.is_none() && kind == Kind::Resource);
    answered && mime.is_some_and(is_html)
}

/// Whether a media type is HTML.
pub(crate) fn is_html(mime: &str) -> bool {
    is_type(mime, "text/html") || is_xhtml(mime)
}

/// Whether a media type is HTML that browsers read as XML.
pub(crate) fn is_xhtml(mime: &str) -> bool {
    is_type(mime, "application/xhtml+xml")
}

fn is_type(mime: &str, name: &str) -> bool {
    mime.split(';').next().unwrap_or(mime).trim().eq_ignore_ascii_case(name)
}

/// Whether the capture failed: the server or the network did not show the state of the page. Server errors, too many
/// requests, time-outs, partial content and captures cut short are neither the same as anything nor different.
pub fn is_failed(row: &Row) -> bool {
    row.truncated || matches!(row.status, Some(500..=599 | 429 | 408 | 206 | 0..=99))
}

/// The path of a URL, without query and fragment.
pub fn path(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = rest.find('/').map_or("/", |start| &rest[start..]);
    path.split(['?', '#']).next().unwrap_or(path)
}

/// The folder of a URL: its path up to the last slash.
pub(crate) fn folder(url: &str) -> &str {
    let path = path(url);
    path.rfind('/').map_or("/", |slash| &path[..=slash])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::testing::look;

    fn takes(observation: crate::capture::testing::Look) -> bool {
        let table = Table::of(&[observation.build()]);
        PageFilter::Html.takes(&table, table.rows())
    }

    #[test]
    fn a_page_is_html_that_answered_200() {
        let page = || look("http://a.example/", "2024-01-01T00:00:00Z");
        assert!(takes(page()));
        assert!(!takes(page().status(404)));
        assert!(!takes(page().status(301)));
        let mut image = page().build();
        image.mime = Some("image/png".into());
        let table = Table::of(&[image]);
        assert!(!PageFilter::Html.takes(&table, table.rows()));
        assert!(PageFilter::All.takes(&table, table.rows()));
    }

    #[test]
    fn the_folder_is_the_path_up_to_its_last_slash() {
        for (url, expected) in [
            ("http://a.example", "/"),
            ("http://a.example/b", "/"),
            ("http://a.example/b/c?d=/e/", "/b/"),
            ("http://a.example/b/#/c", "/b/"),
        ] {
            assert_eq!(folder(url), expected, "{url}");
        }
    }

    #[test]
    fn failed_looks_are_neither_same_nor_different() {
        for (status, failed) in
            [(200, false), (301, false), (404, false), (410, false), (503, true), (429, true), (206, true)]
        {
            let table = Table::of(&[look("http://a.example/", "2024-01-01").status(status).build()]);
            assert_eq!(is_failed(&table.rows()[0]), failed, "{status}");
        }
        let mut cut = look("http://a.example/", "2024-01-01").build();
        cut.truncated = Some("time".into());
        let mut heritrix = look("http://a.example/", "2024-01-02").revisit().build();
        heritrix.truncated = Some("length".into());
        heritrix.normalise();
        let table = Table::of(&[cut, heritrix]);
        assert_eq!(table.rows().iter().map(is_failed).collect::<Vec<_>>(), [true, false]);
    }
}
