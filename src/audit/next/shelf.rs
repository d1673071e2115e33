//! The pages of an audit as plans take them, in a temporary file: none is kept in memory. They come back site by site, by
//! key, as often as they are needed.

use std::borrow::Borrow;
use std::io;

use crate::audit::model::{PageAudit, SiteAudit};
use crate::audit::next::planned::{Planned, PlannedPage};
use crate::ingest::overflow::Overflow;

/// The pages of a site, by key, as often as they are needed; with each whether the latest entry of the site has it.
pub(crate) trait SitePages {
    type Page: Planned;
    fn each(&self, visit: &mut dyn FnMut(&Self::Page, bool)) -> io::Result<()>;
}

impl<P: Planned> SitePages for Vec<(&P, bool)> {
    type Page = P;

    fn each(&self, visit: &mut dyn FnMut(&P, bool)) -> io::Result<()> {
        self.iter().for_each(|(page, is_latest)| visit(page, *is_latest));
        Ok(())
    }
}

/// Brings pages of several entries of a site, those of the latest entry first, into the order of keys; the latest entry of a page counts.
pub(crate) fn by_key<P: Borrow<Q>, Q: Planned>(pages: &mut Vec<(P, bool)>) {
    pages.sort_by(|(a, _), (b, _)| a.borrow().key().cmp(b.borrow().key()));
    pages.dedup_by(|(later, _), (kept, _)| {
        let (later, kept): (&Q, &Q) = ((*later).borrow(), (*kept).borrow());
        later.key() == kept.key()
    });
}

/// Pages, in the order in which an audit came to them.
#[derive(Debug)]
pub(crate) struct Shelf {
    pages: Overflow,
    runs: Vec<Run>,
    last_key: String,
}

/// Pages of one entry of an audit that were added one after the other.
#[derive(Debug)]
struct Run {
    entry: usize,
    place: u64,
    count: usize,
    /// Whether they came in the order of their keys, each once.
    is_sorted: bool,
}

impl Shelf {
    /// Pages of which about `limit` bytes stay in memory.
    pub(crate) fn new(limit: usize) -> Self {
        Shelf { pages: Overflow::new(limit), runs: Vec::new(), last_key: String::new() }
    }

    pub(crate) fn push(&mut self, entry: usize, page: &PageAudit) -> io::Result<()> {
        match self.runs.last_mut() {
            Some(run) if run.entry == entry => {
                run.is_sorted &= self.last_key < page.key;
                run.count += 1;
            }
            _ => self.runs.push(Run { entry, place: self.pages.place(), count: 1, is_sorted: true }),
        }
        self.last_key.clone_from(&page.key);
        self.pages.push(|out| PlannedPage::from(page).put(out))
    }

    /// Keeps some entries, which are numbered anew.
    pub(crate) fn keep(&mut self, is_kept: impl Fn(usize) -> bool) {
        self.runs.retain(|run| is_kept(run.entry));
        self.runs
            .iter_mut()
            .for_each(|run| run.entry = (0..run.entry).filter(|entry| is_kept(*entry)).count());
    }

    fn read(&self, run: &Run, visit: &mut dyn FnMut(PlannedPage)) -> io::Result<()> {
        let mut cursor = self.pages.cursor_from(run.place);
        for _ in 0..run.count {
            let bytes = cursor.next()?.ok_or(io::ErrorKind::UnexpectedEof)?;
            visit(PlannedPage::take(bytes).ok_or(io::ErrorKind::InvalidData)?);
        }
        Ok(())
    }

    /// The pages of a site, by its entries from the latest one on.
    pub(crate) fn site(&self, entries: &[usize]) -> io::Result<Shelved<'_>> {
        let runs = |entry: usize| self.runs.iter().filter(move |run| run.entry == entry);
        let all: Vec<&Run> = entries.iter().flat_map(|entry| runs(*entry)).collect();
        if let [run] = all[..]
            && run.is_sorted
        {
            return Ok(Shelved {
                shelf: self,
                place: Place::Run(run, Some(run.entry) == entries.first().copied()),
            });
        }
        let mut pages = Vec::new();
        for run in all {
            let is_latest = Some(run.entry) == entries.first().copied();
            self.read(run, &mut |page| pages.push((page, is_latest)))?;
        }
        by_key::<_, PlannedPage>(&mut pages);
        Ok(Shelved { shelf: self, place: Place::Memory(pages) })
    }
}

/// The pages of one site on a shelf. Several entries of one site are held.
#[derive(Debug)]
pub(crate) struct Shelved<'a> {
    shelf: &'a Shelf,
    place: Place<'a>,
}

#[derive(Debug)]
enum Place<'a> {
    Run(&'a Run, bool),
    Memory(Vec<(PlannedPage, bool)>),
}

impl SitePages for Shelved<'_> {
    type Page = PlannedPage;

    fn each(&self, visit: &mut dyn FnMut(&PlannedPage, bool)) -> io::Result<()> {
        match &self.place {
            Place::Run(run, is_latest) => self.shelf.read(run, &mut |page| visit(&page, *is_latest)),
            Place::Memory(pages) => {
                pages.iter().for_each(|(page, is_latest)| visit(page, *is_latest));
                Ok(())
            }
        }
    }
}

/// Puts the pages that the sites of an audit list on a shelf.
pub(crate) fn shelve(sites: &mut [SiteAudit], limit: usize) -> io::Result<Shelf> {
    let mut shelf = Shelf::new(limit);
    for (entry, site) in sites.iter_mut().enumerate() {
        site.page_list.iter().try_for_each(|page| shelf.push(entry, page))?;
        site.leave_out_pages();
    }
    Ok(shelf)
}
