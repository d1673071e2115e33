//! An output that can be continued: what a killed run has written is not written again.
//!
//! Records go to a hidden file beside the target. A journal beside that says which plan they belong to and how long each written record
//! is. A run with the same plan takes up where the journal ends; any other starts anew. The target appears when all is written.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Bytes after which the journal is brought up to date.
const CHECKPOINT: u64 = 64 << 20;

/// A file that is being written.
#[derive(Debug)]
pub(crate) struct Partial {
    file: File,
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
        let held = file.metadata()?.len();
        let mut lines = BufReader::new(&journal).lines();
        let mut done = Vec::new();
        let mut length = 0u64;
        if lines.next().transpose()?.as_deref() == Some(plan.as_str()) {
            for line in lines {
                let Some(record) = line.ok().and_then(|line| line.strip_suffix('.')?.parse::<u64>().ok())
                else {
                    break;
                };
                if length.saturating_add(record) > held {
                    break;
                }
                length += record;
                done.push(record);
            }
        }
        file.set_len(length)?;
        file.seek(SeekFrom::Start(length))?;
        journal.set_len(0)?;
        journal.seek(SeekFrom::Start(0))?;
        let mut text = format!("{plan}\n");
        done.iter().for_each(|record| text.push_str(&format!("{record}.\n")));
        journal.write_all(text.as_bytes())?;
        Ok(Partial { file, journal, path, journal_path, done, unsaved: Vec::new(), since: 0 })
    }

    /// Where records are written.
    pub(crate) fn writer(&mut self) -> &mut File {
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
        // Another plan starts anew.
        let mut third = Partial::open(&target, "plan 1").unwrap();
        third.writer().write_all(b"xx").unwrap();
        third.wrote(2).unwrap();
        third.save().unwrap();
        drop(third);
        assert!(Partial::open(&target, "plan 2").unwrap().done.is_empty());
    }
}
