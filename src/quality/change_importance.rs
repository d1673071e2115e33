//! The importance of a change between two versions of a page.
//!
//! ```text
//! E = Σ_i ImpBk_i · (1/N_Op) Σ_j ImpOp_j · PerCh_ij
//! ```
//!
//! `ImpBk_i` is the importance of block i, `Σ ImpBk_i = 1`; `ImpOp_j` the importance of operation j (insert, delete,
//! update, move); `PerCh_ij` the share of the block's elements that operation j changed. E lies in [0, 1] and is 0 for
//! equal pages.
//!
//! Source: M. Ben Saad, S. Gançarski, *Improving the Quality of Web Archives through the Importance of Changes*, DEXA
//! 2011, section 3. The paper leaves the numbers open; ours are in `weights.toml`.
//!
//! The blocks are those of both versions together. A block in both versions has the larger of its two weights.
//! Elements are words as Unicode splits them, links and images, each counted once (a number counts for several words): kept, inserted, deleted, updated (one
//! removed, one added) or moved; so `Σ_j PerCh_ij ≤ 1`.
//!
//! DIFFERENCE: because an element takes part in one operation only, dividing by the number of operations would keep E
//! below 1/N_Op. `ImpOp_j` is therefore N_Op times the weight of the table, and E spans the whole of [0, 1].
//!
//! Cost: linear in the pages, except for blocks without a partner by content, path or id, of which at most
//! 300 × 300 pairs are compared.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::block_match::{Match, aligned, match_blocks};
use super::excerpt::where_they_differ;
use super::weights::{ChangeWeights, OnElement};
use crate::html::blocks::{Block, Role, is_number};

/// What happened to an element or a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// Only the later version has it.
    Insert,
    /// Only the earlier version has it.
    Delete,
    /// Replaced by another.
    Update,
    /// In another place.
    Move,
}

/// What an operation acts on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// The block as a whole.
    Block,
    /// Words of its text.
    Text,
    Link,
    Image,
}

/// One term of the sum: an operation on a block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Term {
    pub operation: Operation,
    pub target: Target,
    /// How many elements (words, links, images; 1 for a block).
    pub count: u64,
    /// Share of the block that this operation changed: `PerCh`.
    pub share: f64,
    pub weight: f64,
    /// What it adds to E.
    pub contribution: f64,
}

/// What happened to one block.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BlockChange {
    /// The path of the block in the later version, in the earlier one if it is gone.
    pub path: String,
    /// The `id` of its element.
    pub id: Option<String>,
    pub role: Role,
    /// `ImpBk`.
    pub importance: f64,
    /// What it adds to E.
    pub contribution: f64,
    pub terms: Vec<Term>,
    /// Its text in the earlier version, from a few words before the first that differs.
    pub before: Option<String>,
    /// Its text in the later version, from there too.
    pub after: Option<String>,
}

/// The importance of a change, and where it comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChangeImportance {
    /// E.
    pub importance: f64,
    /// Blocks of the earlier version.
    pub blocks_before: usize,
    /// Blocks of the later version.
    pub blocks_after: usize,
    /// The blocks that changed, the largest contribution first.
    pub changes: Vec<BlockChange>,
}

/// The weight of a block before weights are scaled to a sum of 1.
fn raw_importance(block: &Block, weights: &ChangeWeights) -> f64 {
    let size = size(block, weights);
    let heading = if block.heading.is_some_and(|level| level <= 2) { weights.block.heading } else { 1.0 };
    let links = 1.0 - weights.block.link_density * block.link_density();
    weights.role.of(block.role) * size.powf(weights.block.size_exponent) * heading * links
}

/// The size of a block in words.
fn size(block: &Block, weights: &ChangeWeights) -> f64 {
    let element = &weights.element;
    block.words() as f64 * element.text
        + block.links.len() as f64 * element.link
        + block.images.len() as f64 * element.image
}

/// The importance of the change from `before` to `after`, both the blocks of one page.
pub(crate) fn change_importance(
    before: &[Block],
    after: &[Block],
    weights: &ChangeWeights,
) -> ChangeImportance {
    let matches = match_blocks(before, after);
    let raw: Vec<f64> = matches
        .iter()
        .map(|found| {
            let of = |block: Option<&Block>| block.map_or(0.0, |block| raw_importance(block, weights));
            of(found.before.map(|i| &before[i])).max(of(found.after.map(|i| &after[i])))
        })
        .collect();
    let total: f64 = raw.iter().sum();
    let mut changes = Vec::new();
    for (found, raw) in matches.iter().zip(&raw) {
        let importance = if total > 0.0 { raw / total } else { 0.0 };
        if let Some(change) = block_change(found, before, after, importance, weights) {
            changes.push(change);
        }
    }
    // Summed in document order, so that the result does not depend on how changes are listed.
    // An empty sum is −0.
    let importance = (changes.iter().map(|change| change.contribution).sum::<f64>() + 0.0).clamp(0.0, 1.0);
    changes.sort_by(|a, b| b.contribution.total_cmp(&a.contribution).then_with(|| a.path.cmp(&b.path)));
    ChangeImportance { importance, blocks_before: before.len(), blocks_after: after.len(), changes }
}

/// `None`: the block did not change.
fn block_change(
    found: &Match,
    before: &[Block],
    after: &[Block],
    importance: f64,
    weights: &ChangeWeights,
) -> Option<BlockChange> {
    let (old, new) = (found.before.map(|i| &before[i]), found.after.map(|i| &after[i]));
    let whole = |operation, weight: f64| Term {
        operation,
        target: Target::Block,
        count: 1,
        share: 1.0,
        weight,
        contribution: importance * weight,
    };
    let terms = match (old, new) {
        (Some(old), Some(new)) => inner_terms(old, new, found.moved, importance, weights),
        (None, Some(_)) => vec![whole(Operation::Insert, weights.operation.block.insert)],
        (Some(_), None) => vec![whole(Operation::Delete, weights.operation.block.delete)],
        (None, None) => Vec::new(),
    };
    let shown = new.or(old)?;
    if terms.is_empty() {
        return None;
    }
    let text = |block: Option<&Block>| block.map_or("", |block| &block.excerpt).to_owned();
    let (was, is) = where_they_differ(&text(old), &text(new));
    Some(BlockChange {
        path: shown.path.clone(),
        id: shown.id.clone(),
        role: shown.role,
        importance,
        contribution: terms.iter().map(|term| term.contribution).sum(),
        terms,
        before: old.map(|_| was),
        after: new.map(|_| is),
    })
}

/// Counts of elements of one kind by operation.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Tally {
    kept: u64,
    inserted: u64,
    deleted: u64,
    updated: u64,
    moved: u64,
}

impl Tally {
    fn total(&self) -> u64 {
        self.kept + self.inserted + self.deleted + self.updated + self.moved
    }

    /// A removed and an added element together are an update.
    fn went_and_came(&mut self, went: u64, came: u64) {
        let updated = went.min(came);
        self.updated += updated;
        self.deleted += went - updated;
        self.inserted += came - updated;
    }
}

fn inner_terms(
    old: &Block,
    new: &Block,
    block_moved: bool,
    importance: f64,
    weights: &ChangeWeights,
) -> Vec<Term> {
    // Most blocks of a page that changed did not.
    if !block_moved && old.paragraphs == new.paragraphs && old.links == new.links && old.images == new.images
    {
        return Vec::new();
    }
    let counts = text_tally(old, new, 1);
    let tallies = [
        (
            Target::Text,
            text_tally(old, new, weights.element.number),
            weights.element.text,
            &weights.operation.text,
        ),
        (Target::Link, bag_tally(&old.links, &new.links), weights.element.link, &weights.operation.link),
        (Target::Image, bag_tally(&old.images, &new.images), weights.element.image, &weights.operation.image),
    ];
    let total: f64 = tallies.iter().map(|(_, tally, words, _)| tally.total() as f64 * words).sum();
    if total <= 0.0 {
        return Vec::new();
    }
    let mut terms = Vec::new();
    let mut kept = 0.0;
    for (target, tally, words, on) in tallies {
        kept += tally.kept as f64 * words / total;
        let counts = if target == Target::Text { counts } else { tally };
        for ((operation, size, weight), (_, count, _)) in
            operations(&tally, on).into_iter().zip(operations(&counts, on))
        {
            let share = size as f64 * words / total;
            if size > 0 {
                terms.push(Term {
                    operation,
                    target,
                    count: count.max(1),
                    share,
                    weight,
                    contribution: importance * share * weight,
                });
            }
        }
    }
    // The unchanged part of a moved block has moved with it.
    if block_moved && kept > 0.0 {
        let weight = weights.operation.block.moved;
        terms.push(Term {
            operation: Operation::Move,
            target: Target::Block,
            count: 1,
            share: kept,
            weight,
            contribution: importance * kept * weight,
        });
    }
    terms
}

fn operations(tally: &Tally, on: &OnElement) -> [(Operation, u64, f64); 4] {
    [
        (Operation::Insert, tally.inserted, on.insert),
        (Operation::Delete, tally.deleted, on.delete),
        (Operation::Update, tally.updated, on.update),
        (Operation::Move, tally.moved, on.moved),
    ]
}

/// Words: paragraphs in both versions are kept, or moved as a whole; the words of all others are compared as bags. A
/// number counts for `number` words.
fn text_tally(old: &Block, new: &Block, number: u64) -> Tally {
    let hashes = |block: &Block| block.paragraphs.iter().map(|(hash, _)| *hash).collect::<Vec<u64>>();
    let (old_hashes, new_hashes) = (hashes(old), hashes(new));
    let (mut kept, mut taken) = (vec![false; old_hashes.len()], vec![false; new_hashes.len()]);
    let mut tally = Tally::default();
    let size = |words: &[u64]| words.iter().map(|word| word_size(*word, number)).sum::<u64>();
    for (before, after) in aligned(&old_hashes, &new_hashes) {
        (kept[before], taken[after]) = (true, true);
        tally.kept += size(&new.paragraphs[after].1);
    }
    let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
    for (at, hash) in new_hashes.iter().enumerate().rev().filter(|(at, _)| !taken[*at]) {
        places.entry(*hash).or_default().push(at);
    }
    let mut went = Vec::new();
    for ((hash, words), _) in old.paragraphs.iter().zip(&kept).filter(|(_, kept)| !**kept) {
        match places.get_mut(hash).and_then(Vec::pop) {
            Some(at) => {
                taken[at] = true;
                tally.moved += size(words);
            }
            None => went.extend_from_slice(words),
        }
    }
    let came: Vec<u64> = new
        .paragraphs
        .iter()
        .zip(&taken)
        .filter(|(_, taken)| !**taken)
        .flat_map(|((_, words), _)| words.iter().copied())
        .collect();
    let mut rest = weighed_tally(&went, &came, |word| word_size(*word, number));
    // The same words in another order say something else: "the tenant pays the landlord".
    if rest.total() == rest.kept && went != came {
        let still: u64 = aligned(&went, &came).into_iter().map(|(at, _)| word_size(went[at], number)).sum();
        (rest.updated, rest.kept) = (rest.kept - still, still);
    }
    Tally { kept: tally.kept + rest.kept, moved: tally.moved, ..rest }
}

fn word_size(word: u64, number: u64) -> u64 {
    if is_number(word) { number } else { 1 }
}

/// Compares bags of elements: what is in both is kept.
fn bag_tally<T: std::hash::Hash + Eq>(old: &[T], new: &[T]) -> Tally {
    weighed_tally(old, new, |_| 1)
}

fn weighed_tally<T: std::hash::Hash + Eq>(old: &[T], new: &[T], size: impl Fn(&T) -> u64) -> Tally {
    let mut counts: HashMap<&T, i64> = HashMap::new();
    for element in old {
        *counts.entry(element).or_default() += 1;
    }
    let mut kept = 0;
    for element in new {
        let count = counts.entry(element).or_default();
        kept += if *count > 0 { size(element) } else { 0 };
        *count -= 1;
    }
    let total = |elements: &[T]| elements.iter().map(&size).sum::<u64>();
    let mut tally = Tally { kept, ..Tally::default() };
    tally.went_and_came(total(old) - kept, total(new) - kept);
    tally
}

#[cfg(test)]
#[path = "change_importance_tests.rs"]
mod tests;
