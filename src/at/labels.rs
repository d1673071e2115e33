//! Names for the records of a report: A, B, …, Z, AA, AB, …; a record has one name, however often it is relied on.

use std::collections::HashMap;

use crate::at::model::{PageAt, Role, Witness};
use crate::at::phrase_model::PhraseAt;
use crate::time::Instant;

/// What names a record until it has its label: one place may hold several records.
pub(super) fn place(file: &str, offset: Option<u64>, id: Option<&str>, date: Instant) -> String {
    format!("{file}\n{offset:?}\n{id:?}\n{}", date.0)
}

/// Names all records: page by page as the report lists them, the records of a page in the order of their dates, those
/// that only words were searched in last.
pub(super) fn assign(pages: &mut [PageAt]) {
    let mut names: HashMap<String, String> = HashMap::new();
    for page in pages {
        page.witnesses.sort_by_key(|record| (record.role == Role::Text, record.date));
        for record in &mut page.witnesses {
            let id = record.record_id.as_deref();
            let place = place(&record.file, record.offset, id, record.date);
            let number = names.len();
            record.label = names.entry(place).or_insert_with(|| letters(number)).clone();
        }
        let shown = page.shown.iter_mut().flat_map(|part| [&mut part.before, &mut part.after]);
        for label in [&mut page.before, &mut page.after].into_iter().chain(shown) {
            *label = label.take().and_then(|place| names.get(&place).cloned());
        }
    }
}

/// Gives quotations the names of the records that they come from, which they have by their ids: one place may hold
/// several records.
pub(super) fn quotes(pages: &[PageAt], phrases: &mut [PhraseAt]) {
    let mut names: HashMap<(&str, Option<u64>, &str), &str> = HashMap::new();
    for record in pages.iter().flat_map(|page| &page.witnesses) {
        let id = record.record_id.as_deref().unwrap_or_default();
        names.entry((&record.file, record.offset, id)).or_insert(&record.label);
    }
    let name = |file: &str, offset: Option<u64>, id: &str| {
        names.get(&(file, offset, id)).copied().unwrap_or_default().to_owned()
    };
    for phrase in phrases {
        for quote in &mut phrase.quotes {
            quote.record = name(&quote.file, quote.offset, &quote.record);
        }
        for near in &mut phrase.nearly {
            near.record = name(&near.file, near.offset, &near.record);
        }
    }
}

/// The record that has a name.
pub(crate) fn named<'a>(page: &'a PageAt, label: Option<&String>) -> Option<&'a Witness> {
    page.witnesses.iter().find(|record| Some(&record.label) == label)
}

/// 0 is A, 25 is Z, 26 is AA.
pub(crate) fn letters(number: usize) -> String {
    let mut name = String::new();
    let mut rest = number + 1;
    while rest > 0 {
        rest -= 1;
        name.insert(0, char::from(b'A' + (rest % 26) as u8));
        rest /= 26;
    }
    name
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_go_on_behind_z() {
        let names: Vec<String> = [0, 1, 25, 26, 27, 701, 702].map(super::letters).to_vec();
        assert_eq!(names, ["A", "B", "Z", "AA", "AB", "ZZ", "AAA"]);
    }
}
