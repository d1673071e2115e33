//! Repairs records that would make the next one unreadable: wrong length, early end, or no blank line at the end.
//!
//! Such a record is written as it was read: its block as far as it goes, behind its own head with the length of that block, and the blank
//! lines that end a record. One that ends early says so (`WARC-Truncated`), unless it does already. Everything else of the head stays.

use std::io::{self, Read};

use super::arc::Converted;
use crate::archive::blob::Blob;
use crate::archive::fields::head_length;
use crate::archive::gzip::GzipStream;
use crate::archive::walk::{HEAD_LIMIT, RecordEnd};
use crate::archive::window::{StreamWindow, Window};

/// What is wrong with a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mend {
    /// Bytes of its block, as it was read.
    pub block: u64,
    /// The block ends early.
    pub is_cut: bool,
    /// Its end was guessed: written as truncated unless proven whole.
    pub is_doubtful: bool,
    /// Its compressed data are damaged: it is read as far as they go.
    pub is_broken: bool,
}

impl Mend {
    /// What was done, in words.
    pub(crate) fn words(&self) -> &'static str {
        if self.is_cut {
            "the record ends early: written as far as it goes, with the length of that, and marked as truncated"
        } else {
            "its length or end was wrong: written with the length of the block that was read, and blank lines behind it"
        }
    }
}

/// Counts the block of a record while its file is walked.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counted {
    /// The file is not compressed: all of a block passes.
    is_plain: bool,
    length: u64,
}

impl Counted {
    pub(crate) fn new(is_plain: bool) -> Self {
        Counted { is_plain, length: 0 }
    }

    pub(crate) fn begin(&mut self) {
        self.length = 0;
    }

    pub(crate) fn add(&mut self, piece: &[u8]) {
        self.length += piece.len() as u64;
    }

    /// Why the record that ends here cannot be copied as it is, if so.
    pub(crate) fn end(&self, end: RecordEnd) -> Option<Mend> {
        self.outside(end).filter(|mend| self.is_plain || mend.is_broken)
    }

    /// Why it cannot be copied without a member of its own, if so.
    pub(crate) fn outside(&self, end: RecordEnd) -> Option<Mend> {
        let is_broken = end.length.is_none() && end.cut;
        let is_wrong = end.cut || end.doubtful || !end.trailer;
        let mend = Mend { block: self.length, is_cut: end.cut, is_doubtful: end.doubtful, is_broken };
        is_wrong.then_some(mend)
    }
}

/// What a record from a member of its own needs where others follow it without a member: in there its end was known even if its length
/// is wrong or no blank lines follow its block. `None`: nothing, or it has no head.
pub(crate) fn behind_others(mut record: impl Read) -> io::Result<Option<Mend>> {
    let Some((start, end)) = start(&mut record)? else { return Ok(None) };
    let block = (start.len() - end) as u64;
    let Some(declared) = declared(&start[..end]) else {
        let rest = io::copy(&mut record, &mut io::sink())?;
        return Ok(Some(Mend { block: block + rest, is_cut: true, is_doubtful: false, is_broken: false }));
    };
    // The last bytes behind the block, if that many are there.
    let mut tail =
        start[end..].get(usize::try_from(declared).unwrap_or(usize::MAX)..).unwrap_or_default().to_vec();
    let rest = io::copy(&mut (&mut record).take(declared.saturating_sub(block)), &mut io::sink())?;
    if block + rest < declared {
        return Ok(Some(Mend { block: block + rest, is_cut: true, is_doubtful: false, is_broken: false }));
    }
    record.take(1 << 10).read_to_end(&mut tail)?;
    let is_parted = tail.starts_with(b"\r\n\r\n") || tail.starts_with(b"\n\n");
    let is_doubtful = tail.iter().any(|byte| !matches!(byte, b'\r' | b'\n'));
    Ok((!is_parted).then_some(Mend { block: declared, is_cut: false, is_doubtful, is_broken: false }))
}

/// The length of a block as its head declares it.
fn declared(head: &[u8]) -> Option<u64> {
    const NAME: &[u8] = b"content-length";
    let value = head.split(|byte| *byte == b'\n').find_map(|line| {
        let (name, value) = line.split_at(line.iter().position(|byte| *byte == b':')?);
        name.trim_ascii().eq_ignore_ascii_case(NAME).then(|| value[1..].trim_ascii())
    })?;
    std::str::from_utf8(value).ok()?.parse().ok()
}

/// The first bytes of a record, with all of its head, and where the head ends.
pub(super) fn start(record: &mut impl Read) -> io::Result<Option<(Vec<u8>, usize)>> {
    let mut start = Vec::new();
    loop {
        let searched = start.len();
        if record.take(1 << 16).read_to_end(&mut start)? == 0 || searched > HEAD_LIMIT {
            return Ok(None);
        }
        if let Some(end) = head_length(&start, 0) {
            return Ok(Some((start, end)));
        }
    }
}

/// The head of a record as it is written, and where its block lies. `None`: it has no head.
pub(crate) fn convert(mut record: impl Read, mend: Mend) -> io::Result<Option<Converted>> {
    let Some((start, end)) = start(&mut record)? else { return Ok(None) };
    let Some(head) = head(&start[..end], mend) else { return Ok(None) };
    Ok(Some(Converted { head, skip: end as u64, length: mend.block }))
}

/// A head with the length of its block.
fn head(head: &[u8], mend: Mend) -> Option<Vec<u8>> {
    let length = format!("Content-Length: {}\r\n", mend.block);
    let is = |line: &[u8], name: &str| {
        line.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
            && line[name.len()..].trim_ascii_start().first() == Some(&b':')
    };
    let mut made = Vec::with_capacity(head.len() + 64);
    let (mut has_length, mut is_marked) = (false, false);
    let mut lines = head.split_inclusive(|byte| *byte == b'\n');
    made.extend_from_slice(lines.next()?);
    for line in lines.take_while(|line| !line.trim_ascii().is_empty()) {
        is_marked |= is(line, "WARC-Truncated");
        if !is(line, "Content-Length") {
            made.extend_from_slice(line);
            continue;
        }
        let declared = line.rsplit(|byte| *byte == b':').next().unwrap_or_default().trim_ascii();
        if !has_length && declared == mend.block.to_string().as_bytes() {
            made.extend_from_slice(line);
        } else if !has_length {
            made.extend_from_slice(length.as_bytes());
        }
        has_length = true;
    }
    if mend.is_cut && !is_marked {
        made.extend_from_slice(b"WARC-Truncated: unspecified\r\n");
    }
    if !has_length {
        made.extend_from_slice(length.as_bytes());
    }
    made.extend_from_slice(b"\r\n");
    Some(made)
}

/// What can be read of a damaged member.
pub(crate) struct Salvage(StreamWindow<GzipStream>);

impl Salvage {
    pub(crate) fn new(blob: &Blob, offset: u64) -> Self {
        Salvage(StreamWindow::new(GzipStream::member(blob, offset)))
    }
}

impl Read for Salvage {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.0.fill(1);
        let count = bytes.len().min(buffer.len());
        buffer[..count].copy_from_slice(&bytes[..count]);
        self.0.consume(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(record: &str, block: u64, is_cut: bool) -> String {
        let found = convert(record.as_bytes(), Mend { block, is_cut, is_doubtful: false, is_broken: false })
            .unwrap()
            .unwrap();
        assert_eq!(&record.as_bytes()[found.skip as usize..][..found.length as usize], b"abc");
        String::from_utf8(found.head).unwrap()
    }

    #[test]
    fn a_head_gets_the_length_of_its_block_and_nothing_else() {
        let right = "WARC/1.0\r\nContent-Length: 3\r\nWARC-Type: response\r\n\r\n";
        assert_eq!(made(&format!("{right}abc"), 3, false), right, "only the blank lines were missing");
        let wrong = "WARC/1.0\r\ncontent-length : 9\r\nWARC-Type: response\r\nContent-Length: 7\r\n\r\nabc";
        assert_eq!(made(wrong, 3, false), right);
        let none = "WARC/1.0\r\nWARC-Type: response\r\nContent-Lengthy: 3\r\n\r\nabc";
        assert!(made(none, 3, false).ends_with("Content-Lengthy: 3\r\nContent-Length: 3\r\n\r\n"));
        assert!(made(none, 3, true).contains("WARC-Truncated: unspecified\r\n"));
        let marked = "WARC/1.0\nWARC-Truncated: time\nContent-Length: 5\n\nabc";
        assert_eq!(made(marked, 3, true).matches("Truncated").count(), 1);
        let mend = Mend { block: 3, is_cut: false, is_doubtful: false, is_broken: false };
        assert_eq!(convert(&b"WARC/1.0\r\nX: y"[..], mend).unwrap(), None);
    }
    #[test]
    fn a_record_from_its_own_member_is_parted_from_the_next_one() {
        let found = |behind: &str, length: usize| {
            let record = format!("WARC/1.0\r\nContent-Length: {length}\r\n\r\nabc{behind}");
            behind_others(record.as_bytes()).unwrap()
        };
        let ends_at = |block, is_cut| Some(Mend { block, is_cut, is_doubtful: false, is_broken: false });
        assert_eq!(found("\r\n\r\n", 3), None);
        assert_eq!(found("\n\n", 3), None);
        assert_eq!(found("", 3), ends_at(3, false));
        assert_eq!(found("\r\n", 3), ends_at(3, false));
        // The length counts the blank lines, so that nothing is left to part it from the next record.
        assert_eq!(found("\r\n\r\n", 7), ends_at(7, false));
        assert_eq!(found("\r\n\r\n", 5), ends_at(5, false));
        assert_eq!(found("\r\n\r\n", 9), ends_at(7, true));
        let long = format!("WARC/1.0\r\nContent-Length: 200000\r\n\r\n{}", "a".repeat(200_000));
        assert_eq!(behind_others(long.as_bytes()).unwrap(), ends_at(200_000, false));
        assert_eq!(behind_others(format!("{long}\r\n\r\n").as_bytes()).unwrap(), None);
        assert_eq!(behind_others(&b"no head"[..]).unwrap(), None);
    }
}
