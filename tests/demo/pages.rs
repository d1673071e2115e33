//! The pages of the library.

use crate::site::{NEWS, PRICES, STORY_HOUR};
use crate::support::pack::{crc32, zlib};

pub(crate) const STYLE: &str =
    "body { font-family: Georgia, serif; max-width: 46rem; margin: 2rem auto; color: #222; }
header { display: flex; gap: 1rem; align-items: center; border-bottom: 2px solid #2a6f97; }
nav a { margin-right: 1rem; color: #2a6f97; }
table { border-collapse: collapse; }
td, th { border: 1px solid #bbb; padding: .3rem .8rem; text-align: left; }
";

fn page(title: &str, text: &str) -> String {
    format!(
        "<!DOCTYPE html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<title>{title} – Harbour Library</title>
<link rel=\"stylesheet\" href=\"/style/site.css\">
</head>
<body>
<header><img src=\"/images/logo.png\" alt=\"Harbour Library\" width=\"8\" height=\"8\"><h1>{title}</h1></header>
<nav><a href=\"/\">Home</a><a href=\"/news/\">News</a><a href=\"/opening-hours.html\">Opening hours</a><a href=\"/prices.html\">Prices</a>
<a href=\"/events/\">Events</a><a href=\"/catalogue/\">Catalogue</a><a href=\"/children/\">Children</a><a href=\"/about/\">About us</a><a href=\"/contact.html\">Contact</a></nav>
<main>
{text}
</main>
<footer><p>Harbour Library, Pier Road 3. Books, maps and a warm stove since 1911.</p></footer>
</body>
</html>
"
    )
}

const HEADLINES: [(&str, &str); 3] = [
    ("new-roof", "The new roof is on"),
    ("quiet-hours", "Quiet hours on Thursday mornings"),
    ("book-sale", "Book sale: three bags for the price of two"),
];
const NEW_HEADLINE: (&str, &str) = ("boat-library", "The boat library sails again");

fn headlines(minute: u32) -> Vec<(&'static str, &'static str)> {
    let mut headlines = HEADLINES.to_vec();
    if minute >= NEWS {
        headlines.insert(0, NEW_HEADLINE);
    }
    headlines
}

fn links<'a>(folder: &str, items: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let items: String = items
        .into_iter()
        .map(|(name, title)| format!("<li><a href=\"{folder}{name}.html\">{title}</a></li>\n"))
        .collect();
    format!("<ul>\n{items}</ul>")
}

pub(crate) fn home(minute: u32) -> String {
    let (name, title) = headlines(minute)[0];
    page(
        "Welcome",
        &format!(
            "<p>Forty thousand books, four hundred sea charts and one cat. Come in, the kettle is on.</p>
<img src=\"/images/reading-room.png\" alt=\"The reading room\" width=\"8\" height=\"8\">
<h2>Latest news</h2>
<p><a href=\"/news/{name}.html\">{title}</a></p>
<p>See also our <a href=\"/offers/winter.html\">winter offer</a>.</p>"
        ),
    )
}

pub(crate) fn news(minute: u32) -> String {
    let list = links("/news/", headlines(minute));
    page("News", &format!("{list}\n<p>Older news: <a href=\"/news/archive-2019.html\">2019</a></p>"))
}

pub(crate) fn boat_library() -> String {
    page(
        "The boat library sails again",
        "<p>From April on, the boat library calls at the outer islands every second Tuesday, weather permitting. Books ordered by Friday are on board.</p>
<img src=\"/images/boat.png\" alt=\"The boat at the pier\">",
    )
}

pub(crate) fn opening_hours() -> String {
    page(
        "Opening hours",
        "<table>
<tr><th>Day</th><th>Open</th></tr>
<tr><td>Monday</td><td>closed</td></tr>
<tr><td>Tuesday to Friday</td><td>10:00–18:00</td></tr>
<tr><td>Saturday</td><td>10:00–14:00</td></tr>
<tr><td>Sunday</td><td>closed</td></tr>
</table>",
    )
}

pub(crate) fn prices(minute: u32) -> String {
    let card = if minute >= PRICES { "12.00" } else { "10.00" };
    page(
        "Prices",
        &format!(
            "<table>
<tr><th>What</th><th>Price</th></tr>
<tr><td>Library card, one year</td><td>{card}</td></tr>
<tr><td>Library card, under 18</td><td>free</td></tr>
<tr><td>Late return, per week</td><td>0.50</td></tr>
<tr><td>Copy of a chart</td><td>2.00</td></tr>
</table>
<p>The accounts are in the <a href=\"/downloads/annual-report.html\">annual report</a>.</p>"
        ),
    )
}

pub(crate) fn story_hour(minute: u32) -> String {
    let who = if minute >= STORY_HOUR { "Mrs Flett" } else { "Mr Isbister" };
    page(
        "Story hour",
        &format!(
            "<p>Every Wednesday at 15:30 {who} reads by the stove. For children from four to eight; parents may stay if they are quiet.</p>"
        ),
    )
}

/// The form has a new token in every answer: the bytes differ each time, the page does not.
pub(crate) fn contact(request: u32) -> String {
    let token = crc32(format!("token {request}").as_bytes());
    page(
        "Contact",
        &format!(
            "<p>Write to us; we answer within two days.</p>
<form method=\"post\" action=\"/contact.html\">
<input type=\"hidden\" name=\"token\" value=\"{token:08x}\">
<textarea name=\"message\"></textarea>
<button>Send</button>
</form>"
        ),
    )
}

/// Answered with 200 though there is nothing.
pub(crate) fn soft_404() -> String {
    page(
        "Page not found",
        "<p>Sorry, the page you are looking for does not exist any more. It may have been moved or deleted.</p>",
    )
}

pub(crate) fn not_found() -> String {
    page("404", "<p>Not found.</p>")
}

/// Pages that stay as they are.
pub(crate) fn fixed(path: &str) -> String {
    let (title, text) = match path {
        "/news/new-roof.html" => ("The new roof is on", "<p>After nine wet winters the slates are in place. We thank everybody who gave towards them, and the buckets.</p>".to_owned()),
        "/news/quiet-hours.html" => ("Quiet hours on Thursday mornings", "<p>On Thursdays until noon there is no printing, no hoovering and no choir.</p>".to_owned()),
        "/news/book-sale.html" => ("Book sale", "<p>Three bags for the price of two, in the boat shed, until everything is gone.</p>".to_owned()),
        "/events/" => ("Events", links("/events/", [("story-hour", "Story hour"), ("reading-circle", "Reading circle"), ("map-evening", "Map evening")])),
        "/events/reading-circle.html" => ("Reading circle", "<p>First Monday of the month, 19:00. This spring we read about islands.</p>".to_owned()),
        "/events/map-evening.html" => ("Map evening", "<p>We lay out the charts of 1847 and look for rocks that have moved.</p>".to_owned()),
        "/catalogue/" => (
            "Catalogue",
            links("/catalogue/", [("lighthouse", "The Lighthouse Keeper's Almanac"), ("tide-tables", "Tide Tables for Landsmen"), ("herring", "A Short History of the Herring"), ("night-ferry", "The Night Ferry")]),
        ),
        "/catalogue/lighthouse.html" => ("The Lighthouse Keeper's Almanac", "<p>Shelf 4. One copy, on loan until the fog lifts.</p>".to_owned()),
        "/catalogue/tide-tables.html" => ("Tide Tables for Landsmen", "<p>Shelf 2. Two copies, both slightly wet.</p>".to_owned()),
        "/catalogue/herring.html" => ("A Short History of the Herring", "<p>Shelf 7. One copy.</p>".to_owned()),
        "/catalogue/night-ferry.html" => ("The Night Ferry", "<p>Shelf 9. Three copies; the third lacks its last page.</p>".to_owned()),
        "/children/" => ("Children", links("/children/", [("picture-books", "Picture books"), ("homework-help", "Homework help")])),
        "/children/picture-books.html" => ("Picture books", "<p>They stand at the bottom, where they can be reached.</p>".to_owned()),
        "/children/homework-help.html" => ("Homework help", "<p>Tuesday and Thursday from 14:00. Bring a pencil.</p>".to_owned()),
        "/about/" => ("About us", links("/about/", [("history", "History"), ("team", "Team"), ("house-rules", "House rules")])),
        "/about/history.html" => ("History", "<p>Founded in 1911 with the books of a ship that did not need them any more.</p>".to_owned()),
        "/about/team.html" => ("Team", "<p>Two librarians, one caretaker, one cat.</p>".to_owned()),
        _ => ("House rules", "<p>Please dry your boots. Please do not feed the cat.</p>".to_owned()),
    };
    page(title, &text)
}

pub(crate) fn sitemap(minute: u32) -> String {
    let entry = |path: &str, modified: &str, every: &str| {
        format!(
            "<url><loc>http://library.example{path}</loc><lastmod>{modified}</lastmod><changefreq>{every}</changefreq></url>\n"
        )
    };
    let today = |changed: bool, before: &'static str| if changed { "2024-03-04" } else { before };
    let entries = [
        entry("/", today(minute >= NEWS, "2024-02-28"), "daily"),
        entry("/news/", today(minute >= NEWS, "2024-02-28"), "daily"),
        entry("/opening-hours.html", "2024-01-01", "yearly"),
        entry("/prices.html", today(minute >= PRICES, "2024-01-03"), "yearly"),
        entry("/events/", "2024-02-01", "weekly"),
        entry("/events/story-hour.html", today(minute >= STORY_HOUR, "2024-02-01"), "weekly"),
        entry("/catalogue/", "2024-01-20", "monthly"),
        entry("/about/", "2024-01-11", "yearly"),
    ];
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{}</urlset>\n",
        entries.concat()
    )
}

/// A PNG of eight by eight pixels in one colour.
pub(crate) fn picture(red: u8, green: u8, blue: u8) -> Vec<u8> {
    let chunk = |kind: &[u8], data: &[u8]| {
        let body = [kind, data].concat();
        [&(data.len() as u32).to_be_bytes()[..], &body, &crc32(&body).to_be_bytes()].concat()
    };
    let row = [&[0][..], &[red, green, blue].repeat(8)].concat();
    [
        b"\x89PNG\r\n\x1a\n".to_vec(),
        chunk(b"IHDR", &[0, 0, 0, 8, 0, 0, 0, 8, 8, 2, 0, 0, 0]),
        chunk(b"IDAT", &zlib(&row.repeat(8))),
        chunk(b"IEND", &[]),
    ]
    .concat()
}
