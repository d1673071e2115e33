//! The third answer: can the record be trusted? Counted over all inputs, since one file may hold many sites.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::archive::source::base_name;
use crate::audit::answers::of;
use crate::audit::bands::{RecordCounts, is_index_only, links_not_in_records, links_unknown};
use crate::audit::doubts;
use crate::audit::model::{Answer, Audit, Band, Input, ProblemCount, SiteAudit};
use crate::format::{all, count, duration, part_of, was};
use crate::ingest::plan::InputFormat;
use crate::ingest::{FILE_CHANGED, NOT_AN_ARCHIVE};
use crate::problem::{Level, Problem};

/// Server clocks off in more than this share of responses leave a doubt.
const SKEWED: f64 = 0.05;

/// What the record is judged by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record<'a> {
    pub captures: u64,
    pub inputs: &'a [Input],
    pub counts: &'a [ProblemCount],
    pub problems: &'a [Problem],
    pub sites: &'a [SiteAudit],
}

/// Whether any input can hold bodies; an index cannot.
pub(crate) fn with_bodies(inputs: &[Input]) -> bool {
    inputs.iter().any(|input| input.format.is_some_and(InputFormat::has_bodies))
}

/// Another record, or an index, has other content for a capture.
const CONTRADICTORY: &str = "contradictory-evidence";

fn contradicts(level: Level, kind: &str) -> bool {
    matches!(kind, "revisit-contradicts" | "revisit-of-wrong-body" | CONTRADICTORY) || mismatches(level, kind)
}

fn mismatches(level: Level, kind: &str) -> bool {
    level == Level::Warning && matches!(kind, "payload-digest" | "block-digest")
}

fn is_unread(kind: &str) -> bool {
    matches!(kind, "unreadable-input" | "unknown-input" | "altered-table" | FILE_CHANGED) || is_left_out(kind)
}

/// Whether a job on many machines has no table of a file: it is not there, could not be fetched or indexed, or is not an archive.
fn is_left_out(kind: &str) -> bool {
    matches!(kind, "missing-input" | "fetch-failed" | "index-failed" | NOT_AN_ARCHIVE)
}

/// A part of a collection that such a job could not audit: no file is at fault.
const NOT_AUDITED: &str = "audit-failed";

fn whole_file(kind: &str) -> bool {
    kind == "wacz-hash-differs" || is_unread(kind)
}

/// Whether a problem is one of what the user gave beside the archive, which is no fault of the record.
fn is_beside(kind: &str) -> bool {
    ["importance-", "history-", "seed-"].iter().any(|start| kind.starts_with(start))
}

impl<'a> Record<'a> {
    /// The record of an audit that was made.
    pub(crate) fn of(audit: &'a Audit) -> Self {
        Record {
            captures: audit.summary.observations,
            inputs: &audit.inputs,
            counts: &audit.summary.problems,
            problems: &audit.problems,
            sites: &audit.sites,
        }
    }

    fn sum(&self, which: impl Fn(Level, &str) -> bool) -> u64 {
        self.counts.iter().filter(|found| which(found.level, &found.kind)).map(|found| found.count).sum()
    }

    /// Digests that do not match the stored bytes.
    fn mismatches(&self) -> u64 {
        self.sum(mismatches)
    }

    /// Records with such digests: one record may have two. Where not all are listed, the digests are counted.
    pub(crate) fn mismatched_records(&self) -> u64 {
        let listed: Vec<&Problem> =
            self.problems.iter().filter(|problem| mismatches(problem.level, &problem.kind)).collect();
        let digests = self.mismatches();
        if listed.len() as u64 != digests {
            return digests;
        }
        let places = listed.iter().map(|problem| (&problem.file, problem.offset, &problem.record_id));
        places.collect::<BTreeSet<_>>().len() as u64
    }

    /// Files in packages whose hash is not the one that the package declares.
    pub(crate) fn differing_hashes(&self) -> u64 {
        self.sum(|level, kind| level != Level::Note && kind == "wacz-hash-differs")
    }

    /// The packages with such files.
    pub(crate) fn packages_that_differ(&self) -> Vec<&'a str> {
        self.files_of(|level, kind| level != Level::Note && kind == "wacz-hash-differs")
    }

    /// Revisits that contradict the capture they refer to.
    pub(crate) fn contradicting_revisits(&self) -> u64 {
        self.sum(|_, kind| matches!(kind, "revisit-contradicts" | "revisit-of-wrong-body"))
    }

    /// Captures that another record or an index contradicts.
    pub(crate) fn contradictory(&self) -> u64 {
        self.sum(|_, kind| kind == CONTRADICTORY)
    }

    /// What is known of the first of them, with both places.
    pub(crate) fn first_contradictory(&self) -> Option<&'a Problem> {
        self.problems.iter().find(|problem| problem.kind == CONTRADICTORY)
    }

    /// The files with such problems, by name.
    pub(crate) fn files_of(&self, which: impl Fn(Level, &str) -> bool) -> Vec<&'a str> {
        let found = self.problems.iter().filter(|problem| which(problem.level, &problem.kind));
        let files = found.map(|problem| problem.file.as_str()).filter(|file| !file.is_empty());
        files.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Revisits whose original is not here.
    pub(crate) fn without_original(&self) -> u64 {
        self.sites.iter().map(|site| site.findings.unresolved_revisits).sum()
    }

    /// Captures that are cut short.
    pub(crate) fn cut(&self) -> u64 {
        let cut: u64 = self.sites.iter().map(|site| site.findings.cut_captures).sum();
        cut.min(self.captures)
    }

    /// Captures that are cut short, and not made good by a later one.
    pub(crate) fn cut_unrepeated(&self) -> u64 {
        self.sites.iter().map(|site| site.findings.cut_unrepeated).sum::<u64>().min(self.captures)
    }

    /// Captures that were not checked against stored bytes, although others were.
    fn unchecked(&self) -> u64 {
        let is_declared = |input: &&Input| input.digests_verified == Some(false);
        let declared: u64 =
            self.inputs.iter().filter(is_declared).filter_map(|input| input.observations).sum();
        (self.index() + declared).min(self.captures)
    }

    /// Captures of which only an index tells.
    fn index(&self) -> u64 {
        let index: u64 = self.sites.iter().map(|site| site.findings.index_captures).sum();
        index.min(self.captures)
    }

    /// Records that the damage of a file cut short.
    pub(crate) fn cut_by_damage(&self) -> u64 {
        self.sum(|level, kind| level == Level::Error && kind == "record-cut")
    }

    /// Files that could not be read at all: what was found of each, by name.
    pub(crate) fn unread(&self) -> Vec<&'a Problem> {
        let is_unread = |problem: &&Problem| problem.level != Level::Note && is_unread(&problem.kind);
        let found = self.problems.iter().filter(is_unread).filter(|problem| !problem.file.is_empty());
        found
            .map(|problem| (problem.file.as_str(), problem))
            .collect::<BTreeMap<_, _>>()
            .into_values()
            .collect()
    }

    /// Damaged files, with the offsets of the damage, each once, most damaged first.
    pub(crate) fn damaged(&self) -> Vec<(&'a str, Vec<Option<u64>>)> {
        let unread: BTreeSet<&str> = self.unread().into_iter().map(|problem| problem.file.as_str()).collect();
        let mut files: BTreeMap<&'a str, Vec<Option<u64>>> = BTreeMap::new();
        let is_damage = |problem: &&Problem| problem.level == Level::Error && problem.kind != NOT_AUDITED;
        let errors = self.problems.iter().filter(is_damage);
        for problem in errors.filter(|problem| !unread.contains(problem.file.as_str())) {
            files.entry(&problem.file).or_default().push(problem.offset);
        }
        for places in files.values_mut() {
            places.sort_unstable();
            places.dedup_by(|a, b| a.is_some() && a == b);
        }
        let mut files: Vec<_> = files.into_iter().filter(|(file, _)| !file.is_empty()).collect();
        files.sort_by_key(|(_, places)| std::cmp::Reverse(places.len()));
        files
    }

    /// Places that could not be read, each once: one cut may be found by the reader of records and by that of gzip.
    fn damage(&self) -> u64 {
        let is_damage = |level: Level, kind: &str| level == Level::Error && !contradicts(level, kind);
        let mut places: HashSet<(&str, u64)> = HashSet::new();
        let found = self.problems.iter().filter(|problem| is_damage(problem.level, &problem.kind));
        let places_of = found.filter_map(|problem| Some((problem.file.as_str(), problem.offset?)));
        let again = places_of.filter(|place| !places.insert(*place)).count() as u64;
        self.sum(is_damage).saturating_sub(again)
    }

    fn skewed(&self) -> (u64, u64, f64) {
        let clocks = self.sites.iter().map(|site| &site.findings.clock_skew);
        clocks.fold((0, 0, 0.0), |(dated, skewed, worst), clock| {
            let off = clock.worst_seconds.unwrap_or(0.0).abs();
            (dated + clock.dated, skewed + clock.skewed, f64::max(worst, off))
        })
    }

    /// Whether bodies were read, so that digests could be recomputed: now, or when tables or page records were made.
    pub(crate) fn is_checked(&self) -> bool {
        if self.captures > 0 && self.unchecked() >= self.captures {
            return false;
        }
        if self.inputs.iter().any(|input| input.digests_verified == Some(true)) {
            return true;
        }
        let is_unread = |site: &SiteAudit| links_unknown(site) && !links_not_in_records(site);
        match self.sites {
            [] => with_bodies(self.inputs),
            sites => with_bodies(self.inputs) && !sites.iter().all(is_unread),
        }
    }

    pub(crate) fn counted(&self) -> RecordCounts {
        let (dated, skewed, _) = self.skewed();
        let clocks = if skewed as f64 > SKEWED * dated as f64 { skewed } else { 0 };
        let stamps: u64 = self.sites.iter().map(|site| site.findings.contradicted_last_modified.pages).sum();
        let warnings =
            self.sum(|level, kind| level == Level::Warning && !contradicts(level, kind) && !is_beside(kind));
        RecordCounts {
            captures: self.captures,
            contradictions: self.sum(contradicts),
            damage: self.damage(),
            cut: self.cut(),
            doubts: warnings + self.without_original() + stamps + clocks,
            files: self.sum(|level, kind| level != Level::Note && whole_file(kind)),
            unchecked: self.unchecked(),
            checked: self.is_checked(),
        }
    }

    pub(crate) fn answer(&self) -> Answer {
        let counts = self.counted();
        let band = counts.band();
        let mut reasons = self.reasons();
        match band {
            Band::Mixed | Band::Poor if reasons.is_empty() => {
                reasons.push("Some records could not be read.".to_owned());
            }
            Band::CannotTell if self.captures == 0 => {
                reasons.insert(0, "There are no captures, so there is nothing to check.".to_owned());
            }
            Band::CannotTell if counts.checked => reasons.insert(0, unchecked(&counts)),
            Band::CannotTell => {
                reasons.insert(0, "Nothing was checked against the stored bytes.".to_owned());
                let by_index = !self.sites.is_empty() && self.sites.iter().all(is_index_only);
                let why = match with_bodies(self.inputs) && !by_index {
                    true => "Digests were taken as the archive declares them.",
                    false => "An index repeats what the archive declares.",
                };
                reasons.insert(0, why.to_owned());
            }
            Band::Good => {
                let text = "Every record could be read, and no contradictions were found.";
                reasons.insert(0, text.to_owned());
                reasons.extend((counts.unchecked > 0).then(|| unchecked(&counts)));
            }
            Band::Mixed | Band::Poor => {}
        }
        let share = (self.captures > 0 && counts.checked).then(|| {
            1.0 - (counts.contradictions.max(counts.damage).max(counts.cut) as f64 / self.captures as f64)
                .min(1.0)
        });
        let said = 2.min(reasons.len());
        Answer { band: Some(band), share, sentence: reasons[..said].join(" "), reasons, sites: None }
    }

    /// What is wrong, gravest first.
    fn reasons(&self) -> Vec<String> {
        let mut reasons = Vec::new();
        let mut add = |many: u64, text: &dyn Fn() -> String| {
            if many > 0 {
                reasons.push(text());
            }
        };
        let packages = self.differing_hashes();
        add(packages, &|| match packages {
            1 => "1 file does not match the hash its package declares.".to_owned(),
            many => match self.packages_that_differ().len() {
                0 | 1 => format!("{} do not match the hashes their package declares.", count(many, "file")),
                _ => format!("{} do not match the hashes their packages declare.", count(many, "file")),
            },
        });
        let unread = self.sum(|level, kind| level != Level::Note && is_unread(kind));
        add(unread, &|| format!("{} could not be read as an archive.", count(unread, "file")));
        let parts = self.sum(|_, kind| kind == NOT_AUDITED);
        add(parts, &|| {
            let verb = if parts == 1 { "was" } else { "were" };
            format!("{} of the collection {verb} not audited.", count(parts, "part"))
        });
        let revisits = self.contradicting_revisits();
        add(revisits, &|| match revisits {
            1 => "1 revisit contradicts the capture it refers to.".to_owned(),
            many => format!("{} contradict the captures they refer to.", count(many, "revisit")),
        });
        let contradicted = self.contradictory();
        add(contradicted, &|| {
            match contradicted {
            1 => "1 capture is contradicted by another record or an index, so nothing about its page is proven."
                .to_owned(),
            many => format!(
                "{} are contradicted by other records or an index, so nothing about their pages is proven.",
                count(many, "capture")
            ),
        }
        });
        // One record may have two digests, and not every record is a capture.
        let records = self.mismatched_records();
        add(records, &|| match records {
            1 => "1 record has a digest that does not match the stored bytes.".to_owned(),
            many => format!("{} have digests that do not match the stored bytes.", count(many, "record")),
        });
        reasons.extend(cut_short(self.cut(), self.captures));
        let damaged = self.damaged();
        match &damaged[..] {
            [] => {}
            [(file, places)] => {
                let name = base_name(file);
                let places =
                    if places.len() == 1 { "1 place".to_owned() } else { format!("{} places", places.len()) };
                reasons.push(format!("{name} is damaged in {places}; the rest was read."));
            }
            files => {
                reasons.push(format!("{} are damaged; the rest was read.", count(files.len() as u64, "file")))
            }
        }
        let originals = self.without_original();
        let mut add = |many: u64, text: &dyn Fn() -> String| {
            if many > 0 {
                reasons.push(text());
            }
        };
        add(originals, &|| match originals {
            1 => "1 revisit refers to a capture that is not here.".to_owned(),
            many => format!("{} refer to captures that are not here.", count(many, "revisit")),
        });
        let (dated, skewed, worst) = self.skewed();
        add(u64::from(skewed as f64 > SKEWED * dated as f64), &|| {
            format!(
                "The server's clock is more than a minute off in {}, at most by {}.",
                part_of(skewed, dated, "response"),
                duration(worst)
            )
        });
        let stamps: u64 = self.sites.iter().map(|site| site.findings.contradicted_last_modified.pages).sum();
        add(stamps, &|| {
            format!("The Last-Modified of {} contradicts what was captured.", count(stamps, "page"))
        });
        let known = |kind: &str| whole_file(kind) || kind.starts_with("revisit-") || is_beside(kind);
        let is_other = |found: &&ProblemCount| {
            found.level == Level::Warning && !contradicts(found.level, &found.kind) && !known(&found.kind)
        };
        let others = self.counts.iter().filter(is_other).map(|found| (found.kind.as_str(), found.count));
        reasons.extend(doubts::sentence(others));
        reasons
    }
}

/// Captures that nothing was checked of.
fn unchecked(counts: &RecordCounts) -> String {
    let was = was(counts.unchecked);
    format!(
        "{} {was} not checked against the stored bytes.",
        of(counts.unchecked, counts.captures, "capture")
    )
}

/// How many captures are cut short, and what that means.
fn cut_short(cut: u64, captures: u64) -> Option<String> {
    Some(match cut {
        0 => return None,
        1 => {
            let which = if captures == 1 { all(1, "capture") } else { of(1, captures, "capture") };
            format!(
                "{which} is cut short: it holds only the beginning of what the server sent and proves nothing."
            )
        }
        cut => {
            let which = if cut == captures { all(cut, "capture") } else { of(cut, captures, "capture") };
            format!(
                "{which} are cut short: they hold only the beginning of what servers sent and prove nothing."
            )
        }
    })
}
