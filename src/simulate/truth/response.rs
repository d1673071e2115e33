//! One response of a server: status, fields and body, with the truth that it shows.

use rand::RngExt;
use rand_pcg::Pcg64;

use super::capture::{Says, Shown};
use super::history::{History, State};
use super::server::Server;
use super::{HOST, PHRASE};
use crate::time::{Instant, SECOND};

/// The language that a visitor asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    English,
    German,
}

impl Language {
    pub(crate) fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::German => "de",
        }
    }
}

/// What a server sends.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Response {
    pub status: u16,
    pub fields: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
    pub shown: Shown,
    /// When the response was made, by all that it declares.
    pub made: Instant,
    pub says: Says,
}

impl Response {
    /// The value of a field.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|field| field.0 == name).map(|field| field.1.as_str())
    }

    /// Status line and fields, a line each.
    pub(crate) fn head(&self) -> String {
        let mut head = format!("HTTP/1.1 {} {}", self.status, reason(self.status));
        for (name, value) in &self.fields {
            head += &format!("\n{name}: {value}");
        }
        head
    }
}

pub(crate) fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        206 => "Partial Content",
        301 => "Moved Permanently",
        304 => "Not Modified",
        403 => "Forbidden",
        404 => "Not Found",
        429 => "Too Many Requests",
        _ => "Service Unavailable",
    }
}

/// The text of a page.
pub(crate) fn page(page: usize, version: u32, language: Language, token: Option<u64>) -> Vec<u8> {
    let says = if State::Version(version).has_phrase() { PHRASE } else { "duty of care" };
    let words = match language {
        Language::English => "Text of the café",
        Language::German => "Wortlaut des Cafés",
    };
    let token = token.map_or(String::new(), |token| format!("<!-- {token} -->"));
    format!(
        "<!doctype html><html><head><title>Page {page}</title></head><body><h1>Page {page}</h1>\
         <p>{words} {page}, version {version}, with the {says}.</p>{token}</body></html>"
    )
    .into_bytes()
}

/// Challenge pages as bot walls send them with status 200.
const CHALLENGES: [(&str, &str); 3] = [
    ("Just a moment...", "Verify you are human by completing the action below."),
    ("Security check", "Checking your browser before you access the site. Please enable cookies."),
    ("Einen Moment bitte", "Bestätigen Sie, dass Sie ein Mensch sind."),
];

/// A date as HTTP writes it.
pub(crate) fn http_date(at: Instant) -> String {
    let date = chrono::DateTime::from_timestamp_micros(at.0).unwrap_or_default();
    date.format("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

/// What a request is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub page: usize,
    pub history: &'a History,
    pub language: Language,
    pub at: Instant,
}

impl Server {
    /// Answers a request.
    pub(crate) fn answer(self, asked: &Asked<'_>, random: &mut Pcg64) -> Response {
        let Asked { page, history, language, at } = *asked;
        if self == Server::Walled && random.random_range(0..4) == 0 {
            return refusal(at, random);
        }
        let age = match self {
            Server::Cached | Server::Stale => random.random_range(0..1200),
            _ => 0,
        };
        let made = at.plus(-age * SECOND);
        let state = history.at(made);
        let language = match self {
            Server::Negotiating | Server::Guessing => language,
            _ => Language::English,
        };
        let token = (self == Server::Tokens).then(|| random.random());
        let ahead = if self == Server::Fast { 3 * 3600 * SECOND } else { 0 };
        let date = if self == Server::Stale { at } else { made };
        let mut fields = vec![("Date", http_date(date.plus(ahead)))];
        let mut says = Says::State;
        if self == Server::Cached {
            fields.push(("Age", age.to_string()));
        }
        if self == Server::Negotiating {
            fields.push(("Vary", "Accept-Language, Cookie".to_owned()));
        }
        let (status, body) = match state {
            State::Version(version) => (200, self::page(page, version, language, token)),
            State::Gone if self == Server::Soft => {
                let text = "<html><head><title>Page not found</title></head><body><h1>Page not found</h1>\
                            <p>Sorry, the page you are looking for does not exist.</p></body></html>";
                (200, text.as_bytes().to_vec())
            }
            State::Gone => (404, b"<html><body>There is no such page.</body></html>".to_vec()),
            State::Moved(target) => {
                fields.push(("Location", format!("http://{HOST}/moved-{target}")));
                (301, Vec::new())
            }
        };
        let charset = match self {
            Server::Charsets if random.random_range(0..3) == 0 => {
                says = Says::Doubt;
                "iso-8859-1"
            }
            _ => "utf-8",
        };
        fields.push(("Content-Type", format!("text/html; charset={charset}")));
        if let (200, State::Version(version)) = (status, state) {
            self.validate(page, version, language, history.since(made), date.plus(ahead), &mut fields);
        }
        let token = token.filter(|_| matches!(state, State::Version(_)));
        // Only its Age tells when a cached response was made; a cache that is silent seems fresh.
        let made = if self == Server::Stale { at } else { made };
        Response { status, fields, body, shown: Shown { state, language, token }, made, says }
    }

    fn validate(
        self,
        page: usize,
        version: u32,
        language: Language,
        since: Option<Instant>,
        date: Instant,
        fields: &mut Vec<(&'static str, String)>,
    ) {
        let since = since.unwrap_or(super::START.plus(-40 * 86_400 * SECOND));
        let ahead = if self == Server::Fast { 3 * 3600 * SECOND } else { 0 };
        let modified = match self {
            Server::Bare | Server::Weak | Server::Tokens => None,
            Server::Stamping => Some(date),
            Server::Misdating => Some(Instant(946_684_800 * SECOND)),
            _ => Some(since.plus(ahead)),
        };
        let etag = match self {
            Server::Bare | Server::Dated | Server::Stamping | Server::Misdating | Server::Tokens => None,
            Server::Weak => Some(format!("W/\"{page}-{}\"", version / 2)),
            _ => Some(format!("\"{page}-{version}-{}\"", language.code())),
        };
        fields.extend(etag.map(|etag| ("ETag", etag)));
        fields.extend(modified.map(|modified| ("Last-Modified", http_date(modified))));
    }

    /// The response to a conditional request, where the server holds that nothing changed since `known`, which was
    /// fetched at `fetched`.
    pub(crate) fn not_modified(self, known: &Response, now: &Response, fetched: Instant) -> Option<Response> {
        let validators =
            |answer: &Response| ["ETag", "Last-Modified"].map(|name| answer.field(name).map(str::to_owned));
        let (old, new) = (validators(known), validators(now));
        if now.status != 200 && self != Server::Lying || matches!(self, Server::Stamping) {
            return None;
        }
        if old == [None, None] || (self != Server::Lying && old != new) || now.says == Says::Nothing {
            return None;
        }
        let mut fields: Vec<(&'static str, String)> =
            now.fields.iter().filter(|field| matches!(field.0, "Date" | "Age" | "Vary")).cloned().collect();
        let [etag, modified] = old;
        let is_strong = etag.as_deref().is_some_and(|etag| !etag.starts_with("W/"));
        fields.extend(etag.map(|etag| ("ETag", etag)));
        fields.extend(modified.map(|modified| ("Last-Modified", modified)));
        let says = match self {
            _ if is_strong => known.says,
            // A date proves if it is at least a second older than the response it came with.
            Server::Dated => {
                let since = known.field("Last-Modified").and_then(crate::time::parse_http_date);
                let strong = since.is_some_and(|since| since.plus(SECOND).0 <= whole_second(fetched).0);
                if strong { Says::State } else { Says::Doubt }
            }
            _ => Says::Doubt,
        };
        Some(Response { status: 304, fields, body: Vec::new(), shown: known.shown, made: now.made, says })
    }
}

pub(crate) fn whole_second(at: Instant) -> Instant {
    Instant(at.0.div_euclid(SECOND) * SECOND)
}

fn refusal(at: Instant, random: &mut Pcg64) -> Response {
    let status = [403, 429, 503, 200][random.random_range(0..4)];
    let (title, text) = CHALLENGES[random.random_range(0..CHALLENGES.len())];
    let body = match status {
        200 => format!(
            "<!doctype html><html><head><title>{title}</title></head><body><h1>{HOST}</h1><p>{text}</p>\
             <p>Ray ID: {:016x}</p></body></html>",
            random.random::<u64>()
        ),
        _ => "<html><body>No.</body></html>".to_owned(),
    };
    let fields = vec![("Date", http_date(at)), ("Content-Type", "text/html; charset=utf-8".to_owned())];
    let shown = Shown { state: State::Gone, language: Language::English, token: None };
    Response { status, fields, body: body.into_bytes(), shown, made: at, says: Says::Nothing }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;
    use crate::simulate::truth::START;

    #[test]
    fn dates_are_written_as_http_has_them() {
        let text = |date: &str| http_date(Instant::parse(date).unwrap());
        assert_eq!(text("1994-11-06T08:49:37Z"), "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(text("1969-12-31T23:59:59.5Z"), "Wed, 31 Dec 1969 23:59:59 GMT");
    }

    #[test]
    fn dates_are_written_as_http_reads_them() {
        assert_eq!(http_date(START), "Mon, 14 Mar 2022 10:00:00 GMT");
        assert_eq!(crate::time::parse_http_date(&http_date(START)), Some(START));
    }

    #[test]
    fn a_server_says_304_by_its_validators() {
        let mut random = Pcg64::seed_from_u64(3);
        let history = History::poisson(&mut random, 1e-3, START, START.plus(20_000 * SECOND));
        let mut at = |server: Server, seconds: i64| {
            let at = START.plus(seconds * SECOND);
            let asked = Asked { page: 0, history: &history, language: Language::English, at };
            server.answer(&asked, &mut random)
        };
        let (early, late) = (at(Server::Exact, 0), at(Server::Exact, 20_000));
        assert_eq!(Server::Exact.not_modified(&early, &late, START), None);
        assert_eq!(Server::Exact.not_modified(&early, &early, START).map(|answer| answer.status), Some(304));
        let (early, late) = (at(Server::Lying, 0), at(Server::Lying, 20_000));
        let lie = Server::Lying.not_modified(&early, &late, START).unwrap();
        assert_eq!((lie.status, lie.shown), (304, early.shown));
        assert_ne!(late.shown, early.shown);
    }
}
