//! Which answers mean "not found" without saying so: the signs of [`crate::html::soft404`] over a whole site.

use std::collections::{HashMap, HashSet};

use crate::capture::intern::Id;
use crate::capture::page::{is_html_page, path};
use crate::capture::table::{Row, Table};
use crate::html::soft404::{by_redirect, by_same_body};
use crate::url::resolve::Base;

/// The signs of one site.
#[derive(Debug, Default)]
pub(crate) struct Signs {
    /// Bodies of HTML answers, with the number of URLs that were answered so.
    bodies: HashMap<Id, u32>,
}

impl Signs {
    /// Counts the bodies of all URLs of a site.
    pub(crate) fn of<'a>(table: &Table, rows: impl Iterator<Item = &'a Row>) -> Self {
        let mut seen: HashSet<(Id, Id)> = HashSet::new();
        let mut bodies: HashMap<Id, u32> = HashMap::new();
        for row in rows.filter(|row| is_html_page(table, row)) {
            if let Some(body) = row.body.or(row.declared)
                && seen.insert((body, row.key))
            {
                *bodies.entry(body).or_default() += 1;
            }
        }
        bodies.retain(|_, urls| by_same_body(*urls).is_some());
        Signs { bodies }
    }

    /// Why the answer is taken for "not found", in words; `None`: it is not.
    pub(crate) fn of_row(&self, table: &Table, row: &Row) -> Option<String> {
        if let Some(words) = row.soft404 {
            return Some(table.text(words).to_owned());
        }
        let url = table.text(row.url);
        if matches!(row.status, Some(301..=303 | 307 | 308)) {
            let location = table.text(row.location?);
            let target = Base::parse(url.as_bytes())?.resolve(location.as_bytes())?;
            return by_redirect(url, &target).map(|sign| sign.explain());
        }
        // The root is what others are mistaken for.
        let is_root = path(url) == "/" && !url.contains('?');
        let urls = *self.bodies.get(&row.body.or(row.declared)?)?;
        let sign = by_same_body(urls).filter(|_| !is_root && is_html_page(table, row))?;
        Some(sign.explain())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::testing::look;

    #[test]
    fn one_body_under_many_urls_and_redirects_to_the_root_are_told_but_the_root_is_not() {
        let mut looks: Vec<_> =
            (0..5).map(|n| look(&format!("http://a.example/{n}"), "2024-01-01").body(9).build()).collect();
        looks.push(look("http://a.example/", "2024-01-01").body(9).build());
        looks.push(look("http://a.example/own", "2024-01-01").body(1).build());
        let mut redirect = look("http://a.example/old", "2024-01-01").status(302).build();
        redirect.location = Some("/".to_owned());
        looks.push(redirect);
        let table = Table::of(&looks);
        let signs = Signs::of(&table, table.rows().iter());
        let sign = |url: &str| {
            let row = table.rows().iter().find(|row| table.text(row.url) == url).unwrap();
            signs.of_row(&table, row)
        };
        assert!(sign("http://a.example/3").unwrap().contains("6 different URLs"));
        assert!(sign("http://a.example/old").unwrap().contains("root"));
        assert_eq!(sign("http://a.example/"), None);
        assert_eq!(sign("http://a.example/own"), None);
    }
}
