//! NULs in text, left by a crash, a copied log or a field of fixed width.

use std::borrow::Cow;

use super::change::{Change, is_alien};

/// Removes NULs. All bytes are processed.
pub(super) fn scan(bytes: &[u8], out: &mut Vec<u8>, change: Change<'_>) -> usize {
    let mut at = 0;
    while let Some(next) = bytes.get(at..).and_then(|rest| memchr::memchr(0, rest)) {
        let run = bytes[at + next..].iter().take_while(|byte| **byte == 0).count();
        let start = at + next;
        out.extend_from_slice(&bytes[at..start]);
        change(start, &bytes[start..start + run], &[]);
        at = start + run;
    }
    out.extend_from_slice(bytes.get(at..).unwrap_or_default());
    bytes.len()
}

/// Returns a text without its NULs.
pub fn without_nuls(bytes: &[u8]) -> Cow<'_, [u8]> {
    if !bytes.contains(&0) {
        return Cow::Borrowed(bytes);
    }
    Cow::Owned(bytes.iter().copied().filter(|byte| *byte != 0).collect())
}

/// Reports whether bytes are text apart from NULs. Data contains other controls, and rarely as many letters. A
/// non-ASCII byte counts as a letter, because in most scripts it is one.
pub fn is_text_with_nuls(bytes: &[u8]) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    let text = bytes.iter().copied().filter(|byte| *byte != 0);
    let (letters, all) =
        text.clone().fold((0, 0), |(letters, all), byte| (letters + usize::from(is_letter(byte)), all + 1));
    !text.clone().any(is_alien) && letters * 4 >= all && letters > 2 && all < bytes.len()
}

/// Reports whether bytes are text with occasional NULs, rarely more than line ends. In lists, a NUL ends each item.
pub fn has_stray_nuls(bytes: &[u8]) -> bool {
    let begins = |pair: &[u8]| matches!(pair, [1..=0xFF, 0]);
    let runs = bytes.windows(2).filter(|pair| begins(pair)).count() + usize::from(bytes.first() == Some(&0));
    let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
    runs <= lines + 1 && is_text_with_nuls(bytes)
}
