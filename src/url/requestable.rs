//! Whether anything can be asked for a URL: its host is a name or an address, its port a number.
//!
//! Archives hold URLs that no program can request: `http://a.example:89170/`, `http://[127.0.0.1]/`, `http://a..b/`. A crawler that gets one
//! refuses it at best, and stops at worst.

use std::net::Ipv6Addr;

use super::host::ipv4;
use super::resolve::Base;

/// The longest label and the longest name of a host (RFC 1035).
const MAX_LABEL_BYTES: usize = 63;
const MAX_NAME_BYTES: usize = 253;

/// Whether an absolute http(s) URL names a host and a port that a request can go to. Whether it is answered is another question.
pub(crate) fn is_requestable(url: &str) -> bool {
    let Some(scheme) = url.find("://").map(|at| at + 3) else { return false };
    let end = url[scheme..].find(['/', '?', '#', '\\']).map_or(url.len(), |at| scheme + at);
    // A client that splits user and host at another place would request another host.
    if url[scheme..end].matches('@').count() > 1 {
        return false;
    }
    let Some(base) = Base::parse(&url.as_bytes()[..end]) else { return false };
    let authority = base.as_str().split('/').nth(2).unwrap_or_default();
    let (name, port) = match authority.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, port),
        _ => (authority, ""),
    };
    if port.parse() == Ok(0u16) {
        return false;
    }
    match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => is_name(name.strip_suffix('.').unwrap_or(name)),
    }
}

fn is_name(name: &str) -> bool {
    let is_label = |label: &str| !label.is_empty() && label.len() <= MAX_LABEL_BYTES;
    let is_numeric = name.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    name.len() <= MAX_NAME_BYTES
        && name.split('.').all(is_label)
        && (!is_numeric || ipv4(name.as_bytes()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_needs_a_host_and_a_port() {
        for url in [
            "http://a.example/",
            "HTTPS://a.example",
            "http://a.example.:8080/x",
            "http://user:pass@a.example:80/",
            "http://a.example:/x",
            "http://a_b.example?q=http://[",
            "http://é.example/",
            "http://xn--9ca.example/#f",
            "http://127.0.0.1:65535/",
            "http://127.1/",
            "http://2130706433/",
            "http://[::1]:8917/x",
            "http://[2001:db8::1]/",
            "http://localhost\\x",
        ] {
            assert!(is_requestable(url), "{url}");
        }
        let long = format!("http://{}.example/", "a".repeat(64));
        let longer = format!("http://{}example/", "a.".repeat(130));
        for url in [
            "http://127.0.0.1:89170/p9",
            "http://[127.0.0.1]:8917/bad",
            "http://[::1/",
            "http://a]/",
            "http://[v1.x]/",
            "http://[fe80::1%25eth0]/",
            "http://a:b/",
            "http://a:-1/",
            "http://a:+80/",
            "http://a:８０/",
            "http://a:0/",
            "http://a:99999999999999999999/",
            "http://a..b/",
            "http://.a/",
            "http://./",
            "http:///x",
            "http://:80/",
            "http://a%20b/",
            "http://a b/",
            "http://a%00/",
            "http://1.2.3.999/",
            "http://1.2.3.4.5/",
            "http://a@b@c/",
            "a.example/",
            "",
            &long,
            &longer,
        ] {
            assert!(!is_requestable(url), "{url}");
        }
    }
}
