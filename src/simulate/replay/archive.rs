//! From the captures of an archive to a world: what captures prove, and nothing more.
//!
//! | time | state |
//! |---|---|
//! | between equal captures (a proven interval) | no change |
//! | between captures known to differ | unknown, and in [`Replay::seen`]: a change at an unknown instant |
//! | between captures that cannot be compared | unknown |
//! | before the first capture, after the last | unknown, even whether the page existed |
//!
//! A page that was gone (404, 410) differs from what it was: a version like any other, because an archive holds
//! responses, not lives. So no page is born and none dies. What scores are made of it are bounds ([`Replay::between`]).
//! Last-Modified is a claim and proves nothing here. Assumes that a page does not change and change back between two
//! equal captures.
//!
//! Source: ours, on the versions of [`crate::change::run`]. Cost: O(captures).

use super::Replay;
use crate::capture::graph::LinkGraph;
use crate::capture::page::PageFilter;
use crate::change::run::Link;
use crate::change::{Judge, Versions};
use crate::error::{Error, Result};
use crate::simulate::world::{Subject, World};

/// The world of an archive. The names of the graph, if there is one, are the keys of the table that the judge judges.
/// An archive without a capture of a page is an error.
pub fn from_archive(
    name: &str,
    judge: &Judge<'_>,
    filter: PageFilter,
    graph: Option<&LinkGraph>,
) -> Result<Replay> {
    let table = judge.table();
    let (mut pages, mut seen, mut nodes) = (Vec::new(), Vec::new(), Vec::new());
    let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
    for page in table.pages() {
        let rows = table.rows_of(page);
        if !filter.takes(table, rows) {
            continue;
        }
        let versions = Versions::of(judge, rows);
        let (Some(first), Some(last)) = (versions.looks.first(), versions.looks.last()) else { continue };
        let (first_look, last_look) = (first.time.seconds(), last.time.max(last.end).seconds());
        (from, to) = (from.min(first_look), to.max(last_look));
        seen.push(changed(&versions));
        pages.push(Subject {
            url: table.text(rows[first.row].url).to_owned(),
            weight: 1.0,
            born: f64::NEG_INFINITY,
            died: f64::INFINITY,
            changes: Vec::new(),
            unknown: unknown(&versions, first_look, last_look),
        });
        nodes.push(graph.and_then(|graph| graph.urls().find(table.text(page.key))).unwrap_or(u32::MAX));
    }
    if pages.is_empty() {
        return Err(Error::data("the archive has no capture of a page"));
    }
    let links = match graph {
        Some(graph) => {
            let links = graph.between(&nodes);
            (0..pages.len()).map(|page| links.out(page).to_vec()).collect()
        }
        None => vec![Vec::new(); pages.len()],
    };
    Ok(Replay { world: World { name: name.to_owned(), from, to, pages, links }, seen })
}

/// The spans in which the page is known to have changed.
fn changed(versions: &Versions) -> Vec<(f64, f64)> {
    let differ = versions.gaps().filter(|gap| matches!(gap.link, Some(Link::Different(_))));
    differ.map(|gap| (gap.from.time.seconds(), gap.to.time.max(gap.to.end).seconds())).collect()
}

/// All time that is not proven, cut at the first and last capture: outside them it is not even known
/// whether the page existed.
fn unknown(versions: &Versions, first: f64, last: f64) -> Vec<(f64, f64)> {
    let mut spans = vec![(f64::NEG_INFINITY, first)];
    let mut since = first;
    for proven in versions.proven().filter(|proven| proven.from < proven.to) {
        spans.push((since, proven.from.seconds()));
        since = proven.to.seconds();
    }
    spans.extend([(since, last), (last, f64::INFINITY)]);
    spans.retain(|span| span.0 < span.1);
    spans
}

#[cfg(test)]
mod tests {
    use super::super::Happened;
    use super::super::happened::Captured;
    use super::*;
    use crate::capture::graph::GraphBuilder;
    use crate::capture::table::Table;
    use crate::capture::testing::{look_at, parse};
    use crate::change::{Compare, Grade};
    use crate::html::links::LinkKind;

    fn day(day: u32) -> f64 {
        parse(&format!("2024-01-{day:02}T00:00:00Z")).seconds()
    }

    fn archive() -> Replay {
        let page = |url: &str, day: u32| look_at(url, parse(&format!("2024-01-{day:02}T00:00:00Z")));
        let (a, b) = ("http://a.example/", "http://a.example/b");
        let looks = [
            page(a, 2).body(1),
            page(a, 4).body(1),
            page(a, 8).body(2),
            page(a, 10).body(2),
            page(a, 12),
            page(b, 3).body(7),
            page(b, 5).status(404),
        ];
        let table =
            Table::of(&looks.into_iter().map(crate::capture::testing::Look::build).collect::<Vec<_>>());
        let mut builder = GraphBuilder::default();
        builder.link(a, b, LinkKind::Anchor);
        builder.link(b, "http://elsewhere.example/", LinkKind::Anchor);
        let judge = Judge::new(&table, Compare::Bytes, Grade::NotModified);
        from_archive("a", &judge, PageFilter::Html, Some(&builder.finish().0)).unwrap()
    }

    #[test]
    fn what_looks_prove_is_known_and_all_else_is_not() {
        let replay = archive();
        assert_eq!((replay.world.from, replay.world.to), (day(2), day(12)));
        let page = &replay.world.pages[0];
        assert_eq!(
            page.unknown,
            [(f64::NEG_INFINITY, day(2)), (day(4), day(8)), (day(10), day(12)), (day(12), f64::INFINITY)]
        );
        assert_eq!(replay.seen[0], [(day(4), day(8))]);
        assert!(page.changes.is_empty());
        assert_eq!(replay.world.links, [vec![1], vec![]]);
        for (visit, revisit, happened) in [
            (2, 4, Happened::Unchanged),
            (8, 10, Happened::Unchanged),
            (3, 9, Happened::Changed),
            (4, 8, Happened::Changed),
            (5, 9, Happened::Unknown),
            (3, 6, Happened::Unknown),
            (9, 11, Happened::Unknown),
            (1, 3, Happened::Unknown),
            // It changed after its first capture, but whether it was online before is unknown.
            (1, 9, Happened::Unknown),
        ] {
            assert_eq!(replay.between(0, day(visit), day(revisit)), happened, "{visit} {revisit}");
        }
        assert_eq!(replay.captured(0, &[day(3), day(6), day(9)]), Captured { low: 1, high: 3 });
    }

    #[test]
    fn a_page_that_was_gone_at_a_look_has_changed() {
        let replay = archive();
        assert_eq!(replay.between(1, day(3), day(5)), Happened::Changed);
        assert_eq!(replay.between(1, day(3), day(4)), Happened::Unknown);
        assert_eq!(replay.between(1, day(6), day(7)), Happened::Unknown);
    }

    #[test]
    fn an_archive_without_a_look_is_no_world() {
        let table = Table::of(&[]);
        let judge = Judge::new(&table, Compare::Bytes, Grade::NotModified);
        assert!(from_archive("none", &judge, PageFilter::All, None).is_err());
    }
}
