//! Where a redirect leads.

use crate::capture::Observation;
use crate::url::resolve::Base;
use crate::url::{Canon, as_written};

/// The canonical key of the target of a redirect: a column of tables.
#[cfg(feature = "parquet")]
pub(crate) fn redirect_key(observation: &Observation) -> Option<String> {
    Some(Canon::Default.key(&resolved(observation)?))
}

/// Whether a redirect leads to another spelling of its own URL, by the rules that its key was made by.
pub(super) fn leads_back(observation: &Observation) -> bool {
    let Some(target) = resolved(observation) else { return false };
    let mut rules = [Canon::Strict, Canon::Default, Canon::Loose].into_iter();
    let canon = rules.find(|canon| canon.key(&observation.url) == observation.key).unwrap_or_default();
    canon.key(&target) == canon.key(&observation.url)
}

/// The target of a redirect, as an absolute URL.
fn resolved(observation: &Observation) -> Option<String> {
    let location = observation.location.as_ref().filter(|_| matches!(observation.status, Some(300..=399)))?;
    let mut target = String::new();
    Base::parse(observation.url.as_bytes())?.resolve_into(location.as_bytes(), &mut target)?;
    Some(target)
}

/// The target of a redirect as it is compared: relative and absolute ones are the same, and what cannot be resolved stands for
/// itself.
pub(super) fn target(observation: &Observation) -> Option<String> {
    match resolved(observation) {
        Some(target) => Some(as_written(&target)),
        None => observation.location.clone(),
    }
}
