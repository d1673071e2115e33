//! Sites: pages that belong together, by host, registered domain or prefix.

use std::collections::BTreeMap;

use crate::capture::table::Table;

/// The pages of one site, as places in [`Table::pages`], in the order of their keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Site {
    /// The host, registered domain or prefix.
    pub name: String,
    /// The places of its pages.
    pub pages: Vec<usize>,
}

/// Groups pages to sites by what `site_of` makes of each page's first captured URL; `None` leaves a page out.
/// Sites come in the order of their names.
pub(crate) fn group(
    table: &Table,
    pages: impl IntoIterator<Item = usize>,
    site_of: impl Fn(&str) -> Option<String>,
) -> Vec<Site> {
    let mut sites: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for place in pages {
        let first = &table.rows_of(&table.pages()[place])[0];
        if let Some(name) = site_of(table.text(first.url)) {
            sites.entry(name).or_default().push(place);
        }
    }
    sites.into_iter().map(|(name, pages)| Site { name, pages }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::testing::look;

    #[test]
    fn pages_are_grouped_by_what_names_their_site() {
        let table = Table::of(&[
            look("http://b.example/1", "2024-01-01").build(),
            look("http://a.example/2", "2024-01-01").build(),
            look("http://b.example/3", "2024-01-01").build(),
            look("http://none/", "2024-01-01").build(),
        ]);
        let sites = group(&table, 0..table.pages().len(), |url| {
            let host = url.split('/').nth(2)?;
            host.contains('.').then(|| host.to_owned())
        });
        let shown: Vec<(&str, usize)> =
            sites.iter().map(|site| (site.name.as_str(), site.pages.len())).collect();
        assert_eq!(shown, [("a.example", 1), ("b.example", 2)]);
    }
}
