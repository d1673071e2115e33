//! What the robots.txt files in the archive forbid.
//!
//! Source: RFC 9309. The rules for every crawler (`*`) are read: which name a crawler used is not recorded. The longest matching
//! rule decides, `Allow` before `Disallow` of the same length; `*` and `$` are understood. Addresses and rules are compared with
//! percent codes written in one way: `/%7Ejoe` and `/~joe` are the same, `/a%2Fb` and `/a/b` are not.

/// Maximum bytes of a robots.txt that are read, as RFC 9309 requires at least.
const MAX_BYTES: usize = 512 << 10;
/// Maximum number of rules kept.
const MAX_RULES: usize = 10_000;

/// The rules of one host for every crawler.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Robots {
    /// Whether it allows, and the pattern.
    rules: Vec<(bool, String)>,
}

impl Robots {
    /// Reads a file; lines that mean nothing are skipped.
    pub(crate) fn parse(text: &[u8]) -> Self {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let text = String::from_utf8_lossy(&text[..text.len().min(MAX_BYTES)]);
        let mut robots = Robots::default();
        let (mut for_all, mut in_names) = (false, false);
        for line in text.split(['\n', '\r']) {
            let line = line.split('#').next().unwrap_or("");
            let Some((field, value)) = line.split_once(':') else { continue };
            let (field, value) = (field.trim().to_ascii_lowercase(), value.trim());
            match field.as_str() {
                "user-agent" => {
                    for_all = (in_names && for_all) || value == "*";
                    in_names = true;
                }
                "allow" | "disallow" => {
                    in_names = false;
                    if for_all && !value.is_empty() && robots.rules.len() < MAX_RULES {
                        robots.rules.push((field == "allow", in_one_way(value, "*$")));
                    }
                }
                _ => {}
            }
        }
        robots
    }

    /// Whether a path with its query is forbidden.
    pub(crate) fn forbids(&self, path: &str) -> bool {
        let path = in_one_way(path, "");
        let matching = self.rules.iter().filter(|(_, pattern)| matches(pattern, &path));
        matching.max_by_key(|(allows, pattern)| (pattern.len(), *allows)).is_some_and(|(allows, _)| !allows)
    }
}

/// A path or pattern with percent codes written in one way: letters, digits and `-._~` as they are, signs that are `kept` as they
/// are, other signs that mean something in an address or a pattern as written, and all else as codes.
fn in_one_way(text: &str, kept: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let code = bytes.get(at + 1..at + 3).filter(|_| byte == b'%');
        let code = code.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        at += if code.is_some() { 3 } else { 1 };
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        let is_written = |byte: u8| b"/?:@!&'()+,;=".contains(&byte) || kept.as_bytes().contains(&byte);
        match code {
            Some(byte) if is_plain(byte) => out.push(byte.into()),
            None if is_plain(byte) || is_written(byte) => out.push(byte.into()),
            _ => out.push_str(&format!("%{:02X}", code.unwrap_or(byte))),
        }
    }
    out
}

/// Whether a pattern matches the beginning of a path; with `$` at its end, all of it.
fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, whole) = match pattern.strip_suffix('$') {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = path.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    for (at, part) in parts.iter().enumerate() {
        if whole && at + 1 == parts.len() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(found) => rest = &rest[found + part.len()..],
            None => return false,
        }
    }
    !whole || rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_rule_for_every_crawler_decides() {
        let robots = Robots::parse(
            b"User-agent: other\nDisallow: /\n\nUser-Agent: x\nUser-agent: *\nDisallow: /private/ # no\nAllow: /private/open\n\
              Disallow: /*.pdf$\nDisallow:\n",
        );
        for (path, forbidden) in [
            ("/", false),
            ("/private/a", true),
            ("/private/open/b", false),
            ("/x/y.pdf", true),
            ("/x/y.pdf?z", false),
        ] {
            assert_eq!(robots.forbids(path), forbidden, "{path}");
        }
        assert!(!Robots::parse(b"nonsense").forbids("/"));
    }

    #[test]
    fn percent_codes_are_compared_decoded_and_a_mark_of_the_encoding_is_skipped() {
        let robots = Robots::parse(
            "\u{feff}User-agent: *\rDisallow: /%7ejoe/\nDisallow: /ä/\nDisallow: /b%C3%BC\nDisallow: /a%2fb\n\
             Disallow: /x%2A$\nDisallow: /pr*ce\nDisallow: /100%\n"
                .as_bytes(),
        );
        for (path, forbidden) in [
            ("/~joe/x", true),
            ("/%7Ejoe/", true),
            ("/%C3%A4/1", true),
            ("/%c3%a4/1", true),
            ("/bü", true),
            ("/a%2Fb", true),
            ("/a/b", false),
            ("/x*", true),
            ("/x%2a", true),
            ("/xyz", false),
            ("/price", true),
            ("/100%", true),
            ("/joe", false),
        ] {
            assert_eq!(robots.forbids(path), forbidden, "{path}");
        }
    }
}
