//! A pair of encodings, and how it converts well-formed runs at kernel speed, by its [`Route`].
//!
//! A [`Pair`] holds the route and all functions that the engine calls. So there is one engine, compiled once, and a
//! program that names its encodings contains only the kernels of their route.

use super::limits::{
    MAX_BYTES_BY_ITEM, MAX_SEARCH_BYTES, MAX_WINDOW_BYTES, MIN_ASCII_BYTES_FOR_KERNEL, MIN_WINDOW_BYTES,
};
use super::route::Route;
use crate::dispatch;
use crate::encoding::{AnyEncoding, Codec, ENCODE_BUFFER, Latin1, MAX_LEN, Step, Utf16Be, Utf16Le, Utf32Be, Utf32Le};
use crate::error::ErrorKind;
use crate::grammar::Grammar;
use crate::kernels::wide_to_utf8::Source;
use crate::out::Out;
use crate::reference;
use crate::reference::convert::Wide;
use crate::reference::decode::is_surrogate;
use crate::swar::{HIGH_BITS, first_byte, lowest_zero};

/// Converts a well-formed, representable prefix, as far as its route supports it and it fits. Returns its length in
/// bytes.
pub(crate) type Convert = fn(&Pair, &[u8], &mut Out<'_>) -> usize;

/// Two encodings and the functions that convert between them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub(crate) from: AnyEncoding,
    pub(crate) to: AnyEncoding,
    pub(crate) route: Route,
    /// The conversion by the route.
    pub(crate) convert: Convert,
    /// The conversion by the reference implementation, for short inputs.
    pub(crate) items: Convert,
    /// The source's [`Codec::decode_step`].
    pub(crate) decode: fn(&[u8]) -> Option<Step>,
    /// The target's [`Codec::encode_value`].
    pub(crate) encode: fn(u32, &mut [u8; ENCODE_BUFFER]) -> Result<usize, ErrorKind>,
}

impl Pair {
    /// Returns the pair of two encodings, as a constant if they are known at compile time.
    #[inline]
    pub(crate) fn new<S: Codec, T: Codec>(from: S, to: T) -> Pair {
        if const { S::KNOWN.is_some() && T::KNOWN.is_some() } {
            const { Pair::of_known::<S, T>() }
        } else {
            Pair::of_values(from.erase(), to.erase())
        }
    }

    /// Converts a well-formed, representable prefix, as far as the route of two encodings supports it and it fits.
    /// Returns its length in bytes.
    #[inline(always)]
    pub(crate) fn convert_clean<S: Codec, T: Codec>(from: S, to: T, input: &[u8], out: &mut Out<'_>) -> usize {
        if const { S::KNOWN.is_some() && T::KNOWN.is_some() } {
            // A reference to a constant, so that its function is also a constant.
            let pair = const { &Pair::of_known::<S, T>() };
            (pair.convert)(pair, input, out)
        } else {
            let pair = Pair::of_values(from.erase(), to.erase());
            (pair.convert)(&pair, input, out)
        }
    }

    /// Returns the pair of two encodings that are only known at run time. It refers to all routes, which are compiled
    /// in this library with the feature `any`, and otherwise in each crate that calls this.
    #[cfg_attr(feature = "any", inline(never))]
    #[cfg_attr(not(feature = "any"), inline)]
    fn of_values(from: AnyEncoding, to: AnyEncoding) -> Pair {
        Pair::of_any(from, to)
    }

    /// The source's [`Codec::decode_step`], of its type if that determines the encoding.
    #[inline(always)]
    pub(crate) fn decode_as<S: Codec>(&self, bytes: &[u8]) -> Option<Step> {
        match S::KNOWN {
            Some((from, _)) => from.decode_step(bytes),
            None => (self.decode)(bytes),
        }
    }

    /// The target's [`Codec::encode_value`], of its type if that determines the encoding.
    #[inline(always)]
    pub(crate) fn encode_as<T: Codec>(&self, value: u32, out: &mut [u8; ENCODE_BUFFER]) -> Result<usize, ErrorKind> {
        match T::KNOWN {
            Some((to, _)) => to.encode_value(value, out),
            None => (self.encode)(value, out),
        }
    }

    /// Returns the pair of two types.
    const fn of_known<S: Codec, T: Codec>() -> Pair {
        match (S::KNOWN, T::KNOWN) {
            (Some((_, from)), Some((_, to))) => Pair { items: items_of::<S, T>, ..Pair::of_any(from, to) },
            // Never reached: callers check.
            _ => Pair::of_any(AnyEncoding::Utf8, AnyEncoding::Utf8),
        }
    }

    /// Returns the pair of two values. Inlined, so that only programs with such values contain all routes.
    #[inline]
    const fn of_any(from: AnyEncoding, to: AnyEncoding) -> Pair {
        let route = Route::of(from, to);
        Pair {
            from,
            to,
            route,
            convert: converter(route, from, to),
            items,
            decode: reference::decoder(from),
            encode: reference::encoder(to),
        }
    }
}

/// Returns the function of a route. A constant if the encodings are known, so that the others are not compiled.
#[inline]
const fn converter(route: Route, from: AnyEncoding, to: AnyEncoding) -> Convert {
    use AnyEncoding as E;
    match (route, from, to) {
        (Route::Copy(_), E::Utf8Offset, to) if to as u8 != E::Utf8Offset as u8 => copy_and_items,
        (Route::Copy(_), from, E::Utf8Offset) if from as u8 != E::Utf8Offset as u8 => copy_and_items,
        (Route::Copy(_), ..) => copy,
        (Route::ThroughUtf16 { .. }, ..) => copy_through_utf16,
        (Route::CopyUnits, ..) => copy_units,
        (Route::Swap, ..) => swap,
        (Route::Widen(_), _, E::Utf16Le | E::Wtf16Le) => widen::<Utf16Le>,
        (Route::Widen(_), _, E::Utf16Be | E::Wtf16Be) => widen::<Utf16Be>,
        (Route::Widen(_), E::Mutf8, E::Utf32Le) => widen_up_to_nul::<Utf32Le>,
        (Route::Widen(_), E::Mutf8, E::Utf32Be) => widen_up_to_nul::<Utf32Be>,
        (Route::Widen(_), _, E::Utf32Le) => widen::<Utf32Le>,
        (Route::Widen(_), _, E::Utf32Be) => widen::<Utf32Be>,
        (Route::WidenHalves { .. }, _, E::Utf16Le | E::Wtf16Le) => widen_halves::<Utf16Le>,
        (Route::WidenHalves { .. }, ..) => widen_halves::<Utf16Be>,
        (Route::WidenAscii(_), _, E::Utf16Le | E::Wtf16Le) => widen_ascii::<Utf16Le>,
        (Route::WidenAscii(_), _, E::Utf16Be | E::Wtf16Be) => widen_ascii::<Utf16Be>,
        (Route::WidenAscii(_), _, E::Utf32Le) => widen_ascii::<Utf32Le>,
        (Route::WidenAscii(_), _, E::Utf32Be) => widen_ascii::<Utf32Be>,
        (Route::Extend, _, E::Utf16Le | E::Wtf16Le) => extend::<Utf16Le>,
        (Route::Extend, _, E::Utf16Be | E::Wtf16Be) => extend::<Utf16Be>,
        (Route::Extend, _, E::Utf32Le) => extend::<Utf32Le>,
        (Route::Extend, _, E::Utf32Be) => extend::<Utf32Be>,
        (Route::Narrow { .. }, E::Utf16Le | E::Wtf16Le, _) => narrow::<Utf16Le>,
        (Route::Narrow { .. }, E::Utf16Be | E::Wtf16Be, _) => narrow::<Utf16Be>,
        (Route::Narrow { .. }, E::Utf32Le, _) => narrow::<Utf32Le>,
        (Route::Narrow { .. }, E::Utf32Be, _) => narrow::<Utf32Be>,
        (Route::Narrow { .. }, E::Latin1, _) => narrow::<Latin1>,
        (Route::ToLatin1 { .. }, ..) => to_latin1,
        _ => by_items,
    }
}

/// Converts item by item, with the pair's own loop.
#[cfg_attr(not(feature = "any"), inline)]
fn by_items(pair: &Pair, input: &[u8], out: &mut Out<'_>) -> usize {
    (pair.items)(pair, input, out)
}

/// Converts item by item by the reference implementation, compiled for two encodings. Surrogates and incomplete items
/// are left to the engine, because they depend on more than the item.
fn items_of<S: Codec, T: Codec>(pair: &Pair, input: &[u8], out: &mut Out<'_>) -> usize {
    match (S::KNOWN, T::KNOWN) {
        (Some((from, _)), Some((to, _))) => reference::convert::items(from, to, input, out),
        _ => items(pair, input, out),
    }
}

/// Converts item by item between any two encodings.
#[cfg_attr(not(feature = "any"), inline)]
fn items(pair: &Pair, input: &[u8], out: &mut Out<'_>) -> usize {
    let mut at = 0;
    while let Some(step) = (pair.decode)(&input[at..])
        && let Ok(value) = step.result
        && !step.incomplete
        && !is_surrogate(value)
    {
        let mut encoded = [0; ENCODE_BUFFER];
        let Ok(len) = (pair.encode)(value, &mut encoded) else { break };
        if !out.push_only_front_of(encoded, len) {
            break;
        }
        at += step.len();
    }
    at
}

/// Copies a prefix that both encodings write with the same bytes.
#[cfg_attr(not(feature = "any"), inline)]
fn copy(pair: &Pair, input: &[u8], out: &mut Out<'_>) -> usize {
    let Route::Copy(shared) = pair.route else { return by_items(pair, input, out) };
    copy_clean(shared, input, out)
}

/// Copies as much as the grammar allows, and fits.
#[cfg_attr(not(feature = "any"), inline)]
fn copy_clean(grammar: &'static Grammar, input: &[u8], out: &mut Out<'_>) -> usize {
    let fits = &input[..input.len().min(out.remaining())];
    let clean = dispatch::clean_prefix_long(grammar, fits);
    if out.push(&fits[..clean]) { clean } else { 0 }
}

/// Copies ASCII, the only text that both encodings write with the same bytes: a few bytes by words, many by the kernel.
/// Converts the text between item by item.
#[cfg_attr(not(feature = "any"), inline)]
fn copy_and_items(pair: &Pair, input: &[u8], out: &mut Out<'_>) -> usize {
    let Route::Copy(shared) = pair.route else { return by_items(pair, input, out) };
    let mut at = copy(pair, input, out);
    let mut copied = 0;
    while let Some(&eight) = input[at..].first_chunk::<8>() {
        let word = u64::from_le_bytes(eight);
        let others = word & HIGH_BITS | if shared.has_nul() { 0 } else { lowest_zero(word) };
        let ascii = first_byte(others);
        if ascii > 0 {
            if !out.push_front_of(eight, ascii) {
                break;
            }
            at += ascii;
            copied += ascii;
        } else {
            copied = 0;
            let mut others = 0;
            for eight in input[at..].as_chunks::<8>().0.iter().take(MAX_BYTES_BY_ITEM / 8) {
                let len = first_byte(!u64::from_le_bytes(*eight) & HIGH_BITS);
                others += len;
                if len < 8 {
                    break;
                }
            }
            // At a NUL, `others` is 0. The last of many items may be incomplete here.
            let items = (pair.items)(pair, &input[at..at + others.max(1)], out);
            if items == 0 {
                break;
            }
            at += items;
        }
        // Starting a kernel costs as much as a few words.
        if copied >= MIN_ASCII_BYTES_FOR_KERNEL {
            copied = 0;
            at += copy(pair, &input[at..], out);
        }
    }
    at + (pair.items)(pair, &input[at..], out)
}

/// Copies well-formed units.
#[inline]
fn copy_units(pair: &Pair, input: &[u8], out: &mut Out<'_>) -> usize {
    let fits = &input[..input.len().min(out.remaining())];
    let clean = dispatch::clean_units(pair.from, fits);
    if out.push(&fits[..clean]) { clean } else { 0 }
}

/// Alternately copies text that both encodings write with the same bytes, and converts a little through UTF-16.
#[inline]
fn copy_through_utf16(pair: &Pair, input: &[u8], out: &mut Out<'_>) -> usize {
    let Route::ThroughUtf16 { shared, units: grammar } = pair.route else {
        return by_items(pair, input, out);
    };
    let mut at = copy_clean(shared, input, out);
    if at == input.len() {
        return at;
    }
    let mut units = [0; 2 * MAX_WINDOW_BYTES];
    let mut window = MIN_WINDOW_BYTES;
    while at < input.len() {
        let ahead = &input[at..input.len().min(at + window)];
        let through = through_utf16(pair, grammar, ahead, &mut units, out);
        if through == 0 {
            break;
        }
        at += through;
        let clean = copy_clean(shared, &input[at..], out);
        at += clean;
        // Copying shared text is many times as fast, so convert more at once only if little of the text is shared.
        window = if clean < window { (2 * window).min(MAX_WINDOW_BYTES) } else { MIN_WINDOW_BYTES };
    }
    at
}

/// Converts at most [`MAX_WINDOW_BYTES`] bytes of well-formed text through UTF-16, which `units` can hold.
#[inline]
fn through_utf16(
    pair: &Pair,
    grammar: &'static Grammar,
    input: &[u8],
    units: &mut [u8; 2 * MAX_WINDOW_BYTES],
    out: &mut Out<'_>,
) -> usize {
    let modified = pair.from == AnyEncoding::Mutf8 || pair.to == AnyEncoding::Mutf8;
    let input = if modified { before_nul(input) } else { input };
    let mut wide = Out::in_buffer(units);
    let read = dispatch::widen(grammar, input, &mut wide, Utf16Le);
    let written = wide.written();
    let four_bytes = pair.to == AnyEncoding::Utf8;
    let narrowed = dispatch::narrow(&units[..written], out, Utf16Le, four_bytes);
    if 2 * narrowed == written {
        return read;
    }
    // The capacity is too small, there is an error, or the window ends with the first half of a pair.
    len_in(pair.from, &units[..2 * narrowed], u16::from_le_bytes)
}

/// Returns the input up to the first NUL.
#[cfg_attr(not(feature = "any"), inline)]
fn before_nul(input: &[u8]) -> &[u8] {
    &input[..dispatch::find(input, 0)]
}

/// Returns how many bytes UTF-16 takes in a dialect.
#[cfg_attr(not(feature = "any"), inline)]
fn len_in(dialect: AnyEncoding, units: &[u8], read: fn([u8; 2]) -> u16) -> usize {
    let len = |unit: &[u8; 2]| match read(*unit) {
        0..0x80 => 1,
        0x80..0x800 => 2,
        0xD800..0xE000 if dialect == AnyEncoding::Utf8 => 2,
        _ => 3,
    };
    units.as_chunks().0.iter().map(len).sum()
}

/// Converts UTF-8, or a dialect that writes the same bytes, to wider units.
#[inline(always)]
fn widen<U: Wide>(pair: &Pair, input: &[u8], out: &mut Out<'_>) -> usize {
    let Route::Widen(grammar) = pair.route else { return by_items(pair, input, out) };
    dispatch::widen(grammar, input, out, U::default())
}

/// [`widen`] up to a NUL, which the source does not allow.
fn widen_up_to_nul<U: Wide>(pair: &Pair, input: &[u8], out: &mut Out<'_>) -> usize {
    let Route::Widen(grammar) = pair.route else { return by_items(pair, input, out) };
    dispatch::widen_up_to_nul(grammar, input, out, U::default())
}

/// [`widen`] for sources that write supplementary code points in two times three bytes: converts units one by one, and
/// then checks that they form pairs.
fn widen_halves<U: Wide>(pair: &Pair, input: &[u8], out: &mut Out<'_>) -> usize {
    let Route::WidenHalves { shared, units: grammar } = pair.route else { return by_items(pair, input, out) };
    let mut at = dispatch::widen_up_to_nul(shared, input, out, U::default());
    if input.get(at) != Some(&0xED) {
        return at;
    }
    let unit: fn([u8; 2]) -> u16 = if U::BIG_ENDIAN { u16::from_be_bytes } else { u16::from_le_bytes };
    let mut window = MIN_WINDOW_BYTES;
    loop {
        let ahead = &input[at..input.len().min(at + window)];
        let some = if pair.from == AnyEncoding::Mutf8 { before_nul(ahead) } else { ahead };
        let start = out.written();
        let read = dispatch::widen(grammar, some, out, U::default());
        let written = out.since(start);
        let paired = dispatch::clean_units(U::default(), written);
        let unpaired = written.len() - paired;
        let read = read - len_in(pair.from, &written[paired..], unit);
        out.take_back(unpaired);
        at += read;
        // The window may split a pair, which is then part of the next window.
        if read + 2 * MAX_LEN < window {
            return at;
        }
        window = (2 * window).min(MAX_WINDOW_BYTES);
    }
}

/// Converts ASCII to wider units.
fn widen_ascii<U: Wide>(pair: &Pair, input: &[u8], out: &mut Out<'_>) -> usize {
    let Route::WidenAscii(ascii) = pair.route else { return by_items(pair, input, out) };
    let clean = dispatch::clean_prefix_long(ascii, input);
    dispatch::extend(&input[..clean], out, U::default())
}

/// Converts Latin-1 to wider units.
fn extend<U: Wide>(_: &Pair, input: &[u8], out: &mut Out<'_>) -> usize {
    dispatch::extend(input, out, U::default())
}

/// Swaps the bytes of units.
#[inline]
fn swap(pair: &Pair, input: &[u8], out: &mut Out<'_>) -> usize {
    let mut at = 0;
    loop {
        // At most as many as fit, so that no pair is split.
        let ahead = &input[at..input.len().min(at + MAX_WINDOW_BYTES.min(out.remaining()))];
        let clean = &ahead[..dispatch::clean_units(pair.from, ahead)];
        let swapped = match pair.from.unit() {
            2 => 2 * out.units(clean, |[a, b]| [b, a]),
            _ => 4 * out.units(clean, |[a, b, c, d]| [d, c, b, a]),
        };
        at += swapped;
        // The window may split a pair, which is then part of the next window.
        if swapped + MAX_LEN < MAX_WINDOW_BYTES {
            return at;
        }
    }
}

/// Converts units to UTF-8, or a dialect that writes the same bytes.
#[inline(always)]
fn narrow<S: Source>(pair: &Pair, input: &[u8], out: &mut Out<'_>) -> usize {
    let Route::Narrow { four_bytes } = pair.route else { return by_items(pair, input, out) };
    dispatch::narrow(input, out, S::default(), four_bytes) * S::UNIT
}

/// Converts UTF-8, or a dialect that writes the same bytes, to Latin-1.
#[inline(always)]
fn to_latin1(pair: &Pair, input: &[u8], out: &mut Out<'_>) -> usize {
    let Route::ToLatin1 { nul } = pair.route else { return by_items(pair, input, out) };
    dispatch::to_latin1(input, out, nul)
}

/// Converts up to the first backslash, or a little less.
#[cfg_attr(not(feature = "any"), inline)]
pub(super) fn up_to_backslash(pair: &Pair, input: &[u8], out: &mut Out<'_>) -> usize {
    (pair.convert)(pair, before_backslash(input), out)
}

/// Returns the input up to the first backslash, or a little less, by a search for the byte 92 in units of any width.
#[cfg_attr(not(feature = "any"), inline)]
pub(crate) fn before_backslash(input: &[u8]) -> &[u8] {
    let input = &input[..input.len().min(MAX_SEARCH_BYTES)];
    let at = dispatch::find(input, b'\\');
    // Keep only whole groups of 4 bytes, to stop at the start of a unit.
    if at == input.len() { input } else { &input[..at & !3] }
}
