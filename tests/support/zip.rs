//! Zip files, byte by byte.

use super::deflate::deflate;
use super::pack::crc32;

/// A zip file of entries: name, bytes, whether they are deflated.
pub fn zip(entries: &[(&str, &[u8], bool)]) -> Vec<u8> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes, is_deflated) in entries {
        let data = if *is_deflated { deflate(bytes) } else { bytes.to_vec() };
        let method: u16 = if *is_deflated { 8 } else { 0 };
        // Version needed, flags (UTF-8 names), method, time, date (1 January 2020), checksum, lengths.
        let mut common = Vec::new();
        for value in [20, 1 << 11, method, 0, 0x5021] {
            common.extend(value.to_le_bytes());
        }
        for value in [crc32(bytes), data.len() as u32, bytes.len() as u32] {
            common.extend(value.to_le_bytes());
        }
        common.extend((name.len() as u16).to_le_bytes());
        let offset = file.len() as u32;
        file.extend_from_slice(b"PK\x03\x04");
        file.extend_from_slice(&common);
        file.extend_from_slice(&[0, 0]);
        file.extend_from_slice(name.as_bytes());
        file.extend_from_slice(&data);
        directory.extend_from_slice(b"PK\x01\x02\x14\0");
        directory.extend_from_slice(&common);
        // No extra field, comment, disk or attributes.
        directory.extend_from_slice(&[0; 12]);
        directory.extend(offset.to_le_bytes());
        directory.extend_from_slice(name.as_bytes());
    }
    let (start, count) = (file.len() as u32, entries.len() as u16);
    file.extend_from_slice(&directory);
    file.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    file.extend(count.to_le_bytes());
    file.extend(count.to_le_bytes());
    file.extend((directory.len() as u32).to_le_bytes());
    file.extend(start.to_le_bytes());
    file.extend_from_slice(&[0, 0]);
    file
}
