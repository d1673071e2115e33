//! Links of feeds: RSS in all its versions, and Atom.
//!
//! A feed lists pages of its site, so what it names counts like a link that a reader follows: `link`, `enclosure`,
//! `comments`, `guid`, `media:content`. Pictures do not count: no page of the site is displayed with them. The markup of summaries
//! is read too; of it only absolute addresses count, because readers of feeds resolve relative ones differently.
//!
//! Source: RSS 2.0 specification; RFC 4287 (Atom). The text is hostile: entities are never expanded, and lengths are
//! bounded.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::charref::decode_attribute;
use super::links::{LinkKind, LinkScanner, relation};

/// Number of bytes at the start of a file in which the root of a feed has to be.
pub(crate) const ROOT: usize = 4096;
/// Maximum bytes of text per element.
const MAX_TEXT: usize = 1 << 20;

/// Whether a text begins like a feed.
pub(crate) fn is_feed(head: &[u8]) -> bool {
    let head = &head[..head.len().min(ROOT)];
    [&b"<rss"[..], b"<feed", b"<rdf:RDF", b"<RDF"]
        .iter()
        .any(|root| memchr::memmem::find(head, root).is_some())
}

/// Reports every link of a feed: not yet resolved. Reads as far as the text can be read.
pub(crate) fn links(text: &str, emit: &mut impl FnMut(LinkKind, &[u8])) {
    let mut reader = Reader::from_str(text);
    let config = reader.config_mut();
    (config.check_end_names, config.allow_unmatched_ends, config.allow_dangling_amp) = (false, true, true);
    let mut value = String::new();
    let mut is_permalink = false;
    // Of an item: its permanent address, which counts where it has no other.
    let (mut permalink, mut has_link): (Option<String>, bool) = (None, false);
    loop {
        match reader.read_event() {
            Ok(Event::Start(start)) => {
                attributes(&start, emit);
                is_permalink = names_page(&start);
                if start.local_name().as_ref() == "item" {
                    (permalink, has_link) = (None, false);
                }
                value.clear();
            }
            Ok(Event::Empty(start)) => attributes(&start, emit),
            Ok(Event::Text(text)) => push(&mut value, &text.xml10_content()),
            Ok(Event::CData(text)) => push(&mut value, &text.xml10_content()),
            Ok(Event::GeneralRef(reference)) => match reference.resolve_char_ref() {
                Ok(Some(character)) => push(&mut value, character.encode_utf8(&mut [0; 4])),
                _ => push(&mut value, super::sitemap::predefined(&reference)),
            },
            Ok(Event::End(end)) => {
                let text = value.trim();
                match end.local_name().as_ref() {
                    name @ ("link" | "comments") if !text.is_empty() => {
                        has_link |= name == "link";
                        emit(LinkKind::Anchor, text.as_bytes());
                    }
                    "guid" if is_permalink && text.starts_with("http") => permalink = Some(text.to_owned()),
                    "item" => {
                        let address = permalink.take().filter(|_| !has_link);
                        address.iter().for_each(|address| emit(LinkKind::Anchor, address.as_bytes()));
                    }
                    "description" | "encoded" | "summary" | "content" if text.contains('<') => {
                        markup(text, emit);
                    }
                    _ => {}
                }
                value.clear();
            }
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
    }
}

/// Whether a `guid` is the address of its page, as it is unless `isPermaLink` denies it.
fn names_page(start: &BytesStart<'_>) -> bool {
    let mut attributes = start.html_attributes();
    !attributes.with_checks(false).flatten().any(|attribute| {
        attribute.key.as_ref().eq_ignore_ascii_case("isPermaLink")
            && attribute.value.trim().eq_ignore_ascii_case("false")
    })
}

/// Links in attributes: Atom's `link`, `enclosure`, `media:content`, `media:thumbnail` and the like.
fn attributes(start: &BytesStart<'_>, emit: &mut impl FnMut(LinkKind, &[u8])) {
    let (mut address, mut rel, mut is_picture) = (None, String::new(), false);
    for attribute in start.html_attributes().with_checks(false).flatten() {
        let mut value = Vec::new();
        decode_attribute(attribute.value.as_bytes(), &mut value);
        let value = String::from_utf8_lossy(&value).into_owned();
        match attribute.key.local_name().as_ref() {
            "href" | "url" | "src" => address = Some(value),
            "rel" => rel = value,
            "type" | "medium" => is_picture |= value.trim_start().to_ascii_lowercase().starts_with("image"),
            _ => {}
        }
    }
    let Some(address) = address.filter(|address| !is_picture && !address.trim().is_empty()) else { return };
    let kind = match start.local_name().as_ref() {
        "link" => match rel.as_str() {
            "" | "alternate" | "enclosure" | "related" | "via" => Some(LinkKind::Anchor),
            "self" | "edit" | "hub" | "edit-media" => Some(LinkKind::Machine),
            other => relation(other.as_bytes()),
        },
        "enclosure" | "content" => Some(LinkKind::Anchor),
        _ => None,
    };
    if let Some(kind) = kind {
        emit(kind, address.trim().as_bytes());
    }
}

/// The links of markup inside a feed.
fn markup(text: &str, emit: &mut impl FnMut(LinkKind, &[u8])) {
    let mut absolute = |kind, value: &[u8]| {
        let is_absolute = [&b"http://"[..], b"https://"]
            .iter()
            .any(|start| value.get(..start.len()).is_some_and(|found| found.eq_ignore_ascii_case(start)));
        if is_absolute && kind == LinkKind::Anchor {
            emit(kind, value);
        }
    };
    let mut scanner = LinkScanner::new();
    scanner.feed(text.as_bytes(), &mut absolute);
    scanner.finish(&mut absolute);
}

fn push(value: &mut String, text: &str) {
    if value.len() + text.len() <= MAX_TEXT {
        value.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<(LinkKind, String)> {
        let mut found = Vec::new();
        links(text, &mut |kind, value: &[u8]| {
            found.push((kind, String::from_utf8_lossy(value).into_owned()))
        });
        found
    }

    #[test]
    fn rss_names_its_items_and_their_files() {
        use LinkKind::*;
        let feed = "<?xml version='1.0'?><rss><channel><link>http://a/</link><image><url>http://a/logo.png</url></image>
            <item><link> http://a/1?x=1&amp;y=2 </link><enclosure url='http://a/1.mp3?a=1&amp;b' type='audio/mpeg'/>
            <media:thumbnail url='t.jpg'/><enclosure url='http://a/p.jpg' type='image/jpeg'/>
            <media:content url='http://a/m.jpg' medium='image'/><guid>http://a/3</guid>
            <description>&lt;img src='http://a/i.png'&gt; &lt;a href='rel'&gt;</description>
            <content:encoded><![CDATA[<a href=\"http://a/2\">two</a>]]></content:encoded></item>
            <item><guid isPermaLink='false'>http://a/3</guid></item><item><guid>http://a/4</guid></item></channel></rss>";
        let expected = [
            (Anchor, "http://a/"),
            (Anchor, "http://a/1?x=1&y=2"),
            (Anchor, "http://a/1.mp3?a=1&b"),
            (Anchor, "http://a/2"),
            (Anchor, "http://a/4"),
        ];
        let found = of(feed);
        let found: Vec<(LinkKind, &str)> =
            found.iter().map(|(kind, value)| (*kind, value.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn atom_names_its_entries_and_keeps_links_for_programs_apart() {
        use LinkKind::*;
        let feed = "<feed xmlns='http://www.w3.org/2005/Atom'><link rel='self' href='/f'/><link href='/'/><logo>/l.png</logo>
            <entry><link rel='alternate' href='/1'/><link rel='edit' href='/e'/><content type='html' src='/c'/></entry></feed>";
        let kinds: Vec<(LinkKind, String)> = of(feed);
        let expected = [(Machine, "/f"), (Anchor, "/"), (Anchor, "/1"), (Machine, "/e"), (Anchor, "/c")];
        assert_eq!(kinds, expected.map(|(kind, value)| (kind, value.to_owned())));
        assert!(is_feed(feed.as_bytes()) && is_feed(b"<?xml?><rdf:RDF>") && !is_feed(b"<urlset>"));
    }

    #[test]
    fn broken_feeds_are_read_as_far_as_they_go() {
        assert_eq!(of("<rss><item><link>http://a/</link><link>http://b/<<").len(), 1);
        for broken in ["", "<", "<rss", "<rss><a b='", "&", "<rss><link href='x' href='y'/>"] {
            of(broken);
        }
    }
}
