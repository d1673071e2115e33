//! Text for a terminal: fits its width, whatever the archive holds; colour only where it is wanted.

use std::io::{self, Write};

use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement, LineStyle, Table, TableStyle};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::escape;

/// What is shown for what is unknown.
pub(crate) const UNKNOWN: &str = "–";

/// One line, under the heading.
const LINES: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// Where a report is shown: how wide, and whether in colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Screen {
    /// Columns.
    pub width: usize,
    /// Whether colours and bold print may be used.
    pub colour: bool,
}

impl Default for Screen {
    fn default() -> Self {
        Screen { width: 80, colour: false }
    }
}

/// The meaning of a colour; no meaning is in the colour alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Plain,
    Heading,
    /// Proven and good.
    Good,
    /// Known to be less than good.
    Poor,
    /// Secondary text.
    Faint,
    /// The band of an answer.
    BandGood,
    BandMixed,
    BandPoor,
}

impl Screen {
    /// Text in a tone. It must not hold anything that acts on a terminal.
    pub(crate) fn toned(&self, tone: Tone, text: &str) -> String {
        let code = match tone {
            Tone::Plain => return text.to_owned(),
            _ if !self.colour => return text.to_owned(),
            Tone::Heading => "1",
            Tone::Good => "32",
            Tone::Poor | Tone::BandMixed => "33",
            Tone::Faint => "2",
            Tone::BandGood => "36",
            Tone::BandPoor => "31",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }

    /// A paragraph, wrapped: `mark` stands before its first line, blanks before the others.
    pub(crate) fn paragraph(&self, mark: &str, text: &str, tone: Tone) -> String {
        let indent = mark.width();
        let room = self.width.saturating_sub(indent).max(20);
        let mut lines = String::new();
        for (number, line) in wrap(&escape::terminal(text), room).iter().enumerate() {
            if number == 0 {
                lines.push_str(mark);
            } else {
                lines.push_str(&" ".repeat(indent));
            }
            lines.push_str(&self.toned(tone, line));
            lines.push('\n');
        }
        lines
    }

    /// How to see more: options, none of which is broken between lines.
    pub(crate) fn ways(&self, ways: &[String]) -> String {
        let mut lines = vec!["More:".to_owned()];
        for (place, way) in ways.iter().enumerate() {
            let mark = if place == 0 { " " } else { " · " };
            match lines.last_mut() {
                Some(line) if line.width() + mark.width() + way.width() <= self.width => {
                    line.push_str(mark);
                    line.push_str(way);
                }
                _ => lines.push(format!("      {way}")),
            }
        }
        lines.iter().map(|line| format!("{}\n", self.toned(Tone::Faint, line))).collect()
    }

    /// An empty table that fits.
    pub(crate) fn table(&self) -> Table {
        let mut table = Table::new();
        table
            .load_style(LINES)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(u16::try_from(self.width).unwrap_or(u16::MAX));
        if self.colour {
            table.enforce_styling()
        } else {
            table.force_no_tty()
        };
        table
    }

    /// A cell of archived or other text.
    pub(crate) fn cell(&self, text: &str, tone: Tone) -> Cell {
        let cell = Cell::new(escape::terminal(text));
        match tone {
            _ if !self.colour => cell,
            Tone::Plain => cell,
            Tone::Heading => cell.add_attribute(Attribute::Bold),
            Tone::Good => cell.fg(Color::DarkGreen),
            Tone::Poor | Tone::BandMixed => cell.fg(Color::DarkYellow),
            Tone::BandGood => cell.fg(Color::DarkCyan),
            Tone::BandPoor => cell.fg(Color::DarkRed),
            Tone::Faint => cell.add_attribute(Attribute::Dim),
        }
    }

    /// A cell with a number or another short text, to the right.
    pub(crate) fn number(&self, text: &str, tone: Tone) -> Cell {
        self.cell(text, tone).set_alignment(CellAlignment::Right)
    }
}

/// How many columns a text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// Archived text, escaped and cut in the middle to fit `room` columns: the ends of a URL say most.
pub(crate) fn shorten(text: &str, room: usize) -> String {
    let text = escape::terminal(text);
    if text.width() <= room {
        return text.into_owned();
    }
    let room = room.max(3) - 1;
    let take = |characters: &mut dyn Iterator<Item = char>, room: usize| {
        let mut taken: Vec<char> = Vec::new();
        let mut used = 0;
        for character in characters {
            used += character.width().unwrap_or(0);
            // A letter may carry any number of marks that take no room; some are enough.
            if used > room || taken.len() > 4 * room {
                break;
            }
            taken.push(character);
        }
        taken
    };
    let back = room / 2;
    let front: String = take(&mut text.chars(), room - back).into_iter().collect();
    let end: String = take(&mut text.chars().rev(), back).into_iter().rev().collect();
    format!("{front}…{end}")
}

/// Whether a word belongs to the number before it.
fn is_unit(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ',', ';', ':', ')']);
    matches!(word, "%" | "s" | "min" | "h" | "B" | "KB" | "MB" | "GB" | "TB")
}

/// Lines of at most `room` columns, broken at blanks, or inside a word that is longer.
pub(crate) fn wrap(text: &str, room: usize) -> Vec<String> {
    let room = room.max(1);
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        match words.last_mut() {
            // A number and its unit stay together.
            Some(last) if is_unit(word) && last.ends_with(|c: char| c.is_ascii_digit()) => {
                last.push(' ');
                last.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    for word in words {
        if !line.is_empty() && line.width() + 1 + word.width() > room {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        for character in word.chars() {
            if line.width() + character.width().unwrap_or(0) > room {
                lines.push(std::mem::take(&mut line));
            }
            line.push(character);
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// A paragraph of our own words behind a mark, at most 80 columns wide.
pub(crate) fn paragraph(out: &mut dyn Write, mark: &str, text: &str) -> io::Result<()> {
    marked(out, mark, &" ".repeat(mark.len()), text)
}

/// A text of an archive, or of a user, behind a visible mark: every line of it is marked, so that none can pass for
/// a line of the report.
pub(crate) fn quoted(out: &mut dyn Write, mark: &str, text: &str) -> io::Result<()> {
    marked(out, mark, &format!("{:>width$}", "| ", width = mark.len().max(2)), text)
}

fn marked(out: &mut dyn Write, mark: &str, more: &str, text: &str) -> io::Result<()> {
    let escaped = escape::terminal(text);
    let room = 80 - mark.len().max(more.len());
    // Columns of a table keep their blanks.
    let lines = if escaped.len() <= room && escaped.is_ascii() {
        vec![escaped.into_owned()]
    } else {
        wrap(&escaped, room)
    };
    for (place, line) in lines.iter().enumerate() {
        writeln!(out, "{}{line}", if place == 0 { mark } else { more })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn no_line_of_a_quoted_text_passes_for_a_line_of_the_report() {
        let mut out = Vec::new();
        quoted(&mut out, "  page ", &format!("http://a/{} Answer\nAnswer", "x".repeat(64))).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.lines().count() > 1, "{text}");
        assert!(text.lines().skip(1).all(|line| line.starts_with("     | ")), "{text}");
    }

    #[test]
    fn the_middle_of_a_long_url_goes() {
        assert_eq!(shorten("http://a.example/a/b", 30), "http://a.example/a/b");
        assert_eq!(shorten("http://a.example/abcdefghijk/end.html", 21), "http://a.e…k/end.html");
        assert_eq!(width(&shorten("http://例え.example/ページ/何か", 12)), 12);
    }

    #[test]
    fn a_paragraph_hangs_behind_its_mark() {
        let screen = Screen { width: 24, colour: false };
        assert_eq!(
            screen.paragraph("- ", "one two three four five six", Tone::Plain),
            "- one two three four\n  five six\n"
        );
    }

    #[test]
    fn no_option_is_broken_between_lines() {
        let ways = ["--details", "--site NAME", "--html report.html"].map(str::to_owned);
        let screen = Screen { width: 40, colour: false };
        assert_eq!(screen.ways(&ways), "More: --details · --site NAME\n      --html report.html\n");
        let screen = Screen { width: 80, colour: false };
        assert_eq!(screen.ways(&ways), "More: --details · --site NAME · --html report.html\n");
    }

    proptest! {
        #[test]
        fn nothing_is_wider_than_it_may_be(text in any::<String>(), room in 21usize..100) {
            prop_assert!(width(&shorten(&text, room)) <= room);
            let screen = Screen { width: room, colour: false };
            for line in screen.paragraph("  - ", &text, Tone::Plain).lines() {
                prop_assert!(width(line) <= room.max(24), "{line:?}");
            }
        }
    }
}
