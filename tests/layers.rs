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
        let text = fs::read_to_string(file).unwrap();
        for (number, line) in text.lines().enumerate() {
            let code = line.trim_start();
            if code.starts_with("//") {
                continue;
            }
            for used in code.split("crate::").skip(1) {
                let name: String = used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                if place(&name).is_some_and(|other| other > own) {
                    broken.push(format!("{}:{}: {module} uses {name}", inside.display(), number + 1));
                }
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
