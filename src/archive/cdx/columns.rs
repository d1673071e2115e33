//! CDX: the columns of a header line, and a line taken apart by them.

use super::{IndexLine, known, without_brackets};

/// Maximum number of columns: the legend of the format has 46 letters.
const MAX_COLUMNS: usize = 64;

/// The columns of a CDX file, by the letters of its legend, and the character between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Columns {
    delimiter: u8,
    letters: Vec<u8>,
    /// The column of the original URL, if there is only one: a URL with spaces can then be joined again.
    only_url: Option<usize>,
}

impl Columns {
    /// Reads a header line: `CDX`, with the delimiter before or after it, then one letter per column.
    pub(crate) fn of_header(line: &[u8]) -> Option<Self> {
        let line = line.trim_ascii_end();
        let (delimiter, rest) = match line {
            [b'C', b'D', b'X', delimiter, rest @ ..] => (*delimiter, rest),
            [first, b'C', b'D', b'X', delimiter, rest @ ..] if first == delimiter => (*delimiter, rest),
            _ => return None,
        };
        if delimiter.is_ascii_alphanumeric() {
            return None;
        }
        let letters: Vec<u8> = rest
            .split(|byte| *byte == delimiter)
            .filter(|column| !column.is_empty())
            .map(|column| match column {
                [letter] if letter.is_ascii_graphic() => Some(*letter),
                _ => None,
            })
            .collect::<Option<_>>()?;
        let has_url = letters.contains(&b'a') || letters.contains(&b'A');
        (has_url && letters.len() <= MAX_COLUMNS).then(|| Self::new(delimiter, letters))
    }

    /// The columns of a line without a header, by their number: the 11, 10 and 9 that indexers write, and the 7 of a CDX
    /// server's response.
    pub(crate) fn of_line(line: &[u8]) -> Option<Self> {
        let fields: Vec<&[u8]> = line.split(|byte| *byte == b' ').take(12).collect();
        let letters: &[u8] = match fields.len() {
            7 => b"NbamskS",
            9 => b"NbamskrVg",
            10 => b"NbamskrMVg",
            11 => b"NbamskrMSVg",
            _ => return None,
        };
        let is_date = fields[1].len() == 14 && fields[1].iter().all(u8::is_ascii_digit);
        is_date.then(|| Self::new(b' ', letters.to_vec()))
    }

    fn new(delimiter: u8, letters: Vec<u8>) -> Self {
        let mut urls =
            letters.iter().enumerate().filter(|(_, letter)| **letter == b'a').map(|(place, _)| place);
        let only_url = urls.next().filter(|_| urls.next().is_none());
        Columns { delimiter, letters, only_url }
    }

    /// Takes a line apart; the reason where that cannot be done.
    pub(super) fn parse<'a>(&self, line: &'a [u8]) -> Result<IndexLine<'a>, &'static str> {
        let mut ends = [0; MAX_COLUMNS];
        let mut count = 0;
        for end in memchr::memchr_iter(self.delimiter, line).chain([line.len()]) {
            if count < MAX_COLUMNS {
                ends[count] = end;
            }
            count += 1;
        }
        let columns = self.letters.len();
        if count < columns {
            return Err("it has fewer fields than the header has columns");
        }
        let extra = count - columns;
        if extra > 0 && (self.only_url.is_none() || count > MAX_COLUMNS) {
            return Err("it has more fields than the header has columns");
        }
        let url_place = self.only_url.unwrap_or(columns);
        let mut parsed = IndexLine::default();
        let mut start = 0;
        for (place, letter) in self.letters.iter().enumerate() {
            let end = ends[if place >= url_place { place + extra } else { place }];
            self.set(&mut parsed, *letter, &line[start..end]);
            start = (end + 1).min(line.len());
        }
        if extra > 0 && (parsed.doubtful.is_some() || parsed.time.is_none()) {
            return Err("it has more fields than the header has columns");
        }
        match parsed.fault() {
            Some(fault) => Err(fault),
            None => Ok(parsed),
        }
    }

    fn set<'a>(&self, line: &mut IndexLine<'a>, letter: u8, field: &'a [u8]) {
        let text = || String::from_utf8_lossy(field);
        match letter {
            b'a' => line.set_url(text()),
            // Use the canonical URL if the original is missing. `N` is a key, not a URL.
            b'A' if !self.letters.contains(&b'a') => line.set_url(text()),
            b'b' => line.set_time(field),
            b's' => line.set_status(field),
            b'm' => line.set_mime(text()),
            b'k' => line.set_digest(field),
            b'S' => line.set_length(field),
            b'V' => line.set_offset(field),
            b'v' if !self.letters.contains(&b'V') => line.set_offset(field),
            b'g' => line.file = known(text()),
            b'r' => line.redirect = known(text()),
            // Not in the legend: wget's column for the record id.
            b'u' => line.record_id = known(text()).map(without_brackets),
            _ => {}
        }
    }

    /// Whether the columns are divided by blanks, so that a JSON object cannot be one.
    pub(super) fn is_blank_delimited(&self) -> bool {
        self.delimiter == b' '
    }
}
