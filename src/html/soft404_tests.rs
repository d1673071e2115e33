use super::*;
use crate::html::page::PageScanner;
use crate::html::soft404_address::{by_redirect, cannot_exist};

fn text_of(html: &str) -> Text {
    let mut scanner = PageScanner::new(None);
    scanner.feed(html.as_bytes());
    scanner.finish(b"http://a.example/").text.expect("text was requested")
}

fn judge(html: &str) -> Option<Soft404> {
    by_words(&text_of(html))
}

#[test]
fn reasons_quote_the_page_letter_by_letter() {
    let sets = [
        include_str!("../../fixtures/error-pages/second.jsonl"),
        include_str!("../../fixtures/error-pages/ninth.jsonl"),
    ];
    let mut found = 0;
    for line in sets.iter().flat_map(|set| set.lines()) {
        let page: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = text_of(page["html"].as_str().unwrap());
        let words = match by_words(&text) {
            Some(Soft404::TitleWords { words, .. }) => words,
            Some(Soft404::HeadingWords { words, .. }) => words,
            Some(
                Soft404::TextWords { words, .. } | Soft404::Parked { words, .. } | Soft404::Wall { words },
            ) => words,
            _ => continue,
        };
        found += 1;
        let shown = [&text.title, &text.heading, &text.excerpt, &text.lead];
        assert!(shown.iter().any(|part| part.contains(&words)), "{words} is not in {text:?}");
    }
    assert!(found > 150, "{found}");
    let page = "<title>PAGE\u{a0}Not Found</title><p>The address “/X” was wrong.";
    assert!(judge(page).is_some_and(|found| found.explain().contains("\"PAGE\u{a0}Not Found\"")));
}

#[test]
fn searches_stories_questions_and_numbers_of_things_are_no_errors() {
    for page in [
        "<title>You searched for oboe</title><h1>Nothing found</h1><p>Nothing matched your search terms.",
        "<title>Поиск</title><h1>Ничего не найдено</h1>",
        "<title>検索結果</title><h1>該当する本は見つかりませんでした</h1>",
        "<title>A story</title><h1>The page that was never found</h1><p>They looked for it for years.",
        "<title>Post</title><h1>Empfänger nicht gefunden?</h1><p>Wenn der Empfänger nicht gefunden wird, wartet das Paket.",
        "<title>Harbour Act s. 404</title><h1>404. Where the owner cannot be found</h1><p>The boat may be sold.",
        "<title>#404: “Page not found” on start</title><h1>#404 “Page not found” on start</h1><p>Shown: “Page not found”.",
    ] {
        assert_eq!(judge(page), None, "{page}");
    }
    for page in [
        "<p>File not found.",
        "<title>Page&nbsp;not&nbsp;found</title><h1>Page&nbsp;not&nbsp;found</h1>",
        "<title>Search</title><h1>Page not found</h1><p>The page you requested does not exist. Use the search.",
        "<title>Error #404</title><h1>Error #404</h1>",
    ] {
        assert!(judge(page).is_some(), "{page}");
    }
}

#[test]
fn error_pages_of_several_languages_are_recognised_and_others_are_not() {
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
        let found = judge(&format!("<title>{title}</title>"));
        assert!(matches!(found, Some(Soft404::TitleWords { .. })), "{title}: {found:?}");
    }
    for title in [
        "Notfoundry",
        "Interstate 4040",
        "Peugeot 404",
        "Room 404",
        "404 (film)",
        "Highway 404",
        "Chapter 404 of the collected works of a very long author",
        "Welcome",
    ] {
        assert_eq!(judge(&format!("<title>{title}</title><p>Some text.")), None, "{title}");
    }
    assert_eq!(judge("<title>404 Not Found: how to fix it</title><p>Try this."), None);
    let shop = judge("<title>Shop</title><p>Sorry, this product no longer exists.</p>");
    assert!(matches!(shop, Some(Soft404::TextWords { .. })), "{shop:?}");
}

#[test]
fn a_footer_or_a_friendly_sentence_does_not_overrule_a_title_and_a_heading_that_name_the_page() {
    let head = "<title>Page not found - Acme</title><h1>Page not found</h1>";
    for line in [
        "Last updated 3 March 2023",
        "Acme is a registered charity in England and Wales.",
        "Opening hours: Monday to Friday 9 to 5.",
    ] {
        assert!(judge(&format!("{head}<footer><p>{line}</p></footer>")).is_some(), "{line}");
    }
    for line in [
        "Even the best explorers get lost sometimes.",
        "Members of the press may contact our office. Copyright 2011 The Acme Developers.",
        "14 Mill Lane, Greenfield · Phone 01632 960123<br>© 2023 Acme Studio. All rights reserved.",
    ] {
        assert!(judge(&format!("{head}<p>{line}</p>")).is_some(), "{line}");
    }
    let works = ["A novel by Ada Holm.", "Third track of the album Low Tide.", "220 pages, 18 €."];
    for line in works {
        assert_eq!(judge(&format!("{head}<p>{line}</p>")), None, "{line}");
    }
    let story =
        "The librarian looked at the shelf and counted once more, and then the lamp went out. ".repeat(3);
    assert_eq!(judge(&format!("{head}<p>{story}</p>")), None);
    let file =
        "<title>File not found</title><h1>File not found</h1><p>The papers that the ministry burned.</p>";
    assert_eq!(judge(file), None, "a file may be one of paper");
}

#[test]
fn error_pages_of_blogs_shops_and_boards_are_recognised_and_houses_that_are_no_more_are_not() {
    for page in [
        "<title>Not Found</title><h1>Not Found</h1><p>Looks like you’ve taken a wrong turn.</p><h1>Search</h1>",
        "<title>Pagina non trovata – Cucina</title><h1>Oops!</h1><p>Sembra che non sia stato trovato nulla in questa posizione.",
        "<title>Pagina niet gevonden – Club</title><h1>Oeps!</h1><p>Het lijkt erop dat er niets gevonden is op deze locatie.",
        "<title>Imobiliária</title><h2>Imóvel indisponível</h2><p>O anúncio que procura já não se encontra disponível.",
        "<title>鉄道掲示板</title><p>該当する記事がありません。削除されたか、過去ログに移動した可能性があります。",
    ] {
        assert!(judge(page).is_some(), "{page}");
    }
    let house = "Здания на углу Советской больше не существует: его снесли в 1974 году.";
    let title = "Дом, которого больше нет";
    assert_eq!(judge(&format!("<title>{title}</title><h1>{title}</h1><p>{house}</p>")), None);
    assert_eq!(judge("<title>求人</title><h1>検索結果</h1><p>該当する求人はありません。</p>"), None);
}

#[test]
fn a_title_alone_does_not_outweigh_a_text_about_something_else() {
    let body = "<p>The restaurant opened in 2019 and serves noodles, soup and tea. ".repeat(6);
    assert_eq!(judge(&format!("<title>404 Not Found</title><h1>Noodle bar</h1>{body}")), None);
    let error = "<h1>Not Found</h1><p>The requested URL /x was not found on this server.";
    let found = judge(&format!("<title>Example</title>{error}"));
    assert!(matches!(found, Some(Soft404::HeadingWords { score, .. }) if score > 0.9), "{found:?}");
}

#[test]
fn walls_against_robots_are_recognised_and_pages_about_them_are_not() {
    for page in [
        "<title>Just a moment...</title><noscript>Enable JavaScript and cookies to continue</noscript>",
        "<title>Just a moment...</title><h1>example.org</h1><p>Verify you are human by completing the action below.\
         <p>example.org needs to review the security of your connection before proceeding.",
        "<title>Attention Required! | Cloudflare</title><h1>Sorry, you have been blocked</h1><p>Cloudflare Ray ID: 7",
        "<title>Pardon Our Interruption</title><p>As you were browsing something made us think you were a bot.",
        "<title></title><p>Request unsuccessful. Incapsula incident ID: 4-5. Checking your browser before access.",
        "<title>Access to this page has been denied</title><p>Press &amp; Hold to confirm you are a human (and not a bot).",
        "<title>Making sure you're not a bot!</title><h1>Making sure you're not a bot!</h1><p>Loading...",
        "<title>Sorry</title><p>Our systems have detected unusual traffic from your computer network.",
        "<title>Nur einen Moment…</title><p>Bestätigen Sie, dass Sie ein Mensch sind.",
    ] {
        let found = judge(page);
        assert!(matches!(found, Some(Soft404::Wall { .. })), "{page}: {found:?}");
    }
    let long = "How sites check that a visitor is no robot, told at length. ".repeat(30);
    for page in [
        "<title>Just a moment</title><h1>A song</h1><p>The lyrics of a song that was much loved in its time, in three verses, \
         with a refrain that everybody knew by heart, and a story of how it came about, as its singer told it years later.",
        "<title>Support</title><p>Tick the box that says you are not a robot, and send the form.",
        &format!("<title>Robot check</title><p>Verify you are human. Checking your browser. {long}"),
    ] {
        assert_eq!(judge(page), None, "{page}");
    }
}

#[test]
fn parked_domains_are_recognised() {
    let found =
        judge("<title>example.org</title><h1>example.org</h1><p>This domain is for sale. Buy this domain.");
    assert!(matches!(found, Some(Soft404::Parked { .. })), "{found:?}");
    assert_eq!(judge("<title>How to sell</title><p>Write that this domain is for sale on the page."), None);
}

#[test]
fn only_addresses_with_a_path_of_their_own_are_doubted_when_redirected_to_the_root() {
    let redirect =
        |from: &str| by_redirect(&format!("http://a.example{from}"), "https://www.a.example/").is_some();
    for own in ["/old/article-17", "/x/y", "/2019/05/a.html", "/how-to-bake-bread"] {
        assert!(redirect(own), "{own}");
    }
    for entrance in [
        "/",
        "/?p=7",
        "/index.html",
        "/index.php",
        "/en",
        "/en/",
        "/home",
        "/de-at/home.html",
        "/default.aspx",
        "/login",
    ] {
        assert!(!redirect(entrance), "{entrance}");
    }
    assert!(by_redirect("http://a.example/x/y", "http://b.example/").is_none());
    assert!(by_redirect("http://a.example/x/y", "http://a.example/z").is_none());
}

#[test]
fn addresses_that_only_scripts_make_cannot_exist() {
    assert!(cannot_exist("http://a.example/css/%22functions%22"));
    assert!(cannot_exist("http://a.example/[object%20Object]"));
    assert!(!cannot_exist("http://a.example/search?q=%22x%22") && !cannot_exist("http://a.example/a-b"));
}

#[test]
fn the_labelled_pages_give_a_recall_of_0_85_at_a_precision_of_0_97() {
    #[derive(serde::Deserialize)]
    struct Labelled {
        language: String,
        error: bool,
        html: String,
    }
    let pages = include_str!("../../fixtures/error-pages/pages.jsonl");
    let pages: Vec<Labelled> = pages.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(pages.len(), 200);
    let (mut hits, mut misses, mut false_ones) = (0, Vec::new(), Vec::new());
    for page in &pages {
        match (page.error, judge(&page.html)) {
            (true, Some(_)) => hits += 1,
            (true, None) => misses.push((&page.language, &page.html)),
            (false, Some(found)) => false_ones.push((&page.language, &page.html, found)),
            (false, None) => {}
        }
    }
    let recall = f64::from(hits) / (f64::from(hits) + misses.len() as f64);
    let precision = f64::from(hits) / (f64::from(hits) + false_ones.len() as f64);
    assert!(recall >= 0.85 && precision >= 0.97, "{misses:#?} {false_ones:#?}");
}

#[test]
fn the_number_of_a_thing_a_work_called_like_an_error_and_a_page_about_errors_are_none() {
    for page in [
        "<title>Peugeot 404</title><h1>404</h1><ul><li>1960–1975<li>72 hp</ul>",
        "<title>Room 404 | Grand Hotel</title><h1>404</h1><p>Double, sea view",
        "<title>404</title><h1>404</h1><p>The year 404 was a leap year that began on a Friday. Honorius banned the fights.",
        "<title>Page not found</title><h1>Page not found</h1><p>Ada Lenz photographs places that are on no map. Until 9 July, daily from ten to six.",
        "<title>The history of error 404</title><h1>The history of error 404</h1><p>The number was first used in 1992. \
         The requested page could not be found, said the server, and a legend was born.",
        "<title>Page not found after login</title><h1>Page not found after login</h1><p>After you log in, the browser shows page \
         not found. Set the path of the cookie to the root.",
    ] {
        assert_eq!(judge(page), None, "{page}");
    }
    for page in [
        "<title>404 | Grand Hotel</title><h1>404</h1><p>The page has moved or was deleted.",
        "<title>Grand Hotel</title><h1>This offer is no longer available</h1><p>The rooms were let, or the season is over.",
        "<title>oldboats.example</title><h1>oldboats.example</h1><p>Diese Domain ist abgelaufen.",
    ] {
        assert!(judge(page).is_some(), "{page}");
    }
}

#[test]
fn a_statement_about_a_thing_or_beside_facts_is_no_error() {
    for page in [
        "<title>Oak table | Joiner</title><h1>Oak table</h1><p>This article is not available at the moment.",
        "<title>Stuhl</title><h1>Stuhl</h1><p>Dieser Artikel ist in Weiß nicht mehr verfügbar. 48 cm hoch, 90 €.",
        "<title>Page not found</title><h1>Page not found</h1><p>A thriller by N. Ask, 280 pages.",
        "<title>A página que não existe</title><h1>A página que não existe</h1><p>O mar leu primeiro o que escrevi na areia.",
        "<title>《页面不存在》</title><h1>《页面不存在》</h1><p>上海展出的一部小说。",
        "<title>老船没有找到</title><ul><li>首页<li>新闻</ul><h1>老船没有找到</h1><p>潜水队星期天返回港口。",
        "<title>Fernsehen</title><h1>Teletext-Seite 404 gibt es nicht mehr</h1><p>Der Sender hat sie nach dreißig Jahren abgeschaltet, und viele schreiben ihm.",
        "<title>Domain kaufen</title><h1>Domain kaufen</h1><p>.de ab 1 € im Monat",
        "<title>Where the ferry is parked</title><h1>Where the ferry is parked</h1><p>Behind the shed, until spring.",
        "<title>Minister: account suspended after a post</title><h1>Minister has account suspended</h1><p>The network gave no reason.",
        "<title>Unsere neue Internetpräsenz</title><h1>Unsere neue Internetpräsenz</h1><p>Sie ist seit Mai online.",
        "<title>Domains for sale</title><h1>Domains for sale</h1><p>a-b.net, c-d.net, e-f.org, g-h.org",
    ] {
        assert_eq!(judge(page), None, "{page}");
    }
}

#[test]
fn menus_of_links_are_no_text_wherever_they_stand() {
    let entries: Vec<String> =
        (0..150).map(|number| format!("<a href=/{number}>Entry {number}</a>")).collect();
    let message = "<h1>Page not found</h1><p>The address may be old.";
    let options: String = (0..150).map(|number| format!("<option>Country {number}")).collect();
    for page in [
        format!("<div>{}</div>{message}", entries.join(" ")),
        format!("<nav>{}</nav>{message}", entries.join(" | ")),
        format!("<table><tr><td>{}<td>{message}</table>", entries.join("<br>")),
        format!("<table><tr><td>{}</table>{message}", entries.join("<tr><td>")),
        format!("{message}<footer>{}</footer>", entries.join(" · ")),
        format!(
            "<p><b>Boats</b><br>{}<br><b>Trains</b><br>{}{message}",
            entries[..4].join("<br>"),
            entries.join("<br>")
        ),
        format!("<select>{options}</select>{message}"),
    ] {
        let text = text_of(&format!("<title>Town</title>{page}"));
        let own = "TownPagenotfoundTheaddressmaybeold.BoatsTrains".len() as u64;
        assert!(
            text.length - text.menu_length <= own,
            "{} {}: {}",
            text.length,
            text.menu_length,
            text.excerpt
        );
        assert!(text.excerpt.len() < 80, "{}", text.excerpt);
        assert!(by_words(&text).is_some(), "{page}");
    }
    // A sentence with links, headlines and a few links are text.
    let headline = "<a href=/1>The council decides on the bridge that was closed in May</a><br>";
    for page in [
        "<p>Ships of <a>Ayr</a>, <a>Bray</a>, <a>Cork</a>, <a>Dover</a>, <a>Epping</a> and <a>Fleet</a>.".to_owned(),
        headline.repeat(8),
        "<a>Home</a> <a>Ships</a> <a>News</a> <a>About</a>".to_owned(),
        "<h1><a>a</a></h1><h2><a>b</a></h2><h2><a>c</a></h2><h2><a>d</a></h2><h2><a>e</a></h2><h2><a>f</a></h2>".to_owned(),
    ] {
        assert_eq!(text_of(&page).menu_length, 0, "{page}");
    }
}

#[test]
fn pages_of_books_works_in_brackets_and_cut_scenes_are_no_errors() {
    for page in [
        "<title>Page 404 - The log</title><h1>Page 404</h1><p>Wind from the west, and land at noon.",
        "<title>Seite 404</title><h1>Seite 404</h1><p>Der Tragödie zweiter Teil.",
        "<title>Page not found (novel)</title><h1>Page not found</h1><p>Ada Holm tells of a librarian and of her cat.",
        "<title>Mill</title><h1>Page not found</h1><p>Page not found is a film about a librarian, made in Wales.",
        "<title>Cuts</title><h1>This scene has been removed</h1><p>An alien met the pilot there, and nobody laughed.",
        "<title>Map</title><h1>Map of this site</h1><ul><li>Home<li>Timetable<li>404 page<li>Not found page<li>Contact</ul>",
        "<title>Sailor not found</title><table><tr><td>Menu<td><br>Sailor not found<br><p>The search ended on Sunday without a trace of his boat.</table>",
    ] {
        assert_eq!(judge(page), None, "{page}");
    }
    for page in [
        "<title>Page 404</title><h1>Page 404</h1><p>La page demandée n'existe pas.",
        "<title>Town</title><h1>This page has been removed</h1><p>An alien met the pilot there, and nobody laughed.",
        "<title>Cinema</title><h1>This scene has been removed</h1>",
    ] {
        assert!(judge(page).is_some(), "{page}");
    }
}

#[test]
fn below_a_heading_error_whatever_is_missing_is_an_error() {
    for (error, missing) in [
        ("Error", "Sailing not found"),
        ("Fehler", "Meldung nicht gefunden."),
        ("Erreur", "Actualité introuvable"),
        ("Error", "Artículo no encontrado"),
        ("Erro", "Notícia não encontrada."),
        ("Errore", "Articolo non trovato"),
        ("Fout", "Artikel niet gevonden"),
        ("Ошибка", "Элемент не найден!"),
        ("エラー", "記事が見つかりません"),
        ("错误", "该记录不存在"),
    ] {
        for page in [
            format!("<title>{error}</title><h2>{error}</h2><p>{missing}</p>"),
            format!("<title>{error}</title><p>{missing}</p>"),
        ] {
            assert!(judge(&page).is_some(), "{page}");
        }
        let table = format!("<title>{error}</title><h2>Oak table</h2><p>{missing}</p>");
        assert_eq!(judge(&table), None, "{table}");
    }
    assert_eq!(judge("<title>Error</title><h1>Error</h1><p>What is measured is not what is true."), None);
}

#[test]
fn menus_and_teasers_hide_no_message_and_templates_are_known() {
    let menu = (0..60).map(|number| format!("<li>Entry {number}")).collect::<String>();
    let teasers = (0..10)
        .map(|number| format!("<h3>News {number}</h3><p>What the council said of road {number}."))
        .collect::<String>();
    for page in [
        format!("<title>Town</title><ul>{menu}</ul><h1>Page not found</h1>"),
        format!("<title>Town</title><ul>{menu}</ul><h1>Page not found</h1><p>The link you followed is old.</p>{teasers}"),
        "<title>404 Not Found 1</title><h1>Whoops, our bad...</h1><p>The page you requested was not found, and we have a fine guess why.".to_owned(),
        "<title>Lakes - Wiki</title><h1>Lakes</h1><p>There is currently no text in this page. You can search for it.".to_owned(),
        "<title>old-mill.net is for sale | Names</title><h1>old-mill.net</h1><p>$2,395. Buy it now.".to_owned(),
        "<title>Bienvenue</title><h1>vieux-moulin.fr</h1><p>Ce nom de domaine est en vente.".to_owned(),
        "<title>oudewerf.nl</title><p>Deze domeinnaam is gereserveerd.".to_owned(),
    ] {
        assert!(judge(&page).is_some(), "{page}");
    }
}
