//! Two versions of a text side by side: which line of the one is which line of the other.
//!
//! Lines that both versions have in the same order are aligned (a longest common subsequence of what is between equal ends).
//! Replaced lines between them are shown side by side.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// What happened to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Mark {
    Same,
    Changed,
    Deleted,
    Inserted,
}

/// A line of both versions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pair {
    pub mark: Mark,
    pub before: Option<String>,
    pub after: Option<String>,
}

/// Lines of one side between equal ends that are compared each with each; longer texts are compared by lines that occur once.
const EACH: usize = 1_200;

/// Aligns two texts.
pub(crate) fn align(before: &[String], after: &[String]) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let (mut a, mut b) = (0, 0);
    for (i, j) in common(before, after).into_iter().chain([(before.len(), after.len())]) {
        between(&before[a..i], &after[b..j], &mut pairs);
        if let (Some(old), Some(new)) = (before.get(i), after.get(j)) {
            pairs.push(Pair { mark: Mark::Same, before: Some(old.clone()), after: Some(new.clone()) });
        }
        (a, b) = (i + 1, j + 1);
    }
    pairs
}

/// Lines that were replaced: one beside the other, then what is left of the longer side.
fn between(before: &[String], after: &[String], pairs: &mut Vec<Pair>) {
    for place in 0..before.len().max(after.len()) {
        let (old, new) = (before.get(place).cloned(), after.get(place).cloned());
        let mark = match (&old, &new) {
            (Some(_), Some(_)) => Mark::Changed,
            (Some(_), None) => Mark::Deleted,
            _ => Mark::Inserted,
        };
        pairs.push(Pair { mark, before: old, after: new });
    }
}

/// Places of common lines, ascending on both sides.
fn common(before: &[String], after: &[String]) -> Vec<(usize, usize)> {
    let head = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let (rest_a, rest_b) = (&before[head..], &after[head..]);
    let tail = rest_a.iter().rev().zip(rest_b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (mid_a, mid_b) = (&rest_a[..rest_a.len() - tail], &rest_b[..rest_b.len() - tail]);
    let middle =
        if mid_a.len() <= EACH && mid_b.len() <= EACH { longest(mid_a, mid_b) } else { unique(mid_a, mid_b) };
    let ends = (0..tail).map(|place| (before.len() - tail + place, after.len() - tail + place));
    (0..head)
        .map(|place| (place, place))
        .chain(middle.into_iter().map(|(i, j)| (i + head, j + head)))
        .chain(ends)
        .collect()
}

/// A longest common subsequence: O(n * m).
fn longest(a: &[String], b: &[String]) -> Vec<(usize, usize)> {
    let width = b.len() + 1;
    let mut lengths = vec![0u16; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            lengths[i * width + j] = if a[i] == b[j] {
                lengths[(i + 1) * width + j + 1] + 1
            } else {
                lengths[(i + 1) * width + j].max(lengths[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j, mut found) = (0, 0, Vec::new());
    while i < a.len() && j < b.len() {
        if a[i] == b[j] {
            found.push((i, j));
            (i, j) = (i + 1, j + 1);
        } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    found
}

/// Lines that occur once on both sides, in ascending order on both: greedily, so not always the most.
fn unique(a: &[String], b: &[String]) -> Vec<(usize, usize)> {
    let once = |lines: &[String]| -> HashMap<String, Option<usize>> {
        let mut places = HashMap::new();
        for (place, line) in lines.iter().enumerate() {
            places.entry(line.clone()).and_modify(|seen| *seen = None).or_insert(Some(place));
        }
        places
    };
    let (in_a, in_b) = (once(a), once(b));
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (i, line) in a.iter().enumerate() {
        if in_a.get(line) == Some(&Some(i))
            && let Some(Some(j)) = in_b.get(line)
            && found.last().is_none_or(|(_, last)| j > last)
        {
            found.push((i, *j));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.chars().map(String::from).collect()
    }

    #[test]
    fn replaced_lines_stand_beside_each_other() {
        let marks: Vec<Mark> =
            align(&lines("abcd"), &lines("axcyd")).into_iter().map(|pair| pair.mark).collect();
        assert_eq!(marks, [Mark::Same, Mark::Changed, Mark::Same, Mark::Inserted, Mark::Same]);
        assert!(align(&lines("same"), &lines("same")).iter().all(|pair| pair.mark == Mark::Same));
    }

    proptest! {
        #[test]
        fn both_texts_are_there_whole(a in "[a-d]{0,30}", b in "[a-d]{0,30}") {
            let pairs = align(&lines(&a), &lines(&b));
            let before: String = pairs.iter().filter_map(|pair| pair.before.clone()).collect();
            let after: String = pairs.iter().filter_map(|pair| pair.after.clone()).collect();
            prop_assert_eq!((before, after), (a.clone(), b.clone()));
            prop_assert!(pairs.iter().all(|pair| pair.mark != Mark::Same || pair.before == pair.after));
            let greedy = unique(&lines(&a), &lines(&b));
            prop_assert!(greedy.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
        }
    }
}
