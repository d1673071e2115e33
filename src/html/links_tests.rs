//! Links of tags, and where the scanner differs from a tree.

use super::*;

fn links(html: &str) -> Vec<(LinkKind, String)> {
    let mut found = Vec::new();
    let mut emit = |kind, value: &[u8]| found.push((kind, String::from_utf8_lossy(value).into_owned()));
    let mut scanner = LinkScanner::new();
    scanner.feed(html.as_bytes(), &mut emit);
    scanner.finish(&mut emit);
    found
}

fn values(html: &str) -> Vec<String> {
    links(html).into_iter().map(|(_, value)| value).collect()
}

/// How many elements with a link attribute the tree of `html5ever` has.
fn in_tree(html: &str, selector: &str) -> usize {
    let selector = scraper::Selector::parse(selector).expect("a selector");
    scraper::Html::parse_document(html).select(&selector).count()
}

#[test]
fn every_kind_of_link_is_told() {
    use LinkKind::*;
    let html = r##"<base href="/b/"><link rel="shortcut icon" href=i.ico><LINK REL=StyleSheet HREF=s.css>
        <link rel=next href=n><link rel=preload href=p imagesrcset="p1 1x, p2 2x"><link rel=manifest href=m><link rel=preconnect href=no>
        <meta http-equiv=Refresh content="0; url=r"><meta name=refresh content="0; url=no">
        <a href="a?x&amp;y">t</a><area href=ar><iframe src=if></iframe><frame src=fr><form action=fo>
        <input type=image src=in formaction=fa><input src=no><button formaction=fb></button>
        <img src=im srcset="im1 1x, im2 2x" style="background:url(st)"><script src=sc></script>
        <video src=v poster=po></video><audio src=au></audio><source src=so srcset=ss><track src=tr><track default src=td>
        <embed src=em><object data=ob></object><body background=bg><svg><image xlink:href=xi /><use href="#u"/></svg>
        <style>@import "im.css"; p{background:url(cu)}</style><p style='x:url("q")'>"##;
    let expected = [
        (Base, "/b/"),
        (Icon, "i.ico"),
        (Stylesheet, "s.css"),
        (Relation, "n"),
        (Preload, "p"),
        (Candidate, "p1"),
        (Candidate, "p2"),
        (Conditional, "m"),
        (Refresh, "r"),
        (Anchor, "a?x&y"),
        (Anchor, "ar"),
        (Frame, "if"),
        (Frame, "fr"),
        (Form, "fo"),
        (Image, "in"),
        (Form, "fa"),
        (Form, "fb"),
        (Image, "im"),
        (Candidate, "im1"),
        (Candidate, "im2"),
        (Style, "st"),
        (Script, "sc"),
        (Image, "po"),
        (Media, "v"),
        (Media, "au"),
        (Media, "so"),
        (Conditional, "tr"),
        (Media, "td"),
        (Object, "em"),
        (Object, "ob"),
        (Image, "bg"),
        (Image, "xi"),
        (Image, "#u"),
        (Stylesheet, "im.css"),
        (Style, "cu"),
        (Style, "q"),
        (Image, "ss"),
    ];
    let found = links(html);
    let found: Vec<(LinkKind, &str)> = found.iter().map(|(kind, value)| (*kind, value.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn lazy_images_fonts_parameters_and_links_for_programs_have_kinds_of_their_own() {
    use LinkKind::*;
    let html = "<img src=s.gif data-src=d.png data-srcset='d1 1x, d2 2x'><img src=l.png loading=lazy><img data-original=o.png>\
                <iframe data-src=f></iframe><picture><source srcset='w1 1x, w2 2x'><img src=w.png></picture><img srcset='a 1x, b 2x'>\
                <object><param name=movie value=m.swf><param name=x value=no></object>\
                <link rel=pingback href=x><link rel=shortlink href=y><link rel=apple-touch-icon-precomposed href=i>\
                <style>@font-face{src:url(f.woff)} p{background:url(g.png)}</style>";
    let found = links(html);
    let found: Vec<(LinkKind, &str)> = found.iter().map(|(kind, value)| (*kind, value.as_str())).collect();
    let expected = [
        (Image, "s.gif"),
        (Lazy, "d.png"),
        (Candidate, "d1"),
        (Candidate, "d2"),
        (Lazy, "l.png"),
        (Lazy, "o.png"),
        (Lazy, "f"),
        (Image, "w.png"),
        (Source, "w1"),
        (Source, "w2"),
        (Image, "a"),
        (Candidate, "b"),
        (Object, "m.swf"),
        (Machine, "x"),
        (Machine, "y"),
        (Icon, "i"),
        (Font, "f.woff"),
        (Style, "g.png"),
    ];
    assert_eq!(found, expected);
}

#[test]
fn of_two_attributes_with_one_name_the_first_counts_and_an_empty_one_is_no_link() {
    assert_eq!(values("<a href=x HREF=y><a href='' href=z><a href>"), ["x"]);
}

#[test]
fn scripts_comments_and_text_areas_hold_no_links() {
    let html = "<script>'<a href=n1>'</script><!-- <a href=n2> --><textarea><a href=n3></textarea>\
                <title><a href=n4></title><xmp><a href=n5></xmp><iframe><a href=n6></iframe><a href=y>";
    assert_eq!(values(html), ["y"]);
}

#[test]
fn a_page_cut_anywhere_tells_the_same_links() {
    let html = "<style>p{x:url(a)}</style><img srcset='b 1x, c 2x' style=\"y:url('d')\"><a href='e&amp;f'>";
    let whole = links(html);
    for cut in 0..html.len() {
        let mut found = Vec::new();
        let mut emit = |kind, value: &[u8]| found.push((kind, String::from_utf8_lossy(value).into_owned()));
        let mut scanner = LinkScanner::new();
        scanner.feed(&html.as_bytes()[..cut], &mut emit);
        scanner.feed(&html.as_bytes()[cut..], &mut emit);
        scanner.finish(&mut emit);
        assert_eq!(found, whole, "cut at {cut}");
    }
}

#[test]
fn difference_from_the_tree_a_link_in_noscript_counts() {
    let html = "<body><noscript><a href=x></a></noscript>";
    assert_eq!(values(html), ["x"]);
    // With scripting on, the tree has text there.
    assert_eq!(in_tree(html, "a[href]"), 0);
}

#[test]
fn difference_from_the_tree_markup_that_a_table_or_frameset_drops_counts() {
    let html = "<frameset><frame src=f><a href=x>y</a></frameset>";
    assert_eq!(values(html), ["f", "x"]);
    assert_eq!(in_tree(html, "a[href]"), 0);
}

#[test]
fn difference_from_the_tree_a_tag_that_only_closes_a_select_counts() {
    // Older tree builders dropped every link in `select`; the current standard keeps them, as the scanner does.
    let html = "<select><a href=x>y</a><option>z</select>";
    assert_eq!((values(html).len(), in_tree(html, "a[href]")), (1, 1));
    // A second `select` inside of the first closes it and is itself dropped.
    let html = "<select><select style='background:url(x)'>";
    assert_eq!(values(html), ["x"]);
    assert_eq!(in_tree(html, "select[style]"), 0);
}

#[test]
fn what_a_template_holds_is_no_link_unless_it_declares_a_shadow_tree() {
    let html = "<template><a href=x>y</a><img src=i><style>a{background:url(s)}</style><template class=c><img src=j></template>\
        <img src=k></template><a href=z>z</a>";
    assert_eq!(values(html), ["z"]);
    assert_eq!(in_tree("<template><a href=x>y</a></template>", "body a[href]"), 0);
    let html = "<template shadowrootmode=open><img src=x><template><img src=y></template></template></template><a href=z>";
    assert_eq!(values(html), ["x", "z"]);
}

#[test]
fn of_the_sources_of_a_video_one_is_enough() {
    let html = "<video poster=p><source src=a.webm><source src=a.mp4><track src=t></video><audio src=b><source src=b.ogg></audio>\
        <a href=x></a><video><source src=u></video><video><source src=c><a href=y></a><source src=d></video>";
    let kinds: Vec<(LinkKind, String)> = links(html);
    use LinkKind::{Anchor, Candidate, Conditional, Image, Media};
    let expected = [
        (Image, "p"),
        (Media, "a.webm"),
        (Candidate, "a.mp4"),
        (Conditional, "t"),
        (Media, "b"),
        (Candidate, "b.ogg"),
        (Anchor, "x"),
        (Media, "u"),
        (Media, "c"),
        (Anchor, "y"),
        (Media, "d"),
    ];
    assert_eq!(kinds, expected.map(|(kind, value)| (kind, value.to_owned())));
}

#[test]
fn inside_svg_a_tag_closes_itself_and_cdata_is_text_as_in_the_tree() {
    for (html, found) in [
        ("<svg><title/><a href=x></a></svg>", 1),
        ("<svg><script href=s /></svg><a href=x></a>", 1),
        ("<svg><script href=s></script></svg><a href=x></a>", 1),
        ("<svg><![CDATA[ > <a href=x> ]]></svg><a href=y></a>", 1),
        ("<svg><foreignObject><div><textarea/><a href=x></a></div></foreignObject></svg>", 0),
        ("<svg><p><script/><a href=x></a></p>", 0),
        ("<svg/><textarea/><a href=x></a>", 0),
        ("<math><annotation/></math><![CDATA[ > <a href=x></a> ]]>", 1),
    ] {
        let anchors = links(html).into_iter().filter(|(kind, _)| *kind == LinkKind::Anchor).count();
        assert_eq!((anchors, in_tree(html, "a[href]")), (found, found), "{html}");
    }
}

#[test]
fn documents_inside_the_page_are_read_and_their_base_is_not_that_of_the_page() {
    use LinkKind::*;
    let html = "<frameset><frame src=f></frameset><noframes><base href=/no/><p><a href=in>x</a><img src=i></noframes>\
                <iframe src=no srcdoc='<a href=d>&lt;iframe srcdoc=\"<img src=e>\"></iframe>'></iframe><a href=out>\
                <iframe loading=lazy src=l></iframe><noframes><a href=open>";
    let found = links(html);
    let found: Vec<(LinkKind, &str)> = found.iter().map(|(kind, value)| (*kind, value.as_str())).collect();
    let expected = [
        (Frame, "f"),
        (Anchor, "in"),
        (Image, "i"),
        (Anchor, "d"),
        (Image, "e"),
        (Anchor, "out"),
        (Lazy, "l"),
        (Anchor, "open"),
    ];
    assert_eq!(found, expected);
    let deep = (0..40).fold("<a href=deep>".to_owned(), |inner, _| {
        format!("<iframe srcdoc='{}'></iframe>", inner.replace('&', "&amp;").replace('\'', "&#39;"))
    });
    assert!(values(&deep[..deep.len().min(60_000)]).is_empty());
}

#[test]
fn what_browsers_leave_alone_is_told_apart() {
    use LinkKind::*;
    for (html, kind) in [
        ("<script src=a></script>", Script),
        ("<script type=module src=a></script>", Script),
        ("<script type='text/javascript; charset=utf-8' src=a></script>", Script),
        ("<script nomodule src=a></script>", Conditional),
        ("<script type=text/x-template src=a></script>", Conditional),
        ("<link rel=stylesheet href=a>", Stylesheet),
        ("<link rel=stylesheet disabled href=a>", Conditional),
        ("<link rel=stylesheet href=a disabled>", Conditional),
        ("<style>p{background:url(a)}</style>", Style),
        ("<style>@supports (display:none-such){p{background:url(a)}}</style>", Conditional),
    ] {
        let found: Vec<LinkKind> = links(html).into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(found, [kind], "{html}");
    }
}
