//! What captures with equal bodies share, found on disk: the fingerprint of the text, and why it looks like an error page.
//!
//! A revisit carries the body of its original but has no text of its own. Its original may lie in another part of the
//! archive, so the text is looked up over all captures before any of them is judged. The same rule as in
//! [`crate::capture::table::TableBuilder::finish`]: of several captures with one body, the last one by key and time
//! decides.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;

use super::sorter::Sorter;
use crate::archive::temporary;
use crate::capture::intern::Interner;
use crate::capture::shared::{Shared, lacks_shared};
use crate::capture::table::Table;
use crate::digest::BodyDigest;

/// Bytes of an entry: digest of the body, digest of its text, flags, number of the charset, number of the error-page sign.
const RECORD: usize = 32 + 32 + 1 + 4 + 4;
/// Every n-th body is kept in memory, to find the others by.
const STEP: usize = 256;
const TEXT: u8 = 1;
const SIGN: u8 = 2;
const CHARSET: u8 = 4;

/// Collects which captures know the text of a body, and which lack it.
pub(crate) struct Gathering {
    sorter: Sorter,
    signs: Interner,
    lacking: bool,
    known: bool,
}

impl Gathering {
    pub(crate) fn new(limit: usize) -> Self {
        Gathering { sorter: Sorter::new(limit), signs: Interner::default(), lacking: false, known: false }
    }

    /// Adds the next rows, in the order of keys and times.
    pub(crate) fn add(&mut self, table: &Table) -> io::Result<()> {
        for row in table.rows() {
            let Some(body) = row.body.and_then(|body| table.body(body)) else { continue };
            let mut value = [0u8; 1 + 32 + 4 + 4];
            if let Some(text) = row.text.and_then(|text| table.body(text)) {
                value[0] |= TEXT;
                value[1..33].copy_from_slice(&text.0);
                if let Some(charset) = row.charset
                    && let Some(number) = self.signs.intern(table.text(charset).as_bytes())
                {
                    value[0] |= CHARSET;
                    value[33..37].copy_from_slice(&(number.index() as u32).to_le_bytes());
                }
            }
            if let Some(sign) = row.soft404
                && let Some(number) = self.signs.intern(table.text(sign).as_bytes())
            {
                value[0] |= SIGN;
                value[37..].copy_from_slice(&(number.index() as u32).to_le_bytes());
            }
            let lacks = lacks_shared(row);
            self.lacking |= lacks;
            self.known |= value[0] != 0;
            if value[0] != 0 {
                self.sorter.push(&body.0, &value)?;
            }
            if lacks {
                self.sorter.push(&body.0, &[])?;
            }
        }
        Ok(())
    }

    /// What the bodies share that some capture lacks; `None`: nothing.
    pub(crate) fn finish(self) -> io::Result<Option<SharedTexts>> {
        let Gathering { sorter, signs, lacking, known } = self;
        if !(lacking && known) {
            return Ok(None);
        }
        let mut out = Out {
            writer: io::BufWriter::with_capacity(1 << 20, temporary::file()?),
            firsts: Vec::new(),
            count: 0,
        };
        let mut current: Option<Known> = None;
        sorter.finish(&mut |body, value| {
            if current.as_ref().is_none_or(|known| known.body != body) {
                out.put(current.take())?;
                current =
                    Some(Known { body: body.try_into().map_err(io::Error::other)?, ..Known::default() });
            }
            if let Some(known) = &mut current {
                known.add(value);
            }
            Ok(())
        })?;
        out.put(current)?;
        let Out { writer, firsts, count } = out;
        let file = temporary::named(writer.into_inner().map_err(io::IntoInnerError::into_error))?;
        Ok(Some(SharedTexts { file, firsts, count, signs }))
    }
}

/// What is known of one body.
#[derive(Default)]
struct Known {
    body: [u8; 32],
    text: Option<[u8; 32]>,
    charset: Option<[u8; 4]>,
    sign: Option<[u8; 4]>,
    lacking: bool,
}

impl Known {
    fn add(&mut self, value: &[u8]) {
        let Some((flags, rest)) = value.split_first() else {
            self.lacking = true;
            return;
        };
        if flags & TEXT != 0 {
            self.text = rest.first_chunk().copied();
            let charset = rest.get(32..36).and_then(|number| number.try_into().ok());
            self.charset = charset.filter(|_| flags & CHARSET != 0);
        }
        if flags & SIGN != 0 {
            self.sign = rest.last_chunk().copied();
        }
    }
}

struct Out {
    writer: io::BufWriter<File>,
    firsts: Vec<[u8; 32]>,
    count: usize,
}

impl Out {
    fn put(&mut self, known: Option<Known>) -> io::Result<()> {
        let Some(known) =
            known.filter(|known| known.lacking && (known.text.is_some() || known.sign.is_some()))
        else {
            return Ok(());
        };
        if self.count.is_multiple_of(STEP) {
            self.firsts.push(known.body);
        }
        self.count += 1;
        let flags = (u8::from(known.text.is_some()) * TEXT)
            | (u8::from(known.sign.is_some()) * SIGN)
            | (u8::from(known.charset.is_some()) * CHARSET);
        let mut record = [0u8; RECORD];
        record[..32].copy_from_slice(&known.body);
        record[32..64].copy_from_slice(&known.text.unwrap_or_default());
        record[64] = flags;
        record[65..69].copy_from_slice(&known.charset.unwrap_or_default());
        record[69..].copy_from_slice(&known.sign.unwrap_or_default());
        temporary::named(self.writer.write_all(&record))
    }
}

/// The texts and signs of bodies, sorted by body, on disk.
pub(crate) struct SharedTexts {
    file: File,
    firsts: Vec<[u8; 32]>,
    count: usize,
    signs: Interner,
}

impl SharedTexts {
    /// What captures with this body share.
    pub(crate) fn of(&self, body: &BodyDigest) -> io::Result<Shared<'_>> {
        let Some(step) = self.firsts.partition_point(|first| *first <= body.0).checked_sub(1) else {
            return Ok(Shared::default());
        };
        let start = step * STEP;
        let mut records = [0u8; STEP * RECORD];
        let records = &mut records[..(self.count - start).min(STEP) * RECORD];
        self.file.read_exact_at(records, (start * RECORD) as u64)?;
        let (records, _) = records.as_chunks::<RECORD>();
        let Ok(found) = records.binary_search_by(|record| record[..32].cmp(&body.0)) else {
            return Ok(Shared::default());
        };
        let record = &records[found];
        let text = (record[64] & TEXT != 0).then(|| record[32..64].try_into().ok().map(BodyDigest)).flatten();
        let named = |flag: u8, number: Option<&[u8; 4]>| {
            let number = number.filter(|_| record[64] & flag != 0)?;
            self.signs.at(u32::from_le_bytes(*number) as usize)
        };
        let (charset, sign) = (named(CHARSET, record[65..].first_chunk()), named(SIGN, record.last_chunk()));
        Ok(Shared { text, charset, sign })
    }
}
