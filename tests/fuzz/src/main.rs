//! One parser under libFuzzer; `ACUITY_FUZZ_TARGET` names it.
#![no_main]

use std::sync::LazyLock;

use acuity::internals::fuzz::targets;
use libfuzzer_sys::fuzz_target;

static TARGET: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let wanted = std::env::var("ACUITY_FUZZ_TARGET").unwrap_or_default();
    let found = targets().iter().find(|(name, _)| name.replace(' ', "-") == wanted);
    let names: Vec<&str> = targets().iter().map(|(name, _)| *name).collect();
    found.unwrap_or_else(|| panic!("ACUITY_FUZZ_TARGET is one of {names:?}")).1
});

fuzz_target!(|bytes: &[u8]| TARGET(bytes));
