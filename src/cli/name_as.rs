//! The option `--name-as`: where archives really live, for an index that is made of copies.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use crate::capture::Observation;
use crate::error::{Error, Result};
use crate::ingest::InputFile;

/// A pattern with `{path}`, the path of an archive as it is read, or `{name}`, its last part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern(String);

impl Pattern {
    pub(super) fn parse(text: &str) -> std::result::Result<Self, String> {
        let rest = text.replace("{path}", "").replace("{name}", "");
        match () {
            () if rest.contains(['{', '}']) => Err("only {path} and {name} can be in braces".to_owned()),
            () if text.is_empty() => Err("an empty name names nothing".to_owned()),
            () => Ok(Pattern(text.to_owned())),
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// The name of an archive. What an inserted part holds is not looked at again.
    fn name(&self, path: &str) -> String {
        let (mut name, mut rest) = (String::new(), self.0.as_str());
        while let Some((before, after)) = rest.split_once('{') {
            name.push_str(before);
            let (field, behind) = after.split_once('}').unwrap_or((after, ""));
            // A `#` in the name of a file is part of it; the entry of a package is added later.
            let last = path.rsplit(['/', '\\']).next().unwrap_or(path);
            name.push_str(if field == "path" { path } else { last });
            rest = behind;
        }
        name + rest
    }

    /// The names of some archives.
    ///
    /// # Errors
    /// When two of them would have the same.
    pub(super) fn check<'a>(&self, paths: impl Iterator<Item = &'a str>) -> Result<()> {
        let mut taken: HashMap<String, &str> = HashMap::new();
        for path in paths {
            let name = self.name(path);
            if let Some(other) = taken.insert(name.clone(), path).filter(|other| *other != path) {
                let message = format!("--name-as would name both {other} and {path} {name}");
                return Err(Error::usage(message).with_remedy("write {path} where {name} is not enough"));
            }
        }
        Ok(())
    }
}

/// The new names of the archives that were read.
#[derive(Debug, Default)]
pub(super) struct Names(HashMap<String, Arc<str>>);

impl Names {
    /// The names of the archives among some inputs; an index keeps the names that it has.
    ///
    /// # Errors
    /// When two archives would have the same.
    pub(super) fn new(pattern: Option<&Pattern>, inputs: &[InputFile]) -> Result<Self> {
        let Some(pattern) = pattern else { return Ok(Names::default()) };
        let archives = || inputs.iter().filter(|input| input.format.has_bodies());
        pattern.check(archives().map(|input| divide(input).0))?;
        let named = archives().map(|input| {
            let (path, entry) = divide(input);
            (input.file.clone(), (pattern.name(path) + entry).into())
        });
        Ok(Names(named.collect()))
    }

    /// An observation under its new names.
    pub(super) fn apply<'a>(&self, observation: &'a Observation) -> Cow<'a, Observation> {
        if self.0.is_empty() {
            return Cow::Borrowed(observation);
        }
        let mut observation = observation.clone();
        let refers = observation.refers_to.as_mut().and_then(|refers| refers.file.as_mut());
        let against = observation.contradicts.as_mut().map(|found| &mut found.file);
        for file in [&mut observation.file].into_iter().chain(refers).chain(against) {
            if let Some(name) = self.0.get(&**file) {
                *file = Arc::clone(name);
            }
        }
        Cow::Owned(observation)
    }
}

/// The path of a file, and the name in its package with the `#` before it.
fn divide(input: &InputFile) -> (&str, &str) {
    let rest = input.file.strip_prefix(&input.source).filter(|rest| rest.is_empty() || rest.starts_with('#'));
    let at = rest.map_or_else(|| input.file.find('#'), |rest| Some(input.file.len() - rest.len()));
    input.file.split_at(at.unwrap_or(input.file.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_names_archives_and_refuses_two_of_one_name() {
        let pattern = Pattern::parse("s3://bucket/{name}?v=1").unwrap();
        assert_eq!(pattern.name("in/a.warc.gz"), "s3://bucket/a.warc.gz?v=1");
        assert_eq!(Pattern::parse("/vol/{path}").unwrap().name("in/{name}.warc"), "/vol/in/{name}.warc");
        assert_eq!(pattern.name("in/p#x.warc"), "s3://bucket/p#x.warc?v=1");
        assert!(pattern.check(["a/x", "b/y", "a/x"].into_iter()).is_ok());
        assert!(pattern.check(["a/x", "b/x"].into_iter()).is_err());
        for wrong in ["", "{nam}", "a{", "}"] {
            assert!(Pattern::parse(wrong).is_err(), "{wrong}");
        }
    }
}
