//! Whether the `style` attribute of an element may hide its content from readers.
//!
//! Presence of a phrase is a proof, so anything that may hide counts as hiding: what cannot be read (escapes, variables,
//! calculations), what makes text invisible (`display`, `visibility`, `opacity`, colours, filters, masks, clips), what
//! makes it tiny, and what moves it away. Style sheets are not applied.

/// A style as its declarations: names and values in lower case, comments and white space around values removed.
fn declarations(style: &[u8]) -> Vec<(String, String)> {
    let (mut plain, mut rest) = (Vec::with_capacity(style.len()), style);
    while let Some(start) = memchr::memmem::find(rest, b"/*") {
        plain.extend_from_slice(&rest[..start]);
        rest = &rest[start + 2..];
        rest = memchr::memmem::find(rest, b"*/").map_or(&[][..], |end| &rest[end + 2..]);
    }
    plain.extend_from_slice(rest);
    plain.make_ascii_lowercase();
    let text = String::from_utf8_lossy(&plain).into_owned();
    let split = text.split(';').filter_map(|declaration| declaration.split_once(':'));
    split
        .map(|(name, value)| {
            let value = value.trim().trim_end_matches("!important").trim_end();
            let words: Vec<&str> = value.split_whitespace().collect();
            (name.trim().to_owned(), words.join(" "))
        })
        .collect()
}

/// Lengths beyond these move text away, in the units of [`length`].
const FAR: f64 = 400.0;
/// Negative lengths beyond this may move text away.
const BACK: f64 = -24.0;
/// Boxes smaller than this hold no text that can be read.
const TINY: f64 = 5.0;

/// A length in pixels, roughly; percentages as pixels times ten. `None` where it cannot be read.
fn length(word: &str) -> Option<f64> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%');
    let number: f64 = digits.parse().ok()?;
    let unit = &word[digits.len()..];
    let pixels = match unit {
        "" | "px" => 1.0,
        "pt" => 1.33,
        "em" | "rem" | "ch" | "ex" | "lh" | "rlh" => 16.0,
        "%" | "vw" | "vh" | "vmin" | "vmax" => 10.0,
        "cm" => 37.8,
        "mm" => 3.78,
        "in" => 96.0,
        "pc" => 16.0,
        _ => return None,
    };
    Some(number * pixels)
}

const HARMLESS: [&str; 7] = ["auto", "inherit", "initial", "unset", "revert", "normal", "none"];

/// Whether any word of a value is a length for which `test` holds, or cannot be read.
fn any_length(value: &str, test: impl Fn(f64) -> bool) -> bool {
    value.split(' ').any(|word| !HARMLESS.contains(&word) && length(word).is_none_or(&test))
}

/// A number or percentage from 0 to 1.
fn share(value: &str) -> Option<f64> {
    match value.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().ok().map(|percent| percent / 100.0),
        None => value.parse().ok(),
    }
}

/// Whether a colour may be transparent.
fn is_clear(colour: &str) -> bool {
    let digits =
        colour.strip_prefix('#').filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    match digits {
        Some(digits) => matches!(digits.len(), 4 | 8),
        // With an alpha channel, or by a function that is not read here.
        None => {
            colour == "transparent"
                || colour.contains('/')
                || colour.contains("rgba")
                || colour.contains("hsla")
        }
    }
}

/// Whether a style may hide the content of its element.
pub(crate) fn may_hide(style: &[u8]) -> bool {
    if style.is_empty() {
        return false;
    }
    // Escapes can write any name.
    if style.contains(&b'\\') {
        return true;
    }
    let declared = declarations(style);
    let value =
        |name: &str| declared.iter().rev().find(|(found, _)| found == name).map(|(_, value)| value.as_str());
    let background = value("background-color").or_else(|| value("background"));
    if value("color").is_some_and(|colour| background == Some(colour)) {
        return true;
    }
    declared.iter().any(|(name, value)| {
        let value = value.as_str();
        if value.contains("var(") || value.contains("env(") || value.contains("attr(") {
            // A custom property may hold anything; only harmless where the property cannot hide.
            return !matches!(
                name.as_str(),
                "font-family" | "border" | "background" | "background-color" | "padding"
            );
        }
        match name.as_str() {
            "display" => value.contains("none"),
            "visibility" => value != "visible" && !HARMLESS.contains(&value),
            "content-visibility" => value != "visible",
            "opacity" | "fill-opacity" | "-moz-opacity" => share(value).is_none_or(|share| share < 0.5),
            "filter"
            | "-webkit-filter"
            | "mask"
            | "-webkit-mask"
            | "mask-image"
            | "-webkit-mask-image"
            | "clip"
            | "clip-path"
            | "-webkit-clip-path"
            | "transform"
            | "-webkit-transform"
            | "-ms-transform"
            | "translate"
            | "scale"
            | "rotate"
            | "offset"
            | "offset-path"
            | "mix-blend-mode"
            | "-webkit-text-security"
            | "animation"
            | "animation-name" => value != "none" && !HARMLESS.contains(&value),
            "zoom" => share(value).is_none_or(|share| share < 0.5),
            "color" | "-webkit-text-fill-color" => is_clear(value),
            "font-size" => {
                let word = !value.contains(|c: char| c.is_ascii_digit());
                !word && length(value).is_none_or(|size| size < TINY)
            }
            "font" => value.split(' ').any(|word| {
                let size = word.split('/').next().unwrap_or(word);
                size.starts_with(|c: char| c.is_ascii_digit() || c == '.')
                    && size.ends_with(|c: char| c.is_ascii_alphabetic() || c == '%' || c == '0')
                    && length(size).is_some_and(|size| size < TINY)
            }),
            "line-height" => {
                share(value).map_or_else(|| any_length(value, |size| size < TINY), |share| share < 0.3)
            }
            "width" | "height" | "max-width" | "max-height" | "block-size" | "inline-size"
            | "max-block-size" | "max-inline-size" => {
                // A percentage of a table cell is common, and no pixel count.
                !value.ends_with('%') && any_length(value, |size| size < TINY) || value == "0%"
            }
            "text-indent"
            | "letter-spacing"
            | "word-spacing"
            | "left"
            | "right"
            | "top"
            | "bottom"
            | "inset"
            | "inset-inline"
            | "inset-block"
            | "inset-inline-start"
            | "inset-inline-end"
            | "inset-block-start"
            | "inset-block-end"
            | "margin"
            | "margin-left"
            | "margin-right"
            | "margin-top"
            | "margin-bottom"
            | "margin-inline"
            | "margin-block"
            | "margin-inline-start"
            | "margin-inline-end"
            | "margin-block-start"
            | "margin-block-end" => any_length(value, |size| size < BACK || size > far(name)),
            "padding" | "padding-left" | "padding-top" => any_length(value, |size| size > 2.0 * FAR),
            "z-index" => value.starts_with('-'),
            // It is shown, but struck out.
            "text-decoration"
            | "text-decoration-line"
            | "-webkit-text-decoration"
            | "-webkit-text-decoration-line" => value.contains("line-through"),
            // It is shown, but backwards.
            "unicode-bidi" => value.contains("override"),
            "flex-direction" | "flex-flow" => value.contains("reverse"),
            "position" => value.contains("running"),
            _ => false,
        }
    })
}

/// Whether a style may show its element elsewhere than the markup has it: before or behind what stands beside it.
pub(crate) fn may_move(style: &[u8]) -> bool {
    declarations(style).iter().any(|(name, value)| match name.as_str() {
        "order" | "-webkit-order" | "-ms-flex-order" => value != "0",
        "float" => matches!(value.as_str(), "left" | "right" | "inline-start" | "inline-end"),
        "position" => matches!(value.as_str(), "absolute" | "fixed"),
        name => name.starts_with("grid-") && !name.starts_with("grid-template"),
    })
}

/// The last value of a property, in lower case.
pub(super) fn property(style: &[u8], names: &[&str]) -> Option<String> {
    let declared = declarations(style).into_iter().rev();
    declared.filter(|(found, _)| names.contains(&found.as_str())).map(|(_, value)| value).next()
}

/// Percentages up to the whole width or height are common.
fn far(name: &str) -> f64 {
    if matches!(name, "left" | "right" | "top" | "bottom" | "inset") { 900.0 } else { FAR }
}

#[cfg(test)]
mod tests {
    use super::may_hide;

    #[test]
    fn whatever_may_hide_counts_as_hiding() {
        for style in [
            "display:none",
            "Display : NONE !important",
            "display:/* x */none",
            "dis\\70lay:none",
            "visibility:hidden",
            "visibility: collapse",
            "opacity:0",
            "opacity: .0",
            "opacity:0%",
            "opacity:0.04",
            "position:absolute;left:-9999px",
            "position:fixed; top: -100em",
            "left:9999px",
            "left:calc(0px - 9999px)",
            "margin-left:-2000px",
            "text-indent:-9999px",
            "text-indent:100%",
            "font-size:0",
            "font-size:0px",
            "font:0/0 a",
            "color:transparent",
            "color:rgba(0,0,0,0)",
            "color:#fff0",
            "color:#fff;background:#fff",
            "clip:rect(0 0 0 0)",
            "clip-path:inset(50%)",
            "transform:scale(0)",
            "height:0;overflow:hidden",
            "max-height:1px",
            "content-visibility:hidden",
            "filter:opacity(0)",
            "z-index:-1",
            "opacity:var(--x)",
            "line-height:0",
            "text-decoration: line-through red",
            "Text-Decoration-Line: underline LINE-THROUGH",
            "inset:-99em auto auto -99em",
            "unicode-bidi:bidi-override;direction:rtl",
            "display:flex;flex-direction:row-reverse",
        ] {
            assert!(may_hide(style.as_bytes()), "{style}");
        }
    }

    #[test]
    fn common_styles_hide_nothing() {
        for style in [
            "",
            "color: red",
            "color:#333;background:#fff",
            "width:1%",
            "width:100%",
            "max-width: 1000px",
            "height:auto",
            "margin:0 auto",
            "margin: -5px 0 0 10px",
            "padding:10px 20px",
            "font-size:12px",
            "font-size:small",
            "font:12px/1.5 Arial",
            "font: bold 80% sans-serif",
            "line-height:1.5",
            "display:block",
            "opacity:1",
            "position:relative; left: 10px; top:50%",
            "text-align:center",
            "background:var(--x)",
            "letter-spacing:1px",
            "visibility:visible",
            "transform:none",
        ] {
            assert!(!may_hide(style.as_bytes()), "{style}");
        }
    }
}
