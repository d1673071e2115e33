//! Pages of servers that failed, though their status is 200: "500 Internal Server Error", "502 Bad Gateway", "Database Error".
//!
//! The title, or the heading of a page without one, says nothing else, and the page is short.

use super::soft404::{SHORT_TEXT, Soft404};
use super::soft404_statement::{any_word, parts};

/// How sure a title is that names nothing but a failure.
const SCORE: f64 = 0.88;

/// Words around the statement itself.
const AROUND: [&str; 9] = ["http", "https", "status", "error", "code", "err", "the", "a", "an"];

/// What failed, beside the word "error" or a number.
const FAILED: &[&str] = &[
    "internal server",
    "server",
    "internal",
    "application",
    "web application",
    "database",
    "database connection",
    "mysql",
    "sql",
    "establishing database connection",
    "connecting to database",
    "cannot connect to database",
    "proxy",
    "runtime",
    "fatal",
    "unexpected",
    "occurred",
    "has occurred",
    "unknown",
    "origin dns",
    "connection timed out",
    "timeout occurred",
    "ssl handshake failed",
    "web server is down",
    "web server is returning unknown",
    "version not supported",
    "not implemented",
];

/// Statements that need neither.
const WHOLE: &[&str] = &[
    "bad gateway",
    "service unavailable",
    "service temporarily unavailable",
    "service is unavailable",
    "service is temporarily unavailable",
    "site temporarily unavailable",
    "website temporarily unavailable",
    "temporarily unavailable",
    "gateway timeout",
    "gateway time out",
    "backend fetch failed",
    "guru meditation",
    "bandwidth limit exceeded",
    "resource limit is reached",
    "web server is down",
    "no healthy upstream",
    "upstream connect",
    "interner serverfehler",
    "interner server fehler",
    "datenbankfehler",
    "dienst nicht verfügbar",
    "erreur interne du serveur",
    "erreur interne",
    "erreur de base de données",
    "service indisponible",
    "service temporairement indisponible",
    "error interno del servidor",
    "error de base de datos",
    "servicio no disponible",
    "errore interno del server",
    "servizio non disponibile",
    "erro interno do servidor",
    "serviço indisponível",
    "interne serverfout",
    "внутренняя ошибка сервера",
    "ошибка базы данных",
    "сервис недоступен",
    "内部サーバーエラー",
    "サーバーエラー",
    "サーバー内部エラー",
    "服务器内部错误",
    "数据库错误",
];

/// Expressions without which no title is one of these.
pub(super) const SIGNS: &[&str] = &[
    "error",
    "erreur",
    "errore",
    "erro ",
    "http",
    "gateway",
    "unavailable",
    "backend fetch failed",
    "guru meditation",
    "bandwidth limit exceeded",
    "resource limit is reached",
    "web server is down",
    "no healthy upstream",
    "upstream connect",
    "fehler",
    "dienst nicht verfügbar",
    "indisponible",
    "servicio no disponible",
    "servizio non disponibile",
    "serviço indisponível",
    "interne serverfout",
    "ошибка",
    "сервис недоступен",
    "エラー",
    "错误",
];

/// A short page that says nothing but that a server failed. All parts are in lower case.
pub(super) fn failed(title: &str, heading: &str, first: &str, length: u64) -> Option<Soft404> {
    // A page about such pages says what to do about them.
    let is_about = |part: &&str| any_word(part, |language| language.about).is_some();
    if length >= SHORT_TEXT || [title, heading, first].iter().any(is_about) {
        return None;
    }
    let names = |text: &str| is_failure(text) || parts(text).any(|(part, _)| is_failure(part));
    let (words, score) = (|text: &str| text.trim().to_owned(), SCORE);
    if names(title) {
        return Some(Soft404::TitleWords { words: words(title), score });
    }
    if title.trim().is_empty() && names(heading) {
        return Some(Soft404::HeadingWords { words: words(heading), score });
    }
    // A script that broke off says so before anything else.
    let broken =
        ["fatal error:", "parse error:", "php fatal error", "error establishing a database connection"];
    let start = first.trim_start();
    let found = broken.into_iter().find(|words| start.starts_with(words));
    found
        .filter(|_| title.trim().is_empty())
        .map(|found| Soft404::TextWords { words: found.to_owned(), score })
}

/// Whether a title names a failure of a server and nothing else.
fn is_failure(text: &str) -> bool {
    let words: Vec<&str> =
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_number =
        |word: &str| word.len() == 3 && word.starts_with('5') && word.bytes().all(|b| b.is_ascii_digit());
    let has_number = words.iter().any(|word| is_number(word));
    let has_error = words.iter().any(|word| ["error", "err", "http"].contains(word));
    let rest: Vec<&str> =
        words.iter().copied().filter(|word| !is_number(word) && !AROUND.contains(word)).collect();
    let rest = rest.join(" ");
    match rest.as_str() {
        "" => has_number && has_error,
        rest if WHOLE.contains(&rest) => true,
        // The versions of protocols: HTTP 1.1 503.
        "1 1" => has_number,
        rest => {
            (has_number || has_error) && FAILED.contains(&rest) || WHOLE.contains(&words.join(" ").as_str())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_failure;

    #[test]
    fn titles_of_failed_servers_and_of_other_pages() {
        for title in [
            "500 internal server error",
            "internal server error",
            "502 bad gateway",
            "503 service temporarily unavailable",
            "error 503: service unavailable",
            "504 gateway time-out",
            "http status 500 – internal server error",
            "database error",
            "error establishing a database connection",
            "error 500",
            "application error",
            "500 - an error has occurred",
            "interner serverfehler",
            "внутренняя ошибка сервера",
        ] {
            assert!(is_failure(title), "{title}");
        }
        for title in [
            "",
            "database",
            "server",
            "error",
            "500",
            "the 500 best books",
            "gateway",
            "error messages of our database",
            "how to fix a 502 bad gateway",
            "unexpected guests",
            "service",
            "fatal attraction",
        ] {
            assert!(!is_failure(title), "{title}");
        }
    }
}
