//! Characters and references that XML 1.0 rejects.

use memchr::{memchr, memmem};

use crate::rows::{Literal, literal};
use crate::violation::{Violation, ViolationKind};

/// The most bytes searched for the end of a reference.
const MAX_BYTES_OF_REFERENCE: usize = 1024;

/// Reports whether XML allows a character (production 2, `Char`).
pub(super) fn is_char(value: u32) -> bool {
    matches!(value, 0x9 | 0xA | 0xD | 0x20..=0xD7FF | 0xE000..=0xFFFD | 0x1_0000..=0x10_FFFF)
}

/// Reports whether a byte is a rejected control character.
fn is_control(byte: u8) -> bool {
    byte < 0x20 && !is_char(u32::from(byte))
}

/// Reports whether a text certainly has no violation.
pub(super) fn passes(text: &[u8]) -> bool {
    !text.iter().any(|&byte| is_control(byte)) && memchr(0xEF, text).is_none() && memmem::find(text, b"&#").is_none()
        || find(text).is_empty()
}

/// Returns the violations, in order. References are recognized only outside of comments, CDATA sections and processing
/// instructions.
pub(super) fn find(text: &[u8]) -> Vec<Violation> {
    let (mut found, mut at, mut literal_end) = (Vec::new(), 0, 0);
    while let Some(rest @ [byte, ..]) = text.get(at..) {
        if *byte == b'<'
            && at >= literal_end
            && let Some(literal) = literal(rest)
        {
            literal_end = match literal {
                Literal::Closed(len) => at + len,
                Literal::Unclosed => text.len(),
            };
        }
        let refused = match rest {
            [0, ..] => Some((1, ViolationKind::Nul)),
            [byte, ..] if is_control(*byte) => Some((1, ViolationKind::Control)),
            [0xEF, 0xBF, 0xBE | 0xBF, ..] => Some((3, ViolationKind::Noncharacter)),
            [b'&', b'#', ..] if at >= literal_end => {
                bad_reference(rest).map(|len| (len, ViolationKind::CharacterReference))
            }
            _ => None,
        };
        found.extend(refused.map(|(len, kind)| Violation::new(at, len, kind)));
        at += 1;
    }
    found
}

/// Returns the length of a reference at the start of a text, if XML does not allow its character.
fn bad_reference(text: &[u8]) -> Option<usize> {
    // Longer ones have leading zeros only.
    let end = text.iter().take(MAX_BYTES_OF_REFERENCE).position(|&byte| byte == b';')?;
    let number = std::str::from_utf8(text.get(2..end)?).ok()?;
    let (digits, radix) = number.strip_prefix('x').map_or((number, 10), |digits| (digits, 16));
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    // A number beyond 32 bits is not a character either.
    (!u32::from_str_radix(digits, radix).is_ok_and(is_char)).then_some(end + 1)
}
