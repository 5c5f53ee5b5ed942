//! Tests with real garbled texts and their originals.
#![allow(clippy::unwrap_used, reason = "tests may")]

use utf8kit_detect::originals::candidates;

#[test]
fn what_was_meant_comes_first() {
    let mut wrong = Vec::new();
    for (garbled, meant) in [
        ("schÃ¶n und groÃŸ", "schön und groß"),
        ("donâ€™t", "don’t"),
        ("Âå÷åðíèé", "Вечерний"),
        ("縺薙ｓ縺ｫ縺｡縺ｯ", "こんにちは"),
        (r"Zo\u00c3\u00ab", "Zoë"),
        ("ÐŸÑ€Ð¸Ð²ÐµÑ‚", "Привет"),
        ("РџСЂРёРІРµС‚, РјРёСЂ", "Привет, мир"),
        ("оПХБЕР ЛХП", "Привет мир"),
        ("K√∂nig wohnt in K√∂ln", "König wohnt in Köln"),
        ("caf├⌐", "café"),
        ("Ã\u{192}Â¼ber", "über"),
        ("浣犲ソ", "你好"),
        ("ä½ å¥½ï¼Œä¸–ç•Œ", "你好，世界"),
        ("¾È³çÇÏ¼¼¿ä", "안녕하세요"),
        ("ÇáÓáÇã Úáíßã", "السلام عليكم"),
        ("ÊáëçìÝñá êüóìå", "Καλημέρα κόσμε"),
        ("sch%C3%B6n", "schön"),
        ("sch=C3=B6n", "schön"),
        ("dÃ©jÃ  vu", "déjà vu"),
        ("Grüße, schÃ¶n", "Grüße, schön"),
        ("ðŸ˜€ fÃ¼r", "😀 für"),
        ("Å\u{81}Ã³dÅº", "Łódź"),
        ("Ù…Ø±Ø\u{AD}Ø¨Ø§", "مرحبا"),
        ("à¤¹à¤¿à¤¨à¥\u{8D}à¤¦à¥€", "हिन्दी"),
        ("\u{C4}\u{E3}\u{BA}\u{C3}\u{A3}\u{AC}\u{CA}\u{C0}\u{BD}\u{E7}", "你好，世界"),
        ("ùìåí òåìí", "שלום עולם"),
        ("Dzieñ dobry, proszê", "Dzień dobry, proszę"),
        ("Pøíli¹ ¾lu»ouèký kùò", "Příliš žluťoučký kůň"),
        ("Ýstanbul'da þimdi", "İstanbul'da şimdi"),
        ("ÿþW\0i\0n\0d\0o\0w\0s\0", "Windows"),
        ("ƒeƒXƒg", "テスト"),
        ("Ã¡rvÃ\u{AD}ztÅ±rÅ\u{91}", "árvíztűrő"),
        ("belÃ¼gyminisztÃ©rium â€“ â€žigenâ€œ", "belügyminisztérium – „igen“"),
        ("MÃ¶tley CrÃ¼e", "Mötley Crüe"),
        ("畢桳栠摩琠敨映捡獴", "bush hid the facts"),
        // Percent signs in a link say nothing about the text around it.
        ("[лъв](/wiki/%D0%BB%D1%8A%D0%B2), Ð¼ÐµÑ‡ÐºÐ°", "[лъв](/wiki/%D0%BB%D1%8A%D0%B2), мечка"),
        ("Ã\u{a0} la carte\nVoilÃ\u{a0} l'Ã©tÃ©\n", "à la carte\nVoilà l'été\n"),
        (
            "Ton frÃ¨re est lÃ\u{a0}-bas\nIl va Ã  la gare\nUn Noël\n",
            "Ton frère est là-bas\nIl va à la gare\nUn Noël\n",
        ),
    ] {
        let found = candidates(garbled);
        let first = found.first().map(|one| one.text.as_str());
        if first != Some(meant) {
            let few: Vec<_> = found.iter().take(4).map(|one| (&one.text, one.nats, &one.how)).collect();
            let place = found.iter().position(|one| one.text == meant);
            wrong.push(format!("{garbled} is {meant} at {place:?}, not {few:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_lost_is_not_invented() {
    let found = candidates("锟斤拷锟斤拷");
    assert!(found[0].text.chars().all(|c| c == '\u{FFFD}'), "{:?}", found[0]);
    assert_eq!(candidates("文字化け譁\u{FFFD}蟄怜喧縺\u{FFFD}")[0].text, "文字化け\u{FFFD}字化\u{FFFD}");
    assert!(candidates("¿Qu\u{FFFD} pas\u{FFFD}?").is_empty());
}

#[test]
fn true_text_reads_better_than_anything_that_it_may_have_been() {
    for text in [
        "schön und groß",
        "Привет, мир",
        "こんにちは、世界",
        "naïve café",
        "Łódź",
        "Ελλάδα",
        "你好，世界",
        "안녕하세요",
        "[ناسا](/wiki/%D9%86%D8%A7%D8%B3%D8%A7 \"ناسا\")",
        "/wiki/Formalde%C3%ADdo e /w/index.php?title=João&action=edit",
    ] {
        let best = candidates(text).first().map_or(f32::MIN, |one| one.nats);
        assert!(best < 0.0, "{text}: {:?}", candidates(text).first());
    }
}
