//! Lines that lost all that was beyond ASCII, beside others that kept theirs.

use crate::document::{DamageKind, compare, restore};

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
