//! ARC files.

use crate::case::cases;
use crate::support::pack::members;
use crate::support::record::{http, ok};

fn head(version: u32, block: &str) -> Vec<u8> {
    let fields = match version {
        1 => "URL IP-address Archive-date Content-type Archive-length",
        _ => {
            "URL IP-address Archive-date Content-type Result-code Checksum Location Offset Filename Archive-length"
        }
    };
    let block = format!("{version} 0 Internet Archive\n{fields}\n{block}");
    let line = match version {
        1 => format!("filedesc://a.arc 0.0.0.0 20050101000000 text/plain {}\n", block.len()),
        _ => format!("filedesc://a.arc 0.0.0.0 20050101000000 text/plain 200 - - 0 a.arc {}\n", block.len()),
    };
    (line + &block + "\n").into_bytes()
}

/// A record whose head line has `{}` for its length.
fn record(line: &str, block: &[u8]) -> Vec<u8> {
    let line = line.replace("{}", &block.len().to_string());
    [line.as_bytes(), b"\n", block, b"\n"].concat()
}

fn page(body: &str) -> Vec<u8> {
    http(&ok(body.len()), body.as_bytes())
}

fn after() -> Vec<u8> {
    record("http://after.example/ 192.0.2.1 20050102030405 text/html {}", &page("<p>after</p>"))
}

cases! {
    /// ARC version 1, sound.
    fn arc_v1(".arc") { [head(1, ""), record("http://page.example/ 192.0.2.1 20050101020304 text/html {}", &page("<p>x</p>")), after()].concat() }

    /// ARC version 2: status, checksum, location, offset and file name stand before the length.
    fn arc_v2(".arc") {
        [head(2, ""), record("http://page.example/ 192.0.2.1 20050101020304 text/html 404 - - 99 a.arc {}", b"gone"), record("http://page.example/x 192.0.2.1 20050101020304 text/html 200 - - 99 a.arc {}", &page("x"))].concat()
    }

    /// One gzip member per record.
    fn arc_gzip(".arc.gz") { members(&[head(1, ""), record("http://page.example/ 192.0.2.1 20050101020304 text/html {}", &page("<p>x</p>")), after()]) }

    /// Dates of 12, 14, 17 and 18 digits (webarchive-commons#80, arquivo#749, aut#163).
    fn arc_dates(".arc") {
        let dated = |date: &str| record(&format!("http://d{date}.example/ 192.0.2.1 {date} text/html {{}}"), &page("x"));
        [head(1, ""), dated("200501010203"), dated("20050101020304"), dated("20050101020304567"), dated("200501010203000000"), after()].concat()
    }

    /// A record without an HTTP head: the payload of a file, a DNS answer (jwarc#96).
    fn arc_no_http_head(".arc") {
        [head(1, ""), record("dns:page.example 192.0.2.1 20050101020304 text/dns {}", b"page.example. 300 IN A 192.0.2.1"), record("http://page.example/a.txt 192.0.2.1 20050101020304 text/plain {}", b"bare text"), after()].concat()
    }

    /// Spaces in the URL (warcio#61, jwarc#84: End of Term 2004).
    fn arc_space_in_url(".arc") { [head(1, ""), record("http://page.example/a b c.html 192.0.2.1 20050101020304 text/html {}", &page("x")), after()].concat() }

    /// Spaces in the media type.
    fn arc_space_in_type(".arc") { [head(1, ""), record("http://page.example/ 192.0.2.1 20050101020304 text/html; charset=x {}", &page("x")), after()].concat() }

    /// No filedesc record at the start.
    fn arc_no_filedesc(".arc") { [record("http://page.example/ 192.0.2.1 20050101020304 text/html {}", &page("x")), after()].concat() }

    /// A filedesc without address and date.
    fn arc_bare_filedesc(".arc") { [b"filedesc:// - - - 18\n1 0 Some Archive\n\n\n".to_vec(), after()].concat() }

    /// A length too large, too small, negative, no number at all.
    fn arc_bad_lengths(".arc") {
        let wrong = |length: &str| record(&format!("http://l{length}.example/ 192.0.2.1 20050101020304 text/html {length}"), &page("<p>x</p>"));
        [head(1, ""), wrong("9999"), wrong("20"), wrong("-1"), wrong("none"), after()].concat()
    }

    /// No newline behind a record, and two.
    fn arc_newlines(".arc") {
        let page = record("http://page.example/ 192.0.2.1 20050101020304 text/html {}", &page("x"));
        [head(1, ""), page[..page.len() - 1].to_vec(), page, b"\n".to_vec(), after()].concat()
    }

    /// The file ends within a record.
    fn arc_truncated(".arc") {
        let mut bytes = [head(1, ""), record("http://page.example/ 192.0.2.1 20050101020304 text/html {}", &page("x")), after()].concat();
        bytes.truncate(bytes.len() - 8);
        bytes
    }

    /// An IPv6 address, and none at all.
    fn arc_addresses(".arc") {
        [head(1, ""), record("http://page.example/ 2001:db8::1 20050101020304 text/html {}", &page("x")), record("http://page.example/y - 20050101020304 text/html {}", &page("y")), after()].concat()
    }

    /// A page whose lines look like the head line of a record.
    fn arc_line_in_block(".arc") {
        let body = "<pre>\nhttp://fake.example/ 192.0.2.1 20050101020304 text/html 5\nhello\n</pre>";
        [head(1, ""), record("http://page.example/ 192.0.2.1 20050101020304 text/html {}", &page(body)), after()].concat()
    }
}
