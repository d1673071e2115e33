//! What captures with equal bodies share: text, charset, and signs of an error page.

use crate::capture::intern::Id;
use crate::capture::table::Row;
use crate::digest::BodyDigest;

/// What captures with equal bodies share.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Shared<'a> {
    /// The fingerprint of the text.
    pub text: Option<BodyDigest>,
    /// The charset by which that text was read.
    pub charset: Option<&'a str>,
    /// Why the body reads like an error page.
    pub sign: Option<&'a str>,
}

/// Whether a row may lack what another row with its body has.
pub(crate) fn lacks_shared(row: &Row) -> bool {
    row.body.is_some() && (row.text.is_none() || (shares_sign(row) && row.soft404.is_none()))
}

fn shares_sign(row: &Row) -> bool {
    row.revisit && matches!(row.status, Some(200 | 304) | None)
}

/// The text of a body, and the charset by which it was read.
#[derive(Clone, Copy)]
pub(super) struct SharedText {
    pub text: Id,
    pub charset: Option<Id>,
}

pub(super) fn share_with(row: &mut Row, text: Option<SharedText>, sign: Option<Id>) {
    // Read in another charset, the same bytes are another text.
    let is_read_so = |text: &SharedText| !row.states_charset() || row.charset == text.charset;
    row.text = row.text.or(text.filter(is_read_so).map(|shared| shared.text));
    if shares_sign(row) {
        row.soft404 = row.soft404.or(sign);
    }
}

/// A revisit carries the body of its original but has no text of its own: equal bodies have equal texts, and say
/// "not found" alike.
pub(super) fn share_texts(rows: &mut [Row], values: usize) {
    if rows.iter().all(|row| row.text.is_none() && row.soft404.is_none()) {
        return;
    }
    let mut text_of = vec![None; values];
    let mut sign_of = vec![None; values];
    for row in rows.iter() {
        if let (Some(body), Some(text)) = (row.body, row.text) {
            text_of[body.index()] = Some(SharedText { text, charset: row.charset });
        }
        if let (Some(body), Some(sign)) = (row.body, row.soft404) {
            sign_of[body.index()] = Some(sign);
        }
    }
    for row in rows {
        let Some(body) = row.body else { continue };
        share_with(row, text_of[body.index()], sign_of[body.index()]);
    }
}
