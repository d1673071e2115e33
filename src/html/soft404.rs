//! Soft 404s: answers that say 200 and mean "not found".
//!
//! Three signs, each named in the verdict: error words in the title or in a short text; one body under many URLs of a
//! site; a redirect from a deeper URL to the site's root. The first two were used by McCown and Nelson, *Evaluation of
//! Crawling Policies for a Web-Repository Crawler*, Proc. HYPERTEXT 2006, as what a repository crawler has to expect.
//! A sign is a guess and is reported as one: the counts of failed captures name how many rest on it.

use serde::{Deserialize, Serialize};

/// Why an answer with status 200 (or a redirect) is taken for "not found".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "sign")]
pub enum Soft404 {
    /// The title says so.
    TitleWords {
        /// The words.
        words: String,
    },
    /// The text is short and says so.
    TextWords {
        /// The words.
        words: String,
    },
    /// The same body was served for many URLs.
    SameBody {
        /// For how many.
        urls: u32,
    },
    /// A deeper URL was redirected to the root of the site.
    RedirectToRoot,
}

impl Soft404 {
    /// A sentence for a report.
    pub fn explain(&self) -> String {
        match self {
            Soft404::TitleWords { words } => format!("the title says \"{words}\" though the status is 200"),
            Soft404::TextWords { words } => {
                format!("the short text says \"{words}\" though the status is 200")
            }
            Soft404::SameBody { urls } => format!("{urls} different URLs were answered with this same page"),
            Soft404::RedirectToRoot => "the URL was redirected to the root of the site".to_owned(),
        }
    }
}

/// Text shorter than this (bytes, white space left out) is searched for error words; longer text is about something.
const SHORT: u64 = 1200;
/// So many URLs with one body are no coincidence.
pub(crate) const SAME_BODY: u32 = 5;

/// Phrases that say "not found", lower case; English, German, French, Spanish, Portuguese, Italian, Dutch, Swedish,
/// Danish, Norwegian, Finnish, Polish, Czech, Hungarian, Romanian, Turkish, Greek, Russian, Ukrainian, Japanese, Chinese,
/// Korean, Arabic, Hebrew.
const PHRASES: &[&str] = &[
    "page not found",
    "not found",
    "page cannot be found",
    "page can't be found",
    "page could not be found",
    "page can’t be found",
    "couldn't find the page",
    "couldn’t find the page",
    "file not found",
    "does not exist",
    "doesn't exist",
    "doesn’t exist",
    "no longer available",
    "no longer exists",
    "page is missing",
    "error 404",
    "404 error",
    "http 404",
    "seite nicht gefunden",
    "nicht gefunden",
    "seite existiert nicht",
    "page non trouvée",
    "page introuvable",
    "n'existe pas",
    "n’existe pas",
    "página no encontrada",
    "no se encontró",
    "no se ha encontrado",
    "no existe",
    "página não encontrada",
    "não encontrada",
    "não existe",
    "pagina non trovata",
    "non trovata",
    "non esiste",
    "pagina niet gevonden",
    "niet gevonden",
    "bestaat niet",
    "sidan hittades inte",
    "sidan kunde inte hittas",
    "siden blev ikke fundet",
    "siden findes ikke",
    "siden ble ikke funnet",
    "finnes ikke",
    "sivua ei löydy",
    "sivua ei löytynyt",
    "nie znaleziono",
    "strona nie istnieje",
    "stránka nenalezena",
    "nebyla nalezena",
    "neexistuje",
    "az oldal nem található",
    "nem található",
    "pagina nu a fost găsită",
    "nu a fost găsit",
    "sayfa bulunamadı",
    "bulunamadı",
    "η σελίδα δεν βρέθηκε",
    "δεν βρέθηκε",
    "страница не найдена",
    "не найдена",
    "не существует",
    "сторінку не знайдено",
    "не знайдено",
    "ページが見つかりません",
    "見つかりません",
    "页面不存在",
    "找不到",
    "未找到",
    "頁面不存在",
    "페이지를 찾을 수 없습니다",
    "찾을 수 없",
    "الصفحة غير موجودة",
    "غير موجودة",
    "הדף לא נמצא",
    "לא נמצא",
];

/// The phrase, or the bare status 404 as a word of its own, that a text holds.
fn error_words(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    if let Some(phrase) = PHRASES.iter().find(|phrase| holds(&lower, phrase)) {
        return Some((*phrase).to_owned());
    }
    None
}

/// Whether the phrase stands there at the bounds of words (scripts without spaces know no bounds).
fn holds(text: &str, phrase: &str) -> bool {
    let spaced = phrase.chars().next().is_some_and(|c| (c as u32) < 0x0600);
    let bound = |c: Option<char>| !spaced || !c.is_some_and(char::is_alphanumeric);
    text.match_indices(phrase).any(|(at, _)| {
        bound(text[..at].chars().next_back()) && bound(text[at + phrase.len()..].chars().next())
    })
}

/// Whether a title is one of an error page: it holds an error phrase, or 404 as a word in a short title.
fn title_words(title: &str) -> Option<String> {
    let words = error_words(title);
    let short = title.split_whitespace().count() <= 6;
    words.or_else(|| (short && holds(title, "404")).then(|| "404".to_owned()))
}

/// Judges a page that was answered with status 200 by its own words. `length` is the length of its visible text.
pub(crate) fn by_words(title: &str, excerpt: &str, length: u64) -> Option<Soft404> {
    // A long page with "not found" in its title is about errors, not one.
    if length >= 4 * SHORT {
        return None;
    }
    if let Some(words) = title_words(title) {
        return Some(Soft404::TitleWords { words });
    }
    if length >= SHORT {
        return None;
    }
    // An error page says so early; a list of changes may say "not found" anywhere.
    let early: String = excerpt.chars().take(300).collect();
    error_words(&early).map(|words| Soft404::TextWords { words })
}

/// Judges by the number of different URLs of one site that were answered with the same body.
pub(crate) fn by_same_body(urls: u32) -> Option<Soft404> {
    (urls >= SAME_BODY).then_some(Soft404::SameBody { urls })
}

/// Judges a redirect by its ends, both absolute http(s) URLs.
pub(crate) fn by_redirect(from: &str, to: &str) -> Option<Soft404> {
    let (from_host, from_path) = split(from)?;
    let (to_host, to_path) = split(to)?;
    let bare = |host: &str| host.strip_prefix("www.").unwrap_or(host).to_owned();
    let root = |path: &str| path.is_empty() || path == "/";
    (bare(from_host) == bare(to_host) && root(to_path) && !root(from_path)).then_some(Soft404::RedirectToRoot)
}

fn split(url: &str) -> Option<(&str, &str)> {
    let (_, rest) = url.split_once("://")?;
    let at = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let path = &rest[at..];
    Some((&rest[..at], &path[..path.find('#').unwrap_or(path.len())]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_pages_of_several_languages_are_told_and_pages_about_errors_are_not() {
        for title in [
            "404",
            "Page Not Found | Example",
            "Seite nicht gefunden",
            "Page introuvable",
            "404 – Oops",
            "Страница не найдена",
            "ページが見つかりません - 例",
            "Error 404",
        ] {
            assert!(matches!(by_words(title, "", 100), Some(Soft404::TitleWords { .. })), "{title}");
        }
        for title in [
            "Notfoundry",
            "Interstate 4040",
            "Chapter 404 of the collected works of a very long author",
            "Welcome",
        ] {
            assert_eq!(by_words(title, "", 100), None, "{title}");
        }
        assert_eq!(by_words("404 Not Found: how to fix it", "", 100_000), None);
        assert!(matches!(
            by_words("Shop", "Sorry, this product no longer exists.", 33),
            Some(Soft404::TextWords { .. })
        ));
        assert_eq!(by_words("Shop", "Sorry, this product no longer exists.", 3000), None);
    }

    #[test]
    fn one_body_under_many_urls_and_redirects_to_the_root_are_signs() {
        assert_eq!(by_same_body(4), None);
        assert_eq!(by_same_body(5), Some(Soft404::SameBody { urls: 5 }));
        let redirect = |from, to| by_redirect(from, to).is_some();
        assert!(redirect("http://a.example/x/y", "https://www.a.example/"));
        assert!(redirect("http://a.example/?p=7", "http://a.example"));
        assert!(!redirect("http://a.example/", "https://a.example/"));
        assert!(!redirect("http://a.example/x", "http://b.example/"));
        assert!(!redirect("http://a.example/x", "http://a.example/y"));
        assert!(by_same_body(7).unwrap().explain().contains('7'));
    }
}
