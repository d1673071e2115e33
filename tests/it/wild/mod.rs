//! What archives in the wild hold besides sound captures, and what may be said of it: one small archive per case, judged by the
//! program itself.

mod captures;
mod copies;
mod evidence;
mod figures;
mod rates;
mod requests;
mod spellings;
mod telling;
mod wholeness;

use std::path::PathBuf;
use std::process::Command;

use crate::support::digests::sha1;
use crate::support::record::{Record, id};
use serde_json::Value;
use tempfile::TempDir;

const URL: &str = "http://t.example/terms";
const A: &str =
    "<!doctype html><html><body><p>Version A, right of withdrawal, a price of \u{a4}100.</p></body></html>";
const B: &str = "<!doctype html><html><body><p>Version B</p></body></html>";
const HTML: &str = "HTTP/1.1 200 OK\nContent-Type: text/html; charset=utf-8";

fn at(hour: u32) -> String {
    format!("2022-03-14T{hour:02}:00:00Z")
}

/// A response, `more` being further header fields.
fn page(n: u32, hour: u32, body: &str, more: &str) -> Record {
    Record::response(n, URL, &at(hour), &format!("{HTML}{more}"), body.as_bytes())
}

fn not_modified(n: u32, hour: u32, more: &str) -> Record {
    Record::revisit(n, URL, &at(hour), "server-not-modified", &format!("HTTP/1.1 304 Not Modified{more}"))
}

fn repeated(n: u32, hour: u32, head: &str, body: &str, of: u32) -> Record {
    Record::revisit(n, URL, &at(hour), "identical-payload-digest", head)
        .field("WARC-Payload-Digest", &sha1(body.as_bytes()))
        .field("WARC-Refers-To", &format!("<{}>", id(of)))
}

struct Archive(TempDir, Vec<PathBuf>);

impl Archive {
    fn of(records: &[Record]) -> Self {
        Self::with("a.warc", &bytes(records))
    }

    fn with(name: &str, bytes: &[u8]) -> Self {
        Archive(tempfile::tempdir().unwrap(), Vec::new()).and(name, bytes)
    }

    fn and(mut self, name: &str, bytes: &[u8]) -> Self {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        self.1.push(path);
        self
    }

    fn run(&self, command: &[&str], more: &[&str]) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_acuity"))
            .args(command)
            .args(&self.1)
            .args(more)
            .current_dir(self.0.path())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(!text.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
        text
    }

    fn audit(&self, more: &[&str]) -> Value {
        serde_json::from_str(&self.run(&["audit", "-q", "--json"], more)).unwrap()
    }

    /// The only page of the only site.
    fn audited(&self) -> Value {
        self.audit(&[])["sites"][0]["page_list"][0].clone()
    }

    /// The state of the page, and how many times of it are proven.
    fn judged(&self) -> (String, usize) {
        let page = self.audited();
        (page["state"].as_str().unwrap().to_owned(), page["proven"].as_array().unwrap().len())
    }

    fn at(&self, time: &str, more: &[&str]) -> Value {
        let more = [&["--url", URL], more].concat();
        serde_json::from_str(&self.run(&["at", time, "-q", "--json"], &more)).unwrap()
    }

    fn state_at(&self, hour: u32) -> String {
        self.at(&at(hour), &[])["pages"][0]["state"].as_str().unwrap().to_owned()
    }
}

fn bytes(records: &[Record]) -> Vec<u8> {
    records.iter().flat_map(Record::bytes).collect()
}

fn is(judged: (String, usize), state: &str, proven: usize) {
    assert_eq!((judged.0.as_str(), judged.1), (state, proven));
}

fn line(offset: u64, digest: &str, file: &str) -> String {
    format!(
        "example,t)/terms 20220314100000 {{\"url\":\"{URL}\",\"mime\":\"text/html\",\"status\":\"200\",\"digest\":\"{digest}\",\
         \"length\":\"500\",\"offset\":\"{offset}\",\"filename\":\"{file}\"}}\n"
    )
}
