//! Truncated captures that begin differently from the page: they show no version, but may prove that another one was online.
//!
//! That matters only between two captures with one body, and beside a whole copy of the same record, which is rare; then both bodies
//! are read and compared. Where they cannot be read again, it stays with what was found when they were (a table of their archive says
//! so), or the capture is taken for unlike: nobody compared it. A copy is not: it would contradict the record. What a table says of
//! other neighbours than those that the capture has among all that is read does not count.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use super::codec::decode;
use super::fetch::{Fetcher, Sought};
use super::spool::Spool;
use crate::capture::{Kind, Observation};
use crate::digest::BodyDigest;
use crate::time::Instant;
use crate::url::as_written;

/// Maximum number of captures cut short that are examined.
const MAX_CUT_CAPTURES: usize = 1 << 18;
/// Maximum bytes searched for bodies that share a compressed member.
const MAX_SEARCHED: u64 = 8 << 30;

/// The place of a record.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Place {
    file: Arc<str>,
    offset: u64,
    id: Option<String>,
}

impl Place {
    fn of(observation: &Observation) -> Option<Self> {
        let Observation { file, offset, record_id, .. } = observation;
        Some(Place { file: Arc::clone(file), offset: (*offset)?, id: record_id.clone() })
    }

    /// Of the record that holds the body.
    fn of_body(observation: &Observation) -> Option<Self> {
        match (&observation.refers_to, observation.kind) {
            (Some(refers), Kind::Revisit) => {
                Some(Place { file: Arc::clone(refers.file.as_ref()?), offset: refers.offset?, id: None })
            }
            _ => Place::of(observation),
        }
    }

    fn sought(&self) -> Sought<'_> {
        Sought { file: &self.file, offset: self.offset, length: None, id: self.id.as_deref(), declared: None }
    }
}

/// A cut capture, and what stands around it.
struct Cut {
    place: Place,
    holder: Place,
    /// What a table says of it.
    told: Option<bool>,
    time: Instant,
    around: Around,
    /// Those of the same archive: when its table was made, nothing else was known.
    of_archive: Around,
}

/// The bodies of the nearest whole captures.
#[derive(Default)]
struct Around {
    before: Option<(Instant, BodyDigest)>,
    after: Option<(Instant, BodyDigest)>,
    /// The body of a whole copy of the record.
    copy: Option<BodyDigest>,
}

impl Around {
    /// Adds a whole capture.
    fn add(&mut self, body: BodyDigest, time: Instant, at: Instant, is_copy: bool) {
        if is_copy {
            // Of several copies that differ, the same one in any order.
            self.copy = Some(self.copy.map_or(body, |other| if body.0 < other.0 { body } else { other }));
        }
        if time <= at && self.before.is_none_or(|(other, _)| other < time) {
            self.before = Some((time, body));
        }
        if time >= at && self.after.is_none_or(|(other, _)| other > time) {
            self.after = Some((time, body));
        }
    }

    /// The body of its copy, or the one that stands both before and after it.
    fn between(&self) -> Option<BodyDigest> {
        if self.copy.is_some() {
            return self.copy;
        }
        let (before, after) = (self.before?.1, self.after?.1);
        (before == after).then_some(before)
    }
}

/// The archive that holds a file: that file, or its package.
fn archive_of(file: &str) -> &str {
    file.split('#').next().unwrap_or(file)
}

/// Marks the cut captures between two equal ones whose bytes are not the first ones of that body.
pub(crate) fn mark(spool: Spool) -> io::Result<Spool> {
    let mut cuts: HashMap<String, Vec<Cut>> = HashMap::new();
    let mut found = 0;
    spool.for_each(&mut |observation, _| {
        // A response by which the server refused the page is unlike it by nature.
        let is_page = matches!(observation.status, Some(200) | None) || observation.kind == Kind::Revisit;
        let is_cut = observation.truncated.is_some() && observation.kind != Kind::Index && is_page;
        let places = Place::of(observation).zip(Place::of_body(observation)).filter(|_| is_cut);
        if let (Some((place, holder)), Some(time)) = (places, observation.time)
            && found < MAX_CUT_CAPTURES
        {
            found += 1;
            let (told, around, of_archive) = (observation.strays, Around::default(), Around::default());
            let cut = Cut { place, holder, told, time, around, of_archive };
            cuts.entry(as_written(&observation.url)).or_default().push(cut);
        }
        Ok(())
    })?;
    if cuts.is_empty() {
        return Ok(spool);
    }
    let mut holders: HashMap<BodyDigest, Place> = HashMap::new();
    spool.for_each(&mut |observation, _| {
        let (Some(body), Some(time)) = (observation.body, observation.time) else { return Ok(()) };
        let is_whole = observation.truncated.is_none() && observation.kind != Kind::Index;
        let Some(cuts) = cuts.get_mut(&as_written(&observation.url)).filter(|_| is_whole) else {
            return Ok(());
        };
        if let Some(place) = Place::of_body(observation) {
            holders.entry(body).or_insert(place);
        }
        for cut in cuts {
            let is_copy = time == cut.time && cut.place.id.is_some() && cut.place.id == observation.record_id;
            cut.around.add(body, time, cut.time, is_copy);
            if archive_of(&cut.place.file) == archive_of(&observation.file) {
                cut.of_archive.add(body, time, cut.time, is_copy);
            }
        }
        Ok(())
    })?;
    let mut comparer = Comparer { fetcher: Fetcher::default(), budget: MAX_SEARCHED, held: None };
    let mut strays: HashMap<Place, Option<bool>> = HashMap::new();
    for cut in cuts.into_values().flatten() {
        let is_stray = cut.around.between().map(|body| {
            let holder = holders.get(&body);
            let compared = holder.and_then(|holder| comparer.begins_like(&cut.holder, holder, body));
            let told = cut.told.filter(|_| cut.of_archive.between() == Some(body));
            compared.map(|alike| !alike).or(told).unwrap_or(cut.around.copy.is_none())
        });
        if cut.told != is_stray {
            strays.insert(cut.place, is_stray);
        }
    }
    if strays.is_empty() {
        return Ok(spool);
    }
    let mut marked = Spool::new(spool.limit());
    spool.drain(&mut |bytes, names| {
        let (mut observation, input) = decode(bytes, names).ok_or(io::ErrorKind::InvalidData)?;
        if observation.truncated.is_some() {
            let found = Place::of(&observation).and_then(|place| strays.get(&place).copied());
            observation.strays = found.unwrap_or(observation.strays);
        }
        marked.push(&observation, input)
    })?;
    Ok(marked)
}

struct Comparer {
    fetcher: Fetcher,
    budget: u64,
    /// The last body that was read.
    held: Option<(BodyDigest, Vec<u8>)>,
}

impl Comparer {
    /// Whether the bytes of a cut capture are the first ones of a body; `None` where one of them cannot be read.
    fn begins_like(&mut self, cut: &Place, holder: &Place, body: BodyDigest) -> Option<bool> {
        let start = self.fetcher.body_so_far(&cut.sought()).ok()??;
        if self.held.as_ref().is_none_or(|(held, _)| *held != body) {
            let found = self.fetcher.body_with(&holder.sought(), body, &mut self.budget).ok()?.ok()?;
            self.held = Some((body, found.bytes));
        }
        self.held.as_ref().map(|(_, bytes)| bytes.starts_with(&start))
    }
}
