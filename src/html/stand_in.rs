//! Placeholder pages with status 200: those of parkers and registrars, walls against robots, default pages of servers,
//! notices of maintenance, errors of scripts and databases. By lists of what such templates say ([`super::stand_in_words`]).

use super::soft404::Soft404;
use super::soft404_statement::{any_word, quotes};
use super::stand_in_words::{NOTICES, PARKER_MARKS, PARKERS, Telling, WALL_MARKS, WALLS};

/// Bytes of visible text below which a page is what its scripts make of it.
const NO_TEXT: u64 = 60;

/// All expressions, for the filter that nearly all pages end at.
pub(super) fn expressions() -> impl Iterator<Item = &'static str> {
    [PARKERS, WALLS, NOTICES].into_iter().flatten().map(|(words, _)| *words)
}

/// Judges a page by its title, its headings and its first lines, in lower case.
pub(super) fn stand_in(title: &str, heading: &str, lines: [&str; 2], length: u64) -> Option<Soft404> {
    // A page about such pages tells what to do about them, or quotes them.
    let is_about = |part: &&str| any_word(part, |language| language.about).is_some() || quotes(part);
    if [title, heading].iter().any(is_about) {
        return None;
    }
    let parts = [title, heading, lines[0], lines[1]];
    let said = |list: &'static [Telling]| {
        let tells =
            |(words, most): &&Telling| length < *most && parts.iter().any(|part| part.contains(words));
        list.iter().find(tells).map(|(words, _)| (*words).to_owned())
    };
    let wall = said(WALLS).map(|words| Soft404::Wall { words });
    let parked = || said(PARKERS).map(|words| Soft404::Parked { words, score: 1.0 });
    wall.or_else(parked).or_else(|| said(NOTICES).map(|words| Soft404::Notice { words }))
}

/// What a page is that has next to no text, by its markup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lander {
    /// A script of a parker or of a wall against robots makes it: it stands in place of the page.
    Script(String),
    /// It shows nothing.
    Nothing(&'static str),
}

impl Lander {
    pub(crate) fn words(&self) -> &str {
        match self {
            Lander::Script(words) => words,
            Lander::Nothing(words) => words,
        }
    }
}

/// Why a page with next to no text stands in place of another, by its markup; and whether it shows nothing at all.
pub(crate) fn by_markup(page: &[u8], length: u64) -> Option<Lander> {
    if length >= NO_TEXT {
        return None;
    }
    let page = page.to_ascii_lowercase();
    let has = |words: &&&str| memchr::memmem::find(&page, words.as_bytes()).is_some();
    if let Some(mark) = WALL_MARKS.iter().find(has) {
        return Some(Lander::Script(format!("a script of a wall against robots makes the page: {mark}")));
    }
    if let Some(mark) = PARKER_MARKS.iter().find(has) {
        return Some(Lander::Script(format!("a script of a parked domain makes the page: {mark}")));
    }
    const SHOWS: [&str; 12] = [
        "<script",
        "<img",
        "<frame",
        "<iframe",
        "<object",
        "<embed",
        "<svg",
        "<video",
        "<canvas",
        "<applet",
        "<form",
        "http-equiv",
    ];
    (length == 0 && !SHOWS.iter().any(|tag| has(&tag))).then_some(Lander::Nothing("it shows nothing"))
}

#[cfg(test)]
mod tests {
    use super::super::soft404::by_words;
    use super::*;
    use crate::html::page::PageScanner;

    fn judged(html: &str) -> Option<Soft404> {
        let mut scanner = PageScanner::new(None);
        scanner.feed(html.as_bytes());
        scanner.finish(b"http://a.example/").text.as_ref().and_then(by_words)
    }

    #[test]
    fn templates_of_parkers_walls_servers_and_errors_are_known() {
        let parked = [
            "<title>a.example - This website is for sale! - a Resources and Information.</title><p>This website is for sale! a.example is your first and best source for all of the information you’re looking for.",
            "<title>Registered at Namecheap.com</title><p>a.example<p>This domain was recently registered at Namecheap. Please check back later!",
            "<title>Under Construction</title><p>This Site Is Under Construction and Coming Soon.<p>This Domain Is Registered with Network Solutions",
            "<title>a.example expired</title><p>NOTICE: This domain name expired on 02/20/2006 and is pending renewal or deletion.",
            "<title>a.example</title><h1>a.example</h1><p>is available for purchase<p>Get this domain. Listed with Afternic.",
        ];
        for page in parked {
            assert!(matches!(judged(page), Some(Soft404::Parked { .. })), "{page}");
        }
        let walls = [
            "<title>Sucuri WebSite Firewall - Access Denied</title><h1>Access Denied - Sucuri Website Firewall</h1><p>Block reason: bad bot access attempt.",
            "<title>Request Rejected</title>The requested URL was rejected. Please consult with your administrator.<br>Your support ID is: 123",
        ];
        for page in walls {
            assert!(matches!(judged(page), Some(Soft404::Wall { .. })), "{page}");
        }
        let notices = [
            "<title>Welcome to nginx!</title><h1>Welcome to nginx!</h1><p>If you see this page, the nginx web server is successfully installed and working.",
            "<title>Apache2 Ubuntu Default Page: It works</title><p>This is the default welcome page used to test the correct operation of the Apache2 server after installation on Ubuntu systems.",
            "<title>Maintenance</title><h1>Briefly unavailable for scheduled maintenance. Check back in a minute.</h1>",
            "<title>Database Error</title><h1>Error establishing a database connection</h1>",
            "<br />\n<b>Fatal error</b>:  Uncaught Error: Call to undefined function mysql_connect() in /var/www/index.php:12",
            "<p>Unsere Seite ist wegen Wartungsarbeiten nicht erreichbar.",
        ];
        for page in notices {
            assert!(judged(page).is_some(), "{page}");
        }
    }

    #[test]
    fn pages_about_such_pages_are_none() {
        let more =
            "They explain it to all who ask, and to some who do not, in many more words than anybody needs. "
                .repeat(20);
        for page in [
            "<title>How to fix: Error establishing a database connection</title><p>Check the password in wp-config.php.".to_owned(),
            "<title>Bridge news</title><h1>The bridge is open again</h1><p>The old bridge is under repair no longer. Ferries run as before.".to_owned(),
            format!("<title>Our servers</title><h1>Our servers</h1><p>If you see this page, the nginx web server is successfully installed. {more}"),
            format!("<title>Domains</title><p>Sellers write: this website is for sale. {more}"),
            "<title>Ship maintenance</title><h1>Ship maintenance</h1><p>Our yard repairs and paints ships of all sizes.".to_owned(),
        ] {
            assert_eq!(judged(&page), None, "{page}");
        }
    }

    #[test]
    fn landers_and_blank_pages_are_known_by_their_markup_and_applications_are_not() {
        let why =
            |page: &str, length| by_markup(page.as_bytes(), length).map(|found| found.words().to_owned());
        assert!(
            why("<script>window.onload=function(){window.location.href=\"/lander\"}</script>", 0).is_some()
        );
        assert!(
            why("<title>a.example</title><script>window.park = \"eyJ1\";</script>", 9)
                .unwrap()
                .contains("parked")
        );
        assert!(why("<iframe src=\"/_Incapsula_Resource\">Request unsuccessful. Incapsula incident ID: 8</iframe>", 0).unwrap().contains("wall"));
        assert_eq!(why("<html><head></head><body></body></html>", 0).as_deref(), Some("it shows nothing"));
        assert_eq!(why("", 0).as_deref(), Some("it shows nothing"));
        for page in [
            "<div id=root></div><script src=/app.js></script>",
            "<script src=\"/_Incapsula_Resource?SWJIYLWA=7\"></script><div id=app></div>",
            "<frameset><frame src=a.html></frameset>",
            "<body><img src=welcome.gif></body>",
            "<meta http-equiv=refresh content='0;url=/en/'>",
        ] {
            assert_eq!(why(page, 0), None, "{page}");
        }
        assert_eq!(why("<script>window.park = 1</script>", 500), None, "a page with text");
    }
}
