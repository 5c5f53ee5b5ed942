//! The settings of a conversion, and the plan that follows from them for one input.

use utf8kit::{AnyEncoding, Each, EncodingLabel, Policy};

use crate::charset::{Charset, Codec};
use crate::convert::rewrite::Rewrite;

/// The policy for invalid input and for characters that the target encoding lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Invalid {
    /// Stop the conversion there.
    #[default]
    Strict,
    /// Write U+FFFD, or `?` if the target lacks it, or the control SUBSTITUTE (U+001A) if it lacks both. If it lacks
    /// all three, stop as a strict conversion does. In a legacy encoding, [`Each::Java`] means [`Each::Subpart`].
    Replace(Each),
    /// Remove it.
    Remove,
    /// Write each invalid byte as `\xHH`, and each character that the target lacks as `\uHHHH` or `\UHHHHHHHH`. If the
    /// target lacks a character of these, stop as a strict conversion does.
    Escape,
    /// Write a `?` for each invalid byte, and for each character that the target lacks. If it lacks `?`, stop as a
    /// strict conversion does.
    SameLength,
}

/// The handling of a byte order mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BomHandling {
    /// Convert it like any other code point.
    #[default]
    Keep,
    /// Remove it.
    Strip,
    /// Begin the output with one.
    Add,
}

impl Invalid {
    /// One replacement for each maximal subpart of an invalid sequence.
    pub const REPLACE: Invalid = Invalid::Replace(Each::Subpart);

    /// All policies: the strict one, then the library's policies in their order.
    pub const ALL: [Invalid; 8] = [
        Invalid::Strict,
        Invalid::REPLACE,
        Invalid::Replace(Each::Byte),
        Invalid::Replace(Each::Run),
        Invalid::Replace(Each::Java),
        Invalid::Remove,
        Invalid::Escape,
        Invalid::SameLength,
    ];

    /// Returns the policy that treats errors as a policy of the library does, but with its own replacement. `None` if
    /// there is none.
    ///
    /// ```
    /// use utf8kit::Policy;
    /// use utf8kit_encodings::convert::Invalid;
    ///
    /// assert!(Policy::ALL.iter().all(|policy| Invalid::of(*policy).unwrap().name() == policy.name()));
    /// ```
    pub fn of(policy: Policy<'_>) -> Option<Invalid> {
        Some(match policy {
            Policy::Replace { each, .. } => Invalid::Replace(each),
            Policy::Remove => Invalid::Remove,
            Policy::Escape => Invalid::Escape,
            Policy::SameLength => Invalid::SameLength,
            _ => return None,
        })
    }

    /// Reports whether it loses text.
    pub fn is_lossy(self) -> bool {
        matches!(self, Invalid::Replace(_) | Invalid::Remove | Invalid::SameLength)
    }

    /// Returns its name.
    ///
    /// ```
    /// use utf8kit_encodings::convert::Invalid;
    ///
    /// assert_eq!(Invalid::Strict.name(), "strict");
    /// assert_eq!(Invalid::ALL.map(Invalid::name)[1..], utf8kit::Policy::ALL.map(|policy| policy.name()));
    /// ```
    pub fn name(self) -> &'static str {
        self.policy("\u{FFFD}").map_or("strict", Policy::name)
    }

    /// Returns the library's policy, or `None` for a strict one. `replacement` replaces each place.
    pub(crate) fn policy(self, replacement: &'static str) -> Option<Policy<'static>> {
        match self {
            Invalid::Strict => None,
            Invalid::Replace(each) => Some(Policy::Replace { each, with: replacement }),
            Invalid::Remove => Some(Policy::Remove),
            Invalid::Escape => Some(Policy::Escape),
            Invalid::SameLength => Some(Policy::SameLength),
        }
    }

    /// Returns the past participle for reports, such as `replaced`.
    pub fn participle(self) -> &'static str {
        match self {
            Invalid::Strict => "refused",
            Invalid::Replace(_) | Invalid::SameLength => "replaced",
            Invalid::Remove => "removed",
            Invalid::Escape => "escaped",
        }
    }
}

/// The settings of a conversion: the encodings, and how to convert.
///
/// ```
/// use utf8kit_encodings::Counts;
/// use utf8kit_encodings::convert::{BomHandling, Conversion, Converter, MAX_BOM_LEN};
///
/// let input = "na\u{EF}ve".as_bytes();
/// let mut conversion = Conversion::new("utf-8".parse().unwrap(), "utf-16be".parse().unwrap());
/// conversion.bom = BomHandling::Add;
/// let plan = conversion.start(&input[..MAX_BOM_LEN]);
/// let (mut converter, mut counts) = (Converter::new(&plan), Counts::default());
/// let mut out = plan.prefix.clone();
/// converter.push(&input[plan.skip..3], false, &mut out, &mut counts).unwrap();
/// converter.push(&input[3..], true, &mut out, &mut counts).unwrap();
/// assert_eq!(out, b"\xFE\xFF\0n\0a\0\xEF\0v\0e");
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Conversion {
    /// The encoding of the input.
    pub from: Charset,
    /// The encoding of the output.
    pub to: Charset,
    /// The policy for places that cannot be converted.
    pub invalid: Invalid,
    /// The handling of a byte order mark.
    pub bom: BomHandling,
    /// The changes to the text itself.
    pub rewrite: Rewrite,
}

impl Default for Conversion {
    /// Returns a strict conversion from UTF-8 to UTF-8 that does not change the text.
    fn default() -> Conversion {
        let utf8 = Charset::Named(EncodingLabel::Exact(AnyEncoding::Utf8));
        Conversion::new(utf8, utf8)
    }
}

/// The settings of a [`Conversion`] as resolved for one input.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Plan {
    /// The codec of the input.
    pub from: Codec,
    /// The codec of the output.
    pub to: Codec,
    /// The policy for places that cannot be converted.
    pub invalid: Invalid,
    /// The number of bytes to skip at the start of the input.
    pub skip: usize,
    /// The bytes to write first.
    pub prefix: Vec<u8>,
    /// The changes to the text itself.
    pub rewrite: Rewrite,
}

/// The number of bytes of an input that decide a plan: the length of the longest byte order mark.
pub const MAX_BOM_LEN: usize = 4;

impl Conversion {
    /// Creates a strict conversion that does not change the text.
    pub fn new(from: Charset, to: Charset) -> Conversion {
        Conversion { from, to, invalid: Invalid::default(), bom: BomHandling::default(), rewrite: Rewrite::default() }
    }

    /// Reports whether all texts keep their lengths, because the encoding stays or each byte is a character in both.
    pub fn keeps_lengths(&self) -> bool {
        let is_single = |codec: Codec| match codec {
            Codec::Native(encoding) => encoding == AnyEncoding::Latin1,
            Codec::Legacy(legacy) => legacy.is_single_byte(),
        };
        let (from, to) = (self.from.writer(), self.to.writer());
        (from == to || is_single(from) && is_single(to)) && !self.rewrite.is_any()
    }

    /// Returns the plan for an input that begins with `head`: its first [`MAX_BOM_LEN`] bytes, or all of it if it is
    /// shorter.
    pub fn start(&self, head: &[u8]) -> Plan {
        let (from, marked) = self.from.reader(head);
        let to = self.to.writer();
        let found = [marked, from.mark_in(head), swapped_mark(from, head)].into_iter().max().unwrap_or_default();
        // In encodings with a byte order mark, the mark is not part of the text.
        let (skip, mark) = match self.bom {
            BomHandling::Keep if self.to.is_marked() && !head.is_empty() => (found, true),
            BomHandling::Keep => (marked, false),
            BomHandling::Strip => (found, false),
            BomHandling::Add => (found, true),
        };
        let prefix = if mark { to.mark().unwrap_or_default() } else { Vec::new() };
        Plan { from, to, invalid: self.invalid, skip, prefix, rewrite: self.rewrite }
    }
}

/// Returns the length of a byte order mark of the other byte order, which is not a character in this one.
fn swapped_mark(from: Codec, head: &[u8]) -> usize {
    let other = match from {
        Codec::Native(AnyEncoding::Utf16Le) => AnyEncoding::Utf16Be,
        Codec::Native(AnyEncoding::Utf16Be) => AnyEncoding::Utf16Le,
        _ => return 0,
    };
    Codec::Native(other).mark_in(head)
}

impl Plan {
    /// Creates a plan for text without a byte order mark, and without changes to the text.
    pub fn new(from: Codec, to: Codec, invalid: Invalid) -> Plan {
        Plan { from, to, invalid, skip: 0, prefix: Vec::new(), rewrite: Rewrite::default() }
    }

    /// Returns the encoding if the input may be split at character boundaries and the parts converted independently. A
    /// part does not know the text after it. That matters for a backslash that may need an escape, for adjacent
    /// surrogates in dialects that do not form pairs, and for a letter followed by an accent.
    pub fn splits(&self) -> Option<AnyEncoding> {
        match (self.from, self.to) {
            (Codec::Native(AnyEncoding::Utf8Bits21 | AnyEncoding::Utf8Bits31), _) => None,
            _ if self.rewrite.is_any() => None,
            (Codec::Native(from), Codec::Native(_)) if self.invalid != Invalid::Escape => Some(from),
            _ => None,
        }
    }
}
