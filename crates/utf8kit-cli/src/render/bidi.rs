//! Draws a line with bidirectional controls both as displayed and as stored.
//!
//! ```text
//!   read | if access_level != "user" { // Check if admin
//! stored | if access_level != "user‹RLO› ‹LRI›// Check if admin‹PDI› ‹LRI›" {
//! ```

use unicode_bidi::BidiInfo;
use utf8kit_encodings::display::is_harmful;

use crate::columns::cut;
use crate::results::Finding;

/// Returns a line as displayed and as stored, in at most that many columns each. Only the first control of a line gets
/// a picture, because it shows them all.
pub(crate) fn rows(finding: &Finding<'_>, columns: usize) -> Option<[String; 2]> {
    let before = finding.preceding().rsplit(|&byte| byte == b'\n').next()?;
    let after = finding.following().split(|&byte| byte == b'\n').next()?;
    let line = [before, finding.sequence(), after].concat();
    let line = std::str::from_utf8(&line).ok()?.trim_end_matches('\r');
    let is_first = !std::str::from_utf8(before).ok()?.contains(|c| abbreviation(c).is_some());
    (is_first && abbreviation(line.get(before.len()..)?.chars().next()?).is_some())
        .then(|| [read(line), stored(line)].map(|row| cut(&row, columns)))
}

/// Returns the abbreviation of a control that changes the order in which text is shown (UAX #9, 2).
fn abbreviation(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{202A}' => "LRE",
        '\u{202B}' => "RLE",
        '\u{202C}' => "PDF",
        '\u{202D}' => "LRO",
        '\u{202E}' => "RLO",
        '\u{2066}' => "LRI",
        '\u{2067}' => "RLI",
        '\u{2068}' => "FSI",
        '\u{2069}' => "PDI",
        _ => return None,
    })
}

/// Returns the characters of a line from left to right as a program shows them that obeys the controls (UAX #9).
fn read(line: &str) -> String {
    let info = BidiInfo::new(line, None);
    let mut out = String::with_capacity(line.len());
    for paragraph in &info.paragraphs {
        let (levels, runs) = info.visual_runs(paragraph, paragraph.range.clone());
        for run in runs {
            let is_reversed = levels.get(run.start).is_some_and(unicode_bidi::Level::is_rtl);
            let characters = line.get(run).unwrap_or_default().chars();
            match is_reversed {
                true => out.extend(characters.rev().filter_map(|c| seen(mirrored(c)))),
                false => out.extend(characters.filter_map(seen)),
            }
        }
    }
    out
}

/// Returns the visible form of a character. Direction marks and controls are invisible.
fn seen(c: char) -> Option<char> {
    match c {
        _ if abbreviation(c).is_some() => None,
        '\u{200E}' | '\u{200F}' | '\u{61C}' => None,
        '\t' => Some(' '),
        _ if is_harmful(c) => Some('\u{B7}'),
        _ => Some(c),
    }
}

/// Returns the mirrored form of a bracket in right-to-left text.
fn mirrored(c: char) -> char {
    const BRACKETS: [(char, char); 5] = [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>'), ('\u{AB}', '\u{BB}')];
    let other = |&(open, close): &(char, char)| match c {
        _ if c == open => Some(close),
        _ if c == close => Some(open),
        _ => None,
    };
    BRACKETS.iter().find_map(other).unwrap_or(c)
}

/// Returns the characters of a line in their order, with the controls by name.
fn stored(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for c in line.chars() {
        match abbreviation(c) {
            Some(name) => out.extend(["\u{2039}", name, "\u{203A}"]),
            None => out.extend(seen(c)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of CVE-2021-42574, as the paper shows them.
    #[test]
    fn lines_are_shown_as_they_are_read() {
        for (line, shown, names) in [
            (
                "/*\u{202E} } \u{2066}if (isAdmin)\u{2069} \u{2066} begin admins only */",
                "/* begin admins only */ if (isAdmin) { ",
                "/*‹RLO› } ‹LRI›if (isAdmin)‹PDI› ‹LRI› begin admins only */",
            ),
            (
                "if access_level != \"user\u{202E} \u{2066}// Check if admin\u{2069} \u{2066}\" {",
                "if access_level != \"user\" { // Check if admin ",
                "if access_level != \"user‹RLO› ‹LRI›// Check if admin‹PDI› ‹LRI›\" {",
            ),
            ("a\u{1B}[2J\u{202E}b\u{200F}", "a·[2Jb", "a·[2J‹RLO›b"),
        ] {
            assert_eq!(read(line), shown);
            assert_eq!(stored(line), names);
        }
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdefg", 6), "abcde…");
        assert_eq!(cut("日本語日", 6), "日本…");
    }
}
