//! References against RFC 3986, the `url` crate, and the long way against the short one.

use proptest::prelude::*;

use super::*;

fn resolve(base: &str, reference: &str) -> Option<String> {
    Base::parse(base.as_bytes()).unwrap().resolve(reference.as_bytes())
}

#[test]
fn the_examples_of_rfc_3986_section_5_4_resolve() {
    let base = "http://a/b/c/d;p?q";
    for (reference, target) in [
        ("g", "http://a/b/c/g"),
        ("./g", "http://a/b/c/g"),
        ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"),
        ("//g", "http://g/"),
        ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q"),
        ("g?y#s", "http://a/b/c/g?y"),
        (";x", "http://a/b/c/;x"),
        ("", "http://a/b/c/d;p?q"),
        (".", "http://a/b/c/"),
        ("..", "http://a/b/"),
        ("../g", "http://a/b/g"),
        ("../..", "http://a/"),
        ("../../../../g", "http://a/g"),
        ("/./g", "http://a/g"),
        ("g..", "http://a/b/c/g.."),
        ("./../g", "http://a/b/g"),
        ("g/../h", "http://a/b/c/h"),
        ("http:g", "http://a/b/c/g"),
    ] {
        assert_eq!(resolve(base, reference).as_deref(), Some(target), "{reference:?}");
    }
}

#[test]
fn the_short_way_leads_where_the_long_one_does() {
    let word = prop::sample::select(vec![
        "/",
        "//",
        "../",
        "./",
        ".",
        "..",
        "a",
        "B",
        "%2e",
        "%20",
        "?",
        "#",
        "http:",
        "http://",
        "https://a.b",
        "é",
        " ",
        "\\",
        "\"",
        "'",
        "<",
        "{",
        "=",
        "&",
        ":",
        "@",
        "x.html",
        "~",
    ]);
    let reference = prop::collection::vec(word, 0..8).prop_map(|words| words.concat());
    // As many cases as make sure that enough of them go the short way.
    let config = ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let short = std::cell::Cell::new(0);
    let outcome = runner.run(
        &(prop::sample::select(vec!["http://a/", "http://a/b/c/d?q"]), reference),
        |(base, reference)| {
            let base = Base::parse(base.as_bytes()).unwrap();
            let (mut quick, mut careful) = (String::new(), String::new());
            if base.resolve_plain(reference.as_bytes(), &mut quick).is_some() {
                short.set(short.get() + 1);
                prop_assert_eq!(base.resolve_carefully(reference.as_bytes(), &mut careful), Some(()));
                prop_assert_eq!(quick, careful);
            } else {
                prop_assert_eq!(quick, "");
            }
            Ok(())
        },
    );
    outcome.unwrap();
    assert!(short.get() > 50, "{}", short.get());
}

#[test]
fn what_is_no_http_address_is_no_target() {
    for reference in
        ["mailto:a@b", "javascript:x", "data:,x", "http://", "//a b/", "http://a:99999/", "ftp://a/"]
    {
        assert_eq!(resolve("http://a/", reference), None, "{reference:?}");
    }
    assert_eq!(resolve("http://a/", "https://user:secret@B:443/x").as_deref(), Some("https://b/x"));
    assert_eq!(
        resolve("http://a/", "//bücher.Example/ä b").as_deref(),
        Some("http://xn--bcher-kva.example/%C3%A4%20b")
    );
}

/// What the `url` crate says, brought to our form: no fragment, no credentials, http(s) only.
fn reference_answer(base: &str, reference: &str) -> Option<String> {
    let mut url = url::Url::parse(base).ok()?.join(reference).ok()?;
    url.set_fragment(None);
    url.set_username("").ok();
    url.set_password(None).ok();
    matches!(url.scheme(), "http" | "https").then(|| url.to_string())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn references_resolve_as_the_url_crate_resolves_them(
        // No `|` among the words: the crate takes `a|` for a drive letter even over http.
        base in prop::sample::select(vec!["http://a.example/", "https://a.example:8443/b/c/d?q", "http://a/b/"]),
        words in prop::collection::vec(prop::sample::select(vec![
            "/", "//", "\\", ".", "..", "a", "B", "%2e", "%2E", "?", "#", "http:", "https:", "http://", ":80", ":443",
            "é", " ", "\t", "\n", "\"", "'", "<", "`", "{", "^", "=", "&", ";", ",", "@", "x.html", "mailto:",
            "%", "%zz", "~", "host.example", "[", "]",
        ]), 0..8),
    ) {
        let reference = words.concat();
        let theirs = reference_answer(base, &reference);
        let ours = resolve(base, &reference);
        // Hosts are where we differ on purpose; compare them only where they are plain.
        let plain = |url: &Option<String>| url.as_ref().is_none_or(|url| {
            let host = url.split('/').nth(2).unwrap_or("");
            host.split(':').next().unwrap_or("").bytes().all(|c| c.is_ascii_lowercase() || c == b'.')
        });
        if plain(&theirs) && plain(&ours) && theirs.is_some() {
            prop_assert_eq!(ours, theirs, "{:?}", reference);
        }
    }

    #[test]
    fn no_bytes_panic_and_every_result_is_its_own_fixed_point(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        let base = Base::parse(b"http://a.example/b/c?d").unwrap();
        if let Some(url) = base.resolve(&bytes) {
            prop_assert_eq!(Base::parse(url.as_bytes()).map(|b| b.as_str().to_owned()), Some(url));
        }
    }
}
