//! Compares operations on slices of code units with the standard library and with the same text as bytes.

use core::mem::MaybeUninit;
use std::string::{String, ToString};
use std::vec::Vec;

use proptest::prelude::*;

use super::support::on_every_level;
use crate::explain::*;
use crate::*;

fn unit16() -> impl Strategy<Value = u16> {
    prop_oneof![3 => 0x20..0x7F_u16, 1 => any::<u16>(), 3 => 0xD7F0..0xE010_u16]
}

fn unit32() -> impl Strategy<Value = u32> {
    prop_oneof![3 => 0x20..0x7F_u32, 1 => any::<u32>(), 2 => 0xD7F0..0xE010_u32, 2 => 0x10_FFF0..0x11_0010_u32]
}

fn bytes16(units: &[u16]) -> Vec<u8> {
    units.iter().flat_map(|unit| unit.to_le_bytes()).collect()
}

/// Reports whether the lengths computed in advance match the conversion, or the errors are equal.
fn lengths_are_right<S: Encoding, T: Encoding>(from: S, to: T, units: &[S::Unit]) -> bool {
    let strict = convert(from, to, units).map(|converted| converted.len() as u64);
    [Policy::REPLACE, Policy::REPLACE_RUN, Policy::Remove, Policy::Escape].into_iter().all(|policy| {
        let lossy = convert_lossy(from, to, units, policy).len() as u64;
        converted_len_lossy(from, to, units, policy) == lossy
    }) && converted_len(from, to, units) == strict
}

properties! {
    #[test]
    fn lengths_are_told_in_units(
        units in prop::collection::vec(unit16(), 0..150),
        words in prop::collection::vec(unit32(), 0..150),
        bytes in prop::collection::vec(any::<u8>(), 0..150),
    ) {
        prop_assert!(lengths_are_right(Utf16, Utf8, &units));
        prop_assert!(lengths_are_right(Utf16, Utf32, &units));
        prop_assert!(lengths_are_right(Utf32, Utf16, &words));
        prop_assert!(lengths_are_right(Utf8, Utf16, &bytes));
        prop_assert!(lengths_are_right(Utf8, Utf32, String::from_utf16_lossy(&units).as_bytes()));
    }

    #[test]
    fn utf16_is_what_the_standard_library_takes_for_it(units in prop::collection::vec(unit16(), 0..150)) {
        let decoded: Vec<_> = char::decode_utf16(units.iter().copied()).collect();
        let mut at = 0;
        let mut expected = Vec::new();
        for item in &decoded {
            match item {
                Ok(c) => at += c.len_utf16(),
                Err(_) => {
                    let cut_off = at + 1 == units.len() && units[at] < 0xDC00;
                    let error = Error::new(at as u64, 1, ErrorKind::Surrogate);
                    expected.push(Error { unit: Unit::Utf16, incomplete: cut_off, ..error });
                    at += 1;
                }
            }
        }
        prop_assert_eq!(Utf16.errors(&units).collect::<Vec<_>>(), expected.clone());
        prop_assert_eq!(Utf16.validate(&units).err(), expected.first().copied());
        prop_assert_eq!(Utf16.decode_string(&units).err(), expected.first().copied());
        prop_assert_eq!(Utf16.count(&units), decoded.len());

        let chunks: Vec<_> = Utf16.chunks(&units).collect();
        let joined: Vec<_> = chunks.iter().flat_map(|chunk| [chunk.valid, chunk.invalid].concat()).collect();
        prop_assert_eq!(joined, &units[..]);
        prop_assert_eq!(chunks.iter().filter_map(|chunk| chunk.error).collect::<Vec<_>>(), expected.clone());
        prop_assert!(chunks.iter().all(|chunk| String::from_utf16(chunk.valid).is_ok()));

        let explained: Vec<_> = explain(Utf16, &units).collect();
        let mut at = 0;
        for item in &explained {
            prop_assert_eq!(item.offset, at);
            prop_assert_eq!(item.bytes().len(), 2 * item.len);
            at += item.len;
        }
        prop_assert_eq!(explained.iter().map(|item| item.result.ok()).collect::<Vec<_>>(),
            decoded.iter().map(|item| item.as_ref().ok().map(|&c| u32::from(c))).collect::<Vec<_>>());

        let lossy = String::from_utf16_lossy(&units);
        prop_assert_eq!(Utf16.decode_string_lossy(&units), &lossy[..]);
        prop_assert_eq!(&*Utf16.repair(&units, Policy::REPLACE), Utf16.encode_string(&lossy).unwrap_or_default());
        let utf32 = convert_lossy(Utf16, Utf32, &units, Policy::REPLACE);
        prop_assert_eq!(utf32, Utf32.encode_string(&lossy).unwrap());
        prop_assert_eq!(Utf16.encode_string(&lossy).unwrap_or_default(), lossy.encode_utf16().collect::<Vec<_>>());
        let mut repaired = units.clone();
        prop_assert_eq!(Utf16.repair_in_place(&mut repaired), expected.len());
        prop_assert_eq!(repaired, Utf16.encode_string(&lossy).unwrap_or_default());
        // Any units are WTF-16.
        prop_assert!(Wtf16.validate(&units).is_ok());
        prop_assert_eq!(convert(Wtf16, Wtf8, &units), convert(Wtf16Le, Wtf8, &bytes16(&units)));
    }

    #[test]
    fn utf32_is_scalar_values(units in prop::collection::vec(unit32(), 0..100)) {
        let chars: Vec<_> = units.iter().map(|&unit| char::from_u32(unit)).collect();
        let first = chars.iter().position(Option::is_none);
        let text: Option<String> = chars.iter().copied().collect();
        prop_assert_eq!(Utf32.validate(&units).err().map(|error| error.valid_up_to()), first);
        prop_assert_eq!(Utf32.decode_string(&units).ok(), text);
        let lossy: String = chars.iter().map(|c| c.unwrap_or('\u{FFFD}')).collect();
        prop_assert_eq!(Utf32.decode_string_lossy(&units), &lossy[..]);
        prop_assert_eq!(&*Utf32.repair(&units, Policy::REPLACE), Utf32.encode_string(&lossy).unwrap());
        prop_assert_eq!(Utf32.errors(&units).count(), chars.iter().filter(|c| c.is_none()).count());
        prop_assert_eq!(Utf32.count(&units), units.len());
    }

    #[test]
    fn buffers_of_any_size_take_what_fits(
        units in prop::collection::vec(unit16(), 0..100),
        capacities in prop::collection::vec(4..40_usize, 1..5),
        lossy in any::<bool>(),
    ) {
        let expected = if lossy {
            (convert_lossy(Utf16, Utf8, &units, Policy::REPLACE), None)
        } else {
            match convert(Utf16, Utf8, &units) {
                Ok(bytes) => (bytes, None),
                Err(error) => {
                    let good = &units[..error.valid_up_to()];
                    (convert(Utf16, Utf8, good).unwrap(), Some(error))
                }
            }
        };
        let (mut out, mut at, mut stopped) = (Vec::new(), 0, None);
        for capacity in capacities.iter().cycle() {
            // Initialised and uninitialised memory.
            let mut bytes = std::vec![0; *capacity];
            let mut memory = std::vec![MaybeUninit::<u8>::uninit(); *capacity];
            let rest = &units[at..];
            let (progress, other) = if lossy {
                (
                    convert_lossy_into(Utf16, Utf8, rest, Piece::Last, Policy::REPLACE, &mut bytes),
                    convert_lossy_into(Utf16, Utf8, rest, Piece::Last, Policy::REPLACE, &mut memory[..]),
                )
            } else {
                (
                    convert_into(Utf16, Utf8, rest, Piece::Last, &mut bytes),
                    convert_into(Utf16, Utf8, rest, Piece::Last, &mut memory[..]),
                )
            };
            prop_assert_eq!(progress, other);
            out.extend_from_slice(&bytes[..progress.written]);
            match progress.status {
                Status::OutputFull => at += progress.read,
                Status::Error(error) => {
                    stopped = Some(error.moved(at as u64));
                    break;
                }
                _ => {
                    at += progress.read;
                    break;
                }
            }
        }
        prop_assert_eq!((out, stopped), expected);
        prop_assert!(stopped.is_some() || at == units.len());
    }
}

#[test]
fn half_a_pair_at_the_end_waits_unless_it_is_the_end() {
    let units = [0x61, 0xD83D];
    let mut out = [0; 8];
    let progress = convert_into(Utf16, Utf8, &units, Piece::Partial, &mut out);
    assert_eq!((progress.read, progress.written, progress.status), (1, 1, Status::InputIncomplete));
    let progress = convert_into(Utf16, Utf8, &units, Piece::Last, &mut out);
    let Status::Error(error) = progress.status else { panic!("{progress:?}") };
    assert_eq!((error.offset, error.len, error.unit, error.incomplete), (1, 1, Unit::Utf16, true));
    assert_eq!(error.to_string(), "surrogate at code unit 1 (1 code unit)");
}

/// A surrogate at every place, and two of them, in texts with and without pairs, of lengths around those of vectors.
#[test]
fn surrogates_at_every_place_are_repaired() {
    let pairs: Vec<u16> = "a😀".encode_utf16().cycle().take(330).collect();
    let text: Vec<u16> = "né€".encode_utf16().cycle().take(330).collect();
    let cases: &[&[u16]] = &[&[0xD800], &[0xDFFF], &[0xDBFF, 0xDC00], &[0xDC00, 0xD800], &[0xD800, 0xD800]];
    on_every_level(|level| {
        for all in [&pairs, &text] {
            for len in (0..140).chain([257, 258, 290, 330]) {
                for place in 0..len {
                    let mut units = all[..len].to_vec();
                    let case = cases[(place + len) % cases.len()];
                    let end = len.min(place + case.len());
                    // An error at the start, because another kernel finds the well-formed part before the first error.
                    units[0] = 0xDFFF;
                    units[place..end].copy_from_slice(&case[..end - place]);
                    let expected: Vec<u16> = String::from_utf16_lossy(&units).encode_utf16().collect();
                    let errors = char::decode_utf16(units.iter().copied()).filter(Result::is_err).count();
                    let mut repaired = units.clone();
                    assert_eq!(Utf16.repair_in_place(&mut repaired), errors, "{level} {units:X?}");
                    assert_eq!(repaired, expected, "{level} {units:X?}");
                    are_copied_as(&units, &expected, place);
                }
            }
        }
    });
}

/// Checks the repair of units into another buffer, in both byte orders and with a buffer for only some of them.
fn are_copied_as(units: &[u16], expected: &[u16], room: usize) {
    assert_eq!(*Utf16.repair(units, Policy::REPLACE), *expected);
    let big_endian = |units: &[u16]| units.iter().flat_map(|unit| unit.to_be_bytes()).collect::<Vec<u8>>();
    assert_eq!(*Utf16Be.repair(&big_endian(units), Policy::REPLACE), big_endian(expected));
    // From any position in a cache line.
    let mut out = [0; 400];
    let out = &mut out[room % 33..][..room];
    let progress = convert_lossy_into(Utf16, Utf16, units, Piece::Last, Policy::REPLACE, out);
    assert_eq!((progress.read, progress.status), (progress.written, Status::OutputFull), "{units:X?}");
    assert!(progress.written + 1 >= room, "only a pair does not fit into what is left: {units:X?}");
    assert_eq!(out[..progress.written], expected[..progress.written], "{units:X?}");
}

/// In long ASCII, vectors are written to whole cache lines.
#[test]
fn long_ascii_is_converted_to_any_place() {
    on_every_level(|level| {
        for len in (300..1000).step_by(11) {
            let text: String = (0..len).map(|i| char::from(b' ' + (i % 90) as u8)).collect::<String>() + "é, à la";
            let text = [&text, "", "é€😀"][len % 3].to_string() + &text;
            let latin: Vec<u8> = text.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect();
            let (mut bytes, mut units, mut words) = ([0; 6000], [0; 3000], [0; 3000]);
            for place in 0..64 {
                let done = convert_into(Utf8, Utf16, text.as_bytes(), Piece::Last, &mut units[place..]);
                assert_eq!(
                    units[place..][..done.written],
                    Utf16.encode_string(&text).unwrap_or_default(),
                    "{level} {len} {place}"
                );
                let done = convert_into(Utf8, Utf32, text.as_bytes(), Piece::Last, &mut words[place..]);
                assert_eq!(
                    words[place..][..done.written],
                    Utf32.encode_string(&text).unwrap_or_default(),
                    "{level} {len} {place}"
                );
                let done = convert_into(Latin1, Utf8, &latin, Piece::Last, &mut bytes[place..]);
                let utf8: String = latin.iter().copied().map(char::from).collect();
                assert_eq!(bytes[place..][..done.written], *utf8.as_bytes(), "{level} {len} {place}");
                let utf8 = utf8.as_bytes();
                let done = convert_into(Utf8, Latin1, utf8, Piece::Last, &mut bytes[place..]);
                assert_eq!(bytes[place..][..done.written], latin, "{level} {len} {place}");
            }
        }
    });
}

/// SWAR counts in lanes of 16 bits.
#[test]
fn long_texts_are_counted() {
    let units: Vec<u16> = "a😀é".encode_utf16().cycle().take(4 * 70_000).collect();
    on_every_level(|level| {
        for len in [4 * 4_096, 4 * 8_192, 4 * 8_193, units.len()] {
            assert_eq!(Utf16.count(&units[..len]), len / 4 * 3, "{level} {len}");
        }
    });
}
