//! Which question divides a set of examples best: information gain and gain ratio.
//!
//! ```text
//! info(S)      = - sum_c p_c log2 p_c                           p_c the share of class c among S
//! gain(T)      = F * (info(K) - sum_i |K_i|/|K| info(K_i)) - cost   K the examples whose feature is known, F = |K|/|S|
//! split(T)     = - sum_i s_i log2 s_i                           s_i the shares |K_i|/|S|, and that of the unknown ones
//! ratio(T)     = gain(T) / split(T)
//! ```
//!
//! A name is asked for with one branch for each; a number with one threshold, where the gain is greatest, and at the
//! cost of `log2(thresholds tried) / |S|` for the choice among them. A question counts only if two of its
//! branches hold at least [`MIN_EXAMPLES`] examples; of those that gain at least as much as their average, the one of greatest
//! ratio is taken.
//!
//! Source: Quinlan: C4.5, Programs for Machine Learning, Morgan Kaufmann 1993, chapters 2 and 3; Quinlan: Improved Use
//! of Continuous Attributes in C4.5, JAIR 4, 1996 (cost of a threshold; it is chosen by gain). DIFFERENCE: a threshold
//! lies midway between two values, not on the lower one. Examples have weights, because those with a missing feature
//! follow every branch by share. Cost: O(n log n) for a number, O(n) for a name.

use std::collections::BTreeMap;

use super::encoded::{Cell, Encoded};

/// Minimum number of examples in each of two branches of a question.
pub(crate) const MIN_EXAMPLES: f64 = 2.0;

/// An example and how much of it is here.
pub(super) type Part = (u32, f64);

/// A question about one feature.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Question {
    /// At most this, or above it.
    Threshold(f64),
    /// Which of these names, ascending.
    Names(Vec<u32>),
}

impl Question {
    /// The branch of a cell; `None` if it is unknown.
    pub(super) fn branch(&self, cell: Cell) -> Option<usize> {
        match (self, cell) {
            (Question::Threshold(threshold), Cell::Number(number)) => Some(usize::from(number > *threshold)),
            (Question::Names(names), Cell::Name(name)) => names.binary_search(&name).ok(),
            _ => None,
        }
    }

    pub(super) fn branches(&self) -> usize {
        match self {
            Question::Threshold(_) => 2,
            Question::Names(names) => names.len(),
        }
    }
}

/// A question with its worth.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Split {
    pub feature: usize,
    pub question: Question,
    pub gain: f64,
    pub ratio: f64,
}

/// `x log2 x`, 0 at 0.
fn x_log_x(x: f64) -> f64 {
    if x > 0.0 { x * x.log2() } else { 0.0 }
}

/// `|S| info(S)` from the weights of the classes.
fn total_info(counts: &[f64]) -> f64 {
    x_log_x(counts.iter().sum()) - counts.iter().map(|count| x_log_x(*count)).sum::<f64>()
}

/// `info(S)` in bits.
pub(crate) fn info(counts: &[f64]) -> f64 {
    let total: f64 = counts.iter().sum();
    if total > 0.0 { total_info(counts) / total } else { 0.0 }
}

/// Gain and gain ratio of branches with the given weights of the classes, and the weight of what follows none of them.
pub(crate) fn worth(branches: &[Vec<f64>], unknown: f64, cost: f64) -> (f64, f64) {
    let classes = branches.first().map_or(0, Vec::len);
    let mut all = vec![0.0; classes];
    for branch in branches {
        all.iter_mut().zip(branch).for_each(|(sum, count)| *sum += count);
    }
    let known: f64 = all.iter().sum();
    let total = known + unknown;
    if known <= 0.0 {
        return (0.0, 0.0);
    }
    let inside: f64 = branches.iter().map(|branch| total_info(branch)).sum();
    let gain = (total_info(&all) - inside) / total - cost;
    let mut shares: Vec<f64> = branches.iter().map(|branch| branch.iter().sum()).collect();
    shares.push(unknown);
    let split = info(&shares);
    (gain, if split > 0.0 { gain / split } else { 0.0 })
}

/// The best question about a feature; `None` where none divides the parts.
fn of_feature(data: &Encoded, parts: &[Part], feature: usize) -> Option<Split> {
    let classes = data.class_count as usize;
    let mut names: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    let mut numbers: Vec<(f64, usize, f64)> = Vec::new();
    let mut unknown = 0.0;
    for &(row, weight) in parts {
        let class = data.classes[row as usize] as usize;
        match data.rows[row as usize][feature] {
            Cell::Missing => unknown += weight,
            Cell::Number(number) => numbers.push((number, class, weight)),
            Cell::Name(name) => {
                names.entry(name).or_insert_with(|| vec![0.0; classes])[class] += weight;
            }
        }
    }
    if names.is_empty() {
        return threshold(&mut numbers, classes, unknown, feature);
    }
    let (names, branches): (Vec<u32>, Vec<Vec<f64>>) = names.into_iter().unzip();
    let full = branches.iter().filter(|branch| branch.iter().sum::<f64>() >= MIN_EXAMPLES).count();
    let (gain, ratio) = worth(&branches, unknown, 0.0);
    (full >= 2).then_some(Split { feature, question: Question::Names(names), gain, ratio })
}

fn threshold(
    numbers: &mut [(f64, usize, f64)],
    classes: usize,
    unknown: f64,
    feature: usize,
) -> Option<Split> {
    numbers.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)).then(a.2.total_cmp(&b.2)));
    let mut high = vec![0.0; classes];
    numbers.iter().for_each(|(_, class, weight)| high[*class] += weight);
    let known: f64 = high.iter().sum();
    // Neither side may be a sliver where there are many examples (Quinlan's rule, between 2 and 25).
    let least = (0.1 * known / classes as f64).clamp(MIN_EXAMPLES, 25.0);
    let mut low = vec![0.0; classes];
    let (mut low_sum, mut low_logs, mut high_logs) =
        (0.0, 0.0, high.iter().map(|n| x_log_x(*n)).sum::<f64>());
    let mut tried = 0u32;
    let mut best: Option<(f64, f64, Vec<f64>)> = None;
    for pair in numbers.windows(2) {
        let (value, class, weight) = pair[0];
        low_logs -= x_log_x(low[class]);
        high_logs -= x_log_x(high[class]);
        low[class] += weight;
        high[class] -= weight;
        low_sum += weight;
        low_logs += x_log_x(low[class]);
        high_logs += x_log_x(high[class]);
        if pair[1].0 <= value || low_sum < least || known - low_sum < least {
            continue;
        }
        tried += 1;
        // The remaining entropy of the two sides: the less, the greater the gain.
        let inside = x_log_x(low_sum) - low_logs + x_log_x(known - low_sum) - high_logs;
        if best.as_ref().is_none_or(|(least, ..)| inside < *least - 1e-9) {
            best = Some((inside, value + (pair[1].0 - value) / 2.0, low.clone()));
        }
    }
    let (_, threshold, low) = best?;
    let mut all = vec![0.0; classes];
    numbers.iter().for_each(|(_, class, weight)| all[*class] += weight);
    let high = all.iter().zip(&low).map(|(all, low)| (all - low).max(0.0)).collect();
    let cost = f64::from(tried).log2() / (known + unknown);
    let (gain, ratio) = worth(&[low, high], unknown, cost);
    Some(Split { feature, question: Question::Threshold(threshold), gain, ratio })
}

/// The best question about all features; `None` where none gains anything. `asked` marks features whose names were
/// asked for already.
pub(super) fn best(data: &Encoded, parts: &[Part], asked: &[bool]) -> Option<Split> {
    let splits: Vec<Split> = (0..data.width())
        .filter(|feature| !asked[*feature])
        .filter_map(|feature| of_feature(data, parts, feature))
        .filter(|split| split.gain > 1e-9)
        .collect();
    let average = splits.iter().map(|split| split.gain).sum::<f64>() / splits.len() as f64;
    let mut best: Option<Split> = None;
    for split in splits.into_iter().filter(|split| split.gain >= average - 1e-9) {
        if best.as_ref().is_none_or(|best| split.ratio > best.ratio) {
            best = Some(split);
        }
    }
    best
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Quinlan's fourteen days (Table 2.1): outlook (sunny, overcast, rain), temperature, humidity, windy; 0 play, 1
    /// not.
    pub(crate) fn golf() -> Encoded {
        let days: [(u32, f64, f64, u32, u32); 14] = [
            (0, 75.0, 70.0, 1, 0),
            (0, 80.0, 90.0, 1, 1),
            (0, 85.0, 85.0, 0, 1),
            (0, 72.0, 95.0, 0, 1),
            (0, 69.0, 70.0, 0, 0),
            (1, 72.0, 90.0, 1, 0),
            (1, 83.0, 78.0, 0, 0),
            (1, 64.0, 65.0, 1, 0),
            (1, 81.0, 75.0, 0, 0),
            (2, 71.0, 80.0, 1, 1),
            (2, 65.0, 70.0, 1, 1),
            (2, 75.0, 80.0, 0, 0),
            (2, 68.0, 80.0, 0, 0),
            (2, 70.0, 96.0, 0, 0),
        ];
        Encoded {
            rows: days
                .iter()
                .map(|day| {
                    vec![Cell::Name(day.0), Cell::Number(day.1), Cell::Number(day.2), Cell::Name(day.3)]
                })
                .collect(),
            classes: days.iter().map(|day| day.4).collect(),
            class_count: 2,
        }
    }

    fn parts(data: &Encoded) -> Vec<Part> {
        (0..data.rows.len() as u32).map(|row| (row, 1.0)).collect()
    }

    #[test]
    fn the_worked_example_of_the_book_comes_out() {
        let data = golf();
        assert!((info(&[9.0, 5.0]) - 0.940).abs() < 5e-4);
        let outlook = of_feature(&data, &parts(&data), 0).unwrap();
        assert!((outlook.gain - 0.2467).abs() < 5e-5, "{}", outlook.gain);
        assert!((outlook.gain / outlook.ratio - 1.577).abs() < 5e-4);
        assert!((outlook.ratio - 0.156).abs() < 5e-4);
        let windy = of_feature(&data, &parts(&data), 3).unwrap();
        assert!((windy.gain - 0.048).abs() < 5e-4);
        assert_eq!(best(&data, &parts(&data), &[false; 4]).unwrap().feature, 0);
    }

    #[test]
    fn a_missing_value_lowers_the_gain_as_in_the_book() {
        let mut data = golf();
        data.rows[5][0] = Cell::Missing;
        let outlook = of_feature(&data, &parts(&data), 0).unwrap();
        assert!((outlook.gain - 0.199).abs() < 5e-4, "{}", outlook.gain);
        assert!((outlook.gain / outlook.ratio - 1.809).abs() < 5e-4);
        assert!((outlook.ratio - 0.110).abs() < 5e-4);
    }

    #[test]
    fn a_threshold_lies_where_the_gain_is_greatest_and_pays_for_the_choice() {
        let data = golf();
        let sunny: Vec<Part> = (0..5).map(|row| (row, 1.0)).collect();
        let humidity = of_feature(&data, &sunny, 2).unwrap();
        assert_eq!(humidity.question, Question::Threshold(77.5));
        // Two thresholds leave two examples on each side: 77.5 and 87.5. log2(2)/5 is the cost of the choice.
        assert!((humidity.gain - (info(&[2.0, 3.0]) - 0.2)).abs() < 1e-9, "{}", humidity.gain);
    }

    #[test]
    fn a_feature_that_is_the_same_everywhere_divides_nothing() {
        let data = Encoded {
            rows: vec![vec![Cell::Number(1.0), Cell::Name(3), Cell::Missing]; 6],
            classes: vec![0, 1, 0, 1, 0, 1],
            class_count: 2,
        };
        assert_eq!(best(&data, &parts(&data), &[false; 3]), None);
        assert_eq!(worth(&[], 0.0, 0.0), (0.0, 0.0));
    }
}
