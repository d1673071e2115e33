//! What is known of a capture from its copies: each may say something that the others do not.

use super::intern::Interner;
use super::table::{Row, intern_witness};
use super::{Kind, Witness};

/// Whether it is known of two rows that one was asked for by GET and the other was not.
pub(super) fn have_two_methods(one: &Row, other: &Row) -> bool {
    one.method_known && other.method_known && one.other_method != other.other_method
}

/// Adds to the kept copy what another copy or an index line says about the capture. Returns whether that shows it to be
/// truncated.
pub(super) fn join(kept: &mut Row, told: &Row, values: &mut Interner) -> bool {
    join_method(kept, told, values);
    // A line of an index may have them from elsewhere.
    if told.kind != Kind::Index {
        (kept.etag, kept.last_modified) =
            (kept.etag.or(told.etag), kept.last_modified.or(told.last_modified));
        (kept.http_date, kept.age) = (kept.http_date.or(told.http_date), kept.age.max(told.age));
    }
    let is_cut = told.truncated && !kept.truncated && have_one_body(kept, told);
    if is_cut {
        (kept.truncated, kept.cut) = (true, told.cut);
        kept.bodiless = told.bodiless && !kept.method_known;
    }
    is_cut
}

/// A known method applies to all copies. If two are known, which one was answered is unknown.
fn join_method(kept: &mut Row, told: &Row, values: &mut Interner) {
    let is_line = told.kind == Kind::Index;
    // What the request asked with is only known from the request.
    if !told.method_known || (is_line && !told.other_method) {
        return;
    }
    if !kept.method_known {
        (kept.method_known, kept.other_method, kept.request) = (true, told.other_method, told.request);
        (kept.none_match, kept.modified_since) = (told.none_match, told.modified_since);
    } else if have_two_methods(kept, told) {
        let other = if kept.other_method { *kept } else { *told };
        kept.other_method = false;
        if kept.contradicted_by.is_none() {
            let file = if is_line { String::new() } else { values.text(other.file).to_owned() };
            let offset = other.offset.filter(|_| !is_line);
            kept.contradicted_by = Some(if is_line { Witness::Index } else { Witness::Request });
            (kept.witness, kept.witness_input) = (intern_witness(values, file, offset), other.input);
        }
    }
}

/// Whether two copies hold the same bytes. A longer one is whole where another was cut when it was stored.
fn have_one_body(kept: &Row, told: &Row) -> bool {
    if told.kind == Kind::Index {
        return kept.kind == Kind::Response;
    }
    match (kept.body.zip(told.body), kept.body_length.zip(told.body_length), kept.length.zip(told.length)) {
        (Some((one, other)), ..) => one == other,
        (None, Some((one, other)), _) | (None, None, Some((one, other))) => one == other,
        (None, None, None) => true,
    }
}
