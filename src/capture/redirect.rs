//! Where a redirect leads.

use crate::capture::Observation;
use crate::url::resolve::Base;
use crate::url::{Canon, as_written};

/// The canonical key of the target of a redirect.
pub(crate) fn redirect_key(observation: &Observation) -> Option<String> {
    Some(Canon::Default.key(&resolved(observation)?))
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
