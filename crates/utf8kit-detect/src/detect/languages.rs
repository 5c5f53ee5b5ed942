//! The scripts of letters.

/// The number of scripts.
pub(super) const SCRIPTS: usize = 9;

/// The first character of East Asia.
pub(super) const WIDE: char = '\u{2E80}';

/// Returns the number of the script of a non-ASCII letter. Chinese characters and kana are one.
pub(super) fn script(c: char) -> Option<usize> {
    Some(match c {
        _ if c.is_ascii() || !c.is_alphabetic() => return None,
        '\u{80}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}' => 0,
        '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}' => 1,
        '\u{400}'..='\u{52F}' => 2,
        '\u{590}'..='\u{5FF}' => 3,
        '\u{600}'..='\u{6FF}' => 4,
        '\u{E00}'..='\u{E7F}' => 5,
        '\u{1100}'..='\u{11FF}' | '\u{3130}'..='\u{318F}' | '\u{AC00}'..='\u{D7A3}' => 6,
        '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' => 7,
        _ => 8,
    })
}
