//! The exact history of changes, where the user has one: a table of `page,change_time[,event][,importance]`.
//!
//! `page` is a URL, a canonical key, or a path on the site (`index.html` is also the folder above it). Events
//! `initial` (how the site stood when the history begins) are not changes; all others are. A page whose first event is `A`
//! (added) did not exist before. `importance` is that of the change, from 0 to 1; an empty one is unknown.

use std::collections::{HashMap, HashSet};
use std::io::Read;

use crate::capture::page::path;
use crate::error::{Error, Result};
use crate::time::{Instant, Interval};

/// When which page changed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    changes: HashMap<String, Vec<Instant>>,
    versions: HashMap<String, Vec<Created>>,
    span: Option<Interval>,
    refused: HashSet<String>,
}

/// A version of a page: when it was created, and how much that change mattered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Created {
    pub at: Instant,
    /// `None`: it is unknown.
    pub importance: Option<f64>,
    /// The page was added: there was no version before.
    pub is_first: bool,
}

impl History {
    /// Reads a CSV table with the columns `page` and `change_time`, and perhaps `event`.
    pub fn read(input: impl Read) -> Result<Self> {
        let mut reader = csv::Reader::from_reader(input);
        let broken = |error: csv::Error| Error::data(format!("the history cannot be read: {error}"));
        let header = reader.headers().map_err(broken)?.clone();
        let column = |name: &str| header.iter().position(|field| field.trim() == name);
        let (Some(page), Some(time)) = (column("page"), column("change_time")) else {
            return Err(Error::data("the history has no columns page and change_time"));
        };
        let (event, importance) = (column("event"), column("importance"));
        let mut history = History::default();
        for record in reader.records() {
            let record = record.map_err(broken)?;
            let (Some(page), Some(text)) = (record.get(page), record.get(time)) else { continue };
            let Some(at) = Instant::parse(text) else {
                let line = record.position().map_or(0, csv::Position::line);
                return Err(Error::data(format!("line {line} of the history has no readable change_time")));
            };
            let span = history.span.get_or_insert(Interval { from: at, to: at });
            (span.from, span.to) = (span.from.min(at), span.to.max(at));
            let event = event.and_then(|event| record.get(event));
            let text = importance.and_then(|column| record.get(column)).map(str::trim).unwrap_or_default();
            let importance = match text.parse::<f64>() {
                Ok(importance) if (0.0..=1.0).contains(&importance) => Some(importance),
                _ if text.is_empty() => None,
                _ => {
                    let line = record.position().map_or(0, csv::Position::line);
                    return Err(Error::data(format!(
                        "line {line} of the history has the importance {text:?}, which is not a number from 0 to 1"
                    )));
                }
            };
            let created = Created { at, importance, is_first: event == Some("A") };
            history.versions.entry(page.trim().to_owned()).or_default().push(created);
            let times = history.changes.entry(page.trim().to_owned()).or_default();
            if event != Some("initial") {
                times.push(at);
            }
        }
        for versions in history.versions.values_mut() {
            versions.sort_by_key(|version| version.at);
        }
        for times in history.changes.values_mut() {
            times.sort_unstable();
        }
        Ok(history)
    }

    /// The time the history covers: from its first to its last entry.
    pub fn span(&self) -> Option<Interval> {
        self.span
    }

    /// From now on the history does not know the page of this key.
    pub fn refuse(&mut self, key: &str) {
        self.refused.insert(key.to_owned());
    }

    /// The changes of a page in time order; `None` if the history does not know the page.
    pub fn changes(&self, url: &str, key: &str) -> Option<&[Instant]> {
        self.find(&self.changes, url, key)
    }

    /// The versions of a page in time order, that before the history included; `None` if the history does not know it.
    pub fn created(&self, url: &str, key: &str) -> Option<&[Created]> {
        self.find(&self.versions, url, key)
    }

    fn find<'a, T>(&self, pages: &'a HashMap<String, Vec<T>>, url: &str, key: &str) -> Option<&'a [T]> {
        if self.refused.contains(key) {
            return None;
        }
        let path = path(url);
        let bare = path.trim_start_matches('/');
        let index = format!("{bare}index.html");
        let names = [url, key, path, bare, if path.ends_with('/') { &index } else { bare }];
        names.iter().find_map(|name| pages.get(*name)).map(Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::testing::parse;

    #[test]
    fn pages_are_found_by_url_key_or_path() {
        let text = "page,change_time,event\n\
                    index.html,2024-01-01T00:00:00Z,initial\n\
                    index.html,2024-01-03T00:00:00Z,M\n\
                    index.html,2024-01-02T00:00:00Z,M\n\
                    /b,2024-01-05T00:00:00Z,A\n";
        let history = History::read(text.as_bytes()).unwrap();
        let expected = [parse("2024-01-02T00:00:00Z"), parse("2024-01-03T00:00:00Z")];
        assert_eq!(history.changes("http://a.example:80/", "k"), Some(&expected[..]));
        assert_eq!(history.changes("http://a.example/index.html?x", "k"), Some(&expected[..]));
        assert_eq!(history.changes("http://a.example/b", "k").map(<[Instant]>::len), Some(1));
        assert_eq!(history.changes("http://a.example/c", "k"), None);
        assert_eq!(
            history.span(),
            Interval::new(parse("2024-01-01T00:00:00Z"), parse("2024-01-05T00:00:00Z"))
        );
    }

    #[test]
    fn a_history_that_is_none_is_an_error_with_its_line() {
        assert!(History::read("a,b\n1,2\n".as_bytes()).is_err());
        let error = History::read("page,change_time\nx,never\n".as_bytes()).unwrap_err();
        assert!(error.to_string().contains("line 2"), "{error}");
    }
}
