//! A unit of work: a file, or a part of one, that a thread can read on its own.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

use super::assemble::{Assembler, Batch, Digests, Item};
use super::index_line::IndexObserver;
use super::scan::Wanted;
use crate::archive::blob::Blob;
use crate::archive::cdx::{IndexItem, IndexReader};
use crate::archive::gzip::Inflater;
use crate::archive::members::{self, Depth, Members, Tools};
use crate::archive::sniff::Compression;
use crate::archive::source::base_name;
use crate::capture::{Contradiction, Observation, Witness};
use crate::ingest::page_cache::PageCache;
use crate::problem::{Level, Problem};
use crate::url::Canon;

/// What is to be read, and how.
#[derive(Debug, Clone)]
pub struct Unit {
    /// The bytes.
    pub blob: Blob,
    /// The file, as reports name it.
    pub file: Arc<str>,
    /// How they are read.
    pub work: Work,
}

/// The ways of reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// The gzip members that start in `from..until`. With `find`, `from` need not be the start of one.
    Gzip {
        /// Where to start.
        from: u64,
        /// Where to stop.
        until: u64,
        /// Whether the first member has to be looked for.
        find: bool,
    },
    /// Zstd frames.
    Zstd,
    /// Plain records.
    Plain,
    /// Lines of an index.
    Index(Compression),
    /// Lines of the index of a package, which bear witness to its records and are not captures.
    Witnesses(Compression),
    /// Observations as JSON lines.
    Observations(Compression),
    /// Observations as Parquet.
    #[cfg(feature = "parquet")]
    Parquet,
}

/// What is done with records.
#[derive(Debug, Clone, Copy, Default)]
pub struct How {
    /// Whether digests are recomputed.
    pub digests: Digests,
    /// What is read out of bodies.
    pub wanted: Wanted,
}

/// Receives what is found while a unit is read.
#[derive(Debug)]
pub enum Message {
    /// Where its first member starts, if any does.
    Start(Option<u64>),
    /// Some of what it holds.
    Batch(Batch),
    /// Where the first member behind it starts.
    End(u64),
    /// Reading failed.
    Failed(io::Error),
}

/// The tools of one thread.
#[derive(Default)]
pub struct Workbench {
    tools: Tools,
    inflater: Inflater,
    seen: Arc<PageCache>,
}

impl Workbench {
    /// The tools of a thread that shares what it found in pages.
    pub fn sharing(seen: Arc<PageCache>) -> Self {
        Workbench { seen, ..Workbench::default() }
    }
}

/// Longest line of observations that is read.
/// The entries of the longest sitemap are two thirds of it.
const LINE_LIMIT: u64 = 64 << 20;

/// Makes a line of the index of a package a witness to a record of that package.
fn bear_witness(observation: &mut Observation, index: &Arc<str>, offset: u64) {
    let package = index.rsplit_once('#').map_or("", |(package, _)| package);
    observation.file = format!("{package}#archive/{}", base_name(&observation.file)).into();
    observation.contradicts =
        Some(Contradiction { witness: Witness::Index, file: index.clone(), offset: Some(offset) });
}

impl Unit {
    /// Reads the unit.
    pub fn run(&self, how: How, bench: &mut Workbench, emit: &mut dyn FnMut(Message)) {
        let end = match self.work {
            Work::Gzip { from, until, find } => self.gzip(from, until, find, how, bench, emit),
            Work::Zstd => self.records(how, bench, emit, |blob, tools, assembler| {
                members::walk_zstd(blob, tools, assembler)
            }),
            Work::Plain => self.records(how, bench, emit, |blob, tools, assembler| {
                members::walk_plain(blob, tools, assembler);
                Ok(())
            }),
            Work::Index(compression) => self.index(compression, false, emit),
            Work::Witnesses(compression) => self.index(compression, true, emit),
            Work::Observations(compression) => self.observations(compression, emit),
            #[cfg(feature = "parquet")]
            Work::Parquet => self.parquet(emit),
        };
        match end {
            Ok(end) => emit(Message::End(end)),
            Err(error) => emit(Message::Failed(error)),
        }
    }

    fn gzip(
        &self,
        from: u64,
        until: u64,
        find: bool,
        how: How,
        bench: &mut Workbench,
        emit: &mut dyn FnMut(Message),
    ) -> io::Result<u64> {
        let Workbench { tools, inflater, seen } = bench;
        let mut members = Members::new(&self.blob, from, until, tools);
        let start = if find { members.find()? } else { Some(from) };
        let start = start.filter(|start| *start < until);
        emit(Message::Start(start));
        let Some(start) = start else { return Ok(from) };
        let depth = match how.digests {
            Digests::Verify => Depth::Blocks,
            Digests::Declared => Depth::Heads,
        };
        let mut pass = |batch| emit(Message::Batch(batch));
        let mut assembler =
            Assembler::new(self.file.clone(), how.digests, how.wanted, inflater, seen, &mut pass);
        let end = members.walk(start, depth, &mut assembler);
        assembler.finish();
        end
    }

    fn records(
        &self,
        how: How,
        bench: &mut Workbench,
        emit: &mut dyn FnMut(Message),
        walk: impl FnOnce(&Blob, &mut Tools, &mut Assembler<'_>) -> io::Result<()>,
    ) -> io::Result<u64> {
        let Workbench { tools, inflater, seen } = bench;
        let mut pass = |batch| emit(Message::Batch(batch));
        let mut assembler =
            Assembler::new(self.file.clone(), how.digests, how.wanted, inflater, seen, &mut pass);
        let end = walk(&self.blob, tools, &mut assembler);
        assembler.finish();
        end.map(|()| self.blob.len())
    }

    fn reader(&self, compression: Compression) -> io::Result<Box<dyn BufRead>> {
        let raw = self.blob.reader(0);
        Ok(match compression {
            Compression::None => Box::new(raw),
            Compression::Gzip => {
                Box::new(BufReader::with_capacity(256 << 10, flate2::bufread::MultiGzDecoder::new(raw)))
            }
            Compression::Zstd => {
                Box::new(BufReader::with_capacity(256 << 10, zstd::stream::read::Decoder::with_buffer(raw)?))
            }
        })
    }

    fn index(
        &self,
        compression: Compression,
        is_witness: bool,
        emit: &mut dyn FnMut(Message),
    ) -> io::Result<u64> {
        let mut reader = IndexReader::new(self.reader(compression)?);
        let mut indexer = IndexObserver::new(self.file.clone(), Canon::Default);
        let mut batch = Batch::default();
        loop {
            let item = match reader.next_item() {
                Ok(Some(item)) => item,
                Ok(None) => break,
                Err(error) => {
                    emit(Message::Batch(batch));
                    return Err(error);
                }
            };
            match item {
                IndexItem::Line(line) => {
                    let mut observation = indexer.observe(&line);
                    if is_witness {
                        if observation.declared.is_none() || observation.offset.is_none() {
                            continue;
                        }
                        bear_witness(&mut observation, &self.file, reader.offset());
                    } else if observation.time.is_none() {
                        let message = "no date can be read from the line";
                        let problem = Problem::new(Level::Warning, "bad-date", message);
                        batch.problems.push(problem.in_file(&*self.file).at(reader.offset()));
                    }
                    batch.items.push(Item::Observed(Box::new(observation)));
                }
                IndexItem::Problem(_) if is_witness => {}
                IndexItem::Problem(problem) => batch.problems.push(problem.in_file(&*self.file)),
            }
            if batch.items.len() + batch.problems.len() >= 1024 {
                emit(Message::Batch(std::mem::take(&mut batch)));
            }
        }
        emit(Message::Batch(batch));
        Ok(self.blob.len())
    }

    fn observations(&self, compression: Compression, emit: &mut dyn FnMut(Message)) -> io::Result<u64> {
        let mut reader = self.reader(compression)?;
        let (mut batch, mut line, mut offset) = (Batch::default(), Vec::new(), 0u64);
        loop {
            line.clear();
            let length = match (&mut reader).take(LINE_LIMIT).read_until(b'\n', &mut line) {
                Ok(length) => length as u64,
                Err(error) => {
                    emit(Message::Batch(batch));
                    return Err(error);
                }
            };
            if length == 0 {
                break;
            }
            if !line.trim_ascii().is_empty() {
                match serde_json::from_slice::<Observation>(&line) {
                    Ok(observation) => batch.items.push(Item::Observed(Box::new(observation))),
                    Err(error) => {
                        let message = format!("the line is not an observation: {error}");
                        let problem = Problem::new(Level::Error, "bad-line", message);
                        batch.problems.push(problem.in_file(&*self.file).at(offset));
                    }
                }
            }
            offset += length;
            if batch.items.len() + batch.problems.len() >= 1024 {
                emit(Message::Batch(std::mem::take(&mut batch)));
            }
        }
        emit(Message::Batch(batch));
        Ok(self.blob.len())
    }

    #[cfg(feature = "parquet")]
    fn parquet(&self, emit: &mut dyn FnMut(Message)) -> io::Result<u64> {
        let mut batch = Batch::default();
        let read = crate::columnar::rows::observations(&self.blob, &mut |row, observation| {
            match observation {
                Ok(observation) => batch.items.push(Item::Observed(Box::new(observation))),
                Err(fault) => {
                    let message = format!("row {row} of the table is not an observation: {fault}");
                    let problem = Problem::new(Level::Error, "bad-row", message);
                    batch.problems.push(problem.in_file(&*self.file));
                }
            }
            if batch.items.len() + batch.problems.len() >= 1024 {
                emit(Message::Batch(std::mem::take(&mut batch)));
            }
        });
        emit(Message::Batch(batch));
        read.map(|()| self.blob.len())
    }
}
