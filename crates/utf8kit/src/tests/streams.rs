//! Tests the promises of streams other than equality with the whole: byte order marks, continuing after errors, owned
//! policies, code units.

use std::string::String;
use std::vec::Vec;

use proptest::prelude::*;
use proptest::sample::select;

use super::properties::{cuts, encoding, input, pieces, places};
use crate::bom::MARKED;
use crate::summary::*;
use crate::*;

properties! {
    #[test]
    fn a_stream_in_pieces_has_the_summary_of_the_whole(
        (encoding, bytes) in input(),
        places in places(),
        keep in 0..6_usize,
    ) {
        let mut stream = SummaryStream::new(encoding, keep);
        for piece in pieces(&places, &bytes) {
            stream.push(piece);
            prop_assert!(stream.so_far().bytes + (encoding.longest() as u64) > stream.so_far().errors);
        }
        prop_assert_eq!(stream.finish(), Summary::of(encoding, &bytes, 0..bytes.len(), 0, keep));
    }

    #[test]
    fn a_strict_converter_goes_on_behind_every_error((encoding, bytes) in input(), places in places()) {
        // In WTF-8, the two halves of a pair that an error separated must not become adjacent.
        prop_assume!(encoding != AnyEncoding::Wtf8);
        let mut converter = Converter::strict(encoding, encoding);
        let (mut out, mut errors) = (Vec::new(), Vec::new());
        for cut in cuts(&places, bytes.len()).windows(2) {
            let mut at = cut[0];
            while let Err(error) = converter.push(&bytes[at..cut[1]], &mut out) {
                prop_assert_eq!(converter.push(b"", &mut out), Err(error));
                errors.push(error);
                at = converter.resume_after_error().unwrap() as usize;
                prop_assert!(at >= cut[0] && at <= cut[1]);
            }
        }
        while let Err(error) = converter.finish(&mut out) {
            errors.push(error);
            converter.resume_after_error().unwrap();
        }
        prop_assert_eq!(converter.resume_after_error(), None);
        prop_assert_eq!(errors, encoding.errors(&bytes).collect::<Vec<_>>());
        prop_assert_eq!(out, encoding.chunks(&bytes).flat_map(|chunk| chunk.valid.to_vec()).collect::<Vec<_>>());
    }

    #[test]
    fn a_mark_is_skipped_at_the_very_start_only(
        (encoding, text) in input(),
        marked in 0..3_usize,
        places in places(),
    ) {
        let mark = encoding.encoded(0xFEFF).map_or(Vec::new(), |mark| mark.to_vec());
        let bytes = [mark.repeat(marked), text].concat();
        let mut converter = Converter::lossy(encoding, encoding, Policy::REPLACE).skip_bom();
        let mut out = Vec::new();
        for piece in pieces(&places, &bytes) {
            converter.push(piece, &mut out).unwrap();
        }
        converter.finish(&mut out).unwrap();
        let repaired = encoding.repair(strip_bom(encoding, &bytes), Policy::REPLACE);
        prop_assert_eq!(&out[..], &*repaired);
    }

    #[test]
    fn a_mark_names_the_encoding(
        fallback in encoding(),
        encoding in select(MARKED),
        text in "[a-z€😀]{1,20}",
        places in places(),
    ) {
        let marked = convert(Utf8, encoding, ["\u{FEFF}", &text].concat().as_bytes()).unwrap();
        prop_assert_eq!(detect_bom(&marked).map(|bom| bom.encoding), Some(encoding));
        let mut converter = Converter::strict(fallback, Utf8).sniff_bom();
        let mut out = Vec::new();
        for piece in pieces(&places, &marked) {
            converter.push(piece, &mut out).unwrap();
        }
        converter.finish(&mut out).unwrap();
        prop_assert_eq!((converter.source(), String::from_utf8(out).unwrap()), (encoding, text));
    }

    #[test]
    fn an_owned_policy_does_what_it_did(
        (from, bytes) in input(),
        to in encoding(),
        places in places(),
        each in 0..4_usize,
        with in "[?<€]{0,3}",
    ) {
        let each = [Each::Subpart, Each::Byte, Each::Run, Each::Java][each];
        let policy = Policy::Replace { each, with: &with };
        let expected = convert_lossy(from, to, &bytes, policy);
        let mut converter = Converter::lossy(from, to, policy);
        let mut out = Vec::new();
        for piece in pieces(&places, &bytes) {
            converter.push(piece, &mut out).unwrap();
            converter = converter.into_owned();
        }
        let mut converter: Converter<'static, _, _> = converter.into_owned();
        drop(with);
        converter.finish(&mut out).unwrap();
        prop_assert_eq!(out, expected);
    }

    #[test]
    fn code_units_come_in_pieces(
        units in prop::collection::vec(prop_oneof![0x20..0x7F_u16, any::<u16>(), 0xD7F0..0xE010_u16], 0..60),
        places in places(),
    ) {
        let cuts = cuts(&places, units.len());
        let mut validator = Validator::new(Utf16);
        let mut strict = Converter::strict(Utf16, Utf32);
        let mut lossy = Converter::lossy(Utf16, Utf8, Policy::REPLACE);
        let (mut values, mut text) = (Vec::new(), Vec::new());
        let (mut valid, mut converted) = (Ok(()), Ok(()));
        for cut in cuts.windows(2) {
            let piece = &units[cut[0]..cut[1]];
            valid = valid.and_then(|()| validator.push_units(piece));
            converted = converted.and_then(|()| strict.push_units(piece, &mut values));
            lossy.push_units(piece, &mut text).unwrap();
        }
        converted = converted.and_then(|()| strict.finish_units(&mut values));
        lossy.finish_units(&mut text).unwrap();
        let expected = Utf16.validate(&units);
        prop_assert_eq!(valid.and_then(|()| validator.finish_units()), expected.map(|()| units.len() as u64));
        prop_assert_eq!(converted, expected);
        prop_assert_eq!(String::from_utf8(text).unwrap(), String::from_utf16_lossy(&units));
        let good = expected.map_or_else(|error| error.valid_up_to(), |()| units.len());
        prop_assert_eq!(values, convert(Utf16, Utf32, &units[..good]).unwrap());
    }
}

/// A mark is skipped only at the start of the stream, whichever converter continues it.
#[test]
fn streams_with_marks_are_resumed_at_every_cut() {
    for text in ["\u{FEFF}a\u{FEFF}b", "a\u{FEFF}b", "\u{FEFF}\u{FEFF}", "\u{1F600}"] {
        for policy in [Policy::REPLACE_RUN, Policy::Escape] {
            let converter = || Converter::lossy(Utf8, Utf8, policy).skip_bom();
            let mut whole = Vec::new();
            converter().push(text.as_bytes(), &mut whole).unwrap();
            assert_eq!(whole, text.strip_prefix('\u{FEFF}').unwrap_or(text).as_bytes());
            for cut in 0..=text.len() {
                let (mut first, mut out) = (converter(), Vec::new());
                first.push(&text.as_bytes()[..cut], &mut out).unwrap();
                let mut second = converter().resume(first.checkpoint());
                assert_eq!((second.offset(), second.pending()), (first.offset(), first.pending()));
                second.push(&text.as_bytes()[cut..], &mut out).unwrap();
                second.finish(&mut out).unwrap();
                assert_eq!(out, whole, "{text:?} cut at {cut}");
            }
        }
    }
}

/// A run of errors, with one replacement, and the halves of a pair, which must not become adjacent where an error is
/// removed.
#[test]
fn runs_and_halves_are_resumed_at_every_cut() {
    let cases: [(AnyEncoding, Policy<'_>, &[u8]); 3] = [
        (AnyEncoding::Utf8, Policy::REPLACE_RUN, b"a\xFF\xFF\xE2\x82b\xC0\xAF\xFF"),
        (AnyEncoding::Wtf8, Policy::Remove, b"a\xED\xA0\x80\xFF\xED\xB0\x80\xED\xB0\x80"),
        (AnyEncoding::Wtf8, Policy::REPLACE_RUN, b"\xED\xA0\x80\xED\xB0\x80\xFF\xFF"),
    ];
    for (encoding, policy, bytes) in cases {
        let converter = || Converter::lossy(encoding, encoding, policy);
        let whole = encoding.repair(bytes, policy);
        for cut in 0..=bytes.len() {
            let (mut first, mut out) = (converter(), Vec::new());
            first.push(&bytes[..cut], &mut out).unwrap();
            let mut second = converter().resume(first.checkpoint());
            second.push(&bytes[cut..], &mut out).unwrap();
            second.finish(&mut out).unwrap();
            assert_eq!(out, *whole, "{encoding:?}, {bytes:X?} cut at {cut}");
        }
    }
}

#[test]
fn impossible_checkpoints_affect_the_output_only() {
    for pending_len in 0..=u8::MAX {
        let state = Checkpoint { offset: u64::MAX, pending: *b"abcdefgh", pending_len, ..Checkpoint::default() };
        let (mut converter, mut out) = (Converter::strict(Utf8, Utf8).resume(state), Vec::new());
        assert_eq!(converter.pending(), &b"abcdefg"[..usize::from(pending_len).min(7)]);
        converter.push(b"!", &mut out).unwrap();
        assert_eq!(out.last(), Some(&b'!'));
    }
}

#[test]
fn a_stream_of_text_stays_at_its_error() {
    for (pieces, error) in [
        (&[&b"a\xFF"[..], b"b"][..], Error::new(1, 1, ErrorKind::InvalidByte)),
        (&[b"a\xE2\x82", b"b"], Error::new(1, 2, ErrorKind::Truncated)),
        (&[b"a\xE2\x82"], Error { incomplete: true, ..Error::new(1, 2, ErrorKind::Truncated) }),
    ] {
        let (mut converter, mut text) = (Converter::strict(Utf8, Utf8), String::new());
        let pushed = pieces.iter().try_for_each(|piece| converter.push_text(piece, &mut text));
        assert_eq!(pushed.and_then(|()| converter.finish_text(&mut text)), Err(error));
        assert_eq!(converter.push_text(b"more", &mut text), Err(error));
        assert_eq!(converter.push_text("of it, far beyond a few bytes".as_bytes(), &mut text), Err(error));
        assert_eq!(converter.finish_text(&mut text), Err(error));
        assert_eq!(text, "a");
    }
}

#[test]
fn without_a_mark_a_label_is_little_endian() {
    for (name, bytes, encoding, text) in [
        ("utf-16", &b"a\0"[..], AnyEncoding::Utf16Le, "a"),
        ("UTF_16", b"\xFE\xFF\0a\xFE\xFF", AnyEncoding::Utf16Be, "a\u{FEFF}"),
        ("utf32", b"\xFF\xFE\0\0a\0\0\0", AnyEncoding::Utf32Le, "a"),
        ("utf-32", b"\0\0\xFE\xFF\0\0\0a", AnyEncoding::Utf32Be, "a"),
        ("utf-16be", b"\xFE\xFF\0a", AnyEncoding::Utf16Be, "\u{FEFF}a"),
        ("utf-8", b"\xEF\xBB\xBFa", AnyEncoding::Utf8, "\u{FEFF}a"),
    ] {
        let label: EncodingLabel = name.parse().unwrap();
        for size in 1..=bytes.len() {
            let mut converter = Converter::strict(AnyEncoding::Latin1, Utf8).labelled(label);
            let mut out = Vec::new();
            for piece in bytes.chunks(size) {
                converter.push(piece, &mut out).unwrap();
            }
            converter.finish(&mut out).unwrap();
            assert_eq!((converter.source(), String::from_utf8(out).unwrap().as_str()), (encoding, text), "{name}");
        }
        let (resolved, mark) = label.resolve(bytes);
        assert_eq!(resolved, encoding);
        assert_eq!(convert(resolved, Utf8, &bytes[mark..]).unwrap(), text.as_bytes());
    }
}
