//! Restrictions on well-formed text: characters that some systems reject, and texts that are too long for them.
//!
//! PostgreSQL rejects NUL. MySQL's `utf8mb3` and Oracle's `UTF8` reject supplementary characters. XML 1.0 rejects NUL,
//! U+FFFE and U+FFFF. A column of 255 bytes rejects longer text. RFC 9839 lists such subsets of Unicode.

use core::iter::FusedIterator;

use crate::boundary::floor_in;
use crate::encoding::AnyEncoding;
use crate::operations::Encoding;

use crate::convert::engine::Engine;
use crate::policy::Policy;
use crate::validate::first_error;
use alloc::{borrow::Cow, vec::Vec};

/// Restrictions on well-formed text.
///
/// ```
/// use utf8kit::{Policy, Utf8};
/// use utf8kit::restrict::{RestrictedKind, Restrictions};
/// let column = Restrictions::new().no_nul().no_supplementary().at_most(8);
/// assert!(column.allows(Utf8, b"plain"));
///
/// let text = "a\0b😀 and more".as_bytes();
/// let kinds: Vec<_> = column.find(Utf8, text).map(|found| (found.offset, found.kind)).collect();
/// assert_eq!(kinds, [
///     (1, RestrictedKind::Nul),
///     (3, RestrictedKind::Supplementary),
///     (8, RestrictedKind::OverBudget),
/// ]);
/// assert_eq!(&*column.apply(Utf8, text, Policy::Remove), b"ab and m");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Restrictions {
    /// No U+0000.
    pub nul: bool,
    /// None of the 66 noncharacters: U+FDD0..U+FDEF and the last two of each plane (The Unicode Standard, 23.7).
    pub noncharacters: bool,
    /// Nothing above U+FFFF: no four-byte characters in UTF-8.
    pub supplementary: bool,
    /// At most this many bytes.
    pub max_len: Option<usize>,
}

/// Why something is restricted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RestrictedKind {
    /// U+0000.
    Nul,
    /// A noncharacter.
    Noncharacter,
    /// A code point above U+FFFF.
    Supplementary,
    /// Everything after the last boundary within the budget.
    OverBudget,
}

impl RestrictedKind {
    /// Returns the kind's name, in the style of [`crate::ErrorKind::name`].
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            RestrictedKind::Nul => "nul",
            RestrictedKind::Noncharacter => "noncharacter",
            RestrictedKind::Supplementary => "supplementary",
            RestrictedKind::OverBudget => "over_budget",
        }
    }
}

/// A part of a text that is restricted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Restricted {
    /// Where it begins, in bytes.
    pub offset: usize,
    /// Its length in bytes.
    pub len: usize,
    /// Why it is restricted.
    pub kind: RestrictedKind,
}

impl Restrictions {
    /// No restrictions.
    #[must_use]
    pub const fn new() -> Self {
        Restrictions { nul: false, noncharacters: false, supplementary: false, max_len: None }
    }

    /// Also forbids U+0000.
    #[must_use]
    pub const fn no_nul(self) -> Self {
        Restrictions { nul: true, ..self }
    }

    /// Also forbids noncharacters.
    #[must_use]
    pub const fn no_noncharacters(self) -> Self {
        Restrictions { noncharacters: true, ..self }
    }

    /// Also forbids code points above U+FFFF.
    #[must_use]
    pub const fn no_supplementary(self) -> Self {
        Restrictions { supplementary: true, ..self }
    }

    /// Also forbids more than `bytes` bytes.
    #[must_use]
    pub const fn at_most(self, bytes: usize) -> Self {
        Restrictions { max_len: Some(bytes), ..self }
    }

    /// Reports whether the text satisfies the restrictions. Invalid parts do not count: see
    /// [`crate::Encoding::validate`].
    #[must_use]
    pub fn allows<E: Encoding>(self, encoding: E, bytes: &[u8]) -> bool {
        self.find(encoding, bytes).next().is_none()
    }

    /// Iterates over the restricted parts, in order. Errors are not reported: see [`crate::Encoding::errors`].
    pub fn find<E: Encoding>(self, encoding: E, bytes: &[u8]) -> impl FusedIterator<Item = Restricted> + '_ {
        let over = self.max_len.filter(|&budget| bytes.len() > budget).map(|budget| {
            let offset = floor_in(encoding, bytes, budget);
            Restricted { offset, len: bytes.len() - offset, kind: RestrictedKind::OverBudget }
        });
        // Everything over the budget is reported as a whole.
        let within = &bytes[..floor_in(encoding, bytes, self.max_len.unwrap_or(usize::MAX))];
        let mut at = 0;
        let characters = core::iter::from_fn(move || {
            let found = self.next_character(encoding.any(), within, at)?;
            at = found.offset + found.len;
            Some(found)
        });
        characters.fuse().chain(over)
    }

    /// Repairs the text by the policy, handles restricted characters like errors, and then truncates the result at the
    /// last boundary within the budget. Borrows if nothing changes.
    ///
    /// The output has no errors and nothing restricted. Characters of a replacement text that are restricted themselves
    /// are omitted.
    ///
    /// ```
    /// use utf8kit::{Policy, Utf8};
    /// use utf8kit::restrict::Restrictions;
    /// let restrictions = Restrictions::new().no_nul();
    /// assert_eq!(&*restrictions.apply(Utf8, b"a\0\xFF", Policy::REPLACE), "a\u{FFFD}\u{FFFD}".as_bytes());
    /// assert_eq!(&*restrictions.apply(Utf8, b"a\0\xFF", Policy::Escape), br"a\x00\xFF");
    /// ```
    #[must_use]
    pub fn apply<'b, E: Encoding>(self, encoding: E, bytes: &'b [u8], policy: Policy<'_>) -> Cow<'b, [u8]> {
        let clean = policy != Policy::Escape && first_error(encoding, bytes).is_none();
        let any = encoding.any();
        if clean && self.next_character(any, bytes, 0).is_none() {
            return Cow::Borrowed(&bytes[..floor_in(encoding, bytes, self.max_len.unwrap_or(usize::MAX))]);
        }
        let text: Option<alloc::string::String> = match policy {
            Policy::Replace { with, .. } => Some(with.chars().filter(|&c| !self.refuses(u32::from(c))).collect()),
            _ => None,
        };
        let policy = match (policy, &text) {
            (Policy::Replace { each, .. }, Some(with)) => Policy::Replace { each, with },
            _ => policy,
        };
        let mut out = self.apply_once(encoding, bytes, policy);
        // A removal may have made the halves of a surrogate pair adjacent.
        if self.next_character(any, &out, 0).is_some() {
            out = self.without_joined(any, &out);
        }
        if let Some(budget) = self.max_len {
            out.truncate(floor_in(encoding, &out, budget));
        }
        if out == bytes { Cow::Borrowed(bytes) } else { Cow::Owned(out) }
    }

    /// Repairs the text, and applies the policy to the restricted characters in it.
    fn apply_once<E: Encoding>(self, encoding: E, bytes: &[u8], policy: Policy<'_>) -> Vec<u8> {
        let mut engine = Engine::lossy(encoding, encoding, policy);
        let (mut out, mut at) = (Vec::new(), 0);
        while let Some(found) = self.next_character(encoding.any(), bytes, at) {
            engine.run_to_vec(&bytes[at..found.offset], at as u64, true, &mut out, &mut None);
            at = found.offset + found.len;
            engine.refuse(&bytes[found.offset..at], &mut out);
        }
        engine.run_to_vec(&bytes[at..], at as u64, true, &mut out, &mut None);
        out
    }

    /// Removes restricted parts from text without errors, repeatedly, because each removal may join others.
    fn without_joined(self, encoding: AnyEncoding, bytes: &[u8]) -> Vec<u8> {
        let (mut out, mut rest): (Vec<u8>, _) = (Vec::new(), bytes);
        while let Some(step) = encoding.decode(rest) {
            let item;
            (item, rest) = rest.split_at(step.len());
            out.extend_from_slice(item);
            let last = floor_in(encoding, &out, out.len() - 1);
            if self.next_character(encoding, &out, last).is_some() {
                out.truncate(last);
            }
        }
        out
    }

    /// Returns the next restricted character starting at `at`, which is a boundary.
    fn next_character(self, encoding: AnyEncoding, bytes: &[u8], mut at: usize) -> Option<Restricted> {
        if !(self.nul || self.noncharacters || self.supplementary) {
            return None;
        }
        // In UTF-8 they begin with one of few lead bytes, so look for those first.
        let leads = matches!(encoding, AnyEncoding::Utf8 | AnyEncoding::Wtf8);
        let may_begin = |&byte: &u8| {
            (byte == 0 && self.nul)
                || (byte == 0xEF && self.noncharacters)
                || (byte >= 0xF0 && (self.noncharacters || self.supplementary))
        };
        while at < bytes.len() {
            if leads {
                at += bytes[at..].iter().position(may_begin)?;
            }
            let step = encoding.decode(&bytes[at..])?;
            if let Some(kind) = step.result.ok().and_then(|value| self.kind_of(value)) {
                return Some(Restricted { offset: at, len: step.len(), kind });
            }
            at += step.len();
        }
        None
    }

    fn refuses(self, value: u32) -> bool {
        self.kind_of(value).is_some()
    }

    fn kind_of(self, value: u32) -> Option<RestrictedKind> {
        if self.nul && value == 0 {
            Some(RestrictedKind::Nul)
        } else if self.noncharacters && is_noncharacter(value) {
            Some(RestrictedKind::Noncharacter)
        } else if self.supplementary && value > 0xFFFF {
            Some(RestrictedKind::Supplementary)
        } else {
            None
        }
    }
}

/// Reports whether a value is one of the 66 noncharacters: U+FDD0 to U+FDEF, and the last two of each plane (The
/// Unicode Standard, 23.7).
///
/// ```
/// use utf8kit::restrict::is_noncharacter;
/// assert!(is_noncharacter(0xFFFE) && is_noncharacter(0x10_FFFF));
/// assert!(!is_noncharacter(0xFFFD) && !is_noncharacter(0x11_FFFF));
/// ```
#[must_use]
pub fn is_noncharacter(value: u32) -> bool {
    matches!(value, 0xFDD0..=0xFDEF) || (value & 0xFFFE == 0xFFFE && value <= 0x10_FFFF)
}
