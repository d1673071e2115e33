//! What verdicts assume: each verdict names the assumptions that it rests on, and only those.

use serde::{Deserialize, Serialize};

/// One thing that captures cannot show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Assumption {
    /// A page does not change and change back between two equal captures.
    NoChangeBack,
    /// The response was made when the record says that its capture began, or, where a cache shows, since its `Age` or `Date`.
    MadeAtWarcDate,
    /// All spellings of a URL with one key show one page.
    OneKeyOnePage,
    /// Others would have got the page that the crawler got.
    SamePageForEveryone,
    /// What was sent does not depend on a header in which the requests in the archive differ, though no `Vary` names it.
    WhateverAccept,
    WhateverLanguage,
    WhateverAuthorization,
    WhateverCookie,
    WhateverUserAgent,
    /// Requests that are not in the archive were alike in what `Vary` names.
    RequestsAlike,
    /// A server that answers 304 tells the truth.
    HonestNotModified,
    /// Captures without a request record were fetched by GET.
    MethodGet,
    /// What is known by its digest only was captured whole, and is no bot wall with status 200.
    WholeBodies,
    /// A response with status 200 whose words are those of a bot wall was one, and no version of the page.
    WallByWords,
    /// A response that names no charset is read in the one that its page or its bytes suggest.
    GuessedCharset,
    /// No two bodies of the archive share a SHA-1 or MD5 digest.
    NoCollisions,
    /// All lines of an index were made by one family of writers.
    IndexIsOneWriter,
    /// The same content was always sent in the same coding, so unequal digests are of unequal contents.
    OneCoding,
    /// Pages change independently, as Poisson processes.
    PoissonChanges,
}

impl Assumption {
    /// All of them, in the order in which reports list them.
    pub const ALL: [Assumption; 19] = [
        Assumption::NoChangeBack,
        Assumption::MadeAtWarcDate,
        Assumption::OneKeyOnePage,
        Assumption::SamePageForEveryone,
        Assumption::WhateverAccept,
        Assumption::WhateverLanguage,
        Assumption::WhateverAuthorization,
        Assumption::WhateverCookie,
        Assumption::WhateverUserAgent,
        Assumption::RequestsAlike,
        Assumption::HonestNotModified,
        Assumption::MethodGet,
        Assumption::WholeBodies,
        Assumption::WallByWords,
        Assumption::GuessedCharset,
        Assumption::NoCollisions,
        Assumption::IndexIsOneWriter,
        Assumption::OneCoding,
        Assumption::PoissonChanges,
    ];

    /// The assumption in words.
    pub fn text(self) -> &'static str {
        match self {
            Assumption::NoChangeBack => "a page does not change and change back between two equal captures",
            Assumption::MadeAtWarcDate => {
                "the crawler's clock is right: a response was made at its WARC-Date, or, where its Age or its Date shows a cache, at some time between those and it"
            }
            Assumption::OneKeyOnePage => "spellings of a URL that have one canonical key show one page",
            Assumption::SamePageForEveryone => {
                "others would have got the same page: it does not depend on cookies, language or browser"
            }
            Assumption::WhateverAccept => {
                "the page does not depend on Accept, though the requests differ in it"
            }
            Assumption::WhateverLanguage => {
                "the page does not depend on Accept-Language, though the requests differ in it"
            }
            Assumption::WhateverAuthorization => {
                "the page does not depend on Authorization, though the requests differ in it"
            }
            Assumption::WhateverCookie => {
                "the page does not depend on Cookie, though the requests differ in it"
            }
            Assumption::WhateverUserAgent => {
                "the page does not depend on User-Agent, though the requests differ in it"
            }
            Assumption::RequestsAlike => {
                "requests that are not in the archive were alike in what the responses vary by (Vary)"
            }
            Assumption::HonestNotModified => "where a server answered 304 (not modified), that was true",
            Assumption::MethodGet => "captures without a request record were fetched by GET",
            Assumption::WholeBodies => {
                "what is known by its digest alone was captured whole, and status 200 showed the page: a digest shows neither what is cut nor a bot wall"
            }
            Assumption::WallByWords => {
                "a response that asks the visitor to prove to be human was a bot wall, not a version of the page"
            }
            Assumption::GuessedCharset => {
                "a response that names no charset is read in the one that its page or its bytes suggest"
            }
            Assumption::NoCollisions => "no two different bodies share a SHA-1 or MD5 digest",
            Assumption::IndexIsOneWriter => {
                "all lines of an index were made by one family of writers, so their digests compare"
            }
            Assumption::OneCoding => {
                "where only digests are known, the same content was always sent in the same content coding"
            }
            Assumption::PoissonChanges => {
                "where chances and expectations are given, pages change independently, as Poisson processes"
            }
        }
    }
}

/// What is assumed of each of [`crate::capture::negotiation::HEADERS`] where requests differ in it, and how that is written.
pub(crate) const WHATEVER: [(&str, Assumption, &str); 5] = [
    ("accept", Assumption::WhateverAccept, "Accept"),
    ("accept-language", Assumption::WhateverLanguage, "Accept-Language"),
    ("authorization", Assumption::WhateverAuthorization, "Authorization"),
    ("cookie", Assumption::WhateverCookie, "Cookie"),
    ("user-agent", Assumption::WhateverUserAgent, "User-Agent"),
];

/// A set of assumptions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct Assumptions(u32);

impl Assumptions {
    pub(crate) fn add(&mut self, assumption: Assumption) {
        self.0 |= 1 << assumption as u32;
    }

    /// The set of these.
    pub(crate) fn of(assumptions: &[Assumption]) -> Self {
        let mut set = Assumptions::default();
        assumptions.iter().for_each(|assumption| set.add(*assumption));
        set
    }

    pub(crate) fn has(self, assumption: Assumption) -> bool {
        self.0 & 1 << assumption as u32 != 0
    }

    /// In the order of [`Assumption::ALL`].
    pub(crate) fn list(self) -> Vec<Assumption> {
        Assumption::ALL.into_iter().filter(|assumption| self.has(*assumption)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_lists_its_members_once_in_a_fixed_order() {
        let mut one = Assumptions::default();
        one.add(Assumption::MethodGet);
        one.add(Assumption::NoChangeBack);
        one.add(Assumption::MethodGet);
        assert_eq!(one.list(), [Assumption::NoChangeBack, Assumption::MethodGet]);
        assert!(!one.has(Assumption::HonestNotModified));
        let names = serde_json::to_string(&Assumptions::of(&one.list()).list()).unwrap();
        assert_eq!(names, r#"["no-change-back","method-get"]"#);
    }
}
