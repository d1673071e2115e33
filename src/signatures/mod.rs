//! Time stamps (RFC 3161) and signatures of packages (wacz-auth 0.1): who signed what, when, and whether that holds.
//!
//! Everything is judged offline and at the time in the stamp, never at the time of today. Trust comes from the certificates
//! that the user gives, and from nowhere else. Whether a certificate had been withdrawn is not checked, and that is said.

pub(crate) mod certificate;
pub(crate) mod chain;
pub(crate) mod key;
pub(crate) mod package;
pub(crate) mod sign;
pub(crate) mod stamp;
pub(crate) mod token;

#[cfg(test)]
mod tests;

/// What came of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    Valid,
    /// Nothing speaks against it, but something that is needed is missing.
    NotSettled,
    Invalid,
}

/// What came of a check, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub outcome: Outcome,
    pub words: String,
}

impl Verdict {
    pub(crate) fn valid(words: impl Into<String>) -> Self {
        Verdict { outcome: Outcome::Valid, words: words.into() }
    }

    pub(crate) fn not_settled(words: impl Into<String>) -> Self {
        Verdict { outcome: Outcome::NotSettled, words: words.into() }
    }

    pub(crate) fn invalid(words: impl Into<String>) -> Self {
        Verdict { outcome: Outcome::Invalid, words: words.into() }
    }
}
