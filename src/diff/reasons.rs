//! Why two captures are the same, or differ, or cannot be compared: in words.

use std::borrow::Cow;

use crate::change::evidence::{Basis, Grade, Verdict};

/// Why they are the same.
pub(super) fn same(basis: Basis) -> &'static str {
    match basis {
        Basis::Body | Basis::Payload => "the bodies match",
        Basis::Text => "the texts match",
        Basis::Declared => "the declared digests match",
        _ => "the captures match",
    }
}

/// In what they differ.
pub(super) fn different(basis: Basis) -> &'static str {
    match basis {
        Basis::Status => "the status differs",
        Basis::Text => "the texts differ",
        Basis::MediaType => "the bodies and their media types differ",
        Basis::Declared => "the declared digests differ",
        Basis::Body | Basis::Payload => "the bodies differ",
        _ => "the captures differ",
    }
}

/// Why captures do not compare where one of them shows no state of its page. `side` is 0 or 1.
pub(super) fn set_aside(side: usize, why: &str) -> String {
    format!("cannot be compared: {} capture: {why}", ["first", "second"][side.min(1)])
}

/// Why nothing is decided. `doubt`: why one of them, a 304, does not show which content it confirms; `is_bare`: one has no status.
pub(super) fn undecided(
    strongest: Verdict,
    basis: Basis,
    doubt: Option<&str>,
    is_bare: bool,
) -> Cow<'static, str> {
    if let Some(why) = doubt {
        return format!("cannot be compared: a 304 does not show which content it confirms: {why}").into();
    }
    let words = match (strongest, basis) {
        (Verdict::Same(Grade::Validator), _) => {
            "only ETag or Last-Modified says that it is the same; that is not proof"
        }
        (Verdict::Different(Grade::Validator), _) => {
            "only ETag or Last-Modified says which content was confirmed (304); that is not proof"
        }
        (_, Basis::OtherWriter) => "cannot be compared: digests of different writers cover different bytes",
        (_, Basis::Coding) => {
            "cannot be compared: the digests cover bodies in different codings, or in one that cannot be removed"
        }
        (_, Basis::MediaType) => "cannot be compared: HTML on one side, another media type on the other",
        (_, Basis::Charset) => {
            "cannot be compared: the same bytes are declared in two charsets, and their texts are unknown"
        }
        (_, Basis::Negotiated) => {
            "cannot be compared: the requests differ in a header that Vary names, so they may have chosen another version"
        }
        (Verdict::Unknown, Basis::Location) if is_bare => {
            "cannot be compared: one side is a redirect, and with which status the other answered is unknown"
        }
        (Verdict::Unknown, Basis::Location) => {
            "cannot be compared: it is unknown on both sides where a redirect leads"
        }
        (_, Basis::AtOdds) => "cannot be compared: a capture contradicts itself",
        (_, Basis::Nothing) => "cannot be compared: no digests of one kind on both sides",
        (Verdict::Same(grade) | Verdict::Different(grade), _) => {
            return format!("the only evidence is of grade {}, weaker than asked for", grade.name()).into();
        }
        (Verdict::Unknown, _) => "cannot be compared: nothing is known on both sides that could be",
    };
    words.into()
}
