//! What is written can be read: records of wrong lengths, records that are cut, revisits and their originals, manifests.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{good, manifest, page, run};
use crate::support::digests::sha1;
use crate::support::pack::members;
use crate::support::record::{Record, id};

const FIRST: &str = "2024-01-01T00:00:00Z";
const LATER: &str = "2024-02-01T00:00:00Z";

/// Reads an uncompressed WARC file as a strict reader does: the records' heads, by their lengths and the blank lines behind them.
fn heads(path: &Path) -> Vec<String> {
    let bytes = fs::read(path).unwrap();
    let (mut at, mut heads) = (0, Vec::new());
    while at < bytes.len() {
        let rest = &bytes[at..];
        assert!(rest.starts_with(b"WARC/1."), "no record at {at}: {}", String::from_utf8_lossy(&rest[..40]));
        let end = rest.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
        let head = String::from_utf8(rest[..end].to_vec()).unwrap();
        let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).unwrap();
        let block = end + length.parse::<usize>().unwrap();
        assert_eq!(&rest[block..block + 4], b"\r\n\r\n", "{head}");
        heads.push(head);
        at += block + 4;
    }
    heads
}

fn counts(folder: &Path, one: &str, other: &str) -> Value {
    let output = run(folder, &["diff", "-q", "--json", one, other]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    found["counts"].clone()
}

#[test]
fn a_record_of_a_wrong_length_does_not_swallow_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    let links: String = ["a", "b", "c"].map(|name| format!("<a href=/{name}>{name}</a>")).concat();
    let record =
        |n, name: &str, body: &str| Record::page(n, &format!("http://a.example/{name}"), FIRST, body);
    let broken = record(2, "a", "<p>a page whose record has another length than it says");
    let length = broken.block().len();
    for (case, broken) in [
        ("too short", broken.clone().length(&(length - 5).to_string()).bytes()),
        ("too long", broken.clone().length(&(length + 90).to_string()).bytes()),
        ("counts the blank lines", broken.clone().length(&(length + 4).to_string()).bytes()),
        ("none", broken.clone().without_length().bytes()),
        ("no blank lines", broken.clone().trailer(b"").bytes()),
    ] {
        let records = [
            record(1, "", &links).bytes(),
            broken,
            record(3, "b", "<p>the next one").bytes(),
            record(4, "c", "<p>and the last").bytes(),
        ];
        fs::write(folder.path().join("in.warc"), records.concat()).unwrap();
        for output in ["o.warc", "o.warc.gz"] {
            let built = run(folder.path(), &["rebuild", "-q", "--repo", "a=in.warc", "-o", output]);
            let text = String::from_utf8(built.stdout).unwrap();
            assert!(text.contains("Not copied byte for byte: 1 record"), "{case} {output}: {text}");
            let (head, urls) = manifest(&folder.path().join("o.manifest.jsonl"));
            assert_eq!((&head["recovered"], &head["mended"]), (&4.into(), &1.into()), "{case} {output}");
            assert!(urls["http://a.example/a"]["taken"]["mended"].is_string(), "{case} {output}");
            assert!(urls["http://a.example/b"]["taken"]["mended"].is_null(), "{case} {output}");
            assert_eq!(counts(folder.path(), "in.warc", output)["identical"], 4, "{case} {output}");
            let merged = run(folder.path(), &["merge", "in.warc", "-o", &format!("m-{output}")]);
            assert_eq!(merged.status.code(), Some(3), "{case}: not everything is byte for byte");
            assert!(String::from_utf8_lossy(&merged.stdout).contains("as they can be read"), "{case}");
            let counts = counts(folder.path(), "in.warc", &format!("m-{output}"));
            assert_eq!(counts["identical"], 4, "{case} {output} {counts}");
        }
        for (output, records) in [("o.warc", 5), ("m-o.warc", 5)] {
            let heads = heads(&folder.path().join(output));
            assert_eq!(heads.len(), records, "{case}");
            assert!(heads[2].contains(&id(2)) && heads[2].contains("WARC-Payload-Digest"), "{case}");
        }
        for file in ["o.manifest.jsonl", "o.warc", "o.warc.gz"] {
            fs::remove_file(folder.path().join(file)).unwrap();
        }
    }
}

#[test]
fn a_record_in_a_member_without_blank_lines_gets_them_where_it_is_unpacked() {
    let folder = tempfile::tempdir().unwrap();
    let bare = |n, name: &str| {
        let url = format!("http://a.example/{name}");
        Record::page(n, &url, FIRST, &format!("<p>page {name}<a href=/x>x</a>")).trailer(b"").bytes()
    };
    fs::write(folder.path().join("in.warc.gz"), members(&[bare(1, ""), bare(2, "x")])).unwrap();
    good(folder.path(), &["rebuild", "-q", "--no-audit", "--repo", "a=in.warc.gz", "-o", "o.warc"]);
    assert_eq!(heads(&folder.path().join("o.warc")).len(), 3);
    // A length that counts the blank lines leaves none behind the block; one that counts more is cut.
    for more in [2, 4, 90] {
        let record = Record::page(1, "http://a.example/", FIRST, "<p>front<a href=/x>x</a>");
        let length = record.block().len() + more;
        let records = [record.length(&length.to_string()).bytes(), page(2, "x", FIRST, "<p>the next one")];
        fs::write(folder.path().join("long.warc.gz"), members(&records)).unwrap();
        let rebuild = ["rebuild", "--policy", "exhaustive", "--repo", "a=long.warc.gz"];
        for command in [&["merge", "--keep", "long.warc.gz"][..], &rebuild] {
            run(folder.path(), &[command, &["-q", "-o", "long.warc"]].concat());
            assert_eq!(heads(&folder.path().join("long.warc")).len(), 3, "{more} {command:?}");
            fs::remove_file(folder.path().join("long.warc")).unwrap();
        }
    }
}

#[test]
fn a_record_that_is_cut_is_kept_as_far_as_it_goes() {
    let folder = tempfile::tempdir().unwrap();
    let mut seed = 1u32;
    let noise: String = std::iter::repeat_with(|| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(b'a' + (seed >> 24) as u8 % 26)
    })
    .take(40_000)
    .collect();
    let records = [page(1, "", FIRST, "<p>front<a href=/x>x</a>"), page(2, "x", FIRST, &noise)];
    let packed = members(&records);
    let plain = records.concat();
    fs::write(folder.path().join("in.warc.gz"), &packed[..packed.len() - 9_000]).unwrap();
    fs::write(folder.path().join("in.warc"), &plain[..plain.len() - 9_000]).unwrap();
    // One member for all of it.
    let one = crate::support::pack::gzip(&plain);
    fs::write(folder.path().join("one.warc.gz"), &one[..one.len() - 9_000]).unwrap();
    for input in ["in.warc.gz", "in.warc", "one.warc.gz"] {
        for output in ["m.warc", "m.warc.gz"] {
            let merged = run(folder.path(), &["merge", input, "-o", output]);
            assert_eq!(merged.status.code(), Some(3), "{input}");
            let found = counts(folder.path(), input, output);
            assert_eq!(
                (&found["identical"], &found["missing"]),
                (&2.into(), &0.into()),
                "{input} {output} {found}"
            );
            let built = run(
                folder.path(),
                &[
                    "rebuild",
                    "-q",
                    "--no-audit",
                    "--repo",
                    &format!("a={input}"),
                    "-o",
                    &format!("o-{output}"),
                ],
            );
            assert_eq!(built.status.code(), Some(3), "{input}: {}", String::from_utf8_lossy(&built.stderr));
            assert_eq!(
                counts(folder.path(), input, &format!("o-{output}"))["identical"],
                2,
                "{input} {output}"
            );
        }
        for output in ["m.warc", "o-m.warc"] {
            let heads = heads(&folder.path().join(output));
            assert!(heads[2].contains("WARC-Truncated: unspecified"), "{input} {}", heads[2]);
        }
    }
}

#[test]
fn what_revisits_refer_to_keeps_its_payload_when_collections_are_merged() {
    let folder = tempfile::tempdir().unwrap();
    let url = "http://a.example/";
    let body = "<p>the same everywhere";
    let not_modified = Record::revisit(
        3,
        url,
        "2024-03-01T00:00:00Z",
        "server-not-modified",
        "HTTP/1.1 304 Not Modified\nETag: \"x\"",
    )
    .field("WARC-Refers-To", &format!("<{}>", id(2)))
    .field("WARC-Refers-To-Target-URI", url)
    .field("WARC-Refers-To-Date", LATER)
    .bytes();
    fs::write(folder.path().join("1.warc.gz"), members(&[page(1, "other", FIRST, body)])).unwrap();
    let second = [page(2, "", LATER, body), not_modified, page(4, "third", LATER, body)];
    fs::write(folder.path().join("2.warc.gz"), members(&second)).unwrap();
    let text = good(folder.path(), &["merge", "1.warc.gz", "2.warc.gz", "-o", "all.warc"]);
    assert!(text.contains("1 payload stored already"), "{text}");
    let heads = heads(&folder.path().join("all.warc"));
    let of = |n| heads.iter().find(|head| head.contains(&format!("WARC-Record-ID: <{}>", id(n)))).unwrap();
    assert!(of(2).contains("WARC-Type: response"), "the 304 refers to it");
    assert!(of(4).contains("WARC-Type: revisit"), "nothing refers to it");
    for input in ["1.warc.gz", "2.warc.gz"] {
        let found = counts(folder.path(), input, "all.warc");
        assert_eq!(
            (&found["unknown"], &found["missing"], &found["changed"]),
            (&0.into(), &0.into(), &0.into())
        );
    }
}

#[test]
fn a_body_that_ends_early_is_stored_every_time() {
    let folder = tempfile::tempdir().unwrap();
    let half = members(&["a body in a coding".repeat(40).into_bytes()]);
    let heads: [(&str, &[u8]); 4] = [
        ("Content-Length: 99", b"<p>ends too early"),
        ("Transfer-Encoding: chunked", b"11\r\n<p>ends too early\r\n"),
        ("Content-Encoding: gzip", &half[..half.len() / 2]),
        ("Content-Length: 17", b"<p>ends as it was"),
    ];
    for (field, body) in heads {
        let head = format!("HTTP/1.1 200 OK\nContent-Type: text/html\n{field}");
        let record = |n, date: &str| Record::response(n, "http://a.example/", date, &head, body).bytes();
        fs::write(folder.path().join("in.warc.gz"), members(&[record(1, FIRST), record(2, LATER)])).unwrap();
        let text = good(folder.path(), &["merge", "in.warc.gz", "-o", "m.warc.gz"]);
        let stored_once = u8::from(field.ends_with("17"));
        assert!(text.contains(&format!("{stored_once} payload")), "{field}: {text}");
        assert_eq!(counts(folder.path(), "in.warc.gz", "m.warc.gz")["identical"], 1, "{field}");
    }
}

#[test]
fn a_merged_collection_differs_in_nothing_from_what_went_in() {
    let Some(folder_of_crawls) = crate::support::data::data("crawls") else { return };
    let folder = tempfile::tempdir().unwrap();
    let inputs: Vec<String> = ["condget/siteC.warc.gz", "wget/siteC-visit.warc.gz"]
        .iter()
        .map(|name| folder_of_crawls.join(name).canonicalize().unwrap().to_str().unwrap().to_owned())
        .collect();
    for keep in [&[][..], &["--keep"]] {
        for inputs in [&inputs[..1], &inputs[..]] {
            let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
            good(folder.path(), &[&["merge", "-q", "-o", "all.warc.gz"][..], keep, &inputs].concat());
            fs::write(folder.path().join("list"), inputs.join("\n")).unwrap();
            let found = counts(folder.path(), "@list", "all.warc.gz");
            for class in ["changed", "missing", "added", "unknown"] {
                assert_eq!(found[class], 0, "{keep:?} {inputs:?} {found}");
            }
        }
    }
}

#[test]
fn the_index_of_a_package_leaves_304s_out_and_the_manifest_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let url = "http://a.example/";
    let not_modified =
        Record::revisit(2, url, LATER, "server-not-modified", "HTTP/1.1 304 Not Modified\nETag: \"x\"")
            .field("WARC-Refers-To", &format!("<{}>", id(1)))
            .field("WARC-Refers-To-Target-URI", url)
            .field("WARC-Refers-To-Date", FIRST);
    let front = Record::response(
        1,
        url,
        FIRST,
        "HTTP/1.1 200 OK\nContent-Type: text/html\nETag: \"x\"",
        b"<p>front<a href=/x>x</a>",
    );
    let records = [front.bytes(), not_modified.bytes(), page(3, "x", FIRST, "<p>x")];
    fs::write(folder.path().join("a.warc.gz"), members(&records)).unwrap();
    let base = ["rebuild", "-q", "--no-audit", "--repo", "a=a.warc.gz", "-o"];
    good(folder.path(), &[&base[..], &["o.wacz"]].concat());
    let (_, urls) = manifest(&folder.path().join("o.manifest.jsonl"));
    assert_eq!(urls[url]["taken"]["status"], 304, "{}", urls[url]);
    assert_eq!(urls[url]["taken"]["indexed"], false);
    assert_eq!(urls["http://a.example/x"]["taken"]["indexed"], true);
    good(folder.path(), &[&base[..], &["p.warc.gz"]].concat());
    let (_, urls) = manifest(&folder.path().join("p.manifest.jsonl"));
    assert!(urls[url]["taken"]["indexed"].is_null(), "no package, no index");
}

#[test]
fn outputs_of_one_name_have_manifests_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("a.warc"),
        [page(1, "", FIRST, "<p>a"), page(2, "z", FIRST, "<p>z")].concat(),
    )
    .unwrap();
    fs::write(
        folder.path().join("w.warc"),
        [page(3, "", FIRST, "<p>a"), page(4, "n", FIRST, "<p>n")].concat(),
    )
    .unwrap();
    let build = |output: &str| {
        let output = run(folder.path(), &["rebuild", "-q", "--no-audit", "--repo", "a=a.warc", "-o", output]);
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    for round in 0..2 {
        assert_eq!(build("site.warc.gz"), "", "{round}");
        assert!(build("site.wacz").contains("site.wacz.manifest.jsonl"), "{round}");
    }
    let of = |name: &str| manifest(&folder.path().join(name)).0["output"].as_str().unwrap().to_owned();
    assert_eq!(of("site.manifest.jsonl"), "site.warc.gz");
    assert_eq!(of("site.wacz.manifest.jsonl"), "site.wacz");
    for output in ["site.warc.gz", "site.wacz"] {
        assert_eq!(counts(folder.path(), "w.warc", output)["unsought"], 1, "{output}");
    }
    // The name is free again once the other output is gone.
    fs::remove_file(folder.path().join("site.warc.gz")).unwrap();
    assert_eq!(build("site.wacz"), "");
    assert_eq!(of("site.manifest.jsonl"), "site.wacz");
}

#[test]
fn everything_that_is_listed_needs_no_page_to_start_from() {
    let folder = tempfile::tempdir().unwrap();
    let file = |n, name: &str, media: &str| {
        let head = format!("HTTP/1.1 200 OK\nContent-Type: {media}");
        Record::response(n, &format!("http://a.example/{name}"), FIRST, &head, b"something").bytes()
    };
    let records = [file(1, "a.png", "image/png"), file(2, "b.js", "text/javascript")];
    fs::write(folder.path().join("a.warc.gz"), members(&records)).unwrap();
    let base = ["rebuild", "-q", "--no-audit", "--repo", "a=a.warc.gz", "-o", "o.warc.gz", "--policy"];
    good(folder.path(), &[&base[..], &["exhaustive"]].concat());
    assert_eq!(manifest(&folder.path().join("o.manifest.jsonl")).0["recovered"], 2);
    let refused = run(folder.path(), &[&base[..], &["naive"]].concat());
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("exhaustive"));
}

#[test]
fn the_naive_policy_pays_for_every_spelling_that_it_looks_up() {
    let folder = tempfile::tempdir().unwrap();
    let front = "<a href=/Page>1</a><a href=/dir>2</a><a href=/own>3</a>";
    let records = [
        page(1, "", FIRST, front),
        page(2, "page", FIRST, "<p>in other letters"),
        page(3, "dir/index.html", FIRST, "<p>an index file"),
        page(4, "own", FIRST, "<p>as it is written"),
    ];
    fs::write(folder.path().join("a.warc.gz"), members(&records)).unwrap();
    good(
        folder.path(),
        &["rebuild", "-q", "--no-audit", "--canon", "strict", "--repo", "a=a.warc.gz", "-o", "o.warc.gz"],
    );
    let (head, _) = manifest(&folder.path().join("o.manifest.jsonl"));
    assert_eq!(head["recovered"], 4);
    let naive = &head["policies"][0]["by_repository"][0];
    // Four URLs, two of them under another spelling than that of the link.
    assert_eq!((&naive["lookups"], &naive["retrievals"]), (&6.into(), &4.into()), "{head}");
    let knowing = &head["policies"][1]["by_repository"][0];
    assert_eq!((&knowing["lookups"], &knowing["lister_queries"]), (&0.into(), &1.into()));
}

#[test]
fn what_contradicts_its_own_digest_does_not_become_a_revisit() {
    let folder = tempfile::tempdir().unwrap();
    let at = |n: u32, date: &str| {
        Record::page(n, "http://a.example/", date, "<p>not what its digest says")
            .set("WARC-Payload-Digest", &sha1(b"<p>something else"))
    };
    let in_block = |record: Record| {
        record
            .set("WARC-Payload-Digest", &sha1(b"<p>not what its digest says"))
            .field("WARC-Block-Digest", &sha1(b"another block"))
    };
    let payloads = [at(1, FIRST).bytes(), at(2, LATER).bytes()];
    let blocks = [in_block(at(3, FIRST)).bytes(), in_block(at(4, LATER)).bytes()];
    for records in [payloads, blocks] {
        fs::write(folder.path().join("in.warc"), records.concat()).unwrap();
        good(folder.path(), &["merge", "-q", "in.warc", "-o", "out.warc"]);
        let made = fs::read(folder.path().join("out.warc")).unwrap();
        assert!(made.ends_with(&records.concat()), "{}", String::from_utf8_lossy(&made));
        let counts = counts(folder.path(), "in.warc", "out.warc");
        assert_eq!(counts["identical"], 1, "{counts}");
    }
}

#[test]
fn a_capture_that_became_a_revisit_is_identical_though_its_url_has_two_media_types() {
    let folder = tempfile::tempdir().unwrap();
    let typed = |n: u32, date: &str, mime: &str| {
        let head = format!("HTTP/1.1 200 OK\nContent-Type: {mime}\nContent-Length: 9");
        Record::response(n, "http://a.example/x", date, &head, b"some text").bytes()
    };
    let records = [typed(1, FIRST, "text/html"), typed(2, LATER, "image/png")];
    fs::write(folder.path().join("in.warc"), records.concat()).unwrap();
    let text = good(folder.path(), &["merge", "in.warc", "-o", "out.warc"]);
    assert!(text.contains("1 payload stored already"), "{text}");
    let counts = counts(folder.path(), "in.warc", "out.warc");
    assert_eq!(counts["identical"], 1, "{counts}");
}

#[test]
fn arc_records_without_a_length_are_no_less_doubtful_once_they_are_merged() {
    let folder = tempfile::tempdir().unwrap();
    let line = |date: &str, kind: &str, length: &str| {
        format!("http://a.example/ 192.0.2.1 {date} {kind} {length}\n")
    };
    let opening = "filedesc://a.arc 192.0.2.1 20140101000000 text/plain -1\n1 0 A\nURL IP-address Archive-date Content-type Archive-length\n\n";
    let whole = line("20140102000000", "text/html", "1") + "\n\n";
    for block in ["", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>a page"] {
        let bare = |length: &str| line("20140401000000", "text/html", length) + block + "\n";
        fs::write(folder.path().join("a.arc"), [opening, &bare("-1"), &whole, &bare("abc")].concat())
            .unwrap();
        let merged = run(folder.path(), &["merge", "-q", "a.arc", "-o", "m.warc"]);
        assert_eq!(merged.status.code(), Some(3));
        let told = String::from_utf8(merged.stderr).unwrap();
        assert!(told.contains("2 records could not be copied byte for byte"), "{told}");
        // What is whole is the same; what is not stays cut.
        assert_eq!(counts(folder.path(), "a.arc", "m.warc")["identical"], 1, "{block}");
        let heads = heads(&folder.path().join("m.warc"));
        assert_eq!(heads.iter().filter(|head| head.contains("WARC-Truncated")).count(), 2, "{block}");
    }
    fs::write(folder.path().join("a.arc"), [opening, &whole].concat()).unwrap();
    assert_eq!(run(folder.path(), &["merge", "-q", "a.arc", "-o", "m.warc"]).status.code(), Some(0));
}

#[test]
fn the_only_capture_of_a_page_in_an_arc_record_without_a_length_is_carried_over_by_a_merge() {
    let folder = tempfile::tempdir().unwrap();
    let body = "<p>the only capture of a page";
    let response = |fields: &str, body: &str| {
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{fields}\r\n{body}")
    };
    let record = |name: &str, length: &str, block: &str| {
        format!("http://a.example/{name} 192.0.2.1 20140216050221 text/html {length}\n{block}\n").into_bytes()
    };
    let sound = response("", "<p>another page");
    let stated = format!("Content-Length: {}\r\n", body.len());
    let longer = format!("Content-Length: {}\r\n", body.len() + 2);
    let with_newlines = format!("{body}\n\n");
    let of_length = sound.len().to_string();
    for (fields, body, is_whole) in
        [("", body, false), (&stated, body, true), (&longer, &with_newlines, true)]
    {
        for length in ["-1", "-", "none"] {
            let records = [
                b"filedesc://a.arc 192.0.2.1 20140101000000 text/plain 7\n1 0 A\n\n\n".to_vec(),
                record("a", &of_length, &sound),
                record("b", length, &response(fields, body)),
                record("c", &of_length, &sound),
            ];
            fs::write(folder.path().join("in.arc"), records.concat()).unwrap();
            fs::write(folder.path().join("in.arc.gz"), members(&records)).unwrap();
            for (input, output) in [
                ("in.arc", "m.warc"),
                ("in.arc", "m.warc.gz"),
                ("in.arc.gz", "m.warc"),
                ("in.arc.gz", "m.warc.gz"),
            ] {
                let merged = run(folder.path(), &["merge", "--keep", input, "-o", output]);
                let case = format!("{length} {fields:?} {input} {output}");
                assert_eq!(
                    merged.status.code(),
                    Some(3),
                    "{case}: the end of the record is found, not stated"
                );
                let counts = counts(folder.path(), input, output);
                assert_eq!(
                    (&counts["identical"], &counts["unknown"]),
                    (&3.into(), &0.into()),
                    "{case} {counts}"
                );
                let index = String::from_utf8(run(folder.path(), &["index", "-q", output]).stdout).unwrap();
                let line = index.lines().find(|line| line.contains("http://a.example/b")).unwrap();
                let line: Value = serde_json::from_str(line).unwrap();
                assert_eq!(line["truncated"].is_null(), is_whole, "{case} {line}");
                assert_eq!(line["body_length"], body.len(), "{case} {line}");
                fs::remove_file(folder.path().join(output)).unwrap();
            }
        }
    }
}

#[test]
fn an_arc_record_whose_line_is_wrong_is_never_lost_without_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let block =
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>a page of a few words that is stored once";
    let record = |name: &str, rest: &str| {
        format!("http://a.example/{name} 192.0.2.1 20140216050221 text/html{rest}\n{block}\n").into_bytes()
    };
    let sound = format!(" {}", block.len());
    for (rest, code) in [(sound.as_str(), 0), ("", 3), (" 50", 3), (" 0", 3), (" 9000", 3)] {
        let records = [
            b"filedesc://a.arc 192.0.2.1 20140101000000 text/plain 7\n1 0 A\n\n\n".to_vec(),
            record("a", &sound),
            record("b", rest),
            record("c", &sound),
        ];
        fs::write(folder.path().join("in.arc"), records.concat()).unwrap();
        fs::write(folder.path().join("in.arc.gz"), members(&records)).unwrap();
        for input in ["in.arc", "in.arc.gz"] {
            let merged = run(folder.path(), &["merge", "-q", input, "-o", "m.warc"]);
            let told = String::from_utf8(merged.stderr).unwrap();
            assert_eq!(merged.status.code(), Some(code), "{input}{rest}: {told}");
            assert_eq!(told.contains("could not be copied"), code == 3, "{input}{rest}: {told}");
            fs::remove_file(folder.path().join("m.warc")).unwrap();
        }
    }
}

#[test]
fn what_a_revisit_names_by_url_and_date_stays_a_response() {
    let folder = tempfile::tempdir().unwrap();
    let body = "<p>the same page at two addresses";
    let first = Record::page(1, "http://a.example/a", FIRST, body).bytes();
    let second = Record::page(2, "http://a.example/b", LATER, body);
    let last = Record::revisit(
        3,
        "http://a.example/b",
        "2024-03-01T00:00:00Z",
        "identical-payload-digest",
        "HTTP/1.1 200 OK\r\nContent-Type: text/html",
    )
    .field("WARC-Payload-Digest", &sha1(body.as_bytes()))
    .field("WARC-Refers-To-Target-URI", "http://a.example/b")
    .field("WARC-Refers-To-Date", LATER);
    fs::write(folder.path().join("a.warc"), first).unwrap();
    fs::write(folder.path().join("b.warc"), [second.bytes(), last.bytes()].concat()).unwrap();
    let merged = run(folder.path(), &["merge", "-q", "a.warc", "b.warc", "-o", "m.warc"]);
    assert_eq!(merged.status.code(), Some(0));
    let heads = heads(&folder.path().join("m.warc"));
    let revisits = heads.iter().filter(|head| head.contains("WARC-Type: revisit")).count();
    assert_eq!(revisits, 1, "{heads:?}");
}
