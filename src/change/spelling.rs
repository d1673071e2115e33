//! Spellings of one key that are two pages: while one of them is proven to have shown something, another showed something else.
//!
//! Grouping is loose, so a key may hold two pages, or a page and a redirect elsewhere. A proven stretch of one URL as written is
//! not ended by a capture of another one. Where such a capture differs, its spelling is another page, and all captures of it are set
//! aside. The spelling that showed the page most often decides, then the one that was captured first.

use std::collections::{BTreeMap, HashSet};

use crate::capture::table::Row;
use crate::change::evidence::{Identity, Judge, Verdict};
use crate::change::role::Aside;
use crate::change::run::{Look, made_in_order};
use crate::url::as_written;

/// Sets aside the captures of spellings that are another page.
pub(crate) fn set_aside(judge: &Judge<'_>, rows: &[Row], identities: &mut [Result<Identity, Aside>]) {
    let shown = |place: &usize| identities[*place].is_ok();
    let Some(first) = (0..rows.len()).find(shown).map(|place| rows[place].url) else { return };
    if (0..rows.len()).filter(shown).all(|place| rows[place].url == first) {
        return;
    }
    let mut spellings: BTreeMap<String, Vec<Look>> = BTreeMap::new();
    for look in made_in_order(rows, identities) {
        let url = as_written(judge.table().text(rows[look.row].url));
        spellings.entry(url).or_default().push(look);
    }
    let mut spellings: Vec<Vec<Look>> = spellings.into_values().collect();
    let answered = |looks: &[Look]| looks.iter().filter(|look| rows[look.row].status == Some(200)).count();
    spellings.sort_by_key(|looks| (std::cmp::Reverse(answered(looks)), looks[0].time));
    let mut others: HashSet<usize> = HashSet::new();
    for (place, own) in spellings.iter().enumerate() {
        if others.contains(&place) {
            continue;
        }
        for (other, looks) in spellings.iter().enumerate().skip(place + 1) {
            if !others.contains(&other) && differ(judge, identities, own, looks) {
                others.insert(other);
            }
        }
    }
    for look in others.into_iter().flat_map(|other| &spellings[other]) {
        identities[look.row] = Err(Aside::OtherSpelling);
    }
}

/// Whether a capture of `others` lies between two equal captures of `own` and differs from them.
fn differ(judge: &Judge<'_>, identities: &[Result<Identity, Aside>], own: &[Look], others: &[Look]) -> bool {
    let verdict = |one: &Look, other: &Look| match (&identities[one.row], &identities[other.row]) {
        (Ok(one), Ok(other)) => judge.verdict(one, other),
        _ => Verdict::Unknown,
    };
    others.iter().any(|look| {
        let behind = own.partition_point(|own| own.time < look.time);
        let (Some(before), Some(after)) = (behind.checked_sub(1).map(|at| &own[at]), own.get(behind)) else {
            return false;
        };
        let is_between = before.end < look.time && look.end < after.time;
        is_between
            && matches!(verdict(before, look), Verdict::Different(_))
            && matches!(verdict(before, after), Verdict::Same(_))
    })
}
