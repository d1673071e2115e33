//! The comparison with an earlier audit in sentences: better, worse, fixed, what became of the actions, and notes.

use crate::audit::comparison::only;
use crate::audit::measures::{Measures, only_one_read};
use crate::audit::model::{
    ActionOutcome, ActionState, AnswerChange, Audit, Band, Comparison, Direction, Listed, Question, Said,
    SiteChange,
};
use crate::audit::same_measure::{IMPORTANCE, shares};
use crate::audit::site_changes::Latest;
use crate::format::{count, list, local, number, percent, percents, was};

/// What the settings of two audits differ in.
fn settings(then: &Audit, now: &Audit) -> Vec<String> {
    let values = |audit: &Audit| -> serde_json::Map<String, serde_json::Value> {
        match serde_json::to_value(&audit.parameters) {
            Ok(serde_json::Value::Object(values)) => values,
            _ => serde_json::Map::new(),
        }
    };
    let (then, now) = (values(then), values(now));
    // Which inputs are visit and revisit follows from the inputs.
    let names = [
        "canon",
        "site_by",
        "pages",
        "evidence",
        "compare",
        "from",
        "to",
        "crawls",
        "site",
        "weights",
        "embeds",
        "ignore_below",
    ];
    let differ = names.iter().filter(|name| then.get(**name) != now.get(**name));
    differ.map(|name| name.replace('_', " ")).collect()
}

fn question(question: Question) -> &'static str {
    match question {
        Question::Consistent => "Consistent",
        Question::Complete => "Complete",
        Question::Record => "Trustworthy",
    }
}

struct Lines<'a> {
    /// The site whose name URLs leave out.
    site: &'a str,
    said: Vec<Said>,
}

impl Lines<'_> {
    fn say(&mut self, topic: &str, text: String) {
        self.said.push(Said { topic: topic.to_owned(), text });
    }

    /// A sentence about some URLs; `one` and `many` are its forms.
    fn some(&mut self, topic: &str, found: &Listed, one: &str, many: &str) {
        let Some(first) = found.first.first() else { return };
        let path = local(first, self.site);
        match found.count {
            1 => self.say(topic, format!("{one}: {path}.")),
            all => self.say(topic, format!("{} {many}, among them {path}.", number(all))),
        }
    }
}

/// Two audits, and what they have in common.
pub(crate) struct Both<'a> {
    pub then: &'a Audit,
    pub now: &'a Audit,
    pub old: &'a Latest<'a>,
    pub new: &'a Latest<'a>,
    pub measures: &'a Measures,
    /// Whether both list their pages.
    pub has_pages: bool,
}

impl Both<'_> {
    /// Whether the two answers are by one measure.
    fn judge_alike(&self, question: Question) -> bool {
        let sites = only(self.old).zip(only(self.new));
        sites.is_none_or(|(old, new)| self.measures.judge_alike(question, old, new))
    }

    /// Whether bodies were read in one of the audits only.
    fn only_one_read(&self) -> bool {
        let sites = self.old.iter().filter_map(|(name, old)| Some((*old, *self.new.get(name)?)));
        sites.into_iter().any(|(old, new)| only_one_read(old, new))
    }

    /// Whether answers, pages and files could all be compared.
    fn is_whole(&self) -> bool {
        self.has_pages && self.measures.settings.is_empty() && self.measures.sites && !self.only_one_read()
    }
}

/// Share of pages that may be in one of two audits only before an answer is said to be about other pages.
const FEW: f64 = 0.05;

/// What the pages of two audits differ in, where that is much: `8 are not here now and 2 are new`.
fn other_pages(comparison: &Comparison, now: &Audit) -> Option<String> {
    let (lost, gained) = (comparison.lost.count, comparison.gained.count);
    let all = now.summary.pages + lost;
    let are = |many: u64| if many == 1 { "is" } else { "are" };
    let parts = [(lost, "not here now"), (gained, "new")].into_iter().filter(|(many, _)| *many > 0);
    let parts: Vec<String> =
        parts.map(|(many, what)| format!("{} {} {what}", number(many), are(many))).collect();
    ((lost + gained) as f64 > FEW * all as f64).then(|| list(&parts))
}

/// What got better or worse about an answer, where it went this way.
fn of_answer(change: &AnswerChange, way: Direction) -> Option<String> {
    let (before, after) = change.before.zip(change.after)?;
    let name = question(change.question);
    let measure = change.measure.as_deref().unwrap_or_default();
    if change.direction == way {
        let shares = shares(change.question, measure, change.before_share, change.after_share);
        let shares = shares.map_or_else(String::new, |shares| format!(" ({shares})"));
        return Some(format!("{name}: {} → {}{shares}.", before.name(), after.name()));
    }
    // A share of what cannot be told says nothing of the answer.
    if change.direction != Direction::Same || after == Band::CannotTell {
        return None;
    }
    let (then, now) = change.before_share.zip(change.after_share)?;
    let rose = match way {
        Direction::Better if now > then => "rose",
        Direction::Worse if now < then => "fell",
        _ => return None,
    };
    if percent(then) == percent(now) {
        return None;
    }
    let (from, to) = percents(then, now);
    let what = match change.question {
        Question::Complete => measure,
        Question::Consistent if measure == IMPORTANCE => "by importance it",
        Question::Record => "the share of captures without faults",
        _ => "it",
    };
    Some(format!("{name} is still {}; {what} {rose} from {from} to {to}.", after.name()))
}

/// What is neither better nor worse about an answer that is another one.
fn judged(change: &AnswerChange, both: &Both<'_>) -> Option<String> {
    let (before, after) = change.before.zip(change.after)?;
    let name = question(change.question);
    let measure = change.measure.as_deref().unwrap_or_default();
    let was = format!("{name} is {} and was {}", after.name(), before.name());
    // What cannot be told is neither good nor bad, so it is neither better nor worse.
    Some(match (before, after, change.before_share, change.after_share) {
        (_, Band::CannotTell, ..) => format!("{name} can no longer be judged; it was {}.", before.name()),
        (Band::CannotTell, ..) => format!("{name} can now be judged: {}.", after.name()),
        _ if !both.judge_alike(change.question) => format!("{was}, by another measure."),
        (_, _, None, Some(share)) => {
            format!("{was}: {measure} can now be judged, and {} were captured.", percent(share))
        }
        (_, _, Some(share), None) => {
            format!("{was}: {measure} ({} then) can no longer be judged.", percent(share))
        }
        _ => format!("{was}, by what only one of the audits can judge."),
    })
}

/// All that changed, in sentences.
pub(crate) fn said(comparison: &Comparison, both: &Both<'_>) -> Vec<Said> {
    let Both { now, old, new, .. } = *both;
    let site = match &now.sites[..] {
        [only] => only.site.as_str(),
        _ => "",
    };
    let mut lines = Lines { site, said: Vec::new() };
    let pages = other_pages(comparison, now);
    for (topic, way) in [("Better", Direction::Better), ("Worse", Direction::Worse)] {
        for change in &comparison.answers {
            if let Some(text) = of_answer(change, way) {
                lines.say(topic, text);
            }
        }
        let is_about_pages = |change: &&AnswerChange| change.question != Question::Record;
        let mut about_pages = comparison.answers.iter().filter(is_about_pages);
        if about_pages.any(|change| of_answer(change, way).is_some())
            && let Some(pages) = &pages
        {
            lines.say(topic, format!("This is about other pages than last time: {pages}."));
        }
        let many = comparison.sites.iter().filter(|change| change.direction == way).count() as u64;
        if many > 0 {
            lines.say(
                topic,
                format!(
                    "{} {} answers that are {}.",
                    count(many, "site"),
                    if many == 1 { "has" } else { "have" },
                    way.name()
                ),
            );
        }
        match way {
            Direction::Better => {
                lines.some(
                    "Fixed",
                    &comparison.fixed,
                    "1 page that changed last time is unchanged now",
                    "pages that changed last time are unchanged now",
                );
                lines.some(
                    "Fixed",
                    &comparison.no_longer_missing,
                    "1 file is no longer missing",
                    "files are no longer missing",
                );
            }
            _ => {
                lines.some(
                    "Worse",
                    &comparison.broken,
                    "1 page that was unchanged last time changed",
                    "pages that were unchanged last time changed",
                );
                lines.some(
                    "Worse",
                    &comparison.lost,
                    "1 page was captured last time and is not here",
                    "pages were captured last time and are not here",
                );
                lines.some(
                    "Worse",
                    &comparison.newly_missing,
                    "1 file is missing that was not missing last time",
                    "files are missing that were not missing last time",
                );
            }
        }
    }
    let unknown = comparison.answers.iter().filter(|change| change.direction == Direction::Unknown);
    for text in unknown.filter_map(|change| judged(change, both)) {
        lines.say("Judged", text);
    }
    let then_of: Bands = |change| [change.consistent_before, change.complete_before];
    let now_of: Bands = |change| [change.consistent_after, change.complete_after];
    let (told, untold) =
        (told_only(&comparison.sites, then_of, now_of), told_only(&comparison.sites, now_of, then_of));
    if told > 0 {
        lines.say("Judged", format!("{} could not be judged before and can now.", count(told, "site")));
    }
    if untold > 0 {
        lines.say("Judged", format!("{} can no longer be judged.", count(untold, "site")));
    }
    lines.some("New", &comparison.gained, "1 page was not there last time", "pages were not there last time");
    if both.measures.sites {
        in_and_out(&mut lines, old, new);
    }
    actions(&mut lines, &comparison.actions);
    notes(&mut lines, both, comparison);
    let topics = ["Better", "Fixed", "Worse", "Judged", "New", "Actions", "Note"];
    let place = |said: &Said| topics.iter().position(|topic| *topic == said.topic);
    lines.said.sort_by_key(place);
    if lines.said.iter().all(|said| matches!(said.topic.as_str(), "Actions" | "Note")) {
        let text = match both.is_whole() {
            true => "The answers, pages and missing files are the same.",
            false => "The answers are the same.",
        };
        lines.said.insert(0, Said { topic: "Same".to_owned(), text: text.to_owned() });
    }
    lines.said
}

/// The two answers about a site, then or now.
type Bands = fn(&SiteChange) -> [Option<Band>; 2];

/// How many sites are neither better nor worse, but have an answer that is open by `one` and decided by `other`.
fn told_only(sites: &[SiteChange], one: Bands, other: Bands) -> u64 {
    let is_open = |band: &Option<Band>| *band == Some(Band::CannotTell);
    let is_told = |change: &&SiteChange| {
        one(change).iter().zip(&other(change)).any(|(one, other)| is_open(one) && !is_open(other))
    };
    sites.iter().filter(|change| change.direction == Direction::Unknown).filter(is_told).count() as u64
}

fn in_and_out(lines: &mut Lines<'_>, old: &Latest<'_>, new: &Latest<'_>) {
    let only = |a: &Latest<'_>, b: &Latest<'_>| -> Vec<String> {
        a.keys().filter(|name| !b.contains_key(*name)).map(|name| (*name).to_owned()).collect()
    };
    for (topic, sites, what) in [
        ("New", only(new, old), "not there last time"),
        ("Worse", only(old, new), "there last time and not now"),
    ] {
        if let Some(first) = sites.first().filter(|_| old.len() > 1 || new.len() > 1) {
            let many = sites.len() as u64;
            let name = if many == 1 { format!(": {first}") } else { format!(", among them {first}") };
            lines.say(topic, format!("{} {} {what}{name}.", count(many, "site"), was(many)));
        }
    }
}

fn actions(lines: &mut Lines<'_>, outcomes: &[ActionOutcome]) {
    if outcomes.is_empty() {
        return;
    }
    let of = |state: ActionState| outcomes.iter().filter(move |outcome| outcome.state == state);
    // The first clause of an action names it.
    let name = |outcome: &ActionOutcome| {
        let clause = outcome.text.split(": ").next().unwrap_or("").trim_end_matches('.');
        let mut letters = clause.chars();
        letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
    };
    let mut text = format!("{} of {} done", of(ActionState::Done).count(), number(outcomes.len() as u64));
    let open: Vec<String> = of(ActionState::Open).map(name).collect();
    let partly: Vec<String> = of(ActionState::Partly)
        .map(|outcome| format!("{} ({} left)", name(outcome), number(outcome.left.unwrap_or(0))))
        .collect();
    let unknown: Vec<String> = of(ActionState::Unknown).map(name).collect();
    let unneeded: Vec<String> = of(ActionState::NotNeeded).map(name).collect();
    for (word, some) in
        [("in part", partly), ("open", open), ("no longer needed", unneeded), ("cannot tell", unknown)]
    {
        if !some.is_empty() {
            text.push_str(&format!("; {word}: {}", some.join(", ")));
        }
    }
    text.push('.');
    lines.say("Actions", text);
}

fn notes(lines: &mut Lines<'_>, both: &Both<'_>, comparison: &Comparison) {
    let Both { then, now, measures, .. } = *both;
    let settings = settings(then, now);
    let is_set_otherwise = !settings.is_empty();
    if is_set_otherwise {
        let rest = match measures.settings.is_empty() {
            true => "",
            false => "; answers by two measures are neither better nor worse",
        };
        let text = format!(
            "The two audits were made with different settings ({}), which may explain differences{rest}.",
            list(&settings)
        );
        lines.say("Note", text);
    }
    if both.only_one_read() {
        let text = "Bodies were read in one of the two audits only: changes and links were not compared.";
        lines.say("Note", text.to_owned());
    }
    // Two settings find other pages and files in the same captures.
    let differ = [
        &comparison.fixed,
        &comparison.broken,
        &comparison.lost,
        &comparison.gained,
        &comparison.no_longer_missing,
        &comparison.newly_missing,
    ];
    let is_alike = is_set_otherwise || differ.iter().all(|found| found.count == 0);
    if is_alike
        && then.summary.window.is_some()
        && then.summary.window == now.summary.window
        && then.summary.observations == now.summary.observations
    {
        lines.say("Note", "Both audits seem to be of the same captures.".to_owned());
    }
    if !both.has_pages {
        let text = "Pages were not compared: a report with more than 250,000 pages does not list them.";
        lines.say("Note", text.to_owned());
    } else if !measures.pages {
        let text = "Pages were not compared: by other rules, other URLs are one page.";
        lines.say("Note", text.to_owned());
    }
}
