//! Controls that stand for signs of windows-1252 that was read as Latin-1: `don\u{92}t` for `don’t`. No text contains
//! controls from U+0080 to U+009F except U+0085, a line end of mainframes.

use super::change::Change;
use utf8kit::Piece;

/// The signs of windows-1252 in place of the controls; a control stands for itself.
pub(super) const SIGNS: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ";

/// The two bytes before the current ones.
#[derive(Debug, Default)]
pub(super) struct Before([u8; 2]);

/// How many bytes after a control decide whether it is part of a character that was encoded twice.
const BYTES_AFTER_CONTROL: usize = 8;

/// Writes the signs, and returns how many bytes are processed.
pub(super) fn scan(bytes: &[u8], piece: Piece, before: &mut Before, out: &mut Vec<u8>, change: Change<'_>) -> usize {
    let (mut at, mut copied) = (0, 0);
    while let Some(next) = bytes.get(at..).and_then(|rest| memchr::memchr(0xC2, rest)) {
        at += next;
        let rest = bytes.get(at..).unwrap_or_default();
        if !piece.is_last() && rest.len() < BYTES_AFTER_CONTROL {
            break;
        }
        let previous = match at {
            0 => before.0,
            1 => [before.0[1], bytes[0]],
            _ => [bytes[at - 2], bytes[at - 1]],
        };
        if let Some(sign) = sign(rest, previous) {
            out.extend_from_slice(bytes.get(copied..at).unwrap_or_default());
            let mut utf8 = [0; 4];
            let sign = sign.encode_utf8(&mut utf8).as_bytes();
            out.extend_from_slice(sign);
            change(at, rest.get(..2).unwrap_or_default(), sign);
            copied = at + 2;
        }
        at += 1 + usize::from(rest.len() > 1);
    }
    let end = bytes.get(at..).and_then(|rest| memchr::memchr(0xC2, rest)).map_or(bytes.len(), |next| at + next);
    out.extend_from_slice(bytes.get(copied..end).unwrap_or_default());
    let seen = [&before.0[..], bytes.get(..end).unwrap_or_default()].concat();
    if let Some(two) = seen.last_chunk() {
        before.0 = *two;
    }
    end
}

/// Returns the sign that a control at the start stands for, unless it is one of the bytes of a character that was
/// encoded twice.
fn sign(rest: &[u8], before: [u8; 2]) -> Option<char> {
    let &[0xC2, control @ 0x80..=0x9F, ..] = rest else { return None };
    // Whether that many characters are U+0080..U+00BF, like the continuation bytes of UTF-8.
    let continues = |count: usize| {
        let pairs = rest.as_chunks::<2>().0;
        pairs.len() >= count && pairs.iter().take(count).all(|pair| matches!(pair, [0xC2, 0x80..=0xBF]))
    };
    let is_part = match before {
        [0xC2, 0x80..=0xBF] => true,
        [0xC3, 0x82..=0x9F] => continues(1),
        [0xC3, 0xA0..=0xAF] => continues(2),
        [0xC3, 0xB0..=0xB4] => continues(3),
        _ => false,
    };
    let sign = SIGNS.chars().nth(usize::from(control - 0x80))?;
    (!is_part && u32::from(sign) > 0x9F).then_some(sign)
}
