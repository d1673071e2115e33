//! Observations made by hand, for tests.

use std::sync::Arc;

use crate::capture::{Kind, Observation};
use crate::digest::{Algorithm, BodyDigest, Digest};
use crate::time::{Dated, Instant};

/// An observation in the making.
#[derive(Debug, Clone)]
pub(crate) struct Look(Observation);

/// An instant from its RFC 3339 form.
pub(crate) fn parse(text: &str) -> Instant {
    Instant::parse(text).unwrap_or_else(|| panic!("not a date: {text}"))
}

/// A response of status 200 and type `text/html`, without body or digest.
pub(crate) fn look(url: &str, date: &str) -> Look {
    let dated = Dated::parse(date).unwrap_or_else(|| panic!("not a date: {date}"));
    look_at(url, dated.instant).end(dated.end())
}

/// The same at an instant known exactly.
pub(crate) fn look_at(url: &str, time: Instant) -> Look {
    Look(Observation {
        time: Some(time),
        time_end: Some(time),
        status: Some(200),
        mime: Some("text/html".to_owned()),
        writer: Some(Arc::from("tester/1.0")),
        offset: Some(100),
        ..Observation::new(Kind::Response, url.to_owned(), url.to_owned(), Arc::from("file.warc.gz"))
    })
}

impl Look {
    /// With a body; equal numbers are equal bodies.
    pub(crate) fn body(mut self, number: u8) -> Self {
        self.0.body = Some(BodyDigest([number; 32]));
        self
    }

    /// With a visible text.
    pub(crate) fn text(mut self, number: u8) -> Self {
        self.0.text = Some(BodyDigest([number; 32]));
        self
    }

    /// With a declared SHA-1.
    pub(crate) fn declared(mut self, number: u8) -> Self {
        self.0.declared = Digest::new(Algorithm::Sha1, &[number; 20]);
        self
    }

    pub(crate) fn status(mut self, status: u16) -> Self {
        self.0.status = Some(status);
        self
    }

    /// A line of an index.
    pub(crate) fn index(mut self) -> Self {
        self.0.kind = Kind::Index;
        self.0.writer = None;
        self
    }

    /// A revisit by identical payload digest.
    pub(crate) fn revisit(mut self) -> Self {
        self.0.kind = Kind::Revisit;
        self.0.profile = Some("identical-payload-digest".to_owned());
        self
    }

    /// A 304 answer.
    pub(crate) fn not_modified(mut self) -> Self {
        self.0.kind = Kind::Revisit;
        self.0.profile = Some("server-not-modified".to_owned());
        self.status(304)
    }

    pub(crate) fn writer(mut self, writer: &str) -> Self {
        self.0.writer = Some(Arc::from(writer));
        self
    }

    pub(crate) fn file(mut self, file: &str) -> Self {
        self.0.file = Arc::from(file);
        self
    }

    pub(crate) fn crawl(mut self, crawl: &str) -> Self {
        self.0.crawl = Some(Arc::from(crawl));
        self
    }

    pub(crate) fn last_modified(mut self, date: &str) -> Self {
        self.0.last_modified = Some(parse(date));
        self
    }

    /// With the `Date` of the server.
    pub(crate) fn http_date(mut self, date: Instant) -> Self {
        self.0.http_date = Some(date);
        self
    }

    pub(crate) fn cut(mut self) -> Self {
        self.0.truncated = Some("length".to_owned());
        self
    }

    /// By another method than GET.
    pub(crate) fn method(mut self, method: &str) -> Self {
        self.0.method = Some(method.to_owned());
        self
    }

    pub(crate) fn etag(mut self, etag: &str) -> Self {
        self.0.etag = Some(etag.to_owned());
        self
    }

    /// With an end of the fetch.
    /// Kept by caches for that many seconds.
    pub(crate) fn age(mut self, seconds: u32) -> Self {
        self.0.age = Some(seconds.into());
        self
    }

    pub(crate) fn end(mut self, end: Instant) -> Self {
        self.0.time_end = Some(end);
        self
    }

    pub(crate) fn build(self) -> Observation {
        self.0
    }
}
