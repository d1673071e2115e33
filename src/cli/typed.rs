//! What was typed for an audit, for the commands that its report suggests to repeat.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::ValueEnum;

use super::audit_args::AuditArgs;
use super::input::DigestsArg;
use super::select::{CanonArg, EvidenceArg, PagesArg};
use super::values::{Below, ChangeArg, CompareArg, CrawlsArg, EmbedsArg};
use crate::audit::commands::{Typed, argument, quoted};
use crate::url::SiteBy;

impl AuditArgs {
    /// The inputs as they were typed, or what they are a part of; and the options that decide the audit.
    pub(super) fn typed(&self) -> Typed {
        if let Some(collection) = &self.part_of {
            return Typed { inputs: vec![collection.clone()], ..Typed::default() };
        }
        let inputs: Vec<String> =
            self.inputs.iter().map(|input| input.to_string_lossy().into_owned()).collect();
        Typed { pattern: pattern(&inputs), inputs, options: Some(self.repeated()) }
    }

    /// The options that decide the audit, word by word, for commands to repeat.
    fn repeated(&self) -> Vec<String> {
        let mut words: Vec<String> = Vec::new();
        let mut option = |name: &str, values: Vec<String>| {
            if !values.is_empty() {
                words.push(name.to_owned());
                words.extend(values);
            }
        };
        let names =
            |inputs: &[OsString]| inputs.iter().map(|name| name.to_string_lossy().into_owned()).collect();
        let paths = |paths: &[PathBuf]| paths.iter().map(|path| path.display().to_string()).collect();
        let named = |value: Option<String>| value.into_iter().collect::<Vec<_>>();
        fn other<T: ValueEnum + PartialEq>(value: T, usual: T) -> Vec<String> {
            let name = (value != usual).then(|| value.to_possible_value()).flatten();
            name.map(|name| name.get_name().to_owned()).into_iter().collect()
        }
        option("--visit", names(&self.visit));
        option("--revisit", names(&self.revisit));
        option(
            "--crawls",
            named(self.crawls.as_ref().map(|how| match how {
                CrawlsArg::Auto => "auto".to_owned(),
                CrawlsArg::File(path) => path.display().to_string(),
            })),
        );
        option("--from", named(self.from.as_ref().map(|from| from.text.clone())));
        option("--to", named(self.to.as_ref().map(|to| to.text.clone())));
        option("--pages", other(self.select.pages, PagesArg::Html));
        option(
            "--site-by",
            match &self.select.site_by {
                SiteBy::Host => Vec::new(),
                SiteBy::Domain => vec!["domain".to_owned()],
                SiteBy::Prefix(prefix) => vec![format!("prefix:{prefix}")],
            },
        );
        option("--site", named(self.select.site.clone()));
        option("--canon", other(self.same.canon, CanonArg::Default));
        option("--compare", other(self.compare, CompareArg::Bytes));
        option("--evidence", other(self.proof.evidence, EvidenceArg::NotModified));
        option("--history", named(self.history.as_ref().map(|path| path.display().to_string())));
        option("--sitemap", paths(&self.sitemap));
        option("--importance", named(self.importance.clone()));
        option("--change-importance", other(self.change_importance, ChangeArg::Auto));
        option("--weights", named(self.weights.as_ref().map(|path| path.display().to_string())));
        option("--embeds", other(self.embeds, EmbedsArg::All));
        option("--crawl-log", paths(&self.crawl_log));
        option("--skipped", paths(&self.skipped));
        option("--seeds", paths(&self.seeds));
        option("--rate-prior", named(self.rate_prior.as_ref().map(|path| path.display().to_string())));
        option("--digests", other(self.reading.digests, DigestsArg::Verify));
        match self.ignore_below {
            Some(Below::OfTable) => words.push("--ignore-below".to_owned()),
            Some(Below::Given(below)) => words.push(format!("--ignore-below={below}")),
            None => {}
        }
        if let Some(minutes) = self.timezone {
            let sign = if minutes < 0 { '-' } else { '+' };
            let (hours, minutes) = (minutes.abs() / 60, minutes.abs() % 60);
            words.push(format!("--timezone={sign}{hours:02}:{minutes:02}"));
        }
        words
    }
}

/// A pattern that a shell makes into exactly these inputs, where they are files of one folder: `crawl/*.warc.gz`.
fn pattern(inputs: &[String]) -> Option<String> {
    if inputs.len() < 2 {
        return None;
    }
    let parts: Vec<(&str, &str)> = inputs.iter().map(|input| parted(input)).collect();
    let folder = parts.first()?.0;
    if parts.iter().any(|(other, _)| *other != folder) {
        return None;
    }
    let names: BTreeSet<&str> = parts.iter().map(|(_, name)| *name).collect();
    let (first, last) = (names.first()?, names.last()?);
    // What the first and the last name begin with, all of them do.
    let begin: String = first.chars().zip(last.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect();
    let end = names.iter().map(|name| ending(name)).reduce(|a, b| if b.ends_with(a) { a } else { "" })?;
    let end = if names.iter().all(|name| name.ends_with(end)) { end } else { "" };
    let here = std::fs::read_dir(if folder.is_empty() { "." } else { folder }).ok()?;
    let here: Vec<String> =
        here.filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned())).collect();
    let is_exact = |begin: &str| {
        let is_matched = |name: &str| {
            !name.starts_with('.')
                && name.len() >= begin.len() + end.len()
                && name.starts_with(begin)
                && name.ends_with(end)
        };
        here.iter().map(String::as_str).filter(|name| is_matched(name)).collect::<BTreeSet<_>>() == names
    };
    let begin = ["", &begin].into_iter().find(|begin| is_exact(begin))?;
    let word = |text: &str| if text.is_empty() { String::new() } else { quoted(text) };
    let start = match format!("{folder}{begin}") {
        start if start.starts_with('-') => argument(&start),
        start => word(&start),
    };
    Some(format!("{start}*{}", word(end)))
}

/// The folder of a file, with its slash, and its name.
fn parted(path: &str) -> (&str, &str) {
    path.split_at(path.rfind('/').map_or(0, |slash| slash + 1))
}

/// What a name ends with, from its first dot on: `.warc.gz`.
fn ending(name: &str) -> &str {
    name.find('.').map_or("", |dot| &name[dot..])
}

#[cfg(test)]
mod tests {
    use super::pattern;

    #[test]
    fn a_pattern_stands_for_the_inputs_and_for_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().to_str().unwrap();
        for name in ["a1.warc.gz", "a2.warc.gz", "b.warc.gz", "a.txt", ".a3.warc.gz"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let of =
            |names: &[&str]| pattern(&names.iter().map(|name| format!("{at}/{name}")).collect::<Vec<_>>());
        assert_eq!(of(&["a1.warc.gz", "b.warc.gz", "a2.warc.gz"]), Some(format!("{at}/*.warc.gz")));
        assert_eq!(of(&["a1.warc.gz", "a2.warc.gz"]), Some(format!("{at}/a*.warc.gz")));
        assert_eq!(of(&["a1.warc.gz", "b.warc.gz"]), None);
        assert_eq!(of(&["a1.warc.gz"]), None);
        assert_eq!(of(&["a1.warc.gz", "a2.warc.gz", "b.warc.gz", "a.txt"]), Some(format!("{at}/*")));
        std::fs::create_dir(folder.path().join("my crawl")).unwrap();
        for name in ["x.warc", "y.warc"] {
            std::fs::write(folder.path().join("my crawl").join(name), "").unwrap();
        }
        let found = of(&["my crawl/x.warc", "my crawl/y.warc"]);
        assert_eq!(found, Some(format!("'{at}/my crawl/'*.warc")));
    }
}
