//! The pages of a site as data for the script: columns, not objects, so that a hundred thousand pages stay small and are read
//! in a moment. URLs leave out what they share with the one before; times count from the start of the window, in the largest
//! unit that loses nothing.

use std::collections::HashMap;
use std::fmt::Write;

use super::markup::{Html, ascii_host};
use crate::audit::model::{PageAudit, SiteAudit};
use crate::change::run::PageState;
use crate::format::local;
use crate::report::missing::one_line;
use crate::time::{Instant, SECOND};

/// Longer URLs are cut; the JSON of the audit has them whole.
const MAX_URL_CHARS: usize = 1_000;
/// Maximum bytes of missing URLs kept for the crawl list.
const MAX_MISSING_BYTES: usize = 2 << 20;
/// Maximum number of intervals or changes of one page.
const MAX_MARKS: usize = 200;

/// Writes the data of a site in at most about `room` bytes: the heaviest pages, if not all fit.
pub(super) fn write(html: &mut Html, site: &SiteAudit, number: u64, room: usize, replay: Option<&str>) {
    let pages = kept(site, room);
    let mut block = Html::new();
    block.raw("<script type=\"application/json\" id=\"data-").int(number).raw("\">");
    block.data(&columns(site, &pages, replay)).raw("</script>\n");
    html.push(&block);
}

/// The pages that fit, by key.
fn kept(site: &SiteAudit, room: usize) -> Vec<usize> {
    let size = |page: &PageAudit| {
        let marks =
            page.proven.len() + page.claimed.len() + page.change_importance.as_ref().map_or(0, Vec::len);
        100 + page.url.len().min(MAX_URL_CHARS) + 24 * marks.min(3 * MAX_MARKS)
    };
    let mut order: Vec<usize> = (0..site.page_list.len()).collect();
    let all: usize = site.page_list.iter().map(size).sum();
    if all <= room {
        return order;
    }
    let weight = |page: usize| site.page_list[page].weight;
    order.sort_by(|a, b| weight(*b).total_cmp(&weight(*a)).then(a.cmp(b)));
    let mut left = room;
    order.retain(|page| match left.checked_sub(size(&site.page_list[*page])) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    });
    order.sort_unstable();
    order
}

fn columns(site: &SiteAudit, pages: &[usize], replay: Option<&str>) -> String {
    let page = |place: usize| &site.page_list[place];
    let from = site.window.from;
    let unit = unit(site, pages);
    let units = |at: Instant| at.0.saturating_sub(from.0) / unit;
    let mut out = Columns::default();
    out.text("site", &site.site);
    out.number("from", from.0);
    out.number("unit", unit);
    out.number("span", site.window.to.0.saturating_sub(from.0) / unit);
    out.number("total", site.page_list.len() as i64);
    let curve = site.coherence.curve.iter().flat_map(|point| [units(point.at), point.pages as i64]);
    out.numbers("curve", curve);
    for (name, level) in [("best", &site.coherence.best), ("full", &site.coherence.full)] {
        let ends = level.intervals.iter().take(512).flat_map(|window| [units(window.from), units(window.to)]);
        out.numbers(name, ends);
    }
    out.urls(pages.iter().map(|place| local(&page(*place).url, &site.site)));
    let puny =
        pages.iter().enumerate().filter_map(|(row, place)| Some((row, ascii_host(&page(*place).url)?)));
    out.sparse("puny", puny);
    out.text("state", &pages.iter().map(|place| letter(page(*place))).collect::<String>());
    out.numbers("place", pages.iter().map(|place| *place as i64));
    out.numbers("story", pages.iter().map(|place| i64::from(page(*place).story.is_some())));
    out.numbers("error", pages.iter().map(|place| i64::from(page(*place).error_page.is_some())));
    out.number("judged", site.pages.total as i64);
    out.numbers("looks", pages.iter().map(|place| page(*place).observations as i64));
    out.numbers("versions", pages.iter().map(|place| page(*place).versions as i64));
    out.numbers("first", pages.iter().map(|place| units(page(*place).first_look)));
    out.numbers("last", pages.iter().map(|place| units(page(*place).last_look)));
    out.floats("importance", pages.iter().map(|place| page(*place).importance));
    out.floats("rate", pages.iter().map(|place| page(*place).known_rate()));
    out.floats("blur", pages.iter().map(|place| page(*place).known_blur().map(|blur| blur.expected)));
    let share = |place: &usize| page(*place).known_completeness().and_then(|found| found.share);
    out.floats("complete", pages.iter().map(share));
    let windows = |windows: &[crate::audit::model::Window]| -> Vec<(i64, i64)> {
        windows.iter().take(MAX_MARKS).map(|window| (units(window.from), units(window.to))).collect()
    };
    out.intervals("proven", pages.iter().map(|place| windows(&page(*place).proven)));
    out.intervals("claimed", pages.iter().map(|place| windows(&page(*place).claimed)));
    let changes = |page: &PageAudit| -> Vec<(i64, i64)> {
        let changes = page.change_importance.iter().flatten().take(MAX_MARKS);
        changes.map(|change| (units(change.from), units(change.to))).collect()
    };
    out.intervals("changes", pages.iter().map(|place| changes(page(*place))));
    out.words("grade", pages.iter().map(|place| page(*place).grade.map_or("", |grade| grade.name())));
    out.words("reason", pages.iter().map(|place| page(*place).reason.as_str()));
    if let Some(pattern) = replay {
        out.text("replay", pattern);
        // Pages are named without what the heading says: here whole.
        let whole =
            |place: &usize| page(*place).url.strip_suffix(local(&page(*place).url, &site.site)).unwrap_or("");
        out.words("before", pages.iter().map(whole));
    }
    let reviews = pages.iter().enumerate().filter_map(|(row, place)| {
        let review = page(*place).review.as_ref()?;
        let parts = [review.rating.as_str(), review.note.as_str()];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        Some((row, parts.join(": ")))
    });
    out.sparse("review", reviews);
    out.list("missing", crawl_list(site));
    out.finish()
}

/// The largest of second, millisecond and microsecond that all times are whole numbers of.
fn unit(site: &SiteAudit, pages: &[usize]) -> i64 {
    let mut unit = SECOND;
    let mut see = |at: Instant| {
        let off = at.0.saturating_sub(site.window.from.0);
        while unit > 1 && off % unit != 0 {
            unit /= 1_000;
        }
    };
    see(site.window.to);
    site.coherence.curve.iter().for_each(|point| see(point.at));
    for page in pages.iter().map(|place| &site.page_list[*place]) {
        see(page.first_look);
        see(page.last_look);
        page.proven.iter().chain(&page.claimed).for_each(|window| {
            see(window.from);
            see(window.to);
        });
        page.change_importance.iter().flatten().for_each(|change| {
            see(change.from);
            see(change.to);
        });
    }
    unit
}

fn letter(page: &PageAudit) -> char {
    match page.state {
        _ if page.error_page.is_some() => 'e',
        PageState::Sharp => 's',
        PageState::Changed => 'c',
        PageState::Single => 'o',
        PageState::Unknown => 'u',
    }
}

fn crawl_list(site: &SiteAudit) -> Vec<String> {
    let mut room = MAX_MISSING_BYTES;
    let lines = site.missing.iter().flatten().map(|missing| one_line(&missing.url));
    lines
        .take_while(|line| {
            room = room.saturating_sub(line.len() + 4);
            room > 0
        })
        .collect()
}

/// A JSON object of columns.
#[derive(Debug, Default)]
struct Columns {
    json: String,
}

impl Columns {
    fn key(&mut self, name: &str) {
        self.json.push_str(if self.json.is_empty() { "{\"" } else { ",\"" });
        self.json.push_str(name);
        self.json.push_str("\":");
    }

    fn string(&mut self, text: &str) {
        // A string always is JSON.
        self.json.push_str(&serde_json::to_string(text).unwrap_or_default());
    }

    fn text(&mut self, name: &str, text: &str) {
        self.key(name);
        self.string(text);
    }

    fn number(&mut self, name: &str, number: i64) {
        self.key(name);
        // Writing to a string cannot fail.
        let _ = write!(self.json, "{number}");
    }

    fn array<T>(&mut self, name: &str, items: impl Iterator<Item = T>, mut item: impl FnMut(&mut Self, T)) {
        self.key(name);
        self.json.push('[');
        for (number, value) in items.enumerate() {
            if number > 0 {
                self.json.push(',');
            }
            item(self, value);
        }
        self.json.push(']');
    }

    fn numbers(&mut self, name: &str, numbers: impl Iterator<Item = i64>) {
        self.array(name, numbers, |out, number| {
            let _ = write!(out.json, "{number}");
        });
    }

    /// To six digits: more than is shown, and half the size.
    fn floats(&mut self, name: &str, numbers: impl Iterator<Item = Option<f64>>) {
        self.array(name, numbers, |out, number| match number.filter(|number| number.is_finite()) {
            None => out.json.push_str("null"),
            Some(number) => {
                let rounded = format!("{number:.5e}").parse::<f64>().unwrap_or(number);
                let _ = write!(out.json, "{rounded}");
            }
        });
    }

    fn list(&mut self, name: &str, texts: Vec<String>) {
        self.array(name, texts.into_iter(), |out, text| out.string(&text));
    }

    /// Pairs: how much of the one before is kept, and what follows. Only ASCII is shared: one byte is one unit of the script.
    fn urls<'a>(&mut self, urls: impl Iterator<Item = &'a str>) {
        let mut before = "";
        self.array("url", urls, |out, url| {
            let url = url.char_indices().nth(MAX_URL_CHARS).map_or(url, |(end, _)| &url[..end]);
            let shared = url.bytes().zip(before.bytes()).take_while(|(a, b)| a == b && a.is_ascii()).count();
            let _ = write!(out.json, "{shared},");
            out.string(&url[shared..]);
            before = url;
        });
    }

    fn sparse(&mut self, name: &str, entries: impl Iterator<Item = (usize, String)>) {
        self.array(name, entries, |out, (row, text)| {
            let _ = write!(out.json, "{row},");
            out.string(&text);
        });
    }

    /// For each page how many intervals it has, then where each begins and how long it is.
    fn intervals(&mut self, name: &str, pages: impl Iterator<Item = Vec<(i64, i64)>>) {
        self.array(name, pages, |out, intervals| {
            let _ = write!(out.json, "{}", intervals.len());
            for (from, to) in intervals {
                let _ = write!(out.json, ",{from},{}", to.saturating_sub(from));
            }
        });
    }

    /// Texts that repeat: each once, and its number for every page.
    fn words<'a>(&mut self, name: &str, texts: impl Iterator<Item = &'a str>) {
        let mut known: HashMap<&str, usize> = HashMap::new();
        let mut list: Vec<&str> = Vec::new();
        let places: Vec<i64> = texts
            .map(|text| {
                *known.entry(text).or_insert_with(|| {
                    list.push(text);
                    list.len() - 1
                }) as i64
            })
            .collect();
        self.numbers(name, places.into_iter());
        self.array(&format!("{name}_words"), list.into_iter(), |out, text| out.string(text));
    }

    fn finish(mut self) -> String {
        self.json.push('}');
        self.json
    }
}
