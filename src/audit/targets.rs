//! What happened to the targets of links: captured, failed, left out on purpose, never requested.
//!
//! A target is judged by its captures in the window. Without captures, logs and lists of the crawl show whether it
//! was requested. Links to the same site are in scope; embedded resources count on any host, because a page is not
//! displayed as it was without them, unless the user wants those of the site only.

use std::collections::HashMap;

use crate::audit::fates::Fates;
use crate::audit::link_map::LinkMap;
use crate::audit::model::{LinkCompleteness, Missing};
use crate::audit::params::Parameters;
use crate::audit::soft404::Signs;
use crate::capture::table::{Row, Table};
use crate::crawl::outcome::Fate;
use crate::html::links::LinkKind;
use crate::quality::link_completeness::{Tally, Target, TargetStatus, link_completeness};

/// Maximum number of missing targets listed per site.
const MAX_LISTED: usize = 100_000;
/// Maximum number of redirects followed.
const MAX_REDIRECTS: usize = 5;
/// Maximum depth of style sheets importing each other.
const MAX_IMPORT_DEPTH: usize = 3;

/// The evidence for judging targets.
pub(crate) struct Targets<'a> {
    pub table: &'a Table,
    pub links: &'a LinkMap,
    /// Outcomes recorded in crawl logs.
    pub fates: &'a Fates,
    /// What makes a site, and which embedded resources count.
    pub parameters: &'a Parameters,
    pub site: &'a str,
    /// Signs of error pages with status 200.
    pub signs: &'a Signs,
    /// Whether a row of the table is in the window.
    pub inside: &'a dyn Fn(usize) -> bool,
}

/// Link completeness of a site.
#[derive(Debug)]
pub(crate) struct Complete {
    pub links: LinkCompleteness,
    pub embeds: LinkCompleteness,
    /// What is missing, worst first.
    pub missing: Vec<Missing>,
    /// Number of missing targets beyond the list.
    pub left_out: u64,
}

/// What happened to a node, with its HTTP status.
struct Judged {
    status: TargetStatus,
    http: Option<u16>,
    reason: Option<String>,
}

impl Judged {
    fn captured() -> Self {
        Judged { status: TargetStatus::Captured, http: None, reason: None }
    }

    fn failed(http: Option<u16>, reason: impl Into<String>) -> Self {
        Judged { status: TargetStatus::Failed, http, reason: Some(reason.into()) }
    }
}

impl Targets<'_> {
    /// Link completeness of the pages of the site.
    pub(crate) fn complete(&self, pages: &[(&str, f64)]) -> Complete {
        let nodes = self.needing(pages);
        let target = |node: u32, embed: bool| {
            let judged = self.judge(node, MAX_REDIRECTS);
            Target { in_scope: self.in_scope(node, embed), status: judged.status, reason: judged.reason }
        };
        let found = link_completeness(self.links.graph(), &nodes, target, MAX_LISTED);
        let missing = found.missing.into_iter().map(|missing| Missing {
            url: self.links.url(missing.node).to_owned(),
            kind: if missing.embed { "embed" } else { "link" }.to_owned(),
            used_as: missing.kind,
            needed_by: missing.needed_by.first().map(|page| self.links.url(*page).to_owned()),
            pages: u64::from(missing.pages),
            weight: missing.weight,
            fate: missing.status,
            status: self.judge(missing.node, MAX_REDIRECTS).http,
            reason: missing.reason.unwrap_or_default(),
            sitemap: None,
            found: None,
        });
        Complete {
            links: out(&found.links),
            embeds: out(&found.embeds),
            missing: missing.collect(),
            left_out: found.missing_left_out,
        }
    }

    /// The nodes that need others: pages by their importance, the style sheets they use by the importance of all pages
    /// that use them, and the lists of the site, which count like a page of mean importance.
    fn needing(&self, pages: &[(&str, f64)]) -> Vec<(u32, f64)> {
        let node = |(key, weight): &(&str, f64)| Some((self.links.node(key)?, *weight));
        let mut nodes: Vec<(u32, f64)> = pages.iter().filter_map(node).collect();
        let mut round = 0..nodes.len();
        let mut sheets: HashMap<u32, usize> = HashMap::new();
        for _ in 0..MAX_IMPORT_DEPTH {
            let first_new = nodes.len();
            for place in round {
                let (page, weight) = nodes[place];
                for (to, kind) in self.links.graph().out(page) {
                    if kind != LinkKind::Stylesheet || to == page {
                        continue;
                    }
                    match sheets.get(&to) {
                        Some(known) if *known >= first_new => nodes[*known].1 += weight,
                        Some(_) => {}
                        None => {
                            sheets.insert(to, nodes.len());
                            nodes.push((to, weight));
                        }
                    }
                }
            }
            round = first_new..nodes.len();
        }
        nodes.extend(self.links.lists(self.site).iter().map(|list| (*list, 1.0)));
        nodes
    }

    fn in_scope(&self, node: u32, embed: bool) -> bool {
        let url = self.links.url(node);
        let fetched = url.starts_with("http://") || url.starts_with("https://");
        let anywhere = embed && !self.parameters.embeds_of_site;
        fetched && (anywhere || self.parameters.site_by.site_of(url).is_some_and(|site| site == self.site))
    }

    fn judge(&self, node: u32, hops: usize) -> Judged {
        let key = self.links.graph().urls().get(node);
        let rows = self.table.page(key).map(|page| page.rows.clone()).unwrap_or_default();
        let mut failed = None;
        for row in rows.filter(|row| (self.inside)(*row)) {
            let judged = self.judge_row(node, &self.table.rows()[row], hops);
            if judged.status == TargetStatus::Captured {
                return judged;
            }
            failed = Some(judged);
        }
        failed.unwrap_or_else(|| self.by_log(key))
    }

    fn judge_row(&self, node: u32, row: &Row, hops: usize) -> Judged {
        if let Some(sign) = self.signs.of_row(self.table, row) {
            return Judged::failed(row.status, format!("looks like an error page: {sign}"));
        }
        match row.status {
            Some(status @ (301..=303 | 307 | 308)) => self.follow(node, status, hops),
            Some(status @ (0..=99 | 400..)) => {
                Judged::failed(Some(status), format!("answered with {status}"))
            }
            _ => Judged::captured(),
        }
    }

    /// A redirect counts as its target.
    fn follow(&self, node: u32, status: u16, hops: usize) -> Judged {
        let redirects = || self.links.graph().out(node).filter(|(_, kind)| *kind == LinkKind::Redirect);
        if redirects().any(|(to, _)| to == node) {
            let reason = "redirected to another spelling of itself, which was not captured";
            return Judged::failed(Some(status), reason);
        }
        for (to, _) in redirects().filter(|(to, _)| hops > 0 && self.in_scope(*to, false)) {
            let judged = self.judge(to, hops - 1);
            if judged.status != TargetStatus::Captured {
                let reason = format!("redirected to {}, which was not captured", self.links.url(to));
                return Judged::failed(Some(status), reason);
            }
        }
        Judged::captured()
    }

    fn by_log(&self, key: &str) -> Judged {
        let of = |status, reason: &str| Judged { status, http: None, reason: Some(reason.to_owned()) };
        match self.fates.get(key) {
            None => of(TargetStatus::Untried, "no sign that it was ever requested"),
            Some(Fate::Duplicate) => Judged::captured(),
            Some(Fate::Answered { status }) => {
                let reason = format!("the crawler was answered with {status}, but the archive lacks it");
                Judged::failed(Some(*status), reason)
            }
            Some(Fate::Failed { reason }) => Judged::failed(None, reason.clone()),
            Some(Fate::Excluded { reason }) => of(TargetStatus::Excluded, reason),
            Some(Fate::Untried { reason }) => of(TargetStatus::Untried, reason),
        }
    }
}

fn out(tally: &Tally) -> LinkCompleteness {
    LinkCompleteness {
        share: tally.share,
        plain_share: tally.plain_share,
        captured: tally.captured,
        failed: tally.failed,
        untried: tally.untried,
        excluded: tally.excluded,
        out_of_scope: tally.out_of_scope,
    }
}
