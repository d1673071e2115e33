//! Facts that speak for a page with content: prices, measures, hours, dates, numbers of pages, what kind of work something is.
//!
//! An error page has nothing to tell. Where a title or one line sounds like an error, and the lines below give facts, the page is about
//! a thing: a product that is sold out, a novel called "The missing page".

use super::soft404_statement::{any_request, any_word, contains, is_missing, is_spaced, sentences};

/// Signs and words of money, beside a number.
#[rustfmt::skip]
const MONEY: &[&str] = &[
    "€", "$", "£", "¥", "￥", "₽", "₹", "₩", "eur", "euro", "euros", "usd", "gbp", "chf", "руб", "рублей", "р.", "円", "元", "kr", "zł",
];

/// What is measured, behind a number.
#[rustfmt::skip]
const MEASURES: &[&str] = &[
    "cm", "mm", "km", "kg", "g", "m²", "qm", "ml", "l", "hp", "ps", "cv", "pk", "л.с", "kw", "min", "minutes", "minuten", "minuti", "minutos", "мин",
    "см", "мм", "кг", "м²", "㎡", "平方米", "厘米", "公斤", "分", "升",
    "pages", "page", "pp", "seiten", "páginas", "pagine", "pagina's", "стр", "страниц", "頁", "页", "ページ",
    "bedrooms", "rooms", "zimmer", "pièces", "habitaciones", "quartos", "locali", "kamers", "комнат", "室",
    "uhr", "am", "pm", "heures", "horas", "uur", "時", "点",
];

/// Kinds of works and things for sale: a line that begins with one says what the page is about.
#[rustfmt::skip]
const GENRES: &[&str] = &[
    "novel", "thriller", "mystery", "crime", "short stories", "poems", "comedy", "drama", "documentary", "oil on canvas", "paperback", "hardcover", "isbn",
    "krimi", "kriminalroman", "roman", "erzählungen", "gedichte", "hörspiel", "taschenbuch", "gebunden", "öl auf leinwand", "dokumentarfilm",
    "polar", "nouvelles", "poèmes", "broché", "huile sur toile", "documentaire", "bande dessinée", "récit",
    "novela", "relato", "relatos", "cuentos", "poemas", "óleo", "tapa blanda", "documental",
    "romance", "contos", "óleo sobre tela", "documentário",
    "giallo", "romanzo", "racconti", "racconto", "brossura", "olio su tela", "documentario",
    "thriller", "verhalen", "gedichten", "detective", "olieverf", "documentaire",
    "детектив", "роман", "повесть", "рассказы", "стихи", "холст", "издательство", "триллер",
    "小説", "短編", "詩集", "文庫", "単行本", "油彩", "ミステリー", "長編", "著者", "出版社",
    "小说", "長篇", "长篇", "短篇", "诗集", "出版社", "作者", "纪录片", "油画", "悬疑",
];

/// Words of shops about a thing that can be had, or could.
#[rustfmt::skip]
const STOCK: &[&str] = &[
    "in stock", "out of stock", "sold out", "sold for", "add to basket", "add to cart", "size", "sizes", "auf lager", "lieferbar", "ausverkauft", "in den warenkorb",
    "größe", "größen", "en stock", "rupture de stock", "ajouter au panier", "taille", "tailles", "agotado", "añadir al carrito", "talla", "tallas",
    "em estoque", "esgotado", "adicionar ao carrinho", "tamanho", "tamanhos", "disponibile in", "esaurito", "aggiungi al carrello", "taglia", "taglie",
    "op voorraad", "uitverkocht", "in winkelwagen", "maat", "maten", "в наличии", "распродано", "в корзину", "размер", "在庫", "完売", "カートに入れる",
    "サイズ", "现货", "有货", "缺货", "售罄", "加入购物车", "尺码", "色款",
];

/// Names of months from which dates are known, at the beginnings of words.
#[rustfmt::skip]
const MONTHS: &[&str] = &[
    "january", "february", "march", "april", "june", "july", "august", "september", "october", "november", "december", "januar", "februar", "märz", "juni",
    "juli", "oktober", "dezember", "janvier", "février", "mars", "avril", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre", "enero",
    "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre", "janeiro", "fevereiro", "março", "maio",
    "junho", "julho", "setembro", "outubro", "novembro", "dezembro", "gennaio", "febbraio", "aprile", "maggio", "giugno", "luglio", "settembre", "ottobre",
    "dicembre", "januari", "februari", "maart", "mei", "augustus", "января", "февраля", "марта", "апреля", "мая", "июня", "июля", "августа", "сентября",
    "октября", "ноября", "декабря",
];

/// How many kinds of facts some lines give. Lines that begin with a sign of copyright are those of the site.
pub(super) fn facts(lines: &str) -> usize {
    let own: Vec<&str> = lines.lines().filter(|line| !line.starts_with(['©', '®'])).collect();
    let any = |found: &dyn Fn(&str) -> bool| usize::from(own.iter().any(|line| found(line)));
    let is_stock = |line: &str| has(line, STOCK);
    any(&has_price) + any(&has_measure) + any(&has_date) + any(&is_stock) + any(&names_work)
}

/// Whether a line says what kind of work it is about, and not that the work is missing.
pub(super) fn names_work(line: &str) -> bool {
    sentences(line).any(|sentence| {
        let is_work = has(sentence, GENRES) || any_word(sentence, |language| language.works).is_some();
        is_work && !is_missing(sentence) && any_request(sentence).is_none()
    })
}

fn has(line: &str, words: &[&str]) -> bool {
    words.iter().any(|word| contains(line, word, is_spaced(word)))
}

/// "18 €", "$40", "1 299 руб.": money beside a number.
pub(super) fn has_price(line: &str) -> bool {
    MONEY.iter().any(|money| {
        line.match_indices(money).any(|(at, _)| {
            let (before, after) = (line[..at].trim_end(), line[at + money.len()..].trim_start());
            let is_word = money.chars().all(char::is_alphabetic) && is_spaced(money);
            let is_whole = !is_word
                || (!line[..at].ends_with(char::is_alphabetic)
                    && !line[at + money.len()..].starts_with(char::is_alphabetic));
            is_whole && (before.ends_with(digit) || (after.starts_with(digit) && !is_word))
        })
    })
}

fn digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// "312 pages", "72 hp", "180页": a number and what it counts.
fn has_measure(line: &str) -> bool {
    MEASURES.iter().any(|measure| {
        line.match_indices(measure).any(|(at, _)| {
            let ends =
                !is_spaced(measure) || !line[at + measure.len()..].starts_with(|c: char| c.is_alphanumeric());
            // "page 404" and "404 pages" name errors.
            let before = line[..at].trim_end_matches([' ', '\u{a0}']);
            ends && before.ends_with(digit) && !before.ends_with("404")
        })
    })
}

/// "14 May", "12.05.2020", "2019年3月", "1992-2001".
fn has_date(line: &str) -> bool {
    let is_month = |word: &str| MONTHS.contains(&word);
    let words: Vec<&str> =
        line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_day = |word: &str| word.len() <= 2 && word.chars().all(digit);
    let by_name = words.windows(2).any(|pair| {
        (is_month(pair[0]) && pair[1].chars().all(digit)) || (is_day(pair[0]) && is_month(pair[1]))
    });
    let by_of = words.windows(3).any(|three| is_day(three[0]) && three[1] == "de" && is_month(three[2]));
    let is_number = |c: char| digit(c) || "一二三四五六七八九十〇".contains(c);
    let by_sign = line.match_indices('年').any(|(at, _)| line[..at].ends_with(is_number))
        || line.match_indices('月').any(|(at, sign)| {
            line[..at].ends_with(is_number) && line[at + sign.len()..].starts_with(is_number)
        });
    by_name || by_of || by_sign
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_of_things_are_told_from_what_error_pages_say() {
        for line in [
            "220 pages, 18 €.",
            "roman de claire dumas.",
            "giallo di marco neri, 312 pagine",
            "from $40",
            "1 299 руб.",
            "sold in march 2021",
            "am 14. mai geöffnet: 10 uhr",
            "页数：180页",
            "oak chest, 120 cm",
            "size 42",
        ] {
            assert!(facts(line) > 0, "{line}");
        }
        for line in [
            "the page you requested was not found.",
            "© 2023 holm 14 may",
            "error 404",
            "404 pages",
            "check the address or go to the home page.",
            "die angeforderte seite wurde nicht gefunden.",
            "页面不存在，请返回首页",
            "this film is no longer available",
            "the story you are looking for has left our archive.",
        ] {
            assert_eq!(facts(line), 0, "{line}");
        }
    }
}
