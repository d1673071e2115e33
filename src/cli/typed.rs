//! What was typed for an audit, for the commands that its report suggests to repeat.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::ValueEnum;

use super::audit_args::AuditArgs;
use super::input::DigestsArg;
use super::select::{CanonArg, EvidenceArg, PagesArg};
use super::values::{Below, ChangeArg, CompareArg, CrawlsArg, EmbedsArg};
use crate::audit::commands::Typed;
use crate::url::SiteBy;

impl AuditArgs {
    /// The inputs as they were typed, or what they are a part of; and the options that decide the audit.
    pub(super) fn typed(&self) -> Typed {
        if let Some(collection) = &self.part_of {
            return Typed { inputs: vec![collection.clone()], options: None };
        }
        let inputs = self.inputs.iter().map(|input| input.to_string_lossy().into_owned()).collect();
        Typed { inputs, options: Some(self.repeated()) }
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
