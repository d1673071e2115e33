//! Profiles of the parts of a collection, put together: the profile of the whole.

use std::collections::BTreeMap;

use crate::audit::model::{HostRow, MonthRow, Profile, SampleRow, SeedRow, Seeds, TypeRow};
use crate::audit::profile::{HOSTS, MEDIA, SAMPLES, STATUSES, hash, plus, seeds};
use crate::url::Canon;

/// Profiles of parts so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Profiles {
    /// A part has no profile, so the whole has none.
    lacking: bool,
    sum: Profile,
    types: BTreeMap<(usize, usize), TypeRow>,
    months: BTreeMap<String, MonthRow>,
    years: BTreeMap<String, MonthRow>,
    hosts: BTreeMap<String, HostRow>,
    /// A part does not list all its hosts, and a host occurs in two parts: then the largest ones are unknown.
    cut: bool,
    shared: bool,
    samples: BTreeMap<(u64, String), SampleRow>,
    seeds: BTreeMap<String, SeedRow>,
    /// A part does not list all its seeds.
    seeds_cut: bool,
}

/// Adds a row to the one of the same name.
fn add(rows: &mut BTreeMap<String, MonthRow>, row: MonthRow) {
    match rows.get_mut(&row.month) {
        Some(known) => {
            known.captures += row.captures;
            known.bytes = plus(known.bytes, row.bytes);
        }
        None => drop(rows.insert(row.month.clone(), row)),
    }
}

impl Profiles {
    pub(crate) fn add(&mut self, part: Option<Profile>, canon: Canon) {
        let Some(part) = part else {
            self.lacking = true;
            return;
        };
        self.sum.captures += part.captures;
        self.sum.revisits += part.revisits;
        self.sum.bytes = plus(self.sum.bytes, part.bytes);
        self.sum.unmeasured += part.unmeasured;
        self.sum.hosts_left_out += part.hosts_left_out;
        let place =
            |names: &[&str], name: &str| names.iter().position(|known| *known == name).unwrap_or(names.len());
        for row in part.types {
            let key = (place(&MEDIA, &row.media), place(&STATUSES, &row.status));
            match self.types.get_mut(&key) {
                Some(known) => {
                    known.captures += row.captures;
                    known.bytes = plus(known.bytes, row.bytes);
                }
                None => drop(self.types.insert(key, row)),
            }
        }
        part.months.into_iter().for_each(|row| add(&mut self.months, row));
        part.years.into_iter().for_each(|row| add(&mut self.years, row));
        self.cut |= part.hosts_left_out > 0;
        for row in part.hosts {
            match self.hosts.get_mut(&row.host) {
                Some(known) => {
                    self.shared = true;
                    known.urls += row.urls;
                    known.captures += row.captures;
                    known.bytes = plus(known.bytes, row.bytes);
                }
                None => drop(self.hosts.insert(row.host.clone(), row)),
            }
        }
        for sample in part.samples {
            let key = canon.key(&sample.url);
            self.samples.insert((hash(&key), key), sample);
            if self.samples.len() > SAMPLES {
                self.samples.pop_last();
            }
        }
        let Some(told) = part.seeds else { return };
        self.seeds_cut |= told.total > told.list.len() as u64;
        for seed in told.list {
            match self.seeds.get_mut(&seed.url) {
                Some(known) if seed.outcome <= known.outcome => {}
                Some(known) => *known = seed,
                None => drop(self.seeds.insert(seed.url.clone(), seed)),
            }
        }
    }

    /// The profile of the whole, if all parts have one.
    pub(crate) fn finish(self) -> Option<Profile> {
        if self.lacking {
            return None;
        }
        let mut hosts: Vec<HostRow> = self.hosts.into_values().collect();
        hosts.sort_by(|a, b| (b.captures, &a.host).cmp(&(a.captures, &b.host)));
        if self.cut && self.shared {
            hosts.clear();
        }
        let hosts_left_out = self.sum.hosts_left_out + hosts.len().saturating_sub(HOSTS) as u64;
        hosts.truncate(HOSTS);
        let told: Option<Seeds> =
            (!self.seeds.is_empty() && !self.seeds_cut).then(|| seeds(self.seeds.into_values().collect()));
        Some(Profile {
            types: self.types.into_values().collect(),
            months: self.months.into_values().collect(),
            years: self.years.into_values().collect(),
            hosts,
            hosts_left_out,
            samples: self.samples.into_values().collect(),
            seeds: told,
            ..self.sum
        })
    }
}
