//! The record that says how an output was made. Same content, same bytes: its date and id come from what it describes.

use crate::time::Instant;

/// A warcinfo record with these fields.
pub(crate) fn warcinfo(filename: &str, at: Instant, fields: &[(&str, String)]) -> Vec<u8> {
    let mut block = format!(
        "software: Acuity/{}\r\nformat: WARC File Format 1.1\r\nconformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n",
        env!("CARGO_PKG_VERSION")
    );
    for (name, value) in fields {
        let value: String =
            value.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
        block.push_str(&format!("{name}: {value}\r\n"));
    }
    let filename: String = filename.chars().filter(|letter| !letter.is_control()).collect();
    let head = format!(
        "WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Record-ID: <{}>\r\nWARC-Date: {at}\r\nWARC-Filename: {filename}\r\nContent-Type: application/warc-fields\r\nContent-Length: {}\r\n\r\n",
        urn(block.as_bytes()),
        block.len()
    );
    [head.as_bytes(), block.as_bytes(), b"\r\n\r\n"].concat()
}

/// An id made of content: a UUID of version 8, which leaves its bits to the maker.
pub(crate) fn urn(content: &[u8]) -> String {
    urn_of(&blake3::hash(content))
}

/// The same of a hash.
pub(crate) fn urn_of(hash: &blake3::Hash) -> String {
    let mut bytes = [0u8; 16];
    bytes.copy_from_slice(&hash.as_bytes()[..16]);
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("urn:uuid:{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::record::parse;

    #[test]
    fn the_record_is_sound_and_the_same_every_time() {
        let make = || warcinfo("a\r\nb.warc", Instant(0), &[("policy", "naive\r\nWARC-Type: x".to_owned())]);
        let record = make();
        assert_eq!(record, make());
        let end = crate::archive::fields::head_length(&record, 0).unwrap();
        let head = parse(&record[..end]);
        assert_eq!(head.content_length, Some((record.len() - end - 4) as u64));
        assert_eq!(urn(b"x").len(), "urn:uuid:".len() + 36);
        assert!(!String::from_utf8_lossy(&record).contains("\nWARC-Type: x"));
    }
}
