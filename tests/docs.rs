//! Documents are held to the program: man pages, completions, the README's commands.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use support::bless::settle;

fn acuity(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_acuity")).args(arguments).env("COLUMNS", "80").output().unwrap()
}

/// The man pages of all commands, by file name.
fn man_pages() -> BTreeMap<String, Vec<u8>> {
    let mut root = acuity::cli::command();
    root.build();
    let shown = |command: &&clap::Command| !command.is_hide_set() && command.get_name() != "help";
    let commands = root.get_subcommands().filter(shown);
    let named = commands.map(|command| (format!("acuity-{}", command.get_name()), command.clone()));
    let all = named.chain([("acuity".to_owned(), root.clone())]);
    all.map(|(name, command)| {
        let page = clap_mangen::Man::new(command.name(name.clone()))
            .title(name.to_uppercase())
            .source(concat!("acuity ", env!("CARGO_PKG_VERSION")));
        let mut text = Vec::new();
        page.render(&mut text).unwrap();
        (format!("{name}.1"), text)
    })
    .collect()
}

#[test]
fn the_man_pages_are_those_of_this_program() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("man");
    let pages = man_pages();
    let committed = || fs::read_dir(&folder).unwrap().map(|page| page.unwrap().path());
    if std::env::var_os("ACUITY_BLESS").is_some() {
        committed().for_each(|page| fs::remove_file(page).unwrap());
        for (name, text) in &pages {
            fs::write(folder.join(name), text).unwrap();
        }
    }
    let found: BTreeMap<String, Vec<u8>> = committed()
        .map(|page| (page.file_name().unwrap().to_string_lossy().into_owned(), fs::read(&page).unwrap()))
        .collect();
    let remedy = "`ACUITY_BLESS=1 cargo test --test docs` writes them again";
    assert_eq!(found.keys().collect::<Vec<_>>(), pages.keys().collect::<Vec<_>>(), "{remedy}");
    for (name, text) in &pages {
        assert!(found[name] == *text, "{name} is out of date: {remedy}");
    }
}

#[test]
fn completions_are_made_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = acuity(&["completions", shell]);
        assert!(output.status.success());
        assert!(String::from_utf8_lossy(&output.stdout).contains("audit"), "{shell}");
    }
}

#[test]
fn every_command_of_the_readme_is_one() {
    let readme = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let help = String::from_utf8(acuity(&["--help"]).stdout).unwrap();
    let mut checked = 0;
    for line in readme.lines().filter(|line| line.starts_with("acuity ") || line.starts_with("$ acuity ")) {
        let mut words = line.trim_start_matches("$ ").split('#').next().unwrap().split_whitespace().skip(1);
        let command = words.next().unwrap();
        assert!(help.contains(&format!("  {command} ")), "{line}");
        let options = String::from_utf8(acuity(&[command, "--help"]).stdout).unwrap();
        for option in words.take_while(|word| *word != "|").filter(|word| word.starts_with("--")) {
            let name = option.split('=').next().unwrap();
            assert!(options.contains(name), "{option} in: {line}");
            checked += 1;
        }
    }
    assert!(checked > 5, "{checked} options");
}

#[test]
fn help_fits_eighty_columns() {
    for command in [
        &["--help"][..],
        &["index", "--help"],
        &["audit", "--help"],
        &["at", "--help"],
        &["verify", "--help"],
        &["timeline", "--help"],
        &["schedule", "--help"],
        &["simulate", "--help"],
        &["report", "-h"],
    ] {
        let output = acuity(command);
        assert!(output.status.success());
        for line in String::from_utf8(output.stdout).unwrap().lines() {
            assert!(line.chars().count() <= 80, "{command:?}: {line}");
        }
    }
}

#[test]
fn links_between_documents_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut documents = vec![root.join("README.md"), root.join("benches/README.md")];
    documents.extend(fs::read_dir(root.join("docs")).unwrap().map(|file| file.unwrap().path()));
    for document in
        documents.iter().filter(|path| path.extension().is_some_and(|extension| extension == "md"))
    {
        let text = fs::read_to_string(document).unwrap();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
            let is_web = target.contains("://") || target.is_empty();
            assert!(
                is_web || document.parent().unwrap().join(target).exists(),
                "{}: {target}",
                document.display()
            );
        }
    }
}

/// Every file with one of these endings in a folder and below, but for what was built or installed there.
fn files_of(folder: &Path, endings: &[&str], found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if !path.ends_with("node_modules") && !path.ends_with("target") {
                files_of(&path, endings, found);
            }
        } else if path.extension().is_some_and(|extension| endings.iter().any(|ending| extension == *ending))
        {
            found.push(path);
        }
    }
}

#[test]
fn files_that_documents_and_comments_name_exist() {
    const FOLDERS: [&str; 6] = ["src/", "tests/", "docs/", "benches/", "examples/", "spark/"];
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = vec![root.join("README.md")];
    for folder in FOLDERS {
        files_of(&root.join(folder), &["md", "rs"], &mut files);
    }
    let mut missing = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file).unwrap();
        let comments = |line: &&str| file.extension().is_some_and(|kind| kind == "md") || line.contains("//");
        for line in text.lines().filter(comments) {
            // What stands between two backticks is every second part.
            for name in line.split('`').skip(1).step_by(2) {
                let is_path = FOLDERS.iter().any(|folder| name.starts_with(folder))
                    && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "/._-".contains(letter));
                if is_path && !root.join(name).exists() {
                    missing.push(format!("{}: {name}", file.display()));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

/// The options in a text: what follows `--` outside of a word.
fn options(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("--").filter_map(|(at, _)| {
        let starts = !text[..at].ends_with(|before: char| before.is_alphanumeric() || before == '-');
        let name =
            text[at + 2..].split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-').next()?;
        (starts && name.starts_with(|first: char| first.is_ascii_lowercase())).then_some(name)
    })
}

fn long_options(command: &clap::Command, found: &mut std::collections::HashSet<String>) {
    found.extend(command.get_arguments().filter_map(|argument| argument.get_long()).map(str::to_owned));
    command.get_subcommands().for_each(|inner| long_options(inner, found));
}

#[test]
fn options_that_messages_name_exist() {
    // Options of cargo, curl and warcio. What exported scripts call has options of its own.
    const OTHERS: [&str; 3] = ["no-default-features", "fail", "payload"];
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut root_command = acuity::cli::command();
    root_command.build();
    let mut known = std::collections::HashSet::new();
    long_options(&root_command, &mut known);
    assert!(known.len() > 100, "{} options", known.len());
    let mut files = Vec::new();
    sources(&root.join("src"), &mut files);
    files.retain(|file| !file.starts_with(root.join("src/schedule/export")));
    let mut unknown = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file).unwrap();
        let text = text.split("#[cfg(test)]\nmod").next().unwrap();
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            let names = options(line).filter(|name| !known.contains(*name) && !OTHERS.contains(name));
            unknown.extend(names.map(|name| format!("{}: --{name}", file.display())));
        }
    }
    assert!(unknown.is_empty(), "{unknown:#?}");
}

/// What a source file says of itself: the first sentence of its documentation.
fn first_sentence(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim);
    let doc = lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    let sentence = doc.split(". ").next().unwrap_or("").trim_end_matches(['.', ':']);
    let last = sentence.rsplit(' ').next().unwrap_or("");
    assert!(
        !["eq", "e.g", "i.e", "No", "Fig"].contains(&last),
        "{}: {sentence}: no sentence",
        path.display()
    );
    sentence.replace("[`", "`").replace("`]", "`")
}

/// All source files but those of tests.
fn sources(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.to_string_lossy().ends_with(".rs") && !path.to_string_lossy().ends_with("tests.rs") {
            found.push(path);
        }
    }
}

/// The list is made from the files themselves; `ACUITY_BLESS=1` writes it anew.
#[test]
fn the_architecture_has_one_line_per_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("docs/architecture.md");
    let text = fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once("<!-- files -->\n").expect("the list has a start");
    let (_, after) = rest.split_once("<!-- end of files -->\n").expect("the list has an end");
    let mut files = Vec::new();
    sources(&root.join("src"), &mut files);
    files.sort();
    let list: String = files
        .iter()
        .map(|file| {
            let says = first_sentence(file);
            assert!(!says.is_empty(), "{} does not say what it is", file.display());
            format!("- `{}`: {says}\n", file.strip_prefix(root).unwrap().display())
        })
        .collect();
    let made = format!("{before}<!-- files -->\n{list}<!-- end of files -->\n{after}");
    if let Some(fault) = settle(&path, made.as_bytes()) {
        panic!("{fault}");
    }
}

#[test]
fn the_readme_is_short_and_shows_what_the_program_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    assert!(readme.lines().count() <= 120);
    let screen = String::from_utf8(acuity(&["audit", "fixtures/demo"]).stdout).unwrap();
    assert!(screen.lines().count() <= 24, "{screen}");
    assert!(readme.contains(screen.trim_end()), "{screen}");
}
