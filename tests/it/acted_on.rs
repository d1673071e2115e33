//! What a curator acts on: actions that can be done and have the effect they name, sentences that are true, commands that run.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::demo::demo;
use crate::support::program::{audit, run};
use crate::support::record::Record;

/// A page of a site, captured at a time: path, time on 2024-01-01, body.
type Page<'a> = (&'a str, &'a str, &'a str);

fn warc(site: &str, pages: &[Page<'_>]) -> Vec<u8> {
    let record = |(number, (path, time, body)): (u32, &Page<'_>)| {
        let body = format!("<html><head><title>T</title></head><body>{body}</body></html>");
        Record::page(number, &format!("http://{site}{path}"), &format!("2024-01-01T{time}Z"), &body).bytes()
    };
    (1..).zip(pages).flat_map(record).collect()
}

fn folder(files: &[(&str, Vec<u8>)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

fn screen(folder: &Path, arguments: &[&str]) -> String {
    let words = [&["audit"], arguments].concat();
    // On one line: where a sentence breaks is another matter.
    String::from_utf8(run(folder, &words).stdout).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn answer<'a>(audit: &'a Value, question: &str) -> (&'a str, &'a str) {
    let answer = &audit["answers"][question];
    (answer["band"].as_str().unwrap_or(""), answer["sentence"].as_str().unwrap())
}

fn action<'a>(audit: &'a Value, kind: &str) -> Option<&'a Value> {
    audit["actions"].as_array().unwrap().iter().find(|action| action["kind"] == kind)
}

fn text<'a>(audit: &'a Value, kind: &str) -> &'a str {
    action(audit, kind).unwrap_or_else(|| panic!("no {kind}: {:#}", audit["actions"]))["text"]
        .as_str()
        .unwrap()
}

/// Runs a command that a report suggests, word by word; a shell would do the same.
fn run_command(folder: &Path, command: &str) {
    for part in command.split(" && ") {
        let words: Vec<&str> = part.split(' ').collect();
        let output = run(folder, &words[1..]);
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn only_in_markup_is_what_comparing_texts_calls_unchanged() {
    let pairs = [
        ("/sign", "<p>The balance is -5 euro.</p>", "<p>The balance is 5 euro.</p>"),
        ("/question", "<p>You owe this?</p>", "<p>You owe this.</p>"),
        ("/quote", "<p>a[y] of it</p>", "<p>a['y'] of it</p>"),
        ("/word", "<p>A fee is due.</p>", "<p>A price is due.</p>"),
        ("/markup", "<p>The same words.</p>", "<p class=\"x\">The same words.</p>"),
        ("/same", "<p>Nothing new.</p>", "<p>Nothing new.</p>"),
    ];
    let pages: Vec<Page<'_>> = pairs
        .iter()
        .map(|(path, before, _)| (*path, "09:00:00", *before))
        .chain(pairs.iter().map(|(path, _, after)| (*path, "10:00:00", *after)))
        .collect();
    let folder = folder(&[("a.warc", warc("p.example", &pages))]);
    let (bytes, texts) =
        (audit(folder.path(), &["a.warc"]), audit(folder.path(), &["a.warc", "--compare", "text"]));
    let of = |audit: &Value, path: &str| {
        let pages = audit["sites"][0]["page_list"].as_array().unwrap();
        pages.iter().find(|page| page["url"].as_str().unwrap().ends_with(path)).unwrap().clone()
    };
    for (path, ..) in pairs {
        let (by_bytes, by_text) = (of(&bytes, path), of(&texts, path));
        let flagged = by_bytes["markup_only"] == true;
        assert_eq!(flagged, by_bytes["state"] == "changed" && by_text["state"] == "sharp", "{path}");
        assert_eq!(flagged, path == "/markup", "{path}");
    }
    // The action has the effect that it names, and is gone once it was taken.
    let decide = action(&bytes, "decide-compare").unwrap();
    assert_eq!((&decide["count"], &decide["certain"]), (&1.into(), &true.into()));
    assert_eq!(decide["after"], texts["sites"][0]["coherence"]["best"]["share"]);
    assert_eq!(bytes["sites"][0]["coherence"]["by_text"]["share"], decide["after"]);
    assert!(decide["before"].as_f64() < decide["after"].as_f64(), "{decide}");
    assert!(action(&texts, "decide-compare").is_none());
    let story = screen(folder.path(), &["a.warc", "--explain", "/sign"]);
    assert!(!story.contains("not visible to a reader"), "{story}");
}

#[test]
fn nothing_is_promised_of_the_past() {
    let folder = demo();
    let files = ["visit.warc.gz", "revisit.warc.gz"];
    let found = audit(folder.path(), &files);
    assert!(found["sites"][0]["repair"].is_null());
    assert!(!found["actions"].to_string().contains("ecapture"), "{}", found["actions"]);
    let plan = run(folder.path(), &["plan", files[0], files[1], "--repair", "2"]);
    let plan = String::from_utf8(plan.stdout).unwrap();
    assert!(plan.contains("too much time has passed"), "{plan}");
    assert!(!plan.contains("chance"), "{plan}");
    // Right after a crawl it helps.
    let start = ["--start", "2024-03-04T09:29:05Z"];
    let words = [&["plan"], &files[..], &["--repair", "2"], &start].concat();
    let plan = String::from_utf8(run(folder.path(), &words).stdout).unwrap();
    assert!(plan.contains("capture 2 pages again") && plan.contains("chance"), "{plan}");
    let other = run(folder.path(), &["plan", files[0], "--repair", "2", "--site", "libary.example"]);
    let message = String::from_utf8(other.stderr).unwrap();
    assert!(message.contains("did you mean library.example?"), "{message}");
}

/// Beside an archive of one site, an index of another.
fn with_index() -> tempfile::TempDir {
    let cdx = " CDX N b a m s k r M S V g\n\
        example,b)/ 20240304090000 http://b.example/ text/html 200 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA - - 1000 0 b.warc.gz\n\
        example,b)/x 20240304090010 http://b.example/x text/html 200 BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB - - 1000 2000 b.warc.gz\n";
    let page = ("/", "09:00:00", "<a href=\"/\">home</a>");
    folder(&[("a.warc", warc("a.example", &[page])), ("b.cdx", cdx.as_bytes().to_vec())])
}

#[test]
fn a_site_known_only_from_an_index_is_neither_good_nor_linkless() {
    let folder = with_index();
    let found = audit(folder.path(), &["a.warc", "b.cdx", "--site", "b.example"]);
    for (question, words) in [("complete", "An index does not list links."), ("record", "An index repeats")] {
        let (band, sentence) = answer(&found, question);
        assert_eq!(band, "cannot tell", "{question}");
        assert!(sentence.starts_with(words), "{sentence}");
    }
    assert_eq!((&found["summary"]["files"], &found["summary"]["indexes"]), (&1.into(), &1.into()));
    let shown = screen(folder.path(), &["a.warc", "b.cdx", "--site", "b.example"]);
    assert!(shown.contains("2 captures in 1 index"), "{shown}");
    // The commands stay with the site.
    for command in found["actions"].as_array().unwrap().iter().filter_map(|action| action["command"].as_str())
    {
        assert!(command.contains("--site b.example"), "{command}");
    }
    let whole = screen(folder.path(), &["a.warc", "b.cdx"]);
    assert!(whole.contains("in 1 file and 1 index"), "{whole}");
}

#[test]
fn the_reason_of_a_collection_is_the_one_its_sites_have() {
    let line = |site: &str| {
        format!(
            "example,{site})/ 20240304090000 http://{site}.example/ text/html 200 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA - - 10 0 x.warc.gz\n"
        )
    };
    let cdx = format!(" CDX N b a m s k r M S V g\n{}{}{}", line("a"), line("b"), line("c"));
    let indexed = folder(&[("all.cdx", cdx.into_bytes())]);
    let found = audit(indexed.path(), &["all.cdx"]);
    let sentence = answer(&found, "complete").1;
    assert!(
        sentence.ends_with("The sites are known only from an index, which does not list links."),
        "{sentence}"
    );
    let lone = |site: &str| (site.to_owned(), warc(site, &[("/", "09:00:00", "<p>no links</p>")]));
    let files: Vec<(String, Vec<u8>)> = ["a.example", "b.example", "c.example"].map(lone).to_vec();
    let files: Vec<(&str, Vec<u8>)> =
        files.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect();
    let linkless = folder(&files);
    let found = audit(linkless.path(), &["a.example", "b.example", "c.example"]);
    let sentence = answer(&found, "complete").1;
    assert!(!sentence.contains("meant to cover"), "{sentence}");
}

#[test]
fn a_list_of_seeds_tells_whether_a_site_without_links_is_complete() {
    let page = "<p>A page with some words and no links.</p>";
    let folder = folder(&[
        ("lone.warc", warc("lone.example", &[("/", "09:00:00", page), ("/", "10:00:00", page)])),
        ("one.txt", b"http://lone.example/\n".to_vec()),
        ("three.txt", b"http://lone.example/\nhttp://lone.example/x\nhttp://lone.example/y\n".to_vec()),
    ]);
    let open = audit(folder.path(), &["lone.warc"]);
    assert_eq!(answer(&open, "complete").0, "cannot tell");
    assert!(text(&open, "add-seeds").contains("seeds"));
    let all = audit(folder.path(), &["lone.warc", "--seeds", "one.txt"]);
    assert_eq!(answer(&all, "complete").0, "good");
    assert!(answer(&all, "complete").1.contains("The seed was reached."), "{}", answer(&all, "complete").1);
    let some = audit(folder.path(), &["lone.warc", "--seeds", "three.txt"]);
    assert_eq!(answer(&some, "complete").0, "poor");
    assert!(
        answer(&some, "complete").1.contains("1 of 3 seeds was reached."),
        "{}",
        answer(&some, "complete").1
    );
    let capture = action(&some, "capture-seeds").unwrap();
    assert_eq!(capture["count"], 2);
    run_command(folder.path(), capture["command"].as_str().unwrap());
    // The first screen of a site with links says it too, and an error page is not a seed that was reached.
    let demo = demo();
    let seeds =
        "http://library.example/\nhttp://library.example/no/\nhttp://library.example/offers/winter.html\n";
    fs::write(demo.path().join("seeds.txt"), seeds).unwrap();
    let files = ["visit.warc.gz", "revisit.warc.gz", "--seeds", "seeds.txt"];
    assert!(screen(demo.path(), &files).contains("1 of 3 seeds was reached."));
    assert_eq!(audit(demo.path(), &files)["profile"]["seeds"]["reached"], 1);
}

#[test]
fn a_crawl_log_tells_what_the_crawl_was_meant_to_cover() {
    let links: String = (0..10).map(|number| format!("<a href=\"/{number}\">x</a>")).collect();
    let pages =
        [("/", "09:00:00", links.as_str()), ("/0", "09:00:05", "<p>0</p>"), ("/1", "09:00:06", "<p>1</p>")];
    let line = |number: u32, status: &str| {
        format!(
            "2024-01-01T09:01:0{number}.000Z {status} - http://a.example/{number} L http://a.example/ text/html #001 - - - -\n"
        )
    };
    let log = |status: &str| (2..10).map(|number| line(number, status)).collect::<String>().into_bytes();
    let folder = folder(&[
        ("a.warc", warc("a.example", &pages)),
        ("gone.log", log("404")),
        ("quota.log", log("-5003")),
    ]);
    let open = audit(folder.path(), &["a.warc"]);
    assert_eq!(answer(&open, "complete").0, "cannot tell");
    assert!(text(&open, "add-logs").contains("log"));
    for name in ["gone.log", "quota.log"] {
        let told = audit(folder.path(), &["a.warc", "--crawl-log", name]);
        assert_eq!(answer(&told, "complete").0, "poor", "{name}");
        assert!(!answer(&told, "complete").1.contains("would tell"), "{}", answer(&told, "complete").1);
        assert!(action(&told, "add-logs").is_none());
    }
}

#[test]
fn each_reason_for_a_poor_record_has_an_action() {
    let page = |number: u32, digest: &str| {
        let body = "<html><body><p>words</p></body></html>";
        Record::page(number, &format!("http://a.example/{number}"), "2024-01-01T00:00:00Z", body)
            .set("WARC-Payload-Digest", digest)
            .field("WARC-Block-Digest", digest)
            .bytes()
    };
    let wrong = "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let mut cut = warc("b.example", &[("/", "09:00:00", "<p>cut off</p>")]);
    cut.truncate(cut.len() - 30);
    let folder = folder(&[
        ("digests.warc", [page(1, wrong), page(2, wrong)].concat()),
        ("cut.warc", cut),
        ("stamp.tsr", vec![0x30, 0x03, 0x02, 0x01, 0x00, 0xff, 0xfe]),
    ]);
    let files = ["digests.warc", "cut.warc", "stamp.tsr"];
    let found = audit(folder.path(), &files);
    assert_eq!(answer(&found, "record").0, "poor");
    // One record may have two digests that do not match.
    assert_eq!(
        text(&found, "compare-copy"),
        "Compare the records whose digests do not match with another copy. See problems.jsonl."
    );
    assert_eq!(text(&found, "read-file"), "Leave out stamp.tsr, or replace it: it is not an archive.");
    assert!(
        text(&found, "replace-file").starts_with("Replace cut.warc by another copy: it is damaged at byte 0")
    );
    assert!(found["actions"].as_array().unwrap().len() <= 5);
}

#[test]
fn a_command_repeats_what_was_typed_and_runs() {
    let folder = demo();
    let options = ["--visit", "visit.warc.gz", "--revisit", "revisit.warc.gz", "--compare", "text"];
    let found = audit(folder.path(), &options);
    let commands: Vec<&str> =
        found["actions"].as_array().unwrap().iter().filter_map(|action| action["command"].as_str()).collect();
    assert!(commands.len() > 1, "{commands:?}");
    for command in commands {
        let typed = "acuity audit --visit visit.warc.gz --revisit revisit.warc.gz --compare text ";
        assert!(command.starts_with(typed), "{command}");
        assert!(!command.contains('#'), "{command}");
        run_command(folder.path(), command);
    }
}

#[test]
fn the_list_of_what_is_missing_holds_what_its_action_counts() {
    let folder = demo();
    let found = audit(folder.path(), &["visit.warc.gz", "revisit.warc.gz"]);
    let missing = action(&found, "capture-missing").unwrap();
    assert!(missing["text"].as_str().unwrap().contains("to the next crawl: complete 88% → 94%"), "{missing}");
    run_command(folder.path(), missing["command"].as_str().unwrap());
    let list = fs::read_to_string(folder.path().join("missing.txt")).unwrap();
    assert_eq!(list.lines().count() as u64, missing["count"].as_u64().unwrap(), "{list}");
    // One file is named with its effect, too.
    let links = "<a href=\"/b\">b</a><a href=\"/c\">c</a>";
    let pages = [("/", "09:00:00", links), ("/b", "09:00:01", "<p>b</p>")];
    let one = self::folder(&[("a.warc", warc("a.example", &pages))]);
    let found = audit(one.path(), &["a.warc"]);
    let told = text(&found, "capture-missing");
    assert_eq!(told, "Add /c to the next crawl: complete 1 → 2 of 2, if it still exists.");
}

#[test]
fn figures_of_the_first_answer_add_up() {
    // The home page changed, but its second version was online together with the others.
    let pages = [
        ("/", "09:00:00", "<p>old</p>"),
        ("/a", "09:00:01", "<p>a</p>"),
        ("/b", "09:00:02", "<p>b</p>"),
        ("/", "10:00:00", "<p>new</p>"),
        ("/c", "10:00:01", "<p>old c</p>"),
        ("/a", "11:00:00", "<p>a</p>"),
        ("/b", "11:00:01", "<p>b</p>"),
        ("/", "11:00:02", "<p>new</p>"),
        ("/c", "11:00:03", "<p>new c</p>"),
    ];
    let folder = folder(&[("a.warc", warc("a.example", &pages))]);
    let found = audit(folder.path(), &["a.warc"]);
    let (_, sentence) = answer(&found, "consistent");
    assert!(sentence.starts_with("3 of 4 pages were online together"), "{sentence}");
    let rest = "The other one changed during the crawl. 1 of the 3 changed before or after.";
    assert!(sentence.ends_with(rest), "{sentence}");
    let coherence = &found["sites"][0]["coherence"];
    let outside = coherence["outside"].as_object().unwrap();
    let others: u64 =
        ["unchanged", "changed", "single", "unknown"].iter().map(|key| outside[*key].as_u64().unwrap()).sum();
    assert_eq!(others + coherence["best"]["pages"].as_u64().unwrap(), 4);
}

#[test]
fn embeds_alone_do_not_show_which_pages_should_be_there() {
    let image = Record::response(
        9,
        "http://s.example/i.png",
        "2024-01-01T09:00:01Z",
        "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 4\r\n\r\n",
        b"\x89PNG",
    )
    .bytes();
    let page = warc("s.example", &[("/", "09:00:00", "<img src=\"/i.png\"><p>words</p>")]);
    let folder = folder(&[("s.warc", [page, image].concat())]);
    let found = audit(folder.path(), &["s.warc"]);
    let (band, sentence) = answer(&found, "complete");
    assert_eq!(band, "cannot tell");
    assert!(sentence.starts_with("The embed was captured. No page links to another one"), "{sentence}");
    assert!(sentence.contains("A list of seeds would tell."), "{sentence}");
}

#[test]
fn slips_and_single_captures_are_met_with_plain_words() {
    let page = ("/", "09:00:00", "<p>x</p>");
    let folder = folder(&[("a.warc", warc("iana.example", &[page])), ("b.warc", warc("b.example", &[page]))]);
    let told = |arguments: &[&str]| String::from_utf8(run(folder.path(), arguments).stderr).unwrap();
    let slip = told(&["audit", "a.warc", "b.warc", "--site", "iana.exmaple"]);
    assert!(slip.contains("did you mean iana.example?"), "{slip}");
    let several = told(&["audit", "a.warc", "b.warc", "--explain", "/"]);
    assert!(several.contains("2 sites have this page") && several.contains("--site b.example"), "{several}");
    let absent = told(&["audit", "a.warc", "--seeds", "absent.txt"]);
    assert!(absent.contains("absent.txt: No such file") && !absent.contains("os error"), "{absent}");
    let limit = told(&["audit", "a.warc", "-q", "--fail-under", "links=0.9"]);
    assert!(limit.contains("the limit is at least 90%"), "{limit}");
    let once = screen(folder.path(), &["a.warc"]);
    assert!(
        once.contains("in 1 file, 2024-01-01 09:00:00 UTC")
            || once.contains("2024-01-01 09:00:00 UTC Consistent?"),
        "{once}"
    );
}
