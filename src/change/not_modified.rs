//! What a 304 confirms: the server says that the page is still the one that an earlier capture shows. Which one?
//!
//! - A 304 that names a record confirms that record, if it is here, not later, had status 200 and is of this URL.
//! - One that names none confirms the last earlier capture of this URL with status 200; where that has no validators, the last one
//!   that has some, if they prove.
//!
//! Validators must agree where both give them. A strong `ETag` proves, and so does a `Last-Modified` at least one second
//! older than the `Date` of the original (RFC 9110 §8.8.2.2); a weak `ETag` or a younger `Last-Modified` does not tell two
//! versions of one second apart: a claim. A 304 that names no record and repeats no validator is a claim, too.

use crate::capture::ResolvedBy;
use crate::capture::table::{Row, Table};
use crate::change::evidence::Grade;
use crate::change::role::{Roles, same_as_written};
use crate::time::SECOND;

/// The capture that a 304 confirms, and how well.
pub(crate) fn confirmed<'r>(
    table: &Table,
    roles: &Roles,
    rows: &'r [Row],
    row: &Row,
    modified: bool,
) -> Option<(&'r Row, Grade)> {
    let earlier = rows.iter().filter(|other| {
        other.time <= row.time
            && other.status == Some(200)
            && !other.not_modified
            && roles.aside(other).is_none()
            && same_as_written(table, other.url, row.url)
    });
    let original = match row.names_original {
        // The record it names is of another URL, or later, or no longer what it was; or it is not here, and only another one has
        // its digest.
        true if row.at_odds.is_some() || row.resolved_by == Some(ResolvedBy::Digest) => return None,
        true => {
            let place = table.original(row)?;
            let is_place = |other: &&Row| other.offset == Some(place.1) && table.text(other.file) == place.0;
            let here: Vec<&Row> = earlier.filter(is_place).collect();
            match here.as_slice() {
                [one] => *one,
                // A compressed member may hold several records.
                several => {
                    several.iter().copied().rfind(|other| row.body.is_some() && row.body == other.body)?
                }
            }
        }
        false => {
            let mut earlier = earlier.rev();
            let last = earlier.next()?;
            // A revisit is often stored with a head that has no validators: then those of the capture before it count.
            let has_validators = |other: &&Row| other.etag.is_some() || other.last_modified.is_some();
            let validated = Some(last).filter(has_validators).or_else(|| earlier.find(has_validators));
            let proves = |original: &&Row| grade(table, original, row, modified) == Some(Grade::NotModified);
            validated.filter(proves).unwrap_or(last)
        }
    };
    let grade = grade(table, original, row, modified)?;
    // A validator that the archive shows on two different contents tells nothing apart.
    let is_shared = |other: &Row| {
        other.status == Some(200)
            && !other.not_modified
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
    Some((original, grade))
}

/// How well validators support that the original was confirmed; `None`: they contradict it.
fn grade(table: &Table, original: &Row, row: &Row, modified: bool) -> Option<Grade> {
    let etag = |row: &Row| row.etag.map(|etag| table.text(etag).trim());
    // A prefix in lower case is no valid tag; it was surely not meant as a strong one.
    let weak = |etag: &str| etag.strip_prefix("W/").or_else(|| etag.strip_prefix("w/")).map(str::to_owned);
    let opaque = |etag: &str| weak(etag).unwrap_or_else(|| etag.to_owned());
    let is_strong = |etag: &str| weak(etag).is_none();
    let (old, new) = (etag(original), etag(row));
    if let (Some(old), Some(new)) = (old, new)
        && opaque(old) != opaque(new)
    {
        return None;
    }
    if let (Some(old), Some(new)) = (original.last_modified, row.last_modified)
        && old != new
    {
        return None;
    }
    let strong_etag = old.is_some_and(is_strong);
    let made = original.http_date.unwrap_or(original.time);
    let strong_date = modified && original.last_modified.is_some_and(|date| date.plus(SECOND) <= made);
    let proves = match row.names_original {
        true if old.is_none() && original.last_modified.is_none() => true,
        true => (strong_etag && new.is_none_or(is_strong)) || strong_date,
        false => (strong_etag && new.is_some_and(is_strong)) || (strong_date && row.last_modified.is_some()),
    };
    Some(if proves { Grade::NotModified } else { Grade::Validator })
}
