//! WARC records and HTTP messages, byte by byte.

use super::digests::sha1;

/// The record id of number `n`, without brackets.
pub fn id(n: u32) -> String {
    format!("urn:uuid:00000000-0000-4000-8000-{n:012}")
}

/// A record that is being written; what a sound one has can be left out or overwritten.
#[derive(Debug, Clone)]
pub struct Record {
    version: String,
    fields: Vec<(String, String)>,
    block: Vec<u8>,
    length: Option<String>,
    newline: &'static str,
    trailer: Vec<u8>,
}

impl Record {
    /// A record of a type, numbered `n`, with its date and block.
    pub fn new(kind: &str, n: u32, date: &str, block: impl Into<Vec<u8>>) -> Self {
        let block = block.into();
        Record {
            version: "WARC/1.0".to_owned(),
            fields: [("WARC-Type", kind), ("WARC-Record-ID", &format!("<{}>", id(n))), ("WARC-Date", date)]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .to_vec(),
            length: Some(block.len().to_string()),
            block,
            newline: "\r\n",
            trailer: b"\r\n\r\n".to_vec(),
        }
    }

    /// A response with the payload digest of `body`.
    pub fn response(n: u32, url: &str, date: &str, head: &str, body: &[u8]) -> Self {
        Self::new("response", n, date, http(head, body))
            .field("WARC-Target-URI", url)
            .field("Content-Type", "application/http; msgtype=response")
            .field("WARC-Payload-Digest", &sha1(body))
    }

    /// A page that answers 200.
    pub fn page(n: u32, url: &str, date: &str, body: &str) -> Self {
        Self::response(n, url, date, &ok(body.len()), body.as_bytes())
    }

    /// A revisit with a profile's name and an answer's head as its block.
    pub fn revisit(n: u32, url: &str, date: &str, profile: &str, head: &str) -> Self {
        Self::new("revisit", n, date, http(head, b""))
            .field("WARC-Target-URI", url)
            .field("WARC-Profile", &format!("http://netpreserve.org/warc/1.0/revisit/{profile}"))
            .field("Content-Type", "application/http; msgtype=response")
    }

    /// A request.
    pub fn request(n: u32, url: &str, date: &str, line: &str, body: &str) -> Self {
        let host = url.split('/').nth(2).unwrap_or_default();
        Self::new("request", n, date, format!("{line} HTTP/1.1\r\nHost: {host}\r\n\r\n{body}"))
            .field("WARC-Target-URI", url)
            .field("Content-Type", "application/http; msgtype=request")
    }

    /// A record whose block is `application/warc-fields`.
    pub fn fields(kind: &str, n: u32, date: &str, lines: &str) -> Self {
        Self::new(kind, n, date, lines).field("Content-Type", "application/warc-fields")
    }

    /// Adds a field.
    pub fn field(mut self, name: &str, value: &str) -> Self {
        self.fields.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Replaces the value of a field.
    pub fn set(mut self, name: &str, value: &str) -> Self {
        for field in self.fields.iter_mut().filter(|field| field.0 == name) {
            value.clone_into(&mut field.1);
        }
        self
    }

    /// Leaves a field out.
    pub fn without(mut self, name: &str) -> Self {
        self.fields.retain(|field| field.0 != name);
        self
    }

    /// Another version line.
    pub fn version(mut self, version: &str) -> Self {
        version.clone_into(&mut self.version);
        self
    }

    /// Another `Content-Length` than the true one.
    pub fn length(mut self, length: &str) -> Self {
        self.length = Some(length.to_owned());
        self
    }

    /// No `Content-Length` at all.
    pub fn without_length(mut self) -> Self {
        self.length = None;
        self
    }

    /// Lines that end in something else.
    pub fn newline(mut self, newline: &'static str) -> Self {
        self.newline = newline;
        self.trailer = newline.repeat(2).into_bytes();
        self
    }

    /// Other bytes behind the block.
    pub fn trailer(mut self, trailer: &[u8]) -> Self {
        self.trailer = trailer.to_vec();
        self
    }

    /// With the digest of the block.
    pub fn block_digest(self) -> Self {
        let digest = sha1(&self.block);
        self.field("WARC-Block-Digest", &digest)
    }

    /// The block.
    pub fn block(&self) -> &[u8] {
        &self.block
    }

    /// The record.
    pub fn bytes(&self) -> Vec<u8> {
        let mut head = format!("{}{}", self.version, self.newline);
        for (name, value) in &self.fields {
            head += &format!("{name}: {value}{}", self.newline);
        }
        if let Some(length) = &self.length {
            head += &format!("Content-Length: {length}{}", self.newline);
        }
        head += self.newline;
        [head.as_bytes(), &self.block, &self.trailer].concat()
    }
}

/// A message: the lines of its head (LF between them, none at the end) and its body.
pub fn http(head: &str, body: &[u8]) -> Vec<u8> {
    [head.replace('\n', "\r\n").as_bytes(), b"\r\n\r\n", body].concat()
}

/// The head of an HTML page of this length.
pub fn ok(length: usize) -> String {
    format!("HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: {length}")
}
