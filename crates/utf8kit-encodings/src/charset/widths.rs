//! Signs of two widths.

/// Signs that Japanese encodings have in one width, and the characters that they are decoded as. Vendors chose
/// different characters of Unicode for them.
const SIGNS: [(char, char); 7] = [
    ('\u{301C}', '\u{FF5E}'),
    ('\u{2016}', '\u{2225}'),
    ('\u{2014}', '\u{2015}'),
    ('\u{A2}', '\u{FFE0}'),
    ('\u{A3}', '\u{FFE1}'),
    ('\u{AC}', '\u{FFE2}'),
    ('\u{A6}', '\u{FFE4}'),
];

/// Returns the character that Japanese encodings have for a sign in the other width.
pub(super) fn other_of(scalar: char) -> Option<char> {
    SIGNS.iter().find(|(sign, _)| *sign == scalar).map(|(_, other)| *other)
}
