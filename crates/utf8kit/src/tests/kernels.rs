//! Tests that kernels accept clean text on every level. If they left it to the reference implementation, the result
//! would be correct but slow, which no other test would notice.

use core::marker::PhantomData;
use std::vec::Vec;

use super::oracle;
use super::support::{counts_of, on_every_level};
use crate::grammar::{self, Grammar, automaton};
use crate::kernels::repair::{Replace, Replacement};
use crate::kernels::utf8_latin1::ToLatin1Short;
use crate::kernels::utf8_to_wide::{WidenLossy, WidenShort};
use crate::kernels::validate::CleanShort;
use crate::kernels::wide_to_utf8::NarrowShort;
use crate::out::Out;
use crate::reference::{self, convert::items};
use crate::simd::BLOCK_BYTES;
use crate::simd::level::{active, run_short};
use crate::{AnyEncoding, Dialect, Each, Latin1, Level, Utf8, Utf16Be, Utf16Le, Utf32Be, Utf32Le, dispatch};

/// Characters of every length, and mixed. The last text is at the limits of UTF-8's ranges.
const TEXTS: [&str; 8] = [
    "plain ASCII, and no more. ",
    "na\u{EF}ve caf\u{E9}s, \u{C0}\u{FF}",
    "Съешь же ещё этих мягких французских булок. ",
    "\u{4E00}\u{9FFF}中文\u{3001}日本語。",
    "한국어 텍스트 and ASCII ",
    "😀🎉🚀👍🏽",
    "a\u{E9}€😀",
    "\u{7F}\u{80}\u{7FF}\u{800}\u{D7FF}\u{E000}\u{FFFF}\u{10000}\u{3FFFF}\u{40000}\u{FFFFF}\u{100000}\u{10FFFF}",
];

/// Runs `check` on every level except the reference's, with each text in all its rotations against blocks.
fn on_every_text(check: impl Fn(&str, &[u8], Level)) {
    on_every_level(|level| {
        for text in TEXTS {
            for front in 0..BLOCK_BYTES {
                // Whole blocks, so that no sequence is split at their end.
                let mut long = "x".repeat(front) + &text.repeat(20 * BLOCK_BYTES / text.len());
                while !long.len().is_multiple_of(BLOCK_BYTES) {
                    long.push('x');
                }
                if level != Level::Scalar {
                    check(&long, long.as_bytes(), level);
                }
            }
        }
    });
}

fn utf8() -> &'static Grammar {
    Utf8.grammar()
}

#[test]
fn clean_text_is_validated_without_falling_back() {
    on_every_text(|text, bytes, level| {
        assert_eq!(dispatch::clean_prefix_long(utf8(), bytes), bytes.len(), "{level}: {text}");
        #[cfg(feature = "alloc")]
        if level != Level::Swar {
            let counted = dispatch::summary::counted_prefix(utf8(), bytes);
            assert_eq!((counted.len, counted.code_points), (bytes.len(), text.chars().count()), "{level}: {text}");
        }
        if level != Level::Swar {
            // All but a group of blocks.
            let (counted, _) = dispatch::counted_prefix(bytes);
            assert!(bytes.len() < 4 * BLOCK_BYTES || counted + BLOCK_BYTES >= bytes.len(), "{level}: {text}");
        }
        let counts = crate::validate_and_count(bytes).unwrap().1;
        assert_eq!(counts, counts_of(std::str::from_utf8(bytes).unwrap()), "{level}: {text}");
    });
}

#[test]
fn clean_text_of_every_dialect_is_validated_without_falling_back() {
    on_every_level(|level| {
        for dialect in AnyEncoding::ALL.iter().copied().filter(|encoding| encoding.is_dialect()) {
            // Values above FFFF are suspect where surrogates pair, and one byte range of the offset form is.
            let text = "plain naïve Съешь ещё 中文日本語 ".repeat(40);
            let mut bytes: Vec<u8> = text.chars().flat_map(|c| oracle::write(dialect, u32::from(c)).unwrap()).collect();
            bytes.resize(bytes.len().next_multiple_of(BLOCK_BYTES), b'x');
            let clean = dispatch::clean_prefix_long(dialect.grammar().unwrap(), &bytes);
            assert_eq!(clean, bytes.len(), "{dialect} on {level}");
        }
    });
}

#[test]
fn clean_text_has_no_errors_for_the_repairing_kernel() {
    on_every_text(|text, bytes, level| {
        if level != Level::Swar {
            let mut at = 0;
            while let Some(window) = dispatch::items_of_block(utf8(), &bytes[at..]) {
                assert_eq!(window.errors, 0, "{level}: {text}");
                at += window.len;
            }
        }
        let mut out = std::vec![0_u8; bytes.len() + 4 * BLOCK_BYTES];
        let replacement = &Replacement::new(Each::Subpart, b"?");
        let work = Replace {
            grammar: utf8(),
            bytes,
            out: Out::in_buffer(&mut out),
            replacement,
            listener: None,
            in_run: false,
        };
        let replaced = dispatch::replace(work);
        assert!(!replaced.found && replaced.read + 2 * BLOCK_BYTES > bytes.len(), "{level}: {text}");
    });
}

#[test]
fn short_inputs_pass_the_gate_and_are_converted_without_falling_back() {
    on_every_level(|level| {
        let has_vectors = level > Level::Swar;
        for text in TEXTS.map(|text| text.repeat(10)) {
            for len in (0..200).filter(|&len| text.is_char_boundary(len)) {
                let short = &text[..len];
                let units: Vec<u8> = short.encode_utf16().flat_map(u16::to_be_bytes).collect();
                let (bytes, grammar, target, mut buffer) =
                    (short.as_bytes(), utf8(), PhantomData::<Utf16Be>, [0_u8; 20 * BLOCK_BYTES]);
                let out = &mut Out::in_buffer(&mut buffer);
                let widen = WidenShort::<Utf16Be> { grammar, bytes, out, target };
                assert_eq!(run_short(active(), widen), has_vectors.then_some(true), "{short:?} on {level}");
                let narrow = NarrowShort { bytes: &units, out, source: target };
                assert_eq!(run_short(active(), narrow), has_vectors.then_some(true), "{short:?} on {level}");
                if has_vectors {
                    assert_eq!(out.since(0), [&units[..], bytes].concat(), "{short:?} on {level}");
                }
                let latin1 = run_short(active(), ToLatin1Short { bytes, out, nul: true });
                let expected = has_vectors.then_some(short.chars().all(|c| c <= '\u{FF}'));
                assert_eq!(latin1, expected, "{short:?} on {level}");
                let clean = run_short(active(), CleanShort { grammar, bytes });
                assert!(clean.is_none_or(|clean| clean == len), "{short:?} on {level}");
                assert!(clean.is_some() || len > 16 || !has_vectors, "{short:?} on {level}");
            }
        }
    });
}

#[test]
fn clean_text_is_converted_without_falling_back() {
    fn widens<U: crate::reference::convert::Wide>(bytes: &[u8], target: U) -> usize {
        let mut memory = std::vec![0_u8; 4 * bytes.len() + 8 * BLOCK_BYTES];
        let (out, replacement) = (Out::in_buffer(&mut memory), &Replacement::new(Each::Subpart, b"?"));
        let work = WidenLossy { grammar: utf8(), bytes, out, target, replacement, listener: None, in_run: false };
        let replaced = dispatch::widen_lossy(work);
        assert!(!replaced.found);
        replaced.read
    }
    fn narrows<S: crate::kernels::wide_to_utf8::Source>(text: &str, source: S) {
        let units: Vec<u8> =
            text.chars().flat_map(|c| oracle::write(source.erase(), u32::from(c)).unwrap_or_default()).collect();
        let mut out = std::vec![0_u8; 3 * units.len() + 8 * BLOCK_BYTES];
        let narrowed = dispatch::narrow(&units, &mut Out::in_buffer(&mut out), source, true);
        assert_eq!(narrowed * source.erase().unit(), units.len(), "{}", source.erase().name());
    }
    on_every_text(|text, bytes, level| {
        let enough = if level == Level::Swar { 0 } else { bytes.len() - 2 * BLOCK_BYTES - 4 };
        let widened = [widens(bytes, Utf16Le), widens(bytes, Utf16Be), widens(bytes, Utf32Le), widens(bytes, Utf32Be)];
        assert!(widened.iter().all(|&read| read >= enough), "{level}: {widened:?} of {}: {text}", bytes.len());
        narrows(text, Utf16Le);
        narrows(text, Utf16Be);
        narrows(text, Utf32Le);
        narrows(text, Utf32Be);
        if text.chars().all(|c| u32::from(c) < 0x100) {
            narrows(text, Latin1);
            let mut out = std::vec![0_u8; bytes.len() + 2 * BLOCK_BYTES];
            assert_eq!(dispatch::to_latin1(bytes, &mut Out::in_buffer(&mut out), true), bytes.len(), "{level}: {text}");
        }
    });
}

#[test]
fn what_is_not_a_whole_unit_is_left_unconverted() {
    fn narrowed<S: crate::kernels::wide_to_utf8::Source>(units: &[u8], source: S) -> usize {
        let mut out = [0_u8; 4 * BLOCK_BYTES];
        dispatch::narrow(units, &mut Out::in_buffer(&mut out), source, true)
    }
    on_every_level(|level| {
        if level == Level::Scalar {
            return;
        }
        for text in TEXTS {
            for (end, _) in text.char_indices() {
                let units: Vec<u16> = text[..end].encode_utf16().collect();
                let [mut little, mut big] = [u16::to_le_bytes, u16::to_be_bytes]
                    .map(|bytes| units.iter().flat_map(|&unit| bytes(unit)).collect::<Vec<u8>>());
                little.push(0xE9);
                big.push(0xDC);
                assert_eq!(narrowed(&little, Utf16Le), units.len(), "{units:X?} on {level}");
                assert_eq!(narrowed(&big, Utf16Be), units.len(), "{units:X?} on {level}");
            }
        }
        assert_eq!(narrowed(&[0xD8, 0x3D, 0xDC], Utf16Be), 0, "{level}");
        for rest in 0..4 {
            assert_eq!(narrowed(&[0x41, 0, 0, 0, 0x41, 0, 0][..4 + rest], Utf32Le), 1, "{level}");
            assert_eq!(narrowed(&[0, 0, 0, 0x41, 0, 0, 0][..4 + rest], Utf32Be), 1, "{level}");
        }
    });
}

#[test]
fn latin1_is_converted_as_long_as_it_fits() {
    on_every_level(|level| {
        if level == Level::Scalar {
            return;
        }
        let text = "\u{E9}".repeat(200);
        for capacity in 0..100 {
            let mut bytes = [0_u8; 100];
            let mut out = Out::in_buffer(&mut bytes[..capacity]);
            let read = dispatch::to_latin1(text.as_bytes(), &mut out, true);
            assert_eq!((read, out.written()), (2 * capacity, capacity), "{level}");
        }
    });
}

/// Kernels that convert from and to Latin-1 stop exactly where the reference implementation does, at any position of a
/// block.
#[test]
fn pairs_of_bytes_are_converted_from_and_to_latin1_as_by_the_reference() {
    const BYTES: [u8; 14] = [0, 0x41, 0x7F, 0x80, 0xBF, 0xC0, 0xC1, 0xC2, 0xC3, 0xC4, 0xDF, 0xE0, 0xF4, 0xFF];
    fn same(kernel: impl Fn(&mut Out<'_>) -> usize, reference: impl Fn(&mut Out<'_>) -> usize) -> bool {
        let (mut found, mut expected) = ([0_u8; 10 * BLOCK_BYTES], [0_u8; 10 * BLOCK_BYTES]);
        let (mut found, mut expected) = (Out::in_buffer(&mut found), Out::in_buffer(&mut expected));
        kernel(&mut found) == reference(&mut expected) && found.since(0) == expected.since(0)
    }
    on_every_level(|level| {
        if level == Level::Scalar {
            return;
        }
        for (filling, at) in ["x", "\u{E9}", "xx\u{F8}"]
            .into_iter()
            .flat_map(|filling| (BLOCK_BYTES - 2..3 * BLOCK_BYTES).map(move |at| (filling, at)))
        {
            let mut bytes = filling.repeat(5 * BLOCK_BYTES).into_bytes();
            bytes.truncate(4 * BLOCK_BYTES + 7);
            for (first, second) in BYTES.iter().flat_map(|&first| BYTES.map(|second| (first, second))) {
                (bytes[at], bytes[at + 1]) = (first, second);
                let to_latin1 =
                    same(|out| dispatch::to_latin1(&bytes, out, true), |out| items(Utf8, Latin1, &bytes, out));
                let from_latin1 =
                    same(|out| dispatch::narrow(&bytes, out, Latin1, true), |out| items(Latin1, Utf8, &bytes, out));
                assert!(to_latin1 && from_latin1, "{level}: {first:02X} {second:02X} at {at} among {filling}");
            }
        }
    });
}

#[cfg(feature = "alloc")]
#[test]
fn short_repairs_are_all_or_nothing() {
    on_every_level(|level| {
        let bytes = [0xFF; 4 * BLOCK_BYTES];
        let mut buffer = [0_u8; 32 * BLOCK_BYTES];
        assert_eq!(dispatch::replace_short(&bytes, &mut Out::in_buffer(&mut buffer)), level > Level::Swar, "{level}");
        for capacity in (0..=bytes.len() * 3 + 4 * BLOCK_BYTES).step_by(7) {
            let mut out = Out::in_buffer(&mut buffer[..capacity]);
            let done = dispatch::replace_short(&bytes, &mut out);
            assert_eq!(out.written(), if done { 3 * bytes.len() } else { 0 }, "{level}, {capacity}");
        }
    });
}

#[test]
fn clean_units_are_validated_without_falling_back() {
    on_every_text(|text, _, level| {
        for encoding in [AnyEncoding::Utf16Le, AnyEncoding::Utf16Be, AnyEncoding::Utf32Le, AnyEncoding::Utf32Be] {
            let units: Vec<u8> = text.chars().flat_map(|c| oracle::write(encoding, u32::from(c)).unwrap()).collect();
            assert_eq!(dispatch::clean_units(encoding, &units), units.len(), "{encoding} on {level}: {text}");
        }
    });
}

/// The states of an automaton share bits, so a wrong state shows only after another one. Every byte follows every
/// prefix of a sequence.
#[test]
fn automata_accept_what_the_rows_allow() {
    let pairs = AnyEncoding::ALL.iter().flat_map(|&from| AnyEncoding::ALL.iter().map(move |&to| (from, to)));
    let grammars = pairs.filter_map(|(from, to)| grammar::shared(from, to));
    let mut with_automaton = 0;
    for grammar in grammars.chain(grammar::code_units(AnyEncoding::Cesu8)) {
        let Some(automaton) = &grammar.automaton else { continue };
        with_automaton += 1;
        for row in grammar.rows() {
            let ends = row.ranges().iter().map(|&(low, high)| [low, high]).collect::<Vec<_>>();
            for (len, choice) in (0..ends.len()).flat_map(|len| (0..1 << len).map(move |choice| (len, choice))) {
                let mut bytes = (0..len).map(|i| ends[i][choice >> i & 1]).collect::<Vec<u8>>();
                for byte in 0..=0xFF {
                    for next in [0x7F, 0x80, 0xBF, 0xC0] {
                        bytes.truncate(len);
                        bytes.extend([byte, next]);
                        let clean = reference::validate::clean_prefix(grammar, &bytes) == bytes.len();
                        assert_eq!(automaton::accepts(automaton, &bytes), clean, "{bytes:X?}");
                        let clean = reference::validate::clean_prefix(grammar, &bytes[..=len]) == len + 1;
                        assert_eq!(automaton::accepts(automaton, &bytes[..=len]), clean, "{bytes:X?}");
                    }
                }
            }
        }
    }
    assert!(with_automaton > 5);
}
