//! The downloads of a schedule: in memory, or if they do not fit in a temporary file, read one after the other.

use std::borrow::Cow;
use std::io;
use std::sync::{Arc, OnceLock};

use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::model::{Kind, Slot};
use crate::capture::bytes::{Reader, put_number, put_text};
use crate::ingest::overflow::{Cursor, Overflow};

/// Downloads in the order of time.
#[derive(Debug, Clone)]
pub struct Slots(Place);

#[derive(Debug, Clone)]
enum Place {
    Memory(Vec<Slot>),
    Disk(Arc<Rows>),
}

/// Downloads of one lane or subsite, in a file that others share.
#[derive(Debug)]
struct Rows {
    entries: Arc<Overflow>,
    /// Where they begin in it, and how many there are.
    from: u64,
    count: usize,
    lane: Arc<str>,
    /// Why they could not be read to the end.
    fault: OnceLock<String>,
}

impl Slots {
    /// The downloads of a lane that [`put`] wrote, from a place on.
    pub(super) fn on_disk(entries: Arc<Overflow>, from: u64, count: usize, lane: Arc<str>) -> Self {
        Slots(Place::Disk(Arc::new(Rows { entries, from, count, lane, fault: OnceLock::new() })))
    }

    /// Number of downloads.
    pub fn len(&self) -> usize {
        match &self.0 {
            Place::Memory(slots) => slots.len(),
            Place::Disk(rows) => rows.count,
        }
    }

    /// Whether the schedule has no downloads.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn first(&self) -> Option<Cow<'_, Slot>> {
        self.iter().next()
    }

    /// One after the other. They end early where the temporary file cannot be read: [`Slots::check`] tells.
    pub fn iter(&self) -> Iter<'_> {
        Iter(match &self.0 {
            Place::Memory(slots) => Source::Memory(slots.iter()),
            Place::Disk(rows) => {
                Source::Disk { rows, cursor: rows.entries.cursor_from(rows.from), left: rows.count }
            }
        })
    }

    /// Those that are in memory: all of a short list, none of a long one.
    pub fn held(&self) -> &[Slot] {
        match &self.0 {
            Place::Memory(slots) => slots,
            Place::Disk(_) => &[],
        }
    }

    /// Whether all could be read, each time that they were.
    ///
    /// # Errors
    /// When not.
    pub fn check(&self) -> io::Result<()> {
        match &self.0 {
            Place::Disk(rows) => {
                rows.fault.get().map_or(Ok(()), |fault| Err(io::Error::other(fault.clone())))
            }
            Place::Memory(_) => Ok(()),
        }
    }
}

impl From<Vec<Slot>> for Slots {
    fn from(slots: Vec<Slot>) -> Self {
        Slots(Place::Memory(slots))
    }
}

impl<'a> IntoIterator for &'a Slots {
    type Item = Cow<'a, Slot>;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl PartialEq for Slots {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl Serialize for Slots {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.len()))?;
        for slot in self {
            list.serialize_element(&*slot)?;
        }
        self.check().map_err(serde::ser::Error::custom)?;
        list.end()
    }
}

impl<'de> Deserialize<'de> for Slots {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Slots::from)
    }
}

/// Downloads one after the other.
#[derive(Debug)]
pub struct Iter<'a>(Source<'a>);

#[derive(Debug)]
enum Source<'a> {
    Memory(std::slice::Iter<'a, Slot>),
    Disk { rows: &'a Rows, cursor: Cursor<'a>, left: usize },
}

impl<'a> Iterator for Iter<'a> {
    type Item = Cow<'a, Slot>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            Source::Memory(slots) => slots.next().map(Cow::Borrowed),
            Source::Disk { left: 0, .. } => None,
            Source::Disk { rows, cursor, left } => {
                let bytes = cursor.next().and_then(|bytes| bytes.ok_or(io::ErrorKind::UnexpectedEof.into()));
                let slot = bytes.and_then(|bytes| {
                    take(&mut Reader { rest: bytes }, &rows.lane).ok_or(io::ErrorKind::InvalidData.into())
                });
                *left -= 1;
                match slot {
                    Ok(slot) => Some(Cow::Owned(slot)),
                    Err(error) => {
                        // Only the first fault is kept.
                        let _ = rows.fault.set(error.to_string());
                        *left = 0;
                        None
                    }
                }
            }
        }
    }
}

/// Which of the values are there that may be missing.
const REVISIT: u8 = 1;
const AT: u8 = 2;
const INTERVAL: u8 = 4;
const SURVIVAL: u8 = 8;
const HOPE: u8 = 16;
const HOPEFUL: u8 = 32;
const RATE: u8 = 64;

/// Appends a download; its lane is that of the list.
pub(super) fn put(out: &mut Vec<u8>, slot: &Slot) {
    let Slot {
        url,
        kind,
        slot,
        at,
        seconds,
        lane: _,
        interval_seconds,
        survival,
        hopeful,
        weight,
        rate_per_day,
    } = slot;
    let flag = |is_there: bool, flag: u8| if is_there { flag } else { 0 };
    out.push(
        flag(*kind == Kind::Revisit, REVISIT)
            | flag(at.is_some(), AT)
            | flag(interval_seconds.is_some(), INTERVAL)
            | flag(survival.is_some(), SURVIVAL)
            | flag(hopeful.is_some(), HOPE)
            | flag(*hopeful == Some(true), HOPEFUL)
            | flag(rate_per_day.is_some(), RATE),
    );
    put_number(out, *slot);
    if let Some(at) = at {
        out.extend_from_slice(&at.0.to_le_bytes());
    }
    for value in [Some(*seconds), Some(*weight), *interval_seconds, *survival, *rate_per_day] {
        out.extend(value.into_iter().flat_map(f64::to_le_bytes));
    }
    put_text(out, url);
}

/// Reads what [`put`] wrote.
fn take(from: &mut Reader<'_>, lane: &Arc<str>) -> Option<Slot> {
    let flags = from.byte()?;
    let has = |flag: u8| flags & flag != 0;
    let slot = from.number()?;
    let at = if has(AT) { Some(from.time()?) } else { None };
    let mut value = |is_there: bool| -> Option<Option<f64>> {
        if is_there { from.word().map(|bits| Some(f64::from_bits(bits))) } else { Some(None) }
    };
    let (seconds, weight) = (value(true)??, value(true)??);
    let (interval_seconds, survival, rate_per_day) =
        (value(has(INTERVAL))?, value(has(SURVIVAL))?, value(has(RATE))?);
    Some(Slot {
        url: from.str()?.into(),
        kind: if has(REVISIT) { Kind::Revisit } else { Kind::Visit },
        slot,
        at,
        seconds,
        lane: lane.clone(),
        interval_seconds,
        survival,
        hopeful: has(HOPE).then(|| has(HOPEFUL)),
        weight,
        rate_per_day,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Instant;

    fn slots() -> Vec<Slot> {
        let slot = |number: u64| Slot {
            url: format!("http://a.example/{}", "é".repeat(number as usize)).into(),
            kind: if number.is_multiple_of(2) { Kind::Visit } else { Kind::Revisit },
            slot: number << 30,
            at: number.is_multiple_of(3).then_some(Instant(-7)),
            seconds: 0.1 * number as f64,
            lane: "a.example".into(),
            interval_seconds: (!number.is_multiple_of(4)).then_some(2.5),
            survival: (!number.is_multiple_of(5)).then_some(1.0 / 3.0),
            hopeful: [None, Some(true), Some(false)][number as usize % 3],
            weight: 1e-300,
            rate_per_day: (!number.is_multiple_of(7)).then_some(f64::MIN_POSITIVE),
        };
        (0..60).map(slot).collect()
    }

    #[test]
    fn downloads_on_disk_are_those_that_were_put_there() {
        let (first, second) = (slots(), slots().split_off(20));
        let mut entries = Overflow::new(0);
        let mut places = Vec::new();
        for list in [&first, &second] {
            places.push(entries.place());
            list.iter().for_each(|slot| entries.push(|out| put(out, slot)).unwrap());
        }
        let entries = Arc::new(entries);
        for (list, place) in [&first, &second].into_iter().zip(places) {
            let read = Slots::on_disk(entries.clone(), place, list.len(), "a.example".into());
            assert!(read == Slots::from(list.clone()) && read.held().is_empty());
            assert_eq!(serde_json::to_string(&read).unwrap(), serde_json::to_string(list).unwrap());
            read.check().unwrap();
        }
        // What cannot be read is an error, not an end.
        let beyond = Slots::on_disk(entries.clone(), entries.place(), 1, "a.example".into());
        assert!(beyond.iter().next().is_none() && beyond.check().is_err());
        assert!(serde_json::to_string(&beyond).is_err());
    }
}
