//! A request for a time stamp over a report, to be sent to an authority by other means: nothing here uses a network.
//!
//! Source: RFC 3161, section 2.4.1 (`TimeStampReq`), in DER: version 1, SHA-256 of the report, the certificate asked for.
//! There is no nonce, so that the same report gives the same request.

use crate::digest::{Algorithm, Hasher};

/// Up to the hash: SEQUENCE, version 1, messageImprint with the algorithm SHA-256 (2.16.840.1.101.3.4.2.1).
const HEAD: [u8; 24] = [
    0x30, 0x39, 0x02, 0x01, 0x01, 0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03,
    0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20,
];

/// Behind the hash: certReq TRUE.
const TAIL: [u8; 3] = [0x01, 0x01, 0xff];

/// The request for a time stamp over these bytes.
pub(crate) fn request(report: &[u8]) -> Vec<u8> {
    let mut hasher = Hasher::new(Algorithm::Sha256);
    hasher.update(report);
    [&HEAD[..], hasher.finish().bytes(), &TAIL].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lengths_of_the_request_are_right() {
        let request = request(b"abc");
        assert_eq!(request.len(), 2 + usize::from(request[1]));
        assert_eq!(usize::from(request[6]), request.len() - 7 - TAIL.len());
        assert_eq!(request[24..28], [0xba, 0x78, 0x16, 0xbf]);
    }
}
