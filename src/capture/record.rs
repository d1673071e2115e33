//! Records of fields, each field listed once.
//!
//! A record lists its fields with [`record!`]. From that list come the struct, its compact bytes, its JSON, the flat
//! columns of CSV and Parquet, and its JSON schema: no output can lack a field.

use serde_json::{Map, Value as Json, json};

/// The place of a name in a list of fields, at compile time.
pub(crate) const fn place_of(fields: &[&str], name: &str) -> usize {
    let mut at = 0;
    while at < fields.len() {
        let (one, other) = (fields[at].as_bytes(), name.as_bytes());
        let mut same = one.len() == other.len();
        let mut byte = 0;
        while same && byte < one.len() {
            same = one[byte] == other[byte];
            byte += 1;
        }
        if same {
            return at;
        }
        at += 1;
    }
    panic!("no field has that name")
}

/// The schema of a record from those of its fields: name, whether its key is always there, documentation, schema.
pub(crate) fn object_schema(fields: Vec<(&str, bool, String, Json)>) -> Json {
    let required: Vec<&str> = fields.iter().filter(|field| field.1).map(|field| field.0).collect();
    let properties: Map<String, Json> = fields
        .iter()
        .map(|(name, _, description, schema)| {
            let mut schema = schema.clone();
            schema["description"] = json!(description);
            ((*name).to_owned(), schema)
        })
        .collect();
    json!({ "type": "object", "required": required, "properties": properties })
}

/// Whether a field is marked with a word.
macro_rules! is_marked {
    (omit: omit $($rest:ident)*) => { true };
    (late: late $($rest:ident)*) => { true };
    ($word:ident: $other:ident $($rest:ident)*) => { is_marked!($word: $($rest)*) };
    ($word:ident:) => { false };
}

/// Defines a record by the list of its fields.
///
/// A field marked `omit` has no key in JSON where it is unknown (others have `null`). A field marked `late` is not
/// part of the encoded record: it becomes known later, and `ingest::codec` appends it.
macro_rules! record {
    (
        flags $flags:ty;
        $(#[$meta:meta])*
        pub struct $record:ident {
            $( $(#[doc = $doc:literal])* $field:ident: $type:ty $([$($mark:ident)*])?, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, serde::Deserialize)]
        pub struct $record {
            $( $(#[doc = $doc])* pub $field: $type, )*
        }

        impl $record {
            /// The names of all fields, in their order.
            pub(crate) const FIELDS: &'static [&'static str] = &[$(stringify!($field)),*];

            /// Reads up to the fields at the places `wanted`, which ascend, and gives a reader at each that is known.
            #[inline]
            pub(crate) fn locate<'a, const N: usize>(
                reader: &mut $crate::capture::bytes::Reader<'a>,
                wanted: &[usize; N],
            ) -> Option<[Option<$crate::capture::bytes::Reader<'a>>; N]> {
                use $crate::capture::field::Field;
                let flags = <$flags>::from_le_bytes(reader.take(size_of::<$flags>())?.try_into().ok()?);
                let (mut found, mut next, mut place) = ([None; N], 0, 0);
                $(
                    let is_there = !is_marked!(late: $($($mark)*)?)
                        && (!<$type as Field>::OPTIONAL || flags >> place & 1 != 0);
                    if next < N && wanted[next] == place {
                        found[next] = is_there.then_some(*reader);
                        next += 1;
                        if next == N {
                            return Some(found);
                        }
                    }
                    if is_there {
                        <$type as Field>::skip(reader)?;
                    }
                    place += 1;
                )*
                (place == Self::FIELDS.len()).then_some(found)
            }
        }

        impl $crate::capture::field::Field for $record {
            const WIDTH: usize = 0 $( + <$type as $crate::capture::field::Field>::WIDTH )*;

            fn encode(&self, out: &mut Vec<u8>, names: &mut $crate::capture::bytes::SharedNames) {
                use $crate::capture::field::Field;
                let start = out.len();
                out.extend_from_slice(&[0; size_of::<$flags>()]);
                let (mut flags, mut place): ($flags, u32) = (0, 0);
                $(
                    if !is_marked!(late: $($($mark)*)?) {
                        flags |= <$flags>::from(<$type as Field>::OPTIONAL && self.$field.is_known()) << place;
                        self.$field.encode(out, names);
                    }
                    place += 1;
                )*
                debug_assert!(place <= <$flags>::BITS);
                out[start..start + size_of::<$flags>()].copy_from_slice(&flags.to_le_bytes());
            }

            fn decode(
                reader: &mut $crate::capture::bytes::Reader<'_>,
                names: &$crate::capture::bytes::SharedNames,
            ) -> Option<Self> {
                use $crate::capture::field::Field;
                let flags = <$flags>::from_le_bytes(reader.take(size_of::<$flags>())?.try_into().ok()?);
                let mut place = 0u32..;
                Some($record {
                    $( $field: {
                        let place = place.next()?;
                        let is_there = !is_marked!(late: $($($mark)*)?)
                            && (!<$type as Field>::OPTIONAL || flags >> place & 1 != 0);
                        match is_there {
                            true => <$type as Field>::decode(reader, names)?,
                            false => <$type as Field>::absent()?,
                        }
                    }, )*
                })
            }

            fn skip(reader: &mut $crate::capture::bytes::Reader<'_>) -> Option<()> {
                Self::locate(reader, &[]).map(drop)
            }

            fn json(&self, line: &mut Vec<u8>) {
                let start = line.len();
                $(
                    if !is_marked!(omit: $($($mark)*)?) || self.$field.is_known() {
                        line.extend_from_slice(concat!(",\"", stringify!($field), "\":").as_bytes());
                        self.$field.json(line);
                    }
                )*
                match line.get_mut(start) {
                    Some(first) => *first = b'{',
                    None => line.push(b'{'),
                }
                line.push(b'}');
            }

            fn columns(name: &str, columns: &mut Vec<$crate::capture::field::Column>) {
                use $crate::capture::field::Field;
                let prefix = if name.is_empty() { String::new() } else { format!("{name}_") };
                $( <$type as Field>::columns(&format!("{prefix}{}", stringify!($field)), columns); )*
            }

            fn values<'a>(&'a self, give: &mut dyn FnMut($crate::capture::field::Value<'a>)) {
                $( self.$field.values(give); )*
            }

            fn schema() -> serde_json::Value {
                use $crate::capture::field::Field;
                $crate::capture::record::object_schema(vec![$( (
                    stringify!($field),
                    !is_marked!(omit: $($($mark)*)?),
                    [$($doc),*].concat().trim().to_owned(),
                    <$type as Field>::schema(),
                ), )*])
            }
        }
    };
}

/// Defines an enum whose values are words, as a field of a record.
macro_rules! words {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $( $(#[$doc:meta])* $variant:ident = $word:literal, )* }
    ) => {
        $crate::word_enum::word_enum! {
            $(#[$meta])*
            pub enum $name { $( $(#[$doc])* $variant = $word, )* }
        }

        impl $crate::capture::field::Field for $name {
            fn encode(&self, out: &mut Vec<u8>, _: &mut $crate::capture::bytes::SharedNames) {
                out.push(*self as u8);
            }

            fn decode(
                reader: &mut $crate::capture::bytes::Reader<'_>,
                _: &$crate::capture::bytes::SharedNames,
            ) -> Option<Self> {
                Self::ALL.get(usize::from(reader.byte()?)).copied()
            }

            fn skip(reader: &mut $crate::capture::bytes::Reader<'_>) -> Option<()> {
                reader.byte().map(drop)
            }

            fn json(&self, line: &mut Vec<u8>) {
                $crate::capture::field::json_plain(line, self.word());
            }

            fn columns(name: &str, columns: &mut Vec<$crate::capture::field::Column>) {
                <String as $crate::capture::field::Field>::columns(name, columns);
            }

            fn values<'a>(&'a self, give: &mut dyn FnMut($crate::capture::field::Value<'a>)) {
                give($crate::capture::field::Value::Text(self.word().into()));
            }

            fn schema() -> serde_json::Value {
                serde_json::json!({ "type": "string", "enum": [$($word),*] })
            }
        }
    };
}

pub(crate) use {is_marked, record, words};
