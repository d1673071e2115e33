//! The crawler: two passes over the site, and the records it writes.

use crate::site::{self, Answer};
use crate::support::digests::sha1;
use crate::support::pack::members;
use crate::support::record::{Record, http, id};

const HOST: &str = "http://library.example";
/// The second pass starts this many seconds after the first.
const LATER: u32 = 20 * 60;

/// One fetch: when, and under which numbers its records are written.
struct Fetch {
    path: &'static str,
    millis: u32,
    n: u32,
}

/// One fetch every 17 seconds and some milliseconds, from `start` seconds after nine.
fn fetches(paths: Vec<&'static str>, start: u32, first: u32) -> Vec<Fetch> {
    paths
        .into_iter()
        .zip(0u32..)
        .map(|(path, at)| Fetch {
            path,
            millis: (start + at * 17) * 1000 + (at * 379 + 123) % 1000,
            n: first + 2 * at,
        })
        .collect()
}

impl Fetch {
    fn date(&self) -> String {
        let (seconds, millis) = (self.millis / 1000, self.millis % 1000);
        format!(
            "2024-03-04T{:02}:{:02}:{:02}.{millis:03}Z",
            9 + seconds / 3600,
            seconds / 60 % 60,
            seconds % 60
        )
    }

    fn http_date(&self) -> String {
        let seconds = self.millis / 1000;
        format!("Mon, 04 Mar 2024 {:02}:{:02}:{:02} GMT", 9 + seconds / 3600, seconds / 60 % 60, seconds % 60)
    }

    fn url(&self) -> String {
        format!("{HOST}{}", self.path)
    }

    fn answer(&self) -> Answer {
        site::answer(self.path, self.millis / 60_000, self.n)
    }

    fn head(&self, answer: &Answer) -> String {
        let mut head = format!(
            "HTTP/1.1 {}\nDate: {}\nServer: ShelfServe/2.4\nContent-Type: {}",
            answer.status,
            self.http_date(),
            answer.mime
        );
        if let Some(modified) = answer.modified {
            head += &format!("\nLast-Modified: {modified}\nETag: {}", etag(answer));
        }
        head + &format!("\nContent-Length: {}", answer.body.len())
    }

    fn request(&self, condition: Option<&Answer>) -> Record {
        let condition =
            condition.map(|answer| format!("If-None-Match: {}\r\n", etag(answer))).unwrap_or_default();
        let block = format!(
            "GET {} HTTP/1.1\r\nHost: library.example\r\nUser-Agent: DemoCrawler/1.0\r\n{condition}\r\n",
            self.path
        );
        let record = Record::new("request", self.n + 1, &self.date(), block).version("WARC/1.1");
        record
            .field("WARC-Target-URI", &self.url())
            .field("WARC-Concurrent-To", &format!("<{}>", id(self.n)))
            .field("Content-Type", "application/http; msgtype=request")
    }

    fn response(&self, answer: &Answer) -> Record {
        let record = Record::response(self.n, &self.url(), &self.date(), &self.head(answer), &answer.body);
        record.version("WARC/1.1").block_digest()
    }

    /// The record of an answer that the first pass had already.
    fn same(&self, answer: &Answer, before: &Fetch) -> Record {
        let (profile, block) = match answer.modified {
            Some(_) => {
                let head = format!(
                    "HTTP/1.1 304 Not Modified\nDate: {}\nServer: ShelfServe/2.4\nETag: {}",
                    self.http_date(),
                    etag(answer)
                );
                ("server-not-modified", http(&head, b""))
            }
            None => ("identical-payload-digest", http(&self.head(answer), b"")),
        };
        let record = Record::new("revisit", self.n, &self.date(), block)
            .version("WARC/1.1")
            .field("WARC-Target-URI", &self.url())
            .field("WARC-Profile", &format!("http://netpreserve.org/warc/1.1/revisit/{profile}"))
            .field("WARC-Refers-To", &format!("<{}>", id(before.n)))
            .field("WARC-Refers-To-Target-URI", &before.url())
            .field("WARC-Refers-To-Date", &before.date())
            .field("Content-Type", "application/http; msgtype=response");
        let record = if answer.modified.is_none() {
            record.field("WARC-Payload-Digest", &sha1(&answer.body))
        } else {
            record
        };
        record.block_digest()
    }
}

fn etag(answer: &Answer) -> String {
    format!("\"{}\"", &sha1(&answer.body)[5..17].to_lowercase())
}

fn info(n: u32, date: &str, pass: &str) -> Vec<u8> {
    let lines = format!(
        "software: DemoCrawler/1.0\r\nformat: WARC File Format 1.1\r\nisPartOf: library-2024-03-04\r\ndescription: {pass}\r\n"
    );
    Record::fields("warcinfo", n, date, &lines)
        .version("WARC/1.1")
        .field("WARC-Filename", &format!("{pass}.warc.gz"))
        .bytes()
}

fn first_pass() -> Vec<Fetch> {
    fetches(site::urls(), 0, 100)
}

/// The file of the first pass.
pub(crate) fn visit() -> Vec<u8> {
    let mut records = vec![info(1, "2024-03-04T08:59:58.000Z", "visit")];
    for fetch in first_pass() {
        records.extend([fetch.response(&fetch.answer()).bytes(), fetch.request(None).bytes()]);
    }
    members(&records)
}

/// The file of the second pass: what did not change is a revisit record.
pub(crate) fn revisit() -> Vec<u8> {
    let before = first_pass();
    // The news page now links to an article that the first pass did not see.
    let paths = site::urls().into_iter().chain(["/news/boat-library.html"]).collect();
    let mut records = vec![info(2, "2024-03-04T09:19:58.000Z", "revisit")];
    for fetch in fetches(paths, LATER, 500) {
        let answer = fetch.answer();
        let earlier = before.iter().find(|before| before.path == fetch.path);
        let (condition, record) = match earlier.map(|before| (before, before.answer())) {
            Some((before, old)) if old.body == answer.body => (Some(old), fetch.same(&answer, before)),
            Some((_, old)) => (Some(old), fetch.response(&answer)),
            None => (None, fetch.response(&answer)),
        };
        let condition = condition.filter(|old| old.modified.is_some());
        records.extend([record.bytes(), fetch.request(condition.as_ref()).bytes()]);
    }
    members(&records)
}
