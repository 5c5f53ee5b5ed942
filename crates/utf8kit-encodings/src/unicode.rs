//! Unicode's data about code points: name, block, script, and how to show them. Names may come from the Unicode version
//! before the version of blocks and scripts.

use unicode_script::UnicodeScript as _;

/// The Unicode version of blocks, scripts, general categories, identifiers, confusables, emoji and normal forms. Names
/// and grapheme boundaries may be one version older.
///
/// ```
/// assert!(utf8kit_encodings::unicode::VERSION >= (18, 0, 0));
/// ```
pub const VERSION: (u64, u64, u64) = unicode_script::UNICODE_VERSION;

/// Returns the name of a code point, or its code point label (The Unicode Standard, 4.8) if it has none:
/// `<surrogate-D800>`.
pub fn name(value: u32) -> String {
    if let Some(name) = control_name(value) {
        return name.to_owned();
    }
    if let Some(name) = char::from_u32(value).and_then(unicode_names2::name) {
        return name.to_string();
    }
    let label = match value {
        0x80..=0x9F => "control",
        0xD800..=0xDFFF => "surrogate",
        0xE000..=0xF8FF | 0xF_0000..=0xF_FFFD | 0x10_0000..=0x10_FFFD => "private-use",
        0xFDD0..=0xFDEF => "noncharacter",
        _ if value > 0x10_FFFF => "beyond-unicode",
        _ if value & 0xFFFE == 0xFFFE => "noncharacter",
        _ => "reserved",
    };
    format!("<{label}-{value:04X}>")
}

/// Returns the ASCII name of a control character, because these have no name in Unicode.
fn control_name(value: u32) -> Option<&'static str> {
    const CONTROLS: [&str; 32] = [
        "NULL", "START OF HEADING", "START OF TEXT", "END OF TEXT", "END OF TRANSMISSION", "ENQUIRY", "ACKNOWLEDGE",
        "BELL", "BACKSPACE", "CHARACTER TABULATION", "LINE FEED", "LINE TABULATION", "FORM FEED", "CARRIAGE RETURN",
        "SHIFT OUT", "SHIFT IN", "DATA LINK ESCAPE", "DEVICE CONTROL ONE", "DEVICE CONTROL TWO",
        "DEVICE CONTROL THREE", "DEVICE CONTROL FOUR", "NEGATIVE ACKNOWLEDGE", "SYNCHRONOUS IDLE",
        "END OF TRANSMISSION BLOCK", "CANCEL", "END OF MEDIUM", "SUBSTITUTE", "ESCAPE", "INFORMATION SEPARATOR FOUR",
        "INFORMATION SEPARATOR THREE", "INFORMATION SEPARATOR TWO", "INFORMATION SEPARATOR ONE",
    ];
    if value == 0x7F {
        return Some("DELETE");
    }
    CONTROLS.get(usize::try_from(value).ok()?).copied()
}

/// Returns the name of the block.
pub fn block(value: u32) -> &'static str {
    match char::from_u32(value) {
        Some(scalar) => unicode_blocks::find_unicode_block(scalar).map_or("No block", |block| block.name()),
        None => match value {
            0xD800..=0xDB7F => "High Surrogates",
            0xDB80..=0xDBFF => "High Private Use Surrogates",
            0xDC00..=0xDFFF => "Low Surrogates",
            _ => "Beyond Unicode",
        },
    }
}

/// Returns the name of the script, with spaces.
pub fn script(value: u32) -> &'static str {
    char::from_u32(value).map_or("Unknown", |scalar| scalar.script().full_name())
}

/// Returns a visible form of a code point that is safe for a terminal: the character itself if it is printable, a
/// control picture, a mark on a dotted circle, or an empty string.
pub fn picture(value: u32) -> String {
    let Some(scalar) = char::from_u32(value) else { return String::new() };
    match value {
        0..=0x20 => char::from_u32(0x2400 + value).map(String::from).unwrap_or_default(),
        0x7F => "\u{2421}".to_owned(),
        _ => {
            // After a letter, this escapes only unprintable characters; alone, it also escapes characters that extend a
            // letter.
            let prints = format!("a{scalar}").escape_debug().to_string().ends_with(scalar);
            let extends = scalar.escape_debug().nth(1) == Some('u');
            let base = if extends { "\u{25CC}" } else { "" };
            if prints { format!("{base}{scalar}") } else { String::new() }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_labels() {
        assert_eq!(name(0x20AC), "EURO SIGN");
        assert_eq!(name(0x0A), "LINE FEED");
        assert_eq!(name(0x7F), "DELETE");
        assert_eq!(name(0xAC00), "HANGUL SYLLABLE GA");
        assert_eq!(name(0x4E00), "CJK UNIFIED IDEOGRAPH-4E00");
        assert_eq!(name(0x85), "<control-0085>");
        assert_eq!(name(0xD800), "<surrogate-D800>");
        assert_eq!(name(0xFFFF), "<noncharacter-FFFF>");
        assert_eq!(name(0x11_0000), "<beyond-unicode-110000>");
    }

    #[test]
    fn current_unicode() {
        assert!(VERSION >= (18, 0, 0));
        assert_eq!(unicode_properties::UNICODE_VERSION, VERSION);
        assert_eq!(unicode_security::UNICODE_VERSION, VERSION);
        for (major, minor, update) in [unicode_normalization::UNICODE_VERSION, unicode_ident::UNICODE_VERSION] {
            assert_eq!((major.into(), minor.into(), update.into()), VERSION);
        }
        // Grapheme boundaries, like the names, are one version older.
        assert!(unicode_segmentation::UNICODE_VERSION >= (17, 0, 0));
        // Sidetic was added in Unicode 17.
        assert_eq!((block(0x10940), script(0x10940)), ("Sidetic", "Sidetic"));
        assert_eq!((block(0x61), script(0x61)), ("Basic Latin", "Latin"));
        assert_eq!(block(0xD800), "High Surrogates");
    }

    #[test]
    fn pictures_are_harmless() {
        assert_eq!(picture(0x1B), "\u{241B}");
        assert_eq!(picture(0x61), "a");
        assert_eq!(picture(0x301), "\u{25CC}\u{301}");
        assert_eq!(picture(0x202E), "");
        assert_eq!(picture(0x9B), "");
        assert_eq!(picture(u32::from('"')), "\"");
    }
}
