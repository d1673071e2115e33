//! The tokenizer against `html5ever`'s, with the same raw-text switching.

use std::cell::RefCell;

use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, TagKind, Token as Theirs, TokenSink, TokenSinkResult, Tokenizer as TheirTokenizer,
    TokenizerOpts,
};
use proptest::prelude::*;

use super::*;
use crate::html::charref;
use crate::html::css::CssScanner;
use crate::html::links::{Inner, LinkKind, LinkScanner, LinkSink};

/// What both tokenizers are brought to. Text is compared where it means something to us.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Start(String, Vec<(String, String)>),
    End(String),
    Text(String),
}

fn push_text(tokens: &mut Vec<Token>, text: &str) {
    match tokens.last_mut() {
        Some(Token::Text(last)) => last.push_str(text),
        _ if text.is_empty() => {}
        _ => tokens.push(Token::Text(text.to_owned())),
    }
}

/// Ours are cut to `MAX_NAME` bytes; NUL takes three bytes there, so compare a little less.
fn tag_name(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name).to_ascii_lowercase().replace(['\0', '\u{fffd}'], "");
    name.chars().take(tag::MAX_NAME / 4 - 3).collect()
}

#[derive(Default)]
struct Ours {
    tokens: Vec<Token>,
    /// A run of text as it stands, to be decoded when it ends.
    run: Option<(Place, Vec<u8>)>,
}

impl Ours {
    fn flush(&mut self) {
        let Some((place, raw)) = self.run.take() else { return };
        let decodes =
            matches!(place, Place::Data | Place::Raw(RawElement::Title) | Place::Raw(RawElement::Textarea));
        let mut out = Vec::new();
        if decodes {
            charref::decode_text(&raw, true, &mut out);
        } else {
            out = raw;
        }
        // NUL and line ends are the text's user's business: compare without them.
        let text = String::from_utf8(out).unwrap().replace(['\r', '\n', '\0', '\u{fffd}'], "");
        push_text(&mut self.tokens, &text);
    }
}

impl Sink for Ours {
    fn wants(&self, _: Place) -> bool {
        true
    }
    fn start_tag(&mut self, tag: &Tag<'_>) {
        self.flush();
        let mut attributes: Vec<(String, String)> = Vec::new();
        for (name, attribute) in tag.attributes() {
            let name = String::from_utf8(name.to_ascii_lowercase()).unwrap().replace('\0', "\u{fffd}");
            if attributes.iter().all(|(seen, _)| *seen != name) {
                attributes.push((name, String::from_utf8(attribute.value().into_owned()).unwrap()));
            }
        }
        self.tokens.push(Token::Start(tag_name(tag.name), attributes));
    }
    fn end_tag(&mut self, name: &[u8], _: u64) {
        self.flush();
        self.tokens.push(Token::End(tag_name(name)));
    }
    fn interruption(&mut self) {
        self.flush();
    }
    fn text(&mut self, place: Place, text: &[u8]) {
        match &mut self.run {
            Some((at, run)) if *at == place => run.extend_from_slice(text),
            _ => {
                self.flush();
                self.run = Some((place, text.to_vec()));
            }
        }
    }
}

fn ours(pieces: &[&[u8]]) -> Vec<Token> {
    let mut sink = Ours::default();
    let mut tokenizer = Tokenizer::new();
    for piece in pieces {
        tokenizer.feed(piece, &mut sink);
    }
    tokenizer.finish(&mut sink);
    sink.flush();
    sink.tokens
}

#[derive(Default)]
struct TheirSink(RefCell<Vec<Token>>);

impl TokenSink for TheirSink {
    type Handle = ();
    fn process_token(&self, token: Theirs, _: u64) -> TokenSinkResult<()> {
        let mut tokens = self.0.borrow_mut();
        match token {
            Theirs::TagToken(tag) if tag.kind == TagKind::StartTag => {
                let attributes =
                    tag.attrs.iter().map(|a| (a.name.local.to_string(), a.value.to_string())).collect();
                tokens.push(Token::Start(tag_name(tag.name.as_bytes()), attributes));
                return match &*tag.name {
                    "title" | "textarea" => TokenSinkResult::RawData(RawKind::Rcdata),
                    "style" | "xmp" | "iframe" | "noembed" | "noframes" => {
                        TokenSinkResult::RawData(RawKind::Rawtext)
                    }
                    "script" => TokenSinkResult::RawData(RawKind::ScriptData),
                    "plaintext" => TokenSinkResult::Plaintext,
                    _ => TokenSinkResult::Continue,
                };
            }
            Theirs::TagToken(tag) => tokens.push(Token::End(tag_name(tag.name.as_bytes()))),
            Theirs::CharacterTokens(text) => {
                push_text(&mut tokens, &text.replace(['\r', '\n', '\0', '\u{fffd}'], ""));
            }
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

fn theirs(html: &str) -> Vec<Token> {
    let tokenizer =
        TheirTokenizer::new(TheirSink::default(), TokenizerOpts { discard_bom: false, ..Default::default() });
    let queue = BufferQueue::default();
    queue.push_back(html.into());
    let _ = tokenizer.feed(&queue);
    tokenizer.end();
    tokenizer.sink.0.take()
}

/// Comments split runs of text for us but not for `html5ever` and the other way round: join neighbours.
fn joined(tokens: Vec<Token>) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::new();
    for token in tokens {
        match token {
            Token::Text(text) => push_text(&mut out, &text),
            other => out.push(other),
        }
    }
    out
}

fn agree(html: &str) {
    assert_eq!(joined(ours(&[html.as_bytes()])), joined(theirs(html)), "{html:?}");
}

#[test]
fn fixtures_of_odd_markup_are_read_as_html5ever_reads_them() {
    for html in FIXTURES {
        agree(html);
        for cut in 0..=html.len() {
            let (a, b) = html.as_bytes().split_at(cut);
            assert_eq!(ours(&[a, b]), ours(&[html.as_bytes()]), "cut at {cut}: {html:?}");
        }
        let bytes: Vec<&[u8]> = html.as_bytes().chunks(1).collect();
        assert_eq!(ours(&bytes), ours(&[html.as_bytes()]), "byte by byte: {html:?}");
    }
}

const FIXTURES: &[&str] = &[
    "<a href=x>y</a>",
    "<a href='x'>y</a><A HREF=\"z\" href=w>",
    "<a\thref\n=\r\n'x'/><a/href=x/><a href=x/>",
    "<a href=><a href = ><a =x><a ==x><a x=\"y\"z=w><a \"><a b'c=d><a <b>",
    "<!-- <a href=x> --><a><!--><b><!---><c><!----><d><!--x--!><e><!--x--!-><f>--><g>",
    "<!--<!--><a><!--<!---><b><!--<!----><c><!-- -- > --!-- ><d>--!><e><!---!><f>-->",
    "<!doctype html public \">\" '><a>'><b><!x><c><?xml ?><d></ x><e></><f></3><g><!-><h><![CDATA[<i>]]><j>",
    "< a><3><a<b><a/b><a//b=c/ d>",
    "<script><a href=x></script><b><script><!--<script></script>--><a></script><c>",
    "<script><!--<script></script><a></script><b></script><c>",
    "<script><!--></script><a><script><!-- --><a></script><b>",
    "<script><!-<a></script><b><script><!--<scriptx></script><c><script><!--<script/</script>--></script><d>",
    "<script><!-- -- <></script><e><script><!----<!----></script><f><script></scriptx></script ><g>",
    "<script></script a='>'><b><SCRIPT></ScRiPt\n><c><script>x</script/><d>",
    "<script><!--<SCRIPT >--</script>--></SCRIPT ><d><script><!--<script>--><a></script><b>",
    "<style><a></style><b><textarea><a></textarea><title></titl></title ><c>&amp;&lt",
    "<xmp><a></xmp><iframe><a></iframe><noembed><a></noembed><noframes><a></noframes><d>",
    "<noscript><a href=x></noscript><select><a href=y></select>",
    "<plaintext><a></plaintext>",
    "<title>a &amp; b</title>&ampx &notit; &#65 &#x110000; &",
    "<a href='?a&amp;b&copy=1&copy&lt;x&notin;&#0;&#x80;\0\r\n\r'>",
    "<a href=?a&amp=b&lt>x<a href=\"&\"><a href='&amp'><a href='&#'>",
    "<a\0b c\0d=e\0f>",
    "<a",
    "<a href='x",
    "<",
    "</",
    "</a",
    "x<!",
    "<title>x</title",
    "<textarea><!-- </textarea> --><a>",
];

/// Markup made of the pieces that decide something in the tokenizer.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "<",
        ">",
        "/",
        "!",
        "-",
        "--",
        "<!--",
        "-->",
        "--!>",
        "<!",
        "?",
        "=",
        "\"",
        "'",
        " ",
        "\t",
        "\n",
        "\r",
        "\r\n",
        "\0",
        "a",
        "b",
        "href",
        "src",
        "HREF",
        "style",
        "<a ",
        "<a href=",
        "<img ",
        "<img src=x ",
        "srcset='y 2x' ",
        "<link ",
        " rel=",
        " rel='icon' href=z",
        "imagesrcset",
        "<meta ",
        " http-equiv=refresh content='0;url=r' ",
        "<button ",
        "formaction=f",
        "<b>",
        "</b>",
        "</a ",
        "<script>",
        "<script ",
        "</script>",
        "</script",
        "</SCRIPT ",
        "<style>",
        "</style>",
        "<title>",
        "</title>",
        "<textarea",
        "</textarea>",
        "<xmp>",
        "</xmp>",
        "<iframe>",
        "</iframe>",
        "<noscript>",
        "<plaintext>",
        "&",
        "&amp",
        "&amp;",
        "&lt",
        "&not",
        "&notin;",
        "in;",
        "&#",
        "&#x",
        "41",
        ";",
        "&#0",
        "&copy",
        "é",
        "\u{1F600}",
        "[CDATA[",
        "]]>",
        "doctype",
        "x",
        "script",
        "/>",
        "='",
        "=\"",
        "<p ",
        "<div class=\"",
        "<div>",
        "</div>",
        " background",
        "=x ",
        "a b c d e f g h ",
        "<a class=\"",
        "\" href=\"",
        "\">",
        "xlink:",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// The same with markup that follows the rules of XML, and with documents inside.
fn foreign() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "<svg>",
        "<svg ",
        "</svg>",
        "<math>",
        "</math>",
        "<foreignObject>",
        "</foreignObject>",
        "<script/>",
        "<script src=s />",
        "<title/>",
        "<style>p{x:url(u)}",
        "</style>",
        "<![CDATA[",
        "]]>",
        "]",
        ">",
        "/",
        "<a href=x>",
        "<a xlink:href=y />",
        "<image href=i />",
        "<div>",
        "<p>",
        "<noframes>",
        "</noframes>",
        "<iframe srcdoc='<img src=z>'>",
        "<iframe srcdoc=\"&lt;a href=w&gt;",
        "\">",
        "</iframe>",
        "text",
        " ",
    ]);
    prop::collection::vec(piece, 0..25).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hostile_markup_is_read_as_html5ever_reads_it(html in hostile()) {
        prop_assert_eq!(joined(ours(&[html.as_bytes()])), joined(theirs(&html)));
    }

    #[test]
    fn any_way_to_cut_the_input_gives_the_same_tokens(html in prop_oneof![hostile(), foreign()], cuts in prop::collection::vec(0usize..400, 0..8)) {
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(html.len())).collect();
        cuts.sort_unstable();
        let mut pieces = Vec::new();
        let mut from = 0;
        for cut in cuts {
            pieces.push(&html.as_bytes()[from..cut]);
            from = cut;
        }
        pieces.push(&html.as_bytes()[from..]);
        prop_assert_eq!(ours(&pieces), ours(&[html.as_bytes()]));
    }
}

/// A sink of links that sees every tag.
struct EveryTag<'a, F>(LinkSink<'a, F>);

impl<F: FnMut(LinkKind, &[u8])> Sink for EveryTag<'_, F> {
    fn wants(&self, place: Place) -> bool {
        self.0.wants(place)
    }
    fn start_tag(&mut self, tag: &Tag<'_>) {
        self.0.start_tag(tag);
    }
    fn end_tag(&mut self, name: &[u8], key: u64) {
        self.0.end_tag(name, key);
    }
    fn interruption(&mut self) {}
    fn text(&mut self, place: Place, text: &[u8]) {
        self.0.text(place, text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_passed_over_holds_no_link(html in prop_oneof![hostile(), foreign()], step in prop::sample::select(vec![7usize, 40, 10_000])) {
        // A tag near the end is never skipped.
        let html = html + "                 ";
        let (mut quick, mut every) = (Vec::new(), Vec::new());
        let mut scanner = LinkScanner::new();
        let mut emit = |kind, value: &[u8]| quick.push((kind, value.to_vec()));
        html.as_bytes().chunks(step).for_each(|piece| scanner.feed(piece, &mut emit));
        scanner.finish(&mut emit);
        let (mut tokenizer, mut css, mut inner) = (Tokenizer::new(), CssScanner::default(), Inner::default());
        let mut emit = |kind, value: &[u8]| every.push((kind, value.to_vec()));
        tokenizer.feed(html.as_bytes(), &mut EveryTag(LinkSink { css: &mut css, inner: &mut inner, emit: &mut emit }));
        tokenizer.finish(&mut EveryTag(LinkSink { css: &mut css, inner: &mut inner, emit: &mut emit }));
        css.finish(&mut emit);
        inner.finish(&mut emit);
        prop_assert_eq!(quick, every);
    }
}

/// The counts of dropped attributes and the tokens of `html`, cut every `step` bytes.
fn cut(html: &str, step: usize) -> (u64, Vec<Token>, usize) {
    let mut sink = Ours::default();
    let mut tokenizer = Tokenizer::new();
    let mut most = 0;
    for piece in html.as_bytes().chunks(step) {
        tokenizer.feed(piece, &mut sink);
        most = most.max(tokenizer.carry.capacity());
    }
    tokenizer.finish(&mut sink);
    sink.flush();
    (tokenizer.dropped, sink.tokens, most)
}

#[test]
fn an_overlong_attribute_is_dropped_and_the_rest_of_the_tag_is_kept() {
    let long = "A".repeat(3_000_000);
    let html = format!(
        "<img alt=1 src='data:{long}' srcset=b.png src=second{}title=x><a href=y>",
        " ".repeat(900_000)
    );
    let whole = cut(&html, usize::MAX);
    assert_eq!(whole.0, 1);
    let Token::Start(name, attributes) = &whole.1[0] else { panic!("a start tag first") };
    assert_eq!(name, "img");
    let of = |key: &str| attributes.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str());
    assert_eq!(
        (of("alt"), of("src"), of("srcset"), of("title")),
        (Some("1"), Some(""), Some("b.png"), Some("x"))
    );
    assert_eq!(whole.1.len(), 2);
    for step in [1000, 65_536, 1_000_000] {
        let pieces = cut(&html, step);
        assert_eq!((pieces.0, &pieces.1), (whole.0, &whole.1), "cut every {step} bytes");
        assert!(pieces.2 < 2 * 1024 * 1024, "the buffer is bounded: {}", pieces.2);
    }
}

#[test]
fn many_attributes_and_a_boundless_name_end_in_dropped_ones_not_in_memory() {
    let many: String = (0..5000).map(|i| format!(" a{i}=1")).collect();
    let html = format!("<p{many}><{} href=x><a href=y>", "n".repeat(1_000_000));
    let whole = cut(&html, usize::MAX);
    assert_eq!(whole.0, 5000 - tag::MAX_ATTRIBUTES as u64);
    assert_eq!(whole.1.len(), 3);
    let pieces = cut(&html, 777);
    assert_eq!((pieces.0, &pieces.1), (whole.0, &whole.1));
    let tag = format!("<a {}", "x='".repeat(100) + &"y".repeat(2_000_000));
    assert!(cut(&tag, 5000).1.is_empty());
}
