//! What changed from one version of a page to the next: words added and removed, and how much the change matters.

use std::collections::HashMap;

use crate::html::blocks::blocks;
use crate::html::lines::lines;
use crate::ingest::Body;
use crate::quality::change_importance::change_importance;
use crate::quality::weights::ChangeWeights;

/// Above this product of word counts, words are compared without their order.
const MAX_PAIRS: usize = 4_000_000;

/// What changed.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct VersionChange {
    /// Words that stand only in the later version, neighbours together.
    pub added: Vec<String>,
    /// Words that stand only in the earlier one.
    pub removed: Vec<String>,
    /// The importance of the change, from 0 to 1 and beyond; `None` where it cannot be measured.
    pub importance: Option<f64>,
    /// Why something is not known.
    pub unknown: Option<String>,
    /// What changed where not both versions are pages: the status, or where a redirect leads.
    pub answer: Option<String>,
}

impl VersionChange {
    /// A change of which nothing is known but why.
    pub(crate) fn unknown(why: String) -> Self {
        VersionChange { unknown: Some(why), ..Self::default() }
    }

    /// A change of what the server answered.
    pub(crate) fn of_answer(words: String) -> Self {
        VersionChange { answer: Some(words), ..Self::default() }
    }

    /// Whether the texts are the same, though the bytes are not.
    pub(crate) fn is_same_text(&self) -> bool {
        self.unknown.is_none() && self.answer.is_none() && self.added.is_empty() && self.removed.is_empty()
    }
}

/// Compares the bodies of two versions.
pub(crate) fn between(before: &Body, after: &Body, weights: &ChangeWeights) -> VersionChange {
    let words = |body: &Body| -> Result<Vec<String>, String> {
        let lines = lines(&body.bytes, body.content_type.as_deref().map(str::as_bytes))?;
        Ok(lines.iter().flat_map(|line| line.split_whitespace()).map(str::to_owned).collect())
    };
    let (old, new) = match (words(before), words(after)) {
        (Ok(old), Ok(new)) => (old, new),
        (Err(why), _) | (_, Err(why)) => return VersionChange::unknown(why),
    };
    let (removed, added) = differing(&old, &new);
    let cut = |body: &Body| blocks(&body.bytes, body.content_type.as_deref().map(str::as_bytes));
    let importance = match (cut(before), cut(after)) {
        (Ok(before), Ok(after)) => Some(change_importance(&before, &after, weights).importance),
        _ => None,
    };
    VersionChange { added, removed, importance, ..VersionChange::default() }
}

/// The words that stand only in one of two texts, neighbours joined.
fn differing(old: &[String], new: &[String]) -> (Vec<String>, Vec<String>) {
    let front = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    let (old, new) = (&old[front..], &new[front..]);
    let back = old.iter().rev().zip(new.iter().rev()).take_while(|(one, other)| one == other).count();
    let (old, new) = (&old[..old.len() - back], &new[..new.len() - back]);
    if old.len().saturating_mul(new.len()) > MAX_PAIRS {
        return (beyond(old, new), beyond(new, old));
    }
    // The longest common sequence, from the end.
    let width = new.len() + 1;
    let mut longest = vec![0u32; (old.len() + 1) * width];
    for (i, one) in old.iter().enumerate().rev() {
        for (j, other) in new.iter().enumerate().rev() {
            longest[i * width + j] = if one == other {
                longest[(i + 1) * width + j + 1] + 1
            } else {
                longest[(i + 1) * width + j].max(longest[i * width + j + 1])
            };
        }
    }
    let (mut removed, mut added) = (Parts::default(), Parts::default());
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < new.len() {
        match (old.get(i), new.get(j)) {
            (Some(one), Some(other)) if one == other => {
                removed.end();
                added.end();
                i += 1;
                j += 1;
            }
            (Some(one), other)
                if other.is_none() || longest[(i + 1) * width + j] >= longest[i * width + j + 1] =>
            {
                removed.push(one);
                i += 1;
            }
            (_, Some(other)) => {
                added.push(other);
                j += 1;
            }
            (_, None) => break,
        }
    }
    (removed.done(), added.done())
}

/// The words of one text that another lacks, however they are ordered.
fn beyond(text: &[String], other: &[String]) -> Vec<String> {
    let mut left: HashMap<&str, usize> = HashMap::new();
    other.iter().for_each(|word| *left.entry(word).or_default() += 1);
    let mut parts = Parts::default();
    for word in text {
        match left.get_mut(word.as_str()).filter(|count| **count > 0) {
            Some(count) => {
                *count -= 1;
                parts.end();
            }
            None => parts.push(word),
        }
    }
    parts.done()
}

/// Words gathered into parts.
#[derive(Default)]
struct Parts {
    done: Vec<String>,
    open: String,
}

impl Parts {
    fn push(&mut self, word: &str) {
        if !self.open.is_empty() {
            self.open.push(' ');
        }
        self.open.push_str(word);
    }

    fn end(&mut self) {
        if !self.open.is_empty() {
            self.done.push(std::mem::take(&mut self.open));
        }
    }

    fn done(mut self) -> Vec<String> {
        self.end();
        self.done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differ(old: &str, new: &str) -> (Vec<String>, Vec<String>) {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        differing(&words(old), &words(new))
    }

    #[test]
    fn words_are_named_that_stand_only_on_one_side() {
        assert_eq!(differ("a fee of 4 euros", "a fee of 5 euros"), (vec!["4".into()], vec!["5".into()]));
        assert_eq!(differ("a b c", "a x y b c z"), (vec![], vec!["x y".into(), "z".into()]));
        assert_eq!(differ("a b c d", "c d"), (vec!["a b".into()], vec![]));
        assert_eq!(differ("a b", "a b"), (vec![], vec![]));
    }

    #[test]
    fn long_texts_are_compared_without_their_order() {
        let old: Vec<String> = (0..3000).map(|number| format!("w{number}")).collect();
        let new: Vec<String> = (0..3000).rev().map(|number| format!("w{}", number + 1)).collect();
        assert_eq!(differing(&old, &new), (vec!["w0".to_owned()], vec!["w3000".to_owned()]));
    }

    #[test]
    fn bodies_that_are_html_have_an_importance() {
        let body = |text: &str| Body {
            bytes: format!("<html><body><p>{text}</p></body></html>").into_bytes(),
            content_type: Some("text/html".to_owned()),
        };
        let found = between(&body("a fee of 4 euros"), &body("a fee of 5 euros"), &ChangeWeights::default());
        assert_eq!((found.removed, found.added), (vec!["4".to_owned()], vec!["5".to_owned()]));
        assert!(found.importance.is_some_and(|importance| importance > 0.0));
        let same = between(&body("x"), &body("x "), &ChangeWeights::default());
        assert!(same.is_same_text());
    }
}
