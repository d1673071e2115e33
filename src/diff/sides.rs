//! The two sides of a comparison in one table, so that captures of one can be compared with captures of the other.

use std::collections::{BTreeMap, HashMap};
use std::io;

use super::weights::weights_of;
use crate::capture::Observation;
use crate::capture::table::{Table, TableBuilder};
use crate::ingest::Reading;
use crate::time::Instant;
use crate::url::{Canon, SiteBy};

/// Which captures belong to which side.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Membership {
    /// For each input the sides it belongs to: bit 0 the first, bit 1 the second.
    pub inputs: Vec<u8>,
    /// The first and the last instant of each side.
    pub periods: [(Option<Instant>, Option<Instant>); 2],
    pub canon: Canon,
    /// Only URLs that begin so.
    pub scope: Option<String>,
}

impl Membership {
    /// Whether a capture belongs to a side.
    fn has(&self, side: usize, observation: &Observation, input: u32, scope: Option<&SiteBy>) -> bool {
        let (from, to) = self.periods[side];
        let is_inside =
            |time: Instant| from.is_none_or(|from| time >= from) && to.is_none_or(|to| time <= to);
        self.inputs.get(input as usize).is_some_and(|sides| sides >> side & 1 == 1)
            && observation.time.is_some_and(is_inside)
            && scope.is_none_or(|scope| scope.site_of(&observation.url).is_some())
    }
}

/// Both sides.
#[derive(Debug)]
pub(crate) struct Sides {
    /// All captures of both sides. A page is one URL of one side.
    pub table: Table,
    /// For each key its pages in the table, on either side.
    pub keys: BTreeMap<String, [Option<usize>; 2]>,
    /// What the URLs of each side weigh; the weights of a side sum up to its number of URLs.
    pub weights: [HashMap<String, f64>; 2],
    /// Where weights come from.
    pub weighed_by: String,
}

impl Sides {
    /// Builds both sides out of what was read with its content.
    pub(crate) fn build(reading: &Reading, membership: &Membership) -> io::Result<Self> {
        let scope = membership.scope.clone().map(SiteBy::Prefix);
        let mut weights = [HashMap::new(), HashMap::new()];
        let mut weighed_by = String::new();
        for (side, weights) in weights.iter_mut().enumerate() {
            let accept = |observation: &Observation, input: u32| {
                membership.has(side, observation, input, scope.as_ref())
            };
            let (by, of_side) = weights_of(reading, membership.canon, &accept)?;
            (*weights, weighed_by) = (of_side, by);
        }
        let mut builder = TableBuilder::new();
        reading.observations.for_each(&mut |observation, input| {
            for side in 0..2 {
                if membership.has(side, observation, input, scope.as_ref()) {
                    let mut observation = observation.clone();
                    membership.canon.key_into(&observation.url, &mut observation.key);
                    // A page is a URL of one side: what both sides hold is not dropped as stored twice.
                    observation.key.push(SEPARATOR);
                    observation.key.push(if side == 0 { '1' } else { '2' });
                    builder.push(&observation, input);
                }
            }
            Ok(())
        })?;
        let table = builder.finish();
        let mut keys: BTreeMap<String, [Option<usize>; 2]> = BTreeMap::new();
        for (place, page) in table.pages().iter().enumerate() {
            if let Some((key, side)) = table.text(page.key).rsplit_once(SEPARATOR) {
                keys.entry(key.to_owned()).or_default()[usize::from(side == "2")] = Some(place);
            }
        }
        Ok(Sides { table, keys, weights, weighed_by })
    }
}

/// Between a key and its side: no URL has it.
const SEPARATOR: char = '\0';
