//! Cut captures of something else: they show no version of the page, but they show that it was not the one around them.
//!
//! The body of such a capture begins unlike the page ([`crate::ingest`] compares them), or its status, which is whole, is
//! another one: 404, 410 or a redirect elsewhere. The run is cut there.

use crate::capture::table::Row;
use crate::change::evidence::Identity;
use crate::change::run::{Link, Look, Run};

/// Cuts runs at captures that are cut and show something else.
pub(crate) fn split(rows: &[Row], looks: &[Look], runs: &mut Vec<Run>, members: &mut Vec<Vec<Identity>>) {
    let shows = |row: &&Row| row.truncated && (row.strays || tells_by_status(row).is_some());
    let cut: Vec<&Row> = rows.iter().filter(shows).collect();
    if cut.is_empty() {
        return;
    }
    let is_between = |one: &Look, other: &Look| {
        let status = rows[one.row].status;
        let differs = |row: &&&Row| row.strays || tells_by_status(row) != status;
        cut.iter().filter(differs).any(|row| row.end >= one.time && row.time <= other.end)
    };
    let (old_runs, old_members) = (std::mem::take(runs), std::mem::take(members));
    for (run, of_run) in old_runs.into_iter().zip(old_members) {
        let mut start = run.looks.start;
        for look in run.looks.clone().skip(1) {
            if is_between(&looks[look - 1], &looks[look]) {
                let grade = run.grade.filter(|_| look - start > 1);
                runs.push(Run { link: Some(Link::Unknown), grade, is_parted: true, ..Run::new(start..look) });
                members.push(of_run.clone());
                start = look;
            }
        }
        let grade = run.grade.filter(|_| run.looks.end - start > 1);
        runs.push(Run { link: run.link, grade, ..Run::new(start..run.looks.end) });
        members.push(of_run);
    }
}

/// The status of a cut capture, where it says all: there is no such page, or it is elsewhere.
fn tells_by_status(row: &Row) -> Option<u16> {
    let leads_away = !row.leads_back && row.redirect_key.is_some_and(|key| key != row.key);
    row.status.filter(|status| matches!(status, 404 | 410) || (*status != 304 && leads_away))
}
