//! Ainsworth's four states, one page for each.

use acuity::internals::at::embed_model::{EmbedState, Embeds};
use acuity::internals::at::model::AtParameters;

use crate::archive::{ask, write};
use crate::support::record::{Record, ok};

fn resource(n: u32, path: &str, time: &str, body: &str, modified: Option<&str>) -> Record {
    let kind = if path.ends_with(".css") { "text/css" } else { "image/png" };
    let modified = modified.map_or_else(String::new, |date| {
        format!("\nDate: Mon, 01 Jan 2024 {time} GMT\nLast-Modified: Mon, 01 Jan 2024 {date} GMT")
    });
    let head = format!("HTTP/1.1 200 OK\nContent-Type: {kind}\nContent-Length: {}{modified}", body.len());
    Record::response(
        n,
        &format!("http://a.example{path}"),
        &format!("2024-01-01T{time}Z"),
        &head,
        body.as_bytes(),
    )
}

#[test]
fn every_embedded_resource_has_the_state_that_its_captures_show() {
    let folder = tempfile::tempdir().unwrap();
    let page = "<link rel=stylesheet href=/s.css><img src=/both.png><img src=/claimed.png><img src=/new.png>\
                <img src=/later.png><img src=/before.png><img src=/same.png><img src=/next.png><img src=/gone.png><img src=/never.png>\
                <img src=/changed.png><img src=/both.png><a href=/link>x</a>";
    let gone = Record::response(
        30,
        "http://a.example/gone.png",
        "2024-01-01T12:00:05Z",
        "HTTP/1.1 404 Not Found",
        b"",
    );
    let records = [
        Record::response(1, "http://a.example/", "2024-01-01T12:00:00Z", &ok(page.len()), page.as_bytes()),
        resource(2, "/both.png", "11:00:00", "b", None),
        resource(3, "/both.png", "13:00:00", "b", None),
        resource(4, "/claimed.png", "12:00:20", "c", Some("10:00:00")),
        resource(5, "/new.png", "12:00:30", "n", Some("12:00:10")),
        resource(6, "/later.png", "12:00:40", "l", None),
        resource(7, "/before.png", "11:59:50", "e", Some("10:00:00")),
        resource(8, "/same.png", "12:00:00", "s", None),
        resource(14, "/next.png", "12:00:01", "x", None),
        resource(9, "/changed.png", "11:59:00", "1", None),
        resource(10, "/changed.png", "12:30:00", "2", None),
        resource(11, "/s.css", "11:59:30", "@import '/t.css'; p { background: url(/in-css.png) }", None),
        resource(12, "/s.css", "12:01:30", "@import '/t.css'; p { background: url(/in-css.png) }", None),
        resource(13, "/in-css.png", "12:00:50", "i", None),
        gone,
    ];
    let inputs = [write(folder.path(), "e.warc", &records)];
    let mut parameters = AtParameters::on("2024-01-01T12:10:00Z");
    let at = ask(&inputs, &parameters).unwrap();
    let page = at.pages.held().iter().find(|page| page.url.ends_with("example/")).unwrap();
    let embeds = page.embeds.as_ref().unwrap();
    let state = |path: &str| {
        let found: Vec<_> = embeds.list.iter().filter(|embed| embed.url.ends_with(path)).collect();
        assert_eq!(found.len(), 1, "{path}");
        found[0].state
    };
    use EmbedState::*;
    for (path, expected) in [
        ("/both.png", ShownThere),
        ("/claimed.png", ShownThere),
        ("/s.css", ShownThere),
        ("/new.png", Newer),
        ("/later.png", Later),
        ("/in-css.png", Later),
        // The second of the page is over then.
        ("/next.png", Later),
        ("/before.png", Older),
        ("/same.png", Older),
        ("/changed.png", Older),
        ("/gone.png", Missing),
        ("/never.png", Missing),
        ("/t.css", Missing),
    ] {
        assert_eq!(state(path), expected, "{path}");
    }
    assert_eq!(embeds.root.to_string(), "2024-01-01T12:00:00Z");
    let counts = embeds.counts;
    assert_eq!((counts.embeds, counts.shown_there, counts.missing), (13, 3, 3));
    assert_eq!(at.embeds, Some(counts));
    assert!(embeds.answer.contains("3 shown to be there with the page, 3 older than the page, perhaps still there, 3 captured later than the page, 1 shown to be newer than the page, 3 not captured"), "{}", embeds.answer);
    assert!(embeds.list.is_sorted_by(|a, b| a.state >= b.state), "worst first");
    let bracket = embeds.list.iter().find(|embed| embed.url.ends_with("/both.png")).unwrap();
    assert_eq!(
        bracket.captured.unwrap().to_string(),
        "2024-01-01T11:00:00Z",
        "of two equally close ones the earlier"
    );
    assert_eq!(bracket.bracket.unwrap().to_string(), "2024-01-01T13:00:00Z");
    assert_eq!(
        embeds.list.iter().find(|embed| embed.url.ends_with("/gone.png")).unwrap().reason,
        "answered with 404"
    );
    parameters.embeds = Embeds::Exceptions;
    let at = ask(&inputs, &parameters).unwrap();
    let embeds = at.pages.held()[0].embeds.as_ref().unwrap();
    assert_eq!((embeds.list.len(), embeds.left_out, embeds.counts.embeds), (10, 3, 13));
    parameters.embeds = Embeds::None;
    let at = ask(&inputs, &parameters).unwrap();
    assert!(
        at.embeds.is_none()
            && at.pages.held()[0].embeds.is_none()
            && at.pages.held()[0].embeds_unknown.is_none()
    );
}
