//! Tests that each kind of damage is restored or reported as doubtful, and that edits are not reported.

use crate::compare::limits::MIN_BYTES_FOR_HUNKS;
use crate::tests::generated::{CHINESE, FRENCH, GERMAN, JAPANESE, RUSSIAN, codec, decode, encode};
use crate::{compare, restore};

#[test]
fn a_mark_in_the_middle_of_a_piece_is_restored_whole() {
    for letters in ["Größe", "日本", "Привет, мир"] {
        for name in ["gb18030", "shift_jis", "big5", "euc-kr", "windows-1252"] {
            let old = format!("\u{FEFF}{letters} {}\n", GERMAN.join("\n")).into_bytes();
            let new = decode(codec(name), &old, "\u{FFFD}").into_bytes();
            let comparison = compare(&old, &new);
            let back = restore(&old, &new, &comparison.damage);
            let doubtful = comparison.damage.iter().any(|damage| damage.doubtful);
            assert!(back == old || doubtful, "{letters} in {name}: {:?} {comparison:?}", back.escape_ascii());
        }
    }
}

/// The only non-ASCII line was removed, and another one was extended.
#[test]
fn what_was_deleted_is_no_damage() {
    let old = b"if (a < b) goto end;\n    return 0;\n    Stra\xDFe 5, Gr\xF6\xDFe: gro\xDF";
    let damage = compare(old, b"if (a < b) goto end;\n    return 0; more words").damage;
    assert!(damage.is_empty(), "{damage:?}");
}

/// Returns the restored version, and whether some damage is doubtful.
fn undone(old: &[u8], new: &[u8]) -> (Vec<u8>, bool) {
    let damage = compare(old, new).damage;
    (restore(old, new, &damage), damage.iter().any(|one| one.doubtful))
}

#[test]
fn lines_in_two_encodings_that_were_read_as_one_are_restored() {
    let mac = encode(codec("macintosh"), "Hochländer des Südens\nkönnen hätten\n").unwrap();
    let old = [&mac[..], "Experimente überlebt\n".as_bytes(), &mac].concat();
    let new = decode(codec("koi8-r"), &old, "\u{FFFD}").into_bytes();
    assert_eq!(undone(&old, &new), (old, false));
}

#[test]
fn characters_that_became_replacements_are_restored_whatever_their_length() {
    let old = "pour l’époque – « où »\n火星の地形\n";
    let new: String = old.chars().map(|c| if c.is_ascii() { c } else { '\u{FFFD}' }).collect();
    assert_eq!(undone(old.as_bytes(), new.as_bytes()), (old.as_bytes().to_vec(), false));
}

/// An added line that equals one removed line, as shown by the view, takes its bytes.
#[test]
fn lines_that_were_moved_are_restored() {
    let line = |text: &str| encode(codec("windows-1251"), text).unwrap();
    let lines: Vec<Vec<u8>> = RUSSIAN.iter().map(|text| [&line(text)[..], b"\r\n"].concat()).collect();
    let order = |order: &[usize]| order.iter().flat_map(|&at| lines[at].clone()).collect::<Vec<u8>>();
    let (old, moved) = (order(&[0, 1, 2, 3, 4]), order(&[1, 2, 3, 4, 0]));
    let lossy = String::from_utf8_lossy(&moved).replace("\r\n", "\n").into_bytes();
    assert_eq!(undone(&old, &lossy), (moved.clone(), false));
    let recoded = decode(codec("windows-1252"), &moved, "\u{FFFD}").into_bytes();
    assert_eq!(undone(&old, &recoded), (moved, false));
    // Two removed lines look the same, so it may be either.
    let old = b"x = 1;\n\xE9t\xE9 f\xEAte\n\xE8t\xE8 f\xEBte\ny = 2;\ncaf\xE9\nz = 3;\n";
    let new = "x = 1;\ny = 2;\ncaf\u{FFFD}\nz = 3;\n\u{FFFD}t\u{FFFD} f\u{FFFD}te\n";
    assert!(undone(old, new.as_bytes()).1);
}

#[test]
fn added_text_is_encoded_as_the_file_is() {
    let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let cases = [
        ("windows-1252", FRENCH[3], "une forêt à côté"),
        ("ibm866", RUSSIAN[2], "Наблюдения"),
        ("koi8-r", RUSSIAN[4], "Жёлтый"),
        ("windows-1253", "Επεξεργασία ενότητας: Φυσικά", "σχηματισμό"),
        ("windows-1255", "עריכת פסקה: משימת", "תאריך"),
        ("windows-1250", "Zřejmě byl mírně světlejší", "žluťoučký kůň"),
        ("shift_jis", JAPANESE[0], "火星の地形"),
        ("euc-jp", JAPANESE[4], "火星の地形"),
        ("euc-kr", "화성에는 또한 자기권이 없다", "평균 거리"),
        ("gb18030", CHINESE[3], "火星的地形"),
    ];
    for (name, first, added) in cases {
        let file = |text: &str| encode(codec(name), text).unwrap();
        let old = file(&format!("{first}\nx = 1;\n{first}, {first}\n"));
        let want = [
            &file(&format!("{added}\n{first}\nx = ")),
            &file(added),
            &b";\n"[..],
            &file(&format!("{first}, {first}\n")),
        ];
        let new = format!("{added}\n{}\nx = {added};\n{1}, {1}\n", lossy(&file(first)), lossy(&file(first)));
        assert_eq!(undone(&old, new.as_bytes()), (want.concat(), false), "{name}");
        // Non-ASCII characters became question marks before the text was added.
        let asked = |text: &str| text.chars().map(|c| if c.is_ascii() { c } else { '?' }).collect::<String>();
        let new = format!("{added}\n{0}\nx = {added};\n{0}, {0}\n", asked(first));
        assert_eq!(undone(&old, new.as_bytes()).0, want.concat(), "{name}, ?");
    }
    // French in macintosh that was read as GBK. An added word is unlikely to stand for its bytes in GBK.
    let text = "caractéristiques à côté\nrégions volcaniques\ndepuis les années\n";
    let old = encode(codec("macintosh"), text).unwrap();
    let new = decode(codec("gb18030"), &old, "\u{FFFD}").replace("depuis", "depuis prépondérance");
    let want = encode(codec("macintosh"), &text.replace("depuis", "depuis prépondérance")).unwrap();
    assert_eq!(undone(&old, new.as_bytes()), (want, false), "{new}");
}

/// A line that was moved among lines of another encoding keeps its own.
#[test]
fn lines_that_were_moved_in_a_file_of_two_encodings_keep_theirs() {
    let legacy = |text: &str| encode(codec("windows-1252"), text).unwrap();
    let lines = [
        legacy("L'élève a mangé une crêpe\r\n"),
        "À bientôt, Noël, à la forêt déserte\r\n".as_bytes().to_vec(),
        legacy("été comme hiver, la forêt\r\n"),
        b"x = 1;\r\n".to_vec(),
        legacy("ça dépend du garçon\r\n"),
        legacy("la crème brûlée\r\n"),
    ];
    let order = |order: &[usize]| order.iter().flat_map(|&at| lines[at].clone()).collect::<Vec<u8>>();
    let (old, moved) = (order(&[0, 1, 2, 3, 4, 5]), order(&[0, 2, 3, 4, 1, 5]));
    let feeds: Vec<u8> = moved.iter().copied().filter(|&byte| byte != b'\r').collect();
    assert_eq!(undone(&old, &feeds), (moved.clone(), false));
    let lossy = String::from_utf8_lossy(&feeds).into_owned();
    assert_eq!(undone(&old, lossy.as_bytes()), (moved, false));
}

/// A byte order mark of UTF-8 is a mark even if some bytes are not UTF-8.
#[test]
fn marks_of_files_with_stray_bytes_are_restored() {
    let old = ["\u{FEFF}Grüße aus Köln\nÄrger mit Öl\n".as_bytes(), b"x = 1;\xFF\n"].concat();
    assert_eq!(undone(&old, &old[3..]), (old.clone(), false));
    assert_eq!(undone(&old[3..], &old), (old[3..].to_vec(), false));
    // Written as UTF-16, in which the stray byte is U+FFFD.
    let text = String::from_utf8_lossy(&old).into_owned();
    let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(undone(&old, &wide), (old, false));
}

/// Lines that a person replaced with ASCII, and words that were added, are not damage.
#[test]
fn edits_are_no_damage() {
    let pairs: [(&str, &str); 4] = [
        ("// Κύριο λήμμα: [Ζωή στον\n    return 0;", "added line 38\n    return 0;"),
        ("Değiştirilen bölüm: Sürdürülen\nKanyon\")'un\n", "added line 26\nKanyon\")'un\n"),
        ("* Nejste přihlášen(a)\r\nint main(void) {\r\n", "int main(void)\r\n"),
        ("\u{FEFF}    printf();\r\nx\r\n// был\r\n", "\u{FEFF}«Хаббл»](//upload     printf();\r\nx\r\n// был\r\n"),
    ];
    for (old, new) in pairs {
        let damage = compare(old.as_bytes(), new.as_bytes()).damage;
        assert!(damage.is_empty(), "{old} {damage:?}");
    }
}

/// A letter that is part of its own mojibake.
#[test]
fn a_letter_that_was_doubled_into_itself_is_restored() {
    let mac = |text: &str| decode(codec("macintosh"), text.as_bytes(), "\u{FFFD}");
    let old = "roten Böden sind,";
    let new = mac(&mac("Böden sind,"));
    assert_eq!(undone(old.as_bytes(), new.as_bytes()).0, "Böden sind,".as_bytes());
}

/// Text whose encoding is not detected, written in a third encoding.
#[test]
fn text_in_an_encoding_that_was_not_detected_is_restored() {
    let cases: [(&[u8], &[u8], &[u8]); 3] = [
        // Code page 866, detected as windows-1251, written as ISO 8859-5. Some letters are the same in both.
        (
            b"x\n// \xA1\xEB\xE1\xE2\xE0\xA0\xEF \xAB\xA8\xE1\xA0\n",
            b"x\n// \xD1\xEB\xE1\xE2\xE0\xD0\xEF \xDB\xD8\xE1\xD0\n",
            b"x\n// \xA1\xEB\xE1\xE2\xE0\xA0\xEF \xAB\xA8\xE1\xA0\n",
        ),
        // EUC-JP, detected as EUC-KR, written as Shift_JIS.
        (
            b"\xC5\xEC\xB5\xFE\xC5\xD4\nx = 1\n\xC5\xEC\xB5\xFE\xC5\xD4\n",
            b"\x93\x8C\x8B\x9E\x93s\nnew x = 1\n\x93\x8C\x8B\x9E\x93s;\n",
            b"\xC5\xEC\xB5\xFE\xC5\xD4\nnew x = 1\n\xC5\xEC\xB5\xFE\xC5\xD4;\n",
        ),
        (
            b"x = y\n\xC5\xEC\xB5\xFE\xC5\xD4\xC0\xE9\xC2\xE5\n",
            b"x new = y\n\x93\x8C\x8B\x9E\x93s\x90\xE7\x91\xE3\n",
            b"x new = y\n\xC5\xEC\xB5\xFE\xC5\xD4\xC0\xE9\xC2\xE5\n",
        ),
    ];
    for (old, new, want) in cases {
        assert_eq!(undone(old, new), (want.to_vec(), false), "{}", old.escape_ascii());
    }
}

/// Damage that no view explains, or that shares a character with an edit, must be reported as doubtful.
#[test]
fn what_cannot_be_explained_is_doubtful() {
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
    let pairs: [(Vec<u8>, Vec<u8>); 2] = [
        (
            b"H\x8El\x8Fne na\x95ve\nH\x8El\x8Fne na\x95ve\nx = y + 1\n# heading\nH\x8El\x8Fne na\x95ve\n\
              int main(void) {\nif (a < b) goto end;\n\x8Da d\x8Epend du gar\x8Don\n"
                .to_vec(),
            b"changed Hlne nave\nHlne nave\nx = y + 1;\n# heading\nHlne nave\nHlne nave\nint main(void) {\n\
              if (a < b) goto end;\na dpend du garon\n"
                .to_vec(),
        ),
        (
            utf16("\u{FEFF}\u{C4}rger mit \u{D6}l\n# heading\nGr\u{FC}\u{DF}e\n"),
            String::from_utf8_lossy(&utf16("\u{FEFF}changed \u{C4}rger mit \u{D6}l;\n# heading\nGr\u{FC}\u{DF}e\n"))
                .into_owned()
                .into_bytes(),
        ),
    ];
    let more: [(&[u8], &[u8]); 10] = [
        // Added text in an encoding that nobody knows: windows-1250 or ISO 8859-2.
        (b"Krak\xF3w i Gda\xF1sk\n", "Krak\u{F3}w i Gda\u{144}sk\n// \u{142}\u{F3}d\u{17A}\n".as_bytes()),
        // The only non-ASCII text was removed, and the new one is in UTF-8.
        (b"}\nprix (o\xF9 \xE7a?)\n", "}\n// \u{E9}t\u{E9}\n".as_bytes()),
        ("\u{DC}bung\n}\n".as_bytes(), b"Fu\xDFg\xE4nger\n}\n"),
        // All non-ASCII text was removed.
        ("\u{5317}\u{4EAC}\nx\n\n\u{4F60}\u{597D}\n".as_bytes(), b";\nchanged x\n\n\n"),
        (
            b"x\n\x93\x8C\x8B\x9E\x93s\x90\xE7\x91\xE3\x93c\x8B\xE6\n\x83J\x83^\x83J\x83i\x82\xC6\x82\xD0\x82\xE7\n",
            b"x\nchanged \n;\n",
        ),
        // A letter that was deleted, or dropped with all that is non-ASCII.
        (b"}\n\"\x9Abung macht\"", b"}\n\"bung macht\"\n\"bung macht\""),
        // Six characters or twelve bytes, on two lines.
        (
            b"// \xD5\xE2\xCA\xC7\r\n}\r\n\xD6\xD0\xCE\xC4\xCE\xC4\xB1\xBE\xB2\xE2\xCA\xD4\r\n",
            b"}\r\n??????\r\n??????\r\n",
        ),
        ("x\n// \u{8FD9}\u{662F}\n".as_bytes(), b"?????\nx\n"),
        // The only non-ASCII line, moved and damaged.
        ("the quick brown fox\n}\nKrak\u{F3}w\n".as_bytes(), "Krak\u{C3}\u{B3}w\nthe quick brown fox\n}\n".as_bytes()),
        // Everything except the line ends was removed.
        (b"\xC4\xE3\xBA\xC3\n\xD6\xD0\xCE\xC4\n", b"\n"),
    ];
    let more = more.map(|(old, new)| (old.to_vec(), new.to_vec()));
    for (old, new) in pairs.into_iter().chain(more) {
        let comparison = compare(&old, &new);
        assert!(comparison.damage.iter().any(|one| one.doubtful), "{} {comparison:?}", old.escape_ascii());
    }
}

/// For large versions, only the lines that differ are compared. The result is the same.
#[test]
fn large_versions_are_restored_as_small_ones_are() {
    let line = |number: usize| match number % 3 {
        0 => format!("{number}: un café très cher à Paris\n"),
        1 => format!("{number}: plain words\r\n"),
        _ => format!("{number}: Größe, Füße und naïveté\n"),
    };
    let lines: Vec<String> = (0..20_000).map(line).collect();
    for mark in ["", "\u{FEFF}"] {
        let old = [mark, &lines.concat()].concat();
        assert!(2 * old.len() > MIN_BYTES_FOR_HUNKS);
        let mut edited = lines.clone();
        edited[77] = edited[77].replace("naïveté", "naïveté und mehr");
        edited.remove(12_345);
        let moved = edited.remove(15_000);
        edited.insert(15_004, moved);
        let mut damaged = edited.clone();
        for number in [0, 2, 77, 78, 9_000, 15_003, 15_004, 15_996] {
            damaged[number] = damaged[number].replace(|c: char| !c.is_ascii(), "\u{FFFD}");
        }
        let (edited, new) = ([mark, &edited.concat()].concat(), damaged.concat());
        assert_eq!(undone(old.as_bytes(), new.as_bytes()), (edited.into_bytes(), false));
    }
    // Everything is damaged.
    let all = lines.concat();
    let new = all.replace(|c: char| !c.is_ascii(), "?").into_bytes();
    assert_eq!(undone(all.as_bytes(), &new), (all.clone().into_bytes(), false));
}
