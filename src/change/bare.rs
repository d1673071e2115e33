//! Bare 304s: the server says that nothing changed, and does not show that it speaks of the content that was captured before: by a weak
//! `ETag`, say. Such an answer proves nothing, and it takes nothing from a proof: between two equal captures it agrees with both.
//!
//! That holds wherever it lies between them, also where a cache kept it. What a 304 confirms that has another `ETag`, or names a record
//! that is not here, may be something else: that parts the captures around it.
//!
//! Cost: O(captures).

use crate::capture::table::Row;
use crate::change::evidence::{Dates, Identity, Judge, Verdict};
use crate::change::role::Aside;
use crate::change::run::{Look, MEMBERS, Run, judge_all};

/// Marks the bare 304s, and joins runs of one version between which nothing else lies.
pub(super) fn join(
    judge: &Judge<'_>,
    rows: &[Row],
    identities: &[Result<Identity, Aside>],
    looks: &mut [Look],
    (runs, members): (&mut Vec<Run>, &mut Vec<Vec<Identity>>),
) {
    for look in looks.iter_mut().filter(|look| rows[look.row].not_modified) {
        // What is not even known to be itself shows no content.
        let shows = |one: &Identity| matches!(judge.verdict(one, one), Verdict::Same(_));
        look.is_bare = !identities[look.row].as_ref().is_ok_and(shows);
    }
    if looks.iter().all(|look| !look.is_bare) {
        return;
    }
    let (mut joined, mut of_joined): (Vec<Run>, Vec<Vec<Identity>>) = (Vec::new(), Vec::new());
    for (run, of_run) in std::mem::take(runs).into_iter().zip(std::mem::take(members)) {
        let is_bare = |run: &Run| looks[run.looks.start].is_bare;
        let before = if is_bare(&run) { None } else { joined.iter().rposition(|run| !is_bare(run)) };
        let verdict = before.map(|before| {
            let is_all =
                of_joined[before + 1..].iter().all(|claims| agrees(judge, &of_joined[before], &claims[0]));
            if is_all { judge_all(judge, &of_joined[before], &of_run[0]) } else { Verdict::Unknown }
        });
        match (before, verdict) {
            (Some(before), Some(Verdict::Same(grade))) => {
                joined.truncate(before + 1);
                of_joined.truncate(before + 1);
                let own = &mut joined[before];
                own.looks.end = run.looks.end;
                own.grade = own.grade.max(run.grade).max(Some(grade));
                own.link = run.link;
                let room = MEMBERS.saturating_sub(of_joined[before].len());
                let new: Vec<Identity> =
                    of_run.into_iter().filter(|one| !of_joined[before].contains(one)).collect();
                of_joined[before].extend(new.into_iter().take(room));
            }
            _ => {
                joined.push(run);
                of_joined.push(of_run);
            }
        }
    }
    (*runs, *members) = (joined, of_joined);
}

/// Whether a bare 304 claims to be of a version.
pub(super) fn agrees(judge: &Judge<'_>, version: &[Identity], claim: &Identity) -> bool {
    let is_same = |one: &Identity| matches!(judge.strongest(one, claim), Verdict::Same(_));
    claim.dates() != Dates::AgainstItself && version.iter().all(is_same)
}
