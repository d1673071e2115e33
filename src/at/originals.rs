//! Which pages hold the bodies that captures of other pages only refer to: found once for all captures, on disk.
//!
//! A revisit is shown by the record that it was resolved to, any capture without a body of its own by the first record with
//! the same body. Both may belong to another page.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt;

use crate::archive::temporary;
use crate::capture::Kind;
use crate::capture::table::Table;
use crate::digest::BodyDigest;
use crate::ingest::sorter::Sorter;

/// Bytes of the file that are read at once.
const BLOCK: u64 = 16 << 10;
/// Holders come before those that refer to them.
const HOLDS: u8 = 0;
const WANTS: u8 = 1;
/// The first byte of a key says what its other bytes are.
const PLACE: u8 = 0;
const BODY: u8 = 1;

/// Collects who holds what, and who refers to it.
pub(super) struct Gathering {
    sorter: Sorter,
    memory: usize,
    wants: bool,
    sign: Vec<u8>,
}

impl Gathering {
    pub(super) fn new(memory: usize) -> Self {
        Gathering { sorter: Sorter::new(memory), memory, wants: false, sign: Vec::new() }
    }

    /// Adds the next rows, in the order of their keys. `is_read` says of an input and a file whether that file was read.
    pub(super) fn add(&mut self, table: &Table, is_read: impl Fn(u32, &str) -> bool) -> io::Result<()> {
        for row in table.rows() {
            let file = table.text(row.file);
            let is_record = matches!(row.kind, Kind::Response | Kind::Resource);
            let body = row.body.and_then(|body| table.body(body));
            let page = table.text(row.key);
            if is_record {
                if let Some(offset) = row.offset {
                    self.push((file, offset), HOLDS, body, page)?;
                }
                self.push_body(body, HOLDS, page)?;
            }
            if let Some(place) = table.original(row) {
                self.push(place, WANTS, body, page)?;
            }
            if !(is_record && is_read(row.input, file)) {
                self.push_body(body, WANTS, page)?;
            }
        }
        Ok(())
    }

    /// A record at a place.
    fn push(
        &mut self,
        (file, offset): (&str, u64),
        role: u8,
        body: Option<BodyDigest>,
        page: &str,
    ) -> io::Result<()> {
        self.sign.clear();
        self.sign.push(PLACE);
        self.sign.extend_from_slice(file.as_bytes());
        self.sign.extend_from_slice(&offset.to_be_bytes());
        self.put(role, body, page)
    }

    fn push_body(&mut self, body: Option<BodyDigest>, role: u8, page: &str) -> io::Result<()> {
        let Some(digest) = body else { return Ok(()) };
        self.sign.clear();
        self.sign.push(BODY);
        self.sign.extend_from_slice(&digest.0);
        self.put(role, body, page)
    }

    fn put(&mut self, role: u8, body: Option<BodyDigest>, page: &str) -> io::Result<()> {
        self.wants |= role == WANTS;
        self.sign.push(role);
        let mut value = vec![u8::from(body.is_some())];
        value.extend_from_slice(&body.map_or([0; 32], |body| body.0));
        value.extend_from_slice(page.as_bytes());
        self.sorter.push(&self.sign, &value)
    }

    /// Finds the holders.
    pub(super) fn finish(self) -> io::Result<Originals> {
        let mut pairs = Sorter::new(self.memory);
        if !self.wants {
            return Originals::of(pairs);
        }
        let mut holders = Holders::default();
        self.sorter.finish(&mut |sign, value| {
            let (role, sign) = sign.split_last().ok_or(io::ErrorKind::InvalidData)?;
            let (body, page) = value.split_first_chunk::<33>().ok_or(io::ErrorKind::InvalidData)?;
            if holders.sign != sign {
                holders = Holders { sign: sign.to_vec(), ..Holders::default() };
            }
            if *role == HOLDS {
                holders.add(*body, page);
                return Ok(());
            }
            let of_body = holders.by_body.get(body).filter(|_| body[0] == 1);
            let found = holders.first.iter().chain(of_body);
            found.filter(|holder| **holder != page).try_for_each(|holder| pairs.push(page, holder))
        })?;
        Originals::of(pairs)
    }
}

/// Who holds what has one sign.
#[derive(Default)]
struct Holders {
    sign: Vec<u8>,
    /// The first page; of a place the first two records, since one is taken whatever its body and several are not.
    first: Vec<Vec<u8>>,
    /// Of a place with several records, the first page with each body.
    by_body: HashMap<[u8; 33], Vec<u8>>,
}

impl Holders {
    fn add(&mut self, body: [u8; 33], page: &[u8]) {
        let is_place = self.sign.first() == Some(&PLACE);
        if self.first.len() < if is_place { 2 } else { 1 } {
            self.first.push(page.to_vec());
        }
        if is_place && !self.by_body.contains_key(&body) {
            self.by_body.insert(body, page.to_vec());
        }
    }
}

/// For each page the other pages that hold bodies which it refers to, on disk in the order of keys.
pub(super) struct Originals {
    file: File,
    end: u64,
    /// The first key of each block, and where it begins.
    blocks: Vec<(Vec<u8>, u64)>,
    /// The block that was read last: pages are asked for in the order of their keys.
    last: RefCell<(u64, Vec<u8>)>,
}

impl Originals {
    fn of(pairs: Sorter) -> io::Result<Self> {
        let mut out = BufWriter::with_capacity(1 << 18, temporary::file()?);
        let (mut end, mut blocks): (u64, Vec<(Vec<u8>, u64)>) = (0, Vec::new());
        let mut last: (Vec<u8>, Vec<u8>) = Default::default();
        pairs.finish(&mut |page, holder| {
            if last.0 == page && last.1 == holder {
                return Ok(());
            }
            if last.0 != page && blocks.last().is_none_or(|(_, start)| end - start >= BLOCK) {
                blocks.push((page.to_vec(), end));
            }
            for part in [page, holder] {
                let length = u32::try_from(part.len()).map_err(io::Error::other)?;
                temporary::named(out.write_all(&length.to_le_bytes()).and_then(|()| out.write_all(part)))?;
                end += 4 + u64::from(length);
            }
            last = (page.to_vec(), holder.to_vec());
            Ok(())
        })?;
        let file = temporary::named(out.into_inner().map_err(io::IntoInnerError::into_error))?;
        Ok(Originals { file, end, blocks, last: RefCell::default() })
    }

    /// The pages that hold what a page refers to.
    pub(super) fn of_page(&self, key: &[u8]) -> io::Result<Vec<Vec<u8>>> {
        let behind = self.blocks.partition_point(|(first, _)| first.as_slice() <= key);
        let Some((_, start)) = behind.checked_sub(1).map(|block| &self.blocks[block]) else {
            return Ok(Vec::new());
        };
        let end = self.blocks.get(behind).map_or(self.end, |(_, end)| *end);
        let (from, bytes) = &mut *self.last.borrow_mut();
        if bytes.is_empty() || *from != *start {
            *from = *start;
            bytes.resize((end - start) as usize, 0);
            if let Err(error) = self.file.read_exact_at(bytes, *start) {
                bytes.clear();
                return Err(error);
            }
        }
        let (mut rest, mut found) = (bytes.as_slice(), Vec::new());
        while let (Some(page), Some(holder)) = (part(&mut rest), part(&mut rest)) {
            if page == key {
                found.push(holder.to_vec());
            }
        }
        Ok(found)
    }
}

/// The next part behind its length.
fn part<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, behind) = rest.split_first_chunk::<4>()?;
    let (part, behind) = behind.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    *rest = behind;
    Some(part)
}
