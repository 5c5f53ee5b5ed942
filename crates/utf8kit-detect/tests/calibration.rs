//! Tests how often detection is right at each confidence, on the page's strings in nine languages, which the model was
//! not trained on, in the usual encodings of each language.

use std::collections::BTreeMap;
use std::path::Path;

use utf8kit_detect::{Confidence, detect};
use utf8kit_encodings::charset::Legacy;

const ENCODINGS: [(&str, &str); 9] = [
    ("ar", "windows-1256 ISO-8859-6"),
    ("de", "windows-1252 CP850 macintosh"),
    ("en", "windows-1252"),
    ("es", "windows-1252 CP850 macintosh"),
    ("fr", "windows-1252 CP850 macintosh"),
    ("ja", "Shift_JIS EUC-JP"),
    ("ru", "windows-1251 KOI8-R IBM866 ISO-8859-5 x-mac-cyrillic"),
    ("uk", "windows-1251 KOI8-U CP1125"),
    ("zh", "gb18030"),
];

/// Returns the values of a flat JSON object.
fn strings(json: &str) -> Vec<String> {
    let lines = json.lines().filter_map(|line| line.split_once("\": \""));
    lines.map(|(_, value)| value.trim_end_matches(',').trim_end_matches('"').to_owned()).collect()
}

fn encoded(text: &str, encoding: &str) -> Option<Vec<u8>> {
    match encoding {
        "utf-16le" => Some(text.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        "utf-8" => Some(text.as_bytes().to_vec()),
        _ => {
            let legacy = Legacy::labelled(encoding).expect("a label");
            text.chars().map(|c| legacy.bytes_of(c)).collect::<Option<Vec<_>>>().map(|all| all.concat())
        }
    }
}

fn decoded(bytes: &[u8], encoding: &str) -> Option<String> {
    match encoding {
        "utf-16le" => {
            let units = bytes.as_chunks::<2>().0.iter().map(|&unit| u16::from_le_bytes(unit));
            String::from_utf16(&units.collect::<Vec<_>>()).ok()
        }
        "utf-8" => String::from_utf8(bytes.to_vec()).ok(),
        _ => Legacy::labelled(encoding)?.text_of(bytes),
    }
}

#[test]
fn what_is_certain_or_likely_is_right() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/src/strings");
    let mut found = BTreeMap::<Confidence, (u32, u32)>::new();
    let mut wrong = Vec::new();
    for (language, encodings) in ENCODINGS {
        let json = std::fs::read_to_string(folder.join(language).with_extension("json")).unwrap();
        let strings = strings(&json);
        assert!(strings.len() > 30, "{language}");
        for encoding in encodings.split(' ').chain(["utf-8", "utf-16le"]) {
            for text in strings.iter().cloned().chain(strings.chunks(4).map(|some| some.join("\n"))) {
                let Some(bytes) = encoded(&text, encoding) else { continue };
                // Fewer bytes are not evidence, and ASCII is the same in all of them.
                let is_told = text.chars().filter(|c| !c.is_ascii()).count() > 1 && bytes.len() >= 20;
                if !is_told && encoding != "utf-16le" || bytes.len() < 20 {
                    continue;
                }
                let guess = detect(&bytes);
                let is_right = guess.encoding.and_then(|name| decoded(&bytes, name)).as_ref() == Some(&text);
                let (right, all) = found.entry(guess.confidence).or_default();
                *right += u32::from(is_right);
                *all += 1;
                if !is_right && guess.confidence != Confidence::Possible {
                    wrong.push(format!("{text} in {encoding}: {:?} ({})", guess.encoding, guess.confidence.name()));
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    let (right, all) = found.values().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    assert!(all > 800 && right * 1000 >= all * 985, "{right} of {all}: {found:?}");
    if let Some((right, all)) = found.get(&Confidence::Possible) {
        assert!(right * 5 >= all * 4, "{right} of {all} that are possible");
    }
}
