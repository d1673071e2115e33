//! Wrappings: gzip members, zlib and zstd, chunks.

use super::deflate::deflate;

/// A gzip member with this header behind the magic: flags and the fields they announce.
pub fn gzip_with(flags: u8, fields: &[u8], data: &[u8]) -> Vec<u8> {
    let mut member = vec![0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 255];
    member.extend_from_slice(fields);
    member.extend(deflate(data));
    member.extend(crc32(data).to_le_bytes());
    member.extend((data.len() as u32).to_le_bytes());
    member
}

/// A gzip member.
pub fn gzip(data: &[u8]) -> Vec<u8> {
    gzip_with(0, &[], data)
}

/// One gzip member for each.
pub fn members(records: &[Vec<u8>]) -> Vec<u8> {
    records.iter().flat_map(|record| gzip(record)).collect()
}

/// A zlib stream.
pub fn zlib(data: &[u8]) -> Vec<u8> {
    let (mut a, mut b) = (1u32, 0u32);
    for byte in data {
        a = (a + u32::from(*byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    let mut stream = vec![0x78, 0x01];
    stream.extend(deflate(data));
    stream.extend((b << 16 | a).to_be_bytes());
    stream
}

/// A zstd frame, without a dictionary where that is empty. Level 1 needs the fast matcher alone, which every build of zstd has, so
/// the bytes do not depend on how it was compiled.
pub fn zstd(data: &[u8], dictionary: &[u8]) -> Vec<u8> {
    let mut compressor = ::zstd::bulk::Compressor::with_dictionary(1, dictionary).unwrap();
    compressor.include_checksum(true).unwrap();
    compressor.compress(data).unwrap()
}

/// The skippable frame that holds a dictionary.
pub fn dictionary_frame(dictionary: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x5d, 0x2a, 0x4d, 0x18];
    frame.extend((dictionary.len() as u32).to_le_bytes());
    frame.extend_from_slice(dictionary);
    frame
}

/// Brotli of one uncompressed meta-block (RFC 7932, section 9.2), then the last, empty one.
pub fn brotli(data: &[u8]) -> Vec<u8> {
    assert!((1..=1 << 16).contains(&data.len()));
    // WBITS 16 (one bit 0), not last, four nibbles of length (two bits 0), length - 1, uncompressed, padding.
    let head = (data.len() as u32 - 1) << 4 | 1 << 20;
    let mut stream = head.to_le_bytes()[..3].to_vec();
    stream.extend_from_slice(data);
    stream.push(3);
    stream
}

/// The body in chunks of `size` bytes, with trailer fields.
pub fn chunked(body: &[u8], size: usize, trailer: &str) -> Vec<u8> {
    let mut framed = Vec::new();
    for chunk in body.chunks(size) {
        framed.extend(format!("{:x}\r\n", chunk.len()).bytes());
        framed.extend_from_slice(chunk);
        framed.extend_from_slice(b"\r\n");
    }
    framed.extend(format!("0\r\n{trailer}\r\n").bytes());
    framed
}

/// CRC-32 as gzip and zip have it.
pub fn crc32(data: &[u8]) -> u32 {
    !data.iter().fold(!0, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 })
    })
}
