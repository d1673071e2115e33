//! Pages of searches that found nothing: they are not error pages.

use super::soft404_statement::{has_any, is_missing, is_removed, number, parts, sentences, statement};
use super::soft404_words::{BARE, LANGUAGES, PAGE_ONLY};

/// Words of titles and headings of searches, in ten languages.
#[rustfmt::skip]
const SEARCH: &[&str] = &[
    "search", "search results", "searched", "results", "suche", "suchergebnis", "suchergebnisse", "suchresultate", "ergebnisse", "recherche", "résultat",
    "résultats", "búsqueda", "buscar", "buscador", "resultado", "resultados", "busca", "pesquisa", "ricerca", "risultato", "risultati", "zoeken",
    "zoekresultaten", "zoekresultaat", "resultaten", "поиск", "поиска", "результаты", "результатов", "検索", "搜索", "搜尋", "查询结果", "查詢結果", "检索",
];

/// Words of sentences that say what was searched for: nothing there fits them.
#[rustfmt::skip]
const SOUGHT: &[&str] = &[
    "search term", "search terms", "your search", "keyword", "keywords", "criteria", "filter", "filters", "matched", "match", "matching", "query",
    "suchbegriff", "suchbegriffe", "ihre suche", "deine suche", "ihrer suche", "kriterien", "votre recherche", "critères", "correspond", "su búsqueda",
    "tu búsqueda", "criterios", "coincide", "sua busca", "sua pesquisa", "critérios", "corresponde", "tua ricerca", "sua ricerca", "criteri", "corrisponde",
    "zoekopdracht", "zoekterm", "criteria", "по запросу", "вашему запросу", "запросу", "критериям", "条件", "キーワード", "一致", "该当", "該当する", "关键词",
    "關鍵詞", "关键字", "符合", "相关",
];

/// Whether a page is a search without a result, and says nothing of a missing page or of error 404.
pub(super) fn is_empty_search(title: &str, heading: &str, lines: [&str; 2]) -> bool {
    let named = || [title, heading].into_iter().flat_map(parts).map(|(part, _)| part);
    // Below a title and a heading that say "not found" and nothing else, "Search" is an offer.
    let (first, _) = heading.split_once(" | ").unwrap_or((heading, ""));
    let is_whole =
        |part: &str| LANGUAGES.iter().any(|language| language.whole.contains(&part)) && !BARE.contains(&part);
    let says_so = [title, first].iter().all(|text| parts(text).any(|(part, _)| is_whole(part)));
    let told =
        || [title, if says_so { first } else { heading }].into_iter().flat_map(parts).map(|(part, _)| part);
    let said = || lines.into_iter().flat_map(sentences);
    let is_of_page = |part: &str| {
        number(part).is_some()
            || (statement(part).is_some_and(|found| found.of_page) && has_any(part, PAGE_ONLY))
    };
    // What was taken away had an address of its own.
    let was_removed = said().any(is_removed);
    let found_nothing = |part: &str| is_missing(part) && has_any(part, SOUGHT) && !was_removed;
    (told().any(|part| has_any(part, SEARCH)) || named().chain(said()).any(found_nothing))
        && !named().any(|part| part == "404")
        && !named().chain(said()).any(is_of_page)
}
