//! Enums whose values are words: the words are listed once, beside the values.

/// Defines an enum whose values are words, in JSON too.
macro_rules! word_enum {
    (
        $(#[$meta:meta])*
        pub enum $name:ident { $( $(#[$doc:meta])* $variant:ident = $word:literal, )* }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name { $( $(#[$doc])* #[serde(rename = $word)] $variant, )* }

        impl $name {
            /// All values, in the order of their numbers.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The word for the value.
            pub fn word(self) -> &'static str {
                match self { $( Self::$variant => $word, )* }
            }
        }
    };
}

pub(crate) use word_enum;
