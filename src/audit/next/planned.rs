//! What plans are made from, of one page: a million pages of a site are held by this alone, not by all that a report says of
//! them.

use crate::audit::model::PageAudit;
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
    /// Changes a day, and where that comes from.
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
        (self.rate.per_day, self.rate.source)
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
        PlannedPage {
            text: [page.key.as_str(), page.url.as_str()].concat().into(),
            url: page.key.len() as u32,
            urls: (!is_same).then(|| page.urls.clone().into()),
            rate: page.rate.per_day,
            source: page.rate.source,
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
