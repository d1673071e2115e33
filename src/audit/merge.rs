//! Audits of parts of a collection, put together: the same result as the audit of the whole.
//!
//! A part holds whole sites, and was audited with the captures of other sites that these are judged by. The results of a site
//! are complete in its part; this adds the results for all sites.

use std::collections::BTreeSet;

use crate::audit::commands::{Commands, Typed};
use crate::audit::conclude::{Gathered, conclude};
use crate::audit::model::{Audit, CrawlSummary, Input, Seeds, SiteAudit};
use crate::audit::next::crawl::{Room, keep_within};
use crate::audit::problem_union::ProblemUnion;
use crate::audit::profiles::Profiles;
use crate::capture::table::LeftOut;
use crate::change::assumption::Assumption;
use crate::error::{Error, Result};
use crate::ingest::revisit::report::KINDS;
use crate::problem::Problem;

/// Puts audits together, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Merge {
    /// The first of them, without its sites.
    first: Option<Audit>,
    entries: Vec<SiteAudit>,
    /// The sites of the entries.
    names: BTreeSet<String>,
    observations: u64,
    urls: u64,
    pages: u64,
    sites: u64,
    left_out: LeftOut,
    crawls: Vec<CrawlSummary>,
    assumptions: Vec<String>,
    inputs: Vec<Input>,
    problems: ProblemUnion,
    why_none: String,
    profiles: Profiles,
}

impl Merge {
    /// Adds an audit. With more than `max_pages` pages in all, the result lists none.
    pub(crate) fn add(&mut self, mut part: Audit, max_pages: u64) -> Result<()> {
        let summary = std::mem::take(&mut part.summary);
        let Some(name) = &part.part_of else {
            return Err(Error::usage("it does not say which collection it is a part of")
                .with_remedy("audit all parts with --part-of and the name of their collection"));
        };
        if let Some(first) = &self.first {
            if let Some(other) = first.part_of.as_ref().filter(|other| *other != name) {
                return Err(Error::usage(format!("it is a part of {name}, and those before it of {other}"))
                    .with_remedy("put the parts of one collection together"));
            }
            if part.tool_version != first.tool_version {
                let message = format!(
                    "acuity {} made it, and acuity {} the parts before it",
                    part.tool_version, first.tool_version
                );
                return Err(Error::usage(message).with_remedy("audit all parts with the same version"));
            }
            if part.parameters != first.parameters {
                return Err(Error::usage("it was made with other options than the parts before it")
                    .with_remedy("audit all parts with the same options"));
            }
            if part.parameters.crawls == "auto" && summary.crawls != self.crawls {
                return Err(Error::usage(
                    "its captures were divided into other crawls than those of the parts before it",
                )
                .with_remedy(
                    "divide all of them with `acuity crawls`, and give that to each part with --crawls FILE",
                ));
            }
        }
        let sites: BTreeSet<String> = part.sites.iter().map(|entry| entry.site.clone()).collect();
        if let Some(both) = sites.iter().find(|site| self.names.contains(*site)) {
            return Err(Error::usage(format!("a part before it has the site {both} too"))
                .with_remedy("put all captures of a site into one part"));
        }
        self.names.extend(sites);
        self.observations += summary.observations;
        self.urls += summary.urls;
        self.pages += summary.pages;
        self.sites += summary.sites;
        self.left_out.add(summary.left_out);
        if part.parameters.crawls == "auto" {
            self.crawls = summary.crawls;
        } else {
            summary.crawls.into_iter().enumerate().for_each(|(place, crawl)| self.crawl(place, crawl));
        }
        self.profiles.add(part.profile.take(), part.parameters.parameters()?.canon);
        self.assumptions.append(&mut part.assumptions);
        self.inputs.append(&mut part.inputs);
        self.problems.add(std::mem::take(&mut part.problems), summary.problems);
        self.entries.append(&mut part.sites);
        if self.pages > max_pages {
            self.entries
                .iter_mut()
                .filter(|entry| !entry.page_list.is_empty())
                .for_each(SiteAudit::leave_out_pages);
        }
        if self.why_none.is_empty() {
            self.why_none = summary.verdict;
        }
        self.first.get_or_insert(part);
        Ok(())
    }

    /// Problems of the collection: what was found when its archives were read, and by the parts was not, or was too.
    pub(crate) fn add_problems(&mut self, mut problems: Vec<Problem>) {
        // The parts have found it again, or it is not true of all archives together.
        problems.retain(|problem| !KINDS.contains(&problem.kind.as_str()));
        self.problems.add(problems, Vec::new());
    }

    /// Adds to the crawl at this place: a part tells of its own captures only.
    fn crawl(&mut self, place: usize, crawl: CrawlSummary) {
        match self.crawls.get_mut(place) {
            Some(known) => known.add(crawl),
            None => self.crawls.push(crawl),
        }
    }

    /// The audit of all. `typed` is what commands name as inputs, `inputs` what was read; else the inputs of the parts.
    pub(crate) fn finish(mut self, typed: &[String], inputs: Vec<Input>) -> Result<Audit> {
        let first = self.first.ok_or_else(|| Error::usage("there are no parts"))?;
        self.entries.sort_by(|a, b| a.site.cmp(&b.site));
        let entries = &mut self.entries;
        for entry in entries.iter_mut().filter(|_| first.parameters.crawls != "auto") {
            entry.crawls.clone_from(&self.crawls);
        }
        let inputs = if inputs.is_empty() { self.inputs } else { inputs };
        let parameters = first.parameters.parameters()?;
        let typed = Typed { inputs: typed.to_vec(), ..Typed::default() };
        let commands = Commands::of_part(&typed, &inputs, &parameters, !first.parameters.other_options);
        let mut room = Room::default();
        for of_site in entries.chunk_by_mut(|a, b| a.site == b.site) {
            keep_within(of_site, &commands, &mut room);
        }
        let assumed = |assumption: &Assumption| self.assumptions.iter().any(|text| text == assumption.text());
        let assumptions = Assumption::ALL.iter().filter(|assumption| assumed(assumption));
        let (problems, problem_counts) = self.problems.finish();
        let none = self.why_none.trim_start_matches("There are no pages to judge. ").to_owned();
        let profile = self.profiles.finish();
        let gathered = Gathered {
            part_of: None,
            window: None,
            files: None,
            seeds: profile.as_ref().and_then(|profile| profile.seeds.as_ref()).map(Seeds::counted),
            profile,
            parameters: first.parameters,
            observations: self.observations,
            urls: self.urls,
            pages: self.pages,
            sites: self.sites,
            left_out: self.left_out,
            crawls: self.crawls,
            entries: self.entries,
            assumptions: assumptions.map(|assumption| assumption.text().to_owned()).collect(),
            inputs,
            problems,
            problem_counts,
        };
        Ok(conclude(gathered, &commands, || none))
    }
}
