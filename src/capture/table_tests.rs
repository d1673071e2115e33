use super::*;
use crate::capture::testing::{look, parse};
use crate::time::SECOND;

#[test]
fn rows_are_grouped_by_key_and_sorted_by_time() {
    let table = Table::of(&[
        look("http://b.example/", "2024-01-02T00:00:00Z").body(1).build(),
        look("http://a.example/", "2024-01-03T00:00:00Z").body(2).build(),
        look("http://b.example/", "2024-01-01T00:00:00Z").body(3).build(),
    ]);
    let keys: Vec<&str> = table.pages().iter().map(|page| table.text(page.key)).collect();
    assert_eq!(keys, ["http://a.example/", "http://b.example/"]);
    let times: Vec<Instant> = table.rows_of(&table.pages()[1]).iter().map(|row| row.time).collect();
    assert_eq!(times, [parse("2024-01-01T00:00:00Z"), parse("2024-01-02T00:00:00Z")]);
    assert_eq!(table.page("http://b.example/"), Some(&table.pages()[1]));
    assert_eq!(table.page("http://c.example/"), None);
}

#[test]
fn only_dated_gets_of_http_urls_enter_a_history() {
    let mut undated = look("http://a.example/", "2024-01-01T00:00:00Z").build();
    undated.time = None;
    let mut post = look("http://a.example/", "2024-01-01T00:00:00Z").build();
    post.method = Some("POST".into());
    let urn = look("urn:text:http://a.example/", "2024-01-01T00:00:00Z").build();
    let table = Table::of(&[undated, post, urn, look("HTTPS://a.example/", "2024-01-01T00:00:00Z").build()]);
    assert_eq!(table.rows().len(), 1);
    assert_eq!(
        table.left_out(),
        LeftOut { other_methods: 1, other_schemes: 1, undated: 1, ..LeftOut::default() }
    );
}

#[test]
fn an_index_given_with_its_archive_counts_nothing_twice() {
    let record = look("http://a.example/", "2024-01-01T00:00:00.250Z").body(1).declared(1).build();
    let by_place =
        look("http://a.example/", "2024-01-01T00:00:00Z").index().file("/elsewhere/file.warc.gz").build();
    let by_capture =
        look("http://a.example/", "2024-01-01T00:00:00Z").index().declared(1).file("x.cdx").build();
    let mut another_time = by_capture.clone();
    (another_time.time, another_time.offset) = (Some(parse("2024-01-01T00:00:01Z")), Some(9));
    let mut without_digest = by_capture.clone();
    (without_digest.declared, without_digest.offset) = (None, Some(77));
    let mut another_digest = look("http://a.example/", "2024-01-01T00:00:00Z").index().declared(2).build();
    another_digest.offset = Some(500);
    let table = Table::of(&[by_place, record, by_capture, another_time, without_digest, another_digest]);
    assert_eq!(table.left_out().indexed_twice, 4);
    assert_eq!(table.rows().len(), 2);
    // At its place there is no record, and the one of its URL and date has another digest.
    assert_eq!(table.rows()[0].contradicted_by, Some(Witness::Index));
}

#[test]
fn a_record_given_twice_counts_once() {
    let mut one = look("http://a.example/", "2024-01-01T00:00:00Z").body(1).build();
    one.record_id = Some("urn:uuid:1".into());
    let mut copy = one.clone();
    copy.file = "copy.wacz/archive/file.warc.gz".into();
    let table = Table::of(&[one, copy]);
    assert_eq!((table.rows().len(), table.left_out().records_twice), (1, 1));
}

#[test]
fn digests_survive_interning() {
    let observation = look("http://a.example/", "2024-01-01T00:00:00Z").body(7).declared(9).build();
    let table = Table::of(std::slice::from_ref(&observation));
    let row = table.rows()[0];
    assert_eq!(row.body.and_then(|id| table.body(id)), observation.body);
    assert_eq!(row.declared.and_then(|id| table.digest(id)), observation.declared);
}

#[test]
fn copies_in_other_files_are_one_capture_whatever_the_order() {
    let arc = || look("http://a.example/", "2024-01-01T00:00:00Z").body(1).declared(1).file("x.arc.gz");
    let mut warc =
        look("http://a.example/", "2024-01-01T00:00:00Z").body(1).declared(1).file("x.warc.gz").build();
    (warc.record_id, warc.offset) = (Some("urn:uuid:1".into()), Some(7));
    let mut arc_row = arc().build();
    arc_row.writer = None;
    let other = arc().body(2).declared(2).build();
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let all = [&warc, &arc_row, &other];
        let table = Table::of(order.map(|at| all[at]));
        let kept: Vec<&str> = table.rows().iter().map(|row| table.text(row.file)).collect();
        assert_eq!(kept, ["x.warc.gz", "x.arc.gz"], "{order:?}");
        assert_eq!(table.left_out().records_twice, 1);
        assert!(table.rows().iter().all(|row| row.contradicted_by.is_none()));
    }
    // Within one file too, if their dates are of one second.
    let (one, mut two) = (arc().build(), arc().build());
    two.offset = Some(900);
    assert_eq!(Table::of(&[one.clone(), two.clone()]).rows().len(), 1);
    two.time = two.time.map(|time| time.plus(1));
    assert_eq!(Table::of(&[one.clone(), two.clone()]).rows().len(), 1);
    two.time = two.time.map(|time| time.plus(SECOND));
    assert_eq!(Table::of(&[one, two]).rows().len(), 2);
}

#[test]
fn copies_with_other_content_contradict_each_other_in_either_order() {
    let copy = |file: &str, body: u8| {
        let mut copy =
            look("http://a.example/", "2024-01-01T00:00:00Z").body(body).declared(body).file(file).build();
        copy.record_id = Some("urn:uuid:1".into());
        copy
    };
    let (one, two) = (copy("1.warc", 1), copy("2.warc", 2));
    let mut found = Vec::new();
    for pair in [[&one, &two], [&two, &one]] {
        let table = Table::of(pair);
        assert_eq!(table.rows().len(), 1);
        let row = table.rows()[0];
        let (witness, file, offset) = table.contradiction(&row).unwrap();
        found.push((table.text(row.file).to_owned(), witness, file.to_owned(), offset));
    }
    assert_eq!(found[0], found[1]);
    assert_eq!((found[0].1, found[0].3), (Witness::Copy, Some(100)));
    // What is cut says less, not something else.
    let mut cut = two.clone();
    cut.truncated = Some("body-short".into());
    let table = Table::of(&[cut, one]);
    assert!(table.rows()[0].contradicted_by.is_none() && !table.rows()[0].truncated);
}

#[test]
fn an_index_line_with_another_digest_at_its_place_contradicts_the_record() {
    let record = look("http://a.example/", "2024-01-01T00:00:00Z").body(1).declared(1).build();
    let line = look("http://a.example/", "2024-01-01T00:00:00Z").index().declared(2).build();
    for pair in [[&record, &line], [&line, &record]] {
        let table = Table::of(pair);
        assert_eq!((table.rows().len(), table.left_out().indexed_twice), (1, 1));
        assert_eq!(table.rows()[0].contradicted_by, Some(Witness::Index));
    }
    let same = look("http://a.example/", "2024-01-01T00:00:00Z").index().declared(1).build();
    assert!(Table::of(&[record, same]).rows()[0].contradicted_by.is_none());
}
