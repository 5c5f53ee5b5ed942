//! A conversion from any encoding to any other, a piece at a time.
//!
//! ```text
//! head -> Recipe::start: byte orders, marks -> Plan -> Machine: Direct (both of the library)
//!                                                             Pivot  (by way of UTF-8)
//! ```

use utf8kit::{AnyEncoding, Converter, Encoding, Policy};

use crate::charset::{Charset, Codec};
use crate::cli::{ConvertBom, Invalid};
use crate::fault::{Fault, Reason, Tally};
use crate::pivot::Pivot;

impl Invalid {
    /// What the library calls it; `None`: strict. `replacement` stands for one place.
    pub(crate) fn policy(self, replacement: &'static str) -> Option<Policy<'static>> {
        match self {
            Invalid::Strict => None,
            Invalid::Replace => Some(Policy::Replace { each: utf8kit::Each::Subpart, with: replacement }),
            Invalid::Remove => Some(Policy::Remove),
            Invalid::Escape => Some(Policy::Escape),
        }
    }

    /// What was done, for the report.
    pub(crate) fn participle(self) -> &'static str {
        match self {
            Invalid::Strict => "refused",
            Invalid::Replace => "replaced",
            Invalid::Remove => "removed",
            Invalid::Escape => "escaped",
        }
    }
}

/// What was asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recipe {
    /// The encoding to read.
    pub(crate) from: Charset,
    /// The encoding to write.
    pub(crate) to: Charset,
    /// What is done about places that cannot be carried over.
    pub(crate) invalid: Invalid,
    /// What is done about a byte order mark.
    pub(crate) bom: ConvertBom,
}

/// What that means for one input.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// How to read.
    pub(crate) from: Codec,
    /// How to write.
    pub(crate) to: Codec,
    /// What is done about places that cannot be carried over.
    pub(crate) invalid: Invalid,
    /// How many bytes of the input are passed over.
    pub(crate) skip: usize,
    /// What is written before anything else.
    pub(crate) prefix: Vec<u8>,
}

/// How many bytes of an input decide a plan: the longest byte order mark.
pub(crate) const HEAD: usize = 4;

impl Recipe {
    /// The plan for an input that begins with `head`: its first [`HEAD`] bytes, or all of it.
    pub(crate) fn start(&self, head: &[u8]) -> Plan {
        let (from, marked) = self.from.reader(head);
        let to = self.to.writer();
        let found = if marked > 0 { marked } else { from.mark_in(head) };
        // In the encodings that a mark belongs to, it is no part of the text.
        let (skip, mark) = match self.bom {
            ConvertBom::Keep if self.to.is_marked() && !head.is_empty() => (found, true),
            ConvertBom::Keep => (marked, false),
            ConvertBom::Strip => (found, false),
            ConvertBom::Add => (found, true),
        };
        let prefix = if mark { to.mark().unwrap_or_default() } else { Vec::new() };
        Plan { from, to, invalid: self.invalid, skip, prefix }
    }
}

impl Plan {
    /// Whether the input may be cut at its boundaries and the parts converted apart. A part does not see what
    /// follows it, which matters to a backslash that may need an escape, and to surrogates that dialects without
    /// pairs may hold next to each other.
    pub(crate) fn splits(&self) -> Option<AnyEncoding> {
        match (self.from, self.to) {
            (Codec::Native(AnyEncoding::Utf8Bits21 | AnyEncoding::Utf8Bits31), _) => None,
            (Codec::Native(from), Codec::Native(_)) if self.invalid != Invalid::Escape => Some(from),
            _ => None,
        }
    }
}

/// A running conversion.
pub(crate) enum Machine {
    /// Both encodings are the library's.
    Direct(Native<AnyEncoding>),
    /// By way of UTF-8.
    Pivot(Box<Pivot>),
}

impl Machine {
    /// At the start of the text (what the plan passes over is not part of it), `offset` bytes into the input.
    pub(crate) fn new(plan: &Plan) -> Machine {
        match (plan.from, plan.to) {
            (Codec::Native(from), Codec::Native(to)) => {
                Machine::Direct(Native::new(from, to, plan.invalid.policy("\u{FFFD}")))
            }
            _ => Machine::Pivot(Box::new(Pivot::new(plan))),
        }
    }

    /// Appends to `out` what a piece becomes; `last`: nothing follows it.
    ///
    /// # Errors
    /// Strict conversions: the first place that cannot be carried over; what comes before it is in `out`. Its
    /// offset counts from the start of the text.
    pub(crate) fn push(
        &mut self,
        input: &[u8],
        last: bool,
        out: &mut Vec<u8>,
        tally: &mut Tally,
    ) -> Result<(), Fault> {
        match self {
            Machine::Direct(native) => native.push(input, last, out, tally),
            Machine::Pivot(pivot) => pivot.push(input, last, out, tally),
        }
    }
}

/// A converter of the library that tallies what it changes and shows the bytes of a fault.
#[derive(Clone, Debug)]
pub(crate) struct Native<T> {
    from: AnyEncoding,
    converter: Converter<'static, AnyEncoding, T>,
}

impl<T: Encoding> Native<T> {
    /// A converter by a policy; `None`: a strict one.
    pub(crate) fn new(from: AnyEncoding, to: T, policy: Option<Policy<'static>>) -> Native<T> {
        let converter = match policy {
            Some(policy) => Converter::lossy(from, to, policy),
            None => Converter::strict(from, to),
        };
        Native { from, converter }
    }

    /// Bytes of the text that are dealt with.
    pub(crate) fn offset(&self) -> u64 {
        self.converter.offset()
    }

    /// As [`Machine::push`].
    pub(crate) fn push(
        &mut self,
        input: &[u8],
        last: bool,
        out: &mut Vec<u8>,
        tally: &mut Tally,
    ) -> Result<(), Fault> {
        let start = self.converter.offset();
        let held = self.converter.pending().to_vec();
        let mut pushed = self.converter.push_observed(input, out, |change| tally.add(change.kind));
        if last && pushed.is_ok() {
            pushed = self.converter.finish_observed(out, |change| tally.add(change.kind));
        }
        pushed.map_err(|error| {
            let before = usize::try_from(error.offset.saturating_sub(start)).unwrap_or(usize::MAX);
            let stream = held.iter().chain(input).copied();
            let bytes: Vec<u8> = stream.skip(before).take(usize::from(error.len)).collect();
            let reason = match self.from.decode(&bytes).map(|step| step.result) {
                Some(Ok(value)) => Reason::Lacking(value, Some(error.kind)),
                _ => Reason::IllFormed(error.kind),
            };
            Fault { offset: error.offset, bytes, reason }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Bytes = &'static [u8];

    /// Everything in pieces of `size` bytes.
    fn run(recipe: &Recipe, input: &[u8], size: usize) -> (Vec<u8>, Tally, Option<Fault>) {
        let plan = recipe.start(&input[..input.len().min(HEAD)]);
        let mut machine = Machine::new(&plan);
        let (mut out, mut tally) = (plan.prefix.clone(), Tally::default());
        for piece in input[plan.skip..].chunks(size) {
            if let Err(fault) = machine.push(piece, false, &mut out, &mut tally) {
                return (out, tally, Some(fault));
            }
        }
        let fault = machine.push(&[], true, &mut out, &mut tally).err();
        (out, tally, fault)
    }

    fn recipe(from: &str, to: &str, invalid: Invalid, bom: ConvertBom) -> Recipe {
        let named = |name: &str| name.parse().expect("a name");
        Recipe { from: named(from), to: named(to), invalid, bom }
    }

    #[test]
    fn legacy_round_trips_in_any_pieces() {
        let text = "\u{65E5}\u{672C} abc \u{3042}\u{FF71}".as_bytes();
        for name in ["shift_jis", "euc-jp", "iso-2022-jp", "gb18030", "utf-16be"] {
            let there = recipe("utf-8", name, Invalid::Replace, ConvertBom::Keep);
            let back = recipe(name, "utf-8", Invalid::Strict, ConvertBom::Keep);
            for size in 1..8 {
                let (bytes, ..) = run(&there, text, size);
                let (again, _, fault) = run(&back, &bytes, size);
                let half_width = name == "iso-2022-jp"; // has no half-width katakana, and writes full-width ones
                assert_eq!(fault, None);
                assert!(half_width || again == text, "{name}, pieces of {size}");
            }
        }
    }

    #[test]
    fn strict_faults_have_their_place() {
        // (from, to, input, offset, bytes)
        let cases: [(&str, &str, Bytes, u64, Bytes); 6] = [
            ("utf-8", "latin1", "ab\u{20AC}".as_bytes(), 2, b"\xE2\x82\xAC"),
            ("utf-8", "koi8-r", "ab\u{416}\u{E9}\0".as_bytes(), 4, b"\xC3\xA9"),
            ("utf-16le", "koi8-r", b"a\0\xE9\0", 2, b"\xE9\0"),
            ("shift_jis", "koi8-r", b"a\x82\xA0", 1, b"\x82\xA0"),
            ("shift_jis", "utf-8", b"ab\x82\xA0\xFFc", 4, b"\xFF"),
            ("shift_jis", "latin1", b"ab\x82\xA0c", 2, b"\x82\xA0"),
        ];
        for (from, to, input, offset, bytes) in cases {
            for size in 1..6 {
                let (.., fault) = run(&recipe(from, to, Invalid::Strict, ConvertBom::Keep), input, size);
                let fault = fault.expect("a fault");
                assert_eq!((fault.offset, &*fault.bytes), (offset, bytes), "{from} {to}, pieces of {size}");
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
                let (out, ..) = run(&recipe(from, to, invalid, ConvertBom::Keep), input, size);
                assert_eq!(out, output, "{from} {to}, pieces of {size}");
            }
        }
    }

    #[test]
    fn marks() {
        let cases: [(&str, &str, ConvertBom, Bytes, Bytes); 10] = [
            ("utf-8", "utf-8", ConvertBom::Keep, b"\xEF\xBB\xBFa", b"\xEF\xBB\xBFa"),
            ("utf-8", "utf-16be", ConvertBom::Strip, b"\xEF\xBB\xBFa", b"\0a"),
            ("utf-8", "utf-16be", ConvertBom::Add, b"a", b"\xFE\xFF\0a"),
            ("utf-8", "utf-16be", ConvertBom::Add, b"\xEF\xBB\xBFa", b"\xFE\xFF\0a"),
            ("utf-8", "utf-16", ConvertBom::Keep, b"a", b"\xFF\xFEa\0"),
            ("utf-8", "utf-16", ConvertBom::Keep, b"\xEF\xBB\xBFa", b"\xFF\xFEa\0"),
            ("utf-8", "utf-16", ConvertBom::Strip, b"a", b"a\0"),
            ("utf-16", "utf-8", ConvertBom::Keep, b"\xFE\xFF\0a", b"a"),
            ("utf-16", "utf-8", ConvertBom::Keep, b"a\0", b"a"),
            ("utf-8", "utf-16", ConvertBom::Keep, b"", b""),
        ];
        for (from, to, bom, input, output) in cases {
            let (out, ..) = run(&recipe(from, to, Invalid::Strict, bom), input, 3);
            assert_eq!(out, output, "{from} {to} {bom:?}");
        }
    }
}
