//! Tests replacements of every kind and length, in one piece, in pieces, measured and observed; and error positions
//! from every function that writes to a buffer.

use std::string::String;
use std::vec::Vec;

use super::oracle;
use super::support::{Random, broken_text, on_every_level};
use crate::explain::*;
use crate::*;

const EACH: [Each; 4] = [Each::Subpart, Each::Byte, Each::Run, Each::Java];

const SOURCES: [AnyEncoding; 7] = [
    AnyEncoding::Utf8,
    AnyEncoding::Utf8Bits21,
    AnyEncoding::Utf8Offset,
    AnyEncoding::Cesu8,
    AnyEncoding::Mutf8,
    AnyEncoding::Wtf8,
    AnyEncoding::Utf16Le,
];

const TARGETS: [AnyEncoding; 5] =
    [AnyEncoding::Utf8, AnyEncoding::Utf8Offset, AnyEncoding::Utf16Le, AnyEncoding::Utf32Be, AnyEncoding::Latin1];

/// Returns texts of one character and of several, with lengths around the limits of the kernels' stores and of the
/// engine's measuring buffer, and longer ones.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> = ["", "?", "€", "<?>", "a€😀b", "12345678", "123456789"].map(String::from).into();
    texts.extend([(16, 'x'), (17, 'x'), (64, 'x'), (65, 'x'), (1024, 'x'), (1025, 'x')].map(|(n, c)| repeated(c, n)));
    texts.extend([repeated('€', 500), repeated('😀', 300)]);
    texts
}

fn repeated(c: char, n: usize) -> String {
    core::iter::repeat_n(c, n).collect()
}

#[test]
fn replacements_of_any_text_are_put_as_often_as_they_should_be() {
    on_every_level(|_| {
        let mut random = Random(21);
        for with in texts() {
            for each in EACH {
                let policy = Policy::Replace { each, with: &with };
                for from in SOURCES {
                    let len = random.of(&[20, 200]);
                    let mut bytes = broken_text(&mut random, from, len, 8);
                    // Runs of errors, adjacent and separated; fewer if the replacement is long.
                    let runs = if with.len() > 64 { 2 } else { 20 };
                    bytes.extend([b"\xFF".repeat(runs), b"\xFFa\xFF\xFF".repeat(runs)].concat());
                    for to in [from, random.of(&TARGETS)] {
                        is_replaced(from, to, &bytes, policy, &mut random);
                    }
                }
            }
        }
    });
}

#[track_caller]
fn is_replaced(from: AnyEncoding, to: AnyEncoding, bytes: &[u8], policy: Policy<'_>, random: &mut Random) {
    let expected = oracle::convert(from, to, bytes, policy);
    let of = || std::format!("{from} to {to}, {policy:?}, level {}: {bytes:X?}", Level::active());
    assert!(convert_lossy(from, to, bytes, policy) == expected, "{}", of());
    assert_eq!(converted_len_lossy(from, to, bytes, policy), expected.len() as u64, "{}", of());
    if from == to {
        assert!(*from.repair(bytes, policy) == *expected, "{}", of());
    }
    // Into a buffer that is just long enough, and into one that holds only one replacement.
    let mut out = std::vec![0; expected.len()];
    let progress = convert_lossy_into(from, to, bytes, Piece::Last, policy, &mut out);
    assert!(progress.written == expected.len() && out == expected, "{}", of());
    // In two pieces: a run continues in the second one.
    let cut = random.below(bytes.len() + 1);
    let mut converter = Converter::lossy(from, to, policy);
    let (mut out, mut changes) = (Vec::new(), Vec::new());
    for piece in [&bytes[..cut], &bytes[cut..]] {
        converter.push_observed(piece, &mut out, |change| changes.push(Noted::new(&change))).unwrap();
    }
    converter.finish_observed(&mut out, |change| changes.push(Noted::new(&change))).unwrap();
    assert!(out == expected, "cut at {cut}, {}", of());
    // The reported changes turn the input into the output, and are the same for the whole.
    let mut whole = Vec::new();
    let mut converter = Converter::lossy(from, to, policy);
    let mut out = Vec::new();
    converter.push_observed(bytes, &mut out, |change| whole.push(Noted::new(&change))).unwrap();
    converter.finish_observed(&mut out, |change| whole.push(Noted::new(&change))).unwrap();
    assert!(changes == whole, "cut at {cut}: {changes:?} and {whole:?}, {}", of());
    if from == to {
        let (mut rebuilt, mut at) = (Vec::<u8>::new(), 0);
        for change in &whole {
            rebuilt.extend(&bytes[at..change.offset as usize]);
            rebuilt.extend(&change.after);
            at = change.offset as usize + change.before.len();
        }
        rebuilt.extend(&bytes[at..]);
        assert!(rebuilt == expected, "{}", of());
    }
}

/// A reported change.
#[derive(Debug, PartialEq)]
struct Noted {
    offset: u64,
    kind: Option<ErrorKind>,
    before: Vec<u8>,
    after: Vec<u8>,
}

impl Noted {
    fn new(change: &Change<'_>) -> Noted {
        let Change { offset, kind, before, after, .. } = *change;
        Noted { offset, kind, before: before.to_vec(), after: after.to_vec() }
    }
}

/// Types use constants of the library, values are looked up at run time. Both give the same conversion.
#[test]
fn types_convert_as_their_values() {
    fn is_same<S: Encoding<Unit = u8>, T: Encoding<Unit = u8>>(from: S, to: T, random: &mut Random) {
        let bytes = broken_text(random, from.any(), 300, 6);
        let of = || std::format!("{} to {}, level {}: {bytes:X?}", from.name(), to.name(), Level::active());
        for policy in [Policy::REPLACE, Policy::REPLACE_RUN, Policy::JAVA, Policy::Escape] {
            // Short inputs item by item, long ones by their route.
            for some in (0..40).map(|len| &bytes[..bytes.len().min(len)]).chain([&bytes[..]]) {
                let expected = oracle::convert(from.any(), to.any(), some, policy);
                assert!(convert_lossy(from, to, some, policy) == expected, "{}", of());
            }
        }
        let expected = convert(from.any(), to.any(), &bytes);
        assert!(convert(from, to, &bytes) == expected, "{}", of());
        assert_eq!(converted_len(from, to, &bytes), expected.map(|out| out.len() as u64), "{}", of());
    }
    macro_rules! both_ways {
        ($random:ident: $($other:ident)*) => {$(
            is_same($other, Utf8, &mut $random);
            is_same($other, Utf16Le, &mut $random);
            is_same(Utf8, $other, &mut $random);
            is_same(Utf32Be, $other, &mut $random);
        )*};
    }
    on_every_level(|_| {
        let mut random = Random(22);
        both_ways! {
            random: Utf8 Utf8Bits21 Utf8Bits31 Utf8Offset Cesu8 Mutf8 Wtf8
            Utf16Le Utf16Be Wtf16Le Wtf16Be Utf32Le Utf32Be Latin1
        }
    });
}

#[test]
fn errors_lie_where_they_are_from_every_function_that_writes() {
    on_every_level(|_| {
        let mut random = Random(23);
        for from in AnyEncoding::ALL.iter().copied() {
            for to in [from, AnyEncoding::Utf8, AnyEncoding::Utf16Be, AnyEncoding::Utf32Le, AnyEncoding::Latin1] {
                for len in [5, 40, 400] {
                    let bytes = broken_text(&mut random, from, len, 2);
                    let expected = oracle::conversion_errors(from, to, &bytes).first().copied();
                    let mut out = std::vec![0; 8 * bytes.len() + 64];
                    let found = |progress: Progress| match progress.status {
                        Status::Error(error) => Some(error),
                        _ => None,
                    };
                    assert_eq!(found(convert_into(from, to, &bytes, Piece::Last, &mut out)), expected);
                    let mut converter = Converter::strict(from, to);
                    assert_eq!(found(converter.push_into(&bytes, Piece::Last, &mut out)), expected);
                    // After a first piece, whose length counts towards offsets.
                    let mut converter = Converter::strict(from, to);
                    let cut = random.below(bytes.len() + 1);
                    let first = found(converter.push_into(&bytes[..cut], Piece::Partial, &mut out));
                    let second = found(converter.push_into(&bytes[cut..], Piece::Last, &mut out));
                    assert_eq!(first.or(second), expected, "{from} to {to}, cut at {cut}: {bytes:X?}");
                }
            }
        }
    });
}

#[test]
fn errors_lie_where_they_are_in_units() {
    let bytes = [b"a\xC3\xA9".repeat(30), b"\xFF".to_vec()].concat();
    let (mut units, mut words) = ([0_u16; 100], [0_u32; 100]);
    let error = Status::Error(Error::new(90, 1, ErrorKind::InvalidByte));
    assert_eq!(convert_into(Utf8, Utf16, &bytes, Piece::Last, &mut units).status, error);
    assert_eq!(convert_into(Utf8, Utf32, &bytes, Piece::Last, &mut words).status, error);
    let broken: Vec<u16> = core::iter::repeat_n(0xE9, 70).chain([0xDC00, 0x61]).collect();
    let mut text = [0; 200];
    let Status::Error(error) = convert_into(Utf16, Utf8, &broken, Piece::Last, &mut text).status else {
        panic!("a lone surrogate is an error");
    };
    assert_eq!((error.offset, error.len, error.unit), (70, 1, Unit::Utf16));
}

#[test]
fn what_a_lax_decoder_reads_is_said_of_whole_sequences_only() {
    let lax = |bytes: &[u8]| explain(Utf8, bytes).next().and_then(|item| item.lax_value);
    assert_eq!(lax(b"\xC3\x41"), None);
    assert_eq!(lax(b"\xE0\x80\x41"), None);
    assert_eq!(lax(b"\xE0\x80\xAF"), Some(0x2F));
    assert_eq!(lax(b"\xC0\xAF"), Some(0x2F));
    assert_eq!(lax(b"\xED\xA0\x80"), Some(0xD800));
}
