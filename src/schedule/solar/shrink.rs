//! Shrinking: used slots close up towards the middle, their order kept.
//!
//! Source: Mazeika et al., *SOLAR*, §4.2.

/// Ranks distinct positions: the smallest becomes `first`, the next `first + 1`, and so on.
pub(super) fn ranks(positions: &[(u64, u32)], first: u32, slots: &mut [u32]) {
    let mut sorted = positions.to_vec();
    sorted.sort_unstable();
    for (rank, (_, page)) in sorted.into_iter().enumerate() {
        slots[page as usize] = first + rank as u32;
    }
}
