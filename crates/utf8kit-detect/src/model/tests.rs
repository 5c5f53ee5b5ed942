//! Tests of the model.

use super::{Language, Scorer, language, readability};

#[test]
fn languages_are_told() {
    for (code, text) in [
        ("en", "The quick brown fox jumps over the lazy dog, and nobody knows why it does so."),
        ("fr", "Les enfants jouent dans le jardin derrière la maison de leurs grands-parents."),
        ("pl", "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności."),
        ("ru", "Солнце светит ярко, и дети играют во дворе под старым деревом."),
        ("uk", "Сонце світить яскраво, і діти граються у дворі під старим деревом."),
        ("el", "Ο ήλιος λάμπει και τα παιδιά παίζουν στην αυλή κάτω από το δέντρο."),
        ("ja", "今日はとても天気がいいので、子供たちは庭で遊んでいます。"),
        ("ko", "오늘은 날씨가 아주 좋아서 아이들이 마당에서 놀고 있습니다."),
        ("zh", "今天天气很好，孩子们在院子里的老树下玩耍。"),
        ("th", "วันนี้อากาศดีมาก เด็กๆ จึงเล่นอยู่ในสวน"),
        ("am", "ሁሉም ሰዎች በክብር እኩል ናቸው።"),
    ] {
        assert_eq!(language(text).code(), code, "{text}");
    }
    assert_eq!(language("今天天气很好").script(), "Hans");
    assert_eq!((Language::OTHER.code(), Language::OTHER.script()), ("und", "Zyyy"));
}

#[test]
fn text_is_likelier_than_what_a_wrong_encoding_makes_of_it() {
    let nats = |text: &str| Scorer::of(text.chars()).total();
    for (text, wrong) in [
        ("größer für schöne Häuser", "grĂ¶Ăźer fĂĽr schĂ¶ne HĂ¤user"),
        ("größer für schöne Häuser", "gr÷▀er f³r sch÷ne HΣuser"),
        ("Привет, как дела?", "оПХБЕР, ЙЮЙ ДЕКЮ?"),
        ("Привет, как дела?", "Ïðèâåò, êàê äåëà?"),
        ("日本語の文章です", "譌･譛ｬ隱槭?譁?ｫ縺ｧ縺"),
        ("zażółć gęślą jaźń", "za¿ó³æ gêœl¹ jaŸñ"),
    ] {
        assert!(nats(text) > nats(wrong) + 10.0, "{text}: {} {}", nats(text), nats(wrong));
    }
}

#[test]
fn any_text_has_a_finite_score() {
    let all: String = ('\0'..=char::MAX).step_by(7).collect();
    assert!(Scorer::of(all.chars()).total().is_finite());
    assert!(Scorer::of("x".repeat(10_000).chars()).total().is_finite());
    assert_eq!(Scorer::of("".chars()).len(), 0);
}

#[test]
fn an_encoding_may_lack_letters_of_a_language() {
    let german = language("Die Straße ist für alle da");
    assert!(german.lacking(|c| c.is_ascii()) > 0.01);
    assert_eq!(german.lacking(|c| c <= 'ÿ' || c == 'ẞ'), 0.0);
    assert_eq!(Language::OTHER.lacking(|_| false), 0.0);
}

#[test]
fn half_of_a_text_reads() {
    let good = "A line of plain prose that anybody can read, with nothing odd in it at all.\n".repeat(10);
    let bad = "q¶ƒZ}‡x~Jw±kVQ§zXj|pW{Ky#vB\n".repeat(27);
    assert_eq!((readability(&good), readability(&bad)), (1.0, 0.0));
    let half = readability(&(good + &bad));
    assert!((0.4..0.6).contains(&half), "{half}");
}
