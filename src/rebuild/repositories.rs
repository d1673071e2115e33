//! What the repositories hold: for every URL its captures, who lists it, and what its captures link to.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;

use super::choose::{Candidate, Chooser, Overrides, Rule};
use super::coherent::Together;
use crate::capture::page::is_html_page;
use crate::capture::table::Table;
use crate::capture::{Kind, Observation, RefersTo};
use crate::diff::state::State;
use crate::ingest::Reading;
use crate::recovery::policy::{Mask, Repositories, Retrieved};
use crate::time::Instant;
use crate::url::{Canon, SiteBy};

/// Links of captures, by what they were read from.
#[derive(Debug, Default)]
pub(crate) struct LinkTable {
    /// Keys of all URLs that are captured or linked to, sorted; a URL is its place here.
    pub keys: Vec<String>,
    /// For each URL one spelling.
    pub urls: Vec<String>,
    /// Links of a capture, by file and offset and record id.
    of_record: BTreeMap<(String, u64, Option<String>), Vec<u32>>,
    /// Who lists and who holds each URL.
    listers: Vec<Mask>,
    holders: Vec<Mask>,
    /// By how many other spellings pages link to a URL.
    others: HashMap<u32, u64>,
    /// Where to start, under the spellings that repositories list.
    pub seeds: Vec<u32>,
}

/// Which links are followed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scope {
    /// URLs below these are of the site.
    pub prefixes: Vec<SiteBy>,
    /// Sites, by host.
    pub sites: HashSet<String>,
}

impl Scope {
    pub(crate) fn has(&self, url: &str) -> bool {
        self.prefixes.iter().any(|prefix| prefix.site_of(url).is_some())
            || SiteBy::Host.site_of(url).is_some_and(|site| self.sites.contains(&site))
    }
}

impl LinkTable {
    /// Reads links and holdings out of what was read with its content. Links lead to other pages of the scope, and to what pages embed, wherever
    /// it is.
    #[allow(clippy::too_many_arguments, reason = "all of one request")]
    pub(crate) fn build(
        reading: &Reading,
        canon: Canon,
        scope: &Scope,
        repository_of: &[usize],
        is_copied: &[bool],
        lost: &HashSet<String>,
        overrides: &Overrides,
        seeds: &[String],
    ) -> io::Result<Self> {
        let mut names: BTreeMap<String, (String, Mask, Mask)> = BTreeMap::new();
        let mut key = String::new();
        let is_followed = |is_embed: bool, url: &str| is_embed || scope.has(url);
        reading.observations.for_each(&mut |observation, input| {
            canon.key_into(&observation.url, &mut key);
            let input = input as usize;
            let bit: Mask = 1 << repository_of.get(input).copied().unwrap_or(0);
            let is_named = observation
                .time
                .is_some_and(|time| overrides.names(&key, observation.record_id.as_deref(), time));
            let is_good = is_named || observation.status.is_none_or(|status| (200..400).contains(&status));
            let entry = names.entry(key.clone()).or_insert_with(|| (observation.url.clone(), 0, 0));
            if is_good {
                entry.1 |= bit;
                if observation.kind != Kind::Index
                    && is_copied.get(input).copied().unwrap_or(false)
                    && (is_named || !lacks_original(observation, lost))
                {
                    entry.2 |= bit;
                }
            }
            for (kind, url) in observation.links.iter().flat_map(|links| links.iter()) {
                if is_followed(kind.is_embed(), url) {
                    canon.key_into(url, &mut key);
                    if !names.contains_key(&key) {
                        names.insert(key.clone(), (url.to_owned(), 0, 0));
                    }
                }
            }
            Ok(())
        })?;
        for seed in seeds {
            names.entry(canon.key(seed)).or_insert_with(|| (seed.clone(), 0, 0));
        }
        let number: HashMap<&str, u32> = names.keys().map(String::as_str).zip(0..).collect();
        let spellings = Spellings::of(&names);
        let mut of_record = BTreeMap::new();
        let mut others: HashMap<u32, HashSet<String>> = HashMap::new();
        // The URL under which one that is sought is listed.
        let mut find = |key: &str, url: &str| {
            let held = spellings.held(key, url, &names);
            let target = number.get(held.as_str()).copied();
            if let Some(target) = target.filter(|_| held != key) {
                others.entry(target).or_default().insert(key.to_owned());
            }
            target
        };
        reading.observations.for_each(&mut |observation, _| {
            let Some(links) = observation.links.as_ref().filter(|links| !links.is_empty()) else {
                return Ok(());
            };
            let mut targets: Vec<u32> = Vec::new();
            let mut seen = HashSet::new();
            for (_, url) in links.iter().filter(|(kind, url)| is_followed(kind.is_embed(), url)) {
                canon.key_into(url, &mut key);
                let Some(target) = find(&key, url) else { continue };
                if seen.insert(target) {
                    targets.push(target);
                }
            }
            let place = (
                observation.file.to_string(),
                observation.offset.unwrap_or(u64::MAX),
                observation.record_id.clone(),
            );
            of_record.insert(place, targets);
            Ok(())
        })?;
        let seeds = seeds.iter().filter_map(|seed| find(&canon.key(seed), seed)).collect();
        let others = others.into_iter().map(|(url, keys)| (url, keys.len() as u64)).collect();
        let mut table = LinkTable { of_record, others, seeds, ..LinkTable::default() };
        for (key, (url, listers, holders)) in names {
            table.keys.push(key);
            table.urls.push(url);
            table.listers.push(listers);
            table.holders.push(holders);
        }
        Ok(table)
    }

    pub(crate) fn number(&self, key: &str) -> Option<u32> {
        self.keys.binary_search_by(|known| known.as_str().cmp(key)).ok().map(|place| place as u32)
    }

    /// The repositories that list a URL.
    pub(crate) fn listers_of(&self, url: u32) -> Mask {
        self.listers.get(url as usize).copied().unwrap_or(0)
    }
}

/// Whether this is a revisit from which nothing can be restored: its original is nowhere, or in an archive that is not there, or they
/// contradict each other.
fn lacks_original(observation: &Observation, lost: &HashSet<String>) -> bool {
    let original = observation.refers_to.as_ref().and_then(|refers| refers.file.as_ref());
    if observation.is_revisit() && original.is_some_and(|file| lost.contains(&**file)) {
        return true;
    }
    let has_original = |refers: &RefersTo| refers.offset.is_some() && refers.at_odds.is_none();
    observation.is_revisit()
        && observation.body.is_none()
        && !observation.refers_to.as_ref().is_some_and(has_original)
}

/// Which spelling of a URL repositories know: with or without a slash at the end, in other capitals, with the name of an index file
/// (McCown, Nelson, section 3.5). What no repository lists as it is written is looked for under its loosest key.
struct Spellings {
    by_loose: HashMap<String, String>,
}

impl Spellings {
    fn of(names: &BTreeMap<String, (String, Mask, Mask)>) -> Self {
        let mut by_loose = HashMap::new();
        for (key, (url, listers, _)) in names {
            if *listers != 0 {
                by_loose.entry(Canon::Loose.key(url)).or_insert_with(|| key.clone());
            }
        }
        Spellings { by_loose }
    }

    fn held(&self, key: &str, url: &str, names: &BTreeMap<String, (String, Mask, Mask)>) -> String {
        if names.get(key).is_some_and(|(_, listers, _)| *listers != 0) {
            return key.to_owned();
        }
        self.by_loose.get(&Canon::Loose.key(url)).cloned().unwrap_or_else(|| key.to_owned())
    }
}

/// The repositories of a run.
pub(crate) struct Held<'t> {
    pub links: &'t LinkTable,
    pub table: &'t Table,
    pub chooser: &'t Chooser<'t>,
    pub rule: Rule,
    pub together: &'t Together,
    /// Candidates of each URL that was looked at.
    candidates: HashMap<u32, Vec<Candidate>>,
}

impl<'t> Held<'t> {
    pub(crate) fn new(
        links: &'t LinkTable,
        table: &'t Table,
        chooser: &'t Chooser<'t>,
        rule: Rule,
        together: &'t Together,
    ) -> Self {
        Held { links, table, chooser, rule, together, candidates: HashMap::new() }
    }

    /// The captures of a URL.
    pub(crate) fn candidates(&mut self, url: u32) -> &[Candidate] {
        let (links, table, chooser) = (self.links, self.table, self.chooser);
        self.candidates.entry(url).or_insert_with(|| {
            let key = links.keys.get(url as usize).map_or("", String::as_str);
            let page = table.pages().binary_search_by(|page| table.text(page.key).cmp(key));
            page.map_or_else(|_| Vec::new(), |page| chooser.candidates(page))
        })
    }

    /// The best capture of a URL among some repositories.
    pub(crate) fn best(&mut self, url: u32, of: Mask) -> Option<Candidate> {
        let (rule, together, chooser) = (self.rule, self.together, self.chooser);
        let at: Option<Instant> = together.at;
        let candidates = self.candidates(url);
        let asked = |one: &&Candidate| of >> one.repository & 1 == 1;
        let best = chooser.best(candidates.iter().filter(asked), rule, &together.rows, at);
        // A record that several repositories hold is in the table once, for the first of them.
        best.or_else(|| chooser.best(candidates.iter(), rule, &together.rows, at)).cloned()
    }

    /// Whether the best capture of a URL shows its page.
    pub(crate) fn restores(&mut self, url: u32) -> bool {
        let best = self.best(url, Mask::MAX);
        best.is_some_and(|best| best.is_named || (best.state <= State::Redirect && !best.is_damaged))
    }

    /// What a capture links to. A revisit links to what the body of its original does at its own address.
    fn links_of(&self, row: usize) -> Vec<u32> {
        let row = &self.table.rows()[row];
        let id = row.record_id.map(|id| self.table.text(id).to_owned());
        let place = (self.table.text(row.file).to_owned(), row.offset.unwrap_or(u64::MAX), id);
        self.links.of_record.get(&place).cloned().unwrap_or_default()
    }

    /// What the page of a URL is known to link to that cannot be restored, from a table of an archive that is not there or from what the
    /// crawler noted. `None`: no capture of a page is known.
    pub(crate) fn links_out_of_reach(&mut self, url: u32) -> Option<Vec<u32>> {
        let (table, chooser, rule, together) = (self.table, self.chooser, self.rule, self.together);
        let candidates = self.candidates(url).to_vec();
        let found = chooser.out_of_reach(&candidates, rule, &together.rows, together.at);
        let mut pages =
            found.into_iter().filter(|one| is_html_page(table, &table.rows()[one.row])).peekable();
        pages.peek()?;
        let links = pages.map(|one| self.links_of(one.row)).find(|links| !links.is_empty());
        Some(links.unwrap_or_default())
    }
}

impl Repositories for Held<'_> {
    fn urls(&self) -> usize {
        self.links.keys.len()
    }

    fn holders(&self, url: u32) -> Mask {
        self.links.holders.get(url as usize).copied().unwrap_or(0)
    }

    fn listers(&self, url: u32) -> Mask {
        self.links.listers_of(url)
    }

    fn spellings(&self, url: u32) -> u64 {
        1 + self.links.others.get(&url).copied().unwrap_or(0)
    }

    fn links_of_lost(&mut self, url: u32) -> Vec<u32> {
        self.links_out_of_reach(url).unwrap_or_default()
    }

    fn take(&mut self, url: u32, of: Mask) -> Option<Retrieved> {
        if of == 0 {
            return None;
        }
        match self.best(url, of) {
            Some(best) => {
                let is_asked = of >> best.repository & 1 == 1;
                Some(Retrieved {
                    repository: if is_asked { best.repository } else { of.trailing_zeros() as usize },
                    links: if best.is_stand_in() { Vec::new() } else { self.links_of(best.row) },
                    is_stand_in: best.is_stand_in(),
                })
            }
            // Listed by an index, and not to be had: the first that lists it so is asked in vain.
            None => {
                let is_asked = |one: &&Candidate| !one.is_copied && of >> one.repository & 1 == 1;
                let first = self.candidates(url).iter().filter(is_asked).map(|one| one.repository).min();
                first.map(|repository| Retrieved { repository, links: Vec::new(), is_stand_in: false })
            }
        }
    }
}
