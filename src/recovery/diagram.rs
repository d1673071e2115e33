//! The reconstruction diagram: how much of a site is back, at a glance.
//!
//! The core is a disc whose area is |W|. It is cut into sectors: identical, changed, unknown, and the wedge that is not there
//! (missing and never requested). What was added lies around it as a crust. Areas are true to the counts, crust against core
//! too: with R the outer radius, the core has radius `R * sqrt(|W| / (|W| + added))`.
//!
//! Source: McCown, Nelson, section 3.2 and Figure 1. DIFFERENCE: the paper draws every core in one size; there the crust of a
//! site with many added resources is too thin.

use std::f64::consts::TAU;

use serde::{Deserialize, Serialize};

use super::vector::{Class, Counts};

/// A part of the core, as angles from the top, clockwise, in radians.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sector {
    pub class: Class,
    pub from: f64,
    pub to: f64,
}

/// The shapes of a diagram whose outer radius is 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Diagram {
    /// The radius of the core; the crust reaches from there to 1.
    pub core: f64,
    pub sectors: Vec<Sector>,
    /// A line of blocks for a terminal: how many of each class.
    pub blocks: Vec<(Class, u32)>,
}

/// How many blocks a line has.
const BLOCKS: u64 = 40;

impl Diagram {
    pub(crate) fn of(counts: &Counts) -> Self {
        let (original, added) = (counts.original() as f64, counts.added as f64);
        let all = original + added;
        let core = if all > 0.0 { (original / all).sqrt() } else { 0.0 };
        let mut sectors = Vec::new();
        let mut from = 0.0;
        for class in Class::ALL.into_iter().filter(|class| *class != Class::Added) {
            let count = counts.of(class) as f64;
            if count > 0.0 {
                let to = from + TAU * count / original;
                sectors.push(Sector { class, from, to });
                from = to;
            }
        }
        Diagram { core, sectors, blocks: blocks(counts) }
    }
}

/// Shares out a line of blocks by largest remainders; whatever exists has a block.
fn blocks(counts: &Counts) -> Vec<(Class, u32)> {
    let present: Vec<(Class, u64)> = Class::ALL
        .into_iter()
        .map(|class| (class, counts.of(class)))
        .filter(|(_, count)| *count > 0)
        .collect();
    let total: u64 = present.iter().map(|(_, count)| count).sum();
    let spare = BLOCKS.saturating_sub(present.len() as u64);
    let mut shared: Vec<(Class, u64, u64)> = present
        .iter()
        .map(|(class, count)| {
            let exact = u128::from(*count) * u128::from(spare);
            let total = u128::from(total);
            (*class, 1 + (exact / total) as u64, (exact % total) as u64)
        })
        .collect();
    let given: u64 = shared.iter().map(|(_, blocks, _)| blocks).sum();
    let mut order: Vec<usize> = (0..shared.len()).collect();
    order.sort_by_key(|place| (std::cmp::Reverse(shared[*place].2), *place));
    for place in order.into_iter().take((BLOCKS.saturating_sub(given)) as usize) {
        shared[place].1 += 1;
    }
    shared.into_iter().map(|(class, blocks, _)| (class, blocks as u32)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The area of a part, over that of the whole diagram.
    fn area(diagram: &Diagram, class: Class) -> f64 {
        if class == Class::Added {
            return 1.0 - diagram.core.powi(2);
        }
        let angles = diagram.sectors.iter().filter(|sector| sector.class == class);
        angles.map(|sector| (sector.to - sector.from) / TAU).sum::<f64>() * diagram.core.powi(2)
    }

    proptest! {
        #[test]
        fn areas_are_true_to_the_counts(parts in prop::array::uniform6(0u64..500)) {
            let [identical, changed, missing, unsought, added, unknown] = parts;
            let counts = Counts { identical, changed, missing, unsought, added, unknown };
            let total = (counts.original() + added) as f64;
            prop_assume!(total > 0.0);
            let diagram = Diagram::of(&counts);
            for class in Class::ALL {
                prop_assert!((area(&diagram, class) - counts.of(class) as f64 / total).abs() < 1e-9);
            }
            prop_assert_eq!(diagram.blocks.iter().map(|(_, blocks)| u64::from(*blocks)).sum::<u64>(), BLOCKS);
            prop_assert!(diagram.blocks.iter().all(|(class, blocks)| *blocks > 0 && counts.of(*class) > 0));
        }
    }
}
