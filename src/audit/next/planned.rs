//! What a plan needs to know of one page: of a large site only this is kept, not all that a report says of its pages.

use crate::audit::model::PageAudit;
use crate::capture::bytes::{Reader, put_number, put_text};
use crate::change::rate::Source;
use crate::quality::pattern::{Behaviour, PatternSummary};
use crate::schedule::page::Found;
use crate::time::Instant;

/// A page as plans see it.
pub(crate) trait Planned {
    fn key(&self) -> &str;
    fn url(&self) -> &str;
    /// All spellings of its address.
    fn urls(&self) -> impl Iterator<Item = &str>;
    /// Changes a day, and where that comes from; without bound where the page is generated for each request.
    fn rate(&self) -> (f64, Source);
    fn weight(&self) -> f64;
    /// The first and the last capture.
    fn looks(&self) -> (Instant, Instant);
    /// The latest time at which it was seen to have changed.
    fn changed(&self) -> Option<Instant>;
    fn found(&self) -> Option<Found>;
    /// The sitemap that lists it.
    fn sitemap(&self) -> Option<&str>;
    fn pattern(&self) -> Option<&PatternSummary>;
    fn behaviour(&self) -> Option<Behaviour>;
}

impl Planned for PageAudit {
    fn key(&self) -> &str {
        &self.key
    }

    fn url(&self) -> &str {
        &self.url
    }

    fn urls(&self) -> impl Iterator<Item = &str> {
        self.urls.iter().map(String::as_str)
    }

    fn rate(&self) -> (f64, Source) {
        match self.is_generated() && self.rate.source != Source::History {
            true => (f64::INFINITY, Source::Looks),
            false => (self.rate.per_day, self.rate.source),
        }
    }

    fn weight(&self) -> f64 {
        self.weight
    }

    fn looks(&self) -> (Instant, Instant) {
        (self.first_look, self.last_look)
    }

    fn changed(&self) -> Option<Instant> {
        self.outer.last().and_then(|outer| outer.after)
    }

    fn found(&self) -> Option<Found> {
        self.found
    }

    fn sitemap(&self) -> Option<&str> {
        self.sitemap.as_deref()
    }

    fn pattern(&self) -> Option<&PatternSummary> {
        self.pattern.as_ref()
    }

    fn behaviour(&self) -> Option<Behaviour> {
        self.behaviour
    }
}

/// The same of a page, and nothing else.
#[derive(Debug, PartialEq)]
pub(crate) struct PlannedPage {
    /// Key and URL in one piece, and where the URL begins.
    text: Box<str>,
    url: u32,
    /// All spellings, where there are others than the URL.
    urls: Option<Box<[String]>>,
    rate: f64,
    source: Source,
    weight: f64,
    looks: (Instant, Instant),
    changed: Option<Instant>,
    found: Option<Found>,
    sitemap: Option<Box<str>>,
    pattern: Option<Box<PatternSummary>>,
    behaviour: Option<Behaviour>,
}

impl From<&PageAudit> for PlannedPage {
    fn from(page: &PageAudit) -> Self {
        let is_same = matches!(&page.urls[..], [only] if *only == page.url);
        let (rate, source) = Planned::rate(page);
        PlannedPage {
            text: [page.key.as_str(), page.url.as_str()].concat().into(),
            url: page.key.len() as u32,
            urls: (!is_same).then(|| page.urls.clone().into()),
            rate,
            source,
            weight: page.weight,
            looks: Planned::looks(page),
            changed: Planned::changed(page),
            found: page.found,
            sitemap: page.sitemap.as_deref().map(Box::from),
            pattern: page.pattern.clone().map(Box::new),
            behaviour: page.behaviour,
        }
    }
}

/// Which of the values are there that may be missing.
const CHANGED: u8 = 1;
const FOUND: u8 = 2;
const SITEMAP: u8 = 4;
const PATTERN: u8 = 8;

impl PlannedPage {
    /// Appends the page as bytes.
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        let flag = |is_there: bool, flag: u8| if is_there { flag } else { 0 };
        let is_uneven = self.pattern.is_some() || self.behaviour.is_some();
        out.push(
            flag(self.changed.is_some(), CHANGED)
                | flag(self.found.is_some(), FOUND)
                | flag(self.sitemap.is_some(), SITEMAP)
                | flag(is_uneven, PATTERN),
        );
        out.push(Source::ALL.iter().position(|source| *source == self.source).unwrap_or_default() as u8);
        put_text(out, &self.text);
        put_number(out, u64::from(self.url));
        // None is one less than the number of spellings.
        put_number(out, self.urls.as_ref().map_or(0, |urls| urls.len() as u64 + 1));
        self.urls.iter().flatten().for_each(|url| put_text(out, url));
        for word in [self.rate.to_bits(), self.weight.to_bits(), self.looks.0.0 as u64, self.looks.1.0 as u64]
        {
            out.extend(word.to_le_bytes());
        }
        out.extend(self.changed.into_iter().flat_map(|changed| changed.0.to_le_bytes()));
        if let Some(Found { breadth, depth }) = self.found {
            put_number(out, u64::from(breadth));
            put_number(out, u64::from(depth));
        }
        if let Some(sitemap) = &self.sitemap {
            put_text(out, sitemap);
        }
        if is_uneven {
            // Numbers come back as they were; what cannot be written would be read as none.
            let json = serde_json::to_string(&(&self.pattern, self.behaviour)).unwrap_or_default();
            put_text(out, &json);
        }
    }

    /// Reads what [`PlannedPage::put`] wrote; `None` where it is something else.
    pub(crate) fn take(bytes: &[u8]) -> Option<Self> {
        let from = &mut Reader { rest: bytes };
        let (flags, source) = (from.byte()?, *Source::ALL.get(usize::from(from.byte()?))?);
        let text: Box<str> = from.str()?.into();
        let url = u32::try_from(from.number()?).ok().filter(|url| text.is_char_boundary(*url as usize))?;
        let urls = match from.number()? {
            0 => None,
            more => {
                let urls: Option<Vec<String>> = (1..more).map(|_| from.str().map(str::to_owned)).collect();
                Some(urls?.into())
            }
        };
        let (rate, weight) = (f64::from_bits(from.word()?), f64::from_bits(from.word()?));
        let looks = (from.time()?, from.time()?);
        let changed = if flags & CHANGED != 0 { Some(from.time()?) } else { None };
        let mut place = || from.number().and_then(|place| u32::try_from(place).ok());
        let found =
            if flags & FOUND != 0 { Some(Found { breadth: place()?, depth: place()? }) } else { None };
        let sitemap = if flags & SITEMAP != 0 { Some(from.str()?.into()) } else { None };
        let (pattern, behaviour) =
            if flags & PATTERN != 0 { serde_json::from_slice(from.bytes()?).ok()? } else { (None, None) };
        Some(PlannedPage {
            text,
            url,
            urls,
            rate,
            source,
            weight,
            looks,
            changed,
            found,
            sitemap,
            pattern,
            behaviour,
        })
    }
}

impl Planned for PlannedPage {
    fn key(&self) -> &str {
        &self.text[..self.url as usize]
    }

    fn url(&self) -> &str {
        &self.text[self.url as usize..]
    }

    fn urls(&self) -> impl Iterator<Item = &str> {
        let only = self.urls.is_none().then(|| self.url());
        self.urls.iter().flatten().map(String::as_str).chain(only)
    }

    fn rate(&self) -> (f64, Source) {
        (self.rate, self.source)
    }

    fn weight(&self) -> f64 {
        self.weight
    }

    fn looks(&self) -> (Instant, Instant) {
        self.looks
    }

    fn changed(&self) -> Option<Instant> {
        self.changed
    }

    fn found(&self) -> Option<Found> {
        self.found
    }

    fn sitemap(&self) -> Option<&str> {
        self.sitemap.as_deref()
    }

    fn pattern(&self) -> Option<&PatternSummary> {
        self.pattern.as_deref()
    }

    fn behaviour(&self) -> Option<Behaviour> {
        self.behaviour
    }
}
