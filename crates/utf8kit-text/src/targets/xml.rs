//! Characters and references that XML 1.0 refuses.

use memchr::{memchr, memmem};

use crate::refusal::{Refusal, RefusalKind};

/// Reports whether XML allows a character (production 2, `Char`).
fn is_char(value: u32) -> bool {
    matches!(value, 0x9 | 0xA | 0xD | 0x20..=0xD7FF | 0xE000..=0xFFFD | 0x1_0000..=0x10_FFFF)
}

/// Reports whether a byte is a refused control character.
fn is_control(byte: u8) -> bool {
    byte < 0x20 && !is_char(u32::from(byte))
}

/// Reports whether a text surely contains nothing that is refused.
pub(super) fn passes(text: &[u8]) -> bool {
    !text.iter().any(|&byte| is_control(byte))
        && memchr(0xEF, text).is_none()
        && memmem::find(text, b"&#").is_none()
        || find(text).is_empty()
}

/// Returns what is refused, in order.
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
        Some(Refusal::new(offset, len, kind))
    };
    (0..text.len()).filter_map(at).collect()
}

/// Returns the length of a reference at the start of a text, if XML does not allow its character.
fn bad_reference(text: &[u8]) -> Option<usize> {
    let end = text.iter().position(|&byte| byte == b';')?;
    let number = std::str::from_utf8(text.get(2..end)?).ok()?;
    let (digits, radix) = number.strip_prefix('x').map_or((number, 10), |digits| (digits, 16));
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        return None;
    }
    // A number beyond 32 bits is not a character either.
    (!u32::from_str_radix(digits, radix).is_ok_and(is_char)).then_some(end + 1)
}
