//! Tests of text that was decoded from a wrong encoding and written in a third one, or decoded from two encodings.
//! Similar views explain most of it.

use utf8kit_encodings::charset::Charset;

use crate::{Document, compare, restore};

fn charset(name: &str) -> Charset {
    name.parse().unwrap()
}

/// Encodes text, with a question mark for characters that the encoding lacks.
fn written(name: &str, text: &str) -> Vec<u8> {
    let codec = charset(name).writer();
    text.chars().flat_map(|c| codec.bytes_of(c).unwrap_or(vec![b'?'])).collect()
}

/// Decodes bytes from an encoding.
fn read(name: &str, bytes: &[u8]) -> String {
    Document::open_as(charset(name), bytes).text().to_owned()
}

#[track_caller]
fn is_restored(old: &[u8], new: &[u8], wanted: &[u8]) {
    let damage = compare(old, new).damage;
    let back = restore(old, new, &damage);
    assert!(back == wanted, "{} {damage:?}", back.escape_ascii());
    assert!(!damage.iter().any(|one| one.doubtful), "{damage:?}");
}

#[test]
fn utf8_that_was_written_in_a_third_encoding_is_restored() {
    let texts =
        [("windows-1251", "Приложение не отвечает\nначать заново\n"), ("windows-1252", "größer über Äpfel\nGrüße\n")];
    for (name, old) in texts {
        let (old, misread) = (old.as_bytes(), read(name, old.as_bytes()));
        for third in ["windows-1252", "macintosh"].into_iter().filter(|third| *third != name) {
            is_restored(old, &written(third, &misread), old);
        }
        is_restored(old, &[b"\xFF\xFE", &*written("utf-16le", &misread)].concat(), old);
    }
}

#[test]
fn the_nearest_of_similar_encodings_is_found() {
    // Latin-1 and windows-1252 differ in a word or two.
    let old = "a memória está cheia\nUso: %s [OPÇÃO] NOME\nnão há padrão de seleção\numa opção é inválida\n";
    let new = read("windows-1252", read("latin1", old.as_bytes()).as_bytes()).replace("NOME", "FILE");
    is_restored(old.as_bytes(), new.as_bytes(), old.replace("NOME", "FILE").as_bytes());
    // The standard of Shift_JIS has a pound sign, which browsers do not write.
    let old = written("windows-1250", "wyświetla wersję.\nnie można podawać równocześnie\n(brak celu domyślnego)\n");
    let new = read("cp437", &old).replace('£', "￡");
    is_restored(&old, &written("shift_jis", &new), &old);
    // The byte after an invalid one may be swallowed in EUC-KR.
    let old = "Poznámka: %s\n--base=ADRESÁŘ  vypíše absolutní cestu\nNebylo možné převést na malá písmena\n";
    let new = b"Pozn?mka: %s\n--base=ADRES?  vyp??e absolutn? cestu\nNebylo mo?n? p?ev?st na mal? p?smena\n";
    let old = written("windows-1250", old);
    is_restored(&old, new, &old);
}

/// Lines of both encodings were read in a third one, as Python reads it.
#[test]
fn files_of_two_encodings_that_were_read_in_a_third_one_are_restored() {
    let text = "key=datum vypršení platnosti účtu\nuživatel neměl\nspuštění příkazu\n";
    let old = [b"key=pou\xC5\xBE\xC3\xADt n\xC4\x9Bco\n", &*written("windows-1250", text)].concat();
    let new = "key=pou鱉穩t n\u{FFFD}\u{FFFD}co\nkey=datum vypr\u{FFFD}en\u{FFFD} platnosti \u{FFFD}鋈u\n\
               u\u{FFFD}ivatel nem骴\nspu\u{FFFD}t髶\u{FFFD} p齶kazu\n";
    is_restored(&old, new.as_bytes(), &old);
}

/// Written in an encoding that lacks some of it, and then in the old one again.
#[test]
fn text_that_went_through_a_smaller_encoding_is_restored() {
    let text = "naïve café “quoted” — Привет\nдобрый вечер, señor\nx = 1\nżółw łódź €5\n";
    let wide = |text: &str| [b"\xFF\xFE", &*written("utf-16le", text)].concat();
    for via in ["windows-1252", "latin1", "windows-1251", "cp850", "iso-8859-2"] {
        let left = read(via, &written(via, text));
        let edited = |text: &str| text.replace("x = 1", "x = 2\nnew line");
        is_restored(text.as_bytes(), edited(&left).as_bytes(), edited(text).as_bytes());
        is_restored(&wide(text), &wide(&left), &wide(text));
        let codec = charset(via).writer();
        let left: String = text.chars().filter(|&c| codec.bytes_of(c).is_some()).collect();
        is_restored(text.as_bytes(), left.as_bytes(), text.as_bytes());
    }
    let asked: String = text.chars().map(|c| if c.is_ascii() { c } else { '?' }).collect();
    is_restored(&wide(text), &wide(&asked), &wide(text));
    // In one place, which decoding the bytes as ASCII also explains.
    let (old, new) = ("un café\r\nx\r\n", "un caf?\r\nx\r\nnew\r\n");
    is_restored(&wide(old), &wide(new), &wide("un café\r\nx\r\nnew\r\n"));
}

/// For any sign that a person removes or replaces, some encoding lacks it.
#[test]
fn signs_that_were_removed_are_no_damage() {
    let old = "Datei »%s« öffnen… — für %s\nKonto €5, größer\n«ты» и “мы”\n";
    let gone = |signs: &[char]| old.chars().filter(|c| !signs.contains(c)).collect::<String>();
    for new in [
        gone(&['»', '«']),
        gone(&['€']),
        gone(&['—', '…']),
        gone(&['“', '”', '€']),
        old.replace('…', "?"),
        old.replace('—', "-").replace('…', "..."),
    ] {
        for encoding in ["utf-8", "gb18030", "utf-16le"] {
            let damage = compare(&written(encoding, old), &written(encoding, &new)).damage;
            assert!(damage.iter().all(|one| one.doubtful && new.contains("öffnen?")), "{encoding} {new} {damage:?}");
        }
    }
}
