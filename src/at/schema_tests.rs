//! Holds `docs/at-schema.json` and the answer about a date together.

use serde_json::Value;

use crate::archive::source::expand;
use crate::at::ask::{answer, wanted};
use crate::at::model::{At, AtParameters, SiteVerdict};
use crate::at::words::at_best;
use crate::audit::schema_tests::checker::faults;
use crate::ingest::{Options, ProblemLog, read};

#[test]
fn the_answer_about_a_date_fits_its_schema() {
    let schema: Value = serde_json::from_str(include_str!("../../docs/at-schema.json")).unwrap();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/demo");
    let index = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/torture");
    let mut states = std::collections::BTreeSet::new();
    for (input, date) in
        [(folder, "2024-03-04T09:15:00Z"), (folder, "2024-03-04"), (folder, "2023"), (index, "2024")]
    {
        let named = ["http://library.example/prices.html", "http://library.example/none"].map(str::to_owned);
        for urls in [vec![], named.to_vec()] {
            let mut parameters = AtParameters { urls, ..AtParameters::on(date) };
            parameters.phrases = vec!["12.00".to_owned(), "boat".to_owned()];
            let options = Options { wanted: wanted(&parameters), ..Options::default() };
            let mut log = ProblemLog::new(None);
            let reading = read(&expand(&[input.to_owned()]).unwrap(), &options, &mut log, &|_| {}).unwrap();
            let at = answer(reading, &log, &parameters).unwrap();
            states.extend(at.pages.iter().map(|page| page.state));
            let value = serde_json::to_value(&at).unwrap();
            let found = faults(&schema, &value);
            assert!(found.is_empty(), "{found:?}");
            let best = at_best(&at);
            assert_eq!(
                best.is_some(),
                at.counts.pages > 1 && at.verdict != SiteVerdict::Coherent && at.most_proven.is_some()
            );
            assert!(
                best.is_none_or(|text| text.ends_with('.') && !text.contains("from .")),
                "{}",
                at.question
            );
            assert_eq!(serde_json::from_value::<At>(value).unwrap(), at);
        }
    }
    assert!(states.len() >= 5, "{states:?}");
}
