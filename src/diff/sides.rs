//! The two sides of a comparison in one table, so that captures of one can be compared with captures of the other.

use std::collections::{BTreeMap, HashMap, HashSet};
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
    /// The first instant of each side, and the first one behind it.
    pub periods: [(Option<Instant>, Option<Instant>); 2],
    pub canon: Canon,
    /// Only URLs that begin so.
    pub scope: Option<String>,
}

impl Membership {
    /// Whether a capture belongs to a side.
    fn has(&self, side: usize, observation: &Observation, input: u32, scope: Option<&SiteBy>) -> bool {
        let (from, to) = self.periods[side];
        let is_inside = |time: Instant| from.is_none_or(|from| time >= from) && to.is_none_or(|to| time < to);
        self.sides_of(input) >> side & 1 == 1
            && observation.time.is_some_and(is_inside)
            && scope.is_none_or(|scope| scope.site_of(&observation.url).is_some())
    }

    /// The sides of an input, whatever the dates.
    fn sides_of(&self, input: u32) -> u8 {
        self.inputs.get(input as usize).copied().unwrap_or(0)
    }

    /// The key of a capture as that of one of its pages in the table.
    fn key_into(&self, observation: &mut Observation, page: char) {
        self.canon.key_into(&observation.url, &mut observation.key);
        observation.key.push(SEPARATOR);
        observation.key.push(page);
    }
}

/// Both sides.
#[derive(Debug)]
pub(crate) struct Sides {
    /// All captures of both sides. A page is one URL of one side.
    pub table: Table,
    /// For each key its pages in the table, on either side.
    pub keys: BTreeMap<String, [Option<usize>; 2]>,
    /// For each key with a 304 the page of all its captures, also those outside the dates of both sides: one of them is what
    /// the 304 confirms.
    pub histories: HashMap<String, usize>,
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
        let mut confirming: HashSet<String> = HashSet::new();
        reading.observations.for_each(&mut |observation, input| {
            // A page is a URL of one side: what both sides hold is not dropped as stored twice.
            for (side, page) in SIDES.into_iter().enumerate() {
                if membership.has(side, observation, input, scope.as_ref()) {
                    let mut observation = observation.clone();
                    if observation.is_not_modified() {
                        confirming.insert(membership.canon.key(&observation.url));
                    }
                    membership.key_into(&mut observation, page);
                    builder.push(&observation, input);
                }
            }
            Ok(())
        })?;
        if !confirming.is_empty() {
            reading.observations.for_each(&mut |observation, input| {
                if membership.sides_of(input) != 0
                    && confirming.contains(&membership.canon.key(&observation.url))
                {
                    let mut observation = observation.clone();
                    membership.key_into(&mut observation, HISTORY);
                    builder.push(&observation, input);
                }
                Ok(())
            })?;
        }
        let table = builder.finish();
        let mut keys: BTreeMap<String, [Option<usize>; 2]> = BTreeMap::new();
        let mut histories = HashMap::new();
        for (place, page) in table.pages().iter().enumerate() {
            let Some((key, page)) = table.text(page.key).rsplit_once(SEPARATOR) else { continue };
            match SIDES.iter().position(|side| page.starts_with(*side)) {
                Some(side) => keys.entry(key.to_owned()).or_default()[side] = Some(place),
                None => {
                    histories.insert(key.to_owned(), place);
                }
            }
        }
        Ok(Sides { table, keys, histories, weights, weighed_by })
    }
}

/// Between a key and its page in the table: no URL has it.
const SEPARATOR: char = '\0';
/// The page of a URL on each side.
const SIDES: [char; 2] = ['1', '2'];
/// The page of all captures of a URL.
const HISTORY: char = '0';
