//! The whole story of one page: every capture, every gap between captures, every verdict and why.

use crate::audit::model::{Compared, GapOut, Story, StoryCapture, StoryRun};
use crate::capture::Witness;
use crate::capture::table::Row;
use crate::change::evidence::{Basis, Grade, Identity, Judge, Verdict};
use crate::change::role::Aside;
use crate::change::run::{Gap, Link, Look, Run, Versions};
use crate::time::SECOND;

/// Tells the story of a page from its captures in a window, the crawl of each, and what they show.
pub(crate) fn tell(judge: &Judge<'_>, rows: &[Row], crawls: &[u32], versions: &Versions) -> Story {
    let identities = judge.identities(rows, versions.contradicted.is_empty());
    let mut run_of: Vec<Option<&Run>> = vec![None; rows.len()];
    for run in &versions.runs {
        for look in run.looks.clone() {
            run_of[versions.looks[look].row] = Some(run);
        }
    }
    let first_crawl = crawls.iter().copied().min().unwrap_or(0);
    let looks = rows.iter().enumerate().map(|(place, row)| {
        let contradicted = versions.contradicted.iter().any(|(other, _)| *other == place);
        let aside = identities[place].as_ref().err().copied();
        let mut look = look(judge, row, run_of[place], contradicted, aside);
        look.crawl = u64::from(crawls[place] - first_crawl);
        look
    });
    let against =
        rows.iter().find_map(|row| judge.table().contradiction(row)).filter(|_| versions.contradictory);
    let against = versions.contradictory.then(|| against.map_or_else(String::new, place_of));
    let gaps = versions
        .gaps()
        .map(|gap| gap_out(judge, &gap, run_of[gap.from.row], &identities, against.as_deref()));
    let runs = versions.runs.iter().map(|run| StoryRun {
        first: versions.looks[versions.ends(run).0].row as u64,
        last: versions.looks[versions.ends(run).1].row as u64,
        version: run.version.map(u64::from),
        proven: run.proven.map(Into::into),
        claimed: run.claimed.map(Into::into),
        outer: run.outer,
        last_modified: run.last_modified,
        grade: run.grade,
    });
    Story { looks: looks.collect(), gaps: gaps.collect(), runs: runs.collect(), changes: Vec::new() }
}

fn look(
    judge: &Judge<'_>,
    row: &Row,
    run: Option<&Run>,
    contradicted: bool,
    aside: Option<Aside>,
) -> StoryCapture {
    let table = judge.table();
    let text = |id| table.text(id).to_owned();
    StoryCapture {
        time: row.time,
        end: row.end,
        made: Some(Look::of(0, row).time).filter(|made| *made != row.time),
        url: text(row.url),
        crawl: 0,
        status: row.status,
        mime: row.mime.map(text),
        kind: row.kind,
        failed: aside.map(Aside::explain),
        version: run.and_then(|run| run.version).map(u64::from),
        body: row.body.and_then(|body| table.body(body)),
        body_length: row.body_length,
        declared: row.declared.and_then(|digest| table.digest(digest)),
        // A digest that a habit of its writer explains is no wrong one: the record is not in doubt.
        digest_ok: row.digest_ok.map(|is_ok| is_ok || !row.refuted),
        last_modified: row.last_modified,
        contradicted: row.last_modified.map(|_| contradicted),
        etag: row.etag.map(text),
        http_date: row.http_date,
        writer: row.writer.map(text),
        file: text(row.file),
        offset: row.offset,
        record_id: row.record_id.map(text),
    }
}

fn gap_out(
    judge: &Judge<'_>,
    gap: &Gap,
    run: Option<&Run>,
    identities: &[Result<Identity, Aside>],
    against: Option<&str>,
) -> GapOut {
    let pair = identities[gap.from.row].as_ref().ok().zip(identities[gap.to.row].as_ref().ok());
    let (strongest, basis) =
        pair.map_or((Verdict::Unknown, Basis::Nothing), |(one, other)| judge.weigh(one, other));
    let (verdict, grade, reason) = match (gap.link, strongest) {
        (None, Verdict::Same(grade)) if grade > judge.floor() => {
            let reason = format!("{}, and equal captures lie around it", same(grade, basis));
            (Compared::Same, run.and_then(|run| run.grade), reason)
        }
        (None, Verdict::Same(grade)) => (Compared::Same, Some(grade), same(grade, basis).to_owned()),
        (None, _) => {
            let reason = "it equals an earlier capture of the same run".to_owned();
            (Compared::Same, run.and_then(|run| run.grade), reason)
        }
        (Some(Link::Different(grade)), Verdict::Different(_)) => {
            (Compared::Different, Some(grade), words(basis, false).to_owned())
        }
        (Some(Link::Different(grade)), _) => {
            (Compared::Different, Some(grade), "it differs from an earlier capture of the run".to_owned())
        }
        (Some(Link::Unknown), _) if against.is_some() => {
            let place = against.unwrap_or_default();
            (Compared::Unknown, None, format!("other evidence contradicts a capture of this page{place}"))
        }
        (Some(Link::Unknown), verdict) => {
            let is_parted = run.is_some_and(|run| run.is_parted);
            (Compared::Unknown, None, undecided(judge, verdict, basis, is_parted))
        }
    };
    GapOut {
        from: gap.from.row as u64,
        to: gap.to.row as u64,
        seconds: gap.to.time.0.saturating_sub(gap.from.time.0) as f64 / SECOND as f64,
        verdict,
        grade,
        reason,
    }
}

/// Where the other evidence lies.
fn place_of((witness, file, offset): (Witness, &str, Option<u64>)) -> String {
    let what = match witness {
        Witness::Copy => "a record of the same id, URL and date",
        Witness::Index => "a line of an index",
        Witness::Package => "the hash that its package declares",
        Witness::Request => "a request that is not GET",
        Witness::Head => "its own head, which states a field several times, with different values",
    };
    let at = offset.map_or_else(String::new, |offset| format!(" at byte {offset}"));
    let file = if file.is_empty() { String::new() } else { format!(", in {file}{at}") };
    format!(": {what}{file}")
}

fn undecided(judge: &Judge<'_>, verdict: Verdict, basis: Basis, is_parted: bool) -> String {
    match verdict {
        Verdict::Same(Grade::Validator) => {
            format!("{}; that is a claim, no proof", same(Grade::Validator, basis))
        }
        Verdict::Same(grade) if grade <= judge.floor() && is_parted => format!(
            "{}, but another version was captured between them, or in the same second",
            same(grade, basis)
        ),
        Verdict::Same(grade) if grade <= judge.floor() => {
            format!("{}, but no spelling of the URL was captured both before and after", same(grade, basis))
        }
        Verdict::Same(grade) | Verdict::Different(grade) => format!(
            "{}; that is evidence of grade {}, {} is asked for",
            if matches!(verdict, Verdict::Same(_)) { same(grade, basis) } else { words(basis, false) },
            grade.name(),
            judge.floor().name()
        ),
        Verdict::Unknown => words(basis, false).to_owned(),
    }
}

/// Why two captures are the same. A 304 has no body that could be equal to another one.
fn same(grade: Grade, basis: Basis) -> &'static str {
    match grade {
        Grade::NotModified => "the server answered that nothing was modified (304)",
        Grade::Validator if basis != Basis::Validator => {
            "the server answered that nothing was modified (304)"
        }
        _ => words(basis, true),
    }
}

fn words(basis: Basis, same: bool) -> &'static str {
    match (basis, same) {
        (Basis::Status, true) => "the page was gone both times",
        (Basis::Status, false) => "the status of the response is another",
        (Basis::Location, true) => "both redirect to one target",
        (Basis::Location, false) => "they redirect to different targets, or a target is unknown",
        (Basis::MediaType, _) => "one is HTML, the other is not",
        (Basis::Charset, _) => "the same bytes were declared in two charsets",
        (Basis::Negotiated, _) => "the requests differ in what Vary names",
        (Basis::Body, true) => "the bodies are equal",
        (Basis::Body, false) => "the bodies differ",
        (Basis::Text, true) => "the visible texts are equal",
        (Basis::Text, false) => "the visible texts differ",
        (Basis::Payload, _) => "the recomputed payload digests are equal",
        (Basis::Declared, true) => "the declared digests are equal",
        (Basis::Declared, false) => "the declared digests differ",
        (Basis::Validator, _) => "ETag or Last-Modified are equal",
        (Basis::OtherWriter, _) => "their digests were made by different software and do not compare",
        (Basis::Coding, _) => {
            "their digests cover bodies in different codings, or in one that cannot be removed"
        }
        (Basis::AtOdds, _) => {
            "a revisit contradicts the record it refers to, or a body is not the one of its digest"
        }
        (Basis::Nothing, _) => "they have no digests that compare",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::{AuditInput, Parameters, audit};
    use crate::capture::table::Table;
    use crate::capture::testing::{Look, look};

    fn story(looks: Vec<Look>, evidence: Grade) -> Story {
        let observations: Vec<_> = looks.into_iter().map(Look::build).collect();
        let explain = vec!["http://a.example/".to_owned(), observations[0].key.clone()];
        let parameters = Parameters { explain, evidence, ..Parameters::default() };
        let mut audit = audit(&Table::of(&observations), &parameters, AuditInput::default());
        audit.sites.remove(0).page_list.remove(0).story.unwrap()
    }

    fn at(minute: u32) -> Look {
        look("http://a.example/", &format!("2024-01-01T00:{minute:02}:00Z"))
    }

    #[test]
    fn every_gap_says_why() {
        let looks = vec![
            at(0).body(1),
            at(1).body(1),
            at(2).body(2),
            at(3).status(503),
            at(4).declared(7).writer("other/1"),
            at(5).declared(8).writer("third/1"),
            at(6).declared(8).writer("fourth/1"),
        ];
        let told = story(looks, Grade::NotModified);
        assert_eq!(told.looks.len(), 7);
        assert_eq!(told.looks[3].failed.as_deref(), Some("the response 503 does not show the page"));
        let gaps: Vec<(u64, u64, Compared, &str)> =
            told.gaps.iter().map(|gap| (gap.from, gap.to, gap.verdict, gap.reason.as_str())).collect();
        let apart = "their digests were made by different software and do not compare";
        assert_eq!(
            gaps,
            [
                (0, 1, Compared::Same, "the bodies are equal"),
                (1, 2, Compared::Different, "the bodies differ"),
                (2, 4, Compared::Unknown, "they have no digests that compare"),
                (4, 5, Compared::Unknown, apart),
                (5, 6, Compared::Same, "the declared digests are equal"),
            ]
        );
        assert_eq!(told.runs.len(), 4);
    }

    #[test]
    fn a_304_has_no_body_to_be_equal() {
        let looks = vec![at(0).body(1).etag("x"), at(1).not_modified().etag("x")];
        let told = story(looks, Grade::NotModified);
        let gap = &told.gaps[0];
        assert_eq!(
            (gap.verdict, gap.reason.as_str()),
            (Compared::Same, "the server answered that nothing was modified (304)")
        );
    }

    #[test]
    fn evidence_below_the_floor_is_named_and_not_used() {
        let looks = vec![at(0).declared(1), at(1).declared(1), at(2).declared(2).etag("x"), at(3).etag("x")];
        let told = story(looks, Grade::Bytes);
        assert_eq!(
            told.gaps[0].reason,
            "the declared digests are equal; that is evidence of grade digest, bytes is asked for"
        );
        assert_eq!(told.gaps[2].reason, "ETag or Last-Modified are equal; that is a claim, no proof");
        assert!(told.gaps.iter().all(|gap| gap.verdict == Compared::Unknown));
    }
}
