//! What a 304 confirms: the server says that the page is still the one that an earlier capture shows. Which one?
//!
//! - A 304 that names a record confirms that record, if it is here, not later, had status 200 and is of this URL.
//! - One that names none confirms the last earlier capture of this URL with status 200; where that has no validators, the last one
//!   that has some, if they prove.
//!
//! Validators must agree where both give them. A strong `ETag` proves, and so does a `Last-Modified` at least one second
//! older than the `Date` of the original (RFC 9110 §8.8.2.2); a weak `ETag` or a younger `Last-Modified` does not tell two
//! versions of one second apart: a claim. Where there is a weak `ETag`, the date does not help: a server that gets both looks at
//! the tag alone (§13.1.3), unless the request shows that only the date was asked for. A 304 that names no record and repeats no
//! validator is a claim, too. Where strong tags agree, a generated date beside them says nothing.
//!
//! Where its request is in the archive, that says what the crawler had ([`asked`]): a 304 to another tag, or to a date behind the
//! original, confirms something else. One to a request without any condition proves only by a validator of its own.
//!
//! Where the archive refutes the dates of a page, a 304 proves by a strong tag that the server repeats, or was asked with: by the date
//! alone it would have answered 304 to anything.

use crate::capture::table::{Row, Table};
use crate::capture::{AtOdds, Kind, ResolvedBy};
use crate::change::evidence::{Grade, kept_date};
use crate::change::role::{Roles, same_as_written};
use crate::time::{Instant, SECOND};

/// Why a 304 confirms no capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unconfirmed {
    /// It is at odds with the record that it names.
    AtOdds(AtOdds),
    /// The record that it names is not here, or is no whole capture of this URL with status 200.
    NotHere,
    /// It names none, and no earlier capture of this URL has status 200.
    NoneBefore,
    /// Another `ETag`.
    Tag,
    /// Another `Last-Modified`.
    Modified,
    /// Another `Last-Modified` than the record that it names.
    NamedModified,
    /// A `Last-Modified` behind the record that it names, which has none.
    ModifiedLater,
    /// Another `Last-Modified` than the capture that has its strong `ETag`.
    TaggedModified,
    /// A `Last-Modified` behind the date that its request asked with.
    ModifiedSince,
    /// Its request asked with another tag.
    AskedTag,
    /// Its request asked with a date behind the capture.
    AskedDate,
}

impl Unconfirmed {
    /// Whether it says at once that the page was modified and that it was not.
    pub(crate) fn is_against_itself(self) -> bool {
        matches!(
            self,
            Unconfirmed::NamedModified
                | Unconfirmed::ModifiedLater
                | Unconfirmed::TaggedModified
                | Unconfirmed::ModifiedSince
        )
    }

    /// Why, in words about "it", the 304.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Unconfirmed::AtOdds(at_odds) => at_odds.words(),
            Unconfirmed::NotHere => "the capture that it names is not here, or has no content of this URL",
            Unconfirmed::NoneBefore => "no earlier capture has content of this URL",
            Unconfirmed::Tag => "its ETag is not that of the capture that it would confirm",
            Unconfirmed::Modified => "its Last-Modified is not that of the capture that it would confirm",
            Unconfirmed::NamedModified => "its Last-Modified is not that of the capture that it names",
            Unconfirmed::ModifiedLater => "its Last-Modified is later than the capture that it names",
            Unconfirmed::TaggedModified => "its Last-Modified is not that of the capture that has its ETag",
            Unconfirmed::ModifiedSince => {
                "its Last-Modified is later than the If-Modified-Since of its request"
            }
            Unconfirmed::AskedTag => {
                "the If-None-Match of its request has not the ETag of the capture that it would confirm"
            }
            Unconfirmed::AskedDate => {
                "the If-Modified-Since of its request is later than the capture that it would confirm"
            }
        }
    }
}

/// The captures that a 304 may confirm: earlier ones of this URL with status 200.
fn earlier<'r>(
    table: &Table,
    roles: &Roles,
    rows: &'r [Row],
    row: &Row,
) -> impl DoubleEndedIterator<Item = &'r Row> {
    rows.iter().filter(move |other| {
        other.time <= row.time
            && other.status == Some(200)
            && !other.not_modified
            && roles.aside(other).is_none()
            && same_as_written(table, other.url, row.url)
    })
}

/// The capture that a 304 names, if it is one that it may confirm.
fn named<'r>(table: &Table, roles: &Roles, rows: &'r [Row], row: &Row) -> Result<&'r Row, Unconfirmed> {
    // The record it names is of another URL, or later, or no longer what it was.
    if let Some(at_odds) = row.at_odds {
        return Err(Unconfirmed::AtOdds(at_odds));
    }
    // It is not here, and only another one has its digest.
    if row.resolved_by == Some(ResolvedBy::Digest) {
        return Err(Unconfirmed::NotHere);
    }
    let place = table.original(row).ok_or(Unconfirmed::NotHere)?;
    let is_place = |other: &&Row| other.offset == Some(place.1) && table.text(other.file) == place.0;
    let here: Vec<&Row> = earlier(table, roles, rows, row).filter(is_place).collect();
    let found = match here.as_slice() {
        [one] => Some(*one),
        // A compressed member may hold several records.
        several => several.iter().copied().rfind(|other| row.body.is_some() && row.body == other.body),
    };
    found.ok_or(Unconfirmed::NotHere)
}

/// How a 304 contradicts itself: it states another `Last-Modified` than the record that it names, or one behind that record or its
/// own request, so it says at once that the page was modified and that it was not.
fn against_itself(table: &Table, roles: &Roles, rows: &[Row], row: &Row) -> Option<Unconfirmed> {
    let modified = row.last_modified?;
    // A server that has a strong tag looks at that, and a date that it makes with each response says nothing.
    let is_generated = kept_date(row).is_none() && tag(table, row).is_some_and(is_strong);
    if !is_generated && row.modified_since.is_some_and(|since| modified > since) {
        return Some(Unconfirmed::ModifiedSince);
    }
    if !row.names_original {
        return is_redated(table, roles, rows, row).then_some(Unconfirmed::TaggedModified);
    }
    let original = named(table, roles, rows, row).ok()?;
    let made = original.http_date.unwrap_or(original.time).max(original.time);
    match dates(table, original, row) {
        (Some(old), Some(new)) if old != new => Some(Unconfirmed::NamedModified),
        (None, Some(new)) if new > made => Some(Unconfirmed::ModifiedLater),
        _ => None,
    }
}

/// Whether a 304 that names no record has the strong tag of the last capture, by which the server names one content, and dates it
/// otherwise.
fn is_redated(table: &Table, roles: &Roles, rows: &[Row], row: &Row) -> bool {
    let Some(named) = tag(table, row).filter(|tag| is_strong(tag)) else { return false };
    let last = earlier(table, roles, rows, row).rev().find(|other| other.etag.is_some());
    last.filter(|last| tag(table, last) == Some(named))
        .is_some_and(|last| matches!(dates(table, last, row), (Some(old), Some(new)) if old != new))
}

/// The capture that a 304 confirms, and how well; or why it confirms none.
pub(crate) fn confirmed<'r>(
    table: &Table,
    roles: &Roles,
    rows: &'r [Row],
    row: &Row,
    modified: bool,
) -> Result<(&'r Row, Grade), Unconfirmed> {
    if let Some(contradiction) = against_itself(table, roles, rows, row) {
        return Err(contradiction);
    }
    let original = match row.names_original {
        true => named(table, roles, rows, row)?,
        false => {
            let mut earlier = earlier(table, roles, rows, row).rev();
            let last = earlier.next().ok_or(Unconfirmed::NoneBefore)?;
            // A revisit is often stored with a head that has no validators: then those of the capture before it count.
            let has_validators = |other: &&Row| other.etag.is_some() || other.last_modified.is_some();
            let validated = Some(last).filter(has_validators).or_else(|| earlier.find(has_validators));
            let proves = |original: &&Row| {
                grade(table, original, row, modified) == Ok(Grade::NotModified)
                    && asked(table, original, row, modified) == Ok(Grade::NotModified)
            };
            validated.filter(proves).unwrap_or(last)
        }
    };
    let own = grade(table, original, row, modified)?;
    let grade = own.max(asked(table, original, row, modified)?);
    // A validator that the archive shows on two different contents tells nothing apart. What is cut, or a part, is no content.
    let is_shared = |other: &Row| {
        other.status == Some(200)
            && !other.not_modified
            && roles.aside(other).is_none()
            && other.body.is_some()
            && original.body.is_some()
            && other.body != original.body
            && ((row.etag.is_some() && other.etag == row.etag)
                || (row.etag.is_none()
                    && row.last_modified.is_some()
                    && other.last_modified == row.last_modified))
            && same_as_written(table, other.url, row.url)
    };
    // A digest that the 304 states speaks against a record with another one.
    let is_other = row
        .declared
        .zip(original.declared)
        .is_some_and(|(one, other)| one != other && table.same_algorithm(one, other));
    let is_doubtful = !row.names_original && (is_other || rows.iter().any(is_shared));
    let grade = if is_doubtful { Grade::Validator } else { grade };
    Ok((original, grade))
}

/// A weak tag without its mark. A mark in lower case is no valid one; it was surely not meant as a strong tag.
fn weak(etag: &str) -> Option<&str> {
    etag.strip_prefix("W/").or_else(|| etag.strip_prefix("w/"))
}

fn is_strong(etag: &str) -> bool {
    weak(etag).is_none()
}

/// The tag without the mark of a weak one.
fn opaque(etag: &str) -> &str {
    weak(etag).unwrap_or(etag)
}

fn tag<'t>(table: &'t Table, row: &Row) -> Option<&'t str> {
    row.etag.map(|etag| table.text(etag).trim())
}

/// The `Last-Modified` of a capture and of a 304 that may confirm it. Where their strong tags agree, generated ones are left out.
fn dates(table: &Table, original: &Row, row: &Row) -> (Option<Instant>, Option<Instant>) {
    let (old, new) = (tag(table, original), tag(table, row));
    if old.is_some_and(is_strong) && old == new {
        (kept_date(original), kept_date(row))
    } else {
        (original.last_modified, row.last_modified)
    }
}

/// The tags of an `If-None-Match`. Commas may stand inside of quotes.
fn tags(list: &str) -> impl Iterator<Item = &str> {
    let mut in_quotes = false;
    let parts = list.split(move |sign: char| {
        in_quotes ^= sign == '"';
        sign == ',' && !in_quotes
    });
    parts.map(str::trim).filter(|tag| !tag.is_empty())
}

/// Whether the server may have answered by the date: not where it has a weak tag, which comes first and is all that it looks at.
fn dates_count(table: &Table, original: &Row, row: &Row) -> bool {
    let asked_by_date = row.method_known && row.none_match.is_none() && row.modified_since.is_some();
    let is_weak = |row: &Row| tag(table, row).is_some_and(|etag| !is_strong(etag));
    asked_by_date || !(is_weak(original) || is_weak(row))
}

/// How well the request of a 304, where it is known, fits the original; or why not: the crawler asked with something else.
fn asked(table: &Table, original: &Row, row: &Row, modified: bool) -> Result<Grade, Unconfirmed> {
    if !row.method_known || row.kind == Kind::Index {
        return Ok(Grade::NotModified);
    }
    let old = tag(table, original);
    // The 304 names the version that it confirms.
    let made = original.http_date.unwrap_or(original.time);
    let is_dated = modified
        && dates_count(table, original, row)
        && row
            .last_modified
            .is_some_and(|date| original.last_modified == Some(date) && date.plus(SECOND) <= made);
    let is_named = tag(table, row).is_some_and(|new| is_strong(new) && old == Some(new)) || is_dated;
    if let Some(list) = row.none_match.map(|list| table.text(list)) {
        let is_asked = |asked: &str| old.is_some_and(|old| opaque(asked) == opaque(old));
        let only = tags(list).count() == 1;
        return match () {
            // Any version at all would have been confirmed.
            () if tags(list).any(|asked| asked == "*") => {
                Ok(if is_named { Grade::NotModified } else { Grade::Validator })
            }
            () if !tags(list).any(is_asked) => Err(Unconfirmed::AskedTag),
            () if is_named || (only && tags(list).all(is_strong)) => Ok(Grade::NotModified),
            () => Ok(Grade::Validator),
        };
    }
    let Some(since) = row.modified_since else {
        // Nothing was asked that 304 could be the answer to: only what it says itself counts.
        return Ok(if is_named { Grade::NotModified } else { Grade::Validator });
    };
    match () {
        () if is_named || (modified && since.plus(SECOND) <= made) => Ok(Grade::NotModified),
        // Within the second in which the original was made, or the server's dates are refuted.
        () if since <= made => Ok(Grade::Validator),
        // Between the original and that date it may have been modified.
        () => Err(Unconfirmed::AskedDate),
    }
}

/// How well validators support that the original was confirmed; or which of them contradicts it.
fn grade(table: &Table, original: &Row, row: &Row, modified: bool) -> Result<Grade, Unconfirmed> {
    let (old, new) = (tag(table, original), tag(table, row));
    if let (Some(old), Some(new)) = (old, new)
        && opaque(old) != opaque(new)
    {
        return Err(Unconfirmed::Tag);
    }
    if let (Some(old), Some(new)) = dates(table, original, row)
        && old != new
    {
        return Err(Unconfirmed::Modified);
    }
    // Where dates are refuted, a tag counts only if the server is known to have looked at it.
    let is_looked_at = modified || new.is_some() || row.none_match.is_some();
    let strong_etag = old.is_some_and(is_strong) && is_looked_at;
    let made = original.http_date.unwrap_or(original.time);
    let strong_date = modified
        && dates_count(table, original, row)
        && original.last_modified.is_some_and(|date| date.plus(SECOND) <= made);
    let proves = match row.names_original {
        // The original has no validator; a weak one of the 304 is what the crawler asked with.
        true if old.is_none() && original.last_modified.is_none() => {
            is_looked_at && dates_count(table, original, row)
        }
        true => (strong_etag && new.is_none_or(is_strong)) || strong_date,
        false => (strong_etag && new.is_some_and(is_strong)) || (strong_date && row.last_modified.is_some()),
    };
    Ok(if proves { Grade::NotModified } else { Grade::Validator })
}
