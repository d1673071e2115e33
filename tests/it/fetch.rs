//! A body read again by its place has the digest that the first reading found.

use acuity::internals::archive::source::expand;
use acuity::internals::digest::BodyDigest;
use acuity::internals::ingest::{Fetcher, Options, ProblemLog, Sought, read};

#[test]
fn a_body_read_again_is_the_one_that_was_indexed() {
    let data = std::env::var("ACUITY_DATA").unwrap_or_else(|_| "../shared/data".to_owned());
    let folders: Vec<String> =
        ["fixtures/demo".to_owned(), format!("{data}/crawls"), format!("{data}/warcs")]
            .into_iter()
            .filter(|folder| std::path::Path::new(folder).exists())
            .collect();
    let mut log = ProblemLog::new(None);
    let reading = read(&expand(&folders).unwrap(), &Options::default(), &mut log, &|_| {}).unwrap();
    let (mut fetcher, mut checked) = (Fetcher::default(), 0);
    let visit = &mut |observation: &acuity::internals::capture::Observation, _| {
        let (Some(body), Some(sought), None) =
            (observation.body, Sought::of(observation), &observation.refers_to)
        else {
            return Ok(());
        };
        // Records without an id that share a member cannot be distinguished.
        if observation.length.is_none() && observation.record_id.is_none() {
            return Ok(());
        }
        let found = fetcher.body(&sought)?;
        let found =
            found.unwrap_or_else(|why| panic!("{} at {}: {}", sought.file, sought.offset, why.words()));
        assert_eq!(
            BodyDigest(*blake3::hash(&found.bytes).as_bytes()),
            body,
            "{} at {}",
            sought.file,
            sought.offset
        );
        checked += 1;
        Ok(())
    };
    reading.observations.for_each(visit).unwrap();
    assert!(folders.is_empty() || checked > 20, "{checked} bodies");
}
