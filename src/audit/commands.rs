//! The commands that a report suggests, as they are typed: with the inputs, and so that they give the figures of the report.

use crate::audit::model::Input;
use crate::audit::params::Parameters;
use crate::capture::crawl::Division;
use crate::capture::page::PageFilter;
use crate::change::evidence::{Compare, Grade};
use crate::format::count;
use crate::time::{DAY, Instant, SECOND};
use crate::url::{Canon, SiteBy};

/// Maximum length of all inputs in a command: more would not fit into a few lines.
const MAX_INPUTS: usize = 240;

/// Maximum length of a path in a command: a longer one does not fit a line.
const MAX_PATH: usize = 40;

/// What the user typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Typed {
    /// The inputs; none: the files that were read are named.
    pub inputs: Vec<String>,
    /// The options that decide the audit, word by word; `None`: those of its parameters are named.
    pub options: Option<Vec<String>>,
    /// A pattern for the shell that stands for exactly these inputs, where there is one.
    pub pattern: Option<String>,
}

/// What a report suggests to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Suggested {
    /// A command that runs as it is.
    Command(String),
    /// A sentence, where the inputs are too many to name, or came through a pipe.
    Words(String),
}

impl Suggested {
    pub(crate) fn text(self) -> String {
        match self {
            Suggested::Command(text) | Suggested::Words(text) => text,
        }
    }
}

/// What the commands of one audit have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Commands {
    /// The inputs as typed; where a command cannot name them, what they are in words.
    inputs: Result<String, String>,
    /// Whether the options of an audit name its inputs.
    in_options: bool,
    /// The options that `acuity at` has too.
    options: String,
    /// All options that decide the audit, as typed.
    repeated: String,
    /// Whether `acuity schedule` would make the same audit of the inputs.
    plain: bool,
    /// Whether the audit is of one site because there is no other.
    only: bool,
}

impl Commands {
    /// For an audit of `sites` sites; `plain` says that it was made without options beside these parameters.
    pub(crate) fn new(
        typed: &Typed,
        inputs: &[Input],
        parameters: &Parameters,
        plain: bool,
        sites: usize,
    ) -> Self {
        let mut names: Vec<&str> = match &typed.inputs[..] {
            [] => inputs.iter().map(|input| file(&input.path)).collect(),
            typed => typed.iter().map(String::as_str).collect(),
        };
        names.dedup();
        let joined = || names.iter().map(|name| argument(name)).collect::<Vec<_>>().join(" ");
        let same = || match names.len() {
            0 | 1 => "the same input".to_owned(),
            many => format!("the same {}", count(many as u64, "input")),
        };
        let named = match &names[..] {
            // What came through a pipe is gone.
            names if names.is_empty() || names.iter().any(|name| ["-", "@-"].contains(name)) => Err(same()),
            [_] => Ok(joined()),
            _ => Some(joined())
                .filter(|text| text.chars().count() <= MAX_INPUTS)
                .or_else(|| typed.pattern.clone())
                .ok_or_else(same),
        };
        let repeated = match &typed.options {
            Some(words) => words.iter().map(|word| format!(" {}", quoted(word))).collect(),
            None => all_options(parameters),
        };
        let names_inputs = repeated.starts_with(" --visit ") && typed.inputs.is_empty();
        let told = Parameters {
            site: None,
            explain: Vec::new(),
            stories: 0,
            embeds_of_site: false,
            companions: Vec::new(),
            seeds: Vec::new(),
            profile: false,
            ..parameters.clone()
        };
        Commands {
            in_options: names_inputs,
            repeated,
            inputs: named,
            options: options(parameters),
            plain: plain && told == Parameters::default(),
            only: sites == 1 && parameters.site.is_none(),
        }
    }

    /// For an audit of a part of a collection, or of its parts together: its sites are never the only ones.
    pub(crate) fn of_part(typed: &Typed, inputs: &[Input], parameters: &Parameters, plain: bool) -> Self {
        Commands { only: false, ..Self::new(typed, inputs, parameters, plain, 0) }
    }

    /// The schedule of a site. What was audited with options is scheduled from its own JSON.
    pub(crate) fn schedule(&self, site: &str) -> Suggested {
        self.scheduled(&self.site(site))
    }

    /// The schedule of all sites.
    pub(crate) fn schedule_all(&self) -> Suggested {
        self.scheduled("")
    }

    fn scheduled(&self, site: &str) -> Suggested {
        match &self.inputs {
            Ok(inputs) if self.plain => Suggested::Command(format!("acuity schedule {inputs}{site}")),
            Err(same) if self.plain => Suggested::Words(match site.trim_start() {
                "" => format!("Run acuity schedule with {same}."),
                site => format!("Run acuity schedule with {same} and {site}."),
            }),
            _ => match self.audit("-q --json=audit.json") {
                Suggested::Command(audit) => {
                    Suggested::Command(format!("{audit} && acuity schedule audit.json{site}"))
                }
                Suggested::Words(audit) => Suggested::Words(format!(
                    "{}, then acuity schedule audit.json{site}.",
                    audit.trim_end_matches('.')
                )),
            },
        }
    }

    /// The pages to capture again right after the next crawl, of which there is no archive yet.
    pub(crate) fn repair(&self, fetches: u64) -> Suggested {
        Suggested::Command(format!("acuity plan NEXT-CRAWL --repair {fetches}"))
    }

    /// What is proven of a site at an instant.
    pub(crate) fn at(&self, at: Instant, site: &str) -> String {
        let inputs = match &self.inputs {
            Ok(inputs) => inputs.clone(),
            Err(same) => format!("with {same}"),
        };
        format!("acuity at {at} {inputs}{}{}", self.options, self.site(site))
    }

    /// The same audit with one more option or input.
    pub(crate) fn audit(&self, more: &str) -> Suggested {
        let Commands { repeated, .. } = self;
        let audited = match &self.inputs {
            _ if self.in_options => String::new(),
            Ok(inputs) => format!(" {inputs}"),
            Err(same) => {
                return Suggested::Words(format!("Run acuity audit with {same} and{repeated} {more}."));
            }
        };
        Suggested::Command(match more.starts_with('-') {
            true => format!("acuity audit{audited}{repeated} {more}"),
            // Options may take several values, so an input comes before them.
            false => format!("acuity audit{audited} {more}{repeated}"),
        })
    }

    /// A table of all captures.
    pub(crate) fn index(&self, file: &str) -> Suggested {
        let options = format!("--format csv -o {file}");
        match &self.inputs {
            Ok(inputs) => Suggested::Command(format!("acuity index {inputs} {options}")),
            Err(same) => Suggested::Words(format!("Run acuity index with {same} and {options}.")),
        }
    }

    /// The story of a page, named as reports print it. `None` for a path that is not plain: archived text that a shell could
    /// read otherwise is never part of a command.
    pub(crate) fn explain(&self, path: &str) -> Option<Suggested> {
        is_plain(path).then(|| self.audit(&format!("--explain {path}")))
    }

    fn site(&self, site: &str) -> String {
        if self.only { String::new() } else { format!(" --site {}", quoted(site)) }
    }
}

/// The file that a user names: a package, where an archive lies inside of it.
fn file(path: &str) -> &str {
    path.rsplit_once("#archive/").map_or(path, |(package, _)| package)
}

/// What decides which pages there are and what is proven.
fn options(parameters: &Parameters) -> String {
    let mut options = String::new();
    let mut option = |name: &str, value: &str| options.push_str(&format!(" {name} {}", quoted(value)));
    match parameters.canon {
        Canon::Default => {}
        other => option("--canon", other.name()),
    }
    match &parameters.site_by {
        SiteBy::Host => {}
        SiteBy::Domain => option("--site-by", "domain"),
        SiteBy::Prefix(prefix) => option("--site-by", &format!("prefix:{prefix}")),
    }
    if parameters.pages == PageFilter::All {
        option("--pages", "all");
    }
    match parameters.evidence {
        Grade::NotModified => {}
        other => option("--evidence", other.name()),
    }
    options
}

/// All options of an audit that decide its parameters, in the order in which commands repeat what was typed.
fn all_options(parameters: &Parameters) -> String {
    let is_text = parameters.compare == Compare::Text;
    let of_site_by = match &parameters.site_by {
        SiteBy::Host => None,
        SiteBy::Domain => Some("domain".to_owned()),
        SiteBy::Prefix(prefix) => Some(format!("prefix:{prefix}")),
    };
    let words = [
        // A part is given what was found by itself for the whole.
        (
            "--crawls",
            matches!(parameters.division, Division::Auto | Division::Given(_)).then(|| "auto".to_owned()),
        ),
        ("--from", parameters.from.map(|from| date(from, from))),
        ("--to", parameters.to.map(|to| date(last_second(to), to))),
        ("--pages", (parameters.pages == PageFilter::All).then(|| "all".to_owned())),
        ("--site-by", of_site_by),
        ("--site", parameters.site.clone()),
        ("--canon", (parameters.canon != Canon::Default).then(|| parameters.canon.name().to_owned())),
        ("--compare", is_text.then(|| "text".to_owned())),
        (
            "--evidence",
            (parameters.evidence != Grade::NotModified).then(|| parameters.evidence.name().to_owned()),
        ),
    ];
    words.into_iter().filter_map(|(name, value)| Some(format!(" {name} {}", quoted(&value?)))).collect()
}

/// The date that `--to` takes for an end: it includes the whole second that it names.
fn last_second(end: Instant) -> Instant {
    if end.0.rem_euclid(SECOND) == 0 { end.plus(-SECOND) } else { end }
}

/// A date as short as its limit allows: a day where that lies between two days.
fn date(at: Instant, limit: Instant) -> String {
    let text = at.to_string();
    match text.split_once('T') {
        Some((day, _)) if limit.0.rem_euclid(DAY) == 0 => day.to_owned(),
        _ => text,
    }
}

/// An input for the shell: never an option.
pub(crate) fn argument(name: &str) -> String {
    if name.starts_with('-') && name != "-" { quoted(&format!("./{name}")) } else { quoted(name) }
}

/// Whether a path is short and of letters, digits and `/._-` alone.
pub(crate) fn is_plain(path: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    path.starts_with('/') && path.len() <= MAX_PATH && path.chars().all(plain)
}

/// A word for the shell.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(paths: &[&str], parameters: &Parameters, plain: bool, sites: usize) -> Commands {
        let input = |path: &&str| Input { path: (*path).to_owned(), ..Input::default() };
        Commands::new(
            &Typed::default(),
            &paths.iter().map(input).collect::<Vec<_>>(),
            parameters,
            plain,
            sites,
        )
    }

    #[test]
    fn a_command_names_inputs_and_site_for_the_shell() {
        let plain = Parameters::default();
        assert_eq!(
            of(&["a b"], &plain, true, 2).schedule("a.example").text(),
            "acuity schedule 'a b' --site a.example"
        );
        assert_eq!(of(&["it's"], &plain, true, 1).schedule("a.example").text(), "acuity schedule 'it'\\''s'");
        assert_eq!(of(&["-x"], &plain, true, 1).schedule("a.example").text(), "acuity schedule ./-x");
        assert_eq!(
            of(&["a", "b", "c", "d", "e"], &plain, true, 1).schedule("a.example").text(),
            "acuity schedule a b c d e"
        );
        let package = of(&["p.wacz#archive/1.warc.gz", "p.wacz#archive/2.warc.gz"], &plain, true, 1);
        assert_eq!(package.schedule("a.example").text(), "acuity schedule p.wacz");
    }

    #[test]
    fn what_was_audited_with_options_is_scheduled_from_its_own_json() {
        let strict = Parameters { canon: Canon::Strict, pages: PageFilter::All, ..Parameters::default() };
        assert_eq!(
            of(&["a"], &strict, true, 1).schedule("a.example").text(),
            "acuity audit a --pages all --canon strict -q --json=audit.json && acuity schedule audit.json"
        );
        assert_eq!(
            of(&["a"], &Parameters::default(), false, 1).schedule("a.example").text(),
            "acuity audit a -q --json=audit.json && acuity schedule audit.json"
        );
        let at = Instant::parse("2024-01-01T00:00:00Z").unwrap();
        assert_eq!(
            of(&["a"], &strict, true, 2).at(at, "a.example"),
            "acuity at 2024-01-01T00:00:00Z a --canon strict --pages all --site a.example"
        );
        // The one site that was asked for need not be the only one.
        let site = Parameters { site: Some("a.example".into()), ..Parameters::default() };
        assert_eq!(
            of(&["a"], &site, true, 1).schedule("a.example").text(),
            "acuity schedule a --site a.example"
        );
        assert_eq!(
            of(&["a"], &site, true, 1).audit("--details").text(),
            "acuity audit a --site a.example --details"
        );
    }

    #[test]
    fn dates_are_repeated_so_that_they_mean_the_same() {
        let at = |text: &str| Some(Instant::parse(text).unwrap());
        let options = |from: &str, to: &str| {
            all_options(&Parameters { from: at(from), to: at(to), ..Parameters::default() })
        };
        // A limit of 2024-03-05 ends where the next day begins.
        let whole = options("2024-03-04T00:00:00Z", "2024-03-06T00:00:00Z");
        assert_eq!(whole, " --from 2024-03-04 --to 2024-03-05");
        let exact = options("2024-03-04T09:00:00Z", "2024-03-04T09:15:01Z");
        assert_eq!(exact, " --from 2024-03-04T09:00:00Z --to 2024-03-04T09:15:00Z");
        let piped = of(&["-"], &Parameters::default(), true, 1).schedule("a");
        assert_eq!(piped, Suggested::Words("Run acuity schedule with the same input.".to_owned()));
    }

    #[test]
    fn an_audit_is_repeated_with_all_its_options() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let typed = |inputs: &str, options: &str| Typed {
            inputs: if inputs.is_empty() { Vec::new() } else { words(inputs) },
            options: Some(words(options)),
            pattern: None,
        };
        let commands = |typed: &Typed| Commands::new(typed, &[], &Parameters::default(), false, 1);
        let logged = commands(&typed("a b", "--crawl-log c.log"));
        assert_eq!(logged.audit("--explain /x").text(), "acuity audit a b --crawl-log c.log --explain /x");
        assert_eq!(logged.audit("OTHER-CRAWL").text(), "acuity audit a b OTHER-CRAWL --crawl-log c.log");
        let twice = commands(&typed("", "--visit a --revisit b"));
        assert_eq!(
            twice.schedule("x").text(),
            "acuity audit --visit a --revisit b -q --json=audit.json && acuity schedule audit.json"
        );
    }

    #[test]
    fn inputs_that_do_not_fit_are_a_pattern_or_words_and_never_a_false_command() {
        let inputs: Vec<String> = (0..60).map(|file| format!("arc/lots/f{file}.warc.gz")).collect();
        let typed = Typed { inputs, options: Some(Vec::new()), pattern: None };
        let commands = |typed: &Typed| Commands::new(typed, &[], &Parameters::default(), true, 1);
        assert_eq!(
            commands(&typed).schedule("x"),
            Suggested::Words("Run acuity schedule with the same 60 inputs.".to_owned())
        );
        assert_eq!(
            commands(&typed).audit("--details"),
            Suggested::Words("Run acuity audit with the same 60 inputs and --details.".to_owned())
        );
        let typed = Typed { pattern: Some("arc/lots/*.warc.gz".to_owned()), ..typed };
        assert_eq!(
            commands(&typed).audit("--details"),
            Suggested::Command("acuity audit arc/lots/*.warc.gz --details".to_owned())
        );
    }
}
