//! Which fonts of `@font-face` the shown text of a page needs.
//!
//! A font is needed where shown text surely uses it: its family is the first that the text asks for, its `unicode-range` has a
//! character of the text, its weight and style are those of the text, and no font of the reader's own (`local`) comes before
//! it. Where a selector may or may not match, nothing is claimed. Of its files a browser loads the first in a format that it
//! knows; any other that was captured does as well.
//!
//! Source: CSS Fonts Module Level 4, sections 4 and 5.

use std::collections::{BTreeMap, BTreeSet};

use scraper::node::Element;
use scraper::{Html, Node};

use super::block_role::is_hidden;
use super::charset::Charset;
use super::page_style::{Font, PageStyle, Property, Said, declarations, list};
use super::shape::Shape;
use crate::url::resolve::Base;

/// Maximum bytes of a page whose text is read.
const MAX_PAGE_BYTES: usize = 4 << 20;
/// Maximum number of texts of a page that are looked at.
const MAX_TEXTS: usize = 5000;

/// A sheet of a page: its address and its text.
pub(crate) struct Sheet {
    pub(crate) url: String,
    pub(crate) css: String,
}

/// The files of one font that shown text needs: any of them is enough, and a browser loads the first.
pub(crate) type NeededFont = Vec<String>;

/// A font that can be chosen.
#[derive(Debug)]
struct Face {
    family: String,
    bold: bool,
    slanted: bool,
    ranges: Vec<(u32, u32)>,
    files: NeededFont,
}

/// The fonts that the shown text of a page needs, in the order of their first file.
pub(crate) fn needed_fonts(
    body: &[u8],
    content_type: Option<&[u8]>,
    url: &str,
    sheets: &[Sheet],
) -> Vec<NeededFont> {
    if body.len() > MAX_PAGE_BYTES {
        return Vec::new();
    }
    let (text, _, _) = Charset::detect(body, content_type).encoding.decode(body);
    if Shape::of(text.as_bytes()).too_hard().is_some() {
        return Vec::new();
    }
    let html = Html::parse_document(&text);
    let mut style = PageStyle::of(&html);
    for (number, sheet) in (1..).zip(sheets) {
        style.read(&sheet.css, number);
    }
    let document = Base::parse(url.as_bytes());
    let own =
        base_of(&html).and_then(|href| Base::parse(document.as_ref()?.resolve(href.as_bytes())?.as_bytes()));
    let base = |sheet: usize| match sheet.checked_sub(1) {
        Some(place) => sheets.get(place).and_then(|sheet| Base::parse(sheet.url.as_bytes())),
        None => own.clone().or_else(|| document.clone()),
    };
    let faces: Vec<Face> =
        style.fonts.iter().filter_map(|font| Face::of(font, base(font.sheet).as_ref())).collect();
    if faces.is_empty() {
        return Vec::new();
    }
    let mut needed = BTreeSet::new();
    for ((families, bold, slanted), letters) in texts(&html, &style) {
        for letter in letters {
            let face = families.iter().map_while(|family| chosen(&faces, family, bold, slanted, letter));
            // The next family is asked only where this one lacks the letter.
            if let Some(face) = face.flatten().next() {
                needed.insert(face.files.clone());
            }
        }
    }
    needed.into_iter().collect()
}

fn base_of(html: &Html) -> Option<&str> {
    let mut elements = html.tree.nodes().filter_map(|node| node.value().as_element());
    elements.find(|element| element.name() == "base")?.attr("href")
}

/// The face that shows a letter, if the family is one of the faces. `None`: it is not, so the reader may have it.
fn chosen<'f>(
    faces: &'f [Face],
    family: &str,
    bold: bool,
    slanted: bool,
    letter: char,
) -> Option<Option<&'f Face>> {
    let of_family: Vec<&Face> = faces.iter().filter(|face| face.family == family).collect();
    let first = of_family.first()?;
    // A family with one weight and style shows all text with it.
    let is_single = of_family.iter().all(|face| (face.bold, face.slanted) == (first.bold, first.slanted));
    let fits = |face: &&&Face| is_single || (face.bold, face.slanted) == (bold, slanted);
    let has = |face: &&&Face| face.ranges.iter().any(|(from, to)| (*from..=*to).contains(&u32::from(letter)));
    Some(of_family.iter().rev().filter(fits).find(has).copied())
}

impl Face {
    fn of(font: &Font, base: Option<&Base>) -> Option<Face> {
        let value = |name: &str| {
            font.declared.iter().rev().find(|(declared, _)| declared == name).map(|(_, value)| value.as_str())
        };
        let files = files(value("src")?)?;
        let files: NeededFont = files.iter().filter_map(|file| base?.resolve(file.as_bytes())).collect();
        let weight = value("font-weight").unwrap_or("400").to_ascii_lowercase();
        let bold = weight.split_whitespace().next().is_some_and(|weight| match weight {
            "bold" => true,
            weight => weight.parse::<f64>().is_ok_and(|weight| weight >= 600.0),
        });
        let slanted = value("font-style").is_some_and(|style| !style.eq_ignore_ascii_case("normal"));
        let ranges = value("unicode-range").map_or_else(|| vec![(0, 0x0010_ffff)], ranges);
        let family = families(value("font-family")?).into_iter().next()?;
        (!files.is_empty()).then_some(Face { family, bold, slanted, ranges, files })
    }
}

/// The files of a `src` in formats that browsers know. `None`: a font of the reader's own may come first.
fn files(src: &str) -> Option<Vec<String>> {
    const KNOWN: [&str; 8] = [
        "woff2",
        "woff",
        "truetype",
        "opentype",
        "collection",
        "woff2-variations",
        "woff-variations",
        "truetype-variations",
    ];
    let mut files = Vec::new();
    for part in list(src) {
        let lower = part.to_ascii_lowercase();
        if lower.starts_with("local(") {
            return None;
        }
        let argument = |name: &str| {
            let rest = &part[lower.find(name)? + name.len()..];
            Some(rest.split(')').next().unwrap_or(rest).trim().trim_matches(['"', '\'']))
        };
        let Some(file) = argument("url(") else { continue };
        let is_known = match argument("format(") {
            Some(format) => KNOWN.contains(&format.to_ascii_lowercase().as_str()),
            None => {
                let path = file.split(['?', '#']).next().unwrap_or(file).to_ascii_lowercase();
                !path.ends_with(".eot") && !path.ends_with(".svg")
            }
        };
        // A font inside the sheet needs no file.
        if file.to_ascii_lowercase().starts_with("data:") {
            return None;
        }
        if is_known && !file.is_empty() {
            files.push(file.to_owned());
        }
    }
    Some(files)
}

/// `U+26`, `U+0-7F`, `U+4??`
fn ranges(value: &str) -> Vec<(u32, u32)> {
    let number = |digits: &str| u32::from_str_radix(digits, 16).ok();
    let range = |part: &str| {
        let part = part.trim().to_ascii_lowercase();
        let part = part.strip_prefix("u+")?;
        match part.split_once('-') {
            Some((from, to)) => Some((number(from)?, number(to)?)),
            None => Some((number(&part.replace('?', "0"))?, number(&part.replace('?', "f"))?)),
        }
    };
    value.split(',').filter_map(range).collect()
}

/// The families of a value, in lower case and without quotes.
fn families(value: &str) -> Vec<String> {
    let plain = |name: &str| {
        let name = name.trim().trim_matches(['"', '\'']);
        name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
    };
    value.split(',').map(plain).filter(|name| !name.is_empty()).collect()
}

/// Elements whose text is not shown.
const UNSHOWN: [&str; 12] = [
    "script", "style", "template", "noscript", "head", "svg", "iframe", "noembed", "noframes", "select",
    "textarea", "object",
];

/// The families of a text, and whether it is bold and slanted.
type Asked = (Vec<String>, bool, bool);

/// The letters of the shown text by the fonts that it asks for; text of which that is not sure is left out.
fn texts(html: &Html, style: &PageStyle) -> BTreeMap<Asked, BTreeSet<char>> {
    let mut found: BTreeMap<Asked, BTreeSet<char>> = BTreeMap::new();
    let mut stack = vec![(html.tree.root(), Some((Vec::new(), false, false)))];
    let mut count = 0;
    while let Some((node, asked)) = stack.pop() {
        let mut asked: Option<Asked> = asked;
        match node.value() {
            Node::Text(text) => {
                count += usize::from(!text.trim().is_empty());
                if count > MAX_TEXTS {
                    return found;
                }
                if let Some(asked) = asked.filter(|(families, ..)| !families.is_empty()) {
                    let letters = text.chars().filter(|c| !c.is_whitespace() && !c.is_control());
                    found.entry(asked).or_default().extend(letters);
                }
                continue;
            }
            Node::Element(element) => {
                if UNSHOWN.contains(&element.name()) || is_hidden(element) || style.hides(element) {
                    continue;
                }
                asked = inside(element, style, asked);
            }
            _ => {}
        }
        stack.extend(node.children().rev().map(|child| (child, asked.clone())));
    }
    found
}

/// The fonts that the text inside an element asks for, given those around it. `None`: it is not sure.
fn inside(element: &Element, style: &PageStyle, around: Option<Asked>) -> Option<Asked> {
    let own = element.attr("style").map(declarations).unwrap_or_default();
    let declares = |names: &[&str]| own.iter().any(|(name, _)| names.contains(&name.as_str()));
    let chooses = declares(&["font", "font-weight", "font-style", "font-variant"]);
    let is_plain = match style.says(element, Property::Face) {
        Said::Nothing | Said::Value { value: "normal" | "400", .. } => true,
        Said::Value { .. } | Said::Unsure => false,
    };
    if chooses || !is_plain {
        return None;
    }
    let said = style.says(element, Property::Family);
    let written = own.iter().rev().find(|(name, _)| name == "font-family").map(|(_, value)| value.as_str());
    let asked = match (written, said) {
        (Some(value), Said::Nothing | Said::Unsure | Said::Value { important: false, .. }) => Some(value),
        (_, Said::Value { value, .. }) => Some(value).filter(|value| *value != "inherit"),
        (None, Said::Unsure) => return None,
        (None, Said::Nothing) => element.attr("face").filter(|_| element.name() == "font"),
    };
    let (families_around, bold, slanted) = around?;
    let asked = match asked {
        Some(value) if value.contains("var(") || value.contains('\\') => return None,
        Some(value) => families(value),
        None => families_around,
    };
    let is_bold = matches!(element.name(), "b" | "strong" | "th" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6");
    let is_slanted = matches!(element.name(), "i" | "em" | "cite" | "dfn" | "address" | "var");
    // Browsers have fonts of their own for these, unless a rule names one.
    if matches!(element.name(), "code" | "pre" | "kbd" | "samp" | "tt" | "button" | "input")
        && written.is_none()
    {
        return None;
    }
    Some((asked, bold || is_bold, slanted || is_slanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needed(page: &str) -> Vec<String> {
        let sheet = Sheet {
            url: "http://a.example/css/s.css".to_owned(),
            css: "@font-face{font-family:Sheet;src:url(../sheet.woff2)} .s{font-family:Sheet,serif}"
                .to_owned(),
        };
        let found = needed_fonts(page.as_bytes(), None, "http://a.example/dir/page", &[sheet]);
        found.into_iter().map(|files| files[0].replace("http://a.example", "")).collect()
    }

    #[test]
    fn a_font_is_needed_where_shown_text_uses_its_family_and_its_letters() {
        let faces = "<style>@font-face{font-family:'A b';src:url(/a.eot);src:url(/a.eot?#x) format('embedded-opentype'),url(\"/a.woff2\") format(\"woff2\"),\
            url(/a.woff)}@font-face{font-family:A B;src:url(/greek.woff2);unicode-range:U+370-3FF}\
            @font-face{font-family:L;src:local('L'),url(/l.woff)}@font-face{font-family:W;src:url(/w.woff)}\
            @font-face{font-family:W;src:url(/wb.woff);font-weight:700}BODY</style>";
        let page = |css: &str, body: &str| needed(&format!("{}{body}", faces.replace("BODY", css)));
        let none: [&str; 0] = [];
        assert_eq!(page("", "<p>plain"), none);
        assert_eq!(page("body{font-family:\"A B\", serif}", "<p>text"), ["/a.woff2"]);
        assert_eq!(page("body{font:1em/2 'A b'}", "<p>αβγ"), ["/greek.woff2"]);
        assert_eq!(page("p.q{font-family:a b}", "<p>no<p class=q>yes"), ["/a.woff2"]);
        assert_eq!(page("p.q{font-family:a b}", "<p>no<p class=q> <p class=q hidden>no"), none);
        assert_eq!(page("p{font-family:Arial,'A b'}", "<p>the reader has that"), none);
        assert_eq!(page("p{font-family:L}", "<p>the reader may have it"), none);
        assert_eq!(page("p{font-family:W}", "<p>text"), ["/w.woff"]);
        assert_eq!(page("p{font-family:W}", "<p><b>text</b>"), ["/wb.woff"]);
        assert_eq!(page("p{font-family:W} .x p{font-family:y}", "<p>unsure"), none);
        assert_eq!(page("p{font-family:W} p{font-weight:300}", "<p>unsure"), none);
        assert_eq!(page("p{font:italic 1em W}", "<p>unsure"), none);
        assert_eq!(page("p{font-family:W} p{font-weight:400}", "<p>text"), ["/w.woff"]);
        assert_eq!(page("", "<p style='font-family:W'>text"), ["/w.woff"]);
        assert_eq!(
            page("", "<font face='W'>text</font><p style='display:none;font-family:\"A b\"'>no"),
            ["/w.woff"]
        );
        assert_eq!(page("", "<p class=s>of another sheet"), ["/sheet.woff2"]);
    }
}
