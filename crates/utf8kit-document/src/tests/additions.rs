//! Tests of text added to a damaged version: its original form, and whether that is certain.

use crate::tests::{in_encoding, misread, restored};

/// The encoding of added text follows from letters of the old version, or from the language of the added text.
#[test]
fn added_text_is_written_as_letters_like_it() {
    let cases: [(&str, &str, &str); 3] = [
        ("windows-1252", "sobre o gelo do polo sul está se degradando ao longo do\n", "Há "),
        (
            "windows-1251",
            "Феникс\nЯ стоял и смотрел вдаль\nМоя земля, моя семья\nЧистая Вода\nЗимняя Дорога\nЮжная Африка\n",
            "ёлка ",
        ),
        ("euc-jp", "太陽系の準惑星\nこれはコメントです\n", "呼ばれている"),
    ];
    for (name, old, added) in cases {
        let (bytes, wanted) = (in_encoding(name, old), in_encoding(name, &[added, old].concat()));
        let lossy = [added, &String::from_utf8_lossy(&bytes)].concat();
        assert_eq!(restored(&bytes, lossy.as_bytes()), (wanted, false), "{name}");
    }
}

/// Text added to a file that was written in another encoding is decoded from that, if no other encoding has the same
/// bytes for the rest.
#[test]
fn added_text_is_read_as_it_was_written() {
    let (old, new) = ("precipitação\nformação em quase todos\n", "precipitação\nformação em quase conteúdo todos\n");
    let written = in_encoding("windows-1252", new);
    assert_eq!(restored(old.as_bytes(), &written), (new.as_bytes().to_vec(), false));
    // Shift_JIS has the same code for two signs.
    let (old, new) = ("40° bis −2,94 m\nFlüsse\nüber 40°\n", "40° bis −2,94 m\nFl?sse\n?ber 40°\n");
    let written = in_encoding("shift_jis", new);
    assert_eq!(restored(old.as_bytes(), &written), (old.as_bytes().to_vec(), false));
}

/// The encoding of a new line in a file of two encodings is unknown.
#[test]
fn new_lines_in_a_file_of_two_encodings_are_doubtful() {
    let french = |text: &str| in_encoding("windows-1252", text);
    let old = [&french("été déjà là, forêt\n")[..], b"x = 1;\n", "élève à côté\n".as_bytes()].concat();
    let lossy = String::from_utf8_lossy(&old).into_owned();
    let new = lossy.replace("x = 1", "naïve = 1");
    assert!(restored(&old, new.as_bytes()).1);
    // Within a line, it is known.
    let new = lossy.replace("for\u{FFFD}t", "for\u{FFFD}t où");
    let at = old.iter().position(|&byte| byte == b'\n').unwrap();
    let wanted = [&old[..at], &french(" où"), &old[at..]].concat();
    assert_eq!(restored(&old, new.as_bytes()), (wanted, false));
}

/// An added line takes the line ends of its neighbours, whatever its encoding.
#[test]
fn added_lines_in_a_file_of_two_encodings_take_its_line_ends() {
    let old = [&b"\xE9t\xE9 d\xE9j\xE0\r\n"[..], "élève\r\nx\r\n".as_bytes()].concat();
    let new = [&b"\xE9t\xE9 d\xE9j\xE0\nl\xE0\n"[..], "élève\nx\n".as_bytes()].concat();
    let wanted = [&b"\xE9t\xE9 d\xE9j\xE0\r\nl\xE0\r\n"[..], "élève\r\nx\r\n".as_bytes()].concat();
    assert_eq!(restored(&old, &new), (wanted, false));
}

/// Text that was added to a doubled version is as it was typed, unless it was doubled with the rest.
#[test]
fn text_that_was_typed_into_a_doubled_version_stays() {
    let old = "Hélène naïve\nx = 1\nà bientôt\n";
    let doubled = String::from_utf8(misread("latin1", old.as_bytes())).unwrap();
    let (wanted, typed) = (old.replace("x = 1", "été"), doubled.replace("x = 1", "été"));
    assert_eq!(restored(old.as_bytes(), typed.as_bytes()), (wanted.clone().into_bytes(), false));
    assert_eq!(restored(old.as_bytes(), &misread("latin1", wanted.as_bytes())), (wanted.into_bytes(), false));
    // Lost with the rest.
    let lost = doubled.replace("x = 1", "Ã\u{FFFD}");
    assert!(restored(old.as_bytes(), lost.as_bytes()).1);
}

/// The letters of the file decide how to read text added to a misdecoded version.
#[test]
fn text_that_was_added_before_or_after_a_wrong_reading_is_told_by_its_letters() {
    let old = in_encoding("windows-1251", "Съешь ещё этих булок\nx = 1\nда выпей чаю\n");
    let edited = in_encoding("windows-1251", "Съешь ещё этих булок\nчашка\nда выпей чаю\n");
    let misread_too = misread("koi8-r", &edited);
    assert_eq!(restored(&old, &misread_too), (edited.clone(), false));
    let typed = String::from_utf8(misread("koi8-r", &old)).unwrap().replace("x = 1", "чашка");
    let back = restored(&old, typed.as_bytes());
    assert!(back.1 || back.0 == edited, "{}", back.0.escape_ascii());
}

/// Two encodings show the same for all of the old version, and have other bytes for a sign that was added.
#[test]
fn added_signs_of_text_that_two_encodings_may_have_read_are_doubtful() {
    let text = "* Συζήτηση για αυτή την\nΟ πλανήτης περιλαμβάνεται στους\nαπό τη ροή κάποιου υγρού\n";
    let old = in_encoding("windows-1253", text);
    for (added, is_doubtful) in [("Σύστημα\n", false), ("«Σύστημα\n", true)] {
        let wanted = [&old[..], &in_encoding("windows-1253", added)].concat();
        let (back, doubts) = restored(&old, &misread("iso-8859-2", &wanted));
        assert_eq!(doubts, is_doubtful, "{added}");
        assert!(is_doubtful || back == wanted, "{added}");
    }
}

/// Several encodings have all the remaining characters, and each has a different character for a sign that no view
/// explains.
#[test]
fn signs_in_one_of_several_encodings_are_doubtful() {
    let old = "448,\"הקרח) • גופים טרנס-\",42\n61,\"של ריקוד ננקטת זכר. כלכלה הנאמנים רבה מה, כיצד חשמל\",63\n\
        אקטואליה ב מלא, דת שכל מועמדים סוציולו\n";
    let lost = |c: char| match c {
        '•' => 0xA5,
        c if c.is_ascii() => c as u8,
        _ => b'?',
    };
    let new: Vec<u8> = old.chars().map(lost).collect();
    let (back, is_doubtful) = restored(old.as_bytes(), &new);
    assert!(is_doubtful || back == old.as_bytes(), "{}", back.escape_ascii());
}
