//! Tests of edits that look like damage, and of possible damage that must be reported as doubtful.

use utf8kit_encodings::charset::{Charset, Legacy};

use crate::tests::misread;
use crate::{DamageKind, compare, restore};

fn encode(name: &str, text: &str) -> Vec<u8> {
    let codec = name.parse::<Charset>().unwrap().writer();
    text.chars().flat_map(|c| codec.says(c).unwrap()).collect()
}

/// Returns the kinds of the damage that is doubtful.
fn doubts(old: &[u8], new: &[u8]) -> Vec<DamageKind> {
    let damage = compare(old, new).damage;
    let mut kinds: Vec<DamageKind> = damage.iter().filter(|one| one.doubtful).map(|one| one.kind).collect();
    kinds.dedup();
    kinds
}

/// Returns the restored version, and asserts that no damage is doubtful.
fn undone(old: &[u8], new: &[u8]) -> Vec<u8> {
    let damage = compare(old, new).damage;
    assert!(damage.iter().all(|one| !one.doubtful), "{damage:?}");
    restore(old, new, &damage)
}

/// A lost character is restored even if an edit before it made its shift unnecessary.
#[test]
fn lost_characters_behind_an_edited_shift_are_restored() {
    let old = b"a\n<p>PASSWORD  \x1B$B?7$?$J\x1B(B</p>\n\x1B$B$O\x1B(B\n";
    let new = b"a\n<p>PASSWORD ???</p>\n?\n";
    assert_eq!(undone(old, new), b"a\n<p>PASSWORD \x1B$B?7$?$J\x1B(B</p>\n\x1B$B$O\x1B(B\n");
    // The same for a line end after a shift.
    let old = b"--none tar\x1B$B=PNO\x1B(B\r\n--type \x1B$B$O\x1B(B\r\n";
    let new = b"--none tar?? total\r\n--type ?\r\n";
    let wanted = b"--none tar\x1B$B=PNO\x1B(B total\r\n--type \x1B$B$O\x1B(B\r\n";
    assert_eq!(undone(old, new), wanted);
}

#[test]
fn a_line_that_was_moved_and_lost_its_text_is_known_by_its_signs() {
    let line = encode("windows-1251", "# прилагане на времената за достъп/промяна на файловете-\n");
    let old = [&b"    pass\n"[..], &line, b"def run(self):\n    x = y + 1\n"].concat();
    let new = b"    pass\ndef run(self):\n#     /  -\n    x = y + 1\n";
    assert_eq!(doubts(&old, new), [DamageKind::Removed]);
}

/// Spaces are left where words were, and question marks in a line that was moved and edited.
#[test]
fn the_only_line_that_lost_its_text_is_doubtful_if_it_was_edited() {
    let old = "    // 리투아니아어 (RATISE)\nint main(void) {\n    return 0;\n}\n";
    let new = "int main(void) {\n    return 0;\n  more  // ?????? (RATISE)\n}\n";
    assert_eq!(doubts(old.as_bytes(), new.as_bytes()), [DamageKind::Replaced]);
}

/// Remains of a moved line match by coincidence, and are not evidence for the encoding of another line.
#[test]
fn a_line_in_the_place_of_one_that_was_moved_is_doubtful() {
    let moved = encode("windows-874", "key.total79=โปรแกรมเฝ้าสังเกต PackageKit\n");
    let last = encode("windows-874", "key.done57=พบจุดจบแฟ้มหรือสตรีมก่อนกำหนด\n");
    let kept = "key.other14=เชื่อมต่อแบบ_นิรนาม\nkey.changed31=ขวา: %s %s\n".as_bytes();
    let added = "key.first86=หน่วยความจำไม่พอสำหรับข้อมูลชั่วคราวของ IOBuffer\n".as_bytes();
    let old = [&moved, kept, &last].concat();
    let read = |bytes: &[u8]| Legacy::labelled("windows-874").unwrap().text_of(bytes).unwrap();
    let new = [added, kept, read(&moved).as_bytes(), read(&last).as_bytes()].concat();
    let damage = compare(&old, &new).damage;
    assert!(damage.iter().all(|one| one.doubtful == (one.line == 1)), "{damage:?}");
    assert_eq!(restore(&old, &new, &damage), [added, kept, &moved, &last].concat());
}

/// An added line may share its start with the line next to it, and other parts with an edited line.
#[test]
fn an_added_line_does_not_take_the_encoding_of_the_line_beside_it() {
    let latin = |text: &str| encode("windows-1250", text);
    let (first, copied) = ("<p>Przeglądanie typów usług</p>\n", "<p>Podano pustą nazwę schematu</p>\n");
    let last = "<p>--version wyświetla wersję.</p>\n";
    let old = [&latin(first), &latin(copied), last.as_bytes()].concat();
    let new = [first, copied, copied, last].concat();
    let restored = [&*latin(first), &latin(copied), &latin(copied), last.as_bytes()].concat();
    assert_eq!(undone(&old, new.as_bytes()), restored);
    // The line was moved, and keeps its encoding although it shares digits with the edited line.
    let moved = "50,a escala não pode ser negativa,95.50\n";
    let (kept, edited) = ("409,A chave foi rejeitada pelo serviço,97.50\n", "811,Segurança insuficiente,63.50\n");
    let old = [moved.as_bytes(), &latin(kept), &latin(edited)].concat();
    let new = [kept, "811,Segurança \n", moved].concat();
    let restored = [&*latin(kept), &latin("811,Segurança \n"), moved.as_bytes()].concat();
    assert_eq!(undone(&old, new.as_bytes()), restored);
}

/// Two adjacent lines lost all their letters, and the first one is a copy.
#[test]
fn moved_lines_that_touch_are_restored_each_by_itself() {
    let copied = "チェックポイントの後最初に変更された際にページ全体をWALに出力します。\r\n";
    let last = encode("shift_jis", "水平方向の位置\r\n");
    let old = [copied.as_bytes(), b"    pass\r\n", &last].concat();
    let damaged = |bytes: &[u8]| -> String {
        bytes.iter().map(|&byte| if byte.is_ascii() { char::from(byte) } else { '\u{FFFD}' }).collect()
    };
    let edited = [copied.as_bytes(), b"    pass\r\n", copied.as_bytes(), &last].concat();
    assert_eq!(undone(&old, damaged(&edited).as_bytes()), edited);
}

/// One of two equal lines is the old one, and the other its copy. The damage of both must be reported.
#[test]
fn a_copy_right_behind_its_line_does_not_replace_it() {
    let text = |lines: &[&str]| encode("windows-1250", &lines.concat());
    let (first, last) = ("Zażółć gęślą jaźń\r\n", "Dzień dobry, świecie\r\n");
    let old = text(&["# heading\r\n", first, last]);
    let new = "# heading\r\nZa??? g?l? ja??\r\nZa??? g?l? ja??\r\nDzie? dobry, ?wiecie\r\n";
    let damage = compare(&old, new.as_bytes()).damage;
    let mut lines: Vec<usize> = damage.iter().map(|one| one.line).collect();
    lines.dedup();
    assert_eq!(lines, [2, 3, 4]);
}

/// A program that takes UTF-16 for UTF-8 loses its mark.
#[test]
fn lines_of_ascii_that_are_copied_in_utf16_lost_nothing() {
    let text = "\u{FEFF}abc def\ndéjà\n";
    let [old, new] = [text, &text.replace("abc def\n", "abc def\nabc def\n")].map(|text| encode("utf-16be", text));
    assert_eq!(compare(&old, &new).damage, []);
}

/// Single bytes of characters became question marks, which no view explains.
#[test]
fn characters_that_lost_some_of_their_bytes_are_doubtful() {
    let old = "<p>没有对应设备文件的驱动器</p>\n<p>无法分析 proargmodes 数组</p>\n";
    let new = encode("gbk", old);
    let at = new.windows(2).position(|pair| pair == b"\xC9\xE8").unwrap();
    let lost = [&new[..at], b"?", &new[at + 1..]].concat();
    assert_eq!(doubts(&new, &lost), [DamageKind::Replaced]);
}

/// Letters of another word or line match by coincidence.
#[test]
fn a_letter_of_another_word_is_not_the_one_that_was_lost() {
    let old = "<tamanho inválido>\nRelevo dos botões\nO rótulo é único\n";
    let new = "<tamanho simb?licos\nRelevo dos bot?es\nO r?tulo ? ?nico\n";
    let damage = compare(old.as_bytes(), new.as_bytes()).damage;
    assert!(damage.iter().all(|one| one.doubtful == (one.line == 1)), "{damage:?}");
    let line = encode("iso-8859-2", "/* přepínač, pak se předpokládá -f. */\n");
    let old = [&b"int main(void) {\n"[..], &line, b"\n\ttab?\nif (a < b) goto end;\n"].concat();
    let new = b"int main(void) {\nif (a < b) goto end;\n\ttab?\nif (a < b) goto end;\n";
    assert_eq!(compare(&old, new).damage, []);
    let removed = encode("windows-1254", "hata_ayıkla_kayıt_parametresi: mevcut işlev yok\n");
    let kept = encode("windows-1254", "geçersiz bir işlev\n");
    let line = "'%s' alanı, '%.255s' referansı: '%.255s' geçersiz bir mimari adı: %s";
    let old = [&*removed, &kept, line.as_bytes(), b"\n"].concat();
    let new = [line.as_bytes(), b" new\n", &kept, line.as_bytes(), b"\n"].concat();
    assert_eq!(compare(&old, &new).damage, []);
}

#[test]
fn lines_that_were_replaced_are_no_damage() {
    let old = "    // для --%s требуется четыре параметра\nimport os, sys\nSee also: README\n";
    let new = "#include <stdio.h>\nimport os, again\nSee also: README\n";
    assert_eq!(compare(old.as_bytes(), new.as_bytes()).damage, []);
    let old = encode("gbk", "int main(void) {\n\ttab?\n\n北京欢迎你");
    assert_eq!(compare(&old, b"int main(void) {\n\ttab?\n\nadded line").damage, []);
}

#[test]
fn added_text_of_another_script_is_doubtful() {
    let korean = encode("euc-kr", "매개 변수 네임스페이스를 인식할 수 없음\n지리 정보 압축 데이터\n");
    let lossy = String::from_utf8_lossy(&korean);
    let new = format!("{} Ű\n", lossy.trim_end());
    assert_eq!(doubts(&korean, new.as_bytes()), [DamageKind::Recoded]);
    // Among Slovene, one letter is enough.
    let slovene = |added: &str| format!("    // Števila stolpcev\n{added}if (a < b) goto end;\n");
    let old = encode("windows-1250", &slovene("\ttab?\n"));
    let new = slovene("/* Položaj tipke Ctrl */\n").replace('Š', "ä");
    let want = encode("windows-1250", &slovene("/* Položaj tipke Ctrl */\n"));
    assert_eq!(undone(&old, new.as_bytes()), want);
}

/// A letter is weak evidence for the encoding, even if the view shows it, because the view may be wrong.
#[test]
fn added_text_is_doubtful_where_another_encoding_fits_better_than_the_one_that_was_read() {
    let old = encode("macintosh", "  \"k945\": \"O _Curiosity 'Curiosity (sonda)')_ na superfície\",\nreturn x;\n");
    let read = Legacy::labelled("windows-1252").unwrap().text_of(&old).unwrap();
    let new = ["mínima: , Mystery» composição\n", &read].concat();
    assert_eq!(doubts(&old, new.as_bytes()), [DamageKind::Recoded]);
}

#[test]
fn lines_that_became_empty_are_doubtful_whatever_was_added() {
    let old = "ขัดแย้งกับ\nthe quick brown fox\nถอดแพคเกจ\nรุ่น\n";
    let new = "\nthe quick brown fox\n\nชื่ออ้างอิงภาษาซี\n";
    assert_eq!(doubts(old.as_bytes(), new.as_bytes())[0], DamageKind::Removed);
}

/// The question mark at the start of a line is not the byte order mark of the line that was removed before it.
#[test]
fn a_mark_is_restored_where_its_line_was_removed() {
    let old = "\u{FEFF}    total += price[i];\nИзображение DIB\nзаголовок значка группы\n";
    let new = "??????????? DIB\n????????? ?????? ??????\n";
    assert_eq!(undone(old.as_bytes(), new.as_bytes()), "\u{FEFF}Изображение DIB\nзаголовок значка группы\n".as_bytes());
}

/// Decoding double-encoded text once more is a repair.
#[test]
fn a_repair_is_no_damage() {
    let good = "naïve café — déjà vu\n".repeat(3);
    for name in ["windows-1252", "windows-1251", "windows-1250", "cp437"] {
        let Some(doubled) = Legacy::labelled(name).unwrap().text_of(good.as_bytes()) else { continue };
        for (old, new) in [(&*doubled, &*good), (&doubled, &format!("{good}more\n"))] {
            let comparison = compare(old.as_bytes(), new.as_bytes());
            assert_eq!(comparison.damage, [], "{name}: {old}");
        }
        assert!(!compare(good.as_bytes(), doubled.as_bytes()).damage.is_empty());
    }
    // A person retypes lost characters.
    for lost in [good.replace(['ï', 'é', 'à'], "\u{FFFD}"), good.replace(['ï', 'é', '—', 'à'], "?")] {
        assert_eq!(compare(lost.as_bytes(), good.as_bytes()).damage, []);
        assert!(!compare(good.as_bytes(), lost.as_bytes()).damage.is_empty());
    }
}

/// The same for misdecoded text, whether the repair is in its own encoding or in UTF-8.
#[test]
fn text_that_is_read_in_the_right_encoding_again_is_no_damage() {
    let cases = [
        ("windows-1251", "Привет, мир!\nЭто файл на русском языке, в котором много слов.\n"),
        ("windows-1251", "int x; // Привет\n"),
        ("koi8-r", "Привет, мир!\nЭто файл на русском языке, в котором много слов.\n"),
        ("shift_jis", "日本語のテキストファイルです。\nこれは文字化けの例である。\n"),
        ("gb18030", "这是一个中文文本文件。\n第二行也是中文。\n"),
        ("iso-8859-2", "Příliš žluťoučký kůň úpěl ďábelské ódy\n"),
        ("cp850", "Un café très cher à Paris, où les élèves étaient.\n"),
    ];
    for (name, text) in cases {
        let (good, more) = (encode(name, text), [text, "return 0;\n"].concat());
        let misread = Legacy::labelled("windows-1252").unwrap().text_of(&good).unwrap();
        for new in [good.clone(), encode(name, &more), text.into(), more.clone().into()] {
            let comparison = compare(misread.as_bytes(), &new);
            assert_eq!(comparison.damage, [], "{name}: {}", new.escape_ascii());
            assert_eq!(restore(misread.as_bytes(), &new, &comparison.damage), new);
        }
        assert!(!compare(&good, misread.as_bytes()).damage.is_empty());
    }
    // In a file whose other lines are correct.
    let (old, new) = ("Москва\nÃ©lÃ¨ve\nсто cafÃ©s\n", "Москва\nélève\nсто cafés\n");
    assert_eq!(compare(old.as_bytes(), new.as_bytes()).damage, []);
    // Text that was correct is written in another encoding.
    let old = "un café très cher\n";
    assert_eq!(compare(old.as_bytes(), &encode("windows-1252", old)).damage.len(), 2);
}

/// A space separates added text from the word that lost its letters, before or after it.
#[test]
fn words_are_added_before_dropped_ones_or_behind_them() {
    let old = encode("windows-1251", "Москва и Петербург\nПривет, мир\nend\n");
    let drops = |bytes: &[u8]| bytes.iter().copied().filter(u8::is_ascii).collect::<Vec<u8>>();
    for edited in [
        "Москва и Петербург more words\nПривет, мир\nend\n",
        "Москва и new Петербург\nПривет, мир\nend\n",
        "changed Москва и Петербург\nПривет, мир\nend\n",
        "Москва и Петербург\nan added line\nПривет, мир\nend\n",
    ] {
        let edited = encode("windows-1251", edited);
        let new = drops(&edited);
        assert_eq!(restore(&old, &new, &compare(&old, &new).damage), edited);
    }
    let edited = encode("windows-1251", "Москва и xПетербург\nПривет, мир\nend\n");
    assert_eq!(doubts(&old, &drops(&edited)), [DamageKind::Removed]);
}

/// In a file of two encodings, a copied line takes the bytes of its original.
#[test]
fn a_copied_line_of_a_file_of_two_encodings_is_restored() {
    let line = encode("windows-1251", "Нераспознанная инструкция\n");
    let (first, last) = ("Удалить все зависимости\n".as_bytes(), encode("windows-1251", "Устраните неоднозначность\n"));
    let (old, edited) = ([first, &line, b"end\n", &last].concat(), [first, &line, &line, b"end\n", &last].concat());
    let new = "Удалить все зависимости\nНераспознанная инструкция\nНераспознанная инструкция\nend\n\
               Устраните неоднозначность\n";
    assert_eq!(undone(&old, new.as_bytes()), edited);
}

#[test]
fn words_that_are_gone_with_their_spaces_are_no_damage() {
    let old = encode("gbk", "int main(void) {\n中文文本测试\n// 这是一个注释\n");
    assert_eq!(compare(&old, b"int main(void) {\n//\n").damage, []);
    let old = "    pass\r\n<p>Η cache του πακέτου κατασκευάστηκε για διαφορετικές αρχιτεκτονικές: %s vs %s</p>\r\n";
    let new = "    pass more\r\n<p>Ρουμανικό (Γερμανία)</p>\r\n";
    assert_eq!(compare(old.as_bytes(), new.as_bytes()).damage, []);
    let old = "# one\nmsg = \"SUID/SGID 프로그램에 DST는 사용할 수 없습니다\";\nfor (i = 0; i < n; i++) {\n";
    let new = "# one\n    total += price[i];\nfor (i = 0; < n; i++) {\n";
    assert_eq!(compare(old.as_bytes(), new.as_bytes()).damage, []);
}

/// The lost characters are there again.
#[test]
fn a_repair_of_lost_characters_is_no_damage() {
    let text = "café très cher\r\ndéjà vu, là-bas\r\n";
    let good = encode("windows-1252", text);
    let lost = String::from_utf8_lossy(&good).into_owned();
    for good in [&good, text.as_bytes()] {
        assert_eq!(compare(lost.as_bytes(), good).damage, []);
        let edited = [good, b"more\r\n"].concat();
        assert_eq!(compare(lost.as_bytes(), &edited).damage, []);
    }
}

/// Some lost characters are back and others were newly lost. The restored version must not get U+FFFD back.
#[test]
fn characters_that_were_lost_beside_a_repair_are_restored() {
    let repaired = "Le café est fermé\nUne ligne d'été\nLa forêt est très belle\nNoël à la maison\n";
    let old = repaired.replace('é', "\u{FFFD}");
    let lost = repaired.replace("forêt", "for\u{FFFD}t").replace("Noël", "No\u{FFFD}l");
    assert_eq!(undone(old.as_bytes(), lost.as_bytes()), repaired.as_bytes());
    let (latin1, edited) = (encode("latin1", repaired), encode("latin1", &format!("{repaired}more\n")));
    for (new, want) in [(latin1, repaired.to_owned()), (edited, format!("{repaired}more\n"))] {
        assert_eq!(undone(old.as_bytes(), &new), want.as_bytes());
    }
    let new = encode("windows-1252", "L'état\nplain\n");
    assert_eq!(undone("L'\u{FFFD}tat\nplain\n".as_bytes(), &new), new);
}

/// The encoding lacked signs of a line that is recognized otherwise.
#[test]
fn question_marks_in_a_line_that_is_known_again_are_doubtful() {
    let last = "değer olmalıdır; “%s” değeri kabul\nfarklı olacak\n";
    let old = ["a şeker ığdır çok\n".repeat(3).as_str(), last].concat();
    let new = encode("windows-1254", &old.replace(['“', '”'], "?"));
    assert_eq!(doubts(old.as_bytes(), &new), [DamageKind::Replaced]);
}

/// Text added next to a character may be the damaged character.
#[test]
fn sequences_of_utf8_in_a_legacy_file_are_doubtful() {
    let old = encode("gb18030", "# heading\n中文天新你好世界\nend\n");
    let mojibake = misread("latin1", &misread("latin1", &encode("gb18030", "中")));
    let new = [b"# heading;\n#", &*mojibake, &encode("gb18030", "文天新你好世界\nend\n")].concat();
    assert_eq!(doubts(&old, &new), [DamageKind::Recoded]);
}

/// A letter of a word that was copied or moved is damaged; no view of the file explains it.
#[test]
fn a_damaged_letter_in_a_copied_line_is_doubtful() {
    let text = "İstanbul değil şimdi\nküçük ağaç var\nson satır\n";
    let old = encode("windows-1254", text);
    let line = encode("windows-1254", "İstanbul de");
    let twice = misread("latin1", &misread("latin1", &encode("windows-1254", "ğ")));
    let copy = [&*line, &*twice, b"il \xFEimdi\n"].concat();
    let new = [&*old, &*copy].concat();
    assert_eq!(doubts(&old, &new), [DamageKind::Recoded]);
    let new = format!("{text}İstanbul deg\u{306}il şimdi\n");
    assert_eq!(doubts(text.as_bytes(), new.as_bytes()), [DamageKind::Normalized]);
    let new = format!("{text}İstanbul deÄŸil şimdi\n");
    assert_eq!(doubts(text.as_bytes(), new.as_bytes()), [DamageKind::Doubled]);
    // What a person typed is none of the words of the text.
    let new = format!("{text}Ankara ağır Âlem § Â§\n");
    assert_eq!(doubts(text.as_bytes(), new.as_bytes()), []);
}

/// A copied line has no counterpart in the old version, so it is not evidence of a repair.
#[test]
fn a_copied_line_is_no_sign_of_a_repair() {
    let old = "    // Öl den macht für müde Äpfel Mädchen Schlüssel\n\
               <p>Meister Mädchen Meister Schlüssel Köln Fußgänger</p>\n<p>Mädchen zwölf</p>\n";
    let [line, rest] = ["Schlüssel Übung Woche für (see page 0)\n", "<p>Mädchen zwölf</p>\n"];
    let edited = &[old.strip_suffix(rest).unwrap(), line, rest, line].concat();
    let old = &[old, line].concat();
    assert_eq!(undone(old.as_bytes(), &encode("windows-1252", edited)), edited.as_bytes());
}

/// The old version had a question mark for each letter that its encoding lacked, and the new one has the letters.
#[test]
fn question_marks_that_became_letters_are_a_repair() {
    let text = "помилка в мові і в ній\nїжак її їв\nслово ціле\nдень\n";
    let lossy = encode("shift_jis", &text.replace(['і', 'ї'], "?"));
    assert_eq!(compare(&lossy, &encode("windows-1251", text)).damage, []);
    assert!(!compare(&encode("windows-1251", text), &lossy).damage.is_empty());
}

/// For double-encoded lines, a view that misdecodes once explains all except the letters added by the second round.
#[test]
fn letters_that_a_second_round_added_are_damage() {
    let [first, rest] = ["- książka.\nkey = też książka\n", "też gość dobry\nświecie się łódź\n"]
        .map(|text| encode("iso-8859-2", text));
    let once = |bytes: &[u8]| misread("latin1", bytes);
    let (old, new) = ([&*first, &rest].concat(), [once(&once(&first)), once(&rest)].concat());
    let damage = compare(&old, &new).damage;
    assert!(restore(&old, &new, &damage) == old || damage.iter().any(|one| one.doubtful), "{damage:?}");
}
