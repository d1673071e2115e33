//! Small sites with a known history, seen through many kinds of crawlers and servers: nothing is proven, and no page called
//! changed, that the truth refutes, except under an assumption that is stated; and no proof is lost that the captures
//! allow. `ACUITY_TRUTH_CASES` sets the number of cases (default 2,000), `ACUITY_TRUTH_SEED` the first seed.

mod support;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use acuity::internals::audit::{AuditInput, Parameters, audit};
use acuity::internals::capture::table::TableBuilder;
use acuity::internals::change::run::PageState;
use acuity::internals::ingest::Options;
use acuity::internals::time::{Instant, SECOND};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use support::digests::sha1;
use support::reading::read_inputs;
use support::record::{Record, id};

const START: i64 = 1_647_252_000;
const SITE: &str = "http://s.example";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Crawler {
    /// Every response whole, with its request, to the microsecond.
    Careful,
    /// Dates cut to seconds, no requests, unchanged bodies as revisits by digest.
    Deduplicating,
    /// Conditional requests: 304 as revisits that name their original.
    Conditional,
    /// 304 as revisits that name nothing.
    Nameless,
    /// An index without its archives.
    Index,
    /// ARC files.
    Arc,
    /// Cut bodies, refusals, redirects to itself, screenshots, other spellings, copies.
    Careless,
}

const CRAWLERS: [Crawler; 7] = [
    Crawler::Careful,
    Crawler::Deduplicating,
    Crawler::Conditional,
    Crawler::Nameless,
    Crawler::Index,
    Crawler::Arc,
    Crawler::Careless,
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Version(u32),
    Gone,
}

/// What a page showed since when, in microseconds; the first entry holds from the beginning.
type History = Vec<(i64, State)>;

fn state_at(history: &History, time: i64) -> State {
    history[history.partition_point(|(since, _)| *since <= time).saturating_sub(1)].1
}

/// What a capture can say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    /// The state, for certain.
    State(State),
    /// Nothing, and it does not stand in the way.
    Nothing,
    /// Perhaps something: proofs may end here.
    Doubt,
}

struct Seen {
    page: usize,
    from: i64,
    end: i64,
    says: Says,
}

struct Case {
    histories: Vec<History>,
    seen: Vec<Seen>,
    name: &'static str,
    bytes: Vec<u8>,
}

fn body(page: usize, state: State) -> String {
    match state {
        State::Version(version) => {
            format!("<html><body><p>Page {page} in version {version}.</p></body></html>")
        }
        State::Gone => "<html><body>gone</body></html>".to_owned(),
    }
}

fn history(random: &mut Pcg64) -> History {
    let mut history = vec![(i64::MIN, State::Version(0))];
    let mut time = START * SECOND;
    for version in 1..=random.random_range(0..4u32) {
        time += random.random_range(1..20_000) * SECOND + random.random_range(0..SECOND);
        let state = match random.random_range(0..10) {
            0 => State::Gone,
            1 | 2 if version > 1 => history[history.len() - 2].1,
            _ => State::Version(version),
        };
        history.push((time, state));
    }
    history
}

fn generate(seed: u64, crawler: Crawler) -> Case {
    let mut random = Pcg64::seed_from_u64(seed);
    let histories: Vec<History> = (0..3).map(|_| history(&mut random)).collect();
    let (mut seen, mut records): (Vec<Seen>, Vec<Vec<u8>>) = (Vec::new(), Vec::new());
    let mut index = String::from(" CDX N b a m s k r M S V g\n");
    let mut number = 0;
    let weak = random.random_range(0..3) == 0;
    for (page, history) in histories.iter().enumerate() {
        let url = format!("{SITE}/p{page}");
        let mut time = START * SECOND;
        // Record number, time, ETag and state of the last whole page.
        let mut last: Option<(u32, i64, State)> = None;
        for _ in 0..random.random_range(1..7) {
            time += random.random_range(3..15_000) * SECOND + random.random_range(0..SECOND);
            number += 1;
            let state = state_at(history, time);
            let exact = matches!(crawler, Crawler::Careful | Crawler::Careless);
            let from = if exact { time } else { time.div_euclid(SECOND) * SECOND };
            // What a date leaves open: it may be written to the millisecond.
            let end = if exact { time + 1_000 } else { from + SECOND };
            let date = Instant(from).to_string();
            let body = body(page, state);
            let etag = format!("{}\"{page}-{state:?}\"", if weak { "W/" } else { "" });
            let head = match state {
                State::Version(_) => format!("HTTP/1.1 200 OK\nContent-Type: text/html\nETag: {etag}"),
                State::Gone => "HTTP/1.1 404 Not Found\nContent-Type: text/html".to_owned(),
            };
            let mut says = Says::State(state);
            let whole = || Record::response(number, &url, &date, &head, body.as_bytes());
            let same = last.filter(|(.., known)| *known == state && state != State::Gone);
            let record = match (crawler, same) {
                (Crawler::Deduplicating, Some((original, since, _))) => {
                    Record::revisit(number, &url, &date, "identical-payload-digest", &head)
                        .field("WARC-Payload-Digest", &sha1(body.as_bytes()))
                        .field("WARC-Refers-To", &format!("<{}>", id(original)))
                        .field("WARC-Refers-To-Target-URI", &url)
                        .field("WARC-Refers-To-Date", &Instant(since).to_string())
                }
                (Crawler::Conditional | Crawler::Nameless, Some((original, ..))) => {
                    let head = format!("HTTP/1.1 304 Not Modified\nETag: {etag}");
                    let revisit = Record::revisit(number, &url, &date, "server-not-modified", &head);
                    says = if weak { Says::Doubt } else { says };
                    match crawler {
                        Crawler::Conditional => {
                            revisit.field("WARC-Refers-To", &format!("<{}>", id(original)))
                        }
                        _ => revisit,
                    }
                }
                (Crawler::Careless, _) => match random.random_range(0..12) {
                    0 => {
                        says = Says::Nothing;
                        let head = format!("{head}\nContent-Length: {}", body.len() + 100);
                        Record::response(number, &url, &date, &head, body.as_bytes())
                    }
                    1 => {
                        says = Says::Nothing;
                        let refused =
                            ["403 Forbidden", "503 Unavailable", "429 Slow down"][random.random_range(0..3)];
                        Record::response(number, &url, &date, &format!("HTTP/1.1 {refused}"), b"no")
                    }
                    2 => {
                        says = Says::Nothing;
                        let head = format!("HTTP/1.1 301 Moved\nLocation: https://www.s.example/p{page}");
                        Record::response(number, &url, &date, &head, b"")
                    }
                    3 => {
                        says = Says::Nothing;
                        let png = Record::new("resource", number, &date, "PNG");
                        png.field("WARC-Target-URI", &url).field("Content-Type", "image/png")
                    }
                    4 => {
                        says = Says::Doubt;
                        Record::response(number, &format!("{SITE}/P{page}"), &date, &head, body.as_bytes())
                    }
                    5 => {
                        records.push(whole().bytes());
                        whole()
                    }
                    _ => whole(),
                },
                _ => whole(),
            };
            if says == Says::State(state)
                && state != State::Gone
                && (same.is_none() || crawler == Crawler::Careless)
            {
                last = Some((number, from, state));
            }
            match crawler {
                Crawler::Arc => {
                    let block = record.block();
                    let digits = Instant(from).digits14();
                    let mut line = format!("{url} 1.2.3.4 {digits} text/html {}\n", block.len()).into_bytes();
                    line.extend_from_slice(block);
                    line.push(b'\n');
                    records.push(line);
                }
                Crawler::Index => {
                    let status = if state == State::Gone { 404 } else { 200 };
                    let digest = sha1(body.as_bytes());
                    let digest = digest.trim_start_matches("sha1:");
                    let _ = writeln!(
                        index,
                        "example,s)/p{page} {} {url} text/html {status} {digest} - - 100 {number} x.warc.gz",
                        Instant(from).digits14()
                    );
                }
                _ => {
                    records.push(record.bytes());
                    if crawler == Crawler::Careful {
                        let line = format!("GET /p{page}");
                        let request = Record::request(number + 100_000, &url, &date, &line, "")
                            .field("WARC-Concurrent-To", &format!("<{}>", id(number)));
                        records.push(request.bytes());
                    }
                }
            }
            seen.push(Seen { page, from, end, says });
        }
    }
    let (name, bytes) = match crawler {
        Crawler::Index => ("case.cdx", index.into_bytes()),
        Crawler::Arc => {
            let start = "1 0 tester\nURL IP-address Archive-date Content-type Archive-length\n";
            let head =
                format!("filedesc://case.arc 0.0.0.0 20220314100000 text/plain {}\n{start}\n", start.len());
            ("case.arc", [head.into_bytes(), records.concat()].concat())
        }
        _ => ("case.warc", records.concat()),
    };
    Case { histories, seen, name, bytes }
}

/// How many stretches were proven, how many had to be, and how many pages were called changed.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    cases: u64,
    proven: u64,
    required: u64,
    changed: u64,
}

fn check(seed: u64, crawler: Crawler, tally: &mut Tally) {
    let case = generate(seed, crawler);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(case.name);
    std::fs::write(&path, &case.bytes).unwrap();
    let mut builder = TableBuilder::new();
    let options = Options { threads: 1, ..Options::default() };
    read_inputs(&[&path], &options).observations.iter().for_each(|observation| builder.push(observation, 0));
    let audit = audit(&builder.finish(), &Parameters::default(), AuditInput::default());
    let of = |what: &str| format!("{what}: seed {seed}, {crawler:?}");
    tally.cases += 1;
    for page in audit.sites.iter().flat_map(|site| &site.page_list) {
        let number: usize = page.key.rsplit('p').next().and_then(|number| number.parse().ok()).unwrap();
        let history = &case.histories[number];
        let assumes = |name: &str| format!("{:?}", page.assumptions).contains(name);
        for window in &page.proven {
            tally.proven += 1;
            let (from, to) = (window.from.0, window.to.0);
            assert_eq!(state_at(history, from), state_at(history, to), "{}", of("false proof"));
            let inside = history.iter().any(|(since, _)| from < *since && *since <= to);
            assert!(!inside || assumes("NoChangeBack"), "{}", of("changed back, not stated"));
        }
        let own: Vec<&Seen> = case.seen.iter().filter(|seen| seen.page == number).collect();
        let changes = own.iter().any(|one| {
            own.iter().any(|other| {
                let truth = |seen: &Seen, at: i64| state_at(history, at.clamp(seen.from, seen.end));
                truth(one, one.from) != truth(other, other.from)
                    || truth(one, one.end) != truth(other, other.end)
            })
        });
        if page.state == PageState::Changed {
            tally.changed += 1;
            assert!(changes || assumes("OneKeyOnePage"), "{}", of("false change"));
        }
        let solid = own.iter().filter(|seen| seen.says != Says::Nothing);
        let solid: Vec<&&Seen> = solid.collect();
        for pair in solid.windows(2) {
            let (Says::State(one), Says::State(other)) = (pair[0].says, pair[1].says) else { continue };
            if one != other {
                assert_eq!(page.state, PageState::Changed, "{}", of("a change is lost"));
            } else if pair[0].end <= pair[1].from {
                tally.required += 1;
                let (from, to) = (pair[0].end, pair[1].from);
                let covered = page.proven.iter().any(|window| window.from.0 <= from && to <= window.to.0);
                assert!(
                    covered,
                    "{}: page {number} from {} to {}",
                    of("a proof is lost"),
                    Instant(from),
                    Instant(to)
                );
            }
        }
    }
}

#[test]
fn nothing_is_claimed_that_the_truth_refutes_and_no_proof_is_lost() {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let (cases, first) = (number("ACUITY_TRUTH_CASES", 2_000), number("ACUITY_TRUTH_SEED", 0));
    let mut tallies: BTreeMap<Crawler, Tally> = BTreeMap::new();
    for seed in first..first + cases {
        let crawler = CRAWLERS[(seed % CRAWLERS.len() as u64) as usize];
        check(seed, crawler, tallies.entry(crawler).or_default());
    }
    for (crawler, tally) in &tallies {
        support::data::say(&format!("{crawler:?}: {tally:?}"));
        assert!(cases < 100 || (tally.proven > 0 && tally.changed > 0), "{crawler:?} {tally:?}");
    }
}
