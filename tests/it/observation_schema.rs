//! `docs/observation-schema.json` is what the list of fields gives.

use std::path::Path;

use crate::support::bless;

#[test]
fn the_schema_of_observations_is_up_to_date() {
    let schema = acuity::internals::capture::observation_schema();
    let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/observation-schema.json");
    assert_eq!(bless::settle(&path, text.as_bytes()), None);
}
