//! URL spellings with one key that turn out to be two pages: while one is proven to show one content, another shows other
//! content.
//!
//! Grouping is loose, so a key may hold two pages, or a page and a redirect elsewhere. A proven stretch of one URL as written is
//! not ended by a capture of another one. Where such a capture differs, the two spellings are two pages, and all captures of one
//! of them are set aside. A spelling that changed is judged before one that did not, so that no change is hidden; then the one that
//! showed the page most often. Which one was captured first decides nothing.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use crate::capture::table::Row;
use crate::change::evidence::{Identity, Judge, Verdict};
use crate::change::role::Aside;
use crate::change::run::{Look, REACH, made_in_order};
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
    let compared = Compared { judge, identities };
    let mut spellings: Vec<Vec<Look>> = spellings.into_values().collect();
    let answered = |looks: &[Look]| looks.iter().filter(|look| rows[look.row].status == Some(200)).count();
    // Of equal ones, the order of their names is kept.
    spellings.sort_by_cached_key(|looks| (!compared.changes(looks), Reverse(answered(looks))));
    let mut others: HashSet<usize> = HashSet::new();
    for (place, own) in spellings.iter().enumerate() {
        if others.contains(&place) {
            continue;
        }
        for (other, looks) in spellings.iter().enumerate().skip(place + 1) {
            if !others.contains(&other) && (compared.lies_amid(own, looks) || compared.lies_amid(looks, own))
            {
                others.insert(other);
            }
        }
    }
    for look in others.into_iter().flat_map(|other| &spellings[other]) {
        identities[look.row] = Err(Aside::OtherSpelling);
    }
}

/// Captures that are compared with each other.
struct Compared<'a, 't> {
    judge: &'a Judge<'t>,
    identities: &'a [Result<Identity, Aside>],
}

impl Compared<'_, '_> {
    fn verdict(&self, one: &Look, other: &Look) -> Verdict {
        match (&self.identities[one.row], &self.identities[other.row]) {
            (Ok(one), Ok(other)) => self.judge.verdict(one, other),
            _ => Verdict::Unknown,
        }
    }

    /// Whether two neighbouring captures are known to differ.
    fn changes(&self, looks: &[Look]) -> bool {
        looks.windows(2).any(|pair| matches!(self.verdict(&pair[0], &pair[1]), Verdict::Different(_)))
    }

    /// Whether a capture of `others` lies between two equal captures of `own` and differs from them.
    fn lies_amid(&self, own: &[Look], others: &[Look]) -> bool {
        others.iter().any(|look| {
            // Those that fall together with it lie neither before nor behind.
            let behind = own.partition_point(|own| own.time < look.end);
            let reach = behind.saturating_sub(REACH)..behind;
            let Some(before) = reach.rev().find(|at| own[*at].end <= look.time) else { return false };
            let Some(around) = own.get(before..=behind) else { return false };
            matches!(self.verdict(&own[before], look), Verdict::Different(_))
                && around.windows(2).all(|pair| matches!(self.verdict(&pair[0], &pair[1]), Verdict::Same(_)))
        })
    }
}
