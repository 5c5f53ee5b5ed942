//! Lines that lost all that was beyond ASCII, beside others that kept theirs.

use crate::document::tests::restored;
use crate::document::{Damage, DamageKind, compare, restore};

const KEPT: &str = "Größere Übungen für müde Bären: äußerst schöne Öfen\nΚαλημέρα κόσμε, τι κάνεις σήμερα το πρωί\n\
    À bientôt, là où l’élève a mangé une crêpe brûlée\n";

/// Asserts that lines behind those that kept theirs are restored, without a doubt.
fn is_restored(lines: &str, became: &str) {
    let [old, new] = [lines, became].map(|lines| [KEPT, lines].concat());
    let damage = compare(old.as_bytes(), new.as_bytes()).damage;
    assert!(!damage.iter().any(|one| one.doubtful), "{became}: {damage:?}");
    assert_eq!(restore(old.as_bytes(), new.as_bytes(), &damage), old.as_bytes(), "{became}");
}

/// Returns the kinds of what is doubtful, and its places in the new version.
fn doubts(lines: &str, became: &str) -> Vec<(DamageKind, String)> {
    let [old, new] = [lines, became].map(|lines| [KEPT, lines].concat());
    let damage = compare(old.as_bytes(), new.as_bytes()).damage;
    damage.into_iter().filter(|one| one.doubtful).map(|one| (one.kind, new[one.new].to_owned())).collect()
}

/// Nobody takes a letter from within each of four words, or five words without the spaces between them.
#[test]
fn lines_of_which_many_words_lost_letters_are_restored() {
    is_restored(
        "Die Männer trösten müde Bären früh – à la carte\n",
        "Die Mnner trsten mde Bren frh   la carte\n",
    );
    is_restored("key=один два три четыре пять\n", "key=    \n");
    // What is gone from other lines, the same program dropped.
    is_restored("Die Männer trösten müde Bären\n» Ñandú\n", "Die Mnner trsten mde Bren\n and\n");
}

/// The same, where question marks were written.
#[test]
fn lines_of_which_many_letters_became_question_marks_are_restored() {
    is_restored("Příliš žluťoučký kůň úpěl – ale\n", "P??li? ?lu?ou?k? k?? ?p?l ? ale\n");
    is_restored("key=один два три четыре пять шесть\n", "key=???? ??? ??? ?????? ???? ?????\n");
    // A line of which nothing tells may be one that a person wrote.
    let doubtful =
        doubts("Příliš žluťoučký kůň úpěl\nключ: слово\n", "P??li? ?lu?ou?k? k?? ?p?l\nключ: ?????\n");
    assert_eq!(doubtful, [(DamageKind::Replaced, "?????".to_owned())]);
    assert!(!doubts("a: Иван Пётр Анна\n", "a: ???? ???? ????\n").is_empty());
}

/// What was added to such lines, or beside them, may have lost something as well.
#[test]
fn what_was_added_beside_emptied_lines_is_doubtful() {
    let lines = "Die Männer trösten müde Bären\nend\n";
    let doubtful = doubts(lines, "Die Mnner trsten mde Bren\nnew line\nend\n");
    assert_eq!(doubtful, [(DamageKind::Removed, "new line\n".to_owned())]);
    let doubtful = doubts(lines, "Die M?nner tr?sten m?de B?ren\nnew ?ine\nend\n");
    assert_eq!(doubtful, [(DamageKind::Replaced, "new ?ine\n".to_owned())]);
}

/// Letters are gone from within words, or all words are, in lines beside others that kept theirs.
#[test]
fn lines_that_lost_all_letters_are_doubtful() {
    let old = "do úhlopříčného šípu\nkey=значение параметра 5\nune idée naïve\n“quoted” text\n";
    let lost = |line: usize| -> String {
        let lines = old.split_inclusive('\n').enumerate();
        lines
            .map(|(at, text)| if at == line { text.replace(|c| c > '~', "") } else { text.to_owned() })
            .collect()
    };
    for line in 0..3 {
        let damage = compare(old.as_bytes(), lost(line).as_bytes()).damage;
        let is_told = |one: &Damage| one.kind == DamageKind::Removed && one.doubtful && one.line == line + 1;
        assert!(!damage.is_empty() && damage.iter().all(is_told), "{line}: {damage:?}");
    }
    // An edit of the line as well.
    let edited = lost(0).replacen("do ", "do the ", 1);
    let damage = compare(old.as_bytes(), edited.as_bytes()).damage;
    assert!(!damage.is_empty() && damage.iter().all(|one| one.doubtful), "{damage:?}");
    // Quotation marks are removed, and a word with its space.
    let deleted = old.replace("значение параметра", "параметра");
    for new in [lost(3), deleted] {
        assert_eq!(compare(old.as_bytes(), new.as_bytes()).damage, [], "{new}");
    }
}

/// A letter is gone from within a word of two lines. In one, a person may have mended the word.
#[test]
fn words_that_lost_a_letter_in_two_lines_are_doubtful() {
    let old = "Straßse ist\nKäse und Öl\nein Faß\ndie Füsse\n";
    let (mended, lost) = (old.replace("ßs", "ss"), old.replace("ßs", "s").replace('ü', ""));
    assert_eq!(compare(old.as_bytes(), mended.as_bytes()).damage, []);
    let damage = compare(old.as_bytes(), lost.as_bytes()).damage;
    assert!(matches!(&damage[..], [one, two] if one.doubtful && two.doubtful), "{damage:?}");
    // One word was perhaps mended in many lines.
    let old = ["die Straßse ist\n".repeat(5).as_str(), "Faß, groß, Spaß, Gruß, Fuß, süß\n"].concat();
    let damage = compare(old.as_bytes(), old.replace("ßs", "s").as_bytes()).damage;
    assert!(!damage.is_empty() && damage.iter().all(|one| one.doubtful), "{damage:?}");
}

/// A row whose cells were emptied lost as much as one from which a program dropped letters.
#[test]
fn emptied_cells_are_doubtful() {
    let old = "id;имя;адрес;телефон\n1;Анна;Москва;Мир;Сад\n2;Ян;Рим;Лес;Дом\n";
    let new = old.replace("Анна;Москва;Мир;Сад", ";;;");
    let damage = compare(old.as_bytes(), new.as_bytes()).damage;
    assert!(!damage.is_empty() && damage.iter().all(|one| one.doubtful), "{damage:?}");
    assert_eq!(restored(old.as_bytes(), new.as_bytes()), (new.clone().into_bytes(), true));
    // Nobody leaves the spaces between words.
    let old = "do úhlopříčného šípu\nkey.7=بازالتی دارد که نوعی\nune idée naïve\n“quoted” text\n";
    let new = old.replace("بازالتی دارد که نوعی", "   ");
    assert_eq!(restored(old.as_bytes(), new.as_bytes()), (new.into_bytes(), true));
    // Glosses behind words have no space of their own.
    let (old, new) = ("cat猫 dog狗 run跑 far远\n今天天气\n", "cat dog run far\n今天天气\n");
    assert_eq!(restored(old.as_bytes(), new.as_bytes()), (new.as_bytes().to_vec(), true));
}
