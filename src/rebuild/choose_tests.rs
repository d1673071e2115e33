use super::*;
use crate::capture::testing::{Look, look};
use crate::capture::{Covers, Observation};
use crate::html::soft404::Soft404;

static NONE: std::sync::LazyLock<HashSet<String>> = std::sync::LazyLock::new(HashSet::new);
static SOUND: std::sync::LazyLock<Places> = std::sync::LazyLock::new(Places::new);

fn chosen(looks: &[Look], url: &str, rule: Rule) -> String {
    choice(looks.iter().cloned().map(Look::build).collect(), url, rule)
}

fn choice(observations: Vec<Observation>, url: &str, rule: Rule) -> String {
    let table = Table::of(&observations);
    let chooser = Chooser::new(&table, Canon::Strict, Overrides::default(), (&NONE, &SOUND), &[0], &[true]);
    let page = table.pages().iter().position(|page| table.text(page.key) == url).unwrap();
    let candidates = chooser.candidates(page);
    let best = chooser.best(candidates.iter(), rule, &HashSet::new(), None).unwrap();
    table.rows()[best.row].time.to_string()
}

#[test]
fn the_newest_parking_page_is_not_taken_while_a_better_one_exists() {
    // The library site: a new owner serves one page for every address, the root included.
    let mut looks = vec![
        look("http://a.example/", "2005-01-01T00:00:00Z").body(1),
        look("http://a.example/x", "2005-01-01T00:00:00Z").body(2),
    ];
    for name in ["", "x", "y", "z", "u", "v"] {
        looks.push(look(&format!("http://a.example/{name}"), "2006-03-01T00:00:00Z").body(9));
    }
    let mut observations: Vec<Observation> = looks.into_iter().map(Look::build).collect();
    for parked in &mut observations[2..] {
        parked.soft404 = Some(Soft404::TitleWords { words: "domain for sale".to_owned(), score: 1.0 });
    }
    for url in ["http://a.example/", "http://a.example/x"] {
        assert_eq!(choice(observations.clone(), url, Rule::Newest), "2005-01-01T00:00:00Z", "{url}");
    }
    // Where nothing better exists it is taken all the same.
    assert_eq!(choice(observations, "http://a.example/y", Rule::Newest), "2006-03-01T00:00:00Z");
}

#[test]
fn errors_come_last_and_dates_decide_among_equals() {
    let url = "http://a.example/p/q";
    let looks = [
        look(url, "2001-01-01T00:00:00Z").body(1),
        look(url, "2003-01-01T00:00:00Z").body(2),
        look(url, "2004-01-01T00:00:00Z").status(404),
        look(url, "2005-01-01T00:00:00Z").status(503),
    ];
    assert_eq!(chosen(&looks, url, Rule::Newest), "2003-01-01T00:00:00Z");
    let at = |date: &str| Rule::Closest(crate::capture::testing::parse(date));
    assert_eq!(chosen(&looks, url, at("2001-06-01T00:00:00Z")), "2001-01-01T00:00:00Z");
    assert_eq!(chosen(&looks, url, at("2005-01-01T00:00:00Z")), "2003-01-01T00:00:00Z");
}

#[test]
fn a_capture_that_contradicts_its_own_digest_is_the_last_resort() {
    let url = "http://a.example/p/q";
    let dated = |year: u32| look(url, &format!("{year}-01-01T00:00:00Z")).body(year as u8).build();
    let refuted = |year: u32| Observation { digest_ok: Some(false), ..dated(year) };
    let in_block = |year: u32| Observation { damage: Some("date block-digest".to_owned()), ..dated(year) };
    for damaged in [refuted(2005), in_block(2005)] {
        let of = |others: &[Observation]| {
            choice([std::slice::from_ref(&damaged), others].concat(), url, Rule::Newest)[..4].to_owned()
        };
        assert_eq!(of(&[dated(2001), dated(2003)]), "2003");
        let redirect = Observation { status: Some(302), location: Some("/x".to_owned()), ..dated(2001) };
        assert_eq!(of(&[redirect]), "2001", "a sound redirect goes before it");
        assert_eq!(of(&[refuted(2001)]), "2005", "the newest where none is sound");
        let error = Soft404::TitleWords { words: "not found".to_owned(), score: 1.0 };
        let parked = Observation { soft404: Some(error), ..dated(2001) };
        assert_eq!(of(&[parked]), "2005", "an error page has nothing of the page");
    }
    // A habit of writers is no damage.
    let habit = Observation { digest_covers: Some(Covers::Framed), ..refuted(2005) };
    assert_eq!(choice(vec![dated(2001), habit], url, Rule::Newest), "2005-01-01T00:00:00Z");
}

#[test]
fn the_canonical_format_goes_before_a_newer_converted_one() {
    let url = "http://a.example/paper.pdf";
    let mut original = look(url, "2001-01-01T00:00:00Z").body(1).build();
    original.mime = Some("application/pdf".to_owned());
    let converted = look(url, "2006-01-01T00:00:00Z").body(2).build();
    let table = Table::of(&[original, converted]);
    let chooser = Chooser::new(&table, Canon::Strict, Overrides::default(), (&NONE, &SOUND), &[0], &[true]);
    let candidates = chooser.candidates(0);
    let best = chooser.best(candidates.iter(), Rule::Newest, &HashSet::new(), None).unwrap();
    assert!(!best.is_converted);
}

#[test]
fn what_a_user_names_goes_before_everything() {
    let overrides =
        Overrides::read("# mine\nhttp://a.example/ 2001-01-01T00:00:00Z\n", Canon::Strict).unwrap();
    let looks =
        ["2001-01-01T00:00:00Z", "2003-01-01T00:00:00Z"].map(|date| look("http://a.example/", date).build());
    let table = Table::of(&looks);
    let chooser = Chooser::new(&table, Canon::Strict, overrides, (&NONE, &SOUND), &[0], &[true]);
    let candidates = chooser.candidates(0);
    let best = chooser.best(candidates.iter(), Rule::Newest, &HashSet::new(), None).unwrap();
    assert_eq!(best.row, 0);
    assert!(Overrides::read("http://a.example/\n", Canon::Strict).is_err());
}
