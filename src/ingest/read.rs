//! Reads all inputs, with any number of threads, into one spool of observations in input order.
//!
//! Threads take units of work in order and hand back batches through small queues of their own, so that memory stays
//! bounded however far one runs ahead. A part of a gzip file is read on the guess that the first record start found
//! in it is a member; the guess is checked against where the part before it ended, and read again if it was wrong.
//! So the result does not depend on the number of threads.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::io;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::assemble::{Batch, Digests, ExtraLinks, Item};
use super::contradiction::contradict;
use super::log::ProblemLog;
use super::pair::{Out, Pairing};
use super::plan::{InputFile, Plan, Step, plan, taken};
use super::scan::Wanted;
use super::spool::Spool;
use super::truncated;
use super::unit::{How, Message, Unit, Work, Workbench};
use crate::archive::source::{Source, base_name};
use crate::archive::wacz::ListedPage;
use crate::capture::graph::{GraphBuilder, LinkGraph};
use crate::capture::table::{Table, TableBuilder};
use crate::capture::{Contradiction, Kind, Observation};
use crate::error::Result;
use crate::html::link_list::Links;
use crate::html::links::LinkKind;
use crate::html::sitemap::Entry;
use crate::ingest::page_cache::PageCache;
use crate::ingest::revisit::content_of_revisits;
use crate::ingest::revisit::recheck::recheck;
use crate::ingest::revisit::report::report;
use crate::ingest::revisit::resolve::resolve;
use crate::ingest::thread::start_thread;
use crate::problem::{Level, Problem, Reported};
use crate::time::Instant;
use crate::url::{Canon, SiteBy};

/// How inputs are read.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Whether digests are recomputed.
    pub digests: Digests,
    /// How many files, or parts of a large one, are read at a time.
    pub threads: usize,
    /// What is read out of bodies (only where digests are recomputed: elsewhere bodies are not read).
    pub wanted: Wanted,
    /// Whether observations keep their links and what sitemaps list, besides the link graph and the list of sitemaps.
    pub keep_content: bool,
    /// Whether links make up one graph.
    pub graph: bool,
    /// Links of captures from then on are not part of the graph. Those of earlier ones are: a revisit has the links of its original.
    pub links_until: Option<Instant>,
    /// Whether index lines stay beside the captures that they describe: where both are compared.
    pub keep_lines: bool,
    /// Whether sources are read in the order given, not in that of their names.
    pub in_order: bool,
    /// Maximum bytes taken from a pipe or device.
    pub max_input: u64,
    /// Compressed bytes a thread takes at a time.
    pub chunk: u64,
    /// About how many bytes of observations are held in memory before they go to a temporary file.
    pub memory: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            digests: Digests::Verify,
            threads: 1,
            wanted: Wanted::default(),
            keep_content: false,
            graph: true,
            links_until: None,
            keep_lines: false,
            in_order: false,
            max_input: 1 << 40,
            chunk: 1 << 20,
            memory: 512 << 20,
        }
    }
}

/// Maximum bytes kept of the entries of sitemaps.
const MAX_SITEMAP_BYTES: usize = 128 << 20;

/// What a sitemap in an archive lists.
#[derive(Debug, Clone, PartialEq)]
pub struct SitemapFile {
    /// Where it was captured.
    pub url: String,
    /// When it was captured.
    pub time: Instant,
    /// The pages it lists, with their dates.
    pub entries: Vec<Entry>,
}

/// Everything that was found in a set of inputs.
pub struct Reading {
    /// The observations, in input order, revisits resolved.
    pub observations: Spool,
    /// The files that were read.
    pub inputs: Vec<InputFile>,
    /// The pages that packages list.
    pub pages: Vec<ListedPage>,
    /// How many links were found, wherever they lead; a page counts each link once.
    pub links: u64,
    /// Whether links were looked for in any capture, now or when its table was made: then none were found where there are none.
    pub links_read: bool,
    /// Which URL points to which; its nodes are URLs by the strict rules.
    pub graph: LinkGraph,
    /// The sitemaps in the archives.
    pub sitemaps: Vec<SitemapFile>,
}

impl Reading {
    /// All captures as one table.
    ///
    /// # Errors
    /// When the temporary file that holds observations cannot be read.
    pub fn table(&self) -> io::Result<Table> {
        let mut builder = TableBuilder::new();
        self.observations.for_each(&mut |observation, input| {
            builder.push(observation, input);
            Ok(())
        })?;
        Ok(builder.finish())
    }

    /// Gives revisits what they show by their own heads and addresses.
    pub(crate) fn show_revisits(self, wanted: Wanted) -> io::Result<Self> {
        Ok(Reading { observations: content_of_revisits::show(self.observations, wanted)?, ..self })
    }
}

/// Reads all inputs. `progress` receives the number of input bytes read.
pub fn read(
    sources: &[Source],
    options: &Options,
    log: &mut ProblemLog,
    progress: &dyn Fn(u64),
) -> Result<Reading> {
    // A fixed order, so that the result does not depend on the order of the arguments.
    let mut sources = sources.to_vec();
    if !options.in_order {
        sources.sort_by(|a, b| a.name.cmp(&b.name));
    }
    let mut merger = Merger::new(options, log, progress);
    if options.threads <= 1 {
        merger.read_alone(&sources)?;
    } else {
        merger.read_together(&sources, options.threads)?;
    }
    merger.end_file()?;
    merger.check_required(&sources)?;
    let Merger { spool, inputs, pages, graph, links, links_read, sitemaps, pairing, .. } = merger;
    let (mut spool, problem) = pairing.late.settle(spool)?;
    problem.map_or(Ok(()), |problem| log.push(problem))?;
    let (graph, problem) = graph.finish();
    problem.map_or(Ok(()), |problem| log.push(problem))?;
    let settled = resolve(&mut spool, options.memory / 2, options.digests, options.keep_lines)?;
    let is_refuted = settled.unchecked && options.digests == Digests::Verify && recheck(&mut spool)?;
    if settled.at_odds || is_refuted {
        report(&spool, &inputs, log)?;
    }
    if !settled.mistaken.is_empty() {
        spool = contradict(spool, &settled.mistaken, &inputs)?;
    }
    if options.digests == Digests::Verify {
        spool = truncated::mark(spool)?;
    }
    Ok(Reading { observations: spool, inputs, pages, links, links_read, graph, sitemaps })
}

struct Merger<'a> {
    options: Options,
    log: &'a mut ProblemLog,
    progress: &'a dyn Fn(u64),
    spool: Spool,
    inputs: Vec<InputFile>,
    pages: Vec<ListedPage>,
    graph: GraphBuilder,
    links: u64,
    /// Whether links were looked for in any capture, now or when its table was made.
    links_read: bool,
    sitemaps: Vec<SitemapFile>,
    sitemap_bytes: usize,
    /// What tables told of their archives.
    told: Reported,
    /// Packages that hold originals: who needs them, and their names.
    required: Vec<(String, String)>,
    pairing: Pairing,
    /// Whether the links of observations were resolved in this run.
    resolved: bool,
    /// Observations that have just become complete. A field so that its memory is reused.
    ready: VecDeque<(Box<Observation>, ExtraLinks)>,
    /// The file that contradicts the one being read.
    contradiction: Option<Contradiction>,
    /// Where the next part of a gzip file has to start.
    expected: u64,
    bench: Workbench,
}

impl<'a> Merger<'a> {
    fn new(options: &Options, log: &'a mut ProblemLog, progress: &'a dyn Fn(u64)) -> Self {
        Merger {
            options: *options,
            log,
            progress,
            spool: Spool::new(options.memory / 2),
            inputs: Vec::new(),
            pages: Vec::new(),
            graph: GraphBuilder::default(),
            links: 0,
            links_read: false,
            sitemaps: Vec::new(),
            sitemap_bytes: 0,
            told: Reported::default(),
            required: Vec::new(),
            pairing: Pairing::default(),
            resolved: false,
            ready: VecDeque::new(),
            contradiction: None,
            expected: 0,
            bench: Workbench::default(),
        }
    }

    fn read_alone(&mut self, sources: &[Source]) -> io::Result<()> {
        let how = Plan { chunk: None, digests: self.options.digests, max_input: self.options.max_input };
        let mut taken = taken(sources);
        for step in sources.iter().flat_map(|source| plan(source, how, &mut taken)) {
            match step {
                Step::Unit(unit) => {
                    self.run_here(&unit)?;
                    (self.progress)(unit.blob.len());
                }
                other => self.step(other)?,
            }
        }
        Ok(())
    }

    /// Everything but a unit.
    fn step(&mut self, step: Step) -> io::Result<()> {
        match step {
            Step::File(file) => self.start_file(file)?,
            Step::Contradicted(witness) => self.contradiction = Some(witness),
            Step::Problem(problem) => self.log.push(problem)?,
            Step::Told(mut problems) => {
                self.told.keep_new(&mut problems);
                problems.into_iter().try_for_each(|problem| self.log.push(problem))?;
            }
            Step::Pages(pages) => self.pages.extend(pages),
            Step::Requires { file, required } => self.required.push((file, required)),
            Step::Unit(_) => {}
        }
        Ok(())
    }

    /// A package that others depend on has to be among the inputs, or their revisits stay unresolved.
    fn check_required(&mut self, sources: &[Source]) -> io::Result<()> {
        for (file, required) in std::mem::take(&mut self.required) {
            if !sources.iter().any(|source| base_name(&source.name) == base_name(&required)) {
                let message = format!("the package needs {required:?}, which is not among the inputs");
                let problem = Problem::new(Level::Warning, "required-package-missing", message).in_file(file);
                self.log.push(
                    problem.with_remedy("add it to the inputs, so that revisits find their originals"),
                )?;
            }
        }
        Ok(())
    }

    fn read_together(&mut self, sources: &[Source], threads: usize) -> io::Result<()> {
        let how = How { digests: self.options.digests, wanted: self.options.wanted };
        thread::scope(|scope| {
            let (jobs, queue) = channel::<(Unit, SyncSender<Message>)>();
            let queue = Arc::new(Mutex::new(queue));
            let seen = Arc::<PageCache>::default();
            let work = || {
                let (queue, seen) = (Arc::clone(&queue), Arc::clone(&seen));
                move || {
                    let mut bench = Workbench::sharing(seen);
                    loop {
                        let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                        let Ok((unit, results)) = job else { return };
                        // The run failed and the receiver is gone: drop the rest.
                        unit.run(how, &mut bench, &mut |message| drop(results.send(message)));
                    }
                }
            };
            // Where no more threads can be started, those that run do the work.
            let threads = (0..threads).take_while(|_| start_thread(scope, work())).count();
            if threads == 0 {
                return self.read_alone(sources);
            }
            let plan_how = Plan {
                chunk: Some(self.options.chunk),
                digests: how.digests,
                max_input: self.options.max_input,
            };
            let mut taken = taken(sources);
            let mut steps = sources.iter().flat_map(|source| plan(source, plan_how, &mut taken));
            let mut waiting: VecDeque<Waiting> = VecDeque::new();
            loop {
                while waiting.iter().filter(|step| matches!(step, Waiting::Unit(..))).count()
                    < 2 * threads + 1
                {
                    let Some(step) = steps.next() else { break };
                    waiting.push_back(match step {
                        Step::Unit(unit) => {
                            let (sender, receiver) = sync_channel(16);
                            // The receiving end lives as long as the threads do.
                            let _ = jobs.send((unit.clone(), sender));
                            Waiting::Unit(unit, receiver)
                        }
                        other => Waiting::Step(other),
                    });
                }
                match waiting.pop_front() {
                    None => return Ok(()),
                    Some(Waiting::Step(step)) => self.step(step)?,
                    Some(Waiting::Unit(unit, results)) => self.take_unit(&unit, &results)?,
                }
            }
        })
    }

    fn take_unit(&mut self, unit: &Unit, results: &Receiver<Message>) -> io::Result<()> {
        let mut accepted = true;
        if let Work::Gzip { from, until, .. } = unit.work {
            let start = match results.recv() {
                Ok(Message::Start(start)) => start,
                Ok(Message::Failed(error)) => return self.unreadable(unit, &error),
                _ => None,
            };
            accepted = from == 0 || start == Some(self.expected);
            if !accepted {
                for _ in results {}
                if self.expected < until {
                    let work = Work::Gzip { from: self.expected, until, find: false };
                    self.run_here(&Unit { work, ..unit.clone() })?;
                }
            }
            (self.progress)(until - from);
        } else {
            (self.progress)(unit.blob.len());
        }
        if accepted {
            for message in results {
                self.message(unit, message)?;
            }
        }
        Ok(())
    }

    fn run_here(&mut self, unit: &Unit) -> io::Result<()> {
        let mut bench = std::mem::take(&mut self.bench);
        let mut outcome = Ok(());
        let how = How { digests: self.options.digests, wanted: self.options.wanted };
        unit.run(how, &mut bench, &mut |message| {
            if outcome.is_ok() {
                outcome = self.message(unit, message);
            }
        });
        self.bench = bench;
        outcome
    }

    fn message(&mut self, unit: &Unit, message: Message) -> io::Result<()> {
        match message {
            Message::Start(_) => Ok(()),
            Message::Batch(batch) => self.batch(batch),
            Message::End(end) => {
                self.expected = end;
                Ok(())
            }
            Message::Failed(error) => self.unreadable(unit, &error),
        }
    }

    fn unreadable(&mut self, unit: &Unit, error: &io::Error) -> io::Result<()> {
        let message = format!("reading failed: {error}");
        self.log.push(Problem::new(Level::Error, "unreadable-input", message).in_file(&*unit.file))
    }

    fn batch(&mut self, batch: Batch) -> io::Result<()> {
        for problem in batch.problems {
            self.log.push(problem)?;
        }
        for item in batch.items {
            match item {
                Item::Outlinks(mut outlinks) => {
                    let is_taken = self.pairing.outlinks(&mut outlinks);
                    if let Some(page) = outlinks.url.as_ref().filter(|_| !is_taken) {
                        self.links += outlinks.value.len() as u64;
                        self.links(page, &outlinks.value, true);
                    }
                }
                item => {
                    self.resolved = !matches!(item, Item::Observed(_));
                    self.pair(|pairing, out| pairing.push(item, out))?;
                }
            }
        }
        Ok(())
    }

    /// Passes something to the pairing, and takes the observations it completes.
    fn pair(&mut self, take: impl FnOnce(&mut Pairing, &mut Out<'_>)) -> io::Result<()> {
        let mut ready = std::mem::take(&mut self.ready);
        take(&mut self.pairing, &mut |observation, told| ready.push_back((observation, told)));
        let mut complete = ready.drain(..);
        let outcome = complete.try_for_each(|(observation, told)| self.observed(observation, told));
        drop(complete);
        self.ready = ready;
        outcome
    }

    /// An observation is complete, and so are the links that are not in it.
    fn observed(&mut self, mut observation: Box<Observation>, told: ExtraLinks) -> io::Result<()> {
        if observation.normalise() {
            let message = "a not-modified answer declares the digest of an empty body; taken as no digest";
            self.log.push(place(Problem::new(Level::Note, "empty-digest", message), &observation))?;
        }
        if self.contradiction.is_some() {
            observation.contradicts.clone_from(&self.contradiction);
        }
        if let Some(input) = self.inputs.last_mut().filter(|_| observation.kind != Kind::Index) {
            input.has_records = true;
        }
        let has_bodies = self.inputs.last().is_some_and(|input| input.format.has_bodies());
        let is_read = match has_bodies && observation.kind != Kind::Index {
            true => self.options.wanted.links && self.options.digests == Digests::Verify,
            false => observation.links.is_some(),
        };
        self.links_read |= is_read;
        let ExtraLinks { page, outlinks } = told;
        // Links that a crawler guessed do not overrule those of the markup.
        let is_sheet = observation.mime.as_deref() == Some("text/css") && observation.body.is_some();
        let has_links = page.as_ref().is_some_and(|page| page.link_count() > 0);
        let outlinks = outlinks.filter(|_| !has_links && !is_sheet);
        // Links of a page are resolved here, if they are used at all: unresolved they take half the memory.
        let is_used = self.options.graph || self.options.keep_content;
        let resolved =
            page.as_ref().filter(|_| is_used).map(|page| page.links_at(observation.url.as_bytes()));
        let (own, problem) = resolved.unwrap_or_default();
        if let Some(problem) = problem {
            self.log.push(place(problem, &observation))?;
        }
        let own = Some(own).filter(|links| !links.is_empty());
        self.links += page.map_or(0, |page| page.link_count() as u64);
        let mut lists = [own, observation.links.take(), outlinks];
        for (at, links) in lists.iter().enumerate() {
            // A capture without links is no node, whether it was read or is of a table that knows this.
            let Some(links) = links.as_ref().filter(|links| !links.is_empty()) else { continue };
            self.links += if at > 0 { links.len() as u64 } else { 0 };
            // What a browser loaded is in a record of its own, about the page.
            let page = observation.url.strip_prefix("urn:pageinfo:").unwrap_or(&observation.url);
            if self.options.links_until.is_none_or(|until| observation.time < Some(until)) {
                self.links(page, links, self.resolved);
            }
        }
        if self.options.keep_content {
            let links = lists.iter_mut().filter_map(Option::take).reduce(|mut all, links| {
                all.append(&links);
                all
            });
            observation.links = links;
        }
        // Where a body was read, a page without links is known to have none. Where links make up a graph, this alone is kept.
        observation.links = observation.links.or_else(|| is_read.then(Links::default));
        if let (Some(entries), Some(time)) = (&observation.sitemap, observation.time) {
            let kept = self.options.keep_content;
            let entries = if kept { entries.clone() } else { observation.sitemap.take().unwrap_or_default() };
            self.sitemap(SitemapFile { url: observation.url.clone(), time, entries })?;
        }
        let input = self.inputs.len().saturating_sub(1) as u32;
        self.spool.push(&observation, input)
    }

    /// Links of a page with images in several sizes. Of such an image and its candidates the page needs one: an edge of the kind
    /// [`LinkKind::Source`] says so of the image, unless it also stands alone in the page, and edges of the kind
    /// [`LinkKind::Candidate`] lead to the others, from the page and from the image.
    fn link_images(&mut self, page: Option<u32>, links: &Links) {
        let is_candidate = |kind: LinkKind| matches!(kind, LinkKind::Candidate | LinkKind::Source);
        let mut image: Option<u32> = None;
        let (mut with_candidates, mut alone): (BTreeSet<u32>, HashSet<u32>) = Default::default();
        let mut links = links.iter().peekable();
        while let Some((kind, url)) = links.next() {
            let (Some(page), Some(to)) = (page, self.graph.node(url)) else {
                self.graph.link_from(page, url, kind);
                continue;
            };
            if let Some(image) = image.filter(|_| is_candidate(kind)) {
                self.graph.edge(image, to, LinkKind::Candidate);
                self.graph.edge(page, to, LinkKind::Candidate);
                continue;
            }
            self.graph.edge(page, to, kind);
            image = Some(to);
            if links.peek().is_some_and(|(kind, _)| is_candidate(*kind)) {
                with_candidates.insert(to);
            } else if kind.is_embed() && kind != LinkKind::Conditional {
                alone.insert(to);
            }
        }
        for image in with_candidates.into_iter().filter(|image| !alone.contains(image)) {
            if let Some(page) = page {
                self.graph.edge(page, image, LinkKind::Source);
            }
        }
    }

    /// Links of a page, from its markup (`resolved`) or from another record. A URL resolved here is a strict key.
    fn links(&mut self, page: &str, links: &Links, resolved: bool) {
        if !self.options.graph {
            return;
        }
        let mut key = String::new();
        Canon::Strict.key_into(page, &mut key);
        let from = self.graph.node(&key);
        let has = |wanted: &[LinkKind]| links.iter().any(|(kind, _)| wanted.contains(&kind));
        if resolved && has(&[LinkKind::Candidate, LinkKind::Source]) {
            return self.link_images(from, links);
        }
        if resolved && !has(&[LinkKind::Loaded]) {
            return self.graph.link_all(from, links.iter());
        }
        for (kind, url) in links.iter() {
            Canon::Strict.key_into(url, &mut key);
            self.graph.link_from(from, &key, kind);
        }
    }

    /// Keeps what a sitemap lists of its own host: of another one it may say nothing, or a stranger's sitemap would change the
    /// figures of a site.
    fn sitemap(&mut self, mut sitemap: SitemapFile) -> io::Result<()> {
        let own = SiteBy::Host.site_of(&sitemap.url);
        sitemap.entries.retain(|entry| SiteBy::Host.site_of(&entry.url) == own);
        let bytes: usize = sitemap.entries.iter().map(|entry| size_of::<Entry>() + entry.url.len()).sum();
        if self.sitemap_bytes + bytes > MAX_SITEMAP_BYTES {
            let message = format!("the sitemaps together are too long; {:?} was left out", sitemap.url);
            return self.log.push(Problem::new(Level::Warning, "sitemaps-left-out", message));
        }
        self.sitemap_bytes += bytes;
        self.sitemaps.push(sitemap);
        Ok(())
    }

    fn start_file(&mut self, file: InputFile) -> io::Result<()> {
        self.end_file()?;
        self.pairing.late.begin(&file.file);
        self.inputs.push(file);
        (self.expected, self.contradiction) = (0, None);
        Ok(())
    }

    fn end_file(&mut self) -> io::Result<()> {
        self.pair(Pairing::end)
    }
}

/// A problem with the place of the observation that has it.
fn place(problem: Problem, observation: &Observation) -> Problem {
    let problem = problem.in_file(&*observation.file).of_record(observation.record_id.as_deref());
    match observation.offset {
        Some(offset) => problem.at(offset),
        None => problem,
    }
}

enum Waiting {
    Step(Step),
    Unit(Unit, Receiver<Message>),
}
