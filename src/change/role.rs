//! What a capture is to the history of its page.
//!
//! | capture | is |
//! |---|---|
//! | 200, 404, 410, a redirect elsewhere, 304 | a state of the page |
//! | any other 4xx, 5xx, 999, a challenge page of a bot wall, anything cut, a head without its body | failed: the page was not shown; neither same nor different, and no end of a run |
//! | a response without an HTTP head | no response that a server gave: it says nothing of the page |
//! | a redirect to the same key by the rules in force (by default http to https, `www`, slash, case; strictly none of these) | the way to the page, not a version of it |
//! | a redirect at a spelling that never showed the page, while another did, and still did later; or of which an index does not say where it leads | the same |
//! | a revisit without a status of its own | what its original is |
//! | a capture of another spelling amid captures that prove something else for theirs | another page: see [`super::spelling`] |
//! | 206, 200 with a `Content-Range` of less than the whole, another media type than HTML where the page is HTML (other content of that kind ends a proof: [`super::other_content`]), a `resource` of another type than the page | not the page |

use std::collections::{HashMap, HashSet};

use crate::archive::http::fault::PART;
use crate::capture::intern::Id;
use crate::capture::page::{is_failed, is_html, path};
use crate::capture::table::{Row, Table};
use crate::capture::{AtOdds, Kind};
use crate::html::soft404::WALL;
use crate::time::Instant;
use crate::url::as_written;

/// Why a capture shows no state of its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aside {
    /// The body ends early.
    Cut,
    /// There is no body, and no request that says that one was asked for.
    NoBody,
    /// There is no HTTP head, so what the server answered is unknown.
    NoHead,
    /// The server, or something before it, did not show the page.
    Failed(u16),
    /// A bot wall asked whether the visitor is human.
    Challenge,
    NoResponse,
    /// A redirect to another spelling of the URL.
    Way,
    /// A part of the page.
    Partial,
    /// A record of another media type, such as a screenshot.
    OtherMedia,
    /// Its spelling of the URL showed something else while another one is proven to have shown the page.
    OtherSpelling,
}

impl Aside {
    /// Why, in words.
    pub fn explain(self) -> String {
        match self {
            Aside::Cut => "the capture is cut: its body ends early".to_owned(),
            Aside::NoBody => "it has no body: probably the response to a HEAD request".to_owned(),
            Aside::NoHead => "it has no HTTP head: it does not say what the server answered".to_owned(),
            Aside::Failed(status @ (0..=399 | 408 | 429 | 500..=599)) => {
                format!("the response {status} does not show the page")
            }
            Aside::Failed(status) => format!("the server refused to show the page: {status}"),
            Aside::Challenge => "a bot wall was shown in place of the page".to_owned(),
            Aside::NoResponse => "no response".to_owned(),
            Aside::Way => "a redirect to another spelling of this URL".to_owned(),
            Aside::Partial => "a part of the page".to_owned(),
            Aside::OtherMedia => "it is of another media type than the page".to_owned(),
            Aside::OtherSpelling => {
                "another spelling of this URL, which showed something else at that time".to_owned()
            }
        }
    }
}

/// Judges what captures of one page are.
#[derive(Debug)]
pub(crate) struct Roles {
    /// The media types of responses with status 200.
    served: HashSet<Id>,
    /// When the last of them came.
    last: Option<Instant>,
    /// The URLs without such responses, where other spellings have some.
    elsewhere: HashSet<Id>,
    /// The signs of error pages that are walls against robots.
    walls: HashSet<Id>,
    /// What is wrong with captures that hold only a part of the page.
    parts: HashSet<Id>,
    /// Media types that are not HTML, where others of the page are.
    other_media: HashSet<Id>,
    /// Media types of pictures of the page, as far as they are known by the URL: it does not end like one.
    pictures: HashSet<Id>,
    /// What revisits without a head refer to, by its place.
    originals: HashMap<Id, Row>,
}

impl Roles {
    /// For the page of these rows.
    pub(crate) fn of(table: &Table, rows: &[Row]) -> Self {
        let is_wall = |sign: &Id| table.text(*sign).starts_with(WALL);
        let is_part = |damage: &Id| table.text(*damage).split(' ').any(|code| code == PART);
        let served = || rows.iter().filter(|row| row.status == Some(200) && row.kind != Kind::Resource);
        let media: HashSet<Id> = served().filter_map(|row| row.mime).collect();
        let other_media: Vec<Id> = media.iter().copied().filter(|mime| !is_html(table.text(*mime))).collect();
        // A wall or an error page in place of an image does not make a page of it.
        let is_page =
            |row: &Row| row.soft404.is_none() && row.mime.is_some_and(|mime| is_html(table.text(mime)));
        let is_html_page = served().any(is_page) || other_media.is_empty();
        Roles {
            originals: originals(table, rows),
            elsewhere: elsewhere(table, rows, &served().map(|row| row.url).collect()),
            last: served().map(|row| row.time).max(),
            other_media: other_media.into_iter().filter(|_| is_html_page).collect(),
            served: media,
            parts: rows.iter().filter_map(|row| row.damage).filter(is_part).collect(),
            walls: rows.iter().filter_map(|row| row.soft404).filter(is_wall).collect(),
            pictures: rows.iter().filter(|row| is_picture(table, row)).filter_map(|row| row.mime).collect(),
        }
    }

    /// Whether a redirect is of a spelling that never showed the page, while another one did, and still did later. Where a redirect
    /// leads that only an index knows, nobody can say.
    fn is_elsewhere(&self, row: &Row) -> bool {
        self.elsewhere.contains(&row.url) && (row.location.is_none() || self.last >= Some(row.time))
    }

    /// Why a capture shows no state of the page; `None`: it shows one.
    pub(crate) fn aside(&self, row: &Row) -> Option<Aside> {
        let original = row.original.filter(|_| is_headless(row)).and_then(|place| self.originals.get(&place));
        self.own(row).or_else(|| self.own(original?))
    }

    fn own(&self, row: &Row) -> Option<Aside> {
        match row.status {
            _ if row.bodiless => Some(Aside::NoBody),
            _ if row.truncated => Some(Aside::Cut),
            _ if row.soft404.is_some_and(|sign| self.walls.contains(&sign)) => Some(Aside::Challenge),
            Some(206) => Some(Aside::Partial),
            None if row.at_odds == Some(AtOdds::Part) => Some(Aside::Partial),
            Some(200) if row.damage.is_some_and(|damage| self.parts.contains(&damage)) => {
                Some(Aside::Partial)
            }
            Some(200) if row.mime.is_some_and(|mime| self.other_media.contains(&mime)) => {
                Some(Aside::OtherMedia)
            }
            None if row.kind == Kind::Response && !row.not_modified => Some(Aside::NoHead),
            Some(status @ (400..=403 | 405..=409 | 411..=499 | 600..)) => Some(Aside::Failed(status)),
            Some(100..) if is_failed(row) => row.status.map(Aside::Failed),
            _ if is_failed(row) => Some(Aside::NoResponse),
            Some(300..=303 | 305..=399) if row.leads_back => Some(Aside::Way),
            Some(300..=303 | 305..=399) if self.is_elsewhere(row) => Some(Aside::Way),
            None if row.kind == Kind::Resource
                && row.mime.is_some_and(|mime| self.pictures.contains(&mime)) =>
            {
                Some(Aside::OtherMedia)
            }
            None if row.kind == Kind::Resource && !self.served.is_empty() => {
                row.mime.is_none_or(|mime| !self.served.contains(&mime)).then_some(Aside::OtherMedia)
            }
            _ => None,
        }
    }
}

/// Whether a capture is a redirect to another page.
pub(crate) fn leads_away(row: &Row) -> bool {
    matches!(row.status, Some(300..=303 | 305..=399)) && row.target.is_some() && !row.leads_back
}

/// The URLs of a page at which it was never shown, if it was shown at another one.
fn elsewhere(table: &Table, rows: &[Row], answered: &HashSet<Id>) -> HashSet<Id> {
    let mut others: HashSet<Id> = rows.iter().map(|row| row.url).collect();
    if answered.is_empty() || others.len() == answered.len() {
        return HashSet::new();
    }
    let written: HashSet<String> = answered.iter().map(|url| as_written(table.text(*url))).collect();
    others.retain(|url| !written.contains(&as_written(table.text(*url))));
    others
}

/// Whether a capture is a revisit that says nothing of its response: it is what its original is.
fn is_headless(row: &Row) -> bool {
    row.kind == Kind::Revisit && row.status.is_none() && !row.not_modified
}

/// What revisits without a head among these rows refer to, by its place.
fn originals(table: &Table, rows: &[Row]) -> HashMap<Id, Row> {
    let asking: HashSet<Id> =
        rows.iter().filter(|row| is_headless(row)).filter_map(|row| row.original).collect();
    if asking.is_empty() {
        return HashMap::new();
    }
    let place = |row: &Row| Some((table.place_of(row)?, *row));
    let held = rows.iter().filter(|row| row.kind != Kind::Revisit).filter_map(place);
    held.filter(|(place, _)| asking.contains(place)).collect()
}

/// Whether a record is a picture under a URL that does not end like one: a screenshot, or the page printed.
fn is_picture(table: &Table, row: &Row) -> bool {
    const ENDS: [&str; 14] = [
        ".png", ".jpg", ".jpeg", ".jpe", ".gif", ".webp", ".svg", ".avif", ".bmp", ".ico", ".tif", ".tiff",
        ".jxl", ".pdf",
    ];
    let mime = row.mime.map_or("", |mime| table.text(mime));
    let is_shown = mime.starts_with("image/") || mime == "application/pdf";
    let path = path(table.text(row.url)).to_ascii_lowercase();
    row.kind == Kind::Resource && is_shown && !ENDS.iter().any(|end| path.ends_with(end))
}

/// Whether two URLs are the same as written: the case of scheme and host, a default port and the fragment aside.
pub(crate) fn same_as_written(table: &Table, one: Id, other: Id) -> bool {
    one == other || as_written(table.text(one)) == as_written(table.text(other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::testing::{Look, look};
    use crate::url::Canon;

    fn aside(made: Look) -> Option<Aside> {
        let page = look("http://a.example/terms", "2024-01-01").body(1);
        let table = Table::of(&[page.build(), made.build()]);
        Roles::of(&table, table.rows()).aside(&table.rows()[1])
    }

    fn page() -> Look {
        look("http://a.example/terms", "2024-01-02")
    }

    #[test]
    fn failed_captures_and_parts_show_no_state_of_the_page() {
        for (status, expected) in [
            (200, None),
            (404, None),
            (410, None),
            (302, None),
            (304, None),
            (206, Some(Aside::Partial)),
            (401, Some(Aside::Failed(401))),
            (403, Some(Aside::Failed(403))),
            (400, Some(Aside::Failed(400))),
            (405, Some(Aside::Failed(405))),
            (451, Some(Aside::Failed(451))),
            (999, Some(Aside::Failed(999))),
            (408, Some(Aside::Failed(408))),
            (429, Some(Aside::Failed(429))),
            (503, Some(Aside::Failed(503))),
            (0, Some(Aside::NoResponse)),
        ] {
            assert_eq!(aside(page().status(status)), expected, "{status}");
        }
        let mut cut = page().build();
        cut.truncated = Some("body-short".into());
        let table = Table::of(&[cut]);
        assert_eq!(Roles::of(&table, table.rows()).aside(&table.rows()[0]), Some(Aside::Cut));
    }

    #[test]
    fn a_redirect_of_an_index_at_another_spelling_is_the_way_to_the_page() {
        let page = look("https://www.a.example/terms", "2024-01-01").body(1).build();
        let aside = |url: &str| {
            let table = Table::of(&[page.clone(), look(url, "2024-01-02").status(301).build()]);
            let rows = table.rows();
            let moved = rows.iter().find(|row| row.status == Some(301)).unwrap();
            Roles::of(&table, rows).aside(moved)
        };
        assert_eq!(aside("http://a.example/terms"), Some(Aside::Way));
        assert_eq!(aside("https://www.a.example/terms"), None, "the page itself moved");
    }

    #[test]
    fn by_strict_rules_a_redirect_to_another_address_is_a_state_of_the_page() {
        for (canon, location, expected) in [
            (Canon::Strict, "http://a.example/Terms", None),
            (Canon::Strict, "http://a.example/terms/", None),
            (Canon::Strict, "http://www.a.example/terms", None),
            (Canon::Strict, "https://a.example/terms", None),
            (Canon::Strict, "HTTP://A.example:80/terms#top", Some(Aside::Way)),
            (Canon::Default, "http://www.a.example/Terms/", Some(Aside::Way)),
            (Canon::Default, "/terms/index.html", None),
            (Canon::Loose, "http://www.a.example/Terms/", Some(Aside::Way)),
        ] {
            let mut moved = page().status(301).build();
            moved.location = Some(location.to_owned());
            moved.key = canon.key(&moved.url);
            let table = Table::of(&[moved]);
            let rows = table.rows();
            assert_eq!(Roles::of(&table, rows).aside(&rows[0]), expected, "{canon:?} {location}");
        }
    }

    #[test]
    fn a_resource_of_another_media_type_is_not_the_page() {
        let resource = |mime: &str| {
            let mut resource = page().build();
            (resource.kind, resource.status, resource.mime) = (Kind::Resource, None, Some(mime.to_owned()));
            let table = Table::of(&[look("http://a.example/terms", "2024-01-01").build(), resource]);
            Roles::of(&table, table.rows()).aside(&table.rows()[1])
        };
        assert_eq!(resource("image/png"), Some(Aside::OtherMedia));
        assert_eq!(resource("text/html"), None);
    }

    #[test]
    fn urls_are_the_same_as_written_but_for_case_of_host_port_and_fragment() {
        for (one, other, same) in [
            ("http://A.example/x", "HTTP://a.example:80/x#y", true),
            ("https://a.example", "https://a.example:443/", true),
            ("http://a.example?q", "http://a.example/?q", true),
            ("http://a.example/x", "https://a.example/x", false),
            ("http://a.example/x", "http://a.example/X", false),
            ("http://a.example/x", "http://www.a.example/x", false),
            ("http://a.example/x", "http://a.example/x/", false),
            ("http://a.example:8080/x", "http://a.example/x", false),
        ] {
            assert_eq!(as_written(one) == as_written(other), same, "{one} {other}");
        }
    }
}
