//! Schedules against the numbers of the papers, and against each other.

mod golden;
mod laws;

/// Numbers in [0, 1) that look random and are the same everywhere: a linear congruential generator.
pub(crate) fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as f64 / (1u64 << 31) as f64
    }
}
