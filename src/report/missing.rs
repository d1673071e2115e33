//! What is missing as a list that a crawler takes: one URL per line, the worst first.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};

use crate::audit::missing_reason::Lost;
use crate::audit::model::{Audit, Missing, SiteAudit};

/// Writes the list. Of a site with several entries the last one counts: what a later crawl fetched is not missing. Only
/// targets of these fates are written; without any, all that failed or was never tried, and as comments, which crawlers skip, what
/// was left out on purpose and why. Asked for by its fate it comes last, as URLs.
pub(crate) fn write(out: &mut dyn Write, audit: &Audit, fates: &[Lost]) -> io::Result<()> {
    let mut last: BTreeMap<&str, &SiteAudit> = BTreeMap::new();
    for site in &audit.sites {
        let held = last.entry(&site.site).or_insert(site);
        if site.window.to >= held.window.to {
            *held = site;
        }
    }
    let wanted = |missing: &&Missing| fates.is_empty() || fates.contains(&Lost::of(missing));
    let listed = last.values().flat_map(|site| site.missing.iter().flatten());
    let mut missing: Vec<&Missing> = listed.filter(wanted).collect();
    missing.sort_by(|a, b| b.weight.total_cmp(&a.weight).then_with(|| a.url.cmp(&b.url)));
    let mut written = HashSet::new();
    for missing in missing {
        if written.insert(&missing.url) {
            writeln!(out, "{}", one_line(&missing.url))?;
        }
    }
    let excluded =
        last.values().filter_map(|site| site.completeness.as_ref()).flat_map(|found| &found.excluded);
    let is_asked = fates.contains(&Lost::Excluded);
    for excluded in excluded.filter(|_| is_asked || fates.is_empty()) {
        if written.insert(&excluded.url) {
            let mark = if is_asked { String::new() } else { format!("# {}: ", excluded.reason) };
            writeln!(out, "{mark}{}", one_line(&excluded.url))?;
        }
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
