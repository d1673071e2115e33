//! Combines the results of all sites: the last step of every audit, and of merged parts.

use crate::audit::actions::{self, Known};
use crate::audit::collection_answers::{self, AllSeeds};
use crate::audit::commands::Commands;
use crate::audit::model::{
    Answers, Audit, CrawlSummary, Input, ProblemCount, Profile, SCHEMA, SiteAudit, SiteSeeds, Summary, Window,
};
use crate::audit::params::Stated;
use crate::audit::record::Record;
use crate::audit::{no_action, versions, words};
use crate::capture::table::LeftOut;
use crate::problem::Problem;
use crate::quality::completeness::{VersionCompleteness, of_archive};
use crate::quality::spread::Spread;
use crate::time::Interval;

/// What was found of all sites.
pub(crate) struct Gathered {
    /// The collection that these are a part of.
    pub part_of: Option<String>,
    pub parameters: Stated,
    /// Captures in what was asked for.
    pub observations: u64,
    /// URLs with such captures, by key.
    pub urls: u64,
    /// The time of the captures, where it is not that of all crawls.
    pub window: Option<Window>,
    /// The numbers of the inputs that hold the captures, where these are not all.
    pub files: Option<Vec<u32>>,
    /// What was captured, if a profile was asked for.
    pub profile: Option<Profile>,
    /// What became of all seeds, where any are known.
    pub seeds: Option<SiteSeeds>,
    /// How many of the URLs are pages.
    pub pages: u64,
    /// How many sites have pages.
    pub sites: u64,
    pub left_out: LeftOut,
    pub crawls: Vec<CrawlSummary>,
    /// The sites, in the order of their names.
    pub entries: Vec<SiteAudit>,
    /// What the verdicts assume.
    pub assumptions: Vec<String>,
    pub inputs: Vec<Input>,
    pub problems: Vec<Problem>,
    pub problem_counts: Vec<ProblemCount>,
}

/// The audit; `why_none` says why there are no pages, where there are none.
pub(crate) fn conclude(gathered: Gathered, commands: &Commands, why_none: impl FnOnce() -> String) -> Audit {
    let Gathered { parameters, observations, urls, pages, sites, left_out, crawls, entries, .. } = gathered;
    let Gathered { assumptions, inputs, mut problems, problem_counts, files, profile, part_of, .. } =
        gathered;
    // By place, in whatever order the files, or parts of a collection, were read.
    problems.sort_by(Problem::by_place);
    let spans = crawls.iter().map(|crawl| Window { from: crawl.from, to: crawl.to });
    let all = spans.reduce(|a, b| Window { from: a.from.min(b.from), to: a.to.max(b.to) });
    let window = gathered.window.or(all);
    let judged = Record {
        captures: observations,
        inputs: &inputs,
        counts: &problem_counts,
        problems: &problems,
        sites: &entries,
    };
    let held: Vec<&Input> = match &files {
        Some(numbers) => numbers.iter().filter_map(|number| inputs.get(*number as usize)).collect(),
        None => inputs.iter().collect(),
    };
    let verdict = words::overall(&entries, sites, why_none);
    let seeds = gathered.seeds.map(|seeds| AllSeeds::of(seeds, &entries));
    let shown = window.map(|window| Interval { from: window.from, to: window.to });
    let (consistent, complete) = collection_answers::of_sites(&entries, seeds, &verdict, shown);
    let answers = Answers { consistent, complete, record: judged.answer() };
    let actions = actions::choose(&Known { record: judged, answers: &answers, seeds, commands, shown });
    let no_action = actions.is_empty().then(|| no_action::said(&answers, &entries));
    Audit {
        schema: SCHEMA.to_owned(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        part_of,
        parameters,
        summary: Summary {
            observations,
            urls,
            pages,
            sites,
            files: held.len() as u64,
            indexes: held.iter().filter(|input| is_index(input)).count() as u64,
            verdict,
            window,
            left_out,
            crawls,
            completeness: completeness(&entries),
            problems: problem_counts,
        },
        inputs,
        sites: entries,
        answers,
        actions,
        no_action,
        promised: None,
        profile,
        comparison: None,
        review: None,
        replay: None,
        assumptions,
        problems,
    }
}

/// Whether an input is an index, which holds no bodies.
fn is_index(input: &Input) -> bool {
    input.format.is_some_and(|format| !format.has_bodies())
}

/// How complete the versions are: the mean over sites.
fn completeness(entries: &[SiteAudit]) -> Option<crate::audit::model::VersionCompleteness> {
    let found =
        || entries.iter().filter_map(|entry| entry.completeness.as_ref()).map(|found| &found.versions);
    let of = |found: &crate::audit::model::VersionCompleteness, share: Option<f64>| VersionCompleteness {
        captured: found.captured,
        expected_missed: found.expected_missed.unwrap_or(0.0),
        share,
        missing: found.missing.unwrap_or(Spread::known(0.0)),
    };
    let weighted: Vec<VersionCompleteness> = found().map(|found| of(found, found.share)).collect();
    let plain: Vec<VersionCompleteness> = found().map(|found| of(found, found.plain_share)).collect();
    let is_known = found().any(|found| found.expected_missed.is_some());
    (!weighted.is_empty()).then(|| versions::out(&of_archive(&weighted), &of_archive(&plain), is_known))
}
