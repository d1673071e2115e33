//! Against crawls by three writers of which every change is known: for every second of both passes, all writers alone and
//! together, all grades. Nothing false is proven, everything that may be is, and the verdict is the one that follows.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use acuity::internals::archive::source::expand;
use acuity::internals::at::compute::{AtInput, at};
use acuity::internals::at::model::{At, AtParameters, SiteVerdict};
use acuity::internals::capture::page::is_failed;
use acuity::internals::capture::table::{Row, Table, TableBuilder};
use acuity::internals::capture::{Kind, Observation};
use acuity::internals::change::at::State;
use acuity::internals::change::evidence::Grade;
use acuity::internals::html::phrase::{Found, How, Phrases};
use acuity::internals::ingest::{Digests, Fetcher, Options, ProblemLog, Sought, read};
use acuity::internals::time::{Instant, SECOND};
use acuity::internals::url::Canon;

use crate::archive::ask;
use crate::support::data::data;

const WARCPROX: &str = "warcprox/SITEC-20261116001318675-00000-t52kzgb7.warc.gz";
const WRITERS: [(&str, &[&str]); 5] = [
    ("wget", &["wget/siteC-visit.warc.gz", "wget/siteC-revisit.warc.gz"]),
    ("warcprox", &[WARCPROX]),
    ("condget", &["condget/siteC.warc.gz"]),
    ("package", &["condget/siteC.wacz"]),
    ("all", &["wget/siteC-visit.warc.gz", "wget/siteC-revisit.warc.gz", WARCPROX, "condget/siteC.warc.gz"]),
];
const DAY: &str = "2026-11-16";

fn paths(folder: &Path, files: &[&str]) -> Vec<String> {
    files.iter().map(|file| folder.join(file).display().to_string()).collect()
}

fn observations(inputs: &[String], visit: &mut dyn FnMut(&Observation, u32)) {
    let options = Options { digests: Digests::Verify, ..Options::default() };
    let reading = read(&expand(inputs).unwrap(), &options, &mut ProblemLog::new(None), &|_| {}).unwrap();
    let mut push = |observation: &Observation, input| {
        visit(observation, input);
        Ok(())
    };
    reading.observations.for_each(&mut push).unwrap();
}

fn table(inputs: &[String]) -> Table {
    let mut builder = TableBuilder::new();
    observations(inputs, &mut |observation, input| {
        let mut observation = observation.clone();
        observation.key = Canon::Strict.key(&observation.url);
        builder.push(&observation, input);
    });
    builder.finish()
}

/// What each capture really holds, and how each page stood since when.
struct Truth {
    captures: BTreeMap<(String, Instant), String>,
    pages: BTreeMap<String, Vec<(Instant, String)>>,
}

impl Truth {
    fn read(folder: &Path) -> Self {
        let rows = |name: &str| -> Vec<BTreeMap<String, String>> {
            let mut reader = csv::Reader::from_path(folder.join(name)).unwrap();
            reader.deserialize().map(Result::unwrap).collect()
        };
        let mut captures = BTreeMap::new();
        for row in rows("captures.csv") {
            let body = if row["entity_sha1"].is_empty() { "server_sha1" } else { "entity_sha1" };
            captures.insert((row["url"].clone(), Instant::parse(&row["date"]).unwrap()), row[body].clone());
        }
        let mut pages: BTreeMap<String, Vec<(Instant, String)>> = BTreeMap::new();
        for row in rows("truth.csv") {
            let at = Instant::parse(&row["change_time"]).unwrap();
            pages.entry(row["page"].clone()).or_default().push((at, row["sha1"].clone()));
        }
        pages.values_mut().for_each(|changes| changes.sort());
        Truth { captures, pages }
    }

    /// Which body stood at an instant.
    fn stood(&self, url: &str, at: Instant) -> &str {
        let name = url.splitn(4, '/').nth(3).unwrap();
        let history = &self.pages[if name.is_empty() { "index.html" } else { name }];
        &history.iter().rev().find(|(since, _)| *since <= at).unwrap().1
    }
}

/// One look: what the record is, and what it really holds.
struct Look<'a> {
    row: &'a Row,
    body: &'a str,
}

/// By what a record shows its body.
fn grade_of(row: &Row) -> Grade {
    match row.kind {
        _ if row.not_modified => Grade::NotModified,
        Kind::Revisit => Grade::Digest,
        _ => Grade::Bytes,
    }
}

/// Which looks are 304s that are no evidence of this grade, between two that show one body: they take nothing from its proof.
fn bare(looks: &[Look<'_>], floor: Grade) -> Vec<bool> {
    let is_strong = |look: &Look<'_>| grade_of(look.row) <= floor;
    let is_weak = |look: &&Look<'_>| look.row.not_modified && !is_strong(look);
    let is_shown =
        |look: Option<&Look<'_>>, body: &str| look.is_some_and(|look| is_strong(look) && look.body == body);
    let is_bare = |at: usize| {
        let body = looks[at].body;
        let is_same = |look: &&Look<'_>| is_weak(look) && look.body == body;
        is_weak(&&looks[at])
            && is_shown(looks[..at].iter().rev().find(|look| !is_same(look)), body)
            && is_shown(looks[at..].iter().find(|look| !is_same(look)), body)
    };
    (0..looks.len()).map(is_bare).collect()
}

/// The body that may be called proven: equal captures enclose the instant, none that differs lies between, and each says
/// so by evidence that is strong enough.
fn provable<'a>(looks: &[Look<'a>], at: Instant, floor: Grade) -> Option<&'a str> {
    let bare = bare(looks, floor);
    let looks: Vec<&Look<'a>> =
        looks.iter().zip(bare).filter(|(_, bare)| !bare).map(|(look, _)| look).collect();
    let strong = |look: &Look<'_>| grade_of(look.row) <= floor;
    looks.iter().enumerate().find_map(|(first, look)| {
        let mut equal =
            looks[first + 1..].iter().take_while(|other| other.body == look.body && strong(other));
        let encloses = look.row.end <= at && strong(look) && equal.any(|other| other.row.time >= at);
        encloses.then_some(look.body)
    })
}

/// Whether nothing was captured before the instant, and the closest version began only after it, by every Last-Modified that the
/// captures do not contradict.
/// Runs are cut where the evidence is too weak to tell that two looks are equal.
fn is_late(looks: &[Look<'_>], at: Instant, floor: Grade) -> bool {
    if looks.iter().any(|look| look.row.time < at) {
        return false;
    }
    let Some(served) = (0..looks.len()).min_by_key(|look| looks[*look].row.time.0.abs_diff(at.0)) else {
        return false;
    };
    let bare = bare(looks, floor);
    // The run of a bare one is that of the look before.
    let served = (0..=served).filter(|look| !bare[*look]).count() - 1;
    let looks: Vec<&Look<'_>> =
        looks.iter().zip(bare).filter(|(_, bare)| !bare).map(|(look, _)| look).collect();
    let strong = |look: usize| grade_of(looks[look].row) <= floor;
    let tied =
        |one: usize, other: usize| looks[one].body == looks[other].body && strong(one) && strong(other);
    let first =
        (1..=served).rev().take_while(|look| tied(look - 1, *look)).last().map_or(served, |look| look - 1);
    let last = (served..looks.len() - 1)
        .take_while(|look| tied(*look, look + 1))
        .last()
        .map_or(served, |look| look + 1);
    let before = (0..first).rev().find(|look| looks[*look].body != looks[served].body);
    let before = before.map(|look| looks[look].row.time);
    let accepted = (first..=last).filter_map(|look| Some((looks[look].row, looks[look].row.last_modified?)));
    let accepted: Vec<(&Row, Instant)> = accepted
        .filter(|(_, modified)| {
            *modified <= looks[first].row.end && before.is_none_or(|before| modified.plus(SECOND) > before)
        })
        .collect();
    // Every date must be of a server whose clock was right within a minute, and the earlier reading counts.
    let reading = |(row, modified): &(&Row, Instant)| {
        let date = row.http_date.filter(|date| modified <= date)?;
        let ahead = date.0 - row.time.0;
        (ahead.abs() <= 60 * SECOND).then(|| modified.plus(-ahead.max(0)))
    };
    let readings: Option<Vec<Instant>> = accepted.iter().map(reading).collect();
    readings.and_then(|readings| readings.into_iter().min()).is_some_and(|modified| modified > at)
}

/// The state of every page, and the verdict, at any instant of the day that was asked about.
struct Day<'a> {
    at: &'a At,
    states: HashMap<&'a str, Vec<(Instant, State)>>,
}

impl<'a> Day<'a> {
    fn of(at: &'a At) -> Self {
        let states = at.pages.held().iter().map(|page| {
            let parts = page.parts.iter().map(|part| (part.from, part.state));
            let parts: Vec<_> =
                if page.parts.is_empty() { vec![(at.asked.from, page.state)] } else { parts.collect() };
            (page.url.as_str(), parts)
        });
        Day { at, states: states.collect() }
    }

    fn state(&self, url: &str, at: Instant) -> State {
        let parts = &self.states[url];
        parts[parts.partition_point(|part| part.0 <= at) - 1].1
    }

    fn verdict(&self, at: Instant) -> SiteVerdict {
        let parts = &self.at.parts;
        parts[parts.partition_point(|part| part.from <= at) - 1].verdict
    }
}

fn strict(evidence: Grade) -> AtParameters {
    AtParameters { canon: "strict".into(), evidence, ..AtParameters::on(DAY) }
}

#[test]
fn for_every_second_of_two_crawls_nothing_false_is_proven_and_all_that_may_be_is() {
    let Some(folder) = data("crawls") else { return };
    let truth = Truth::read(&folder);
    let mut seen = BTreeSet::new();
    for (writer, files) in WRITERS {
        let table = table(&paths(&folder, files));
        for floor in [Grade::Bytes, Grade::Digest, Grade::NotModified, Grade::Validator] {
            let answer = at(&table, &strict(floor), AtInput::default()).unwrap();
            let day = Day::of(&answer);
            let pages: Vec<(&str, Vec<Look<'_>>)> = answer
                .pages
                .held()
                .iter()
                .map(|page| {
                    let rows =
                        table.rows_of(table.page(&page.key).unwrap()).iter().filter(|row| !is_failed(row));
                    let body = |row: &Row| truth.captures[&(page.url.clone(), row.time)].as_str();
                    let looks = rows.map(|row| Look { row, body: body(row) });
                    (page.url.as_str(), looks.collect())
                })
                .collect();
            let seconds = || table.rows().iter().map(|row| row.time.0.div_euclid(SECOND));
            let whole = (seconds().min().unwrap() - 2..seconds().max().unwrap() + 3)
                .map(|second| Instant(second * SECOND));
            let edges = answer.parts.iter().flat_map(|part| [part.from, part.to]);
            let mut proofs = 0;
            for at in whole.chain(edges) {
                let (mut proven, mut late) = (0, 0);
                for (url, looks) in &pages {
                    let provable = provable(looks, at, floor.min(Grade::NotModified));
                    let is_proven = day.state(url, at) == State::Proven;
                    assert_eq!(is_proven, provable.is_some(), "{writer} {floor:?} {url} {at}");
                    if let Some(body) = provable {
                        assert_eq!(body, truth.stood(url, at), "{writer} {floor:?} {url} {at}");
                        proven += 1;
                    }
                    late += usize::from(is_late(looks, at, floor.min(Grade::NotModified)));
                }
                let expected = match () {
                    () if late > 0 => SiteVerdict::NotCoherent,
                    () if proven == pages.len() => SiteVerdict::Coherent,
                    () => SiteVerdict::NotProvable,
                };
                assert_eq!(
                    day.verdict(at),
                    expected,
                    "{writer} {floor:?} {at}: {proven} proven, {late} late"
                );
                seen.insert(expected);
                proofs += proven;
            }
            // By bytes alone, revisits and 304 answers prove nothing.
            assert!(proofs > 0 || floor < Grade::NotModified, "{writer} {floor:?}");
            if floor == Grade::NotModified {
                points(&table, &answer);
            }
        }
    }
    assert!(seen.len() >= 2, "{seen:?}");
}

#[test]
fn for_every_second_nothing_false_is_proven_by_indexes_alone() {
    let Some(folder) = data("crawls") else { return };
    let truth = Truth::read(&folder);
    for files in [&["wget/siteC-visit.cdx", "wget/siteC-revisit.cdx"][..], &["warcprox/siteC.cdxj"]] {
        let table = table(&paths(&folder, files));
        let mut proofs = 0;
        for floor in [Grade::Bytes, Grade::Digest, Grade::NotModified] {
            let answer = at(&table, &strict(floor), AtInput::default()).unwrap();
            let day = Day::of(&answer);
            for page in answer.pages.held() {
                let rows = table.rows_of(table.page(&page.key).unwrap());
                for (place, row) in rows.iter().enumerate() {
                    let next = rows.get(place + 1).map_or(row.time.plus(60 * SECOND), |next| next.time);
                    for second in row.time.0.div_euclid(SECOND)..=next.0.div_euclid(SECOND) {
                        let at = Instant(second * SECOND);
                        if day.state(&page.url, at) == State::Proven {
                            let shown = &truth.captures[&(page.url.clone(), row.time)];
                            assert!(floor > Grade::Bytes, "an index shows no bytes");
                            assert_eq!(
                                shown,
                                truth.stood(&page.url, at),
                                "{files:?} {floor:?} {} {at}",
                                page.url
                            );
                            proofs += 1;
                        }
                    }
                }
            }
        }
        assert!(proofs > 1000 || files.len() > 1, "{files:?} {proofs}");
    }
}

/// What is asked at an instant is what the day says of it, and the stretch for which it holds.
fn points(table: &Table, day: &At) {
    for part in &day.parts {
        let date = |at: Instant| format!("{:.19}.{:06}Z", at.to_string(), at.0.rem_euclid(SECOND));
        for instant in [part.from, part.to] {
            let parameters = AtParameters { date: date(instant), ..strict(Grade::NotModified) };
            let point = at(table, &parameters, AtInput::default()).unwrap();
            assert_eq!((point.asked.from, point.verdict), (instant, part.verdict), "{instant}");
            assert!(point.holds.from.is_none_or(|from| from <= part.from), "{instant}");
            assert!(point.holds.to.is_none_or(|to| part.to <= to), "{instant}");
        }
    }
}

/// All bodies of the crawls, by what the truth calls them, with their media type.
fn bodies(inputs: &[String], truth: &Truth) -> BTreeMap<String, Vec<u8>> {
    let mut fetcher = Fetcher::default();
    let mut bodies = BTreeMap::new();
    observations(inputs, &mut |observation, _| {
        let name = truth.captures.get(&(observation.url.clone(), observation.time.unwrap()));
        if let (Some(name), Kind::Response, Some(sought)) = (name, observation.kind, Sought::of(observation))
        {
            let body = fetcher.body(&sought).unwrap();
            bodies.entry(name.clone()).or_insert_with(|| body.unwrap().bytes);
        }
    });
    bodies
}

#[test]
fn for_every_second_a_phrase_is_proven_only_where_it_truly_stood_or_did_not() {
    let Some(folder) = data("crawls") else { return };
    let truth = Truth::read(&folder);
    let inputs = paths(&folder, WRITERS[4].1);
    let bodies = bodies(&inputs, &truth);
    // Lines that came with a change tell versions apart better than any word.
    let mut phrases = vec!["Abstract".to_owned()];
    for changes in truth.pages.values() {
        let versions: Vec<&Vec<u8>> = changes.iter().filter_map(|(_, name)| bodies.get(name)).collect();
        let Some([old, new]) =
            versions.windows(2).next().and_then(|pair| <[&Vec<u8>; 2]>::try_from(pair).ok())
        else {
            continue;
        };
        let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
        phrases.extend(
            new.lines()
                .find(|line| (21..200).contains(&line.len()) && !old.contains(line))
                .map(str::to_owned),
        );
    }
    phrases.truncate(12);
    assert!(phrases.len() > 3, "{phrases:?}");
    let parameters = AtParameters { phrases: phrases.clone(), raw: true, ..strict(Grade::NotModified) };
    let at = ask(&inputs, &parameters).unwrap();
    let mut checked = [0; 2];
    for phrase in &at.phrases {
        let holds = |name: &str| {
            bodies[name].windows(phrase.phrase.len()).any(|window| window == phrase.phrase.as_bytes())
        };
        let held: BTreeMap<&str, bool> = bodies.keys().map(|name| (name.as_str(), holds(name))).collect();
        for page in &phrase.unprovable {
            for (stretches, expected) in [(&page.holds, true), (&page.lacks, false)] {
                for stretch in stretches {
                    for second in stretch.from.0.div_euclid(SECOND) + 1..=stretch.to.0.div_euclid(SECOND) {
                        let name = truth.stood(&page.url, Instant(second * SECOND));
                        assert_eq!(held[name], expected, "{} {} {second}", phrase.phrase, page.url);
                        checked[usize::from(expected)] += 1;
                    }
                }
            }
        }
    }
    assert!(checked[0] > 1000 && checked[1] > 100, "{checked:?}");
}

#[test]
fn another_reader_of_html_never_contradicts_what_is_called_present_or_absent() {
    let Some(folder) = data("crawls") else { return };
    let truth = Truth::read(&folder);
    let bodies = bodies(&paths(&folder, WRITERS[4].1), &truth);
    let words = [
        "abstract",
        "the python",
        "Backwards  Compatibility",
        "copyright this document",
        "PEP 5",
        "nowhere to be found",
    ];
    let phrases = Phrases::new(&words.map(str::to_owned));
    let mut counts = [0; 2];
    for (name, body) in &bodies {
        let text = String::from_utf8_lossy(body);
        let document = scraper::Html::parse_document(&text);
        let shown: String = document
            .tree
            .nodes()
            .filter(|node| {
                let inside = node
                    .parent()
                    .and_then(|parent| parent.value().as_element().map(|element| element.name().to_owned()));
                !inside.is_some_and(|name| name == "script" || name == "style")
            })
            .filter_map(|node| node.value().as_text().map(|text| text.to_string()))
            .collect::<Vec<String>>()
            .join("\u{1}");
        let plain = |text: &str, gap: &str| {
            text.to_lowercase().replace('\u{1}', gap).split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let dense = |text: &str| plain(text, "").replace(' ', "");
        for (word, found) in
            words.iter().zip(phrases.search(body, Some(b"text/html; charset=utf-8"), How::Html))
        {
            match found {
                Found::Present => {
                    assert!(dense(&shown).contains(&dense(word)), "{name} {word}");
                    counts[0] += 1;
                }
                Found::Absent => {
                    assert!(!plain(&shown, "").contains(&plain(word, "")), "{name} {word}");
                    assert!(!plain(&shown, " ").contains(&plain(word, "")), "{name} {word}");
                    counts[1] += 1;
                }
                Found::Doubtful(_) => {}
            }
        }
    }
    assert!(counts[0] > 50 && counts[1] > 50, "{counts:?}");
}
