//! What pages need, what a crawl evidently covered, and what is left out on purpose: case by case, with archives made here.

use serde_json::Value;

use crate::captured::{HTML, archive, audit, missing};
use crate::support::record::{Record, id};

const PNG: &str = "HTTP/1.1 200 OK\nContent-Type: image/png";

fn completeness(audit: &Value) -> &Value {
    &audit["sites"][0]["completeness"]
}

fn lacks(audit: &Value) -> Vec<String> {
    missing(audit, "a.example").into_keys().map(|url| url.replace("http://a.example", "")).collect()
}

#[test]
fn fonts_in_other_formats_and_for_other_scripts_are_optional_and_one_that_failed_is_missing() {
    let page: &[u8] = b"<style>@font-face{font-family:a;src:url(/a.eot);src:url(/a.eot?#iefix) format('embedded-opentype'),\
        url(/a.woff2) format('woff2'),url(/a.woff) format('woff'),url(/a.svg#x) format('svg')}\
        @font-face{font-family:b;src:url(/b.woff2);unicode-range:U+0600-06FF}</style><p style='font-family:a'>Hi";
    let font = |head| ("http://a.example/a.woff2", head, &b"font"[..]);
    let home = ("http://a.example/", HTML, page);
    let found = audit(&archive(&[home, font("HTTP/1.1 200 OK\nContent-Type: font/woff2")]), &[]);
    assert!(lacks(&found).is_empty(), "{:?}", lacks(&found));
    let embeds = &completeness(&found)["embeds"];
    assert_eq!(
        (&embeds["captured"], &embeds["optional"], &embeds["share"]),
        (&1.into(), &4.into(), &1.0.into())
    );
    let found = audit(&archive(&[home, font("HTTP/1.1 404 Not Found")]), &[]);
    assert_eq!(lacks(&found), ["/a.woff2"]);
}

#[test]
fn images_behind_media_queries_and_counters_in_noscript_are_optional_unless_they_were_requested() {
    let page: &[u8] = b"<style>.a{background:url(/1x.png)}@media (min-resolution: 2dppx){.a{background:url(/2x.png)}}\
        @media print{.a{background:url(/print.png)}}@media screen{.b{background:url(/screen.png)}}.c{background:url(/c.png)}</style>\
        <noscript><img src=/count.gif width=1 height=1><img src=/shown.png width=80 height=60>\
        <iframe src=/tags style='display: none'></iframe></noscript><img src=/pixel.gif width=1 height=1>";
    let home = ("http://a.example/", HTML, page);
    let found = audit(&archive(&[home]), &[]);
    assert_eq!(lacks(&found), ["/1x.png", "/c.png", "/pixel.gif", "/screen.png", "/shown.png"]);
    assert_eq!(completeness(&found)["embeds"]["optional"], 4);
    let failed = ("http://a.example/2x.png", "HTTP/1.1 404 Not Found", &b""[..]);
    assert!(lacks(&audit(&archive(&[home, failed]), &[])).contains(&"/2x.png".to_owned()));
}

#[test]
fn an_image_behind_a_media_query_shows_that_a_browser_chose_among_the_images_of_a_sheet() {
    const CSS: &str = "HTTP/1.1 200 OK\nContent-Type: text/css";
    let found = audit(
        &archive(&[
            ("http://a.example/", HTML, b"<link rel=stylesheet href=/a.css>"),
            (
                "http://a.example/a.css",
                CSS,
                b".a{background:url(/x.png)}@media (min-width:9em){.b{background:url(/y.png)}}",
            ),
            ("http://a.example/y.png", PNG, b"png"),
        ]),
        &[],
    );
    assert!(lacks(&found).is_empty(), "{:?}", lacks(&found));
}

#[test]
fn what_svg_paints_with_is_needed_unless_it_is_a_part_of_the_page() {
    let page: &[u8] = b"<base href=/base/><svg><path fill=\"url(/paint.svg#red)\" stroke='url(#own)' style='fill:url(#own)'/>\
        <g filter='url(\"/f.svg#blur\")' clip-path='url(/c.svg#c)'><rect mask='none' marker-end='url(/m.svg#m)'/></g></svg>";
    let found = audit(&archive(&[("http://a.example/", HTML, page)]), &[]);
    assert_eq!(lacks(&found), ["/c.svg", "/f.svg", "/m.svg", "/paint.svg"]);
    let file: &[u8] = b"<svg xmlns='http://www.w3.org/2000/svg'><rect fill='url(/paint.svg#red)'/></svg>";
    let picture = ("http://a.example/p.svg", "HTTP/1.1 200 OK\nContent-Type: image/svg+xml", file);
    let home = ("http://a.example/", HTML, &b"<img src=/p.svg>"[..]);
    let links = crate::captured::links("HTTP/1.1 200 OK\nContent-Type: image/svg+xml", file);
    assert_eq!(links, [("style".to_owned(), "http://a.example/paint.svg".to_owned())]);
    assert!(lacks(&audit(&archive(&[home, picture]), &[])).is_empty());
}

#[test]
fn an_empty_response_is_no_capture_where_others_are_not_empty() {
    const CSS: &str = "HTTP/1.1 200 OK\nContent-Type: text/css";
    const JS: &str = "HTTP/1.1 200 OK\nContent-Type: application/javascript; charset=utf-8";
    let page: &[u8] =
        b"<link rel=stylesheet href=/a.css><link rel=stylesheet href=/b.css><script src=/c.js></script>\
        <img src=/d.png><a href=/e>e</a><a href=/f>f</a>";
    let found = audit(
        &archive(&[
            ("http://a.example/", HTML, page),
            ("http://a.example/a.css", CSS, b""),
            // Once with content, once without, in this window and outside of it: the second was cut off somewhere.
            ("http://a.example/b.css", CSS, b""),
            ("http://a.example/c.js", JS, b""),
            ("http://a.example/d.png", PNG, b""),
            ("http://a.example/e", HTML, b""),
            ("http://a.example/f", HTML, b"<p>f"),
            ("http://a.example/b.css", CSS, b"p{}"),
        ]),
        &["--to", "2024-03-04T10:07:30Z"],
    );
    assert_eq!(lacks(&found), ["/b.css", "/d.png", "/e"]);
}

#[test]
fn of_the_candidates_for_one_image_one_is_needed_whichever_it_is() {
    let page: &[u8] = b"<img src=/s.png srcset='/m.png 2x, /l.png 3x'><img data-src=/z.png data-srcset='/z1.png 1x, /z2.png 2x'>\
        <picture><source srcset='/p1.webp 1x, /p2.webp 2x'><source srcset=/p.avif><img src=/p.png></picture>";
    let home = ("http://a.example/", HTML, page);
    let found = audit(&archive(&[home]), &[]);
    // None is there: one each is missing.
    assert_eq!(completeness(&found)["embeds"]["untried"], 3, "{:?}", lacks(&found));
    assert_eq!(lacks(&found).len(), 3);
    let one_each = ["/l.png", "/z2.png", "/p.avif"].map(|path| format!("http://a.example{path}"));
    let mut all = vec![home];
    all.extend(one_each.iter().map(|url| (url.as_str(), PNG, &b"png"[..])));
    let found = audit(&archive(&all), &[]);
    assert!(lacks(&found).is_empty(), "{:?}", lacks(&found));
    assert_eq!(completeness(&found)["embeds"]["captured"], 3);
}

#[test]
fn robots_txt_is_read_as_crawlers_read_it() {
    let rules: &[u8] =
        b"User-agent: somebot\nDisallow: /\n\nUser-agent: *\nDisallow: /p\nAllow: /p/ok\nDisallow: /*.pdf$\n";
    let page: &[u8] = b"<a href=/p/x>1</a><a href=/p/ok/y>2</a><a href=/f.pdf>3</a><a href=/f.pdf?x>4</a><a href=/p/kept>5</a>\
        <a href=/two>t</a>";
    let found = audit(
        &archive(&[
            ("http://a.example/", HTML, page),
            ("http://a.example/two", HTML, b"<p>two"),
            ("http://a.example/p/kept", HTML, b"<p>captured though forbidden"),
            ("http://a.example/robots.txt", "HTTP/1.1 200 OK\nContent-Type: text/plain", rules),
        ]),
        &[],
    );
    assert_eq!(lacks(&found), ["/f.pdf?x", "/p/ok/y"]);
    let links = &completeness(&found)["links"];
    assert_eq!((&links["excluded"], &links["captured"]), (&2.into(), &2.into()));
    let left_out: Vec<(&str, &str)> = completeness(&found)["excluded"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| (entry["url"].as_str().unwrap(), entry["reason"].as_str().unwrap()))
        .collect();
    let reason = "robots.txt forbids it";
    assert_eq!(left_out, [("http://a.example/f.pdf", reason), ("http://a.example/p/x", reason)]);
}

#[test]
fn links_beyond_the_depth_or_the_folder_of_a_crawl_are_counted_apart() {
    let list = |to: &dyn Fn(usize) -> String, count: usize| {
        (0..count).map(|number| format!("<a href={}>x</a>", to(number))).collect::<String>()
    };
    let page = |body: String, number: usize| format!("<p>page number {number}</p>{body}").into_bytes();
    // One level of links was followed: five pages, each with forty links more.
    let home = page(list(&|number| format!("/s{number}"), 5), 0);
    let below: Vec<(String, Vec<u8>)> = (0..5)
        .map(|at| {
            (format!("http://a.example/s{at}"), page(list(&|number| format!("/d{at}-{number}"), 40), at + 1))
        })
        .collect();
    let mut all = vec![("http://a.example/", HTML, &*home)];
    all.extend(below.iter().map(|(url, body)| (url.as_str(), HTML, &**body)));
    let found = audit(&archive(&all), &[]);
    let links = &completeness(&found)["links"];
    assert_eq!(
        (&links["beyond"], &links["captured"], &links["share"]),
        (&200.into(), &5.into(), &1.0.into())
    );
    assert!(lacks(&found).is_empty());
    // All pages are in one folder: what lies outside is beyond, what lies inside is missing.
    let home =
        page(list(&|number| format!("/blog/s{number}"), 6) + "<a href=/about>a</a><a href=/shop/x>s</a>", 0);
    let below: Vec<(String, Vec<u8>)> =
        (0..5).map(|at| (format!("http://a.example/blog/s{at}"), page(String::new(), at + 1))).collect();
    let mut all = vec![("http://a.example/blog/", HTML, &*home)];
    all.extend(below.iter().map(|(url, body)| (url.as_str(), HTML, &**body)));
    let found = audit(&archive(&all), &[]);
    let links = &completeness(&found)["links"];
    assert_eq!((&links["beyond"], &links["captured"], &links["untried"]), (&2.into(), &5.into(), &1.into()));
    assert_eq!(lacks(&found), ["/blog/s5"]);
}

#[test]
fn other_names_of_the_page_feeds_and_pictures_do_not_make_a_crawl_of_one_page_complete() {
    const RSS: &str = "HTTP/1.1 200 OK\nContent-Type: application/rss+xml";
    const PNG: &str = "HTTP/1.1 200 OK\nContent-Type: image/png";
    const TO_ROOT: &str = "HTTP/1.1 302 Found\nLocation: /";
    let links: String = (0..50).map(|number| format!("<a href=/x{number}>x</a>")).collect();
    let feed: &[u8] = b"<rss version='2.0'><channel><title>f</title></channel></rss>";
    let page: &[u8] = b"<title>Home</title><p>The same page in another language";
    for (more, url, head, body) in [
        ("<a href=/index.php>x</a>", "/index.php", TO_ROOT, &b""[..]),
        ("<a href=/old-home>x</a>", "/old-home", TO_ROOT, b""),
        ("<a href=/feed>x</a>", "/feed", RSS, feed),
        ("<link rel=alternate type=application/rss+xml href=/feed>", "/feed", RSS, feed),
        ("<a href=/big.png><img src=/big.png></a>", "/big.png", PNG, b"\x89PNG\r\n\x1a\n"),
        ("<a href=/?lang=en>x</a>", "/?lang=en", HTML, page),
    ] {
        let home = format!("<title>Home</title>{more}<p>Much to read: {links}");
        let url = format!("http://a.example{url}");
        let folder = archive(&[("http://a.example/", HTML, home.as_bytes()), (&url, head, body)]);
        let found = audit(&folder, &[]);
        let links = &completeness(&found)["links"];
        assert_eq!((&links["beyond"], &links["share"]), (&50.into(), &Value::Null), "{more}");
        assert_eq!(found["sites"][0]["answers"]["complete"]["band"], "cannot tell", "{more}");
    }
}

#[test]
fn of_an_image_set_one_candidate_is_needed_and_manifests_and_subtitles_are_optional() {
    const PNG: &str = "HTTP/1.1 200 OK\nContent-Type: image/png";
    let home: &[u8] = b"<title>Home</title><link rel=manifest href=/app.json><p>Much to read here\
        <div style='background:image-set(url(/a1.png) 1x, url(/a2.png) 2x)'>x</div>\
        <div style='background:image-set(\"/b1.webp\" type(\"image/webp\"), \"/b2.png\" 1x)'>x</div>\
        <video src=/v.mp4><track src=/t.vtt><track default src=/d.vtt></video>";
    let picture: &[u8] = b"\x89PNG\r\n\x1a\n";
    let found = audit(
        &archive(&[
            ("http://a.example/", HTML, home),
            ("http://a.example/a1.png", PNG, picture),
            ("http://a.example/b2.png", PNG, picture),
        ]),
        &[],
    );
    assert_eq!(lacks(&found), ["/d.vtt", "/v.mp4"]);
    let embeds = &completeness(&found)["embeds"];
    assert_eq!((&embeds["captured"], &embeds["optional"]), (&2.into(), &2.into()));
}

#[test]
fn what_a_crawler_noted_does_not_overrule_the_markup() {
    let noted = "outlink: http://a.example/css/\"functions\" E script/@src\r\n\
        outlink: http://a.example/?p=12 E link/@rel\r\noutlink: http://a.example/guess X =JS_MISC\r\n";
    let markup: &[u8] = b"<link rel=shortlink href=/?p=12><a href=/two>2</a><a href=/lost>l</a>";
    let folder = archive(&[("http://a.example/", HTML, markup), ("http://a.example/two", HTML, b"<p>two")]);
    let path = folder.path().join("a.warc");
    let mut bytes = std::fs::read(&path).unwrap();
    let note = Record::fields("metadata", 9, "2024-03-04T10:01:00Z", noted)
        .field("WARC-Target-URI", "http://a.example/")
        .field("WARC-Concurrent-To", &format!("<{}>", id(1)));
    bytes.extend(note.bytes());
    std::fs::write(&path, bytes).unwrap();
    assert_eq!(lacks(&audit(&folder, &[])), ["/lost"]);
}

#[test]
fn only_answers_over_http_are_sniffed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc");
    let time = "2024-03-04T10:00:00Z";
    let page: &[u8] = b"<html><a href=/x>x</a></html>";
    let records = [
        Record::response(1, "http://a.example/", time, "HTTP/1.1 200 OK", page),
        Record::new("response", 2, time, b"20240304100000\na.example. 300 IN A 10.0.0.1\n")
            .field("WARC-Target-URI", "dns:a.example"),
        Record::new("resource", 3, time, page).field("WARC-Target-URI", "http://a.example/made"),
    ];
    std::fs::write(&path, records.map(|record| record.bytes()).concat()).unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_acuity"))
        .args(["index", "-q", "--content"])
        .arg(&path)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let types: Vec<Value> =
        text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["mime"].take()).collect();
    assert_eq!(types, [Value::from("text/html"), Value::Null, Value::Null]);
}

#[test]
fn a_place_holder_in_the_attribute_a_picture_without_an_image_and_a_preloaded_list_need_one_candidate_each() {
    let page: &[u8] = b"<img src=/logo.png><img src='data:image/gif;base64,R0lGOD' srcset='/a1.png 1x, /a2.png 2x'>\
        <picture><source srcset='/b1.webp 1x, /b2.webp 2x'><source srcset=/b3.avif></picture><img src=/c.png>\
        <link rel=preload as=image href=/d0.png imagesrcset='/d1.png 1x, /d2.png 2x'><img src=/logo.png srcset='/e.png 2x'>";
    let home = ("http://a.example/", HTML, page);
    let logo = ("http://a.example/logo.png", PNG, &b"logo"[..]);
    let found = audit(&archive(&[home, logo]), &[]);
    assert_eq!(lacks(&found), ["/a1.png", "/b1.webp", "/c.png", "/d0.png"]);
    let one_each = ["/a2.png", "/b3.avif", "/c.png", "/d2.png"].map(|path| format!("http://a.example{path}"));
    let mut all = vec![home, logo];
    all.extend(one_each.iter().map(|url| (url.as_str(), PNG, &b"png"[..])));
    let found = audit(&archive(&all), &[]);
    assert!(lacks(&found).is_empty(), "{:?}", lacks(&found));
    // The image beside the picture is not one of its candidates, and the other way round.
    let beside = ("http://a.example/c.png", PNG, &b"png"[..]);
    assert!(lacks(&audit(&archive(&[home, logo, beside]), &[])).contains(&"/b1.webp".to_owned()));
    // An image that also stands alone is needed itself, and no other image has its list.
    let larger = ("http://a.example/e.png", PNG, &b"png"[..]);
    let found = lacks(&audit(&archive(&[home, larger]), &[]));
    assert!(found.contains(&"/logo.png".to_owned()) && found.contains(&"/d0.png".to_owned()), "{found:?}");
}

#[test]
fn what_one_list_has_in_place_of_an_image_is_nothing_for_its_other_uses() {
    const LIST: &str = "<img src=/up/photo.jpg srcset='/up/photo.jpg 1920w, /up/photo-1024.jpg 1024w'>";
    let smaller = ("http://a.example/up/photo-1024.jpg", PNG, &b"png"[..]);
    let gone =
        ("http://a.example/up/photo.jpg", "HTTP/1.1 404 Not Found\nContent-Type: text/html", &b"gone"[..]);
    let of = |pages: &[&str]| {
        let urls: Vec<String> = (0..pages.len()).map(|at| format!("http://a.example/{at}")).collect();
        let pages = urls.iter().zip(pages).map(|(url, page)| (url.as_str(), HTML, page.as_bytes()));
        lacks(&audit(&archive(&pages.chain([smaller, gone]).collect::<Vec<_>>()), &[]))
    };
    assert!(of(&[LIST]).is_empty());
    let others = [
        "<a href=/up/photo.jpg>large</a>",
        "<img src=/up/photo.jpg>",
        "<img src=/up/photo.jpg srcset='/up/other.jpg 2x'>",
        "<link rel=icon href=/up/photo.jpg>",
    ];
    for other in others {
        assert_eq!(of(&[LIST, other]), ["/up/photo.jpg"], "{other}");
    }
    // What browsers without scripts show in place of an image is that image.
    let lazy = "<img src=/blank.gif data-src=/up/photo.jpg data-srcset='/up/photo-1024.jpg 2x'>\
                <noscript><img src=/up/photo.jpg></noscript>";
    assert_eq!(of(&[lazy]), ["/blank.gif"]);
    for other in [others[0], others[1]] {
        assert_eq!(of(&[&format!("{LIST}{other}")]), ["/up/photo.jpg"], "{other}");
        assert_eq!(of(&[&format!("{other}{LIST}")]), ["/up/photo.jpg"], "{other}");
    }
}

#[test]
fn a_font_that_shown_text_uses_is_needed_though_nobody_requested_it() {
    const CSS: &str = "HTTP/1.1 200 OK\nContent-Type: text/css";
    let css: &[u8] = b"@font-face{font-family:Text;src:url(/text.eot);src:url(/text.woff2) format('woff2'),url(/text.woff) format('woff')}\
        @font-face{font-family:Text;src:url(/greek.woff2);unicode-range:U+370-3FF}\
        @font-face{font-family:Icons;src:url(/icons.woff2)}@font-face{font-family:Mine;src:local(Mine),url(/mine.woff2)}\
        body{font-family:Text,serif}.icon{font-family:Icons}.mine{font-family:Mine}.gone{display:none}";
    let page: &[u8] =
        b"<link rel=stylesheet href=/s.css><p>Plain text.</p><p class=mine>x</p><p class='icon gone'>x</p>";
    let home = ("http://a.example/", HTML, page);
    let sheet = ("http://a.example/s.css", CSS, css);
    let found = audit(&archive(&[home, sheet]), &[]);
    assert_eq!(lacks(&found), ["/text.woff2"]);
    assert_eq!(completeness(&found)["embeds"]["optional"], 5);
    // Another format of the same font does as well.
    let other = ("http://a.example/text.woff", "HTTP/1.1 200 OK\nContent-Type: font/woff", &b"font"[..]);
    assert!(lacks(&audit(&archive(&[home, sheet, other]), &[])).is_empty());
}

#[test]
fn a_drawing_in_an_object_needs_what_it_shows_and_one_in_an_image_loads_nothing() {
    const SVG: &str = "HTTP/1.1 200 OK\nContent-Type: image/svg+xml";
    let drawing = |name: &str| {
        format!(
            "<svg xmlns='http://www.w3.org/2000/svg'><image href='/{name}.png'/><a href='/l-{name}'/></svg>"
        )
        .into_bytes()
    };
    let page: &[u8] =
        b"<object data=/o.svg></object><embed src=/e.svg><iframe src=/f.svg></iframe><img src=/i.svg>";
    let drawings = ["o", "e", "f", "i"].map(|name| (format!("http://a.example/{name}.svg"), drawing(name)));
    let mut all = vec![("http://a.example/", HTML, page)];
    all.extend(drawings.iter().map(|(url, body)| (url.as_str(), SVG, &**body)));
    for more in [&[][..], &["--pages", "html"]] {
        let expected = ["/e.png", "/f.png", "/l-e", "/l-f", "/l-o", "/o.png"];
        assert_eq!(lacks(&audit(&archive(&all), more)), expected, "{more:?}");
    }
}

#[test]
fn robots_txt_is_read_with_its_mark_and_its_percent_codes() {
    let rules = "\u{feff}User-agent: *\nDisallow: /%7Ejoe/\nDisallow: /caf\u{e9}/\nDisallow: /a%2Fb\n";
    let page = "<a href='/~joe/x'>1</a><a href='/caf\u{e9}/y'>2</a><a href='/a/b'>3</a><a href=/two>t</a>";
    let found = audit(
        &archive(&[
            ("http://a.example/", HTML, page.as_bytes()),
            ("http://a.example/two", HTML, b"<p>two"),
            ("http://a.example/robots.txt", "HTTP/1.1 200 OK\nContent-Type: text/plain", rules.as_bytes()),
        ]),
        &[],
    );
    assert_eq!(lacks(&found), ["/a/b"]);
    assert_eq!(completeness(&found)["links"]["excluded"], 2);
}
