//! Makes page records from a table of captures, one URL after the other.

use std::collections::HashMap;
use std::sync::Arc;

use crate::audit::bodies::holds_body;
use crate::audit::changes::Change;
use crate::audit::page_record::{Answer, Capture, Measured, PageRecord, Place, Stretch, is_read_again};
use crate::capture::Kind;
use crate::capture::intern::Id;
use crate::capture::table::{Row, Table};
use crate::change::poisson::Looks;
use crate::change::rate::Evidence;
use crate::change::run::{Look, PageState, Versions};
use crate::time::Interval;

/// What a record is made of, besides the table.
pub(crate) struct Seen<'a> {
    /// The captures in the window, in time order.
    pub rows: &'a [Row],
    /// The crawl of each row.
    pub crawls: &'a [u32],
    /// What they show of a page, and what all its captures say about its rate; `None`: it is not a page.
    pub page: Option<(&'a Versions, &'a Evidence)>,
    /// The changes between the runs, where they were measured.
    pub changes: Option<Vec<Change>>,
    /// What they show where only visible text counts, of a page whose bytes changed.
    pub by_text: Option<Versions>,
    /// The first capture, in the window or not.
    pub first: &'a Row,
}

/// Makes the page records of one table.
pub(crate) struct Maker<'a> {
    table: &'a Table,
    site: Arc<str>,
    /// Texts that many records share.
    shared: HashMap<Id, Arc<str>>,
}

impl<'a> Maker<'a> {
    pub(crate) fn new(table: &'a Table, site: &Arc<str>) -> Self {
        Maker { table, site: site.clone(), shared: HashMap::new() }
    }

    /// The record of a URL that has captures in the window.
    pub(crate) fn record(&mut self, seen: Seen<'_>) -> PageRecord {
        let table = self.table;
        let mut spelled: Vec<Id> = Vec::new();
        let (mut answers, mut captures) =
            (Vec::<(Answer, Facts)>::new(), Vec::with_capacity(seen.rows.len()));
        for (row, crawl) in seen.rows.iter().zip(seen.crawls) {
            let facts = Facts::of(row);
            let place = match answers.iter().rposition(|(_, known)| *known == facts) {
                Some(place) => place,
                None => {
                    let url = spelled.iter().position(|id| *id == row.url).unwrap_or_else(|| {
                        spelled.push(row.url);
                        spelled.len() - 1
                    });
                    answers.push((self.answer(row, url), facts));
                    answers.len() - 1
                }
            };
            let answer = &mut answers[place].0;
            if answer.held.is_none() && is_read_again(answer) && holds_body(row) {
                answer.held = Some(self.place(row));
                answer.body_length = row.body_length;
            }
            captures.push(Capture {
                time: row.time,
                end: Some(row.end).filter(|end| *end != row.time),
                made: Some(Look::of(0, row).time).filter(|made| *made != row.time),
                http_date: row.http_date,
                age: row.age.map(u64::from).filter(|age| *age > 0),
                crawl: u64::from(*crawl),
                answer: place as u64,
                shown: false,
            });
        }
        let mut record = PageRecord {
            key: table.text(seen.first.key).to_owned(),
            site: self.site.clone(),
            url: table.text(seen.first.url).to_owned(),
            since: seen.first.time,
            is_page: seen.page.is_some(),
            urls: spelled.into_iter().map(|id| table.text(id).to_owned()).collect(),
            answers: answers.into_iter().map(|(answer, _)| answer).collect(),
            captures,
            runs: Vec::new(),
            state: PageState::Unknown,
            distinct: 0,
            contradictory: false,
            contradicted: Vec::new(),
            assumptions: Vec::new(),
            without_text: 0,
            told: Looks::default(),
            looks: None,
            changes: seen.changes.map(|changes| changes.into_iter().map(Measured::of).collect()),
            text_unchanged: seen.by_text.as_ref().map(|versions| versions.state == PageState::Sharp),
            text_online: seen.by_text.map(|versions| {
                let online = versions.online(|look| seen.rows[look.row].status);
                online.into_iter().map(|Interval { from, to }| Stretch { from, to }).collect()
            }),
        };
        if let Some((versions, evidence)) = seen.page {
            record.judge(versions);
            record.told = evidence.told.clone();
            record.looks = (evidence.looks != evidence.told).then(|| evidence.looks.clone());
        }
        record
    }

    fn answer(&mut self, row: &Row, url: usize) -> Answer {
        let table = self.table;
        let body = row.body.and_then(|body| table.body(body));
        Answer {
            url: url as u64,
            status: row.status,
            mime: row.mime.map(|mime| self.share(mime)),
            kind: row.kind,
            revisit: row.revisit,
            not_modified: row.not_modified,
            unresolved: lacks_original(row),
            cut: is_cut(row).then_some(true),
            location: row.location.map(|location| table.text(location).to_owned()),
            soft404: row.soft404.map(|words| self.share(words)),
            declared: row.declared.filter(|_| body.is_none()).and_then(|digest| table.digest(digest)),
            body,
            text: row.text.and_then(|text| table.body(text)),
            body_length: None,
            held: None,
        }
    }

    fn place(&mut self, row: &Row) -> Place {
        Place {
            file: self.share(row.file),
            offset: row.offset.unwrap_or_default(),
            length: row.length,
            record_id: row.record_id.map(|id| self.table.text(id).to_owned()),
        }
    }

    fn share(&mut self, id: Id) -> Arc<str> {
        self.shared.entry(id).or_insert_with(|| self.table.text(id).into()).clone()
    }
}

/// The fields of a row that make an answer: captures for which they are equal share it.
#[derive(PartialEq)]
struct Facts {
    texts: [Option<Id>; 6],
    url: Id,
    status: Option<u16>,
    kind: Kind,
    flags: [bool; 4],
}

impl Facts {
    fn of(row: &Row) -> Self {
        let unresolved = lacks_original(row);
        Facts {
            texts: [row.mime, row.location, row.soft404, row.body, row.declared, row.text],
            url: row.url,
            status: row.status,
            kind: row.kind,
            flags: [row.revisit, row.not_modified, unresolved, is_cut(row)],
        }
    }
}

/// Whether it holds only a part of what the server sent. Where there is no body at all, it may have been asked for the head alone.
fn is_cut(row: &Row) -> bool {
    row.truncated && !row.bodiless
}

/// Whether it is a revisit whose original was not found. A 304 that names no record refers to none.
fn lacks_original(row: &Row) -> bool {
    let refers = row.names_original || !row.not_modified;
    row.kind == Kind::Revisit && row.resolved_by.is_none() && refers
}
