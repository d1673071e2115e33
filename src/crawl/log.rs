//! Heritrix `crawl.log`: one line per URL that was requested or rejected.
//!
//! The fields are separated by white space: time of logging, status, size, URL, path of discovery, referrer, media type,
//! thread, time of the fetch with its duration, digest, source tag, annotations. Status codes below 1 are Heritrix's own:
//! "Fetch status codes" of its manual.

use crate::crawl::outcome::{Fate, Logged, MAX_LINE};
use crate::problem::{Level, Problem};

/// Reads one line. `None`: an empty line, or a URL that is not http(s), such as `dns:`.
///
/// # Errors
///
/// A problem if the line is not a line of a crawl log.
pub(crate) fn line(line: &[u8]) -> Result<Option<Logged>, Box<Problem>> {
    let bad = |what: &str| Box::new(Problem::new(Level::Warning, "crawl-log-line", what));
    if line.len() > MAX_LINE {
        return Err(bad("the line is longer than any line of a crawl log"));
    }
    let line = String::from_utf8_lossy(line);
    let mut fields = line.split_whitespace();
    let Some(time) = fields.next() else { return Ok(None) };
    if !time.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(bad("the line does not begin with a time"));
    }
    let code = fields
        .next()
        .and_then(|code| code.parse::<i32>().ok())
        .ok_or_else(|| bad("the status is not a number"))?;
    let _size = fields.next().ok_or_else(|| bad("the line ends before the URL"))?;
    let url = fields.next().ok_or_else(|| bad("the line ends before the URL"))?;
    if !(url.starts_with("http://") || url.starts_with("https://")) {
        return Ok(None);
    }
    let _hops = fields.next();
    let via = fields.next().filter(|via| *via != "-").map(str::to_owned);
    let fate = fate(code).ok_or_else(|| bad("the status is unknown to HTTP and to Heritrix"))?;
    Ok(Some(Logged { url: url.to_owned(), fate, via }))
}

/// What a status of a crawl log means.
fn fate(code: i32) -> Option<Fate> {
    let failed = |reason: &str| Fate::Failed { reason: reason.to_owned() };
    let excluded = |reason: &str| Fate::Excluded { reason: reason.to_owned() };
    let untried = |reason: &str| Fate::Untried { reason: reason.to_owned() };
    Some(match code {
        100..=999 => Fate::Answered { status: code as u16 },
        0 => untried("never tried"),
        -1 => failed("the host name could not be resolved"),
        -2 => failed("no connection"),
        -3 => failed("the connection broke"),
        -4 => failed("the server did not answer in time"),
        -5 => failed("an error within the crawler"),
        -6 | -62 | -63 => failed("what has to be fetched first could not be fetched"),
        -7 => failed("no URL that can be fetched"),
        -8 => failed("all tries failed"),
        -50 => untried("it waited for what has to be fetched first"),
        -60 => untried("it did not get into the queue"),
        -61 => failed("robots.txt could not be fetched"),
        -404 => failed("the answer was empty"),
        -3000 => failed("a severe error within the crawler"),
        -4000 => excluded("it was taken for a trap"),
        -4001 => excluded("too many links away from the seed"),
        -4002 => excluded("too many embeddings away from the page"),
        -5000 => excluded("out of scope"),
        -5001 => excluded("blocked by the operator"),
        -5002 => excluded("blocked by a processor of the operator"),
        -5003 => untried("a quota was reached"),
        -5004 => untried("the time of the crawl was over"),
        -6000 => excluded("deleted from the queue by the operator"),
        -7000 => failed("its thread was ended by the operator"),
        -9998 => excluded("robots.txt forbids it"),
        -9999..=-1 => failed("another failure of the crawler"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_tell_answered_failed_excluded_and_untried_apart() {
        let log = "2011-06-23T17:12:08.802Z   200       1299 http://example.org/robots.txt LP http://example.org/ text/plain #014 20110623171208574+225 sha1:AAA - -\n\
                   2011-06-23T17:12:09.802Z    -4          - http://example.org/slow L http://example.org/ unknown #001 - - - 3t\n\
                   2011-06-23T17:12:09.802Z -9998          - http://example.org/secret L http://example.org/ unknown #001 - - - -\n\
                   2011-06-23T17:12:09.802Z -5003          - http://example.org/late L - unknown #001 - - - -\n\
                   2011-06-23T17:12:07.802Z     1         53 dns:example.org P http://example.org/ text/dns #014 - - - -\n\n";
        let lines: Vec<Option<Logged>> =
            log.as_bytes().split(|&c| c == b'\n').map(|l| line(l).unwrap()).collect();
        let logged: Vec<&Logged> = lines.iter().flatten().collect();
        assert_eq!(logged.len(), 4);
        assert_eq!(logged[0].fate, Fate::Answered { status: 200 });
        assert_eq!(logged[0].via.as_deref(), Some("http://example.org/"));
        assert!(matches!(&logged[1].fate, Fate::Failed { reason } if reason.contains("in time")));
        assert!(matches!(&logged[2].fate, Fate::Excluded { reason } if reason.contains("robots")));
        assert!(matches!(&logged[3].fate, Fate::Untried { .. }));
        assert_eq!(logged[3].via, None);
    }

    #[test]
    fn hostile_lines_become_problems() {
        for bad in [
            &b"nonsense"[..],
            b"2011 x",
            b"2011 200",
            b"2011 200 1",
            b"2011 99999 1 http://a/",
            b"2011 50 1 http://a/",
        ] {
            assert_eq!(line(bad).unwrap_err().kind, "crawl-log-line");
        }
        assert!(line(&vec![b'2'; MAX_LINE + 1]).is_err());
        assert_eq!(line(b"2011 200 1 \xff\xfe").unwrap(), None);
    }
}
