//! The bodies of captures, read again by their places.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io;
use std::rc::Rc;
use std::sync::Arc;

use crate::archive::remote::RangeReader;
use crate::capture::Kind;
use crate::capture::intern::Id;
use crate::capture::table::{Row, Table};
use crate::change::run::{Run, Versions};
use crate::digest::{BodyDigest, Digest};
use crate::ingest::fetch::NoBody;
use crate::ingest::{Body, Fetcher, Sought};

/// Maximum number of files held open.
const FILES: usize = 64;

/// Where a body lies, and what is known of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spot<'a> {
    pub file: &'a str,
    pub offset: u64,
    pub length: Option<u64>,
    /// Records that share a compressed member have one offset; their ids distinguish them.
    pub record_id: Option<&'a str>,
    /// The declared digest, where bodies were not read before: it shows that this is the right one.
    pub declared: Option<Digest>,
    pub body: Option<BodyDigest>,
}

impl<'a> Spot<'a> {
    /// The place of the body of a row that [`holds_body`].
    pub(crate) fn of(table: &'a Table, row: &Row) -> Self {
        let text = |id: Id| table.text(id);
        Spot {
            file: text(row.file),
            offset: row.offset.unwrap_or_default(),
            length: row.length,
            record_id: row.record_id.map(text),
            declared: row.declared.filter(|_| row.body.is_none()).and_then(|digest| table.digest(digest)),
            body: row.body.and_then(|body| table.body(body)),
        }
    }

    /// Whether a body is the one that was found there before, as far as that is known.
    fn is_its_body(&self, body: &Body) -> bool {
        self.body.is_none_or(|known| known == BodyDigest(*blake3::hash(&body.bytes).as_bytes()))
    }

    fn is(&self, place: &Place) -> bool {
        place.0 == self.file && place.1 == self.offset && place.2.as_deref() == self.record_id
    }
}

/// A file, an offset in it, and the id of a record.
type Place = (String, u64, Option<String>);

/// Reads bodies again; the last one is kept.
#[derive(Default)]
pub struct Bodies {
    fetcher: RefCell<Fetcher>,
    opened: RefCell<HashSet<String>>,
    last: RefCell<Option<(Place, Rc<Body>)>>,
    /// Gives the bytes of archives that are not on this disk.
    remote: Option<Arc<RangeReader>>,
}

impl fmt::Debug for Bodies {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Bodies").field("opened", &self.opened.borrow().len()).finish_non_exhaustive()
    }
}

/// Whether a record holds the body itself, at a known place.
pub(crate) fn holds_body(row: &Row) -> bool {
    matches!(row.kind, Kind::Response | Kind::Resource) && row.offset.is_some() && !row.not_modified
}

/// Finds the records that hold bodies.
#[derive(Debug)]
pub(crate) struct Holders<'a> {
    table: &'a Table,
    /// The files that were read, by the numbers of rows.
    paths: Vec<&'a str>,
    /// For every body the first record that holds it.
    originals: HashMap<Id, &'a Row>,
    /// The records that revisits were resolved to, by their places; several may share a compressed member.
    named: HashMap<(&'a str, u64), Vec<&'a Row>>,
}

impl<'a> Holders<'a> {
    /// The records of a table that was read from these files.
    pub(crate) fn new(table: &'a Table, paths: Vec<&'a str>) -> Self {
        let mut originals: HashMap<Id, &Row> = HashMap::new();
        for row in table.rows().iter().filter(|row| matches!(row.kind, Kind::Response | Kind::Resource)) {
            if let Some(body) = row.body {
                originals.entry(body).or_insert(row);
            }
        }
        let mut named: HashMap<(&str, u64), Vec<&Row>> = HashMap::new();
        named.extend(table.rows().iter().filter_map(|row| Some((table.original(row)?, Vec::new()))));
        for row in table.rows().iter().filter(|row| matches!(row.kind, Kind::Response | Kind::Resource)) {
            let place = row.offset.map(|offset| (table.text(row.file), offset));
            if let Some(rows) = place.and_then(|place| named.get_mut(&place)) {
                rows.push(row);
            }
        }
        Holders { table, paths, originals, named }
    }

    /// Whether the record of a row was read itself, not only a line of an index about it.
    pub(crate) fn is_read(&self, row: &Row) -> bool {
        let path = self.paths.get(row.input as usize);
        row.kind != Kind::Index && path.is_some_and(|path| *path == self.table.text(row.file))
    }

    /// The record that a revisit was resolved to; else the first record with its body.
    pub(crate) fn original(&self, row: &Row) -> Option<&'a Row> {
        let named = self.table.original(row).and_then(|place| self.named.get(&place));
        let named = named.and_then(|rows| match rows.as_slice() {
            // A truncated record holds no body to show.
            [one] => Some(*one).filter(|one| !one.truncated),
            several => several.iter().copied().find(|other| other.body.is_some() && other.body == row.body),
        });
        named.or_else(|| self.originals.get(&row.body?).copied())
    }

    /// The record that holds the body of a version, or why it cannot be had.
    pub(crate) fn of_run(&self, rows: &'a [Row], versions: &Versions, run: &Run) -> Result<&'a Row, String> {
        let mut shown = run.looks.clone().map(|look| &rows[versions.looks[look].row]);
        let holds = |row: &&'a Row| holds_body(row) && self.is_read(row);
        let held = shown.clone().find(holds);
        // A revisit that contradicts its original does not show that original's body.
        let mut agreeing = shown.clone().filter(|row| row.at_odds.is_none());
        // In another charset its bytes are another text.
        let is_read_so =
            |row: &Row, original: &&'a Row| !row.states_charset() || row.charset == original.charset;
        let original = |row: &'a Row| self.original(row).filter(holds).filter(|held| is_read_so(row, held));
        let held = held.or_else(|| agreeing.find_map(original));
        held.ok_or_else(|| {
            if shown.clone().any(|row| row.at_odds.is_some()) {
                "it contradicts the record that it refers to, so its body is unknown".to_owned()
            } else if shown.clone().any(|row| self.original(row).is_some_and(|held| !is_read_so(row, &held)))
            {
                "it names another charset than the record that holds its body, so its text is unknown"
                    .to_owned()
            } else if shown.any(|row| self.is_read(row)) {
                "the record that holds its body is not among the inputs".to_owned()
            } else {
                "only an index tells of it, and an index holds no bodies".to_owned()
            }
        })
    }
}

impl Bodies {
    /// Also reads archives that are not on this disk.
    pub(crate) fn fetching(remote: Option<Arc<RangeReader>>) -> Self {
        let fetcher = RefCell::new(Fetcher::with(remote.clone()));
        Bodies { fetcher, remote, ..Bodies::default() }
    }

    /// Whether the body of a row can be had: from its record, or where archives are fetched from the one that an index names.
    pub(crate) fn reaches(&self, row: &Row) -> bool {
        let is_named = || row.kind == Kind::Index && row.offset.is_some() && !row.not_modified;
        holds_body(row) || (self.remote.is_some() && is_named())
    }

    /// Forgets what it read last: the next rows are of another table.
    pub(crate) fn forget(&self) {
        *self.last.borrow_mut() = None;
        if !self.opened.borrow().is_empty() {
            self.opened.borrow_mut().clear();
            *self.fetcher.borrow_mut() = Fetcher::with(self.remote.clone());
        }
    }

    /// The body of a row that [`holds_body`], or why it cannot be had, in words.
    pub fn fetch(&self, table: &Table, row: &Row) -> Result<Rc<Body>, String> {
        self.fetch_at(&Spot::of(table, row))
    }

    /// The body at a place, or why it cannot be had, in words.
    pub(crate) fn fetch_at(&self, spot: &Spot<'_>) -> Result<Rc<Body>, String> {
        let again = |why: &dyn fmt::Display| format!("its body cannot be read again: {why}");
        // Without an id, a record that shares its member cannot be told from the others.
        let is_alone = spot.length.is_some() || spot.record_id.is_some();
        if let Some((last, body)) = &*self.last.borrow()
            && spot.is(last)
            && is_alone
        {
            return Ok(Rc::clone(body));
        }
        let body = self.sought(spot);
        let body = body.map_err(|error| again(&error))?.map_err(|why| again(&why.words()))?;
        if !spot.is_its_body(&body) {
            return Err(again(&"it is another one than before"));
        }
        let body = Rc::new(body);
        let place = (spot.file.to_owned(), spot.offset, spot.record_id.map(str::to_owned));
        *self.last.borrow_mut() = Some((place, Rc::clone(&body)));
        Ok(body)
    }

    /// Whether the body that was found at a place is still there. One that is too long to be held, or in a coding that cannot be
    /// taken off, was so before.
    pub(crate) fn has(&self, spot: &Spot<'_>) -> bool {
        match self.sought(spot) {
            Ok(Ok(body)) => spot.is_its_body(&body),
            Ok(Err(why)) => matches!(why, NoBody::TooLong | NoBody::Coding),
            Err(_) => false,
        }
    }

    fn sought(&self, spot: &Spot<'_>) -> io::Result<Result<Body, NoBody>> {
        let mut opened = self.opened.borrow_mut();
        if !opened.contains(spot.file) {
            if opened.len() >= FILES {
                opened.clear();
                *self.fetcher.borrow_mut() = Fetcher::with(self.remote.clone());
            }
            opened.insert(spot.file.to_owned());
        }
        let Spot { file, offset, length, record_id: id, declared, .. } = *spot;
        self.fetcher.borrow_mut().body(&Sought { file, offset, length, id, declared })
    }
}
