//! What XML 1.0 refuses.

use memchr::{memchr, memmem};

use super::{Refusal, RefusalKind};

/// Whether XML has a character (production 2, `Char`).
fn is_char(value: u32) -> bool {
    matches!(value, 0x9 | 0xA | 0xD | 0x20..=0xD7FF | 0xE000..=0xFFFD | 0x1_0000..=0x10_FFFF)
}

/// Whether a byte is such a control character.
fn is_control(byte: u8) -> bool {
    byte < 0x20 && !is_char(u32::from(byte))
}

/// Whether a text surely holds nothing that is refused.
pub(super) fn passes(text: &[u8]) -> bool {
    !text.iter().any(|&byte| is_control(byte))
        && memchr(0xEF, text).is_none()
        && memmem::find(text, b"&#").is_none()
        || find(text).is_empty()
}

/// What is refused, in order.
pub(super) fn find(text: &[u8]) -> Vec<Refusal> {
    let at = |offset: usize| {
        let rest = &text[offset..];
        let (len, kind) = match rest {
            [byte, ..] if is_control(*byte) => {
                (1, if *byte == 0 { RefusalKind::Nul } else { RefusalKind::Control })
            }
            [0xEF, 0xBF, 0xBE | 0xBF, ..] => (3, RefusalKind::Noncharacter),
            [b'&', b'#', ..] => (bad_reference(rest)?, RefusalKind::CharacterReference),
            _ => return None,
        };
        Some(Refusal { offset, len, kind })
    };
    (0..text.len()).filter_map(at).collect()
}

/// The length of a reference at the front of a text, if it is to no character.
fn bad_reference(text: &[u8]) -> Option<usize> {
    let end = text.iter().position(|&byte| byte == b';')?;
    let number = std::str::from_utf8(text.get(2..end)?).ok()?;
    let (digits, radix) = number.strip_prefix('x').map_or((number, 10), |digits| (digits, 16));
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    // A number that is too large for 32 bits is none either.
    (!u32::from_str_radix(digits, radix).is_ok_and(is_char)).then_some(end + 1)
}
