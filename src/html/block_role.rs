//! The place of an element on its page: from its name, its ARIA role, and the usual words in `id` and `class`; and whether
//! readers see it.

use scraper::node::Element;
use scraper::{ElementRef, Node};

use super::block_words::has_price;
use super::blocks::Role;

/// The role given by the element's name, its ARIA role, or its `id` and `class`.
pub(super) fn role_of(element: &Element) -> Option<Role> {
    let by_name = match element.name() {
        "main" => Some(Role::Main),
        "article" => Some(Role::Article),
        "nav" => Some(Role::Nav),
        "aside" => Some(Role::Aside),
        "header" => Some(Role::Header),
        "footer" => Some(Role::Footer),
        _ => None,
    };
    let by_aria = || {
        Some(match element.attr("role")?.trim() {
            "main" => Role::Main,
            "article" => Role::Article,
            "navigation" | "menu" | "menubar" => Role::Nav,
            "complementary" => Role::Aside,
            "banner" => Role::Header,
            "contentinfo" => Role::Footer,
            _ => return None,
        })
    };
    by_name.or_else(by_aria).or_else(|| {
        names(element)
            .flat_map(|name| name.split(|c: char| !c.is_ascii_alphanumeric()))
            .find_map(role_of_word)
    })
}

/// The `id` and the classes of an element.
fn names(element: &Element) -> impl Iterator<Item = &str> {
    [element.attr("id"), element.attr("class")].into_iter().flatten().flat_map(str::split_ascii_whitespace)
}

/// Words that pages use in `id` and `class` to name their parts.
fn role_of_word(word: &str) -> Option<Role> {
    Some(match word.to_ascii_lowercase().as_str() {
        "main" | "content" | "maincontent" => Role::Main,
        "article" | "post" | "entry" | "story" => Role::Article,
        "nav" | "navbar" | "navigation" | "menu" | "breadcrumb" | "breadcrumbs" | "toc" | "pagination" => {
            Role::Nav
        }
        "sidebar" | "aside" | "related" | "widget" | "widgets" => Role::Aside,
        "header" | "masthead" | "topbar" | "banner" => Role::Header,
        "footer" | "foot" | "bottom" | "colophon" | "copyright" => Role::Footer,
        _ => return None,
    })
}

/// Words for advertising and notices.
#[rustfmt::skip]
const NOISE: [&str; 19] = [
    "ad", "ads", "adbox", "adslot", "adsbygoogle", "adunit", "adcontainer", "adwrapper", "advert", "adverts", "advertisement",
    "advertising", "sponsor", "sponsors", "sponsored", "promo", "cookie", "cookies", "consent",
];

/// Words for clocks, dates and counters.
#[rustfmt::skip]
const TIMES: [&str; 15] = [
    "counter", "hitcounter", "viewcount", "pageviews", "visitors", "clock", "time", "timestamp", "datetime", "date", "dateline",
    "timeago", "pubdate", "lastmod", "modified",
];

/// What may follow them in a name: `date-published` is a date, `time-table` is not a clock.
#[rustfmt::skip]
const SUFFIXES: [&str; 20] = [
    "ago", "stamp", "text", "label", "wrapper", "wrap", "published", "updated", "modified", "posted", "created", "line", "value", "info",
    "box", "display", "online", "now", "number", "inner",
];

/// Words that turn the name around: `has-ads` is a page, not an advertisement.
const TURNING: [&str; 8] = ["has", "no", "with", "without", "is", "not", "enable", "enabled"];

/// Whether the element shows a time, a counter or advertising. The frame of a page does not, and what is named like a clock
/// only if it says as little as one.
pub(super) fn is_noise(node: ElementRef<'_>) -> bool {
    let element = node.value();
    match element.name() {
        "time" => return true,
        "html" | "body" | "main" | "article" | "section" | "form" | "table" => return false,
        _ => {}
    }
    names(element).any(|name| {
        let name = name.to_ascii_lowercase();
        let parts: Vec<&str> = name.split(|c: char| !c.is_ascii_alphanumeric()).collect();
        if parts.len() > 4 || parts.iter().any(|part| TURNING.contains(part)) {
            return false;
        }
        let of_time = parts.iter().rposition(|part| TIMES.contains(part));
        let names_time = of_time.is_some_and(|at| parts[at + 1..].iter().all(|part| SUFFIXES.contains(part)));
        parts.iter().any(|part| NOISE.contains(part)) || (names_time && is_brief(node))
    })
}

/// Maximum bytes of text, and number of nodes, of a clock or a counter.
const MAX_BRIEF: usize = 120;
const MAX_NODES: usize = 60;

/// Whether an element says no more than a clock or a counter does, and names no price.
fn is_brief(node: ElementRef<'_>) -> bool {
    let mut text = String::new();
    for (number, node) in node.descendants().enumerate() {
        if let Node::Text(piece) = node.value() {
            text.push_str(piece.trim());
            text.push(' ');
        }
        if number > MAX_NODES || text.len() > MAX_BRIEF {
            return false;
        }
    }
    !has_price(&text)
}

/// Classes by which style sheets hide elements.
const HIDING: [&str; 8] = [
    "hidden",
    "d-none",
    "sr-only",
    "visually-hidden",
    "visuallyhidden",
    "screen-reader-text",
    "is-hidden",
    "offscreen",
];

/// Whether readers do not see the element, by its own attributes.
pub(super) fn is_hidden(element: &Element) -> bool {
    if element.attr("hidden").is_some() || element.attr("popover").is_some() {
        return true;
    }
    if element.name() == "dialog" && element.attr("open").is_none() {
        return true;
    }
    if element
        .attr("class")
        .is_some_and(|class| class.split_ascii_whitespace().any(|name| HIDING.contains(&name)))
    {
        return true;
    }
    let Some(style) = element.attr("style") else { return false };
    let style: String = style.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase();
    style.split(';').any(|rule| match rule.split_once(':') {
        Some(("display", value)) => value.starts_with("none"),
        Some(("visibility", value)) => value.starts_with("hidden"),
        Some(("opacity" | "font-size", value)) => {
            value.trim_end_matches("!important").trim_end_matches(|c: char| c.is_alphabetic()).parse()
                == Ok(0.0)
        }
        Some(("left" | "top" | "text-indent", value)) => value.starts_with("-999"),
        _ => false,
    })
}
