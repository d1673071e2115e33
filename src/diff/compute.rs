//! Compares two sides, resource by resource.
//!
//! Of every URL the last usable capture of each side is compared, by the rules of evidence ([`crate::change::evidence`]). A URL is
//! in a side if it has content, a redirect to elsewhere, or a cut capture there. An answer of "not found", or a failure, shows
//! that it was asked for and is missing. A 304 has the content of the capture that it confirms, on either side or outside the dates of
//! both, where the audit takes that for proven too. A URL of which no capture at all has content, only 304s, is in neither side.

use std::collections::HashMap;
use std::io;

use super::changes::measure;
use super::history::{History, repeats_only, says_nothing};
use super::lander::Landers;
use super::model::{Diff, OfKind, Resource, ResourceKind, SCHEMA, Side, Stated, Witness};
use super::originals::Originals;
use super::reasons::{different, same, set_aside, undecided};
use super::same::Copies;
use super::sides::{Membership, Sides};
use super::sought::SoughtUrls;
use super::state::{State, state};
use crate::audit::soft404::Signs;
use crate::capture::Kind;
use crate::capture::intern::Id;
use crate::capture::page::is_html_page;
use crate::capture::table::{Row, Table};
use crate::change::assumption::{Assumption, Assumptions};
use crate::change::evidence::{Basis, Compare, Grade, Identity, Judge, Verdict};
use crate::change::role::Aside;
use crate::format::{count, percent};
use crate::html::soft404::PARKED;
use crate::html::stand_in::Lander;
use crate::ingest::Reading;
use crate::quality::weights::ChangeWeights;
use crate::recovery::diagram::Diagram;
use crate::recovery::vector::{Class, Counts, Parts};

/// What is compared, and how.
#[derive(Debug)]
pub(crate) struct DiffInput<'a> {
    pub membership: &'a Membership,
    /// The inputs of each side, as the user named them.
    pub names: [Vec<String>; 2],
    pub evidence: Grade,
    /// What was requested, if a log says so.
    pub sought: Option<&'a SoughtUrls>,
    /// The manifest beside the second side that says so, where no log was given.
    pub manifest: Option<String>,
    pub weights: &'a ChangeWeights,
}

/// The capture of a URL that stands for its side.
#[derive(Clone, Copy)]
struct Shown<'t> {
    row: &'t Row,
    /// The capture that has its content: another one where a 304 confirms that.
    content: &'t Row,
    /// What it is compared by, or why it shows no state of its page.
    identity: Result<Identity, Aside>,
    state: State,
    /// Why it does not show which content it confirms, where it is a 304.
    doubt: Option<&'static str>,
}

/// The class of a URL, and what it rests on.
struct Classed {
    class: Class,
    grade: Option<Grade>,
    /// By what two captures were compared.
    basis: Option<Basis>,
    reason: String,
}

impl Classed {
    fn new(class: Class, reason: impl Into<String>) -> Self {
        Classed { class, grade: None, basis: None, reason: reason.into() }
    }
}

/// What one side has of a URL.
struct Half<'t> {
    shown: Option<Shown<'t>>,
    /// The last capture that shows nothing, and why.
    failed: Option<(&'t Row, String)>,
    is_html: bool,
    is_image: bool,
}

/// Compares what was read.
pub(crate) fn diff(reading: &Reading, input: &DiffInput<'_>) -> io::Result<Diff> {
    let sides = Sides::build(reading, input.membership)?;
    let table = &sides.table;
    let judge = Judge::new(table, Compare::Bytes, input.evidence);
    let pages = table.pages();
    let signs = [0, 1].map(|side| {
        let rows = sides
            .keys
            .values()
            .filter_map(|places| places[side])
            .flat_map(|place| table.rows_of(&pages[place]));
        Signs::of_rows(table, rows)
    });
    let mut copies = Copies::new(table);
    let landers = Landers::new(table);
    let originals = Originals::of(table);
    let mut found: Vec<(Resource, Option<&Row>, Option<&Row>)> = Vec::new();
    let mut totals = [0.0, 0.0];
    let mut assumed = Assumptions::default();
    let mut bare = 0;
    for (key, places) in &sides.keys {
        let history = sides.histories.get(key).map(|place| {
            History::new(&judge, table.rows_of(&pages[*place]), input.membership.canon, &signs[0])
        });
        let halves = [0, 1].map(|side| {
            let rows = table.rows_of(&pages[places[side]?]);
            Some(half(&judge, rows, history, input.membership, &signs[side], &originals))
        });
        let [one, other] = [0, 1].map(|side| halves[side].as_ref().and_then(|half| half.shown));
        let Some(classed) = classify(&judge, &mut copies, &landers, key, &halves, input.sought) else {
            bare += u64::from(history.is_some_and(|history| !history.has_content));
            continue;
        };
        assume(&mut assumed, &classed, one, other);
        let Classed { class, grade, reason, .. } = classed;
        let weight = |side: usize| sides.weights[side].get(key).copied().unwrap_or(0.0);
        totals[0] += if one.is_some() { weight(0) } else { 0.0 };
        totals[1] += if other.is_some() { weight(1) } else { 0.0 };
        let kind = kind(&halves);
        let first = one.or(other).map(|shown| shown.row);
        let witnesses = (1u8..).zip(&halves).filter_map(|(side, half)| {
            let half = half.as_ref()?;
            let row = half.shown.map(|shown| shown.row).or(half.failed.as_ref().map(|(row, _)| *row))?;
            Some(witness(table, row, side))
        });
        found.push((
            Resource {
                url: first.map_or_else(|| key.clone(), |row| table.text(row.url).to_owned()),
                key: key.clone(),
                class,
                kind,
                importance: if class == Class::Added { weight(1) } else { weight(0) },
                grade,
                reason,
                witnesses: witnesses.collect(),
                change: None,
                moved: None,
            },
            one.map(|shown| shown.content),
            other.map(|shown| shown.content),
        ));
    }
    moved(table, &mut found);
    let mut tally = Tally::default();
    for (resource, one, other) in &mut found {
        let weight = |side: usize, is_there: bool| {
            let weight = sides.weights[side].get(&resource.key).copied().unwrap_or(0.0);
            if is_there && totals[side] > 0.0 { weight / totals[side] } else { 0.0 }
        };
        let (before, after) = (weight(0, one.is_some()), weight(1, other.is_some()));
        resource.importance = if resource.class == Class::Added { after } else { before };
        tally.add(resource, before, after);
    }
    let mut changed: Vec<(&mut Resource, &Row, &Row)> = found
        .iter_mut()
        .filter(|(resource, ..)| resource.class == Class::Changed)
        .filter_map(|(resource, one, other)| Some((resource, (*one)?, (*other)?)))
        .collect();
    let paths = reading.inputs.iter().map(|file| file.file.as_str()).collect();
    measure(table, paths, input.weights, &mut changed);
    let counts = tally.counts;
    Ok(Diff {
        schema: SCHEMA.to_owned(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        original: side(&sides, input, 0, counts.original()),
        rebuilt: side(&sides, input, 1, counts.rebuilt()),
        parameters: Stated {
            canon: input.membership.canon.name().to_owned(),
            scope: input.membership.scope.clone(),
            evidence: judge.floor(),
            importance: sides.weighed_by.clone(),
            sought: input.sought.is_some(),
        },
        vector: counts.vector(),
        by_importance: tally.parts.vector(),
        kinds: tally.kinds(),
        diagram: Diagram::of(&counts),
        summary: summary(&counts),
        assumptions: assumptions(input, assumed, bare),
        counts,
        resources: found.into_iter().map(|(resource, ..)| resource).collect(),
    })
}

/// What a side has of a URL: the last capture with content, else the last that is cut.
fn half<'t>(
    judge: &Judge<'t>,
    rows: &'t [Row],
    history: Option<History<'t>>,
    membership: &Membership,
    signs: &Signs,
    originals: &Originals,
) -> Half<'t> {
    let table = judge.table();
    let identities = judge.identities(rows, true);
    let (mut whole, mut cut, mut failed) = (None, None, None);
    for (row, identity) in rows.iter().zip(identities) {
        let (state, why) = state(table, row, membership.canon, signs);
        let identity = match identity {
            // No version of a page, but what stood at this address.
            Err(Aside::OtherMedia | Aside::NoHead) if row.kind != Kind::Resource => {
                Ok(judge.identity(row, true))
            }
            identity => identity,
        };
        let identity = identity.map(|identity| originals.status_into(row, identity));
        let shown = Some(Shown { row, content: row, identity, state, doubt: None });
        match state {
            // As in the audit: what never showed content is not a page.
            _ if repeats_only(row) && history.is_some_and(|history| !history.has_content) => {
                failed = Some((row, "a 304 whose content is in no capture".to_owned()));
            }
            State::Content | State::Redirect | State::ErrorPage => whole = shown,
            State::Cut => cut = shown,
            State::Gone | State::Failed => failed = Some((row, why.unwrap_or_default())),
            State::Way => {}
        }
    }
    let mut shown = whole.or(cut);
    let mut typed = rows;
    if let (Some(Shown { row, content, identity: identity @ Ok(_), doubt, .. }), Some(history)) =
        (&mut shown, history)
        && row.not_modified
    {
        let (confirmed, original) = judge.confirmed_among(history.rows, row, history.modified);
        *identity = Ok(confirmed);
        *doubt = original.map_or_else(|why| Some(why.words()), |_| says_nothing(row));
        *content = original.ok().flatten().unwrap_or(row);
        typed = history.rows;
    }
    let mime =
        |start: &str| typed.iter().filter_map(|row| row.mime).any(|mime| table.text(mime).starts_with(start));
    Half {
        shown,
        failed,
        is_html: typed.iter().any(|row| is_html_page(table, row)),
        is_image: mime("image/"),
    }
}

fn kind(halves: &[Option<Half<'_>>; 2]) -> ResourceKind {
    let shown = |half: &&Half<'_>| half.shown.is_some();
    let half = halves.iter().flatten().find(shown).or(halves.iter().flatten().next());
    match half {
        Some(half) if half.is_html => ResourceKind::Html,
        Some(half) if half.is_image => ResourceKind::Image,
        _ => ResourceKind::Other,
    }
}

/// The class of a URL, what it rests on, and why. `None`: neither side has it.
fn classify(
    judge: &Judge<'_>,
    copies: &mut Copies<'_>,
    landers: &Landers,
    key: &str,
    halves: &[Option<Half<'_>>; 2],
    sought: Option<&SoughtUrls>,
) -> Option<Classed> {
    let [one, other] = [0, 1].map(|side| halves[side].as_ref().and_then(|half| half.shown));
    let failed = |side: usize| halves[side].as_ref().and_then(|half| half.failed.as_ref());
    match (one, other) {
        (None, None) => None,
        (Some(one), Some(other)) => Some(compare(judge, copies, landers, one, other)),
        (None, Some(_)) => Some(Classed::new(
            Class::Added,
            failed(0).map_or_else(
                || "not in the first capture".to_owned(),
                |(_, why)| format!("requested for the first capture, without success: {why}"),
            ),
        )),
        (Some(_), None) => Some(match (failed(1), sought) {
            (Some((_, why)), _) => Classed::new(Class::Missing, format!("requested, and not found: {why}")),
            (None, Some(sought)) if sought.has(key) => {
                Classed::new(Class::Missing, "requested by the log, and not found")
            }
            (None, Some(_)) => Classed::new(Class::Unsought, "never requested, by the log"),
            (None, None) => Classed::new(Class::Missing, "not in the second capture"),
        }),
    }
}

fn compare(
    judge: &Judge<'_>,
    copies: &mut Copies<'_>,
    landers: &Landers,
    one: Shown<'_>,
    other: Shown<'_>,
) -> Classed {
    let compared = by_evidence(judge, one, other);
    if compared.class != Class::Identical
        && let Some((grade, why)) = copies.are_one(one.row, other.row)
        && grade <= judge.floor()
    {
        return Classed { grade: Some(grade), ..Classed::new(Class::Identical, why) };
    }
    // What stands in place of a page does not say what became of it.
    if compared.class == Class::Changed {
        let [first, second] = [one, other].map(|shown| stands_in(judge.table(), landers, shown.content));
        if let (Some(why), None, side) | (None, Some(why), side) =
            (&first, &second, usize::from(first.is_none()))
        {
            return Classed::new(Class::Unknown, set_aside(side, why));
        }
    }
    compared
}

/// Whether a parked domain, or a script of a parker or of a wall against robots, stands in place of the page, in words. Walls that say so
/// show no state of a page anyway.
fn stands_in(table: &Table, landers: &Landers, row: &Row) -> Option<String> {
    if row.soft404.is_some_and(|sign| table.text(sign).starts_with(PARKED)) {
        return Some("a parked domain was shown in place of the page".to_owned());
    }
    match landers.of(table, row)? {
        Lander::Script(words) => Some(words),
        Lander::Nothing(_) => None,
    }
}

/// The class of two captures by the rules of evidence.
fn by_evidence(judge: &Judge<'_>, one: Shown<'_>, other: Shown<'_>) -> Classed {
    let unknown = |why: &str| Classed::new(Class::Unknown, why);
    if let Some(side) = [one, other].iter().position(|shown| shown.state == State::Cut) {
        return unknown(&set_aside(side, "its record is cut short"));
    }
    let (first, second) = match (&one.identity, &other.identity) {
        (Ok(first), Ok(second)) => (first, second),
        (Err(aside), _) => return unknown(&set_aside(0, &aside.explain())),
        (_, Err(aside)) => return unknown(&set_aside(1, &aside.explain())),
    };
    let (strongest, basis) = judge.weigh(first, second);
    // A redirect is what it points to: that is in the head of the response, not in its body.
    let location = |shown: Shown<'_>| shown.row.location.filter(|_| shown.state == State::Redirect);
    let verdict = match judge.verdict(first, second) {
        Verdict::Same(grade) if location(one) != location(other) => Verdict::Different(grade),
        verdict => verdict,
    };
    let decided = |class: Class, grade: Grade, why: &str| Classed {
        grade: Some(grade),
        basis: Some(basis),
        ..Classed::new(class, why)
    };
    if let (Basis::MediaType, Some(a), Some(b)) = (basis, one.content.body, other.content.body)
        && a != b
    {
        let is_read = one.content.kind != Kind::Revisit && other.content.kind != Kind::Revisit;
        let grade = if is_read { Grade::Bytes } else { Grade::Digest };
        return decided(Class::Changed, grade, different(basis));
    }
    let is_now_error = other.state == State::ErrorPage && one.state != State::ErrorPage;
    match verdict {
        Verdict::Same(grade @ Grade::NotModified) => {
            decided(Class::Identical, grade, "the server said that it was not modified (304)")
        }
        Verdict::Same(grade) => decided(Class::Identical, grade, same(basis)),
        Verdict::Different(grade) if is_now_error => {
            let why = format!("{}; it now looks like an error page", different(basis));
            decided(Class::Changed, grade, &why)
        }
        Verdict::Different(grade) => decided(Class::Changed, grade, different(basis)),
        Verdict::Unknown => {
            let doubt = one.doubt.or(other.doubt);
            let is_bare = [one, other].iter().any(|shown| shown.content.status.is_none());
            Classed::new(Class::Unknown, undecided(strongest, basis, doubt, is_bare))
        }
    }
}

/// What a class takes for granted.
fn assume(assumed: &mut Assumptions, classed: &Classed, one: Option<Shown<'_>>, other: Option<Shown<'_>>) {
    if classed.grade == Some(Grade::NotModified) {
        assumed.add(Assumption::HonestNotModified);
    }
    let is_line = |shown: Option<Shown<'_>>| shown.is_some_and(|shown| shown.content.kind == Kind::Index);
    if classed.class == Class::Changed
        && classed.basis == Some(Basis::Declared)
        && is_line(one)
        && is_line(other)
    {
        assumed.add(Assumption::IndexIsOneWriter);
        assumed.add(Assumption::OneCoding);
    }
}

fn witness(table: &Table, row: &Row, side: u8) -> Witness {
    Witness {
        side,
        url: table.text(row.url).to_owned(),
        time: row.time,
        status: row.status,
        file: table.text(row.file).to_owned(),
        offset: row.offset,
        record_id: row.record_id.map(|id| table.text(id).to_owned()),
        body: row.body.and_then(|body| table.body(body)).map(|body| body.to_string()),
        declared: row.declared.and_then(|digest| table.digest(digest)).map(|digest| digest.to_string()),
    }
}

/// Pages that are missing here and were added there with the same body.
fn moved(table: &Table, found: &mut [(Resource, Option<&Row>, Option<&Row>)]) {
    let body =
        |row: &Row| row.body.filter(|_| row.body_length != Some(0) && row.status.is_none_or(|s| s == 200));
    let mut added: HashMap<Id, Vec<usize>> = HashMap::new();
    for (place, (resource, _, other)) in found.iter().enumerate().rev() {
        if let Some(body) = other.and_then(body).filter(|_| resource.class == Class::Added) {
            added.entry(body).or_default().push(place);
        }
    }
    for place in 0..found.len() {
        let (resource, one, _) = &found[place];
        let is_lost = matches!(resource.class, Class::Missing | Class::Unsought);
        let Some(row) = one.filter(|_| is_lost) else { continue };
        if let Some(to) = body(row).and_then(|body| added.get_mut(&body)).and_then(Vec::pop) {
            let from = table.text(row.url).to_owned();
            found[place].0.moved = Some(found[to].0.url.clone());
            found[to].0.moved = Some(from);
        }
    }
}

/// Counts and weights, for all and by kind.
#[derive(Default)]
struct Tally {
    counts: Counts,
    parts: Parts,
    of_kind: [(Counts, Parts); 3],
}

impl Tally {
    fn add(&mut self, resource: &Resource, before: f64, after: f64) {
        let parts = Parts::one(resource.class, before, after);
        self.counts.add(resource.class);
        self.parts += parts;
        let (counts, sum) = &mut self.of_kind[resource.kind as usize];
        counts.add(resource.class);
        *sum += parts;
    }

    fn kinds(&self) -> Vec<OfKind> {
        let one = |(kind, (counts, parts)): (ResourceKind, &(Counts, Parts))| OfKind {
            kind,
            counts: *counts,
            vector: counts.vector(),
            by_importance: parts.vector(),
        };
        ResourceKind::ALL.into_iter().zip(&self.of_kind).map(one).collect()
    }
}

fn side(sides: &Sides, input: &DiffInput<'_>, side: usize, resources: u64) -> Side {
    let rows = || {
        let places = sides.keys.values().filter_map(move |places| places[side]);
        places.flat_map(|place| sides.table.rows_of(&sides.table.pages()[place]))
    };
    let (from, to) = input.membership.periods[side];
    Side {
        inputs: input.names[side].clone(),
        from,
        to,
        resources,
        captures: rows().count() as u64,
        first: rows().map(|row| row.time).min(),
        last: rows().map(|row| row.time).max(),
    }
}

/// The answer in a sentence or two.
fn summary(counts: &Counts) -> String {
    let original = counts.original();
    if original == 0 {
        return match counts.added {
            0 => "Neither side has anything to compare.".to_owned(),
            added => format!("The first side is empty; the second has {}.", count(added, "resource")),
        };
    }
    let mut parts = Vec::new();
    for (number, words) in [
        (counts.changed, "changed"),
        (counts.missing, "missing"),
        (counts.unsought, "never requested"),
        (counts.unknown, "cannot be compared"),
    ] {
        if number > 0 {
            parts.push(format!("{number} {words}"));
        }
    }
    let share = percent(counts.identical as f64 / original as f64);
    let mut text = format!("{} of {} identical ({share})", counts.identical, count(original, "resource"));
    if !parts.is_empty() {
        text.push_str(&format!("; {}", parts.join(", ")));
    }
    let added = match counts.added {
        0 => "None was".to_owned(),
        1 => "1 was".to_owned(),
        added => format!("{added} were"),
    };
    text.push_str(&format!(". {added} added."));
    text
}

fn assumptions(input: &DiffInput<'_>, assumed: Assumptions, bare: u64) -> Vec<String> {
    let mut stated = vec![
        "Of every URL the last usable capture of each side is compared.".to_owned(),
        "URLs are the same resource by their canonical keys.".to_owned(),
    ];
    if let Some(path) = &input.manifest {
        stated.push(format!("What was requested for the second side is in its manifest, {path}."));
    }
    if bare > 0 {
        stated.push(format!(
            "Not counted: {} that answered 304 (not modified), with content in no input.",
            count(bare, "URL")
        ));
    }
    if input.sought.is_none() {
        stated.push("No log says what was requested: what is not there counts as missing, whether it was requested or not.".to_owned());
    }
    stated.extend(assumed.list().into_iter().map(|assumption| format!("Assumed: {}.", assumption.text())));
    stated
}
