//! Which records go into a bundle, and their copies: all captures of the addresses, what they embed, the originals of
//! revisits, requests, and the warcinfo records of their files.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{self, File};
use std::io::{self, BufRead, BufWriter, Write};
use std::path::Path;

use crate::archive::blob::Blob;
use crate::archive::members::Depth;
use crate::archive::record::{RecordHead, RecordType};
use crate::archive::sniff::Compression;
use crate::archive::temporary;
use crate::archive::walk::{RecordEnd, Visitor};
use crate::at::custody::{Copy, WHOLE_FILE};
use crate::at::model::{At, PageAt, Witness};
use crate::bundle::{GZIP, PLAIN, whole};
use crate::digest::{Algorithm, Hasher};
use crate::error::{Error, ErrorKind, Result};
use crate::ingest::opened::Opened;
use crate::problem::Problem;
use crate::rebuild::inventory::{Asked, Inventory, take};
use crate::time::{Dated, Instant};
use crate::url::Canon;

/// Originals may be named by revisits that are themselves found late.
const MAX_PASSES: usize = 4;

/// The most bytes of damaged files that are copied whole.
const MAX_WHOLE: u64 = 1 << 30;

/// What is copied, least first: one that is enough is tried before the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The records that the answer rests on.
    Records,
    /// All records of the inputs.
    AllRecords,
    /// The same as of the first, but damaged files whole.
    Files,
}

impl Extent {
    pub(crate) const ALL: [Extent; 3] = [Extent::Records, Extent::AllRecords, Extent::Files];
}

/// Copies the records of an answer into the archive of a folder.
///
/// # Errors
/// When a file cannot be read or written, or holds records that cannot be copied as they are.
pub(crate) fn collect(at: &At, extent: Extent, folder: &Path) -> Result<Vec<Copy>> {
    let canon: Canon = at.parameters.canon.parse()?;
    let files: Vec<&str> =
        at.inputs.iter().filter(|input| input.format.has_bodies()).map(|input| input.path.as_str()).collect();
    let mut wanted = Wants::of(at, canon, extent == Extent::AllRecords);
    let mut found: BTreeMap<&str, Found> = BTreeMap::new();
    for _ in 0..MAX_PASSES {
        let before = wanted.size();
        for file in &files {
            let opened = Opened::new(file).map_err(|error| Error::from(error).at_file(*file))?;
            let mut finder = Finder { file, wanted: &mut wanted, found: Found::default() };
            opened.walk(Depth::Heads, &mut finder).map_err(|error| Error::from(error).at_file(*file))?;
            let here = finder.found;
            if here.has_arc {
                return Err(Error::usage(format!(
                    "{file} is an ARC file: its records cannot be copied into a bundle as they are"
                ))
                .with_remedy("`acuity merge` writes them as WARC; ask about that file"));
            }
            found.insert(file, here);
        }
        if wanted.size() == before {
            break;
        }
    }
    let mut order: Vec<&str> = files
        .iter()
        .copied()
        .filter(|file| found.get(file).is_some_and(|here| !here.asked.is_empty()))
        .collect();
    // A warcinfo record speaks of all that follows: files without one come first.
    order.sort_by_key(|file| found.get(file).is_some_and(|here| here.has_info));
    let mut writer = Writer { folder, gzip: None, plain: None, whole: 0, bytes: 0, copies: Vec::new() };
    let pages: Vec<Cow<'_, PageAt>> = at.pages.iter().collect();
    let labels = labels(&pages);
    for file in order {
        let Some(here) = found.get(file) else { continue };
        let fault = |error: io::Error| Error::from(error).at_file(file);
        let opened = Opened::new(file).map_err(fault)?;
        let stored = opened.compression;
        let inventory = take(opened.clone(), &here.asked).map_err(|error| {
            if error.get_ref().is_some_and(|inner| inner.is::<temporary::Failed>()) {
                return fault(error);
            }
            damaged(file, &format!(": {error}"))
        });
        let is_broken = |inventory: &Inventory| {
            inventory.is_damaged
                || inventory.entries.iter().any(|entry| entry.mend.is_some_and(|mend| mend.is_broken))
        };
        let is_mended = |inventory: &Inventory| {
            is_broken(inventory) || inventory.entries.iter().any(|entry| entry.mend.is_some())
        };
        let inventory = match inventory {
            // What was read of a package has no file of its own.
            found if extent == Extent::Files && !file.contains('#') => match found {
                Ok(inventory) if !is_mended(&inventory) => inventory,
                Err(error) if !matches!(error.kind(), ErrorKind::Data(_)) => return Err(error),
                _ => {
                    writer.copy_whole(file, &opened)?;
                    continue;
                }
            },
            found => found?,
        };
        if is_broken(&inventory) {
            return Err(damaged(file, ""));
        }
        writer.copy(file, stored, &inventory, &here.asked, &labels).map_err(fault)?;
    }
    writer.finish()
}

/// Evidence is copied as it is, or not at all.
fn damaged(file: &str, cause: &str) -> Error {
    Error::data(format!("the file is damaged, and its records cannot be copied as they are{cause}"))
        .with_remedy("leave out --bundle to get the answer; it says what is damaged")
        .at_file(file)
}

/// The labels and hashes of the records of an answer, by file, offset and id.
type Labels<'a> = HashMap<(&'a str, u64, Option<&'a str>), &'a Witness>;

fn labels<'a>(pages: &'a [Cow<'_, PageAt>]) -> Labels<'a> {
    let witnesses = pages.iter().flat_map(|page| &page.witnesses);
    witnesses
        .filter_map(|one| Some(((one.file.as_str(), one.offset?, one.record_id.as_deref()), one)))
        .collect()
}

/// What is wanted of all files.
struct Wants {
    canon: Canon,
    everything: bool,
    keys: HashSet<String>,
    /// File and offset.
    places: HashSet<(String, u64)>,
    ids: HashSet<String>,
    /// Address and time, as revisits name them.
    targets: HashSet<(String, String)>,
    digests: HashSet<String>,
}

impl Wants {
    fn of(at: &At, canon: Canon, everything: bool) -> Self {
        let mut keys: HashSet<String> = at.pages.iter().map(|page| page.key.clone()).collect();
        let mut places = HashSet::new();
        for page in &at.pages {
            let records = page.witnesses.iter().map(|one| (Some(&one.file), one.offset));
            let embedded = page.embeds.iter().flat_map(|embeds| &embeds.list);
            keys.extend(embedded.clone().map(|one| canon.key(&one.url)));
            let embedded = embedded.map(|one| (one.file.as_ref(), one.offset));
            places
                .extend(records.chain(embedded).filter_map(|(file, offset)| Some((file?.clone(), offset?))));
        }
        Wants {
            canon,
            everything,
            keys,
            places,
            ids: HashSet::new(),
            targets: HashSet::new(),
            digests: HashSet::new(),
        }
    }

    fn size(&self) -> usize {
        self.ids.len() + self.targets.len() + self.digests.len()
    }

    fn has(&self, file: &str, head: &RecordHead<'_>, offset: u64) -> bool {
        let target = head.target.as_deref().unwrap_or_default();
        let names = |digest: &str| head.record_type != RecordType::Revisit && self.digests.contains(digest);
        self.everything
            || self.keys.contains(&self.canon.key(target))
            || self.places.contains(&(file.to_owned(), offset))
            || head.id.as_deref().is_some_and(|id| self.ids.contains(id))
            || head
                .date
                .as_deref()
                .is_some_and(|date| self.targets.contains(&(target.to_owned(), date.to_owned())))
            || head.payload_digest.as_deref().is_some_and(names)
    }

    /// A revisit needs its original.
    fn needs(&mut self, head: &RecordHead<'_>) {
        if head.record_type != RecordType::Revisit {
            return;
        }
        self.ids.extend(head.refers_to.as_deref().map(str::to_owned));
        if let (Some(target), Some(date)) = (head.refers_to_target.as_deref(), head.refers_to_date.as_deref())
        {
            self.targets.insert((target.to_owned(), date.to_owned()));
        }
        self.digests.extend(head.payload_digest.as_deref().map(str::to_owned));
    }
}

/// What is wanted of one file.
#[derive(Default)]
struct Found {
    asked: Vec<Asked>,
    has_info: bool,
    has_arc: bool,
}

struct Finder<'a> {
    file: &'a str,
    wanted: &'a mut Wants,
    found: Found,
}

impl Finder<'_> {
    fn ask(&mut self, head: &RecordHead<'_>, offset: u64) {
        let date = head.date.as_deref().and_then(Dated::parse);
        self.found.asked.push(Asked {
            offset,
            id: head.id.as_deref().map(str::to_owned),
            url: head.target.as_deref().unwrap_or_default().to_owned(),
            // A record whose date cannot be read belongs to the page all the same.
            time: date.map_or(Instant(i64::MIN), |date| date.instant),
        });
    }
}

impl Visitor for Finder<'_> {
    fn begin(&mut self, head: &RecordHead<'_>, offset: u64) {
        match head.record_type {
            RecordType::WarcInfo => self.found.has_info = true,
            RecordType::Response | RecordType::Resource | RecordType::Revisit
                if self.wanted.has(self.file, head, offset) =>
            {
                self.found.has_arc |= head.is_arc;
                self.ask(head, offset);
                self.wanted.needs(head);
            }
            // Also those that lie far from their captures, and those of captures that are not here: they say what was asked.
            RecordType::Request if head.id.is_some() && self.wanted.has(self.file, head, offset) => {
                self.ask(head, offset);
            }
            _ => {}
        }
    }

    fn block(&mut self, _piece: &[u8]) {}

    fn end(&mut self, _end: RecordEnd) {}

    fn problem(&mut self, _problem: Problem) {}
}

/// Where the warcinfo records of a file stand.
#[derive(Default)]
struct Infos {
    places: Vec<(u64, u64)>,
    current: Option<u64>,
}

impl Visitor for Infos {
    fn begin(&mut self, head: &RecordHead<'_>, offset: u64) {
        self.current = (head.record_type == RecordType::WarcInfo).then_some(offset);
    }

    fn block(&mut self, _piece: &[u8]) {}

    fn end(&mut self, end: RecordEnd) {
        if let (Some(offset), Some(length)) = (self.current.take(), end.length) {
            self.places.push((offset, length));
        }
    }

    fn problem(&mut self, _problem: Problem) {}
}

struct Writer<'a> {
    folder: &'a Path,
    gzip: Option<(BufWriter<File>, u64)>,
    plain: Option<(BufWriter<File>, u64)>,
    /// Files that were copied whole, and their bytes.
    whole: usize,
    bytes: u64,
    copies: Vec<Copy>,
}

/// Makes a file in a bundle, and its folder.
fn create(target: &Path) -> io::Result<BufWriter<File>> {
    if let Some(parent) = target.parent() {
        fs::create_dir_all(parent)?;
    }
    Ok(BufWriter::new(File::create(target)?))
}

/// Copies a blob of this length, and gives its SHA-256.
fn pour(from: &Blob, length: u64, out: &mut dyn Write) -> io::Result<String> {
    let mut hasher = Hasher::new(Algorithm::Sha256);
    let mut reader = from.reader(0);
    let mut done = 0;
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() {
            break;
        }
        let count = bytes.len();
        hasher.update(bytes);
        out.write_all(bytes)?;
        reader.consume(count);
        done += count as u64;
    }
    if done != length {
        return Err(io::Error::other("it became shorter while it was copied"));
    }
    Ok(hasher.finish().hex())
}

impl Writer<'_> {
    fn copy(
        &mut self,
        file: &str,
        stored: Compression,
        inventory: &Inventory,
        asked: &[Asked],
        labels: &Labels<'_>,
    ) -> io::Result<()> {
        let source = &inventory.source;
        let as_stored = source.compression == stored;
        let mut infos = Infos::default();
        source.walk(Depth::Heads, &mut infos)?;
        let infos = infos.places.into_iter().map(|(offset, length)| (offset, length, None));
        let entries = inventory.entries.iter().map(|entry| (entry.offset, entry.length, Some(entry)));
        let mut all: Vec<_> = infos.chain(entries).collect();
        all.sort_by_key(|(offset, ..)| *offset);
        for (offset, length, entry) in all {
            let asked = entry.and_then(|entry| entry.asked).and_then(|place| asked.get(place));
            let from_offset = if as_stored { Some(offset) } else { asked.map(|one| one.offset) };
            let witness = asked.and_then(|one| labels.get(&(file, one.offset, one.id.as_deref())).copied());
            let what = match (entry, asked) {
                (None, _) => "warcinfo",
                (Some(_), Some(_)) => "record",
                (Some(_), None) => "request or metadata",
            };
            let (path, slot) = if source.compression == Compression::Gzip {
                (GZIP, &mut self.gzip)
            } else {
                (PLAIN, &mut self.plain)
            };
            let (out, position) = match slot {
                Some(open) => open,
                None => slot.insert((create(&self.folder.join(path))?, 0)),
            };
            let sha256 = pour(&source.blob.section(offset, length), length, out)?;
            self.copies.push(Copy {
                what: what.to_owned(),
                label: witness.map(|witness| witness.label.clone()),
                from_file: file.to_owned(),
                from_offset,
                to_file: path.to_owned(),
                to_offset: *position,
                length,
                as_stored,
                from_sha256: if as_stored {
                    Some(sha256.clone())
                } else {
                    witness.and_then(|witness| witness.record_sha256.clone())
                },
                to_sha256: sha256,
            });
            *position += length;
        }
        Ok(())
    }

    /// Copies a damaged file as it is.
    fn copy_whole(&mut self, file: &str, opened: &Opened) -> Result<()> {
        let (number, length) = (self.whole + 1, opened.blob.len());
        self.bytes = self.bytes.saturating_add(length);
        if self.bytes > MAX_WHOLE {
            return Err(damaged(file, ", and it is too large to be copied whole"));
        }
        let path = whole(number, opened.compression);
        let fault = |error: io::Error| Error::from(error).at_file(file);
        let mut out = create(&self.folder.join(&path)).map_err(fault)?;
        let sha256 = pour(&opened.blob, length, &mut out).map_err(fault)?;
        out.flush().and_then(|()| out.get_ref().sync_all()).map_err(fault)?;
        self.whole = number;
        self.copies.push(Copy {
            what: WHOLE_FILE.to_owned(),
            label: None,
            from_file: file.to_owned(),
            from_offset: Some(0),
            to_file: path,
            to_offset: 0,
            length,
            as_stored: true,
            from_sha256: Some(sha256.clone()),
            to_sha256: sha256,
        });
        Ok(())
    }

    fn finish(self) -> Result<Vec<Copy>> {
        for (mut out, _) in [self.gzip, self.plain].into_iter().flatten() {
            out.flush()?;
            out.get_ref().sync_all()?;
        }
        if self.copies.iter().all(|copy| copy.what == "warcinfo") {
            return Err(Error::usage("the answer rests on no record that could be copied into a bundle")
                .with_remedy("give the WARC files themselves, not only an index of them"));
        }
        Ok(self.copies)
    }
}
