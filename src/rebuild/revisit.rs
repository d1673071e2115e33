//! Makes a revisit record of a response whose payload is stored already.

use crate::archive::fields::head_length;
use crate::archive::http;
use crate::archive::record::parse;

/// The stored response that a revisit refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Original {
    pub id: String,
    pub url: String,
    pub date: String,
}

/// The revisit record of a response: its own head and HTTP head, without the payload. It keeps its record id, so that requests and
/// metadata still lead to it. `None` where the record has another form than a plain response.
pub(crate) fn to_revisit(record: &[u8], original: &Original) -> Option<Vec<u8>> {
    let end = head_length(record, 0)?;
    let head = parse(&record[..end]);
    let length = usize::try_from(head.content_length?).ok()?;
    let block = record.get(end..end.checked_add(length)?)?;
    let kept = http::response_head_length(block).filter(|_| http::is_response(block))?;
    let text = std::str::from_utf8(&record[..end]).ok()?;
    let mut lines = text.split_inclusive('\n');
    let mut made = lines.next()?.trim_end().to_owned();
    made.push_str("\r\n");
    for line in lines.map(str::trim_end).take_while(|line| !line.is_empty()) {
        let name = line.split(':').next().unwrap_or_default().trim();
        // A folded line goes on where the last one ended: such heads are left alone.
        if line.starts_with([' ', '\t']) {
            return None;
        }
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        if is("WARC-Type") {
            made.push_str("WARC-Type: revisit\r\n");
        } else if is("Content-Length") {
            made.push_str(&format!("Content-Length: {kept}\r\n"));
        } else if !is("WARC-Block-Digest") {
            made.push_str(line);
            made.push_str("\r\n");
        }
    }
    made.push_str("WARC-Profile: http://netpreserve.org/warc/1.0/revisit/identical-payload-digest\r\n");
    made.push_str(&format!("WARC-Refers-To: <{}>\r\n", original.id));
    made.push_str(&format!("WARC-Refers-To-Target-URI: {}\r\n", original.url));
    made.push_str(&format!("WARC-Refers-To-Date: {}\r\n\r\n", original.date));
    let mut made = made.into_bytes();
    made.extend_from_slice(&block[..kept]);
    made.extend_from_slice(b"\r\n\r\n");
    Some(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_becomes_a_revisit_that_names_its_original() {
        let block = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nhello";
        let record = format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:b>\r\nWARC-Block-Digest: sha1:X\r\nWARC-Payload-Digest: sha1:Y\r\nX-Own: z\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        );
        let original =
            Original { id: "urn:a".into(), url: "http://a/".into(), date: "2024-01-01T00:00:00Z".into() };
        let made = String::from_utf8(to_revisit(record.as_bytes(), &original).unwrap()).unwrap();
        assert!(made.contains("WARC-Type: revisit\r\n") && made.contains("WARC-Refers-To: <urn:a>\r\n"));
        assert!(made.contains("X-Own: z\r\n") && made.contains("<urn:b>") && !made.contains("Block-Digest"));
        assert!(made.ends_with("\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n\r\n\r\n"));
        assert_eq!(to_revisit(b"WARC/1.0\r\nContent-Length: 9999\r\n\r\nx", &original), None);
    }
}
