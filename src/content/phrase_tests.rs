use proptest::prelude::*;

use super::*;

fn found(html: &[u8], content_type: Option<&str>, phrase: &str) -> Found {
    assert_eq!(fault(phrase), None);
    Phrases::new(&[phrase.to_owned()]).search(html, content_type.map(str::as_bytes), How::Html)[0]
}

fn is(html: &str, phrase: &str) -> Found {
    found(html.as_bytes(), Some("text/html; charset=utf-8"), phrase)
}

#[test]
fn case_white_space_references_accents_inline_tags_and_blocks_do_not_count() {
    for html in [
        "<p>You have a Right of Withdrawal.</p>",
        "<p>right\n\t of&nbsp;with<b>drawal</b>",
        "<li>right of</li><li>withdrawal</li>",
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
    assert_eq!(plain.search(text, Some(b"text/plain"), How::Text), [Found::Present]);
}

#[test]
fn what_cannot_be_told_is_doubtful_and_never_absent() {
    for html in [
        "<p hidden>right of withdrawal</p>",
        "<div style='Display : NONE'><div>right of</div> withdrawal</div>",
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
fn scripts_styles_comments_and_other_words_are_absent() {
    for html in [
        "<script>right of withdrawal</script>",
        "<style>right of withdrawal</style>",
        "<!-- right of withdrawal -->",
        "<a href='right of withdrawal'>x</a>",
        "right of with",
        "withdrawal of right",
        "",
    ] {
        assert_eq!(is(html, "right of withdrawal"), Found::Absent, "{html}");
    }
    assert_eq!(
        is("cafe\u{301}", "cafe"),
        Found::Doubtful("its letters stand there, but with other signs or gaps between them")
    );
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
    assert!(fault(&"x".repeat(LONGEST + 1)).is_some());
    assert_eq!(fault("5"), None);
}

#[test]
fn a_phrase_is_found_wherever_it_stands_in_a_long_text() {
    let phrase = "right of withdrawal — für Käufer";
    for before in [STEP - 40, STEP - 20, STEP - 1, STEP, STEP + 7, 3 * STEP - 11] {
        for fill in ["x ", "ä", "文"] {
            let html = fill.repeat(before / fill.len()) + " " + phrase + &fill.repeat(before / fill.len());
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
            // Behind a blank, so that words stay whole where white space is woven in; never inside of markup.
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
