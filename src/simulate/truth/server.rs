//! Kinds of servers: honest, careless and lying ones.

use crate::change::assumption::Assumption;

/// How a server answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Server {
    /// Strong `ETag`, true `Last-Modified`, a right clock.
    Exact,
    /// No validators.
    Bare,
    /// Weak `ETag`, which two versions in a row may share.
    Weak,
    /// A true `Last-Modified`, and no `ETag`.
    Dated,
    /// `Last-Modified` is the time of each response.
    Stamping,
    /// `Last-Modified` is years old, whatever changed.
    Misdating,
    /// Its clock is three hours ahead.
    Fast,
    /// A cache in front of it keeps pages for minutes and declares their `Age`.
    Cached,
    /// The same, but the cache does not declare it.
    Stale,
    /// Answers 304 to every conditional request.
    Lying,
    /// Shows each visitor their language; `Vary` says so.
    Negotiating,
    /// The same without `Vary`.
    Guessing,
    /// Puts a new token into every page.
    Tokens,
    /// Turns every fourth request away: 403, 429, 503, or a challenge page with status 200.
    Walled,
    /// Shows an error page with status 200 where a page is gone.
    Soft,
    /// `/P0` is another page than `/p0`.
    CaseSensitive,
    /// Declares one of two charsets for the same bytes.
    Charsets,
    /// Redirects `http` to `https://www.`, where the pages are.
    Secure,
}

impl Server {
    pub const ALL: [Server; 18] = [
        Server::Exact,
        Server::Bare,
        Server::Weak,
        Server::Dated,
        Server::Stamping,
        Server::Misdating,
        Server::Fast,
        Server::Cached,
        Server::Stale,
        Server::Lying,
        Server::Negotiating,
        Server::Guessing,
        Server::Tokens,
        Server::Walled,
        Server::Soft,
        Server::CaseSensitive,
        Server::Charsets,
        Server::Secure,
    ];

    /// Its name, for options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Server::Exact => "exact",
            Server::Bare => "bare",
            Server::Weak => "weak",
            Server::Dated => "dated",
            Server::Stamping => "stamping",
            Server::Misdating => "misdating",
            Server::Fast => "fast",
            Server::Cached => "cached",
            Server::Stale => "stale",
            Server::Lying => "lying",
            Server::Negotiating => "negotiating",
            Server::Guessing => "guessing",
            Server::Tokens => "tokens",
            Server::Walled => "walled",
            Server::Soft => "soft",
            Server::CaseSensitive => "case-sensitive",
            Server::Charsets => "charsets",
            Server::Secure => "secure",
        }
    }

    /// What it does, in a clause.
    pub fn about(self) -> &'static str {
        match self {
            Server::Exact => "strong ETag, true Last-Modified, a right clock",
            Server::Bare => "no validators",
            Server::Weak => "weak ETag, which two versions in a row may share",
            Server::Dated => "a true Last-Modified and no ETag",
            Server::Stamping => "Last-Modified is the time of each response",
            Server::Misdating => "Last-Modified is years old, whatever changed",
            Server::Fast => "its clock is three hours ahead",
            Server::Cached => "a cache keeps pages for minutes and declares their Age",
            Server::Stale => "a cache keeps pages for minutes and does not say so",
            Server::Lying => "answers 304 to every conditional request",
            Server::Negotiating => "shows each visitor their language, and Vary says so",
            Server::Guessing => "shows each visitor their language, without Vary",
            Server::Tokens => "puts a new token into every page",
            Server::Walled => {
                "turns every fourth request away: 403, 429, 503, or a challenge page with status 200"
            }
            Server::Soft => "shows an error page with status 200 where a page is gone",
            Server::CaseSensitive => "/P0 is another page than /p0",
            Server::Charsets => "declares one of two charsets for the same bytes",
            Server::Secure => "redirects http to https://www., where the pages are",
        }
    }

    /// The assumption that it breaks: verdicts that rest on it may be wrong, and must say that they assume it.
    pub fn breaks(self) -> Option<Assumption> {
        match self {
            Server::Lying | Server::Misdating | Server::Weak => Some(Assumption::HonestNotModified),
            Server::Stale => Some(Assumption::MadeAtWarcDate),
            Server::Negotiating | Server::Guessing => Some(Assumption::SamePageForEveryone),
            Server::CaseSensitive => Some(Assumption::OneKeyOnePage),
            _ => None,
        }
    }

    /// Whether its `Last-Modified` says when a version began.
    pub fn dates_truly(self) -> bool {
        !matches!(self, Server::Misdating | Server::Stamping | Server::Fast | Server::Stale)
    }
}
