//! Compares every level with the oracle: strings at every position in a block and between texts of every width, and
//! broken text in all encodings.

use std::vec::Vec;

use super::oracle;
use super::support::{HARD, Random, broken_text, counts_of, dialects, each_in_a_thread, on_every_level};
use crate::grammar::{self, Grammar};
use crate::kernels::count::{AnyClass, Class, Starts, Utf16Units};
use crate::{AnyEncoding, Each, Encoding as _, Error, Item, Level, Piece, Policy, Status, dispatch, reference};

/// A character of each width in UTF-8, to surround strings with.
const FILLINGS: [u32; 4] = [0x61, 0xE9, 0x20AC, 0x1F600];
/// The wider encodings to convert text to.
const WIDE: [AnyEncoding; 2] = [AnyEncoding::Utf16Le, AnyEncoding::Utf32Be];
/// Two blocks and a little more.
const PADDING: usize = 131;
/// This many bytes are validated by blocks on every level; fewer than 256 by single vectors on some. A multiple of the
/// length of each filling.
const LONG: usize = 264;

/// Returns `len` bytes of filling. A remainder at the start is filled with ASCII.
fn filling(dialect: AnyEncoding, value: u32, len: usize) -> Vec<u8> {
    let character = oracle::write(dialect, value).unwrap();
    let mut bytes = std::vec![b'a'; len % character.len()];
    bytes.extend(character.repeat(len / character.len()));
    bytes
}

fn first_error(encoding: AnyEncoding, bytes: &[u8]) -> Option<Error> {
    let mut at = 0;
    while at < bytes.len() {
        let (len, result) = oracle::front(encoding, &bytes[at..]);
        if result.is_err() {
            return oracle::error_of(encoding, bytes, &Item { offset: at, len, result });
        }
        at += len;
    }
    None
}

/// Validates `string` between `left` and `right`, neither of which shares a character with it.
#[track_caller]
fn validates_between(dialect: AnyEncoding, left: &[u8], string: &[u8], right: &[u8], level: Level) {
    let expected = first_error(dialect, &[string, right].concat());
    let whole = [left, string, right].concat();
    is_first_error(dialect, &whole, left.len(), expected, level);
}

#[track_caller]
fn is_first_error(dialect: AnyEncoding, whole: &[u8], at: usize, expected: Option<Error>, level: Level) {
    let found = dialect.validate(whole).err();
    let expected = expected.map(|error| error.moved(at as u64));
    assert_eq!(found, expected, "{dialect} on {level}, from {at} on: {:X?} in {whole:X?}", &whole[at..]);
    if dialect == AnyEncoding::Utf8 {
        let counted = crate::validate_and_count(whole);
        assert_eq!(counted.err(), expected, "{level}, from {at} on: {:X?} in {whole:X?}", &whole[at..]);
        if let Ok((text, counts)) = counted {
            assert_eq!(counts, counts_of(text), "{level}, from {at} on: {whole:X?}");
        }
    }
}

/// Places strings of three bytes, in order but skipping up to `skip` of them at a time, around a block, between the
/// dialect's `fillings`. Calls `check` with all bytes, and where the string is and the character after it.
fn strings_of_three_bytes(
    skip: usize,
    dialect: AnyEncoding,
    fillings: &[u32],
    check: impl Fn(&[u8], core::ops::Range<usize>),
) {
    let mut places = Vec::new();
    for at in 0..PADDING {
        for (&value, len) in fillings.iter().flat_map(|value| [(value, 72), (value, LONG)]) {
            let whole = [filling(dialect, value, at), [0; 3].to_vec(), filling(dialect, value, len)].concat();
            let after = oracle::write(dialect, value).unwrap().len();
            places.push((at..at + 3 + after, whole));
        }
    }
    // Strings that begin with ASCII are shorter strings at another position.
    let mut random = Random(4);
    let mut string = 0x80_0000;
    while string < 0x100_0000 {
        let place = random.below(places.len());
        let (span, whole) = &mut places[place];
        whole[span.start..][..3].copy_from_slice(&u32::to_be_bytes(string)[1..]);
        check(whole, span.clone());
        string += 1 + random.below(skip + 1) as u32;
    }
}

fn validates_strings_of_three_bytes(skip: usize) {
    on_every_level(|level| {
        if level == Level::Scalar {
            return; // the reference implementation, which the exhaustive tests compare with the oracle
        }
        each_in_a_thread(dialects(), |dialect| {
            strings_of_three_bytes(skip, dialect, &FILLINGS, |whole, span| {
                let expected = first_error(dialect, &whole[span.clone()]);
                is_first_error(dialect, whole, span.start, expected, level);
            });
        });
    });
}

#[test]
fn strings_of_three_bytes_around_a_block() {
    validates_strings_of_three_bytes(20);
}

#[test]
#[ignore = "minutes"]
fn every_string_of_three_bytes_around_a_block() {
    validates_strings_of_three_bytes(0);
}

/// Text that two encodings write in the same bytes is copied as far as kernels find it clean, without the reference
/// implementation.
fn strings_are_clean_in_shared_grammars(skip: usize) {
    let mut grammars: Vec<&'static Grammar> = Vec::new();
    for &from in AnyEncoding::ALL {
        let grammars_from = AnyEncoding::ALL.iter().filter_map(|&to| grammar::shared(from, to));
        for grammar in grammars_from.chain(grammar::code_units(from)) {
            if !grammars.iter().any(|known| core::ptr::eq(*known, grammar)) {
                grammars.push(grammar);
            }
        }
    }
    on_every_level(|level| {
        each_in_a_thread(grammars.iter(), |grammar| {
            let character = |value: &u32| oracle::write(AnyEncoding::Utf8, *value).unwrap();
            let is_clean = |value: &u32| reference::validate::clean_prefix(grammar, &character(value)) > 0;
            let fillings: Vec<u32> = FILLINGS.into_iter().filter(is_clean).collect();
            for &value in &fillings {
                let text = filling(AnyEncoding::Utf8, value, LONG);
                assert_eq!(dispatch::clean_prefix_long(grammar, &text), LONG, "{level}: {value:X}");
            }
            strings_of_three_bytes(skip, AnyEncoding::Utf8, &fillings, |whole, span| {
                let clean = dispatch::clean_prefix_long(grammar, whole);
                let end = span.start + reference::validate::clean_prefix(grammar, &whole[span.start..]);
                assert!(clean <= end, "{level}: {:X?} is not clean in {whole:X?}", &whole[span]);
            });
        });
    });
}

#[test]
fn strings_of_three_bytes_are_clean_in_shared_grammars() {
    strings_are_clean_in_shared_grammars(60);
}

#[test]
#[ignore = "minutes"]
fn every_string_of_three_bytes_is_clean_in_shared_grammars() {
    strings_are_clean_in_shared_grammars(0);
}

#[test]
fn hard_strings_with_all_paddings() {
    on_every_level(|level| {
        each_in_a_thread(dialects(), |dialect| {
            let padding = [b'a'; LONG];
            for string in HARD {
                let whole = [&padding[..PADDING], *string, &padding].concat();
                let end = PADDING + string.len();
                let alone = first_error(dialect, string);
                let between = first_error(dialect, &whole[PADDING..=end]);
                for left in 0..PADDING {
                    for right in (0..PADDING).chain([LONG]) {
                        let expected = if right == 0 { alone } else { between };
                        is_first_error(dialect, &whole[PADDING - left..end + right], left, expected, level);
                    }
                }
            }
        });
    });
}

#[test]
fn hard_strings_between_texts_of_all_widths() {
    on_every_level(|level| {
        each_in_a_thread(dialects(), |dialect| {
            for value in FILLINGS {
                let after: Vec<_> = [0, 12, 60, LONG].iter().map(|&len| filling(dialect, value, len)).collect();
                for left in 0..PADDING {
                    let before = filling(dialect, value, left);
                    for string in HARD {
                        for right in &after {
                            validates_between(dialect, &before, string, right, level);
                        }
                    }
                }
            }
        });
    });
}

#[test]
fn hard_strings_are_converted_between_texts_of_all_widths() {
    on_every_level(|level| {
        each_in_a_thread(dialects(), |dialect| {
            for (value, to) in FILLINGS.iter().flat_map(|&value| WIDE.map(|to| (value, to))) {
                let converted = |bytes: &[u8]| oracle::convert(dialect, to, bytes, Policy::REPLACE);
                let before: Vec<_> = (0..PADDING).map(|left| filling(dialect, value, left)).collect();
                let units: Vec<_> = before.iter().map(|text| converted(text)).collect();
                let strings = HARD.iter().flat_map(|string| [0, 12, 60].map(|right| (*string, right)));
                for (number, (string, right)) in strings.enumerate() {
                    let string = [string, &filling(dialect, value, right)].concat();
                    let first = oracle::conversion_errors(dialect, to, &string).first().copied();
                    let good = converted(&string[..first.map_or(string.len(), |error| error.valid_up_to())]);
                    // Each string at each position, followed by one of the three lengths.
                    for (text, units) in before.iter().zip(&units).skip((number + number / 3) % 3).step_by(3) {
                        let expected = [&units[..], &good].concat();
                        let stopped = first.map(|error| error.moved(text.len() as u64));
                        let whole = [&text[..], &string].concat();
                        assert_eq!(
                            crate::convert(dialect, to, &whole),
                            stopped.map_or(Ok(expected), Err),
                            "{dialect} to {to} on {level}: {whole:X?}"
                        );
                    }
                }
            }
        });
    });
}

/// Compares all operations on the bytes with the oracle.
fn everything_is_right(encoding: AnyEncoding, bytes: &[u8], level: Level, random: &mut Random) {
    let items = oracle::items(encoding, bytes);
    let errors = oracle::errors(encoding, bytes);
    let place = std::format!("{encoding} on {level}: {:X?}", &bytes[..bytes.len().min(400)]);
    assert_eq!(encoding.validate(bytes).err(), errors.first().copied(), "{place}");
    assert_eq!(encoding.errors(bytes).collect::<Vec<_>>(), errors, "{place}");
    assert_eq!(encoding.count(bytes), items.len(), "{place}");
    for policy in [Policy::REPLACE, random.of(&POLICIES)] {
        let repaired = oracle::convert(encoding, encoding, bytes, policy);
        // A buffer of exactly the right size.
        let mut out = std::vec![0; repaired.len()];
        let progress = encoding.repair_into(bytes, Piece::Last, policy, &mut out[..]);
        assert_eq!((progress.read, progress.status), (bytes.len(), Status::Done), "{policy:?}, {place}");
        assert_eq!(out, repaired, "{policy:?}, {place}");
        #[cfg(feature = "alloc")]
        assert_eq!(&*encoding.repair(bytes, policy), repaired, "{policy:?}, {place}");
    }
}

/// Converts to every encoding, strictly and lossily.
#[cfg(feature = "alloc")]
fn every_conversion_is_right(from: AnyEncoding, bytes: &[u8], level: Level, random: &mut Random) {
    for &to in AnyEncoding::ALL {
        let place = std::format!("{from} to {to} on {level}: {:X?}", &bytes[..bytes.len().min(400)]);
        let first = oracle::conversion_errors(from, to, bytes).first().copied();
        let good = &bytes[..first.map_or(bytes.len(), |error| error.valid_up_to())];
        let converted = oracle::convert(from, to, good, Policy::REPLACE);
        assert_eq!(crate::converted_len(from, to, bytes), first.map_or(Ok(converted.len() as u64), Err), "{place}");
        let mut buffer = std::vec![0; random.below(converted.len() + 1)];
        let progress = crate::convert_into(from, to, good, Piece::Last, &mut buffer);
        let rest = crate::convert(from, to, &good[progress.read..]).unwrap_or_default();
        assert_eq!([&buffer[..progress.written], &rest].concat(), converted, "{} bytes of {place}", buffer.len());
        assert_eq!(crate::convert(from, to, bytes), first.map_or(Ok(converted), Err), "{place}");
        let policy = random.of(&POLICIES);
        let converted = oracle::convert(from, to, bytes, policy);
        let len = crate::converted_len_lossy(from, to, bytes, policy);
        assert_eq!(len, converted.len() as u64, "{policy:?}, {place}");
        assert_eq!(crate::convert_lossy(from, to, bytes, policy), converted, "{policy:?}, {place}");
    }
}

const POLICIES: [Policy<'static>; 9] = [
    Policy::REPLACE,
    Policy::REPLACE_BYTE,
    Policy::REPLACE_RUN,
    Policy::JAVA,
    Policy::Replace { each: Each::Run, with: "<€>" },
    Policy::Replace { each: Each::Byte, with: "" },
    Policy::Remove,
    Policy::Escape,
    Policy::SameLength,
];

/// Returns broken texts of all lengths. The first is longer than any piece that a kernel gets.
fn broken_texts(encoding: AnyEncoding, random: &mut Random, count: usize, mut each: impl FnMut(&[u8], &mut Random)) {
    for round in 0..count {
        let len = if round == 0 { 6000 } else { round + random.of(&[4, 40, 200]) };
        let wounds = random.of(&[0, 1, 2, 8, len]);
        each(&broken_text(random, encoding, len, wounds), random);
    }
}

#[test]
fn broken_text_in_every_encoding() {
    on_every_level(|level| {
        each_in_a_thread(AnyEncoding::ALL.iter(), |&encoding| {
            broken_texts(encoding, &mut Random(1), 100, |bytes, random| {
                everything_is_right(encoding, bytes, level, random);
            });
        });
    });
}

#[cfg(feature = "alloc")]
#[test]
fn broken_text_from_every_encoding_to_every_other() {
    on_every_level(|level| {
        each_in_a_thread(AnyEncoding::ALL.iter(), |&encoding| {
            broken_texts(encoding, &mut Random(2), 40, |bytes, random| {
                every_conversion_is_right(encoding, bytes, level, random);
            });
        });
    });
}

#[test]
fn noise_in_every_encoding() {
    on_every_level(|level| {
        each_in_a_thread(AnyEncoding::ALL.iter(), |&encoding| {
            let mut random = Random(3);
            for len in 0..140 {
                let bytes: Vec<u8> = (0..len).map(|_| random.of(super::support::EDGES)).collect();
                everything_is_right(encoding, &bytes, level, &mut random);
            }
        });
    });
}

/// ASCII with a few other bytes, in particular NUL, which one dialect does not allow.
#[cfg(feature = "alloc")]
#[test]
fn ascii_with_a_few_other_bytes() {
    let dialects = AnyEncoding::ALL.iter().filter(|encoding| encoding.unit() == 1);
    on_every_level(|level| {
        each_in_a_thread(dialects.clone(), |&encoding| {
            let mut random = Random(6);
            for len in (0..140).step_by(4).chain([320, 1000]) {
                let mut bytes = std::vec![b'a'; len];
                for _ in 0..random.below(3) {
                    if let Some(byte) = bytes.get_mut(random.below(len.max(1))) {
                        *byte = random.of(&[0, 0, 0x80, 0xC3, 0xFF]);
                    }
                }
                everything_is_right(encoding, &bytes, level, &mut random);
                every_conversion_is_right(encoding, &bytes, level, &mut random);
            }
        });
    });
}

/// A stray byte before the first byte of a sequence, at each position in a block. At the end, only that byte shows a
/// kernel that the block has longer sequences, and its sequence is classified with the next block.
#[cfg(feature = "alloc")]
#[test]
fn a_stray_byte_before_a_sequence_at_any_place() {
    let encodings = AnyEncoding::ALL.iter().filter(|encoding| encoding.unit() == 1);
    on_every_level(|level| {
        each_in_a_thread(encodings.clone(), |&encoding| {
            let mut random = Random(11);
            for place in 192..256 {
                for lead in [0xC3, 0xE2, 0xF0] {
                    let mut bytes = std::vec![b'a'; 320];
                    bytes[place - 1 - random.below(30)] = random.of(&[0x80, 0xBF, 0xC3]);
                    bytes[place..place + 3].copy_from_slice(&[lead, 0xA0, 0x80]);
                    for &to in AnyEncoding::ALL {
                        let error = oracle::conversion_errors(encoding, to, &bytes).first().copied();
                        let converted = || Ok(oracle::convert(encoding, to, &bytes, Policy::REPLACE));
                        let expected = error.map_or_else(converted, Err);
                        assert_eq!(crate::convert(encoding, to, &bytes), expected, "{encoding} to {to} on {level}");
                    }
                }
            }
        });
    });
}

/// Kernels validate several blocks, then copy or count them, so runs must join without gaps. After an error, another
/// kernel copies the text.
#[cfg(feature = "alloc")]
#[test]
fn sequences_are_cut_off_at_the_end_of_any_block_before_ascii() {
    let cut_off: [&[u8]; 6] = [b"\xC3", b"\xE2", b"\xE2\x82", b"\xF0", b"\xF0\x9F", b"\xF0\x9F\x98"];
    on_every_level(|level| {
        for (blocks, start) in (1..130).flat_map(|blocks| [(blocks, &b""[..]), (blocks, b"\xFF")]) {
            for (number, end) in cut_off.iter().enumerate() {
                let filling = ["a", "\u{E9}", "\u{20AC}"][(number + blocks) % 3];
                let len = 64 * blocks - end.len();
                let mut bytes = start.to_vec();
                bytes.extend_from_slice(filling.repeat((len - start.len()) / filling.len()).as_bytes());
                bytes.resize(len, b'x');
                bytes.extend([end, &[b'y'; 600][..]].concat());
                let repaired = std::string::String::from_utf8_lossy(&bytes);
                assert_eq!(crate::repair(&bytes), repaired, "{blocks} blocks, {end:X?} on {level}");
                let mut errors = crate::errors(&bytes).skip(start.len());
                let error = Error::new(len as u64, end.len() as u8, crate::ErrorKind::Truncated);
                assert_eq!(errors.next(), Some(error), "{blocks} blocks, {end:X?} on {level}");
                let alone = crate::validate(&bytes[start.len()..]).map_err(|error| error.offset as usize);
                assert_eq!(alone, Err(len - start.len()), "{blocks} blocks, {end:X?} on {level}");
                let summary = crate::summary::Summary::of(AnyEncoding::Utf8, &bytes, 0..bytes.len(), 0, 1);
                let chars = repaired.chars().count() as u64;
                let errors = 1 + start.len() as u64;
                assert_eq!(summary.code_points + errors, chars, "{blocks} blocks, {end:X?} on {level}");
                let units = crate::convert_lossy(AnyEncoding::Utf8, AnyEncoding::Utf16Le, &bytes, Policy::REPLACE);
                assert_eq!(units.len() as u64, 2 * chars, "{blocks} blocks, {end:X?} on {level}");
            }
        }
    });
}

fn counts(bytes: &[u8], class: impl AnyClass, level: Level) {
    let expected: usize = bytes.iter().map(|&byte| class.class().count(byte)).sum();
    let name = class.class();
    assert_eq!(dispatch::count(bytes, class), expected, "{name:?} of {} on {level}", bytes.len());
}

/// Bytes with some of the class. The longest text fills the lanes that are summed at once, on any level.
#[test]
fn bytes_of_a_class_are_counted() {
    on_every_level(|level| {
        let mut random = Random(7);
        for len in (0..300).chain([2040, 2048, 8160, 16_384, 40_000]) {
            for value in [None, Some(0xF0), Some(b'\n'), Some(0x80)] {
                let mut bytes: Vec<u8> = (0..len).map(|_| value.unwrap_or_else(|| random.byte())).collect();
                if let Some(last) = bytes.last_mut() {
                    *last = random.byte();
                }
                counts(&bytes, Starts, level);
                counts(&bytes, Utf16Units, level);
                counts(&bytes, Class::Byte(b'\n'), level);
                counts(&bytes, Class::Byte(0x80), level);
            }
        }
    });
}

/// Units of any value, with surrogates in pairs, reversed and unpaired.
#[test]
fn noise_of_wide_units() {
    let wide = AnyEncoding::ALL.iter().filter(|encoding| encoding.unit() > 1);
    on_every_level(|level| {
        each_in_a_thread(wide.clone(), |&encoding| {
            let mut random = Random(5);
            for len in 0..140 {
                let mut bytes = Vec::new();
                while bytes.len() < len * encoding.unit() {
                    let all = [0x61, 0xE9, 0x4E00, 0xFFFF, 0x1_F600, 0xD83D, 0xDE00];
                    let units = match random.below(8) {
                        0 => std::vec![0xD83D, 0xDE00],
                        1 => std::vec![random.of(&all)],
                        _ => std::vec![random.of(&all[..5]); random.below(40)],
                    };
                    for unit in units {
                        let [a, b, c, d] = u32::to_be_bytes(unit);
                        match (encoding, encoding.unit()) {
                            (AnyEncoding::Utf16Be | AnyEncoding::Wtf16Be, _) => bytes.extend([c, d]),
                            (AnyEncoding::Utf32Be, _) => bytes.extend([a, b, c, d]),
                            (_, 2) => bytes.extend([d, c]),
                            _ => bytes.extend([d, c, b, a]),
                        }
                    }
                }
                everything_is_right(encoding, &bytes, level, &mut random);
                #[cfg(feature = "alloc")]
                if len % 4 == 0 {
                    every_conversion_is_right(encoding, &bytes, level, &mut random);
                }
            }
        });
    });
}
