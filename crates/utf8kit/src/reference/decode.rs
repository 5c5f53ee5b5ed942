//! Decodes the item at the start of some bytes: a code point, or an error with its span and kind.

use crate::encoding::Step;
use crate::error::ErrorKind;
use crate::grammar::{Grammar, Lead, Surrogates, is_continuation, lead_mask, matching};

#[inline(always)]
pub(crate) const fn is_high_surrogate(value: u32) -> bool {
    value & 0xFFFF_FC00 == 0xD800
}

#[inline(always)]
pub(crate) const fn is_low_surrogate(value: u32) -> bool {
    value & 0xFFFF_FC00 == 0xDC00
}

#[inline(always)]
pub(crate) const fn is_surrogate(value: u32) -> bool {
    value & 0xFFFF_F800 == 0xD800
}

/// Returns the value of a pair of surrogates.
#[inline(always)]
pub(crate) const fn join(high: u32, low: u32) -> u32 {
    0x1_0000 + ((high & 0x3FF) << 10) + (low & 0x3FF)
}

/// Decodes the item at the start of `bytes` in a dialect of UTF-8.
#[inline(always)]
pub(crate) fn dialect(grammar: &'static Grammar, bytes: &[u8]) -> Option<Step> {
    let first = unit(grammar, bytes)?;
    if matches!(grammar.surrogates, Surrogates::Plain) {
        return Some(first);
    }
    match first.result {
        Ok(value) if is_surrogate(value) => Some(surrogate(grammar, value, bytes)),
        _ => Some(first),
    }
}

/// Decodes one sequence by the rows alone.
#[inline(always)]
pub(crate) fn unit(grammar: &'static Grammar, bytes: &[u8]) -> Option<Step> {
    let lead = grammar.lead(*bytes.first()?);
    Some(match usual(grammar, bytes) {
        Some((value, len)) => Step::value(value, len),
        None if lead.len == 0 => Step::error(grammar.kind_of(&bytes[..1]), 1),
        None if lead.simple => broken(grammar, lead, bytes),
        None => by_rows(grammar, bytes),
    })
}

/// Returns the value and the length of a sequence of at most four bytes whose lead has only one row, which covers
/// nearly all sequences. Two numbers stay in registers, while a [`Step`] would go through memory.
#[inline(always)]
pub(crate) fn usual(grammar: &'static Grammar, bytes: &[u8]) -> Option<(u32, usize)> {
    let &first = bytes.first()?;
    if grammar.is_single(first) {
        return Some((u32::from(first), 1));
    }
    let lead = grammar.lead(first);
    let found = match (lead.len, bytes) {
        (2, &[a, b, ..]) if in_range(b, lead.second) => (value(grammar, &[a, b]), 2),
        (3, &[a, b, c, ..]) if in_range(b, lead.second) && is_continuation(c) => (value(grammar, &[a, b, c]), 3),
        (4, &[a, b, c, d, ..]) if in_range(b, lead.second) && is_continuation(c) && is_continuation(d) => {
            (value(grammar, &[a, b, c, d]), 4)
        }
        _ => return None,
    };
    lead.simple.then_some(found)
}

#[inline(always)]
fn in_range(byte: u8, (low, high): (u8, u8)) -> bool {
    (low..=high).contains(&byte)
}

/// Returns the value of a complete sequence.
#[inline(always)]
fn value<const N: usize>(grammar: &'static Grammar, bytes: &[u8; N]) -> u32 {
    let mut value = u32::from(bytes[0]) & lead_mask(N);
    let mut i = 1;
    while i < N {
        value = value << 6 | u32::from(bytes[i] & 0x3F);
        i += 1;
    }
    value + grammar.base(N)
}

/// Decodes an error at the start, or a sequence of five or six bytes, if the lead has only one row. This is [`by_rows`]
/// without the search.
#[inline(never)]
fn broken(grammar: &'static Grammar, lead: &Lead, bytes: &[u8]) -> Step {
    let len = prefix(lead, bytes);
    if len == usize::from(lead.len) {
        return Step::value(grammar.lax_values(bytes, len).0, len);
    }
    error_after(grammar, bytes, len)
}

/// Returns how many of the first bytes are a prefix of a sequence by the only row of their lead.
#[inline(always)]
pub(crate) fn prefix(lead: &Lead, bytes: &[u8]) -> usize {
    if !bytes.get(1).is_some_and(|&second| in_range(second, lead.second)) {
        return 1;
    }
    let rest = &bytes[2..bytes.len().min(usize::from(lead.len))];
    2 + rest.iter().take_while(|&&byte| is_continuation(byte)).count()
}

/// Applies the rule itself: takes the longest prefix of any row, which is a code point if complete, otherwise an error.
/// Without bytes, an error of length zero. (Returning an `Option` of a `Step` made every caller assemble its steps in
/// memory, and dense errors five times slower.)
#[inline(never)]
pub(crate) fn by_rows(grammar: &'static Grammar, bytes: &[u8]) -> Step {
    let mut longest = 0;
    for row in grammar.rows() {
        let ranges = row.ranges();
        let len = matching(ranges, bytes);
        if len == ranges.len() {
            return Step::value(grammar.lax_values(bytes, len).0, len);
        }
        longest = longest.max(len);
    }
    error_after(grammar, bytes, longest)
}

/// Returns the error at the start, given the length of its prefix that begins a sequence (0 if its first byte begins
/// none).
#[inline(never)]
fn error_after(grammar: &'static Grammar, bytes: &[u8], len: usize) -> Step {
    let broken_by = match bytes.get(len) {
        Some(&next) if len == 0 || is_continuation(next) => &bytes[..=len],
        next => return Step::error(ErrorKind::Truncated, len).incomplete_if(next.is_none()),
    };
    Step::error(grammar.kind_of(broken_by), len.max(1))
}

/// Reports whether an incomplete sequence begins like a low surrogate: ED B0..BF.
#[cfg_attr(not(feature = "any"), inline)]
pub(crate) fn may_become_low_surrogate(bytes: &[u8]) -> bool {
    bytes.first().is_none_or(|&byte| byte == 0xED) && bytes.get(1).is_none_or(|&byte| byte >= 0xB0)
}

/// Decodes a surrogate in three bytes, whose meaning depends on the next bytes.
#[cold]
#[cfg_attr(not(feature = "any"), inline)]
fn surrogate(grammar: &'static Grammar, value: u32, bytes: &[u8]) -> Step {
    let rest = &bytes[3..];
    let mut incomplete = false;
    if is_high_surrogate(value) {
        match unit(grammar, rest) {
            Some(Step { result: Ok(low), .. }) if is_low_surrogate(low) => {
                return match grammar.surrogates {
                    Surrogates::Refused => Step::error(ErrorKind::Surrogate, 6),
                    _ => Step::value(join(value, low), 6),
                };
            }
            Some(step) => incomplete = step.incomplete && may_become_low_surrogate(rest),
            None => incomplete = true,
        }
    }
    let alone = match grammar.surrogates {
        Surrogates::Joined => Step::error(ErrorKind::Surrogate, 3),
        _ => Step::value(value, 3),
    };
    alone.incomplete_if(incomplete)
}

/// Decodes the item at the start of 16-bit units; `LONE` if a lone surrogate is a code point.
#[inline(always)]
pub(crate) fn utf16<const LONE: bool>(bytes: &[u8], read: fn([u8; 2]) -> u16) -> Option<Step> {
    let (unit, rest) = match bytes {
        [] => return None,
        [_] => return Some(Step::error(ErrorKind::Truncated, 1).incomplete_if(true)),
        &[a, b, ref rest @ ..] => (u32::from(read([a, b])), rest),
    };
    if !is_surrogate(unit) {
        return Some(Step::value(unit, 2));
    }
    let lone = if LONE { Step::value(unit, 2) } else { Step::error(ErrorKind::Surrogate, 2) };
    if is_low_surrogate(unit) {
        return Some(lone);
    }
    Some(match rest {
        [] => lone.incomplete_if(true),
        [_] if LONE => lone.incomplete_if(true),
        [_] => Step::error(ErrorKind::Truncated, 3).incomplete_if(true),
        &[a, b, ..] => match u32::from(read([a, b])) {
            low if is_low_surrogate(low) => Step::value(join(unit, low), 4),
            _ => lone,
        },
    })
}

/// Decodes the item at the start of 32-bit units.
#[inline(always)]
pub(crate) fn utf32(bytes: &[u8], read: fn([u8; 4]) -> u32) -> Option<Step> {
    let Some((&unit, _)) = bytes.split_first_chunk::<4>() else {
        return (!bytes.is_empty()).then(|| Step::error(ErrorKind::Truncated, bytes.len()).incomplete_if(true));
    };
    Some(match read(unit) {
        value if is_surrogate(value) => Step::error(ErrorKind::Surrogate, 4),
        value if value > 0x10_FFFF => Step::error(ErrorKind::TooLarge, 4),
        value => Step::value(value, 4),
    })
}

/// Decodes a byte of Latin-1: always a code point.
#[inline(always)]
pub(crate) fn latin1(bytes: &[u8]) -> Option<Step> {
    bytes.first().map(|&byte| Step::value(u32::from(byte), 1))
}
