//! What changed from one version of a page to the next: words added and removed, and how much the change matters.

use std::collections::HashMap;

use crate::html::blocks::blocks;
use crate::html::lines::lines;
use crate::ingest::Body;
use crate::quality::change_importance::change_importance;
use crate::quality::weights::ChangeWeights;

/// Above this product of word counts, words are compared without their order.
const MAX_PAIRS: usize = 4_000_000;

/// What is said where they are.
const WITHOUT_ORDER: &str = "the changed part is long, so its words were compared without their order: a word that only moved is not named";

/// What changed.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct VersionChange {
    /// Words that stand only in the later version, neighbours together.
    pub added: Vec<String>,
    /// Words that stand only in the earlier one.
    pub removed: Vec<String>,
    /// The importance of the change, from 0 to 1 and beyond; `None` where it cannot be measured.
    pub importance: Option<f64>,
    /// What was compared less than exactly, in words.
    pub limit: Option<&'static str>,
    /// Why something is unknown.
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
        let is_known = self.unknown.is_none() && self.answer.is_none() && self.limit.is_none();
        is_known && self.added.is_empty() && self.removed.is_empty()
    }
}

/// Compares the bodies of two versions.
pub(crate) fn between(before: &Body, after: &Body, weights: &ChangeWeights) -> VersionChange {
    let lines_of = |body: &Body| lines(&body.bytes, body.content_type.as_deref().map(str::as_bytes));
    let (old, new) = match (lines_of(before), lines_of(after)) {
        (Ok(old), Ok(new)) => (old, new),
        (Err(why), _) | (_, Err(why)) => return VersionChange::unknown(why),
    };
    let Differing { removed, added, is_ordered } = differing(&words(&old), &words(&new));
    let cut = |body: &Body| blocks(&body.bytes, body.content_type.as_deref().map(str::as_bytes));
    let importance = match (cut(before), cut(after)) {
        (Ok(before), Ok(after)) => Some(change_importance(&before, &after, weights).importance),
        _ => None,
    };
    let limit = (!is_ordered).then_some(WITHOUT_ORDER);
    VersionChange { added, removed, importance, limit, ..VersionChange::default() }
}

fn words(lines: &[String]) -> Vec<&str> {
    lines.iter().flat_map(|line| line.split_whitespace()).collect()
}

/// The words that stand only in one of two texts, neighbours joined.
#[derive(Debug, PartialEq)]
struct Differing {
    removed: Vec<String>,
    added: Vec<String>,
    /// Whether their order was compared, too.
    is_ordered: bool,
}

fn differing(old: &[&str], new: &[&str]) -> Differing {
    let front = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    let (old, new) = (&old[front..], &new[front..]);
    let back = old.iter().rev().zip(new.iter().rev()).take_while(|(one, other)| one == other).count();
    let (old, new) = (&old[..old.len() - back], &new[..new.len() - back]);
    if old.len().saturating_mul(new.len()) > MAX_PAIRS {
        return Differing { removed: beyond(old, new), added: beyond(new, old), is_ordered: false };
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
    Differing { removed: removed.done(), added: added.done(), is_ordered: true }
}

/// The words of one text that another lacks, however they are ordered.
fn beyond(text: &[&str], other: &[&str]) -> Vec<String> {
    let mut left: HashMap<&str, usize> = HashMap::new();
    other.iter().for_each(|word| *left.entry(word).or_default() += 1);
    let mut parts = Parts::default();
    for word in text {
        match left.get_mut(word).filter(|count| **count > 0) {
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

    fn differ(old: &'static str, new: &'static str) -> (Vec<String>, Vec<String>) {
        let words = |text: &'static str| text.split(' ').collect::<Vec<_>>();
        let found = differing(&words(old), &words(new));
        (found.removed, found.added)
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
        let found = differing(&words(&old), &words(&new));
        assert_eq!((found.removed, found.added), (vec!["w0".to_owned()], vec!["w3000".to_owned()]));
        assert!(!found.is_ordered);
        let page = |words: &[String]| Body {
            bytes: words.join(" ").into_bytes(),
            content_type: Some("text/html".to_owned()),
        };
        let change = between(&page(&old), &page(&new), &ChangeWeights::default());
        assert_eq!(change.limit, Some(WITHOUT_ORDER), "it is said");
    }

    #[test]
    fn only_the_words_that_changed_are_named_however_long_the_paragraph() {
        let body = |first: &str, middle: &str, last: &str| Body {
            bytes: format!(
                "<html><body><p>{first} {0} {middle} {0} {last}</p></body></html>",
                "a word here and there ".repeat(300)
            )
            .into_bytes(),
            content_type: Some("text/html".to_owned()),
        };
        let words = |old: &Body, new: &Body| {
            let found = between(old, new, &ChangeWeights::default());
            assert_eq!(found.limit, None);
            (found.removed, found.added)
        };
        let of = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            words(&body("a", "is charged.", "free"), &body("a", "is charged.", "charged")),
            (of(&["free"]), of(&["charged"]))
        );
        assert_eq!(
            words(&body("a", "is charged.", "free"), &body("abcdef", "is charged.", "free")),
            (of(&["a"]), of(&["abcdef"]))
        );
        assert_eq!(
            words(&body("a", "is charged.", "free"), &body("a", "is not charged.", "free")),
            (of(&[]), of(&["not"]))
        );
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
