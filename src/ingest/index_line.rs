//! Lines of an index to observations: an index alone is enough for an audit by declared digests.

use std::sync::Arc;

use crate::archive::cdx::IndexLine;
use crate::capture::{Kind, Observation, RefersTo};
use crate::url::Canon;

/// Makes observations from the lines of one index.
#[derive(Debug)]
pub struct IndexObserver {
    canon: Canon,
    index: Arc<str>,
    /// Neighbouring lines mostly name the same file: its name is kept once.
    file: Arc<str>,
}

impl IndexObserver {
    /// For the lines of the index at this path. A line that names no file is given that of the index.
    pub fn new(index: Arc<str>, canon: Canon) -> Self {
        IndexObserver { canon, file: index.clone(), index }
    }

    /// The observation that a line stands for.
    ///
    /// An index does not record the profile of a revisit. A 304 is taken as `server-not-modified`, any other revisit as
    /// `identical-payload-digest`, the two that writers use. `warc/revisit` is not the media type of the response.
    pub fn observe(&mut self, line: &IndexLine<'_>) -> Observation {
        let url = with_scheme(&line.url);
        let profile = line.is_revisit.then(|| match line.status {
            Some(304) => "server-not-modified".to_owned(),
            _ => "identical-payload-digest".to_owned(),
        });
        let refers_to = line.is_revisit.then(|| RefersTo {
            url: line.refers_to_url.as_deref().map(str::to_owned),
            time: line.refers_to_time.map(|dated| dated.instant),
            record_id: line.refers_to_id.as_deref().map(str::to_owned),
            ..RefersTo::default()
        });
        let key = self.canon.key(&url);
        Observation {
            method: line.method.as_deref().map(str::to_owned),
            time: line.time.map(|dated| dated.instant),
            time_end: line.time.map(|dated| dated.end()),
            status: line.status,
            mime: line.mime.as_deref().and_then(mime),
            profile,
            declared: line.digest,
            length: line.length,
            offset: line.offset,
            record_id: line.record_id.as_deref().map(str::to_owned),
            refers_to,
            location: line.redirect.as_deref().map(str::to_owned),
            truncated: line.truncated.as_deref().map(str::to_ascii_lowercase),
            ..Observation::new(Kind::Index, url, key, self.file_of(line))
        }
    }

    fn file_of(&mut self, line: &IndexLine<'_>) -> Arc<str> {
        match line.file.as_deref() {
            None => self.index.clone(),
            Some(file) => {
                if *self.file != *file {
                    self.file = file.into();
                }
                self.file.clone()
            }
        }
    }
}

/// The URL, with the scheme that the oldest indexes leave out (`example.com:80/a`).
fn with_scheme(url: &str) -> String {
    let scheme =
        url.find([':', '/', '?', '#']).filter(|end| url[*end..].starts_with(':')).map(|end| &url[..end]);
    match scheme {
        // A scheme with a dot is a host, unless it is followed by an authority.
        Some(scheme) if !scheme.contains('.') || url[scheme.len()..].starts_with("://") => url.to_owned(),
        _ => format!("http://{url}"),
    }
}

/// The media type in lower case without parameters; `None` where the index has a word for unknown.
fn mime(text: &str) -> Option<String> {
    let name = text.split([';', ' ', ',']).next().unwrap_or_default();
    if matches!(name, "" | "-" | "unk" | "unknown" | "no-type" | "warc/revisit") {
        return None;
    }
    Some(name.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::time::Dated;

    fn observe(line: &IndexLine<'_>) -> Observation {
        IndexObserver::new("i.cdx".into(), Canon::Default).observe(line)
    }

    #[test]
    fn a_line_becomes_an_observation_with_its_key_and_the_precision_of_its_date() {
        let line = IndexLine {
            url: "http://www.Example.com/A/".into(),
            time: Dated::parse("20200101000000"),
            status: Some(200),
            mime: Some("Text/HTML; charset=utf-8".into()),
            file: Some("a.warc.gz".into()),
            offset: Some(7),
            ..IndexLine::default()
        };
        let observation = observe(&line);
        assert_eq!((observation.kind, observation.key.as_str()), (Kind::Index, "com,example)/a"));
        assert_eq!((&*observation.file, observation.offset), ("a.warc.gz", Some(7)));
        assert_eq!(observation.mime.as_deref(), Some("text/html"));
        assert_eq!(observation.time_end.unwrap().0 - observation.time.unwrap().0, crate::time::SECOND);
        assert_eq!((observation.profile, observation.refers_to), (None, None));
    }

    #[test]
    fn a_revisit_keeps_no_media_type_of_its_own() {
        let mut line = IndexLine {
            url: "http://example.com/".into(),
            mime: Some("warc/revisit".into()),
            is_revisit: true,
            status: Some(200),
            ..IndexLine::default()
        };
        let observation = observe(&line);
        assert_eq!(observation.mime, None);
        assert_eq!(observation.profile.as_deref(), Some("identical-payload-digest"));
        assert_eq!(&*observation.file, "i.cdx");
        line.status = Some(304);
        assert_eq!(observe(&line).profile.as_deref(), Some("server-not-modified"));
    }

    #[test]
    fn what_an_index_calls_truncated_is_cut() {
        let line = IndexLine {
            url: "http://a.example/".into(),
            truncated: Some("Length".into()),
            ..IndexLine::default()
        };
        assert_eq!(observe(&line).truncated.as_deref(), Some("length"));
    }

    #[test]
    fn old_indexes_leave_the_scheme_out() {
        for (url, with) in [
            ("example.com:80/a", "http://example.com:80/a"),
            ("example.com/a:b", "http://example.com/a:b"),
            ("urn:x", "urn:x"),
            ("dns:example.com", "dns:example.com"),
            ("https://example.com/", "https://example.com/"),
        ] {
            let line = IndexLine { url: Cow::Borrowed(url), ..IndexLine::default() };
            assert_eq!(observe(&line).url, with);
        }
    }
}
