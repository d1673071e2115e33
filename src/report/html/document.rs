//! The file around a report: one document without any reference to outside, whose style and script are the only ones a
//! browser will run, because their hashes are in its Content-Security-Policy.

use std::io::{self, Write};

use sha2::{Digest, Sha256};

use super::markup::Html;
use crate::at::custody::Custody;

/// The style sheet of every report.
pub const STYLE: &str = concat!(
    include_str!("assets/base.css"),
    include_str!("assets/parts.css"),
    include_str!("assets/answers.css"),
    include_str!("assets/charts.css"),
    include_str!("assets/diff.css"),
    include_str!("assets/media.css"),
);

/// The script. All its files share one scope, that nothing outside sees.
pub const SCRIPT: &str = concat!(
    "(() => {\n\"use strict\";\n",
    include_str!("assets/core.js"),
    include_str!("assets/data.js"),
    include_str!("assets/story.js"),
    include_str!("assets/rows.js"),
    include_str!("assets/pages.js"),
    include_str!("assets/timeline.js"),
    include_str!("assets/draw.js"),
    include_str!("assets/tables.js"),
    include_str!("assets/main.js"),
    "})();\n",
);

/// The policy for a style and a script: nothing else is loaded or run, and no text becomes markup by script.
pub fn policy() -> String {
    policy_with("")
}

/// The same with a second style.
pub fn policy_with(print: &str) -> String {
    let second = if print.is_empty() { String::new() } else { format!(" '{}'", hash(print)) };
    format!(
        "default-src 'none'; style-src '{}'{second}; script-src '{}'; img-src data:; base-uri 'none'; form-action 'none'; \
         require-trusted-types-for 'script'; trusted-types 'none'",
        hash(STYLE),
        hash(SCRIPT)
    )
}

/// The hash of an inline style or script, as policies write it.
fn hash(text: &str) -> String {
    format!("sha256-{}", base64(&Sha256::digest(text.as_bytes())))
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for part in bytes.chunks(3) {
        let number =
            part.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)) << (8 * (3 - part.len()));
        for place in 0..4 {
            let digit = DIGITS[(number >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= part.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[derive(Debug, Default)]
pub(crate) struct Document {
    /// The title of the window.
    pub title: String,
    /// What kind of report it is: a class of the body.
    pub kind: &'static str,
    /// The body: header, sections, footer.
    pub body: Html,
    /// The data blocks for the script.
    pub data: Html,
    /// A style for printed pages, made by [`every_page`]; may be empty.
    pub print: String,
}

/// The style that prints one text at the left and one at the right of every page's foot, with the number of the page. Texts may
/// come from users: every sign that is not a letter or a digit is written as its number.
pub(crate) fn every_page(left: &str, right: &str) -> String {
    let quoted = |text: &str| -> String {
        let sign = |sign: char| match sign {
            _ if sign.is_ascii_alphanumeric() => sign.to_string(),
            _ => format!("\\{:06x}", u32::from(sign)),
        };
        text.chars().map(sign).collect()
    };
    // A line takes less than 4 mm.
    let bottom = (9 + 4 * left.lines().count()).max(24);
    format!(
        "@media print {{ @page {{ margin: 16mm 14mm {bottom}mm; @bottom-left {{ content: \"{}\"; white-space: pre; \
         text-align: left; font: 7pt/1.5 monospace; }} @bottom-right {{ content: \"Page \" counter(page) \" of \" \
         counter(pages) \"\\00000a{}\"; white-space: pre; text-align: right; font: 7pt/1.5 monospace; }} }} }}",
        quoted(left),
        quoted(right)
    )
}

/// Case, exhibit and examiner for every printed page: in one line where they fit, else each in lines of its own. Nothing
/// is cut out of them but what exceeds three lines.
pub(crate) fn case_lines(custody: &Custody) -> String {
    let named = [("Case ", &custody.case), ("Exhibit ", &custody.exhibit), ("", &custody.examiner)];
    let plain = |value: &str| value.split_whitespace().collect::<Vec<_>>().join(" ");
    let named: Vec<String> = named
        .into_iter()
        .filter_map(|(name, value)| Some(format!("{name}{}", plain(value.as_ref()?))))
        .collect();
    let line = named.join("   ");
    if line.chars().count() <= LINE {
        return line;
    }
    named.iter().map(|value| broken(value)).collect::<Vec<_>>().join("\n")
}

/// A text in at most three lines, broken between words where it can be.
fn broken(text: &str) -> String {
    let mut lines: Vec<Vec<char>> = vec![Vec::new()];
    for word in text.split(' ') {
        let word: Vec<char> = word.chars().collect();
        for part in word.chunks(LINE) {
            match lines.last_mut() {
                Some(line) if line.is_empty() => line.extend(part),
                Some(line) if line.len() + 1 + part.len() <= LINE => {
                    line.push(' ');
                    line.extend(part);
                }
                _ => lines.push(part.to_vec()),
            }
        }
    }
    lines.iter().take(3).map(|line| line.iter().collect::<String>()).collect::<Vec<_>>().join("\n")
}

/// Signs in a line at the foot of a printed page.
const LINE: usize = 90;

impl Document {
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut head = Html::new();
        head.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        head.raw("<meta http-equiv=\"Content-Security-Policy\" content=\"")
            .value(&policy_with(&self.print))
            .raw("\">\n");
        head.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        head.raw("<meta name=\"color-scheme\" content=\"light dark\">\n");
        head.raw("<meta name=\"referrer\" content=\"no-referrer\">\n");
        head.raw("<meta name=\"generator\" content=\"Acuity ").value(env!("CARGO_PKG_VERSION")).raw("\">\n");
        head.raw("<title>").text(&self.title).raw("</title>\n<link rel=\"icon\" href=\"data:,\">\n");
        head.raw("<style>").asset(STYLE).raw("</style>\n");
        if !self.print.is_empty() {
            head.raw("<style>");
            out.write_all(head.as_str().as_bytes())?;
            // Made of letters, digits and numbers of signs: nothing in it can end the element.
            out.write_all(self.print.as_bytes())?;
            head = Html::new();
            head.raw("</style>\n");
        }
        head.raw("</head>\n<body class=\"").raw(self.kind).raw("\">\n");
        out.write_all(head.as_str().as_bytes())?;
        out.write_all(self.body.as_str().as_bytes())?;
        out.write_all(self.data.as_str().as_bytes())?;
        let mut foot = Html::new();
        foot.raw("<script>").asset(SCRIPT).raw("</script>\n</body>\n</html>\n");
        out.write_all(foot.as_str().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_written_as_policies_want_them() {
        assert_eq!(base64(b""), "");
        assert_eq!(base64(b"f"), "Zg==");
        assert_eq!(base64(b"fo"), "Zm8=");
        assert_eq!(base64(b"foobar"), "Zm9vYmFy");
        assert_eq!(hash("alert('Hello, world.');"), "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=");
    }

    #[test]
    fn no_text_of_a_user_can_leave_the_foot_of_printed_pages() {
        let style = every_page("Case \"; } </style><script>\n24-cv", "x");
        assert_eq!(style.matches('"').count(), 8);
        assert!(!style.contains("</") && !style.contains('\n') && style.contains("24\\00002dcv"));
    }

    #[test]
    fn our_own_assets_do_not_end_their_element() {
        assert!(!STYLE.contains("</") && !SCRIPT.to_lowercase().contains("</script"));
        assert!(!SCRIPT.contains("innerHTML") && !SCRIPT.contains("eval("));
    }
}
