//! Counts, shares, rates and sizes.

use super::DAYS_A_YEAR;
use crate::time::SECONDS_A_DAY;

/// Shares at which an answer gets another band, in percent: no share is rounded up to one of them.
const CUTS: [f64; 2] = [70.0, 95.0];

/// A count with commas: `1,734`.
pub(crate) fn number(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A share as a whole percentage: 100% only if all, 0% only if none, and never rounded up to a cut between two bands.
pub(crate) fn percent(share: f64) -> String {
    percent_to(share, 0)
}

/// The same with a given number of decimals.
fn percent_to(share: f64, digits: usize) -> String {
    let exact = 100.0 * share;
    let scale = 10.0_f64.powi(digits as i32);
    let (unit, rounded) = (1.0 / scale, (exact * scale).round() / scale);
    match exact {
        exact if exact < 100.0 && exact - (100.0 - unit) > 1e-9 => format!("over {:.digits$}%", 100.0 - unit),
        exact if exact > 0.0 && exact < unit => format!("under {unit:.digits$}%"),
        exact if CUTS.iter().any(|cut| exact < *cut && rounded >= *cut) => {
            format!("{:.digits$}%", (exact * scale).floor() / scale)
        }
        // No sign for what rounds to nothing.
        exact if exact == 0.0 || exact == 100.0 => format!("{}%", exact + 0.0),
        _ => format!("{:.digits$}%", rounded + 0.0),
    }
}

/// A share before and after, each as a percentage: with more digits where whole ones would not show the change.
pub(crate) fn percents(before: f64, after: f64) -> (String, String) {
    let is_plain = |text: &str| text.starts_with(|letter: char| letter.is_ascii_digit());
    let shown = |digits| (percent_to(before, digits), percent_to(after, digits));
    // `75% → over 99%` shows it, `99% → over 99%` does not.
    let is_large = (after - before).abs() > 0.02;
    let whole =
        Some(shown(0)).filter(|(from, to)| from != to && (is_large || is_plain(from) && is_plain(to)));
    whole.or_else(|| (1..=3).map(shown).find(|(from, to)| from != to)).unwrap_or_else(|| shown(0))
}

/// A share before and after: `88% → 94%`, `99.0% → 99.6%`.
pub(crate) fn percent_change(before: f64, after: f64) -> String {
    let (from, to) = percents(before, after);
    format!("{from} → {to}")
}

/// Two shares as percentages: `78 to over 99%`.
pub(crate) fn percent_range(low: f64, high: f64) -> String {
    let (from, to) = (percent(low), percent(high));
    if from == to { to } else { format!("{} to {to}", from.trim_end_matches('%')) }
}

/// A number to so many decimals, without zeros at its end: `2.33`, `4`.
pub(crate) fn trimmed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// A figure of 0 or more for people: two decimals below 1, one below 10, then whole.
pub(crate) fn figure(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if size < 0.01 => "under 0.01".to_owned(),
        size if size < 0.995 => format!("{value:.2}"),
        size if size < 9.95 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

/// A figure with three digits, for tables whose rows add up.
pub(crate) fn precise(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 => format!("{value:.2}"),
        size if size >= 0.001 => format!("{value:.3}"),
        _ => "under 0.001".to_owned(),
    }
}

/// How often something happens, in the unit that gives a whole number from 1 to 99.
pub(crate) fn every(per_day: f64) -> String {
    const MONTH: f64 = DAYS_A_YEAR / 12.0;
    let times = |rate: f64, unit: &str| match rate.round() {
        rate if rate <= 1.0 => format!("once {unit}"),
        rate if rate <= 99.0 => format!("{rate:.0} times {unit}"),
        rate => format!("{} times {unit}", number(rate as u64)),
    };
    let pause = |days: f64, unit: f64, name: &str| match (days / unit).round() {
        one if one <= 1.0 => format!("every {name}"),
        many if many <= 99.0 => format!("every {many:.0} {name}s"),
        many => format!("every {} {name}s", number(many as u64)),
    };
    match per_day {
        rate if rate.is_nan() || rate <= 0.0 => "never".to_owned(),
        rate if rate >= 99.5 * 1440.0 => times(rate / SECONDS_A_DAY, "a second"),
        rate if rate >= 99.5 * 24.0 => times(rate / 1440.0, "a minute"),
        rate if rate >= 99.5 => times(rate / 24.0, "an hour"),
        rate if rate >= 1.0 => times(rate, "a day"),
        rate if rate >= 1.0 / 60.0 => pause(1.0 / rate, 1.0, "day"),
        rate if rate >= 1.0 / 730.5 => pause(1.0 / rate, MONTH, "month"),
        rate => pause(1.0 / rate, DAYS_A_YEAR, "year"),
    }
}

/// A size with three digits in decimal units: `2.15 MB`.
pub(crate) fn bytes(bytes: u64) -> String {
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64;
    let mut name = "B";
    for unit in ["KB", "MB", "GB", "TB", "PB", "EB"] {
        value /= 1000.0;
        name = unit;
        if value < 999.5 {
            break;
        }
    }
    match value {
        value if value < 9.995 => format!("{value:.2} {name}"),
        value if value < 99.95 => format!("{value:.1} {name}"),
        value => format!("{value:.0} {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_commas_from_a_thousand_on() {
        let texts: Vec<String> = [0, 9, 999, 1000, 1734, 802_985, 1_574_508].map(number).to_vec();
        assert_eq!(texts, ["0", "9", "999", "1,000", "1,734", "802,985", "1,574,508"]);
        assert_eq!(number(u64::MAX), "18,446,744,073,709,551,615");
    }

    #[test]
    fn zeros_at_the_end_of_decimals_are_left_out() {
        let texts = [(2.333, 2), (4.0, 2), (0.714_28, 3), (20.0, 0), (0.0, 1)];
        assert_eq!(texts.map(|(value, digits)| trimmed(value, digits)), ["2.33", "4", "0.714", "20", "0"]);
    }

    #[test]
    fn shares_are_never_rounded_to_all_to_nothing_or_over_a_cut() {
        let cases = [
            (1.0, "100%"),
            (0.99999, "over 99%"),
            (0.991, "over 99%"),
            (0.99, "99%"),
            (0.946, "94%"),
            (0.9499, "94%"),
            (0.95, "95%"),
            (0.6999, "69%"),
            (0.7, "70%"),
            (21.0 / 26.0, "81%"),
            (0.00001, "under 1%"),
            (0.0, "0%"),
        ];
        for (share, text) in cases {
            assert_eq!(percent(share), text, "{share}");
        }
        assert_eq!(percent_range(0.601, 0.998), "60 to over 99%");
        assert_eq!(percent_range(0.9991, 0.9999), "over 99%");
        assert_eq!(percent_range(0.00001, 0.9), "under 1 to 90%");
    }

    #[test]
    fn a_change_of_a_share_has_as_many_digits_as_show_it() {
        let cases = [
            (0.88, 0.94, "88% → 94%"),
            (0.75, 0.998, "75% → over 99%"),
            (0.99, 0.996, "99.0% → 99.6%"),
            (0.9911, 0.9962, "99.1% → 99.6%"),
            (0.99, 0.9996, "99.0% → over 99.9%"),
            (0.9991, 0.9996, "99.91% → 99.96%"),
            (0.996, 1.0, "99.6% → 100%"),
            (0.99, 1.0, "99% → 100%"),
            (0.0, 0.004, "0% → 0.4%"),
            (0.9461, 0.9499, "94.6% → 94.9%"),
            (0.5, 0.5, "50% → 50%"),
        ];
        for (before, after, text) in cases {
            assert_eq!(percent_change(before, after), text);
        }
    }

    #[test]
    fn figures_have_as_many_digits_as_people_use() {
        let texts = [0.0, 0.004, 0.057, 0.999, 2.44, 9.96, 24.121].map(figure);
        assert_eq!(texts, ["0", "under 0.01", "0.06", "1.0", "2.4", "10", "24"]);
        let texts = [0.0, 0.0004, 0.0571, 2.081, 24.121, 240.2].map(precise);
        assert_eq!(texts, ["0", "under 0.001", "0.057", "2.08", "24.1", "240"]);
    }

    #[test]
    fn rates_are_written_as_people_say_them() {
        let cases = [
            (0.0, "never"),
            (7.79, "8 times a day"),
            (1.0, "once a day"),
            (288.0, "12 times an hour"),
            (86_400.0, "60 times a minute"),
            (0.069, "every 14 days"),
            (0.99, "every day"),
            (1.0 / 91.3, "every 3 months"),
            (1.0 / 3652.5, "every 10 years"),
        ];
        for (rate, text) in cases {
            assert_eq!(every(rate), text, "{rate}");
        }
    }

    #[test]
    fn sizes_have_three_digits() {
        let texts = [7, 999, 1000, 2_149_000, 21_490_000, 999_600_000, u64::MAX].map(bytes);
        assert_eq!(texts, ["7 B", "999 B", "1.00 KB", "2.15 MB", "21.5 MB", "1.00 GB", "18.4 EB"]);
    }
}
