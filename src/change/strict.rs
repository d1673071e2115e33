//! Strict proof: which captures of a run are of one URL as written, and what the verdicts on a page assume.

use std::collections::HashMap;

use crate::capture::Kind;
use crate::capture::negotiation::{HEADERS, Negotiation};
use crate::capture::table::{Row, Table};
use crate::change::assumption::{Assumption, Assumptions, WHATEVER};
use crate::change::evidence::{Grade, Identity, Judge};
use crate::change::role::same_as_written;
use crate::change::run::{Link, Look, PageState, Run, Versions};
use crate::digest::Algorithm;
use crate::url::as_written;

/// Cuts runs where no URL as written was captured both before and behind: nothing proves that two spellings show one
/// page, so nothing is proven of the time between them.
pub(crate) fn split(
    table: &Table,
    rows: &[Row],
    looks: &[Look],
    runs: &mut Vec<Run>,
    members: &mut Vec<Vec<Identity>>,
) {
    let url = |look: usize| rows[looks[look].row].url;
    let one_spelling = |run: &Run| {
        let first = url(run.looks.start);
        run.looks.clone().all(|look| same_as_written(table, url(look), first))
    };
    if runs.iter().all(one_spelling) {
        return;
    }
    let (old_runs, old_members) = (std::mem::take(runs), std::mem::take(members));
    for (run, of_run) in old_runs.into_iter().zip(old_members) {
        let mut last_of: HashMap<String, usize> = HashMap::new();
        for look in run.looks.clone().filter(|look| !looks[*look].is_bare) {
            last_of.insert(as_written(table.text(url(look))), look);
        }
        let (mut start, mut reach) = (run.looks.start, run.looks.start);
        for look in run.looks.clone() {
            if look > reach {
                let link = Some(Link::Unknown);
                runs.push(Run { link, grade: run.grade, ..Run::new(start..look) });
                members.push(of_run.clone());
                start = look;
            }
            // What a cache kept may have been made as late as its capture: behind the next one it opens no stretch of its spelling.
            let is_late =
                looks[look].is_kept() && looks.get(look + 1).is_some_and(|next| looks[look].end > next.time);
            if !is_late && let Some(last) = last_of.get(&as_written(table.text(url(look)))) {
                reach = reach.max(*last);
            }
        }
        runs.push(Run { link: run.link, grade: run.grade, ..Run::new(start..run.looks.end) });
        members.push(of_run);
    }
    for run in runs.iter_mut().filter(|run| run.looks.len() == 1) {
        run.grade = None;
    }
}

/// Whether a `Vary` names what visitors differ in.
fn names_visitor(vary: &str) -> bool {
    const VISITOR: [&str; 6] = ["*", "accept", "accept-language", "authorization", "cookie", "user-agent"];
    vary.split(',').map(str::trim).any(|name| VISITOR.iter().any(|header| name.eq_ignore_ascii_case(header)))
}

/// Whether the requests in the archive show that the responses were chosen alike: all of them are here, and what `Vary` names
/// is kept of them. What they differ in was compared before.
fn shows_choice(table: &Table, row: &Row) -> bool {
    let vary = row.vary.map_or("", |vary| table.text(vary));
    let mut names = vary.split(',').map(str::trim).filter(|name| !name.is_empty() && !is_coding(name));
    names.all(|name| row.request.is_some() && HEADERS.iter().any(|header| name.eq_ignore_ascii_case(header)))
}

/// Bodies are compared without their coding.
fn is_coding(name: &str) -> bool {
    name.eq_ignore_ascii_case("accept-encoding")
}

/// What the verdicts on a page assume. `walls` says that captures with status 200 were taken for bot walls.
pub(crate) fn assumptions(judge: &Judge<'_>, rows: &[Row], versions: &Versions, walls: bool) -> Assumptions {
    let table = judge.table();
    let mut found = Assumptions::default();
    let proven = versions.runs.iter().any(|run| run.proven.is_some());
    let changed = versions.state == PageState::Changed;
    if !proven && !changed && versions.state != PageState::Sharp {
        return found;
    }
    let row = |look: &Look| &rows[look.row];
    let mut assume = |holds: bool, assumption: Assumption| {
        if holds {
            found.add(assumption);
        }
    };
    assume(proven, Assumption::NoChangeBack);
    assume(true, Assumption::MadeAtWarcDate);
    let used = || versions.looks.iter().map(row);
    assume(used().any(|row| !row.method_known), Assumption::MethodGet);
    // What was not read may end early, or be a bot wall.
    let is_unread = |row: &Row| match row.kind {
        Kind::Index => true,
        Kind::Response => row.body.is_none() && row.declared.is_some() && !row.not_modified,
        Kind::Revisit => row.resolved_by.is_none() && row.declared.is_some() && !row.not_modified,
        Kind::Resource => false,
    };
    assume(used().any(is_unread), Assumption::WholeBodies);
    assume(walls, Assumption::WallByWords);
    let tied = || versions.runs.iter().filter(|run| run.looks.len() > 1);
    let shown = |look: &&Look| !look.is_bare;
    let in_runs = || tied().flat_map(|run| versions.looks[run.looks.clone()].iter().filter(shown).map(row));
    assume(in_runs().any(|row| row.not_modified), Assumption::HonestNotModified);
    // Equal bytes that were declared in one charset and in none are one version by their texts.
    let is_guessed = |run: &Run| {
        let stated = || versions.looks[run.looks.clone()].iter().map(row).filter(|row| row.states_charset());
        stated().any(|row| row.charset.is_none()) && stated().any(|row| row.charset.is_some())
    };
    assume(tied().any(is_guessed), Assumption::GuessedCharset);
    let is_short = |row: &Row| {
        let algorithm = row.declared.and_then(|digest| table.digest(digest)).map(|digest| digest.algorithm());
        matches!(algorithm, Some(Algorithm::Sha1 | Algorithm::Md5)) && row.kind != Kind::Response
    };
    let by_digest = tied().any(|run| run.grade >= Some(Grade::Digest));
    assume(by_digest && in_runs().any(is_short), Assumption::NoCollisions);
    let first = used().next().and_then(|row| row.request);
    let one_request = first.is_some_and(|first| {
        used().all(|row| row.request.is_some_and(|request| first.differences(&request).next().is_none()))
    });
    let requests = || used().filter_map(|row| row.request);
    for (header, assumption, _) in WHATEVER {
        let differs = |first: &Negotiation| {
            requests().any(|request| first.differences(&request).any(|name| name == header))
        };
        assume(requests().next().as_ref().is_some_and(differs), assumption);
    }
    let negotiated = used().filter_map(|row| row.vary).any(|vary| names_visitor(table.text(vary)));
    assume(!one_request || negotiated, Assumption::SamePageForEveryone);
    assume(used().any(|row| !shows_choice(table, row)), Assumption::RequestsAlike);
    // A 304 has the body and the status of the capture it confirms, which is of the same run and may be known by its
    // digest alone.
    let mut shown = vec![(false, None); versions.looks.len()];
    for run in &versions.runs {
        let in_run = || versions.looks[run.looks.clone()].iter().map(row);
        let has_body = in_run().any(|row| row.body.is_some());
        let status = in_run().find(|row| !row.not_modified).and_then(|row| row.status);
        for look in run.looks.clone() {
            let row = row(&versions.looks[look]);
            shown[look] =
                if row.not_modified { (has_body, status) } else { (row.body.is_some(), row.status) };
        }
    }
    let mut differ = |one: usize, other: usize| {
        let bodies = shown[one].0 && shown[other].0;
        let statuses = shown[one].1.zip(shown[other].1).is_some_and(|(one, other)| one != other);
        let (one, other) = (row(&versions.looks[one]), row(&versions.looks[other]));
        assume(!same_as_written(table, one.url, other.url), Assumption::OneKeyOnePage);
        assume(one.kind == Kind::Index && other.kind == Kind::Index, Assumption::IndexIsOneWriter);
        assume(!bodies && !statuses, Assumption::OneCoding);
    };
    let mut neighbours = false;
    for pair in versions.runs.windows(2).filter(|pair| matches!(pair[0].link, Some(Link::Different(_)))) {
        neighbours = true;
        differ(pair[0].looks.end - 1, pair[1].looks.start);
    }
    if changed && !neighbours {
        // Captures further apart differ: any two may be those.
        (1..versions.looks.len()).for_each(|look| differ(look - 1, look));
    }
    found
}
