//! What a page looks like: features of its URL, and of the page itself.
//!
//! | feature | kind | known |
//! |---|---|---|
//! | host; MIME type; the first three words of the path | name | online |
//! | depth (number of slashes in the path), length of the URL | number | online |
//! | `~ _ ? ; : , %` present or not | name | online |
//! | extension, top folder, number of parameters, number of digits, first number in the path | – | online (ours) |
//! | days since the last change, images, tables, outlinks, inlinks | number | offline |
//! | size | number | offline (ours) |
//!
//! *Online* is what a crawler knows before it fetches the page, *offline* what it knows once it has it. A word is a run
//! of letters; the first number is what tells `pep-0001` from `pep-3000`, or `/2014/…` from `/2024/…`. What is not
//! known is missing, never 0.
//!
//! Source: Denev, Mazeika, Spaniol, Weikum: The SHARC framework for data quality in Web archiving, VLDB Journal 2011,
//! section 8.2. DIFFERENCE: the features marked "ours". Cost: O(length of the URL).

#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Not known.
    Missing,
    /// A quantity.
    Number(f64),
    /// One of several names.
    Name(Box<str>),
}

impl Value {
    fn name(text: Option<&str>) -> Self {
        text.filter(|text| !text.is_empty()).map_or(Value::Missing, |text| Value::Name(text.into()))
    }

    fn flag(present: bool) -> Self {
        Value::Name(if present { "yes" } else { "no" }.into())
    }

    fn number(number: Option<f64>) -> Self {
        number.map_or(Value::Missing, Value::Number)
    }
}

/// The features of one page. All pages that one predictor sees have the same ones, in the same order.
#[derive(Debug, Clone, PartialEq)]
pub struct Features(pub Vec<Value>);

/// The names of the features that are known online.
#[cfg(test)]
pub(crate) const ONLINE: [&str; 19] = [
    "host",
    "mime",
    "extension",
    "folder",
    "word-1",
    "word-2",
    "word-3",
    "depth",
    "length",
    "digits",
    "number",
    "parameters",
    "tilde",
    "underline",
    "question-mark",
    "semicolon",
    "colon",
    "comma",
    "percent",
];

/// The names of the features that are known offline besides.
#[cfg(test)]
pub(crate) const OFFLINE: [&str; 6] =
    ["days-since-change", "size", "images", "tables", "outlinks", "inlinks"];

/// What is known of a page besides its URL.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PageFacts<'a> {
    pub mime: Option<&'a str>,
    /// Days since it last changed, by its server or its history.
    pub days_since_change: Option<f64>,
    /// Bytes of its body.
    pub size: Option<f64>,
    pub images: Option<f64>,
    pub tables: Option<f64>,
    /// Links from it to pages.
    pub outlinks: Option<f64>,
    /// Links from pages to it.
    pub inlinks: Option<f64>,
}

impl Features {
    /// What is known before the page is fetched.
    pub fn online(url: &str, mime: Option<&str>) -> Self {
        let url = url.trim();
        let (host, rest) = match url.split_once("://") {
            Some((_, rest)) => rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len())),
            None => ("", url),
        };
        let rest = rest.split('#').next().unwrap_or(rest);
        let (path, query) = rest.split_once('?').map_or((rest, None), |(path, query)| (path, Some(query)));
        let bare = path.trim_start_matches('/');
        let file = path.rsplit('/').next().unwrap_or(path);
        let extension = file.rsplit_once('.').map(|(_, extension)| extension);
        let lower = |text: Option<&str>| Value::name(text.map(str::to_ascii_lowercase).as_deref());
        let mut words = path.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
        let mut numbers = path.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
        let mime = mime.map(|mime| mime.split(';').next().unwrap_or(mime).trim());
        let mut values = vec![
            lower(Some(host)),
            lower(mime),
            lower(extension.filter(|extension| extension.len() <= 5)),
            Value::name(bare.split_once('/').map(|(folder, _)| folder)),
            lower(words.next()),
            lower(words.next()),
            lower(words.next()),
            Value::Number(path.matches('/').count() as f64),
            Value::Number(url.len() as f64),
            Value::Number(rest.bytes().filter(u8::is_ascii_digit).count() as f64),
            Value::number(numbers.next().and_then(|digits| digits.parse().ok())),
            Value::Number(query.map_or(0, |query| query.split('&').count()) as f64),
        ];
        values.extend(['~', '_', '?', ';', ':', ',', '%'].map(|mark| Value::flag(rest.contains(mark))));
        Features(values)
    }

    /// What is known once the page was fetched.
    pub fn offline(url: &str, facts: &PageFacts<'_>) -> Self {
        let mut features = Features::online(url, facts.mime);
        features.0.extend(
            [facts.days_since_change, facts.size, facts.images, facts.tables, facts.outlinks, facts.inlinks]
                .map(Value::number),
        );
        features
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feature(features: &Features, name: &str) -> Value {
        let place = ONLINE.iter().chain(&OFFLINE).position(|other| *other == name).unwrap();
        features.0[place].clone()
    }

    fn name(text: &str) -> Value {
        Value::Name(text.into())
    }

    #[test]
    fn the_features_of_the_paper_are_read_off_the_url() {
        let url = "http://WWW.a.example/News/2014/~joe/front_page-7.HTML?id=1&x=2;y#top";
        let features = Features::online(url, Some("Text/HTML; charset=utf-8"));
        assert_eq!(features.0.len(), ONLINE.len());
        for (feature_name, value) in [
            ("host", name("www.a.example")),
            ("mime", name("text/html")),
            ("extension", name("html")),
            ("folder", name("News")),
            ("word-1", name("news")),
            ("word-2", name("joe")),
            ("word-3", name("front")),
            ("depth", Value::Number(4.0)),
            ("length", Value::Number(url.len() as f64)),
            ("digits", Value::Number(7.0)),
            ("number", Value::Number(2014.0)),
            ("parameters", Value::Number(2.0)),
            ("tilde", name("yes")),
            ("underline", name("yes")),
            ("question-mark", name("yes")),
            ("semicolon", name("yes")),
            ("colon", name("no")),
            ("comma", name("no")),
            ("percent", name("no")),
        ] {
            assert_eq!(feature(&features, feature_name), value, "{feature_name}");
        }
    }

    #[test]
    fn paths_and_bare_names_have_features_too() {
        let pep = Features::online("pep-0301", None);
        assert_eq!(feature(&pep, "number"), Value::Number(301.0));
        assert_eq!(feature(&pep, "word-1"), name("pep"));
        assert_eq!(feature(&pep, "word-2"), Value::Missing);
        assert_eq!(feature(&pep, "host"), Value::Missing);
        assert_eq!(feature(&pep, "folder"), Value::Missing);
        assert_eq!(feature(&Features::online("/news/", None), "folder"), name("news"));
        for odd in ["", "://", "http://", "?", "#", "http://a?b", "\u{fffd}%%%"] {
            assert_eq!(Features::online(odd, None).0.len(), ONLINE.len());
        }
    }

    #[test]
    fn what_is_not_known_of_a_page_is_missing() {
        let facts = PageFacts { inlinks: Some(3.0), ..PageFacts::default() };
        let features = Features::offline("/a", &facts);
        assert_eq!(features.0.len(), ONLINE.len() + OFFLINE.len());
        assert_eq!(feature(&features, "inlinks"), Value::Number(3.0));
        assert_eq!(feature(&features, "size"), Value::Missing);
    }
}
