//! The date that a question asks about: an instant, a day, a month, a year or a range, with its zone kept.
//!
//! ```text
//! 2022-03-14T12:20:00Z  2022-03-14T12:20+01:00  2022-03-14T11  20220314122000
//! 2022-03-14            2022-03-14+09:00 (a local day)         2022-03  2022
//! A/B                   from A to B; a B with a time ends there, a B without one ends with its day, month or year
//! ```
//!
//! 23:59:60 is accepted only where UTC had a leap second. Clocks of computers have no such second: they repeat the one before, or
//! begin the next day early. So it asks about both.

use crate::error::{Error, Result};
use crate::time::{DAY, Dated, Instant, Interval, SECOND};

/// The days, as `YYYYMMDD`, that ended with a leap second (IERS Bulletin C).
const LEAP_DAYS: [u32; 27] = [
    19720630, 19721231, 19731231, 19741231, 19751231, 19761231, 19771231, 19781231, 19791231, 19810630,
    19820630, 19830630, 19850630, 19871231, 19891231, 19901231, 19920630, 19930630, 19940630, 19951231,
    19970630, 19981231, 20051231, 20081231, 20120630, 20150630, 20161231,
];

const REMEDY: &str = "write 2022-03-14T12:20:00Z, 2022-03-14T12:20+01:00, 2022-03-14T11, 2022-03-14, \
                      2022-03-14+09:00 (a local day), 2022-03, 2022, or a range A/B";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AskedDate {
    pub span: Interval,
    /// With its preposition: `at 2024-03-01 11:00:00 UTC`.
    pub words: String,
    /// What to call it afterwards: `time`, `day`, `period`.
    pub noun: &'static str,
}

impl AskedDate {
    /// Reads a date.
    ///
    /// # Errors
    /// When it is not a date.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let wrong = |why: &str| Error::usage(format!("{text:?} is not a date{why}")).with_remedy(REMEDY);
        let Some((from, to)) = text.split_once('/') else {
            let date = OneDate::parse(text).map_err(wrong)?;
            return Ok(AskedDate { span: date.span, words: date.words(), noun: date.noun });
        };
        let (first, last) = (OneDate::parse(from).map_err(wrong)?, OneDate::parse(to).map_err(wrong)?);
        let end = if last.has_time && !last.is_leap { last.span.from } else { last.span.to };
        let span =
            Interval::new(first.span.from, end).ok_or_else(|| wrong(": the range ends before it begins"))?;
        let words = format!("from {} to {}", first.start(), last.end_words());
        Ok(AskedDate { span, words, noun: "period" })
    }
}

struct OneDate {
    span: Interval,
    noun: &'static str,
    has_time: bool,
    /// The date as written, without its zone.
    local: String,
    /// Its begin in UTC.
    in_utc: String,
    /// Minutes east of UTC, where a zone other than UTC was given.
    zone: Option<i64>,
    is_leap: bool,
}

impl OneDate {
    fn parse(text: &str) -> std::result::Result<Self, &'static str> {
        let text = text.trim();
        if text.len() > 4 && text.bytes().all(|byte| byte.is_ascii_digit()) {
            let dated = Dated::parse_digits(text.as_bytes()).ok_or("")?;
            return Ok(Self::of(dated, None, text.len() > 8, false));
        }
        let (date, zone) = split_zone(text)?;
        let time = date.get(10..).filter(|rest| !rest.is_empty());
        let is_leap = time.is_some_and(|time| time.get(6..9) == Some(":60") || time.get(7..9) == Some("60"));
        let local = match time {
            // An hour alone.
            Some(time) if time.len() == 3 => format!("{date}:00"),
            _ if is_leap => format!("{}59{}", &date[..17], &date[19..]),
            _ => date.to_owned(),
        };
        if !local.is_ascii() || local.len() > 32 {
            return Err("");
        }
        let mut dated = Dated::parse(&local).ok_or("")?;
        if time.is_some_and(|time| time.len() == 3) {
            dated.precision = 3600 * SECOND;
        }
        if zone.is_some() && date.len() < 10 {
            return Err(": a zone belongs to a day or a time");
        }
        dated.instant = dated.instant.plus(-zone.unwrap_or(0) * 60 * SECOND);
        if is_leap {
            let (year, month, day, hour, minute, second) = dated.instant.civil();
            let is_end = (hour, minute, second) == (23, 59, 59);
            let number = u32::try_from(year).unwrap_or(0) * 10_000 + month * 100 + day;
            if !is_end || !LEAP_DAYS.contains(&number) {
                return Err(": UTC had no leap second there");
            }
        }
        let mut date = Self::of(dated, zone.filter(|zone| *zone != 0), time.is_some(), is_leap);
        if is_leap {
            let second = dated.instant.0.div_euclid(SECOND) * SECOND;
            date.span = Interval { from: Instant(second), to: Instant(second + 2 * SECOND - 1) };
        }
        Ok(date)
    }

    fn of(dated: Dated, zone: Option<i64>, has_time: bool, is_leap: bool) -> Self {
        let span = Interval { from: dated.instant, to: dated.end().plus(-1).max(dated.instant) };
        let noun = match dated.precision {
            precision if precision <= SECOND => "time",
            precision if precision <= 60 * SECOND => "minute",
            precision if precision <= 3600 * SECOND => "hour",
            precision if precision <= DAY => "day",
            precision if precision <= 31 * DAY => "month",
            _ => "year",
        };
        let local = clock(span.from.plus(zone.unwrap_or(0) * 60 * SECOND));
        let length = match noun {
            "time" | "minute" | "hour" => local.len(),
            "day" => 10,
            "month" => 7,
            _ => 4,
        };
        let local = if is_leap { leap(&local) } else { local[..length].to_owned() };
        let in_utc = if is_leap { leap(&clock(span.from)) } else { clock(span.from) };
        OneDate { span, noun, has_time, local, in_utc, zone, is_leap }
    }

    fn zone_words(&self) -> String {
        self.zone.map_or_else(
            || "UTC".to_owned(),
            |zone| {
                let sign = if zone < 0 { '-' } else { '+' };
                format!("{sign}{:02}:{:02}", zone.abs() / 60, zone.abs() % 60)
            },
        )
    }

    /// With its preposition, its zone, and UTC beside it where the zone is another.
    fn words(&self) -> String {
        let zone = self.zone_words();
        let utc =
            |words: String| if self.zone.is_some() { format!("{words} ({})", self.in_utc()) } else { words };
        match self.noun {
            "time" => utc(format!("at {} {zone}", self.local)),
            "minute" | "hour" => utc(format!("in the {} from {} {zone}", self.noun, self.local)),
            "day" => utc(format!("on {} ({zone})", self.local)),
            _ => format!("in {} (UTC)", self.local),
        }
    }

    fn in_utc(&self) -> String {
        match self.noun {
            "time" => format!("{} UTC", self.in_utc),
            _ => format!("{} to {} UTC", clock(self.span.from), clock(self.span.to)),
        }
    }

    fn start(&self) -> String {
        self.beside(&self.in_utc)
    }

    /// The date in its zone, and beside it in UTC where that is another.
    fn beside(&self, in_utc: &str) -> String {
        let utc = if self.zone.is_some() { format!(" ({in_utc} UTC)") } else { String::new() };
        format!("{} {}{utc}", self.local, self.zone_words())
    }

    fn end_words(&self) -> String {
        match self.has_time || self.is_leap {
            true => self.start(),
            false => format!("the end of {}", self.beside(&clock(self.span.to))),
        }
    }
}

/// 23:59:60 for 23:59:59, whatever fraction follows.
fn leap(clock: &str) -> String {
    let (start, rest) = clock.split_at(clock.len().min("2016-12-31 23:59:".len()));
    format!("{start}60{}", rest.get(2..).unwrap_or_default())
}

/// A date, and minutes east of UTC where it has a zone.
fn split_zone(text: &str) -> std::result::Result<(&str, Option<i64>), &'static str> {
    if let Some(date) = text.strip_suffix(['Z', 'z']) {
        return Ok((date, Some(0)));
    }
    // A sign behind a whole day is that of a zone.
    let Some(sign) = text.get(10..).and_then(|rest| rest.rfind(['+', '-'])).map(|place| place + 10) else {
        return Ok((text, None));
    };
    let digits: String = text[sign + 1..].chars().filter(|character| *character != ':').collect();
    let is_zone = matches!(digits.len(), 2 | 4) && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = |range: std::ops::Range<usize>| digits.get(range).and_then(|part| part.parse::<i64>().ok());
    let (Some(hours), minutes, true) = (number(0..2), number(2..4).unwrap_or(0), is_zone) else {
        return Err(": its zone cannot be read");
    };
    if hours > 14 || minutes > 59 {
        return Err(": there is no such zone");
    }
    let east = if text.as_bytes()[sign] == b'-' { -1 } else { 1 };
    Ok((&text[..sign], Some(east * (60 * hours + minutes))))
}

/// An instant as people read it, in UTC: `2024-03-01 11:00:00`, with a fraction where it has one.
pub(crate) fn clock(at: Instant) -> String {
    let text = at.to_string();
    let text = text.trim_end_matches('Z').replace('T', " ");
    // The end of a span is a microsecond before the next: people read the second.
    text.strip_suffix(".999999").map_or(text.clone(), str::to_owned)
}

/// A stretch of time in UTC: within one second with its fractions, which people otherwise do not read.
pub(crate) fn span_words(span: Interval, clock: impl Fn(Instant) -> String) -> String {
    let is_second = span.from.0.div_euclid(SECOND) == span.to.0.div_euclid(SECOND);
    let whole = |at: Instant| {
        let second = Instant(at.0.div_euclid(SECOND) * SECOND);
        format!("{}.{:06}", clock(second), at.0.rem_euclid(SECOND))
    };
    match () {
        () if span.from == span.to => format!("at {} UTC", whole(span.from)),
        () if is_second => format!("from {} to {} UTC", whole(span.from), whole(span.to)),
        () => format!("from {} to {} UTC", clock(span.from), clock(span.to)),
    }
}

/// The time of day in UTC where it lies on the one day that was asked about, else with its day.
pub(crate) fn clock_beside(at: Instant, asked: Interval) -> String {
    let day = |at: Instant| at.0.div_euclid(DAY);
    let text = clock(at);
    match text.split_once(' ') {
        Some((_, time)) if day(at) == day(asked.from) && day(at) == day(asked.to) => time.to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> (String, String, String) {
        let date = AskedDate::parse(text).unwrap();
        (date.span.from.to_string(), date.span.to.to_string(), date.words)
    }

    #[test]
    fn zones_are_kept_in_the_words() {
        let (from, to, words) = asked("2022-03-14+09:00");
        assert_eq!((from.as_str(), to.as_str()), ("2022-03-13T15:00:00Z", "2022-03-14T14:59:59.999999Z"));
        assert_eq!(words, "on 2022-03-14 (+09:00) (2022-03-13 15:00:00 to 2022-03-14 14:59:59 UTC)");
        let (from, _, words) = asked("2022-03-14T11:00:00+09:00");
        assert_eq!(from, "2022-03-14T02:00:00Z");
        assert_eq!(words, "at 2022-03-14 11:00:00 +09:00 (2022-03-14 02:00:00 UTC)");
        assert_eq!(asked("2022-03-14T11:00:00Z").2, "at 2022-03-14 11:00:00 UTC");
        assert_eq!(asked("2022-03-14").2, "on 2022-03-14 (UTC)");
        assert_eq!(asked("2022-03").2, "in 2022-03 (UTC)");
        assert_eq!(asked("20220314110000").0, "2022-03-14T11:00:00Z");
        for wrong in [
            "2022-03-14+19:00",
            "2022-03+09:00",
            "2022-03-14+9",
            "2022-13-01",
            "",
            "/",
            "2022-03-14Tx",
            "ä022-03-14",
        ] {
            assert!(AskedDate::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_hour_and_a_range() {
        let (from, to, words) = asked("2022-03-14T11");
        assert_eq!((from.as_str(), to.as_str()), ("2022-03-14T11:00:00Z", "2022-03-14T11:59:59.999999Z"));
        assert_eq!(words, "in the hour from 2022-03-14 11:00:00 UTC");
        assert_eq!(asked("2022-03-14T11+01:00").0, "2022-03-14T10:00:00Z");
        let (from, to, words) = asked("2022-03-14T10:00:00Z/2022-03-14T12:00:00Z");
        assert_eq!((from.as_str(), to.as_str()), ("2022-03-14T10:00:00Z", "2022-03-14T12:00:00Z"));
        assert_eq!(words, "from 2022-03-14 10:00:00 UTC to 2022-03-14 12:00:00 UTC");
        assert_eq!(asked("2022-03-14/2022-03-15").1, "2022-03-15T23:59:59.999999Z");
        assert!(AskedDate::parse("2022-03-15/2022-03-14").is_err());
        // Local days, from the begin of the first to the end of the last.
        let (from, to, words) = asked("2022-03-14+09:00/2022-03-15+09:00");
        assert_eq!((from.as_str(), to.as_str()), ("2022-03-13T15:00:00Z", "2022-03-15T14:59:59.999999Z"));
        assert_eq!(
            words,
            "from 2022-03-14 +09:00 (2022-03-13 15:00:00 UTC) to the end of 2022-03-15 +09:00 (2022-03-15 14:59:59 UTC)"
        );
        assert!(AskedDate::parse("2022-03-14+09:00/2022-03-14-05:00").is_ok());
        assert!(AskedDate::parse("2022-03-14/2022-03-15/2022-03-16").is_err());
    }

    #[test]
    fn a_time_of_day_has_its_day_unless_one_day_was_asked_about() {
        let beside = |at: &str, date: &str| {
            clock_beside(Instant::parse(at).unwrap(), AskedDate::parse(date).unwrap().span)
        };
        for day in ["2024-03-01", "2024-03-01T11", "2024-03-01T11:00:00Z", "2024-03-01T00:00:00Z/2024-03-01"]
        {
            assert_eq!(beside("2024-03-01T10:00:00Z", day), "10:00:00");
            assert_eq!(beside("2024-03-02T10:00:00Z", day), "2024-03-02 10:00:00");
        }
        for more in ["2024-03", "2024", "2024-03-01/2024-03-02", "2024-03-01+09:00"] {
            assert_eq!(beside("2024-03-01T10:00:00Z", more), "2024-03-01 10:00:00");
        }
    }

    #[test]
    fn a_stretch_within_one_second_is_told_with_its_fractions() {
        let span = |from: &str, to: &str| {
            let span = Interval { from: Instant::parse(from).unwrap(), to: Instant::parse(to).unwrap() };
            span_words(span, |at| clock_beside(at, span))
        };
        assert_eq!(
            span("2024-03-01T11:00:00.251Z", "2024-03-01T11:00:00.999999Z"),
            "from 11:00:00.251000 to 11:00:00.999999 UTC"
        );
        assert_eq!(span("2024-03-01T11:00:00Z", "2024-03-01T11:00:00Z"), "at 11:00:00.000000 UTC");
        assert_eq!(
            span("2024-03-01T10:00:01Z", "2024-03-01T11:00:00.999999Z"),
            "from 10:00:01 to 11:00:00 UTC"
        );
    }

    #[test]
    fn a_leap_second_is_accepted_only_where_there_was_one() {
        let (from, _, words) = asked("2016-12-31T23:59:60Z");
        assert_eq!((from.as_str(), words.as_str()), ("2016-12-31T23:59:59Z", "at 2016-12-31 23:59:60 UTC"));
        let (from, to, words) = asked("2016-12-31T23:59:60.5Z");
        assert_eq!((from.as_str(), to.as_str()), ("2016-12-31T23:59:59Z", "2017-01-01T00:00:00.999999Z"));
        assert_eq!(words, "at 2016-12-31 23:59:60.500 UTC");
        assert!(
            asked("2017-01-01T08:59:60.25+09:00").2.ends_with("60.250 +09:00 (2016-12-31 23:59:60.250 UTC)")
        );
        assert!(asked("2016-12-31T12:00:00Z/2016-12-31T23:59:60Z").1.starts_with("2017-01-01T00:00:00.9"));
        assert_eq!(
            asked("2017-01-01T08:59:60+09:00").2.split(" (").next(),
            Some("at 2017-01-01 08:59:60 +09:00")
        );
        assert!(asked("2017-01-01T08:59:60+09:00").2.ends_with("(2016-12-31 23:59:60 UTC)"));
        for wrong in
            ["2016-12-30T23:59:60Z", "2022-06-30T23:59:60Z", "2016-12-31T22:59:60Z", "2016-12-31T23:59:61Z"]
        {
            assert!(AskedDate::parse(wrong).is_err(), "{wrong}");
        }
    }
}
