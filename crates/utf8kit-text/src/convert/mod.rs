//! Conversion from any encoding to any other, in pieces.
//!
//! ```text
//! head -> Conversion::start: byte orders, marks -> Plan -> Converter: Direct (both of the library)
//!                                                                     Pivot  (through UTF-8:
//!                                                                             reader -> rewrite -> target)
//! ```

mod counts;
mod error;
mod patch;
mod pivot;
mod reader;
mod rewrite;

use utf8kit::{AnyEncoding, Encoding, EncodingLabel, ErrorKind, Policy, floor_in};

use crate::charset::{Charset, Codec};

pub use counts::Counts;
pub use error::{ConversionError, ConversionErrorKind};
pub use patch::{Patch, Patching};
use pivot::Pivot;
pub use rewrite::{LineEnd, NormalForm, Rewrite};

/// The policy for ill-formed input and for characters that the target encoding lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Invalid {
    /// Stop the conversion there.
    #[default]
    Strict,
    /// Write U+FFFD, or `?` if the target lacks it.
    Replace,
    /// Remove it.
    Remove,
    /// Write each byte as `\xHH`.
    Escape,
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
    /// Returns the library's policy, or `None` for a strict one. `replacement` replaces each place.
    pub(crate) fn policy(self, replacement: &'static str) -> Option<Policy<'static>> {
        match self {
            Invalid::Strict => None,
            Invalid::Replace => Some(Policy::Replace { each: utf8kit::Each::Subpart, with: replacement }),
            Invalid::Remove => Some(Policy::Remove),
            Invalid::Escape => Some(Policy::Escape),
        }
    }

    /// Returns the past participle of what was done, for the report.
    pub fn participle(self) -> &'static str {
        match self {
            Invalid::Strict => "refused",
            Invalid::Replace => "replaced",
            Invalid::Remove => "removed",
            Invalid::Escape => "escaped",
        }
    }
}

/// The settings of a conversion: the encodings, and how to convert.
///
/// ```
/// use utf8kit_text::convert::{BomHandling, Conversion, Converter, Counts, HEAD};
///
/// let input = "na\u{EF}ve".as_bytes();
/// let mut conversion = Conversion::new("utf-8".parse().unwrap(), "utf-16be".parse().unwrap());
/// conversion.bom = BomHandling::Add;
/// let plan = conversion.start(&input[..HEAD]);
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
pub const HEAD: usize = 4;

impl Conversion {
    /// Creates a strict conversion that does not change the text.
    pub fn new(from: Charset, to: Charset) -> Conversion {
        Conversion {
            from,
            to,
            invalid: Invalid::default(),
            bom: BomHandling::default(),
            rewrite: Rewrite::default(),
        }
    }

    /// Returns the plan for an input that begins with `head`: its first [`HEAD`] bytes, or all of it if it is shorter.
    pub fn start(&self, head: &[u8]) -> Plan {
        let (from, marked) = self.from.reader(head);
        let to = self.to.writer();
        let found = if marked > 0 { marked } else { from.mark_in(head) };
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

impl Plan {
    /// Creates a plan for text without a byte order mark, and without changes to the text.
    pub fn new(from: Codec, to: Codec, invalid: Invalid) -> Plan {
        Plan { from, to, invalid, skip: 0, prefix: Vec::new(), rewrite: Rewrite::default() }
    }

    /// Returns the encoding if the input may be split at character boundaries and the parts converted independently.
    /// A part cannot see what follows it. That matters for a backslash that may need an escape, for adjacent
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

/// A running conversion.
pub struct Converter(Way);

#[expect(clippy::large_enum_variant, reason = "the common one needs no allocation")]
enum Way {
    /// Both encodings are the library's, and the text is not changed.
    Direct(Native<AnyEncoding>),
    /// The conversion goes through UTF-8.
    Pivot(Box<Pivot>),
}

impl Converter {
    /// Creates a converter for the start of the text, which is `offset` bytes into the input (bytes skipped by the
    /// plan are not part of the text).
    pub fn new(plan: &Plan) -> Converter {
        Converter(match (plan.from, plan.to) {
            (Codec::Native(from), Codec::Native(to)) if !plan.rewrite.is_any() => {
                Way::Direct(Native::new(from, to, plan.invalid.policy("\u{FFFD}")))
            }
            _ => Way::Pivot(Box::new(Pivot::new(plan))),
        })
    }

    /// Converts a piece and appends the result to `out`. `last` marks the last piece.
    ///
    /// # Errors
    /// In strict conversions, the first place that cannot be converted. Everything before it is in `out`. Its offset
    /// counts from the start of the text.
    pub fn push(
        &mut self,
        input: &[u8],
        last: bool,
        out: &mut Vec<u8>,
        counts: &mut Counts,
    ) -> Result<(), ConversionError> {
        match &mut self.0 {
            Way::Direct(native) => native.push(input, last, out, counts),
            Way::Pivot(pivot) => pivot.push(input, last, out, counts),
        }
    }

    /// Returns approximately how many bytes at the end of the input are not yet in the output: incomplete characters,
    /// and characters that the next one may combine with.
    pub fn held(&self) -> usize {
        match &self.0 {
            Way::Direct(native) => native.pending().len(),
            Way::Pivot(pivot) => pivot.held(),
        }
    }
}

/// A converter of the library that counts its changes and reports the bytes of an error.
#[derive(Clone, Debug)]
pub(crate) struct Native<T> {
    from: AnyEncoding,
    converter: utf8kit::Converter<'static, AnyEncoding, T>,
}

impl<T: Encoding> Native<T> {
    /// Creates a converter with a policy; `None` is strict.
    pub(crate) fn new(from: AnyEncoding, to: T, policy: Option<Policy<'static>>) -> Native<T> {
        let converter = match policy {
            Some(policy) => utf8kit::Converter::lossy(from, to, policy),
            None => utf8kit::Converter::strict(from, to),
        };
        Native { from, converter }
    }

    /// Returns the number of bytes of the text that are processed.
    pub(crate) fn offset(&self) -> u64 {
        self.converter.offset()
    }

    /// Returns the bytes of the text that are held back.
    pub(crate) fn pending(&self) -> &[u8] {
        self.converter.pending()
    }

    /// Converts a piece, like [`Converter::push`].
    pub(crate) fn push(
        &mut self,
        input: &[u8],
        last: bool,
        out: &mut Vec<u8>,
        counts: &mut Counts,
    ) -> Result<(), ConversionError> {
        let start = self.converter.offset();
        let held = self.converter.pending().to_vec();
        let from = self.from;
        // Anything that breaks a rule of Unicode has a kind, even if the source encoding allows it.
        let mut count = |change: utf8kit::Change<'_>| {
            let value = from.decode(change.before).and_then(|step| step.result.ok());
            if change.unrepresentable && value.is_some_and(is_scalar) {
                counts.add_lacking();
            } else {
                counts.add(change);
            }
        };
        let mut pushed = self.converter.push_observed(input, out, &mut count);
        if last && pushed.is_ok() {
            pushed = self.converter.finish_observed(out, &mut count);
        }
        pushed.map_err(|error| {
            let before = usize::try_from(error.offset.saturating_sub(start)).unwrap_or(usize::MAX);
            let stream = held.iter().chain(input).copied();
            let bytes: Vec<u8> = stream.skip(before).take(usize::from(error.len)).collect();
            let kind = match self.from.decode(&bytes).map(|step| step.result) {
                Some(Ok(value)) => {
                    ConversionErrorKind::Lacking(value, (!is_scalar(value)).then_some(error.kind))
                }
                _ => ConversionErrorKind::IllFormed(error.kind),
            };
            ConversionError { offset: error.offset, bytes, kind }
        })
    }
}

/// Reports whether the value is a Unicode scalar value.
fn is_scalar(value: u32) -> bool {
    char::from_u32(value).is_some()
}

/// If the byte after `items` decides the kind of their last error, returns the kind that `items` alone suggest and the
/// actual kind, given the bytes `behind` that follow.
pub fn mistaken_kind(encoding: AnyEncoding, items: &[u8], behind: &[u8]) -> Option<(ErrorKind, ErrorKind)> {
    let last = floor_in(encoding, items, items.len().checked_sub(1)?);
    let kind = |bytes: &[u8]| encoding.decode(bytes)?.result.err();
    let (seeming, real) = (kind(items.get(last..)?)?, kind(behind.get(last..)?)?);
    (seeming != real).then_some((seeming, real))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Bytes = &'static [u8];

    /// Converts the whole input in pieces of `size` bytes.
    fn run(conversion: &Conversion, input: &[u8], size: usize) -> (Vec<u8>, Counts, Option<ConversionError>) {
        let plan = conversion.start(&input[..input.len().min(HEAD)]);
        let mut converter = Converter::new(&plan);
        let (mut out, mut counts) = (plan.prefix.clone(), Counts::default());
        for piece in input[plan.skip..].chunks(size) {
            if let Err(error) = converter.push(piece, false, &mut out, &mut counts) {
                return (out, counts, Some(error));
            }
        }
        let error = converter.push(&[], true, &mut out, &mut counts).err();
        (out, counts, error)
    }

    fn conversion(from: &str, to: &str, invalid: Invalid, bom: BomHandling) -> Conversion {
        let named = |name: &str| name.parse().expect("a name");
        Conversion { from: named(from), to: named(to), invalid, bom, rewrite: Rewrite::default() }
    }

    #[test]
    fn legacy_round_trips_in_any_pieces() {
        let text = "\u{65E5}\u{672C} abc \u{3042}\u{FF71}".as_bytes();
        for name in ["shift_jis", "euc-jp", "iso-2022-jp", "gb18030", "utf-16be"] {
            let there = conversion("utf-8", name, Invalid::Replace, BomHandling::Keep);
            let back = conversion(name, "utf-8", Invalid::Strict, BomHandling::Keep);
            for size in 1..8 {
                let (bytes, ..) = run(&there, text, size);
                let (again, _, error) = run(&back, &bytes, size);
                let half_width = name == "iso-2022-jp"; // lacks half-width katakana, and writes full-width ones
                assert_eq!(error, None);
                assert!(half_width || again == text, "{name}, pieces of {size}");
            }
        }
    }

    #[test]
    fn strict_errors_have_their_place() {
        // (from, to, input, offset, bytes)
        let cases: [(&str, &str, Bytes, u64, Bytes); 12] = [
            ("utf-8", "latin1", "ab\u{20AC}".as_bytes(), 2, b"\xE2\x82\xAC"),
            ("utf-8", "koi8-r", "ab\u{416}\u{E9}\0".as_bytes(), 4, b"\xC3\xA9"),
            ("utf-16le", "koi8-r", b"a\0\xE9\0", 2, b"\xE9\0"),
            ("shift_jis", "koi8-r", b"a\x82\xA0", 1, b"\x82\xA0"),
            ("shift_jis", "utf-8", b"ab\x82\xA0\xFFc", 4, b"\xFF"),
            ("shift_jis", "latin1", b"ab\x82\xA0c", 2, b"\x82\xA0"),
            // A shift belongs to the character that follows it.
            ("iso-2022-jp", "latin1", b"ab\x1B$B$\"\x1B(Bc", 2, b"\x1B$B$\""),
            ("utf-7", "koi8-r", b"a+BBYA6Q-b", 5, b"A6Q"),
            ("utf-7", "gsm-03.38", b"a+AGI-\0", 5, b"-\0"),
            ("utf-7", "gsm-03.38", b"abc\0", 3, b"\0"),
            // Controls that would begin a shift.
            ("utf-8", "iso-2022-jp", b"\x1B", 0, b"\x1B"),
            ("utf-8", "iso-2022-jp", "\u{E9}".as_bytes(), 0, "\u{E9}".as_bytes()),
        ];
        for (from, to, input, offset, bytes) in cases {
            for size in 1..6 {
                let (.., error) = run(&conversion(from, to, Invalid::Strict, BomHandling::Keep), input, size);
                let error = error.expect("an error");
                assert_eq!((error.offset, &*error.bytes), (offset, bytes), "{from} {to}, pieces of {size}");
            }
        }
    }

    #[cfg(feature = "unicode")]
    #[test]
    fn errors_in_noise_are_bytes_of_the_input() {
        let encodings = [
            "utf-8",
            "cesu-8",
            "utf-16le",
            "latin1",
            "koi8-r",
            "windows-1258",
            "shift_jis",
            "euc-jp",
            "gb18030",
            "big5",
            "iso-2022-jp",
            "utf-7",
            "gsm-03.38",
            "cp037",
            "us-ascii",
        ];
        let atoms: [&[u8]; 19] = [
            b"a",
            b"+",
            b"-",
            b"AOkA6Q",
            b"\x1B$B",
            b"\x1B(B",
            b"$\"",
            b"\x1B",
            b"\0",
            b"\xC3\xA9",
            b"\xED\xA0\x80",
            b"\x82\xA0",
            b"\x81\x30",
            b"\x8A\x39",
            b"\r",
            b"\n",
            b"\xCC\x81",
            b"\xFF",
            b"\x88\x62",
        ];
        let mut random = crate::random::Random::new(0x9E37_79B9_7F4A_7C15);
        let mut below = |end| random.below(end);
        for _ in 0..20_000 {
            let (from, to) = (encodings[below(encodings.len())], encodings[below(encodings.len())]);
            let input: Vec<u8> = (0..below(9)).flat_map(|_| atoms[below(atoms.len())]).copied().collect();
            let forms = [None, Some(NormalForm::Nfc), Some(NormalForm::Nfd)];
            let ends = [None, Some(LineEnd::Lf), Some(LineEnd::CrLf)];
            let mut conversion = conversion(from, to, Invalid::Strict, BomHandling::Keep);
            (conversion.rewrite.normal_form, conversion.rewrite.line_end) = (forms[below(3)], ends[below(3)]);
            let run = |size| run(&conversion, &input, size);
            let (whole, _, error) = run(32 * 1024);
            let context = || format!("{from} {to} {}: {error:?}", input.escape_ascii());
            // Bytes of an earlier piece that a normal form holds back are only estimated.
            let is_exact = conversion.rewrite.normal_form.is_none();
            if let Some(error) = error.as_ref().filter(|_| is_exact) {
                let at = usize::try_from(error.offset).unwrap();
                assert_eq!(input.get(at..at + error.bytes.len()), Some(&*error.bytes), "{}", context());
                assert!(!error.bytes.is_empty(), "{}", context());
            }
            for size in [1, 3] {
                let (out, _, in_pieces) = run(size);
                assert!(out == whole && in_pieces.is_some() == error.is_some(), "{}: {size}", context());
                assert!(in_pieces == error || !is_exact, "{}, pieces of {size}: {in_pieces:?}", context());
            }
        }
    }

    #[test]
    fn policies_through_the_pivot() {
        let cases: [(&str, &str, Invalid, Bytes, Bytes); 7] = [
            ("utf-8", "koi8-r", Invalid::Replace, b"a\xFF\xC3\xA9\xD0\x96", b"a??\xF6"),
            ("utf-8", "gb18030", Invalid::Replace, b"a\xFF", b"a\x84\x31\xA4\x37"),
            ("utf-8", "koi8-r", Invalid::Remove, b"a\xFF\xC3\xA9\xD0\x96", b"a\xF6"),
            ("utf-8", "koi8-r", Invalid::Escape, b"\\x\xFF\xC3\xA9", br"\x5Cx\xFF\xC3\xA9"),
            ("shift_jis", "utf-8", Invalid::Escape, b"\\\xFF\\x", br"\\xFF\x5Cx"),
            ("shift_jis", "latin1", Invalid::Escape, b"\xFF\x82\xA0\\", br"\xFF\x82\xA0\"),
            ("shift_jis", "latin1", Invalid::Replace, b"\xFF\x82\xA0", b"??"),
        ];
        for (from, to, invalid, input, output) in cases {
            for size in 1..6 {
                let (out, ..) = run(&conversion(from, to, invalid, BomHandling::Keep), input, size);
                assert_eq!(out, output, "{from} {to}, pieces of {size}");
            }
        }
    }

    #[test]
    fn marks() {
        let cases: [(&str, &str, BomHandling, Bytes, Bytes); 10] = [
            ("utf-8", "utf-8", BomHandling::Keep, b"\xEF\xBB\xBFa", b"\xEF\xBB\xBFa"),
            ("utf-8", "utf-16be", BomHandling::Strip, b"\xEF\xBB\xBFa", b"\0a"),
            ("utf-8", "utf-16be", BomHandling::Add, b"a", b"\xFE\xFF\0a"),
            ("utf-8", "utf-16be", BomHandling::Add, b"\xEF\xBB\xBFa", b"\xFE\xFF\0a"),
            ("utf-8", "utf-16", BomHandling::Keep, b"a", b"\xFF\xFEa\0"),
            ("utf-8", "utf-16", BomHandling::Keep, b"\xEF\xBB\xBFa", b"\xFF\xFEa\0"),
            ("utf-8", "utf-16", BomHandling::Strip, b"a", b"a\0"),
            ("utf-16", "utf-8", BomHandling::Keep, b"\xFE\xFF\0a", b"a"),
            ("utf-16", "utf-8", BomHandling::Keep, b"a\0", b"a"),
            ("utf-8", "utf-16", BomHandling::Keep, b"", b""),
        ];
        for (from, to, bom, input, output) in cases {
            let (out, ..) = run(&conversion(from, to, Invalid::Strict, bom), input, 3);
            assert_eq!(out, output, "{from} {to} {bom:?}");
        }
    }

    #[test]
    fn kinds_see_past_the_block() {
        let mistaken = mistaken_kind(AnyEncoding::Utf8, b"a\xE0", b"a\xE0\x80");
        assert_eq!(mistaken, Some((ErrorKind::Truncated, ErrorKind::Overlong)));
        assert_eq!(mistaken_kind(AnyEncoding::Utf8, b"ab", b"abc"), None);
    }
}
