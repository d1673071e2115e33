//! Which captures of other sites a site is judged by: what its pages embed and link to, what that needs in turn, where it
//! redirects to, and the robots.txt of its hosts.

use std::collections::{BTreeSet, HashSet};

use crate::audit::{LinkMap, Parameters};
use crate::capture::table::Table;
use crate::html::links::LinkKind;
use crate::url::resolve::Base;

/// Finds the companions of one site, round by round: what a round finds may lead to more.
pub(super) struct Companions<'a> {
    links: &'a LinkMap,
    parameters: &'a Parameters,
    site: &'a str,
    /// Hosts whose robots.txt was asked for.
    hosts: HashSet<String>,
    /// Redirects that were followed.
    followed: HashSet<String>,
    asked: bool,
}

impl<'a> Companions<'a> {
    pub(super) fn new(links: &'a LinkMap, parameters: &'a Parameters, site: &'a str) -> Self {
        Companions { links, parameters, site, hosts: HashSet::new(), followed: HashSet::new(), asked: false }
    }

    /// The keys that a table still lacks.
    pub(super) fn of(&mut self, table: &Table) -> Vec<Vec<u8>> {
        let mut keys: BTreeSet<String> = BTreeSet::new();
        if !std::mem::replace(&mut self.asked, true) {
            for node in self.needed(table) {
                self.robots(self.links.url_on(self.site, node), &mut keys);
                keys.insert(self.links.graph().urls().get(node).to_owned());
            }
        }
        for row in table.rows().iter().filter(|row| matches!(row.status, Some(300..=399))) {
            let Some(location) = row.location else { continue };
            let base = Base::parse(table.text(row.url).as_bytes());
            let target = base.and_then(|base| base.resolve(table.text(location).as_bytes()));
            if let Some(target) = target.filter(|target| !self.followed.contains(target)) {
                self.robots(&target, &mut keys);
                keys.insert(self.parameters.canon.key(&target));
                self.followed.insert(target);
            }
        }
        keys.into_iter().filter(|key| table.page(key).is_none()).map(String::into_bytes).collect()
    }

    /// What the pages and lists of the site point to, and what that embeds in turn.
    fn needed(&self, table: &Table) -> BTreeSet<u32> {
        let graph = self.links.graph();
        let own = table.pages().iter().filter_map(|page| self.links.node(table.text(page.key)));
        let mut open: Vec<u32> = Vec::new();
        let mut found: BTreeSet<u32> = BTreeSet::new();
        for node in own.chain(self.links.lists(self.site).iter().copied()) {
            open.extend(graph.out(node).map(|(to, _)| to).filter(|to| found.insert(*to)));
        }
        while let Some(node) = open.pop() {
            let in_turn = graph.out(node).filter(|(_, kind)| kind.is_embed() || *kind == LinkKind::Candidate);
            open.extend(in_turn.map(|(to, _)| to).filter(|to| found.insert(*to)));
        }
        found
    }

    fn robots(&mut self, url: &str, keys: &mut BTreeSet<String>) {
        let Some((scheme, rest)) = url.split_once("://") else { return };
        let host = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
        let address = format!("{scheme}://{host}/robots.txt");
        if !self.hosts.contains(&address) {
            keys.insert(self.parameters.canon.key(&address));
            self.hosts.insert(address);
        }
    }
}
