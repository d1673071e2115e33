//! All records of several collections in one: each once, payloads that are stored already as revisits.
//!
//! A response becomes a revisit only where its stored payload, its codings and its declared payload digest all equal those of a response before it;
//! so a replay gives the same bytes. What contradicts its own digest stays as it is. One that a revisit refers to keeps its payload. A record that occurs twice, byte for byte, is written once. Records of ARC become records of WARC. Everything
//! else is copied as it is, and read no further than its head unless its head or its digest occurs twice. Originals come before revisits
//! that refer to them (see [`super::order`]).

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::body::{identity, payload};
use super::copy::{Action, Item, Plan};
use super::heads::{Head, Heads, hash_of_capture, hash_of_id};
use super::order::Order;
use super::revisit::Original;
use super::source::Opened;
use crate::archive::members::Depth;
use crate::archive::sniff::Compression;

/// What was found in all files.
#[derive(Debug, Default)]
pub(crate) struct Merge {
    pub files: Vec<Opened>,
    /// Records whose end is unknown, and stretches of bytes that are not a record: they cannot be copied.
    pub damaged: u64,
    /// The number of the file that has the first of them, and the place there, among the unpacked bytes where it had to be unpacked.
    pub first_damage: Option<(usize, u64)>,
    /// The newest date of a record, as written.
    pub newest: Option<String>,
    /// The records of every file.
    records: Vec<Vec<Head>>,
    /// Hashes of the ids that revisits refer to: those records keep their payloads.
    referred: HashSet<u128>,
    keep: bool,
    /// Records are written in members of their own.
    is_gzip: bool,
}

/// What is written, and what is not.
#[derive(Debug, Default)]
pub(crate) struct Merged {
    pub items: Vec<Item>,
    /// Records left out because they are there already.
    pub twice: u64,
    /// Responses that become revisits.
    pub revisits: u64,
    /// Records whose length was wrong or missing, or that end early.
    pub mended: u64,
    /// Records, by file and offset, behind which bytes are left that are not a record and cannot be copied.
    pub tails: Vec<(usize, u64)>,
}

impl Merge {
    /// Nothing yet; `keep`: payloads stay where they are; `is_gzip`: records are written in members of their own.
    pub(crate) fn new(keep: bool, is_gzip: bool) -> Self {
        Merge { keep, is_gzip, ..Merge::default() }
    }

    /// Adds the records of a file. Heads are enough: only those records are read whole that may be equal to others.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub(crate) fn add(&mut self, mut source: Opened) -> io::Result<()> {
        let mut heads = Heads::read(&source, Depth::Heads)?;
        if heads.is_odd && source.compression == Compression::Gzip {
            heads = Heads::read(&source, Depth::Blocks)?;
        }
        if heads.is_shared || source.compression == Compression::Zstd {
            match source.unpack() {
                Ok(unpacked) => {
                    source = unpacked;
                    heads = Heads::read(&source, Depth::Blocks)?;
                }
                // Damaged: what stands in members of its own is copied all the same, the others as far as they go.
                Err(_) if source.compression == Compression::Gzip && heads.stand_alone() => {
                    heads.take_broken(source.blob.len());
                }
                Err(_) => {
                    source = source.unpack_so_far()?;
                    heads = Heads::read(&source, Depth::Blocks)?;
                    // What comes behind the damage is lost.
                    heads.damaged += u64::from(heads.records.iter().all(|head| head.mend.is_none()));
                }
            }
        }
        heads.count_lost_members();
        self.damaged += heads.damaged;
        let first = heads.first_damage.filter(|_| heads.damaged > 0).map(|offset| (self.files.len(), offset));
        self.first_damage = self.first_damage.or(first);
        self.referred.extend(heads.referred);
        self.newest = self.newest.take().max(heads.newest);
        self.files.push(source);
        self.records.push(heads.records);
        Ok(())
    }

    /// Decides what becomes of every record, in order.
    ///
    /// # Errors
    /// Where a record cannot be read again.
    pub(crate) fn merged(&mut self) -> io::Result<Merged> {
        let records = || self.records.iter().flatten();
        let heads = twice(records().map(|record| record.head).collect());
        let digests = if self.keep {
            HashSet::new()
        } else {
            twice(records().filter_map(|record| record.digest).collect())
        };
        let mut out = Merged::default();
        let mut seen: HashSet<(u128, [u8; 32])> = HashSet::new();
        let mut payloads: HashMap<[u8; 32], Original> = HashMap::new();
        let files = std::mem::take(&mut self.records);
        let order = Order::of(&files);
        for (file, record) in order.records(&files) {
            let Head { offset, length, head, digest, is_arc, lacks_length, mend, .. } = record;
            let may_be_twice = heads.contains(&head);
            let may_be_stored =
                !is_arc && mend.is_none() && digest.is_some_and(|digest| digests.contains(&digest));
            let mut action = Action::of(is_arc, mend);
            // The line of an ARC record is always written anew; without its length the end of the block is a guess.
            let source = &self.files[file];
            if may_be_twice && !seen.insert((head, identity(source, offset, length)?)) {
                out.twice += 1;
                continue;
            }
            let is_mended = mend.is_some() || (record.needs_member && !self.is_gzip);
            out.mended += u64::from(if is_arc { lacks_length } else { is_mended });
            if record.has_tail && (is_arc || !self.is_gzip) {
                out.tails.push((file, offset));
            }
            let stored = if may_be_stored { payload(source, offset, length)? } else { None };
            if let Some((payload, name)) = stored {
                let is_referred = name.as_ref().is_some_and(|name| {
                    let hashes = [hash_of_id(&name.id), hash_of_capture(&name.url, &name.date)];
                    hashes.iter().any(|hash| self.referred.contains(hash))
                });
                match payloads.get(&payload) {
                    Some(_) if is_referred => {}
                    Some(original) => {
                        out.revisits += 1;
                        action = Action::Revisit(Box::new(original.clone()));
                    }
                    None => payloads.extend(name.map(|name| (payload, name))),
                }
            }
            out.items.push(Item { file, offset, length, action });
        }
        Ok(out)
    }
}

/// What occurs more than once.
fn twice<T: Ord + Copy + std::hash::Hash>(mut values: Vec<T>) -> HashSet<T> {
    values.sort_unstable();
    values.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect()
}

/// Copies all records of some files, and says how long the copying alone took.
///
/// # Errors
/// Where a file cannot be read, or the target not be written.
pub fn copied(files: &[PathBuf], target: &Path) -> io::Result<Duration> {
    let mut merge = Merge::new(true, true);
    for file in files {
        merge.add(Opened::new(&file.to_string_lossy())?)?;
    }
    let items = merge.merged()?.items;
    let plan = Plan { files: merge.files, names: Vec::new(), warcinfo: Vec::new(), items, is_gzip: true };
    let started = Instant::now();
    plan.write(target)?;
    Ok(started.elapsed())
}
