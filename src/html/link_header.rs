//! Reads targets and relations from the `Link` header.
//!
//! Source: RFC 8288, section 3. Read leniently: anything that cannot be a link is skipped.

use super::links::{LinkKind, relation};

/// Reports the target and kind of every link in a `Link` header's value.
pub(crate) fn links(value: &[u8], mut tell: impl FnMut(LinkKind, &[u8])) {
    let mut rest = value;
    while let Some(open) = memchr::memchr(b'<', rest) {
        let behind = &rest[open + 1..];
        let Some(close) = memchr::memchr(b'>', behind) else { return };
        let target = behind[..close].trim_ascii();
        let (parameters, next) = split_at_comma(&behind[close + 1..]);
        let mut rel = &b""[..];
        let mut anchored = false;
        for_each_parameter(parameters, |name, value| {
            if name.eq_ignore_ascii_case(b"rel") && rel.is_empty() {
                rel = value;
            }
            // A link whose context is another resource says nothing about this one.
            anchored |= name.eq_ignore_ascii_case(b"anchor");
        });
        if !target.is_empty()
            && !anchored
            && let Some(kind) = relation(rel)
        {
            tell(kind, target);
        }
        rest = next;
    }
}

/// Splits at the next comma outside quotes.
fn split_at_comma(value: &[u8]) -> (&[u8], &[u8]) {
    let end = end_of(value, b',');
    (&value[..end], value.get(end + 1..).unwrap_or_default())
}

/// The position of `stop` outside quotes, or the end.
fn end_of(value: &[u8], stop: u8) -> usize {
    let (mut quoted, mut escaped) = (false, false);
    value
        .iter()
        .position(|&c| {
            if escaped {
                escaped = false;
                return false;
            }
            escaped = quoted && c == b'\\';
            quoted ^= c == b'"';
            c == stop && !quoted
        })
        .unwrap_or(value.len())
}

fn for_each_parameter<'a>(mut rest: &'a [u8], mut tell: impl FnMut(&'a [u8], &'a [u8])) {
    while !rest.is_empty() {
        let end = end_of(rest, b';');
        let parameter = &rest[..end];
        if let Some(equals) = memchr::memchr(b'=', parameter) {
            let value = parameter[equals + 1..].trim_ascii();
            let value = value.strip_prefix(b"\"").unwrap_or(value);
            let value = value.strip_suffix(b"\"").unwrap_or(value);
            tell(parameter[..equals].trim_ascii(), value);
        }
        rest = rest.get(end + 1..).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_and_relations_are_read_and_commas_in_quotes_do_not_part() {
        let mut found = Vec::new();
        links(
            br#"<a.css>; rel="preload stylesheet"; as=style, </n,x>; title="a, <b>; c\","; rel=next,<>,<y>;rel=icon, <z>; anchor="/q"; rel=up, <open"#,
            |kind, target| found.push((kind, String::from_utf8_lossy(target).into_owned())),
        );
        assert_eq!(
            found,
            [
                (LinkKind::Stylesheet, "a.css".to_owned()),
                (LinkKind::Relation, "/n,x".to_owned()),
                (LinkKind::Icon, "y".to_owned()),
            ]
        );
    }
}
