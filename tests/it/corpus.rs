//! Archives that other projects test with: at least what warcio counts in them is read.

use crate::support::data::{data, say};
use crate::support::reading::read_file;
use acuity::internals::capture::Kind;
use serde_json::Value;

/// Files where warcio's count is not what the file holds.
const WARCIO_IS_WRONG: [(&str, &str); 1] = [(
    "chatnoir-eu__chatnoir-resiliparse__block-sized-records.warc.lz4",
    "lz4, which warcio does not read either: it takes the compressed bytes for records of no type",
)];

#[test]
fn every_archive_gives_at_least_the_captures_that_warcio_counts() {
    let Some(folder) = data("warcs") else { return };
    let manifest: Value =
        serde_json::from_slice(&std::fs::read(folder.join("manifest.json")).unwrap()).unwrap();
    let (mut checked, mut wrong) = (0, Vec::new());
    for entry in manifest["files"].as_array().unwrap() {
        let name = entry["file"].as_str().unwrap();
        let Some(types) = entry["types"].as_object() else {
            say(&format!("skipped: warcio does not read {name}"));
            continue;
        };
        if let Some((_, note)) = WARCIO_IS_WRONG.iter().find(|(file, _)| *file == name) {
            say(&format!("skipped: {name}: {note}"));
            continue;
        }
        let read = read_file(&folder.join(name));
        for (kind, word) in
            [(Kind::Response, "response"), (Kind::Resource, "resource"), (Kind::Revisit, "revisit")]
        {
            let counted: u64 = types
                .iter()
                .filter(|(name, _)| name.eq_ignore_ascii_case(word))
                .filter_map(|(_, count)| count.as_u64())
                .sum();
            let found =
                read.observations.iter().filter(|observation| observation.kind == kind).count() as u64;
            if found < counted {
                wrong.push(format!("{name}: {found} of {counted} {word} records"));
            }
        }
        checked += 1;
    }
    say(&format!("{checked} files checked"));
    assert!(checked > 40);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_record_cut_short_is_still_an_observation() {
    let Some(path) = data("warcs/chatnoir-eu__chatnoir-resiliparse__clipped.warc.gz") else { return };
    let read = read_file(&path);
    let observation = &read.observations[0];
    assert_eq!((observation.truncated.as_deref(), observation.body), (Some("input"), None));
    assert!(read.problems.iter().any(|problem| problem.kind == "gzip-damaged"));
}
