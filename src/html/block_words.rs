//! The words of a block, as Unicode splits them, and which of them are noise: dates, clocks, counters.
//!
//! Scripts without spaces are split too: each ideograph and each kana is a word. Punctuation is left out; signs of
//! currencies and of arithmetic are words.
//!
//! Source: Unicode Standard Annex 29, word boundaries.

use unicode_segmentation::UnicodeSegmentation;

/// One word of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word<'a> {
    pub text: &'a str,
    /// Part of a date, a time of day or a counter.
    pub is_noise: bool,
}

/// Maximum bytes of a text that are searched for dates; a longer one is data.
const MAX_SEARCHED: usize = 1 << 20;

pub(crate) fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let noise = if text.len() <= MAX_SEARCHED { noise(text) } else { Vec::new() };
    let mut next = 0;
    let counts = move |(at, word): &(usize, &str)| is_word(word) || is_minus(text, *at);
    text.split_word_bound_indices().filter(counts).map(move |(at, text)| {
        while noise.get(next).is_some_and(|span: &(usize, usize)| span.1 <= at) {
            next += 1;
        }
        Word { text, is_noise: noise.get(next).is_some_and(|span| span.0 <= at) }
    })
}

fn is_word(piece: &str) -> bool {
    piece.chars().any(|c| c.is_alphanumeric() || "$%+=<>".contains(c) || is_symbol(c))
}

/// Whether a character that is neither letter nor digit says something: `≤`, `✔`, `★`. Punctuation, marks of rights and bullets do not.
fn is_symbol(c: char) -> bool {
    let is_punctuation = matches!(c, '\u{a0}'..='\u{a1}' | '\u{a6}'..='\u{a9}' | '\u{ab}'..='\u{af}' | '\u{b2}'..='\u{bf}')
        || matches!(c, '\u{2000}'..='\u{206f}' | '\u{2122}' | '\u{25a0}'..='\u{25ff}' | '\u{3000}'..='\u{303f}' | '\u{fe00}'..='\u{fe6f}')
        || matches!(c, '\u{ff00}'..='\u{ff65}' | '\u{e000}'..='\u{f8ff}');
    !c.is_ascii() && !c.is_alphanumeric() && !c.is_whitespace() && !c.is_control() && !is_punctuation
}

/// Whether the minus of a number stands here.
fn is_minus(text: &str, at: usize) -> bool {
    let (before, rest) = text.split_at(at);
    let is_number = rest.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    is_number && before.chars().next_back().is_none_or(|c| c.is_whitespace() || c == '(')
}

/// The spans of dates, times and counters, in order.
fn noise(text: &str) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
    if !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return spans;
    }
    let mut before = None;
    let mut end = 0;
    for (at, c) in text.char_indices() {
        let starts = at >= end && c.is_alphanumeric() && !before.is_some_and(char::is_alphanumeric);
        if !starts {
            before = Some(c);
            continue;
        }
        let rest = Cursor(&text[at..]);
        let above = &text[..at];
        let found = rest.noise().or_else(|| rest.lone_counter(above)).or_else(|| rest.copyright_year(above));
        if let Some(length) = found {
            end = at + length;
            spans.push((at, end));
        }
        before = Some(c);
    }
    spans
}

/// What is left to read of a text.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a>(pub(super) &'a str);

const MONTHS: [&str; 94] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "jan",
    "feb",
    "mar",
    "apr",
    "jun",
    "jul",
    "aug",
    "sep",
    "sept",
    "oct",
    "nov",
    "dec",
    "januar",
    "februar",
    "märz",
    "mai",
    "juni",
    "juli",
    "oktober",
    "dezember",
    "janvier",
    "février",
    "mars",
    "avril",
    "juin",
    "juillet",
    "août",
    "septembre",
    "octobre",
    "novembre",
    "décembre",
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
    "janeiro",
    "fevereiro",
    "março",
    "maio",
    "junho",
    "julho",
    "setembro",
    "outubro",
    "novembro",
    "dezembro",
    "gennaio",
    "febbraio",
    "aprile",
    "maggio",
    "giugno",
    "luglio",
    "settembre",
    "ottobre",
    "dicembre",
    "januari",
    "februari",
    "maart",
    "mei",
    "augustus",
    "января",
    "февраля",
    "марта",
    "апреля",
    "мая",
    "июня",
    "июля",
    "августа",
    "сентября",
    "октября",
    "ноября",
    "декабря",
    "dez",
    "okt",
    "mrt",
];

/// Signs of currencies.
pub(super) const MONEY: &str = "€$£¥₹₽₩¢₺₴₪";

/// Words for currencies.
#[rustfmt::skip]
pub(super) const CURRENCIES: [&str; 34] = [
    "eur", "euro", "euros", "usd", "dollar", "dollars", "gbp", "pound", "pounds", "chf", "franken", "francs", "jpy", "yen", "cny", "rmb",
    "kr", "sek", "nok", "dkk", "kč", "zł", "pln", "руб", "рублей", "рубля", "р", "円", "元", "万円", "brl", "inr", "reais", "ct",
];

/// Whether a text names a price: a number beside a currency.
pub(crate) fn has_price(text: &str) -> bool {
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let is_money =
        |word: &str| word.chars().all(|c| MONEY.contains(c)) || CURRENCIES.contains(&&*word.to_lowercase());
    let mut before = ("", false);
    text.split_word_bounds().filter(|word| is_word(word)).any(|word| {
        let found = (is_number(word) && before.1) || (is_money(word) && is_number(before.0));
        before = (word, is_money(word));
        found
    })
}

/// Days of the week, before a date.
#[rustfmt::skip]
const WEEKDAYS: &[&str] = &[
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "mon", "tue", "wed",
    "thu", "fri", "sat", "sun", "montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag",
    "sonnabend", "sonntag", "mo", "di", "mi", "do", "fr", "sa", "so", "lundi", "mardi", "mercredi",
    "jeudi", "vendredi", "samedi", "dimanche", "lunes", "martes", "miércoles", "jueves", "viernes",
    "sábado", "domingo", "segunda", "terça", "quarta", "quinta", "sexta", "lunedì", "martedì",
    "mercoledì", "giovedì", "venerdì", "sabato", "domenica", "maandag", "dinsdag", "woensdag",
    "donderdag", "vrijdag", "zaterdag", "zondag", "понедельник", "вторник", "среда", "четверг",
    "пятница", "суббота", "воскресенье",
];

impl<'a> Cursor<'a> {
    /// The length of the date or time that starts here.
    fn noise(self) -> Option<usize> {
        let end = self
            .date()
            .or_else(|| self.written_date())
            .or_else(|| self.day_and_date())
            .or_else(|| self.clock())
            .or_else(|| self.ago())
            .or_else(|| self.generated())?;
        Some(self.0.len() - end.0.len())
    }

    /// Between `least` and `most` digits, and no more.
    pub(super) fn digits(self, least: usize, most: usize) -> Option<(Self, u32)> {
        let count = self.0.bytes().take_while(u8::is_ascii_digit).count();
        let number = self.0.get(..count)?.parse().ok()?;
        (least..=most).contains(&count).then(|| (Cursor(&self.0[count..]), number))
    }

    pub(super) fn sign(self, allowed: &str) -> Option<(Self, char)> {
        let c = self.0.chars().next().filter(|c| allowed.contains(*c))?;
        Some((Cursor(&self.0[c.len_utf8()..]), c))
    }

    pub(super) fn skip(self, allowed: &str) -> Self {
        self.sign(allowed).map_or(self, |(rest, _)| rest)
    }

    pub(super) fn space(self) -> Option<Self> {
        let rest = self.0.trim_start_matches([' ', '\u{a0}', '\t', '\n', '\r']);
        (rest.len() < self.0.len()).then_some(Cursor(rest))
    }

    /// A word of letters, in lower case.
    pub(super) fn word(self) -> Option<(Self, String)> {
        let end = self.0.find(|c: char| !c.is_alphabetic()).unwrap_or(self.0.len());
        (1..=40).contains(&end).then(|| (Cursor(&self.0[end..]), self.0[..end].to_lowercase()))
    }

    pub(super) fn ends(self) -> Option<Self> {
        (!self.0.starts_with(|c: char| c.is_alphanumeric())).then_some(self)
    }

    /// `2024-05-01`, `2024-05-01T10:00`, `1.5.2024`, `5/1/24`, `2024年5月1日`.
    fn date(self) -> Option<Self> {
        if let Some((rest, _)) = self.digits(4, 4) {
            if let Some((rest, _)) = rest.sign("年") {
                let (rest, _) = rest.digits(1, 2)?.0.sign("月")?;
                let day = rest.digits(1, 2).and_then(|(rest, _)| rest.sign("日"));
                return Some(day.map_or(rest, |(rest, _)| rest.east_asian_weekday()));
            }
            let (rest, sign) = rest.sign("-/.")?;
            let (rest, month) = rest.digits(1, 2)?;
            let (rest, other) = rest.sign("-/.")?;
            let (rest, day) = rest.digits(1, 2)?;
            let is_date = sign == other && (1..=12).contains(&month) && (1..=31).contains(&day);
            let time = rest.sign("Tt").and_then(|(rest, _)| rest.clock());
            return if is_date { time.or_else(|| rest.east_asian_weekday().ends()) } else { None };
        }
        let (rest, first) = self.digits(1, 2)?;
        if let Some((rest, _)) = rest.sign("月") {
            return rest.digits(1, 2)?.0.sign("日").map(|(rest, _)| rest);
        }
        let (rest, sign) = rest.sign("-/.")?;
        let (rest, second) = rest.digits(1, 2)?;
        let (rest, other) = rest.sign("-/.")?;
        // Two digits of a year only between slashes: else versions of programs look alike.
        let (rest, _) = rest.digits(4, 4).or_else(|| rest.digits(2, 2).filter(|_| sign == '/'))?;
        let is_date =
            sign == other && first.min(second) <= 12 && first.max(second) <= 31 && first.min(second) > 0;
        if is_date { rest.ends() } else { None }
    }

    /// `1 May 2024`, `1-May-2024`, `1. Mai 2024`, `1 de mayo de 2024`, `May 1st, 2024`.
    fn written_date(self) -> Option<Self> {
        let ordinal = |rest: Self| match rest.word() {
            Some((behind, suffix)) if matches!(&*suffix, "st" | "nd" | "rd" | "th" | "er") => behind,
            _ => rest.skip(".º"),
        };
        let of = |rest: Self| match rest.word() {
            Some((behind, word)) if word == "de" => behind.space().unwrap_or(rest),
            _ => rest,
        };
        let gap = |rest: Self| rest.space().or_else(|| Some(rest.sign("-")?.0));
        let year = |rest: Self| {
            let rest = gap(rest.skip(".").skip(","))?;
            let year = of(rest).digits(4, 4).or_else(|| rest.clock_and_zone().space()?.digits(4, 4));
            year?.0.ends()
        };
        if let Some((rest, _)) = self.digits(1, 2) {
            let rest = of(gap(ordinal(rest))?);
            let (rest, month) = rest.word()?;
            return if MONTHS.contains(&&*month) { year(rest) } else { None };
        }
        let (rest, month) = self.word()?;
        if !MONTHS.contains(&&*month) {
            return None;
        }
        year(ordinal(rest.skip(".").space()?.digits(1, 2)?.0))
    }

    /// `10:15:00 CET` between a day and its year, as programs write dates.
    fn clock_and_zone(self) -> Self {
        let Some(rest) = self.clock() else { return self };
        match rest.space().and_then(Self::word) {
            Some((behind, zone)) if zone.len() <= 5 => behind,
            _ => rest,
        }
    }

    /// `9:05`, `09:05:59`, `9:05 pm`, `9.05 Uhr`.
    fn clock(self) -> Option<Self> {
        let (rest, hour) = self.digits(1, 2)?;
        let (rest, sign) = rest.sign(":.")?;
        let (mut rest, minute) = rest.digits(2, 2)?;
        if hour > 24 || minute > 59 {
            return None;
        }
        if sign == '.' {
            let (behind, word) = rest.space()?.word()?;
            return (word == "uhr").then_some(behind);
        }
        if let Some((behind, _)) = rest.sign(":").and_then(|(rest, _)| rest.digits(2, 2)) {
            rest = behind;
        }
        let behind = rest.space().unwrap_or(rest);
        match behind.word() {
            Some((behind, word)) if matches!(&*word, "am" | "pm" | "uhr" | "z" | "utc" | "gmt") => {
                Some(behind)
            }
            _ => rest.ends(),
        }
    }

    /// `星期三`, `（水）`, `水曜日` after a date.
    fn east_asian_weekday(self) -> Self {
        let rest = self.space().unwrap_or(self);
        let inner = rest.skip("(（");
        let inner =
            ["星期", "周", "週"].iter().find_map(|word| inner.0.strip_prefix(word)).map_or(inner, Cursor);
        let Some((day, _)) = inner.sign("一二三四五六日天月火水木金土") else { return self };
        let day = day.0.strip_prefix("曜日").map_or(day, Cursor);
        let end = day.skip(")）");
        // "10月1日土地" is not a day of the week.
        end.ends().map_or(self, |end| if end.0.len() == rest.0.len() { self } else { end })
    }

    /// `Monday, 4 March 2024`, `Mo., 4.3.2024`.
    fn day_and_date(self) -> Option<Self> {
        let (rest, word) = self.word()?;
        let rest = rest.0.strip_prefix("-feira").map_or(rest, Cursor);
        let rest = rest.skip(".").skip(",").space().filter(|_| WEEKDAYS.contains(&&*word))?;
        rest.date().or_else(|| rest.written_date())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        words(text).map(|word| word.text).collect()
    }

    #[test]
    fn a_number_beside_a_currency_is_a_price() {
        for price in ["12 EUR", "€12.50", "12,50 €", "now 1,200 $ only", "1000円", "15 Euro", "CHF 20"] {
            assert!(has_price(price), "{price}");
        }
        for other in ["12:30", "3 March", "EUR and USD", "1,234 visitors", "the 12th"] {
            assert!(!has_price(other), "{other}");
        }
    }

    fn content(text: &str) -> String {
        words(text).filter(|word| !word.is_noise).map(|word| word.text).collect::<Vec<_>>().join(" ")
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_split_whatever_stands_beside_its_counters(
            parts in proptest::collection::vec(proptest::sample::select(vec![
                "·", "•", "。", "：", "（", "–", "\u{a0}", " ", ". ", "\n", "©", "n°", "12", "5.2K", "2024", "3,200", "10:15", "10.15 Uhr", "views",
                "閲覧数", "просмотров", "Besucher", "ago", "vor", "Mon Mar 4", "generated in", "visitor", "é", "ß", "😀", "月", "日",
            ]), 0..12),
        ) {
            let text = parts.concat();
            proptest::prop_assert!(words(&text).all(|word| text.contains(word.text)));
        }
    }

    #[test]
    fn words_are_those_of_unicode_in_any_script() {
        assert_eq!(
            split("It costs $1,234.50 (don't ask)!"),
            ["It", "costs", "$", "1,234.50", "don't", "ask"]
        );
        assert_eq!(
            split("-5 °C, ≤ 3 mg ✔ ★☆ – a-5 2024-05-01 • (c) ©"),
            ["-", "5", "°", "C", "≤", "3", "mg", "✔", "★", "☆", "a", "5", "2024", "05", "01", "c"]
        );
        assert_eq!(split("猫が好き。"), ["猫", "が", "好", "き"]);
        assert_eq!(split("Привет, мир"), ["Привет", "мир"]);
        assert!(split(" – … ").is_empty());
    }

    #[test]
    fn the_year_of_a_copyright_is_noise_and_its_holder_is_not() {
        for (text, kept) in [
            ("© 2024", ""),
            ("Copyright 2019–2024 Mill & Sons", "Copyright Mill Sons"),
            ("(c) Mill & Sons Ltd., 2024. Founded 1907", "c Mill Sons Ltd Founded 1907"),
            (
                "The law of copyright is old. It was written in the year 1911",
                "The law of copyright is old It was written in the year 1911",
            ),
        ] {
            assert_eq!(content(text), kept, "{text}");
        }
    }

    #[test]
    fn dates_clocks_and_counters_are_noise_and_prices_and_versions_are_not() {
        for noise in [
            "2024-05-01",
            "2024/5/1",
            "2024-05-01T10:00:00Z",
            "1.5.2024",
            "31/12/24",
            "9:05",
            "09:05:59",
            "9:05 pm",
            "1 May 2024",
            "22-Feb-2021",
            "1. März 2024",
            "May 1st, 2024",
            "Sept. 3, 2023",
            "1 de mayo de 2024",
            "1 января 2024",
            "2024年5月1日",
            "5月1日",
            "1,234 views",
            "Read 512 times",
            "Gelesen: 512 mal",
            "512 mal gelesen",
            "Lu 512 fois",
            "Visto 1.234 veces",
            "512 keer bekeken",
            "Прочитано 512 раз",
            "Сейчас на сайте: 512",
            "阅读 512 次",
            "阅读(512)",
            "浏览：512次",
            "512次浏览",
            "512回視聴",
            "コメント 512 件",
            "PV 512",
            "12 Besucher",
            "Visitors: 10293",
            "Aufrufe : 1.234",
            "Monday, 4 March 2024",
            "Mo., 4.3.2024",
            "lundi 4 mars 2024",
            "14:30 Uhr",
            "10.15 Uhr",
            "Mon Mar 4 10:15:00 CET 2024",
            "segunda-feira, 4 de março de 2024",
            "2024/03/04(月)",
            "5.2K views",
            "1,3M Aufrufe",
            "You are visitor 1234",
            "You are visitor number 10,293",
            "You are the 10293rd visitor",
            "Sie sind Besucher Nr. 1.234",
            "Sie sind der 1234. Besucher",
            "Vous êtes le visiteur n° 1234",
            "Вы посетитель № 1234",
            "アクセス数 1234",
            "アクセス数：12,345",
            "访问量: 1234",
            "3 minutes ago",
            "1 hour ago",
            "vor 3 Minuten",
            "il y a 12 heures",
            "hace 2 días",
            "há 5 minutos",
            "3 ore fa",
            "2 dagen geleden",
            "5 минут назад",
            "3分前",
            "12 小时前",
            "17 users online",
            "17 Benutzer online",
            "17 utilisateurs en ligne",
            "1 234 visites",
            "12 345 просмотров",
            "generated in 0.123 seconds",
            "generiert in 0,12 Sekunden",
            "processed in 0.012 second",
            "2024年5月1日 星期三",
            "2024年5月1日（水）",
            "2024年5月1日 水曜日",
        ] {
            assert_eq!(content(noise), "", "{noise}");
            assert_eq!(content(&format!("a {noise} b")), "a b", "{noise}");
        }
        for (text, rest) in [
            ("Posted · 57 comments", "Posted"),
            ("News • 12 views", "News"),
            ("5 min · 3,200 views", "5 min"),
            ("公開中。閲覧数: 123", "公 開 中"),
        ] {
            assert_eq!(content(text), rest, "{text}");
        }
        for kept in [
            "In the flood 512 visitors were hurt.",
            "512 visitors were hurt.",
            "512 visitors were hurt",
            "Fire: 512 visitors hurt",
            "The court has fined 512 visitors",
            "5.2K readers died",
            "1.15 Uhren",
            "512 followers of the sect were arrested.",
            "Die Bahn hat 512 Besucher evakuiert.",
            "The council received 512 comments from citizens.",
            "The fair counted 512 visitors.",
            "The bank closed 512 online accounts of clients.",
            "阅读 512 页",
            "He read 512 letters",
            "$ 12.50",
            "Python 3.10.12",
            "2024",
            "10.0.0.1",
            "1:2",
            "99:99",
            "May we",
            "12 apples",
            "5.2024",
            "hits 5 balls",
            "Price: 10",
            "Monday 4",
            "Comments: none",
            "Online: 12 EUR",
            "Online: 12 €",
            "Online: 12,50",
            "Besucher: 5 Euro",
            "Visitors: 40 %",
            "You are 12 years old",
            "Home 2 Visitor 3",
            "アクセス 1234",
            "3 minutes late",
            "vor 3 Zeugen",
            "the 17 users of the mill",
            "ran it in 9.58 seconds",
            "1 234 houses",
            "Kettle Ltd 2024",
        ] {
            assert_eq!(content(kept), split(kept).join(" "), "{kept}");
        }
    }
}
