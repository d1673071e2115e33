//! Names for the records of a report: A, B, …, Z, AA, AB, …; a record has one name, however often it is relied on.

use std::collections::HashMap;
use std::io;

use crate::at::model::{PageAt, Witness};
use crate::at::page_list::PageList;
use crate::at::phrase_model::PhraseAt;
use crate::ingest::sorter::Sorter;
use crate::time::Instant;

/// What names a record until it has its label: one place may hold several records.
pub(super) fn place(file: &str, offset: Option<u64>, id: Option<&str>, date: Instant) -> String {
    format!("{file}\n{offset:?}\n{id:?}\n{}", date.0)
}

/// Names records in the order in which they are met, however many there are: their places are sorted on disk, and come back
/// with the slot in which each was met first.
pub(super) struct Namer {
    places: Sorter,
    /// The number of the next slot.
    next: u64,
}

/// The two kinds of slots.
const RECORD: u8 = 0;
const MENTION: u8 = 1;

impl Namer {
    pub(super) fn new(memory: usize) -> Self {
        Namer { places: Sorter::new(memory), next: 0 }
    }

    /// A record, which gets a name if it has none yet; gives its slot.
    pub(super) fn record(&mut self, place: &str) -> io::Result<u64> {
        self.push(place, RECORD)?;
        Ok(self.next - 1)
    }

    /// A place where a record is mentioned; it gets the name that the record has by then.
    pub(super) fn mention(&mut self, place: &str) -> io::Result<()> {
        self.push(place, MENTION)
    }

    fn push(&mut self, place: &str, kind: u8) -> io::Result<()> {
        let mut value = [kind; 9];
        value[..8].copy_from_slice(&self.next.to_be_bytes());
        self.next += 1;
        self.places.push(place.as_bytes(), &value)
    }

    /// Gives every slot, in any order, with what [`Names::label`] takes.
    pub(super) fn finish(self, each: &mut dyn FnMut(u64, &[u8]) -> io::Result<()>) -> io::Result<()> {
        let (mut current, mut slots): (Vec<u8>, Vec<(u64, u8)>) = (Vec::new(), Vec::new());
        let mut close = |slots: &mut Vec<(u64, u8)>| {
            let first = slots.iter().find(|(_, kind)| *kind == RECORD).map(|(slot, _)| *slot);
            let uses =
                slots.iter().filter(|(slot, _)| first.is_some_and(|first| first < *slot)).count() as u64;
            for (slot, _) in slots.drain(..) {
                match first.filter(|first| *first <= slot) {
                    Some(first) => each(slot, &[first.to_be_bytes(), uses.to_be_bytes()].concat())?,
                    None => each(slot, &[])?,
                }
            }
            io::Result::Ok(())
        };
        self.places.finish(&mut |place, value| {
            if place != current {
                close(&mut slots)?;
                current.clear();
                current.extend_from_slice(place);
            }
            let (slot, kind) = value.split_first_chunk::<8>().ok_or(io::ErrorKind::InvalidData)?;
            slots.push((u64::from_be_bytes(*slot), kind.first().copied().unwrap_or(MENTION)));
            Ok(())
        })?;
        close(&mut slots)
    }
}

/// The names of records that are still to be met again.
#[derive(Default)]
pub(super) struct Names {
    /// How many records have a name.
    count: usize,
    /// By their first slot: the number, and how often it is still needed.
    open: HashMap<u64, (usize, u64)>,
}

impl Names {
    /// The name in a slot; slots come in their order.
    pub(super) fn label(&mut self, slot: u64, value: &[u8]) -> io::Result<Option<String>> {
        let Some((first, uses)) = value.split_first_chunk::<8>() else { return Ok(None) };
        let first = u64::from_be_bytes(*first);
        let uses = u64::from_be_bytes(uses.try_into().map_err(io::Error::other)?);
        if first == slot {
            let number = self.count;
            self.count += 1;
            if uses > 0 {
                self.open.insert(slot, (number, uses));
            }
            return Ok(Some(letters(number)));
        }
        let Some((number, left)) = self.open.get_mut(&first) else { return Ok(None) };
        let name = letters(*number);
        *left -= 1;
        if *left == 0 {
            self.open.remove(&first);
        }
        Ok(Some(name))
    }
}

/// Gives quotations the names of the records that they come from, which they have by their ids: one place may hold
/// several records.
pub(super) fn quotes(pages: &PageList, phrases: &mut [PhraseAt]) {
    type Source = (String, Option<u64>, String);
    fn places(phrases: &mut [PhraseAt]) -> impl Iterator<Item = (&str, Option<u64>, &mut String)> {
        phrases.iter_mut().flat_map(|phrase| {
            let quotes = phrase.quotes.iter_mut();
            let quotes = quotes.map(|quote| (quote.file.as_str(), quote.offset, &mut quote.record));
            let nearly = phrase.nearly.iter_mut();
            quotes.chain(nearly.map(|near| (near.file.as_str(), near.offset, &mut near.record)))
        })
    }
    let mut names: HashMap<Source, Option<String>> =
        places(phrases).map(|(file, offset, id)| ((file.to_owned(), offset, id.clone()), None)).collect();
    if names.is_empty() {
        return;
    }
    for page in pages {
        for record in &page.witnesses {
            let id = record.record_id.clone().unwrap_or_default();
            if let Some(name) = names.get_mut(&(record.file.clone(), record.offset, id)) {
                name.get_or_insert_with(|| record.label.clone());
            }
        }
    }
    for (file, offset, record) in places(phrases) {
        let source = (file.to_owned(), offset, std::mem::take(record));
        *record = names.get(&source).cloned().flatten().unwrap_or_default();
    }
}

/// The record that has a name.
pub(crate) fn named<'a>(page: &'a PageAt, label: Option<&String>) -> Option<&'a Witness> {
    page.witnesses.iter().find(|record| Some(&record.label) == label)
}

/// 0 is A, 25 is Z, 26 is AA.
fn letters(number: usize) -> String {
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
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_record_has_one_name_and_a_mention_only_one_that_was_given_before() {
        let met =
            [("c", true), ("x", false), ("a", true), ("c", false), ("c", true), ("x", true), ("x", false)];
        for memory in [0, 1 << 20] {
            let mut namer = Namer::new(memory);
            for (place, is_record) in met {
                if is_record { namer.record(place).map(|_| ()) } else { namer.mention(place) }.unwrap();
            }
            let mut slots = BTreeMap::new();
            let each = &mut |slot, value: &[u8]| {
                slots.insert(slot, value.to_vec());
                Ok(())
            };
            namer.finish(each).unwrap();
            let mut names = Names::default();
            let found: Vec<Option<String>> =
                slots.iter().map(|(slot, value)| names.label(*slot, value).unwrap()).collect();
            let expected = ["A", "", "B", "A", "A", "C", "C"];
            assert_eq!(found, expected.map(|name| (!name.is_empty()).then(|| name.to_owned())));
            assert!(names.open.is_empty());
        }
    }

    #[test]
    fn names_go_on_behind_z() {
        let names: Vec<String> = [0, 1, 25, 26, 27, 701, 702].map(super::letters).to_vec();
        assert_eq!(names, ["A", "B", "Z", "AA", "AB", "ZZ", "AAA"]);
    }
}
