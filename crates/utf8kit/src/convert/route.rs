//! Clean stretches: which pairs of encodings have a fast way, and the way.

use crate::dispatch;
use crate::encoding::{AnyEncoding, Encoding, Latin1, MAX_LEN, Utf16Be, Utf16Le, Utf32Be, Utf32Le};
use crate::grammar::{Grammar, code_units, shared};
use crate::kernel::count::Class;
use crate::kernel::utf8_to_wide::Extent;
use crate::kernel::wide_to_utf8::Source;
use crate::out::Out;
use crate::policy::Policy;
use crate::scalar::convert::Wide;

/// Converts a well-formed, representable prefix as far as that goes fast; says how much of the input that was.
#[inline(always)]
pub(crate) fn convert<S: Encoding, T: Encoding>(from: S, to: T, input: &[u8], out: &mut Out<'_>) -> usize {
    use AnyEncoding as E;
    if !dispatch::converts(input) {
        return 0;
    }
    let (from, to) = (from.any(), to.any());
    let wide = same_wide_units(from, to);
    if wide && from.is_big_endian() != to.is_big_endian() {
        return swap(from, input, out);
    }
    if from == to || wide {
        let fits = &input[..input.len().min(out.room())];
        let clean = dispatch::clean_prefix_in(from, fits);
        return if out.push(&fits[..clean]) { clean } else { 0 };
    }
    if !from.is_dialect() && shared(to, E::Utf8).is_some_and(|grammar| grammar.max() >= 0xFFFF) {
        let whole = &input[..input.len() - input.len() % from.unit()];
        let narrowed = match from {
            E::Utf16Le | E::Wtf16Le => narrow(to, whole, out, Utf16Le),
            E::Utf16Be | E::Wtf16Be => narrow(to, whole, out, Utf16Be),
            E::Utf32Le => narrow(to, whole, out, Utf32Le),
            E::Utf32Be => narrow(to, whole, out, Utf32Be),
            E::Latin1 => narrow(to, whole, out, Latin1),
            _ => 0,
        };
        if narrowed > 0 || from.unit() > 1 {
            return narrowed * from.unit();
        }
    }
    if to == E::Latin1
        && let Some(grammar) = shared(from, E::Utf8).filter(|grammar| grammar.longest_unit > 1)
    {
        return dispatch::to_latin1(input, out, grammar.has_nul());
    }
    if let Some(grammar) = shared(from, to) {
        return copy(from, to, grammar, input, out);
    }
    match to {
        E::Utf16Le | E::Wtf16Le if from.unit() == 1 => widen(from, input, out, Utf16Le),
        E::Utf16Be | E::Wtf16Be if from.unit() == 1 => widen(from, input, out, Utf16Be),
        E::Utf32Le if from.unit() == 1 => widen(from, input, out, Utf32Le),
        E::Utf32Be if from.unit() == 1 => widen(from, input, out, Utf32Be),
        _ => 0,
    }
}

/// Copies what two encodings share, and between those that write supplementary code points in four bytes and in two times
/// three, converts the rest.
#[inline(always)]
fn copy(
    from: AnyEncoding,
    to: AnyEncoding,
    grammar: &'static Grammar,
    input: &[u8],
    out: &mut Out<'_>,
) -> usize {
    let clean = copy_clean(grammar, input, out);
    let pairs = grammar.max() == 0xFFFF && code_units(from).is_some() && code_units(to).is_some();
    if !pairs || clean == input.len() {
        return clean;
    }
    clean + copy_and_convert(from, to, grammar, &input[clean..], out)
}

/// Copies as much as the grammar has, and fits.
#[inline(always)]
fn copy_clean(grammar: &'static Grammar, input: &[u8], out: &mut Out<'_>) -> usize {
    let fits = &input[..input.len().min(out.room())];
    let clean = dispatch::clean_prefix_of_many(grammar, fits);
    if out.push(&fits[..clean]) { clean } else { 0 }
}

/// Converts a little where what is shared has ended, copies on, and so on.
#[inline(never)]
fn copy_and_convert(
    from: AnyEncoding,
    to: AnyEncoding,
    grammar: &'static Grammar,
    input: &[u8],
    out: &mut Out<'_>,
) -> usize {
    let mut units = [0; 2 * AHEAD];
    let (mut at, mut window) = (0, FIRST_UNITS);
    while at < input.len() {
        let through = through_units(from, to, &input[at..input.len().min(at + window)], &mut units, out);
        if through == 0 {
            break;
        }
        at += through;
        let clean = copy_clean(grammar, &input[at..], out);
        at += clean;
        // What is shared is copied many times as fast: only where there is little of it, more is converted at once.
        window = if clean < window { (2 * window).min(AHEAD) } else { FIRST_UNITS };
    }
    at
}

/// How much is converted by [`through_units`] at first.
const FIRST_UNITS: usize = 128;

/// Converts at most [`AHEAD`] bytes of well-formed text through UTF-16, for which `units` is room.
#[inline(always)]
fn through_units(
    from: AnyEncoding,
    to: AnyEncoding,
    input: &[u8],
    units: &mut [u8; 2 * AHEAD],
    out: &mut Out<'_>,
) -> usize {
    let modified = from == AnyEncoding::Mutf8 || to == AnyEncoding::Mutf8;
    let input = if modified { before_nul(input) } else { input };
    let Some(grammar) = code_units(from) else { return 0 };
    let mut wide = Out::over(units);
    let read = dispatch::widen(grammar, input, &mut wide, Utf16Le, Extent::ToEnd);
    let written = wide.written();
    let four_bytes = to == AnyEncoding::Utf8;
    let narrowed = dispatch::narrow(&units[..written], out, Utf16Le, four_bytes);
    if 2 * narrowed == written {
        return read;
    }
    // No room, an error, or the first half of a pair at the end.
    len_in(from, &units[..2 * narrowed], u16::from_le_bytes)
}

/// The input up to the first NUL.
fn before_nul(input: &[u8]) -> &[u8] {
    &input[..dispatch::find(input, 0)]
}

/// How many bytes of a dialect UTF-16 is.
fn len_in(dialect: AnyEncoding, units: &[u8], read: fn([u8; 2]) -> u16) -> usize {
    let len = |unit: &[u8; 2]| match read(*unit) {
        0..0x80 => 1,
        0x80..0x800 => 2,
        0xD800..0xE000 if dialect == AnyEncoding::Utf8 => 2,
        _ => 3,
    };
    units.as_chunks().0.iter().map(len).sum()
}

/// Converts UTF-8 to wider units, as much as is well formed and has room; says how much.
#[inline(always)]
pub(crate) fn convert_utf8<T: Encoding>(to: T, bytes: &[u8], out: &mut Out<'_>, extent: Extent) -> usize {
    let Some(grammar) = AnyEncoding::Utf8.grammar() else { return 0 };
    match (to.unit(), to.any().is_big_endian()) {
        (2, false) => dispatch::widen(grammar, bytes, out, Utf16Le, extent),
        (2, true) => dispatch::widen(grammar, bytes, out, Utf16Be, extent),
        (_, false) => dispatch::widen(grammar, bytes, out, Utf32Le, extent),
        (_, true) => dispatch::widen(grammar, bytes, out, Utf32Be, extent),
    }
}

/// Whether only the order of bytes can differ.
fn same_wide_units(from: AnyEncoding, to: AnyEncoding) -> bool {
    from.unit() > 1 && from.unit() == to.unit()
}

/// What is converted at a time where more than one pass is needed: it stays in the first cache.
const AHEAD: usize = 4096;

/// One-byte units to wider ones.
#[inline(always)]
fn widen<U: Wide>(from: AnyEncoding, input: &[u8], out: &mut Out<'_>, target: U) -> usize {
    if from == AnyEncoding::Latin1 {
        return extend(input, out, target);
    }
    let utf8 = shared(from, AnyEncoding::Utf8);
    let Some(grammar) = utf8.filter(|grammar| grammar.longest_unit > 1) else {
        return extend(ascii_prefix(from, input), out, target);
    };
    let read = dispatch::widen(grammar, input, out, target, Extent::ToEnd);
    let halves = matches!(from, AnyEncoding::Cesu8 | AnyEncoding::Mutf8) && U::UNIT == 2;
    if halves && input.get(read) == Some(&0xED) {
        return read + widen_halves(from, &input[read..], out, target);
    }
    read
}

/// Text with code points of two times three bytes to UTF-16: units one by one, and then it is asked whether they make pairs.
#[inline(never)]
fn widen_halves<U: Wide>(from: AnyEncoding, input: &[u8], out: &mut Out<'_>, target: U) -> usize {
    let (to, unit): (_, fn([u8; 2]) -> u16) = if U::BIG_ENDIAN {
        (AnyEncoding::Utf16Be, u16::from_be_bytes)
    } else {
        (AnyEncoding::Utf16Le, u16::from_le_bytes)
    };
    let Some(grammar) = code_units(from) else { return 0 };
    let (mut at, mut window) = (0, FIRST_UNITS);
    loop {
        let ahead = &input[at..input.len().min(at + window)];
        let some = if from == AnyEncoding::Mutf8 { before_nul(ahead) } else { ahead };
        let start = out.written();
        let read = dispatch::widen(grammar, some, out, target, Extent::ToEnd);
        let written = out.since(start);
        let paired = dispatch::clean_prefix_in(to, written);
        let unpaired = written.len() - paired;
        let read = read - len_in(from, &written[paired..], unit);
        out.take_back(unpaired);
        at += read;
        // The window may cut off a pair, which the next one takes.
        if read + 2 * MAX_LEN < window {
            return at;
        }
        window = (2 * window).min(AHEAD);
    }
}

/// Each byte as the unit of its value.
#[inline(always)]
fn extend<U: Wide>(bytes: &[u8], out: &mut Out<'_>, target: U) -> usize {
    dispatch::extend(bytes, out, target)
}

/// Units to the other order of bytes.
#[inline(always)]
fn swap(from: AnyEncoding, input: &[u8], out: &mut Out<'_>) -> usize {
    let mut at = 0;
    loop {
        // No more than fits, so that no pair is cut in two.
        let ahead = &input[at..input.len().min(at + AHEAD.min(out.room()))];
        let clean = &ahead[..dispatch::clean_prefix_in(from, ahead)];
        let swapped = match from.unit() {
            2 => 2 * out.units(clean, |[a, b]| [b, a]),
            _ => 4 * out.units(clean, |[a, b, c, d]| [d, c, b, a]),
        };
        at += swapped;
        // The window may cut off a pair, which the next one takes.
        if swapped + MAX_LEN < AHEAD {
            return at;
        }
    }
}

/// Units to UTF-8, or a form that is the same for them; how many units.
#[inline(always)]
fn narrow<S: Source>(to: AnyEncoding, bytes: &[u8], out: &mut Out<'_>, source: S) -> usize {
    // CESU-8 and modified UTF-8 write what is above the Basic Multilingual Plane, and NUL, in their own way: of
    // UTF-32 that is for the definition, and 16-bit units hold it as surrogates, which are left out anyway.
    let same = shared(to, AnyEncoding::Utf8).is_some_and(|grammar| grammar.longest_unit == 4);
    let plain = same || (to == AnyEncoding::Cesu8 && S::UNIT < 4);
    if !plain {
        return 0;
    }
    dispatch::narrow(bytes, out, source, same)
}

/// The leading bytes that are code points of their own value.
#[inline(always)]
fn ascii_prefix(from: AnyEncoding, input: &[u8]) -> &[u8] {
    match (from, shared(from, AnyEncoding::Latin1)) {
        (AnyEncoding::Latin1, _) => input,
        (_, Some(grammar)) => &input[..dispatch::clean_prefix_of_many(grammar, input)],
        _ => &[],
    }
}

/// The length that a fast prefix of the input has in the target: (bytes read, bytes that they become).
pub(crate) fn measure<S: Encoding, T: Encoding>(
    from: S,
    to: T,
    policy: Option<Policy<'_>>,
    input: &[u8],
) -> (usize, usize) {
    let input = if matches!(policy, Some(Policy::Escape)) { before_backslash(input) } else { input };
    let (from, to) = (from.any(), to.any());
    if let Some(grammar) = shared(from, to) {
        let clean = dispatch::clean_prefix_of_many(grammar, input);
        return (clean, clean);
    }
    if same_wide_units(from, to) {
        let clean = dispatch::clean_prefix_in(from, input);
        return (clean, clean);
    }
    if from == AnyEncoding::Utf8 && matches!(to.unit(), 2 | 4) {
        let clean = dispatch::clean_prefix_in(from, input);
        let count = |class| dispatch::count(&input[..clean], class);
        let wide = if to.unit() == 2 { count(Class::FourByteLeads) } else { 0 };
        return (clean, (count(Class::Starts) + wide) * to.unit());
    }
    let ascii = if from.unit() == 1 { ascii_prefix(from, input).len() } else { 0 };
    (ascii, ascii * to.unit())
}

/// How much room to ask for at first: a unit for each, some for errors (U+FFFD is longer than most), and what kernels
/// may write behind. An output that must grow once more is copied once more.
#[cfg(feature = "alloc")]
pub(crate) fn guess<S: Encoding, T: Encoding>(from: S, to: T, len: usize) -> usize {
    len.div_ceil(from.unit()) * to.unit() + len / 32 + crate::arch::BLOCK
}

/// How far ahead a backslash is looked for: input full of errors asks anew after every block.
const WINDOW: usize = 16 * 1024;

/// The input up to the first backslash, or a little less: 92 is looked for by value, in any width of unit.
pub(crate) fn before_backslash(input: &[u8]) -> &[u8] {
    let input = &input[..input.len().min(WINDOW)];
    let at = dispatch::find(input, b'\\');
    // Whole units of 4: in the middle of one is not a place to stop.
    if at == input.len() { input } else { &input[..at & !3] }
}
