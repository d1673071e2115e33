//! Removes the quirks of writers, once: every observation is normalised here before anything else reads it.

use super::{Kind, Observation, RefersTo};

/// Part of the profile of a revisit by which a server says that nothing changed.
pub(crate) const NOT_MODIFIED: &str = "not-modified";

/// Why a capture without any body, where its head names one, is cut: probably it is the answer to HEAD.
pub(crate) const NO_BODY: &str = "no-body";

/// Why a revisit of a capture that is cut is cut.
pub(crate) const REVISIT_OF_CUT: &str = "original";

impl Observation {
    /// Whether the answer says that nothing changed since an earlier one.
    pub(crate) fn is_not_modified(&self) -> bool {
        self.status == Some(304)
            || self.profile.as_deref().is_some_and(|profile| profile.contains(NOT_MODIFIED))
    }

    /// Whether it is a revisit, also where only an index shows it.
    pub(crate) fn is_revisit(&self) -> bool {
        self.kind == Kind::Revisit || self.profile.is_some()
    }

    /// Clears all that was learnt from the body, where what was read is no body.
    pub(crate) fn forget_body(&mut self) {
        (self.payload, self.digest_ok, self.digest_covers) = (None, None, None);
        (self.body, self.body_length, self.text) = (None, None, None);
        (self.soft404, self.links, self.sitemap) = (None, None, None);
    }

    /// Removes quirks of writers. Returns whether it dropped a digest that means "no digest".
    pub(crate) fn normalise(&mut self) -> bool {
        if self.kind == Kind::Revisit {
            self.refers_to.get_or_insert_with(RefersTo::default);
        }
        // Heritrix stamps `WARC-Truncated: length` on every revisit (`RevisitRecordBuilder`), for its body is left out.
        if self.is_revisit() && self.truncated.as_deref() == Some("length") {
            self.truncated = None;
        }
        // The request is here, and it was GET: the body is missing.
        if self.truncated.as_deref() == Some(NO_BODY) && self.method.is_some() {
            self.truncated = Some("body-short".to_owned());
        }
        if !self.is_not_modified() {
            return false;
        }
        // A 304 has no body: what follows its head, mostly nothing, is not the page.
        if self.kind == Kind::Response {
            self.forget_body();
        }
        // Old Heritrix wrote the digest of the empty body on 304 answers, wget that of an empty block. On a revisit by
        // identical digest it is a digest like any other: that body was empty.
        self.declared.take_if(|digest| digest.is_of_empty()).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::testing::look;

    const EMPTY: &str = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";

    #[test]
    fn the_digest_of_nothing_means_no_digest_only_where_nothing_was_modified() {
        let declared = |mut observation: Observation| {
            observation.declared = EMPTY.parse().ok();
            let dropped = observation.normalise();
            assert_eq!(dropped, observation.declared.is_none());
            observation.declared
        };
        let page = || look("http://a/", "2026-01-01T00:00:00Z");
        assert_eq!(declared(page().not_modified().build()), None);
        assert_eq!(declared(page().status(304).build()), None);
        assert_eq!(declared(page().revisit().build()), EMPTY.parse().ok());
        assert_eq!(declared(page().build()), EMPTY.parse().ok());
    }

    #[test]
    fn a_revisit_is_not_cut_by_the_length_that_heritrix_stamps() {
        let truncated = |mut observation: Observation, reason: &str| {
            observation.truncated = Some(reason.to_owned());
            observation.normalise();
            observation.truncated
        };
        let page = || look("http://a/", "2026-01-01T00:00:00Z");
        assert_eq!(truncated(page().revisit().build(), "length"), None);
        assert_eq!(truncated(page().revisit().build(), "time").as_deref(), Some("time"));
        assert_eq!(truncated(page().build(), "length").as_deref(), Some("length"));
    }

    #[test]
    fn an_answer_304_has_no_body_however_it_was_stored() {
        let mut stored = look("http://a/", "2026-01-01T00:00:00Z").body(1).text(1).status(304).build();
        stored.normalise();
        assert_eq!((stored.body, stored.text, stored.body_length), (None, None, None));
    }
}
