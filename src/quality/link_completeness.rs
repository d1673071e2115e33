//! Link completeness: whether what captured pages link to and embed was captured.
//!
//! A target weighs the sum of the importances of the pages that point to it, each page once. Of the targets in scope,
//!
//! ```text
//! share = weight captured / (weight captured + failed + never tried)
//! ```
//!
//! for followed links and for embedded resources separately. What the crawl was meant to leave out (robots.txt, its
//! own scope) is counted separately: it was not lost but left out on purpose. Forms are not targets.
//!
//! Cost: two passes over the edges of the pages; memory grows with their targets.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::capture::graph::LinkGraph;
use crate::html::links::LinkKind;
use crate::quality::image_choice::Choices;

/// What became of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TargetStatus {
    /// The archive has a usable response.
    Captured,
    /// Requested, but failed: 4xx, 5xx, an error page with status 200, no connection.
    Failed,
    /// Left out on purpose.
    Excluded,
    /// Never requested.
    Untried,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// Whether the archive was meant to have it.
    pub in_scope: bool,
    /// What became of it.
    pub status: TargetStatus,
    /// Why, as a sentence.
    pub reason: Option<String>,
    /// An address of the site that only leads to another site.
    pub leads_away: bool,
    /// The crawl evidently did not go that far.
    pub is_beyond: bool,
    /// A font that shown text surely uses.
    pub is_needed: bool,
}

/// Counts and weights of one kind of target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tally {
    /// Share captured, by weight. `None`: nothing is in scope.
    pub share: Option<f64>,
    /// Share captured, by number.
    pub plain_share: Option<f64>,
    /// Targets captured.
    pub captured: u64,
    /// Targets that failed.
    pub failed: u64,
    /// Targets never requested.
    pub untried: u64,
    /// Targets left out on purpose.
    pub excluded: u64,
    /// Never requested, and perhaps not needed: fonts, and images of a style sheet of which others were loaded. A browser
    /// loads what the page shows.
    pub optional: u64,
    /// Targets that only a deeper crawl would have.
    pub beyond: u64,
    /// Targets out of scope.
    pub out_of_scope: u64,
    /// How many of these are addresses of the site that only lead to another site.
    pub away: u64,
    pub captured_weight: f64,
    pub missing_weight: f64,
}

impl Tally {
    fn add(&mut self, target: &Target, weight: f64, is_optional: bool) {
        if !target.in_scope {
            self.out_of_scope += 1;
            self.away += u64::from(target.leads_away);
            return;
        }
        if is_optional {
            self.optional += 1;
            return;
        }
        if target.is_beyond && target.status == TargetStatus::Untried {
            self.beyond += 1;
            return;
        }
        match target.status {
            TargetStatus::Captured => {
                self.captured += 1;
                self.captured_weight += weight;
            }
            TargetStatus::Excluded => self.excluded += 1,
            TargetStatus::Failed => {
                self.failed += 1;
                self.missing_weight += weight;
            }
            TargetStatus::Untried => {
                self.untried += 1;
                self.missing_weight += weight;
            }
        }
    }

    fn finish(&mut self) {
        let all = self.captured + self.failed + self.untried;
        let weight = self.captured_weight + self.missing_weight;
        self.plain_share = (all > 0).then(|| self.captured as f64 / all as f64);
        self.share = (weight > 0.0).then(|| self.captured_weight / weight).or(self.plain_share);
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct MissingNode {
    /// The node of its URL key.
    pub node: u32,
    /// Embedded rather than linked.
    pub embed: bool,
    /// How pages use it; of several uses the one that needs it most.
    pub kind: LinkKind,
    /// The most important pages that point to it.
    pub needed_by: Vec<u32>,
    /// Number of pages that point to it.
    pub pages: u32,
    /// The sum of their importances.
    pub weight: f64,
    /// What became of it.
    pub status: TargetStatus,
    pub reason: Option<String>,
}

/// Link completeness of a set of pages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct LinkCompleteness {
    /// Of links that are followed.
    pub links: Tally,
    /// Of embedded resources.
    pub embeds: Tally,
    /// What is missing, worst first.
    pub missing: Vec<MissingNode>,
    /// How many further missing targets the list leaves out.
    pub missing_left_out: u64,
    /// What was left out on purpose, and why, the heaviest first.
    pub excluded: Vec<(u32, Option<String>)>,
}

/// Maximum number of pages named for a missing target.
const MAX_NEEDED_BY: usize = 5;

/// The need for a node by one class of edges (links or embeds).
#[derive(Debug, Clone, Copy)]
struct Need {
    weight: f64,
    pages: u32,
    kind: LinkKind,
    /// The style sheet that names it, if no page does.
    sheet: Option<u32>,
}

/// Whether an edge is a target, and if so whether it is embedded.
fn class(kind: LinkKind) -> Option<bool> {
    match kind {
        LinkKind::Form | LinkKind::Base | LinkKind::Machine | LinkKind::Candidate | LinkKind::Source => None,
        kind => Some(kind.is_embed()),
    }
}

/// Computes link completeness of the pages (node and importance) of a graph. `target` gives what is known of a node
/// as a link (`None`) or as an embedded resource of a kind, `is_drawing` whether a node is an SVG file, which a browser shows with
/// what it embeds, `is_error` whether a page looks like an error page: what such a page embeds is no loss. `limit` bounds the list of what is missing. Nodes named twice count once.
pub(crate) fn link_completeness(
    graph: &LinkGraph,
    pages: &[(u32, f64)],
    target: impl Fn(u32, Option<LinkKind>) -> Target,
    is_drawing: impl Fn(u32) -> bool,
    is_error: impl Fn(u32) -> bool,
    limit: usize,
) -> LinkCompleteness {
    let mut pages = pages.to_vec();
    pages.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let mut seen = HashSet::new();
    pages.retain(|(node, _)| seen.insert(*node));
    let mut needs: [HashMap<u32, Need>; 2] = Default::default();
    let is_captured = |to: u32, kind: LinkKind| target(to, Some(kind)).status == TargetStatus::Captured;
    let choices = Choices::new(graph, &is_captured);
    for &(page, weight) in &pages {
        let is_error = is_error(page);
        for_each_target(graph, page, &is_drawing, &choices, |to, embed, kind, sheet| {
            if embed && is_error {
                return;
            }
            let fresh = Need { weight: 0.0, pages: 0, kind, sheet };
            let need = needs[usize::from(embed)].entry(to).or_insert(fresh);
            need.sheet = need.sheet.and(sheet);
            need.weight += weight;
            need.pages += 1;
            need.kind = stronger(need.kind, kind);
        });
    }
    // Whether some images of a style sheet were loaded: then the crawler chose, as browsers do.
    let mut chosen: HashMap<u32, bool> = HashMap::new();
    let mut was_chosen_from = |sheet: u32| {
        *chosen.entry(sheet).or_insert_with(|| {
            let is_image = |kind: &LinkKind| matches!(kind, LinkKind::Style | LinkKind::Conditional);
            let sizes = choices.sizes(sheet);
            let mut images = graph.out(sheet).filter(|(_, kind)| is_image(kind));
            images.any(|(to, kind)| choices.is_captured(choices.chosen(&sizes, to, kind), kind))
        })
    };
    let mut tallies = [Tally::default(); 2];
    let mut missing: Vec<(u32, usize, Need, Target)> = Vec::new();
    let mut excluded: Vec<(u32, Need, Target)> = Vec::new();
    for (class, needs) in needs.into_iter().enumerate() {
        // In the order of nodes, so that sums are the same in every run.
        let mut needs: Vec<(u32, Need)> = needs.into_iter().collect();
        needs.sort_unstable_by_key(|(node, _)| *node);
        for (node, need) in needs {
            let target = target(node, (class == 1).then_some(need.kind));
            let is_spare = (matches!(need.kind, LinkKind::Font | LinkKind::Conditional) && !target.is_needed)
                || (need.kind == LinkKind::Style && need.sheet.is_some_and(&mut was_chosen_from));
            let is_untried = target.status == TargetStatus::Untried;
            tallies[class].add(&target, need.weight, is_spare && is_untried);
            let is_optional = (is_spare || target.is_beyond) && is_untried;
            if target.in_scope
                && !is_optional
                && matches!(target.status, TargetStatus::Failed | TargetStatus::Untried)
            {
                missing.push((node, class, need, target));
            } else if target.in_scope && target.status == TargetStatus::Excluded {
                excluded.push((node, need, target));
            }
        }
        tallies[class].finish();
    }
    missing.sort_by(|a, b| {
        let order = b.2.weight.total_cmp(&a.2.weight);
        order
            .then_with(|| Reverse(a.1).cmp(&Reverse(b.1)))
            .then_with(|| graph.urls().get(a.0).cmp(graph.urls().get(b.0)))
    });
    let by_weight = |a: &(u32, Need, Target), b: &(u32, Need, Target)| {
        b.1.weight.total_cmp(&a.1.weight).then_with(|| graph.urls().get(a.0).cmp(graph.urls().get(b.0)))
    };
    excluded.sort_by(by_weight);
    excluded.dedup_by_key(|(node, ..)| *node);
    excluded.truncate(limit);
    let excluded = excluded.into_iter().map(|(node, _, target)| (node, target.reason)).collect();
    let left_out = missing.len().saturating_sub(limit) as u64;
    missing.truncate(limit);
    let needed_by = needed_by(graph, &pages, &missing, &is_drawing, &choices, &is_error);
    let [links, embeds] = tallies;
    let missing = missing
        .into_iter()
        .zip(needed_by)
        .map(|((node, class, need, target), needed_by)| MissingNode {
            node,
            embed: class == 1,
            kind: need.kind,
            needed_by,
            pages: need.pages,
            weight: need.weight,
            status: target.status,
            reason: target.reason,
        })
        .collect();
    LinkCompleteness { links, embeds, missing, missing_left_out: left_out, excluded }
}

/// Of two uses the one that needs the target most; a font, or what has a condition, may not be needed at all.
fn stronger(a: LinkKind, b: LinkKind) -> LinkKind {
    match (a, b) {
        (LinkKind::Conditional, other) | (other, LinkKind::Conditional) => other,
        (LinkKind::Font, other) | (other, LinkKind::Font) => other,
        (a, b) => a.max(b),
    }
}

/// Maximum depth of style sheets importing each other.
const MAX_IMPORT_DEPTH: usize = 3;

/// The page itself, and the files that say what else it shows: style sheets, also those that they import, and SVG files in
/// `object`, `embed` and `iframe`. An SVG file in `img` loads nothing. Each with whether it is a style sheet.
pub(crate) fn shown_with(
    graph: &LinkGraph,
    page: u32,
    is_drawing: &impl Fn(u32) -> bool,
) -> Vec<(u32, bool)> {
    let mut files = vec![(page, false)];
    let mut known = HashSet::from([page]);
    let mut round = 0..1;
    for depth in 0..=MAX_IMPORT_DEPTH {
        for at in round.clone() {
            let (from, is_sheet) = files[at];
            for (to, kind) in graph.out(from) {
                let shows = match kind {
                    LinkKind::Stylesheet => Some(true),
                    LinkKind::Object | LinkKind::Frame if !is_sheet && is_drawing(to) => Some(false),
                    // A file that was redirected.
                    LinkKind::Redirect if depth > 0 => Some(is_sheet),
                    _ => None,
                };
                if let Some(is_sheet) = shows.filter(|_| known.insert(to)) {
                    files.push((to, is_sheet));
                }
            }
        }
        round = round.end..files.len();
    }
    // What the last round found is too deep.
    files.truncate(round.start);
    files
}

/// Reports every target of a page once per class, without self-links: its own, and what its style sheets and drawings name.
fn for_each_target(
    graph: &LinkGraph,
    page: u32,
    is_drawing: &impl Fn(u32) -> bool,
    choices: &Choices<'_>,
    mut tell: impl FnMut(u32, bool, LinkKind, Option<u32>),
) {
    let mut found: HashMap<(u32, bool), (LinkKind, Option<u32>)> = HashMap::new();
    for (from, is_sheet) in shown_with(graph, page, is_drawing) {
        let sizes = choices.sizes(from);
        for (to, kind) in graph.out(from) {
            // A link in a drawing that the page shows is one of the page.
            let is_own = from == page || (!is_sheet && kind == LinkKind::Anchor);
            let Some(embed) = class(kind).filter(|embed| is_own || *embed) else { continue };
            let to = if embed { choices.chosen(&sizes, to, kind) } else { to };
            if to != page {
                let sheet = is_sheet.then_some(from);
                found
                    .entry((to, embed))
                    .and_modify(|known| *known = (stronger(known.0, kind), known.1.and(sheet)))
                    .or_insert((kind, sheet));
            }
        }
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_unstable();
    for ((to, embed), (kind, sheet)) in found {
        tell(to, embed, kind, sheet);
    }
}

/// The pages, most important first, that point to each of the missing targets.
fn needed_by(
    graph: &LinkGraph,
    pages: &[(u32, f64)],
    missing: &[(u32, usize, Need, Target)],
    is_drawing: &impl Fn(u32) -> bool,
    choices: &Choices<'_>,
    is_error: &impl Fn(u32) -> bool,
) -> Vec<Vec<u32>> {
    let mut lists = vec![Vec::new(); missing.len()];
    let places: HashMap<(u32, usize), usize> =
        missing.iter().enumerate().map(|(at, (node, class, ..))| ((*node, *class), at)).collect();
    for &(page, _) in pages {
        for_each_target(graph, page, is_drawing, choices, |to, embed, _, _| {
            if let Some(&at) = places.get(&(to, usize::from(embed)))
                && !(embed && is_error(page))
                && lists[at].len() < MAX_NEEDED_BY
            {
                lists[at].push(page);
            }
        });
    }
    lists
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::graph::GraphBuilder;

    fn graph(edges: &[(&str, &str, LinkKind)]) -> LinkGraph {
        let mut builder = GraphBuilder::default();
        for (from, to, kind) in edges {
            builder.link(from, to, *kind);
        }
        builder.finish().0
    }

    #[test]
    fn targets_weigh_what_the_pages_that_need_them_weigh() {
        use LinkKind::*;
        let graph = graph(&[
            ("home", "terms", Anchor),
            ("home", "news", Anchor),
            ("news", "terms", Anchor),
            ("home", "logo.png", Image),
            ("news", "logo.png", Image),
            ("news", "logo.png", Icon),
            ("news", "gone", Anchor),
            ("news", "secret", Anchor),
            ("news", "elsewhere", Anchor),
            ("news", "search", Form),
            ("home", "home", Anchor),
        ]);
        let node = |key: &str| graph.urls().find(key).unwrap();
        let state = |number: u32, _| {
            let (in_scope, status) = match graph.urls().get(number) {
                "home" | "news" => (true, TargetStatus::Captured),
                "gone" => (true, TargetStatus::Failed),
                "secret" => (true, TargetStatus::Excluded),
                "elsewhere" => (false, TargetStatus::Untried),
                _ => (true, TargetStatus::Untried),
            };
            let reason = (status == TargetStatus::Failed).then(|| "404".to_owned());
            Target { in_scope, status, reason, leads_away: false, is_beyond: false, is_needed: false }
        };
        let pages = [(node("news"), 1.0), (node("home"), 3.0), (node("news"), 1.0)];
        let result = link_completeness(&graph, &pages, state, |_| false, |_| false, 10);
        let links = result.links;
        assert_eq!(
            (links.captured, links.failed, links.untried, links.excluded, links.out_of_scope),
            (1, 1, 1, 1, 1)
        );
        // news 3; missing: terms 4, gone 1.
        assert_eq!(links.share, Some(3.0 / 8.0));
        assert_eq!(links.plain_share, Some(1.0 / 3.0));
        assert_eq!((result.embeds.untried, result.embeds.share), (1, Some(0.0)));
        let told: Vec<(&str, f64, u32)> =
            result.missing.iter().map(|m| (graph.urls().get(m.node), m.weight, m.pages)).collect();
        assert_eq!(told, [("logo.png", 4.0, 2), ("terms", 4.0, 2), ("gone", 1.0, 1)]);
        assert_eq!(result.missing[1].needed_by, [node("home"), node("news")]);
        assert_eq!(result.missing[2].reason.as_deref(), Some("404"));
        let short = link_completeness(&graph, &pages, state, |_| false, |_| false, 1);
        assert_eq!((short.missing.len(), short.missing_left_out), (1, 2));
    }

    #[test]
    fn a_candidate_stands_for_its_image_on_pages_that_have_both_in_one_list_and_nowhere_else() {
        use LinkKind::*;
        let page = |name: &'static str, candidate: &'static str| {
            [
                (name, "a", Image),
                (name, "a", Source),
                (name, candidate, Candidate),
                ("a", candidate, Candidate),
            ]
        };
        let other = [("linking", "a", Anchor), ("alone", "a", Image)];
        let graph = graph(&[&page("list", "b")[..], &page("elsewhere", "c"), &other].concat());
        let node = |key: &str| graph.urls().find(key).unwrap();
        let state = |number: u32, _| {
            let captured = graph.urls().get(number) == "b";
            let status = if captured { TargetStatus::Captured } else { TargetStatus::Failed };
            Target {
                in_scope: true,
                status,
                reason: None,
                leads_away: false,
                is_beyond: false,
                is_needed: false,
            }
        };
        let of = |page: &str| {
            let found = link_completeness(&graph, &[(node(page), 1.0)], state, |_| false, |_| false, 10);
            let missing: Vec<&str> = found.missing.iter().map(|one| graph.urls().get(one.node)).collect();
            (found.embeds.captured, missing.concat())
        };
        assert_eq!(of("list"), (1, String::new()));
        for page in ["elsewhere", "linking", "alone"] {
            assert_eq!(of(page), (0, "a".to_owned()), "{page}");
        }
    }

    #[test]
    fn an_embed_weighs_once_per_page_however_many_style_sheets_name_it() {
        use LinkKind::*;
        let graph = graph(&[
            ("home", "a.css", Stylesheet),
            ("home", "b.css", Stylesheet),
            ("home", "bg.png", Image),
            ("a.css", "bg.png", Style),
            ("b.css", "bg.png", Style),
            ("b.css", "c.css", Stylesheet),
            ("c.css", "bg.png", Style),
            ("c.css", "f.woff", Font),
        ]);
        let node = |key: &str| graph.urls().find(key).unwrap();
        let state = |_, _| Target {
            in_scope: true,
            status: TargetStatus::Untried,
            reason: None,
            leads_away: false,
            is_beyond: false,
            is_needed: false,
        };
        let result = link_completeness(&graph, &[(node("home"), 1.0)], state, |_| false, |_| false, 10);
        let told: Vec<(&str, f64)> =
            result.missing.iter().map(|m| (graph.urls().get(m.node), m.weight)).collect();
        assert_eq!(told, [("a.css", 1.0), ("b.css", 1.0), ("bg.png", 1.0), ("c.css", 1.0)]);
        assert_eq!((result.embeds.untried, result.embeds.optional), (4, 1));
    }

    #[test]
    fn pages_without_links_have_no_share() {
        let result = link_completeness(&graph(&[]), &[], |_, _| unreachable!(), |_| false, |_| false, 10);
        assert_eq!((result.links.share, result.embeds.share), (None, None));
    }
}
