//! The trait that field types of observations implement, and the implementations.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::bytes::{Reader, SharedNames, put_digest, put_number, put_text};
use crate::digest::{BodyDigest, Digest};
use crate::html::link_list::Links;
use crate::html::links::LinkKind;
use crate::html::sitemap::Entry;
use crate::html::soft404::Soft404;
use crate::time::Instant;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    Text,
    /// A number that is not negative.
    Number,
    /// An instant in UTC.
    Time,
    /// True or false.
    Flag,
}

/// A column of the flat form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Column {
    /// Its name: the key in JSON; inside a record within the record, both keys joined by `_`.
    pub name: String,
    /// What it holds.
    pub kind: ColumnKind,
}

/// A value of the flat form.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value<'a> {
    /// Unknown.
    Null,
    /// See [`ColumnKind::Text`].
    Text(Cow<'a, str>),
    /// See [`ColumnKind::Number`].
    Number(u64),
    /// See [`ColumnKind::Time`].
    Time(Instant),
    /// See [`ColumnKind::Flag`].
    Flag(bool),
}

/// The type of a field.
pub(crate) trait Field: Sized {
    /// Whether it may be unknown: it then has a flag in the bytes of its record.
    const OPTIONAL: bool = false;
    /// How many columns it fills.
    const WIDTH: usize = 1;

    /// Whether there is a value; only an `Option` can lack one.
    fn is_known(&self) -> bool {
        true
    }

    /// The field where it is unknown; `None` where it has to be known.
    fn absent() -> Option<Self> {
        None
    }

    /// Appends its bytes.
    fn encode(&self, out: &mut Vec<u8>, names: &mut SharedNames);

    /// Reads its bytes.
    fn decode(reader: &mut Reader<'_>, names: &SharedNames) -> Option<Self>;

    /// Steps over its bytes.
    fn skip(reader: &mut Reader<'_>) -> Option<()>;

    /// Appends its JSON.
    fn json(&self, line: &mut Vec<u8>);

    /// Appends its columns, named after the field.
    fn columns(name: &str, columns: &mut Vec<Column>);

    /// Gives the values of its columns.
    fn values<'a>(&'a self, give: &mut dyn FnMut(Value<'a>));

    fn schema() -> Json;
}

impl<T: Field> Field for Option<T> {
    const OPTIONAL: bool = true;
    const WIDTH: usize = T::WIDTH;

    fn is_known(&self) -> bool {
        self.is_some()
    }

    fn absent() -> Option<Self> {
        Some(None)
    }

    fn encode(&self, out: &mut Vec<u8>, names: &mut SharedNames) {
        if let Some(value) = self {
            value.encode(out, names);
        }
    }

    fn decode(reader: &mut Reader<'_>, names: &SharedNames) -> Option<Self> {
        T::decode(reader, names).map(Some)
    }

    fn skip(reader: &mut Reader<'_>) -> Option<()> {
        T::skip(reader)
    }

    fn json(&self, line: &mut Vec<u8>) {
        match self {
            Some(value) => value.json(line),
            None => line.extend_from_slice(b"null"),
        }
    }

    fn columns(name: &str, columns: &mut Vec<Column>) {
        T::columns(name, columns);
    }

    fn values<'a>(&'a self, give: &mut dyn FnMut(Value<'a>)) {
        match self {
            Some(value) => value.values(give),
            None => (0..T::WIDTH).for_each(|_| give(Value::Null)),
        }
    }

    fn schema() -> Json {
        let mut schema = T::schema();
        match schema.get_mut("type") {
            Some(Json::String(name)) => schema["type"] = json!([name, "null"]),
            _ => return json!({ "oneOf": [schema, { "type": "null" }] }),
        }
        if let Some(words) = schema.get_mut("enum").and_then(Json::as_array_mut) {
            words.push(Json::Null);
        }
        schema
    }
}

/// The last four of a field that fills one column.
macro_rules! one_column {
    ($kind:ident, $schema:tt, |$value:ident| $of:expr) => {
        fn columns(name: &str, columns: &mut Vec<Column>) {
            columns.push(Column { name: name.to_owned(), kind: ColumnKind::$kind });
        }

        fn values<'a>(&'a self, give: &mut dyn FnMut(Value<'a>)) {
            let $value = self;
            give($of);
        }

        fn schema() -> Json {
            json!($schema)
        }
    };
}

impl Field for String {
    fn encode(&self, out: &mut Vec<u8>, _: &mut SharedNames) {
        put_text(out, self);
    }

    fn decode(reader: &mut Reader<'_>, _: &SharedNames) -> Option<Self> {
        reader.str().map(str::to_owned)
    }

    fn skip(reader: &mut Reader<'_>) -> Option<()> {
        reader.bytes().map(drop)
    }

    fn json(&self, line: &mut Vec<u8>) {
        json_text(line, self);
    }

    one_column!(Text, { "type": "string" }, |value| Value::Text(Cow::Borrowed(value)));
}

impl Field for Arc<str> {
    fn encode(&self, out: &mut Vec<u8>, names: &mut SharedNames) {
        put_number(out, names.number(self));
    }

    fn decode(reader: &mut Reader<'_>, names: &SharedNames) -> Option<Self> {
        names.name(reader.number()?)
    }

    fn skip(reader: &mut Reader<'_>) -> Option<()> {
        reader.number().map(drop)
    }

    fn json(&self, line: &mut Vec<u8>) {
        json_text(line, self);
    }

    one_column!(Text, { "type": "string" }, |value| Value::Text(Cow::Borrowed(value)));
}

impl Field for u64 {
    fn encode(&self, out: &mut Vec<u8>, _: &mut SharedNames) {
        put_number(out, *self);
    }

    fn decode(reader: &mut Reader<'_>, _: &SharedNames) -> Option<Self> {
        reader.number()
    }

    fn skip(reader: &mut Reader<'_>) -> Option<()> {
        reader.number().map(drop)
    }

    fn json(&self, line: &mut Vec<u8>) {
        json_number(line, *self);
    }

    one_column!(Number, { "type": "integer", "minimum": 0 }, |value| Value::Number(*value));
}

impl Field for u16 {
    fn encode(&self, out: &mut Vec<u8>, _: &mut SharedNames) {
        put_number(out, u64::from(*self));
    }

    fn decode(reader: &mut Reader<'_>, _: &SharedNames) -> Option<Self> {
        reader.number()?.try_into().ok()
    }

    fn skip(reader: &mut Reader<'_>) -> Option<()> {
        reader.number().map(drop)
    }

    fn json(&self, line: &mut Vec<u8>) {
        json_number(line, u64::from(*self));
    }

    one_column!(Number, { "type": "integer", "minimum": 0 }, |value| Value::Number(u64::from(*value)));
}

impl Field for f64 {
    fn encode(&self, out: &mut Vec<u8>, _: &mut SharedNames) {
        out.extend_from_slice(&self.to_bits().to_le_bytes());
    }

    fn decode(reader: &mut Reader<'_>, _: &SharedNames) -> Option<Self> {
        reader.word().map(f64::from_bits)
    }

    fn skip(reader: &mut Reader<'_>) -> Option<()> {
        reader.take(8).map(drop)
    }

    fn json(&self, line: &mut Vec<u8>) {
        json_serde(line, self);
    }

    one_column!(Text, { "type": "number" }, |value| json_value(value));
}

/// A list fills one column, with its JSON.
impl<T: Field> Field for Vec<T> {
    fn encode(&self, out: &mut Vec<u8>, names: &mut SharedNames) {
        put_number(out, self.len() as u64);
        self.iter().for_each(|item| item.encode(out, names));
    }

    fn decode(reader: &mut Reader<'_>, names: &SharedNames) -> Option<Self> {
        let count = usize::try_from(reader.number()?).ok()?;
        // Every item takes a byte or more, so a count beyond the rest is not one that was written.
        let mut items = Vec::with_capacity(count.min(reader.rest.len()));
        for _ in 0..count {
            items.push(T::decode(reader, names)?);
        }
        Some(items)
    }

    fn skip(reader: &mut Reader<'_>) -> Option<()> {
        (0..reader.number()?).try_for_each(|_| T::skip(reader))
    }

    fn json(&self, line: &mut Vec<u8>) {
        line.push(b'[');
        for (place, item) in self.iter().enumerate() {
            if place > 0 {
                line.push(b',');
            }
            item.json(line);
        }
        line.push(b']');
    }

    fn columns(name: &str, columns: &mut Vec<Column>) {
        columns.push(Column { name: name.to_owned(), kind: ColumnKind::Text });
    }

    fn values<'a>(&'a self, give: &mut dyn FnMut(Value<'a>)) {
        let mut text = Vec::new();
        self.json(&mut text);
        give(Value::Text(Cow::Owned(String::from_utf8_lossy(&text).into_owned())));
    }

    fn schema() -> Json {
        json!({ "type": "array", "items": T::schema() })
    }
}

impl Field for bool {
    fn encode(&self, out: &mut Vec<u8>, _: &mut SharedNames) {
        out.push(u8::from(*self));
    }

    fn decode(reader: &mut Reader<'_>, _: &SharedNames) -> Option<Self> {
        reader.byte().map(|byte| byte != 0)
    }

    fn skip(reader: &mut Reader<'_>) -> Option<()> {
        reader.byte().map(drop)
    }

    fn json(&self, line: &mut Vec<u8>) {
        line.extend_from_slice(if *self { b"true" } else { b"false" });
    }

    one_column!(Flag, { "type": "boolean" }, |value| Value::Flag(*value));
}

impl Field for Instant {
    fn encode(&self, out: &mut Vec<u8>, _: &mut SharedNames) {
        out.extend_from_slice(&self.0.to_le_bytes());
    }

    fn decode(reader: &mut Reader<'_>, _: &SharedNames) -> Option<Self> {
        reader.time()
    }

    fn skip(reader: &mut Reader<'_>) -> Option<()> {
        reader.take(8).map(drop)
    }

    fn json(&self, line: &mut Vec<u8>) {
        line.push(b'"');
        self.write_rfc3339(line);
        line.push(b'"');
    }

    one_column!(Time, { "type": "string", "format": "date-time" }, |value| Value::Time(*value));
}

impl Field for Digest {
    fn encode(&self, out: &mut Vec<u8>, _: &mut SharedNames) {
        put_digest(out, self);
    }

    fn decode(reader: &mut Reader<'_>, _: &SharedNames) -> Option<Self> {
        reader.digest()
    }

    fn skip(reader: &mut Reader<'_>) -> Option<()> {
        reader.digest().map(drop)
    }

    fn json(&self, line: &mut Vec<u8>) {
        json_plain(line, self);
    }

    one_column!(Text, { "type": "string" }, |value| Value::Text(Cow::Owned(value.to_string())));
}

impl Field for BodyDigest {
    fn encode(&self, out: &mut Vec<u8>, _: &mut SharedNames) {
        out.extend_from_slice(&self.0);
    }

    fn decode(reader: &mut Reader<'_>, _: &SharedNames) -> Option<Self> {
        reader.body()
    }

    fn skip(reader: &mut Reader<'_>) -> Option<()> {
        reader.take(32).map(drop)
    }

    fn json(&self, line: &mut Vec<u8>) {
        json_plain(line, self);
    }

    one_column!(Text, { "type": "string" }, |value| Value::Text(Cow::Owned(value.to_string())));
}

impl Field for Links {
    fn encode(&self, out: &mut Vec<u8>, _: &mut SharedNames) {
        // Behind their length in bytes, so that they are stepped over at once.
        let start = out.len();
        out.extend_from_slice(&[0; 8]);
        for (kind, url) in self.iter() {
            out.push(kind as u8);
            put_text(out, url);
        }
        let length = (out.len() - start - 8) as u64;
        out[start..start + 8].copy_from_slice(&length.to_le_bytes());
    }

    fn decode(reader: &mut Reader<'_>, _: &SharedNames) -> Option<Self> {
        let length = usize::try_from(reader.word()?).ok()?;
        let mut list = Reader { rest: reader.take(length)? };
        let mut links = Links::default();
        while !list.rest.is_empty() {
            let kind = *LinkKind::ALL.get(usize::from(list.byte()?))?;
            links.push(kind, list.str()?);
        }
        Some(links)
    }

    fn skip(reader: &mut Reader<'_>) -> Option<()> {
        let length = usize::try_from(reader.word()?).ok()?;
        reader.take(length).map(drop)
    }

    fn json(&self, line: &mut Vec<u8>) {
        json_serde(line, self);
    }

    one_column!(Text, {
        "type": "array",
        "items": {
            "type": "object",
            "required": ["kind", "url"],
            "properties": { "kind": { "type": "string", "enum": LinkKind::ALL }, "url": { "type": "string" } }
        }
    }, |value| json_value(value));
}

/// An enum with few values: its byte is its place among them, its text the word that reports have.
macro_rules! enum_field {
    ($type:ty, $all:expr) => {
        impl $crate::capture::field::Field for $type {
            fn encode(&self, out: &mut Vec<u8>, _: &mut $crate::capture::bytes::SharedNames) {
                let place = $all.iter().position(|value| value == self).unwrap_or_default();
                out.push(place as u8);
            }

            fn decode(
                reader: &mut $crate::capture::bytes::Reader<'_>,
                _: &$crate::capture::bytes::SharedNames,
            ) -> Option<Self> {
                $all.get(usize::from(reader.byte()?)).copied()
            }

            fn skip(reader: &mut $crate::capture::bytes::Reader<'_>) -> Option<()> {
                reader.byte().map(drop)
            }

            fn json(&self, line: &mut Vec<u8>) {
                $crate::capture::field::json_serde(line, self);
            }

            fn columns(name: &str, columns: &mut Vec<$crate::capture::field::Column>) {
                <String as $crate::capture::field::Field>::columns(name, columns);
            }

            fn values<'a>(&'a self, give: &mut dyn FnMut($crate::capture::field::Value<'a>)) {
                let word = serde_json::to_value(self).ok();
                let word = word.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default();
                give($crate::capture::field::Value::Text(word.to_owned().into()));
            }

            fn schema() -> serde_json::Value {
                serde_json::json!({ "type": "string", "enum": $all })
            }
        }
    };
}

pub(crate) use enum_field;

/// A field that is rare and wordy: its bytes are its JSON.
macro_rules! json_field {
    ($type:ty, $schema:tt) => {
        impl Field for $type {
            fn encode(&self, out: &mut Vec<u8>, _: &mut SharedNames) {
                put_text(out, &serde_json::to_string(self).unwrap_or_default());
            }

            fn decode(reader: &mut Reader<'_>, _: &SharedNames) -> Option<Self> {
                serde_json::from_str(reader.str()?).ok()
            }

            fn skip(reader: &mut Reader<'_>) -> Option<()> {
                reader.bytes().map(drop)
            }

            fn json(&self, line: &mut Vec<u8>) {
                json_serde(line, self);
            }

            one_column!(Text, $schema, |value| json_value(value));
        }
    };
}

json_field!(Soft404, {
    "type": "object",
    "required": ["sign"],
    "properties": {
        "sign": { "type": "string", "enum": Soft404::SIGNS },
        "words": { "type": "string" },
        "score": { "type": "number", "minimum": 0, "maximum": 1 },
        "urls": { "type": "integer", "minimum": 0 },
        "url": { "type": "string" }
    }
});
json_field!(Vec<Entry>, {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["url"],
        "properties": {
            "url": { "type": "string" },
            "last_modified": { "type": "string", "format": "date-time" },
            "change_freq": { "type": "string" },
            "priority": { "type": "number", "minimum": 0, "maximum": 1 }
        }
    }
});

pub(crate) fn json_value<'a>(value: &impl serde::Serialize) -> Value<'a> {
    Value::Text(Cow::Owned(serde_json::to_string(value).unwrap_or_default()))
}

pub(crate) fn json_serde(line: &mut Vec<u8>, value: &impl serde::Serialize) {
    // Writing to memory does not fail.
    let _ = serde_json::to_writer(line, value);
}

fn json_text(line: &mut Vec<u8>, text: &str) {
    let needs_escape = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
    // Without an early exit, so that many bytes are compared at once.
    if text.as_bytes().iter().fold(false, |found, byte| found | needs_escape(byte)) {
        return json_serde(line, &text);
    }
    line.push(b'"');
    line.extend_from_slice(text.as_bytes());
    line.push(b'"');
}

/// Something whose text needs no escape: a digest.
pub(crate) fn json_plain(line: &mut Vec<u8>, value: impl std::fmt::Display) {
    let mut label = String::with_capacity(80);
    let _ = write!(label, "\"{value}\"");
    line.extend_from_slice(label.as_bytes());
}

fn json_number(line: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    line.extend_from_slice(&digits[at..]);
}
