//! Colours of text and of its background, as `style` and the old attributes (`bgcolor`, `text`, `color`) give them.
//!
//! Only what is surely alike hides text: colours that cannot be read are taken for another. Without any background a page is
//! white.

use scraper::node::Element;

use super::hiding_style::property;

/// Red, green and blue.
type Colour = [u8; 3];

const WHITE: Colour = [255; 3];

/// The colours at a place in a page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Colours {
    /// `None`: not told, or not readable.
    text: Option<Colour>,
    behind: Option<Colour>,
}

impl Default for Colours {
    fn default() -> Self {
        Colours { text: None, behind: Some(WHITE) }
    }
}

impl Colours {
    pub(super) fn inside(self, element: &Element) -> Self {
        let style = element.attr("style").unwrap_or_default().as_bytes();
        let text = property(style, &["color", "-webkit-text-fill-color"]);
        let text = text.as_deref().or_else(|| match element.name() {
            "font" | "basefont" => element.attr("color"),
            "body" => element.attr("text"),
            _ => None,
        });
        let behind = property(style, &["background-color", "background"]);
        let behind = behind.as_deref().or_else(|| element.attr("bgcolor"));
        let is_image =
            property(style, &["background-image"]).is_some() || element.attr("background").is_some();
        // A class or an id may give a colour that is not read here.
        let is_styled = element.attr("class").is_some() || element.attr("id").is_some();
        Colours {
            text: match text {
                Some("inherit" | "currentcolor") | None => self.text,
                Some(text) => read(text),
            },
            behind: match behind {
                Some("transparent" | "none" | "inherit" | "initial" | "unset") => self.behind,
                Some(behind) => read(behind),
                None if is_image || is_styled => None,
                None => self.behind,
            },
        }
    }
}

/// Whether text is visible against its background, as far as is known.
pub(super) fn is_seen(colours: Colours) -> bool {
    colours.text.zip(colours.behind).is_none_or(|(text, behind)| contrast(text, behind) >= MIN_CONTRAST)
}

/// Text of less contrast (as WCAG defines it, from 1 to 21) counts as hidden.
const MIN_CONTRAST: f64 = 1.35;

fn contrast(one: Colour, other: Colour) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

fn luminance(colour: Colour) -> f64 {
    let linear = colour.map(|channel| {
        let share = f64::from(channel) / 255.0;
        if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
}

/// Reads a colour; of a `background` its first word that is one.
fn read(value: &str) -> Option<Colour> {
    let value = value.trim().to_ascii_lowercase();
    if value.starts_with("rgb") {
        let inside = value.split_once('(')?.1.split(')').next()?;
        let mut channels = inside.split([',', ' ', '/']).filter(|part| !part.is_empty());
        let mut channel = || match channels.next()? {
            part if part.ends_with('%') => {
                part.trim_end_matches('%').parse::<f64>().ok().map(|share| (share * 2.55).round() as u8)
            }
            part => part.parse::<f64>().ok().map(|number| number as u8),
        };
        return Some([channel()?, channel()?, channel()?]);
    }
    if value.contains("url(") || value.contains("gradient") {
        return None;
    }
    value.split_whitespace().find_map(word)
}

fn word(word: &str) -> Option<Colour> {
    let named: [(&str, Colour); 18] = [
        ("white", WHITE),
        ("black", [0; 3]),
        ("red", [255, 0, 0]),
        ("green", [0, 128, 0]),
        ("blue", [0, 0, 255]),
        ("yellow", [255, 255, 0]),
        ("gray", [128; 3]),
        ("grey", [128; 3]),
        ("silver", [192; 3]),
        ("navy", [0, 0, 128]),
        ("maroon", [128, 0, 0]),
        ("snow", [255, 250, 250]),
        ("ivory", [255, 255, 240]),
        ("whitesmoke", [245; 3]),
        ("ghostwhite", [248, 248, 255]),
        ("floralwhite", [255, 250, 240]),
        ("mintcream", [245, 255, 250]),
        ("azure", [240, 255, 255]),
    ];
    if let Some((_, colour)) = named.iter().find(|(name, _)| *name == word) {
        return Some(*colour);
    }
    // Old attributes come without the sign.
    let digits = word.strip_prefix('#').unwrap_or(word).as_bytes();
    let digit = |at: usize| char::from(*digits.get(at)?).to_digit(16).map(|digit| digit as u8);
    match digits.len() {
        3 => Some([digit(0)? * 17, digit(1)? * 17, digit(2)? * 17]),
        6 => Some([digit(0)? * 16 + digit(1)?, digit(2)? * 16 + digit(3)?, digit(4)? * 16 + digit(5)?]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_as_they_are_written() {
        for (value, colour) in [
            ("#fff", Some(WHITE)),
            ("FFFFFF", Some(WHITE)),
            (" White ", Some(WHITE)),
            ("rgb(255, 255, 255)", Some(WHITE)),
            ("rgb(100% 100% 100%)", Some(WHITE)),
            ("#fff url(x.png)", None),
            ("no-repeat #000", Some([0; 3])),
            ("linear-gradient(#fff, #000)", None),
            ("hsl(0 0% 100%)", None),
        ] {
            assert_eq!(read(value), colour, "{value}");
        }
        assert!(contrast(WHITE, [254, 254, 254]) < MIN_CONTRAST);
        assert!(contrast(WHITE, [119; 3]) > MIN_CONTRAST);
    }
}
