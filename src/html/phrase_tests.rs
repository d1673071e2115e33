use proptest::prelude::*;

use super::super::fold::SEARCH_BYTES;
use super::*;

fn found(html: &[u8], content_type: Option<&str>, phrase: &str) -> Found {
    assert_eq!(fault(phrase), None);
    Phrases::new(&[phrase.to_owned()]).search(html, content_type.map(str::as_bytes), How::Html)[0]
}

fn is(html: &str, phrase: &str) -> Found {
    found(html.as_bytes(), Some("text/html; charset=utf-8"), phrase)
}

#[test]
fn case_white_space_references_accents_and_inline_tags_do_not_count() {
    for html in [
        "<p>You have a Right of Withdrawal.</p>",
        "<p>right\n\t of&nbsp;with<b>drawal</b>",
        "right of<br>withdrawal",
        "<p>right <time>of</time> <img alt=x>withdrawal",
        "<del>no</del> right of <s>our</s> withdrawal",
        "<title>RIGHT OF WITHDRAWAL</title>",
        "right of with&shy;drawal",
        "r&#105;ght&#x20;of\u{2003}withdrawal<!-- x -->",
        "right of w<!-- x -->ithdrawal",
        "right <span style='color: red'>of</span> withdrawal",
        "<input hidden>right of withdrawal",
        "right of <i hidden>no </i>withdrawal",
    ] {
        assert_eq!(is(html, "right  of withdrawal"), Found::Present, "{html}");
    }
    for (html, phrase) in [
        ("Große Straße", "GROSSE STRASSE"),
        ("cafe\u{301}", "CAFÉ"),
        ("caf\u{e9}", "cafe\u{301}"),
        ("ΛΌΓΟΣ", "λόγος"),
        ("§ 312g BGB", "§ 312g"),
    ] {
        assert_eq!(is(html, phrase), Found::Present, "{html} {phrase}");
    }
}

#[test]
fn encodings_are_decoded() {
    let latin = b"<p>Widerrufsrecht f\xfcr K\xe4ufer";
    assert_eq!(found(latin, Some("text/html; charset=iso-8859-1"), "für Käufer"), Found::Present);
    let utf16: Vec<u8> =
        [0xff, 0xfe].into_iter().chain("<p>für Käufer".encode_utf16().flat_map(u16::to_le_bytes)).collect();
    assert_eq!(found(&utf16, None, "FÜR KÄUFER"), Found::Present);
    let plain = Phrases::new(&["für <b>Käufer".to_owned()]);
    let text = "für\r\n<b>Käufer".as_bytes();
    assert_eq!(plain.search(text, Some(b"text/plain; charset=utf-8"), How::Text), [Found::Present]);
    // Letters of ASCII, and references to others, are the same in every encoding.
    assert_eq!(found(b"f&uuml;r K&#228;ufer", None, "f\u{fc}r k\u{e4}ufer"), Found::Present);
    assert_eq!(found(b"right of \xe4", None, "right of"), Found::Present);
}

#[test]
fn no_phrase_beyond_ascii_is_proven_by_an_encoding_that_is_guessed() {
    // Cyrillic in windows-1251, Latin in windows-1252, UTF-8 of which nobody says that it is.
    for body in [&b"r\xe9tractation"[..], "rétractation".as_bytes(), b"other \xe9"] {
        assert!(matches!(found(body, Some("text/html"), "rétractation"), Found::Doubtful(_)), "{body:?}");
        let text = Phrases::new(&["rétractation".to_owned()]).search(body, Some(b"text/plain"), How::Text);
        assert!(matches!(text[..], [Found::Doubtful(_)]), "{body:?}");
    }
}

#[test]
fn what_stands_in_for_media_and_inside_of_drawings_is_doubtful() {
    for html in [
        "<canvas>right of withdrawal</canvas>",
        "<video src=v.mp4>right of withdrawal</video>",
        "<audio src=a>right <b>of</b> withdrawal</audio>",
        "<object data=x.pdf><p>right of withdrawal</object>",
        "<iframe src=/x>right of withdrawal</iframe>",
        "<noframes>right of withdrawal</noframes>",
        "<svg><title>right of withdrawal</title></svg>",
        "<svg><defs><text>right of withdrawal</text></defs></svg>",
        "<svg><desc>right of withdrawal</desc><metadata>x</metadata></svg>",
        "<svg><style><p>right of withdrawal</p></style></svg>",
        "<math><annotation>right of withdrawal</annotation></math>",
    ] {
        assert!(matches!(is(html, "right of withdrawal"), Found::Doubtful(_)), "{html}");
    }
    for html in [
        "<svg class=icon />right of withdrawal",
        "<svg><path d='M0'/><title>x</title></svg>right of withdrawal",
        "<svg><style><![CDATA[ .a > .b {} ]]></style></svg>right of withdrawal",
        "<math><mtext>right of withdrawal</mtext></math>",
        "<video src=x></video>right of withdrawal",
    ] {
        assert_eq!(is(html, "right of withdrawal"), Found::Present, "{html}");
    }
}

#[test]
fn a_document_inside_of_an_attribute_proves_no_absence() {
    for html in [
        "<iframe srcdoc='&lt;p&gt;right <b>of</b> withdrawal'></iframe>",
        "<iframe src=' DATA:text/html,right%20of%20withdrawal'></iframe>",
        "<object data='data:text/html,right'></object>",
    ] {
        assert!(matches!(is(html, "right of withdrawal"), Found::Doubtful(_)), "{html}");
        assert_eq!(is(&format!("{html}left"), "left"), Found::Present, "{html}");
    }
    assert_eq!(is("<iframe src=/frame></iframe>", "right"), Found::Absent);
}

#[test]
fn where_xml_and_html_are_read_otherwise_nothing_is_told() {
    let xhtml = |body: &str| Phrases::new(&["right".to_owned()]).search(body.as_bytes(), None, How::Xhtml)[0];
    for body in [
        "<html><head><script src=\"x\"/></head><body><p>right</p></body></html>",
        "<html><head><title/></head><body><p>right</p></body></html>",
        "<html><body><style />right</body></html>",
        "<html><body><p><![CDATA[right]]></p></body></html>",
        "<html><body><SCRIPT>right</SCRIPT></body></html>",
        "<html><body><textarea><b>right</b></textarea></body></html>",
    ] {
        assert!(matches!(xhtml(body), Found::Doubtful(_)), "{body}");
    }
    for body in ["<svg><script/></svg>right", "<svg></svg><p><![CDATA[right]]>", "<svg><title/></svg>right"] {
        assert!(matches!(is(body, "right"), Found::Doubtful(_)), "{body}");
    }
    let page = |text: &str| {
        format!(
            "<?xml version='1.0'?><!DOCTYPE html><html><head><title>x</title><script src='x'></script><script>\n\
             //<![CDATA[\nif (a < b) left();\n//]]>\n</script><link href='x'/></head><body><p>{text}<br/></p></body></html>"
        )
    };
    assert_eq!(xhtml(&page("right")), Found::Present);
    assert_eq!(xhtml(&page("left")), Found::Absent);
    assert_eq!(xhtml(&page("x").replace("left()", "right()")), SCRIPT);
    // HTML has neither: a slash means nothing, a marked section is a comment.
    assert_eq!(is("<script src=x />right</script>", "right"), SCRIPT);
    assert_eq!(is("<p><![CDATA[right]]></p>", "right"), Found::Absent);
}

#[test]
fn a_tag_that_closes_itself_is_known_wherever_the_text_is_cut() {
    let phrases = Phrases::new(&["right".to_owned()]);
    for filler in 980..1030 {
        let body = format!("<html><p>{}</p><script src=\"x\" /><p>right</p></html>", "x".repeat(filler));
        let found = phrases.search(body.as_bytes(), None, How::Xhtml);
        assert!(matches!(found[..], [Found::Doubtful(_)]), "{filler}");
    }
}

#[test]
fn what_cannot_be_told_is_doubtful_and_never_absent() {
    for html in [
        "<p hidden>right of withdrawal</p>",
        "<div style='Display : NONE'><div>right of</div> withdrawal</div>",
        "<p style='display:/* x */none'>right of withdrawal</p>",
        "<noscript>right of withdrawal</noscript>",
        "<template>right of withdrawal</template>",
        "<dialog>right of withdrawal</dialog>",
        "<img alt='right of withdrawal'>",
        "<input type=submit value='Right of withdrawal'>",
        "right of with-drawal",
        "right-of-withdrawal",
        "rightof withdrawal",
        "\u{201c}right\u{201d} of withdrawal",
        "right of <label>with</label>drawal",
        "r\u{ed}ght of withdrawal",
        "right of with\u{fffd}drawal",
    ] {
        assert!(matches!(is(html, "right of withdrawal"), Found::Doubtful(_)), "{html}");
    }
    // Neither what is wrong nor what is only guessed proves that an umlaut is absent.
    assert!(matches!(found(b"\xe4", None, "für"), Found::Doubtful(_)));
    assert!(matches!(found(b"K\xe4ufer", Some("text/html; charset=utf-8"), "für"), Found::Doubtful(_)));
    assert_eq!(found(b"K\xe4ufer", Some("text/html; charset=utf-8"), "right"), Found::Absent);
    assert!(matches!(found(b"r\0i\0g\0h\0t\0", None, "left"), Found::Doubtful(_)));
}

#[test]
fn comments_addresses_and_other_words_are_absent() {
    for html in [
        "<!-- right of withdrawal -->",
        "<a href='right of withdrawal'>x</a>",
        "right of with",
        "withdrawal of right",
        "",
    ] {
        assert_eq!(is(html, "right of withdrawal"), Found::Absent, "{html}");
    }
    let accented = is("cafe\u{301}", "cafe");
    assert!(matches!(accented, Found::Doubtful(why) if why.contains("other signs or gaps")), "{accented:?}");
}

#[test]
fn what_is_hidden_ends_with_its_element() {
    for html in [
        "<div hidden><div>x</div></div>right of withdrawal",
        "<p hidden>x</p>right of withdrawal",
        "<DIV HIDDEN>x</div><br>right of withdrawal",
        "<dialog open>right of withdrawal</dialog>",
    ] {
        assert_eq!(is(html, "right of withdrawal"), Found::Present, "{html}");
    }
}

#[test]
fn bytes_are_searched_as_they_are() {
    let phrases = Phrases::new(&["<!-- A".to_owned(), "<!-- a".to_owned()]);
    assert_eq!(phrases.search(b"x<!-- A -->", None, How::Bytes), [Found::Present, Found::Absent]);
}

#[test]
fn a_phrase_without_a_letter_is_none() {
    for phrase in ["", "  ", "-", "\u{200b}"] {
        assert!(fault(phrase).is_some(), "{phrase:?}");
    }
    assert!(fault(&"x".repeat(MAX_PHRASE_BYTES + 1)).is_some());
    assert_eq!(fault("5"), None);
}

#[test]
fn a_phrase_is_found_wherever_it_stands_in_a_long_text() {
    let phrase = "right of withdrawal — für Käufer";
    for before in [
        SEARCH_BYTES - 40,
        SEARCH_BYTES - 20,
        SEARCH_BYTES - 1,
        SEARCH_BYTES,
        SEARCH_BYTES + 7,
        3 * SEARCH_BYTES - 11,
    ] {
        for fill in ["x ", "ä", "文"] {
            let html =
                fill.repeat(before / fill.len()) + " " + phrase + " " + &fill.repeat(before / fill.len());
            assert_eq!(is(&html, phrase), Found::Present, "{before} {fill}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// What markup is woven into a text never makes a phrase of it absent, and harmless markup leaves it present.
    #[test]
    fn no_markup_makes_a_shown_phrase_absent(
        words in prop::collection::vec("[a-zäß]{1,6}", 1..5),
        weave in prop::collection::vec(prop::sample::select(vec![
            (" ", true), ("\n\t", true), ("&nbsp;", true), ("<b>", true), ("</b>", true), ("<!-- no -->", true),
            ("<i hidden>no</i>", true), ("&shy;", true), ("<script>no</script>", false), ("<p>", false),
            ("<label>", false), ("<img alt=no>", false), ("-", false), ("\u{301}", false),
        ]), 0..8),
        places in prop::collection::vec(0usize..40, 8),
    ) {
        let phrase = words.join(" ");
        let mut html = phrase.clone();
        let mut harmless = true;
        for ((piece, is_harmless), place) in weave.iter().zip(places) {
            // After a blank, so that words stay whole where white space is woven in; never inside of markup.
            let blanks: Vec<usize> = html.match_indices(' ').map(|(at, _)| at + 1).collect();
            let Some(at) = blanks.get(place % blanks.len().max(1)).copied() else { break };
            if html[..at].matches('<').count() == html[..at].matches('>').count() {
                html.insert_str(at, piece);
                harmless &= *is_harmless;
            }
        }
        let found = is(&html, &phrase);
        prop_assert_ne!(found, Found::Absent, "{}", html);
        if harmless {
            prop_assert_eq!(found, Found::Present, "{}", html);
        }
    }
}

const SCRIPT: Found = Found::Doubtful("it is in a script, not in text that is shown");

#[test]
fn what_stands_in_scripts_and_data_is_neither_present_nor_absent() {
    for html in [
        "<script>document.write('right of withdrawal')</script>",
        "<script type='application/json'>{\"t\": \"Right of\\u0020withdrawal\"}</script>",
        "<script>x = 'right\\nof withdrawal'</script>",
        "<a onclick=\"show('right of withdrawal')\">x</a>",
    ] {
        assert_eq!(is(html, "right of withdrawal"), SCRIPT, "{html}");
    }
    let style = "<style>p::before { content: 'right of withdrawal' }</style>";
    assert!(matches!(is(style, "right of withdrawal"), Found::Doubtful(_)));
}

#[test]
fn what_browsers_add_to_lists_is_not_absent() {
    let list = "<ol><li>Right of withdrawal</li><li>Fees</li></ol>";
    for phrase in
        ["1. Right of withdrawal", "a) right of withdrawal", "Right of withdrawal 2. Fees", "iv. fees"]
    {
        assert!(matches!(is(list, phrase), Found::Doubtful(_)), "{phrase}");
    }
    assert!(matches!(is("<ol><li>x</ol>", "1."), Found::Doubtful(_)));
    assert_eq!(is(list, "1. Costs"), Found::Absent);
    assert_eq!(is("<p>x</p>", "1."), Found::Absent);
}

#[test]
fn whatever_may_hide_is_not_shown() {
    for html in [
        "<div popover>right of withdrawal</div>",
        "<p style='opacity:0'>right of withdrawal</p>",
        "<p style='position:absolute;left:-9999px'>right of withdrawal</p>",
        "<details><summary>x</summary>right of withdrawal</details>",
        "<details><summary hidden>right of withdrawal</summary></details>",
        "<details><summary><b hidden>right of withdrawal</b></summary></details>",
        "<details><div><summary>right of withdrawal</summary></div></details>",
        "<select><option>right of withdrawal</select>",
        "<div hidden=until-found>right of withdrawal</div>",
        "<span hidden><table></span>right of withdrawal</table>",
        "<body hidden></body>right of withdrawal",
        "right of withdrawal<body style='display:none'>",
        "<p style='font-size:0'>right of withdrawal</p>",
        "<div style='color:transparent'>right of withdrawal</div>",
        "<frameset><frame></frameset><p>right of withdrawal",
    ] {
        assert!(matches!(is(html, "right of withdrawal"), Found::Doubtful(_)), "{html}");
    }
    for html in [
        "<details open><summary>x</summary>right of withdrawal</details>",
        "<details><summary>right of <b>withdrawal</b></summary>x</details>",
        "<p style='color: #333; margin: 0 auto'>right of withdrawal</p>",
    ] {
        assert_eq!(is(html, "right of withdrawal"), Found::Present, "{html}");
    }
}

#[test]
fn words_in_several_blocks_are_not_shown_together() {
    for html in [
        "<li>right of</li><li>withdrawal</li>",
        "<p>right of</p><p>withdrawal</p>",
        "<table><tr><td>right of<td>withdrawal</table>",
        "<tr>right of</tr><tr>withdrawal</tr>",
        "<div>right<div>of withdrawal</div></div>",
        "<h1>right of</h1>withdrawal",
        "<title>right of</title>withdrawal",
        "<p>right of<hr>withdrawal",
        "<button>right of</button> withdrawal",
    ] {
        let across =
            Found::Doubtful("its words are there, but not in one paragraph, cell or entry of a list");
        assert_eq!(is(html, "right of withdrawal"), across, "{html}");
    }
}

#[test]
fn a_part_of_a_longer_word_or_number_is_not_the_phrase() {
    let inside = Found::Doubtful("it is there only as a part of longer words or numbers");
    for (html, phrase) in [
        ("a fee of 15 euros", "5 euros"),
        ("a fee of 5.50", "a fee of 5"),
        ("<p>a fee of 1<b>5</b> euros", "5 euros"),
        ("freedom", "free"),
        ("<p>carefree</p><p>freedom", "free"),
        ("-5 degrees", "5 degrees"),
        ("a fee of 5 000 euros", "a fee of 5"),
    ] {
        assert_eq!(is(html, phrase), inside, "{html}");
        assert_eq!(is(&format!("{html}<p>{phrase}."), phrase), Found::Present, "{html}");
        // Wherever the text is cut for searching.
        for filler in SEARCH_BYTES - 60..SEARCH_BYTES + 4 {
            let long = format!("<p>{} {html}", "x".repeat(filler));
            assert_eq!(is(&long, phrase), inside, "{html} behind {filler}");
        }
    }
}

#[test]
fn struck_out_text_notes_and_turned_text_are_doubtful() {
    for (html, phrase) in [
        ("<p><del>a fee of 5 euros</del> no fee", "a fee of 5 euros"),
        ("<p><s>a fee of 5 euros</s>", "a fee of 5 euros"),
        ("<p>a fee of <strike>5</strike> 7 euros", "a fee of 5 7 euros"),
        (
            "<p>Free. <span style='text-decoration: line-through red'>a fee of 5 euros</span>",
            "a fee of 5 euros",
        ),
        (
            "<p>Free. <span style='text-decoration-line:line-through'>a fee of 5 euros</span>",
            "a fee of 5 euros",
        ),
        ("<style>.o{text-decoration:line-through}</style><p class=o>a fee of 5 euros", "a fee of 5 euros"),
        (
            "<style>p .o{text-decoration-line: line-through}</style><p><b class=o>a fee of 5 euros</b>",
            "a fee of 5 euros",
        ),
        ("<p>a fee of 5<sup>1</sup> euros", "a fee of 5 euros"),
        ("<p>a fee of 10<sup>6</sup> euros", "a fee of 106 euros"),
        ("<p><ruby>fee<rp>(</rp><rt>x</rt><rp>)</rp></ruby> of 5", "fee of 5"),
        ("<p>&#x202e;a fee of 5 euros", "a fee of 5 euros"),
        ("<p><bdo dir=rtl>a fee of 5 euros</bdo>", "a fee of 5 euros"),
    ] {
        assert!(matches!(is(html, phrase), Found::Doubtful(_)), "{html} {:?}", is(html, phrase));
    }
    assert_eq!(is("<p>a fee of <del>5</del> <ins>7</ins> euros", "a fee of 7 euros"), Found::Present);
    assert_eq!(
        is("<p>a fee of <u style='text-decoration:underline'>7</u> euros", "a fee of 7 euros"),
        Found::Present
    );
    assert_eq!(is("<p>the 1<sup>st</sup> of March", "the 1st of March"), Found::Present);
    assert_eq!(is("<p>H<sub>2</sub>O", "H2O"), Found::Present);
}

#[test]
fn text_that_is_shown_in_another_order_or_not_at_all_is_doubtful() {
    for (html, phrase) in [
        (
            "<p><span style='unicode-bidi:bidi-override;direction:rtl'>a fee of 5 euros</span>",
            "a fee of 5 euros",
        ),
        ("<p><bdo dir=rtl>sorue 5 fo eef a</bdo>", "a fee of 5 euros"),
        ("<p>&#x202e;sorue 5 fo eef a", "a fee of 5 euros"),
        (
            "<p><span style='unicode-bidi: bidi-override; direction: rtl'>sorue 5 fo eef a</span>",
            "a fee of 5 euros",
        ),
        ("<p dir=rtl>5 euros", "5 euros"),
        ("<p style='direction: rtl'>(5 euros)", "(5 euros)"),
        ("<p>&#x2067;5 euros", "5 euros"),
        (
            "<p style='display:flex'><span style='order:2'>not</span> <span style='order:1'>shall</span>",
            "not shall",
        ),
        (
            "<p style='display:flex'><span style='order:2'>not</span> <span style='order:1'>shall</span>",
            "shall not",
        ),
        ("<div style='display:flex'><div style='order:2'>not</div><div>shall</div></div>", "shall not"),
        ("<p style='display:flex;flex-direction:row-reverse'><b>not</b> <i>shall</i>", "not shall"),
        ("<p><span style='float:right'>not</span> shall", "not shall"),
        ("<p><span style='float:right'>not</span> shall", "shall not"),
        ("<p>a <b style='position:absolute'>x</b> fee", "a fee"),
        ("<div><template shadowrootmode=open><p>x</template>a fee of 5 euros</div>", "a fee of 5 euros"),
        ("<div><template shadowrootmode=open><slot></slot> of 5</template>a fee</div>", "a fee of 5"),
        ("<div style='background:#fff'><p style='color:#ffffff'>a fee of 5 euros</div>", "a fee of 5 euros"),
        ("<body bgcolor=black><font color=#000>a fee of 5 euros</font>", "a fee of 5 euros"),
        ("<body text=white bgcolor=#fefefe><p>a fee of 5 euros", "a fee of 5 euros"),
        ("<p style='color:white'>a fee of 5 euros", "a fee of 5 euros"),
        (
            "<div style='color:#eee'><p style='background:rgb(240,240,240)'>a fee of 5 euros</div>",
            "a fee of 5 euros",
        ),
        ("<style>.x{display:none}</style><p class=x>a fee of 5 euros", "a fee of 5 euros"),
    ] {
        assert!(matches!(is(html, phrase), Found::Doubtful(_)), "{html} {:?}", is(html, phrase));
    }
    for (html, phrase) in [
        ("<p dir=rtl>right of withdrawal", "right of withdrawal"),
        ("<p dir=rtl>\u{5d4}\u{5d9}\u{5d5}\u{5dd} 5", "\u{5d4}\u{5d9}\u{5d5}\u{5dd} 5"),
        ("<div style='float:left'>a fee of 5 euros</div>", "a fee of 5 euros"),
        ("<div style='background:#000'><p style='color:#fff'>a fee of 5 euros</div>", "a fee of 5 euros"),
        ("<div class=dark><p style='color:#fff'>a fee of 5 euros</div>", "a fee of 5 euros"),
        ("<p style='color:#333'>a fee of 5 euros", "a fee of 5 euros"),
        ("<template><p>x</template><p>a fee of 5 euros", "a fee of 5 euros"),
    ] {
        assert_eq!(is(html, phrase), Found::Present, "{html}");
    }
    assert_eq!(is("<p><span style='float:right'>not</span> shall", "euros"), Found::Absent);
}

#[test]
fn letters_that_look_alike_are_doubtful_and_attributes_are_no_scripts() {
    let cyrillic = is("<p>the f\u{435}e is 5 euros", "the fee is 5 euros");
    assert!(matches!(cyrillic, Found::Doubtful(why) if why.contains("look alike")), "{cyrillic:?}");
    assert_eq!(is("<p>the f\u{435}e is 5 euros", "the tax is 5 euros"), Found::Absent);
    for html in ["<meta name=description content='the fee is 5'><p>x", "<p data-x='the fee is 5'>x"] {
        let found = is(html, "the fee is 5");
        assert!(matches!(found, Found::Doubtful(why) if why.contains("an attribute")), "{html} {found:?}");
    }
    let event = is("<p onclick='say(\"the fee is 5\")'>x", "the fee is 5");
    assert!(matches!(event, Found::Doubtful(why) if why.contains("a script")), "{event:?}");
}
