use proptest::prelude::*;

use super::*;

/// Cases by rule, with the keys that `surt` 0.3.1 answers; `fixtures/urls/make.py` makes the file.
const SURT: &str = include_str!("../../fixtures/urls/surt.tsv");

fn cases() -> impl Iterator<Item = (&'static str, String, String)> {
    let json = |text: &str| serde_json::from_str(text).unwrap();
    SURT.lines().map(move |line| {
        let mut columns = line.split('\t');
        let mut next = || columns.next().unwrap();
        (next(), json(next()), json(next()))
    })
}

#[test]
fn default_keys_are_those_of_the_surt_package() {
    let mut reused = String::from("what was there before");
    for (rule, url, key) in cases() {
        assert_eq!(Canon::Default.key(&url), key, "{rule}: {url:?}");
        Canon::Default.key_into(&url, &mut reused);
        assert_eq!(reused, key);
    }
    assert!(cases().count() > 150);
}

#[test]
fn keys_of_real_indexes_come_out_again() {
    // From the CDXJ that warcprox's and pywb's indexer wrote, and from the CDX files of webarchive-commons and OutbackCDX.
    for (url, key) in [
        ("http://127.0.0.1:8803/pep-0500.html", "1,0,0,127:8803)/pep-0500.html"),
        ("https://www.terra.as/img/0046/070946.jpg", "as,terra)/img/0046/070946.jpg"),
        ("http://data.webarchive.org.uk/crawl-test-site/", "uk,org,webarchive,data)/crawl-test-site"),
        ("metadata://gnu.org/software/wget/warc/MANIFEST.txt", "org,gnu)/software/wget/warc/manifest.txt"),
        ("https://webrecorder.net/", "net,webrecorder)/"),
    ] {
        assert_eq!(Canon::Default.key(url), key);
    }
}

#[test]
fn where_surt_gives_up_there_is_a_key_all_the_same() {
    for (url, key) in [
        (" \t ", "-"),
        ("http://example.com:99999/a", "com,example:99999)/a"),
        ("http://example.com:Port/a", "com,example:port)/a"),
        ("http://a:b:80/", "a:b:80)/"),
    ] {
        assert_eq!(Canon::Default.key(url), key, "{url:?}");
    }
}

#[test]
fn strict_keys_are_urls_that_differ_in_nothing_a_server_sees() {
    for (url, key) in [
        ("HTTP://Example.COM:80/A/../b?C=d#e", "http://example.com/A/../b?C=d"),
        ("https://example.com:443", "https://example.com/"),
        ("https://example.com:443?", "https://example.com/?"),
        ("http://example.com:8080/", "http://example.com:8080/"),
        ("http://example.com:443/", "http://example.com:443/"),
        ("http://www.example.com/a/", "http://www.example.com/a/"),
        ("http://User:Pw@Example.com/", "http://User:Pw@example.com/"),
        ("http://[2001:DB8::1]:80/", "http://[2001:db8::1]/"),
        ("http://example.com/a b%20c?b&a", "http://example.com/a b%20c?b&a"),
        ("urn:pageinfo:https://a.example/#/x", "urn:pageinfo:https://a.example/#/x"),
        ("dns:example.com", "dns:example.com"),
        ("example.com/a", "example.com/a"),
        ("http:///a", "http:///a"),
        ("http://https://a.example/", "http://https//a.example/"),
        ("", ""),
    ] {
        assert_eq!(Canon::Strict.key(url), key);
    }
}

#[test]
fn loose_keys_unite_a_directory_and_its_index_file() {
    // McCown and Nelson, "Evaluation of crawling policies for a web-repository crawler", Hypertext 2006, section 3.5:
    // the `www` prefix, letter case, the missing slash, the root level.
    let key = |url| Canon::Loose.key(url);
    for (one, other) in [
        ("http://foo.org/", "http://www.foo.org/"),
        ("http://foo.org/bar.html", "http://www.foo.org/BAR.html"),
        ("http://foo.org/abc/", "http://foo.org/abc"),
        ("http://foo.org/bar/", "http://foo.org/bar/index.html"),
        ("http://foo.org/bar/", "http://foo.org/bar/default.htm"),
        ("http://foo.org/bar", "http://foo.org/bar/index.cgi"),
        ("http://foo.org/", "http://foo.org/Index.PHP"),
        ("http://foo.org/?a=1", "http://foo.org/index.php?a=1"),
        ("http://foo.org/a;jsessionid=12ab?x", "http://foo.org/a?x"),
    ] {
        assert_eq!(key(one), key(other));
    }
    for url in [
        "http://foo.org/index",
        "http://foo.org/myindex.html",
        "http://foo.org/index.html/a",
        "urn:index.html",
    ] {
        assert_eq!(key(url), Canon::Default.key(url));
    }
}

#[test]
fn sites_by_host_domain_and_prefix() {
    let by = |text: &str| text.parse::<SiteBy>().unwrap();
    for (rule, url, site) in [
        ("host", "http://WWW.Example.com/a", Some("example.com")),
        ("host", "https://example.com:443/", Some("example.com")),
        ("host", "http://127.0.0.1:8803/a", Some("127.0.0.1:8803")),
        ("host", "urn:uuid:1", None),
        ("host", "dns:example.com", None),
        ("domain", "http://news.bbc.co.uk/a", Some("bbc.co.uk")),
        ("domain", "http://a.B.Example.COM:81/", Some("example.com")),
        ("domain", "http://127.0.0.1:8803/a", Some("127.0.0.1:8803")),
        ("domain", "http://localhost/", Some("localhost")),
        ("prefix:http://a.org/d/", "http://a.org/d", Some("http://a.org/d/")),
        ("prefix:http://a.org/d/", "https://www.a.org/D/e?f", Some("http://a.org/d/")),
        ("prefix:http://a.org/d/", "http://a.org/dog", None),
        ("prefix:http://a.org/d", "http://a.org/dog", Some("http://a.org/d")),
        ("prefix:http://a.org", "http://a.org/dog", Some("http://a.org")),
        ("prefix:http://a.org", "http://b.a.org/dog", None),
    ] {
        assert_eq!(by(rule).site_of(url).as_deref(), site, "{rule} {url}");
    }
    for text in ["", "hosts", "prefix", "prefix:", "prefix:urn:x", "Host"] {
        assert!(text.parse::<SiteBy>().is_err(), "{text:?}");
    }
}

#[test]
fn hosts_and_registered_domains() {
    assert_eq!(host("http://u@Www.Example.com:80/a"), Some("Www.Example.com"));
    assert_eq!(host("http://[::1]:80/a"), Some("::1"));
    assert_eq!(host("urn:x"), None);
    for (name, domain) in [
        ("www.Example.CO.uk", Some("Example.CO.uk")),
        ("example.com.", Some("example.com")),
        ("co.uk", None),
        ("localhost", None),
        ("10.0.0.1", None),
        ("::1", None),
        ("", None),
    ] {
        assert_eq!(site::registered_domain(name), domain, "{name}");
    }
}

#[test]
fn hostile_urls_cost_linear_time() {
    let long = |text: &str| text.repeat(1_000_000 / text.len());
    for body in [
        long("%25"),
        format!("%{}", long("25")),
        long("/(abcdefghijklmnopqrstuvwx)"),
        format!("{}.aspx?", long("/(abcdefghijklmnopqrstuvwx)")),
        long("(S(abcdefghijklmnopqrstuvwx)"),
        long("../"),
        long("a/../"),
        format!("?{}", long("cfid=")),
        format!("?{}", long("sid=")),
        format!("?{}", long("b&a&")),
        format!("?{}", long("&cfid=1")),
    ] {
        for canon in [Canon::Strict, Canon::Default, Canon::Loose] {
            assert!(!canon.key(&format!("http://example.com/{body}")).is_empty());
        }
    }
    for host in [long("."), long("é."), long("é"), long("%2e"), long("1."), long("@"), long(":"), long("[")]
    {
        assert!(!Canon::Default.key(&format!("http://{host}/")).is_empty());
    }
}

proptest! {
    #[test]
    fn any_text_has_a_key(url in any::<String>(), tail in "[a-zA-Z0-9:/?#@%&=.()\\[\\] é;-]{0,60}") {
        for url in [url.as_str(), &format!("http://{tail}"), &format!("{tail}{url}")] {
            for canon in [Canon::Strict, Canon::Default, Canon::Loose] {
                let key = canon.key(url);
                // Six bytes a character: a percent escape, or Punycode.
                prop_assert!(key.len() <= 6 * url.len() + 16);
                prop_assert!(canon != Canon::Default || key.is_ascii() || url.starts_with("filedesc"));
            }
            SiteBy::Domain.site_of(url);
        }
    }

    #[test]
    fn strict_and_loose_keys_are_fixed_points(tail in "[a-zA-Z0-9/?#&=.-]{0,40}") {
        let strict = Canon::Strict.key(&format!("http://Example.com/{tail}"));
        prop_assert_eq!(Canon::Strict.key(&strict), strict.clone());
        prop_assert_eq!(Canon::Loose.key(&strict), Canon::Loose.key(&format!("http://Example.com/{tail}")));
    }
}
