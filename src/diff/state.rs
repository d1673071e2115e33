//! What a capture shows of its URL: content, a redirect, an error, or nothing that can be used.

use crate::audit::soft404::{Answered, Signs};
use crate::capture::page::is_failed;
use crate::capture::table::{Row, Table};
use crate::url::Canon;
use crate::url::resolve::Base;

/// What one capture shows, the most useful first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum State {
    Content,
    /// A redirect to another page.
    Redirect,
    /// A page that looks like an error page, a parked domain or a wall against robots, despite status 200.
    ErrorPage,
    /// Content that is not all there.
    Cut,
    /// The server says that there is nothing, or does not show it.
    Gone,
    /// The server or the network failed.
    Failed,
    /// A redirect to another spelling of the same page: the way to it, not a version of it.
    Way,
}

/// The state of a capture, and where it is not content, why, in words.
pub(crate) fn state(table: &Table, row: &Row, canon: Canon, signs: &Signs) -> (State, Option<String>) {
    let status = row.status;
    if row.truncated {
        return (State::Cut, Some("its record is cut short".to_owned()));
    }
    match status {
        Some(status @ 400..=499) if !matches!(status, 401 | 403 | 408 | 429) => {
            return (State::Gone, Some(format!("status {status}")));
        }
        Some(status) if is_failed(row) || status >= 400 => {
            return (State::Failed, Some(format!("status {status}")));
        }
        None if is_failed(row) => return (State::Failed, Some("no usable response".to_owned())),
        Some(301..=303 | 307 | 308) => return redirect(table, row, canon, signs),
        _ => {}
    }
    match signs.of(&Answered::of_row(table, row)) {
        Some(sign) => (State::ErrorPage, Some(sign)),
        None => (State::Content, None),
    }
}

fn redirect(table: &Table, row: &Row, canon: Canon, signs: &Signs) -> (State, Option<String>) {
    let url = table.text(row.url);
    let Some(location) = row.location.map(|location| table.text(location)) else {
        return (State::Failed, Some("a redirect without a target".to_owned()));
    };
    let target = Base::parse(url.as_bytes()).and_then(|base| base.resolve(location.as_bytes()));
    let Some(target) = target else {
        return (State::Failed, Some("a redirect to no address".to_owned()));
    };
    if canon.key(&target) == canon.key(url) {
        return (State::Way, Some("a redirect to another spelling of itself".to_owned()));
    }
    match signs.of(&Answered::of_row(table, row)) {
        Some(sign) => (State::ErrorPage, Some(sign)),
        None => (State::Redirect, Some(format!("a redirect to {target}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::testing::look;

    #[test]
    fn captures_are_told_apart() {
        let of = |status: u16, location: Option<&str>| {
            let mut look = look("http://a.example/x", "2024-01-01").status(status).build();
            look.location = location.map(str::to_owned);
            let table = Table::of(&[look]);
            state(&table, &table.rows()[0], Canon::Default, &Signs::default()).0
        };
        assert_eq!(of(200, None), State::Content);
        assert_eq!(of(404, None), State::Gone);
        assert_eq!(of(503, None), State::Failed);
        assert_eq!(of(403, None), State::Failed);
        assert_eq!(of(301, Some("/y")), State::Redirect);
        assert_eq!(of(301, Some("https://www.a.example/x")), State::Way);
        assert_eq!(of(302, None), State::Failed);
        assert_eq!(of(302, Some("/")), State::Redirect, "to the root: no sign by itself");
    }
}
