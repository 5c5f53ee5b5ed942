//! Tests of conversions between all encodings.

use utf8kit::{AnyEncoding, ErrorKind};

use super::*;
use crate::counts::Counts;

type Bytes = &'static [u8];

/// Converts the whole input in pieces of `size` bytes.
fn run(conversion: &Conversion, input: &[u8], size: usize) -> (Vec<u8>, Counts, Option<ConversionError>) {
    let plan = conversion.start(&input[..input.len().min(MAX_BOM_LEN)]);
    let mut converter = Converter::new(&plan);
    let (mut out, mut counts) = (plan.prefix.clone(), Counts::default());
    for piece in input[plan.skip..].chunks(size) {
        if let Err(error) = converter.push(piece, false, &mut out, &mut counts) {
            return (out, counts, Some(error));
        }
    }
    let error = converter.push(&[], true, &mut out, &mut counts).err();
    (out, counts, error)
}

fn conversion(from: &str, to: &str, invalid: Invalid, bom: BomHandling) -> Conversion {
    let named = |name: &str| name.parse().expect("a name");
    Conversion { from: named(from), to: named(to), invalid, bom, rewrite: Rewrite::default() }
}

#[test]
fn legacy_round_trips_in_any_pieces() {
    let text = "\u{65E5}\u{672C} abc \u{3042}\u{FF71}".as_bytes();
    for name in ["shift_jis", "euc-jp", "iso-2022-jp", "gb18030", "utf-16be"] {
        let there = conversion("utf-8", name, Invalid::REPLACE, BomHandling::Keep);
        let back = conversion(name, "utf-8", Invalid::Strict, BomHandling::Keep);
        for size in 1..8 {
            let (bytes, ..) = run(&there, text, size);
            let (again, _, error) = run(&back, &bytes, size);
            let half_width = name == "iso-2022-jp"; // lacks half-width katakana, and writes full-width ones
            assert_eq!(error, None);
            assert!(half_width || again == text, "{name}, pieces of {size}");
        }
    }
}

#[test]
fn strict_errors_have_their_place() {
    // (from, to, input, offset, bytes)
    let cases: [(&str, &str, Bytes, u64, Bytes); 12] = [
        ("utf-8", "latin1", "ab\u{20AC}".as_bytes(), 2, b"\xE2\x82\xAC"),
        ("utf-8", "koi8-r", "ab\u{416}\u{E9}\0".as_bytes(), 4, b"\xC3\xA9"),
        ("utf-16le", "koi8-r", b"a\0\xE9\0", 2, b"\xE9\0"),
        ("shift_jis", "koi8-r", b"a\x82\xA0", 1, b"\x82\xA0"),
        ("shift_jis", "utf-8", b"ab\x82\xA0\xFFc", 4, b"\xFF"),
        ("shift_jis", "latin1", b"ab\x82\xA0c", 2, b"\x82\xA0"),
        // A shift belongs to the next character.
        ("iso-2022-jp", "latin1", b"ab\x1B$B$\"\x1B(Bc", 2, b"\x1B$B$\""),
        ("utf-7", "koi8-r", b"a+BBYA6Q-b", 5, b"A6Q"),
        ("utf-7", "gsm-03.38", b"a+AGI-\0", 5, b"-\0"),
        ("utf-7", "gsm-03.38", b"abc\0", 3, b"\0"),
        // Controls that would begin a shift.
        ("utf-8", "iso-2022-jp", b"\x1B", 0, b"\x1B"),
        ("utf-8", "iso-2022-jp", "\u{E9}".as_bytes(), 0, "\u{E9}".as_bytes()),
    ];
    for (from, to, input, offset, bytes) in cases {
        for size in 1..6 {
            let (.., error) = run(&conversion(from, to, Invalid::Strict, BomHandling::Keep), input, size);
            let error = error.expect("an error");
            assert_eq!((error.offset, &*error.bytes), (offset, bytes), "{from} {to}, pieces of {size}");
        }
    }
}

#[cfg(feature = "rewrite")]
#[test]
fn errors_in_noise_are_bytes_of_the_input() {
    let encodings = [
        "utf-8", "cesu-8", "utf-16le", "latin1", "koi8-r", "windows-1258", "shift_jis", "euc-jp", "gb18030", "big5",
        "iso-2022-jp", "utf-7", "gsm-03.38", "cp037", "us-ascii",
    ];
    let atoms: [&[u8]; 19] = [
        b"a", b"+", b"-", b"AOkA6Q", b"\x1B$B", b"\x1B(B", b"$\"", b"\x1B", b"\0", b"\xC3\xA9", b"\xED\xA0\x80",
        b"\x82\xA0", b"\x81\x30", b"\x8A\x39", b"\r", b"\n", b"\xCC\x81", b"\xFF", b"\x88\x62",
    ];
    let mut random = utf8kit_testing::Random::new(0x9E37_79B9_7F4A_7C15);
    let mut below = |end| random.below(end);
    for _ in 0..20_000 {
        let (from, to) = (encodings[below(encodings.len())], encodings[below(encodings.len())]);
        let input: Vec<u8> = (0..below(9)).flat_map(|_| atoms[below(atoms.len())]).copied().collect();
        let forms = [None, Some(NormalForm::Nfc), Some(NormalForm::Nfd)];
        let ends = [None, Some(LineEnd::Lf), Some(LineEnd::CrLf)];
        let mut conversion = conversion(from, to, Invalid::Strict, BomHandling::Keep);
        (conversion.rewrite.normal_form, conversion.rewrite.line_end) = (forms[below(3)], ends[below(3)]);
        let run = |size| run(&conversion, &input, size);
        let (whole, _, error) = run(32 * 1024);
        let context = || format!("{from} {to} {}: {error:?}", input.escape_ascii());
        // Bytes of an earlier piece that a normal form holds back are only estimated.
        let is_exact = conversion.rewrite.normal_form.is_none();
        if let Some(error) = error.as_ref().filter(|_| is_exact) {
            let at = usize::try_from(error.offset).unwrap();
            assert_eq!(input.get(at..at + error.bytes.len()), Some(&*error.bytes), "{}", context());
            assert!(!error.bytes.is_empty(), "{}", context());
        }
        for size in [1, 3] {
            let (out, _, in_pieces) = run(size);
            assert!(out == whole && in_pieces.is_some() == error.is_some(), "{}: {size}", context());
            assert!(in_pieces == error || !is_exact, "{}, pieces of {size}: {in_pieces:?}", context());
        }
    }
}

#[test]
fn policies_through_the_pivot() {
    let cases: [(&str, &str, Invalid, Bytes, Bytes); 7] = [
        ("utf-8", "koi8-r", Invalid::REPLACE, b"a\xFF\xC3\xA9\xD0\x96", b"a??\xF6"),
        ("utf-8", "gb18030", Invalid::REPLACE, b"a\xFF", b"a\x84\x31\xA4\x37"),
        ("utf-8", "koi8-r", Invalid::Remove, b"a\xFF\xC3\xA9\xD0\x96", b"a\xF6"),
        ("utf-8", "koi8-r", Invalid::Escape, b"\\x\xFF\xC3\xA9", br"\x5Cx\xFF\u00E9"),
        ("shift_jis", "utf-8", Invalid::Escape, b"\\\xFF\\x", br"\\xFF\x5Cx"),
        ("shift_jis", "latin1", Invalid::Escape, b"\xFF\x82\xA0\\", br"\xFF\u3042\"),
        ("shift_jis", "latin1", Invalid::REPLACE, b"\xFF\x82\xA0", b"??"),
    ];
    for (from, to, invalid, input, output) in cases {
        for size in 1..6 {
            let (out, ..) = run(&conversion(from, to, invalid, BomHandling::Keep), input, size);
            assert_eq!(out, output, "{from} {to}, pieces of {size}");
        }
    }
}

#[test]
fn escapes_do_not_depend_on_the_source() {
    // As Python's `backslashreplace` writes it, in capitals.
    let text = "a\u{20AC}\u{1F600}";
    for from in ["utf-8", "utf-16le", "utf-32be", "cesu-8", "gb18030", "utf-7"] {
        let bytes = run(&conversion("utf-8", from, Invalid::Strict, BomHandling::Keep), text.as_bytes(), 64).0;
        for to in ["latin1", "koi8-r", "us-ascii", "iso-2022-jp"] {
            let (out, ..) = run(&conversion(from, to, Invalid::Escape, BomHandling::Keep), &bytes, 3);
            assert_eq!(out.escape_ascii().to_string(), r"a\\u20AC\\U0001F600", "{from} {to}");
        }
    }
}

#[test]
fn nothing_vanishes() {
    let (mut stopped, mut substituted) = (0, 0);
    for to in crate::charset::Charset::names() {
        let codec = to.parse::<crate::Charset>().unwrap().writer();
        let Some(lacking) = "\u{1F600}\u{E9}\u{10FFFF}".chars().find(|c| codec.bytes_of(*c).is_none()) else {
            continue;
        };
        for input in [lacking.to_string().into_bytes(), vec![0xFF]] {
            for invalid in [Invalid::REPLACE, Invalid::Escape] {
                let (out, counts, error) = run(&conversion("utf-8", to, invalid, BomHandling::Keep), &input, 3);
                match error.map(|error| error.kind) {
                    Some(ConversionErrorKind::Unwritten(value, _)) => {
                        assert_eq!(value, (input != [0xFF]).then_some(lacking.into()), "{to}");
                        assert_eq!((out.len(), counts.total()), (0, 0), "{to}");
                        stopped += 1;
                    }
                    error => {
                        assert_eq!((error, counts.total()), (None, 1), "{to}");
                        assert!(!codec.text_of(&out).unwrap().is_empty(), "{to}");
                        substituted += usize::from(codec.text_of(&out).unwrap() == "\u{1A}");
                    }
                }
            }
        }
    }
    // 5C is a yen sign there, and ASMO 449 has no question mark but an Arabic one.
    let place = |to, invalid| run(&conversion("utf-8", to, invalid, BomHandling::Keep), b"a\xC3\xA9", 9).2;
    let error = place("ISO646-JP", Invalid::Escape).expect("an error");
    assert_eq!((error.offset, &*error.bytes), (1, &b"\xC3\xA9"[..]));
    assert_eq!(error.kind, ConversionErrorKind::Unwritten(Some(0xE9), 0x5C));
    assert_eq!(place("ASMO_449", Invalid::REPLACE), None);
    assert!(stopped > 100 && substituted > 4, "{stopped} {substituted}");
}

#[cfg(feature = "rewrite")]
#[test]
fn decomposed_text_needs_a_normal_form() {
    for (from, to, text, composed) in [
        ("utf-8", "latin1", "cafe\u{301}", Some('é')),
        ("utf-16be", "latin1", "cafe\u{301}", Some('é')),
        ("utf-8", "koi8-r", "и\u{306}", Some('й')),
        ("utf-8", "windows-1252", "cafe\u{301}", Some('é')),
        ("utf-8", "windows-1258", "Tie\u{302}\u{301}ng", Some('ê')),
        ("utf-8", "latin1", "\u{301}", None),
        ("utf-8", "latin1", "x\u{301}", None),
    ] {
        let mut conversion = conversion("utf-8", from, Invalid::Strict, BomHandling::Keep);
        let bytes = run(&conversion, text.as_bytes(), 99).0;
        (conversion.from, conversion.to) = (conversion.to, to.parse().unwrap());
        let errors = [1, 2, 99].map(|size| run(&conversion, &bytes, size).2.expect("an error"));
        assert!(errors.iter().all(|error| error.composed == composed), "{from} {to}");
        let [error, ..] = errors;
        assert!(composed.is_none() || !error.is_transliterated(conversion.to), "{from} {to}");
        assert_eq!(error.to_string().contains("in NFC"), composed.is_some(), "{error}");
        conversion.rewrite.normal_form = Some(NormalForm::Nfc);
        assert_eq!(run(&conversion, &bytes, 99).2.is_none(), composed.is_some(), "{from} {to}");
    }
}

#[test]
fn marks() {
    let cases: [(&str, &str, BomHandling, Bytes, Bytes); 10] = [
        ("utf-8", "utf-8", BomHandling::Keep, b"\xEF\xBB\xBFa", b"\xEF\xBB\xBFa"),
        ("utf-8", "utf-16be", BomHandling::Strip, b"\xEF\xBB\xBFa", b"\0a"),
        ("utf-8", "utf-16be", BomHandling::Add, b"a", b"\xFE\xFF\0a"),
        ("utf-8", "utf-16be", BomHandling::Add, b"\xEF\xBB\xBFa", b"\xFE\xFF\0a"),
        ("utf-8", "utf-16", BomHandling::Keep, b"a", b"\xFF\xFEa\0"),
        ("utf-8", "utf-16", BomHandling::Keep, b"\xEF\xBB\xBFa", b"\xFF\xFEa\0"),
        ("utf-8", "utf-16", BomHandling::Strip, b"a", b"a\0"),
        ("utf-16", "utf-8", BomHandling::Keep, b"\xFE\xFF\0a", b"a"),
        ("utf-16", "utf-8", BomHandling::Keep, b"a\0", b"a"),
        ("utf-8", "utf-16", BomHandling::Keep, b"", b""),
    ];
    for (from, to, bom, input, output) in cases {
        let (out, ..) = run(&conversion(from, to, Invalid::Strict, bom), input, 3);
        assert_eq!(out, output, "{from} {to} {bom:?}");
    }
}

#[test]
fn kinds_see_past_the_block() {
    let mistaken = mistaken_kind(AnyEncoding::Utf8, b"a\xE0", b"a\xE0\x80");
    assert_eq!(mistaken, Some((ErrorKind::Truncated, ErrorKind::Overlong)));
    assert_eq!(mistaken_kind(AnyEncoding::Utf8, b"ab", b"abc"), None);
}
