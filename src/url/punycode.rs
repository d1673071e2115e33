//! Labels of host names that are not ASCII, as the domain name system has them (RFC 3492).

/// The longest label of a host name, which also bounds the time that encoding takes.
const MAX_LABEL_CHARACTERS: usize = 63;

/// Appends the Punycode of one label. `None`: it is longer than a label can be.
pub(super) fn punycode(label: &str, out: &mut String) -> Option<()> {
    if label.chars().count() > MAX_LABEL_CHARACTERS {
        return None;
    }
    out.push_str(&idna::punycode::encode_str(label)?);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_encoded_as_the_standard_shows() {
        // RFC 3492, section 7.1 (B), (L), and a name that everybody knows.
        for (label, expected) in [
            (
                "\u{4ed6}\u{4eec}\u{4e3a}\u{4ec0}\u{4e48}\u{4e0d}\u{8bf4}\u{4e2d}\u{6587}",
                "ihqwcrb4cv8a8dqg056pqjye",
            ),
            ("3\u{5e74}b\u{7d44}\u{91d1}\u{516b}\u{5148}\u{751f}", "3b-ww4c5e180e575a65lsy2b"),
            ("b\u{fc}cher", "bcher-kva"),
        ] {
            let mut out = String::new();
            assert_eq!((punycode(label, &mut out), out.as_str()), (Some(()), expected));
        }
        assert_eq!(punycode(&"\u{fc}".repeat(64), &mut String::new()), None);
    }
}
