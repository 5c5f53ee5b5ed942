//! Tests of lines that lost all non-ASCII text, among lines that kept theirs.

use crate::tests::restored;
use crate::{Damage, DamageKind, compare};

const KEPT: &str = "Größere Übungen für müde Bären: äußerst schöne Öfen\nΚαλημέρα κόσμε, τι κάνεις σήμερα το πρωί\n\
    À bientôt, là où l’élève a mangé une crêpe brûlée\n";

/// Reports whether a change of lines, after lines that stayed, is doubtful damage that is not undone.
fn is_doubtful(lines: &str, became: &str) -> bool {
    let [old, new] = [lines, became].map(|lines| [KEPT, lines].concat());
    restored(old.as_bytes(), new.as_bytes()) == (new.into_bytes(), true)
}

/// A program drops letters from many words at once, but so does a person who removes apostrophes, marks of stress and
/// length, or masks a text.
#[test]
fn lines_of_which_many_words_lost_letters_are_doubtful() {
    for (lines, became) in [
        ("Die Männer trösten müde Bären früh\n", "Die Mnner trsten mde Bren frh\n"),
        ("canʼt, donʼt, wonʼt, isnʼt\n", "cant, dont, wont, isnt\n"),
        ("baːd haːt zeːn toːn muːn\n", "bad hat zen ton mun\n"),
        ("words: один два три четыре пять\n", "words: ???? ??? ??? ?????? ????\n"),
        ("Choose: 人 大 天 口 山\n", "Choose: ? ? ? ? ?\n"),
    ] {
        assert!(is_doubtful(lines, became), "{became}");
    }
}

/// Only the losses in such lines are reported, not edits elsewhere.
#[test]
fn edits_beside_emptied_lines_are_no_damage() {
    let old = [KEPT, "Die Männer trösten müde Bären\ncode: x\nend\n"].concat();
    let new = ["# title\n", KEPT, "Die Mnner trsten mde Bren\ncode: x y\nplain\n"].concat();
    let damage = compare(old.as_bytes(), new.as_bytes()).damage;
    assert!(damage.iter().all(|one| one.kind == DamageKind::Removed && one.line == 5), "{damage:?}");
    assert!(!damage.is_empty());
}

/// Lines lost letters within words, or all words, among lines that kept theirs.
#[test]
fn lines_that_lost_all_letters_are_doubtful() {
    let old = "do úhlopříčného šípu\nkey=значение параметра 5\nune idée naïve\n“quoted” text\n";
    let lost = |line: usize| -> String {
        let lines = old.split_inclusive('\n').enumerate();
        lines.map(|(at, text)| if at == line { text.replace(|c| c > '~', "") } else { text.to_owned() }).collect()
    };
    for line in 0..3 {
        let damage = compare(old.as_bytes(), lost(line).as_bytes()).damage;
        let is_reported = |one: &Damage| one.kind == DamageKind::Removed && one.doubtful && one.line == line + 1;
        assert!(!damage.is_empty() && damage.iter().all(is_reported), "{line}: {damage:?}");
    }
    // The same with an edit of the line.
    let edited = lost(0).replacen("do ", "do the ", 1);
    let damage = compare(old.as_bytes(), edited.as_bytes()).damage;
    assert!(!damage.is_empty() && damage.iter().all(|one| one.doubtful), "{damage:?}");
    // Quotation marks are removed, and a word with its space.
    let deleted = old.replace("значение параметра", "параметра");
    for new in [lost(3), deleted] {
        assert_eq!(compare(old.as_bytes(), new.as_bytes()).damage, [], "{new}");
    }
}

/// Two lines lost a letter within a word. In a single line, a person may have corrected the word.
#[test]
fn words_that_lost_a_letter_in_two_lines_are_doubtful() {
    let old = "Straßse ist\nKäse und Öl\nein Faß\ndie Füsse\n";
    let (corrected, lost) = (old.replace("ßs", "ss"), old.replace("ßs", "s").replace('ü', ""));
    assert_eq!(compare(old.as_bytes(), corrected.as_bytes()).damage, []);
    let damage = compare(old.as_bytes(), lost.as_bytes()).damage;
    assert!(matches!(&damage[..], [one, two] if one.doubtful && two.doubtful), "{damage:?}");
    // One word was perhaps corrected in many lines.
    let old = ["die Straßse ist\n".repeat(5).as_str(), "Faß, groß, Spaß, Gruß, Fuß, süß\n"].concat();
    let damage = compare(old.as_bytes(), old.replace("ßs", "s").as_bytes()).damage;
    assert!(!damage.is_empty() && damage.iter().all(|one| one.doubtful), "{damage:?}");
}

/// A row with emptied cells lost as much as a row from which a program dropped letters.
#[test]
fn emptied_cells_are_doubtful() {
    let old = "id;имя;адрес;телефон\n1;Анна;Москва;Мир;Сад\n2;Ян;Рим;Лес;Дом\n";
    let new = old.replace("Анна;Москва;Мир;Сад", ";;;");
    let damage = compare(old.as_bytes(), new.as_bytes()).damage;
    assert!(!damage.is_empty() && damage.iter().all(|one| one.doubtful), "{damage:?}");
    assert_eq!(restored(old.as_bytes(), new.as_bytes()), (new.clone().into_bytes(), true));
    // A person would not leave the spaces between words.
    let old = "do úhlopříčného šípu\nkey.7=بازالتی دارد که نوعی\nune idée naïve\n“quoted” text\n";
    let new = old.replace("بازالتی دارد که نوعی", "   ");
    assert_eq!(restored(old.as_bytes(), new.as_bytes()), (new.into_bytes(), true));
    // Glosses after words have no space of their own.
    let (old, new) = ("cat猫 dog狗 run跑 far远\n今天天气\n", "cat dog run far\n今天天气\n");
    assert_eq!(restored(old.as_bytes(), new.as_bytes()), (new.as_bytes().to_vec(), true));
}

/// Text without spaces is one place in each line. A person who empties three lines deletes the lines instead.
#[test]
fn emptied_lines_of_text_without_spaces_are_doubtful() {
    let kept = "你好世界\n新的文件在这里\n";
    let (old, new) = ("key = 大北京\n- 世界.\nkey = 中文文本\n", "key = \n- .\nkey = \n");
    let damage = compare([old, kept].concat().as_bytes(), [new, kept].concat().as_bytes()).damage;
    assert!(damage.len() == 3 && damage.iter().all(|one| one.doubtful), "{damage:?}");
    let (old, new) = ("key = 大北京\n", "key = \n");
    assert_eq!(compare([old, kept].concat().as_bytes(), [new, kept].concat().as_bytes()).damage, []);
}
