//! A case, and the table of all of them.

use std::path::Path;

use crate::support::reading::read_file;

/// One pitfall.
pub(crate) struct Case {
    /// The name of the file, or of the folder that holds several.
    pub(crate) name: String,
    /// What the pitfall is, and where it was seen.
    pub(crate) about: String,
    /// The files with their bytes.
    pub(crate) files: Vec<(String, Vec<u8>)>,
}

/// Cases that belong together.
pub(crate) struct Group {
    pub(crate) title: &'static str,
    pub(crate) cases: Vec<Case>,
}

/// What a case's function gives: the bytes of one file, or several files of a folder.
pub(crate) trait Files {
    fn files(self, name: &str) -> Vec<(String, Vec<u8>)>;
}

impl Files for Vec<u8> {
    fn files(self, name: &str) -> Vec<(String, Vec<u8>)> {
        vec![(name.to_owned(), self)]
    }
}

impl Files for Vec<(&str, Vec<u8>)> {
    fn files(self, name: &str) -> Vec<(String, Vec<u8>)> {
        self.into_iter().map(|(file, bytes)| (format!("{name}/{file}"), bytes)).collect()
    }
}

/// Case functions, named as their file is, with its extension. The doc comment is the line of the table.
macro_rules! cases {
    ($($(#[doc = $about:literal])+ fn $name:ident($extension:literal) $body:block)+) => {
        $($(#[doc = $about])+ fn $name() -> impl $crate::case::Files $body)+

        pub(crate) fn cases() -> Vec<$crate::case::Case> {
            vec![$($crate::case::Case::new(stringify!($name), $extension, concat!($($about),+), $name())),+]
        }
    };
}
pub(crate) use cases;

impl Case {
    pub(crate) fn new(function: &str, extension: &str, about: &str, files: impl Files) -> Case {
        let name = format!("{}{extension}", function.replace('_', "-"));
        Case { about: about.trim().to_owned(), files: files.files(&name), name }
    }
}

const INTRODUCTION: &str = "# Torture set

What the wild does to web archives, one tiny file per pitfall, each with what a reader should make of it. Take it for your own reader: under the
licences of this project, no questions asked.

For every `NAME`, `NAME.expected.jsonl` holds the observations (one a line, the JSON of `acuity index`) and `NAME.problems.jsonl` the findings (one a line,
the JSON of `--problems`). References such as `warcio#74` are issues of the projects in which the pitfall was reported.

The files are written byte by byte by `tests/torture/`, without randomness. `ACUITY_BLESS=1 cargo test --test torture` writes them, the expectations and this table
anew; without it the test asserts that nothing differs. `tests/it/damaged.rs` cuts every file at every byte and flips its bits.
";

/// The table of all cases.
pub(crate) fn table(groups: &[Group]) -> String {
    let count: usize = groups.iter().map(|group| group.cases.len()).sum();
    let mut table = format!("{INTRODUCTION}\n{count} cases.\n");
    for Group { title, cases } in groups {
        table +=
            &format!("\n## {title}\n\n| file | pitfall | observations | problems |\n|---|---|---|---|\n");
        for case in cases {
            let read = read_file(&Path::new(crate::FOLDER).join(&case.name));
            let mut kinds: Vec<String> =
                read.problems.iter().map(|problem| format!("`{}`", problem.kind)).collect();
            kinds.dedup();
            let kinds = if kinds.is_empty() { "–".to_owned() } else { kinds.join(", ") };
            let Case { name, about, .. } = case;
            table += &format!(
                "| [`{name}`]({name}) | {} | {} | {kinds} |\n",
                about.replace('|', "\\|"),
                read.observations.len()
            );
        }
    }
    table
}
