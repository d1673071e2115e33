//! Logs of changes, and of links, as tables.
//!
//! `changes.csv` has the columns `page`, `change_time` and, if there are any, `event` and `bulk`. An event is `A` or
//! `added`, `M` or `modified`, `D` or `deleted`, or `initial`: the state of the site when the log begins; where there is none the
//! page was modified. `links.csv` has the columns `page` and `linked_page`. Columns of other names are mapped, as in
//! `page=url,change_time=when`; others are skipped. Either table may be gzipped. Cost: O(lines); lines may
//! come in any order.

use std::io::{BufRead, BufReader, Read};

use crate::capture::names::Names;
use crate::error::{Error, Result};
use crate::time::Instant;

/// What happened to a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    Added,
    Modified,
    Deleted,
    /// It existed when the log begins.
    Initial,
}

impl Event {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "A" | "added" => Event::Added,
            "M" | "modified" | "" => Event::Modified,
            "D" | "deleted" => Event::Deleted,
            "initial" => Event::Initial,
            _ => return None,
        })
    }
}

/// How changes made to many pages at once (a new licence line, a reformatting) are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bulk {
    /// As any other change.
    #[default]
    Keep,
    /// Not counted as changes. Births and deaths still count: otherwise there would be changes of pages that never
    /// existed.
    LeaveOut,
}

/// The columns of a table by other names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Columns {
    names: Vec<(String, String)>,
}

const KNOWN: [&str; 5] = ["page", "change_time", "event", "bulk", "linked_page"];

impl Columns {
    /// Reads `ours=theirs,ours=theirs`.
    pub fn parse(text: &str) -> Result<Self> {
        let mut names = Vec::new();
        for pair in text.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            match pair.split_once('=').map(|(ours, theirs)| (ours.trim(), theirs.trim())) {
                Some((ours, theirs)) if KNOWN.contains(&ours) && !theirs.is_empty() => {
                    names.push((ours.to_owned(), theirs.to_owned()));
                }
                _ => {
                    return Err(Error::usage(format!("{pair:?} names no column")).with_remedy(format!(
                        "write page=url,change_time=when; the columns are {}",
                        KNOWN.join(", ")
                    )));
                }
            }
        }
        Ok(Columns { names })
    }

    fn name<'a>(&'a self, ours: &'a str) -> &'a str {
        self.names.iter().rev().find(|(name, _)| name == ours).map_or(ours, |(_, theirs)| theirs)
    }

    fn place(&self, header: &csv::StringRecord, ours: &str) -> Option<usize> {
        let wanted = self.name(ours);
        header.iter().position(|field| field.trim_start_matches('\u{feff}').trim() == wanted)
    }

    fn required(&self, header: &csv::StringRecord, ours: &str) -> Result<usize> {
        self.place(header, ours).ok_or_else(|| {
            Error::data(format!("the table has no column {:?}", self.name(ours)))
                .with_remedy(format!("name it, as in {ours}=NAME"))
        })
    }
}

/// A log of changes.
#[derive(Debug, Clone, Default)]
pub struct Log {
    /// The pages, in the order in which they first occur.
    pub pages: Names,
    /// Page, time and event, in the order of the table.
    pub events: Vec<(u32, Instant, Event)>,
    /// First and last time in the table.
    pub span: Option<(Instant, Instant)>,
    /// Changes that were left out, because they were made to many pages at once.
    pub left_out: u64,
    /// Page and linked page, as numbers of `pages`.
    pub links: Vec<(u32, u32)>,
    /// Links of which an end has no history.
    pub links_left_out: u64,
}

/// A reader of a plain or gzipped table.
fn reader<'a>(input: impl Read + 'a) -> Result<csv::Reader<Box<dyn Read + 'a>>> {
    let mut input = BufReader::new(input);
    let packed = input.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    let plain: Box<dyn Read + 'a> =
        if packed { Box::new(flate2::bufread::MultiGzDecoder::new(input)) } else { Box::new(input) };
    Ok(csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(plain))
}

fn broken(error: csv::Error) -> Error {
    Error::data(format!("the table cannot be read: {error}"))
}

impl Log {
    /// Reads a table of changes.
    pub fn read(changes: impl Read, columns: &Columns, bulk: Bulk) -> Result<Self> {
        let mut reader = reader(changes)?;
        let header = reader.headers().map_err(broken)?.clone();
        let (page, time) = (columns.required(&header, "page")?, columns.required(&header, "change_time")?);
        let (event, many) = (columns.place(&header, "event"), columns.place(&header, "bulk"));
        let mut log = Log::default();
        let mut record = csv::StringRecord::new();
        while reader.read_record(&mut record).map_err(broken)? {
            let line = record.position().map_or(0, csv::Position::line);
            let field = |column: Option<usize>| column.and_then(|column| record.get(column)).unwrap_or("");
            let wrong =
                |what: &str, text: &str| Error::data(format!("line {line}: {text:?} is not a {what}"));
            let at = Instant::parse(field(Some(time))).ok_or_else(|| wrong("time", field(Some(time))))?;
            let event = Event::parse(field(event))
                .ok_or_else(|| wrong("event", field(event)).with_remedy("an event is A, M, D or initial"))?;
            let many = matches!(field(many), "1" | "true" | "yes");
            let (first, last) = log.span.unwrap_or((at, at));
            log.span = Some((first.min(at), last.max(at)));
            let page = log.pages.intern(field(Some(page)));
            if many && event == Event::Modified && bulk == Bulk::LeaveOut {
                log.left_out += 1;
            } else {
                log.events.push((page, at, event));
            }
        }
        Ok(log)
    }

    /// Adds the links of a table. Those of pages that the log does not know are counted.
    pub fn read_links(&mut self, links: impl Read, columns: &Columns) -> Result<()> {
        let mut reader = reader(links)?;
        let header = reader.headers().map_err(broken)?.clone();
        let (from, to) = (columns.required(&header, "page")?, columns.required(&header, "linked_page")?);
        let mut record = csv::StringRecord::new();
        while reader.read_record(&mut record).map_err(broken)? {
            let page = |column: usize| record.get(column).and_then(|name| self.pages.find(name));
            match (page(from), page(to)) {
                (Some(from), Some(to)) => self.links.push((from, to)),
                _ => self.links_left_out += 1,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    const CHANGES: &str = "when,url,event,bulk\n2024-01-02T00:00:00Z,/a,M,1\n2024-01-01T00:00:00Z,/a,A,1\n\
                           2024-01-03T00:00:00Z,/b,D,0\n";

    #[test]
    fn columns_are_mapped_and_bulk_changes_left_out_but_births_are_not() {
        let columns = Columns::parse("page=url, change_time=when").unwrap();
        let log = Log::read(CHANGES.as_bytes(), &columns, Bulk::Keep).unwrap();
        assert_eq!(log.events.len(), 3);
        let log = Log::read(CHANGES.as_bytes(), &columns, Bulk::LeaveOut).unwrap();
        assert_eq!(
            log.events.iter().map(|event| event.2).collect::<Vec<_>>(),
            [Event::Added, Event::Deleted]
        );
        assert_eq!((log.left_out, log.pages.get(1)), (1, "/b"));
        let (first, last) = log.span.unwrap();
        assert_eq!((first.digits14(), last.digits14()), ("20240101000000".into(), "20240103000000".into()));
    }

    #[test]
    fn tables_may_be_packed() {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(b"page,change_time\nx,2024-01-01\n").unwrap();
        let mut log = Log::read(&packed.finish().unwrap()[..], &Columns::default(), Bulk::Keep).unwrap();
        assert_eq!(log.events[0].2, Event::Modified);
        log.read_links("page,linked_page\nx,x\nx,y\n".as_bytes(), &Columns::default()).unwrap();
        assert_eq!((log.links.len(), log.links_left_out), (1, 1));
    }

    #[test]
    fn what_cannot_be_read_is_refused_with_its_line_and_a_remedy() {
        let read = |text: &str| Log::read(text.as_bytes(), &Columns::default(), Bulk::Keep);
        let error = read("url,when\n/a,2024-01-01\n").unwrap_err();
        assert!(error.remedy().unwrap().contains("page=NAME"), "{error}");
        assert!(read("page,change_time\n/a,soon\n").unwrap_err().to_string().contains("line 2"));
        assert!(read("page,change_time,event\n/a,2024-01-01,X\n").unwrap_err().to_string().contains("\"X\""));
        assert!(Columns::parse("page").is_err() && Columns::parse("when=change_time").is_err());
        assert!(read("page,change_time\n").unwrap().span.is_none());
    }
}
