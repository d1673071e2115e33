//! `acuity index --out COLLECTION/`: one table of observations per archive, and a run that continues where the last one ended.
//!
//! ```text
//! COLLECTION/collection.json      marks the folder as a collection
//! COLLECTION/tables/NAME.jsonl    the observations of one archive
//! COLLECTION/problems/NAME.jsonl  its problems, if there are any
//! COLLECTION/manifest/NAME.json   what the table was made of; written last
//! COLLECTION/left-out/NAME.json   why an archive could not be read, until it is
//! ```
//!
//! As Parquet (`--format parquet`) the tables are in `observations/` and `links/`, sorted by key and time, and problems are
//! Parquet too. An archive of very many captures gives several tables (`NAME.parquet`, `NAME.2.parquet`, …).
//!
//! Every file appears complete or not at all. A table counts only if its manifest is there and names its length and hash, so
//! a run that was killed leaves nothing that a later one would trust. `NAME` is the base name of the archive with a hash of
//! its path, so that several processes (`--shard`) can fill one collection without talking to each other.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::exit::Exit;
use super::files::Files;
use super::input::{DigestsArg, ReadArgs};
use super::left_out::{self, remove};
use super::name_as::{Names, Pattern};
use super::output;
use crate::archive::collection::{LEFT_OUT, LeftOut, MARK, collection_name, names_in};
use crate::archive::file_hashes::blake3_of;
use crate::archive::source::Source;
use crate::audit::model::ProblemCount;
use crate::capture::Observation;
use crate::error::Error;
use crate::format::count;
use crate::ingest::{FILE_CHANGED, ProblemLog, Reading, Wanted};
use crate::problem::{Level, Problem};

/// What a table was made of, and what is in it. No field depends on when or how often the run was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Manifest {
    schema: String,
    path: String,
    /// Where that path led: relative paths of two folders may be the same.
    #[serde(default)]
    place: String,
    bytes: u64,
    /// Nanoseconds since 1970.
    modified: u128,
    blake3: String,
    tool: String,
    options: TableOptions,
    observations: u64,
    /// The files that were made, in the order of their paths.
    files: Vec<Part>,
    problems: Vec<ProblemCount>,
}

/// A file of the collection.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Part {
    /// Its folder and name below the collection's.
    path: String,
    bytes: u64,
    blake3: String,
}

/// The options that change a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TableOptions {
    content: bool,
    digests: String,
    format: TableFormat,
    /// How archives are named, if not by their paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name_as: Option<String>,
}

const SCHEMA: &str = "acuity.collection/2";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum TableFormat {
    /// JSON lines.
    Jsonl,
    #[cfg(feature = "parquet")]
    Parquet,
}

impl TableFormat {
    /// The folders of its tables.
    fn folders(self) -> &'static [&'static str] {
        match self {
            TableFormat::Jsonl => &["tables", "problems", "manifest", LEFT_OUT],
            #[cfg(feature = "parquet")]
            TableFormat::Parquet => &["observations", "links", "problems", "manifest", LEFT_OUT],
        }
    }
}

/// The part of the archives that this run reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shard {
    number: u64,
    of: u64,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts =
            text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match parts {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Shard { number, of }),
            _ => Err("write a number and how many there are, such as 3/16".to_owned()),
        }
    }
}

impl Shard {
    /// Whether an archive belongs to this part, by a hash of its path.
    fn has(self, name: &str) -> bool {
        let hash = blake3::hash(name.as_bytes());
        let number = hash.as_bytes().first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        number % self.of == self.number - 1
    }
}

/// Which archives are read, and under which names.
#[derive(Debug, Clone, Copy)]
pub(super) struct Archives<'a> {
    pub shard: Option<Shard>,
    pub name_as: Option<&'a Pattern>,
    /// Whether an archive is taken as unchanged only if its hash is the same.
    pub rehash: bool,
}

/// How indexing an archive ended.
enum Outcome {
    Indexed,
    Unchanged,
    /// Not an archive, or not readable; its problems are in the log.
    LeftOut,
}

/// A folder of tables.
struct Collection<'a> {
    folder: &'a Path,
    made: TableOptions,
    wanted: Wanted,
    reading: &'a ReadArgs,
    archives: Archives<'a>,
    /// The names of the archives that are in the collection, by where they lie: a path may be written in several ways.
    names: HashMap<String, String>,
}

/// Brings the collection in `folder` up to date with the archives.
pub(super) fn update(
    folder: &Path,
    sources: &[Source],
    (content, format): (bool, TableFormat),
    archives: Archives<'_>,
    reading: &ReadArgs,
    files: &mut Files,
) -> anyhow::Result<Exit> {
    if let Some(stream) = sources.iter().find(|source| source.fault.is_none() && source.is_stream()) {
        let message = format!("{} can be read only once, so a run could not continue", stream.name);
        return Err(Error::usage(message).with_remedy("use -o FILE for pipes and standard input").into());
    }
    let Archives { shard, name_as, .. } = archives;
    files.read_sources(sources)?;
    files.write("--problems", reading.problems.as_deref())?;
    files.write("--metrics", reading.metrics.as_deref())?;
    reading.check_faults(sources)?;
    let digests = match reading.digests {
        DigestsArg::Verify => "verify",
        DigestsArg::Declared => "declared",
    };
    if let Some(pattern) = name_as {
        pattern.check(sources.iter().map(|source| source.name.as_str()))?;
    }
    let name = name_as.map(|pattern| pattern.text().to_owned());
    let made = TableOptions { content, digests: digests.to_owned(), format, name_as: name };
    let wanted = Wanted { text: content, links: content, sitemaps: content, walls: true };
    let mut collection = Collection { folder, made, wanted, reading, archives, names: HashMap::new() };
    let _lock = collection.create()?;
    collection.names = names_by_place(folder)?;
    let mine: Vec<&Source> =
        sources.iter().filter(|source| shard.is_none_or(|shard| shard.has(&source.name))).collect();
    let mut log = reading.log()?;
    let (mut indexed, mut unchanged, mut skipped, mut observations) = (0u64, 0u64, 0u64, 0u64);
    let run = reading.start(mine.iter().copied());
    for source in &mine {
        let (outcome, found) = collection.archive(source, &mut log, &run)?;
        observations += found;
        match outcome {
            Outcome::Indexed => indexed += 1,
            Outcome::Unchanged => unchanged += 1,
            Outcome::LeftOut => skipped += 1,
        }
    }
    left_out::clear(folder, sources)?;
    if shard.is_none() {
        collection.note_others(sources, &mut log)?;
    }
    log.flush()?;
    run.finish(indexed + unchanged, observations, &log)?;
    reading.report_problems(&log);
    if !reading.quiet {
        let _ = writeln!(
            std::io::stderr(),
            "{} indexed, {unchanged} unchanged and skipped, {skipped} left out",
            count(indexed, "archive")
        );
    }
    if indexed + unchanged == 0 && (shard.is_none() || skipped > 0) {
        return Err(super::input::nothing_read(mine.len(), &log).into());
    }
    Ok(reading.exit(&log, Exit::Done))
}

/// Where an archive lies, by its true path.
fn place_of(source: &Source) -> String {
    source
        .path()
        .canonicalize()
        .map_or_else(|_| source.name.clone(), |path| crate::archive::source::name_of(&path))
}

/// The archive that a manifest is of, if that is another one, which is still there: a relative path leads elsewhere from another folder.
fn taken_by(manifest: &Path, source: &Source) -> Option<String> {
    let manifest: Manifest = serde_json::from_slice(&fs::read(manifest).ok()?).ok()?;
    let is_other = !manifest.place.is_empty() && manifest.place != place_of(source);
    (is_other && crate::archive::source::path_of(&manifest.place).is_file()).then_some(manifest.place)
}

/// The names of the archives of a collection, by where they lie.
fn names_by_place(folder: &Path) -> std::io::Result<HashMap<String, String>> {
    let mut names = HashMap::new();
    let folder = folder.join("manifest");
    let mut files = names_in(&folder)?;
    files.sort_unstable();
    for file in files {
        let manifest = fs::read(folder.join(&file)).ok();
        let manifest = manifest.and_then(|text| serde_json::from_slice::<Manifest>(&text).ok());
        let name = file.to_str().and_then(|file| file.strip_suffix(".json"));
        if let (Some(Manifest { place, .. }), Some(name)) = (manifest, name)
            && !place.is_empty()
        {
            names.insert(place, name.to_owned());
        }
    }
    Ok(names)
}

impl Collection<'_> {
    /// Makes the folders, and locks the collection for as long as the result lives; a folder that holds other things is not taken
    /// for a collection.
    fn create(&self) -> anyhow::Result<Option<File>> {
        let folder = self.folder;
        fs::create_dir_all(folder).with_context(|| format!("{} cannot be written", folder.display()))?;
        let lock = self.lock()?;
        let mark = self.folder.join(MARK);
        let is_foreign = !mark.exists()
            && fs::read_dir(self.folder).is_ok_and(|mut entries| {
                entries.any(|entry| entry.is_ok_and(|entry| !output::is_partial(&entry.file_name())))
            });
        if is_foreign {
            let message = "the folder is not empty and not a collection";
            let error = Error::usage(message).at_file(self.folder);
            return Err(error.with_remedy("name a new folder, or one that --out made").into());
        }
        // The mark comes first: without it, the next run would refuse the folders that a killed run leaves.
        if !mark.exists() {
            write_json(&mark, &serde_json::json!({ "schema": SCHEMA }))?;
        }
        for part in self.made.format.folders() {
            let part = self.folder.join(part);
            fs::create_dir_all(&part).with_context(|| format!("{} cannot be written", part.display()))?;
            output::remove_stale(&part);
        }
        Ok(lock)
    }

    /// Locks the folder: parts of the archives (`--shard`) may be read at the same time, else one run is at work. The system takes the
    /// lock off when the process ends, however it ends. Where there are no locks, none is held.
    fn lock(&self) -> anyhow::Result<Option<File>> {
        let Ok(folder) = File::open(self.folder) else { return Ok(None) };
        let locked = match self.archives.shard {
            Some(_) => folder.try_lock_shared(),
            None => folder.try_lock(),
        };
        match locked {
            Ok(()) => Ok(Some(folder)),
            Err(TryLockError::Error(_)) => Ok(None),
            Err(TryLockError::WouldBlock) => {
                let error = Error::usage("another run is writing to this collection").at_file(self.folder);
                let remedy = "wait until it has ended; runs that share the work all need --shard";
                Err(error.with_remedy(remedy).into())
            }
        }
    }

    /// The name of an archive in the collection: that of its path, or the one by which an earlier run put it there.
    fn name_of(&self, source: &Source) -> String {
        let own = collection_name(&source.name);
        match self.part("manifest", &own, "json").exists() {
            true => own,
            false => self.names.get(&place_of(source)).cloned().unwrap_or(own),
        }
    }

    fn part(&self, part: &str, name: &str, end: &str) -> PathBuf {
        self.folder.join(part).join(format!("{name}.{end}"))
    }

    /// Indexes an archive, unless its table is up to date.
    fn archive(
        &self,
        source: &Source,
        log: &mut ProblemLog,
        run: &super::input::Run,
    ) -> anyhow::Result<(Outcome, u64)> {
        let name = self.name_of(source);
        let manifest_path = self.part("manifest", &name, "json");
        let state = match (&source.fault, file_state(&source.path())) {
            (None, Ok(state)) => state,
            (fault, state) => {
                let cause = fault.clone().or_else(|| state.err().map(|error| error.to_string()));
                let message = format!("the input cannot be read: {}", cause.unwrap_or_default());
                let problem = Problem::new(Level::Error, "unreadable-input", message).in_file(&source.name);
                log.push(problem.clone())?;
                // The table of an earlier run holds what the archive held then.
                if !manifest_path.exists() {
                    self.leave_out(source, vec![problem])?;
                }
                return Ok((Outcome::LeftOut, 0));
            }
        };
        if let Some(other) = taken_by(&manifest_path, source) {
            let message =
                format!("the collection has another archive of this name, {other}; this one was left out");
            let remedy = "name archives by absolute paths, or use one collection for each folder";
            let problem = Problem::new(Level::Error, "unreadable-input", message).in_file(&source.name);
            log.push(problem.with_remedy(remedy))?;
            return Ok((Outcome::LeftOut, 0));
        }
        if let Some(manifest) = self.current(&manifest_path, source, state) {
            run.advance(state.0);
            self.repeat_problems(&name, log)?;
            left_out::remove_trace(self.folder, &name)?;
            return Ok((Outcome::Unchanged, manifest.observations));
        }
        // Until the new table is complete the old one must not count.
        self.remove_tables(&name)?;
        remove(&manifest_path)?;
        let mut own = ProblemLog::collecting();
        let reading =
            self.reading.ingest(&[(*source).clone()], self.wanted, self.made.content, &mut own, run)?;
        let found = own.take_collected();
        for problem in &found {
            log.push(problem.clone())?;
        }
        if reading.inputs.is_empty() {
            self.leave_out(source, found)?;
            return Ok((Outcome::LeftOut, 0));
        }
        let mut written = self.write_tables(&name, &reading, &found)?;
        written.extend(self.write_problems(&name, &found)?);
        let blake3 = blake3_of(&source.name)?;
        if file_state(&source.path()).ok() != Some(state) {
            let message = "the file changed while it was read; its table is made again in the next run";
            let remedy = "run `acuity index` with the same --out again when nothing writes to it";
            let problem = Problem::new(Level::Error, FILE_CHANGED, message).in_file(&source.name);
            let problem = problem.with_remedy(remedy);
            log.push(problem.clone())?;
            self.remove_tables(&name)?;
            self.leave_out(source, vec![problem])?;
            return Ok((Outcome::LeftOut, 0));
        }
        let observations = reading.observations.len();
        let manifest = Manifest {
            schema: SCHEMA.to_owned(),
            path: source.name.clone(),
            place: place_of(source),
            bytes: state.0,
            modified: state.1,
            blake3,
            tool: tool(),
            options: self.made.clone(),
            observations,
            files: self.parts(written)?,
            problems: own
                .counts()
                .map(|(level, kind, count)| ProblemCount { level, kind: kind.to_owned(), count })
                .collect(),
        };
        write_json(&manifest_path, &manifest)?;
        left_out::remove_trace(self.folder, &name)?;
        Ok((Outcome::Indexed, observations))
    }

    /// Notes in the collection that an archive is not in it.
    fn leave_out(&self, source: &Source, problems: Vec<Problem>) -> anyhow::Result<()> {
        let path = self.part(LEFT_OUT, &collection_name(&source.name), "json");
        write_json(&path, &LeftOut { path: source.name.clone(), problems })
    }

    /// Removes the tables of an archive and its list of problems, whatever their format.
    fn remove_tables(&self, name: &str) -> std::io::Result<()> {
        remove(&self.part("problems", name, "jsonl"))?;
        remove(&self.part("problems", name, "parquet"))?;
        remove(&self.part("tables", name, "jsonl"))?;
        for part in 1.. {
            let end = if part == 1 { "parquet".to_owned() } else { format!("{part}.parquet") };
            let table = self.part("observations", name, &end);
            if !table.exists() {
                break;
            }
            remove(&self.part("links", name, &end))?;
            remove(&table)?;
        }
        Ok(())
    }

    /// Notes how many archives of the collection are not among the inputs: their tables stay.
    fn note_others(&self, sources: &[Source], log: &mut ProblemLog) -> anyhow::Result<()> {
        let given: HashSet<OsString> =
            sources.iter().map(|source| format!("{}.json", self.name_of(source)).into()).collect();
        let is_other = |name: &OsString| !given.contains(name);
        let traces = names_in(&self.folder.join(LEFT_OUT))?.into_iter().filter(is_other).count() as u64;
        if traces > 0 {
            let text = format!(
                "{} that could not be read in an earlier run {} not among the inputs of this one; the collection still says so",
                count(traces, "archive"),
                if traces == 1 { "is" } else { "are" }
            );
            let folder = crate::archive::source::name_of(&self.folder.join(LEFT_OUT));
            let problem = Problem::new(Level::Note, "not-among-inputs", text).in_file(&folder);
            let remedy = "name them again; of one that is not wanted, remove the file in this folder";
            log.push(problem.with_remedy(remedy))?;
        }
        let others: BTreeSet<OsString> =
            names_in(&self.folder.join("manifest"))?.into_iter().filter(is_other).collect();
        let Some(first) = others.first() else { return Ok(()) };
        let manifest = fs::read(self.folder.join("manifest").join(first));
        let path = manifest.ok().and_then(|text| serde_json::from_slice::<Manifest>(&text).ok());
        let first = path.map_or_else(|| first.display().to_string(), |manifest| manifest.path);
        let text = match others.len() as u64 {
            1 => {
                format!("{first} is in the collection, but not among the inputs of this run; its table stays")
            }
            many => format!(
                "{}, such as {first}, are in the collection, but not among the inputs of this run; their tables stay",
                count(many, "archive")
            ),
        };
        let folder = crate::archive::source::name_of(self.folder);
        let problem = Problem::new(Level::Note, "not-among-inputs", text).in_file(&folder);
        Ok(log.push(problem.with_remedy("to leave archives out, index the others into a new folder"))?)
    }

    /// The manifest of a table that is up to date: same archive, same tool, same options, and the table as it was written.
    fn current(&self, path: &Path, source: &Source, state: (u64, u128)) -> Option<Manifest> {
        let manifest: Manifest = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        let is_same = manifest.schema == SCHEMA
            && (manifest.path == source.name || manifest.place == place_of(source))
            && (manifest.bytes, manifest.modified) == state
            && (!self.archives.rehash || blake3_of(&source.name).is_ok_and(|hash| hash == manifest.blake3))
            && manifest.tool == tool()
            && manifest.options == self.made;
        let is_whole = |part: &Part| self.part_at(part.path.clone()).is_ok_and(|found| found == *part);
        let has_parts = is_same && manifest.files.iter().all(is_whole);
        has_parts.then_some(manifest)
    }

    /// Writes the observations; gives the paths below the collection's folder.
    fn write_tables(
        &self,
        name: &str,
        reading: &Reading,
        #[cfg_attr(not(feature = "parquet"), expect(unused_variables, reason = "lines have no notes"))]
        found: &[Problem],
    ) -> anyhow::Result<Vec<String>> {
        let names = Names::new(self.archives.name_as, &reading.inputs)?;
        let observations = &reading.observations;
        match self.made.format {
            TableFormat::Jsonl => {
                let table = format!("tables/{name}.jsonl");
                output::write(Some(&self.folder.join(&table)), |out| {
                    let line = |observation: &Observation, line: &mut Vec<u8>| {
                        names.apply(observation).json_line(line);
                        Ok(())
                    };
                    Ok(observations.render(self.reading.threads(), &line, out)?)
                })?;
                Ok(vec![table])
            }
            #[cfg(feature = "parquet")]
            TableFormat::Parquet => {
                let made = crate::columnar::provenance::Provenance::new(&self.made.digests, found);
                super::parquet::write(self.folder, name, observations, &names, made)
            }
        }
    }

    /// Writes the file of problems; without problems there is none.
    fn write_problems(&self, name: &str, problems: &[Problem]) -> anyhow::Result<Option<String>> {
        if problems.is_empty() {
            return Ok(None);
        }
        let path = self.problem_path(name);
        output::write(Some(&self.folder.join(&path)), |out| match self.made.format {
            TableFormat::Jsonl => {
                for problem in problems {
                    serde_json::to_writer(&mut *out, problem)?;
                    out.write_all(b"\n")?;
                }
                Ok(())
            }
            #[cfg(feature = "parquet")]
            TableFormat::Parquet => Ok(out.write_all(&crate::columnar::problems::table(problems)?)?),
        })?;
        Ok(Some(path))
    }

    fn problem_path(&self, name: &str) -> String {
        match self.made.format {
            TableFormat::Jsonl => format!("problems/{name}.jsonl"),
            #[cfg(feature = "parquet")]
            TableFormat::Parquet => format!("problems/{name}.parquet"),
        }
    }

    /// The problems of a table that was made before count in this run too.
    fn repeat_problems(&self, name: &str, log: &mut ProblemLog) -> anyhow::Result<()> {
        let path = self.folder.join(self.problem_path(name));
        match self.made.format {
            TableFormat::Jsonl => {
                let Ok(lines) = fs::read(path) else { return Ok(()) };
                for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                    log.push(serde_json::from_slice(line)?)?;
                }
            }
            #[cfg(feature = "parquet")]
            TableFormat::Parquet => {
                let Ok(file) = fs::File::open(path) else { return Ok(()) };
                let blob = crate::archive::blob::Blob::file(file)?;
                for problem in crate::columnar::problems::read(&blob) {
                    log.push(problem)?;
                }
            }
        }
        Ok(())
    }

    /// What is at these paths.
    fn parts(&self, mut paths: Vec<String>) -> anyhow::Result<Vec<Part>> {
        paths.sort();
        paths.into_iter().map(|path| self.part_at(path)).collect()
    }

    fn part_at(&self, path: String) -> anyhow::Result<Part> {
        let file = self.folder.join(&path);
        let blake3 = blake3_of(&crate::archive::source::name_of(&file))?;
        Ok(Part { bytes: fs::metadata(file)?.len(), path, blake3 })
    }
}

fn tool() -> String {
    format!("acuity {}", env!("CARGO_PKG_VERSION"))
}

/// Length and time of modification.
fn file_state(path: &Path) -> std::io::Result<(u64, u128)> {
    let file = fs::metadata(path)?;
    let modified = file.modified().unwrap_or(SystemTime::UNIX_EPOCH);
    Ok((file.len(), modified.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos())))
}

fn write_json(path: &Path, value: &impl Serialize) -> anyhow::Result<()> {
    output::write(Some(path), |out| {
        serde_json::to_writer_pretty(&mut *out, value)?;
        Ok(out.write_all(b"\n")?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_divide_all_archives() {
        let shards: Vec<Shard> = (1..=5).map(|number| Shard { number, of: 5 }).collect();
        for name in (0..200).map(|number| format!("{}/crawl.warc.gz", number)) {
            assert_eq!(shards.iter().filter(|shard| shard.has(&name)).count(), 1, "{name}");
        }
        assert_eq!("3/16".parse(), Ok(Shard { number: 3, of: 16 }));
        for wrong in ["0/4", "5/4", "3", "a/b", "1/0", "-1/4"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
