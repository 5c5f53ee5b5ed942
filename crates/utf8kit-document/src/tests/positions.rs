//! Compares positions with counting the whole text.

use utf8kit::{ColumnUnit, LineColumn};

use crate::{Document, Unencodable};
use utf8kit_testing::Random;

const UNITS: [ColumnUnit; 3] = [ColumnUnit::Bytes, ColumnUnit::CodePoints, ColumnUnit::Utf16];

fn count(text: &str, unit: ColumnUnit) -> usize {
    match unit {
        ColumnUnit::CodePoints => text.chars().count(),
        ColumnUnit::Utf16 => text.encode_utf16().count(),
        _ => text.len(),
    }
}

fn holds(document: &Document<'_>, offset: usize) {
    let text = document.text();
    let before = &text[..offset];
    let line_start = before.rfind('\n').map_or(0, |feed| feed + 1);
    for unit in UNITS {
        let position = count(before, unit);
        assert_eq!(document.position_of(offset, unit), position);
        assert_eq!(document.offset_of(position, unit), Some(offset));
        let column = count(&before[line_start..], unit) as u64 + 1;
        let place = LineColumn::new(before.matches('\n').count() as u64 + 1, column);
        assert_eq!(document.line_column(offset, unit), place);
        assert_eq!(document.offset_at(place, unit), Some(offset), "{place:?}");
    }
}

#[test]
fn positions_are_counted_in_every_unit() {
    let mut random = Random::new(0x6A09_E667_F3BC_C909);
    for atoms in [&["\u{1F600}", "\u{E9}", "a", "\r\n"][..], &["a", "b"], &["\u{65E5}"], &["\n"]] {
        let text: String = (0..9000).map(|_| random.pick(atoms)).collect();
        let mut document = Document::open(text.as_bytes());
        for round in 0..60 {
            let places: Vec<_> = document.text().char_indices().map(|(at, _)| at).collect();
            holds(&document, places[random.below(places.len())]);
            holds(&document, 0);
            holds(&document, document.text().len());
            if round % 4 == 0 {
                // Counts from before an edit must not remain in the text after it.
                let at = places[random.below(places.len())];
                document.replace(at..at, random.pick(&["\u{1F600}x", "\n", "\u{E9}"])).unwrap();
            }
        }
    }
}

#[test]
fn positions_within_a_character_or_outside_the_text_have_no_offset() {
    let document = Document::open("a\u{1F600}\nb".as_bytes());
    for unit in UNITS {
        assert_eq!(document.offset_of(99, unit), None);
        let at = |line, column| document.offset_at(LineColumn::new(line, column), unit);
        assert_eq!([at(0, 1), at(1, 0), at(3, 1), at(1, 9), at(2, 3)], [None; 5]);
        assert_eq!([at(2, 1), at(2, 2)], [Some(6), Some(7)]);
        assert_eq!(at(1, document.line_column(5, unit).column + 1), None);
        assert_eq!(document.position_of(3, unit), document.position_of(1, unit));
        assert_eq!(document.line_column(99, unit), document.line_column(7, unit));
    }
    assert_eq!(document.offset_of(2, ColumnUnit::Utf16), None);
    assert_eq!(document.offset_of(3, ColumnUnit::Bytes), None);
    assert_eq!(document.offset_at(LineColumn::new(1, 3), ColumnUnit::Utf16), None);
}

#[test]
fn bytes_of_a_text_that_became_utf8_have_its_line_ends() {
    let mut document = Document::open_as("windows-1252".parse().unwrap(), b"caf\xE9\r\nlait\r\nfin\n");
    document = document.with_unencodable(Unencodable::Recode);
    document.replace(6..6, "日本\n").unwrap();
    let (text, bytes) = (document.text().to_owned(), document.to_bytes().into_owned());
    assert_eq!((&*text, &*bytes), ("café\n日本\nlait\nfin\n", "café\r\n日本\r\nlait\r\nfin\n".as_bytes()));
    for (at, scalar) in text.char_indices() {
        let place = at..at + scalar.len_utf8();
        let range = document.to_bytes_range(place.clone());
        let written = std::str::from_utf8(&bytes[range.clone()]).unwrap();
        assert_eq!(written.replace('\r', ""), scalar.to_string());
        assert_eq!(document.to_text_range(range), place);
    }
    // Within CR LF, and within a character.
    assert_eq!([4..5, 5..6, 6..7].map(|range| document.to_text_range(range)), [3..5, 5..6, 5..6]);
    assert_eq!(document.to_bytes_range(0..text.len()), 0..bytes.len());
    // Unedited text is not recoded.
    document.replace(6..13, "").unwrap();
    assert!(!document.is_recoded() && !document.is_edited());
    assert_eq!(document.to_bytes_range(3..6), 3..6);
}
