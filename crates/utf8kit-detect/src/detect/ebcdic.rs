//! EBCDIC: text from IBM mainframes.

/// Reports whether bytes may be text in one of its code pages: half of them must be ASCII letters there, and one in
/// twenty a space. The code page follows from the other letters and signs.
pub(super) fn may_be(text: &[u8]) -> bool {
    let count = |is: fn(u8) -> bool| text.iter().filter(|&&byte| is(byte)).count();
    text.len() >= 16
        && count(|byte| byte == EBCDIC_SPACE) * 20 >= text.len()
        && count(is_letter) * 2 >= text.len()
        && count(|byte| byte == b' ') * 20 < text.len()
}

const EBCDIC_SPACE: u8 = 0x40;

/// Reports whether a byte is a letter, in all code pages.
fn is_letter(byte: u8) -> bool {
    matches!(byte, 0x81..=0x89 | 0x91..=0x99 | 0xA2..=0xA9 | 0xC1..=0xC9 | 0xD1..=0xD9 | 0xE2..=0xE9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::detect;
    use utf8kit_encodings::charset::Legacy;

    /// Returns a text in a code page, with the line ends of mainframes.
    fn ebcdic(text: &str, page: &str) -> Vec<u8> {
        let page = Legacy::labelled(page).unwrap();
        let byte = |c: char| if c == '\n' { vec![0x15] } else { page.bytes_of(c).unwrap() };
        text.chars().flat_map(byte).collect()
    }

    #[test]
    fn letters_of_a_nation_tell_its_code_page() {
        let cases = [
            ("CP037", "THE QUICK BROWN FOX, 42 of them, jumps over the lazy dog.\n"),
            ("CP500", "Stop [now]! The quick brown fox jumps over the lazy dog!\nHello, world! All is well!\n"),
            ("CP273", "Größe und Länge der Türen\nÖffnung nicht möglich, Übergröße\n"),
            ("CP297", "L'été à Besançon était très agréable\nLe garçon a été reçu\n"),
            ("CP284", "El niño comió piñas en España\nLa cigüeña del año que viene, mañana\n"),
            ("CP278", "Åsa går på gången över ängen\nÖrjan äter räksmörgås på båten\n"),
            ("CP280", "Perché la città è più bella così\nLa libertà è già là però\n"),
            ("CP277", "Blåbærsyltetøy på brødskive\nÆrlig og ærgjerrig sønn på øya\n"),
            ("CP1141", "Die Gebühr beträgt 5 € für Fußgänger\nGrüße aus Köln\n"),
            ("CP1025", "Привет мир как дела сегодня вечером\nСтрока данных номер два\n"),
        ];
        for (page, text) in cases {
            let bytes = ebcdic(text, page);
            let found = detect(&bytes);
            let read = found.encoding.and_then(Legacy::labelled).and_then(|one| one.text_of(&bytes));
            assert_eq!(read.map(|read| read.replace('\u{85}', "\n")).as_deref(), Some(text), "{page}: {found:?}");
            // Signs alone are weaker evidence than letters.
            let is_open = found.suggestion().is_none_or(|suggestion| suggestion.is_open());
            assert_eq!(is_open, matches!(page, "CP500" | "CP1141"), "{page}: {found:?}");
        }
        // A sign that many code pages swap with another one identifies none of them.
        let pounds = detect(&ebcdic("The price is £5 for the first one and £6 for all others\n", "CP285"));
        assert!(pounds.suggestion().is_none_or(|suggestion| !suggestion.is_sure()), "{pounds:?}");
    }

    #[test]
    fn other_text_is_none() {
        let text = "The quick brown fox jumps over the lazy dog.\n";
        let others: [&[u8]; 3] =
            [text.as_bytes(), b"\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9", &[0x81; 40]];
        assert!(others.iter().all(|other| !may_be(other)));
        assert!(may_be(&ebcdic(text, "CP037")));
    }
}
