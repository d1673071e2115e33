//! The importance of every URL, as the audit weighs pages, but for all URLs: images and style sheets too.

use std::collections::HashMap;
use std::io;

use crate::audit::importance::weigh;
use crate::audit::{Importance, LinkMap, Parameters};
use crate::capture::Observation;
use crate::capture::graph::GraphBuilder;
use crate::capture::page::PageFilter;
use crate::capture::table::TableBuilder;
use crate::ingest::Reading;
use crate::url::Canon;

/// Where weights come from, and the weight of every key. `accept` says which captures count, by their input.
pub(crate) fn weights_of(
    reading: &Reading,
    canon: Canon,
    accept: &dyn Fn(&Observation, u32) -> bool,
) -> io::Result<(String, HashMap<String, f64>)> {
    let mut builder = TableBuilder::new();
    let mut graph = GraphBuilder::default();
    let mut key = String::new();
    reading.observations.for_each(&mut |observation, input| {
        if !accept(observation, input) {
            return Ok(());
        }
        if let Some(links) = &observation.links {
            Canon::Strict.key_into(&observation.url, &mut key);
            let from = graph.node(&key);
            for (kind, url) in links.iter() {
                Canon::Strict.key_into(url, &mut key);
                graph.link_from(from, &key, kind);
            }
        }
        let mut observation = observation.clone();
        (observation.links, observation.sitemap) = (None, None);
        canon.key_into(&observation.url, &mut observation.key);
        builder.push(&observation, input);
        Ok(())
    })?;
    let table = builder.finish();
    let parameters = Parameters { canon, pages: PageFilter::All, ..Parameters::default() };
    // What a limit left out of the graph is left out of the audit's, too, which says so.
    let (graph, _) = graph.finish();
    let links = (graph.edges() > 0).then(|| LinkMap::new(graph, canon, &parameters.site_by, &[], &[]));
    let (by, weights) = weigh(&Importance::By(None), &table, &parameters, links.as_ref(), &[], &[]);
    let keys = table.pages().iter().map(|page| table.text(page.key).to_owned());
    Ok((by, keys.zip(weights).collect()))
}
