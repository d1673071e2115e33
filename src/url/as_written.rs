//! A URL as its page wrote it: what proof compares.

/// The URL with scheme and host in lower case, without default port and fragment.
pub(crate) fn as_written(url: &str) -> String {
    let url = url.split('#').next().unwrap_or(url);
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    let (scheme, mut host) = (scheme.to_ascii_lowercase(), host.to_ascii_lowercase());
    let port = if scheme == "https" { ":443" } else { ":80" };
    if let Some(bare) = host.strip_suffix(port).or_else(|| host.strip_suffix(':')) {
        host = bare.to_owned();
    }
    let path = if path.is_empty() { "/" } else { path };
    let slash = if path.starts_with('?') { "/" } else { "" };
    format!("{scheme}://{host}{slash}{path}")
}
