//! URLs inside a report about one site.

/// The path of a URL on its site; other URLs as they are.
pub(crate) fn local<'a>(url: &'a str, site: &str) -> &'a str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    match rest.strip_prefix(site).or_else(|| rest.strip_prefix("www.")?.strip_prefix(site)) {
        Some(path) if path.starts_with('/') => path,
        _ => url,
    }
}
