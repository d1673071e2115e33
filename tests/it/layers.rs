//! The flow has one direction: a module uses only modules that stand before it in `src/lib.rs`.

use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The modules in the order of `src/lib.rs`.
fn order(root: &Path) -> Vec<String> {
    let library = fs::read_to_string(root.join("lib.rs")).unwrap();
    let declared = library
        .lines()
        .filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';'));
    declared.map(str::to_owned).collect()
}

/// The modules that a source names behind `crate::`, one by one or in braces, with the line of each. Comments are skipped.
fn used(text: &str) -> Vec<(usize, String)> {
    let code: Vec<&str> =
        text.lines().map(|line| if line.trim_start().starts_with("//") { "" } else { line }).collect();
    let code = code.join("\n");
    let name_of =
        |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut names = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let line = code[..at].matches('\n').count() + 1;
        let rest = &code[at + "crate::".len()..];
        let Some(inside) = rest.strip_prefix('{') else {
            names.push((line, name_of(rest)));
            continue;
        };
        // Only the first name of each path in the outermost braces is a module of the crate.
        let (mut depth, mut starts) = (0, true);
        for (place, character) in inside.char_indices() {
            match character {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => starts = true,
                c if c.is_whitespace() => {}
                _ if starts && depth == 0 => {
                    let line = line + inside[..place].matches('\n').count();
                    names.push((line, name_of(&inside[place..])));
                    starts = false;
                }
                _ => {}
            }
        }
    }
    names
}

#[test]
fn imports_in_braces_are_seen() {
    let text = "use crate::time::Instant;\n// crate::comment\nuse crate::{\n    audit::{self, model::Audit},\n    report,\n};\n\
                fn x() { crate::cli::run() }\n";
    let found: Vec<(usize, String)> = [(1, "time"), (4, "audit"), (5, "report"), (7, "cli")]
        .map(|(line, name)| (line, name.to_owned()))
        .to_vec();
    assert_eq!(used(text), found);
}

/// Whether `super` is the root of the crate in this file.
fn is_child_of_root(inside: &Path) -> bool {
    let parts = inside.components().count();
    parts == 1 || (parts == 2 && inside.ends_with("mod.rs"))
}

#[test]
fn super_is_the_root_in_files_at_the_top_only() {
    for (path, expected) in
        [("time.rs", true), ("audit/mod.rs", true), ("audit/page.rs", false), ("audit/model/mod.rs", false)]
    {
        assert_eq!(is_child_of_root(Path::new(path)), expected, "{path}");
    }
}

#[test]
fn a_module_uses_only_what_stands_before_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let order = order(&root);
    assert!(order.len() > 10, "the modules of lib.rs were found: {order:?}");
    let place = |name: &str| order.iter().position(|module| module == name);
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut broken = Vec::new();
    for file in &files {
        let inside = file.strip_prefix(&root).unwrap();
        let module = inside
            .components()
            .next()
            .unwrap()
            .as_os_str()
            .to_string_lossy()
            .trim_end_matches(".rs")
            .to_owned();
        let Some(own) = place(&module) else { continue };
        let mut text = fs::read_to_string(file).unwrap();
        if is_child_of_root(inside) {
            text = text.replace("super::", "crate::");
        }
        for (line, name) in used(&text) {
            if place(&name).is_some_and(|other| other > own) {
                broken.push(format!("{}:{line}: {module} uses {name}", inside.display()));
            }
        }
    }
    assert!(broken.is_empty(), "against the flow:\n{}", broken.join("\n"));
}

#[test]
fn no_source_file_grows_beyond_one_idea() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let too_long: Vec<String> = files
        .iter()
        .map(|file| (file, fs::read_to_string(file).unwrap().lines().count()))
        .filter(|(_, lines)| *lines > 800)
        .map(|(file, lines)| format!("{} has {lines} lines", file.display()))
        .collect();
    assert!(too_long.is_empty(), "{too_long:?}");
}

/// Phrases of bad translations that were in this tree once; docs/words.md has the words to use.
const ODD_PHRASES: &[&str] = &[
    "so-manieth",
    "passed over",
    "is told",
    "are told",
    "told apart",
    "told by",
    "nothing tells",
    "by the look of",
    "lets expect",
    "the middle page",
    "so many bytes",
    "every so many",
];

#[test]
fn odd_phrases_do_not_come_back() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = vec![root.join("README.md")];
    sources(&root.join("src"), &mut files);
    for folder in ["docs", "man"] {
        let entries = fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
        files.extend(entries.filter(|path| path.extension().is_some_and(|kind| kind == "md" || kind == "1")));
    }
    let mut found = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file).unwrap().to_lowercase();
        for (number, line) in text.lines().enumerate() {
            for phrase in ODD_PHRASES.iter().filter(|phrase| line.contains(**phrase)) {
                found.push(format!("{}:{}: {phrase}", file.display(), number + 1));
            }
        }
    }
    assert!(found.is_empty(), "write it as you would say it:\n{}", found.join("\n"));
}
