//! Writes lines of CDXJ: key, 14-digit time and a JSON object with the fields that pywb and OutbackCDX read.

use std::borrow::Cow;
use std::io::{self, Write};

use serde::Serialize;

use crate::time::Instant;

/// One line of CDXJ. Unknown fields are left out; numbers are strings, as pywb writes them.
#[derive(Serialize)]
pub(crate) struct CdxjLine<'a> {
    #[serde(skip)]
    pub key: &'a str,
    #[serde(skip)]
    pub time: Instant,
    pub url: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<String>,
    pub filename: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<&'a str>,
}

impl CdxjLine<'_> {
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        // A key with a space in it would shift the fields.
        let key = self.key.replace([' ', '\n', '\r', '\t'], "%20");
        write!(out, "{key} {} ", self.time.digits14())?;
        serde_json::to_writer(&mut *out, self)?;
        out.write_all(b"\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_fields_are_left_out_and_no_key_shifts_the_fields() {
        let line = CdxjLine {
            key: "org,example)/a b",
            time: Instant(0),
            url: "http://example.org/a b",
            mime: None,
            status: Some("200".to_owned()),
            digest: None,
            length: None,
            offset: Some("7".to_owned()),
            filename: "a.warc.gz",
            method: None,
        };
        let mut text = Vec::new();
        line.write(&mut text).unwrap();
        let expected = "org,example)/a%20b 19700101000000 \
                        {\"url\":\"http://example.org/a b\",\"status\":\"200\",\"offset\":\"7\",\"filename\":\"a.warc.gz\"}\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }
}
