//! Putting back the text of a document gives its bytes; an edit gives the text that was set.
#![no_main]

use libfuzzer_sys::fuzz_target;
use utf8kit_document::Document;
use utf8kit_encodings::charset::Charset;

fuzz_target!(|input: (u8, &[u8], &str)| {
    let (choice, bytes, new) = input;
    let names: Vec<&str> = Charset::names().collect();
    let Ok(charset) = names[usize::from(choice) % names.len()].parse() else { return };
    let mut document = Document::open_as(charset, bytes);
    assert_eq!(document.to_bytes(), bytes);
    let text = document.text().to_owned();
    if document.set_text(new).is_ok() {
        assert!(document.set_text(&text).is_ok() || text.contains('\u{FFFD}'));
    } else {
        assert_eq!(document.to_bytes(), bytes);
    }
    assert_eq!(Document::open(bytes).to_bytes(), bytes);
});
