//! Dates of records.

use crate::case::cases;
use crate::heads::after;
use crate::support::record::Record;

fn dated(dates: &[&str]) -> Vec<u8> {
    let pages = dates.iter().zip(1..).map(|(date, n)| {
        Record::page(n, &format!("http://d{n}.example/"), date, "x").version("WARC/1.1").bytes()
    });
    [pages.collect::<Vec<_>>().concat(), after()].concat()
}

cases! {
    /// Reduced precision, which WARC/1.1 allows: a year, a month, a day, a minute. The end of the interval says how little is known.
    fn reduced_dates(".warc") { dated(&["2014", "2014-01", "2014-12", "2014-01-05", "2014-01-05T10:00Z"]) }

    /// Fractions of one to nine digits (JHOVE rejects milliseconds: jhove#937).
    fn fractions(".warc") {
        dated(&["2020-02-03T04:05:06.7Z", "2020-02-03T04:05:06.789Z", "2020-02-03T04:05:06.789012Z", "2020-02-03T04:05:06.789012345Z"])
    }

    /// Zones other than UTC, a space for the T, a date without zone.
    fn zones(".warc") { dated(&["2020-02-03T04:05:06+02:00", "2020-02-03T04:05:06-0330", "2020-02-03 04:05:06Z", "2020-02-03T04:05:06"]) }

    /// 14-digit dates, as in ARC and CDX, in a WARC head.
    fn digits14(".warc") { dated(&["20200203040506"]) }

    /// Absurd dates: the year 1114 (wad#296), the epoch, the far future.
    fn absurd_dates(".warc") { dated(&["1114-02-03T04:05:06Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z"]) }

    /// Dates that no calendar has, and text that is no date: the capture stays, its time is unknown.
    fn impossible_dates(".warc") { dated(&["2020-02-30T04:05:06Z", "2020-02-03T25:05:06Z", "yesterday", ""]) }

    /// No WARC-Date.
    fn no_date(".warc") {
        [Record::page(1, "http://odd.example/", "", "x").without("WARC-Date").bytes(), after()].concat()
    }

    /// A leap second.
    fn leap_second(".warc") { dated(&["2016-12-31T23:59:60Z"]) }
}
