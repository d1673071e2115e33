//! The importance of an archive's pages, by the method that the user chose.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::io;

use crate::audit::keywords;
use crate::audit::link_map::LinkMap;
use crate::audit::params::Parameters;
use crate::audit::records::Records;
use crate::capture::page::path;
use crate::capture::table::Table;
use crate::html::sitemap::Entry;
use crate::quality::importance::{
    ImportanceBy, WeightTable, by_depth, by_inlinks, by_pagerank, by_sitemap, normalised, uniform,
};
use crate::url::Canon;

/// What is added to the name of weights by keywords where no page has any of them.
pub(crate) const NO_MATCH: &str = " (no page matches)";

/// The name of weights that compare the pages of all sites.
pub(crate) const PAGERANK_ALL: &str = "pagerank-all";

/// Where the importance of pages comes from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Importance {
    /// A method; by default PageRank if links are known, else all pages equal.
    By(Option<ImportanceBy>),
    /// A table given by the user, with its name.
    Table(String, WeightTable),
    /// Similarity to these words.
    Keywords(String),
}

impl Importance {
    /// Whether all pages weigh the same where links are unknown.
    pub(crate) fn is_uniform(&self) -> bool {
        matches!(self, Importance::By(None | Some(ImportanceBy::PageRank | ImportanceBy::Uniform)))
    }

    /// Whether the weights of pages need neither links nor bodies.
    pub(crate) fn is_of_pages(&self) -> bool {
        use ImportanceBy::{Sitemap, Uniform};
        matches!(self, Importance::Table(..) | Importance::By(None | Some(Sitemap | Uniform)))
    }

    /// Whether the weights of a site need nothing but the site.
    pub(crate) fn is_local(&self) -> bool {
        !matches!(self, Importance::By(Some(ImportanceBy::PageRankAll)) | Importance::Keywords(_))
    }
}

/// Weighs [`Table::pages`], in their order, and names the method. URLs that are not pages have weight 0.
///
/// `seeds` are the keys of the pages where the crawl began. Depth is counted from those of a site; where it has none, from its root, or
/// from the first capture of a site without a root.
pub(crate) fn weigh(
    importance: &Importance,
    table: &Table,
    parameters: &Parameters,
    links: Option<&LinkMap>,
    sitemaps: &[Entry],
    seeds: &[String],
) -> (String, Vec<f64>) {
    weigh_some(importance, table, parameters, links, sitemaps, seeds, 0..table.pages().len())
}

/// As [`weigh`], of the pages at the places `own` alone; all others have weight 0.
pub(crate) fn weigh_some(
    importance: &Importance,
    table: &Table,
    parameters: &Parameters,
    links: Option<&LinkMap>,
    sitemaps: &[Entry],
    seeds: &[String],
    own: impl Iterator<Item = usize>,
) -> (String, Vec<f64>) {
    let key = |place: usize| table.text(table.pages()[place].key);
    let places: Vec<usize> =
        own.filter(|place| parameters.pages.takes(table, table.rows_of(&table.pages()[*place]))).collect();
    let by_site = |weigh: &dyn Fn(&str, &[usize]) -> Vec<f64>| by_sites(table, parameters, &places, weigh);
    let (name, weights) = match (importance, links) {
        (Importance::Table(name, weights), _) => {
            let of = |_: &str, own: &[usize]| weights.of(own.iter().map(|at| key(places[*at])));
            (name.clone(), by_site(&of))
        }
        (Importance::Keywords(query), _) => {
            let by = format!("keywords:{query}");
            let is_found = Cell::new(false);
            let weights = by_site(&|_, own| {
                let places: Vec<usize> = own.iter().map(|at| places[*at]).collect();
                let similar = keywords::similarities(table, &places, query);
                is_found.set(is_found.get() || similar.is_some());
                normalised(similar.unwrap_or_else(|| vec![0.0; places.len()]))
            });
            (if is_found.get() { by } else { format!("{by}{NO_MATCH}") }, weights)
        }
        (Importance::By(Some(ImportanceBy::Sitemap)), _) => {
            let priorities: HashMap<String, Option<f64>> =
                sitemaps.iter().map(|entry| (parameters.canon.key(&entry.url), entry.priority)).collect();
            let of_page = |at: &usize| priorities.get(key(places[*at])).copied().flatten();
            let of = |_: &str, own: &[usize]| by_sitemap(&own.iter().map(of_page).collect::<Vec<_>>());
            ("sitemap".to_owned(), by_site(&of))
        }
        (Importance::By(by), Some(links)) if *by != Some(ImportanceBy::Uniform) => {
            // Pages without links have no node; they come after all others.
            let mut nodes: Vec<u32> =
                places.iter().map(|place| links.node(key(*place)).unwrap_or(u32::MAX)).collect();
            let by = by.unwrap_or_default();
            let name = match by {
                ImportanceBy::Inlinks => "inlinks",
                ImportanceBy::Depth => "depth",
                ImportanceBy::PageRankAll => PAGERANK_ALL,
                _ => "pagerank",
            };
            let of_site = |own: &[usize]| own.iter().map(|at| nodes[*at]).collect::<Vec<u32>>();
            let weights = match by {
                ImportanceBy::Inlinks => by_site(&|_, own| by_inlinks(&links.graph().between(&of_site(own)))),
                ImportanceBy::Depth => by_site(&|_, own| {
                    let own_places: Vec<usize> = own.iter().map(|at| places[*at]).collect();
                    let seeds = seeds_of(table, &own_places, seeds);
                    by_depth(&links.graph().between(&of_site(own)), &seeds)
                }),
                ImportanceBy::PageRankAll => {
                    nodes.extend(links.all_lists());
                    let mut ranks = by_pagerank(&links.graph().between(&nodes));
                    ranks.truncate(places.len());
                    normalised(ranks)
                }
                _ => by_site(&|site, own| {
                    let mut nodes = of_site(own);
                    nodes.extend(links.lists(site));
                    let mut ranks = by_pagerank(&links.graph().between(&nodes));
                    ranks.truncate(own.len());
                    normalised(ranks)
                }),
            };
            (name.to_owned(), weights)
        }
        _ => ("uniform".to_owned(), uniform(places.len())),
    };
    let mut all = vec![0.0; table.pages().len()];
    for (place, weight) in places.iter().zip(weights) {
        all[*place] = weight;
    }
    (name, all)
}

/// Weighs the pages of one site from their records; `None` where all weigh the same, or where that needs more than records hold.
pub(crate) fn weigh_records(
    importance: &Importance,
    records: &Records,
    canon: Canon,
    sitemaps: &[Entry],
) -> io::Result<Option<Vec<f64>>> {
    if !matches!(importance, Importance::Table(..) | Importance::By(Some(ImportanceBy::Sitemap))) {
        return Ok(None);
    }
    let mut keys: Vec<String> = Vec::with_capacity(records.pages());
    records.each(&mut |kept| keys.extend(kept.number.map(|_| kept.record.key.clone())))?;
    Ok(match importance {
        Importance::Table(_, weights) => Some(weights.of(keys.iter().map(String::as_str))),
        Importance::By(Some(ImportanceBy::Sitemap)) => {
            let priorities: HashMap<String, Option<f64>> =
                sitemaps.iter().map(|entry| (canon.key(&entry.url), entry.priority)).collect();
            let of_page = |key: &String| priorities.get(key).copied().flatten();
            Some(by_sitemap(&keys.iter().map(of_page).collect::<Vec<_>>()))
        }
        Importance::By(_) | Importance::Keywords(_) => None,
    })
}

/// Weighs the pages of each site alone: its figures are the same whatever other sites are in the archive. `weigh` gets the name
/// of a site and its pages, as numbers in `places`.
fn by_sites(
    table: &Table,
    parameters: &Parameters,
    places: &[usize],
    weigh: &dyn Fn(&str, &[usize]) -> Vec<f64>,
) -> Vec<f64> {
    let mut sites: BTreeMap<Option<String>, Vec<usize>> = BTreeMap::new();
    for (at, place) in places.iter().enumerate() {
        let url = table.text(table.rows_of(&table.pages()[*place])[0].url);
        sites.entry(parameters.site_by.site_of(url)).or_default().push(at);
    }
    let mut weights = vec![0.0; places.len()];
    for (site, members) in &sites {
        let of_site = weigh(site.as_deref().unwrap_or_default(), members);
        members.iter().zip(of_site).for_each(|(at, weight)| weights[*at] = weight);
    }
    weights
}

/// The seeds among the pages of a site, as numbers in `places`; where it has none, its root, or else the page captured first.
fn seeds_of(table: &Table, places: &[usize], seeds: &[String]) -> Vec<u32> {
    let key = |place: usize| table.text(table.pages()[place].key);
    let given: Vec<u32> = (0u32..)
        .zip(places)
        .filter(|(_, place)| seeds.iter().any(|seed| seed == key(**place)))
        .map(|(at, _)| at)
        .collect();
    if !given.is_empty() {
        return given;
    }
    let rank = |(at, place): (u32, &usize)| {
        let first = &table.rows_of(&table.pages()[*place])[0];
        let url = table.text(first.url);
        (path(url) != "/" || url.contains('?'), first.time, at)
    };
    (0u32..).zip(places).map(rank).min().map(|(_, _, at)| at).into_iter().collect()
}
