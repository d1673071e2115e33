//! Observations on disk, sorted by canonical key and grouped into shelves. An audit that exceeds memory reads one shelf
//! (a site) at a time.
//!
//! All observations of a key lie in one block; a block belongs to one shelf. Blocks are in the order of their keys, so that
//! the observations of any key are found with one read.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use super::codec::{Names, decode, encode, input_of, key_of};
use super::shared_texts::{Gathering, SharedTexts};
use super::sorter::Sorter;
use super::spool::Spool;
use crate::archive::temporary;
use crate::capture::shared::Shared;
use crate::capture::table::{Table, TableBuilder};
use crate::url::Canon;

/// A block is closed at this size.
const BLOCK: usize = 64 << 10;
/// Encoded observations that are made into a table together while shelves are filled.
const CHUNK: usize = 8 << 20;

/// Decides on which shelf each page of a table belongs.
pub(crate) type Place<'a> = dyn FnMut(&Table) -> io::Result<Vec<u32>> + 'a;

/// Observations on disk, with an index of their blocks.
pub(crate) struct Shelf {
    file: File,
    names: Names,
    blocks: Vec<Block>,
    /// The blocks of each shelf.
    shelves: BTreeMap<u32, Vec<u32>>,
    shared: Option<SharedTexts>,
}

struct Block {
    offset: u64,
    length: usize,
    /// The first key in it.
    first: Box<[u8]>,
}

impl Shelf {
    /// Sorts observations with about `memory` bytes. `counted` receives the input of each; `place` receives all pages, a few
    /// at a time, in the order of their keys.
    pub(crate) fn fill(
        spool: Spool,
        canon: Canon,
        memory: usize,
        counted: &mut dyn FnMut(u32),
        place: &mut Place<'_>,
    ) -> io::Result<Self> {
        let mut sorter = Sorter::new(memory);
        let (mut again, mut key) = (Vec::new(), String::new());
        let mut added = Names::default();
        let names = spool.drain(&mut |bytes, names| {
            counted(input_of(bytes).ok_or(io::ErrorKind::InvalidData)?);
            if canon == Canon::Default {
                return sorter.push(key_of(bytes).ok_or(io::ErrorKind::InvalidData)?, bytes);
            }
            let (mut observation, input) = decode(bytes, names).ok_or(io::ErrorKind::InvalidData)?;
            canon.key_into(&observation.url, &mut key);
            observation.key.clone_from(&key);
            again.clear();
            encode(&observation, input, &mut added, &mut again);
            sorter.push(key.as_bytes(), &again)
        })?;
        let names = if canon == Canon::Default { names } else { added };
        let mut filling = Filling {
            shelf: Shelf {
                file: temporary::file()?,
                names,
                blocks: Vec::new(),
                shelves: BTreeMap::new(),
                shared: None,
            },
            gathering: Gathering::new(memory / 2),
            chunk: Vec::new(),
            keys: Vec::new(),
            open: None,
            end: 0,
        };
        sorter.finish(&mut |key, bytes| filling.add(key, bytes, place))?;
        filling.finish(place)
    }

    /// The table of some shelves, with captures of other shelves: those of the keys `wanted`, and what else is needed: `more`
    /// receives the table so far and returns the keys that are missing, until it asks for nothing new.
    pub(crate) fn table(
        &self,
        shelves: &[u32],
        wanted: &BTreeSet<Vec<u8>>,
        more: &mut dyn FnMut(&Table) -> Vec<Vec<u8>>,
    ) -> io::Result<Table> {
        let own: BTreeSet<u32> =
            shelves.iter().filter_map(|shelf| self.shelves.get(shelf)).flatten().copied().collect();
        let mut wanted = wanted.clone();
        loop {
            let mut builder = TableBuilder::new();
            let mut bytes = Vec::new();
            for block in &own {
                self.pour(*block, &mut bytes, &mut |_| true, &mut builder)?;
            }
            let mut foreign: BTreeMap<u32, BTreeSet<&[u8]>> = BTreeMap::new();
            for key in &wanted {
                if let Some(block) = self.block_of(key).filter(|block| !own.contains(block)) {
                    foreign.entry(block).or_default().insert(key);
                }
            }
            for (block, keys) in &foreign {
                self.pour(*block, &mut bytes, &mut |key| keys.contains(key), &mut builder)?;
            }
            let table = builder.finish_with(&mut |body| {
                self.shared.as_ref().map_or(Ok(Shared::default()), |shared| shared.of(body))
            })?;
            let elsewhere = |key: &[u8]| self.block_of(key).is_some_and(|block| !own.contains(&block));
            let mut is_new = false;
            for key in more(&table) {
                is_new |= elsewhere(&key) && wanted.insert(key);
            }
            if !is_new {
                return Ok(table);
            }
        }
    }

    /// The observations of a shelf, as tables of a few pages each, in the order of their keys.
    pub(crate) fn for_each_part(
        &self,
        shelf: u32,
        visit: &mut dyn FnMut(&Table) -> io::Result<()>,
    ) -> io::Result<()> {
        let share =
            &mut |body: &_| self.shared.as_ref().map_or(Ok(Shared::default()), |shared| shared.of(body));
        let (mut builder, mut size, mut bytes) = (TableBuilder::new(), 0, Vec::new());
        for block in self.shelves.get(&shelf).into_iter().flatten() {
            size += self.pour(*block, &mut bytes, &mut |_| true, &mut builder)?;
            if size >= CHUNK {
                visit(&std::mem::take(&mut builder).finish_with(share)?)?;
                size = 0;
            }
        }
        if builder.is_empty() { Ok(()) } else { visit(&builder.finish_with(share)?) }
    }

    /// All observations, as tables of a few pages each, in the order of their keys. The tables share nothing.
    pub(crate) fn for_each_table(&self, visit: &mut dyn FnMut(&Table) -> io::Result<()>) -> io::Result<()> {
        let (mut builder, mut size, mut bytes) = (TableBuilder::new(), 0, Vec::new());
        for block in 0..self.blocks.len() as u32 {
            size += self.pour(block, &mut bytes, &mut |_| true, &mut builder)?;
            if size >= CHUNK {
                visit(&std::mem::take(&mut builder).finish_with(&mut |_| Ok(Shared::default()))?)?;
                size = 0;
            }
        }
        visit(&builder.finish_with(&mut |_| Ok(Shared::default()))?)
    }

    /// Whether some shelves hold a key, if any does.
    pub(crate) fn holds(&self, shelves: &[u32], key: &[u8]) -> bool {
        let block = self.block_of(key);
        let is_of = |shelf: &u32| {
            let blocks = self.shelves.get(shelf);
            blocks.is_some_and(|blocks| block.is_some_and(|block| blocks.binary_search(&block).is_ok()))
        };
        shelves.iter().any(is_of)
    }

    fn block_of(&self, key: &[u8]) -> Option<u32> {
        self.blocks.partition_point(|block| *block.first <= *key).checked_sub(1).map(|block| block as u32)
    }

    /// Adds what a block holds; gives its size.
    fn pour(
        &self,
        block: u32,
        bytes: &mut Vec<u8>,
        takes: &mut dyn FnMut(&[u8]) -> bool,
        builder: &mut TableBuilder,
    ) -> io::Result<usize> {
        let Some(Block { offset, length, .. }) = self.blocks.get(block as usize) else { return Ok(0) };
        bytes.resize(*length, 0);
        self.file.read_exact_at(bytes, *offset)?;
        for encoded in super::spool::encoded(bytes) {
            if takes(key_of(encoded).ok_or(io::ErrorKind::InvalidData)?) {
                let (observation, input) = decode(encoded, &self.names).ok_or(io::ErrorKind::InvalidData)?;
                builder.push(&observation, input);
            }
        }
        Ok(*length)
    }
}

/// A shelf that is being filled.
struct Filling {
    shelf: Shelf,
    gathering: Gathering,
    /// Observations that wait for their place, each behind its length.
    chunk: Vec<u8>,
    /// The keys in the chunk, and where their observations lie.
    keys: Vec<(Vec<u8>, Range<usize>)>,
    /// The block that is being filled: its shelf and its bytes.
    open: Option<(u32, Vec<u8>, Box<[u8]>)>,
    end: u64,
}

impl Filling {
    fn add(&mut self, key: &[u8], bytes: &[u8], place: &mut Place<'_>) -> io::Result<()> {
        let is_new = self.keys.last().is_none_or(|(last, _)| last != key);
        if is_new {
            if self.chunk.len() >= CHUNK {
                self.settle(place)?;
            }
            self.keys.push((key.to_vec(), self.chunk.len()..self.chunk.len()));
        }
        self.chunk.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        self.chunk.extend_from_slice(bytes);
        if let Some((_, range)) = self.keys.last_mut() {
            range.end = self.chunk.len();
        }
        Ok(())
    }

    /// Puts the chunk on its shelves.
    fn settle(&mut self, place: &mut Place<'_>) -> io::Result<()> {
        let mut builder = TableBuilder::new();
        for encoded in super::spool::encoded(&self.chunk) {
            let (observation, input) =
                decode(encoded, &self.shelf.names).ok_or(io::ErrorKind::InvalidData)?;
            builder.push(&observation, input);
        }
        let table = builder.finish_with(&mut |_| Ok(Shared::default()))?;
        self.gathering.add(&table)?;
        let shelves = place(&table)?;
        let mut pages = table.pages().iter().zip(shelves).peekable();
        let (chunk, keys) = (std::mem::take(&mut self.chunk), std::mem::take(&mut self.keys));
        for (key, range) in keys {
            // A key without a page has only observations that enter no table.
            let Some((_, shelf)) = pages.next_if(|(page, _)| table.text(page.key).as_bytes() == key) else {
                continue;
            };
            self.put(shelf, key, &chunk[range])?;
        }
        self.chunk = chunk;
        self.chunk.clear();
        Ok(())
    }

    fn put(&mut self, shelf: u32, key: Vec<u8>, bytes: &[u8]) -> io::Result<()> {
        if self.open.as_ref().is_some_and(|(open, held, _)| *open != shelf || held.len() >= BLOCK) {
            self.close()?;
        }
        let (_, held, _) = self.open.get_or_insert_with(|| (shelf, Vec::new(), key.into()));
        held.extend_from_slice(bytes);
        Ok(())
    }

    fn close(&mut self) -> io::Result<()> {
        let Some((shelf, bytes, first)) = self.open.take() else { return Ok(()) };
        temporary::named(self.shelf.file.write_all_at(&bytes, self.end))?;
        self.shelf.shelves.entry(shelf).or_default().push(self.shelf.blocks.len() as u32);
        self.shelf.blocks.push(Block { offset: self.end, length: bytes.len(), first });
        self.end += bytes.len() as u64;
        Ok(())
    }

    fn finish(mut self, place: &mut Place<'_>) -> io::Result<Shelf> {
        self.settle(place)?;
        self.close()?;
        Ok(Shelf { shared: self.gathering.finish()?, ..self.shelf })
    }
}
