//! CDXJ: the JSON object of a line, under the names that writers give its fields.
//!
//! pywb, cdxj-indexer and browsertrix: `url mime status digest length offset filename method redirect`, numbers often as
//! strings. OpenWayback: `uri mct hsc sha rle ref` (`warcfile:NAME#OFFSET`), `rid rou rod roi`. CDX servers: `original
//! mimetype statuscode timestamp`. Common Crawl: `truncated`, with the reason.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{IndexLine, known, without_brackets};

/// A field that is used, by all its names.
#[derive(Clone, Copy, PartialEq)]
enum Field {
    Url,
    Time,
    Mime,
    Status,
    Digest,
    Sha,
    Length,
    Offset,
    File,
    Ref,
    Id,
    Method,
    Redirect,
    Truncated,
    RefersToUrl,
    RefersToTime,
    RefersToId,
    Other,
}

fn field(name: &str) -> Field {
    match name {
        "url" | "uri" | "original" => Field::Url,
        "timestamp" | "date" => Field::Time,
        "mime" | "mct" | "mimetype" | "mime-detected" => Field::Mime,
        "status" | "hsc" | "statuscode" => Field::Status,
        "digest" => Field::Digest,
        "sha" => Field::Sha,
        "length" | "rle" => Field::Length,
        "offset" => Field::Offset,
        "filename" => Field::File,
        "ref" => Field::Ref,
        "rid" | "record_id" | "recordId" => Field::Id,
        "method" => Field::Method,
        "redirect" => Field::Redirect,
        "truncated" => Field::Truncated,
        "rou" => Field::RefersToUrl,
        "rod" => Field::RefersToTime,
        "roi" => Field::RefersToId,
        _ => Field::Other,
    }
}

/// Parses the object of a line into it. An error says what serde found.
pub(super) fn parse<'a>(object: &'a str, line: &mut IndexLine<'a>) -> serde_json::Result<()> {
    let mut deserializer = serde_json::Deserializer::from_str(object);
    deserializer.deserialize_map(Object(line))?;
    deserializer.end()
}

struct Object<'a, 'l>(&'l mut IndexLine<'a>);

impl<'a> Visitor<'a> for Object<'a, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        let line = self.0;
        let mut has_sha = false;
        while let Some(Name(field)) = map.next_key()? {
            if field == Field::Other {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let value = map.next_value::<Scalar<'a>>()?;
            let Some(text) = value.0 else { continue };
            match field {
                Field::Url => line.set_url(text),
                Field::Time => line.set_time(text.as_bytes()),
                Field::Mime => {
                    // Common Crawl has the type it detected beside the one the server named.
                    if line.mime.is_none() {
                        line.set_mime(text);
                    }
                }
                Field::Status => line.set_status(text.as_bytes()),
                Field::Digest => {
                    if !has_sha {
                        line.set_digest(text.as_bytes());
                    }
                }
                // OpenWayback's `digest` is of the record, `sha` of the payload.
                Field::Sha => {
                    has_sha = true;
                    line.set_digest(text.as_bytes());
                }
                Field::Length => line.set_length(text.as_bytes()),
                Field::Offset => line.set_offset(text.as_bytes()),
                Field::File => line.file = known(text),
                Field::Ref => set_reference(line, text),
                Field::Id => line.record_id = known(text).map(without_brackets),
                Field::Method => line.method = known(text),
                Field::Redirect => line.redirect = known(text),
                Field::Truncated => line.truncated = known(text),
                Field::RefersToUrl => line.refers_to_url = known(text),
                Field::RefersToTime => line.refers_to_time = super::date(text.as_bytes()),
                Field::RefersToId => line.refers_to_id = known(text).map(without_brackets),
                Field::Other => {}
            }
        }
        Ok(())
    }
}

/// `warcfile:NAME#OFFSET`.
fn set_reference<'a>(line: &mut IndexLine<'a>, text: Cow<'a, str>) {
    let place = text.strip_prefix("warcfile:").unwrap_or(&text);
    let Some((file, offset)) = place.rsplit_once('#') else { return line.file = known(text) };
    line.set_offset(offset.as_bytes());
    let (from, to) = (text.len() - place.len(), text.len() - place.len() + file.len());
    line.file = known(match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[from..to]),
        Cow::Owned(text) => Cow::Owned(text[from..to].to_owned()),
    });
}

struct Name(Field);

impl<'de> serde::Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameVisitor;
        impl Visitor<'_> for NameVisitor {
            type Value = Name;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }

            fn visit_str<E>(self, name: &str) -> Result<Name, E> {
                Ok(Name(field(name)))
            }
        }
        deserializer.deserialize_str(NameVisitor)
    }
}

/// A string or number as text, borrowed where it can be; `None` for anything else.
struct Scalar<'a>(Option<Cow<'a, str>>);

impl<'de> serde::Deserialize<'de> for Scalar<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = Scalar<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a number")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Scalar<'de>, E> {
        Ok(Scalar(Some(Cow::Borrowed(text))))
    }

    fn visit_str<E>(self, text: &str) -> Result<Scalar<'de>, E> {
        Ok(Scalar(Some(Cow::Owned(text.to_owned()))))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Scalar<'de>, E> {
        Ok(Scalar(Some(Cow::Owned(number.to_string()))))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Scalar<'de>, E> {
        Ok(Scalar(Some(Cow::Owned(number.to_string()))))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Scalar<'de>, E> {
        Ok(Scalar(Some(Cow::Owned(number.to_string()))))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Scalar<'de>, E> {
        Ok(Scalar(None))
    }

    fn visit_unit<E>(self) -> Result<Scalar<'de>, E> {
        Ok(Scalar(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Scalar<'de>, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Scalar(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scalar<'de>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Scalar(None))
    }
}
