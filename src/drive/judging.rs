//! What page records do not hold: links, what they lead to, sitemaps and weights by links, all from captures that need not be whole.

use std::io;

use crate::audit::importance::weigh;
use crate::audit::records::Records;
use crate::audit::sites::Part;
use crate::audit::{Fates, Importance, LinkMap, Parameters};
use crate::capture::crawl::divide;
use crate::capture::table::Table;
use crate::error::Result;
use crate::html::sitemap::Entry;
use crate::ingest::Reading;
use crate::ingest::spool::Spool;

/// Captures of the sites of page records and of their companions.
pub(crate) struct Judging {
    table: Table,
    of_row: Vec<Option<u32>>,
    /// The links, where any are known.
    pub links: Option<LinkMap>,
    pub fates: Fates,
    /// Where the weights come from.
    pub by: String,
    weights: Vec<f64>,
}

impl Judging {
    pub(crate) fn new(
        mut reading: Reading,
        parameters: &Parameters,
        importance: &Importance,
        sitemaps: &[Entry],
        mut fates: Fates,
        verified: bool,
    ) -> Result<Self> {
        let spool = std::mem::replace(&mut reading.observations, Spool::new(0));
        let table = super::whole(spool, parameters, &mut vec![0; reading.inputs.len()])?;
        let of_row = divide(&table, &parameters.division, parameters.from, parameters.to, &[]).of_row;
        let seeds = super::seeds(&reading.pages, parameters.canon);
        let links = super::link_map(reading, parameters, sitemaps, &mut fates, verified);
        let (by, weights) = weigh(importance, &table, parameters, links.as_ref(), sitemaps, &seeds);
        Ok(Judging { table, of_row, links, fates, by, weights })
    }

    /// What links are judged by.
    pub(crate) fn part(&self) -> Part<'_> {
        let Judging { table, of_row, weights, .. } = self;
        Part { table, of_row, places: &[], weights: Some(weights) }
    }

    /// The weights of the pages of a site; of a page without captures here, `missing` gets the key.
    pub(crate) fn weigh(&self, records: &Records, missing: &mut dyn FnMut(&str)) -> io::Result<Vec<f64>> {
        let mut weights = Vec::with_capacity(records.pages());
        records.each(&mut |kept| {
            if kept.number.is_some() {
                let place = self.table.place(&kept.record.key);
                if place.is_none() {
                    missing(&kept.record.key);
                }
                weights.push(place.map_or(0.0, |place| self.weights[place]));
            }
        })?;
        Ok(weights)
    }
}
