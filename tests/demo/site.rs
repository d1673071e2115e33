//! What the server holds, and when it changes.

use crate::pages;

/// Minutes after nine o'clock at which something changes.
pub(crate) const NEWS: u32 = 3;
pub(crate) const PRICES: u32 = 5;
pub(crate) const STORY_HOUR: u32 = 16;

/// An answer of the server.
pub(crate) struct Answer {
    pub(crate) status: &'static str,
    pub(crate) mime: &'static str,
    pub(crate) body: Vec<u8>,
    /// `Last-Modified`, where the server sends one: it also answers conditional requests then.
    pub(crate) modified: Option<&'static str>,
}

/// The URLs that the crawler fetches, in its order: about breadth first from the home page; it comes to the prices late.
pub(crate) fn urls() -> Vec<&'static str> {
    vec![
        "/robots.txt",
        "/",
        "/sitemap.xml",
        "/style/site.css",
        "/images/logo.png",
        "/news/",
        "/opening-hours.html",
        "/events/",
        "/catalogue/",
        "/children/",
        "/about/",
        "/contact.html",
        "/images/reading-room.png",
        "/news/new-roof.html",
        "/news/quiet-hours.html",
        "/news/book-sale.html",
        "/events/story-hour.html",
        "/events/reading-circle.html",
        "/events/map-evening.html",
        "/catalogue/lighthouse.html",
        "/catalogue/tide-tables.html",
        "/catalogue/herring.html",
        "/catalogue/night-ferry.html",
        "/children/picture-books.html",
        "/children/homework-help.html",
        "/prices.html",
        "/about/history.html",
        "/about/team.html",
        "/about/house-rules.html",
        "/offers/winter.html",
        "/news/archive-2019.html",
    ]
}

/// What the server answers at a time, in minutes after nine.
pub(crate) fn answer(path: &str, minute: u32, request: u32) -> Answer {
    let html = |body: String, modified| Answer {
        status: "200 OK",
        mime: "text/html; charset=utf-8",
        body: body.into_bytes(),
        modified,
    };
    let old = Some("Thu, 11 Jan 2024 16:20:00 GMT");
    match path {
        "/robots.txt" => Answer {
            status: "200 OK",
            mime: "text/plain",
            body: b"User-agent: *\nAllow: /\nSitemap: http://library.example/sitemap.xml\n".to_vec(),
            modified: old,
        },
        "/sitemap.xml" => Answer {
            status: "200 OK",
            mime: "application/xml",
            body: pages::sitemap(minute).into_bytes(),
            modified: None,
        },
        "/style/site.css" => Answer {
            status: "200 OK",
            mime: "text/css",
            body: pages::STYLE.as_bytes().to_vec(),
            modified: old,
        },
        "/images/logo.png" => Answer {
            status: "200 OK",
            mime: "image/png",
            body: pages::picture(0x2a, 0x6f, 0x97),
            modified: old,
        },
        "/images/reading-room.png" => Answer {
            status: "200 OK",
            mime: "image/png",
            body: pages::picture(0xc8, 0x9b, 0x5a),
            modified: old,
        },
        "/" => html(pages::home(minute), None),
        "/news/" => html(pages::news(minute), None),
        "/news/boat-library.html" if minute >= NEWS => {
            html(pages::boat_library(), Some("Mon, 04 Mar 2024 09:03:00 GMT"))
        }
        "/prices.html" => html(
            pages::prices(minute),
            Some(if minute >= PRICES {
                "Mon, 04 Mar 2024 09:05:00 GMT"
            } else {
                "Wed, 03 Jan 2024 08:00:00 GMT"
            }),
        ),
        "/events/story-hour.html" => html(pages::story_hour(minute), None),
        "/contact.html" => html(pages::contact(request), None),
        "/offers/winter.html" => html(pages::soft_404(), None),
        "/news/archive-2019.html" => Answer {
            status: "404 Not Found",
            mime: "text/html; charset=utf-8",
            body: pages::not_found().into_bytes(),
            modified: None,
        },
        "/opening-hours.html" => html(pages::opening_hours(), Some("Mon, 01 Jan 2024 10:00:00 GMT")),
        "/about/history.html" | "/about/team.html" | "/about/house-rules.html" | "/about/" => {
            html(pages::fixed(path), old)
        }
        _ => html(pages::fixed(path), None),
    }
}
