//! Which URLs were asked for when the second side was made: from a crawl log, a list of URLs, or the manifest of a rebuilt site.

use std::collections::HashSet;

use crate::crawl::log;
use crate::crawl::outcome::Fate;
use crate::error::{Error, Result};
use crate::url::Canon;

/// The keys of URLs that were asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SoughtUrls {
    keys: HashSet<String>,
}

impl SoughtUrls {
    /// Whether a URL was asked for.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.keys.contains(key)
    }

    /// Reads a file: the manifest of `acuity rebuild` (JSON lines with `url` and `sought`), a Heritrix crawl log, or one URL
    /// per line.
    ///
    /// # Errors
    /// Where no line names a URL.
    pub(crate) fn read(&mut self, text: &str, canon: Canon) -> Result<()> {
        let before = self.keys.len();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(url) = url_of(line) {
                self.keys.insert(canon.key(&url));
            }
        }
        if self.keys.len() == before {
            return Err(Error::usage("no line names a URL that was asked for")
                .with_remedy("give a crawl log, the manifest of a rebuilt site, or one URL per line"));
        }
        Ok(())
    }
}

/// The URL that a line says was asked for.
fn url_of(line: &str) -> Option<String> {
    if line.starts_with('{') {
        let value: serde_json::Value = serde_json::from_str(line).ok()?;
        let is_sought = value.get("sought").and_then(serde_json::Value::as_bool).unwrap_or(true);
        return value.get("url").and_then(|url| url.as_str()).filter(|_| is_sought).map(str::to_owned);
    }
    if line.starts_with("http://") || line.starts_with("https://") {
        return line.split_whitespace().next().map(str::to_owned);
    }
    let logged = log::line(line.as_bytes()).ok()??;
    match logged.fate {
        Fate::Excluded { .. } | Fate::Untried { .. } => None,
        _ => Some(logged.url),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_lists_and_manifests_are_read() {
        let mut sought = SoughtUrls::default();
        let text = "# a comment\nhttp://a.example/1\n{\"url\":\"http://a.example/2\"}\n{\"url\":\"http://a.example/3\",\"sought\":false}\n\
            2011-06-23T17:12:08.802Z 404 1299 http://a.example/4 LP - text/plain #014 - - - -\n\
            2011-06-23T17:12:08.802Z -9998 - http://a.example/5 LP - text/plain #014 - - - -\n";
        sought.read(text, Canon::Default).unwrap();
        let has: Vec<bool> =
            (1..=5).map(|n| sought.has(&Canon::Default.key(&format!("http://a.example/{n}")))).collect();
        assert_eq!(has, [true, true, false, true, false]);
        assert!(sought.read("nothing\n", Canon::Default).is_err());
    }
}
