//! Small archives, made in the test.

use std::fmt::Write;

/// One capture in the making.
#[derive(Debug, Clone)]
pub struct Capture {
    url: String,
    time: String,
    status: String,
    headers: String,
    body: String,
}

impl Capture {
    /// An HTML page that answered 200.
    pub fn page(url: &str, time: &str, body: &str) -> Self {
        Capture {
            url: url.to_owned(),
            time: time.to_owned(),
            status: "200 OK".to_owned(),
            headers: String::new(),
            body: body.to_owned(),
        }
    }

    /// With a `Last-Modified`.
    pub fn modified(mut self, date: &str) -> Self {
        let _ = write!(self.headers, "Last-Modified: {date}\r\n");
        self
    }

    /// With another status.
    pub fn status(mut self, status: &str) -> Self {
        self.status = status.to_owned();
        self
    }
}

/// The captures as one WARC file.
pub fn archive(captures: &[Capture]) -> Vec<u8> {
    let mut file = String::new();
    for (number, Capture { url, time, status, headers, body }) in captures.iter().enumerate() {
        let block = format!(
            "HTTP/1.1 {status}\r\nContent-Type: text/html\r\n{headers}Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let _ = write!(
            file,
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{:012}>\r\n\
             WARC-Date: {time}\r\nWARC-Target-URI: {url}\r\nContent-Type: application/http; msgtype=response\r\n\
             Content-Length: {}\r\n\r\n{block}\r\n\r\n",
            number + 1,
            block.len()
        );
    }
    file.into_bytes()
}

/// A text without the codes of colours.
pub fn without_colours(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, code)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        rest = code.split_once('m').map_or("", |(_, behind)| behind);
    }
    plain + rest
}
