//! What style sheets say of the elements of a page, as far as simple selectors say it: which are hidden, and which fonts their
//! text uses.
//!
//! A simple selector names an element, an id and classes (`div.note`). One that needs more (`.open .note`, `a:hover`) may match or
//! not: it hides nothing, and where it may show an element or give it another font, nothing is claimed. Rules behind conditions
//! count only where every screen meets them.

use scraper::node::Element;
use scraper::{Html, Node};

/// Maximum bytes of all sheets of a page that are read.
const MAX_BYTES: usize = 2 << 20;
/// Maximum number of rules and of fonts kept.
const MAX_RULES: usize = 400;
/// Maximum number of blocks of rules inside each other.
const MAX_DEPTH: usize = 8;

/// The properties that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Property {
    Display,
    Visibility,
    /// `text-decoration`, and its part that draws lines.
    Decoration,
    /// `font-family`, also as a part of `font`.
    Family,
    /// Another property that chooses a font: its weight or its style.
    Face,
}

#[derive(Debug)]
struct Rule {
    selector: Selector,
    property: Property,
    value: String,
    important: bool,
}

/// The part of a selector that names the element itself.
#[derive(Debug, Default)]
struct Selector {
    name: Option<String>,
    id: Option<String>,
    classes: Vec<String>,
    /// It needs more than that.
    more: bool,
}

/// A font of `@font-face`: its declarations, and which sheet has it.
#[derive(Debug)]
pub(super) struct Font {
    pub(super) declared: Vec<(String, String)>,
    pub(super) sheet: usize,
}

/// The rules of a page that matter here, in their order.
#[derive(Debug, Default)]
pub(super) struct PageStyle {
    rules: Vec<Rule>,
    pub(super) fonts: Vec<Font>,
    bytes: usize,
}

/// What the rules for one property come to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Said<'a> {
    Nothing,
    Value {
        value: &'a str,
        important: bool,
    },
    /// A rule may match that would decide otherwise.
    Unsure,
}

impl PageStyle {
    /// The rules of the page's own style elements.
    pub(super) fn of(html: &Html) -> Self {
        let mut style = PageStyle::default();
        for node in html.tree.nodes() {
            if let Node::Element(element) = node.value()
                && element.name() == "style"
                && element.attr("media").is_none_or(is_every_screen)
            {
                let text: String =
                    node.children().filter_map(|child| Some(&**child.value().as_text()?)).collect();
                style.read(&text, 0);
            }
        }
        style
    }

    pub(super) fn read(&mut self, css: &str, sheet: usize) {
        self.bytes += css.len();
        if self.bytes <= MAX_BYTES {
            self.blocks(&without_comments(css), sheet, 0);
        }
    }

    fn blocks(&mut self, css: &str, sheet: usize, depth: usize) {
        let mut rest = css;
        while let Some(end) = outside(rest, |c| matches!(c, '{' | ';' | '}')) {
            let (head, behind) = (rest[..end].trim(), &rest[end + 1..]);
            if !rest[end..].starts_with('{') {
                rest = behind;
                continue;
            }
            let close = closing(behind);
            let block = &behind[..close];
            rest = behind.get(close + 1..).unwrap_or("");
            let at =
                head.strip_prefix('@').map(|name| name.split(|c: char| !(c.is_alphanumeric() || c == '-')));
            match at.and_then(|mut parts| parts.next()).map(str::to_ascii_lowercase).as_deref() {
                None => self.rule(head, block),
                Some("font-face") if self.fonts.len() < MAX_RULES => {
                    self.fonts.push(Font { declared: declarations(block), sheet });
                }
                Some("media") if depth < MAX_DEPTH && is_every_screen(&head["@media".len()..]) => {
                    self.blocks(block, sheet, depth + 1);
                }
                Some("layer") if depth < MAX_DEPTH => self.blocks(block, sheet, depth + 1),
                Some(_) => {}
            }
        }
    }

    fn rule(&mut self, selectors: &str, block: &str) {
        let mut declared: Vec<(Property, String)> = Vec::new();
        for (name, value) in declarations(block) {
            match name.as_str() {
                "display" => declared.push((Property::Display, value)),
                "visibility" => declared.push((Property::Visibility, value)),
                "text-decoration" | "text-decoration-line" => declared.push((Property::Decoration, value)),
                "font-family" => declared.push((Property::Family, value)),
                "font-weight" | "font-style" | "font-variant" => declared.push((Property::Face, value)),
                "font" => {
                    let (face, families) = of_shorthand(&value);
                    declared.push((Property::Family, families.to_owned()));
                    declared.push((Property::Face, if face.is_empty() { "normal" } else { face }.to_owned()));
                }
                _ => {}
            }
        }
        for (property, value) in declared {
            let plain = value.trim_end().trim_end_matches("!important");
            for selector in selectors.split(',').filter_map(Selector::parse) {
                if self.rules.len() < MAX_RULES {
                    let (important, value) = (plain.len() < value.len(), plain.trim().to_ascii_lowercase());
                    self.rules.push(Rule { selector, property, value, important });
                }
            }
        }
    }

    /// What the rules say of one property of an element.
    pub(super) fn says(&self, element: &Element, property: Property) -> Said<'_> {
        let found =
            || self.rules.iter().filter(|rule| rule.property == property && rule.selector.may_match(element));
        // Of equal weight the last one.
        let best = found()
            .filter(|rule| !rule.selector.more)
            .max_by_key(|rule| (rule.important, rule.selector.weight()));
        let others = |rule: &Rule| best.is_none_or(|best| best.value != rule.value);
        match best {
            _ if found().any(|rule| rule.selector.more && others(rule)) => Said::Unsure,
            Some(rule) => Said::Value { value: &rule.value, important: rule.important },
            None => Said::Nothing,
        }
    }

    /// Whether a rule hides the element, and nothing may show it.
    pub(super) fn hides(&self, element: &Element) -> bool {
        if self.rules.is_empty() {
            return false;
        }
        let own =
            element.attr("style").map(|style| declarations(&without_comments(style))).unwrap_or_default();
        let is_hidden = |property, name: &str, hiding: &str| match self.says(element, property) {
            Said::Value { value, important } => {
                value == hiding && (important || !own.iter().any(|(declared, _)| declared == name))
            }
            _ => false,
        };
        is_hidden(Property::Display, "display", "none")
            || is_hidden(Property::Visibility, "visibility", "hidden")
    }

    /// Whether a rule may strike out the element: also one that needs more than a simple selector says.
    pub(super) fn strikes(&self, element: &Element) -> bool {
        let strikes = |rule: &Rule| {
            rule.property == Property::Decoration
                && rule.value.contains("line-through")
                && rule.selector.may_match(element)
        };
        self.rules.iter().any(strikes)
    }
}

/// What a page does not show before a reader acts, and what is not an element.
#[rustfmt::skip]
const NOT_YET: [&str; 9] =
    [":hover", ":focus", ":active", ":target", ":visited", "::", ":before", ":after", ":first-letter"];

impl Selector {
    /// `None`: it says nothing of an element as a page first shows it.
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if NOT_YET.iter().any(|name| text.contains(name)) {
            return None;
        }
        let text = if text.eq_ignore_ascii_case(":root") { "html" } else { text };
        let last =
            text.rsplit(|c: char| c.is_whitespace() || matches!(c, '>' | '+' | '~')).next().unwrap_or(text);
        let plain = last.split([':', '[']).next().unwrap_or(last);
        let mut selector = Selector { more: plain.len() < text.len(), ..Selector::default() };
        let mut rest = plain;
        while !rest.is_empty() {
            let start = rest.len() - rest.trim_start_matches(['.', '#']).len();
            let end = rest[start..].find(['.', '#']).map_or(rest.len(), |end| start + end);
            let name = rest[start..end].to_owned();
            match &rest[..start] {
                "" if name == "*" => {}
                "" => selector.name = Some(name.to_ascii_lowercase()),
                "." => selector.classes.push(name),
                "#" => selector.id = Some(name),
                _ => selector.more = true,
            }
            rest = &rest[end..];
        }
        Some(selector)
    }

    fn may_match(&self, element: &Element) -> bool {
        let classes = || element.attr("class").unwrap_or_default().split_ascii_whitespace();
        self.name.as_deref().is_none_or(|name| element.name() == name)
            && self.id.as_deref().is_none_or(|id| element.attr("id") == Some(id))
            && self.classes.iter().all(|wanted| classes().any(|class| class == wanted))
    }

    /// Its weight in the cascade.
    fn weight(&self) -> (usize, usize, usize) {
        (usize::from(self.id.is_some()), self.classes.len(), usize::from(self.name.is_some()))
    }
}

/// Whether a media query is met by every screen.
fn is_every_screen(query: &str) -> bool {
    let query = query.trim().to_ascii_lowercase();
    query.is_empty() || query.split(',').any(|one| matches!(one.trim(), "all" | "screen" | "only screen"))
}

/// The value of `font`: what stands before its size, and the families behind it.
fn of_shorthand(value: &str) -> (&str, &str) {
    let is_size = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_digit() || c == '.')
            && word.contains(|c: char| c.is_alphabetic() || c == '%')
    };
    let Some(size) = value.split_whitespace().find(|word| is_size(word)) else { return (value, "") };
    let at = value.find(size).unwrap_or(0);
    (value[..at].trim(), value[at + size.len()..].trim())
}

/// The declarations of a block: names in lower case, and values as written.
pub(super) fn declarations(block: &str) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut rest = block;
    while !rest.is_empty() {
        let end = outside(rest, |c| c == ';').unwrap_or(rest.len());
        if let Some((name, value)) = rest[..end].split_once(':') {
            out.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
        rest = rest.get(end + 1..).unwrap_or("");
    }
    out
}

/// The parts of a value between commas.
pub(super) fn list(value: &str) -> Vec<&str> {
    let (mut parts, mut rest) = (Vec::new(), value);
    while let Some(end) = outside(rest, |c| c == ',') {
        parts.push(rest[..end].trim());
        rest = &rest[end + 1..];
    }
    parts.push(rest.trim());
    parts
}

fn without_comments(css: &str) -> String {
    let mut out = String::with_capacity(css.len());
    let mut rest = css;
    while let Some((before, behind)) = rest.split_once("/*") {
        out.push_str(before);
        rest = behind.split_once("*/").map_or("", |(_, behind)| behind);
    }
    out + rest
}

/// Where a sign is that is not inside quotes or parentheses.
fn outside(css: &str, is_sign: impl Fn(char) -> bool) -> Option<usize> {
    let (mut quote, mut depth, mut escaped) = (None, 0usize, false);
    css.char_indices().find_map(|(at, c)| {
        match (quote, c) {
            _ if std::mem::take(&mut escaped) => {}
            (_, '\\') => escaped = true,
            (Some(open), _) if c == open || c == '\n' => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            (None, _) if depth == 0 && is_sign(c) => return Some(at),
            _ => {}
        }
        None
    })
}

/// Where the block ends that begins here: at its closing brace, or with the sheet.
fn closing(css: &str) -> usize {
    let (mut at, mut depth) = (0, 0usize);
    while let Some(found) = outside(&css[at..], |c| matches!(c, '{' | '}')) {
        at += found;
        match (&css[at..=at], depth) {
            ("}", 0) => return at,
            ("}", _) => depth -= 1,
            _ => depth += 1,
        }
        at += 1;
    }
    css.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of the elements that rules hide.
    fn hidden(page: &str) -> Vec<String> {
        let html = Html::parse_document(page);
        let style = PageStyle::of(&html);
        let elements = html.tree.nodes().filter_map(|node| node.value().as_element());
        elements
            .filter(|element| style.hides(element))
            .filter_map(|e| Some(e.attr("n")?.to_owned()))
            .collect()
    }

    #[test]
    fn simple_selectors_hide_and_whatever_may_show_again_wins() {
        let page = |css: &str| {
            let body = "<p n=1 class='x y'>1<p n=2 id=i>2<div n=3 class=x>3</div><p n=4 class=x style='display:block'>4";
            hidden(&format!("<style>{css}</style>{body}"))
        };
        assert_eq!(page(".x{display:none}"), ["1", "3"]);
        assert_eq!(page("/* .x{} */ #i , div.x { color:red; DISPLAY : none }"), ["2", "3"]);
        assert_eq!(page("p{visibility:hidden}"), ["1", "2", "4"]);
        assert_eq!(page(".x{display:none !important}"), ["1", "3", "4"]);
        assert_eq!(page(".x{display:none}.y{display:block}"), ["3"]);
        assert_eq!(page("p.y{display:inline}.x{display:none}"), ["3"]);
        assert_eq!(page(".x{display:none}.open .x{display:block}"), [""; 0]);
        assert_eq!(page(".js .x{display:none} .x:hover{display:none}"), [""; 0]);
        assert_eq!(page(".y{display:none} .y:hover, .y::before{display:block}"), ["1"]);
        assert_eq!(page("@media print{.x{display:none}} @media screen{#i{display:none}}"), ["2"]);
        assert_eq!(page("@media (max-width:9em){.x{display:none}} @import 'a'; #i{display:none"), ["2"]);
        assert_eq!(page(".z{background:url(data:x;y}{)} .y{content:\"}\";display:none}"), ["1"]);
        assert_eq!(hidden("<style media=print>p{display:none}</style><p n=1>"), [""; 0]);
    }

    #[test]
    fn hostile_sheets_end() {
        for css in [
            "{".repeat(100_000),
            "@media screen{".repeat(50_000),
            "a{b:c}".repeat(100_000),
            "\"(\\".repeat(9999),
        ] {
            let start = std::time::Instant::now();
            PageStyle::default().read(&css, 0);
            assert!(start.elapsed().as_secs() < 5);
        }
    }
}
