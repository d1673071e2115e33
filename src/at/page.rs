//! One page at a date: its state, its chances, and the records that they rest on.

use crate::at::doubt_words::{self, DoubtedDate};
use crate::at::labels::place;
use crate::at::model::{AtFile, PageAt, PagePart, Role, ShownPart, SiteVerdict, Stretch, Witness};
use crate::at::{contradictions, damage};
use crate::audit::bodies::{Bodies, Holders};
use crate::capture::Kind;
use crate::capture::intern::Id;
use crate::capture::table::{Row, Table};
use crate::change::at::{Segment, Standing, Standings, State};
use crate::change::evidence::Judge;
use crate::change::rate::Rate;
use crate::change::run::Versions;
use crate::time::{Instant, Interval, SECOND};

const DAY_SECONDS: f64 = 86_400.0;
/// Maximum number of captures named of the time that was asked about.
const MAX_WITHIN: usize = 50;

/// A page that was selected: its rows (none, if it was never captured) and what they show.
pub(crate) struct Selected<'a> {
    pub url: String,
    pub key: String,
    pub site: Option<String>,
    pub rows: &'a [Row],
    pub versions: Versions,
    pub rate: Option<Rate>,
}

impl<'a> Selected<'a> {
    /// The row of a capture.
    fn row(&self, look: usize) -> &'a Row {
        &self.rows[self.versions.looks[look].row]
    }
}

/// What is shared by all pages.
pub(crate) struct Ground<'a> {
    pub table: &'a Table,
    pub judge: &'a Judge<'a>,
    pub inputs: &'a [AtFile],
    pub bodies: Option<&'a Bodies>,
    pub holders: Holders<'a>,
    /// Whether chances are estimated.
    pub estimates: bool,
    /// Whether one page is asked about: then every capture of the time that was asked about is named.
    pub is_one: bool,
}

/// The captures before and after a stretch of time.
type Around = (Option<usize>, Option<usize>);

/// What decides about a page, at one instant: the first of its least favourable part.
pub(super) struct Decided {
    /// The first part of the date that is least favourable: where the page is refuted, then by state.
    pub part: PagePart,
    /// What is known where it begins.
    pub standing: Standing,
    /// The captures before and after it.
    pub looks: Around,
    /// The date cut into segments.
    pub inside: Vec<(Interval, Segment)>,
}

/// Whether two captures with different bodies show the same text.
fn have_same_text(page: &Selected<'_>, (before, after): Around) -> bool {
    let Some((one, other)) = before.zip(after).map(|(one, other)| (page.row(one), page.row(other))) else {
        return false;
    };
    let bodies = one.body.zip(other.body).is_some_and(|(one, other)| one != other);
    bodies && one.status == other.status && one.text.is_some() && one.text == other.text
}

/// The first part of a date that is least favourable to a page.
fn decisive(inside: &[(Interval, Segment)], span: Interval) -> PagePart {
    let rank = |segment: &Segment| (segment.standing.is_refuted(), segment.standing.state);
    let Some(worst) = inside.iter().map(|(_, segment)| rank(segment)).max() else {
        return PagePart { from: span.from, to: span.to, state: State::Missing };
    };
    let behind = inside.iter().skip_while(|(_, segment)| rank(segment) != worst);
    let mut same = behind.take_while(|(_, segment)| rank(segment) == worst).map(|(over, _)| *over);
    let first = same.next().unwrap_or(span);
    PagePart { from: first.from, to: same.last().unwrap_or(first).to, state: worst.1 }
}

impl<'a> Ground<'a> {
    pub(crate) fn new(
        judge: &'a Judge<'a>,
        inputs: &'a [AtFile],
        bodies: Option<&'a Bodies>,
        estimates: bool,
        is_one: bool,
    ) -> Self {
        let paths = inputs.iter().map(|input| input.path.as_str()).collect();
        let table = judge.table();
        Ground { table, judge, inputs, bodies, holders: Holders::new(table, paths), estimates, is_one }
    }

    /// A page at a date.
    pub(super) fn page(
        &self,
        page: &Selected<'_>,
        standings: &Standings<'_>,
        segments: &[Segment],
        span: Interval,
    ) -> (PageAt, Decided) {
        let end = |place: usize| segments.get(place + 1).map_or(Instant(i64::MAX), |next| next.from.plus(-1));
        let inside: Vec<(Interval, Segment)> = segments
            .iter()
            .enumerate()
            .filter_map(|(place, segment)| {
                let from = segment.from.max(span.from);
                Some((Interval::new(from, end(place).min(span.to))?, *segment))
            })
            .collect();
        let mut parts: Vec<PagePart> = Vec::new();
        for (over, segment) in &inside {
            match parts.last_mut() {
                Some(part) if part.state == segment.standing.state => part.to = over.to,
                _ => parts.push(PagePart { from: over.from, to: over.to, state: segment.standing.state }),
            }
        }
        let part = decisive(&inside, span);
        let standing = standings.at(part.from);
        let page_rate = page.rate.filter(|_| self.estimates);
        let rate = page_rate.map(|rate| rate.per_second());
        let proves = part.state == State::Proven;
        let probability = rate.and_then(|rate| standings.chance(part.from, rate));
        let looks = standings.witnesses(Interval { from: part.from, to: part.to });
        // Each proven part of the date rests on two captures of its own.
        let mut proven: Vec<(Option<usize>, Interval)> = Vec::new();
        for (over, segment) in inside.iter().filter(|(_, segment)| segment.standing.state == State::Proven) {
            match proven.last_mut() {
                Some((run, last)) if *run == segment.standing.run => last.to = over.to,
                _ => proven.push((segment.standing.run, *over)),
            }
        }
        let mut around = vec![looks];
        let mut shown = Vec::new();
        for (run, over) in &proven {
            let pair = standings.witnesses(*over);
            if pair != looks {
                around.push(pair);
            }
            shown.push(self.shown(page, *run, *over, pair));
        }
        let within: Vec<usize> = (0..page.versions.looks.len())
            .filter(|look| span.contains(page.versions.looks[*look].captured))
            .collect();
        let mut witnesses = self.witnesses(page, &around);
        if self.is_one && !proves {
            for look in within.iter().take(MAX_WITHIN) {
                self.add_witness(&mut witnesses, Role::Within, page.row(*look));
            }
        }
        let is_absent = proves && shown.iter().any(|part| !part.is_page());
        let name = |look: Option<usize>| look.map(|look| self.place(page.row(look)));
        let stretch = proven.first().and_then(|(run, _)| page.versions.runs[(*run)?].proven);
        if parts.len() == 1 {
            parts.clear();
        }
        let mut contradictions = contradictions::of_page(self, page);
        let mut damage = damage::of_page(self, page, &around);
        if let Some(doubted) = standings.doubted(&standing, part.from) {
            match doubt_words::doubted(self, page, doubted) {
                DoubtedDate::Contradiction(found) => contradictions.insert(0, found),
                DoubtedDate::Damage(found) => damage.insert(0, found),
            }
        }
        let not_comparable = match (part.state, looks) {
            (State::Undecided | State::Claimed, (Some(before), Some(after))) if self.is_one => {
                Some(doubt_words::not_comparable(self.judge, page, (before, after)))
            }
            (State::ChangedNearby, (Some(before), Some(after))) => {
                doubt_words::same_second(page, (before, after))
            }
            _ => None,
        };
        let shown_rate = page_rate.filter(|_| probability.is_some());
        let made = PageAt {
            url: page.url.clone(),
            key: page.key.clone(),
            site: page.site.clone(),
            state: part.state,
            verdict: match () {
                () if standing.is_refuted() => SiteVerdict::NotCoherent,
                () if proves => SiteVerdict::Coherent,
                () => SiteVerdict::NotProvable,
            },
            grade: standings.grade(&standing).filter(|_| !is_absent),
            assumptions: page.versions.assumptions.list(),
            probability,
            chances: rate.filter(|_| !proves).and_then(|rate| standings.chances(part.from, rate)),
            began_after: standings.began_behind(&standing, part.to),
            claimed_since: standings.claimed_since(&standing, looks.1, part.from),
            parts,
            proven: stretch.map(|interval| Stretch { from: interval.from, to: interval.to }),
            shown,
            within: within.len() as u64,
            rate_per_day: shown_rate.map(|rate| rate.per_second() * DAY_SECONDS),
            rate_source: shown_rate.map(|rate| rate.source),
            looks: page.versions.looks.len() as u64,
            failed: page.versions.failed as u64,
            before: name(looks.0),
            after: name(looks.1),
            unused: contradictions::unused(self, page, &around, part),
            contradictions,
            damage,
            not_comparable,
            same_text: part.state == State::ChangedNearby && have_same_text(page, looks),
            undated: self.table.undated(&page.key),
            reads_as_error: damage::error_words(self, page, &around),
            witnesses,
            embeds: None,
            embeds_unknown: None,
        };
        (made, Decided { part, standing, looks, inside })
    }

    /// What names the record of a row until it has its label.
    fn place(&self, row: &Row) -> String {
        let id = row.record_id.map(|id| self.table.text(id));
        place(self.table.text(row.file), row.offset, id, row.time)
    }

    /// A proven part of the date.
    fn shown(
        &self,
        page: &Selected<'_>,
        run: Option<usize>,
        over: Interval,
        (before, after): Around,
    ) -> ShownPart {
        let looks = run.map_or(0..0, |run| page.versions.runs[run].looks.clone());
        let is_other = |row: &&Row| row.status.is_some_and(|status| status >= 300 && status != 304);
        let other = looks.map(|look| page.row(look)).find(is_other);
        let name = |look: Option<usize>| look.map(|look| self.place(page.row(look)));
        ShownPart {
            from: over.from,
            to: over.to,
            status: other.and_then(|row| row.status),
            location: other.and_then(|row| row.location).map(|id| self.table.text(id).to_owned()),
            before: name(before),
            after: name(after),
        }
    }

    fn witnesses(&self, page: &Selected<'_>, around: &[Around]) -> Vec<Witness> {
        let row = |look: usize| page.row(look);
        let mut witnesses: Vec<Witness> = Vec::new();
        let looks =
            around.iter().flat_map(|(before, behind)| [(Role::Before, before), (Role::After, behind)]);
        for (role, look) in looks {
            let Some(row) = look.map(row) else { continue };
            let place = (self.table.text(row.file), row.offset, row.time);
            let is_there = |witness: &Witness| {
                (witness.file.as_str(), witness.offset, witness.date) == place && witness.role == role
            };
            if !witnesses.iter().any(is_there) {
                witnesses.push(self.witness(role, row));
            }
            let original = (row.kind == Kind::Revisit).then(|| self.holders.original(row)).flatten();
            if let Some(original) = original {
                self.add_witness(&mut witnesses, Role::Original, original);
            }
        }
        witnesses
    }

    /// Adds a record that is not named yet.
    pub(super) fn add_witness(&self, witnesses: &mut Vec<Witness>, role: Role, row: &Row) {
        let id = row.record_id.map(|id| self.table.text(id));
        let place = (self.table.text(row.file), row.offset, id);
        let is_there = |witness: &Witness| {
            (witness.file.as_str(), witness.offset, witness.record_id.as_deref()) == place
        };
        if !witnesses.iter().any(is_there) {
            witnesses.push(self.witness(role, row));
        }
    }

    pub(super) fn witness(&self, role: Role, row: &Row) -> Witness {
        let table = self.table;
        let input = self.inputs.get(row.input as usize);
        let server = row.http_date;
        // A server states whole seconds, so whole seconds are compared.
        let seconds = |time: Instant| time.0.div_euclid(SECOND);
        let difference = server.map(|date| seconds(date) - seconds(row.time));
        // A record that states no more than its day or minute has no second to compare.
        let is_inside = row.end.0.saturating_sub(row.time.0) > SECOND
            && server.is_some_and(|date| row.time <= date && date <= row.end);
        let text = |id: Option<Id>| id.map(|id| table.text(id).to_owned());
        Witness {
            label: String::new(),
            role,
            kind: row.kind,
            url: table.text(row.url).to_owned(),
            file: table.text(row.file).to_owned(),
            index: input.filter(|_| !self.holders.is_read(row)).map(|input| input.path.clone()),
            file_blake3: input.map(|input| input.blake3.clone()),
            file_sha256: input.map(|input| input.sha256.clone()),
            offset: row.offset,
            length: row.length,
            record_sha256: None,
            record_id: text(row.record_id),
            date: row.time,
            date_end: row.end,
            status: row.status,
            location: text(row.location),
            http_date: row.http_date,
            age: row.age,
            made_since: Some(row.made).filter(|_| row.is_kept()),
            clock_difference: if is_inside { Some(0) } else { difference },
            vary: text(row.vary),
            writer: text(row.writer),
            crawl: text(row.crawl),
            ip: None,
            request: None,
            declared: row.declared.and_then(|digest| table.digest(digest)).map(|digest| digest.to_string()),
            digest_ok: row.digest_ok,
            body_bytes: row.body_length,
            body_blake3: row.body.and_then(|body| table.body(body)).map(|body| body.to_string()),
            last_modified: row.last_modified,
        }
    }
}
