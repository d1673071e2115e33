//! Instants, intervals and durations; all times are UTC.

use super::{DAYS_A_YEAR, number, trimmed};
use crate::time::{Instant, Interval, SECOND, SECONDS_A_DAY as DAY};

/// An instant to the second: `2024-03-04 09:08:13`.
pub(crate) fn clock(at: Instant) -> String {
    let (year, month, day, hour, minute, second) = at.civil();
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

/// An interval to the second, with its preposition; the date once where it is one day.
pub(crate) fn span(from: Instant, to: Instant) -> String {
    let (from, to) = (clock(from), clock(to));
    match (from.split_once(' '), to.split_once(' ')) {
        _ if from == to => format!("at {from}"),
        (Some((day, _)), Some((other, time))) if day == other => format!("from {from} to {time}"),
        _ => format!("from {from} to {to}"),
    }
}

/// Digits of a time that matter in an interval of this length: seconds below a day, minutes below a month, else days.
fn cut(text: &str, seconds: f64) -> &str {
    let length = match seconds {
        seconds if seconds < DAY => text.len(),
        seconds if seconds < 30.0 * DAY => text.len() - ":00".len(),
        _ => text.len() - " 00:00:00".len(),
    };
    &text[..length]
}

/// An interval of an archive: `2024-03-04 09:00:00 to 09:28:47 UTC`, as precise as its length asks for.
pub(crate) fn period(from: Instant, to: Instant) -> String {
    let seconds = Interval { from, to }.seconds();
    let (first, last) = (clock(from), clock(to));
    let (first, last) = (cut(&first, seconds), cut(&last, seconds));
    let zone = if first.contains(':') { " UTC" } else { "" };
    match (first.split_once(' '), last.split_once(' ')) {
        _ if first == last => format!("{first}{zone}"),
        (Some((day, _)), Some((other, time))) if day == other => format!("{first} to {time}{zone}"),
        _ => format!("{first} to {last}{zone}"),
    }
}

/// Two instants beside a period that a reader has seen: without the day where the period and both instants are of one day,
/// and as precise as the period.
pub(crate) fn times(from: Instant, to: Instant, period: Interval) -> (String, String) {
    let days = [period.from, period.to, from, to].map(|at| clock(at).split(' ').next().map(str::to_owned));
    let one_day = days.iter().all(|day| *day == days[0]);
    // Two ends that differ must not look alike.
    let seconds =
        period.seconds().min(if from == to { f64::INFINITY } else { Interval { from, to }.seconds() * 30.0 });
    let short = |at: Instant| {
        let text = clock(at);
        match text.split_once(' ') {
            Some((_, time)) if one_day => time.to_owned(),
            _ => cut(&text, seconds).to_owned(),
        }
    };
    let (first, last) = (short(from), short(to));
    match (first.split_once(' '), last.split_once(' ')) {
        (Some((day, _)), Some((other, time))) if day == other => (first.clone(), time.to_owned()),
        _ => (first, last),
    }
}

/// How long it is from one instant to another: from months on by the calendar, so that a year is `1 year` whether it is leap or not.
pub(crate) fn lasting(from: Instant, to: Instant) -> String {
    let seconds = Interval { from, to }.seconds();
    let ((year, month, day, ..), (last_year, last_month, last_day, ..)) = (from.civil(), to.civil());
    let months =
        (last_year - year) * 12 + i64::from(last_month) - i64::from(month) - i64::from(last_day < day);
    if months < 1 || seconds < 28.0 * DAY {
        return duration(seconds);
    }
    let units = |many: i64, name: &str| match many {
        1 => format!("1 {name}"),
        _ => format!("{} {name}s", number(many.unsigned_abs())),
    };
    let days = || {
        let (year, month) =
            (year + (i64::from(month) - 1 + months) / 12, (i64::from(month) - 1 + months) % 12 + 1);
        let whole = Instant::from_ymd(i32::try_from(year).ok()?, u32::try_from(month).ok()?, day)?;
        let rest = Interval::new(whole, to)?.seconds();
        Some((rest / DAY).floor() as i64)
    };
    let (first, second) = match months {
        12.. => (units(months / 12, "year"), (months % 12, "month")),
        _ => (units(months, "month"), (days().unwrap_or(0), "day")),
    };
    match second {
        (0, _) => first,
        (many, name) => format!("{first} {}", units(many, name)),
    }
}

/// A length of time on a clock, to the second: `0:17`, `1:02:30`.
pub(crate) fn clock_time(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

/// A duration in its two largest units, in words from days on: `13 min 29 s`, `22 years 7 months`.
pub(crate) fn duration(seconds: f64) -> String {
    const YEAR: f64 = DAYS_A_YEAR * DAY;
    const UNITS: [(&str, f64); 6] =
        [("year", YEAR), ("month", YEAR / 12.0), ("day", DAY), ("h", 3600.0), ("min", 60.0), ("s", 1.0)];
    if seconds < 1.0 {
        return match seconds {
            seconds if seconds >= 0.001 => {
                format!("{} s", trimmed(seconds, 3))
            }
            seconds if seconds * SECOND as f64 >= 0.5 => "under 1 ms".to_owned(),
            _ => "0 s".to_owned(),
        };
    }
    let seconds = seconds.round();
    let place = UNITS.iter().position(|(_, unit)| seconds >= *unit).unwrap_or(UNITS.len() - 1);
    let written = |many: f64, name: &str| match name {
        "h" | "min" | "s" => format!("{many} {name}"),
        _ if many == 1.0 => format!("1 {name}"),
        _ => format!("{} {name}s", number(many as u64)),
    };
    let (name, unit) = UNITS[place];
    let first = written((seconds / unit).floor(), name);
    match UNITS.get(place + 1) {
        Some((name, next)) if seconds % unit >= *next => {
            format!("{first} {}", written((seconds % unit / next).floor(), name))
        }
        _ => first,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Instant {
        Instant::parse(text).unwrap()
    }

    #[test]
    fn a_length_of_time_on_a_clock_has_hours_only_where_it_needs_them() {
        assert_eq!([16.6, 3599.4, 3750.0].map(clock_time), ["0:17", "59:59", "1:02:30"]);
    }

    #[test]
    fn an_interval_names_its_day_once() {
        let (a, b, c) =
            (at("2024-01-01T10:00:00.5Z"), at("2024-01-01T10:00:01Z"), at("2024-01-02T00:00:00Z"));
        assert_eq!(span(a, b), "from 2024-01-01 10:00:00 to 10:00:01");
        assert_eq!(span(a, c), "from 2024-01-01 10:00:00 to 2024-01-02 00:00:00");
        assert_eq!(span(b, b), "at 2024-01-01 10:00:01");
    }

    #[test]
    fn a_period_is_as_precise_as_its_length_asks_for() {
        let start = at("2024-03-04T09:00:00Z");
        let cases = [
            ("2024-03-04T09:28:47Z", "2024-03-04 09:00:00 to 09:28:47 UTC"),
            ("2024-03-05T08:00:00Z", "2024-03-04 09:00:00 to 2024-03-05 08:00:00 UTC"),
            ("2024-03-14T12:12:07Z", "2024-03-04 09:00 to 2024-03-14 12:12 UTC"),
            ("2024-10-07T00:00:00Z", "2024-03-04 to 2024-10-07"),
            ("2024-03-04T09:00:00Z", "2024-03-04 09:00:00 UTC"),
        ];
        for (end, text) in cases {
            assert_eq!(period(start, at(end)), text);
        }
    }

    #[test]
    fn times_in_a_period_leave_out_what_it_says() {
        let day = Interval { from: at("2024-03-04T09:00:00Z"), to: at("2024-03-04T09:28:47Z") };
        let (from, to) = (at("2024-03-04T09:08:13Z"), at("2024-03-04T09:21:42Z"));
        assert_eq!(times(from, to, day), ("09:08:13".to_owned(), "09:21:42".to_owned()));
        let years = Interval { from: at("2002-03-08T00:00:00Z"), to: at("2024-10-07T00:00:00Z") };
        let (early, late) = (at("2003-01-01T00:00:00Z"), at("2014-03-25T12:12:00Z"));
        assert_eq!(times(early, late, years), ("2003-01-01".to_owned(), "2014-03-25".to_owned()));
        // A cache sent what was made the day before.
        let (from_before, to_before) = (at("2024-03-03T22:53:41Z"), at("2024-03-03T23:03:19Z"));
        let said = ("2024-03-03 22:53:41".to_owned(), "23:03:19".to_owned());
        assert_eq!(times(from_before, to_before, day), said);
        // Two moments of one day in a period of years.
        assert_eq!(times(from, to, years), ("2024-03-04 09:08:13".to_owned(), "09:21:42".to_owned()));
    }

    #[test]
    fn a_period_of_months_is_as_long_as_the_calendar_has_it() {
        for (from, to, text) in [
            ("2024-05-06T10:00:00Z", "2026-05-06T10:00:01Z", "2 years"),
            ("2021-05-06T10:00:00Z", "2022-05-06T09:00:00Z", "1 year"),
            ("2024-01-15T00:00:00Z", "2024-04-15T00:00:00Z", "3 months"),
            ("2022-02-01T00:00:00Z", "2022-03-06T12:00:00Z", "1 month 5 days"),
            ("2022-12-20T00:00:00Z", "2023-02-19T00:00:00Z", "1 month 30 days"),
            ("2022-01-31T00:00:00Z", "2022-03-01T00:00:00Z", "1 month"),
            ("2022-01-05T00:00:00Z", "2022-02-04T00:00:00Z", "30 days"),
            ("2022-01-01T00:00:00Z", "2022-01-02T01:00:00Z", "1 day 1 h"),
            ("1998-03-04T00:00:00Z", "2020-10-06T00:00:00Z", "22 years 7 months"),
        ] {
            assert_eq!(lasting(at(from), at(to)), text, "{from} {to}");
        }
    }

    #[test]
    fn durations_have_two_units() {
        let cases = [
            (0.0, "0 s"),
            (0.25, "0.25 s"),
            (809.0, "13 min 29 s"),
            (1728.0, "28 min 48 s"),
            (3600.0, "1 h"),
            (86_400.0, "1 day"),
            (8249.0 * 86_400.0, "22 years 7 months"),
            (90_000.0, "1 day 1 h"),
            (8885.5 * 365.25 * 86_400.0, "8,885 years 6 months"),
        ];
        for (seconds, text) in cases {
            assert_eq!(duration(seconds), text);
        }
    }
}
