//! Same, different or unknown: what two looks at a page say of each other, and by what proof.
//!
//! Payload digests do not compare across writers: wget hashes the chunk-framed body, warcprox the de-chunked one. So
//! the order of proof is, strongest first:
//!
//! | grade | same | different |
//! |---|---|---|
//! | `bytes` | the recomputed identity bodies are equal | they are not; or two answers read from archives have different status |
//! | `digest` | a revisit says so by digest; declared digests of one algorithm are equal, by any writer | declared digests differ *within one family of writers* (all index lines count as one family: a stated assumption) |
//! | `not-modified` | the server answered 304 | – |
//! | `validator` | equal `ETag` or `Last-Modified` | – |
//!
//! A verdict names the weakest grade it rests on. Status belongs to the identity of an answer (404 and 410 are states
//! of a page); an unknown status decides nothing. What is not decided is *unknown*. A grade below the floor that the
//! user asks for decides nothing either, and `validator` never proves: it only supports claims.

use serde::{Deserialize, Serialize};

use crate::capture::intern::Id;
use crate::capture::page::is_failed;
use crate::capture::table::{Row, Table};
use crate::capture::{AtOdds, Kind};

/// What a verdict rests on, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    /// Bodies were recomputed and compared.
    Bytes,
    /// Declared digests were compared.
    Digest,
    /// The server said that nothing changed.
    NotModified,
    /// `ETag` or `Last-Modified` only.
    Validator,
}

impl Grade {
    /// The name, as it is written in reports.
    pub fn name(self) -> &'static str {
        match self {
            Grade::Bytes => "bytes",
            Grade::Digest => "digest",
            Grade::NotModified => "not-modified",
            Grade::Validator => "validator",
        }
    }
}

/// Whether a change in markup alone counts as a change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compare {
    /// Every byte counts.
    #[default]
    Bytes,
    /// Only the visible text counts, where both looks have it; else bytes.
    Text,
}

/// The answer to "are these two looks the same version?".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The same version.
    Same(Grade),
    /// Two versions.
    Different(Grade),
    /// Not decided.
    Unknown,
}

/// What a verdict was made by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// The status of the answers.
    Status,
    /// The bodies, codings removed.
    Body,
    /// The visible texts.
    Text,
    /// Recomputed payload digests.
    Payload,
    /// Declared digests.
    Declared,
    /// `ETag` or `Last-Modified`.
    Validator,
    /// Nothing: the digests of different writers cover different things.
    OtherWriter,
    /// Nothing: a revisit contradicts the record it refers to, or a body is not the one of its digest.
    AtOdds,
    /// Nothing: the digests are of different algorithms, or one look has none.
    Nothing,
}

/// The identity of one look: what its answer was, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Identity {
    status: Option<u16>,
    body: Option<Id>,
    text: Option<Id>,
    payload: Option<Id>,
    declared: Option<Id>,
    family: Family,
    etag: Option<Id>,
    last_modified: Option<i64>,
    /// The strongest grade that a verdict on this look can have.
    grade: Grade,
    /// The status was read from an archive, not from an index.
    read: bool,
    /// The look contradicts itself, or the record it refers to: its declared digest, or what repeats it, says nothing.
    at_odds: bool,
}

/// Writers whose digests compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Index,
    Writer(u64),
    File(Id),
}

impl Identity {
    /// Whether anything at all is known that could be compared.
    pub fn is_known(&self) -> bool {
        self.body.is_some() || self.payload.is_some() || self.declared.is_some()
    }
}

/// Compares looks by the rules the user chose.
#[derive(Debug, Clone, Copy)]
pub struct Judge<'a> {
    table: &'a Table,
    compare: Compare,
    floor: Grade,
}

impl<'a> Judge<'a> {
    /// A judge over a table. Verdicts weaker than `floor` are unknown; a floor below `not-modified` does not make
    /// `validator` a proof.
    pub fn new(table: &'a Table, compare: Compare, floor: Grade) -> Self {
        Judge { table, compare, floor: floor.min(Grade::NotModified) }
    }

    /// What counts as a change.
    pub fn compare(&self) -> Compare {
        self.compare
    }

    pub fn table(&self) -> &'a Table {
        self.table
    }

    /// The identities of the looks of one page, in time order; `None` for failed looks. A 304 answer that brings no
    /// body or digest has the identity of the last look before it.
    pub fn identities(&self, rows: &[Row]) -> Vec<Option<Identity>> {
        let mut last: Option<Identity> = None;
        rows.iter()
            .map(|row| {
                if is_failed(row) {
                    return None;
                }
                let identity = self.identity(row, last.as_ref());
                last = Some(identity);
                Some(identity)
            })
            .collect()
    }

    fn identity(&self, row: &Row, last: Option<&Identity>) -> Identity {
        let grade = match row.kind {
            _ if row.not_modified => Grade::NotModified,
            Kind::Revisit | Kind::Index => Grade::Digest,
            Kind::Response | Kind::Resource => Grade::Bytes,
        };
        let own = Identity {
            status: row.status.filter(|_| !row.not_modified),
            body: row.body,
            text: row.text,
            payload: row.payload,
            // A digest that its own body refutes, or that the record referred to has not, is the digest of nothing known.
            declared: row.declared.filter(|_| !row.refuted && row.at_odds != Some(AtOdds::Digest)),
            family: self.family(row),
            etag: row.etag,
            last_modified: row.last_modified.map(|instant| instant.0),
            grade,
            read: row.kind != Kind::Index,
            at_odds: row.refuted || row.at_odds.is_some(),
        };
        match last {
            // "Not modified" repeats what the crawler had, and that is not what is stored.
            Some(last) if row.not_modified && !own.is_known() && (own.at_odds || last.at_odds) => {
                Identity { at_odds: true, ..own }
            }
            Some(last) if row.not_modified && !own.is_known() => {
                Identity { grade, etag: own.etag.or(last.etag), read: own.read, ..*last }
            }
            // The status of a resolved 304 is that of the version it repeats.
            Some(last) if row.not_modified && own.body.is_some() && own.body == last.body => {
                Identity { status: last.status, ..own }
            }
            _ => own,
        }
    }

    fn family(&self, row: &Row) -> Family {
        if row.kind == Kind::Index {
            return Family::Index;
        }
        match row.writer {
            Some(writer) => Family::Writer(family_of(self.table.text(writer))),
            None => Family::File(row.file),
        }
    }

    /// The verdict on two looks, weaker ones than the floor left undecided.
    pub fn verdict(&self, one: &Identity, other: &Identity) -> Verdict {
        match self.strongest(one, other) {
            Verdict::Same(grade) | Verdict::Different(grade) if grade > self.floor => Verdict::Unknown,
            verdict => verdict,
        }
    }

    /// The verdict by the strongest evidence there is, whatever the floor; validators included.
    pub fn strongest(&self, one: &Identity, other: &Identity) -> Verdict {
        self.weigh(one, other).0
    }

    /// The weakest grade that decides.
    pub fn floor(&self) -> Grade {
        self.floor
    }

    /// The verdict by the strongest evidence there is, and what that evidence is.
    pub fn weigh(&self, one: &Identity, other: &Identity) -> (Verdict, Basis) {
        let weakest = one.grade.max(other.grade);
        if let (Some(a), Some(b)) = (one.status, other.status)
            && a != b
        {
            let read = if one.read && other.read { Grade::Bytes } else { Grade::Digest };
            return (Verdict::Different(weakest.max(read)), Basis::Status);
        }
        let decided = |same: bool, grade: Grade| {
            if same { Verdict::Same(grade) } else { Verdict::Different(grade) }
        };
        if let (Some(a), Some(b)) = (one.body, other.body) {
            if let (true, Some(a), Some(b)) = (self.by_text() && a != b, one.text, other.text) {
                return (decided(a == b, weakest), Basis::Text);
            }
            return (decided(a == b, weakest), Basis::Body);
        }
        if let (Some(a), Some(b)) = (one.payload, other.payload)
            && a == b
        {
            return (Verdict::Same(weakest), Basis::Payload);
        }
        let mut basis = if one.at_odds || other.at_odds { Basis::AtOdds } else { Basis::Nothing };
        if let (Some(a), Some(b)) = (one.declared, other.declared)
            && self.table.same_algorithm(a, b)
        {
            let grade = weakest.max(Grade::Digest);
            if a == b {
                return (Verdict::Same(grade), Basis::Declared);
            }
            if one.family == other.family {
                return (Verdict::Different(grade), Basis::Declared);
            }
            basis = Basis::OtherWriter;
        }
        let equal = |a: Option<Id>, b: Option<Id>| a.is_some() && a == b;
        if equal(one.etag, other.etag)
            || (one.last_modified.is_some() && one.last_modified == other.last_modified)
        {
            return (Verdict::Same(Grade::Validator), Basis::Validator);
        }
        (Verdict::Unknown, basis)
    }

    /// Whether two looks that differ in bytes would have been compared by text, had both had one.
    pub fn lacks_text(&self, one: &Identity, other: &Identity) -> bool {
        self.by_text() && one.body != other.body && (one.text.is_none() || other.text.is_none())
    }

    fn by_text(&self) -> bool {
        self.compare == Compare::Text
    }
}

/// The family of a writer: the first word of its name, without version. `Wget/1.21` and `Wget/1.24 (linux)` are one.
fn family_of(writer: &str) -> u64 {
    // FNV-1a: only equality within one run matters, and a name costs no allocation.
    let writer = writer.trim_start();
    let name = writer.bytes().take_while(|byte| byte.is_ascii_alphabetic() || *byte == b'-').count();
    let name = if name == 0 { writer } else { &writer[..name] };
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
#[path = "evidence_tests.rs"]
mod tests;
