//! An output that can be continued: what a killed run has written is not written again.
//!
//! Records go to a hidden file beside the target. A journal beside that says which plan they belong to and how long each written record
//! is, and at every checkpoint the checksum (CRC-32) of all that is written. A run with the same plan takes up at the last checkpoint up
//! to which the file is still what was written; any other starts anew. The target appears when all is written.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use flate2::Crc;

/// Bytes after which the journal is brought up to date.
const CHECKPOINT: u64 = 64 << 20;

/// A file, and the checksum of what was written to it.
#[derive(Debug)]
pub(crate) struct Summed {
    file: File,
    sum: Crc,
}

impl Summed {
    /// Writes bytes whose checksum is known.
    pub(super) fn write_summed(&mut self, bytes: &[u8], sum: &Crc) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.sum.combine(sum);
        Ok(())
    }
}

impl Write for Summed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A file that is being written.
#[derive(Debug)]
pub(crate) struct Partial {
    file: Summed,
    journal: File,
    path: PathBuf,
    journal_path: PathBuf,
    /// The lengths of the records that are there.
    pub done: Vec<u64>,
    unsaved: Vec<u64>,
    since: u64,
}

impl Partial {
    /// Opens the partial file of a target, with what an earlier run of the same plan left there.
    pub(crate) fn open(target: &Path, plan: &str) -> io::Result<Self> {
        let plan = &format!("{plan} {}", boot());
        let name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let beside = |suffix: &str| target.with_file_name(format!(".{name}.{suffix}"));
        let (path, journal_path) = (beside("acuity-part"), beside("acuity-journal"));
        let options = || {
            let mut options = OpenOptions::new();
            options.read(true).write(true).create(true).truncate(false);
            options
        };
        let (mut file, mut journal) = (options().open(&path)?, options().open(&journal_path)?);
        let mut lines = BufReader::new(&journal).lines();
        let (mut done, mut sum) = (Vec::new(), Crc::new());
        if lines.next().transpose()?.as_deref() == Some(plan.as_str()) {
            let lines = lines.map_while(|line| line.ok()?.strip_suffix('.').map(str::to_owned));
            (done, sum) = intact(&mut file, lines)?;
        }
        let length = done.iter().sum();
        file.set_len(length)?;
        file.seek(SeekFrom::Start(length))?;
        journal.set_len(0)?;
        journal.seek(SeekFrom::Start(0))?;
        let mut text = format!("{plan}\n");
        done.iter().for_each(|record| text.push_str(&format!("{record}.\n")));
        text.push_str(&format!("{SUM}{}.\n", sum.sum()));
        journal.write_all(text.as_bytes())?;
        let file = Summed { file, sum };
        Ok(Partial { file, journal, path, journal_path, done, unsaved: Vec::new(), since: 0 })
    }

    /// Where records are written.
    pub(crate) fn writer(&mut self) -> &mut Summed {
        &mut self.file
    }

    /// A record of this length was written.
    pub(crate) fn wrote(&mut self, length: u64) -> io::Result<()> {
        self.unsaved.push(length);
        self.since += length;
        if self.since >= CHECKPOINT { self.save() } else { Ok(()) }
    }

    /// Brings the journal up to date, behind the records.
    fn save(&mut self) -> io::Result<()> {
        let mut text = String::new();
        self.unsaved.iter().for_each(|record| text.push_str(&format!("{record}.\n")));
        text.push_str(&format!("{SUM}{}.\n", self.file.sum.sum()));
        self.journal.write_all(text.as_bytes())?;
        self.done.append(&mut self.unsaved);
        self.since = 0;
        Ok(())
    }

    /// All is written: gives the file its name and removes the journal.
    pub(crate) fn finish(mut self, target: &Path) -> io::Result<Vec<u64>> {
        self.done.append(&mut self.unsaved);
        self.file.flush()?;
        std::fs::rename(&self.path, target)?;
        std::fs::remove_file(&self.journal_path)?;
        Ok(self.done)
    }
}

/// What precedes a checksum in the journal.
const SUM: &str = "sum ";

/// The records up to the last checkpoint up to which the file is what was written, and their checksum.
fn intact(file: &mut File, lines: impl Iterator<Item = String>) -> io::Result<(Vec<u64>, Crc)> {
    let (mut done, mut good) = (Vec::new(), 0);
    let (mut sum, mut length, mut read) = (Crc::new(), 0u64, 0u64);
    let mut buffer = vec![0; 1 << 18];
    file.seek(SeekFrom::Start(0))?;
    for line in lines {
        let Some(expected) = line.strip_prefix(SUM) else {
            let Ok(record) = line.parse::<u64>() else { break };
            length = length.saturating_add(record);
            done.push(record);
            continue;
        };
        while read < length {
            let room = usize::try_from(length - read).unwrap_or(usize::MAX).min(buffer.len());
            let count = file.read(&mut buffer[..room])?;
            if count == 0 {
                break;
            }
            sum.update(&buffer[..count]);
            read += count as u64;
        }
        if read < length || expected.parse() != Ok(sum.sum()) {
            break;
        }
        good = done.len();
    }
    done.truncate(good);
    // The checksum may be that of more than is intact.
    if done.iter().sum::<u64>() != read {
        sum = Crc::new();
        file.seek(SeekFrom::Start(0))?;
        let mut left = file.take(done.iter().sum());
        loop {
            let count = left.read(&mut buffer)?;
            if count == 0 {
                break;
            }
            sum.update(&buffer[..count]);
        }
    }
    Ok((done, sum))
}

/// The start of the machine. What a killed run wrote is there until the machine stops; behind that nothing is taken up again, so that
/// nothing has to wait for the disk.
fn boot() -> String {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").map(|id| id.trim().to_owned());
    // Elsewhere no run takes up another one.
    id.unwrap_or_else(|_| std::process::id().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_takes_up_where_the_last_one_was_killed() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out.warc");
        let mut first = Partial::open(&target, "plan 1").unwrap();
        for record in ["aaaa", "bb"] {
            first.writer().write_all(record.as_bytes()).unwrap();
            first.wrote(record.len() as u64).unwrap();
        }
        first.save().unwrap();
        // Killed in the middle of the third record.
        first.writer().write_all(b"cc").unwrap();
        drop(first);
        let mut second = Partial::open(&target, "plan 1").unwrap();
        assert_eq!(second.done, [4, 2]);
        second.writer().write_all(b"cccc").unwrap();
        second.wrote(4).unwrap();
        assert_eq!(second.finish(&target).unwrap(), [4, 2, 4]);
        assert_eq!(std::fs::read(&target).unwrap(), b"aaaabbcccc");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        // What is no longer what was written is written again.
        let mut damaged = Partial::open(&target, "plan 3").unwrap();
        for record in ["aaaa", "bb", "cccc"] {
            damaged.writer().write_all(record.as_bytes()).unwrap();
            damaged.wrote(record.len() as u64).unwrap();
            damaged.save().unwrap();
        }
        let path = damaged.path.clone();
        drop(damaged);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[5] = b'x';
        std::fs::write(&path, bytes).unwrap();
        let mut again = Partial::open(&target, "plan 3").unwrap();
        assert_eq!(again.done, [4], "up to the last checkpoint that is intact");
        for record in ["bb", "cccc"] {
            again.writer().write_all(record.as_bytes()).unwrap();
            again.wrote(record.len() as u64).unwrap();
            again.save().unwrap();
        }
        drop(again);
        assert_eq!(Partial::open(&target, "plan 3").unwrap().done, [4, 2, 4], "sums go on where they ended");
        // Another plan starts anew.
        let mut third = Partial::open(&target, "plan 1").unwrap();
        third.writer().write_all(b"xx").unwrap();
        third.wrote(2).unwrap();
        third.save().unwrap();
        drop(third);
        assert!(Partial::open(&target, "plan 2").unwrap().done.is_empty());
    }
}
