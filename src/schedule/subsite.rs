//! Subsites: pages that belong together, and are to be coherent with each other rather than with the whole site.
//!
//! Site owners divide their sites by sitemaps, so the pages that one sitemap lists are a group. A page that no sitemap lists
//! goes by its folder. A sitemap that lists every page of a host divides nothing: there folders do.
//!
//! Source: Denev, Mazeika, Spaniol, Weikum, *The SHARC framework for data quality in Web archiving*, VLDB Journal 2011, §8
//! (coherent subsites, derived from sitemaps). Folders and tables of groups are ours.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::page::Page;
use crate::capture::page::folder;

/// What makes pages a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GroupBy {
    /// One sitemap lists them.
    Sitemap,
    /// They lie in one folder.
    Folder,
    /// The table of rates says so.
    Table,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Group {
    /// The URL or file of the sitemap, the folder, or the name in the table.
    pub name: Arc<str>,
    pub by: GroupBy,
}

/// Gives every page its group; `sitemaps` are those that list the pages, in their order.
pub(crate) fn divide(pages: &mut [Page], sitemaps: &[Option<Arc<str>>]) {
    let mut division = Division::default();
    for (page, sitemap) in pages.iter().zip(sitemaps) {
        division.see(&page.lane, sitemap.as_deref());
    }
    for (page, sitemap) in pages.iter_mut().zip(sitemaps) {
        page.group = Some(division.group(&page.url, &page.lane, sitemap.as_deref()));
    }
}

/// How pages are divided: all of them are seen first.
#[derive(Debug, Default)]
pub(crate) struct Division {
    /// The only sitemap of a lane, as long as it is one and lists every page.
    only: HashMap<Arc<str>, Option<Arc<str>>>,
    /// The names of groups.
    names: HashMap<String, Arc<str>>,
}

impl Division {
    fn name(&mut self, name: &str) -> Arc<str> {
        match self.names.get(name) {
            Some(name) => name.clone(),
            None => self.names.entry(name.to_owned()).or_insert_with(|| name.into()).clone(),
        }
    }

    /// Notes that a sitemap, or none, lists a page of a lane.
    pub(crate) fn see(&mut self, lane: &Arc<str>, sitemap: Option<&str>) {
        if !self.only.contains_key(lane) {
            let only = sitemap.map(|sitemap| self.name(sitemap));
            self.only.insert(lane.clone(), only);
        }
        if let Some(only) = self.only.get_mut(lane)
            && only.as_deref() != sitemap
        {
            *only = None;
        }
    }

    /// The group of a page.
    pub(crate) fn group(&mut self, url: &str, lane: &Arc<str>, sitemap: Option<&str>) -> Group {
        let divides = self.only.get(lane).is_none_or(Option::is_none);
        match sitemap {
            Some(sitemap) if divides => Group { name: self.name(sitemap), by: GroupBy::Sitemap },
            _ => Group { name: self.name(folder(url)), by: GroupBy::Folder },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn divided(pages: &[(&str, &str, Option<&str>)]) -> Vec<(String, GroupBy)> {
        let page = |(lane, path, _): &(&str, &str, _)| Page {
            lane: (*lane).into(),
            ..Page::new(&format!("http://{lane}{path}"), 1.0)
        };
        let mut all: Vec<Page> = pages.iter().map(page).collect();
        divide(&mut all, &pages.iter().map(|(_, _, sitemap)| sitemap.map(Arc::from)).collect::<Vec<_>>());
        all.into_iter()
            .filter_map(|page| page.group)
            .map(|group| (group.name.to_string(), group.by))
            .collect()
    }

    #[test]
    fn pages_of_a_sitemap_are_a_group_and_others_go_by_folder() {
        let found = divided(&[
            ("a", "/x/1", Some("news.xml")),
            ("a", "/y/2", Some("news.xml")),
            ("a", "/y/3", Some("shop.xml")),
            ("a", "/y/4", None),
            ("b", "/y/5", None),
        ]);
        let by = |name: &str, by| (name.to_owned(), by);
        let sitemap = |name| by(name, GroupBy::Sitemap);
        let folder = |name| by(name, GroupBy::Folder);
        assert_eq!(
            found,
            [sitemap("news.xml"), sitemap("news.xml"), sitemap("shop.xml"), folder("/y/"), folder("/y/")]
        );
    }

    #[test]
    fn a_sitemap_of_the_whole_host_divides_nothing() {
        let found = divided(&[
            ("a", "/x/1", Some("all.xml")),
            ("a", "/y/2", Some("all.xml")),
            ("b", "/x/1", Some("all.xml")),
            ("b", "/x/2", None),
        ]);
        let by: Vec<GroupBy> = found.iter().map(|(_, by)| *by).collect();
        assert_eq!(by, [GroupBy::Folder, GroupBy::Folder, GroupBy::Sitemap, GroupBy::Folder]);
        assert!(divided(&[]).is_empty());
    }
}
