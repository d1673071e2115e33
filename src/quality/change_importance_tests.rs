//! E on pages like those real sites serve.

use proptest::prelude::*;

use super::*;
use crate::html::blocks::blocks;

fn importance(before: &str, after: &str) -> ChangeImportance {
    let parse = |html: &str| blocks(html.as_bytes(), None).expect("a page");
    change_importance(&parse(before), &parse(after), &ChangeWeights::default())
}

/// A news page with everything around its article.
fn news(article: &str, footer: &str, side: &str) -> String {
    format!(
        "<html><head><title>Council votes on bridge - Daily</title></head><body>\
         <header><h1>Daily</h1><nav><ul><li><a href=/>Home</a><li><a href=/w>World</a><li><a href=/s>Sport</a></ul></nav></header>\
         <main><article><h2>Council votes on bridge</h2><img src=/b.jpg>{article}</article>\
         <aside><h3>Most read</h3><ul>{side}</ul></aside></main>\
         <footer><p>{footer}</p><a href=/imprint>Imprint</a></footer></body></html>"
    )
}

/// A shop page without any element of HTML 5.
fn shop(description: &str, price: &str, footer: &str) -> String {
    format!(
        "<html><head><title>Teapot | Shop</title></head><body><div id=header><a href=/>Shop</a></div>\
         <div id=menu><a href=/a>Cups</a> <a href=/b>Pots</a></div>\
         <div id=content><h1>Teapot</h1><p>{description}<p class=price>{price}</div>\
         <div class='ads'>Buy now 123456</div><div id=footer>{footer}</div></body></html>"
    )
}

fn words(prefix: &str, count: usize) -> String {
    (0..count).map(|i| format!("{prefix}{i} ")).collect()
}

#[test]
fn equal_pages_have_importance_zero_and_so_do_two_empty_ones() {
    let page = news(&words("a", 200), &words("f", 40), "<li>x");
    let same = importance(&page, &page);
    assert_eq!(same.importance, 0.0);
    assert!(same.changes.is_empty());
    assert_eq!(importance("", "").importance, 0.0);
}

#[test]
fn changed_markup_attributes_and_scripts_alone_are_no_change() {
    let before = "<body><div class=a><p>One two <b>three</b></p><script nonce=1>x</script></div>";
    let after = "<body><div class=a style='color:red'><p class=q>One <i>two</i> three</p><script nonce=2>y</script></div>";
    assert_eq!(importance(before, after).importance, 0.0);
}

#[test]
fn a_rewritten_article_ranks_above_a_rewritten_footer_even_of_the_same_length() {
    for (article, footer) in [(200, 40), (60, 60), (50, 150)] {
        let before = news(&words("a", article), &words("f", footer), "<li>x");
        let main = importance(&before, &news(&words("b", article), &words("f", footer), "<li>x"));
        let foot = importance(&before, &news(&words("a", article), &words("g", footer), "<li>x"));
        assert!(
            main.importance > foot.importance,
            "{article} {footer}: {} {}",
            main.importance,
            foot.importance
        );
        assert_eq!(main.changes[0].role, Role::Article);
        assert_eq!(foot.changes[0].role, Role::Footer);
    }
    let before = shop(&words("d", 80), "19 euros", &words("f", 80));
    let main = importance(&before, &shop(&words("e", 80), "19 euros", &words("f", 80)));
    let foot = importance(&before, &shop(&words("d", 80), "19 euros", &words("g", 80)));
    assert!(main.importance > 2.0 * foot.importance);
}

#[test]
fn a_changed_price_outweighs_a_changed_counter() {
    let before = shop(&words("d", 30), "19 euros", "f");
    let price = importance(&before, &shop(&words("d", 30), "21 euros", "f"));
    let counter = importance(&before, &before.replace("123456", "123457"));
    assert!(price.importance > counter.importance && counter.importance > 0.0);
    let term = &price.changes[0].terms[0];
    assert_eq!((term.operation, term.target, term.count), (Operation::Update, Target::Text, 1));
}

#[test]
fn inserted_deleted_and_moved_blocks_are_told_as_such() {
    let a = format!("<div><p>{}</p></div>", words("a", 20));
    let b = format!("<div><p>{}</p></div>", words("b", 20));
    let c = format!("<div><p>{}</p></div>", words("c", 20));
    let ops = |before: String, after: String| -> Vec<(Operation, Target)> {
        let change = importance(&before, &after);
        change.changes.iter().flat_map(|c| c.terms.iter().map(|t| (t.operation, t.target))).collect()
    };
    assert_eq!(ops(format!("{a}{c}"), format!("{a}{b}{c}")), [(Operation::Insert, Target::Block)]);
    assert_eq!(ops(format!("{a}{b}{c}"), format!("{a}{c}")), [(Operation::Delete, Target::Block)]);
    assert_eq!(ops(format!("{a}{b}{c}"), format!("{b}{c}{a}")), [(Operation::Move, Target::Block)]);
}

#[test]
fn moving_is_less_than_deleting_and_deleting_less_than_inserting() {
    let part = |name: &str| format!("<div><p>{}</p></div>", words(name, 20));
    let (short, long) =
        (format!("{}{}", part("a"), part("c")), format!("{}{}{}", part("a"), part("b"), part("c")));
    let moved = importance(&long, &format!("{}{}{}", part("b"), part("c"), part("a"))).importance;
    let deleted = importance(&long, &short).importance;
    let inserted = importance(&short, &long).importance;
    assert!(0.0 < moved && moved < deleted && deleted < inserted, "{moved} {deleted} {inserted}");
}

#[test]
fn a_wholly_other_page_has_importance_near_one_and_contributions_add_up() {
    let change = importance(
        &news(&words("a", 50), "f", "<li>x"),
        "<title>Gone</title><body><section>Other words entirely</section>",
    );
    assert!(change.importance > 0.6 && change.importance <= 1.0, "{}", change.importance);
    let sum: f64 = change.changes.iter().map(|c| c.contribution).sum();
    assert!((sum - change.importance).abs() < 1e-12);
    let json = serde_json::to_string(&change).unwrap();
    assert_eq!(serde_json::from_str::<ChangeImportance>(&json).unwrap().changes.len(), change.changes.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn importance_grows_when_more_words_are_replaced(total in 2usize..120, few in 0usize..120, more in 0usize..120) {
        let (few, more) = (few.min(total).min(more.min(total)), few.min(total).max(more.min(total)));
        let text = |replaced: usize| words("new", replaced) + &(replaced..total).map(|i| format!("old{i} ")).collect::<String>();
        let before = news(&text(0), "f", "<li>x");
        let small = importance(&before, &news(&text(few), "f", "<li>x")).importance;
        let large = importance(&before, &news(&text(more), "f", "<li>x")).importance;
        prop_assert!(small <= large + 1e-12, "{} {}", small, large);
        prop_assert!((0.0..=1.0).contains(&large));
        prop_assert_eq!(few == more, small == large);
    }

    #[test]
    fn importance_grows_when_more_paragraphs_come_or_go(base in 1usize..15, few in 0usize..10, extra in 1usize..10) {
        let text = |paragraphs: usize| (0..paragraphs).map(|i| format!("<p>{}", words(&format!("p{i}x"), 7))).collect::<String>();
        let page = |paragraphs: usize| news(&text(paragraphs), "f", "<li>x");
        let grown = |by: usize| importance(&page(base), &page(base + by)).importance;
        prop_assert!(grown(few) < grown(few + extra));
        let full = base + 20;
        let shrunk = |by: usize| importance(&page(full), &page(full - by)).importance;
        prop_assert!(shrunk(few) < shrunk(few + extra));
    }

    #[test]
    fn importance_stays_within_zero_and_one_and_equal_pages_have_zero(
        parts in prop::collection::vec(prop::sample::select(vec![
            "<div>", "</div>", "<p>", "one ", "two ", "three ", "<main>", "</main>", "<footer>", "</footer>", "<a href=x>",
            "</a>", "<img src=y>", "<h1>", "</h1>", "<section>", "</section>", "<title>t</title>", "<ul><li>",
        ]), 0..40),
        cut in 0usize..40,
    ) {
        let page = parts.concat();
        let other = parts[..cut.min(parts.len())].concat();
        prop_assert_eq!(importance(&page, &page).importance, 0.0);
        let change = importance(&page, &other);
        prop_assert!((0.0..=1.0).contains(&change.importance));
        let weights: f64 = change.changes.iter().map(|c| c.importance).sum();
        prop_assert!(weights <= 1.0 + 1e-9);
    }
}

#[test]
fn a_changed_price_outranks_a_changed_clock_whatever_stands_before_it_or_names_it() {
    let page = |price: &str, clock: &str| {
        format!(
            "<body><div id=content><h1>Boat trips</h1><p>We sail from the pier to the island and back, with a stop at the mill.\
             <p>Online: {price} EUR<div class=time-table><p>Adults {price} EUR</div><span class=date>from {price} EUR</span></div>\
             <div id=footer>It is <span class=clock>{clock}</span></div></body>"
        )
    };
    let before = page("12", "10:15");
    let price = importance(&before, &page("15", "10:15")).importance;
    let clock = importance(&before, &page("12", "11:47")).importance;
    assert!(price > 10.0 * clock && price > 0.05, "{price} {clock}");
    for line in
        ["Online: {} EUR", "<span class=time>{} EUR</span>", "<div class=time-table>Adults {} EUR</div>"]
    {
        let page = |price: &str| {
            format!("<main><p>Boat trips to the island.</p><p>{}</p></main>", line.replace("{}", price))
        };
        let found = importance(&page("12"), &page("15")).importance;
        assert!(found > 0.05, "{line}: {found}");
    }
}

#[test]
fn text_that_a_style_element_hides_does_not_count() {
    let page = |style: &str, hidden: &str| {
        format!(
            "<style>{style}</style><main><p>Shown words stay.</p><p class=x>{hidden} {hidden} {hidden}</p></main>"
        )
    };
    for (style, counts) in
        [(".x{display:none}", false), ("p.x , b { visibility:hidden }", false), (".y{display:none}", true)]
    {
        let found = importance(&page(style, "one"), &page(style, "two")).importance;
        assert_eq!(found > 0.0, counts, "{style}: {found}");
    }
}

#[test]
fn counters_that_speak_to_the_visitor_matter_as_little_as_clocks() {
    for line in
        ["You are visitor {}", "You are visitor number {}", "アクセス数 {}", "Visitors: {}", "访问量：{}"]
    {
        let page = |count: &str| {
            let line = line.replace("{}", count);
            format!(
                "<main><p>Boat trips to the island and back, every day in summer.</p><p>{line}</p></main>"
            )
        };
        let found = importance(&page("10293"), &page("10417")).importance;
        assert!(found < 0.02, "{line}: {found}");
    }
}

#[test]
fn the_same_words_in_another_order_are_a_change() {
    let page = |text: &str| {
        format!(
            "<html><body><main><p>{text}</p><p>The mill is open from nine to five.</p></main></body></html>"
        )
    };
    let swapped = importance(
        &page("The tenant pays the landlord 500 and gets 900."),
        &page("The landlord pays the tenant 900 and gets 500."),
    );
    let changed = importance(
        &page("The tenant pays the landlord 500 and gets 900."),
        &page("The tenant pays the landlord 700 and gets 900."),
    );
    assert!(swapped.importance > changed.importance && changed.importance > 0.0);
    for (before, after) in
        [("-5 °C", "5 °C"), ("≤ 3 mg", "≥ 3 mg"), ("Result 3:1", "Result 1:3"), ("Fees ✔", "Fees ✘")]
    {
        assert!(importance(&page(before), &page(after)).importance > 0.0, "{before}");
    }
}
