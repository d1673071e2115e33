//! The torture set: one tiny archive per pitfall, with what the reader must make of it.
//!
//! Every case is a function that writes its bytes; `fixtures/torture/` holds those bytes, the observations
//! (`NAME.expected.jsonl`) and the problems (`NAME.problems.jsonl`) that were looked over by hand, and a table of all
//! cases. `ACUITY_BLESS=1 cargo test --test torture` writes them anew.

mod arc;
mod case;
mod codings;
mod companions;
mod containers;
mod dates;
mod digests;
mod heads;
mod http;
mod indexes;
mod lengths;
mod packages;
mod revisits;
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use case::{Case, Group};
use support::bless::{settle, strangers};
use support::reading::read_file;

const FOLDER: &str = "fixtures/torture";

fn groups() -> Vec<Group> {
    vec![
        Group { title: "Containers", cases: containers::cases() },
        Group { title: "Record heads", cases: heads::cases() },
        Group { title: "Lengths and what stands between records", cases: lengths::cases() },
        Group { title: "Dates", cases: dates::cases() },
        Group { title: "HTTP", cases: http::cases() },
        Group { title: "Transfer and content codings", cases: codings::cases() },
        Group { title: "Digests", cases: digests::cases() },
        Group { title: "Revisits", cases: revisits::cases() },
        Group { title: "Records around a capture, and records that are none", cases: companions::cases() },
        Group { title: "ARC", cases: arc::cases() },
        Group { title: "WACZ packages", cases: packages::cases() },
        Group { title: "Indexes and observations", cases: indexes::cases() },
    ]
}

#[test]
fn every_case_is_committed_and_read_as_expected() {
    let folder = Path::new(FOLDER);
    let (mut wrong, mut known) = (Vec::new(), BTreeSet::from([folder.join("README.md")]));
    let mut claim = |path: PathBuf, bytes: &[u8]| -> Option<String> {
        let wrong = settle(&path, bytes);
        assert!(known.insert(path.clone()), "two cases are named {}", path.display());
        wrong
    };
    let groups = groups();
    for Case { name, files, .. } in groups.iter().flat_map(|group| &group.cases) {
        for (file, bytes) in files {
            assert!(bytes.len() < 64 << 10, "{file} is not tiny");
            wrong.extend(claim(folder.join(file), bytes));
        }
        let read = read_file(&folder.join(name));
        for problem in &read.problems {
            assert!(problem.file.starts_with(&format!("{FOLDER}/{name}")), "{problem:?}");
        }
        let lines = [("expected", read.observation_lines()), ("problems", read.problem_lines())];
        for (what, lines) in lines {
            wrong.extend(claim(folder.join(format!("{name}.{what}.jsonl")), lines.as_bytes()));
        }
    }
    wrong.extend(settle(&folder.join("README.md"), case::table(&groups).as_bytes()));
    wrong.extend(strangers(folder, &|path| known.contains(path)));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
