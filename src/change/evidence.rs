//! Same, different or unknown: what two captures of a page say of each other, and by what proof.
//!
//! Payload digests do not compare across writers: wget hashes the chunk-framed body, warcprox the de-chunked one. So
//! the order of proof is, strongest first:
//!
//! | grade | same | different |
//! |---|---|---|
//! | `bytes` | the recomputed identity bodies are equal | they are not; or two answers read from archives have different status |
//! | `digest` | a revisit says so by digest; declared digests of one algorithm are equal, by any writer | declared digests differ *within one family of writers* (all index lines count as one family: a stated assumption), and the bodies are coded alike |
//! | `not-modified` | the server answered 304 | – |
//! | `validator` | equal `ETag` or `Last-Modified` | – |
//!
//! A verdict names the weakest grade it rests on. Status belongs to the identity of a response (404 and 410 are states
//! of a page, whatever their body), and so does the `Location` of a redirect; an unknown one decides nothing. Equal bytes
//! that were declared in two charsets are compared by their text. Requests that differ in what `Vary` names do not
//! compare. Digests cover bodies as they were sent: where codings differ, or cannot be removed, unequal digests do not show
//! that contents differ. What is not decided is *unknown*. A grade below the floor that the user asks for decides nothing either, and
//! `validator` never proves: it only supports claims. [`super::role`] says which captures are compared at all,
//! [`super::not_modified`] what a 304 confirms.

use serde::{Deserialize, Serialize};

use crate::archive::coding::is_known;
use crate::archive::http::CHUNKED;
use crate::capture::intern::Id;
use crate::capture::page::is_html;
use crate::capture::table::{Row, Table};
use crate::capture::{AtOdds, Kind, Negotiation};
use crate::change::not_modified::{Unconfirmed, confirmed};
use crate::change::role::{Aside, Roles};
use crate::change::spelling;
use crate::time::{Instant, SECOND};

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
    /// Only the visible text counts, where both captures have it; else bytes.
    Text,
}

/// The answer to "are these two captures the same version?".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The same version.
    Same(Grade),
    /// Two versions.
    Different(Grade),
    /// Not decided.
    Unknown,
}

/// A `Last-Modified` this close (in microseconds) to the response was generated with it.
pub(crate) const GENERATED: u64 = 2 * SECOND as u64;

/// What a verdict was made by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// The status of the answers.
    Status,
    /// The targets of redirects.
    Location,
    /// Nothing: one is HTML, the other is not.
    MediaType,
    /// Nothing: the same bytes were declared in two charsets, and their texts are unknown.
    Charset,
    /// Nothing: the requests differ in what `Vary` names.
    Negotiated,
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
    /// Nothing: the digests cover bodies in different codings, or in a coding that cannot be removed.
    Coding,
    /// Nothing: a revisit contradicts the record it refers to, or a body is not the one of its digest.
    AtOdds,
    /// Nothing: the digests are of different algorithms, or one capture has none.
    Nothing,
}

/// The identity of one capture: what its answer was, as far as it is known.
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
    location: Option<Id>,
    /// The declared charset of a response: `None` for what says nothing of it.
    charset: Option<Option<Id>>,
    is_html: Option<bool>,
    vary: Option<Id>,
    /// The codings of a response: `None` for what says nothing of them.
    coding: Option<Option<Id>>,
    /// A revisit without the head of its response: its digest may cover a body in any coding.
    headless: bool,
    request: Option<Negotiation>,
    /// The strongest grade that a verdict on this capture can have.
    grade: Grade,
    /// The status was read from an archive, not from an index.
    read: bool,
    /// What its `Last-Modified` is of.
    dates: Dates,
    /// The capture contradicts itself, or the record it refers to: its declared digest, or what repeats it, says nothing.
    at_odds: bool,
}

/// What the `Last-Modified` of a capture dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dates {
    /// The version that it shows.
    Itself,
    /// Nothing that is known: a 304 that confirms no capture.
    Nothing,
    /// Nothing: it is a 304 and says that the record which it names was modified.
    AgainstItself,
}

/// Writers whose digests compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    Index,
    Writer(u64),
    File(Id),
}

impl Identity {
    /// What its `Last-Modified` is of.
    pub(crate) fn dates(&self) -> Dates {
        self.dates
    }

    /// The same with another status.
    pub(crate) fn with_status(self, status: u16) -> Self {
        Identity { status: Some(status), ..self }
    }

    /// Whether anything at all is known that could be compared.
    pub fn is_known(&self) -> bool {
        self.body.is_some() || self.payload.is_some() || self.declared.is_some()
    }
}

/// Compares captures by the rules the user chose.
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

    /// The same judge, for whom every byte counts.
    pub(crate) fn by_bytes(&self) -> Self {
        Judge { compare: Compare::Bytes, ..*self }
    }

    pub fn table(&self) -> &'a Table {
        self.table
    }

    /// The identities of the captures of one page, in time order, or why they show no state of it. Last-Modified is
    /// used only if `modified`.
    pub fn identities(&self, rows: &[Row], modified: bool) -> Vec<Result<Identity, Aside>> {
        // A window may leave out the capture that a 304 confirms.
        let all = rows.first().and_then(|row| self.table.page(self.table.text(row.key)));
        let all = all.map_or(rows, |page| self.table.rows_of(page));
        let roles = Roles::of(self.table, all);
        let identity = |row: &Row| match roles.aside(row) {
            Some(aside) => Err(aside),
            None if row.not_modified => Ok(self.not_modified(&roles, all, row, modified)),
            None => Ok(self.identity(row, modified)),
        };
        let mut identities: Vec<_> = rows.iter().map(identity).collect();
        spelling::set_aside(self, rows, &mut identities);
        identities
    }

    /// The identity of a 304 that may confirm any of `all`, the captures of this URL in time order, and the one whose content it is
    /// proven to have, or why it confirms none.
    pub(crate) fn confirmed_among<'r>(
        &self,
        all: &'r [Row],
        row: &Row,
        modified: bool,
    ) -> (Identity, Result<Option<&'r Row>, Unconfirmed>) {
        let roles = Roles::of(self.table, all);
        let identity = self.not_modified(&roles, all, row, modified);
        let is_proven = identity.body.is_some() && identity.grade <= self.floor;
        let original = confirmed(self.table, &roles, all, row, modified);
        (identity, original.map(|(original, _)| Some(original).filter(|_| is_proven)))
    }

    /// The identity of a 304: that of the capture it confirms. A digest that an index declares for it says the same by
    /// itself; one that a revisit declares was copied from the original, and counts only without validators.
    fn not_modified(&self, roles: &Roles, all: &[Row], row: &Row, modified: bool) -> Identity {
        let mut own = self.identity(row, modified);
        // Where dates are refuted, the server must have been asked with a tag.
        let is_by_date = !modified && row.none_match.is_none();
        let is_validated = row.etag.is_some() || row.last_modified.is_some();
        if row.kind == Kind::Revisit && (is_validated || is_by_date) {
            (own.declared, own.payload) = (None, None);
        }
        match confirmed(self.table, roles, all, row, modified) {
            // "Not modified" repeats what the crawler had, and that is not what is stored.
            Ok((original, _)) if own.at_odds || self.identity(original, modified).at_odds => {
                Identity { at_odds: true, body: None, text: None, ..own }
            }
            // A digest says more than the bare word of the server.
            Ok((original, Grade::Validator)) if own.declared.is_some() => {
                Identity { status: original.status, body: None, text: None, ..own }
            }
            Ok((original, grade)) => {
                let request = own.request;
                let original = self.identity(original, modified);
                // A 304 may name another charset for the body that it confirms.
                let charset = row.charset.map(Some).or(original.charset);
                Identity { grade: grade.max(original.grade), read: own.read, charset, request, ..original }
            }
            Err(why) if why.is_against_itself() => Identity {
                body: None,
                text: None,
                declared: None,
                payload: None,
                dates: Dates::AgainstItself,
                ..own
            },
            // The record it names is not here, or no earlier capture of this URL: neither its body is used nor its digest.
            Err(_) if row.names_original && row.kind == Kind::Revisit => Identity {
                body: None,
                text: None,
                declared: None,
                payload: None,
                dates: Dates::Nothing,
                ..own
            },
            Err(_) => Identity { body: None, text: None, dates: Dates::Nothing, ..own },
        }
    }

    pub(crate) fn identity(&self, row: &Row, modified: bool) -> Identity {
        let grade = match row.kind {
            _ if row.not_modified => Grade::NotModified,
            Kind::Revisit | Kind::Index => Grade::Digest,
            Kind::Response | Kind::Resource => Grade::Bytes,
        };
        // A revisit that declares no digest says nothing that could be checked.
        let bare = row.kind == Kind::Revisit && !row.not_modified && row.declared.is_none();
        Identity {
            status: row.status.filter(|_| !row.not_modified),
            body: row.body.filter(|_| !bare),
            text: row.text.filter(|_| !bare),
            payload: row.payload,
            // A digest that its own body refutes, or that the record referred to has not, is the digest of nothing known.
            declared: row.declared.filter(|_| {
                !row.refuted && !matches!(row.at_odds, Some(AtOdds::Digest | AtOdds::Contradictory))
            }),
            family: self.family(row),
            etag: row.etag,
            last_modified: kept_date(row).filter(|_| modified).map(|date| date.0),
            location: row.target,
            charset: row.states_charset().then_some(row.charset),
            is_html: row.mime.filter(|_| !row.revisit).map(|mime| is_html(self.table.text(mime))),
            vary: row.vary,
            // A resource is its body, without a coding.
            coding: (row.states_charset() || row.kind == Kind::Resource).then_some(row.coding),
            headless: row.kind == Kind::Revisit && !row.states_charset(),
            request: row.request,
            grade,
            read: row.kind != Kind::Index,
            dates: Dates::Itself,
            at_odds: row.refuted || row.at_odds.is_some(),
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

    /// The verdict on two captures, weaker ones than the floor left undecided.
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
        let decided = |same: bool, grade: Grade| {
            if same { Verdict::Same(grade) } else { Verdict::Different(grade) }
        };
        if self.negotiated(one, other) {
            return (Verdict::Unknown, Basis::Negotiated);
        }
        let read = weakest.max(if one.read && other.read { Grade::Bytes } else { Grade::Digest });
        match (one.status, other.status) {
            (Some(a), Some(b)) if a != b => return (Verdict::Different(read), Basis::Status),
            // A page that is gone is gone, whatever the error page says.
            (Some(404 | 410), Some(_)) => return (Verdict::Same(read), Basis::Status),
            (Some(300..=399), Some(_)) => {
                return match (one.location, other.location) {
                    (Some(a), Some(b)) => (decided(a == b, read), Basis::Location),
                    _ => (Verdict::Unknown, Basis::Location),
                };
            }
            // Of what has no status it is unknown whether it was a redirect, and where it led.
            (Some(300..=399), None) | (None, Some(300..=399)) => {
                return (Verdict::Unknown, Basis::Location);
            }
            _ => {}
        }
        if let (Some(a), Some(b)) = (one.is_html, other.is_html)
            && a != b
        {
            return (Verdict::Unknown, Basis::MediaType);
        }
        let in_two_charsets = one.charset.zip(other.charset).is_some_and(|(mine, theirs)| mine != theirs);
        if let (Some(a), Some(b)) = (one.body, other.body) {
            if let (true, Some(a), Some(b)) = (self.by_text() && a != b, one.text, other.text) {
                return (decided(a == b, weakest), Basis::Text);
            }
            if a == b && in_two_charsets {
                return match (one.text, other.text) {
                    // Bytes that show the same text in both charsets are one version.
                    (Some(a), Some(b)) if a == b => (Verdict::Same(weakest), Basis::Text),
                    _ => (Verdict::Unknown, Basis::Charset),
                };
            }
            return (decided(a == b, weakest), Basis::Body);
        }
        if let (Some(a), Some(b)) = (one.payload, other.payload)
            && a == b
        {
            return if in_two_charsets {
                (Verdict::Unknown, Basis::Charset)
            } else if self.in_two_codings(one, other, without_chunks) {
                (Verdict::Unknown, Basis::Coding)
            } else {
                (Verdict::Same(weakest), Basis::Payload)
            };
        }
        let mut basis = if one.at_odds || other.at_odds { Basis::AtOdds } else { Basis::Nothing };
        if let (Some(a), Some(b)) = (one.declared, other.declared)
            && self.table.same_algorithm(a, b)
        {
            let grade = weakest.max(Grade::Digest);
            if a == b && in_two_charsets {
                return (Verdict::Unknown, Basis::Charset);
            }
            // Neither is the digest of a body that is known.
            if a == b && one.at_odds && other.at_odds {
                return (Verdict::Unknown, Basis::AtOdds);
            }
            if a == b {
                return (Verdict::Same(grade), Basis::Declared);
            }
            let is_comparable = one.family == other.family;
            // A body that was read and is unknown has a coding that cannot be removed.
            let is_coded = one.payload.or(other.payload).is_some()
                || one.headless
                || other.headless
                || [one, other].iter().any(|capture| self.is_in_unknown_coding(capture))
                || self.in_two_codings(one, other, |coding| coding);
            if is_comparable && !is_coded {
                return (Verdict::Different(grade), Basis::Declared);
            }
            basis = if is_comparable { Basis::Coding } else { Basis::OtherWriter };
        }
        let equal = |a: Option<Id>, b: Option<Id>| a.is_some() && a == b;
        if equal(one.etag, other.etag)
            || (one.last_modified.is_some() && one.last_modified == other.last_modified)
        {
            return (Verdict::Same(Grade::Validator), Basis::Validator);
        }
        (Verdict::Unknown, basis)
    }

    /// Whether the requests of two captures are known to differ in what `Vary` names.
    fn negotiated(&self, one: &Identity, other: &Identity) -> bool {
        let (Some(mine), Some(theirs)) = (one.request, other.request) else { return false };
        let names = |vary: Option<Id>, header: &str| {
            let names = vary.map_or("", |vary| self.table.text(vary));
            names.split(',').map(str::trim).any(|name| name == "*" || name.eq_ignore_ascii_case(header))
        };
        mine.differences(&theirs).any(|header| names(one.vary, header) || names(other.vary, header))
    }

    /// Whether the bodies of two captures are known to be coded differently.
    fn in_two_codings(&self, one: &Identity, other: &Identity, counted: fn(&str) -> &str) -> bool {
        let name = |coding: Option<Id>| counted(coding.map_or("", |coding| self.table.text(coding)));
        one.coding.zip(other.coding).is_some_and(|(mine, theirs)| name(mine) != name(theirs))
    }

    /// Whether the body of a capture has a coding that nobody here can remove.
    fn is_in_unknown_coding(&self, capture: &Identity) -> bool {
        let names = capture.coding.flatten().map_or("", |coding| self.table.text(coding));
        names.split(',').map(str::trim).any(|name| !matches!(name, "" | CHUNKED) && !is_known(name))
    }

    /// Whether two captures that differ in bytes would have been compared by text, had both had one.
    pub fn lacks_text(&self, one: &Identity, other: &Identity) -> bool {
        self.by_text() && one.body != other.body && (one.text.is_none() || other.text.is_none())
    }

    fn by_text(&self) -> bool {
        self.compare == Compare::Text
    }
}

/// The content codings among all that a head names: what is recomputed is free of chunks.
fn without_chunks(codings: &str) -> &str {
    codings.strip_suffix(CHUNKED).map_or(codings, |content| content.trim_end_matches(", "))
}

/// The `Last-Modified` of a capture, unless it was generated: within two seconds of the response itself.
pub(crate) fn kept_date(row: &Row) -> Option<Instant> {
    let made = row.http_date.unwrap_or(row.time);
    row.last_modified.filter(|date| made.0.abs_diff(date.0) > GENERATED)
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
