//! How records are wrapped into files.

use crate::case::cases;
use crate::support::pack::{crc32, dictionary_frame, gzip, gzip_with, members, zstd};
use crate::support::record::Record;

const DATE: &str = "2020-02-03T04:05:06Z";

/// Three sound records: a warcinfo and two pages.
pub(crate) fn three() -> Vec<Vec<u8>> {
    let info =
        Record::fields("warcinfo", 1, DATE, "software: Heritrix/3.4.0\r\nformat: WARC File Format 1.0\r\n");
    let first = Record::page(2, "http://first.example/", DATE, "<p>first</p>");
    let second = Record::page(3, "http://second.example/", DATE, "<p>second</p>");
    [info, first, second].map(|record| record.bytes()).to_vec()
}

fn pages() -> Vec<Vec<u8>> {
    three().split_off(1)
}

fn cut(mut bytes: Vec<u8>, count: usize) -> Vec<u8> {
    bytes.truncate(bytes.len() - count);
    bytes
}

cases! {
    /// Plain WARC/1.0, sound: the reference.
    fn plain(".warc") { three().concat() }

    /// One gzip member per record, sound.
    fn gzip_per_record(".warc.gz") { members(&three()) }

    /// Gzip under a `.warc` name: content tells, never the name (example-iana.warc).
    fn gzip_under_plain_name(".warc") { members(&three()) }

    /// The whole file as one gzip member: records cannot be read on their own (warcio PR#65, pywb#48, bitextor#155).
    fn gzip_whole_file(".warc.gz") { gzip(&three().concat()) }

    /// Two records in the first member, one in the second (fastwarc gives the second record a wrong offset).
    fn gzip_several_records_per_member(".warc.gz") {
        let [info, first, second] = three().try_into().unwrap();
        members(&[[info, first].concat(), second])
    }

    /// Members cut without regard to records, so that records span them (as `split` and some block compressors do).
    fn gzip_records_span_members(".warc.gz") {
        let stream = three().concat();
        stream.chunks(300).flat_map(gzip).collect::<Vec<u8>>()
    }

    /// Gzip members with FEXTRA, FNAME, FCOMMENT and FHCRC; wget's `sl` field of skip lengths among them (wad#1).
    fn gzip_header_fields(".warc.gz") {
        let [info, first, second] = three().try_into().unwrap();
        // wget: subfield "sl", compressed and uncompressed length.
        let skip = [&[12, 0, b's', b'l', 8, 0][..], &[0x99, 0, 0, 0], &(info.len() as u32).to_le_bytes()].concat();
        let head_crc = (crc32(b"\x1f\x8b\x08\x02\0\0\0\0\0\xff") as u16).to_le_bytes();
        [gzip_with(4, &skip, &info), gzip_with(8 | 16, b"name\0comment\0", &first), gzip_with(2, &head_crc, &second)].concat()
    }

    /// Empty gzip members between records.
    fn gzip_empty_members(".warc.gz") {
        let [info, first, second] = three().try_into().unwrap();
        members(&[Vec::new(), info, Vec::new(), first, second, Vec::new()])
    }

    /// The last member is cut: the record before it must be told, and the cut too (warcio#138, resiliparse#6, jwarc#17).
    fn gzip_truncated_tail(".warc.gz") { cut(members(&three()), 60) }

    /// Only the checksum of the last member is missing: all of the record is there, but nothing proves it.
    fn gzip_truncated_in_trailer(".warc.gz") { cut(members(&three()), 5) }

    /// Garbage behind the last member.
    fn gzip_trailing_garbage(".warc.gz") { [members(&three()), b"this is no gzip member".to_vec()].concat() }

    /// Zero bytes behind the last member, as tape blocks and preallocated files leave them.
    fn gzip_trailing_zeros(".warc.gz") { [members(&three()), vec![0; 512]].concat() }

    /// Garbage between two members: the next member must be found.
    fn gzip_garbage_between_members(".warc.gz") {
        let [first, second] = pages().try_into().unwrap();
        [gzip(&first), b"\x1f\x8b\x08garbage that starts like a member".to_vec(), gzip(&second)].concat()
    }

    /// A member with a wrong checksum in the middle (Corrupt records must not end the run: aut#267, aut#271, warcio PR#99).
    fn gzip_bad_checksum(".warc.gz") {
        let [info, first, second] = three().try_into().unwrap();
        let mut bad = gzip(&first);
        let crc = bad.len() - 8;
        bad[crc] ^= 1;
        [gzip(&info), bad, gzip(&second)].concat()
    }

    /// A member damaged within its data, followed by a sound one.
    fn gzip_damaged_member(".warc.gz") {
        let [info, first, second] = three().try_into().unwrap();
        let mut bad = gzip(&first);
        let middle = bad.len() / 2;
        bad[middle..middle + 8].fill(0xff);
        [gzip(&info), bad, gzip(&second)].concat()
    }

    /// The first member is damaged: the file must still be told to be an archive.
    fn gzip_first_member_damaged(".warc.gz") {
        let [info, first, second] = three().try_into().unwrap();
        let mut bad = gzip(&info);
        bad[12..20].fill(0xff);
        [bad, gzip(&first), gzip(&second)].concat()
    }

    /// A page that holds a gzip member with a WARC record: it is payload, not a record.
    fn gzip_member_inside_payload(".warc.gz") {
        let inner = gzip(&Record::page(9, "http://inner.example/", DATE, "inner").bytes());
        let outer = Record::response(2, "http://outer.example/a.warc.gz", DATE, "HTTP/1.1 200 OK\nContent-Type: application/gzip", &inner);
        members(&[outer.bytes(), pages().remove(1)])
    }

    /// Plain WARC whose payload is a WARC: the length tells where it ends.
    fn warc_inside_payload(".warc") {
        let inner = three().concat();
        let outer = Record::response(9, "http://outer.example/a.warc", DATE, "HTTP/1.1 200 OK\nContent-Type: application/warc", &inner);
        [outer.bytes(), pages().remove(1)].concat()
    }

    /// Zstd frames without a dictionary, one per record.
    fn zstd_per_record(".warc.zst") { three().iter().flat_map(|record| zstd(record, &[])).collect::<Vec<u8>>() }

    /// Zstd with its dictionary in the leading skippable frame, as Archive Team writes it (warc-specifications#53, zstd#3655).
    fn zstd_dictionary(".warc.zst") {
        let dictionary = three().concat();
        let frames = three().iter().flat_map(|record| zstd(record, &dictionary)).collect();
        [dictionary_frame(&dictionary), frames].concat()
    }

    /// Zstd with a dictionary that is itself compressed.
    fn zstd_compressed_dictionary(".warc.zst") {
        let dictionary = three().concat();
        let frames = three().iter().flat_map(|record| zstd(record, &dictionary)).collect();
        [dictionary_frame(&zstd(&dictionary, &[])), frames].concat()
    }

    /// Other skippable frames at the start and between records are stepped over.
    fn zstd_skippable_frames(".warc.zst") {
        let mut skippable = dictionary_frame(b"not a dictionary");
        skippable[0] = 0x50;
        let [info, first, second] = three().map_frames();
        [skippable.clone(), info, skippable.clone(), first, second, skippable].concat()
    }

    /// The whole file as one zstd frame.
    fn zstd_whole_file(".warc.zst") { zstd(&three().concat(), &[]) }

    /// The last zstd frame is cut.
    fn zstd_truncated_tail(".warc.zst") {
        cut(three().iter().flat_map(|record| zstd(record, &[])).collect(), 40)
    }

    /// A damaged zstd frame in the middle.
    fn zstd_damaged_frame(".warc.zst") {
        let [info, mut first, second] = three().map_frames();
        let middle = first.len() / 2;
        first[middle..middle + 8].fill(0xff);
        [info, first, second].concat()
    }

    /// Garbage behind the last zstd frame.
    fn zstd_trailing_garbage(".warc.zst") {
        let [info, first, second] = three().map_frames();
        [info, first, second, b"this is no frame".to_vec()].concat()
    }

    /// A plain file that ends within a block.
    fn plain_truncated_in_block(".warc") { cut(three().concat(), 10) }

    /// A plain file that ends within a record head.
    fn plain_truncated_in_head(".warc") {
        let [info, first, second] = three().try_into().unwrap();
        [info, first, second[..60].to_vec()].concat()
    }

    /// Garbage behind the last record of a plain file.
    fn plain_trailing_garbage(".warc") { [three().concat(), b"\x00\x01\x02 no record".to_vec()].concat() }

    /// Garbage in front of the first record.
    fn plain_leading_garbage(".warc") { [b"some bytes\nof something else\r\n".to_vec(), three().concat()].concat() }

    /// A byte order mark in front of the first record.
    fn plain_byte_order_mark(".warc") { [b"\xef\xbb\xbf".to_vec(), three().concat()].concat() }

    /// WARC/0.17 and WARC/0.18, as the first writers had them, and WARC/1.1 in one file (warcio accepts them too).
    fn versions(".warc") {
        let page = |n, version: &str, date: &str| Record::page(n, &format!("http://v{n}.example/"), date, "x").version(version).bytes();
        [page(1, "WARC/0.17", DATE), page(2, "WARC/0.18", DATE), page(3, "WARC/1.0", DATE), page(4, "WARC/1.1", "2020-02-03T04:05:06.789Z")].concat()
    }

    /// Nothing at all.
    fn empty(".warc") { Vec::<u8>::new() }

    /// A gzip member with nothing in it.
    fn gzip_of_nothing(".warc.gz") { gzip(b"") }

    /// Lz4, a format of FastWARC's: named, not read.
    fn lz4(".warc.lz4") { b"\x04\x22\x4d\x18\x64\x40\xa7\x00\x00\x00\x00\x05\x5d\xcc\x02".to_vec() }

    /// Text that is not an archive under an archive's name.
    fn text(".warc") { b"<html><body>404 Not Found</body></html>\n".to_vec() }
}

trait Frames {
    fn map_frames(self) -> [Vec<u8>; 3];
}

impl Frames for Vec<Vec<u8>> {
    fn map_frames(self) -> [Vec<u8>; 3] {
        let frames: Vec<Vec<u8>> = self.iter().map(|record| zstd(record, &[])).collect();
        frames.try_into().unwrap()
    }
}
