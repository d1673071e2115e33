//! Kinds of crawlers, and of what is left of their crawls.

use crate::change::assumption::Assumption;

/// What a crawler asks for and writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Crawler {
    /// WARC: each response whole, with its request, to the microsecond.
    Careful,
    /// WARC with dates cut to seconds, and no requests.
    Plain,
    /// The same as gzip, a member for each record.
    Gzip,
    /// WACZ: archive, index, pages and hashes in one package.
    Package,
    Arc,
    /// Unchanged bodies as revisits by digest.
    Deduplicating,
    /// Conditional requests: 304 as revisits that name their original.
    Conditional,
    /// 304 as revisits that name nothing.
    Nameless,
    /// 304 as `response` records.
    Bare304,
    /// CDX without its archives.
    Index,
    /// CDXJ without its archives.
    JsonIndex,
    /// CDX that leaves unchanged captures out, as wget writes it.
    SparseIndex,
    /// WARC and its CDXJ index.
    Indexed,
    /// ARC and WARC of one crawl.
    TwoWriters,
    /// A WARC file, its copy, and its gzip form.
    Copied,
    /// Two visitors with their own language and cookies; requests are kept.
    Visitors,
    /// The same, and requests are not kept.
    Strangers,
    /// Cut bodies, screenshots, HEAD, POST, 206, other spellings, redirects to itself, records twice.
    Careless,
    /// One record was altered afterwards: in a copy, below an index, or inside a package.
    Tampered,
}

impl Crawler {
    pub const ALL: [Crawler; 19] = [
        Crawler::Careful,
        Crawler::Plain,
        Crawler::Gzip,
        Crawler::Package,
        Crawler::Arc,
        Crawler::Deduplicating,
        Crawler::Conditional,
        Crawler::Nameless,
        Crawler::Bare304,
        Crawler::Index,
        Crawler::JsonIndex,
        Crawler::SparseIndex,
        Crawler::Indexed,
        Crawler::TwoWriters,
        Crawler::Copied,
        Crawler::Visitors,
        Crawler::Strangers,
        Crawler::Careless,
        Crawler::Tampered,
    ];

    /// Its name, for options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Crawler::Careful => "careful",
            Crawler::Plain => "plain",
            Crawler::Gzip => "gzip",
            Crawler::Package => "package",
            Crawler::Arc => "arc",
            Crawler::Deduplicating => "deduplicating",
            Crawler::Conditional => "conditional",
            Crawler::Nameless => "nameless",
            Crawler::Bare304 => "bare-304",
            Crawler::Index => "index",
            Crawler::JsonIndex => "json-index",
            Crawler::SparseIndex => "sparse-index",
            Crawler::Indexed => "indexed",
            Crawler::TwoWriters => "two-writers",
            Crawler::Copied => "copied",
            Crawler::Visitors => "visitors",
            Crawler::Strangers => "strangers",
            Crawler::Careless => "careless",
            Crawler::Tampered => "tampered",
        }
    }

    /// What it does, in a clause.
    pub fn about(self) -> &'static str {
        match self {
            Crawler::Careful => "WARC: each response whole, with its request, to the microsecond",
            Crawler::Plain => "WARC with dates cut to seconds and no requests",
            Crawler::Gzip => "WARC as gzip, a member for each record",
            Crawler::Package => "WACZ: archive, index, pages and hashes",
            Crawler::Arc => "ARC",
            Crawler::Deduplicating => "unchanged bodies as revisits by digest",
            Crawler::Conditional => "304 as revisits that name their original",
            Crawler::Nameless => "304 as revisits that name nothing",
            Crawler::Bare304 => "304 as response records",
            Crawler::Index => "CDX without its archives",
            Crawler::JsonIndex => "CDXJ without its archives",
            Crawler::SparseIndex => "CDX that leaves unchanged captures out, as wget writes it",
            Crawler::Indexed => "WARC and its CDXJ index",
            Crawler::TwoWriters => "ARC and WARC of one crawl",
            Crawler::Copied => "a WARC file, its copy, and its gzip form",
            Crawler::Visitors => "two visitors with their own language and cookies; requests are kept",
            Crawler::Strangers => "two visitors with their own language and cookies; requests are not kept",
            Crawler::Careless => {
                "cut bodies, screenshots, HEAD, POST, 206, other spellings, redirects to itself, records twice"
            }
            Crawler::Tampered => {
                "one record was altered afterwards: in a copy, below an index, or inside a package"
            }
        }
    }

    /// Whether it sends conditional requests.
    pub fn is_conditional(self) -> bool {
        matches!(self, Crawler::Conditional | Crawler::Nameless | Crawler::Bare304)
    }

    /// Whether nothing but an index is left.
    pub fn is_index(self) -> bool {
        matches!(self, Crawler::Index | Crawler::JsonIndex | Crawler::SparseIndex)
    }

    /// Whether it writes request records.
    pub(crate) fn keeps_requests(self) -> bool {
        matches!(self, Crawler::Careful | Crawler::Package | Crawler::Visitors)
    }

    /// Whether it writes dates to the microsecond.
    pub(crate) fn is_exact(self) -> bool {
        matches!(
            self,
            Crawler::Careful | Crawler::Package | Crawler::Careless | Crawler::TwoWriters | Crawler::Visitors
        )
    }

    /// Whether verdicts on what it left can rest on an assumption at all.
    pub fn may_assume(self, assumption: Assumption) -> bool {
        match assumption {
            Assumption::HonestNotModified => self.is_conditional(),
            Assumption::NoCollisions => self == Crawler::Deduplicating || self.is_index(),
            Assumption::IndexIsOneWriter => self.is_index(),
            Assumption::OneCoding => {
                self.is_index() || self.is_conditional() || self == Crawler::Deduplicating
            }
            Assumption::MethodGet => !self.keeps_requests(),
            Assumption::WholeBodies => {
                self.is_index() || matches!(self, Crawler::Deduplicating | Crawler::Careless)
            }
            Assumption::WhateverAccept
            | Assumption::WhateverLanguage
            | Assumption::WhateverAuthorization
            | Assumption::WhateverCookie
            | Assumption::WhateverUserAgent => self.keeps_requests(),
            Assumption::RequestsAlike => !self.keeps_requests() && !self.is_index(),
            Assumption::OneKeyOnePage => self == Crawler::Careless,
            Assumption::NoChangeBack
            | Assumption::MadeAtWarcDate
            | Assumption::SamePageForEveryone
            | Assumption::WallByWords
            | Assumption::GuessedCharset
            | Assumption::PoissonChanges => true,
        }
    }
}
