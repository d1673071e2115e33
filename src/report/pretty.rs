//! JSON for people to read: indented, and zero is `0.0` whichever sign a sum of nothing gave it.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{Formatter, PrettyFormatter};

/// Writes a value, indented. One type of writer: each further one would compile every model again.
pub(crate) fn write(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(out, Unsigned(PrettyFormatter::new()));
    value.serialize(&mut serializer).map_err(io::Error::from)
}

struct Unsigned(PrettyFormatter<'static>);

impl Formatter for Unsigned {
    fn write_f64<W: ?Sized + Write>(&mut self, out: &mut W, value: f64) -> io::Result<()> {
        self.0.write_f64(out, value + 0.0)
    }

    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_array(out)
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array(out)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(out, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_array_value(out)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object(out)
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object(out)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object_value(out)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object_value(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_usual_form_but_for_the_sign_of_zero() {
        let value = serde_json::json!({"a": [1, 2.5, null], "b": {"c": "x", "d": []}, "e": {}, "f": -1e-9});
        let mut text = Vec::new();
        write(&mut text, &value).unwrap();
        assert_eq!(text, serde_json::to_vec_pretty(&value).unwrap());
        let mut text = Vec::new();
        write(&mut text, &[-0.0, 0.0]).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), "[\n  0.0,\n  0.0\n]");
    }
}
