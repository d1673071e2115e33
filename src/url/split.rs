//! Splitting a URL into its parts, as the `surt` package does: RFC 2396, appendix B, with what the wild needs.

/// The parts of a URL, still as written; what is absent is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parts<'a> {
    /// Before the first colon; `http` where there is none.
    pub(super) scheme: &'a [u8],
    /// Before the `@` of the authority.
    pub(super) user: &'a [u8],
    /// The host, an IPv6 address without its brackets.
    pub(super) host: &'a [u8],
    /// What follows the colon behind the host.
    pub(super) port: &'a [u8],
    /// The path, with its leading slash where there is a host.
    pub(super) path: &'a [u8],
    /// Between `?` and `#`.
    pub(super) query: &'a [u8],
    /// Whether there is a `?`, even one with nothing after it.
    pub(super) has_query: bool,
}

impl<'a> Parts<'a> {
    /// Splits a URL that holds no line breaks or tabs, repairing what the wild gets wrong about schemes and slashes.
    pub(super) fn of(url: &'a [u8]) -> Self {
        let (scheme, rest, has_authority) = scheme_and_rest(url);
        let mut parts = Self::behind(scheme, rest, has_authority);
        if parts.host.is_empty() && !parts.path.is_empty() && scheme.starts_with(b"http") {
            // `http:////host/path` and `http:host/path`: slashes too many or too few.
            let slashes = parts.path.iter().take_while(|byte| **byte == b'/').count();
            let host_and_path = &parts.path[slashes..];
            let end = memchr::memchr(b'/', host_and_path).unwrap_or(host_and_path.len());
            parts.host = &host_and_path[..end];
            parts.path = if end == host_and_path.len() { b"/" } else { &host_and_path[end..] };
        }
        parts
    }

    /// Splits `scheme://host…` as it stands; `None` for anything else.
    pub(super) fn strictly(url: &'a [u8]) -> Option<Self> {
        let colon = scheme_length(url)?;
        let parts = Self::behind(&url[..colon], url[colon + 1..].strip_prefix(b"//")?, true);
        (!parts.host.is_empty()).then_some(parts)
    }

    fn behind(scheme: &'a [u8], rest: &'a [u8], has_authority: bool) -> Self {
        let rest = &rest[..memchr::memchr(b'#', rest).unwrap_or(rest.len())];
        let (hierarchy, query, has_query) = match memchr::memchr(b'?', rest) {
            Some(mark) => (&rest[..mark], &rest[mark + 1..], true),
            None => (rest, &rest[rest.len()..], false),
        };
        let (authority, path) = if has_authority {
            hierarchy.split_at(memchr::memchr(b'/', hierarchy).unwrap_or(hierarchy.len()))
        } else {
            (&hierarchy[..0], hierarchy)
        };
        let (user, host, port) = split_authority(authority);
        Parts { scheme, user, host, port, path, query, has_query }
    }

    /// The port as a number; `None` if it is absent or 0, which is not a port.
    pub(super) fn port_number(&self) -> Result<Option<u16>, NotAPort> {
        if self.port.is_empty() {
            return Ok(None);
        }
        let number = self.port.iter().try_fold(0u32, |number, byte| {
            let digit = byte.is_ascii_digit().then(|| u32::from(byte - b'0'))?;
            Some((number * 10 + digit).min(1 << 20))
        });
        match number.map(u16::try_from) {
            Some(Ok(number)) => Ok((number != 0).then_some(number)),
            _ => Err(NotAPort),
        }
    }

    /// Whether the port is the one the scheme has anyway.
    pub(super) fn is_default_port(&self, port: u16) -> bool {
        (port == 80 && self.scheme.eq_ignore_ascii_case(b"http"))
            || (port == 443 && self.scheme.eq_ignore_ascii_case(b"https"))
    }
}

/// The text behind the host's colon is not a port.
pub(super) struct NotAPort;

/// The scheme, what follows it (and its `//`), and whether an authority comes first there.
fn scheme_and_rest(url: &[u8]) -> (&[u8], &[u8], bool) {
    let (mut scheme, mut rest): (&[u8], _) = (b"", url);
    // `http://https://host`: the last one counts.
    loop {
        if let Some(after) = rest.strip_prefix(b"http://") {
            (scheme, rest) = (b"http", after);
        } else if let Some(after) = rest.strip_prefix(b"https://") {
            (scheme, rest) = (b"https", after);
        } else {
            break;
        }
    }
    if !scheme.is_empty() {
        return (scheme, rest, true);
    }
    match scheme_length(url) {
        Some(colon) => match url[colon + 1..].strip_prefix(b"//") {
            Some(rest) => (&url[..colon], rest, true),
            None => (&url[..colon], &url[colon + 1..], false),
        },
        None => (b"http", url, true),
    }
}

/// The length of a leading scheme.
fn scheme_length(url: &[u8]) -> Option<usize> {
    url.first().filter(|byte| byte.is_ascii_alphabetic())?;
    let end = url.iter().position(|byte| !(byte.is_ascii_alphanumeric() || b"+-.".contains(byte)))?;
    (url[end] == b':').then_some(end)
}

/// User, host and port.
fn split_authority(authority: &[u8]) -> (&[u8], &[u8], &[u8]) {
    let colons = authority.iter().rev().take_while(|byte| **byte == b':').count();
    let authority = &authority[..authority.len() - colons];
    let (user, host_and_port) = match memchr::memrchr(b'@', authority) {
        Some(at) => (&authority[..at], &authority[at + 1..]),
        None => (&authority[..0], authority),
    };
    let cut = |text: &'_ [u8], mark: u8| memchr::memchr(mark, text).unwrap_or(text.len());
    let (host, behind) = match memchr::memchr(b'[', host_and_port) {
        Some(open) => {
            let bracketed = &host_and_port[open + 1..];
            let close = cut(bracketed, b']');
            (&bracketed[..close], &bracketed[close..])
        }
        None => host_and_port.split_at(cut(host_and_port, b':')),
    };
    let colon = cut(behind, b':');
    (user, host, behind.get(colon + 1..).unwrap_or_default())
}
