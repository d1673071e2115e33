//! The problems of one site: those at its captures, and those of the archives that hold them.
//!
//! A problem at a capture of another site is left out. One that has no capture at its place concerns whatever the archive holds. Archives
//! are those that captures name, whether the archive itself was read or a table that was made of it.

use std::collections::{HashMap, HashSet};

use crate::audit::model::{Input, ProblemCount};
use crate::audit::params::Parameters;
use crate::capture::intern::Id;
use crate::capture::table::Table;
use crate::problem::Problem;

/// Finds which problems are those of a site, from all captures.
#[derive(Debug)]
pub(crate) struct SiteProblems<'a> {
    parameters: &'a Parameters,
    site: &'a str,
    inputs: &'a [Input],
    /// Inputs and archives with captures of the site, and the packages that those lie in.
    files: HashSet<String>,
    /// The places of problems by file, and whether a capture of the site is there; `None`: no capture is.
    places: HashMap<String, HashMap<u64, Option<bool>>>,
}

impl<'a> SiteProblems<'a> {
    /// `None`: all sites were asked for.
    pub(crate) fn new(parameters: &'a Parameters, inputs: &'a [Input], problems: &[Problem]) -> Option<Self> {
        let site = parameters.site.as_deref()?;
        let mut places: HashMap<String, HashMap<u64, Option<bool>>> = HashMap::new();
        for problem in problems {
            if let Some(offset) = problem.offset {
                places.entry(problem.file.clone()).or_default().insert(offset, None);
            }
        }
        Some(SiteProblems { parameters, site, inputs, files: HashSet::new(), places })
    }

    /// Adds captures.
    pub(crate) fn add(&mut self, table: &Table) {
        let Parameters { from, to, site_by, companions, .. } = self.parameters;
        let mut known: HashSet<(Id, u32)> = HashSet::new();
        for row in table.rows().iter().filter(|row| !companions.contains(&row.input)) {
            let Some(site) = site_by.site_of(table.text(row.url)) else { continue };
            let is_own = site == self.site;
            if let Some(offset) = row.offset
                && let Some(place) =
                    self.places.get_mut(table.text(row.file)).and_then(|of| of.get_mut(&offset))
            {
                *place = Some(is_own || *place == Some(true));
            }
            let is_inside = from.is_none_or(|from| row.time >= from) && to.is_none_or(|to| row.time < to);
            if is_own && is_inside && known.insert((row.file, row.input)) {
                let input = self.inputs.get(row.input as usize).map_or("", |input| &input.path);
                for name in [table.text(row.file), input] {
                    let packages = name.match_indices('#').map(|(end, _)| name[..end].to_owned());
                    self.files.extend(packages.chain([name.to_owned()]));
                }
            }
        }
    }

    /// Keeps the problems of the site, where all are known.
    pub(crate) fn keep(self, problems: &mut Vec<Problem>, counts: &mut Vec<ProblemCount>) {
        if counts.iter().map(|found| found.count).sum::<u64>() != problems.len() as u64 {
            return;
        }
        problems.retain(|problem| {
            let place = problem.offset.and_then(|offset| self.places.get(&problem.file)?.get(&offset));
            let is_elsewhere = place == Some(&Some(false));
            problem.file.is_empty() || (self.files.contains(&problem.file) && !is_elsewhere)
        });
        for found in counts.iter_mut() {
            let same = |problem: &&Problem| problem.level == found.level && problem.kind == found.kind;
            found.count = problems.iter().filter(same).count() as u64;
        }
        counts.retain(|found| found.count > 0);
    }
}
