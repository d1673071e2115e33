//! What is missing as a list that a crawler takes: one URL per line, the worst first.

use std::io::{self, Write};

use crate::audit::missing_reason::{Lost, Wanting};
use crate::audit::model::Audit;

/// Writes the list. What was left out on purpose comes last, as comments, which crawlers skip; asked for by its fate, as URLs.
pub(crate) fn write(out: &mut dyn Write, audit: &Audit, fates: &[Lost]) -> io::Result<()> {
    let Wanting { missing, excluded } = Wanting::of(&audit.sites, fates);
    for missing in missing {
        writeln!(out, "{}", one_line(&missing.url))?;
    }
    let is_asked = fates.contains(&Lost::Excluded);
    for excluded in excluded {
        let mark = if is_asked { String::new() } else { format!("# {}: ", excluded.reason) };
        writeln!(out, "{mark}{}", one_line(&excluded.url))?;
    }
    Ok(())
}

/// A URL without anything that would end the line or split it.
pub(crate) fn one_line(url: &str) -> String {
    let mut text = String::with_capacity(url.len());
    for letter in url.chars() {
        match letter {
            '\0'..=' ' | '\u{7f}' => text.push_str(&format!("%{:02X}", letter as u32)),
            letter => text.push(letter),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hostile_url_stays_on_its_line() {
        assert_eq!(
            one_line("http://a.example/x\r\nhttp://evil/ \u{1b}[m"),
            "http://a.example/x%0D%0Ahttp://evil/%20%1B[m"
        );
    }
}
