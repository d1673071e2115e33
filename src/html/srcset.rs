//! The candidates of a `srcset` attribute.
//!
//! Source: WHATWG HTML, "Parsing a srcset attribute". Only the URLs matter here, so a candidate with a descriptor that
//! a browser would refuse still counts.

/// Reports the URL of every candidate.
pub(crate) fn candidates(value: &[u8], mut tell: impl FnMut(&[u8])) {
    let mut rest = value;
    loop {
        let skip = rest.iter().position(|&c| !c.is_ascii_whitespace() && c != b',').unwrap_or(rest.len());
        rest = &rest[skip..];
        if rest.is_empty() {
            return;
        }
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        let url = word.trim_ascii_end_commas();
        tell(url);
        rest = behind;
        // A comma at the end of the URL ends the candidate; otherwise its descriptors follow, up to a comma
        // outside parentheses.
        if url.len() == word.len() {
            let mut depth = 0usize;
            let end = rest.iter().position(|&c| {
                match c {
                    b'(' => depth += 1,
                    b')' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                c == b',' && depth == 0
            });
            rest = &rest[end.unwrap_or(rest.len())..];
        }
    }
}

trait TrimCommas {
    fn trim_ascii_end_commas(&self) -> &Self;
}

impl TrimCommas for [u8] {
    fn trim_ascii_end_commas(&self) -> &Self {
        let end = self.iter().rposition(|&c| c != b',').map_or(0, |last| last + 1);
        &self[..end]
    }
}

#[cfg(test)]
mod tests {
    fn of(value: &str) -> Vec<String> {
        let mut out = Vec::new();
        super::candidates(value.as_bytes(), |url| out.push(String::from_utf8_lossy(url).into_owned()));
        out
    }

    #[test]
    fn candidates_are_parted_by_commas_that_are_not_within_urls() {
        assert_eq!(of("a.png 1x, b.png 2x"), ["a.png", "b.png"]);
        assert_eq!(of(" ,a,b.png , c.png,, d.png 100w"), ["a,b.png", "c.png", "d.png"]);
        assert_eq!(
            of("data:image/png;base64,AA 1x, e.png (x, y) 2x,f.png"),
            ["data:image/png;base64,AA", "e.png", "f.png"]
        );
        assert!(of(" , ").is_empty());
    }
}
