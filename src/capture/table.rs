//! The table of observations, compact: what every measure is computed from.
//!
//! Rows are sorted by page (canonical key), then by time; strings and digests are interned. A row takes about 180
//! bytes, so a million captures fit in a fraction of a gigabyte. Building costs O(n log n).
//!
//! Only what can enter a page's history is kept: GET (or an unknown method) of `http` and `https` URLs with a date.
//! A line of an index that describes a capture which was also read from its archive is dropped, so that an index
//! given together with its archives counts nothing twice. What was left out is counted in [`LeftOut`].

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::archive::http::fault;
use crate::capture::doubles::{by_content, drop_doubles};
use crate::capture::intern::{Id, Interner};
use crate::capture::normal::NO_BODY;
use crate::capture::observation::BLOCK_DIGEST;
use crate::capture::other_records::{self, OtherRecord};
use crate::capture::redirect::{leads_back, target};
use crate::capture::response_date;
use crate::capture::shared::{Shared, SharedText, lacks_shared, share_texts, share_with};
use crate::capture::{AtOdds, Kind, Negotiation, Observation, ResolvedBy, Witness};
use crate::digest::{Algorithm, BodyDigest, Digest};
use crate::time::Instant;

/// One observation with its strings and digests interned. `None` is unknown.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(missing_docs, reason = "the fields are those of Observation, interned")]
pub struct Row {
    pub url: Id,
    pub key: Id,
    pub time: Instant,
    pub end: Instant,
    /// When the response was made at the earliest: before `time` where a cache may have kept it.
    pub made: Instant,
    pub last_modified: Option<Instant>,
    pub http_date: Option<Instant>,
    pub offset: Option<u64>,
    pub length: Option<u64>,
    pub body_length: Option<u64>,
    pub body: Option<Id>,
    pub text: Option<Id>,
    pub declared: Option<Id>,
    pub payload: Option<Id>,
    pub etag: Option<Id>,
    pub mime: Option<Id>,
    pub writer: Option<Id>,
    pub file: Id,
    pub crawl: Option<Id>,
    pub record_id: Option<Id>,
    pub location: Option<Id>,
    /// Why an answer with status 200 is taken for "not found", in words.
    pub soft404: Option<Id>,
    /// What is wrong with the record, in the codes of [`Observation::damage`].
    pub damage: Option<Id>,
    /// Why the capture is cut, in the words of [`Observation::truncated`].
    pub cut: Option<Id>,
    /// A redirect to another spelling of its own URL, by the rules for keys that are in force.
    pub leads_back: bool,
    /// The target of a redirect, resolved, as `as_written` has it.
    pub target: Option<Id>,
    /// The charset that was declared, by its one name.
    pub charset: Option<Id>,
    pub vary: Option<Id>,
    /// The codings that the head names.
    pub coding: Option<Id>,
    /// What the request said that may have chosen the answer, where it is known.
    pub request: Option<Negotiation>,
    /// The conditions of the request for a 304.
    pub none_match: Option<Id>,
    pub modified_since: Option<Instant>,
    /// Seconds that the answer had been in a cache.
    pub age: Option<u32>,
    /// It has an `Age` that cannot be read.
    pub age_unread: bool,
    /// Milliseconds that the fetch took.
    pub duration: Option<u32>,
    /// Who contradicts the capture: see [`Table::contradiction`].
    pub contradicted_by: Option<Witness>,
    /// Where that witness lies, and which of the inputs holds it.
    pub witness: Option<Id>,
    pub witness_input: u32,
    /// Which of the inputs the user named the row comes from, counted from 0.
    pub input: u32,
    pub status: Option<u16>,
    pub kind: Kind,
    /// The answer was 304: the server says that nothing changed.
    pub not_modified: bool,
    /// A revisit names the record, or the URL and date, that it refers to.
    pub names_original: bool,
    /// The method of the request is known.
    pub method_known: bool,
    /// It is not GET: such rows only speak of their copies, and no table holds them.
    pub(super) other_method: bool,
    /// The capture is incomplete.
    pub truncated: bool,
    /// It begins unlike the page that stood there before and after it.
    pub strays: bool,
    /// It has no body though its head names one, and no request: probably the answer to HEAD.
    pub bodiless: bool,
    /// How a revisit was resolved; `None` for what is not a revisit and for a revisit whose original was not found.
    pub resolved_by: Option<ResolvedBy>,
    /// Why a revisit says nothing about the body of its original.
    pub at_odds: Option<AtOdds>,
    /// The place of the record that a revisit was resolved to: see [`Table::original`].
    pub original: Option<Id>,
    /// It is a revisit, even if only an index says so.
    pub revisit: bool,
    /// Links were looked for, here or where the body was read, so that a page without any is known to have none.
    pub links_known: bool,
    /// Whether the declared digest was recomputed and agrees.
    pub digest_ok: Option<bool>,
    /// The body is not the one of the declared digest, and no habit of writers explains it.
    pub refuted: bool,
    /// The block is not the one of its declared digest.
    pub block_refuted: bool,
}

impl Row {
    /// Which of its own digests the capture contradicts, in words.
    pub(crate) fn broken(&self) -> Option<&'static str> {
        match (self.refuted, self.block_refuted) {
            (true, _) => Some("damaged: its payload is not the one of its declared digest"),
            (_, true) => Some("damaged: its block is not the one of its declared digest"),
            _ => None,
        }
    }

    /// Whether the capture says in which charset its body is to be read, if only by silence: a response always, a revisit where
    /// the head that was stored with it has a media type.
    pub(crate) fn states_charset(&self) -> bool {
        !self.not_modified
            && (self.kind == Kind::Response || (self.kind == Kind::Revisit && self.mime.is_some()))
    }
}

/// How many observations did not enter the table, and why.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Requests by another method than GET: their answers are no state of the page.
    pub other_methods: u64,
    /// `urn:`, `dns:`, `metadata:` and other URLs that are not fetched by HTTP.
    pub other_schemes: u64,
    /// Captures without a readable date.
    pub undated: u64,
    /// Index lines of captures that were also read from their archive, or from another index.
    pub indexed_twice: u64,
    /// Records that occur a second time, with the same record id and date.
    pub records_twice: u64,
}

impl LeftOut {
    /// Adds what another table left out.
    pub(crate) fn add(&mut self, other: LeftOut) {
        let LeftOut { other_methods, other_schemes, undated, indexed_twice, records_twice } = other;
        self.other_methods += other_methods;
        self.other_schemes += other_schemes;
        self.undated += undated;
        self.indexed_twice += indexed_twice;
        self.records_twice += records_twice;
    }
}

/// The history of one canonical URL: a range of rows in time order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The canonical key.
    pub key: Id,
    /// The rows of the table.
    pub rows: Range<usize>,
}

/// Collects observations; [`TableBuilder::finish`] sorts them into a [`Table`].
#[derive(Debug, Default)]
pub struct TableBuilder {
    rows: Vec<Row>,
    values: Interner,
    left_out: LeftOut,
    /// Inputs whose captures are not counted among what was left out.
    beside: Vec<u32>,
    /// Inputs that hold lines of indexes.
    lines: Vec<u32>,
    /// What is not part of a history, though it is of an address.
    asides: Vec<OtherRecord>,
}

/// All observations, sorted by page and time.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Row>,
    pages: Vec<Page>,
    values: Interner,
    left_out: LeftOut,
    asides: Vec<OtherRecord>,
}

impl TableBuilder {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty table; what is left out of these inputs is not counted.
    pub(crate) fn beside(inputs: &[u32]) -> Self {
        TableBuilder { beside: inputs.to_vec(), ..Self::default() }
    }

    /// An empty table. These inputs, in ascending order, hold lines of indexes: of a record and the line that describes it the record
    /// stays, also where the line says as much.
    pub(crate) fn with_lines(inputs: Vec<u32>) -> Self {
        TableBuilder { lines: inputs, ..Self::default() }
    }

    /// How many rows there are so far.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row yet.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds an observation of the given input. What is not a capture of a page is counted and left out.
    pub fn push(&mut self, observation: &Observation, input: u32) {
        let before = self.left_out;
        self.take(observation, input);
        if self.beside.contains(&input) {
            self.left_out = before;
        }
    }

    fn take(&mut self, observation: &Observation, input: u32) {
        let other_method = has_other_method(observation);
        if other_method || (observation.time.is_none() && is_http(&observation.url)) {
            self.asides.extend(OtherRecord::of(observation, &mut self.values));
        }
        let Some(time) = observation.time.filter(|_| is_http(&observation.url)) else {
            match (other_method, is_http(&observation.url)) {
                (true, _) => self.left_out.other_methods += 1,
                (_, false) => self.left_out.other_schemes += 1,
                (_, true) => self.left_out.undated += 1,
            }
            return;
        };
        if let Some(row) = self.row(observation, time, input) {
            self.rows.push(row);
        }
    }

    /// The row of an observation; a new field does not compile until it is either used or named here as unused.
    fn row(&mut self, observation: &Observation, time: Instant, input: u32) -> Option<Row> {
        let Observation {
            url,
            method,
            key,
            time: _,
            time_end,
            status,
            mime,
            kind,
            profile: _,
            writer,
            declared,
            payload,
            digest_ok,
            digest_covers: _,
            body,
            last_modified,
            etag,
            http_date,
            length,
            truncated,
            strays,
            file,
            offset,
            record_id,
            refers_to,
            body_length,
            content_length: _,
            location,
            crawl,
            text,
            charset,
            vary,
            coding,
            request,
            if_none_match,
            if_modified_since,
            age,
            duration,
            ip: _,
            contradicts,
            damage,
            soft404,
            links,
            sitemap: _,
        } = observation;
        let (not_modified, revisit) = (observation.is_not_modified(), observation.is_revisit());
        let payload = payload.filter(|_| body.is_none() && !not_modified);
        let text_of = |values: &mut Interner, text: &Option<String>| {
            text.as_ref().and_then(|text| values.intern(text.as_bytes()))
        };
        let name_of = |values: &mut Interner, name: &Option<Arc<str>>| {
            name.as_ref().and_then(|name| values.intern(name.as_bytes()))
        };
        let values = &mut self.values;
        let refers_to = refers_to.as_ref();
        let original =
            refers_to.and_then(|refers| intern_place(values, refers.file.as_deref()?, refers.offset?));
        let contradicts = contradicts.as_ref();
        let witness =
            contradicts.and_then(|witness| intern_witness(values, witness.file.to_string(), witness.offset));
        Some(Row {
            url: values.intern(url.as_bytes())?,
            key: values.intern(key.as_bytes())?,
            time,
            end: time_end.unwrap_or(time).max(time),
            // It takes the other captures of the page.
            made: time,
            last_modified: *last_modified,
            http_date: *http_date,
            offset: *offset,
            length: *length,
            body_length: *body_length,
            body: body.and_then(|body| intern_body(values, body)),
            text: text.and_then(|text| intern_body(values, text)),
            declared: declared.and_then(|digest| intern_digest(values, digest)),
            payload: payload.and_then(|digest| intern_digest(values, digest)),
            etag: text_of(values, etag),
            mime: text_of(values, mime),
            writer: name_of(values, writer),
            file: values.intern(file.as_bytes())?,
            crawl: name_of(values, crawl),
            record_id: text_of(values, record_id),
            location: text_of(values, location),
            soft404: soft404.as_ref().and_then(|sign| values.intern(sign.explain().as_bytes())),
            damage: text_of(values, damage),
            cut: text_of(values, truncated),
            leads_back: leads_back(observation),
            target: target(observation).and_then(|target| values.intern(target.as_bytes())),
            charset: charset.as_ref().and_then(|label| values.intern(charset_name(label).as_bytes())),
            vary: text_of(values, vary),
            coding: text_of(values, coding),
            request: *request,
            none_match: text_of(values, if_none_match),
            modified_since: *if_modified_since,
            age: age.map(|age| u32::try_from(age).unwrap_or(u32::MAX)),
            age_unread: observation.is_damaged_by(fault::AGE),
            duration: duration.map(|duration| u32::try_from(duration).unwrap_or(u32::MAX)),
            contradicted_by: contradicts.map(|contradiction| contradiction.witness),
            witness,
            witness_input: input,
            input,
            status: *status,
            kind: if revisit && *kind != Kind::Index { Kind::Revisit } else { *kind },
            revisit,
            not_modified,
            names_original: refers_to.is_some_and(|refers| {
                refers.record_id.is_some() || (refers.url.is_some() && refers.time.is_some())
            }),
            method_known: method.is_some(),
            other_method: has_other_method(observation),
            truncated: truncated.is_some(),
            strays: *strays == Some(true),
            bodiless: truncated.as_deref() == Some(NO_BODY),
            resolved_by: refers_to.and_then(|refers| refers.resolved_by),
            at_odds: refers_to.and_then(|refers| refers.at_odds),
            original,
            links_known: links.is_some(),
            digest_ok: *digest_ok,
            refuted: observation.is_refuted(),
            block_refuted: observation.is_damaged_by(BLOCK_DIGEST),
        })
    }

    /// Sorts the rows into pages, drops what is there twice, and lets equal bodies share what is known of them.
    pub fn finish(self) -> Table {
        let mut table = self.sorted();
        share_texts(&mut table.rows, table.values.len());
        table
    }

    /// As [`Self::finish`], for a part of an archive: `share` knows what bodies share in all of it.
    pub(crate) fn finish_with<'s>(
        self,
        share: &mut dyn FnMut(&BodyDigest) -> io::Result<Shared<'s>>,
    ) -> io::Result<Table> {
        let mut table = self.sorted();
        let mut known: HashMap<Id, (Option<SharedText>, Option<Id>)> = HashMap::new();
        for place in 0..table.rows.len() {
            let row = &table.rows[place];
            let Some(body) = row.body.filter(|_| lacks_shared(row)) else { continue };
            let (text, sign) = match known.get(&body) {
                Some(found) => *found,
                None => {
                    let digest = table.body(body).unwrap_or(BodyDigest([0; 32]));
                    let found = share(&digest)?;
                    let values = &mut table.values;
                    let charset = found.charset.and_then(|charset| values.intern(charset.as_bytes()));
                    let text = found.text.and_then(|text| intern_body(values, text));
                    let text = text.map(|text| SharedText { text, charset });
                    let sign = found.sign.and_then(|sign| values.intern(sign.as_bytes()));
                    known.insert(body, (text, sign));
                    (text, sign)
                }
            };
            share_with(&mut table.rows[place], text, sign);
        }
        Ok(table)
    }

    fn sorted(mut self) -> Table {
        let values = &self.values;
        let mut keys: Vec<Id> = self.rows.iter().map(|row| row.key).collect();
        keys.sort_unstable();
        keys.dedup();
        keys.sort_unstable_by(|a, b| values.bytes(*a).cmp(values.bytes(*b)));
        let mut rank = vec![0u32; values.len()];
        for (place, key) in keys.iter().enumerate() {
            rank[key.index()] = place as u32;
        }
        let mut order: Vec<(u32, Instant, Instant, u32)> = self
            .rows
            .iter()
            .enumerate()
            .map(|(index, row)| (rank[row.key.index()], row.time, row.end, index as u32))
            .collect();
        order.sort_unstable_by(|one, other| {
            let (time, row) =
                (|row: &(u32, Instant, Instant, u32)| (row.0, row.1, row.2), |at| &self.rows[at as usize]);
            time(one)
                .cmp(&time(other))
                .then_with(|| by_content(row(one.3), row(other.3), values))
                .then(one.3.cmp(&other.3))
        });
        let order: Vec<u32> = order.into_iter().map(|(.., index)| index).collect();
        let mut rows = std::mem::take(&mut self.rows);
        permute(&mut rows, order);
        drop_doubles(&mut rows, &mut self.values, &self.beside, &self.lines, &mut self.left_out);
        let mut pages: Vec<Page> = Vec::with_capacity(keys.len());
        for (index, row) in rows.iter().enumerate() {
            match pages.last_mut() {
                Some(page) if page.key == row.key => page.rows.end = index + 1,
                _ => pages.push(Page { key: row.key, rows: index..index + 1 }),
            }
        }
        pages.iter().for_each(|page| response_date::date(&mut rows[page.rows.clone()]));
        other_records::sort(&mut self.asides, &self.values);
        Table { rows, pages, values: self.values, left_out: self.left_out, asides: self.asides }
    }
}

/// Brings rows into an order where they lie: `order` says for each place which row belongs there. Two copies of all rows
/// would be the most that a table ever takes.
fn permute(rows: &mut [Row], mut order: Vec<u32>) {
    for start in 0..rows.len() {
        let mut at = start;
        let first = rows[start];
        loop {
            let from = std::mem::replace(&mut order[at], at as u32) as usize;
            if from == start {
                rows[at] = first;
                break;
            }
            rows[at] = rows[from];
            at = from;
        }
    }
}

impl Table {
    /// The table of some observations of one input.
    pub fn of<'a>(observations: impl IntoIterator<Item = &'a Observation>) -> Self {
        let mut builder = TableBuilder::new();
        for observation in observations {
            builder.push(observation, 0);
        }
        builder.finish()
    }

    /// All rows, sorted by page and time.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Gives a row another text: of captures that are to count as equal.
    pub(crate) fn set_text(&mut self, row: usize, text: Id) {
        if let Some(row) = self.rows.get_mut(row) {
            row.text = Some(text);
        }
    }

    /// All canonical URLs, sorted by key.
    pub fn pages(&self) -> &[Page] {
        &self.pages
    }

    /// The rows of a page, in time order.
    pub fn rows_of(&self, page: &Page) -> &[Row] {
        &self.rows[page.rows.clone()]
    }

    /// The text behind an id.
    pub fn text(&self, id: Id) -> &str {
        self.values.text(id)
    }

    /// The body or text digest behind an id.
    pub fn body(&self, id: Id) -> Option<BodyDigest> {
        self.values.bytes(id).get(1..)?.try_into().ok().map(BodyDigest)
    }

    /// The declared digest behind an id.
    pub fn digest(&self, id: Id) -> Option<Digest> {
        let (label, bytes) = self.values.bytes(id).split_first()?;
        Digest::new(*ALGORITHMS.get(usize::from(*label))?, bytes)
    }

    /// The file and offset of the record that a revisit was resolved to.
    pub fn original(&self, row: &Row) -> Option<(&str, u64)> {
        let (file, offset) = self.values.bytes(row.original?).get(1..)?.split_last_chunk::<8>()?;
        Some((std::str::from_utf8(file).ok()?, u64::from_le_bytes(*offset)))
    }

    /// The place of a row, as revisits name it in [`Row::original`]; `None` where none does.
    pub(crate) fn place_of(&self, row: &Row) -> Option<Id> {
        self.values.find(&place_bytes(self.text(row.file), row.offset?))
    }

    /// The file of the record, index line or package that contradicts a row, and the offset there. The file is empty where it
    /// is the input of [`Row::witness_input`]: an index.
    pub(crate) fn contradiction(&self, row: &Row) -> Option<(Witness, &str, Option<u64>)> {
        let (file, offset) = self.values.bytes(row.witness?).get(1..)?.split_last_chunk::<8>()?;
        let offset = Some(u64::from_le_bytes(*offset)).filter(|offset| *offset != u64::MAX);
        Some((row.contradicted_by?, std::str::from_utf8(file).ok()?, offset))
    }

    /// Whether two declared digests are of one algorithm: only then do they compare.
    pub fn same_algorithm(&self, one: Id, other: Id) -> bool {
        self.values.bytes(one).first() == self.values.bytes(other).first()
    }

    /// The records of a key that are not part of its history.
    pub(crate) fn beside(&self, key: &str) -> &[OtherRecord] {
        let from = self.asides.partition_point(|record| self.text(record.key) < key);
        let to = self.asides.partition_point(|record| self.text(record.key) <= key);
        &self.asides[from..to]
    }

    /// How many captures of a key were left out because their date cannot be read.
    pub(crate) fn undated(&self, key: &str) -> u64 {
        self.beside(key).iter().filter(|record| record.time.is_none()).count() as u64
    }

    /// What no page could be made of, or came twice.
    pub fn left_out(&self) -> LeftOut {
        self.left_out
    }

    /// The page of a canonical key.
    pub fn page(&self, key: &str) -> Option<&Page> {
        Some(&self.pages[self.place(key)?])
    }

    /// Where the page of a canonical key stands in [`Self::pages`].
    pub(crate) fn place(&self, key: &str) -> Option<usize> {
        self.pages.binary_search_by(|page| self.text(page.key).cmp(key)).ok()
    }
}

const ALGORITHMS: [Algorithm; 5] =
    [Algorithm::Md5, Algorithm::Sha1, Algorithm::Sha256, Algorithm::Sha512, Algorithm::Blake3];

fn intern_digest(values: &mut Interner, digest: Digest) -> Option<Id> {
    let label = ALGORITHMS.iter().position(|algorithm| *algorithm == digest.algorithm())?;
    let mut bytes = [label as u8; 65];
    let length = digest.bytes().len();
    bytes[1..=length].copy_from_slice(digest.bytes());
    values.intern(&bytes[..=length])
}

pub(super) fn intern_body(values: &mut Interner, body: BodyDigest) -> Option<Id> {
    // The mark keeps bodies apart from declared BLAKE3 digests, which cover another form of the payload.
    let mut bytes = [b'b'; 33];
    bytes[1..].copy_from_slice(&body.0);
    values.intern(&bytes)
}

fn place_bytes(file: &str, offset: u64) -> Vec<u8> {
    let mut bytes = vec![b'p'];
    bytes.extend_from_slice(file.as_bytes());
    bytes.extend_from_slice(&offset.to_le_bytes());
    bytes
}

fn intern_place(values: &mut Interner, file: &str, offset: u64) -> Option<Id> {
    values.intern(&place_bytes(file, offset))
}

/// The place of a record in a file whose name is known.
pub(super) fn intern_place_of(values: &mut Interner, file: Id, offset: u64) -> Option<Id> {
    let file = values.text(file).to_owned();
    intern_place(values, &file, offset)
}

pub(super) fn intern_witness(values: &mut Interner, file: String, offset: Option<u64>) -> Option<Id> {
    intern_place(values, &file, offset.unwrap_or(u64::MAX))
}

/// The one name of a charset: `utf8` and `UTF-8` are the same. A label that no browser knows stands for itself.
fn charset_name(label: &str) -> &str {
    encoding_rs::Encoding::for_label(label.as_bytes()).map_or(label, |encoding| encoding.name())
}

fn has_other_method(observation: &Observation) -> bool {
    observation.method.as_deref().is_some_and(|method| !method.eq_ignore_ascii_case("GET"))
}

fn is_http(url: &str) -> bool {
    let scheme =
        |scheme: &str| url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    scheme("http://") || scheme("https://")
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
