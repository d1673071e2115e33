//! The pages of an answer: in memory, or if they do not fit in a temporary file, read one after the other.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use std::io;
use std::sync::{Arc, OnceLock};

use serde::de::{SeqAccess, Visitor};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::at::model::PageAt;
use crate::ingest::overflow::{Cursor, Overflow};

/// Pages in the order of a report.
#[derive(Debug, Clone)]
pub struct PageList(Place);

#[derive(Debug, Clone)]
enum Place {
    Memory(Vec<PageAt>),
    Disk(Arc<Pages>),
}

/// Pages on disk, each as JSON.
#[derive(Debug)]
struct Pages {
    entries: Overflow,
    count: usize,
    /// Why they could not be read to the end.
    fault: OnceLock<String>,
}

impl PageList {
    /// Number of pages.
    pub fn len(&self) -> usize {
        match &self.0 {
            Place::Memory(pages) => pages.len(),
            Place::Disk(pages) => pages.count,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The pages one after the other. They end early where the temporary file cannot be read: [`PageList::check`] tells.
    pub fn iter(&self) -> Iter<'_> {
        Iter(match &self.0 {
            Place::Memory(pages) => Source::Memory(pages.iter()),
            Place::Disk(pages) => Source::Disk { pages, cursor: pages.entries.cursor(), is_over: false },
        })
    }

    /// Those that are in memory: all of a short list, none of a long one.
    pub fn held(&self) -> &[PageAt] {
        match &self.0 {
            Place::Memory(pages) => pages,
            Place::Disk(_) => &[],
        }
    }

    /// The same, to change them.
    pub fn held_mut(&mut self) -> Option<&mut Vec<PageAt>> {
        match &mut self.0 {
            Place::Memory(pages) => Some(pages),
            Place::Disk(_) => None,
        }
    }

    /// The only page. One page is always in memory.
    pub(crate) fn only(&self) -> Option<&PageAt> {
        match self.held() {
            [page] => Some(page),
            _ => None,
        }
    }

    /// Whether they lie on disk.
    pub(crate) fn is_on_disk(&self) -> bool {
        matches!(self.0, Place::Disk(_))
    }

    /// Whether all pages could be read, each time that they were.
    ///
    /// # Errors
    /// When not.
    pub(crate) fn check(&self) -> io::Result<()> {
        match &self.0 {
            Place::Disk(pages) => {
                pages.fault.get().map_or(Ok(()), |fault| Err(io::Error::other(fault.clone())))
            }
            Place::Memory(_) => Ok(()),
        }
    }
}

impl From<Vec<PageAt>> for PageList {
    fn from(pages: Vec<PageAt>) -> Self {
        PageList(Place::Memory(pages))
    }
}

impl<'a> IntoIterator for &'a PageList {
    type Item = Cow<'a, PageAt>;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl PartialEq for PageList {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl Serialize for PageList {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.len()))?;
        for page in self {
            list.serialize_element(&*page)?;
        }
        self.check().map_err(serde::ser::Error::custom)?;
        list.end()
    }
}

impl<'de> Deserialize<'de> for PageList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Listed)
    }
}

thread_local! {
    /// Bytes as JSON that lists which are read back hold in memory.
    static HELD: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// Does something while lists that are read back hold no more than `limit` bytes in memory.
pub(crate) fn holding<T>(limit: usize, read: impl FnOnce() -> T) -> T {
    let before = HELD.replace(limit);
    let made = read();
    HELD.set(before);
    made
}

struct Listed;

impl<'de> Visitor<'de> for Listed {
    type Value = PageList;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of pages")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<PageList, A::Error> {
        let limit = HELD.get();
        if limit == usize::MAX {
            let mut pages = Vec::new();
            while let Some(page) = list.next_element()? {
                pages.push(page);
            }
            return Ok(pages.into());
        }
        let mut pages = PageWriter::new(limit);
        while let Some(page) = list.next_element()? {
            pages.push(page).map_err(serde::de::Error::custom)?;
        }
        Ok(pages.finish())
    }
}

/// Pages one after the other.
pub struct Iter<'a>(Source<'a>);

enum Source<'a> {
    Memory(std::slice::Iter<'a, PageAt>),
    Disk { pages: &'a Pages, cursor: Cursor<'a>, is_over: bool },
}

impl<'a> Iterator for Iter<'a> {
    type Item = Cow<'a, PageAt>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Source::Memory(pages) => pages.next().map(Cow::Borrowed),
            Source::Disk { is_over: true, .. } => None,
            Source::Disk { pages, cursor, is_over } => {
                let json = cursor.next();
                let page = json.and_then(|json| Ok(json.map(serde_json::from_slice).transpose()?));
                let page = page.unwrap_or_else(|error| {
                    // Only the first fault is kept.
                    let _ = pages.fault.set(error.to_string());
                    None
                });
                *is_over = page.is_none();
                page.map(Cow::Owned)
            }
        }
    }
}

/// Takes pages in the order of a report.
pub(super) struct PageWriter {
    limit: usize,
    held: Vec<PageAt>,
    bytes: usize,
    spilled: Option<Overflow>,
    count: usize,
}

impl PageWriter {
    /// Holds pages of about `limit` bytes as JSON in memory.
    pub(super) fn new(limit: usize) -> Self {
        PageWriter { limit, held: Vec::new(), bytes: 0, spilled: None, count: 0 }
    }

    /// Adds the next page.
    pub(super) fn push(&mut self, page: PageAt) -> io::Result<()> {
        self.count += 1;
        let json = serde_json::to_vec(&page)?;
        self.bytes += json.len();
        if let Some(entries) = &mut self.spilled {
            return entries.push(|out| out.extend(json));
        }
        self.held.push(page);
        // One page alone stays in memory.
        if self.bytes > self.limit && self.held.len() > 1 {
            let entries = self.spilled.insert(Overflow::new(0));
            for page in self.held.drain(..) {
                let json = serde_json::to_vec(&page)?;
                entries.push(|out| out.extend(json))?;
            }
        }
        Ok(())
    }

    /// Ends the list: no page follows.
    pub(super) fn finish(self) -> PageList {
        let Some(entries) = self.spilled else { return self.held.into() };
        PageList(Place::Disk(Arc::new(Pages { entries, count: self.count, fault: OnceLock::new() })))
    }
}
