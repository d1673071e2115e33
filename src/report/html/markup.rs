//! Writing HTML so that nothing from an archive can be markup: what is not known at compile time only enters escaped.

use crate::report::escape::{data_block_into, html_into, html_value_into};
use crate::report::missing::one_line;
use crate::time::Instant;
use crate::url::{SiteBy, host};

/// Longer texts are cut, with a word on how much is missing; the JSON has them whole.
const MAX_TEXT_CHARS: usize = 2_000;

/// HTML that is being written.
#[derive(Debug, Default)]
pub(crate) struct Html {
    text: String,
}

impl Html {
    /// Nothing yet.
    pub(crate) fn new() -> Self {
        Html::default()
    }

    /// Appends markup. Only a literal can be markup.
    pub(crate) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.text.push_str(markup);
        self
    }

    /// Appends text.
    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        let (shown, more) = cut(text, MAX_TEXT_CHARS);
        html_into(shown, &mut self.text);
        if more > 0 {
            self.raw("<span class=\"esc\">… ").int(more as u64).raw(" more characters</span>");
        }
        self
    }

    /// Appends a sentence of ours; dates in it are kept on one line.
    pub(crate) fn prose(&mut self, text: &str) -> &mut Self {
        let is_date =
            |word: &str| word.starts_with(|first: char| first.is_ascii_digit()) && word.contains('-');
        for (number, word) in text.split(' ').enumerate() {
            self.raw(if number == 0 { "" } else { " " });
            match is_date(word) {
                true => self.raw("<span class=\"nb\">").text(word).raw("</span>"),
                false => self.text(word),
            };
        }
        self
    }

    /// Appends text as the value of an attribute, between the quotes that the markup around it has.
    pub(crate) fn value(&mut self, text: &str) -> &mut Self {
        html_value_into(cut(text, MAX_TEXT_CHARS).0, &mut self.text);
        self
    }

    /// Appends text that comes from an archive: in its own direction, so that it cannot turn what stands around it.
    pub(crate) fn foreign(&mut self, text: &str) -> &mut Self {
        self.raw("<bdi>").text(text).raw("</bdi>")
    }

    /// Appends a URL as it is shown for a site: without what the heading says already, and a host of another script with its
    /// ASCII form beside it.
    pub(crate) fn url(&mut self, url: &str, shown: &str) -> &mut Self {
        self.raw("<bdi class=\"url\" dir=\"ltr\">");
        let (kept, more) = cut(shown, MAX_TEXT_CHARS);
        let mut rest = kept;
        while let Some(start) = rest.find(runs_leftward) {
            let end = rest[start..]
                .find(|letter| !runs_leftward(letter))
                .map_or(rest.len(), |length| start + length);
            self.text(&rest[..start]).foreign(&rest[start..end]);
            rest = &rest[end..];
        }
        self.text(rest);
        if more > 0 {
            self.raw("<span class=\"esc\">… ").int(more as u64).raw(" more characters</span>");
        }
        self.raw("</bdi>");
        if let Some(ascii) = ascii_host(url) {
            self.raw(" <span class=\"puny\" title=\"the host as browsers look it up\">")
                .text(&ascii)
                .raw("</span>");
        }
        self
    }

    /// Appends a link to where a capture can be replayed, if that is known.
    pub(crate) fn replay(&mut self, pattern: Option<&str>, url: &str, time: Instant) -> &mut Self {
        let is_web = |text: &str| text.starts_with("http://") || text.starts_with("https://");
        let Some(pattern) = pattern.filter(|pattern| is_web(pattern) && url.len() <= MAX_TEXT_CHARS) else {
            return self;
        };
        // The timestamp first: a URL may hold the word.
        let address = pattern.replace("{timestamp}", &time.digits14()).replace("{url}", &one_line(url));
        self.raw(" <a class=\"replay\" rel=\"noreferrer noopener\" target=\"_blank\" href=\"");
        html_value_into(&address, &mut self.text);
        self.raw("\">replay</a>")
    }

    /// Appends a whole number.
    pub(crate) fn int(&mut self, number: u64) -> &mut Self {
        self.text.push_str(&number.to_string());
        self
    }

    /// Appends a coordinate, to a hundredth.
    pub(crate) fn coordinate(&mut self, number: f64) -> &mut Self {
        let rounded = (100.0 * number).round() / 100.0;
        let finite = if rounded.is_finite() { rounded } else { 0.0 };
        self.text.push_str(&finite.to_string());
        self
    }

    /// Appends JSON, to stand in a data block.
    pub(crate) fn data(&mut self, json: &str) -> &mut Self {
        data_block_into(json, &mut self.text);
        self
    }

    /// Appends a style or a script of our own, whole: what its hash is made of.
    pub(crate) fn asset(&mut self, asset: &'static str) -> &mut Self {
        self.text.push_str(asset);
        self
    }

    /// Appends other HTML.
    pub(crate) fn push(&mut self, other: &Html) -> &mut Self {
        self.text.push_str(&other.text);
        self
    }

    /// How many bytes there are.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// The text.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }
}

/// The beginning of a text, and how many characters are left out.
fn cut(text: &str, room: usize) -> (&str, usize) {
    match text.char_indices().nth(room) {
        None => (text, 0),
        Some((end, _)) => (&text[..end], text[end..].chars().count()),
    }
}

/// Whether a letter runs from right to left. Left to themselves such letters would turn the parts of a URL around.
fn runs_leftward(letter: char) -> bool {
    matches!(letter, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}'
        | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

/// The ASCII form of a host that has other letters.
pub(crate) fn ascii_host(url: &str) -> Option<String> {
    let host = host(url)?;
    if host.is_ascii() { None } else { SiteBy::Host.site_of(url).filter(|ascii| ascii.is_ascii()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_that_looks_like_another_is_told() {
        let mut html = Html::new();
        html.url("http://аpple.example/x", "http://аpple.example/x");
        assert!(html.as_str().contains("xn--"), "{}", html.as_str());
        let mut html = Html::new();
        html.url("http://apple.example/é", "/é");
        assert!(!html.as_str().contains("puny"));
    }

    #[test]
    fn a_replay_link_cannot_leave_its_attribute() {
        let at = Instant::parse("2024-03-04T09:08:13Z").unwrap();
        let mut html = Html::new();
        html.replay(Some("http://p.example/{timestamp}/{url}"), "http://a.example/\"><b>{timestamp}", at);
        let text = html.as_str();
        assert!(text.contains("http://p.example/20240304090813/http://a.example/"), "{text}");
        assert!(!text.contains("\"><b>") && text.contains("{timestamp}"), "{text}");
        let mut html = Html::new();
        html.replay(Some("javascript:{url}"), "http://a.example/", at).replay(None, "x", at);
        assert_eq!(html.as_str(), "");
    }

    #[test]
    fn letters_from_right_to_left_stay_in_their_part_of_a_url() {
        let mut html = Html::new();
        html.url("http://a.example/", "/אב/1/ג");
        assert_eq!(html.as_str(), "<bdi class=\"url\" dir=\"ltr\">/<bdi>אב</bdi>/1/<bdi>ג</bdi></bdi>");
    }

    #[test]
    fn long_texts_are_cut_and_say_so() {
        let mut html = Html::new();
        html.text(&"é".repeat(MAX_TEXT_CHARS + 7));
        assert!(html.as_str().ends_with("… 7 more characters</span>"));
    }
}
