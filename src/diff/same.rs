//! One capture on both sides: the same record, a copy of it, or a line of an index and the record that it describes.
//!
//! The rules of evidence compare what was captured at two times. A copy needs none of them: it is the same capture, whatever kind it is
//! of, a 304 or a record that is cut too. But a place alone is not enough: where two digests are declared and differ, or do not compare,
//! two captures are not called one.

use crate::archive::source::base_name;
use crate::capture::Kind;
use crate::capture::table::{Row, Table};
use crate::change::evidence::Grade;
use crate::ingest::block::{Block, Blocks, Spot};
use crate::time::SECOND;

/// Finds captures that both sides hold.
pub(super) struct Copies<'t> {
    table: &'t Table,
    blocks: Blocks,
}

impl<'t> Copies<'t> {
    pub(super) fn new(table: &'t Table) -> Self {
        Copies { table, blocks: Blocks::default() }
    }

    /// Whether two rows are one capture, by what, and in words.
    pub(super) fn are_one(&mut self, one: &Row, other: &Row) -> Option<(Grade, &'static str)> {
        let second = |row: &Row| row.time.0.div_euclid(SECOND);
        let differ = |a: Option<u16>, b: Option<u16>| a.zip(b).is_some_and(|(a, b)| a != b);
        if one.url != other.url || second(one) != second(other) || differ(one.status, other.status) {
            return None;
        }
        if one.kind == Kind::Index || other.kind == Kind::Index {
            return self
                .are_one_place(one, other)
                .then_some((Grade::Digest, "both sides name the same record"));
        }
        if one.time != other.time || differ_in_digest(one, other) {
            return None;
        }
        let is_named = one.record_id.is_some() && one.record_id == other.record_id;
        if one.kind != other.kind {
            let is_revisit = one.kind == Kind::Revisit || other.kind == Kind::Revisit;
            let is_one = is_named && is_revisit && one.body.is_some() && one.body == other.body;
            return is_one.then_some((Grade::Digest, "one record is the other as a revisit"));
        }
        let is_same_place = one.input == other.input
            && (one.file, one.offset, one.record_id) == (other.file, other.offset, other.record_id);
        if is_same_place {
            return Some((Grade::Bytes, "both sides hold the same record"));
        }
        // A revisit does not hold its body: only its id says that it is the same one.
        let has_body = matches!(one.kind, Kind::Response | Kind::Resource);
        let is_copy = (has_body || is_named) && self.block(one)?.is_same(&self.block(other)?);
        is_copy.then_some((Grade::Bytes, "one record is a copy of the other"))
    }

    /// Whether lines of indexes, or a line and a record, name one place, and nothing speaks against it.
    fn are_one_place(&self, one: &Row, other: &Row) -> bool {
        let name = |row: &Row| base_name(self.table.text(row.file));
        let is_line = |row: &Row| row.kind == Kind::Index;
        let lengths_differ = one.length.zip(other.length).is_some_and(|(a, b)| a != b);
        let is_place = one.offset.is_some() && one.offset == other.offset && name(one) == name(other);
        // A line without a place is compared with itself only.
        let is_itself = one.input == other.input && one.offset == other.offset && one.file == other.file;
        (is_place || is_itself)
            && !differ_in_digest(one, other)
            && !(is_line(one) && is_line(other) && lengths_differ)
    }

    fn block(&mut self, row: &Row) -> Option<Block> {
        let table = self.table;
        let spot = Spot {
            file: table.text(row.file),
            offset: row.offset?,
            length: row.length,
            id: row.record_id.map(|id| table.text(id)),
            url: table.text(row.url),
        };
        // What cannot be read again is not a copy.
        self.blocks.read(&spot).ok()?
    }
}

/// Whether both declare a digest, and not the same one.
fn differ_in_digest(one: &Row, other: &Row) -> bool {
    one.declared.zip(other.declared).is_some_and(|(a, b)| a != b)
}
