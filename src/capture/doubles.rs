//! One capture given several times is one capture; two records that claim to be the same capture and differ
//! contradict each other.
//!
//! All copies of a capture share key and second, so they lie together once the rows are sorted. Copies are: records of
//! one id, URL as written and date, wherever they lie; records of one URL, date, status, media type and content under several ids, where their dates
//! may be of different precision (the ARC and the WARC of one crawl); an index line and what it
//! describes, by place or by URL and digest. Which copy stays is decided by what the rows hold, never by the order of the inputs.
//!
//! What one copy says against the capture stays: it is cut where a copy with the same body is, and a method or a validator that one
//! copy knows is that of all ([`super::copies`]).

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use super::copies::{have_two_methods, join};
use super::intern::{Id, Interner};
use super::normal::REVISIT_OF_CUT;
use super::table::{LeftOut, Row, intern_place_of, intern_witness};
use super::{AtOdds, Kind, Witness};
use crate::archive::source::base_name;
use crate::digest::agree;
use crate::time::SECOND;
use crate::url::as_written;

/// A row that another one, which is not kept, contradicts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Contradicted {
    /// The row that is kept.
    row: usize,
    witness: Witness,
    /// Where the other one lies: its own words for it, if it has some.
    place: Option<Id>,
    file: Id,
    offset: Option<u64>,
    input: u32,
}

/// An order of rows by what they hold.
pub(super) fn by_content(one: &Row, other: &Row, values: &Interner) -> Ordering {
    let bytes = |id: Option<Id>| id.map(|id| values.bytes(id));
    let of = |row: &Row| (row.kind == Kind::Index, row.status, row.truncated, row.contradicted_by);
    let content =
        |row: &Row| [Some(row.url), row.body, row.declared, row.location, row.mime, row.charset].map(bytes);
    let ids = |row: &Row| [row.record_id, row.writer, Some(row.file)].map(bytes);
    // What a capture shows decides first, so that records of one second may lie in any order, and a response may be stored as a
    // revisit.
    of(one)
        .cmp(&of(other))
        .then_with(|| content(one).cmp(&content(other)))
        .then_with(|| one.kind.cmp(&other.kind))
        .then_with(|| ids(one).cmp(&ids(other)))
        .then_with(|| (one.offset, one.length, one.input).cmp(&(other.offset, other.length, other.input)))
}

/// How much a row says: of several copies, the one that says most stays. What is in the inputs `lines` comes after what is there itself.
fn by_worth(one: &Row, other: &Row, values: &Interner, lines: &[u32]) -> Ordering {
    let of = |row: &Row| {
        let lacks = [row.body, row.declared, row.record_id, row.writer, row.etag].map(|id| id.is_none());
        let is_broken = (row.refuted, row.block_refuted);
        let asked = (!row.method_known, row.other_method);
        let is_line = row.kind == Kind::Index || lines.binary_search(&row.input).is_ok();
        (is_line, row.contradicted_by.is_some(), row.truncated, is_broken, lacks, asked)
    };
    of(one)
        .cmp(&of(other))
        .then_with(|| one.kind.cmp(&other.kind))
        .then_with(|| by_content(one, other, values))
}

/// Drops copies from rows that are sorted by key and time, and what was asked for by other methods than GET. Contradictions are
/// written into the rows that stay. What is in the inputs `beside` is not counted; the inputs `lines`, in ascending order, hold lines of
/// indexes whatever kind of capture these describe.
pub(super) fn drop_doubles(
    rows: &mut Vec<Row>,
    values: &mut Interner,
    beside: &[u32],
    lines: &[u32],
    left_out: &mut LeftOut,
) {
    let mut twice = vec![false; rows.len()];
    let (mut contradicted, mut copies) = (Vec::new(), Vec::new());
    let mut start = 0;
    let second = |row: &Row| row.time.0.div_euclid(SECOND);
    while start < rows.len() {
        let first = &rows[start];
        let is_with = |row: &&Row| row.key == first.key && second(row) == second(first);
        let length = rows[start..].iter().take_while(is_with).count();
        if length > 1 {
            let mut group = Group::new(&rows[start..start + length], start, values, lines);
            group.mark(&mut twice[start..start + length], beside, left_out);
            contradicted.append(&mut group.contradicted);
            copies.append(&mut group.copies);
        }
        start += length;
    }
    for found in contradicted {
        let row = &mut rows[found.row];
        if row.contradicted_by.is_none() {
            row.contradicted_by = Some(found.witness);
            row.witness = found.place.or_else(|| match found.witness {
                // Its line names the place of the record, not its own.
                Witness::Index => intern_witness(values, String::new(), None),
                Witness::Copy | Witness::Package | Witness::Request | Witness::Head => {
                    let file = values.text(found.file).to_owned();
                    intern_witness(values, file, found.offset)
                }
            });
            row.witness_input = found.input;
        }
    }
    let mut cut = HashSet::new();
    for (copy, kept) in &copies {
        let told = rows[*copy];
        if join(&mut rows[*kept], &told, values) {
            cut.insert(*kept);
        }
    }
    copies.retain(|(copy, _)| rows[*copy].kind != Kind::Index);
    lead_to_kept(rows, values, &copies, &cut);
    let mut twice = twice.into_iter();
    rows.retain(|row| {
        let is_twice = twice.next().unwrap_or(false);
        left_out.other_methods += u64::from(!is_twice && row.other_method && !beside.contains(&row.input));
        !is_twice && !row.other_method
    });
}

/// Lets revisits of a copy that is dropped refer to the copy that is kept. Those of one that turned out to be `cut` are cut too.
fn lead_to_kept(rows: &mut [Row], values: &mut Interner, copies: &[(usize, usize)], cut: &HashSet<usize>) {
    if (copies.is_empty() && cut.is_empty()) || rows.iter().all(|row| row.original.is_none()) {
        return;
    }
    let mut place = |at: usize| intern_place_of(values, rows[at].file, rows[at].offset?);
    let places = copies.iter().filter_map(|(copy, kept)| Some((place(*copy)?, place(*kept)?)));
    let places: HashMap<Id, Id> = places.filter(|(copy, kept)| copy != kept).collect();
    let cut: HashSet<Id> = cut.iter().filter_map(|at| place(*at)).collect();
    let reason = values.intern(REVISIT_OF_CUT.as_bytes());
    for row in rows {
        let Some(original) = row.original else { continue };
        let original = places.get(&original).copied().unwrap_or(original);
        row.original = Some(original);
        if cut.contains(&original) && !row.truncated {
            (row.truncated, row.cut, row.at_odds) = (true, reason, Some(AtOdds::Cut));
            (row.body, row.text) = (None, None);
        }
    }
}

/// Whether two records state different charsets, if one of them only by silence.
fn in_two_charsets(one: &Row, other: &Row) -> bool {
    one.charset != other.charset && one.states_charset() && other.states_charset()
}

/// Whether two records state different media types: the same bytes are a page for one and a file for the other.
fn in_two_types(one: &Row, other: &Row) -> bool {
    one.mime.zip(other.mime).is_some_and(|(one, other)| one != other)
}

/// The URLs and record ids of rows that are written in another way before: with a default port, or in capitals.
fn same(rows: &[Row], values: &Interner) -> HashMap<Id, Id> {
    let mut same = HashMap::new();
    if rows.iter().any(|row| row.url != rows[0].url || row.record_id != rows[0].record_id) {
        let (mut urls, mut ids) = (HashMap::new(), HashMap::new());
        for row in rows {
            let url = *urls.entry(as_written(values.text(row.url))).or_insert(row.url);
            same.insert(row.url, url);
            if let Some(id) = row.record_id {
                let first = *ids.entry(values.text(id).to_ascii_lowercase()).or_insert(id);
                same.insert(id, first);
            }
        }
    }
    same
}

/// The rows of one key and second.
struct Group<'a> {
    rows: &'a [Row],
    start: usize,
    values: &'a Interner,
    lines: &'a [u32],
    contradicted: Vec<Contradicted>,
    /// Rows that are dropped, each with the one that is kept.
    copies: Vec<(usize, usize)>,
    /// URLs and record ids that are another way to write one that came before.
    same: HashMap<Id, Id>,
    /// The first row of each record id, URL and time.
    records: HashMap<(Id, Id, i64), usize>,
    /// The first row of each URL, status and content, with its media type and of any.
    contents: HashMap<(Id, Option<u16>, Id, Option<Id>), usize>,
    /// The first row of each place.
    places: HashMap<(&'a str, u64), usize>,
    /// The first row of each URL and declared digest, and of each URL.
    captures: HashMap<(Id, Option<Id>), usize>,
    urls: HashMap<Id, usize>,
    /// The first record of each URL in a file, by the name of that file.
    in_files: HashMap<(&'a str, Id), usize>,
}

impl<'a> Group<'a> {
    fn new(rows: &'a [Row], start: usize, values: &'a Interner, lines: &'a [u32]) -> Self {
        Group {
            rows,
            start,
            values,
            lines,
            contradicted: Vec::new(),
            copies: Vec::new(),
            same: same(rows, values),
            records: HashMap::new(),
            contents: HashMap::new(),
            places: HashMap::new(),
            captures: HashMap::new(),
            urls: HashMap::new(),
            in_files: HashMap::new(),
        }
    }

    fn mark(&mut self, twice: &mut [bool], beside: &[u32], left_out: &mut LeftOut) {
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        // Archives come first: they say more than an index does.
        order.sort_by(|one, other| by_worth(&self.rows[*one], &self.rows[*other], self.values, self.lines));
        for at in order {
            let row = &self.rows[at];
            let known = if row.kind == Kind::Index { self.described(row) } else { self.copied(row) };
            let Some(known) = known else {
                self.enter(at);
                continue;
            };
            twice[at] = true;
            let counter = if row.kind == Kind::Index {
                &mut left_out.indexed_twice
            } else {
                &mut left_out.records_twice
            };
            *counter += u64::from(!beside.contains(&row.input));
            let by_double = match row.kind == Kind::Index {
                _ if !self.contradict(known, row) => None,
                true => Some(Witness::Index),
                false => Some(Witness::Copy),
            };
            // What contradicts a copy contradicts the capture: another copy does not take that away.
            if let Some(witness) = by_double.or(row.contradicted_by) {
                let Row { file, offset, input, witness: place, .. } = *row;
                // What differs from this copy is the one that is kept.
                let place = place.filter(|_| row.contradicted_by != Some(Witness::Copy));
                let row = self.start + known;
                self.contradicted.push(Contradicted { row, witness, place, file, offset, input });
            }
            self.copies.push((self.start + at, self.start + known));
            if row.kind != Kind::Index {
                self.enter_as(at, known);
            }
        }
    }

    /// The one way to write a URL or record id.
    fn one(&self, id: Id) -> Id {
        self.same.get(&id).copied().unwrap_or(id)
    }

    fn place(&self, row: &Row) -> Option<(&'a str, u64)> {
        let values: &'a Interner = self.values;
        row.offset.map(|offset| (base_name(values.text(row.file)), offset))
    }

    fn enter(&mut self, at: usize) {
        let row = &self.rows[at];
        let url = self.one(row.url);
        if let Some(id) = row.record_id {
            self.records.entry((self.one(id), url, row.time.0)).or_insert(at);
        }
        if let Some(content) = row.body.or(row.declared) {
            for mime in [row.mime, None] {
                self.contents.entry((url, row.status, content, mime)).or_insert(at);
            }
        }
        self.enter_as(at, at);
    }

    /// Lets index lines find a record, which is `known` by another one if it is a copy.
    fn enter_as(&mut self, at: usize, known: usize) {
        let row = &self.rows[at];
        let url = self.one(row.url);
        if let Some(place) = self.place(row) {
            self.places.entry(place).or_insert(known);
        }
        // A line without a digest or a place does not speak of what was asked for by another method.
        if row.other_method {
            if row.declared.is_some() {
                self.captures.entry((url, row.declared)).or_insert(known);
            }
            return;
        }
        if row.kind != Kind::Index {
            self.in_files.entry((base_name(self.values.text(row.file)), url)).or_insert(known);
        }
        self.captures.entry((url, row.declared)).or_insert(known);
        self.urls.entry(url).or_insert(known);
    }

    /// The row of which a record is a copy.
    fn copied(&self, row: &Row) -> Option<usize> {
        let url = self.one(row.url);
        let same_record = row.record_id.and_then(|id| self.records.get(&(self.one(id), url, row.time.0)));
        let same_content = || {
            let content = row.body.or(row.declared)?;
            let of_type = |mime| self.contents.get(&(url, row.status, content, mime));
            let known = of_type(row.mime).or_else(|| of_type(None))?;
            let held = &self.rows[*known];
            // Within one file dates are mostly of one precision; elsewhere, and where one has no fraction, times have to overlap.
            let is_whole = |row: &Row| row.time.0.rem_euclid(SECOND) == 0;
            let is_then = match held.file == row.file && is_whole(held) == is_whole(row) {
                true => held.time == row.time && held.end == row.end,
                false => held.time <= row.end && row.time <= held.end,
            };
            // One that a cache kept is not the one that it did not keep.
            let is_alike = held.target == row.target
                && (held.age == row.age || held.kind != Kind::Response || row.kind != Kind::Response)
                && (held.truncated == row.truncated || (held.body.is_some() && held.body == row.body))
                && !have_two_methods(held, row);
            (is_then && is_alike && !in_two_charsets(held, row) && !in_two_types(held, row)).then_some(known)
        };
        same_record.or_else(same_content).copied()
    }

    /// The row that an index line describes.
    fn described(&self, row: &Row) -> Option<usize> {
        let place = self.place(row).and_then(|place| self.places.get(&place));
        let url = self.one(row.url);
        // If one side has no digest, the digests do not rule the match out.
        let capture = || match row.declared {
            Some(_) => self.captures.get(&(url, row.declared)).or_else(|| self.captures.get(&(url, None))),
            None => self.urls.get(&url),
        };
        let at_place = place.filter(|known| self.one(self.rows[**known].url) == url);
        // A line for this URL and date whose place holds no record of that file, and whose digest none has.
        let beside = || {
            let (file, _) = self.place(row).filter(|_| place.is_none())?;
            let known = self.in_files.get(&(file, url))?;
            self.contradict(*known, row).then_some(known)
        };
        at_place.or_else(capture).or_else(beside).copied()
    }

    /// Whether two rows that are one capture cannot both be right.
    fn contradict(&self, known: usize, other: &Row) -> bool {
        let one = &self.rows[known];
        let are_records = other.kind != Kind::Index && one.kind != Kind::Index;
        let differ = one.status.zip(other.status).is_some_and(|(one, other)| one != other)
            || one.target.zip(other.target).is_some_and(|(one, other)| one != other);
        if are_records && differ {
            return true;
        }
        // A copy that is cut says less, not something else, unless it begins unlike the whole one.
        if one.truncated || other.truncated {
            return are_records && one.truncated != other.truncated && (one.strays || other.strays);
        }
        if are_records && in_two_charsets(one, other) {
            return true;
        }
        let is_line_of = other.kind == Kind::Index
            && one.kind == Kind::Response
            && self.place(other).and_then(|place| self.places.get(&place)) == Some(&known);
        if is_line_of && one.status.zip(other.status).is_some_and(|(one, other)| one != other) {
            return true;
        }
        if let (Some(a), Some(b)) = (one.body, other.body) {
            return a != b || one.status != other.status;
        }
        let algorithm = |id: Id| self.values.bytes(id).first().copied();
        match agree(&[one.declared, one.payload], &[other.declared, other.payload], algorithm) {
            Some(agree) => !agree,
            // Where the digests do not compare, the body was read again: a line that is still here contradicts it.
            None => {
                let place = self.place(other).and_then(|place| self.places.get(&place));
                other.kind == Kind::Index && other.declared.is_some() && place == Some(&known)
            }
        }
    }
}
