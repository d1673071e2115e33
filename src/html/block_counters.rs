//! Counters and what else ticks: `1,234 views`, `17 users online`, `3 minutes ago`, `generated in 0.12 seconds`, `© 2024`.

use super::block_words::{CURRENCIES, Cursor, MONEY};

/// What counters count.
#[rustfmt::skip]
const COUNTED: &[&str] = &[
    "views", "view", "visitors", "visits", "hits", "likes", "shares", "downloads", "comments", "replies", "followers",
    "online", "aufrufe", "besucher", "kommentare", "vues", "visiteurs", "commentaires", "vistas", "visitas",
    "comentarios", "visualizações", "comentários", "visite", "commenti", "weergaven", "просмотров", "просмотра",
    "visit", "comment", "reads", "reactions", "aufruf", "klicks", "visites", "vue", "lectures", "abonnés",
    "visualizaciones", "descargas", "lecturas", "visualização", "acessos", "leituras", "visualizzazioni", "letture",
    "bezoekers", "bezoeken", "reacties", "просмотр", "комментариев", "посетителей", "посещений", "скачиваний",
];

/// Names of counters that need no colon.
#[rustfmt::skip]
const COUNTERS: [&str; 24] = [
    "アクセス数", "アクセスカウンター", "アクセスカウンタ", "閲覧数", "閲覧回数", "訪問者数", "来訪者数", "再生回数", "訪問数", "累計アクセス数", "访问量",
    "浏览量", "访问次数", "浏览次数", "点击量", "点击数", "阅读量", "阅读数", "访问人数", "瀏覽次數", "瀏覽人次", "瀏覽人數", "訪問人次", "點擊數",
];

/// What a counter counts: a verb before a number, and "times".
#[rustfmt::skip]
const READ: &[&str] = &[
    "read", "seen", "viewed", "visited", "downloaded", "played", "gelesen", "angesehen", "aufgerufen", "besucht", "heruntergeladen", "lu", "lue", "vu", "vue",
    "consulté", "consultée", "téléchargé", "leído", "leída", "visto", "vista", "descargado", "lido", "lida", "visualizado", "visualizada", "letto", "letta",
    "visitato", "scaricato", "gelezen", "bekeken", "gedownload", "прочитано", "просмотрено", "просмотрена", "скачано", "阅读", "浏览", "点击", "播放", "下载",
    "閱讀", "瀏覽", "点阅", "閲覧", "再生", "コメント", "评论", "評論",
];
#[rustfmt::skip]
const TIMES: &[&str] = &[
    "times", "time", "mal", "x", "fois", "veces", "vez", "vezes", "volte", "volta", "keer", "раз", "раза", "次", "回", "件",
];

/// Counters behind the number, where words are not separated.
#[rustfmt::skip]
const JOINED: &[&str] = &[
    "次阅读", "次浏览", "次播放", "次点击", "次访问", "次观看", "次下载", "人浏览", "人阅读", "人在线", "条评论", "条回复", "回視聴", "回再生", "回閲覧", "回表示", "件のコメント",
    "件のレビュー", "人がいいね",
];

/// How lists of those who are online begin.
#[rustfmt::skip]
const NOW: &[&str] = &[
    "now online", "online now", "currently online", "jetzt online", "gerade online", "actuellement en ligne", "ahora en línea", "agora online", "ora online",
    "nu online", "сейчас на сайте", "сейчас онлайн", "在线人数", "当前在线", "オンライン人数", "pv", "uv",
];

/// Beginnings of what counters say to a visitor: "You are visitor number 1,234".
#[rustfmt::skip]
const YOU: [&str; 15] = [
    "you", "you're", "sie", "du", "vous", "usted", "eres", "es", "você", "sei", "lei", "u", "je", "вы", "visiteur",
];

/// Words for one visitor.
#[rustfmt::skip]
const VISITOR: [&str; 11] = [
    "visitor", "guest", "besucher", "gast", "visiteur", "visitante", "visitatore", "bezoeker", "посетитель", "гость", "visita",
];

/// The same where words are not separated, before the number.
const NTH: [&str; 6] = ["您是第", "你是第", "您是本站第", "您是本站的第", "あなたは", "あなたはこのページの"];

/// Words beside a counter from which on it is a part of a sentence.
const SENTENCE: usize = 3;

/// Words that may follow a counter: of what, where, since when. Any other word makes it a part of a sentence ("512 visitors were hurt").
#[rustfmt::skip]
const BESIDE: &[&str] = &[
    "today", "yesterday", "online", "so", "since", "total", "in", "on", "this", "and", "per", "for", "to", "from", "of", "at", "now", "daily",
    "heute", "gestern", "bisher", "seit", "gesamt", "insgesamt", "und", "pro", "zu", "auf", "für", "am", "aujourd'hui", "depuis", "au", "en",
    "et", "par", "sur", "pour", "dans", "de", "des", "ligne", "hoy", "ayer", "desde", "y", "por", "para", "hoje", "ontem", "e", "no", "na",
    "oggi", "ieri", "dal", "da", "di", "al", "su", "vandaag", "gisteren", "sinds", "totaal", "op", "voor", "van", "сегодня", "вчера", "с",
    "всего", "и", "за", "на", "в", "из",
];

/// Maximum bytes of a sentence that are read before and behind a counter.
const SENTENCE_BYTES: usize = 160;

/// Maximum number of words and numbers read of such a sentence.
const MAX_WORDS: usize = 7;

/// People that are counted while they are online.
#[rustfmt::skip]
const PEOPLE: &[&str] = &[
    "user", "users", "guest", "guests", "member", "members", "people", "visitor", "visitors", "player", "players", "benutzer", "nutzer",
    "gäste", "mitglieder", "besucher", "spieler", "utilisateur", "utilisateurs", "membre", "membres", "visiteur", "visiteurs", "usuario",
    "usuarios", "miembros", "visitantes", "usuário", "usuários", "utilizadores", "membros", "utente", "utenti", "visitatori", "gebruikers",
    "leden", "bezoekers", "пользователей", "пользователя", "гостей", "человек", "посетителей",
];

/// That they are.
const ONLINE: &[&str] = &[
    "online",
    "en ligne",
    "connectés",
    "en línea",
    "conectados",
    "in linea",
    "онлайн",
    "в сети",
    "на сайте",
];

/// Units of a time that has passed.
#[rustfmt::skip]
const UNITS: &[&str] = &[
    "second", "seconds", "sec", "secs", "minute", "minutes", "min", "mins", "hour", "hours", "hr", "hrs", "day", "days", "week", "weeks", "month",
    "months", "year", "years", "sekunde", "sekunden", "minuten", "stunde", "stunden", "tag", "tagen", "woche", "wochen", "monat", "monaten",
    "jahr", "jahren", "seconde", "secondes", "heure", "heures", "jour", "jours", "semaine", "semaines", "mois", "an", "ans", "segundo", "segundos",
    "minuto", "minutos", "hora", "horas", "día", "días", "semana", "semanas", "mes", "meses", "año", "años", "dia", "dias", "mês", "ano", "anos",
    "secondo", "secondi", "minuti", "ora", "ore", "giorno", "giorni", "settimana", "settimane", "mese", "mesi", "anno", "anni", "seconden",
    "uur", "uren", "dag", "dagen", "weken", "maand", "maanden", "jaar", "секунду", "секунды", "секунд", "минуту", "минуты", "минут", "час",
    "часа", "часов", "день", "дня", "дней", "неделю", "недели", "недель", "месяц", "месяца", "месяцев", "год", "года", "лет",
];

/// That it has passed, behind the unit; and the same where words are not separated, with the unit.
const AGO: &[&str] = &["ago", "fa", "geleden", "назад", "atrás"];
#[rustfmt::skip]
const AGO_JOINED: &[&str] = &[
    "秒前", "分前", "分钟前", "分鐘前", "時間前", "小时前", "小時前", "日前", "天前", "週間前", "周前", "か月前", "ヶ月前", "个月前", "個月前", "年前",
];

/// That it has passed, before the number.
const SINCE: &[&str] = &["vor", "il y a", "hace", "há"];

/// That a program has made the page.
#[rustfmt::skip]
const MADE: &[&str] = &[
    "generated", "rendered", "loaded", "created", "built", "executed", "processed", "generiert", "erzeugt", "erstellt", "geladen", "générée",
    "généré", "chargée", "generada", "generado", "cargada", "gerada", "gerado", "carregada", "generata", "generato", "caricata", "gegenereerd",
    "сгенерирована", "создана", "загружена",
];

/// Units of the time that this took.
#[rustfmt::skip]
const TOOK: &[&str] = &[
    "s", "sec", "secs", "second", "seconds", "ms", "milliseconds", "sekunde", "sekunden", "seconde", "secondes", "segundo", "segundos",
    "secondi", "seconden", "сек", "секунд", "секунды", "мс",
];

/// Maximum bytes and words between the sign of a copyright and its year.
const NEAR: usize = 80;
const NEAR_WORDS: usize = 6;

impl Cursor<'_> {
    /// One of several expressions, in any case, and no longer word.
    fn one_of(self, expressions: &[&str]) -> Option<Self> {
        expressions.iter().find_map(|expression| {
            let mut rest = self.0.chars();
            let is_here =
                expression.chars().all(|c| rest.next().is_some_and(|other| other.to_lowercase().eq([c])));
            Cursor(rest.as_str()).ends().filter(|_| is_here)
        })
    }

    /// `users online`, behind the number, from the second word on.
    fn online(self, people: &str) -> Option<Self> {
        self.space().filter(|_| PEOPLE.contains(&people))?.one_of(ONLINE)
    }

    /// `3 minutes ago`, `vor 3 Minuten`, `3分前`.
    pub(super) fn ago(self) -> Option<Self> {
        let near = |rest: Self| rest.space().unwrap_or(rest);
        let unit = |rest: Self| near(rest).one_of(UNITS);
        if let Some(rest) = self.count() {
            let joined = AGO_JOINED.iter().find_map(|ago| near(rest).0.strip_prefix(ago));
            return joined.map(Cursor).or_else(|| unit(rest)?.space()?.one_of(AGO));
        }
        unit(self.one_of(SINCE)?.space()?.count()?)
    }

    /// `generated in 0.123 seconds`.
    pub(super) fn generated(self) -> Option<Self> {
        let (rest, word) = self.word()?;
        let rest =
            rest.space().filter(|_| MADE.contains(&&*word))?.one_of(&["in", "en", "em", "за"])?.space()?;
        let number = rest.0.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ','));
        let rest = Cursor(number);
        rest.space().unwrap_or(rest).one_of(TOOK).filter(|_| number.len() < self.0.len())
    }

    /// The length of the year that stands here, if it is that of a copyright: `© 2024`, `© Mill Ltd. 2019–2024`.
    pub(super) fn copyright_year(self, before: &str) -> Option<usize> {
        let (rest, _) = self.digits(4, 4).filter(|(_, year)| (1900..2100).contains(year))?;
        rest.ends()?;
        let start = before.len().saturating_sub(NEAR);
        let start = (start..=before.len()).find(|at| before.is_char_boundary(*at))?;
        let near = before[start..].to_lowercase();
        let behind =
            ["©", "copyright", "(c)"].iter().filter_map(|sign| Some(near.rfind(sign)? + sign.len())).max()?;
        let between = &near[behind..];
        let is_near = between.split_whitespace().count() <= NEAR_WORDS && !between.contains(['!', '?', '\n']);
        let ends = between.contains(". ") && !between.trim_end().ends_with('.');
        (is_near && !ends).then_some(self.0.len() - rest.0.len())
    }

    /// The length of a counter that is not part of a sentence: "In the flood 512 visitors were hurt" tells a fact.
    pub(super) fn lone_counter(self, before: &str) -> Option<usize> {
        let length = |end: Self| self.0.len() - end.0.len();
        if let Some(end) = self.times().or_else(|| self.now_online()) {
            return Some(length(end));
        }
        let end = self.counter()?;
        const BORDERS: &[char] = &['.', '!', '?', '。', '|', '·', '•', ';', '(', ')', '/', '\n', ':'];
        let is_word = |word: &&str| word.chars().all(char::is_alphabetic);
        let count = |part: &str| part.split_whitespace().filter(is_word).count();
        let start = before.len().saturating_sub(SENTENCE_BYTES);
        let start = (start..=before.len()).find(|at| before.is_char_boundary(*at))?;
        let stop = (0..=SENTENCE_BYTES.min(end.0.len())).rev().find(|at| end.0.is_char_boundary(*at))?;
        let ahead = before[start..].rsplit(BORDERS).next().unwrap_or_default();
        let behind = end.0[..stop].split(BORDERS).next().unwrap_or_default();
        let next = behind.split_whitespace().next().filter(|word| word.starts_with(char::is_lowercase));
        let goes_on = next.is_some_and(|word| {
            (word.chars().count() > 2 && !BESIDE.contains(&word))
                || count(ahead) + behind.split_whitespace().count() >= SENTENCE
        });
        let ends = (end.0.is_empty() || end.0.starts_with(['.', '!', '\n'])) && count(ahead) >= SENTENCE;
        (!goes_on && !ends).then(|| length(end))
    }

    /// `Read 512 times`, `512 mal gelesen`, `阅读(512)`, `512回視聴`.
    fn times(self) -> Option<Self> {
        let near = |rest: Self| rest.space().unwrap_or(rest);
        if let Some(rest) = self.count() {
            if let Some(joined) = JOINED.iter().find_map(|joined| near(rest).0.strip_prefix(joined)) {
                return Some(Cursor(joined));
            }
            return near(rest).one_of(TIMES)?.space()?.one_of(READ);
        }
        let (rest, word) = self.word().filter(|(_, word)| READ.contains(&&**word))?;
        if let Some((inside, _)) = near(rest).sign("(（") {
            return Some(inside.count()?.sign(")）")?.0).filter(|_| word.chars().all(|c| c >= '\u{3000}'));
        }
        let rest = near(near(rest).skip(":："));
        near(rest.count()?).one_of(TIMES)
    }

    /// `Сейчас на сайте: 512`.
    fn now_online(self) -> Option<Self> {
        let rest = self.one_of(NOW)?;
        let rest = rest.space().unwrap_or(rest).skip(":：");
        rest.space().unwrap_or(rest).count()?.ends().filter(|end| !end.has_unit())
    }

    /// `1,234 views`, `Visitors: 1,234`, `You are visitor number 1,234`, `アクセス数 1234`.
    fn counter(self) -> Option<Self> {
        let Some((rest, word)) = self.word() else {
            let rest = self.rounded().or_else(|| self.count())?.skip(".");
            let (rest, word) = rest.space().unwrap_or(rest).word()?;
            return if COUNTED.contains(&&*word) { Some(rest) } else { rest.online(&word) };
        };
        if let Some(end) = self.nth_visitor(&word) {
            return Some(end);
        }
        let near = rest.space().unwrap_or(rest);
        let near = match near.sign(":：") {
            Some((rest, _)) => rest.space().unwrap_or(rest),
            None => near,
        };
        let is_named = COUNTED.contains(&&*word) && near.0.len() + word.len() < self.0.len();
        let has_colon = rest.space().unwrap_or(rest).sign(":：").is_some();
        let is_counter = (is_named && has_colon) || COUNTERS.contains(&&*word);
        let end = near.count().filter(|_| is_counter)?;
        // "Online: 12 EUR" is a price.
        end.ends().filter(|end| !end.has_unit())
    }

    /// `You are visitor number 1,234`, `Sie sind der 1.234. Besucher`, `您是第1234位访客`.
    fn nth_visitor(self, first: &str) -> Option<Self> {
        let (mut rest, mut is_visitor, mut is_counted) = (self.word()?.0, false, false);
        if NTH.contains(&first) {
            let end = rest.space().unwrap_or(rest).count()?;
            return end.sign("位人名个個番").is_some().then_some(end);
        }
        for _ in 0..if YOU.contains(&first) { MAX_WORDS } else { 0 } {
            // `n°`, `No.`, `#`
            let spaced = |rest: Self| rest.space().unwrap_or(rest);
            rest = spaced(spaced(rest.skip(".°º,")).skip("#№"));
            if let Some(end) = rest.count() {
                (is_counted, rest) = (true, end);
            } else {
                let (end, word) = rest.word()?;
                is_visitor |= VISITOR.contains(&&*word);
                rest = end;
            }
            if is_counted && is_visitor {
                return Some(rest);
            }
        }
        None
    }

    /// Whether a currency or a sign for a share follows.
    fn has_unit(self) -> bool {
        let rest = self.space().unwrap_or(self);
        rest.sign(MONEY).is_some()
            || rest.sign("%").is_some()
            || rest.word().is_some_and(|(_, word)| CURRENCIES.contains(&&*word))
    }

    /// `5.2K`, `12k`, `1,3M`.
    fn rounded(self) -> Option<Self> {
        let (rest, _) = self.digits(1, 3)?;
        let rest = rest.sign(".,").and_then(|(rest, _)| rest.digits(1, 2)).map_or(rest, |(rest, _)| rest);
        rest.sign("kKM")?.0.ends()
    }

    /// A whole number, with marks or spaces between groups of three digits.
    fn count(self) -> Option<Self> {
        const MARKS: &str = ".,\u{a0}\u{202f}'’";
        let digits = |rest: Self| rest.0.bytes().take_while(u8::is_ascii_digit).count();
        let first = digits(self);
        let mut rest = (1..=12).contains(&first).then(|| Cursor(&self.0[first..]))?;
        while let Some((behind, _)) = rest.sign(MARKS).filter(|(behind, _)| digits(*behind) > 0) {
            // "12,50" is a price.
            rest = Cursor(behind.0.get(3..).filter(|_| digits(behind) == 3)?);
        }
        while let Some((behind, _)) = rest.sign(" ").filter(|(behind, _)| first <= 3 && digits(*behind) == 3)
        {
            rest = Cursor(behind.0.get(3..)?);
        }
        Some(rest)
    }
}
