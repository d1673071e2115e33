//! A crawl: which pages are asked for when, and what is kept of the answers.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use rand::RngExt;
use rand_pcg::Pcg64;

use super::capture::{Capture, Kind, Says, Seen, Shown};
use super::careless;
use super::crawler::Crawler;
use super::history::State;
use super::response::{Asked, Language, Response, whole_second};
use super::server::Server;
use super::{Case, HOST, Plan, START};
use crate::time::{Instant, SECOND};

/// How bodies are coded on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coding {
    Plain,
    Chunked,
    /// Declared as chunked, but stored without chunks, as some writers do.
    Unchunked,
    Gzip,
}

/// The last capture of a page that a later one can refer to.
struct Known {
    number: u32,
    url: String,
    date: Instant,
    asked: Instant,
    answer: Response,
}

/// Crawls the site of a case.
pub(crate) fn run(case: &Case, plan: Plan, random: &mut Pcg64) -> Vec<Capture> {
    let coding = [Coding::Plain, Coding::Plain, Coding::Chunked, Coding::Unchunked, Coding::Gzip]
        [random.random_range(0..5)];
    let coding = match case.crawler {
        Crawler::Careful | Crawler::Plain | Crawler::Gzip | Crawler::Package | Crawler::Visitors => coding,
        _ => Coding::Plain,
    };
    let mut captures: Vec<Capture> = Vec::new();
    for page in 0..case.histories.len() {
        let mut known: Option<Known> = None;
        for at in times(plan, page, random) {
            visit(case, page, at, coding, &mut known, &mut captures, random);
        }
    }
    captures.sort_by_key(|capture| (capture.date, capture.number));
    captures
}

/// When a page is captured.
fn times(plan: Plan, page: usize, random: &mut Pcg64) -> Vec<Instant> {
    let fraction = |random: &mut Pcg64| random.random_range(0..SECOND);
    match plan {
        Plan::Stories => {
            let mut at = START;
            let count = random.random_range(1..7);
            (0..count)
                .map(|_| {
                    at = at.plus(random.random_range(3..15_000) * SECOND + fraction(random));
                    at
                })
                .collect()
        }
        Plan::Rates { pages, rounds, spacing, .. } => {
            // Each round takes a tenth of the time between rounds; pages keep their turn.
            let turn = page as f64 / pages as f64 * 0.1;
            let at = |round: usize| ((round as f64 + 0.5 + turn) * spacing) as i64 * SECOND;
            (0..rounds).map(|round| START.plus(at(round) + fraction(random))).collect()
        }
    }
}

fn visit(
    case: &Case,
    page: usize,
    at: Instant,
    coding: Coding,
    known: &mut Option<Known>,
    captures: &mut Vec<Capture>,
    random: &mut Pcg64,
) {
    let number = captures.last().map_or(1, |capture| capture.number + 2);
    let several = matches!(case.crawler, Crawler::Visitors | Crawler::Strangers);
    let language =
        if several && random.random_range(0..2) == 0 { Language::German } else { Language::English };
    let asked = Asked { page, history: &case.histories[page], language, at };
    let mut answer = case.server.answer(&asked, random);
    let date = if case.crawler.is_exact() { at } else { whole_second(at) };
    // What a date leaves open: the second, or as much as trailing zeros hide.
    let end = if case.crawler.is_exact() { at.plus(1_000) } else { date.plus(SECOND) };
    let host =
        if case.server == Server::Secure { format!("https://www.{HOST}") } else { format!("http://{HOST}") };
    let url = format!("{host}/p{page}");
    let request = case.crawler.keeps_requests().then(|| match several {
        true => format!(
            "GET /p{page} HTTP/1.1\nHost: {HOST}\nAccept-Language: {}\nCookie: visitor={}",
            language.code(),
            language.code()
        ),
        false => format!("GET /p{page} HTTP/1.1\nHost: {HOST}"),
    });
    if case.server == Server::Secure {
        captures.push(way(case, page, number, at, date, request.clone()));
    }
    let same = known.as_ref().filter(|known| {
        known.answer.shown == answer.shown
            && answer.status == 200
            && answer.says != Says::Nothing
            && known.answer.body == answer.body
    });
    let left_out = case.crawler == Crawler::SparseIndex && same.is_some();
    let mut kind = Kind::Response;
    if case.crawler == Crawler::Deduplicating
        && let Some(same) = same
    {
        kind = Kind::SameDigest(same.number, same.url.clone(), same.date);
    }
    if case.crawler.is_conditional()
        && let Some(known) = &*known
        && let Some(confirmed) = case.server.not_modified(&known.answer, &answer, known.asked)
    {
        kind = match case.crawler {
            Crawler::Conditional => Kind::NotModified(Some(known.number)),
            Crawler::Nameless => Kind::NotModified(None),
            _ => Kind::Response,
        };
        answer = confirmed;
    }
    // An index does not say where a redirect leads.
    if case.crawler.is_index() && matches!(answer.shown.state, State::Moved(_)) && answer.says == Says::State
    {
        answer.says = Says::Doubt;
    }
    // Nor does it say what a response with status 200 really was.
    if case.crawler.is_index() && answer.says == Says::Nothing && answer.status == 200 {
        answer.says = Says::Doubt;
        answer.shown.token = Some(random.random());
    }
    let seen = Seen {
        page,
        url: url.clone(),
        upper: false,
        from: date,
        end,
        made: date.plus(answer.made.0 - at.0),
        asked: at,
        says: answer.says,
        why: match answer.says {
            Says::State => "",
            Says::Nothing => "a wall, or an error",
            Says::Doubt => "it may be read in several ways",
        },
        shown: answer.shown,
    };
    let (head, body, payload) = coded(&answer, if kind == Kind::Response { coding } else { Coding::Plain });
    let mut capture = Capture {
        number: number + 1,
        page,
        url,
        date,
        kind,
        status: answer.status,
        head,
        body,
        payload,
        request,
        truncated: false,
        seen: Some(seen),
    };
    if left_out {
        return;
    }
    if case.crawler == Crawler::Careless {
        let spoiled = careless::spoil(case, &mut capture, at, random);
        captures.extend(spoiled);
    }
    let is_whole = capture.kind == Kind::Response
        && capture.seen.as_ref().is_some_and(|seen| seen.says != Says::Nothing);
    if is_whole && answer.status == 200 {
        let (number, url, date) = (capture.number, capture.url.clone(), capture.date);
        *known = Some(Known { number, url, date, asked: at, answer });
    }
    captures.push(capture);
}

/// The redirect from `http` that leads to the page.
fn way(
    case: &Case,
    page: usize,
    number: u32,
    at: Instant,
    date: Instant,
    request: Option<String>,
) -> Capture {
    let url = format!("http://{HOST}/p{page}");
    let shown = Shown { state: State::Gone, language: Language::English, token: None };
    let end = if case.crawler.is_exact() { date } else { date.plus(SECOND) };
    let (says, why) = (Says::Nothing, "a redirect to another spelling of its address");
    let seen = Seen {
        page,
        url: url.clone(),
        upper: false,
        from: date,
        end,
        made: date,
        asked: at,
        says,
        why,
        shown,
    };
    Capture {
        number,
        page,
        url,
        date,
        kind: Kind::Response,
        status: 301,
        head: format!("HTTP/1.1 301 Moved Permanently\nLocation: https://www.{HOST}/p{page}"),
        body: Vec::new(),
        payload: Vec::new(),
        request,
        truncated: false,
        seen: Some(seen),
    }
}

/// Head, stored body and payload.
fn coded(answer: &Response, coding: Coding) -> (String, Vec<u8>, Vec<u8>) {
    let (head, body) = (answer.head(), answer.body.clone());
    if answer.status == 304 || body.is_empty() {
        return (head, body.clone(), body);
    }
    match coding {
        Coding::Plain => (format!("{head}\nContent-Length: {}", body.len()), body.clone(), body),
        Coding::Chunked => (format!("{head}\nTransfer-Encoding: chunked"), chunked(&body), body),
        Coding::Unchunked => (format!("{head}\nTransfer-Encoding: chunked"), body.clone(), body),
        Coding::Gzip => {
            let packed = gzip(&body);
            let head = format!("{head}\nContent-Encoding: gzip\nContent-Length: {}", packed.len());
            (head, packed.clone(), packed)
        }
    }
}

/// A body in two chunks.
pub(crate) fn chunked(body: &[u8]) -> Vec<u8> {
    let mut framed = Vec::new();
    let (one, other) = body.split_at(body.len() / 2);
    for chunk in [one, other].into_iter().filter(|chunk| !chunk.is_empty()) {
        framed.extend(format!("{:x}\r\n", chunk.len()).bytes());
        framed.extend_from_slice(chunk);
        framed.extend_from_slice(b"\r\n");
    }
    framed.extend_from_slice(b"0\r\n\r\n");
    framed
}

/// One gzip member.
pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Writing into memory does not fail.
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    written.unwrap_or_default()
}
