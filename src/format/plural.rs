//! Counts with their nouns, and lists.

use super::number;

/// A noun in the plural: `pages`, `copies`, `matches`.
pub(crate) fn plural(noun: &str) -> String {
    // `pair of crawls`: its head takes the ending.
    if let Some((head, rest)) = noun.split_once(" of ") {
        return format!("{} of {rest}", plural(head));
    }
    let consonant = |letter: Option<char>| letter.is_some_and(|letter| !"aeiou".contains(letter));
    match noun.strip_suffix('y') {
        Some(stem) if consonant(stem.chars().next_back()) => format!("{stem}ies"),
        _ if ["s", "x", "ch", "sh"].iter().any(|end| noun.ends_with(end)) => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}

/// A count with its noun: `1 page`, `1,734 captures`.
pub(crate) fn count(many: u64, noun: &str) -> String {
    if many == 1 { format!("1 {noun}") } else { format!("{} {}", number(many), plural(noun)) }
}

/// All of them, as the subject of a sentence: `The page`, `Both pages`, `All 26 pages`.
pub(crate) fn all(many: u64, noun: &str) -> String {
    match many {
        1 => format!("The {noun}"),
        2 => format!("Both {}", plural(noun)),
        _ => format!("All {}", count(many, noun)),
    }
}

/// Some of them, within a sentence: `3 of 12 embeds`; all of them are `the embed`, `both embeds`, `all 12 embeds`.
pub(crate) fn part_of(part: u64, whole: u64, noun: &str) -> String {
    if part == whole && whole > 0 {
        return all(whole, noun).to_lowercase();
    }
    format!("{} of {}", number(part), count(whole, noun))
}

/// `was` of one, `were` of all other counts.
pub(crate) fn was(many: u64) -> &'static str {
    if many == 1 { "was" } else { "were" }
}

/// Parts in one sentence: `a, b and c`.
pub(crate) fn list(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_follow_their_counts() {
        assert_eq!(count(1, "page"), "1 page");
        assert_eq!(count(0, "page"), "0 pages");
        assert_eq!(count(1734, "capture"), "1,734 captures");
        assert_eq!(count(2, "copy"), "2 copies");
        assert_eq!(count(2, "day"), "2 days");
        assert_eq!(count(2, "index"), "2 indexes");
        assert_eq!([1, 2, 26].map(|many| all(many, "page")), ["The page", "Both pages", "All 26 pages"]);
        assert_eq!((was(1), was(0)), ("was", "were"));
        assert_eq!(
            [(1, 1), (2, 2), (12, 12), (3, 12), (0, 0)].map(|(part, whole)| part_of(part, whole, "embed")),
            ["the embed", "both embeds", "all 12 embeds", "3 of 12 embeds", "0 of 0 embeds"]
        );
    }

    #[test]
    fn lists_end_with_and() {
        let parts = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(
            [list(&[]), list(&parts[..1]), list(&parts[..2]), list(&parts)],
            ["", "a", "a and b", "a, b and c"]
        );
    }
}
