//! Compares the verdicts on a generated case with its truth.

use std::fmt;
use std::path::PathBuf;

use acuity::internals::at::model::{At, SiteVerdict};
use acuity::internals::audit::Audit;
use acuity::internals::change::Assumption;
use acuity::internals::change::at::State as Standing;
use acuity::internals::change::run::PageState;
use acuity::internals::simulate::truth::{Case, Crawler, Says, Seen, Server};
use acuity::internals::time::{Instant, SECOND};

use super::ask;

/// What was said about cases.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Tally {
    pub cases: u64,
    /// Stretches proven, and those that the captures allow.
    pub proven: u64,
    pub required: u64,
    pub changed: u64,
    /// Questions about a date, pages proven at one, phrases decided.
    pub dates: u64,
    pub standing: u64,
    pub phrases: u64,
    /// Verdicts that the truth refutes, each under an assumption that is stated.
    pub assumed: u64,
}

impl Tally {
    pub(crate) fn add(&mut self, other: &Tally) {
        self.cases += other.cases;
        self.proven += other.proven;
        self.required += other.required;
        self.changed += other.changed;
        self.dates += other.dates;
        self.standing += other.standing;
        self.phrases += other.phrases;
        self.assumed += other.assumed;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:6} cases, {:7} stretches proven ({:7} required), {:6} changed, {:6} dates, {:6} pages proven there, \
             {:6} phrases decided, {:5} wrong under a stated assumption",
            self.cases,
            self.proven,
            self.required,
            self.changed,
            self.dates,
            self.standing,
            self.phrases,
            self.assumed
        )
    }
}

/// The number of a page and whether its path is in upper case, from its URL or key.
fn numbered(url: &str) -> Option<(usize, bool)> {
    let (_, name) = url.rsplit_once('/')?;
    let digits = name.trim_start_matches(['p', 'P']);
    Some((digits.parse().ok()?, name.starts_with('P')))
}

/// Asks about a case; what is wrong.
pub(crate) fn case(case: &Case, tally: &mut Tally) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let inputs = ask::write(case, folder.path());
    tally.cases += 1;
    let mut wrong = Vec::new();
    let audit = ask::audited(&inputs);
    pages(case, &audit, tally, &mut wrong);
    order(&inputs, &audit, &mut wrong);
    // One date of three, at a time that depends on the seed alone.
    if case.seed.is_multiple_of(3) && !case.crawler.is_index() {
        let (first, last) =
            (case.seen.iter().map(|seen| seen.from).min(), case.seen.iter().map(|seen| seen.end).max());
        if let (Some(first), Some(last)) = (first, last) {
            let share = (case.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11) as f64 / (1u64 << 53) as f64;
            let date = first.plus(((last.0 - first.0) as f64 * share) as i64);
            if let Some(answer) = ask::at(&inputs, date) {
                dates(case, &answer, date, tally, &mut wrong);
            }
        }
    }
    wrong
}

fn own(case: &Case, page: usize) -> Vec<&Seen> {
    let mut own: Vec<&Seen> = case.seen.iter().filter(|seen| seen.page == page).collect();
    own.sort_by_key(|seen| seen.from);
    own
}

/// Whether something that the truth refutes is excused: the server breaks an assumption, and the verdict states it.
fn excused(case: &Case, assumptions: &[Assumption], tally: &mut Tally) -> bool {
    let broken = match (case.server, case.crawler.is_index()) {
        // An index does not keep the Age of a response.
        (Server::Cached, true) => Some(Assumption::MadeAtWarcDate),
        (server, _) => server.breaks(),
    };
    let excused = broken.is_some_and(|broken| assumptions.contains(&broken));
    tally.assumed += u64::from(excused);
    excused
}

fn pages(case: &Case, audit: &Audit, tally: &mut Tally, wrong: &mut Vec<String>) {
    for page in audit.sites.iter().flat_map(|site| &site.page_list) {
        let Some((number, _)) = numbered(&page.key) else { continue };
        let own = own(case, number);
        let tampered = case.contradicted.contains(&number);
        let mut say =
            |what: &str| wrong.push(format!("{what}: page {number}, {:?}, {}", page.state, page.reason));
        for assumption in &page.assumptions {
            if !case.crawler.may_assume(*assumption) {
                say(&format!("assumption {assumption:?} is stated without need"));
            }
        }
        if tampered
            && (!page.proven.is_empty() || page.state == PageState::Changed || page.state == PageState::Sharp)
        {
            say("a contradicted page is judged");
        }
        for window in &page.proven {
            tally.proven += 1;
            let no_change_back = page.assumptions.contains(&Assumption::NoChangeBack);
            // Captures of two spellings are one page here; a stretch is true if it is true for one of them.
            let holds = |upper: bool| {
                !case.history(number, upper).changes_within(window.from, window.to)
                    || no_change_back && enclosed(case, &own, upper, window.from, window.to)
            };
            let spelt = own.iter().any(|seen| seen.upper);
            if !(holds(false) || spelt && holds(true) || excused(case, &page.assumptions, tally)) {
                say("false proof");
            }
        }
        let shown: Vec<&&Seen> = own.iter().filter(|seen| seen.says != Says::Nothing).collect();
        let differ = shown.iter().any(|one| {
            shown
                .iter()
                .any(|other| one.shown.state != other.shown.state || one.shown.token != other.shown.token)
        });
        match page.state {
            PageState::Changed => {
                tally.changed += 1;
                if !differ && !excused(case, &page.assumptions, tally) {
                    say("false change");
                }
            }
            PageState::Sharp => {
                // A date cut to the second may lie before a change that the capture shows.
                let true_state = |seen: &Seen| {
                    let history = case.history(number, seen.upper);
                    let asked = history.at(seen.asked);
                    if asked == seen.shown.state { asked } else { history.at(seen.made) }
                };
                let moved = shown.iter().any(|one| true_state(one) != true_state(shown[0]));
                if moved && !excused(case, &page.assumptions, tally) {
                    say("falsely unchanged");
                }
            }
            PageState::Single | PageState::Unknown => {}
        }
        if !tampered {
            let proven: Vec<(Instant, Instant)> =
                page.proven.iter().map(|window| (window.from, window.to)).collect();
            lost(case, page.state, &proven, &shown, tally, &mut say);
        }
    }
}

/// Whether two captures enclose a time, both show what really stood then, the same, and no other one shows otherwise: all
/// that changed in between changed back.
fn enclosed(case: &Case, own: &[&Seen], upper: bool, from: Instant, to: Instant) -> bool {
    let shows = |seen: &&&Seen| seen.upper == upper && seen.says != Says::Nothing;
    let true_state = |seen: &Seen| case.history(seen.page, upper).at(seen.made);
    let mut shown: Vec<&&Seen> = own.iter().filter(shows).collect();
    shown.sort_by_key(|seen| seen.made);
    let before = shown.iter().rfind(|seen| seen.made <= from);
    let behind = shown.iter().find(|seen| seen.made >= to);
    let (Some(before), Some(behind)) = (before, behind) else { return false };
    let between = shown.iter().filter(|seen| before.made <= seen.made && seen.made <= behind.made);
    true_state(before) == true_state(behind)
        && between.filter(|seen| seen.says == Says::State).all(|seen| seen.shown.state == true_state(before))
}

/// Proofs and changes that neighbouring captures allow.
fn lost(
    case: &Case,
    state: PageState,
    proven: &[(Instant, Instant)],
    shown: &[&&Seen],
    tally: &mut Tally,
    say: &mut dyn FnMut(&str),
) {
    // A version that came back contradicts the dates of its page, and a 304 that rests on a date proves nothing then.
    let since = |seen: &Seen| case.history(seen.page, seen.upper).since(seen.made);
    let came_back = |one: &&&Seen| {
        shown.iter().any(|other| one.shown.state == other.shown.state && since(one) != since(other))
    };
    let without_dates = case.server == Server::Dated && shown.iter().any(came_back);
    // A cache may answer with a response that is older than what was captured before.
    let mut shown = shown.to_vec();
    // An index says nothing of that.
    let is_index = case.crawler.is_index();
    shown.sort_by_key(|seen| if is_index { seen.from } else { seen.made });
    // An Age is stated in whole seconds, also one of 0.
    let cut = if case.server == Server::Cached { SECOND } else { 0 };
    let made = |seen: &Seen| seen.made.plus(-cut);
    for pair in shown.windows(2) {
        let (one, other) = (pair[0], pair[1]);
        let certain = one.says == Says::State && other.says == Says::State && one.url == other.url;
        if !certain || one.shown.language != other.shown.language {
            continue;
        }
        // Requests that differ in cookies do not compare where Vary names them.
        if case.server == Server::Negotiating && case.crawler == Crawler::Visitors && one.shown != other.shown
        {
            continue;
        }
        if one.shown != other.shown {
            if state != PageState::Changed {
                say("a change is lost");
            }
        } else if one.end <= made(other) && !(without_dates && case.crawler.is_conditional()) {
            let (from, to) = (one.end, made(other));
            // What a cache kept may have been made at any time in its Age.
            let may_part = |seen: &&&Seen| seen.shown != one.shown && made(seen) <= to && seen.end >= from;
            if shown.iter().any(may_part) {
                continue;
            }
            tally.required += 1;
            if !proven.iter().any(|window| window.0 <= from && to <= window.1) {
                say(&format!("a proof is lost: {from} to {to}"));
            }
        }
    }
}

/// What an audit says of each page, for comparing two audits.
fn said(audit: &Audit) -> Vec<String> {
    let pages = audit.sites.iter().flat_map(|site| &site.page_list);
    let mut said: Vec<String> = pages
        .map(|page| {
            format!("{} {:?} {:?} {:?} {}", page.key, page.state, page.proven, page.assumptions, page.reason)
        })
        .collect();
    said.sort();
    said
}

/// Input order and files given twice change no verdict.
fn order(inputs: &[PathBuf], audit: &Audit, wrong: &mut Vec<String>) {
    if inputs.len() < 2 {
        return;
    }
    let reversed: Vec<PathBuf> = inputs.iter().rev().cloned().collect();
    if said(&ask::audited(&reversed)) != said(audit) {
        wrong.push("the order of inputs decides: reversed".to_owned());
    }
    let twice: Vec<PathBuf> = inputs.iter().chain(inputs.last()).cloned().collect();
    if said(&ask::audited(&twice)) != said(audit) {
        wrong.push("a file given twice decides: the last one".to_owned());
    }
}

fn dates(case: &Case, answer: &At, date: Instant, tally: &mut Tally, wrong: &mut Vec<String>) {
    tally.dates += 1;
    let stated: Vec<Assumption> = case.server.breaks().into_iter().collect();
    let all_proven = answer.pages.held().iter().all(|page| page.state == Standing::Proven);
    if (answer.verdict == SiteVerdict::Coherent) != all_proven {
        wrong.push(format!("verdict and pages differ: {date}"));
    }
    for page in answer.pages.held().iter() {
        let Some((number, upper)) = numbered(&page.url) else { continue };
        let history = case.history(number, upper);
        let url = page.url.as_str();
        if case.contradicted.contains(&number) && page.state == Standing::Proven {
            wrong.push(format!("a contradicted page is proven at a date: {url} {date}"));
        }
        // Strictly compared, the way to the page is an answer of its own address, and no version of the page.
        let is_way = page.shown.iter().any(|part| {
            part.location.as_deref().is_some_and(|location| location.starts_with("https://www."))
        });
        if page.state == Standing::Proven && !is_way {
            tally.standing += 1;
            let own = own(case, number);
            if !enclosed(case, &own, upper, date, date) && !excused(case, &stated, tally) {
                wrong.push(format!("falsely proven at a date: {url} {date}"));
            }
        }
        // By a truthful Last-Modified, what replay serves began only later.
        if page.began_after.is_some() && case.server.dates_truly() {
            let served = own(case, number)
                .into_iter()
                .filter(|seen| seen.upper == upper && seen.says != Says::Nothing);
            let served = served.min_by_key(|seen| seen.from.0.abs_diff(date.0));
            let began = served.and_then(|seen| history.since(seen.made));
            if began.is_some_and(|began| began.plus(-SECOND) <= date) && served.is_some() {
                wrong.push(format!("not later than the date: {url} {date}"));
            }
        }
    }
    for phrase in &answer.phrases {
        for (list, holds) in [(&phrase.present, true), (&phrase.absent, false)] {
            for page in list {
                let Some((number, upper)) = numbered(&page.url) else { continue };
                tally.phrases += 1;
                let history = case.history(number, upper);
                // The page may have changed and changed back: that is assumed, and stated.
                let back = enclosed(case, &own(case, number), upper, date, date);
                if history.at(date).has_phrase() != holds && !back && !excused(case, &stated, tally) {
                    wrong.push(format!("phrase wrongly {holds}: {} {date}", page.url));
                }
            }
        }
    }
}
