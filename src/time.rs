//! Instants and intervals.
//!
//! Time is UTC, counted in microseconds since 1970, and written as RFC 3339. A date in an archive is rarely exact:
//! `WARC-Date` is cut to seconds by most writers, ARC has 12- or 14-digit dates, WARC 1.1 allows `2014-01`. So
//! parsing gives the earliest instant that a date can mean *and* how much later the true one may be.

use std::fmt;

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, NaiveTime, Timelike};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Microseconds in a second: the unit of [`Instant`].
pub const SECOND: i64 = 1_000_000;
/// Microseconds in a day.
pub const DAY: i64 = 86_400 * SECOND;
/// Seconds in a day, for rates and lengths of time.
pub(crate) const SECONDS_A_DAY: f64 = 86_400.0;
/// Seconds after which the Gregorian calendar repeats: 400 years of 146,097 days.
const CYCLE: i64 = 146_097 * 86_400;

/// A point in time: microseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Instant(pub i64);

/// A date as written: the earliest instant it can mean, and the length of the span it covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dated {
    pub instant: Instant,
    /// The span covered, in microseconds: one second for a date without fraction, a day for `2014-01-05`.
    pub precision: i64,
}

impl Instant {
    /// Seconds since 1970, as a real number: the unit of the formulas.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / SECOND as f64
    }

    /// The instant that lies `seconds` after 1970.
    pub fn from_seconds(seconds: f64) -> Self {
        Instant((seconds * SECOND as f64).round() as i64)
    }

    /// The instant `micros` later (saturating).
    #[must_use]
    pub fn plus(self, micros: i64) -> Self {
        Instant(self.0.saturating_add(micros))
    }

    /// Midnight UTC of a calendar day; `None` if there is no such day.
    pub fn from_ymd(year: i32, month: u32, day: u32) -> Option<Self> {
        let days = NaiveDate::from_ymd_opt(year, month, day)?;
        Some(Instant(days.and_hms_opt(0, 0, 0)?.and_utc().timestamp_micros()))
    }

    /// Year, month, day, hour, minute, second.
    pub fn civil(self) -> (i64, u32, u32, u32, u32, u32) {
        // chrono covers 262,143 years, an `i64` of microseconds more: map to the same date in 1970 to 2369 first.
        let seconds = self.0.div_euclid(SECOND);
        let date = DateTime::from_timestamp(seconds.rem_euclid(CYCLE), 0).unwrap_or_default();
        let year = i64::from(date.year()) + 400 * seconds.div_euclid(CYCLE);
        (year, date.month(), date.day(), date.hour(), date.minute(), date.second())
    }

    /// The 14 digits of CDX: `20261116001318`.
    pub fn digits14(self) -> String {
        let (year, month, day, hour, minute, second) = self.civil();
        format!("{year:04}{month:02}{day:02}{hour:02}{minute:02}{second:02}")
    }

    /// Appends the RFC 3339 form: without fraction, or with 3 or 6 digits of it.
    pub fn write_rfc3339(self, out: &mut Vec<u8>) {
        let (year, month, day, hour, minute, second) = self.civil();
        if !(0..=9999).contains(&year) {
            out.extend_from_slice(format!("{year:+05}").as_bytes());
        } else {
            push_digits(out, year as u32, 4);
        }
        for (mark, value) in [(b'-', month), (b'-', day), (b'T', hour), (b':', minute), (b':', second)] {
            out.push(mark);
            push_digits(out, value, 2);
        }
        let micros = self.0.rem_euclid(SECOND) as u32;
        if micros != 0 {
            out.push(b'.');
            if micros.is_multiple_of(1000) {
                push_digits(out, micros / 1000, 3);
            } else {
                push_digits(out, micros, 6);
            }
        }
        out.push(b'Z');
    }

    /// Parses the RFC 3339 form that this module writes (any precision, any zone); years of more than four digits, and those
    /// before year 0, have a sign.
    pub fn parse(text: &str) -> Option<Self> {
        let Some(unsigned) = text.strip_prefix(['+', '-']) else {
            return Dated::parse(text).map(|dated| dated.instant);
        };
        let (year, rest) = unsigned.split_once('-')?;
        let year: i64 = text[..=year.len()].parse().ok()?;
        let alike = Self::parse(&format!("{:04}-{rest}", year.rem_euclid(400)))?;
        let micros = i128::from(alike.0) + i128::from(year.div_euclid(400)) * i128::from(CYCLE * SECOND);
        i64::try_from(micros).ok().map(Instant)
    }
}

fn push_digits(out: &mut Vec<u8>, value: u32, width: usize) {
    let mut digits = [b'0'; 10];
    let mut rest = value;
    for place in (0..width).rev() {
        digits[place] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    out.extend_from_slice(&digits[..width]);
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Vec::with_capacity(27);
        self.write_rfc3339(&mut text);
        f.write_str(&String::from_utf8_lossy(&text))
    }
}

impl Serialize for Instant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Rows of a table have several dates: skip the formatter.
        let mut text = Vec::with_capacity(27);
        self.write_rfc3339(&mut text);
        serializer.serialize_str(&String::from_utf8_lossy(&text))
    }
}

impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Instant::parse(&text)
            .ok_or_else(|| serde::de::Error::custom(format!("not an RFC 3339 date: {text:?}")))
    }
}

/// Reads `count` ASCII digits at `at`.
fn number(text: &[u8], at: usize, count: usize) -> Option<i64> {
    let digits = text.get(at..at + count)?;
    digits
        .iter()
        .try_fold(0i64, |value, byte| byte.is_ascii_digit().then(|| value * 10 + i64::from(byte - b'0')))
}

fn instant(year: i64, month: i64, day: i64, hour: i64, minute: i64, second: i64) -> Option<Instant> {
    // A leap second (60) is read as the first instant of the next minute.
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let (year, month, day) = (year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?);
    let midnight = NaiveDate::from_ymd_opt(year, month, day)?.and_time(NaiveTime::MIN).and_utc().timestamp();
    Some(Instant((midnight + hour * 3600 + minute * 60 + second) * SECOND))
}

impl Dated {
    /// One past the last instant the date can mean.
    pub fn end(self) -> Instant {
        self.instant.plus(self.precision)
    }

    /// Parses a `WARC-Date` or any RFC 3339 / ISO 8601 date of reduced precision: `2014`, `2014-01`, `2014-01-05`,
    /// `2014-01-05T10:00Z`, with 0 to 9 digits of fraction and any zone; also 12- and 14-digit dates.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().as_bytes();
        if text.len() > 4 && text.iter().all(u8::is_ascii_digit) {
            return Self::parse_digits(text);
        }
        let year = number(text, 0, 4)?;
        let (month, day) = match text.len() {
            4 => (None, None),
            7 if text[4] == b'-' => (Some(number(text, 5, 2)?), None),
            _ if text.len() >= 10 && text[4] == b'-' && text[7] == b'-' => {
                (Some(number(text, 5, 2)?), Some(number(text, 8, 2)?))
            }
            _ => return None,
        };
        let Some(month) = month else { return Self::span(year, 1, 1, year + 1, 1) };
        let Some(day) = day else {
            let (next_year, next) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
            return Self::span(year, month, 1, next_year, next);
        };
        if text.len() == 10 {
            return Some(Dated { instant: instant(year, month, day, 0, 0, 0)?, precision: DAY });
        }
        if !matches!(text[10], b'T' | b't' | b' ') {
            return None;
        }
        let (hour, minute) = (number(text, 11, 2)?, number(text, 14, 2)?);
        if text.get(13) != Some(&b':') {
            return None;
        }
        let (mut at, mut second, mut precision, mut fraction) = (16, 0, 60 * SECOND, 0i64);
        if text.get(16) == Some(&b':') {
            second = number(text, 17, 2)?;
            (at, precision) = (19, SECOND);
            if matches!(text.get(19), Some(b'.' | b',')) {
                at = 20;
                while let Some(digit) = text.get(at).filter(|byte| byte.is_ascii_digit()) {
                    precision /= 10;
                    fraction += i64::from(digit - b'0') * precision;
                    at += 1;
                }
                if at == 20 {
                    return None;
                }
                precision = precision.max(1);
            }
        }
        let zone = match text.get(at..)? {
            b"" | b"Z" | b"z" => 0,
            [sign @ (b'+' | b'-'), rest @ ..] => {
                let (hours, minutes) = match rest.len() {
                    2 => (number(rest, 0, 2)?, 0),
                    4 => (number(rest, 0, 2)?, number(rest, 2, 2)?),
                    5 if rest[2] == b':' => (number(rest, 0, 2)?, number(rest, 3, 2)?),
                    _ => return None,
                };
                if hours > 23 || minutes > 59 {
                    return None;
                }
                (hours * 60 + minutes) * if *sign == b'-' { -60 } else { 60 }
            }
            _ => return None,
        };
        let base = instant(year, month, day, hour, minute, second)?;
        Some(Dated { instant: base.plus(fraction - zone * SECOND), precision })
    }

    /// Parses the digits of ARC and CDX: 4 (a year) to 14, and 17 with milliseconds.
    pub fn parse_digits(text: &[u8]) -> Option<Self> {
        let at = |place: usize, default: i64| {
            if text.len() >= place + 2 { number(text, place, 2) } else { Some(default) }
        };
        let year = number(text, 0, 4)?;
        let (month, day) = (at(4, 1)?, at(6, 1)?);
        let (hour, minute, second) = (at(8, 0)?, at(10, 0)?, at(12, 0)?);
        let base = instant(year, month, day, hour, minute, second)?;
        let precision = match text.len() {
            4 => return Self::span(year, 1, 1, year + 1, 1),
            6 => {
                let (next_year, next) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
                return Self::span(year, month, 1, next_year, next);
            }
            8 => DAY,
            10 => 3600 * SECOND,
            12 => 60 * SECOND,
            14 => SECOND,
            17 => return Some(Dated { instant: base.plus(number(text, 14, 3)? * 1000), precision: 1000 }),
            _ => return None,
        };
        Some(Dated { instant: base, precision })
    }

    fn span(year: i64, month: i64, day: i64, next_year: i64, next_month: i64) -> Option<Self> {
        let start = instant(year, month, day, 0, 0, 0)?;
        let end = instant(next_year, next_month, 1, 0, 0, 0)?;
        Some(Dated { instant: start, precision: end.0 - start.0 })
    }
}

/// Parses an HTTP date (`Date`, `Last-Modified`): RFC 1123, RFC 850 and asctime, and what servers make of them.
pub(crate) fn parse_http_date(text: &str) -> Option<Instant> {
    let text = text.trim();
    if let Some(instant) = parse_imf(text.as_bytes()) {
        return Some(instant);
    }
    if text.len() > 64 {
        return None;
    }
    if let Ok(date) = DateTime::parse_from_rfc2822(text) {
        return Some(Instant(date.timestamp_micros()));
    }
    let without_zone = text.trim_end_matches("GMT").trim_end_matches("UTC").trim_end();
    for format in
        ["%A, %d-%b-%y %H:%M:%S", "%a, %d-%b-%Y %H:%M:%S", "%a %b %e %H:%M:%S %Y", "%a, %d %b %Y %H:%M:%S"]
    {
        if let Ok(date) = NaiveDateTime::parse_from_str(without_zone, format) {
            return Some(Instant(date.and_utc().timestamp_micros()));
        }
    }
    None
}

/// The one form that servers must send: `Sun, 06 Nov 1994 08:49:37 GMT`.
fn parse_imf(text: &[u8]) -> Option<Instant> {
    if text.len() != 29 || &text[25..] != b" GMT" || text[4] != b' ' || text[3] != b',' {
        return None;
    }
    let month = match &text[8..11] {
        b"Jan" => 1,
        b"Feb" => 2,
        b"Mar" => 3,
        b"Apr" => 4,
        b"May" => 5,
        b"Jun" => 6,
        b"Jul" => 7,
        b"Aug" => 8,
        b"Sep" => 9,
        b"Oct" => 10,
        b"Nov" => 11,
        b"Dec" => 12,
        _ => return None,
    };
    let at = |place| number(text, place, 2);
    instant(number(text, 12, 4)?, month, at(5)?, at(17)?, at(20)?, at(23)?)
}

/// A closed interval of time, `from <= to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Interval {
    pub from: Instant,
    pub to: Instant,
}

impl Interval {
    /// The interval, or `None` when `to` lies before `from`.
    pub fn new(from: Instant, to: Instant) -> Option<Self> {
        (from <= to).then_some(Interval { from, to })
    }

    /// Whether `at` lies inside, ends included.
    pub fn contains(self, at: Instant) -> bool {
        self.from <= at && at <= self.to
    }

    /// Length in seconds.
    pub fn seconds(self) -> f64 {
        (self.to.0 - self.from.0) as f64 / SECOND as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read_however_far_away_it_lies() {
        for micros in [
            i64::MIN,
            i64::MIN + 1,
            -62_167_219_200_000_001,
            -1,
            0,
            253_402_300_800 * SECOND,
            i64::MAX - 1,
            i64::MAX,
        ] {
            let instant = Instant(micros);
            assert_eq!(Instant::parse(&instant.to_string()), Some(instant), "{instant}");
        }
        for wrong in
            ["+", "-", "+1", "+x-01-01T00:00:00Z", "++10000-01-01", "+99999999999999999999-01-01T00:00:00Z"]
        {
            assert_eq!(Instant::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn dates_of_every_precision_say_how_precise_they_are() {
        for (text, instant, precision) in [
            ("2026-11-16T00:13:18.816327Z", "2026-11-16T00:13:18.816327Z", 1),
            ("2026-11-16T00:13:18.816Z", "2026-11-16T00:13:18.816Z", 1000),
            ("2026-11-16T00:13:18.123456789Z", "2026-11-16T00:13:18.123456Z", 1),
            ("2026-11-16T00:13:18Z", "2026-11-16T00:13:18Z", SECOND),
            ("2026-11-16T02:13:18+02:00", "2026-11-16T00:13:18Z", SECOND),
            ("2026-11-16T00:13Z", "2026-11-16T00:13:00Z", 60 * SECOND),
            ("2026-11-16", "2026-11-16T00:00:00Z", DAY),
            ("2014-01", "2014-01-01T00:00:00Z", 31 * DAY),
            ("2014", "2014-01-01T00:00:00Z", 365 * DAY),
            ("20261116001318", "2026-11-16T00:13:18Z", SECOND),
            ("202611160013", "2026-11-16T00:13:00Z", 60 * SECOND),
            ("20261116001318816", "2026-11-16T00:13:18.816Z", 1000),
            ("1114-05-01T00:00:00Z", "1114-05-01T00:00:00Z", SECOND),
            ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z", SECOND),
        ] {
            let dated = Dated::parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((dated.instant.to_string().as_str(), dated.precision), (instant, precision), "{text}");
        }
    }

    #[test]
    fn what_is_no_date_is_none() {
        for text in [
            "",
            "-",
            "20",
            "2021-13-01",
            "2021-02-29",
            "2021-02-03T25:00:00Z",
            "2021-02-03Tzz",
            "00000000000000",
            "20210101T00",
            "\u{e9}\u{e9}\u{e9}\u{e9}",
        ] {
            assert_eq!(Dated::parse(text), None, "{text}");
        }
    }

    #[test]
    fn civil_dates_agree_with_chrono_over_eight_centuries() {
        for step in 0..20_000i64 {
            let instant = Instant((step * 1_234_567 - 12_000_000_000) * SECOND);
            let expected =
                DateTime::from_timestamp_micros(instant.0).unwrap().format("%Y%m%d%H%M%S").to_string();
            assert_eq!(instant.digits14(), expected);
            assert_eq!(Dated::parse(&instant.to_string()).unwrap().instant, instant);
        }
    }

    #[test]
    fn http_dates_in_the_three_forms_and_some_more() {
        let expected = Instant::parse("1994-11-06T08:49:37Z");
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
            "Sun, 6 Nov 1994 09:49:37 +0100",
            "Sun, 06-Nov-1994 08:49:37 GMT",
        ] {
            assert_eq!(parse_http_date(text), expected, "{text}");
        }
        assert_eq!(parse_http_date("0"), None);
        assert_eq!(parse_http_date("-1"), None);
    }
}
