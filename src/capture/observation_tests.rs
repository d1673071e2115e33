//! No output lacks a field.

use super::*;
use crate::capture::bytes::{Reader, SharedNames};
use crate::capture::field::ColumnKind;

/// An observation of which everything is known.
const FULL: &str = r#"{"url":"http://a/ü\"\u0001\\","method":"GET","key":"a)/ü","time":"2026-11-16T00:13:18.5Z","time_end":"2026-11-16T00:13:18.500Z",
    "status":301,"mime":"text/html","kind":"revisit","profile":"identical-payload-digest","writer":"w",
    "declared":"sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ","payload":"sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ","digest_ok":false,"digest_covers":"framed",
    "body":"blake3:af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262","last_modified":"1994-11-06T08:49:37Z","etag":"\"x\"",
    "http_date":"1994-11-06T08:49:37Z","length":300,"truncated":"time","strays":true,"file":"f","offset":70000,"record_id":"urn:x",
    "refers_to":{"url":"http://b/","time":"1994-11-06T08:49:37Z","record_id":"urn:y","resolved_by":"url-date","file":"f","offset":7,"at_odds":"original"},
    "body_length":0,"content_length":12,"location":"/x\n","crawl":"c","text":"blake3:af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
    "charset":"utf-8","vary":"cookie","coding":"gzip, chunked","request":"cookie=0000000000000001 user-agent=ffffffffffffffff","if_none_match":"\"x\"","if_modified_since":"1994-11-06T08:49:37Z","age":5,"duration":250,"ip":"::1",
    "contradicts":{"witness":"index","file":"i.cdx","offset":9},"damage":"block-digest","soft404":{"sign":"title-words","words":"not found"},
    "links":[{"kind":"anchor","url":"http://c/"},{"kind":"loaded","url":"http://d/"}],"sitemap":[{"url":"http://a/1","priority":0.5}]}"#;

fn full() -> Observation {
    serde_json::from_str(FULL).unwrap()
}

fn json(observation: &Observation) -> String {
    let mut line = Vec::new();
    observation.json_line(&mut line);
    String::from_utf8(line).unwrap()
}

#[test]
fn json_has_every_field_in_its_order_and_is_read_back() {
    let line = json(&full());
    let mut at = 0;
    for field in Observation::FIELDS {
        let key = format!("\"{field}\":");
        at += line[at..].find(&key).unwrap_or_else(|| panic!("{field} is missing behind {at}: {line}"));
    }
    assert_eq!(serde_json::from_str::<Observation>(&line).unwrap(), full());
    let value: serde_json::Value = serde_json::from_str(&line).unwrap();
    let values = value.as_object().unwrap();
    assert_eq!(values.len(), Observation::FIELDS.len());
    assert!(
        values.values().all(|value| !value.is_null()),
        "the test is of an observation with every field: {line}"
    );
    assert!(RefersTo::FIELDS.iter().all(|field| values["refers_to"].get(*field).is_some()));
}

#[test]
fn what_is_unknown_is_null_or_has_no_key() {
    let line = json(&Observation::new(Kind::Index, "u".into(), "k".into(), "f".into()));
    let expected = r#"{"url":"u","method":null,"key":"k","time":null,"time_end":null,"status":null,"mime":null,"kind":"index","profile":null,"writer":null,"declared":null,"payload":null,"digest_ok":null,"body":null,"last_modified":null,"etag":null,"http_date":null,"length":null,"truncated":null,"file":"f","offset":null,"record_id":null,"refers_to":null,"body_length":null,"location":null,"crawl":null,"text":null}"#;
    assert_eq!(line, format!("{expected}\n"));
}

#[test]
fn columns_have_every_field_and_a_value_for_each() {
    let columns = Observation::flat_columns();
    assert_eq!(columns.len(), Observation::WIDTH);
    let inside = |field: &str| match field {
        "refers_to" => RefersTo::FIELDS,
        "contradicts" => Contradiction::FIELDS,
        _ => &[],
    };
    let expected: Vec<String> = Observation::FIELDS
        .iter()
        .flat_map(|field| match inside(field) {
            [] => vec![(*field).to_owned()],
            inner => inner.iter().map(|name| format!("{field}_{name}")).collect(),
        })
        .collect();
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, expected);
    let (full, blank) = (full(), Observation::default());
    let mut kinds = Vec::new();
    full.flat_values(&mut |value| {
        kinds.push(match value {
            Value::Null => None,
            Value::Text(_) => Some(ColumnKind::Text),
            Value::Number(_) => Some(ColumnKind::Number),
            Value::Time(_) => Some(ColumnKind::Time),
            Value::Flag(_) => Some(ColumnKind::Flag),
        });
    });
    let expected: Vec<_> = columns.iter().map(|column| Some(column.kind)).collect();
    assert_eq!(kinds, expected);
    let mut count = 0;
    blank.flat_values(&mut |_| count += 1);
    assert_eq!(count, columns.len());
}

#[test]
fn the_schema_describes_every_field() {
    let schema = observation_schema();
    for field in Observation::FIELDS {
        let described = schema["properties"][field]["description"].as_str();
        assert!(described.is_some_and(|text| text.len() > 5), "{field}: {described:?}");
    }
}

/// One of each sign of an error page. A new sign does not compile until it is listed here.
fn signs() -> Vec<Soft404> {
    let (words, url, score, urls) = (|| "x".to_owned(), "http://a/".to_owned(), 0.5, 5);
    let all = vec![
        Soft404::TitleWords { words: words(), score },
        Soft404::HeadingWords { words: words(), score },
        Soft404::TextWords { words: words(), score },
        Soft404::Parked { words: words(), score },
        Soft404::Wall { words: words() },
        Soft404::Notice { words: words() },
        Soft404::SameBody { urls },
        Soft404::LikeMissing { url },
        Soft404::RedirectToRoot,
    ];
    for (place, sign) in all.iter().enumerate() {
        let own = match sign {
            Soft404::TitleWords { .. } => 0,
            Soft404::HeadingWords { .. } => 1,
            Soft404::TextWords { .. } => 2,
            Soft404::Parked { .. } => 3,
            Soft404::Wall { .. } => 4,
            Soft404::Notice { .. } => 5,
            Soft404::SameBody { .. } => 6,
            Soft404::LikeMissing { .. } => 7,
            Soft404::RedirectToRoot => 8,
        };
        assert_eq!(own, place);
    }
    all
}

#[test]
fn the_schema_describes_every_key_inside_a_field() {
    let schema = observation_schema();
    let full: serde_json::Value = serde_json::from_str(&json(&full())).unwrap();
    let described = |field: &str, value: &serde_json::Value| {
        let schema = &schema["properties"][field];
        let schema = if value.is_array() { &schema["items"] } else { schema };
        let objects = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        for key in objects.iter().flat_map(|object| object.as_object().unwrap().keys()) {
            assert!(schema["properties"].get(key).is_some(), "{field}.{key} is not in {schema}");
        }
    };
    for field in ["refers_to", "contradicts", "soft404", "links", "sitemap"] {
        described(field, &full[field]);
    }
    for (sign, name) in signs().iter().zip(Soft404::SIGNS) {
        let sign = serde_json::to_value(sign).unwrap();
        assert_eq!(sign["sign"], name);
        described("soft404", &sign);
    }
    let kinds = &schema["properties"]["links"]["items"]["properties"]["kind"]["enum"];
    assert_eq!(kinds.as_array().unwrap().len(), crate::html::links::LinkKind::ALL.len());
    let entry = r#"{"url":"u","last_modified":"2026-01-01T00:00:00Z","change_freq":"daily","priority":1.0}"#;
    let entry: crate::html::sitemap::Entry = serde_json::from_str(entry).unwrap();
    described("sitemap", &serde_json::json!([entry]));
}

#[test]
fn nothing_of_a_body_stays_once_it_is_forgotten() {
    let mut observation = full();
    observation.forget_body();
    let left: serde_json::Value = serde_json::from_str(&json(&observation)).unwrap();
    for field in [
        "payload",
        "digest_ok",
        "digest_covers",
        "body",
        "body_length",
        "text",
        "soft404",
        "links",
        "sitemap",
    ] {
        assert!(left.get(field).is_none_or(serde_json::Value::is_null), "{field}");
    }
}

#[test]
fn bytes_keep_every_field_and_fields_are_found_among_them() {
    let full = full();
    let (mut names, mut bytes) = (SharedNames::default(), Vec::new());
    full.encode(&mut bytes, &mut names);
    let mut reader = Reader { rest: &bytes };
    let mut read = Observation::decode(&mut reader, &names).unwrap();
    assert!(reader.rest.is_empty());
    // What is learnt late lies elsewhere: `ingest::codec` keeps it.
    let refers = read.refers_to.as_mut().unwrap();
    assert_eq!((refers.resolved_by, &refers.file, refers.offset, refers.at_odds), (None, &None, None, None));
    read.refers_to.clone_from(&full.refers_to);
    assert_eq!(read, full);
    let mut reader = Reader { rest: &bytes };
    Observation::skip(&mut reader).unwrap();
    assert!(reader.rest.is_empty());
    for length in 0..bytes.len() {
        let mut reader = Reader { rest: &bytes[..length] };
        assert!(Observation::decode(&mut reader, &names).is_none(), "{length}");
    }
}
