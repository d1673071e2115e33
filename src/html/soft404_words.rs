//! The words of error pages, of pages about errors, and of parked domains, in ten languages.
//!
//! All in lower case. A clear statement needs a noun for a page and an expression for "missing" in one sentence.

/// The words of one language.
pub(super) struct Language {
    /// Words are separated by spaces, so matches begin and end at word borders.
    pub(super) spaced: bool,
    /// What is missing: a page, a file, an address.
    pub(super) nouns: &'static [&'static str],
    pub(super) missing: &'static [&'static str],
    /// Statements that need no noun, if they are all that a title or heading says.
    pub(super) whole: &'static [&'static str],
    /// Advice and apologies that accompany such a statement.
    pub(super) help: &'static [&'static str],
    /// Beginnings of words for what the reader requested.
    pub(super) request: &'static [&'static str],
    /// Words of pages that are about errors.
    pub(super) about: &'static [&'static str],
    /// Works that may be called like an error: songs, stories, exhibitions.
    pub(super) works: &'static [&'static str],
}

#[rustfmt::skip]
pub(super) const LANGUAGES: &[Language] = &[
    Language {
        spaced: true,
        nouns: &[
            "page", "file", "document", "url", "address", "resource", "article", "topic", "thread", "post", "product", "item",
            "entry", "site", "website", "content", "key", "link", "location", "component", "profile", "account", "story",
            "listing", "record", "directory", "object", "path", "ad", "advert", "job", "event", "video", "image", "section",
            "position", "book", "title", "episode", "album", "photo", "recipe", "user", "blog", "information", 
            "show", "project", "course", "game", "song", "collection", "exhibit", 
        ],
        missing: &[
            "not found", "cannot be found", "can't be found", "could not be found", "couldn't be found", "wasn't found",
            "not be found", "can't find", "cannot find", "couldn't find", "could not find", "unable to find", "unable to locate",
            "does not exist", "doesn't exist", "do not exist", "didn't exist", "doesn't seem to exist", "does not currently exist",
            "doesn't currently exist", "no longer exists", "no longer exist", "not exist", "no longer available", "no longer here",
            "isn't here", "is not here", "isn't available", "is missing", "has gone missing", "went missing", "has been removed",
            "was removed", "been deleted", "was deleted", "nothing was found", "nothing here", "has moved or", "doesn't live here",
            "no such", "specified is invalid", "does not exist any more", "can not be found", "unavailable", "has expired",
            "does not have", "no longer accepting", "isn't available right now", "no longer for sale", "is gone",
            "nothing to see here", "nothing to find", "no longer online", "no longer part of", "no longer on", "no longer live",
            "no longer active", "no longer published", "taken down", "taken offline", "taken out of service", "got lost",
            "has got lost", "is lost", "leads nowhere", "seem to find", "no page",
            "there isn't a", "there is no page", "wasn't able to find", "were not able to find", "haven't been able to find",
            "did not find", "didn't find", "is unknown", "has vanished",
            "not available", "is private", "been withdrawn", "was withdrawn", "been retired",
            "been unpublished", "cannot get", "not exist or",
        ],
        whole: &[
            "not found", "page not found", "file not found", "nothing found here", "no such page", "page missing", "missing page",
            "error", "page error", "does not exist", "no longer available", "document not found", "page unavailable", "lost",
            "gone", "you're lost", "nothing here", "nothing found",
        ],
        help: &[
            "sorry", "oops", "whoops", "uh oh", "uh-oh", "check the url", "check the address", "check the spelling", "mistyped",
            "go back", "home page", "homepage", "back to home", "return home", "try searching", "try a search", "use the search",
            "broken link", "outdated link", "out of date", "the link you followed", "may have been moved", "may have moved",
            "have been moved", "on this server", "go home", "return to the home", "return to the main", "return to the previous", "return to the start", "take me home", "requested", "you asked for",
            "you requested", "you are looking for", "you're looking for", "you were looking for", "front page", 
            "check your spelling", "bookmark", "wrong turn", "new website", "new site", "see other",
            "back to", "site map", "sitemap", "menu above", "try again", "start over", "start again", "check your spelling", "check the spelling", "how it is spelled", "spellings",
        ],
        request: &[
            "requested", "you asked for", "you request", "you are looking for", "you're looking for", "you were looking for",
            "you tried to", "you are trying to", "you're trying to", "specified", "you selected", "you followed",
            "what you're looking for", "what you are looking for", "you were trying", "you wanted", "you typed", "you entered",
            "you clicked",
        ],
        about: &[
            "how to", "how do", "how i", "how we", "why do", "why does", "why is", "why am", "what is", "what are", "what does",
            "what a", "when i", "when we", "when using", "fix", "fixes", "fixed", "fixing", "solved", "tutorial", "guide",
            "explained", "explains", "meaning", "definition", "glossary", "documentation", "reference", "status codes",
            "error codes", "status code", "list of", "api", "handling", "exception", "best 404", "404 pages", "404 page design",
            "designing", "design", "custom 404", "examples", "interview", "review", "issue", "bug", "wikipedia", "question",
            "troubleshooting", "release notes", "changelog", "soft 404", "soft 404s",
        ],
        works: &[
            "lyrics", "song", "album", "film", "movie", "novel", "episode", "game", "band", "trailer", "poem", "story",
            "exhibition", "board game", "short story", "play", "painting", "poster",
        ],
    },
    Language {
        spaced: true,
        nouns: &[
            "seite", "webseite", "internetseite", "datei", "dokument", "url", "adresse", "artikel", "beitrag", "produkt", "inhalt",
            "inhalte", "ressource", "angebot", "thema", "link", "eintrag", "anzeige", "stelle", "veranstaltung", "profil", "bild",
            "video", "datensatz", "titel", "objekt", "buch", "folge", "album", "exposé", "foto", "rezept", "information",
            "informationen", "benutzer", "blog", "projekt", "kurs", "sendung", "wohnung", "immobilie", 
            "exponat",
        ],
        missing: &[
            "nicht gefunden", "nicht finden", "existiert nicht", "nicht existiert", "existieren nicht", "existiert leider nicht",
            "gibt es nicht", "nicht mehr verfügbar", "nicht verfügbar", "nicht mehr vorhanden", "nicht vorhanden",
            "wurde gelöscht", "wurde entfernt", "nicht mehr existiert", "nicht auffindbar", "unauffindbar", "existiert nicht mehr",
            "gibt es nicht mehr", "gibt es leider nicht", "nicht mehr zur verfügung", "nicht mehr erhältlich",
            "nicht mehr lieferbar", "abgelaufen", "nicht bekannt", "gibt es keine", "gelöscht", "nicht mehr aktiv",
            "nicht geladen werden", "nichts zu finden", "nichts gefunden", "ins leere", "nicht (mehr) vorhanden", "nicht (mehr)",
            "nicht mehr online", "nicht mehr im angebot", "nicht mehr veröffentlicht", "nicht länger verfügbar",
            "verloren gegangen", "verirrt", "keine seite", "nicht erreichbar", "kann nicht angezeigt",
            "wurde deaktiviert", "wurde zurückgezogen", "nie gegeben", "gibt es hier nicht", 
            "nicht existent", "nicht öffentlich",
            "finden wir nicht", "ist privat",
        ],
        whole: &[
            "nicht gefunden", "seite nicht gefunden", "fehler", "seite existiert nicht", "nicht vorhanden", "fehlerseite",
            "seite nicht verfügbar", "hoppla",
        ],
        help: &[
            "leider", "entschuldigung", "hoppla", "ups", "startseite", "zur startseite", "prüfen sie", "überprüfen sie",
            "schreibweise", "vertippt", "tut uns leid", "zurück zur", "suchfunktion", "veraltet", "angeforderte", "gewünschte",
            "aufgerufene", "angegebene", "gesuchte", "lesezeichen", "alte lesezeichen", "neu gestaltet",
            "adresszeile", "zum archiv", "kontaktieren", "sitemap", "unsere suche", "zur suche",
        ],
        request: &[
            "angeforderte", "angefragte", "gewünschte", "aufgerufene", "angegebene", "gesuchte", "eingegebene", "ausgewählte", "gewählte", "sie suchen",
            "du suchst", "ihrer eingabe", "den sie", "der link", "dem sie gefolgt",
        ],
        about: &[
            "beheben", "was ist", "was bedeutet", "bedeutung", "statuscode", "statuscodes", "anleitung", "tipps", "wie man",
            "so geht", "ratgeber", "lexikon", "fehlercodes", "warum", "gestalten", "beispiele",
        ],
        works: &[
            "liedtext", "film", "roman", "album", "erzählung", "gedicht", "ausstellung", "brettspiel", "lied",
        ],
    },
    Language {
        spaced: true,
        nouns: &[
            "page", "fichier", "document", "url", "adresse", "article", "contenu", "ressource", "produit", "lien", "rubrique",
            "annonce", "sujet", "offre", "profil", "vidéo", "événement", "notice", "objet", "livre", "évènement", "album",
            "épisode", "photo", "recette", "information", "utilisateur", "blog", "projet", "cours", 
            "spectacle", "fiche", "émission", "site",
        ],
        missing: &[
            "introuvable", "non trouvée", "non trouvé", "pas été trouvée", "pas été trouvé", "pas trouvée", "pas pu trouver", "n'existe pas",
            "n'existe plus", "n'existent pas", "n'est plus disponible", "n'est pas disponible", "pas trouver", "a été supprimée",
            "a été supprimé", "inexistante", "inexistant", "pu être trouvée", "pu être trouvé", "n'est pas accessible",
            "ne correspond à aucune", "inaccessible", "pas trouvé", "est désactivée", "indisponible", "expirée", "expiré",
            "plus en ligne", "plus disponible", "a été retirée", "a disparu", "a expiré", "nulle part", "égarée", "s'est égarée",
            "perdue", "s'est perdue", "aucune page", "aucun texte", "n'est plus en ligne", "n'est plus à", "n'est plus sur",
            "inconnue", "ne connaissons pas", "a été désactivée", "a été désactivé", "été retiré",
            "été supprimé par", "n'a jamais existé", "aucun résultat à cette adresse", "pas accessible",
            "ne trouvons pas", "est privée", "est privé", "ne retrouvons pas", "ne retrouve pas", "pas retrouver",
        ],
        whole: &[
            "introuvable", "non trouvé", "non trouvée", "page introuvable", "erreur", "page inexistante",
        ],
        help: &[
            "désolé", "désolée", "désolés", "oups", "page d'accueil", "retour à l'accueil", "accueil", "vérifiez l'adresse",
            "vérifier l'adresse", "a pu être déplacée", "a été déplacée", "faute de frappe", "demandée", "demandé",
            "que vous recherchez", "que vous cherchez", "orthographe", "recommencez", "moteur de recherche", "nouvelle recherche",
            "retournez", "lien rompu", "marque-page", "plan du site", "nous excuser", "excusons",
            
        ],
        request: &[
            "demandé", "vous recherch", "vous cherch", "sollicité", "indiqué", "vous souhait", "vous essay", "vous avez demand",
            "vous avez saisi", "vous avez suivi", "recherché",
        ],
        about: &[
            "comment", "corriger", "résoudre", "qu'est-ce", "signification", "définition", "codes", "code http", "guide",
            "tutoriel", "pourquoi", "exemples", "conception", "que faire",
        ],
        works: &[
            "film", "roman", "chanson", "paroles", "poème", "nouvelle", "exposition", "jeu", "album",
        ],
    },
    Language {
        spaced: true,
        nouns: &[
            "página", "pagina", "archivo", "documento", "url", "dirección", "artículo", "contenido", "recurso", "producto",
            "enlace", "sitio", "tema", "anuncio", "oferta", "perfil", "vídeo", "evento", "noticia", "entrada", "registro",
            "objeto", "libro", "empleo", "álbum", "episodio", "foto", "receta", "información", "usuario",
            "blog", "proyecto", "curso", "inmueble", "ficha", "programa", "vivienda", 
        ],
        missing: &[
            "no encontrada", "no encontrado", "no se encontró", "no se ha encontrado", "ha sido retirado", "no se encuentra", "no se pudo encontrar",
            "no pudo ser encontrada", "no ha sido encontrada", "no existe", "ya no existe", "ya no está aquí", "ya no está disponible",
            "no está disponible", "no podemos encontrar", "no hemos encontrado", "no hemos podido encontrar", "ha sido eliminada",
            "ha sido eliminado", "fue eliminada", "inexistente", "no localizado", "no localizada", "no se ha localizado",
            "ha caducado", "caducado", "ya no está", "fue retirado", "ha sido retirada", "no existe ningún", "no existe ninguna",
            "no encontramos", "no se puede encontrar", "no se pudo localizar", "no pudimos encontrar", "ninguna parte",
            "se ha perdido", "se perdió", "ninguna página", "fue eliminado", "fue retirada", "dado de baja",
            "dada de baja", "no conocemos", "desconocida", "desconocido", "nunca existió", "ha desaparecido",
            "todavía no existe", "aún no existe", "no hemos encontrado ninguna", 
            "no disponible",
            "no se ha podido encontrar", "no ha podido ser",
            "es privada", "es privado",
        ],
        whole: &[
            "no encontrado", "no encontrada", "página no encontrada", "página inexistente",
        ],
        help: &[
            "lo sentimos", "lo siento", "vaya", "ups", "página de inicio", "página principal", "volver al inicio", "ir al inicio",
            "compruebe la", "comprueba la", "verifique la", "revisa la dirección", "puede que haya sido movida", "perdón",
            "solicitada", "solicitado", "que busca", "que buscas", "que está buscando", "ortografía", "buscador",
            "vuelva al inicio", "volver a", "marcador", "nueva web", "mapa del sitio", "intente de nuevo", 
            "otra búsqueda",
        ],
        request: &[
            "solicitad", "que busca", "que está busc", "que intenta", "indicad", "especificad",  "que escribió",
            "que ha escrito", "que ha seguido", "su búsqueda", "tu búsqueda",
        ],
        about: &[
            "cómo", "solucionar", "qué es", "qué significa", "significado", "códigos", "guía", "tutorial", "por qué", "ejemplos",
            "diseño", "corregir",
        ],
        works: &[
            "película", "novela", "canción", "letra", "cuento", "poema", "exposición", "juego", "álbum",
        ],
    },
    Language {
        spaced: true,
        nouns: &[
            "página", "pagina", "arquivo", "ficheiro", "documento", "url", "endereço", "artigo", "conteúdo", "recurso", "produto",
            "link", "matéria", "notícia", "tópico", "anúncio", "vaga", "perfil", "vídeo", "evento", "publicação", "registo",
            "registro", "objeto", "livro", "álbum", "episódio", "foto", "receita", "informação", "utilizador", "usuário",
            "blog", "projeto", "curso", "imóvel", "ficha", "programa", "processo",
        ],
        missing: &[
            "não encontrada", "não encontrado", "não foi encontrada", "não foi encontrado", "não existe", "não existe mais",
            "já não existe", "não está disponível", "não está mais disponível", "não pôde ser encontrada",
            "não pode ser encontrada", "não conseguimos encontrar", "não encontramos", "foi removida", "foi removido",
            "foi excluída", "indisponível", "inexistente", "expirado", "expirada", "já não está", "já não se encontra", "não se encontra disponível", "não localizado",
            "não localizada", "não foi localizado", "não foi localizada", "eliminada", "não está mais", "saiu do ar", "encerrada",
            "encerrado", "não encontrámos", "não foi possível encontrar", "não conseguimos localizar", "lugar nenhum", "se perdeu",
            "sumiu", "nenhuma página", "foi eliminado", "foi retirada", "foi retirado", "o retirou", "não conhecemos",
            "desconhecida", "desconhecido", "nunca existiu", "ainda não existe", 
            "foi apagada", "foi apagado", "não disponível", "não achamos", "não achámos", "não conseguimos achar",
            "é privada", "é privado",
        ],
        whole: &[
            "não encontrado", "não encontrada", "página não encontrada", "página inexistente",
        ],
        help: &[
            "desculpe", "lamentamos", "ops", "opa", "página inicial", "voltar para", "voltar ao início", "verifique o endereço",
            "verifique se", "verifique a", "sentimos muito", "pode ter sido movida", "solicitada", "solicitado",
            "que você procura", "que procura", "ortografia", "volte para", "favoritos", "renovamos",
            "novo portal", "mapa do site", "tente novamente", "confira a grafia", "volte ao início",
        ],
        request: &[
            "solicitad", "que você", "que procura", "que busca", "que tent", "indicad", "especificad",  "requisitad",
            "procurad", "que digitou", "que seguiu", "sua pesquisa", "sua busca",
        ],
        about: &[
            "como", "corrigir", "resolver", "o que é", "significado", "códigos", "guia", "tutorial", "por que", "exemplos",
            "entenda",
        ],
        works: &[
            "filme", "romance", "letra", "música", "conto", "poema", "exposição", "jogo", "álbum",
        ],
    },
    Language {
        spaced: true,
        nouns: &[
            "pagina", "file", "documento", "url", "indirizzo", "articolo", "contenuto", "risorsa", "prodotto", "link", "sito",
            "argomento", "discussione", "annuncio", "offerta", "profilo", "evento", "notizia", "scheda", "record", "oggetto",
            "libro", "titolo", "album", "puntata", "episodio", "foto", "ricetta", "informazione", "utente",
            "blog", "progetto", "corso", "immobile", "programma", "collegamento",
        ],
        missing: &[
            "non trovata", "non trovato", "non è stata trovata", "non è stato trovato", "non può essere trovata", "non può essere trovato", "non esiste", "non esiste più",
            "non è disponibile", "non è più disponibile", "non disponibile", "inesistente", "impossibile trovare",
            "non riusciamo a trovare", "non abbiamo trovato", "è stata rimossa", "è stata eliminata", "non è presente",
            "non corrisponde a nessuna", "scaduto", "scaduta", "non è più", "non c'è più", "non siamo riusciti a trovare", "non esiste alcun",
            "non esiste alcuna", "da nessuna parte", "si è persa", "si è perso", "smarrita", "nessuna pagina",
            "è stato rimosso", "è stato eliminato", "è stata ritirata", "lo ha ritirato", "sconosciuta", "sconosciuto",
            "non conosciamo", "mai esistita", "è sparita", "non esiste ancora", 
            "non raggiungibile",
            "cancellata", "cancellato", "è stata spostata o", "spostata o cancellata",
            "non troviamo", "è privata", "è privato", "non sia stato trovato", "trovato nulla",
        ],
        whole: &[
            "non trovato", "non trovata", "pagina non trovata", "pagina inesistente", "errore",
        ],
        help: &[
            "spiacenti", "ci dispiace", "siamo spiacenti", "ops", "oops", "torna alla home", "pagina iniziale", "homepage",
            "home page", "controlla l'indirizzo", "verifica l'indirizzo", "potrebbe essere stata", "richiesta", "richiesto",
            "che cercavi", "che stai cercando", "che cerchi", "ortografia", "torna alla", "preferiti", 
            "nuovo sito", "mappa del sito", "riprova", 
        ],
        request: &[
            "richiest", "che cerc", "che stai cerc", "che stavi cerc", "che hai", "indicat", "specificat", "che hai digitato",
            "che hai seguito", "tua ricerca",
        ],
        about: &[
            "come", "risolvere", "correggere", "cos'è", "cosa significa", "che cosa", "significato", "codici", "guida", "tutorial",
            "perché", "esempi", "cosa fare",
        ],
        works: &[
            "romanzo", "canzone", "testo", "racconto", "poesia", "poesie", "mostra", "gioco",
        ],
    },
    Language {
        spaced: true,
        nouns: &[
            "pagina", "bestand", "document", "url", "adres", "artikel", "inhoud", "bron", "product", "link", "bericht",
            "webpagina", "onderwerp", "advertentie", "vacature", "profiel", "evenement", "topic", "titel", "object", "record",
            "boek", "aflevering", "album", "foto", "recept", "informatie", "gebruiker", "blog", "project",
            "cursus", "woning", "programma", "video",
        ],
        missing: &[
            "niet gevonden", "niets gevonden", "niet vinden", "bestaat niet", "niet bestaat", "bestaat niet meer", "bestaat helaas niet",
            "niet meer beschikbaar", "niet beschikbaar", "is verwijderd", "werd verwijderd", "onvindbaar", "niet meer te vinden",
            "kon niet worden gevonden", "kan niet worden gevonden", "niet worden gevonden", "niet meer leverbaar", "onbekend", "niet aanwezig", "was niet gevonden", "verlopen",
            "niet meer actief", "verplaatst of verwijderd", "verwijderd of verplaatst", "is zoek", "zoekgeraakt", "kwijt",
            "kwijtgeraakt", "nergens heen", "geen pagina", "niet meer online", "staat niet meer", "niet (meer)",
            "nooit bestaan", "kennen we niet", 
            "door de gebruiker verwijderd", "niet langer beschikbaar", "kan niet worden getoond", "niet bereikbaar",
            "verhuisd of verwijderd",
            "is privé",
        ],
        whole: &[
            "niet gevonden", "pagina niet gevonden", "pagina bestaat niet", "foutpagina",
        ],
        help: &[
            "helaas", "sorry", "oeps", "startpagina", "homepage", "terug naar", "controleer het adres", "controleer de url",
            "controleer of", "typefout", "verplaatst", "excuses", "opgevraagde", "die je zoekt", "die u zoekt", "die je zocht",
            "zoekfunctie", "ga terug", "bladwijzer", "nieuwe site", "sitemap", "controleer de spelling",
        ],
        request: &[
            "opgevraagd", "gevraagd", "aangevraagd", "die je", "die u", "dat u", "dat je", "opgegeven", "dat je hebt",
            "die je hebt", "zoekopdracht",
        ],
        about: &[
            "hoe", "oplossen", "wat is", "wat betekent", "betekenis", "statuscodes", "statuscode", "handleiding", "waarom",
            "voorbeelden", "foutcodes", "tips",
        ],
        works: &[
            "songtekst", "roman", "verhaal", "gedicht", "tentoonstelling", "spel", "film", "album",
        ],
    },
    Language {
        spaced: true,
        nouns: &[
            "страница", "страницу", "страницы", "файл", "документ", "адрес", "адресу", "статья", "материал", "раздел", "товар",
            "ресурс", "ссылка", "ссылке", "тема", "объявление", "вакансия", "профиль", "запись", "новость", "публикация", "объект",
            "записи", "книга", "эпизод", "выпуск", "альбом", "фото", "рецепт", "информация", "информации",
            "пользователь", "блог", "проект", "курс", "квартира", "экспонат", "экспоната", "программа", 
            "видео", "событие", "объекта", "контент",
        ],
        missing: &[
            "не найдена", "не найден", "не найдено", "не существует", "больше не существует", "не может быть найдена",
            "не удалось найти", "не удаётся найти", "не удается найти", "не смогли найти", "отсутствует", "удалена", "удалён",
            "удален", "была удалена", "недоступна", "нет на сайте", "у нас нет", "не нашли", "не нашлась", "снято с публикации", "нет такой",
            "снят с продажи", "снята с продажи", "не зарегистрирован", "в каталоге нет", "ничего не нашли", "в архиве",
            "потерялась", "потеряна", "пропала", "никуда не ведёт", "никуда не ведет", "больше нет", "пока нет", "ещё нет",
            "не знаем", "удалено", "был удалён", "был удален", "недоступно", "недоступен",
            "неактуально", "нигде нет", "каталоге нет", "никогда не было", "такого нет", "не размещена", "не актуально",
            "не нашли", "не можем найти", "не доступна", "не доступен", "не доступно", "страницы нет",
        ],
        whole: &[
            "не найдено", "страница не найдена", "страница не существует", "ошибка", "страницы не существует",
            "нет такой страницы", "такой страницы нет",
        ],
        help: &[
            "извините", "к сожалению", "упс", "ой", "на главную", "главную страницу", "главная страница", "проверьте адрес",
            "проверьте правильность", "неправильно набран", "устарела", "перейти на главную", "вернуться", "перемещена",
            "запрошенная", "запрошенный", "запрашиваемая", "запрашиваемый", "написание", "поиском", "вернитесь",
            "закладк", "обновили", "новый сайт", "карта сайта", "увы", "проверьте написание",
        ],
        request: &[
            "запрошен", "запрашиваем", "вы ищете", "вы искали", "указанн", "вы запрос", "вы ввели", "вы пришли", "вашему запросу",
        ],
        about: &[
            "как исправить", "как", "исправить", "что такое", "что значит", "значение", "коды", "код ответа", "руководство",
            "почему", "примеры", "устранить",
        ],
        works: &[
            "фильм", "роман", "песня", "текст песни", "рассказ", "стихи", "стихотворение", "выставка", "игра", "альбом",
        ],
    },
    Language {
        spaced: false,
        nouns: &[
            "ページ", "記事", "ファイル", "url", "アドレス", "コンテンツ", "商品", "サイト", "リンク", "情報", "スレッド", "トピック", "求人", "広告", "動画", "投稿", "書誌",
            "ブログ", "データ", "ユーザー", "公演", "物件", "資料", "アルバム", "写真", "レシピ", "番組", "エピソード", "作品", "プロジェクト", "講座", "イベント",
            "ドキュメント", 
        ],
        missing: &[
            "見つかりません", "見つかりませんでした", "みつかりません", "存在しません", "存在しない", "ありません", "削除され", "見つけることができません", "見当たりません", "ございません",
            "アクセスできません", "取り扱いしておりません", "取り扱っておりません", "登録されていません", "該当するデータがありません", "終了しました", "終了いたしました", "迷子", "掲載を終了", "掲載は終了",
            "掲載終了", "公開されていません", "公開を終了", "再生できません", "表示できません", "消えました", "なくなりました", "終了しています", "非公開", "存在していません",
            "見つけられませんでした", "見失", "辿り着けません", "たどり着けません",
        ],
        whole: &[
            "見つかりません", "ページが見つかりません", "ページが存在しません", "エラー", "見つかりませんでした",
        ],
        help: &[
            "申し訳", "トップページ", "ホームへ", "ホームに戻る", "お探しの", "ご指定の", "移動した", "移動または", "ご確認ください", "アドレスが間違", "お手数", "指定された", "表記", 
            "ホームに", "一覧へ", "リンク切れ", "新しくしました", "リニューアル", "サイトマップ", 
        ],
        request: &[
            "お探しの", "ご指定の", "指定された", "該当する", "要求された", "ご覧になろうと", "アクセスいただいた", "お求めの", "入力された", "お探し", "アクセスされた",
        ],
        about: &[
            "とは", "方法", "対処", "原因", "解決", "意味", "一覧", "解説", "使い方", "作り方", "デザイン", "まとめ",
        ],
        works: &[
            "映画", "小説", "歌詞", "詩", "展覧会", "ゲーム", "物語",
        ],
    },
    Language {
        spaced: false,
        nouns: &[
            "页面", "网页", "頁面", "網頁", "文件", "内容", "內容", "文章", "地址", "链接", "連結", "商品", "资源", "帖子", "主题", "頁", "职位", "職位", "视频", "主題",
            "记录", "記錄", "资料", "用户", "演出", "房源", "藏品", "相册", "照片", "菜谱", "节目", "信息", "資訊", "作品", "项目", "课程", "活动", "条目", 
            "词条", "影片",
        ],
        missing: &[
            "不存在", "未找到", "找不到", "没有找到", "沒有找到", "無法找到", "无法找到", "已删除", "已被删除", "被删除", "已被刪除", "已不存在", "丢失", "不见了", "已失效", "飞走",
            "无法访问", "已下架", "已下线", "已停止", "没有此", "沒有此", "查无此", "删除", "已关闭", "已關閉", "已不在", "走丢", "走失", "迷路", "没有对应", "沒有對應", "还没有",
            "移除", "不可用", "不可访问", "无法显示", "已撤", "已过期", "没有这个", "沒有這個", "无此", "查無", "未能找到", 
        ],
        whole: &[
            "页面不存在", "未找到", "找不到", "找不到页面", "页面未找到", "找不到網頁", "頁面不存在", "出错了",
        ],
        help: &[
            "抱歉", "对不起", "對不起", "返回首页", "回首页", "返回首頁", "回首頁", "首页", "您访问的", "您所访问的", "您要找的", "您請求的", "您请求的", "请检查", "請檢查", "输入的网址",
            "所请求的", "请求的", "您查看的", "您要的", "拼写", "改版", "网站地图", "链接可能", "很遗憾", "哎呀",
        ],
        request: &[
            "您访问", "您所访问", "您要", "您请求", "您請求", "请求的", "您查", "指定的", "您找", "你访问", "你要", "您浏览", "您输入", "您点击", "你输入",
        ],
        about: &[
            "什么是", "什麼是", "如何", "怎么", "怎麼", "解决", "解決", "方法", "原因", "状态码", "狀態碼", "教程", "是什么意思", "详解", "设计",
        ],
        works: &[
            "电影", "電影", "小说", "小說", "歌词", "诗", "展览", "游戏", "故事",
        ],
    },
];

/// Clear statements in further languages: Swedish, Danish, Norwegian, Finnish, Polish, Czech, Hungarian, Romanian,
/// Turkish, Greek, Ukrainian, Korean, Arabic, Hebrew; and some of people and of programs in English.
#[rustfmt::skip]
pub(super) const STATEMENTS: &[&str] = &[
    "sidan hittades inte", "sidan kunde inte hittas", "sidan finns inte", "siden blev ikke fundet",
    "siden findes ikke", "siden ble ikke funnet", "siden finnes ikke", "sivua ei löydy",
    "sivua ei löytynyt", "nie znaleziono strony", "strona nie istnieje",
    "strona nie została znaleziona", "stránka nenalezena", "stránka nebyla nalezena",
    "stránka neexistuje", "az oldal nem található", "a keresett oldal nem található",
    "pagina nu a fost găsită", "pagina nu există", "sayfa bulunamadı", "sayfa mevcut değil",
    "η σελίδα δεν βρέθηκε", "η σελίδα δεν υπάρχει", "сторінку не знайдено", "сторінка не знайдена",
    "페이지를 찾을 수 없습니다", "존재하지 않는 페이지", "الصفحة غير موجودة", "لم يتم العثور على الصفحة", "הדף לא נמצא",
    "העמוד לא נמצא",
    "can't find that", "couldn't find that", "cannot find that", "could not find that", "cannot get /", "no route matches", "no input file specified", "nosuchkey",
];

/// Words about a site itself, which sentences of error pages have and other sentences seldom: beginnings, in all languages.
#[rustfmt::skip]
pub(super) const OF_SITE: &[&str] = &[
    "address", "link", "url", "website", "web site", "our site", "this site", "adresse", "website", "suche", "lien", "ce site", "du site",
    "le site", "dirección", "enlace", "buscador", "sitio", "endereço", "pesquisa", "indirizzo", "sito", "adres", "zoekfunctie", "адрес",
    "ссылк", "сайт", "поиск", "リンク", "サイト", "アドレス", "链接", "网站", "网址", "網站", "網址", "連結",
];

/// Words of sentences that tell what a browser or a site does, or speak of messages: they quote an error, they do not report one.
#[rustfmt::skip]
pub(super) const REPORTING: &[&str] = &[
    "shows", "showing", "showed", "displays", "displayed", "returns", "returned", "says", "zeigt", "zeigte", "meldet", "liefert", "affiche",
    "affichait", "renvoie", "muestra", "mostraba", "devuelve", "mostra", "exibe", "retorna", "restituisce", "toont", "toonde", "показывает",
    "выдаёт", "выдает", "と出", "と表示", "显示", "顯示", "提示", "error message", "response code", "fehlermeldung", "message d'erreur",
    "mensaje de error", "mensagem de erro", "messaggio di errore", "foutmelding", "сообщение об ошибке", "エラーメッセージ", "错误信息",
];

/// Words that say when or after what something happens: in a title, such a statement is about that.
#[rustfmt::skip]
pub(super) const AFTER: &[&str] = &[
    "after", "since", "upon", "nach", "seit", "beim", "après", "depuis", "lors", "tras", "después", "desde", "al", "após", "depois", "ao", "dopo",
    "da quando", "na", "sinds", "bij", "после", "при", "後に", "之后", "后",
];

/// That a link or an address is at fault.
#[rustfmt::skip]
pub(super) const WRONG: &[&str] = &[
    "wrong", "broken", "incorrect", "mistyped", "outdated", "old", "dead", "falsch", "veraltet", "fehlerhaft", "kaputt", "erroné", "rompu",
    "incorrect", "mal", "roto", "incorrecto", "errado", "quebrado", "sbagliato", "errato", "interrotto", "klopt", "verkeerd", "kapot",
    "неверна", "неверен", "неправильн", "устарел", "間違", "古い", "有误", "错误", "過期", "过期", "失效",
];

/// That something was taken away: beginnings.
#[rustfmt::skip]
pub(super) const REMOVED: &[&str] = &[
    "removed", "deleted", "taken", "entfernt", "gelöscht", "supprimé", "retiré", "eliminad", "retirad", "borrad", "removid", "excluíd", "apagad", "eliminat",
    "rimoss", "cancellat", "verwijderd", "geschrapt", "удал", "снят", "削除", "删除", "刪除", "移除",
];

/// That a registration has run out.
#[rustfmt::skip]
pub(super) const EXPIRED: &[&str] = &[
    "expired", "abgelaufen", "a expiré", "caducado", "ha vencido", "expirou", "scaduto", "verlopen", "истёк", "истек", "有効期限が切れ", "期限切れ",
    "已过期", "已過期",
];

/// Nouns that mean this page and nothing else.
#[rustfmt::skip]
pub(super) const PAGE_ONLY: &[&str] = &[
    "page", "seite", "webseite", "internetseite", "página", "pagina", "webpagina", "страница", "страницу", "страницы", "ページ", "页面", "网页",
    "頁面", "網頁", "url",
];

/// Words about errors that sites have in their names: they say less beside the statement than in it.
#[rustfmt::skip]
pub(super) const OF_NAMES: &[&str] = &[
    "documentation", "reference", "guide", "api", "tutorial", "examples", "design", "question", "wikipedia", "review", "ratgeber", "guida",
    "guía", "guia", "tips", "tipps", "wiki", "encyclopedia", "encyclopaedia", "enzyklopädie", "encyclopédie", "enciclopedia", "enciclopédia",
    "encyclopedie", "энциклопедия", "百科", "事典", "wiktionary",
];

/// What may accompany 404 in the title of an error page.
#[rustfmt::skip]
pub(super) const ERROR_WORDS: &[&str] = &[
    "error", "http", "https", "status", "code", "page", "not", "found", "fehler", "seite", "nicht",
    "gefunden", "erreur", "introuvable", "non", "trouvée", "trouvé", "trovata", "trovato", "página",
    "pagina", "no", "encontrada", "encontrado", "não", "erro", "errore", "fout", "niet", "gevonden",
    "ошибка", "страница", "не", "найдена", "エラー", "ページが見つかりません", "错误", "錯誤", "页面不存在", "未找到", "oops",
    "sorry", "fel", "chyba", "błąd", "hata", "オーバー", "找不到页面", "页面未找到", "file", "document", "the", "a",
];

/// Names of errors that come with a number.
#[rustfmt::skip]
pub(super) const ERROR_NAMES: &[&str] = &[
    "error", "http", "status", "fehler", "fehlercode", "erreur", "erro", "errore", "fout", "foutcode", "ошибка", "ошибки", "エラー",
    "エラーコード", "错误", "错误代码", "錯誤", "錯誤代碼", "fel", "chyba", "błąd", "hata",
];

/// Words that point to the thing a page is about.
#[rustfmt::skip]
pub(super) const THIS: &[&str] = &[
    "this", "dieser", "diese", "dieses", "diesen", "ce", "cet", "cette", "este", "esta", "esse", "essa", "questo", "questa", "quest'", "dit",
    "deze", "этот", "эта", "это", "этому", "этой", "этом", "этого", "данный", "данная", "neste", "nesta", "deste", "desta", "diesem", "この", "当該", "该", "該", "此",
];

/// Words of sentences that say when something happens, not that it has.
#[rustfmt::skip]
pub(super) const WHEN: &[&str] = &[
    "when", "whenever", "if", "wenn", "falls", "если", "如果", "若", "場合", "quand", "lorsque", "lorsqu'un", "lorsqu'une", "cuando", "quando", "wanneer", "когда",
];

/// What people write who ask about a site of their own.
#[rustfmt::skip]
pub(super) const ASKING: &[&str] = &[
    "my site", "my website", "my blog", "my page", "meine seite", "meiner seite", "meine website", "mon site", "mon blog", "mi sitio",
    "mi web", "mi página", "meu site", "mio sito", "mijn site", "mijn website", "мой сайт", "моём сайте", "моем сайте",
    "私のサイト", "自分のサイト", "我的网站", "我的網站",
];

/// What parked domains say.
#[rustfmt::skip]
pub(super) const PARKED: &[&str] = &[
    "this domain is for sale", "this domain may be for sale", "domain is for sale",
    "domain name is for sale", "buy this domain", "parked free",
    "this domain has expired", "domain has expired",
    "this domain name has expired", "domain has been registered", "this domain is registered",
    "future home of something quite cool", "inquire about this domain", "domain steht zum verkauf",
    "domain ist geparkt", "diese domain wurde registriert", "domain ist registriert",
    "nom de domaine est à vendre", "domaine est à vendre", "ce domaine est à vendre",
    "dominio está en venta", "este dominio está a la venta", "domínio está à venda",
    "dominio è in vendita", "domeinnaam is te koop",
    "domein is te koop", "deze domeinnaam is geregistreerd", "домен продается", "домен продаётся",
    "домен припаркован", "このドメインは売り", "このドメインは販売", "域名正在出售", "parked for free",
    "该域名已过期", "购买此域名",
];

/// What parked domains say of themselves, and shops for domains of what they sell: it needs the name of the one domain, or nothing else to read.
#[rustfmt::skip]
pub(super) const OFFERS: &[&str] = &[
    "domain for sale", "domain name for sale", "parked domain", "domain parking", "domain kaufen", "domain zu verkaufen", "domaine réservé", "domaine à vendre",
    "dominio en venta", "comprar dominio", "domínio à venda", "comprar domínio", "dominio in vendita", "domein te koop", "domeinnaam te koop", "купить домен",
    "домен на продажу", "ドメインを購入", "ドメイン販売", "域名出售", "域名转让", "出售域名",
];

/// Titles and headings of such pages, if they say nothing else.
#[rustfmt::skip]
pub(super) const CLOSED: &[&str] = &[
    "account suspended", "this account has been suspended", "account has been suspended", "website suspended", "site suspended", "domain parked",
];

/// That a domain is taken and has no site.
#[rustfmt::skip]
pub(super) const RESERVED: &[&str] = &[
    "reserved", "registered", "reserviert", "registriert", "réservé", "enregistré", "reservado", "registrado", "riservato", "registrato", "gereserveerd",
    "geregistreerd", "зарезервирован", "зарегистрирован", "予約され", "取得され", "已被注册", "已注册", "parked", "geparkt", "geparkeerd",
];

/// Titles of walls against robots.
#[rustfmt::skip]
pub(super) const WALL_TITLES: &[&str] = &[
    "just a moment", "attention required", "access denied", "access to this page has been denied",
    "making sure you're not a bot", "pardon our interruption", "please wait",
    "one moment, please", "robot check", "bot verification", "human verification", "security check",
    "security verification", "ddos-guard", "are you a robot?", "are you a robot",
    "verifying you are human", "einen moment", "nur einen moment", "un instant", "un momento",
    "sicherheitsüberprüfung", "vérification de sécurité", "verificación de seguridad", "verificação de segurança",
    "too many requests", "429 too many requests", "rate limit exceeded", "verifica di sicurezza", "проверка безопасности", "安全验证", "人机验证", "보안 확인",
];

/// How walls against robots ask for a human: nothing else is titled so.
#[rustfmt::skip]
pub(super) const HUMAN: &[&str] = &[
    "verify you are human", "verify that you are human", "verify that you're not a robot", "verify you're not a robot",
    "confirm you are human", "confirm you are a human", "confirm that you are human", "prove you are human",
    "prove that you are human", "are you human?",
    "dass sie ein mensch sind", "dass sie kein roboter sind", "ob sie ein mensch sind", "sind sie ein mensch?",
    "que vous êtes humain", "que vous êtes un humain", "que vous êtes un être humain", "que vous n'êtes pas un robot",
    "êtes-vous humain", "êtes-vous un robot",
    "que es un ser humano", "que eres humano", "que eres un humano", "que usted es humano", "que no eres un robot",
    "que no es un robot", "¿eres humano?", "¿eres un robot?",
    "que você é humano", "se você é humano", "que você não é um robô", "que é humano", "que não é um robô",
    "di essere umano", "di essere un essere umano", "che sei umano", "di non essere un robot", "che non sei un robot",
    "dat u een mens bent", "dat je een mens bent", "dat u geen robot bent", "dat je geen robot bent",
    "że jesteś człowiekiem", "że nie jesteś robotem", "czy jesteś człowiekiem",
    "что вы человек", "что вы не робот", "вы не робот?",
    "insan olduğunuzu", "robot olmadığınızı", "att du är människa", "att du är en människa", "at du er et menneske",
    "že jste člověk", "že nejste robot", "bahwa anda manusia", "bahwa anda bukan robot",
    "あなたが人間であること", "人間であることを確認", "ロボットではないこと", "您是真人", "你是真人", "您不是机器人", "你不是机器人",
    "您是人類", "사람인지 확인", "로봇이 아님을", "أنك إنسان", "أنك لست روبوت", "bạn là con người", "bạn không phải là robot",
];

/// What walls against robots say.
#[rustfmt::skip]
pub(super) const WALL_WORDS: &[&str] = &[
    "checking your browser", "verify you are human", "verify that you are human",
    "verifying you are human", "you are human by completing", "confirm you are human",
    "confirm you are a human", "press & hold", "press and hold", "making sure you're not a bot",
    "please enable js and disable any ad blocker",
    "prove you are human", "not a robot", "are you a robot", "complete the security check",
    "performing security verification", "needs to review the security of your connection",
    "enable javascript and cookies to continue", "enable cookies and reload", "ddos protection by",
    "performance & security by cloudflare", "cloudflare ray id", "ray id:", "incapsula incident id",
    "you don't have permission to access", "errors.edgesuite.net", "made us think you were a bot",
    "unusual traffic from your computer network", "our systems have detected unusual traffic",
    "automated queries", "automated access", "sucuri website firewall", "wordfence",
    "you have been blocked", "too many requests", "you have been rate limited", "rate limit exceeded", "solve the captcha", "complete the captcha",
    "enter the characters you see", "ihr browser wird geprüft", "ihr browser wird überprüft",
    "überprüfung ihres browsers", "sicherheit ihrer verbindung", "kein roboter", "vérification de votre navigateur",
    "la sécurité de votre connexion", "je ne suis pas un robot", "comprobando su navegador", "comprobando tu navegador",
    "la seguridad de su conexión", "no soy un robot", "verificando seu navegador", "verificando o seu navegador",
    "a segurança da sua conexão", "não sou um robô", "non sono un robot", "verifica del browser", "ik ben geen robot",
    "nie jestem robotem", "я не робот", "проверка браузера", "ben robot değilim", "ロボットではありません", "我不是机器人",
    "進行人機驗證", "请完成安全验证", "로봇이 아닙니다",
];

/// Words of English error pages besides their nouns.
#[rustfmt::skip]
pub(super) const USUAL: &[&str] = &[
    "the", "a", "an", "this", "that", "you", "you're", "your", "we", "we're", "i", "i'm", "it", "are",
    "is", "was", "were", "be", "been", "has", "have", "had", "may", "might", "or", "and", "of", "on",
    "at", "in", "for", "to", "by", "with", "not", "no", "longer", "found", "find", "exist", "exists",
    "doesn't", "does", "do", "didn't", "can", "can't", "cannot", "could", "couldn't", "looking",
    "requested", "request", "tried", "trying", "reach", "access", "open", "visit", "want", "wanted",
    "sorry", "oops", "error", "404", "http", "status", "server", "web", "site", "website", "here",
    "moved", "deleted", "removed", "available", "missing", "seem", "seems", "but", "uh", "oh", "whoops",
    "afraid", "currently", "any", "more", "anymore", "what", "which", "wasn't", "isn't", "such",
    "there", "nothing", "like", "looks", "unfortunately", "our", "specified", "invalid", "asked",
    "name", "its", "changed", "temporarily", "unavailable", "address", "typed", "entered", "follow",
    "followed", "broken", "outdated", "old", "please", "from", "unable", "locate", "click", "clicked",
];

/// Nouns that mean the page itself.
#[rustfmt::skip]
pub(super) const PAGE_NOUNS: &[&str] = &[
    "page", "url", "address", "seite", "webseite", "internetseite", "adresse", "página", "pagina",
    "dirección", "endereço", "indirizzo", "adres", "webpagina", "страница", "страницу", "страницы",
    "адрес", "адресу", "ページ", "页面", "网页", "頁面", "網頁", "document", "file", "datei", "dokument",
    "fichier", "archivo", "documento", "arquivo", "ficheiro", "bestand", "файл", "документ", "ファイル",
    "文件", "key", "location", "頁", "resource", "ressource", "recurso", "risorsa", "ресурс", "リソース", "资源",
];

/// Words that name an error without saying which: alone too little, beside a statement one sign more.
#[rustfmt::skip]
pub(super) const BARE: &[&str] = &[
    "error", "fehler", "erreur", "errore", "erro", "fout", "ошибка", "エラー", "错误", "錯誤", "出错了", "lost", "gone",
];

/// Words between a noun and what is said of it in a clause: "the page that was never found".
#[rustfmt::skip]
pub(super) const RELATIVE: &[&str] = &[
    "that", "which", "who", "qui", "que", "che", "которая", "которую", "которой", "который", "которое", "которые", "которого", "которых", "которому", "которым",
];

/// That something never was, or never came to light.
#[rustfmt::skip]
pub(super) const NEVER: &[&str] = &[
    "never", "так и не", "niemals", "jamais", "jamás", "nooit", "从未", "從未", "ついに",
];

/// Signs before the number of a thing.
pub(super) const NUMBER_SIGNS: [char; 4] = ['#', '№', '§', '¶'];

/// Abbreviations before a number.
#[rustfmt::skip]
pub(super) const ABBREVIATIONS: &[&str] = &[
    "no", "nr", "nro", "num", "núm", "n", "s", "ss", "sec", "sect", "para", "reg", "cl", "art", "ref", "mod", "ch", "kap", "cap", "vol", "bd", "p", "pp", "abs", "str", "д", "стр", "ст",
];

/// Words for a domain.
#[rustfmt::skip]
pub(super) const DOMAIN: &[&str] = &[
    "domain", "domaine", "dominio", "domínio", "domein", "домен", "ドメイン", "域名", "網域",
];

/// That something is for sale.
#[rustfmt::skip]
pub(super) const FOR_SALE: &[&str] = &[
    "for sale", "zum verkauf", "à vendre", "en venta", "a la venta", "à venda", "in vendita", "te koop", "продается",
    "продаётся", "販売中", "売り出し", "出售", "en vente", "steht zur verfügung", "available for purchase", "zu verkaufen", "転売", "转让",
];
