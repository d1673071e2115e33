//! Why a Last-Modified that would decide does not, and why two records cannot be compared, in words.

use crate::at::model::Contradiction;
use crate::at::page::{Ground, Selected};
use crate::at::words::status_words;
use crate::capture::other_records::OtherRecord;
use crate::capture::table::Row;
use crate::change::began::{Doubt, Doubted};
use crate::change::evidence::{Basis, Grade, Identity, Judge, Verdict};
use crate::change::firm::Window;
use crate::change::other_content::Strays;
use crate::change::role::{Aside, same_as_written};
use crate::change::run::Look;
use crate::format::duration;
use crate::time::Instant;

/// How a doubted Last-Modified is put into words.
pub(super) enum DoubtedDate {
    /// Records contradict each other.
    Contradiction(Contradiction),
    /// It decides nothing by itself.
    Damage(Contradiction),
}

/// Why the Last-Modified of a record decides nothing.
pub(super) fn doubted(ground: &Ground<'_>, page: &Selected<'_>, doubted: Doubted) -> DoubtedDate {
    let table = ground.table;
    let row = &page.rows[doubted.row];
    let holds = match doubted.why {
        Doubt::Tagged(_) | Doubt::TaggedBeside(_) => "has the same strong ETag",
        _ => "holds the same content",
    };
    let contradiction = |earlier: (Instant, String, Option<u64>, Option<String>)| {
        DoubtedDate::Contradiction(Contradiction {
            words: format!(
                "it {holds} as a later record, whose Last-Modified says that this content was last changed only at {}",
                doubted.stated
            ),
            captured: earlier.0,
            file: earlier.1,
            offset: earlier.2,
            record_id: earlier.3,
            other_file: Some(table.text(row.file).to_owned()),
            other_offset: row.offset,
        })
    };
    let why = match doubted.why {
        Doubt::Shown(place) | Doubt::Tagged(place) => {
            let Row { time, file, offset, record_id, .. } = page.rows[place];
            let id = record_id.map(|id| table.text(id).to_owned());
            return contradiction((time, table.text(file).to_owned(), offset, id));
        }
        Doubt::ShownBeside(place) | Doubt::TaggedBeside(place) => {
            let OtherRecord { time, file, offset, record_id, .. } = table.beside(&page.key)[place];
            let id = record_id.map(|id| table.text(id).to_owned());
            match time {
                Some(time) => return contradiction((time, table.text(file).to_owned(), offset, id)),
                None => "a record without a date that can be read holds the same content".to_owned(),
            }
        }
        Doubt::Cut(place) => {
            format!("the record of {} is cut short and may hold the same content", page.rows[place].time)
        }
        Doubt::Status(status) => {
            format!("the server responded with {}, which is not a version of the page", status_words(status))
        }
        Doubt::NoDate => {
            "the response states no Date, so nothing shows what the server's clock said".to_owned()
        }
        Doubt::AfterDate(date) => format!("it is later than the Date of the same response ({date})"),
        Doubt::Clock(seconds) => format!(
            "the server's clock was {} {} the crawler's",
            duration(seconds.unsigned_abs() as f64),
            if seconds > 0 { "ahead of" } else { "behind" }
        ),
    };
    DoubtedDate::Damage(Contradiction {
        words: format!("its Last-Modified ({}) decides nothing: {why}", doubted.stated),
        captured: row.time,
        file: table.text(row.file).to_owned(),
        offset: row.offset,
        record_id: row.record_id.map(|id| table.text(id).to_owned()),
        other_file: None,
        other_offset: None,
    })
}

/// Why two captures of a page, an earlier and a later one, cannot be compared, or prove nothing of the time between them.
pub(super) fn not_comparable(judge: &Judge<'_>, page: &Selected<'_>, pair: (usize, usize)) -> String {
    Reasons::of(judge, page).why(pair)
}

/// The same for any two captures of a page.
pub(super) struct Reasons<'a> {
    judge: &'a Judge<'a>,
    page: &'a Selected<'a>,
    identities: Vec<Result<Identity, Aside>>,
}

impl<'a> Reasons<'a> {
    pub(super) fn of(judge: &'a Judge<'a>, page: &'a Selected<'a>) -> Self {
        // No date of a page that has a refuted one is used.
        let modified = page.versions.contradicted.is_empty();
        Reasons { judge, page, identities: judge.identities(page.rows, modified) }
    }

    pub(super) fn why(&self, pair: (usize, usize)) -> String {
        why(self.judge, self.page, &self.identities, pair)
    }
}

fn why(
    judge: &Judge<'_>,
    page: &Selected<'_>,
    identities: &[Result<Identity, Aside>],
    (before, after): (usize, usize),
) -> String {
    let table = judge.table();
    let looks = &page.versions.looks;
    let (one, other) = (&page.rows[looks[before].row], &page.rows[looks[after].row]);
    if !same_as_written(table, one.url, other.url) {
        return format!(
            "they are of two spellings of the address, {} and {}, and nothing shows that both name one page",
            table.text(one.url),
            table.text(other.url)
        );
    }
    let (Ok(mine), Ok(theirs)) = (&identities[looks[before].row], &identities[looks[after].row]) else {
        return "one of them shows no version of the page".to_owned();
    };
    let parted = Strays::of(table, page.rows, identities).between(&looks[before], &looks[after]);
    let (verdict, basis) = judge.weigh(mine, theirs);
    let together = same_second(page, (before, after));
    let kept_between = others(page, before).find(|look| {
        let [_, stated] = Window::of(&page.rows[look.row]);
        look.is_kept() && stated.may_lie_between(&looks[before], &looks[after])
    });
    let is_weak = matches!(verdict, Verdict::Same(Grade::Validator));
    match basis {
        _ if one.contradicted_by.is_some() || other.contradicted_by.is_some() => {
            "one of them is contradicted by other evidence".to_owned()
        }
        Basis::Negotiated => {
            let vary = |row: &Row| row.vary.map(|vary| table.text(vary));
            format!(
                "their requests differ in headers that the response depends on (Vary: {})",
                vary(one).or(vary(other)).unwrap_or_default()
            )
        }
        Basis::MediaType => "one of them is HTML and the other is not".to_owned(),
        Basis::Charset => charsets(one, other).to_owned(),
        Basis::Location => "where one of them led is unknown".to_owned(),
        Basis::OtherWriter => {
            "their content is known only by digests, which two programs computed in different ways".to_owned()
        }
        Basis::AtOdds => "one of them does not agree with the record that it says it repeats".to_owned(),
        Basis::Nothing => "the content of at least one of them is unknown".to_owned(),
        _ if is_weak && (one.not_modified || other.not_modified) => {
            let which = if one.not_modified { "earlier" } else { "later" };
            format!(
                "the {which} one is a 304 Not Modified that does not show which content was unchanged"
            )
        }
        Basis::Validator => {
            "only a tag or a date that the server stated says that they are the same".to_owned()
        }
        _ if kept_between.is_some() => kept_between.map_or_else(String::new, |look| {
            let Row { time, made, not_modified, .. } = &page.rows[look.row];
            if *not_modified {
                return format!(
                    "the answer 304 Not Modified of {time} does not show which content it is about, and by its Age or its Date the server may have made it at {made}"
                );
            }
            format!(
                "the record of {time} holds something else, and by its Age or its Date the server made it at {made}, between them"
            )
        }),
        _ if together.is_some() => together.unwrap_or_default(),
        _ if parted.is_some() => match parted {
            Some(row) if !row.truncated => format!(
                "the server answered the same address with other content of another media type between them ({})",
                row.time
            ),
            _ => "a record between them is cut short, and what it holds does not begin like them".to_owned(),
        },
        _ => "what shows that they are the same is weaker than the evidence that was asked for".to_owned(),
    }
}

/// Why equal bytes are not shown to be one text.
fn charsets(one: &Row, other: &Row) -> &'static str {
    let differ = one.text.zip(other.text).is_some_and(|(one, other)| one != other);
    match (one.charset.is_some() && other.charset.is_some(), differ) {
        (true, true) => "they are to be read in two charsets, and show different text",
        (true, false) => {
            "they are to be read in two charsets, and whether they show the same text is unknown"
        }
        (false, true) => "only one of them names a charset, and as they are read they show different text",
        (false, false) => {
            "only one of them names the charset that it is to be read in, so whether they show the same text is unknown"
        }
    }
}

/// Where a capture with other content falls together with one of two, so that nothing shows which of them the other follows.
pub(super) fn same_second(page: &Selected<'_>, (before, after): (usize, usize)) -> Option<String> {
    let which = match (falls_together(page, before), falls_together(page, after)) {
        (true, _) => "earlier",
        (false, true) => "later",
        (false, false) => return None,
    };
    let kept = [before, after].into_iter().find_map(|look| kept_beside(page, look));
    if let Some(captured) = kept {
        return Some(format!(
            "a cache had kept the record of {captured}, by its Age or its Date, so nothing shows whether it was made before or after a \
             record with other content"
        ));
    }
    Some(format!(
        "another record of the same second as the {which} one holds something else, and nothing shows which of the two came first"
    ))
}

/// The captures with other content.
fn others<'p>(page: &'p Selected<'_>, look: usize) -> impl Iterator<Item = &'p Look> {
    let looks = &page.versions.looks;
    let own = &page.rows[looks[look].row];
    looks.iter().filter(move |other| page.rows[other.row].body != own.body)
}

/// Those that may have been made at the same time.
fn beside<'p>(page: &'p Selected<'_>, look: usize) -> impl Iterator<Item = &'p Look> {
    let own = &page.versions.looks[look];
    let is_beside = |one: &Look, other: &Look| {
        Window::of(&page.rows[other.row]).iter().any(|window| window.from < one.end && one.time < window.to)
    };
    others(page, look).filter(move |other| is_beside(own, other) || is_beside(other, own))
}

/// Whether there are such captures.
fn falls_together(page: &Selected<'_>, look: usize) -> bool {
    beside(page, look).next().is_some()
}

/// Where a cache kept a capture, or one that may have been made at the same time: when that was captured.
fn kept_beside(page: &Selected<'_>, look: usize) -> Option<Instant> {
    let own = beside(page, look).next().map(|_| &page.versions.looks[look]);
    own.into_iter().chain(beside(page, look)).find(|look| look.is_kept()).map(|look| look.captured)
}
