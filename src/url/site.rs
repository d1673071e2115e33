//! Which site a URL belongs to: its host, its registered domain, or a prefix.

use std::borrow::Cow;
use std::str::FromStr;

use super::split::Parts;
use super::{Canon, host as labels};

/// The host of a URL as written, without user, port and brackets; `None` where it has none.
pub(crate) fn host(url: &str) -> Option<&str> {
    let parts = Parts::of(url.trim_ascii().as_bytes());
    if parts.host.is_empty() { None } else { std::str::from_utf8(parts.host).ok() }
}

/// The registered domain of a host by the public suffix list: `bbc.co.uk` of `news.bbc.co.uk`. `None` for an address, a
/// bare suffix and a name without dots.
pub(crate) fn registered_domain(host: &str) -> Option<&str> {
    let host = host.strip_suffix('.').unwrap_or(host);
    let is_address = host.contains(':') || host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if is_address || host.len() > 253 {
        return None;
    }
    // The list is in lower case and in ASCII; a name in another script has the same number of labels there.
    let normal = match host {
        _ if !host.is_ascii() => Cow::Owned(idna::domain_to_ascii(host).ok()?),
        _ if host.bytes().any(|byte| byte.is_ascii_uppercase()) => Cow::Owned(host.to_ascii_lowercase()),
        _ => Cow::Borrowed(host),
    };
    let labels = psl2::lookup(&normal)?.registrable_domain()?.split('.').count();
    let start = host.rmatch_indices('.').nth(labels - 1).map_or(0, |(dot, _)| dot + 1);
    host.get(start..)
}

/// What makes a site.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum SiteBy {
    /// The host, without `www.`, with its port unless that is the default.
    #[default]
    Host,
    /// The registered domain; the host where there is none.
    Domain,
    /// All URLs below one; others belong to no site. `http://a.example/dir/` holds that directory and what lies in
    /// it, `http://a.example/dir` whatever begins so.
    Prefix(String),
}

impl SiteBy {
    /// The name of the site a URL belongs to; `None` where it belongs to none (`urn:`, `dns:`, outside the prefix).
    pub fn site_of(&self, url: &str) -> Option<String> {
        if let SiteBy::Prefix(prefix) = self {
            return begins_with(url, prefix).then(|| prefix.clone());
        }
        let parts = Parts::of(url.trim_ascii().as_bytes());
        let mut scratch = Vec::new();
        let canonical = labels::canonical(parts.host, true, &mut scratch);
        let mut site = String::from_utf8_lossy(canonical).to_ascii_lowercase();
        if site.is_empty() || parts.scheme.eq_ignore_ascii_case(b"urn") {
            return None;
        }
        if *self == SiteBy::Domain
            && let Some(domain) = registered_domain(&site)
        {
            return Some(domain.to_owned());
        }
        match parts.port_number() {
            Ok(Some(port)) if !parts.is_default_port(port) => site.push_str(&format!(":{port}")),
            _ => {}
        }
        Some(site)
    }
}

fn begins_with(url: &str, prefix: &str) -> bool {
    let (key, prefix_key) = (Canon::Default.key(url), Canon::Default.key(prefix));
    match key.strip_prefix(&prefix_key) {
        None => false,
        Some(rest) if prefix.ends_with('/') && !prefix_key.ends_with('/') => {
            rest.is_empty() || rest.starts_with(['/', '?'])
        }
        Some(_) => true,
    }
}

impl FromStr for SiteBy {
    type Err = crate::Error;

    /// `host`, `domain` or `prefix:URL`.
    fn from_str(text: &str) -> crate::Result<Self> {
        match text.split_once(':') {
            None if text == "host" => Ok(SiteBy::Host),
            None if text == "domain" => Ok(SiteBy::Domain),
            Some(("prefix", url)) if host(url).is_some_and(|host| !host.is_empty()) => {
                Ok(SiteBy::Prefix(url.trim().to_owned()))
            }
            _ => Err(crate::Error::usage(format!("no such way to form sites: {text:?}"))
                .with_remedy("use host, domain or prefix:URL, as in prefix:https://example.org/dir/")),
        }
    }
}
