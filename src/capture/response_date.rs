//! When a response was made: at its WARC-Date, or before, where a cache may have kept it.
//!
//! Three things show a cache. An `Age` says for how long one kept the response. A `Date` long before the capture is the time at which the
//! server made it; caches that state no `Age` hand it on as it was. And the `Date` of an earlier capture of the same URL is that
//! capture's: a server that responds afresh states a new one. What a server says may shorten what is proven and never adds to
//! it, so only the earliest time is taken from it.
//!
//! A `Date` may also be early because the server's clock is slow. That is believed where the captures of the page show it: two of them
//! are early by the same time, though they lie closer together than that and state different dates. A cache that serves what it
//! fetched at the visit before gives dates that are early by the time between two visits, which is why captures further apart
//! show nothing. A `Date` later than its capture shows a clock that is fast, for no cache makes a `Date` later. By that clock the `Date`
//! of the captures next to it is too late as well: where it is less so, a cache may have kept the response for the difference.
//!
//! An `Age` is stated in whole seconds, so a response was made up to a second earlier than it says, also where it is 0. One that cannot
//! be read shows a cache and not for how long: since its `Date`, or, without one, since as long ago as caches keep anything.
//!
//! Cost: O(n log n) for the captures of a page.

use super::intern::Id;
use super::table::Row;
use crate::time::{Instant, SECOND};

/// How far (in microseconds) the clocks of server and crawler may be apart, and an `Age` off.
const MAX_CLOCK_SKEW_MICROS: i64 = 60 * SECOND;
/// How far apart two captures may be early by that show a slow clock: dates are cut to seconds.
const DATE_PRECISION_MICROS: i64 = 2 * SECOND;
/// The longest that a cache can be believed to have kept a response, in microseconds: about a year.
pub(crate) const MAX_AGE: i64 = 366 * 86_400 * SECOND;

/// Writes into the rows of a page, which are in time order, when each response was made at the earliest.
pub(super) fn date(rows: &mut [Row]) {
    let (slow, fast) = (slow_by(rows), fast_by(rows));
    let known = dated_before(rows);
    for (place, row) in rows.iter_mut().enumerate() {
        let fast = fast.get(place).copied().unwrap_or(0);
        row.made = made(row, &slow, fast).min(first_with(&known, row).unwrap_or(row.time));
    }
}

/// When a response was made at the earliest, by its own `Age` and `Date`, with a clock that is slow by one of some times, or fast.
fn made(row: &Row, slow: &[i64], fast: i64) -> Instant {
    let by_age = match row.age {
        Some(age) => row.time.plus(-i64::from(age).saturating_add(1).saturating_mul(SECOND)),
        None if row.age_unread => row.time.min(row.http_date.unwrap_or(row.time.plus(-MAX_AGE))),
        None => row.time,
    };
    let is_slow = |early: i64| {
        let near = slow.partition_point(|by| *by < early.saturating_sub(MAX_CLOCK_SKEW_MICROS));
        slow.get(near).is_some_and(|by| *by <= early.saturating_add(MAX_CLOCK_SKEW_MICROS))
    };
    match row.http_date.zip(early_by(row)) {
        Some((date, early)) if early.saturating_add(fast) > MAX_CLOCK_SKEW_MICROS && !is_slow(early) => {
            by_age.min(date.plus(-fast))
        }
        _ => by_age,
    }
}

/// By how much the clock of the server is fast around each capture, as far as the captures before and behind it show; empty where none
/// does.
fn fast_by(rows: &[Row]) -> Vec<i64> {
    // A `Date` is cut to seconds. How far it is ahead of the end of its capture shows the clock.
    let ahead = |row: &Row| Some(SECOND.saturating_sub(early_by(row)?));
    let is_fast = |row: &Row| {
        let took = row.end.0.saturating_sub(row.time.0).saturating_add(SECOND);
        // Nothing is kept for longer: such a clock was put right.
        ahead(row).is_some_and(|ahead| ahead.saturating_sub(took) > MAX_CLOCK_SKEW_MICROS && ahead <= MAX_AGE)
    };
    if !rows.iter().any(is_fast) {
        return Vec::new();
    }
    let mut fast = vec![0; rows.len()];
    let mut pass = |places: &mut dyn Iterator<Item = usize>| {
        let mut next = 0;
        for place in places {
            fast[place] = next.max(fast[place]);
            match ahead(&rows[place]) {
                Some(ahead) if is_fast(&rows[place]) => next = ahead,
                Some(_) => next = 0,
                None => {}
            }
        }
    };
    pass(&mut (0..rows.len()));
    pass(&mut (0..rows.len()).rev());
    fast
}

/// By how much the `Date` of a row is before the time that its record and its `Age` say.
fn early_by(row: &Row) -> Option<i64> {
    let age = i64::from(row.age.unwrap_or(0)).saturating_mul(SECOND);
    Some(row.time.0.saturating_sub(age).saturating_sub(row.http_date?.0))
}

/// Whether a `Date` is more than a minute off the time that an `Age` says.
pub(crate) fn contradicts_age(captured: Instant, ended: Instant, age: u32, date: Instant) -> bool {
    let age = i64::from(age).saturating_mul(SECOND);
    date < captured.plus(age.saturating_add(MAX_CLOCK_SKEW_MICROS).saturating_neg())
        || date > ended.plus(MAX_CLOCK_SKEW_MICROS - age)
}

/// By how much the clock of the server is slow, where captures show it, in ascending order. A `Date` that is right, or that two
/// captures at different times share, shows that the clock is not what made the others early.
fn slow_by(rows: &[Row]) -> Vec<i64> {
    // One that is fast is not slow.
    let is_right = |row: &Row| early_by(row).is_some_and(|early| early <= MAX_CLOCK_SKEW_MICROS);
    if rows.iter().any(is_right) || has_kept_date(rows) {
        return Vec::new();
    }
    let mut early: Vec<(i64, Instant, Instant)> = rows
        .iter()
        .filter_map(|row| Some((early_by(row)?, row.time, row.http_date?)))
        .filter(|(early, ..)| *early > MAX_CLOCK_SKEW_MICROS)
        .collect();
    early.sort_unstable();
    // What was fetched at an earlier visit may have been kept since.
    let is_visited = |date: Instant| {
        let near = rows.partition_point(|row| row.time < date.plus(-MAX_CLOCK_SKEW_MICROS));
        rows.get(near).is_some_and(|row| row.time <= date.plus(MAX_CLOCK_SKEW_MICROS))
    };
    let pairs = early.windows(2).filter(|pair| {
        let ((one, time, date), (other, later, next)) = (pair[0], pair[1]);
        other - one <= DATE_PRECISION_MICROS
            && date != next
            && (later.0.abs_diff(time.0) as i128) < i128::from(one - MAX_CLOCK_SKEW_MICROS)
            && !is_visited(date)
            && !is_visited(next)
    });
    pairs.map(|pair| pair[0].0).collect()
}

/// Whether captures of a URL at different times state one `Date`.
fn has_kept_date(rows: &[Row]) -> bool {
    let mut dated: Vec<(Id, Instant, Instant)> =
        rows.iter().filter_map(|row| Some((row.url, row.http_date?, row.time))).collect();
    dated.sort_unstable();
    dated.windows(2).any(|pair| {
        let ((url, date, time), (other, next, later)) = (pair[0], pair[1]);
        url == other && date == next && later.0.saturating_sub(time.0) > DATE_PRECISION_MICROS
    })
}

/// The first capture of each URL and `Date` that several captures state.
fn dated_before(rows: &[Row]) -> Vec<(Id, Instant, Instant)> {
    let mut dated: Vec<(Id, Instant, Instant)> =
        rows.iter().filter_map(|row| Some((row.url, row.http_date?, row.time))).collect();
    dated.sort_unstable();
    dated.dedup_by_key(|(url, date, _)| (*url, *date));
    dated
}

fn first_with(known: &[(Id, Instant, Instant)], row: &Row) -> Option<Instant> {
    let wanted = (row.url, row.http_date?);
    let place = known.binary_search_by_key(&wanted, |(url, date, _)| (*url, *date)).ok()?;
    Some(known[place].2)
}

impl Row {
    /// Whether a cache may have kept the response for a while.
    pub(crate) fn is_kept(&self) -> bool {
        self.made < self.time
    }

    /// Until when the response was made by the word of the server, if a cache kept it: since [`Row::made`].
    pub(crate) fn stated(&self) -> Instant {
        let age = i64::from(self.age.unwrap_or(0)).saturating_mul(SECOND);
        let took = self.end.0.saturating_sub(self.time.0);
        let by_date = self.made.plus(took.saturating_add(SECOND));
        let by_age = if self.age.is_some() { self.end.plus(-age) } else { by_date };
        if self.is_kept() { by_date.max(by_age).min(self.end) } else { self.end }
    }
}

#[cfg(test)]
mod tests {
    use crate::capture::table::Table;
    use crate::capture::testing::{Look, look, parse};
    use crate::time::Instant;

    fn at(time: &str) -> Instant {
        parse(&format!("2024-01-01T{time}Z"))
    }

    fn page(time: &str) -> Look {
        look("http://a.example/", &format!("2024-01-01T{time}Z")).body(1)
    }

    /// When each of these captures was made at the earliest: its WARC-Date and its Date.
    fn made(captures: &[(&str, &str)]) -> Vec<Instant> {
        let build = |(time, date): &(&str, &str)| page(time).http_date(at(date)).build();
        let table = Table::of(&captures.iter().map(build).collect::<Vec<_>>());
        table.rows().iter().map(|row| row.made).collect()
    }

    #[test]
    fn a_date_long_before_the_capture_shows_a_cache() {
        assert_eq!(made(&[("12:00:00", "10:00:00")]), [at("10:00:00")]);
        assert_eq!(made(&[("12:00:00", "11:59:10")]), [at("12:00:00")], "clocks may be a minute apart");
        assert_eq!(made(&[("12:00:00", "14:00:00")]), [at("12:00:00")], "a fast clock shows none");
    }

    #[test]
    fn the_date_of_an_earlier_capture_is_that_of_its_response() {
        assert_eq!(made(&[("10:00:00", "10:00:10"), ("10:00:40", "10:00:10")]), [at("10:00:00"); 2]);
    }

    #[test]
    fn a_slow_clock_is_believed_where_captures_closer_than_it_is_slow_show_it() {
        let slow = made(&[("10:00:00", "08:00:00"), ("10:30:00", "08:30:01"), ("15:00:00", "13:00:00")]);
        assert_eq!(slow, [at("10:00:00"), at("10:30:00"), at("15:00:00")]);
        // A cache that serves what it fetched at the visit before.
        let visits = made(&[("10:00:00", "08:00:00"), ("12:00:00", "10:00:00"), ("14:00:00", "12:00:00")]);
        assert_eq!(visits, [at("08:00:00"), at("10:00:00"), at("12:00:00")]);
        let again = made(&[
            ("08:00:00", "08:00:00"),
            ("08:30:00", "08:30:00"),
            ("10:00:00", "08:00:00"),
            ("10:30:00", "08:30:00"),
        ]);
        assert_eq!(again[2..], [at("08:00:00"), at("08:30:00")]);
    }

    #[test]
    fn an_age_counts_from_the_capture_and_an_earlier_date_beside_it_counts_too() {
        let of = |date: &str| {
            let mut made = page("12:00:00").http_date(at(date)).build();
            made.age = Some(3600);
            let table = Table::of(&[made]);
            (table.rows()[0].made, table.rows()[0].stated())
        };
        assert_eq!(of("11:00:00"), (at("10:59:59"), at("11:00:01")));
        assert_eq!(of("09:00:00"), (at("09:00:00"), at("11:00:01")));
    }
}
