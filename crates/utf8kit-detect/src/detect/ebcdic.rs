//! EBCDIC: text from IBM mainframes.

/// Returns the code page of a text, if it is EBCDIC: CP037, or CP500 if its punctuation suggests so.
pub(super) fn find(text: &[u8]) -> Option<(&'static str, &'static str)> {
    let count = |is: fn(u8) -> bool| text.iter().filter(|&&byte| is(byte)).count();
    if text.len() < 16
        || count(|byte| byte == 0x40) * 20 < text.len()
        || count(is_letter) * 2 < text.len()
        || count(|byte| is_letter(byte) || is_usual(byte)) * 20 < text.len() * 19
    {
        return None;
    }
    // Punctuation tells the two apart: an exclamation mark ends a sentence, and brackets come in pairs.
    let ends = |mark: u8| {
        text.windows(2).filter(|pair| pair[0] == mark && matches!(pair[1], 0x40 | 0x15 | 0x25)).count()
    };
    let brackets = |open: u8, close: u8| {
        let opened = text.iter().position(|&byte| byte == open);
        usize::from(opened.is_some_and(|at| text.get(at..).is_some_and(|rest| rest.contains(&close))))
    };
    let cp037 = ends(0x5A) + brackets(0xBA, 0xBB);
    let cp500 = ends(0x4F) + brackets(0x4A, 0x5A);
    Some(match (cp037, cp500) {
        (one, other) if other > one => {
            ("CP500", "letters, digits and spaces where EBCDIC has them, ! or [ ] where CP500 has them")
        }
        (0, 0) => (
            "CP037",
            "letters, digits and spaces where EBCDIC has them; nothing that tells its code pages apart",
        ),
        _ => ("CP037", "letters, digits and spaces where EBCDIC has them, ! or [ ] where CP037 has them"),
    })
}

/// Reports whether a byte is a letter, in all code pages.
fn is_letter(byte: u8) -> bool {
    matches!(byte, 0x81..=0x89 | 0x91..=0x99 | 0xA2..=0xA9 | 0xC1..=0xC9 | 0xD1..=0xD9 | 0xE2..=0xE9)
}

/// Reports whether a byte is a digit, a space, a line end, or punctuation that is the same in all code pages.
fn is_usual(byte: u8) -> bool {
    matches!(byte, 0xF0..=0xF9 | 0x40 | 0x15 | 0x25 | 0x0D | 0x05)
        || matches!(byte, 0x4B..=0x4E | 0x50 | 0x5C..=0x5E | 0x60 | 0x61 | 0x6B..=0x6F | 0x79..=0x7F)
        || matches!(byte, 0x4A | 0x4F | 0x5A | 0x5F | 0xBA | 0xBB | 0xB0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Encodes ASCII letters, digits and some punctuation in EBCDIC.
    fn ebcdic(text: &str, signs: &[(char, u8)]) -> Vec<u8> {
        let byte = |c: char| {
            if let Some(sign) = signs.iter().find(|sign| sign.0 == c) {
                return sign.1;
            }
            match c {
                'a'..='i' => 0x81 + (c as u8 - b'a'),
                'j'..='r' => 0x91 + (c as u8 - b'j'),
                's'..='z' => 0xA2 + (c as u8 - b's'),
                'A'..='I' => 0xC1 + (c as u8 - b'A'),
                'J'..='R' => 0xD1 + (c as u8 - b'J'),
                'S'..='Z' => 0xE2 + (c as u8 - b'S'),
                '0'..='9' => 0xF0 + (c as u8 - b'0'),
                ' ' => 0x40,
                ',' => 0x6B,
                '.' => 0x4B,
                '\n' => 0x15,
                _ => panic!("{c}"),
            }
        };
        text.chars().map(byte).collect()
    }

    #[test]
    fn code_pages_are_told_by_their_signs() {
        let text = "THE QUICK BROWN FOX, 42 of them, jumps over the lazy dog.\n";
        let name = |bytes: &[u8]| find(bytes).map(|found| found.0);
        assert_eq!(name(&ebcdic(text, &[])), Some("CP037"));
        let stop = format!("Stop the table[1] now! {text}");
        assert_eq!(name(&ebcdic(&stop, &[('!', 0x5A), ('[', 0xBA), (']', 0xBB)])), Some("CP037"));
        assert_eq!(name(&ebcdic(&stop, &[('!', 0x4F), ('[', 0x4A), (']', 0x5A)])), Some("CP500"));
        let others: [&[u8]; 3] = [
            text.as_bytes(),
            b"\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9",
            &[0x81; 40],
        ];
        assert!(others.iter().all(|other| name(other).is_none()));
    }
}
