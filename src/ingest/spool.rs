//! The observations of a run, in input order: in memory up to a limit, then in a temporary file that no name leads to.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};

use crate::capture::Observation;

/// Observations that can be gone through several times.
pub struct Spool {
    limit: usize,
    held: Vec<Box<Observation>>,
    held_bytes: usize,
    spilled: Option<BufWriter<File>>,
    count: u64,
}

impl Spool {
    /// A spool that holds about `limit` bytes in memory.
    pub fn new(limit: usize) -> Self {
        Spool { limit, held: Vec::new(), held_bytes: 0, spilled: None, count: 0 }
    }

    /// The number of observations.
    pub fn len(&self) -> u64 {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds an observation at the end.
    pub fn push(&mut self, observation: Box<Observation>) -> io::Result<()> {
        self.count += 1;
        self.held_bytes += footprint(&observation);
        self.held.push(observation);
        if self.held_bytes > self.limit { self.spill() } else { Ok(()) }
    }

    fn spill(&mut self) -> io::Result<()> {
        let spilled = match &mut self.spilled {
            Some(spilled) => spilled,
            none => none.insert(BufWriter::with_capacity(1 << 20, tempfile::tempfile()?)),
        };
        for observation in self.held.drain(..) {
            write_line(spilled, &observation)?;
        }
        self.held_bytes = 0;
        Ok(())
    }

    /// Goes through all observations in their order.
    pub fn for_each(&mut self, visit: &mut dyn FnMut(&Observation) -> io::Result<()>) -> io::Result<()> {
        if let Some(spilled) = &mut self.spilled {
            spilled.flush()?;
            let mut file = spilled.get_ref().try_clone()?;
            file.rewind()?;
            for line in BufReader::with_capacity(1 << 20, &file).split(b'\n') {
                visit(&serde_json::from_slice(&line?)?)?;
            }
            file.seek(io::SeekFrom::End(0))?;
        }
        self.held.iter().try_for_each(|observation| visit(observation))
    }

    /// Gives every observation away and takes back what becomes of it.
    pub fn transform(
        mut self,
        change: &mut dyn FnMut(Box<Observation>) -> Option<Box<Observation>>,
    ) -> io::Result<Spool> {
        let mut changed = Spool::new(self.limit);
        if let Some(spilled) = &mut self.spilled {
            let output = changed.spilled.insert(BufWriter::with_capacity(1 << 20, tempfile::tempfile()?));
            spilled.flush()?;
            spilled.get_mut().rewind()?;
            for line in BufReader::with_capacity(1 << 20, spilled.get_mut()).split(b'\n') {
                if let Some(observation) = change(serde_json::from_slice(&line?)?) {
                    write_line(output, &observation)?;
                    changed.count += 1;
                }
            }
        }
        changed.held = self.held.into_iter().filter_map(change).collect();
        changed.held_bytes = self.held_bytes;
        changed.count += changed.held.len() as u64;
        Ok(changed)
    }
}

fn write_line(output: &mut impl Write, observation: &Observation) -> io::Result<()> {
    serde_json::to_writer(&mut *output, observation)?;
    output.write_all(b"\n")
}

/// About how many bytes an observation takes.
fn footprint(observation: &Observation) -> usize {
    let text = |text: &Option<String>| text.as_ref().map_or(0, |text| text.capacity());
    size_of::<Observation>()
        + observation.url.capacity()
        + observation.key.capacity()
        + text(&observation.mime)
        + text(&observation.etag)
        + text(&observation.record_id)
        + text(&observation.location)
        + observation.refers_to.as_ref().map_or(0, |refers| text(&refers.url) + text(&refers.record_id))
        + 96
}
