//! The library in a few calls: open inputs, then index, audit, ask at a date, or plan the next crawl.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;

use crate::archive::source::{Source, expand};
use crate::at::ask;
use crate::at::model::{At, AtParameters};
use crate::audit::changes::MAX_COMPARED_BYTES;
use crate::audit::commands::Typed;
use crate::audit::next::crawl;
use crate::audit::outlook::Outlook;
use crate::audit::{Audit, ChangeMeter, Fates, Importance, Parameters};
use crate::capture::Observation;
use crate::drive::{AuditExtras, Tabling, drive, tabulate};
use crate::error::Result;
use crate::ingest::{Options, ProblemLog, Reading, Wanted, read};
use crate::quality::weights::ChangeWeights;
use crate::report::{json, pretty};
use crate::schedule::build::{Request, build};
use crate::schedule::model::Schedule;

/// Files of one or more web archives, opened to be asked.
///
/// ```
/// # fn main() -> acuity::Result<()> {
/// let archive = acuity::Archive::open(["fixtures/demo"])?;
/// let audit = archive.audit()?;
/// assert_eq!(audit.summary.pages, 26);
/// if audit.answers.consistent.band != Some(acuity::model::Band::Good) {
///     println!("{}", audit.answers.consistent.sentence);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Archive {
    sources: Vec<Source>,
    typed: Vec<String>,
    threads: usize,
}

impl Archive {
    /// Opens WARC, ARC, WACZ, CDX and CDXJ files, folders of them, and globs.
    ///
    /// # Errors
    /// Where a path does not exist or a pattern is invalid. What cannot be read later is a problem in the result.
    pub fn open<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<Self> {
        let names: Vec<OsString> =
            paths.into_iter().map(|path| path.as_ref().as_os_str().to_owned()).collect();
        let typed = names.iter().map(|name| name.to_string_lossy().into_owned()).collect();
        Ok(Archive { sources: expand(&names)?, typed, threads: 1 })
    }

    /// Reads with this many threads; the results are the same.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        Archive { threads: threads.max(1), ..self }
    }

    fn read(&self, wanted: Wanted) -> Result<(Reading, ProblemLog)> {
        let mut log = ProblemLog::new(None);
        let options = Options { threads: self.threads, wanted, ..Options::default() };
        let reading = read(&self.sources, &options, &mut log, &|_| {})?;
        Ok((reading, log))
    }

    /// Writes one line of JSON for each capture, and gives their number.
    ///
    /// ```
    /// # fn main() -> acuity::Result<()> {
    /// let mut lines = Vec::new();
    /// let captures = acuity::Archive::open(["fixtures/demo"])?.index(&mut lines)?;
    /// assert_eq!(captures, 63);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Where `out` cannot be written.
    pub fn index(&self, out: &mut dyn Write) -> Result<u64> {
        let (reading, _) = self.read(Wanted::default())?;
        let line = |observation: &Observation, line: &mut Vec<u8>| {
            observation.json_line(line);
            Ok(())
        };
        reading.observations.render(self.threads, &line, out)?;
        Ok(reading.observations.len())
    }

    /// Says how good the archive is: consistent, complete, and a trustworthy record.
    ///
    /// ```
    /// # fn main() -> acuity::Result<()> {
    /// let audit = acuity::Archive::open(["fixtures/demo"])?.audit()?;
    /// for action in &audit.actions {
    ///     println!("{}", action.text);
    /// }
    /// # assert!(!audit.actions.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Where a temporary file cannot be written.
    pub fn audit(&self) -> Result<Audit> {
        let (mut reading, mut log) =
            self.read(Wanted { text: true, links: true, sitemaps: true, walls: true })?;
        let parameters = Parameters::default();
        let sitemaps = crate::drive::captured(std::mem::take(&mut reading.sitemaps));
        let memory = Options::default().memory;
        let how = Tabling { hashed: false, memory, local: true };
        let mut tabled = tabulate(&mut reading, &parameters, &mut log, how)?;
        let beside = AuditExtras {
            sitemaps,
            fates: Fates::default(),
            importance: Importance::By(None),
            history: None,
            meter: Some(ChangeMeter::new(ChangeWeights::default(), MAX_COMPARED_BYTES)),
            verified: true,
            has_options: false,
            is_part: false,
            typed: Typed { inputs: self.typed.clone(), ..Typed::default() },
            max_pages: None,
        };
        drive(reading, &mut tabled, &mut log, &parameters, beside, &mut |_, _, _| Ok(()))
    }

    /// Says whether the pages are proven to have been online together at a date, such as `2024-03-04T09:15:00Z`.
    ///
    /// ```
    /// # fn main() -> acuity::Result<()> {
    /// let answer = acuity::Archive::open(["fixtures/demo"])?.at("2024-03-04T09:15:00Z")?;
    /// println!("{}", answer.verdict.words());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Where the text is not a date.
    pub fn at(&self, date: &str) -> Result<At> {
        let parameters = AtParameters::on(date);
        let (reading, log) = self.read(ask::wanted(&parameters))?;
        ask::answer(reading, &log, &parameters)
    }
}

impl Audit {
    /// Plans the next crawl: which page when, so that most importance is expected to be consistent. `delay` is the pause
    /// between two fetches in seconds, where the last crawl shows none.
    ///
    /// ```
    /// # fn main() -> acuity::Result<()> {
    /// let audit = acuity::Archive::open(["fixtures/demo"])?.audit()?;
    /// let plan = audit.schedule(1.0)?;
    /// assert_eq!(plan.sites.len(), 1);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Where the pause is not a valid length of time.
    pub fn schedule(&self, delay: f64) -> Result<Schedule> {
        let next = crawl::plan(&self.sites, true);
        let caveats = Outlook::of(&self.sites).caveats;
        build(&next.pages, &Request { delay, lane_delays: next.delays, caveats, ..Request::default() })
    }

    /// Writes the JSON that `acuity report` reads (`docs/report-schema.json`).
    ///
    /// # Errors
    /// Where `out` cannot be written.
    pub fn write_json(&self, out: &mut dyn Write) -> Result<()> {
        pretty::write(&mut *out, self)?;
        Ok(out.write_all(b"\n")?)
    }

    /// Reads what [`Audit::write_json`] wrote.
    ///
    /// # Errors
    /// Where the text is not an audit of this version.
    pub fn from_json(text: &[u8]) -> Result<Self> {
        json::read(text)
    }
}
