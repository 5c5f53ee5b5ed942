//! Properties that hold for any input: pieces, merges, inverses, orders.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::string::{String, ToString};
use std::vec::Vec;

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::oracle;
use super::support::{EDGES, HARD};
use crate::explain::*;
use crate::summary::*;
use crate::*;

pub(super) const POLICIES: &[Policy<'static>] = &[
    Policy::REPLACE,
    Policy::REPLACE_BYTE,
    Policy::REPLACE_RUN,
    Policy::JAVA,
    Policy::Replace { each: Each::Run, with: "<€>" },
    Policy::Remove,
    Policy::Escape,
    Policy::SameLength,
];

pub(super) fn encoding() -> impl Strategy<Value = AnyEncoding> {
    select(AnyEncoding::ALL)
}

fn value() -> impl Strategy<Value = u32> {
    prop_oneof![
        4 => 0..0x80_u32,
        1 => select(&[0x0A, 0x0D, 0x5C, 0x78, 0x41, 0x0A_u32][..]),
        2 => 0x80..0x800_u32,
        2 => 0x800..0x1_0000_u32,
        1 => 0xD7F0..0xE010_u32,
        2 => 0x1_0000..0x11_0000_u32,
    ]
}

fn scalar_values() -> impl Strategy<Value = Vec<u32>> {
    prop::collection::vec(any::<char>().prop_map(u32::from), 0..60)
}

/// Generates an encoding and bytes that are mostly text in it.
pub(super) fn input() -> impl Strategy<Value = (AnyEncoding, Vec<u8>)> {
    encoding().prop_flat_map(|encoding| {
        let text = value().prop_map(move |value| oracle::write(encoding, value).unwrap_or_default());
        let piece = prop_oneof![
            12 => text,
            3 => select(HARD).prop_map(<[u8]>::to_vec),
            2 => select(EDGES).prop_map(|byte| [byte].to_vec()),
            1 => any::<u8>().prop_map(|byte| [byte].to_vec()),
            1 => Just([b'a'; 70].to_vec()),
        ];
        (Just(encoding), prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat()))
    })
}

pub(super) fn places() -> impl Strategy<Value = Vec<Index>> {
    prop::collection::vec(any::<Index>(), 0..12)
}

/// Returns sorted offsets for the places, including both ends.
pub(super) fn cuts(places: &[Index], len: usize) -> Vec<usize> {
    let mut cuts: Vec<usize> = places.iter().map(|place| place.index(len + 1)).chain([0, len]).collect();
    cuts.sort_unstable();
    cuts
}

pub(super) fn pieces<'b>(places: &[Index], bytes: &'b [u8]) -> Vec<&'b [u8]> {
    cuts(places, bytes.len()).windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect()
}

fn converter<'p>(
    from: AnyEncoding,
    to: AnyEncoding,
    policy: Option<Policy<'p>>,
) -> Converter<'p, AnyEncoding, AnyEncoding> {
    match policy {
        Some(policy) => Converter::lossy(from, to, policy),
        None => Converter::strict(from, to),
    }
}

/// Returns the output of converting the input as far as possible, and why the conversion stopped.
fn whole(from: AnyEncoding, to: AnyEncoding, policy: Option<Policy<'_>>, bytes: &[u8]) -> (Vec<u8>, Option<Error>) {
    match policy {
        Some(policy) => (convert_lossy(from, to, bytes, policy), None),
        None => match convert(from, to, bytes) {
            Ok(out) => (out, None),
            Err(stopped) => (convert(from, to, &bytes[..stopped.valid_up_to()]).unwrap(), Some(stopped)),
        },
    }
}

fn policy() -> impl Strategy<Value = Option<Policy<'static>>> {
    prop::option::weighted(0.8, select(POLICIES))
}

/// A reader that returns its pieces one after another.
struct Pieces<'b>(Vec<&'b [u8]>);

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0.retain(|piece| !piece.is_empty());
        let Some(piece) = self.0.first_mut() else { return Ok(0) };
        piece.read(buffer)
    }
}

fn inner_error(error: std::io::Error) -> Error {
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidData);
    *error.into_inner().unwrap().downcast().unwrap()
}

fn naive_starts(encoding: AnyEncoding, bytes: &[u8]) -> BTreeSet<usize> {
    oracle::items(encoding, bytes).iter().map(|item| item.offset).chain([bytes.len()]).collect()
}

properties! {
    #[test]
    fn a_validator_finds_in_pieces_what_is_in_the_whole((encoding, bytes) in input(), places in places()) {
        let expected = encoding.validate(&bytes).map(|()| bytes.len() as u64);
        let mut validator = Validator::new(encoding);
        let mut pushed = Ok(());
        for piece in pieces(&places, &bytes) {
            pushed = pushed.and_then(|()| validator.push(piece));
            prop_assert!(validator.pending().len() < encoding.longest());
        }
        prop_assert_eq!(pushed.and_then(|()| validator.finish()), expected);
    }

    #[test]
    fn a_converter_makes_of_pieces_what_it_makes_of_the_whole(
        (from, bytes) in input(),
        to in encoding(),
        policy in policy(),
        places in places(),
    ) {
        let mut converter = converter(from, to, policy);
        let mut out = Vec::new();
        let mut result = Ok(());
        for piece in pieces(&places, &bytes) {
            result = result.and_then(|()| converter.push(piece, &mut out));
            // Some items are processed together with the next unit.
            let alone = from != AnyEncoding::Utf8Bits21 && policy != Some(Policy::Escape);
            let longest = if alone { from.longest() } else { 8 };
            prop_assert!(converter.pending().len() < longest);
        }
        result = result.and_then(|()| converter.finish(&mut out));
        prop_assert_eq!((out, result.err()), whole(from, to, policy, &bytes));
    }

    #[test]
    fn a_converter_fills_buffers_of_any_size(
        (from, bytes) in input(),
        to in encoding(),
        policy in policy(),
        places in places(),
        // The maximum output for one byte, with some reserve: six times `\xHH` in UTF-32.
        capacities in prop::collection::vec(96..200_usize, 1..5),
    ) {
        let mut converter = converter(from, to, policy);
        let mut capacities = capacities.iter().cycle();
        let mut out = Vec::new();
        let mut error = None;
        let pieces = pieces(&places, &bytes);
        for (i, mut piece) in pieces.iter().copied().enumerate() {
            let last = i + 1 == pieces.len();
            while error.is_none() {
                let mut buffer = std::vec![0; *capacities.next().unwrap()];
                let progress = converter.push_into(piece, Piece::last_if(last), &mut buffer);
                out.extend_from_slice(&buffer[..progress.written]);
                piece = &piece[progress.read..];
                match progress.status {
                    Status::Error(stopped) => error = Some(stopped),
                    Status::OutputFull => {}
                    Status::Done => break,
                    Status::InputIncomplete => panic!("a converter holds back what is incomplete"),
                }
            }
            prop_assert!(error.is_some() || piece.is_empty());
        }
        prop_assert_eq!((out, error), whole(from, to, policy, &bytes));
    }

    #[test]
    fn converting_into_buffers_goes_on_where_it_stopped(
        (from, bytes) in input(),
        to in encoding(),
        capacities in prop::collection::vec(6..100_usize, 1..5),
    ) {
        let (expected, error) = whole(from, to, None, &bytes);
        let good = &bytes[..error.map_or(bytes.len(), |error| error.valid_up_to())];
        let mut rest = good;
        let mut out = Vec::new();
        for capacity in capacities.iter().cycle() {
            let mut buffer = std::vec![0; *capacity];
            let progress = convert_into(from, to, rest, Piece::Last, &mut buffer);
            out.extend_from_slice(&buffer[..progress.written]);
            rest = &rest[progress.read..];
            if progress.status != Status::OutputFull {
                break;
            }
        }
        // The bytes held back at the end are well formed if nothing follows.
        out.extend(convert(from, to, rest).unwrap());
        prop_assert!(rest.len() < from.longest());
        prop_assert_eq!(out, expected);
    }

    #[test]
    fn readers_and_writers_convert_what_passes(
        (from, bytes) in input(),
        to in encoding(),
        policy in policy(),
        places in places(),
        capacity in 1..100_usize,
    ) {
        let expected = whole(from, to, policy, &bytes);

        let mut reader = Reader::new(Pieces(pieces(&places, &bytes)), converter(from, to, policy));
        let mut buffer = std::vec![0; capacity];
        let mut read = Vec::new();
        let error = loop {
            match reader.read(&mut buffer) {
                Ok(0) => break None,
                Ok(len) => read.extend_from_slice(&buffer[..len]),
                Err(error) => break Some(inner_error(error)),
            }
        };
        prop_assert_eq!((read, error), expected.clone());

        let mut written = Vec::new();
        let mut writer = Writer::new(&mut written, converter(from, to, policy));
        let all = pieces(&places, &bytes).into_iter().try_for_each(|piece| writer.write_all(piece));
        let error = all.and_then(|()| writer.finish().map(|_| ())).err().map(inner_error);
        prop_assert_eq!((written, error), expected);
    }

    #[test]
    fn text_streams_give_the_text_of_the_whole((_, bytes) in input(), places in places()) {
        let mut lossy = TextStream::lossy();
        let mut text = String::new();
        for piece in pieces(&places, &bytes) {
            text += lossy.push(piece).unwrap();
            prop_assert!(lossy.pending().len() < 4);
        }
        text += lossy.finish().unwrap();
        prop_assert_eq!(text, String::from_utf8_lossy(&bytes));

        let mut strict = TextStream::strict();
        let mut text = String::new();
        let mut result = Ok(());
        for piece in pieces(&places, &bytes) {
            if result.is_ok() {
                result = strict.push(piece).map(drop);
                text += strict.text();
            }
        }
        if result.is_ok() {
            result = strict.finish().map(drop);
            text += strict.text();
        }
        prop_assert_eq!(result, validate(&bytes).map(drop));
        let good = result.map_or_else(|error| error.valid_up_to(), |()| bytes.len());
        prop_assert_eq!(text.as_bytes(), &bytes[..good]);
    }

    #[test]
    fn what_is_escaped_is_restored((encoding, bytes) in input(), places in places()) {
        let escaped = encoding.repair(&bytes, Policy::Escape);
        prop_assert_eq!(encoding.validate(&escaped), Ok(()));
        prop_assert_eq!(&encoding.unescape(&escaped), &bytes);

        let mut waiting = Vec::new();
        let mut restored = Vec::new();
        let pieces = pieces(&places, &escaped);
        for (i, piece) in pieces.iter().enumerate() {
            waiting.extend_from_slice(piece);
            let last = i + 1 == pieces.len();
            let read = encoding.unescape_piece(&waiting, Piece::last_if(last), &mut restored, |_| {});
            waiting.drain(..read);
            prop_assert!(waiting.len() < 4 * encoding.unit());
        }
        prop_assert_eq!(restored, bytes);
    }

    #[test]
    fn what_is_repaired_is_well_formed_and_stays_so((encoding, bytes) in input(), policy in select(POLICIES)) {
        let repaired = encoding.repair(&bytes, policy);
        prop_assert_eq!(encoding.validate(&repaired), Ok(()));
        if policy != Policy::Escape {
            prop_assert_eq!(&encoding.repair(&repaired, policy), &repaired);
        }
        if policy == Policy::SameLength {
            prop_assert_eq!(repaired.len(), bytes.len() / encoding.unit() * encoding.unit());
        }
    }

    #[test]
    fn text_goes_there_and_back(values in scalar_values(), from in encoding(), to in encoding()) {
        let both = |value: &u32| oracle::write(from, *value).is_ok() && oracle::write(to, *value).is_ok();
        let bytes: Vec<u8> =
            values.into_iter().filter(both).flat_map(|value| oracle::write(from, value).unwrap()).collect();
        let there = convert(from, to, &bytes).unwrap();
        prop_assert_eq!(to.validate(&there), Ok(()));
        prop_assert_eq!(convert(to, from, &there), Ok(bytes));
    }

    #[test]
    fn strings_and_units_are_those_of_the_standard_library(
        text in any::<String>(),
        units in prop::collection::vec(prop_oneof![any::<u16>(), 0xD700..0xE100_u16], 0..80),
    ) {
        prop_assert_eq!(Utf16.encode_string(&text).unwrap_or_default(), text.encode_utf16().collect::<Vec<_>>());
        prop_assert_eq!(Utf32.encode_string(&text).unwrap(), text.chars().map(u32::from).collect::<Vec<_>>());
        prop_assert_eq!(Utf32.decode_string(&Utf32.encode_string(&text).unwrap_or_default()), Ok(text.clone()));
        prop_assert_eq!(count(&text), text.chars().count());
        prop_assert_eq!(utf16_len(&text), text.encode_utf16().count());
        prop_assert_eq!(Utf16.decode_string(&units).ok(), String::from_utf16(&units).ok());
        prop_assert_eq!(Utf16.decode_string_lossy(&units), String::from_utf16_lossy(&units));
        let lone = char::decode_utf16(units.iter().copied()).filter(Result::is_err).count();
        let mut repaired = units.clone();
        prop_assert_eq!(Utf16.repair_in_place(&mut repaired), lone);
        prop_assert_eq!(String::from_utf16(&repaired).ok(), Some(String::from_utf16_lossy(&units)));
        prop_assert_eq!(Utf16.validate(&units).is_ok(), lone == 0);
    }

    #[test]
    fn comparing_texts_compares_code_points((a, x) in input(), (b, y) in input(), same in any::<bool>()) {
        let values = |encoding, bytes: &[u8]| -> Vec<u32> {
            oracle::items(encoding, bytes).iter().map(|item| item.result.unwrap_or(0xFFFD)).collect()
        };
        let (b, y) = if same { (b, convert_lossy(a, b, &x, Policy::REPLACE)) } else { (b, y) };
        prop_assert_eq!(a.compare(&x, b, &y), values(a, &x).cmp(&values(b, &y)));
    }

    #[test]
    fn comparing_units_compares_code_points(
        common in prop::collection::vec(0xD7F0..0xE010_u16, 0..4),
        a in prop::collection::vec(0xD7F0..0xE010_u16, 0..4),
        b in prop::collection::vec(prop_oneof![any::<u16>(), 0xD7F0..0xE010_u16], 0..4),
        text in any::<String>(),
    ) {
        let values = |units: &[u16]| -> Vec<u32> {
            char::decode_utf16(units.iter().copied())
                .map(|unit| unit.map_or_else(|lone| u32::from(lone.unpaired_surrogate()), u32::from))
                .collect()
        };
        let (a, b) = ([&common[..], &a].concat(), [&common[..], &b].concat());
        prop_assert_eq!(Wtf16.compare(&a, Wtf16, &b), values(&a).cmp(&values(&b)));
        let text_values: Vec<u32> = text.chars().map(u32::from).collect();
        prop_assert_eq!(Utf8.compare(text.as_bytes(), Wtf16, &b), text_values.cmp(&values(&b)));
        prop_assert!(Utf8.compare(text.as_bytes(), Wtf16, &Utf16.encode_string(&text).unwrap()).is_eq());
        let other = String::from_utf16_lossy(&b);
        prop_assert_eq!(Utf8.compare(text.as_bytes(), Utf8, other.as_bytes()), text.chars().cmp(other.chars()));
    }

    #[test]
    fn boundaries_are_where_items_begin((encoding, bytes) in input(), n in 1..9_usize) {
        let starts = naive_starts(encoding, &bytes);
        for offset in 0..=bytes.len() + 1 {
            let floor = starts.range(..=offset).next_back().copied().unwrap();
            let ceil = starts.range(offset..).next().copied().unwrap_or(bytes.len());
            prop_assert_eq!(encoding.floor_char_boundary(&bytes, offset), floor, "{} of {}", offset, bytes.len());
            prop_assert_eq!(encoding.ceil_char_boundary(&bytes, offset), ceil, "{} of {}", offset, bytes.len());
            prop_assert_eq!(encoding.is_char_boundary(&bytes, offset), starts.contains(&offset));
            prop_assert_eq!(encoding.truncate(&bytes, offset), &bytes[..floor]);
        }
        let parts: Vec<_> = encoding.split(&bytes, n).collect();
        prop_assert_eq!(parts.len(), n);
        prop_assert_eq!((parts[0].start, parts[n - 1].end), (0, bytes.len()));
        prop_assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start));
        prop_assert!(parts.iter().all(|part| starts.contains(&part.start) && part.start <= part.end));
    }

    #[test]
    fn items_backwards_are_items_forwards((encoding, bytes) in input(), turns in any::<u64>()) {
        let forwards: Vec<_> = encoding.items(&bytes).collect();
        prop_assert_eq!(&forwards, &oracle::items(encoding, &bytes));
        let mut backwards: Vec<_> = encoding.items(&bytes).rev().collect();
        backwards.reverse();
        prop_assert_eq!(&backwards, &forwards);
        let last = encoding.decode_last(&bytes).map(|step| (step.len(), step.result));
        prop_assert_eq!(last, forwards.last().map(|item| (item.len, item.result)));
        // From both ends alternately.
        let mut both = encoding.items(&bytes);
        let (mut front, mut back) = (Vec::new(), Vec::new());
        for turn in 0.. {
            let item = if turns >> (turn % 64) & 1 == 1 { both.next() } else { both.next_back() };
            let Some(item) = item else { break };
            if turns >> (turn % 64) & 1 == 1 { front.push(item) } else { back.push(item) }
        }
        front.extend(back.into_iter().rev());
        prop_assert_eq!(front, forwards);
    }

    #[test]
    fn places_are_those_of_the_items((encoding, bytes) in input()) {
        let items = oracle::items(encoding, &bytes);
        let starts: Vec<usize> = naive_starts(encoding, &bytes).into_iter().collect();
        for (n, &start) in starts.iter().enumerate() {
            prop_assert_eq!(encoding.code_point_offset(&bytes, n), Some(start));
        }
        prop_assert_eq!(encoding.code_point_offset(&bytes, starts.len()), None);
        let is_pair = |value| (0x1_0000..=0x10_FFFF).contains(&value);
        let utf16 = |item: &Item| 1 + usize::from(item.result.is_ok_and(is_pair));
        prop_assert_eq!(encoding.utf16_len(&bytes), items.iter().map(utf16).sum::<usize>());
        for offset in 0..=bytes.len() + 1 {
            let index = items.iter().take_while(|item| item.offset + item.len <= offset).count();
            prop_assert_eq!(encoding.code_point_index(&bytes, offset), index);
            let before = &items[..index];
            let feed = before.iter().rposition(|item| item.result == Ok(0x0A));
            let line = &before[feed.map_or(0, |feed| feed + 1)..];
            let feeds = before.iter().filter(|item| item.result == Ok(0x0A)).count();
            let in_bytes = offset.min(bytes.len()) - feed.map_or(0, |feed| before[feed].offset + before[feed].len);
            let columns = [
                (ColumnUnit::CodePoints, line.len()),
                (ColumnUnit::Bytes, in_bytes),
                (ColumnUnit::Utf16, line.iter().map(utf16).sum()),
            ];
            for (unit, column) in columns {
                let place = LineColumn { line: feeds as u64 + 1, column: column as u64 + 1 };
                prop_assert_eq!(encoding.line_column(&bytes, offset, unit), place, "{:?}", unit);
                prop_assert_eq!(encoding.offset_at(&bytes, place, unit), Some(starts[index]), "{:?}", unit);
            }
        }
        let lines = items.iter().filter(|item| item.result == Ok(0x0A)).count() as u64 + 1;
        for unit in [ColumnUnit::CodePoints, ColumnUnit::Bytes, ColumnUnit::Utf16] {
            prop_assert_eq!(encoding.offset_at(&bytes, LineColumn { line: lines + 1, column: 1 }, unit), None);
            prop_assert_eq!(encoding.offset_at(&bytes, LineColumn { line: 1, column: u64::MAX }, unit), None);
            prop_assert_eq!(encoding.offset_at(&bytes, LineColumn { line: 0, column: 1 }, unit), None);
            prop_assert_eq!(encoding.offset_at(&bytes, LineColumn { line: 1, column: 0 }, unit), None);
        }
    }

    #[test]
    fn texts_have_the_places_of_their_characters(text in any::<String>()) {
        for (n, (offset, c)) in text.char_indices().enumerate() {
            prop_assert_eq!(code_point_offset(&text, n), Some(offset));
            prop_assert_eq!(code_point_index(&text, offset + c.len_utf8() - 1), n);
        }
        prop_assert_eq!(code_point_offset(&text, text.chars().count()), Some(text.len()));
        prop_assert_eq!(code_point_offset(&text, text.chars().count() + 1), None);
    }

    #[test]
    fn summaries_of_windows_merge_to_that_of_the_whole(
        (encoding, bytes) in input(),
        places in places(),
        order in places(),
        keep in 0..6_usize,
    ) {
        let whole = Summary::of(encoding, &bytes, 0..bytes.len(), 0, keep);
        let around = MAX_LEN - 1;
        let mut parts: Vec<Summary> = cuts(&places, bytes.len())
            .windows(2)
            .map(|cut| {
                let start = cut[0].saturating_sub(around) / encoding.unit() * encoding.unit();
                let end = (cut[1] + around).min(bytes.len());
                let range = cut[0] - start..cut[1] - start;
                Summary::of(encoding, &bytes[start..end], range, start as u64, keep)
            })
            .collect();
        let mut order = order.iter().cycle();
        while parts.len() > 1 {
            let at = order.next().map_or(0, |place| place.index(parts.len() - 1));
            let next = parts.remove(at + 1);
            parts[at].merge(&next);
        }
        prop_assert_eq!(&parts[0], &whole);

        let errors = oracle::errors(encoding, &bytes);
        let items = oracle::items(encoding, &bytes);
        let feeds: Vec<usize> = (0..items.len()).filter(|&i| items[i].result == Ok(0x0A)).collect();
        prop_assert_eq!(whole.bytes, bytes.len() as u64);
        prop_assert_eq!(whole.errors, errors.len() as u64);
        prop_assert_eq!(whole.code_points, (items.len() - errors.len()) as u64);
        prop_assert_eq!(whole.lines, feeds.len() as u64);
        prop_assert_eq!(whole.column, (items.len() - feeds.last().map_or(0, |last| last + 1)) as u64);
        prop_assert_eq!(whole.first_errors.len(), errors.len().min(keep));
        for (placed, &error) in whole.first_errors.iter().zip(&errors) {
            let place = encoding.line_column(&bytes, error.valid_up_to(), ColumnUnit::CodePoints);
            prop_assert_eq!((placed.error, placed.line + 1, placed.column + 1), (error, place.line, place.column));
        }
        for &kind in ErrorKind::ALL {
            prop_assert_eq!(whole.of_kind(kind), errors.iter().filter(|error| error.kind == kind).count() as u64);
        }
        prop_assert_eq!(whole.histogram.bins().iter().sum::<u64>(), whole.errors);
        let mut sequences: Vec<_> =
            errors.iter().map(|error| intended_sequence(encoding, &bytes, error)).collect();
        for (error, sequence) in errors.iter().zip(&sequences) {
            let range = error.range();
            prop_assert!(sequence.start <= range.start && range.end <= sequence.end, "{:?} {:?}", range, sequence);
        }
        prop_assert!(sequences.windows(2).all(|two| two[0] == two[1] || two[0].end <= two[1].start), "{:?}", sequences);
        sequences.dedup();
        prop_assert_eq!(whole.places, sequences.len() as u64);

        let mut with_identity = Summary::new(keep);
        with_identity.merge(&whole);
        with_identity.merge(&Summary::new(keep));
        prop_assert_eq!(with_identity, whole);
    }

    #[test]
    fn stats_of_parts_merge_to_those_of_the_whole((encoding, bytes) in input(), places in places()) {
        let whole = Stats::of(encoding, &bytes, 0..bytes.len());
        let at_boundaries: Vec<usize> =
            cuts(&places, bytes.len()).iter().map(|&cut| encoding.floor_char_boundary(&bytes, cut)).collect();
        let parts: Vec<Stats> =
            at_boundaries.windows(2).map(|cut| Stats::of(encoding, &bytes, cut[0]..cut[1])).collect();
        let merged = |parts: &[Stats]| {
            parts.iter().fold(Stats::new(), |mut all, part| {
                all.merge(part);
                all
            })
        };
        prop_assert_eq!(merged(&parts), whole);
        // Grouped differently: the last two first.
        let (first, last) = parts.split_at(parts.len().saturating_sub(2));
        prop_assert_eq!(merged(&[merged(first), merged(last)]), whole);

        let items = oracle::items(encoding, &bytes);
        let values: Vec<u32> = items.iter().filter_map(|item| item.result.ok()).collect();
        let some = |is: &dyn Fn(u32) -> bool| values.iter().filter(|&&value| is(value)).count() as u64;
        prop_assert_eq!(whole.code_points, values.len() as u64);
        prop_assert_eq!(whole.errors, (items.len() - values.len()) as u64);
        prop_assert_eq!(whole.ascii, some(&|value| value < 0x80));
        prop_assert_eq!(whole.latin1, some(&|value| value < 0x100));
        prop_assert_eq!(whole.surrogates, some(&|value| (0xD800..0xE000).contains(&value)));
        prop_assert_eq!(whole.beyond, some(&|value| value > 0x10_FFFF));
        for (plane, &count) in whole.planes.iter().enumerate() {
            prop_assert_eq!(count, some(&|value| value as usize / 0x1_0000 == plane));
        }
        for (len, &count) in whole.lengths.iter().enumerate() {
            let of_len = items.iter().filter(|item| item.result.is_ok() && item.len == len).count();
            prop_assert_eq!(count, of_len as u64);
        }
        let is_crlf = |two: &&[Item]| two[0].result == Ok(0x0D) && two[1].result == Ok(0x0A);
        let crlf = items.windows(2).filter(is_crlf).count() as u64;
        prop_assert_eq!(whole.crlf, crlf);
        prop_assert_eq!(whole.line_feeds, some(&|value| value == 0x0A) - crlf);
        prop_assert_eq!(whole.carriage_returns, some(&|value| value == 0x0D) - crlf);
    }

    #[test]
    fn histograms_merge_in_any_order(
        positions in prop::collection::vec((0..3_usize, prop_oneof![0..5000_u64, any::<u64>()]), 0..40),
    ) {
        let mut all = Histogram::new();
        let mut parts = [Histogram::new(), Histogram::new(), Histogram::new()];
        for &(part, position) in &positions {
            parts[part].add(position);
            all.add(position);
        }
        let merged = |a: &Histogram, b: &Histogram| {
            let mut both = a.clone();
            both.merge(b);
            both
        };
        let [a, b, c] = &parts;
        prop_assert_eq!(&merged(&merged(a, b), c), &all);
        prop_assert_eq!(&merged(a, &merged(b, c)), &all);
        prop_assert_eq!(&merged(&Histogram::new(), a), a);
        prop_assert_eq!(all.bins().iter().sum::<u64>(), positions.len() as u64);
        for &(_, position) in &positions {
            prop_assert!(all.bins()[(position / all.bin_width()) as usize] > 0);
        }
    }

    #[test]
    fn names_are_read_back(encoding in encoding(), upper in any::<bool>()) {
        let name = encoding.to_string();
        let spelled = if upper { name.to_uppercase().replace('-', "_") } else { name };
        prop_assert_eq!(spelled.parse(), Ok(encoding));
    }
}

#[test]
fn histograms_of_any_widths_merge() {
    let (mut narrow, mut wide) = (Histogram::new(), Histogram::new());
    narrow.add(3);
    wide.add(u64::MAX);
    wide.merge(&narrow);
    assert_eq!((wide.bins()[0], wide.bins().iter().sum::<u64>()), (1, 2));
}

#[test]
fn byte_order_is_code_point_order_where_it_is_said_to_be_and_nowhere_else() {
    let values = [
        0, 1, 0x7F, 0x80, 0xFF, 0x100, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFF5A, 0xFFFF, 0x1_0000, 0x10_FFFF, 0x11_0000,
        0x1F_FFFF, 0x20_0000, 0x7FFF_FFFF,
    ];
    for &encoding in AnyEncoding::ALL {
        let held: Vec<u32> = values.into_iter().filter(|&value| oracle::write(encoding, value).is_ok()).collect();
        // All texts of one or two values.
        let mut texts: Vec<Vec<u32>> = held.iter().map(|&value| [value].to_vec()).collect();
        texts.extend(held.iter().flat_map(|&first| held.iter().map(move |&second| [first, second].to_vec())));
        let bytes: Vec<Vec<u8>> = texts
            .iter()
            .map(|text| text.iter().flat_map(|&value| oracle::write(encoding, value).unwrap()).collect())
            .collect();
        let all = 0..texts.len();
        let agree = |a: usize, b: usize| texts[a].cmp(&texts[b]) == bytes[a].cmp(&bytes[b]);
        let all_agree = all.clone().all(|a| all.clone().all(|b| agree(a, b)));
        assert_eq!(all_agree, encoding.byte_order_is_code_point_order(), "{encoding}");
    }
}
