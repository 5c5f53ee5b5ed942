//! Tests that a finder finds the same pieces as single searches.

use utf8kit::AnyEncoding;
use utf8kit_encodings::charset::{Charset, Codec};

use crate::compare;
use crate::view::{LineEnds, Run, View};

fn codec(label: &str) -> Codec {
    label.parse::<Charset>().unwrap().writer()
}

#[test]
fn a_finder_finds_the_pieces_that_a_view_finds() {
    let utf16: Vec<u8> = "na\u{EF}ve \u{1F600}\r\n".repeat(600).encode_utf16().flat_map(u16::to_le_bytes).collect();
    let texts = [
        (Codec::Native(AnyEncoding::Utf8), "caf\u{E9} au lait\n".repeat(600).into_bytes()),
        (Codec::Native(AnyEncoding::Utf8), "caf\u{E9} au lait\r\n\r".repeat(600).into_bytes()),
        (Codec::Native(AnyEncoding::Utf8), b"caf\xE9 \xE2\x82 \xF0\x9F\x98\x80\n\n\n".repeat(600)),
        (Codec::Native(AnyEncoding::Latin1), b"caf\xE9\r\nau lait\r".repeat(600)),
        (Codec::Native(AnyEncoding::Utf16Le), utf16),
        (codec("shift_jis"), b"\x93\xFA\x96\x7B\x8C\xEA\x81\r\n".repeat(600)),
        (codec("iso-2022-jp"), b"\x1B$BF|K\\8l\x1B(B abc\r\n".repeat(600)),
    ];
    // Long lines also have notes within them.
    let long = [
        (Codec::Native(AnyEncoding::Utf8), format!("a\r\n{}", "\u{E9}t\u{E9}\r".repeat(9000)).into_bytes()),
        (codec("windows-1252"), b"caf\xE9\r".repeat(9000)),
        (codec("shift_jis"), b"\x93\xFA\x96\x7B\x81".repeat(9000)),
    ];
    for (codec, bytes) in texts.into_iter().chain(long) {
        for line_ends in [LineEnds::Lf, LineEnds::Exact] {
            let run = Run { bytes: 0..bytes.len(), codec };
            let view = View::new((&*bytes).into(), 0, &[run], line_ends);
            for step in [97, 611, 5000] {
                let mut finder = view.finder();
                for byte in (0..bytes.len() + 2).step_by(step) {
                    // Each piece is also searched again, and one before it.
                    for byte in [byte, byte, byte.saturating_sub(step / 4)] {
                        let expected = view.piece_of_byte(byte);
                        assert_eq!(finder.piece_of_byte(byte), expected, "{codec:?} {line_ends:?} {byte}");
                        let expected = view.pieces_at(byte).next();
                        assert_eq!(finder.piece_at(byte), expected, "{codec:?} {line_ends:?} {byte}");
                    }
                }
            }
        }
    }
}

/// However many edits a long line has, each takes a few steps. Otherwise, this would take minutes.
#[test]
fn a_long_line_takes_no_longer_than_many_short_ones() {
    let text = "\u{E9}tude".repeat(40_000);
    let old: Vec<u8> = text.chars().map(|c| c as u8).collect();
    for (new, lost) in [("?tude", "?"), ("tude", ""), ("\u{FFFD}tude", "\u{FFFD}")] {
        let new = new.repeat(40_000);
        let comparison = compare(&old, new.as_bytes());
        assert_eq!(comparison.damage.len(), 40_000, "{lost}");
        assert_eq!(comparison.restore(&old, new.as_bytes(), &comparison.damage), old, "{lost}");
    }
}
