//! What the robots.txt files in the archive forbid.
//!
//! Source: RFC 9309. The rules for every crawler (`*`) are read: which name a crawler used is not recorded. The longest matching
//! rule decides, `Allow` before `Disallow` of the same length; `*` and `$` are understood.

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
        let text = String::from_utf8_lossy(&text[..text.len().min(MAX_BYTES)]);
        let mut robots = Robots::default();
        let (mut for_all, mut in_names) = (false, false);
        for line in text.lines() {
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
                        robots.rules.push((field == "allow", value.to_owned()));
                    }
                }
                _ => {}
            }
        }
        robots
    }

    /// Whether a path with its query is forbidden.
    pub(crate) fn forbids(&self, path: &str) -> bool {
        let matching = self.rules.iter().filter(|(_, pattern)| matches(pattern, path));
        matching.max_by_key(|(allows, pattern)| (pattern.len(), *allows)).is_some_and(|(allows, _)| !allows)
    }
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
}
